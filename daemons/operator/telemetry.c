/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the power of the nodes before a step (docs/rules/programs.md#power-of-the-nodes);
 * reading.c says what a reply means. */

#include "operator/telemetry.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "kubernetes/names.h"
#include "operator/metrics.h"
#include "operator/operator.h"
#include "operator/report.h"

#define READ_TIMEOUT_MS 2000
#define READ_LIMIT ((size_t)1 << 20)
#define MOST_REPORTED 5 /* nodes of a round that are reported by name */

const char *const jd_power_sources[] = {
    [JD_POWER_STATIC] = "static",           [JD_POWER_HTTP] = "http",
    [JD_POWER_PROMETHEUS] = "prometheus",   [JD_POWER_KEPLER] = "kepler",
    [JD_POWER_UTILIZATION] = "utilization", NULL
};

/* Kepler's two generations of metrics; the second one when the first is empty. */
static const char *const kepler_queries[] = {
    "sum(rate(kepler_node_platform_joules_total{instance=~\"{node}(:[0-9]+)?\"}[1m]))",
    "sum(rate(kepler_node_cpu_joules_total{zone=\"package\",node_name=\"{node}\"}[1m]))",
};

static int require(const char *value, const char *option, const char *source,
                   struct joulie_error *err)
{
    return jl_is_empty(value)
               ? jl_fail(err, JOULIE_E_REQUIRED, "", "%s: OPERATOR_NODE_POWER_SOURCE=%s needs it",
                         option, source)
               : 0;
}

int jd_telemetry_open(struct jd_operator *op, struct joulie_error *err)
{
    struct jd_telemetry *telemetry = &op->telemetry;
    const struct jd_operator_values *values = &op->values;
    const char *word = values->power_source;
    while (!jl_same(jd_power_sources[telemetry->source], word))
        telemetry->source++;
    switch (telemetry->source) {
    case JD_POWER_STATIC:
        return 0;
    case JD_POWER_HTTP:
    case JD_POWER_UTILIZATION:
        return require(values->power_endpoint, "OPERATOR_NODE_POWER_HTTP_ENDPOINT", word, err);
    case JD_POWER_PROMETHEUS:
        if (jl_is_empty(values->power_query))
            return require(NULL, "OPERATOR_NODE_POWER_PROMETHEUS_QUERY", word, err);
        break;
    case JD_POWER_KEPLER:
        break;
    }
    return require(values->power_prometheus, "OPERATOR_NODE_POWER_PROMETHEUS_ADDRESS", word, err);
}

void jd_telemetry_close(struct jd_operator *op)
{
    struct jd_telemetry *telemetry = &op->telemetry;
    for (size_t i = 0; i < JD_MOST_READS; i++) {
        jd_http_cancel(telemetry->reads[i].transfer);
        telemetry->reads[i] = (struct jd_read){ 0 };
    }
    jl_arena_clear(&telemetry->arena);
    telemetry->names = NULL;
    telemetry->count = 0;
}

/* ---- what to read ---- */

static bool is_read(const struct joulie_cluster_node *node)
{
    return !jl_same(node->scope, "selector") && jl_is_dns_subdomain(jl_text(node->name));
}

/* The names are copied: the model may change while the reads are under way. */
static int list_nodes(struct jd_operator *op)
{
    struct jd_telemetry *telemetry = &op->telemetry;
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    size_t count = 0;
    while (joulie_cluster_node_at(op->cluster, count, &node, NULL) == 0)
        count++;
    jl_arena_reset(&telemetry->arena);
    telemetry->count = 0;
    telemetry->next = 0;
    telemetry->names = JL_NEW_ARRAY(&telemetry->arena, count + 1, const char *);
    for (size_t i = 0; telemetry->names && i < count; i++) {
        if (joulie_cluster_node_at(op->cluster, i, &node, NULL) < 0 || !is_read(&node))
            continue;
        const char *name = jl_arena_string(&telemetry->arena, node.name);
        if (!name)
            return JOULIE_E_NOMEM;
        telemetry->names[telemetry->count++] = name;
    }
    return telemetry->names ? 0 : JOULIE_E_NOMEM;
}

static bool has_own_query(const struct jd_operator *op)
{
    return !jl_is_empty(op->values.power_query);
}

static void put_request(const struct jd_operator *op, const struct jd_read *read,
                        struct jl_buffer *out)
{
    const struct jd_operator_values *values = &op->values;
    struct jl_buffer query = { 0 };
    switch (op->telemetry.source) {
    case JD_POWER_STATIC:
        break;
    case JD_POWER_HTTP:
    case JD_POWER_UTILIZATION:
        jd_put_template(out, values->power_endpoint, read->node_name, JD_QUOTE_URL);
        break;
    case JD_POWER_PROMETHEUS:
        jd_put_template(&query, values->power_query, read->node_name, JD_QUOTE_NONE);
        break;
    case JD_POWER_KEPLER:
        if (has_own_query(op))
            jd_put_template(&query, values->power_query, read->node_name, JD_QUOTE_NONE);
        else
            jd_put_template(&query, kepler_queries[read->query], read->node_name,
                            read->query == 0 ? JD_QUOTE_REGEX : JD_QUOTE_NONE);
        break;
    }
    if (query.data)
        jd_put_query(out, values->power_prometheus, query.data);
    out->is_failed = out->is_failed || query.is_failed;
    jl_buffer_clear(&query);
}

/* ---- what came ---- */

static void report_bad(struct jd_operator *op, const char *node_name, const char *problem)
{
    struct jd_telemetry *telemetry = &op->telemetry;
    struct jd_note *note = jd_note_of(&op->notes, node_name);
    telemetry->failed++;
    jd_count_error(op, JD_ERROR_POWER);
    jd_metric_add(op->metrics, &jd_reads, JD_LABELS("failed"), 1);
    if (!note || note->is_power_bad)
        return;
    note->is_power_bad = true;
    if (telemetry->reported++ < MOST_REPORTED)
        jd_log(&op->log, JOULIE_HOST_LEVEL_WARN, "power", "node %s: %s; its power is unknown",
               node_name, problem);
}

static void report_good(struct jd_operator *op, const char *node_name, int64_t at_ms)
{
    struct jd_note *note = jd_note_of(&op->notes, node_name);
    jd_metric_add(op->metrics, &jd_reads, JD_LABELS("good"), 1);
    if (!note)
        return;
    note->sampled_ms = at_ms;
    note->round = op->telemetry.round;
    if (note->is_power_bad && op->telemetry.reported++ < MOST_REPORTED)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "power", "node %s: its power can be read again",
               node_name);
    note->is_power_bad = false;
}

static const char *report(struct jd_operator *op, const char *node_name,
                          const struct jd_reading *reading)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    const bool is_direct = reading->has_power && op->telemetry.source != JD_POWER_UTILIZATION;
    sample.at_ms = reading->at_ms;
    sample.node_power_w = reading->power_w;
    sample.cpu_util_pct = reading->cpu_util_pct;
    sample.gpu_util_pct = reading->gpu_util_pct;
    sample.has = (is_direct ? JOULIE_SAMPLE_HAS_NODE_POWER : 0) |
                 (reading->has_cpu_util ? JOULIE_SAMPLE_HAS_CPU_UTIL : 0) |
                 (reading->has_gpu_util ? JOULIE_SAMPLE_HAS_GPU_UTIL : 0);
    sample.source = is_direct ? op->values.power_source : NULL;
    if (sample.has == 0)
        return "the reply says no utilisation";
    const int rc = joulie_cluster_put_sample(op->cluster, node_name, &sample, NULL);
    return rc == 0 ? NULL : "the model does not take it";
}

static void take(struct jd_operator *op, const char *node_name, const char *problem,
                 const struct jd_reading *reading)
{
    if (!problem)
        problem = report(op, node_name, reading);
    if (problem)
        report_bad(op, node_name, problem);
    else
        report_good(op, node_name, reading->at_ms);
}

static void go_on(struct jd_operator *op);

static bool start(struct jd_read *read);

static void on_done(void *user, const struct jd_reply *reply)
{
    struct jd_read *read = user;
    struct jd_operator *op = read->op;
    const int64_t now_ms = jd_policy_now_ms(op->clock);
    const bool is_query =
        op->telemetry.source == JD_POWER_PROMETHEUS || op->telemetry.source == JD_POWER_KEPLER;
    struct jd_reading reading;
    read->transfer = NULL;
    const char *problem =
        is_query ? jd_reading_of_prometheus(reply, now_ms, &reading)
                 : jd_reading_of_telemetry(reply, now_ms, op->values.twin_staleness_ms, &reading);
    if (problem && op->telemetry.source == JD_POWER_KEPLER && !has_own_query(op) &&
        reply->end == JD_HTTP_WHOLE && read->query + 1 < (int)JL_COUNT(kepler_queries)) {
        read->query++;
        if (start(read))
            return;
    }
    if (jd_is_node(op, read->node_name)) /* else it is gone meanwhile: nobody needs it */
        take(op, read->node_name, problem, &reading);
    *read = (struct jd_read){ 0 };
    op->telemetry.in_flight--;
    go_on(op);
}

static bool start(struct jd_read *read)
{
    struct jd_operator *op = read->op;
    struct jl_buffer url = { 0 };
    put_request(op, read, &url);
    const struct jd_http_request request = {
        .url = url.data,
        .timeout_ms = READ_TIMEOUT_MS,
        .connect_ms = READ_TIMEOUT_MS,
        .limit_bytes = READ_LIMIT,
        .on_done = on_done,
        .user = read,
    };
    const int rc = url.is_failed || !url.data
                       ? JOULIE_E_NOMEM
                       : jd_http_start(op->http, &request, &read->transfer, NULL);
    jl_buffer_clear(&url);
    return rc == 0;
}

static struct jd_read *free_read(struct jd_telemetry *telemetry)
{
    for (size_t i = 0; i < JD_MOST_READS; i++) {
        if (!telemetry->reads[i].node_name)
            return &telemetry->reads[i];
    }
    return NULL;
}

/* As many as may be under way; at the end the step goes on. */
static void go_on(struct jd_operator *op)
{
    struct jd_telemetry *telemetry = &op->telemetry;
    struct jd_read *read = free_read(telemetry);
    while (read && telemetry->next < telemetry->count) {
        *read = (struct jd_read){ .op = op, .node_name = telemetry->names[telemetry->next++] };
        if (start(read)) {
            telemetry->in_flight++;
        } else {
            report_bad(op, read->node_name, "the request cannot be made");
            *read = (struct jd_read){ 0 };
        }
        read = free_read(telemetry);
    }
    if (telemetry->in_flight > 0 || telemetry->next < telemetry->count)
        return;
    if (telemetry->reported > MOST_REPORTED)
        jd_log(&op->log, JOULIE_HOST_LEVEL_WARN, "power",
               "and %zu other nodes; %zu of %zu were not read", telemetry->reported - MOST_REPORTED,
               telemetry->failed, telemetry->count);
    telemetry->done(op);
}

bool jd_telemetry_start(struct jd_operator *op, void (*done)(struct jd_operator *op))
{
    struct jd_telemetry *telemetry = &op->telemetry;
    if (telemetry->source == JD_POWER_STATIC)
        return false;
    if (list_nodes(op) < 0 || telemetry->count == 0)
        return false;
    telemetry->round++;
    telemetry->failed = 0;
    telemetry->reported = 0;
    telemetry->done = done;
    go_on(op);
    return true;
}
