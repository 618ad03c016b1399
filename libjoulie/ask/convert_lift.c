/* SPDX-License-Identifier: Apache-2.0 */

/* convert.lift: objects of v0.0.x into what v0.1.1 reads (cli.md §2, joulie-node-agent.md §10). */

#include "ask/ask.h"
#include "base/error.h"
#include "node/lift.h"
#include "schema/json.h"

struct lift_in {
    uint64_t has;
    struct jl_raw objects;
};

enum { IN_OBJECTS };

static const struct jl_row in_rows[] = {
    [IN_OBJECTS] = JL_RAW(lift_in, objects, "objects", .flags = JL_REQUIRED | JL_ARRAY_ROW,
                          .doc = "NodePowerProfiles and TelemetryProfiles, in any order."),
};
static const struct jl_table in_table = JL_TABLE(lift_in, in_rows);

struct lift_node {
    uint64_t has;
    const char *node_name;
    struct jl_node_twin twin;
    struct jl_wiring_env env;
};

enum { NODE_NAME, NODE_TWIN, NODE_ENV };

static const struct jl_row node_rows[] = {
    [NODE_NAME] = JL_STRING(lift_node, node_name, "nodeName",
                            .doc = "Name of a node that no NodeTwin is made for."),
    [NODE_TWIN] = JL_OBJECT(lift_node, twin, "nodeTwin", &jl_node_twin_table,
                            .doc = "Its NodeTwin, of the NodePowerProfile."),
    [NODE_ENV] = JL_OBJECT(lift_node, env, "agentEnv", &jl_wiring_env_table,
                           .doc = "Settings of its agent, of the TelemetryProfile."),
};
static const struct jl_table node_table = JL_TABLE(lift_node, node_rows);

struct lift_cluster {
    uint64_t has;
    struct jl_wiring_env env;
};

enum { CLUSTER_ENV };

static const struct jl_row cluster_rows[] = {
    [CLUSTER_ENV] = JL_OBJECT(lift_cluster, env, "agentEnv", &jl_wiring_env_table,
                              .doc = "Settings of every agent without its own."),
};
static const struct jl_table cluster_table = JL_TABLE(lift_cluster, cluster_rows);

struct lift_out {
    uint64_t has;
    struct jl_list nodes;
    struct lift_cluster cluster;
};

enum { OUT_NODES, OUT_CLUSTER };

static const struct jl_row out_rows[] = {
    [OUT_NODES] = JL_LIST(lift_out, nodes, "nodes", &node_table, .doc = "Nodes by name."),
    [OUT_CLUSTER] = JL_OBJECT(lift_out, cluster, "cluster", &cluster_table,
                              .doc = "What the scope cluster says."),
};
static const struct jl_table out_table = JL_TABLE(lift_out, out_rows);

/* What tells the kind of an object. */
struct head {
    uint64_t has;
    const char *kind;
};

enum { HEAD_KIND };

static const struct jl_row head_rows[] = {
    [HEAD_KIND] = JL_STRING(head, kind, "kind", .flags = JL_REQUIRED),
};
static const struct jl_table head_table = JL_TABLE(head, head_rows, .flags = JL_OPEN);

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
                       struct jl_lift_object *out)
{
    const struct jl_path kind_at = { .up = at, .key = jl_text("kind") };
    const void *object = NULL;
    struct head head;
    int rc = jl_decode_raw(ask->decode, raw, at, &head_table, &head);
    if (rc < 0)
        return rc;
    if (jl_same(head.kind, jl_node_power_profile_table.kind->kind)) {
        rc = read_as(ask, raw, at, &jl_node_power_profile_table, &object);
        out->power = object;
    } else if (jl_same(head.kind, jl_telemetry_profile_table.kind->kind)) {
        rc = read_as(ask, raw, at, &jl_telemetry_profile_table, &object);
        out->telemetry = object;
    } else {
        rc = jl_decode_fail(ask->decode, JOULIE_E_ENUM, &kind_at, raw->offset,
                            "a %.64s is neither a NodePowerProfile nor a TelemetryProfile",
                            head.kind);
    }
    return rc;
}

/* The list was checked when the document was read. */
static int read_objects(struct jl_ask *ask, const struct jl_raw *list,
                        struct jl_lift_object **out_objects, size_t *out_count)
{
    const struct jl_path list_at = { .key = jl_text("objects") };
    struct jl_json json = { .text = list->text, .len = list->len };
    size_t count = 0;
    jl_json_count(&json, &count);
    struct jl_lift_object *objects = JL_NEW_ARRAY(ask->arena, count, struct jl_lift_object);
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

static int put_nodes(struct jl_ask *ask, const struct jl_lift *lift, struct lift_out *out)
{
    struct lift_node *nodes = JL_NEW_ARRAY(ask->arena, lift->node_count, struct lift_node);
    if (nodes == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < lift->node_count; i++) {
        const struct jl_lifted_node *node = &lift->nodes[i];
        if (node->has_twin)
            JL_PUT(&nodes[i], NODE_TWIN, twin, node->twin);
        else
            JL_PUT(&nodes[i], NODE_NAME, node_name, node->node_name);
        if (node->env.has != 0)
            JL_PUT(&nodes[i], NODE_ENV, env, node->env);
    }
    JL_PUT(out, OUT_NODES, nodes, ((struct jl_list){ nodes, lift->node_count }));
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct lift_in *in = input;
    struct lift_out *out = output;
    struct jl_lift_object *objects = NULL;
    size_t count = 0;
    struct jl_lift lift = { .nodes = NULL };
    int rc = read_objects(ask, &in->objects, &objects, &count);
    if (rc == 0)
        rc = jl_lift(objects, count, ask->arena, &lift, ask->err);
    if (rc == 0)
        rc = put_nodes(ask, &lift, out);
    if (rc == 0 && lift.cluster.has != 0) {
        JL_PUT(&out->cluster, CLUSTER_ENV, env, lift.cluster);
        JL_MARK(out, OUT_CLUSTER);
    }
    return rc;
}

const struct jl_question jl_question_convert_lift = {
    .name = "convert.lift",
    .summary = "objects of v0.0.x into NodeTwins and settings of agents",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
