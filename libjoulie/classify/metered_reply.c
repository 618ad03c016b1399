/* SPDX-License-Identifier: Apache-2.0 */

/* Replies of Prometheus that speak of many pods: an instant vector, and which pod each series is of
 * (docs/rules/classification.md#queries). */

#include "base/error.h"
#include "classify/metered.h"
#include "schema/decode.h"
#include "schema/json.h"
#include "twin/twin.h"

#define RECORD reply_data
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                     \
    STRING(result_type, "resultType", "What kind of answer it is.") \
    RAW(result, "result", "The series.")
#include "schema/record.h"

#define RECORD reply
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                            \
    STRING(status, "status", "success or error.")          \
    STRING(error, "error", "What is wrong, for a person.") \
    RAW(data, "data", "The answer.")
#include "schema/record.h"

#define RECORD series_labels
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                             \
    STRING(name_space, "namespace", "Of the pod, or of the exporter.")                      \
    STRING(pod, "pod", "Likewise.")                                                         \
    STRING(exported_name_space, "exported_namespace", "Of the pod, behind a scrape.")       \
    STRING(exported_pod, "exported_pod", "Likewise.")                                       \
    STRING(container_name_space, "container_namespace", "Of the pod (Kepler before 0.10).") \
    STRING(pod_name_space, "pod_namespace", "Of the pod (Kepler from 0.10 on).")            \
    STRING(pod_name, "pod_name", "Of the pod (Kepler).")
#include "schema/record.h"

#define RECORD series
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                        \
    OBJECT(labels, "metric", series_labels, "Labels.") \
    RAW(value, "value", "Time and number.")
#include "schema/record.h"

struct reading {
    void (*take)(void *user, const struct jl_metered_series *series);
    void *user;
    bool has_exported;     /* some series has the labels of a scrape that kept its own */
    struct jl_arena arena; /* of one series */
};

/* The number of [time, "number"]; false = there is none, or none that counts. */
static bool read_number(const struct jl_raw *raw, double *out)
{
    struct jl_json json = { .text = raw->text, .len = raw->len };
    struct jl_json_string text;
    bool more = false;
    bool is_missing = false;
    if (raw->len == 0 || jl_json_peek(&json) != JL_JSON_ARRAY || jl_json_open(&json) < 0 ||
        jl_json_item(&json, true, &more) < 0 || !more || jl_json_skip(&json) < 0 ||
        jl_json_item(&json, false, &more) < 0 || !more || jl_json_peek(&json) != JL_JSON_STRING ||
        jl_json_string(&json, &text) < 0)
        return false;
    return jl_prometheus_number(text.raw, &is_missing, out) == 0 && !is_missing && *out >= 0;
}

static bool is_named(const char *name_space, const char *pod)
{
    return !jl_is_empty(name_space) && !jl_is_empty(pod);
}

/* Which pod a series is of; rank 0 = of none. Where a scrape kept its own labels the plain ones are
 * those of the exporter. */
static void read_pod(const struct reading *reading, const struct series_labels *labels,
                     struct jl_metered_series *out)
{
    *out = (struct jl_metered_series){ .rank = 0 };
    if (is_named(labels->pod_name_space, labels->pod_name))
        *out = (struct jl_metered_series){ labels->pod_name_space, labels->pod_name, .rank = 2 };
    else if (is_named(labels->container_name_space, labels->pod_name))
        *out =
            (struct jl_metered_series){ labels->container_name_space, labels->pod_name, .rank = 1 };
    else if (is_named(labels->exported_name_space, labels->exported_pod))
        *out = (struct jl_metered_series){ labels->exported_name_space, labels->exported_pod,
                                           .rank = 2 };
    else if (!reading->has_exported && is_named(labels->name_space, labels->pod))
        *out = (struct jl_metered_series){ labels->name_space, labels->pod, .rank = 1 };
}

/* A series that is no such thing says nothing. */
static int read_series(struct reading *reading, struct jl_text text, bool is_look)
{
    struct series series;
    struct jl_metered_series found;
    jl_arena_reset(&reading->arena);
    struct jl_decode decode = {
        .arena = &reading->arena, .text = text.ptr, .len = text.len, .flags = JL_LENIENT
    };
    const int rc = jl_decode_document(&decode, &series_table, &series);
    if (rc < 0)
        return rc == JOULIE_E_NOMEM ? rc : 0;
    if (is_look) {
        reading->has_exported |= !jl_is_empty(series.labels.exported_pod);
        return 0;
    }
    read_pod(reading, &series.labels, &found);
    if (found.rank > 0 && read_number(&series.value, &found.value))
        reading->take(reading->user, &found);
    return 0;
}

static int read_each(struct reading *reading, const struct jl_raw *result, bool is_look)
{
    struct jl_json json = { .text = result->text, .len = result->len };
    bool more = true;
    int rc = jl_json_open(&json);
    for (bool is_first = true; rc == 0; is_first = false) {
        rc = jl_json_item(&json, is_first, &more);
        if (rc < 0 || !more)
            return rc;
        jl_json_peek(&json);
        const size_t begin = json.pos;
        rc = jl_json_skip(&json);
        if (rc == 0)
            rc = read_series(reading, (struct jl_text){ json.text + begin, json.pos - begin },
                             is_look);
    }
    return rc;
}

static bool is_array(const struct jl_raw *raw)
{
    return raw->len > 0 && raw->text[0] == '[';
}

int jl_metered_read(int64_t http_status, struct jl_text body,
                    void (*take)(void *user, const struct jl_metered_series *series), void *user,
                    struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_decode decode = {
        .arena = &arena, .text = body.ptr, .len = body.len, .flags = JL_LENIENT
    };
    struct reply reply;
    struct reply_data data;
    struct reading reading = { .take = take, .user = user };
    const bool is_good = http_status >= 200 && http_status <= 299;
    int rc = jl_decode_document(&decode, &reply_table, &reply);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (rc == 0 && !jl_is_empty(reply.error))
        return jl_fail(err, JOULIE_E_PARSE, "", "Prometheus says: %.200s", reply.error);
    if (!is_good)
        return jl_fail(err, JOULIE_E_PARSE, "", "the HTTP status is %lld", (long long)http_status);
    if (rc < 0)
        return jl_fail(err, JOULIE_E_PARSE, "", "the reply is not JSON of an instant query");
    if (!jl_same(reply.status, "success"))
        return jl_fail(err, JOULIE_E_PARSE, "", "the status is not success");
    rc = reply.given.data ? jl_decode_raw(&decode, &reply.data, NULL, &reply_data_table, &data)
                          : JOULIE_E_PARSE;
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (rc < 0 || !jl_same(data.result_type, "vector") || !is_array(&data.result))
        return jl_fail(err, JOULIE_E_PARSE, "", "the result is no vector");
    rc = read_each(&reading, &data.result, true);
    if (rc == 0)
        rc = read_each(&reading, &data.result, false);
    jl_arena_clear(&reading.arena);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_fail(err, JOULIE_E_PARSE, "", "the result cannot be read") : 0;
}
