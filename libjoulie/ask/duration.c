/* SPDX-License-Identifier: Apache-2.0 */
/* duration: Go's durations (kubernetes.md §10.3) and those of TensorFusion profiles
 * (tensor-fusion.md §4.1). */
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/time.h"

enum grammar {
    GRAMMAR_UNKNOWN,
    GRAMMAR_GO,
    GRAMMAR_PROFILE,
};

struct duration_input {
    uint64_t has;
    const char *text;
    enum grammar grammar;
};

struct duration_answer {
    uint64_t has;
    int64_t ns;
    const char *text;
};

enum { IN_TEXT, IN_GRAMMAR };

enum { OUT_NS, OUT_TEXT };

static const struct jl_word grammar_words[] = {
    { GRAMMAR_GO, "go" },
    { GRAMMAR_PROFILE, "profile" },
};
static const struct jl_words grammars = JL_WORDS(grammar_words);

static const struct jl_row input_rows[] = {
    [IN_TEXT] =
        JL_STRING(duration_input, text, "text", .flags = JL_REQUIRED, .doc = "Text such as 1m30s."),
    [IN_GRAMMAR] = JL_ENUM(duration_input, grammar, "grammar", &grammars, .flags = JL_REQUIRED,
                           .doc = "Which texts are durations."),
};
static const struct jl_table input_table = JL_TABLE(duration_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_NS] = JL_INTEGER(duration_answer, ns, "ns", .flags = JL_PRINTED_STRING,
                          .doc = "Duration in nanoseconds."),
    [OUT_TEXT] = JL_STRING(duration_answer, text, "text", .doc = "Canonical text; only with go."),
};
static const struct jl_table answer_table = JL_TABLE(duration_answer, answer_rows);

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct duration_input *input = in;
    struct duration_answer *result = out;
    const size_t len = strlen(input->text);
    const bool is_go = input->grammar == GRAMMAR_GO;
    char text[JL_TIME_TEXT];
    int64_t ns = 0;
    const int rc = is_go ? jl_parse_duration(input->text, len, &ns)
                         : jl_parse_profile_duration(input->text, len, &ns);
    if (rc == JOULIE_E_RANGE)
        return jl_ask_fail(ask, rc, "text", "the duration is beyond 2^63-1 ns");
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "not a duration");
    JL_PUT(result, OUT_NS, ns, ns);
    if (!is_go) /* a profile's durations have no canonical text */
        return 0;
    JL_PUT(result, OUT_TEXT, text, jl_arena_copy(ask->arena, text, jl_format_duration(ns, text)));
    return result->text != NULL ? 0 : jl_fail_memory(ask->err);
}

const struct jl_question jl_question_duration = {
    .name = "duration",
    .summary = "Read a duration: nanoseconds and canonical text",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
