/* SPDX-License-Identifier: Apache-2.0 */

/* joulie quantity: Kubernetes quantities from arguments or lines. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli.h"

/* unit and number say where the text stands: there is no document to point into. */
static int ask(struct jd_call *call, struct jl_text text, const char *unit, size_t number)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    char *answer = NULL;
    char where[32];
    jl_put_string(&document, "{\"text\":");
    jl_put_json_string(&document, text.ptr, text.len);
    jl_put_char(&document, '}');

    int rc = document.is_failed
                 ? jl_fail_memory(&err)
                 : joulie_ask("quantity", document.data, document.len, NULL, &answer, &err);
    if (rc == JOULIE_OK) {
        jd_put_answer(call, answer);
    } else {
        snprintf(where, sizeof where, "%s %zu", unit, number);
        jl_fail(&err, rc, where, "%s", err.message);
        jd_put_error(call, &err);
    }
    joulie_free(answer);
    jl_buffer_clear(&document);
    return rc == JOULIE_OK ? JD_EXIT_OK : JD_EXIT_BAD;
}

static struct jl_text behind_mark(struct jl_text text)
{
    static const struct jl_text mark = { "\xEF\xBB\xBF", 3 }; /* byte order mark, in UTF-8 */
    if (text.len < mark.len || memcmp(text.ptr, mark.ptr, mark.len) != 0)
        return text;
    return (struct jl_text){ text.ptr + mark.len, text.len - mark.len };
}

/* One text per line; empty lines are skipped, but one has to be there. */
static int ask_lines(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer input = { 0 };
    int status = JD_EXIT_OK;
    size_t count = 0;
    int rc = jd_read(NULL, &input, &err);
    struct jl_text rest = behind_mark((struct jl_text){ input.data, rc < 0 ? 0 : input.len });
    for (size_t line = 1; rest.len > 0; line++) {
        const struct jl_text text = jl_text_trim(jl_text_cut(&rest, '\n'));
        if (text.len == 0)
            continue;
        status = jd_worse(status, ask(call, text, "line", line));
        count++;
    }
    jl_buffer_clear(&input);
    if (rc == 0 && count == 0)
        rc = jl_fail(&err, JOULIE_E_PARSE, "", "there is no quantity in the input");
    if (rc == 0)
        return status;
    return jd_put_error(call, &err);
}

static int run(struct jd_call *call)
{
    int status = JD_EXIT_OK;
    if (call->argument_count == 0)
        return ask_lines(call);
    for (size_t i = 0; i < call->argument_count; i++)
        status = jd_worse(status, ask(call, jl_text(call->arguments[i]), "argument", i + 1));
    return status;
}

static const struct jd_setting options[] = {
    JD_FORM_ROW,
};

const struct jd_command jd_command_quantity = {
    .name = "quantity",
    .arguments = "[TEXT...]",
    .most = SIZE_MAX,
    .summary = "Kubernetes quantities, exact: canonical text, value, thousandths",
    .question = "quantity",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
