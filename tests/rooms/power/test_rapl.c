/* SPDX-License-Identifier: Apache-2.0 */

/* Registers of RAPL (docs/rules/rapl.md). */

#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "power/rapl.h"
#include "support/test.h"

#define W UINT64_C(1000000) /* microwatts */

static void a_limit_is_floored_to_the_unit_and_wraps_beyond_15_bits(void **state)
{
    static const struct {
        uint64_t written_uw;
        uint64_t raw;
        uint64_t read_uw;
    } rows[] = {
        { 205000000, 1640, 205000000 },
        { 205100000, 1640, 205000000 },
        { 64100000, 512, 64000000 },
        { 125000, 1, 125000 },
        { 124999, 0, 0 },
        { 0, 0, 0 },
        { 4095875000, 32767, 4095875000 },
        { 4096000000, 0, 0 },
        { 5000000000, 7232, 904000000 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_true(jl_rapl_raw(rows[i].written_uw, JL_RAPL_UNIT_UW) == rows[i].raw);
        assert_true(jl_rapl_read_back_uw(rows[i].written_uw, JL_RAPL_UNIT_UW) == rows[i].read_uw);
    }
    assert_true(JL_RAPL_LIMIT_MAX_UW == 32767 * JL_RAPL_UNIT_UW);
}

static void a_read_back_agrees_less_than_one_unit_below(void **state)
{
    (void)state;
    assert_true(jl_rapl_agrees(64100000, 64000000, JL_RAPL_UNIT_UW));
    assert_true(jl_rapl_agrees(205 * W, 205 * W, JL_RAPL_UNIT_UW));
    assert_true(jl_rapl_agrees(205 * W, 204875001, JL_RAPL_UNIT_UW));
    assert_false(jl_rapl_agrees(205 * W, 204875000, JL_RAPL_UNIT_UW));
    assert_false(jl_rapl_agrees(205 * W, 205000001, JL_RAPL_UNIT_UW)); /* above is not ours */
    assert_true(jl_rapl_agrees(205500000, 205 * W, W));                /* Atom: 1 W */
    assert_false(jl_rapl_agrees(0, UINT64_MAX, JL_RAPL_UNIT_UW));
    assert_false(jl_rapl_agrees(UINT64_MAX, 0, JL_RAPL_UNIT_UW));
}

static void what_reads_back_agrees_unless_it_wrapped(void **state)
{
    static const uint64_t units[] = { 1, 15625, 125000, 1000000, UINT64_MAX };
    struct jl_random random = { 20 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const uint64_t unit_uw = units[i % (int)JL_COUNT(units)];
        const uint64_t limit_uw = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const uint64_t read_uw = jl_rapl_read_back_uw(limit_uw, unit_uw);
        assert_true(read_uw <= limit_uw);
        assert_true(read_uw % unit_uw == 0);
        assert_int_equal(jl_rapl_agrees(limit_uw, read_uw, unit_uw), limit_uw / unit_uw < 32768);
        assert_true(jl_rapl_read_back_uw(read_uw, unit_uw) == read_uw);
    }
}

static void a_window_is_truncated_to_a_code(void **state)
{
    static const struct {
        uint64_t written_us;
        uint32_t code;
        uint64_t read_us;
    } rows[] = {
        { 500, 0, 976 },
        { 976, 0, 976 },
        { 2440, 1, 1952 },
        { 7808, 3, 7808 },
        { 999424, 10, 999424 },
        { 1000000, 10, 999424 },
        { 10000000, 45, 9994240 },
        { 27983872, 110, 27983872 },
        { 28000000, 110, 27983872 },
        { 31981568, 15, 31981568 },
        { 55967744, 111, 55967744 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(jl_rapl_window_code(rows[i].written_us), rows[i].code);
        assert_true(jl_rapl_window_us(rows[i].code) == rows[i].read_us);
    }
}

static void no_window_is_longer_than_the_code_can_say(void **state)
{
    (void)state;
    assert_int_equal(jl_rapl_window_code(0), 0);
    assert_int_equal(jl_rapl_window_code(UINT64_MAX), 0x7F);
    assert_true(jl_rapl_window_us(0x7F) == (UINT64_C(7) << 31) * 244);
    assert_true(jl_rapl_window_us(UINT32_MAX) == jl_rapl_window_us(0x7F));
    assert_int_equal(jl_rapl_window_code(jl_rapl_window_us(0x7F)), 0x7F);
    assert_int_equal(jl_rapl_window_code(jl_rapl_window_us(0x7F) - 1), 0x5F);
}

/* From one unit on; the read-back of a short window may lose its quarters (2440 above). */
static void a_window_never_grows_by_writing_it(void **state)
{
    struct jl_random random = { 25 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const uint64_t window_us = jl_random_next(&random) >> jl_random_int(&random, 0, 63);
        const uint64_t read_us = jl_rapl_window_us(jl_rapl_window_code(window_us));
        assert_true(window_us < 976 ? read_us == 976 : read_us <= window_us);
    }
}

static void the_energy_unit_gives_the_range(void **state)
{
    static const struct {
        uint32_t esu;
        uint64_t unit_nj;
        uint64_t range_uj;
    } rows[] = {
        { 14, 61035, 262143328850 },
        { 16, 15258, 65532610987 },
        { 13, 122070, 524286657700 },
        { 15, 30517, 131069516941 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_true(jl_rapl_energy_unit_nj(rows[i].esu) == rows[i].unit_nj);
        assert_true(jl_rapl_energy_range_uj(rows[i].unit_nj) == rows[i].range_uj);
    }
    assert_true(jl_rapl_energy_range_uj(15300) == 65712999613);           /* DRAM */
    assert_true(jl_rapl_energy_range_uj(1000000000) == 4294967295000000); /* psys */
    assert_true(jl_rapl_energy_unit_nj(31) == 0 && jl_rapl_energy_unit_nj(UINT32_MAX) == 0);
    assert_true(jl_rapl_energy_range_uj(0) == 0);
    assert_true(jl_rapl_energy_range_uj(UINT64_MAX) == UINT64_MAX); /* no overflow */
}

static void the_wrap_time_follows_from_range_and_power(void **state)
{
    static const double watts[] = { 100, 205, 350, 400, 500, 1000 };

    static const struct {
        uint64_t range_uj;
        double seconds[JL_COUNT(watts)];
    } rows[] = {
        { 262143328850, { 2621, 1279, 749, 655, 524, 262 } },
        { 65712999613, { 657, 321, 188, 164, 131, 66 } },
        { 65532610987, { 655, 320, 187, 164, 131, 66 } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        for (size_t j = 0; j < JL_COUNT(watts); j++)
            assert_near(jl_rapl_wrap_s(rows[i].range_uj, watts[j]), rows[i].seconds[j], 0.5);
    }
    assert_near(jl_rapl_wrap_s(65532610987, 1500) / 2, 21.8, 0.1); /* R2a */
}

static void without_power_no_counter_wraps(void **state)
{
    (void)state;
    assert_true(isinf(jl_rapl_wrap_s(262143328850, 0)));
    assert_true(isinf(jl_rapl_wrap_s(262143328850, -1)));
    assert_true(isinf(jl_rapl_wrap_s(262143328850, (double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_floored_to_the_unit_and_wraps_beyond_15_bits),
        cmocka_unit_test(a_read_back_agrees_less_than_one_unit_below),
        cmocka_unit_test(what_reads_back_agrees_unless_it_wrapped),
        cmocka_unit_test(a_window_is_truncated_to_a_code),
        cmocka_unit_test(no_window_is_longer_than_the_code_can_say),
        cmocka_unit_test(a_window_never_grows_by_writing_it),
        cmocka_unit_test(the_energy_unit_gives_the_range),
        cmocka_unit_test(the_wrap_time_follows_from_range_and_power),
        cmocka_unit_test(without_power_no_counter_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
