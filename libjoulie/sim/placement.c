/* SPDX-License-Identifier: Apache-2.0 */

/* Where pods go (SD14): in queue order, one at a time, the highest total wins, ties to the lower name. */

#include "base/error.h"
#include "sim/control.h"
#include "sim/run.h"

#define PERCENT 100
#define WIRE_WEIGHT 10
/* What the scheduler takes for a pod that asks for nothing. */
#define UNSET_MILLICORES 100
#define UNSET_MEMORY_BYTES (INT64_C(200) << 20)

struct request {
    const struct jl_sim_shape *shape;
    int64_t millicores; /* for the score */
    int64_t memory_bytes;
    const struct jl_cluster_score *scores; /* of the extender, by node; NULL = none */
    bool uses_wire;
};

static bool fits(const struct jl_sim_shape *shape, const struct jl_sim_room *room)
{
    return room->free_pods > 0 && room->used_millicores + shape->millicores <= room->millicores &&
           room->used_memory_bytes + shape->memory_bytes <= room->memory_bytes && room->free_gpus >= shape->gpus &&
           (shape->gpus == 0 || !shape->gpu_vendor || jl_same(shape->gpu_vendor, room->gpu_vendor));
}

static int64_t free_percent(int64_t allocatable, int64_t used)
{
    return allocatable > 0 && used <= allocatable ? PERCENT * (allocatable - used) / allocatable : 0;
}

static int64_t total_score(const struct request *request, const struct jl_sim_room *room, size_t node)
{
    const int64_t cpu = free_percent(room->millicores, room->used_millicores + request->millicores);
    const int64_t memory = free_percent(room->memory_bytes, room->used_memory_bytes + request->memory_bytes);
    return (cpu + memory) / 2 + (request->uses_wire ? WIRE_WEIGHT * (int64_t)request->scores[node].wire : 0);
}

struct best {
    bool is_found;
    size_t node;
    int64_t total;
};

static void consider(const struct jl_sim_run *run, const struct request *request, size_t node, struct best *best)
{
    const struct jl_sim_room *room = &run->rooms[node];
    if (!fits(request->shape, room) || (request->scores && request->scores[node].rejected))
        return;
    const int64_t total = total_score(request, room, node);
    if (best->is_found && total <= best->total && (total < best->total || node > best->node))
        return;
    *best = (struct best){ true, node, total };
}

static bool has_room(const struct jl_sim_run *run, const struct jl_sim_shape *shape, bool is_everywhere)
{
    const size_t count = is_everywhere ? run->node_count : run->freed_count;
    for (size_t i = 0; i < count; i++) {
        if (fits(shape, &run->rooms[is_everywhere ? i : run->freed[i]]))
            return true;
    }
    return false;
}

/* Asks the extender, unless its answer can change nothing: it filters performance pods only. */
static int ask_extender(struct jl_sim_run *run, size_t job, struct request *request, struct joulie_error *err)
{
    request->uses_wire = run->control && run->settings.placement == JL_PLACE_BY_JOULIE;
    if (!run->control || (!request->uses_wire && !request->shape->is_performance))
        return 0;
    return jl_sim_control_score(run->control, job, run->now_s, &request->scores, err);
}

static int find_node(struct jl_sim_run *run, size_t job, bool is_everywhere, struct best *best,
                     struct joulie_error *err)
{
    const struct jl_sim_shape *shape = &run->workload->shapes[run->workload->tasks[job].shape];
    struct request request = {
        .shape = shape,
        .millicores = shape->millicores > 0 ? shape->millicores : UNSET_MILLICORES,
        .memory_bytes = shape->memory_bytes > 0 ? shape->memory_bytes : UNSET_MEMORY_BYTES,
    };
    *best = (struct best){ .is_found = false };
    if (!has_room(run, shape, is_everywhere))
        return 0;
    const int rc = ask_extender(run, job, &request, err);
    if (rc < 0)
        return rc;
    const size_t count = is_everywhere ? run->node_count : run->freed_count;
    for (size_t i = 0; i < count; i++)
        consider(run, &request, is_everywhere ? i : run->freed[i], best);
    return 0;
}

static int start_job(struct jl_sim_run *run, size_t index, size_t node_index, struct joulie_error *err)
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
    return run->control ? jl_sim_control_pod(run->control, index, run->now_s, err) : 0;
}

/*
 * What can be skipped without another result: a shape that found no room in this pass finds none later in it (room only
 * shrinks), and a pod that was tried before can only fit where room came back since.
 */
int jl_sim_place(struct jl_sim_run *run, struct joulie_error *err)
{
    int rc = 0;
    size_t kept = 0;
    run->pass++;
    for (size_t i = 0; i < run->queue_count; i++) {
        const uint32_t index = run->queue[i];
        const size_t shape_index = run->workload->tasks[index].shape;
        const bool is_performance = run->workload->shapes[shape_index].is_performance;
        struct jl_sim_job *job = &run->jobs[index];
        struct best best = { .is_found = false };
        if (rc == 0 && run->shape_failed[shape_index] != run->pass) {
            const bool is_everywhere = !job->was_tried || (is_performance && run->is_filter_changed);
            rc = find_node(run, index, is_everywhere, &best, err);
            job->was_tried = true;
        }
        if (rc == 0 && best.is_found) {
            rc = start_job(run, index, best.node, err);
            continue;
        }
        job->was_tried = true;
        run->shape_failed[shape_index] = run->pass;
        run->queue[kept++] = index;
    }
    run->queue_count = kept;
    for (size_t i = 0; i < run->freed_count; i++)
        run->nodes[run->freed[i]].is_freed = false;
    run->freed_count = 0;
    run->has_arrivals = false;
    run->is_filter_changed = false;
    return rc;
}
