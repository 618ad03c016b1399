/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_slowdown_predict(): what caps cost a piece of work in speed
 * (docs/rules/physics.md#slowdown), by the models of this room. */

#include <float.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/text.h"
#include "physics/physics.h"

/* The numbers of the input in the order of their bits, and what each may be. */
struct number {
    size_t offset;
    const char *where;
    double low;
    double high;
};

#define NUMBER(member, bounds)                                          \
    {                                                                   \
        offsetof(struct joulie_slowdown_input, member), #member, bounds \
    }
#define UNIT 0, 1
#define NOT_NEGATIVE 0, DBL_MAX
#define POSITIVE DBL_TRUE_MIN, DBL_MAX
#define PERCENT DBL_TRUE_MIN, 100
#define SHARE DBL_TRUE_MIN, 1

static const struct number numbers[] = {
    NUMBER(memory_intensity, UNIT),      NUMBER(io_intensity, UNIT),
    NUMBER(feed_intensity, UNIT),        NUMBER(cpu_freq_frac, UNIT),
    NUMBER(cpu_cap_w, POSITIVE),         NUMBER(cpu_cap_pct, PERCENT),
    NUMBER(cpu_max_w, POSITIVE),         NUMBER(cpu_idle_w, NOT_NEGATIVE),
    NUMBER(cpu_util_frac, UNIT),         NUMBER(cpu_min_freq_frac, UNIT),
    NUMBER(cpu_knee_frac, UNIT),         NUMBER(cpu_thermal_frac, UNIT),
    NUMBER(gpu_cap_w, POSITIVE),         NUMBER(gpu_cap_pct, PERCENT),
    NUMBER(gpu_max_w, POSITIVE),         NUMBER(gpu_idle_w, NOT_NEGATIVE),
    NUMBER(gpu_util_frac, UNIT),         NUMBER(gpu_thermal_frac, UNIT),
    NUMBER(gpu_compute_gamma, POSITIVE), NUMBER(gpu_memory_epsilon, SHARE),
    NUMBER(gpu_memory_gamma, POSITIVE),
};

#define KNOWN_BITS ((UINT64_C(1) << JL_COUNT(numbers)) - 1)

_Static_assert(JOULIE_SLOWDOWN_HAS_GPU_MEMORY_GAMMA << 1 == KNOWN_BITS + 1, "a line for each bit");

static bool has(const struct joulie_slowdown_input *in, uint64_t bit)
{
    return (in->has & bit) != 0;
}

static double value_or(const struct joulie_slowdown_input *in, uint64_t bit, double value,
                       double otherwise)
{
    return has(in, bit) ? value : otherwise;
}

static int check(const struct joulie_slowdown_input *in, struct joulie_error *err)
{
    if ((in->has & ~KNOWN_BITS) != 0)
        return jl_fail(err, JOULIE_E_ABI, "", "a field of a newer release is set");
    for (uint64_t bits = in->has; bits != 0; bits &= bits - 1) {
        const struct number *number = &numbers[__builtin_ctzll(bits)];
        double value;
        memcpy(&value, (const char *)in + number->offset, sizeof value);
        if (!(value >= number->low && value <= number->high))
            return jl_fail(err, JOULIE_E_RANGE, number->where,
                           "the number is not finite or out of its bounds");
    }
    if ((unsigned)in->cpu_bound > JOULIE_BOUND_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "cpu_bound", "there is no such bound");
    if ((unsigned)in->gpu_bound > JOULIE_BOUND_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "gpu_bound", "there is no such bound");
    return 0;
}

static void put(struct joulie_slowdown_output *out, uint64_t bit, double *member, double value)
{
    out->has |= bit;
    *member = value;
}

/* ---- CPU ---- */

static enum jl_cpu_class cpu_class(enum joulie_bound bound)
{
    switch (bound) {
    case JOULIE_BOUND_COMPUTE:
        return JL_CPU_COMPUTE;
    case JOULIE_BOUND_MEMORY:
        return JL_CPU_MEMORY;
    case JOULIE_BOUND_IO:
        return JL_CPU_IO;
    case JOULIE_BOUND_UNKNOWN:
    case JOULIE_BOUND_MIXED:
    case JOULIE_BOUND_NONE:
        break;
    }
    return JL_CPU_MIXED;
}

static struct jl_cpu_mix cpu_mix(const struct joulie_slowdown_input *in)
{
    return (struct jl_cpu_mix){
        .class_ = cpu_class(in->cpu_bound),
        .memory = value_or(in, JOULIE_SLOWDOWN_HAS_MEMORY, in->memory_intensity, 0),
        .io = value_or(in, JOULIE_SLOWDOWN_HAS_IO, in->io_intensity, 0),
    };
}

/* The base profile with the watts of the input; its cap is the caller's, so it has no range. */
static void cpu_profile(const struct joulie_slowdown_input *in, struct jl_physics_profile *out)
{
    const struct jl_physics_hardware unknown = { 0 };
    jl_physics_resolve(NULL, &unknown, JL_PHYSICS_CURRENT, out);
    const double idle_share = out->idle_w / out->max_w;
    out->max_w = in->cpu_max_w;
    out->idle_w =
        value_or(in, JOULIE_SLOWDOWN_HAS_CPU_IDLE, in->cpu_idle_w, idle_share * in->cpu_max_w);
    out->min_freq =
        value_or(in, JOULIE_SLOWDOWN_HAS_CPU_MIN_FREQ, in->cpu_min_freq_frac, JL_MIN_FREQ_UNSET);
    out->knee = value_or(in, JOULIE_SLOWDOWN_HAS_CPU_KNEE, in->cpu_knee_frac, JL_KNEE_UNSET);
    out->cap_min_w = 0;
    out->cap_max_w = DBL_MAX;
    out->cap_head_w = 0;
    out->curve_model = NULL;
}

static bool has_cpu_cap(const struct joulie_slowdown_input *in)
{
    return has(in, JOULIE_SLOWDOWN_HAS_CPU_CAP_W | JOULIE_SLOWDOWN_HAS_CPU_CAP_PCT);
}

static double cpu_cap_w(const struct joulie_slowdown_input *in)
{
    if (has(in, JOULIE_SLOWDOWN_HAS_CPU_CAP_W))
        return in->cpu_cap_w;
    return has(in, JOULIE_SLOWDOWN_HAS_CPU_CAP_PCT) ? in->cpu_max_w * in->cpu_cap_pct / 100
                                                    : DBL_MAX;
}

/* Frequency and watts by the model of a node without a measured curve. */
static struct jl_cpu_state cpu_state(const struct joulie_slowdown_input *in, double freq,
                                     double cap_w)
{
    struct jl_physics_profile profile;
    struct jl_cpu_state state;
    cpu_profile(in, &profile);
    const struct jl_cpu_mix mix = cpu_mix(in);
    struct jl_cpu_load load;
    jl_cpu_load_of(&mix, value_or(in, JOULIE_SLOWDOWN_HAS_CPU_UTIL, in->cpu_util_frac, 1), &load);
    load.thermal = value_or(in, JOULIE_SLOWDOWN_HAS_CPU_THERMAL, in->cpu_thermal_frac, 0);
    load.freq = freq;
    load.cap_w = cap_w;
    jl_cpu_power(&profile, &load, JL_PHYSICS_CURRENT, &state);
    return state;
}

static void predict_cpu(const struct joulie_slowdown_input *in, struct joulie_slowdown_output *out)
{
    const bool has_freq = has(in, JOULIE_SLOWDOWN_HAS_CPU_FREQ);
    const bool has_max = has(in, JOULIE_SLOWDOWN_HAS_CPU_MAX);
    if (!has_freq && has_cpu_cap(in) && !has_max)
        return;
    struct jl_cpu_state state = { .freq = has_freq ? in->cpu_freq_frac : 1 };
    if (has_max) {
        state = cpu_state(in, state.freq, has_freq ? DBL_MAX : cpu_cap_w(in));
        put(out, JOULIE_SLOWDOWN_OUT_CPU_POWER, &out->cpu_power_w, state.power_w);
    }
    put(out, JOULIE_SLOWDOWN_OUT_CPU_FREQ, &out->cpu_freq_frac, state.freq);
    out->cpu_provenance = has_freq || !has_cpu_cap(in) || has(in, JOULIE_SLOWDOWN_HAS_CPU_IDLE)
                              ? JOULIE_PROVENANCE_GIVEN
                              : JOULIE_PROVENANCE_ASSUMED;

    const struct jl_cpu_mix mix = cpu_mix(in);
    struct jl_cpu_weights weights;
    jl_cpu_weights(&mix, &weights);
    const double speed =
        jl_cpu_speed(&weights, state.freq,
                     value_or(in, JOULIE_SLOWDOWN_HAS_CPU_KNEE, in->cpu_knee_frac, JL_KNEE_UNSET),
                     value_or(in, JOULIE_SLOWDOWN_HAS_CPU_THERMAL, in->cpu_thermal_frac, 0));
    put(out, JOULIE_SLOWDOWN_OUT_CPU_THROUGHPUT, &out->cpu_throughput, speed);
    if (speed > 0)
        put(out, JOULIE_SLOWDOWN_OUT_CPU_SLOWDOWN, &out->cpu_slowdown, 1 / speed);
}

/* ---- GPU ---- */

static enum jl_gpu_class gpu_class(enum joulie_bound bound)
{
    switch (bound) {
    case JOULIE_BOUND_COMPUTE:
        return JL_GPU_COMPUTE;
    case JOULIE_BOUND_MEMORY:
        return JL_GPU_MEMORY;
    case JOULIE_BOUND_UNKNOWN:
    case JOULIE_BOUND_IO:
    case JOULIE_BOUND_MIXED:
    case JOULIE_BOUND_NONE:
        break;
    }
    return JL_GPU_MIXED;
}

/* Exponents of 0 are the defaults of jl_gpu_throughput(). */
static struct jl_gpu_profile gpu_profile(const struct joulie_slowdown_input *in)
{
    const struct jl_gpu_profile none = { 0 };
    struct jl_gpu_profile gpu;
    (void)jl_gpu_resolve(&none, JL_PHYSICS_CURRENT, &gpu);
    const double idle_share = gpu.idle_w / gpu.max_w;
    gpu.max_w = in->gpu_max_w;
    gpu.idle_w =
        value_or(in, JOULIE_SLOWDOWN_HAS_GPU_IDLE, in->gpu_idle_w, idle_share * in->gpu_max_w);
    gpu.min_cap_w = 0;
    gpu.compute_gamma =
        value_or(in, JOULIE_SLOWDOWN_HAS_GPU_COMPUTE_GAMMA, in->gpu_compute_gamma, 0);
    gpu.memory_epsilon =
        value_or(in, JOULIE_SLOWDOWN_HAS_GPU_MEMORY_EPSILON, in->gpu_memory_epsilon, 0);
    gpu.memory_gamma = value_or(in, JOULIE_SLOWDOWN_HAS_GPU_MEMORY_GAMMA, in->gpu_memory_gamma, 0);
    return gpu;
}

static double gpu_cap_w(const struct joulie_slowdown_input *in)
{
    if (has(in, JOULIE_SLOWDOWN_HAS_GPU_CAP_W))
        return in->gpu_cap_w;
    return has(in, JOULIE_SLOWDOWN_HAS_GPU_CAP_PCT) ? in->gpu_max_w * in->gpu_cap_pct / 100 : 0;
}

#define GPU_FACTS                                                           \
    (JOULIE_SLOWDOWN_HAS_GPU_IDLE | JOULIE_SLOWDOWN_HAS_GPU_COMPUTE_GAMMA | \
     JOULIE_SLOWDOWN_HAS_GPU_MEMORY_EPSILON | JOULIE_SLOWDOWN_HAS_GPU_MEMORY_GAMMA)

static void predict_gpu(const struct joulie_slowdown_input *in, struct joulie_slowdown_output *out)
{
    if (!has(in, JOULIE_SLOWDOWN_HAS_GPU_MAX))
        return;
    const struct jl_gpu_profile gpu = gpu_profile(in);
    const struct jl_gpu_mix mix = {
        .class_ = gpu_class(in->gpu_bound),
        .memory = value_or(in, JOULIE_SLOWDOWN_HAS_MEMORY, in->memory_intensity, 0),
        .feed = value_or(in, JOULIE_SLOWDOWN_HAS_FEED, in->feed_intensity, 0),
    };
    struct jl_gpu_weights weights;
    jl_gpu_weights(&mix, &weights);
    const double natural_w = jl_gpu_natural_w(
        &gpu, &weights, value_or(in, JOULIE_SLOWDOWN_HAS_GPU_UTIL, in->gpu_util_frac, 1));
    const double cap_w = jl_gpu_cap_w(&gpu, gpu_cap_w(in));
    const double speed = jl_gpu_throughput(
        &gpu, &weights, natural_w, cap_w,
        value_or(in, JOULIE_SLOWDOWN_HAS_GPU_THERMAL, in->gpu_thermal_frac, 0), JL_PHYSICS_CURRENT);
    put(out, JOULIE_SLOWDOWN_OUT_GPU_NATURAL, &out->gpu_natural_w, natural_w);
    put(out, JOULIE_SLOWDOWN_OUT_GPU_POWER, &out->gpu_power_w,
        jl_gpu_power_w(&gpu, natural_w, cap_w));
    put(out, JOULIE_SLOWDOWN_OUT_GPU_THROUGHPUT, &out->gpu_throughput, speed);
    if (speed > 0)
        put(out, JOULIE_SLOWDOWN_OUT_GPU_SLOWDOWN, &out->gpu_slowdown, 1 / speed);
    out->gpu_provenance =
        (in->has & GPU_FACTS) == GPU_FACTS ? JOULIE_PROVENANCE_GIVEN : JOULIE_PROVENANCE_ASSUMED;
}

/* ---- The exported function ---- */

static bool is_finite_output(const struct joulie_slowdown_output *out)
{
    const double all[] = { out->cpu_freq_frac,  out->cpu_power_w,   out->cpu_throughput,
                           out->cpu_slowdown,   out->gpu_natural_w, out->gpu_power_w,
                           out->gpu_throughput, out->gpu_slowdown };
    bool is_finite = true;
    for (size_t i = 0; i < JL_COUNT(all); i++)
        is_finite &= jl_is_finite(all[i]);
    return is_finite;
}

int joulie_slowdown_predict(const struct joulie_slowdown_input *in,
                            struct joulie_slowdown_output *out, struct joulie_error *err)
{
    struct joulie_slowdown_input ours;
    struct joulie_slowdown_output result = { 0 };
    if (jl_sized_check(in, sizeof *in) < 0 || jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (jl_sized_read(&ours, sizeof ours, in) < 0)
        return jl_fail(err, JOULIE_E_ABI, "", "a field of a newer release is set");
    const int code = check(&ours, err);
    if (code < 0)
        return code;
    predict_cpu(&ours, &result);
    predict_gpu(&ours, &result);
    if (!is_finite_output(&result))
        return jl_fail(err, JOULIE_E_RANGE, "", "the prediction leaves the range of a double");
    jl_sized_write(out, &result, sizeof result);
    return JOULIE_OK;
}
