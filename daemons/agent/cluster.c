/* SPDX-License-Identifier: Apache-2.0 */

/* The agent's side of an API server: watches of its objects, the operator's heartbeat, patches.
 * Used by pool mode and by a host in a cluster. */

#include "agent/cluster.h"

#include <string.h>
#include <unistd.h>

#include <joulie/remote.h>

#include "agent/metrics.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/time.h"
#include "runtime/json.h"

#define BEAT_MS 5000 /* of the loop, for /livez */
#define HEARTBEAT_LEASE "joulie-heartbeat"
#define BY_NAME "metadata.name="
#define COMPONENT "joulie-agent"

extern char **environ;

/* ---- the operator's heartbeat ---- */

static int take_heartbeat(void *user, struct json_object *object, const char *text, size_t len,
                          struct joulie_error *err)
{
    struct jd_cluster *cluster = user;
    const char *renewed = jd_json_text(object, "spec.renewTime");
    int64_t at_ms = 0;
    (void)text;
    (void)len;
    if (!renewed || jl_parse_time(renewed, strlen(renewed), &at_ms) < 0)
        return jl_fail(err, JOULIE_E_PARSE, "spec.renewTime", "is no time");
    cluster->has_heartbeat = true;
    cluster->heartbeat_ms = at_ms;
    return 0;
}

/* A Lease that is gone beats no more: its last beat ages. */
static void drop_heartbeat(void *user, const char *name)
{
    (void)user;
    (void)name;
}

static const struct jd_cache_handlers heartbeat_ear = { take_heartbeat, drop_heartbeat, NULL };

/* ---- caches ---- */

static void *user_of(const struct jd_cache_slot *slot)
{
    return slot->ear == &heartbeat_ear ? slot->cluster : slot->cluster->user;
}

static int on_upsert(void *user, const char *text, size_t len, struct joulie_error *err)
{
    const struct jd_cache_slot *slot = user;
    struct json_object *object = jd_json_parse(text, len);
    if (!object)
        return jl_fail(err, JOULIE_E_PARSE, "", "is no object");
    const int rc = slot->ear->upsert(user_of(slot), object, text, len, err);
    json_object_put(object);
    return rc;
}

static void on_remove(void *user, const char *name_space, const char *name)
{
    const struct jd_cache_slot *slot = user;
    (void)name_space;
    slot->ear->remove(user_of(slot), name);
}

static void on_moved(void *user)
{
    const struct jd_cache_slot *slot = user;
    if (slot->ear->moved)
        slot->ear->moved(user_of(slot));
    jd_clock_check(slot->cluster->clock);
}

static int watch(struct jd_cluster *cluster, enum jd_cache cache,
                 struct jd_reflector_options *options, struct joulie_error *err)
{
    struct jd_cache_slot *slot = &cluster->slots[cache];
    *slot =
        (struct jd_cache_slot){ cluster, cache == JD_CACHE_HEARTBEAT ? &heartbeat_ear
                                                                     : &cluster->handlers[cache] };
    options->upsert = on_upsert;
    options->remove = on_remove;
    options->moved = on_moved;
    options->user = slot;
    return jd_reflector_open(cluster->kube, options, &cluster->caches[cache], err);
}

static char *by_name(const char *name)
{
    struct jl_buffer text = { 0 };
    if (!name)
        return NULL;
    jl_put_string(&text, BY_NAME);
    jl_put_string(&text, name);
    return jl_buffer_take(&text);
}

int jd_cluster_watch(struct jd_cluster *cluster, const struct jd_cluster_scope *scope,
                     struct joulie_error *err)
{
    char *node = by_name(scope->node_name);
    char *object = by_name(scope->object_name);
    struct jd_reflector_options nodes = { .resource = &jd_nodes,
                                          .label_selector = scope->node_labels,
                                          .field_selector = node };
    struct jd_reflector_options twins = { .resource = &jd_node_twins, .field_selector = object };
    struct jd_reflector_options hardware = { .resource = &jd_node_hardwares,
                                             .field_selector = object };
    struct jd_reflector_options lease = { .resource = &jd_leases,
                                          .name_space = cluster->values->name_space,
                                          .field_selector = BY_NAME HEARTBEAT_LEASE };
    int rc =
        (scope->node_name && !node) || (scope->object_name && !object) ? jl_fail_memory(err) : 0;
    if (rc == 0)
        rc = watch(cluster, JD_CACHE_NODES, &nodes, err);
    if (rc == 0)
        rc = watch(cluster, JD_CACHE_TWINS, &twins, err);
    if (rc == 0)
        rc = watch(cluster, JD_CACHE_HARDWARE, &hardware, err);
    if (rc == 0)
        rc = watch(cluster, JD_CACHE_HEARTBEAT, &lease, err);
    jl_free(node);
    jl_free(object);
    return rc;
}

bool jd_cluster_has_synced(const struct jd_cluster *cluster)
{
    for (int i = 0; i < JD_CACHES; i++) {
        if (!cluster->caches[i] || !jd_reflector_has_synced(cluster->caches[i]))
            return false;
    }
    return true;
}

/* ---- the clock ---- */

static bool has_reached(void *user, const char *version)
{
    const struct jd_cluster *cluster = user;
    for (int i = 0; i < JD_CACHES; i++) {
        if (!cluster->caches[i] || !jd_reflector_has_reached(cluster->caches[i], version))
            return false;
    }
    return true;
}

static void on_end(void *user)
{
    struct jd_cluster *cluster = user;
    jd_log(cluster->log, JOULIE_LOG_LEVEL_INFO, "clock", "the simulation is over");
    if (cluster->on_end)
        cluster->on_end(cluster->owner);
}

/* Several agents of one simulation have to be told apart. */
static void put_who(const struct jd_agent_values *values, struct jl_buffer *out)
{
    const char *const names[] = { values->pod_name, values->node_name };
    jl_put_string(out, "joulie-agent");
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        if (jl_is_empty(names[i]))
            continue;
        jl_put_char(out, '-');
        jl_put_string(out, names[i]);
        return;
    }
    if (!jl_is_empty(values->pool_shard_id)) {
        jl_put_char(out, '-');
        jl_put_string(out, values->pool_shard_id);
    }
}

static int open_clock(struct jd_cluster *cluster, struct joulie_error *err)
{
    struct jl_buffer who = { 0 };
    put_who(cluster->values, &who);
    const struct jd_clock_options options = {
        .url = cluster->values->clock_url,
        .who = who.data,
        .order = JD_ORDER_AGENT,
        .has_reached = has_reached,
        .on_end = on_end,
        .user = cluster,
        .log = cluster->log,
    };
    const int rc =
        who.is_failed ? jl_fail_memory(err)
                      : jd_clock_open(cluster->loop, cluster->http, &options, &cluster->clock, err);
    jl_buffer_clear(&who);
    return rc;
}

/* ---- health ---- */

static void beat(void *user)
{
    struct jd_cluster *cluster = user;
    jd_health_beat(&cluster->health);
    jd_timer_set(cluster->loop, &cluster->beat, jd_clock_ms() + BEAT_MS);
}

static const char *ask_caches(void *user)
{
    return jd_cluster_has_synced(user) ? NULL : "not synced";
}

static void refresh(void *user)
{
    struct jd_cluster *cluster = user;
    jd_metrics_ages(cluster);
    if (cluster->on_scrape)
        cluster->on_scrape(cluster->owner);
}

static int open_health(struct jd_cluster *cluster, struct joulie_error *err)
{
    cluster->checks[0] = (struct jd_check){ "caches", ask_caches, cluster };
    cluster->health = (struct jd_health){
        .ready = cluster->checks,
        .ready_count = 1,
        .metrics = cluster->metrics,
        .refresh = refresh,
        .user = cluster,
        .log = cluster->log,
    };
    const int rc =
        jd_health_open(&cluster->health, cluster->loop, cluster->values->metrics_addr, err);
    if (rc < 0)
        return rc;
    jd_log(cluster->log, JOULIE_LOG_LEVEL_INFO, "health", "metrics and health at %s",
           jd_server_url(cluster->health.server));
    cluster->beat = (struct jd_timer){ .fire = beat, .user = cluster };
    beat(cluster);
    return 0;
}

/* ---- open and close ---- */

static int open_kube(struct jd_cluster *cluster, struct joulie_error *err)
{
    const struct jd_agent_values *values = cluster->values;
    const struct jd_access_options access = {
        .kubeconfig = values->kubeconfig,
        .context = values->context,
        .server = values->server,
        .token_file = values->token_file,
        .environment = environ,
    };
    int rc = jd_access_open(&access, &cluster->access, err);
    if (rc < 0)
        return rc;
    const struct jd_kube_options options = {
        .access = cluster->access,
        .component = COMPONENT,
        .qps = values->kube_qps,
        .burst = values->kube_burst,
        .seed = (uint64_t)jd_clock_wall_ms() ^ (uint64_t)getpid(),
        .log = cluster->log,
        .metrics = cluster->metrics,
    };
    rc = jd_kube_open(cluster->loop, cluster->http, &options, &cluster->kube, err);
    if (rc == 0)
        jd_log(cluster->log, JOULIE_LOG_LEVEL_INFO, "kube", "the API server is %s",
               jd_access_server(cluster->access));
    return rc;
}

int jd_cluster_open(struct jd_cluster *cluster, const struct jd_agent_values *values,
                    struct jd_loop *loop, struct jd_log *log, struct joulie_error *err)
{
    cluster->values = values;
    cluster->loop = loop;
    cluster->log = log;
    cluster->metrics = jd_metrics_new();
    int rc = cluster->metrics ? 0 : jl_fail_memory(err);
    if (rc == 0)
        rc = jd_http_open(cluster->loop, COMPONENT, &cluster->http, err);
    if (rc == 0)
        rc = open_kube(cluster, err);
    if (rc == 0)
        rc = open_clock(cluster, err);
    return rc == 0 ? open_health(cluster, err) : rc;
}

void jd_cluster_close(struct jd_cluster *cluster)
{
    if (!cluster->loop)
        return;
    for (int i = 0; i < JD_CACHES; i++)
        jd_reflector_close(cluster->caches[i]);
    jd_timer_stop(cluster->loop, &cluster->beat);
    jd_health_close(&cluster->health);
    jd_clock_close(cluster->clock);
    jd_kube_close(cluster->kube);
    jd_access_close(cluster->access);
    jd_http_close(cluster->http);
    jd_metrics_free(cluster->metrics);
    *cluster = (struct jd_cluster){ 0 };
}

/* ---- calls ---- */

char *jd_object_name(const char *node_name)
{
    char *name = NULL;
    const int rc = joulie_node_object_name(node_name, &name, NULL);
    return rc == JOULIE_E_PARSE ? jl_strdup(node_name) : name;
}

int jd_cluster_patch(struct jd_cluster *cluster, const struct jd_resource *resource,
                     const char *name, const char *subresource, const struct jl_buffer *body,
                     void (*done)(void *user, const struct jd_answer *answer), void *user)
{
    const struct jd_kube_call call = {
        .method = "PATCH",
        .resource = resource,
        .name = name,
        .subresource = subresource,
        .patch = JD_PATCH_MERGE,
        .body = body->data,
        .len = body->len,
        .priority = JD_PRIORITY_STATUS,
        .on_done = done,
        .user = user,
    };
    return body->is_failed ? JOULIE_E_NOMEM : jd_kube_start(cluster->kube, &call, NULL);
}

int jd_cluster_create(struct jd_cluster *cluster, const struct jd_resource *resource,
                      const struct jl_buffer *body,
                      void (*done)(void *user, const struct jd_answer *answer), void *user)
{
    const struct jd_kube_call call = {
        .method = "POST",
        .resource = resource,
        .body = body->data,
        .len = body->len,
        .priority = JD_PRIORITY_STATUS,
        .on_done = done,
        .user = user,
    };
    return body->is_failed ? JOULIE_E_NOMEM : jd_kube_start(cluster->kube, &call, NULL);
}
