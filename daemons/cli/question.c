/* SPDX-License-Identifier: Apache-2.0 */

/* Documents through the library's questions: one answer or one error per document, in order. */

#include <stdio.h>
#include <string.h>

#include "cli.h"

static void warn(void *user, const char *where, const char *message)
{
    (void)user;
    fprintf(stderr, "%s: warning: %s: %s\n", jd_program, where, message);
}

bool jd_ask_options(const struct jd_call *call, struct joulie_ask_options *out)
{
    int64_t range = 0;
    *out = JOULIE_INIT(struct joulie_ask_options);
    out->model = call->value[JD_OPTION_MODEL];
    out->physics = call->value[JD_OPTION_PHYSICS];
    out->is_lenient = jd_given(call, JD_OPTION_LENIENT);
    out->on_warning = warn;
    if (!jd_integer(call, JD_OPTION_SCORE_RANGE, &range))
        return false;
    if (jd_given(call, JD_OPTION_SCORE_RANGE) && (range < 1 || range > INT32_MAX))
        range = -1; /* the library says what a score range may be */
    out->score_range = (int32_t)range;
    return true;
}

/* The library prints every answer itself, and a quote inside a string is escaped, so this text is
 * the member. */
static bool is_stale(const char *answer)
{
    return strstr(answer, "\"basis\":\"stale\"") != NULL;
}

/* A receiver of warnings, and which item of a list they are of. */
struct listener {
    const struct jd_call *call;
    joulie_ask_warning_fn *on_warning;
    void *user;
};

static void pass_on(void *user, const char *where, const char *message)
{
    const struct listener *listener = user;
    char place[JD_PLACE_TEXT];
    jd_place(listener->call, where, place);
    listener->on_warning(listener->user, place, message);
}

int jd_ask(const struct jd_call *call, const char *question, struct jl_text text,
           const struct joulie_ask_options *options, char **answer, struct joulie_error *err)
{
    struct joulie_ask_options reported =
        options ? *options : JOULIE_INIT(struct joulie_ask_options);
    struct listener listener = { call, reported.on_warning, reported.user };
    if (reported.on_warning) {
        reported.on_warning = pass_on;
        reported.user = &listener;
    }
    return joulie_ask(question, text.ptr, text.len, &reported, answer, err);
}

int jd_ask_document(struct jd_call *call, const char *question, const char *text, size_t len,
                    const struct joulie_ask_options *options)
{
    const struct jl_text document = { text, len };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    if (jd_ask(call, question, document, options, &answer, &err) != JOULIE_OK) {
        jd_put_error(call, &err);
        return JD_EXIT_BAD;
    }
    const int status =
        jd_given(call, JD_OPTION_REQUIRE_FRESH) && is_stale(answer) ? JD_EXIT_STALE : JD_EXIT_OK;
    jd_put_answer(call, answer);
    joulie_free(answer);
    return status;
}

struct asked {
    const char *question;
    struct joulie_ask_options options;
};

static int ask_one(struct jd_call *call, const char *text, size_t len, void *user)
{
    const struct asked *asked = user;
    return jd_ask_document(call, asked->question, text, len, &asked->options);
}

/* Whether there are such a question and rule set: reported before anything is read, which may wait.
 */
static bool is_known(struct jd_call *call, const struct asked *asked)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    const int rc = joulie_ask(asked->question, "", 0, &asked->options, &answer, &err);
    joulie_free(answer);
    if (rc != JOULIE_E_UNSUPPORTED)
        return true; /* no document is a mistake of another kind */
    jd_put_error(call, &err);
    return false;
}

int jd_run_question(struct jd_call *call)
{
    const bool is_ask = !call->command->question; /* then the question is the first argument */
    const size_t first = is_ask ? 1 : 0;
    const char *file = call->argument_count > first ? call->arguments[first] : NULL;
    struct asked asked;
    asked.question = is_ask ? call->arguments[0] : call->command->question;
    if (!jd_ask_options(call, &asked.options))
        return JD_EXIT_USAGE;
    if (!is_known(call, &asked))
        return JD_EXIT_BAD;
    return jd_each_document(call, file, ask_one, &asked);
}
