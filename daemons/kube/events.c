/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each different event is a series (docs/rules/clients.md#events): its first occurrence is posted,
 * its second patches the count into it, later ones only count until the sweep sends it again. A
 * series that has something to say waits in line; one request is on its way at a time.
 */

#include "kube/events.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "kube/client_parts.h"
#include "kubernetes/names.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define MOST_WAITING 1000
#define MOST_SERIES 4096
#define MOST_TRIES 12
#define RETRY_S 10.0
#define RETRY_JITTER 0.25
#define SWEEP_S 60.0
#define IDLE_MS 360000    /* a series that is over */
#define RESEND_MS 1800000 /* keeps a series alive past the 1 h of the server */
#define NOTE_BYTES 1024
#define INSTANCE_BYTES 128
#define NS_PER_MS 1000000
#define NAMESPACE "default" /* of events about cluster-scoped objects */
#define OLD_NAMESPACE "kube-system"
#define OLD_REFUSAL "does not match event.namespace" /* of a v1.20 server */

struct series {
    char *key;
    char *regarding;  /* name of the object */
    char *name_space; /* of the object; "" = cluster-scoped */
    char *rest;       /* members of the Event behind its metadata */
    char *name;       /* of the Event; NULL = not made yet */
    int64_t count;
    int64_t sent_count; /* of the last request */
    int64_t last_ms;    /* policy time of the last occurrence */
    int64_t seen_ms;    /* the same by the monotonic clock */
    int64_t sent_ms;
    bool is_posted;
    bool is_waiting; /* in line, or on its way */
    bool is_last;    /* leaves when it was sent */
    int tries;
    int64_t due_ms;
    uint64_t order; /* of the line */
};

struct jd_recorder {
    struct jd_loop *loop;
    struct jd_kube *kube;
    char *controller;
    char *instance;
    struct series *series[MOST_SERIES];
    size_t count;
    struct jl_index index; /* key → index in series */
    size_t waiting;
    uint64_t order;
    uint64_t dropped;
    uint32_t serial;   /* makes names of one millisecond different */
    bool is_old;       /* the server takes OLD_NAMESPACE only */
    bool has_reported; /* that events are refused */
    struct series *sent;
    struct jd_timer next; /* these two are always set */
    struct jd_timer sweep;
};

/* ---- series ---- */

static void free_series(struct series *series)
{
    jl_free(series->key);
    jl_free(series->regarding);
    jl_free(series->name_space);
    jl_free(series->rest);
    jl_free(series->name);
    jl_free(series);
}

static void remove_series(struct jd_recorder *recorder, struct series *series)
{
    size_t at = 0;
    if (!jl_index_get(&recorder->index, series->key, &at))
        return;
    jl_index_remove(&recorder->index, series->key);
    struct series *last = recorder->series[--recorder->count];
    if (last != series) {
        recorder->series[at] = last;
        jl_index_set(&recorder->index, last->key, at); /* it is there */
    }
    recorder->waiting -= series->is_waiting;
    free_series(series);
}

/* Everything but apiVersion, kind, metadata and series. */
static char *rest_of(const struct jd_recorder *recorder, const struct jd_event *event,
                     int64_t now_ms)
{
    struct jl_buffer out = { 0 };
    const char *note = event->note ? event->note : "";
    jd_json_put_micro_time(&out, "eventTime", now_ms);
    jd_json_put_some(&out, "reportingController", recorder->controller);
    jd_json_put_some(&out, "reportingInstance", recorder->instance);
    jd_json_put_some(&out, "action", event->action);
    jd_json_put_some(&out, "reason", event->reason);
    jd_json_put_some(&out, "type", event->is_warning ? "Warning" : "Normal");
    jd_json_put_key(&out, "note");
    jl_put_json_string(&out, note, jl_utf8_cut(note, strlen(note), NOTE_BYTES));
    jl_put_string(&out, ",\"regarding\":{");
    jd_json_put_text(&out, "kind", event->kind);
    jd_json_put_some(&out, "apiVersion", event->api_version);
    jd_json_put_some(&out, "name", event->name);
    jd_json_put_some(&out, "namespace", event->name_space);
    jd_json_put_some(&out, "uid", event->uid);
    jl_put_char(&out, '}');
    return jl_buffer_take(&out);
}

static char *key_of(const struct jd_event *event)
{
    struct jl_buffer out = { 0 };
    const char *const parts[] = { event->is_warning ? "W" : "N",
                                  event->action,
                                  event->reason,
                                  event->api_version,
                                  event->kind,
                                  event->name_space,
                                  event->name,
                                  event->uid };
    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        jl_put_string(&out, parts[i] ? parts[i] : "");
        jl_put_char(&out, '\n');
    }
    return jl_buffer_take(&out);
}

/* Takes the key. NULL = memory ran out. */
static struct series *add_series(struct jd_recorder *recorder, const struct jd_event *event,
                                 char *key, int64_t now_ms)
{
    struct series *series = jl_calloc(1, sizeof *series);
    if (!series) {
        jl_free(key);
        return NULL;
    }
    series->key = key;
    series->regarding = jl_strdup(event->name);
    series->name_space = jl_strdup(event->name_space ? event->name_space : "");
    series->rest = rest_of(recorder, event, now_ms);
    if (!series->regarding || !series->name_space || !series->rest ||
        jl_index_set(&recorder->index, key, recorder->count) < 0) {
        free_series(series);
        return NULL;
    }
    recorder->series[recorder->count++] = series;
    return series;
}

/* ---- what is sent ---- */

static const char *namespace_of(const struct jd_recorder *recorder, const struct series *series)
{
    if (*series->name_space)
        return series->name_space;
    return recorder->is_old ? OLD_NAMESPACE : NAMESPACE;
}

/* For objects whose name cannot be the start of another one. */
static void put_uuid(struct jd_recorder *recorder, struct jl_buffer *out)
{
    static const int groups[] = { 8, 4, 4, 4, 12 };
    for (size_t i = 0; i < JL_COUNT(groups); i++) {
        const uint64_t bits = (uint64_t)(jd_kube_chance(recorder->kube) * 0x1p48);
        const uint64_t mask = ((uint64_t)1 << 4 * groups[i]) - 1;
        jd_put_format(out, "%s%0*" PRIx64, i > 0 ? "-" : "", groups[i], bits & mask);
    }
}

static char *name_of(struct jd_recorder *recorder, const struct series *series)
{
    struct jl_buffer out = { 0 };
    recorder->serial = (recorder->serial + 1) % NS_PER_MS;
    const uint64_t ns = (uint64_t)series->last_ms * NS_PER_MS + recorder->serial;
    jd_put_format(&out, "%s.%016" PRIx64, series->regarding, ns);
    if (!out.is_failed && !jl_is_dns_subdomain(jl_text(out.data))) {
        jl_buffer_reset(&out);
        put_uuid(recorder, &out);
    }
    return jl_buffer_take(&out);
}

static void put_series(struct jl_buffer *out, const struct series *series)
{
    jd_put_format(out, "\"series\":{\"count\":%" PRId64, series->count);
    jd_json_put_micro_time(out, "lastObservedTime", series->last_ms);
    jl_put_char(out, '}');
}

static void put_event(const struct jd_recorder *recorder, const struct series *series,
                      struct jl_buffer *out)
{
    jl_put_string(out, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{");
    jd_json_put_text(out, "name", series->name);
    jd_json_put_text(out, "namespace", namespace_of(recorder, series));
    jl_put_string(out, "},");
    jl_put_string(out, series->rest);
    if (series->count > 1) {
        jl_put_char(out, ',');
        put_series(out, series);
    }
    jl_put_char(out, '}');
}

static void on_done(void *user, const struct jd_answer *answer);
static void refresh(struct jd_recorder *recorder);

static int send_series(struct jd_recorder *recorder, struct series *series)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    if (!series->name)
        series->name = name_of(recorder, series);
    if (!series->name)
        return JOULIE_E_NOMEM;
    if (series->is_posted) {
        jl_put_char(&body, '{');
        put_series(&body, series);
        jl_put_char(&body, '}');
    } else {
        put_event(recorder, series, &body);
    }
    const struct jd_kube_call call = {
        .method = series->is_posted ? "PATCH" : "POST",
        .resource = &jd_events,
        .name_space = namespace_of(recorder, series),
        .name = series->is_posted ? series->name : NULL,
        .patch = series->is_posted ? JD_PATCH_MERGE : JD_PATCH_NONE,
        .body = body.data,
        .len = body.len,
        .priority = JD_PRIORITY_EVENT,
        .most_attempts = 1,
        .on_done = on_done,
        .user = recorder,
    };
    const int rc = body.is_failed ? JOULIE_E_NOMEM : jd_kube_start(recorder->kube, &call, NULL);
    if (rc < 0)
        return rc;
    recorder->sent = series;
    series->sent_count = series->count;
    series->tries++;
    return 0;
}

/* ---- the line ---- */

static void enqueue(struct jd_recorder *recorder, struct series *series, int64_t due_ms)
{
    if (!series->is_waiting) {
        series->is_waiting = true;
        series->tries = 0;
        recorder->waiting++;
    }
    series->due_ms = due_ms;
    series->order = ++recorder->order;
}

static struct series *first_of(const struct jd_recorder *recorder)
{
    struct series *first = NULL;
    for (size_t i = 0; i < recorder->count; i++) {
        struct series *series = recorder->series[i];
        if (!series->is_waiting)
            continue;
        if (!first || series->due_ms < first->due_ms ||
            (series->due_ms == first->due_ms && series->order < first->order))
            first = series;
    }
    return first;
}

static void drop(struct jd_recorder *recorder, struct series *series)
{
    recorder->dropped++;
    remove_series(recorder, series);
}

/* Sends the next one that is due. */
static void refresh(struct jd_recorder *recorder)
{
    while (!recorder->sent) {
        struct series *series = first_of(recorder);
        const int64_t now_ms = jd_clock_ms();
        if (!series)
            return;
        if (series->due_ms > now_ms) {
            jd_timer_set(recorder->loop, &recorder->next, series->due_ms);
            return;
        }
        if (send_series(recorder, series) < 0)
            drop(recorder, series);
    }
}

static void on_next(void *user)
{
    struct jd_recorder *recorder = user;
    jd_timer_set(recorder->loop, &recorder->next, JD_NEVER_MS);
    refresh(recorder);
}

/* ---- answers ---- */

static void finish(struct jd_recorder *recorder, struct series *series)
{
    const int64_t now_ms = jd_clock_ms();
    series->is_posted = true;
    series->is_waiting = false;
    series->sent_ms = now_ms;
    recorder->waiting--;
    if (series->is_last)
        remove_series(recorder, series);
    else if (series->sent_count == 1 && series->count > 1) /* while it was on its way */
        enqueue(recorder, series, now_ms);
}

static void rename_series(struct series *series)
{
    jl_free(series->name);
    series->name = NULL;
    series->is_posted = false;
}

/* What makes another try sensible: 0 = nothing, else whether it should wait. */
enum again { AGAIN_NOT, AGAIN_NOW, AGAIN_LATER };

static enum again again_after(struct jd_recorder *recorder, struct series *series,
                              const struct jd_answer *answer)
{
    if (answer->code == 0 || answer->code == 429 || answer->code >= 500)
        return AGAIN_LATER;
    if (answer->code == 404 && series->is_posted) {
        rename_series(series); /* its hour is over */
        return AGAIN_NOW;
    }
    if (answer->code == 409 && !series->is_posted) {
        rename_series(series);
        return AGAIN_NOW;
    }
    if (answer->code == 422 && !series->is_posted && !recorder->is_old && !*series->name_space &&
        strstr(answer->message, OLD_REFUSAL)) {
        recorder->is_old = true;
        return AGAIN_NOW;
    }
    return AGAIN_NOT;
}

static void on_done(void *user, const struct jd_answer *answer)
{
    struct jd_recorder *recorder = user;
    struct series *series = recorder->sent;
    recorder->sent = NULL;
    if (jd_answer_is_good(answer)) {
        recorder->has_reported = false;
        finish(recorder, series);
        refresh(recorder);
        return;
    }
    const enum again again = again_after(recorder, series, answer);
    const double wait_s = RETRY_S * (1 + RETRY_JITTER * jd_kube_chance(recorder->kube));
    if (again == AGAIN_NOT && !recorder->has_reported) {
        recorder->has_reported = true;
        jd_log(jd_kube_options(recorder->kube)->log, JOULIE_LOG_LEVEL_WARN, "events",
               "an event is not taken: %d %s", answer->code, answer->message);
    }
    if (again == AGAIN_NOT || series->tries >= MOST_TRIES)
        drop(recorder, series);
    else
        enqueue(recorder, series,
                jd_clock_ms() +
                    (again == AGAIN_LATER ? jd_kube_wait_ms(recorder->kube, wait_s) : 0));
    refresh(recorder);
}

/* ---- what comes in ---- */

void jd_recorder_put(struct jd_recorder *recorder, const struct jd_event *event, int64_t now_ms)
{
    size_t at = 0;
    char *key = key_of(event);
    const bool is_known = key && jl_index_get(&recorder->index, key, &at);
    struct series *series = is_known ? recorder->series[at] : NULL;
    const bool has_room = recorder->waiting < MOST_WAITING && recorder->count < MOST_SERIES;
    if (key && !is_known && has_room)
        series = add_series(recorder, event, key, now_ms);
    else
        jl_free(key);
    if (!series) {
        recorder->dropped++;
        return;
    }
    const int64_t clock_ms = jd_clock_ms();
    series->count++;
    series->last_ms = now_ms;
    series->seen_ms = clock_ms;
    series->is_last = false;
    if (series->count <= 2 && !series->is_waiting)
        enqueue(recorder, series, clock_ms);
    refresh(recorder);
}

static void sweep_series(struct jd_recorder *recorder, struct series *series, int64_t now_ms)
{
    const bool is_idle = now_ms - series->seen_ms > jd_kube_wait_ms(recorder->kube, IDLE_MS / 1e3);
    const bool is_due =
        now_ms - series->sent_ms >= jd_kube_wait_ms(recorder->kube, RESEND_MS / 1e3);
    if (series->is_waiting)
        return;
    if (is_idle && series->count == series->sent_count) {
        remove_series(recorder, series);
    } else if (is_idle || (is_due && series->count > 1)) {
        series->is_last = is_idle;
        enqueue(recorder, series, now_ms);
    }
}

static void on_sweep(void *user)
{
    struct jd_recorder *recorder = user;
    const int64_t now_ms = jd_clock_ms();
    for (size_t i = recorder->count; i > 0; i--)
        sweep_series(recorder, recorder->series[i - 1], now_ms);
    jd_timer_set(recorder->loop, &recorder->sweep,
                 now_ms + jd_kube_wait_ms(recorder->kube, SWEEP_S));
    refresh(recorder);
}

uint64_t jd_recorder_dropped(const struct jd_recorder *recorder)
{
    return recorder->dropped;
}

int jd_recorder_open(struct jd_kube *kube, const char *controller, const char *instance,
                     struct jd_recorder **out, struct joulie_error *err)
{
    struct jd_recorder *recorder = jl_calloc(1, sizeof *recorder);
    if (!recorder)
        return jl_fail_memory(err);
    recorder->loop = jd_kube_loop(kube);
    recorder->kube = kube;
    recorder->controller = jl_strdup(controller);
    recorder->instance = jl_strdup(instance);
    recorder->next = (struct jd_timer){ .fire = on_next, .user = recorder };
    recorder->sweep = (struct jd_timer){ .fire = on_sweep, .user = recorder };
    if (!recorder->controller || !recorder->instance ||
        jd_timer_set(recorder->loop, &recorder->next, JD_NEVER_MS) < 0 ||
        jd_timer_set(recorder->loop, &recorder->sweep,
                     jd_clock_ms() + jd_kube_wait_ms(kube, SWEEP_S)) < 0) {
        jd_recorder_close(recorder);
        return jl_fail_memory(err);
    }
    char *end = recorder->instance;
    end[jl_utf8_cut(end, strlen(end), INSTANCE_BYTES)] = '\0';
    /* recorders that write about one object at one time begin at different names */
    recorder->serial = jl_fnv1a32(instance, strlen(instance)) % NS_PER_MS;
    *out = recorder;
    return 0;
}

void jd_recorder_close(struct jd_recorder *recorder)
{
    if (!recorder)
        return;
    jd_kube_cancel(recorder->kube, recorder);
    jd_timer_stop(recorder->loop, &recorder->next);
    jd_timer_stop(recorder->loop, &recorder->sweep);
    for (size_t i = 0; i < recorder->count; i++)
        free_series(recorder->series[i]);
    jl_index_clear(&recorder->index);
    jl_free(recorder->controller);
    jl_free(recorder->instance);
    jl_free(recorder);
}
