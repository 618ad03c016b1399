/* SPDX-License-Identifier: Apache-2.0 */

/*
 * watch.step: what an event, the end of a watch or a list means for a cache that follows an API
 * server (kubernetes.md §4, §5.1, §5.2, §5.5).
 */

#include "kubernetes/watch.h"

#include "ask/ask.h"
#include "base/error.h"

/* ---- a frame ---- */

static const struct jl_word type_items[] = {
    { JL_EVENT_ADDED, "ADDED" },     { JL_EVENT_MODIFIED, "MODIFIED" },
    { JL_EVENT_DELETED, "DELETED" }, { JL_EVENT_BOOKMARK, "BOOKMARK" },
    { JL_EVENT_ERROR, "ERROR" },
};
static const struct jl_words type_words = JL_WORDS(type_items);

struct watch_cause {
    uint64_t has;
    const char *reason;
};

enum { CAUSE_REASON };

static const struct jl_row cause_rows[] = {
    [CAUSE_REASON] = JL_STRING(watch_cause, reason, "reason", .doc = "Word of the cause."),
};
static const struct jl_table cause_table = JL_TABLE(watch_cause, cause_rows, .flags = JL_OPEN);

struct watch_details {
    uint64_t has;
    struct jl_list causes; /* struct watch_cause */
};

enum { DETAILS_CAUSES };

static const struct jl_row details_rows[] = {
    [DETAILS_CAUSES] =
        JL_LIST(watch_details, causes, "causes", &cause_table, .doc = "Causes of an error."),
};
static const struct jl_table details_table =
    JL_TABLE(watch_details, details_rows, .flags = JL_OPEN);

struct watch_meta {
    uint64_t has;
    const char *name;
    const char *name_space;
    const char *uid;
    const char *version;
};

enum { META_NAME, META_NAMESPACE, META_UID, META_VERSION };

static const struct jl_row meta_rows[] = {
    [META_NAME] = JL_STRING(watch_meta, name, "name", .doc = "Name of the object."),
    [META_NAMESPACE] = JL_STRING(watch_meta, name_space, "namespace", .doc = "Its namespace."),
    [META_UID] = JL_STRING(watch_meta, uid, "uid",
                           .doc = "What tells it from another object of "
                                  "the same name."),
    [META_VERSION] =
        JL_STRING(watch_meta, version, "resourceVersion", .doc = "Version of the object."),
};
static const struct jl_table meta_table = JL_TABLE(watch_meta, meta_rows, .flags = JL_OPEN);

struct watch_object { /* of any kind; of ERROR a Status */
    uint64_t has;
    struct watch_meta meta;
    int64_t code;
    const char *reason;
    struct watch_details details;
};

enum { OBJECT_META, OBJECT_CODE, OBJECT_REASON, OBJECT_DETAILS };

static const struct jl_row object_rows[] = {
    [OBJECT_META] =
        JL_OBJECT(watch_object, meta, "metadata", &meta_table, .doc = "Metadata of the object."),
    [OBJECT_CODE] = JL_INTEGER(watch_object, code, "code", .doc = "Code of a Status."),
    [OBJECT_REASON] = JL_STRING(watch_object, reason, "reason", .doc = "Reason of a Status."),
    [OBJECT_DETAILS] =
        JL_OBJECT(watch_object, details, "details", &details_table, .doc = "Details of a Status."),
};
static const struct jl_table object_table = JL_TABLE(watch_object, object_rows, .flags = JL_OPEN);

struct watch_event {
    uint64_t has;
    const char *type;
    struct watch_object object;
};

enum { EVENT_TYPE, EVENT_OBJECT };

static const struct jl_row event_rows[] = {
    [EVENT_TYPE] = JL_STRING(watch_event, type, "type", .flags = JL_REQUIRED,
                             .doc = "ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; others are "
                                    "ignored."),
    [EVENT_OBJECT] = JL_OBJECT(watch_event, object, "object", &object_table, .flags = JL_REQUIRED,
                               .doc = "The object, or a Status."),
};
static const struct jl_table event_table = JL_TABLE(watch_event, event_rows);

/* ---- ends and lists ---- */

static const struct jl_word end_items[] = {
    { JL_END_EOF, "eof" },
    { JL_END_CURL, "curl" },
    { JL_END_HTTP, "http" },
};
static const struct jl_words end_words = JL_WORDS(end_items);

struct watch_end {
    uint64_t has;
    enum jl_end_kind kind;
    int64_t code;
    double lived_s;
    int64_t events;
};

enum { END_KIND, END_CODE, END_LIVED, END_EVENTS };

static const struct jl_row end_rows[] = {
    [END_KIND] = JL_ENUM(watch_end, kind, "kind", &end_words, .flags = JL_REQUIRED,
                         .doc = "How the watch ended: eof (as it should), curl (no connection, or "
                                "a broken one), http (another status than 200)."),
    [END_CODE] = JL_INTEGER(watch_end, code, "code", .doc = "Code of curl, or HTTP status."),
    [END_LIVED] = JL_NUMBER(watch_end, lived_s, "livedS", .flags = JL_NOT_NEGATIVE,
                            .doc = "How long the watch lived, s (eof)."),
    [END_EVENTS] = JL_INTEGER(watch_end, events, "events", .flags = JL_NOT_NEGATIVE,
                              .doc = "Events that came (eof)."),
};
static const struct jl_table end_table = JL_TABLE(watch_end, end_rows);

struct watch_list {
    uint64_t has;
    int64_t code;
    const char *version;
    bool safety;
    const char *reason;
};

enum { LIST_CODE, LIST_VERSION, LIST_SAFETY, LIST_REASON };

static const struct jl_row list_rows[] = {
    [LIST_CODE] = JL_INTEGER(watch_list, code, "code", .flags = JL_REQUIRED, .doc = "HTTP status."),
    [LIST_VERSION] =
        JL_STRING(watch_list, version, "resourceVersion", .doc = "Version of the list."),
    [LIST_SAFETY] = JL_BOOLEAN(watch_list, safety, "safety",
                               .doc = "Whether it was asked without a version, to be sure."),
    [LIST_REASON] = JL_STRING(watch_list, reason, "reason",
                              .doc = "Reason or cause of an error, such as "
                                     "ResourceVersionTooLarge."),
};
static const struct jl_table list_table = JL_TABLE(watch_list, list_rows);

/* ---- the question ---- */

struct watch_state {
    uint64_t has;
    const char *version;
    struct jl_map uids;
    bool synthetic;
    bool unavailable;
};

enum { STATE_VERSION, STATE_UIDS, STATE_SYNTHETIC, STATE_UNAVAILABLE };

static const struct jl_row state_rows[] = {
    [STATE_VERSION] = JL_STRING(watch_state, version, "resourceVersion",
                                .doc = "Version that was last seen; absent: nothing was listed."),
    [STATE_UIDS] = JL_MAP(watch_state, uids, "uids",
                          .doc = "namespace/name to uid of what is "
                                 "kept; objects without a namespace "
                                 "by name."),
    [STATE_SYNTHETIC] = JL_BOOLEAN(watch_state, synthetic, "synthetic",
                                   .doc = "Whether the watch was started without a version."),
    [STATE_UNAVAILABLE] = JL_BOOLEAN(watch_state, unavailable, "unavailable",
                                     .doc = "Whether a list at this version has failed."),
};
static const struct jl_table state_table = JL_TABLE(watch_state, state_rows);

struct watch_in {
    uint64_t has;
    struct watch_state state;
    struct watch_event event;
    struct watch_end end;
    struct watch_list list;
    double internal_error_retry_s;
    double since_first_error_s;
};

enum { IN_STATE, IN_EVENT, IN_END, IN_LIST, IN_RETRY, IN_SINCE };

static const struct jl_row in_rows[] = {
    [IN_STATE] = JL_OBJECT(watch_in, state, "state", &state_table, .flags = JL_REQUIRED,
                           .doc = "What is kept."),
    [IN_EVENT] = JL_OBJECT(watch_in, event, "event", &event_table, .doc = "A frame of the watch."),
    [IN_END] = JL_OBJECT(watch_in, end, "end", &end_table, .doc = "The end of the watch."),
    [IN_LIST] = JL_OBJECT(watch_in, list, "list", &list_table, .doc = "What became of a list."),
    [IN_RETRY] =
        JL_NUMBER(watch_in, internal_error_retry_s, "internalErrorRetryS", .flags = JL_NOT_NEGATIVE,
                  .doc = "How long a watch is tried again after an internal error before "
                         "a list, s; default 0."),
    [IN_SINCE] =
        JL_NUMBER(watch_in, since_first_error_s, "sinceFirstErrorS", .flags = JL_NOT_NEGATIVE,
                  .doc = "Since the first such error, s; default 0."),
};
static const struct jl_table in_table = JL_TABLE(watch_in, in_rows);

static const struct jl_word action_items[] = {
    { JL_WATCH_UPSERT, "upsert" },   { JL_WATCH_REPLACE, "replace" }, { JL_WATCH_REMOVE, "remove" },
    { JL_WATCH_ADVANCE, "advance" }, { JL_WATCH_IGNORE, "ignore" },   { JL_WATCH_END, "end" },
};
static const struct jl_words action_words = JL_WORDS(action_items);

static const struct jl_word next_items[] = {
    { JL_NEXT_WATCH, "watch" },     { JL_NEXT_LIST, "list" },
    { JL_NEXT_RELIST, "relist" },   { JL_NEXT_RELIST_UNSET, "relist-unset" },
    { JL_NEXT_REFRESH, "refresh" },
};
static const struct jl_words next_words = JL_WORDS(next_items);

struct watch_out {
    uint64_t has;
    enum jl_watch_action action;
    bool keep_reading;
    const char *version;
    enum jl_watch_next next;
    const char *list_version;
    bool backoff;
    bool surface;
    bool went_back;
};

enum {
    OUT_ACTION,
    OUT_KEEP_READING,
    OUT_VERSION,
    OUT_NEXT,
    OUT_LIST_VERSION,
    OUT_BACKOFF,
    OUT_SURFACE,
    OUT_WENT_BACK,
};

static const struct jl_row out_rows[] = {
    [OUT_ACTION] =
        JL_ENUM(watch_out, action, "action", &action_words, .doc = "What the event does."),
    [OUT_KEEP_READING] =
        JL_BOOLEAN(watch_out, keep_reading, "keepReading", .doc = "Whether the watch goes on."),
    [OUT_VERSION] = JL_STRING(watch_out, version, "resourceVersion",
                              .doc = "Version to be kept; absent: none."),
    [OUT_NEXT] = JL_ENUM(watch_out, next, "next", &next_words,
                         .doc = "What is asked next; absent: the watch goes on."),
    [OUT_LIST_VERSION] = JL_STRING(watch_out, list_version, "listResourceVersion",
                                   .doc = "Version to list from; empty: the newest."),
    [OUT_BACKOFF] = JL_BOOLEAN(watch_out, backoff, "backoff", .doc = "Whether to wait first."),
    [OUT_SURFACE] = JL_BOOLEAN(watch_out, surface, "surface",
                               .doc = "Whether a person has to know: rights or the kind are "
                                      "missing."),
    [OUT_WENT_BACK] = JL_BOOLEAN(watch_out, went_back, "wentBack",
                                 .doc = "Whether the server's versions went back, as after a "
                                        "restore from a backup."),
};
static const struct jl_table out_table = JL_TABLE(watch_out, out_rows);

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
    const char *const parts[] = { has_namespace ? meta->name_space : "", has_namespace ? "/" : "",
                                  meta->name ? meta->name : "" };
    const char *key = jl_arena_join(ask->arena, parts, JL_COUNT(parts));
    if (key == NULL)
        return jl_fail_memory(ask->err);
    const char *uid = jl_map_get(uids, key);
    *out = uid != NULL && !jl_same(uid, meta->uid);
    return 0;
}

static int step_event(struct jl_ask *ask, const struct watch_in *in,
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

static void put_step(const struct jl_watch_step *step, bool is_list, struct watch_out *out)
{
    if (step->action != JL_WATCH_NO_ACTION) {
        JL_PUT(out, OUT_ACTION, action, step->action);
        JL_PUT(out, OUT_KEEP_READING, keep_reading, step->is_reading);
    }
    if (!jl_is_empty(step->version))
        JL_PUT(out, OUT_VERSION, version, step->version);
    if (step->next != JL_NEXT_NOTHING) {
        JL_PUT(out, OUT_NEXT, next, step->next);
        JL_PUT(out, OUT_BACKOFF, backoff, step->is_backoff);
        JL_PUT(out, OUT_SURFACE, surface, step->is_surface);
    }
    if (step->list_version)
        JL_PUT(out, OUT_LIST_VERSION, list_version, step->list_version);
    if (is_list)
        JL_PUT(out, OUT_WENT_BACK, went_back, step->is_back);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct watch_in *in = input;
    const struct jl_watch_state state = { .version = in->state.version,
                                          .is_synthetic = in->state.synthetic,
                                          .is_unavailable = in->state.unavailable };
    const bool is_event = JL_HAS(in, IN_EVENT);
    const bool is_end = JL_HAS(in, IN_END);
    const bool is_list = JL_HAS(in, IN_LIST);
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

const struct jl_question jl_question_watch_step = {
    .name = "watch.step",
    .summary = "what an event, the end of a watch or a list means for a cache",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
