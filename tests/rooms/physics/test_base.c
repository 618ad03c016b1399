/* SPDX-License-Identifier: Apache-2.0 */

/* What a profile has when nobody says anything, and the source's search for a frequency
 * (docs/rules/physics.md#profile). */

#include "physics/physics.h"
#include "physics/profile.h"
#include "support/test.h"

static void a_gpu_by_itself_is_one(void **state)
{
    const struct jl_gpu_profile nothing = { 0 };
    struct jl_gpu_profile gpu;
    (void)state;
    assert_int_equal(jl_gpu_resolve(&nothing, JL_PHYSICS_CURRENT, &gpu), 0);
    assert_int_equal(gpu.count, 1);
    assert_null(jl_gpu_problem(&gpu));
}

static double curve_w(const struct jl_physics_profile *profile, const struct jl_cpu_load *load,
                      double freq)
{
    return jl_physics_curve_w(profile,
                              100 * load->util *
                                  jl_cpu_speed(&load->weights, freq, profile->knee, load->thermal));
}

/* 22 halvings of [fmin, 1], and the lower end of what is left. */
static void the_source_halves_its_way_to_a_cap_on_a_curve(void **state)
{
    static const double caps_w[] = { 250, 330, 400, 480, 560 };
    const struct jl_physics_hardware hardware = { .cpu_model = "AMD EPYC 9654", .sockets = 2 };
    struct jl_physics_profile profile;
    (void)state;
    jl_physics_resolve(NULL, &hardware, JL_PHYSICS_V0_1_1, &profile);
    assert_non_null(profile.curve_model);
    for (size_t i = 0; i < sizeof caps_w / sizeof *caps_w; i++) {
        const struct jl_cpu_mix mix = { .class_ = JL_CPU_COMPUTE };
        struct jl_cpu_load load;
        jl_cpu_load_of(&mix, 0.9, &load);
        load.cap_w = caps_w[i];
        const double step = (1 - profile.min_freq) / 4194304;
        struct jl_cpu_state cpu;
        jl_cpu_power(&profile, &load, JL_PHYSICS_V0_1_1, &cpu);
        if (curve_w(&profile, &load, 1) <= caps_w[i]) {
            assert_near(cpu.freq, 1, 0);
            continue;
        }
        assert_true(cpu.freq == profile.min_freq ||
                    curve_w(&profile, &load, cpu.freq) <= caps_w[i]);
        assert_true(curve_w(&profile, &load, cpu.freq + 1.001 * step) > caps_w[i]);
        assert_true(cpu.power_w <= caps_w[i]);
    }
}

/* A GPU that stands by itself has no "gpu." before the name of its member. */
static void the_problem_of_a_gpu_is_named_from_the_gpu_on(void **state)
{
    (void)state;
    assert_string_equal(jl_gpu_problem(&(struct jl_gpu_profile){ .count = -1 }), "count");
    assert_string_equal(jl_gpu_problem(&(struct jl_gpu_profile){ .cap_tau_ms = -1 }),
                        "capApplyTauMs");
    assert_string_equal(jl_gpu_problem(&(struct jl_gpu_profile){ .watts_per_c = 0 }),
                        "wattsPerDeltaC");
    assert_null(jl_gpu_problem(&(struct jl_gpu_profile){ .watts_per_c = 1 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_by_itself_is_one),
        cmocka_unit_test(the_source_halves_its_way_to_a_cap_on_a_curve),
        cmocka_unit_test(the_problem_of_a_gpu_is_named_from_the_gpu_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
