/* SPDX-License-Identifier: Apache-2.0 */

/* From our score to the number that kube-scheduler gets
 * (docs/rules/placement.md#wire-score). Called by the cluster model, by columns and by questions.
 */

#include "base/number.h"
#include "place/row_rules.h"

#define WIRE_MAX 10
#define RAW_MAX 1e300
#define COST_ALIKE_W 1e-9  /* nodes that differ by no more cost the same */
#define COST_ROUNDING 1e-9 /* a quotient that should be whole is not cut to the number below */

int jl_wire_score(double score, int range)
{
    return (int)jl_row_wire(jl_row_whole(score), range == 100);
}

double jl_wire_bounded(double raw)
{
    return raw > -RAW_MAX ? jl_min(raw, RAW_MAX) : -RAW_MAX;
}

int64_t jl_wire_rank(double raw, double score, double lowest, double highest, int range)
{
    const double above = jl_wire_bounded(raw) - lowest;
    if (!(highest > lowest))
        return jl_wire_score(score, range);
    return (int64_t)jl_round_half_away(range * above / (highest - lowest));
}

int64_t jl_wire_cost(double raw, double lowest, double highest, int range)
{
    const double above = jl_wire_bounded(raw) - lowest;
    if (!(highest - lowest > COST_ALIKE_W))
        return range;
    return (int64_t)(range * above / (highest - lowest) + COST_ROUNDING);
}

void jl_wire_spread(const struct jl_wire_node *nodes, size_t count, int *out)
{
    double lowest = 0;
    double highest = 0;
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        if (!nodes[i].has_raw)
            continue;
        const double raw = jl_wire_bounded(nodes[i].raw);
        lowest = has_any ? jl_min(lowest, raw) : raw;
        highest = has_any ? jl_max(highest, raw) : raw;
        has_any = true;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = 0;
        if (nodes[i].has_raw)
            out[i] = (int)jl_wire_rank(nodes[i].raw, nodes[i].score, lowest, highest, WIRE_MAX);
    }
}
