/* SPDX-License-Identifier: Apache-2.0 */

/* Temperature and powers of the building by Prometheus (docs/rules/programs.md#facility), polled
 * by an alarm and held for a while. */

#include "operator/facility.h"

#include <stdio.h>

#include <joulie/remote.h>

#include "base/buffer.h"
#include "kube/feed.h"
#include "operator/metrics.h"
#include "operator/reading.h"

#define POLL_TIMEOUT_MS 5000
#define POLL_LIMIT ((size_t)1 << 20)
#define MS_PER_S 1000.0

static const char *const words[JD_FACILITY_VALUES] = {
    [JD_OUTSIDE_TEMP] = "ambient_celsius",
    [JD_IT_POWER] = "it_power_watts",
    [JD_COOLING_POWER] = "cooling_power_watts",
};

/* A power below 0 is none; a temperature may be anything. */
static const char *check(enum jd_facility_name name, double value)
{
    return name != JD_OUTSIDE_TEMP && value < 0 ? "the value is below 0" : NULL;
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct jd_facility_part *part = user;
    const struct jd_shared *shared = part->facility->shared;
    double value = 0;
    part->transfer = NULL;
    const char *problem = jd_value_of_prometheus(reply, &value);
    if (!problem)
        problem = check(part->name, value);
    if (!problem) {
        part->has_value = true;
        part->value = value;
        part->at_ms = jd_policy_now_ms(shared->clock);
    } else {
        jd_count_error(shared->metrics, JD_ERROR_FACILITY);
    }
    if (problem && !part->is_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "facility", "%s: %s", words[part->name],
               problem);
    else if (!problem && part->is_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, "facility", "%s can be read again",
               words[part->name]);
    part->is_bad = problem != NULL;
    jd_clock_release(shared->clock);
}

static void poll_part(struct jd_facility_part *part)
{
    const struct jd_shared *shared = part->facility->shared;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    if (part->transfer) /* its time-out may be longer than the interval */
        return;
    jd_put_query(&url, shared->values->facility_prometheus, part->query, shared->clock);
    const struct jd_http_request request = {
        .url = url.data,
        .timeout_ms = POLL_TIMEOUT_MS,
        .limit_bytes = POLL_LIMIT,
        .on_done = on_done,
        .user = part,
    };
    if (!url.is_failed && jd_http_start(shared->http, &request, &part->transfer, NULL) == 0)
        jd_clock_hold(shared->clock);
    else
        jd_count_error(shared->metrics, JD_ERROR_FACILITY);
}

static void fire(void *user, int64_t now_ms)
{
    struct jd_facility *facility = user;
    for (int i = 0; i < JD_FACILITY_VALUES; i++)
        poll_part(&facility->parts[i]);
    for (int i = 0; i < JD_GROUPS; i++)
        jd_groups_poll(&facility->groups[i]);
    jd_alarm_set(facility->shared->clock, &facility->alarm,
                 now_ms + facility->shared->values->facility_interval_ms);
}

void jd_facility_open(struct jd_facility *facility, const struct jd_shared *shared)
{
    const char *const queries[JD_FACILITY_VALUES] = {
        [JD_OUTSIDE_TEMP] = shared->values->facility_ambient,
        [JD_IT_POWER] = shared->values->facility_it_power,
        [JD_COOLING_POWER] = shared->values->facility_cooling_power,
    };
    facility->is_on = true;
    facility->shared = shared;
    facility->alarm = (struct jd_alarm){ .fire = fire, .user = facility };
    for (int i = 0; i < JD_FACILITY_VALUES; i++)
        facility->parts[i] = (struct jd_facility_part){ .facility = facility,
                                                        .name = (enum jd_facility_name)i,
                                                        .query = queries[i] };
    for (int i = 0; i < JD_GROUPS; i++)
        jd_groups_open(&facility->groups[i], (enum jd_groups_kind)i, shared);
}

void jd_facility_begin(struct jd_facility *facility, int64_t now_ms)
{
    if (facility->is_on)
        jd_alarm_set(facility->shared->clock, &facility->alarm, now_ms);
}

void jd_facility_close(struct jd_facility *facility)
{
    for (int i = 0; i < JD_FACILITY_VALUES; i++)
        jd_http_cancel(facility->parts[i].transfer);
    for (int i = 0; i < JD_GROUPS; i++)
        jd_groups_close(&facility->groups[i]);
    *facility = (struct jd_facility){ 0 };
}

static bool is_held(const struct jd_facility *facility, enum jd_facility_name name, int64_t now_ms)
{
    const struct jd_facility_part *part = &facility->parts[name];
    return part->has_value && now_ms - part->at_ms <= facility->shared->values->facility_ttl_ms;
}

/* For doctor, and only when it changes; nothing where no rack or zone is asked for. */
static void announce(struct jd_facility *facility)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer problem = { 0 };
    char state[sizeof facility->state.said];
    bool is_asked = false;
    for (int i = 0; i < JD_GROUPS; i++) {
        is_asked = is_asked || facility->groups[i].is_answered;
        jd_groups_put_problem(&facility->groups[i], &problem);
    }
    if (problem.is_failed)
        return;
    snprintf(state, sizeof state, "%s", problem.len > 0 ? problem.data : is_asked ? "on" : "");
    jd_announce(&facility->state, state);
}

void jd_facility_report(struct jd_facility *facility)
{
    struct joulie_cluster_facility values = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (!facility->is_on) {
        jd_announce(&facility->state, "");
        return;
    }
    const int64_t now_ms = jd_policy_now_ms(facility->shared->clock);
    values.has =
        (is_held(facility, JD_OUTSIDE_TEMP, now_ms) ? JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP
                                                    : 0) |
        (is_held(facility, JD_IT_POWER, now_ms) ? JOULIE_CLUSTER_FACILITY_HAS_IT_POWER : 0) |
        (is_held(facility, JD_COOLING_POWER, now_ms) ? JOULIE_CLUSTER_FACILITY_HAS_COOLING_POWER
                                                     : 0);
    values.outside_temp_c = facility->parts[JD_OUTSIDE_TEMP].value;
    values.it_power_w = facility->parts[JD_IT_POWER].value;
    values.cooling_power_w = facility->parts[JD_COOLING_POWER].value;
    if (joulie_cluster_put_facility(facility->shared->cluster, &values, &err) < 0)
        jd_log_error(facility->shared->log, "facility",
                     "the model does not take what the building says", &err);
    for (int i = 0; i < JD_GROUPS; i++)
        jd_groups_report(&facility->groups[i]);
    announce(facility);
}

void jd_facility_measure(const struct jd_facility *facility)
{
    if (!facility->is_on)
        return;
    struct jd_metrics *metrics = facility->shared->metrics;
    const int64_t now_ms = jd_policy_now_ms(facility->shared->clock);
    int64_t oldest_ms = now_ms;
    bool is_known = false;
    jd_metrics_clear(metrics, &jd_facility_value);
    for (int i = 0; i < JD_FACILITY_VALUES; i++) {
        const struct jd_facility_part *part = &facility->parts[i];
        if (!is_held(facility, part->name, now_ms))
            continue;
        jd_metric_set(metrics, &jd_facility_value, JD_LABELS(words[i]), part->value);
        oldest_ms = part->at_ms < oldest_ms ? part->at_ms : oldest_ms;
        is_known = true;
    }
    const double pue =
        is_held(facility, JD_IT_POWER, now_ms) && is_held(facility, JD_COOLING_POWER, now_ms)
            ? joulie_facility_pue(facility->parts[JD_IT_POWER].value,
                                  facility->parts[JD_COOLING_POWER].value)
            : 0;
    if (pue > 0)
        jd_metric_set(metrics, &jd_facility_value, JD_LABELS("pue"), pue);
    for (int i = 0; i < JD_GROUPS; i++)
        jd_groups_measure(&facility->groups[i]);
    if (is_known)
        jd_metric_set(metrics, &jd_data_age, JD_LABELS(JD_COMPONENT, "facility"),
                      (double)(now_ms - oldest_ms) / MS_PER_S);
}
