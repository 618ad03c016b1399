/* SPDX-License-Identifier: Apache-2.0 */

/* The HTTP routes of the simulator: telemetry, control, state, clock, query, debug
 * (docs/rules/simulator-contract.md#endpoints). */

#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/clock.h"
#include "runtime/json.h"
#include "simulator/simulator.h"

#define JSON "application/json"
#define MS_PER_S 1000.0
#define US_PER_MS 1000

struct route {
    const char *name; /* first segment of the path */
    const char *method;
    const char *label; /* in metrics */
    size_t segments;
    void (*answer)(struct jd_simulator *simulator, struct jd_exchange *exchange);
};

static void reply_buffer(struct jd_exchange *exchange, int status, const char *type,
                         struct jl_buffer *body)
{
    if (body->is_failed)
        jd_exchange_text(exchange, 500, "out of memory\n");
    else
        jd_exchange_reply(exchange, status, type, body->len > 0 ? body->data : "", body->len);
    jl_buffer_clear(body);
}

static void reply_error(struct jd_exchange *exchange, int rc, const struct joulie_error *err)
{
    const bool is_unknown = rc == JOULIE_E_NOT_FOUND;
    struct jl_buffer body = { 0 };
    jl_put_char(&body, '{');
    jd_json_put_text(&body, "error", err->message);
    jl_put_char(&body, '}');
    reply_buffer(exchange, is_unknown ? 404 : rc == JOULIE_E_NOMEM ? 500 : 400, JSON, &body);
}

/* A text of the library, or its failure; frees the text. */
static void reply_text(struct jd_exchange *exchange, const char *type, int rc, char *text,
                       const struct joulie_error *err)
{
    if (rc < 0)
        reply_error(exchange, rc, err);
    else
        jd_exchange_reply(exchange, 200, type, text, strlen(text));
    joulie_free(text);
}

/* NULL = there is none, which was answered. */
static const char *node_of(struct jd_exchange *exchange)
{
    const char *node = jd_exchange_segment(exchange, 1);
    if (!jl_is_empty(node))
        return node;
    jd_exchange_text(exchange, 400, "missing node\n");
    return NULL;
}

/* ---- machines ---- */

/* Where time goes with the wall clock, so do the time stamps of readings: their readers have no
 * other clock. */
static void put_wall_time(struct jd_simulator *simulator, char *json)
{
    static const char key[] = "\"ts\":\"";
    char now[JL_TIME_TEXT];
    char *ts = strstr(json, key);
    const size_t len = jl_format_time_us(jd_clock_wall_ms() * US_PER_MS, now);
    if (ts && !jd_world_is_lockstep(simulator) && ts[sizeof key - 1 + len] == '"')
        memcpy(ts + sizeof key - 1, now, len);
}

/* What measures itself is off with its machine: nobody answers for it. true = it was answered. */
static bool refuse_off(struct jd_simulator *simulator, struct jd_exchange *exchange,
                       const char *node)
{
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    struct jl_buffer body = { 0 };
    if (joulie_sim_node_by_name(simulator->sim, node, &view, NULL) < 0 ||
        jl_same(view.power_state, "on") || jl_same(view.power_state, "stopping"))
        return false;
    jl_put_char(&body, '{');
    jd_json_put_text(&body, "error", "the machine is off or boots");
    jd_json_put_text(&body, "powerState", view.power_state);
    jl_put_char(&body, '}');
    reply_buffer(exchange, 503, JSON, &body);
    return true;
}

static void answer_telemetry(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *node = node_of(exchange);
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (!node || refuse_off(simulator, exchange, node))
        return;
    const int rc = joulie_sim_body(simulator->sim, node, "telemetry", &json, &err);
    if (rc < 0) {
        reply_error(exchange, rc, &err);
        return;
    }
    put_wall_time(simulator, json);
    jd_debug_event(&simulator->debug, "telemetry", node, json);
    jd_exchange_reply(exchange, 200, JSON, json, strlen(json));
}

static void answer_state(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *node = node_of(exchange);
    char *json = NULL;
    if (!node)
        return;
    const int rc = joulie_sim_body(simulator->sim, node, "state", &json, &err);
    reply_text(exchange, JSON, rc, json, &err);
}

/* Into metrics and the ring of events: what was asked and what was answered. Actions that there are
 * not are one series, whatever somebody sends. */
static void note_control(struct jd_simulator *simulator, const char *node, const char *body,
                         size_t len, const char *reply)
{
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer payload = { 0 };
    JL_CLEANUP(jl_freep) char *line = NULL;
    if (joulie_sim_node_by_name(simulator->sim, node, &view, NULL) == 0)
        jd_measure_control(simulator->edges.metrics, node,
                           jl_is_empty(view.last_action) ? "other" : view.last_action,
                           view.last_result);
    if (joulie_format(body, len, JOULIE_FORM_LINE, &line, NULL) < 0)
        return;
    jd_put_format(&payload, "{\"request\":%s,\"reply\":%s}", line, reply);
    if (!payload.is_failed)
        jd_debug_event(&simulator->debug, "control", node, payload.data);
}

static void answer_control(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *node = node_of(exchange);
    JL_CLEANUP(jl_freep) char *reply = NULL;
    size_t len = 0;
    if (!node || !jd_exchange_want_json(exchange))
        return;
    const char *body = jd_exchange_body(exchange, &len);
    const int rc =
        joulie_sim_control(simulator->sim, node, body ? body : "", body ? len : 0, &reply, &err);
    if (rc < 0) {
        reply_error(exchange, rc, &err);
        return;
    }
    note_control(simulator, node, body, len, reply);
    jd_exchange_reply(exchange, 200, JSON, reply, strlen(reply));
}

/* ---- debug ---- */

static void answer_timeseries(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct jl_buffer row = { 0 };
    const bool has_rows = simulator->debug.has_rows;
    if (!simulator->values.debug_dir) {
        jd_exchange_text(exchange, 404, "SIM_DEBUG_PERSIST_DIR is not set\n");
        return;
    }
    simulator->debug.has_rows = false; /* with the header */
    jd_debug_put_row(&simulator->debug, &row);
    simulator->debug.has_rows = has_rows;
    reply_buffer(exchange, 200, "text/csv", &row);
}

static void answer_summary(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer body = { 0 };
    const int rc = jd_put_summary(simulator, &body, &err);
    if (rc < 0)
        reply_error(exchange, rc, &err);
    else
        reply_buffer(exchange, 200, JSON, &body);
}

static void answer_debug(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *what = jd_exchange_segment(exchange, 1);
    struct jl_buffer body = { 0 };
    char *text = NULL;
    if (jl_same(what, "jobs") || jl_same(what, "nodes") || jl_same(what, "energy")) {
        const int rc = joulie_sim_body(simulator->sim, NULL, what, &text, &err);
        reply_text(exchange, JSON, rc, text, &err);
    } else if (jl_same(what, "decisions")) {
        const int rc = joulie_sim_csv(simulator->sim, what, &text, &err);
        reply_text(exchange, "text/csv", rc, text, &err);
    } else if (jl_same(what, "events")) {
        jd_debug_put_events(&simulator->debug, &body);
        reply_buffer(exchange, 200, JSON, &body);
    } else if (jl_same(what, "view")) {
        jd_put_view(simulator, &body);
        reply_buffer(exchange, 200, JSON, &body);
    } else if (jl_same(what, "requests")) {
        jd_put_requests(simulator, &body);
        reply_buffer(exchange, 200, JSON, &body);
    } else if (jl_same(what, "timeseries")) {
        answer_timeseries(simulator, exchange);
    } else if (jl_same(what, "summary")) {
        answer_summary(simulator, exchange);
    } else {
        jd_exchange_text(exchange, 404, "not found\n");
    }
}

/* ---- fake Prometheus ---- */

/* The value that a query asks for, by words in it, in this order; NULL = none. */
static const double *value_of(const char *query, const struct jd_facility *facility)
{
    if (strstr(query, "ambient") && strstr(query, "temp"))
        return &facility->ambient_c;
    if (strstr(query, "it_power"))
        return &facility->it_power_w;
    if (strstr(query, "cooling") && strstr(query, "power"))
        return &facility->cooling_power_w;
    return strstr(query, "pue") ? &facility->pue : NULL;
}

static void answer_query(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct jl_buffer body = { 0 };
    struct jd_facility facility;
    const char *query = jd_exchange_query(exchange, "query");
    if (!jl_same(jd_exchange_path(exchange), "/api/v1/query")) {
        jd_exchange_text(exchange, 404, "not found\n");
        return;
    }
    if (jl_is_empty(query)) {
        jl_put_string(&body, "{\"status\":\"error\",\"error\":\"missing query parameter\"}");
        reply_buffer(exchange, 400, JSON, &body);
        return;
    }
    joulie_sim_get_view(simulator->sim, &view, NULL);
    jd_facility_now(&view, &simulator->values, &facility);
    const double *value = value_of(query, &facility);
    const int64_t now_ms =
        jd_world_is_lockstep(simulator) ? jd_world_now_ms(simulator) : jd_clock_wall_ms();
    jl_put_string(&body,
                  "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[");
    if (value) {
        jl_put_string(&body, "{\"metric\":{},\"value\":[");
        jl_put_double(&body, (double)now_ms / MS_PER_S);
        jl_put_string(&body, ",\"");
        jl_put_double(&body, *value);
        jl_put_string(&body, "\"]}");
    }
    jl_put_string(&body, "]}}");
    reply_buffer(exchange, 200, JSON, &body);
}

/* ---- the rest ---- */

static void answer_clock(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    jd_clock_server_handle(&simulator->clock, exchange, jd_world_now_ms(simulator));
}

static void answer_health(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    if (!jd_health_handle(&simulator->edges.health, exchange))
        jd_exchange_text(exchange, 404, "not found\n");
}

/* Of the simulator, or of one of the exporters of its machines. */
static void answer_metrics(struct jd_simulator *simulator, struct jd_exchange *exchange)
{
    const struct jd_simulator_values *values = &simulator->values;
    struct jd_exporter_time time = { .speed = 1 };
    if (jd_exchange_segments(exchange) == 1) {
        answer_health(simulator, exchange);
        return;
    }
    if (jd_world_is_lockstep(simulator))
        time.stamp_ms = jd_world_now_ms(simulator);
    else if (values->speedup > 0)
        time.speed = values->speedup;
    if (!values->exporters ||
        !jd_exporter_handle(simulator->sim, jd_exchange_segment(exchange, 1), &time, exchange))
        jd_exchange_text(exchange, 404, "not found\n");
}

/* By the first segment of the path; `segments` is the most that such a path may have. */
static const struct route routes[] = {
    { "healthz", "GET", "healthz", 1, answer_health },
    { "livez", "GET", "livez", 1, answer_health },
    { "readyz", "GET", "readyz", 1, answer_health },
    { "metrics", "GET", "metrics", 2, answer_metrics },
    { "telemetry", "GET", "telemetry", 2, answer_telemetry },
    { "control", "POST", "control", 2, answer_control },
    { "state", "GET", "state", 2, answer_state },
    { "debug", "GET", "debug", 2, answer_debug },
    { "api", "GET", "query", 3, answer_query },
    { "clock", "GET", "clock", 1, answer_clock },
};

static void handle(void *user, struct jd_exchange *exchange)
{
    const char *name = jd_exchange_segment(exchange, 0);
    for (size_t i = 0; name && i < JL_COUNT(routes); i++) {
        const struct route *route = &routes[i];
        if (!jl_same(name, route->name) || jd_exchange_segments(exchange) > route->segments)
            continue;
        jd_exchange_route(exchange, route->label);
        if (jl_same(jd_exchange_method(exchange), route->method)) {
            route->answer(user, exchange);
        } else {
            jd_exchange_put_header(exchange, "Allow", route->method);
            jd_exchange_text(exchange, 405, "method not allowed\n");
        }
        return;
    }
    jd_exchange_text(exchange, 404, "not found\n");
}

static void refresh(void *user)
{
    const struct jd_simulator *simulator = user;
    jd_measure_all(simulator->edges.metrics, simulator->sim, &simulator->values);
}

static void on_answer(void *user, const struct jd_exchange *exchange, int status, double seconds)
{
    const struct jd_simulator *simulator = user;
    jd_measure_answer(simulator->edges.metrics, exchange, status, seconds);
}

static const char *ready(void *user)
{
    const struct jd_simulator *simulator = user;
    const char *missing = jd_clock_server_missing(&simulator->clock);
    return missing ? "time stands still until all participants are there" : NULL;
}

int jd_contract_open(struct jd_simulator *simulator, struct joulie_error *err)
{
    static struct jd_check check = { .name = "participants", .ask = ready };
    const struct jd_server_options options = {
        .address = simulator->values.sim_addr,
        .is_local = true,
        .hosts = simulator->values.allowed_hosts,
        .handle = handle,
        .on_answer = on_answer,
        .user = simulator,
    };
    const struct jd_daemon_health health = {
        .checks = &check, .check_count = 1, .refresh = refresh, .user = simulator
    };
    check.user = simulator;
    const int rc = jd_daemon_open_health(&simulator->edges, &health, err);
    if (rc < 0)
        return rc;
    return jd_options_blame(
        "SIM_ADDR", jd_server_open(&simulator->edges.loop, &options, &simulator->server, err), err);
}
