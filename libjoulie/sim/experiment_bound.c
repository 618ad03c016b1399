/* SPDX-License-Identifier: Apache-2.0 */

/* What any schedule of a trace needs at least (docs/rules/experiments.md#bound). Called by
 * experiment_run.c. */

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "sim/experiment.h"
#include "sim/experiment_fluid.h"
#include "sim/experiment_prices.h"

#define LIMIT_SLOWED 0.10 /* run time above that at full speed */
#define CAP_GAP 1e-3      /* of the least energy of a GPU: how far below it the answer may be */
#define MOST_HALVINGS 24  /* of the range of a cap */
#define LIMIT_HALVINGS 24
#define MOST_RANGES 4 /* of caps, in each of which a job holds its machine for about as long */

struct family {
    const struct jl_sim_family *is;
    struct jl_fluid_family cpu;
};

struct cluster {
    const struct jl_inventory *inventory;
    struct family *families; /* that have machines, the fastest cores first */
    size_t count;
};

/* ---- machines ---- */

static int compare_families(const void *a, const void *b, void *user)
{
    const double left = ((const struct family *)a)->cpu.speed;
    const double right = ((const struct family *)b)->cpu.speed;
    (void)user;
    return (left < right) - (left > right);
}

static int read_cluster(const struct jl_inventory *inventory, struct cluster *out)
{
    *out = (struct cluster){
        .inventory = inventory,
        .families = jl_calloc(inventory->family_count, sizeof *out->families),
        .count = inventory->family_count,
    };
    if (!out->families)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < inventory->family_count; i++) {
        const struct jl_sim_family *family = &inventory->families[i];
        struct jl_fluid_family *cpu = &out->families[i].cpu;
        out->families[i].is = family;
        cpu->cores = (double)family->cores;
        cpu->speed = family->profile.relative_speed;
        for (size_t point = 0; point < JL_CURVE_POINTS; point++)
            cpu->curve_w[point] = family->profile.curve_w[point];
    }
    for (size_t i = 0; i < inventory->count; i++)
        out->families[inventory->machines[i].family - inventory->families].cpu.machines++;
    return jl_sort(out->families, out->count, sizeof *out->families, compare_families, NULL);
}

bool jl_experiment_has_bound(const struct jl_inventory *inventory)
{
    bool has = true;
    for (size_t i = 0; i < inventory->count; i++)
        has &= inventory->machines[i].family->profile.curve_model != NULL;
    return has;
}

/* ---- CPU work ---- */

static bool takes(const struct family *family, const struct jl_sim_shape *shape)
{
    return family->cpu.machines > 0 && jl_sim_fits_empty(shape, family->is);
}

static bool read_job(const struct cluster *cluster, const struct jl_sim_workload *workload,
                     const struct jl_sim_task *task, const struct jl_experiment_bound *bound,
                     struct jl_fluid_job *out)
{
    const struct jl_trace_job *job = task->job;
    const struct jl_sim_shape *shape = &workload->shapes[task->shape];
    *out = (struct jl_fluid_job){
        .util = job->work.cpu_util,
        .cores = job->cpu_cores,
        .work = job->work.cpu_util * job->cpu_units,
        .submit_s = job->submit_s,
        .wait_s = job->gpu_count > 0 ? bound->gpu_wait_s : bound->cpu_wait_s,
        .is_late = task->gang != JL_NO_GANG,
    };
    for (size_t i = 0; i < cluster->count; i++) {
        const struct family *family = &cluster->families[i];
        if (!takes(family, shape))
            continue;
        out->fast = jl_max(out->fast, family->cpu.speed);
        out->slow = family->cpu.speed; /* they are sorted by it */
    }
    return out->work > 0 && out->cores > 0 && out->slow > 0;
}

static int add_cpus(const struct cluster *cluster, const struct jl_sim_workload *workload,
                    struct jl_experiment_bound *bound)
{
    JL_CLEANUP(jl_freep)
    struct jl_fluid_job *jobs = jl_calloc(workload->count, sizeof *jobs);
    JL_CLEANUP(jl_freep)
    struct jl_fluid_family *families = jl_calloc(cluster->count, sizeof *families);
    JL_CLEANUP(jl_fluid_clear) struct jl_fluid fluid = { .total = 0 };
    size_t count = 0;
    if (!jobs || !families)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < workload->count; i++)
        count += read_job(cluster, workload, &workload->tasks[i], bound, &jobs[count]);
    for (size_t i = 0; i < cluster->count; i++)
        families[i] = cluster->families[i].cpu;
    int rc = jl_fluid_init(&fluid, jobs, count, bound->end_s);
    if (rc == 0)
        rc = jl_fluid_least_j(&fluid, families, cluster->count, false, &bound->cpu_dynamic_j);
    if (rc == 0)
        rc = jl_fluid_least_j(&fluid, families, cluster->count, true, &bound->cpu_asleep_j);
    return rc;
}

/* ---- GPU work ---- */

struct gpu_job { /* on the machines of a family */
    const struct jl_sim_task *task;
    const struct jl_gpu_profile *gpu;
    double natural_w;
    double most_cap_w;  /* caps are of this ... */
    double least_cap_w; /* ... to this */
};

/* Speed under a cap, 1 without one. */
static double factor_at(const struct gpu_job *job, double cap_w)
{
    const struct jl_gpu_now now = { .natural_w = job->natural_w, .cap_w = cap_w };
    struct jl_gpu_progress progress;
    jl_gpu_progress(&job->task->job->work, &job->task->traits, job->gpu, &now, 1,
                    JL_PHYSICS_CURRENT, &progress);
    return progress.factor;
}

/* Halving ends below the lowest cap that is allowed, never above it. */
static double cap_of_factor(const struct gpu_job *job, double least_factor)
{
    double low_w = jl_min(job->gpu->min_cap_w, job->natural_w);
    double high_w = job->natural_w;
    if (factor_at(job, low_w) >= least_factor)
        return low_w;
    if (least_factor >= 1) /* every cap below the natural power slows it */
        return high_w;
    for (int i = 0; i < LIMIT_HALVINGS; i++) {
        const double middle_w = (low_w + high_w) / 2;
        if (factor_at(job, middle_w) < least_factor)
            low_w = middle_w;
        else
            high_w = middle_w;
    }
    return low_w;
}

struct cap { /* the upper end of a range of caps */
    double cap_w;
    double factor;
};

/*
 * The least (power + extra_w) / speed over all caps that are allowed: in a range of caps neither is
 * power below that at its lower end nor speed above that at its upper one, and ranges are halved
 * until what this leaves is near the least that was met.
 */
static double least_w(const struct gpu_job *job, double extra_w)
{
    struct cap ends[MOST_HALVINGS + 1];
    double low_w = job->least_cap_w;
    int depth = 1;
    ends[0] = (struct cap){ job->most_cap_w, factor_at(job, job->most_cap_w) };
    double met_w =
        (jl_gpu_power_w(job->gpu, job->natural_w, job->most_cap_w) + extra_w) / ends[0].factor;
    double least_w = met_w;
    while (depth > 0) {
        const struct cap *high = &ends[depth - 1];
        const double below_w =
            (jl_gpu_power_w(job->gpu, job->natural_w, low_w) + extra_w) / high->factor;
        if (below_w >= met_w * (1 - CAP_GAP) || depth > MOST_HALVINGS) {
            least_w = jl_min(least_w, below_w);
            low_w = high->cap_w;
            depth--;
            continue;
        }
        const double middle_w = (low_w + high->cap_w) / 2;
        const struct cap middle = { middle_w, factor_at(job, middle_w) };
        met_w = jl_min(met_w, (jl_gpu_power_w(job->gpu, job->natural_w, middle_w) + extra_w) /
                                  middle.factor);
        ends[depth++] = middle;
    }
    return least_w;
}

struct gpu_least { /* J; the least of each by itself */
    double dynamic_j;
    double device_j;  /* its GPUs, the others off */
    double machine_j; /* and its share of the machine's idle CPUs */
};

struct times { /* s, at full speed */
    double gpu_s;
    double cpu_s;
};

static struct times times_on(const struct family *family, const struct jl_trace_job *job)
{
    const double gpus = (double)job->gpu_count;
    const double speed = family->is->profile.gpu.relative_speed;
    return (struct times){
        .gpu_s = gpus > 0 && job->gpu_units > 0 ? job->gpu_units / (gpus * speed) : 0,
        .cpu_s = job->cpu_units > 0 ? job->cpu_units / (job->cpu_cores * family->cpu.speed) : 0,
    };
}

/* Under caps with which it takes between so much longer, and so much, than at full speed. */
static struct gpu_job gpu_job_of(const struct family *family, const struct jl_sim_task *task,
                                 const struct times *times, double least_limit, double limit)
{
    const struct jl_gpu_profile *gpu = &family->is->profile.gpu;
    const double share = times->gpu_s / jl_max(times->gpu_s, times->cpu_s);
    struct gpu_job job = {
        .task = task,
        .gpu = gpu,
        .natural_w = jl_gpu_natural_w(gpu, &task->traits.gpu, task->job->work.gpu_util),
    };
    job.most_cap_w =
        least_limit > 0 ? cap_of_factor(&job, share / (1 + least_limit)) : job.natural_w;
    job.least_cap_w = cap_of_factor(&job, share / (1 + limit));
    return job;
}

static struct gpu_least least_on(const struct family *family, const struct jl_sim_task *task,
                                 double limit)
{
    const double idle_w = family->is->profile.gpu.idle_w;
    const double share_w = family->cpu.curve_w[0] / (double)family->is->gpus;
    const struct times times = times_on(family, task->job);
    const struct gpu_job job = gpu_job_of(family, task, &times, 0, limit);
    const double device_s = (double)task->job->gpu_count * times.gpu_s;
    return (struct gpu_least){
        .dynamic_j = device_s * least_w(&job, -idle_w),
        .device_j = device_s * least_w(&job, 0),
        .machine_j = device_s * least_w(&job, share_w),
    };
}

static struct gpu_least least_of_job(const struct cluster *cluster,
                                     const struct jl_sim_workload *workload,
                                     const struct jl_sim_task *task, double limit)
{
    struct gpu_least least = { 0 };
    bool has_one = false;
    for (size_t i = 0; i < cluster->count; i++) {
        const struct family *family = &cluster->families[i];
        if (!takes(family, &workload->shapes[task->shape]))
            continue;
        const struct gpu_least own = least_on(family, task, limit);
        least.dynamic_j = has_one ? jl_min(least.dynamic_j, own.dynamic_j) : own.dynamic_j;
        least.device_j = has_one ? jl_min(least.device_j, own.device_j) : own.device_j;
        least.machine_j = has_one ? jl_min(least.machine_j, own.machine_j) : own.machine_j;
        has_one = true;
    }
    return least;
}

static struct gpu_least least_of_gpus(const struct cluster *cluster,
                                      const struct jl_sim_workload *workload, double limit)
{
    struct gpu_least sum = { 0 };
    for (size_t i = 0; i < workload->count; i++) {
        const struct jl_sim_task *task = &workload->tasks[i];
        if (task->job->gpu_count == 0 || task->job->gpu_units <= 0)
            continue;
        const struct gpu_least own = least_of_job(cluster, workload, task, limit);
        sum.dynamic_j += own.dynamic_j;
        sum.device_j += own.device_j;
        sum.machine_j += own.machine_j;
    }
    return sum;
}

/* ---- with as many machines as there are ---- */

struct priced { /* a trace in ways to run its jobs */
    struct jl_priced_family *families;
    struct jl_priced_job *jobs;
    struct jl_priced_way *ways;
    double floor_j; /* of machines that are off */
};

static void priced_clear(struct priced *priced)
{
    jl_free(priced->families);
    jl_free(priced->jobs);
    jl_free(priced->ways);
}

static int priced_new(const struct cluster *cluster, const struct jl_sim_workload *workload,
                      struct priced *out)
{
    *out = (struct priced){
        .families = jl_calloc(cluster->count, sizeof *out->families),
        .jobs = jl_calloc(workload->count + 1, sizeof *out->jobs),
        .ways = jl_calloc(workload->count * cluster->count * MOST_RANGES + 1, sizeof *out->ways),
    };
    return out->families && out->jobs && out->ways ? 0 : JOULIE_E_NOMEM;
}

static double idle_w(const struct family *family)
{
    return family->cpu.curve_w[0] + (double)family->is->gpus * family->is->profile.gpu.idle_w;
}

/* Off or not, a machine takes its standby power, or less when it is idle. */
static void price_machines(const struct cluster *cluster, bool is_asleep, double end_s,
                           struct priced *out)
{
    out->floor_j = 0;
    for (size_t i = 0; i < cluster->count; i++) {
        const struct family *family = &cluster->families[i];
        const double floor_w = jl_min(family->is->standby_w, idle_w(family));
        struct jl_priced_family *priced = &out->families[i];
        *priced = (struct jl_priced_family){
            .machines = family->cpu.machines,
            .cores = family->cpu.cores,
            .gpus = (double)family->is->gpus,
            .on_w = is_asleep ? idle_w(family) - floor_w : 0,
        };
        if (is_asleep)
            out->floor_j += family->cpu.machines * floor_w * end_s;
    }
}

/* Above idle: the least over all loads. */
static double busy_core_w(const struct family *family)
{
    const double *curve_w = family->cpu.curve_w;
    double least_w = curve_w[JL_CURVE_POINTS - 1] - curve_w[0];
    for (size_t i = 1; i < JL_CURVE_POINTS - 1; i++)
        least_w = jl_min(least_w, (curve_w[i] - curve_w[0]) * (JL_CURVE_POINTS - 1) / (double)i);
    return least_w / family->cpu.cores;
}

/* A job holds its machine for longer the more its GPUs are capped: a way for each of some ranges of
 * caps. */
static size_t price_gpu_ways(const struct family *family, const struct jl_sim_task *task,
                             double limit, const struct jl_priced_way *full,
                             struct jl_priced_way *out)
{
    const size_t ranges = limit > 0 ? MOST_RANGES : 1;
    const struct times times = times_on(family, task->job);
    size_t count = 0;
    for (size_t i = 0; i < ranges; i++) {
        const struct gpu_job job =
            gpu_job_of(family, task, &times, limit * (double)i / (double)ranges,
                       limit * (double)(i + 1) / (double)ranges);
        if (i > 0 && job.most_cap_w <= job.least_cap_w) /* the lowest cap was met */
            break;
        out[count] = *full;
        out[count].energy_j +=
            (double)task->job->gpu_count * times.gpu_s * least_w(&job, -job.gpu->idle_w);
        out[count++].hold_s = jl_max(times.gpu_s / factor_at(&job, job.most_cap_w), times.cpu_s);
    }
    return count;
}

static void price_job(const struct cluster *cluster, const struct jl_sim_workload *workload,
                      const struct jl_sim_task *task, const struct jl_experiment_bound *bound,
                      double limit, struct jl_priced_way *ways, struct jl_priced_job *out)
{
    const struct jl_trace_job *job = task->job;
    const double wait_s = job->gpu_count > 0 ? bound->gpu_wait_s : bound->cpu_wait_s;
    *out = (struct jl_priced_job){
        .submit_s = job->submit_s,
        .wait_s = task->gang != JL_NO_GANG ? jl_max(bound->end_s - job->submit_s, 0) : wait_s,
        .gpus = (double)job->gpu_count,
        .cores = job->cpu_cores,
        .ways = ways,
    };
    for (size_t i = 0; i < cluster->count; i++) {
        const struct family *family = &cluster->families[i];
        if (!takes(family, &workload->shapes[task->shape]))
            continue;
        const struct times times = times_on(family, job);
        const struct jl_priced_way full = {
            .family = i,
            .energy_j = busy_core_w(family) * job->work.cpu_util * job->cpu_cores * times.cpu_s,
            .hold_s = times.cpu_s,
        };
        if (times.gpu_s > 0)
            out->way_count += price_gpu_ways(family, task, limit, &full, &ways[out->way_count]);
        else
            ways[out->way_count++] = full;
    }
}

static int least_priced_j(const struct cluster *cluster, const struct jl_sim_workload *workload,
                          const struct jl_experiment_bound *bound, bool is_asleep, double limit,
                          double *out_j)
{
    JL_CLEANUP(priced_clear) struct priced priced;
    int rc = priced_new(cluster, workload, &priced);
    if (rc < 0)
        return rc;
    price_machines(cluster, is_asleep, bound->end_s, &priced);
    for (size_t i = 0; i < workload->count; i++)
        price_job(cluster, workload, &workload->tasks[i], bound, limit,
                  &priced.ways[i * cluster->count * MOST_RANGES], &priced.jobs[i]);
    rc = jl_priced_least_j(priced.families, cluster->count, priced.jobs, workload->count,
                           bound->end_s, out_j);
    *out_j += priced.floor_j;
    return rc;
}

/* ---- both ---- */

/* Either is below what any schedule needs. */
static double asleep_j(const struct jl_experiment_bound *bound, const struct gpu_least *gpus)
{
    return jl_max(bound->cpu_asleep_j + gpus->device_j, bound->cpu_dynamic_j + gpus->machine_j);
}

static int add_priced(const struct cluster *cluster, const struct jl_sim_workload *workload,
                      struct jl_experiment_bound *bound)
{
    int rc = least_priced_j(cluster, workload, bound, false, 0, &bound->priced_j);
    if (rc == 0)
        rc = least_priced_j(cluster, workload, bound, false, LIMIT_SLOWED, &bound->priced_slowed_j);
    if (rc == 0)
        rc = least_priced_j(cluster, workload, bound, true, 0, &bound->priced_asleep_j);
    if (rc == 0)
        rc = least_priced_j(cluster, workload, bound, true, LIMIT_SLOWED,
                            &bound->priced_asleep_slowed_j);
    return rc;
}

int jl_experiment_bound(const struct jl_inventory *inventory,
                        const struct jl_sim_workload *workload, struct jl_experiment_bound *bound)
{
    struct cluster cluster;
    int rc = read_cluster(inventory, &cluster);
    if (rc == 0)
        rc = add_cpus(&cluster, workload, bound);
    if (rc == 0) {
        const struct gpu_least full = least_of_gpus(&cluster, workload, 0);
        const struct gpu_least slowed = least_of_gpus(&cluster, workload, LIMIT_SLOWED);
        bound->gpu_dynamic_j = full.dynamic_j;
        bound->gpu_dynamic_slowed_j = slowed.dynamic_j;
        bound->asleep_j = asleep_j(bound, &full);
        bound->asleep_slowed_j = asleep_j(bound, &slowed);
        rc = add_priced(&cluster, workload, bound);
    }
    jl_free(cluster.families);
    return rc;
}
