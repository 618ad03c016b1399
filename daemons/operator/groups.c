/* SPDX-License-Identifier: Apache-2.0 */

/* Racks and cooling zones as Prometheus measures them (docs/rules/programs.md#racks-and-zones).
 * Called by facility.c, which has the alarm. */

#include "operator/groups.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "operator/metrics.h"
#include "operator/reading.h"
#include "runtime/json.h"

#define POLL_TIMEOUT_MS 5000
#define POLL_LIMIT ((size_t)8 << 20)
#define MOST_NAMED 3 /* groups without a measurement that a person is told by name */

static JD_FAMILY(rack_power, JD_GAUGE, "joulie_operator_rack_power_watts",
                 "Measured power of a rack; absent when unknown.", "rack");
static JD_FAMILY(zone_temperature, JD_GAUGE, "joulie_operator_zone_temperature_celsius",
                 "Temperature outside of a cooling zone; absent when unknown.", "zone");

static const struct {
    const char *one;
    const char *many;
    const char *otherwise; /* what counts without a measurement */
    const struct jd_family *family;
} kinds[JD_GROUPS] = {
    [JD_RACKS] = { "rack", "racks", "the sum of its nodes counts", &rack_power },
    [JD_ZONES] = { "zone", "zones", "the temperature of the site counts", &zone_temperature },
};

struct group {
    char *name;
    bool has_value;
    double value;
    int64_t at_ms;  /* policy time of its last good sample */
    uint64_t round; /* of the last reply that names it */
    bool is_twice;  /* that one had two series of it */
    double now;     /* its sample */
};

static struct group *in_slot(const struct jl_index *measured, size_t i)
{
    const struct jl_index_slot *slot = &measured->slots[i];
    return jl_is_empty(slot->name) ? NULL : (struct group *)slot->value;
}

static void drop(struct group *group)
{
    if (!group)
        return;
    free(group->name);
    free(group);
}

static struct group *group_of(struct jl_index *measured, const char *name)
{
    size_t at = 0;
    if (jl_index_get(measured, name, &at))
        return (struct group *)at;
    struct group *group = calloc(1, sizeof *group);
    if (group)
        group->name = jl_strdup(name);
    if (group && group->name && jl_index_set(measured, group->name, (size_t)group) == 0)
        return group;
    drop(group);
    return NULL;
}

/* ---- replies ---- */

/* A rack that draws nothing is one whose meter says nothing. */
static bool is_usable(enum jd_groups_kind kind, double value)
{
    return kind == JD_ZONES || value > 0;
}

static void see_series(struct jd_groups *groups, struct json_object *series)
{
    struct json_object *sample = jd_json_at(series, "value");
    const char *name = jd_json_label(series, "metric", groups->label);
    const char *text = jd_json_count(sample) == 2
                           ? json_object_get_string(json_object_array_get_idx(sample, 1))
                           : NULL;
    double value = 0;
    if (jl_is_empty(name) || !text || jl_parse_double(text, strlen(text), &value) < 0 ||
        !is_usable(groups->kind, value))
        return;
    struct group *group = group_of(&groups->measured, name);
    if (!group)
        return;
    group->is_twice = group->round == groups->round;
    group->round = groups->round;
    group->now = value;
}

/* NULL, or why the reply says nothing of any group. */
static const char *read_reply(struct jd_groups *groups, const struct jd_reply *reply)
{
    const char *problem = jd_reply_problem(reply);
    if (problem)
        return problem;
    JL_CLEANUP(jd_json_freep) struct json_object *tree = jd_json_parse(reply->body, reply->len);
    struct json_object *result = jd_json_at(tree, "data.result");
    if (!jl_same(jd_json_word(tree, "status"), "success") || !result)
        return "the reply is no answer of Prometheus";
    for (size_t i = 0; i < jd_json_count(result); i++)
        see_series(groups, json_object_array_get_idx(result, i));
    const int64_t now_ms = jd_policy_now_ms(groups->shared->clock);
    size_t good = 0;
    size_t doubled = 0;
    for (size_t i = 0; i < groups->measured.capacity; i++) {
        struct group *group = in_slot(&groups->measured, i);
        if (!group || group->round != groups->round)
            continue;
        doubled += group->is_twice;
        good += !group->is_twice;
        if (group->is_twice)
            continue;
        group->has_value = true;
        group->value = group->now;
        group->at_ms = now_ms;
    }
    if (doubled > 0)
        return "more than one series has the same label";
    return good > 0 ? NULL : "no series has the label and a value";
}

static void on_done(void *user, const struct jd_reply *reply)
{
    struct jd_groups *groups = user;
    const struct jd_shared *shared = groups->shared;
    groups->transfer = NULL;
    groups->round++;
    const char *problem = read_reply(groups, reply);
    if (problem)
        jd_count_error(shared->metrics, JD_ERROR_FACILITY);
    if (problem && !jl_same(problem, groups->problem))
        jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "facility", "%s: %s", kinds[groups->kind].many,
               problem);
    else if (!problem && groups->problem)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, "facility", "%s can be read again",
               kinds[groups->kind].many);
    groups->problem = problem;
    groups->is_answered = true;
    jd_clock_release(shared->clock);
}

void jd_groups_poll(struct jd_groups *groups)
{
    const struct jd_shared *shared = groups->shared;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    if (jl_is_empty(groups->query) || groups->transfer)
        return;
    jd_put_query(&url, shared->values->facility_prometheus, groups->query, shared->clock);
    const struct jd_http_request request = {
        .url = url.data,
        .timeout_ms = POLL_TIMEOUT_MS,
        .limit_bytes = POLL_LIMIT,
        .on_done = on_done,
        .user = groups,
    };
    if (!url.is_failed && jd_http_start(shared->http, &request, &groups->transfer, NULL) == 0)
        jd_clock_hold(shared->clock);
    else
        jd_count_error(shared->metrics, JD_ERROR_FACILITY);
}

/* ---- what is held ---- */

static bool is_held(const struct jd_groups *groups, const struct group *group, int64_t now_ms)
{
    return group->has_value && now_ms - group->at_ms <= groups->shared->values->facility_ttl_ms;
}

static void put(const struct jd_groups *groups, const struct group *group, bool is_known)
{
    struct joulie_cluster_facility values = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster *cluster = groups->shared->cluster;
    int rc;
    if (groups->kind == JD_RACKS) {
        values.has = is_known ? JOULIE_CLUSTER_FACILITY_HAS_IT_POWER : 0;
        values.it_power_w = group->value;
        rc = joulie_cluster_put_rack(cluster, group->name, &values, &err);
    } else {
        values.has = is_known ? JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP : 0;
        values.outside_temp_c = group->value;
        rc = joulie_cluster_put_zone(cluster, group->name, &values, &err);
    }
    if (rc < 0)
        jd_log_error(groups->shared->log, "facility", "the model does not take what is measured",
                     &err);
}

void jd_groups_report(struct jd_groups *groups)
{
    const int64_t now_ms = jd_policy_now_ms(groups->shared->clock);
    for (size_t i = 0; i < groups->measured.capacity; i++) {
        struct group *group = in_slot(&groups->measured, i);
        if (!group)
            continue;
        if (is_held(groups, group, now_ms)) {
            put(groups, group, true);
            continue;
        }
        if (group->has_value) {
            put(groups, group, false);
            jd_log(groups->shared->log, JOULIE_LOG_LEVEL_WARN, "facility",
                   "%s %s: no sample for longer than FACILITY_VALUE_TTL: %s",
                   kinds[groups->kind].one, group->name, kinds[groups->kind].otherwise);
        }
        jl_index_remove(&groups->measured, group->name);
        drop(group);
    }
}

void jd_groups_measure(const struct jd_groups *groups)
{
    const struct jd_family *family = kinds[groups->kind].family;
    struct jd_metrics *metrics = groups->shared->metrics;
    const int64_t now_ms = jd_policy_now_ms(groups->shared->clock);
    jd_metrics_clear(metrics, family);
    for (size_t i = 0; i < groups->measured.capacity; i++) {
        const struct group *group = in_slot(&groups->measured, i);
        if (group && is_held(groups, group, now_ms))
            jd_metric_set(metrics, family, JD_LABELS(group->name), group->value);
    }
}

/* ---- those without a measurement ---- */

static const char *group_name_of(const struct jd_groups *groups,
                                 const struct joulie_cluster_node *node)
{
    return groups->kind == JD_RACKS ? node->rack : node->cooling_zone;
}

void jd_groups_put_problem(const struct jd_groups *groups, struct jl_buffer *out)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    struct jl_index missing = { 0 }; /* names of the model, which does not change meanwhile */
    size_t held = 0;
    if (jl_is_empty(groups->query) || !groups->is_answered)
        return;
    const char *begin = out->len > 0 ? "; " : "";
    if (groups->problem) {
        jd_put_format(out, "%s%s: %s", begin, kinds[groups->kind].many, groups->problem);
        begin = "; ";
    }
    for (size_t i = 0; joulie_cluster_node_at(groups->shared->cluster, i, &node, NULL) == 0; i++) {
        const char *name = group_name_of(groups, &node);
        if (!name[0] || jl_index_get(&groups->measured, name, &held) ||
            jl_index_get(&missing, name, &held))
            continue;
        if (missing.count == 0)
            jd_put_format(out, "%s%s without a measurement: %s", begin, kinds[groups->kind].many,
                          name);
        else if (missing.count < MOST_NAMED)
            jd_put_format(out, ", %s", name);
        if (jl_index_set(&missing, name, 0) < 0)
            break;
    }
    if (missing.count > MOST_NAMED)
        jd_put_format(out, " and %zu more", missing.count - MOST_NAMED);
    jl_index_clear(&missing);
}

void jd_groups_open(struct jd_groups *groups, enum jd_groups_kind kind,
                    const struct jd_shared *shared)
{
    const struct jd_operator_values *values = shared->values;
    *groups = (struct jd_groups){
        .shared = shared,
        .kind = kind,
        .query = kind == JD_RACKS ? values->facility_rack_power : values->facility_zone_ambient,
        .label = kind == JD_RACKS ? values->facility_rack_label : values->facility_zone_label,
    };
}

void jd_groups_close(struct jd_groups *groups)
{
    jd_http_cancel(groups->transfer);
    for (size_t i = 0; i < groups->measured.capacity; i++)
        drop(in_slot(&groups->measured, i));
    jl_index_clear(&groups->measured);
    *groups = (struct jd_groups){ 0 };
}
