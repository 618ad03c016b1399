/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* joulie-simulator: a simulated world behind real interfaces. */

#include <joulie/sim.h>

#include "apiserver/api.h"
#include "runtime/daemon.h"
#include "simulator/clock_server.h"
#include "simulator/debug.h"
#include "simulator/exporters.h"
#include "simulator/machine.h"
#include "simulator/measure.h"
#include "simulator/options.h"
#include "simulator/placement.h"

struct jd_simulator {
    struct jd_edges edges;
    struct jd_simulator_values values;
    struct jd_server *server; /* of the contract */
    struct jd_api *api;
    struct joulie_sim *sim;
    size_t node_count;
    struct jd_clock_server clock;
    struct jd_placement placement;
    struct jd_debug debug;

    /* world.c */
    struct jd_timer turn;
    double now_s;          /* virtual */
    int64_t began_ms;      /* CLOCK_MONOTONIC of virtual time 0; 0 = time stands still */
    bool is_waiting;       /* for an answer of the extender, or a step */
    bool is_finished;      /* every job has ended, and the report is written */
    bool is_kept;          /* and time goes on with the wall clock */
    double kept_s;         /* virtual, since when */
    int64_t kept_ms;       /* CLOCK_MONOTONIC of it */
    bool is_filter_stale;  /* twins or nodes were written since the extender was asked */
    bool is_broken;        /* the simulation cannot go on */
    uint64_t calls_before; /* of the API, until time began */
    struct jd_timer leave; /* after the end */
};

/* world.c */
int jd_world_open(struct jd_simulator *simulator, struct joulie_error *err);
void jd_world_close(struct jd_simulator *simulator);
int64_t jd_world_now_ms(void *simulator);
void jd_world_on_write(void *simulator, const struct jd_api_write *write);
bool jd_world_is_lockstep(const struct jd_simulator *simulator);

/* report.c: what is written at the end, and what /debug/summary answers. */
int jd_put_summary(const struct jd_simulator *simulator, struct jl_buffer *out,
                   struct joulie_error *err);
/* The present state for a live display; what clients asked of the API, by client, verb, resource
 * and status. */
void jd_put_view(const struct jd_simulator *simulator, struct jl_buffer *out);
void jd_put_requests(const struct jd_simulator *simulator, struct jl_buffer *out);
int jd_write_report(const struct jd_simulator *simulator, struct joulie_error *err);

/* contract.c */
int jd_contract_open(struct jd_simulator *simulator, struct joulie_error *err);
