/* SPDX-License-Identifier: Apache-2.0 */

/* Texts of the kernel and numbers of GPU tools (docs/rules/energy.md). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "power/cgroup.h"
#include "power/reading.h"
#include "support/test.h"

#define PSI_SOME "some avg10=1.53 avg60=0.40 avg300=0.08 total=1234567\n"
#define PSI_FULL "full avg10=2.50 avg60=1.00 avg300=0.10 total=42\n"
#define MEGABYTE ((size_t)1 << 20)

static int psi_code(const char *text)
{
    struct jl_psi psi;
    return jl_psi_parse(jl_text(text), &psi);
}

static int stat_code(const char *text)
{
    struct jl_cpu_stat stat;
    return jl_cpu_stat_parse(jl_text(text), &stat);
}

static int max_code(const char *text)
{
    struct jl_cpu_max max;
    return jl_cpu_max_parse(jl_text(text), &max);
}

static int pid_code(const char *text)
{
    struct jl_pid_stat stat;
    return jl_pid_stat_parse(jl_text(text), &stat);
}

static void a_blank_of_dcgm_is_no_measurement(void **state)
{
    (void)state;
    assert_true(jl_dcgm_is_missing(2147483632));
    assert_true(jl_dcgm_is_missing(140737488355328));
    assert_true(jl_dcgm_is_missing(9223372036854775792.0));
    assert_true(jl_dcgm_is_missing(NAN));
    assert_true(jl_dcgm_is_missing(INFINITY));
    assert_true(jl_dcgm_is_missing(-INFINITY));
    assert_false(jl_dcgm_is_missing(2147483631));
    assert_false(jl_dcgm_is_missing(0));
    assert_false(jl_dcgm_is_missing(-5)); /* a temperature may be */
}

static void throttle_bits_have_words_in_bit_order(void **state)
{
    const char *words[JL_THROTTLE_WORDS];
    (void)state;
    assert_int_equal(jl_throttle_words(0, words), 0);
    assert_int_equal(jl_throttle_words(0x44, words), 2);
    assert_string_equal(words[0], "swPowerCap");
    assert_string_equal(words[1], "hwThermal");
    assert_int_equal(jl_throttle_words(UINT64_MAX, words), JL_THROTTLE_WORDS);
    assert_string_equal(words[JL_THROTTLE_WORDS - 1], "display");
    assert_int_equal(jl_throttle_words(UINT64_C(1) << 63, words), 0);
}

static void pressure_has_a_line_some_or_full_or_both(void **state)
{
    struct jl_psi psi;
    (void)state;
    assert_int_equal(jl_psi_parse(jl_text(PSI_SOME), &psi), 0);
    assert_true(psi.some.is_known && !psi.full.is_known);
    assert_near(psi.some.avg10_pct, 1.53, 0);
    assert_int_equal(psi.some.total_us, 1234567);
    assert_int_equal(jl_psi_parse(jl_text(PSI_FULL), &psi), 0); /* irq.pressure */
    assert_true(!psi.some.is_known && psi.full.is_known);
    assert_int_equal(psi_code(PSI_SOME PSI_FULL), 0);
    assert_int_equal(psi_code("some avg10=0 avg60=0 avg300=0 total=0 later=x"), 0);
}

static void pressure_that_cannot_be_is_refused(void **state)
{
    (void)state;
    assert_int_equal(psi_code(""), JOULIE_E_PARSE);
    assert_int_equal(psi_code("\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code(PSI_SOME PSI_SOME), JOULIE_E_PARSE);
    assert_int_equal(psi_code("most avg10=0 avg60=0 avg300=0 total=0\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code("some avg10=0 avg60=0 avg300=0\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code("some avg10=-1 avg60=0 avg300=0 total=0\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code("some avg10=nan avg60=0 avg300=0 total=0\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code("some avg10=0 avg10=0 avg60=0 avg300=0 total=0\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code("some avg10=0\tavg60=0 avg300=0 total=0\n"), JOULIE_E_PARSE);
    assert_int_equal(psi_code("some avg10=0 avg60=0 avg300=0 total=18446744073709551616\n"),
                     JOULIE_E_RANGE);
}

static void an_absent_key_of_cpu_stat_is_unknown_and_not_0(void **state)
{
    struct jl_cpu_stat stat;
    (void)state;
    assert_int_equal(
        jl_cpu_stat_parse(jl_text("usage_usec 5\ncore_sched.force_idle_usec x\nnr_bursts 1\n"),
                          &stat),
        0);
    assert_int_equal(stat.has, 1U << JL_CPU_STAT_USAGE_US);
    assert_int_equal(stat.value[JL_CPU_STAT_USAGE_US], 5);
}

static void cpu_stat_that_cannot_be_is_refused(void **state)
{
    (void)state;
    assert_int_equal(stat_code(""), JOULIE_E_PARSE);
    assert_int_equal(stat_code("usage_usec\n"), JOULIE_E_PARSE);
    assert_int_equal(stat_code("usage_usec 1 \n"), JOULIE_E_PARSE);
    assert_int_equal(stat_code("usage_usec -1\n"), JOULIE_E_PARSE);
    assert_int_equal(stat_code("usage_usec 1\nusage_usec 2\n"), JOULIE_E_PARSE);
    assert_int_equal(stat_code("usage_usec 1\n\n"), JOULIE_E_PARSE);
    assert_int_equal(stat_code("nope"), JOULIE_E_PARSE);
    assert_int_equal(stat_code("usage_usec 18446744073709551616\n"), JOULIE_E_RANGE);
    assert_int_equal(stat_code("usage_usec 18446744073709551615\n"), 0);
}

static void a_limit_of_cpu_time_is_a_quota_or_none(void **state)
{
    struct jl_cpu_max max;
    (void)state;
    assert_int_equal(jl_cpu_max_parse(jl_text("max 100000\n"), &max), 0);
    assert_true(max.is_unlimited);
    assert_int_equal(jl_cpu_max_parse(jl_text("50000 100000"), &max), 0);
    assert_false(max.is_unlimited);
    assert_int_equal(max.quota_us, 50000);
    assert_int_equal(max_code("max"), JOULIE_E_PARSE);
    assert_int_equal(max_code(""), JOULIE_E_PARSE);
    assert_int_equal(max_code("MAX 100000\n"), JOULIE_E_PARSE);
    assert_int_equal(max_code("50000 100000 1\n"), JOULIE_E_PARSE);
    assert_int_equal(max_code("50000 100000\n\n"), JOULIE_E_PARSE);
    assert_int_equal(max_code("50000 0\n"), JOULIE_E_RANGE);
    assert_int_equal(max_code("18446744073709551616 1\n"), JOULIE_E_RANGE);
}

static void a_threads_name_ends_at_the_last_parenthesis(void **state)
{
    struct jl_pid_stat stat;
    (void)state;
    assert_int_equal(jl_pid_stat_parse(jl_text("42 (a) b (c) S 1 42 42 0"), &stat), 0);
    assert_int_equal(stat.pid, 42);
    assert_true(jl_text_is(stat.comm, "a) b (c"));
    assert_int_equal(stat.state, 'S');
    assert_int_equal(jl_pid_stat_parse(jl_text("1 () R"), &stat), 0);
    assert_int_equal(stat.comm.len, 0);
    assert_int_equal(jl_pid_stat_parse(jl_text("1 (\x01\xff\n) R\n"), &stat), 0);
    assert_int_equal(stat.comm.len, 3);
}

static void a_stat_line_that_cannot_be_is_refused(void **state)
{
    static const char *const texts[] = {
        "",      "1",      "1 (a",   "1 a) S",  ") 1 (",   "(a) S",    " (a) S",     "1(a) S",
        "1 (a)", "1 (a) ", "1 (a)S", "1 (a) 5", "x (a) S", "-1 (a) S", "1 (a) SS 2",
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        if (pid_code(texts[i]) != JOULIE_E_PARSE)
            fail_msg("\"%s\" was taken", texts[i]);
    }
    assert_int_equal(pid_code("99999999999999999999 (a) S"), JOULIE_E_RANGE);
    assert_int_equal(pid_code("1 (a) a"), 0);
    assert_int_equal(pid_code("1 (a) Z"), 0);
    assert_int_equal(pid_code("1 (a) @"), JOULIE_E_PARSE);
    assert_int_equal(pid_code("1 (a) {"), JOULIE_E_PARSE);
    struct jl_pid_stat stat;
    const struct jl_text cut = { "1 (a) S", 6 }; /* the letter behind it is not of the text */
    assert_int_equal(jl_pid_stat_parse(cut, &stat), JOULIE_E_PARSE);
}

static void a_megabyte_of_anything_is_read_once(void **state)
{
    static const char bytes[] = { 'a', '(', ')', ' ', '\n', '=', '0', '\x7f' };
    char *text = malloc(MEGABYTE);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof bytes; i++) {
        const struct jl_text all = { text, MEGABYTE };
        struct jl_psi psi;
        struct jl_cpu_stat stat;
        struct jl_cpu_max max;
        struct jl_pid_stat pid;
        memset(text, bytes[i], MEGABYTE);
        assert_true(jl_psi_parse(all, &psi) < 0);
        assert_true(jl_cpu_stat_parse(all, &stat) < 0);
        assert_true(jl_cpu_max_parse(all, &max) < 0);
        assert_true(jl_pid_stat_parse(all, &pid) < 0);
    }
    free(text);
}

static void a_refused_text_leaves_the_answer_alone(void **state)
{
    struct jl_cpu_max max = { .quota_us = 7 };
    struct jl_pid_stat pid = { .pid = 7 };
    struct jl_cpu_stat stat = { .has = 7 };
    struct jl_psi psi = { .some.total_us = 7 };
    (void)state;
    assert_true(jl_cpu_max_parse(jl_text("50000 0"), &max) < 0);
    assert_true(jl_pid_stat_parse(jl_text("8 (a) 1"), &pid) < 0);
    assert_true(jl_cpu_stat_parse(jl_text("usage_usec 8\nx\n"), &stat) < 0);
    assert_true(jl_psi_parse(jl_text(PSI_SOME "x\n"), &psi) < 0);
    assert_int_equal(max.quota_us, 7);
    assert_int_equal(pid.pid, 7);
    assert_int_equal(stat.has, 7);
    assert_int_equal(psi.some.total_us, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blank_of_dcgm_is_no_measurement),
        cmocka_unit_test(throttle_bits_have_words_in_bit_order),
        cmocka_unit_test(pressure_has_a_line_some_or_full_or_both),
        cmocka_unit_test(pressure_that_cannot_be_is_refused),
        cmocka_unit_test(an_absent_key_of_cpu_stat_is_unknown_and_not_0),
        cmocka_unit_test(cpu_stat_that_cannot_be_is_refused),
        cmocka_unit_test(a_limit_of_cpu_time_is_a_quota_or_none),
        cmocka_unit_test(a_threads_name_ends_at_the_last_parenthesis),
        cmocka_unit_test(a_stat_line_that_cannot_be_is_refused),
        cmocka_unit_test(a_megabyte_of_anything_is_read_once),
        cmocka_unit_test(a_refused_text_leaves_the_answer_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
