/* SPDX-License-Identifier: Apache-2.0 */

/* One control interval: read, ask the pure step, write, judge what is seen. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "caps/ramp.h"
#include "enforce/host.h"
#include "power/rapl.h"

#define UW_PER_WATT 1000000
#define SCAN_PAUSE_US INT64_C(2000000)     /* the first time */
#define SCAN_LONGEST_US INT64_C(64000000)  /* something that stays away */
#define SCAN_ANYWAY_US INT64_C(3600000000) /* what came is noticed */
#define SWITCH_PAUSE_MS INT64_C(60000)     /* between tries to switch a limit on */
#define NEWS_FRAC 0.02                     /* a move of watts that is worth a report */

/* ---- observe ---- */

static bool has_open_key(const struct joulie_host *host, const char *prefix)
{
    const struct jl_journal *now = jl_host_open_keys(host);
    for (size_t i = 0; now != NULL && i < now->open_count; i++) {
        if (jl_starts_with(now->open[i].key, prefix))
            return true;
    }
    return false;
}

/* Frequencies cost two reads for each policy and are skipped where limits do the work. */
static void read_controls(struct joulie_host *host)
{
    struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, JL_NOWHERE, control)) != NULL)
        jl_control_read(host, control);
    host->backend = jl_host_choose_backend(host);
    if (host->backend != JL_BACKEND_DVFS && !has_open_key(host, "cpufreq/"))
        return;
    while ((control = jl_control_next(host, JL_CONTROL_FREQ_MAX, JL_NOWHERE, control)) != NULL)
        jl_control_read(host, control);
}

void jl_host_observe(struct joulie_host *host)
{
    host->is_disabled = jl_host_stat_disable(host);
    read_controls(host);
}

/* A machine whose zones went away is scanned again in pauses that double, so that a device that is
 * gone for good costs nothing. */
static int observe(struct joulie_host *host)
{
    int rc = 0;
    host->needs_scan |= host->time.monotonic_us - host->scanned_us >= SCAN_ANYWAY_US;
    if (!host->needs_scan) {
        host->scan_pause_us = 0;
    } else if (host->time.monotonic_us - host->scanned_us >= host->scan_pause_us) {
        host->needs_scan = false;
        host->scanned_us = host->time.monotonic_us;
        host->scan_pause_us = host->scan_pause_us == 0 ? SCAN_PAUSE_US : 2 * host->scan_pause_us;
        if (host->scan_pause_us > SCAN_LONGEST_US)
            host->scan_pause_us = SCAN_LONGEST_US;
        rc = jl_host_rescan(host);
        if (rc < 0) {
            host->needs_scan = true;
            return rc;
        }
    }
    jl_host_observe(host);
    jl_host_read_meters(host, &host->time);
    jl_host_read_throttle(host);
    return rc;
}

/* ---- decide ---- */

/* Parts and wants live in the tick's arena. The kill switch is a spec that is not there. */
int jl_host_decide(struct joulie_host *host, int64_t now_ms)
{
    static const char *const backends[] = {
        [JL_BACKEND_NONE] = "none", [JL_BACKEND_RAPL] = "rapl", [JL_BACKEND_DVFS] = "dvfs"
    };
    int rc = jl_host_make_parts(host);
    size_t *order = rc == 0 ? JL_NEW_ARRAY(&host->tick_memory, host->part_count + 1, size_t) : NULL;
    if (order == NULL)
        return JOULIE_E_NOMEM;
    host->config.cpu_backend = backends[host->backend];
    host->input = (struct jl_node_input){
        .spec = host->is_disabled ? NULL : host->spec,
        .last_updated = host->last_updated,
        .is_vouched = host->has_backed_twin,
        .is_unread = host->is_unread,
        .cpu = &host->cpu,
        .parts = host->parts,
        .part_count = host->part_count,
        .now_ms = host->has_ticked ? jl_host_monotonic_ms(host) : now_ms,
    };
    host->input.wall = (struct jl_wall){ .is_told = host->has_ticked,
                                         .now_ms = host->input.now_ms,
                                         .wall_ms = now_ms };
    jl_arena_clear(&host->old_twin_memory);
    jl_node_step(&host->config, &host->input, &host->memory, host->wants, order);
    return rc;
}

/* Frequencies are one group: they stay as long as any package needs them. */
static bool is_dvfs_wanted(const struct joulie_host *host)
{
    for (size_t p = 0; p < host->part_count && host->backend == JL_BACKEND_DVFS; p++) {
        if (jl_host_can_throttle(host, p))
            return true;
    }
    return false;
}

/* A journal entry that is still wanted is not given back, and neither is any before it is known
 * what is wanted. */
bool jl_host_keeps(struct joulie_host *host, const struct jl_control *control)
{
    if (jl_host_awaits_word(host))
        return true;
    return jl_is_limit(control)
               ? host->backend == JL_BACKEND_RAPL && jl_is_cap_wanted(host, control->package)
               : is_dvfs_wanted(host);
}

/* ---- package limits ---- */

static struct jl_control *short_of(struct joulie_host *host, struct jl_control *control)
{
    struct jl_control *next = control + 1; /* controls.c puts it there */
    const bool is_there = next < host->controls + host->control_count &&
                          next->file.kind == JL_CONTROL_SHORT &&
                          jl_same(next->file.zone_name, control->file.zone_name);
    return is_there ? next : NULL;
}

/* A raise must not end above the short-term limit. */
size_t jl_host_raise_short(struct joulie_host *host, struct jl_control *control, uint64_t value,
                           struct jl_keep_item *item)
{
    struct jl_control *small = short_of(host, control);
    uint64_t short_uw = 0;
    if (small == NULL || control->file.now.code != 0 || value <= control->file.now.value)
        return 0;
    jl_control_read(host, small);
    if (small->file.now.code != 0 || !small->has_found ||
        !jl_short_term_uw(value, small->file.now.value, small->found, &short_uw))
        return 0;
    small->view = (struct jl_cap_life_view){ .goal = JL_GOAL_CAP,
                                             .target = short_uw,
                                             .unit = small->file.unit,
                                             .now_ms = jl_host_monotonic_ms(host) };
    *item = (struct jl_keep_item){ .file = &small->file, .value = short_uw };
    return 1;
}

static void view_limit(struct joulie_host *host, struct jl_control *control)
{
    control->view = (struct jl_cap_life_view){
        .goal = JL_GOAL_CAP,
        .target = jl_control_target_uw(host, control, host->wants[control->package].target_w),
        .has_value = control->file.now.code == 0,
        .value = control->file.now.value,
        .unit = control->file.unit,
        .ramps = host->ramps,
        .reference_w = jl_control_reference_w(control),
        .now_ms = jl_host_monotonic_ms(host),
    };
}

/* All packages change together or not at all: one that failed makes the others wait with it. */
static bool is_group_waiting(const struct joulie_host *host)
{
    for (size_t i = 0; i < host->control_count; i++) {
        const struct jl_control *control = &host->controls[i];
        const struct jl_cap_life *life = &control->life;
        if (jl_is_in_group(host, control) && life->state != JL_DEVICE_CONTESTED &&
            jl_cap_life_is_waiting(life, jl_host_monotonic_ms(host)))
            return true;
    }
    return false;
}

/* A short-term limit that failed and need not be raised any more is as it was. */
static void forget_short_failures(struct joulie_host *host)
{
    for (size_t i = 0; i < host->control_count; i++) {
        struct jl_control *control = &host->controls[i];
        if (control->file.kind == JL_CONTROL_SHORT && control->view.goal == JL_GOAL_NONE)
            control->life = (struct jl_cap_life){ 0 };
    }
}

/* What is as wanted and switched off is tried again, but not in each interval. */
static bool is_switch_due(const struct joulie_host *host, const struct jl_control *control,
                          uint64_t *out_value)
{
    const struct jl_cap_life *life = &control->life;
    if (!host->may_enable || life->state != JL_DEVICE_CAPPED ||
        !jl_rapl_agrees(control->view.target, control->file.now.value, control->file.unit) ||
        control->file.enabled.code != 0 || control->file.enabled.value != 0 ||
        (control->has_tried_switch &&
         jl_host_monotonic_ms(host) - control->tried_switch_ms < SWITCH_PAUSE_MS))
        return false;
    *out_value = control->view.target;
    return true;
}

/* Lowering goes before raising, so that the sum never passes the larger of before and after. */
static void limit_packages(struct joulie_host *host, int64_t now_ms)
{
    struct jl_keep_item *items =
        JL_NEW_ARRAY(&host->tick_memory, 2 * host->control_count + 1, struct jl_keep_item);
    uint64_t *values = JL_NEW_ARRAY(&host->tick_memory, host->control_count + 1, uint64_t);
    bool *is_due = JL_NEW_ARRAY(&host->tick_memory, host->control_count + 1, bool);
    size_t count = 0;
    if (items == NULL || values == NULL || is_due == NULL || is_group_waiting(host))
        return;
    for (size_t i = 0; i < host->control_count; i++) {
        struct jl_control *control = &host->controls[i];
        if (!jl_is_limited(host, control))
            continue;
        view_limit(host, control);
        is_due[i] = jl_cap_life_next(&control->life, &control->view, &values[i]) ||
                    is_switch_due(host, control, &values[i]);
    }
    for (int is_raise = 0; is_raise < 2; is_raise++) {
        for (size_t i = 0; i < host->control_count; i++) {
            struct jl_control *control = &host->controls[i];
            if (!is_due[i] || (values[i] > control->file.now.value) != (is_raise != 0))
                continue;
            count += jl_host_raise_short(host, control, values[i], &items[count]);
            items[count++] = (struct jl_keep_item){ .file = &control->file, .value = values[i] };
        }
    }
    forget_short_failures(host);
    if (count > 0)
        jl_host_write(host, items, count, true, now_ms);
}

/* ---- log and news ---- */

static enum joulie_log_level level_of(enum jl_device_state state)
{
    if (state == JL_DEVICE_FAILED)
        return JOULIE_LOG_LEVEL_ERROR;
    return state == JL_DEVICE_MONITOR || state == JL_DEVICE_DRIFTED || state == JL_DEVICE_CONTESTED
               ? JOULIE_LOG_LEVEL_WARN
               : JOULIE_LOG_LEVEL_INFO;
}

/* Power is not yet what frequencies are to make of it. */
static bool is_loop_pending(const struct joulie_host *host)
{
    for (size_t p = 0; p < host->part_count && host->backend == JL_BACKEND_DVFS; p++) {
        if (host->readings[p].has_result && host->readings[p].result == JOULIE_CONTROL_PENDING)
            return true;
    }
    return false;
}

/* Frequencies move all the time: only what becomes of package limits is a line of its own. */
static void log_states(struct joulie_host *host)
{
    const bool is_held = is_group_waiting(host);
    host->is_settled = !is_loop_pending(host);
    for (size_t i = 0; i < host->control_count; i++) {
        struct jl_control *control = &host->controls[i];
        const struct jl_cap_life *life = &control->life;
        const bool is_failed = life->state == JL_DEVICE_FAILED &&
                               !jl_cap_life_is_waiting(life, jl_host_monotonic_ms(host) + 1);
        if ((life->state == JL_DEVICE_APPLYING && !is_held) || life->state == JL_DEVICE_DRIFTED ||
            life->state == JL_DEVICE_RESTORING || is_failed)
            host->is_settled = false;
        const bool is_same = control->logged_state == life->state &&
                             control->logged_reason == life->reason &&
                             control->logged_value == life->written;
        if (control->file.kind != JL_CONTROL_LONG || is_same)
            continue;
        const bool is_first =
            control->logged_state == JL_DEVICE_UNKNOWN && life->state == JL_DEVICE_IDLE;
        control->logged_state = life->state;
        control->logged_reason = life->reason;
        control->logged_value = life->written;
        const char *state = jl_word_of(&jl_device_state_words, (int)life->state);
        const char *reason = jl_word_of(&jl_cap_reason_words, (int)life->reason);
        if (is_first)
            continue;
        const enum joulie_log_level level = level_of(life->state);
        const char *because = reason != NULL ? reason : "";
        const char *colon = reason != NULL ? ": " : "";
        if (control->file.now.code != 0)
            jl_host_log(host, level, "rapl", "%s is %s, limit unreadable%s%s", control->file.key,
                        state != NULL ? state : "unknown", colon, because);
        else
            jl_host_log(host, level, "rapl", "%s is %s, limit %llu W%s%s", control->file.key,
                        state != NULL ? state : "unknown",
                        (unsigned long long)(control->file.now.value / UW_PER_WATT), colon,
                        because);
    }
}

static bool has_moved_from(double reported_w, bool has_watts, double watts)
{
    const double moved = watts > reported_w ? watts - reported_w : reported_w - watts;
    return has_watts && moved > 0 && moved >= NEWS_FRAC * reported_w;
}

/* A hash of everything in the report but power, and power by a margin: an idle machine reports
 * nothing. */
static bool is_news(struct joulie_host *host)
{
    uint64_t words =
        ((uint64_t)host->backend * 31 + host->is_disabled) * 2 + host->cpu.is_baseline_doubted;
    for (size_t p = 0; p < host->part_count; p++) {
        const uint64_t facts[] = {
            (uint64_t)host->wants[p].reason,
            (uint64_t)jl_node_result(&host->wants[p], &host->readings[p]),
            jl_cap_power_limit_uw(host->wants[p].target_w, 0),
            host->readings[p].has_limit ? jl_cap_power_limit_uw(host->readings[p].limit_w, 0) : 0,
            host->backend == JL_BACKEND_RAPL && host->readings[p].message != NULL
                ? jl_hash(host->readings[p].message, strlen(host->readings[p].message))
                : 0,
        };
        words = words * 31 + jl_hash(facts, sizeof facts);
    }
    const char *limiter = host->cpu.limiter != NULL ? host->cpu.limiter : "";
    words = words * 31 + jl_hash(limiter, strlen(limiter));
    bool has_moved = has_moved_from(host->reported_watts, host->cpu.has_watts, host->cpu.watts);
    for (size_t p = 0; p < host->part_count; p++)
        has_moved |= has_moved_from(host->packages[p].reported_watts, host->readings[p].has_watts,
                                    host->readings[p].watts);
    if (host->has_reported && words == host->reported_words && !has_moved)
        return false;
    host->has_reported = true;
    host->reported_words = words;
    host->reported_watts = host->cpu.has_watts ? host->cpu.watts : 0;
    for (size_t p = 0; p < host->part_count; p++)
        host->packages[p].reported_watts =
            host->readings[p].has_watts ? host->readings[p].watts : 0;
    return true;
}

/* ---- the tick ---- */

/* Nothing is asked of it and nothing of ours is in it. A limit that is asked for and waits, or is
 * locked, keeps its state. */
static void rest(struct joulie_host *host, struct jl_control *control)
{
    uint64_t unused = 0;
    const bool is_held =
        jl_is_in_group(host, control) &&
        (host->backend == JL_BACKEND_RAPL || control->life.state == JL_DEVICE_MONITOR);
    if (is_held || control->view.goal != JL_GOAL_NONE ||
        jl_host_open_key(host, control->file.key) != NULL)
        return;
    control->view.has_value = control->file.now.code == 0;
    jl_cap_life_next(&control->life, &control->view, &unused);
}

/* Giving back comes first: it may raise, and what is lowered afterwards is compared with it. */
static void act(struct joulie_host *host, int64_t now_ms)
{
    for (size_t i = 0; i < host->control_count; i++)
        host->controls[i].view.goal = JL_GOAL_NONE;
    (void)jl_host_give_back_others(host, now_ms, NULL, NULL);
    const size_t failures = jl_host_give_back(host, jl_host_keeps, now_ms, NULL, NULL);
    if (failures > host->logged_failures)
        jl_host_log(host, JOULIE_LOG_LEVEL_ERROR, "host",
                    "%zu controls could not be given back yet", failures);
    host->logged_failures = failures;
    if (host->backend == JL_BACKEND_RAPL)
        limit_packages(host, now_ms);
    else if (host->backend == JL_BACKEND_DVFS)
        jl_host_run_loops(host, now_ms);
    for (size_t i = 0; i < host->control_count; i++)
        rest(host, &host->controls[i]);
}

static int run(struct joulie_host *host, const struct joulie_host_time *time,
               struct joulie_error *err)
{
    host->time = *time;
    if (!host->has_ticked) {
        host->has_ticked = true;
        host->first_tick_ms = jl_host_monotonic_ms(host);
        host->scanned_us = time->monotonic_us; /* when it was opened, just before */
    }
    host->writes = 0;
    host->journal_message = NULL;
    for (size_t p = 0; p < host->package_count; p++)
        host->packages[p].has_run = false;
    int rc = observe(host);
    if (rc == 0)
        rc = jl_host_decide(host, time->now_ms);
    if (rc < 0)
        return jl_fail(err, rc, "", "the machine could not be read");
    if (host->is_claimed && host->config.mode == JL_NODE_ENFORCE)
        act(host, time->now_ms);
    jl_host_judge(host);
    log_states(host);
    host->has_tick = true;
    return joulie_host_beat(host, err); /* without the other end this was only a look */
}

/* ---- joulie_host_tick() ---- */

/* Differences of these never overflow. */
static int check_clock(const char *where, int64_t us, struct joulie_error *err)
{
    return us >= 0 && us <= INT64_MAX / 4
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, where, "no clock shows this time");
}

int joulie_host_tick(struct joulie_host *host, const struct joulie_host_time *theirs,
                     struct joulie_host_tick_result *out, struct joulie_error *err)
{
    struct joulie_host_time time;
    if (JL_SIZED_READ(&time, theirs) < 0 || (out != NULL && jl_sized_check(out, sizeof *out) < 0))
        return jl_fail_abi(err, "");
    int rc = jl_host_check_now(time.now_ms, err);
    if (rc == 0)
        rc = check_clock("monotonic_us", time.monotonic_us, err);
    if (rc == 0)
        rc = check_clock("boottime_us", time.boottime_us, err);
    if (rc == 0)
        rc = jl_host_check_writer(host, err);
    if (rc == 0)
        rc = run(host, &time, err);
    if (rc < 0 || out == NULL)
        return rc;
    const struct joulie_host_tick_result ours = {
        .writes = host->writes,
        .is_news = is_news(host),
        .is_settled = host->is_settled,
        .is_disabled = host->is_disabled,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}
