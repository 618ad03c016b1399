/* SPDX-License-Identifier: Apache-2.0 */

/* A trace made ready for runs: jobs in queue order, shapes and gangs. Called by sim.c once for both
 * runs. */

#include "sim/workload.h"

#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/sort.h"

#define MILLI 1000

/* Queue order. Names are unique, so it is total. */
static int compare_tasks(const void *a, const void *b, void *user)
{
    const struct jl_trace_job *left = ((const struct jl_sim_task *)a)->job;
    const struct jl_trace_job *right = ((const struct jl_sim_task *)b)->job;
    (void)user;
    const int order = JL_ORDER(left->submit_s, right->submit_s);
    return order != 0 ? order : jl_compare(left->job_id, right->job_id);
}

enum joulie_gpu_vendor jl_sim_vendor(const char *word)
{
    return (enum joulie_gpu_vendor)jl_word_value(&jl_gpu_vendor_words, jl_text(word));
}

bool jl_sim_fits_empty(const struct jl_sim_shape *shape, const struct jl_sim_family *family)
{
    return shape->millicores <= family->cores * MILLI &&
           shape->memory_bytes <= family->memory_bytes && shape->gpus <= family->gpus &&
           (shape->gpus == 0 || shape->gpu_vendor == JOULIE_GPU_VENDOR_UNKNOWN ||
            shape->gpu_vendor == jl_sim_vendor(family->gpu_vendor));
}

/* Jobs with equal requests and class find the same nodes: placement decides once per shape and
 * pass. */
static struct jl_sim_shape shape_of(const struct jl_trace_job *job,
                                    const struct jl_inventory *inventory)
{
    struct jl_sim_shape shape = {
        .millicores = jl_trace_millicores(job),
        .memory_bytes = job->memory_bytes,
        .gpus = job->gpu_count,
        .gpu_vendor = jl_sim_vendor(job->gpu_vendor),
        .is_performance = job->is_performance,
    };
    for (size_t i = 0; i < inventory->family_count && !shape.fits_somewhere; i++)
        shape.fits_somewhere = jl_sim_fits_empty(&shape, &inventory->families[i]);
    return shape;
}

#define HEX_DIGITS 16

/* A text that is equal for equal shapes. */
static const char *shape_key(struct jl_arena *arena, const struct jl_sim_shape *shape)
{
    const int64_t numbers[] = { shape->millicores, shape->memory_bytes, shape->gpus };
    char key[JL_COUNT(numbers) * HEX_DIGITS + 2];
    size_t used = 0;
    for (size_t i = 0; i < JL_COUNT(numbers); i++) {
        for (int digit = HEX_DIGITS - 1; digit >= 0; digit--)
            key[used++] = (char)('a' + (((uint64_t)numbers[i] >> (4 * digit)) & 15));
    }
    key[used++] = shape->is_performance ? 'p' : 's';
    key[used++] = (char)('a' + shape->gpu_vendor);
    return jl_arena_copy(arena, key, used);
}

static int find_shape(struct jl_sim_workload *workload, const struct jl_sim_shape *shape,
                      struct jl_index *index, struct jl_arena *arena, size_t *out)
{
    const char *key = shape_key(arena, shape);
    if (!key)
        return JOULIE_E_NOMEM;
    if (jl_index_get(index, key, out))
        return 0;
    *out = workload->shape_count;
    if (JL_GROW(&workload->shapes, &workload->shape_capacity, *out + 1) < 0)
        return JOULIE_E_NOMEM;
    workload->shapes[workload->shape_count++] = *shape;
    return jl_index_set(index, key, *out);
}

/* Members of a gang form a list in queue order, through gang_next. */
static int join_gang(struct jl_sim_workload *workload, size_t index, struct jl_index *names,
                     struct jl_arena *arena)
{
    struct jl_sim_task *task = &workload->tasks[index];
    const struct jl_trace_job *job = task->job;
    task->gang = JL_NO_GANG;
    task->gang_next = JL_NO_GANG;
    if (!job->is_gang || jl_is_empty(job->workload_id))
        return 0;
    const char *key = JL_JOIN(arena, job->name_space, "/", job->workload_id);
    if (!key)
        return JOULIE_E_NOMEM;
    if (!jl_index_get(names, key, &task->gang)) {
        task->gang = workload->gang_count++;
        workload->gangs[task->gang].first = index;
        if (jl_index_set(names, key, task->gang) < 0)
            return JOULIE_E_NOMEM;
    } else {
        workload->tasks[workload->gangs[task->gang].last].gang_next = index;
    }
    workload->gangs[task->gang].last = index;
    workload->gangs[task->gang].count++;
    return 0;
}

static bool fits(const struct jl_sim_workload *workload, size_t index)
{
    return workload->shapes[workload->tasks[index].shape].fits_somewhere;
}

/* One member that fits no empty machine, and none of them can ever progress. */
static void judge_gangs(struct jl_sim_workload *workload)
{
    for (size_t gang = 0; gang < workload->gang_count; gang++)
        workload->gangs[gang].fits_somewhere = true;
    for (size_t i = 0; i < workload->count; i++) {
        if (workload->tasks[i].gang != JL_NO_GANG && !fits(workload, i))
            workload->gangs[workload->tasks[i].gang].fits_somewhere = false;
    }
}

bool jl_sim_has_hope(const struct jl_sim_workload *workload, size_t index)
{
    const size_t gang = workload->tasks[index].gang;
    return gang == JL_NO_GANG ? fits(workload, index) : workload->gangs[gang].fits_somewhere;
}

static int prepare(struct jl_sim_workload *workload, const struct jl_trace *trace,
                   const struct jl_inventory *inventory)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_index_clear) struct jl_index shapes = { 0 };
    JL_CLEANUP(jl_index_clear) struct jl_index gangs = { 0 };
    int rc = 0;
    for (size_t i = 0; i < trace->count; i++)
        workload->tasks[i].job = &trace->jobs[i];
    workload->count = trace->count;
    rc = jl_sort(workload->tasks, workload->count, sizeof *workload->tasks, compare_tasks, NULL);
    for (size_t i = 0; i < workload->count && rc == 0; i++) {
        struct jl_sim_task *task = &workload->tasks[i];
        const struct jl_sim_shape shape = shape_of(task->job, inventory);
        jl_work_traits(&task->job->work, &task->traits);
        rc = find_shape(workload, &shape, &shapes, &arena, &task->shape);
        if (rc == 0)
            rc = join_gang(workload, i, &gangs, &arena);
    }
    if (rc == 0)
        judge_gangs(workload);
    return rc;
}

int jl_sim_workload_init(const struct jl_trace *trace, const struct jl_inventory *inventory,
                         struct jl_sim_workload *out)
{
    *out = (struct jl_sim_workload){
        .tasks = jl_calloc(trace->count + 1, sizeof *out->tasks),
        .gangs = jl_calloc(trace->count + 1, sizeof *out->gangs),
    };
    const int rc = out->tasks && out->gangs ? prepare(out, trace, inventory) : JOULIE_E_NOMEM;
    if (rc < 0)
        jl_sim_workload_clear(out);
    return rc;
}

void jl_sim_workload_clear(struct jl_sim_workload *workload)
{
    jl_free(workload->tasks);
    jl_free(workload->shapes);
    jl_free(workload->gangs);
    memset(workload, 0, sizeof *workload);
}
