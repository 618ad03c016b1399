/* SPDX-License-Identifier: Apache-2.0 */

/* The options of the policy as the settings of the model. */

#include <string.h>

#include <joulie/object.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "operator/operator.h"

#define S_PER_MS 0.001

static void put_key(struct jl_buffer *out, const char *key)
{
    if (out->len > 0 && out->data[out->len - 1] != '{')
        jl_put_char(out, ',');
    jl_put_json_string(out, key, strlen(key));
    jl_put_char(out, ':');
}

static void put_text(struct jl_buffer *out, const char *key, const char *value)
{
    put_key(out, key);
    jl_put_json_string(out, value, strlen(value));
}

static void put_number(struct jl_buffer *out, const char *key, double value)
{
    put_key(out, key);
    jl_put_double(out, value);
}

static void put_seconds(struct jl_buffer *out, const char *key, int64_t ms)
{
    put_key(out, key);
    if (ms % 1000 == 0)
        jl_put_i64(out, ms / 1000);
    else
        jl_put_double(out, (double)ms * S_PER_MS);
}

static void put_whole(struct jl_buffer *out, const char *key, int64_t value)
{
    put_key(out, key);
    jl_put_i64(out, value);
}

static void put_bool(struct jl_buffer *out, const char *key, bool value)
{
    put_key(out, key);
    jl_put_string(out, value ? "true" : "false");
}

/* "a,b" as ["a","b"]; parts that are empty are left out. */
static void put_list(struct jl_buffer *out, const char *key, const char *list)
{
    struct jl_text rest = jl_text(list);
    bool is_first = true;
    put_key(out, key);
    jl_put_char(out, '[');
    while (rest.len > 0) {
        const struct jl_text part = jl_text_trim(jl_text_cut(&rest, ','));
        if (part.len == 0)
            continue;
        if (!is_first)
            jl_put_char(out, ',');
        jl_put_json_string(out, part.ptr, part.len);
        is_first = false;
    }
    jl_put_char(out, ']');
}

static void put_policy(const struct jd_operator_values *values, const char *gpu_model_caps,
                       struct jl_buffer *out)
{
    put_text(out, "type", values->policy_type);
    put_number(out, "staticHpFrac", values->static_hp_frac);
    put_number(out, "queueHpBaseFrac", values->queue_hp_base_frac);
    put_whole(out, "queueHpMin", values->queue_hp_min);
    put_whole(out, "queueHpMax", values->queue_hp_max);
    put_whole(out, "queuePerfPerHpNode", values->queue_perf_per_hp_node);
    put_number(out, "cpuPerformanceCapPctOfMax", values->cpu_performance_pct);
    put_number(out, "cpuEcoCapPctOfMax", values->cpu_eco_pct);
    put_number(out, "gpuPerformanceCapPctOfMax", values->gpu_performance_pct);
    put_number(out, "gpuEcoCapPctOfMax", values->gpu_eco_pct);
    put_number(out, "performanceCapWatts", values->performance_cap_w);
    put_number(out, "ecoCapWatts", values->eco_cap_w);
    put_bool(out, "cpuWriteAbsoluteCaps", values->cpu_write_absolute);
    put_bool(out, "gpuWriteAbsoluteCaps", values->gpu_write_absolute);
    put_key(out, "gpuModelCaps");
    jl_put_string(out, gpu_model_caps);
    if (values->gpu_product_label_keys)
        put_list(out, "gpuProductLabelKeys", values->gpu_product_label_keys);
    put_seconds(out, "reconcileIntervalS", values->reconcile_interval_ms);
    put_text(out, "drainCaps", values->drain_caps);
    put_text(out, "nodeSelector", values->node_selector);
    put_text(out, "reservedLabelKey", values->reserved_label_key);
    put_seconds(out, "queueScaleDownDelayS", values->queue_scale_down_delay_ms);
    put_seconds(out, "minProfileDwellS", values->min_profile_dwell_ms);
}

static void put_settings(const struct jd_operator_values *values, const char *gpu_model_caps,
                         struct jl_buffer *out)
{
    jl_put_string(out, "{\"policy\":{");
    put_policy(values, gpu_model_caps, out);
    jl_put_char(out, '}');
    put_number(out, "rackCapacityW", values->rack_capacity_w);
    if (values->cluster_capacity_w > 0)
        put_number(out, "clusterCapacityW", values->cluster_capacity_w);
    put_seconds(out, "twinStalenessS", values->twin_staleness_ms);
    put_seconds(out, "twinMaxAgeS", values->twin_max_age_ms);
    put_seconds(out, "twinHeartbeatS", values->twin_heartbeat_ms);
    put_number(out, "statusDeadbandScore", values->deadband_score);
    put_number(out, "statusDeadbandPct", values->deadband_pct);
    put_text(out, "powerProfileLabel", values->power_profile_label);
    jl_put_char(out, '}');
}

/* The option behind a member of the settings. */
static const char *option_of(const char *where)
{
    static const struct {
        const char *prefix;
        const char *option;
    } options[] = {
        { "policy.type", "POLICY_TYPE" },
        { "policy.nodeSelector", "NODE_SELECTOR" },
        { "policy.cpuPerformanceCapPctOfMax", "CPU_PERFORMANCE_CAP_PCT_OF_MAX" },
        { "policy.cpuEcoCapPctOfMax", "CPU_ECO_CAP_PCT_OF_MAX" },
        { "policy.gpuPerformanceCapPctOfMax", "GPU_PERFORMANCE_CAP_PCT_OF_MAX" },
        { "policy.gpuEcoCapPctOfMax", "GPU_ECO_CAP_PCT_OF_MAX" },
        { "policy.gpuModelCaps", "GPU_MODEL_CAPS_JSON" },
        { "policy.gpuProductLabelKeys", "GPU_PRODUCT_LABEL_KEYS" },
        { "policy.reservedLabelKey", "RESERVED_LABEL_KEY" },
        { "powerProfileLabel", "POWER_PROFILE_LABEL" },
    };

    for (size_t i = 0; i < JL_COUNT(options); i++) {
        if (jl_starts_with(where, options[i].prefix))
            return options[i].option;
    }
    return where;
}

static int name_option(int code, struct joulie_error *err)
{
    const struct joulie_error cause = *err;
    return jl_fail(err, code, "", "%s: %s", option_of(cause.where), cause.message);
}

int jd_operator_model(const struct jd_operator_values *values, struct joulie_cluster **out,
                      struct joulie_error *err)
{
    struct jl_buffer settings = { 0 };
    char *gpu_model_caps = NULL;
    int rc = joulie_format(values->gpu_model_caps, strlen(values->gpu_model_caps), JOULIE_FORM_LINE,
                           &gpu_model_caps, err);
    if (rc < 0)
        return jl_fail(err, rc, "", "GPU_MODEL_CAPS_JSON: is not JSON");
    put_settings(values, gpu_model_caps, &settings);
    joulie_free(gpu_model_caps);
    rc = settings.is_failed ? jl_fail_memory(err)
                            : joulie_cluster_new(settings.data, settings.len, out, err);
    jl_buffer_clear(&settings);
    return rc < 0 ? name_option(rc, err) : 0;
}
