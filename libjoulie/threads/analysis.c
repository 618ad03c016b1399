/* SPDX-License-Identifier: Apache-2.0 */

/* From features to clusters: which threads take part, in which order, where each one stands, and
 * what the clusters are called (docs/rules/threads-training.md#analysis, #clusters). The search is
 * kmeans.c. */

#define JL_THREAD_ANALYSIS_TABLES
#include "threads/analysis.h"

#include <math.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sort.h"
#include "threads/kmeans.h"

#define LN_10 0x1.26bb1bbb55516p+1
#define TIME_DECADES 6 /* a burst of a second is at the end of its axis */
#define RATE_DECADES 5 /* and so is a rate of 100 kHz */

static double decades(double value, double most)
{
    return jl_min(1, jl_log(1 + value) / LN_10 / most);
}

static void place(const struct jl_thread_features *of, struct jl_points *points, size_t at)
{
    const double burst_us = jl_thread_burst_us(of);
    const double long_us = JL_GIVEN_OR(of, p99, burst_us);
    const double position[JL_KMEANS_AXES] = {
        /* without any burst there is no sleep: longer than can be seen */
        burst_us >= 0 ? decades(burst_us, TIME_DECADES) : 1,
        long_us >= 0 ? decades(long_us, TIME_DECADES) : 1,
        decades(of->rate, RATE_DECADES),
        jl_min(1, of->util),
        of->io,
        of->relay,
        decades(of->out, RATE_DECADES),
        of->irq,
    };
    for (size_t axis = 0; axis < JL_KMEANS_AXES; axis++)
        points->axes[axis][at] = position[axis];
}

/* ---- medians ---- */

static int compare_numbers(const void *a, const void *b, void *user)
{
    const double *left = a;
    const double *right = b;
    (void)user;
    return JL_ORDER(*left, *right);
}

static double median(double *values, size_t count, double *scratch)
{
    jl_sort_with(values, count, sizeof *values, compare_numbers, NULL, scratch);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

enum axis { BURST, RATE, UTIL, IO, RELAY, AXES };

static double value_of(const struct jl_thread_features *of, enum axis axis)
{
    switch (axis) {
    case BURST:
        return jl_thread_burst_us(of);
    case RATE:
        return of->rate;
    case UTIL:
        return of->util;
    case IO:
        return of->io;
    case RELAY:
    case AXES:
        break;
    }
    return of->relay;
}

/* Of threads by their medians; values: room for twice as many numbers. */
static enum jl_thread_role role_of(const struct jl_thread_features *const *threads, size_t count,
                                   double *values)
{
    double medians[AXES];
    for (enum axis axis = 0; axis < AXES; axis++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++) {
            const double value = value_of(threads[i], axis);
            if (jl_is_finite(value))
                values[known++] = value;
        }
        medians[axis] = known > 0 ? median(values, known, values + count) : (double)NAN;
    }
    const struct jl_thread_features middle = { .given.p50 = true,
                                               .p50 = medians[BURST],
                                               .rate = medians[RATE],
                                               .util = medians[UTIL],
                                               .io = medians[IO],
                                               .relay = medians[RELAY] };
    return jl_thread_rule_role(jl_thread_rule(&middle));
}

/* ---- clusters ---- */

static int compare_clusters(const void *a, const void *b, void *user)
{
    const struct jl_thread_cluster *left = a;
    const struct jl_thread_cluster *right = b;
    (void)user;
    return JL_ORDER(right->util_sum, left->util_sum);
}

static void put_tids(const struct jl_thread_features *const *threads, size_t count, double *tids,
                     struct jl_list *out)
{
    for (size_t i = 0; i < count; i++)
        tids[i] = (double)threads[i]->tid;
    *out = (struct jl_list){ tids, count };
}

/* tids, values, members: room for the threads, values twice */
static void put_cluster(const struct jl_thread_features *const *threads, size_t count, double *tids,
                        double *values, struct jl_thread_cluster *out)
{
    double util_sum = 0;
    for (size_t i = 0; i < count; i++)
        util_sum += threads[i]->util;
    JL_SET(out, role, role_of(threads, count, values));
    out->given.tids = true;
    put_tids(threads, count, tids, &out->tids);
    JL_SET(out, util_sum, util_sum);
}

static int put_clusters(struct jl_arena *arena, const struct jl_thread_features *const *threads,
                        size_t count, const struct jl_kmeans *found,
                        struct jl_thread_analysis *analysis)
{
    const struct jl_thread_features **members =
        JL_NEW_ARRAY(arena, count, const struct jl_thread_features *);
    double *values = JL_NEW_ARRAY(arena, 2 * count, double);
    double *tids = JL_NEW_ARRAY(arena, count, double);
    struct jl_thread_cluster *clusters =
        JL_NEW_ARRAY(arena, 2 * found->count, struct jl_thread_cluster);
    size_t cluster_count = 0;
    if (arena->is_failed)
        return jl_arena_code(arena);
    for (size_t c = 0; c < found->count; c++) {
        size_t size = 0;
        for (size_t i = 0; i < count; i++) {
            if (found->cluster_of[i] == c)
                members[size++] = threads[i];
        }
        if (size > 0)
            put_cluster(members, size, tids, values, &clusters[cluster_count++]);
        tids += size;
    }
    jl_sort_with(clusters, cluster_count, sizeof *clusters, compare_clusters, NULL,
                 clusters + found->count);
    JL_SET(analysis, clusters, ((struct jl_list){ clusters, cluster_count }));
    JL_SET(analysis, k, (int64_t)cluster_count);
    return 0;
}

static int cluster(struct jl_arena *arena, const struct jl_thread_features *const *threads,
                   size_t count, uint64_t seed, struct jl_thread_analysis *analysis)
{
    struct jl_points points;
    struct jl_kmeans found = { .count = 0 };
    int rc = 0;
    if (count > 0)
        rc = jl_points_new(arena, count, &points);
    for (size_t i = 0; rc == 0 && i < count; i++)
        place(threads[i], &points, i);
    if (rc == 0 && count > 0)
        rc = jl_kmeans(arena, &points, seed, &found);
    if (rc < 0)
        return rc;
    JL_SET_IF(analysis, silhouette, found.has_silhouette, found.silhouette);
    JL_SET_IF(analysis, inertia, count > 2, found.inertia);
    return put_clusters(arena, threads, count, &found, analysis);
}

/* ---- threads ---- */

static int compare_tids(const void *a, const void *b, void *user)
{
    const struct jl_thread_features *left = a;
    const struct jl_thread_features *right = b;
    (void)user;
    return JL_ORDER(left->tid, right->tid);
}

static int compare_names(const void *a, const void *b, void *user)
{
    const struct jl_thread_features *left = *(const struct jl_thread_features *const *)a;
    const struct jl_thread_features *right = *(const struct jl_thread_features *const *)b;
    (void)user;
    return jl_compare(left->comm, right->comm); /* they come by tid */
}

/* By tid, each once. */
static int order_threads(struct jl_arena *arena, const struct jl_list *threads,
                         struct joulie_error *err)
{
    struct jl_thread_features *scratch =
        JL_NEW_ARRAY(arena, threads->count, struct jl_thread_features);
    if (scratch == NULL)
        return jl_fail_memory(err);
    jl_sort_with(threads->items, threads->count, sizeof *scratch, compare_tids, NULL, scratch);
    for (size_t i = 1; i < threads->count; i++) {
        const struct jl_thread_features *thread = JL_ITEM(*threads, jl_thread_features, i);
        if (thread->tid == thread[-1].tid)
            return jl_fail(err, JOULIE_E_CONFLICT, "features", "thread %lld is there twice",
                           (long long)thread->tid);
    }
    return 0;
}

int jl_thread_analyze(struct jl_arena *arena, uint64_t seed, struct jl_thread_analysis *analysis,
                      struct joulie_error *err)
{
    const size_t count = analysis->threads.count;
    struct jl_thread_features *threads = analysis->threads.items;
    /* busy ones, sporadic ones, and room to sort each */
    const struct jl_thread_features **busy =
        JL_NEW_ARRAY(arena, 3 * count, const struct jl_thread_features *);
    double *sporadic_tids = JL_NEW_ARRAY(arena, count, double);
    const struct jl_thread_features **sporadic = busy + count;
    size_t busy_count = 0;
    size_t sporadic_count = 0;
    if (busy == NULL || sporadic_tids == NULL)
        return jl_fail_memory(err);
    int rc = order_threads(arena, &analysis->threads, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const int rule = jl_thread_rule(&threads[i]);
        if (threads[i].is_foreign)
            continue;
        JL_SET(&threads[i], role, jl_thread_rule_role(rule));
        if (rule == 1)
            sporadic[sporadic_count++] = &threads[i];
        else
            busy[busy_count++] = &threads[i];
    }
    if (rc < 0)
        return rc;
    if (busy_count > JL_ANALYSIS_MOST_THREADS)
        return jl_fail(err, JOULIE_E_LIMIT, "threads", "more than %d threads are busy",
                       JL_ANALYSIS_MOST_THREADS);
    jl_sort_with(busy, busy_count, sizeof(void *), compare_names, NULL, busy + 2 * count);
    jl_sort_with(sporadic, sporadic_count, sizeof(void *), compare_names, NULL, busy + 2 * count);
    JL_SET(analysis, seed, (int64_t)seed);
    rc = cluster(arena, busy, busy_count, seed, analysis);
    if (rc < 0)
        return jl_fail_memory(err);
    analysis->given.sporadic = true;
    put_tids(sporadic, sporadic_count, sporadic_tids, &analysis->sporadic);
    return 0;
}
