/* SPDX-License-Identifier: Apache-2.0 */

/* From our score to the number that kube-scheduler gets (joulie-scheduler.md §13, kubernetes.md
 * §15.4). */

#include "base/number.h"
#include "place/place.h"

#define WIRE_MAX 10

int jl_wire_score(double score, int range)
{
    const int whole = (int)jl_clamp(score, 0, 100);
    return range == 100 ? whole : (whole + 5) / WIRE_MAX;
}

void jl_wire_spread(const struct jl_wire_node *nodes, size_t count, int *out)
{
    double lowest = 0;
    double highest = 0;
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        if (!nodes[i].has_raw)
            continue;
        lowest = has_any ? jl_min(lowest, nodes[i].raw) : nodes[i].raw;
        highest = has_any ? jl_max(highest, nodes[i].raw) : nodes[i].raw;
        has_any = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (!nodes[i].has_raw)
            out[i] = 0;
        else if (highest > lowest)
            out[i] =
                (int)jl_round_half_away(WIRE_MAX * (nodes[i].raw - lowest) / (highest - lowest));
        else
            out[i] = jl_wire_score(nodes[i].score, WIRE_MAX);
    }
}
