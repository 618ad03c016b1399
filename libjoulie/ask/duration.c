/* SPDX-License-Identifier: Apache-2.0 */

/*
 * duration: Go's durations and those of TensorFusion profiles
 * (docs/rules/kubernetes-values.md#durations).
 */
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

static const struct jl_word grammar_words[] = {
    { GRAMMAR_GO, "go" },
    { GRAMMAR_PROFILE, "profile" },
};
static const struct jl_words grammars = JL_WORDS(grammar_words);

#define RECORD duration_input
#define MEMBERS                                           \
    STRING(text, "text", "Text such as 1m30s.", REQUIRED) \
    ENUM(grammar, "grammar", grammar, grammars, "Which texts are durations.", REQUIRED)
#include "schema/record.h"

#define RECORD duration_answer
#define MEMBERS                                              \
    INTEGER(ns, "ns", "Duration in nanoseconds.", AS_STRING) \
    STRING(text, "text", "Canonical text; only with go.")
#include "schema/record.h"

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
    JL_SET(result, ns, ns);
    if (!is_go) /* a profile's durations have no canonical text */
        return 0;
    JL_SET(result, text, jl_arena_copy(ask->arena, text, jl_format_duration(ns, text)));
    return result->text != NULL ? 0 : jl_fail_memory(ask->err);
}

const struct jl_question jl_question_duration = {
    .name = "duration",
    .summary = "Read a duration: nanoseconds and canonical text",
    .in = &duration_input_table,
    .out = &duration_answer_table,
    .answer = answer,
};
