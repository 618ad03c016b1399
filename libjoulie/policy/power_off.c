/* SPDX-License-Identifier: Apache-2.0 */

/* power_off_v1 (docs/rules/policy.md#power_off_v1): what takes too long, pods that wait, the
 * reserve, and last the nodes that nothing needs. Called by the question `policy.power-off` and by
 * the simulator. */

#define JL_POWER_OFF_TABLES
#include "policy/power_off.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "policy/policy.h"
#include "schema/copy.h"

/* What counts as one machine when cores and GPUs are compared. */
#define CORES_OF_MACHINE 192
#define GPUS_OF_MACHINE 8
#define MOST_UNFIT 16
#define MILLI 1e3
#define MICRO 1e6

const struct jl_words jl_power_state_words = JL_WORDS({
    { JL_POWER_ON, "on" },
    { JL_POWER_STOPPING, "stopping" },
    { JL_POWER_OFF, "off" },
    { JL_POWER_BOOTING, "booting" },
    { JL_POWER_LEFT, "left-alone" },
});

const struct jl_words jl_power_action_words = JL_WORDS({
    { JL_POWER_SWITCH_OFF, "switch-off" },
    { JL_POWER_WAKE, "wake" },
    { JL_POWER_GIVE_UP, "give-up" },
});

const struct jl_words jl_power_reason_words = JL_WORDS({
    { JL_POWER_IDLE, "idle" },
    { JL_POWER_PODS, "pods" },
    { JL_POWER_RESERVE, "reserve" },
    { JL_POWER_STOP_TIMEOUT, "stop-timeout" },
    { JL_POWER_BOOT_TIMEOUT, "boot-timeout" },
    { JL_POWER_DISABLED, "disabled" },
    { JL_POWER_COMMAND_FAILED, "command-failed" },
    { JL_POWER_UNCORDONED, "uncordoned" },
});

/* ---- settings ---- */

static const struct jl_power_off_config defaults = {
    .enabled = true,
    .idle_s = 1800,
    .up_s = 1800,
    .reserve_gpus = 16,
    .reserve_cores = 256,
    .reserve_window_s = 900,
    .standby_w = 50,
    .stop_timeout_s = 600,
    .boot_timeout_s = 1200,
    .most_failures = 3,
};

void jl_power_off_defaults(struct jl_power_off_config *config)
{
    const struct jl_power_off_config given = *config;
    *config = defaults;
    config->has = given.has;
    jl_copy_given(&jl_power_off_config_table, &given, config);
}

/* ---- what came of late ---- */

bool jl_power_is_recent(const struct jl_power_off_config *config, int64_t created_ms,
                        int64_t now_ms)
{
    return now_ms - created_ms <= jl_seconds_ms(config->reserve_window_s);
}

void jl_power_add_recent(struct jl_power_recent *recent, const struct jl_waiting_pod *pod)
{
    recent->millicores += pod->load.millicores;
    recent->micro_gpus[pod->needs.gpu_vendor] += pod->load.micro_gpus;
}

void jl_power_count_recent(const struct jl_power_off_config *config, const struct jl_pod *pod,
                           int64_t now_ms, struct jl_power_recent *recent)
{
    const char *created = pod->meta.creation_timestamp;
    struct jl_waiting_pod view;
    int64_t created_ms = now_ms;
    if (created != NULL && jl_parse_time(created, strlen(created), &created_ms) < 0)
        created_ms = now_ms;
    if (!jl_power_is_recent(config, created_ms, now_ms))
        return;
    jl_waiting_pod_init(pod, NULL, now_ms, &view);
    jl_power_add_recent(recent, &view);
}

/* ---- order ---- */

/* Of the whole node without work; 0 = not known. */
static double idle_w(const struct jl_room *room)
{
    return room->row.cpu_idle_w + room->row.gpu_count * room->row.gpu_idle_w;
}

/* Of the whole node when all of it works; the same. */
static double full_w(const struct jl_place_node *row)
{
    return row->cpu_idle_w + row->cpu_slope_w * row->cpu_cores + row->gpu_count * row->gpu_max_w;
}

static double speed_of(double speed)
{
    return speed > 0 ? speed : 1;
}

/* What it gets done then, in machines of speed 1: one with GPUs is there for work of GPUs. */
static double work_of(const struct jl_room *room)
{
    const struct jl_place_load *offer = &room->offer;
    return offer->micro_gpus > 0
               ? (double)offer->micro_gpus / MICRO / GPUS_OF_MACHINE * speed_of(room->row.gpu_speed)
               : (double)offer->millicores / MILLI / CORES_OF_MACHINE *
                     speed_of(room->row.cpu_speed);
}

struct rank {
    double watts; /* for the work of a machine */
    size_t index;
};

static int by_watts(const void *a, const void *b, void *user)
{
    const struct rank *const left = a;
    const struct rank *const right = b;
    (void)user;
    return JL_ORDER(right->watts, left->watts);
}

int jl_power_order(const struct jl_room *rooms, size_t count, size_t *out)
{
    JL_CLEANUP(jl_freep) struct rank *ranks = jl_calloc(count, sizeof *ranks);
    if (ranks == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const double work = work_of(&rooms[i]);
        ranks[i] = (struct rank){ work > 0 ? full_w(&rooms[i].row) / work : 0, i };
    }
    if (jl_sort(ranks, count, sizeof *ranks, by_watts, NULL) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        out[i] = ranks[i].index;
    return 0;
}

/* ---- what is awake ---- */

struct plan {
    const struct jl_power_input *in;
    struct jl_power_choice *out;
    int64_t free_millicores; /* of nodes that are on or will be */
    int64_t free_micro_gpus[JL_POWER_VENDORS];
    bool is_performance;                            /* the pod that waits */
    const struct jl_waiting_pod *unfit[MOST_UNFIT]; /* the last that had room nowhere */
    size_t unfit_count;                             /* of all */
};

static bool is_on(const struct plan *plan, size_t i)
{
    return plan->in->nodes[i].state == JL_POWER_ON;
}

static bool will_be_on(const struct plan *plan, size_t i)
{
    if (plan->out[i].action != JL_POWER_NOTHING)
        return plan->out[i].action == JL_POWER_WAKE;
    return plan->in->nodes[i].state == JL_POWER_BOOTING;
}

static bool is_asleep(const struct plan *plan, size_t i)
{
    const enum jl_power_state state = plan->in->nodes[i].state;
    return plan->out[i].action == JL_POWER_NOTHING &&
           (state == JL_POWER_OFF || state == JL_POWER_STOPPING);
}

static int64_t free_of(int64_t offered, int64_t held)
{
    return offered > held ? offered - held : 0;
}

/* What a node adds to the reserve, or takes from it. */
static void count_room(struct plan *plan, size_t i, int sign)
{
    const struct jl_room *room = &plan->in->rooms[i];
    plan->free_millicores += sign * free_of(room->offer.millicores, room->held.millicores);
    plan->free_micro_gpus[room->vendor] +=
        sign * free_of(room->offer.micro_gpus, room->held.micro_gpus);
}

static void choose(struct plan *plan, size_t i, enum jl_power_action action,
                   enum jl_power_reason reason)
{
    plan->out[i] = (struct jl_power_choice){ action, reason };
}

static void wake(struct plan *plan, size_t i, enum jl_power_reason reason)
{
    choose(plan, i, JL_POWER_WAKE, reason);
    count_room(plan, i, 1);
}

/* ---- what takes too long ---- */

static void check_timeout(struct plan *plan, size_t i)
{
    const struct jl_power_off_config *config = plan->in->config;
    const struct jl_power_node *node = &plan->in->nodes[i];
    const bool is_stopping = node->state == JL_POWER_STOPPING;
    const double timeout_s = is_stopping ? config->stop_timeout_s : config->boot_timeout_s;
    if ((!is_stopping && node->state != JL_POWER_BOOTING) ||
        plan->in->now_ms - node->since_ms <= jl_seconds_ms(timeout_s))
        return;
    choose(plan, i, node->failures + 1 >= config->most_failures ? JL_POWER_GIVE_UP : JL_POWER_WAKE,
           is_stopping ? JL_POWER_STOP_TIMEOUT : JL_POWER_BOOT_TIMEOUT);
}

/* ---- pods that wait ---- */

static bool admits(const struct plan *plan, size_t i)
{
    return !plan->is_performance || !plan->in->nodes[i].is_eco;
}

static bool admits_now(const void *user, size_t i)
{
    return is_on(user, i) && admits(user, i);
}

static bool admits_soon(const void *user, size_t i)
{
    return will_be_on(user, i) && admits(user, i);
}

static bool would_admit(const void *user, size_t i)
{
    return is_asleep(user, i) && admits(user, i);
}

/* Rooms only become smaller meanwhile: what had none has none later. A queue that waits for a full
 * cluster is mostly of a few shapes. */
static bool is_unfit(const struct plan *plan, const struct jl_waiting_pod *pod)
{
    for (size_t i = 0; i < MOST_UNFIT && i < plan->unfit_count; i++) {
        if (jl_waiting_alike(plan->unfit[i], pod))
            return true;
    }
    return false;
}

static void note_unfit(struct plan *plan, const struct jl_waiting_pod *pod)
{
    plan->unfit[plan->unfit_count++ % MOST_UNFIT] = pod;
}

/* A pod that has room on a node that is awake, or boots already, wakes none. */
static void give_room(struct plan *plan, const struct jl_waiting_pod *pod)
{
    static bool (*const groups[])(const void *user, size_t i) = { admits_now, admits_soon,
                                                                  would_admit };
    const struct jl_power_input *in = plan->in;
    size_t best = in->count;
    if (is_unfit(plan, pod))
        return;
    plan->is_performance = pod->needs.workload_class == JOULIE_WORKLOAD_PERFORMANCE;
    for (size_t group = 0; group < JL_COUNT(groups) && best == in->count; group++)
        best = jl_cheapest_room(pod, in->rooms, in->count, groups[group], plan);
    if (best == in->count) {
        note_unfit(plan, pod);
        return;
    }
    if (is_asleep(plan, best))
        wake(plan, best, JL_POWER_PODS);
    count_room(plan, best, -1);
    jl_room_take(&in->rooms[best], &pod->load);
    count_room(plan, best, 1);
}

/* ---- the reserve ---- */

/* As much again as came of late may come while a node boots; more than that waits for nobody. */
static int64_t reserved(const struct plan *plan, double most, int64_t recent)
{
    const bool is_fixed = !(plan->in->config->reserve_window_s > 0);
    return is_fixed || most < (double)recent ? (int64_t)most : recent;
}

static int64_t reserved_millicores(const struct plan *plan)
{
    return reserved(plan, plan->in->config->reserve_cores * MILLI, plan->in->recent.millicores);
}

static int64_t reserved_micro_gpus(const struct plan *plan, enum joulie_gpu_vendor vendor)
{
    return reserved(plan, plan->in->config->reserve_gpus * MICRO,
                    plan->in->recent.micro_gpus[vendor]);
}

/* Whether there would be too few cores, or GPUs as this node has, with so many less. */
static bool is_short(const struct plan *plan, const struct jl_room *room, int64_t millicores,
                     int64_t micro_gpus)
{
    if (room->offer.micro_gpus > 0 &&
        plan->free_micro_gpus[room->vendor] - micro_gpus < reserved_micro_gpus(plan, room->vendor))
        return true;
    return plan->free_millicores - millicores < reserved_millicores(plan);
}

/* From the end of the order: those that take the least for what they offer. */
static void refill(struct plan *plan)
{
    for (size_t i = plan->in->count; i-- > 0;) {
        const size_t node = plan->in->order[i];
        if (is_asleep(plan, node) && is_short(plan, &plan->in->rooms[node], 0, 0))
            wake(plan, node, JL_POWER_RESERVE);
    }
}

/* ---- what nothing needs ---- */

static bool is_unused(const struct plan *plan, size_t i)
{
    const struct jl_power_off_config *config = plan->in->config;
    const struct jl_power_node *node = &plan->in->nodes[i];
    const struct jl_room *room = &plan->in->rooms[i];
    return is_on(plan, i) && !node->is_kept && room->held.work == 0 &&
           idle_w(room) > config->standby_w &&
           plan->in->now_ms - node->empty_since_ms >= jl_seconds_ms(config->idle_s) &&
           plan->in->now_ms - node->since_ms >= jl_seconds_ms(config->up_s);
}

static void switch_off(struct plan *plan)
{
    for (size_t i = 0; i < plan->in->count; i++) {
        const size_t node = plan->in->order[i];
        const struct jl_room *room = &plan->in->rooms[node];
        if (!is_unused(plan, node) ||
            is_short(plan, room, room->offer.millicores, room->offer.micro_gpus))
            continue;
        choose(plan, node, JL_POWER_SWITCH_OFF, JL_POWER_IDLE);
        count_room(plan, node, -1);
    }
}

/* ---- all of it ---- */

static void wake_all(struct plan *plan)
{
    for (size_t i = 0; i < plan->in->count; i++) {
        if (is_asleep(plan, i))
            wake(plan, i, JL_POWER_DISABLED);
    }
}

void jl_power_decide(const struct jl_power_input *in, struct jl_power_choice *out)
{
    struct plan plan = { .in = in, .out = out };
    memset(out, 0, in->count * sizeof *out);
    for (size_t i = 0; i < in->count; i++)
        check_timeout(&plan, i);
    if (!in->config->enabled) {
        wake_all(&plan);
        return;
    }
    for (size_t i = 0; i < in->count; i++) {
        if (is_on(&plan, i) || will_be_on(&plan, i))
            count_room(&plan, i, 1);
    }
    for (size_t i = 0; i < in->waiting_count; i++)
        give_room(&plan, &in->waiting[i]);
    refill(&plan);
    switch_off(&plan);
}
