/* SPDX-License-Identifier: Apache-2.0 */

/* Ages of stamps where a clock is set, or where two machines do not agree. */

#include "base/stamp.h"
#include "support/test.h"

#define NOON_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* So long after noon, with a wall that is set by so much. */
static struct jl_wall wall_of(int64_t after_ms, int64_t set_ms)
{
    return (struct jl_wall){ .is_told = true,
                             .now_ms = NOON_MS + after_ms,
                             .wall_ms = NOON_MS + after_ms + set_ms };
}

static void without_a_wall_a_stamp_is_what_it_says(void **state)
{
    const struct jl_wall none = { .is_told = false };
    struct jl_stamp stamp = { .is_set = false };
    (void)state;
    jl_stamp_see(&stamp, NOON_MS + DAY_MS, &none);
    assert_int_equal(stamp.at_ms, NOON_MS + DAY_MS);
    jl_stamp_see(&stamp, NOON_MS - DAY_MS, &none);
    assert_int_equal(stamp.at_ms, NOON_MS - DAY_MS);
    assert_int_equal(jl_wall_at(&none, NOON_MS), NOON_MS);
}

static void a_clock_that_nobody_sets_changes_nothing(void **state)
{
    struct jl_stamp stamp = { .is_set = false };
    (void)state;
    for (int64_t after_ms = 0; after_ms < HOUR_MS; after_ms += MINUTE_MS) {
        const struct jl_wall wall = wall_of(after_ms, 0);
        jl_stamp_see(&stamp, NOON_MS + after_ms - 300, &wall); /* on its way */
        assert_int_equal(stamp.at_ms, NOON_MS + after_ms - 300);
    }
}

static void what_was_seen_before_a_step_keeps_its_age(void **state)
{
    static const int64_t set_ms[] = { -HOUR_MS, 10 * DAY_MS };
    (void)state;
    for (size_t i = 0; i < sizeof set_ms / sizeof set_ms[0]; i++) {
        const struct jl_wall before = wall_of(MINUTE_MS, 0);
        const struct jl_wall after = wall_of(2 * MINUTE_MS, set_ms[i]);
        struct jl_stamp stamp = { .is_set = false };
        jl_stamp_see(&stamp, NOON_MS, &before);
        jl_stamp_see(&stamp, NOON_MS, &after);
        assert_int_equal(stamp.at_ms, NOON_MS);
        assert_int_equal(jl_wall_at(&after, stamp.at_ms), NOON_MS + set_ms[i]);
    }
}

/* Another machine goes on with its own clock: an hour ahead of ours, or ten days behind. */
static void an_age_that_cannot_be_counts_from_now(void **state)
{
    static const int64_t set_ms[] = { -HOUR_MS, 10 * DAY_MS };
    (void)state;
    for (size_t i = 0; i < sizeof set_ms / sizeof set_ms[0]; i++) {
        const struct jl_wall before = wall_of(0, 0);
        const struct jl_wall after = wall_of(MINUTE_MS, set_ms[i]);
        struct jl_stamp stamp = { .is_set = false };
        jl_stamp_see(&stamp, NOON_MS, &before);
        jl_stamp_see(&stamp, NOON_MS + MINUTE_MS, &after);
        assert_int_equal(stamp.at_ms, NOON_MS + MINUTE_MS);
    }
}

static void the_first_stamp_is_judged_by_the_wall_but_never_lies_ahead(void **state)
{
    const struct jl_wall wall = wall_of(0, 0);
    struct jl_stamp old = { .is_set = false };
    struct jl_stamp ahead = { .is_set = false };
    (void)state;
    jl_stamp_see(&old, NOON_MS - DAY_MS, &wall);
    assert_int_equal(old.at_ms, NOON_MS - DAY_MS);
    jl_stamp_see(&ahead, NOON_MS + HOUR_MS, &wall);
    assert_int_equal(ahead.at_ms, NOON_MS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_wall_a_stamp_is_what_it_says),
        cmocka_unit_test(a_clock_that_nobody_sets_changes_nothing),
        cmocka_unit_test(what_was_seen_before_a_step_keeps_its_age),
        cmocka_unit_test(an_age_that_cannot_be_counts_from_now),
        cmocka_unit_test(the_first_stamp_is_judged_by_the_wall_but_never_lies_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
