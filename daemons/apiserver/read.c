/* SPDX-License-Identifier: Apache-2.0 */

/* get and list (docs/rules/apiserver.md#reads). */

#include <inttypes.h>
#include <string.h>

#include <joulie/error.h>

#include "apiserver/parts.h"
#include "base/base64.h"
#include "base/number.h"

/* ---- versions ---- */

bool jd_query_count(struct jd_request *request, const char *name, uint64_t *out)
{
    const char *text = jd_exchange_query(request->exchange, name);
    *out = 0;
    if (jl_is_empty(text) || jl_parse_u64(text, strlen(text), out) == 0)
        return true;
    return jd_fail(request, 400, "BadRequest", "Invalid value: \"%s\": %s is no number", text,
                   name);
}

static bool is_too_new(struct jd_request *request, uint64_t version)
{
    if (version <= request->api->store.version)
        return false;
    jd_fail(request, 504, "Timeout", "Timeout: Too large resource version: %s, current: %s",
            jd_exchange_query(request->exchange, "resourceVersion"),
            jd_store_version(&request->api->store));
    return true;
}

void jd_serve_get(struct jd_request *request)
{
    uint64_t version;
    if (!jd_query_count(request, "resourceVersion", &version) || is_too_new(request, version))
        return;
    const struct jd_object *object =
        jd_store_get(&request->api->store, request->kind, request->name_space, request->name);
    if (object)
        jd_reply_object(request, 200, object);
    else
        jd_fail_not_found(request);
}

/* ---- tokens: VERSION/NAMESPACE/NAME in base64, so that nobody reads meaning into them ---- */

static const char *write_token(struct jl_arena *arena, uint64_t version,
                               const struct jd_object *last)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer token = { 0 };
    const char *plain =
        jd_text(arena, "%llu/%s/%s", (unsigned long long)version, last->name_space, last->name);
    jl_put_base64(&token, plain, strlen(plain));
    const char *copy = token.is_failed ? NULL : jl_arena_copy(arena, token.data, token.len);
    return copy ? copy : "";
}

struct page_start { /* a page starts behind it */
    uint64_t version;
    const char *name_space;
    const char *name;
    bool is_set;
};

static bool read_token(struct jl_arena *arena, const char *token, struct page_start *out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer plain = { 0 };
    if (jl_parse_base64(token, strlen(token), &plain) < 0)
        return false;
    struct jl_text rest = { plain.data, plain.len };
    const struct jl_text version = jl_text_cut(&rest, '/');
    const struct jl_text name_space = jl_text_cut(&rest, '/');
    out->name_space = jl_arena_copy(arena, name_space.ptr, name_space.len);
    out->name = jl_arena_copy(arena, rest.ptr, rest.len);
    out->is_set = true;
    return jl_parse_u64(version.ptr, version.len, &out->version) == 0 && rest.len > 0 &&
           out->name_space && out->name;
}

/* ---- which version, from where ---- */

struct listing {
    struct jd_filter filter;
    struct page_start start;
    uint64_t version;
    uint64_t limit;                   /* 0 = none */
    struct jd_collection *collection; /* as it is, or */
    const struct jd_snapshot *snapshot;
};

static bool fail_options(struct jd_request *request, const char *problem)
{
    return jd_fail(request, 422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: %s", problem);
}

static bool check_match(struct jd_request *request, const char *version, const char *match)
{
    const bool is_exact = jl_same(match, "Exact");
    if (jl_is_empty(match))
        return true;
    if (!jl_is_empty(jd_exchange_query(request->exchange, "continue")))
        return fail_options(request, "resourceVersionMatch: Forbidden: resourceVersionMatch is "
                                     "forbidden when continue is provided");
    if (jl_is_empty(version))
        return fail_options(request, "resourceVersionMatch: Forbidden: resourceVersionMatch is "
                                     "forbidden unless resourceVersion is provided");
    if (!is_exact && !jl_same(match, "NotOlderThan"))
        return fail_options(request, "resourceVersionMatch: Unsupported value: supported values: "
                                     "\"Exact\", \"NotOlderThan\"");
    if (is_exact && jl_same(version, "0"))
        return fail_options(request, "resourceVersionMatch: Forbidden: resourceVersionMatch "
                                     "\"exact\" is forbidden for resourceVersion \"0\"");
    return true;
}

static bool read_continue(struct jd_request *request, struct listing *listing)
{
    const char *token = jd_exchange_query(request->exchange, "continue");
    if (jl_is_empty(token))
        return true;
    if (!jl_is_empty(jd_exchange_query(request->exchange, "resourceVersion")))
        return jd_fail(request, 400, "BadRequest",
                       "specifying resource version is not allowed when using continue");
    if (!read_token(&request->arena, token, &listing->start))
        return jd_fail(request, 400, "BadRequest", "continue key is not valid: %s", token);
    if (listing->start.version > 0)
        listing->version = listing->start.version;
    return true;
}

/* false = a Status was given. */
static bool read_options(struct jd_request *request, struct listing *listing)
{
    const char *version = jd_exchange_query(request->exchange, "resourceVersion");
    const char *match = jd_exchange_query(request->exchange, "resourceVersionMatch");
    uint64_t number;
    listing->version = request->api->store.version;
    if (!jd_query_count(request, "limit", &listing->limit) ||
        !check_match(request, version, match) || !read_continue(request, listing) ||
        !jd_query_count(request, "resourceVersion", &number) || is_too_new(request, number))
        return false;
    const bool is_exact = jl_same(match, "Exact") || (jl_is_empty(match) && listing->limit > 0);
    if (number > 0 && is_exact)
        listing->version = number;
    return jd_filter_read(request, &listing->filter, &request->arena);
}

static void fail_expired(struct jd_request *request, const struct listing *listing)
{
    if (!listing->start.is_set) {
        request->api->counts.expired++;
        jd_fail(request, 410, "Expired", "The resourceVersion for the provided list is too old.");
        return;
    }
    struct jd_object last = { .name_space = listing->start.name_space,
                              .name = listing->start.name };
    jd_fail_expired(request, write_token(&request->arena, 0, &last));
}

static bool open_listing(struct jd_request *request, struct listing *listing)
{
    struct jd_store *store = &request->api->store;
    int rc = 0;
    if (!read_options(request, listing))
        return false;
    if (listing->start.is_set && jd_fault(request->api, JD_FAULT_GONE)) {
        fail_expired(request, listing);
        return false;
    }
    listing->collection = jd_store_of(store, request->kind);
    rc = listing->version == store->version
             ? jd_collection_order(listing->collection)
             : jd_store_snapshot(store, request->kind, listing->version, &listing->snapshot);
    if (rc == JOULIE_E_RANGE)
        fail_expired(request, listing);
    else if (rc < 0)
        jd_fail_memory(request);
    return rc == 0;
}

/* ---- pages ---- */

static size_t item_count(const struct listing *listing)
{
    return listing->snapshot ? listing->snapshot->count : listing->collection->order_count;
}

static const struct jd_object *item(const struct listing *listing, size_t index)
{
    return listing->snapshot ? listing->snapshot->objects[index]
                             : jd_collection_item(listing->collection, index);
}

/* The first item behind (name_space, name), or at it. */
static size_t find_start(const struct listing *listing, const char *name_space, const char *name,
                         bool is_behind)
{
    size_t low = 0;
    size_t high = item_count(listing);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct jd_object *object = item(listing, middle);
        int order = jl_compare(object->name_space, name_space);
        if (order == 0)
            order = jl_compare(object->name, name);
        if (order < 0 || (is_behind && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t first_item(const struct listing *listing)
{
    if (listing->start.is_set)
        return find_start(listing, listing->start.name_space, listing->start.name, true);
    return listing->filter.name_space ? find_start(listing, listing->filter.name_space, "", false)
                                      : 0;
}

static bool is_past(const struct listing *listing, const struct jd_object *object)
{
    return listing->filter.name_space &&
           jl_compare(object->name_space, listing->filter.name_space) > 0;
}

static size_t next_match(const struct listing *listing, size_t at)
{
    const size_t count = item_count(listing);
    for (; at < count; at++) {
        const struct jd_object *object = item(listing, at);
        if (is_past(listing, object))
            return count;
        if (jd_filter_matches(&listing->filter, object))
            return at;
    }
    return count;
}

static void put_item(struct jl_buffer *out, const struct jd_request *request,
                     const struct jd_object *object, int64_t now_ms)
{
    const struct jd_view *view = &request->view;
    if (view->form == JD_FORM_TABLE) {
        jd_table_row(out, view, object, object->version, now_ms);
    } else if (view->form == JD_FORM_METADATA || view->is_core_event ||
               jd_kind_is(view->kind, JD_KIND_CUSTOM)) {
        jd_view_put(out, view, object, object->version, false, now_ms);
    } else { /* items of built-in kinds do not say what they are */
        jl_put_char(out, '{');
        jl_put(out, object->text + object->metadata_at, object->len - object->metadata_at);
    }
}

struct page {
    struct jl_buffer items;
    const struct jd_object *last;
    size_t next; /* first match that is not in it; item_count() = none */
};

static void fill_page(const struct jd_request *request, const struct listing *listing,
                      struct page *page)
{
    const int64_t now_ms = jd_api_now_ms(request->api);
    size_t at = next_match(listing, first_item(listing));
    for (uint64_t done = 0; at < item_count(listing); done++) {
        if (listing->limit > 0 && done == listing->limit)
            break;
        if (done > 0)
            jl_put_char(&page->items, ',');
        page->last = item(listing, at);
        put_item(&page->items, request, page->last, now_ms);
        at = next_match(listing, at + 1);
    }
    page->next = at;
}

static size_t count_left(const struct listing *listing, size_t at)
{
    size_t left = 0;
    for (; at < item_count(listing); at = next_match(listing, at + 1))
        left++;
    return left;
}

static void put_list_metadata(struct jl_buffer *out, struct jd_request *request,
                              const struct listing *listing, const struct page *page)
{
    jd_put_format(out, "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"", listing->version);
    if (page->next < item_count(listing) && page->last) {
        const char *token = write_token(&request->arena, listing->version, page->last);
        out->is_failed = out->is_failed || token[0] == '\0'; /* "" would say that this is all */
        jd_put_format(out, ",\"continue\":\"%s\"", token);
        if (!listing->filter.has_selector)
            jd_put_format(out, ",\"remainingItemCount\":%zu", count_left(listing, page->next));
    }
    jl_put_char(out, '}');
}

static void put_list_kind(struct jl_buffer *out, const struct jd_view *view)
{
    const char *kind = view->kind->list_kind;
    const char *version = view->is_core_event ? "v1" : view->kind->api_version;
    if (view->form == JD_FORM_TABLE) {
        kind = "Table";
        version = jl_same(view->table_version, "v1") ? "meta.k8s.io/v1" : "meta.k8s.io/v1beta1";
    } else if (view->form == JD_FORM_METADATA) {
        kind = "PartialObjectMetadataList";
        version = "meta.k8s.io/v1";
    }
    jd_put_format(out, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",", kind, version);
}

void jd_serve_list(struct jd_request *request)
{
    struct listing listing = { 0 };
    struct page page = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (!open_listing(request, &listing))
        return;
    fill_page(request, &listing, &page);
    put_list_kind(&text, &request->view);
    put_list_metadata(&text, request, &listing, &page);
    jl_put_char(&text, ',');
    if (request->view.form == JD_FORM_TABLE)
        jd_table_begin(&text, &request->view, true);
    else
        jl_put_string(&text, "\"items\":[");
    jl_put(&text, page.items.data ? page.items.data : "", page.items.len);
    jl_put_string(&text, "]}");
    text.is_failed = text.is_failed || page.items.is_failed;
    jl_buffer_clear(&page.items);
    jd_reply_buffer(request, 200, &text);
}
