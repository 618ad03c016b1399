/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The controller of an external simulation: pods and steps wait as news for the caller, and where a
 * pod may go waits as a question, until it took them and has answered.
 */

#include "sim/outside.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/time.h"
#include "schema/encode.h"
#include "sim/node.h"
#include "sim/pod.h"
#include "sim/usage.h"

enum news_kind { NEWS_CAME, NEWS_BOUND, NEWS_GONE, NEWS_NODE, NEWS_CONTROL };

struct news {
    enum news_kind kind;
    uint32_t index; /* of the job, of NODE that of the node; not of CONTROL */
};

enum question_state {
    QUESTION_NONE,
    QUESTION_WANTED, /* not taken yet */
    QUESTION_ASKED,
    QUESTION_ANSWERED,
};

struct question { /* where may this pod go? */
    enum question_state state;
    bool is_sample; /* no pod of the trace: which nodes admit performance pods? */
    size_t job;
    const char **candidates; /* names of nodes, in the order of nodes */
    uint32_t *nodes;         /* their numbers */
    size_t count;
    bool *passed; /* by node */
    bool has_scores;
    struct jl_cluster_score *scores; /* by node; wire only */
};

struct jl_sim_outside {
    struct jl_sim_fleet *fleet;
    bool filters_all;
    double step_s; /* when somebody steps next */
    struct news *news;
    size_t taken; /* of the news */
    size_t news_count;
    size_t news_capacity;
    struct question question;
    bool is_stale; /* admits may have changed */
    bool *admits;  /* performance pods, by node */
};

/* ---- life ---- */

/* A client may ask for a machine's power before time starts, too. The first instant does the same
 * again. */
static int wake_machines(struct jl_sim_fleet *fleet)
{
    int rc = 0;
    for (size_t i = 0; i < fleet->node_count && rc == 0; i++) {
        rc = jl_sim_node_update(fleet, i);
        fleet->nodes[i].is_dirty = true; /* as it was, and in the list */
    }
    fleet->keeps_temps = true;
    return rc;
}

static void outside_free(void *self)
{
    struct jl_sim_outside *outside = self;
    jl_free(outside->news);
    jl_free(outside->admits);
    jl_free(outside->question.candidates);
    jl_free(outside->question.nodes);
    jl_free(outside->question.passed);
    jl_free(outside->question.scores);
    jl_free(outside);
}

int jl_sim_outside_new(struct jl_sim_fleet *fleet, bool filters_all, struct jl_sim_outside **out)
{
    struct jl_sim_outside *outside = jl_calloc(1, sizeof *outside);
    if (!outside)
        return JOULIE_E_NOMEM;
    struct question *question = &outside->question;
    outside->fleet = fleet;
    outside->filters_all = filters_all;
    outside->step_s = JL_NEVER;
    outside->admits = jl_calloc(fleet->node_count, sizeof *outside->admits);
    question->candidates = jl_calloc(fleet->node_count, sizeof *question->candidates);
    question->nodes = jl_calloc(fleet->node_count, sizeof *question->nodes);
    question->passed = jl_calloc(fleet->node_count, sizeof *question->passed);
    question->scores = jl_calloc(fleet->node_count, sizeof *question->scores);
    fleet->usages = jl_calloc(fleet->workload->count + 1, sizeof *fleet->usages);
    if (!outside->admits || !question->candidates || !question->nodes || !question->passed ||
        !question->scores || !fleet->usages || wake_machines(fleet) < 0) {
        outside_free(outside);
        return JOULIE_E_NOMEM;
    }
    *out = outside;
    return 0;
}

/* ---- news ---- */

static int add_news(struct jl_sim_outside *outside, enum news_kind kind, size_t index,
                    struct joulie_error *err)
{
    if (JL_GROW(&outside->news, &outside->news_capacity, outside->news_count + 1) < 0)
        return jl_fail_memory(err);
    outside->news[outside->news_count++] = (struct news){ kind, (uint32_t)index };
    return 0;
}

static int pod_changed(void *self, size_t job, struct joulie_error *err)
{
    struct jl_sim_outside *outside = self;
    const enum jl_sim_job_state state = outside->fleet->jobs[job].state;
    if (state == JL_JOB_QUEUED)
        return add_news(outside, NEWS_CAME, job, err);
    if (state == JL_JOB_RUNNING)
        return add_news(outside, NEWS_BOUND, job, err);
    /* What fits nowhere was never a pod. */
    return jl_sim_has_hope(outside->fleet->workload, job) ? add_news(outside, NEWS_GONE, job, err)
                                                          : 0;
}

static int node_changed(void *self, size_t node, struct joulie_error *err)
{
    return add_news(self, NEWS_NODE, node, err);
}

static double due_s(const void *self)
{
    return ((const struct jl_sim_outside *)self)->step_s;
}

/* A participant may ask for another step at the same time: it comes before anything else does. */
static int step(void *self, struct joulie_error *err)
{
    struct jl_sim_outside *outside = self;
    if (outside->step_s > outside->fleet->now_s)
        return 0;
    outside->step_s = JL_NEVER;
    const int rc = add_news(outside, NEWS_CONTROL, 0, err);
    return rc < 0 ? rc : JL_SIM_WAITS;
}

void jl_sim_outside_step_at(struct jl_sim_outside *outside, double at_s, bool admits_changed)
{
    outside->step_s = at_s;
    outside->is_stale |= admits_changed;
}

static bool has_news(const void *self)
{
    const struct jl_sim_outside *outside = self;
    return outside->taken < outside->news_count;
}

static bool take_news(struct jl_sim_outside *outside, struct news *out)
{
    if (!has_news(outside))
        return false;
    *out = outside->news[outside->taken++];
    if (outside->taken == outside->news_count) {
        outside->taken = 0;
        outside->news_count = 0;
    }
    return true;
}

/* ---- questions ---- */

static int ask(struct jl_sim_outside *outside)
{
    struct question *question = &outside->question;
    for (size_t i = 0; i < question->count; i++)
        question->candidates[i] = outside->fleet->nodes[question->nodes[i]].machine->name;
    question->state = QUESTION_WANTED;
    return JL_SIM_WAITS;
}

static void take_admits(struct jl_sim_outside *outside)
{
    struct jl_sim_fleet *fleet = outside->fleet;
    for (size_t i = 0; i < fleet->node_count; i++) {
        const bool admits = outside->question.passed[i];
        if (admits && !outside->admits[i])
            jl_sim_room_freed(fleet, i);
        outside->admits[i] = admits;
    }
}

static int refresh(void *self, struct joulie_error *err)
{
    struct jl_sim_outside *outside = self;
    struct question *question = &outside->question;
    (void)err;
    if (question->state == QUESTION_ANSWERED) {
        question->state = QUESTION_NONE;
        take_admits(outside);
    }
    if (!outside->is_stale)
        return 0;
    outside->is_stale = false;
    question->is_sample = true;
    question->count = outside->fleet->node_count;
    for (size_t i = 0; i < question->count; i++)
        question->nodes[i] = (uint32_t)i;
    return ask(outside);
}

/* Without the extender's scores its filter still counts, which concerns performance pods only
 * (docs/rules/simulation.md#placement). */
static int filter(void *self, size_t job, const struct jl_sim_node_list *nodes, const bool **out,
                  struct joulie_error *err)
{
    struct jl_sim_outside *outside = self;
    struct question *question = &outside->question;
    (void)err;
    *out = question->passed;
    if (question->state == QUESTION_ANSWERED) {
        question->state = QUESTION_NONE;
        return 0;
    }
    *out = NULL;
    if (!outside->filters_all && !jl_sim_shape_of(outside->fleet, job)->is_performance)
        return 0;
    question->is_sample = false;
    question->job = job;
    question->count = jl_sim_fitting(outside->fleet, job, nodes, question->nodes);
    return question->count > 0 ? ask(outside) : 0;
}

static int prioritize(void *self, size_t job, const struct jl_sim_node_list *nodes,
                      const struct jl_cluster_score **out, struct joulie_error *err)
{
    const struct jl_sim_outside *outside = self;
    (void)job;
    (void)nodes; /* the question had them */
    (void)err;
    *out = outside->question.has_scores ? outside->question.scores : NULL;
    return 0;
}

bool jl_sim_outside_asks(const struct jl_sim_outside *outside, size_t *out_candidates)
{
    *out_candidates = outside->question.count;
    return outside->question.state == QUESTION_ASKED;
}

void jl_sim_outside_answer(struct jl_sim_outside *outside, const uint8_t *passed,
                           const int32_t *wire)
{
    struct question *question = &outside->question;
    memset(question->passed, 0, outside->fleet->node_count * sizeof *question->passed);
    question->has_scores = wire != NULL;
    for (size_t i = 0; i < question->count; i++) {
        const uint32_t node = question->nodes[i];
        question->passed[node] = !passed || passed[i] != 0;
        question->scores[node].wire = wire ? wire[i] : 0;
    }
    question->state = QUESTION_ANSWERED;
}

/* ---- events ---- */

static int put_pod(struct jl_buffer *text, const struct jl_trace_job *job, const char *node)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_sim_pod state = { node, node ? "Running" : "Pending" };
    struct jl_pod pod;
    if (jl_sim_pod_object(job, &state, &arena, &pod) < 0)
        return JOULIE_E_NOMEM;
    jl_encode(text, &jl_pod_table, &pod);
    return jl_buffer_code(text);
}

static int put_profile(struct jl_buffer *text, const struct jl_trace_job *job, double now_s)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_workload_profile profile;
    char now[JL_TIME_TEXT];
    jl_format_time(jl_sim_instant_ms(now_s), now);
    if (jl_sim_profile_object(job, now, &arena, &profile) < 0)
        return JOULIE_E_NOMEM;
    jl_encode(text, &jl_workload_profile_table, &profile);
    return jl_buffer_code(text);
}

static const char *class_of(const struct jl_trace_job *job)
{
    return job->is_performance ? "performance" : "standard";
}

static int fill_pod(const struct jl_sim_fleet *fleet, const struct news *news,
                    struct jl_sim_texts *texts, struct joulie_sim_event *out)
{
    const struct jl_trace_job *job = fleet->workload->tasks[news->index].job;
    out->kind = JOULIE_SIM_EVENT_POD;
    out->name_space = job->name_space;
    out->name = job->job_id;
    out->is_first = news->kind == NEWS_CAME;
    out->is_removed = news->kind == NEWS_GONE;
    out->workload_class = class_of(job);
    if (fleet->jobs[news->index].has_started && news->kind != NEWS_CAME)
        out->node = fleet->nodes[fleet->jobs[news->index].node].machine->name;
    if (news->kind == NEWS_GONE)
        return 0;
    const int rc = put_pod(&texts->pod, job, news->kind == NEWS_BOUND ? out->node : NULL);
    return rc < 0 ? rc : put_profile(&texts->profile, job, fleet->now_s);
}

static void fill_node(const struct jl_sim_fleet *fleet, const struct news *news,
                      struct joulie_sim_event *out)
{
    out->kind = JOULIE_SIM_EVENT_NODE;
    out->node = fleet->nodes[news->index].machine->name;
}

static int fill_question(struct jl_sim_outside *outside, struct jl_buffer *text,
                         struct joulie_sim_event *out)
{
    struct question *question = &outside->question;
    const struct jl_trace_job *job = question->is_sample
                                         ? &jl_sim_any_performance_job
                                         : outside->fleet->workload->tasks[question->job].job;
    question->state = QUESTION_ASKED;
    out->kind = JOULIE_SIM_EVENT_PLACE;
    out->name_space = job->name_space;
    out->name = job->job_id;
    out->candidates = question->candidates;
    out->candidate_count = question->count;
    out->is_sample = question->is_sample;
    out->workload_class = class_of(job);
    return put_pod(text, job, NULL);
}

int jl_sim_outside_take(struct jl_sim_outside *outside, struct jl_sim_texts *texts,
                        struct joulie_sim_event *out)
{
    struct news news;
    int rc = 0;
    *out = (struct joulie_sim_event){
        .struct_size = sizeof *out,
        .time_s = outside->fleet->now_s,
        .name_space = "",
        .name = "",
        .text = "",
        .node = "",
        .workload_class = "",
        .profile = "",
    };
    jl_buffer_reset(&texts->pod);
    jl_buffer_reset(&texts->profile);
    if (take_news(outside, &news)) {
        if (news.kind == NEWS_CONTROL)
            out->kind = JOULIE_SIM_EVENT_CONTROL;
        else if (news.kind == NEWS_NODE)
            fill_node(outside->fleet, &news, out);
        else
            rc = fill_pod(outside->fleet, &news, texts, out);
    } else if (outside->question.state == QUESTION_WANTED) {
        rc = fill_question(outside, &texts->pod, out);
    } else {
        return 0;
    }
    if (texts->pod.len > 0)
        out->text = texts->pod.data;
    if (texts->profile.len > 0)
        out->profile = texts->profile.data;
    return rc < 0 ? rc : 1;
}

/* ---- the controller ---- */

struct jl_sim_controller jl_sim_outside_controller(struct jl_sim_outside *outside)
{
    static const struct jl_sim_controller_ops ops = {
        .free = outside_free,
        .pod_changed = pod_changed,
        .node_changed = node_changed,
        .due_s = due_s,
        .step = step,
        .refresh = refresh,
        .filter = filter,
        .prioritize = prioritize,
        .has_news = has_news,
    };

    return (struct jl_sim_controller){ &ops, outside };
}
