/* SPDX-License-Identifier: Apache-2.0 */

/* Caps by frequency (docs/rules/frequencies.md): feeds the controllers of caps/dvfs.h with measured
 * power and writes the frequencies that they ask for. */

#include "base/buffer.h"
#include "base/number.h"
#include "base/sized.h"
#include "enforce/host.h"

#define EFFECT_US INT64_C(30000000) /* as long as a power limit is given */

/* One loop: a package with meter and policies of its own, or the whole node. */
struct loop {
    struct jl_package *package; /* keeps its state */
    size_t index;               /* into packages; JL_NOWHERE = all of them */
    bool has_watts;
    double watts;
    double cap_w; /* 0 = unknown */
    bool has_pct;
    double pct;
};

static bool has_meter(const struct joulie_host *host)
{
    for (size_t i = 0; i < host->meter_count; i++) {
        if (host->meters[i].kind == JOULIE_HOST_ZONE_KIND_PACKAGE)
            return true;
    }
    return false;
}

/* ---- what can be had ---- */

/* A cap is wanted, also one in percent of a maximum that nobody knows: frequencies can try. */
static bool is_asked(const struct jl_part_want *want)
{
    return want->reason == JL_REASON_CAP ||
           (want->reason == JL_REASON_BLOCKED && want->cap.block == JOULIE_CAP_BLOCK_NO_MAX);
}

enum way {
    WAY_NONE,
    WAY_LOOP,  /* by measured power */
    WAY_BLIND, /* a percentage that cannot become watts, or with nothing to compare it with */
};

/* Watts need a meter and somebody who stays to compare; a percentage can be had without both. */
static enum way way_of(const struct joulie_host *host, double cap_w, bool has_pct)
{
    if (cap_w > 0 && has_meter(host) && !host->is_one_shot)
        return WAY_LOOP;
    return has_pct ? WAY_BLIND : WAY_NONE;
}

/* A percentage, and no watts that would win over it. */
static bool asks_pct(const struct joulie_caps_intent *intent)
{
    return (intent->has & JOULIE_CAPS_HAS_CAP_PCT) != 0 && intent->cap_pct > 0 &&
           !((intent->has & JOULIE_CAPS_HAS_CAP_W) != 0 && intent->cap_w > 0);
}

static double cap_of(const struct jl_part_want *want)
{
    return want->reason == JL_REASON_CAP ? want->cap.cap_w : 0;
}

bool jl_host_can_throttle(const struct joulie_host *host, size_t package)
{
    const struct jl_part_want *want = &host->wants[package];
    if (!is_asked(want))
        return false;
    const struct joulie_caps_intent intent = jl_cap_intent_cpu(host->spec);
    return way_of(host, cap_of(want), asks_pct(&intent)) != WAY_NONE;
}

const char *jl_host_no_loop_text(const struct joulie_host *host)
{
    return host->is_one_shot ? "noBackend: watts by frequency need an agent that stays"
                             : "noBackend: nothing measures the power to compare watts with";
}

/* ---- state of a loop ---- */

static double mean_share(const struct joulie_host *host, const struct loop *loop)
{
    double sum = 0;
    size_t count = 0;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_FREQ_MAX, loop->index, control)) != NULL) {
        if (control->file.now.code != 0)
            continue;
        const uint64_t khz = control->file.now.value < control->file.range.max_khz
                                 ? control->file.now.value
                                 : control->file.range.max_khz;
        /* half a kHz more, so that the share gives this frequency again when it is cut to kHz */
        sum += ((double)khz + 0.5) / (double)control->file.range.max_khz;
        count++;
    }
    return count > 0 ? sum / (double)count : 1;
}

/* Goes on from the frequencies that are in force. */
static void begin(const struct joulie_host *host, const struct loop *loop)
{
    size_t all = 0, throttled = 0;
    if (loop->package->has_loop)
        return;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_FREQ_MAX, loop->index, control)) != NULL) {
        all++;
        throttled +=
            control->file.now.code == 0 && control->file.now.value < control->file.range.max_khz;
    }
    jl_dvfs_init(&loop->package->loop, mean_share(host, loop));
    loop->package->legacy = (struct jl_dvfs_legacy){
        .throttle_pct = all > 0 ? jl_round_half_away(100.0 * (double)throttled / (double)all) : 0
    };
    loop->package->has_loop = true;
}

/* ---- frequencies ---- */

struct wish {
    struct jl_control *control;
    uint64_t khz;
};

/* The policies of a loop whose CPUs are online. */
static size_t collect(struct joulie_host *host, const struct loop *loop, struct wish *wishes)
{
    size_t count = 0;
    struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_FREQ_MAX, loop->index, control)) != NULL) {
        if (!control->file.is_lost) /* its CPUs are offline */
            wishes[count++] = (struct wish){ .control = control };
    }
    return count;
}

static void wish_share(struct wish *wishes, size_t count, double s)
{
    for (size_t i = 0; i < count; i++)
        wishes[i].khz = jl_cpufreq_share_khz(wishes[i].control->file.range, s);
}

static void wish_throttle(const struct joulie_host *host, struct wish *wishes, size_t count,
                          double pct)
{
    for (size_t i = 0; i < count; i++)
        wishes[i].khz =
            jl_cpufreq_throttled_khz(wishes[i].control->file.range, pct, host->dvfs.floor_khz);
}

static void wish_first(struct joulie_host *host, struct wish *wishes, size_t count, double pct)
{
    struct jl_freq_range *ranges =
        JL_NEW_ARRAY(&host->tick_memory, count + 1, struct jl_freq_range);
    uint64_t *khz = JL_NEW_ARRAY(&host->tick_memory, count + 1, uint64_t);
    for (size_t i = 0; i < count && ranges != NULL; i++)
        ranges[i] = wishes[i].control->file.range;
    if (ranges != NULL && khz != NULL)
        jl_cpufreq_throttle_first(ranges, count, pct, host->dvfs.floor_khz, khz);
    for (size_t i = 0; i < count; i++)
        wishes[i].khz = khz != NULL ? khz[i] : wishes[i].control->file.range.max_khz;
}

/* A minimum above the new maximum would fight it: it goes first. */
static size_t lower_minimum(struct joulie_host *host, struct jl_control *maximum, uint64_t khz,
                            struct jl_keep_item *item)
{
    struct jl_control *minimum = maximum + 1; /* controls.c puts it there */
    if (minimum >= host->controls + host->control_count ||
        minimum->file.kind != JL_CONTROL_FREQ_MIN)
        return 0;
    jl_control_read(host, minimum);
    if (minimum->file.now.code != 0 || minimum->file.now.value <= khz)
        return 0;
    minimum->view = (struct jl_cap_life_view){ .goal = JL_GOAL_CAP, .target = khz, .unit = 1 };
    *item = (struct jl_keep_item){ .file = &minimum->file, .value = khz };
    return 1;
}

/* Each policy goes through its own states, so that a value that somebody else holds down is not
 * fought over and one that drifted up is written again. */
static void apply(struct joulie_host *host, const struct wish *wishes, size_t count, int64_t now_ms)
{
    struct jl_keep_item *items =
        JL_NEW_ARRAY(&host->tick_memory, 2 * count + 1, struct jl_keep_item);
    size_t used = 0;
    if (items == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        struct jl_control *control = wishes[i].control;
        uint64_t khz = 0;
        control->view = (struct jl_cap_life_view){
            .goal = JL_GOAL_CAP,
            .target = wishes[i].khz,
            .has_value = control->file.now.code == 0,
            .value = control->file.now.value,
            .unit = 1,
            .is_request = true,
            .now_ms = jl_host_monotonic_ms(host),
        };
        const bool is_untouched = !control->life.has_written && control->file.now.code == 0 &&
                                  wishes[i].khz == control->file.range.max_khz &&
                                  control->file.now.value >= control->file.range.max_khz;
        if (is_untouched || !jl_cap_life_next(&control->life, &control->view, &khz))
            continue; /* a maximum that nobody lowered needs no word of ours */
        used += lower_minimum(host, control, khz, &items[used]);
        items[used++] = (struct jl_keep_item){ .file = &control->file, .value = khz };
    }
    if (used > 0)
        jl_host_write(host, items, used, false, now_ms);
}

/* ---- what came of it ---- */

static bool is_at_bottom(const struct wish *wishes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (wishes[i].khz > wishes[i].control->file.range.min_khz)
            return false;
    }
    return true;
}

static enum joulie_control_result worst_of(const struct wish *wishes, size_t count,
                                           enum jl_cap_reason *reason)
{
    enum joulie_control_result worst = JOULIE_CONTROL_NONE;
    for (size_t i = 0; i < count; i++) {
        const struct jl_cap_life *life = &wishes[i].control->life;
        const bool is_untouched =
            life->state == JL_DEVICE_IDLE ||
            (life->state == JL_DEVICE_UNKNOWN && life->reason == JL_CAP_REASON_NONE);
        const enum joulie_control_result now = jl_cap_worse(
            worst, is_untouched ? JOULIE_CONTROL_APPLIED : jl_device_result(life->state));
        if (now != worst)
            *reason = life->reason;
        worst = now;
    }
    return worst;
}

static const char *watts_text(struct joulie_host *host, const char *prefix, double watts,
                              const char *middle, double cap_w, const char *suffix)
{
    char a[JL_DOUBLE_TEXT], b[JL_DOUBLE_TEXT];
    a[jl_format_fixed(watts, 1, a)] = '\0';
    b[jl_format_fixed(cap_w, 1, b)] = '\0';
    return JL_JOIN(&host->tick_memory, prefix, a, middle, b, suffix);
}

static const char *written_text(struct joulie_host *host, enum jl_cap_reason reason)
{
    if (reason == JL_CAP_REASON_NONE && host->journal_message != NULL)
        return host->journal_message;
    return jl_reason_text(&host->tick_memory, NULL, reason);
}

/* Power proves a cap that has no limit of its own; while there is no reading the loop neither
 * claims nor gives up for EFFECT_US. */
static void judge(struct joulie_host *host, const struct loop *loop, const struct wish *wishes,
                  size_t count, struct jl_part_reading *out)
{
    enum jl_cap_reason reason = JL_CAP_REASON_NONE;
    const enum joulie_control_result written = worst_of(wishes, count, &reason);
    struct jl_package *package = loop->package;
    if (loop->has_watts)
        package->watts_us = host->time.monotonic_us;
    const int64_t since_us = loop->has_watts ? package->cap_us : package->watts_us;
    const bool is_late = host->time.monotonic_us - since_us >= EFFECT_US;
    out->has_result = true;
    out->result = written;
    if (written == JOULIE_CONTROL_ERROR || written == JOULIE_CONTROL_BLOCKED) {
        out->message = written_text(host, reason);
    } else if (!loop->has_watts) {
        out->result = is_late ? JOULIE_CONTROL_BLOCKED : JOULIE_CONTROL_PENDING;
        out->message = is_late ? "noBackend: there is no reading of power any more to control by"
                               : "no reading of power yet to control by";
    } else if (loop->watts <= jl_cap_effect_bound_w(loop->cap_w)) {
        out->result = JOULIE_CONTROL_APPLIED;
        out->message =
            watts_text(host, "held by frequency: ", loop->watts, " W of ", loop->cap_w, " W");
    } else {
        const bool is_stuck = is_late && is_at_bottom(wishes, count);
        out->result = is_stuck ? JOULIE_CONTROL_BLOCKED : JOULIE_CONTROL_PENDING;
        out->message = watts_text(
            host, is_stuck ? "ineffective: lowest frequency, " : "controlling: ", loop->watts,
            " W of ", loop->cap_w, " W");
    }
}

/* ---- the controllers ---- */

/* A new cap starts anew; the frequencies go on from where they are. */
static void note_cap(struct joulie_host *host, const struct loop *loop)
{
    struct jl_package *package = loop->package;
    if (package->has_cap_time && package->cap_w == loop->cap_w)
        return;
    package->has_cap_time = true;
    package->cap_us = package->watts_us = host->time.monotonic_us;
    package->cap_w = loop->cap_w;
    package->legacy.has_ema = false;
    package->legacy.above = package->legacy.below = 0;
}

static void note_step(struct joulie_host *host, const struct loop *loop, enum jl_dvfs_action action)
{
    loop->package->has_run = true;
    loop->package->has_seen = loop->has_watts;
    loop->package->seen_w = loop->watts;
    host->ups += action == JL_DVFS_DOWN; /* slower CPUs, a higher throttle */
    host->downs += action == JL_DVFS_UP;
}

static void step_loop(struct joulie_host *host, const struct loop *loop, struct wish *wishes,
                      size_t count)
{
    if (host->is_legacy) {
        note_step(host, loop,
                  jl_dvfs_legacy_step(&host->dvfs, &loop->package->legacy, loop->has_watts,
                                      loop->watts, loop->cap_w, jl_host_monotonic_ms(host)));
        wish_first(host, wishes, count, loop->package->legacy.throttle_pct);
    } else {
        note_step(host, loop,
                  jl_dvfs_step(&loop->package->loop, loop->has_watts, loop->watts, loop->cap_w));
        wish_share(wishes, count, loop->package->loop.s);
    }
}

static void throttle_blindly(struct joulie_host *host, const struct loop *loop, struct wish *wishes,
                             size_t count, int64_t now_ms, struct jl_part_reading *out)
{
    const double pct = jl_dvfs_open_throttle_pct(loop->pct);
    char text[JL_DOUBLE_TEXT];
    enum jl_cap_reason reason = JL_CAP_REASON_NONE;
    wish_throttle(host, wishes, count, pct);
    apply(host, wishes, count, now_ms);
    text[jl_format_double(pct, text)] = '\0';
    out->has_result = true;
    out->result = worst_of(wishes, count, &reason);
    out->message = out->result != JOULIE_CONTROL_APPLIED
                       ? written_text(host, reason)
                       : JL_JOIN(&host->tick_memory,
                                 "by frequency alone, power not watched: throttle ", text, " %");
}

/* One control interval of one loop: what it wishes of its policies, the writes, the verdict. */
static void run_loop(struct joulie_host *host, const struct loop *loop, int64_t now_ms,
                     struct jl_part_reading *out)
{
    struct wish *wishes = JL_NEW_ARRAY(&host->tick_memory, host->control_count + 1, struct wish);
    if (wishes == NULL)
        return;
    const size_t count = collect(host, loop, wishes);
    switch (count > 0 ? way_of(host, loop->cap_w, loop->has_pct) : WAY_NONE) {
    case WAY_LOOP:
        begin(host, loop);
        note_cap(host, loop);
        step_loop(host, loop, wishes, count);
        apply(host, wishes, count, now_ms);
        judge(host, loop, wishes, count, out);
        break;
    case WAY_BLIND:
        throttle_blindly(host, loop, wishes, count, now_ms, out);
        break;
    case WAY_NONE:
        out->has_result = true;
        out->result = JOULIE_CONTROL_BLOCKED;
        out->message = count == 0 ? "deviceLost: no frequency of it can be set any more"
                                  : jl_host_no_loop_text(host);
        break;
    }
}

static struct loop loop_of(struct joulie_host *host, size_t package, bool is_all)
{
    const struct jl_part_want *want = &host->wants[package];
    const struct joulie_caps_intent intent = jl_cap_intent_cpu(host->spec);
    struct loop loop = {
        .package = &host->packages[package],
        .index = is_all ? JL_NOWHERE : package,
        .has_watts = host->packages[package].has_watts,
        .watts = host->packages[package].watts,
        .cap_w = cap_of(want),
        .has_pct = asks_pct(&intent),
        .pct = intent.cap_pct,
    };
    if (is_all) { /* watts per package times packages */
        loop.cap_w = jl_dvfs_node_cap_w(loop.cap_w, host->socket_count);
        loop.has_watts = has_meter(host);
        loop.watts = 0;
        for (size_t i = 0; i < host->meter_count; i++) {
            if (host->meters[i].kind == JOULIE_HOST_ZONE_KIND_PACKAGE) {
                loop.has_watts &= host->meters[i].has_watts;
                loop.watts += host->meters[i].watts;
            }
        }
    }
    return loop;
}

/* Why a machine with power limits is capped by frequency. */
static void explain_lock(struct joulie_host *host, struct jl_part_reading *reading)
{
    reading->message = JL_JOIN(&host->tick_memory, "locked: the firmware keeps the power limit; ",
                               reading->message != NULL ? reading->message : "");
}

void jl_host_run_loops(struct joulie_host *host, int64_t now_ms)
{
    const bool is_all = host->is_node_wide || host->is_legacy;
    for (size_t p = 0; p < host->part_count; p++) {
        if (!is_asked(&host->wants[p])) {
            host->packages[p].has_loop = false; /* the next cap starts from what is in force then */
            host->packages[p].has_cap_time = false;
            continue;
        }
        if (is_all && p > 0) {
            host->readings[p] = host->readings[0];
            continue;
        }
        const struct loop loop = loop_of(host, p, is_all);
        run_loop(host, &loop, now_ms, &host->readings[p]);
        if (jl_host_is_locked(host))
            explain_lock(host, &host->readings[p]);
    }
}

/* ---- joulie_host_get_dvfs(), joulie_host_policy_at() ---- */

/* A number of which a part is unknown is left out. */
static void sum_up(const struct joulie_host *host, struct joulie_host_dvfs *out)
{
    const struct jl_dvfs_legacy *legacy = NULL;
    size_t run = 0, seen = 0;
    out->ups = host->ups;
    out->downs = host->downs;
    for (size_t p = 0; p < host->package_count; p++) {
        const struct jl_package *package = &host->packages[p];
        if (!package->has_run)
            continue;
        run++;
        seen += package->has_seen;
        out->power_w += package->has_seen ? package->seen_w : 0;
        legacy = host->is_legacy ? &package->legacy : NULL; /* it has one loop */
    }
    if (run > 0 && seen == run)
        out->has |= JOULIE_HOST_DVFS_HAS_POWER;
    if (legacy == NULL)
        return;
    out->has |= JOULIE_HOST_DVFS_HAS_TRIPS;
    out->above_trips = legacy->above;
    out->below_trips = legacy->below;
    if (legacy->has_ema && seen == run) {
        out->has |= JOULIE_HOST_DVFS_HAS_EMA;
        out->ema_w = legacy->ema_w;
    }
}

int joulie_host_get_dvfs(struct joulie_host *host, struct joulie_host_dvfs *out,
                         struct joulie_error *err)
{
    struct joulie_host_dvfs ours = { 0 };
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    sum_up(host, &ours);
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}

static int read_khz(const struct joulie_host *host, const struct jl_control *control,
                    const char *name, uint64_t bit, uint64_t *has, uint64_t *out)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    const char *path = JL_JOIN(&memory, control->file.folder, name);
    if (path == NULL)
        return JOULIE_E_NOMEM;
    const struct jl_fact khz = jl_root_number(&host->root, path);
    if (khz.code == 0) {
        *has |= bit;
        *out = khz.value;
    }
    return 0;
}

static int read_policy(const struct joulie_host *host, size_t index, struct joulie_host_policy *out)
{
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_FREQ_MAX, JL_NOWHERE, control)) != NULL) {
        if (index-- > 0)
            continue;
        out->number = control->number;
        const int rc = read_khz(host, control, "/scaling_cur_freq", JOULIE_HOST_POLICY_HAS_NOW,
                                &out->has, &out->now_khz);
        return rc < 0 ? rc
                      : read_khz(host, control, "/scaling_max_freq", JOULIE_HOST_POLICY_HAS_MAX,
                                 &out->has, &out->max_khz);
    }
    return JOULIE_E_RANGE;
}

int joulie_host_policy_at(struct joulie_host *host, size_t index, struct joulie_host_policy *out,
                          struct joulie_error *err)
{
    struct joulie_host_policy ours = { 0 };
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const int rc = read_policy(host, index, &ours);
    if (rc == JOULIE_E_RANGE)
        return jl_fail(err, rc, "index", "there is no such policy");
    if (rc < 0)
        return jl_fail_memory(err);
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}
