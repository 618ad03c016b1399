/* SPDX-License-Identifier: Apache-2.0 */

/* The public door, outwards: the actions of a step as objects and merge patches. */

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "cluster/door.h"
#include "schema/diff.h"
#include "schema/encode.h"

_Static_assert(sizeof(enum joulie_action_verb) == 4 && sizeof(enum joulie_change) == 4,
               "enums of public structs have four bytes");

int joulie_cluster_step(struct joulie_cluster *cluster, int64_t now_ms, size_t *out_count,
                        struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    cluster->action_count = 0;
    jl_arena_reset(&cluster->bodies);
    const int rc =
        jl_cluster_step(cluster->model, now_ms, &cluster->actions, &cluster->action_count, &full);
    if (rc == 0)
        *out_count = cluster->action_count;
    return jl_cluster_door_return(rc, &full, err);
}

static int read_tree(const struct jl_table *table, const void *object, struct json_object **out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jl_encode(&text, table, object);
    if (text.is_failed)
        return JOULIE_E_NOMEM;
    struct jl_decode decode = { .arena = &arena, .text = text.data, .len = text.len, .err = &err };
    const struct jl_raw raw = { .text = text.data, .len = text.len };
    return jl_tree_from_raw(&decode, &raw, NULL, out);
}

/* The merge patch from one object to another of the same table. */
static int put_patch(struct jl_buffer *out, const struct jl_table *table, const void *old,
                     const void *new)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *old_tree = NULL;
    JL_CLEANUP(jl_tree_clear) struct json_object *new_tree = NULL;
    struct jl_diff diff = { 0 };
    int rc = read_tree(table, old, &old_tree);
    if (rc == 0)
        rc = read_tree(table, new, &new_tree);
    if (rc == 0)
        rc = jl_diff(old_tree, new_tree, &diff);
    if (rc == 0)
        jl_tree_put(out, diff.patch);
    jl_tree_clear(&diff.patch);
    return rc;
}

static void put_since(struct jl_buffer *out, const char *since)
{
    jl_put_string(out, "\"annotations\":{\"" JL_ANNOTATION_PROFILE_SINCE "\":");
    jl_cluster_door_put_text(out, since);
    jl_put_char(out, '}');
}

static void put_new_twin(struct jl_buffer *out, const struct jl_cluster_action *action)
{
    const struct jl_kind *kind = jl_node_twin_table.kind;
    jl_put_string(out, "{\"apiVersion\":");
    jl_cluster_door_put_text(out, kind->api_version);
    jl_put_string(out, ",\"kind\":");
    jl_cluster_door_put_text(out, kind->kind);
    jl_put_string(out, ",\"metadata\":{\"name\":");
    jl_cluster_door_put_text(out, action->object_name);
    if (action->profile_since != NULL) {
        jl_put_char(out, ',');
        put_since(out, action->profile_since);
    }
    jl_put_string(out, "},\"spec\":");
    jl_encode(out, &jl_twin_spec_table, action->spec);
    jl_put_char(out, '}');
}

/* Members that we never write are not ours to take away. */
static struct jl_twin_spec own_part(const struct jl_twin_spec *spec)
{
    struct jl_twin_spec own = *spec;
    own.policy.given.reschedulable_pressure = false;
    return own;
}

static int put_spec_patch(struct jl_buffer *out, const struct jl_cluster_action *action)
{
    const struct jl_twin_spec old = own_part(action->old_spec);
    jl_put_char(out, '{');
    if (action->profile_since != NULL) {
        jl_put_string(out, "\"metadata\":{");
        put_since(out, action->profile_since);
        jl_put_string(out, "},");
    }
    jl_put_string(out, "\"spec\":");
    const int rc = put_patch(out, &jl_twin_spec_table, &old, action->spec);
    jl_put_char(out, '}');
    return rc;
}

static int put_status_patch(struct jl_buffer *out, const struct jl_cluster_action *action)
{
    int rc = 0;
    jl_put_string(out, "{\"status\":");
    if (action->old_status != NULL)
        rc = put_patch(out, &jl_twin_status_table, action->old_status, action->status);
    else
        jl_encode(out, &jl_twin_status_table, action->status);
    jl_put_char(out, '}');
    return rc;
}

static void put_label_patch(struct jl_buffer *out, const char *key, const char *label)
{
    jl_put_string(out, "{\"metadata\":{\"labels\":{");
    jl_cluster_door_put_text(out, key);
    jl_put_char(out, ':');
    if (label != NULL)
        jl_cluster_door_put_text(out, label);
    else
        jl_put_string(out, "null");
    jl_put_string(out, "}}}");
}

static int put_body(const struct joulie_cluster *cluster, const struct jl_cluster_action *action,
                    struct jl_buffer *out)
{
    switch (action->kind) {
    case JL_ACTION_WRITE_SPEC:
        if (action->old_spec != NULL)
            return put_spec_patch(out, action);
        put_new_twin(out, action);
        return 0;
    case JL_ACTION_WRITE_STATUS:
        return put_status_patch(out, action);
    case JL_ACTION_LABEL_NODE:
        put_label_patch(out, jl_cluster_label_key(cluster->model), action->label);
        return 0;
    case JL_ACTION_DELETE_TWIN:
    case JL_ACTION_UNKNOWN:
        break;
    }
    return 0;
}

static enum joulie_action_verb verb_of(const struct jl_cluster_action *action)
{
    switch (action->kind) {
    case JL_ACTION_WRITE_SPEC:
        return action->old_spec != NULL ? JOULIE_ACTION_PATCH : JOULIE_ACTION_CREATE;
    case JL_ACTION_WRITE_STATUS:
    case JL_ACTION_LABEL_NODE:
        return JOULIE_ACTION_PATCH;
    case JL_ACTION_DELETE_TWIN:
        return JOULIE_ACTION_DELETE;
    case JL_ACTION_UNKNOWN:
        break;
    }
    return JOULIE_ACTION_UNKNOWN;
}

static enum joulie_change change_of(const struct jl_cluster_action *action)
{
    switch (action->kind) {
    case JL_ACTION_WRITE_SPEC:
        return JOULIE_CHANGE_SPEC;
    case JL_ACTION_WRITE_STATUS:
        return JOULIE_CHANGE_STATUS;
    case JL_ACTION_LABEL_NODE:
        return JOULIE_CHANGE_LABEL;
    case JL_ACTION_DELETE_TWIN:
        return JOULIE_CHANGE_RELEASE;
    case JL_ACTION_UNKNOWN:
        break;
    }
    return JOULIE_CHANGE_UNKNOWN;
}

static int action_at(struct joulie_cluster *cluster, size_t index,
                     struct joulie_cluster_action *theirs, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    if (jl_sized_check(theirs, sizeof *theirs) < 0)
        return jl_cluster_door_fail_abi(err);
    if (index >= cluster->action_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "the last step had fewer actions");
    const struct jl_cluster_action *action = &cluster->actions[index];
    const bool is_label = action->kind == JL_ACTION_LABEL_NODE;
    const struct jl_kind *kind = is_label ? jl_node_table.kind : jl_node_twin_table.kind;
    if (put_body(cluster, action, &body) < 0 || body.is_failed)
        return jl_fail_memory(err);
    const char *text =
        jl_arena_copy(&cluster->bodies, body.data != NULL ? body.data : "", body.len);
    if (text == NULL)
        return jl_fail_memory(err);
    const struct joulie_cluster_action ours = {
        .id = action->id,
        .api_version = kind->api_version,
        .kind = kind->kind,
        .plural = kind->plural,
        .name = is_label ? action->node_name : action->object_name,
        .subresource = action->kind == JL_ACTION_WRITE_STATUS ? "status" : "",
        .node_name = action->node_name,
        .body = text,
        .reason = action->reason,
        .verb = verb_of(action),
        .change = change_of(action),
    };
    jl_sized_write(theirs, &ours, sizeof ours);
    return 0;
}

int joulie_cluster_action_at(struct joulie_cluster *cluster, size_t index,
                             struct joulie_cluster_action *out, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(action_at(cluster, index, out, &full), &full, err);
}

static int done(struct jl_cluster *model, uint64_t id, enum joulie_action_outcome outcome,
                struct joulie_error *err)
{
    switch (outcome) {
    case JOULIE_OUTCOME_APPLIED:
        return jl_cluster_done(model, id, JL_ACTION_APPLIED, err);
    case JOULIE_OUTCOME_CONFLICT:
        return jl_cluster_done(model, id, JL_ACTION_CONFLICT, err);
    case JOULIE_OUTCOME_FAILED:
        return jl_cluster_done(model, id, JL_ACTION_FAILED, err);
    case JOULIE_OUTCOME_UNKNOWN:
    default:
        break;
    }
    return jl_fail(err, JOULIE_E_ENUM, "outcome", "there is no such outcome");
}

int joulie_cluster_action_done(struct joulie_cluster *cluster, uint64_t id,
                               enum joulie_action_outcome outcome, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(done(cluster->model, id, outcome, &full), &full, err);
}
