/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buffer.h"
#include "classify/classify.h"
#include "classify/rules.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"

#define NOW_MS INT64_C(1773403200000)

static struct joulie_classify_input window(struct dice *dice)
{
    struct joulie_classify_input made = JOULIE_INIT(struct joulie_classify_input);

    struct {
        double *value;
        double high;
        unsigned bit;
    } numbers[] = {
        { &made.cpu_util_pct, 120, JL_INDEX(jl_classify_metrics, cpu_util_pct) },
        { &made.gpu_util_pct, 120, JL_INDEX(jl_classify_metrics, gpu_util_pct) },
        { &made.mem_pressure_pct, 120, JL_INDEX(jl_classify_metrics, mem_pressure_pct) },
        { &made.gpu_mem_util_pct, 120, JL_INDEX(jl_classify_metrics, gpu_mem_util_pct) },
        { &made.cpu_energy_j, 1e6, JL_INDEX(jl_classify_metrics, cpu_energy_j) },
        { &made.dram_energy_j, 1e6, JL_INDEX(jl_classify_metrics, dram_energy_j) },
        { &made.gpu_energy_j, 1e6, JL_INDEX(jl_classify_metrics, gpu_energy_j) },
        { &made.window_s, 3600, JL_INDEX(jl_classify_metrics, window_s) },
        { &made.coverage_frac, 1, JL_INDEX(jl_classify_metrics, coverage_frac) },
        { &made.usage_cores, 128, JL_INDEX(jl_classify_metrics, usage_cores) },
        { &made.request_cores, 128, JL_INDEX(jl_classify_metrics, request_cores) },
        { &made.limit_cores, 128, JL_INDEX(jl_classify_metrics, limit_cores) },
        { &made.node_cores, 256, JL_INDEX(jl_classify_metrics, node_cores) },
        { &made.working_set_bytes, 1e12, JL_INDEX(jl_classify_metrics, working_set_bytes) },
        { &made.limit_bytes, 1e12, JL_INDEX(jl_classify_metrics, limit_bytes) },
        { &made.kepler_package_w, 1000, JL_INDEX(jl_classify_metrics, kepler_package_w) },
        { &made.kepler_dram_w, 200, JL_INDEX(jl_classify_metrics, kepler_dram_w) },
        { &made.kepler_gpu_w, 5000, JL_INDEX(jl_classify_metrics, kepler_gpu_w) },
        { &made.gpu_max_w, 1000, JL_INDEX(jl_classify_metrics, gpu_max_w) },
        { &made.gpu_count, 8, JL_INDEX(jl_classify_metrics, gpu_count) },
        { &made.cpu_bound_ratio, 1, JL_INDEX(jl_classify_metrics, cpu_bound_ratio) },
        { &made.mem_bound_ratio, 1, JL_INDEX(jl_classify_metrics, mem_bound_ratio) },
    };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        dice_member(dice, &made.has, numbers[i].bit, numbers[i].value, 0, numbers[i].high);
    return made;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void check(const struct joulie_classify_input *in, const struct jl_classification *out)
{
    const struct jl_profile_status *status = &out->status;
    const bool is_reliable = (out->flags & JOULIE_CLASSIFY_RELIABLE) != 0;
    FUZZ_REQUIRE(status->confidence >= 0 && status->confidence <= 1);
    FUZZ_REQUIRE(is_reliable == (status->confidence >= JL_CLASSIFY_MIN_CONFIDENCE));
    FUZZ_REQUIRE((out->flags & JOULIE_CLASSIFY_HINTS_ONLY) != 0 ||
                 (in->has & JL_CLASSIFY_METRIC_BITS) != 0);
    FUZZ_REQUIRE((out->flags & JOULIE_CLASSIFY_IGNORED_CLASS) == 0);
    FUZZ_REQUIRE(out->class_text != NULL && out->summary != NULL);
}

void rules_classify(struct dice *dice)
{
    static const int64_t now_ms = NOW_MS;
    struct joulie_classify_input in = window(dice);
    struct jl_classification out;
    struct jl_classification again;
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    if (dice_bit(dice))
        in.has = 0;
    in.rules = dice_bit(dice) ? JOULIE_CLASSIFY_RULES_V0_1_0 : JOULIE_CLASSIFY_RULES_CURRENT;
    in.derive_class = dice_bit(dice);
    in.has |= JOULIE_CLASSIFY_HAS_HYSTERESIS;
    FUZZ_REQUIRE(jl_classify(&in, &now_ms, &arena, &out, NULL) == 0);
    check(&in, &out);

    /* an answer of a moment ago changes nothing, however wide the band is */
    jl_classify_put_previous(&out.status, &in);
    in.hysteresis_pct = dice_number(dice, 0, 30);
    FUZZ_REQUIRE(jl_classify(&in, &now_ms, &arena, &again, NULL) == 0);
    check(&in, &again);
    FUZZ_REQUIRE(is_same(out.class_text, again.class_text));
    FUZZ_REQUIRE(is_same(out.summary, again.summary));
}

void rules_intensity(struct dice *dice)
{
    const double medium_pct = dice_number(dice, 1, 60);
    const double high_pct = dice_number(dice, medium_pct, 100);
    const double util_pct = dice_number(dice, 0, 100);
    const enum joulie_level level = jl_intensity(util_pct, high_pct, medium_pct);
    FUZZ_REQUIRE(level != JOULIE_LEVEL_UNKNOWN);
    FUZZ_REQUIRE((level == JOULIE_LEVEL_HIGH) >= (util_pct > high_pct));
    if (level == JOULIE_LEVEL_HIGH)
        FUZZ_REQUIRE(jl_intensity(dice_number(dice, util_pct, 200), high_pct, medium_pct) ==
                     JOULIE_LEVEL_HIGH);
}
