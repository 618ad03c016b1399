/* SPDX-License-Identifier: Apache-2.0 */

/* From our score to the number that kube-scheduler gets (joulie-scheduler.md §13, kubernetes.md
 * §15.4). */

#include "base/number.h"
#include "place/place.h"

#define WIRE_MAX 10
#define RAW_MAX 1e300

int jl_wire_score(double score, int range)
{
    const int whole = jl_place_whole_score(score);
    return range == 100 ? whole : (whole + 5) / WIRE_MAX;
}

/* Keeps differences of absurd sums finite. */
static double bounded(double raw)
{
    return raw > -RAW_MAX ? jl_min(raw, RAW_MAX) : -RAW_MAX;
}

void jl_wire_spread(const struct jl_wire_node *nodes, size_t count, int *out)
{
    double lowest = 0;
    double highest = 0;
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        if (!nodes[i].has_raw)
            continue;
        const double raw = bounded(nodes[i].raw);
        lowest = has_any ? jl_min(lowest, raw) : raw;
        highest = has_any ? jl_max(highest, raw) : raw;
        has_any = true;
    }
    for (size_t i = 0; i < count; i++) {
        const double above = bounded(nodes[i].raw) - lowest;
        if (!nodes[i].has_raw)
            out[i] = 0;
        else if (highest > lowest)
            out[i] = (int)jl_round_half_away(WIRE_MAX * above / (highest - lowest));
        else
            out[i] = jl_wire_score(nodes[i].score, WIRE_MAX);
    }
}
