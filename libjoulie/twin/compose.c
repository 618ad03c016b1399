/* SPDX-License-Identifier: Apache-2.0 */

/* NodeTwin.status from whole objects: hardware, spec and feedback become numbers for
 * joulie_twin_predict(), its answer becomes the status (docs/rules/twin.md#status-of-a-nodetwin).
 * Called by the question predict and by the cluster model. */

#include "base/error.h"
#include "base/time.h"
#define JL_TWIN_TABLES
#include "twin/twin.h"

/* ---- Objects into numbers ---- */

static void set(struct joulie_twin_input *flat, uint64_t bit, double *member, double value)
{
    flat->has |= bit;
    *member = value;
}

/* The number of a record, if it has it. */
#define SET(bit, member, from, other) \
    set_if(flat, (from)->given.other, JOULIE_TWIN_HAS_##bit, &flat->member, (from)->other)

static void set_if(struct joulie_twin_input *flat, bool is_there, uint64_t bit, double *member,
                   double value)
{
    if (is_there)
        set(flat, bit, member, value);
}

static void set_known(struct joulie_twin_input *flat, uint64_t bit, double *member, double value)
{
    set_if(flat, value > 0, bit, member, value);
}

static void set_hardware(const struct jl_hardware *hardware, struct joulie_twin_input *flat)
{
    set_known(flat, JOULIE_TWIN_HAS_CPU_SOCKETS, &flat->cpu_sockets, hardware->sockets);
    set_known(flat, JOULIE_TWIN_HAS_CPU_CORES, &flat->cpu_cores, hardware->total_cores);
    set_known(flat, JOULIE_TWIN_HAS_CPU_MAX, &flat->cpu_max_w, hardware->cpu_max_w);
    if (!hardware->gpu_present)
        return;
    set(flat, JOULIE_TWIN_HAS_GPU_COUNT, &flat->gpu_count, hardware->gpu_count);
    set_known(flat, JOULIE_TWIN_HAS_GPU_MAX, &flat->gpu_max_w, hardware->gpu_max_w);
    if (hardware->gpu_model != NULL)
        set_known(flat, JOULIE_TWIN_HAS_GPU_IDLE, &flat->gpu_idle_w, hardware->gpu_model->idle_w);
}

/* The catalog's curves are of two sockets. */
static void set_curve(const struct jl_hardware *hardware, struct joulie_twin_input *flat)
{
    double two_sockets_w;
    if ((flat->has & JOULIE_TWIN_HAS_CPU_UTIL) != 0 && hardware->cpu_model != NULL &&
        jl_catalog_curve_w(hardware->cpu_model, flat->cpu_util_pct, &two_sockets_w))
        set(flat, JOULIE_TWIN_HAS_CPU_CURVE, &flat->cpu_curve_w,
            two_sockets_w * hardware->sockets / 2);
}

/* Idle watts, and what the pods add to them. */
static void set_allocation(const struct jl_twin_case *in, struct joulie_twin_input *flat)
{
    const struct jl_hardware *hardware = in->hardware;
    const double cpu_tdp_w = hardware->cpu_max_w * hardware->sockets;
    double two_sockets_w = 0;
    if (!in->has_pods)
        return;
    const double cpu_idle_w = jl_catalog_curve_w(hardware->cpu_model, 0, &two_sockets_w)
                                  ? two_sockets_w * hardware->sockets / 2
                                  : JL_CPU_IDLE_FRAC * cpu_tdp_w;
    set(flat, JOULIE_TWIN_HAS_CPU_ALLOCATED, &flat->cpu_allocated_w, cpu_idle_w + in->pods_cpu_w);
    if (!hardware->gpu_present)
        return;
    const double gpu_idle_w =
        flat->gpu_idle_w > 0 ? flat->gpu_idle_w : JL_GPU_IDLE_FRAC * hardware->gpu_max_w;
    set(flat, JOULIE_TWIN_HAS_GPU_ALLOCATED, &flat->gpu_allocated_w,
        hardware->gpu_count * gpu_idle_w + in->pods_gpu_w);
}

static void set_caps(const struct jl_twin_spec *spec, struct joulie_twin_input *flat)
{
    SET(CPU_CAP_PCT, cpu_cap_pct, &spec->cpu, cap_pct);
    SET(CPU_CAP_W, cpu_cap_w, &spec->cpu, cap_w);
    SET(GPU_CAP_PCT, gpu_cap_pct, &spec->gpu.power_cap, cap_pct);
    SET(GPU_CAP_W, gpu_cap_w, &spec->gpu.power_cap, cap_w);
}

static void set_previous(const struct jl_effective_caps *previous, struct joulie_twin_input *flat)
{
    SET(PREVIOUS_CPU_CAP_PCT, previous_cpu_cap_pct, previous, cpu_pct);
    SET(PREVIOUS_GPU_CAP_PCT, previous_gpu_cap_pct, previous, gpu_pct);
}

static enum joulie_cap_feedback feedback_of(const struct jl_control_part *part)
{
    switch ((enum joulie_control_result)jl_word_value(&jl_control_result_words,
                                                      jl_text(part->result))) {
    case JOULIE_CONTROL_APPLIED:
        return JOULIE_CAP_FEEDBACK_APPLIED;
    case JOULIE_CONTROL_PENDING:
        return JOULIE_CAP_FEEDBACK_PENDING;
    case JOULIE_CONTROL_BLOCKED:
    case JOULIE_CONTROL_ERROR:
    case JOULIE_CONTROL_NONE:
        return JOULIE_CAP_FEEDBACK_NOT_IN_FORCE;
    case JOULIE_CONTROL_UNKNOWN:
        break;
    }
    return JOULIE_CAP_FEEDBACK_UNKNOWN;
}

/* Words that the source writes beside the 0 W of a read that failed. */
static bool is_failed_read(enum joulie_power_source source)
{
    return source == JOULIE_POWER_SOURCE_HTTP_ERROR ||
           source == JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT ||
           source == JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA;
}

static struct joulie_twin_input flatten(const struct jl_twin_case *in)
{
    struct joulie_twin_input flat = *in->readings;
    set_hardware(in->hardware, &flat);
    set_caps(in->spec, &flat);
    if (!jl_twin_rules_are_current(flat.rules))
        return flat;
    set_curve(in->hardware, &flat);
    set_allocation(in, &flat);
    if (in->previous != NULL)
        set_previous(in->previous, &flat);
    if (in->control != NULL) {
        flat.cpu_feedback = feedback_of(&in->control->cpu);
        flat.gpu_feedback = feedback_of(&in->control->gpu);
    }
    if (is_failed_read(in->source))
        flat.has &= ~JOULIE_TWIN_HAS_NODE_POWER;
    return flat;
}

/* ---- Numbers into the status ---- */

static bool has(const struct joulie_twin_output *out, uint64_t bit)
{
    return (out->has & bit) != 0;
}

/* The word of the reading; JOULIE_POWER_SOURCE_UNKNOWN: none. */
static enum joulie_power_source source_of(const struct jl_twin_case *in,
                                          const struct joulie_twin_output *prediction)
{
    if (prediction->power_tier == JOULIE_POWER_TIER_MEASURED)
        return in->source;
    if (!jl_twin_rules_are_current(in->readings->rules))
        return in->source != JOULIE_POWER_SOURCE_UNKNOWN ? in->source : JOULIE_POWER_SOURCE_STATIC;
    if (prediction->power_tier == JOULIE_POWER_TIER_ALLOCATION)
        return JOULIE_POWER_SOURCE_ALLOCATION;
    return prediction->power_tier == JOULIE_POWER_TIER_UTILIZATION ? JOULIE_POWER_SOURCE_UTILIZATION
                                                                   : JOULIE_POWER_SOURCE_STATIC;
}

/* A number that was predicted; without its bit it is 0. */
#define PUT(to, member, bit, from) \
    JL_SET_IF(to, member, has(prediction, JOULIE_TWIN_OUT_##bit), prediction->from)

static void put_power(const struct jl_twin_case *in, const struct joulie_twin_output *prediction,
                      struct jl_power_measurement *power)
{
    const bool is_current = jl_twin_rules_are_current(in->readings->rules);
    const enum joulie_power_source source = source_of(in, prediction);
    JL_SET_IF(power, source, source != JOULIE_POWER_SOURCE_UNKNOWN, source);
    if (has(prediction, JOULIE_TWIN_OUT_NODE_POWER) &&
        prediction->power_tier != JOULIE_POWER_TIER_CAP_ESTIMATE)
        JL_SET(power, measured_node_power_w, prediction->node_power_w);
    PUT(power, cpu_capped_power_w, CPU_CAPPED, cpu_capped_w);
    PUT(power, gpu_capped_power_w, GPU_CAPPED, gpu_capped_w);
    PUT(power, node_capped_power_w, NODE_CAPPED, node_capped_w);
    PUT(power, cpu_tdp_w, CPU_TDP, cpu_tdp_w);
    PUT(power, gpu_tdp_w, GPU_TDP, gpu_tdp_w);
    PUT(power, node_tdp_w, NODE_TDP, node_tdp_w);
    if (in->has_trend || !is_current)
        JL_SET(power, power_trend_w_per_min, in->has_trend ? in->trend_w_per_min : 0);
}

static void put_scores(const struct joulie_twin_output *prediction, struct jl_twin_status *status)
{
    PUT(status, power_headroom_score, HEADROOM, power_headroom_score);
    PUT(status, cooling_stress_score, COOLING, cooling_stress_score);
    PUT(status, psu_stress_score, PSU, psu_stress_score);
    PUT(status, hardware_density_score, DENSITY, hardware_density_score);
    PUT(status, estimated_pue, PUE, estimated_pue);
    JL_SET(&status->effective_caps, cpu_pct, prediction->cpu_effective_pct);
    JL_SET(&status->effective_caps, gpu_pct, prediction->gpu_effective_pct);
    status->given.effective_caps = true;
}

static int put_updated(const struct jl_twin_case *in, struct jl_arena *arena,
                       struct jl_twin_status *status)
{
    char text[JL_TIME_TEXT];
    if (!in->has_now)
        return 0;
    const size_t len = jl_format_time(in->now_ms, text);
    JL_SET(status, last_updated, jl_arena_copy(arena, text, len));
    return status->last_updated != NULL ? 0 : jl_arena_code(arena);
}

/* ---- Advice ---- */

struct workloads {
    const struct jl_workload_profile **profiles;
    size_t count;
};

/* A profile that names another node is of no concern to this one. */
static bool is_elsewhere(const struct jl_workload_profile *profile, const char *node_name)
{
    return !jl_is_empty(profile->spec.node_name) && !jl_is_empty(node_name) &&
           !jl_same(profile->spec.node_name, node_name);
}

static int workloads_here(const struct jl_twin_case *in, struct jl_arena *arena,
                          struct workloads *out)
{
    *out = (struct workloads){ 0 };
    if (in->profile_count == 0)
        return 0;
    out->profiles = JL_NEW_ARRAY(arena, in->profile_count, const struct jl_workload_profile *);
    if (out->profiles == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < in->profile_count; i++) {
        if (!is_elsewhere(in->profiles[i], in->spec->node_name))
            out->profiles[out->count++] = in->profiles[i];
    }
    return 0;
}

static struct jl_advice_case advice_case_of(const struct jl_twin_case *in,
                                            const struct jl_twin_status *status,
                                            const struct workloads *workloads)
{
    return (struct jl_advice_case){
        .is_draining = in->spec->scheduling.draining,
        .has_cooling = status->given.cooling_stress_score,
        .cooling_stress = status->cooling_stress_score,
        .has_psu = status->given.psu_stress_score,
        .psu_stress = status->psu_stress_score,
        .profiles = workloads->profiles,
        .profile_count = workloads->count,
    };
}

/* Joulie v0.1.0 leaves an empty list out, so that old advice never disappears; current writes it.
 */
static int put_rescheduling(const struct jl_twin_case *in, const struct workloads *workloads,
                            struct jl_arena *arena, struct jl_twin_status *status)
{
    const struct jl_advice_case advice = advice_case_of(in, status, workloads);
    const bool is_current = jl_twin_rules_are_current(in->readings->rules);
    const int code = is_current ? jl_reschedule_advice(&advice, arena, &status->reschedule)
                                : jl_reschedule_advice_v0_1_0(&advice, arena, &status->reschedule);
    if (code == 0 && (is_current || status->reschedule.count > 0))
        status->given.reschedule = true;
    return code;
}

/* Joulie v0.1.1 gives no advice; in v0.1.0 profiles that are missing are none, in current they are
 * unknown. */
static int put_advice(const struct jl_twin_case *in, struct jl_arena *arena,
                      struct jl_twin_status *status)
{
    const enum joulie_twin_rules rules = in->readings->rules;
    if (rules == JOULIE_TWIN_RULES_V0_1_1 ||
        (jl_twin_rules_are_current(rules) && !in->has_profiles))
        return 0;
    struct workloads workloads;
    int code = workloads_here(in, arena, &workloads);
    if (code == 0)
        code = put_rescheduling(in, &workloads, arena, status);
    if (code == 0 &&
        jl_slicing_advice(in->hardware, workloads.profiles, workloads.count, &status->slicing))
        status->given.slicing = true;
    return code;
}

/* ---- Provenance ---- */

static const char *fact_word(enum jl_fact_source source)
{
    const char *word = jl_word_of(&jl_fact_source_words, (int)source);
    return word != NULL ? word : "unknown";
}

static const char *cooling_word(enum joulie_cooling model)
{
    const char *word = jl_word_of(&jl_cooling_words, (int)model);
    return word != NULL ? word : "custom";
}

/* Also of a node that no cooling was computed for. */
static const char *outside_word(const struct joulie_twin_input *readings)
{
    enum joulie_provenance provenance = JOULIE_PROVENANCE_ASSUMED;
    if ((readings->has & JOULIE_TWIN_HAS_OUTSIDE_TEMP) != 0)
        provenance = JOULIE_PROVENANCE_GIVEN;
    if (jl_twin_rules_are_current(readings->rules) &&
        (readings->has & JOULIE_TWIN_HAS_ZONE_TEMP) != 0)
        provenance = JOULIE_PROVENANCE_ZONE;
    return jl_word_of(&jl_provenance_words, (int)provenance);
}

static void put_psu_provenance(const struct joulie_twin_output *prediction,
                               struct jl_twin_provenance *out)
{
    if (prediction->psu_supply == JOULIE_SUPPLY_UNKNOWN)
        return;
    JL_SET(out, psu, jl_word_of(&jl_supply_words, (int)prediction->psu_supply));
    JL_SET(out, capacity,
           jl_word_of(&jl_provenance_words, (int)prediction->psu_capacity_provenance));
}

static void put_provenance(const struct jl_twin_case *in,
                           const struct joulie_twin_output *prediction,
                           struct jl_twin_provenance *out)
{
    const struct jl_hardware *hardware = in->hardware;
    const char *tier = jl_word_of(&jl_power_tier_words, (int)prediction->power_tier);
    JL_SET_IF(out, measured_node_power, tier != NULL, tier);
    JL_SET(out, cpu_tdp, fact_word(hardware->cpu_max_source));
    /* 0 W on a node that is known to have no GPU needs no origin. */
    if (hardware->gpu_present || !(prediction->node_tdp_w > 0))
        JL_SET(out, gpu_tdp, fact_word(hardware->gpu_max_source));
    JL_SET(out, outside_temp, outside_word(in->readings));
    if (prediction->cooling_model != JOULIE_COOLING_UNKNOWN)
        JL_SET(out, cooling_model, cooling_word(prediction->cooling_model));
    JL_SET(out, cpu_cap, jl_word_of(&jl_cap_state_words, (int)prediction->cpu_cap_state));
    JL_SET(out, gpu_cap, jl_word_of(&jl_cap_state_words, (int)prediction->gpu_cap_state));
    put_psu_provenance(prediction, out);
}

int jl_twin_compose(const struct jl_twin_case *in, struct jl_arena *arena,
                    struct jl_twin_status *out_status, struct jl_twin_provenance *out_provenance,
                    struct joulie_error *err)
{
    const struct joulie_twin_input flat = flatten(in);
    struct joulie_twin_output prediction = JOULIE_INIT(struct joulie_twin_output);
    int code = joulie_twin_predict(&flat, &prediction, err);
    if (code != 0)
        return code;

    struct jl_twin_status status = { 0 };
    JL_SET(&status, schedulable_class,
           jl_twin_class(in->spec->profile, in->spec->scheduling.draining));
    if (in->readings->rules !=
        JOULIE_TWIN_RULES_V0_1_0) { /* that release has no powerMeasurement */
        put_power(in, &prediction, &status.power);
        status.given.power = true;
    }
    put_scores(&prediction, &status);
    code = put_advice(in, arena, &status);
    if (code == 0)
        code = put_updated(in, arena, &status);
    if (code != 0)
        return jl_fail(err, code, "", "no room for the advice");

    if (out_provenance != NULL) {
        *out_provenance = (struct jl_twin_provenance){ 0 };
        put_provenance(in, &prediction, out_provenance);
    }
    *out_status = status;
    return 0;
}
