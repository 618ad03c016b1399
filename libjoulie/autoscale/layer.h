/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the limits and the requests layer answer for one resource
 * (docs/rules/autoscaling.md#limits-layer, docs/rules/autoscaling.md#requests-layer). Amounts are
 * TFLOPS or bytes, as the input's usage says. */

#include <stdbool.h>

#include "autoscale/amounts.h"
#include "base/words.h"

/* ---- reasons: why a layer answered as it did, and the words of conditions; one closed set
 * (docs/rules/autoscaling.md#reasons) and the words of the source's own conditions ---- */

/* X(name, word); the last four are of v2.17.1 and v1.45.0 only. */
#define JL_REASONS(X)                                     \
    X(LOW_CONFIDENCE, "LowConfidence")                    \
    X(NO_METRICS, "NoMetrics")                            \
    X(MISSING_METRICS, "MissingMetrics")                  \
    X(WITHIN_IGNORED_RANGE, "WithinIgnoredRange")         \
    X(WITHIN_BOUNDS, "WithinBounds")                      \
    X(WITHIN_TOLERANCE, "WithinTolerance")                \
    X(AT_MINIMUM, "AtMinimum")                            \
    X(AT_MAXIMUM, "AtMaximum")                            \
    X(SCALED_UP, "ScaledUp")                              \
    X(SCALED_DOWN, "ScaledDown")                          \
    X(UPDATED, "Updated")                                 \
    X(SATURATED, "Saturated")                             \
    X(ABOVE_TARGET, "AboveTarget")                        \
    X(BELOW_TARGET, "BelowTarget")                        \
    X(COOL_DOWN_UP, "CoolDownUp")                         \
    X(COOL_DOWN_DOWN, "CoolDownDown")                     \
    X(STABILIZING, "Stabilizing")                         \
    X(REPLICAS_IGNORED, "ReplicasIgnored")                \
    X(CAPPED, "Capped")                                   \
    X(INVALID_FIELD, "InvalidField")                      \
    X(UNKNOWN_PREDICTION_MODEL, "UnknownPredictionModel") \
    X(CRON_ACTIVE, "CronActive")                          \
    X(CRON_INACTIVE, "CronInactive")                      \
    X(OVERLAPPING_CRON_RULES, "OverlappingCronRules")     \
    X(NEVER_FIRES, "NeverFires")                          \
    X(LIMITS_FIRST, "LimitsFirst")                        \
    X(REQUESTS_IGNORED, "RequestsIgnored")                \
    X(OWNER_MANAGED, "OwnerManaged")                      \
    X(CLOCK_WENT_BACK, "ClockWentBack")                   \
    X(NOT_REPRESENTABLE, "NotRepresentable")              \
    X(STALE_ANNOTATION, "StaleAnnotation")                \
    X(MIXED_DIALECT, "MixedDialect")                      \
    X(NEEDS_GPU_MODEL, "NeedsGpuModel")                   \
    X(AMBIGUOUS_GPU_MODEL, "AmbiguousGpuModel")           \
    X(EXTERNAL_SCALER, "ExternalScaler")                  \
    X(EXTERNAL_SCALER_FAILED, "ExternalScalerFailed")     \
    X(INSUFFICIENT_CAPACITY, "InsufficientCapacity")      \
    X(ROLLED_BACK, "RolledBack")                          \
    X(DRIFTED, "Drifted")                                 \
    X(INSIDE_UPDATE_THRESHOLD, "InsideUpdateThreshold")   \
    X(NO_SCALING_NEEDED, "NoScalingNeeded")               \
    X(RULE_ACTIVE, "RuleActive")                          \
    X(RULE_INACTIVE, "RuleInactive")

#define JL_REASON_MEMBER(name, word) JL_REASON_##name,

enum jl_scale_reason {
    JL_REASON_NONE, /* no reason: the word of a condition is absent */
    JL_REASONS(JL_REASON_MEMBER)
};

extern const struct jl_words jl_scale_reason_words;

/* ---- answers ---- */

/* Comparisons leave this much, relative, so that rounding noise decides nothing. */
#define JL_SCALE_SLACK 1e-9

struct jl_layer_result {
    bool has_target; /* target, lower and upper mean something: not after LowConfidence */
    double target;   /* before any clamp: F of the limits layer, T of the requests layer */
    double lower;    /* lo of the limits layer, lower of the requests layer */
    double upper;    /* hi (infinite without any bound), upper */
    double value;    /* the new amount, rounded up, or the current one */
    bool is_kept;    /* value is the current one: its text stays */
    enum jl_scale_reason reason;
    bool is_at_upper; /* limits layer: it ended at hi, so replicas may grow */
    bool has_limit;   /* requests layer: the limit that follows the request */
    double limit;
    bool is_limit_kept; /* limit is the one that was given: its text stays */
};
