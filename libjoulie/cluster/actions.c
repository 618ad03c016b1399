/* SPDX-License-Identifier: Apache-2.0 */

/* The actions of the last step as a caller reads them: what to do with which object, and the body
 * of a request as JSON. */

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "schema/encode.h"

_Static_assert(sizeof(enum joulie_action_verb) == 4 && sizeof(enum joulie_change) == 4,
               "enums of public structs have four bytes");

static void put_annotation(struct jl_buffer *out, const char *key, const char *value, bool *is_next)
{
    if (value == NULL)
        return;
    jl_put_string(out, *is_next ? "," : "\"annotations\":{");
    jl_cluster_put_text(out, key);
    jl_put_char(out, ':');
    jl_cluster_put_text(out, value);
    *is_next = true;
}

/* What the twin remembers of the decision; nothing unless it changes. */
static void put_annotations(struct jl_buffer *out, const struct jl_cluster_write *action,
                            const char *before, const char *after)
{
    bool is_next = false;
    if (action->profile_since == NULL && action->cap_lowered == NULL)
        return;
    jl_put_string(out, before);
    put_annotation(out, JL_ANNOTATION_PROFILE_SINCE, action->profile_since, &is_next);
    put_annotation(out, JL_ANNOTATION_CAP_LOWERED, action->cap_lowered, &is_next);
    jl_put_char(out, '}');
    jl_put_string(out, after);
}

static void put_new_twin(struct jl_buffer *out, const struct jl_cluster_write *action)
{
    const struct jl_kind *kind = jl_node_twin_table.kind;
    jl_put_string(out, "{\"apiVersion\":");
    jl_cluster_put_text(out, kind->api_version);
    jl_put_string(out, ",\"kind\":");
    jl_cluster_put_text(out, kind->kind);
    jl_put_string(out, ",\"metadata\":{\"name\":");
    jl_cluster_put_text(out, action->object_name);
    put_annotations(out, action, ",", "");
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

static void put_spec_patch(struct jl_buffer *out, const struct jl_cluster_write *action)
{
    const struct jl_twin_spec old = own_part(action->old_spec);
    jl_put_char(out, '{');
    put_annotations(out, action, "\"metadata\":{", "},");
    jl_put_string(out, "\"spec\":");
    jl_encode_patch(out, &jl_twin_spec_table, &old, action->spec);
    jl_put_char(out, '}');
}

static void put_status_patch(struct jl_buffer *out, const struct jl_cluster_write *action)
{
    jl_put_char(out, '{');
    if (action->resource_version != NULL) {
        jl_put_string(out, "\"metadata\":{\"resourceVersion\":");
        jl_cluster_put_text(out, action->resource_version);
        jl_put_string(out, "},");
    }
    jl_put_string(out, "\"status\":");
    if (action->old_status != NULL)
        jl_encode_patch(out, &jl_twin_status_table, action->old_status, action->status);
    else
        jl_encode(out, &jl_twin_status_table, action->status);
    jl_put_char(out, '}');
}

static void put_label_patch(struct jl_buffer *out, const char *key, const char *label)
{
    jl_put_string(out, "{\"metadata\":{\"labels\":{");
    jl_cluster_put_text(out, key);
    jl_put_char(out, ':');
    if (label != NULL)
        jl_cluster_put_text(out, label);
    else
        jl_put_string(out, "null");
    jl_put_string(out, "}}}");
}

static void put_power_annotations(struct jl_buffer *out, const struct jl_power_write *write)
{
    struct jl_pair pairs[JL_WRITTEN_ANNOTATIONS];
    const size_t count = jl_cluster_power_annotations(write, pairs);
    for (size_t i = 0; i < count; i++) {
        jl_put_char(out, i > 0 ? ',' : '{');
        jl_cluster_put_text(out, pairs[i].key);
        jl_put_char(out, ':');
        if (pairs[i].value != NULL)
            jl_cluster_put_text(out, pairs[i].value);
        else
            jl_put_string(out, "null");
    }
    jl_put_char(out, '}');
}

/* A merge patch replaces a list: it has the taints of others, too. */
static void put_drain(struct jl_buffer *out, const struct jl_power_write *write)
{
    struct jl_taint ours = { 0 };
    const size_t count = write->foreign_taints.count;
    JL_SET(&ours, key, JL_TAINT_POWERED_OFF);
    JL_SET(&ours, effect, "NoSchedule");
    jl_put_string(out, write->record.is_drained ? ",\"spec\":{\"unschedulable\":true,\"taints\":["
                                                : ",\"spec\":{\"unschedulable\":null,\"taints\":[");
    for (size_t i = 0; i < count; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        jl_encode(out, &jl_taint_table, JL_ITEM(write->foreign_taints, jl_taint, i));
    }
    if (write->record.is_drained) {
        jl_put_string(out, count > 0 ? "," : "");
        jl_encode(out, &jl_taint_table, &ours);
    }
    jl_put_string(out, "]}");
}

/* The version makes it fail where the Node is another by now: its taints, or its cordon. */
static void put_power_patch(struct jl_buffer *out, const struct jl_power_write *write)
{
    jl_put_string(out, "{\"metadata\":{");
    if (write->resource_version != NULL) {
        jl_put_string(out, "\"resourceVersion\":");
        jl_cluster_put_text(out, write->resource_version);
        jl_put_char(out, ',');
    }
    jl_put_string(out, "\"annotations\":");
    put_power_annotations(out, write);
    jl_put_char(out, '}');
    if (write->record.is_drained != write->was_drained)
        put_drain(out, write);
    jl_put_char(out, '}');
}

static void put_body(const struct joulie_cluster *cluster, const struct jl_cluster_write *action,
                     struct jl_buffer *out)
{
    switch (action->change) {
    case JOULIE_CHANGE_SPEC:
        if (action->old_spec != NULL)
            put_spec_patch(out, action);
        else
            put_new_twin(out, action);
        return;
    case JOULIE_CHANGE_STATUS:
        put_status_patch(out, action);
        return;
    case JOULIE_CHANGE_LABEL:
        put_label_patch(out, cluster->config.policy.power_profile_label, action->label);
        return;
    case JOULIE_CHANGE_POWER:
        put_power_patch(out, action->power);
        return;
    case JOULIE_CHANGE_RELEASE:
    case JOULIE_CHANGE_UNKNOWN:
        return;
    }
}

static enum joulie_action_verb verb_of(const struct jl_cluster_write *action)
{
    switch (action->change) {
    case JOULIE_CHANGE_SPEC:
        return action->old_spec != NULL ? JOULIE_ACTION_PATCH : JOULIE_ACTION_CREATE;
    case JOULIE_CHANGE_STATUS:
    case JOULIE_CHANGE_LABEL:
    case JOULIE_CHANGE_POWER:
        return JOULIE_ACTION_PATCH;
    case JOULIE_CHANGE_RELEASE:
        return JOULIE_ACTION_DELETE;
    case JOULIE_CHANGE_UNKNOWN:
        break;
    }
    return JOULIE_ACTION_UNKNOWN;
}

int joulie_cluster_action_at(struct joulie_cluster *cluster, size_t index,
                             struct joulie_cluster_action *out, struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= cluster->writes.count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "the last step had fewer actions");
    const struct jl_cluster_write *write = &cluster->writes.items[index];
    const bool is_node =
        write->change == JOULIE_CHANGE_LABEL || write->change == JOULIE_CHANGE_POWER;
    const struct jl_kind *kind = is_node ? jl_node_table.kind : jl_node_twin_table.kind;
    const struct joulie_cluster_action ours = {
        .id = write->id,
        .api_version = kind->api_version,
        .kind = kind->kind,
        .plural = kind->plural,
        .name = is_node ? write->node_name : write->object_name,
        .subresource = write->change == JOULIE_CHANGE_STATUS ? "status" : "",
        .node_name = write->node_name,
        .reason = write->reason,
        .verb = verb_of(write),
        .change = write->change,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}

int joulie_cluster_action_body(struct joulie_cluster *cluster, uint64_t id, const char **out_body,
                               struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    const struct jl_cluster_write *write = jl_cluster_write_of(&cluster->writes, id, err);
    if (write == NULL)
        return JOULIE_E_RANGE;
    put_body(cluster, write, &body);
    if (body.is_failed)
        return jl_fail_memory(err);
    const char *text =
        jl_arena_copy(&cluster->writes.bodies, body.data != NULL ? body.data : "", body.len);
    if (text == NULL)
        return jl_fail_memory(err);
    *out_body = text;
    return JOULIE_OK;
}
