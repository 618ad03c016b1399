/* SPDX-License-Identifier: Apache-2.0 */

/* Where pods go: in queue order, one at a time, the highest total wins, ties to the lower name
 * (docs/rules/simulation.md#placement). */

#include "base/error.h"
#include "sim/steering.h"

#define PERCENT 100
#define WIRE_WEIGHT 10
/* What the scheduler takes for a pod that asks for nothing. */
#define UNSET_MILLICORES 100
#define UNSET_MEMORY_BYTES (INT64_C(200) << 20)

struct request {
    const struct jl_sim_shape *shape;
    int64_t millicores; /* for the score */
    int64_t memory_bytes;
    const bool *admits; /* by node; NULL = every node does */
    const struct jl_cluster_score
        *scores; /* of the extender, by node; NULL = LeastAllocated alone */
};

static bool fits(const struct jl_sim_shape *shape, const struct jl_sim_room *room)
{
    return room->free_pods > 0 && room->used_millicores + shape->millicores <= room->millicores &&
           room->used_memory_bytes + shape->memory_bytes <= room->memory_bytes &&
           room->free_gpus >= shape->gpus &&
           (shape->gpus == 0 || shape->gpu_vendor == JOULIE_GPU_VENDOR_UNKNOWN ||
            shape->gpu_vendor == room->gpu_vendor);
}

static int64_t free_percent(int64_t allocatable, int64_t used)
{
    return allocatable > 0 && used <= allocatable ? PERCENT * (allocatable - used) / allocatable
                                                  : 0;
}

static int64_t total_score(const struct request *request, const struct jl_sim_room *room,
                           size_t node)
{
    const int64_t cpu = free_percent(room->millicores, room->used_millicores + request->millicores);
    const int64_t memory =
        free_percent(room->memory_bytes, room->used_memory_bytes + request->memory_bytes);
    return (cpu + memory) / 2 +
           (request->scores ? WIRE_WEIGHT * (int64_t)request->scores[node].wire : 0);
}

static size_t place_at(const struct jl_sim_places *places, size_t i)
{
    return places->nodes ? places->nodes[i] : i;
}

size_t jl_sim_fitting(const struct jl_sim_run *run, size_t job, const struct jl_sim_places *places,
                      uint32_t *out)
{
    const struct jl_sim_shape *shape = &run->workload->shapes[run->workload->tasks[job].shape];
    size_t count = 0;
    for (size_t i = 0; i < places->count; i++) {
        const size_t node = place_at(places, i);
        if (fits(shape, &run->rooms[node]))
            out[count++] = (uint32_t)node;
    }
    return count;
}

struct choice {
    size_t candidates;
    size_t node; /* the best of them */
    int64_t total;
};

static bool is_candidate(const struct jl_sim_run *run, const struct request *request, size_t node)
{
    return fits(request->shape, &run->rooms[node]) && (!request->admits || request->admits[node]);
}

/* Without the extender's scores first: where one node is left, they decide nothing. */
static void choose(const struct jl_sim_run *run, const struct request *request,
                   const struct jl_sim_places *places, struct choice *out)
{
    *out = (struct choice){ .candidates = 0 };
    for (size_t i = 0; i < places->count; i++) {
        const size_t node = place_at(places, i);
        if (!is_candidate(run, request, node))
            continue;
        const int64_t total = total_score(request, &run->rooms[node], node);
        const bool is_better = total > out->total || (total == out->total && node < out->node);
        if (out->candidates++ == 0 || is_better) {
            out->node = node;
            out->total = total;
        }
    }
}

static int find_node(struct jl_sim_run *run, size_t job, bool is_everywhere, struct choice *out,
                     struct joulie_error *err)
{
    const struct jl_sim_shape *shape = &run->workload->shapes[run->workload->tasks[job].shape];
    const struct jl_sim_places places = {
        .nodes = is_everywhere ? NULL : run->freed,
        .count = is_everywhere ? run->node_count : run->freed_count,
    };
    struct request request = {
        .shape = shape,
        .millicores = shape->millicores > 0 ? shape->millicores : UNSET_MILLICORES,
        .memory_bytes = shape->memory_bytes > 0 ? shape->memory_bytes : UNSET_MEMORY_BYTES,
    };
    int rc = jl_sim_filter(run, job, &places, &request.admits, err);
    if (rc != 0)
        return rc;
    choose(run, &request, &places, out);
    if (out->candidates < 2)
        return 0;
    rc = jl_sim_prioritize(run, job, &request.scores, err);
    if (rc == 0 && request.scores)
        choose(run, &request, &places, out);
    return rc;
}

static int start_job(struct jl_sim_run *run, size_t index, size_t node_index,
                     struct joulie_error *err)
{
    const struct jl_sim_task *task = &run->workload->tasks[index];
    const struct jl_sim_shape *shape = &run->workload->shapes[task->shape];
    struct jl_sim_room *room = &run->rooms[node_index];
    struct jl_sim_job *job = &run->jobs[index];
    room->used_millicores += shape->millicores;
    room->used_memory_bytes += shape->memory_bytes;
    room->free_gpus -= shape->gpus;
    room->free_pods--;
    job->state = JL_JOB_RUNNING;
    job->node = node_index;
    job->has_started = true;
    job->start_s = run->now_s;
    run->running++;
    run->last_change_s = run->now_s;
    const int rc = jl_sim_node_add(run, node_index, index);
    if (rc < 0)
        return jl_fail_memory(err);
    return jl_sim_pod_changed(run, index, err);
}

/*
 * One job of the queue. What can be skipped without another result: a shape that found no room in
 * this pass finds none later in it (room only shrinks), and a pod that was tried before can only
 * fit where room came back since. 0 (it was started when there is a candidate), JL_SIM_WAITS, or a
 * failure.
 */
static int try_job(struct jl_sim_run *run, uint32_t index, struct choice *choice,
                   struct joulie_error *err)
{
    const size_t shape = run->workload->tasks[index].shape;
    struct jl_sim_job *job = &run->jobs[index];
    choice->candidates = 0;
    const int rc = run->shape_failed[shape] != run->pass
                       ? find_node(run, index, !job->was_tried, choice, err)
                       : 0;
    if (rc != 0)
        return rc;
    job->was_tried = true;
    if (choice->candidates > 0)
        return start_job(run, index, choice->node, err);
    run->shape_failed[shape] = run->pass;
    return 0;
}

int jl_sim_place(struct jl_sim_run *run, struct joulie_error *err)
{
    struct jl_sim_placing *placing = &run->placing;
    if (!placing->is_on) {
        *placing = (struct jl_sim_placing){ .is_on = true };
        run->pass++;
    }
    for (; placing->next < run->queue_count; placing->next++) {
        const uint32_t index = run->queue[placing->next];
        struct choice choice;
        const int rc = try_job(run, index, &choice, err);
        if (rc != 0)
            return rc;
        if (choice.candidates == 0)
            run->queue[placing->kept++] = index;
    }
    run->queue_count = placing->kept;
    for (size_t i = 0; i < run->freed_count; i++)
        run->nodes[run->freed[i]].is_freed = false;
    run->freed_count = 0;
    run->has_arrivals = false;
    placing->is_on = false;
    return 0;
}
