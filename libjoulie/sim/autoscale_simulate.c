/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_simulate_autoscale(): checks the options, compares, hands the answer out. */

#include <joulie/sim.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "sim/autoscale_compare.h"
#include "sim/emit.h"

#define GIB 1073741824.0
#define DEFAULT_SEEDS 10          /* enough for an interval that is narrower than the differences */
#define DEFAULT_CARD_TFLOPS 312.0 /* an A100 with 80 GB, dense FP16 */
#define DEFAULT_CARD_VRAM (80 * GIB)
#define DEFAULT_START_DELAY_S 60.0 /* image and model are on the machine already */

#define MOST_SEEDS 1000
#define MOST_AMOUNT 1e14 /* as the percentiles are clamped */
#define LONGEST_START_S 86400.0

/* The default of every option that has no bit. */
static void fill(struct joulie_autoscale_sim_options *mine)
{
    const uint64_t has = mine->has;
    mine->hours = has & JOULIE_AUTOSCALE_SIM_HAS_HOURS ? mine->hours : 24;
    mine->seed = has & JOULIE_AUTOSCALE_SIM_HAS_SEED ? mine->seed : 1;
    mine->seeds = has & JOULIE_AUTOSCALE_SIM_HAS_SEEDS ? mine->seeds : DEFAULT_SEEDS;
    mine->cards = has & JOULIE_AUTOSCALE_SIM_HAS_CARDS ? mine->cards : 8;
    if (!(has & JOULIE_AUTOSCALE_SIM_HAS_CARD_TFLOPS))
        mine->card_tflops = DEFAULT_CARD_TFLOPS;
    if (!(has & JOULIE_AUTOSCALE_SIM_HAS_CARD_VRAM))
        mine->card_vram_bytes = DEFAULT_CARD_VRAM;
    if (!(has & JOULIE_AUTOSCALE_SIM_HAS_START_DELAY))
        mine->start_delay_s = DEFAULT_START_DELAY_S;
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

static int check_pool(const struct joulie_autoscale_sim_options *mine, struct joulie_error *err)
{
    int rc = check_whole(mine->cards, JL_WORLD_MOST_CARDS, "cards", err);
    if (rc == 0)
        rc = check_number(mine->card_tflops, 0, MOST_AMOUNT, "cardTflops", err);
    if (rc == 0)
        rc = check_number(mine->card_vram_bytes, 0, MOST_AMOUNT, "cardVramBytes", err);
    if (rc == 0)
        rc = check_number(mine->start_delay_s, JL_LOAD_STEP_S, LONGEST_START_S, "startDelayS", err);
    return rc;
}

static int check_load(const struct joulie_autoscale_sim_options *mine, enum jl_load_kind *out,
                      struct joulie_error *err)
{
    *out = mine->trace ? JL_LOAD_TRACE : JL_LOAD_BURSTY;
    if (mine->trace && mine->workload)
        return jl_fail(err, JOULIE_E_CONFLICT, "workload", "a trace is the workload");
    if (mine->workload)
        *out = (enum jl_load_kind)jl_word_value(&jl_load_words, jl_text(mine->workload));
    if (*out == JL_LOAD_UNKNOWN)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "workload", "there is no workload \"%.64s\"",
                       mine->workload);
    const int rc = check_number(mine->hours, 0, JL_LOAD_MOST_HOURS, "hours", err);
    return rc < 0 ? rc : check_whole(mine->seeds, MOST_SEEDS, "seeds", err);
}

/* A trace is played once: without random draws there is nothing to average. */
static int compare(struct joulie_autoscale_sim_options *mine, struct jl_buffer *out,
                   struct joulie_error *err)
{
    enum jl_load_kind kind;
    fill(mine);
    int rc = check_load(mine, &kind, err);
    if (rc == 0)
        rc = check_pool(mine, err);
    if (mine->trace)
        mine->seeds = 1;
    return rc < 0 ? rc : jl_autoscale_compare(mine, kind, out, err);
}

int joulie_simulate_autoscale(const struct joulie_autoscale_sim_options *options, char **json,
                              struct joulie_error *err)
{
    struct joulie_autoscale_sim_options mine;
    if (jl_sized_check(options, sizeof *options) < 0 ||
        jl_sized_read(&mine, sizeof mine, options) < 0 || mine.reserved != 0)
        return jl_refuse(err, JOULIE_E_ABI, "",
                         "struct joulie_autoscale_sim_options of another release");
    struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    const int rc = compare(&mine, &buffer, &detail);
    return jl_sim_hand_out(&buffer, rc, &detail, json, err);
}
