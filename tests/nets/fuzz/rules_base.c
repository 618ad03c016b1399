/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/backoff.h"
#include "base/elementary.h"
#include "base/number.h"
#include "base/random.h"
#include "base/sort.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "kubernetes/retry.h"
#include "kubernetes/wait.h"

#define MOST 64

void rules_backoff(struct dice *dice)
{
    const struct jl_backoff backoff = { dice_number(dice, 0, 10), dice_number(dice, 0, 1000) };
    const int64_t failures = dice_int(dice, 0, 100);
    const double wait_s = jl_backoff_s(&backoff, failures);
    FUZZ_REQUIRE(wait_s >= 0 && wait_s <= backoff.most_s);
    FUZZ_REQUIRE(jl_backoff_s(&backoff, failures + dice_int(dice, 0, 5)) >= wait_s);
    FUZZ_REQUIRE(jl_backoff_s(&backoff, INT64_MAX) >= wait_s);

    const struct jl_wait_range range = jl_reflector_wait(failures, dice_number(dice, 0, 300));
    FUZZ_REQUIRE(range.least_s > 0 && range.least_s <= range.most_s && range.most_s <= 60);
    const double elapsed_s = dice_number(dice, 0, 100);
    const double deadline_s = dice_number(dice, 0, 100);
    const struct jl_lease_wait lease =
        jl_lease_renew_wait(elapsed_s, deadline_s, dice_number(dice, 0.1, 30));
    FUZZ_REQUIRE(lease.delay_s >= 0 &&
                 elapsed_s + lease.delay_s <= fmax(deadline_s, elapsed_s) + 1e-9);
    FUZZ_REQUIRE(elapsed_s < deadline_s || lease.is_over);
    const int64_t threads = dice_int(dice, 0, INT64_MAX);
    FUZZ_REQUIRE(jl_scan_interval_s(threads) >= 5);
    FUZZ_REQUIRE(threads == INT64_MAX ||
                 jl_scan_interval_s(threads + 1) >= jl_scan_interval_s(threads));
}

void rules_retry(struct dice *dice)
{
    const struct jl_retry_case what = {
        .is_read = dice_bit(dice),
        .code = dice_bit(dice) ? 0 : dice_int(dice, 100, 599),
        .attempt = dice_int(dice, 1, 30),
        .retry_after_s = dice_bit(dice) ? dice_number(dice, 0, 1e4) : JL_NO_RETRY_AFTER,
        .has_object_name = dice_bit(dice),
        .is_unsent = dice_bit(dice),
    };
    const struct jl_retry_step step = jl_retry_step(&what);
    FUZZ_REQUIRE(step.retry != JL_RETRY_UNKNOWN);
    FUZZ_REQUIRE(step.retry != JL_RETRY_YES || what.attempt <= 10);
    FUZZ_REQUIRE(step.after_s <= 60 && (step.after_s >= 0 || step.after_s == JL_NO_RETRY_AFTER));
    FUZZ_REQUIRE((step.missing != JL_MISSING_NOTHING) == (what.code == 404));
    if (step.retry == JL_RETRY_YES && what.code != 0 && !what.is_read) /* may have been done */
        FUZZ_REQUIRE(what.code == 429 || what.code == 503 || what.retry_after_s >= 0);
    const double u = dice_number(dice, 0, 0.999);
    const double wait_s = jl_retry_wait_s(&what, u);
    FUZZ_REQUIRE(wait_s > 0 && wait_s <= 60);
}

/* ---- sorting: the items of before, in order, equal ones as they came ---- */

struct item {
    uint8_t key;
    uint8_t place;
};

static int by_key(const void *a, const void *b, void *user)
{
    (void)user;
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

void rules_sort(struct dice *dice)
{
    struct item items[MOST];
    bool is_there[MOST] = { false };
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct item){ (uint8_t)dice_int(dice, 0, 15), (uint8_t)i };
    struct item before[MOST];
    memcpy(before, items, sizeof items);
    FUZZ_REQUIRE(jl_sort(items, count, sizeof *items, by_key, NULL) == 0);
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(!is_there[items[i].place] && before[items[i].place].key == items[i].key);
        is_there[items[i].place] = true;
        if (i > 0)
            FUZZ_REQUIRE(items[i - 1].key < items[i].key ||
                         (items[i - 1].key == items[i].key && items[i - 1].place < items[i].place));
    }
}

void rules_random(struct dice *dice)
{
    struct jl_random random = { dice_bits(dice) };
    struct jl_random again = random;
    const int64_t low = (int64_t)dice_bits(dice);
    const int64_t high = dice_int(dice, low, INT64_MAX);
    const double from = dice_number(dice, -1e6, 1e6);
    const double to = dice_number(dice, from, 1e6);
    for (int i = 0; i < 4; i++) {
        const double unit = jl_random_unit(&random);
        const int64_t whole = jl_random_int(&random, low, high);
        const double value = jl_random_range(&random, from, to);
        FUZZ_REQUIRE(unit >= 0 && unit < 1 && whole >= low && whole <= high);
        FUZZ_REQUIRE(value >= from && value <= to);
        FUZZ_REQUIRE(jl_random_exponential(&random) >= 0);
        FUZZ_REQUIRE(isfinite(jl_random_normal(&random)));
    }
    FUZZ_REQUIRE(jl_random_next(&random) != jl_random_next(&again));
}

/* ---- numbers: what is printed reads back, whatever the bits are ---- */

void rules_numbers(struct dice *dice)
{
    const uint64_t bits = dice_bits(dice);
    char text[JL_DOUBLE_TEXT];
    double value;
    double back = 0;
    int64_t signed_back = 0;
    uint64_t unsigned_back = 0;
    memcpy(&value, &bits, sizeof value);
    if (jl_is_finite(value)) {
        const size_t len = jl_format_double(value, text);
        FUZZ_REQUIRE(len == strlen(text) && jl_parse_double(text, len, &back) == 0);
        FUZZ_REQUIRE(back == value);
        FUZZ_REQUIRE(strtod(text, NULL) == value); /* an independent reader */
    }
    size_t len = jl_format_i64((int64_t)bits, text);
    FUZZ_REQUIRE(jl_parse_i64(text, len, &signed_back) == 0 && signed_back == (int64_t)bits);
    len = jl_format_u64(bits, text);
    FUZZ_REQUIRE(jl_parse_u64(text, len, &unsigned_back) == 0 && unsigned_back == bits);

    char expected[64];
    const double plain = dice_number(dice, -1e14, 1e14) / (double)dice_int(dice, 1, 1000000);
    const int decimals = (int)dice_int(dice, 0, 9);
    jl_format_fixed(plain, decimals, text);
    snprintf(expected, sizeof expected, "%.*f", decimals, plain);
    FUZZ_REQUIRE(strcmp(text, expected) == 0 || strcmp(text, expected + 1) == 0); /* -0 */
    const double rounded = jl_round_half_away(plain);
    FUZZ_REQUIRE(rounded == round(plain));
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-13 * fmax(fabs(a), fabs(b)) + 1e-300;
}

void rules_elementary(struct dice *dice)
{
    const double x = dice_number(dice, -700, 700);
    const double positive = dice_number(dice, 1e-300, 1e300);
    const double angle = dice_number(dice, -9e5, 9e5);
    FUZZ_REQUIRE(is_close(jl_exp(x), exp(x)));
    FUZZ_REQUIRE(is_close(jl_exp2(x), exp2(x)));
    FUZZ_REQUIRE(fabs(jl_log(positive) - log(positive)) <= 1e-13 * (1 + fabs(log(positive))));
    FUZZ_REQUIRE(fabs(jl_sin(angle) - sin(angle)) < 1e-9);
    FUZZ_REQUIRE(fabs(jl_cos(angle) - cos(angle)) < 1e-9);
    const double base = dice_number(dice, 0, 10);
    const double exponent = dice_number(dice, 0, 20);
    FUZZ_REQUIRE(fabs(jl_pow(base, exponent) - pow(base, exponent)) <= 1e-11 * pow(base, exponent));
    const double decay = dice_number(dice, 0, 100);
    FUZZ_REQUIRE(is_close(jl_expm1_neg(decay), -expm1(-decay)));
}
