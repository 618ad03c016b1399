/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a profile asks of the autoscaler, as numbers: defaults filled in, bounds applied. Rules:
 * docs/rules/autoscaling.md#configuration. Amounts are TFLOPS and bytes by enum
 * jl_usage, 0 = unset; ratios are fractions unless they say otherwise.
 */

#include "autoscale/amounts.h"
#include "autoscale/forecast.h"
#include "autoscale/layer.h"
#include "autoscale/limits.h"
#include "autoscale/percentile.h"
#include "autoscale/replicas.h"
#include "autoscale/requests.h"
#include "cron/cron.h"
#include "tensor_fusion/ratio.h"

#define JL_TARGETS(usage) (1u << (usage))
#define JL_TARGETS_ALL (JL_TARGETS(JL_USAGE_TFLOPS) | JL_TARGETS(JL_USAGE_VRAM))

#define JL_NS_PER_S INT64_C(1000000000)
#define JL_NS_PER_MS INT64_C(1000000)

enum jl_autoscale_model {
    JL_AUTOSCALE_CURRENT = 1,
    JL_AUTOSCALE_V2_17_1, /* as the source decides, see docs/rules/autoscaling-source.md */
};

struct jl_scale_prediction {
    enum jl_forecast_model model; /* UNKNOWN = no prediction */
    int64_t season_ns;
    int64_t history_ns;
    int64_t period_ns;
};

/* autoSetLimits */
struct jl_limits_layer {
    bool is_on;
    unsigned targets; /* JL_TARGETS() */
    int64_t period_ns;
    double buffer[JL_USAGES]; /* added to the usage: the profile's for TFLOPS, 0.15 for VRAM */
    double ignored;           /* relative band in which nothing changes */
    double step;              /* multiplier of a saturated limit */
    double max_ratio;         /* of the limit to the request */
    struct jl_scale_prediction prediction;
};

/* autoSetReplicas; off with isLocalGPU */
struct jl_replicas_layer {
    bool is_on;
    int64_t period_ns;
    struct jl_replicas_config config; /* min, max: annotations joulie.io/autoscale-*-replicas */
};

/* autoSetRequests; off with isLocalGPU */
struct jl_requests_layer {
    bool is_on;
    unsigned targets;
    int64_t period_ns;
    int64_t aggregation_ns;
    double percentile;
    double multiplier; /* of the percentile: 1.1 = 10 % more */
    struct jl_scale_prediction prediction;
};

/* autoSetResources of dialect C, used by the model v2.17.1 only. */
struct jl_percentile_layer {
    bool is_on;
    unsigned targets;
    struct jl_estimate fractions[JL_USAGES]; /* lower, target, upper percentile, 0..1 */
    struct jl_percentile_config config;
    int64_t history_ns;
    int64_t interval_ns;
    const char *qos; /* of the profile; NULL = absent */
};

/* One rule that is enabled, complete and parsed; the others are not in the list. */
struct jl_cron_rule {
    const char *where_start; /* path of its start and its end in the document */
    const char *where_end;
    struct jl_cron start;
    struct jl_cron end;
    const struct jl_time_zone *start_zone; /* NULL = UTC */
    const struct jl_time_zone *end_zone;
    struct jl_amounts desired;
};

/* externalScaler */
struct jl_external_layer {
    bool is_on;
    int64_t initial_delay_ns;
    int64_t interval_ns;
};

/* Something that the user of a profile should know. */
struct jl_scale_condition {
    enum jl_scale_reason reason;
    const char *where; /* path from the document root; never NULL */
    const char *message;
};

struct jl_autoscale_config {
    enum jl_autoscale_model model;
    struct jl_limits_layer limits;
    struct jl_replicas_layer replicas;
    struct jl_requests_layer requests;
    struct jl_percentile_layer percentile;
    struct jl_external_layer external;
    const struct jl_cron_rule *rules;
    size_t rule_count;
    const char *where_rules;    /* path of the list of cron rules */
    struct jl_amounts original; /* spec.resources */
    int64_t spec_replicas;      /* -1 = absent: dynamic */
    uint32_t gpu_count;         /* per worker, at least 1 */
    double gpu_tflops;          /* of one GPU, for percents; 0 = unknown */
    bool is_gpu_family;         /* gpu_tflops is the smallest of several GPUs of one name */
    const struct jl_scale_condition *conditions; /* what was wrong with the profile */
    size_t condition_count;
};

/* How the text of a field is read, and with it the type of its member. */
enum jl_config_form {
    JL_FORM_DURATION,    /* int64_t, ns; with d, w and y */
    JL_FORM_GO_DURATION, /* int64_t, ns; as Go's parser takes it */
    JL_FORM_RATIO,       /* double */
    JL_FORM_STEP,        /* struct jl_replica_step: a ratio, or a number of workers */
    JL_FORM_DECIMAL,     /* double, 0 to a million */
};

/* One field of autoScalingConfig as the profile has it and the config keeps it. */
struct jl_config_field {
    const char *layer; /* member of autoScalingConfig */
    const char *part;  /* member of the layer that the key is in; NULL = none */
    const char *key;
    enum jl_config_form form;
    enum jl_ratio_field ratio; /* RATIO and STEP */
    size_t offset;             /* of its member in struct jl_autoscale_config */
    double by_default;
    int64_t least_ns; /* durations are moved into these bounds */
    int64_t most_ns;
};

extern const struct jl_config_field jl_config_fields[];
extern const size_t jl_config_field_count;

/* Everything off, amounts unset, defaults filled in. */
void jl_autoscale_config_init(struct jl_autoscale_config *config, enum jl_autoscale_model model);

/* The defaults of one layer alone, for a question about it. */
void jl_limits_defaults(enum jl_usage usage, struct jl_limits_input *out);
void jl_replicas_defaults(struct jl_replicas_config *out);
void jl_percentile_defaults(struct jl_percentile_config *out);
