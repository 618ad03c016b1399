/* SPDX-License-Identifier: Apache-2.0 */

/* What holds for the plan of any workload on any machine: drawn topologies, sets of CPUs, groups
 * and threads. */

#include <string.h>

#include "base/random.h"
#include "schema/defaults.h"
#include "support/test.h"
#include "threads/cores.h"
#include "threads/plan.h"
#include "threads/sizing.h"

#define CORES_MAX 12
#define GROUPS_MAX 4
#define THREADS_MAX 24

struct drawn {
    struct jl_arena arena;
    struct jl_thread_machine machine;
    struct jl_thread_profile profile;
    struct jl_list threads;
    struct jl_cpu_set allowed;
    struct jl_cpu_set fenced;
};

static size_t some(struct jl_random *random, size_t most)
{
    return (size_t)jl_random_int(random, 0, (int64_t)most);
}

static void draw_machine(struct jl_random *random, struct drawn *drawn)
{
    const size_t count = some(random, CORES_MAX - 1) + 1;
    const size_t smt = some(random, 2) + 1;
    struct jl_machine_core *cores = JL_NEW_ARRAY(&drawn->arena, count, struct jl_machine_core);
    for (size_t i = 0; i < count; i++) {
        double *cpus = JL_NEW_ARRAY(&drawn->arena, smt, double);
        for (size_t k = 0; k < smt; k++) {
            const size_t cpu = i + k * count;
            cpus[k] = (double)cpu;
            if (some(random, 5) > 0)
                jl_cpu_set_add(&drawn->allowed, cpu);
            if (some(random, 9) == 0)
                jl_cpu_set_add(&drawn->fenced, cpu);
        }
        JL_SET(&cores[i], id, (int64_t)i);
        JL_SET(&cores[i], cpus, ((struct jl_list){ cpus, smt }));
        JL_SET(&cores[i], node, (int64_t)(i / 4));
        JL_SET(&cores[i], llc, (int64_t)(i / 2));
        JL_SET(&cores[i], max_khz, (int64_t)some(random, 2));
    }
    JL_SET(&drawn->machine, cores, ((struct jl_list){ cores, count }));
    jl_machine_derive(&drawn->machine);
}

static const char *const names[] = { "a", "b", "c", "d", "e" };

static void draw_profile(struct jl_random *random, struct drawn *drawn)
{
    const size_t count = some(random, GROUPS_MAX - 1) + 1;
    struct jl_thread_group *groups = JL_NEW_ARRAY(&drawn->arena, count, struct jl_thread_group);
    for (size_t i = 0; i < count; i++) {
        const char **comm = JL_NEW_ARRAY(&drawn->arena, 1, const char *);
        struct jl_thread_group *group = &groups[i];
        comm[0] = names[i];
        JL_SET(group, name, names[i]);
        JL_SET(group, treatment, (enum jl_treatment)(some(random, 3) + 1));
        JL_SET(&group->match, comm, ((struct jl_list){ comm, 1 }));
        if (some(random, 1) == 0)
            JL_SET(&group->exclusive, cores, (int64_t)some(random, 3) + 1);
        if (some(random, 2) == 0)
            JL_SET(&group->exclusive, smt, JL_SMT_SHARE);
        if (some(random, 2) == 0)
            JL_SET(&group->exclusive, pin, JL_PIN_PER_THREAD);
        JL_SET(&group->latency, spread, some(random, 1) == 0);
        JL_SET(&group->yield, max_cpus, (int64_t)some(random, 3));
    }
    JL_SET(&drawn->profile, groups, ((struct jl_list){ groups, count }));
    JL_SET(&drawn->profile.traits, spin_wait, some(random, 3) == 0);
    jl_use_defaults(&jl_thread_profile_table, &drawn->profile);
}

static void draw_threads(struct jl_random *random, struct drawn *drawn)
{
    const size_t count = some(random, THREADS_MAX);
    struct jl_thread *threads = JL_NEW_ARRAY(&drawn->arena, count, struct jl_thread);
    for (size_t i = 0; i < count; i++) {
        JL_SET(&threads[i], tid, (int64_t)(100 + i));
        JL_SET(&threads[i], comm, names[some(random, JL_COUNT(names) - 1)]);
        if (some(random, 3) > 0)
            JL_SET(&threads[i], util, (double)some(random, 10) / 10);
    }
    drawn->threads = (struct jl_list){ threads, count };
}

static bool overlap(const struct jl_cpu_set *a, const struct jl_cpu_set *b)
{
    struct jl_cpu_set left = *a;
    jl_cpu_set_remove(&left, b);
    return !jl_cpu_set_is_same(&left, a);
}

static bool is_fenced(const struct jl_group_plan *plan)
{
    return plan->level == JL_LEVEL_D0 || plan->level == JL_LEVEL_D1;
}

/* All CPUs of the cores of a group. */
static struct jl_cpu_set cores_of(const struct drawn *drawn, const struct jl_group_plan *plan)
{
    struct jl_cpu_set all = { 0 };
    for (size_t i = 0; i < plan->core_count; i++) {
        struct jl_cpu_set cpus;
        jl_core_cpus(JL_ITEM(drawn->machine.cores, jl_machine_core, plan->cores[i]), &cpus);
        jl_cpu_set_unite(&all, &cpus);
    }
    return all;
}

static void check_groups(const struct drawn *drawn, const struct jl_thread_plans *plans,
                         int64_t budget)
{
    const size_t count = drawn->profile.groups.count;
    struct jl_cpu_set usable = drawn->allowed;
    int64_t taken = 0;
    jl_cpu_set_remove(&usable, &drawn->fenced);
    for (size_t i = 0; i <= count; i++) {
        const struct jl_group_plan *plan = &plans->groups[i];
        const struct jl_cpu_set cores = cores_of(drawn, plan);
        assert_true(jl_cpu_set_holds(&usable, &cores));
        if (plan->cpus != NULL)
            assert_true(jl_cpu_set_holds(&usable, plan->cpus));
        if (!is_fenced(plan))
            continue;
        taken += (int64_t)plan->core_count;
        for (size_t k = 0; k <= count; k++) { /* nobody else is on its cores, idle ones included */
            const struct jl_group_plan *other = &plans->groups[k];
            if (k != i && other->cpus != NULL)
                assert_false(overlap(&cores, other->cpus));
        }
    }
    const int64_t all = (int64_t)drawn->machine.cores.count;
    assert_int_equal(taken, plans->taken_cores);
    assert_true(taken <= budget);
    assert_true(taken <= all - jl_reserve_cores(all) || taken == 0);
}

static void check_threads(const struct drawn *drawn, const struct jl_thread_plans *plans)
{
    const size_t rest = drawn->profile.groups.count;
    bool has_fence = false;
    for (size_t i = 0; i < rest; i++)
        has_fence = has_fence || is_fenced(&plans->groups[i]);
    for (size_t i = 0; i < drawn->threads.count; i++) {
        const struct jl_thread_plan *plan = &plans->threads[i];
        const size_t group = plan->group == JL_NO_GROUP ? rest : plan->group;
        assert_in_range(group, 0, rest);
        if (has_fence)
            assert_non_null(plan->cpus);
        for (size_t k = 0; plan->cpus != NULL && k <= rest; k++) {
            const struct jl_cpu_set cores = cores_of(drawn, &plans->groups[k]);
            if (is_fenced(&plans->groups[k]) && k != group)
                assert_false(overlap(&cores, plan->cpus));
            if (is_fenced(&plans->groups[k]) && k == group)
                assert_true(jl_cpu_set_holds(plans->groups[k].cpus, plan->cpus));
        }
    }
}

/* Busy threads of a group that is spread have a core each. */
static void check_spread(const struct drawn *drawn, const struct jl_thread_plans *plans)
{
    for (size_t i = 0; i < drawn->threads.count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct jl_thread_plan *a = &plans->threads[i];
            const struct jl_thread_plan *b = &plans->threads[k];
            const struct jl_thread *x = JL_ITEM(drawn->threads, jl_thread, i);
            const struct jl_thread *y = JL_ITEM(drawn->threads, jl_thread, k);
            if (a->group == JL_NO_GROUP || a->group != b->group ||
                plans->groups[a->group].level != JL_LEVEL_D2 || x->util < 0.2 || y->util < 0.2)
                continue;
            assert_non_null(a->cpus);
            assert_false(overlap(a->cpus, b->cpus));
        }
    }
}

static void plans_keep_to_what_they_may_use(void **state)
{
    static const enum jl_tier tiers[] = { JL_TIER_CRITICAL, JL_TIER_HIGH, JL_TIER_NORMAL };
    struct jl_random random = { 5 };
    size_t fenced = 0;
    size_t spread = 0;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct drawn drawn = { 0 };
        struct jl_thread_plans plans;
        draw_machine(&random, &drawn);
        draw_profile(&random, &drawn);
        draw_threads(&random, &drawn);
        const int64_t request_m = (int64_t)some(&random, 6000);
        const struct jl_threads_plan_input input = {
            .profile = &drawn.profile,
            .tier = tiers[some(&random, 2)],
            .cpu_request_m = request_m,
            .machine = &drawn.machine,
            .allowed = &drawn.allowed,
            .fenced = &drawn.fenced,
            .threads = &drawn.threads,
        };
        assert_int_equal(jl_plan_threads(&drawn.arena, &input, &plans), 0);
        const int64_t cores = (request_m + 999) / 1000;
        check_groups(&drawn, &plans, input.tier == JL_TIER_NORMAL ? 0 : cores > 1 ? cores : 1);
        check_threads(&drawn, &plans);
        check_spread(&drawn, &plans);
        for (size_t i = 0; i < drawn.profile.groups.count; i++) {
            fenced += is_fenced(&plans.groups[i]);
            spread += plans.groups[i].level == JL_LEVEL_D2;
        }
        jl_arena_clear(&drawn.arena);
    }
    assert_true(fenced > 200);
    assert_true(spread > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_to_what_they_may_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
