/* SPDX-License-Identifier: Apache-2.0 */

/* Lives of a model under efficiency_v1 (docs/rules/policy.md#efficiency_v1): the cap of a node's
 * GPUs follows its work, rises at once and falls after its dwell. The caps themselves are those of
 * tests/vectors/libjoulie-gpu-caps-current.json, of eight H100 SXM. */

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cluster/objects.h"
#include "cluster/state.h"

#define DWELL (300 * SECOND)
#define DAY (24 * 60 * MINUTE)
#define NONE 100
#define OF_COMPUTE 84 /* util 95 % */
#define OF_MIXED 65   /* 80 % */
#define OF_MEMORY 50  /* 70 % */
#define PATIENT 38    /* of memory, insensitive to caps */

static struct jl_cluster_config efficiency_config(void)
{
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, type, JL_POLICY_EFFICIENCY);
    JL_SET(&config.policy, node_selector, "joulie.io/managed=true");
    return config;
}

static void put_gpu_node_with(struct joulie_cluster *cluster, const char *name, const char *managed,
                              int gpus)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'joulie.io/managed':'"
        "%s','joulie.io/power-profile':'performance'}},'status':{'allocatable':{'cpu':'192',"
        "'nvidia.com/gpu':'%d'}}}",
        name, managed, gpus);
}

static void put_gpu_node(struct joulie_cluster *cluster, const char *name)
{
    put_gpu_node_with(cluster, name, "true", 8);
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeHardware','metadata':{'name':'%s'},'spec':"
        "{'nodeName':'%s'},'status':{'gpu':{'present':true,'count':8,'model':'NVIDIA_H100_SXM'}}}",
        name, name);
}

/* node NULL: it waits. more: further members of metadata, with a comma before. */
static void put_work(struct joulie_cluster *cluster, const char *name, const char *node, int gpus,
                     const char *more, const char *phase)
{
    char place[64] = "";
    if (node != NULL)
        snprintf(place, sizeof place, ",'nodeName':'%s'", node);
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default'%s},'spec':{"
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'4','nvidia.com/gpu':'%d'}}}]%s},"
        "'status':{'phase':'%s'}}",
        name, more, gpus, place, phase);
}

static void put_waiting(struct joulie_cluster *cluster, const char *name, int64_t created_ms)
{
    char created[JL_TIME_TEXT];
    char more[128];
    jl_format_time(created_ms, created);
    snprintf(more, sizeof more, ",'creationTimestamp':'%s'", created);
    put_work(cluster, name, NULL, 8, more, "Pending");
}

/* Of the pod of that name. */
static void put_profile(struct joulie_cluster *cluster, const char *pod, const char *gpu,
                        int64_t updated_ms)
{
    char updated[JL_TIME_TEXT];
    jl_format_time(updated_ms, updated);
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'WorkloadProfile','metadata':{'name':'%s',"
        "'namespace':'default'},'spec':{'workloadRef':{'kind':'Pod','name':'%s'}},'status':{"
        "'criticality':{'class':'standard'},'confidence':0.9,'lastUpdated':'%s','gpu':{%s}}}",
        pod, pod, updated, gpu);
}

static const char of_compute[] = "'bound':'compute','avgUtilizationPct':95";
static const char of_mixed[] = "'bound':'mixed','avgUtilizationPct':80";
static const char of_memory[] = "'bound':'memory','avgUtilizationPct':70";

static const struct jl_node_twin *twin_of(struct joulie_cluster *cluster, const char *node)
{
    const struct node_object *object = jl_cluster_find(&cluster->store.twins, node);
    return object != NULL ? &object->value.twin : NULL;
}

static double stored_cap(struct joulie_cluster *cluster, const char *node)
{
    const struct jl_node_twin *twin = twin_of(cluster, node);
    assert_non_null(twin);
    assert_int_equal(twin->spec.gpu.power_cap.scope, JL_CAP_SCOPE_PER_GPU);
    return twin->spec.gpu.power_cap.cap_pct;
}

static void assert_lowered_at(struct joulie_cluster *cluster, const char *node, int64_t at_ms)
{
    const char *text = jl_annotation(&twin_of(cluster, node)->meta, JL_ANNOTATION_CAP_LOWERED);
    char expected[JL_TIME_TEXT];
    if (at_ms == 0) {
        assert_null(text);
        return;
    }
    jl_format_time(at_ms, expected);
    assert_non_null(text);
    assert_string_equal(text, expected);
}

/* What the step writes, what it writes it for, and the whole percent of the cap by the work. */
static void assert_cap(struct joulie_cluster *cluster, int64_t now_ms, double pct,
                       enum jl_limit_reason reason, double best_pct)
{
    settle(cluster, now_ms);
    const struct jl_cluster_reasons node = explain(cluster, "g");
    if (stored_cap(cluster, "g") != pct || node.limit.reason != reason ||
        node.limit.best_pct != best_pct || node.limit.pct != pct)
        fail_msg("at +%d s: stored %g, decided %g: %s; by work %g",
                 (int)((now_ms - NOW_MS) / SECOND), stored_cap(cluster, "g"), node.limit.pct,
                 jl_limit_text(node.limit.reason), node.limit.best_pct);
}

/* One node, at 50 % since NOW_MS for a pod of work that waits for memory. */
static struct joulie_cluster *capped(void)
{
    const struct jl_cluster_config config = efficiency_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_gpu_node(cluster, "g");
    put_work(cluster, "p", "g", 8, "", "Running");
    put_profile(cluster, "p", of_memory, NOW_MS);
    assert_cap(cluster, NOW_MS, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    assert_lowered_at(cluster, "g", NOW_MS);
    return cluster;
}

static void a_cap_comes_with_the_work_and_goes_with_it(void **state)
{
    (void)state;
    const struct jl_cluster_config config = efficiency_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_gpu_node(cluster, "g");
    put_cpu_node(cluster, "c");
    assert_cap(cluster, NOW_MS, NONE, JL_LIMIT_IDLE, NONE);
    assert_lowered_at(cluster, "g", 0);
    put_profile(cluster, "p", of_mixed, NOW_MS); /* of nobody yet */
    put_work(cluster, "p", "g", 4, "", "Pending");
    assert_cap(cluster, NOW_MS + MINUTE, OF_MIXED, JL_LIMIT_CAPPED, OF_MIXED);
    assert_lowered_at(cluster, "g", NOW_MS + MINUTE);
    put_work(cluster, "p", "g", 4, "", "Running");
    assert_cap(cluster, NOW_MS + 2 * MINUTE, OF_MIXED, JL_LIMIT_CAPPED, OF_MIXED);
    put_work(cluster, "q", "g", 4, "", "Running"); /* nobody knows it */
    assert_cap(cluster, NOW_MS + 3 * MINUTE, NONE, JL_LIMIT_UNKNOWN_WORK, NONE);
    take_away(cluster, "Pod", "q");
    assert_cap(cluster, NOW_MS + MINUTE + DWELL, OF_MIXED, JL_LIMIT_CAPPED, OF_MIXED);
    put_work(cluster, "p", "g", 4, "", "Succeeded");
    assert_cap(cluster, NOW_MS + 2 * MINUTE + DWELL, NONE, JL_LIMIT_IDLE, NONE);
    assert_lowered_at(cluster, "g", NOW_MS + MINUTE + DWELL); /* rises are not remembered */
    assert_int_equal(explain(cluster, "c").limit.reason, JL_LIMIT_NO_REASON);
    assert_false(twin_of(cluster, "c")->spec.given.cpu);
    assert_false(twin_of(cluster, "c")->spec.given.gpu);
    joulie_cluster_free(cluster);
}

static void a_cap_rises_at_once_and_falls_after_its_dwell(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_profile(cluster, "p", of_compute, NOW_MS);
    assert_cap(cluster, NOW_MS + SECOND, OF_COMPUTE, JL_LIMIT_CAPPED, OF_COMPUTE);
    assert_lowered_at(cluster, "g", NOW_MS);
    put_profile(cluster, "p", of_mixed, NOW_MS);
    for (int64_t after_ms = 2 * SECOND; after_ms < DWELL; after_ms += MINUTE)
        assert_cap(cluster, NOW_MS + after_ms, OF_COMPUTE, JL_LIMIT_DWELL, OF_MIXED);
    assert_cap(cluster, NOW_MS + DWELL - 1, OF_COMPUTE, JL_LIMIT_DWELL, OF_MIXED);
    assert_cap(cluster, NOW_MS + DWELL, OF_MIXED, JL_LIMIT_CAPPED, OF_MIXED);
    assert_lowered_at(cluster, "g", NOW_MS + DWELL);
    put_profile(cluster, "p", of_memory, NOW_MS);
    assert_cap(cluster, NOW_MS + DWELL + SECOND, OF_MIXED, JL_LIMIT_DWELL, OF_MEMORY);
    assert_cap(cluster, NOW_MS + 2 * DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    joulie_cluster_free(cluster);
}

static void a_clock_that_is_set_back_ends_the_dwell(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_profile(cluster, "p", of_compute, NOW_MS);
    assert_cap(cluster, NOW_MS, OF_COMPUTE, JL_LIMIT_CAPPED, OF_COMPUTE);
    put_profile(cluster, "p", of_mixed, NOW_MS);
    assert_cap(cluster, NOW_MS, OF_COMPUTE, JL_LIMIT_DWELL, OF_MIXED);
    assert_cap(cluster, NOW_MS - SECOND, OF_MIXED, JL_LIMIT_CAPPED, OF_MIXED);
    assert_lowered_at(cluster, "g", NOW_MS - SECOND);
    joulie_cluster_free(cluster);
}

static void what_makes_work_known_or_precious_counts_when_it_changes(void **state)
{
    static const char performance[] = ",'annotations':{'joulie.io/workload-class':'performance'}";
    static const char insensitive[] = ",'annotations':{'joulie.io/gpu-sensitivity':'low'}";
    (void)state;
    struct joulie_cluster *cluster = capped();
    int64_t now_ms = NOW_MS;
    put_work(cluster, "p", "g", 8, performance, "Running");
    assert_cap(cluster, now_ms += SECOND, NONE, JL_LIMIT_PROMISE, NONE);
    put_work(cluster, "p", "g", 8, insensitive, "Running");
    assert_cap(cluster, now_ms += DWELL, PATIENT, JL_LIMIT_CAPPED, PATIENT);
    put_work(cluster, "p", "g", 8, "", "Running");
    assert_cap(cluster, now_ms += SECOND, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    put_profile(cluster, "p", "'bound':'memory'", NOW_MS);
    assert_cap(cluster, now_ms += SECOND, NONE, JL_LIMIT_UNKNOWN_WORK, NONE);
    put_profile(cluster, "p", of_memory, NOW_MS);
    assert_cap(cluster, now_ms += DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    take_away(cluster, "WorkloadProfile", "p");
    assert_cap(cluster, now_ms += SECOND, NONE, JL_LIMIT_UNKNOWN_WORK, NONE);
    joulie_cluster_free(cluster);
}

/* A profile counts for a day (docs/rules/classification.md#matching-profiles). */
static void a_profile_that_gets_too_old_frees_the_cap(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    assert_cap(cluster, NOW_MS + DAY, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    assert_cap(cluster, NOW_MS + DAY + 1, NONE, JL_LIMIT_UNKNOWN_WORK, NONE);
    put_profile(cluster, "p", of_memory, NOW_MS + DAY);
    assert_cap(cluster, NOW_MS + DAY + 2, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    joulie_cluster_free(cluster);
}

static void work_that_waits_frees_the_cap_until_it_has_gone(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    const int64_t created_ms = NOW_MS + MINUTE;
    put_waiting(cluster, "w", created_ms);
    assert_cap(cluster, created_ms + 5 * SECOND, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    assert_cap(cluster, created_ms + 5 * SECOND + 1, NONE, JL_LIMIT_BACKLOG, OF_MEMORY);
    assert_lowered_at(cluster, "g", NOW_MS);
    take_away(cluster, "Pod", "w");
    assert_cap(cluster, NOW_MS + DWELL - 1, NONE, JL_LIMIT_DWELL, OF_MEMORY);
    assert_cap(cluster, NOW_MS + DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    put_work(cluster, "w", NULL, 9, "", "Pending"); /* more than the node has */
    assert_cap(cluster, NOW_MS + DWELL + SECOND, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    put_work(cluster, "w", NULL, 1, "", "Pending");
    assert_cap(cluster, NOW_MS + DWELL + 2 * SECOND, NONE, JL_LIMIT_BACKLOG, OF_MEMORY);
    put_work(cluster, "w", "elsewhere", 1, "", "Pending");
    assert_cap(cluster, NOW_MS + 2 * DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    joulie_cluster_free(cluster);
}

/* ---- what is written, and what becomes of it ---- */

static const struct jl_cluster_write *spec_of(const struct actions *actions, const char *node)
{
    const struct jl_cluster_write *write = find_action(actions, JOULIE_CHANGE_SPEC, node);
    assert_non_null(write);
    return write;
}

static void outcome(struct joulie_cluster *cluster, const struct jl_cluster_write *write,
                    enum joulie_action_outcome word)
{
    assert_int_equal(joulie_cluster_action_done(cluster, write->id, word, NULL), 0);
}

static void a_write_that_fails_is_offered_again_with_its_time(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_profile(cluster, "p", of_compute, NOW_MS);
    settle(cluster, NOW_MS + SECOND);
    put_profile(cluster, "p", of_memory, NOW_MS);
    for (int i = 0; i < 3; i++) {
        const int64_t now_ms = NOW_MS + DWELL + i * MINUTE;
        const struct actions actions = step(cluster, now_ms);
        const struct jl_cluster_write *write = spec_of(&actions, "g");
        char expected[JL_TIME_TEXT];
        jl_format_time(now_ms, expected);
        assert_near(write->spec->gpu.power_cap.cap_pct, OF_MEMORY, 0);
        assert_string_equal(write->cap_lowered, expected);
        assert_null(write->profile_since);
        outcome(cluster, write, i == 0 ? JOULIE_OUTCOME_FAILED : JOULIE_OUTCOME_CONFLICT);
    }
    assert_cap(cluster, NOW_MS + 2 * DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    assert_lowered_at(cluster, "g", NOW_MS + 2 * DWELL);
    joulie_cluster_free(cluster);
}

static void a_cap_and_its_time_are_one_patch(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_profile(cluster, "p", of_compute, NOW_MS);
    struct actions actions = step(cluster, NOW_MS + SECOND);
    const char *body = NULL;
    assert_null(spec_of(&actions, "g")->cap_lowered);
    assert_int_equal(joulie_cluster_action_body(cluster, spec_of(&actions, "g")->id, &body, NULL),
                     0);
    assert_null(strstr(body, "metadata"));
    assert_non_null(strstr(body, "\"capPctOfMax\":84"));
    apply_all(cluster, &actions);
    put_profile(cluster, "p", of_memory, NOW_MS);
    actions = step(cluster, NOW_MS + DWELL);
    assert_int_equal(joulie_cluster_action_body(cluster, spec_of(&actions, "g")->id, &body, NULL),
                     0);
    assert_non_null(strstr(body, "\"metadata\":{\"annotations\":{\"joulie.io/gpu-cap-lowered\":"
                                 "\"2026-03-13T12:05:00Z\"}}"));
    assert_non_null(strstr(body, "\"capPctOfMax\":50"));
    joulie_cluster_free(cluster);
}

/* ---- other nodes, other models ---- */

static void a_node_that_leaves_the_scope_gets_its_cap_back(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_gpu_node_with(cluster, "g", "false", 8);
    const struct actions actions = step(cluster, NOW_MS + SECOND);
    assert_near(spec_of(&actions, "g")->spec->gpu.power_cap.cap_pct, NONE, 0);
    assert_null(find_action(&actions, JOULIE_CHANGE_RELEASE, "g"));
    apply_all(cluster, &actions);
    assert_int_equal(explain(cluster, "g").limit.reason, JL_LIMIT_NO_REASON);
    settle(cluster, NOW_MS + 2 * SECOND);
    assert_null(twin_of(cluster, "g"));
    put_gpu_node_with(cluster, "g", "true", 8);
    assert_cap(cluster, NOW_MS + 3 * SECOND, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    joulie_cluster_free(cluster);
}

static void a_node_that_loses_its_gpus_has_no_cap_of_them(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_gpu_node_with(cluster, "g", "true", 0);
    settle(cluster, NOW_MS + SECOND);
    assert_false(twin_of(cluster, "g")->spec.given.gpu);
    assert_int_equal(explain(cluster, "g").limit.reason, JL_LIMIT_NO_REASON);
    put_gpu_node_with(cluster, "g", "true", 8);
    assert_cap(cluster, NOW_MS + DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    joulie_cluster_free(cluster);
}

static void each_node_has_the_cap_of_its_own_work(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_gpu_node(cluster, "f");
    put_gpu_node(cluster, "h");
    put_work(cluster, "q", "h", 4, "", "Running");
    put_profile(cluster, "q", of_compute, NOW_MS);
    settle(cluster, NOW_MS + SECOND);
    assert_near(stored_cap(cluster, "f"), NONE, 0);
    assert_near(stored_cap(cluster, "g"), OF_MEMORY, 0);
    assert_near(stored_cap(cluster, "h"), OF_COMPUTE, 0);
    put_work(cluster, "q", "f", 4, "", "Running"); /* it moves */
    settle(cluster, NOW_MS + 2 * SECOND);
    assert_near(stored_cap(cluster, "f"), OF_COMPUTE, 0);
    assert_near(stored_cap(cluster, "h"), NONE, 0);
    joulie_cluster_free(cluster);
}

static void an_operator_that_is_started_anew_keeps_the_dwell(void **state)
{
    (void)state;
    const struct jl_cluster_config config = efficiency_config();
    struct joulie_cluster *cluster = capped();
    put_profile(cluster, "p", of_compute, NOW_MS);
    settle(cluster, NOW_MS + SECOND);
    cluster = started_anew(cluster, &config);
    put_work(cluster, "p", "g", 8, "", "Running");
    put_profile(cluster, "p", of_memory, NOW_MS);
    assert_cap(cluster, NOW_MS + 2 * SECOND, OF_COMPUTE, JL_LIMIT_DWELL, OF_MEMORY);
    assert_cap(cluster, NOW_MS + DWELL - 1, OF_COMPUTE, JL_LIMIT_DWELL, OF_MEMORY);
    assert_cap(cluster, NOW_MS + DWELL, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    joulie_cluster_free(cluster);
}

/* From eco caps to caps by work and back: each policy gives back what is not its own. */
static void policies_take_over_from_each_other(void **state)
{
    (void)state;
    struct jl_cluster_config queue = queue_config();
    const struct jl_cluster_config efficiency = efficiency_config();
    const char *body = NULL;
    JL_SET(&queue.policy, node_selector, "joulie.io/managed=true");
    struct joulie_cluster *cluster = new_cluster(&queue);
    put_gpu_node(cluster, "g");
    put_cpu_node(cluster, "c");
    settle(cluster, NOW_MS);
    assert_near(stored_cap(cluster, "g"), 60, 0);
    assert_near(twin_of(cluster, "c")->spec.cpu.cap_pct, 60, 0);

    cluster = started_anew(cluster, &efficiency);
    const struct actions actions = step(cluster, NOW_MS + MINUTE);
    assert_int_equal(joulie_cluster_action_body(cluster, spec_of(&actions, "c")->id, &body, NULL),
                     0);
    assert_non_null(strstr(body, "\"cpu\":null"));
    assert_null(spec_of(&actions, "g")->cap_lowered); /* from 60 % up to none */
    assert_cap(cluster, NOW_MS + MINUTE, NONE, JL_LIMIT_IDLE, NONE);
    assert_int_equal(twin_of(cluster, "g")->spec.profile, JOULIE_PROFILE_PERFORMANCE);
    assert_int_equal(twin_of(cluster, "c")->spec.profile, JOULIE_PROFILE_PERFORMANCE);
    assert_string_equal(twin_of(cluster, "c")->spec.policy.name, "efficiency-v1");
    assert_false(twin_of(cluster, "c")->spec.given.cpu);
    put_work(cluster, "p", "g", 8, "", "Running");
    put_profile(cluster, "p", of_memory, NOW_MS);
    assert_cap(cluster, NOW_MS + 2 * MINUTE, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);

    cluster = started_anew(cluster, &queue);
    settle(cluster, NOW_MS + 20 * MINUTE); /* nothing needs performance */
    settle(cluster, NOW_MS + 30 * MINUTE);
    assert_int_equal(explain(cluster, "g").limit.reason, JL_LIMIT_NO_REASON);
    assert_near(stored_cap(cluster, "g"), 60, 0);
    assert_near(twin_of(cluster, "c")->spec.cpu.cap_pct, 60, 0);
    assert_lowered_at(cluster, "g", NOW_MS + 2 * MINUTE); /* the queue policy does not touch it */
    joulie_cluster_free(cluster);
}

/* ---- machines and work of another scheduler, without objects ---- */

static void put_machine(struct joulie_cluster *cluster)
{
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    machine.name = "g";
    machine.gpu_model = "NVIDIA H100 80GB HBM3";
    machine.has = JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES | JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT;
    machine.cpu_cores = 192;
    machine.gpu_count = 8;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, NULL), 0);
}

static struct joulie_work memory_needs(void)
{
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    needs.has = JOULIE_WORK_HAS_CPU | JOULIE_WORK_HAS_GPU | JOULIE_WORK_HAS_GPU_UTIL;
    needs.cpu_cores = 4;
    needs.gpu_count = 8;
    needs.gpu_util = 0.7;
    needs.gpu_bound = JOULIE_BOUND_MEMORY;
    return needs;
}

static void work_without_objects_is_known_by_its_needs(void **state)
{
    (void)state;
    const struct jl_cluster_config config = efficiency_config();
    const char *const nodes[] = { "g" };
    struct joulie_cluster *cluster = new_cluster(&config);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_work needs = memory_needs();
    put_machine(cluster);
    work.node_names = nodes;
    work.node_count = 1;
    work.needs = &needs;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_cap(cluster, NOW_MS, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    needs.gpu_bound = JOULIE_BOUND_IO; /* says nothing of what limits the GPU */
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_cap(cluster, NOW_MS + SECOND, NONE, JL_LIMIT_UNKNOWN_WORK, NONE);
    needs.gpu_bound = JOULIE_BOUND_MEMORY;
    needs.gpu_count = 7.5;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_cap(cluster, NOW_MS + 2 * SECOND, NONE, JL_LIMIT_UNKNOWN_WORK, NONE);
    needs.gpu_count = 8;
    needs.gpu_sensitivity = JOULIE_LEVEL_LOW;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_cap(cluster, NOW_MS + DWELL, PATIENT, JL_LIMIT_CAPPED, PATIENT);
    work.is_finished = 1;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_cap(cluster, NOW_MS + DWELL + SECOND, NONE, JL_LIMIT_IDLE, NONE);
    joulie_cluster_free(cluster);
}

static void work_without_objects_waits_for_the_machines_that_could_take_it(void **state)
{
    static const struct {
        double cores;
        double gpus;
        enum joulie_gpu_vendor vendor;
        bool fits;
    } rows[] = {
        { 4, 8, JOULIE_GPU_VENDOR_UNKNOWN, true },   { 4, 8, JOULIE_GPU_VENDOR_NVIDIA, true },
        { 4, 8, JOULIE_GPU_VENDOR_AMD, false },      { 4, 9, JOULIE_GPU_VENDOR_UNKNOWN, false },
        { 192, 0, JOULIE_GPU_VENDOR_UNKNOWN, true }, { 193, 0, JOULIE_GPU_VENDOR_UNKNOWN, false },
    };

    (void)state;
    const struct jl_cluster_config config = efficiency_config();
    const char *const nodes[] = { "g" };
    struct joulie_cluster *cluster = new_cluster(&config);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_work needs = memory_needs();
    put_machine(cluster);
    work.node_names = nodes;
    work.node_count = 1;
    work.needs = &needs;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "runs", &work, NULL), 0);
    work.node_names = NULL;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const int64_t now_ms = NOW_MS + (int64_t)i * DWELL;
        needs.cpu_cores = rows[i].cores;
        needs.gpu_count = rows[i].gpus;
        needs.gpu_vendor = rows[i].vendor;
        assert_int_equal(joulie_cluster_put_work(cluster, "d", "waits", &work, NULL), 0);
        if (rows[i].fits)
            assert_cap(cluster, now_ms, NONE, JL_LIMIT_BACKLOG, OF_MEMORY);
        else
            assert_cap(cluster, now_ms, OF_MEMORY, JL_LIMIT_CAPPED, OF_MEMORY);
    }
    joulie_cluster_free(cluster);
}

/* ---- when a cap is searched again ---- */

static const struct cluster_node *node_of(struct joulie_cluster *cluster)
{
    return jl_cluster_find(&cluster->store.nodes, "g");
}

/* Clears what is due, so that the next event shows alone. */
static void assert_due(struct joulie_cluster *cluster, bool is_due, const char *what)
{
    if (((node_of(cluster)->due & DUE_LIMIT) != 0) != is_due)
        fail_msg("%s: the limit is %sdue", what, is_due ? "not " : "");
    settle(cluster, NOW_MS);
    assert_int_equal(node_of(cluster)->due & DUE_LIMIT, 0);
}

static void what_changes_the_work_or_the_hardware_makes_the_limit_due(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_work(cluster, "q", "g", 0, "", "Running");
    assert_due(cluster, true, "a pod comes");
    put_work(cluster, "q", "g", 1, "", "Running");
    assert_due(cluster, true, "a pod asks for GPUs");
    put_work(cluster, "q", "elsewhere", 1, "", "Running");
    assert_due(cluster, true, "a pod goes");
    put_profile(cluster, "p", of_mixed, NOW_MS);
    assert_due(cluster, true, "a profile of a pod");
    take_away(cluster, "WorkloadProfile", "p");
    assert_due(cluster, true, "a profile goes");
    put_gpu_node(cluster, "g");
    assert_due(cluster, true, "node and hardware");
    take_away(cluster, "NodeHardware", "g");
    assert_due(cluster, true, "no hardware");
    take_away(cluster, "Pod", "p");
    assert_due(cluster, true, "a pod is deleted");
    joulie_cluster_free(cluster);
}

static void what_changes_neither_does_not(void **state)
{
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_cluster_facility zone = JOULIE_INIT(struct joulie_cluster_facility);
    (void)state;
    struct joulie_cluster *cluster = capped();
    put_gpu_node(cluster, "h");
    assert_due(cluster, false, "another node");
    put_work(cluster, "q", "h", 8, "", "Running");
    assert_due(cluster, false, "a pod elsewhere");
    put_profile(cluster, "q", of_mixed, NOW_MS);
    assert_due(cluster, false, "a profile of a pod elsewhere");
    put_profile(cluster, "nobody", of_mixed, NOW_MS);
    assert_due(cluster, false, "a profile of no pod");
    put_work(cluster, "w", NULL, 8, "", "Pending");
    assert_due(cluster, false, "work that waits");
    measure(cluster, "g", NOW_MS, 3000);
    assert_due(cluster, false, "a reading");
    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    facility.outside_temp_c = 30;
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), 0);
    assert_due(cluster, false, "the weather");
    zone.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    zone.outside_temp_c = 31;
    assert_int_equal(joulie_cluster_put_zone(cluster, "z", &zone, NULL), 0);
    assert_due(cluster, false, "the weather of a zone");
    take_away(cluster, "NodeTwin", "g");
    assert_due(cluster, false, "the twin goes");
    joulie_cluster_heartbeat(cluster, NOW_MS);
    assert_due(cluster, false, "a heartbeat");
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cap_comes_with_the_work_and_goes_with_it),
        cmocka_unit_test(a_cap_rises_at_once_and_falls_after_its_dwell),
        cmocka_unit_test(a_clock_that_is_set_back_ends_the_dwell),
        cmocka_unit_test(what_makes_work_known_or_precious_counts_when_it_changes),
        cmocka_unit_test(a_profile_that_gets_too_old_frees_the_cap),
        cmocka_unit_test(work_that_waits_frees_the_cap_until_it_has_gone),
        cmocka_unit_test(a_write_that_fails_is_offered_again_with_its_time),
        cmocka_unit_test(a_cap_and_its_time_are_one_patch),
        cmocka_unit_test(a_node_that_leaves_the_scope_gets_its_cap_back),
        cmocka_unit_test(a_node_that_loses_its_gpus_has_no_cap_of_them),
        cmocka_unit_test(each_node_has_the_cap_of_its_own_work),
        cmocka_unit_test(an_operator_that_is_started_anew_keeps_the_dwell),
        cmocka_unit_test(policies_take_over_from_each_other),
        cmocka_unit_test(work_without_objects_is_known_by_its_needs),
        cmocka_unit_test(work_without_objects_waits_for_the_machines_that_could_take_it),
        cmocka_unit_test(what_changes_the_work_or_the_hardware_makes_the_limit_due),
        cmocka_unit_test(what_changes_neither_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
