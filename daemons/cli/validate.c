/* SPDX-License-Identifier: Apache-2.0 */

/* Strict checks of objects: FILE:LINE: path: message for the first problem of each. */

#include "base/error.h"
#include "cli.h"
#include "runtime/json.h"

static void put_place(struct jd_call *call, const char *file, uint32_t line,
                      const struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    char where[JD_PLACE_TEXT];
    jd_place(call, err->where, where);
    jl_put_string(&text, file);
    if (line > 0)
        jd_put_format(&text, ":%lld", (long long)line);
    jl_put_string(&text, ": ");
    if (where[0] && !jl_starts_with(where, "line "))
        jd_put_format(&text, "%s: ", where);
    jd_put_format(&text, "%s\n", err->message);
    if (!text.is_failed)
        jd_put_text(call, text.data, text.len);
}

/* The place of a problem is a line of text, unless -o asks for error objects. */
static int report(struct jd_call *call, const char *file, uint32_t line,
                  const struct joulie_error *err)
{
    if (call->values.output)
        jd_put_error(call, err);
    else
        put_place(call, file, line, err);
    return JD_EXIT_BAD;
}

/* user: the name of the file. */
static int check_document(struct jd_call *call, const char *text, size_t len, void *user)
{
    const char *file = user;
    const struct jl_text document = { text, len };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_ask_options ask_options;
    JL_CLEANUP(jl_freep) char *answer = NULL;
    jd_ask_options(call, &ask_options);
    if (jd_ask(call, "validate", document, &ask_options, &answer, &err) != JOULIE_OK)
        return report(call, file, err.line > 0 ? call->line + err.line - 1 : call->line, &err);
    if (call->values.output)
        jd_put_answer(call, answer);
    return JD_EXIT_OK;
}

static int report_broken(struct jd_call *call, const struct joulie_error *err, void *user)
{
    return report(call, user, err->line, err);
}

static int check_file(struct jd_call *call, char *file)
{
    const struct jd_taker taker = { check_document, report_broken, file };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer input = { 0 };
    int status = JD_EXIT_BAD;
    if (jd_read(file, &input, &err) == 0)
        status = jd_each_in_text(call, &input, &taker);
    else if (call->values.output)
        jd_put_error(call, &err);
    else /* the message names the file */
        put_place(call, jd_program, 0, &err);
    return status;
}

static int run(struct jd_call *call)
{
    char standard_input[] = "-";
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < call->argument_count; i++)
        status = jd_worse(status, check_file(call, call->arguments[i]));
    return call->argument_count > 0 ? status : check_file(call, standard_input);
}

static const struct jd_setting options[] = {
    JD_LENIENT_ROW,
    JD_OUTPUT_ROW("answers instead of lines of text: {} or an error, as json, pretty or yaml"),
};

const struct jd_command jd_command_validate = {
    .name = "validate",
    .arguments = "[FILE...]",
    .most = SIZE_MAX,
    .files = JD_FILES,
    .summary = "Checks objects of every kind strictly",
    .text = "Prints FILE:LINE: path: message for the first problem of each object, nothing for a "
            "valid one. A list, as kubectl get prints it, stands for its items: "
            "items[3].spec.profile.",
    .question = "validate",
    JD_ROWS(options),
    .run = run,
};
