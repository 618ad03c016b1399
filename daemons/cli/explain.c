/* SPDX-License-Identifier: Apache-2.0 */

/* joulie explain: the fields of a kind, from its table. */

#include <string.h>

#include "base/error.h"
#include "cli.h"

static int run(struct jd_call *call)
{
    const char *text = call->arguments[0];
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    int status;
    jl_put_string(&document, "{\"kind\":");
    jl_put_json_string(&document, text, strlen(text)); /* the question finds the path in it */
    jl_put_char(&document, '}');
    if (jl_buffer_code(&document) == 0) {
        status = jd_ask_document(call, "explain", document.data, document.len, NULL);
    } else {
        jl_fail_memory(&err);
        status = jd_put_error(call, &err);
    }
    jl_buffer_clear(&document);
    return status;
}

static const struct jd_setting options[] = {
    JD_FORM_ROW,
};

const struct jd_command jd_command_explain = {
    .name = "explain",
    .arguments = "KIND[.PATH]",
    .least = 1,
    .most = 1,
    .summary = "Reference of a kind or of one of its fields",
    .text =
        "KIND is a kind in lower case or its short name, one of another project with its group; "
        "PATH is a path such as spec.cpu, with [] for list items.",
    .question = "explain",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
