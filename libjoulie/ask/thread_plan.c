/* SPDX-License-Identifier: Apache-2.0 */

/* threads.cores, threads.plan: cores and CPUs of threads (docs/rules/threads.md#plan). */

#include <joulie/error.h>

#include "ask/threads.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sort.h"
#include "schema/json.h"
#include "threads/cores.h"
#include "threads/plan.h"
#include "threads/select.h"

/* ---- machines and lists of CPUs ---- */

/* Reads a list of CPUs, or else takes all of the machine's. */
static int read_cpus(struct jl_ask *ask, const char *where, const char *list,
                     const struct jl_list *cores, struct jl_cpu_set *out)
{
    *out = (struct jl_cpu_set){ 0 };
    for (size_t i = 0; list == NULL && i < cores->count; i++) {
        struct jl_cpu_set cpus;
        jl_core_cpus(JL_ITEM(*cores, jl_machine_core, i), &cpus);
        jl_cpu_set_unite(out, &cpus);
    }
    const int rc = list != NULL ? jl_cpu_list_parse(jl_text(list), out) : 0;
    return rc < 0 ? jl_ask_fail(ask, rc, where, "not a list of CPUs such as 0-3,8") : 0;
}

/* No CPU is in two cores, and there is one at least. */
static int check_cores(struct jl_ask *ask, const struct jl_list *cores)
{
    struct jl_cpu_set seen = { 0 };
    for (size_t i = 0; i < cores->count; i++) {
        const struct jl_machine_core *core = JL_ITEM(*cores, jl_machine_core, i);
        for (size_t k = 0; k < core->cpus.count; k++) {
            const size_t cpu = (size_t)JL_NUMBER_ITEM(core->cpus, k);
            if (jl_cpu_set_has(&seen, cpu))
                return jl_ask_fail(ask, JOULIE_E_CONFLICT,
                                   jl_ask_path(ask, "machine.cores[%zu].cpus[%zu]", i, k),
                                   "CPU %zu is in two cores", cpu);
            jl_cpu_set_add(&seen, cpu);
        }
    }
    if (jl_cpu_set_next(&seen, 0) < JL_LIMIT_CPUS)
        return 0;
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, "machine.cores", "give the cores of the machine");
}

static int put_list(struct jl_ask *ask, const struct jl_cpu_set *set, const char **out)
{
    *out = jl_cpu_list_print(ask->arena, set);
    return *out != NULL ? 0 : jl_fail_memory(ask->err);
}

/* ---- threads.cores ---- */

#define RECORD threads_cores_in
#define MEMBERS                                                                                   \
    OBJECT(machine, "machine", jl_thread_machine, "The machine, with its cores.", REQUIRED)       \
    STRING(allowed, "allowed", "CPUs that may be used; absent = all.")                            \
    INTEGER(k, "k", "Cores wanted.", REQUIRED, BETWEEN(0, JL_LIMIT_CPUS))                         \
    ENUM(smt, "smt", jl_thread_smt, jl_thread_smt_words, "Whether siblings stay idle.", REQUIRED) \
    INTEGER(reserve, "reserve", "Cores that are left alone (0).", BETWEEN(0, JL_LIMIT_CPUS))
#include "schema/record.h"

#define RECORD threads_cores_out
#define MEMBERS                                        \
    BOOLEAN(fits, "fits", "Whether there are enough.") \
    STRING(run, "run", "CPUs to run on.")              \
    STRING(idle, "idle", "Siblings that are kept idle.")
#include "schema/record.h"

static int put_picked(struct jl_ask *ask, const struct threads_cores_in *in, const size_t *picked,
                      struct threads_cores_out *out)
{
    struct jl_cpu_set run = { 0 };
    struct jl_cpu_set all = { 0 };
    for (size_t i = 0; i < (size_t)in->k; i++) {
        const struct jl_machine_core *core = JL_ITEM(in->machine.cores, jl_machine_core, picked[i]);
        struct jl_cpu_set cpus;
        jl_core_cpus(core, &cpus);
        jl_cpu_set_unite(&all, &cpus);
        if (in->smt == JL_SMT_SHARE)
            jl_cpu_set_unite(&run, &cpus);
        else
            jl_cpu_set_add(&run, jl_core_first_cpu(core));
    }
    jl_cpu_set_remove(&all, &run);
    out->given.run = out->given.idle = true;
    const int rc = put_list(ask, &run, &out->run);
    return rc == 0 ? put_list(ask, &all, &out->idle) : rc;
}

static int answer_threads_cores(struct jl_ask *ask, const struct threads_cores_in *in,
                                struct threads_cores_out *out)
{
    struct jl_cpu_set allowed;
    size_t *picked = JL_NEW_ARRAY(ask->arena, (size_t)in->k, size_t);
    int rc = picked != NULL ? check_cores(ask, &in->machine.cores) : jl_fail_memory(ask->err);
    if (rc == 0)
        rc = read_cpus(ask, "allowed", in->allowed, &in->machine.cores, &allowed);
    if (rc < 0)
        return rc;
    const struct jl_core_request request = { &in->machine.cores, &allowed, (size_t)in->reserve,
                                             (size_t)in->k };
    rc = jl_pick_cores(ask->arena, &request, picked);
    if (rc < 0 && rc != JOULIE_E_RANGE)
        return jl_fail_memory(ask->err);
    JL_SET(out, fits, rc == 0);
    return rc == 0 ? put_picked(ask, in, picked, out) : 0;
}

JL_QUESTION(threads_cores, "threads.cores", "cores that a group of threads gets");

/* ---- threads.plan ---- */

#define RECORD plan_cgroups
#define MEMBERS                                                                               \
    STRING(pod, "pod", "Path of the pod's control group, with a slash at its end.", REQUIRED) \
    STRING(container, "container", "Path of the container's, likewise.", REQUIRED)
#include "schema/record.h"

#define RECORD threads_plan_in
#define MEMBERS                                                                             \
    RAW(profile, "profile", "Id of a built-in profile, or a profile.", REQUIRED)            \
    ENUM(tier, "tier", jl_tier, jl_tier_words, "Tier of the pod.", REQUIRED)                \
    INTEGER(cpu_request_m, "cpu_request_m", "CPU request of the container, thousandths.",   \
            REQUIRED, BETWEEN(0, 1e12))                                                     \
    INTEGER(cpu_limit_m, "cpu_limit_m", "Its limit; absent = none.", BETWEEN(0, 1e12))      \
    OBJECT(machine, "machine", jl_thread_machine, "The machine, with its cores.", REQUIRED) \
    STRING(allowed, "allowed", "CPUs of the container; absent = all.")                      \
    STRING(fenced, "fenced", "CPUs that other workloads have fenced; absent = none.")       \
    LIST(threads, "threads", jl_thread, "Threads of the container.", REQUIRED)              \
    STRING(pod, "pod", "Name of the pod, for the layers of scx_layered.")                   \
    OBJECT(cgroups, "cgroups", plan_cgroups, "Its control groups, likewise.")               \
    JL_PROFILE_MEMBERS
#include "schema/record.h"

#define RECORD planned_group
#define MEMBERS                                                                          \
    STRING(name, "name", "Name of the group; _rest = no other.")                         \
    ENUM(treatment, "treatment", jl_treatment, jl_treatment_words, "How it is treated.") \
    ENUM(level, "level", jl_fence_level, jl_fence_level_words,                           \
         "How far an exclusive group got what it wants.")                                \
    ENUM(reason, "reason", jl_fence_reason, jl_fence_reason_words, "Why not further.")   \
    NUMBERS(tids, "tids", "Its threads.")                                                \
    NUMBERS(cores, "cores", "Cores that it was given.")                                  \
    STRING(cpus, "cpus", "CPUs that its threads are bound to.")                          \
    STRING(idle_cpus, "idle_cpus", "Siblings that are kept idle.")
#include "schema/record.h"

#define RECORD planned_thread
#define MEMBERS                                                                          \
    INTEGER(tid, "tid", "Thread id.")                                                    \
    STRING(group, "group", "Its group.")                                                 \
    STRING(cpus, "cpus", "CPUs that it is bound to; absent = untouched, as all below.")  \
    ENUM(policy, "policy", jl_sched_policy, jl_sched_policy_words, "Scheduling policy.") \
    INTEGER(nice, "nice", "Nice value.")                                                 \
    INTEGER(slice_us, "slice_us", "Time slice, µs.")                                     \
    INTEGER(uclamp_min, "uclamp_min", "Least utilization that clocks are chosen for.")   \
    INTEGER(uclamp_max, "uclamp_max", "Most utilization, likewise.")
#include "schema/record.h"

#define RECORD plan_finding
#define MEMBERS                                                                            \
    STRING(event, "event", "rt_thread or affinity_conflict: what is left alone, and why.") \
    INTEGER(tid, "tid", "Thread that it is about.")
#include "schema/record.h"

#define RECORD threads_plan_out
#define MEMBERS                                                                    \
    LIST(groups, "groups", planned_group, "Groups of the profile, then the rest.") \
    LIST(threads, "threads", planned_thread, "Threads, by id.")                    \
    LIST(findings, "findings", plan_finding, "Threads of which something is left alone.")
#include "schema/record.h"

/* What a plan is made of, read and checked. */
struct planning {
    const struct jl_thread_profile *profile;
    struct jl_thread_machine machine;
    struct jl_cpu_set allowed;
    struct jl_cpu_set fenced;
    struct jl_threads_plan_input input;
    struct jl_thread_plans plans;
};

static int fail_shape(struct jl_ask *ask)
{
    return jl_ask_fail(
        ask, JOULIE_E_CONFLICT, "profile",
        "the profile is for other machines (options.anyShape takes it all the same)");
}

/* A profile that is there already, by its id. */
static int find_profile(struct jl_ask *ask, const struct threads_plan_in *in,
                        const struct jl_thread_machine *machine,
                        const struct jl_thread_profile **out)
{
    struct jl_json json = { .text = in->profile.text, .len = in->profile.len };
    struct jl_json_string text;
    struct jl_profile_set set;
    size_t len;
    bool is_known;
    int rc = jl_json_string(&json, &text);
    const char *id = rc == 0 ? jl_json_value(&text, ask->arena, &len, &rc) : NULL;
    if (id == NULL)
        return jl_ask_fail(ask, rc, "profile", "the id cannot be read");
    rc = jl_ask_profile_set(ask, &in->profiles, &in->profile_files, in->no_builtins, &set);
    if (rc < 0)
        return rc;
    const struct jl_profile_entry *entry =
        jl_find_profile(&set, id, ask->options.any_shape ? NULL : machine, &is_known);
    if (!is_known)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "profile", "there is no profile \"%.64s\"", id);
    if (entry == NULL)
        return fail_shape(ask);
    *out = entry->profile;
    return 0;
}

static int read_profile(struct jl_ask *ask, const struct threads_plan_in *in,
                        const struct jl_thread_machine *machine,
                        const struct jl_thread_profile **out)
{
    const struct jl_path at = { .key = jl_text("profile") };
    if (in->profile.text[0] == '"')
        return find_profile(ask, in, machine, out);
    struct jl_thread_profile *profile = JL_NEW(ask->arena, struct jl_thread_profile);
    if (profile == NULL)
        return jl_fail_memory(ask->err);
    int rc = jl_decode_raw(ask->decode, &in->profile, &at, &jl_thread_profile_table, profile);
    if (rc == 0)
        rc = jl_ask_check_profile(ask, profile, &at);
    if (rc == 0 && !ask->options.any_shape && !jl_shape_matches(&profile->machine_shape, machine))
        rc = fail_shape(ask);
    *out = profile;
    return rc;
}

static int check_threads(struct jl_ask *ask, const struct jl_list *threads)
{
    JL_CLEANUP(jl_index_clear) struct jl_index tids = { 0 };
    for (size_t i = 0; i < threads->count; i++) {
        const struct jl_thread *thread = JL_ITEM(*threads, jl_thread, i);
        struct jl_cpu_set affinity;
        const char *tid = jl_ask_path(ask, "%lld", (long long)thread->tid);
        const int rc = jl_ask_name_once(ask, &tids, tid, "threads[%zu].tid", i);
        if (rc < 0)
            return rc;
        if (thread->given.affinity && jl_cpu_list_parse(jl_text(thread->affinity), &affinity) < 0)
            return jl_ask_fail(ask, JOULIE_E_PARSE, jl_ask_path(ask, "threads[%zu].affinity", i),
                               "not a list of CPUs such as 0-3,8");
    }
    return 0;
}

static int plan(struct jl_ask *ask, const struct threads_plan_in *in, struct planning *planning)
{
    planning->machine = in->machine;
    jl_machine_derive(&planning->machine);
    int rc = check_cores(ask, &in->machine.cores);
    if (rc == 0)
        rc = read_profile(ask, in, &planning->machine, &planning->profile);
    if (rc == 0)
        rc = read_cpus(ask, "allowed", in->allowed, &in->machine.cores, &planning->allowed);
    if (rc == 0)
        rc = read_cpus(ask, "fenced", in->given.fenced ? in->fenced : "", NULL, &planning->fenced);
    if (rc == 0)
        rc = check_threads(ask, &in->threads);
    if (rc < 0)
        return rc;
    planning->input = (struct jl_threads_plan_input){
        .profile = planning->profile,
        .tier = in->tier,
        .cpu_request_m = in->cpu_request_m,
        .machine = &planning->machine,
        .allowed = &planning->allowed,
        .fenced = &planning->fenced,
        .threads = &in->threads,
    };
    rc = jl_plan_threads(ask->arena, &planning->input, &planning->plans);
    return rc < 0 ? jl_fail_memory(ask->err) : 0;
}

/* ---- the answer ---- */

static int by_tid(const void *a, const void *b, void *user)
{
    (void)user;
    return JL_ORDER((*(const struct jl_thread *const *)a)->tid,
                    (*(const struct jl_thread *const *)b)->tid);
}

/* The threads of an input, by id. */
static const struct jl_thread **by_id(struct jl_ask *ask, const struct jl_list *threads)
{
    const struct jl_thread **items =
        JL_NEW_ARRAY(ask->arena, threads->count, const struct jl_thread *);
    for (size_t i = 0; items != NULL && i < threads->count; i++)
        items[i] = JL_ITEM(*threads, jl_thread, i);
    if (items != NULL &&
        jl_sort(items, threads->count, sizeof(const struct jl_thread *), by_tid, NULL) < 0)
        return NULL;
    return items;
}

static const struct jl_thread_plan *plan_of(const struct planning *planning,
                                            const struct jl_thread *thread)
{
    const struct jl_thread *first = planning->input.threads->items;
    return &planning->plans.threads[thread - first];
}

static const char *group_name(const struct planning *planning, size_t group)
{
    const struct jl_list *groups = &planning->profile->groups;
    return group < groups->count ? JL_ITEM(*groups, jl_thread_group, group)->name : "_rest";
}

static int put_members(struct jl_ask *ask, const struct planning *planning, size_t group,
                       const struct jl_thread **threads, struct planned_group *out)
{
    const size_t count = planning->input.threads->count;
    double *tids = JL_NEW_LIST(ask, out, tids, count, double);
    size_t used = 0;
    for (size_t i = 0; tids != NULL && i < count; i++)
        if (plan_of(planning, threads[i])->group == group)
            tids[used++] = (double)threads[i]->tid;
    out->tids.count = used;
    return tids != NULL ? 0 : jl_fail_memory(ask->err);
}

static int put_cores(struct jl_ask *ask, const struct planning *planning,
                     const struct jl_group_plan *plan, struct planned_group *out)
{
    double *cores = JL_NEW_LIST(ask, out, cores, plan->core_count, double);
    int rc = cores != NULL ? 0 : jl_fail_memory(ask->err);
    for (size_t i = 0; rc == 0 && i < plan->core_count; i++)
        cores[i] = (double)JL_ITEM(planning->machine.cores, jl_machine_core, plan->cores[i])->id;
    out->given.cpus = plan->cpus != NULL;
    if (rc == 0 && plan->cpus != NULL)
        rc = put_list(ask, plan->cpus, &out->cpus);
    out->given.idle_cpus =
        plan->idle_cpus != NULL && jl_cpu_set_next(plan->idle_cpus, 0) < JL_LIMIT_CPUS;
    if (rc == 0 && out->given.idle_cpus)
        rc = put_list(ask, plan->idle_cpus, &out->idle_cpus);
    return rc;
}

static int put_groups(struct jl_ask *ask, const struct planning *planning,
                      const struct jl_thread **threads, struct threads_plan_out *out)
{
    const size_t count = planning->profile->groups.count;
    struct planned_group *items = JL_NEW_LIST(ask, out, groups, count + 1, struct planned_group);
    int rc = items != NULL ? 0 : jl_fail_memory(ask->err);
    for (size_t i = 0; rc == 0 && i <= count; i++) {
        const struct jl_group_plan *plan = &planning->plans.groups[i];
        JL_SET(&items[i], name, group_name(planning, i));
        JL_SET(&items[i], treatment,
               i < count ? JL_ITEM(planning->profile->groups, jl_thread_group, i)->treatment
                         : JL_TREATMENT_NORMAL);
        JL_SET_IF(&items[i], level, plan->level != JL_LEVEL_UNKNOWN, plan->level);
        JL_SET_IF(&items[i], reason, plan->reason != JL_REASON_NONE, plan->reason);
        rc = put_members(ask, planning, i < count ? i : JL_NO_GROUP, threads, &items[i]);
        if (rc == 0)
            rc = put_cores(ask, planning, plan, &items[i]);
    }
    return rc;
}

/* The text of a set that many threads share, printed once. */
struct shown_set {
    const struct jl_cpu_set *set;
    const char *text;
};

static int put_threads(struct jl_ask *ask, const struct planning *planning,
                       const struct jl_thread **threads, struct threads_plan_out *out)
{
    const size_t count = planning->input.threads->count;
    struct planned_thread *items = JL_NEW_LIST(ask, out, threads, count, struct planned_thread);
    struct shown_set shown = { 0 };
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct jl_thread_plan *plan = plan_of(planning, threads[i]);
        struct planned_thread *item = &items[i];
        JL_SET(item, tid, threads[i]->tid);
        JL_SET(item, group, group_name(planning, plan->group));
        if (plan->cpus != NULL && plan->cpus != shown.set) {
            shown.set = plan->cpus;
            if (put_list(ask, plan->cpus, &shown.text) < 0)
                return ask->err->code;
        }
        JL_SET_IF(item, cpus, plan->cpus != NULL, shown.text);
        JL_SET_IF(item, policy, plan->policy != JL_SCHED_UNKNOWN, plan->policy);
        JL_SET_IF(item, nice, plan->has_nice, plan->nice);
        JL_SET_IF(item, slice_us, plan->slice_us > 0, plan->slice_us);
        JL_SET_IF(item, uclamp_min, plan->uclamp_min > 0, plan->uclamp_min);
        JL_SET_IF(item, uclamp_max, plan->uclamp_max < 1024, plan->uclamp_max);
    }
    return 0;
}

static int put_findings(struct jl_ask *ask, const struct planning *planning,
                        const struct jl_thread **threads, struct threads_plan_out *out)
{
    const size_t count = planning->input.threads->count;
    struct plan_finding *items = JL_NEW_LIST(ask, out, findings, count, struct plan_finding);
    size_t used = 0;
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct jl_thread_plan *plan = plan_of(planning, threads[i]);
        if (!plan->is_real_time && !plan->sets_affinity)
            continue;
        JL_SET(&items[used], event, plan->is_real_time ? "rt_thread" : "affinity_conflict");
        JL_SET(&items[used], tid, threads[i]->tid);
        used++;
    }
    out->findings.count = used;
    return 0;
}

static int answer_threads_plan(struct jl_ask *ask, const struct threads_plan_in *in,
                               struct threads_plan_out *out)
{
    struct planning *planning = JL_NEW(ask->arena, struct planning);
    if (planning == NULL)
        return jl_fail_memory(ask->err);
    if (ask->options.scx)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "options.scx",
                           "this build does not make layers of scx_layered");
    int rc = plan(ask, in, planning);
    if (rc < 0)
        return rc;
    const struct jl_thread **threads = by_id(ask, &in->threads);
    if (threads == NULL)
        return jl_fail_memory(ask->err);
    rc = put_groups(ask, planning, threads, out);
    if (rc == 0)
        rc = put_threads(ask, planning, threads, out);
    return rc == 0 ? put_findings(ask, planning, threads, out) : rc;
}

JL_QUESTION(threads_plan, "threads.plan",
            "on which CPUs the threads of a container run, and how they are scheduled");
