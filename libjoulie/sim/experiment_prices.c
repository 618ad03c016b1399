/* SPDX-License-Identifier: Apache-2.0 */

/* Least energy by prices of machine time (docs/rules/experiments.md#prices). Called by
 * experiment_bound.c. */

#include "sim/experiment_prices.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#define SLOTS 144 /* of the time, in each of which a price holds */
#define ROUNDS 80
#define FIRST_GAIN 0.01  /* of the energy, that a round tries to add */
#define ROUNDS_IN_VAIN 4 /* before it tries for half as much */
#define ROUNDING 1e-11   /* of all sums, at most */
#define BALANCED 1e-6    /* of a slot: what is bought is what is offered */

enum goods { GPUS, CORES, GOODS }; /* time of them, held or idle */

/* Of each of the goods of a family in a slot. Prices are those of all of it that the family has,
 * W, and amounts are parts of that, in s. */
struct cell {
    double of[GOODS];
};

struct curve { /* what all of a family has cost from the beginning to the ends of slots, J */
    double paid[GOODS][SLOTS + 1];
};

struct market {
    const struct jl_priced_family *families;
    size_t family_count;
    const struct jl_priced_job *jobs;
    size_t job_count;
    double slot_s;
    size_t count; /* of cells: the slots of one family after the other */
    struct cell *prices;
    struct cell *excess;  /* of what is bought over what is offered */
    struct curve *curves; /* by family */
};

static double had(const struct jl_priced_family *family, enum goods goods)
{
    return family->machines * (goods == GPUS ? family->gpus : family->cores);
}

/* ---- jobs ---- */

struct visit { /* of a job to a family */
    const struct market *market;
    const struct jl_priced_job *job;
    const struct jl_priced_way *way;
    double share[GOODS]; /* of what the family has */
};

struct start {
    double at_s;
    double cost_j;
};

static double paid_at(const double paid[SLOTS + 1], double at)
{
    if (at >= SLOTS)
        return paid[SLOTS];
    const size_t slot = (size_t)at;
    return paid[slot] + (at - (double)slot) * (paid[slot + 1] - paid[slot]);
}

static void try_start(const struct visit *visit, double at_s, struct start *best)
{
    const double slot_s = visit->market->slot_s;
    const struct curve *curve = &visit->market->curves[visit->way->family];
    double cost_j = visit->way->energy_j;
    for (size_t i = 0; i < GOODS; i++) {
        if (visit->share[i] > 0)
            cost_j +=
                visit->share[i] * (paid_at(curve->paid[i], (at_s + visit->way->hold_s) / slot_s) -
                                   paid_at(curve->paid[i], at_s / slot_s));
    }
    if (cost_j < best->cost_j)
        *best = (struct start){ at_s, cost_j };
}

/* Those at which what begins so much later meets the end of a slot. */
static void try_ends(const struct visit *visit, double later_s, struct start *best)
{
    const double slot_s = visit->market->slot_s;
    const double from_s = visit->job->submit_s;
    const double to_s = from_s + visit->job->wait_s;
    for (double slot = ceil((from_s + later_s) / slot_s); slot <= SLOTS; slot++) {
        const double at_s = slot * slot_s - later_s;
        if (at_s > to_s)
            break;
        try_start(visit, jl_max(at_s, from_s), best);
    }
}

/* Between the times that are tried the cost is a straight line. */
static struct start best_start(const struct visit *visit)
{
    struct start best = { 0, HUGE_VAL };
    try_start(visit, visit->job->submit_s, &best);
    try_start(visit, visit->job->submit_s + visit->job->wait_s, &best);
    try_ends(visit, 0, &best);
    try_ends(visit, visit->way->hold_s, &best);
    return best;
}

static struct visit visit_of(const struct market *market, const struct jl_priced_job *job,
                             const struct jl_priced_way *way)
{
    const struct jl_priced_family *family = &market->families[way->family];
    struct visit visit = { market, job, way, { 0 } };
    visit.share[CORES] = job->cores / had(family, CORES);
    if (job->gpus > 0)
        visit.share[GPUS] = job->gpus / had(family, GPUS);
    return visit;
}

static void buy(const struct visit *visit, double start_s)
{
    const struct market *market = visit->market;
    const double end_s = start_s + visit->way->hold_s;
    struct cell *cells = &market->excess[visit->way->family * SLOTS];
    for (size_t slot = (size_t)jl_min(start_s / market->slot_s, SLOTS); slot < SLOTS; slot++) {
        const double from_s = market->slot_s * (double)slot;
        const double seconds = jl_min(end_s, from_s + market->slot_s) - jl_max(start_s, from_s);
        if (from_s >= end_s)
            break;
        for (size_t i = 0; i < GOODS; i++)
            cells[slot].of[i] += visit->share[i] * jl_max(seconds, 0);
    }
}

static double least_of_job(const struct market *market, const struct jl_priced_job *job)
{
    struct visit best = { .way = NULL };
    struct start least = { 0, HUGE_VAL };
    for (size_t i = 0; i < job->way_count; i++) {
        const struct visit visit = visit_of(market, job, &job->ways[i]);
        const struct start own = best_start(&visit);
        if (own.cost_j < least.cost_j) {
            best = visit;
            least = own;
        }
    }
    if (!best.way)
        return 0;
    buy(&best, least.at_s);
    return least.cost_j;
}

/* ---- machines ---- */

/* What the machines of a family earn in a slot above what they take, J; they are on when that is
 * not below 0. */
static double profit_j(const struct market *market, const struct jl_priced_family *family,
                       const struct cell *price, struct cell *excess)
{
    const double own_w = price->of[GPUS] + price->of[CORES] - family->machines * family->on_w;
    if (own_w < 0)
        return 0;
    for (size_t i = 0; i < GOODS; i++)
        excess->of[i] -= market->slot_s;
    return own_w * market->slot_s;
}

/* ---- a round ---- */

static void add_up(const struct market *market)
{
    for (size_t family = 0; family < market->family_count; family++) {
        const struct cell *prices = &market->prices[family * SLOTS];
        struct curve *curve = &market->curves[family];
        for (size_t slot = 0; slot < SLOTS; slot++) {
            for (size_t i = 0; i < GOODS; i++)
                curve->paid[i][slot + 1] =
                    curve->paid[i][slot] + prices[slot].of[i] * market->slot_s;
        }
    }
}

/* All goods up to the end. */
static double paid_j(const struct market *market)
{
    double sum_j = 0;
    for (size_t family = 0; family < market->family_count; family++) {
        for (size_t i = 0; i < GOODS; i++)
            sum_j += market->curves[family].paid[i][SLOTS];
    }
    return sum_j;
}

/* No schedule goes below this, by whatever prices; and what is rounded is no gain. */
static double least_by_prices(const struct market *market)
{
    double needed_j = 0;
    double earned_j = 0;
    memset(market->excess, 0, market->count * sizeof *market->excess);
    add_up(market);
    for (size_t i = 0; i < market->job_count; i++)
        needed_j += least_of_job(market, &market->jobs[i]);
    for (size_t cell = 0; cell < market->count; cell++)
        earned_j += profit_j(market, &market->families[cell / SLOTS], &market->prices[cell],
                             &market->excess[cell]);
    return needed_j - earned_j - ROUNDING * (needed_j + earned_j + paid_j(market));
}

/* ---- prices ---- */

/* At which machines just earn what they take: those that have GPUs by them. */
static void first_prices(const struct market *market)
{
    for (size_t cell = 0; cell < market->count; cell++) {
        const struct jl_priced_family *family = &market->families[cell / SLOTS];
        market->prices[cell].of[family->gpus > 0 ? GPUS : CORES] =
            family->machines * jl_max(family->on_w, 0);
    }
}

/* What a price would go up by; none becomes less than nothing. */
static double pull(const struct market *market, size_t cell, size_t goods)
{
    const double excess = market->excess[cell].of[goods];
    if (excess < BALANCED * market->slot_s && excess > -BALANCED * market->slot_s)
        return 0;
    return market->prices[cell].of[goods] <= 0 ? jl_max(excess, 0) : excess;
}

/* Prices go up where too much is bought: so far that it would add gain_j if that went on as it
 * begins. */
static void move(const struct market *market, double gain_j)
{
    double length = 0;
    for (size_t cell = 0; cell < market->count; cell++) {
        for (size_t i = 0; i < GOODS; i++)
            length += pull(market, cell, i) * pull(market, cell, i);
    }
    for (size_t cell = 0; cell < market->count && length > 0; cell++) {
        for (size_t i = 0; i < GOODS; i++) {
            double *price = &market->prices[cell].of[i];
            *price = jl_max(0, *price + gain_j / length * pull(market, cell, i));
        }
    }
}

static double most_by_prices(const struct market *market)
{
    double own_j = least_by_prices(market);
    double most_j = own_j;
    double gain_j = FIRST_GAIN * fabs(most_j);
    int in_vain = 0;
    for (int round = 0; round < ROUNDS; round++) {
        move(market, most_j + gain_j - own_j);
        own_j = least_by_prices(market);
        in_vain = own_j > most_j ? 0 : in_vain + 1;
        if (own_j > most_j + gain_j / 2)
            gain_j *= 2;
        most_j = jl_max(most_j, own_j);
        if (in_vain == ROUNDS_IN_VAIN) {
            in_vain = 0;
            gain_j /= 2;
        }
    }
    return most_j;
}

int jl_priced_least_j(const struct jl_priced_family *families, size_t family_count,
                      const struct jl_priced_job *jobs, size_t job_count, double end_s,
                      double *out_j)
{
    const size_t count = family_count * SLOTS;
    JL_CLEANUP(jl_freep) struct cell *cells = jl_calloc(2 * count, sizeof *cells);
    JL_CLEANUP(jl_freep) struct curve *curves = jl_calloc(family_count, sizeof *curves);
    if (!cells || !curves)
        return JOULIE_E_NOMEM;
    const struct market market = {
        .families = families,
        .family_count = family_count,
        .jobs = jobs,
        .job_count = job_count,
        .slot_s = end_s / SLOTS,
        .count = count,
        .prices = cells,
        .excess = &cells[count],
        .curves = curves,
    };
    first_prices(&market);
    *out_j = most_by_prices(&market);
    return 0;
}
