/* SPDX-License-Identifier: Apache-2.0 */

/* A scheduler without Kubernetes: machines and work as flat structs, decisions and scores as
 * numbers. Expected values are computed by hand. */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/api.h"
#include "cluster/state.h"

#define MINUTE_MS INT64_C(60000)
#define MOST_NODES 32

/* ---- helpers ---- */

static void put_work(struct joulie_cluster *cluster, const char *name,
                     const struct joulie_cluster_work *work)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_cluster_put_work(cluster, "user", name, work, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
}

static void put_performance(struct joulie_cluster *cluster, const char *name, const char *node)
{
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    needs.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    work.needs = &needs;
    work.node_names = node != NULL ? &node : NULL;
    work.node_count = 1;
    put_work(cluster, name, &work);
}

static size_t beat(struct joulie_cluster *cluster, int64_t now_ms)
{
    size_t count = 0;
    joulie_cluster_heartbeat(cluster, now_ms);
    assert_int_equal(joulie_cluster_step(cluster, now_ms, &count, NULL), JOULIE_OK);
    return count;
}

static void settle_alive(struct joulie_cluster *cluster, int64_t now_ms)
{
    size_t count;
    while ((count = beat(cluster, now_ms)) > 0)
        apply_all(cluster, count);
}

struct answers {
    size_t count;
    const char *names[MOST_NODES];
    int32_t reject[MOST_NODES];
    int32_t basis[MOST_NODES];
    int32_t score[MOST_NODES];
    int32_t wire[MOST_NODES];
    double raw[MOST_NODES];
    double headroom[MOST_NODES];
    double marginal_w[MOST_NODES];
};

static void place(struct joulie_cluster *cluster, const struct joulie_work *work, int64_t now_ms,
                  struct answers *out)
{
    struct joulie_place_columns_out columns = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    columns.reject = (struct joulie_column_int_out){ out->reject, sizeof(int32_t) };
    columns.basis = (struct joulie_column_int_out){ out->basis, sizeof(int32_t) };
    columns.score = (struct joulie_column_int_out){ out->score, sizeof(int32_t) };
    columns.wire = (struct joulie_column_int_out){ out->wire, sizeof(int32_t) };
    columns.raw = (struct joulie_column_out){ out->raw, sizeof(double) };
    columns.projected_headroom_score = (struct joulie_column_out){ out->headroom, sizeof(double) };
    columns.marginal_w = (struct joulie_column_out){ out->marginal_w, sizeof(double) };
    if (joulie_cluster_place(cluster, work, now_ms, out->names, &columns, MOST_NODES, &out->count,
                             &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
}

static struct joulie_work one_core(void)
{
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    work.has = JOULIE_WORK_HAS_CPU;
    work.cpu_cores = 1;
    work.workload_class = JOULIE_WORKLOAD_STANDARD;
    return work;
}

/* ---- decisions ---- */

static void the_worked_example_is_decided_without_an_object(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine n1 = cpu_machine("n1");
    n1.gpu_model = "NVIDIA H100 SXM";
    n1.has |= JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT | JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX;
    n1.gpu_count = 8;
    n1.gpu_max_w = 700;
    put_named(cluster, "n3");
    put_machine(cluster, &n1);
    put_named(cluster, "n2");
    put_performance(cluster, "job", "n3");
    settle_alive(cluster, NOW_MS);

    const struct joulie_cluster_node first = node_of(cluster, "n1");
    const struct joulie_cluster_node second = node_of(cluster, "n2");
    const struct joulie_cluster_node third = node_of(cluster, "n3");
    assert_int_equal(first.profile, JOULIE_PROFILE_PERFORMANCE);
    assert_true(first.has & JOULIE_CLUSTER_NODE_HAS_GPU_CAP_PCT);
    assert_near(first.gpu_cap_pct, 100, 0);
    assert_false(first.has & JOULIE_CLUSTER_NODE_HAS_CPU_CAP_PCT); /* it has GPUs */
    assert_int_equal(second.profile, JOULIE_PROFILE_PERFORMANCE);
    assert_near(second.cpu_cap_pct, 100, 0);
    assert_int_equal(third.profile, JOULIE_PROFILE_ECO);
    assert_int_equal(third.state, JOULIE_NODE_STATE_DRAINING_PERFORMANCE);
    assert_int_equal(third.node_class, JOULIE_NODE_CLASS_DRAINING);
    assert_int_equal(third.is_draining, 1);
    assert_near(third.cpu_cap_pct, 100, 0); /* draining keeps performance caps */
    assert_near(second.node_tdp_w, 720, 0);
    joulie_cluster_free(cluster);
}

static void machines_are_decided_like_the_objects_that_say_the_same(void **state)
{
    (void)state;
    static const char hardware[] =
        "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":"
        "\"%s\"},\"spec\":{\"nodeName\":\"%s\"},\"status\":{\"cpu\":{\"rawModel\":\"AMD EPYC 9654 "
        "96-Core Processor\",\"sockets\":2,\"totalCores\":192}}}";
    static const char pod[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":"
        "\"user\",\"annotations\":{\"joulie.io/workload-class\":\"performance\"}},\"spec\":{"
        "\"nodeName\":\"c\"},\"status\":{\"phase\":\"Running\"}}";
    static const char *const names[] = { "a", "b", "c", "d" };
    struct joulie_cluster *machines = make("{}");
    struct joulie_cluster *objects = make("policy: {nodeSelector: ''}");
    for (size_t i = 0; i < 4; i++) {
        char text[512];
        struct joulie_cluster_machine machine = cpu_machine(names[i]);
        machine.rack = "r";
        put_machine(machines, &machine);
        snprintf(
            text, sizeof text,
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":"
            "{\"joulie.io/rack\":\"r\"}}}",
            names[i]);
        upsert(objects, text);
        snprintf(text, sizeof text, hardware, names[i], names[i]);
        upsert(objects, text);
        measure(machines, names[i], NOW_MS, 100 + 50 * (double)i);
        measure(objects, names[i], NOW_MS, 100 + 50 * (double)i);
    }
    put_performance(machines, "p", "c");
    upsert(objects, pod);
    settle_alive(machines, NOW_MS);
    settle_alive(objects, NOW_MS);

    struct answers of_machines;
    struct answers of_objects;
    const struct joulie_work work = one_core();
    place(machines, &work, NOW_MS, &of_machines);
    place(objects, &work, NOW_MS, &of_objects);
    assert_int_equal(of_machines.count, 4);
    for (size_t i = 0; i < 4; i++) {
        struct joulie_cluster_node machine = node_of(machines, names[i]);
        struct joulie_cluster_node object = node_of(objects, names[i]);
        assert_int_equal(machine.profile, object.profile);
        assert_int_equal(machine.state, object.state);
        assert_string_equal(object.label,
                            joulie_word(JOULIE_VOCABULARY_PROFILE,
                                        (int)object.profile)); /* only objects are labelled */
        assert_string_equal(machine.label, "");
        assert_true(machine.has == object.has);
        assert_near(machine.cpu_cap_pct, object.cpu_cap_pct, 0);
        assert_near(machine.headroom_score, object.headroom_score, 0);
        assert_near(machine.cooling_stress_score, object.cooling_stress_score, 0);
        assert_near(machine.psu_stress_score, object.psu_stress_score, 0);
        assert_near(machine.rack_power_w, 700, 0); /* 100 + 150 + 200 + 250 */
        assert_string_equal(of_machines.names[i], names[i]);
        assert_int_equal(of_machines.score[i], of_objects.score[i]);
        assert_near(of_machines.raw[i], of_objects.raw[i], 0);
    }
    joulie_cluster_free(machines);
    joulie_cluster_free(objects);
}

static void actions_say_what_they_change(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "a");
    put_named(cluster, "b");
    const size_t count = beat(cluster, NOW_MS);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        const struct joulie_cluster_action action = action_at(cluster, i);
        assert_string_equal(action.node_name, i < 2 ? "a" : "b");
        assert_int_equal(action.change, i % 2 == 0 ? JOULIE_CHANGE_SPEC : JOULIE_CHANGE_STATUS);
    }
    apply_all(cluster, count);
    assert_int_equal(beat(cluster, NOW_MS + MINUTE_MS), 0);
    joulie_cluster_free(cluster);
}

static void flags_take_a_machine_out_of_the_plan(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("policy: {type: static_partition, staticHpFrac: 0}");
    struct joulie_cluster_machine reserved = cpu_machine("b");
    struct joulie_cluster_machine cordoned = cpu_machine("c");
    struct joulie_cluster_machine foreign = cpu_machine("d");
    struct joulie_cluster_machine paused = cpu_machine("e");
    reserved.is_reserved = 1;
    cordoned.is_unschedulable = 1;
    foreign.is_unmanaged = 1;
    paused.is_paused = 1;
    put_named(cluster, "a");
    put_machine(cluster, &reserved);
    put_machine(cluster, &cordoned);
    put_machine(cluster, &foreign);
    put_machine(cluster, &paused);
    settle_alive(cluster, NOW_MS);
    assert_string_equal(node_of(cluster, "a").scope, "managed");
    assert_string_equal(node_of(cluster, "b").scope, "reserved");
    assert_string_equal(node_of(cluster, "c").scope, "unschedulable");
    assert_string_equal(node_of(cluster, "d").scope, "selector");
    assert_int_equal(node_of(cluster, "d").profile, JOULIE_PROFILE_UNKNOWN);
    assert_string_equal(node_of(cluster, "e").scope, "managed");
    assert_int_equal(node_of(cluster, "e").is_paused, 1);
    joulie_cluster_free(cluster);
}

/* Without a state the profiles that stand count: the second machine keeps performance. */
static void what_a_machine_runs_as_is_remembered_for_the_model(void **state)
{
    (void)state;
    struct joulie_cluster *cluster =
        make("policy: {type: queue_aware_v1, queueHpBaseFrac: 0, queueHpMin: 1}");
    struct joulie_cluster_machine a = cpu_machine("a");
    struct joulie_cluster_machine b = cpu_machine("b");
    a.profile = JOULIE_PROFILE_PERFORMANCE;
    b.profile = JOULIE_PROFILE_PERFORMANCE;
    put_machine(cluster, &a);
    put_machine(cluster, &b);
    settle_alive(cluster, NOW_MS);
    assert_int_equal(node_of(cluster, "b").profile, JOULIE_PROFILE_PERFORMANCE);
    settle_alive(cluster, NOW_MS + 5 * MINUTE_MS); /* QUEUE_SCALE_DOWN_DELAY */
    assert_int_equal(node_of(cluster, "b").profile, JOULIE_PROFILE_ECO);

    struct joulie_cluster *fresh =
        make("policy: {type: queue_aware_v1, queueHpBaseFrac: 0, queueHpMin: 1}");
    put_named(fresh, "a");
    put_named(fresh, "b");
    settle_alive(fresh, NOW_MS);
    assert_int_equal(node_of(fresh, "b").profile, JOULIE_PROFILE_ECO);
    joulie_cluster_free(cluster);
    joulie_cluster_free(fresh);
}

static void put_wide(struct joulie_cluster *cluster, const char *name, const char *const *nodes,
                     uint32_t count)
{
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    needs.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    work.needs = &needs;
    work.node_names = nodes;
    work.node_count = count;
    put_work(cluster, name, &work);
}

static struct joulie_cluster_totals totals_of(struct joulie_cluster *cluster)
{
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    return totals;
}

static void work_over_nodes_counts_on_each_of_them(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "a");
    put_named(cluster, "b");
    put_named(cluster, "c");
    put_wide(cluster, "w", NULL, 3); /* waits for three */
    beat(cluster, NOW_MS);
    assert_int_equal(totals_of(cluster).pods_performance, 3);

    put_wide(cluster, "w", (const char *[]){ "b", "c", "elsewhere" }, 3);
    beat(cluster, NOW_MS);
    assert_int_equal(totals_of(cluster).pods_performance, 2); /* nobody knows the third */
    assert_int_equal(node_of(cluster, "c").is_draining, 1);

    put_wide(cluster, "w", (const char *[]){ "a" }, 1); /* c is free */
    beat(cluster, NOW_MS);
    assert_int_equal(totals_of(cluster).pods_performance, 1);
    assert_int_equal(node_of(cluster, "c").is_draining, 0);

    put_wide(cluster, "w", (const char *[]){ "c", "c" }, 2);
    assert_int_equal(joulie_cluster_remove(cluster, "work", "user", "w", NULL), JOULIE_OK);
    beat(cluster, NOW_MS);
    assert_int_equal(totals_of(cluster).pods_performance, 0);
    assert_int_equal(node_of(cluster, "c").is_draining, 0);
    joulie_cluster_free(cluster);
}

/* What is put again as it is changes nothing, also when something else was put in between. */
static void a_machine_may_be_put_at_every_beat(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    machine.rack = "r1";
    put_machine(cluster, &machine);
    settle_alive(cluster, NOW_MS);
    put_machine(cluster, &machine);
    assert_int_equal(beat(cluster, NOW_MS), 0);

    machine.rack = "r2";
    put_machine(cluster, &machine);
    machine.rack = NULL;
    put_machine(cluster, &machine);
    beat(cluster, NOW_MS);
    assert_false(node_of(cluster, "a").has & JOULIE_CLUSTER_NODE_HAS_RACK_POWER);

    upsert(cluster, "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {joulie.io/rack: r}}");
    put_machine(cluster, &machine); /* the Node is no machine: this one counts again */
    machine.cpu_model = "nobody's";
    put_machine(cluster, &machine);
    assert_int_equal(node_of(cluster, "a").cpu_tdp_source, JOULIE_TDP_SOURCE_CORES);
    machine.cpu_model = NULL;
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_CPU_MAX;
    machine.cpu_max_w = 300;
    put_machine(cluster, &machine);
    assert_int_equal(node_of(cluster, "a").cpu_tdp_source, JOULIE_TDP_SOURCE_GIVEN);

    assert_int_equal(joulie_cluster_remove(cluster, "machine", NULL, "a", NULL), JOULIE_OK);
    put_machine(cluster, &machine);
    assert_int_equal(node_of(cluster, "a").cpu_tdp_source, JOULIE_TDP_SOURCE_GIVEN);
    joulie_cluster_free(cluster);
}

/* Numbers and texts are those of before, and yet the object said something else in between. */
static void a_machine_counts_again_after_an_object_that_looks_like_it(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    put_named(cluster, "a");
    settle_alive(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cpu_density, 136396.8, 1e-6);
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                    "\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"a\"},\"status\":{"
                    "\"cpu\":{\"rawModel\":\"AMD EPYC 9654 96-Core Processor\",\"sockets\":1,"
                    "\"totalCores\":96}}}");
    assert_near(node_of(cluster, "a").cpu_density, 68198.4, 1e-6);
    put_named(cluster, "a");
    assert_near(node_of(cluster, "a").cpu_density, 136396.8, 1e-6);
    joulie_cluster_free(cluster);
}

/* The object of the lower name counts while it is there, and what it says is not what was put. */
static void a_machine_is_kept_below_an_object_of_another_name(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    const char *const model = machine.cpu_model;
    (void)state;
    machine.cpu_model = "nobody's";
    put_machine(cluster, &machine);
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                    "\"metadata\":{\"name\":\"0\"},\"spec\":{\"nodeName\":\"a\"},\"status\":{"
                    "\"cpu\":{\"rawModel\":\"AMD EPYC 9654 96-Core Processor\",\"sockets\":1,"
                    "\"totalCores\":96}}}");
    put_machine(cluster, &machine);
    assert_near(node_of(cluster, "a").cpu_density, 68198.4, 1e-6);
    machine.cpu_model = model;
    put_machine(cluster, &machine);
    assert_int_equal(joulie_cluster_remove(cluster, "NodeHardware", NULL, "0", NULL), JOULIE_OK);
    assert_near(node_of(cluster, "a").cpu_density, 136396.8, 1e-6);
    joulie_cluster_free(cluster);
}

static void a_model_of_gpus_may_be_said_later(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster *other = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    (void)state;
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT;
    machine.gpu_count = 8;
    put_machine(cluster, &machine);
    const double before = node_of(cluster, "a").gpu_density;
    machine.gpu_model = "NVIDIA H100 SXM";
    put_machine(cluster, &machine);
    put_machine(other, &machine);
    assert_true(node_of(other, "a").gpu_density > before);
    assert_near(node_of(cluster, "a").gpu_density, node_of(other, "a").gpu_density, 0);
    joulie_cluster_free(cluster);
    joulie_cluster_free(other);
}

/* Reserved, in a rack and a zone, with a profile, and paused. */
static void a_machine_may_say_everything_at_once(void **state)
{
    struct joulie_cluster *cluster = make("policy: {type: queue_aware_v1, queueHpBaseFrac: 0}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    (void)state;
    machine.rack = "r1";
    machine.cooling_zone = "z1";
    machine.is_reserved = 1;
    machine.is_paused = 1;
    machine.profile = JOULIE_PROFILE_PERFORMANCE;
    put_machine(cluster, &machine);
    const struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, "a");
    const struct jl_map *labels = &node->value.meta.labels;
    assert_string_equal(jl_map_get(labels, "joulie.io/rack"), "r1");
    assert_string_equal(jl_map_get(labels, "joulie.io/cooling-zone"), "z1");
    assert_string_equal(jl_map_get(labels, "joulie.io/reserved"), "true");
    assert_string_equal(jl_map_get(labels, "joulie.io/power-profile"), "performance");
    assert_int_equal(node_of(cluster, "a").is_paused, 1);
    joulie_cluster_free(cluster);
}

/* The time since which a machine runs as it does is that of a change of either. */
static void a_machine_that_drained_before_has_changed(void **state)
{
    (void)state;
    for (int32_t is_draining = 0; is_draining <= 1; is_draining++) {
        struct joulie_cluster *cluster = make("policy: {type: static_partition, staticHpFrac: 0}");
        struct joulie_cluster_machine machine = cpu_machine("a");
        bool has_since = false;
        machine.profile = JOULIE_PROFILE_ECO;
        machine.is_draining = is_draining;
        put_machine(cluster, &machine);
        const size_t count = beat(cluster, NOW_MS);
        for (size_t i = 0; i < count; i++)
            has_since = has_since || strstr(body_at(cluster, i), "joulie.io/profile-since") != NULL;
        assert_int_equal(node_of(cluster, "a").profile, JOULIE_PROFILE_ECO);
        assert_int_equal(has_since, is_draining);
        joulie_cluster_free(cluster);
    }
}

static void statuses_are_done_in_one_call(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "a");
    put_named(cluster, "b");
    size_t statuses = 0;
    const size_t count = beat(cluster, NOW_MS);
    for (size_t i = 0; i < count; i++)
        statuses += action_at(cluster, i).change == JOULIE_CHANGE_STATUS;
    assert_int_equal(statuses, 2);
    assert_int_equal(joulie_cluster_statuses_done(cluster, NULL), JOULIE_OK);
    assert_int_equal(beat(cluster, NOW_MS), count); /* a status needs its spec first */
    for (size_t i = 0; i < count; i++) {
        const struct joulie_cluster_action action = action_at(cluster, i);
        if (action.change == JOULIE_CHANGE_SPEC)
            assert_int_equal(
                joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, NULL),
                JOULIE_OK);
    }
    assert_int_equal(joulie_cluster_statuses_done(cluster, NULL), JOULIE_OK);
    assert_int_equal(beat(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

/* 3 high, 4 medium, 5 low = 11.0 */
static void waiting_work_weighs_by_its_intensity(void **state)
{
    (void)state;

    static const struct {
        enum joulie_level intensity;
        int count;
    } groups[] = { { JOULIE_LEVEL_HIGH, 3 }, { JOULIE_LEVEL_MEDIUM, 4 }, { JOULIE_LEVEL_LOW, 5 } };
    struct joulie_cluster *cluster = make("policy: {type: queue_aware_v1}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    needs.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    work.needs = &needs;
    put_named(cluster, "a");
    for (size_t g = 0; g < 3; g++) {
        for (int i = 0; i < groups[g].count; i++) {
            char name[32];
            snprintf(name, sizeof name, "w-%zu-%d", g, i);
            work.intensity = groups[g].intensity;
            put_work(cluster, name, &work);
        }
    }
    beat(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_near(totals.weighted_demand, 11, 0);
    assert_int_equal(totals.pods_performance, 12);

    work.is_finished = 1;
    put_work(cluster, "w-0-0", &work);
    assert_int_equal(joulie_cluster_remove(cluster, "work", "user", "w-1-0", NULL), JOULIE_OK);
    work.is_finished = 0;
    work.is_pinned = 1;
    put_work(cluster, "w-2-0", &work);
    beat(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_near(totals.weighted_demand, 8, 0); /* 11 - 1.5 - 1 - 0.5 */
    joulie_cluster_free(cluster);
}

static void work_that_may_not_move_keeps_its_machine_from_saving(void **state)
{
    (void)state;

    static const struct {
        enum joulie_movable movable;
        int is_draining;
    } cases[] = { { JOULIE_MOVABLE_UNKNOWN, 0 },
                  { JOULIE_MOVABLE_YES, 0 },
                  { JOULIE_MOVABLE_NO, 1 } };

    for (size_t i = 0; i < 3; i++) {
        struct joulie_cluster *cluster = make("{}");
        struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
        put_named(cluster, "a");
        put_named(cluster, "b"); /* half of two: b is eco */
        work.node_names = (const char *[]){ "b" };
        work.node_count = 1;
        work.movable = cases[i].movable;
        put_work(cluster, "w", &work);
        beat(cluster, NOW_MS);
        assert_int_equal(node_of(cluster, "b").is_draining, cases[i].is_draining);
        joulie_cluster_free(cluster);
    }
}

static void a_machine_that_is_removed_leaves_nothing(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    put_named(cluster, "a");
    put_named(cluster, "b");
    settle_alive(cluster, NOW_MS);
    const size_t count = beat(cluster, NOW_MS);
    assert_int_equal(count, 0);
    assert_int_equal(joulie_cluster_remove(cluster, "machine", NULL, "a", NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_remove(cluster, "machine", NULL, "a", NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_node_by_name(cluster, "a", &node, NULL), JOULIE_E_NOT_FOUND);
    apply_all(cluster, beat(cluster, NOW_MS + MINUTE_MS));
    assert_int_equal(beat(cluster, NOW_MS + MINUTE_MS), 0);
    assert_int_equal(joulie_cluster_node_at(cluster, 1, &node, NULL), JOULIE_E_RANGE);
    joulie_cluster_free(cluster);
}

static void actions_outlive_the_machine_that_they_are_about(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "a");
    const size_t count = beat(cluster, NOW_MS);
    assert_int_equal(count, 2);
    assert_int_equal(joulie_cluster_remove(cluster, "machine", NULL, "a", NULL), JOULIE_OK);
    assert_string_equal(action_at(cluster, 0).node_name, "a");
    assert_non_null(strstr(body_at(cluster, 0), "\"packagePowerCapPctOfMax\":100"));
    assert_non_null(strstr(body_at(cluster, 1), "2026-03-13T12:00:00Z"));
    joulie_cluster_free(cluster);
}

static void machines_stand_in_name_order(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a",
        "ab",
        "node-000",
        "node-0001",
        "node-0001-x2",
        "node-0001-x3",
        "node-0001-x3-rack-11",
        "node-0001-x3-rack-12",
        "node-1",
        "\xc3\xa9",
    };
    static const size_t order[] = { 5, 0, 9, 7, 2, 4, 8, 1, 6, 3 };
    struct joulie_cluster *cluster = make("{}");
    for (size_t i = 0; i < 10; i++)
        put_named(cluster, names[order[i]]);
    for (size_t i = 0; i < 10; i++) {
        struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
        assert_int_equal(joulie_cluster_node_at(cluster, i, &node, NULL), JOULIE_OK);
        assert_string_equal(node.name, names[i]);
    }
    joulie_cluster_free(cluster);
}

static void facts_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_machine machine = cpu_machine("a");
    machine.cpu_sockets = 1.5;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "cpu_sockets");
    machine = cpu_machine("a");
    machine.cpu_cores = -1;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "cpu_cores");
    machine = cpu_machine("a");
    machine.is_paused = 2;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "is_paused");
    machine = cpu_machine("a");
    machine.profile = (enum joulie_profile)7;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_ENUM);
    machine = cpu_machine("a");
    machine.has |= UINT64_C(1) << 40;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_ABI);
    machine = cpu_machine(NULL);
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_REQUIRED);

    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    work.needs = &needs;
    needs.has = JOULIE_WORK_HAS_CPU;
    needs.cpu_cores = -1;
    assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, &err), JOULIE_E_RANGE);
    needs.cpu_cores = 1;
    assert_int_equal(joulie_cluster_put_work(cluster, "g", "", &work, &err), JOULIE_E_REQUIRED);
    work.movable = (enum joulie_movable)9;
    assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, &err), JOULIE_E_ENUM);
    work.movable = JOULIE_MOVABLE_UNKNOWN;
    work.has = JOULIE_CLUSTER_WORK_HAS_STARTED;
    work.started_ms = INT64_MAX;
    assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "started_ms");
    assert_int_equal(beat(cluster, NOW_MS), 0); /* nothing was stored */
    joulie_cluster_free(cluster);
}

/* Counts are whole up to a million, watts up to a billion; a machine has a socket at least. */
static void facts_at_their_bounds_are_taken(void **state)
{
    enum { COUNT, WATTS };

    static const struct {
        uint64_t bit;
        size_t member;
        int kind;
        double least;
    } rows[] = {

#define FACT(name, member, kind, least)                                                         \
    { JOULIE_CLUSTER_MACHINE_HAS_##name, offsetof(struct joulie_cluster_machine, member), kind, \
      least }
        FACT(CPU_SOCKETS, cpu_sockets, COUNT, 1), FACT(CPU_CORES, cpu_cores, COUNT, 0),
        FACT(CPU_MAX, cpu_max_w, WATTS, 0),       FACT(CPU_MIN, cpu_min_w, WATTS, 0),
        FACT(GPU_COUNT, gpu_count, COUNT, 0),     FACT(GPU_MAX, gpu_max_w, WATTS, 0),
        FACT(GPU_MIN, gpu_min_w, WATTS, 0),       FACT(GPU_IDLE, gpu_idle_w, WATTS, 0),
#undef FACT
    };
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double most = rows[i].kind == COUNT ? 1e6 : 1e9;
        const double step = rows[i].kind == COUNT ? 1 : 0.5;

        const struct {
            double value;
            int code;
        } values[] = { { rows[i].least, JOULIE_OK },
                       { rows[i].least - step, JOULIE_E_RANGE },
                       { most, JOULIE_OK },
                       { most + step, JOULIE_E_RANGE } };

        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            struct joulie_cluster_machine machine = cpu_machine("a");
            machine.has |= rows[i].bit;
            memcpy((char *)&machine + rows[i].member, &values[k].value, sizeof(double));
            assert_int_equal(joulie_cluster_put_machine(cluster, &machine, NULL), values[k].code);
        }
    }
    joulie_cluster_free(cluster);
}

/* ---- racks and zones ---- */

/* Power of the rack / its capacity */
static void racks_have_capacities_of_their_own(void **state)
{
    (void)state;
    struct joulie_cluster *cluster =
        make("rackCapacityW: 20000\nracks: {small: {capacityW: 5000}, odd.name: {}}");

    static const struct {
        const char *name;
        const char *rack;
        double psu;
    } machines[] = {
        { "a", "small", 20 },   /* 1000 of 5000 */
        { "b", "large", 5 },    /* 1000 of 20000 */
        { "c", "odd.name", 5 }, /* named without a capacity */
    };

    for (size_t i = 0; i < 3; i++) {
        struct joulie_cluster_machine machine = cpu_machine(machines[i].name);
        machine.rack = machines[i].rack;
        put_machine(cluster, &machine);
        measure(cluster, machines[i].name, NOW_MS, 1000);
    }
    settle_alive(cluster, NOW_MS);
    for (size_t i = 0; i < 3; i++)
        assert_near(node_of(cluster, machines[i].name).psu_stress_score, machines[i].psu, 1e-9);

    struct joulie_cluster_machine moved = cpu_machine("b");
    moved.rack = "small";
    put_machine(cluster, &moved);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 40, 1e-9); /* 2000 of 5000 */
    assert_near(node_of(cluster, "b").psu_stress_score, 40, 1e-9);
    joulie_cluster_free(cluster);
}

/* Without a reading a machine counts with what runs on it, which is nothing: 128 W of 5000 W. */
static void a_rack_follows_readings_that_grow_too_old(void **state)
{
    struct joulie_cluster *cluster = make("racks: {r: {capacityW: 5000}}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    (void)state;
    machine.rack = "r";
    put_machine(cluster, &machine);
    measure(cluster, "a", NOW_MS, 1000);
    settle_alive(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 20, 1e-9);
    settle_alive(cluster, NOW_MS + 5 * MINUTE_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 20, 1e-9);
    settle_alive(cluster, NOW_MS + 5 * MINUTE_MS + 1);
    assert_near(node_of(cluster, "a").psu_stress_score, 2.56, 1e-9);
    assert_near(node_of(cluster, "a").rack_power_w, 128, 1e-9);
    joulie_cluster_free(cluster);
}

static void meter(struct joulie_cluster *cluster, const char *rack, double watts)
{
    struct joulie_cluster_facility readings = JOULIE_INIT(struct joulie_cluster_facility);
    readings.has = JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    readings.it_power_w = watts;
    assert_int_equal(joulie_cluster_put_rack(cluster, rack, &readings, NULL), JOULIE_OK);
}

/* Of 10 kW: two machines of 1 kW each, and what the meter of the rack shows. */
static void a_rack_that_is_measured_is_not_summed(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("rackCapacityW: 10000");
    static const char *const names[] = { "a", "b" };
    meter(cluster, "r", 3500); /* before its first machine */
    for (size_t i = 0; i < 2; i++) {
        struct joulie_cluster_machine machine = cpu_machine(names[i]);
        machine.rack = "r";
        put_machine(cluster, &machine);
        measure(cluster, names[i], NOW_MS, 1000);
    }
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 35, 1e-9);
    assert_near(node_of(cluster, "b").psu_stress_score, 35, 1e-9);
    assert_near(node_of(cluster, "b").rack_power_w, 3500, 1e-9);
    assert_string_equal(node_of(cluster, "b").rack, "r");
    assert_string_equal(node_of(cluster, "b").cooling_zone, "");
    meter(cluster, "r", 4000);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 40, 1e-9);
    meter(cluster, "r", 0); /* no meter shows that of machines that run */
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 20, 1e-9);
    joulie_cluster_free(cluster);
}

static void a_rack_outlives_its_machines_while_it_is_measured(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("racks: {r: {capacityW: 8000}}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    struct joulie_cluster_facility nothing = JOULIE_INIT(struct joulie_cluster_facility);
    machine.rack = "r";
    put_machine(cluster, &machine);
    meter(cluster, "r", 2000);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 25, 1e-9);
    assert_int_equal(joulie_cluster_remove(cluster, "Node", "", "a", NULL), JOULIE_OK);
    beat(cluster, NOW_MS);
    put_machine(cluster, &machine);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 25, 1e-9);
    assert_int_equal(joulie_cluster_put_rack(cluster, "r", &nothing, NULL), JOULIE_OK);
    measure(cluster, "a", NOW_MS, 800);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").psu_stress_score, 10, 1e-9);
    nothing.has = JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    nothing.it_power_w = -1;
    assert_int_equal(joulie_cluster_put_rack(cluster, "r", &nothing, NULL), JOULIE_E_RANGE);
    nothing.it_power_w = 1;
    assert_int_equal(joulie_cluster_put_rack(cluster, "", &nothing, NULL), JOULIE_E_REQUIRED);
    joulie_cluster_free(cluster);
}

/* 360 W of 720 W, k(25) = 1.111111, k(30) = 1.25, k(35) = 1.428571 */
static void zones_have_temperatures_of_their_own(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("zones: {hall: {outsideTempC: 30}}");
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_cluster_machine a = cpu_machine("a");
    struct joulie_cluster_machine b = cpu_machine("b");
    a.cooling_zone = "hall";
    put_machine(cluster, &a);
    put_machine(cluster, &b);
    measure(cluster, "a", NOW_MS, 360);
    measure(cluster, "b", NOW_MS, 360);
    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    facility.outside_temp_c = 25;
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), JOULIE_OK);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cooling_stress_score, 62.5, 1e-9);
    assert_near(node_of(cluster, "b").cooling_stress_score, 50 / 0.9, 1e-9);

    facility.outside_temp_c = 35;
    assert_int_equal(joulie_cluster_put_zone(cluster, "hall", &facility, NULL), JOULIE_OK);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cooling_stress_score, 50 / 0.7, 1e-9);
    assert_near(node_of(cluster, "b").cooling_stress_score, 50 / 0.9, 1e-9);

    facility.has = 0;
    assert_int_equal(joulie_cluster_put_zone(cluster, "hall", &facility, NULL), JOULIE_OK);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cooling_stress_score, 62.5, 1e-9); /* the setting again */

    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    facility.outside_temp_c = 35;
    assert_int_equal(joulie_cluster_put_zone(cluster, "yard", &facility, NULL), JOULIE_OK);
    b.cooling_zone = "yard"; /* given before its first machine came */
    put_machine(cluster, &b);
    beat(cluster, NOW_MS);
    assert_near(node_of(cluster, "b").cooling_stress_score, 50 / 0.7, 1e-9);

    facility.outside_temp_c = HUGE_VAL;
    assert_int_equal(joulie_cluster_put_zone(cluster, "yard", &facility, NULL), JOULIE_E_RANGE);
    facility.outside_temp_c = 5;
    assert_int_equal(joulie_cluster_put_zone(cluster, "", &facility, NULL), JOULIE_E_REQUIRED);
    joulie_cluster_free(cluster);
}

/* ---- placement ---- */

/* A node as its twin describes it. */
static void put_twin(struct joulie_cluster *cluster, const char *name, double measured_w,
                     double cooling, double headroom)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"}}", name);
    upsert(cluster, text);
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":"
             "\"%s\"},\"spec\":{\"nodeName\":\"%s\",\"profile\":\"performance\"},\"status\":{"
             "\"schedulableClass\":\"performance\",\"predictedPowerHeadroomScore\":%g,"
             "\"predictedCoolingStressScore\":%g,\"powerMeasurement\":{\"measuredNodePowerW\":%g,"
             "\"nodeCappedPowerW\":1000},\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
             name, name, headroom, cooling, measured_w);
    upsert(cluster, text);
}

static void put_the_example_of_6_2(struct joulie_cluster *cluster)
{
    put_twin(cluster, "n1", 300, 20, 70);
    put_twin(cluster, "n2", 950, 60, 5);
    upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n3\"}}");
}

static void scores_are_those_of_the_written_example(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct answers answers;
    const struct joulie_work work = one_core();
    put_the_example_of_6_2(cluster);
    place(cluster, &work, NOW_MS, &answers);
    assert_int_equal(answers.count, 3);
    assert_string_equal(answers.names[1], "n2");
    assert_near(answers.marginal_w[0], 105, 1e-9);
    assert_near(answers.raw[0], 34.9, 1e-9);
    assert_near(answers.headroom[0], 59.5, 1e-9);
    assert_near(answers.raw[1], -16.6, 1e-9);
    assert_int_equal(answers.score[0], 34);
    assert_int_equal(answers.wire[0], 3);
    assert_int_equal(answers.score[1], 0);
    assert_int_equal(answers.score[2], 0); /* min(25, 0) */
    assert_int_equal(answers.basis[2], JOULIE_BASIS_MISSING);
    assert_int_equal(answers.reject[0], JOULIE_REJECT_NONE);
    joulie_cluster_free(cluster);
}

/* -16.6 and 34.9 are the lowest and the highest; unknown nodes get 0 */
static void wire_numbers_may_spread_by_rank(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("scoring: {spread: rank}");
    struct answers answers;
    const struct joulie_work work = one_core();
    static const int32_t wires[] = { 10, 0, 0 };
    put_the_example_of_6_2(cluster);
    place(cluster, &work, NOW_MS, &answers);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(answers.wire[i], wires[i]);
    put_twin(cluster, "n3", 40, 0, 96); /* any third one that is best */
    place(cluster, &work, NOW_MS, &answers);
    assert_int_equal(answers.wire[1], 0);
    assert_int_equal(answers.wire[2], 10);

    char *json = NULL;
    const char *pod = "{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":1}}}]}}";
    assert_int_equal(joulie_cluster_score(cluster, pod, strlen(pod), NOW_MS, &json, NULL),
                     JOULIE_OK);
    char expected[64];
    snprintf(expected, sizeof expected, "\"score\":%d,\"wire\":%d", (int)answers.score[0],
             (int)answers.wire[0]);
    assert_non_null(strstr(json, expected));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

/* n2 would draw 950 + 105 of 1000 W */
static void work_may_not_pass_the_power_of_a_node(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("scoring: {maxProjectedPct: 100}");
    struct answers answers;
    const struct joulie_work work = one_core();
    put_the_example_of_6_2(cluster);
    place(cluster, &work, NOW_MS, &answers);
    assert_int_equal(answers.reject[0], JOULIE_REJECT_NONE);
    assert_int_equal(answers.reject[1], JOULIE_REJECT_POWER);
    joulie_cluster_free(cluster);
}

static void rooms_that_are_too_small_are_refused(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    const struct joulie_work work = one_core();
    struct joulie_place_columns_out columns = JOULIE_INIT(struct joulie_place_columns_out);
    const char *names[3] = { NULL, NULL, NULL };
    int32_t scores[3] = { -1, -1, -1 };
    size_t count = 7;
    put_the_example_of_6_2(cluster);
    columns.score = (struct joulie_column_int_out){ scores, sizeof *scores };
    assert_int_equal(joulie_cluster_place(cluster, &work, NOW_MS, names, &columns, 2, &count, NULL),
                     JOULIE_E_LIMIT);
    assert_int_equal(count, 7);
    assert_int_equal(scores[0], -1);
    assert_null(names[0]);
    assert_int_equal(joulie_cluster_place(cluster, &work, NOW_MS, NULL, NULL, 0, &count, NULL),
                     JOULIE_OK);
    assert_int_equal(count, 3);
    columns.score.stride = 0;
    assert_int_equal(joulie_cluster_place(cluster, &work, NOW_MS, names, &columns, 3, &count, NULL),
                     JOULIE_E_RANGE);
    joulie_cluster_free(cluster);
}

/* Of another release: longer with something in its tail, or shorter than the first one. */
static void columns_of_an_impossible_size_are_refused(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    const struct joulie_work work = one_core();

    struct {
        struct joulie_place_columns_out known;
        uint64_t later;
    } columns = { .known = JOULIE_INIT(struct joulie_place_columns_out) };

    (void)state;
    columns.known.struct_size = sizeof columns;
    assert_int_equal(
        joulie_cluster_place(cluster, &work, NOW_MS, NULL, &columns.known, 0, NULL, NULL), 0);
    columns.later = 1;
    assert_int_equal(
        joulie_cluster_place(cluster, &work, NOW_MS, NULL, &columns.known, 0, NULL, NULL),
        JOULIE_E_ABI);
    columns.known.struct_size = 8;
    assert_int_equal(
        joulie_cluster_place(cluster, &work, NOW_MS, NULL, &columns.known, 0, NULL, NULL),
        JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

static void start(struct joulie_cluster *cluster, int64_t started_ms)
{
    const struct joulie_work needs = one_core();
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    work.needs = &needs;
    work.node_names = (const char *[]){ "n1" };
    work.node_count = 1;
    work.has = started_ms != 0 ? JOULIE_CLUSTER_WORK_HAS_STARTED : 0;
    work.started_ms = started_ms;
    put_work(cluster, "burst", &work);
}

/* One more piece of work of 105 W on n1 that the twin does not know yet: (1000 - 300 - 105 -
 * 105) / 10 = 49; 0.7 * 49 + 12 - 18.75 = 27.55 */
static void a_burst_sees_its_own_work(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("ledger: true");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    struct answers answers;
    const struct joulie_work work = one_core();
    put_the_example_of_6_2(cluster);
    start(cluster, 0); /* not yet */
    place(cluster, &work, NOW_MS, &answers);
    assert_near(answers.headroom[0], 49, 1e-9);
    assert_near(answers.raw[0], 27.55, 1e-9);
    assert_near(answers.marginal_w[0], 105, 1e-9);
    assert_near(answers.raw[1], -16.6, 1e-9); /* pressure is what was predicted */
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.ledger_entries, 1);
    assert_near(totals.ledger_w, 105, 1e-6);
    assert_near(node_of(cluster, "n1").ledger_w, 105, 1e-6);

    start(cluster, NOW_MS + 1); /* after the twin was written */
    place(cluster, &work, NOW_MS, &answers);
    assert_near(answers.raw[0], 27.55, 1e-9);
    start(cluster, NOW_MS); /* the twin has it */
    place(cluster, &work, NOW_MS, &answers);
    assert_near(answers.raw[0], 34.9, 1e-9);
    start(cluster, 0);
    assert_int_equal(joulie_cluster_remove(cluster, "work", "user", "burst", NULL), JOULIE_OK);
    place(cluster, &work, NOW_MS, &answers);
    assert_near(answers.raw[0], 34.9, 1e-9);
    joulie_cluster_free(cluster);
}

static void pods_are_in_the_ledger_until_the_twin_has_them(void **state)
{
    (void)state;

    static const struct {
        const char *status;
        double raw;
    } cases[] = {
        { "\"phase\":\"Pending\"", 27.55 },
        { "\"phase\":\"Running\",\"startTime\":\"2026-03-13T12:00:01Z\"", 27.55 },
        { "\"phase\":\"Running\",\"startTime\":\"2026-03-13T12:00:00Z\"", 34.9 },
        { "\"phase\":\"Running\"", 34.9 }, /* since when, nobody says */
        { "\"phase\":\"Succeeded\",\"startTime\":\"2026-03-13T12:00:01Z\"", 34.9 },
    };
    struct joulie_cluster *cluster = make("ledger: true");
    const struct joulie_work work = one_core();
    put_the_example_of_6_2(cluster);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        struct answers answers;
        snprintf(
            text, sizeof text,
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":"
            "\"d\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"resources\":"
            "{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{%s}}",
            cases[i].status);
        upsert(cluster, text);
        place(cluster, &work, NOW_MS, &answers);
        assert_near(answers.raw[0], cases[i].raw, 1e-9);
    }
    joulie_cluster_free(cluster);
}

static void the_ledger_is_a_setting_of_the_current_rules(void **state)
{
    (void)state;

    static const struct {
        const char *settings;
        const char *without;
    } cases[] = {
        { "{}", "{}" },
        { "ledger: false", "{}" },
        { "ledger: true\nscoringProfile: v0.1.1", "scoringProfile: v0.1.1" },
        { "ledger: true\nscoringProfile: legacy", "scoringProfile: legacy" },
    };
    const struct joulie_work work = one_core();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct joulie_cluster *cluster = make(cases[i].settings);
        struct joulie_cluster *plain = make(cases[i].without);
        struct answers with;
        struct answers without;
        put_the_example_of_6_2(cluster);
        put_the_example_of_6_2(plain);
        start(cluster, 0);
        place(cluster, &work, NOW_MS, &with);
        place(plain, &work, NOW_MS, &without);
        assert_near(with.raw[0], without.raw[0], 0);
        assert_near(node_of(cluster, "n1").ledger_w, 0, 0);
        joulie_cluster_free(cluster);
        joulie_cluster_free(plain);
    }
}

/* ---- many of them ---- */

#define MODELS 1000
#define MACHINES 20

static double watts_of(size_t model, size_t machine, int round)
{
    return (double)(100 + (model * 7 + machine * 13 + (size_t)round * 29) % 600);
}

static void fill(struct joulie_cluster *cluster, size_t model)
{
    for (size_t i = 0; i < MACHINES; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%02zu", i);
        put_named(cluster, name);
        if (i % 5 == model % 5)
            put_performance(cluster, name, name);
    }
}

static void live(struct joulie_cluster *cluster, size_t model, int round)
{
    for (size_t i = 0; i < MACHINES; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%02zu", i);
        measure(cluster, name, NOW_MS + round * MINUTE_MS, watts_of(model, i, round));
    }
    apply_all(cluster, beat(cluster, NOW_MS + round * MINUTE_MS));
}

static void assert_same_answers(struct joulie_cluster *a, struct joulie_cluster *b, int round)
{
    struct answers left;
    struct answers right;
    const struct joulie_work work = one_core();
    place(a, &work, NOW_MS + round * MINUTE_MS, &left);
    place(b, &work, NOW_MS + round * MINUTE_MS, &right);
    assert_int_equal(left.count, MACHINES);
    for (size_t i = 0; i < MACHINES; i++) {
        assert_int_equal(left.score[i], right.score[i]);
        assert_near(left.raw[i], right.raw[i], 0);
    }
}

/* Each of a thousand that live in turns answers like one that lives alone. */
static void a_thousand_models_do_not_know_of_each_other(void **state)
{
    (void)state;
    static struct joulie_cluster *models[MODELS];
    for (size_t m = 0; m < MODELS; m++) {
        models[m] = make("{}");
        fill(models[m], m);
    }
    for (int round = 0; round < 3; round++) {
        for (size_t m = 0; m < MODELS; m++)
            live(models[m], m, round);
    }
    for (size_t m = 0; m < MODELS; m += 37) {
        struct joulie_cluster *alone = make("{}");
        fill(alone, m);
        for (int round = 0; round < 3; round++)
            live(alone, m, round);
        assert_same_answers(models[m], alone, 2);
        joulie_cluster_free(alone);
    }
    for (size_t m = 0; m < MODELS; m++)
        joulie_cluster_free(models[m]);
}

static void work_counts_a_gigawatt_at_most(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("ledger: true");
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_work needs = one_core();
    put_the_example_of_6_2(cluster);
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                    "\"metadata\":{\"name\":\"n1\"},\"spec\":{\"nodeName\":\"n1\"},"
                    "\"status\":{\"gpu\":{\"present\":true,\"count\":8}}}");
    needs.has |= JOULIE_WORK_HAS_GPU;
    needs.gpu_count = 1e18;
    work.needs = &needs;
    work.node_names = (const char *[]){ "n1" };
    work.node_count = 1;
    put_work(cluster, "too much", &work);
    assert_near(node_of(cluster, "n1").ledger_w, 1e9, 0);
    put_work(cluster, "too much as well", &work);
    assert_near(node_of(cluster, "n1").ledger_w, 2e9, 0);
    joulie_cluster_free(cluster);
}

/* ---- what one change makes new ---- */

/* k(25) = 1.111111, k(35) = 1.428571; IT power of 10 kW at most */
static void the_facility_reaches_every_node(void **state)
{
    static const struct {
        double outside_c;
        double it_power_w;
        double cooling;
        double psu;
    } rows[] = {
        { 25, 2000, 50 / 0.9, 20 },
        { 35, 2000, 50 / 0.7, 20 },
        { 35, 5000, 50 / 0.7, 50 },
        { 25, 5000, 50 / 0.9, 50 },
    };
    struct joulie_cluster *cluster = make("clusterCapacityW: 10000");
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    (void)state;
    put_named(cluster, "a");
    put_named(cluster, "b");
    measure(cluster, "a", NOW_MS, 360);
    measure(cluster, "b", NOW_MS, 360);
    settle_alive(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cooling_stress_score, 50, 1e-9); /* 20 degrees are assumed */
    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP; /* 0 degrees are a temperature */
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), JOULIE_OK);
    settle_alive(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cooling_stress_score, 50 / 1.4, 1e-9);
    facility.has |= JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        facility.outside_temp_c = rows[i].outside_c;
        facility.it_power_w = rows[i].it_power_w;
        assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), JOULIE_OK);
        settle_alive(cluster, NOW_MS + 1 + (int64_t)i);
        for (const char *const *name = (const char *const[]){ "a", "b", NULL }; *name; name++) {
            assert_near(node_of(cluster, *name).cooling_stress_score, rows[i].cooling, 1e-9);
            assert_near(node_of(cluster, *name).psu_stress_score, rows[i].psu, 1e-9);
        }
    }
    joulie_cluster_free(cluster);
}

/* Powers may be 0, temperatures below. A number without its bit is not read. */
static void readings_of_a_building_are_checked(void **state)
{
#define BIT(name) JOULIE_CLUSTER_FACILITY_HAS_##name

    static const struct {
        uint64_t has;
        double outside_c;
        double it_w;
        double cooling_w;
        int code;
    } rows[] = {
        { BIT(OUTSIDE_TEMP) | BIT(IT_POWER) | BIT(COOLING_POWER), -40, 0, 0, JOULIE_OK },
        { BIT(OUTSIDE_TEMP), HUGE_VAL, 1, 1, JOULIE_E_RANGE },
        { BIT(OUTSIDE_TEMP), -HUGE_VAL, 1, 1, JOULIE_E_RANGE },
        { BIT(IT_POWER), 1, -1, 1, JOULIE_E_RANGE },
        { BIT(IT_POWER), 1, NAN, 1, JOULIE_E_RANGE },
        { BIT(COOLING_POWER), 1, 1, -1, JOULIE_E_RANGE },
        { BIT(COOLING_POWER), 1, 1, HUGE_VAL, JOULIE_E_RANGE },
        { 0, NAN, -1, -1, JOULIE_OK },
        { UINT64_C(1) << 3, 1, 1, 1, JOULIE_E_ABI },
    };
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
        facility.has = rows[i].has;
        facility.outside_temp_c = rows[i].outside_c;
        facility.it_power_w = rows[i].it_w;
        facility.cooling_power_w = rows[i].cooling_w;
        assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), rows[i].code);
        assert_int_equal(joulie_cluster_put_zone(cluster, "hall", &facility, NULL), rows[i].code);
    }
    joulie_cluster_free(cluster);
}

/* The sums of the ledger are those of now, whatever was asked before. */
static void the_ledger_is_summed_without_a_step(void **state)
{
    struct joulie_cluster *cluster = make("ledger: true");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    (void)state;
    put_the_example_of_6_2(cluster);
    start(cluster, 0);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.ledger_entries, 1);
    assert_near(totals.ledger_w, 105, 1e-6);
    assert_int_equal(joulie_cluster_remove(cluster, "work", "user", "burst", NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.ledger_entries, 0);
    assert_near(totals.ledger_w, 0, 0);
    joulie_cluster_free(cluster);
}

/* 150 W x 0.7 x 0.3333333 of its one core: 34.9999965 W, cut to whole microwatts. */
static void the_ledger_counts_whole_microwatts(void **state)
{
    struct joulie_cluster *cluster = make("ledger: true");
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_work needs = one_core();
    (void)state;
    put_the_example_of_6_2(cluster);
    needs.cpu_cores = 0.3333333;
    work.needs = &needs;
    work.node_names = (const char *[]){ "n1" };
    work.node_count = 1;
    put_work(cluster, "third", &work);
    assert_near(node_of(cluster, "n1").ledger_w, 34.999996, 1e-12);
    joulie_cluster_free(cluster);
}

/* Of 105 W of work on a node that is not measured: 70 - 105 / 1000 x 100 = 59.5 stay of its
 * headroom, and the next piece of work takes as much again. Without capped watts there is no
 * share to take. */
static void the_ledger_takes_headroom_of_a_node_without_measurement(void **state)
{
    static const struct {
        const char *capped;
        double alone;
        double beside; /* the work of the ledger */
    } rows[] = { { "{\"nodeCappedPowerW\":1000}", 59.5, 49 },
                 { "{}", 70, 70 },
                 { "{\"nodeCappedPowerW\":0}", 70, 70 } };
    const struct joulie_work work = one_core();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make("ledger: true");
        struct answers answers;
        char text[512];
        upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}");
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{"
                 "\"name\":\"n1\"},\"spec\":{\"nodeName\":\"n1\",\"profile\":\"performance\"},"
                 "\"status\":{\"schedulableClass\":\"performance\",\"predictedPowerHeadroomScore\":"
                 "70,\"powerMeasurement\":%s,\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
                 rows[i].capped);
        upsert(cluster, text);
        place(cluster, &work, NOW_MS, &answers);
        assert_near(answers.headroom[0], rows[i].alone, 1e-9);
        start(cluster, 0);
        place(cluster, &work, NOW_MS, &answers);
        assert_near(answers.headroom[0], rows[i].beside, 1e-9);
        joulie_cluster_free(cluster);
    }
}

/* What a machine does not say of its cores is not judged: waiting work is given a node. */
static void a_machine_without_cores_takes_work_that_waits(void **state)
{
    static const struct {
        double cores; /* of the machine, 0 = not said */
        enum joulie_profile profile;
    } rows[] = { { 0, JOULIE_PROFILE_PERFORMANCE },
                 { 4, JOULIE_PROFILE_PERFORMANCE },
                 { 3, JOULIE_PROFILE_ECO } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make("policy: {type: queue_aware_v1}");
        struct joulie_cluster_machine machine = cpu_machine("a");
        struct joulie_work needs = one_core();
        struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
        if (rows[i].cores == 0)
            machine.has &= ~(uint64_t)JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES;
        machine.cpu_cores = rows[i].cores;
        put_machine(cluster, &machine);
        needs.cpu_cores = 4;
        needs.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
        work.needs = &needs;
        work.node_count = 1;
        put_work(cluster, "waits", &work);
        settle_alive(cluster, NOW_MS);
        assert_int_equal(node_of(cluster, "a").profile, rows[i].profile);
        joulie_cluster_free(cluster);
    }
}

/* Of as many machines as there are one is removed, and comes again, between the step and what is
 * said of its actions: those are of the machine that is gone, all others count. */
static void actions_of_a_removed_machine_are_void(void **state)
{
    (void)state;
    for (int machines = 1; machines <= 6; machines++) {
        for (int removed = 0; removed < machines; removed++) {
            struct joulie_cluster *cluster = make("{}");
            char name[3] = "m0";
            for (int i = 0; i < machines; i++) {
                name[1] = (char)('0' + i);
                put_named(cluster, name);
            }
            const size_t count = beat(cluster, NOW_MS);
            name[1] = (char)('0' + removed);
            assert_int_equal(joulie_cluster_remove(cluster, "machine", NULL, name, NULL),
                             JOULIE_OK);
            put_named(cluster, name);
            apply_all(cluster, count);
            const size_t again = beat(cluster, NOW_MS);
            assert_int_equal(again, count / (size_t)machines);
            for (size_t i = 0; i < again; i++)
                assert_string_equal(action_at(cluster, i).node_name, name);
            assert_string_equal(action_at(cluster, 0).reason, "no NodeTwin yet");
            apply_all(cluster, again);
            assert_int_equal(beat(cluster, NOW_MS), 0);
            joulie_cluster_free(cluster);
        }
    }
}

/* Ids are those of the last step only. */
static void an_action_of_another_step_is_none(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    put_named(cluster, "a");
    const size_t count = beat(cluster, NOW_MS);
    const uint64_t first = action_at(cluster, 0).id;
    const uint64_t last = action_at(cluster, count - 1).id;
    assert_int_equal(last - first, count - 1);
    for (int outcome = JOULIE_OUTCOME_APPLIED; outcome <= JOULIE_OUTCOME_FAILED; outcome++) {
        const enum joulie_action_outcome word = (enum joulie_action_outcome)outcome;
        assert_int_equal(joulie_cluster_action_done(cluster, first - 1, word, NULL),
                         JOULIE_E_RANGE);
        assert_int_equal(joulie_cluster_action_done(cluster, last + 1, word, NULL), JOULIE_E_RANGE);
    }
    assert_int_equal(beat(cluster, NOW_MS), count);
    assert_int_equal(action_at(cluster, 0).id, last + 1);
    assert_int_equal(joulie_cluster_action_done(cluster, last, JOULIE_OUTCOME_APPLIED, NULL),
                     JOULIE_E_RANGE);
    joulie_cluster_free(cluster);
}

/* A number counts with its bit, and 0 GPUs are none. What is put again in another way is another
 * machine: each row is put after each other one. 700 of each H100 and 2 x 360 W of the CPUs. */
static void gpus_of_a_machine_are_those_it_says(void **state)
{
    static const struct {
        uint64_t has;
        uint32_t count;
        double max_w;
        double density;
        double tdp_w;
    } rows[] = {
        { 0, 0, 0, 0, 720 },
        { 0, 8, 500, 0, 720 },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT, 0, 0, 0, 720 },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT, 1, 500, 700, 1420 },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT, 8, 0, 5600, 6320 },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT | JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX, 8, 500, 5600,
          4720 },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX, 8, 500, 0, 720 },
    };

    const size_t count = sizeof rows / sizeof *rows;
    struct joulie_cluster *cluster = make("{}");
    int64_t now_ms = NOW_MS;
    (void)state;
    for (size_t i = 0; i < count * count * 2; i++) {
        const size_t k = i % 2 == 0 ? i / 2 / count : i / 2 % count;
        struct joulie_cluster_machine machine = cpu_machine("a");
        machine.gpu_model = "NVIDIA H100 SXM";
        machine.has |= rows[k].has;
        machine.gpu_count = rows[k].count;
        machine.gpu_max_w = rows[k].max_w;
        put_machine(cluster, &machine);
        settle_alive(cluster, now_ms++);
        assert_near(node_of(cluster, "a").gpu_density, rows[k].density, 1e-9);
        assert_near(node_of(cluster, "a").node_tdp_w, rows[k].tdp_w, 1e-9);
    }
    joulie_cluster_free(cluster);
}

/* Every word of the field is taken, and none beside it. */
static void words_of_work_end_with_the_last_one(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    put_named(cluster, "a");
    for (int level = JOULIE_LEVEL_UNKNOWN - 1; level <= JOULIE_LEVEL_NONE + 1; level++) {
        struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
        const bool is_word = level >= JOULIE_LEVEL_UNKNOWN && level <= JOULIE_LEVEL_NONE;
        work.node_count = 1;
        work.intensity = (enum joulie_level)level;
        assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, NULL),
                         is_word ? JOULIE_OK : JOULIE_E_ENUM);
    }
    for (int bit = 0; bit < 64; bit++) {
        struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
        work.node_count = 1;
        work.has = UINT64_C(1) << bit;
        assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, NULL),
                         work.has == JOULIE_CLUSTER_WORK_HAS_STARTED ? JOULIE_OK : JOULIE_E_ABI);
    }
    joulie_cluster_free(cluster);
}

/* Work counts in the ledger of a node from the first status on. */
static void a_node_without_a_status_has_no_ledger(void **state)
{
    struct joulie_cluster *cluster = make("ledger: true");
    (void)state;
    put_named(cluster, "n1");
    start(cluster, 0);
    assert_near(node_of(cluster, "n1").ledger_w, 0, 0);
    settle_alive(cluster, NOW_MS);
    assert_true(node_of(cluster, "n1").ledger_w > 0);
    joulie_cluster_free(cluster);
}

/* What an object said of it in between does not stay: 710.4 of each of 192 logical CPUs. */
static void a_machine_that_is_put_again_is_as_it_was_put(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    put_named(cluster, "a");
    settle_alive(cluster, NOW_MS);
    assert_near(node_of(cluster, "a").cpu_density, 136396.8, 1e-6);
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                    "\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"a\"},\"status\":{"
                    "\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":1,\"totalCores\":96}}}");
    assert_near(node_of(cluster, "a").cpu_density, 68198.4, 1e-6);
    put_named(cluster, "a");
    assert_near(node_of(cluster, "a").cpu_density, 136396.8, 1e-6);
    assert_int_equal(joulie_cluster_remove(cluster, "NodeHardware", NULL, "a", NULL), JOULIE_OK);
    assert_near(node_of(cluster, "a").cpu_density, 0, 0);
    put_named(cluster, "a");
    assert_near(node_of(cluster, "a").cpu_density, 136396.8, 1e-6);
    joulie_cluster_free(cluster);
}

/* By utilisation, of eight GPUs of 700 W that the catalog does not know and that do nothing: a
 * tenth of that where it is not said. */
static double watts_of_idle_gpus(bool is_said, double idle_w)
{
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("a");
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    machine.gpu_model = "GPU of nobody";
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT | JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX;
    machine.gpu_max_w = 700;
    machine.has |= is_said ? (uint64_t)JOULIE_CLUSTER_MACHINE_HAS_GPU_IDLE : 0;
    machine.gpu_count = 8;
    machine.gpu_idle_w = idle_w;
    put_machine(cluster, &machine);
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL | JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL;
    sample.at_ms = NOW_MS;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_OK);
    settle_alive(cluster, NOW_MS);
    const struct joulie_cluster_node node = node_of(cluster, "a");
    assert_int_equal(node.power_tier, JOULIE_POWER_TIER_UTILIZATION);
    joulie_cluster_free(cluster);
    return node.node_power_w;
}

static void idle_gpus_draw_what_is_said_of_them(void **state)
{
    const double unsaid_w = watts_of_idle_gpus(false, 30);
    (void)state;
    assert_near(watts_of_idle_gpus(true, 70), unsaid_w, 1e-9);
    assert_near(watts_of_idle_gpus(true, 50), unsaid_w - 160, 1e-9);
    assert_near(watts_of_idle_gpus(true, 100), unsaid_w + 240, 1e-9);
    assert_near(watts_of_idle_gpus(true, 0), unsaid_w, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_is_decided_without_an_object),
        cmocka_unit_test(machines_are_decided_like_the_objects_that_say_the_same),
        cmocka_unit_test(actions_say_what_they_change),
        cmocka_unit_test(flags_take_a_machine_out_of_the_plan),
        cmocka_unit_test(what_a_machine_runs_as_is_remembered_for_the_model),
        cmocka_unit_test(work_over_nodes_counts_on_each_of_them),
        cmocka_unit_test(a_machine_may_be_put_at_every_beat),
        cmocka_unit_test(statuses_are_done_in_one_call),
        cmocka_unit_test(waiting_work_weighs_by_its_intensity),
        cmocka_unit_test(work_that_may_not_move_keeps_its_machine_from_saving),
        cmocka_unit_test(a_machine_that_is_removed_leaves_nothing),
        cmocka_unit_test(actions_outlive_the_machine_that_they_are_about),
        cmocka_unit_test(machines_stand_in_name_order),
        cmocka_unit_test(facts_that_cannot_be_are_refused),
        cmocka_unit_test(facts_at_their_bounds_are_taken),
        cmocka_unit_test(racks_have_capacities_of_their_own),
        cmocka_unit_test(a_rack_follows_readings_that_grow_too_old),
        cmocka_unit_test(actions_of_a_removed_machine_are_void),
        cmocka_unit_test(a_machine_that_is_put_again_is_as_it_was_put),
        cmocka_unit_test(words_of_work_end_with_the_last_one),
        cmocka_unit_test(a_node_without_a_status_has_no_ledger),
        cmocka_unit_test(gpus_of_a_machine_are_those_it_says),
        cmocka_unit_test(idle_gpus_draw_what_is_said_of_them),
        cmocka_unit_test(an_action_of_another_step_is_none),
        cmocka_unit_test(a_rack_that_is_measured_is_not_summed),
        cmocka_unit_test(a_rack_outlives_its_machines_while_it_is_measured),
        cmocka_unit_test(zones_have_temperatures_of_their_own),
        cmocka_unit_test(scores_are_those_of_the_written_example),
        cmocka_unit_test(wire_numbers_may_spread_by_rank),
        cmocka_unit_test(work_may_not_pass_the_power_of_a_node),
        cmocka_unit_test(rooms_that_are_too_small_are_refused),
        cmocka_unit_test(columns_of_an_impossible_size_are_refused),
        cmocka_unit_test(a_burst_sees_its_own_work),
        cmocka_unit_test(pods_are_in_the_ledger_until_the_twin_has_them),
        cmocka_unit_test(the_ledger_is_a_setting_of_the_current_rules),
        cmocka_unit_test(the_facility_reaches_every_node),
        cmocka_unit_test(readings_of_a_building_are_checked),
        cmocka_unit_test(the_ledger_is_summed_without_a_step),
        cmocka_unit_test(the_ledger_counts_whole_microwatts),
        cmocka_unit_test(the_ledger_takes_headroom_of_a_node_without_measurement),
        cmocka_unit_test(a_machine_without_cores_takes_work_that_waits),
        cmocka_unit_test(a_thousand_models_do_not_know_of_each_other),
        cmocka_unit_test(work_counts_a_gigawatt_at_most),
        cmocka_unit_test(a_machine_counts_again_after_an_object_that_looks_like_it),
        cmocka_unit_test(a_model_of_gpus_may_be_said_later),
        cmocka_unit_test(a_machine_may_say_everything_at_once),
        cmocka_unit_test(a_machine_that_drained_before_has_changed),
        cmocka_unit_test(a_machine_is_kept_below_an_object_of_another_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
