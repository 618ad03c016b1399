/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_search.h"

#include <math.h>
#include <string.h>

#include "base/bigint.h"

#define EXACT_INTEGER 9007199254740992.0 /* 2^53 */
#define EASY_DECIMALS 6
#define EASY_LIMIT 1e15 /* two texts of at most 15 digits never read as the same double */

struct digits {
    char text[24];
    int count;
    int point; /* value = 0.text * 10^point */
};

/* value = mantissa * 2^exponent */
struct binary {
    uint64_t mantissa;
    int exponent;
    bool has_near_lower; /* the next double below is only half as far away as the next above */
};

static struct binary split(double magnitude)
{
    uint64_t bits = 0;
    memcpy(&bits, &magnitude, sizeof bits);
    const int biased = (int)(bits >> 52);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (biased == 0)
        return (struct binary){ fraction, -1074, false };
    return (struct binary){ fraction | UINT64_C(1) << 52, biased - 1075,
                            fraction == 0 && biased > 1 };
}

static void set_integer(struct digits *out, uint64_t value, int decimals)
{
    char text[JL_DOUBLE_TEXT];
    int count = (int)jl_format_i64((int64_t)value, text);
    out->point = count - decimals;
    while (count > 1 && text[count - 1] == '0')
        count--;
    memcpy(out->text, text, (size_t)count);
    out->count = count;
}

/* Values that are a short decimal number, which most numbers of documents are. */
static bool try_easy(double magnitude, struct digits *out)
{
    if (magnitude < EXACT_INTEGER && floor(magnitude) == magnitude) {
        set_integer(out, (uint64_t)magnitude, 0);
        return true;
    }
    double power = 1;
    for (int decimals = 1; decimals <= EASY_DECIMALS; decimals++) {
        power *= 10;
        const double scaled = floor(magnitude * power + 0.5);
        if (scaled >= EASY_LIMIT)
            return false;
        if (scaled > 0 && scaled / power == magnitude) {
            set_integer(out, (uint64_t)scaled, decimals);
            return true;
        }
    }
    return false;
}

/* Free-format printing of Steele and White, and Burger and Dybvig: value = rest / unit. */
struct printing {
    struct jl_bigint rest;
    struct jl_bigint unit;
    struct jl_bigint lower; /* half the gap to the next double below, in the same unit */
    struct jl_bigint upper; /* half the gap to the next double above */
    bool is_even;           /* an even mantissa also owns the ends of its interval */
};

static void start(struct printing *printing, const struct binary *binary)
{
    const uint32_t up = binary->exponent > 0 ? (uint32_t)binary->exponent : 0;
    const uint32_t down = binary->exponent < 0 ? (uint32_t)-binary->exponent : 0;
    const uint32_t extra = binary->has_near_lower ? 2 : 1;
    jl_bigint_set(&printing->rest, binary->mantissa);
    jl_bigint_shift(&printing->rest, up + extra);
    jl_bigint_set(&printing->unit, 1);
    jl_bigint_shift(&printing->unit, down + extra);
    jl_bigint_set(&printing->lower, 1);
    jl_bigint_shift(&printing->lower, up);
    jl_bigint_set(&printing->upper, 1);
    jl_bigint_shift(&printing->upper, up + extra - 1);
    printing->is_even = (binary->mantissa & 1) == 0;
}

static void times_ten(struct printing *printing)
{
    jl_bigint_scale(&printing->rest, 10, 0);
    jl_bigint_scale(&printing->lower, 10, 0);
    jl_bigint_scale(&printing->upper, 10, 0);
}

/* floor(log10(2) * x) for |x| < 1100 */
static int floor_log10_of_pow2(int x)
{
    return (x * 315653) >> 20;
}

static void add(struct jl_bigint *big, const struct jl_bigint *other)
{
    uint64_t carry = 0;
    const uint32_t count = big->count > other->count ? big->count : other->count;
    for (uint32_t i = 0; i < count; i++) {
        carry += (uint64_t)(i < big->count ? big->limbs[i] : 0) +
                 (i < other->count ? other->limbs[i] : 0);
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    big->count = count;
    if (carry != 0)
        big->limbs[big->count++] = (uint32_t)carry;
}

static bool reaches_unit(const struct printing *printing)
{
    struct jl_bigint sum;
    sum = printing->rest;
    add(&sum, &printing->upper);
    const int order = jl_bigint_compare(&sum, &printing->unit);
    return printing->is_even ? order >= 0 : order > 0;
}

static bool is_below_lower(const struct printing *printing)
{
    const int order = jl_bigint_compare(&printing->rest, &printing->lower);
    return printing->is_even ? order <= 0 : order < 0;
}

/* Scales so that the first digit is floor(10 * rest / unit); returns the place of the point. */
static int scale(struct printing *printing, const struct binary *binary)
{
    const int top = binary->exponent + 63 - __builtin_clzll(binary->mantissa);
    const int point = floor_log10_of_pow2(top) + 1; /* right, or one too small */
    if (point >= 0) {
        jl_bigint_scale_pow10(&printing->unit, (uint32_t)point);
    } else {
        jl_bigint_scale_pow10(&printing->rest, (uint32_t)-point);
        jl_bigint_scale_pow10(&printing->lower, (uint32_t)-point);
        jl_bigint_scale_pow10(&printing->upper, (uint32_t)-point);
    }
    if (reaches_unit(printing))
        return point + 1;
    times_ten(printing);
    return point;
}

static int next_digit(struct printing *printing)
{
    int digit = 0;
    while (jl_bigint_compare(&printing->rest, &printing->unit) >= 0) {
        jl_bigint_subtract(&printing->rest, &printing->unit);
        digit++;
    }
    return digit;
}

/* Whether the last digit is nearer when it is one larger; a tie keeps it even. */
static bool is_upper_nearer(struct printing *printing, int digit)
{
    jl_bigint_shift(&printing->rest, 1);
    const int order = jl_bigint_compare(&printing->rest, &printing->unit);
    return order > 0 || (order == 0 && digit % 2 != 0);
}

static void find_shortest(double magnitude, struct digits *out)
{
    const struct binary binary = split(magnitude);
    struct printing printing;
    start(&printing, &binary);
    out->point = scale(&printing, &binary);
    out->count = 0;
    for (;;) {
        const int digit = next_digit(&printing);
        const bool may_stay = is_below_lower(&printing);
        const bool may_rise = reaches_unit(&printing);
        if (!may_stay && !may_rise) {
            out->text[out->count++] = (char)('0' + digit);
            times_ten(&printing);
            continue;
        }
        const bool rises = may_rise && (!may_stay || is_upper_nearer(&printing, digit));
        out->text[out->count++] = (char)('0' + digit + rises);
        return;
    }
}

static size_t put_zeros(char *out, int count)
{
    if (count <= 0)
        return 0;
    memset(out, '0', (size_t)count);
    return (size_t)count;
}

static size_t put_digits(char *out, const struct digits *digits, int from, int to)
{
    memcpy(out, digits->text + from, (size_t)(to - from));
    return (size_t)(to - from);
}

static size_t put_scientific(char *out, const struct digits *digits)
{
    const int exponent = digits->point - 1;
    size_t len = put_digits(out, digits, 0, 1);
    if (digits->count > 1) {
        out[len++] = '.';
        len += put_digits(out + len, digits, 1, digits->count);
    }
    out[len++] = 'e';
    if (exponent > 0)
        out[len++] = '+';
    char text[JL_DOUBLE_TEXT];
    const size_t exponent_len = jl_format_i64(exponent, text);
    memcpy(out + len, text, exponent_len);
    return len + exponent_len;
}

/* ECMA-262, Number::toString, steps 6 to 10. */
static size_t put_number(char *out, const struct digits *digits)
{
    const int count = digits->count;
    const int point = digits->point;
    size_t len = 0;
    if (point > 21 || point <= -6)
        return put_scientific(out, digits);
    if (point >= count) {
        len = put_digits(out, digits, 0, count);
        return len + put_zeros(out + len, point - count);
    }
    if (point > 0) {
        len = put_digits(out, digits, 0, point);
        out[len++] = '.';
        return len + put_digits(out + len, digits, point, count);
    }
    out[len++] = '0';
    out[len++] = '.';
    len += put_zeros(out + len, -point);
    return len + put_digits(out + len, digits, 0, count);
}

size_t search_double(double value, char out[JL_DOUBLE_TEXT])
{
    const double magnitude = fabs(value);
    struct digits digits;
    size_t len = 0;
    if (!try_easy(magnitude, &digits))
        find_shortest(magnitude, &digits);
    if (value < 0)
        out[len++] = '-';
    len += put_number(out + len, &digits);
    out[len] = '\0';
    return len;
}
