/* SPDX-License-Identifier: Apache-2.0 */

/* What jobs ask of the machines that they are for: docs/rules/workloads.md#load. */

#include <string.h>

#include "sim/generate_load.h"
#include "support/test.h"

#define GIB 1073741824.0
#define HOURS_S 1000

/* 64 cores and 256 GiB in all: two machines of 16 cores, and one of 32 that is twice as fast and
 * has four GPUs of NVIDIA. */
static const char INVENTORY[] =
    "nodes:\n"
    "  - {node_name_prefix: c, replicas: 2, cpu_cores: 16, memory_gib: 64}\n"
    "  - {node_name: n, cpu_cores: 32, cpu_relative_speed: 2, memory_gib: 128, gpu_count: 4, "
    "vendor: nvidia}\n";

static void open_machines(struct jl_generate_machines *machines, const char *inventory)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    memset(machines, 0, sizeof *machines);
    options.inventory = inventory;
    options.inventory_len = strlen(inventory);
    if (jl_generate_machines_read(machines, &options, &err) < 0)
        fail_msg("%s: %s", err.where, err.message);
}

static void add_demand(struct jl_generate_demand *demand, const struct jl_draft_workload *workload,
                       const struct jl_draft *draft)
{
    const struct jl_generate_ask ask = jl_generate_ask_of(demand->machines, workload, draft);
    jl_generate_add_demand(demand, workload->submit_s, &ask);
}

/* A job of `cores` that takes 100 s at speed 1: 200/3 s in the mean of all three machines (64 cores
 * over 32/100 + 32/50), 50 s where it fits the fast one alone. */
static void a_job_takes_its_mean_run_time_on_what_it_fits(void **state)
{
    static const struct {
        int64_t cores;
        int64_t memory_gib;
        int64_t gpus;
        bool is_amd;
        double run_s;
    } rows[] = {
        { 16, 64, 0, false, 200.0 / 3 }, { 16, 64, 0, true, 200.0 / 3 }, { 17, 64, 0, false, 50 },
        { 16, 65, 0, false, 50 },        { 32, 128, 0, false, 50 },      { 33, 1, 0, false, 0 },
        { 1, 129, 0, false, 0 },         { 16, 64, 4, false, 50 },       { 16, 64, 5, false, 0 },
        { 16, 64, 1, true, 0 },          { 1, 1, 1, false, 50 },
    };
    struct jl_generate_machines machines;
    (void)state;
    open_machines(&machines, INVENTORY);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_draft_workload workload = { .is_amd = rows[i].is_amd };
        const struct jl_draft draft = { .cores = rows[i].cores,
                                        .memory_gib = rows[i].memory_gib,
                                        .gpus = rows[i].gpus,
                                        .cpu_units = 100 * (double)rows[i].cores };
        struct jl_generate_demand demand = { .machines = &machines, .end_s = HOURS_S };
        add_demand(&demand, &workload, &draft);
        add_demand(&demand, &workload, &draft);
        const double seconds = 2 * rows[i].run_s;
        assert_near(demand.used[JL_GENERATE_CORES], seconds * (double)rows[i].cores, 1e-9);
        assert_near(demand.used[JL_GENERATE_MEMORY], seconds * (double)rows[i].memory_gib * GIB, 1);
        assert_near(demand.used[JL_GENERATE_GPUS], seconds * (double)rows[i].gpus, 1e-9);
        assert_int_equal(demand.asks_amd, rows[i].is_amd && rows[i].gpus > 0);
        assert_int_equal(demand.asks_nvidia, !rows[i].is_amd && rows[i].gpus > 0);
    }
    jl_generate_machines_clear(&machines);
}

static void work_behind_the_end_does_not_count(void **state)
{
    const struct jl_draft_workload late = { .submit_s = 970 };
    const struct jl_draft_workload none = { .submit_s = 0 };
    const struct jl_draft draft = { .cores = 32, .memory_gib = 1, .cpu_units = 100 * 32 };
    const struct jl_draft idle = { .cores = 32, .memory_gib = 1, .cpu_units = 0 };
    struct jl_generate_machines machines;
    (void)state;
    open_machines(&machines, INVENTORY);
    struct jl_generate_demand demand = { .machines = &machines, .end_s = HOURS_S };
    add_demand(&demand, &none, &idle);
    assert_near(demand.used[JL_GENERATE_CORES], 0, 0);
    add_demand(&demand, &late, &draft);
    assert_near(demand.used[JL_GENERATE_CORES], 30 * 32, 1e-9);
    jl_generate_machines_clear(&machines);
}

/* Of 64 cores, 256 GiB and 4 GPUs over 1000 s. */
static void a_load_is_that_of_the_scarcest_resource(void **state)
{
    static const struct {
        double cores; /* · s, so of the others */
        double gib;
        double gpus;
        bool asks_nvidia;
        double load;
    } rows[] = {
        { 32000, 64000, 0, false, 0.5 },
        { 32000, 192000, 1000, true, 0.75 },
        { 32000, 64000, 3600, true, 0.9 },
        { 32000, 64000, 3600, false, 0.5 }, /* of GPUs that nobody asks for there are none */
        { 0, 0, 0, true, 0 },
    };
    struct jl_generate_machines machines;
    (void)state;
    open_machines(&machines, INVENTORY);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_generate_demand demand = {
            .machines = &machines,
            .end_s = HOURS_S,
            .asks_nvidia = rows[i].asks_nvidia,
            .asks_amd = true,
            .used = { rows[i].cores, rows[i].gib * GIB, rows[i].gpus },
        };
        assert_near(jl_generate_load(&demand), rows[i].load, 1e-12);
    }
    jl_generate_machines_clear(&machines);
}

/* 4 of NVIDIA on one machine, 6 each of AMD on two: jobs of 4 get 4 of each machine. */
static void a_share_of_vendors_is_of_the_gpus_that_a_job_can_get(void **state)
{
    static const double shares[][2] = { { 0, 0 }, { 1, 12.0 / 16 }, { 4, 8.0 / 12 },
                                        { 5, 1 }, { 6, 1 },         { 7, 0 } };
    struct jl_generate_machines machines;
    (void)state;
    open_machines(
        &machines,
        "nodes:\n"
        "  - {node_name: n, cpu_cores: 32, gpu_count: 4, vendor: nvidia}\n"
        "  - {node_name_prefix: a, replicas: 2, cpu_cores: 32, gpu_count: 6, vendor: amd}\n"
        "  - {node_name: c, cpu_cores: 32}\n");
    for (size_t i = 0; i < JL_COUNT(shares); i++)
        assert_near(jl_generate_amd_share(&machines, (int64_t)shares[i][0]), shares[i][1], 1e-15);
    jl_generate_machines_clear(&machines);
}

/* No job of the GPU kinds asks for less than 4 cores; those of 0 work take no time. */
static void a_load_that_nothing_can_come_to_is_refused(void **state)
{
    static const struct {
        const char *inventory;
        double gpu_ratio;
        double work_scale;
        int rc;
    } rows[] = {
        { "nodes: [{node_name: n, cpu_cores: 8, memory_gib: 64}]", 1, 1, JOULIE_E_RANGE },
        { "nodes: [{node_name: n, cpu_cores: 8, memory_gib: 64}]", 0, 1, JOULIE_OK },
        { "nodes: [{node_name: n, cpu_cores: 8, memory_gib: 64}]", 0, 0, JOULIE_E_RANGE },
        { "nodes: [{node_name: n, cpu_cores: 4, gpu_count: 1, vendor: nvidia}]", 1, 1, JOULIE_OK },
        { "nodes: [{node_name: n, cpu_cores: 3, gpu_count: 1, vendor: nvidia}]", 1, 1,
          JOULIE_E_RANGE },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *trace = NULL;
        options.has = JOULIE_WORKLOAD_HAS_LOAD | JOULIE_WORKLOAD_HAS_GPU_RATIO |
                      JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_WORK_SCALE;
        options.mode = "diurnal";
        options.inventory = rows[i].inventory;
        options.inventory_len = strlen(rows[i].inventory);
        options.gpu_ratio = rows[i].gpu_ratio;
        options.work_scale = rows[i].work_scale;
        options.hours = 22;
        options.load = 0.3;
        assert_int_equal(joulie_workload_generate(&options, &trace, &err), rows[i].rc);
        if (rows[i].rc < 0)
            assert_string_equal(err.where, "load");
        joulie_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_takes_its_mean_run_time_on_what_it_fits),
        cmocka_unit_test(work_behind_the_end_does_not_count),
        cmocka_unit_test(a_load_is_that_of_the_scarcest_resource),
        cmocka_unit_test(a_share_of_vendors_is_of_the_gpus_that_a_job_can_get),
        cmocka_unit_test(a_load_that_nothing_can_come_to_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
