/* SPDX-License-Identifier: Apache-2.0 */

/* The reason of a classification as text (docs/rules/classification.md#reasons), without
 * allocation. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "classify/rules.h"
#include "classify/thresholds.h"

#define MAX_DECIMALS 6         /* that a printed comparison may need to be true */
#define LAST_DECIMAL 0.000001  /* one unit of the last of them */
#define IGNORED_CLASS_BYTES 63 /* of an ignored class; the reason stays short */

enum comparison { AT_LEAST, ABOVE, BELOW };

/* A threshold and how reasons print it; the numerals of thresholds.h have that many decimals. */
struct border {
    double value;
    const char *text;
};

#define BORDER(name) ((struct border){ name, name##_TEXT })

/* A number, the threshold it was compared with, and how both are printed. */
struct compared {
    double value;
    enum comparison comparison;
    double threshold;
    const char *threshold_text; /* as it is printed */
    int decimals;
    const char *unit;
    bool is_made_true; /* current: decimals are added until the comparison holds */
};

/* ---- pieces; a reason has room for the longest there is ---- */

static void put(struct jl_reason *out, const char *bytes, size_t len)
{
    memcpy(out->text + out->len, bytes, len);
    out->len += len;
}

#define PUT(out, literal) put(out, literal, sizeof(literal) - 1)

static void put_text(struct jl_reason *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_fixed(struct jl_reason *out, double value, int decimals)
{
    out->len += jl_format_fixed(value, decimals, out->text + out->len);
}

static const char *level_word(enum joulie_level level)
{
    return jl_word_of(&jl_level_none_words, (int)level);
}

static void begin_segment(struct jl_reason *out)
{
    if (out->len > 0)
        PUT(out, "; ");
}

static void put_pair(struct jl_reason *out, const char *name, const char *word)
{
    put_text(out, name);
    PUT(out, "=");
    put_text(out, word);
}

static void put_pct(struct jl_reason *out, double value_pct)
{
    put_fixed(out, value_pct, 0);
    PUT(out, "%");
}

static bool holds_for(const struct compared *compared, double value)
{
    switch (compared->comparison) {
    case AT_LEAST:
        return value >= compared->threshold;
    case ABOVE:
        return value > compared->threshold;
    case BELOW:
        return value < compared->threshold;
    }
    return false;
}

static bool holds_as_printed(const struct compared *compared, const char *text, size_t len)
{
    double printed = 0;
    return jl_parse_double(text, len, &printed) == 0 && holds_for(compared, printed);
}

/*
 * More decimals until the printed comparison is true. A value that rounds to its threshold even
 * at the last decimal is printed one unit of that decimal beside it, on its own side.
 */
static size_t format_true(const struct compared *compared, char text[JL_DOUBLE_TEXT])
{
    static const double units[] = { 1, 0.1, 0.01 };
    size_t len = jl_format_fixed(compared->value, compared->decimals, text);
    const double distance = fabs(compared->value - compared->threshold);
    if (distance > units[compared->decimals] && holds_for(compared, compared->value))
        return len; /* rounding moves it by half a unit at most */
    for (int decimals = compared->decimals + 1;
         decimals <= MAX_DECIMALS && !holds_as_printed(compared, text, len); decimals++)
        len = jl_format_fixed(compared->value, decimals, text);
    if (!holds_as_printed(compared, text, len)) {
        const double step = compared->comparison == ABOVE ? LAST_DECIMAL : -LAST_DECIMAL;
        len = jl_format_fixed(compared->threshold + step, MAX_DECIMALS, text);
    }
    return len;
}

static void put_sign(struct jl_reason *out, enum comparison comparison)
{
    switch (comparison) {
    case AT_LEAST:
        PUT(out, "\xE2\x89\xA5");
        break;
    case ABOVE:
        PUT(out, ">");
        break;
    case BELOW:
        PUT(out, "<");
        break;
    }
}

static void put_comparison(struct jl_reason *out, const struct compared *compared)
{
    if (compared->is_made_true)
        out->len += format_true(compared, out->text + out->len);
    else
        put_fixed(out, compared->value, compared->decimals);
    put_text(out, compared->unit);
    put_sign(out, compared->comparison);
    put_text(out, compared->threshold_text);
    put_text(out, compared->unit);
}

static void put_util_comparison(struct jl_reason *out, double value_pct, enum comparison comparison,
                                struct border border, bool is_source)
{
    put_comparison(out, &(struct compared){ .value = value_pct,
                                            .comparison = comparison,
                                            .threshold = border.value,
                                            .threshold_text = border.text,
                                            .decimals = 0,
                                            .unit = "%",
                                            .is_made_true = !is_source });
}

static void put_ratio_comparison(struct jl_reason *out, double ratio, struct border border,
                                 bool is_source)
{
    put_comparison(out, &(struct compared){ .value = ratio,
                                            .comparison = ABOVE,
                                            .threshold = border.value,
                                            .threshold_text = border.text,
                                            .decimals = 2,
                                            .unit = "",
                                            .is_made_true = !is_source });
}

/* The intensity of CPU and GPU. */
static void put_intensity(struct jl_reason *out, const char *name, enum joulie_level level,
                          double util_pct, struct border high, struct border medium, bool is_source)
{
    begin_segment(out);
    put_pair(out, name, level_word(level));
    PUT(out, " (util ");
    if (level == JOULIE_LEVEL_HIGH)
        put_util_comparison(out, util_pct, AT_LEAST, high, is_source);
    else if (level == JOULIE_LEVEL_LOW)
        put_util_comparison(out, util_pct, BELOW, medium, is_source);
    else
        put_pct(out, util_pct);
    PUT(out, ")");
}

static void put_cpu_rule(struct jl_reason *out, const struct jl_signals *signals,
                         enum jl_cpu_rule rule, bool is_source)
{
    if (rule == JL_CPU_RULE_NONE)
        return;
    begin_segment(out);
    switch (rule) {
    case JL_CPU_RULE_GPU_DOMINANT:
        PUT(out, "cpu-bound=mixed (GPU dominant)");
        break;
    case JL_CPU_RULE_COMPUTE_HIGH:
        PUT(out, "cpu-bound=compute, cap-sensitivity=high (util ");
        put_util_comparison(out, signals->cpu_util_pct, ABOVE, BORDER(JL_COMPUTE_SENSITIVE_PCT),
                            is_source);
        PUT(out, ")");
        break;
    case JL_CPU_RULE_COMPUTE:
        PUT(out, "cpu-bound=compute (high CPU, low mem pressure)");
        break;
    case JL_CPU_RULE_MEMORY:
        PUT(out, "cpu-bound=memory (mem-pressure ");
        put_util_comparison(out, signals->mem_pressure_pct, ABOVE, BORDER(JL_MEMORY_MEM_PCT),
                            is_source);
        PUT(out, ")");
        break;
    case JL_CPU_RULE_IO:
        PUT(out, "cpu-bound=io (util <20%)");
        break;
    case JL_CPU_RULE_NONE:
        break;
    }
}

static void put_energy_rule(struct jl_reason *out, const struct jl_verdict *verdict, bool is_source)
{
    if (verdict->energy_rule == JL_ENERGY_RULE_NONE)
        return;
    begin_segment(out);
    if (verdict->energy_rule == JL_ENERGY_RULE_COMPUTE) {
        PUT(out, "kepler override: cpu-bound=compute (energy ratio ");
        put_ratio_comparison(out, verdict->ratios.cpu_bound, BORDER(JL_CPU_ENERGY_RATIO),
                             is_source);
    } else {
        PUT(out, "kepler override: cpu-bound=memory (mem-energy ratio ");
        put_ratio_comparison(out, verdict->ratios.mem_bound, BORDER(JL_MEM_ENERGY_RATIO),
                             is_source);
    }
    PUT(out, ")");
}

void jl_reason_hints_only(struct jl_reason *out)
{
    begin_segment(out);
    PUT(out, "hints only (no metrics available)");
}

void jl_reason_rules(struct jl_reason *out, const struct jl_signals *signals,
                     const struct jl_verdict *verdict, bool is_source)
{
    if (signals->is_cpu_known) {
        put_intensity(out, "cpu-intensity", verdict->cpu.intensity, signals->cpu_util_pct,
                      BORDER(JL_CPU_HIGH_PCT), BORDER(JL_CPU_MEDIUM_PCT), is_source);
        put_cpu_rule(out, signals, verdict->cpu_rule, is_source);
        put_energy_rule(out, verdict, is_source);
    } else {
        begin_segment(out);
        PUT(out, "cpu=unknown (no request, limit or node size)");
    }
    if (verdict->gpu.intensity != JOULIE_LEVEL_NONE)
        put_intensity(out, "gpu-intensity", verdict->gpu.intensity, signals->gpu_util_pct,
                      BORDER(JL_GPU_HIGH_PCT), BORDER(JL_GPU_MEDIUM_PCT), is_source);
}

static void put_kept_intensity(struct jl_reason *out, const char *name, enum joulie_level previous)
{
    begin_segment(out);
    PUT(out, "hysteresis: ");
    put_pair(out, name, level_word(previous));
    PUT(out, " kept");
}

static void put_kept_bound(struct jl_reason *out, const char *name, const char *bound,
                           enum joulie_level sensitivity)
{
    begin_segment(out);
    PUT(out, "hysteresis: ");
    put_pair(out, name, bound);
    put_pair(out, ", cap-sensitivity", level_word(sensitivity));
    PUT(out, " kept");
}

void jl_reason_kept(struct jl_reason *out, uint64_t kept, const struct joulie_classify_input *in)
{
    if (kept & JOULIE_CLASSIFY_KEPT_CPU_INTENSITY)
        put_kept_intensity(out, "cpu-intensity", in->previous_cpu_intensity);
    if (kept & JOULIE_CLASSIFY_KEPT_CPU_BOUND)
        put_kept_bound(out, "cpu-bound",
                       jl_word_of(&jl_cpu_bound_words, (int)in->previous_cpu_bound),
                       in->previous_cpu_sensitivity);
    if (kept & JOULIE_CLASSIFY_KEPT_GPU_INTENSITY)
        put_kept_intensity(out, "gpu-intensity", in->previous_gpu_intensity);
    if (kept & JOULIE_CLASSIFY_KEPT_GPU_BOUND)
        put_kept_bound(out, "gpu-bound",
                       jl_word_of(&jl_gpu_bound_words, (int)in->previous_gpu_bound),
                       in->previous_gpu_sensitivity);
}

void jl_reason_sensitivity(struct jl_reason *out, const char *part, enum joulie_level level)
{
    begin_segment(out);
    put_text(out, part);
    put_pair(out, "-cap-sensitivity", level_word(level));
    PUT(out, " (annotation override)");
}

/* As a JSON string. */
static void put_quoted(struct jl_reason *out, const char *text, size_t len)
{
    struct jl_buffer buffer = { .data = out->text + out->len,
                                .capacity = sizeof out->text - out->len,
                                .is_fixed = true };
    jl_put_json_string(&buffer, text, len);
    out->len += buffer.len;
}

void jl_reason_ignored_class(struct jl_reason *out, const char *annotation)
{
    begin_segment(out);
    PUT(out, "workload-class ");
    put_quoted(out, annotation, jl_utf8_cut(annotation, strlen(annotation), IGNORED_CLASS_BYTES));
    PUT(out, " ignored (not performance or standard)");
}
