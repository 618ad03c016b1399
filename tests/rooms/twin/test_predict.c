/* SPDX-License-Identifier: Apache-2.0 */

/* The numbers of one node by all three rule sets (docs/rules/twin.md). */

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define TOLERANCE 1e-6
#define NONE (-1.0) /* the column is empty */

struct case_row {
    const char *name;
    double cores, sockets, socket_w;
    double gpus, gpu_w; /* NONE = no GPU present */
    double cpu_pct, gpu_pct;
    double measured_w;
    double outside_c;
    bool has_outside;
    double cluster_w, rack_w;
    double headroom, cooling, psu, density, pue;
};

static void set(struct joulie_twin_input *in, uint64_t bit, double *member, double value)
{
    in->has |= bit;
    *member = value;
}

static void set_if(struct joulie_twin_input *in, uint64_t bit, double *member, double value)
{
    if (value != NONE)
        set(in, bit, member, value);
}

static struct joulie_twin_input input_of(const struct case_row *row, enum joulie_twin_rules rules)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    in.rules = rules;
    set(&in, JOULIE_TWIN_HAS_CPU_CORES, &in.cpu_cores, row->cores);
    set(&in, JOULIE_TWIN_HAS_CPU_SOCKETS, &in.cpu_sockets, row->sockets);
    set(&in, JOULIE_TWIN_HAS_CPU_MAX, &in.cpu_max_w, row->socket_w);
    set_if(&in, JOULIE_TWIN_HAS_GPU_COUNT, &in.gpu_count, row->gpus);
    set_if(&in, JOULIE_TWIN_HAS_GPU_MAX, &in.gpu_max_w, row->gpu_w);
    set_if(&in, JOULIE_TWIN_HAS_CPU_CAP_PCT, &in.cpu_cap_pct, row->cpu_pct);
    set_if(&in, JOULIE_TWIN_HAS_GPU_CAP_PCT, &in.gpu_cap_pct, row->gpu_pct);
    set_if(&in, JOULIE_TWIN_HAS_NODE_POWER, &in.measured_node_power_w, row->measured_w);
    if (row->has_outside)
        set(&in, JOULIE_TWIN_HAS_OUTSIDE_TEMP, &in.outside_temp_c, row->outside_c);
    set_if(&in, JOULIE_TWIN_HAS_CLUSTER_POWER, &in.cluster_total_power_w, row->cluster_w);
    set_if(&in, JOULIE_TWIN_HAS_RACK_POWER, &in.rack_total_power_w, row->rack_w);
    return in;
}

static struct joulie_twin_output predict(const struct joulie_twin_input *in)
{
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_twin_predict(in, &out, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return out;
}

static int code_of(const struct joulie_twin_input *in, struct joulie_error *err)
{
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    return joulie_twin_predict(in, &out, err);
}

static bool has(const struct joulie_twin_output *out, uint64_t bit)
{
    return (out->has & bit) != 0;
}

static void check_rows(const struct case_row *rows, size_t count, enum joulie_twin_rules rules)
{
    for (size_t i = 0; i < count; i++) {
        const struct joulie_twin_input in = input_of(&rows[i], rules);
        const struct joulie_twin_output out = predict(&in);
        print_message("%s\n", rows[i].name);
        assert_near(out.power_headroom_score, rows[i].headroom, TOLERANCE);
        assert_near(out.cooling_stress_score, rows[i].cooling, TOLERANCE);
        assert_near(out.psu_stress_score, rows[i].psu, TOLERANCE);
        assert_near(out.hardware_density_score, rows[i].density, TOLERANCE);
        assert_near(out.estimated_pue, rows[i].pue, TOLERANCE);
    }
}

/* Columns up to "rack" are inputs; no GPU = NONE, NONE. */
static const struct case_row v0_1_1_rows[] = {
    { "1", 128, 2, 350, 8, 700, 60, 40, 1500, 25, true, 30000, NONE, 43.609023, 26.455026, 60,
      83.333333, 1.142593 },
    { "2", 64, 2, 350, NONE, NONE, 0, 0, 0, 0, false, NONE, NONE, 100, 0, 0, 33.333333, 1.05 },
    { "3", 16, 1, 200, NONE, NONE, 50, NONE, 150, 0, false, NONE, NONE, -50, 75, 0, 8.333333,
      1.3125 },
    { "4", 64, 2, 350, NONE, NONE, 60, NONE, 350, 45, true, NONE, NONE, 16.666667, 100, 0,
      33.333333, 1.40 },
    { "5", 64, 2, 350, NONE, NONE, 60, NONE, 350, 20, true, NONE, NONE, 16.666667, 50, 0, 33.333333,
      1.225 },
    { "5, 0 °C", 64, 2, 350, NONE, NONE, 60, NONE, 350, 0, true, NONE, NONE, 16.666667, 50, 0,
      33.333333, 1.225 },
    { "5, -5 °C", 64, 2, 350, NONE, NONE, 60, NONE, 350, -5, true, NONE, NONE, 16.666667, 50, 0,
      33.333333, 1.225 },
    { "6", 64, 2, 350, NONE, NONE, 60, NONE, 350, 1, true, NONE, NONE, 16.666667, 36.231884, 0,
      33.333333, 1.176812 },
    { "7", 64, 2, 350, NONE, NONE, 60, NONE, 350, 35, true, NONE, NONE, 16.666667, 71.428571, 0,
      33.333333, 1.30 },
    { "8", 0, 0, 0, NONE, NONE, 60, 60, 500, 0, false, 1e9, NONE, 100, 0, 100, 0, 1.05 },
    { "9", 400, 2, 360, NONE, NONE, -10, -5, 0, 0, false, NONE, NONE, 100, 0, 0, 100, 1.05 },
    { "10", 192, 2, 360, 4, 400, 60, 60, 1440, 25, true, 40000, 10000, -3.448276, 68.965517, 20, 75,
      1.291379 },
    { "11", 8, 1, 100, NONE, NONE, 150, NONE, 30, 0, false, NONE, NONE, 80, 30, 0, 4.166667,
      1.155 },
};

static const struct case_row v0_1_0_rows[] = {
    { "4 GPUs, eco", 192, 2, 400, 4, 400, 60, 60, NONE, 25, true, 30000, NONE, 41.22, 31.3, 60, 75,
      1.15955 },
    { "8 GPUs", 192, 2, 360, 8, 400, 100, 100, NONE, 20, true, 45000, NONE, 21.6, 78.4, 90, 100,
      1.3244 },
    { "no GPU, eco", 64, 2, 350, NONE, NONE, 60, NONE, NONE, 0, false, NONE, NONE, 73.28, 8.4, 0,
      33.333333, 1.0794 },
    { "8 GPUs, hot", 192, 2, 360, 8, 700, 0, 0, NONE, 40, true, NONE, NONE, 0, 100, 0, 100, 1.40 },
    { "nothing", 0, 0, 0, NONE, NONE, 60, 60, NONE, 0, false, NONE, NONE, 60, 0, 0, 0, 1.05 },
    { "8 GPUs, eco", 192, 2, 360, 8, 400, 60, 60, NONE, 0, false, NONE, NONE, 31.776, 47.04, 0, 100,
      1.21464 },
};

static void version_0_1_1_gives_the_numbers_of_its_source(void **state)
{
    (void)state;
    check_rows(v0_1_1_rows, JL_COUNT(v0_1_1_rows), JOULIE_TWIN_RULES_V0_1_1);
}

static void version_0_1_0_gives_the_numbers_of_its_source(void **state)
{
    (void)state;
    check_rows(v0_1_0_rows, JL_COUNT(v0_1_0_rows), JOULIE_TWIN_RULES_V0_1_0);
}

static void the_budget_of_row_1_is_that_of_the_spec(void **state)
{
    (void)state;
    for (int rules = JOULIE_TWIN_RULES_UNKNOWN; rules <= JOULIE_TWIN_RULES_V0_1_1; rules++) {
        const struct joulie_twin_input in =
            input_of(&v0_1_1_rows[0], (enum joulie_twin_rules)rules);
        const struct joulie_twin_output out = predict(&in);
        assert_near(out.cpu_tdp_w, 700, 0);
        assert_near(out.gpu_tdp_w, 5600, 0);
        assert_near(out.node_tdp_w, 6300, 0);
        assert_near(out.cpu_capped_w, 420, 0);
        assert_near(out.gpu_capped_w, 2240, 0);
        assert_near(out.node_capped_w, 2660, 0);
    }
}

/* The measured rows stay as they are, but for cold weather and the power of the whole cluster. */
static void current_keeps_the_measured_formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(v0_1_1_rows); i++) {
        const struct case_row *row = &v0_1_1_rows[i];
        const bool is_cold = row->has_outside && row->outside_c <= 0;
        if (row->socket_w == 0 || row->cpu_pct <= 0 || row->cpu_pct > 100 || is_cold)
            continue;
        const struct joulie_twin_input in = input_of(row, JOULIE_TWIN_RULES_CURRENT);
        const struct joulie_twin_output out = predict(&in);
        assert_near(out.power_headroom_score, row->headroom, TOLERANCE);
        assert_near(out.cooling_stress_score, row->cooling, TOLERANCE);
        assert_near(out.estimated_pue, row->pue, TOLERANCE);
        assert_int_equal(out.power_tier, JOULIE_POWER_TIER_MEASURED);
        assert_int_equal(has(&out, JOULIE_TWIN_OUT_PSU), row->rack_w != NONE);
    }
}

static void zero_degrees_and_below_are_temperatures(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[5], JOULIE_TWIN_RULES_CURRENT);
    assert_near(predict(&in).cooling_stress_score, 35.714285714, TOLERANCE);
    in.outside_temp_c = -5;
    assert_near(predict(&in).cooling_stress_score, 33.333333333, TOLERANCE);
    in.outside_temp_c = 1e-9; /* no jump at 0 °C */
    assert_near(predict(&in).cooling_stress_score, 35.714285714, TOLERANCE);
}

static void the_power_of_the_cluster_is_never_measured_against_a_rack(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[0], JOULIE_TWIN_RULES_CURRENT);
    const struct joulie_twin_output alone = predict(&in);
    assert_false(has(&alone, JOULIE_TWIN_OUT_PSU));
    set(&in, JOULIE_TWIN_HAS_CLUSTER_POWER, &in.cluster_total_power_w, 40000);
    set(&in, JOULIE_TWIN_HAS_CLUSTER_CAPACITY, &in.cluster_capacity_w, 200000);
    assert_near(predict(&in).psu_stress_score, 20, TOLERANCE);
    set(&in, JOULIE_TWIN_HAS_RACK_POWER, &in.rack_total_power_w, 10000);
    set(&in, JOULIE_TWIN_HAS_RACK_CAPACITY, &in.rack_capacity_w, 20000);
    assert_near(predict(&in).psu_stress_score, 50, TOLERANCE);
}

/* No hardware, no scores; the measurement stays. */
static void unknown_hardware_never_looks_good(void **state)
{
    (void)state;
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    set(&in, JOULIE_TWIN_HAS_NODE_POWER, &in.measured_node_power_w, 500);
    set(&in, JOULIE_TWIN_HAS_CPU_CAP_PCT, &in.cpu_cap_pct, 60);
    const struct joulie_twin_output out = predict(&in);
    assert_int_equal(out.has, JOULIE_TWIN_OUT_NODE_POWER);
    assert_near(out.node_power_w, 500, 0);
    assert_near(out.cpu_effective_pct, 60, 0);
}

/* A node that nobody described may have GPUs; one with cores and no GPU has none. */
static void a_gpu_cap_counts_until_the_node_is_described(void **state)
{
    (void)state;
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    set(&in, JOULIE_TWIN_HAS_GPU_CAP_PCT, &in.gpu_cap_pct, 60);
    struct joulie_twin_output out = predict(&in);
    assert_near(out.gpu_effective_pct, 60, 0);
    assert_int_equal(out.gpu_cap_state, JOULIE_CAP_STATE_REQUESTED);
    assert_int_equal(out.has, 0);
    in.gpu_feedback = JOULIE_CAP_FEEDBACK_NOT_IN_FORCE;
    assert_near(predict(&in).gpu_effective_pct, 100, 0);
    in.gpu_feedback = JOULIE_CAP_FEEDBACK_UNKNOWN;
    set(&in, JOULIE_TWIN_HAS_CPU_CORES, &in.cpu_cores, 64);
    out = predict(&in);
    assert_near(out.gpu_effective_pct, 100, 0);
    assert_int_equal(out.gpu_cap_state, JOULIE_CAP_STATE_NONE);
}

static void a_node_without_any_fact_has_no_power_at_all(void **state)
{
    (void)state;
    const struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    const struct joulie_twin_output out = predict(&in);
    assert_int_equal(out.has, 0);
    assert_int_equal(out.power_tier, JOULIE_POWER_TIER_UNKNOWN);
    assert_near(out.cpu_effective_pct, 100, 0);
    assert_near(out.gpu_effective_pct, 100, 0);
}

static void a_known_cpu_has_at_least_one_socket(void **state)
{
    (void)state;
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    set(&in, JOULIE_TWIN_HAS_CPU_MAX, &in.cpu_max_w, 360);
    set(&in, JOULIE_TWIN_HAS_NODE_POWER, &in.measured_node_power_w, 90);
    assert_near(predict(&in).power_headroom_score, 75, TOLERANCE);
    in.rules = JOULIE_TWIN_RULES_V0_1_1;
    assert_near(predict(&in).power_headroom_score, 100, TOLERANCE);
}

/* A cap estimate is what v0.1.0 answers. */
static void without_a_reading_the_caps_give_the_power(void **state)
{
    (void)state;
    const struct joulie_twin_input in = input_of(&v0_1_0_rows[0], JOULIE_TWIN_RULES_CURRENT);
    const struct joulie_twin_output out = predict(&in);
    assert_int_equal(out.power_tier, JOULIE_POWER_TIER_CAP_ESTIMATE);
    assert_int_equal(out.cooling_model, JOULIE_COOLING_LINEAR);
    assert_near(out.power_headroom_score, 41.22, TOLERANCE);
    assert_near(out.cooling_stress_score, 31.3, TOLERANCE);
    assert_near(out.node_power_w, 1440, TOLERANCE);
}

static void zero_watts_are_a_measurement(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_0_rows[2], JOULIE_TWIN_RULES_CURRENT);
    set(&in, JOULIE_TWIN_HAS_NODE_POWER, &in.measured_node_power_w, 0);
    set(&in, JOULIE_TWIN_HAS_CPU_UTIL, &in.cpu_util_pct, 50);
    const struct joulie_twin_output out = predict(&in);
    assert_int_equal(out.power_tier, JOULIE_POWER_TIER_MEASURED);
    assert_near(out.power_headroom_score, 100, 0);
}

static double stress_of_the_roof(void *user, double node_power_w, double outside_temp_c)
{
    const double *factor = user;
    return node_power_w * *factor + outside_temp_c;
}

static double no_answer(void *user, double node_power_w, double outside_temp_c)
{
    (void)user;
    (void)outside_temp_c;
    return node_power_w / 0.0;
}

static void a_caller_can_bring_a_cooling_model(void **state)
{
    (void)state;
    double factor = 0.1;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[3], JOULIE_TWIN_RULES_CURRENT);
    in.cooling_model = JOULIE_COOLING_CUSTOM;
    in.cooling = stress_of_the_roof;
    in.cooling_user = &factor;
    assert_near(predict(&in).cooling_stress_score, 80, TOLERANCE);
    assert_near(predict(&in).estimated_pue, 1.33, TOLERANCE);
    factor = 10;
    assert_near(predict(&in).cooling_stress_score, 100, 0);

    in.cooling = no_answer;
    const struct joulie_twin_output out = predict(&in);
    assert_false(has(&out, JOULIE_TWIN_OUT_COOLING | JOULIE_TWIN_OUT_PUE));
    assert_true(has(&out, JOULIE_TWIN_OUT_HEADROOM));
}

/* No number that is not finite gets in or out. */
static void numbers_that_are_not_finite_are_refused_by_name(void **state)
{
    (void)state;
    static const double bad[] = { (double)NAN, (double)INFINITY, (double)-INFINITY };
    for (int rules = JOULIE_TWIN_RULES_CURRENT; rules <= JOULIE_TWIN_RULES_V0_1_0; rules++) {
        for (size_t i = 0; i < JL_COUNT(bad); i++) {
            struct joulie_error err = JOULIE_INIT(struct joulie_error);
            struct joulie_twin_input in = input_of(&v0_1_1_rows[3], (enum joulie_twin_rules)rules);
            in.outside_temp_c = bad[i];
            assert_int_equal(code_of(&in, &err), JOULIE_E_RANGE);
            assert_string_equal(err.where, "outsideTempC");
        }
    }
}

static void a_number_without_its_bit_is_not_looked_at(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[2], JOULIE_TWIN_RULES_CURRENT);
    in.rack_total_power_w = (double)NAN;
    in.gpu_count = -1;
    assert_near(predict(&in).power_headroom_score, -50, TOLERANCE);
}

static void bounds_hold_in_current_only(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_twin_input in = input_of(&v0_1_1_rows[12], JOULIE_TWIN_RULES_CURRENT);
    assert_int_equal(code_of(&in, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "spec.cpu.packagePowerCapPctOfMax");
    in.rules = JOULIE_TWIN_RULES_V0_1_1;
    assert_int_equal(code_of(&in, &err), JOULIE_OK);
    in.measured_node_power_w = -1; /* refused by every rule set */
    assert_int_equal(code_of(&in, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "measuredNodePowerW");
}

static void a_result_outside_a_double_is_an_error(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[2], JOULIE_TWIN_RULES_CURRENT);
    in.measured_node_power_w = 1e308;
    in.cpu_cap_pct = 1e-300;
    assert_int_equal(code_of(&in, NULL), JOULIE_E_RANGE);
}

static void a_dx_plant_needs_the_power_of_the_cluster(void **state)
{
    (void)state;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_twin_input in = input_of(&v0_1_1_rows[3], JOULIE_TWIN_RULES_CURRENT);
    in.cooling_model = JOULIE_COOLING_DX;
    assert_int_equal(code_of(&in, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "clusterTotalPowerW");
}

static void choices_of_a_newer_release_are_refused(void **state)
{
    (void)state;
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    in.cooling_model = (enum joulie_cooling)77;
    assert_int_equal(code_of(&in, NULL), JOULIE_E_ENUM);
    in.cooling_model = JOULIE_COOLING_UNKNOWN;
    in.rules = (enum joulie_twin_rules) - 1;
    assert_int_equal(code_of(&in, NULL), JOULIE_E_ENUM);
    in.rules = JOULIE_TWIN_RULES_CURRENT;
    in.gpu_feedback = (enum joulie_cap_feedback)9;
    assert_int_equal(code_of(&in, NULL), JOULIE_E_ENUM);
    in.gpu_feedback = JOULIE_CAP_FEEDBACK_UNKNOWN;
    in.cooling_model = JOULIE_COOLING_CUSTOM; /* and no function */
    assert_int_equal(code_of(&in, NULL), JOULIE_E_REQUIRED);
}

/* What is known of the node's zone wins over the site. */
static void the_temperature_of_the_zone_wins(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[3], JOULIE_TWIN_RULES_CURRENT);
    assert_int_equal(predict(&in).outside_temp_provenance, JOULIE_PROVENANCE_GIVEN);
    set(&in, JOULIE_TWIN_HAS_ZONE_TEMP, &in.zone_temp_c, 35);
    const struct joulie_twin_output row_7 = predict(&in);
    assert_near(row_7.cooling_stress_score, 71.428571, TOLERANCE);
    assert_int_equal(row_7.outside_temp_provenance, JOULIE_PROVENANCE_ZONE);
    in.cooling_model = JOULIE_COOLING_CRAH;
    assert_int_equal(predict(&in).outside_temp_provenance, JOULIE_PROVENANCE_ZONE);
    in.cooling_model = JOULIE_COOLING_UNKNOWN;
    in.rules = JOULIE_TWIN_RULES_V0_1_1; /* the source never looks at zones: row 4 */
    assert_near(predict(&in).cooling_stress_score, 100, TOLERANCE);
    assert_int_equal(predict(&in).outside_temp_provenance, JOULIE_PROVENANCE_GIVEN);
}

/* dx at 500 kW of 1 MW and 16 °C, here of one zone in a larger cluster. */
static void a_dx_plant_cools_its_zone(void **state)
{
    (void)state;
    struct joulie_twin_input in = input_of(&v0_1_1_rows[3], JOULIE_TWIN_RULES_CURRENT);
    in.cooling_model = JOULIE_COOLING_DX;
    set(&in, JOULIE_TWIN_HAS_OUTSIDE_TEMP, &in.outside_temp_c, 16);
    set(&in, JOULIE_TWIN_HAS_COOLING_DESIGN_IT, &in.cooling_design_it_w, 1e6);
    set(&in, JOULIE_TWIN_HAS_ZONE_POWER, &in.zone_total_power_w, 500000);
    const struct joulie_twin_output alone = predict(&in);
    assert_near(alone.cooling_stress_score, 17.890345, TOLERANCE);
    assert_near(alone.estimated_pue, 1.136912, TOLERANCE);
    assert_int_equal(alone.cooling_reference_provenance, JOULIE_PROVENANCE_GIVEN);
    set(&in, JOULIE_TWIN_HAS_CLUSTER_POWER, &in.cluster_total_power_w, 9e6);
    assert_near(predict(&in).cooling_stress_score, 17.890345, TOLERANCE);
    in.has &= ~JOULIE_TWIN_HAS_CLUSTER_POWER;
    in.rules = JOULIE_TWIN_RULES_V0_1_1;
    assert_int_equal(code_of(&in, NULL), JOULIE_E_REQUIRED);
}

/* A product has its maximum from the caller where both factors are the caller's. */
static void a_version_rule_has_a_maximum_when_count_and_watts_are_given(void **state)
{
    (void)state;
    for (unsigned given = 0; given < 16; given++) {
        struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
        in.rules = JOULIE_TWIN_RULES_V0_1_1;
        set_if(&in, JOULIE_TWIN_HAS_CPU_SOCKETS, &in.cpu_sockets, given & 1 ? 2 : NONE);
        set_if(&in, JOULIE_TWIN_HAS_CPU_MAX, &in.cpu_max_w, given & 2 ? 350 : NONE);
        set_if(&in, JOULIE_TWIN_HAS_GPU_COUNT, &in.gpu_count, given & 4 ? 8 : NONE);
        set_if(&in, JOULIE_TWIN_HAS_GPU_MAX, &in.gpu_max_w, given & 8 ? 700 : NONE);
        const struct joulie_twin_output out = predict(&in);
        assert_true((out.cpu_tdp_provenance == JOULIE_PROVENANCE_GIVEN) == ((given & 3) == 3));
        assert_true((out.gpu_tdp_provenance == JOULIE_PROVENANCE_GIVEN) == ((given & 12) == 12));
    }
}

/* The version rules take a rack where there is one, else the cluster; powers of 0 are none. */
static void the_supply_is_named_of_which_there_is_a_power(void **state)
{
    static const struct {
        double rack_w, cluster_w; /* below 0 = not given */
        enum joulie_supply supply;
    } rows[] = {
        { -1, -1, JOULIE_SUPPLY_UNKNOWN }, { 0, 0, JOULIE_SUPPLY_UNKNOWN },
        { 5, -1, JOULIE_SUPPLY_RACK },     { 5, 7, JOULIE_SUPPLY_RACK },
        { -1, 7, JOULIE_SUPPLY_CLUSTER },  { 0, 7, JOULIE_SUPPLY_CLUSTER },
        { 0, -1, JOULIE_SUPPLY_UNKNOWN },  { 5, 0, JOULIE_SUPPLY_RACK },
    };

    (void)state;
    for (size_t i = 0; i < 2 * JL_COUNT(rows); i++) {
        struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
        struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
        in.rules = i % 2 ? JOULIE_TWIN_RULES_V0_1_1 : JOULIE_TWIN_RULES_V0_1_0;
        if (rows[i / 2].rack_w >= 0)
            set(&in, JOULIE_TWIN_HAS_RACK_POWER, &in.rack_total_power_w, rows[i / 2].rack_w);
        if (rows[i / 2].cluster_w >= 0)
            set(&in, JOULIE_TWIN_HAS_CLUSTER_POWER, &in.cluster_total_power_w,
                rows[i / 2].cluster_w);
        assert_int_equal(joulie_twin_predict(&in, &out, NULL), JOULIE_OK);
        assert_int_equal(out.psu_supply, rows[i / 2].supply);
        assert_int_equal(out.psu_capacity_provenance == JOULIE_PROVENANCE_ASSUMED,
                         rows[i / 2].supply != JOULIE_SUPPLY_UNKNOWN);
    }
}

static void a_reference_of_nothing_is_no_reference(void **state)
{
    (void)state;
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    in.rules = JOULIE_TWIN_RULES_V0_1_1;
    in.cooling_model = JOULIE_COOLING_LINEAR;
    set(&in, JOULIE_TWIN_HAS_COOLING_REFERENCE, &in.cooling_reference_w, 0);
    assert_int_not_equal(predict(&in).cooling_reference_provenance, JOULIE_PROVENANCE_GIVEN);
    in.cooling_reference_w = 1;
    assert_int_equal(predict(&in).cooling_reference_provenance, JOULIE_PROVENANCE_GIVEN);
}

static void every_number_says_where_it_came_from(void **state)
{
    (void)state;
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    set(&in, JOULIE_TWIN_HAS_CPU_MAX, &in.cpu_max_w, 350);
    set(&in, JOULIE_TWIN_HAS_RACK_POWER, &in.rack_total_power_w, 10000);
    set(&in, JOULIE_TWIN_HAS_CPU_UTIL, &in.cpu_util_pct, 50);
    struct joulie_twin_output out = predict(&in);
    assert_int_equal(out.cpu_tdp_provenance, JOULIE_PROVENANCE_ASSUMED);
    assert_int_equal(out.gpu_tdp_provenance, JOULIE_PROVENANCE_UNKNOWN);
    assert_int_equal(out.estimate_provenance, JOULIE_PROVENANCE_ASSUMED);
    assert_int_equal(out.outside_temp_provenance, JOULIE_PROVENANCE_ASSUMED);
    assert_int_equal(out.cooling_reference_provenance, JOULIE_PROVENANCE_UNKNOWN);
    assert_int_equal(out.psu_supply, JOULIE_SUPPLY_RACK);
    assert_int_equal(out.psu_capacity_provenance, JOULIE_PROVENANCE_ASSUMED);
    assert_int_equal(out.density_provenance, JOULIE_PROVENANCE_UNKNOWN);

    set(&in, JOULIE_TWIN_HAS_CPU_SOCKETS, &in.cpu_sockets, 2);
    set(&in, JOULIE_TWIN_HAS_CPU_CURVE, &in.cpu_curve_w, 400);
    set(&in, JOULIE_TWIN_HAS_GPU_COUNT, &in.gpu_count, 8);
    set(&in, JOULIE_TWIN_HAS_GPU_MAX, &in.gpu_max_w, 700);
    set(&in, JOULIE_TWIN_HAS_GPU_IDLE, &in.gpu_idle_w, 70);
    set(&in, JOULIE_TWIN_HAS_GPU_UTIL, &in.gpu_util_pct, 50);
    set(&in, JOULIE_TWIN_HAS_OUTSIDE_TEMP, &in.outside_temp_c, 25);
    set(&in, JOULIE_TWIN_HAS_RACK_CAPACITY, &in.rack_capacity_w, 40000);
    set(&in, JOULIE_TWIN_HAS_COOLING_REFERENCE, &in.cooling_reference_w, 9000);
    in.cooling_model = JOULIE_COOLING_LINEAR;
    out = predict(&in);
    assert_int_equal(out.cpu_tdp_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.gpu_tdp_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.estimate_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.outside_temp_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.cooling_reference_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.psu_capacity_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.density_provenance, JOULIE_PROVENANCE_ASSUMED); /* cores are unknown */

    set(&in, JOULIE_TWIN_HAS_CPU_CORES, &in.cpu_cores, 64);
    set(&in, JOULIE_TWIN_HAS_NODE_POWER, &in.measured_node_power_w, 900);
    in.has &= ~(JOULIE_TWIN_HAS_RACK_POWER | JOULIE_TWIN_HAS_COOLING_REFERENCE);
    set(&in, JOULIE_TWIN_HAS_CLUSTER_POWER, &in.cluster_total_power_w, 40000);
    set(&in, JOULIE_TWIN_HAS_CLUSTER_CAPACITY, &in.cluster_capacity_w, 200000);
    out = predict(&in);
    assert_int_equal(out.density_provenance, JOULIE_PROVENANCE_GIVEN);
    assert_int_equal(out.estimate_provenance, JOULIE_PROVENANCE_UNKNOWN);
    assert_int_equal(out.cooling_reference_provenance, JOULIE_PROVENANCE_ASSUMED);
    assert_int_equal(out.psu_supply, JOULIE_SUPPLY_CLUSTER);
    assert_int_equal(out.psu_capacity_provenance, JOULIE_PROVENANCE_GIVEN);
}

/* Scores stay in their ranges, more power never means more headroom, and a lower cap never means
 * more either. */
static void scores_are_bounded_and_monotone_in_power(void **state)
{
    (void)state;
    static const double temperatures[] = { -30, 0, 20, 35, 50 };
    for (size_t t = 0; t < JL_COUNT(temperatures); t++) {
        for (int model = JOULIE_COOLING_TDP_RATIO; model <= JOULIE_COOLING_FREE; model++) {
            struct joulie_twin_input in = input_of(&v0_1_1_rows[0], JOULIE_TWIN_RULES_CURRENT);
            in.outside_temp_c = temperatures[t];
            in.cooling_model = (enum joulie_cooling)model;
            double last_headroom = 101;
            double last_cooling = -1;
            for (double power_w = 0; power_w < 8000; power_w += 250) {
                in.measured_node_power_w = power_w;
                const struct joulie_twin_output out = predict(&in);
                assert_true(out.power_headroom_score < last_headroom);
                assert_true(out.cooling_stress_score >= last_cooling);
                assert_true(out.cooling_stress_score >= 0 && out.cooling_stress_score <= 100);
                assert_true(!has(&out, JOULIE_TWIN_OUT_PUE) || out.estimated_pue >= 1);
                last_headroom = out.power_headroom_score;
                last_cooling = out.cooling_stress_score;
            }
        }
    }
}

#define NUMBERS 25 /* of the input, in bit order */

static double any_number(struct jl_random *random)
{
    static const double edges[] = { 0, -0.0, 1e-300, 1, 100, 1e308, -1, -1e308 };
    if (jl_random_int(random, 0, 3) > 0)
        return jl_random_range(random, 0, 1000);
    return edges[jl_random_int(random, 0, JL_COUNT(edges) - 1)];
}

static struct joulie_twin_input any_input(struct jl_random *random)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    double numbers[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = any_number(random);
    memcpy(&in.cpu_sockets, numbers, sizeof numbers);
    if (jl_random_int(random, 0, 1) == 0) { /* else hardly any cap is within its bounds */
        in.cpu_cap_pct = jl_random_range(random, 1e-3, 100);
        in.gpu_cap_pct = jl_random_range(random, 1e-3, 100);
    }
    in.has = jl_random_next(random) & ((UINT64_C(1) << NUMBERS) - 1);
    in.rules = (enum joulie_twin_rules)jl_random_int(random, 0, 3);
    in.cooling_model = (enum joulie_cooling)jl_random_int(random, 0, 8);
    in.cpu_feedback = (enum joulie_cap_feedback)jl_random_int(random, 0, 3);
    in.gpu_feedback = (enum joulie_cap_feedback)jl_random_int(random, 0, 3);
    return in;
}

static void assert_score(const struct joulie_twin_output *out, uint64_t bit, double score)
{
    assert_true(score >= 0 && score <= 100);
    assert_true(has(out, bit) || score == 0);
}

static void every_answer_keeps_to_its_ranges(void **state)
{
    (void)state;
    struct jl_random random = { 20260313 };
    size_t answered = 0;
    for (size_t i = 0; i < 50000; i++) {
        const struct joulie_twin_input in = any_input(&random);
        struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
        const int code = joulie_twin_predict(&in, &out, NULL);
        if (code != 0) {
            assert_true(code == JOULIE_E_RANGE || code == JOULIE_E_REQUIRED);
            continue;
        }
        answered++;
        assert_score(&out, JOULIE_TWIN_OUT_COOLING, out.cooling_stress_score);
        assert_score(&out, JOULIE_TWIN_OUT_PSU, out.psu_stress_score);
        assert_score(&out, JOULIE_TWIN_OUT_DENSITY, out.hardware_density_score);
        assert_true(out.power_headroom_score <= 100);
        assert_true(!has(&out, JOULIE_TWIN_OUT_PUE) || out.estimated_pue >= 1);
        assert_true(in.rules > JOULIE_TWIN_RULES_CURRENT ||
                    (out.cpu_effective_pct <= 100 && out.gpu_effective_pct <= 100));
        assert_true(in.rules > JOULIE_TWIN_RULES_CURRENT || out.node_tdp_w > 0 ||
                    !has(&out, JOULIE_TWIN_OUT_HEADROOM | JOULIE_TWIN_OUT_COOLING));
    }
    assert_true(answered > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_0_1_1_gives_the_numbers_of_its_source),
        cmocka_unit_test(version_0_1_0_gives_the_numbers_of_its_source),
        cmocka_unit_test(the_budget_of_row_1_is_that_of_the_spec),
        cmocka_unit_test(current_keeps_the_measured_formulas),
        cmocka_unit_test(zero_degrees_and_below_are_temperatures),
        cmocka_unit_test(the_power_of_the_cluster_is_never_measured_against_a_rack),
        cmocka_unit_test(unknown_hardware_never_looks_good),
        cmocka_unit_test(a_gpu_cap_counts_until_the_node_is_described),
        cmocka_unit_test(a_node_without_any_fact_has_no_power_at_all),
        cmocka_unit_test(a_known_cpu_has_at_least_one_socket),
        cmocka_unit_test(without_a_reading_the_caps_give_the_power),
        cmocka_unit_test(zero_watts_are_a_measurement),
        cmocka_unit_test(a_caller_can_bring_a_cooling_model),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused_by_name),
        cmocka_unit_test(a_number_without_its_bit_is_not_looked_at),
        cmocka_unit_test(bounds_hold_in_current_only),
        cmocka_unit_test(a_result_outside_a_double_is_an_error),
        cmocka_unit_test(a_dx_plant_needs_the_power_of_the_cluster),
        cmocka_unit_test(choices_of_a_newer_release_are_refused),
        cmocka_unit_test(the_temperature_of_the_zone_wins),
        cmocka_unit_test(a_dx_plant_cools_its_zone),
        cmocka_unit_test(a_version_rule_has_a_maximum_when_count_and_watts_are_given),
        cmocka_unit_test(the_supply_is_named_of_which_there_is_a_power),
        cmocka_unit_test(a_reference_of_nothing_is_no_reference),
        cmocka_unit_test(every_number_says_where_it_came_from),
        cmocka_unit_test(scores_are_bounded_and_monotone_in_power),
        cmocka_unit_test(every_answer_keeps_to_its_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
