/* SPDX-License-Identifier: Apache-2.0 */

/* Each member of a stored status alone, as far from the prediction as is not worth a write, and as
 * far as is (docs/rules/reconcile.md#status-writes). */

#include <string.h>

#include "cluster/state.h"
#include "support/test.h"

#define SCORE_BAND 3 /* points */
#define PCT 2
#define TDP_W 1000

static struct jl_cluster_config config;
static struct jl_twin_status stored;
static struct jl_twin_status next;

static int begin(void **state)
{
    (void)state;
    config = (struct jl_cluster_config){ .deadband_score = SCORE_BAND, .deadband_pct = PCT };
    stored = (struct jl_twin_status){ 0 };
    JL_SET(&stored, schedulable_class, JOULIE_NODE_CLASS_PERFORMANCE);
    JL_SET(&stored, power_headroom_score, 50);
    JL_SET(&stored, cooling_stress_score, 50);
    JL_SET(&stored, hardware_density_score, 50);
    JL_SET(&stored, estimated_pue, 1.5);
    JL_SET(&stored.power, source, JOULIE_POWER_SOURCE_KEPLER);
    JL_SET(&stored.power, measured_node_power_w, 300);
    JL_SET(&stored.power, cpu_capped_power_w, 400);
    JL_SET(&stored.power, gpu_capped_power_w, 400);
    JL_SET(&stored.power, node_capped_power_w, 800);
    JL_SET(&stored.power, cpu_tdp_w, 500);
    JL_SET(&stored.power, gpu_tdp_w, 500);
    JL_SET(&stored.power, node_tdp_w, TDP_W);
    JL_SET(&stored.power, power_trend_w_per_min, -100);
    JL_SET(&stored.effective_caps, cpu_pct, 80);
    JL_SET(&stored.effective_caps, gpu_pct, 80);
    stored.given.power = true;
    stored.given.effective_caps = true;
    next = stored;
    return 0;
}

static const char *change(void)
{
    return jl_cluster_status_change(&config, &stored, &next);
}

static void numbers_move_by_their_band(void **state)
{
    static const struct {
        const char *reason;
        double *stored;
        double *next;
        double band;
    } rows[] = {

#define SCORE(member, band) { "a score moved", &stored.member, &next.member, band }
#define WATTS(member)                                                             \
    {                                                                             \
        "power moved", &stored.power.member, &next.power.member, TDP_W *PCT / 100 \
    }
        SCORE(power_headroom_score, SCORE_BAND),
        SCORE(cooling_stress_score, SCORE_BAND),
        SCORE(hardware_density_score, SCORE_BAND),
        SCORE(estimated_pue, 1.5 * PCT / 100),
        WATTS(measured_node_power_w),
        WATTS(cpu_capped_power_w),
        WATTS(gpu_capped_power_w),
        WATTS(node_capped_power_w),
        WATTS(cpu_tdp_w),
        WATTS(gpu_tdp_w),
        WATTS(power_trend_w_per_min),
#undef SCORE
#undef WATTS
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const double was = *rows[i].stored;
        for (int sign = -1; sign <= 1; sign += 2) {
            *rows[i].next = was + sign * rows[i].band * 0.999;
            assert_null(change());
            *rows[i].next = was + sign * rows[i].band * 1.001;
            assert_string_equal(change(), rows[i].reason);
        }
        *rows[i].next = was;
    }
    assert_null(change());
}

static void a_gap_as_wide_as_the_band_is_a_move(void **state)
{
    (void)state;
    next.cooling_stress_score = 50 + SCORE_BAND;
    assert_string_equal(change(), "a score moved");
    config.deadband_score = 0;
    next.cooling_stress_score = 50;
    assert_null(change());
    next.power.measured_node_power_w = 300 + TDP_W * PCT / 100;
    assert_string_equal(change(), "power moved");
}

/* Then each number has the share of what is stored. */
static void a_node_without_a_known_maximum_has_bands_of_the_values(void **state)
{
    (void)state;
    stored.power.given.node_tdp_w = next.power.given.node_tdp_w = false;
    stored.power.node_tdp_w = next.power.node_tdp_w = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        next.power.measured_node_power_w = 300 + sign * 5.99;
        assert_null(change());
        next.power.measured_node_power_w = 300 + sign * 6.01;
        assert_string_equal(change(), "power moved");
    }
    next.power.measured_node_power_w = 300;
    next.power.power_trend_w_per_min = -101.99;
    assert_null(change());
    next.power.power_trend_w_per_min = -102.01;
    assert_string_equal(change(), "power moved");
}

static void what_is_no_number_is_the_same_or_not(void **state)
{
    struct jl_reschedule_advice one = {
        .workload_ref = { .kind = "Pod", .name_space = "d", .name = "p" }, .reason = "a"
    };
    struct jl_reschedule_advice other = one;
    (void)state;
    assert_null(change());
    next.schedulable_class = JOULIE_NODE_CLASS_ECO;
    assert_string_equal(change(), "class changed");
    begin(NULL);
    next.power.source = JOULIE_POWER_SOURCE_UTILIZATION;
    assert_string_equal(change(), "power source changed");
    begin(NULL);
    next.effective_caps.cpu_pct = 80.5;
    assert_string_equal(change(), "cap in force changed");
    begin(NULL);
    next.effective_caps.gpu_pct = 80.5;
    assert_string_equal(change(), "cap in force changed");
    begin(NULL);
    JL_SET(&stored, reschedule, ((struct jl_list){ &one, 1 }));
    JL_SET(&next, reschedule, ((struct jl_list){ &other, 1 }));
    other.reason = "b"; /* follows with the next write */
    assert_null(change());
    const char **const names[] = { &other.workload_ref.kind, &other.workload_ref.name_space,
                                   &other.workload_ref.name };
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        const char *was = *names[i];
        *names[i] = "x";
        assert_string_equal(change(), "advice changed");
        *names[i] = was;
    }
    next.reschedule.count = 0;
    assert_string_equal(change(), "advice changed");
    begin(NULL);
    stored.given.slicing = next.given.slicing = true;
    stored.slicing.slice_type = next.slicing.slice_type = "1g.10gb";
    assert_null(change());
    next.slicing.slice_type = "2g.20gb";
    assert_string_equal(change(), "advice changed");
    next.slicing = stored.slicing;
    next.slicing.mode = JOULIE_SLICING_MIG;
    assert_string_equal(change(), "advice changed");
    next.slicing = stored.slicing;
    next.slicing.slices_per_gpu = 1;
    assert_string_equal(change(), "advice changed");
    next.slicing = stored.slicing;
    next.slicing.total_slices = 1;
    assert_string_equal(change(), "advice changed");
}

static void what_becomes_known_or_unknown_is_written(void **state)
{
    static const char reason[] = "a value became known or unknown";
    (void)state;
    assert_string_equal(jl_cluster_status_change(&config, NULL, &next), "first status");
    next.given.cooling_stress_score = false;
    assert_string_equal(change(), reason);
    begin(NULL);
    next.power.given.gpu_tdp_w = false;
    assert_string_equal(change(), reason);
    begin(NULL);
    next.effective_caps.given.gpu_pct = false;
    assert_string_equal(change(), reason);
    begin(NULL); /* the agent's, the time, the PSU stress of the rack */
    next.given.control = next.given.last_updated = next.given.psu_stress_score = true;
    assert_null(change());
    begin(NULL); /* a trend is unknown for a while after each start */
    next.power.given.power_trend_w_per_min = false;
    next.power.power_trend_w_per_min = 0;
    assert_null(change());
    stored.power.given.power_trend_w_per_min = false;
    next.power.given.power_trend_w_per_min = true;
    assert_string_equal(change(), reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_move_by_their_band, begin),
        cmocka_unit_test_setup(a_gap_as_wide_as_the_band_is_a_move, begin),
        cmocka_unit_test_setup(a_node_without_a_known_maximum_has_bands_of_the_values, begin),
        cmocka_unit_test_setup(what_is_no_number_is_the_same_or_not, begin),
        cmocka_unit_test_setup(what_becomes_known_or_unknown_is_written, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
