/* SPDX-License-Identifier: Apache-2.0 */

/* Where pods go: in queue order, one at a time, the highest total wins, ties to the lower name
 * (docs/rules/simulation.md#placement). */

#include "sim/placement.h"

#include "base/error.h"
#include "base/memory.h"

#define POINTS_PER_WIRE 10 /* of kube-scheduler: MaxNodeScore / MaxExtenderPriority */

/* ---- ranking ---- */

static const struct {
    const char *word;
    struct jl_sim_ranking ranking;
} extended[] = {
    { "joulie", { JL_KUBE_LEAST_ALLOCATED, 1, JOULIE_PLACE_RULES_CURRENT, false } },
    { "efficiency", { JL_KUBE_MOST_ALLOCATED, 2, JOULIE_PLACE_RULES_EFFICIENCY, false } },
    { "efficiency-cost", { JL_KUBE_DEFAULT, 1, JOULIE_PLACE_RULES_EFFICIENCY, true } },
};

bool jl_sim_ranking_of(const char *word, struct jl_sim_ranking *out)
{
    const int base = jl_word_value(&jl_kube_scoring_words, jl_text(word));
    for (size_t i = 0; i < JL_COUNT(extended); i++) {
        if (!jl_same(word, extended[i].word))
            continue;
        *out = extended[i].ranking;
        return true;
    }
    *out = (struct jl_sim_ranking){
        .base = (enum jl_kube_scoring)base,
        .extender = JOULIE_PLACE_RULES_CURRENT,
    };
    return base != JL_KUBE_UNKNOWN;
}

struct request { /* of one pod */
    const struct jl_sim_shape *shape;
    struct jl_kube_pod pod;
    struct jl_sim_ranking ranking;
    const bool *admits;                    /* by node; NULL = every node does */
    const struct jl_cluster_score *scores; /* of the extender, by node; NULL = not asked */
};

/* A node that nothing is known of costs more than any other. */
#define UNKNOWN_COST_W 1e300

static double total_score(const struct request *request, const struct jl_sim_room *room,
                          size_t node)
{
    const struct jl_cluster_score *extender = request->scores ? &request->scores[node] : NULL;
    if (extender && request->ranking.is_by_cost)
        return extender->is_known ? extender->raw : -UNKNOWN_COST_W;
    const struct jl_kube_node seen = {
        .allocatable = { room->millicores, room->memory_bytes, room->gpus },
        .requested = { room->used_millicores, room->used_memory_bytes,
                       room->gpus - room->free_gpus },
        .counted_millicores = room->counted_millicores,
        .counted_memory_bytes = room->counted_memory_bytes,
    };
    const struct jl_kube_score score =
        jl_kube_score_of(request->ranking.base, &request->pod, &seen);
    const int64_t wire = extender ? extender->wire : 0;
    return (double)(score.fit + score.balanced +
                    POINTS_PER_WIRE * request->ranking.extender_weight * wire);
}

/* Room and the extender's filter. */
static bool is_candidate(const struct jl_sim_fleet *fleet, const struct request *request,
                         size_t node)
{
    return jl_sim_fits(request->shape, &fleet->rooms[node]) &&
           (!request->admits || request->admits[node]);
}

static size_t find_candidates(const struct jl_sim_fleet *fleet, const struct request *request,
                              const struct jl_sim_node_list *list, uint32_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const size_t node = jl_sim_listed(list, i);
        out[count] = (uint32_t)node;
        count += is_candidate(fleet, request, node);
    }
    return count;
}

/* The best of the candidates; equal ones by their place, which is that of their names. */
static size_t choose(const struct jl_sim_fleet *fleet, const struct request *request,
                     const struct jl_sim_node_list *candidates)
{
    size_t best = candidates->nodes[0];
    double highest = total_score(request, &fleet->rooms[best], best);
    for (size_t i = 1; i < candidates->count; i++) {
        const size_t node = candidates->nodes[i];
        const double total = total_score(request, &fleet->rooms[node], node);
        if (total > highest || (total == highest && node < best)) {
            best = node;
            highest = total;
        }
    }
    return best;
}

struct choice {
    size_t candidates;
    size_t node; /* the best of them */
};

/* A pass over the queue. */
struct pass {
    struct jl_sim_queue *queue;
    struct jl_sim_fleet *fleet;
    const struct jl_sim_controller *controller;
    struct jl_sim_ranking ranking;
};

/* Where rooms alone decide, one vacant node of a family stands for all: the first, as ties go. */
static size_t find_by_room(const struct pass *pass, const struct request *request, uint32_t *out)
{
    struct jl_sim_vacant *vacant = &pass->fleet->vacant;
    const struct jl_sim_node_list others = { vacant->others, vacant->other_count };
    const struct jl_sim_node_list firsts = { vacant->firsts, jl_sim_vacant_firsts(vacant) };
    const size_t count = find_candidates(pass->fleet, request, &others, out);
    return count + find_candidates(pass->fleet, request, &firsts, out + count);
}

static int find_node(const struct pass *pass, size_t job, bool is_everywhere, struct choice *out,
                     struct joulie_error *err)
{
    const struct jl_sim_fleet *fleet = pass->fleet;
    const struct jl_sim_controller *controller = pass->controller;
    const struct jl_sim_shape *shape = jl_sim_shape_of(fleet, job);
    const bool is_scored = pass->ranking.extender_weight > 0 && controller->ops->prioritize;
    const struct jl_sim_node_list list = {
        .nodes = is_everywhere ? NULL : fleet->freed,
        .count = is_everywhere ? fleet->node_count : fleet->freed_count,
    };
    struct request request = {
        .shape = shape,
        .pod = { shape->millicores, shape->memory_bytes, shape->gpus },
        .ranking = pass->ranking,
    };
    int rc = controller->ops->filter
                 ? controller->ops->filter(controller->self, job, &list, &request.admits, err)
                 : 0;
    if (rc != 0)
        return rc;
    uint32_t *nodes = pass->queue->candidates;
    const bool is_by_room = is_everywhere && !request.admits && !is_scored;
    const struct jl_sim_node_list candidates = {
        .nodes = nodes,
        .count = is_by_room ? find_by_room(pass, &request, nodes)
                            : find_candidates(fleet, &request, &list, nodes),
    };
    out->candidates = candidates.count;
    /* where one node is left, scores decide nothing */
    if (candidates.count > 1 && is_scored)
        rc = controller->ops->prioritize(controller->self, job, &candidates, &request.scores, err);
    if (rc == 0 && candidates.count > 0)
        out->node = choose(fleet, &request, &candidates);
    return rc;
}

/*
 * One job of the queue. What can be skipped without another result: a shape that found no room in
 * this pass finds none later in it (room only shrinks), and a pod that was tried before can only
 * fit where room came back since. 0 (it was started when there is a candidate), JL_SIM_WAITS, or a
 * failure.
 */
static int try_job(const struct pass *pass, uint32_t index, struct choice *choice,
                   struct joulie_error *err)
{
    const struct jl_sim_controller *controller = pass->controller;
    uint64_t *failed = &pass->queue->shape_failed[pass->fleet->workload->tasks[index].shape];
    struct jl_sim_job *job = &pass->fleet->jobs[index];
    *choice = (struct choice){ .candidates = 0 };
    const int rc =
        *failed != pass->queue->pass ? find_node(pass, index, !job->was_tried, choice, err) : 0;
    if (rc != 0)
        return rc;
    job->was_tried = true;
    if (choice->candidates == 0) {
        *failed = pass->queue->pass;
        return 0;
    }
    if (jl_sim_job_start(pass->fleet, index, choice->node) < 0)
        return jl_fail_memory(err);
    return controller->ops->pod_changed ? controller->ops->pod_changed(controller->self, index, err)
                                        : 0;
}

static void begin(struct jl_sim_queue *queue)
{
    queue->is_passing = true;
    queue->next = 0;
    queue->kept = 0;
    queue->pass++;
}

int jl_sim_place(struct jl_sim_queue *queue, struct jl_sim_fleet *fleet,
                 const struct jl_sim_controller *controller, const struct jl_sim_ranking *ranking,
                 struct joulie_error *err)
{
    const struct pass pass = { queue, fleet, controller, *ranking };
    if (queue->count == 0)
        return 0;
    if (JL_GROW(&queue->candidates, &queue->candidate_capacity, fleet->node_count + 1) < 0)
        return jl_fail_memory(err);
    if (!queue->is_passing) {
        const int rc =
            controller->ops->refresh ? controller->ops->refresh(controller->self, err) : 0;
        if (rc != 0 || (!queue->has_arrivals && fleet->freed_count == 0))
            return rc;
        begin(queue);
    }
    for (; queue->next < queue->count; queue->next++) {
        const uint32_t index = queue->jobs[queue->next];
        struct choice choice;
        const int rc = try_job(&pass, index, &choice, err);
        if (rc != 0)
            return rc;
        if (choice.candidates == 0)
            queue->jobs[queue->kept++] = index;
    }
    queue->count = queue->kept;
    jl_sim_freed_clear(fleet);
    queue->has_arrivals = false;
    queue->is_passing = false;
    return 0;
}

/* ---- the queue ---- */

int jl_sim_queue_init(struct jl_sim_queue *queue, const struct jl_sim_workload *workload)
{
    *queue = (struct jl_sim_queue){
        .jobs = jl_calloc(workload->count + 1, sizeof *queue->jobs),
        .shape_failed = jl_calloc(workload->shape_count + 1, sizeof *queue->shape_failed),
    };
    return queue->jobs && queue->shape_failed ? 0 : JOULIE_E_NOMEM;
}

void jl_sim_queue_clear(struct jl_sim_queue *queue)
{
    jl_free(queue->jobs);
    jl_free(queue->shape_failed);
    jl_free(queue->candidates);
    *queue = (struct jl_sim_queue){ .count = 0 };
}

void jl_sim_queue_add(struct jl_sim_queue *queue, size_t job)
{
    queue->jobs[queue->count++] = (uint32_t)job;
    queue->has_arrivals = true;
}

void jl_sim_queue_remove(struct jl_sim_queue *queue, size_t job)
{
    size_t kept = 0;
    for (size_t i = 0; i < queue->count; i++) {
        if (queue->jobs[i] != job)
            queue->jobs[kept++] = queue->jobs[i];
    }
    queue->count = kept;
}
