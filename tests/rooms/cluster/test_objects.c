/* SPDX-License-Identifier: Apache-2.0 */

/* Objects as text in, patches out. */

#include <stdio.h>
#include <string.h>

#include "cluster/api.h"

static const char node_a[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"spec\":"
    "{\"podCIDR\":\"10.0.0.0/24\"},\"status\":{\"capacity\":{\"cpu\":\"64\"}}}";
static const char hardware_a[] =
    "apiVersion: joulie.io/v1alpha1\n"
    "kind: NodeHardware\n"
    "metadata: {name: a}\n"
    "spec: {nodeName: a}\n"
    "status:\n"
    "  cpu: {model: AMD_EPYC_9654, sockets: 2, totalCores: 192, madeUp: 1}\n";
static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\","
    "\"annotations\":{\"joulie.io/workload-class\":\"performance\"}},\"spec\":{\"nodeName\":\"a\"},"
    "\"status\":{\"phase\":\"Running\"}}";

static void a_new_node_gets_a_twin_a_label_and_a_status(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(NULL);
    upsert(cluster, node_a);
    upsert(cluster, hardware_a);
    assert_int_equal(step(cluster, NOW_MS), 3);

    const struct joulie_cluster_action create = action_at(cluster, 0);
    assert_int_equal(create.verb, JOULIE_ACTION_CREATE);
    assert_string_equal(create.plural, "nodetwins");
    assert_string_equal(create.subresource, "");
    assert_string_equal(
        body_at(cluster, 0),
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"a\",\"annotations\":"
        "{\"joulie.io/"
        "profile-since\":\"2026-03-13T12:00:00Z\"}},\"spec\":{\"nodeName\":\"a\",\"profile\":"
        "\"performance\","
        "\"cpu\":{\"packagePowerCapPctOfMax\":100},\"policy\":{\"name\":\"static-partition-v1\"},"
        "\"scheduling\":"
        "{\"draining\":false}}}");
    const struct joulie_cluster_action label = action_at(cluster, 1);
    assert_int_equal(label.verb, JOULIE_ACTION_PATCH);
    assert_string_equal(label.plural, "nodes");
    assert_string_equal(label.api_version, "v1");
    assert_string_equal(
        body_at(cluster, 1),
        "{\"metadata\":{\"labels\":{\"joulie.io/power-profile\":\"performance\"}}}");
    const struct joulie_cluster_action status = action_at(cluster, 2);
    assert_string_equal(status.subresource, "status");
    assert_non_null(strstr(body_at(cluster, 2), "\"schedulableClass\":\"performance\""));
    assert_non_null(strstr(body_at(cluster, 2), "\"lastUpdated\":\"2026-03-13T12:00:00Z\""));
    apply_all(cluster, 3);
    assert_int_equal(step(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

static void a_patch_names_only_what_changes_and_takes_away_with_null(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"powerProfileLabel\": \"x\"}");
    upsert(cluster, node_a);
    upsert(cluster, hardware_a);
    apply_all(cluster, step(cluster, NOW_MS));
    upsert(cluster,
           "{\"apiVersion\":\"joulie.io/"
           "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":"
           "\"a\",\"profile\":\"performance\",\"cpu\":{\"packagePowerCapWatts\":200},\"gpu\":{"
           "\"powerCap\":{\"capPctOfMax\":"
           "50}},\"policy\":{\"name\":\"static-partition-v1\",\"reschedulablePressure\":\"low\"},"
           "\"scheduling\":"
           "{\"draining\":false}}}");
    assert_int_equal(step(cluster, NOW_MS), 2);
    const struct joulie_cluster_action patch = action_at(cluster, 0);
    assert_int_equal(patch.verb, JOULIE_ACTION_PATCH);
    assert_string_equal(
        body_at(cluster, 0),
        "{\"spec\":{\"cpu\":{\"packagePowerCapPctOfMax\":100,\"packagePowerCapWatts\":null},"
        "\"gpu\":null}}");
    joulie_cluster_free(cluster);
}

static void a_status_patch_leaves_the_agents_part_alone(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(NULL);
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    upsert(cluster, node_a);
    upsert(cluster, hardware_a);
    apply_all(cluster, step(cluster, NOW_MS));
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS + 1000;
    sample.node_power_w = 360;
    sample.source = JOULIE_POWER_SOURCE_KEPLER;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_OK);
    assert_int_equal(step(cluster, NOW_MS + 1000), 1);
    assert_string_equal(
        body_at(cluster, 0),
        "{\"status\":{\"powerMeasurement\":{\"source\":\"kepler\",\"measuredNodePowerW\":360},"
        "\"predictedPowerHeadroomScore\":50,\"predictedCoolingStressScore\":50,\"estimatedPUE\":1."
        "225,"
        "\"lastUpdated\":\"2026-03-13T12:00:01Z\"}}");
    joulie_cluster_free(cluster);
}

static void a_released_node_loses_its_label_and_then_its_twin(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("policy: {nodeSelector: keep=me}\n");
    upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\","
                    "\"labels\":{\"keep\":\"me\"}}}");
    apply_all(cluster, step(cluster, NOW_MS));
    upsert(cluster,
           "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"labels\":"
           "{\"joulie.io/power-profile\":\"performance\"}}}");
    assert_int_equal(step(cluster, NOW_MS), 1); /* its caps are those of performance already */
    assert_string_equal(body_at(cluster, 0),
                        "{\"metadata\":{\"labels\":{\"joulie.io/power-profile\":null}}}");
    apply_all(cluster, 1);
    assert_int_equal(step(cluster, NOW_MS), 1);
    assert_int_equal(action_at(cluster, 0).verb, JOULIE_ACTION_DELETE);
    assert_string_equal(body_at(cluster, 0), "");
    apply_all(cluster, 1);
    assert_int_equal(step(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

static void filter_score_and_explain_answer_in_json(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0.1}}");
    char *json = NULL;
    upsert(cluster, node_a);
    upsert(cluster, hardware_a);
    upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}}");
    upsert(
        cluster,
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"b\"},\"spec\":"
        "{\"nodeName\":\"b\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":1}}}");
    upsert(cluster, pod);
    apply_all(cluster, step(cluster, NOW_MS));

    assert_int_equal(joulie_cluster_filter(cluster, pod, strlen(pod), NOW_MS, &json, NULL),
                     JOULIE_OK);
    assert_string_equal(json, "{\"passed\":[\"a\"],\"failed\":{\"b\":\"joulie: performance pod "
                              "rejected from eco/draining "
                              "node\"}}");
    joulie_free(json);
    assert_int_equal(joulie_cluster_score(cluster, pod, strlen(pod), NOW_MS, &json, NULL),
                     JOULIE_OK);
    assert_non_null(strstr(json, "{\"node\":\"a\",\"score\":"));
    assert_non_null(strstr(json, "\"known\":true,\"raw\":"));
    joulie_free(json);
    assert_int_equal(joulie_cluster_explain(cluster, "b", &json, NULL), JOULIE_OK);
    assert_non_null(strstr(
        json, "{\"nodeName\":\"b\",\"scope\":\"managed\",\"profile\":\"eco\",\"draining\":false,"
              "\"state\":\"ActiveEco\",\"reasons\":[\""));
    joulie_free(json);
    json = NULL;
    assert_int_equal(joulie_cluster_explain(cluster, "nobody", &json, NULL), JOULIE_E_NOT_FOUND);
    assert_null(json);
    joulie_cluster_free(cluster);
}

static void bad_texts_are_refused_with_their_place(void **unused)
{
    (void)unused;

    static const struct {
        const char *text;
        int code;
        const char *where;
    } rows[] = {
        { "{\"kind\":\"Node\"}", JOULIE_E_REQUIRED, "apiVersion" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Secret\"}", JOULIE_E_UNSUPPORTED, "kind" },
        { "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"TelemetryProfile\"}",
          JOULIE_E_UNSUPPORTED, "kind" }, /* of ours, but none that the model takes */
        { "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{}}", JOULIE_E_REQUIRED,
          "metadata.name" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":7}}", JOULIE_E_TYPE,
          "metadata.name" },
        { "{\"apiVersion\":\"joulie.io/"
          "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":"
          "\"a\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapPctOfMax\":130}}}",
          JOULIE_E_RANGE, "spec.cpu.packagePowerCapPctOfMax" },
    };
    struct joulie_cluster *cluster = make(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(
            joulie_cluster_put_object(cluster, rows[i].text, strlen(rows[i].text), &err),
            rows[i].code);
        assert_string_equal(err.where, rows[i].where);
    }
    assert_int_equal(step(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

static void bad_settings_are_refused_with_their_place(void **unused)
{
    (void)unused;

    static const struct {
        const char *text;
        int code;
        const char *where;
    } rows[] = {
        { "{\"policy\":{\"type\":\"greedy\"}}", JOULIE_E_ENUM, "policy.type" },
        { "{\"policy\":{\"type\":\"power_budget_v1\"}}", JOULIE_E_UNSUPPORTED, "policy.type" },
        { "{\"policy\":{\"nodeSelector\":\"a in (\"}}", JOULIE_E_PARSE, "policy.nodeSelector" },
        { "{\"rackCapacityW\":0}", JOULIE_E_RANGE, "rackCapacityW" },
        { "{\"rack\":1}", JOULIE_E_UNKNOWN_MEMBER, "rack" },
        { "{\"scoring\":{\"version\":2}}", JOULIE_E_UNSUPPORTED, "scoring.version" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_cluster *cluster = NULL;
        assert_int_equal(joulie_cluster_new(rows[i].text, strlen(rows[i].text), &cluster, &err),
                         rows[i].code);
        assert_string_equal(err.where, rows[i].where);
        assert_null(cluster);
    }
}

static void structs_of_impossible_sizes_are_refused(void **unused)
{
    (void)unused;
    struct joulie_cluster *cluster = make(NULL);
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
    upsert(cluster, node_a);
    sample.struct_size = 8;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_E_ABI);
    facility.has = UINT64_C(1) << 40;
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_cluster_action_at(cluster, 0, &action, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_cluster_action_done(cluster, 1, 9, NULL), JOULIE_E_ENUM);
    joulie_cluster_free(cluster);
    joulie_cluster_free(NULL);
}

/* What became of a write may be known after its node has gone. */
static void a_write_of_a_node_that_has_gone_changes_nothing(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(NULL);
    upsert(cluster, node_a);
    upsert(cluster, hardware_a);
    assert_int_equal(step(cluster, NOW_MS), 3);
    const struct joulie_cluster_action label = action_at(cluster, 1);
    assert_string_equal(label.plural, "nodes");
    assert_int_equal(joulie_cluster_remove(cluster, "Node", NULL, "a", NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_remove(cluster, "NodeHardware", NULL, "a", NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_action_done(cluster, label.id, JOULIE_OUTCOME_APPLIED, NULL),
                     JOULIE_OK);
    assert_int_equal(step(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_node_gets_a_twin_a_label_and_a_status),
        cmocka_unit_test(a_patch_names_only_what_changes_and_takes_away_with_null),
        cmocka_unit_test(a_status_patch_leaves_the_agents_part_alone),
        cmocka_unit_test(a_released_node_loses_its_label_and_then_its_twin),
        cmocka_unit_test(filter_score_and_explain_answer_in_json),
        cmocka_unit_test(bad_texts_are_refused_with_their_place),
        cmocka_unit_test(bad_settings_are_refused_with_their_place),
        cmocka_unit_test(structs_of_impossible_sizes_are_refused),
        cmocka_unit_test(a_write_of_a_node_that_has_gone_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
