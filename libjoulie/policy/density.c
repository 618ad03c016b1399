/* SPDX-License-Identifier: Apache-2.0 */

/* What a node can compute, and the order of nodes that follows (docs/rules/policy.md#density). */

#include "base/number.h"
#include "base/sort.h"
#include "policy/policy.h"

/* The catalog's density, or a stand-in for entries that have none. */
static double cpu_density(const struct jl_cpu_model *model)
{
    return model->compute_density > 0 ? model->compute_density : model->boost_ghz * model->tdp_w;
}

static double gpu_density(const struct jl_gpu_model *model)
{
    return model->compute_density > 0 ? model->compute_density : model->max_board_w;
}

static double first_positive(double a, double b)
{
    if (a > 0)
        return a;
    return b > 0 ? b : 1;
}

void jl_density_of(const struct jl_hardware *hardware, struct jl_density *out)
{
    *out = (struct jl_density){ 0 };
    if (hardware->cpu_model != NULL) {
        const double density = cpu_density(hardware->cpu_model);
        out->cpu = density * first_positive(hardware->total_cores, hardware->sockets);
        out->cpu_normalized = density * jl_max(hardware->sockets, 1);
    }
    if (hardware->gpu_model != NULL)
        out->gpu = gpu_density(hardware->gpu_model) * jl_max(hardware->gpu_count, 1);
    out->total = out->cpu + out->gpu;
}

static int denser_first(const void *a, const void *b, void *user)
{
    const struct jl_density_rank *left = a;
    const struct jl_density_rank *right = b;
    (void)user;
    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    return jl_compare(left->name, right->name);
}

int jl_density_sort(struct jl_density_rank *ranks, size_t count)
{
    return jl_sort(ranks, count, sizeof *ranks, denser_first, NULL);
}
