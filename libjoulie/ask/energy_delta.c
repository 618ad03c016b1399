/* SPDX-License-Identifier: Apache-2.0 */

/* energy.delta: from two readings of an energy counter to joules and watts (joulie-node-agent.md
 * §5.3, linux-power.md §2.6, §2.12). */

#include "ask/ask.h"
#include "power/energy.h"

struct delta_in {
    uint64_t has;
    int64_t last_uj;
    int64_t now_uj;
    int64_t range_uj;
    double seconds;
    double tdp_w;
    double max_w;
    double sleep_s;
    int64_t last_count;
    int64_t now_count;
    double scale_j;
};

enum {
    IN_LAST,
    IN_NOW,
    IN_RANGE,
    IN_SECONDS,
    IN_TDP,
    IN_MAX,
    IN_SLEEP,
    IN_LAST_COUNT,
    IN_NOW_COUNT,
    IN_SCALE,
};

#define COUNT .flags = JL_NOT_NEGATIVE

static const struct jl_row in_rows[] = {
    [IN_LAST] = JL_INTEGER(delta_in, last_uj, "lastUj", COUNT,
                           .doc = "Reading before, microjoules; absent: this is the first."),
    [IN_NOW] = JL_INTEGER(delta_in, now_uj, "nowUj", COUNT, .doc = "Reading now, microjoules."),
    [IN_RANGE] = JL_INTEGER(delta_in, range_uj, "rangeUj", COUNT,
                            .doc = "Where the counter wraps, microjoules; absent or 0 = unknown."),
    [IN_SECONDS] =
        JL_NUMBER(delta_in, seconds, "seconds", .doc = "Monotonic time between the readings, s."),
    [IN_TDP] = JL_NUMBER(delta_in, tdp_w, "tdpW", COUNT,
                         .doc = "TDP of the zone, W: more than three times as much is a reset "
                                "counter; absent or 0 = unknown (2000 W)."),
    [IN_MAX] = JL_NUMBER(delta_in, max_w, "maxW", COUNT,
                         .doc = "Most that the zone draws, W: a gap in which it could wrap is "
                                "dropped; absent or 0 = not judged."),
    [IN_SLEEP] = JL_NUMBER(delta_in, sleep_s, "boottimeMinusMonotonicChangedS",
                           .doc = "Seconds that the machine slept in between; up to 1 s is none."),
    [IN_LAST_COUNT] = JL_INTEGER(delta_in, last_count, "lastCount", COUNT,
                                 .doc = "Perf counter before, instead of lastUj."),
    [IN_NOW_COUNT] = JL_INTEGER(delta_in, now_count, "nowCount", COUNT,
                                .doc = "Perf counter now, instead of nowUj."),
    [IN_SCALE] = JL_NUMBER(delta_in, scale_j, "scaleJ", COUNT, .doc = "Joules of one perf count."),
};
static const struct jl_table in_table = JL_TABLE(delta_in, in_rows);

struct delta_out {
    uint64_t has;
    int64_t delta_uj;
    double watts;
    const char *dropped;
};

enum { OUT_DELTA, OUT_WATTS, OUT_DROPPED };

static const struct jl_row out_rows[] = {
    [OUT_DELTA] = JL_INTEGER(delta_out, delta_uj, "deltaUj",
                             .doc = "Energy between the readings, microjoules; absent: unknown."),
    [OUT_WATTS] = JL_NUMBER(delta_out, watts, "watts", .doc = "Mean power, W; absent: unknown."),
    [OUT_DROPPED] = JL_STRING(delta_out, dropped, "dropped",
                              .doc = "Why two readings give no energy: range, reset, gap or "
                                     "suspend."),
};
static const struct jl_table out_table = JL_TABLE(delta_out, out_rows);

static uint64_t reading(const struct delta_in *in, bool is_count, int64_t count, int64_t energy_uj)
{
    return is_count ? jl_energy_of_count_uj((uint64_t)count, in->scale_j) : (uint64_t)energy_uj;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct delta_in *in = input;
    struct delta_out *out = output;
    const bool is_count = JL_HAS(in, IN_NOW_COUNT);
    const struct jl_energy_step step = {
        .has_last = is_count ? JL_HAS(in, IN_LAST_COUNT) : JL_HAS(in, IN_LAST),
        .last_uj = reading(in, is_count, in->last_count, in->last_uj),
        .now_uj = reading(in, is_count, in->now_count, in->now_uj),
        .range_uj = (uint64_t)in->range_uj,
        .seconds = in->seconds,
        .tdp_w = in->tdp_w,
        .max_w = in->max_w,
        .sleep_s = in->sleep_s,
    };
    if (!is_count && !JL_HAS(in, IN_NOW))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "nowUj", "nowUj or nowCount is required");
    if (is_count && !JL_HAS(in, IN_SCALE))
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "scaleJ", "nowCount needs scaleJ");
    const struct jl_energy_delta delta = jl_energy_delta(&step);
    const char *dropped = jl_energy_drop_word(delta.drop);
    if (delta.drop == JL_ENERGY_KEPT) {
        JL_PUT(out, OUT_DELTA, delta_uj, (int64_t)delta.delta_uj);
        JL_PUT(out, OUT_WATTS, watts, delta.watts);
    }
    if (dropped != NULL)
        JL_PUT(out, OUT_DROPPED, dropped, dropped);
    return 0;
}

const struct jl_question jl_question_energy_delta = {
    .name = "energy.delta",
    .summary = "Energy and power between two readings of a counter that wraps",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
