/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the question autoscale.books is asked and answers; autoscale_books_tables.c says what each
 * member means. Amounts are TFLOPS and bytes. */

#include "autoscale/rollout.h"
#include "schema/row.h"

/* ---- amounts ---- */

struct books_side {
    uint64_t has;
    double of[JL_USAGES];
};

enum { SIDE_TFLOPS, SIDE_VRAM };

struct books_amounts {
    uint64_t has;
    struct books_side requests;
    struct books_side limits;
};

enum { AMOUNTS_REQUESTS, AMOUNTS_LIMITS };

/* ---- input ---- */

enum books_target { TARGETS_UNKNOWN, TARGETS_TFLOPS, TARGETS_VRAM, TARGETS_ALL };

struct books_quota_in {
    uint64_t has;
    struct books_amounts single;
    struct books_amounts total;
    struct books_amounts used;
};

enum { QUOTA_SINGLE, QUOTA_TOTAL, QUOTA_USED };

struct books_worker_in {
    uint64_t has;
    const char *name;
    bool dedicated;
    struct jl_list gpus;
    struct books_amounts resources;
};

enum { WORKER_NAME, WORKER_DEDICATED, WORKER_GPUS, WORKER_RESOURCES };

struct books_patched_in {
    uint64_t has;
    const char *worker;
    bool ok;
};

enum { PATCHED_WORKER, PATCHED_OK };

struct books_observe_in {
    uint64_t has;
    const char *worker;
    struct books_amounts resources;
};

enum { OBSERVE_WORKER, OBSERVE_RESOURCES };

struct books_step_in {
    uint64_t has;
    double t_s;
    struct books_amounts evaluate;
    struct books_patched_in patched;
    struct books_observe_in observe;
};

enum { STEP_T, STEP_EVALUATE, STEP_PATCHED, STEP_OBSERVE };

struct books_in {
    uint64_t has;
    enum books_target targets;
    int64_t seed;
    struct jl_list gpus;
    struct books_quota_in quota;
    struct jl_list workers;
    struct jl_list steps;
};

enum { IN_TARGETS, IN_SEED, IN_GPUS, IN_QUOTA, IN_WORKERS, IN_STEPS };

extern const struct jl_table jl_rollout_in_table;

/* ---- answer ---- */

struct books_patch_out {
    uint64_t has;
    const char *worker;
    struct books_amounts resources;
};

enum { PATCH_WORKER, PATCH_RESOURCES };

struct books_event_out {
    uint64_t has;
    enum jl_rollout_direction reason;
    const char *worker;
};

enum { EVENT_REASON, EVENT_WORKER };

struct books_state_out {
    uint64_t has;
    const char *name;
    enum jl_rollout_state state;
    enum jl_scale_reason reason;
    double retry_s;
    struct books_amounts carried;
    struct books_amounts booked;
};

enum { STATE_NAME, STATE_STATE, STATE_REASON, STATE_RETRY, STATE_CARRIED, STATE_BOOKED };

struct books_step_out {
    uint64_t has;
    struct jl_list patches;
    struct jl_list events;
    struct jl_list workers;
    struct jl_list gpus;
    int64_t applied;
    int64_t counted;
    struct books_amounts recommendation;
};

enum { O_PATCHES, O_EVENTS, O_WORKERS, O_GPUS, O_APPLIED, O_COUNTED, O_RECOMMENDATION };

struct books_out {
    uint64_t has;
    struct jl_list steps;
};

enum { OUT_STEPS };

extern const struct jl_table jl_rollout_out_table;
