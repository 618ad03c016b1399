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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_must_be_above_0_is_refused_at_0),
        cmocka_unit_test(a_number_that_may_be_0_is_refused_below_it),
        cmocka_unit_test(more_than_all_of_a_processor_is_all_of_it),
        cmocka_unit_test(a_range_may_be_one_number_and_not_less),
        cmocka_unit_test(a_curve_is_scaled_to_the_sockets_that_are_known),
        cmocka_unit_test(a_cap_below_the_least_power_cannot_be_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
