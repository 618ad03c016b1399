/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What annotations and profiles say about a pod, by one rule for operator, extender, classifier and
 * command line (docs/rules/classification.md#matching-profiles,
 * docs/rules/objects.md#annotations-and-labels).
 */

#include "kinds/pod.h"
#include "kinds/workload_profile.h"

enum jl_class_text {
    JL_CLASS_TEXT_UNSET,
    JL_CLASS_TEXT_PERFORMANCE,
    JL_CLASS_TEXT_STANDARD,
    JL_CLASS_TEXT_INVALID
};

/* Trimmed, ASCII case-insensitive; NULL or blank = unset. */
enum jl_class_text jl_class_text(const char *annotation);
/* high medium low; JOULIE_LEVEL_UNKNOWN when unset, is_invalid tells apart. */
enum joulie_level jl_sensitivity_text(const char *annotation, bool *is_invalid);
/* 1 true, 0 false, -1 unset or invalid. */
int jl_reschedulable_text(const char *annotation, bool *is_invalid);

/* Of those annotations that have a list of words: the next one from *at on that has another word,
 * or NULL; *out_word is that one, trimmed. */
const char *jl_annotation_unread(const struct jl_map *annotations, size_t *at,
                                 struct jl_text *out_word);

#define JL_ANNOTATION_CLASS "joulie.io/workload-class"
#define JL_ANNOTATION_RESCHEDULABLE "joulie.io/reschedulable"
#define JL_ANNOTATION_CPU_SENSITIVITY "joulie.io/cpu-sensitivity"
#define JL_ANNOTATION_GPU_SENSITIVITY "joulie.io/gpu-sensitivity"
/* On a Node, "true": spec and label stay as they are, its status goes on. */
#define JL_ANNOTATION_PAUSED "joulie.io/paused"
#define JL_LABEL_POWER_PROFILE "joulie.io/power-profile"
#define JL_LABEL_MANAGED "joulie.io/managed"
#define JL_LABEL_RESERVED "joulie.io/reserved"
#define JL_LABEL_RACK "joulie.io/rack"
#define JL_LABEL_ZONE "joulie.io/cooling-zone"

#define JL_PROFILE_MIN_CONFIDENCE 0.5
#define JL_PROFILE_MAX_AGE_MS (INT64_C(24) * 3600 * 1000)

/* What a profile's workloadRef has to say to match a pod; an empty name matches nothing. */
struct jl_match_target {
    const char *kind;
    struct jl_text name;
};

/* The owner that manages the object, if it is named; or NULL. */
const struct jl_owner *jl_controller_of(const struct jl_meta *meta);

#define JL_MATCH_TARGETS 3

/* The steps of matching in order, the first hit wins. Returns their number; texts are the pod's. */
size_t jl_match_targets(const struct jl_pod *pod, struct jl_match_target out[JL_MATCH_TARGETS]);
/* Whether a profile speaks for pods of its own namespace, as it must to match one. */
bool jl_profile_speaks(const struct jl_workload_profile *profile);

/* The profile that matches a pod (same namespace, first hit wins), or NULL; no gate. */
const struct jl_workload_profile *
jl_profile_match(const struct jl_pod *pod, const struct jl_workload_profile *const *profiles,
                 size_t count);
/* Whether a profile may be used: confidence >= 0.5, and lastUpdated is a time at most 24 h before
 * now. */
bool jl_profile_is_usable(const struct jl_workload_profile *profile, int64_t now_ms);
