/* SPDX-License-Identifier: Apache-2.0 */

/* The machine that the agent runs on: opening it, its steps and what is logged and counted of them,
 * giving back; files.c and the core (by the table at the end) call this. */

#include "agent/host.h"

#include <string.h>
#include <time.h>

#include "agent/metrics.h"
#include "base/error.h"
#include "runtime/json.h"

#define US_PER_MS 1000
#define END_MS 5000 /* in which an agent that ends tries to give back */
#define END_PAUSE_NS 250000000

/* ---- giving back ---- */

/* Of any type, as JSON has it. */
static const char *text_of(struct json_object *item, const char *key)
{
    const char *text = json_object_get_string(json_object_object_get(item, key));
    return text ? text : "";
}

static void log_restored(struct jd_log *log, struct json_object *result)
{
    const size_t count = jd_json_count(jd_json_at(result, "restored"));
    if (count > 0)
        jd_log(log, JOULIE_LOG_LEVEL_INFO, "journal", "%zu limits were given back", count);
}

static void log_failed(struct jd_log *log, struct json_object *result)
{
    struct json_object *failed = jd_json_at(result, "failed");
    for (size_t i = 0; i < jd_json_count(failed); i++) {
        struct json_object *item = json_object_array_get_idx(failed, i);
        jd_log(log, JOULIE_LOG_LEVEL_ERROR, "journal", "still open: %s, to be %s %s: %s",
               text_of(item, "key"), text_of(item, "value"), text_of(item, "unit"),
               text_of(item, "message"));
    }
}

static int restore(struct joulie_host *host, struct jd_log *log, bool is_quiet)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *json = NULL;
    const int rc = joulie_host_restore(host, jd_clock_now().now_ms, &json, &err);
    JL_CLEANUP(jd_json_freep)
    struct json_object *result = json ? jd_json_parse(json, strlen(json)) : NULL;
    log_restored(log, result);
    if (!is_quiet)
        log_failed(log, result);
    if (!json && rc < 0 && !is_quiet)
        jd_log_error(log, "journal", "the caps could not be given back", &err);
    return rc;
}

/* joulie_host_caps(): whose keys are open in the journal; NULL = it cannot be read. */
static struct json_object *read_caps(struct joulie_host *host)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_host_caps(host, &json, NULL) != JOULIE_OK)
        return NULL;
    return jd_json_parse(json, strlen(json));
}

/* Those of an agent that is gone. */
static void log_caps(struct joulie_host *host, struct jd_log *log)
{
    JL_CLEANUP(jd_json_freep) struct json_object *caps = read_caps(host);
    const char *writer = text_of(caps, "writerPid");
    if (jd_json_count(jd_json_at(caps, "controls")) > 0 && writer[0])
        jd_log(log, JOULIE_LOG_LEVEL_INFO, "journal", "%zu limits are held by process %s",
               jd_json_count(jd_json_at(caps, "controls")), writer);
    else if (jd_json_count(jd_json_at(caps, "controls")) > 0)
        jd_log(log, JOULIE_LOG_LEVEL_WARN, "journal",
               "%zu limits that an earlier process left are in force; joulie cap restore gives "
               "them back",
               jd_json_count(jd_json_at(caps, "controls")));
}

static int give_back_now(struct jd_host *host, bool is_quiet)
{
    const int rc = restore(host->host, host->shared->log, is_quiet);
    host->is_over = true;
    host->is_held = rc < 0;
    joulie_host_put_twin(host->host, NULL, 0, NULL);
    return rc;
}

int jd_host_give_back(struct jd_host *host)
{
    return give_back_now(host, false);
}

/* A driver that is being loaded again is back in a moment; what stays away longer is left to
 * joulie-capd. */
int jd_host_give_back_at_end(struct jd_host *host)
{
    static const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
    const int64_t end_ms = jd_clock_ms() + END_MS;
    int rc = jd_host_give_back(host);
    while (rc < 0 && jd_clock_ms() < end_ms) {
        nanosleep(&pause, NULL);
        rc = give_back_now(host, true);
    }
    return rc;
}

/* ---- opening ---- */

static void fill_options(const struct jd_agent_shared *shared, struct joulie_host_options *out)
{
    const struct jd_agent_values *values = shared->values;
    *out = JOULIE_INIT(struct joulie_host_options);
    out->has = JOULIE_HOST_HAS_FLOOR | JOULIE_HOST_HAS_SPEC_READ_TIMEOUT |
               JOULIE_HOST_HAS_STALENESS | JOULIE_HOST_HAS_MAX_AGE | JOULIE_HOST_HAS_EMA_ALPHA |
               JOULIE_HOST_HAS_HIGH_MARGIN | JOULIE_HOST_HAS_LOW_MARGIN | JOULIE_HOST_HAS_STEP |
               JOULIE_HOST_HAS_COOLDOWN | JOULIE_HOST_HAS_TRIP_COUNT | JOULIE_HOST_HAS_MIN_FREQ;
    out->root = values->root;
    out->state_dir = values->state_dir;
    out->floor_pct = values->cap_floor_pct;
    out->spec_read_timeout_ms = values->spec_read_timeout_ms;
    out->staleness_ms = values->twin_staleness_ms;
    out->max_age_ms = values->twin_max_age_ms;
    out->dvfs_controller = values->dvfs_controller;
    out->dvfs_ema_alpha = values->dvfs_ema_alpha;
    out->dvfs_high_margin_w = values->dvfs_high_margin_w;
    out->dvfs_low_margin_w = values->dvfs_low_margin_w;
    out->dvfs_step_pct = values->dvfs_step_pct;
    out->dvfs_cooldown_ms = values->dvfs_cooldown_ms;
    out->dvfs_trip_count = values->dvfs_trip_count;
    out->dvfs_min_freq_khz = values->dvfs_min_freq_khz;
    out->enforces = shared->enforces;
    out->may_enable = values->rapl_enable;
    out->gives_back_maximum = values->give_back_maximum;
    out->is_one_shot = values->once;
    out->log = jd_log_of_host;
    out->log_user = shared->log;
}

/* Before anything is ours, a joulie-capd that is to be started is found. */
static int choose_writer(struct jd_host *host, bool ramps, struct joulie_error *err)
{
    const struct jd_agent_values *values = host->shared->values;
    host->writer.path = jd_agent_socket(values);
    if (host->writer.path || !host->shared->enforces)
        return 0;
    host->writer.start = (struct jd_keeper_start){
        .root = values->root,
        .state_dir = values->state_dir,
        .floor_pct = &values->cap_floor_pct,
        .ramps = ramps,
        .may_enable = values->rapl_enable,
        .takeover_ms = &values->watchdog_timeout_ms,
    };
    return jd_keeper_find(values->capd_program, host->writer.start.program, err);
}

int jd_host_open(struct jd_host *host, const struct jd_agent_shared *shared, bool is_live,
                 bool has_cluster, struct joulie_error *err)
{
    const struct jd_agent_values *values = shared->values;
    const bool enforces = shared->enforces;
    struct joulie_host_options options;
    host->shared = shared;
    fill_options(shared, &options);
    options.ramps = is_live;
    options.has_backed_twin = !has_cluster; /* who can replace the file stands behind it */
    int rc = choose_writer(host, is_live, err);
    if (rc == 0)
        rc = joulie_host_open(&options, &host->host, err);
    if (rc < 0)
        return rc;
    if (!enforces)
        log_caps(host->host, shared->log);
    if (has_cluster)
        joulie_host_set_twin_unread(host->host, 1); /* until the API server has answered */
    return has_cluster || values->spec ? 0 : joulie_host_put_twin(host->host, NULL, 0, err);
}

/* With the clock of a simulator steps come when its world has time. */
static bool is_stepping(void *user)
{
    const struct jd_host *host = user;
    const struct jd_clock *clock = host->shared->clock;
    return (clock && jd_clock_is_simulated(clock)) || !jd_steps_problem(&host->steps);
}

int jd_host_claim(struct jd_host *host, struct joulie_error *err)
{
    if (!host->shared->enforces)
        return 0;
    host->writer.loop = host->shared->loop;
    host->writer.log = host->shared->log;
    host->writer.host = host->host;
    host->writer.is_stepping = is_stepping;
    host->writer.user = host;
    jd_steps_begin(&host->steps, host->shared->values->control_interval_ms);
    return jd_writer_claim(&host->writer, err);
}

/* What this agent took over, or wrote, and must not leave. */
static bool has_left(const struct jd_host *host)
{
    const struct jd_agent_values *values = host->shared->values;
    if (!host->writer.has_claimed || values->once || !values->restore_on_exit)
        return false;
    JL_CLEANUP(jd_json_freep) struct json_object *caps = read_caps(host->host);
    return !caps || jd_json_count(jd_json_at(caps, "controls")) > 0;
}

bool jd_host_close(struct jd_host *host)
{
    const bool is_left = host->host && has_left(host);
    if (host->writer.has_claimed && !is_left)
        (void)joulie_host_leave(host->host, NULL); /* gone already, it gives back: never mind */
    jd_writer_close(&host->writer, is_left);
    joulie_host_free(host->host);
    host->host = NULL;
    return is_left;
}

/* ---- a step ---- */

static void log_tick(struct jd_host *host, int rc, const struct joulie_error *err)
{
    if (rc < 0 && rc != host->failed)
        jd_log_error(host->shared->log, "host", "a step failed", err);
    else if (rc == 0 && host->failed != 0)
        jd_log(host->shared->log, JOULIE_LOG_LEVEL_INFO, "host", "steps work again");
    host->failed = rc;
}

static void log_disabled(struct jd_host *host, bool is_disabled)
{
    if (is_disabled == host->is_disabled)
        return;
    host->is_disabled = is_disabled;
    jd_log(host->shared->log, JOULIE_LOG_LEVEL_WARN, "host",
           is_disabled ? "etc/joulie/disable is there: every cap is given back, and none is made"
                       : "etc/joulie/disable is gone: caps are made again");
}

/* Virtual time stands in for all three clocks. */
static struct joulie_host_time time_of(const struct jd_host *host, int64_t now_ms)
{
    struct joulie_host_time time = jd_clock_now();
    const struct jd_clock *clock = host->shared->clock; /* NULL with files */
    if (!clock || !jd_clock_is_simulated(clock))
        return time;
    time.now_ms = now_ms;
    time.monotonic_us = now_ms * US_PER_MS;
    time.boottime_us = time.monotonic_us;
    return time;
}

static struct json_object *read_report(struct jd_host *host)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_host_report(host->host, &json, NULL) < 0)
        return NULL;
    return jd_json_parse(json, strlen(json));
}

static void count_restores(struct jd_host *host)
{
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    if (joulie_host_get_counts(host->host, &counts, NULL) < 0 || counts.restores == host->restores)
        return;
    JL_CLEANUP(jd_json_freep) struct json_object *now = read_report(host);
    jd_metrics_restored(host->shared->metrics, host->shared->values->node_name,
                        host->is_over       ? "exit"
                        : host->is_disabled ? "disabled"
                                            : NULL,
                        now, counts.restores - host->restores);
    host->restores = counts.restores;
}

int jd_host_step(struct jd_host *host, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_tick_result tick = JOULIE_INIT(struct joulie_host_tick_result);
    const struct joulie_host_time time = time_of(host, now_ms);
    jd_writer_check(&host->writer);
    const bool is_visit = !host->shared->enforces && jd_writer_visit(&host->writer, host->host);
    const int rc = joulie_host_tick(host->host, &time, &tick, &err);
    if (is_visit)
        jd_writer_leave(&host->writer, host->host);
    jd_steps_ended(&host->steps);
    log_tick(host, rc, &err);
    host->has_news = rc == 0 && tick.is_news;
    host->is_settled = rc == 0 && tick.is_settled;
    if (rc == 0)
        log_disabled(host, tick.is_disabled != 0);
    return rc;
}

/* ---- as a backend ---- */

static int drive(void *maker, const char *node_name, void **out_driven, struct joulie_error *err)
{
    (void)node_name;
    (void)err;
    *out_driven = maker;
    return 0;
}

/* It is the agent's, and closed with it. */
static void let_go(void *driven)
{
    (void)driven;
}

static int take_twin(void *driven, const char *text, size_t len, struct joulie_error *err)
{
    struct jd_host *host = driven;
    const int rc = joulie_host_put_twin(host->host, text, len, err);
    if (rc < 0)
        joulie_host_set_twin_unread(host->host, 1);
    return rc;
}

static void give_back(void *driven)
{
    (void)jd_host_give_back(driven); /* holds() says whether it worked */
}

static void step(void *driven, int64_t now_ms, const int64_t *heartbeat_ms,
                 void (*done)(void *user, bool is_good), void *user)
{
    struct jd_host *host = driven;
    if (heartbeat_ms)
        joulie_host_heartbeat(host->host, *heartbeat_ms);
    const int rc = jd_host_step(host, now_ms);
    if (rc == 0) {
        jd_metrics_zones(host->shared->metrics, host->shared->values->node_name, host->host);
        jd_metrics_dvfs(host->shared->metrics, host->shared->values->node_name, host->host);
        count_restores(host);
    }
    done(user, rc == 0);
}

static struct json_object *report(void *driven, bool is_wanted)
{
    struct jd_host *host = driven;
    return host->has_news || is_wanted ? read_report(host) : NULL;
}

static char *hardware(void *driven, const char *facts, int64_t now_ms)
{
    const struct jd_host *host = driven;
    char *json = NULL;
    (void)facts;
    return joulie_host_hardware(host->host, host->shared->values->node_name, now_ms, &json, NULL) <
                   0
               ? NULL
               : json;
}

static bool holds(const void *driven)
{
    return ((const struct jd_host *)driven)->is_held;
}

const struct jd_backend jd_host_backend = {
    .is_local = true,
    .drive = drive,
    .free = let_go,
    .take_twin = take_twin,
    .give_back = give_back,
    .step = step,
    .report = report,
    .hardware = hardware,
    .holds = holds,
};
