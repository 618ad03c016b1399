/* SPDX-License-Identifier: Apache-2.0 */

/* Advice to move workloads off a stressed or draining node
 * (docs/rules/twin.md#rescheduling-advice). Called by compose.c. */

#include <joulie/error.h>

#include "base/number.h"
#include "base/sort.h"
#include "schema/copy.h"
#include "twin/twin.h"

static const char draining_reason[] = "node is draining; workload eligible for rescheduling";
static const char twin_reason[] =
    "node under thermal/power stress, workload is reschedulable standard";

static bool is_stressed(const struct jl_advice_case *in)
{
    return (in->has_cooling && in->cooling_stress > JL_STRESS_THRESHOLD) ||
           (in->has_psu && in->psu_stress > JL_STRESS_THRESHOLD);
}

static bool is_reschedulable(const struct jl_workload_profile *profile)
{
    const struct jl_profile_migratability *migratability = &profile->status.migratability;
    return migratability->given.reschedulable && migratability->reschedulable;
}

static enum jl_criticality class_of(const struct jl_workload_profile *profile)
{
    return profile->status.criticality.class_;
}

static const char *score_text(bool has_score, double score, char text[JL_DOUBLE_TEXT])
{
    if (!has_score)
        return "unknown";
    jl_format_fixed(score, 0, text);
    return text;
}

static const char *stress_reason(const struct jl_advice_case *in, struct jl_arena *arena)
{
    char cooling[JL_DOUBLE_TEXT];
    char psu[JL_DOUBLE_TEXT];
    return JL_JOIN(
        arena,
        "node under stress (cooling=", score_text(in->has_cooling, in->cooling_stress, cooling),
        " psu=", score_text(in->has_psu, in->psu_stress, psu), "); workload is reschedulable");
}

/* NULL when the arena is out of room. */
static const char *migration_reason(const struct jl_advice_case *in, struct jl_arena *arena)
{
    return in->is_draining ? draining_reason : stress_reason(in, arena);
}

/* The profile's own workload; a namespace that it leaves out is the profile's. */
static struct jl_workload_ref target_of(const struct jl_workload_profile *profile)
{
    struct jl_workload_ref ref = profile->spec.workload_ref;
    if (jl_is_empty(ref.name_space) && profile->meta.name_space != NULL)
        JL_SET(&ref, name_space, profile->meta.name_space);
    return ref;
}

/* A profile without a workload gives nothing that one could act on. */
static bool is_advised(const struct jl_advice_case *in, const struct jl_workload_profile *profile)
{
    return is_reschedulable(profile) && !jl_is_empty(profile->spec.workload_ref.name) &&
           (in->is_draining || class_of(profile) != JL_CRITICALITY_PERFORMANCE);
}

static int compare_targets(const void *a, const void *b, void *user)
{
    (void)user;
    const struct jl_workload_ref *left = &((const struct jl_reschedule_advice *)a)->workload_ref;
    const struct jl_workload_ref *right = &((const struct jl_reschedule_advice *)b)->workload_ref;
    const int order = jl_compare(left->name_space, right->name_space);
    return order != 0 ? order : jl_compare(left->name, right->name);
}

static void add(struct jl_list *list, const struct jl_workload_ref *ref, const char *reason)
{
    struct jl_reschedule_advice *advice = JL_ITEM(*list, jl_reschedule_advice, list->count++);
    *advice = (struct jl_reschedule_advice){ 0 };
    JL_SET(advice, workload_ref, *ref);
    JL_SET(advice, reason, reason);
}

int jl_reschedule_advice(const struct jl_advice_case *in, struct jl_arena *arena,
                         struct jl_list *out)
{
    *out = (struct jl_list){ 0 };
    if (in->profile_count == 0 || !(in->is_draining || is_stressed(in)))
        return 0;
    const char *reason = migration_reason(in, arena);
    out->items = JL_NEW_ARRAY(arena, in->profile_count, struct jl_reschedule_advice);
    struct jl_reschedule_advice *scratch =
        JL_NEW_ARRAY(arena, in->profile_count, struct jl_reschedule_advice);
    if (reason == NULL || out->items == NULL || scratch == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < in->profile_count; i++) {
        if (!is_advised(in, in->profiles[i]))
            continue;
        const struct jl_workload_ref ref = target_of(in->profiles[i]);
        struct jl_workload_ref copy; /* the advice outlives the profile */
        if (jl_copy(arena, &jl_workload_ref_table, &ref, &copy) < 0)
            return JOULIE_E_NOMEM;
        add(out, &copy, reason);
    }
    jl_sort_with(out->items, out->count, sizeof *scratch, compare_targets, NULL, scratch);
    return 0;
}

/* Two generators, one after the other; neither names the workload that it is about. */
int jl_reschedule_advice_v0_1_0(const struct jl_advice_case *in, struct jl_arena *arena,
                                struct jl_list *out)
{
    static const struct jl_workload_ref no_workload = { 0 };
    struct jl_workload_ref placeholder = { 0 };
    JL_SET(&placeholder, kind, "Pod");
    JL_SET(&placeholder, name_space, "default");
    JL_SET(&placeholder, name, "unknown");

    *out = (struct jl_list){ 0 };
    if (in->profile_count == 0 || !(in->is_draining || is_stressed(in)))
        return 0;
    const char *reason = migration_reason(in, arena);
    out->items = JL_NEW_ARRAY(arena, 2 * in->profile_count, struct jl_reschedule_advice);
    if (reason == NULL || out->items == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < in->profile_count && !in->is_draining; i++) {
        const struct jl_workload_profile *profile = in->profiles[i];
        if (is_reschedulable(profile) && class_of(profile) == JL_CRITICALITY_STANDARD)
            add(out, &no_workload, twin_reason);
    }
    for (size_t i = 0; i < in->profile_count; i++) {
        if (is_reschedulable(in->profiles[i]))
            add(out, &placeholder, reason);
    }
    return 0;
}
