/* SPDX-License-Identifier: Apache-2.0 */

/* The inner loops of a scheduler: 5,000 scores, classifications. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/classify.h>
#include <joulie/place.h>

#include "base/arena.h"
#include "base/random.h"
#include "bench/bench.h"
#include "classify/classify.h"
#include "place/place.h"

#define NODES 5000
#define WORKS 4096
#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

/* The same nodes as columns, and what they are answered. */
struct columns {
    uint64_t has[NODES];
    int32_t class_[NODES];
    int32_t label[NODES];
    int64_t updated_ms[NODES];
    double headroom[NODES];
    double cooling[NODES];
    double capped_w[NODES];
    double measured_w[NODES];
    double trend_w_per_min[NODES];
    double cpu_pct[NODES];
    double gpu_pct[NODES];
    double cpu_cores[NODES];
    double cpu_max_w[NODES];
    int32_t reject[NODES];
    int32_t score[NODES];
    int32_t wire[NODES];
    double raw[NODES];
    double projected[NODES];
};

struct scores {
    struct joulie_place_config config;
    struct joulie_work pod;
    struct jl_place_node nodes[NODES];
    enum joulie_reject rejects[NODES];
    struct jl_place_score scores[NODES];
    struct columns columns;
    struct joulie_work work;
};

static void make_node(struct jl_random *random, struct jl_place_node *node)
{
    struct jl_twin_status status = { 0 };
    JL_SET(&status, schedulable_class,
           jl_random_unit(random) < 0.4 ? JOULIE_NODE_CLASS_PERFORMANCE : JOULIE_NODE_CLASS_ECO);
    JL_SET(&status, power_headroom_score, jl_random_range(random, 0, 100));
    JL_SET(&status, cooling_stress_score, jl_random_range(random, 0, 100));
    JL_SET(&status, last_updated, "2026-03-13T11:59:30Z");
    status.given.power = true;
    JL_SET(&status.power, node_capped_power_w, jl_random_range(random, 400, 6000));
    JL_SET(&status.power, measured_node_power_w, jl_random_range(random, 100, 5000));
    JL_SET(&status.power, power_trend_w_per_min, jl_random_range(random, -100, 100));
    status.given.effective_caps = true;
    JL_SET(&status.effective_caps, cpu_pct, jl_random_range(random, 50, 100));
    JL_SET(&status.effective_caps, gpu_pct, jl_random_range(random, 50, 100));

    struct jl_hardware hardware = { .is_known = true,
                                    .sockets = 2,
                                    .cpu_max_w = jl_random_range(random, 200, 500) };
    hardware.total_cores = (double)jl_random_int(random, 16, 384);
    *node = (struct jl_place_node){ 0 };
    jl_place_set_twin(node, &status);
    jl_place_set_label(node, "eco");
    jl_place_set_hardware(node, &hardware, JOULIE_PLACE_RULES_CURRENT);
}

/* Cheaper than what it sums up. */
static uint64_t mix_score(uint64_t sum, int score, double raw)
{
    uint64_t bits;
    memcpy(&bits, &raw, sizeof bits);
    return (sum ^ bits ^ (uint64_t)(unsigned)score << 48) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t score_ours(void *state)
{
    struct scores *scores = state;
    uint64_t sum = 0;
    jl_place_all(&scores->config, &scores->pod, scores->nodes, NODES, NOW_MS, 10, scores->rejects,
                 scores->scores, NULL);
    for (size_t i = 0; i < NODES; i++)
        sum = mix_score(sum, scores->scores[i].score, scores->scores[i].raw);
    return sum;
}

static void make_columns(const struct jl_place_node *nodes, struct columns *out)
{
    for (size_t i = 0; i < NODES; i++) {
        out->has[i] = nodes[i].has | JOULIE_PLACE_HAS_CPU_CORES | JOULIE_PLACE_HAS_CPU_MAX;
        out->class_[i] = (int32_t)nodes[i].class_;
        out->label[i] = (int32_t)nodes[i].label;
        out->updated_ms[i] = nodes[i].updated_ms;
        out->headroom[i] = nodes[i].headroom;
        out->cooling[i] = nodes[i].cooling;
        out->capped_w[i] = nodes[i].capped_w;
        out->measured_w[i] = nodes[i].measured_w;
        out->trend_w_per_min[i] = nodes[i].trend_w_per_min;
        out->cpu_pct[i] = nodes[i].cpu_pct;
        out->gpu_pct[i] = nodes[i].gpu_pct;
        out->cpu_cores[i] = nodes[i].cpu_cores;
        out->cpu_max_w[i] = nodes[i].cpu_max_w;
    }
}

static struct joulie_place_columns columns_of(const struct columns *at)
{
    struct joulie_place_columns columns = JOULIE_INIT(struct joulie_place_columns);
    columns.has = (struct joulie_column_bits){ at->has, 8 };
    columns.node_class = (struct joulie_column_int){ at->class_, 4 };
    columns.label = (struct joulie_column_int){ at->label, 4 };
    columns.updated_ms = (struct joulie_column_ms){ at->updated_ms, 8 };
    columns.headroom_score = (struct joulie_column){ at->headroom, 8 };
    columns.cooling_stress_score = (struct joulie_column){ at->cooling, 8 };
    columns.capped_w = (struct joulie_column){ at->capped_w, 8 };
    columns.measured_w = (struct joulie_column){ at->measured_w, 8 };
    columns.trend_w_per_min = (struct joulie_column){ at->trend_w_per_min, 8 };
    columns.cpu_cap_pct = (struct joulie_column){ at->cpu_pct, 8 };
    columns.gpu_cap_pct = (struct joulie_column){ at->gpu_pct, 8 };
    columns.cpu_cores = (struct joulie_column){ at->cpu_cores, 8 };
    columns.cpu_max_w = (struct joulie_column){ at->cpu_max_w, 8 };
    return columns;
}

/* Through the exported function: filter, score, wire number and raw score of every node. */
static uint64_t score_columns(void *state)
{
    struct scores *scores = state;
    struct columns *at = &scores->columns;
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    const struct joulie_place_columns columns = columns_of(at);
    uint64_t sum = 0;
    out.reject = (struct joulie_column_int_out){ at->reject, 4 };
    out.score = (struct joulie_column_int_out){ at->score, 4 };
    out.wire = (struct joulie_column_int_out){ at->wire, 4 };
    out.raw = (struct joulie_column_out){ at->raw, 8 };
    out.projected_headroom_score = (struct joulie_column_out){ at->projected, 8 };
    if (joulie_place_nodes(NULL, &scores->work, &columns, NODES, NOW_MS, &out, NULL, NULL) != 0)
        exit(1);
    for (size_t i = 0; i < NODES; i++)
        sum = mix_score(sum, at->score[i], at->raw[i]);
    return sum;
}

/* ---- classify ---- */

/* Half of the work has energies, a third an earlier result near a border, some a class. */
static void make_work(struct jl_random *random, struct joulie_classify_input *out)
{
    static const char *const classes[] = { NULL, NULL, "standard", "performance" };
    *out = JOULIE_INIT(struct joulie_classify_input);
    out->has = JOULIE_CLASSIFY_HAS_CPU_UTIL | JOULIE_CLASSIFY_HAS_GPU_UTIL |
               JOULIE_CLASSIFY_HAS_MEM_PRESSURE;
    out->cpu_util_pct = jl_random_range(random, 0, 100);
    out->gpu_util_pct = jl_random_unit(random) < 0.5 ? 0 : jl_random_range(random, 0, 100);
    out->mem_pressure_pct = jl_random_range(random, 0, 100);
    out->workload_class = classes[jl_random_int(random, 0, 3)];
    out->rules = JOULIE_CLASSIFY_RULES_CURRENT;
    if (jl_random_unit(random) < 0.5) {
        out->has |= JOULIE_CLASSIFY_HAS_CPU_ENERGY | JOULIE_CLASSIFY_HAS_DRAM_ENERGY;
        out->cpu_energy_j = jl_random_range(random, 100, 40000);
        out->dram_energy_j = jl_random_range(random, 10, 20000);
    }
    if (jl_random_unit(random) < 0.33) {
        out->has |= JOULIE_CLASSIFY_HAS_PREVIOUS;
        out->previous_confidence = 0.7;
        out->previous_cpu_intensity = (enum joulie_level)jl_random_int(random, 1, 3);
        out->previous_cpu_bound = JOULIE_BOUND_MIXED;
        out->previous_cpu_sensitivity = JOULIE_LEVEL_MEDIUM;
    }
}

static uint64_t mix_reason(uint64_t sum, const char *reason, size_t len, double confidence)
{
    uint64_t tail;
    uint64_t bits;
    memcpy(&tail, reason + len - sizeof tail, sizeof tail);
    memcpy(&bits, &confidence, sizeof bits);
    return (sum ^ tail ^ bits ^ len << 56) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t classify_ours(void *state)
{
    const struct joulie_classify_input *works = state;
    char reason[JOULIE_CLASSIFY_REASON_BYTES];
    uint64_t sum = 0;
    for (size_t i = 0; i < WORKS; i++) {
        struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
        out.reason = reason;
        out.reason_size = sizeof reason;
        if (joulie_classify(&works[i], &out, NULL) != 0)
            exit(1);
        sum = mix_reason(sum, reason, out.reason_len, out.confidence);
    }
    return sum;
}

/* The function behind the question: its texts go to an arena. */
static uint64_t classify_arena(void *state)
{
    const struct joulie_classify_input *works = state;
    struct jl_arena arena = { 0 };
    uint64_t sum = 0;
    for (size_t i = 0; i < WORKS; i++) {
        struct jl_classification out;
        if (jl_classify(&works[i], NULL, &arena, &out, NULL) != 0)
            exit(1);
        const char *reason = out.status.classification_reason;
        sum = mix_reason(sum, reason, strlen(reason), out.status.confidence);
        if (i % 256 == 255)
            jl_arena_clear(&arena);
    }
    return sum;
}

int bench_decisions(const struct bench_options *options)
{
    static struct joulie_classify_input works[WORKS];
    static struct scores scores;
    struct jl_random random = { .state = 2 };
    for (size_t i = 0; i < NODES; i++)
        make_node(&random, &scores.nodes[i]);
    for (size_t i = 0; i < WORKS; i++)
        make_work(&random, &works[i]);
    jl_place_config_init(&scores.config, JOULIE_PLACE_RULES_CURRENT);
    scores.pod = (struct joulie_work){ .workload_class = JOULIE_WORKLOAD_STANDARD,
                                       .cpu_cores = 4,
                                       .memory_bytes = 8e9,
                                       .cpu_sensitivity = JOULIE_LEVEL_HIGH };
    scores.work = JOULIE_INIT(struct joulie_work);
    scores.work.has = JOULIE_WORK_HAS_CPU | JOULIE_WORK_HAS_MEMORY;
    scores.work.cpu_cores = 4;
    scores.work.memory_bytes = 8e9;
    scores.work.workload_class = JOULIE_WORKLOAD_STANDARD;
    scores.work.cpu_sensitivity = JOULIE_LEVEL_HIGH;
    make_columns(scores.nodes, &scores.columns);

    const struct bench_figure figures[] = {
        { "score.5000", "ms", 1e6, 1, &scores, { "ours", score_ours }, { NULL, NULL } },
        { "score.columns.5000",
          "ms",
          1e6,
          1,
          &scores,
          { "ours", score_columns },
          { "structs", score_ours } },
        { "classify.reason",
          "ns",
          1,
          WORKS,
          works,
          { "ours", classify_ours },
          { "with an arena", classify_arena } },
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        failed |= bench_measure(&figures[i], options);
    return failed;
}
