/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/place.h>: where may work run, and how well does it fit? A table of nodes, column-wise. */

#include <stdio.h>

#include <joulie/place.h>

#define NODES 3
#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static const char *const names[NODES] = { "n1", "n2", "n3" };
static const int32_t classes[NODES] = { JOULIE_NODE_CLASS_ECO, JOULIE_NODE_CLASS_PERFORMANCE,
                                        JOULIE_NODE_CLASS_PERFORMANCE };
static const double headroom[NODES] = { 80, 60, 20 };
static const double cooling[NODES] = { 30, 30, 70 };
static const int64_t updated[NODES] = { NOW_MS, NOW_MS, NOW_MS };

int main(void)
{
    struct joulie_place_columns nodes = JOULIE_INIT(struct joulie_place_columns);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int32_t reject[NODES];
    int32_t score[NODES];

    nodes.node_class = (struct joulie_column_int){ classes, sizeof classes[0] };
    nodes.headroom_score = (struct joulie_column){ headroom, sizeof headroom[0] };
    nodes.cooling_stress_score = (struct joulie_column){ cooling, sizeof cooling[0] };
    nodes.updated_ms = (struct joulie_column_ms){ updated, sizeof updated[0] };
    out.reject = (struct joulie_column_int_out){ reject, sizeof reject[0] };
    out.score = (struct joulie_column_int_out){ score, sizeof score[0] };
    work.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    work.cpu_cores = 16;
    work.has = JOULIE_WORK_HAS_CPU;
    if (joulie_place_nodes(NULL, &work, &nodes, NODES, NOW_MS, &out, NULL, &err) != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        return 1;
    }
    for (size_t i = 0; i < NODES; i++) {
        if (reject[i] != JOULIE_REJECT_NONE)
            printf("%s: %s\n", names[i], joulie_place_reject_text(reject[i]));
        else
            printf("%s: score %d\n", names[i], (int)score[i]);
    }
    return 0;
}
