/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a remote node is wired to, and how that changes while it is driven
 * (docs/rules/endpoints.md#telemetryprofiles): a source takes over when it has answered, a control
 * when the old one has taken back what it holds. The core wires, the step (remote.c) asks here.
 */

#include <string.h>

#include "agent/remote_parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/json.h"
#include "runtime/url.h"

#define COMPONENT "wiring"
#define MOST_MOVING 3 /* steps that try to give back, as for a node that leaves */

/* ---- one endpoint ---- */

static bool is_same(const struct joulie_remote_endpoint *a, const struct joulie_remote_endpoint *b)
{
    return a->type == b->type && a->mode == b->mode && jl_same(a->url, b->url);
}

/* Whoever drives a node over HTTP has no host. */
static void drop_host(struct joulie_remote_endpoint *endpoint)
{
    if (endpoint->type == JOULIE_REMOTE_TYPE_HOST)
        endpoint->type = JOULIE_REMOTE_TYPE_NONE;
}

/* Without memory for it nothing is taken, until the next step. */
static void take(struct jd_remote *remote, struct joulie_remote_endpoint *in_use,
                 const struct joulie_remote_endpoint *wanted, const char *what)
{
    JL_CLEANUP(jl_freep) char *shown = wanted->url ? jd_shown_url(wanted->url) : NULL;
    char *url = jl_strdup(wanted->url);
    if (wanted->url && !url)
        return;
    jd_log(remote->shared->log, JOULIE_LOG_LEVEL_INFO, COMPONENT, "%s: %s %s", remote->name, what,
           shown ? shown : "nowhere");
    joulie_free(in_use->url);
    *in_use = *wanted;
    in_use->url = url;
    remote->has_moved = true;
}

/* ---- controls ---- */

static bool holds(const struct jd_remote *remote, const struct jd_remote_part *part)
{
    return part->has_original || (part == &remote->cpu && remote->throttle.is_ours);
}

static const struct joulie_remote_endpoint *wanted_of(const struct jd_remote *remote,
                                                      const struct jd_remote_part *part)
{
    return part == &remote->cpu ? &remote->wanted.cpu_control : &remote->wanted.gpu_control;
}

static bool part_moves(const struct jd_remote *remote, const struct jd_remote_part *part)
{
    return !is_same(part->endpoint, wanted_of(remote, part));
}

/* What is known of the limits is of the old control; what was there before our caps, and that a cap
 * of an agent before this one is in force, is the machine's. */
static void take_control(struct jd_remote *remote, struct jd_remote_part *part)
{
    struct jd_endpoints *in_use = &remote->endpoints;
    part->limit = (struct jd_watts){ 0 };
    part->is_pending = false;
    part->unseen = 0;
    part->is_inherited = part->is_inherited && !part->is_known;
    part->is_known = part->has_original;
    take(remote, part == &remote->cpu ? &in_use->cpu_control : &in_use->gpu_control,
         wanted_of(remote, part),
         part == &remote->cpu ? "from now on caps of its CPUs go to"
                              : "from now on caps of its GPUs go to");
}

static void settle_control(struct jd_remote *remote, struct jd_remote_part *part)
{
    if (part_moves(remote, part) && !holds(remote, part))
        take_control(remote, part);
}

/* ---- all of it ---- */

/* What does not wait for an answer. */
static void settle(struct jd_remote *remote)
{
    const struct joulie_remote_endpoint *source = &remote->wanted.cpu_source;
    if (!is_same(&remote->endpoints.cpu_source, source) && !source->url)
        take(remote, &remote->endpoints.cpu_source, source, "from now on its power is read from");
    settle_control(remote, &remote->cpu);
    settle_control(remote, &remote->gpu);
    remote->is_rewired = !is_same(&remote->endpoints.cpu_source, source) ||
                         part_moves(remote, &remote->cpu) || part_moves(remote, &remote->gpu);
}

/* Of an endpoint that stays. */
static void take_timeout(struct joulie_remote_endpoint *in_use,
                         const struct joulie_remote_endpoint *wanted)
{
    if (is_same(in_use, wanted))
        in_use->timeout_ms = wanted->timeout_ms;
}

/* The metadata in the facts, which has the labels; NULL = unknown. */
static char *meta_of(const char *facts)
{
    JL_CLEANUP(jd_json_freep)
    struct json_object *node = facts ? jd_json_parse(facts, strlen(facts)) : NULL;
    struct json_object *meta = jd_json_at(node, "metadata");
    struct jl_buffer text = { 0 };
    if (!meta)
        return NULL;
    jd_json_put_tree(&text, meta);
    return jl_buffer_take(&text);
}

int jd_remote_wire(void *driven, const char *facts, struct joulie_error *err)
{
    struct jd_remote *remote = driven;
    struct jd_endpoints found = { 0 };
    JL_CLEANUP(jl_freep) char *meta = meta_of(facts);
    const int rc = jd_endpoints_read(remote->shared->values, remote->shared->profiles, remote->name,
                                     meta, &found, err);
    if (rc < 0)
        return rc;
    drop_host(&found.cpu_source);
    drop_host(&found.cpu_control);
    drop_host(&found.gpu_control);
    jd_endpoints_clear(&remote->wanted);
    if (!remote->is_wired) { /* there is nothing that it could take over from */
        remote->endpoints = found;
        remote->is_wired = true;
        return 0;
    }
    remote->wanted = found;
    remote->logged_try = NULL;
    remote->move_count = 0;
    take_timeout(&remote->endpoints.cpu_source, &remote->wanted.cpu_source);
    take_timeout(&remote->endpoints.cpu_control, &remote->wanted.cpu_control);
    take_timeout(&remote->endpoints.gpu_control, &remote->wanted.gpu_control);
    settle(remote);
    return 0;
}

bool jd_remote_has_moved(void *driven)
{
    struct jd_remote *remote = driven;
    const bool has_moved = remote->has_moved;
    remote->has_moved = false;
    return has_moved;
}

/* ---- a source ---- */

const struct joulie_remote_endpoint *jd_remote_new_source(const struct jd_remote *remote)
{
    const struct joulie_remote_endpoint *source = &remote->wanted.cpu_source;
    return remote->is_rewired && !is_same(&remote->endpoints.cpu_source, source) ? source : NULL;
}

bool jd_remote_try(struct jd_remote *remote, const struct jd_reply *reply)
{
    const struct joulie_remote_endpoint *source = &remote->wanted.cpu_source;
    struct jd_sample sample;
    jd_sample_read(reply, source->type, remote->now_ms,
                   remote->shared->values->reconcile_interval_ms, &sample);
    const char *problem = sample.problem         ? sample.problem
                          : !sample.cpu.is_known ? "the reply has no power of the CPUs"
                                                 : NULL;
    if (!problem) {
        take(remote, &remote->endpoints.cpu_source, source, "from now on its power is read from");
        settle(remote);
        return true;
    }
    if (problem != remote->logged_try) {
        JL_CLEANUP(jl_freep) char *shown = jd_shown_url(source->url);
        jd_log(remote->shared->log, JOULIE_LOG_LEVEL_WARN, COMPONENT,
               "%s: the new source does not take over, the old one stays: %s: %s", remote->name,
               shown ? shown : "", problem);
    }
    remote->logged_try = problem;
    return false;
}

/* ---- giving back before a move ---- */

bool jd_remote_is_moving(const void *driven)
{
    const struct jd_remote *remote = driven;
    return remote->is_rewired &&
           ((part_moves(remote, &remote->cpu) && holds(remote, &remote->cpu)) ||
            (part_moves(remote, &remote->gpu) && holds(remote, &remote->gpu)));
}

/* The old control does not answer. A new one goes on with what it holds; without one it is asked
 * again in each step, as nobody else could give back. */
static void move_anyhow(struct jd_remote *remote, struct jd_remote_part *part)
{
    if (!part_moves(remote, part) || !holds(remote, part))
        return;
    if (wanted_of(remote, part)->type == JOULIE_REMOTE_TYPE_HTTP) {
        jd_log(
            remote->shared->log, JOULIE_LOG_LEVEL_WARN, COMPONENT,
            "%s: the old control of its %ss takes nothing back: the new one goes on with the cap",
            remote->name, part->word);
        take_control(remote, part);
    } else if (!remote->is_stuck) {
        remote->is_stuck = true;
        jd_log(remote->shared->log, JOULIE_LOG_LEVEL_ERROR, COMPONENT,
               "%s: the old control of its %ss takes nothing back: it is asked again in each step",
               remote->name, part->word);
    }
}

void jd_remote_end_move(struct jd_remote *remote)
{
    remote->move_count++;
    settle(remote);
    if (remote->move_count >= MOST_MOVING) {
        move_anyhow(remote, &remote->cpu);
        move_anyhow(remote, &remote->gpu);
        settle(remote);
    }
    if (jd_remote_is_moving(remote))
        return;
    remote->move_count = 0;
    remote->is_stuck = false;
}
