/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The digital twin (docs/rules/twin.md, docs/rules/cooling.md): one rule per file, put together by
 * joulie_twin_predict() for the numbers of one node and by jl_twin_compose() for whole objects.
 */

#include <joulie/twin.h>

#include "base/arena.h"
#include "catalog/hardware.h"
#include "kinds/node_twin.h"
#include "kinds/workload_profile.h"
#include "twin/numbers.h"
#include "twin/psu.h"

#ifdef JL_TWIN_TABLES
#define RECORD_TABLES
#endif

#define JL_STRESS_THRESHOLD 70.0 /* advice is given above it */

extern const struct jl_words jl_cooling_words;     /* enum joulie_cooling */
extern const struct jl_words jl_cap_state_words;   /* enum joulie_cap_state */
extern const struct jl_words jl_power_tier_words;  /* enum joulie_power_tier */
extern const struct jl_words jl_provenance_words;  /* enum joulie_provenance; none for unknown */
extern const struct jl_words jl_supply_words;      /* enum joulie_supply; none for unknown */
extern const struct jl_words jl_fact_source_words; /* enum jl_fact_source; no word for unknown */

/* The rule set of a version word; anything else, NULL too, is current. */
enum joulie_twin_rules jl_twin_rules(const char *model);
bool jl_twin_rules_are_current(enum joulie_twin_rules rules);

/* ---- PSU stress; the other scores are headers over lanes.h ---- */

double jl_psu_stress_source(double rack_w, double cluster_w); /* 0 = unknown */

/* The rule of current; false = unknown. */
bool jl_psu_stress(const struct jl_supplies *in, double *out);
/* What a node adds to its rack (docs/rules/twin.md#psu-stress): its power when read, else its caps.
 * False = unknown. An estimate from caps is not in a status as measured power. */
bool jl_status_rack_share_w(const struct jl_twin_status *status, double *out_w);

/* enum joulie_node_class of a node. */
enum joulie_node_class jl_twin_class(enum joulie_profile profile, bool is_draining);

/* ---- Cooling (docs/rules/cooling.md) ---- */

/* Which model, as it is asked for. */
#define RECORD jl_cooling_config
#define MEMBERS                                                                              \
    ENUM(type, "type", joulie_cooling, jl_cooling_words, "Model of cooling stress and PUE.", \
         REQUIRED, ALWAYS)                                                                   \
    NUMBER(reference_w, "referenceW",                                                        \
           "Power of full stress in watts; default 4000 (linear) or the node's TDP.",        \
           NOT_NEGATIVE)                                                                     \
    NUMBER(design_it_w, "designItW",                                                         \
           "IT power that a dx plant is built for, in watts; default 1e6.", OVER(0))
#include "schema/shared_record.h"

struct jl_cooling_plant { /* a parametric model at one point */
    double cooling_w;
    double pue;
    double cop;
    double indoor_c;
};

/* CRAH, AISLE, DLC, IMMERSION, FREE; false for other models. */
bool jl_cooling_parametric(enum joulie_cooling model, double it_w, double outside_c,
                           struct jl_cooling_plant *out);

#define JL_DX_INDOOR_C 25.0   /* set point and quasi-static room temperature */
#define JL_DX_DESIGN_IT_W 1e6 /* plant size of the source */

struct jl_dx {
    int mode;             /* 1 outside air only, 2 both, 3 mechanical */
    double free_fraction; /* share of outside air */
    double free_w;
    double mechanical_w;
    double unit_cop;
    double compressor_w;
    double fan_w;
    double cooling_w; /* compressor and fan */
    double system_cop;
    double indoor_rate_c_per_s; /* of the room temperature */
};

void jl_cooling_dx(double it_w, double outside_c, double indoor_c, double design_it_w,
                   struct jl_dx *out);

struct jl_cooling_input {
    enum joulie_cooling model;
    bool is_current; /* 0 °C and below are temperatures */
    double power_w;  /* of the node */
    double node_tdp_w;
    bool has_outside;
    double outside_c;
    bool has_reference;
    double reference_w;
    double cluster_w;   /* DX */
    double design_it_w; /* DX */
    joulie_cooling_fn *custom;
    void *user;
};

struct jl_cooling {
    bool has_stress;
    double stress;
    bool has_pue;
    double pue;
};

/* Stress and PUE of any model. */
void jl_cooling_predict(const struct jl_cooling_input *in, struct jl_cooling *out);

/* ---- Trend (docs/rules/twin.md#trend) ---- */

#define JL_TREND_WINDOW_MS (INT64_C(5) * 60 * 1000)
#define JL_TREND_LEAST_MS \
    6000 /* between the ends of what is in the window; less is too short for a trend */

#define RECORD jl_power_sample
#define MEMBERS                                                                                \
    TIME(t_ms, "t", "Instant of the measurement: RFC 3339, or a number of seconds.", REQUIRED, \
         OR_SECONDS)                                                                           \
    NUMBER(w, "w", "Power of the node in watts; absent when the read failed.", NOT_NEGATIVE)
#include "schema/shared_record.h"

/* W per minute over the window that ends at *end_ms (NULL: at the newest sample); false = unknown,
 * current only. */
bool jl_power_trend(const struct jl_power_sample *samples, size_t count, const int64_t *end_ms,
                    enum joulie_twin_rules rules, double *out_w_per_min);

/* ---- Advice (docs/rules/twin.md#rescheduling-advice) ---- */

struct jl_advice_case {
    bool is_draining;
    bool has_cooling;
    double cooling_stress;
    bool has_psu;
    double psu_stress;
    const struct jl_workload_profile *const *profiles;
    size_t profile_count;
};

/* List of struct jl_reschedule_advice in the arena, with its texts. 0, JOULIE_E_NOMEM or
 * JOULIE_E_LIMIT. */
int jl_reschedule_advice(const struct jl_advice_case *in, struct jl_arena *arena,
                         struct jl_list *out);
int jl_reschedule_advice_v0_1_0(const struct jl_advice_case *in, struct jl_arena *arena,
                                struct jl_list *out);

/* False = no advice (no GPU, or slicing is not supported). */
bool jl_slicing_advice(const struct jl_hardware *hardware,
                       const struct jl_workload_profile *const *profiles, size_t profile_count,
                       struct jl_slicing_advice *out);

/* ---- Facility (docs/rules/cooling.md#facility-pue) ---- */

bool jl_facility_pue(double it_w, double cooling_w, double *out); /* false: no IT power */
double jl_facility_simulated_pue_v0_1_0(double outside_c);

/* ---- Prometheus (docs/rules/twin.md#prometheus-replies) ---- */

/* The value of a sample as Prometheus writes it: "1.5", "NaN", "+Inf". 0, JOULIE_E_PARSE or
 * JOULIE_E_RANGE; NaN and infinities are missing and leave *out alone. */
int jl_prometheus_number(struct jl_text text, bool *out_is_missing, double *out);

struct jl_prometheus_value {
    bool is_ok;
    bool has_value; /* false beside is_ok: NaN or infinity (version rule sets) */
    double value;
    const char *message; /* static text */
};

/* 0, or JOULIE_E_NOMEM or JOULIE_E_LIMIT of the arena; a reply without a value is an answer, not a
 * failure. */
int jl_prometheus_value(const char *body, size_t len, int64_t http_status,
                        enum joulie_twin_rules rules, struct jl_arena *arena,
                        struct jl_prometheus_value *out);

/* ---- Whole objects ---- */

struct jl_twin_case {
    /* Rules, cooling model and readings; hardware, caps and feedback are filled in here. */
    const struct joulie_twin_input *readings;
    const struct jl_hardware *hardware;
    const struct jl_twin_spec *spec;
    const struct jl_control_status *control;  /* NULL = no feedback */
    const struct jl_effective_caps *previous; /* NULL = none */
    enum joulie_power_source source;          /* of the measurement; UNKNOWN = not said */
    bool has_pods;                            /* what runs on the node is known */
    double pods_cpu_w;                        /* that they add to the idle watts of its CPUs */
    double pods_gpu_w;
    bool has_trend;
    double trend_w_per_min;
    bool has_profiles; /* without them there is no advice about workloads */
    const struct jl_workload_profile *const *profiles;
    size_t profile_count;
    bool has_now;
    int64_t now_ms;
};

/* Where the values came from that a prediction rests on. */
#define RECORD jl_twin_provenance
#define MEMBERS                                                                                 \
    STRING(measured_node_power, "measuredNodePowerW", "measured, utilization or cap-estimate.") \
    STRING(cpu_tdp, "cpuTdpW", "hardware, catalog, cores or unknown.")                          \
    STRING(gpu_tdp, "gpuTdpW", "hardware, catalog or unknown.")                                 \
    STRING(outside_temp, "outsideTempC", "given, assumed or zone.")                             \
    STRING(cooling_model, "coolingModel", "Model that was used.")                               \
    STRING(cpu_cap, "cpuCap", "requested, not-in-force or none.")                               \
    STRING(gpu_cap, "gpuCap", "requested, not-in-force or none.")                               \
    STRING(psu, "predictedPsuStressScore", "rack or cluster: whose power it is about.")         \
    STRING(capacity, "capacityW", "given or assumed: what that can draw.")
#include "schema/shared_record.h"

/* Everything of NodeTwin.status but controlStatus. Texts and lists live in the arena.
 * out_provenance may be NULL. */
int jl_twin_compose(const struct jl_twin_case *in, struct jl_arena *arena,
                    struct jl_twin_status *out_status, struct jl_twin_provenance *out_provenance,
                    struct joulie_error *err);

/* jl_hardware_resolve()'s rules for a rule set. */
enum jl_hardware_rules jl_twin_hardware_rules(enum joulie_twin_rules rules);

#undef RECORD_TABLES
