/* SPDX-License-Identifier: Apache-2.0 */

/* Strict checks of objects: FILE:LINE: path: message for the first problem of each. */

#include <joulie/object.h>

#include "base/error.h"
#include "cli.h"
#include "commands.h"

static void put_place(struct jd_call *call, const char *file, uint32_t line,
                      const struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    jl_put_string(&text, file);
    if (line > 0) {
        jl_put_char(&text, ':');
        jl_put_i64(&text, line);
    }
    jl_put_string(&text, ": ");
    if (err->where[0] && !jl_starts_with(err->where, "line ")) {
        jl_put_string(&text, err->where);
        jl_put_string(&text, ": ");
    }
    jl_put_string(&text, err->message);
    jl_put_char(&text, '\n');
    if (!text.is_failed)
        jd_put_text(call, text.data, text.len);
    jl_buffer_clear(&text);
}

/* The place of a problem is a line of text, unless -o asks for error objects. */
static int report(struct jd_call *call, const char *file, uint32_t line,
                  const struct joulie_error *err)
{
    if (jd_given(call, JD_OPTION_OUTPUT))
        jd_put_error(call, err);
    else
        put_place(call, file, line, err);
    return JD_EXIT_BAD;
}

static int check_document(struct jd_call *call, const char *file, const char *text, size_t len,
                          uint32_t first_line)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_ask_options ask_options;
    char *answer = NULL;
    if (!jd_ask_options(call, &ask_options))
        return JD_EXIT_USAGE;
    if (joulie_ask("validate", text, len, &ask_options, &answer, &err) != JOULIE_OK)
        return report(call, file, err.line > 0 ? first_line + err.line - 1 : first_line, &err);
    if (jd_given(call, JD_OPTION_OUTPUT))
        jd_put_answer(call, answer);
    joulie_free(answer);
    return JD_EXIT_OK;
}

static int check_text(struct jd_call *call, const char *file, const struct jl_buffer *input)
{
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int status = JD_EXIT_OK;
    size_t count = 0;
    splitter.text = input->data ? input->data : "";
    splitter.len = input->len;
    for (;; count++) {
        const char *text;
        size_t len;
        uint32_t line;
        const int rc = joulie_split(&splitter, &text, &len, &line, &err);
        if (rc == 0)
            break;
        status = jd_worse(status, rc < 0 ? report(call, file, err.line, &err)
                                         : check_document(call, file, text, len, line));
    }
    if (count > 0)
        return status;
    jl_fail(&err, JOULIE_E_PARSE, "", "there is no document in it");
    return report(call, file, 0, &err);
}

static int check_file(struct jd_call *call, const char *file)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer input = { 0 };
    int status = JD_EXIT_BAD;
    if (jd_read(file, &input, &err) == 0)
        status = check_text(call, file, &input);
    else if (jd_given(call, JD_OPTION_OUTPUT))
        jd_put_error(call, &err);
    else /* the message names the file */
        put_place(call, jd_program, 0, &err);
    jl_buffer_clear(&input);
    return status;
}

static int run(struct jd_call *call)
{
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < call->argument_count; i++)
        status = jd_worse(status, check_file(call, call->arguments[i]));
    return call->argument_count > 0 ? status : check_file(call, "-");
}

static const struct jd_option options[] = {
    JD_LENIENT_ROW,
    JD_OUTPUT_ROW("answers instead of lines of text: {} or an error, as json, pretty or yaml"),
    JD_HELP_ROW,
};

const struct jd_command jd_command_validate = {
    .name = "validate",
    .arguments = "[FILE...]",
    .most = SIZE_MAX,
    .files = JD_FILES,
    .summary = "Checks objects of every kind strictly",
    .text = "Prints FILE:LINE: path: message for the first problem of each object, nothing for a "
            "valid one.",
    .question = "validate",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
