/* SPDX-License-Identifier: Apache-2.0 */

/*
 * List, then watch, as pure steps: what an event, the end of a watch or a list means for the
 * cache, and what is asked next. Called by the reflector of daemons/kube/. Implements
 * docs/rules/kubernetes-watch.md.
 */

#include "kubernetes/watch.h"

#include <string.h>

#include "base/text.h"

#define FIRST_LIST_VERSION "0" /* any version will do: it comes from the server's memory */
#define SHORT_LIFE_S 1.0

static const char *kept(const struct jl_watch_state *state)
{
    return state->version ? state->version : "";
}

/* ---- order of versions ---- */

bool jl_version_is_orderable(const char *version)
{
    if (jl_is_empty(version) || version[0] == '0')
        return false;
    for (const char *c = version; *c; c++) {
        if (!jl_is_digit(*c))
            return false;
    }
    return true;
}

bool jl_version_is_older(const char *a, const char *b)
{
    if (!jl_version_is_orderable(a) || !jl_version_is_orderable(b))
        return false;
    const size_t len_a = strlen(a);
    const size_t len_b = strlen(b);
    return len_a != len_b ? len_a < len_b : jl_compare(a, b) < 0;
}

/* ---- lists ---- */

static struct jl_watch_step list_again(const struct jl_watch_state *state)
{
    struct jl_watch_step step = { .version = kept(state) };
    if (state->is_unavailable) {
        step.next = JL_NEXT_RELIST_UNSET;
        step.list_version = "";
    } else if (*step.version) {
        step.next = JL_NEXT_RELIST;
        step.list_version = step.version;
    } else {
        step.next = JL_NEXT_LIST;
        step.list_version = FIRST_LIST_VERSION;
    }
    return step;
}

static struct jl_watch_step relist_unset(const struct jl_watch_state *state)
{
    return (struct jl_watch_step){ .version = kept(state),
                                   .next = JL_NEXT_RELIST_UNSET,
                                   .list_version = "" };
}

struct jl_watch_step jl_watch_on_start(const struct jl_watch_state *state)
{
    struct jl_watch_step step = list_again(state);
    step.next = JL_NEXT_LIST;
    return step;
}

static bool is_denied(int64_t code)
{
    return code == 403 || code == 404 || code == 405;
}

struct jl_watch_step jl_watch_on_list(const struct jl_watch_state *state,
                                      const struct jl_watch_list *list)
{
    struct jl_watch_step step;
    if (list->code == 200) {
        const bool is_newest = list->is_safety || state->is_unavailable;
        return (struct jl_watch_step){ .version = list->version ? list->version : "",
                                       .next = JL_NEXT_WATCH,
                                       .is_back = is_newest && jl_version_is_older(
                                                                   list->version, state->version) };
    }
    if (list->code == 410 || list->is_version_too_large) {
        step = relist_unset(state);
        step.is_backoff = state->is_unavailable;
        return step;
    }
    step = list_again(state);
    if (list->code == 401) {
        step.next = JL_NEXT_REFRESH;
        return step;
    }
    step.is_backoff = true;
    step.is_surface = is_denied(list->code);
    return step;
}

/* ---- watches ---- */

struct jl_watch_step jl_watch_on_end(const struct jl_watch_state *state,
                                     const struct jl_watch_end *end)
{
    struct jl_watch_step step = { .version = kept(state), .next = JL_NEXT_WATCH };
    switch (end->kind) {
    case JL_END_EOF:
        step.is_backoff = end->lived_s < SHORT_LIFE_S && end->events == 0;
        return step;
    case JL_END_HTTP:
        if (end->code == 410)
            return list_again(state);
        if (end->is_version_too_large) { /* perhaps always: a list answers with it again */
            step = relist_unset(state);
            break;
        }
        if (end->code == 401) {
            step.next = JL_NEXT_REFRESH;
            return step;
        }
        step.is_surface = is_denied(end->code);
        break;
    case JL_END_CURL:
    case JL_END_UNKNOWN:
        break;
    }
    step.is_backoff = true;
    return step;
}

static struct jl_watch_step on_error(const struct jl_watch_state *state,
                                     const struct jl_watch_event *event)
{
    const struct jl_watch_end end = { .kind = JL_END_HTTP, .code = event->code };
    if (event->code == 410 || jl_same(event->reason, "Expired") || jl_same(event->reason, "Gone"))
        return list_again(state);
    if (event->code == 504 || event->is_version_too_large)
        return relist_unset(state);
    if (event->code == 500 && event->since_first_error_s >= event->internal_error_retry_s)
        return list_again(state);
    return jl_watch_on_end(state, &end);
}

static enum jl_watch_action action_of(const struct jl_watch_event *event)
{
    switch (event->type) {
    case JL_EVENT_ADDED:
    case JL_EVENT_MODIFIED:
        return event->is_other_uid ? JL_WATCH_REPLACE : JL_WATCH_UPSERT;
    case JL_EVENT_DELETED:
        return JL_WATCH_REMOVE;
    case JL_EVENT_BOOKMARK:
        return JL_WATCH_ADVANCE;
    case JL_EVENT_ERROR:
        return JL_WATCH_END;
    case JL_EVENT_OTHER:
        break;
    }
    return JL_WATCH_IGNORE;
}

struct jl_watch_step jl_watch_on_event(const struct jl_watch_state *state,
                                       const struct jl_watch_event *event)
{
    struct jl_watch_step step = { .version = kept(state) };
    if (event->type == JL_EVENT_ERROR) {
        step = on_error(state, event);
    } else {
        const bool is_unordered = state->is_synthetic && event->type == JL_EVENT_ADDED;
        step.is_reading = true;
        if (event->type != JL_EVENT_OTHER && !is_unordered && !jl_is_empty(event->version))
            step.version = event->version;
    }
    step.action = action_of(event);
    return step;
}
