/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fuzz/dice.h"
#include "fuzz/fuzz.h"
#include "place/row_rules.h"

#define MOST 10
#define NOW_MS INT64_C(1773403200000)

static struct jl_place_node node(struct dice *dice)
{
    struct jl_place_node made = {
        .class_ = (enum joulie_node_class)dice_int(dice, 0, 2),
        .label = (enum joulie_node_label)dice_int(dice, 0, 2),
        .has_gpu = dice_bit(dice),
        .cpu_cores = (double)dice_int(dice, 0, 512),
        .cpu_max_w = (double)dice_int(dice, 0, 1000),
        .gpu_count = (double)dice_int(dice, 0, 8),
        .gpu_max_w = (double)dice_int(dice, 0, 1000),
    };
    if (dice_bit(dice))
        made.has |= 1U << JL_PLACE_TWIN | 1U << JL_PLACE_UPDATED;
    made.updated_ms = NOW_MS - dice_int(dice, 0, 20 * 60 * 1000);
    made.has |= made.class_ ? 1U << JL_PLACE_CLASS : 0;
    dice_member(dice, &made.has, JL_PLACE_HEADROOM, &made.headroom, -100, 100);
    dice_member(dice, &made.has, JL_PLACE_COOLING, &made.cooling, 0, 100);
    dice_member(dice, &made.has, JL_PLACE_PSU, &made.psu, 0, 100);
    dice_member(dice, &made.has, JL_PLACE_CAPPED, &made.capped_w, 1, 10000);
    dice_member(dice, &made.has, JL_PLACE_MEASURED, &made.measured_w, 0, 10000);
    dice_member(dice, &made.has, JL_PLACE_CPU_CAP_PCT, &made.cpu_pct, 1, 100);
    dice_member(dice, &made.has, JL_PLACE_GPU_CAP_PCT, &made.gpu_pct, 1, 100);
    if (dice_bit(dice)) { /* whole numbers: their sum has no order */
        made.has |= 1U << JL_PLACE_TREND;
        made.trend_w_per_min = (double)dice_int(dice, -500, 500);
    }
    made.has |= dice_bit(dice) ? 1U << JL_PLACE_HARDWARE : 0;
    return made;
}

static struct joulie_work pod(struct dice *dice)
{
    return (struct joulie_work){
        .workload_class = dice_bit(dice) ? JOULIE_WORKLOAD_PERFORMANCE : JOULIE_WORKLOAD_STANDARD,
        .cpu_cores = dice_number(dice, 0, 256),
        .memory_bytes = dice_number(dice, 0, 1e13),
        .gpu_count = dice_number(dice, 0, 8),
        .cpu_sensitivity = (enum joulie_level)dice_int(dice, 0, 4),
        .gpu_sensitivity = (enum joulie_level)dice_int(dice, 0, 4),
    };
}

struct scored {
    enum joulie_reject rejects[MOST];
    struct jl_place_score scores[MOST];
};

/* ---- scores: in their range, the same in any order, unknown never above known ---- */

static void check_scores(const struct joulie_place_config *config, const struct scored *scored,
                         size_t count)
{
    int lowest = 101;
    for (size_t i = 0; i < count; i++) {
        const struct jl_place_score *score = &scored->scores[i];
        FUZZ_REQUIRE(score->score >= 0 && score->score <= 100);
        if (score->basis != JOULIE_BASIS_FRESH)
            continue;
        FUZZ_REQUIRE(score->score == jl_place_whole_score(score->raw));
        if (scored->rejects[i] == JOULIE_REJECT_NONE)
            lowest = score->score < lowest ? score->score : lowest;
    }
    for (size_t i = 0; i < count && config->rules == JOULIE_PLACE_RULES_CURRENT; i++) {
        if (scored->scores[i].basis != JOULIE_BASIS_FRESH)
            FUZZ_REQUIRE(scored->scores[i].score <= lowest &&
                         scored->scores[i].score <= config->unknown_score);
    }
}

static void check_more_power(const struct joulie_place_config *config,
                             const struct jl_place_aggregate *cluster,
                             const struct joulie_work *view, const struct jl_place_node *from,
                             struct dice *dice)
{
    struct jl_place_node hotter = *from;
    struct jl_place_score before;
    struct jl_place_score after;
    hotter.measured_w += dice_number(dice, 0, 1000);
    hotter.cooling = fmin(100, hotter.cooling + dice_number(dice, 0, 50));
    jl_place_score_node(config, cluster, view, from, NOW_MS, &before);
    jl_place_score_node(config, cluster, view, &hotter, NOW_MS, &after);
    FUZZ_REQUIRE(before.basis == after.basis);
    FUZZ_REQUIRE(after.basis != JOULIE_BASIS_FRESH || after.raw <= before.raw + 1e-9);
}

void rules_score(struct dice *dice)
{
    struct joulie_place_config config;
    struct jl_place_node nodes[MOST];
    struct jl_place_node turned[MOST];
    struct scored there;
    struct scored back;
    struct jl_place_aggregate cluster;
    const struct joulie_work view = pod(dice);
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    jl_place_config_init(&config,
                         (enum joulie_place_rules)dice_int(dice, 1, JOULIE_PLACE_RULES_V0_1_0));
    config.unknown_score = dice_number(dice, 0, 25);
    for (size_t i = 0; i < count; i++)
        turned[count - 1 - i] = nodes[i] = node(dice);
    jl_place_all(&config, &view, nodes, count, NOW_MS, 10, there.rejects, there.scores, NULL);
    jl_place_all(&config, &view, turned, count, NOW_MS, 10, back.rejects, back.scores, NULL);
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(there.rejects[i] == back.rejects[count - 1 - i]);
        FUZZ_REQUIRE(there.scores[i].basis == back.scores[count - 1 - i].basis);
        FUZZ_REQUIRE(dice_near(there.scores[i].raw, back.scores[count - 1 - i].raw));
    }
    check_scores(&config, &there, count);
    jl_place_aggregate_nodes(&config, nodes, count, NOW_MS, &cluster);
    for (size_t i = 0; i < count && config.rules == JOULIE_PLACE_RULES_CURRENT; i++)
        check_more_power(&config, &cluster, &view, &nodes[i], dice);
}

/* ---- what goes over the wire keeps the order ---- */

void rules_wire(struct dice *dice)
{
    struct jl_wire_node nodes[MOST];
    struct jl_wire_node turned[MOST];
    int there[MOST];
    int back[MOST];
    const size_t count = (size_t)dice_int(dice, 0, MOST);
    for (size_t i = 0; i < count; i++) {
        nodes[i].has_raw = dice_bit(dice);
        nodes[i].raw = dice_number(dice, -200, 200);
        nodes[i].score = jl_place_whole_score(nodes[i].raw);
        turned[count - 1 - i] = nodes[i];
    }
    jl_wire_spread(nodes, count, there);
    jl_wire_spread(turned, count, back);
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(there[i] == back[count - 1 - i] && there[i] >= 0 && there[i] <= 10);
        if (i > 0 && nodes[i].has_raw && nodes[i - 1].has_raw && nodes[i].raw >= nodes[i - 1].raw)
            FUZZ_REQUIRE(there[i] >= there[i - 1]);
    }
    const double score = dice_number(dice, 0, 100);
    const double better = dice_number(dice, score, 100);
    FUZZ_REQUIRE(jl_wire_score(better, 10) >= jl_wire_score(score, 10));
    FUZZ_REQUIRE(jl_wire_score(score, 10) >= 0 && jl_wire_score(score, 10) <= 10);
    FUZZ_REQUIRE(jl_wire_score(score, 100) >= 0 && jl_wire_score(score, 100) <= 100);
}

static double cap_points(const struct joulie_place_config *config, const struct joulie_work *pod,
                         const struct jl_place_node *node)
{
    struct jl_place_request request = { 0 };
    const struct jl_place_row row = jl_row_of(node);
    jl_request_caps(config, pod, &request);
    return jl_row_sensitivity(&request, &row);
}

/* ---- watts and points of a pod grow with what it asks for ---- */

void rules_marginal(struct dice *dice)
{
    struct joulie_place_config config;
    const struct jl_place_node on = node(dice);
    struct joulie_work view = pod(dice);
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    const double watts = jl_place_marginal_w(&config, &view, &on);
    const double points = cap_points(&config, &view, &on);
    FUZZ_REQUIRE(watts >= 0 && isfinite(watts));
    FUZZ_REQUIRE(points >= 0 && points <= config.cap_points_max);
    struct jl_place_node freer = on;
    freer.cpu_pct = on.cpu_pct > 0 ? dice_number(dice, on.cpu_pct, 100) : 0;
    FUZZ_REQUIRE(cap_points(&config, &view, &freer) <= points + 1e-12);
    view.cpu_cores += dice_number(dice, 0, 100);
    view.memory_bytes += dice_number(dice, 0, 1e12);
    view.gpu_count += dice_number(dice, 0, 4);
    FUZZ_REQUIRE(jl_place_marginal_w(&config, &view, &on) >= watts - 1e-9);
}
