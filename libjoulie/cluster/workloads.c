/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The profiles of the workloads of a cluster: which measurements are asked for, what they say of
 * each workload, what is written of it, and which profiles go
 * (docs/rules/classification.md#profiles-of-a-cluster). The rules of one workload are in
 * classify/.
 */

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/sort.h"
#include "classify/classify.h"
#include "classify/keep.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "kinds/naming.h"

#define MS_PER_S 1000.0
#define REFRESH_MS INT64_C(14400000)   /* readers take a profile for a day */
#define LOOK_AGAIN_MS INT64_C(3600000) /* for an owner that was there */

_Static_assert(sizeof(enum joulie_action_outcome) == 4, "enums of public structs have four bytes");

static int64_t ms_of(double seconds)
{
    return (int64_t)(seconds * MS_PER_S);
}

/* ---- workloads ---- */

static struct cluster_workload *workload_of(struct joulie_cluster *cluster, const char *key)
{
    struct jl_index *workloads = &cluster->classifier.workloads;
    struct cluster_workload *workload = jl_cluster_find(workloads, key);
    if (workload != NULL)
        return workload;
    workload = jl_cluster_find_or_make(workloads, key, sizeof *workload);
    if (workload != NULL)
        workload->measured_ms = workload->gone_ms = workload->asked_ms = NEVER_MS;
    return workload;
}

static size_t end_of(const struct classifier *classifier, size_t first)
{
    size_t end = first + 1;
    while (end < classifier->member_count &&
           jl_same(classifier->members[end].key, classifier->members[first].key))
        end++;
    return end;
}

static bool is_running(const struct cluster_pod *pod)
{
    return pod->node != NULL && jl_same(pod->value.status.phase, "Running");
}

/* The pod whose word counts: the one that was made last. */
static const struct cluster_pod *newest(const struct member *members, size_t count)
{
    const struct cluster_pod *found = members[0].pod;
    for (size_t i = 1; i < count; i++) {
        if (jl_compare(members[i].pod->value.meta.creation_timestamp,
                       found->value.meta.creation_timestamp) > 0)
            found = members[i].pod;
    }
    return found;
}

static uint64_t hash_of(const struct joulie_classify_input *in)
{
    const char *const texts[] = { in->workload_class,      in->reschedulable,
                                  in->cpu_sensitivity,     in->gpu_sensitivity,
                                  in->sim_cpu_util_pct,    in->sim_gpu_util_pct,
                                  in->sim_mem_pressure_pct };
    uint64_t hash = 0;
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        hash = hash * 31 + (texts[i] != NULL ? jl_hash(texts[i], strlen(texts[i])) : 0);
    return hash;
}

static bool is_due(const struct joulie_cluster *cluster, const struct cluster_workload *workload,
                   uint64_t hints, int64_t now_ms)
{
    return !workload->is_whole || workload->hints != hints ||
           jl_cluster_is_over(workload->measured_ms, now_ms,
                              ms_of(cluster->config.classifier.reclassify_s));
}

/* ---- the window ---- */

static int begin_decision(struct joulie_cluster *cluster, int64_t now_ms, bool is_asking,
                          struct joulie_error *err)
{
    struct classifier *classifier = &cluster->classifier;
    const int rc = jl_cluster_check_now(now_ms, err);
    if (rc < 0)
        return rc;
    classifier->round++;
    classifier->count = 0;
    classifier->reads = 0;
    classifier->member_count = 0;
    jl_arena_reset(&classifier->arena);
    return jl_cluster_group_pods(cluster, now_ms, is_asking) < 0 ? jl_fail_memory(err) : 0;
}

/* A pod whose workload is not known yet may belong to one that is due. */
static bool needs_window(const struct joulie_cluster *cluster, int64_t now_ms)
{
    const struct classifier *classifier = &cluster->classifier;
    for (size_t first = 0; first < classifier->member_count;) {
        const struct member *members = &classifier->members[first];
        const size_t end = end_of(classifier, first);
        const struct cluster_workload *workload =
            jl_cluster_find(&classifier->workloads, members->key);
        struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
        jl_classify_put_annotations(&newest(members, end - first)->value.meta.annotations, &in);
        if (workload == NULL || is_due(cluster, workload, hash_of(&in), now_ms)) {
            for (size_t i = first; i < end; i++) {
                if (is_running(classifier->members[i].pod))
                    return true;
            }
        }
        first = end;
    }
    return classifier->has_unread;
}

static size_t query_count(const struct joulie_cluster *cluster)
{
    return cluster->config.classifier.has_kepler ? JL_METEREDS : JL_METERED_PACKAGE_W;
}

int joulie_cluster_workloads_begin(struct joulie_cluster *cluster, int64_t now_ms,
                                   size_t *out_queries, struct joulie_error *err)
{
    struct classifier *classifier = &cluster->classifier;
    const int rc = begin_decision(cluster, now_ms, false, err);
    if (rc < 0)
        return rc;
    const size_t count = needs_window(cluster, now_ms) ? query_count(cluster) : 0;
    classifier->window++;
    classifier->asked = (UINT32_C(1) << count) - 1;
    classifier->answered = 0;
    *out_queries = count;
    return JOULIE_OK;
}

static int check_query(const struct joulie_cluster *cluster, size_t index, struct joulie_error *err)
{
    return index < JL_METEREDS && (cluster->classifier.asked >> index & 1) != 0
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, "index", "the window has no such query");
}

int joulie_cluster_workloads_query(struct joulie_cluster *cluster, size_t index,
                                   const char **out_word, const char **out_query,
                                   struct joulie_error *err)
{
    const int rc = check_query(cluster, index, err);
    if (rc < 0)
        return rc;
    const char *query = jl_metered_query(
        (enum jl_metered)index, cluster->config.classifier.window_s, &cluster->classifier.arena);
    if (query == NULL)
        return jl_fail_memory(err);
    *out_word = jl_metered_word((enum jl_metered)index);
    *out_query = query;
    return JOULIE_OK;
}

struct taking {
    struct joulie_cluster *cluster;
    enum jl_metered usage;
    bool is_failed;
};

static void take(void *user, const struct jl_metered_series *series)
{
    struct taking *taking = user;
    struct joulie_cluster *cluster = taking->cluster;
    void *found = NULL;
    if (jl_cluster_find_in(&cluster->store.pods, series->name_space, series->pod, &found) < 0) {
        taking->is_failed = true;
        return;
    }
    struct cluster_pod *pod = found;
    if (pod == NULL)
        return;
    if (pod->usage == NULL)
        pod->usage = jl_calloc(1, sizeof *pod->usage);
    if (pod->usage == NULL) {
        taking->is_failed = true;
        return;
    }
    if (pod->usage_window != cluster->classifier.window)
        *pod->usage = (struct jl_metered_window){ 0 };
    pod->usage_window = cluster->classifier.window;
    jl_metered_take(pod->usage, taking->usage, series);
}

/* What an answer before this one said of it, in part or whole. */
static void forget_usage(struct joulie_cluster *cluster, enum jl_metered usage)
{
    for (size_t i = 0; i < cluster->store.pods.capacity; i++) {
        struct cluster_pod *pod = jl_cluster_slot(&cluster->store.pods, i);
        if (pod == NULL || pod->usage == NULL || pod->usage_window != cluster->classifier.window)
            continue;
        pod->usage->ranks[usage] = 0;
        pod->usage->clashes[usage] = false;
    }
}

int joulie_cluster_workloads_reply(struct joulie_cluster *cluster, size_t index,
                                   int32_t http_status, const char *body, size_t len,
                                   struct joulie_error *err)
{
    struct taking taking = { .cluster = cluster, .usage = (enum jl_metered)index };
    int rc = check_query(cluster, index, err);
    if (rc < 0)
        return rc;
    cluster->classifier.answered &= ~(UINT32_C(1) << index);
    forget_usage(cluster, taking.usage);
    rc = jl_metered_read(http_status, (struct jl_text){ body, len }, take, &taking, err);
    if (rc < 0)
        return rc;
    if (taking.is_failed)
        return jl_fail_memory(err);
    cluster->classifier.answered |= UINT32_C(1) << index;
    return JOULIE_OK;
}

/* ---- one workload ---- */

static bool has_window(const struct classifier *classifier)
{
    return classifier->asked != 0 && classifier->answered == classifier->asked;
}

static void add_pod(const struct joulie_cluster *cluster, const struct cluster_pod *pod,
                    struct jl_metered_sum *sum)
{
    struct joulie_work request = JOULIE_INIT(struct joulie_work);
    struct joulie_work offer = JOULIE_INIT(struct joulie_work);
    const bool is_measured = pod->usage != NULL && pod->usage_window == cluster->classifier.window;
    jl_pod_request(&pod->value, &request);
    jl_node_offer(&pod->node->value, &offer);
    const struct jl_metered_pod measured = {
        .window = is_measured ? pod->usage : NULL,
        .pod = &pod->value,
        .node_cores = offer.cpu_cores,
        .gpu_max_w = pod->node->hardware.gpu_max_w,
        .gpu_count = request.gpu_count,
    };
    jl_metered_add(sum, &measured);
}

static void put_settings(const struct jl_classifier_config *config,
                         struct joulie_classify_input *out)
{
    out->has |= JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE | JOULIE_CLASSIFY_HAS_HYSTERESIS;
    out->min_confidence = config->min_confidence;
    out->hysteresis_pct = config->hysteresis_pct;
    out->derive_class = config->derive_class;
    out->use_sim_texts = config->use_sim_texts;
}

/* What is known of a workload now: hints, and the window of its pods that run. */
struct evidence {
    struct joulie_classify_input in;
    struct jl_metered_sum sum;
    bool is_measured; /* there is a window, and pods that it is about */
};

static void gather(const struct joulie_cluster *cluster, const struct member *members, size_t count,
                   struct evidence *out)
{
    const struct jl_classifier_config *config = &cluster->config.classifier;
    *out = (struct evidence){ .in = JOULIE_INIT(struct joulie_classify_input),
                              .sum = { .window_s = config->window_s } };
    put_settings(config, &out->in);
    jl_classify_put_annotations(&newest(members, count)->value.meta.annotations, &out->in);
    if (!has_window(&cluster->classifier))
        return;
    for (size_t i = 0; i < count; i++) {
        if (is_running(members[i].pod))
            add_pod(cluster, members[i].pod, &out->sum);
    }
    out->is_measured = out->sum.pods > 0;
    if (out->is_measured)
        jl_metered_put(&out->sum, &out->in);
}

/* The part of the window that is there; 1 = all of it. */
static bool is_partial(const struct evidence *evidence, const struct jl_classification *result)
{
    return (result->flags & JOULIE_CLASSIFY_HINTS_ONLY) != 0 || evidence->sum.is_gpu_missing ||
           (evidence->is_measured && evidence->in.coverage_frac < 1);
}

static struct jl_keep_case case_of(const struct joulie_cluster *cluster,
                                   struct cluster_workload *workload,
                                   const struct jl_profile_status *stored, int64_t now_ms)
{
    const struct jl_classifier_config *config = &cluster->config.classifier;
    struct jl_keep_case out = {
        .stored = stored,
        .min_confidence = jl_max(config->min_confidence, JL_PROFILE_MIN_CONFIDENCE),
        .fall_ms = ms_of(config->reclassify_s),
        .hold_ms = ms_of(config->hold_s),
        .refresh_ms = REFRESH_MS,
    };
    const char *updated = stored != NULL ? stored->last_updated : NULL;
    int64_t updated_ms = 0;
    if (updated == NULL || jl_parse_time(updated, strlen(updated), &updated_ms) < 0)
        return out;
    jl_stamp_see(&workload->updated, updated_ms, &cluster->wall);
    out.has_age = true;
    out.age_ms = now_ms > workload->updated.at_ms ? now_ms - workload->updated.at_ms : 0;
    return out;
}

/* The profile of that name, if it is ours and about that workload; *is_foreign: somebody else
 * speaks for it. 0 or JOULIE_E_NOMEM. */
static int find_stored(const struct joulie_cluster *cluster, const struct member *owner,
                       const char *name, const struct jl_workload_profile **out, bool *is_foreign)
{
    void *found = NULL;
    const struct cluster_subject *subject = jl_cluster_find(&cluster->store.subjects, owner->key);
    const int rc = jl_cluster_find_in(&cluster->store.profiles, owner->pod->value.meta.name_space,
                                      name, &found);
    *out = NULL;
    *is_foreign = false;
    for (const struct cluster_profile *profile = subject != NULL ? subject->profiles : NULL;
         profile != NULL; profile = profile->next)
        *is_foreign |= !jl_cluster_is_own_profile(&profile->value);
    if (found == NULL)
        return rc;
    const struct cluster_profile *profile = found;
    const struct jl_workload_ref *ref = &profile->value.spec.workload_ref;
    *is_foreign |= !jl_cluster_is_own_profile(&profile->value) ||
                   !jl_same(ref->kind, owner->kind) || !jl_same(ref->name, owner->name);
    *out = &profile->value;
    return 0;
}

static int decide_workload(struct joulie_cluster *cluster, const struct member *members,
                           size_t count, int64_t now_ms, struct joulie_cluster_workloads *counts)
{
    struct classifier *classifier = &cluster->classifier;
    struct jl_arena *arena = &classifier->arena;
    struct cluster_workload *workload = workload_of(cluster, members->key);
    const char *name =
        jl_profile_name(arena, members->kind, members->pod->value.meta.name_space, members->name);
    const struct jl_workload_profile *stored = NULL;
    bool is_foreign = false;
    if (workload == NULL || name == NULL ||
        find_stored(cluster, members, name, &stored, &is_foreign) < 0)
        return JOULIE_E_NOMEM;
    workload->round = classifier->round;
    workload->gone_ms = NEVER_MS;
    workload->is_gone = false;
    counts->workloads++;
    counts->foreign += is_foreign;
    if (is_foreign)
        return 0;
    struct evidence evidence;
    struct jl_classification result;
    struct jl_profile_status status;
    gather(cluster, members, count, &evidence);
    const uint64_t hints = hash_of(&evidence.in);
    const struct jl_profile_status *before =
        stored != NULL && JL_HAS(stored, JL_ROOT_STATUS) ? &stored->status : NULL;
    if (before != NULL)
        jl_classify_put_previous(before, &evidence.in);
    const bool is_reliable =
        before != NULL && before->confidence >= cluster->config.classifier.min_confidence;
    counts->reliable += is_reliable;
    if (!is_due(cluster, workload, hints, now_ms))
        return jl_cluster_offer_profile(cluster, members, stored, name, NULL,
                                        "its owner or its node is another one");
    const int64_t wall_ms = jl_wall_at(&cluster->wall, now_ms);
    int rc = jl_classify(&evidence.in, &wall_ms, arena, &result, NULL);
    if (rc == JOULIE_E_RANGE) { /* numbers that no machine has are none */
        evidence.in.has &= ~(JOULIE_CLASSIFY_HAS_METRICS | (JOULIE_CLASSIFY_HAS_METRICS - 1));
        evidence.is_measured = false;
        rc = jl_classify(&evidence.in, &wall_ms, arena, &result, NULL);
    }
    if (rc < 0)
        return JOULIE_E_NOMEM;
    struct jl_keep_case keep = case_of(cluster, workload, before, now_ms);
    keep.in = &evidence.in;
    keep.fresh = &result.status;
    keep.is_partial = is_partial(&evidence, &result);
    counts->measured += !keep.is_partial;
    const bool is_new = jl_keep(&keep, &status);
    const bool is_whole = evidence.is_measured && !keep.is_partial;
    workload->is_whole = is_whole && !is_new; /* else it is when it is stored */
    workload->is_whole_when_stored = is_whole;
    workload->hints = hints;
    if (is_whole)
        workload->measured_ms = now_ms;
    return jl_cluster_offer_profile(cluster, members, stored, name, is_new ? &status : NULL,
                                    JL_GIVEN_OR(&status, classification_reason, ""));
}

/* ---- profiles whose workload is gone ---- */

static int compare_profiles(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare((*(struct cluster_profile *const *)a)->key,
                      (*(struct cluster_profile *const *)b)->key);
}

static int decide_lonely(struct joulie_cluster *cluster, const struct jl_workload_profile *profile,
                         int64_t now_ms)
{
    struct classifier *classifier = &cluster->classifier;
    const struct jl_workload_ref *ref = &profile->spec.workload_ref;
    const int64_t grace_ms = ms_of(cluster->config.classifier.grace_s);
    const char *api_version = NULL;
    const char *plural = NULL;
    if (!jl_profile_speaks(profile) || jl_is_empty(ref->kind) || jl_is_empty(ref->name))
        return 0;
    const char *key =
        jl_cluster_key(&classifier->arena, profile->meta.name_space, ref->kind, jl_text(ref->name));
    struct cluster_workload *workload = key != NULL ? workload_of(cluster, key) : NULL;
    if (workload == NULL)
        return JOULIE_E_NOMEM;
    if (workload->round == classifier->round)
        return 0;
    workload->is_whole = false;
    if (workload->gone_ms == NEVER_MS || workload->gone_ms > now_ms)
        workload->gone_ms = now_ms;
    if (workload->is_gone)
        return jl_cluster_offer_removal(cluster, profile);
    const int64_t again_ms = grace_ms > LOOK_AGAIN_MS ? grace_ms : LOOK_AGAIN_MS;
    if (now_ms - workload->gone_ms < grace_ms ||
        !jl_cluster_is_over(workload->asked_ms, now_ms, again_ms) ||
        !jl_cluster_kind_of_owner(ref->kind, &api_version, &plural))
        return 0;
    const struct workload_action read = {
        .kind = ref->kind,
        .name_space = profile->meta.name_space,
        .name = ref->name,
        .reason = "whether the workload of a profile is gone",
        .workload = key,
    };
    return jl_cluster_offer_read(cluster, &read);
}

static int decide_profiles(struct joulie_cluster *cluster, int64_t now_ms,
                           struct joulie_cluster_workloads *counts)
{
    const struct jl_index *profiles = &cluster->store.profiles;
    size_t count = 0;
    struct cluster_profile **own =
        JL_NEW_ARRAY(&cluster->classifier.arena, profiles->count + 1, struct cluster_profile *);
    if (own == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < profiles->capacity; i++) {
        struct cluster_profile *profile = jl_cluster_slot(profiles, i);
        if (profile != NULL && jl_cluster_is_own_profile(&profile->value) &&
            jl_is_empty(profile->value.meta.deletion_timestamp))
            own[count++] = profile;
    }
    counts->profiles = count;
    int rc = jl_sort(own, count, sizeof *own, compare_profiles, NULL);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = decide_lonely(cluster, &own[i]->value, now_ms);
    return rc;
}

/* Those without pods and without a profile. */
static void forget_workloads(struct joulie_cluster *cluster)
{
    struct classifier *classifier = &cluster->classifier;
    for (size_t i = 0; i < classifier->workloads.capacity; i++) {
        struct cluster_workload *workload = jl_cluster_slot(&classifier->workloads, i);
        if (workload == NULL || workload->round == classifier->round ||
            jl_cluster_find(&cluster->store.subjects, workload->key) != NULL)
            continue;
        jl_index_remove(&classifier->workloads, workload->key);
        jl_cluster_item_free(workload);
    }
}

/* What is asked for is not asked for again at once. */
static void note_reads(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct classifier *classifier = &cluster->classifier;
    for (size_t i = 0; i < classifier->count; i++) {
        const struct workload_action *action = &classifier->actions[i];
        if (action->verb != JOULIE_ACTION_READ)
            continue;
        struct cluster_owner *owner = jl_cluster_find(&classifier->owners, action->owner);
        struct cluster_workload *workload =
            jl_cluster_find(&classifier->workloads, action->workload);
        if (owner != NULL)
            owner->asked_ms = now_ms;
        if (workload != NULL)
            workload->asked_ms = now_ms;
    }
}

/* Of a decision that was not made. */
static void forget_decision(struct classifier *classifier)
{
    classifier->count = 0;
    for (size_t i = 0; i < classifier->workloads.capacity; i++) {
        struct cluster_workload *workload = jl_cluster_slot(&classifier->workloads, i);
        if (workload != NULL)
            workload->is_whole = false;
    }
}

int joulie_cluster_workloads_decide(struct joulie_cluster *cluster, int64_t now_ms,
                                    struct joulie_cluster_workloads *out, struct joulie_error *err)
{
    struct classifier *classifier = &cluster->classifier;
    struct joulie_cluster_workloads counts = JOULIE_INIT(struct joulie_cluster_workloads);
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    int rc = begin_decision(cluster, now_ms, true, err);
    if (rc < 0) {
        forget_decision(classifier);
        return rc;
    }
    for (size_t first = 0; first < classifier->member_count && rc == 0;) {
        const size_t end = end_of(classifier, first);
        rc = decide_workload(cluster, &classifier->members[first], end - first, now_ms, &counts);
        first = end;
    }
    if (rc == 0)
        rc = decide_profiles(cluster, now_ms, &counts);
    if (rc < 0) {
        forget_decision(classifier);
        return jl_fail_memory(err);
    }
    note_reads(cluster, now_ms);
    forget_workloads(cluster);
    counts.actions = classifier->count;
    jl_sized_write(out, &counts, sizeof counts);
    return JOULIE_OK;
}
