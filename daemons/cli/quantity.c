/* SPDX-License-Identifier: Apache-2.0 */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli.h"
#include "commands.h"

static int ask(struct jd_call *call, size_t index)
{
    const char *text = call->arguments[index];
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    char *answer = NULL;
    char where[32];
    jl_put_string(&document, "{\"text\":");
    jl_put_json_string(&document, text, strlen(text));
    jl_put_char(&document, '}');

    int rc = document.is_failed
                 ? jl_fail_memory(&err)
                 : joulie_ask("quantity", document.data, document.len, NULL, &answer, &err);
    if (rc == JOULIE_OK) {
        jd_put_answer(call, answer);
    } else { /* there is no document to point into: the place is the argument */
        snprintf(where, sizeof where, "argument %zu", index + 1);
        jl_fail(&err, rc, where, "%s", err.message);
        jd_put_error(call, &err);
    }
    joulie_free(answer);
    jl_buffer_clear(&document);
    return rc == JOULIE_OK ? JD_EXIT_OK : JD_EXIT_BAD;
}

static int run(struct jd_call *call)
{
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < call->argument_count; i++)
        status = jd_worse(status, ask(call, i));
    return status;
}

static const struct jd_option options[] = { JD_FORM_ROW, JD_HELP_ROW };

const struct jd_command jd_command_quantity = {
    .name = "quantity",
    .arguments = "TEXT...",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "Kubernetes quantities, exact: canonical text, value, thousandths",
    .question = "quantity",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
