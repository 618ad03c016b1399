/* SPDX-License-Identifier: Apache-2.0 */

/*
 * watch.step: what an event, the end of a watch or a list means for a cache that follows an API
 * server (docs/rules/kubernetes-watch.md#events).
 */

#include "kubernetes/watch.h"

#include "ask/ask.h"
#include "base/error.h"

/* ---- a frame ---- */

static const struct jl_words type_words = JL_WORDS({
    { JL_EVENT_ADDED, "ADDED" },
    { JL_EVENT_MODIFIED, "MODIFIED" },
    { JL_EVENT_DELETED, "DELETED" },
    { JL_EVENT_BOOKMARK, "BOOKMARK" },
    { JL_EVENT_ERROR, "ERROR" },
});

#define RECORD watch_cause
#define MEMBERS STRING(reason, "reason", "Word of the cause.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD watch_details
#define MEMBERS LIST(causes, "causes", watch_cause, "Causes of an error.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD watch_meta
#define MEMBERS                                                               \
    STRING(name, "name", "Name of the object.")                               \
    STRING(name_space, "namespace", "Its namespace.")                         \
    STRING(uid, "uid", "What tells it from another object of the same name.") \
    STRING(version, "resourceVersion", "Version of the object.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

/* of any kind; of ERROR a Status */
#define RECORD watch_object
#define MEMBERS                                                     \
    OBJECT(meta, "metadata", watch_meta, "Metadata of the object.") \
    INTEGER(code, "code", "Code of a Status.")                      \
    STRING(reason, "reason", "Reason of a Status.")                 \
    OBJECT(details, "details", watch_details, "Details of a Status.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

#define RECORD watch_event
#define MEMBERS                                                                              \
    STRING(type, "type", "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; others are ignored.", \
           REQUIRED)                                                                         \
    OBJECT(object, "object", watch_object, "The object, or a Status.", REQUIRED)
#include "schema/record.h"

/* ---- ends and lists ---- */

static const struct jl_words end_words = JL_WORDS({
    { JL_END_EOF, "eof" },
    { JL_END_CURL, "curl" },
    { JL_END_HTTP, "http" },
});

#define RECORD watch_end
#define MEMBERS                                                                                  \
    ENUM(kind, "kind", jl_end_kind, end_words,                                                   \
         "How the watch ended: eof (as it should), curl (no connection, or a broken one), http " \
         "(another status than 200).",                                                           \
         REQUIRED)                                                                               \
    INTEGER(code, "code", "Code of curl, or HTTP status.")                                       \
    NUMBER(lived_s, "livedS", "How long the watch lived, s (eof).", NOT_NEGATIVE)                \
    INTEGER(events, "events", "Events that came (eof).", NOT_NEGATIVE)                           \
    STRING(reason, "reason", "Reason or cause of an error, such as ResourceVersionTooLarge (http).")
#include "schema/record.h"

#define RECORD watch_list
#define MEMBERS                                                                      \
    INTEGER(code, "code", "HTTP status.", REQUIRED)                                  \
    STRING(version, "resourceVersion", "Version of the list.")                       \
    BOOLEAN(safety, "safety", "Whether it was asked without a version, to be sure.") \
    STRING(reason, "reason", "Reason or cause of an error, such as ResourceVersionTooLarge.")
#include "schema/record.h"

/* ---- the question ---- */

#define RECORD watch_state
#define MEMBERS                                                                                   \
    STRING(version, "resourceVersion", "Version that was last seen; absent: nothing was listed.") \
    MAP(uids, "uids",                                                                             \
        "namespace/name to uid of what is kept; objects without a namespace by name.")            \
    BOOLEAN(synthetic, "synthetic", "Whether the watch was started without a version.")           \
    BOOLEAN(unavailable, "unavailable", "Whether a list at this version has failed.")
#include "schema/record.h"

#define RECORD watch_step_in
#define MEMBERS                                                                                    \
    OBJECT(state, "state", watch_state, "What is kept.", REQUIRED)                                 \
    OBJECT(event, "event", watch_event, "A frame of the watch.")                                   \
    OBJECT(end, "end", watch_end, "The end of the watch.")                                         \
    OBJECT(list, "list", watch_list, "What became of a list.")                                     \
    NUMBER(internal_error_retry_s, "internalErrorRetryS",                                          \
           "How long a watch is tried again after an internal error before a list, s; default 0.", \
           NOT_NEGATIVE)                                                                           \
    NUMBER(since_first_error_s, "sinceFirstErrorS", "Since the first such error, s; default 0.",   \
           NOT_NEGATIVE)
#include "schema/record.h"

static const struct jl_words action_words = JL_WORDS({
    { JL_WATCH_UPSERT, "upsert" },
    { JL_WATCH_REPLACE, "replace" },
    { JL_WATCH_REMOVE, "remove" },
    { JL_WATCH_ADVANCE, "advance" },
    { JL_WATCH_IGNORE, "ignore" },
    { JL_WATCH_END, "end" },
});

static const struct jl_words next_words = JL_WORDS({
    { JL_NEXT_WATCH, "watch" },
    { JL_NEXT_LIST, "list" },
    { JL_NEXT_RELIST, "relist" },
    { JL_NEXT_RELIST_UNSET, "relist-unset" },
    { JL_NEXT_REFRESH, "refresh" },
});

#define RECORD watch_step_out
#define MEMBERS                                                                                  \
    ENUM(action, "action", jl_watch_action, action_words, "What the event does.")                \
    BOOLEAN(keep_reading, "keepReading", "Whether the watch goes on.")                           \
    STRING(version, "resourceVersion", "Version to be kept; absent: none.")                      \
    ENUM(next, "next", jl_watch_next, next_words,                                                \
         "What is asked next; absent: the watch goes on.")                                       \
    STRING(list_version, "listResourceVersion", "Version to list from; empty: the newest.")      \
    BOOLEAN(backoff, "backoff", "Whether to wait first.")                                        \
    BOOLEAN(surface, "surface", "Whether a person has to know: rights or the kind are missing.") \
    BOOLEAN(went_back, "wentBack",                                                               \
            "Whether the server's versions went back, as after a restore from a backup.")
#include "schema/record.h"

static bool has_cause(const struct jl_list *causes, const char *word)
{
    for (size_t i = 0; i < causes->count; i++) {
        if (jl_same(JL_ITEM(*causes, watch_cause, i)->reason, word))
            return true;
    }
    return false;
}

static int is_other_uid(struct jl_ask *ask, const struct jl_map *uids,
                        const struct watch_meta *meta, bool *out)
{
    const bool has_namespace = !jl_is_empty(meta->name_space);
    const char *key = JL_JOIN(ask->arena, has_namespace ? meta->name_space : "",
                              has_namespace ? "/" : "", meta->name ? meta->name : "");
    if (key == NULL)
        return jl_fail_memory(ask->err);
    const char *uid = jl_map_get(uids, key);
    *out = uid != NULL && !jl_same(uid, meta->uid);
    return 0;
}

static int step_event(struct jl_ask *ask, const struct watch_step_in *in,
                      const struct jl_watch_state *state, struct jl_watch_step *out)
{
    const struct watch_object *object = &in->event.object;
    struct jl_watch_event event = {
        .type = (enum jl_event_type)jl_word_value(&type_words, jl_text(in->event.type)),
        .version = object->meta.version,
        .code = object->code,
        .reason = object->reason,
        .is_version_too_large = has_cause(&object->details.causes, JL_VERSION_TOO_LARGE),
        .internal_error_retry_s = in->internal_error_retry_s,
        .since_first_error_s = in->since_first_error_s,
    };
    const int rc = is_other_uid(ask, &in->state.uids, &object->meta, &event.is_other_uid);
    if (rc == 0)
        *out = jl_watch_on_event(state, &event);
    return rc;
}

static struct jl_watch_step step_end(const struct watch_end *end,
                                     const struct jl_watch_state *state)
{
    return jl_watch_on_end(state, &(struct jl_watch_end){ .kind = end->kind,
                                                          .code = end->code,
                                                          .is_version_too_large = jl_same(
                                                              end->reason, JL_VERSION_TOO_LARGE),
                                                          .lived_s = end->lived_s,
                                                          .events = end->events });
}

static struct jl_watch_step step_list(const struct watch_list *list,
                                      const struct jl_watch_state *state)
{
    return jl_watch_on_list(state, &(struct jl_watch_list){ .code = list->code,
                                                            .version = list->version,
                                                            .is_version_too_large = jl_same(
                                                                list->reason, JL_VERSION_TOO_LARGE),
                                                            .is_safety = list->safety });
}

static void put_step(const struct jl_watch_step *step, bool is_list, struct watch_step_out *out)
{
    if (step->action != JL_WATCH_NO_ACTION) {
        JL_SET(out, action, step->action);
        JL_SET(out, keep_reading, step->is_reading);
    }
    JL_SET_IF(out, version, !jl_is_empty(step->version), step->version);
    if (step->next != JL_NEXT_NOTHING) {
        JL_SET(out, next, step->next);
        JL_SET(out, backoff, step->is_backoff);
        JL_SET(out, surface, step->is_surface);
    }
    JL_SET_IF(out, list_version, step->list_version != NULL, step->list_version);
    JL_SET_IF(out, went_back, is_list, step->is_back);
}

static int answer_watch_step(struct jl_ask *ask, const struct watch_step_in *in,
                             struct watch_step_out *output)
{
    const struct jl_watch_state state = { .version = in->state.version,
                                          .is_synthetic = in->state.synthetic,
                                          .is_unavailable = in->state.unavailable };
    const bool is_event = in->given.event;
    const bool is_end = in->given.end;
    const bool is_list = in->given.list;
    struct jl_watch_step step;
    int rc = 0;
    if (is_event + is_end + is_list > 1)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, is_list ? "list" : "end",
                           "one of event, end and list");
    if (is_event)
        rc = step_event(ask, in, &state, &step);
    else if (is_end)
        step = step_end(&in->end, &state);
    else if (is_list)
        step = step_list(&in->list, &state);
    else
        step = jl_watch_on_start(&state);
    if (rc == 0)
        put_step(&step, is_list, output);
    return rc;
}

JL_QUESTION(watch_step, "watch.step",
            "what an event, the end of a watch or a list means for a cache");
