/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/number.h"
#include "classify/rules.h"
#include "classify/thresholds.h"

#define MAX_DECIMALS 6         /* D4 */
#define LAST_DECIMAL 0.000001  /* one unit of the last of them */
#define IGNORED_CLASS_BYTES 63 /* D1 */

enum comparison { AT_LEAST, ABOVE, BELOW };

/* A number, the threshold it was compared with, and how both are printed. */
struct compared {
    double value;
    enum comparison comparison;
    double threshold;
    int decimals;
    const char *unit;
    bool is_made_true; /* D4 */
};

static const char *level_word(enum jl_level level)
{
    return jl_word_of(&jl_level_none_words, (int)level);
}

static void begin_segment(struct jl_buffer *out)
{
    if (out->len > 0)
        jl_put_string(out, "; ");
}

static void put_pair(struct jl_buffer *out, const char *name, const char *word)
{
    jl_put_string(out, name);
    jl_put_char(out, '=');
    jl_put_string(out, word);
}

static void put_pct(struct jl_buffer *out, double value_pct)
{
    char text[JL_DOUBLE_TEXT];
    jl_put(out, text, jl_format_fixed(value_pct, 0, text));
    jl_put_char(out, '%');
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
 * D4: more decimals until the printed comparison is true. A value that rounds to its threshold even
 * at the last decimal is printed one unit of that decimal beside it, on its own side.
 */
static size_t format_true(const struct compared *compared, char text[JL_DOUBLE_TEXT])
{
    size_t len = jl_format_fixed(compared->value, compared->decimals, text);
    for (int decimals = compared->decimals + 1;
         decimals <= MAX_DECIMALS && !holds_as_printed(compared, text, len); decimals++)
        len = jl_format_fixed(compared->value, decimals, text);
    if (!holds_as_printed(compared, text, len)) {
        const double step = compared->comparison == ABOVE ? LAST_DECIMAL : -LAST_DECIMAL;
        len = jl_format_fixed(compared->threshold + step, MAX_DECIMALS, text);
    }
    return len;
}

static void put_comparison(struct jl_buffer *out, const struct compared *compared)
{
    static const char *const signs[] = {
        [AT_LEAST] = "\xE2\x89\xA5", [ABOVE] = ">", [BELOW] = "<"
    };
    char text[JL_DOUBLE_TEXT];
    const size_t len = compared->is_made_true
                           ? format_true(compared, text)
                           : jl_format_fixed(compared->value, compared->decimals, text);
    jl_put(out, text, len);
    jl_put_string(out, compared->unit);
    jl_put_string(out, signs[compared->comparison]);
    jl_put(out, text, jl_format_fixed(compared->threshold, compared->decimals, text));
    jl_put_string(out, compared->unit);
}

static void put_util_comparison(struct jl_buffer *out, double value_pct, enum comparison comparison,
                                double threshold_pct, enum jl_classify_rules rules)
{
    put_comparison(out, &(struct compared){ .value = value_pct,
                                            .comparison = comparison,
                                            .threshold = threshold_pct,
                                            .decimals = 0,
                                            .unit = "%",
                                            .is_made_true = rules == JL_CLASSIFY_CURRENT });
}

static void put_ratio_comparison(struct jl_buffer *out, double ratio, double threshold,
                                 enum jl_classify_rules rules)
{
    put_comparison(out, &(struct compared){ .value = ratio,
                                            .comparison = ABOVE,
                                            .threshold = threshold,
                                            .decimals = 2,
                                            .unit = "",
                                            .is_made_true = rules == JL_CLASSIFY_CURRENT });
}

/* §3.1 and the first row of §3.4 have one shape. */
static void put_intensity(struct jl_buffer *out, const char *name, enum jl_level level,
                          double util_pct, double high_pct, double medium_pct,
                          enum jl_classify_rules rules)
{
    begin_segment(out);
    put_pair(out, name, level_word(level));
    jl_put_string(out, " (util ");
    if (level == JL_LEVEL_HIGH)
        put_util_comparison(out, util_pct, AT_LEAST, high_pct, rules);
    else if (level == JL_LEVEL_LOW)
        put_util_comparison(out, util_pct, BELOW, medium_pct, rules);
    else
        put_pct(out, util_pct);
    jl_put_char(out, ')');
}

static void put_cpu_rule(struct jl_buffer *out, const struct jl_signals *signals,
                         enum jl_cpu_rule rule, enum jl_classify_rules rules)
{
    if (rule == JL_CPU_RULE_NONE)
        return;
    begin_segment(out);
    switch (rule) {
    case JL_CPU_RULE_GPU_DOMINANT:
        jl_put_string(out, "cpu-bound=mixed (GPU dominant)");
        break;
    case JL_CPU_RULE_COMPUTE_HIGH:
        jl_put_string(out, "cpu-bound=compute, cap-sensitivity=high (util ");
        put_util_comparison(out, signals->cpu_util_pct, ABOVE, JL_COMPUTE_SENSITIVE_PCT, rules);
        jl_put_char(out, ')');
        break;
    case JL_CPU_RULE_COMPUTE:
        jl_put_string(out, "cpu-bound=compute (high CPU, low mem pressure)");
        break;
    case JL_CPU_RULE_MEMORY:
        jl_put_string(out, "cpu-bound=memory (mem-pressure ");
        put_util_comparison(out, signals->mem_pressure_pct, ABOVE, JL_MEMORY_MEM_PCT, rules);
        jl_put_char(out, ')');
        break;
    case JL_CPU_RULE_IO:
        jl_put_string(out, "cpu-bound=io (util <20%)");
        break;
    case JL_CPU_RULE_NONE:
        break;
    }
}

static void put_energy_rule(struct jl_buffer *out, const struct jl_verdict *verdict,
                            enum jl_classify_rules rules)
{
    if (verdict->energy_rule == JL_ENERGY_RULE_NONE)
        return;
    begin_segment(out);
    if (verdict->energy_rule == JL_ENERGY_RULE_COMPUTE) {
        jl_put_string(out, "kepler override: cpu-bound=compute (energy ratio ");
        put_ratio_comparison(out, verdict->ratios.cpu_bound, JL_CPU_ENERGY_RATIO, rules);
    } else {
        jl_put_string(out, "kepler override: cpu-bound=memory (mem-energy ratio ");
        put_ratio_comparison(out, verdict->ratios.mem_bound, JL_MEM_ENERGY_RATIO, rules);
    }
    jl_put_char(out, ')');
}

void jl_reason_hints_only(struct jl_buffer *out)
{
    begin_segment(out);
    jl_put_string(out, "hints only (no metrics available)");
}

void jl_reason_rules(struct jl_buffer *out, const struct jl_signals *signals,
                     const struct jl_verdict *verdict, enum jl_classify_rules rules)
{
    if (signals->is_cpu_known) {
        put_intensity(out, "cpu-intensity", verdict->cpu.intensity, signals->cpu_util_pct,
                      JL_CPU_HIGH_PCT, JL_CPU_MEDIUM_PCT, rules);
        put_cpu_rule(out, signals, verdict->cpu_rule, rules);
        put_energy_rule(out, verdict, rules);
    } else {
        begin_segment(out);
        jl_put_string(out, "cpu=unknown (no request, limit or node size)");
    }
    if (verdict->gpu.intensity != JL_LEVEL_NONE)
        put_intensity(out, "gpu-intensity", verdict->gpu.intensity, signals->gpu_util_pct,
                      JL_GPU_HIGH_PCT, JL_GPU_MEDIUM_PCT, rules);
}

static void put_kept_intensity(struct jl_buffer *out, const char *name,
                               const struct jl_profile_part *previous)
{
    begin_segment(out);
    jl_put_string(out, "hysteresis: ");
    put_pair(out, name, level_word(previous->intensity));
    jl_put_string(out, " kept");
}

static void put_kept_bound(struct jl_buffer *out, const char *name, const struct jl_words *words,
                           const struct jl_profile_part *previous)
{
    begin_segment(out);
    jl_put_string(out, "hysteresis: ");
    put_pair(out, name, jl_word_of(words, (int)previous->bound));
    put_pair(out, ", cap-sensitivity", level_word(previous->cap_sensitivity));
    jl_put_string(out, " kept");
}

void jl_reason_kept(struct jl_buffer *out, uint32_t kept, const struct jl_profile_status *previous)
{
    if (kept & JL_KEPT_CPU_INTENSITY)
        put_kept_intensity(out, "cpu-intensity", &previous->cpu);
    if (kept & JL_KEPT_CPU_BOUND)
        put_kept_bound(out, "cpu-bound", &jl_cpu_bound_words, &previous->cpu);
    if (kept & JL_KEPT_GPU_INTENSITY)
        put_kept_intensity(out, "gpu-intensity", &previous->gpu);
    if (kept & JL_KEPT_GPU_BOUND)
        put_kept_bound(out, "gpu-bound", &jl_gpu_bound_words, &previous->gpu);
}

void jl_reason_sensitivity(struct jl_buffer *out, const char *part, enum jl_level level)
{
    begin_segment(out);
    jl_put_string(out, part);
    put_pair(out, "-cap-sensitivity", level_word(level));
    jl_put_string(out, " (annotation override)");
}

void jl_reason_ignored_class(struct jl_buffer *out, const char *annotation)
{
    begin_segment(out);
    jl_put_string(out, "workload-class ");
    jl_put_json_string(out, annotation,
                       jl_utf8_cut(annotation, strlen(annotation), IGNORED_CLASS_BYTES));
    jl_put_string(out, " ignored (not performance or standard)");
}
