/* SPDX-License-Identifier: Apache-2.0 */

/* Profiles of workloads over time (docs/rules/classification.md#profiles-of-a-cluster): when it is
 * asked, which owners are read, when a profile goes. What one decision says is in vectors. */

#include <stdio.h>
#include <string.h>

#include "cluster/api.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define VECTOR "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[%s]}}"

/* ---- objects ---- */

static void put_pod(struct joulie_cluster *cluster, const char *name, const char *meta)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
             "\"d\",\"uid\":\"uid-%s\"%s},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":"
             "\"a\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{\"phase\":"
             "\"Running\"}}",
             name, name, meta);
    upsert(cluster, text);
}

static void put_replica(struct joulie_cluster *cluster, const char *name, const char *uid)
{
    char meta[512];
    snprintf(meta, sizeof meta,
             ",\"labels\":{\"pod-template-hash\":\"7d9f\"},\"ownerReferences\":[{\"apiVersion\":"
             "\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-7d9f\",\"uid\":\"%s\","
             "\"controller\":true}]",
             uid);
    put_pod(cluster, name, meta);
}

static struct joulie_cluster *make_cluster(const char *settings)
{
    struct joulie_cluster *cluster = make(settings);
    upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\","
                    "\"labels\":{\"joulie.io/managed\":\"true\"}},\"status\":{\"allocatable\":{"
                    "\"cpu\":\"8\"}}}");
    return cluster;
}

/* ---- rounds ---- */

static size_t begin(struct joulie_cluster *cluster, int64_t now_ms)
{
    size_t count = 99;
    assert_int_equal(joulie_cluster_workloads_begin(cluster, now_ms, &count, NULL), 0);
    return count;
}

static void reply(struct joulie_cluster *cluster, size_t index, const char *pod, const char *value)
{
    char series[256] = "";
    char text[512];
    if (pod != NULL)
        snprintf(series, sizeof series,
                 "{\"metric\":{\"namespace\":\"d\",\"pod\":\"%s\"},\"value\":[1,\"%s\"]}", pod,
                 value);
    snprintf(text, sizeof text, VECTOR, series);
    assert_int_equal(joulie_cluster_workloads_reply(cluster, index, 200, text, strlen(text), NULL),
                     0);
}

/* A whole window in which a pod uses so many cores. */
static void measure_pod(struct joulie_cluster *cluster, int64_t now_ms, const char *pod,
                        const char *cores)
{
    const size_t count = begin(cluster, now_ms);
    assert_int_equal(count, 8);
    reply(cluster, 0, pod, cores);
    reply(cluster, 1, pod, "10");
    for (size_t i = 2; i < count; i++)
        reply(cluster, i, NULL, NULL);
}

static size_t decide(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct joulie_cluster_workloads found = JOULIE_INIT(struct joulie_cluster_workloads);
    assert_int_equal(joulie_cluster_workloads_decide(cluster, now_ms, &found, NULL), 0);
    return (size_t)found.actions;
}

static struct joulie_cluster_action at(struct joulie_cluster *cluster, size_t index)
{
    struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
    assert_int_equal(joulie_cluster_workload_action_at(cluster, index, &action, NULL), 0);
    return action;
}

static void done(struct joulie_cluster *cluster, size_t index, enum joulie_action_outcome outcome,
                 const char *object)
{
    const uint64_t id = at(cluster, index).id;
    assert_int_equal(joulie_cluster_workload_action_done(cluster, id, outcome, object,
                                                         object != NULL ? strlen(object) : 0, NULL),
                     0);
}

#define PROFILE(object, kind, name, status)                                                       \
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\",\"metadata\":{\"name\":" \
    "\"" object "\",\"namespace\":\"d\",\"uid\":\"p\",\"labels\":{"                               \
    "\"app.kubernetes.io/managed-by\":\"joulie-operator\"},\"ownerReferences\":[{\"uid\":"        \
    "\"uid-" name "\"}]},\"spec\":{\"nodeName\":\"n\",\"workloadRef\":{\"kind\":\"" kind          \
    "\",\"name\":\"" name "\"}},\"status\":{" status "}}"
#define HIGH                                                                                    \
    "\"criticality\":{\"class\":\"performance\"},\"cpu\":{\"intensity\":\"high\",\"bound\":"    \
    "\"compute\",\"capSensitivity\":\"high\",\"avgUtilizationPct\":90},\"gpu\":{\"intensity\":" \
    "\"none\",\"bound\":\"none\",\"capSensitivity\":\"none\"},\"confidence\":0.5,"              \
    "\"lastUpdated\":\"2026-03-13T12:00:00Z\""

/* Both writes of a new profile of the pod x, as the server answers them. */
static void store(struct joulie_cluster *cluster)
{
    done(cluster, 0, JOULIE_OUTCOME_APPLIED, PROFILE("pod-x", "Pod", "x", ""));
    done(cluster, 1, JOULIE_OUTCOME_APPLIED, PROFILE("pod-x", "Pod", "x", HIGH));
}

/* ---- when it is asked ---- */

static void a_workload_is_measured_again_after_a_while(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    assert_int_equal(begin(cluster, NOW_MS), 0); /* nobody is there */
    put_pod(cluster, "x", "");
    measure_pod(cluster, NOW_MS, "x", "1.8");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    assert_int_equal(begin(cluster, NOW_MS), 8); /* what is not stored is offered again */
    measure_pod(cluster, NOW_MS, "x", "1.8");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    store(cluster);
    assert_int_equal(begin(cluster, NOW_MS + 15 * MINUTE - 1), 0);
    assert_int_equal(begin(cluster, NOW_MS + 15 * MINUTE), 8);
    assert_int_equal(begin(cluster, NOW_MS - 1), 8); /* a clock that went back */
    joulie_cluster_free(cluster);
}

static void a_window_that_lacks_a_part_is_asked_for_again(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    put_pod(cluster, "x", "");
    measure_pod(cluster, NOW_MS, "x", "1.8");
    reply(cluster, 1, "x", "4");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    store(cluster);
    assert_int_equal(begin(cluster, NOW_MS + SECOND), 8);
    joulie_cluster_free(cluster);
}

static void another_word_of_the_pods_counts_at_once(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    put_pod(cluster, "x", "");
    measure_pod(cluster, NOW_MS, "x", "1.8");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    store(cluster);
    assert_int_equal(begin(cluster, NOW_MS + SECOND), 0);
    put_pod(cluster, "x", ",\"annotations\":{\"joulie.io/workload-class\":\"performance\"}");
    assert_int_equal(begin(cluster, NOW_MS + SECOND), 8);
    joulie_cluster_free(cluster);
}

static void an_answer_that_comes_twice_counts_once(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    const char *body = "";
    (void)state;
    put_pod(cluster, "x", "");
    measure_pod(cluster, NOW_MS, "x", "0.2");
    reply(cluster, 0, "x", "1.8");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    assert_int_equal(joulie_cluster_workload_action_body(cluster, at(cluster, 1).id, &body, NULL),
                     0);
    assert_non_null(strstr(body, "\"avgUtilizationPct\":90"));
    joulie_cluster_free(cluster);
}

static void an_earlier_window_says_nothing_of_the_next(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    const char *body = "";
    (void)state;
    put_pod(cluster, "x", "");
    measure_pod(cluster, NOW_MS, "x", "1.8");
    measure_pod(cluster, NOW_MS, "y", "1.8");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    assert_int_equal(joulie_cluster_workload_action_body(cluster, at(cluster, 1).id, &body, NULL),
                     0);
    assert_non_null(strstr(body, "hints only"));
    joulie_cluster_free(cluster);
}

/* ---- owners ---- */

#define REPLICA_SET(uid, deployment)                                                           \
    "{\"metadata\":{\"name\":\"web-7d9f\",\"uid\":\"" uid "\",\"ownerReferences\":[{\"kind\":" \
    "\"Deployment\",\"name\":\"" deployment "\",\"uid\":\"uid-d\",\"controller\":true}]}}"

static void an_owner_is_read_once(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    put_replica(cluster, "a", "rs");
    put_replica(cluster, "b", "rs");
    assert_int_equal(begin(cluster, NOW_MS), 8);
    assert_int_equal(decide(cluster, NOW_MS), 1);
    assert_int_equal(at(cluster, 0).verb, JOULIE_ACTION_READ);
    assert_string_equal(at(cluster, 0).plural, "replicasets");
    assert_string_equal(at(cluster, 0).name_space, "d");
    done(cluster, 0, JOULIE_OUTCOME_APPLIED, REPLICA_SET("rs", "web"));
    assert_int_equal(decide(cluster, NOW_MS), 2);
    assert_string_equal(at(cluster, 0).name, "deployment-web");
    assert_int_equal(decide(cluster, NOW_MS + HOUR), 2);
    joulie_cluster_free(cluster);
}

static void one_that_was_made_anew_is_read_again(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    const char *body = "";
    (void)state;
    put_replica(cluster, "a", "rs");
    decide(cluster, NOW_MS);
    done(cluster, 0, JOULIE_OUTCOME_APPLIED, REPLICA_SET("rs", "web"));
    put_replica(cluster, "a", "other");
    assert_int_equal(decide(cluster, NOW_MS + HOUR), 3);
    assert_int_equal(at(cluster, 0).verb, JOULIE_ACTION_READ);
    assert_int_equal(joulie_cluster_workload_action_body(cluster, at(cluster, 1).id, &body, NULL),
                     0);
    assert_null(strstr(body, "ownerReferences")); /* whose it is is not known any more */
    joulie_cluster_free(cluster);
}

static void one_that_cannot_be_read_is_asked_for_again_after_a_while(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    put_replica(cluster, "a", "rs");
    assert_int_equal(decide(cluster, NOW_MS), 1);
    done(cluster, 0, JOULIE_OUTCOME_FAILED, NULL);
    assert_int_equal(decide(cluster, NOW_MS), 2);
    assert_string_equal(at(cluster, 0).name, "deployment-web");
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE - 1), 2);
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 3);
    joulie_cluster_free(cluster);
}

static void an_answer_that_is_no_object_changes_nothing(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    put_replica(cluster, "a", "rs");
    assert_int_equal(decide(cluster, NOW_MS), 1);
    const uint64_t id = at(cluster, 0).id;
    assert_int_equal(
        joulie_cluster_workload_action_done(cluster, id, JOULIE_OUTCOME_APPLIED, "{", 1, NULL),
        JOULIE_E_PARSE);
    assert_int_equal(
        joulie_cluster_workload_action_done(cluster, id + 1, JOULIE_OUTCOME_APPLIED, "{}", 2, NULL),
        JOULIE_E_RANGE);
    assert_int_equal(joulie_cluster_workload_action_done(cluster, id, (enum joulie_action_outcome)9,
                                                         NULL, 0, NULL),
                     JOULIE_E_ENUM);
    joulie_cluster_free(cluster);
}

/* ---- profiles that go ---- */

static void a_profile_goes_when_its_workload_was_looked_for(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    upsert(cluster, PROFILE("pod-x", "Pod", "x", HIGH));
    assert_int_equal(decide(cluster, NOW_MS), 0);
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE - 1), 0);
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 1);
    assert_int_equal(at(cluster, 0).verb, JOULIE_ACTION_READ);
    done(cluster, 0, JOULIE_OUTCOME_GONE, NULL);
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 1);
    assert_int_equal(at(cluster, 0).verb, JOULIE_ACTION_DELETE);
    done(cluster, 0, JOULIE_OUTCOME_FAILED, NULL);
    assert_int_equal(decide(cluster, NOW_MS + 11 * MINUTE), 1); /* offered again */
    done(cluster, 0, JOULIE_OUTCOME_GONE, NULL);
    assert_int_equal(decide(cluster, NOW_MS + 12 * MINUTE), 0);
    joulie_cluster_free(cluster);
}

static void one_whose_workload_returns_stays(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    upsert(cluster, PROFILE("pod-x", "Pod", "x", HIGH));
    decide(cluster, NOW_MS);
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 1);
    done(cluster, 0, JOULIE_OUTCOME_GONE, NULL);
    put_pod(cluster, "x", "");
    assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 0);
    joulie_cluster_remove(cluster, "Pod", "d", "x", NULL);
    assert_int_equal(decide(cluster, NOW_MS + 11 * MINUTE), 0); /* the time begins anew */
    joulie_cluster_free(cluster);
}

static void one_whose_workload_is_there_or_unknown_is_asked_for_again_later(void **state)
{
    static const enum joulie_action_outcome outcomes[] = { JOULIE_OUTCOME_APPLIED,
                                                           JOULIE_OUTCOME_FAILED,
                                                           JOULIE_OUTCOME_CONFLICT };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct joulie_cluster *cluster = make_cluster(NULL);
        upsert(cluster, PROFILE("deployment-x", "Deployment", "x", HIGH));
        decide(cluster, NOW_MS);
        assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 1);
        done(cluster, 0, outcomes[i], "{}");
        assert_int_equal(decide(cluster, NOW_MS + 10 * MINUTE), 0);
        assert_int_equal(decide(cluster, NOW_MS + 70 * MINUTE - 1), 0);
        assert_int_equal(decide(cluster, NOW_MS + 70 * MINUTE), 1);
        joulie_cluster_free(cluster);
    }
}

/* ---- what readers take ---- */

static double performance_pods(struct joulie_cluster *cluster)
{
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    step(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), 0);
    return (double)totals.pods_performance;
}

static void a_profile_below_the_least_confidence_does_not_count(void **state)
{
    static const char *const settings[] = { NULL, "classifier: {minConfidence: 0.5}",
                                            "classifier: {minConfidence: 0.51}" };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct joulie_cluster *cluster = make_cluster(settings[i]);
        put_pod(cluster, "x", "");
        upsert(cluster, PROFILE("pod-x", "Pod", "x", HIGH));
        assert_int_equal((int)performance_pods(cluster), i < 2 ? 1 : 0);
        joulie_cluster_free(cluster);
    }
}

static void what_a_server_stored_counts_without_its_event(void **state)
{
    struct joulie_cluster *cluster = make_cluster(NULL);
    (void)state;
    put_pod(cluster, "x", "");
    measure_pod(cluster, NOW_MS, "x", "1.8");
    assert_int_equal(decide(cluster, NOW_MS), 2);
    store(cluster);
    assert_int_equal(decide(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workload_is_measured_again_after_a_while),
        cmocka_unit_test(a_window_that_lacks_a_part_is_asked_for_again),
        cmocka_unit_test(another_word_of_the_pods_counts_at_once),
        cmocka_unit_test(an_answer_that_comes_twice_counts_once),
        cmocka_unit_test(an_earlier_window_says_nothing_of_the_next),
        cmocka_unit_test(an_owner_is_read_once),
        cmocka_unit_test(one_that_was_made_anew_is_read_again),
        cmocka_unit_test(one_that_cannot_be_read_is_asked_for_again_after_a_while),
        cmocka_unit_test(an_answer_that_is_no_object_changes_nothing),
        cmocka_unit_test(a_profile_goes_when_its_workload_was_looked_for),
        cmocka_unit_test(one_whose_workload_returns_stays),
        cmocka_unit_test(one_whose_workload_is_there_or_unknown_is_asked_for_again_later),
        cmocka_unit_test(a_profile_below_the_least_confidence_does_not_count),
        cmocka_unit_test(what_a_server_stored_counts_without_its_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
