/* SPDX-License-Identifier: Apache-2.0 */

/* Probes and metrics of a daemon (docs/rules/programs.md#health), on a server of its own or as a
 * part of another one. */

#include "runtime/health.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/http_target.h"
#include "runtime/json.h"

#define DEFAULT_BEAT_MS 60000
#define MOST_INTERVALS 3
#define LEAST_STEPS_MS 5000   /* a step may take longer than a short interval */
#define HEALTH_CONNECTIONS 64 /* probes and a few readers of metrics */
#define OPENMETRICS "application/openmetrics-text"

/* ---- /metrics ---- */

static bool is_any_text(struct jl_text type)
{
    return jl_same_nocase(type, "text/plain") || jl_same_nocase(type, "text/*") ||
           jl_same_nocase(type, "*/*");
}

static bool is_our_openmetrics(const struct jd_range *range)
{
    const struct jl_text version = jd_range_parameter(range, "version");
    return jl_same_nocase(range->type, OPENMETRICS) &&
           (version.len == 0 || jl_text_is(version, "1.0.0"));
}

static double weight_of(const struct jd_range *range)
{
    const struct jl_text text = jd_range_parameter(range, "q");
    double weight = 1;
    return text.ptr && jl_parse_double(text.ptr, text.len, &weight) < 0 ? 0 : weight;
}

/* OpenMetrics only where it is asked for, and rather than text. */
static bool wants_openmetrics(const char *accept)
{
    struct jl_text rest = jl_text(accept);
    struct jd_range range;
    double open_weight = 0;
    double text_weight = 0;
    while (jd_range_next(&rest, &range)) {
        if (is_our_openmetrics(&range))
            open_weight = jl_max(open_weight, weight_of(&range));
        else if (is_any_text(range.type))
            text_weight = jl_max(text_weight, weight_of(&range));
    }
    return open_weight > 0 && open_weight >= text_weight;
}

void jd_metrics_reply(const struct jd_metrics *metrics, struct jd_exchange *exchange)
{
    const bool is_openmetrics = wants_openmetrics(jd_exchange_header(exchange, "Accept"));
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (metrics)
        jd_metrics_put(metrics, is_openmetrics, &text);
    jd_exchange_put_header(exchange, "Vary", "Accept");
    if (text.is_failed)
        jd_exchange_text(exchange, 503, "memory ran out\n");
    else
        jd_exchange_reply(exchange, 200,
                          is_openmetrics ? OPENMETRICS "; version=1.0.0; charset=utf-8"
                                         : "text/plain; version=0.0.4; charset=utf-8",
                          text.len > 0 ? text.data : "", text.len);
}

/* ---- /livez, /readyz, /healthz ---- */

void jd_steps_begin(struct jd_steps *steps, int64_t interval_ms)
{
    steps->interval_ms = interval_ms;
    jd_steps_ended(steps);
}

void jd_steps_ended(struct jd_steps *steps)
{
    steps->ended_ms = jd_clock_ms();
}

const char *jd_steps_problem(const struct jd_steps *steps)
{
    const int64_t intervals_ms = MOST_INTERVALS * steps->interval_ms;
    const int64_t most_ms = intervals_ms > LEAST_STEPS_MS ? intervals_ms : LEAST_STEPS_MS;
    return jd_clock_ms() - steps->ended_ms > most_ms ? "no step ended within three intervals"
                                                     : NULL;
}

static bool is_beating(const struct jd_health *health)
{
    const int64_t most_ms = health->most_beat_ms > 0 ? health->most_beat_ms : DEFAULT_BEAT_MS;
    return health->beat_ms == 0 || jd_clock_ms() - health->beat_ms <= most_ms;
}

static bool is_live(const struct jd_health *health)
{
    return !health->live.ask || !health->live.ask(health->live.user);
}

bool jd_health_is_live(const struct jd_health *health)
{
    return is_beating(health) && is_live(health);
}

static bool put_check(struct jl_buffer *out, const char *name, bool is_good)
{
    jd_put_format(out, is_good ? "[+]%s ok\n" : "[-]%s failed: reason withheld\n", name);
    return is_good;
}

static bool put_live(struct jl_buffer *out, const struct jd_health *health)
{
    const bool is_good = put_check(out, "loop", is_beating(health));
    return (!health->live.ask || put_check(out, health->live.name, is_live(health))) && is_good;
}

static void report(struct jd_health *health, size_t check, const char *reason)
{
    const uint64_t bit = check < 64 ? UINT64_C(1) << check : 0;
    const bool was_reported = (health->failed & bit) != 0;
    if (!health->log || bit == 0 || was_reported == (reason != NULL))
        return;
    health->failed ^= bit;
    if (reason)
        jd_log(health->log, JOULIE_LOG_LEVEL_WARN, "health", "not ready: %s: %s",
               health->ready[check].name, reason);
    else
        jd_log(health->log, JOULIE_LOG_LEVEL_INFO, "health", "ready: %s",
               health->ready[check].name);
}

static bool put_ready(struct jl_buffer *out, struct jd_health *health)
{
    bool is_good = true;
    for (size_t i = 0; i < health->ready_count; i++) {
        const struct jd_check *check = &health->ready[i];
        const char *reason = check->ask(check->user);
        report(health, i, reason);
        is_good = put_check(out, check->name, !reason) && is_good;
    }
    return is_good;
}

static void reply_checks(struct jd_health *health, struct jd_exchange *exchange,
                         const char *endpoint)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const bool is_good =
        jl_same(endpoint, "readyz") ? put_ready(&text, health) : put_live(&text, health);
    jd_put_format(&text, "%s check %s\n", endpoint, is_good ? "passed" : "failed");
    jd_exchange_put_header(exchange, "Cache-Control", "no-cache, private");
    jd_exchange_put_header(exchange, "X-Content-Type-Options", "nosniff");
    if (text.is_failed)
        jd_exchange_text(exchange, is_good ? 200 : 500, is_good ? "ok" : "failed");
    else if (is_good && !jd_exchange_query(exchange, "verbose"))
        jd_exchange_text(exchange, 200, "ok");
    else
        jd_exchange_text(exchange, is_good ? 200 : 500, text.data);
}

static void reply(struct jd_health *health, struct jd_exchange *exchange, const char *route)
{
    jd_exchange_route(exchange, route);
    if (!jl_same(jd_exchange_method(exchange), "GET")) {
        jd_exchange_put_header(exchange, "Allow", "GET, HEAD");
        jd_exchange_text(exchange, 405, "method not allowed\n");
    } else if (jl_same(route, "/metrics")) {
        if (health->refresh)
            health->refresh(health->user);
        jd_metrics_reply(health->metrics, exchange);
    } else {
        reply_checks(health, exchange, route + 1);
    }
}

bool jd_health_handle(struct jd_health *health, struct jd_exchange *exchange)
{
    static const char *const routes[] = { "/livez", "/readyz", "/healthz", "/metrics" };
    for (size_t i = 0; i < JL_COUNT(routes); i++) {
        if (jl_same(jd_exchange_path(exchange), routes[i])) {
            reply(health, exchange, routes[i]);
            return true;
        }
    }
    return false;
}

/* ---- a server of its own ---- */

static void handle(void *user, struct jd_exchange *exchange)
{
    if (!jd_health_handle(user, exchange))
        jd_exchange_text(exchange, 404, "not found\n");
}

int jd_health_open(struct jd_health *health, struct jd_loop *loop, const char *address,
                   struct joulie_error *err)
{
    const struct jd_server_options options = {
        .address = address, .most_connections = HEALTH_CONNECTIONS, .handle = handle, .user = health
    };
    jd_health_beat(health);
    return jd_server_open(loop, &options, &health->server, err);
}

void jd_health_close(struct jd_health *health)
{
    jd_server_close(health->server);
    health->server = NULL;
}

void jd_health_beat(struct jd_health *health)
{
    health->beat_ms = jd_clock_ms();
}

const char *jd_health_problem(const struct jd_health *health)
{
    for (size_t i = 0; i < health->ready_count; i++) {
        const char *reason = health->ready[i].ask(health->ready[i].user);
        if (reason)
            return reason;
    }
    return NULL;
}
