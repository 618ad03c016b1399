/* SPDX-License-Identifier: Apache-2.0 */

/* What the operator does with a cluster: each test is one sentence of docs/rules/policy.md or
 * docs/rules/reconcile.md. */

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cluster/objects.h"

static void the_worked_example_of_4_12_is_decided_as_written(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "n3");
    put_cpu_node(cluster, "n2");
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n1'},'status':{'allocatable':"
        "{'cpu':'192','nvidia.com/gpu':'8'}}}");
    put(cluster, "{'apiVersion':'joulie.io/"
                 "v1alpha1','kind':'NodeHardware','metadata':{'name':'n1'},'spec':{'nodeName':"
                 "'n1'},'status':{'cpu':{'model':'AMD_EPYC_9654','sockets':2,'totalCores':192},"
                 "'gpu':{'present':true,'count':8,'model':'NVIDIA_H100_SXM'}}}");
    put_pod(cluster, "job", "n3", "performance", "Running");

    const struct actions actions = step(cluster, NOW_MS);
    const struct jl_twin_spec *n1 = find_action(&actions, JOULIE_CHANGE_SPEC, "n1")->spec;
    const struct jl_twin_spec *n2 = find_action(&actions, JOULIE_CHANGE_SPEC, "n2")->spec;
    const struct jl_twin_spec *n3 = find_action(&actions, JOULIE_CHANGE_SPEC, "n3")->spec;
    assert_int_equal(n1->profile, JOULIE_PROFILE_PERFORMANCE);
    assert_false(n1->given.cpu); /* no CPU cap on a node with GPUs */
    assert_near(n1->gpu.power_cap.cap_pct, 100, 0);
    assert_int_equal(n2->profile, JOULIE_PROFILE_PERFORMANCE);
    assert_near(n2->cpu.cap_pct, 100, 0);
    assert_int_equal(n3->profile, JOULIE_PROFILE_ECO);
    assert_true(n3->scheduling.draining);
    assert_near(n3->cpu.cap_pct, 100, 0); /* draining keeps performance caps */
    assert_string_equal(find_action(&actions, JOULIE_CHANGE_LABEL, "n3")->label, "eco");
    assert_int_equal(find_action(&actions, JOULIE_CHANGE_STATUS, "n3")->status->schedulable_class,
                     JOULIE_NODE_CLASS_DRAINING);
    joulie_cluster_free(cluster);
}

static void nothing_is_written_twice(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    assert_int_equal(settle(cluster, NOW_MS), 1);
    assert_int_equal(step(cluster, NOW_MS + MINUTE).count, 0);
    assert_int_equal(step(cluster, NOW_MS + 2 * MINUTE).count, 0);
    joulie_cluster_free(cluster);
}

static void a_draining_node_turns_eco_when_the_last_blocker_is_gone(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b"); /* half of two: b is eco */
    put_pod(cluster, "job", "b", "performance", "Running");
    settle(cluster, NOW_MS);
    assert_true(explain(cluster, "b").guard.is_draining);
    assert_int_equal(explain(cluster, "b").blocker_count, 1);
    assert_string_equal(explain(cluster, "b").blockers[0].name, "job");

    take_away(cluster, "Pod", "job");
    const struct actions actions = step(cluster, NOW_MS + MINUTE);
    const struct jl_cluster_write *spec = find_action(&actions, JOULIE_CHANGE_SPEC, "b");
    assert_false(spec->spec->scheduling.draining);
    assert_near(spec->spec->cpu.cap_pct, 60, 0);
    assert_string_equal(spec->profile_since, "2026-03-13T12:01:00Z");
    assert_null(find_action(&actions, JOULIE_CHANGE_LABEL, "b")); /* the label was eco already */
    assert_int_equal(find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status->schedulable_class,
                     JOULIE_NODE_CLASS_ECO);
    joulie_cluster_free(cluster);
}

/* A performance pod that needs most of a node. */
static void put_waiting(struct joulie_cluster *cluster, const char *name)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default',"
        "'annotations':{'joulie.io/workload-class':'performance'}},'spec':{'containers':[{"
        "'name':'c','resources':{'requests':{'cpu':'100'}}}]},'status':{'phase':'Pending'}}",
        name);
}

static void pending_pods_raise_the_number_of_performance_nodes(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    for (int i = 0; i < 5; i++)
        put_cpu_node(cluster, (const char *[]){ "a", "b", "c", "d", "e" }[i]);
    step(cluster, NOW_MS);
    assert_int_equal(totals(cluster).performance_nodes, 0);

    for (int i = 0; i < 3; i++)
        put_waiting(cluster, (const char *[]){ "p", "q", "r" }[i]);
    step(cluster, NOW_MS + MINUTE);
    assert_int_equal(totals(cluster).performance_nodes, 3);
    assert_int_equal(totals(cluster).pods_performance, 3);
    joulie_cluster_free(cluster);
}

static void a_pod_that_waits_asks_for_an_early_step(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == INT64_MAX);
    put_waiting(cluster, "p"); /* before the first step */
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == NOW_MS);
    step(cluster, NOW_MS);
    put_waiting(cluster, "p"); /* the same again */
    put_pod(cluster, "other", "", "standard", "Pending");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == INT64_MAX);

    put_waiting(cluster, "q"); /* at multiples of 5 s, once at each */
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == NOW_MS + 5000);
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS + 1) == NOW_MS + 5000);
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS + 5000) == NOW_MS + 5000);
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS + 5001) == NOW_MS + 10000);
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS - 1) == NOW_MS); /* set back */
    assert_true(joulie_cluster_early_step_ms(cluster, -1) == 0);
    assert_true(joulie_cluster_early_step_ms(cluster, -5001) == -5000);
    assert_true(joulie_cluster_early_step_ms(cluster, INT64_MAX) == INT64_MAX);
    assert_true(joulie_cluster_early_step_ms(cluster, INT64_MIN) == INT64_MAX);
    step(cluster, NOW_MS + 5000);
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS + MINUTE) == INT64_MAX);
    joulie_cluster_free(cluster);
}

/* Ended, removed or moved; and a node that comes. */
static void room_that_comes_free_asks_for_an_early_step(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_pod(cluster, "gone", "a", "standard", "Running");
    put_pod(cluster, "ended", "a", "standard", "Running");
    step(cluster, NOW_MS);
    take_away(cluster, "Pod", "gone"); /* for nobody */
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == INT64_MAX);
    put_waiting(cluster, "p");
    step(cluster, NOW_MS);
    put_pod(cluster, "ended", "a", "standard", "Running");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == INT64_MAX);
    put_pod(cluster, "ended", "a", "standard", "Succeeded");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == NOW_MS + 5000);
    step(cluster, NOW_MS);
    put_pod(cluster, "new", "a", "standard", "Running"); /* takes room */
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == INT64_MAX);
    take_away(cluster, "Pod", "new");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == NOW_MS + 5000);
    step(cluster, NOW_MS);
    put_cpu_node(cluster, "b");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == NOW_MS + 5000);
    joulie_cluster_free(cluster);
}

static void policies_that_read_no_queue_ask_for_no_early_step(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    step(cluster, NOW_MS);
    put_waiting(cluster, "p");
    assert_true(joulie_cluster_early_step_ms(cluster, NOW_MS) == INT64_MAX);
    joulie_cluster_free(cluster);
}

static void pods_of_nodes_that_are_not_ours_are_no_demand(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'x','labels':{'joulie.io/"
                 "reserved':'true'}}}");
    put_pod(cluster, "p", "x", "performance", "Running");
    put_pod(cluster, "q", "elsewhere", "performance", "Running");
    step(cluster, NOW_MS);
    assert_near(totals(cluster).weighted_demand, 0, 0);
    joulie_cluster_free(cluster);
}

static void fewer_performance_nodes_only_after_the_delay(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    put_waiting(cluster, "p");
    put_waiting(cluster, "q");
    settle(cluster, NOW_MS);
    take_away(cluster, "Pod", "p");
    take_away(cluster, "Pod", "q");
    for (int minute = 1; minute <= 6; minute++) {
        step(cluster, NOW_MS + minute * MINUTE);
        assert_int_equal(totals(cluster).performance_nodes,
                         minute < 6 ? 2 : 0); /* the timer starts at minute 1 and lasts 5 */
    }
    joulie_cluster_free(cluster);
}

static void a_node_that_only_just_changed_stays_performance(void **state)
{
    (void)state;
    struct jl_cluster_config config = queue_config();
    JL_SET(&config.policy, queue_scale_down_delay_s, 0);
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    settle(cluster, NOW_MS); /* both eco */
    put_waiting(cluster, "p");
    put_waiting(cluster, "q");
    settle(cluster, NOW_MS + 10 * MINUTE); /* both performance since minute 10 */
    take_away(cluster, "Pod", "p");
    take_away(cluster, "Pod", "q");
    assert_int_equal(step(cluster, NOW_MS + 12 * MINUTE - SECOND).count, 0);
    assert_int_equal(explain(cluster, "b").reason, JL_PLAN_DWELL);
    const struct actions actions = step(cluster, NOW_MS + 12 * MINUTE);
    assert_int_equal(find_action(&actions, JOULIE_CHANGE_SPEC, "b")->spec->profile,
                     JOULIE_PROFILE_ECO);
    joulie_cluster_free(cluster);
}

/* kill -9 of an operator: the next one does not take what it finds for a first call. */
static void an_operator_that_starts_anew_keeps_a_node_that_only_just_changed(void **state)
{
    (void)state;
    struct jl_cluster_config config = queue_config();
    JL_SET(&config.policy, queue_scale_down_delay_s, 0);
    struct joulie_cluster *cluster = new_cluster(&config);
    for (int i = 0; i < 2; i++) {
        put_cpu_node(cluster, i == 0 ? "a" : "b");
        put(cluster,
            "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'%s',"
            "'annotations':{'joulie.io/profile-since':'2026-01-01T00:00:00Z'}},'spec':{"
            "'nodeName':'%s','profile':'performance'}}",
            i == 0 ? "a" : "b", i == 0 ? "a" : "b");
    }
    const int64_t since_ms = INT64_C(1767225600000); /* 2026-01-01 */
    step(cluster, since_ms + MINUTE);
    assert_int_equal(explain(cluster, "b").reason, JL_PLAN_DWELL);
    assert_int_equal(explain(cluster, "b").guard.profile, JOULIE_PROFILE_PERFORMANCE);
    step(cluster, since_ms + 2 * MINUTE);
    assert_int_equal(explain(cluster, "b").guard.profile, JOULIE_PROFILE_ECO);
    joulie_cluster_free(cluster);
}

static void put_performance(struct joulie_cluster *cluster, const char *name)
{
    put_cpu_node(cluster, name);
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'%s',"
        "'annotations':{'joulie.io/profile-since':'2026-01-01T00:00:00Z'}},'spec':{"
        "'nodeName':'%s','profile':'performance'}}",
        name, name);
}

/* The stamp was read before the wall was set, or by an operator that starts afterwards. */
static void a_wall_that_is_set_back_makes_a_dwell_no_longer(void **state)
{
    const int64_t since_ms = INT64_C(1767225600000); /* 2026-01-01 */
    (void)state;
    for (int is_new = 0; is_new < 2; is_new++) {
        struct jl_cluster_config config = queue_config();
        JL_SET(&config.policy, queue_scale_down_delay_s, 0);
        struct joulie_cluster *cluster = new_cluster(&config);
        joulie_cluster_set_wall(cluster, since_ms, since_ms - (is_new ? 60 * MINUTE : 0));
        put_performance(cluster, "a");
        put_performance(cluster, "b");
        joulie_cluster_set_wall(cluster, since_ms + MINUTE, since_ms - 59 * MINUTE);
        step(cluster, since_ms + MINUTE);
        assert_int_equal(explain(cluster, "b").reason, JL_PLAN_DWELL);
        const struct actions actions = step(cluster, since_ms + 2 * MINUTE);
        assert_int_equal(explain(cluster, "b").guard.profile, JOULIE_PROFILE_ECO);
        assert_string_equal(find_action(&actions, JOULIE_CHANGE_SPEC, "b")->profile_since,
                            "2025-12-31T23:02:00Z"); /* as the wall shows */
        joulie_cluster_free(cluster);
    }
}

static void a_wall_that_is_set_on_ends_no_dwell_that_was_seen_to_begin(void **state)
{
    const int64_t since_ms = INT64_C(1767225600000); /* 2026-01-01 */
    struct jl_cluster_config config = queue_config();
    (void)state;
    JL_SET(&config.policy, queue_scale_down_delay_s, 0);
    struct joulie_cluster *cluster = new_cluster(&config);
    joulie_cluster_set_wall(cluster, since_ms, since_ms);
    put_performance(cluster, "a");
    put_performance(cluster, "b");
    joulie_cluster_set_wall(cluster, since_ms + MINUTE, since_ms + 14400 * MINUTE);
    put_performance(cluster, "b"); /* it is seen again as it is */
    step(cluster, since_ms + MINUTE);
    assert_int_equal(explain(cluster, "b").reason, JL_PLAN_DWELL);
    step(cluster, since_ms + 2 * MINUTE);
    assert_int_equal(explain(cluster, "b").guard.profile, JOULIE_PROFILE_ECO);
    joulie_cluster_free(cluster);
}

static void nodes_with_blockers_are_kept_before_idle_ones(void **state)
{
    (void)state;
    struct jl_cluster_config config = queue_config();
    JL_SET(&config.policy, queue_scale_down_delay_s, 0);
    JL_SET(&config.policy, min_profile_dwell_s, 0);
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    put_waiting(cluster, "p");
    put_pod(cluster, "q", "b", "performance", "Running");
    settle(cluster, NOW_MS);
    take_away(cluster, "Pod", "p"); /* one is enough now, and b has the pod */
    settle(cluster, NOW_MS + MINUTE);
    assert_int_equal(explain(cluster, "a").guard.profile, JOULIE_PROFILE_ECO);
    assert_int_equal(explain(cluster, "b").guard.profile, JOULIE_PROFILE_PERFORMANCE);
    assert_false(explain(cluster, "b").guard.is_draining);
    joulie_cluster_free(cluster);
}

static void one_failed_write_does_not_stop_the_others(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    const struct actions first = step(cluster, NOW_MS);
    for (size_t i = 0; i < first.count; i++) {
        const bool is_refused = strcmp(first.items[i].node_name, "a") == 0 &&
                                first.items[i].change == JOULIE_CHANGE_SPEC;
        assert_int_equal(joulie_cluster_action_done(
                             cluster, first.items[i].id,
                             is_refused ? JOULIE_OUTCOME_CONFLICT : JOULIE_OUTCOME_APPLIED, NULL),
                         0);
    }
    const struct actions second = step(cluster, NOW_MS + MINUTE);
    assert_non_null(find_action(&second, JOULIE_CHANGE_SPEC, "a"));
    assert_null(find_action(&second, JOULIE_CHANGE_SPEC, "b"));
    apply_all(cluster, &second);
    assert_int_equal(settle(cluster, NOW_MS + MINUTE), 0);
    joulie_cluster_free(cluster);
}

static void a_node_that_leaves_the_scope_is_given_back(void **state)
{
    (void)state;
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, node_selector, "joulie.io/managed=true");
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    settle(cluster, NOW_MS);
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'b','labels':{'joulie.io/"
                 "power-profile':'eco'}},"
                 "'status':{'capacity':{'cpu':'192'}}}");

    struct actions actions = step(cluster, NOW_MS + MINUTE);
    assert_int_equal(actions.count, 2);
    assert_near(find_action(&actions, JOULIE_CHANGE_SPEC, "b")->spec->cpu.cap_pct, 100, 0);
    assert_null(find_action(&actions, JOULIE_CHANGE_LABEL, "b")->label);
    assert_null(find_action(&actions, JOULIE_CHANGE_RELEASE, "b")); /* the caps are written first */
    apply_all(cluster, &actions);

    actions = step(cluster, NOW_MS + 2 * MINUTE);
    assert_int_equal(actions.count, 1);
    assert_string_equal(find_action(&actions, JOULIE_CHANGE_RELEASE, "b")->object_name, "b");
    apply_all(cluster, &actions);
    assert_int_equal(step(cluster, NOW_MS + 3 * MINUTE).count, 0);
    joulie_cluster_free(cluster);
}

static void a_twin_that_someone_else_wrote_is_left_alone(void **state)
{
    (void)state;
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, node_selector, "joulie.io/managed=true");
    struct joulie_cluster *cluster = new_cluster(&config);
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'mine'}}");
    put(cluster, "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'mine'},"
                 "'spec':{'nodeName':'mine','profile':'eco','policy':{'name':'by-hand'}}}");
    assert_int_equal(step(cluster, NOW_MS).count, 0);
    joulie_cluster_free(cluster);
}

static void the_twin_of_a_node_that_is_gone_is_deleted(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    settle(cluster, NOW_MS);
    take_away(cluster, "NodeHardware", "a");
    take_away(cluster, "Node", "a");
    struct actions actions = step(cluster, NOW_MS + MINUTE);
    assert_int_equal(actions.count, 1);
    assert_int_equal(actions.items[0].change, JOULIE_CHANGE_RELEASE);
    apply_all(cluster, &actions);
    assert_int_equal(step(cluster, NOW_MS + 2 * MINUTE).count, 0);
    joulie_cluster_free(cluster);
}

static void a_cordoned_node_keeps_its_spec_and_its_status_goes_on(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    settle(cluster, NOW_MS);
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'b','labels':{'joulie.io/"
                 "power-profile':'eco'}},"
                 "'spec':{'unschedulable':true},'status':{'capacity':{'cpu':'192'}}}");
    assert_int_equal(step(cluster, NOW_MS + MINUTE).count, 0);
    measure(cluster, "b", NOW_MS + 2 * MINUTE, 400);
    const struct actions actions = step(cluster, NOW_MS + 2 * MINUTE);
    assert_int_equal(actions.count, 1);
    const struct jl_twin_status *status = find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status;
    assert_near(status->power.measured_node_power_w, 400, 0);
    assert_int_equal(status->schedulable_class, JOULIE_NODE_CLASS_ECO);
    joulie_cluster_free(cluster);
}

static void an_absolute_cap_reads_as_its_percentage(void **state)
{
    (void)state;
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, cpu_write_absolute, true);
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    const struct actions actions = step(cluster, NOW_MS);
    assert_near(find_action(&actions, JOULIE_CHANGE_SPEC, "b")->spec->cpu.cap_w, 198,
                1e-9); /* per package */
    const struct jl_twin_status *status = find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status;
    assert_near(status->effective_caps.cpu_pct, 55, 1e-9); /* 198 of 360 W */
    joulie_cluster_free(cluster);
}

static void report_cpu(struct joulie_cluster *cluster, const char *node, const char *result)
{
    put(cluster,
        "{'apiVersion':'joulie.io/"
        "v1alpha1','kind':'NodeTwin','metadata':{'name':'%s','annotations':"
        "{'joulie.io/"
        "profile-since':'2026-03-13T12:00:00Z'}},'spec':{'nodeName':'%s','profile':'eco','cpu':"
        "{'packagePowerCapPctOfMax':60},'policy':{'name':'static-partition-v1'},'scheduling':{'"
        "draining':false}},"
        "'status':{'schedulableClass':'eco','effectiveCapState':{'cpuPct':80,'gpuPct':100},"
        "'controlStatus':{'cpu':{'backend':'rapl','result':'%s'}},'lastUpdated':'2026-03-13T12:00:"
        "00Z'}}",
        node, node, result);
}

static void what_the_agent_reports_decides_which_cap_counts(void **state)
{
    (void)state;

    static const struct {
        const char *result;
        double pct;
    } rows[] = {
        { "applied", 60 }, { "pending", 80 }, { "blocked", 100 }, { "error", 100 }, { "none", 100 }
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        put_cpu_node(cluster, "b");
        report_cpu(cluster, "b", rows[i].result);
        const struct actions actions = step(cluster, NOW_MS);
        assert_null(find_action(&actions, JOULIE_CHANGE_SPEC, "b"));
        const struct jl_twin_status *status =
            find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status;
        assert_near(status->effective_caps.cpu_pct, rows[i].pct, 0);
        assert_false(status->given.control); /* the agent's part is not ours to write */
        joulie_cluster_free(cluster);
    }
}

/* A Lease of the namespace; renewed and seconds as JSON. */
static void put_lease(struct joulie_cluster *cluster, const char *name, const char *spec)
{
    char text[512];
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
             "\"metadata\":{\"name\":\"%s\",\"namespace\":\"joulie-system\"},"
             "\"spec\":{\"holderIdentity\":\"b\"%s}}",
             name, spec);
    if (joulie_cluster_put_object(cluster, text, strlen(text), &err) != 0)
        fail_msg("%s", err.message);
}

static void put_agent(struct joulie_cluster *cluster, const char *renewed)
{
    char spec[128];
    snprintf(spec, sizeof spec, ",\"renewTime\":\"%s\",\"leaseDurationSeconds\":90", renewed);
    put_lease(cluster, "joulie-agent-b", spec);
}

static double cpu_in_force(struct joulie_cluster *cluster)
{
    return explain(cluster, "b").status->effective_caps.cpu_pct;
}

static void a_cap_of_an_agent_that_is_gone_is_not_in_force(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    report_cpu(cluster, "b", "applied");
    put_agent(cluster, "2026-03-13T12:00:00.000000Z");
    step(cluster, NOW_MS);
    assert_near(cpu_in_force(cluster), 60, 0);
    step(cluster, NOW_MS + 90000); /* the last moment that counts */
    assert_near(cpu_in_force(cluster), 60, 0);
    const struct actions actions = step(cluster, NOW_MS + 90001);
    assert_near(cpu_in_force(cluster), 100, 0);
    assert_near(find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status->effective_caps.cpu_pct,
                100, 0);
    assert_int_equal(
        joulie_cluster_remove(cluster, "Lease", "joulie-system", "joulie-agent-b", NULL), 0);
    step(cluster, NOW_MS + 95000);
    assert_near(cpu_in_force(cluster), 100, 0);
    put_agent(cluster, "2026-03-13T12:01:40.000000Z");
    step(cluster, NOW_MS + 100000);
    assert_near(cpu_in_force(cluster), 60, 0);
    step(cluster, NOW_MS + 200000);
    assert_near(cpu_in_force(cluster), 100, 0);
    step(cluster, NOW_MS + 150000); /* the clock was set back */
    assert_near(cpu_in_force(cluster), 60, 0);
    joulie_cluster_free(cluster);
}

static const int64_t set_ms[] = { -60 * MINUTE, 10 * 24 * 60 * MINUTE }; /* back, and on */

/* The wall of the model is set, those of the agents are not. */
static void who_renews_its_lease_is_alive_whatever_the_wall_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(set_ms); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        put_cpu_node(cluster, "b");
        joulie_cluster_set_wall(cluster, NOW_MS, NOW_MS);
        report_cpu(cluster, "b", "applied");
        put_agent(cluster, "2026-03-13T12:00:00.000000Z");
        step(cluster, NOW_MS);
        joulie_cluster_set_wall(cluster, NOW_MS + 60000, NOW_MS + 60000 + set_ms[i]);
        step(cluster, NOW_MS + 60000);
        assert_near(cpu_in_force(cluster), 60, 0);
        put_agent(cluster, "2026-03-13T12:01:00.000000Z");
        step(cluster, NOW_MS + 150000);
        assert_near(cpu_in_force(cluster), 60, 0);
        step(cluster, NOW_MS + 150001);
        assert_near(cpu_in_force(cluster), 100, 0);
        joulie_cluster_free(cluster);
    }
}

/* A pod of an agent on b; ' for ". */
static void put_agent_pod(struct joulie_cluster *cluster, const char *name, const char *owner,
                          const char *component, const char *ready)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'joulie-system',"
        "'labels':{'app.kubernetes.io/name':'joulie','app.kubernetes.io/component':'%s'},"
        "'ownerReferences':[{'kind':'%s','name':'joulie-agent'}]},'spec':{'nodeName':'b'},"
        "'status':{'phase':'Running','conditions':[{'type':'Initialized','status':'True'},"
        "{'type':'Ready','status':'%s'}]}}",
        name, component, owner, ready);
}

static void an_agent_that_runs_as_a_pod_is_alive_while_that_is_ready(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    report_cpu(cluster, "b", "applied");
    put_agent(cluster, "2026-03-13T11:00:00.000000Z"); /* of one that ran before */
    put_agent_pod(cluster, "x", "DaemonSet", "agent", "True");
    step(cluster, NOW_MS);
    assert_near(cpu_in_force(cluster), 60, 0);
    step(cluster, NOW_MS + 60 * MINUTE);
    assert_near(cpu_in_force(cluster), 60, 0);
    put_agent_pod(cluster, "x", "DaemonSet", "agent", "False");
    put_agent(cluster, "2026-03-13T13:00:30.000000Z");
    step(cluster, NOW_MS + 61 * MINUTE);
    assert_near(cpu_in_force(cluster), 100, 0);
    put_agent_pod(cluster, "y", "DaemonSet", "agent", "True"); /* the next one of an update */
    step(cluster, NOW_MS + 61 * MINUTE);
    assert_near(cpu_in_force(cluster), 60, 0);
    joulie_cluster_remove(cluster, "Pod", "joulie-system", "y", NULL);
    step(cluster, NOW_MS + 61 * MINUTE);
    assert_near(cpu_in_force(cluster), 100, 0);
    joulie_cluster_remove(cluster, "Pod", "joulie-system", "x", NULL);
    step(cluster, NOW_MS + 61 * MINUTE); /* the Lease is young */
    assert_near(cpu_in_force(cluster), 60, 0);
    joulie_cluster_free(cluster);
}

static void other_pods_are_no_agents(void **state)
{
    static const char *const rows[][2] = {
        { "StatefulSet", "agent" }, /* of a pool, which is not on the node that it drives */
        { "DaemonSet", "scheduler" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        put_cpu_node(cluster, "b");
        report_cpu(cluster, "b", "applied");
        put_agent_pod(cluster, "x", rows[i][0], rows[i][1], "False");
        step(cluster, NOW_MS);
        assert_near(cpu_in_force(cluster), 60, 0);
        joulie_cluster_free(cluster);
    }
}

static void who_has_no_lease_is_not_judged(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    report_cpu(cluster, "b", "applied");
    put_lease(cluster, "other",
              ",\"renewTime\":\"2020-01-01T00:00:00Z\",\"leaseDurationSeconds\":1");
    put_lease(cluster, "joulie-agent-b", "");
    put_lease(cluster, "joulie-agent-b", ",\"renewTime\":\"2020-01-01T00:00:00Z\"");
    step(cluster, NOW_MS);
    assert_near(cpu_in_force(cluster), 60, 0);
    joulie_cluster_free(cluster);
}

static void the_agents_report_survives_our_writes(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    report_cpu(cluster, "b", "blocked");
    settle(cluster, NOW_MS);
    assert_near(explain(cluster, "b").status->effective_caps.cpu_pct, 100, 0);
    joulie_cluster_free(cluster);
}

static void small_moves_are_not_written(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a"); /* 720 W: 2 % are 14.4 W, 2 points of headroom as well */
    measure(cluster, "a", NOW_MS, 300);
    settle(cluster, NOW_MS);
    measure(cluster, "a", NOW_MS + SECOND, 314);
    assert_int_equal(step(cluster, NOW_MS + SECOND).count, 0);
    measure(cluster, "a", NOW_MS + 2 * SECOND, 314.4);
    const struct actions actions = step(cluster, NOW_MS + 2 * SECOND);
    assert_int_equal(actions.count, 1);
    assert_near(actions.items[0].status->power.measured_node_power_w, 314.4, 1e-9);
    joulie_cluster_free(cluster);
}

static void an_unchanged_twin_is_written_again_after_its_heartbeat_interval(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    settle(cluster, NOW_MS);
    assert_int_equal(step(cluster, NOW_MS + 30 * MINUTE - SECOND).count, 0);
    const struct actions actions = step(cluster, NOW_MS + 30 * MINUTE);
    assert_int_equal(actions.count, 1);
    assert_string_equal(actions.items[0].status->last_updated, "2026-03-13T12:30:00Z");
    joulie_cluster_free(cluster);
}

static void a_twin_stays_fresh_while_the_operator_beats(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    struct jl_pod pod = { 0 };
    const struct jl_cluster_score *scores = NULL;
    size_t count = 0;
    put_cpu_node(cluster, "a");
    settle(cluster, NOW_MS);

    static const struct {
        int64_t after_ms;
        int64_t beat_ms; /* 0 = none */
        bool is_fresh;
    } rows[] = {
        { 5 * MINUTE, 0, true },
        { 5 * MINUTE + SECOND, 0, false },
        { 20 * MINUTE, 16 * MINUTE, true },
        { 60 * MINUTE, 60 * MINUTE, true },
        { 60 * MINUTE + SECOND, 60 * MINUTE, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].beat_ms > 0)
            joulie_cluster_heartbeat(cluster, NOW_MS + rows[i].beat_ms);
        assert_int_equal(
            jl_cluster_score_pod(cluster, &pod, NOW_MS + rows[i].after_ms, &scores, &count, NULL),
            0);
        assert_int_equal(count, 1);
        assert_int_equal(scores[0].is_known, rows[i].is_fresh);
    }
    joulie_cluster_free(cluster);
}

static void a_performance_pod_never_passes_an_eco_node(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    const struct jl_cluster_score *scores = NULL;
    size_t count = 0;
    struct jl_pair annotation = { "joulie.io/workload-class", "performance" };
    struct jl_pod pod = { .meta = { .name = "p", .annotations = { &annotation, 1 } } };
    pod.meta.given.annotations = true;
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    settle(cluster, NOW_MS);
    assert_int_equal(jl_cluster_score_pod(cluster, &pod, NOW_MS, &scores, &count, NULL), 0);
    assert_int_equal(count, 2);
    assert_null(scores[0].rejected);
    assert_non_null(scores[1].rejected);
    joulie_cluster_free(cluster);
}

static void put_rack_node(struct joulie_cluster *cluster, const char *name, const char *rack)
{
    put_cpu_node(cluster, name);
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'joulie.io/"
        "rack':'%s'}},"
        "'status':{'capacity':{'cpu':'192'}}}",
        name, rack);
}

static void psu_stress_is_that_of_the_rack(void **state)
{
    (void)state;
    struct jl_cluster_config config = { 0 };
    JL_SET(&config, rack_capacity_w, 2000);
    struct joulie_cluster *cluster = new_cluster(&config);
    put_rack_node(cluster, "a", "r1");
    put_rack_node(cluster, "b", "r1");
    put_rack_node(cluster, "c", "r2");
    measure(cluster, "a", NOW_MS, 600);
    measure(cluster, "b", NOW_MS, 400);
    settle(cluster, NOW_MS);
    assert_near(explain(cluster, "a").status->psu_stress_score, 50, 1e-9);
    assert_near(explain(cluster, "b").status->psu_stress_score, 50, 1e-9);
    /* c is not measured and runs nothing: 128 W */
    assert_near(explain(cluster, "c").status->psu_stress_score, 6.4, 1e-9);
    joulie_cluster_free(cluster);
}

static void cluster_power_alone_says_nothing_about_a_psu(void **state)
{
    (void)state;
    struct jl_cluster_config config = { 0 };
    struct joulie_cluster *cluster = new_cluster(&config);
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    facility.has |= JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    facility.it_power_w = 30000;
    put_cpu_node(cluster, "a");
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), 0);
    step(cluster, NOW_MS);
    assert_false(JL_HAS(explain(cluster, "a").status, JL_INDEX(jl_twin_status, psu_stress_score)));
    joulie_cluster_free(cluster);

    JL_SET(&config, cluster_capacity_w, 200000);
    cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    facility.has |= JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    facility.it_power_w = 40000;
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), 0);
    step(cluster, NOW_MS);
    assert_near(explain(cluster, "a").status->psu_stress_score, 20, 1e-9);
    joulie_cluster_free(cluster);
}

static void put_movable(struct joulie_cluster *cluster, const char *updated)
{
    put(cluster,
        "{'apiVersion':'joulie.io/"
        "v1alpha1','kind':'WorkloadProfile','metadata':{'name':'statefulset-db','namespace':"
        "'default'},'spec':{'workloadRef':{'kind':'StatefulSet','name':'db'}},'status':{'"
        "criticality':{'class':"
        "'performance'},'migratability':{'reschedulable':true},'confidence':0.8,'lastUpdated':'%s'}"
        "}",
        updated);
}

static void put_owned_pod(struct joulie_cluster *cluster, const char *name, const char *node)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default','"
        "ownerReferences':[{'kind':"
        "'StatefulSet','name':'db','uid':'u','controller':true}]},'spec':{'nodeName':'%s','"
        "containers':[]},"
        "'status':{'phase':'Running'}}",
        name, node);
}

static void advice_names_the_workload_and_goes_away_with_its_cause(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    put_movable(cluster, "2026-03-13T11:00:00Z");
    put_owned_pod(cluster, "db-0", "b");
    put_owned_pod(cluster, "db-1", "b");
    settle(cluster, NOW_MS);
    const struct jl_twin_status *status = explain(cluster, "b").status;
    assert_int_equal(status->schedulable_class, JOULIE_NODE_CLASS_DRAINING);
    assert_int_equal(status->reschedule.count, 1); /* one workload, not one entry per pod */
    const struct jl_reschedule_advice *advice =
        JL_ITEM(status->reschedule, jl_reschedule_advice, 0);
    assert_string_equal(advice->workload_ref.kind, "StatefulSet");
    assert_string_equal(advice->workload_ref.name_space, "default");
    assert_string_equal(advice->workload_ref.name, "db");

    take_away(cluster, "Pod", "db-0");
    take_away(cluster, "Pod", "db-1");
    const struct actions actions = step(cluster, NOW_MS + MINUTE);
    status = find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status;
    assert_true(status->given.reschedule); /* an empty list, not an absent one */
    assert_int_equal(status->reschedule.count, 0);
    joulie_cluster_free(cluster);
}

static void a_write_outlives_the_profile_that_it_names(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    put_movable(cluster, "2026-03-13T11:00:00Z");
    put_owned_pod(cluster, "db-0", "b");
    const struct actions actions = step(cluster, NOW_MS);
    const struct jl_twin_status *status = find_action(&actions, JOULIE_CHANGE_STATUS, "b")->status;
    take_away(cluster, "WorkloadProfile", "statefulset-db");
    assert_int_equal(status->reschedule.count, 1);
    assert_string_equal(JL_ITEM(status->reschedule, jl_reschedule_advice, 0)->workload_ref.kind,
                        "StatefulSet");
    joulie_cluster_free(cluster);
}

static void a_profile_stops_counting_when_it_is_a_day_old(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_movable(cluster, "2026-03-12T12:01:00Z");
    put_owned_pod(cluster, "db-0", "a");
    step(cluster, NOW_MS + MINUTE);
    assert_int_equal(totals(cluster).pods_performance, 1);
    step(cluster, NOW_MS + MINUTE + SECOND);
    assert_int_equal(totals(cluster).pods_performance, 0);
    assert_int_equal(totals(cluster).pods_general, 1);
    joulie_cluster_free(cluster);
}

static void nodes_with_points_in_their_names_have_one_object_name_everywhere(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "ip-10-0-0-1.ec2.internal");
    put_cpu_node(cluster, "a.b");
    put_cpu_node(cluster, "a-b");
    const struct actions actions = step(cluster, NOW_MS);
    assert_string_equal(
        find_action(&actions, JOULIE_CHANGE_SPEC, "ip-10-0-0-1.ec2.internal")->object_name,
        "ip-10-0-0-1-ec2-internal");
    assert_string_equal(
        find_action(&actions, JOULIE_CHANGE_STATUS, "ip-10-0-0-1.ec2.internal")->object_name,
        "ip-10-0-0-1-ec2-internal");
    assert_string_equal(find_action(&actions, JOULIE_CHANGE_SPEC, "a-b")->object_name, "a-b");
    assert_int_not_equal(
        strcmp(find_action(&actions, JOULIE_CHANGE_SPEC, "a.b")->object_name, "a-b"), 0);
    apply_all(cluster, &actions);
    assert_int_equal(step(cluster, NOW_MS).count, 0);
    joulie_cluster_free(cluster);
}

static void a_reading_that_grew_old_is_not_used(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    measure(cluster, "a", NOW_MS, 300);
    settle(cluster, NOW_MS);
    assert_int_equal(explain(cluster, "a").status->power.source, JOULIE_POWER_SOURCE_PROMETHEUS);
    assert_int_equal(settle(cluster, NOW_MS + 5 * MINUTE), 0);
    assert_int_equal(settle(cluster, NOW_MS + 5 * MINUTE + SECOND), 1);
    assert_int_equal(explain(cluster, "a").status->power.source, JOULIE_POWER_SOURCE_ALLOCATION);
    assert_near(explain(cluster, "a").status->power.measured_node_power_w, 128, 0); /* idle */
    joulie_cluster_free(cluster);
}

/* By the vectors of the question cooling.model: 1500 W of 6300 W at 25 °C. */
static void the_cooling_model_can_be_chosen(void **state)
{
    static const struct {
        enum joulie_cooling type;
        double stress;
        double pue;
    } rows[] = { { JOULIE_COOLING_CRAH, 17.857143, 1.45 },
                 { JOULIE_COOLING_FREE, 12.876579, 1.265 },
                 { JOULIE_COOLING_LINEAR, 1500.0 / 6300 * 80 + 2.5, 0 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_cluster_config config = { 0 };
        struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
        JL_SET(&config.cooling, type, rows[i].type);
        JL_SET(&config.cooling, reference_w, 6300);
        config.given.cooling = true;
        struct joulie_cluster *cluster = new_cluster(&config);
        facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
        facility.outside_temp_c = 25;
        assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), 0);
        put_cpu_node(cluster, "a");
        measure(cluster, "a", NOW_MS, 1500);
        settle(cluster, NOW_MS);
        const struct jl_twin_status *status = explain(cluster, "a").status;
        assert_near(status->cooling_stress_score, rows[i].stress, 1e-6);
        if (rows[i].pue > 0)
            assert_near(status->estimated_pue, rows[i].pue, 1e-6);
        joulie_cluster_free(cluster);
    }
}

/* A dx plant cools all nodes together: without their power its stress is not known, and nothing
 * else of the node is missing. */
static void a_plant_whose_power_nobody_reads_has_no_stress(void **state)
{
    struct jl_cluster_config config = { 0 };
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    (void)state;
    JL_SET(&config.cooling, type, JOULIE_COOLING_DX);
    config.given.cooling = true;
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    measure(cluster, "a", NOW_MS, 360);
    settle(cluster, NOW_MS);
    assert_false(explain(cluster, "a").status->given.cooling_stress_score);
    assert_true(explain(cluster, "a").status->given.power_headroom_score);
    assert_true(explain(cluster, "a").status->given.schedulable_class);
    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP | JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    facility.outside_temp_c = 16;
    facility.it_power_w = 500000;
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), 0);
    settle(cluster, NOW_MS);
    assert_near(explain(cluster, "a").status->cooling_stress_score, 17.890345, 1e-6);
    assert_near(explain(cluster, "a").status->estimated_pue, 1.136912, 1e-6);
    joulie_cluster_free(cluster);
}

static void the_trend_is_that_of_valid_samples(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    measure(cluster, "a", NOW_MS, 100);
    measure(cluster, "a", NOW_MS + MINUTE, 100);
    measure(cluster, "a", NOW_MS + 2 * MINUTE, 100);
    measure(cluster, "a", NOW_MS + 3 * MINUTE, 130);
    step(cluster, NOW_MS + 3 * MINUTE);
    assert_near(explain(cluster, "a").status->power.power_trend_w_per_min, 9,
                1e-9); /* a tenth of the vector of the trend */
    step(cluster,
         NOW_MS +
             7 * MINUTE); /* only the last sample is in the window, and it is a reading still */
    assert_false(JL_HAS(&explain(cluster, "a").status->power,
                        JL_INDEX(jl_power_measurement, power_trend_w_per_min)));
    joulie_cluster_free(cluster);
}

/* A node whose readings repeat is not predicted again, until something about it changes. */
static void a_steady_node_is_predicted_anew_when_it_changes(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    for (int i = 0; i < 3; i++) {
        measure(cluster, "a", NOW_MS + i * MINUTE, 100);
        settle(cluster, NOW_MS + i * MINUTE);
    }
    measure(cluster, "a", NOW_MS + 3 * MINUTE, 400);
    step(cluster, NOW_MS + 3 * MINUTE);
    const struct jl_power_measurement *power = &explain(cluster, "a").status->power;
    assert_near(power->measured_node_power_w, 400, 0);
    assert_near(power->power_trend_w_per_min, 90, 1e-9); /* 100 100 100 400 */
    joulie_cluster_free(cluster);
}

static void a_steady_node_loses_its_trend_when_the_readings_stop(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    for (int i = 0; i < 3; i++) {
        measure(cluster, "a", NOW_MS + i * MINUTE, 100);
        settle(cluster, NOW_MS + i * MINUTE);
    }
    step(cluster, NOW_MS + 5 * MINUTE + 59 * SECOND); /* the samples of minutes 1 and 2 are left */
    assert_near(explain(cluster, "a").status->power.power_trend_w_per_min, 0, 0);
    const struct actions actions =
        step(cluster, NOW_MS + 6 * MINUTE + 1 * SECOND); /* one is left */
    assert_false(JL_HAS(&explain(cluster, "a").status->power,
                        JL_INDEX(jl_power_measurement, power_trend_w_per_min)));
    assert_null(find_action(&actions, JOULIE_CHANGE_STATUS, "a")); /* that is no news */
    joulie_cluster_free(cluster);
}

static void impossible_numbers_of_one_node_are_its_own_concern(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    put_cpu_node(cluster, "a");
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'huge'}}");
    put(cluster, "{'apiVersion':'joulie.io/"
                 "v1alpha1','kind':'NodeHardware','metadata':{'name':'huge'},'spec':"
                 "{'nodeName':'huge'},'status':{'cpu':{'sockets':2,'totalCores':8,'capRange':"
                 "{'maxWattsPerSocket':1.7e308}}}}");
    const struct actions actions = step(cluster, NOW_MS);
    assert_non_null(find_action(&actions, JOULIE_CHANGE_STATUS, "a"));
    assert_non_null(find_action(&actions, JOULIE_CHANGE_SPEC, "huge"));
    assert_null(find_action(&actions, JOULIE_CHANGE_STATUS, "huge"));
    joulie_cluster_free(cluster);
}

static void readings_must_be_possible_and_of_a_known_node(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    struct joulie_cluster_sample sample = { .struct_size = sizeof sample, .at_ms = NOW_MS };
    sample.has |= JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.node_power_w = -1;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_E_NOT_FOUND);
    put_cpu_node(cluster, "a");
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_cluster_action_done(cluster, 7, JOULIE_OUTCOME_APPLIED, NULL),
                     JOULIE_E_RANGE);
    assert_int_equal(joulie_cluster_remove(cluster, "Secret", NULL, "x", NULL),
                     JOULIE_E_UNSUPPORTED);
    joulie_cluster_free(cluster);
}

static void times_that_no_clock_shows_are_refused(void **state)
{
    static const int64_t times_ms[] = { INT64_MIN, INT64_C(-62167219200001),
                                        INT64_C(253402300800000), INT64_MAX };
    (void)state;
    struct joulie_cluster *cluster = new_cluster(NULL);
    const struct jl_cluster_write *actions;
    const struct jl_cluster_score *scores;
    const struct jl_pod pod = { 0 };
    size_t count;
    put_cpu_node(cluster, "a");
    measure(cluster, "a", NOW_MS, 300);
    for (size_t i = 0; i < sizeof times_ms / sizeof times_ms[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const struct joulie_cluster_sample sample = { .struct_size = sizeof sample,
                                                      .at_ms = times_ms[i] };
        assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, &err), JOULIE_E_RANGE);
        assert_string_equal(err.where, "at_ms");
        assert_int_equal(jl_cluster_step(cluster, times_ms[i], &actions, &count, &err),
                         JOULIE_E_RANGE);
        assert_string_equal(err.where, "now");
        assert_int_equal(jl_cluster_score_pod(cluster, &pod, times_ms[i], &scores, &count, &err),
                         JOULIE_E_RANGE);
        joulie_cluster_heartbeat(cluster, times_ms[i]);
    }
    settle(cluster, NOW_MS);
    assert_near(explain(cluster, "a").status->power.measured_node_power_w, 300, 1e-9);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_of_4_12_is_decided_as_written),
        cmocka_unit_test(nothing_is_written_twice),
        cmocka_unit_test(a_draining_node_turns_eco_when_the_last_blocker_is_gone),
        cmocka_unit_test(pending_pods_raise_the_number_of_performance_nodes),
        cmocka_unit_test(a_pod_that_waits_asks_for_an_early_step),
        cmocka_unit_test(room_that_comes_free_asks_for_an_early_step),
        cmocka_unit_test(policies_that_read_no_queue_ask_for_no_early_step),
        cmocka_unit_test(pods_of_nodes_that_are_not_ours_are_no_demand),
        cmocka_unit_test(fewer_performance_nodes_only_after_the_delay),
        cmocka_unit_test(a_node_that_only_just_changed_stays_performance),
        cmocka_unit_test(an_operator_that_starts_anew_keeps_a_node_that_only_just_changed),
        cmocka_unit_test(nodes_with_blockers_are_kept_before_idle_ones),
        cmocka_unit_test(one_failed_write_does_not_stop_the_others),
        cmocka_unit_test(a_node_that_leaves_the_scope_is_given_back),
        cmocka_unit_test(a_twin_that_someone_else_wrote_is_left_alone),
        cmocka_unit_test(the_twin_of_a_node_that_is_gone_is_deleted),
        cmocka_unit_test(a_cordoned_node_keeps_its_spec_and_its_status_goes_on),
        cmocka_unit_test(an_absolute_cap_reads_as_its_percentage),
        cmocka_unit_test(what_the_agent_reports_decides_which_cap_counts),
        cmocka_unit_test(a_cap_of_an_agent_that_is_gone_is_not_in_force),
        cmocka_unit_test(who_renews_its_lease_is_alive_whatever_the_wall_shows),
        cmocka_unit_test(a_wall_that_is_set_back_makes_a_dwell_no_longer),
        cmocka_unit_test(a_wall_that_is_set_on_ends_no_dwell_that_was_seen_to_begin),
        cmocka_unit_test(an_agent_that_runs_as_a_pod_is_alive_while_that_is_ready),
        cmocka_unit_test(other_pods_are_no_agents),
        cmocka_unit_test(who_has_no_lease_is_not_judged),
        cmocka_unit_test(the_agents_report_survives_our_writes),
        cmocka_unit_test(small_moves_are_not_written),
        cmocka_unit_test(an_unchanged_twin_is_written_again_after_its_heartbeat_interval),
        cmocka_unit_test(a_twin_stays_fresh_while_the_operator_beats),
        cmocka_unit_test(a_performance_pod_never_passes_an_eco_node),
        cmocka_unit_test(psu_stress_is_that_of_the_rack),
        cmocka_unit_test(cluster_power_alone_says_nothing_about_a_psu),
        cmocka_unit_test(advice_names_the_workload_and_goes_away_with_its_cause),
        cmocka_unit_test(a_write_outlives_the_profile_that_it_names),
        cmocka_unit_test(a_profile_stops_counting_when_it_is_a_day_old),
        cmocka_unit_test(nodes_with_points_in_their_names_have_one_object_name_everywhere),
        cmocka_unit_test(a_reading_that_grew_old_is_not_used),
        cmocka_unit_test(the_cooling_model_can_be_chosen),
        cmocka_unit_test(a_plant_whose_power_nobody_reads_has_no_stress),
        cmocka_unit_test(the_trend_is_that_of_valid_samples),
        cmocka_unit_test(a_steady_node_is_predicted_anew_when_it_changes),
        cmocka_unit_test(a_steady_node_loses_its_trend_when_the_readings_stop),
        cmocka_unit_test(impossible_numbers_of_one_node_are_its_own_concern),
        cmocka_unit_test(readings_must_be_possible_and_of_a_known_node),
        cmocka_unit_test(times_that_no_clock_shows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
