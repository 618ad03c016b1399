/* SPDX-License-Identifier: Apache-2.0 */

/* From our score to the number that kube-scheduler gets
 * (docs/rules/placement.md#wire-score). Called by the cluster model, by columns and by questions.
 */

#include "base/number.h"
#include "place/row_rules.h"

#define WIRE_MAX 10
#define RAW_MAX 1e300

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

static bool is_candidate(enum joulie_reject reject, const struct jl_place_score *score)
{
    return score->basis == JOULIE_BASIS_FRESH && reject == JOULIE_REJECT_NONE;
}

void jl_place_wires(const struct joulie_place_config *config, const enum joulie_reject *rejects,
                    const struct jl_place_score *scores, size_t count, int range, int *wires)
{
    double lowest = 0;
    double highest = 0;
    bool has_any = false;
    for (size_t i = 0; i < count; i++) {
        wires[i] = jl_wire_score(scores[i].score, range);
        if (config->spread == JOULIE_SPREAD_RANK && is_candidate(rejects[i], &scores[i])) {
            const double raw = jl_wire_bounded(scores[i].raw);
            lowest = has_any ? jl_min(lowest, raw) : raw;
            highest = has_any ? jl_max(highest, raw) : raw;
            has_any = true;
        }
    }
    for (size_t i = 0; config->spread == JOULIE_SPREAD_RANK && i < count; i++) {
        wires[i] = 0;
        if (is_candidate(rejects[i], &scores[i]))
            wires[i] = (int)jl_wire_rank(scores[i].raw, scores[i].score, lowest, highest, range);
    }
}
