/* SPDX-License-Identifier: Apache-2.0 */

/* joulie diff: the merge patch from one object to another. */

#include <string.h>

#include "base/error.h"
#include "cli.h"

/* Length of the JSON value at text, which the library printed: no blanks, no errors. */
static size_t value_length(const char *text)
{
    size_t depth = 0;
    size_t i = 0;
    for (bool is_string = false;; i++) {
        if (is_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            is_string = !is_string;
        else if (!is_string && depth == 0 && (text[i] == ',' || text[i] == '}' || text[i] == ']'))
            return i;
        else if (!is_string && (text[i] == '{' || text[i] == '['))
            depth++;
        else if (!is_string && (text[i] == '}' || text[i] == ']'))
            depth--;
        if (text[i] == '\0')
            return i;
    }
}

/* Of {"patch":…,"removed":…,"changed":…} the patch, which is what kubectl patch takes. */
static void put_patch(struct jd_call *call, char *answer)
{
    static const char first[] = "{\"patch\":";
    char *patch = answer + (jl_starts_with(answer, first) ? sizeof first - 1 : 0);
    if (patch != answer)
        patch[value_length(patch)] = '\0';
    jd_put_answer(call, patch);
}

static int ask(struct jd_call *call, struct jl_buffer *document, struct joulie_error *err)
{
    char *answer = NULL;
    jl_put_string(document, "{\"old\":");
    int rc = jd_read_one(call->arguments[0], 1, document, err);
    if (rc < 0)
        return rc;
    jl_put_string(document, ",\"new\":");
    rc = jd_read_one(call->arguments[1], 2, document, err);
    if (rc < 0)
        return rc;
    jl_put_char(document, '}');
    rc = document->is_failed
             ? jl_fail_memory(err)
             : joulie_ask("diff", document->data, document->len, NULL, &answer, err);
    if (rc == JOULIE_OK)
        put_patch(call, answer);
    joulie_free(answer);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    const int rc = ask(call, &document, &err);
    if (rc < 0)
        jd_put_error(call, &err);
    jl_buffer_clear(&document);
    return rc < 0 ? JD_EXIT_BAD : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_FORM_ROW,
};

const struct jd_command jd_command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .least = 2,
    .most = 2,
    .files = JD_FILES,
    .summary = "Merge patch that makes NEW of OLD",
    .question = "diff",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
