/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A beat of a scheduler of its own through <joulie/cluster.h>: every machine put again as it is, a
 * reading of each, heartbeat, step, each action read, caps reported as set, statuses taken at once.
 *
 * - cluster.beat.5000: powers move by a percent, as they do from minute to minute.
 * - cluster.beat_moved.5000: every power moves so far that every status is written.
 * - cluster.beat_bodies.5000: the same, and each action has its body made, as an operator wants it.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/cluster.h>

#include "base/random.h"
#include "bench/bench.h"

#define START_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define STEP_MS INT64_C(60000)
#define NAME_BYTES 32
#define MACHINES 5000

struct scheduler {
    struct joulie_cluster *cluster;
    char (*names)[NAME_BYTES];
    struct jl_random random;
    int64_t now_ms;
    double spread_w; /* of a reading around 300 W */
    bool has_bodies; /* asked for */
    size_t actions;  /* of the last beat */
};

static void check(int rc, const struct joulie_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench: %s: %s\n", err->where, err->message);
    exit(1);
}

static void feed(struct scheduler *scheduler)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    machine.cpu_model = "AMD EPYC 9654 96-Core Processor";
    machine.rack = "r1";
    machine.cpu_sockets = 2;
    machine.cpu_cores = 192;
    machine.has = JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS | JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES;
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = scheduler->now_ms;
    for (size_t i = 0; i < MACHINES; i++) {
        machine.name = scheduler->names[i];
        sample.node_power_w = jl_random_range(&scheduler->random, 300 - scheduler->spread_w,
                                              300 + scheduler->spread_w);
        check(joulie_cluster_put_machine(scheduler->cluster, &machine, &err), &err);
        check(joulie_cluster_put_sample(scheduler->cluster, scheduler->names[i], &sample, &err),
              &err);
    }
}

static uint64_t beat(void *state)
{
    struct scheduler *scheduler = state;
    struct joulie_cluster *cluster = scheduler->cluster;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    uint64_t sum = 0;
    scheduler->now_ms += STEP_MS;
    feed(scheduler);
    joulie_cluster_heartbeat(cluster, scheduler->now_ms);
    check(joulie_cluster_step(cluster, scheduler->now_ms, &scheduler->actions, &err), &err);
    for (size_t i = 0; i < scheduler->actions; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        const char *body = "";
        check(joulie_cluster_action_at(cluster, i, &action, &err), &err);
        if (scheduler->has_bodies)
            check(joulie_cluster_action_body(cluster, action.id, &body, &err), &err);
        sum += strlen(body);
        if (action.change != JOULIE_CHANGE_STATUS)
            check(joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, &err),
                  &err);
    }
    check(joulie_cluster_statuses_done(cluster, &err), &err);
    return sum;
}

static int measure(const char *name, double spread_w, bool has_bodies, size_t least_actions,
                   const struct bench_options *options)
{
    static const char settings[] = "{}";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct scheduler scheduler = {
        .random = { .state = 3 }, .now_ms = START_MS, .spread_w = spread_w, .has_bodies = has_bodies
    };
    const struct bench_figure figure = {
        name, "ms", 1e6, 1, &scheduler, { "ours", beat }, { NULL, NULL },
    };
    if (!bench_is_asked(&figure, options))
        return 0;
    scheduler.names = calloc(MACHINES, sizeof *scheduler.names);
    if (scheduler.names == NULL)
        exit(1);
    for (size_t i = 0; i < MACHINES; i++)
        snprintf(scheduler.names[i], NAME_BYTES, "node-%05zu", i);
    check(joulie_cluster_new(settings, sizeof settings - 1, &scheduler.cluster, &err), &err);
    for (int i = 0; i < 3; i++) /* the first beats write everything */
        (void)beat(&scheduler);
    int failed = scheduler.actions < least_actions;
    if (failed)
        fprintf(stderr, "bench: %s: %zu actions in a beat\n", name, scheduler.actions);
    failed |= bench_measure(&figure, options);
    joulie_cluster_free(scheduler.cluster);
    free(scheduler.names);
    return failed;
}

int bench_beat(const struct bench_options *options)
{
    return measure("cluster.beat.5000", 3, false, 0, options) |
           measure("cluster.beat_moved.5000", 200, false, MACHINES / 2, options) |
           measure("cluster.beat_bodies.5000", 200, true, MACHINES / 2, options);
}
