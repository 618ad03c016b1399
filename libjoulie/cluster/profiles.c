/* SPDX-License-Identifier: Apache-2.0 */

/* WorkloadProfiles: stored, joined to their subject, and gone from all counts when they grow too
 * old. A change of one touches only the pods that it may match. */

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/time.h"
#include "cluster/state.h"

static void pods_dirty(struct joulie_cluster *cluster, struct cluster_subject *subject)
{
    for (struct pod_link *link = subject->pods; link != NULL; link = link->next)
        jl_cluster_pod_dirty(cluster, link->pod);
}

static void leave_subject(struct joulie_cluster *cluster, struct cluster_profile *profile)
{
    struct cluster_subject *subject = profile->subject;
    if (subject == NULL)
        return;
    struct cluster_profile **at = &subject->profiles;
    while (*at != profile)
        at = &(*at)->next;
    *at = profile->next;
    pods_dirty(cluster, subject);
    profile->subject = NULL;
    jl_cluster_release_subject(&cluster->store.subjects, subject);
}

static void join_subject(struct joulie_cluster *cluster, struct cluster_profile *profile,
                         struct cluster_subject *subject)
{
    struct cluster_profile **at = &subject->profiles;
    while (*at != NULL && jl_compare((*at)->value.meta.name, profile->value.meta.name) < 0)
        at = &(*at)->next;
    profile->next = *at;
    profile->subject = subject;
    *at = profile;
    pods_dirty(cluster, subject);
}

void jl_cluster_profile_free(void *item)
{
    struct cluster_profile *profile = item;
    jl_arena_clear(&profile->arena);
    jl_cluster_item_free(profile);
}

static void drop(struct joulie_cluster *cluster, struct cluster_profile *profile)
{
    leave_subject(cluster, profile);
    jl_index_remove(&cluster->store.profiles, profile->key);
    jl_cluster_profile_free(profile);
}

/* The subject that the profile names; NULL without failure when it can match no pod. */
static int named_subject(struct joulie_cluster *cluster, const struct jl_workload_profile *value,
                         struct cluster_subject **out)
{
    const struct jl_workload_ref *ref = &value->spec.workload_ref;
    *out = NULL;
    if (!jl_profile_speaks(value) || jl_is_empty(ref->kind) || jl_is_empty(ref->name))
        return 0;
    struct jl_arena scratch = { .first = SCRATCH_BYTES };
    const char *key =
        jl_cluster_key(&scratch, value->meta.name_space, ref->kind, jl_text(ref->name));
    *out = key != NULL ? jl_cluster_subject_of(&cluster->store.subjects, key) : NULL;
    jl_arena_clear(&scratch);
    return *out != NULL ? 0 : JOULIE_E_NOMEM;
}

/* When time alone closes the gate of a profile; INT64_MAX = it is not open. */
static int64_t closing_ms(const struct jl_workload_profile *profile)
{
    const char *updated = profile->status.last_updated;
    int64_t updated_ms = 0;
    if (updated == NULL || jl_parse_time(updated, strlen(updated), &updated_ms) != 0)
        return INT64_MAX;
    return updated_ms + JL_PROFILE_MAX_AGE_MS + 1;
}

static void watch_gate(struct joulie_cluster *cluster, const struct cluster_profile *profile)
{
    const int64_t closes_ms = closing_ms(&profile->value);
    if (closes_ms < cluster->next_gate_ms)
        cluster->next_gate_ms = closes_ms;
}

/* On failure the profile is gone, which the next put repairs. */
static int store_profile(struct joulie_cluster *cluster, struct cluster_profile *profile,
                         const struct jl_workload_profile *value)
{
    struct jl_arena arena = { 0 };
    struct jl_workload_profile copy;
    struct cluster_subject *subject = NULL;
    int rc = jl_cluster_copy(&jl_workload_profile_table, value, &arena, &copy);
    if (rc < 0)
        return rc;
    leave_subject(cluster, profile);
    jl_arena_clear(&profile->arena);
    profile->arena = arena;
    profile->value = copy;
    profile->is_usable = true; /* its pods are counted again anyway: only a later closing matters */
    rc = named_subject(cluster, &profile->value, &subject);
    if (subject != NULL)
        join_subject(cluster, profile, subject);
    watch_gate(cluster, profile);
    return rc;
}

int jl_cluster_put_profile(struct joulie_cluster *cluster, const struct jl_workload_profile *value,
                           struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a WorkloadProfile needs a name");
    struct cluster_profile *profile = jl_cluster_find_or_make_in(
        &cluster->store.profiles, value->meta.name_space, value->meta.name, sizeof *profile);
    if (profile == NULL)
        return jl_fail_memory(err);
    if (store_profile(cluster, profile, value) < 0) {
        drop(cluster, profile);
        return jl_fail_memory(err);
    }
    return 0;
}

int jl_cluster_remove_profile(struct joulie_cluster *cluster, const char *name_space,
                              const char *name)
{
    void *profile = NULL;
    const int rc = jl_cluster_find_in(&cluster->store.profiles, name_space, name, &profile);
    if (profile != NULL)
        drop(cluster, profile);
    return rc;
}

/* Looks at every profile only when one may have grown too old, or when time went back. */
void jl_cluster_check_gates(struct joulie_cluster *cluster, int64_t now_ms)
{
    if (now_ms >= cluster->gate_ms && now_ms < cluster->next_gate_ms)
        return;
    cluster->next_gate_ms = INT64_MAX;
    for (size_t i = 0; i < cluster->store.profiles.capacity; i++) {
        struct cluster_profile *profile = jl_cluster_slot(&cluster->store.profiles, i);
        if (profile == NULL)
            continue;
        const bool is_usable = jl_profile_is_usable(&profile->value, now_ms);
        if (is_usable != profile->is_usable && profile->subject != NULL)
            pods_dirty(cluster, profile->subject);
        profile->is_usable = is_usable;
        if (is_usable)
            watch_gate(cluster, profile);
    }
    cluster->gate_ms = now_ms;
}
