/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The controller of an external simulation: pods and steps wait as news for the caller, and where a
 * pod may go waits as a question, until it took them and has answered.
 */

#include "sim/outside.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- life ---- */

/* A machine says what it draws before time starts, too. The first instant does the same again. */
static int wake_machines(struct jl_sim_run *run)
{
    int rc = 0;
    for (size_t i = 0; i < run->node_count && rc == 0; i++) {
        rc = jl_sim_node_update(run, i);
        run->nodes[i].is_dirty = true; /* as it was, and in the list */
    }
    return rc;
}

int jl_sim_outside_new(struct jl_sim_run *run, struct jl_sim_outside **out,
                       struct joulie_error *err)
{
    struct jl_sim_outside *outside = jl_calloc(1, sizeof *outside);
    if (!outside)
        return jl_fail_memory(err);
    struct jl_sim_question *question = &outside->question;
    outside->run = run;
    outside->admits = jl_calloc(run->node_count, sizeof *outside->admits);
    outside->last = jl_calloc(run->node_count, sizeof *outside->last);
    question->candidates = jl_calloc(run->node_count, sizeof *question->candidates);
    question->nodes = jl_calloc(run->node_count, sizeof *question->nodes);
    question->passed = jl_calloc(run->node_count, sizeof *question->passed);
    question->scores = jl_calloc(run->node_count, sizeof *question->scores);
    if (!outside->admits || !outside->last || !question->candidates || !question->nodes ||
        !question->passed || !question->scores || wake_machines(run) < 0) {
        jl_sim_outside_free(outside);
        return jl_fail_memory(err);
    }
    *out = outside;
    return 0;
}

void jl_sim_outside_free(struct jl_sim_outside *outside)
{
    if (!outside)
        return;
    jl_free(outside->news);
    jl_free(outside->admits);
    jl_free(outside->last);
    jl_free(outside->question.candidates);
    jl_free(outside->question.nodes);
    jl_free(outside->question.passed);
    jl_free(outside->question.scores);
    jl_free(outside);
}

/* ---- news ---- */

static int add_news(struct jl_sim_outside *outside, enum jl_sim_news_kind kind, size_t job,
                    struct joulie_error *err)
{
    if (jl_grow((void **)&outside->news, &outside->news_capacity, outside->news_count + 1,
                sizeof *outside->news) < 0)
        return jl_fail_memory(err);
    outside->news[outside->news_count++] = (struct jl_sim_news){ kind, (uint32_t)job };
    return 0;
}

int jl_sim_outside_pod(struct jl_sim_outside *outside, size_t job, struct joulie_error *err)
{
    const struct jl_sim_run *run = outside->run;
    const enum jl_sim_job_state state = run->jobs[job].state;
    if (state == JL_JOB_QUEUED)
        return add_news(outside, JL_NEWS_CAME, job, err);
    if (state == JL_JOB_RUNNING)
        return add_news(outside, JL_NEWS_BOUND, job, err);
    /* What fits nowhere was never a pod. */
    return jl_sim_has_hope(run->workload, job) ? add_news(outside, JL_NEWS_GONE, job, err) : 0;
}

/* Who steps may ask for another step at the same time: it comes before anything else does. */
int jl_sim_outside_steer(struct jl_sim_outside *outside, struct joulie_error *err)
{
    struct jl_sim_run *run = outside->run;
    if (run->operator_s > run->now_s)
        return 0;
    run->operator_s = JL_NEVER;
    const int rc = add_news(outside, JL_NEWS_CONTROL, 0, err);
    return rc < 0 ? rc : JL_SIM_WAITS;
}

bool jl_sim_outside_has_news(const struct jl_sim_outside *outside)
{
    return outside->told < outside->news_count;
}

bool jl_sim_outside_take(struct jl_sim_outside *outside, struct jl_sim_news *out)
{
    if (!jl_sim_outside_has_news(outside))
        return false;
    *out = outside->news[outside->told++];
    if (outside->told == outside->news_count) {
        outside->told = 0;
        outside->news_count = 0;
    }
    return true;
}

/* ---- questions ---- */

static int ask(struct jl_sim_outside *outside)
{
    struct jl_sim_question *question = &outside->question;
    for (size_t i = 0; i < question->count; i++)
        question->candidates[i] = outside->run->nodes[question->nodes[i]].machine->name;
    question->state = JL_QUESTION_WANTED;
    return JL_SIM_WAITS;
}

static void take_admits(struct jl_sim_outside *outside)
{
    struct jl_sim_run *run = outside->run;
    for (size_t i = 0; i < run->node_count; i++) {
        const bool admits = outside->question.passed[i];
        if (admits && !outside->admits[i])
            jl_sim_room_freed(run, i);
        outside->admits[i] = admits;
    }
}

int jl_sim_outside_refresh(struct jl_sim_outside *outside)
{
    struct jl_sim_question *question = &outside->question;
    if (question->state == JL_QUESTION_ANSWERED) {
        question->state = JL_QUESTION_NONE;
        take_admits(outside);
    }
    if (!outside->is_stale)
        return 0;
    outside->is_stale = false;
    question->is_sample = true;
    question->count = outside->run->node_count;
    for (size_t i = 0; i < question->count; i++)
        question->nodes[i] = (uint32_t)i;
    return ask(outside);
}

/* Without the extender's scores its filter still counts, which concerns performance pods only
 * (docs/rules/simulation.md#placement). */
static bool is_filtered(const struct jl_sim_run *run, size_t job)
{
    const struct jl_sim_shape *shape = &run->workload->shapes[run->workload->tasks[job].shape];
    return shape->is_performance || run->settings.placement != JL_PLACE_LEAST_ALLOCATED;
}

int jl_sim_outside_filter(struct jl_sim_outside *outside, size_t job,
                          const struct jl_sim_places *places, const bool **out)
{
    struct jl_sim_question *question = &outside->question;
    *out = question->passed;
    if (question->state == JL_QUESTION_ANSWERED) {
        question->state = JL_QUESTION_NONE;
        return 0;
    }
    *out = NULL;
    if (!is_filtered(outside->run, job))
        return 0;
    question->is_sample = false;
    question->job = job;
    question->count = jl_sim_fitting(outside->run, job, places, question->nodes);
    return question->count > 0 ? ask(outside) : 0;
}

const struct jl_cluster_score *jl_sim_outside_scores(const struct jl_sim_outside *outside)
{
    return outside->question.has_scores ? outside->question.scores : NULL;
}

void jl_sim_outside_answer(struct jl_sim_outside *outside, const uint8_t *passed,
                           const int32_t *wire)
{
    struct jl_sim_question *question = &outside->question;
    memset(question->passed, 0, outside->run->node_count * sizeof *question->passed);
    question->has_scores = wire != NULL;
    for (size_t i = 0; i < question->count; i++) {
        const uint32_t node = question->nodes[i];
        question->passed[node] = !passed || passed[i] != 0;
        question->scores[node].wire = wire ? wire[i] : 0;
    }
    question->state = JL_QUESTION_ANSWERED;
}
