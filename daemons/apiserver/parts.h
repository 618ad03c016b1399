/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the embedded API server share. */

#include <json-c/json.h>

#include "apiserver/api.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/random.h"
#include "kubernetes/selector.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define JD_API_MOST_BODY ((size_t)3 << 20)      /* as kube-apiserver */
#define JD_API_RING_BYTES ((size_t)192 << 20)   /* of texts that only the ring still holds */
#define JD_API_MOST_WAITING ((size_t)128 << 20) /* a first list of 20,000 pods fits */
#define JD_API_MOST_ANNOTATIONS 262144          /* bytes of keys and values */
#define JD_API_MOST_CAUSES 64                   /* of a Status; of unknown fields that are listed */
#define JD_API_MOST_ITEMS 10000                 /* of a list that is merged */

/* ---- kinds ---- */

struct jd_column {
    const char *name;
    const char *type;
    const char *format;
    const char *path; /* ".spec.nodeName"; of built-in kinds a word that table.c knows */
    const char *doc;
    int priority; /* > 0: only with -o wide */
};

enum {
    JD_KIND_NAMESPACED = 1,
    JD_KIND_STATUS = 2,    /* has a status subresource */
    JD_KIND_CUSTOM = 4,    /* has a CRD */
    JD_KIND_READONLY = 8,  /* get, list, watch */
    JD_KIND_CREATE = 16,   /* POST only, nothing is kept */
    JD_KIND_VERSIONED = 32 /* an update needs a resourceVersion */
};

#define JD_KIND_MOST_COLUMNS 16

struct jd_kind {
    const char *group; /* "" = core */
    const char *version;
    const char *plural;
    const char *singular;
    const char *kind;
    const char *list_kind;
    const char *api_version;        /* joulie.io/v1alpha1 */
    const char *const *short_names; /* NULL-terminated */
    const char *const *categories;
    const char *const *fields; /* paths that fieldSelector knows, beside metadata.* */
    const char *doc;
    unsigned flags;
    size_t index; /* in jd_api.collections */
    struct jd_column columns[JD_KIND_MOST_COLUMNS];
    size_t column_count;
    struct json_object *schema; /* openAPIV3Schema of a CRD */
};

struct jd_kinds {
    struct jd_kind *items;
    size_t count;
    struct jl_arena arena;
    struct json_object **crds; /* the manifests; schemas are parts of them */
    size_t crd_count;
};

int jd_kinds_open(struct jd_kinds *kinds, struct joulie_error *err);
void jd_kinds_close(struct jd_kinds *kinds);
const struct jd_kind *jd_kind_find(const struct jd_kinds *kinds, const char *group,
                                   const char *version, const char *plural);
const struct jd_kind *jd_kind_by_plural(const struct jd_kinds *kinds, const char *plural);
const struct jd_kind *jd_kind_by_name(const struct jd_kinds *kinds, const char *api_version,
                                      const char *kind);
/* The next kind that begins a group and version, from *at = 0 on; NULL = none is left. */
const struct jd_kind *jd_kind_next_group(const struct jd_kinds *kinds, size_t *at);
bool jd_kind_is(const struct jd_kind *kind, unsigned flag);

/* ---- trees (json-c) ---- */

/* One JSON object, strictly. 0, JOULIE_E_PARSE or JOULIE_E_NOMEM. */
int jd_tree_read(const char *text, size_t len, struct json_object **out, struct joulie_error *err);
/* The member as an object, made when it is none. */
struct json_object *jd_tree_child(struct json_object *tree, const char *key);
void jd_tree_set(struct json_object *tree, const char *key, const char *text); /* NULL removes */
bool jd_tree_is_object(struct json_object *tree);
bool jd_tree_has_item(struct json_object *list, struct json_object *wanted);
/* The member as it is in another tree, or none. */
void jd_tree_keep(struct json_object *tree, struct json_object *from, const char *key);
/* A body of a client. An object is read by the library too, which is stricter than json-c: it takes
 * no ' for " and no NUL. A member given twice is refused; is_lenient: the last one counts. */
int jd_tree_read_body(const char *text, size_t len, bool is_lenient, struct json_object **out,
                      struct joulie_error *err);
/* A patch by the library: an object is a merge patch, a list a JSON patch. */
int jd_tree_patched(const char *target, size_t target_len, const char *patch, size_t patch_len,
                    struct json_object **out, struct joulie_error *err);
/* A strategic merge patch (strategic.c) of a built-in kind, in place. */
int jd_strategic_merge(struct json_object *target, struct json_object *patch,
                       struct joulie_error *err);

/* ---- objects, store, ring ---- */

struct jd_object { /* never changed; held by the store, the ring and lists */
    unsigned refs;
    const struct jd_kind *kind;
    const char *name_space; /* "" = of the cluster */
    const char *name;
    const char *uid;
    const char *text;
    size_t len;
    size_t metadata_at; /* of "metadata" in text, behind apiVersion and kind */
    size_t version_at;  /* digits of resourceVersion */
    size_t version_len;
    uint64_t version;
    struct jl_map labels;
    struct jl_map fields;
    struct jl_arena arena;
};

/* tree is put in order: apiVersion, kind, metadata first. NULL: memory ran out. */
struct jd_object *jd_object_new(const struct jd_kind *kind, struct json_object *tree,
                                uint64_t version);
struct jd_object *jd_object_hold(struct jd_object *object);
void jd_object_release(struct jd_object *object);                   /* NULL does nothing */
struct json_object *jd_object_tree(const struct jd_object *object); /* NULL: memory ran out */
/* The text with another resourceVersion. */
void jd_object_put(struct jl_buffer *out, const struct jd_object *object, uint64_t version);

struct jd_slot {
    struct jd_object *object; /* NULL = free */
    char *key;
};

struct jd_collection {
    const struct jd_kind *kind;
    struct jl_index by_key;
    struct jd_slot *slots;
    size_t slot_count;
    size_t slot_capacity;
    size_t count;
    size_t *order; /* slots by namespace and name */
    size_t order_count;
    size_t order_capacity;
    bool is_ordered;
    size_t *unused;
    size_t unused_count;
    size_t unused_capacity;
};

struct jd_change { /* an event of the ring */
    uint64_t version;
    const struct jd_kind *kind;
    struct jd_object *before; /* NULL = created */
    struct jd_object *after;  /* of a deletion: the last state, with its new version */
    bool is_deletion;
};

struct jd_snapshot { /* a collection as it was at a version */
    const struct jd_kind *kind;
    uint64_t version;
    struct jd_object **objects;
    size_t count;
    uint64_t used; /* when, by a counter */
};

#define JD_API_SNAPSHOTS 8

struct jd_store {
    struct jd_collection *collections;
    size_t collection_count;
    uint64_t version;
    char version_text[24];
    struct jd_change *ring; /* the change of version v is at v % ring_capacity */
    size_t ring_capacity;
    uint64_t oldest; /* version of the oldest change; version + 1 = the ring is empty */
    size_t ring_bytes;
    uint64_t ring_total; /* bytes that ever came into it */
    struct jd_snapshot snapshots[JD_API_SNAPSHOTS];
    uint64_t clock; /* of snapshots */
};

int jd_store_open(struct jd_store *store, const struct jd_kinds *kinds, size_t ring_events);
void jd_store_close(struct jd_store *store);
/* The present version; lives until the next one. */
const char *jd_store_version(const struct jd_store *store);
struct jd_collection *jd_store_of(const struct jd_store *store, const struct jd_kind *kind);
struct jd_object *jd_store_get(const struct jd_store *store, const struct jd_kind *kind,
                               const char *name_space, const char *name); /* borrowed */
/* Takes tree as the object of the next version. *out is borrowed; 0 or JOULIE_E_NOMEM. */
int jd_store_set(struct jd_store *store, const struct jd_kind *kind, struct json_object *tree,
                 struct jd_object **out);
int jd_store_remove(struct jd_store *store, struct jd_object *object, struct jd_object **out);
/* Whether every change after a version is still in the ring. */
bool jd_store_has(const struct jd_store *store, uint64_t version);
const struct jd_change *jd_store_change(const struct jd_store *store, uint64_t version);
/* Objects by namespace and name; 0 or JOULIE_E_NOMEM. */
int jd_collection_order(struct jd_collection *collection);
struct jd_object *jd_collection_item(const struct jd_collection *collection, size_t index);
/* A collection as it was; borrowed until the next snapshot. 0, JOULIE_E_RANGE (fallen out of the
 * ring) or JOULIE_E_NOMEM. */
int jd_store_snapshot(struct jd_store *store, const struct jd_kind *kind, uint64_t version,
                      const struct jd_snapshot **out);

/* ---- requests ---- */

enum jd_form { JD_FORM_PLAIN = 0, JD_FORM_TABLE, JD_FORM_METADATA };

enum jd_row_object { JD_ROW_METADATA = 0, JD_ROW_OBJECT, JD_ROW_NONE };

struct jd_cause {
    const char *reason; /* FieldValueInvalid, … */
    const char *message;
    const char *field;
};

struct jd_causes {
    struct jd_cause *items;
    size_t count;
    size_t capacity;
    struct jl_arena *arena;
    bool is_failed;
};

struct jd_done;

struct jd_view { /* how objects are shown */
    const struct jd_kind *kind;
    enum jd_form form;
    enum jd_row_object row_object;
    bool is_core_event;        /* events in the form of core v1 */
    const char *table_version; /* v1 or v1beta1 of meta.k8s.io */
};

struct jd_request {
    struct jd_api *api;
    struct jd_exchange *exchange;
    const char *method;
    const char *verb;           /* of counters */
    const struct jd_kind *kind; /* NULL = discovery */
    const char *subresource;    /* "" = none */
    const char *name_space;     /* NULL = of the cluster, or all */
    const char *name;           /* NULL = the collection */
    const char *client;
    struct jd_view view;
    struct jl_arena arena;
    bool is_dry_run;
    struct jd_done *done; /* writes that were done, for on_write */
    size_t done_count;
    size_t done_capacity;
};

struct jd_done {
    struct jd_object *before; /* NULL = created */
    struct jd_object *after;
    bool is_deletion;
};

/* Remembers a write, for on_write. */
void jd_done(struct jd_request *request, struct jd_object *before, struct jd_object *after,
             bool is_deletion);

/* A Status object; name, kind and causes into its details. All of these are false, for those that
 * return whether they may go on. */
bool jd_fail(struct jd_request *request, int code, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool jd_fail_invalid(struct jd_request *request, const char *name, const struct jd_causes *causes);
bool jd_fail_not_found(struct jd_request *request);
bool jd_fail_memory(struct jd_request *request);
void jd_fail_expired(struct jd_request *request, const char *message);
/* The text of a Status about `code`, for an event of a watch. */
void jd_put_status(struct jl_buffer *out, int code, const char *reason, const char *message);
void jd_succeed(struct jd_request *request, const char *name, const char *uid);
void jd_reply(struct jd_request *request, int code, const char *text, size_t len);
void jd_reply_as(struct jd_request *request, int code, const char *type, const char *text,
                 size_t len);
void jd_reply_object(struct jd_request *request, int code, const struct jd_object *object);
void jd_reply_buffer(struct jd_request *request, int code, const struct jl_buffer *text);
void jd_count(struct jd_request *request, int code);
void jd_cause(struct jd_causes *causes, const char *reason, const char *field, const char *format,
              ...) __attribute__((format(printf, 4, 5)));
/* Text of the request's arena; "" when memory runs out. */
const char *jd_text(struct jl_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A query parameter; "" and absent are 0. false = a Status was given. */
bool jd_query_count(struct jd_request *request, const char *name, uint64_t *out);

/* As a view shows it: plain, in the other form of an event, as a Table of one row. */
void jd_view_put(struct jl_buffer *out, const struct jd_view *view, const struct jd_object *object,
                 uint64_t version, bool with_columns, int64_t now_ms);
void jd_table_begin(struct jl_buffer *out, const struct jd_view *view, bool with_columns);
void jd_table_row(struct jl_buffer *out, const struct jd_view *view, const struct jd_object *object,
                  uint64_t version, int64_t now_ms);
/* The event of core v1 as it is stored (events.k8s.io/v1); in place. */
void jd_event_from_core(struct json_object *tree);

struct jd_filter {          /* of a list or watch */
    const char *name_space; /* NULL = all */
    const struct jl_selector *labels;
    const struct jl_field_selector *fields;
    bool has_selector;
};

/* false = a Status was given. */
bool jd_filter_read(struct jd_request *request, struct jd_filter *out, struct jl_arena *arena);
bool jd_filter_matches(const struct jd_filter *filter, const struct jd_object *object);

void jd_serve(void *user, struct jd_exchange *exchange); /* request.c */
void jd_serve_get(struct jd_request *request);
void jd_serve_list(struct jd_request *request);
void jd_serve_watch(struct jd_request *request);
void jd_serve_create(struct jd_request *request);
void jd_serve_update(struct jd_request *request);
void jd_serve_patch(struct jd_request *request);
void jd_serve_delete(struct jd_request *request);
void jd_serve_delete_collection(struct jd_request *request);
void jd_serve_pod_action(struct jd_request *request); /* binding, eviction */
void jd_serve_access_review(struct jd_request *request);
bool jd_serve_discovery(struct jd_request *request); /* false = not its path */
bool jd_serve_openapi(struct jd_request *request);
/* The schema of a built-in kind, as far as kubectl explain needs it; to be released. Without
 * properties when the kind has no table. "" and ObjectMeta: what is in metadata. NULL: memory ran
 * out. */
struct json_object *jd_built_in_schema(const char *api_version, const char *kind);
void jd_serve_faults(struct jd_request *request);

/* check.c, schema.c: what a client wants to store. tree may be changed (defaults, pruning). */
enum jd_field_check { JD_FIELDS_WARN = 0, JD_FIELDS_IGNORE, JD_FIELDS_STRICT };

struct jd_unknown { /* fields that the schema does not have, or that were given twice */
    const char **texts;
    size_t count;
    size_t capacity;
};

void jd_note_unknown(struct jd_unknown *unknown, struct jl_arena *arena, const char *what,
                     const char *path);
/* JSON types, bounds and grammar of every field; prunes what the schema does not have. */
void jd_check_schema(const struct jd_kind *kind, struct json_object *tree, struct jd_causes *causes,
                     struct jd_unknown *unknown);
void jd_check_object(const struct jd_kind *kind, struct json_object *tree,
                     struct jd_causes *causes);
void jd_check_update(const struct jd_kind *kind, struct json_object *before,
                     struct json_object *tree, struct jd_causes *causes);
void jd_default_object(const struct jd_kind *kind, struct json_object *tree);

/* ---- watches ---- */

struct jd_watcher;
void jd_watches_open(struct jd_api *api);
void jd_watches_close(struct jd_api *api);
/* What the ring got since the last time goes out soon, from the loop. */
void jd_watches_wake(struct jd_api *api);

/* ---- faults ---- */

bool jd_fault(struct jd_api *api, enum jd_api_fault fault);
/* An answer or stream that goes out in single bytes, one per turn of the loop. */
struct jd_trickle;
struct jd_trickle *jd_trickle_new(struct jd_api *api, struct jd_exchange *exchange);
void jd_trickle_put(struct jd_trickle *trickle, const char *bytes, size_t len);
void jd_trickle_end(struct jd_trickle *trickle);  /* when everything is out; then it is gone */
void jd_trickle_free(struct jd_trickle *trickle); /* the call is gone */
void jd_trickles_close(struct jd_api *api);

/* ---- the whole ---- */

struct jd_count_row {
    const char *client; /* of jd_api.clients */
    const char *verb;
    const char *resource;
    int code;
    uint64_t count;
};

struct jd_api {
    struct jd_loop *loop;
    struct jd_server *server;
    struct jd_api_options options;
    struct jd_kinds kinds;
    struct jd_store store;
    struct jd_api_counts counts;
    struct jd_count_row *rows;
    size_t row_count;
    size_t row_capacity;
    struct jl_arena texts; /* names of clients */
    const char **clients;
    size_t client_count;
    size_t client_capacity;
    struct jl_random chance;
    uint64_t fault_count;
    struct jl_random names; /* uids, generated names */
    struct jd_watcher *watchers;
    uint64_t pumped;       /* version up to which watches were sent changes */
    uint64_t pumped_bytes; /* ring_total of the store then */
    uint64_t announced;    /* version of the last jd_api_bookmark() */
    struct jd_timer pump;
    struct jd_trickle *trickles;
};

/* Policy time. */
static inline int64_t jd_api_now_ms(const struct jd_api *api)
{
    return api->options.now_ms ? api->options.now_ms(api->options.user) : jd_clock_wall_ms();
}

/* ---- from one state to the next (commit.c) ---- */

/* Fills in what a server fills in: uid, creationTimestamp, generation; of an older state its own.
 * 1 = it is not what before is, 0 = it is, or a code. */
int jd_api_complete(struct jd_api *api, const struct jd_kind *kind, const struct jd_object *before,
                    struct json_object *tree);
/* A complete tree as the next state of its object. *out is borrowed. 0 or JOULIE_E_NOMEM. */
int jd_api_store(struct jd_api *api, const struct jd_kind *kind, struct json_object *tree,
                 struct jd_object **out);
int jd_api_remove(struct jd_api *api, struct jd_object *object, struct jd_object **out);
