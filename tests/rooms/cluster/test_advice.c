/* SPDX-License-Identifier: Apache-2.0 */

/* What profiles of workloads do to the status of their node, and to their class. */

#include <stdio.h>

#include "cluster/objects.h"

static void put_set(struct joulie_cluster *cluster, const char *name_space, const char *name,
                    const char *profile, const char *status)
{
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'WorkloadProfile','metadata':{'name':'%s',"
        "'namespace':'%s'},'spec':{'workloadRef':{'kind':'StatefulSet','name':'%s'}},'status':{"
        "'confidence':0.8,'lastUpdated':'2026-03-13T11:00:00Z'%s}}",
        profile, name_space, name, status);
}

static void put_pod_of(struct joulie_cluster *cluster, const char *name_space, const char *set,
                       int number, const char *node)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s-%d','namespace':'%s',"
        "'ownerReferences':[{'kind':'StatefulSet','name':'%s','uid':'u','controller':true}]},"
        "'spec':{'nodeName':'%s','containers':[]},'status':{'phase':'Running'}}",
        set, number, name_space, set, node);
}

#define PERFORMANCE ",'criticality':{'class':'performance'},'migratability':{'reschedulable':true}"
#define STANDARD ",'criticality':{'class':'standard'},'migratability':{'reschedulable':true}"

/* Of a node that drains each workload is named once, by namespace and name. */
static void workloads_of_a_draining_node_are_named_in_order(void **state)
{
    static const struct {
        const char *name_space;
        const char *name;
    } sets[] = { { "n1", "b" }, { "n1", "z" }, { "n2", "a" }, { "n2", "c" } };

    static const int order[] = { 2, 1, 3, 0, 2, 0, 1, 3, 2 }; /* pods come in */
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, static_hp_frac, 0);
    struct joulie_cluster *cluster = new_cluster(&config);
    (void)state;
    put_cpu_node(cluster, "a");
    for (size_t i = 0; i < JL_COUNT(sets); i++)
        put_set(cluster, sets[i].name_space, sets[i].name, sets[i].name, PERFORMANCE);
    for (size_t i = 0; i < JL_COUNT(order); i++)
        put_pod_of(cluster, sets[order[i]].name_space, sets[order[i]].name, (int)i, "a");
    const struct actions actions = step(cluster, NOW_MS);
    const struct jl_twin_status *status = find_action(&actions, JOULIE_CHANGE_STATUS, "a")->status;
    assert_int_equal(status->schedulable_class, JOULIE_NODE_CLASS_DRAINING);
    assert_int_equal(status->reschedule.count, JL_COUNT(sets));
    for (size_t i = 0; i < JL_COUNT(sets); i++) {
        const struct jl_reschedule_advice *advice =
            JL_ITEM(status->reschedule, jl_reschedule_advice, i);
        assert_string_equal(advice->workload_ref.name_space, sets[i].name_space);
        assert_string_equal(advice->workload_ref.name, sets[i].name);
    }
    joulie_cluster_free(cluster);
}

/* The lower name, in whatever order they come; the other one when it goes. */
static void of_two_profiles_of_one_workload_the_lower_name_counts(void **state)
{
    static const char *const names[][3] = { { "p1", "p2", "p3" },
                                            { "p3", "p2", "p1" },
                                            { "p2", "p3", "p1" } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        put_pod_of(cluster, "default", "db", 0, "a");
        for (size_t k = 0; k < 3; k++)
            put_set(cluster, "default", "db", names[i][k],
                    names[i][k][1] == '2' ? STANDARD : PERFORMANCE);
        for (int left = 3; left > 0; left--) { /* p1 and p3 are performance, p2 is not */
            char name[] = { 'p', (char)('4' - left), '\0' };
            step(cluster, NOW_MS);
            assert_int_equal(totals(cluster).pods_performance, left != 2);
            assert_int_equal(totals(cluster).pods_general, left == 2);
            take_away(cluster, "WorkloadProfile", name);
        }
        step(cluster, NOW_MS);
        assert_int_equal(totals(cluster).pods_performance, 0);
        joulie_cluster_free(cluster);
    }
}

/* A profile without a time, or one that cannot be read, never counts. */
static void a_profile_without_a_time_does_not_count(void **state)
{
    static const char *const times[] = { "", ",'lastUpdated':'yesterday'" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(times); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        put_pod_of(cluster, "default", "db", 0, "a");
        put(cluster,
            "{'apiVersion':'joulie.io/v1alpha1','kind':'WorkloadProfile','metadata':{'name':'p',"
            "'namespace':'default'},'spec':{'workloadRef':{'kind':'StatefulSet','name':'db'}},"
            "'status':{'confidence':0.8,'criticality':{'class':'performance'}%s}}",
            times[i]);
        step(cluster, NOW_MS);
        assert_int_equal(totals(cluster).pods_performance, 0);
        assert_int_equal(totals(cluster).pods_general, 1);
        joulie_cluster_free(cluster);
    }
}

/* docs/rules/twin.md#gpu-slicing-advice */
static void slices_follow_the_workloads_of_the_node(void **state)
{
    static const struct {
        const char *intensities; /* of its workloads */
        enum joulie_slicing mode;
        int per_gpu;
        double confidence;
    } rows[] = {
        { "", JOULIE_SLICING_TIME, 4, 0.3 },  { "l", JOULIE_SLICING_MIG, 7, 0.1 },
        { "lm", JOULIE_SLICING_MIG, 2, 0.2 }, { "lmhh", JOULIE_SLICING_NONE, 1, 0.4 },
        { "n", JOULIE_SLICING_TIME, 4, 0.3 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "g");
        put(cluster,
            "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeHardware','metadata':{'name':'g'},"
            "'spec':{'nodeName':'g'},'status':{'gpu':{'present':true,'model':'NVIDIA_H100_SXM',"
            "'count':8,'slicing':{'supported':true}}}}");
        for (int k = 0; rows[i].intensities[k] != '\0'; k++) {
            const char letter = rows[i].intensities[k];
            const char name[] = { 's', (char)('0' + k), '\0' };
            char status[64];
            snprintf(status, sizeof status, ",'gpu':{'intensity':'%s'}",
                     letter == 'l'   ? "low"
                     : letter == 'm' ? "medium"
                     : letter == 'h' ? "high"
                                     : "none");
            put_set(cluster, "default", name, name, status);
            put_pod_of(cluster, "default", name, 0, "g");
        }
        const struct actions actions = step(cluster, NOW_MS);
        const struct jl_twin_status *status =
            find_action(&actions, JOULIE_CHANGE_STATUS, "g")->status;
        assert_true(status->given.slicing);
        assert_int_equal(status->slicing.mode, rows[i].mode);
        assert_int_equal(status->slicing.slices_per_gpu, rows[i].per_gpu);
        assert_int_equal(status->slicing.total_slices, 8 * rows[i].per_gpu);
        assert_near(status->slicing.confidence, rows[i].confidence, 1e-12);
        joulie_cluster_free(cluster);
    }
}

/* ---- under stress ---- */

static void put_rack_node(struct joulie_cluster *cluster, const char *name, double watts)
{
    put_cpu_node(cluster, name);
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'joulie.io/rack':"
        "'r'}},'status':{'capacity':{'cpu':'192'}}}",
        name);
    measure(cluster, name, NOW_MS, watts);
}

static void assert_reason(struct joulie_cluster *cluster, int cooling, int psu)
{
    const struct jl_list *advice = &explain(cluster, "a").status->reschedule;
    char reason[128];
    assert_int_equal(advice->count, 1);
    snprintf(reason, sizeof reason,
             "node under stress (cooling=%d psu=%d); workload is reschedulable", cooling, psu);
    assert_string_equal(JL_ITEM(*advice, jl_reschedule_advice, 0)->reason, reason);
}

/* Of a rack of 1000 W b draws what varies: a, on which nothing changes, is advised by it. Above 70
 * the texts name the stress of that moment. */
static void work_is_advised_to_leave_a_rack_under_stress(void **state)
{
    static const struct {
        double own_w;   /* of a, of 720 W: its cooling stress */
        double other_w; /* of b */
        int cooling;    /* in the text; 0 = there is none */
        int psu;
    } rows[] = {
        { 72, 500, 0, 0 },    { 72, 678, 10, 75 },  { 72, 728, 10, 80 }, { 72, 628, 0, 0 },
        { 72, 638, 10, 71 },  { 72, 228, 0, 0 },    { 540, 10, 75, 55 }, { 540, 60, 75, 60 },
        { 540, 110, 75, 65 }, { 540, 260, 75, 80 }, { 540, 60, 75, 60 }, { 504, 60, 0, 0 },
        { 504, 206, 70, 71 }, { 504, 96, 0, 0 },
    };
    struct jl_cluster_config config = { 0 };
    JL_SET(&config, rack_capacity_w, 1000);
    struct joulie_cluster *cluster = new_cluster(&config);
    (void)state;
    put_rack_node(cluster, "a", 72);
    put_rack_node(cluster, "b", 500);
    put_set(cluster, "default", "db", "db", STANDARD);
    put_pod_of(cluster, "default", "db", 0, "a");
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const int64_t now_ms = NOW_MS + (int64_t)i * SECOND;
        if (i > 0 && rows[i].own_w != rows[i - 1].own_w)
            measure(cluster, "a", now_ms, rows[i].own_w);
        measure(cluster, "b", now_ms, rows[i].other_w);
        step(cluster, now_ms); /* in the step itself, not after its writes */
        assert_near(explain(cluster, "a").status->psu_stress_score,
                    (rows[i].own_w + rows[i].other_w) / 10, 1e-9);
        if (rows[i].cooling != 0)
            assert_reason(cluster, rows[i].cooling, rows[i].psu);
        else if (explain(cluster, "a").status->reschedule.count != 0)
            fail_msg("row %zu: there is advice", i);
        settle(cluster, now_ms);
    }
    joulie_cluster_free(cluster);
}

/* Two points of the stress that is stored. */
static void the_stress_of_a_rack_is_written_when_it_moves(void **state)
{
    static const struct {
        double other_w;
        bool is_written; /* of a, on which nothing else changes */
    } rows[] = { { 519, false }, { 520, true },  { 539, false }, { 540, true },  { 521, false },
                 { 520, true },  { 520, false }, { 900, true },  { 901, false }, { 300, true } };
    struct jl_cluster_config config = { 0 };
    JL_SET(&config, rack_capacity_w, 1000);
    struct joulie_cluster *cluster = new_cluster(&config);
    (void)state;
    put_rack_node(cluster, "a", 72);
    put_rack_node(cluster, "b", 500);
    settle(cluster, NOW_MS);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const int64_t now_ms = NOW_MS + (int64_t)(i + 1) * SECOND;
        measure(cluster, "b", now_ms, rows[i].other_w);
        const struct actions actions = step(cluster, now_ms);
        const struct jl_cluster_write *write = find_action(&actions, JOULIE_CHANGE_STATUS, "a");
        assert_int_equal(write != NULL, rows[i].is_written);
        if (write != NULL)
            assert_near(write->status->psu_stress_score, (72 + rows[i].other_w) / 10, 1e-9);
        apply_all(cluster, &actions);
    }
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_of_a_draining_node_are_named_in_order),
        cmocka_unit_test(of_two_profiles_of_one_workload_the_lower_name_counts),
        cmocka_unit_test(a_profile_without_a_time_does_not_count),
        cmocka_unit_test(slices_follow_the_workloads_of_the_node),
        cmocka_unit_test(work_is_advised_to_leave_a_rack_under_stress),
        cmocka_unit_test(the_stress_of_a_rack_is_written_when_it_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
