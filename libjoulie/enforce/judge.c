/* SPDX-License-Identifier: Apache-2.0 */

/* What is seen of the packages after the writes of a tick, and what it says about their caps. */

#include <errno.h>

#include "base/number.h"
#include "enforce/host.h"
#include "node/cap_life.h"
#include "node/hardware.h"

#define UW_PER_W 1e6

/* (7) of the write protocol: under load the power must show the cap. */
static void judge_effect(struct joulie_host *host, size_t p)
{
    struct jl_package *package = &host->packages[p];
    int64_t since_ms = 0;
    bool is_capped = true;
    size_t limits = 0;
    const struct jl_control *control = NULL;
    while (jl_is_cap_wanted(host, p) &&
           (control = jl_control_next(host, JL_CONTROL_LONG, p, control)) != NULL) {
        limits++;
        is_capped &= control->life.state == JL_DEVICE_CAPPED;
        if (control->life.since_ms > since_ms)
            since_ms = control->life.since_ms;
    }
    const double cap_w = host->wants[p].target_w;
    is_capped &= limits > 0;
    if (!is_capped || !package->has_watts || package->watts <= jl_cap_effect_bound_w(cap_w)) {
        package->is_ineffective = is_capped && !package->has_watts && package->is_ineffective;
        package->is_above = false;
        return;
    }
    /* A limit holds the mean of its time window: a burst after idling may pass it for a while. */
    if (!package->is_above)
        package->above_ms = jl_host_monotonic_ms(host);
    package->is_above = true;
    if (package->above_ms > since_ms)
        since_ms = package->above_ms;
    jl_host_read_load(host);
    const struct jl_effect effect = {
        .cap_w = cap_w,
        .measured_w = package->watts,
        .load_pct = host->load_pct,
        .since_write_s = (double)(jl_host_monotonic_ms(host) - since_ms) / 1e3,
    };
    if (host->load_pct >= 0 && jl_cap_is_ineffective(&effect))
        package->is_ineffective = true;
}

/* Result and reason of one zone, its effect included. */
static enum joulie_control_result result_of(const struct joulie_host *host,
                                            const struct jl_control *control,
                                            enum jl_cap_reason *reason)
{
    const struct jl_cap_life *life = &control->life;
    *reason = life->reason;
    if (life->state != JL_DEVICE_CAPPED)
        return jl_device_result(life->state);
    if (control->file.enabled.code == 0 && control->file.enabled.value == 0) {
        *reason = JL_CAP_REASON_NOT_ENFORCED;
        return JOULIE_CONTROL_BLOCKED;
    }
    if (host->packages[control->package].is_ineffective) {
        *reason = JL_CAP_REASON_INEFFECTIVE;
        return JOULIE_CONTROL_BLOCKED;
    }
    if (control->other.code == 0 && control->other.value < control->file.now.value)
        *reason = JL_CAP_REASON_LIMITED_BY_OTHER;
    return jl_device_result(life->state);
}

/* A zone that is there and cannot be opened is lost too, and says why. */
static const char *zone_text(struct joulie_host *host, const struct jl_control *control,
                             enum jl_cap_reason reason)
{
    const struct jl_fact *now = &control->file.now;
    const bool is_there = now->code == JOULIE_E_IO && now->sys_errno != ENODEV;
    if (reason != JL_CAP_REASON_DEVICE_LOST || !is_there)
        return jl_reason_text(&host->tick_memory, control->file.zone_name, reason);
    return JL_JOIN(&host->tick_memory, jl_word_of(&jl_cap_reason_words, (int)reason), ": ",
                   control->file.zone_name,
                   ": its limit cannot be read: ", jl_root_errno_text(now->sys_errno));
}

static const char *clamp_message(struct joulie_host *host, const struct jl_part_want *want)
{
    if (want->cap.clamp == JOULIE_CAP_CLAMP_NONE)
        return NULL;
    return jl_reason_text(&host->tick_memory, NULL,
                          want->cap.clamp == JOULIE_CAP_CLAMP_MAX ? JL_CAP_REASON_ABOVE_CEILING
                                                                  : JL_CAP_REASON_BELOW_FLOOR);
}

static bool is_refused(const struct jl_cap_life *life)
{
    return life->state == JL_DEVICE_FAILED || life->state == JL_DEVICE_MONITOR;
}

/* The worst zone gives the result of its package, and the first reason that was found for it. */
static void judge_package(struct joulie_host *host, size_t p)
{
    struct jl_part_reading *reading = &host->readings[p];
    enum joulie_control_result worst = JOULIE_CONTROL_NONE;
    judge_effect(host, p);
    reading->has_result = true;
    for (size_t i = 0; i < host->control_count; i++) {
        const struct jl_control *control = &host->controls[i];
        enum jl_cap_reason reason = JL_CAP_REASON_NONE;
        if (!jl_is_in_group(host, control) || control->package != p ||
            (control->file.kind == JL_CONTROL_SHORT && !is_refused(&control->life)))
            continue;
        const enum joulie_control_result result = result_of(host, control, &reason);
        const enum joulie_control_result now = jl_cap_worse(worst, result);
        if ((now != worst || reading->message == NULL) &&
            (reason != JL_CAP_REASON_NONE || result == JOULIE_CONTROL_ERROR))
            reading->message = reason == JL_CAP_REASON_NONE && host->journal_message != NULL
                                   ? host->journal_message
                                   : zone_text(host, control, reason);
        worst = now;
    }
    reading->result = worst;
    if (reading->message == NULL && worst == JOULIE_CONTROL_APPLIED)
        reading->message = clamp_message(host, &host->wants[p]);
}

/* What reads back of a package, and what it draws. */
static void see_package(struct joulie_host *host, size_t p)
{
    struct jl_part_reading *reading = &host->readings[p];
    reading->has_limit = jl_host_limit_in_force(host, p, &reading->limit_w);
    size_t meters = 0;
    reading->has_watts = true;
    reading->watts = 0;
    for (size_t i = 0; i < host->meter_count; i++) {
        const struct jl_meter *meter = &host->meters[i];
        if (meter->kind != JOULIE_HOST_ZONE_KIND_PACKAGE || meter->package != p)
            continue;
        meters++;
        reading->has_watts &= meter->has_published_w;
        reading->watts += meter->published_w;
    }
    reading->has_watts &= meters > 0;
}

static enum jl_limiter limiter_of(const struct joulie_host *host, const struct jl_control *control)
{
    const struct jl_package *package = &host->packages[control->package];
    const struct jl_limiter_view view = {
        .reason = control->life.reason,
        .is_off = control->file.enabled.code == 0 && control->file.enabled.value == 0,
        .limit_w = (double)control->file.now.value / UW_PER_W,
        .has_other = control->other.code == 0,
        .other_w = (double)control->other.value / UW_PER_W,
        .has_watts = package->has_watts,
        .watts = package->watts,
        .is_hot = package->is_hot,
    };
    return jl_limiter(&view);
}

/* What will be given back may be a cap whose journal was lost. */
static bool is_doubted(const struct joulie_host *host, const struct jl_control *control)
{
    const struct jl_journal_entry *entry = jl_host_open_key(host, control->file.key);
    uint64_t most = 0;
    return entry != NULL && jl_control_file_is_low(&control->file, entry->value, &most);
}

/* The CPUs together: power when every package has it, the limiter of the package that is held
 * hardest, the mean throttle of all policies. */
static void see_node(struct joulie_host *host)
{
    enum jl_limiter limiter = JL_LIMITER_UNKNOWN;
    size_t policies = 0;
    double shares = 0;
    host->cpu = (struct jl_node_observed){ .has_watts = host->part_count > 0 };
    for (size_t p = 0; p < host->part_count; p++) {
        host->cpu.has_watts &= host->readings[p].has_watts;
        host->cpu.watts += host->readings[p].watts;
    }
    for (size_t i = 0; i < host->control_count; i++) {
        const struct jl_control *control = &host->controls[i];
        if (control->file.kind == JL_CONTROL_LONG && control->file.now.code == 0) {
            const enum jl_limiter found = limiter_of(host, control);
            limiter = found > limiter ? found : limiter;
        }
        host->cpu.is_baseline_doubted |= is_doubted(host, control);
        if (control->file.kind == JL_CONTROL_FREQ_MAX && control->file.now.code == 0) {
            const uint64_t max_khz = control->file.range.max_khz;
            shares +=
                (double)(control->file.now.value < max_khz ? control->file.now.value : max_khz) /
                (double)max_khz;
            policies++;
        }
    }
    host->cpu.limiter = jl_word_of(&jl_limiter_words, (int)limiter);
    host->cpu.has_throttle = policies > 0 && host->backend == JL_BACKEND_DVFS;
    if (host->cpu.has_throttle)
        host->cpu.throttle_pct = 100.0 * (1 - shares / (double)policies);
}

void jl_host_see(struct joulie_host *host)
{
    for (size_t p = 0; p < host->part_count; p++) {
        see_package(host, p);
        const enum jl_node_reason reason = host->wants[p].reason;
        if (host->backend == JL_BACKEND_NONE &&
            (reason == JL_REASON_NO_CONTROL || reason == JL_REASON_BLOCKED))
            host->readings[p].message =
                jl_reason_text(&host->tick_memory, NULL, jl_hardware_no_zones(&host->facts));
    }
    see_node(host);
}

/* A cap that should be gone and is not. */
static void judge_open_keys(struct joulie_host *host)
{
    for (size_t i = 0; i < host->control_count; i++) {
        const struct jl_control *control = &host->controls[i];
        const size_t p = control->package != JL_NOWHERE ? control->package : 0;
        if (control->view.goal != JL_GOAL_RESTORE || p >= host->part_count ||
            !is_refused(&control->life))
            continue;
        host->readings[p].has_result = true;
        host->readings[p].result = JOULIE_CONTROL_ERROR;
        host->readings[p].message = "the original limit could not be given back";
    }
}

void jl_host_judge(struct joulie_host *host)
{
    jl_host_see(host);
    for (size_t p = 0; p < host->part_count; p++) {
        if (host->config.mode == JL_NODE_OBSERVE)
            continue;
        if (!host->is_claimed && host->wants[p].reason == JL_REASON_CAP) {
            host->readings[p].has_result = true;
            host->readings[p].result = JOULIE_CONTROL_BLOCKED;
            host->readings[p].message = "this process is not the writer of the machine";
            continue;
        }
        switch (host->wants[p].reason) {
        case JL_REASON_CAP:
            if (host->backend == JL_BACKEND_RAPL)
                judge_package(host, p);
            break;
        case JL_REASON_NO_SPEC:
            if (host->is_disabled)
                host->readings[p].message = "disabled by etc/joulie/disable";
            else if (jl_host_awaits_word(host))
                host->readings[p].message = "no NodeTwin was read yet";
            break;
        case JL_REASON_NO_CONTROL:
        case JL_REASON_STALE_SPEC:
        case JL_REASON_OBSERVING:
        case JL_REASON_NO_INTENT:
        case JL_REASON_BLOCKED:
            break;
        }
    }
    judge_open_keys(host);
}
