/* SPDX-License-Identifier: Apache-2.0 */
#define JL_NODE_TWIN_TABLES
#include "kinds/node_twin.h"

#include <string.h>

#include "base/time.h"

/* Words, printer columns and names of NodeTwin (docs/rules/objects.md#nodetwin), and when one is
 * fresh (docs/rules/reconcile.md#freshness). The words of powerMeasurement.source are those of the
 * chart, which has more than the Go type. */

const struct jl_words jl_profile_words = JL_WORDS({
    { JOULIE_PROFILE_PERFORMANCE, "performance" },
    { JOULIE_PROFILE_ECO, "eco" },
});

const struct jl_words jl_cap_scope_words = JL_WORDS({
    { JL_CAP_SCOPE_PER_GPU, "perGpu" },
});

const struct jl_words jl_node_class_words = JL_WORDS({
    { JOULIE_NODE_CLASS_ECO, "eco" },
    { JOULIE_NODE_CLASS_PERFORMANCE, "performance" },
    { JOULIE_NODE_CLASS_DRAINING, "draining" },
    { JOULIE_NODE_CLASS_WORD_UNKNOWN, "unknown" },
});

const struct jl_words jl_power_source_words = JL_WORDS({
    { JOULIE_POWER_SOURCE_KEPLER, "kepler" },
    { JOULIE_POWER_SOURCE_UTILIZATION, "utilization" },
    { JOULIE_POWER_SOURCE_STATIC, "static" },
    { JOULIE_POWER_SOURCE_HTTP, "http" },
    { JOULIE_POWER_SOURCE_HTTP_ERROR, "http-error" },
    { JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT, "http-no-endpoint" },
    { JOULIE_POWER_SOURCE_PROMETHEUS, "prometheus" },
    { JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA, "prometheus-no-data" },
    { JOULIE_POWER_SOURCE_STANDBY, "standby" },
    { JOULIE_POWER_SOURCE_ALLOCATION, "allocation" },
});

const struct jl_words jl_level_words = JL_WORDS({
    { JOULIE_LEVEL_HIGH, "high" },
    { JOULIE_LEVEL_MEDIUM, "medium" },
    { JOULIE_LEVEL_LOW, "low" },
});

const struct jl_words jl_pressure_words = JL_WORDS({
    { JOULIE_LEVEL_LOW, "low" },
    { JOULIE_LEVEL_MEDIUM, "medium" },
    { JOULIE_LEVEL_HIGH, "high" },
});

const struct jl_words jl_level_none_words = JL_WORDS({
    { JOULIE_LEVEL_HIGH, "high" },
    { JOULIE_LEVEL_MEDIUM, "medium" },
    { JOULIE_LEVEL_LOW, "low" },
    { JOULIE_LEVEL_NONE, "none" },
});

const struct jl_words jl_slicing_mode_words = JL_WORDS({
    { JOULIE_SLICING_MIG, "mig" },
    { JOULIE_SLICING_TIME, "time-slicing" },
    { JOULIE_SLICING_NONE, "none" },
});

const struct jl_words jl_control_result_words = JL_WORDS({
    { JOULIE_CONTROL_APPLIED, "applied" },
    { JOULIE_CONTROL_BLOCKED, "blocked" },
    { JOULIE_CONTROL_ERROR, "error" },
    { JOULIE_CONTROL_NONE, "none" },
    { JOULIE_CONTROL_PENDING, "pending" },
});

static const struct jl_column node_twin_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "Profile", ".spec.profile", "string" },
    { "Class", ".status.schedulableClass", "string" },
    /* as integers: an API server prints all digits of a number */
    { "PowerHeadroom", ".status.predictedPowerHeadroomScore", "integer" },
    { "CoolingStress", ".status.predictedCoolingStressScore", "integer" },
    { "PSUStress", ".status.predictedPsuStressScore", "integer" },
    { "CPU-Cap", ".spec.cpu.packagePowerCapPctOfMax",
      "string" }, /* string in the source, though a number */
    { "Draining", ".spec.scheduling.draining", "boolean" },
    JL_AGE_COLUMN,
};

const struct jl_kind jl_node_twin_kind = {
    .api_version = JL_API_VERSION,
    .kind = "NodeTwin",
    .plural = "nodetwins",
    .singular = "nodetwin",
    .short_name = "nt",
    .scope = "Cluster",
    .has_status = true,
    .columns = node_twin_columns,
    .column_count = JL_COUNT(node_twin_columns),
};

/* ---- freshness ---- */

int64_t jl_fresh_from_ms(const struct jl_freshness *rule, int64_t now_ms)
{
    const bool is_beating =
        rule->has_heartbeat && now_ms - rule->heartbeat_ms <= rule->staleness_ms;
    const bool is_longer = is_beating && rule->max_age_ms > rule->staleness_ms;
    return now_ms - (is_longer ? rule->max_age_ms : rule->staleness_ms);
}

int64_t jl_agent_silent_ms(int64_t renewed_ms, int64_t duration_s)
{
    int64_t silent_ms;
    if (__builtin_mul_overflow(duration_s, INT64_C(1000), &silent_ms) ||
        __builtin_add_overflow(silent_ms, renewed_ms, &silent_ms))
        return INT64_MAX;
    return silent_ms;
}

bool jl_twin_is_fresh(const char *last_updated, const struct jl_freshness *rule, int64_t now_ms)
{
    int64_t updated_ms = 0;
    return last_updated != NULL &&
           jl_parse_time(last_updated, strlen(last_updated), &updated_ms) == 0 &&
           updated_ms >= jl_fresh_from_ms(rule, now_ms);
}

bool jl_twin_is_off(const struct jl_twin_status *status)
{
    for (size_t i = 0; i < status->conditions.count; i++) {
        const struct jl_condition *one = JL_ITEM(status->conditions, jl_condition, i);
        if (jl_same(one->type, JL_CONDITION_POWERED_OFF))
            return jl_same(one->status, "True") || jl_same(one->reason, "Stopping") ||
                   jl_same(one->reason, "Booting");
    }
    return false;
}
