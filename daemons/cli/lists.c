/* SPDX-License-Identifier: Apache-2.0 */

/* The objects of collections, in pages: several collections at the same time, each page as soon as
 * the one before has come. Of what is listed for a question only what the library reads is kept,
 * and as the text that it is: a tree of a large cluster takes a gigabyte. */

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cluster.h"
#include "kube/scan.h"

#define PAGE 500
#define MOST_LISTS 3 /* of one collection whose pages expire */

/* ---- what is kept of a page ---- */

struct part { /* a member that stays; the last has no name */
    const char *name;
    const struct part *inside; /* of it, or of each of its items; NULL = all of it */
};

#define WHOLE(name)  \
    {                \
        (name), NULL \
    }

static const struct part of_metadata[] = {
    WHOLE("name"),        WHOLE("namespace"),         WHOLE("labels"),
    WHOLE("annotations"), WHOLE("ownerReferences"),   WHOLE("creationTimestamp"),
    WHOLE("uid"),         WHOLE("deletionTimestamp"), { .name = NULL },
};
static const struct part of_node[] = {
    WHOLE("capacity"), WHOLE("allocatable"), WHOLE("conditions"),
    WHOLE("nodeInfo"), { .name = NULL },
};
static const struct part of_container[] = {
    WHOLE("name"), WHOLE("restartPolicy"), WHOLE("resources"), { .name = NULL }
};
static const struct part of_pod[] = {
    WHOLE("nodeName"),      WHOLE("nodeSelector"),
    WHOLE("affinity"),      WHOLE("overhead"),
    WHOLE("priority"),      { "containers", of_container },
    WHOLE("schedulerName"), { "initContainers", of_container },
    WHOLE("tolerations"),   { .name = NULL },
};
static const struct part of_pod_status[] = {
    WHOLE("phase"), WHOLE("startTime"), WHOLE("conditions"), { .name = NULL }
};

/* false: the text is not what it should be, or memory ran out. */
static bool put_parts(struct jl_text value, const struct part *parts, struct jl_buffer *out)
{
    const char open = value.ptr[0];
    struct jl_text key;
    struct jl_text item;
    bool is_first = true;
    bool is_good = true;
    if (!parts || (open != '{' && open != '[')) {
        jl_put(out, value.ptr, value.len);
        return true;
    }
    struct jd_scan scan = jd_scan_open(value, open);
    jl_put_char(out, open);
    while (is_good &&
           (open == '{' ? jd_scan_member(&scan, &key, &item) : jd_scan_item(&scan, &item))) {
        const struct part *part = parts;
        while (open == '{' && part->name && !jl_text_is(key, part->name))
            part++;
        if (open == '{' && !part->name)
            continue;
        if (!is_first)
            jl_put_char(out, ',');
        is_first = false;
        if (open == '{')
            jd_put_format(out, "\"%s\":", part->name);
        is_good = put_parts(item, open == '{' ? part->inside : parts, out);
    }
    jl_put_char(out, open == '{' ? '}' : ']');
    return is_good && !scan.is_broken && !out->is_failed;
}

static void put_type(const struct jd_resource *resource, struct jl_buffer *out)
{
    jl_put_string(out, "\"apiVersion\":\"");
    jd_put_api_version(out, resource);
    jd_put_format(out, "\",\"kind\":\"%s\"", resource->kind);
}

/* How an object that is kept as a text is written into a document. */
static int put_text(struct json_object *object, struct printbuf *out, int level, int flags)
{
    (void)level;
    (void)flags;
    return printbuf_memappend(out, json_object_get_string(object),
                              json_object_get_string_len(object));
}

/* Without what the library does not read of it, which is most of it, and with its type. false: the
 * text is no object, or memory ran out. */
static bool add_text(const struct jd_resource *resource, struct jl_text item,
                     struct json_object *out)
{
    static const struct part of_node_object[] = {
        { "metadata", of_metadata }, WHOLE("spec"), { "status", of_node }, { .name = NULL }
    };
    static const struct part of_pod_object[] = { { "metadata", of_metadata },
                                                 { "spec", of_pod },
                                                 { "status", of_pod_status },
                                                 { .name = NULL } };
    static const struct part of_object[] = {
        { "metadata", of_metadata }, WHOLE("spec"), WHOLE("status"), { .name = NULL }
    };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer lean = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct part *parts = resource == &jd_pods    ? of_pod_object
                               : resource == &jd_nodes ? of_node_object
                                                       : of_object;
    if (item.ptr[0] != '{' || !put_parts(item, parts, &lean))
        return false;
    jl_put_char(&text, '{');
    put_type(resource, &text);
    if (lean.len > 2)
        jl_put_char(&text, ',');
    jl_put(&text, lean.data + 1, lean.len - 1);
    if (text.is_failed)
        return false;
    struct json_object *object = json_object_new_string_len(text.data, (int)text.len);
    if (object)
        json_object_set_serializer(object, put_text, NULL, NULL);
    return object && json_object_array_add(out, object) == 0;
}

/* ---- one collection ---- */

struct lists {
    struct jd_cluster *cluster;
    size_t open;
};

struct listing {
    struct lists *all;
    const struct jd_selection *selection;
    struct jd_got got;
    struct json_object *items; /* NULL = it failed, got says why */
    int tries;
    bool is_open;
};

/* Items of built-in kinds come without their type. */
static void add_type(struct json_object *item, const struct jd_resource *resource)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer version = { 0 };
    jd_put_api_version(&version, resource);
    if (version.data && !jd_json_at(item, "apiVersion"))
        jd_set_text(item, "apiVersion", version.data);
    if (!jd_json_at(item, "kind"))
        jd_set_text(item, "kind", resource->kind);
}

/* Takes over the items of a page; false = the page is no list. */
static bool take_page(const struct listing *listing, struct json_object *page)
{
    struct json_object *items = jd_json_at(page, "items");
    if (!items) /* "items": null of an empty list */
        return jd_json_at(page, "kind") != NULL;
    if (!json_object_is_type(items, json_type_array))
        return false;
    for (size_t i = 0; i < jd_json_count(items); i++) {
        struct json_object *item = jd_item(items, i);
        if (!json_object_is_type(item, json_type_object))
            return false;
        add_type(item, listing->selection->resource);
        json_object_array_add(listing->items, json_object_get(item));
    }
    return true;
}

static bool take_texts(const struct listing *listing, struct jl_text items)
{
    struct jl_text item;
    struct jd_scan scan = jd_scan_open(items, '[');
    while (jd_scan_item(&scan, &item)) {
        if (!add_text(listing->selection->resource, item, listing->items))
            return false;
    }
    return !scan.is_broken;
}

/* The same of texts; what is left of the page, NULL = it is no list. */
static struct json_object *take_text(const struct listing *listing, struct jl_text page)
{
    static const struct part of_list[] = { WHOLE("kind"), WHOLE("metadata"), { .name = NULL } };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer rest = { 0 };
    struct jl_text key;
    struct jl_text value;
    bool is_list = false;
    struct jd_scan scan = jd_scan_open(page, '{');
    while (jd_scan_member(&scan, &key, &value)) {
        const bool is_items = jl_text_is(key, "items");
        if (is_items && value.ptr[0] == '[' ? !take_texts(listing, value)
                                            : is_items && !jl_text_is(value, "null"))
            return NULL;
        is_list = is_list || is_items || jl_text_is(key, "kind");
    }
    return is_list && !scan.is_broken && put_parts(page, of_list, &rest)
               ? jd_json_parse(rest.data, rest.len)
               : NULL;
}

/* What is left of a page; NULL = it is no list. */
static struct json_object *take(const struct listing *listing, const struct jd_answer *answer)
{
    struct json_object *page = NULL;
    if (answer->code != 200 || answer->len == 0)
        return NULL;
    if (listing->selection->is_text)
        return take_text(listing, (struct jl_text){ answer->body, answer->len });
    page = jd_json_parse(answer->body, answer->len);
    if (page && take_page(listing, page))
        return page;
    json_object_put(page);
    return NULL;
}

static void put_parameter(struct jl_buffer *out, const char *name, const char *value)
{
    if (!value)
        return;
    jd_put_format(out, "&%s=", name);
    jd_put_url(out, value);
}

static void fail(struct listing *listing)
{
    json_object_put(listing->items);
    listing->items = NULL;
}

static void end(struct listing *listing)
{
    listing->is_open = false;
    if (--listing->all->open == 0)
        jd_loop_stop(&listing->all->cluster->loop);
}

static void on_page(void *user, const struct jd_answer *answer);

/* false: it could not be asked for. */
static bool ask_page(struct listing *listing, const char *token)
{
    const struct jd_selection *selection = listing->selection;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer query = { 0 };
    jd_put_format(&query, "limit=%d", PAGE);
    put_parameter(&query, "labelSelector", selection->labels);
    put_parameter(&query, "fieldSelector", selection->fields);
    put_parameter(&query, "continue", token);
    const struct jd_kube_call call = {
        .method = "GET",
        .resource = selection->resource,
        .name_space = selection->name_space,
        .query = query.data,
        .on_done = on_page,
        .user = listing,
    };
    return jl_buffer_code(&query) == 0 && jd_cluster_start(listing->all->cluster, &call) == 0;
}

static bool begin(struct listing *listing)
{
    listing->tries++;
    json_object_put(listing->items);
    listing->items = json_object_new_array();
    return listing->items && ask_page(listing, NULL);
}

static void on_page(void *user, const struct jd_answer *answer)
{
    struct listing *listing = user;
    jd_got_take(&listing->got, answer);
    if (answer->code == 410 && listing->tries < MOST_LISTS) { /* Expired: from the start */
        if (begin(listing))
            return;
        fail(listing);
        end(listing);
        return;
    }
    JL_CLEANUP(jd_json_freep) struct json_object *page = take(listing, answer);
    const char *token = jd_json_text(page, "metadata.continue");
    if (!page)
        fail(listing);
    else if (!jl_is_empty(token) && ask_page(listing, token))
        return;
    else if (!jl_is_empty(token))
        fail(listing);
    if (!listing->items && answer->code == 404 && listing->selection->is_optional)
        listing->items = json_object_new_array();
    end(listing);
}

struct json_object *jd_cluster_tree(struct json_object *item)
{
    return json_object_is_type(item, json_type_string)
               ? jd_json_parse(json_object_get_string(item),
                               (size_t)json_object_get_string_len(item))
               : json_object_get(item);
}

/* ---- several of them ---- */

static void run(struct jd_cluster *cluster, struct listing *listings, size_t count)
{
    struct lists lists = { .cluster = cluster, .open = count };
    for (size_t i = 0; i < count; i++) {
        listings[i].all = &lists;
        listings[i].is_open = true;
        if (begin(&listings[i]))
            continue;
        fail(&listings[i]);
        listings[i].is_open = false;
        lists.open--;
    }
    if (lists.open > 0)
        jd_cluster_wait(cluster);
    for (size_t i = 0; i < count; i++) { /* somebody else ended the loop */
        if (!listings[i].is_open)
            continue;
        jd_kube_cancel(cluster->kube, &listings[i]);
        fail(&listings[i]);
    }
}

struct json_object *jd_cluster_list(struct jd_cluster *cluster,
                                    const struct jd_selection *selection, struct jd_got *got)
{
    struct listing listing = { .selection = selection };
    run(cluster, &listing, 1);
    *got = listing.got;
    return listing.items;
}

int jd_cluster_add(struct jd_cluster *cluster, const struct jd_collection *collections,
                   size_t count, struct json_object *doc)
{
    struct listing listings[JD_MOST_COLLECTIONS] = { { .tries = 0 } };
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < count; i++)
        listings[i].selection = &collections[i].selection;
    run(cluster, listings, count);
    for (size_t i = 0; i < count; i++) {
        char what[64];
        snprintf(what, sizeof what, "cannot list %s", collections[i].selection.resource->plural);
        if (listings[i].items)
            json_object_object_add(doc, collections[i].key, listings[i].items);
        else if (status == JD_EXIT_OK)
            status = jd_cluster_fail(cluster, &listings[i].got, what);
        jd_got_clear(&listings[i].got);
    }
    return status;
}
