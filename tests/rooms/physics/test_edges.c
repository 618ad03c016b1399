/* SPDX-License-Identifier: Apache-2.0 */

/* What a profile of a machine may say, at each bound (docs/rules/physics.md#profile). */

#include <math.h>
#include <string.h>

#include "catalog/catalog.h"
#include "physics/physics.h"
#include "support/test.h"

#define AT(member) offsetof(struct jl_physics_profile, member)

static const char *problem_with(size_t member, double value)
{
    const struct jl_physics_hardware hardware = { .sockets = 2, .gpu_count = 1 };
    struct jl_physics_profile profile;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
    assert_null(jl_physics_problem(&profile));
    memcpy((char *)&profile + member, &value, sizeof value);
    return jl_physics_problem(&profile);
}

static void a_number_that_must_be_above_0_is_refused_at_0(void **state)
{
    static const struct {
        size_t member;
        const char *path;
    } rows[] = {
        { AT(alpha_util), "alphaUtil" },
        { AT(beta_freq), "betaFreq" },
        { AT(min_mhz), "fMinMHz" },
        { AT(cap_min_w), "raplCapMinW" },
        { AT(default_cap_w), "defaultCapW" },
        { AT(watts_per_c), "cpuWattsPerDeltaC" },
        { AT(gpu.compute_gamma), "gpu.computeGamma" },
        { AT(gpu.memory_gamma), "gpu.memoryGamma" },
        { AT(gpu.min_cap_w), "gpu.minCapWattsPerGpu" },
        { AT(relative_speed), "relativeSpeed" },
        { AT(gpu.relative_speed), "gpu.relativeSpeed" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = problem_with(rows[i].member, 0);
        assert_non_null(path);
        assert_string_equal(path, rows[i].path);
        assert_null(problem_with(rows[i].member, nextafter(0, 1)));
    }
}

static void a_number_that_may_be_0_is_refused_below_it(void **state)
{
    static const struct {
        size_t member;
        const char *path;
    } rows[] = {
        { AT(idle_w), "baseIdleW" },
        { AT(dvfs_ramp_ms), "dvfsRampMs" },
        { AT(cap_tau_ms), "cpuCapApplyTauMs" },
        { AT(telemetry_ms), "cpuTelemetryWindowMs" },
        { AT(thermal_tau_ms), "cpuThermalTauMs" },
        { AT(gpu.idle_w), "gpu.idleWattsPerGpu" },
        { AT(gpu.memory_epsilon), "gpu.memoryEpsilon" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = problem_with(rows[i].member, nextafter(0, -1));
        assert_non_null(path);
        assert_string_equal(path, rows[i].path);
        assert_null(problem_with(rows[i].member, 0));
    }
    assert_null(problem_with(AT(gpu.memory_epsilon), 1));
    assert_non_null(problem_with(AT(gpu.memory_epsilon), nextafter(1, 2)));
}

static double power_at(double util)
{
    const struct jl_physics_hardware hardware = { .sockets = 2 };
    const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
    struct jl_physics_profile profile;
    struct jl_cpu_load load;
    struct jl_cpu_state cpu;
    jl_cpu_load_of(&mix, util, &load);
    load.cap_w = 5000;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
    jl_cpu_power(&profile, &load, JL_PHYSICS_CURRENT, &cpu);
    return cpu.power_w;
}

/* 0 is a number that nobody said. */
static void sockets_are_none_or_some(void **state)
{
    struct jl_physics_profile profile;
    const struct jl_physics_hardware nothing = { 0 };
    (void)state;
    jl_physics_resolve(NULL, &nothing, JL_PHYSICS_CURRENT, &profile);
    profile.sockets = 0;
    assert_null(jl_physics_problem(&profile));
    profile.sockets = -1;
    assert_string_equal(jl_physics_problem(&profile), "cpuSockets");
}

static void more_than_all_of_a_processor_is_all_of_it(void **state)
{
    (void)state;
    assert_true(power_at(1) > power_at(0.99));
    assert_near(power_at(1.5), power_at(1), 0);
}

static void a_range_may_be_one_number_and_not_less(void **state)
{
    static const struct {
        size_t low;
        size_t high;
        const char *path;
    } rows[] = {
        { AT(idle_w), AT(max_w), "pMaxW" },
        { AT(min_mhz), AT(max_mhz), "fMaxMHz" },
        { AT(cap_min_w), AT(cap_max_w), "raplCapMaxW" },
        { AT(throttle_start_c), AT(throttle_full_c), "cpuThermalThrottleFullC" },
        { AT(socket_cap_min_w), AT(socket_cap_max_w), "cpuSocketCapMaxW" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct jl_physics_hardware hardware = { .sockets = 2, .gpu_count = 1 };
        struct jl_physics_profile profile;
        double low;
        jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
        memcpy(&low, (char *)&profile + rows[i].low, sizeof low);
        assert_null(problem_with(rows[i].high, low));
        const char *path = problem_with(rows[i].high, nextafter(low, -INFINITY));
        assert_non_null(path);
        assert_string_equal(path, rows[i].path);
    }
}

/* A curve has the watts of two sockets; without their number, and by the rules of v0.1.1, those
 * are the node's. */
static void a_curve_is_scaled_to_the_sockets_that_are_known(void **state)
{
    static const struct {
        int64_t sockets;
        enum jl_physics_rules rules;
        double of_two;
    } rows[] = {
        { 1, JL_PHYSICS_CURRENT, 0.5 }, { 2, JL_PHYSICS_CURRENT, 1 }, { 4, JL_PHYSICS_CURRENT, 2 },
        { 0, JL_PHYSICS_CURRENT, 1 },   { 4, JL_PHYSICS_V0_1_1, 1 },  { 0, JL_PHYSICS_V0_1_1, 1 },
    };
    const struct jl_cpu_model *model = jl_catalog_cpu("AMD_EPYC_9654");
    double two_w[JL_CURVE_POINTS];

    (void)state;
    assert_true(jl_catalog_curve(model, two_w));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct jl_physics_profile profile = { .sockets = rows[i].sockets };
        assert_true(jl_physics_use_curve(&profile, model, rows[i].rules));
        for (size_t at = 0; at < JL_CURVE_POINTS; at++)
            assert_near(profile.curve_w[at], two_w[at] * rows[i].of_two, 1e-9);
        assert_near(profile.peak_w, two_w[JL_CURVE_POINTS - 1] * rows[i].of_two, 1e-9);
    }
}

/* A cap that is what the lowest frequency draws can be met. */
static void a_cap_below_the_least_power_cannot_be_met(void **state)
{
    const struct jl_physics_hardware hardware = { .sockets = 2 };
    const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
    struct jl_physics_profile profile;
    struct jl_cpu_load load;
    struct jl_cpu_state cpu;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
    jl_cpu_load_of(&mix, 1, &load);
    load.freq = profile.min_freq;
    load.cap_w = profile.cap_max_w;
    jl_cpu_power(&profile, &load, JL_PHYSICS_CURRENT, &cpu);
    const double least_w = cpu.power_w;
    load.freq = 1;
    load.cap_w = least_w;
    jl_cpu_power(&profile, &load, JL_PHYSICS_CURRENT, &cpu);
    assert_near(cpu.freq, profile.min_freq, 1e-9);
    assert_false(cpu.is_saturated);
    load.cap_w = nextafter(least_w, 0);
    jl_cpu_power(&profile, &load, JL_PHYSICS_CURRENT, &cpu);
    assert_true(cpu.is_saturated);
}

static struct jl_cpu_state run_cpu(const struct jl_physics_profile *profile,
                                   const struct jl_cpu_load *load, enum jl_physics_rules rules)
{
    struct jl_cpu_state cpu;
    jl_cpu_power(profile, load, rules, &cpu);
    return cpu;
}

/* No processor draws less than 20 W, and no frequency changes what does not depend on it. */
static void a_processor_draws_twenty_watts_at_least(void **state)
{
    const struct jl_physics_hardware hardware = { .sockets = 2, .gpu_count = 1 };
    const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
    struct jl_physics_profile profile;
    struct jl_cpu_load load;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
    profile.idle_w = 5;
    jl_cpu_load_of(&mix, 0, &load);
    assert_true(load.freq == 1);
    assert_near(run_cpu(&profile, &load, JL_PHYSICS_CURRENT).power_w, 20, 0);
    profile.cap_min_w = 10; /* below the 20 W and above what the model says */
    profile.cap_head_w = 20;
    load.cap_w = 10;
    const struct jl_cpu_state cpu = run_cpu(&profile, &load, JL_PHYSICS_CURRENT);
    assert_near(cpu.power_w, 20, 0);
    assert_near(cpu.freq, 1, 0);
    assert_false(cpu.is_saturated);
}

/* v0.1.1: a processor that throttles to a standstill still counts as one percent busy. On the curve
 * of two EPYC 9654, 128 W idle and 257 W at 10 %, that is 128 + 12.9 W. */
static void the_source_never_stands_still_on_a_curve(void **state)
{
    const struct jl_physics_hardware hardware = { .cpu_model = "AMD EPYC 9654", .sockets = 2 };
    const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
    struct jl_physics_profile profile;
    struct jl_cpu_load load;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_V0_1_1, &profile);
    jl_cpu_load_of(&mix, 1, &load);
    load.thermal = 1;
    assert_near(run_cpu(&profile, &load, JL_PHYSICS_V0_1_1).power_w, 128 + 12.9, 1e-9);
}

/* The half of the range is a cap that the first halving meets, so it is kept. */
static void a_halving_keeps_what_meets_the_cap(void **state)
{
    const struct jl_physics_hardware hardware = { .cpu_model = "AMD EPYC 9654", .sockets = 2 };
    const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
    struct jl_physics_profile profile;
    struct jl_cpu_load load;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_V0_1_1, &profile);
    jl_cpu_load_of(&mix, 0.9, &load);
    const double half = (profile.min_freq + 1) / 2;
    load.freq = half;
    load.cap_w = profile.cap_max_w;
    load.cap_w = run_cpu(&profile, &load, JL_PHYSICS_V0_1_1).power_w;
    load.freq = 1;
    assert_true(run_cpu(&profile, &load, JL_PHYSICS_V0_1_1).freq >= half);
}

/* By the rule's own words: 22 halvings, the lower end of what is left. */
static void the_source_halves_22_times(void **state)
{
    const struct jl_physics_hardware hardware = { .cpu_model = "AMD EPYC 9654", .sockets = 2 };
    const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
    struct jl_physics_profile profile;
    struct jl_cpu_load load;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_V0_1_1, &profile);
    jl_cpu_load_of(&mix, 0.9, &load);
    for (double cap_w = 330; cap_w < 560; cap_w += 31) {
        double low = profile.min_freq;
        double high = 1;
        for (int i = 0; i < 22; i++) {
            const double middle = (low + high) / 2;
            const double speed = jl_cpu_speed(&load.weights, middle, profile.knee, load.thermal);
            if (jl_physics_curve_w(&profile, 100 * (load.util * speed)) > cap_w)
                high = middle;
            else
                low = middle;
        }
        load.cap_w = cap_w;
        assert_true(run_cpu(&profile, &load, JL_PHYSICS_V0_1_1).freq == low);
    }
}

/* A cap above what a device draws by itself costs nothing; in v0.1.1 neither does heat then. */
static void a_cap_that_does_not_bind_leaves_the_speed(void **state)
{
    const struct jl_physics_hardware hardware = { .sockets = 2, .gpu_count = 1 };
    const struct jl_gpu_weights weights = { .compute = 0.5, .memory = 0.5 };
    struct jl_physics_profile profile;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
    assert_true(jl_gpu_throughput(&profile.gpu, &weights, 200, 200, 0.25, JL_PHYSICS_V0_1_1) == 1);
    assert_true(jl_gpu_throughput(&profile.gpu, &weights, 200, 201, 0.25, JL_PHYSICS_CURRENT) ==
                0.75);
    assert_true(jl_gpu_throughput(&profile.gpu, &weights, 200, 200, 0.25, JL_PHYSICS_CURRENT) ==
                0.75);
}

/* The cap of a device is in its multiplier; only the source takes it off a second time. */
static void a_cap_on_a_gpu_is_charged_once(void **state)
{
    const struct jl_physics_hardware hardware = { .sockets = 2, .gpu_count = 1 };
    const struct jl_work work = { .sensitivity_gpu = 1, .sensitivity_cpu = 1, .feed = 0.5 };
    const struct jl_work_traits traits = { .gpu = { .compute = 0.5, .memory = 0.5 } };
    const struct jl_gpu_now now = { .natural_w = 300, .cap_w = 200 };
    struct jl_physics_profile profile;
    struct jl_gpu_progress current;
    struct jl_gpu_progress source;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_CURRENT, &profile);
    profile.gpu.max_w = 400;
    jl_gpu_progress(&work, &traits, &profile.gpu, &now, 0.8, JL_PHYSICS_CURRENT, &current);
    jl_gpu_progress(&work, &traits, &profile.gpu, &now, 0.8, JL_PHYSICS_V0_1_1, &source);
    assert_near(current.feed_factor, 0.9, 1e-15);
    assert_near(current.cap_impact, 1, 0);
    assert_near(source.cap_impact, 0.5, 1e-15);
    assert_near(current.factor, current.multiplier * 0.9, 1e-15);
    assert_near(source.factor, source.multiplier * 0.9 * 0.5, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_processor_draws_twenty_watts_at_least),
        cmocka_unit_test(the_source_never_stands_still_on_a_curve),
        cmocka_unit_test(a_halving_keeps_what_meets_the_cap),
        cmocka_unit_test(the_source_halves_22_times),
        cmocka_unit_test(a_cap_that_does_not_bind_leaves_the_speed),
        cmocka_unit_test(a_cap_on_a_gpu_is_charged_once),
        cmocka_unit_test(a_number_that_must_be_above_0_is_refused_at_0),
        cmocka_unit_test(a_number_that_may_be_0_is_refused_below_it),
        cmocka_unit_test(more_than_all_of_a_processor_is_all_of_it),
        cmocka_unit_test(a_range_may_be_one_number_and_not_less),
        cmocka_unit_test(a_curve_is_scaled_to_the_sockets_that_are_known),
        cmocka_unit_test(a_cap_below_the_least_power_cannot_be_met),
        cmocka_unit_test(sockets_are_none_or_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
