/* SPDX-License-Identifier: Apache-2.0 */

/* TensorFusion objects in another dialect, one by one (docs/rules/commands.md#conversion). */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "convert.h"

#define QUESTION "convert"
#define WORD_END ": "

struct conversion {
    struct joulie_ask_options options;
    struct jl_buffer members; /* "options":{...}, for every document */
};

/* The library's message begins with the word of what it is. */
static void warn(void *user, const char *where, const char *message)
{
    const char *end = strstr(message, WORD_END);
    (void)user;
    if (end)
        fprintf(stderr, "warning: %.*s: %s: %s\n", (int)(end - message), message, where,
                end + sizeof WORD_END - 1);
    else
        fprintf(stderr, "warning: %s: %s\n", where, message);
}

static void put_text(struct jl_buffer *out, const char *key, const char *text)
{
    if (!text)
        return;
    jl_put_string(out, key);
    jl_put_json_string(out, text, strlen(text));
}

/* false = a usage error that has been reported. */
static bool read_members(struct jd_call *call, struct jl_buffer *out)
{
    const bool is_detect = call->values.detect;
    const double gpu_tflops = call->values.gpu_tflops;
    if (jd_given(call, JD_OPTION(gpu_tflops)) && !(gpu_tflops > 0)) {
        jd_usage("--gpu-tflops is above 0");
        return false;
    }
    jl_put_string(out, is_detect ? "\"options\":{\"detect\":true" : "\"options\":{");
    put_text(out, "\"to\":", call->values.to);
    put_text(out, ",\"gpuModel\":", call->values.gpu_model);
    if (gpu_tflops > 0) {
        jl_put_string(out, ",\"gpuTflops\":");
        jl_put_double(out, gpu_tflops);
    }
    jl_put_char(out, '}');
    return true;
}

/* A document of one line with the options as its first member; what is no object stays as it is. */
static void put_document(struct jl_buffer *out, const char *line, const struct jl_buffer *members)
{
    if (line[0] != '{') {
        jl_put_string(out, line);
        return;
    }
    jl_put_char(out, '{');
    jl_put(out, members->data, members->len);
    jl_put_string(out, line[1] == '}' ? "" : ",");
    jl_put_string(out, line + 1);
}

static int take(struct jd_call *call, const char *text, size_t len, void *user)
{
    const struct conversion *conversion = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    char *line = NULL;
    int status;
    int rc = joulie_format(text, len, JOULIE_FORM_LINE, &line, &err);
    if (rc == JOULIE_OK) {
        put_document(&document, line, &conversion->members);
        if (document.is_failed)
            rc = jl_fail_memory(&err);
    }
    if (rc == JOULIE_OK)
        status = jd_ask_document(call, QUESTION, document.data, document.len, &conversion->options);
    else
        status = jd_put_error(call, &err);
    jl_buffer_clear(&document);
    joulie_free(line);
    return status;
}

int jd_convert_dialect(struct jd_call *call, const char *file)
{
    struct conversion conversion = { .members = { 0 } };
    int status = JD_EXIT_USAGE;
    jd_ask_options(call, &conversion.options);
    if (read_members(call, &conversion.members)) {
        conversion.options.on_warning = warn;
        status = jd_each_document(call, file, take, &conversion);
    }
    jl_buffer_clear(&conversion.members);
    return status;
}
