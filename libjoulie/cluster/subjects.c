/* SPDX-License-Identifier: Apache-2.0 */

/* Subjects: what a WorkloadProfile may name, so that a profile finds the pods that it may match,
 * and a pod its profile, without a search (docs/rules/policy.md#profiles). */

#include <joulie/error.h>

#include "base/memory.h"
#include "cluster/state.h"

struct cluster_subject *jl_cluster_subject_of(struct jl_index *subjects, const char *key)
{
    return jl_cluster_find_or_make(subjects, key, sizeof(struct cluster_subject));
}

void jl_cluster_release_subject(struct jl_index *subjects, struct cluster_subject *subject)
{
    if (subject->profiles != NULL || subject->pods != NULL)
        return;
    jl_index_remove(subjects, subject->key);
    jl_cluster_item_free(subject);
}

static void add_link(struct cluster_pod *pod, struct cluster_subject *subject)
{
    struct pod_link *link = &pod->links[pod->link_count++];
    *link = (struct pod_link){ .pod = pod, .subject = subject, .next = subject->pods };
    if (link->next != NULL)
        link->next->prev = link;
    subject->pods = link;
}

int jl_cluster_link_pod(struct jl_index *subjects, struct cluster_pod *pod)
{
    struct jl_arena scratch = { .first = SCRATCH_BYTES };
    struct jl_match_target targets[JL_MATCH_TARGETS];
    const size_t count = jl_match_targets(&pod->value, targets);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (targets[i].name.len == 0)
            continue;
        const char *key =
            jl_cluster_key(&scratch, pod->value.meta.name_space, targets[i].kind, targets[i].name);
        struct cluster_subject *subject = key != NULL ? jl_cluster_subject_of(subjects, key) : NULL;
        if (subject != NULL)
            add_link(pod, subject);
        else
            rc = JOULIE_E_NOMEM;
    }
    jl_arena_clear(&scratch);
    return rc;
}

void jl_cluster_unlink_pod(struct jl_index *subjects, struct cluster_pod *pod)
{
    for (size_t i = 0; i < pod->link_count; i++) {
        struct pod_link *link = &pod->links[i];
        if (link->prev != NULL)
            link->prev->next = link->next;
        else
            link->subject->pods = link->next;
        if (link->next != NULL)
            link->next->prev = link->prev;
        jl_cluster_release_subject(subjects, link->subject);
    }
    pod->link_count = 0;
}

const struct jl_workload_profile *jl_cluster_profile_of(const struct joulie_cluster *cluster,
                                                        const struct cluster_subject *subject)
{
    const double least = cluster->config.classifier.min_confidence;
    const struct jl_workload_profile *profile = &subject->profiles->value;
    return least > JL_PROFILE_MIN_CONFIDENCE && profile->status.confidence < least ? NULL : profile;
}

int jl_cluster_match(const struct joulie_cluster *cluster, const struct jl_pod *pod,
                     const struct jl_workload_profile **out)
{
    struct jl_arena scratch = { .first = SCRATCH_BYTES };
    struct jl_match_target targets[JL_MATCH_TARGETS];
    const size_t count = jl_match_targets(pod, targets);
    int rc = 0;
    *out = NULL;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (targets[i].name.len == 0)
            continue;
        const char *key =
            jl_cluster_key(&scratch, pod->meta.name_space, targets[i].kind, targets[i].name);
        const struct cluster_subject *subject = jl_cluster_find(&cluster->store.subjects, key);
        if (subject != NULL && subject->profiles != NULL) {
            *out = jl_cluster_profile_of(cluster, subject);
            break;
        }
        rc = key != NULL ? 0 : JOULIE_E_NOMEM;
    }
    jl_arena_clear(&scratch);
    return rc;
}
