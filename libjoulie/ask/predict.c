/* SPDX-License-Identifier: Apache-2.0 */

/* predict: what the twin says about one node (joulie-control.md §3, §9; cli.md §2). */

#include "ask/ask.h"
#include "base/error.h"
#include "twin/twin.h"

struct predict_cooling {
    uint64_t has;
    enum joulie_cooling type;
    double reference_w;
    double design_it_w;
};

enum { COOLING_TYPE, COOLING_REFERENCE, COOLING_DESIGN_IT };

static const struct jl_row cooling_rows[] = {
    [COOLING_TYPE] = JL_ENUM(predict_cooling, type, "type", &jl_cooling_words, .flags = JL_REQUIRED,
                             .doc = "Model of cooling stress and PUE."),
    [COOLING_REFERENCE] =
        JL_NUMBER(predict_cooling, reference_w, "referenceW", .flags = JL_NOT_NEGATIVE,
                  .doc = "Power of full stress in watts; default 4000 (linear) or the node's TDP."),
    [COOLING_DESIGN_IT] =
        JL_NUMBER(predict_cooling, design_it_w, "designItW", .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN,
                  .min = 0, .doc = "IT power that a dx plant is built for, in watts; default 1e6."),
};
static const struct jl_table cooling_table = JL_TABLE(predict_cooling, cooling_rows);

static const struct jl_row sample_rows[] = {
    [JL_POWER_SAMPLE_T] =
        JL_TIME(jl_power_sample, t_ms, "t", .flags = JL_REQUIRED | JL_SECONDS,
                .doc = "Instant of the measurement: RFC 3339, or a number of seconds."),
    [JL_POWER_SAMPLE_W] =
        JL_NUMBER(jl_power_sample, w, "w", .flags = JL_NOT_NEGATIVE,
                  .doc = "Power of the node in watts; absent when the read failed."),
};
static const struct jl_table sample_table = JL_TABLE(jl_power_sample, sample_rows);

struct predict_in {
    uint64_t has;
    struct jl_node_hardware hardware;
    struct jl_node_twin spec;
    struct jl_control_status control;
    double measured_w;
    enum joulie_power_source source;
    double trend_w_per_min;
    struct jl_list samples; /* struct jl_power_sample */
    double outside_c;
    double zone_c;
    double cluster_w;
    double cluster_capacity_w;
    double zone_w;
    double rack_w;
    double rack_capacity_w;
    double cpu_util_pct;
    double gpu_util_pct;
    struct jl_twin_status previous;
    struct predict_cooling cooling;
    struct jl_list profiles; /* struct jl_workload_profile */
    int64_t now_ms;
};

enum {
    IN_HARDWARE,
    IN_SPEC,
    IN_CONTROL,
    IN_MEASURED,
    IN_SOURCE,
    IN_TREND,
    IN_SAMPLES,
    IN_OUTSIDE,
    IN_ZONE,
    IN_CLUSTER,
    IN_CLUSTER_CAPACITY,
    IN_ZONE_POWER,
    IN_RACK,
    IN_RACK_CAPACITY,
    IN_CPU_UTIL,
    IN_GPU_UTIL,
    IN_PREVIOUS,
    IN_COOLING,
    IN_PROFILES,
    IN_NOW,
};

static const struct jl_row in_rows[] = {
    [IN_HARDWARE] = JL_WHOLE(predict_in, hardware, "hardware", &jl_node_hardware_table, "status",
                             .doc = "NodeHardware or its status."),
    [IN_SPEC] = JL_WHOLE(predict_in, spec, "spec", &jl_node_twin_table, "spec",
                         .flags = JL_REQUIRED, .doc = "NodeTwin or its spec."),
    [IN_CONTROL] = JL_OBJECT(predict_in, control, "controlStatus", &jl_control_status_table,
                             .doc = "What the agent did with the caps; default: that of a whole "
                                    "NodeTwin given as spec."),
    [IN_MEASURED] =
        JL_NUMBER(predict_in, measured_w, "measuredNodePowerW", .flags = JL_NOT_NEGATIVE,
                  .doc = "Measured power of the node in watts; 0 is a measurement."),
    [IN_SOURCE] = JL_ENUM(predict_in, source, "powerSource", &jl_power_source_words,
                          .doc = "Where the measurement came from."),
    [IN_TREND] = JL_NUMBER(predict_in, trend_w_per_min, "powerTrendWPerMin",
                           .doc = "Change of the node's power in watts per minute."),
    [IN_SAMPLES] = JL_LIST(predict_in, samples, "powerSamples", &sample_table,
                           .doc = "Measurements that give the trend when it is absent."),
    [IN_OUTSIDE] = JL_NUMBER(predict_in, outside_c, "outsideTempC",
                             .doc = "Outside temperature in degrees Celsius; default 20."),
    [IN_ZONE] = JL_NUMBER(predict_in, zone_c, "zoneTempC",
                          .doc = "Temperature at the plant of the node's cooling zone in degrees "
                                 "Celsius; wins over outsideTempC."),
    [IN_CLUSTER] = JL_NUMBER(predict_in, cluster_w, "clusterTotalPowerW", .flags = JL_NOT_NEGATIVE,
                             .doc = "IT power of the cluster in watts."),
    [IN_CLUSTER_CAPACITY] =
        JL_NUMBER(predict_in, cluster_capacity_w, "clusterCapacityW", .flags = JL_NOT_NEGATIVE,
                  .doc = "Power that the cluster's supply can give, in watts."),
    [IN_ZONE_POWER] =
        JL_NUMBER(predict_in, zone_w, "zoneTotalPowerW", .flags = JL_NOT_NEGATIVE,
                  .doc = "IT power of the node's cooling zone in watts; a dx plant cools that."),
    [IN_RACK] = JL_NUMBER(predict_in, rack_w, "rackTotalPowerW", .flags = JL_NOT_NEGATIVE,
                          .doc = "IT power of the node's rack in watts."),
    [IN_RACK_CAPACITY] = JL_NUMBER(
        predict_in, rack_capacity_w, "rackCapacityW", .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN,
        .min = 0, .doc = "Power that the rack's supply can give, in watts; default 50000."),
    [IN_CPU_UTIL] = JL_NUMBER(predict_in, cpu_util_pct, "cpuUtilPct", .flags = JL_NOT_NEGATIVE,
                              .doc = "CPU utilisation in percent, used without a measurement."),
    [IN_GPU_UTIL] = JL_NUMBER(predict_in, gpu_util_pct, "gpuUtilPct", .flags = JL_NOT_NEGATIVE,
                              .doc = "Mean GPU utilisation in percent."),
    [IN_PREVIOUS] =
        JL_OBJECT(predict_in, previous, "previous", &jl_twin_status_table,
                  .doc = "The previous status: caps in force while a write is pending."),
    [IN_COOLING] = JL_OBJECT(predict_in, cooling, "coolingModel", &cooling_table,
                             .doc = "Cooling model; default tdp-ratio."),
    [IN_PROFILES] = JL_LIST(predict_in, profiles, "profiles", &jl_workload_profile_table,
                            .doc = "Profiles of the workloads on the node, for the advice."),
    [IN_NOW] = JL_TIME(predict_in, now_ms, "now", .doc = "Instant of the prediction."),
};
static const struct jl_table in_table = JL_TABLE(predict_in, in_rows);

static const struct jl_row provenance_rows[] = {
    [JL_PROVENANCE_NODE_POWER] =
        JL_STRING(jl_twin_provenance, measured_node_power, "measuredNodePowerW",
                  .doc = "measured, utilization or cap-estimate."),
    [JL_PROVENANCE_CPU_TDP] = JL_STRING(jl_twin_provenance, cpu_tdp, "cpuTdpW",
                                        .doc = "hardware, catalog, cores or unknown."),
    [JL_PROVENANCE_GPU_TDP] =
        JL_STRING(jl_twin_provenance, gpu_tdp, "gpuTdpW", .doc = "hardware, catalog or unknown."),
    [JL_PROVENANCE_OUTSIDE_TEMP] = JL_STRING(jl_twin_provenance, outside_temp, "outsideTempC",
                                             .doc = "given, assumed or zone."),
    [JL_PROVENANCE_COOLING_MODEL] =
        JL_STRING(jl_twin_provenance, cooling_model, "coolingModel", .doc = "Model that was used."),
    [JL_PROVENANCE_CPU_CAP] =
        JL_STRING(jl_twin_provenance, cpu_cap, "cpuCap", .doc = "requested, not-in-force or none."),
    [JL_PROVENANCE_GPU_CAP] =
        JL_STRING(jl_twin_provenance, gpu_cap, "gpuCap", .doc = "requested, not-in-force or none."),
    [JL_PROVENANCE_PSU] = JL_STRING(jl_twin_provenance, psu, "predictedPsuStressScore",
                                    .doc = "rack or cluster: whose power it is about."),
    [JL_PROVENANCE_CAPACITY] = JL_STRING(jl_twin_provenance, capacity, "capacityW",
                                         .doc = "given or assumed: what that can draw."),
};
static const struct jl_table provenance_table = JL_TABLE(jl_twin_provenance, provenance_rows);

/* A NodeTwin.status, whose bits come first, and one member more. */
struct predict_out {
    struct jl_twin_status status;
    struct jl_twin_provenance provenance;
};

enum { OUT_PROVENANCE = JL_TWIN_STATUS_LAST_UPDATED + 1 };

static const struct jl_row out_rows[] = {
    [JL_TWIN_STATUS_CLASS] =
        JL_ENUM(predict_out, status.schedulable_class, "schedulableClass", &jl_node_class_words,
                .doc = "What the node is for schedulers."),
    [JL_TWIN_STATUS_POWER] =
        JL_OBJECT(predict_out, status.power, "powerMeasurement", &jl_power_measurement_table,
                  .doc = "Power of the node beside its caps and its design power, in watts."),
    [JL_TWIN_STATUS_HEADROOM] =
        JL_NUMBER(predict_out, status.power_headroom_score, "predictedPowerHeadroomScore",
                  .doc = "Power headroom below the caps, at most 100; absent = unknown."),
    [JL_TWIN_STATUS_COOLING] =
        JL_NUMBER(predict_out, status.cooling_stress_score, "predictedCoolingStressScore",
                  .doc = "Cooling stress, 0 to 100; absent = unknown."),
    [JL_TWIN_STATUS_PSU] =
        JL_NUMBER(predict_out, status.psu_stress_score, "predictedPsuStressScore",
                  .doc = "Stress of the power supply, 0 to 100; absent = unknown."),
    [JL_TWIN_STATUS_EFFECTIVE_CAPS] =
        JL_OBJECT(predict_out, status.effective_caps, "effectiveCapState", &jl_effective_caps_table,
                  .doc = "Caps that the prediction used, in percent of the maximum."),
    [JL_TWIN_STATUS_DENSITY] =
        JL_NUMBER(predict_out, status.hardware_density_score, "hardwareDensityScore",
                  .doc = "Compute density of the hardware, 0 to 100; absent = unknown."),
    [JL_TWIN_STATUS_PUE] = JL_NUMBER(predict_out, status.estimated_pue, "estimatedPUE",
                                     .doc = "Estimated power usage effectiveness."),
    [JL_TWIN_STATUS_RESCHEDULE] =
        JL_LIST(predict_out, status.reschedule, "rescheduleRecommendations",
                &jl_reschedule_advice_table, .doc = "Workloads that should move away."),
    [JL_TWIN_STATUS_SLICING] =
        JL_OBJECT(predict_out, status.slicing, "gpuSlicingRecommendation", &jl_slicing_advice_table,
                  .doc = "Advice on sharing the GPUs."),
    [JL_TWIN_STATUS_CONTROL] =
        JL_OBJECT(predict_out, status.control, "controlStatus", &jl_control_status_table,
                  .doc = "Never written here: it belongs to the agent."),
    [JL_TWIN_STATUS_LAST_UPDATED] =
        JL_STRING(predict_out, status.last_updated, "lastUpdated", .doc = "The input's now."),
    [OUT_PROVENANCE] = JL_OBJECT(predict_out, provenance, "provenance", &provenance_table,
                                 .doc = "Where the values came from that the input does not give."),
};
static const struct jl_table out_table = JL_TABLE(predict_out, out_rows);

/* With a version word only the spec goes unchecked (cli.md §2), the reader checks nothing: the rest
 * is done here. */
static int check_source_input(struct jl_ask *ask, const struct predict_in *in)
{
    if (!JL_HAS(in, IN_SPEC))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "spec", "the member is required");
    if (JL_HAS(in, IN_SOURCE) && in->source == JOULIE_POWER_SOURCE_UNKNOWN)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "powerSource", "there is no such source");
    if (JL_HAS(in, IN_COOLING) && !JL_HAS(&in->cooling, COOLING_TYPE))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "coolingModel.type", "the member is required");
    if (JL_HAS(in, IN_COOLING) && in->cooling.type == JOULIE_COOLING_UNKNOWN)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "coolingModel.type", "there is no such model");
    return 0;
}

static void set(struct joulie_twin_input *readings, bool is_given, uint64_t bit, double *member,
                double value)
{
    if (!is_given)
        return;
    readings->has |= bit;
    *member = value;
}

static void read_readings(const struct predict_in *in, enum joulie_twin_rules rules,
                          struct joulie_twin_input *out)
{
    *out = JOULIE_INIT(struct joulie_twin_input);
    out->rules = rules;
    out->cooling_model = in->cooling.type;
    set(out, JL_HAS(in, IN_MEASURED), JOULIE_TWIN_HAS_NODE_POWER, &out->measured_node_power_w,
        in->measured_w);
    set(out, JL_HAS(in, IN_CPU_UTIL), JOULIE_TWIN_HAS_CPU_UTIL, &out->cpu_util_pct,
        in->cpu_util_pct);
    set(out, JL_HAS(in, IN_GPU_UTIL), JOULIE_TWIN_HAS_GPU_UTIL, &out->gpu_util_pct,
        in->gpu_util_pct);
    set(out, JL_HAS(in, IN_OUTSIDE), JOULIE_TWIN_HAS_OUTSIDE_TEMP, &out->outside_temp_c,
        in->outside_c);
    set(out, JL_HAS(in, IN_ZONE), JOULIE_TWIN_HAS_ZONE_TEMP, &out->zone_temp_c, in->zone_c);
    set(out, JL_HAS(in, IN_ZONE_POWER), JOULIE_TWIN_HAS_ZONE_POWER, &out->zone_total_power_w,
        in->zone_w);
    set(out, JL_HAS(in, IN_CLUSTER), JOULIE_TWIN_HAS_CLUSTER_POWER, &out->cluster_total_power_w,
        in->cluster_w);
    set(out, JL_HAS(in, IN_CLUSTER_CAPACITY), JOULIE_TWIN_HAS_CLUSTER_CAPACITY,
        &out->cluster_capacity_w, in->cluster_capacity_w);
    set(out, JL_HAS(in, IN_RACK), JOULIE_TWIN_HAS_RACK_POWER, &out->rack_total_power_w, in->rack_w);
    set(out, JL_HAS(in, IN_RACK_CAPACITY), JOULIE_TWIN_HAS_RACK_CAPACITY, &out->rack_capacity_w,
        in->rack_capacity_w);
    set(out, JL_HAS(&in->cooling, COOLING_REFERENCE), JOULIE_TWIN_HAS_COOLING_REFERENCE,
        &out->cooling_reference_w, in->cooling.reference_w);
    set(out, JL_HAS(&in->cooling, COOLING_DESIGN_IT), JOULIE_TWIN_HAS_COOLING_DESIGN_IT,
        &out->cooling_design_it_w, in->cooling.design_it_w);
}

/* controlStatus, or that of a whole NodeTwin given as spec; NULL = no feedback. */
static const struct jl_control_status *control_of(const struct predict_in *in)
{
    if (JL_HAS(in, IN_CONTROL))
        return &in->control;
    return JL_HAS(&in->spec.status, JL_TWIN_STATUS_CONTROL) ? &in->spec.status.control : NULL;
}

static void read_trend(const struct predict_in *in, struct jl_twin_case *out)
{
    out->has_trend = JL_HAS(in, IN_TREND);
    out->trend_w_per_min = in->trend_w_per_min;
    if (!out->has_trend && JL_HAS(in, IN_SAMPLES))
        out->has_trend = jl_power_trend(in->samples.items, in->samples.count,
                                        JL_HAS(in, IN_NOW) ? &in->now_ms : NULL,
                                        out->readings->rules, &out->trend_w_per_min);
}

static int read_profiles(struct jl_ask *ask, const struct predict_in *in, struct jl_twin_case *out)
{
    const size_t count = in->profiles.count;
    out->has_profiles = JL_HAS(in, IN_PROFILES);
    if (count == 0)
        return 0;
    const struct jl_workload_profile **profiles =
        JL_NEW_ARRAY(ask->arena, count, const struct jl_workload_profile *);
    if (profiles == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++)
        profiles[i] = JL_ITEM(in->profiles, jl_workload_profile, i);
    out->profiles = profiles;
    out->profile_count = count;
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct predict_in *in = input;
    struct predict_out *out = output;
    const enum joulie_twin_rules rules = jl_twin_rules(ask->options.model);
    if (!jl_is_current(ask)) {
        const int code = check_source_input(ask, in);
        if (code != 0)
            return code;
    }

    struct joulie_twin_input readings;
    read_readings(in, rules, &readings);
    struct jl_hardware hardware;
    jl_hardware_resolve(JL_HAS(in, IN_HARDWARE) ? &in->hardware.status : NULL, NULL,
                        jl_twin_hardware_rules(rules), &hardware);
    struct jl_twin_case twin_case = {
        .readings = &readings,
        .hardware = &hardware,
        .spec = &in->spec.spec,
        .control = control_of(in),
        .previous = JL_HAS(in, IN_PREVIOUS) ? &in->previous.effective_caps : NULL,
        .source = in->source,
        .has_now = JL_HAS(in, IN_NOW),
        .now_ms = in->now_ms,
    };
    read_trend(in, &twin_case);
    int code = read_profiles(ask, in, &twin_case);
    if (code == 0)
        code = jl_twin_compose(&twin_case, ask->arena, &out->status, &out->provenance, ask->err);
    if (code == 0)
        JL_MARK(&out->status, OUT_PROVENANCE);
    return code;
}

static const char *const models[] = { "current", "v0.1.1", "v0.1.0", NULL };

const struct jl_question jl_question_predict = {
    .name = "predict",
    .summary = "power headroom, cooling and PSU stress of a node, and advice",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
