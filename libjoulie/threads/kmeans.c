/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The search for clusters (docs/rules/threads-training.md#search): seeds, rounds, restarts,
 * silhouettes. Called by analysis.c. Distances are computed for two or four points at a time; each
 * lane is rounded like one double, so that changes no bit.
 */

#include "threads/kmeans.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"

#define RESTARTS 8
#define MOST_ROUNDS 100
#define SAME_INERTIA 1e-12
#define LEAST_SILHOUETTE 0.25 /* below it the points are one cluster */
#define GROUP 4               /* points whose silhouettes are found together */
#define LANES 2
#define PAIRS (GROUP / LANES)
#define SIZES (JL_KMEANS_MOST - 1) /* numbers of clusters that are tried: 2 … 8 */

typedef double pair __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

/* of log p50, log p99, log rate, util, io, relay, log out, irq */
static const double weights[JL_KMEANS_AXES] = { 2, 1, 2, 2, 1, 1, 0.5, 0.5 };

int jl_points_new(struct jl_arena *arena, size_t count, struct jl_points *out)
{
    const size_t room = (count + GROUP - 1) / GROUP * GROUP;
    double *all = JL_NEW_ARRAY(arena, room * JL_KMEANS_AXES, double);
    *out = (struct jl_points){ .count = count, .room = room };
    if (all == NULL)
        return jl_arena_code(arena);
    for (size_t axis = 0; axis < JL_KMEANS_AXES; axis++)
        out->axes[axis] = all + axis * room;
    return 0;
}

struct search {
    const struct jl_points *points;
    struct jl_random random;
    size_t count; /* of clusters */
    double centres[JL_KMEANS_MOST][JL_KMEANS_AXES];
    double *distances[JL_KMEANS_MOST]; /* squared, of every point to a centre */
    double *nearest;                   /* squared, of every point to its centre */
    uint8_t *cluster_of;
    uint8_t *before;     /* what cluster_of was in the last round */
    pair (*rows)[PAIRS]; /* distances of every point to some */
};

/* Weighted squares of what is between two places on each axis, the first axis first. */
#define TERM(axis, between) (weights[axis] * ((between(axis)) * (between(axis))))
#define SQUARED(between)                                                         \
    (TERM(0, between) + TERM(1, between) + TERM(2, between) + TERM(3, between) + \
     TERM(4, between) + TERM(5, between) + TERM(6, between) + TERM(7, between))

/* Squared distances of all points to a place; out has room for points->room. */
static void measure(const struct jl_points *points, const double place[JL_KMEANS_AXES], double *out)
{
#define BETWEEN(axis) (*(const pair *)(points->axes[axis] + i) - place[axis])
    for (size_t i = 0; i < points->room; i += LANES)
        *(pair *)(out + i) = SQUARED(BETWEEN);
#undef BETWEEN
}

static void set_centre(struct search *search, size_t c, size_t point)
{
    for (size_t axis = 0; axis < JL_KMEANS_AXES; axis++)
        search->centres[c][axis] = search->points->axes[axis][point];
    measure(search->points, search->centres[c], search->distances[c]);
}

/* ---- seeds ---- */

static size_t draw(struct search *search, size_t chosen)
{
    const size_t count = search->points->count;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += search->nearest[i];
    if (sum <= 0)
        return chosen % count;
    const double until = jl_random_unit(&search->random) * sum;
    double running = 0;
    for (size_t i = 0; i < count; i++) {
        running += search->nearest[i];
        if (running > until)
            return i;
    }
    return count - 1;
}

static void seed_centres(struct search *search)
{
    const size_t count = search->points->count;
    size_t point = (size_t)floor(jl_random_unit(&search->random) * (double)count);
    set_centre(search, 0, point);
    memcpy(search->nearest, search->distances[0], count * sizeof *search->nearest);
    for (size_t c = 1; c < search->count; c++) {
        set_centre(search, c, draw(search, c));
        for (size_t i = 0; i < count; i++)
            search->nearest[i] = jl_min(search->nearest[i], search->distances[c][i]);
    }
}

/* ---- rounds ---- */

static void assign(struct search *search)
{
    const size_t count = search->points->count;
    memcpy(search->nearest, search->distances[0], count * sizeof *search->nearest);
    memset(search->cluster_of, 0, count);
    for (size_t c = 1; c < search->count; c++) {
        const double *distances = search->distances[c];
        for (size_t i = 0; i < count; i++) {
            const bool is_nearer = distances[i] < search->nearest[i];
            search->cluster_of[i] = is_nearer ? (uint8_t)c : search->cluster_of[i];
            search->nearest[i] = is_nearer ? distances[i] : search->nearest[i];
        }
    }
}

/* An empty cluster takes the point that is farthest from its centre. */
static void fill_empty(struct search *search)
{
    const size_t count = search->points->count;
    size_t sizes[JL_KMEANS_MOST] = { 0 };
    for (size_t i = 0; i < count; i++)
        sizes[search->cluster_of[i]]++;
    for (size_t c = 0; c < search->count; c++) {
        size_t farthest = 0;
        if (sizes[c] > 0)
            continue;
        for (size_t i = 1; i < count; i++) {
            if (search->nearest[i] > search->nearest[farthest])
                farthest = i;
        }
        search->cluster_of[farthest] = (uint8_t)c;
        search->nearest[farthest] = 0;
    }
}

/* To the means of their points; distances to a centre that stays are those of before. */
static void move_centres(struct search *search)
{
    const struct jl_points *points = search->points;
    double sums[JL_KMEANS_MOST][JL_KMEANS_AXES] = { { 0 } };
    double sizes[JL_KMEANS_MOST] = { 0 };
    for (size_t i = 0; i < points->count; i++) {
        const size_t c = search->cluster_of[i];
        sizes[c]++;
        for (size_t axis = 0; axis < JL_KMEANS_AXES; axis++)
            sums[c][axis] += points->axes[axis][i];
    }
    for (size_t c = 0; c < search->count; c++) {
        bool is_moved = false;
        for (size_t axis = 0; axis < JL_KMEANS_AXES && sizes[c] > 0; axis++) {
            const double mean = sums[c][axis] / sizes[c];
            is_moved =
                is_moved || mean < search->centres[c][axis] || mean > search->centres[c][axis];
            search->centres[c][axis] = mean;
        }
        if (is_moved)
            measure(points, search->centres[c], search->distances[c]);
    }
}

/* Returns the inertia of where it ends. */
static double settle(struct search *search)
{
    const size_t count = search->points->count;
    double inertia = 0;
    seed_centres(search);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        assign(search);
        fill_empty(search);
        if (round > 0 && memcmp(search->cluster_of, search->before, count) == 0)
            break;
        move_centres(search);
        memcpy(search->before, search->cluster_of, count);
    }
    for (size_t i = 0; i < count; i++)
        inertia += search->distances[search->cluster_of[i]][i];
    return inertia;
}

static double best_of_restarts(struct search *search, uint8_t *out_cluster_of)
{
    double best = (double)INFINITY;
    for (int restart = 0; restart < RESTARTS; restart++) {
        const double inertia = settle(search);
        if (inertia < best - SAME_INERTIA) {
            best = inertia;
            memcpy(out_cluster_of, search->cluster_of, search->points->count);
        }
    }
    return best;
}

/* ---- silhouettes ---- */

struct candidate { /* a number of clusters */
    uint8_t *cluster_of;
    uint32_t *members; /* points, cluster after cluster */
    size_t starts[JL_KMEANS_MOST + 1];
    double inertia;
    double silhouette_sum;
};

static void list_members(struct candidate *candidate, size_t clusters, size_t count)
{
    size_t used = 0;
    for (size_t c = 0; c < clusters; c++) {
        candidate->starts[c] = used;
        for (size_t i = 0; i < count; i++) {
            if (candidate->cluster_of[i] == c)
                candidate->members[used++] = (uint32_t)i;
        }
    }
    candidate->starts[clusters] = used;
}

/* Of a point out of its sums of distances to the clusters. */
static double silhouette(const struct candidate *candidate, size_t clusters, size_t own,
                         const double (*sums)[GROUP], size_t lane)
{
    double inside = 0;
    double outside = (double)INFINITY;
    for (size_t c = 0; c < clusters; c++) {
        const double size = (double)(candidate->starts[c + 1] - candidate->starts[c]);
        if (c == own && size <= 1)
            return 0;
        if (c == own)
            inside = sums[c][lane] / (size - 1); /* its distance to itself is 0 */
        else if (size > 0)
            outside = jl_min(outside, sums[c][lane] / size);
    }
    const double larger = jl_max(inside, outside);
    return larger > 0 && jl_is_finite(larger) ? (outside - inside) / larger : 0;
}

/* Distances of all points to GROUP points, from first on. */
static void measure_group(const struct jl_points *points, size_t first, pair (*rows)[PAIRS])
{
#define BETWEEN(axis) (*(const pair *)(points->axes[axis] + at) - points->axes[axis][i])
    for (size_t i = 0; i < points->count; i++) {
        for (size_t half = 0; half < PAIRS; half++) {
            const size_t at = first + half * LANES;
            const pair squared = SQUARED(BETWEEN);
            rows[i][half] = (pair){ sqrt(squared[0]), sqrt(squared[1]) };
        }
    }
#undef BETWEEN
}

static void sum_members(const struct candidate *candidate, size_t c, pair (*rows)[PAIRS],
                        double sums[GROUP])
{
    pair low = { 0 };
    pair high = { 0 };
    for (size_t i = candidate->starts[c]; i < candidate->starts[c + 1]; i++) {
        low += rows[candidate->members[i]][0];
        high += rows[candidate->members[i]][1];
    }
    sums[0] = low[0];
    sums[1] = low[1];
    sums[2] = high[0];
    sums[3] = high[1];
}

/* The distances of a point serve every number of clusters. */
static void add_silhouettes(const struct jl_points *points, struct candidate *candidates,
                            size_t candidate_count, pair (*rows)[PAIRS])
{
    double sums[JL_KMEANS_MOST][GROUP];
    for (size_t first = 0; first < points->count; first += GROUP) {
        measure_group(points, first, rows);
        for (size_t n = 0; n < candidate_count; n++) {
            struct candidate *candidate = &candidates[n];
            for (size_t c = 0; c < n + 2; c++)
                sum_members(candidate, c, rows, sums[c]);
            for (size_t lane = 0; lane < GROUP && first + lane < points->count; lane++)
                candidate->silhouette_sum +=
                    silhouette(candidate, n + 2, candidate->cluster_of[first + lane], sums, lane);
        }
    }
}

/* ---- choice ---- */

static int prepare(struct jl_arena *arena, struct search *search, struct candidate *candidates,
                   size_t candidate_count)
{
    const size_t count = search->points->count;
    const size_t room = search->points->room;
    for (size_t c = 0; c < JL_KMEANS_MOST; c++)
        search->distances[c] = JL_NEW_ARRAY(arena, room, double);
    search->nearest = JL_NEW_ARRAY(arena, room, double);
    search->cluster_of = JL_NEW_ARRAY(arena, count, uint8_t);
    search->before = JL_NEW_ARRAY(arena, count, uint8_t);
    search->rows = jl_arena_array(arena, count, sizeof *search->rows);
    for (size_t n = 0; n < candidate_count; n++) {
        candidates[n].cluster_of = JL_NEW_ARRAY(arena, count, uint8_t);
        candidates[n].members = JL_NEW_ARRAY(arena, count, uint32_t);
    }
    return arena->is_failed ? jl_arena_code(arena) : 0;
}

/* All points together. */
static void take_one(struct search *search, struct jl_kmeans *out)
{
    search->count = 1;
    memset(search->cluster_of, 0, search->points->count);
    move_centres(search);
    measure(search->points, search->centres[0], search->distances[0]);
    out->inertia = 0;
    for (size_t i = 0; i < search->points->count; i++)
        out->inertia += search->distances[0][i];
    out->cluster_of = search->cluster_of;
    out->count = 1;
}

int jl_kmeans(struct jl_arena *arena, const struct jl_points *points, uint64_t seed,
              struct jl_kmeans *out)
{
    const size_t count = points->count;
    const size_t tried = count < 3 ? 0 : count - 1 < JL_KMEANS_MOST ? count - 2 : SIZES;
    struct search search = { .points = points };
    struct candidate candidates[SIZES] = { { .inertia = 0 } };
    size_t best = 0;
    *out = (struct jl_kmeans){ .count = 0 };
    const int rc = prepare(arena, &search, candidates, tried);
    if (rc < 0)
        return rc;
    if (tried == 0) { /* each point its own cluster */
        for (size_t i = 0; i < count; i++)
            search.cluster_of[i] = (uint8_t)i;
        out->cluster_of = search.cluster_of;
        out->count = count;
        return 0;
    }
    for (size_t n = 0; n < tried; n++) {
        search.count = n + 2;
        search.random.state = seed + search.count;
        candidates[n].inertia = best_of_restarts(&search, candidates[n].cluster_of);
        list_members(&candidates[n], search.count, count);
    }
    add_silhouettes(points, candidates, tried, search.rows);
    for (size_t n = 1; n < tried; n++) {
        if (candidates[n].silhouette_sum > candidates[best].silhouette_sum)
            best = n;
    }
    const double mean = candidates[best].silhouette_sum / (double)count;
    if (mean < LEAST_SILHOUETTE) {
        take_one(&search, out);
        return 0;
    }
    *out = (struct jl_kmeans){ .cluster_of = candidates[best].cluster_of,
                               .count = best + 2,
                               .silhouette = mean,
                               .inertia = candidates[best].inertia,
                               .has_silhouette = true };
    return 0;
}
