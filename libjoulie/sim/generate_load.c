/* SPDX-License-Identifier: Apache-2.0 */

/* How much of given machines the generated jobs take (docs/rules/workloads.md#load). Called by
 * generate.c and generate_diurnal.c. */

#include "sim/generate_load.h"

#include "base/error.h"
#include "base/number.h"

#define GIB 1073741824.0

int jl_generate_machines_read(struct jl_generate_machines *machines,
                              const struct joulie_workload_options *options,
                              struct joulie_error *err)
{
    struct jl_inventory *inventory = &machines->inventory;
    const int rc = jl_inventory_read(options->inventory, options->inventory_len, options->nodes,
                                     JL_PHYSICS_CURRENT, inventory, err);
    if (rc < 0) {
        if (rc != JOULIE_E_NOMEM)
            jl_error_inside(err, "inventory", ": ");
        return rc;
    }
    machines->families =
        JL_NEW_ARRAY(&inventory->arena, inventory->family_count, struct jl_generate_family);
    if (!machines->families)
        return jl_fail_memory(err);
    for (size_t i = 0; i < inventory->family_count; i++) {
        const struct jl_sim_family *family = &inventory->families[i];
        machines->families[i] = (struct jl_generate_family){
            .family = family,
            .is_amd = jl_same(family->gpu_vendor, "amd"),
        };
    }
    for (size_t i = 0; i < inventory->count; i++)
        machines->families[inventory->machines[i].family - inventory->families].nodes++;
    return 0;
}

void jl_generate_machines_clear(struct jl_generate_machines *machines)
{
    jl_inventory_clear(&machines->inventory);
}

double jl_generate_amd_share(const struct jl_generate_machines *machines, int64_t gpus)
{
    double all = 0;
    double amd = 0;
    for (size_t i = 0; i < machines->inventory.family_count && gpus > 0; i++) {
        const struct jl_generate_family *of = &machines->families[i];
        const double room = of->nodes * (double)(of->family->gpus / gpus * gpus);
        all += room;
        amd += of->is_amd ? room : 0;
    }
    return all > 0 ? amd / all : 0;
}

static bool fits(const struct jl_generate_family *of, const struct jl_draft_workload *workload,
                 const struct jl_draft *draft)
{
    const struct jl_sim_family *family = of->family;
    return draft->cores <= family->cores &&
           (double)draft->memory_gib * GIB <= (double)family->memory_bytes &&
           draft->gpus <= family->gpus && (draft->gpus == 0 || of->is_amd == workload->is_amd);
}

/* Alone on such a machine, at full speed. */
static double run_s(const struct jl_sim_family *family, const struct jl_draft *draft)
{
    const struct jl_physics_profile *profile = &family->profile;
    const double cpu_s = draft->cpu_units / ((double)draft->cores * profile->relative_speed);
    if (draft->gpus == 0)
        return cpu_s;
    const double gpu_speed = (double)draft->gpus * profile->gpu.relative_speed;
    return jl_max(cpu_s, draft->gpu_units / gpu_speed);
}

/*
 * Where every machine that it fits has the same share of its room taken, jobs come to machines in
 * proportion to room / run time: the mean run time is the harmonic one, weighted by room. 0: it
 * fits no machine, and never runs.
 */
static double mean_run_s(const struct jl_generate_machines *machines,
                         const struct jl_draft_workload *workload, const struct jl_draft *draft)
{
    double room = 0;
    double rate = 0;
    for (size_t i = 0; i < machines->inventory.family_count; i++) {
        const struct jl_generate_family *of = &machines->families[i];
        const int64_t size = draft->gpus > 0 ? of->family->gpus : of->family->cores;
        if (!fits(of, workload, draft))
            continue;
        const double alone_s = run_s(of->family, draft);
        room += of->nodes * (double)size;
        rate += of->nodes * (double)size / alone_s; /* without work it is infinite */
    }
    return rate > 0 ? room / rate : 0;
}

struct jl_generate_ask jl_generate_ask_of(const struct jl_generate_machines *machines,
                                          const struct jl_draft_workload *workload,
                                          const struct jl_draft *draft)
{
    return (struct jl_generate_ask){
        .run_s = mean_run_s(machines, workload, draft),
        .cores = (double)draft->cores,
        .memory_gib = (double)draft->memory_gib,
        .gpus = (double)draft->gpus,
        .is_amd = workload->is_amd,
    };
}

void jl_generate_add_demand(struct jl_generate_demand *demand, double submit_s,
                            const struct jl_generate_ask *ask)
{
    const double seconds = jl_min(ask->run_s, demand->end_s - submit_s);
    demand->used[JL_GENERATE_CORES] += seconds * ask->cores;
    demand->used[JL_GENERATE_MEMORY] += seconds * ask->memory_gib * GIB;
    demand->used[JL_GENERATE_GPUS] += seconds * ask->gpus;
    demand->asks_amd |= ask->gpus > 0 && ask->is_amd;
    demand->asks_nvidia |= ask->gpus > 0 && !ask->is_amd;
}

double jl_generate_load(const struct jl_generate_demand *demand)
{
    double capacity[JL_GENERATE_RESOURCES] = { 0 };
    double load = 0;
    for (size_t i = 0; i < demand->machines->inventory.family_count; i++) {
        const struct jl_generate_family *of = &demand->machines->families[i];
        const bool is_asked = of->is_amd ? demand->asks_amd : demand->asks_nvidia;
        capacity[JL_GENERATE_CORES] += of->nodes * (double)of->family->cores;
        capacity[JL_GENERATE_MEMORY] += of->nodes * (double)of->family->memory_bytes;
        capacity[JL_GENERATE_GPUS] += is_asked ? of->nodes * (double)of->family->gpus : 0;
    }
    for (int i = 0; i < JL_GENERATE_RESOURCES; i++) {
        if (capacity[i] > 0)
            load = jl_max(load, demand->used[i] / (capacity[i] * demand->end_s));
    }
    return load;
}
