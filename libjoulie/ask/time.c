/* SPDX-License-Identifier: Apache-2.0 */

/* time: Kubernetes' Time and MicroTime (docs/rules/kubernetes-values.md#times). */
#include "base/time.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

enum format {
    FORMAT_UNKNOWN,
    FORMAT_TIME,
    FORMAT_MICRO_TIME,
};

static const struct jl_word format_words[] = {
    { FORMAT_TIME, "time" },
    { FORMAT_MICRO_TIME, "microtime" },
};
static const struct jl_words formats = JL_WORDS(format_words);

#define RECORD time_input
#define MEMBERS                                      \
    STRING(text, "text", "RFC 3339 text.", REQUIRED) \
    ENUM(format, "format", format, formats,          \
         "time drops the fraction; microtime has exactly six fraction digits.", REQUIRED)
#include "schema/record.h"

#define RECORD time_answer
#define MEMBERS STRING(text, "text", "Canonical text, in UTC.")
#include "schema/record.h"

/* Length of the canonical text, or a negative code. */
static int canonical(const struct time_input *input, char out[JL_TIME_TEXT])
{
    const size_t len = strlen(input->text);
    int64_t when = 0;
    int rc = 0;
    if (input->format == FORMAT_MICRO_TIME) {
        rc = jl_parse_micro_time(input->text, len, &when);
        return rc < 0 ? rc : (int)jl_format_time_us(when, out);
    }
    rc = jl_parse_time(input->text, len, &when);
    return rc < 0 ? rc : (int)jl_format_time(when, out);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    struct time_answer *result = out;
    char text[JL_TIME_TEXT];
    const int len = canonical(in, text);
    if (len < 0)
        return jl_ask_fail(ask, len, "text", "not a time of this format");
    JL_SET(result, text, jl_arena_copy(ask->arena, text, (size_t)len));
    return result->text != NULL ? 0 : jl_fail_memory(ask->err);
}

const struct jl_question jl_question_time = {
    .name = "time",
    .summary = "Read a time of a Kubernetes object: canonical text in UTC",
    .in = &time_input_table,
    .out = &time_answer_table,
    .answer = answer,
};
