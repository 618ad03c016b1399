/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the power of the nodes before a step (docs/rules/programs.md#power-of-the-nodes); reading.c
 * says what a reply means. */

#include "operator/telemetry.h"

#include "base/error.h"
#include "base/text.h"
#include "kube/feed.h"
#include "kubernetes/names.h"
#include "operator/metrics.h"
#include "operator/profiles.h"

#define READ_TIMEOUT_MS 2000
#define READ_LIMIT ((size_t)1 << 20)
#define MOST_REPORTED 5 /* nodes of a round that are reported by name */
#define MS_PER_S 1000.0

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

static enum jd_power_source source_of(const char *word)
{
    int source = JD_POWER_STATIC;
    while (!jl_same(jd_power_sources[source], word))
        source++;
    return (enum jd_power_source)source;
}

static int require(const char *value, const char *option, const char *source,
                   struct joulie_error *err)
{
    return jl_is_empty(value) ? jl_fail(err, JOULIE_E_REQUIRED, option,
                                        "OPERATOR_NODE_POWER_SOURCE=%s needs it", source)
                              : 0;
}

int jd_telemetry_check(const struct jd_operator_values *values, struct joulie_error *err)
{
    const char *word = values->power_source;
    switch (source_of(word)) {
    case JD_POWER_STATIC:
    case JD_POWER_BY_PROFILES:
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

void jd_telemetry_open(struct jd_telemetry *telemetry, const struct jd_shared *shared,
                       const struct jd_profiles *profiles, void (*on_read)(void *user), void *user)
{
    telemetry->shared = shared;
    telemetry->profiles = profiles;
    telemetry->on_read = on_read;
    telemetry->user = user;
    telemetry->source = shared->values->is_power_source_said
                            ? source_of(shared->values->power_source)
                            : JD_POWER_BY_PROFILES;
}

void jd_telemetry_close(struct jd_telemetry *telemetry)
{
    for (size_t i = 0; i < JD_MOST_READS; i++)
        jd_http_cancel(telemetry->reads[i].transfer);
    jl_arena_clear(&telemetry->arena);
    *telemetry = (struct jd_telemetry){ 0 };
}

/* ---- what to read ---- */

/* Nobody answers for a machine that is off. */
static bool is_off(const struct joulie_cluster_node *node)
{
    return node->power_state == JOULIE_POWER_STATE_OFF ||
           node->power_state == JOULIE_POWER_STATE_BOOTING;
}

static bool is_read(const struct joulie_cluster_node *node)
{
    return !is_off(node) && !jl_same(node->scope, "selector") &&
           jl_is_dns_subdomain(jl_text(node->name));
}

/* By profiles: what the node is wired to now stands in its note. False = to nothing. */
static bool find_source(const struct jd_telemetry *telemetry, const char *node_name)
{
    JL_CLEANUP(jd_free_endpoint) struct joulie_remote_endpoint found = { 0 };
    if (telemetry->source != JD_POWER_BY_PROFILES)
        return true;
    if (jd_profiles_source(telemetry->profiles, node_name, &found) < 0 || !found.url) {
        struct jd_note *known = jd_note_find(telemetry->shared->notes, node_name);
        if (known)
            jd_note_unwire(known);
        return false;
    }
    struct jd_note *note = jd_note_of(telemetry->shared->notes, node_name);
    return note && jd_note_wire(note, found.url, found.type, found.timeout_ms);
}

/* The names are copied: the model may change while the reads are under way. */
static int list_nodes(struct jd_telemetry *telemetry)
{
    struct joulie_cluster *cluster = telemetry->shared->cluster;
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    size_t count = 0;
    while (joulie_cluster_node_at(cluster, count, &node, NULL) == 0)
        count++;
    jl_arena_reset(&telemetry->arena);
    telemetry->count = 0;
    telemetry->next = 0;
    telemetry->names = JL_NEW_ARRAY(&telemetry->arena, count + 1, const char *);
    for (size_t i = 0; telemetry->names && i < count; i++) {
        if (joulie_cluster_node_at(cluster, i, &node, NULL) < 0 || !is_read(&node) ||
            !find_source(telemetry, node.name))
            continue;
        const char *name = jl_arena_string(&telemetry->arena, node.name);
        if (!name)
            return JOULIE_E_NOMEM;
        telemetry->names[telemetry->count++] = name;
    }
    return telemetry->names ? 0 : JOULIE_E_NOMEM;
}

static const struct jd_wire *wire_of(const struct jd_read *read)
{
    static const struct jd_wire none = { .url = "" };
    const struct jd_note *note = jd_note_find(read->telemetry->shared->notes, read->node_name);
    const struct jd_wire *wire = note ? &note->wires[read->is_old] : &none;
    return wire->url ? wire : &none;
}

static bool is_query(const struct jd_read *read)
{
    const enum jd_power_source source = read->telemetry->source;
    return source == JD_POWER_PROMETHEUS || source == JD_POWER_KEPLER ||
           (source == JD_POWER_BY_PROFILES && wire_of(read)->type == JOULIE_REMOTE_TYPE_PROMETHEUS);
}

static void put_request(const struct jd_read *read, struct jl_buffer *out)
{
    const struct jd_operator_values *values = read->telemetry->shared->values;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer query = { 0 };
    switch (read->telemetry->source) {
    case JD_POWER_STATIC:
        break;
    case JD_POWER_BY_PROFILES:
        jl_put_string(out, wire_of(read)->url);
        if (is_query(read))
            jd_put_query_time(out, read->telemetry->shared->clock);
        break;
    case JD_POWER_HTTP:
    case JD_POWER_UTILIZATION:
        jd_put_template(out, values->power_endpoint, read->node_name, JD_QUOTE_URL);
        break;
    case JD_POWER_PROMETHEUS:
        jd_put_template(&query, values->power_query, read->node_name, JD_QUOTE_NONE);
        break;
    case JD_POWER_KEPLER:
        if (!jl_is_empty(values->power_query))
            jd_put_template(&query, values->power_query, read->node_name, JD_QUOTE_NONE);
        else
            jd_put_template(&query, kepler_queries[read->query], read->node_name,
                            read->query == 0 ? JD_QUOTE_REGEX : JD_QUOTE_NONE);
        break;
    }
    if (query.data)
        jd_put_query(out, values->power_prometheus, query.data, read->telemetry->shared->clock);
    out->is_failed = out->is_failed || query.is_failed;
}

/* ---- what came ---- */

static void report_bad(struct jd_telemetry *telemetry, const char *node_name, const char *problem)
{
    const struct jd_shared *shared = telemetry->shared;
    struct jd_note *note = jd_note_of(shared->notes, node_name);
    telemetry->failed++;
    if (!note || note->is_power_bad)
        return;
    note->is_power_bad = true;
    if (telemetry->reported++ < MOST_REPORTED)
        jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "power", "node %s: %s; its power is unknown",
               node_name, problem);
}

static void report_good(struct jd_telemetry *telemetry, const char *node_name, int64_t at_ms)
{
    const struct jd_shared *shared = telemetry->shared;
    struct jd_note *note = jd_note_of(shared->notes, node_name);
    telemetry->good++;
    if (!note)
        return;
    note->sampled_ms = at_ms;
    note->round = telemetry->round;
    if (note->is_power_bad && telemetry->reported++ < MOST_REPORTED)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, "power", "node %s: its power can be read again",
               node_name);
    note->is_power_bad = false;
}

/* NULL, or why the reading is no sample. */
static const char *put_sample(const struct jd_telemetry *telemetry, const struct jd_read *read,
                              struct joulie_cluster_sample *sample)
{
    const char *node_name = read->node_name;
    const char *word = telemetry->source != JD_POWER_BY_PROFILES
                           ? telemetry->shared->values->power_source
                       : is_query(read) ? jd_power_sources[JD_POWER_PROMETHEUS]
                                        : jd_power_sources[JD_POWER_HTTP];
    if (telemetry->source == JD_POWER_UTILIZATION)
        sample->has &= ~JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    if (sample->has & JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER)
        sample->source =
            (enum joulie_power_source)joulie_word_value(JOULIE_VOCABULARY_POWER_SOURCE, word);
    if (sample->has == 0)
        return "the reply says no utilisation";
    const int rc = joulie_cluster_put_sample(telemetry->shared->cluster, node_name, sample, NULL);
    return rc == 0 ? NULL : "the model does not take it";
}

/* One that goes down while it is asked is no failure. */
static bool is_expected(const struct jd_telemetry *telemetry, const char *node_name)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    return joulie_cluster_node_by_name(telemetry->shared->cluster, node_name, &node, NULL) == 0 &&
           node.power_state != JOULIE_POWER_STATE_STOPPING && !is_off(&node);
}

/* A node that is gone meanwhile is nobody's. */
static void take(struct jd_telemetry *telemetry, const struct jd_read *read, const char *problem,
                 struct joulie_cluster_sample *sample)
{
    const char *node_name = read->node_name;
    if (!problem)
        problem = put_sample(telemetry, read, sample);
    if (!problem)
        report_good(telemetry, node_name, sample->at_ms);
    else if (is_expected(telemetry, node_name))
        report_bad(telemetry, node_name, problem);
}

/* ---- one request after the other ---- */

static void on_done(void *user, const struct jd_reply *reply);

static bool start(struct jd_read *read)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    put_request(read, &url);
    const int64_t own_ms = read->telemetry->source == JD_POWER_BY_PROFILES
                               ? wire_of(read)->timeout_ms
                               : READ_TIMEOUT_MS;
    const int64_t timeout_ms = own_ms < READ_TIMEOUT_MS ? own_ms : READ_TIMEOUT_MS;
    const struct jd_http_request request = {
        .url = url.data,
        .timeout_ms = timeout_ms,
        .connect_ms = timeout_ms,
        .limit_bytes = READ_LIMIT,
        .on_done = on_done,
        .user = read,
    };
    const int rc = url.is_failed || !url.data ? JOULIE_E_NOMEM
                                              : jd_http_start(read->telemetry->shared->http,
                                                              &request, &read->transfer, NULL);
    return rc == 0;
}

/* The next node that has not been read, by a request that is free. */
static void read_next(struct jd_telemetry *telemetry, struct jd_read *read)
{
    while (telemetry->next < telemetry->count) {
        *read = (struct jd_read){ .telemetry = telemetry,
                                  .node_name = telemetry->names[telemetry->next++] };
        if (start(read)) {
            telemetry->in_flight++;
            return;
        }
        report_bad(telemetry, read->node_name, "the request cannot be made");
    }
    *read = (struct jd_read){ 0 };
}

/* Once for all: to find a series costs a tenth of a read. */
static void count_round(const struct jd_telemetry *telemetry)
{
    struct jd_metrics *metrics = telemetry->shared->metrics;
    if (telemetry->good > 0)
        jd_metric_add(metrics, &jd_reads, JD_LABELS("good"), (double)telemetry->good);
    if (telemetry->failed == 0)
        return;
    jd_metric_add(metrics, &jd_reads, JD_LABELS("failed"), (double)telemetry->failed);
    jd_count_errors(metrics, JD_ERROR_POWER, telemetry->failed);
}

static void end_round(struct jd_telemetry *telemetry)
{
    count_round(telemetry);
    if (telemetry->reported > MOST_REPORTED)
        jd_log(telemetry->shared->log, JOULIE_LOG_LEVEL_WARN, "power",
               "and %zu other nodes; %zu of %zu were not read", telemetry->reported - MOST_REPORTED,
               telemetry->failed, telemetry->count);
    telemetry->on_read(telemetry->user);
}

static bool has_other_query(const struct jd_read *read, const struct jd_reply *reply)
{
    return read->telemetry->source == JD_POWER_KEPLER &&
           jl_is_empty(read->telemetry->shared->values->power_query) &&
           reply->end == JD_HTTP_WHOLE && read->query + 1 < (int)JL_COUNT(kepler_queries);
}

/* The source before stays in use until the new one has answered once. */
static bool has_old_source(const struct jd_read *read, const char *problem)
{
    const struct jd_shared *shared = read->telemetry->shared;
    struct jd_note *note = jd_note_find(shared->notes, read->node_name);
    if (read->telemetry->source != JD_POWER_BY_PROFILES || read->is_old || !note ||
        !note->wires[1].url)
        return false;
    if (!note->is_new_source_bad && read->telemetry->reported++ < MOST_REPORTED)
        jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "power",
               "node %s: its new source does not take over, the old one stays: %s", read->node_name,
               problem);
    note->is_new_source_bad = true;
    return true;
}

static void note_source(const struct jd_read *read)
{
    struct jd_note *note = jd_note_find(read->telemetry->shared->notes, read->node_name);
    if (note && !read->is_old)
        jd_note_wired(note);
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct jd_read *read = user;
    struct jd_telemetry *telemetry = read->telemetry;
    const struct jd_shared *shared = telemetry->shared;
    const int64_t now_ms = jd_policy_now_ms(shared->clock);
    struct joulie_cluster_sample sample;
    const char *problem =
        is_query(read)
            ? jd_reading_of_prometheus(reply, now_ms, &sample)
            : jd_reading_of_telemetry(reply, now_ms, shared->values->twin_staleness_ms, &sample);
    if (problem && has_other_query(read, reply)) {
        read->query++;
        if (start(read))
            return;
    }
    if (problem && has_old_source(read, problem)) {
        read->is_old = true;
        if (start(read))
            return;
    }
    if (!problem && telemetry->source == JD_POWER_BY_PROFILES)
        note_source(read);
    take(telemetry, read, problem, &sample);
    telemetry->in_flight--;
    read_next(telemetry, read);
    if (telemetry->in_flight == 0)
        end_round(telemetry);
}

bool jd_telemetry_start(struct jd_telemetry *telemetry)
{
    if (telemetry->source == JD_POWER_STATIC || list_nodes(telemetry) < 0 || telemetry->count == 0)
        return false;
    telemetry->round++;
    telemetry->good = 0;
    telemetry->failed = 0;
    telemetry->reported = 0;
    for (size_t i = 0; i < JD_MOST_READS; i++)
        read_next(telemetry, &telemetry->reads[i]);
    if (telemetry->in_flight > 0)
        return true;
    count_round(telemetry);
    if (telemetry->reported > MOST_REPORTED)
        jd_log(telemetry->shared->log, JOULIE_LOG_LEVEL_WARN, "power", "no node could be asked");
    return false;
}

void jd_telemetry_measure(const struct jd_telemetry *telemetry)
{
    const int64_t oldest_ms = jd_notes_oldest_sample(telemetry->shared->notes, telemetry->round);
    if (oldest_ms > 0)
        jd_metric_set(telemetry->shared->metrics, &jd_data_age, JD_LABELS(JD_COMPONENT, "power"),
                      (double)(jd_policy_now_ms(telemetry->shared->clock) - oldest_ms) / MS_PER_S);
}
