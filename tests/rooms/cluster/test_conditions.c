/* SPDX-License-Identifier: Apache-2.0 */

/* What a NodeTwin says in the form that users of Kubernetes wait for
 * (docs/rules/objects.md#conditions). */

#include <stdio.h>
#include <string.h>

#include "cluster/objects.h"

/* A cluster of one node: with no share of performance nodes it is eco, at 60 % of its maximum. */
static struct joulie_cluster *make(double hp_frac)
{
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, type, JL_POLICY_STATIC);
    JL_SET(&config.policy, static_hp_frac, hp_frac);
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    return cluster;
}

/* As an API server sends it: what was written before, of a spec of that generation. */
static void deliver(struct joulie_cluster *cluster, int generation, const char *status)
{
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'a',"
        "'resourceVersion':'41','generation':%d,'annotations':{'joulie.io/profile-since':"
        "'2026-03-13T11:00:00Z'}},'spec':{'nodeName':'a','profile':'eco','policy':{'name':"
        "'static-partition-v1'},'scheduling':{'draining':false},'cpu':{"
        "'packagePowerCapPctOfMax':60}}%s}",
        generation, status);
}

static const struct jl_condition *condition_of(const struct jl_twin_status *status,
                                               const char *type)
{
    for (size_t i = 0; i < status->conditions.count; i++) {
        const struct jl_condition *condition = JL_ITEM(status->conditions, jl_condition, i);
        if (strcmp(condition->type, type) == 0)
            return condition;
    }
    fail_msg("no condition %s", type);
    return NULL;
}

static void assert_is(const struct jl_twin_status *status, const char *type, const char *value,
                      const char *reason)
{
    const struct jl_condition *condition = condition_of(status, type);
    assert_string_equal(condition->status, value);
    assert_string_equal(condition->reason, reason);
    assert_true(condition->message != NULL && *condition->message != '\0');
}

static const struct jl_cluster_write *next_status(struct joulie_cluster *cluster, int64_t now_ms,
                                                  struct actions *actions)
{
    *actions = step(cluster, now_ms);
    return find_action(actions, JOULIE_CHANGE_STATUS, "a");
}

static void a_status_names_the_generation_that_it_was_decided_by(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(0);
    struct actions actions;
    deliver(cluster, 3, "");
    const struct jl_cluster_write *write = next_status(cluster, NOW_MS, &actions);
    assert_true(write->status->observed_generation == 3);
    assert_int_equal(write->status->conditions.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct jl_condition *one = JL_ITEM(write->status->conditions, jl_condition, i);
        assert_true(one->observed_generation == 3);
        assert_string_equal(one->last_transition_time, "2026-03-13T12:00:00Z");
    }
    assert_is(write->status, "Ready", "True", "Predicted");
    assert_is(write->status, "Measured", "False", "Allocation");
    assert_is(write->status, "Capped", "Unknown", "NotReported");
    apply_all(cluster, &actions);
    assert_int_equal(step(cluster, NOW_MS + MINUTE).count, 0);
    joulie_cluster_free(cluster);
}

/* The operator's own write of a spec comes back as another generation. */
static void another_generation_alone_is_written_once_and_moves_no_transition(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(0);
    struct actions actions;
    deliver(cluster, 3, "");
    settle(cluster, NOW_MS);
    deliver(cluster, 4,
            ",'status':{'schedulableClass':'eco','conditions':[{'type':'Ready','status':'True',"
            "'reason':'Predicted','message':'The node has scores.','lastTransitionTime':"
            "'2026-03-13T12:00:00Z','observedGeneration':3}],'observedGeneration':3}");
    const struct jl_cluster_write *write = next_status(cluster, NOW_MS + MINUTE, &actions);
    assert_true(write->status->observed_generation == 4);
    const struct jl_condition *ready = condition_of(write->status, "Ready");
    assert_true(ready->observed_generation == 4);
    assert_string_equal(ready->last_transition_time, "2026-03-13T12:00:00Z");
    assert_string_equal(condition_of(write->status, "Capped")->last_transition_time,
                        "2026-03-13T12:01:00Z");
    apply_all(cluster, &actions);
    assert_int_equal(step(cluster, NOW_MS + 2 * MINUTE).count, 0);
    joulie_cluster_free(cluster);
}

static void whether_caps_are_in_force_is_what_the_agent_says(void **state)
{
    (void)state;

    static const struct {
        const char *result;
        const char *status;
        const char *reason;
    } rows[] = {
        { "applied", "True", "Applied" },      { "pending", "False", "Pending" },
        { "blocked", "False", "Blocked" },     { "error", "False", "Failed" },
        { "none", "False", "NotApplied" },     { "", "Unknown", "NotReported" },
        { "dunno", "Unknown", "NotReported" },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_cluster *cluster = make(0);
        struct actions actions;
        char status[512];
        snprintf(status, sizeof status, ",'status':{'controlStatus':{'cpu':{'result':'%s'}}}",
                 rows[i].result);
        deliver(cluster, 1, status);
        assert_is(next_status(cluster, NOW_MS, &actions)->status, "Capped", rows[i].status,
                  rows[i].reason);
        joulie_cluster_free(cluster);
    }
}

static void a_cap_of_everything_is_none(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(1);
    struct actions actions;
    deliver(cluster, 1, "");
    assert_is(next_status(cluster, NOW_MS, &actions)->status, "Capped", "False", "NoCap");
    joulie_cluster_free(cluster);
}

static void a_power_that_is_read_is_measured(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(0);
    struct actions actions;
    deliver(cluster, 1, "");
    measure(cluster, "a", NOW_MS, 200);
    assert_is(next_status(cluster, NOW_MS, &actions)->status, "Measured", "True", "Prometheus");
    apply_all(cluster, &actions);
    /* five minutes later nobody knows it any more */
    assert_is(next_status(cluster, NOW_MS + 6 * MINUTE, &actions)->status, "Measured", "False",
              "Allocation");
    joulie_cluster_free(cluster);
}

static void a_node_of_unknown_hardware_is_not_ready(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(0);
    struct actions actions;
    take_away(cluster, "NodeHardware", "a");
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'a'}}");
    deliver(cluster, 1, "");
    assert_is(next_status(cluster, NOW_MS, &actions)->status, "Ready", "False", "HardwareUnknown");
    joulie_cluster_free(cluster);
}

static void conditions_of_others_stay_where_they_stand(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(0);
    struct actions actions;
    deliver(cluster, 2,
            ",'status':{'conditions':[{'type':'Audited','status':'True','observedGeneration':1},"
            "{'type':'Capped','status':'Unknown','lastTransitionTime':'2026-03-13T10:00:00Z'}]}");
    const struct jl_cluster_write *write = next_status(cluster, NOW_MS, &actions);
    assert_string_equal(write->resource_version, "41");
    assert_int_equal(write->status->conditions.count, 4);
    const struct jl_condition *first = JL_ITEM(write->status->conditions, jl_condition, 0);
    assert_string_equal(first->type, "Audited");
    assert_true(first->observed_generation == 1);
    assert_null(first->reason);
    const struct jl_condition *second = JL_ITEM(write->status->conditions, jl_condition, 1);
    assert_string_equal(second->type, "Capped");
    assert_string_equal(second->reason, "NotReported");
    assert_string_equal(second->last_transition_time, "2026-03-13T10:00:00Z");
    joulie_cluster_free(cluster);
}

/* What is stored goes with the write of the spec before it. */
static void a_status_is_written_behind_a_spec(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(1);
    struct actions actions;
    const char *body = NULL;
    deliver(cluster, 2,
            ",'status':{'conditions':[{'type':'Ready','status':'False'},"
            "{'type':'Measured','status':'False'},{'type':'Capped','status':'True'}]}");
    const uint64_t status_id = next_status(cluster, NOW_MS, &actions)->id;
    const uint64_t spec_id = find_action(&actions, JOULIE_CHANGE_SPEC, "a")->id;
    assert_int_equal(joulie_cluster_action_done(cluster, spec_id, JOULIE_OUTCOME_APPLIED, NULL), 0);
    assert_int_equal(joulie_cluster_action_body(cluster, status_id, &body, NULL), 0);
    assert_non_null(strstr(body, "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\""));
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_names_the_generation_that_it_was_decided_by),
        cmocka_unit_test(another_generation_alone_is_written_once_and_moves_no_transition),
        cmocka_unit_test(whether_caps_are_in_force_is_what_the_agent_says),
        cmocka_unit_test(a_cap_of_everything_is_none),
        cmocka_unit_test(a_power_that_is_read_is_measured),
        cmocka_unit_test(a_node_of_unknown_hardware_is_not_ready),
        cmocka_unit_test(conditions_of_others_stay_where_they_stand),
        cmocka_unit_test(a_status_is_written_behind_a_spec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
