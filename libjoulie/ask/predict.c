/* SPDX-License-Identifier: Apache-2.0 */

/* predict: what the twin says about one node (docs/rules/twin.md). */

#include "ask/ask.h"
#include "base/error.h"
#include "twin/twin.h"

#define RECORD predict_in
#define MEMBERS                                                                                    \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "NodeHardware or its status.")         \
    WHOLE(spec, "spec", jl_node_twin, "spec", "NodeTwin or its spec.", REQUIRED, ALWAYS)           \
    OBJECT(control, "controlStatus", jl_control_status,                                            \
           "What the agent did with the caps; default: that of a whole NodeTwin given as spec.")   \
    HOLDS(struct joulie_twin_input, readings)                                                      \
    NUMBER_IN(readings, measured_node_power_w, JOULIE_TWIN_HAS_NODE_POWER, "measuredNodePowerW",   \
              "Measured power of the node in watts; 0 is a measurement.", NOT_NEGATIVE)            \
    ENUM(source, "powerSource", joulie_power_source, jl_power_source_words,                        \
         "Where the measurement came from.", ALWAYS)                                               \
    NUMBER(trend_w_per_min, "powerTrendWPerMin",                                                   \
           "Change of the node's power in watts per minute.")                                      \
    LIST(samples, "powerSamples", jl_power_sample,                                                 \
         "Measurements that give the trend when it is absent.")                                    \
    NUMBER_IN(readings, outside_temp_c, JOULIE_TWIN_HAS_OUTSIDE_TEMP, "outsideTempC",              \
              "Outside temperature in degrees Celsius; default 20.")                               \
    NUMBER_IN(readings, zone_temp_c, JOULIE_TWIN_HAS_ZONE_TEMP, "zoneTempC",                       \
              "Temperature at the plant of the node's cooling zone in degrees Celsius; wins over " \
              "outsideTempC.")                                                                     \
    NUMBER_IN(readings, cluster_total_power_w, JOULIE_TWIN_HAS_CLUSTER_POWER,                      \
              "clusterTotalPowerW", "IT power of the cluster in watts.", NOT_NEGATIVE)             \
    NUMBER_IN(readings, cluster_capacity_w, JOULIE_TWIN_HAS_CLUSTER_CAPACITY, "clusterCapacityW",  \
              "Power that the cluster's supply can give, in watts.", NOT_NEGATIVE)                 \
    NUMBER_IN(readings, zone_total_power_w, JOULIE_TWIN_HAS_ZONE_POWER, "zoneTotalPowerW",         \
              "IT power of the node's cooling zone in watts; a dx plant cools that.",              \
              NOT_NEGATIVE)                                                                        \
    NUMBER_IN(readings, rack_total_power_w, JOULIE_TWIN_HAS_RACK_POWER, "rackTotalPowerW",         \
              "IT power of the node's rack in watts.", NOT_NEGATIVE)                               \
    NUMBER_IN(readings, rack_capacity_w, JOULIE_TWIN_HAS_RACK_CAPACITY, "rackCapacityW",           \
              "Power that the rack's supply can give, in watts; default 50000.", OVER(0))          \
    NUMBER_IN(readings, cpu_util_pct, JOULIE_TWIN_HAS_CPU_UTIL, "cpuUtilPct",                      \
              "CPU utilisation in percent, used without a measurement.", NOT_NEGATIVE)             \
    NUMBER_IN(readings, gpu_util_pct, JOULIE_TWIN_HAS_GPU_UTIL, "gpuUtilPct",                      \
              "Mean GPU utilisation in percent.", NOT_NEGATIVE)                                    \
    OBJECT(previous, "previous", jl_twin_status,                                                   \
           "The previous status: caps in force while a write is pending.")                         \
    OBJECT(cooling, "coolingModel", jl_cooling_config, "Cooling model; default tdp-ratio.")        \
    LIST(profiles, "profiles", jl_workload_profile,                                                \
         "Profiles of the workloads on the node, for the advice.")                                 \
    TIME(now_ms, "now", "Instant of the prediction.")
#include "schema/record.h"

/* A NodeTwin.status and one member more. */
#define RECORD predict_out
#define INLINE_RECORD jl_twin_status
#define INLINE_AS status
#define INLINE_MEMBERS JL_TWIN_STATUS
#define MEMBERS                                          \
    OBJECT(provenance, "provenance", jl_twin_provenance, \
           "Where the values came from that the input does not give.")
#include "schema/record.h"

static struct joulie_twin_input readings_of(const struct predict_in *in,
                                            enum joulie_twin_rules rules)
{
    struct joulie_twin_input readings = in->readings;
    readings.struct_size = sizeof readings;
    readings.rules = rules;
    readings.cooling_model = in->cooling.type;
    readings.cooling_reference_w = in->cooling.reference_w;
    readings.cooling_design_it_w = in->cooling.design_it_w;
    if (in->cooling.given.reference_w)
        readings.has |= JOULIE_TWIN_HAS_COOLING_REFERENCE;
    if (in->cooling.given.design_it_w)
        readings.has |= JOULIE_TWIN_HAS_COOLING_DESIGN_IT;
    return readings;
}

/* controlStatus, or that of a whole NodeTwin given as spec; NULL = no feedback. */
static const struct jl_control_status *control_of(const struct predict_in *in)
{
    if (in->given.control)
        return &in->control;
    return in->spec.status.given.control ? &in->spec.status.control : NULL;
}

static void read_trend(const struct predict_in *in, struct jl_twin_case *out)
{
    out->has_trend = in->given.trend_w_per_min;
    out->trend_w_per_min = in->trend_w_per_min;
    if (!out->has_trend && in->given.samples)
        out->has_trend = jl_power_trend(in->samples.items, in->samples.count,
                                        in->given.now_ms ? &in->now_ms : NULL, out->readings->rules,
                                        &out->trend_w_per_min);
}

static int answer_predict(struct jl_ask *ask, const struct predict_in *in, struct predict_out *out)
{
    const enum joulie_twin_rules rules = jl_twin_rules(ask->options.model);
    const struct joulie_twin_input readings = readings_of(in, rules);
    struct jl_hardware hardware;
    jl_hardware_resolve(in->given.hardware ? &in->hardware.status : NULL, NULL,
                        jl_twin_hardware_rules(rules), &hardware);
    struct jl_twin_case twin_case = {
        .readings = &readings,
        .hardware = &hardware,
        .spec = &in->spec.spec,
        .control = control_of(in),
        .previous = in->given.previous ? &in->previous.effective_caps : NULL,
        .source = in->source,
        .has_now = in->given.now_ms,
        .now_ms = in->now_ms,
        .has_profiles = in->given.profiles,
        .profile_count = in->profiles.count,
    };
    read_trend(in, &twin_case);
    int code = jl_ask_profiles(ask, &in->profiles, &twin_case.profiles);
    if (code == 0)
        code = jl_twin_compose(&twin_case, ask->arena, &out->status, &out->provenance, ask->err);
    if (code == 0)
        out->given.provenance = true;
    return code;
}

JL_QUESTION(predict, "predict", "power headroom, cooling and PSU stress of a node, and advice",
            JL_MODELS("current", "v0.1.1", "v0.1.0"), .flags = JL_SOURCE_UNCHECKED);
