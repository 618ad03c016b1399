/* SPDX-License-Identifier: Apache-2.0 */

/* Work as flat structs, for schedulers of any kind. What a piece of it becomes inside is what a pod
 * becomes. */

#include "base/error.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "kinds/effective.h"
#include "place/config.h"

#define WORK_BITS JOULIE_CLUSTER_WORK_HAS_STARTED
#define ANNOTATION_PINNED "kubernetes.io/config.mirror" /* such pods belong to their node */
#define ANNOTATIONS 3

_Static_assert(sizeof(struct joulie_cluster_work) ==
                   sizeof(size_t) + 2 * sizeof(uint64_t) + 2 * sizeof(void *) + 6 * sizeof(int32_t),
               "no padding");

static int check_nodes(const struct joulie_cluster_work *work, struct joulie_error *err)
{
    const bool is_bound = work->node_names != NULL;
    int rc = 0;
    if (work->node_count > JL_LIMIT_CANDIDATES || (is_bound && work->node_count == 0))
        return jl_fail(err, JOULIE_E_RANGE, "node_count", "is not between %d and %zu", is_bound,
                       JL_LIMIT_CANDIDATES);
    for (uint32_t i = 0; i < work->node_count && is_bound && rc == 0; i++) {
        if (jl_is_empty(work->node_names[i]))
            return jl_fail(err, JOULIE_E_REQUIRED, "node_names", "a node has no name");
        rc = jl_cluster_check_text(work->node_names[i], "node_names", err);
    }
    return rc;
}

static int check_work(const struct joulie_cluster_work *work, struct joulie_error *err)
{
    int rc = check_nodes(work, err);
    if (rc == 0)
        rc = jl_cluster_check_flag(work->is_finished, "is_finished", err);
    if (rc == 0)
        rc = jl_cluster_check_flag(work->is_pinned, "is_pinned", err);
    if (rc < 0)
        return rc;
    if ((work->has & JOULIE_CLUSTER_WORK_HAS_STARTED) != 0 && !jl_is_instant(work->started_ms))
        return jl_fail(err, JOULIE_E_RANGE, "started_ms", "no clock shows this time");
    if (work->movable != JOULIE_MOVABLE_UNKNOWN && work->movable != JOULIE_MOVABLE_YES &&
        work->movable != JOULIE_MOVABLE_NO)
        return jl_fail(err, JOULIE_E_ENUM, "movable", "there is no such choice");
    if (work->intensity < JOULIE_LEVEL_UNKNOWN || work->intensity > JOULIE_LEVEL_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "intensity", "there is no such level");
    return 0;
}

static int read_needs(const struct joulie_cluster *cluster, const struct joulie_work *needs,
                      struct joulie_work *out, struct joulie_error *err)
{
    static const struct joulie_work nothing = { .struct_size = sizeof nothing };
    return jl_place_work_read(needs != NULL ? needs : &nothing, cluster->place_config.rules, out,
                              err);
}

static const char *class_text(enum joulie_workload_class class_)
{
    return class_ == JOULIE_WORKLOAD_STANDARD ? NULL : jl_word_of(&jl_pod_class_words, (int)class_);
}

static const char *phase_of(const struct joulie_cluster_work *work)
{
    if (work->is_finished)
        return "Succeeded";
    return work->node_names == NULL ? "Pending" : "Running";
}

static void fill_pod(const char *group, const char *name, const struct joulie_cluster_work *work,
                     enum joulie_workload_class class_, struct jl_pair pairs[ANNOTATIONS],
                     struct jl_pod *pod)
{
    static const char *const movable_texts[] = { NULL, "true", "false" };
    size_t count = 0;
    jl_cluster_add_pair(pairs, &count, JL_ANNOTATION_CLASS, class_text(class_));
    jl_cluster_add_pair(pairs, &count, JL_ANNOTATION_RESCHEDULABLE, movable_texts[work->movable]);
    jl_cluster_add_pair(pairs, &count, ANNOTATION_PINNED, work->is_pinned ? "true" : NULL);
    JL_MARK(pod, JL_ROOT_META);
    JL_SET(&pod->meta, name, name);
    JL_SET(&pod->meta, name_space, group != NULL ? group : "");
    JL_SET(&pod->meta, annotations, ((struct jl_map){ pairs, count }));
    JL_MARK(pod, JL_ROOT_SPEC);
    JL_MARK(pod, JL_ROOT_STATUS);
    JL_SET(&pod->status, phase, phase_of(work));
}

int joulie_cluster_put_work(struct joulie_cluster *cluster, const char *group, const char *name,
                            const struct joulie_cluster_work *theirs, struct joulie_error *err)
{
    struct joulie_cluster_work ours;
    struct jl_pair pairs[ANNOTATIONS];
    struct jl_pod pod = { 0 };
    struct joulie_work needs;
    if (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~WORK_BITS) != 0 || ours.reserved != 0)
        return jl_fail_abi(err, "");
    int rc = jl_cluster_check_text(group, "group", err);
    if (rc == 0)
        rc = jl_cluster_check_text(name, "name", err);
    if (rc == 0)
        rc = check_work(&ours, err);
    if (rc == 0)
        rc = read_needs(cluster, ours.needs, &needs, err);
    if (rc < 0)
        return rc;
    fill_pod(group, name, &ours, needs.workload_class, pairs, &pod);
    const struct work_facts work = {
        .needs = needs,
        .intensity = ours.intensity,
        .has_started = (ours.has & JOULIE_CLUSTER_WORK_HAS_STARTED) != 0,
        .started_ms = ours.started_ms,
    };
    return jl_cluster_store_work(cluster, &pod, &work, ours.node_names,
                                 ours.node_count > 0 ? ours.node_count : 1, err);
}
