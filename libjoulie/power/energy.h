/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From readings of an energy counter to joules and watts (docs/rules/energy.md#deltas), and energy
 * of a package among the pods that used it (docs/rules/energy.md#attribution). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jl_energy_drop {
    JL_ENERGY_KEPT,
    JL_ENERGY_FIRST,   /* nothing to subtract from */
    JL_ENERGY_RANGE,   /* it fell and the range is unknown, or too small to explain it */
    JL_ENERGY_RESET,   /* the counter was set back */
    JL_ENERGY_GAP,     /* it may have wrapped more than once */
    JL_ENERGY_SUSPEND, /* the machine slept in between */
    JL_ENERGY_NO_TIME, /* no time passed, or it ran back */
};

struct jl_energy_step {
    bool has_last;
    uint64_t last_uj;
    uint64_t now_uj;
    uint64_t range_uj; /* 0 = unknown */
    double seconds;
    double tdp_w;   /* of the zone; 0 = unknown: the reset rule takes 2000 W */
    double max_w;   /* for the gap rule; 0 = rule off */
    double sleep_s; /* change of BOOTTIME - MONOTONIC; up to 1 s is no sleep */
};

struct jl_energy_delta {
    enum jl_energy_drop drop;
    uint64_t delta_uj; /* with JL_ENERGY_KEPT */
    double watts;
};

struct jl_energy_delta jl_energy_delta(const struct jl_energy_step *step);
const char *
jl_energy_drop_word(enum jl_energy_drop drop); /* range, reset, gap, suspend; else NULL */

/* A perf counter as an energy counter: count times scale_j. */
uint64_t jl_energy_of_count_uj(uint64_t count, double scale_j);

/* What leaves the node: whole joules, rounded down. */
uint64_t jl_energy_published_j(uint64_t energy_uj);

struct jl_energy_window {
    double package_j; /* measured over the window */
    double idle_j;    /* that the package would have taken with nothing to do */
    bool is_full;     /* idle energy is divided too */
};

struct jl_energy_share {
    double dynamic_j;
    double idle_j; /* 0 unless is_full */
    double total_j;
};

/*
 * Divides by CPU seconds; a pod that used none has no share, and the shares never add up to more
 * than the package. out has room for count. 0, or JOULIE_E_RANGE when the seconds do not add up to
 * a number.
 */
int jl_energy_attribute(const struct jl_energy_window *window, const double *cpu_s, size_t count,
                        struct jl_energy_share *out);
