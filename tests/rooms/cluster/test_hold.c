/* SPDX-License-Identifier: Apache-2.0 */

/* Towards performance class and label come when the looser cap is in force
 * (docs/rules/reconcile.md#held-classes). */

#include <stdio.h>

#include "base/time.h"
#include "cluster/objects.h"

#define PERIOD (30 * SECOND)

static struct joulie_cluster *open_model(double performance_share)
{
    struct jl_cluster_config config = { 0 };
    JL_SET(&config.policy, static_hp_frac, performance_share);
    config.given.policy = true;
    JL_SET(&config.agents, control_period_s, 30);
    config.given.agents = true;
    struct joulie_cluster *cluster = new_cluster(&config);
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'a','labels':{'joulie.io/"
                 "managed':'true','joulie.io/power-profile':'eco'}},"
                 "'status':{'capacity':{'cpu':'192'},'allocatable':{'cpu':'192'}}}");
    put(cluster, "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeHardware','metadata':{'name':'a'}"
                 ",'spec':{'nodeName':'a'},'status':{'cpu':{'model':'AMD_EPYC_9654','sockets':2,"
                 "'totalCores':192}}}");
    return cluster;
}

struct twin {
    const char *profile;
    int64_t since_ms;
    const char *class_word;
    bool is_draining;
    const char *result; /* of the CPUs; NULL = nobody reports */
    int64_t reported_ms;
};

static void put_twin(struct joulie_cluster *cluster, const struct twin *twin)
{
    char since[JL_TIME_TEXT];
    char reported[JL_TIME_TEXT];
    char control[256] = "";
    jl_format_time(twin->since_ms, since);
    jl_format_time(twin->reported_ms, reported);
    if (twin->result != NULL)
        snprintf(control, sizeof control,
                 ",'controlStatus':{'cpu':{'backend':'rapl','result':'%s','message':'','updatedAt':"
                 "'%s'}}",
                 twin->result, reported);
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'a','annotations':"
        "{'joulie.io/profile-since':'%s'}},'spec':{'nodeName':'a','profile':'%s','cpu':"
        "{'packagePowerCapPctOfMax':%d},'policy':{'name':'static-partition-v1'},'scheduling':"
        "{'draining':%s}},'status':{'schedulableClass':'%s','lastUpdated':'%s'%s}}",
        since, twin->profile, twin->profile[0] == 'e' && !twin->is_draining ? 60 : 100,
        twin->is_draining ? "true" : "false", twin->class_word, since, control);
}

/* What a step asks for: a letter each of Spec, sTatus with another class, Label. */
static const char *asked(struct joulie_cluster *cluster, int64_t now_ms)
{
    static char out[4];
    const struct actions actions = step(cluster, now_ms);
    const struct jl_cluster_write *status = find_action(&actions, JOULIE_CHANGE_STATUS, "a");
    char *at = out;
    if (find_action(&actions, JOULIE_CHANGE_SPEC, "a") != NULL)
        *at++ = 'S';
    if (status != NULL && status->status->schedulable_class == JOULIE_NODE_CLASS_PERFORMANCE)
        *at++ = 'T';
    if (find_action(&actions, JOULIE_CHANGE_LABEL, "a") != NULL)
        *at++ = 'L';
    *at = '\0';
    return out;
}

static void class_and_label_wait_until_the_agent_says_applied(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = open_model(1);
    struct twin twin = { .profile = "eco",
                         .since_ms = NOW_MS - 60 * MINUTE,
                         .class_word = "eco",
                         .result = "applied",
                         .reported_ms = NOW_MS - SECOND };
    put_twin(cluster, &twin);
    assert_string_equal(asked(cluster, NOW_MS), "S");
    twin.profile = "performance";
    twin.since_ms = NOW_MS;
    put_twin(cluster, &twin); /* the report is about the cap before */
    assert_string_equal(asked(cluster, NOW_MS + SECOND), "");
    twin.result = "pending";
    twin.reported_ms = NOW_MS + 2 * SECOND;
    put_twin(cluster, &twin);
    assert_int_equal(joulie_cluster_early_step_ms(cluster, NOW_MS + 2 * SECOND), INT64_MAX);
    assert_string_equal(asked(cluster, NOW_MS + 2 * SECOND), "");
    twin.result = "applied";
    twin.reported_ms = NOW_MS + 3 * SECOND;
    put_twin(cluster, &twin);
    assert_int_equal(joulie_cluster_early_step_ms(cluster, NOW_MS + 3 * SECOND),
                     NOW_MS + 5 * SECOND);
    assert_string_equal(asked(cluster, NOW_MS + 5 * SECOND), "TL");
    joulie_cluster_free(cluster);
}

static void where_nobody_reports_they_wait_for_one_control_period(void **state)
{
    static const char *const results[] = { NULL, "pending", "error" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(results); i++) {
        struct joulie_cluster *cluster = open_model(1);
        put_twin(cluster, &(struct twin){ .profile = "performance",
                                          .since_ms = NOW_MS,
                                          .class_word = "eco",
                                          .result = results[i],
                                          .reported_ms = NOW_MS + SECOND });
        assert_string_equal(asked(cluster, NOW_MS + SECOND), "");
        assert_string_equal(asked(cluster, NOW_MS + PERIOD - 1), "");
        assert_string_equal(asked(cluster, NOW_MS + PERIOD), "TL"); /* nothing but time passed */
        joulie_cluster_free(cluster);
    }
}

/* Nothing limits such a node, and nothing did. */
static void a_node_that_cannot_be_capped_does_not_wait(void **state)
{
    static const char *const results[] = { "blocked", "none" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(results); i++) {
        struct joulie_cluster *cluster = open_model(1);
        put_twin(cluster, &(struct twin){ .profile = "performance",
                                          .since_ms = NOW_MS,
                                          .class_word = "eco",
                                          .result = results[i],
                                          .reported_ms = NOW_MS + SECOND });
        assert_string_equal(asked(cluster, NOW_MS + SECOND), "TL");
        joulie_cluster_free(cluster);
    }
}

/* Its caps are those of performance all the time. */
static void a_drain_that_is_called_off_ends_at_once(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = open_model(1);
    put_twin(cluster, &(struct twin){ .profile = "eco",
                                      .since_ms = NOW_MS - MINUTE,
                                      .class_word = "draining",
                                      .is_draining = true });
    assert_string_equal(asked(cluster, NOW_MS), "STL");
    joulie_cluster_free(cluster);
}

static void towards_eco_nothing_waits(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = open_model(0);
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'a','labels':{'joulie.io/"
                 "managed':'true','joulie.io/power-profile':'performance'}},"
                 "'status':{'capacity':{'cpu':'192'},'allocatable':{'cpu':'192'}}}");
    put_twin(cluster, &(struct twin){ .profile = "performance",
                                      .since_ms = NOW_MS - MINUTE * 60,
                                      .class_word = "performance",
                                      .result = "applied",
                                      .reported_ms = NOW_MS });
    const struct actions actions = step(cluster, NOW_MS);
    assert_non_null(find_action(&actions, JOULIE_CHANGE_SPEC, "a"));
    assert_non_null(find_action(&actions, JOULIE_CHANGE_LABEL, "a"));
    assert_int_equal(find_action(&actions, JOULIE_CHANGE_STATUS, "a")->status->schedulable_class,
                     JOULIE_NODE_CLASS_ECO);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_and_label_wait_until_the_agent_says_applied),
        cmocka_unit_test(where_nobody_reports_they_wait_for_one_control_period),
        cmocka_unit_test(a_node_that_cannot_be_capped_does_not_wait),
        cmocka_unit_test(a_drain_that_is_called_off_ends_at_once),
        cmocka_unit_test(towards_eco_nothing_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
