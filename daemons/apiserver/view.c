/* SPDX-License-Identifier: Apache-2.0 */

/* An object as it is asked for: plain, its metadata, an event of core v1, a row of a Table. */

#include <inttypes.h>
#include <string.h>

#include "apiserver/parts.h"
#include "base/sort.h"
#include "base/time.h"

/* ---- events: one object, two forms ---- */

/* Events are stored as events.k8s.io/v1; core v1 has other names for these members, and wants some
 * of them even when they are null. */
struct rename {
    const char *event; /* events.k8s.io/v1 */
    const char *core;
};

static const struct rename renames[] = {
    { "regarding", "involvedObject" },
    { "note", "message" },
    { "reportingController", "reportingComponent" },
    { "deprecatedSource", "source" },
    { "deprecatedFirstTimestamp", "firstTimestamp" },
    { "deprecatedLastTimestamp", "lastTimestamp" },
    { "deprecatedCount", "count" },
};

static void rename_member(struct json_object *tree, const char *from, const char *to)
{
    struct json_object *value;
    if (!json_object_object_get_ex(tree, from, &value))
        return;
    json_object_object_add(tree, to, json_object_get(value));
    json_object_object_del(tree, from);
}

static void event_to_core(struct json_object *tree)
{
    jd_tree_set(tree, "apiVersion", "v1");
    for (size_t i = 0; i < JL_COUNT(renames); i++)
        rename_member(tree, renames[i].event, renames[i].core);
    if (!json_object_object_get_ex(tree, "source", NULL))
        json_object_object_add(tree, "source", json_object_new_object());
    if (!json_object_object_get_ex(tree, "firstTimestamp", NULL))
        json_object_object_add(tree, "firstTimestamp", NULL);
    if (!json_object_object_get_ex(tree, "lastTimestamp", NULL))
        json_object_object_add(tree, "lastTimestamp", NULL);
}

/* What core v1 writes as null is absent in the other form. */
void jd_event_from_core(struct json_object *tree)
{
    jd_tree_set(tree, "apiVersion", "events.k8s.io/v1");
    for (size_t i = 0; i < JL_COUNT(renames); i++)
        rename_member(tree, renames[i].core, renames[i].event);
    static const char *const may_be_null[] = { "deprecatedFirstTimestamp",
                                               "deprecatedLastTimestamp", "eventTime" };
    for (size_t i = 0; i < JL_COUNT(may_be_null); i++) {
        if (!jd_json_at(tree, may_be_null[i]))
            json_object_object_del(tree, may_be_null[i]);
    }
}

/* ---- ages, as kubectl shows them ---- */

struct age_step {
    int64_t below_s;
    int64_t unit_s;
    int64_t rest_s; /* a second unit; 0 = none */
    const char *unit;
    const char *rest;
};

static const struct age_step age_steps[] = {
    { 120, 1, 0, "s", "" },
    { 600, 60, 1, "m", "s" },
    { 3 * 3600, 60, 0, "m", "" },
    { 8 * 3600, 3600, 60, "h", "m" },
    { 48 * 3600, 3600, 0, "h", "" },
    { 8 * 86400, 86400, 3600, "d", "h" },
    { 2 * 365 * 86400L, 86400, 0, "d", "" },
    { 8 * 365 * 86400L, 365 * 86400L, 86400, "y", "d" },
    { INT64_MAX, 365 * 86400L, 0, "y", "" },
};

/* As kubectl prints ages: with a second unit while the first one is a small number. */
static void put_age(struct jl_buffer *out, const char *time, int64_t now_ms)
{
    int64_t at_ms;
    if (!time || jl_parse_time(time, strlen(time), &at_ms) < 0) {
        jl_put_string(out, "<unknown>");
        return;
    }
    int64_t age_s = (now_ms - at_ms) / 1000;
    if (age_s < -1) {
        jl_put_string(out, "<invalid>");
        return;
    }
    age_s = age_s < 0 ? 0 : age_s;
    const struct age_step *step = age_steps;
    while (age_s >= step->below_s)
        step++;
    jd_put_format(out, "%" PRId64 "%s", age_s / step->unit_s, step->unit);
    const int64_t rest = step->rest_s > 0 ? age_s % step->unit_s / step->rest_s : 0;
    if (rest > 0)
        jd_put_format(out, "%" PRId64 "%s", rest, step->rest);
}

/* ---- cells of built-in kinds ---- */

struct cell {
    struct json_object *tree;
    struct jl_buffer *out;
    int64_t now_ms;
};

static void put_or_none(struct jl_buffer *out, const char *text)
{
    jl_put_string(out, jl_is_empty(text) ? "<none>" : text);
}

static struct json_object *item_with(struct json_object *list, const char *key, const char *value)
{
    for (size_t i = 0; i < jd_json_count(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        if (jl_same(jd_json_text(item, key), value))
            return item;
    }
    return NULL;
}

static void cell_age(const struct cell *cell)
{
    put_age(cell->out, jd_json_text(cell->tree, "metadata.creationTimestamp"), cell->now_ms);
}

static void cell_none(const struct cell *cell)
{
    put_or_none(cell->out, NULL);
}

static void cell_data(const struct cell *cell)
{
    struct json_object *data = jd_json_at(cell->tree, "data");
    jl_put_i64(cell->out, jd_tree_is_object(data) ? json_object_object_length(data) : 0);
}

static void cell_node_status(const struct cell *cell)
{
    struct json_object *ready =
        item_with(jd_json_at(cell->tree, "status.conditions"), "type", "Ready");
    const bool is_ready = jl_same(jd_json_text(ready, "status"), "True");
    jl_put_string(cell->out, !ready ? "Unknown" : is_ready ? "Ready" : "NotReady");
    if (json_object_get_boolean(jd_json_at(cell->tree, "spec.unschedulable")))
        jl_put_string(cell->out, ",SchedulingDisabled");
}

static int compare_texts(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(*(const char *const *)a, *(const char *const *)b);
}

static void cell_node_roles(const struct cell *cell)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    struct json_object *labels = jd_json_at(cell->tree, "metadata.labels");
    const char *roles[16];
    size_t count = 0;
    if (jd_tree_is_object(labels)) {
        json_object_object_foreach(labels, key, value)
        {
            if (count < JL_COUNT(roles) && jl_starts_with(key, prefix) && key[strlen(prefix)])
                roles[count++] = key + strlen(prefix);
            else if (count < JL_COUNT(roles) && jl_same(key, "kubernetes.io/role"))
                roles[count++] = json_object_get_string(value);
        }
    }
    jl_sort(roles, count, sizeof *roles, compare_texts, NULL);
    for (size_t i = 0; i < count; i++) {
        jl_put_string(cell->out, i > 0 ? "," : "");
        jl_put_string(cell->out, roles[i]);
    }
    if (count == 0)
        put_or_none(cell->out, NULL);
}

static void put_node_address(const struct cell *cell, const char *type)
{
    struct json_object *address =
        item_with(jd_json_at(cell->tree, "status.addresses"), "type", type);
    put_or_none(cell->out, jd_json_text(address, "address"));
}

static void cell_node_internal_ip(const struct cell *cell)
{
    put_node_address(cell, "InternalIP");
}

static void cell_node_external_ip(const struct cell *cell)
{
    put_node_address(cell, "ExternalIP");
}

static void cell_pod_ready(const struct cell *cell)
{
    struct json_object *statuses = jd_json_at(cell->tree, "status.containerStatuses");
    size_t ready = 0;
    for (size_t i = 0; i < jd_json_count(statuses); i++)
        ready +=
            json_object_get_boolean(jd_json_at(json_object_array_get_idx(statuses, i), "ready"))
                ? 1
                : 0;
    jd_put_format(cell->out, "%zu/%zu", ready,
                  jd_json_count(jd_json_at(cell->tree, "spec.containers")));
}

static void cell_pod_restarts(const struct cell *cell)
{
    struct json_object *statuses = jd_json_at(cell->tree, "status.containerStatuses");
    int64_t restarts = 0;
    for (size_t i = 0; i < jd_json_count(statuses); i++)
        restarts += json_object_get_int64(
            jd_json_at(json_object_array_get_idx(statuses, i), "restartCount"));
    jl_put_i64(cell->out, restarts);
}

static void cell_pod_status(const struct cell *cell)
{
    const char *phase = jd_json_text(cell->tree, "status.phase");
    const char *reason = jd_json_text(cell->tree, "status.reason");
    if (jd_json_text(cell->tree, "metadata.deletionTimestamp"))
        jl_put_string(cell->out, "Terminating");
    else if (reason)
        jl_put_string(cell->out, reason);
    else
        jl_put_string(cell->out, jl_same(phase, "Succeeded") ? "Completed" : phase ? phase : "");
}

static void cell_event_last(const struct cell *cell)
{
    static const char *const paths[] = { "series.lastObservedTime", "deprecatedLastTimestamp",
                                         "eventTime", "metadata.creationTimestamp" };
    const char *time = NULL;
    for (size_t i = 0; i < JL_COUNT(paths) && !time; i++)
        time = jd_json_text(cell->tree, paths[i]);
    put_age(cell->out, time, cell->now_ms);
}

static void cell_event_object(const struct cell *cell)
{
    const char *kind = jd_json_text(cell->tree, "regarding.kind");
    const char *name = jd_json_text(cell->tree, "regarding.name");
    for (const char *at = kind ? kind : ""; *at; at++)
        jl_put_char(cell->out, jl_lower(*at));
    jl_put_char(cell->out, '/');
    jl_put_string(cell->out, name ? name : "");
}

static void cell_event_count(const struct cell *cell)
{
    struct json_object *count = jd_json_at(cell->tree, "series.count");
    if (!count)
        count = jd_json_at(cell->tree, "deprecatedCount");
    jl_put_i64(cell->out, count ? json_object_get_int64(count) : 1);
}

static const struct {
    const char *word;
    void (*put)(const struct cell *cell);
} words[] = {
    { "age", cell_age },
    { "none", cell_none },
    { "data", cell_data },
    { "node-status", cell_node_status },
    { "node-roles", cell_node_roles },
    { "node-internal-ip", cell_node_internal_ip },
    { "node-external-ip", cell_node_external_ip },
    { "pod-ready", cell_pod_ready },
    { "pod-restarts", cell_pod_restarts },
    { "pod-status", cell_pod_status },
    { "event-last", cell_event_last },
    { "event-object", cell_event_object },
    { "event-count", cell_event_count },
};

static void put_word(struct jl_buffer *out, const char *word, struct json_object *tree,
                     int64_t now_ms)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct cell cell = { tree, &text, now_ms };
    for (size_t i = 0; i < JL_COUNT(words); i++) {
        if (jl_same(words[i].word, word))
            words[i].put(&cell);
    }
    jl_put_json_string(out, text.data ? text.data : "", text.len);
}

/* ---- cells by path ---- */

static void put_path(struct jl_buffer *out, const struct jd_view *view,
                     const struct jd_column *column, struct json_object *tree, int64_t now_ms)
{
    struct json_object *value = jd_json_at(tree, column->path + 1);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (!value && jd_kind_is(view->kind, JD_KIND_CUSTOM)) {
        jl_put_string(out, "null");
    } else if (!value) {
        jl_put_string(out, "\"<none>\"");
    } else if (jl_same(column->type, "date") && jd_kind_is(view->kind, JD_KIND_CUSTOM)) {
        put_age(&text, json_object_get_string(value), now_ms);
        jl_put_json_string(out, text.data ? text.data : "", text.len);
    } else if (jl_same(column->type, "string") && !json_object_is_type(value, json_type_string)) {
        jd_json_put_tree(&text, value);
        jl_put_json_string(out, text.data ? text.data : "", text.len);
    } else if (jl_same(column->type, "integer")) { /* a number without its fraction */
        jl_put_i64(out, json_object_get_int64(value));
    } else {
        jd_json_put_tree(out, value);
    }
}

static void put_cells(struct jl_buffer *out, const struct jd_view *view, struct json_object *tree,
                      int64_t now_ms)
{
    for (size_t i = 0; i < view->kind->column_count; i++) {
        const struct jd_column *column = &view->kind->columns[i];
        jl_put_string(out, i > 0 ? "," : "");
        if (column->path[0] == '.')
            put_path(out, view, column, tree, now_ms);
        else
            put_word(out, column->path, tree, now_ms);
    }
}

/* ---- forms ---- */

/* The object as a tree, in the form of the view; a failure stays in the buffer. */
static struct json_object *tree_of(struct jl_buffer *out, const struct jd_object *object,
                                   uint64_t version)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct json_object *tree = NULL;
    jd_object_put(&text, object, version);
    if (text.is_failed || jd_tree_read(text.data, text.len, &tree, NULL) < 0)
        out->is_failed = true;
    return tree;
}

static void put_plain(struct jl_buffer *out, const struct jd_view *view,
                      const struct jd_object *object, uint64_t version)
{
    if (!view->is_core_event) {
        jd_object_put(out, object, version);
        return;
    }
    JL_CLEANUP(jd_json_freep) struct json_object *tree = tree_of(out, object, version);
    if (!tree)
        return;
    event_to_core(tree);
    jd_json_put_tree(out, tree);
}

static void put_metadata(struct jl_buffer *out, struct json_object *tree)
{
    jl_put_string(out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                       "\"metadata\":");
    jd_json_put_tree(out, jd_json_at(tree, "metadata"));
    jl_put_char(out, '}');
}

void jd_table_row(struct jl_buffer *out, const struct jd_view *view, const struct jd_object *object,
                  uint64_t version, int64_t now_ms)
{
    JL_CLEANUP(jd_json_freep) struct json_object *tree = tree_of(out, object, version);
    if (!tree)
        return;
    jl_put_string(out, "{\"cells\":[");
    put_cells(out, view, tree, now_ms);
    jl_put_char(out, ']');
    if (view->row_object != JD_ROW_NONE)
        jl_put_string(out, ",\"object\":");
    if (view->row_object == JD_ROW_METADATA)
        put_metadata(out, tree);
    else if (view->row_object == JD_ROW_OBJECT)
        put_plain(out, view, object, version);
    jl_put_char(out, '}');
}

static void put_column(struct jl_buffer *out, const struct jd_column *column)
{
    jl_put_char(out, '{');
    jd_json_put_text(out, "name", column->name);
    jd_json_put_text(out, "type", column->type);
    jd_json_put_text(out, "format", column->format ? column->format : "");
    jd_json_put_text(out, "description", column->doc ? column->doc : "");
    jd_json_put_number(out, "priority", column->priority);
    jl_put_char(out, '}');
}

void jd_table_begin(struct jl_buffer *out, const struct jd_view *view, bool with_columns)
{
    if (!with_columns) {
        jl_put_string(out, "\"columnDefinitions\":null,\"rows\":[");
        return;
    }
    jl_put_string(out, "\"columnDefinitions\":[");
    for (size_t i = 0; i < view->kind->column_count; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        put_column(out, &view->kind->columns[i]);
    }
    jl_put_string(out, "],\"rows\":[");
}

static void put_table(struct jl_buffer *out, const struct jd_view *view,
                      const struct jd_object *object, uint64_t version, bool with_columns,
                      int64_t now_ms)
{
    jd_put_format(out,
                  "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/%s\","
                  "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"},",
                  view->table_version, version);
    jd_table_begin(out, view, with_columns);
    jd_table_row(out, view, object, version, now_ms);
    jl_put_string(out, "]}");
}

/* Plain objects are copied as text with another version; every other form needs the tree. */
void jd_view_put(struct jl_buffer *out, const struct jd_view *view, const struct jd_object *object,
                 uint64_t version, bool with_columns, int64_t now_ms)
{
    if (view->form == JD_FORM_TABLE) {
        put_table(out, view, object, version, with_columns, now_ms);
    } else if (view->form == JD_FORM_METADATA) {
        JL_CLEANUP(jd_json_freep) struct json_object *tree = tree_of(out, object, version);
        if (tree)
            put_metadata(out, tree);
    } else {
        put_plain(out, view, object, version);
    }
}
