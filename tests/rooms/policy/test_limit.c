/* SPDX-License-Identifier: Apache-2.0 */

/* The GPU cap that the work allows (docs/rules/policy.md#efficiency_v1). */

#include "policy/limit.h"
#include "policy/policy.h"
#include "support/test.h"

static struct jl_hardware eight_gpus(double min_w, double max_w)
{
    return (struct jl_hardware){ .is_known = true,
                                 .gpu_model = jl_catalog_gpu("NVIDIA_H100_SXM"),
                                 .gpu_present = true,
                                 .gpu_count = 8,
                                 .gpu_min_w = min_w,
                                 .gpu_max_w = max_w,
                                 .gpu_max_source = JL_FACT_HARDWARE };
}

static struct jl_gpu_job job_of(enum joulie_bound bound, double gpus, double util, double pct)
{
    struct jl_policy_config config = { 0 };
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct jl_gpu_job job;
    jl_policy_defaults(&config, JL_POLICY_CURRENT);
    config.gpu_slowdown_standard_pct = pct;
    work.workload_class = JOULIE_WORKLOAD_STANDARD;
    work.has = JOULIE_WORK_HAS_GPU | JOULIE_WORK_HAS_GPU_UTIL;
    work.gpu_bound = bound;
    work.gpu_count = gpus;
    work.gpu_util = util;
    jl_gpu_job_init(&work, &config, &job);
    return job;
}

/* Work that waits for memory takes the less energy the lower the cap, down to the lowest one. */
static void work_of_memory_takes_the_lowest_cap_that_there_is(void **state)
{
    static const struct {
        double min_w;
        double max_w;
        double pct;
    } rows[] = {
        { 200, 700, 29 }, /* 28.6 */
        { 210, 700, 30 },
        { 211, 700, 31 },
        { 350, 700, 50 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_hardware hardware = eight_gpus(rows[i].min_w, rows[i].max_w);
        struct jl_gpu_job job = job_of(JOULIE_BOUND_MEMORY, 8, 1, 1000);
        struct jl_gpu_limit limit;
        assert_int_equal(jl_gpu_limit_of_work(&hardware, &job, 1, &limit), 0);
        assert_near(limit.pct, rows[i].pct, 0);
        assert_int_equal(limit.reason, JL_LIMIT_CAPPED);
        assert_near(limit.best_w, 8 * rows[i].pct * 7, 1e-9); /* it would draw more */
    }
}

/* The last bit of the sums, too: pods come in any order. */
static void the_order_of_the_pods_does_not_matter(void **state)
{
    struct jl_gpu_job jobs[] = {
        job_of(JOULIE_BOUND_MEMORY, 1, 0.9, 10), job_of(JOULIE_BOUND_MEMORY, 3, 0.9, 10),
        job_of(JOULIE_BOUND_MEMORY, 5, 0.9, 10), job_of(JOULIE_BOUND_MEMORY, 7, 0.9, 10),
        job_of(JOULIE_BOUND_MEMORY, 6, 0.9, 10), job_of(JOULIE_BOUND_MEMORY, 1, 0.3, 10),
        job_of(JOULIE_BOUND_MEMORY, 1, 0.9, 20), job_of(JOULIE_BOUND_MIXED, 1, 0.9, 10),
        job_of(JOULIE_BOUND_MIXED, 3, 0.7, 10),  job_of(JOULIE_BOUND_MIXED, 1, 0.7, 20),
    };
    const struct jl_hardware hardware = eight_gpus(200, 700);
    const size_t count = JL_COUNT(jobs);
    struct jl_gpu_limit first = { 0 };
    uint32_t random = 1;
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct jl_gpu_limit limit = { 0 };
        assert_int_equal(jl_gpu_limit_of_work(&hardware, jobs, count, &limit), 0);
        if (round == 0)
            first = limit;
        assert_memory_equal(&limit.natural_w, &first.natural_w, sizeof limit.natural_w);
        assert_memory_equal(&limit.best_w, &first.best_w, sizeof limit.best_w);
        assert_near(limit.pct, first.pct, 0);
        for (size_t i = count - 1; i > 0; i--) {
            random = random * UINT32_C(1664525) + UINT32_C(1013904223);
            const size_t other = (random >> 8) % (i + 1);
            const struct jl_gpu_job kept = jobs[i];
            jobs[i] = jobs[other];
            jobs[other] = kept;
        }
    }
}

/* The limit is kept for work whose memory intensity is 0.1 below that of its word: it is slowed the
 * most of what the word stands for. A speed just at the limit is within it. */
static void the_limit_holds_for_all_that_a_word_stands_for(void **state)
{
    const struct jl_hardware hardware = eight_gpus(200, 700);
    struct jl_gpu_mix mix = jl_gpu_mix_of_bound(JOULIE_BOUND_MEMORY);
    struct jl_gpu_profile settings = { .has = 0 };
    struct jl_gpu_profile gpu;
    struct jl_gpu_weights weights;
    (void)state;
    JL_SET(&settings, model, "NVIDIA_H100_SXM");
    JL_SET(&settings, min_cap_w, 200);
    JL_SET(&settings, max_w, 700);
    assert_int_equal(jl_gpu_resolve(&settings, JL_PHYSICS_CURRENT, &gpu), 0);
    mix.memory -= 0.1;
    jl_gpu_weights(&mix, &weights);
    for (double pct = 40; pct <= 60; pct += 5) {
        const double natural_w = jl_gpu_natural_w(&gpu, &weights, 1);
        const double slowdown_pct =
            100 *
            (1 / jl_gpu_throughput(&gpu, &weights, natural_w, 7 * pct, 0, JL_PHYSICS_CURRENT) - 1);
        struct jl_gpu_limit limit;
        struct jl_gpu_job job = job_of(JOULIE_BOUND_MEMORY, 8, 1, slowdown_pct);
        assert_true(slowdown_pct > 1);
        assert_int_equal(jl_gpu_limit_of_work(&hardware, &job, 1, &limit), 0);
        assert_near(limit.pct, pct, 0);
        job = job_of(JOULIE_BOUND_MEMORY, 8, 1, slowdown_pct * 0.99999);
        assert_int_equal(jl_gpu_limit_of_work(&hardware, &job, 1, &limit), 0);
        assert_near(limit.pct, pct + 1, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_memory_takes_the_lowest_cap_that_there_is),
        cmocka_unit_test(the_order_of_the_pods_does_not_matter),
        cmocka_unit_test(the_limit_holds_for_all_that_a_word_stands_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
