/* SPDX-License-Identifier: Apache-2.0 */

/* Decimal text to the nearest double, ties to even. */

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "base/bigint.h"
#include "base/number.h"
#include "base/number_scan.h"
#include "base/number_shortest.h"
#include "base/text.h"

__extension__ typedef unsigned __int128 u128;

#define EXACT_MANTISSA (UINT64_C(1) << 53) /* every integer below is a double */
#define EXACT_POWER 22                     /* 10^22 is the largest power of ten that is a double */
#define WIDE_POWER 27                      /* 5^27 is the largest power of five in 64 bits */
#define LARGEST_EXPONENT 310               /* a value of 10^309 and more is infinite */
#define SMALLEST_EXPONENT (-324)           /* a value below 10^-324 rounds to 0 */
#define INFINITE_BITS (UINT64_C(0x7FF) << 52)
#define EXPONENT_SATURATION INT64_C(100000000000)

_Static_assert(JL_SMALLEST_POWER <= SMALLEST_EXPONENT + 1 - JL_EXACT_DIGITS &&
                   JL_LARGEST_POWER >= LARGEST_EXPONENT - 1,
               "every power that up to JL_EXACT_DIGITS digits need");

struct decimal {
    const char *text; /* of the mantissa */
    size_t len;
    uint64_t mantissa; /* the first JL_EXACT_DIGITS significant digits */
    int64_t digits;    /* significant digits, counted from the first that is not 0 */
    int64_t exponent;  /* of ten, of the last digit of the text */
};

static const double exact_powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static int64_t read_exponent(const char *text, size_t len)
{
    const bool has_sign = len > 0 && (text[0] == '+' || text[0] == '-');
    int64_t value = 0;
    for (size_t i = has_sign; i < len; i++) {
        value = value * 10 + (text[i] - '0');
        if (value > EXPONENT_SATURATION)
            value = EXPONENT_SATURATION;
    }
    return has_sign && text[0] == '-' ? -value : value;
}

/* The first JL_EXACT_DIGITS digits from the text on. */
static uint64_t read_leading(const char *text)
{
    uint64_t mantissa = 0;
    for (int taken = 0; taken < JL_EXACT_DIGITS; text++) {
        if (*text == '.')
            continue;
        mantissa = mantissa * 10 + (uint64_t)(*text - '0');
        taken++;
    }
    return mantissa;
}

/* The numbers in a text that follows the grammar. */
static struct decimal read_parts(const char *text, const struct jl_number_parts *parts)
{
    struct decimal decimal = { .text = text, .len = parts->stop, .mantissa = parts->mantissa };
    size_t first = parts->start;
    while (first < parts->stop && (text[first] == '0' || text[first] == '.'))
        first++;
    const bool has_point = first <= parts->point && parts->point < parts->stop;
    decimal.digits = (int64_t)(parts->stop - first) - has_point;
    if (parts->stop > parts->point)
        decimal.exponent = (int64_t)parts->point + 1 - (int64_t)parts->stop;
    if (parts->end > parts->stop)
        decimal.exponent += read_exponent(text + parts->stop + 1, parts->end - parts->stop - 1);
    if (decimal.digits > JL_EXACT_DIGITS)
        decimal.mantissa = read_leading(text + first);
    return decimal;
}

/*
 * Rounds mantissa * 2^exponent to a double or to infinity; the highest bit of mantissa is set, and
 * is_inexact tells that the true value is a little larger.
 */
static double round_to_double(uint64_t mantissa, int64_t exponent, bool is_inexact)
{
    const int64_t top = exponent + 63;
    const int64_t below = top < -1022 ? -1022 - top : 0; /* bits that a subnormal loses */
    const int64_t drop = 11 + below;
    uint64_t bits = 0;
    double value;
    if (drop <= 64) {
        const uint64_t half = UINT64_C(1) << (drop - 1);
        const uint64_t rest = drop < 64 ? mantissa & ((half << 1) - 1) : mantissa;
        bits = drop < 64 ? mantissa >> drop : 0;
        if (rest > half || (rest == half && (is_inexact || (bits & 1) != 0)))
            bits++;
    }
    if (below == 0) /* the mantissa's own highest bit adds the missing one */
        bits += (uint64_t)(top + 1022) << 52;
    if (top > 1023)
        bits = INFINITE_BITS;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * D. Lemire, "Number parsing at a gigabyte per second" (2021): 64 bits of digits times 128 bits of
 * the power of ten. The power is less than 1 too large, so that the true product lies less than 1
 * from `wide`, to either side. False = its first 64 bits are not certain.
 */
static bool multiply(uint64_t mantissa, int64_t exponent, double *out)
{
    const struct jl_power power = jl_powers[exponent - JL_SMALLEST_POWER];
    const int shift = __builtin_clzll(mantissa);
    const uint64_t digits = mantissa << shift;
    u128 wide = (u128)digits * power.high + (uint64_t)((u128)digits * power.low >> 64);
    int64_t binary = jl_floor_log2_pow10((int)exponent) + 1 - shift;
    if (wide >> 127 == 0) { /* then it lies less than 2 from it */
        wide <<= 1;
        binary--;
    }
    const uint64_t low = (uint64_t)wide;
    *out = round_to_double((uint64_t)(wide >> 64), binary, true);
    return low > 1 && low < UINT64_MAX;
}

/* At most 19 digits and |exponent| <= 27: 128 bits hold the product, or the quotient with its
 * remainder. */
static double convert_wide(uint64_t mantissa, int64_t exponent)
{
    const int64_t steps = exponent < 0 ? -exponent : exponent;
    const int shift = __builtin_clzll(mantissa);
    int64_t binary = exponent - shift;
    bool is_inexact = false;
    uint64_t power = 1;
    for (int64_t i = 0; i < steps; i++)
        power *= 5;
    u128 wide = (u128)(mantissa << shift);
    if (exponent < 0) {
        wide <<= 63;
        binary -= 63;
        is_inexact = wide % power != 0;
        wide /= power;
    } else {
        wide *= power;
    }
    const uint64_t high = (uint64_t)(wide >> 64);
    if (high != 0) {
        const int excess = 64 - __builtin_clzll(high);
        is_inexact = is_inexact || (wide & (((u128)1 << excess) - 1)) != 0;
        wide >>= excess;
        binary += excess;
    }
    return round_to_double((uint64_t)wide, binary, is_inexact);
}

/* The significant digits as one integer; past JL_DECIMAL_DIGITS only "more than 0" counts. */
static int64_t read_digits(const struct decimal *decimal, struct jl_bigint *out)
{
    int64_t taken = 0;
    bool has_more = false;
    jl_bigint_set(out, 0);
    for (size_t i = 0; i < decimal->len; i++) {
        const char c = decimal->text[i];
        if (!jl_is_digit(c) || (taken == 0 && c == '0'))
            continue;
        if (taken < JL_DECIMAL_DIGITS)
            jl_bigint_scale(out, 10, (uint32_t)(c - '0'));
        else
            has_more = has_more || c != '0';
        taken++;
    }
    if (taken <= JL_DECIMAL_DIGITS)
        return decimal->exponent;
    jl_bigint_scale(out, 10, has_more);
    return decimal->exponent + (taken - JL_DECIMAL_DIGITS - 1);
}

/* Any number of digits: the quotient of two integers, bit by bit. */
static double convert_exactly(const struct decimal *decimal)
{
    struct jl_bigint above;
    struct jl_bigint below;
    const int64_t exponent = read_digits(decimal, &above);
    jl_bigint_set(&below, 1);
    if (exponent >= 0)
        jl_bigint_scale_pow10(&above, (uint32_t)exponent);
    else
        jl_bigint_scale_pow10(&below, (uint32_t)-exponent);

    /* Align so that 1/2 <= above / below < 2; the first loop round that yields a one starts the
     * mantissa. */
    const int64_t binary = (int64_t)jl_bigint_bits(&above) - (int64_t)jl_bigint_bits(&below);
    if (binary > 0)
        jl_bigint_shift(&below, (uint32_t)binary);
    else
        jl_bigint_shift(&above, (uint32_t)-binary);
    uint64_t mantissa = 0;
    int64_t rounds = 0;
    while (mantissa >> 63 == 0) {
        mantissa <<= 1;
        if (jl_bigint_compare(&above, &below) >= 0) {
            jl_bigint_subtract(&above, &below);
            mantissa |= 1;
        }
        jl_bigint_shift(&above, 1);
        rounds++;
    }
    return round_to_double(mantissa, binary - (rounds - 1), above.count > 0);
}

/* mantissa > 0; false = not certain */
static bool convert_word(uint64_t mantissa, int64_t exponent, double *out)
{
    if (mantissa >= EXACT_MANTISSA || exponent < -EXACT_POWER || exponent > EXACT_POWER)
        return multiply(mantissa, exponent, out);
    const double whole = (double)(int64_t)mantissa;
    *out = exponent < 0 ? whole / exact_powers[-exponent] : whole * exact_powers[exponent];
    return true;
}

/* More digits than a word: the value lies between its first ones and the next larger ones. */
static bool convert_between(const struct decimal *decimal, double *out)
{
    const int64_t exponent = decimal->exponent + decimal->digits - JL_EXACT_DIGITS;
    double above;
    return multiply(decimal->mantissa, exponent, out) &&
           multiply(decimal->mantissa + 1, exponent, &above) && *out == above;
}

static double convert(const struct decimal *decimal)
{
    const int64_t exponent = decimal->exponent;
    double value;
    if (decimal->digits == 0 || decimal->digits + exponent <= SMALLEST_EXPONENT)
        return 0;
    if (decimal->digits + exponent > LARGEST_EXPONENT)
        return (double)INFINITY;
    if (decimal->digits > JL_EXACT_DIGITS)
        return convert_between(decimal, &value) ? value : convert_exactly(decimal);
    if (convert_word(decimal->mantissa, exponent, &value))
        return value;
    if (exponent >= -WIDE_POWER && exponent <= WIDE_POWER)
        return convert_wide(decimal->mantissa, exponent);
    return convert_exactly(decimal);
}

double jl_exact_decimal(uint64_t mantissa, size_t decimals)
{
    double value;
    const int64_t exponent = -(int64_t)decimals;
    return convert_word(mantissa, exponent, &value) ? value : convert_wide(mantissa, exponent);
}

int jl_parse_double(const char *text, size_t len, double *out)
{
    struct jl_number_parts parts;
    if (len == 0 || jl_scan_parts(text, len, &parts) != len)
        return JOULIE_E_PARSE;
    const struct decimal decimal = read_parts(text, &parts);
    const double magnitude = convert(&decimal);
    if (!jl_is_finite(magnitude))
        return JOULIE_E_RANGE;
    *out = text[0] == '-' ? -magnitude : magnitude;
    return 0;
}
