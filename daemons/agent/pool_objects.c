/* SPDX-License-Identifier: Apache-2.0 */

/* The objects of a pool's nodes as they come and go: Nodes, NodeTwins, NodeHardwares. They are
 * found by spec.nodeName, whatever their names are. */

#include <string.h>

#include "agent/metrics.h"
#include "agent/pool.h"
#include "agent/put_json.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- Nodes ---- */

static void copy_member(struct json_object *from, struct json_object *to, const char *key)
{
    struct json_object *member = json_object_object_get(from, key);
    if (member)
        json_object_object_add(to, key, json_object_get(member));
}

/* What tells its hardware; the rest of a Node is large and moves all the time. */
static char *facts_of(struct json_object *object)
{
    struct json_object *facts = json_object_new_object();
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
    json_object_put(facts);
    return jl_buffer_take(&text);
}

/* A node that is back with another identity is another machine for its objects; a cap that is in
 * force on the endpoint of that name is still ours. */
static void take_uid(struct jd_pool_node *node, const char *uid)
{
    if (jl_same(node->uid, uid))
        return;
    if (node->uid) {
        jd_log(node->pool->log, JOULIE_LOG_LEVEL_INFO, "node", "%s is there again with another UID",
               node->name);
        json_object_put(node->publish.wanted);
        node->publish.wanted = NULL;
    }
    jl_free(node->uid);
    node->uid = jl_strdup(uid);
}

static int upsert_node(void *user, struct json_object *object, const char *text, size_t len,
                       struct joulie_error *err)
{
    struct jd_pool *pool = user;
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_pool_node *node = name ? jd_pool_node(pool, name) : NULL;
    (void)text;
    (void)len;
    if (!node)
        return name ? jl_fail_memory(err)
                    : jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a node has a name");
    if (!node->is_selected || node->is_leaving) {
        node->is_selected = true;
        node->is_leaving = false;
        node->twin.is_new |= node->remote != NULL && node->twin.text != NULL;
        pool->is_unplanned = true;
    }
    if (!node->is_owned)
        return 0;
    take_uid(node, jd_json_text(object, "metadata.uid"));
    char *facts = facts_of(object);
    if (node->facts && !jl_same(node->facts, facts)) {
        json_object_put(node->publish.wanted);
        node->publish.wanted = NULL;
    }
    jl_free(node->facts);
    node->facts = facts;
    return facts ? 0 : jl_fail_memory(err);
}

static void remove_node(void *user, const char *name)
{
    struct jd_pool *pool = user;
    struct jd_pool_node *node = jd_pool_find(pool, name);
    if (!node)
        return;
    node->is_selected = false;
    pool->is_unplanned = true;
    jl_free(node->uid);
    node->uid = NULL;
    if (node->remote)
        jd_pool_leave(node);
}

/* ---- NodeTwins and NodeHardwares ---- */

static struct jd_pool_node *find_by(const struct jl_index *names, const char *object_name)
{
    size_t value = 0;
    return jl_index_get(names, object_name, &value) ? (struct jd_pool_node *)value : NULL;
}

/* Keeps a text for the node's next step. false = the node has another object of that kind, which
 * comes first by name, or memory ran out. */
static bool keep_text(struct jl_index *names, struct jd_pool_node *node, struct jd_pool_text *kept,
                      const char *object_name, const char *text, size_t len)
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
    char *copy = jl_calloc(len + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, text, len);
    jl_free(kept->text);
    kept->text = copy;
    kept->len = len;
    kept->is_new = true;
    return true;
}

static void drop_text(struct jl_index *names, struct jd_pool_text *kept)
{
    if (kept->object_name)
        jl_index_remove(names, kept->object_name);
    jd_pool_clear_text(kept);
    kept->is_new = true; /* that there is none */
}

/* The object has come to stand for another node. */
static void leave_old(struct jl_index *names, const struct jd_pool_node *node,
                      const char *object_name, bool is_twin)
{
    struct jd_pool_node *old = find_by(names, object_name);
    if (old && old != node)
        drop_text(names, is_twin ? &old->twin : &old->hardware);
}

static struct jd_pool_node *node_of(struct jd_pool *pool, struct json_object *object,
                                    struct joulie_error *err)
{
    const char *name = jd_json_text(object, "spec.nodeName");
    struct jd_pool_node *node = name ? jd_pool_node(pool, name) : NULL;
    if (!name)
        jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "is missing");
    else if (!node)
        jl_fail_memory(err);
    return node;
}

static int upsert_twin(void *user, struct json_object *object, const char *text, size_t len,
                       struct joulie_error *err)
{
    struct jd_pool *pool = user;
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_pool_node *node = node_of(pool, object, err);
    if (!node || !name)
        return node ? jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "is missing") : err->code;
    leave_old(&pool->twins, node, name, true);
    if (!node->is_owned)
        return 0;
    const bool is_other = node->twin.object_name && !jl_same(node->twin.object_name, name);
    if (!keep_text(&pool->twins, node, &node->twin, name, text, len))
        return 0;
    if (is_other)
        jd_feedback_forget(&node->feedback);
    jd_feedback_seen(&node->feedback, object);
    jd_metrics_policy(pool->cluster->metrics, node->name, name, object);
    return 0;
}

static void remove_twin(void *user, const char *name)
{
    struct jd_pool *pool = user;
    struct jd_pool_node *node = find_by(&pool->twins, name);
    if (!node)
        return;
    jd_metrics_forget(pool->cluster->metrics, "policy", name);
    drop_text(&pool->twins, &node->twin);
    jd_feedback_forget(&node->feedback);
    pool->is_unplanned = true;
}

static int upsert_hardware(void *user, struct json_object *object, const char *text, size_t len,
                           struct joulie_error *err)
{
    struct jd_pool *pool = user;
    const char *name = jd_json_text(object, "metadata.name");
    struct jd_pool_node *node = node_of(pool, object, err);
    if (!node || !name)
        return node ? jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "is missing") : err->code;
    leave_old(&pool->hardware, node, name, false);
    if (node->is_owned && keep_text(&pool->hardware, node, &node->hardware, name, text, len))
        jd_publish_seen(&node->publish, object);
    return 0;
}

static void remove_hardware(void *user, const char *name)
{
    struct jd_pool *pool = user;
    struct jd_pool_node *node = find_by(&pool->hardware, name);
    if (!node)
        return;
    drop_text(&pool->hardware, &node->hardware);
    jd_publish_seen(&node->publish, NULL);
}

static void on_moved(void *user)
{
    jd_pool_plan(user);
}

const struct jd_cache_handlers jd_pool_handlers[] = {
    [JD_CACHE_NODES] = { upsert_node, remove_node, on_moved },
    [JD_CACHE_TWINS] = { upsert_twin, remove_twin, on_moved },
    [JD_CACHE_HARDWARE] = { upsert_hardware, remove_hardware, on_moved },
};
