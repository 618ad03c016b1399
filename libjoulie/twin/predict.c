/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
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

/* The numbers of the input, in the order of their bits, and what each may be (joulie-control.md §2,
 * cli.md §2). */
struct number {
    size_t offset;
    const char *where;
    double low; /* current; the version rule sets take any finite number but for a negative
                   measurement */
    double high;
};

#define ABOVE_0 DBL_TRUE_MIN
#define ANY (-DBL_MAX)
#define NUMBER(member, where, low, high)                             \
    {                                                                \
        offsetof(struct joulie_twin_input, member), where, low, high \
    }

static const struct number numbers[] = {
    NUMBER(cpu_sockets, "hardware.cpu.sockets", 0, DBL_MAX),
    NUMBER(cpu_cores, "hardware.cpu.totalCores", 0, DBL_MAX),
    NUMBER(cpu_max_w, "hardware.cpu.capRange.maxWattsPerSocket", 0, DBL_MAX),
    NUMBER(gpu_count, "hardware.gpu.count", 0, DBL_MAX),
    NUMBER(gpu_max_w, "hardware.gpu.capRangePerGpu.maxWatts", 0, DBL_MAX),
    NUMBER(gpu_idle_w, "hardware.gpu.model", 0, DBL_MAX),
    NUMBER(cpu_cap_pct, "spec.cpu.packagePowerCapPctOfMax", ABOVE_0, 100),
    NUMBER(cpu_cap_w, "spec.cpu.packagePowerCapWatts", ANY, DBL_MAX),
    NUMBER(gpu_cap_pct, "spec.gpu.powerCap.capPctOfMax", ABOVE_0, 100),
    NUMBER(gpu_cap_w, "spec.gpu.powerCap.capWattsPerGpu", ANY, DBL_MAX),
    NUMBER(previous_cpu_pct, "previous.effectiveCapState.cpuPct", ANY, DBL_MAX),
    NUMBER(previous_gpu_pct, "previous.effectiveCapState.gpuPct", ANY, DBL_MAX),
    NUMBER(measured_node_power_w, "measuredNodePowerW", 0, DBL_MAX),
    NUMBER(cpu_util_pct, "cpuUtilPct", 0, DBL_MAX),
    NUMBER(cpu_curve_w, "hardware.cpu.model", 0, DBL_MAX),
    NUMBER(gpu_util_pct, "gpuUtilPct", 0, DBL_MAX),
    NUMBER(outside_temp_c, "outsideTempC", ANY, DBL_MAX),
    NUMBER(cluster_total_power_w, "clusterTotalPowerW", 0, DBL_MAX),
    NUMBER(cluster_capacity_w, "clusterCapacityW", 0, DBL_MAX),
    NUMBER(rack_total_power_w, "rackTotalPowerW", 0, DBL_MAX),
    NUMBER(rack_capacity_w, "rackCapacityW", ABOVE_0, DBL_MAX),
    NUMBER(cooling_reference_w, "coolingModel.referenceW", 0, DBL_MAX),
    NUMBER(cooling_design_it_w, "coolingModel.designItW", ABOVE_0, DBL_MAX),
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

/* No number that is not finite lies between two that are. */
static bool is_between(double value, double low, double high)
{
    return value >= low && value <= high;
}

static struct problem check_numbers(const struct joulie_twin_input *in)
{
    const bool is_current = jl_twin_rules_are_current(in->rules);
    for (uint64_t bits = in->has; bits != 0; bits &= bits - 1) {
        const struct number *number = &numbers[__builtin_ctzll(bits)];
        double value;
        memcpy(&value, (const char *)in + number->offset, sizeof value);
        if (is_current ? !is_between(value, number->low, number->high)
                       : !is_between(value, ANY, DBL_MAX))
            return (struct problem){ JOULIE_E_RANGE, number->where,
                                     "the number is not finite or out of its bounds" };
    }
    if (has(in, JOULIE_TWIN_HAS_NODE_POWER) && in->measured_node_power_w < 0)
        return (struct problem){ JOULIE_E_RANGE, "measuredNodePowerW",
                                 "the measured power is negative" };
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
    struct joulie_twin_input ours; /* of a caller with another release */
    if (jl_sized_check(in, INPUT_SIZE_0_1) < 0 || jl_sized_check(out, OUTPUT_SIZE_0_1) < 0)
        return fail(err, JOULIE_E_ABI, "", "struct_size is impossible");
    if (in->struct_size != sizeof ours) {
        if (jl_sized_read(&ours, sizeof ours, in) < 0)
            return fail(err, JOULIE_E_ABI, "", "a field of a newer release is set");
        in = &ours;
    }
    if ((in->has & ~KNOWN_BITS) != 0)
        return fail(err, JOULIE_E_ABI, "", "a field of a newer release is set");

    struct problem problem = check_numbers(in);
    if (problem.code == 0)
        problem = check_choices(in);
    if (problem.code != 0)
        return fail(err, problem.code, problem.where, problem.message);

    struct joulie_twin_output result = { 0 };
    if (jl_twin_rules_are_current(in->rules))
        predict_current(in, &result);
    else
        predict_source(in, &result);
    if (!is_finite_output(&result))
        return fail(err, JOULIE_E_RANGE, "", "the prediction leaves the range of a double");
    jl_sized_write(out, &result, sizeof result);
    return JOULIE_OK;
}
