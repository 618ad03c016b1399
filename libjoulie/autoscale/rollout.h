/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How a recommendation reaches the workers of one workload: which of them to change in which order,
 * what the capacity rollout say meanwhile, and what follows from a change that failed. Rules:
 * docs/rules/autoscaling.md#rollout. Pure: the caller patches pods and says how it
 * went.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autoscale/amounts.h"
#include "autoscale/layer.h"
#include "base/arena.h"

enum jl_rollout_state {
    JL_ROLLOUT_IDLE = 1,
    JL_ROLLOUT_RESERVING, /* only inside of a step: nobody sees it */
    JL_ROLLOUT_PATCHING,
    JL_ROLLOUT_APPLIED,
    JL_ROLLOUT_ROLLING_BACK, /* only inside of a step */
    JL_ROLLOUT_DRIFTED,      /* rollout and annotations may differ until the next tick */
};

extern const struct jl_words jl_rollout_state_words;

struct jl_rollout_worker {
    const char *name;
    bool is_dedicated;         /* owns its GPU: never changed, not counted */
    const uint32_t *gpus;      /* indices into the rollout; NULL = only the quota counts */
    size_t gpu_count;          /* GPUs of the worker: how often its amounts are booked */
    struct jl_amounts carried; /* what the annotations of its pod say */

    /* kept by the functions below */
    struct jl_amounts booked;
    struct jl_amounts before; /* booked when the patch began: what a rollback restores */
    struct jl_amounts wanted; /* of the patch */
    enum jl_rollout_state state;
    enum jl_scale_reason reason; /* why it is where it is; NONE */
    uint32_t failures;           /* patches that failed one after the other */
    int64_t retry_ns;            /* not before; with failures */
    bool is_refused;             /* no capacity: not before the next evaluation */
};

/* 0 = no bound. */
struct jl_rollout_quota {
    struct jl_amounts single; /* largest amounts of one worker */
    struct jl_amounts total;  /* of the namespace */
    struct jl_amounts used;   /* of the namespace, our workers included */
};

struct jl_rollout_gpu {
    double available[JL_USAGES]; /* requests that still fit; below 0 after a resync */
};

enum jl_rollout_direction { JL_ROLLOUT_UP = 1, JL_ROLLOUT_DOWN };

extern const struct jl_words jl_rollout_direction_words;

#define JL_ROLLOUT_DIRECTIONS 2

struct jl_rollout_event {
    enum jl_rollout_direction direction;
    const char *worker;
};

/* Merge-patch the annotations of this worker's pod, of the targeted resources only. */
struct jl_rollout_patch {
    uint32_t worker;
    enum jl_rollout_direction direction;
    struct jl_amounts amounts; /* targeted resources changed, the others its own */
};

struct jl_rollout {
    struct jl_rollout_worker *workers;
    size_t worker_count;
    struct jl_rollout_gpu *gpus;
    size_t gpu_count;
    struct jl_rollout_quota quota;
    uint64_t seed; /* of the jitter */

    /* kept by the functions below */
    bool has_wanted;
    struct jl_amounts wanted; /* the recommendation */
    unsigned targets;         /* bit 1 << enum jl_usage */
    bool has_applied;
    struct jl_amounts applied; /* last one that every worker carries: what status keeps */
    bool has_event[JL_ROLLOUT_DIRECTIONS];
    int64_t event_ns[JL_ROLLOUT_DIRECTIONS]; /* of the last one */

    /* answers of the last step */
    struct jl_rollout_patch *patches; /* in the order in which they are to be made */
    size_t patch_count;
    struct jl_rollout_event events[JL_ROLLOUT_DIRECTIONS];
    size_t event_count;

    uint32_t *order; /* room of the sort */
    uint32_t *scratch;
};

/* Room for the answers; carried amounts count as booked. 0 or a code of the arena. */
int jl_rollout_init(struct jl_rollout *rollout, struct jl_arena *arena);

/* A new recommendation for the targeted resources, rounded as its texts are, 0 = as it is:
 * begins what can begin. */
void jl_rollout_evaluate(struct jl_rollout *rollout, const struct jl_amounts *wanted,
                         unsigned targets, int64_t now_ns);
/* Time went on: drifted workers are resynced, patches that failed are begun again when due. */
void jl_rollout_tick(struct jl_rollout *rollout, int64_t now_ns);
/* How the patch of a worker that is PATCHING went; of any other one it is ignored. */
void jl_rollout_patched(struct jl_rollout *rollout, size_t worker, bool is_done, int64_t now_ns);
/* The annotations of a pod as they are; of a worker that is PATCHING the patch decides. */
void jl_rollout_observe(struct jl_rollout *rollout, size_t worker,
                        const struct jl_amounts *carried);

/* Workers that carry the recommendation, of those that count; 0 without a recommendation. */
size_t jl_rollout_applied(const struct jl_rollout *rollout, size_t *out_counted);

/* 1 s, doubled with each failure up to 5 min, give or take a tenth: u is in [0, 1). */
int64_t jl_rollout_wait_ns(uint32_t failures, double u);
