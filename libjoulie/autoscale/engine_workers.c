/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Who works for the workload: workers come with the step's list or with their first sample, and go
 * when neither has named them for a while (docs/rules/autoscaling.md#samples).
 */

#include <string.h>

#include <joulie/error.h>

#include "autoscale/engine_parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"

/* A worker that is in no list keeps its 24 h peak as long as that may grow. */
#define FORGET_NS JL_PEAK_WINDOW_NS
/* Without a list a worker is ready while its samples come: the longest window of any layer. */
#define SILENT_NS (INT64_C(3600) * JL_NS_PER_S)

/* ---- by name ---- */

static bool find(const struct jl_scale_engine *scaler, const char *name, size_t *out)
{
    size_t low = 0;
    size_t high = scaler->worker_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = jl_compare(scaler->workers[middle].name, name);
        if (order == 0) {
            *out = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return false;
}

struct jl_tracked *jl_scale_find_worker(struct jl_scale_engine *scaler, const char *name)
{
    size_t at;
    return find(scaler, name, &at) ? &scaler->workers[at] : NULL;
}

static int by_name(const void *a, const void *b, void *user)
{
    const char *const *left = a;
    const char *const *right = b;
    (void)user;
    return jl_compare(*left, *right);
}

/* The names of a step. */
struct naming {
    const char **fresh; /* not known yet, sorted, each once */
    size_t count;
    bool *is_named; /* of each known worker */
};

static int read_names(struct jl_scale_run *run, struct jl_arena *arena, struct naming *out)
{
    const struct jl_scale_step *step = run->step;
    const size_t most = step->worker_count + step->sample_count;
    const char **names = JL_NEW_ARRAY(arena, most, const char *);
    const char **scratch = JL_NEW_ARRAY(arena, most, const char *);
    bool *is_named = JL_NEW_ARRAY(arena, run->scaler->worker_count, bool);
    size_t count = 0;
    size_t at;
    if (names == NULL || scratch == NULL || is_named == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < step->worker_count; i++) {
        if (find(run->scaler, step->workers[i].name, &at))
            is_named[at] = true;
        else
            names[count++] = step->workers[i].name;
    }
    for (size_t i = 0; i < step->sample_count; i++) {
        if (find(run->scaler, step->samples[i].worker, &at))
            is_named[at] = true;
        else if (count == 0 || !jl_same(names[count - 1], step->samples[i].worker))
            names[count++] = step->samples[i].worker;
    }
    jl_sort_with(names, count, sizeof *names, by_name, NULL, scratch);
    size_t unique = 0;
    for (size_t i = 0; i < count; i++) {
        if (unique == 0 || !jl_same(names[unique - 1], names[i]))
            names[unique++] = names[i];
    }
    *out = (struct naming){ names, unique, is_named };
    return 0;
}

/* ---- room ---- */

/* Both lists are sorted; from the back, so that nothing is overwritten. Samples follow their
 * worker through new_index, one per old worker. */
static void merge_names(struct jl_scale_engine *scaler, char *const *names, size_t count,
                        uint32_t *new_index)
{
    size_t old = scaler->worker_count;
    size_t fresh = count;
    scaler->worker_count += count;
    for (size_t to = scaler->worker_count; to-- > 0;) {
        if (fresh > 0 &&
            (old == 0 || jl_compare(scaler->workers[old - 1].name, names[fresh - 1]) < 0)) {
            scaler->workers[to] = (struct jl_tracked){ .name = names[--fresh] };
        } else {
            scaler->workers[to] = scaler->workers[--old];
            new_index[old] = (uint32_t)to;
        }
    }
    for (size_t i = 0; i < scaler->recent_count; i++)
        scaler->recent[i].worker = new_index[scaler->recent[i].worker];
}

static int add_names(struct jl_scale_engine *scaler, const char **names, size_t count,
                     struct jl_arena *arena)
{
    char **copies = JL_NEW_ARRAY(arena, count, char *);
    uint32_t *new_index = JL_NEW_ARRAY(arena, scaler->worker_count, uint32_t);
    if (copies == NULL || new_index == NULL)
        return jl_arena_code(arena);
    int rc = JL_GROW(&scaler->workers, &scaler->worker_room, scaler->worker_count + count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        copies[i] = jl_strdup(names[i]);
        if (copies[i] == NULL)
            rc = JOULIE_E_NOMEM;
    }
    if (rc < 0) {
        for (size_t i = 0; i < count; i++)
            jl_free(copies[i]);
        return rc;
    }
    merge_names(scaler, copies, count, new_index);
    return 0;
}

/* ---- the step's list ---- */

/* Without a list: its samples came lately. */
static bool is_reporting(const struct jl_tracked *worker, const struct jl_scale_step *step)
{
    return !step->has_workers && worker->has_last && worker->last_ns > step->now_ns - SILENT_NS;
}

static void read_list(struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    const struct jl_scale_step *step = run->step;
    for (size_t i = 0; i < scaler->worker_count; i++) {
        struct jl_tracked *worker = &scaler->workers[i];
        worker->is_dedicated = false;
        worker->is_ready = is_reporting(worker, step);
    }
    for (size_t i = 0; i < step->sample_count && !step->has_workers; i++) {
        if (i == 0 || !jl_same(step->samples[i].worker, step->samples[i - 1].worker))
            jl_scale_find_worker(scaler, step->samples[i].worker)->is_ready = true;
    }
    for (size_t i = 0; i < step->worker_count; i++) {
        struct jl_tracked *worker = jl_scale_find_worker(scaler, step->workers[i].name);
        worker->is_ready = true;
        worker->is_dedicated = step->workers[i].is_dedicated;
        if (step->workers[i].has_created) {
            worker->created_ns = step->workers[i].created_ns;
            worker->has_created = true;
        }
    }
}

/* ---- forgetting ---- */

static bool is_gone(const struct jl_tracked *worker, const struct jl_scale_step *step)
{
    if (worker->is_ready && step->has_workers)
        return false;
    return !worker->has_last || worker->last_ns <= step->now_ns - FORGET_NS;
}

static void drop_worker(struct jl_scale_engine *scaler, struct jl_tracked *worker)
{
    struct jl_layer_memory *memory = scaler->memories[JL_MEMORY_REQUESTS];
    for (size_t u = 0; memory != NULL && u < JL_USAGES; u++)
        jl_usage_series_leave(&memory->series[u], &worker->open[u]);
    jl_free(worker->name);
}

/* Samples of a worker that is gone are older than any window, but for a clock that jumped. */
static void keep_recent(struct jl_scale_engine *scaler, const uint32_t *new_index)
{
    size_t kept = 0;
    for (size_t i = 0; i < scaler->recent_count; i++) {
        struct jl_recent recent = scaler->recent[i];
        if (new_index[recent.worker] == UINT32_MAX)
            continue;
        recent.worker = new_index[recent.worker];
        scaler->recent[kept++] = recent;
    }
    scaler->recent_count = kept;
}

/* Places: where each worker goes, UINT32_MAX for one that is dropped. */
static void forget(struct jl_scale_engine *scaler, const uint32_t *new_index)
{
    size_t kept = 0;
    for (size_t i = 0; i < scaler->worker_count; i++) {
        if (new_index[i] == UINT32_MAX) {
            drop_worker(scaler, &scaler->workers[i]);
            continue;
        }
        scaler->workers[kept++] = scaler->workers[i];
    }
    if (kept == scaler->worker_count)
        return;
    scaler->worker_count = kept;
    keep_recent(scaler, new_index);
}

void jl_scale_forget_workers(struct jl_scale_run *run)
{
    struct jl_scale_engine *scaler = run->scaler;
    uint32_t *new_index = run->reports; /* which is not read any more in this step */
    uint32_t kept = 0;
    for (size_t i = 0; i < scaler->worker_count; i++)
        new_index[i] = is_gone(&scaler->workers[i], run->step) ? UINT32_MAX : kept++;
    forget(scaler, new_index);
}

/* ---- the step's names ---- */

static size_t put(char *at, const char *text)
{
    const size_t len = strlen(text);
    memcpy(at, text, len);
    return len;
}

static int check_name(const char *list, size_t index, const char *member, const char *name,
                      struct joulie_error *err)
{
    if (strlen(name) <= JL_AUTOSCALE_LONGEST_NAME)
        return 0;
    char where[JL_DOUBLE_TEXT + 24]; /* longest: samples[…].worker */
    char digits[JL_DOUBLE_TEXT];
    char *at = where;
    digits[jl_format_u64(index, digits)] = '\0';
    at += put(at, list);
    at += put(at, "[");
    at += put(at, digits);
    at += put(at, "].");
    at[put(at, member)] = '\0';
    return jl_fail(err, JOULIE_E_RANGE, where, "longer than the %d bytes of a pod's name",
                   JL_AUTOSCALE_LONGEST_NAME);
}

static int check_names(const struct jl_scale_step *step, struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < step->worker_count; i++)
        rc = check_name("workers", i, "name", step->workers[i].name, err);
    for (size_t i = 0; rc == 0 && i < step->sample_count; i++)
        rc = check_name("samples", i, "worker", step->samples[i].worker, err);
    return rc;
}

/* At the bound those that nobody names make room. JOULIE_E_LIMIT: the others alone are too many. */
static int make_room(struct jl_scale_run *run, struct jl_arena *arena, const struct naming *naming)
{
    struct jl_scale_engine *scaler = run->scaler;
    size_t kept = 0;
    if (scaler->worker_count + naming->count <= JL_AUTOSCALE_MOST_WORKERS)
        return 0;
    uint32_t *new_index = JL_NEW_ARRAY(arena, scaler->worker_count, uint32_t);
    if (new_index == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < scaler->worker_count; i++) {
        const bool stays = naming->is_named[i] || is_reporting(&scaler->workers[i], run->step);
        new_index[i] = stays ? (uint32_t)kept++ : UINT32_MAX;
    }
    if (kept + naming->count > JL_AUTOSCALE_MOST_WORKERS)
        return JOULIE_E_LIMIT;
    forget(scaler, new_index);
    return 0;
}

int jl_scale_add_workers(struct jl_scale_run *run, struct jl_arena *arena, struct joulie_error *err)
{
    struct naming naming = { 0 };
    int rc = check_names(run->step, err);
    if (rc < 0)
        return rc;
    rc = read_names(run, arena, &naming);
    if (rc == 0)
        rc = make_room(run, arena, &naming);
    if (rc == JOULIE_E_LIMIT)
        return jl_fail(err, rc, "workers", "more than %d workers", JL_AUTOSCALE_MOST_WORKERS);
    if (rc == 0 && naming.count > 0)
        rc = add_names(run->scaler, naming.fresh, naming.count, arena);
    if (rc < 0)
        return jl_fail_memory(err);
    read_list(run);
    return 0;
}
