/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the agent has of a cluster: the API server, the clock, metrics and health, and the caches
 * that both ways of driving nodes need. */

#include <json-c/json.h>

#include "agent/options.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "runtime/clock.h"
#include "runtime/health.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum jd_cache { JD_CACHE_NODES, JD_CACHE_TWINS, JD_CACHE_HARDWARE, JD_CACHE_HEARTBEAT, JD_CACHES };

/* What is done with the objects of a cache. */
struct jd_cache_handlers {
    int (*upsert)(void *user, struct json_object *object, const char *text, size_t len,
                  struct joulie_error *err);
    void (*remove)(void *user, const char *name);
    void (*moved)(void *user); /* NULL = nothing to do */
};

struct jd_cluster {
    const struct jd_agent_values *values;
    struct jd_log *log;
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
    struct jd_clock *clock;
    struct jd_metrics *metrics;
    struct jd_health health;
    struct jd_check checks[2];
    struct jd_timer beat;
    struct jd_reflector *caches[JD_CACHES];

    struct jd_cache_slot {
        struct jd_cluster *cluster;
        const struct jd_cache_handlers *ear;
    } slots[JD_CACHES];
    const struct jd_cache_handlers *handlers; /* JD_CACHE_NODES to JD_CACHE_HARDWARE */
    void *user;                               /* first argument of the handlers */
    void (*on_end)(void *owner);              /* the simulation is over */
    void (*on_scrape)(void *owner);           /* before metrics are printed; NULL = nothing to do */
    void *owner;
    bool has_heartbeat;
    int64_t heartbeat_ms; /* of the operator */
};

/* Selectors of the caches: labels of the nodes, or names. NULL = all of them. */
struct jd_cluster_scope {
    const char *node_labels;
    const char *node_name;   /* metadata.name of the Node */
    const char *object_name; /* of its NodeTwin and NodeHardware */
};

/* 0 or a code: everything but the caches, then the caches. */
int jd_cluster_open(struct jd_cluster *cluster, const struct jd_agent_values *values,
                    struct jd_loop *loop, struct jd_log *log, struct joulie_error *err);
int jd_cluster_watch(struct jd_cluster *cluster, const struct jd_cluster_scope *scope,
                     struct joulie_error *err);
void jd_cluster_close(struct jd_cluster *cluster);

bool jd_cluster_has_synced(const struct jd_cluster *cluster);
/* The name of a node's objects, by the library's rule; to be freed. NULL = memory ran out. */
char *jd_object_name(const char *node_name);
/* A merge patch; done is called from the loop. body is copied. */
int jd_cluster_patch(struct jd_cluster *cluster, const struct jd_resource *resource,
                     const char *name, const char *subresource, const struct jl_buffer *body,
                     void (*done)(void *user, const struct jd_answer *answer), void *user);
int jd_cluster_create(struct jd_cluster *cluster, const struct jd_resource *resource,
                      const struct jl_buffer *body,
                      void (*done)(void *user, const struct jd_answer *answer), void *user);
