/* SPDX-License-Identifier: Apache-2.0 */

/* What has to be done with WorkloadProfiles: owners that are to be read, profiles that are to be
 * made, changed and removed (docs/rules/classification.md#profiles-of-a-cluster). */

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "kinds/kinds.h"
#include "schema/document.h"
#include "schema/encode.h"

#define MANAGED_BY "app.kubernetes.io/managed-by"
#define OPERATOR "joulie-operator"
#define MOST_READS 256 /* of one decision */

static const struct {
    const char *kind;
    const char *api_version;
    const char *plural;
} kinds[] = {
    { "Pod", "v1", "pods" },
    { "ReplicaSet", "apps/v1", "replicasets" },
    { "Deployment", "apps/v1", "deployments" },
    { "StatefulSet", "apps/v1", "statefulsets" },
    { "DaemonSet", "apps/v1", "daemonsets" },
    { "Job", "batch/v1", "jobs" },
    { "CronJob", "batch/v1", "cronjobs" },
};

bool jl_cluster_kind_of_owner(const char *kind, const char **out_api_version,
                              const char **out_plural)
{
    for (size_t i = 0; i < JL_COUNT(kinds); i++) {
        if (!jl_same(kind, kinds[i].kind))
            continue;
        *out_api_version = kinds[i].api_version;
        *out_plural = kinds[i].plural;
        return true;
    }
    return false;
}

bool jl_cluster_is_own_profile(const struct jl_workload_profile *profile)
{
    return jl_same(jl_label(&profile->meta, MANAGED_BY), OPERATOR);
}

/* One more action, with texts of its own; its body is empty where body is NULL. */
static int add(struct joulie_cluster *cluster, const struct workload_action *what,
               const struct jl_buffer *body)
{
    struct classifier *classifier = &cluster->classifier;
    struct jl_arena *arena = &classifier->arena;
    if (JL_GROW(&classifier->actions, &classifier->capacity, classifier->count + 1) < 0)
        return JOULIE_E_NOMEM;
    struct workload_action *action = &classifier->actions[classifier->count++];
    *action = *what;
    action->id = classifier->next_id++;
    action->kind = jl_arena_string(arena, what->kind);
    action->name_space = jl_arena_string(arena, what->name_space);
    action->name = jl_arena_string(arena, what->name);
    action->body = body != NULL && body->len > 0 ? jl_arena_copy(arena, body->data, body->len) : "";
    action->reason = jl_arena_string(arena, what->reason);
    action->owner = jl_arena_string(arena, what->owner);
    action->workload = jl_arena_string(arena, what->workload);
    return arena->is_failed ? JOULIE_E_NOMEM : 0;
}

int jl_cluster_offer_read(struct joulie_cluster *cluster, const struct workload_action *what)
{
    struct workload_action read = *what;
    if (cluster->classifier.reads >= MOST_READS)
        return 0;
    read.verb = JOULIE_ACTION_READ;
    jl_cluster_kind_of_owner(what->kind, &read.api_version, &read.plural);
    cluster->classifier.reads++;
    return add(cluster, &read, NULL);
}

/* ---- bodies ---- */

static void put_member(struct jl_buffer *out, const char *key, const char *value, bool is_next)
{
    jl_put_string(out, is_next ? ",\"" : "\"");
    jl_put_string(out, key);
    jl_put_string(out, "\":");
    jl_cluster_put_text(out, value);
}

/* No controller: the owner does not manage the profile, but takes it along when it goes. */
static void put_owners(struct jl_buffer *out, const struct member *owner)
{
    jl_put_string(out, "\"ownerReferences\":[{");
    put_member(out, "apiVersion", owner->api_version, false);
    put_member(out, "kind", owner->kind, true);
    put_member(out, "name", owner->name, true);
    put_member(out, "uid", owner->uid, true);
    jl_put_string(out, "}]");
}

static bool has_owner(const struct member *owner)
{
    return !jl_is_empty(owner->uid) && !jl_is_empty(owner->api_version);
}

static const char *node_name_of(const struct member *owner)
{
    const char *node_name = owner->pod->value.spec.node_name;
    return jl_same(owner->kind, "Pod") && !jl_is_empty(node_name) ? node_name : NULL;
}

static void put_spec(struct jl_buffer *out, const struct member *owner)
{
    const char *node_name = node_name_of(owner);
    jl_put_string(out, "\"spec\":{");
    if (node_name != NULL) {
        put_member(out, "nodeName", node_name, false);
        jl_put_char(out, ',');
    }
    jl_put_string(out, "\"workloadRef\":{");
    put_member(out, "kind", owner->kind, false);
    put_member(out, "namespace", owner->pod->value.meta.name_space, true);
    put_member(out, "name", owner->name, true);
    jl_put_string(out, "}}");
}

static void put_new_profile(struct jl_buffer *out, const struct member *owner, const char *name)
{
    const struct jl_kind *kind = jl_workload_profile_table.kind;
    jl_put_char(out, '{');
    put_member(out, "apiVersion", kind->api_version, false);
    put_member(out, "kind", kind->kind, true);
    jl_put_string(out, ",\"metadata\":{");
    put_member(out, "name", name, false);
    put_member(out, "namespace", owner->pod->value.meta.name_space, true);
    jl_put_string(out, ",\"labels\":{\"" MANAGED_BY "\":\"" OPERATOR "\"}");
    if (has_owner(owner)) {
        jl_put_char(out, ',');
        put_owners(out, owner);
    }
    jl_put_string(out, "},");
    put_spec(out, owner);
    jl_put_char(out, '}');
}

/* What stands beside the status: only the owner's identity and the node of a pod change. */
static bool is_as_it_was(const struct member *owner, const struct jl_workload_profile *stored)
{
    const char *node_name = node_name_of(owner);
    if (node_name != NULL && !jl_same(node_name, stored->spec.node_name))
        return false;
    if (!has_owner(owner))
        return true;
    for (size_t i = 0; i < stored->meta.owners.count; i++) {
        const struct jl_owner *there = JL_ITEM(stored->meta.owners, jl_owner, i);
        if (jl_same(there->uid, owner->uid))
            return true;
    }
    return false;
}

static void put_patch(struct jl_buffer *out, const struct member *owner)
{
    jl_put_char(out, '{');
    if (has_owner(owner)) {
        jl_put_string(out, "\"metadata\":{");
        put_owners(out, owner);
        jl_put_string(out, "},");
    }
    put_spec(out, owner);
    jl_put_char(out, '}');
}

static int offer(struct joulie_cluster *cluster, const struct workload_action *what,
                 const struct jl_buffer *body)
{
    const struct jl_kind *kind = jl_workload_profile_table.kind;
    struct workload_action write = *what;
    write.api_version = kind->api_version;
    write.kind = kind->kind;
    write.plural = kind->plural;
    return body->is_failed ? JOULIE_E_NOMEM : add(cluster, &write, body);
}

int jl_cluster_offer_profile(struct joulie_cluster *cluster, const struct member *owner,
                             const struct jl_workload_profile *stored, const char *name,
                             const struct jl_profile_status *status, const char *reason)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    struct workload_action what = {
        .name_space = owner->pod->value.meta.name_space,
        .name = name,
        .reason = reason,
        .workload = owner->key,
        .change = JOULIE_CHANGE_SPEC,
        .verb = stored == NULL ? JOULIE_ACTION_CREATE : JOULIE_ACTION_PATCH,
    };
    int rc = 0;
    if (stored == NULL)
        put_new_profile(&body, owner, name);
    else if (!is_as_it_was(owner, stored))
        put_patch(&body, owner);
    if (body.is_failed || body.len > 0)
        rc = offer(cluster, &what, &body);
    if (rc < 0 || status == NULL)
        return rc;
    what.verb = JOULIE_ACTION_PATCH;
    what.change = JOULIE_CHANGE_STATUS;
    jl_buffer_reset(&body);
    jl_put_string(&body, "{\"status\":");
    if (stored != NULL)
        jl_encode_patch(&body, &jl_profile_status_table, &stored->status, status);
    else
        jl_encode(&body, &jl_profile_status_table, status);
    jl_put_char(&body, '}');
    return offer(cluster, &what, &body);
}

int jl_cluster_offer_removal(struct joulie_cluster *cluster,
                             const struct jl_workload_profile *profile)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    const struct workload_action what = {
        .name_space = profile->meta.name_space,
        .name = profile->meta.name,
        .reason = "its workload is gone",
        .change = JOULIE_CHANGE_RELEASE,
        .verb = JOULIE_ACTION_DELETE,
    };
    if (!jl_is_empty(profile->meta.uid)) { /* one that was made anew meanwhile stays */
        jl_put_string(&body, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\","
                             "\"preconditions\":{");
        put_member(&body, "uid", profile->meta.uid, false);
        jl_put_string(&body, "}}");
    }
    return offer(cluster, &what, &body);
}

/* ---- handed out, and what became of it ---- */

int joulie_cluster_workload_action_at(struct joulie_cluster *cluster, size_t index,
                                      struct joulie_cluster_action *out, struct joulie_error *err)
{
    const struct classifier *classifier = &cluster->classifier;
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= classifier->count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "the last decision had fewer actions");
    const struct workload_action *action = &classifier->actions[index];
    const struct joulie_cluster_action ours = {
        .id = action->id,
        .api_version = action->api_version,
        .kind = action->kind,
        .plural = action->plural,
        .name = action->name,
        .subresource = action->change == JOULIE_CHANGE_STATUS ? "status" : "",
        .node_name = "",
        .reason = action->reason,
        .verb = action->verb,
        .change = action->change,
        .name_space = action->name_space,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}

static struct workload_action *find(struct joulie_cluster *cluster, uint64_t id,
                                    struct joulie_error *err)
{
    const struct classifier *classifier = &cluster->classifier;
    const uint64_t first_id = classifier->next_id - classifier->count;
    if (id >= first_id && id < classifier->next_id)
        return &classifier->actions[id - first_id];
    jl_fail(err, JOULIE_E_RANGE, "id", "the last decision had no such action");
    return NULL;
}

int joulie_cluster_workload_action_body(struct joulie_cluster *cluster, uint64_t id,
                                        const char **out_body, struct joulie_error *err)
{
    const struct workload_action *action = find(cluster, id, err);
    if (action == NULL)
        return JOULIE_E_RANGE;
    *out_body = action->body;
    return JOULIE_OK;
}

#define RECORD owner_object
#define ABOUT .flags = JL_OPEN
#define MEMBERS OBJECT(meta, "metadata", jl_meta, "Of the object.")
#include "schema/record.h"

/* What an owner says of itself: who it is, and who has it. */
static int read_owner(struct cluster_owner *owner, const char *text, size_t len,
                      struct joulie_error *err)
{
    struct owner_object object;
    struct jl_arena arena = { 0 };
    const int rc =
        jl_document_record(text, len, JL_LENIENT, &owner_object_table, &arena, &object, err);
    if (rc < 0) {
        jl_arena_clear(&arena);
        return rc;
    }
    const struct jl_owner *parent = jl_controller_of(&object.meta);
    jl_arena_clear(&owner->arena);
    owner->arena = arena;
    owner->uid = object.meta.uid;
    owner->parent = parent != NULL ? *parent : (struct jl_owner){ 0 };
    owner->state = OWNER_READ;
    return 0;
}

static int was_read(struct joulie_cluster *cluster, const struct workload_action *action,
                    enum joulie_action_outcome outcome, struct jl_text object,
                    struct joulie_error *err)
{
    struct classifier *classifier = &cluster->classifier;
    struct cluster_owner *owner = jl_cluster_find(&classifier->owners, action->owner);
    struct cluster_workload *workload = jl_cluster_find(&classifier->workloads, action->workload);
    if (workload != NULL)
        workload->is_gone = outcome == JOULIE_OUTCOME_GONE;
    if (owner == NULL)
        return JOULIE_OK;
    if (outcome == JOULIE_OUTCOME_APPLIED && object.ptr != NULL)
        return read_owner(owner, object.ptr, object.len, err);
    if (owner->state == OWNER_UNREAD)
        owner->state = OWNER_UNREADABLE;
    return JOULIE_OK;
}

static int was_written(struct joulie_cluster *cluster, const struct workload_action *action,
                       enum joulie_action_outcome outcome, struct jl_text object,
                       struct joulie_error *err)
{
    const bool is_gone = outcome == JOULIE_OUTCOME_GONE;
    const bool is_applied = outcome == JOULIE_OUTCOME_APPLIED;
    struct cluster_workload *workload =
        jl_cluster_find(&cluster->classifier.workloads, action->workload);
    if (is_gone || (is_applied && action->verb == JOULIE_ACTION_DELETE))
        return joulie_cluster_remove(cluster, "WorkloadProfile", action->name_space, action->name,
                                     err);
    const int rc = is_applied && object.ptr != NULL
                       ? joulie_cluster_put_object(cluster, object.ptr, object.len, err)
                       : JOULIE_OK;
    if (rc == 0 && is_applied && action->change == JOULIE_CHANGE_STATUS && workload != NULL)
        workload->is_whole = workload->is_whole_when_stored;
    return rc;
}

int joulie_cluster_workload_action_done(struct joulie_cluster *cluster, uint64_t id,
                                        enum joulie_action_outcome outcome, const char *object,
                                        size_t len, struct joulie_error *err)
{
    const struct workload_action *action = find(cluster, id, err);
    if (action == NULL)
        return JOULIE_E_RANGE;
    if ((int)outcome < JOULIE_OUTCOME_APPLIED || (int)outcome > JOULIE_OUTCOME_GONE)
        return jl_fail(err, JOULIE_E_ENUM, "outcome", "there is no such outcome");
    if (action->verb == JOULIE_ACTION_READ)
        return was_read(cluster, action, outcome, (struct jl_text){ object, len }, err);
    return was_written(cluster, action, outcome, (struct jl_text){ object, len }, err);
}
