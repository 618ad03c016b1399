/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_twin_predict(): the prediction of one node, by every rule set and cooling model
 * (docs/rules/twin.md). current.h has the rules of the usual case, which the kernels of columns.c
 * share. */

#include <float.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "twin/numbers.h"
#include "twin/twin.h"

/* A source of one row is the input itself. */
typedef struct joulie_twin_input jl_source;

#define JL_NUMBER_OF(source, member) ((source)->member)

#include "twin/lanes.h"

JL_LANE jl_bits jl_source_has(const jl_source *source)
{
    return source->has;
}

JL_LANE bool jl_may_know(const jl_source *source, uint64_t bits)
{
    return (source->has & bits) != 0;
}

JL_LANE jl_mask jl_knows(const jl_source *source, jl_bits has, uint64_t bit)
{
    (void)source;
    return jl_has_bit(has, bit);
}

JL_LANE jl_real jl_known_or(const jl_source *source, jl_bits has, size_t index, double otherwise)
{
    double value;
    memcpy(&value, (const char *)&source->cpu_sockets + index * sizeof value, sizeof value);
    return jl_pick(jl_has_bit(has, UINT64_C(1) << index), value, otherwise);
}

JL_LANE bool jl_is_cap_plain(const jl_source *source)
{
    return (source->has & (JOULIE_TWIN_HAS_CPU_CAP_W | JOULIE_TWIN_HAS_GPU_CAP_W)) == 0 &&
           (unsigned)source->cpu_feedback <= JOULIE_CAP_FEEDBACK_APPLIED &&
           (unsigned)source->gpu_feedback <= JOULIE_CAP_FEEDBACK_APPLIED;
}

JL_LANE jl_int jl_cpu_feedback(const jl_source *source)
{
    return (jl_int)source->cpu_feedback;
}

JL_LANE jl_int jl_gpu_feedback(const jl_source *source)
{
    return (jl_int)source->gpu_feedback;
}

#include "twin/current.h"

_Static_assert(sizeof(enum joulie_cooling) == 4, "enums of public structs have four bytes");

struct problem {
    int code; /* 0 = none */
    const char *where;
    const char *message;
};

#define PATH(member, bit, path, bounds, use, stand_in) (path),
#define BOUNDS(member, bit, path, bounds, use, stand_in) JL_TWIN_##bounds,

static const char *const paths[] = { JL_TWIN_INPUTS(PATH) };

const enum jl_twin_bounds jl_twin_bounds_of[] = { JL_TWIN_INPUTS(BOUNDS) };

static bool has(const struct joulie_twin_input *in, uint64_t bit)
{
    return (in->has & bit) != 0;
}

static double value_or(const struct joulie_twin_input *in, uint64_t bit, double value,
                       double otherwise)
{
    return has(in, bit) ? value : otherwise;
}

static double number_at(const struct joulie_twin_input *in, size_t index)
{
    double value;
    memcpy(&value, (const char *)&in->cpu_sockets + index * sizeof value, sizeof value);
    return value;
}

/* ---- What may come in ---- */

/* No number that is not finite lies between two that are. */
static bool is_between(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool is_in_bounds(double value, enum jl_twin_bounds bounds)
{
    switch (bounds) {
    case JL_TWIN_ANY:
        return is_between(value, -DBL_MAX, DBL_MAX);
    case JL_TWIN_FROM_0:
        return is_between(value, 0, DBL_MAX);
    case JL_TWIN_ABOVE_0:
        return is_between(value, DBL_TRUE_MIN, DBL_MAX);
    case JL_TWIN_PERCENT:
        return is_between(value, DBL_TRUE_MIN, 100);
    }
    return false;
}

static struct problem check_numbers(const struct joulie_twin_input *in)
{
    const bool is_current = jl_twin_rules_are_current(in->rules);
    for (uint64_t bits = in->has; bits != 0; bits &= bits - 1) {
        const size_t number = (size_t)__builtin_ctzll(bits);
        if (!is_in_bounds(number_at(in, number),
                          is_current ? jl_twin_bounds_of[number] : JL_TWIN_ANY))
            return (struct problem){ JOULIE_E_RANGE, paths[number],
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
    if (in->cooling_model == JOULIE_COOLING_DX && !has(in, JOULIE_TWIN_HAS_CLUSTER_POWER) &&
        !(jl_twin_rules_are_current(in->rules) && has(in, JOULIE_TWIN_HAS_ZONE_POWER)))
        return (struct problem){ JOULIE_E_REQUIRED, "clusterTotalPowerW",
                                 "the model dx needs the cluster's power" };
    if (in->cooling_model == JOULIE_COOLING_CUSTOM && in->cooling == NULL)
        return (struct problem){ JOULIE_E_REQUIRED, "coolingModel",
                                 "the custom model has no function" };
    return (struct problem){ 0 };
}

/* ---- Any cooling model ---- */

static struct jl_cooling_input cooling_of(const struct joulie_twin_input *in, bool is_current,
                                          double power_w, double node_tdp_w)
{
    const bool has_zone_temp = is_current && has(in, JOULIE_TWIN_HAS_ZONE_TEMP);
    const bool has_zone_power = is_current && has(in, JOULIE_TWIN_HAS_ZONE_POWER);
    return (struct jl_cooling_input){
        .is_current = is_current,
        .power_w = power_w,
        .node_tdp_w = node_tdp_w,
        .has_outside = has_zone_temp || has(in, JOULIE_TWIN_HAS_OUTSIDE_TEMP),
        .outside_c = has_zone_temp ? in->zone_temp_c : in->outside_temp_c,
        .has_reference = has(in, JOULIE_TWIN_HAS_COOLING_REFERENCE),
        .reference_w = in->cooling_reference_w,
        .cluster_w = has_zone_power ? in->zone_total_power_w : in->cluster_total_power_w,
        .design_it_w = value_or(in, JOULIE_TWIN_HAS_COOLING_DESIGN_IT, in->cooling_design_it_w,
                                JL_DX_DESIGN_IT_W),
        .custom = in->cooling,
        .user = in->cooling_user,
    };
}

static int given(bool is_given)
{
    return is_given ? JOULIE_PROVENANCE_GIVEN : JOULIE_PROVENANCE_ASSUMED;
}

/* Which number the model's full stress rests on. */
static int reference_provenance(const struct joulie_twin_input *in, enum joulie_cooling model)
{
    switch (model) {
    case JOULIE_COOLING_LINEAR:
        return given(has(in, JOULIE_TWIN_HAS_COOLING_REFERENCE) && in->cooling_reference_w > 0);
    case JOULIE_COOLING_CRAH:
    case JOULIE_COOLING_AISLE:
    case JOULIE_COOLING_DLC:
    case JOULIE_COOLING_IMMERSION:
    case JOULIE_COOLING_FREE:
        return given(has(in, JOULIE_TWIN_HAS_COOLING_REFERENCE));
    case JOULIE_COOLING_DX:
        return given(has(in, JOULIE_TWIN_HAS_COOLING_DESIGN_IT));
    case JOULIE_COOLING_UNKNOWN:
    case JOULIE_COOLING_TDP_RATIO:
    case JOULIE_COOLING_CUSTOM:
        break;
    }
    return JOULIE_PROVENANCE_UNKNOWN;
}

static void put(struct jl_prediction *out, uint64_t bit, double *member, double value)
{
    out->has |= bit;
    *member = value;
}

static void put_cooling(const struct joulie_twin_input *in, enum joulie_cooling model,
                        bool is_current, double node_tdp_w, struct jl_prediction *out)
{
    struct jl_cooling_input cooling_in = cooling_of(in, is_current, out->node_power_w, node_tdp_w);
    struct jl_cooling cooling;
    cooling_in.model = model;
    jl_cooling_predict(&cooling_in, &cooling);
    if (cooling.has_stress)
        put(out, JOULIE_TWIN_OUT_COOLING, &out->cooling_stress_score, cooling.stress);
    if (cooling.has_pue)
        put(out, JOULIE_TWIN_OUT_PUE, &out->estimated_pue, cooling.pue);
    out->cooling_model = (jl_int)model;
    out->cooling_reference_provenance = reference_provenance(in, model);
    out->outside_temp_provenance = is_current && has(in, JOULIE_TWIN_HAS_ZONE_TEMP)
                                       ? (int)JOULIE_PROVENANCE_ZONE
                                       : given(has(in, JOULIE_TWIN_HAS_OUTSIDE_TEMP));
}

/* ---- Version rule sets ---- */

static void put_source_caps(const struct joulie_twin_input *in, struct jl_prediction *out)
{
    const struct jl_cap_request cpu = { .has_pct = has(in, JOULIE_TWIN_HAS_CPU_CAP_PCT),
                                        .pct = in->cpu_cap_pct };
    const struct jl_cap_request gpu = { .has_pct = has(in, JOULIE_TWIN_HAS_GPU_CAP_PCT),
                                        .pct = in->gpu_cap_pct };
    out->cpu_effective_pct = jl_cap_source_pct(&cpu);
    out->gpu_effective_pct = jl_cap_source_pct(&gpu);
    out->cpu_cap_state = cpu.has_pct ? JOULIE_CAP_STATE_REQUESTED : JOULIE_CAP_STATE_NONE;
    out->gpu_cap_state = gpu.has_pct ? JOULIE_CAP_STATE_REQUESTED : JOULIE_CAP_STATE_NONE;
}

/* What is missing reads as 0. */
static void put_source_budget(const struct joulie_twin_input *in, struct jl_prediction *out)
{
    const double cpu_tdp_w = value_or(in, JOULIE_TWIN_HAS_CPU_SOCKETS, in->cpu_sockets, 0) *
                             value_or(in, JOULIE_TWIN_HAS_CPU_MAX, in->cpu_max_w, 0);
    const double gpu_tdp_w = value_or(in, JOULIE_TWIN_HAS_GPU_COUNT, in->gpu_count, 0) *
                             value_or(in, JOULIE_TWIN_HAS_GPU_MAX, in->gpu_max_w, 0);
    const struct jl_budget budget =
        jl_budget_of(cpu_tdp_w, gpu_tdp_w, out->cpu_effective_pct, out->gpu_effective_pct);
    put(out, JOULIE_TWIN_OUT_CPU_TDP, &out->cpu_tdp_w, budget.cpu_tdp_w);
    put(out, JOULIE_TWIN_OUT_CPU_CAPPED, &out->cpu_capped_w, budget.cpu_capped_w);
    put(out, JOULIE_TWIN_OUT_GPU_TDP, &out->gpu_tdp_w, budget.gpu_tdp_w);
    put(out, JOULIE_TWIN_OUT_GPU_CAPPED, &out->gpu_capped_w, budget.gpu_capped_w);
    put(out, JOULIE_TWIN_OUT_NODE_TDP, &out->node_tdp_w, budget.node_tdp_w);
    put(out, JOULIE_TWIN_OUT_NODE_CAPPED, &out->node_capped_w, budget.node_capped_w);
    if (has(in, JOULIE_TWIN_HAS_CPU_SOCKETS) && has(in, JOULIE_TWIN_HAS_CPU_MAX))
        out->cpu_tdp_provenance = JOULIE_PROVENANCE_GIVEN;
    if (has(in, JOULIE_TWIN_HAS_GPU_COUNT) && has(in, JOULIE_TWIN_HAS_GPU_MAX))
        out->gpu_tdp_provenance = JOULIE_PROVENANCE_GIVEN;
}

/* The rack's constant is applied to the whole cluster's power. */
static void put_source_psu(const struct joulie_twin_input *in, struct jl_prediction *out)
{
    const double rack_w = value_or(in, JOULIE_TWIN_HAS_RACK_POWER, in->rack_total_power_w, 0);
    const double cluster_w =
        value_or(in, JOULIE_TWIN_HAS_CLUSTER_POWER, in->cluster_total_power_w, 0);
    put(out, JOULIE_TWIN_OUT_PSU, &out->psu_stress_score, jl_psu_stress_source(rack_w, cluster_w));
    if (!(rack_w > 0 || cluster_w > 0))
        return;
    out->psu_supply = rack_w > 0 ? JOULIE_SUPPLY_RACK : JOULIE_SUPPLY_CLUSTER;
    out->psu_capacity_provenance = JOULIE_PROVENANCE_ASSUMED;
}

static void predict_source(const struct joulie_twin_input *in, struct jl_prediction *out)
{
    const bool is_measured = in->rules == JOULIE_TWIN_RULES_V0_1_1;
    const bool has_gpu = has(in, JOULIE_TWIN_HAS_GPU_COUNT);
    put_source_caps(in, out);
    put_source_budget(in, out);

    const double measured_w =
        value_or(in, JOULIE_TWIN_HAS_NODE_POWER, in->measured_node_power_w, 0);
    put(out, JOULIE_TWIN_OUT_NODE_POWER, &out->node_power_w,
        is_measured ? measured_w : out->node_capped_w);
    if (!is_measured)
        out->power_tier = JOULIE_POWER_TIER_CAP_ESTIMATE;
    else if (has(in, JOULIE_TWIN_HAS_NODE_POWER))
        out->power_tier = JOULIE_POWER_TIER_MEASURED;

    const enum joulie_cooling otherwise =
        is_measured ? JOULIE_COOLING_TDP_RATIO : JOULIE_COOLING_LINEAR;
    put_cooling(in, in->cooling_model != JOULIE_COOLING_UNKNOWN ? in->cooling_model : otherwise,
                false, out->node_tdp_w, out);
    if (is_measured)
        put(out, JOULIE_TWIN_OUT_HEADROOM, &out->power_headroom_score,
            out->node_capped_w > 0 ? jl_headroom_measured(out->node_capped_w, measured_w) : 100);
    else if ((out->has & JOULIE_TWIN_OUT_COOLING) != 0)
        put(out, JOULIE_TWIN_OUT_HEADROOM, &out->power_headroom_score,
            jl_headroom_from_caps(out->cpu_effective_pct, out->gpu_effective_pct,
                                  out->cooling_stress_score));
    put_source_psu(in, out);
    put(out, JOULIE_TWIN_OUT_DENSITY, &out->hardware_density_score,
        jl_density_score(value_or(in, JOULIE_TWIN_HAS_CPU_CORES, in->cpu_cores, 0), has_gpu,
                         has_gpu ? in->gpu_count : 0));
    if (has(in, JOULIE_TWIN_HAS_CPU_CORES))
        out->density_provenance = JOULIE_PROVENANCE_GIVEN;
}

/* ---- Current ---- */

/* With a cooling model that is not among the common ones. */
static void predict_plant(const struct joulie_twin_input *in, struct jl_prediction *out)
{
    struct jl_current now;
    jl_current_begin(in, &now, out);
    jl_put_budget(in, &now, out);
    jl_put_power(in, &now, out);
    if (now.is_scored)
        put_cooling(in, in->cooling_model, true, now.budget.node_tdp_w, out);
    jl_put_headroom(&now, (out->has & JOULIE_TWIN_OUT_COOLING) != 0, out);
    jl_put_psu(in, &now, out);
    jl_put_density(in, &now, out);
}

/* ---- The exported function ---- */

/* Two numbers at once: GCC and clang make one instruction of each operation. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

static inline pair pair_at(const double *number)
{
    pair values;
    memcpy(&values, number, sizeof values);
    return values;
}

static inline bool is_above_0_if(bool is_known, double value)
{
    return !is_known || value > 0;
}

/* The sign of a number that is never negative. */
#define SIGN(member, bit, path, bounds, use, stand_in) \
    JL_TWIN_##bounds == JL_TWIN_ANY ? 0 : INT64_MIN,
/* What sign and finiteness do not show. */
#define IS_IN_BOUNDS(member, bit, path, bounds, use, stand_in)       \
    &&(JL_TWIN_##bounds < JL_TWIN_ABOVE_0 ||                         \
       is_above_0_if(has(in, JOULIE_TWIN_HAS_##bit), in->member)) && \
        (JL_TWIN_##bounds != JL_TWIN_PERCENT || in->member <= 100)

/* True only if check_numbers() would find nothing with the rules CURRENT. It reads numbers without
 * a bit too, since most are 0; a sum is finite only if all its terms are. */
static inline __attribute__((always_inline)) bool
are_numbers_plain(const struct joulie_twin_input *in)
{
    static const int64_t sign_of[] = { JL_TWIN_INPUTS(SIGN) };
    const double *numbers = &in->cpu_sockets;
    pair sum = { 0 };
    pair_bits signs = { 0 };
#pragma GCC unroll 16
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i += 2) {
        const size_t at =
            i + 1 < JL_TWIN_NUMBERS ? i : i - 1; /* an odd last one: again, the pair */
        const pair values = pair_at(numbers + at);
        const pair_bits mask = { sign_of[at], sign_of[at + 1] };
        sum += values;
        signs |= (pair_bits)values & mask;
    }
    return (signs[0] | signs[1]) >= 0 && sum[0] * 0 + sum[1] * 0 == 0 JL_TWIN_INPUTS(IS_IN_BOUNDS);
}

static inline __attribute__((always_inline)) bool is_common(const struct joulie_twin_input *in)
{
    return (in->has & ~JL_TWIN_KNOWN_BITS) == 0 &&
           (unsigned)in->rules <= JOULIE_TWIN_RULES_CURRENT &&
           (unsigned)in->cooling_model <= JOULIE_COOLING_LINEAR &&
           (unsigned)in->cpu_feedback <= JOULIE_CAP_FEEDBACK_NOT_IN_FORCE &&
           (unsigned)in->gpu_feedback <= JOULIE_CAP_FEEDBACK_NOT_IN_FORCE && are_numbers_plain(in);
}

#define COPY(member, is_lean) out->member = from->member;
#define COPY_WORD(member) out->member = (__typeof__(out->member))from->member;

static inline void publish(const struct jl_prediction *from, struct joulie_twin_output *out)
{
    out->has = from->has;
    JL_TWIN_OUTPUTS(COPY)
    JL_TWIN_OUTPUT_WORDS(COPY_WORD)
}

/* The first thing that is wrong, in the order of the checks. */
static struct problem problem_of(const struct joulie_twin_input *in)
{
    if ((in->has & ~JL_TWIN_KNOWN_BITS) != 0)
        return (struct problem){ JOULIE_E_ABI, "", "a field of a newer release is set" };
    const struct problem problem = check_numbers(in);
    return problem.code != 0 ? problem : check_choices(in);
}

static bool is_all_finite(const struct jl_prediction *out)
{
    const double zero = 0 * out->cooling_stress_score + 0 * out->psu_stress_score +
                        0 * out->hardware_density_score + 0 * out->estimated_pue +
                        0 * out->cpu_effective_pct + 0 * out->gpu_effective_pct;
    return zero == 0 && jl_is_in_range(out);
}

/* Any input, in the order of the checks. */
int jl_twin_predict(const struct joulie_twin_input *in, struct joulie_twin_output *out)
{
    const struct problem problem = problem_of(in);
    if (problem.code != 0)
        return problem.code;
    struct jl_prediction result = { 0 };
    if (!jl_twin_rules_are_current(in->rules))
        predict_source(in, &result);
    else if (in->cooling_model <= JOULIE_COOLING_LINEAR)
        jl_predict_current(in, in->cooling_model, &result);
    else
        predict_plant(in, &result);
    if (!is_all_finite(&result))
        return JOULIE_E_RANGE;
    publish(&result, out);
    return JOULIE_OK;
}

static inline __attribute__((always_inline)) int predict(const struct joulie_twin_input *in,
                                                         struct joulie_twin_output *out)
{
    if (!is_common(in))
        return jl_twin_predict(in, out);
    struct jl_prediction result;
    jl_predict_current(in, in->cooling_model, &result);
    if (!jl_is_in_range(&result))
        return JOULIE_E_RANGE;
    publish(&result, out);
    return JOULIE_OK;
}

static __attribute__((noinline)) int fail_for(const struct joulie_twin_input *in,
                                              struct joulie_error *err)
{
    const struct problem problem = problem_of(in);
    return problem.code != 0
               ? jl_fail(err, problem.code, problem.where, "%s", problem.message)
               : jl_fail(err, JOULIE_E_RANGE, "", "the prediction leaves the range of a double");
}

/* Structs of another release. */
static __attribute__((noinline)) int predict_sized(const struct joulie_twin_input *in,
                                                   struct joulie_twin_output *out,
                                                   struct joulie_error *err)
{
    struct joulie_twin_input our_in;
    struct joulie_twin_output our_out;
    if (JL_SIZED_READ(&our_in, in) < 0 || jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (jl_twin_predict(&our_in, &our_out) < 0)
        return fail_for(&our_in, err);
    jl_sized_write(out, &our_out, sizeof our_out);
    return JOULIE_OK;
}

int joulie_twin_predict(const struct joulie_twin_input *in, struct joulie_twin_output *out,
                        struct joulie_error *err)
{
    if (in == NULL || out == NULL || in->struct_size != sizeof *in ||
        out->struct_size != sizeof *out)
        return predict_sized(in, out, err);
    return predict(in, out) == JOULIE_OK ? JOULIE_OK : fail_for(in, err);
}
