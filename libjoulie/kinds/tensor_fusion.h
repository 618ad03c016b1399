/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * WorkloadProfile and TensorFusionWorkload of tensor-fusion.ai/v1 (tensor-fusion.md §1, §2, §5.1,
 * §5.2), which share their spec. Three shapes of it, "dialects", go under one apiVersion: A (the
 * seed), B and C (what today's clusters run). The tables are their union; which members one object
 * may have is judged by fusion/validate.h. Members of B and C have the flag JL_LATER.
 *
 * Quantities are text as it stands in the document; zero means unset (§2.6).
 */

#include <joulie/tensor_fusion_v1.h>

#include "kinds/meta.h"
#include "kinds/node_affinity.h"

#define JL_FUSION_GROUP "tensor-fusion.ai"
#define JL_FUSION_API_VERSION JL_FUSION_GROUP "/v1"

enum jl_fusion_gang_mode { JL_FUSION_GANG_MODE_UNKNOWN, JL_FUSION_GANG_MODE_STRICT };

extern const struct jl_words jl_fusion_qos_words;
extern const struct jl_words jl_fusion_isolation_words;
extern const struct jl_words jl_fusion_target_words; /* of texts that are no enum in the CRD */
extern const struct jl_words jl_fusion_gang_mode_words;

struct jl_fusion_amounts { /* of one GPU of one worker */
    uint64_t has;
    const char *tflops;  /* FP16 TFLOPS */
    const char *vram;    /* bytes */
    const char *compute; /* percent of one GPU; instead of tflops */
};

enum { JL_FUSION_AMOUNT_TFLOPS, JL_FUSION_AMOUNT_VRAM, JL_FUSION_AMOUNT_COMPUTE };

struct jl_fusion_resources {
    uint64_t has;
    struct jl_fusion_amounts limits;
    struct jl_fusion_amounts requests;
};

enum { JL_FUSION_RESOURCES_LIMITS, JL_FUSION_RESOURCES_REQUESTS };

struct jl_fusion_prediction {
    uint64_t has;
    bool enable;
    const char *history_data_period; /* durations: §4.1 */
    const char *model;
    const char *prediction_period;
};

enum {
    JL_FUSION_PREDICTION_ENABLE,
    JL_FUSION_PREDICTION_HISTORY,
    JL_FUSION_PREDICTION_MODEL,
    JL_FUSION_PREDICTION_PERIOD,
};

struct jl_fusion_auto_limits { /* A; ratios: §4.2 */
    uint64_t has;
    bool enable;
    const char *evaluation_period;
    const char *extra_tflops_buffer_ratio;
    const char *ignored_delta_range;
    const char *max_ratio_to_requests;
    struct jl_fusion_prediction prediction;
    const char *scale_up_step;
    const char *target_resource;
};

enum {
    JL_FUSION_LIMITS_ENABLE,
    JL_FUSION_LIMITS_PERIOD,
    JL_FUSION_LIMITS_BUFFER,
    JL_FUSION_LIMITS_IGNORED,
    JL_FUSION_LIMITS_MAX_RATIO,
    JL_FUSION_LIMITS_PREDICTION,
    JL_FUSION_LIMITS_STEP,
    JL_FUSION_LIMITS_TARGET,
};

struct jl_fusion_auto_replicas { /* A, B */
    uint64_t has;
    bool enable;
    const char *evaluation_period;
    const char *scale_down_cool_down_time;
    const char *scale_down_step;
    const char *scale_up_cool_down_time;
    const char *scale_up_step;
    const char *target_tflops_of_limits;
};

enum {
    JL_FUSION_REPLICAS_ENABLE,
    JL_FUSION_REPLICAS_PERIOD,
    JL_FUSION_REPLICAS_DOWN_COOL_DOWN,
    JL_FUSION_REPLICAS_DOWN_STEP,
    JL_FUSION_REPLICAS_UP_COOL_DOWN,
    JL_FUSION_REPLICAS_UP_STEP,
    JL_FUSION_REPLICAS_TARGET,
};

struct jl_fusion_auto_requests { /* A */
    uint64_t has;
    const char *aggregation_period;
    bool enable;
    const char *evaluation_period;
    const char *extra_buffer_ratio;
    const char *percentile;
    struct jl_fusion_prediction prediction;
    const char *target_resource;
};

enum {
    JL_FUSION_REQUESTS_AGGREGATION,
    JL_FUSION_REQUESTS_ENABLE,
    JL_FUSION_REQUESTS_PERIOD,
    JL_FUSION_REQUESTS_BUFFER,
    JL_FUSION_REQUESTS_PERCENTILE,
    JL_FUSION_REQUESTS_PREDICTION,
    JL_FUSION_REQUESTS_TARGET,
};

struct jl_fusion_auto_resources { /* C and B; decimals */
    uint64_t has;
    bool enable;
    const char *target_resource;
    const char *target_compute_percentile;
    const char *lower_bound_compute_percentile;
    const char *upper_bound_compute_percentile;
    const char *target_vram_percentile;
    const char *lower_bound_vram_percentile;
    const char *upper_bound_vram_percentile;
    const char *margin_fraction;
    const char *update_threshold;
    const char *history_data_period;
    const char *min_vram_resources_ratio;
    const char *max_vram_resources_ratio;
    const char *min_compute_resources_ratio;
    const char *max_compute_resources_ratio;
    const char *initial_delay_period;
    const char *interval;
    const char *b_target_tflops_percentile; /* B alone, from here on */
    const char *b_lower_bound_tflops_percentile;
    const char *b_upper_bound_tflops_percentile;
    const char *b_target_vram_percentile;
    const char *b_lower_bound_vram_percentile;
    const char *b_upper_bound_vram_percentile;
    const char *b_request_margin_fraction;
    const char *b_confidence_interval;
    const char *b_history_length;
    const char *b_history_resolution;
};

enum {
    JL_FUSION_RESOURCES_ENABLE,
    JL_FUSION_RESOURCES_TARGET,
    JL_FUSION_RESOURCES_TARGET_COMPUTE, /* C alone, up to INTERVAL */
    JL_FUSION_RESOURCES_LOWER_COMPUTE,
    JL_FUSION_RESOURCES_UPPER_COMPUTE,
    JL_FUSION_RESOURCES_TARGET_VRAM,
    JL_FUSION_RESOURCES_LOWER_VRAM,
    JL_FUSION_RESOURCES_UPPER_VRAM,
    JL_FUSION_RESOURCES_MARGIN,
    JL_FUSION_RESOURCES_THRESHOLD,
    JL_FUSION_RESOURCES_HISTORY,
    JL_FUSION_RESOURCES_MIN_VRAM_RATIO,
    JL_FUSION_RESOURCES_MAX_VRAM_RATIO,
    JL_FUSION_RESOURCES_MIN_COMPUTE_RATIO,
    JL_FUSION_RESOURCES_MAX_COMPUTE_RATIO,
    JL_FUSION_RESOURCES_INITIAL_DELAY,
    JL_FUSION_RESOURCES_INTERVAL,
    JL_FUSION_RESOURCES_B_TARGET_TFLOPS, /* B alone, up to the end */
    JL_FUSION_RESOURCES_B_LOWER_TFLOPS,
    JL_FUSION_RESOURCES_B_UPPER_TFLOPS,
    JL_FUSION_RESOURCES_B_TARGET_VRAM,
    JL_FUSION_RESOURCES_B_LOWER_VRAM,
    JL_FUSION_RESOURCES_B_UPPER_VRAM,
    JL_FUSION_RESOURCES_B_MARGIN,
    JL_FUSION_RESOURCES_B_CONFIDENCE,
    JL_FUSION_RESOURCES_B_HISTORY,
    JL_FUSION_RESOURCES_B_RESOLUTION,
};

struct jl_fusion_cron_rule { /* B, C */
    uint64_t has;
    bool enable;
    const char *name;
    const char *start;
    const char *end;
    struct jl_fusion_resources desired_resources;
    int64_t desired_replicas; /* B */
};

enum {
    JL_FUSION_CRON_ENABLE,
    JL_FUSION_CRON_NAME,
    JL_FUSION_CRON_START,
    JL_FUSION_CRON_END,
    JL_FUSION_CRON_RESOURCES,
    JL_FUSION_CRON_REPLICAS,
};

struct jl_fusion_secret_ref {
    uint64_t has;
    const char *name;
    const char *name_space;
};

enum { JL_FUSION_SECRET_NAME, JL_FUSION_SECRET_NAMESPACE };

struct jl_fusion_external { /* C */
    uint64_t has;
    bool enable;
    const char *url;
    const char *initial_delay_period;
    const char *interval;
    struct jl_fusion_secret_ref api_key_secret_ref;
};

enum {
    JL_FUSION_EXTERNAL_ENABLE,
    JL_FUSION_EXTERNAL_URL,
    JL_FUSION_EXTERNAL_INITIAL_DELAY,
    JL_FUSION_EXTERNAL_INTERVAL,
    JL_FUSION_EXTERNAL_SECRET,
};

struct jl_fusion_autoscaling {
    uint64_t has;
    struct jl_fusion_auto_limits limits;
    struct jl_fusion_auto_replicas replicas;
    struct jl_fusion_auto_requests requests;
    struct jl_fusion_auto_resources resources;
    struct jl_list cron_rules; /* struct jl_fusion_cron_rule */
    struct jl_fusion_external external;
};

enum {
    JL_FUSION_AUTO_LIMITS,
    JL_FUSION_AUTO_REPLICAS,
    JL_FUSION_AUTO_REQUESTS,
    JL_FUSION_AUTO_RESOURCES,
    JL_FUSION_AUTO_CRON_RULES,
    JL_FUSION_AUTO_EXTERNAL,
};

struct jl_fusion_gang { /* C */
    uint64_t has;
    int64_t min_members;
    enum jl_fusion_gang_mode mode;
    const char *timeout; /* Go duration */
};

enum { JL_FUSION_GANG_MIN_MEMBERS, JL_FUSION_GANG_MODE, JL_FUSION_GANG_TIMEOUT };

struct jl_fusion_spec {
    uint64_t has;
    struct jl_fusion_autoscaling autoscaling;
    int64_t gpu_count; /* 0 = absent = 1 */
    const char *gpu_model;
    bool is_local_gpu;
    struct jl_profile_affinity node_affinity;
    const char *pool_name;
    enum joulie_tensor_fusion_qos qos;
    int64_t replicas;
    struct jl_fusion_resources resources;
    bool sidecar_worker; /* C alone, from here on */
    enum joulie_tensor_fusion_isolation isolation;
    const char *partition_template_id;
    struct jl_list gpu_indices; /* double */
    const char *vendor;
    struct jl_raw worker_pod_template;
    struct jl_fusion_gang gang;
};

enum {
    JL_FUSION_SPEC_AUTOSCALING,
    JL_FUSION_SPEC_GPU_COUNT,
    JL_FUSION_SPEC_GPU_MODEL,
    JL_FUSION_SPEC_IS_LOCAL_GPU,
    JL_FUSION_SPEC_NODE_AFFINITY,
    JL_FUSION_SPEC_POOL_NAME,
    JL_FUSION_SPEC_QOS,
    JL_FUSION_SPEC_REPLICAS,
    JL_FUSION_SPEC_RESOURCES,
    JL_FUSION_SPEC_SIDECAR_WORKER, /* C alone, up to the end */
    JL_FUSION_SPEC_ISOLATION,
    JL_FUSION_SPEC_PARTITION_TEMPLATE_ID,
    JL_FUSION_SPEC_GPU_INDICES,
    JL_FUSION_SPEC_VENDOR,
    JL_FUSION_SPEC_WORKER_POD_TEMPLATE,
    JL_FUSION_SPEC_GANG,
};

struct jl_fusion_no_status { /* a WorkloadProfile's is empty (§2.5) */
    uint64_t has;
};

struct jl_fusion_profile { /* bits: JL_ROOT_* */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_fusion_spec spec;
    struct jl_fusion_no_status status;
};

struct jl_fusion_condition {
    uint64_t has;
    const char *type;
    const char *status;
    const char *reason;
    const char *message;
};

enum {
    JL_FUSION_CONDITION_TYPE,
    JL_FUSION_CONDITION_STATUS,
    JL_FUSION_CONDITION_REASON,
    JL_FUSION_CONDITION_MESSAGE,
};

struct jl_fusion_workload_status { /* what the autoscaler writes and reads (§7.1, §7.8) */
    uint64_t has;
    struct jl_fusion_resources recommendation;
    int64_t applied_recommended_replicas;
    const char *active_cron_scaling_rule;
    struct jl_list conditions; /* struct jl_fusion_condition */
    int64_t worker_count;
};

enum {
    JL_FUSION_STATUS_RECOMMENDATION,
    JL_FUSION_STATUS_APPLIED,
    JL_FUSION_STATUS_CRON_RULE,
    JL_FUSION_STATUS_CONDITIONS,
    JL_FUSION_STATUS_WORKER_COUNT,
};

struct jl_fusion_workload { /* bits: JL_ROOT_*; begins as a jl_fusion_profile does */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_fusion_spec spec;
    struct jl_fusion_workload_status status;
};

extern const struct jl_table jl_fusion_amounts_table;
extern const struct jl_table jl_fusion_resources_table;
extern const struct jl_table jl_fusion_prediction_table;
extern const struct jl_table jl_fusion_autoscaling_table;
extern const struct jl_table jl_fusion_cron_rule_table;

struct jl_fusion_unread_rule {
    uint64_t has;
};

/*
 * The table of a profile, a workload or an autoScalingConfig, in the arena, with cron rules that
 * may be any objects: an autoscaler disables a bad rule by itself (tensor-fusion.md §8.7). Nobody
 * may read the rules of what it decodes. NULL when memory ran out.
 */
const struct jl_table *jl_fusion_rules_unread(const struct jl_table *table, struct jl_arena *arena);

extern const struct jl_table jl_fusion_spec_table;
extern const struct jl_table jl_fusion_profile_table;
extern const struct jl_table jl_fusion_workload_table;
