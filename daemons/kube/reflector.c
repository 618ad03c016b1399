/* SPDX-License-Identifier: Apache-2.0 */

/* A cache that follows a collection (docs/rules/clients.md#caches): decides what comes next after
 * each list, watch and wait. list.c and watch.c carry one out and report its end, cache.c hands
 * objects over. */

#include "kube/reflector.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "kube/cache.h"
#include "kube/client_parts.h"
#include "kube/list.h"
#include "kube/status.h"
#include "kube/watch.h"
#include "kubernetes/retry.h"
#include "kubernetes/wait.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define SLOW_FAILURES 6          /* from here on the backoff is at its slow end */
#define QUIET_MS INT64_C(120000) /* after it the backoff starts over (kubernetes/wait.c) */
#define SAFETY_S 1800.0          /* docs/rules/clients.md#watches */
#define SAFETY_JITTER 0.1

/* How long a watch has to live to be worth another one at once, and to be worth another list. */
#define PROOF_WATCH_S 1.0
#define PROOF_LIST_S 30.0
#define MOST_QUICK 3

static const struct jd_family failures_family = {
    .name = "joulie_kube_watch_failures_total",
    .help = "What a cache that follows the API server met: versions that had expired, broken "
            "streams, frames that were too long, objects that were not taken.",
    .type = JD_COUNTER,
    .labels = { "component", "resource", "reason" },
};

struct jd_reflector {
    struct jd_loop *loop;
    struct jd_list_selection selection;
    struct jd_reflector_options options; /* texts are those of the selection */
    struct jd_kube_list list;
    struct jd_kube_watch watch;
    struct jd_cache cache;
    struct jd_reflector_counts counts; /* but of lists and watches */

    struct jl_buffer version; /* last seen; empty before the first list */
    bool is_unavailable;      /* a list at that version has failed */
    bool has_synced;
    bool is_missing;  /* the kind is not installed, and need not be */
    bool is_refusing; /* the cache did not take something since the last list: it is reported */
    int64_t heard_ms;
    struct jl_buffer problem; /* empty = none */
    int problem_code;

    struct jd_timer wait;   /* fires what is next; always set, so that it cannot get lost */
    struct jd_timer safety; /* the next list without a version; always set */
    enum jl_watch_next next;
    struct jl_buffer list_version; /* of the next list */
    bool is_safety_due;
    bool is_safety; /* the list on its way is that one */
    int64_t failures;
    int64_t waited_ms; /* end of the last wait; 0 = never */

    /* of the watch on its way */
    int64_t events;
    int64_t heard_events; /* of them, when it was last noted that the server was heard */
    bool has_advanced;
    bool is_ended; /* by an ERROR: end says how */
    struct jl_watch_step end;
    int64_t quick; /* watches in a row that proved nothing */
};

/* ---- what it knows ---- */

static const char *text_of(const struct jl_buffer *text)
{
    return text->len > 0 ? text->data : "";
}

const char *jd_reflector_version(const struct jd_reflector *r)
{
    return text_of(&r->version);
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
    return r->cache.seen.count;
}

void jd_reflector_counts(const struct jd_reflector *r, struct jd_reflector_counts *out)
{
    *out = r->counts;
    out->lists = r->list.lists;
    out->pages = r->list.pages;
    out->watches = r->watch.watches;
    out->expired += r->list.expired;
}

static const char *plural_of(const struct jd_reflector *r)
{
    return r->selection.resource->plural;
}

static struct jl_watch_state state_of(const struct jd_reflector *r)
{
    return (struct jl_watch_state){ .version = text_of(&r->version),
                                    .is_unavailable = r->is_unavailable };
}

/* The same of a watch: one without a version begins with what is there, in no order. */
static struct jl_watch_state watch_state_of(const struct jd_reflector *r)
{
    struct jl_watch_state state = state_of(r);
    state.is_synthetic = jl_is_empty(state.version) || jl_same(state.version, "0");
    return state;
}

/* false = memory ran out: it is still the old one. Not the version that is kept itself. */
static bool set_version(struct jd_reflector *r, const char *version)
{
    struct jl_buffer copy = { 0 };
    if (strlen(version) < r->version.capacity) {
        jl_buffer_reset(&r->version);
        jl_put_string(&r->version, version);
        return true;
    }
    jl_put_string(&copy, version);
    if (copy.is_failed) {
        jl_buffer_clear(&copy);
        return false;
    }
    jl_buffer_clear(&r->version);
    r->version = copy;
    return true;
}

/* ---- what is reported ---- */

static void count(struct jd_reflector *r, const char *reason)
{
    struct jd_metrics *metrics = jd_kube_options(r->selection.kube)->metrics;
    if (metrics)
        jd_metric_add(
            metrics, &failures_family,
            JD_LABELS(jd_kube_options(r->selection.kube)->component, plural_of(r), reason), 1);
}

static void note_expired(struct jd_reflector *r)
{
    r->counts.expired++;
    count(r, "expired");
}

static void note_problem(struct jd_reflector *r, int code, const char *message)
{
    const bool is_reported = r->problem.len > 0 && r->problem_code == code;
    jl_buffer_reset(&r->problem);
    jd_put_format(&r->problem, "%s: ", plural_of(r));
    if (code > 0)
        jd_put_format(&r->problem, "%d ", code);
    jl_put_string(&r->problem, message);
    r->problem_code = code;
    if (r->problem.is_failed)
        jl_buffer_clear(&r->problem);
    else if (!is_reported)
        jd_log(jd_kube_options(r->selection.kube)->log, JOULIE_LOG_LEVEL_WARN, "kube", "%s",
               r->problem.data);
}

/* The server was heard: it works. */
static void note_heard(struct jd_reflector *r)
{
    r->heard_ms = jd_clock_ms();
    if (r->problem.len == 0)
        return;
    jl_buffer_reset(&r->problem);
    jd_log(jd_kube_options(r->selection.kube)->log, JOULIE_LOG_LEVEL_INFO, "kube",
           "%s: followed again", plural_of(r));
}

static void on_refused(void *owner, const char *why)
{
    struct jd_reflector *r = owner;
    r->counts.refused++;
    count(r, "refused");
    if (!r->is_refusing)
        jd_log(jd_kube_options(r->selection.kube)->log, JOULIE_LOG_LEVEL_WARN, "kube",
               "an object of %s is left out, perhaps others too: %s", plural_of(r), why);
    r->is_refusing = true;
}

static void report_moved(const struct jd_reflector *r)
{
    if (r->options.moved)
        r->options.moved(r->options.user);
}

/* ---- what comes next ---- */

static void perform(struct jd_reflector *r)
{
    if (!r->is_safety_due && r->next == JL_NEXT_WATCH) {
        r->events = r->heard_events = 0;
        r->has_advanced = r->is_ended = false;
        jd_kube_watch_start(&r->watch, text_of(&r->version));
        return;
    }
    r->is_safety = r->is_safety_due;
    r->is_safety_due = false;
    jd_kube_list_start(&r->list, r->is_safety ? "" : text_of(&r->list_version));
}

static void on_wait(void *user)
{
    struct jd_reflector *r = user;
    jd_timer_set(r->loop, &r->wait, JD_NEVER_MS);
    perform(r);
}

/* How long a failure is waited for. */
enum pace {
    USUAL,
    STARTING, /* the server is away, or lets nobody in: it may be starting */
    SLOW      /* what is missing need not be there */
};

static void wait(struct jd_reflector *r, enum pace pace, double retry_after_s)
{
    const int64_t now_ms = jd_clock_ms();
    const int64_t since_ms = r->waited_ms > 0 ? now_ms - r->waited_ms : 0;
    const double u = jd_kube_chance(r->selection.kube);
    if (since_ms > QUIET_MS)
        r->failures = 0;
    if (pace == SLOW && r->failures < SLOW_FAILURES)
        r->failures = SLOW_FAILURES;
    const struct jl_wait_range range =
        pace == STARTING ? jl_reflector_start_wait(r->failures) : jl_reflector_wait(r->failures, 0);
    double wait_s = range.least_s + (range.most_s - range.least_s) * u;
    if (retry_after_s > 0)
        wait_s = jl_max(wait_s, jl_retry_after_wait_s(retry_after_s, u));
    r->failures++;
    r->counts.waits++;
    const int64_t real_ms = jd_kube_wait_ms(r->selection.kube, wait_s);
    r->waited_ms = now_ms + real_ms;
    jd_timer_set(r->loop, &r->wait, r->waited_ms);
}

/* A list or a watch has ended, and its rule says this; retry_after_s < 0 = the server asks for no
 * wait. */
static void go(struct jd_reflector *r, const struct jl_watch_step *step, enum pace pace,
               double retry_after_s)
{
    r->next = step->next;
    if (step->next == JL_NEXT_RELIST_UNSET)
        r->is_unavailable = true;
    if (step->list_version) {
        jl_buffer_reset(&r->list_version);
        jl_put_string(&r->list_version, step->list_version);
    }
    if (step->is_backoff)
        wait(r, pace, retry_after_s);
    else
        perform(r);
}

static void set_safety(struct jd_reflector *r)
{
    struct jd_kube *kube = r->selection.kube;
    const double spread = 1 + SAFETY_JITTER * (2 * jd_kube_chance(kube) - 1);
    jd_timer_set(r->loop, &r->safety, jd_clock_ms() + jd_kube_wait_ms(kube, SAFETY_S * spread));
}

/* Watches that work are stopped for it; else it is what comes after the wait. */
static void on_safety(void *user)
{
    struct jd_reflector *r = user;
    jd_timer_set(r->loop, &r->safety, JD_NEVER_MS);
    if (r->list.is_on)
        return; /* which sets it anew */
    r->is_safety_due = true;
    if (!r->watch.transfer)
        return;
    jd_kube_watch_stop(&r->watch);
    perform(r);
}

/* ---- lists ---- */

static void on_list_begin(void *user)
{
    struct jd_reflector *r = user;
    jd_cache_begin_round(&r->cache);
}

static void on_list_object(void *user, struct jl_text object, const struct jd_meta *meta)
{
    struct jd_reflector *r = user;
    jd_cache_upsert(&r->cache, object, meta);
}

static void fail_list(struct jd_reflector *r, const struct jd_kube_list_end *end)
{
    const struct jl_watch_state state = state_of(r);
    struct jl_watch_step step = jl_watch_on_list(
        &state, &(struct jl_watch_list){ .code = end->code,
                                         .is_version_too_large = end->is_version_too_large });
    if (step.next == JL_NEXT_REFRESH) { /* the client has tried that */
        step.next = JL_NEXT_RELIST;
        step.is_backoff = true;
    }
    if (end->code == 410)
        note_expired(r);
    if (end->is_broken) {
        r->counts.broken++;
        count(r, "broken");
    }
    if (step.is_surface || end->is_broken || !r->has_synced)
        note_problem(r, end->code, end->message);
    const bool is_starting =
        step.is_surface || end->code == 401 || (end->code == 0 && !end->is_broken);
    go(r, &step, is_starting ? STARTING : USUAL, end->retry_after_s);
}

static void finish_list(struct jd_reflector *r, const char *version)
{
    const struct jl_watch_state state = state_of(r);
    const struct jl_watch_step step = jl_watch_on_list(
        &state,
        &(struct jl_watch_list){ .code = 200, .version = version, .is_safety = r->is_safety });
    if (step.is_back)
        jd_log(jd_kube_options(r->selection.kube)->log, JOULIE_LOG_LEVEL_WARN, "kube",
               "%s: resourceVersion went back from %s to %s", plural_of(r), state.version,
               step.version);
    jd_cache_end_round(&r->cache);
    if (r->cache.is_short || !set_version(r, step.version)) {
        fail_list(r, &(struct jd_kube_list_end){ .message = "out of memory",
                                                 .retry_after_s = JL_NO_RETRY_AFTER });
        return;
    }
    r->is_safety = r->is_unavailable = r->is_missing = r->is_refusing = false;
    r->has_synced = true;
    set_safety(r);
    note_heard(r);
    go(r, &step, USUAL, JL_NO_RETRY_AFTER);
    report_moved(r);
}

/* A kind that is not installed, and need not be: nothing is there. It is asked for at the slow end.
 */
static void finish_missing(struct jd_reflector *r)
{
    jd_cache_begin_round(&r->cache);
    jd_cache_end_round(&r->cache);
    r->has_synced = r->is_missing = true;
    note_heard(r);
    const struct jl_watch_state state = state_of(r);
    const struct jl_watch_step step =
        jl_watch_on_list(&state, &(struct jl_watch_list){ .code = 404 });
    go(r, &step, SLOW, JL_NO_RETRY_AFTER);
    report_moved(r);
}

static void on_list_done(void *user, const struct jd_kube_list_end *end)
{
    struct jd_reflector *r = user;
    if (end->code == 200)
        finish_list(r, end->version);
    else if (end->code == 404 && r->options.is_optional && !end->has_object_name)
        finish_missing(r);
    else
        fail_list(r, end);
}

/* ---- watches ---- */

/* How an ERROR ends the watch. */
static const char *take_error(struct jd_reflector *r, struct jl_text object)
{
    struct jd_status status;
    const struct jl_watch_state state = watch_state_of(r);
    jd_status_read(object.ptr, object.len, &status);
    const struct jl_watch_event event = {
        .type = JL_EVENT_ERROR,
        .code = status.code,
        .reason = status.reason,
        .is_version_too_large = status.is_version_too_large,
    };
    const bool is_expired =
        status.code == 410 || jl_same(status.reason, "Expired") || jl_same(status.reason, "Gone");
    r->end = jl_watch_on_event(&state, &event);
    r->is_ended = true;
    r->counts.expired += is_expired;
    if (r->end.is_surface)
        note_problem(r, (int)status.code, status.message);
    return is_expired ? "expired" : "error";
}

static const char *take_event(struct jd_reflector *r, enum jl_event_type type,
                              struct jl_text object, struct jl_arena *arena)
{
    struct jd_meta meta;
    const struct jl_watch_state state = watch_state_of(r);
    const int rc = jd_meta_read(object, arena, &meta);
    const char *version = rc == 0 ? jl_arena_copy(arena, meta.version.ptr, meta.version.len) : NULL;
    if (!version)
        return "broken";
    const struct jl_watch_step step =
        jl_watch_on_event(&state, &(struct jl_watch_event){ .type = type, .version = version });
    if (step.action == JL_WATCH_UPSERT)
        jd_cache_upsert(&r->cache, object, &meta); /* another uid: removes first */
    else if (step.action == JL_WATCH_REMOVE)
        jd_cache_remove(&r->cache, &meta);
    if (r->cache.is_short)
        return "memory";
    if (step.action == JL_WATCH_ADVANCE)
        r->counts.bookmarks++;
    else if (step.action != JL_WATCH_IGNORE)
        r->counts.events++;
    r->events += step.action != JL_WATCH_IGNORE;
    if (jl_same(step.version, state.version))
        return NULL;
    r->has_advanced = true;
    return set_version(r, step.version) ? NULL : "memory";
}

static const char *on_frame(void *user, enum jl_event_type type, struct jl_text object,
                            struct jl_arena *arena)
{
    struct jd_reflector *r = user;
    return type == JL_EVENT_ERROR ? take_error(r, object) : take_event(r, type, object, arena);
}

static void on_fed(void *user)
{
    struct jd_reflector *r = user;
    if (r->events == r->heard_events)
        return;
    r->heard_events = r->events;
    note_heard(r);
    report_moved(r);
}

/* A server that ends every watch at once is not asked in a loop, whatever it says. */
static bool is_worth_it(struct jd_reflector *r, bool is_list, double lived_s)
{
    if (lived_s >= (is_list ? PROOF_LIST_S : PROOF_WATCH_S) ||
        (r->has_advanced && lived_s >= PROOF_WATCH_S)) {
        r->quick = 0;
        return true;
    }
    r->quick++;
    return r->quick == 1 || (r->has_advanced && r->quick <= MOST_QUICK);
}

/* What came cannot be used: nobody knows what was in it, so all is listed again. */
static struct jl_watch_step step_of_unusable(struct jd_reflector *r, const char *problem)
{
    const struct jl_watch_state state = state_of(r);
    struct jl_watch_step step =
        jl_watch_on_end(&state, &(struct jl_watch_end){ .kind = JL_END_HTTP, .code = 410 });
    step.is_backoff = true;
    r->counts.broken += jl_same(problem, "broken");
    r->counts.too_long += jl_same(problem, "too-long");
    return step;
}

static struct jl_watch_step step_of_end(struct jd_reflector *r, const struct jd_kube_watch_end *end)
{
    const struct jl_watch_state state = watch_state_of(r);
    const struct jd_reply *reply = end->reply;
    const bool is_whole = reply->end == JD_HTTP_WHOLE;
    const bool is_stream = reply->status == 200;
    if (is_stream && !is_whole) {
        r->counts.broken++;
        count(r, "broken");
    }
    if (is_whole && reply->status == 410)
        note_expired(r);
    struct jd_status status = { 0 };
    if (is_whole && !is_stream)
        jd_status_read(reply->body, reply->len, &status);
    struct jl_watch_step step = jl_watch_on_end(
        &state, &(struct jl_watch_end){ .kind = !is_whole   ? JL_END_CURL
                                                : is_stream ? JL_END_EOF
                                                            : JL_END_HTTP,
                                        .code = reply->status,
                                        .is_version_too_large = status.is_version_too_large,
                                        .lived_s = end->lived_s,
                                        .events = r->events });
    if (is_whole && reply->status == 404) { /* perhaps the kind never comes back: it is listed */
        const struct jl_watch_step start = jl_watch_on_start(&state);
        step.next = start.next;
        step.list_version = start.list_version;
    }
    return step;
}

static void report_end(struct jd_reflector *r, const struct jd_reply *reply,
                       const struct jl_watch_step *step)
{
    struct jd_status status;
    jd_status_read(reply->body, reply->len, &status);
    if (reply->status == 404 && r->options.is_optional)
        return; /* the list finds out */
    const bool is_whole = reply->end == JD_HTTP_WHOLE;
    const bool is_answer = is_whole && reply->status != 200;
    if (step->is_surface || (step->is_backoff && r->failures > 0))
        note_problem(r, is_answer ? reply->status : 0,
                     is_answer  ? status.message
                     : is_whole ? "the server ends each watch at once"
                                : reply->message);
}

static void on_watch_done(void *user, const struct jd_kube_watch_end *end)
{
    struct jd_reflector *r = user;
    struct jl_watch_step step;
    if (end->problem) {
        count(r, end->problem);
        step = r->is_ended ? r->end : step_of_unusable(r, end->problem);
    } else {
        step = step_of_end(r, end);
    }
    if (step.next == JL_NEXT_REFRESH) { /* the watch has tried that, or it was open already */
        step.next = JL_NEXT_WATCH;
        step.is_backoff = true;
    }
    if (!end->problem)
        report_end(r, end->reply, &step);
    if (!step.is_backoff)
        step.is_backoff = !is_worth_it(r, step.next != JL_NEXT_WATCH, end->lived_s);
    const bool is_starting =
        step.is_surface || end->reply->status == 401 || end->reply->end == JD_HTTP_UNREACHABLE;
    go(r, &step, is_starting ? STARTING : USUAL, (double)end->reply->retry_after_s);
}

/* ---- opening and closing ---- */

static bool copy_texts(struct jd_reflector *r)
{
    const struct jd_reflector_options *options = &r->options;
    struct jd_list_selection *selection = &r->selection;
    selection->name_space = jl_strdup(options->name_space);
    selection->label_selector = jl_strdup(options->label_selector);
    selection->field_selector = jl_strdup(options->field_selector);
    jd_put_api_version(&r->cache.api_version, options->resource);
    return !r->cache.api_version.is_failed && !selection->name_space == !options->name_space &&
           !selection->label_selector == !options->label_selector &&
           !selection->field_selector == !options->field_selector;
}

int jd_reflector_open(struct jd_kube *kube, const struct jd_reflector_options *options,
                      struct jd_reflector **out, struct joulie_error *err)
{
    struct jd_reflector *r = jl_calloc(1, sizeof *r);
    if (!r)
        return jl_fail_memory(err);
    r->loop = jd_kube_loop(kube);
    r->options = *options;
    r->selection = (struct jd_list_selection){ .kube = kube, .resource = options->resource };
    r->list = (struct jd_kube_list){ .selection = &r->selection,
                                     .page = options->page,
                                     .begin = on_list_begin,
                                     .object = on_list_object,
                                     .done = on_list_done,
                                     .user = r };
    r->watch = (struct jd_kube_watch){ .selection = &r->selection,
                                       .frame = on_frame,
                                       .fed = on_fed,
                                       .done = on_watch_done,
                                       .user = r };
    r->cache = (struct jd_cache){ .kind = options->resource->kind,
                                  .upsert = options->upsert,
                                  .remove = options->remove,
                                  .user = options->user,
                                  .refused = on_refused,
                                  .owner = r };
    r->wait = (struct jd_timer){ .fire = on_wait, .user = r };
    r->safety = (struct jd_timer){ .fire = on_safety, .user = r };
    if (!copy_texts(r) || jd_timer_set(r->loop, &r->wait, JD_NEVER_MS) < 0 ||
        jd_timer_set(r->loop, &r->safety, JD_NEVER_MS) < 0) {
        jd_reflector_close(r);
        return jl_fail_memory(err);
    }
    const struct jl_watch_state state = state_of(r);
    const struct jl_watch_step step = jl_watch_on_start(&state);
    *out = r;
    go(r, &step, USUAL, JL_NO_RETRY_AFTER);
    return 0;
}

void jd_reflector_close(struct jd_reflector *r)
{
    if (!r)
        return;
    jd_kube_list_clear(&r->list);
    jd_kube_watch_clear(&r->watch);
    jd_cache_clear(&r->cache);
    jd_timer_stop(r->loop, &r->wait);
    jd_timer_stop(r->loop, &r->safety);
    jl_buffer_clear(&r->version);
    jl_buffer_clear(&r->list_version);
    jl_buffer_clear(&r->problem);
    jl_free(r->selection.name_space);
    jl_free(r->selection.label_selector);
    jl_free(r->selection.field_selector);
    jl_free(r);
}
