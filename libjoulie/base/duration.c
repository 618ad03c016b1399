/* SPDX-License-Identifier: Apache-2.0 */

/* Durations: Go's time.ParseDuration and Duration.String, and those of TensorFusion profiles. */

#include <stdbool.h>
#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/text.h"
#include "base/time.h"

__extension__ typedef unsigned __int128 u128;

#define MICRO "\xC2\xB5"    /* U+00B5 micro sign */
#define GREEK_MU "\xCE\xBC" /* U+03BC */
#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_M (60 * NS_PER_S)
#define NS_PER_H (60 * NS_PER_M)
#define NS_PER_D (24 * NS_PER_H)

struct unit {
    const char *word;
    uint64_t ns;
};

struct grammar {
    size_t unit_count; /* of units[] */
    uint64_t per_ns;   /* resolution in which terms are summed */
};

/* Go's units first. */
static const struct unit units[] = {
    { "ns", 1 },
    { "us", NS_PER_US },
    { MICRO "s", NS_PER_US },
    { GREEK_MU "s", NS_PER_US },
    { "ms", NS_PER_MS },
    { "s", NS_PER_S },
    { "m", NS_PER_M },
    { "h", NS_PER_H },
    { "d", NS_PER_D },
    { "w", 7 * NS_PER_D },
    { "y", 365 * NS_PER_D },
};

static const struct grammar go_grammar = { JL_COUNT(units) - 3, 1 };
static const struct grammar profile_grammar = { JL_COUNT(units), UINT64_C(1000000000000000000) };

static size_t count_digits(struct jl_text text)
{
    size_t count = 0;
    while (count < text.len && jl_is_digit(text.ptr[count]))
        count++;
    return count;
}

static struct jl_text take(struct jl_text *text, size_t count)
{
    const struct jl_text taken = { text->ptr, count };
    text->ptr += count;
    text->len -= count;
    return taken;
}

/* The unit is everything up to the next number; 0 when there is none such. */
static uint64_t take_unit(struct jl_text *text, const struct grammar *grammar)
{
    size_t len = 0;
    while (len < text->len && text->ptr[len] != '.' && !jl_is_digit(text->ptr[len]))
        len++;
    const struct jl_text word = take(text, len);
    for (size_t i = 0; i < grammar->unit_count; i++) {
        if (jl_text_is(word, units[i].word))
            return units[i].ns;
    }
    return 0;
}

/* floor(0.digits * unit), exact: from the last digit on, each step floors a tenth of an integer
 * plus the step before. */
static u128 fraction_of(struct jl_text digits, u128 unit)
{
    u128 value = 0;
    for (size_t i = digits.len; i-- > 0;)
        value = ((unsigned)(digits.ptr[i] - '0') * unit + value) / 10;
    return value;
}

/* One number with its unit, in steps of 1/per_ns; below 2^125. */
static int take_term(struct jl_text *text, const struct grammar *grammar, u128 *out)
{
    const struct jl_text whole = take(text, count_digits(*text));
    struct jl_text fraction = { text->ptr, 0 };
    if (text->len > 0 && text->ptr[0] == '.') {
        take(text, 1);
        fraction = take(text, count_digits(*text));
    }
    const uint64_t unit_ns = take_unit(text, grammar);
    if (whole.len + fraction.len == 0 || unit_ns == 0)
        return JOULIE_E_PARSE;
    uint64_t count = 0;
    if (whole.len > 0 && jl_parse_u64(whole.ptr, whole.len, &count) < 0)
        return JOULIE_E_RANGE;
    if (count > INT64_MAX / unit_ns)
        return JOULIE_E_RANGE;
    *out = (u128)(count * unit_ns) * grammar->per_ns +
           fraction_of(fraction, (u128)unit_ns * grammar->per_ns);
    return 0;
}

/* The magnitude, at most INT64_MAX. A text that breaks the grammar is JOULIE_E_PARSE however large
 * it is. */
static int read_terms(struct jl_text left, const struct grammar *grammar, int64_t *out_ns)
{
    const u128 limit = (u128)INT64_MAX * grammar->per_ns + (grammar->per_ns - 1);
    u128 total = 0;
    bool is_over = false;
    if (left.len == 0)
        return JOULIE_E_PARSE;
    while (left.len > 0) {
        u128 term = 0;
        const int rc = take_term(&left, grammar, &term);
        if (rc == JOULIE_E_PARSE)
            return rc;
        total += term;
        is_over = is_over || rc < 0 || total > limit;
        if (is_over)
            total = 0;
    }
    if (is_over)
        return JOULIE_E_RANGE;
    *out_ns = (int64_t)(total / grammar->per_ns);
    return 0;
}

int jl_parse_duration(const char *text, size_t len, int64_t *out_ns)
{
    struct jl_text left = { text, len };
    const bool is_negative = len > 0 && text[0] == '-';
    int64_t ns = 0;
    if (is_negative || (len > 0 && text[0] == '+'))
        take(&left, 1);
    if (!jl_text_is(left, "0")) {
        const int rc = read_terms(left, &go_grammar, &ns);
        if (rc < 0)
            return rc;
    }
    *out_ns = is_negative ? -ns : ns;
    return 0;
}

int jl_parse_profile_duration(const char *text, size_t len, int64_t *out_ns)
{
    struct jl_text left = { text, len };
    if (jl_text_is(left, "0")) {
        *out_ns = 0;
        return 0;
    }
    if (len > 0 && text[0] == '+')
        take(&left, 1);
    return read_terms(left, &profile_grammar, out_ns);
}

/* value / unit as a decimal number without trailing zeros; unit is a power of ten. */
static size_t put_fixed(char *out, uint64_t value, uint64_t unit)
{
    size_t len = jl_format_i64((int64_t)(value / unit), out);
    uint64_t rest = value % unit;
    if (rest == 0)
        return len;
    out[len++] = '.';
    while (rest > 0) {
        unit /= 10;
        out[len++] = (char)('0' + rest / unit);
        rest %= unit;
    }
    return len;
}

static size_t put_word(char *out, const char *word)
{
    const size_t len = strlen(word);
    memcpy(out, word, len + 1);
    return len;
}

static size_t put_below_second(char *out, uint64_t ns)
{
    const uint64_t unit = ns >= NS_PER_MS ? NS_PER_MS : ns >= NS_PER_US ? NS_PER_US : 1;
    const size_t len = put_fixed(out, ns, unit);
    return len + put_word(out + len, unit == NS_PER_MS   ? "ms"
                                     : unit == NS_PER_US ? MICRO "s"
                                                         : "ns");
}

size_t jl_format_duration(int64_t ns, char out[JL_TIME_TEXT])
{
    const uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    size_t len = 0;
    if (ns < 0)
        out[len++] = '-';
    if (magnitude > 0 && magnitude < NS_PER_S)
        return len + put_below_second(out + len, magnitude);
    if (magnitude >= NS_PER_H) {
        len += jl_format_i64((int64_t)(magnitude / NS_PER_H), out + len);
        out[len++] = 'h';
    }
    if (magnitude >= NS_PER_M) {
        len += jl_format_i64((int64_t)(magnitude / NS_PER_M % 60), out + len);
        out[len++] = 'm';
    }
    len += put_fixed(out + len, magnitude % NS_PER_M, NS_PER_S);
    return len + put_word(out + len, "s");
}
