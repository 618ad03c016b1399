/* SPDX-License-Identifier: Apache-2.0 */

/* The caches of the API server's collections, which feed the model; what the step waits for before
 * it begins. */

#include "operator/feed.h"

#include "operator/metrics.h"
#include "operator/operator.h"

#define MS_PER_S 1000.0

static const struct {
    const struct jd_resource *resource;
    const char *kind; /* of the model */
    const char *field_selector;
    const char *missing;
    bool is_optional;
} sources[JD_FEEDS] = {
    [JD_FEED_NODES] = { &jd_nodes, "Node", NULL, "nodes were not listed yet", false },
    /* what is finished is no demand and blocks nothing */
    [JD_FEED_PODS] = { &jd_pods, "Pod", "status.phase!=Succeeded,status.phase!=Failed",
                       "pods were not listed yet", false },
    [JD_FEED_TWINS] = { &jd_node_twins, "NodeTwin", NULL, "nodetwins were not listed yet", false },
    [JD_FEED_HARDWARE] = { &jd_node_hardwares, "NodeHardware", NULL,
                           "nodehardwares were not listed yet", false },
    [JD_FEED_PROFILES] = { &jd_workload_profiles, "WorkloadProfile", NULL,
                           "workloadprofiles were not listed yet", true },
};

static int upsert(void *user, const char *text, size_t len, struct joulie_error *err)
{
    const struct jd_feed_part *part = user;
    if (part->source == JD_FEED_TWINS)
        jd_coexist_check(part->op, text, len);
    return joulie_cluster_upsert(part->op->cluster, text, len, err);
}

static void remove_object(void *user, const char *name_space, const char *name)
{
    const struct jd_feed_part *part = user;
    struct jd_operator *op = part->op;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_cluster_remove(op->cluster, sources[part->source].kind, name_space, name, &err) < 0)
        jd_log_error(&op->log, "feed", "an object that is gone is still in the model", &err);
    if (part->source != JD_FEED_NODES)
        return;
    jd_notes_forget(&op->notes, name);
    jd_metrics_forget(op->metrics, "node", name);
}

static void moved(void *user)
{
    struct jd_operator *op = ((struct jd_feed_part *)user)->op;
    if (!op->feed.has_synced && jd_feed_has_synced(op)) {
        op->feed.has_synced = true;
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "feed",
               "the caches are filled: %zu nodes, %zu twins",
               jd_reflector_count(op->feed.parts[JD_FEED_NODES].reflector),
               jd_reflector_count(op->feed.parts[JD_FEED_TWINS].reflector));
    }
    jd_clock_check(op->clock);
    jd_step_check(op);
}

int jd_feed_open(struct jd_operator *op, struct joulie_error *err)
{
    int rc = 0;
    for (int i = 0; i < JD_FEEDS && rc == 0; i++) {
        struct jd_feed_part *part = &op->feed.parts[i];
        *part = (struct jd_feed_part){ .op = op, .source = (enum jd_source_of_objects)i };
        const struct jd_reflector_options options = {
            .resource = sources[i].resource,
            .field_selector = sources[i].field_selector,
            .is_optional = sources[i].is_optional,
            .upsert = upsert,
            .remove = remove_object,
            .moved = moved,
            .user = part,
        };
        rc = jd_reflector_open(&op->loop, op->kube, &options, &op->log, op->metrics,
                               &part->reflector, err);
    }
    return rc;
}

void jd_feed_close(struct jd_operator *op)
{
    for (int i = 0; i < JD_FEEDS; i++) {
        if (op->feed.parts[i].reflector)
            jd_reflector_close(op->feed.parts[i].reflector);
        op->feed.parts[i].reflector = NULL;
    }
}

bool jd_feed_has_synced(const struct jd_operator *op)
{
    return jd_feed_problem(op) == NULL;
}

const char *jd_feed_problem(const struct jd_operator *op)
{
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = op->feed.parts[i].reflector;
        if (!reflector || !jd_reflector_has_synced(reflector))
            return sources[i].missing;
    }
    return NULL;
}

bool jd_feed_has_reached(void *user, const char *version)
{
    const struct jd_operator *op = user;
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = op->feed.parts[i].reflector;
        if (!reflector || !jd_reflector_has_synced(reflector) ||
            !jd_reflector_has_reached(reflector, version))
            return false;
    }
    return true;
}

bool jd_feed_has_seen(const struct jd_operator *op, enum jd_source_of_objects source,
                      const char *version)
{
    return version[0] == '\0' ||
           jd_reflector_has_reached(op->feed.parts[source].reflector, version);
}

void jd_feed_measure(struct jd_operator *op)
{
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = op->feed.parts[i].reflector;
        const int64_t heard_ms = reflector ? jd_reflector_heard_ms(reflector) : 0;
        if (heard_ms > 0)
            jd_metric_set(op->metrics, &jd_data_age,
                          JD_LABELS(JD_COMPONENT, sources[i].resource->plural),
                          (double)(jd_clock_ms() - heard_ms) / MS_PER_S);
    }
}
