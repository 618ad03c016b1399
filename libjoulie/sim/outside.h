/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Operator, extender and agents that are somebody else: what they have to be told and asked waits
 * here, first in first out, and the run waits with it.
 */

#include "cluster/model.h"
#include "sim/run.h"

enum jl_sim_news_kind { JL_NEWS_CAME, JL_NEWS_BOUND, JL_NEWS_GONE, JL_NEWS_CONTROL };

struct jl_sim_news {
    enum jl_sim_news_kind kind;
    uint32_t job; /* but of CONTROL */
};

enum jl_sim_question_state {
    JL_QUESTION_NONE,
    JL_QUESTION_WANTED, /* not asked yet */
    JL_QUESTION_ASKED,
    JL_QUESTION_ANSWERED,
};

struct jl_sim_question { /* where may this pod go? */
    enum jl_sim_question_state state;
    bool is_sample; /* no pod of the trace: which nodes admit performance pods? */
    size_t job;
    const char **candidates; /* names of nodes, in the order of nodes */
    uint32_t *nodes;         /* their numbers */
    size_t count;
    bool *passed; /* by node */
    bool has_scores;
    struct jl_cluster_score *scores; /* by node; wire only */
};

struct jl_sim_last {    /* what was asked of a machine at last */
    const char *action; /* a constant; NULL = nothing yet */
    const char *result;
    double at_s;
};

struct jl_sim_outside {
    struct jl_sim_run *run;
    struct jl_sim_last *last; /* by node */
    struct jl_sim_news *news;
    size_t told; /* of the news */
    size_t news_count;
    size_t news_capacity;
    struct jl_sim_question question;
    bool is_stale; /* admits may have changed */
    bool *admits;  /* performance pods, by node */
};

int jl_sim_outside_new(struct jl_sim_run *run, struct jl_sim_outside **out,
                       struct joulie_error *err);
void jl_sim_outside_free(struct jl_sim_outside *outside);

/* What a run asks, see sim/steering.h. */
int jl_sim_outside_pod(struct jl_sim_outside *outside, size_t job, struct joulie_error *err);
int jl_sim_outside_steer(struct jl_sim_outside *outside, struct joulie_error *err);
int jl_sim_outside_refresh(struct jl_sim_outside *outside);
int jl_sim_outside_filter(struct jl_sim_outside *outside, size_t job,
                          const struct jl_sim_places *places, const bool **out);
const struct jl_cluster_score *jl_sim_outside_scores(const struct jl_sim_outside *outside);
bool jl_sim_outside_has_news(const struct jl_sim_outside *outside);

/* Takes the oldest of the news; false when there is none. */
bool jl_sim_outside_take(struct jl_sim_outside *outside, struct jl_sim_news *out);
/* Answers the question that was asked; passed and wire by candidate, either may be NULL. */
void jl_sim_outside_answer(struct jl_sim_outside *outside, const uint8_t *passed,
                           const int32_t *wire);
