/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The plan of one workload (docs/rules/threads.md#plan): groups out of threads, cores for exclusive
 * groups with the ladder of levels below them, CPUs and attributes for every thread.
 */

#include "threads/plan.h"

#include <joulie/error.h>

#include "base/sort.h"
#include "threads/cores.h"
#include "threads/sizing.h"

#define MILLICPU 1000
#define BUSY_UTIL 0.20    /* a thread from here on needs a core */
#define STACKING_UTIL 1.2 /* per core: siblings cost more than they bring */
#define UCLAMP_FULL 1024

const struct jl_words jl_fence_level_words = JL_WORDS({
    { JL_LEVEL_D0, "D0" },
    { JL_LEVEL_D1, "D1" },
    { JL_LEVEL_D2, "D2" },
    { JL_LEVEL_D3, "D3" },
    { JL_LEVEL_D4, "D4" },
});

const struct jl_words jl_fence_reason_words = JL_WORDS({
    { JL_REASON_TIER, "tier" },
    { JL_REASON_BUDGET, "budget" },
    { JL_REASON_FENCE, "fence" },
    { JL_REASON_LAYERS, "layers" },
    { JL_REASON_BACKEND, "backend" },
});

/* What planning carries along. */
struct planner {
    struct jl_arena *arena;
    const struct jl_threads_plan_input *in;
    struct jl_thread_plans *out;
    struct jl_cpu_set *left; /* allowed and fenced by nobody, this workload included */
    bool is_fenced;          /* an exclusive group took cores */
    int64_t budget;          /* cores that may still be taken */
    int64_t fenceable;       /* of the node, likewise */
    size_t reserve;
    size_t dealt; /* cores that spread groups were given, to begin behind them */
};

static const struct jl_thread_group *group_at(const struct planner *planner, size_t index)
{
    return JL_ITEM(planner->in->profile->groups, jl_thread_group, index);
}

static const struct jl_thread *thread_at(const struct planner *planner, size_t index)
{
    return JL_ITEM(*planner->in->threads, jl_thread, index);
}

static struct jl_cpu_set *new_set(struct planner *planner, const struct jl_cpu_set *from)
{
    struct jl_cpu_set *set = JL_NEW(planner->arena, struct jl_cpu_set);
    if (set != NULL && from != NULL)
        *set = *from;
    return set;
}

/* ---- what a group's threads need ---- */

struct load {
    size_t threads;
    size_t busy;
    bool is_measured; /* one of them at least */
    double util;      /* of all together */
};

static struct load load_of(const struct planner *planner, size_t group)
{
    struct load load = { 0 };
    for (size_t i = 0; i < planner->in->threads->count; i++) {
        const struct jl_thread *thread = thread_at(planner, i);
        if (planner->out->threads[i].group != group)
            continue;
        load.threads++;
        load.util += thread->util;
        load.is_measured = load.is_measured || thread->given.util;
        load.busy += thread->given.util && thread->util >= BUSY_UTIL;
    }
    return load;
}

/* ---- the budget ---- */

static int64_t budget_of(const struct jl_threads_plan_input *in)
{
    const int64_t cores = in->cpu_request_m / MILLICPU + (in->cpu_request_m % MILLICPU != 0);
    if (in->tier > in->profile->traits.min_tier)
        return 0;
    return cores > 1 ? cores : 1;
}

/* Cores all of whose CPUs are in the set. */
static int64_t whole_cores(const struct jl_list *cores, const struct jl_cpu_set *set)
{
    int64_t count = 0;
    for (size_t i = 0; i < cores->count; i++) {
        struct jl_cpu_set cpus;
        jl_core_cpus(JL_ITEM(*cores, jl_machine_core, i), &cpus);
        count += jl_cpu_set_holds(set, &cpus);
    }
    return count;
}

static int64_t wanted_cores(const struct planner *planner, const struct jl_exclusive *exclusive,
                            const struct load *load)
{
    int64_t wanted = exclusive->cores;
    int64_t most = planner->budget;
    if (wanted == JL_CORES_AUTO)
        wanted = load->is_measured ? (int64_t)load->busy : planner->budget;
    if (exclusive->max_cores > 0 && exclusive->max_cores < most)
        most = exclusive->max_cores;
    wanted = wanted < most ? wanted : most;
    return wanted < exclusive->min_cores ? 0 : wanted;
}

/* ---- fences ---- */

static int by_number(const void *a, const void *b, void *user)
{
    const struct planner *planner = user;
    const struct jl_list *cores = &planner->in->machine->cores;
    return JL_ORDER(JL_ITEM(*cores, jl_machine_core, *(const size_t *)a)->id,
                    JL_ITEM(*cores, jl_machine_core, *(const size_t *)b)->id);
}

static int sort_cores(struct planner *planner, size_t *cores, size_t count)
{
    size_t *scratch = JL_NEW_ARRAY(planner->arena, count, size_t);
    if (scratch == NULL)
        return jl_arena_code(planner->arena);
    jl_sort_with(cores, count, sizeof *cores, by_number, planner, scratch);
    return 0;
}

/* Gives a group its cores: run on one CPU of each, or on all. */
static int fence(struct planner *planner, struct jl_group_plan *plan, size_t *cores, size_t count,
                 bool is_isolated)
{
    struct jl_cpu_set taken = { 0 };
    plan->cpus = new_set(planner, NULL);
    plan->idle_cpus = is_isolated ? new_set(planner, NULL) : NULL;
    if (plan->cpus == NULL || (is_isolated && plan->idle_cpus == NULL))
        return jl_arena_code(planner->arena);
    for (size_t i = 0; i < count; i++) {
        const struct jl_machine_core *core =
            JL_ITEM(planner->in->machine->cores, jl_machine_core, cores[i]);
        struct jl_cpu_set cpus;
        jl_core_cpus(core, &cpus);
        jl_cpu_set_unite(&taken, &cpus);
        if (is_isolated)
            jl_cpu_set_add(plan->cpus, jl_core_first_cpu(core));
        else
            jl_cpu_set_unite(plan->cpus, &cpus);
    }
    if (is_isolated) {
        jl_cpu_set_unite(plan->idle_cpus, &taken);
        jl_cpu_set_remove(plan->idle_cpus, plan->cpus);
    }
    jl_cpu_set_remove(planner->left, &taken);
    planner->is_fenced = true;
    planner->budget -= (int64_t)count;
    planner->fenceable -= (int64_t)count;
    planner->out->taken_cores += (int64_t)count;
    plan->level = is_isolated ? JL_LEVEL_D0 : JL_LEVEL_D1;
    plan->cores = cores;
    plan->core_count = count;
    return sort_cores(planner, cores, count);
}

/* 0 = done, JOULIE_E_RANGE = there are not enough cores. */
static int try_fence(struct planner *planner, struct jl_group_plan *plan, int64_t count,
                     bool is_isolated)
{
    if (count > planner->fenceable)
        return JOULIE_E_RANGE;
    const struct jl_core_request request = {
        .cores = &planner->in->machine->cores,
        .allowed = planner->left,
        .reserve = planner->reserve,
        .count = (size_t)count,
    };
    size_t *cores = JL_NEW_ARRAY(planner->arena, request.count, size_t);
    if (cores == NULL)
        return jl_arena_code(planner->arena);
    const int rc = jl_pick_cores(planner->arena, &request, cores);
    return rc < 0 ? rc : fence(planner, plan, cores, request.count, is_isolated);
}

/* The first two steps of the ladder; the level stays unknown when neither is there. */
static int fence_group(struct planner *planner, size_t index)
{
    const struct jl_thread_group *group = group_at(planner, index);
    const struct jl_exclusive *exclusive = &group->exclusive;
    struct jl_group_plan *plan = &planner->out->groups[index];
    const struct load load = load_of(planner, index);
    const int64_t smt = planner->in->machine->smt > 0 ? planner->in->machine->smt : 1;
    if (load.threads == 0 && !planner->in->is_static)
        return 0;
    const int64_t cores = wanted_cores(planner, exclusive, &load);
    const int64_t shared = cores / smt + (cores % smt != 0);
    plan->wanted_cores = cores;
    plan->level = JL_LEVEL_D2;
    if (cores < 1) {
        plan->reason = planner->in->tier > planner->in->profile->traits.min_tier ? JL_REASON_TIER
                                                                                 : JL_REASON_BUDGET;
        return 0;
    }
    if (exclusive->smt == JL_SMT_ISOLATE) {
        const int rc = try_fence(planner, plan, cores, true);
        if (rc != JOULIE_E_RANGE)
            return rc;
        plan->reason = JL_REASON_FENCE;
    }
    if (planner->in->profile->traits.spin_wait || load.util >= STACKING_UTIL * (double)shared) {
        if (plan->reason == JL_REASON_NONE)
            plan->reason = JL_REASON_BUDGET;
        return 0;
    }
    const int rc = try_fence(planner, plan, shared, false);
    if (rc == JOULIE_E_RANGE)
        plan->reason = JL_REASON_FENCE;
    return rc == JOULIE_E_RANGE ? 0 : rc;
}

/* ---- spreading ---- */

struct dealt_thread {
    size_t index;
    int64_t tid;
    double util;
};

static int by_util(const void *a, const void *b, void *user)
{
    const struct dealt_thread *x = a;
    const struct dealt_thread *y = b;
    (void)user;
    return x->util != y->util ? JL_ORDER(y->util, x->util) : JL_ORDER(x->tid, y->tid);
}

/* The threads of a group that are given cores: the busy ones, or all before they were measured. */
static size_t list_dealt(const struct planner *planner, size_t group, bool is_measured,
                         struct dealt_thread *out)
{
    size_t count = 0;
    for (size_t i = 0; i < planner->in->threads->count; i++) {
        const struct jl_thread *thread = thread_at(planner, i);
        if (planner->out->threads[i].group == group && (!is_measured || thread->util >= BUSY_UTIL))
            out[count++] = (struct dealt_thread){ i, thread->tid, thread->util };
    }
    return count;
}

/* Deals cores to threads, one each. */
static int deal(struct planner *planner, size_t group, const struct dealt_thread *threads,
                size_t count, const size_t *order, size_t order_count)
{
    struct jl_group_plan *plan = &planner->out->groups[group];
    plan->cores = JL_NEW_ARRAY(planner->arena, count, size_t);
    plan->cpus = new_set(planner, NULL);
    if (plan->cores == NULL || plan->cpus == NULL)
        return jl_arena_code(planner->arena);
    for (size_t i = 0; i < count; i++) {
        const size_t core = order[(planner->dealt + i) % order_count];
        struct jl_cpu_set *cpus = new_set(planner, NULL);
        if (cpus == NULL)
            return jl_arena_code(planner->arena);
        jl_core_cpus(JL_ITEM(planner->in->machine->cores, jl_machine_core, core), cpus);
        jl_cpu_set_unite(plan->cpus, cpus);
        planner->out->threads[threads[i].index].cpus = cpus;
        plan->cores[plan->core_count++] = core;
    }
    planner->dealt += count;
    return sort_cores(planner, plan->cores, plan->core_count);
}

/* *out_fits false: more threads than whole cores. */
static int spread_group(struct planner *planner, size_t group, bool *out_fits)
{
    const struct jl_core_request request = {
        .cores = &planner->in->machine->cores,
        .allowed = planner->left,
        .reserve = planner->reserve,
    };
    const size_t most = planner->in->threads->count;
    const struct load load = load_of(planner, group);
    struct dealt_thread *threads = JL_NEW_ARRAY(planner->arena, most, struct dealt_thread);
    struct dealt_thread *scratch = JL_NEW_ARRAY(planner->arena, most, struct dealt_thread);
    size_t *order = JL_NEW_ARRAY(planner->arena, request.cores->count, size_t);
    if (threads == NULL || scratch == NULL || order == NULL)
        return jl_arena_code(planner->arena);
    const int64_t cores = jl_order_cores(planner->arena, &request, order);
    if (cores < 0)
        return (int)cores;
    const size_t count = list_dealt(planner, group, load.is_measured, threads);
    jl_sort_with(threads, count, sizeof *threads, by_util, NULL, scratch);
    *out_fits = count <= (size_t)cores;
    return *out_fits && count > 0 ? deal(planner, group, threads, count, order, (size_t)cores) : 0;
}

static int spread_groups(struct planner *planner)
{
    for (size_t i = 0; i < planner->in->profile->groups.count; i++) {
        const struct jl_thread_group *group = group_at(planner, i);
        struct jl_group_plan *plan = &planner->out->groups[i];
        const bool is_demoted = plan->level == JL_LEVEL_D2;
        bool fits = true;
        if (!is_demoted && !(group->treatment == JL_TREATMENT_LATENCY && group->latency.spread))
            continue;
        const int rc = spread_group(planner, i, &fits);
        if (rc < 0)
            return rc;
        if (is_demoted && !fits)
            plan->level = JL_LEVEL_D3;
    }
    return 0;
}

/* ---- threads ---- */

/* The last CPUs of what is left. */
static struct jl_cpu_set *last_cpus(struct planner *planner, int64_t count)
{
    size_t skipped = jl_cpu_set_count(planner->left);
    skipped = (uint64_t)count < skipped ? skipped - (size_t)count : 0;
    struct jl_cpu_set *set = new_set(planner, NULL);
    JL_EACH_CPU(cpu, planner->left)
    {
        if (skipped > 0)
            skipped--;
        else if (set != NULL)
            jl_cpu_set_add(set, cpu);
    }
    return set;
}

/* CPUs of the groups that have none of their own. */
static int bind_groups(struct planner *planner)
{
    const size_t count = planner->in->profile->groups.count;
    const bool has_cpus = jl_cpu_set_next(planner->left, 0) < JL_LIMIT_CPUS;
    for (size_t i = 0; i <= count; i++) {
        struct jl_group_plan *plan = &planner->out->groups[i];
        const bool is_yield = i < count && group_at(planner, i)->treatment == JL_TREATMENT_YIELD;
        const int64_t most = is_yield && has_cpus ? group_at(planner, i)->yield.max_cpus : 0;
        if (plan->cpus == NULL && most > 0)
            plan->cpus = last_cpus(planner, most);
        else if (plan->cpus == NULL && planner->is_fenced)
            plan->cpus = planner->left;
    }
    return planner->arena->is_failed ? jl_arena_code(planner->arena) : 0;
}

/* One core each, by thread id. */
static int pin_threads(struct planner *planner, size_t group)
{
    const struct jl_group_plan *plan = &planner->out->groups[group];
    struct jl_cpu_set **sets = JL_NEW_ARRAY(planner->arena, plan->core_count, struct jl_cpu_set *);
    const size_t most = planner->in->threads->count;
    struct dealt_thread *threads = JL_NEW_ARRAY(planner->arena, most, struct dealt_thread);
    struct dealt_thread *scratch = JL_NEW_ARRAY(planner->arena, most, struct dealt_thread);
    if (sets == NULL || threads == NULL || scratch == NULL)
        return jl_arena_code(planner->arena);
    for (size_t i = 0; i < plan->core_count; i++) {
        const struct jl_machine_core *core =
            JL_ITEM(planner->in->machine->cores, jl_machine_core, plan->cores[i]);
        sets[i] = new_set(planner, NULL);
        if (sets[i] == NULL)
            return jl_arena_code(planner->arena);
        if (plan->level == JL_LEVEL_D0)
            jl_cpu_set_add(sets[i], jl_core_first_cpu(core));
        else
            jl_core_cpus(core, sets[i]);
    }
    const size_t count = list_dealt(planner, group, false, threads);
    for (size_t i = 0; i < count; i++)
        threads[i].util = 0; /* by id alone */
    jl_sort_with(threads, count, sizeof *threads, by_util, NULL, scratch);
    for (size_t i = 0; i < count; i++)
        planner->out->threads[threads[i].index].cpus = sets[i % plan->core_count];
    return 0;
}

static void treat_as_latency(const struct jl_latency *latency, struct jl_thread_plan *out)
{
    out->policy = JL_SCHED_NORMAL;
    out->has_nice = true;
    out->nice = latency->nice;
    out->slice_us = latency->eevdf_slice_us;
    out->uclamp_min = latency->uclamp_min;
}

static void treat(const struct jl_thread_group *group, enum jl_fence_level level,
                  struct jl_thread_plan *out)
{
    switch (group->treatment) {
    case JL_TREATMENT_EXCLUSIVE:
        if (level == JL_LEVEL_D2 || level == JL_LEVEL_D3) {
            treat_as_latency(&group->latency, out); /* whose members are its defaults */
            break;
        }
        out->policy = JL_SCHED_NORMAL;
        out->has_nice = true;
        out->nice = group->exclusive.nice;
        out->slice_us = group->exclusive.slice_us;
        break;
    case JL_TREATMENT_LATENCY:
        treat_as_latency(&group->latency, out);
        break;
    case JL_TREATMENT_YIELD:
        out->policy = group->yield.policy == JL_YIELD_IDLE ? JL_SCHED_IDLE : JL_SCHED_BATCH;
        out->has_nice = out->policy == JL_SCHED_BATCH;
        out->nice = group->yield.nice;
        out->uclamp_max = group->yield.uclamp_max;
        break;
    case JL_TREATMENT_NORMAL:
    case JL_TREATMENT_UNKNOWN:
        break;
    }
}

static int plan_thread(struct planner *planner, size_t index)
{
    const struct jl_thread *thread = thread_at(planner, index);
    const size_t groups = planner->in->profile->groups.count;
    struct jl_thread_plan *plan = &planner->out->threads[index];
    struct jl_cpu_set affinity;
    plan->uclamp_max = UCLAMP_FULL;
    plan->is_real_time = jl_is_real_time(thread);
    if (plan->is_real_time)
        return 0;
    const size_t group = plan->group == JL_NO_GROUP ? groups : plan->group;
    const struct jl_group_plan *its = &planner->out->groups[group];
    const bool is_spread = plan->cpus == NULL && its->core_count > 0 && its->level != JL_LEVEL_D0 &&
                           its->level != JL_LEVEL_D1;
    if (is_spread) /* one that is not busy enough for a core */
        plan->cpus = planner->is_fenced ? planner->left : NULL;
    else if (plan->cpus == NULL)
        plan->cpus = its->cpus;
    if (thread->given.affinity && !planner->in->profile->traits.self_affinity) {
        const int rc = jl_cpu_list_parse(jl_text(thread->affinity), &affinity);
        if (rc < 0)
            return rc;
        plan->sets_affinity = !jl_cpu_set_is_same(&affinity, planner->in->allowed);
        if (plan->sets_affinity)
            plan->cpus = NULL;
    }
    if (group < groups)
        treat(group_at(planner, group), its->level, plan);
    return 0;
}

/* ---- all of it ---- */

static int fence_groups(struct planner *planner)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < planner->in->profile->groups.count; i++)
        if (group_at(planner, i)->treatment == JL_TREATMENT_EXCLUSIVE)
            rc = fence_group(planner, i);
    return rc;
}

static int bind_threads(struct planner *planner)
{
    int rc = bind_groups(planner);
    for (size_t i = 0; rc == 0 && i < planner->in->profile->groups.count; i++) {
        const enum jl_fence_level level = planner->out->groups[i].level;
        if ((level == JL_LEVEL_D0 || level == JL_LEVEL_D1) &&
            group_at(planner, i)->exclusive.pin == JL_PIN_PER_THREAD)
            rc = pin_threads(planner, i);
    }
    for (size_t i = 0; rc == 0 && i < planner->in->threads->count; i++)
        rc = plan_thread(planner, i);
    return rc;
}

static int assign(struct planner *planner)
{
    const size_t count = planner->in->threads->count;
    size_t *groups = JL_NEW_ARRAY(planner->arena, count, size_t);
    if (groups == NULL)
        return jl_arena_code(planner->arena);
    const int rc =
        jl_assign_threads(planner->arena, planner->in->profile, planner->in->threads, groups);
    for (size_t i = 0; rc == 0 && i < count; i++)
        planner->out->threads[i].group = groups[i];
    return rc;
}

int jl_plan_threads(struct jl_arena *arena, const struct jl_threads_plan_input *in,
                    struct jl_thread_plans *out)
{
    const struct jl_list *cores = &in->machine->cores;
    const int64_t reserve = jl_reserve_cores((int64_t)cores->count);
    struct planner planner = {
        .arena = arena,
        .in = in,
        .out = out,
        .budget = budget_of(in),
        .reserve = (size_t)reserve,
        .fenceable = (int64_t)cores->count - reserve - whole_cores(cores, in->fenced) -
                     in->has_confined_tier,
    };
    *out = (struct jl_thread_plans){
        .groups = JL_NEW_ARRAY(arena, in->profile->groups.count + 1, struct jl_group_plan),
        .threads = JL_NEW_ARRAY(arena, in->threads->count, struct jl_thread_plan),
    };
    planner.left = new_set(&planner, in->allowed);
    if (out->groups == NULL || out->threads == NULL || planner.left == NULL)
        return jl_arena_code(arena);
    jl_cpu_set_remove(planner.left, in->fenced);
    int rc = assign(&planner);
    if (rc == 0)
        rc = fence_groups(&planner);
    if (rc == 0)
        rc = spread_groups(&planner);
    return rc == 0 ? bind_threads(&planner) : rc;
}
