/* SPDX-License-Identifier: Apache-2.0 */

/* Doubles as text: the shortest digits that read back equal, and a fixed number of decimals. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/number_shortest.h"

__extension__ typedef unsigned __int128 u128;

#define EXACT_INTEGER 9007199254740992.0 /* 2^53 */
#define EASY_DECIMALS 3
#define EASY_LIMIT 1e15 /* two texts of at most 15 digits never read as the same double */

/* Values that are a short decimal number, which most numbers of documents are. */
static bool try_easy(double magnitude, struct jl_short_decimal *out)
{
    static const double powers[EASY_DECIMALS + 1] = { 1, 10, 100, 1000 };

    for (int decimals = 1; decimals <= EASY_DECIMALS; decimals++) {
        const double scaled = magnitude * powers[decimals] + 0.5;
        if (!(scaled < EASY_LIMIT))
            return false;
        const int64_t digits = (int64_t)scaled;
        if (digits > 0 && (double)digits / powers[decimals] == magnitude) {
            *out = (struct jl_short_decimal){ (uint64_t)digits, -decimals };
            return true;
        }
    }
    return false;
}

static size_t put_zeros(char *out, int count)
{
    if (count <= 0)
        return 0;
    memset(out, '0', (size_t)count);
    return (size_t)count;
}

static size_t put_scientific(char *out, const char *digits, size_t count, int exponent)
{
    size_t len = 1;
    out[0] = digits[0];
    if (count > 1) {
        out[len++] = '.';
        memcpy(out + len, digits + 1, count - 1);
        len += count - 1;
    }
    out[len++] = 'e';
    if (exponent > 0)
        out[len++] = '+';
    return len + jl_format_i64(exponent, out + len);
}

/* ECMA-262, Number::toString, steps 6 to 10. */
static size_t put_decimal(char *out, const struct jl_short_decimal *decimal)
{
    char digits[JL_DOUBLE_TEXT];
    const int count = (int)jl_format_u64(decimal->digits, digits);
    const int point = count + decimal->exponent; /* value = 0.digits * 10^point */
    size_t len = 0;
    if (point > 21 || point <= -6)
        return put_scientific(out, digits, (size_t)count, point - 1);
    if (point >= count) {
        memcpy(out, digits, (size_t)count);
        return (size_t)count + put_zeros(out + count, point - count);
    }
    if (point > 0) {
        memcpy(out, digits, (size_t)point);
        out[point] = '.';
        memcpy(out + point + 1, digits + point, (size_t)(count - point));
        return (size_t)count + 1;
    }
    out[len++] = '0';
    out[len++] = '.';
    len += put_zeros(out + len, -point);
    memcpy(out + len, digits, (size_t)count);
    return len + (size_t)count;
}

size_t jl_format_double(double value, char out[JL_DOUBLE_TEXT])
{
    const double magnitude = fabs(value);
    size_t len = 0;
    if (value < 0)
        out[len++] = '-';
    if (magnitude < EXACT_INTEGER && (double)(int64_t)magnitude == magnitude)
        return len + jl_format_u64((uint64_t)(int64_t)magnitude, out + len);
    struct jl_short_decimal decimal;
    if (!try_easy(magnitude, &decimal))
        decimal = jl_shortest_decimal(magnitude);
    len += put_decimal(out + len, &decimal);
    out[len] = '\0';
    return len;
}

/* value = mantissa * 2^exponent */
struct binary {
    uint64_t mantissa;
    int exponent;
};

static struct binary split(double magnitude)
{
    uint64_t bits = 0;
    memcpy(&bits, &magnitude, sizeof bits);
    const int biased = (int)(bits >> 52);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (biased == 0)
        return (struct binary){ fraction, -1074 };
    return (struct binary){ fraction | UINT64_C(1) << 52, biased - 1075 };
}

size_t jl_format_fixed(double value, int decimals, char out[JL_DOUBLE_TEXT])
{
    const struct binary binary = split(fabs(value));
    u128 scaled = binary.mantissa; /* 53 bits, with 10^9 not above 83 */
    uint64_t power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    scaled *= power;
    const int drop = -binary.exponent; /* |value| < 10^15 keeps a fraction bit: 2^53 is larger */
    if (drop >= 100) {
        scaled = 0;
    } else if (drop > 0) {
        const u128 half = (u128)1 << (drop - 1);
        const u128 rest = scaled & ((half << 1) - 1);
        scaled >>= drop;
        if (rest > half || (rest == half && (scaled & 1) != 0))
            scaled++;
    }

    size_t len = 0;
    if (signbit(value))
        out[len++] = '-';
    len += jl_format_i64((int64_t)(scaled / power), out + len);
    if (decimals > 0) {
        uint64_t fraction = (uint64_t)(scaled % power);
        out[len++] = '.';
        for (int i = decimals; i-- > 0; fraction /= 10)
            out[len + (size_t)i] = (char)('0' + fraction % 10);
        len += (size_t)decimals;
    }
    out[len] = '\0';
    return len;
}
