/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/tensor_fusion.h"

#include "kinds/root.h"

/* Source of every row: tensor-fusion.md §1.1, §2.1, §2.4, §5.1 and, of the workload's status, §7.8.
 */

static const struct jl_word qos_words[] = {
    { JOULIE_TENSOR_FUSION_QOS_LOW, "low" },
    { JOULIE_TENSOR_FUSION_QOS_MEDIUM, "medium" },
    { JOULIE_TENSOR_FUSION_QOS_HIGH, "high" },
    { JOULIE_TENSOR_FUSION_QOS_CRITICAL, "critical" },
};
const struct jl_words jl_fusion_qos_words = JL_WORDS(qos_words);

static const struct jl_word isolation_words[] = {
    { JOULIE_TENSOR_FUSION_ISOLATION_SHARED, "shared" },
    { JOULIE_TENSOR_FUSION_ISOLATION_SOFT, "soft" },
    { JOULIE_TENSOR_FUSION_ISOLATION_HARD, "hard" },
    { JOULIE_TENSOR_FUSION_ISOLATION_PARTITIONED, "partitioned" },
};
const struct jl_words jl_fusion_isolation_words = JL_WORDS(isolation_words);

static const struct jl_word target_words[] = {
    { JOULIE_TENSOR_FUSION_TARGET_ALL, "all" },
    { JOULIE_TENSOR_FUSION_TARGET_TFLOPS, "tflops" },
    { JOULIE_TENSOR_FUSION_TARGET_VRAM, "vram" },
    { JOULIE_TENSOR_FUSION_TARGET_COMPUTE, "compute" },
};
const struct jl_words jl_fusion_target_words = JL_WORDS(target_words);

static const struct jl_word gang_mode_words[] = {
    { JL_FUSION_GANG_MODE_STRICT, "Strict" },
};
const struct jl_words jl_fusion_gang_mode_words = JL_WORDS(gang_mode_words);

#define MOST_COMPUTE_PCT 100 /* of one GPU, §5.1 */

/* Negative amounts pass the CRD, but not us (§3.1). */
static const struct jl_row amounts_rows[] = {
    [JL_FUSION_AMOUNT_TFLOPS] =
        JL_QUANTITY(jl_fusion_amounts, tflops, "tflops", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                    .doc = "FP16 TFLOPS of one worker on one GPU; 0 is unset."),
    [JL_FUSION_AMOUNT_VRAM] =
        JL_QUANTITY(jl_fusion_amounts, vram, "vram", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                    .doc = "Bytes of video memory of one worker on one GPU; 0 is unset."),
    [JL_FUSION_AMOUNT_COMPUTE] =
        JL_QUANTITY(jl_fusion_amounts, compute, "compute",
                    .flags = JL_LATER | JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = MOST_COMPUTE_PCT,
                    .doc = "Percent of one GPU, instead of tflops; dialect C."),
};
const struct jl_table jl_fusion_amounts_table = JL_TABLE(jl_fusion_amounts, amounts_rows);

static const struct jl_row resources_rows[] = {
    [JL_FUSION_RESOURCES_LIMITS] =
        JL_OBJECT(jl_fusion_resources, limits, "limits", &jl_fusion_amounts_table,
                  .flags = JL_REQUIRED, .doc = "What a worker may use at most."),
    [JL_FUSION_RESOURCES_REQUESTS] =
        JL_OBJECT(jl_fusion_resources, requests, "requests", &jl_fusion_amounts_table,
                  .flags = JL_REQUIRED, .doc = "What a worker is promised."),
};
const struct jl_table jl_fusion_resources_table = JL_TABLE(jl_fusion_resources, resources_rows);

static const struct jl_row gang_rows[] = {
    [JL_FUSION_GANG_MIN_MEMBERS] =
        JL_INTEGER(jl_fusion_gang, min_members, "minMembers",
                   .flags = JL_LATER | JL_INT32 | JL_HAS_MIN, .min = 0,
                   .doc = "Workers that start together: 0 (no gang) or 2 and more, not more than "
                          "replicas."),
    [JL_FUSION_GANG_MODE] = JL_ENUM(jl_fusion_gang, mode, "mode", &jl_fusion_gang_mode_words,
                                    .flags = JL_LATER, .doc = "How strictly they do so."),
    [JL_FUSION_GANG_TIMEOUT] =
        JL_STRING(jl_fusion_gang, timeout, "timeout", .flags = JL_LATER,
                  .doc = "Duration to wait for all of them; 0s or absent is forever."),
};
static const struct jl_table gang_table = JL_TABLE(jl_fusion_gang, gang_rows);

static const struct jl_row spec_rows[] = {
    [JL_FUSION_SPEC_AUTOSCALING] =
        JL_OBJECT(jl_fusion_spec, autoscaling, "autoScalingConfig", &jl_fusion_autoscaling_table,
                  .doc = "What the autoscaler may change, instead of the pool's configuration."),
    [JL_FUSION_SPEC_GPU_COUNT] =
        JL_INTEGER(jl_fusion_spec, gpu_count, "gpuCount", .flags = JL_INT32 | JL_NOT_NEGATIVE,
                   .doc = "GPUs of one worker; 0 or absent is 1, dialect C takes 1 to 128."),
    [JL_FUSION_SPEC_GPU_MODEL] = JL_STRING(jl_fusion_spec, gpu_model, "gpuModel",
                                           .doc = "Model that the GPUs must have, such as A100."),
    [JL_FUSION_SPEC_IS_LOCAL_GPU] =
        JL_BOOLEAN(jl_fusion_spec, is_local_gpu, "isLocalGPU",
                   .doc = "Whether the workload runs on the GPU server itself."),
    [JL_FUSION_SPEC_NODE_AFFINITY] =
        JL_OBJECT(jl_fusion_spec, node_affinity, "nodeAffinity", &jl_profile_affinity_table,
                  .doc = "Nodes that the workers must or should be on."),
    [JL_FUSION_SPEC_POOL_NAME] =
        JL_STRING(jl_fusion_spec, pool_name, "poolName", .doc = "Name of the GPUPool."),
    [JL_FUSION_SPEC_QOS] = JL_ENUM(jl_fusion_spec, qos, "qos", &jl_fusion_qos_words,
                                   .doc = "Class of service; absent is given by the admission."),
    [JL_FUSION_SPEC_REPLICAS] =
        JL_INTEGER(jl_fusion_spec, replicas, "replicas", .flags = JL_INT32 | JL_NOT_NEGATIVE,
                   .doc = "Workers; absent follows the pending pods, a local GPU ignores it."),
    [JL_FUSION_SPEC_RESOURCES] =
        JL_OBJECT(jl_fusion_spec, resources, "resources", &jl_fusion_resources_table,
                  .doc = "Requests and limits of one worker on one GPU."),
    [JL_FUSION_SPEC_SIDECAR_WORKER] =
        JL_BOOLEAN(jl_fusion_spec, sidecar_worker, "sidecarWorker", .flags = JL_LATER,
                   .doc = "Whether the worker is a sidecar, which implies a local GPU; dialect C."),
    [JL_FUSION_SPEC_ISOLATION] =
        JL_ENUM(jl_fusion_spec, isolation, "isolation", &jl_fusion_isolation_words,
                .flags = JL_LATER, .doc = "How workers on one GPU are kept apart; dialect C."),
    [JL_FUSION_SPEC_PARTITION_TEMPLATE_ID] =
        JL_STRING(jl_fusion_spec, partition_template_id, "partitionTemplateId", .flags = JL_LATER,
                  .doc = "Hardware partition, with isolation partitioned; dialect C."),
    [JL_FUSION_SPEC_GPU_INDICES] = JL_NUMBERS(
        jl_fusion_spec, gpu_indices, "gpuIndices", .flags = JL_LATER | JL_INT32 | JL_NOT_NEGATIVE,
        .doc = "Indices of the node's GPUs to use; dialect C."),
    [JL_FUSION_SPEC_VENDOR] = JL_STRING(jl_fusion_spec, vendor, "vendor", .flags = JL_LATER,
                                        .doc = "Vendor that the GPUs must have; dialect C."),
    [JL_FUSION_SPEC_WORKER_POD_TEMPLATE] =
        JL_RAW(jl_fusion_spec, worker_pod_template, "workerPodTemplate",
               .flags = JL_LATER | JL_PRESERVE, .doc = "Template of remote workers; dialect C."),
    [JL_FUSION_SPEC_GANG] =
        JL_OBJECT(jl_fusion_spec, gang, "gangScheduling", &gang_table, .flags = JL_LATER,
                  .doc = "Workers that start together or not at all; dialect C."),
};
const struct jl_table jl_fusion_spec_table = JL_TABLE(jl_fusion_spec, spec_rows);

static const struct jl_table no_status_table = { .name = "jl_fusion_no_status",
                                                 .size = sizeof(struct jl_fusion_no_status) };

static const struct jl_column profile_columns[] = {
    { "Pool Name", ".spec.poolName", "string" },      { "QoS", ".spec.qos", "string" },
    { "Is Local GPU", ".spec.isLocalGPU", "string" }, { "GPU Number", ".spec.gpuCount", "string" },
    { "Replicas", ".spec.replicas", "string" },
};

static const struct jl_kind profile_kind = {
    .api_version = JL_FUSION_API_VERSION,
    .kind = "WorkloadProfile",
    .plural = "workloadprofiles",
    .singular = "workloadprofile",
    .scope = "Namespaced",
    .has_status = true,
    .is_foreign = true,
    .columns = profile_columns,
    .column_count = JL_COUNT(profile_columns),
};

static const struct jl_row profile_rows[] = {
    JL_ROOT_ROWS(jl_fusion_profile, 0),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_fusion_profile, spec, "spec", &jl_fusion_spec_table,
                               .doc = "What workers of this profile get."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_fusion_profile, status, "status", &no_status_table,
                                 .doc = "Empty: a profile is only a preset."),
};
const struct jl_table jl_fusion_profile_table =
    JL_TABLE(jl_fusion_profile, profile_rows, .kind = &profile_kind,
             .doc = "A named preset of vGPU workloads: GPUs, resources, class of service and "
                    "autoscaling.");

static const struct jl_row condition_rows[] = {
    [JL_FUSION_CONDITION_TYPE] =
        JL_STRING(jl_fusion_condition, type, "type",
                  .doc = "What it is about: ResourceUpdate or RecommendationProvided."),
    [JL_FUSION_CONDITION_STATUS] =
        JL_STRING(jl_fusion_condition, status, "status", .doc = "True, False or Unknown."),
    [JL_FUSION_CONDITION_REASON] =
        JL_STRING(jl_fusion_condition, reason, "reason", .doc = "One word, why."),
    [JL_FUSION_CONDITION_MESSAGE] =
        JL_STRING(jl_fusion_condition, message, "message", .doc = "The same for a person."),
};
static const struct jl_table condition_table =
    JL_TABLE(jl_fusion_condition, condition_rows, .flags = JL_OPEN);

static const struct jl_row workload_status_rows[] = {
    [JL_FUSION_STATUS_RECOMMENDATION] =
        JL_OBJECT(jl_fusion_workload_status, recommendation, "recommendation",
                  &jl_fusion_resources_table, .doc = "What the autoscaler recommends."),
    [JL_FUSION_STATUS_APPLIED] = JL_INTEGER(jl_fusion_workload_status, applied_recommended_replicas,
                                            "appliedRecommendedReplicas", .flags = JL_INT32,
                                            .doc = "Workers that have what is recommended."),
    [JL_FUSION_STATUS_CRON_RULE] =
        JL_STRING(jl_fusion_workload_status, active_cron_scaling_rule, "activeCronScalingRule",
                  .doc = "Name of the rule that is active."),
    [JL_FUSION_STATUS_CONDITIONS] =
        JL_LIST(jl_fusion_workload_status, conditions, "conditions", &condition_table,
                .doc = "What became of the last recommendation."),
    [JL_FUSION_STATUS_WORKER_COUNT] =
        JL_INTEGER(jl_fusion_workload_status, worker_count, "workerCount", .flags = JL_INT32,
                   .doc = "Workers that there are."),
};
static const struct jl_table workload_status_table =
    JL_TABLE(jl_fusion_workload_status, workload_status_rows, .flags = JL_OPEN);

static const struct jl_kind workload_kind = {
    .api_version = JL_FUSION_API_VERSION,
    .kind = "TensorFusionWorkload",
    .plural = "tensorfusionworkloads",
    .singular = "tensorfusionworkload",
    .scope = "Namespaced",
    .has_status = true,
    .is_foreign = true,
    .is_partial = true,
};

static const struct jl_row workload_rows[] = {
    JL_ROOT_ROWS(jl_fusion_workload, 0),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_fusion_workload, spec, "spec", &jl_fusion_spec_table,
                               .doc = "What the workers get, as in a WorkloadProfile."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_fusion_workload, status, "status", &workload_status_table,
                                 .doc = "What the autoscaler has made of it."),
};
const struct jl_table jl_fusion_workload_table =
    JL_TABLE(jl_fusion_workload, workload_rows, .kind = &workload_kind,
             .doc = "A workload of vGPU workers; of its status the members that decisions read.");
