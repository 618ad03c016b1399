/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What annotations and profiles say about a pod (docs/rules/classification.md#matching-profiles).
 */

#include "kinds/effective.h"

#include <string.h>

#include "base/time.h"

#define LABEL_TEMPLATE_HASH "pod-template-hash"

static struct jl_text trimmed(const char *annotation)
{
    return jl_text_trim(jl_text(annotation));
}

enum jl_class_text jl_class_text(const char *annotation)
{
    const struct jl_text text = trimmed(annotation);
    if (text.len == 0)
        return JL_CLASS_TEXT_UNSET;
    if (jl_same_nocase(text, "performance"))
        return JL_CLASS_TEXT_PERFORMANCE;
    if (jl_same_nocase(text, "standard"))
        return JL_CLASS_TEXT_STANDARD;
    return JL_CLASS_TEXT_INVALID;
}

enum joulie_level jl_sensitivity_text(const char *annotation, bool *is_invalid)
{
    static const struct {
        const char *word;
        enum joulie_level level;
    } levels[] = { { "high", JOULIE_LEVEL_HIGH },
                   { "medium", JOULIE_LEVEL_MEDIUM },
                   { "low", JOULIE_LEVEL_LOW } };

    const struct jl_text text = trimmed(annotation);
    *is_invalid = false;
    for (size_t i = 0; i < JL_COUNT(levels); i++) {
        if (jl_same_nocase(text, levels[i].word))
            return levels[i].level;
    }
    *is_invalid = text.len > 0;
    return JOULIE_LEVEL_UNKNOWN;
}

int jl_reschedulable_text(const char *annotation, bool *is_invalid)
{
    const struct jl_text text = trimmed(annotation);
    *is_invalid = false;
    if (jl_same_nocase(text, "true"))
        return 1;
    if (jl_same_nocase(text, "false"))
        return 0;
    *is_invalid = text.len > 0;
    return -1;
}

static bool is_bad_class(const char *annotation)
{
    return jl_class_text(annotation) == JL_CLASS_TEXT_INVALID;
}

static bool is_bad_sensitivity(const char *annotation)
{
    bool is_invalid;
    jl_sensitivity_text(annotation, &is_invalid);
    return is_invalid;
}

static bool is_bad_reschedulable(const char *annotation)
{
    bool is_invalid;
    jl_reschedulable_text(annotation, &is_invalid);
    return is_invalid;
}

const char *jl_annotation_unread(const struct jl_map *annotations, size_t *at,
                                 struct jl_text *out_word)
{
    static const struct {
        const char *key;
        bool (*is_bad)(const char *annotation);
    } read[] = {
        { JL_ANNOTATION_CLASS, is_bad_class },
        { JL_ANNOTATION_RESCHEDULABLE, is_bad_reschedulable },
        { JL_ANNOTATION_CPU_SENSITIVITY, is_bad_sensitivity },
        { JL_ANNOTATION_GPU_SENSITIVITY, is_bad_sensitivity },
    };

    while (*at < JL_COUNT(read)) {
        const size_t i = (*at)++;
        const char *annotation = jl_map_get(annotations, read[i].key);
        *out_word = trimmed(annotation);
        if (annotation && read[i].is_bad(annotation))
            return read[i].key;
    }
    return NULL;
}

const struct jl_owner *jl_controller_of(const struct jl_meta *meta)
{
    for (size_t i = 0; i < meta->owners.count; i++) {
        const struct jl_owner *owner = JL_ITEM(meta->owners, jl_owner, i);
        if (owner->is_controller && owner->kind != NULL && owner->name != NULL)
            return owner;
    }
    return NULL;
}

/* The name before its last '-' part; empty when there is none. */
static struct jl_text before_last_part(struct jl_text name)
{
    for (size_t i = name.len; i > 0; i--) {
        if (name.ptr[i - 1] == '-')
            return (struct jl_text){ name.ptr, i - 1 };
    }
    return (struct jl_text){ name.ptr, 0 };
}

static struct jl_text deployment_name(const struct jl_pod *pod, struct jl_text replica_set)
{
    const struct jl_text hash = jl_text(jl_label(&pod->meta, LABEL_TEMPLATE_HASH));
    if (hash.len == 0)
        return before_last_part(replica_set);
    if (replica_set.len <= hash.len + 1)
        return (struct jl_text){ replica_set.ptr, 0 };
    const size_t kept = replica_set.len - hash.len;
    if (replica_set.ptr[kept - 1] != '-' || memcmp(replica_set.ptr + kept, hash.ptr, hash.len) != 0)
        return (struct jl_text){ replica_set.ptr, 0 };
    return (struct jl_text){ replica_set.ptr, kept - 1 };
}

static struct jl_text cron_job_name(struct jl_text job)
{
    const struct jl_text name = before_last_part(job);
    const size_t first_digit = name.len + 1;
    if (name.len == 0 || first_digit >= job.len)
        return (struct jl_text){ job.ptr, 0 };
    for (size_t i = first_digit; i < job.len; i++) {
        if (!jl_is_digit(job.ptr[i]))
            return (struct jl_text){ job.ptr, 0 };
    }
    return name;
}

size_t jl_match_targets(const struct jl_pod *pod, struct jl_match_target out[JL_MATCH_TARGETS])
{
    size_t count = 0;
    const struct jl_owner *controller = jl_controller_of(&pod->meta);
    out[count++] = (struct jl_match_target){ "Pod", jl_text(pod->meta.name) };
    if (controller == NULL)
        return count;
    const struct jl_text owner = jl_text(controller->name);
    out[count++] = (struct jl_match_target){ controller->kind, owner };
    if (jl_same(controller->kind, "ReplicaSet"))
        out[count++] = (struct jl_match_target){ "Deployment", deployment_name(pod, owner) };
    else if (jl_same(controller->kind, "Job"))
        out[count++] = (struct jl_match_target){ "CronJob", cron_job_name(owner) };
    return count;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* A reference into another namespace than the profile's own matches nothing. */
bool jl_profile_speaks(const struct jl_workload_profile *profile)
{
    const char *referenced = profile->spec.workload_ref.name_space;
    return jl_is_empty(referenced) || jl_same(referenced, text_or_empty(profile->meta.name_space));
}

static bool is_namespace_of(const struct jl_workload_profile *profile, const char *name_space)
{
    return jl_same(text_or_empty(profile->meta.name_space), name_space) &&
           jl_profile_speaks(profile);
}

static bool is_reference_to(const struct jl_workload_profile *profile,
                            const struct jl_match_target *target)
{
    const struct jl_workload_ref *ref = &profile->spec.workload_ref;
    return target->name.len > 0 && jl_same(ref->kind, target->kind) && ref->name != NULL &&
           jl_text_is(target->name, ref->name);
}

const struct jl_workload_profile *
jl_profile_match(const struct jl_pod *pod, const struct jl_workload_profile *const *profiles,
                 size_t count)
{
    struct jl_match_target targets[JL_MATCH_TARGETS];
    const size_t steps = jl_match_targets(pod, targets);
    const char *name_space = text_or_empty(pod->meta.name_space);
    for (size_t step = 0; step < steps; step++) {
        const struct jl_workload_profile *found = NULL;
        for (size_t i = 0; i < count; i++) {
            if (!is_namespace_of(profiles[i], name_space) ||
                !is_reference_to(profiles[i], &targets[step]))
                continue;
            if (found == NULL || jl_compare(profiles[i]->meta.name, found->meta.name) < 0)
                found = profiles[i];
        }
        if (found != NULL)
            return found;
    }
    return NULL;
}

bool jl_profile_is_usable(const struct jl_workload_profile *profile, int64_t now_ms)
{
    const struct jl_profile_status *status = &profile->status;
    const char *updated = status->last_updated;
    int64_t updated_ms = 0;
    if (!status->given.confidence || status->confidence < JL_PROFILE_MIN_CONFIDENCE)
        return false;
    if (updated == NULL || jl_parse_time(updated, strlen(updated), &updated_ms) != 0)
        return false;
    return now_ms - updated_ms <= JL_PROFILE_MAX_AGE_MS;
}
