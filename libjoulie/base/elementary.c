/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every function is computed as the sum of two doubles (about 106 bits, Dekker 1971) and rounded
 * once, so its error is 0.5 ulp plus less than 2^-15 ulp; tests/rooms/base holds them to the
 * nearest double of a table made with 200 bits.
 */

#include "base/elementary.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* high + low, |low| at most half an ulp of high */
struct twin {
    double high;
    double low;
};

#define SPLITTER 134217729.0 /* 2^27 + 1 */
#define NEGLIGIBLE 0x1p-60   /* x where exp(x) rounds to 1 and 1 - exp(-x) to x */

/* ln 2 in pieces whose products with |k| < 2^11 are exact, but for the last */
static const double ln2_parts[] = { 0x1.62e42fefa38p-1, 0x1.ef35793c768p-45,
                                    -0x1.9ff0342542fc3p-90 };
static const double one_by_ln2 = 0x1.71547652b82fep+0;

/* pi/2 in pieces whose products with k < 2^20 are exact, but for the last */
static const double half_pi_parts[] = { 0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                        0x1.b839a252049c1p-104 };
static const double two_by_pi = 0x1.45f306dc9c883p-1;

static struct twin sum_ordered(double large, double small)
{
    const double high = large + small;
    return (struct twin){ high, small - (high - large) };
}

static struct twin sum(double a, double b)
{
    const double high = a + b;
    const double part = high - a;
    return (struct twin){ high, (a - (high - part)) + (b - part) };
}

static struct twin product(double a, double b)
{
    const double a_big = SPLITTER * a;
    const double b_big = SPLITTER * b;
    const double a_high = a_big - (a_big - a);
    const double b_high = b_big - (b_big - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    const double high = a * b;
    return (struct twin){ high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) +
                                    a_low * b_low };
}

static struct twin add(struct twin a, struct twin b)
{
    const struct twin high = sum(a.high, b.high);
    const struct twin low = sum(a.low, b.low);
    const struct twin first = sum_ordered(high.high, high.low + low.high);
    return sum_ordered(first.high, first.low + low.low);
}

static struct twin add_double(struct twin a, double b)
{
    const struct twin high = sum(a.high, b);
    return sum_ordered(high.high, high.low + a.low);
}

static struct twin times(struct twin a, struct twin b)
{
    const struct twin high = product(a.high, b.high);
    return sum_ordered(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static struct twin times_double(struct twin a, double b)
{
    const struct twin high = product(a.high, b);
    return sum_ordered(high.high, high.low + a.low * b);
}

static struct twin quotient(struct twin a, struct twin b)
{
    const double first = a.high / b.high;
    const struct twin rest = add(a, times_double(b, -first));
    const double second = rest.high / b.high;
    const struct twin left = add(rest, times_double(b, -second));
    return add_double(sum_ordered(first, second), left.high / b.high);
}

/* x - k * sum(parts), the largest part first: exact until what is left is small. */
static struct twin reduce(struct twin x, double k, const double *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x = add(x, product(-k, parts[i]));
    return x;
}

/* coefficients[0] + x * (coefficients[1] + x * (… + x * tail)); tail, whose share is small, is a
 * plain double. */
static struct twin polynomial(struct twin x, const struct twin *coefficients, size_t count,
                              double tail)
{
    struct twin value = times_double(x, tail);
    for (size_t i = count; i-- > 1;)
        value = times(x, add(coefficients[i], value));
    return add(coefficients[0], value);
}

/* The same with doubles only. */
static double plain_polynomial(double x, const double *coefficients, size_t count)
{
    double value = coefficients[count - 1];
    for (size_t i = count - 1; i-- > 0;)
        value = coefficients[i] + x * value;
    return value;
}

static double power_of_two(int exponent) /* -1022..1023 */
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value * 2^exponent, rounded once: the first factor keeps a value near 1 away from the subnormal
 * numbers. */
static double scale(double value, int exponent)
{
    const int half = exponent / 2;
    return value * power_of_two(half) * power_of_two(exponent - half);
}

/* exp(x) - 1 for |x| < 0.35, with small relative error: the series of x / 256, then eight times 2m
 * + m^2. */
static struct twin expm1_small(struct twin x)
{
    static const struct twin leading[] = { { 1, 0 },
                                           { 0.5, 0 },
                                           { 0x1.5555555555555p-3, 0x1.5555555555555p-57 } };
    static const double tail[] = { 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040 };
    const struct twin part = { x.high * 0x1p-8, x.low * 0x1p-8 };
    const double end = plain_polynomial(part.high, tail, JL_COUNT(tail));
    struct twin value = times(part, polynomial(part, leading, JL_COUNT(leading), end));
    for (int i = 0; i < 8; i++) {
        const struct twin square = times(value, value);
        value = add((struct twin){ 2 * value.high, 2 * value.low }, square);
    }
    return value;
}

/* exp(x) = (1 + out) * 2^k; returns k. |x| < 800. */
static int exp_parts(struct twin x, struct twin *out)
{
    const double k = floor(x.high * one_by_ln2 + 0.5);
    *out = expm1_small(reduce(x, k, ln2_parts, JL_COUNT(ln2_parts)));
    return (int)k;
}

static double exp_twin(struct twin x)
{
    struct twin part;
    if (x.high > 710)
        return (double)INFINITY;
    if (x.high < -746)
        return 0;
    const int exponent = exp_parts(x, &part);
    return scale(add_double(part, 1).high, exponent);
}

/* log(x), relative error below 2^-68: x = m * 2^k with m near 1, log m = 2 artanh((m - 1) / (m +
 * 1)). */
static struct twin log_twin(double x)
{
    static const struct twin leading[] = {
        { 1, 0 },
        { 0x1.5555555555555p-2, 0x1.5555555555555p-56 },
        { 0x1.999999999999ap-3, -0x1.999999999999ap-57 },
        { 0x1.2492492492492p-3, 0x1.2492492492492p-57 },
        { 0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58 },
    };
    static const double tail[] = { 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
                                   1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29, 1.0 / 31 };
    const int shift = x < 0x1p-1022 ? 54 : 0;
    uint64_t bits = 0;
    x *= power_of_two(shift);
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    double m = scale(x, -k);
    if (m > 1.4142135623730951) {
        m /= 2;
        k++;
    }
    k -= shift;

    const struct twin s = quotient((struct twin){ m - 1, 0 }, sum(m, 1));
    const struct twin z = times(s, s);
    const double end = plain_polynomial(z.high, tail, JL_COUNT(tail));
    const struct twin log_m = times(s, polynomial(z, leading, JL_COUNT(leading), end));
    return reduce((struct twin){ 2 * log_m.high, 2 * log_m.low }, -(double)k, ln2_parts,
                  JL_COUNT(ln2_parts));
}

/* Any x; 0 below -745.13, infinite above 709.78. Error < 0.51 ulp, below 2^-1022 < 0.8 ulp (rounded
 * twice). */
double jl_exp(double x)
{
    if (fabs(x) < NEGLIGIBLE)
        return 1;
    return x != x ? x : exp_twin((struct twin){ x, 0 });
}

/* x > 0, else -infinity (0) or NaN (negative). Error < 0.51 ulp. */
double jl_log(double x)
{
    if (!(x > 0))
        return x < 0 ? (double)NAN : x == 0 ? -(double)INFINITY : x;
    return x > 0x1.fffffffffffffp+1023 ? x : log_twin(x).high;
}

/* x >= 0, else NaN; x^0 = 1. Error < 0.51 ulp, below 2^-1022 < 0.8 ulp (rounded twice). */
double jl_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (x == 0)
        return y > 0 ? 0 : (double)INFINITY;
    if (!(x > 0 && x <= 0x1.fffffffffffffp+1023) || y != y)
        return (double)NAN;
    const struct twin log_x = log_twin(x);
    const double rough = log_x.high * y;
    if (fabs(rough) < NEGLIGIBLE)
        return 1;
    if (!(fabs(rough) < 800))
        return rough > 0 ? (double)INFINITY : 0;
    return exp_twin(times_double(log_x, y));
}

/* x >= 0, 1 above 40. Error < 0.51 ulp. */
double jl_expm1_neg(double x)
{
    struct twin part;
    if (!(x >= NEGLIGIBLE))
        return x;
    if (x > 40) /* exp(-40) < 2^-57 */
        return 1;
    const double factor = power_of_two(exp_parts((struct twin){ -x, 0 }, &part));
    if (factor == 1)
        return -part.high;
    return add(sum(1, -factor), (struct twin){ -factor * part.high, -factor * part.low }).high;
}

static struct twin sin_small(struct twin x, struct twin z)
{
    static const struct twin leading[] = {
        { 1, 0 },
        { -0x1.5555555555555p-3, -0x1.5555555555555p-57 },
        { 0x1.1111111111111p-7, 0x1.1111111111111p-63 },
        { -0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73 },
        { 0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73 },
    };
    static const double tail[] = { -0x1.ae64567f544e4p-26, 0x1.6124613a86d09p-33,
                                   -0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49,
                                   -0x1.2f49b46814157p-57, 0x1.71b8ef6dcf572p-66 };
    return times(x, polynomial(z, leading, JL_COUNT(leading),
                               plain_polynomial(z.high, tail, JL_COUNT(tail))));
}

static struct twin cos_small(struct twin z)
{
    static const struct twin leading[] = {
        { 1, 0 },
        { -0.5, 0 },
        { 0x1.5555555555555p-5, 0x1.5555555555555p-59 },
        { -0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65 },
        { 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76 },
    };
    static const double tail[] = { -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29,
                                   -0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-45,
                                   -0x1.6827863b97d97p-53, 0x1.e542ba4020225p-62 };
    return polynomial(z, leading, JL_COUNT(leading),
                      plain_polynomial(z.high, tail, JL_COUNT(tail)));
}

/* sin(x + quarters * pi/2) for |x| < 10^6, else NaN */
static double sin_shifted(double x, int quarters)
{
    if (!(fabs(x) < 1e6))
        return (double)NAN;
    const double k = floor(x * two_by_pi + 0.5);
    const struct twin rest =
        reduce((struct twin){ x, 0 }, k, half_pi_parts, JL_COUNT(half_pi_parts));
    const struct twin z = times(rest, rest);
    const unsigned quadrant = (unsigned)((int)k + quarters) & 3;
    const double value = (quadrant & 1) != 0 ? cos_small(z).high : sin_small(rest, z).high;
    return (quadrant & 2) != 0 ? -value : value;
}

/* |x| < 10^6, else NaN. Error < 0.51 ulp. */
double jl_sin(double x)
{
    return fabs(x) < 0x1p-30 ? x : sin_shifted(x, 0); /* x - x^3/6 rounds to x */
}

/* |x| < 10^6, else NaN. Error < 0.51 ulp. */
double jl_cos(double x)
{
    return sin_shifted(x, 1);
}
