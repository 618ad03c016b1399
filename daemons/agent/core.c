/* SPDX-License-Identifier: Apache-2.0 */

/* The core's beginning and end; agent.c calls this. */

#include "agent/core.h"

#include <joulie/remote.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/clock.h"

#define END_MS 20000 /* to give back the caps of all nodes */
#define LEASE "joulie-agent-"
#define LEASE_MS 30000    /* between renewals */
#define LEASE_LASTS_S 90  /* three of them */
#define LOCAL_END_MS 5000 /* for the last report of a machine whose caps are given back */

/* The name of a node's objects, by the library's rule; NULL = memory ran out. */
static char *object_name_of(const char *node_name)
{
    char *name = NULL;
    const int rc = joulie_node_object_name(node_name, &name, NULL);
    return rc == JOULIE_E_PARSE ? jl_strdup(node_name) : name;
}

static char *lease_name_of(const char *object_name)
{
    struct jl_buffer name = { 0 };
    jl_put_string(&name, LEASE);
    jl_put_string(&name, object_name);
    return jl_buffer_take(&name);
}

/* While steps end; a machine that is only observed has no cap of ours. */
static void renew_lease(void *user)
{
    struct jd_core *core = user;
    if (!jd_core_problem(core) && !core->is_ending)
        jd_lease_renew(&core->lease);
    jd_timer_set(core->shared->loop, &core->lease_timer, jd_clock_ms() + LEASE_MS);
}

static void begin_lease(struct jd_core *core)
{
    const struct jd_agent_shared *shared = core->shared;
    if (!core->backend->is_local || !shared->enforces || jd_clock_is_simulated(shared->clock))
        return;
    core->lease = (struct jd_lease){
        .kube = shared->kube,
        .clock = shared->clock,
        .log = shared->log,
        .component = "lease",
        .name_space = shared->values->name_space,
        .name = core->lease_name,
        .holder = shared->values->node_name,
        .duration_s = LEASE_LASTS_S,
    };
    core->lease_timer = (struct jd_timer){ .fire = renew_lease, .user = core };
    jd_timer_set(shared->loop, &core->lease_timer, jd_clock_ms());
}

static void on_started(void *user, int64_t now_ms)
{
    jd_core_start(user, now_ms);
    begin_lease(user);
}

int jd_core_open(struct jd_core *core, const struct jd_agent_shared *shared,
                 const struct jd_backend *backend, void *maker, struct joulie_error *err)
{
    const char *node_name = shared->values->node_name;
    core->shared = shared;
    core->backend = backend;
    core->maker = maker;
    jd_steps_begin(&core->steps, backend->is_local ? shared->values->control_interval_ms
                                                   : shared->values->reconcile_interval_ms);
    if (!jl_same(shared->values->agent_mode, "pool")) {
        core->object_name = object_name_of(node_name);
        core->lease_name = core->object_name ? lease_name_of(core->object_name) : NULL;
        if (!core->lease_name)
            return jl_fail_memory(err);
    }
    if (backend->is_local) {
        struct jd_node *node = jd_core_node(core, node_name);
        if (!node)
            return jl_fail_memory(err);
        node->is_selected = true;
        if (jd_node_drive(node, err) < 0)
            return err->code;
    }
    const int rc = jd_core_watch(core, err);
    if (rc == 0)
        jd_clock_when_started(shared->clock, on_started, core);
    return rc;
}

size_t jd_core_held(const struct jd_core *core)
{
    size_t held = core->lost;
    for (size_t i = 0; i < core->count; i++)
        held += core->nodes[i]->driven && core->backend->holds(core->nodes[i]->driven);
    return held;
}

static bool drives_any(const struct jd_core *core)
{
    for (size_t i = 0; i < core->count; i++) {
        if (core->nodes[i]->alarm.is_set)
            return true;
    }
    return false;
}

/* A pool without nodes, one that waits for its first lists, and one that a simulator steps, have
 * nothing to do by the machine's time. */
const char *jd_core_problem(const struct jd_core *core)
{
    if (!core->is_started || core->is_ending || jd_clock_is_simulated(core->shared->clock) ||
        !drives_any(core))
        return NULL;
    return jd_steps_problem(&core->steps);
}

static void on_deadline(void *user)
{
    struct jd_core *core = user;
    core->ended(core->user);
}

void jd_core_end(struct jd_core *core, void (*ended)(void *user), void *user)
{
    const int64_t end_ms = core->backend->is_local ? LOCAL_END_MS : END_MS;
    if (core->is_ending)
        return;
    core->is_ending = true;
    core->ended = ended;
    core->user = user;
    core->deadline = (struct jd_timer){ .fire = on_deadline, .user = core };
    for (size_t i = 0; i < core->count; i++) {
        jd_alarm_stop(core->shared->clock, &core->nodes[i]->alarm);
        if (core->nodes[i]->driven)
            jd_node_leave(core->nodes[i]);
    }
    jd_timer_set(core->shared->loop, &core->deadline,
                 jd_clock_ms() + (core->busy > 0 ? end_ms : 0));
}

void jd_core_close(struct jd_core *core)
{
    if (!core->backend)
        return;
    jd_timer_stop(core->shared->loop, &core->deadline);
    jd_timer_stop(core->shared->loop, &core->lease_timer);
    jd_feed_close(&core->feed);
    for (size_t i = 0; i < core->count; i++)
        jd_node_free(core->nodes[i]);
    jl_free(core->nodes);
    jl_index_clear(&core->twins);
    jl_index_clear(&core->hardware);
    jl_free(core->object_name);
    jl_free(core->lease_name);
    jl_free(core->selector);
    jl_free(core->node_selector);
    *core = (struct jd_core){ 0 };
}
