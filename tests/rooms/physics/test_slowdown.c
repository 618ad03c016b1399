/* SPDX-License-Identifier: Apache-2.0 */

/* What a cap costs in speed: docs/rules/physics.md#slowdown. */

#include <math.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define TOLERANCE 1e-6

static void set(struct joulie_slowdown_input *in, uint64_t bit, double *member, double value)
{
    in->has |= bit;
    *member = value;
}

static struct joulie_slowdown_output predict(const struct joulie_slowdown_input *in)
{
    struct joulie_slowdown_output out = JOULIE_INIT(struct joulie_slowdown_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_slowdown_predict(in, &out, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return out;
}

static int code_of(const struct joulie_slowdown_input *in)
{
    struct joulie_slowdown_output out = JOULIE_INIT(struct joulie_slowdown_output);
    return joulie_slowdown_predict(in, &out, NULL);
}

static void a_cpu_slows_down_as_its_frequency_falls(void **state)
{
    (void)state;

    static const struct {
        enum joulie_bound bound;
        double throughput[3]; /* at 0.8, 0.6 and 0.5 */
    } rows[] = {
        { JOULIE_BOUND_COMPUTE, { 0.824585, 0.643419, 0.549960 } },
        { JOULIE_BOUND_MEMORY, { 0.877825, 0.734082, 0.651427 } },
        { JOULIE_BOUND_IO, { 0.893280, 0.783684, 0.727449 } },
        { JOULIE_BOUND_MIXED, { 0.854780, 0.699495, 0.616820 } },
        { JOULIE_BOUND_UNKNOWN, { 0.854780, 0.699495, 0.616820 } },
    };

    static const double freqs[] = { 0.8, 0.6, 0.5 };
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        for (size_t k = 0; k < JL_COUNT(freqs); k++) {
            struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
            in.cpu_bound = rows[i].bound;
            set(&in, JOULIE_SLOWDOWN_HAS_CPU_FREQ, &in.cpu_freq_frac, freqs[k]);
            const struct joulie_slowdown_output out = predict(&in);
            assert_near(out.cpu_throughput, rows[i].throughput[k], TOLERANCE);
            assert_near(out.cpu_slowdown, 1 / rows[i].throughput[k], 1e-5);
            assert_int_equal(out.cpu_provenance, JOULIE_PROVENANCE_GIVEN);
            assert_int_equal(out.has & JOULIE_SLOWDOWN_OUT_GPU_THROUGHPUT, 0);
        }
    }
}

static void a_gpu_slows_down_as_its_cap_falls(void **state)
{
    (void)state;

    static const struct {
        enum joulie_bound bound;
        double throughput[3]; /* at 320, 240 and 200 W */
    } rows[] = {
        { JOULIE_BOUND_COMPUTE, { 0.846637, 0.659322, 0.565548 } },
        { JOULIE_BOUND_MEMORY, { 0.960414, 0.818438, 0.746662 } },
        { JOULIE_BOUND_MIXED, { 0.908968, 0.742773, 0.659310 } },
    };

    static const double caps[] = { 320, 240, 200 };
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        for (size_t k = 0; k < JL_COUNT(caps); k++) {
            struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
            in.gpu_bound = rows[i].bound;
            set(&in, JOULIE_SLOWDOWN_HAS_GPU_MAX, &in.gpu_max_w, 400);
            set(&in, JOULIE_SLOWDOWN_HAS_GPU_IDLE, &in.gpu_idle_w, 60);
            set(&in, JOULIE_SLOWDOWN_HAS_GPU_CAP_W, &in.gpu_cap_w, caps[k]);
            const struct joulie_slowdown_output out = predict(&in);
            assert_near(out.gpu_throughput, rows[i].throughput[k], TOLERANCE);
            assert_near(out.gpu_power_w, caps[k], 0);
            assert_int_equal(out.gpu_provenance, JOULIE_PROVENANCE_ASSUMED); /* the exponents */
            in.has &= ~JOULIE_SLOWDOWN_HAS_GPU_CAP_W;
            set(&in, JOULIE_SLOWDOWN_HAS_GPU_CAP_PCT, &in.gpu_cap_pct, caps[k] / 4);
            assert_near(predict(&in).gpu_throughput, rows[i].throughput[k], TOLERANCE);
        }
    }
}

/* (cap - idle) / (max - idle) = f^1.35 at full load: half of it leaves f = 0.5^(1/1.35). */
static void a_cpu_cap_leaves_a_frequency(void **state)
{
    (void)state;
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    in.cpu_bound = JOULIE_BOUND_COMPUTE;
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_MAX, &in.cpu_max_w, 420);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_IDLE, &in.cpu_idle_w, 80);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_CAP_W, &in.cpu_cap_w, 250);
    const struct joulie_slowdown_output out = predict(&in);
    assert_near(out.cpu_freq_frac, 0.598432013073, 1e-9);
    assert_near(out.cpu_throughput, 0.641953148, TOLERANCE);
    assert_near(out.cpu_power_w, 250, 1e-6);
    assert_int_equal(out.cpu_provenance, JOULIE_PROVENANCE_GIVEN);

    in.has &= ~(JOULIE_SLOWDOWN_HAS_CPU_CAP_W | JOULIE_SLOWDOWN_HAS_CPU_IDLE);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_CAP_PCT, &in.cpu_cap_pct, 250.0 / 4.2);
    const struct joulie_slowdown_output assumed = predict(&in);
    assert_near(assumed.cpu_freq_frac, out.cpu_freq_frac, 1e-9); /* 4/21 of 420 W are 80 W */
    assert_int_equal(assumed.cpu_provenance, JOULIE_PROVENANCE_ASSUMED);

    in.cpu_cap_pct = 1; /* below idle the lowest frequency is left */
    assert_near(predict(&in).cpu_freq_frac, 0.35, 0);
}

static void without_a_cap_nothing_slows_down(void **state)
{
    (void)state;
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    set(&in, JOULIE_SLOWDOWN_HAS_GPU_MAX, &in.gpu_max_w, 700);
    const struct joulie_slowdown_output out = predict(&in);
    assert_near(out.cpu_slowdown, 1, 0);
    assert_near(out.gpu_slowdown, 1, 0);
    assert_int_equal(out.has & JOULIE_SLOWDOWN_OUT_CPU_POWER, 0); /* no watts are known */
    assert_near(out.cpu_freq_frac, 1, 0);
    assert_int_equal(out.cpu_provenance, JOULIE_PROVENANCE_GIVEN); /* no idle watts are needed */
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_MAX, &in.cpu_max_w, 420);
    assert_near(predict(&in).cpu_freq_frac, 1, 0);
    assert_int_equal(predict(&in).cpu_provenance, JOULIE_PROVENANCE_GIVEN);
}

/* Without a utilisation a processor is busy. */
static void a_processor_is_busy_unless_it_is_said(void **state)
{
    (void)state;
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    in.cpu_bound = JOULIE_BOUND_MEMORY;
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_MAX, &in.cpu_max_w, 420);
    set(&in, JOULIE_SLOWDOWN_HAS_MEMORY, &in.memory_intensity, 1);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_THERMAL, &in.cpu_thermal_frac, 0);
    const double busy_w = predict(&in).cpu_power_w;
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_UTIL, &in.cpu_util_frac, 1);
    assert_near(predict(&in).cpu_power_w, busy_w, 0);
    in.cpu_util_frac = 0.5;
    assert_true(predict(&in).cpu_power_w < busy_w);
}

static void a_cap_on_an_unknown_device_says_nothing(void **state)
{
    (void)state;
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_CAP_W, &in.cpu_cap_w, 100);
    set(&in, JOULIE_SLOWDOWN_HAS_GPU_CAP_W, &in.gpu_cap_w, 100);
    const struct joulie_slowdown_output out = predict(&in);
    assert_int_equal(out.has, 0);
    assert_int_equal(out.cpu_provenance, JOULIE_PROVENANCE_UNKNOWN);
    assert_near(out.cpu_throughput, 0, 0);
}

static void where_nothing_gets_done_the_slowdown_is_unknown(void **state)
{
    (void)state;
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_THERMAL, &in.cpu_thermal_frac, 1);
    const struct joulie_slowdown_output out = predict(&in);
    assert_int_equal(out.has & JOULIE_SLOWDOWN_OUT_CPU_THROUGHPUT,
                     JOULIE_SLOWDOWN_OUT_CPU_THROUGHPUT);
    assert_int_equal(out.has & JOULIE_SLOWDOWN_OUT_CPU_SLOWDOWN, 0);
    set(&in, JOULIE_SLOWDOWN_HAS_GPU_MAX, &in.gpu_max_w, 700);
    set(&in, JOULIE_SLOWDOWN_HAS_GPU_THERMAL, &in.gpu_thermal_frac, 1);
    assert_near(predict(&in).gpu_throughput, 0, 0);
    assert_int_equal(predict(&in).has & JOULIE_SLOWDOWN_OUT_GPU_SLOWDOWN, 0);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_slowdown_output out = JOULIE_INIT(struct joulie_slowdown_output);
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    set(&in, JOULIE_SLOWDOWN_HAS_CPU_UTIL, &in.cpu_util_frac, 50); /* a share, no percent */
    out.cpu_freq_frac = 7;
    assert_int_equal(joulie_slowdown_predict(&in, &out, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "cpu_util_frac");
    assert_near(out.cpu_freq_frac, 7, 0);
    in.cpu_util_frac = (double)NAN;
    assert_int_equal(code_of(&in), JOULIE_E_RANGE);
    in = JOULIE_INIT(struct joulie_slowdown_input);
    set(&in, JOULIE_SLOWDOWN_HAS_GPU_MEMORY_GAMMA, &in.gpu_memory_gamma, 0);
    assert_int_equal(code_of(&in), JOULIE_E_RANGE);
    in = JOULIE_INIT(struct joulie_slowdown_input);
    in.cpu_bound = (enum joulie_bound)9;
    assert_int_equal(code_of(&in), JOULIE_E_ENUM);
    in = JOULIE_INIT(struct joulie_slowdown_input);
    in.has = UINT64_C(1) << 50;
    assert_int_equal(code_of(&in), JOULIE_E_ABI);
    in = JOULIE_INIT(struct joulie_slowdown_input);
    in.struct_size--;
    assert_int_equal(code_of(&in), JOULIE_E_ABI);
    assert_int_equal(joulie_slowdown_predict(NULL, &out, NULL), JOULIE_E_ABI);
}

/* Each number at both ends of its bounds, and beyond them; -1 = has no upper end. */
static void every_number_has_its_bounds(void **state)
{
    static const struct {
        uint64_t bit;
        size_t offset;
        double low; /* 0 is accepted, or only what is above it */
        double high;
    } rows[] = {

#define ROW(bit, member, low, high) \
    { JOULIE_SLOWDOWN_HAS_##bit, offsetof(struct joulie_slowdown_input, member), low, high }
        ROW(MEMORY, memory_intensity, 0, 1),
        ROW(CPU_CAP_PCT, cpu_cap_pct, 1e-9, 100),
        ROW(CPU_IDLE, cpu_idle_w, 0, -1),
        ROW(CPU_UTIL, cpu_util_frac, 0, 1),
        ROW(CPU_THERMAL, cpu_thermal_frac, 0, 1),
        ROW(GPU_CAP_W, gpu_cap_w, 1e-9, -1),
        ROW(GPU_CAP_PCT, gpu_cap_pct, 1e-9, 100),
        ROW(GPU_UTIL, gpu_util_frac, 0, 1),
        ROW(GPU_THERMAL, gpu_thermal_frac, 0, 1),
        ROW(GPU_MEMORY_EPSILON, gpu_memory_epsilon, 1e-9, 1),
        ROW(GPU_MEMORY_GAMMA, gpu_memory_gamma, 1e-9, -1),
#undef ROW
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
        double *member = (double *)(void *)((char *)&in + rows[i].offset);
        set(&in, rows[i].bit, member, rows[i].low);
        assert_int_equal(code_of(&in), JOULIE_OK);
        *member = rows[i].low > 0 ? 0 : -1e-9;
        assert_int_equal(code_of(&in), JOULIE_E_RANGE);
        *member = rows[i].high < 0 ? 1e9 : rows[i].high;
        assert_int_equal(code_of(&in), JOULIE_OK);
        *member = rows[i].high < 0 ? (double)INFINITY : rows[i].high * 1.001;
        assert_int_equal(code_of(&in), JOULIE_E_RANGE);
    }
}

static void a_share_above_one_is_refused(void **state)
{
    (void)state;
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    set(&in, JOULIE_SLOWDOWN_HAS_MEMORY, &in.memory_intensity, 1);
    assert_int_equal(code_of(&in), JOULIE_OK);
    in.memory_intensity = 1.001;
    assert_int_equal(code_of(&in), JOULIE_E_RANGE);
}

/* Whatever runs: throughput lies in 0..1, and a higher cap never makes work slower. */
static void throughput_is_bounded_and_monotone_in_the_cap(void **state)
{
    (void)state;
    struct jl_random random = { 313 };
    for (int i = 0; i < 3000; i++) {
        struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
        double last_cpu = 0;
        double last_gpu = 0;
        in.cpu_bound = (enum joulie_bound)jl_random_int(&random, 0, JOULIE_BOUND_NONE);
        in.gpu_bound = (enum joulie_bound)jl_random_int(&random, 0, JOULIE_BOUND_NONE);
        set(&in, JOULIE_SLOWDOWN_HAS_MEMORY, &in.memory_intensity, jl_random_unit(&random));
        set(&in, JOULIE_SLOWDOWN_HAS_IO, &in.io_intensity, jl_random_unit(&random));
        set(&in, JOULIE_SLOWDOWN_HAS_FEED, &in.feed_intensity, jl_random_unit(&random));
        set(&in, JOULIE_SLOWDOWN_HAS_CPU_UTIL, &in.cpu_util_frac, jl_random_unit(&random));
        set(&in, JOULIE_SLOWDOWN_HAS_GPU_UTIL, &in.gpu_util_frac, jl_random_unit(&random));
        set(&in, JOULIE_SLOWDOWN_HAS_CPU_MAX, &in.cpu_max_w, jl_random_range(&random, 50, 900));
        set(&in, JOULIE_SLOWDOWN_HAS_GPU_MAX, &in.gpu_max_w, jl_random_range(&random, 50, 900));
        for (double pct = 5; pct <= 100; pct += 5) {
            set(&in, JOULIE_SLOWDOWN_HAS_CPU_CAP_PCT, &in.cpu_cap_pct, pct);
            set(&in, JOULIE_SLOWDOWN_HAS_GPU_CAP_PCT, &in.gpu_cap_pct, pct);
            const struct joulie_slowdown_output out = predict(&in);
            assert_true(out.cpu_throughput > 0 && out.cpu_throughput <= 1);
            assert_true(out.gpu_throughput >= 0 && out.gpu_throughput <= 1);
            assert_true(out.cpu_throughput >= last_cpu - 1e-12);
            assert_true(out.gpu_throughput >= last_gpu - 1e-12);
            last_cpu = out.cpu_throughput;
            last_gpu = out.gpu_throughput;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_slows_down_as_its_frequency_falls),
        cmocka_unit_test(a_gpu_slows_down_as_its_cap_falls),
        cmocka_unit_test(a_cpu_cap_leaves_a_frequency),
        cmocka_unit_test(without_a_cap_nothing_slows_down),
        cmocka_unit_test(a_processor_is_busy_unless_it_is_said),
        cmocka_unit_test(a_cap_on_an_unknown_device_says_nothing),
        cmocka_unit_test(where_nothing_gets_done_the_slowdown_is_unknown),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(every_number_has_its_bounds),
        cmocka_unit_test(a_share_above_one_is_refused),
        cmocka_unit_test(throughput_is_bounded_and_monotone_in_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
