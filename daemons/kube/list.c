/* SPDX-License-Identifier: Apache-2.0 */

/* The list of a reflector, page by page (docs/rules/clients.md#lists). Objects are handed over as
 * pages come; what is gone goes when the last page is there. */

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "kube/client_parts.h"
#include "kube/follow.h"
#include "kube/status.h"
#include "kubernetes/retry.h"
#include "runtime/clock.h"

#define DEFAULT_PAGE 500
#define LIST_LIMIT_BYTES ((size_t)512 << 20) /* a server may ignore the page size */
#define LIST_DEADLINE_MS 60000               /* --request-timeout of a server */
#define MOST_EMPTY_PAGES 100

static void on_page(void *user, const struct jd_answer *answer);

static void put_query(struct jd_reflector *r, struct jl_buffer *query)
{
    const char *version = r->list_version.data ? r->list_version.data : "";
    char limit[JL_DOUBLE_TEXT];
    if (!r->is_unlimited) {
        jl_format_i64(r->options.page > 0 ? r->options.page : DEFAULT_PAGE, limit);
        jd_put_parameter(query, "limit", limit);
    }
    if (r->more.len > 0) {
        jd_put_parameter(query, "continue", r->more.data);
    } else if (*version) {
        jd_put_parameter(query, "resourceVersion", version);
        /* without it a version with a limit means exactly that version */
        if (!jl_same(version, "0"))
            jd_put_parameter(query, "resourceVersionMatch", "NotOlderThan");
    }
    jd_follow_put_selectors(r, query);
}

static void fail_list(struct jd_reflector *r, const struct jl_watch_list *list,
                      double retry_after_s, const char *message)
{
    const struct jl_watch_state state = jd_follow_state(r);
    struct jl_watch_step step = jl_watch_on_list(&state, list);
    r->is_listing = false;
    if (step.next == JL_NEXT_REFRESH) { /* the client has tried that */
        step.next = JL_NEXT_RELIST;
        step.is_backoff = true;
    }
    if (list->code == 410) {
        r->counts.expired++;
        jd_follow_count(r, "expired");
    }
    if (step.is_surface || !r->has_synced)
        jd_follow_problem(r, (int)list->code, message);
    r->go(r, &step, retry_after_s);
}

static void ask_page(struct jd_reflector *r)
{
    struct jl_buffer query = { 0 };
    put_query(r, &query);
    const struct jd_kube_call call = {
        .method = "GET",
        .resource = r->options.resource,
        .name_space = r->name_space,
        .query = query.data ? query.data + 1 : "",
        .priority = JD_PRIORITY_READ,
        .deadline_ms = LIST_DEADLINE_MS,
        .most_attempts = 1,
        .limit_bytes = LIST_LIMIT_BYTES,
        .on_done = on_page,
        .user = r,
    };
    const int rc = query.is_failed ? JOULIE_E_NOMEM : jd_kube_start(r->kube, &call, NULL);
    jl_buffer_clear(&query);
    if (rc < 0)
        fail_list(r, &(struct jl_watch_list){ 0 }, JL_NO_RETRY_AFTER, "out of memory");
}

static void first_page(struct jd_reflector *r)
{
    r->round++;
    r->is_short = false;
    r->empty_pages = 0;
    jl_buffer_reset(&r->more);
    jl_buffer_reset(&r->page_version);
    ask_page(r);
}

void jd_list_start(struct jd_reflector *r)
{
    r->is_listing = true;
    r->is_unlimited = false;
    r->counts.lists++;
    first_page(r);
}

/* ---- a page ---- */

static bool set_text(struct jl_buffer *to, struct jl_text text)
{
    jl_buffer_reset(to);
    jl_put(to, text.ptr, text.len);
    return !to->is_failed;
}

static int take_items(struct jd_reflector *r, struct jl_text items, size_t *count)
{
    struct jd_scan scan = jd_scan_open(items, '[');
    struct jl_text object;
    while (jd_scan_item(&scan, &object)) {
        struct jd_meta meta;
        jl_arena_reset(&r->arena);
        const int rc = jd_meta_read(object, &r->arena, &meta);
        if (rc < 0)
            return rc;
        jd_apply_upsert(r, object, &meta);
        ++*count;
    }
    return scan.is_broken ? JOULIE_E_PARSE : 0;
}

/* NULL, or why the page is not one. The token and the version are kept before the items are read:
 * they share the arena. */
static const char *take_page(struct jd_reflector *r, struct jl_text page)
{
    struct jd_meta meta;
    size_t count = 0;
    jl_arena_reset(&r->arena);
    if (jd_meta_read(page, &r->arena, &meta) < 0 || !meta.items.ptr)
        return "the answer is no list";
    if (meta.version.len == 0)
        return "the list has no resourceVersion";
    if (meta.more.len > 0 && r->more.len > 0 && meta.more.len == r->more.len &&
        memcmp(meta.more.ptr, r->more.data, r->more.len) == 0)
        return "a page is followed by itself";
    if (r->page_version.len == 0 && !set_text(&r->page_version, meta.version))
        return "out of memory";
    if (!set_text(&r->more, meta.more))
        return "out of memory";
    if (take_items(r, meta.items, &count) < 0)
        return "an object of the list cannot be read";
    r->empty_pages = count > 0 ? 0 : r->empty_pages + 1;
    return r->empty_pages > MOST_EMPTY_PAGES ? "the list has no end" : NULL;
}

static void finish_list(struct jd_reflector *r)
{
    const struct jl_watch_state state = jd_follow_state(r);
    const struct jl_watch_step step = jl_watch_on_list(
        &state, &(struct jl_watch_list){
                    .code = 200, .version = r->page_version.data, .is_safety = r->is_safety });
    if (step.is_back)
        jd_log(r->log, JOULIE_LOG_LEVEL_WARN, "kube", "%s: resourceVersion went back from %s to %s",
               r->options.resource->plural, state.version, step.version);
    jd_apply_round(r);
    if (r->is_short || !jd_follow_set_version(r, step.version)) {
        fail_list(r, &(struct jl_watch_list){ 0 }, JL_NO_RETRY_AFTER, "out of memory");
        return;
    }
    r->is_listing = r->is_safety = r->is_unavailable = r->is_missing = r->is_refusing = false;
    r->has_synced = true;
    jd_follow_set_safety(r);
    jd_follow_heard(r);
    r->go(r, &step, JL_NO_RETRY_AFTER);
    if (r->options.moved)
        r->options.moved(r->options.user);
}

/* A kind that is not installed, and need not be: nothing is there. It is asked for at the slow end.
 */
static void finish_missing(struct jd_reflector *r, const struct jl_watch_list *list)
{
    r->round++;
    jd_apply_round(r);
    r->has_synced = r->is_missing = true;
    jd_follow_heard(r);
    const struct jl_watch_state state = jd_follow_state(r);
    const struct jl_watch_step step = jl_watch_on_list(&state, list);
    r->is_listing = false;
    r->go(r, &step, JL_NO_RETRY_AFTER);
    if (r->options.moved)
        r->options.moved(r->options.user);
}

static void take_failure(struct jd_reflector *r, const struct jd_answer *answer)
{
    struct jd_status status;
    jd_status_read(answer->body, answer->len, &status);
    const struct jl_watch_list list = { .code = answer->code,
                                        .is_version_too_large = status.is_version_too_large };
    if (answer->code == 404 && r->options.is_optional && !answer->has_object_name) {
        finish_missing(r, &list);
        return;
    }
    if (answer->code == 410 && r->more.len > 0 && !r->is_unlimited) {
        r->counts.expired++;
        r->is_unlimited = true;
        first_page(r);
        return;
    }
    fail_list(r, &list, answer->retry_after_s, answer->message);
}

static void on_page(void *user, const struct jd_answer *answer)
{
    struct jd_reflector *r = user;
    if (answer->code != 200) {
        take_failure(r, answer);
        return;
    }
    r->counts.pages++;
    const char *problem = take_page(r, (struct jl_text){ answer->body, answer->len });
    if (problem) {
        r->counts.broken++;
        jd_follow_count(r, "broken");
        jd_follow_problem(r, 0, problem);
        fail_list(r, &(struct jl_watch_list){ 0 }, JL_NO_RETRY_AFTER, problem);
    } else if (r->more.len > 0) {
        ask_page(r);
    } else {
        finish_list(r);
    }
}
