/* SPDX-License-Identifier: Apache-2.0 */

/*
 * energy.delta: from two readings of an energy counter to joules and watts
 * (docs/rules/energy.md#deltas).
 */

#include "ask/ask.h"
#include "power/energy.h"

#define COUNT NOT_NEGATIVE

#define RECORD delta_in
#define MEMBERS                                                                                   \
    INTEGER(last_uj, "lastUj", "Reading before, microjoules; absent: this is the first.", COUNT)  \
    INTEGER(now_uj, "nowUj", "Reading now, microjoules.", COUNT)                                  \
    INTEGER(range_uj, "rangeUj", "Where the counter wraps, microjoules; absent or 0 = unknown.",  \
            COUNT)                                                                                \
    NUMBER(seconds, "seconds", "Monotonic time between the readings, s.")                         \
    NUMBER(tdp_w, "tdpW",                                                                         \
           "TDP of the zone, W: more than three times as much is a reset counter; absent or 0 = " \
           "unknown (2000 W).",                                                                   \
           COUNT)                                                                                 \
    NUMBER(max_w, "maxW",                                                                         \
           "Most that the zone draws, W: a gap in which it could wrap is dropped; absent or 0 = " \
           "not judged.",                                                                         \
           COUNT)                                                                                 \
    NUMBER(sleep_s, "boottimeMinusMonotonicChangedS",                                             \
           "Seconds that the machine slept in between; up to 1 s is none.")                       \
    INTEGER(last_count, "lastCount", "Perf counter before, instead of lastUj.", COUNT)            \
    INTEGER(now_count, "nowCount", "Perf counter now, instead of nowUj.", COUNT)                  \
    NUMBER(scale_j, "scaleJ", "Joules of one perf count.", COUNT)
#include "schema/record.h"

#define RECORD delta_out
#define MEMBERS                                                                                \
    INTEGER(delta_uj, "deltaUj", "Energy between the readings, microjoules; absent: unknown.") \
    NUMBER(watts, "watts", "Mean power, W; absent: unknown.")                                  \
    STRING(dropped, "dropped", "Why two readings give no energy: range, reset, gap or suspend.")
#include "schema/record.h"

static uint64_t reading(const struct delta_in *in, bool is_count, int64_t count, int64_t energy_uj)
{
    return is_count ? jl_energy_of_count_uj((uint64_t)count, in->scale_j) : (uint64_t)energy_uj;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct delta_in *in = input;
    struct delta_out *out = output;
    const bool is_count = in->given.now_count;
    const struct jl_energy_step step = {
        .has_last = is_count ? in->given.last_count : in->given.last_uj,
        .last_uj = reading(in, is_count, in->last_count, in->last_uj),
        .now_uj = reading(in, is_count, in->now_count, in->now_uj),
        .range_uj = (uint64_t)in->range_uj,
        .seconds = in->seconds,
        .tdp_w = in->tdp_w,
        .max_w = in->max_w,
        .sleep_s = in->sleep_s,
    };
    if (!is_count && !in->given.now_uj)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "nowUj", "nowUj or nowCount is required");
    if (is_count && !in->given.scale_j)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "scaleJ", "nowCount needs scaleJ");
    const struct jl_energy_delta delta = jl_energy_delta(&step);
    const char *dropped = jl_energy_drop_word(delta.drop);
    if (delta.drop == JL_ENERGY_KEPT) {
        JL_SET(out, delta_uj, (int64_t)delta.delta_uj);
        JL_SET(out, watts, delta.watts);
    }
    if (dropped != NULL)
        JL_SET(out, dropped, dropped);
    return 0;
}

const struct jl_question jl_question_energy_delta = {
    .name = "energy.delta",
    .summary = "Energy and power between two readings of a counter that wraps",
    .in = &delta_in_table,
    .out = &delta_out_table,
    .answer = answer,
};
