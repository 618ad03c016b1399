/* SPDX-License-Identifier: Apache-2.0 */

/* cpufreq.cap: the frequency of a throttle, the order of two writes, and what to give back
 * (linux-power.md §3.2). */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "caps/dvfs.h"
#include "power/cpufreq.h"

struct cap_in {
    uint64_t has;
    int64_t min_khz;
    int64_t max_khz;
    double throttle_pct;
    int64_t floor_khz;
    int64_t current_min_khz;
    int64_t current_max_khz;
    int64_t target_min_khz;
    int64_t target_max_khz;
    int64_t read_min_khz;
    int64_t read_max_khz;
};

enum {
    IN_MIN,
    IN_MAX,
    IN_THROTTLE,
    IN_FLOOR,
    IN_CURRENT_MIN,
    IN_CURRENT_MAX,
    IN_TARGET_MIN,
    IN_TARGET_MAX,
    IN_READ_MIN,
    IN_READ_MAX,
};

#define COUNT .flags = JL_NOT_NEGATIVE
#define NEEDED .flags = JL_NOT_NEGATIVE | JL_REQUIRED

static const struct jl_row in_rows[] = {
    [IN_MIN] = JL_INTEGER(cap_in, min_khz, "cpuinfoMinKhz", NEEDED,
                          .doc = "Lowest frequency of the policy's hardware, kHz."),
    [IN_MAX] = JL_INTEGER(cap_in, max_khz, "cpuinfoMaxKhz", NEEDED,
                          .doc = "Highest frequency of the policy's hardware, kHz."),
    [IN_THROTTLE] = JL_NUMBER(cap_in, throttle_pct, "throttlePct", .flags = JL_HAS_MIN | JL_HAS_MAX,
                              .max = 100, .doc = "0 = full speed, 100 = the floor."),
    [IN_FLOOR] = JL_INTEGER(cap_in, floor_khz, "floorKhz", COUNT,
                            .doc = "Frequency of 100 % throttle, kHz (1500000)."),
    [IN_CURRENT_MIN] = JL_INTEGER(cap_in, current_min_khz, "currentMinKhz", COUNT,
                                  .doc = "scaling_min_freq now, kHz; with the other three."),
    [IN_CURRENT_MAX] = JL_INTEGER(cap_in, current_max_khz, "currentMaxKhz", COUNT,
                                  .doc = "scaling_max_freq now, kHz."),
    [IN_TARGET_MIN] = JL_INTEGER(cap_in, target_min_khz, "targetMinKhz", COUNT,
                                 .doc = "scaling_min_freq to reach, kHz."),
    [IN_TARGET_MAX] = JL_INTEGER(cap_in, target_max_khz, "targetMaxKhz", COUNT,
                                 .doc = "scaling_max_freq to reach, kHz."),
    [IN_READ_MIN] = JL_INTEGER(cap_in, read_min_khz, "readMinKhz", COUNT,
                               .doc = "scaling_min_freq at first sight, kHz."),
    [IN_READ_MAX] = JL_INTEGER(cap_in, read_max_khz, "readMaxKhz", COUNT,
                               .doc = "scaling_max_freq at first sight, kHz."),
};
static const struct jl_table in_table = JL_TABLE(cap_in, in_rows);

struct write_out {
    uint64_t has;
    const char *file;
    int64_t khz;
};

enum { WRITE_FILE, WRITE_VALUE };

static const struct jl_row write_rows[] = {
    [WRITE_FILE] =
        JL_STRING(write_out, file, "file", .doc = "scaling_min_freq or scaling_max_freq."),
    [WRITE_VALUE] = JL_INTEGER(write_out, khz, "value", .doc = "What is written, kHz."),
};
static const struct jl_table write_table = JL_TABLE(write_out, write_rows);

struct cap_out {
    uint64_t has;
    int64_t max_khz;
    struct jl_list writes; /* struct write_out */
    int64_t restore_min_khz;
    int64_t restore_max_khz;
};

enum { OUT_MAX, OUT_WRITES, OUT_RESTORE_MIN, OUT_RESTORE_MAX };

static const struct jl_row out_rows[] = {
    [OUT_MAX] = JL_INTEGER(cap_out, max_khz, "maxKhz", .doc = "scaling_max_freq to write, kHz."),
    [OUT_WRITES] = JL_LIST(cap_out, writes, "writes", &write_table,
                           .doc = "Writes in an order in which the bounds never cross."),
    [OUT_RESTORE_MIN] = JL_INTEGER(cap_out, restore_min_khz, "restoreMinKhz",
                                   .doc = "What gives the minimum back, kHz; 0 = no request."),
    [OUT_RESTORE_MAX] =
        JL_INTEGER(cap_out, restore_max_khz, "restoreMaxKhz",
                   .doc = "What gives the maximum back, kHz; 2147483647 = no request."),
};
static const struct jl_table out_table = JL_TABLE(cap_out, out_rows);

static int answer_throttle(const struct cap_in *in, struct jl_freq_range range, struct cap_out *out)
{
    struct jl_dvfs_params params;
    jl_dvfs_params_default(&params);
    const uint64_t floor_khz = JL_HAS(in, IN_FLOOR) ? (uint64_t)in->floor_khz : params.floor_khz;
    JL_PUT(out, OUT_MAX, max_khz,
           (int64_t)jl_cpufreq_throttled_khz(range, in->throttle_pct, floor_khz));
    return 0;
}

static int answer_order(struct jl_ask *ask, const struct cap_in *in, struct cap_out *out)
{
    const struct jl_freq_range current = { (uint64_t)in->current_min_khz,
                                           (uint64_t)in->current_max_khz };
    const struct jl_freq_range target = { (uint64_t)in->target_min_khz,
                                          (uint64_t)in->target_max_khz };
    struct jl_cpufreq_write writes[2];
    const size_t count = jl_cpufreq_order(current, target, writes);
    struct write_out *items = JL_NEW_ARRAY(ask->arena, count, struct write_out);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        JL_PUT(&items[i], WRITE_FILE, file,
               writes[i].is_max ? "scaling_max_freq" : "scaling_min_freq");
        JL_PUT(&items[i], WRITE_VALUE, khz, (int64_t)writes[i].khz);
    }
    JL_PUT(out, OUT_WRITES, writes, ((struct jl_list){ items, count }));
    return 0;
}

static int answer_baseline(const struct cap_in *in, struct jl_freq_range range, struct cap_out *out)
{
    if (JL_HAS(in, IN_READ_MIN))
        JL_PUT(out, OUT_RESTORE_MIN, restore_min_khz,
               (int64_t)jl_cpufreq_baseline_min_khz(range, (uint64_t)in->read_min_khz));
    if (JL_HAS(in, IN_READ_MAX))
        JL_PUT(out, OUT_RESTORE_MAX, restore_max_khz,
               (int64_t)jl_cpufreq_baseline_max_khz(range, (uint64_t)in->read_max_khz));
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct cap_in *in = input;
    const struct jl_freq_range range = { (uint64_t)in->min_khz, (uint64_t)in->max_khz };
    if (range.min_khz > range.max_khz)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "cpuinfoMinKhz", "is above cpuinfoMaxKhz");
    if (JL_HAS(in, IN_THROTTLE))
        return answer_throttle(in, range, output);
    if (JL_HAS(in, IN_CURRENT_MIN) && JL_HAS(in, IN_CURRENT_MAX) && JL_HAS(in, IN_TARGET_MIN) &&
        JL_HAS(in, IN_TARGET_MAX))
        return answer_order(ask, in, output);
    if (JL_HAS(in, IN_READ_MIN) || JL_HAS(in, IN_READ_MAX))
        return answer_baseline(in, range, output);
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "throttlePct",
                       "throttlePct, or current and target bounds, or readMinKhz and readMaxKhz");
}

const struct jl_question jl_question_cpufreq_cap = {
    .name = "cpufreq.cap",
    .summary = "Frequency bounds of a throttle, the order of their writes, and what to give back",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
