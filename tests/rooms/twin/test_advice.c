/* SPDX-License-Identifier: Apache-2.0 */

/* Advice about workloads and GPU slices: docs/rules/twin.md#rescheduling-advice. */

#include <string.h>

#include "twin/twin_tests.h"

#define TOLERANCE 1e-6

static const struct jl_reschedule_advice *advice(const struct twinning *t, size_t i)
{
    assert_true(i < t->status.reschedule.count);
    return JL_ITEM(t->status.reschedule, jl_reschedule_advice, i);
}

static void drain(struct twinning *t)
{
    JL_SET(&t->spec.scheduling, draining, true);
    t->spec.given.scheduling = true;
}

/* Real workloads, sorted; a performance workload that may move is named as well while the node
 * drains. */
static void a_draining_node_names_every_workload_that_may_move(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    drain(&t);
    add_profile(&t, "default", "web", JL_CRITICALITY_STANDARD, true);
    add_profile(&t, "default", "db", JL_CRITICALITY_PERFORMANCE, true);
    add_profile(&t, "default", "batch", JL_CRITICALITY_STANDARD, false);
    add_profile(&t, "alpha", "web", JL_CRITICALITY_UNKNOWN, true);
    composed(&t);
    assert_int_equal(t.status.reschedule.count, 3);
    assert_string_equal(advice(&t, 0)->workload_ref.name_space, "alpha");
    assert_string_equal(advice(&t, 1)->workload_ref.name, "db");
    assert_string_equal(advice(&t, 2)->workload_ref.name, "web");
    assert_string_equal(advice(&t, 2)->workload_ref.kind, "Deployment");
    assert_string_equal(advice(&t, 0)->reason,
                        "node is draining; workload eligible for rescheduling");
    twinning_end(&t);
}

static void a_node_under_stress_spares_performance_workloads(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.spec.cpu.cap_pct = 100;
    measure(&t, 560); /* cooling stress 80 */
    add_profile(&t, "default", "web", JL_CRITICALITY_STANDARD, true);
    add_profile(&t, "default", "db", JL_CRITICALITY_PERFORMANCE, true);
    add_profile(&t, "default", "old", JL_CRITICALITY_UNKNOWN, true);
    composed(&t);
    assert_int_equal(t.status.reschedule.count, 2);
    assert_string_equal(advice(&t, 1)->workload_ref.name, "web");
    assert_string_equal(advice(&t, 0)->reason,
                        "node under stress (cooling=80 psu=unknown); workload is reschedulable");

    t.readings.has |= JOULIE_TWIN_HAS_RACK_POWER;
    t.readings.rack_total_power_w = 40000;
    composed(&t);
    assert_string_equal(advice(&t, 0)->reason,
                        "node under stress (cooling=80 psu=80); workload is reschedulable");
    twinning_end(&t);
}

/* An empty list is written, so that old advice disappears. */
static void a_calm_node_writes_an_empty_list(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    t.spec.cpu.cap_pct = 100;
    measure(&t, 490); /* cooling stress 70 is not above 70 */
    add_profile(&t, "default", "web", JL_CRITICALITY_STANDARD, true);
    composed(&t);
    assert_true(t.status.given.reschedule);
    assert_int_equal(t.status.reschedule.count, 0);

    t.in.has_profiles = false; /* nothing is known of the workloads */
    t.in.profile_count = 0;
    composed(&t);
    assert_false(t.status.given.reschedule);
    twinning_end(&t);
}

/* A namespace that a profile names is not that of the profile. */
static void a_workload_of_another_namespace_is_named_by_its_own(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    drain(&t);
    struct jl_workload_profile *profile =
        add_profile(&t, "platform", "web", JL_CRITICALITY_STANDARD, true);
    JL_SET(&profile->spec.workload_ref, name_space, "prod");
    composed(&t);
    assert_string_equal(advice(&t, 0)->workload_ref.name_space, "prod");
    twinning_end(&t);
}

static void workloads_that_cannot_be_found_are_not_named(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    drain(&t);
    struct jl_workload_profile *elsewhere =
        add_profile(&t, "a", "x", JL_CRITICALITY_STANDARD, true);
    JL_SET(&elsewhere->spec, node_name, "n2");
    struct jl_workload_profile *here = add_profile(&t, "a", "y", JL_CRITICALITY_STANDARD, true);
    JL_SET(&here->spec, node_name, "n1");
    add_profile(&t, "a", NULL, JL_CRITICALITY_STANDARD, true);
    struct jl_workload_profile *silent = add_profile(&t, "a", "z", JL_CRITICALITY_STANDARD, true);
    silent->status.migratability = (struct jl_profile_migratability){ 0 };
    composed(&t);
    assert_int_equal(t.status.reschedule.count, 1);
    assert_string_equal(advice(&t, 0)->workload_ref.name, "y");
    twinning_end(&t);
}

static void version_0_1_0_speaks_twice_and_names_nobody(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_V0_1_0);
    add_gpus(&t, 8, 400, true);
    t.spec.cpu.cap_pct = 100;
    t.readings.has |= JOULIE_TWIN_HAS_CLUSTER_POWER;
    t.readings.cluster_total_power_w = 45000; /* PSU stress 90 */
    add_profile(&t, "default", "web", JL_CRITICALITY_STANDARD, true);
    add_profile(&t, "default", "db", JL_CRITICALITY_PERFORMANCE, true);
    composed(&t);
    assert_int_equal(t.status.reschedule.count, 3);
    assert_string_equal(advice(&t, 0)->reason,
                        "node under thermal/power stress, workload is reschedulable standard");
    assert_int_equal(advice(&t, 0)->workload_ref.has, 0);
    assert_string_equal(advice(&t, 1)->workload_ref.name, "unknown");
    assert_string_equal(advice(&t, 2)->reason,
                        "node under stress (cooling=78 psu=90); workload is reschedulable");

    drain(&t); /* then only the migration policy speaks */
    composed(&t);
    assert_int_equal(t.status.reschedule.count, 2);

    t.in.profile_count = 0;
    composed(&t);
    assert_false(t.status.given.reschedule);
    t.readings.rules = JOULIE_TWIN_RULES_V0_1_1;
    composed(&t);
    assert_false(t.status.given.slicing);
    twinning_end(&t);
}

static void slicing_follows_the_load_of_the_workloads(void **state)
{
    (void)state;

    static const struct {
        enum joulie_level loads[3];
        size_t count;
        enum joulie_slicing mode;
        const char *slice_type;
        int64_t total;
        double gain, confidence;
    } rows[] = {
        { { 0 }, 0, JOULIE_SLICING_TIME, "", 32, 10, 0.3 },
        { { JOULIE_LEVEL_NONE, JOULIE_LEVEL_UNKNOWN }, 2, JOULIE_SLICING_TIME, "", 32, 10, 0.3 },
        { { JOULIE_LEVEL_LOW, JOULIE_LEVEL_LOW, JOULIE_LEVEL_MEDIUM },
          3,
          JOULIE_SLICING_MIG,
          "1g.10gb",
          56,
          40,
          0.3 },
        { { JOULIE_LEVEL_LOW, JOULIE_LEVEL_MEDIUM },
          2,
          JOULIE_SLICING_MIG,
          "3g.40gb",
          16,
          25,
          0.2 },
        { { JOULIE_LEVEL_LOW, JOULIE_LEVEL_HIGH }, 2, JOULIE_SLICING_NONE, "", 8, 0, 0.2 },
        { { JOULIE_LEVEL_HIGH, JOULIE_LEVEL_HIGH, JOULIE_LEVEL_MEDIUM },
          3,
          JOULIE_SLICING_NONE,
          "",
          8,
          0,
          0.3 },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct twinning t;
        twinning_begin(&t, i % 2 ? JOULIE_TWIN_RULES_CURRENT : JOULIE_TWIN_RULES_V0_1_0);
        add_gpus(&t, 8, 700, true);
        for (size_t k = 0; k < rows[i].count; k++) {
            struct jl_workload_profile *profile =
                add_profile(&t, "a", "w", JL_CRITICALITY_STANDARD, true);
            JL_SET(&profile->status.gpu, intensity, rows[i].loads[k]);
        }
        composed(&t);
        assert_true(t.status.given.slicing);
        assert_int_equal(t.status.slicing.mode, rows[i].mode);
        assert_string_equal(t.status.slicing.slice_type, rows[i].slice_type);
        assert_int_equal(t.status.slicing.total_slices, rows[i].total);
        assert_near(t.status.slicing.estimated_utilization_gain, rows[i].gain, 0);
        assert_near(t.status.slicing.confidence, rows[i].confidence, TOLERANCE);
        twinning_end(&t);
    }
}

static void slicing_needs_gpus_that_can_be_sliced(void **state)
{
    (void)state;
    struct twinning t;
    twinning_begin(&t, JOULIE_TWIN_RULES_CURRENT);
    composed(&t);
    assert_false(t.status.given.slicing);
    add_gpus(&t, 8, 700, false);
    composed(&t);
    assert_false(t.status.given.slicing);
    add_gpus(&t, 0, 700, true);
    composed(&t);
    assert_false(t.status.given.slicing);
    twinning_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draining_node_names_every_workload_that_may_move),
        cmocka_unit_test(a_node_under_stress_spares_performance_workloads),
        cmocka_unit_test(a_calm_node_writes_an_empty_list),
        cmocka_unit_test(a_workload_of_another_namespace_is_named_by_its_own),
        cmocka_unit_test(workloads_that_cannot_be_found_are_not_named),
        cmocka_unit_test(version_0_1_0_speaks_twice_and_names_nobody),
        cmocka_unit_test(slicing_follows_the_load_of_the_workloads),
        cmocka_unit_test(slicing_needs_gpus_that_can_be_sliced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
