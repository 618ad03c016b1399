/* SPDX-License-Identifier: Apache-2.0 */

/* A cache that follows a collection (docs/rules/clients.md#caches): decides what comes next after
 * each list, watch and wait. list.c and watch.c carry one out. */

#include "kube/reflector.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "kube/client_parts.h"
#include "kube/follow.h"
#include "kubernetes/wait.h"
#include "runtime/clock.h"

#define SLOW_FAILURES 6          /* from here on the backoff is at its slow end */
#define QUIET_MS INT64_C(120000) /* after it the backoff starts over (kubernetes/wait.c) */

/* ---- what it knows ---- */

const char *jd_reflector_version(const struct jd_reflector *r)
{
    return r->version.len > 0 ? r->version.data : "";
}

bool jd_reflector_has_synced(const struct jd_reflector *r)
{
    return r->has_synced;
}

int64_t jd_reflector_heard_ms(const struct jd_reflector *r)
{
    return r->heard_ms;
}

bool jd_reflector_has_reached(const struct jd_reflector *r, const char *version)
{
    const char *mine = jd_reflector_version(r);
    if (!r->has_synced)
        return false;
    return r->is_missing || jl_is_empty(version) || jl_same(mine, version) ||
           jl_version_is_older(version, mine);
}

const char *jd_reflector_problem(const struct jd_reflector *r)
{
    return r->problem.len > 0 ? r->problem.data : NULL;
}

size_t jd_reflector_count(const struct jd_reflector *r)
{
    return r->seen.count;
}

void jd_reflector_counts(const struct jd_reflector *r, struct jd_reflector_counts *out)
{
    *out = r->counts;
}

/* ---- what comes next ---- */

static void perform(struct jd_reflector *r)
{
    if (r->is_safety_due) {
        r->is_safety_due = false;
        r->is_safety = true;
        jl_buffer_reset(&r->list_version);
        jd_list_start(r);
    } else if (r->next == JL_NEXT_WATCH) {
        jd_watch_start(r);
    } else {
        r->is_safety = false;
        jd_list_start(r);
    }
}

static void on_wait(void *user)
{
    struct jd_reflector *r = user;
    jd_timer_set(r->loop, &r->wait, JD_NEVER_MS);
    perform(r);
}

static void wait(struct jd_reflector *r, bool is_slow, double retry_after_s)
{
    const int64_t now_ms = jd_clock_ms();
    const int64_t since_ms = r->waited_ms > 0 ? now_ms - r->waited_ms : 0;
    const double u = jd_kube_chance(r->kube);
    if (since_ms > QUIET_MS)
        r->failures = 0;
    if (is_slow && r->failures < SLOW_FAILURES)
        r->failures = SLOW_FAILURES;
    const struct jl_wait_range range = jl_reflector_wait(r->failures, 0);
    double wait_s = range.least_s + (range.most_s - range.least_s) * u;
    if (retry_after_s > 0)
        wait_s = jl_max(wait_s, jl_retry_after_wait_s(retry_after_s, u));
    r->failures++;
    r->counts.waits++;
    const int64_t real_ms = jd_kube_wait_ms(r->kube, wait_s);
    r->waited_ms = now_ms + real_ms;
    jd_timer_set(r->loop, &r->wait, r->waited_ms);
}

static void go(struct jd_reflector *r, const struct jl_watch_step *step, double retry_after_s)
{
    r->next = step->next;
    if (step->next == JL_NEXT_RELIST_UNSET)
        r->is_unavailable = true;
    if (step->list_version) {
        jl_buffer_reset(&r->list_version);
        jl_put_string(&r->list_version, step->list_version);
    }
    if (step->is_backoff)
        wait(r, step->is_surface, retry_after_s);
    else
        perform(r);
}

/* Watches that work are stopped for it; else it is what comes after the wait. */
static void on_safety(void *user)
{
    struct jd_reflector *r = user;
    jd_timer_set(r->loop, &r->safety, JD_NEVER_MS);
    if (r->is_listing)
        return; /* which sets it anew */
    r->is_safety_due = true;
    if (!r->transfer)
        return;
    jd_watch_stop(r);
    perform(r);
}

/* ---- opening and closing ---- */

static bool copy_texts(struct jd_reflector *r)
{
    const struct jd_reflector_options *options = &r->options;
    r->name_space = jl_strdup(options->name_space);
    r->label_selector = jl_strdup(options->label_selector);
    r->field_selector = jl_strdup(options->field_selector);
    jd_put_api_version(&r->api_version, options->resource);
    return !r->api_version.is_failed && !r->name_space == !options->name_space &&
           !r->label_selector == !options->label_selector &&
           !r->field_selector == !options->field_selector;
}

int jd_reflector_open(struct jd_kube *kube, const struct jd_reflector_options *options,
                      struct jd_reflector **out, struct joulie_error *err)
{
    struct jd_reflector *r = jl_calloc(1, sizeof *r);
    if (!r)
        return jl_fail_memory(err);
    r->go = go;
    r->loop = jd_kube_loop(kube);
    r->kube = kube;
    r->options = *options;
    r->log = jd_kube_log(kube);
    r->metrics = jd_kube_metrics(kube);
    r->wait = (struct jd_timer){ .fire = on_wait, .user = r };
    r->safety = (struct jd_timer){ .fire = on_safety, .user = r };
    if (!copy_texts(r) || jd_timer_set(r->loop, &r->wait, JD_NEVER_MS) < 0 ||
        jd_timer_set(r->loop, &r->safety, JD_NEVER_MS) < 0) {
        jd_reflector_close(r);
        return jl_fail_memory(err);
    }
    const struct jl_watch_state state = jd_follow_state(r);
    const struct jl_watch_step step = jl_watch_on_start(&state);
    *out = r;
    go(r, &step, -1);
    return 0;
}

void jd_reflector_close(struct jd_reflector *r)
{
    if (!r)
        return;
    jd_kube_cancel(r->kube, r);
    jd_watch_stop(r);
    jd_timer_stop(r->loop, &r->wait);
    jd_timer_stop(r->loop, &r->safety);
    jd_seen_clear(&r->seen);
    jl_arena_clear(&r->arena);
    struct jl_buffer *buffers[] = { &r->api_version,  &r->version, &r->list_version,
                                    &r->page_version, &r->more,    &r->key,
                                    &r->text,         &r->problem };
    for (size_t i = 0; i < JL_COUNT(buffers); i++)
        jl_buffer_clear(buffers[i]);
    jl_free(r->name_space);
    jl_free(r->label_selector);
    jl_free(r->field_selector);
    jl_free(r);
}
