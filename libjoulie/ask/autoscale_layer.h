/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Input and answer of autoscale.layer, whose source model has a file of its own. */

#include "ask/ask.h"
#include "autoscale/config.h"

#define JL_LARGEST_AMOUNT 9.2e18 /* TFLOPS or bytes: what a quantity holds */
#define JL_LONGEST_S 9e9         /* keeps nanoseconds inside an int64_t */

enum jl_layer_kind {
    JL_LAYER_LIMITS = 1,
    JL_LAYER_REQUESTS,
    JL_LAYER_PERCENTILE,
};

enum jl_usage_word { JL_USAGE_WORD_TFLOPS = 1, JL_USAGE_WORD_VRAM };

extern const struct jl_words jl_layer_words;
extern const struct jl_words jl_usage_words;

#ifdef JL_AUTOSCALE_LAYER_TABLES
#define RECORD_TABLES
#endif

#define AMOUNT NOT_NEGATIVE, AT_MOST(JL_LARGEST_AMOUNT)
#define FACTOR NOT_NEGATIVE, AT_MOST(1e6)
#define DURATION_S NOT_NEGATIVE, AT_MOST(JL_LONGEST_S)

/* Percentiles or estimates of one resource. */
#define RECORD jl_layer_bounds
#define MEMBERS                                 \
    NUMBER(lower, "lower", "Lower.", AMOUNT)    \
    NUMBER(target, "target", "Target.", AMOUNT) \
    NUMBER(upper, "upper", "Upper.", AMOUNT)
#include "schema/shared_record.h"

/* The same of both. */
#define RECORD jl_layer_both
#define MEMBERS                                          \
    OBJECT(tflops, "tflops", jl_layer_bounds, "TFLOPS.") \
    OBJECT(vram, "vram", jl_layer_bounds, "Bytes.")
#include "schema/shared_record.h"

/* Amounts as numbers; bits are enum jl_usage. */
#define RECORD jl_layer_side
#define MEMBERS                                 \
    NUMBER(tflops, "tflops", "TFLOPS.", AMOUNT) \
    NUMBER(vram, "vram", "Bytes.", AMOUNT)
#include "schema/shared_record.h"

#define RECORD jl_layer_resources
#define MEMBERS                                                \
    OBJECT(requests, "requests", jl_layer_side, "Guaranteed.") \
    OBJECT(limits, "limits", jl_layer_side, "At most.")
#include "schema/shared_record.h"

#define RECORD jl_layer_gpu
#define MEMBERS                                                                \
    OBJECT(available, "available", jl_layer_side, "What is not booked on it.") \
    LIST(own, "own", jl_layer_side, "Requests of the workload's own workers on it.")
#include "schema/shared_record.h"

#define RECORD jl_layer_in
#define MEMBERS                                                                                    \
    ENUM(layer, "layer", jl_layer_kind, jl_layer_words,                                            \
         "Which layer; percentile is the source's.", REQUIRED)                                     \
    ENUM(resource, "resource", jl_usage_word, jl_usage_words,                                      \
         "What is scaled; limits and requests need it.")                                           \
    RAW(current, "current",                                                                        \
        "Amount now, TFLOPS or bytes, 0 = none; percentile: the four amounts.")                    \
    NUMBER(forecast, "forecast", "Peak of the forecast.", AMOUNT)                                  \
    NUMBER(request, "request", "limits: the request.", AMOUNT)                                     \
    NUMBER(p99, "p99", "limits: 99th percentile of the decayed histogram.", AMOUNT)                \
    NUMBER(peak, "peak", "limits: largest sample of the last 60 s.", AMOUNT)                       \
    NUMBER(capacity, "capacity", "limits: capacity of one GPU.", AMOUNT)                           \
    NUMBER(floor, "floor", "limits: what the workers hold and cannot be taken from them (0).",     \
           AMOUNT)                                                                                 \
    NUMBER(buffer, "buffer", "limits: fraction added (0.2, VRAM 0.15).", FACTOR)                   \
    NUMBER(ignored, "ignored", "limits: relative band in which nothing changes (0.05).", FACTOR)   \
    NUMBER(step, "step", "limits: growth multiplier at the limit (2).", FACTOR)                    \
    NUMBER(max_ratio, "maxRatio", "limits: limit over request, at most (5).", FACTOR)              \
    BOOLEAN(throttled, "throttled", "limits: whether throttling was seen.")                        \
    BOOLEAN(oom_killed, "oomKilled",                                                               \
            "limits: whether a worker was killed for the memory of its GPU.")                      \
    BOOLEAN(oom_answered, "oomAnswered", "limits: whether the limit was raised for that already.") \
    INTEGER(samples, "samples", "limits: samples in the window; absent = enough.", NOT_NEGATIVE)   \
    NUMBER(evaluation_period_s, "evaluationPeriodS", "limits: period of the evaluations, s (10).", \
           AT_LEAST(1e-9), AT_MOST(JL_LONGEST_S))                                                  \
    RAW(original, "original",                                                                      \
        "Request of the spec, 0 = none; percentile: the four amounts of the spec (those of "       \
        "current).")                                                                               \
    NUMBER(confidence, "confidence", "requests, v1.45.0: days of samples (0).", AMOUNT)            \
    RAW(percentiles, "percentiles",                                                                \
        "requests: lower, target, upper of the histogram; percentile: the same for tflops and "    \
        "vram.")                                                                                   \
    NUMBER(multiplier, "multiplier", "requests: buffer as a factor (1.1).", FACTOR)                \
    RAW(max_allowed, "maxAllowed", "What a request may grow to; percentile: tflops and vram.")     \
    NUMBER(used, "used", "requests: largest VRAM usage of a worker now.", AMOUNT)                  \
    NUMBER(limit, "limit", "requests: the limit that is coupled to it.", AMOUNT)                   \
    BOOLEAN(limits_layer, "limitsLayer", "requests: whether the limits layer is on.")              \
    NUMBER(margin, "margin", "percentile: fraction added (0.15).", FACTOR)                         \
    STRING(qos, "qos", "percentile: low, medium, high, critical.")                                 \
    LIST(gpus, "gpus", jl_layer_gpu, "percentile: GPUs of the workers, in place of maxAllowed.")   \
    NUMBER(age_s, "ageS", "percentile: age of the workload, s; absent = enough.", DURATION_S)      \
    NUMBER(initial_delay_s, "initialDelayS", "percentile: age that is enough, s (1800).",          \
           DURATION_S)                                                                             \
    RAW(estimates, "estimates", "percentile: finished estimates, in place of percentiles.")
#include "schema/shared_record.h"

#define RECORD jl_layer_out
#define MEMBERS                                                                      \
    NUMBER(target, "target", "Amount before clamps, TFLOPS or bytes.")               \
    NUMBER(lower, "lower", "Lower bound.")                                           \
    NUMBER(upper, "upper", "Upper bound; absent = none.")                            \
    NUMBER(value, "value", "Amount after all.")                                      \
    STRING(text, "text", "The same as a quantity; absent when kept.")                \
    ENUM(reason, "reason", jl_scale_reason, jl_scale_reason_words, "What decided.")  \
    NUMBER(limit, "limit", "Limit that follows the request.")                        \
    STRING(limit_text, "limitText", "The same as a quantity; absent when kept.")     \
    OBJECT(estimates, "estimates", jl_layer_both, "Whole TFLOPS and bytes.")         \
    OBJECT(max_allowed, "maxAllowed", jl_layer_side, "What a request may grow to.")  \
    OBJECT(resources, "resources", jl_layer_resources, "The recommendation.")        \
    NUMBER(lower_factor, "lowerFactor", "What confidence makes of the lower bound.") \
    NUMBER(upper_factor, "upperFactor", "What confidence makes of the upper bound.")
#include "schema/shared_record.h"

#undef AMOUNT
#undef FACTOR
#undef DURATION_S
#undef RECORD_TABLES

/* A member that is an object of the table; out is zeroed when the bit is not set. */
int jl_ask_layer_part(struct jl_ask *ask, const struct jl_layer_in *in, unsigned bit,
                      const struct jl_raw *raw, const struct jl_table *table, void *out);

/* autoscale_percentile.c: layer percentile. */
int jl_ask_percentile(struct jl_ask *ask, const struct jl_layer_in *in, struct jl_layer_out *out);
