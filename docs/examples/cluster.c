/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/cluster.h>: a cluster in memory. Objects and readings in, decisions out. */

#include <stdio.h>
#include <string.h>

#include <joulie/cluster.h>

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static const char *const objects[] = {
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
    "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: n1}\n"
    "spec: {nodeName: n1}\nstatus: {cpu: {model: AMD_EPYC_9654, sockets: 2}}\n",
};

/* Prints the actions of a step, and tells the model that all were done. */
static int apply(struct joulie_cluster *cluster, size_t count, struct joulie_error *err)
{
    int rc = JOULIE_OK;
    printf("%u actions\n", (unsigned)count);
    for (size_t i = 0; i < count && rc == JOULIE_OK; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        rc = joulie_cluster_action_at(cluster, i, &action, err);
        if (rc == JOULIE_OK) {
            printf("%s %s %s: %s\n", action.kind, action.name, action.subresource, action.reason);
            rc = joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, err);
        }
    }
    return rc;
}

int main(void)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster *cluster = NULL;
    size_t count = 0;
    int rc = joulie_cluster_new(NULL, 0, &cluster, &err);
    sample.at_ms = NOW_MS;
    sample.node_power_w = 310;
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    for (size_t i = 0; i < 2 && rc == JOULIE_OK; i++)
        rc = joulie_cluster_put_object(cluster, objects[i], strlen(objects[i]), &err);
    if (rc == JOULIE_OK)
        rc = joulie_cluster_put_sample(cluster, "n1", &sample, &err);
    for (int i = 0; i < 2 && rc == JOULIE_OK; i++) { /* the second step has nothing to do */
        joulie_cluster_heartbeat(cluster, NOW_MS);
        rc = joulie_cluster_step(cluster, NOW_MS, &count, &err);
        if (rc == JOULIE_OK)
            rc = apply(cluster, count, &err);
    }
    if (rc != JOULIE_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    joulie_cluster_free(cluster);
    return rc != JOULIE_OK;
}
