/* SPDX-License-Identifier: Apache-2.0 */
#include "place/place_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of struct joulie_place_columns from headroom_score on. */
static const struct {
    size_t offset;
    uint64_t bit;
} members[NUMBER_COLUMNS] = {

#define MEMBER(name, bit)                                            \
    {                                                                \
        offsetof(struct jl_place_node, name), JOULIE_PLACE_HAS_##bit \
    }
    MEMBER(headroom, HEADROOM),
    MEMBER(cooling, COOLING),
    MEMBER(psu, PSU),
    MEMBER(capped_w, CAPPED),
    MEMBER(measured_w, MEASURED),
    MEMBER(trend_w_per_min, TREND),
    MEMBER(cpu_pct, CPU_CAP_PCT),
    MEMBER(gpu_pct, GPU_CAP_PCT),
    MEMBER(pue, PUE),
    MEMBER(cpu_cores, CPU_CORES),
    MEMBER(cpu_max_w, CPU_MAX),
    MEMBER(gpu_count, GPU_COUNT),
    MEMBER(gpu_max_w, GPU_MAX),
    MEMBER(cpu_idle_w, CPU_IDLE),
    MEMBER(cpu_slope_w, CPU_SLOPE),
    MEMBER(cpu_step_w, CPU_STEP),
    MEMBER(cpu_speed, CPU_SPEED),
    MEMBER(gpu_idle_w, GPU_IDLE),
    MEMBER(gpu_speed, GPU_SPEED),
    MEMBER(allocatable_cores, ALLOCATABLE_CORES),
    MEMBER(requested_cores, REQUESTED_CORES),
    MEMBER(requested_gpus, REQUESTED_GPUS),
    MEMBER(work_count, WORK_COUNT),
};

enum { FIRST_HARDWARE = 9, FIRST_ENERGY = 13, FIRST_LOAD = 19 };

static double number_of(const struct jl_place_node *node, size_t member)
{
    double value;
    memcpy(&value, (const char *)node + members[member].offset, sizeof value);
    return value;
}

uint64_t number_bit(size_t member)
{
    return members[member].bit;
}

void table_fill(struct table *table)
{
    static const double rubbish[] = { NAN, INFINITY, -INFINITY, 1e300, -7 };
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_place_node *node = &table->nodes[i];
        table->class_[i] = (int32_t)node->class_;
        table->label[i] = (int32_t)node->label;
        table->has[i] = node->has;
        if (node->has_gpu)
            table->has[i] |= JOULIE_PLACE_HAS_GPU;
        for (size_t m = 0; m < NUMBER_COLUMNS; m++) {
            const double value = number_of(node, m);
            /* in the struct 0 is unknown hardware */
            if (m >= FIRST_HARDWARE && m < FIRST_ENERGY && value > 0)
                table->has[i] |= members[m].bit;
            const bool is_known = (table->has[i] & members[m].bit) != 0;
            table->numbers[m][i] = is_known ? value : rubbish[(i + m) % 5];
        }
        table->updated_ms[i] =
            (node->has & JOULIE_PLACE_HAS_UPDATED) ? node->updated_ms : INT64_MIN;
    }
}

struct joulie_place_columns table_columns(const struct table *table)
{
    struct joulie_place_columns columns = JOULIE_INIT(struct joulie_place_columns);
    struct joulie_column numbers[NUMBER_COLUMNS];
    columns.has = (struct joulie_column_bits){ table->has, 8 };
    columns.node_class = (struct joulie_column_int){ table->class_, 4 };
    columns.label = (struct joulie_column_int){ table->label, 4 };
    columns.updated_ms = (struct joulie_column_ms){ table->updated_ms, 8 };
    for (size_t m = 0; m < NUMBER_COLUMNS; m++)
        numbers[m] = (struct joulie_column){ table->numbers[m], 8 };
    memcpy(&columns.headroom_score, numbers, sizeof numbers);
    return columns;
}

struct joulie_place_columns table_strided(const struct table *table)
{
    const struct jl_place_node *nodes = table->nodes;
    const int64_t stride = sizeof *nodes;
    struct joulie_place_columns columns = table_columns(table);
    struct joulie_column numbers[NUMBER_COLUMNS];
    columns.node_class =
        (struct joulie_column_int){ (const int32_t *)(const void *)&nodes->class_, stride };
    columns.label =
        (struct joulie_column_int){ (const int32_t *)(const void *)&nodes->label, stride };
    columns.updated_ms = (struct joulie_column_ms){ &nodes->updated_ms, stride };
    for (size_t m = 0; m < NUMBER_COLUMNS; m++)
        numbers[m] = (struct joulie_column){
            (const double *)(const void *)((const char *)nodes + members[m].offset), stride
        };
    memcpy(&columns.headroom_score, numbers, sizeof numbers);
    return columns;
}

struct joulie_place_columns_out answer_columns(struct answers *answers)
{
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_column_out numbers[ANSWER_NUMBERS];
    out.code = (struct joulie_column_int_out){ answers->code, 4 };
    out.reject = (struct joulie_column_int_out){ answers->reject, 4 };
    out.basis = (struct joulie_column_int_out){ answers->basis, 4 };
    out.score = (struct joulie_column_int_out){ answers->score, 4 };
    out.wire = (struct joulie_column_int_out){ answers->wire, 4 };
    for (size_t m = 0; m < ANSWER_NUMBERS; m++)
        numbers[m] = (struct joulie_column_out){ answers->numbers[m], 8 };
    memcpy(&out.raw, numbers, sizeof numbers);
    return out;
}

struct joulie_work work_of(const struct joulie_work *pod)
{
    struct joulie_work work = *pod;
    work.struct_size = sizeof work;
    work.has |= JOULIE_WORK_HAS_CPU | JOULIE_WORK_HAS_MEMORY | JOULIE_WORK_HAS_GPU;
    return work;
}

struct joulie_place_config public_config(const struct joulie_place_config *config)
{
    struct joulie_place_config out = JOULIE_INIT(struct joulie_place_config);
    assert_int_equal(joulie_place_config_init(&out, (enum joulie_place_rules)config->rules), 0);
    out.fail_policy = config->fail_policy;
    out.is_marginal_scoring = config->is_marginal_scoring;
    out.spread = config->spread;
    out.max_projected_pct = config->max_projected_pct;
    out.headroom_weight = config->headroom_weight;
    out.time_w_per_core = config->time_w_per_core;
    out.idle_weight = config->idle_weight;
    out.psu_weight = config->psu_weight;
    out.has = config->has;
    out.heartbeat_ms = config->heartbeat_ms;
    return out;
}

void expect(const struct joulie_place_config *config, const struct joulie_work *pod,
            const struct table *table, int range, struct answers *out)
{
    struct jl_place_score *scores = calloc(table->count + 1, sizeof *scores);
    enum joulie_reject *rejects = calloc(table->count + 1, sizeof *rejects);
    int *wires = calloc(table->count + 1, sizeof *wires);
    memset(out, 0, sizeof *out);
    jl_place_all(config, pod, table->nodes, table->count, NOW_MS, range, rejects, scores, wires);
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_place_terms *terms = &scores[i].terms;
        const struct jl_place_cost *cost = &scores[i].cost;
        const double numbers[ANSWER_NUMBERS] = {
            scores[i].raw,
            scores[i].projected_headroom,
            scores[i].marginal_w,
            terms->headroom,
            terms->cooling,
            terms->trend,
            terms->profile_bonus,
            terms->pressure,
            terms->sensitivity,
            terms->psu,
            terms->marginal_penalty,
            terms->idle_gpu,
            cost->slope_w,
            cost->step_w,
            cost->idle_w,
            cost->gpu_w,
            cost->time_w,
            cost->speed,
            cost->packing_w,
            cost->total_w,
        };
        out->reject[i] = (int32_t)rejects[i];
        out->basis[i] = (int32_t)scores[i].basis;
        out->score[i] = scores[i].score;
        out->wire[i] = wires[i];
        for (size_t m = 0; m < ANSWER_NUMBERS; m++)
            out->numbers[m][i] = numbers[m];
    }
    free(scores);
    free(rejects);
    free(wires);
}

void assert_same_answers(const struct answers *a, const struct answers *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a->code[i], b->code[i]);
        assert_int_equal(a->reject[i], b->reject[i]);
        assert_int_equal(a->basis[i], b->basis[i]);
        assert_int_equal(a->score[i], b->score[i]);
        assert_int_equal(a->wire[i], b->wire[i]);
        for (size_t m = 0; m < ANSWER_NUMBERS; m++) {
            if (memcmp(&a->numbers[m][i], &b->numbers[m][i], sizeof(double)) != 0)
                fail_msg("row %zu, number %zu: %a is not %a", i, m, a->numbers[m][i],
                         b->numbers[m][i]);
        }
    }
}

/* A number of an order of magnitude that machines report, at times a whole or a border one. */
static double random_number(struct jl_random *random, double low, double high)
{
    const double value = jl_random_range(random, low, high);
    switch (jl_random_int(random, 0, 9)) {
    case 0:
        return 0;
    case 1:
        return floor(value);
    case 2:
        return value * 1e9;
    default:
        return value;
    }
}

struct jl_place_node random_node(struct jl_random *random)
{
    static const double spans[NUMBER_COLUMNS][2] = {
        { -200, 100 }, { 0, 100 },  { 0, 100 }, { 1, 5000 },  { 0, 6000 }, { -500, 500 },
        { 0, 120 },    { 0, 120 },  { 0.5, 2 }, { 1, 400 },   { 1, 900 },  { 1, 8 },
        { 100, 800 },  { 50, 300 }, { 0, 10 },  { -50, 150 }, { 0.1, 3 },  { 10, 150 },
        { 0.1, 2 },    { 1, 400 },  { 0, 500 }, { 0, 9 },     { 0, 3 }
    };
    struct jl_place_node node = { 0 };
    if (jl_random_unit(random) < 0.9)
        JL_MARK(&node, JL_PLACE_TWIN);
    if (jl_random_unit(random) < 0.9)
        JL_MARK(&node, JL_PLACE_HARDWARE);
    for (size_t m = 0; m < NUMBER_COLUMNS; m++) {
        const double value = random_number(random, spans[m][0], spans[m][1]);
        const bool is_twin = m < FIRST_HARDWARE;
        const unsigned owner = is_twin ? JL_PLACE_TWIN : JL_PLACE_HARDWARE;
        if ((m < FIRST_LOAD && !JL_HAS(&node, owner)) || jl_random_unit(random) < 0.2)
            continue;
        if (members[m].bit == JOULIE_PLACE_HAS_CAPPED && value < 1e-3)
            continue;
        memcpy((char *)&node + members[m].offset, &value, sizeof value);
        node.has |= is_twin || m >= FIRST_ENERGY ? members[m].bit : 0;
    }
    if (JL_HAS(&node, JL_PLACE_TWIN) && jl_random_unit(random) < 0.9)
        JL_PUT(&node, JL_PLACE_UPDATED, updated_ms,
               NOW_MS - jl_random_int(random, -60000, 2400000));
    if (JL_HAS(&node, JL_PLACE_TWIN) && jl_random_unit(random) < 0.9)
        JL_PUT(&node, JL_PLACE_CLASS, class_, (enum joulie_node_class)jl_random_int(random, 1, 4));
    node.label = (enum joulie_node_label)jl_random_int(random, 0, 2);
    node.has_gpu =
        node.gpu_count > 0 || (JL_HAS(&node, JL_PLACE_HARDWARE) && jl_random_unit(random) < 0.2);
    return node;
}

/* One statement a draw: C leaves the order open in which an initializer evaluates its members. */
struct joulie_work random_pod(struct jl_random *random)
{
    struct joulie_work pod = { 0 };
    pod.workload_class = (enum joulie_workload_class)jl_random_int(random, 1, 3);
    pod.cpu_cores = jl_random_range(random, 0.1, 100);
    pod.memory_bytes = jl_random_range(random, 0, 1e12);
    pod.gpu_count = (double)jl_random_int(random, 0, 3);
    pod.gpu_vendor = (enum joulie_gpu_vendor)jl_random_int(random, 0, 3);
    pod.cpu_sensitivity = (enum joulie_level)jl_random_int(random, 0, 4);
    pod.gpu_sensitivity = (enum joulie_level)jl_random_int(random, 0, 4);
    pod.gpu_bound = (enum joulie_bound)jl_random_int(random, 0, 5);
    pod.has = jl_random_int(random, 0, 1) != 0 ? JOULIE_WORK_HAS_GPU_UTIL : 0;
    pod.gpu_util = jl_random_unit(random);
    return pod;
}

bool simd_is_there(enum jl_simd simd)
{
    return simd <= jl_simd_best();
}
