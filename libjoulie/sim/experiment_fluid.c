/* SPDX-License-Identifier: Apache-2.0 */

/* Least energy of CPUs (docs/rules/experiments.md#cpus). Called by experiment_bound.c. */

#include "sim/experiment_fluid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"

/* ---- when work can be done ---- */

static int compare_jobs(const void *a, const void *b, void *user)
{
    const double left = ((const struct jl_fluid_job *)a)->util;
    const double right = ((const struct jl_fluid_job *)b)->util;
    (void)user;
    return (left < right) - (left > right);
}

/* The ends of the slots of work that is done at a rate from a time on. */
static void add_ramp(double done[JL_FLUID_SLOTS + 1], double slot_s, double from_s, double rate,
                     double work)
{
    for (int i = 0; i <= JL_FLUID_SLOTS; i++)
        done[i] += jl_clamp(rate * (slot_s * i - from_s), 0, work);
}

static void add_job(struct jl_fluid *fluid, const struct jl_fluid_job *job)
{
    const double rate = job->cores * job->util;
    fluid->total += job->work;
    add_ramp(fluid->soonest, fluid->slot_s, job->submit_s, rate * job->fast, job->work);
    if (!job->is_late)
        add_ramp(fluid->latest, fluid->slot_s, job->submit_s + job->wait_s, rate * job->slow,
                 job->work);
}

struct span { /* slots that a job may run in */
    double from_s;
    double to_s;
    size_t first;
    size_t end;
};

static struct span span_of(const struct jl_fluid *fluid, const struct jl_fluid_job *job)
{
    const double end_s = fluid->slot_s * JL_FLUID_SLOTS;
    const double done_s =
        job->submit_s + job->wait_s + job->work / (job->cores * job->util * job->slow);
    struct span span = {
        .from_s = job->submit_s,
        .to_s = job->is_late ? end_s : jl_min(done_s, end_s),
    };
    span.first = (size_t)jl_clamp(span.from_s / fluid->slot_s, 0, JL_FLUID_SLOTS);
    span.end = (size_t)jl_clamp(ceil(span.to_s / fluid->slot_s), 0, JL_FLUID_SLOTS);
    return span;
}

/* Offers of a slot stand one behind the other; next[slot] is where its next one goes. */
static void add_offers(struct jl_fluid *fluid, const struct jl_fluid_job *job,
                       size_t next[JL_FLUID_SLOTS])
{
    const struct span span = span_of(fluid, job);
    for (size_t slot = span.first; slot < span.end; slot++) {
        const double start_s = fluid->slot_s * (double)slot;
        const double seconds =
            jl_min(span.to_s, start_s + fluid->slot_s) - jl_max(span.from_s, start_s);
        const double cores = job->cores * jl_max(0, seconds) / fluid->slot_s;
        struct jl_fluid_offer sum = { .cores = cores, .busy = cores * job->util };
        if (next[slot] > fluid->first[slot]) {
            sum.cores += fluid->offers[next[slot] - 1].cores;
            sum.busy += fluid->offers[next[slot] - 1].busy;
        }
        fluid->offers[next[slot]++] = sum;
    }
}

int jl_fluid_init(struct jl_fluid *fluid, struct jl_fluid_job *jobs, size_t count, double end_s)
{
    size_t next[JL_FLUID_SLOTS];
    *fluid = (struct jl_fluid){ .slot_s = end_s / JL_FLUID_SLOTS };
    if (jl_sort(jobs, count, sizeof *jobs, compare_jobs, NULL) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct span span = span_of(fluid, &jobs[i]);
        for (size_t slot = span.first; slot < span.end; slot++)
            fluid->first[slot + 1]++;
        add_job(fluid, &jobs[i]);
    }
    for (size_t slot = 0; slot < JL_FLUID_SLOTS; slot++)
        fluid->first[slot + 1] += fluid->first[slot];
    fluid->soonest[JL_FLUID_SLOTS] = fluid->total;
    fluid->latest[JL_FLUID_SLOTS] = fluid->total;
    fluid->offers = jl_calloc(fluid->first[JL_FLUID_SLOTS], sizeof *fluid->offers);
    if (!fluid->offers)
        return JOULIE_E_NOMEM;
    memcpy(next, fluid->first, sizeof next);
    for (size_t i = 0; i < count; i++)
        add_offers(fluid, &jobs[i], next);
    return 0;
}

void jl_fluid_clear(struct jl_fluid *fluid)
{
    jl_free(fluid->offers);
    *fluid = (struct jl_fluid){ .total = 0 };
}

/* ---- how much of it some machines can do ---- */

/* The most busy cores among so many of a slot. */
static double busy_on(const struct jl_fluid *fluid, size_t slot, double cores)
{
    const struct jl_fluid_offer *offers = &fluid->offers[fluid->first[slot]];
    const size_t count = fluid->first[slot + 1] - fluid->first[slot];
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (offers[middle].cores < cores)
            low = middle + 1;
        else
            high = middle;
    }
    const struct jl_fluid_offer before = low > 0 ? offers[low - 1] : (struct jl_fluid_offer){ 0 };
    if (low == count)
        return before.busy;
    const double share = (cores - before.cores) / (offers[low].cores - before.cores);
    return before.busy + share * (offers[low].busy - before.busy);
}

struct machines { /* loaded up to so much */
    const struct jl_fluid_family *families;
    const double *reach; /* load, 0 to 1, by family */
    size_t count;
};

/* Families of at least this rate per core are limited by the cores that jobs hold, the others by
 * their load. */
static double rate_split_at(const struct jl_fluid *fluid, size_t slot,
                            const struct machines *machines, double least_rate)
{
    double cores = 0;
    double busy = 0;
    double sum = 0;
    for (size_t i = 0; i < machines->count; i++) {
        const struct jl_fluid_family *family = &machines->families[i];
        const double rate = machines->reach[i] * family->speed;
        const double more = family->machines * family->cores;
        if (rate < least_rate) {
            sum += rate * more;
        } else {
            const double with = busy_on(fluid, slot, cores + more);
            sum += family->speed * (with - busy);
            busy = with;
            cores += more;
        }
    }
    return sum;
}

/* The most work per second in a slot. */
static double rate_of(const struct jl_fluid *fluid, size_t slot, const struct machines *machines)
{
    double least = rate_split_at(fluid, slot, machines, DBL_MAX);
    for (size_t i = 0; i < machines->count; i++) {
        if (machines->reach[i] > 0)
            least = jl_min(least, rate_split_at(fluid, slot, machines,
                                                machines->reach[i] * machines->families[i].speed));
    }
    return least;
}

/*
 * The most work that they can have done at the end: time is cut into intervals that are limited by
 * what machines can do, and others limited by the work that can be done in them, at most
 * soonest(end) - latest(start). The smallest sum over all ways to cut holds.
 */
static double most_work(const struct jl_fluid *fluid, const struct machines *machines)
{
    double by_machines = 0;
    double by_work = 0; /* less latest() at its start, and still without soonest() at its end */
    for (size_t slot = 0; slot < JL_FLUID_SLOTS; slot++) {
        const double before = by_machines;
        by_machines = jl_min(before, by_work + fluid->soonest[slot]);
        by_work = jl_min(by_work, before - fluid->latest[slot]);
        by_machines += rate_of(fluid, slot, machines) * fluid->slot_s;
    }
    return jl_min(by_machines, by_work + fluid->total);
}

/* ---- the cheapest first ---- */

struct step { /* of the load of one family's machines */
    size_t family;
    double to_load;
    double cost_j; /* of a unit of work */
};

static int compare_steps(const void *a, const void *b, void *user)
{
    const double left = ((const struct step *)a)->cost_j;
    const double right = ((const struct step *)b)->cost_j;
    (void)user;
    return (left > right) - (left < right);
}

static double slope_w(const double points_w[JL_CURVE_POINTS], size_t from, size_t to)
{
    return (points_w[to] - points_w[from]) / (double)(to - from);
}

/* The lower convex hull of the curve, whose first point is power at no load: steps of growing cost.
 */
static size_t add_steps(const struct jl_fluid_family *family, size_t index, bool is_asleep,
                        struct step *out)
{
    double points_w[JL_CURVE_POINTS];
    size_t count = 0;
    memcpy(points_w, family->curve_w, sizeof points_w);
    if (is_asleep)
        points_w[0] = 0;
    for (size_t from = 0; from < JL_CURVE_POINTS - 1;) {
        size_t to = from + 1;
        for (size_t i = to + 1; i < JL_CURVE_POINTS; i++) {
            if (slope_w(points_w, from, i) <= slope_w(points_w, from, to))
                to = i;
        }
        out[count++] = (struct step){
            .family = index,
            .to_load = (double)to / (JL_CURVE_POINTS - 1),
            .cost_j = slope_w(points_w, from, to) * (JL_CURVE_POINTS - 1) /
                      (family->cores * family->speed),
        };
        from = to;
    }
    return count;
}

/* Work that the cheaper steps cannot do costs at least as much as the next one. */
static double least_j(const struct jl_fluid *fluid, const struct step *steps, size_t count,
                      const struct machines *machines, double *reach)
{
    double sum_j = 0;
    double done = 0;
    for (size_t i = 0; i < count; i++) {
        reach[steps[i].family] = steps[i].to_load;
        const double most = i + 1 < count ? most_work(fluid, machines) : fluid->total;
        const double more = jl_max(0, jl_min(most, fluid->total) - done);
        sum_j += steps[i].cost_j * more;
        done += more;
    }
    return sum_j;
}

int jl_fluid_least_j(const struct jl_fluid *fluid, const struct jl_fluid_family *families,
                     size_t count, bool is_asleep, double *out_j)
{
    JL_CLEANUP(jl_freep)
    struct step *steps = jl_calloc(count * JL_CURVE_POINTS, sizeof *steps);
    JL_CLEANUP(jl_freep) double *reach = jl_calloc(count, sizeof *reach);
    const struct machines machines = { families, reach, count };
    size_t used = 0;
    if (!steps || !reach)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        used += add_steps(&families[i], i, is_asleep, &steps[used]);
    if (jl_sort(steps, used, sizeof *steps, compare_steps, NULL) < 0)
        return JOULIE_E_NOMEM;
    *out_j = least_j(fluid, steps, used, &machines, reach);
    return 0;
}
