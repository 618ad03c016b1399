/* SPDX-License-Identifier: Apache-2.0 */

/*
 * joulie_ask(): finds the question, reads the document by its table, lets the subject answer and
 * prints the answer (docs/rules/questions.md).
 */

#define JL_ASK_TABLES
#include "ask/ask.h"

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hint.h"
#include "base/limits.h"
#include "base/sized.h"
#include "schema/document.h"
#include "schema/encode.h"

#define DEFAULT_SCORE_RANGE 10

/* Everything one call holds, so that one function releases it. */
struct call {
    const struct jl_question *question;
    struct joulie_ask_options user; /* as this release has them */
    struct jl_arena arena;
    struct jl_document document;
    struct jl_decode decode;
    struct joulie_error err;
    struct jl_ask ask;
};

/* The question that was meant, perhaps; NULL = none is near. */
static const char *nearest(const char *question)
{
    for (size_t i = 0; jl_questions[i]; i++) {
        if (jl_is_slip(question, jl_questions[i]->name))
            return jl_questions[i]->name;
    }
    return NULL;
}

int jl_ask_unknown(const char *question, struct joulie_error *err)
{
    const char *word = question ? question : "";
    const char *meant = nearest(word);
    if (meant)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "question",
                       "this build has no question \"%.64s\"; did you mean \"%s\"?", word, meant);
    return jl_fail(err, JOULIE_E_UNSUPPORTED, "question", "this build has no question \"%.64s\"",
                   word);
}

const struct jl_question *jl_question_find(const char *name)
{
    for (size_t i = 0; name && jl_questions[i]; i++) {
        if (jl_same(jl_questions[i]->name, name))
            return jl_questions[i];
    }
    return NULL;
}

static bool is_in(const char *const *list, const char *word)
{
    for (size_t i = 0; list[i]; i++) {
        if (jl_same(list[i], word))
            return true;
    }
    return false;
}

static int fail_model(struct call *call, const char *const *models)
{
    char list[128];
    size_t len = 0;
    for (size_t i = 0; models[i] && len < sizeof list; i++)
        len +=
            (size_t)snprintf(list + len, sizeof list - len, "%s%s", i > 0 ? ", " : "", models[i]);
    return jl_fail(&call->err, JOULIE_E_UNSUPPORTED, "options.model",
                   "%s has no rule set \"%.64s\", it has %s", call->question->name,
                   call->ask.options.model, list);
}

static int check_options(struct call *call)
{
    static const char *const only_current[] = { "current", NULL };
    static const char *const physics_sets[] = { "current", "v0.1.1", NULL };
    const struct jl_options *options = &call->ask.options;
    const char *const *models = call->question->models ? call->question->models : only_current;

    if (options->model && !is_in(models, options->model))
        return fail_model(call, models);
    if (options->physics && !is_in(physics_sets, options->physics))
        return jl_fail(&call->err, JOULIE_E_UNSUPPORTED, "options.physics",
                       "there is no physics set \"%.64s\"", options->physics);
    if (options->score_range != 10 && options->score_range != 100)
        return jl_fail(&call->err, JOULIE_E_RANGE, "options.scoreRange",
                       "the score range is 10 or 100");
    return 0;
}

static void warn_unknown(void *user, const char *where)
{
    const struct call *call = user;
    call->user.on_warning(call->user.user, where, "there is no such member; it is skipped");
}

static void take_user_options(struct call *call)
{
    struct jl_options *options = &call->ask.options;
    options->model = call->user.model;
    options->physics = call->user.physics;
    options->lenient = call->user.is_lenient != 0;
    options->score_range =
        call->user.score_range != 0 ? call->user.score_range : DEFAULT_SCORE_RANGE;
}

/* The document's own options, on top of the caller's. */
static int read_own_options(struct call *call)
{
    struct jl_options *options = &call->ask.options;
    const struct jl_path at = { .key = jl_text("options") };
    struct jl_options own;
    struct jl_raw raw;
    if (call->question->flags & JL_TAKES_TEXT)
        return 0;
    int rc = jl_decode_member(&call->decode, "options", &raw);
    if (rc < 0 || !raw.text)
        return rc;
    rc = jl_decode_raw(&call->decode, &raw, &at, &jl_options_table, &own);
    if (rc == JOULIE_E_UNKNOWN_MEMBER)
        rc = call->err.code = JOULIE_E_UNSUPPORTED;
    if (rc < 0)
        return rc;
    if (own.given.model)
        options->model = own.model;
    if (own.given.physics)
        options->physics = own.physics;
    if (own.given.score_range)
        options->score_range = own.score_range;
    if (own.given.lenient)
        options->lenient = own.lenient;
    options->gpu_tflops = own.gpu_tflops;
    options->to = own.to;
    options->detect = own.detect;
    options->gpu_model = own.gpu_model;
    options->output = own.output;
    options->scx = own.scx;
    options->any_shape = own.any_shape;
    return check_options(call);
}

static int read_document(struct call *call, const char *text, size_t len)
{
    const int rc = jl_document_read(&call->document, text, len, &call->err);
    if (rc < 0)
        return rc;
    call->decode.text = call->document.text;
    call->decode.len = call->document.len;
    call->decode.lines = call->document.lines;
    call->arena.limit = call->document.len * JL_LIMIT_DECODED_FACTOR + JL_LIMIT_DECODED_EXTRA;
    return 0;
}

static int read_input(struct call *call, void **out_input)
{
    const struct jl_table *table = call->question->in;
    if (call->ask.options.lenient)
        call->decode.flags |= JL_LENIENT;
    if ((call->question->flags & JL_SOURCE_UNCHECKED) && !jl_is_current(&call->ask))
        call->decode.flags |= JL_UNCHECKED;
    if (call->user.on_warning)
        call->decode.on_unknown = warn_unknown;
    call->ask.on_warning = call->user.on_warning;
    call->ask.find_zone = call->user.find_zone;
    call->ask.user = call->user.user;
    call->decode.user = call;
    *out_input = NULL;
    if (!table)
        return 0;

    const size_t limit = call->arena.limit;
    call->arena.limit = 0;
    *out_input = jl_arena_alloc(&call->arena, table->size);
    call->arena.limit = limit + call->arena.used;
    if (!*out_input)
        return jl_fail_memory(&call->err);
    call->decode.ignored_member = "options";
    const int rc = jl_decode_into(&call->decode, table, *out_input);
    call->decode.ignored_member = NULL;
    return rc;
}

static int run(struct call *call, const char *text, size_t len, struct jl_buffer *answer)
{
    void *input = NULL;
    take_user_options(call);
    int rc = check_options(
        call); /* a mistake of the caller's is reported before any of the document's */
    if (rc == 0)
        rc = read_document(call, text, len);
    if (rc == 0)
        rc = read_own_options(call);
    if (rc == 0)
        rc = read_input(call, &input);
    if (rc < 0)
        return rc;

    call->arena.limit = 0; /* the limit is about documents, not about answers */
    void *output = jl_arena_alloc(&call->arena, call->question->out->size);
    if (!output)
        return jl_fail_memory(&call->err);
    rc = call->question->answer(&call->ask, input, output);
    if (rc < 0)
        return rc;
    if (call->ask.whole.text)
        jl_put(answer, call->ask.whole.text, call->ask.whole.len);
    else
        jl_encode(answer, call->question->out, output);
    return answer->is_failed ? jl_fail_memory(&call->err) : 0;
}

static int read_user_options(struct call *call, const struct joulie_ask_options *options)
{
    if (options && JL_SIZED_READ(&call->user, options) < 0)
        return jl_fail(&call->err, JOULIE_E_ABI, "options",
                       "struct_size or a newer member is impossible");
    return 0;
}

/* An error without a line gets that of its path, if the document has it. */
static void fail_call(struct call *call, struct joulie_error *err)
{
    size_t offset = 0;
    if (call->err.line == 0 && call->decode.text &&
        jl_locate(call->decode.text, call->decode.len, call->err.where, &offset))
        jl_line_of(call->decode.text, call->decode.len, call->decode.lines, offset, &call->err.line,
                   &call->err.column);
    jl_error_export(&call->err, err);
}

int joulie_ask(const char *question, const char *text, size_t len,
               const struct joulie_ask_options *options, char **answer, struct joulie_error *err)
{
    struct call call = { .question = jl_question_find(question) };
    struct jl_buffer buffer = { 0 };
    call.err.struct_size = sizeof call.err;
    call.decode.arena = &call.arena;
    call.decode.err = &call.err;
    call.ask = (struct jl_ask){ .arena = &call.arena, .err = &call.err, .decode = &call.decode };

    int rc = read_user_options(&call, options);
    if (rc == 0 && !call.question)
        rc = jl_ask_unknown(question, &call.err);
    if (rc == 0)
        rc = run(&call, text, len, &buffer);
    if (rc < 0 && rc != call.err.code)
        rc = jl_fail(&call.err, JOULIE_E_INTERNAL, "", "the answer failed and does not say why");
    if (rc == 0)
        *answer = jl_buffer_take(&buffer);
    else
        fail_call(&call, err);

    jl_buffer_clear(&buffer);
    jl_document_clear(&call.document);
    jl_arena_clear(&call.arena);
    return rc;
}
