/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* k-means++ with the number of clusters chosen by silhouettes
 * (docs/rules/threads-training.md#search). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define JL_KMEANS_AXES 8
#define JL_KMEANS_MOST 8 /* clusters */

struct jl_points {
    double *axes[JL_KMEANS_AXES]; /* each has room for `room` numbers */
    size_t count;
    size_t room; /* count, rounded up to whole vectors; what lies behind count is 0 */
};

struct jl_kmeans {
    uint8_t *cluster_of; /* of each point */
    size_t count;        /* of clusters; one may be empty where points coincide */
    double silhouette;
    double inertia;
    bool has_silhouette; /* two clusters or more, of three points or more */
};

/* 0 or JOULIE_E_NOMEM, both. count is 1 or more. */
int jl_points_new(struct jl_arena *arena, size_t count, struct jl_points *out);
int jl_kmeans(struct jl_arena *arena, const struct jl_points *points, uint64_t seed,
              struct jl_kmeans *out);
