/* SPDX-License-Identifier: Apache-2.0 */
/* Power, energy and work of the packages. Between two events everything is a constant target and an
 * exponential on the way to it, so no step size enters the results. */

#include <math.h>
#include <string.h>

#include "parts.h"

#define EXPONENT 2.4 /* of frequency in power */
#define PSYS_REST_W 10.0

void fk_policy_range(const struct fk_policy *policy, uint64_t *out_min, uint64_t *out_max)
{
    uint64_t min = policy->request_min_khz;
    uint64_t max = policy->request_max_khz;
    const uint64_t *table = policy->table;
    min = min < policy->min_khz ? policy->min_khz : min > policy->max_khz ? policy->max_khz : min;
    max = max < policy->min_khz ? policy->min_khz : max > policy->max_khz ? policy->max_khz : max;
    if (min > max)
        min = max;
    if (policy->table_count > 0) { /* min upwards, max downwards, as cpufreq_set_policy() does */
        size_t high = policy->table_count - 1;
        while (high > 0 && table[high] > max)
            high--;
        max = table[high];
        size_t low = 0;
        while (low < high && table[low] < min)
            low++;
        min = table[low];
    }
    *out_min = min;
    *out_max = max;
}

/* Mean of (f / fmax)^exponent over the CPUs of a unit. */
static double speed(const struct fk *fk, size_t unit, double exponent)
{
    double sum = 0;
    double cpus = 0;
    for (const struct fk_policy *policy = fk->policies; policy; policy = policy->next) {
        uint64_t min;
        uint64_t max;
        if (policy->unit != unit || policy->max_khz == 0)
            continue;
        fk_policy_range(policy, &min, &max);
        sum += (double)policy->cpus * pow((double)max / (double)policy->max_khz, exponent);
        cpus += (double)policy->cpus;
    }
    return cpus > 0 ? sum / cpus : 1;
}

static double wanted_w(const struct fk *fk, size_t index)
{
    const struct fk_unit *unit = &fk->units[index];
    if (unit->demand_w <= unit->idle_w)
        return unit->demand_w;
    return unit->idle_w + (unit->demand_w - unit->idle_w) * speed(fk, index, EXPONENT);
}

static double target_w(const struct fk *fk, size_t index)
{
    const struct fk_unit *unit = &fk->units[index];
    const double bound = fmax(fmin(unit->long_w, unit->short_w), unit->idle_w);
    return fmin(wanted_w(fk, index), bound);
}

/* The share of its limited frequency that a unit can keep under its power limit. */
static double rapl_share(const struct fk *fk, size_t index)
{
    const struct fk_unit *unit = &fk->units[index];
    const double wanted = wanted_w(fk, index) - unit->idle_w;
    const double given = target_w(fk, index) - unit->idle_w;
    if (wanted <= 0 || given >= wanted)
        return 1;
    return pow(fmax(given / wanted, 0.001), 1 / EXPONENT);
}

double fk_policy_khz(const struct fk *fk, const struct fk_policy *policy)
{
    uint64_t min;
    uint64_t max;
    fk_policy_range(policy, &min, &max);
    const struct fk_unit *unit = &fk->units[policy->unit];
    if (unit->demand_w <= unit->idle_w)
        return (double)min;
    return fmax((double)max * rapl_share(fk, policy->unit), (double)min);
}

/* CPUs that are busy: the work of the demand takes longer when they are slower. */
static double busy_cpus(const struct fk *fk, size_t index)
{
    const struct fk_unit *unit = &fk->units[index];
    const double work = (unit->demand_w - unit->idle_w) / fmax(unit->tdp_w - unit->idle_w, 1);
    const double share = fmax(work, 0) / (speed(fk, index, 1) * rapl_share(fk, index));
    return fmin(share, 1) * (double)unit->cpus;
}

static void integrate(struct fk *fk, size_t index, double seconds)
{
    struct fk_unit *unit = &fk->units[index];
    const double target = target_w(fk, index);
    const double gap = unit->power_w - target;
    const double left = fk->lag_s > 0 ? exp(-seconds / fk->lag_s) : 0;
    unit->energy_uj += (target * seconds + gap * fk->lag_s * (1 - left)) * 1e6;
    unit->busy_s += busy_cpus(fk, index) * seconds;
    unit->power_w = target + gap * left;
}

static void advance_unit(struct fk *fk, size_t index, int64_t end_us)
{
    struct fk_unit *unit = &fk->units[index];
    int64_t at_us = fk->now_us;
    size_t done = 0;
    for (; done < unit->pending_count && unit->pending[done].at_us <= end_us; done++) {
        integrate(fk, index, (double)(unit->pending[done].at_us - at_us) / 1e6);
        at_us = unit->pending[done].at_us;
        unit->long_w = unit->pending[done].long_w;
    }
    unit->pending_count -= done;
    if (done > 0 && unit->pending_count > 0)
        memmove(unit->pending, unit->pending + done, unit->pending_count * sizeof *unit->pending);
    integrate(fk, index, (double)(end_us - at_us) / 1e6);
}

void fk_advance_us(struct fk *fk, int64_t us)
{
    for (size_t i = 0; us > 0 && i < fk->unit_count; i++)
        advance_unit(fk, i, fk->now_us + us);
    if (us > 0)
        fk->now_us += us;
}

void fk_advance_ms(struct fk *fk, int64_t ms)
{
    fk_advance_us(fk, ms * 1000);
}

int64_t fk_now_ms(const struct fk *fk)
{
    return fk->now_us / 1000;
}

static double lower(double limit, const struct fk_constraint *constraint, bool is_on)
{
    return is_on && constraint->is_there && constraint->is_limit
               ? fmin(limit, (double)constraint->limit_uw / 1e6)
               : limit;
}

void fk_plan_limits(struct fk *fk, size_t index)
{
    if (index >= fk->unit_count)
        return;
    struct fk_unit *unit = &fk->units[index];
    double long_w = HUGE_VAL;
    double short_w = HUGE_VAL;
    for (const struct fk_zone *zone = fk->zones; zone; zone = zone->next) {
        if (zone->unit != index || zone->kind != FK_ZONE_PACKAGE || zone->vanished_as)
            continue;
        long_w = lower(long_w, &zone->constraints[0], zone->is_enabled);
        short_w = lower(short_w, &zone->constraints[1], true);
    }
    unit->short_w = short_w;
    if (long_w == unit->planned_long_w)
        return;
    unit->planned_long_w = long_w;
    const int64_t at_us = fk->now_us + fk->delay_us;
    unit->pending = fk_grow(unit->pending, &unit->pending_capacity, unit->pending_count + 1,
                            sizeof *unit->pending);
    /* What was planned for later than this (the delay became shorter) is overtaken. */
    while (unit->pending_count > 0 && unit->pending[unit->pending_count - 1].at_us > at_us)
        unit->pending_count--;
    unit->pending[unit->pending_count++] = (struct fk_pending){ at_us, long_w };
    if (fk->delay_us == 0) {
        unit->long_w = long_w;
        unit->pending_count = 0;
    }
}

void fk_settle(struct fk *fk)
{
    for (size_t i = 0; i < fk->unit_count; i++) {
        struct fk_unit *unit = &fk->units[i];
        fk_plan_limits(fk, i);
        unit->long_w = unit->planned_long_w;
        unit->pending_count = 0;
        unit->power_w = target_w(fk, i);
    }
}

uint64_t fk_zone_energy_uj(const struct fk *fk, const struct fk_zone *zone)
{
    double used_uj = 0;
    if (zone->kind == FK_ZONE_PSYS) {
        for (size_t i = 0; i < fk->unit_count; i++)
            used_uj += fk->units[i].energy_uj;
        used_uj = used_uj * zone->share + PSYS_REST_W * (double)fk->now_us;
    } else {
        used_uj = fk->units[zone->unit].energy_uj * zone->share;
    }
    const uint64_t value = zone->base_uj + (uint64_t)used_uj;
    return zone->range_uj > 0 ? value % zone->range_uj : value;
}

/* ---- settings ---- */

size_t fk_packages(const struct fk *fk)
{
    return fk->unit_count;
}

void fk_set_demand_w(struct fk *fk, size_t package, double watts)
{
    if (package < fk->unit_count)
        fk->units[package].demand_w = watts;
}

void fk_set_idle_w(struct fk *fk, size_t package, double watts)
{
    if (package < fk->unit_count)
        fk->units[package].idle_w = watts;
}

void fk_set_delay_ms(struct fk *fk, int64_t ms)
{
    fk->delay_us = ms * 1000;
}

void fk_set_lag_ms(struct fk *fk, double ms)
{
    fk->lag_s = ms / 1000;
}

double fk_power_w(const struct fk *fk, size_t package)
{
    if (package >= fk->unit_count)
        return 0;
    /* Without a lag the power is what it is aimed at, also before any time has passed. */
    return fk->lag_s > 0 ? fk->units[package].power_w : target_w(fk, package);
}

double fk_limit_w(const struct fk *fk, size_t package)
{
    if (package >= fk->unit_count)
        return HUGE_VAL;
    return fmin(fk->units[package].long_w, fk->units[package].short_w);
}
