/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of a cluster's life fails once: this program is the allocator. The call that
 * failed says "out of memory", is made again, and the answers at the end are those of a life
 * without a failure; then everything is released.
 */

#include <string.h>

#include <joulie/cluster.h>

#include "oom/life.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)

static const char *const objects[] = {
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"labels\":{\"joulie.io/"
    "rack\":\"r\"}},\"status\":"
    "{\"capacity\":{\"cpu\":\"64\"}}}",
    "apiVersion: v1\nkind: Node\nmetadata: {name: b.c, labels: {joulie.io/rack: r}}\n",
    "{\"apiVersion\":\"joulie.io/"
    "v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":"
    "\"a\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2}}}",
    "{\"apiVersion\":\"joulie.io/"
    "v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"b\"},\"spec\":{\"nodeName\":"
    "\"b.c\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2}}}",
    "{\"apiVersion\":\"joulie.io/"
    "v1alpha1\",\"kind\":\"WorkloadProfile\",\"metadata\":{\"name\":\"w\",\"namespace\":\"d\"},"
    "\"spec\":{\"workloadRef\":{\"kind\":\"StatefulSet\",\"name\":\"s\"}},\"status\":{"
    "\"criticality\":{\"class\":"
    "\"performance\"},\"migratability\":{\"reschedulable\":true},\"confidence\":0.9,"
    "\"lastUpdated\":"
    "\"2026-03-13T11:00:00Z\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\","
    "\"ownerReferences\":[{\"kind\":"
    "\"StatefulSet\",\"name\":\"s\",\"controller\":true}]},\"spec\":{\"nodeName\":\"b.c\"},"
    "\"status\":{\"phase\":"
    "\"Running\"}}",
};
#define OBJECTS (sizeof objects / sizeof objects[0])

static struct joulie_cluster *cluster; /* of the life that is lived */

static void step(struct oom_life *life, int64_t now_ms)
{
    size_t count = 0;
    while (oom_again(life, joulie_cluster_step(cluster, now_ms, &count, NULL)))
        ;
    for (size_t i = 0; i < count && !life->is_wrong; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        while (oom_again(life, joulie_cluster_action_at(cluster, i, &action, NULL)))
            ;
        oom_note(life, action.name);
        oom_note(life, action.body);
        while (oom_again(
            life, joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, NULL)))
            ;
    }
}

static void explain(struct oom_life *life, const char *node)
{
    char *json = NULL;
    while (oom_again(life, joulie_cluster_explain(cluster, node, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void score(struct oom_life *life)
{
    char *json = NULL;
    const char *pod = objects[OBJECTS - 1];
    while (oom_again(life, joulie_cluster_score(cluster, pod, strlen(pod), NOW_MS, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void extend(struct oom_life *life, enum joulie_extender_verb verb)
{
    static const char body[] =
        "{\"Pod\":{\"metadata\":{\"name\":\"p\"}},\"NodeNames\":[\"a\",\"b\\u002ec\",\"x\"]}";
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    char *reply = NULL;
    options.now_ms = NOW_MS;
    options.verb = verb;
    options.is_filled = 1;
    while (oom_again(
        life, joulie_cluster_extend(cluster, body, strlen(body), &options, &reply, &result, NULL)))
        ;
    oom_note(life, reply != NULL ? reply : "nothing");
    joulie_free(reply);
}

static void show_scoring(struct oom_life *life)
{
    const char *pod = objects[OBJECTS - 1];
    char *json = NULL;
    while (oom_again(life, joulie_cluster_scoring(cluster, pod, strlen(pod), NOW_MS, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void measure(struct oom_life *life, double watts)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    sample.has = JOULIE_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS;
    sample.node_power_w = watts;
    while (oom_again(life, joulie_cluster_sample(cluster, "a", &sample, NULL)))
        ;
}

static void upsert_all(struct oom_life *life)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        while (
            oom_again(life, joulie_cluster_upsert(cluster, objects[i], strlen(objects[i]), NULL)))
            ;
    }
}

static void take_away(struct oom_life *life, const char *kind, const char *name)
{
    while (oom_again(life, joulie_cluster_remove(cluster, kind, "d", name, NULL)))
        ;
}

static void live_once(struct oom_life *life)
{
    static const char settings[] =
        "policy: {type: queue_aware_v1, queueHpBaseFrac: 0, nodeSelector: '!gone'}\n";
    cluster = NULL;
    while (oom_again(life, joulie_cluster_new(settings, strlen(settings), &cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    upsert_all(life);
    step(life, NOW_MS);
    measure(life, 400);
    upsert_all(life);
    step(life, NOW_MS + MINUTE_MS);
    score(life);
    extend(life, JOULIE_EXTENDER_FILTER);
    extend(life, JOULIE_EXTENDER_PRIORITIZE);
    show_scoring(life);
    explain(life, "a");
    explain(life, "b.c");
    take_away(life, "Pod", "p");
    take_away(life, "WorkloadProfile", "w");
    take_away(life, "Node", "a");
    take_away(life, "NodeHardware", "a");
    step(life, NOW_MS + 2 * MINUTE_MS);
    step(life, NOW_MS + 3 * MINUTE_MS);
    joulie_cluster_free(cluster);
}

int main(void)
{
    return oom_lives("a cluster's", live_once);
}
