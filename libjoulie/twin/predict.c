/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <joulie/twin.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "twin/twin.h"

/* Sizes of the first release: later members come behind these. */
#define INPUT_SIZE_0_1 (offsetof(struct joulie_twin_input, cooling_user) + sizeof(void *))
#define OUTPUT_SIZE_0_1 \
    (offsetof(struct joulie_twin_output, gpu_cap_state) + sizeof(enum joulie_cap_state))

_Static_assert(sizeof(enum joulie_cooling) == 4, "enums of public structs have four bytes");
_Static_assert(sizeof(struct joulie_twin_input) == INPUT_SIZE_0_1, "no tail padding");
_Static_assert(sizeof(struct joulie_twin_output) == OUTPUT_SIZE_0_1, "no tail padding");

struct problem {
    int code; /* 0 = none */
    const char *where;
    const char *message;
};

enum bound { BOUND_FINITE, BOUND_NOT_NEGATIVE, BOUND_POSITIVE, BOUND_CAP_PCT };

/* The numbers of the input, in the order of their bits. */
struct number {
    uint16_t offset;
    uint8_t current; /* enum bound */
    uint8_t source;  /* of the version rule sets, which take nearly everything (cli.md §2) */
    const char *where;
};

#define NUMBER(member, current, source, where)                                             \
    {                                                                                      \
        offsetof(struct joulie_twin_input, member), BOUND_##current, BOUND_##source, where \
    }

static const struct number numbers[] = {
    NUMBER(cpu_sockets, NOT_NEGATIVE, FINITE, "hardware.cpu.sockets"),
    NUMBER(cpu_cores, NOT_NEGATIVE, FINITE, "hardware.cpu.totalCores"),
    NUMBER(cpu_max_w, NOT_NEGATIVE, FINITE, "hardware.cpu.capRange.maxWattsPerSocket"),
    NUMBER(gpu_count, NOT_NEGATIVE, FINITE, "hardware.gpu.count"),
    NUMBER(gpu_max_w, NOT_NEGATIVE, FINITE, "hardware.gpu.capRangePerGpu.maxWatts"),
    NUMBER(gpu_idle_w, NOT_NEGATIVE, FINITE, "hardware.gpu.model"),
    NUMBER(cpu_cap_pct, CAP_PCT, FINITE, "spec.cpu.packagePowerCapPctOfMax"),
    NUMBER(cpu_cap_w, FINITE, FINITE, "spec.cpu.packagePowerCapWatts"),
    NUMBER(gpu_cap_pct, CAP_PCT, FINITE, "spec.gpu.powerCap.capPctOfMax"),
    NUMBER(gpu_cap_w, FINITE, FINITE, "spec.gpu.powerCap.capWattsPerGpu"),
    NUMBER(previous_cpu_pct, FINITE, FINITE, "previous.effectiveCapState.cpuPct"),
    NUMBER(previous_gpu_pct, FINITE, FINITE, "previous.effectiveCapState.gpuPct"),
    NUMBER(measured_node_power_w, NOT_NEGATIVE, NOT_NEGATIVE, "measuredNodePowerW"),
    NUMBER(cpu_util_pct, NOT_NEGATIVE, FINITE, "cpuUtilPct"),
    NUMBER(cpu_curve_w, NOT_NEGATIVE, FINITE, "hardware.cpu.model"),
    NUMBER(gpu_util_pct, NOT_NEGATIVE, FINITE, "gpuUtilPct"),
    NUMBER(outside_temp_c, FINITE, FINITE, "outsideTempC"),
    NUMBER(cluster_total_power_w, NOT_NEGATIVE, FINITE, "clusterTotalPowerW"),
    NUMBER(cluster_capacity_w, NOT_NEGATIVE, FINITE, "clusterCapacityW"),
    NUMBER(rack_total_power_w, NOT_NEGATIVE, FINITE, "rackTotalPowerW"),
    NUMBER(rack_capacity_w, POSITIVE, FINITE, "rackCapacityW"),
    NUMBER(cooling_reference_w, NOT_NEGATIVE, FINITE, "coolingModel.referenceW"),
    NUMBER(cooling_design_it_w, POSITIVE, FINITE, "coolingModel.designItW"),
};

#define KNOWN_BITS ((UINT64_C(1) << JL_COUNT(numbers)) - 1)

static bool has(const struct joulie_twin_input *in, uint64_t bit)
{
    return (in->has & bit) != 0;
}

static double value_or(const struct joulie_twin_input *in, uint64_t bit, double value,
                       double otherwise)
{
    return has(in, bit) ? value : otherwise;
}

/* ---- What may come in ---- */

static const char *bound_problem(double value, enum bound bound)
{
    if (!jl_is_finite(value))
        return "the number is not finite";
    switch (bound) {
    case BOUND_FINITE:
        break;
    case BOUND_NOT_NEGATIVE:
        return value < 0 ? "the number is negative" : NULL;
    case BOUND_POSITIVE:
        return value > 0 ? NULL : "the number is not above 0";
    case BOUND_CAP_PCT:
        return value > 0 && value <= 100 ? NULL : "a cap is above 0 and at most 100 percent";
    }
    return NULL;
}

static struct problem check_numbers(const struct joulie_twin_input *in)
{
    const bool is_current = jl_twin_rules_are_current(in->rules);
    for (uint64_t bits = in->has; bits != 0; bits &= bits - 1) {
        const struct number *number = &numbers[__builtin_ctzll(bits)];
        double value;
        memcpy(&value, (const char *)in + number->offset, sizeof value);
        const char *message = bound_problem(value, is_current ? number->current : number->source);
        if (message != NULL)
            return (struct problem){ JOULIE_E_RANGE, number->where, message };
    }
    return (struct problem){ 0 };
}

static struct problem check_choices(const struct joulie_twin_input *in)
{
    if ((unsigned)in->rules > JOULIE_TWIN_RULES_V0_1_0)
        return (struct problem){ JOULIE_E_ENUM, "options.model", "there is no such rule set" };
    if ((unsigned)in->cooling_model > JOULIE_COOLING_CUSTOM)
        return (struct problem){ JOULIE_E_ENUM, "coolingModel.type",
                                 "there is no such cooling model" };
    if ((unsigned)in->cpu_feedback > JOULIE_CAP_FEEDBACK_NOT_IN_FORCE)
        return (struct problem){ JOULIE_E_ENUM, "controlStatus.cpu.result",
                                 "there is no such feedback" };
    if ((unsigned)in->gpu_feedback > JOULIE_CAP_FEEDBACK_NOT_IN_FORCE)
        return (struct problem){ JOULIE_E_ENUM, "controlStatus.gpu.result",
                                 "there is no such feedback" };
    if (in->cooling_model == JOULIE_COOLING_DX && !has(in, JOULIE_TWIN_HAS_CLUSTER_POWER))
        return (struct problem){ JOULIE_E_REQUIRED, "clusterTotalPowerW",
                                 "the model dx needs the cluster's power" };
    if (in->cooling_model == JOULIE_COOLING_CUSTOM && in->cooling == NULL)
        return (struct problem){ JOULIE_E_REQUIRED, "coolingModel",
                                 "the custom model has no function" };
    return (struct problem){ 0 };
}

/* ---- Parts that the rule sets share ---- */

static struct jl_cap_request cpu_request(const struct joulie_twin_input *in)
{
    return (struct jl_cap_request){
        .has_pct = has(in, JOULIE_TWIN_HAS_CPU_CAP_PCT),
        .pct = in->cpu_cap_pct,
        .has_w = has(in, JOULIE_TWIN_HAS_CPU_CAP_W),
        .w = in->cpu_cap_w,
        .max_w = value_or(in, JOULIE_TWIN_HAS_CPU_MAX, in->cpu_max_w, 0),
        .feedback = in->cpu_feedback,
        .has_previous = has(in, JOULIE_TWIN_HAS_PREVIOUS_CPU_PCT),
        .previous_pct = in->previous_cpu_pct,
    };
}

static struct jl_cap_request gpu_request(const struct joulie_twin_input *in)
{
    return (struct jl_cap_request){
        .has_pct = has(in, JOULIE_TWIN_HAS_GPU_CAP_PCT),
        .pct = in->gpu_cap_pct,
        .has_w = has(in, JOULIE_TWIN_HAS_GPU_CAP_W),
        .w = in->gpu_cap_w,
        .max_w = value_or(in, JOULIE_TWIN_HAS_GPU_MAX, in->gpu_max_w, 0),
        .feedback = in->gpu_feedback,
        .has_previous = has(in, JOULIE_TWIN_HAS_PREVIOUS_GPU_PCT),
        .previous_pct = in->previous_gpu_pct,
    };
}

static void put(struct joulie_twin_output *out, uint64_t bit, double *member, double value)
{
    out->has |= bit;
    *member = value;
}

static struct jl_budget budget_of(const struct joulie_twin_input *in, double sockets,
                                  const struct joulie_twin_output *out)
{
    const double cpu_tdp_w = sockets * value_or(in, JOULIE_TWIN_HAS_CPU_MAX, in->cpu_max_w, 0);
    const double gpu_tdp_w = value_or(in, JOULIE_TWIN_HAS_GPU_COUNT, in->gpu_count, 0) *
                             value_or(in, JOULIE_TWIN_HAS_GPU_MAX, in->gpu_max_w, 0);
    struct jl_budget budget;
    jl_budget_of(cpu_tdp_w, gpu_tdp_w, out->cpu_effective_pct, out->gpu_effective_pct, &budget);
    return budget;
}

static void put_budget(const struct jl_budget *budget, bool is_cpu_known, bool is_gpu_known,
                       struct joulie_twin_output *out)
{
    if (is_cpu_known) {
        put(out, JOULIE_TWIN_OUT_CPU_TDP, &out->cpu_tdp_w, budget->cpu_tdp_w);
        put(out, JOULIE_TWIN_OUT_CPU_CAPPED, &out->cpu_capped_w, budget->cpu_capped_w);
    }
    if (is_gpu_known) {
        put(out, JOULIE_TWIN_OUT_GPU_TDP, &out->gpu_tdp_w, budget->gpu_tdp_w);
        put(out, JOULIE_TWIN_OUT_GPU_CAPPED, &out->gpu_capped_w, budget->gpu_capped_w);
    }
    put(out, JOULIE_TWIN_OUT_NODE_TDP, &out->node_tdp_w, budget->node_tdp_w);
    put(out, JOULIE_TWIN_OUT_NODE_CAPPED, &out->node_capped_w, budget->node_capped_w);
}

static void put_cooling(const struct joulie_twin_input *in, double node_tdp_w,
                        struct joulie_twin_output *out)
{
    const struct jl_cooling_input cooling_in = {
        .model = out->cooling_model,
        .is_current = jl_twin_rules_are_current(in->rules),
        .power_w = out->node_power_w,
        .node_tdp_w = node_tdp_w,
        .has_outside = has(in, JOULIE_TWIN_HAS_OUTSIDE_TEMP),
        .outside_c = in->outside_temp_c,
        .has_reference = has(in, JOULIE_TWIN_HAS_COOLING_REFERENCE),
        .reference_w = in->cooling_reference_w,
        .cluster_w = in->cluster_total_power_w,
        .design_it_w = value_or(in, JOULIE_TWIN_HAS_COOLING_DESIGN_IT, in->cooling_design_it_w,
                                JL_DX_DESIGN_IT_W),
        .custom = in->cooling,
        .user = in->cooling_user,
    };
    struct jl_cooling cooling;
    jl_cooling_predict(&cooling_in, &cooling);
    if (cooling.has_stress)
        put(out, JOULIE_TWIN_OUT_COOLING, &out->cooling_stress_score, cooling.stress);
    if (cooling.has_pue)
        put(out, JOULIE_TWIN_OUT_PUE, &out->estimated_pue, cooling.pue);
}

static enum joulie_cooling model_or(const struct joulie_twin_input *in,
                                    enum joulie_cooling otherwise)
{
    return in->cooling_model != JOULIE_COOLING_UNKNOWN ? in->cooling_model : otherwise;
}

static void put_headroom_from_caps(struct joulie_twin_output *out)
{
    if ((out->has & JOULIE_TWIN_OUT_COOLING) == 0)
        return;
    put(out, JOULIE_TWIN_OUT_HEADROOM, &out->power_headroom_score,
        jl_headroom_from_caps(out->cpu_effective_pct, out->gpu_effective_pct,
                              out->cooling_stress_score));
}

/* ---- Version rule sets ---- */

static void predict_source(const struct joulie_twin_input *in, struct joulie_twin_output *out)
{
    const bool is_measured = in->rules == JOULIE_TWIN_RULES_V0_1_1;
    const bool has_gpu = has(in, JOULIE_TWIN_HAS_GPU_COUNT);
    const struct jl_cap_request cpu = cpu_request(in);
    const struct jl_cap_request gpu = gpu_request(in);
    out->cpu_effective_pct = jl_cap_source_pct(&cpu);
    out->gpu_effective_pct = jl_cap_source_pct(&gpu);
    out->cpu_cap_state = cpu.has_pct ? JOULIE_CAP_STATE_REQUESTED : JOULIE_CAP_STATE_NONE;
    out->gpu_cap_state = gpu.has_pct ? JOULIE_CAP_STATE_REQUESTED : JOULIE_CAP_STATE_NONE;

    const double sockets = value_or(in, JOULIE_TWIN_HAS_CPU_SOCKETS, in->cpu_sockets, 0);
    const struct jl_budget budget = budget_of(in, sockets, out);
    put_budget(&budget, true, true, out);

    const double measured_w =
        value_or(in, JOULIE_TWIN_HAS_NODE_POWER, in->measured_node_power_w, 0);
    put(out, JOULIE_TWIN_OUT_NODE_POWER, &out->node_power_w,
        is_measured ? measured_w : budget.node_capped_w);
    if (!is_measured)
        out->power_tier = JOULIE_POWER_TIER_CAP_ESTIMATE;
    else if (has(in, JOULIE_TWIN_HAS_NODE_POWER))
        out->power_tier = JOULIE_POWER_TIER_MEASURED;

    out->cooling_model =
        model_or(in, is_measured ? JOULIE_COOLING_TDP_RATIO : JOULIE_COOLING_LINEAR);
    put_cooling(in, budget.node_tdp_w, out);
    if (is_measured) {
        put(out, JOULIE_TWIN_OUT_HEADROOM, &out->power_headroom_score,
            jl_headroom_measured(budget.node_capped_w, measured_w));
    } else {
        put_headroom_from_caps(out);
    }
    put(out, JOULIE_TWIN_OUT_PSU, &out->psu_stress_score,
        jl_psu_stress_source(
            value_or(in, JOULIE_TWIN_HAS_RACK_POWER, in->rack_total_power_w, 0),
            value_or(in, JOULIE_TWIN_HAS_CLUSTER_POWER, in->cluster_total_power_w, 0)));
    put(out, JOULIE_TWIN_OUT_DENSITY, &out->hardware_density_score,
        jl_density_score(value_or(in, JOULIE_TWIN_HAS_CPU_CORES, in->cpu_cores, 0), has_gpu,
                         has_gpu ? in->gpu_count : 0));
}

/* ---- Current ---- */

static void put_caps(const struct joulie_twin_input *in, struct joulie_twin_output *out)
{
    const struct jl_cap_request cpu = cpu_request(in);
    out->cpu_effective_pct = jl_cap_in_force_pct(&cpu, &out->cpu_cap_state);

    struct jl_cap_request gpu = { 0 }; /* a part without a device is at 100 */
    if (has(in, JOULIE_TWIN_HAS_GPU_COUNT))
        gpu = gpu_request(in);
    out->gpu_effective_pct = jl_cap_in_force_pct(&gpu, &out->gpu_cap_state);
}

static double estimate_w(const struct joulie_twin_input *in, const struct jl_budget *budget)
{
    const struct jl_power_estimate estimate = {
        .cpu_tdp_w = budget->cpu_tdp_w,
        .cpu_capped_w = budget->cpu_capped_w,
        .cpu_util_pct = in->cpu_util_pct,
        .has_cpu_curve = has(in, JOULIE_TWIN_HAS_CPU_CURVE),
        .cpu_curve_w = in->cpu_curve_w,
        .gpu_count = value_or(in, JOULIE_TWIN_HAS_GPU_COUNT, in->gpu_count, 0),
        .gpu_max_w = value_or(in, JOULIE_TWIN_HAS_GPU_MAX, in->gpu_max_w, 0),
        .gpu_idle_w = value_or(in, JOULIE_TWIN_HAS_GPU_IDLE, in->gpu_idle_w, 0),
        .gpu_capped_w = budget->gpu_capped_w,
        .has_gpu_util = has(in, JOULIE_TWIN_HAS_GPU_UTIL),
        .gpu_util_pct = in->gpu_util_pct,
    };
    return jl_power_from_utilization(&estimate);
}

/* P5: a measurement, else an estimate from utilisation, else the watts that the caps allow; the
 * last two need hardware. */
static void put_power(const struct joulie_twin_input *in, const struct jl_budget *budget,
                      struct joulie_twin_output *out)
{
    double power_w;
    if (has(in, JOULIE_TWIN_HAS_NODE_POWER)) {
        out->power_tier = JOULIE_POWER_TIER_MEASURED;
        power_w = in->measured_node_power_w;
    } else if (!(budget->node_tdp_w > 0)) {
        return;
    } else if (has(in, JOULIE_TWIN_HAS_CPU_UTIL)) {
        out->power_tier = JOULIE_POWER_TIER_UTILIZATION;
        power_w = estimate_w(in, budget);
    } else {
        out->power_tier = JOULIE_POWER_TIER_CAP_ESTIMATE;
        power_w = budget->node_capped_w;
    }
    put(out, JOULIE_TWIN_OUT_NODE_POWER, &out->node_power_w, power_w);
}

/* P10: without a maximum there are no scores. */
static void put_scores(const struct joulie_twin_input *in, const struct jl_budget *budget,
                       struct joulie_twin_output *out)
{
    const bool is_estimate = out->power_tier == JOULIE_POWER_TIER_CAP_ESTIMATE;
    out->cooling_model =
        model_or(in, is_estimate ? JOULIE_COOLING_LINEAR : JOULIE_COOLING_TDP_RATIO);
    put_cooling(in, budget->node_tdp_w, out);
    if (is_estimate) {
        put_headroom_from_caps(out);
    } else if (budget->node_capped_w > 0) {
        put(out, JOULIE_TWIN_OUT_HEADROOM, &out->power_headroom_score,
            jl_headroom_measured(budget->node_capped_w, out->node_power_w));
    }
}

static void put_psu(const struct joulie_twin_input *in, struct joulie_twin_output *out)
{
    const struct jl_psu psu = {
        .rack_w = value_or(in, JOULIE_TWIN_HAS_RACK_POWER, in->rack_total_power_w, 0),
        .rack_capacity_w =
            value_or(in, JOULIE_TWIN_HAS_RACK_CAPACITY, in->rack_capacity_w, JL_RACK_CAPACITY_W),
        .cluster_w = value_or(in, JOULIE_TWIN_HAS_CLUSTER_POWER, in->cluster_total_power_w, 0),
        .cluster_capacity_w =
            value_or(in, JOULIE_TWIN_HAS_CLUSTER_CAPACITY, in->cluster_capacity_w, 0),
    };
    double stress;
    if (jl_psu_stress(&psu, &stress))
        put(out, JOULIE_TWIN_OUT_PSU, &out->psu_stress_score, stress);
}

static void put_density(const struct joulie_twin_input *in, struct joulie_twin_output *out)
{
    const double cores = value_or(in, JOULIE_TWIN_HAS_CPU_CORES, in->cpu_cores, 0);
    const double gpus = value_or(in, JOULIE_TWIN_HAS_GPU_COUNT, in->gpu_count, 0);
    if (cores > 0 || gpus > 0)
        put(out, JOULIE_TWIN_OUT_DENSITY, &out->hardware_density_score,
            jl_density_score(cores, gpus > 0, gpus));
}

static void predict_current(const struct joulie_twin_input *in, struct joulie_twin_output *out)
{
    put_caps(in, out);
    const double sockets = value_or(in, JOULIE_TWIN_HAS_CPU_SOCKETS, in->cpu_sockets, 1);
    const struct jl_budget budget = budget_of(in, sockets, out);
    put_power(in, &budget, out);
    if (budget.node_tdp_w > 0) {
        const bool is_gpu_known = !has(in, JOULIE_TWIN_HAS_GPU_COUNT) || budget.gpu_tdp_w > 0;
        put_budget(&budget, budget.cpu_tdp_w > 0, is_gpu_known, out);
        put_scores(in, &budget, out);
    }
    put_psu(in, out);
    put_density(in, out);
}

/* ---- Door ---- */

/* 0 times a number is 0 unless it is infinite or no number. */
static bool is_finite_output(const struct joulie_twin_output *out)
{
    const double zero = 0 * out->power_headroom_score + 0 * out->cooling_stress_score +
                        0 * out->psu_stress_score + 0 * out->hardware_density_score +
                        0 * out->estimated_pue + 0 * out->node_power_w + 0 * out->node_tdp_w +
                        0 * out->node_capped_w + 0 * out->cpu_effective_pct +
                        0 * out->gpu_effective_pct;
    return zero == 0;
}

static int fail(struct joulie_error *err, int code, const char *where, const char *message)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    jl_fail(&full, code, where, "%s", message);
    jl_error_export(&full, err);
    return code;
}

int joulie_twin_predict(const struct joulie_twin_input *in, struct joulie_twin_output *out,
                        struct joulie_error *err)
{
    struct joulie_twin_input ours;
    if (jl_sized_check(in, INPUT_SIZE_0_1) < 0 || jl_sized_check(out, OUTPUT_SIZE_0_1) < 0)
        return fail(err, JOULIE_E_ABI, "", "struct_size is impossible");
    if (jl_sized_read(&ours, sizeof ours, in) < 0 || (ours.has & ~KNOWN_BITS) != 0)
        return fail(err, JOULIE_E_ABI, "", "a field of a newer release is set");

    struct problem problem = check_numbers(&ours);
    if (problem.code == 0)
        problem = check_choices(&ours);
    if (problem.code != 0)
        return fail(err, problem.code, problem.where, problem.message);

    struct joulie_twin_output result = { 0 };
    if (jl_twin_rules_are_current(ours.rules))
        predict_current(&ours, &result);
    else
        predict_source(&ours, &result);
    if (!is_finite_output(&result))
        return fail(err, JOULIE_E_RANGE, "", "the prediction leaves the range of a double");
    jl_sized_write(out, &result, sizeof result);
    return JOULIE_OK;
}
