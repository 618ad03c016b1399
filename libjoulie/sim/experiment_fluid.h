/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The least energy of the CPUs of a cluster for a trace, as if work were a fluid that any machine
 * takes a share of (docs/rules/experiments.md#cpus). */

#include <stdbool.h>
#include <stddef.h>

#include "catalog/catalog.h"

#define JL_FLUID_SLOTS 144 /* of the time; 10 minutes each in a day */

struct jl_fluid_job {
    double util;     /* of its cores */
    double cores;    /* above 0 */
    double work;     /* seconds of a busy core of speed 1, above 0 */
    double submit_s; /* it starts between this ... */
    double wait_s;   /* ... and so long after it */
    double fast;     /* speeds of the cores that it may get */
    double slow;
    bool is_late; /* nothing is known of when it is done but the end */
};

struct jl_fluid_family { /* machines that are alike */
    double machines;
    double cores; /* of each */
    double speed;
    double curve_w[JL_CURVE_POINTS]; /* of each, at loads 0, 10 ... 100 % */
};

struct jl_fluid_offer { /* work in a slot, the cores with the highest utilisation first */
    double cores;       /* mean over the slot; of this and of those before it */
    double busy;
};

struct jl_fluid {
    double total; /* work */
    double slot_s;
    double soonest[JL_FLUID_SLOTS + 1]; /* work done at the ends of slots, at most */
    double latest[JL_FLUID_SLOTS + 1];  /* at least */
    struct jl_fluid_offer *offers;      /* slot after slot */
    size_t first[JL_FLUID_SLOTS + 1];   /* offer of each slot */
};

/* Jobs that are done at end_s; they are sorted here, and not kept. 0 or JOULIE_E_NOMEM. */
int jl_fluid_init(struct jl_fluid *fluid, struct jl_fluid_job *jobs, size_t count, double end_s);
void jl_fluid_clear(struct jl_fluid *fluid);

/*
 * Families by speed, the fastest first. Above the idle power of machines that are all on;
 * is_asleep: all of it, with a machine that has nothing to do drawing nothing. 0 or JOULIE_E_NOMEM.
 */
int jl_fluid_least_j(const struct jl_fluid *fluid, const struct jl_fluid_family *families,
                     size_t count, bool is_asleep, double *out_j);
