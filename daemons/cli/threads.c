/* SPDX-License-Identifier: Apache-2.0 */

/* Thread profiles: whose they are, what they do to a container's threads, what is wrong with them
 * (docs/rules/commands.md#threads). */

#include <string.h>

#include "base/error.h"
#include "cli.h"
#include "tree.h"

static const struct jd_setting plain[] = {
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

static const struct jd_setting formed[] = {
    JD_FORM_ROW,
};

/* Initialiser of a command that is the question of its name. */
#define DECISION(words, asked, text)                                                             \
    {                                                                                            \
        .name = (words), .arguments = "[FILE]", .most = 1, .files = JD_FILES, .summary = (text), \
        .question = (asked), JD_ROWS(plain), .run = jd_run_question                              \
    }

const struct jd_command jd_command_threads_match = DECISION(
    "threads match", "threads.match", "Thread profile of each container of a pod, and why");
const struct jd_command jd_command_threads_plan =
    DECISION("threads plan", "threads.plan", "CPUs and scheduling of the threads of a container");

/* ---- list ---- */

static int run_list(struct jd_call *call)
{
    return jd_ask_document(call, "threads.list", "{}", 2, NULL);
}

const struct jd_command jd_command_threads_list = {
    .name = "threads list",
    .summary = "The thread profiles of this build",
    .question = "threads.list",
    JD_ROWS(formed),
    .run = run_list,
};

/* ---- show ---- */

static int show_toml(struct jd_call *call, const char *answer)
{
    JL_CLEANUP(jd_json_freep) struct json_object *shown = jd_json_parse(answer, strlen(answer));
    const char *toml = jd_json_text(shown, "toml");
    if (toml == NULL)
        return jd_put_no_memory(call);
    jd_put_text(call, toml, strlen(toml));
    return JD_EXIT_OK;
}

static int run_show(struct jd_call *call)
{
    const bool is_toml = call->values.output == NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
    JL_CLEANUP(jl_freep) char *answer = NULL;
    jl_put_char(&document, '{');
    jd_json_put_text(&document, "id", call->arguments[0]);
    jl_put_string(&document, is_toml ? ",\"options\":{\"output\":\"toml\"}}" : "}");
    if (jd_ask_buffer("threads.show", &document, NULL, &answer, &err) != JOULIE_OK)
        return jd_put_error(call, &err);
    if (is_toml)
        return show_toml(call, answer);
    jd_put_answer(call, answer);
    return JD_EXIT_OK;
}

/* The ids of this build. */
static void offer_profile(size_t index)
{
    JL_CLEANUP(jl_freep) char *answer = NULL;
    if (index > 0 || joulie_ask("threads.list", "{}", 2, NULL, &answer, NULL) != JOULIE_OK)
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *list = jd_json_parse(answer, strlen(answer));
    struct json_object *profiles = jd_json_at(list, "profiles");
    for (size_t i = 0; i < jd_json_count(profiles); i++)
        jd_offer(jd_json_word(jd_item(profiles, i), "id"),
                 jd_json_word(jd_item(profiles, i), "kind"));
}

static const struct jd_setting shown_rows[] = {
    JD_OUTPUT_ROW("json, pretty or yaml instead of TOML"),
};

const struct jd_command jd_command_threads_show = {
    .name = "threads show",
    .arguments = "ID",
    .least = 1,
    .most = 1,
    .summary = "A thread profile of this build, as TOML",
    .question = "threads.show",
    JD_ROWS(shown_rows),
    .run = run_show,
    .offer = offer_profile,
};

/* ---- lint ---- */

/* user: the name of the file. */
static int lint_document(struct jd_call *call, const char *text, size_t len, void *user)
{
    const struct jl_text document = { text, len };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    JL_CLEANUP(jl_freep) char *answer = NULL;
    if (jd_ask(call, "threads.lint", document, NULL, &answer, &err) != JOULIE_OK)
        return jd_put_error(call, &err);
    jl_put_char(&line, '{');
    jd_json_put_text(&line, "file", user);
    jl_put_char(&line, ',');
    jl_put_string(&line, answer + 1); /* an object, which is never empty */
    if (line.is_failed)
        return jd_put_no_memory(call);
    jd_put_answer(call, line.data);
    return strstr(answer, "\"errors\":0,") != NULL ? JD_EXIT_OK : JD_EXIT_BAD;
}

static int run_lint(struct jd_call *call)
{
    char standard_input[] = "-";
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < call->argument_count; i++)
        status = jd_worse(
            status, jd_each_document(call, call->arguments[i], lint_document, call->arguments[i]));
    return call->argument_count > 0
               ? status
               : jd_each_document(call, standard_input, lint_document, standard_input);
}

const struct jd_command jd_command_threads_lint = {
    .name = "threads lint",
    .arguments = "[FILE...]",
    .most = SIZE_MAX,
    .files = JD_FILES,
    .summary = "What is wrong with thread profiles, all of it",
    .text = "One line for each profile, which may be JSON or YAML: its findings, with their codes "
            "and places. Exit status 1 when one of them is an error.",
    .question = "threads.lint",
    JD_ROWS(formed),
    .run = run_lint,
};
