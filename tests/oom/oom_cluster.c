/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of a cluster's life fails once: this program is the allocator. The call that
 * failed says "out of memory", is made again, and the answers at the end are those of a life
 * without a failure; then everything is released.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/cluster.h>

#include "oom/allocator.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)
#define ANSWER_BYTES 65536

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

struct life {
    struct joulie_cluster *cluster;
    size_t retries;
    bool is_wrong;
    char answers[ANSWER_BYTES];
    size_t used;
};

/* Whether the call has to be made again; anything but success and out of memory is wrong. */
static bool again(struct life *life, int code)
{
    if (code == JOULIE_OK)
        return false;
    if (code != JOULIE_E_NOMEM || !oom_has_failed || life->retries > 0) {
        life->is_wrong = true;
        return false;
    }
    oom_fail_in = -1;
    life->retries++;
    return true;
}

static void note(struct life *life, const char *text)
{
    const size_t len = strlen(text);
    if (life->used + len + 2 > sizeof life->answers)
        abort();
    memcpy(life->answers + life->used, text, len);
    life->used += len;
    life->answers[life->used++] = '\n';
    life->answers[life->used] = '\0';
}

static void step(struct life *life, int64_t now_ms)
{
    size_t count = 0;
    while (again(life, joulie_cluster_step(life->cluster, now_ms, &count, NULL)))
        ;
    for (size_t i = 0; i < count && !life->is_wrong; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        while (again(life, joulie_cluster_action_at(life->cluster, i, &action, NULL)))
            ;
        note(life, action.name);
        note(life, action.body);
        while (again(life, joulie_cluster_action_done(life->cluster, action.id,
                                                      JOULIE_OUTCOME_APPLIED, NULL)))
            ;
    }
}

static void explain(struct life *life, const char *node)
{
    char *json = NULL;
    while (again(life, joulie_cluster_explain(life->cluster, node, &json, NULL)))
        ;
    note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void score(struct life *life)
{
    char *json = NULL;
    const char *pod = objects[OBJECTS - 1];
    while (again(life, joulie_cluster_score(life->cluster, pod, strlen(pod), NOW_MS, &json, NULL)))
        ;
    note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void measure(struct life *life, double watts)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    sample.has = JOULIE_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS;
    sample.node_power_w = watts;
    while (again(life, joulie_cluster_sample(life->cluster, "a", &sample, NULL)))
        ;
}

static void upsert_all(struct life *life)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        while (
            again(life, joulie_cluster_upsert(life->cluster, objects[i], strlen(objects[i]), NULL)))
            ;
    }
}

static void take_away(struct life *life, const char *kind, const char *name)
{
    while (again(life, joulie_cluster_remove(life->cluster, kind, "d", name, NULL)))
        ;
}

static void live_once(struct life *life)
{
    static const char settings[] =
        "policy: {type: queue_aware_v1, queueHpBaseFrac: 0, nodeSelector: '!gone'}\n";
    memset(life, 0, sizeof *life);
    while (again(life, joulie_cluster_new(settings, strlen(settings), &life->cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    upsert_all(life);
    step(life, NOW_MS);
    measure(life, 400);
    upsert_all(life);
    step(life, NOW_MS + MINUTE_MS);
    score(life);
    explain(life, "a");
    explain(life, "b.c");
    take_away(life, "Pod", "p");
    take_away(life, "WorkloadProfile", "w");
    take_away(life, "Node", "a");
    take_away(life, "NodeHardware", "a");
    step(life, NOW_MS + 2 * MINUTE_MS);
    step(life, NOW_MS + 3 * MINUTE_MS);
    joulie_cluster_free(life->cluster);
}

int main(void)
{
    static struct life clean;
    static struct life life;
    long failures = 0;
    long wrong = 0;
    live_once(&clean);
    for (long n = 0;; n++) {
        const long before = oom_live_blocks;
        oom_has_failed = false;
        oom_fail_in = n;
        live_once(&life);
        oom_fail_in = -1;
        if (!oom_has_failed)
            break;
        failures++;
        const bool is_wrong =
            life.is_wrong || strcmp(life.answers, clean.answers) != 0 || oom_live_blocks != before;
        if (is_wrong)
            printf("FAIL allocation %ld: %s\n", n,
                   life.is_wrong               ? "a wrong code"
                   : oom_live_blocks != before ? "not released"
                                               : "other answers");
        wrong += is_wrong;
    }
    printf("oom: a cluster's life, %ld failed allocations, %ld wrong\n", failures, wrong);
    return wrong > 0 || failures == 0;
}
