/* SPDX-License-Identifier: Apache-2.0 */

/* The inner loops of a scheduler: one twin, 5,000 scores, a step over 5,000 measured nodes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/random.h"
#include "bench/bench.h"
#include "place/place.h"

#define TWINS 4096
#define TWIN_ROUNDS 16
#define NODES 5000
#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

struct twins {
    struct joulie_twin_input inputs[TWINS];
};

struct scores {
    struct jl_place_config config;
    struct jl_pod_view pod;
    struct jl_place_node nodes[NODES];
    enum jl_place_reject rejects[NODES];
    struct jl_place_score scores[NODES];
};

static struct joulie_twin_input make_input(struct jl_random *random)
{
    struct joulie_twin_input input = JOULIE_INIT(struct joulie_twin_input);
    input.has = JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_CORES | JOULIE_TWIN_HAS_CPU_MAX |
                JOULIE_TWIN_HAS_CPU_CAP_PCT | JOULIE_TWIN_HAS_NODE_POWER |
                JOULIE_TWIN_HAS_OUTSIDE_TEMP | JOULIE_TWIN_HAS_RACK_POWER;
    input.cpu_sockets = 2;
    input.cpu_cores = (double)jl_random_int(random, 16, 384);
    input.cpu_max_w = jl_random_range(random, 150, 500);
    input.cpu_cap_pct = jl_random_range(random, 40, 100);
    input.measured_node_power_w = jl_random_range(random, 50, 1000);
    input.outside_temp_c = jl_random_range(random, -5, 40);
    input.rack_total_power_w = jl_random_range(random, 1000, 50000);
    if (jl_random_unit(random) < 0.5) {
        input.has |=
            JOULIE_TWIN_HAS_GPU_COUNT | JOULIE_TWIN_HAS_GPU_MAX | JOULIE_TWIN_HAS_GPU_CAP_PCT;
        input.gpu_count = (double)jl_random_int(random, 1, 8);
        input.gpu_max_w = jl_random_range(random, 300, 750);
        input.gpu_cap_pct = input.cpu_cap_pct;
    }
    return input;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static uint64_t mix_twin(uint64_t sum, double headroom, double cooling, double psu)
{
    return bench_mix_number(bench_mix_number(bench_mix_number(sum, headroom), cooling), psu);
}

static uint64_t twin_ours(void *state)
{
    const struct twins *twins = state;
    uint64_t sum = 0;
    for (int round = 0; round < TWIN_ROUNDS; round++) {
        for (size_t i = 0; i < TWINS; i++) {
            struct joulie_twin_output output = JOULIE_INIT(struct joulie_twin_output);
            if (joulie_twin_predict(&twins->inputs[i], &output, NULL) != 0)
                exit(1);
            sum = mix_twin(sum, output.power_headroom_score, output.cooling_stress_score,
                           output.psu_stress_score);
        }
    }
    return sum;
}

/* The three formulas alone: no checks, no provenance, no unknowns (joulie-control.md §3.6 to §3.9).
 */
static uint64_t twin_formulas(void *state)
{
    const struct twins *twins = state;
    uint64_t sum = 0;
    for (int round = 0; round < TWIN_ROUNDS; round++) {
        for (size_t i = 0; i < TWINS; i++) {
            const struct joulie_twin_input *in = &twins->inputs[i];
            const double cpu_tdp_w = in->cpu_max_w * in->cpu_sockets;
            const double gpu_tdp_w = in->gpu_max_w * in->gpu_count;
            const double capped_w =
                cpu_tdp_w * in->cpu_cap_pct / 100 + gpu_tdp_w * in->gpu_cap_pct / 100;
            const double headroom = (capped_w - in->measured_node_power_w) / capped_w * 100;
            double efficiency = 1 - (in->outside_temp_c - 20) * 0.02;
            efficiency = efficiency < 0.5 ? 0.5 : efficiency;
            const double load = in->measured_node_power_w / (cpu_tdp_w + gpu_tdp_w);
            const double cooling = clamp(load * (1 / efficiency) * 100, 0, 100);
            const double psu = clamp(in->rack_total_power_w / 50000 * 100, 0, 100);
            sum = mix_twin(sum, headroom > 100 ? 100 : headroom, cooling, psu);
        }
    }
    return sum;
}

static void make_node(struct jl_random *random, struct jl_place_node *node)
{
    struct jl_twin_status status = { 0 };
    JL_PUT(&status, JL_TWIN_STATUS_CLASS, schedulable_class,
           jl_random_unit(random) < 0.4 ? JL_CLASS_PERFORMANCE : JL_CLASS_ECO);
    JL_PUT(&status, JL_TWIN_STATUS_HEADROOM, power_headroom_score, jl_random_range(random, 0, 100));
    JL_PUT(&status, JL_TWIN_STATUS_COOLING, cooling_stress_score, jl_random_range(random, 0, 100));
    JL_PUT(&status, JL_TWIN_STATUS_LAST_UPDATED, last_updated, "2026-03-13T11:59:30Z");
    JL_MARK(&status, JL_TWIN_STATUS_POWER);
    JL_PUT(&status.power, JL_POWER_NODE_CAPPED, node_capped_power_w,
           jl_random_range(random, 400, 6000));
    JL_PUT(&status.power, JL_POWER_MEASURED, measured_node_power_w,
           jl_random_range(random, 100, 5000));
    JL_PUT(&status.power, JL_POWER_TREND, power_trend_w_per_min,
           jl_random_range(random, -100, 100));
    JL_MARK(&status, JL_TWIN_STATUS_EFFECTIVE_CAPS);
    JL_PUT(&status.effective_caps, JL_EFFECTIVE_CPU_PCT, cpu_pct, jl_random_range(random, 50, 100));
    JL_PUT(&status.effective_caps, JL_EFFECTIVE_GPU_PCT, gpu_pct, jl_random_range(random, 50, 100));

    struct jl_hardware hardware = { .is_known = true,
                                    .sockets = 2,
                                    .cpu_max_w = jl_random_range(random, 200, 500) };
    hardware.total_cores = (double)jl_random_int(random, 16, 384);
    *node = (struct jl_place_node){ 0 };
    jl_place_set_twin(node, &status);
    jl_place_set_label(node, "eco");
    jl_place_set_hardware(node, &hardware, JL_PLACE_CURRENT);
}

static uint64_t score_ours(void *state)
{
    struct scores *scores = state;
    uint64_t sum = 0;
    jl_place_all(&scores->config, &scores->pod, scores->nodes, NODES, NOW_MS, scores->rejects,
                 scores->scores);
    for (size_t i = 0; i < NODES; i++)
        sum = bench_mix_number(sum, scores->scores[i].score);
    return sum;
}

int bench_decisions(const struct bench_options *options)
{
    static struct twins twins;
    static struct scores scores;
    struct jl_random random = { .state = 2 };
    for (size_t i = 0; i < TWINS; i++)
        twins.inputs[i] = make_input(&random);
    for (size_t i = 0; i < NODES; i++)
        make_node(&random, &scores.nodes[i]);
    jl_place_config_init(&scores.config, JL_PLACE_CURRENT);
    scores.pod = (struct jl_pod_view){ .class_ = JL_POD_STANDARD,
                                       .demand = { .cpu_cores = 4, .memory_bytes = 8e9 },
                                       .cpu_sensitivity = JL_LEVEL_HIGH };

    const struct bench_figure figures[] = {
        { "twin.scalar",
          "ns",
          1,
          (size_t)TWINS * TWIN_ROUNDS,
          &twins,
          { "ours", twin_ours },
          { "the formulas alone", twin_formulas } },
        { "score.5000", "ms", 1e6, 1, &scores, { "ours", score_ours }, { NULL, NULL } },
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        failed |= bench_measure(&figures[i], options);
    return failed;
}
