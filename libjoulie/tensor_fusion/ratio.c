/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Ratios of TensorFusion profiles: 0.2, 20% and 5.0 mean something else in each field. Called by
 * this room, by autoscale/ and by the question `ratio`.
 */

#include "tensor_fusion/ratio.h"

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"

#define PER_CENT 100.0
#define EXTRA_TFLOPS_BUFFER_END 10.0 /* first value that is not valid */
#define IGNORED_DELTA_END 1.0

const struct jl_words jl_ratio_field_words = JL_WORDS({
    { JL_RATIO_EXTRA_TFLOPS_BUFFER, "extraTFlopsBufferRatio" },
    { JL_RATIO_IGNORED_DELTA, "ignoredDeltaRange" },
    { JL_RATIO_PERCENTILE, "percentileForAutoRequests" },
    { JL_RATIO_TARGET_OF_LIMITS, "targetTFlopsOfLimits" },
    { JL_RATIO_MAX_TO_REQUESTS, "maxRatioToRequests" },
    { JL_RATIO_LIMITS_STEP, "limits.scaleUpStep" },
    { JL_RATIO_REPLICAS_STEP_UP, "replicas.scaleUpStep" },
    { JL_RATIO_REPLICAS_STEP_DOWN, "replicas.scaleDownStep" },
    { JL_RATIO_EXTRA_BUFFER, "extraBufferRatio" },
});

const struct jl_words jl_ratio_unit_words = JL_WORDS({
    { JL_RATIO_FRACTION, "fraction" },
    { JL_RATIO_MULTIPLIER, "multiplier" },
    { JL_RATIO_PODS, "pods" },
});

static size_t count_digits(struct jl_text text)
{
    size_t count = 0;
    while (count < text.len && jl_is_digit(text.ptr[count]))
        count++;
    return count;
}

/* "5", "5.", "0.2" and ".5": at least one digit, and nothing else. The number parser wants a digit
 * on both sides of the point and no zeros in front. */
static bool read_number(struct jl_text text, double *out, bool *out_has_point)
{
    char plain[JL_LIMIT_QUANTITY_BYTES + 2];
    size_t len = 0;
    size_t whole = count_digits(text);
    const bool has_point = whole < text.len && text.ptr[whole] == '.';
    const struct jl_text part = { text.ptr + whole + has_point, text.len - whole - has_point };
    if (count_digits(part) != part.len || whole + part.len == 0)
        return false;
    while (whole > 0 && text.ptr[0] == '0') {
        text.ptr++;
        whole--;
    }
    if (whole == 0)
        plain[len++] = '0';
    memcpy(plain + len, text.ptr, whole);
    len += whole;
    if (part.len > 0) {
        plain[len++] = '.';
        memcpy(plain + len, part.ptr, part.len);
        len += part.len;
    }
    *out_has_point = has_point;
    return jl_parse_double(plain, len, out) == 0;
}

int jl_parse_ratio(const char *text, size_t len, struct jl_ratio *out)
{
    struct jl_text left = jl_text_trim((struct jl_text){ text, len });
    struct jl_ratio ratio = { 0 };
    if (left.len == 0 || left.len > JL_LIMIT_QUANTITY_BYTES)
        return JOULIE_E_PARSE;
    if (left.ptr[0] == '+') {
        left.ptr++;
        left.len--;
    }
    ratio.is_percent = left.len > 0 && left.ptr[left.len - 1] == '%';
    left.len -= ratio.is_percent;
    if (!read_number(left, &ratio.value, &ratio.has_point))
        return JOULIE_E_PARSE;
    if (ratio.is_percent)
        ratio.value /= PER_CENT;
    *out = ratio;
    return 0;
}

static int publish(bool is_valid, double effective, enum jl_ratio_unit unit, double *out_effective,
                   enum jl_ratio_unit *out_unit)
{
    if (!is_valid)
        return JOULIE_E_RANGE;
    *out_effective = effective;
    *out_unit = unit;
    return 0;
}

/* A bare number above 1 is a percentage: 90 = 90% = 0.9. */
static double as_share(const struct jl_ratio *ratio)
{
    return !ratio->is_percent && ratio->value > 1 ? ratio->value / PER_CENT : ratio->value;
}

/* 10% adds a tenth; a bare value from 1 on is the factor itself. */
static double as_factor(const struct jl_ratio *ratio)
{
    return ratio->is_percent || ratio->value < 1 ? 1 + ratio->value : ratio->value;
}

/* A step of replicas: a bare integer counts pods. */
static enum jl_ratio_unit step_unit(const struct jl_ratio *ratio)
{
    return ratio->is_percent || ratio->has_point ? JL_RATIO_FRACTION : JL_RATIO_PODS;
}

int jl_ratio_effective(enum jl_ratio_field field, const struct jl_ratio *ratio,
                       double *out_effective, enum jl_ratio_unit *out_unit)
{
    const double value = ratio->value;
    switch (field) {
    case JL_RATIO_EXTRA_TFLOPS_BUFFER:
        return publish(value < EXTRA_TFLOPS_BUFFER_END, value, JL_RATIO_FRACTION, out_effective,
                       out_unit);
    case JL_RATIO_IGNORED_DELTA:
        return publish(value < IGNORED_DELTA_END, value, JL_RATIO_FRACTION, out_effective,
                       out_unit);
    case JL_RATIO_PERCENTILE:
    case JL_RATIO_TARGET_OF_LIMITS:
        return publish(value > 0 && as_share(ratio) <= 1, as_share(ratio), JL_RATIO_FRACTION,
                       out_effective, out_unit);
    case JL_RATIO_MAX_TO_REQUESTS:
        return publish(value >= 1, value, JL_RATIO_MULTIPLIER, out_effective, out_unit);
    case JL_RATIO_LIMITS_STEP:
        return publish(value > 0, value >= 1 ? value : 1 + value, JL_RATIO_MULTIPLIER,
                       out_effective, out_unit);
    case JL_RATIO_REPLICAS_STEP_UP:
    case JL_RATIO_REPLICAS_STEP_DOWN:
        return publish(value > 0, value, step_unit(ratio), out_effective, out_unit);
    case JL_RATIO_EXTRA_BUFFER:
        return publish(true, as_factor(ratio), JL_RATIO_MULTIPLIER, out_effective, out_unit);
    case JL_RATIO_UNKNOWN:
        break;
    }
    return JOULIE_E_RANGE;
}
