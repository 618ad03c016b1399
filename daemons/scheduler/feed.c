/* SPDX-License-Identifier: Apache-2.0 */

/* The caches that feed the extender's model, the operator's heartbeat among them
 * (docs/rules/extender.md#data). */

#include "scheduler/feed.h"

#include <json-c/json.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"
#include "scheduler/scheduler.h"

#define MS_PER_S 1000.0

static const struct {
    const struct jd_resource *resource;
    const char *kind; /* of the model; NULL = it takes no such object */
    const char *field_selector;
    const char *missing; /* NULL = answers do not need it */
    bool is_optional;
} sources[JD_FEEDS] = {
    [JD_FEED_TWINS] = { &jd_node_twins, "NodeTwin", NULL, "nodetwins were not listed yet", false },
    [JD_FEED_HARDWARE] = { &jd_node_hardwares, "NodeHardware", NULL,
                           "nodehardwares were not listed yet", false },
    [JD_FEED_NODES] = { &jd_nodes, "Node", NULL, "nodes were not listed yet", false },
    [JD_FEED_PROFILES] = { &jd_workload_profiles, "WorkloadProfile", NULL, NULL, true },
    [JD_FEED_HEARTBEAT] = { &jd_leases, NULL, "metadata.name=joulie-heartbeat", NULL, true },
};

/* ---- the operator's heartbeat (docs/rules/extender.md#freshness) ---- */

static int take_heartbeat(struct jd_scheduler *scheduler, const char *text, size_t len,
                          struct joulie_error *err)
{
    struct json_object *lease = NULL;
    int64_t at_ms = 0;
    const int rc = jd_json_read(text, len, &lease, err);
    if (rc < 0)
        return rc;
    const char *const renewed = jd_json_text(lease, "spec.renewTime");
    const bool is_time = renewed && jl_parse_time(renewed, strlen(renewed), &at_ms) == 0;
    json_object_put(lease);
    if (!is_time)
        return jl_fail(err, JOULIE_E_PARSE, "spec.renewTime", "is no time");
    joulie_cluster_heartbeat(scheduler->cluster, at_ms);
    return 0;
}

/* ---- objects ---- */

static int upsert(void *user, const char *text, size_t len, struct joulie_error *err)
{
    const struct jd_feed_part *part = user;
    if (part->source == JD_FEED_HEARTBEAT)
        return take_heartbeat(part->scheduler, text, len, err);
    return joulie_cluster_upsert(part->scheduler->cluster, text, len, err);
}

/* A Lease that is gone beats no more: its last beat ages. */
static void remove_object(void *user, const char *name_space, const char *name)
{
    const struct jd_feed_part *part = user;
    struct jd_scheduler *scheduler = part->scheduler;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *kind = sources[part->source].kind;
    if (kind && joulie_cluster_remove(scheduler->cluster, kind, name_space, name, &err) < 0)
        jd_log_error(&scheduler->log, "feed", "an object that is gone is still in the model", &err);
}

static bool is_filled(const struct jd_scheduler *scheduler)
{
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = scheduler->feed.parts[i].reflector;
        if (sources[i].missing && (!reflector || !jd_reflector_has_synced(reflector)))
            return false;
    }
    return true;
}

static void moved(void *user)
{
    struct jd_scheduler *scheduler = ((struct jd_feed_part *)user)->scheduler;
    struct jd_feed *feed = &scheduler->feed;
    if (!feed->was_filled && is_filled(scheduler)) {
        feed->was_filled = true;
        jd_log(&scheduler->log, JOULIE_HOST_LEVEL_INFO, "feed",
               "the caches are filled: %zu nodes, %zu twins",
               jd_reflector_count(feed->parts[JD_FEED_NODES].reflector),
               jd_reflector_count(feed->parts[JD_FEED_TWINS].reflector));
    }
    jd_clock_check(scheduler->clock);
}

/* ---- open and close ---- */

int jd_feed_open(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    int rc = 0;
    for (int i = 0; i < JD_FEEDS && rc == 0; i++) {
        struct jd_feed_part *part = &scheduler->feed.parts[i];
        *part =
            (struct jd_feed_part){ .scheduler = scheduler, .source = (enum jd_source_of_objects)i };
        const struct jd_reflector_options options = {
            .resource = sources[i].resource,
            .name_space = i == JD_FEED_HEARTBEAT ? scheduler->values.name_space : NULL,
            .field_selector = sources[i].field_selector,
            .is_optional = sources[i].is_optional,
            .upsert = upsert,
            .remove = remove_object,
            .moved = moved,
            .user = part,
        };
        rc = jd_reflector_open(&scheduler->loop, scheduler->kube, &options, &scheduler->log,
                               scheduler->metrics, &part->reflector, err);
    }
    return rc;
}

void jd_feed_close(struct jd_scheduler *scheduler)
{
    for (int i = 0; i < JD_FEEDS; i++) {
        jd_reflector_close(scheduler->feed.parts[i].reflector);
        scheduler->feed.parts[i].reflector = NULL;
    }
}

/* ---- how good they are ---- */

const char *jd_feed_problem(const struct jd_scheduler *scheduler)
{
    if (scheduler->feed.was_filled)
        return NULL;
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = scheduler->feed.parts[i].reflector;
        if (sources[i].missing && (!reflector || !jd_reflector_has_synced(reflector)))
            return sources[i].missing;
    }
    return NULL;
}

static double age_s(const struct jd_reflector *reflector)
{
    return (double)(jd_clock_ms() - jd_reflector_heard_ms(reflector)) / MS_PER_S;
}

double jd_feed_age_s(const struct jd_scheduler *scheduler)
{
    double oldest_s = 0;
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = scheduler->feed.parts[i].reflector;
        if (sources[i].missing && reflector && age_s(reflector) > oldest_s)
            oldest_s = age_s(reflector);
    }
    return oldest_s;
}

bool jd_feed_has_reached(void *user, const char *version)
{
    const struct jd_scheduler *scheduler = user;
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = scheduler->feed.parts[i].reflector;
        if (!reflector || !jd_reflector_has_synced(reflector) ||
            !jd_reflector_has_reached(reflector, version))
            return false;
    }
    return true;
}

void jd_feed_measure(struct jd_scheduler *scheduler)
{
    for (int i = 0; i < JD_FEEDS; i++) {
        const struct jd_reflector *reflector = scheduler->feed.parts[i].reflector;
        if (reflector && jd_reflector_heard_ms(reflector) > 0)
            jd_metric_set(scheduler->metrics, &jd_data_age,
                          JD_LABELS(JD_COMPONENT, sources[i].resource->plural), age_s(reflector));
    }
}
