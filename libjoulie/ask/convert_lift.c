/* SPDX-License-Identifier: Apache-2.0 */

/* convert.lift: objects of v0.0.x into what v0.1.1 reads (docs/rules/node-agent.md#migration). */

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/migrate.h"
#include "schema/json.h"
#include "schema/presence.h"

#define RECORD convert_lift_in
#define MEMBERS                                                                                 \
    RAW(objects, "objects", "NodePowerProfiles and TelemetryProfiles, in any order.", REQUIRED, \
        ARRAY_ONLY)
#include "schema/record.h"

#define RECORD lift_node
#define MEMBERS                                                                      \
    STRING(node_name, "nodeName", "Name of a node that no NodeTwin is made for.")    \
    OBJECT(twin, "nodeTwin", jl_node_twin, "Its NodeTwin, of the NodePowerProfile.") \
    OBJECT(env, "agentEnv", joulie_remote_settings,                                  \
           "Settings of its agent, of the TelemetryProfile.")
#include "schema/record.h"

#define RECORD lift_cluster
#define MEMBERS \
    OBJECT(env, "agentEnv", joulie_remote_settings, "Settings of every agent without its own.")
#include "schema/record.h"

#define RECORD convert_lift_out
#define MEMBERS                                       \
    LIST(nodes, "nodes", lift_node, "Nodes by name.") \
    OBJECT(cluster, "cluster", lift_cluster, "What the scope cluster says.")
#include "schema/record.h"

static int read_as(struct jl_ask *ask, const struct jl_raw *raw, const struct jl_path *at,
                   const struct jl_table *table, const void **out)
{
    void *object = jl_arena_alloc(ask->arena, table->size);
    if (object == NULL)
        return jl_fail_memory(ask->err);
    *out = object;
    return jl_decode_raw(ask->decode, raw, at, table, object);
}

static int read_object(struct jl_ask *ask, const struct jl_raw *raw, const struct jl_path *at,
                       struct jl_old_object *out)
{
    const struct jl_path kind_at = { .up = at, .key = jl_text("kind") };
    const void *object = NULL;
    const char *kind;
    int rc = jl_decode_kind(ask->decode, raw, at, &kind);
    if (rc < 0)
        return rc;
    if (jl_same(kind, jl_node_power_profile_table.kind->kind)) {
        rc = read_as(ask, raw, at, &jl_node_power_profile_table, &object);
        out->power = object;
    } else if (jl_same(kind, jl_telemetry_profile_table.kind->kind)) {
        rc = read_as(ask, raw, at, &jl_telemetry_profile_table, &object);
        out->telemetry = object;
    } else {
        rc = jl_decode_fail(ask->decode, JOULIE_E_ENUM, &kind_at, raw->offset,
                            "a %.64s is neither a NodePowerProfile nor a TelemetryProfile", kind);
    }
    return rc;
}

/* The list was checked when the document was read. */
static int read_objects(struct jl_ask *ask, const struct jl_raw *list,
                        struct jl_old_object **out_objects, size_t *out_count)
{
    const struct jl_path list_at = { .key = jl_text("objects") };
    struct jl_json json = { .text = list->text, .len = list->len };
    size_t count = 0;
    jl_json_count(&json, &count);
    struct jl_old_object *objects = JL_NEW_ARRAY(ask->arena, count, struct jl_old_object);
    if (objects == NULL)
        return jl_fail_memory(ask->err);
    jl_json_open(&json);
    for (size_t i = 0; i < count; i++) {
        const struct jl_path at = { .up = &list_at, .index = i };
        bool more;
        jl_json_item(&json, i == 0, &more);
        jl_json_peek(&json);
        const size_t start = json.pos;
        jl_json_skip(&json);
        const struct jl_raw raw = { list->text + start, json.pos - start, list->offset + start };
        const int rc = read_object(ask, &raw, &at, &objects[i]);
        if (rc < 0)
            return rc;
    }
    *out_objects = objects;
    *out_count = count;
    return 0;
}

static bool is_any(const struct joulie_remote_settings *env)
{
    return jl_rows_present(&joulie_remote_settings_table, env) != 0;
}

static int put_nodes(struct jl_ask *ask, const struct jl_migration *lift,
                     struct convert_lift_out *out)
{
    struct lift_node *nodes = JL_NEW_LIST(ask, out, nodes, lift->node_count, struct lift_node);
    if (nodes == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < lift->node_count; i++) {
        const struct jl_migrated_node *node = &lift->nodes[i];
        if (node->has_twin)
            JL_SET(&nodes[i], twin, node->twin);
        else
            JL_SET(&nodes[i], node_name, node->node_name);
        JL_SET_IF(&nodes[i], env, is_any(&node->env), node->env);
    }
    return 0;
}

static int answer_convert_lift(struct jl_ask *ask, const struct convert_lift_in *in,
                               struct convert_lift_out *out)
{
    struct jl_old_object *objects = NULL;
    size_t count = 0;
    struct jl_migration lift = { .nodes = NULL };
    int rc = read_objects(ask, &in->objects, &objects, &count);
    if (rc == 0)
        rc = jl_migrate(objects, count, ask->arena, &lift, ask->err);
    if (rc == 0)
        rc = put_nodes(ask, &lift, out);
    if (rc == 0 && is_any(&lift.cluster)) {
        JL_SET(&out->cluster, env, lift.cluster);
        out->given.cluster = true;
    }
    return rc;
}

JL_QUESTION(convert_lift, "convert.lift",
            "objects of v0.0.x into NodeTwins and settings of agents");
