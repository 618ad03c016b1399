/* SPDX-License-Identifier: Apache-2.0 */

/* A list, page by page (docs/rules/clients.md#lists), for reflector.c. Objects are handed over as
 * pages come. */

#include "kube/list.h"

#include <string.h>

#include "base/number.h"
#include "kube/client_parts.h"
#include "kube/status.h"
#include "kubernetes/retry.h"

#define DEFAULT_PAGE 500
#define LIST_LIMIT_BYTES ((size_t)512 << 20) /* a server may ignore the page size */
#define LIST_DEADLINE_MS 60000               /* --request-timeout of a server */
#define MOST_EMPTY_PAGES 100

static void on_page(void *user, const struct jd_answer *answer);

void jd_put_selectors(struct jl_buffer *query, const struct jd_list_selection *selection)
{
    jd_put_parameter(query, "labelSelector", selection->label_selector);
    jd_put_parameter(query, "fieldSelector", selection->field_selector);
}

static void put_query(const struct jd_kube_list *list, struct jl_buffer *query)
{
    const char *version = list->version.len > 0 ? list->version.data : "";
    char limit[JL_DOUBLE_TEXT];
    if (!list->is_unlimited) {
        jl_format_i64(list->page > 0 ? list->page : DEFAULT_PAGE, limit);
        jd_put_parameter(query, "limit", limit);
    }
    if (list->more.len > 0) {
        jd_put_parameter(query, "continue", list->more.data);
    } else if (*version) {
        jd_put_parameter(query, "resourceVersion", version);
        /* without it a version with a limit means exactly that version */
        if (!jl_same(version, "0"))
            jd_put_parameter(query, "resourceVersionMatch", "NotOlderThan");
    }
    jd_put_selectors(query, list->selection);
}

static void finish(struct jd_kube_list *list, const struct jd_kube_list_end *end)
{
    list->is_on = false;
    list->done(list->user, end);
}

static void fail(struct jd_kube_list *list, const char *message, bool is_broken)
{
    finish(list, &(struct jd_kube_list_end){ .message = message,
                                             .is_broken = is_broken,
                                             .retry_after_s = JL_NO_RETRY_AFTER });
}

static void ask_page(struct jd_kube_list *list)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer query = { 0 };
    put_query(list, &query);
    const struct jd_kube_call call = {
        .method = "GET",
        .resource = list->selection->resource,
        .name_space = list->selection->name_space,
        .query = query.data ? query.data + 1 : "",
        .priority = JD_PRIORITY_READ,
        .deadline_ms = LIST_DEADLINE_MS,
        .most_attempts = 1,
        .limit_bytes = LIST_LIMIT_BYTES,
        .on_done = on_page,
        .user = list,
    };
    const int rc =
        query.is_failed ? JOULIE_E_NOMEM : jd_kube_start(list->selection->kube, &call, NULL);
    if (rc < 0)
        fail(list, "out of memory", false);
}

static void first_page(struct jd_kube_list *list)
{
    list->begin(list->user);
    list->empty_pages = 0;
    jl_buffer_reset(&list->more);
    jl_buffer_reset(&list->page_version);
    ask_page(list);
}

void jd_kube_list_start(struct jd_kube_list *list, const char *version)
{
    jl_buffer_reset(&list->version);
    jl_put_string(&list->version, version);
    list->is_on = true;
    list->is_unlimited = false;
    list->lists++;
    first_page(list);
}

void jd_kube_list_clear(struct jd_kube_list *list)
{
    if (list->selection)
        jd_kube_cancel(list->selection->kube, list);
    jl_arena_clear(&list->arena);
    jl_buffer_clear(&list->version);
    jl_buffer_clear(&list->page_version);
    jl_buffer_clear(&list->more);
}

/* ---- a page ---- */

static bool set_text(struct jl_buffer *to, struct jl_text text)
{
    jl_buffer_reset(to);
    jl_put(to, text.ptr, text.len);
    return !to->is_failed;
}

static int take_items(struct jd_kube_list *list, struct jl_text items, size_t *count)
{
    struct jd_scan scan = jd_scan_open(items, '[');
    struct jl_text object;
    while (jd_scan_item(&scan, &object)) {
        struct jd_meta meta;
        jl_arena_reset(&list->arena);
        const int rc = jd_meta_read(object, &list->arena, &meta);
        if (rc < 0)
            return rc;
        list->object(list->user, object, &meta);
        ++*count;
    }
    return scan.is_broken ? JOULIE_E_PARSE : 0;
}

/* NULL, or why the page is not one. The token and the version are kept before the items are read:
 * they share the arena. */
static const char *take_page(struct jd_kube_list *list, struct jl_text page)
{
    struct jd_meta meta;
    size_t count = 0;
    jl_arena_reset(&list->arena);
    if (jd_meta_read(page, &list->arena, &meta) < 0 || !meta.items.ptr)
        return "the answer is no list";
    if (meta.version.len == 0)
        return "the list has no resourceVersion";
    if (meta.more.len > 0 && list->more.len > 0 && meta.more.len == list->more.len &&
        memcmp(meta.more.ptr, list->more.data, list->more.len) == 0)
        return "a page is followed by itself";
    if (list->page_version.len == 0 && !set_text(&list->page_version, meta.version))
        return "out of memory";
    if (!set_text(&list->more, meta.more))
        return "out of memory";
    if (take_items(list, meta.items, &count) < 0)
        return "an object of the list cannot be read";
    list->empty_pages = count > 0 ? 0 : list->empty_pages + 1;
    return list->empty_pages > MOST_EMPTY_PAGES ? "the list has no end" : NULL;
}

/* A token that has expired begins the list anew, once, and all in one page. */
static void take_failure(struct jd_kube_list *list, const struct jd_answer *answer)
{
    struct jd_status status;
    jd_status_read(answer->body, answer->len, &status);
    if (answer->code == 410 && list->more.len > 0 && !list->is_unlimited) {
        list->expired++;
        list->is_unlimited = true;
        first_page(list);
        return;
    }
    finish(list, &(struct jd_kube_list_end){ .code = answer->code,
                                             .message = answer->message,
                                             .is_version_too_large = status.is_version_too_large,
                                             .has_object_name = answer->has_object_name,
                                             .retry_after_s = answer->retry_after_s });
}

static void on_page(void *user, const struct jd_answer *answer)
{
    struct jd_kube_list *list = user;
    if (answer->code != 200) {
        take_failure(list, answer);
        return;
    }
    list->pages++;
    const char *problem = take_page(list, (struct jl_text){ answer->body, answer->len });
    if (problem)
        fail(list, problem, true);
    else if (list->more.len > 0)
        ask_page(list);
    else
        finish(list, &(struct jd_kube_list_end){ .code = 200,
                                                 .version = list->page_version.data,
                                                 .retry_after_s = JL_NO_RETRY_AFTER });
}
