/* SPDX-License-Identifier: Apache-2.0 */

/* Documents through the library's questions: one answer or one error per document, in order. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <joulie/object.h>

#include "base/error.h"
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

int jd_ask_document(struct jd_call *call, const char *question, const char *text, size_t len,
                    const struct joulie_ask_options *options)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    if (joulie_ask(question, text, len, options, &answer, &err) != JOULIE_OK) {
        jd_put_error(call, &err);
        return JD_EXIT_BAD;
    }
    const int status =
        jd_given(call, JD_OPTION_REQUIRE_FRESH) && is_stale(answer) ? JD_EXIT_STALE : JD_EXIT_OK;
    jd_put_answer(call, answer);
    joulie_free(answer);
    return status;
}

static int take_documents(struct jd_call *call, const struct jl_buffer *input, jd_document_fn *take,
                          void *user)
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
        if (rc < 0)
            jd_put_error(call, &err);
        status = jd_worse(status, rc < 0 ? JD_EXIT_BAD : take(call, text, len, user));
    }
    if (count == 0) {
        jl_fail(&err, JOULIE_E_PARSE, "", "there is no document in the input");
        jd_put_error(call, &err);
        return JD_EXIT_BAD;
    }
    return status;
}

static void say_what_is_read(const char *file)
{
    if ((!file || jl_same(file, "-")) && isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
        fprintf(stderr, "%s: reading JSON or YAML from the terminal; Ctrl-D ends it\n", jd_program);
}

int jd_each_document(struct jd_call *call, const char *file, jd_document_fn *take, void *user)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer input = { 0 };
    int status = JD_EXIT_BAD;
    say_what_is_read(file);
    if (jd_read(file, &input, &err) < 0)
        jd_put_error(call, &err);
    else
        status = take_documents(call, &input, take, user);
    jl_buffer_clear(&input);
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

int jd_run_question(struct jd_call *call)
{
    const bool is_ask = !call->command->question; /* then the question is the first argument */
    const size_t first = is_ask ? 1 : 0;
    const char *file = call->argument_count > first ? call->arguments[first] : NULL;
    struct asked asked;
    asked.question = is_ask ? call->arguments[0] : call->command->question;
    if (!jd_ask_options(call, &asked.options))
        return JD_EXIT_USAGE;
    return jd_each_document(call, file, ask_one, &asked);
}

int jd_read_one(const char *file, size_t number, struct jl_buffer *out, struct joulie_error *err)
{
    struct jl_buffer input = { 0 };
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    const char *text = NULL;
    const char *next;
    size_t len = 0;
    size_t next_len;
    uint32_t line;
    char *json = NULL;
    char where[32];
    snprintf(where, sizeof where, "argument %zu", number);

    int rc = jd_read(file, &input, err);
    splitter.text = input.data ? input.data : "";
    splitter.len = input.len;
    if (rc == 0)
        rc = joulie_split(&splitter, &text, &len, &line, err);
    if (rc == 0 && !text)
        rc = jl_fail(err, JOULIE_E_PARSE, where, "%s: there is no document in it", file);
    if (rc > 0 && joulie_split(&splitter, &next, &next_len, &line, NULL) != 0)
        rc = jl_fail(err, JOULIE_E_PARSE, where, "%s: more than one document", file);
    if (rc > 0)
        rc = joulie_format(text, len, JOULIE_FORM_LINE, &json, err);
    if (rc == 0)
        jl_put_string(out, json);
    else
        jl_fail(err, rc, where, "%s", err->message);
    joulie_free(json);
    jl_buffer_clear(&input);
    return out->is_failed ? jl_fail_memory(err) : rc;
}
