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
        { &made.cpu_util_pct, 120, JL_METRIC_CPU_UTIL },
        { &made.gpu_util_pct, 120, JL_METRIC_GPU_UTIL },
        { &made.mem_pressure_pct, 120, JL_METRIC_MEM_PRESSURE },
        { &made.gpu_mem_util_pct, 120, JL_METRIC_GPU_MEM_UTIL },
        { &made.cpu_energy_j, 1e6, JL_METRIC_CPU_ENERGY },
        { &made.dram_energy_j, 1e6, JL_METRIC_DRAM_ENERGY },
        { &made.gpu_energy_j, 1e6, JL_METRIC_GPU_ENERGY },
        { &made.window_s, 3600, JL_METRIC_WINDOW },
        { &made.coverage_frac, 1, JL_METRIC_COVERAGE },
        { &made.usage_cores, 128, JL_METRIC_USAGE_CORES },
        { &made.request_cores, 128, JL_METRIC_REQUEST_CORES },
        { &made.limit_cores, 128, JL_METRIC_LIMIT_CORES },
        { &made.node_cores, 256, JL_METRIC_NODE_CORES },
        { &made.working_set_bytes, 1e12, JL_METRIC_WORKING_SET },
        { &made.limit_bytes, 1e12, JL_METRIC_LIMIT_BYTES },
        { &made.kepler_package_w, 1000, JL_METRIC_KEPLER_PACKAGE },
        { &made.kepler_dram_w, 200, JL_METRIC_KEPLER_DRAM },
        { &made.kepler_gpu_w, 5000, JL_METRIC_KEPLER_GPU },
        { &made.gpu_max_w, 1000, JL_METRIC_GPU_MAX },
        { &made.gpu_count, 8, JL_METRIC_GPU_COUNT },
        { &made.cpu_bound_ratio, 1, JL_METRIC_CPU_BOUND_RATIO },
        { &made.mem_bound_ratio, 1, JL_METRIC_MEM_BOUND_RATIO },
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
