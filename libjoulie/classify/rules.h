/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The steps of a classification, in the order in which classify.c takes them. Only this room and
 * its tests include it. */

#include "base/buffer.h"
#include "classify/classify.h"

/* No reason is longer: segments of known texts, numbers below 1e15 and 63 escaped bytes. */
#define JL_REASON_BYTES 2048

#define JL_CLASSIFY_HAS(in, name) (((in)->has & JOULIE_CLASSIFY_HAS_##name) != 0)

/* Of a window: all rows of jl_classify_metrics. */
#define JL_CLASSIFY_METRIC_BITS (JOULIE_CLASSIFY_HAS_METRICS - 1)

static inline bool jl_classify_is_source(const struct joulie_classify_input *in)
{
    return in->rules == JOULIE_CLASSIFY_RULES_V0_1_0;
}

/* What the annotations say (docs/rules/classification.md#annotations). */
struct jl_hints {
    const char *class_annotation;      /* as written; NULL = none (v0.1.0: also when empty) */
    enum jl_criticality class_;        /* UNKNOWN = unset or no word of the list */
    int reschedulable;                 /* 1, 0, -1 = do not write */
    enum joulie_level cpu_sensitivity; /* UNKNOWN = no override */
    enum joulie_level gpu_sensitivity;
    uint64_t ignored; /* JOULIE_CLASSIFY_IGNORED_* */
};

/* Metrics after derivation (docs/rules/classification.md#measurements). What was not measured
 * counts as 0 in the rules. */
struct jl_signals {
    double cpu_util_pct;
    double gpu_util_pct;
    double mem_pressure_pct;
    double gpu_mem_util_pct;
    bool is_cpu_known; /* v0.1.0: always, as the source */
    bool is_gpu_known;
    bool is_gpu_mem_known; /* v0.1.0: never */
    bool is_kepler_used;
    bool is_dram_known;
    double usage_cores;
    double cpu_energy_j; /* the three are 0 without Kepler */
    double dram_energy_j;
    double gpu_energy_j;
    double total_energy_j;
    double coverage_frac;
};

struct jl_ratios {
    double cpu_bound;
    double mem_bound;
    bool is_gpu_dominant;
};

/* The row of docs/rules/classification.md#cpu-part that matched. */
enum jl_cpu_rule {
    JL_CPU_RULE_NONE,
    JL_CPU_RULE_GPU_DOMINANT,
    JL_CPU_RULE_COMPUTE_HIGH,
    JL_CPU_RULE_COMPUTE,
    JL_CPU_RULE_MEMORY,
    JL_CPU_RULE_IO,
};

/* The row of docs/rules/classification.md#energy-override that matched. */
enum jl_energy_rule {
    JL_ENERGY_RULE_NONE,
    JL_ENERGY_RULE_COMPUTE,
    JL_ENERGY_RULE_MEMORY,
};

struct jl_triple { /* status.cpu or status.gpu */
    enum joulie_level intensity;
    enum joulie_bound bound;
    enum joulie_level sensitivity;
};

struct jl_verdict { /* what the rules make of one point */
    struct jl_ratios ratios;
    struct jl_triple cpu; /* unset when the CPU signal is unknown */
    struct jl_triple gpu;
    enum jl_cpu_rule cpu_rule;
    enum jl_energy_rule energy_rule;
};

/* hints.c */
void jl_hints_read(const struct joulie_classify_input *in, struct jl_hints *out);

/* metrics.c */
int jl_metrics_check(const struct joulie_classify_input *in, struct joulie_error *err);
/* False = none of the simulator's annotations is a number. Of out only the window is set, and the
 * rule set. */
bool jl_metrics_from_annotations(const struct joulie_classify_input *in,
                                 struct joulie_classify_input *out);
void jl_signals_derive(const struct joulie_classify_input *in, struct jl_signals *out);
bool jl_signals_are_empty(const struct jl_signals *signals); /* all of them are 0 */

/* verdict.c; the input gives the ratios that bypass their derivation */
enum joulie_level jl_intensity(double util_pct, double high_pct, double medium_pct);
/* at one point */
void jl_verdict_at(const struct joulie_classify_input *in, const struct jl_signals *signals,
                   struct jl_verdict *out);
/* The same at a point beside one whose ratios are known: those of energies are the same (current).
 */
void jl_verdict_near(const struct joulie_classify_input *in, const struct jl_signals *signals,
                     const struct jl_ratios *ratios, struct jl_verdict *out);

/* hysteresis.c: JOULIE_CLASSIFY_KEPT_* of the members of fresh that keep their previous value;
 * window is what signals were derived from */
uint64_t jl_hysteresis(const struct joulie_classify_input *in,
                       const struct joulie_classify_input *window, const struct jl_signals *signals,
                       const struct jl_verdict *fresh);

/* outcome.c; signals NULL = hints only */
double jl_confidence(const struct joulie_classify_input *in, const struct jl_hints *hints,
                     const struct jl_signals *signals);

/* outcome.c; verdict NULL = hints only */
const char *jl_criticality_text(const struct joulie_classify_input *in,
                                const struct jl_hints *hints, const struct jl_signals *signals,
                                const struct jl_verdict *verdict);

/* outcome.c; NULL = the arena failed */
const char *jl_summary(const struct jl_profile_status *status, struct jl_arena *arena);

/* reason.c: each appends its segments, "; " between them; part is cpu or gpu. There is room for the
 * longest reason; it has no NUL. */
struct jl_reason {
    size_t len;
    char text[JL_REASON_BYTES];
};

void jl_reason_hints_only(struct jl_reason *out);
void jl_reason_rules(struct jl_reason *out, const struct jl_signals *signals,
                     const struct jl_verdict *verdict, bool is_source);
void jl_reason_kept(struct jl_reason *out, uint64_t kept, const struct joulie_classify_input *in);
void jl_reason_sensitivity(struct jl_reason *out, const char *part, enum joulie_level level);
void jl_reason_ignored_class(struct jl_reason *out, const char *annotation);

/* ---- all of them: classify.c ---- */

/* The window that counts, its signals, and what the rules make of them. */
struct jl_evidence {
    bool is_hints_only; /* nothing below means anything but kept, which is 0 */
    const struct joulie_classify_input *window;  /* the caller's, or of_annotations */
    struct joulie_classify_input of_annotations; /* of the simulator */
    struct jl_signals signals;
    struct jl_verdict verdict;
    uint64_t kept; /* JOULIE_CLASSIFY_KEPT_* */
};

/* A classification without its texts. */
struct jl_decision {
    struct jl_evidence evidence;
    struct jl_hints hints;
    struct joulie_classify_output out; /* but for the reason */
    const char *class_text;
};

/* 0 or JOULIE_E_RANGE, of a struct of this release. Allocates nothing. */
int jl_classify_decide(const struct joulie_classify_input *in, struct jl_decision *out,
                       struct joulie_error *err);
/* Its segments: rules, hysteresis, sensitivity overrides, ignored class. */
void jl_classify_reason(const struct jl_decision *decision, const struct joulie_classify_input *in,
                        struct jl_reason *out);
