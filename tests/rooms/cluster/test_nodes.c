/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes as numbers for metrics, and nodes that are left alone by their annotation. */

#include <stdio.h>
#include <string.h>

#include "cluster/api.h"

static const char hardware_a[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"a\"}"
    ",\"spec\":{\"nodeName\":\"a\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,"
    "\"totalCores\":192}}}";
static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\","
    "\"annotations\":{\"joulie.io/workload-class\":\"performance\"}},\"spec\":{\"nodeName\":\"a\"},"
    "\"status\":{\"phase\":\"Running\"}}";

static void upsert_node(struct joulie_cluster *cluster, const char *name, const char *labels,
                        const char *paused)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"uid\":"
             "\"uid-%s\",\"labels\":{%s},\"annotations\":{\"joulie.io/paused\":\"%s\"}}}",
             name, name, labels, paused);
    upsert(cluster, text);
}

static void a_paused_node_without_a_twin_gets_nothing(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    upsert_node(cluster, "a", "", "true");
    upsert(cluster, hardware_a);
    assert_int_equal(step(cluster, NOW_MS), 0);
    assert_int_equal(node_of(cluster, "a").is_paused, 1);
    joulie_cluster_free(cluster);
}

static void a_paused_node_keeps_spec_and_label_and_gets_a_status(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0.1}}");
    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"eco\"", "true");
    upsert(cluster, hardware_a);
    upsert(cluster,
           "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":"
           "\"a\"},\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\",\"cpu\":"
           "{\"packagePowerCapPctOfMax\":60}}}");

    /* the plan wants the only node of its family at performance */
    assert_int_equal(step(cluster, NOW_MS), 1);
    const struct joulie_cluster_action status = action_at(cluster, 0);
    assert_string_equal(status.subresource, "status");
    assert_non_null(strstr(body_at(cluster, 0), "\"schedulableClass\":\"eco\""));
    assert_non_null(strstr(body_at(cluster, 0), "\"effectiveCapState\":{\"cpuPct\":60"));
    assert_int_equal(node_of(cluster, "a").profile, JOULIE_PROFILE_PERFORMANCE);
    assert_string_equal(node_of(cluster, "a").label, "eco");
    char *why = NULL;
    assert_int_equal(joulie_cluster_explain(cluster, "a", &why, NULL), JOULIE_OK);
    assert_non_null(strstr(why, "\"paused\":true"));
    joulie_free(why);
    apply_all(cluster, 1);
    assert_int_equal(step(cluster, NOW_MS + 60000), 0);

    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"eco\"", "false");
    assert_int_equal(step(cluster, NOW_MS + 120000), 3);
    joulie_cluster_free(cluster);
}

static void a_paused_node_that_leaves_the_scope_is_not_released(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"nodeSelector\":\"in=yes\"}}");
    upsert_node(cluster, "a", "\"in\":\"yes\"", "");
    upsert(cluster, hardware_a);
    apply_all(cluster, step(cluster, NOW_MS));
    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"performance\"", "true");
    assert_int_equal(step(cluster, NOW_MS + 60000), 0);

    /* a node that is gone has no agent: its twin goes */
    assert_int_equal(joulie_cluster_remove(cluster, "Node", NULL, "a", NULL), JOULIE_OK);
    assert_int_equal(step(cluster, NOW_MS + 120000), 1);
    assert_int_equal(action_at(cluster, 0).verb, JOULIE_ACTION_DELETE);
    joulie_cluster_free(cluster);
}

static void nodes_are_numbered_by_name(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"nodeSelector\":\"in=yes\"}}");
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    upsert_node(cluster, "b", "", "");
    upsert_node(cluster, "a", "\"in\":\"yes\"", "");
    upsert(cluster, hardware_a);

    assert_int_equal(joulie_cluster_node_at(cluster, 0, &node, NULL), JOULIE_OK);
    assert_string_equal(node.name, "a");
    assert_string_equal(node.uid, "uid-a");
    assert_string_equal(node.scope, "managed");
    assert_int_equal(node.profile, JOULIE_PROFILE_UNKNOWN);
    assert_int_equal(node.state, JOULIE_NODE_STATE_UNKNOWN);
    assert_string_equal(node.old_state, "");
    assert_near(node.cpu_density, 136396.8, 1e-6);          /* docs/rules/policy.md#density */
    assert_near(node.cpu_density_normalized, 1420.8, 1e-9); /* 710.4 of each socket */
    assert_int_equal(joulie_cluster_node_at(cluster, 1, &node, NULL), JOULIE_OK);
    assert_string_equal(node.scope, "selector");
    assert_int_equal(joulie_cluster_node_at(cluster, 2, &node, NULL), JOULIE_E_RANGE);
    node.struct_size = 8;
    assert_int_equal(joulie_cluster_node_at(cluster, 0, &node, NULL), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

static void a_transition_has_a_state_before_and_after(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"type\":\"queue_aware_v1\","
                                          "\"queueHpMin\":1}}");
    upsert_node(cluster, "a", "", "");
    upsert(cluster, hardware_a);
    apply_all(cluster, step(cluster, NOW_MS));
    assert_string_equal(node_of(cluster, "a").old_state, "ActivePerformance");
    assert_int_equal(node_of(cluster, "a").has & JOULIE_CLUSTER_NODE_HAS_HEADROOM,
                     JOULIE_CLUSTER_NODE_HAS_HEADROOM);
    joulie_cluster_free(cluster);
}

static void totals_are_those_of_the_last_step(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    upsert_node(cluster, "a", "", "");
    upsert(cluster, pod);
    step(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.pods_performance, 1);
    assert_int_equal(totals.pods_general, 0);
    assert_near(totals.weighted_demand, 1, 0);
    assert_int_equal(totals.performance_nodes, 1);
    totals.struct_size = 1;
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

static void the_settings_of_a_model_make_the_same_model(void **state)
{
    static const char given[] =
        "{\"policy\":{\"type\":\"queue_aware_v1\",\"queueHpMin\":3},\"clusterCapacityW\":90000,"
        "\"twinStalenessS\":7,\"failPolicy\":\"closed\",\"racks\":{\"r1\":{\"capacityW\":8000}}}";
    struct joulie_cluster *plain = make("{}");
    struct joulie_cluster *cluster = make(given);
    char *defaults = NULL;
    char *settings = NULL;
    char *again = NULL;
    (void)state;
    assert_int_equal(joulie_cluster_settings(plain, &defaults, NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_settings(cluster, &settings, NULL), JOULIE_OK);
    assert_non_null(strstr(defaults, "\"type\":\"static_partition\",\"staticHpFrac\":0.5,"));
    assert_non_null(strstr(defaults, "\"rackCapacityW\":50000,\"twinStalenessS\":300,"));
    assert_non_null(strstr(defaults, "\"filterStaleGraceS\":1800,\"failPolicy\":\"last-known\","));
    assert_null(strstr(defaults, "clusterCapacityW"));
    assert_non_null(strstr(settings, "\"queueHpMin\":3,\"queueHpMax\":1000000,"));
    assert_non_null(strstr(settings, "\"clusterCapacityW\":90000,\"racks\":{\"r1\":{"));
    struct joulie_cluster *copy = make(settings);
    assert_int_equal(joulie_cluster_settings(copy, &again, NULL), JOULIE_OK);
    assert_string_equal(again, settings);
    joulie_free(defaults);
    joulie_free(settings);
    joulie_free(again);
    joulie_cluster_free(plain);
    joulie_cluster_free(cluster);
    joulie_cluster_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_settings_of_a_model_make_the_same_model),
        cmocka_unit_test(a_paused_node_without_a_twin_gets_nothing),
        cmocka_unit_test(a_paused_node_keeps_spec_and_label_and_gets_a_status),
        cmocka_unit_test(a_paused_node_that_leaves_the_scope_is_not_released),
        cmocka_unit_test(nodes_are_numbered_by_name),
        cmocka_unit_test(a_transition_has_a_state_before_and_after),
        cmocka_unit_test(totals_are_those_of_the_last_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
