/* SPDX-License-Identifier: Apache-2.0 */

/* Temperature and powers of the building by Prometheus (docs/rules/programs.md#facility), polled
 * by an alarm and held for a while. */

#include "operator/facility.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "operator/metrics.h"
#include "operator/operator.h"

#define POLL_TIMEOUT_MS 5000
#define POLL_LIMIT ((size_t)1 << 20)
#define MS_PER_S 1000.0

static const char *const words[JD_FACILITY_VALUES] = {
    [JD_OUTSIDE_TEMP] = "ambient_celsius",
    [JD_IT_POWER] = "it_power_watts",
    [JD_COOLING_POWER] = "cooling_power_watts",
};

static const char *query_of(const struct jd_operator *op, enum jd_facility_name name)
{
    switch (name) {
    case JD_OUTSIDE_TEMP:
        return op->values.facility_ambient;
    case JD_IT_POWER:
        return op->values.facility_it_power;
    case JD_COOLING_POWER:
        return op->values.facility_cooling_power;
    case JD_FACILITY_VALUES:
        break;
    }
    return "";
}

/* A power below 0 is none; a temperature may be anything. */
static const char *check(enum jd_facility_name name, double value)
{
    return name != JD_OUTSIDE_TEMP && value < 0 ? "the value is below 0" : NULL;
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct jd_facility_part *part = user;
    struct jd_operator *op = part->op;
    double value = 0;
    part->transfer = NULL;
    const char *problem = jd_value_of_prometheus(reply, &value);
    if (!problem)
        problem = check(part->name, value);
    if (!problem) {
        part->has_value = true;
        part->value = value;
        part->at_ms = jd_policy_now_ms(op->clock);
    } else {
        jd_count_error(op, JD_ERROR_FACILITY);
    }
    if (problem && !part->is_bad)
        jd_log(&op->log, JOULIE_HOST_LEVEL_WARN, "facility", "%s: %s", words[part->name], problem);
    else if (!problem && part->is_bad)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "facility", "%s can be read again",
               words[part->name]);
    part->is_bad = problem != NULL;
    jd_clock_release(op->clock);
}

static void poll_part(struct jd_facility_part *part)
{
    struct jd_operator *op = part->op;
    struct jl_buffer url = { 0 };
    if (part->transfer) /* the last poll is still waiting: its time-out is longer than the interval
                         */
        return;
    jd_put_query(&url, op->values.facility_prometheus, query_of(op, part->name));
    const struct jd_http_request request = {
        .url = url.data,
        .timeout_ms = POLL_TIMEOUT_MS,
        .limit_bytes = POLL_LIMIT,
        .on_done = on_done,
        .user = part,
    };
    if (!url.is_failed && jd_http_start(op->http, &request, &part->transfer, NULL) == 0)
        jd_clock_hold(op->clock);
    else
        jd_count_error(op, JD_ERROR_FACILITY);
    jl_buffer_clear(&url);
}

static void fire(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    for (int i = 0; i < JD_FACILITY_VALUES; i++)
        poll_part(&op->facility.parts[i]);
    jd_alarm_set(op->clock, &op->facility.alarm, now_ms + op->values.facility_interval_ms);
}

int jd_facility_open(struct jd_operator *op, struct joulie_error *err)
{
    for (int i = 0; i < JD_FACILITY_VALUES; i++)
        op->facility.parts[i] =
            (struct jd_facility_part){ .op = op, .name = (enum jd_facility_name)i };
    op->facility.alarm = (struct jd_alarm){ .fire = fire, .user = op };
    if (op->values.facility && jl_is_empty(op->values.facility_prometheus))
        return jl_fail(err, JOULIE_E_REQUIRED, "",
                       "FACILITY_PROMETHEUS_ADDRESS: ENABLE_FACILITY_METRICS needs it");
    return 0;
}

void jd_facility_begin(struct jd_operator *op, int64_t now_ms)
{
    if (op->values.facility)
        jd_alarm_set(op->clock, &op->facility.alarm, now_ms);
}

void jd_facility_close(struct jd_operator *op)
{
    for (int i = 0; i < JD_FACILITY_VALUES; i++) {
        jd_http_cancel(op->facility.parts[i].transfer);
        op->facility.parts[i].transfer = NULL;
    }
}

static const struct jd_facility_part *held(const struct jd_operator *op, enum jd_facility_name name,
                                           int64_t now_ms)
{
    const struct jd_facility_part *part = &op->facility.parts[name];
    return part->has_value && now_ms - part->at_ms <= op->values.facility_ttl_ms ? part : NULL;
}

void jd_facility_report(struct jd_operator *op, int64_t now_ms)
{
    struct joulie_cluster_facility values = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jd_facility_part *part = held(op, JD_OUTSIDE_TEMP, now_ms);
    if (!op->values.facility)
        return;
    if (part) {
        values.has |= JOULIE_FACILITY_HAS_OUTSIDE_TEMP;
        values.outside_temp_c = part->value;
    }
    if ((part = held(op, JD_IT_POWER, now_ms)) != NULL) {
        values.has |= JOULIE_FACILITY_HAS_IT_POWER;
        values.it_power_w = part->value;
    }
    if ((part = held(op, JD_COOLING_POWER, now_ms)) != NULL) {
        values.has |= JOULIE_FACILITY_HAS_COOLING_POWER;
        values.cooling_power_w = part->value;
    }
    if (joulie_cluster_put_facility(op->cluster, &values, &err) < 0)
        jd_log_error(&op->log, "facility", "the model does not take what the building says", &err);
}

static void measure_pue(struct jd_operator *op, int64_t now_ms)
{
    const struct jd_facility_part *it = held(op, JD_IT_POWER, now_ms);
    const struct jd_facility_part *cooling = held(op, JD_COOLING_POWER, now_ms);
    double pue = 0;
    if (it && cooling && jd_pue(it->value, cooling->value, &pue))
        jd_metric_set(op->metrics, &jd_facility_value, JD_LABELS("pue"), pue);
}

void jd_facility_measure(struct jd_operator *op)
{
    const int64_t now_ms = jd_policy_now_ms(op->clock);
    int64_t oldest_ms = now_ms;
    bool is_known = false;
    jd_metrics_clear(op->metrics, &jd_facility_value);
    for (int i = 0; i < JD_FACILITY_VALUES; i++) {
        const struct jd_facility_part *part = held(op, (enum jd_facility_name)i, now_ms);
        if (!part)
            continue;
        jd_metric_set(op->metrics, &jd_facility_value, JD_LABELS(words[i]), part->value);
        oldest_ms = part->at_ms < oldest_ms ? part->at_ms : oldest_ms;
        is_known = true;
    }
    measure_pue(op, now_ms);
    if (is_known)
        jd_metric_set(op->metrics, &jd_data_age, JD_LABELS(JD_COMPONENT, "facility"),
                      (double)(now_ms - oldest_ms) / MS_PER_S);
}
