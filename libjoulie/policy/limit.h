/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The power cap of a node's GPUs that costs its work least energy within the slowdown that the work
 * may have (docs/rules/policy.md#efficiency_v1). */

#include "catalog/hardware.h"
#include "physics/physics.h"
#include "place/place.h"
#include "schema/row.h"

struct jl_policy_config;

#define JL_NO_CAP_PCT 100

enum jl_limit_reason {
    JL_LIMIT_NO_REASON,
    JL_LIMIT_IDLE,         /* no work on its GPUs */
    JL_LIMIT_UNKNOWN_WORK, /* a pod whose use of GPUs no profile describes */
    JL_LIMIT_UNKNOWN_GPU,  /* no range of its caps, or no model in the catalog */
    JL_LIMIT_PROMISE,      /* a pod that may not be slowed */
    JL_LIMIT_BACKLOG,      /* work waits that this node could take */
    JL_LIMIT_NO_GAIN,      /* no cap within the limits saves energy */
    JL_LIMIT_CAPPED,
    JL_LIMIT_DWELL, /* to be lowered, but it was lowered too recently */
};

extern const struct jl_words jl_limit_words;

/* One sentence for a person; never NULL. */
const char *jl_limit_text(enum jl_limit_reason reason);

struct jl_gpu_job { /* a pod on GPUs of a node */
    double gpus;
    double util;
    struct jl_gpu_weights weights;
    struct jl_gpu_weights least; /* with the least memory-bound work that its word may mean */
    double slowdown_frac;        /* that it may have; 0.1 = it takes a tenth longer */
    bool is_known;               /* else only gpus is set */
};

/* work: what is known of the pod. */
void jl_gpu_job_init(const struct joulie_work *work, const struct jl_policy_config *config,
                     struct jl_gpu_job *out);

struct jl_gpu_limit {
    double pct; /* that is written, of the highest cap; 100 = none */
    enum jl_limit_reason reason;
    double best_pct;      /* by the work alone */
    double natural_w;     /* of the GPUs with work, without a cap; 0 = not known */
    double best_w;        /* under best_pct */
    double slowdown_frac; /* under best_pct, of the work that is slowed most */
};

/* By the work alone; sorts jobs. 0 or JOULIE_E_NOMEM. */
int jl_gpu_limit_of_work(const struct jl_hardware *hardware, struct jl_gpu_job *jobs, size_t count,
                         struct jl_gpu_limit *out);

#ifdef JL_LIMIT_TABLES
#define RECORD_TABLES
#endif

/* How a cap comes about, for people */
#define RECORD jl_limit_report
#define MEMBERS                                                                        \
    ENUM(reason, "reason", jl_limit_reason, jl_limit_words, "What decides the cap.")   \
    NUMBER(best_pct, "bestPct", "The cap of least energy by the work alone, percent.") \
    NUMBER(natural_w, "naturalW", "Power of the GPUs with work, without a cap, W.")    \
    NUMBER(best_w, "bestW", "The same under bestPct, W.")                              \
    NUMBER(slowdown_pct, "slowdownPct",                                                \
           "How much longer bestPct makes the work take that it slows most, percent.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

void jl_limit_report_of(const struct jl_gpu_limit *limit, struct jl_limit_report *out);

struct jl_limit_past { /* what a NodeTwin remembers */
    double pct;        /* 100 = none */
    bool has_lowered;
    int64_t lowered_ms; /* when the cap last became lower */
};

/* What is written now: of_work, unless work waits or the cap was lowered too recently. */
void jl_gpu_limit_now(const struct jl_gpu_limit *of_work, const struct jl_policy_config *config,
                      bool has_backlog, const struct jl_limit_past *past, int64_t now_ms,
                      struct jl_gpu_limit *out);
