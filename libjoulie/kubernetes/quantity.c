/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Quantities, exact to 10^-9 in 128 bits: parsed, printed, summed, and made of computed amounts.
 * Called wherever a Pod, a Node or a profile has an amount. Implements
 * docs/rules/kubernetes-values.md#quantities.
 */

#include "kubernetes/quantity.h"

#include <math.h>
#include <stdbool.h>

#include <joulie/error.h>

#include "base/limits.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"

#define NANO_DIGITS 9
#define NANO INT64_C(1000000000)
#define LIMIT_NANO ((jl_i128)INT64_MAX * NANO)
#define EXPONENT_SATURATION 1000000
#define BINARY_STEPS 6       /* Ki to Ei */
#define SMALLEST_LETTER (-3) /* nano */

/* Computed amounts (docs/rules/kubernetes-values.md#computed-amounts). */
#define TFLOPS_STEP 0.001   /* TFLOPS */
#define VRAM_STEP 1048576.0 /* bytes: 1 MiB */
#define STEP_DUST 1e-9      /* of a step, or of the value in steps, that is rounding error */
#define STEPS_LIMIT 0x1p73  /* above every step count in range: 2^63 / TFLOPS_STEP */

static const struct jl_text binary_letters = { "KMGTPE", BINARY_STEPS };
static const struct jl_text decimal_letters = { "num\0kMGTPE", 10 }; /* 10^-9 to 10^18 by 3 */

/* A text taken apart: digits * 1024^binary_power * 10^exponent, the point standing after the first
 * whole digits. */
struct parts {
    char digits[JL_LIMIT_QUANTITY_BYTES];
    int count;
    int whole;
    int exponent;
    int binary_power;
    bool is_negative;
    enum jl_quantity_format format;
};

static void read_number(struct jl_text *left, struct parts *out)
{
    bool is_fraction = false;
    while (left->len > 0) {
        const char c = left->ptr[0];
        if (jl_is_digit(c)) {
            out->digits[out->count++] = c;
            out->whole += !is_fraction;
        } else if (c == '.' && !is_fraction) {
            is_fraction = true;
        } else {
            return;
        }
        left->ptr++;
        left->len--;
    }
}

/* "e3", "E-12": the text after the letter. */
static bool read_exponent(struct jl_text text, int *out)
{
    const bool has_sign = text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-');
    int value = 0;
    if (text.len == has_sign)
        return false;
    for (size_t i = has_sign; i < text.len; i++) {
        if (!jl_is_digit(text.ptr[i]))
            return false;
        value = value * 10 + (text.ptr[i] - '0');
        if (value > EXPONENT_SATURATION)
            value = EXPONENT_SATURATION;
    }
    *out = has_sign && text.ptr[0] == '-' ? -value : value;
    return true;
}

static bool read_suffix(struct jl_text text, struct parts *out)
{
    if (text.len == 0)
        return true;
    const char letter = text.ptr[0];
    if (text.len == 2 && text.ptr[1] == 'i') {
        const size_t found = jl_text_find(binary_letters, letter);
        out->format = JL_QUANTITY_BINARY_SI;
        out->binary_power = (int)found + 1;
        return found < binary_letters.len;
    }
    if (text.len == 1) {
        const size_t found = jl_text_find(decimal_letters, letter);
        out->exponent = 3 * ((int)found + SMALLEST_LETTER);
        return found < decimal_letters.len && letter != '\0';
    }
    if (letter != 'e' && letter != 'E')
        return false;
    out->format = JL_QUANTITY_DECIMAL_EXPONENT;
    return read_exponent((struct jl_text){ text.ptr + 1, text.len - 1 }, &out->exponent);
}

static int digit_at(const struct parts *parts, int i)
{
    return i < parts->count ? parts->digits[i] - '0' : 0;
}

static jl_i128 tenth_up(jl_i128 value)
{
    return (value + 9) / 10;
}

/*
 * The magnitude in 10^-9 steps, rounded up. With the point shifted by the exponent, the digits
 * before it are an integer; those behind it are folded from the last one on, where rounding up at
 * each step equals rounding up once.
 */
static int to_nano(const struct parts *parts, jl_i128 *out)
{
    const jl_i128 unit = (jl_i128)NANO << (10 * parts->binary_power);
    const int point = parts->whole + parts->exponent;
    jl_i128 whole = 0;
    jl_i128 part = 0;
    int first = 0;
    while (first < parts->count && parts->digits[first] == '0')
        first++;
    if (first == parts->count) {
        *out = 0;
        return 0;
    }
    for (int i = first; i < point; i++) {
        whole = whole * 10 + digit_at(parts, i);
        if (whole > INT64_MAX)
            return JOULIE_E_RANGE;
    }
    for (int i = parts->count; i-- > 0 && i >= point;)
        part = tenth_up(digit_at(parts, i) * unit + part);
    for (int i = point; i < 0 && part > 1; i++)
        part = tenth_up(part);
    if (whole > LIMIT_NANO / unit || whole * unit + part > LIMIT_NANO)
        return JOULIE_E_RANGE;
    *out = whole * unit + part;
    return 0;
}

int jl_parse_quantity(const char *text, size_t len, struct jl_quantity *out)
{
    struct jl_text left = { text, len };
    struct parts parts = { .format = JL_QUANTITY_DECIMAL_SI };
    if (len == 0 || len > JL_LIMIT_QUANTITY_BYTES)
        return JOULIE_E_PARSE;
    parts.is_negative = text[0] == '-';
    if (parts.is_negative || text[0] == '+') {
        left.ptr++;
        left.len--;
    }
    read_number(&left, &parts);
    if (parts.count == 0 || !read_suffix(left, &parts))
        return JOULIE_E_PARSE;
    jl_i128 nano = 0;
    const int rc = to_nano(&parts, &nano);
    if (rc < 0)
        return rc;
    if (parts.format == JL_QUANTITY_BINARY_SI && nano > 0 && nano < NANO)
        parts.format = JL_QUANTITY_DECIMAL_SI;
    *out = (struct jl_quantity){ parts.is_negative ? -nano : nano, parts.format };
    return 0;
}

static jl_i128 magnitude_of(const struct jl_quantity *quantity)
{
    return quantity->nano < 0 ? -quantity->nano : quantity->nano;
}

static size_t put_integer(char *out, jl_i128 magnitude, bool is_negative)
{
    char reversed[JL_QUANTITY_TEXT];
    size_t count = 0;
    size_t len = 0;
    do {
        reversed[count++] = (char)('0' + (int)(magnitude % 10));
        magnitude /= 10;
    } while (magnitude > 0);
    if (is_negative)
        out[len++] = '-';
    while (count > 0)
        out[len++] = reversed[--count];
    out[len] = '\0';
    return len;
}

static size_t format_binary(const struct jl_quantity *quantity, char *out)
{
    jl_i128 value = magnitude_of(quantity) / NANO;
    int steps = 0;
    while (steps < BINARY_STEPS && value % 1024 == 0) {
        value /= 1024;
        steps++;
    }
    size_t len = put_integer(out, value, quantity->nano < 0);
    if (steps > 0) {
        out[len++] = binary_letters.ptr[steps - 1];
        out[len++] = 'i';
    }
    out[len] = '\0';
    return len;
}

/* The largest multiple of three as exponent that leaves an integer. */
static size_t format_decimal(const struct jl_quantity *quantity, char *out)
{
    jl_i128 value = magnitude_of(quantity);
    int exponent = -NANO_DIGITS;
    while (value % 1000 == 0 && exponent < 18) {
        value /= 1000;
        exponent += 3;
    }
    size_t len = put_integer(out, value, quantity->nano < 0);
    if (exponent == 0)
        return len;
    if (quantity->format == JL_QUANTITY_DECIMAL_EXPONENT) {
        out[len++] = 'e';
        return len + jl_format_i64(exponent, out + len);
    }
    out[len++] = decimal_letters.ptr[exponent / 3 - SMALLEST_LETTER];
    out[len] = '\0';
    return len;
}

size_t jl_format_quantity(const struct jl_quantity *quantity, char out[JL_QUANTITY_TEXT])
{
    const jl_i128 magnitude = magnitude_of(quantity);
    if (magnitude == 0)
        return put_integer(out, 0, false);
    if (quantity->format == JL_QUANTITY_BINARY_SI && magnitude % NANO == 0 &&
        magnitude >= 1024 * (jl_i128)NANO)
        return format_binary(quantity, out);
    return format_decimal(quantity, out);
}

size_t jl_quantity_decimal(const struct jl_quantity *quantity, char out[JL_QUANTITY_TEXT])
{
    const jl_i128 magnitude = magnitude_of(quantity);
    int64_t rest = (int64_t)(magnitude % NANO);
    size_t len = put_integer(out, magnitude / NANO, quantity->nano < 0);
    if (rest > 0)
        out[len++] = '.';
    for (int64_t unit = NANO / 10; rest > 0; unit /= 10) {
        out[len++] = (char)('0' + rest / unit);
        rest %= unit;
    }
    out[len] = '\0';
    return len;
}

static jl_i128 divide_up(jl_i128 value, jl_i128 by)
{
    return value / by + (value % by != 0);
}

size_t jl_quantity_milli(const struct jl_quantity *quantity, char out[JL_QUANTITY_TEXT])
{
    return put_integer(out, divide_up(magnitude_of(quantity), NANO / 1000), quantity->nano < 0);
}

double jl_quantity_to_double(const struct jl_quantity *quantity)
{
    char text[JL_QUANTITY_TEXT];
    double value = 0;
    (void)jl_parse_double(text, jl_quantity_decimal(quantity, text), &value); /* never too large */
    return value;
}

int jl_quantity_to_i64(const struct jl_quantity *quantity, int64_t *out)
{
    const jl_i128 magnitude = divide_up(magnitude_of(quantity), NANO);
    if (magnitude > INT64_MAX)
        return JOULIE_E_RANGE;
    *out = quantity->nano < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
    return 0;
}

int jl_quantity_compare(const struct jl_quantity *a, const struct jl_quantity *b)
{
    return JL_ORDER(a->nano, b->nano);
}

/* How many steps x is, rounded up. */
static double steps_up(double x, double step)
{
    const double steps = x / step;
    return ceil(steps - STEP_DUST * (steps > 1 ? steps : 1));
}

double jl_round_up_to(double x, double step)
{
    return steps_up(x, step) * step;
}

static int of_steps(double x, double step, int64_t step_nano, enum jl_quantity_format format,
                    struct jl_quantity *out)
{
    const double steps = steps_up(x, step);
    if (!(steps < STEPS_LIMIT && steps > -STEPS_LIMIT))
        return JOULIE_E_RANGE;
    const jl_i128 nano = (jl_i128)steps * step_nano;
    if (nano > LIMIT_NANO || nano < -LIMIT_NANO)
        return JOULIE_E_RANGE;
    *out = (struct jl_quantity){ nano, format };
    return 0;
}

int jl_quantity_of_tflops(double tflops, struct jl_quantity *out)
{
    return of_steps(tflops, TFLOPS_STEP, NANO / 1000, JL_QUANTITY_DECIMAL_SI, out);
}

int jl_quantity_of_vram(double bytes, struct jl_quantity *out)
{
    return of_steps(bytes, VRAM_STEP, (int64_t)VRAM_STEP * NANO, JL_QUANTITY_BINARY_SI, out);
}
