/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_simulate_autoscale(): checks the options, compares, hands the answer out. */

#include <joulie/sim.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "sim/autoscale_compare.h"

#define OPTIONS_SIZE_0_2 \
    (offsetof(struct joulie_autoscale_sim_options, reserved) + sizeof(uint32_t))

_Static_assert(sizeof(struct joulie_autoscale_sim_options) == OPTIONS_SIZE_0_2, "no tail padding");

#define GIB 1073741824.0
#define NS_PER_S 1e9
#define DEFAULT_HOURS 24.0
#define DEFAULT_SEEDS 10 /* enough for an interval that is narrower than the differences */
#define DEFAULT_CARDS 8
#define DEFAULT_CARD_TFLOPS 312.0 /* an A100 with 80 GB, dense FP16 */
#define DEFAULT_CARD_VRAM (80 * GIB)
#define DEFAULT_START_DELAY_S 60.0 /* image and model are on the machine already */

#define MOST_SEEDS 1000
#define MOST_AMOUNT 1e14 /* as the percentiles are clamped */
#define LONGEST_START_S 86400.0

static bool has(const struct joulie_autoscale_sim_options *options, uint64_t bit)
{
    return (options->has & bit) != 0;
}

/* low is left out where it is 0. */
static int check_number(double value, double low, double high, const char *where,
                        struct joulie_error *err)
{
    const bool is_above = low > 0 ? value >= low : value > 0;
    if (is_above && value <= high)
        return 0;
    char low_text[JL_DOUBLE_TEXT];
    char high_text[JL_DOUBLE_TEXT];
    jl_format_double(low, low_text);
    jl_format_double(high, high_text);
    return jl_fail(err, JOULIE_E_RANGE, where, "must be %s %s and at most %s",
                   low > 0 ? "at least" : "above", low_text, high_text);
}

static int check_whole(int64_t value, int64_t high, const char *where, struct joulie_error *err)
{
    if (value >= 1 && value <= high)
        return 0;
    return jl_fail(err, JOULIE_E_RANGE, where, "must be at least 1 and at most %lld",
                   (long long)high);
}

static int take_pool(const struct joulie_autoscale_sim_options *from, struct jl_scale_pool *to,
                     struct joulie_error *err)
{
    const int64_t cards = has(from, JOULIE_AUTOSCALE_SIM_HAS_CARDS) ? from->cards : DEFAULT_CARDS;
    const double delay_s = has(from, JOULIE_AUTOSCALE_SIM_HAS_START_DELAY) ? from->start_delay_s
                                                                           : DEFAULT_START_DELAY_S;
    to->card[JL_USAGE_TFLOPS] =
        has(from, JOULIE_AUTOSCALE_SIM_HAS_CARD_TFLOPS) ? from->card_tflops : DEFAULT_CARD_TFLOPS;
    to->card[JL_USAGE_VRAM] =
        has(from, JOULIE_AUTOSCALE_SIM_HAS_CARD_VRAM) ? from->card_vram_bytes : DEFAULT_CARD_VRAM;
    int rc = check_whole(cards, JL_WORLD_MOST_CARDS, "cards", err);
    if (rc == 0)
        rc = check_number(to->card[JL_USAGE_TFLOPS], 0, MOST_AMOUNT, "cardTflops", err);
    if (rc == 0)
        rc = check_number(to->card[JL_USAGE_VRAM], 0, MOST_AMOUNT, "cardVramBytes", err);
    if (rc == 0)
        rc = check_number(delay_s, JL_LOAD_STEP_S, LONGEST_START_S, "startDelayS", err);
    if (rc < 0)
        return rc;
    to->cards = (size_t)cards;
    to->start_delay_ns = (int64_t)(delay_s * NS_PER_S);
    return 0;
}

static int take_load(const struct joulie_autoscale_sim_options *from, struct jl_compare_options *to,
                     struct joulie_error *err)
{
    const int64_t seeds = has(from, JOULIE_AUTOSCALE_SIM_HAS_SEEDS) ? from->seeds : DEFAULT_SEEDS;
    to->hours = has(from, JOULIE_AUTOSCALE_SIM_HAS_HOURS) ? from->hours : DEFAULT_HOURS;
    to->first_seed = has(from, JOULIE_AUTOSCALE_SIM_HAS_SEED) ? from->seed : 1;
    to->seeds = from->trace ? 1 : (size_t)seeds;
    to->trace = from->trace;
    to->trace_len = from->trace_len;
    to->kind = from->trace ? JL_LOAD_TRACE : JL_LOAD_BURSTY;
    if (from->trace && from->workload)
        return jl_fail(err, JOULIE_E_CONFLICT, "workload", "a trace is the workload");
    if (from->workload)
        to->kind = (enum jl_load_kind)jl_word_value(&jl_load_words, jl_text(from->workload));
    if (to->kind == JL_LOAD_UNKNOWN)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "workload", "there is no workload \"%.64s\"",
                       from->workload);
    const int rc = check_number(to->hours, 0, JL_LOAD_MOST_HOURS, "hours", err);
    return rc < 0 ? rc : check_whole(seeds, MOST_SEEDS, "seeds", err);
}

static int compare(const struct joulie_autoscale_sim_options *from, struct jl_buffer *out,
                   struct joulie_error *err)
{
    struct jl_compare_options options = {
        .profile = from->profile,
        .profile_len = from->profile_len,
        .source_profile = from->source_profile,
        .source_profile_len = from->source_profile_len,
        .keeps_series = from->keeps_series != 0,
    };
    int rc = take_load(from, &options, err);
    if (rc == 0)
        rc = take_pool(from, &options.pool, err);
    return rc < 0 ? rc : jl_autoscale_compare(&options, out, err);
}

int joulie_simulate_autoscale(const struct joulie_autoscale_sim_options *options, char **json,
                              struct joulie_error *err)
{
    struct joulie_autoscale_sim_options mine;
    if (jl_sized_check(options, OPTIONS_SIZE_0_2) < 0 ||
        jl_sized_read(&mine, sizeof mine, options) < 0 || mine.reserved != 0)
        return jl_refuse(err, JOULIE_E_ABI, "",
                         "struct joulie_autoscale_sim_options of another release");
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    int rc = compare(&mine, &buffer, &detail);
    char *text = rc < 0 ? NULL : jl_buffer_take(&buffer);
    if (rc == 0 && !text)
        rc = jl_fail_memory(&detail);
    jl_buffer_clear(&buffer);
    if (rc < 0) {
        jl_error_export(&detail, err);
        return rc;
    }
    *json = text;
    return JOULIE_OK;
}
