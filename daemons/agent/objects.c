/* SPDX-License-Identifier: Apache-2.0 */

/* The objects of nodes as they come and go: Nodes, NodeTwins, NodeHardwares, and the operator's
 * heartbeat. Twins and hardware are found by spec.nodeName, whatever their names are. The feed
 * calls this. */

#include <string.h>

#include <joulie/remote.h>

#include "agent/core.h"
#include "agent/metrics.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/time.h"
#include "runtime/json.h"

#define BY_NAME "metadata.name="

/* ---- Nodes ---- */

static void copy_member(struct json_object *from, struct json_object *to, const char *key)
{
    struct json_object *member = json_object_object_get(from, key);
    if (member)
        json_object_object_add(to, key, json_object_get(member));
}

/* What describes its hardware; the rest of a Node is large and moves all the time. */
static char *facts_of(struct json_object *object)
{
    JL_CLEANUP(jd_json_freep) struct json_object *facts = json_object_new_object();
    struct json_object *meta = json_object_new_object();
    struct json_object *status = json_object_new_object();
    struct jl_buffer text = { 0 };
    copy_member(jd_json_at(object, "metadata"), meta, "name");
    copy_member(jd_json_at(object, "metadata"), meta, "labels");
    copy_member(jd_json_at(object, "status"), status, "capacity");
    copy_member(jd_json_at(object, "status"), status, "allocatable");
    json_object_object_add(facts, "apiVersion", json_object_new_string("v1"));
    json_object_object_add(facts, "kind", json_object_new_string("Node"));
    json_object_object_add(facts, "metadata", meta);
    json_object_object_add(facts, "status", status);
    jd_json_put_tree(&text, facts);
    return jl_buffer_take(&text);
}

/* A node that is back with another identity is another machine for its objects, which go with the
 * old one and are made again; a cap that is in force on the endpoint of that name is still ours. */
static void take_uid(struct jd_node *node, const char *uid)
{
    if (jl_same(node->uid, uid))
        return;
    if (node->uid) {
        jd_log(node->core->shared->log, JOULIE_LOG_LEVEL_INFO, "node",
               "%s is there again with another UID", node->name);
        jd_publish_renew(&node->publish);
        jd_feedback_forget(&node->feedback);
        node->is_unsaid = true;
    }
    jl_free(node->uid);
    node->uid = jl_strdup(uid);
}

static int take_facts(struct jd_node *node, struct json_object *object, struct joulie_error *err)
{
    char *facts = facts_of(object);
    if (node->facts && !jl_same(node->facts, facts)) {
        jd_publish_renew(&node->publish);
        node->is_unwired = true; /* by its labels */
    }
    jl_free(node->facts);
    node->facts = facts;
    return facts ? 0 : jl_fail_memory(err);
}

static int upsert_node(struct jd_core *core, struct json_object *object, struct jl_text text,
                       struct joulie_error *err)
{
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_node *node = name ? jd_core_node(core, name) : NULL;
    (void)text;
    if (!node)
        return name ? jl_fail_memory(err)
                    : jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a node has a name");
    if (!core->is_ending && (!node->is_selected || node->is_leaving)) {
        node->is_selected = true;
        node->is_leaving = false;
        node->twin.is_new |= node->driven != NULL && node->twin.text != NULL;
        core->is_unplanned = true;
    }
    if (!node->is_owned)
        return 0;
    take_uid(node, jd_json_text(object, "metadata.uid"));
    return core->backend->is_local ? 0 : take_facts(node, object, err);
}

static void remove_node(struct jd_core *core, const char *name)
{
    struct jd_node *node = jd_core_find(core, name);
    if (!node)
        return;
    if (core->backend->is_local) {
        jd_log(core->shared->log, JOULIE_LOG_LEVEL_WARN, "node", "%s is gone from the API server",
               name);
        return;
    }
    node->is_selected = false;
    core->is_unplanned = true;
    if (node->driven)
        jd_node_leave(node);
}

/* ---- NodeTwins and NodeHardwares ---- */

static struct jd_node *find_by(const struct jl_index *names, const char *object_name)
{
    size_t value = 0;
    return jl_index_get(names, object_name, &value) ? (struct jd_node *)value : NULL;
}

/* Keeps a text for the node's next step. false = the node has another object of that kind, which
 * comes first by name, or memory ran out. */
static bool keep_text(struct jl_index *names, struct jd_node *node, struct jd_node_text *kept,
                      const char *object_name, struct jl_text text)
{
    if (kept->object_name && jl_compare(kept->object_name, object_name) < 0)
        return false;
    if (!jl_same(kept->object_name, object_name)) {
        char *copy = jl_strdup(object_name);
        if (!copy)
            return false;
        if (kept->object_name)
            jl_index_remove(names, kept->object_name);
        jl_free(kept->object_name);
        kept->object_name = copy;
        if (jl_index_set(names, copy, (size_t)node) < 0)
            return false;
    }
    char *copy = jl_calloc(text.len + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    jl_free(kept->text);
    kept->text = copy;
    kept->len = text.len;
    kept->is_new = true;
    return true;
}

static void drop_text(struct jl_index *names, struct jd_node_text *kept)
{
    if (kept->object_name)
        jl_index_remove(names, kept->object_name);
    jd_core_clear_text(kept);
    kept->is_new = true; /* that there is none */
}

static struct jd_node *node_of(struct jd_core *core, struct json_object *object,
                               struct joulie_error *err)
{
    const char *name = jd_json_text(object, "spec.nodeName");
    struct jd_node *node = name ? jd_core_node(core, name) : NULL;
    if (!name)
        jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "is missing");
    else if (!node)
        jl_fail_memory(err);
    return node;
}

static struct json_object *parsed(const struct jd_node_text *kept)
{
    return kept->text ? jd_json_parse(kept->text, kept->len) : NULL;
}

static void measure_policy(const struct jd_node *node)
{
    JL_CLEANUP(jd_json_freep) struct json_object *twin = parsed(&node->twin);
    JL_CLEANUP(jd_json_freep) struct json_object *hardware = parsed(&node->hardware);
    jd_metrics_policy(node->core->shared->metrics, node->name, twin, hardware);
}

static void drop_twin(struct jd_node *node)
{
    drop_text(&node->core->twins, &node->twin);
    measure_policy(node);
    jd_feedback_forget(&node->feedback);
}

static void log_foreign(struct jd_core *core, const char *name, const struct jd_node *owner)
{
    if (jl_same(core->object_name, name) && !core->is_foreign) {
        core->is_foreign = true;
        jd_log(core->shared->log, JOULIE_LOG_LEVEL_WARN, "spec",
               "NodeTwin %s is of node %.253s, not of %s", name, owner->name,
               core->shared->values->node_name);
    }
}

static int upsert_twin(struct jd_core *core, struct json_object *object, struct jl_text text,
                       struct joulie_error *err)
{
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_node *node = node_of(core, object, err);
    if (!node || !name)
        return node ? jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "is missing") : err->code;
    struct jd_node *old = find_by(&core->twins, name);
    if (old && old != node) /* it has come to stand for another node */
        drop_twin(old);
    if (!node->is_owned) {
        log_foreign(core, name, node);
        return 0;
    }
    core->is_foreign = false;
    const bool is_other = node->twin.object_name && !jl_same(node->twin.object_name, name);
    if (!keep_text(&core->twins, node, &node->twin, name, text))
        return 0;
    if (is_other)
        jd_feedback_forget(&node->feedback);
    jd_feedback_seen(&node->feedback, object);
    node->is_unsaid = true; /* what it says may not be what is */
    measure_policy(node);
    return 0;
}

static void remove_twin(struct jd_core *core, const char *name)
{
    struct jd_node *node = find_by(&core->twins, name);
    if (!node)
        return;
    jd_log(core->shared->log, JOULIE_LOG_LEVEL_INFO, "spec", "the NodeTwin of %s is gone",
           node->name);
    drop_twin(node);
    core->is_unplanned = true;
}

static int upsert_hardware(struct jd_core *core, struct json_object *object, struct jl_text text,
                           struct joulie_error *err)
{
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_node *node = node_of(core, object, err);
    if (!node || !name)
        return node ? jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "is missing") : err->code;
    struct jd_node *old = find_by(&core->hardware, name);
    if (old && old != node)
        drop_text(&core->hardware, &old->hardware);
    if (node->is_owned && keep_text(&core->hardware, node, &node->hardware, name, text)) {
        jd_publish_seen(&node->publish, object);
        measure_policy(node);
    }
    return 0;
}

static void remove_hardware(struct jd_core *core, const char *name)
{
    struct jd_node *node = find_by(&core->hardware, name);
    if (!node)
        return;
    drop_text(&core->hardware, &node->hardware);
    jd_publish_seen(&node->publish, NULL);
    measure_policy(node);
}

/* ---- the operator's heartbeat ---- */

static int upsert_heartbeat(struct jd_core *core, struct json_object *object, struct jl_text text,
                            struct joulie_error *err)
{
    const char *renewed = jd_json_text(object, "spec.renewTime");
    int64_t at_ms = 0;
    (void)text;
    if (!renewed || jl_parse_time(renewed, strlen(renewed), &at_ms) < 0)
        return jl_fail(err, JOULIE_E_PARSE, "spec.renewTime", "is no time");
    core->has_heartbeat = true;
    core->heartbeat_ms = at_ms;
    return 0;
}

/* ---- TelemetryProfiles ---- */

/* Each node takes its part of it in its next step. */
static void unwire_all(struct jd_core *core)
{
    for (size_t i = 0; i < core->count; i++)
        core->nodes[i]->is_unwired = true;
}

static int upsert_profile(struct jd_core *core, struct json_object *object, struct jl_text text,
                          struct joulie_error *err)
{
    struct joulie_error bad = JOULIE_INIT(struct joulie_error);
    const int rc = joulie_remote_profiles_put(core->shared->profiles, text.ptr, text.len, &bad);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (rc == 0)
        unwire_all(core);
    else if (!jl_same(core->bad_profile, bad.message)) /* once, also when it is listed again */
        jd_log(core->shared->log, JOULIE_LOG_LEVEL_WARN, "wiring",
               "TelemetryProfile %.253s does not count, what it was before does: %s: %s",
               jd_json_word(object, "metadata.name"), bad.where, bad.message);
    memcpy(core->bad_profile, rc == 0 ? "" : bad.message, rc == 0 ? 1 : sizeof bad.message);
    return 0;
}

static void remove_profile(struct jd_core *core, const char *name)
{
    if (joulie_remote_profiles_remove(core->shared->profiles, name, NULL) == JOULIE_OK)
        unwire_all(core);
}

/* ---- the caches ---- */

static const struct {
    int (*upsert)(struct jd_core *core, struct json_object *object, struct jl_text text,
                  struct joulie_error *err);
    void (*remove)(struct jd_core *core, const char *name);
} handlers[JD_SOURCES] = {
    [JD_NODES] = { upsert_node, remove_node },
    [JD_TWINS] = { upsert_twin, remove_twin },
    [JD_HARDWARE] = { upsert_hardware, remove_hardware },
    /* a Lease that is gone beats no more: its last beat ages */
    [JD_HEARTBEAT] = { upsert_heartbeat, NULL },
    [JD_PROFILES] = { upsert_profile, remove_profile },
};

static int on_object(void *user, size_t source, const char *text, size_t len,
                     struct joulie_error *err)
{
    struct json_object *object = jd_json_parse(text, len);
    if (!object)
        return jl_fail(err, JOULIE_E_PARSE, "", "is no object");
    const int rc = handlers[source].upsert(user, object, (struct jl_text){ text, len }, err);
    json_object_put(object);
    return rc;
}

static void on_gone(void *user, size_t source, const char *name)
{
    if (handlers[source].remove)
        handlers[source].remove(user, name);
}

static void on_moved(void *user)
{
    jd_core_plan(user);
}

static char *by_name(const char *name)
{
    struct jl_buffer text = { 0 };
    jl_put_string(&text, BY_NAME);
    jl_put_string(&text, name);
    return jl_buffer_take(&text);
}

/* Where the settings say all of it no profile is looked at. */
static bool can_be_wired(const struct jd_core *core)
{
    const struct jd_agent_values *values = core->shared->values;
    return core->backend->wire && (jl_is_empty(values->telemetry_cpu_source) ||
                                   jl_is_empty(values->telemetry_cpu_control) ||
                                   jl_is_empty(values->telemetry_gpu_control));
}

int jd_core_watch(struct jd_core *core, struct joulie_error *err)
{
    const struct jd_agent_values *values = core->shared->values;
    const struct jd_feed_options feed = {
        .kube = core->shared->kube,
        .clock = core->shared->clock,
        .sources = core->sources,
        .count = can_be_wired(core) ? JD_SOURCES : JD_PROFILES,
        .name_space = values->name_space,
        .component = JD_COMPONENT,
        .on_object = on_object,
        .on_gone = on_gone,
        .on_moved = on_moved,
        .user = core,
    };
    if (core->object_name) {
        core->selector = by_name(core->object_name);
        core->node_selector = by_name(values->node_name);
        if (!core->selector || !core->node_selector)
            return jl_fail_memory(err);
    }
    core->sources[JD_NODES] = (struct jd_feed_source){
        .resource = &jd_nodes,
        .field_selector = core->node_selector,
        .label_selector = core->object_name ? NULL : values->pool_selector,
        .missing = "nodes were not listed yet",
    };
    core->sources[JD_TWINS] = (struct jd_feed_source){
        .resource = &jd_node_twins,
        .field_selector = core->selector,
        .missing = "nodetwins were not listed yet",
    };
    core->sources[JD_HARDWARE] = (struct jd_feed_source){
        .resource = &jd_node_hardwares,
        .field_selector = core->selector,
        .missing = "nodehardwares were not listed yet",
    };
    core->sources[JD_HEARTBEAT] = (struct jd_feed_source){
        .resource = &jd_leases,
        .field_selector = BY_NAME JD_HEARTBEAT_LEASE,
        .missing = "the operator's heartbeat was not listed yet",
        .is_namespaced = true,
    };
    core->sources[JD_PROFILES] = (struct jd_feed_source){
        .resource = &jd_telemetry_profiles,
        .missing = "telemetryprofiles were not listed yet",
        .is_optional = true,
    };
    return jd_feed_open(&core->feed, &feed, err);
}
