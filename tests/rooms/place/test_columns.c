/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "place/columns.h"
#include "place/place_tests.h"

/* joulie_place_nodes(): the same bits as the functions over structs, with every kind of vectors and
 * any shape of columns; bad rows stay their own. */

#define LONGEST_MS INT64_C(100000000000000) /* of a setting */

static struct table table;
static struct answers actual;
static struct answers wanted;

static void place(enum jl_simd simd, const struct joulie_place_config *config,
                  const struct joulie_work *pod, const struct joulie_place_columns *columns)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct joulie_place_config settings = public_config(config);
    const struct joulie_work work = work_of(pod);
    const struct joulie_place_columns_out out = answer_columns(&actual);
    size_t failed = 77;
    memset(&actual, 0x5A, sizeof actual);
    if (jl_place_nodes(simd, &settings, &work, columns, table.count, NOW_MS, &out, &failed, &err) !=
        0)
        fail_msg("%s: %s", err.where, err.message);
    for (size_t i = 0; i < table.count; i++)
        failed -= actual.code[i] != JOULIE_OK;
    assert_int_equal(failed, 0);
}

static void every_kind_of_vectors_gives_the_bits_of_the_structs(void **state)
{
    (void)state;
    struct jl_random random = { .state = 7 };
    for (int round = 0; round < 600; round++) {
        struct joulie_place_config config;
        jl_place_config_init(&config, (enum joulie_place_rules)(round % 4 + 1));
        config.fail_policy = (enum joulie_fail_policy)jl_random_int(&random, 1, 3);
        config.is_marginal_scoring = round % 2 == 0;
        config.max_projected_pct = round % 5 == 0 ? jl_random_range(&random, 50, 150) : 0;
        config.time_w_per_core = (double)(round % 7);
        config.idle_weight = round % 9 == 0 ? 0.5 : 0;
        config.psu_weight = round % 5 == 0 ? 0 : 0.05 * (round % 5);
        config.has = round % 4 == 0 ? JOULIE_PLACE_CONFIG_HAS_HEARTBEAT : 0;
        config.heartbeat_ms = NOW_MS - 1000;
        const struct joulie_work pod = random_pod(&random);
        table.count = (size_t)jl_random_int(&random, 0, round % 10 == 0 ? MOST_ROWS : 40);
        for (size_t i = 0; i < table.count; i++)
            table.nodes[i] = random_node(&random);
        table_fill(&table);
        expect(&config, &pod, &table, 10, &wanted);
        const struct joulie_place_columns arrays = table_columns(&table);
        const struct joulie_place_columns strided = table_strided(&table);
        for (enum jl_simd simd = JL_SIMD_NONE; simd < JL_SIMD_COUNT; simd++) {
            if (!simd_is_there(simd))
                continue;
            place(simd, &config, &pod, &arrays);
            assert_same_answers(&actual, &wanted, table.count);
            place(simd, &config, &pod, &strided);
            assert_same_answers(&actual, &wanted, table.count);
        }
    }
}

/* Anything at all in the columns: no two kinds of vectors differ, and no answer leaves its range.
 */
static void any_bits_in_columns_give_the_same_answers_with_every_kind_of_vectors(void **state)
{
    (void)state;
    struct jl_random random = { .state = 8 };
    for (int round = 0; round < 400; round++) {
        struct joulie_place_config config;
        jl_place_config_init(&config, (enum joulie_place_rules)(round % 4 + 1));
        config.spread = round % 7 == 0 ? JOULIE_SPREAD_RANK : JOULIE_SPREAD_NONE;
        const struct joulie_work pod = random_pod(&random);
        table.count = (size_t)jl_random_int(&random, 0, 300);
        for (size_t i = 0; i < table.count; i++)
            table.nodes[i] = random_node(&random);
        table_fill(&table);
        for (size_t i = 0; i < table.count; i++) {
            const uint64_t bits = jl_random_next(&random);
            if (round % 2 == 0)
                table.has[i] = bits & ((UINT64_C(1) << 29) - 1);
            memcpy(&table.numbers[bits >> 20 & 7][i], &bits, sizeof bits);
            if ((bits & 255) == 0)
                table.class_[i] = (int32_t)(bits >> 8);
            if ((bits >> 30 & 255) == 0)
                table.label[i] = (int32_t)(bits >> 8);
        }
        const struct joulie_place_columns columns = table_columns(&table);
        place(JL_SIMD_NONE, &config, &pod, &columns);
        wanted = actual;
        for (size_t i = 0; i < table.count; i++) {
            assert_true(actual.score[i] >= 0 && actual.score[i] <= 100);
            assert_true(actual.wire[i] >= 0 && actual.wire[i] <= 10);
            for (size_t m = 0; m < ANSWER_NUMBERS; m++)
                assert_true(isfinite(actual.numbers[m][i]));
        }
        for (enum jl_simd simd = JL_SIMD_AVX2; simd < JL_SIMD_COUNT; simd++) {
            if (!simd_is_there(simd))
                continue;
            place(simd, &config, &pod, &columns);
            assert_same_answers(&actual, &wanted, table.count);
        }
    }
}

static void fill_random(uint64_t seed, size_t count)
{
    struct jl_random random = { .state = seed };
    table.count = count;
    for (size_t i = 0; i < count; i++)
        table.nodes[i] = random_node(&random);
    table_fill(&table);
}

static const struct joulie_work standard_pod = { .workload_class = JOULIE_WORKLOAD_STANDARD,
                                                 .cpu_cores = 4,
                                                 .cpu_sensitivity = JOULIE_LEVEL_HIGH };

static struct joulie_place_config current(void)
{
    struct joulie_place_config config;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    return config;
}

static void a_column_of_one_value_counts_for_every_row(void **state)
{
    (void)state;
    const struct joulie_place_config config = current();
    fill_random(3, 300);
    for (size_t i = 0; i < table.count; i++) {
        table.nodes[i].trend_w_per_min = 30;
        table.nodes[i].has |= JOULIE_PLACE_HAS_TREND;
        if (JL_HAS(&table.nodes[i], JL_PLACE_TWIN) == 0)
            table.nodes[i].has |= JOULIE_PLACE_HAS_TWIN;
    }
    table_fill(&table);
    expect(&config, &standard_pod, &table, 10, &wanted);
    struct joulie_place_columns columns = table_columns(&table);
    const double trend = 30;
    columns.trend_w_per_min = (struct joulie_column){ &trend, 0 };
    place(jl_simd_best(), &config, &standard_pod, &columns);
    assert_same_answers(&actual, &wanted, table.count);
}

static void a_column_that_is_not_given_is_unknown_in_every_row(void **state)
{
    (void)state;
    const struct joulie_place_config config = current();
    fill_random(4, 300);
    for (size_t i = 0; i < table.count; i++) {
        table.nodes[i].has &= ~(JOULIE_PLACE_HAS_MEASURED | JOULIE_PLACE_HAS_COOLING);
        table.nodes[i].measured_w = 0;
        table.nodes[i].cooling = 0;
    }
    expect(&config, &standard_pod, &table, 10, &wanted);
    struct joulie_place_columns columns = table_columns(&table);
    columns.measured_w.at = NULL;
    columns.cooling_stress_score.at = NULL;
    place(jl_simd_best(), &config, &standard_pod, &columns);
    assert_same_answers(&actual, &wanted, table.count);
}

/* Every number of every node is known. */
static void fill_known(void)
{
    struct jl_random random = { .state = 5 };
    table.count = 257;
    for (size_t i = 0; i < table.count; i++) {
        struct jl_place_node *node = &table.nodes[i];
        *node = (struct jl_place_node){ .has = 0xFFC0FFF | JOULIE_PLACE_HAS_HARDWARE };
        node->class_ = (enum joulie_node_class)jl_random_int(&random, 1, 3);
        node->label = JOULIE_NODE_LABEL_OTHER;
        node->updated_ms = NOW_MS - jl_random_int(&random, 0, 600000);
        node->headroom = jl_random_range(&random, -50, 100);
        node->cooling = jl_random_range(&random, 0, 100);
        node->psu = jl_random_range(&random, 0, 100);
        node->capped_w = jl_random_range(&random, 100, 3000);
        node->measured_w = jl_random_range(&random, 0, 3000);
        node->trend_w_per_min = jl_random_range(&random, -60, 60);
        node->cpu_pct = 60;
        node->gpu_pct = 100;
        node->pue = 1.2;
        node->cpu_cores = 96;
        node->cpu_max_w = 720;
        node->gpu_count = 2;
        node->gpu_max_w = 300;
        node->has_gpu = true;
    }
}

/* Without a column of masks what is given is known. */
static void without_masks_every_given_column_is_known(void **state)
{
    (void)state;
    const struct joulie_place_config config = current();
    fill_known();
    table_fill(&table);
    expect(&config, &standard_pod, &table, 10, &wanted);
    struct joulie_place_columns columns = table_columns(&table);
    columns.has.at = NULL;
    place(jl_simd_best(), &config, &standard_pod, &columns);
    assert_same_answers(&actual, &wanted, table.count);
}

/* Below a milliwatt nothing is known of caps, and a node with 0 GPUs has none. */
static void without_masks_a_number_may_say_that_there_is_nothing(void **state)
{
    (void)state;
    static double capped_w[257];
    static double gpu_count[257];
    const struct joulie_place_config config = current();
    struct joulie_work pod = standard_pod;
    pod.gpu_count = 1;
    pod.gpu_sensitivity = JOULIE_LEVEL_HIGH;
    fill_known();
    for (size_t i = 0; i < table.count; i++) {
        struct jl_place_node *node = &table.nodes[i];
        node->gpu_pct = 50;
        node->has_gpu = i % 2 == 0;
        gpu_count[i] = node->gpu_count = node->has_gpu ? 2 : 0;
        if (!node->has_gpu)
            node->has &= ~JOULIE_PLACE_HAS_GPU;
        capped_w[i] = i % 3 == 0 ? 0.001 : i % 3 == 1 ? 0.00099 : node->capped_w;
        node->capped_w = i % 3 == 1 ? 0 : capped_w[i];
        if (i % 3 == 1)
            node->has &= ~JOULIE_PLACE_HAS_CAPPED;
    }
    table_fill(&table);
    expect(&config, &pod, &table, 10, &wanted);
    struct joulie_place_columns columns = table_columns(&table);
    columns.has.at = NULL;
    columns.capped_w = (struct joulie_column){ capped_w, sizeof *capped_w };
    columns.gpu_count = (struct joulie_column){ gpu_count, sizeof *gpu_count };
    place(jl_simd_best(), &config, &pod, &columns);
    assert_same_answers(&actual, &wanted, table.count);
}

static void an_answer_may_take_the_place_of_its_input(void **state)
{
    (void)state;
    const struct joulie_place_config config = current();
    const struct joulie_work work = work_of(&standard_pod);
    fill_random(6, 600);
    expect(&config, &standard_pod, &table, 10, &wanted);
    const struct joulie_place_columns columns = table_columns(&table);
    struct joulie_place_columns_out out = answer_columns(&actual);
    out.raw.at = table.numbers[0];
    out.score.at = table.class_;
    assert_int_equal(
        joulie_place_nodes(NULL, &work, &columns, table.count, NOW_MS, &out, NULL, NULL), 0);
    for (size_t i = 0; i < table.count; i++) {
        assert_memory_equal(&table.numbers[0][i], &wanted.numbers[0][i], sizeof(double));
        assert_int_equal(table.class_[i], wanted.score[i]);
    }
}

/* With nothing else of a row touched. */
static void answers_may_stand_between_other_members(void **state)
{
    (void)state;

    static struct row {
        double before;
        double raw;
        int32_t score;
        int32_t behind;
    } rows[300];
    const struct joulie_place_config config = current();
    const struct joulie_work work = work_of(&standard_pod);
    fill_random(6, JL_COUNT(rows));
    expect(&config, &standard_pod, &table, 10, &wanted);
    memset(rows, 0x5A, sizeof rows);
    const struct row untouched = rows[0];
    const struct joulie_place_columns columns = table_columns(&table);
    struct joulie_place_columns_out out = answer_columns(&actual);
    out.raw = (struct joulie_column_out){ &rows[0].raw, sizeof *rows };
    out.score = (struct joulie_column_int_out){ &rows[0].score, sizeof *rows };
    assert_int_equal(
        joulie_place_nodes(NULL, &work, &columns, table.count, NOW_MS, &out, NULL, NULL), 0);
    for (size_t i = 0; i < table.count; i++) {
        assert_memory_equal(&rows[i].raw, &wanted.numbers[0][i], sizeof(double));
        assert_int_equal(rows[i].score, wanted.score[i]);
        assert_memory_equal(&rows[i].before, &untouched.before, sizeof(double));
        assert_int_equal(rows[i].behind, untouched.behind);
    }
}

/* Sums of dyadic numbers have no rounding, so that the order of rows changes nothing at all. */
static void the_order_of_rows_does_not_change_their_answers(void **state)
{
    (void)state;

    static struct answers straight;
    static struct jl_place_node original[300];
    struct jl_random random = { .state = 9 };
    struct joulie_place_config config = current();
    size_t order[300];
    config.spread = JOULIE_SPREAD_RANK;
    fill_random(10, 300);
    for (size_t i = 0; i < table.count; i++) {
        struct jl_place_node *node = &table.nodes[i];
        node->headroom = floor(node->headroom / 1e9);
        node->capped_w = JL_HAS(node, JL_PLACE_CAPPED) ? 64 + (double)(i % 512) : 0;
        node->trend_w_per_min = floor(jl_random_range(&random, -100, 100));
        node->psu = floor(jl_random_range(&random, 0, 100));
        original[i] = *node;
        order[i] = i;
    }
    table_fill(&table);
    struct joulie_place_columns columns = table_columns(&table);
    place(jl_simd_best(), &config, &standard_pod, &columns);
    straight = actual;
    for (size_t i = table.count - 1; i > 0; i--) {
        const size_t other = (size_t)jl_random_int(&random, 0, (int64_t)i);
        const size_t swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
    for (size_t i = 0; i < table.count; i++)
        table.nodes[i] = original[order[i]];
    table_fill(&table);
    place(jl_simd_best(), &config, &standard_pod, &columns);
    for (size_t i = 0; i < table.count; i++) {
        assert_int_equal(actual.score[i], straight.score[order[i]]);
        assert_int_equal(actual.wire[i], straight.wire[order[i]]);
        assert_int_equal(actual.reject[i], straight.reject[order[i]]);
        for (size_t m = 0; m < ANSWER_NUMBERS; m++)
            assert_memory_equal(&actual.numbers[m][i], &straight.numbers[m][order[i]],
                                sizeof(double));
    }
}

/* ---- bad rows ---- */

static void assert_only_row_17_is_bad(int code)
{
    const struct joulie_place_config config = current();
    const struct joulie_place_columns columns = table_columns(&table);
    place(jl_simd_best(), &config, &standard_pod, &columns);
    for (size_t i = 0; i < table.count; i++)
        assert_int_equal(actual.code[i], i == 17 ? code : JOULIE_OK);
    assert_int_equal(actual.basis[17], JOULIE_BASIS_MISSING);
    assert_near(actual.numbers[0][17], 0, 0);
    /* as if nothing were known of it */
    struct jl_place_node kept = table.nodes[17];
    table.nodes[17] = (struct jl_place_node){ .label = kept.label };
    expect(&config, &standard_pod, &table, 10, &wanted);
    table.nodes[17] = kept;
    wanted.code[17] = code;
    assert_same_answers(&actual, &wanted, table.count);
    table_fill(&table);
}

static void a_bad_number_is_the_matter_of_its_row(void **state)
{
    (void)state;

    static const double bad[] = { NAN, INFINITY, -INFINITY, 1.1e15, -1.1e15 };
    fill_random(11, 200);
    for (size_t m = 0; m < NUMBER_COLUMNS; m++) {
        for (size_t i = 0; i < 5; i++) {
            table.has[17] |= number_bit(m);
            table.numbers[m][17] = bad[i];
            assert_only_row_17_is_bad(JOULIE_E_RANGE);
        }
    }
    for (size_t m = 9; m < NUMBER_COLUMNS; m++) { /* below 0, which only a step may be */
        if (number_bit(m) == JOULIE_PLACE_HAS_CPU_STEP)
            continue;
        table.has[17] |= number_bit(m);
        table.numbers[m][17] = -1;
        assert_only_row_17_is_bad(JOULIE_E_RANGE);
    }
}

static void a_bad_choice_time_or_bit_is_the_matter_of_its_row(void **state)
{
    (void)state;
    fill_random(12, 200);
    table.nodes[17].label = JOULIE_NODE_LABEL_UNKNOWN;
    table_fill(&table);
    table.class_[17] = 5;
    table.has[17] |= JOULIE_PLACE_HAS_CLASS;
    assert_only_row_17_is_bad(JOULIE_E_ENUM);
    table.label[17] = -1;
    assert_only_row_17_is_bad(JOULIE_E_ENUM);
    table.has[17] |= JOULIE_PLACE_HAS_UPDATED;
    table.updated_ms[17] = INT64_MAX;
    assert_only_row_17_is_bad(JOULIE_E_RANGE);
    table.has[17] |= UINT64_C(1) << 63;
    assert_only_row_17_is_bad(JOULIE_E_ABI);
}

/* From the year 0 to 9999. */
static void a_time_of_a_row_is_one_that_a_calendar_shows(void **state)
{
    static const struct {
        int64_t updated_ms;
        int code;
    } rows[] = {
        { INT64_C(-62167219200000), JOULIE_OK },
        { INT64_C(-62167219200001), JOULIE_E_RANGE },
        { INT64_C(253402300799999), JOULIE_OK },
        { INT64_C(253402300800000), JOULIE_E_RANGE },
    };

    const struct joulie_place_config config = current();
    (void)state;
    fill_random(12, 200);
    table.has[17] |= JOULIE_PLACE_HAS_UPDATED;
    const struct joulie_place_columns columns = table_columns(&table);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        table.updated_ms[17] = rows[i].updated_ms;
        place(jl_simd_best(), &config, &standard_pod, &columns);
        assert_int_equal(actual.code[17], rows[i].code);
    }
}

/* ---- settings ---- */

static struct jl_place_node powered(double capped_w, double measured_w)
{
    struct jl_place_node node = { 0 };
    JL_MARK(&node, JL_PLACE_TWIN);
    JL_PUT(&node, JL_PLACE_UPDATED, updated_ms, NOW_MS);
    JL_PUT(&node, JL_PLACE_CLASS, class_, JOULIE_NODE_CLASS_ECO);
    JL_PUT(&node, JL_PLACE_CAPPED, capped_w, capped_w);
    JL_PUT(&node, JL_PLACE_MEASURED, measured_w, measured_w);
    JL_PUT(&node, JL_PLACE_COOLING, cooling, 100);
    JL_MARK(&node, JL_PLACE_HARDWARE);
    node.cpu_cores = 10;
    node.cpu_max_w = 100;
    return node;
}

/* 1 core of 10 on 100 W at coefficient 0.7 adds 7 W. */
static void no_work_goes_where_it_would_pass_the_power_limit(void **state)
{
    (void)state;
    struct joulie_place_config config = current();
    const struct joulie_work pod = { .workload_class = JOULIE_WORKLOAD_STANDARD, .cpu_cores = 1 };
    table.count = 5;
    table.nodes[0] = powered(1000, 893); /* 900 W: exactly 90 % */
    table.nodes[1] = powered(1000, 893.5);
    table.nodes[2] = powered(1000, 5000);
    table.nodes[2].updated_ms = 0; /* stale: no projection */
    table.nodes[3] = (struct jl_place_node){ 0 };
    table.nodes[4] = powered(1000, 0); /* predicted: (100 - 10.5) % + 7 W = 902 W */
    JL_UNMARK(&table.nodes[4], JL_PLACE_MEASURED);
    JL_PUT(&table.nodes[4], JL_PLACE_HEADROOM, headroom, 10.5);
    table_fill(&table);
    const struct joulie_place_columns columns = table_columns(&table);
    place(jl_simd_best(), &config, &pod, &columns);
    for (size_t i = 0; i < table.count; i++)
        assert_int_equal(actual.reject[i], JOULIE_REJECT_NONE);
    config.max_projected_pct = 90;
    place(jl_simd_best(), &config, &pod, &columns);
    const int32_t expected[] = { JOULIE_REJECT_NONE, JOULIE_REJECT_POWER, JOULIE_REJECT_NONE,
                                 JOULIE_REJECT_NONE, JOULIE_REJECT_POWER };
    assert_memory_equal(actual.reject, expected, sizeof expected);
    assert_int_equal(jl_place_filter(&config, &pod, &table.nodes[1], NOW_MS), JOULIE_REJECT_POWER);
    assert_string_equal(joulie_place_reject_text(JOULIE_REJECT_POWER),
                        "joulie: projected power above the limit of the node");
    config.max_projected_pct = 90.2;
    place(jl_simd_best(), &config, &pod, &columns);
    assert_int_equal(actual.reject[4], JOULIE_REJECT_NONE);
}

/* Raw -16.6, 34.9 and 61 become 0, 7 and 10; unknown and rejected nodes get 0. */
static void rank_keeps_the_order_of_bad_nodes(void **state)
{
    (void)state;
    struct joulie_place_config config = current();
    const struct joulie_work pod = { .workload_class = JOULIE_WORKLOAD_OTHER, .cpu_cores = 0 };
    const double raws[3] = { -16.6, 34.9, 61 };
    config.spread = JOULIE_SPREAD_RANK;
    table.count = 4;
    for (size_t i = 0; i < 3; i++) {
        /* raw = 0.7 * headroom; 0.25 cores of 10 add 1.75 W */
        table.nodes[i] = powered(1000, 1000 * (1 - raws[i] / 0.7 / 100) - 1.75);
    }
    table.nodes[3] = (struct jl_place_node){ 0 };
    table_fill(&table);
    const struct joulie_place_columns columns = table_columns(&table);
    place(jl_simd_best(), &config, &pod, &columns);
    for (size_t i = 0; i < 3; i++)
        assert_near(actual.numbers[0][i], raws[i], 1e-9);
    const int32_t expected[] = { 0, 7, 10, 0 };
    assert_memory_equal(actual.wire, expected, sizeof expected);
    config.max_projected_pct = 20; /* only 12.857 % headroom needed for the last */
    config.spread = JOULIE_SPREAD_NONE;
    place(jl_simd_best(), &config, &pod, &columns);
    assert_int_equal(actual.wire[2], 6);
}

/* The scale of 100 (SCORE_RANGE): scores as they are, and ranks from 0 to 100. */
static void a_range_of_100_is_the_score_itself_or_its_rank_in_percent(void **state)
{
    (void)state;
    const double raws[3] = { -16.6, 34.9, 61 };
    struct joulie_place_config config = JOULIE_INIT(struct joulie_place_config);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    work.workload_class = JOULIE_WORKLOAD_OTHER;
    table.count = 3;
    for (size_t i = 0; i < 3; i++)
        table.nodes[i] = powered(1000, 1000 * (1 - raws[i] / 0.7 / 100) - 1.75);
    table_fill(&table);
    const struct joulie_place_columns columns = table_columns(&table);
    const struct joulie_place_columns_out out = answer_columns(&actual);
    assert_int_equal(joulie_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT), 0);
    config.score_range = 100;
    assert_int_equal(joulie_place_nodes(&config, &work, &columns, 3, NOW_MS, &out, NULL, NULL), 0);
    assert_true(actual.wire[0] == 0 && actual.wire[1] == 34);
    assert_true(actual.wire[2] == actual.score[2]);
    config.spread = JOULIE_SPREAD_RANK; /* 51.5 / 77.6 = 0.664 */
    assert_int_equal(joulie_place_nodes(&config, &work, &columns, 3, NOW_MS, &out, NULL, NULL), 0);
    assert_true(actual.wire[0] == 0 && actual.wire[1] == 66 && actual.wire[2] == 100);
}

/* With every node over its budget the plain rule sees no difference, rank does. */
static void rank_separates_overloaded_nodes(void **state)
{
    (void)state;
    struct joulie_place_config config = current();
    const struct joulie_work pod = { .workload_class = JOULIE_WORKLOAD_OTHER };
    table.count = 3;
    for (size_t i = 0; i < 3; i++)
        table.nodes[i] = powered(1000, 1500 + 500 * (double)i);
    table_fill(&table);
    const struct joulie_place_columns columns = table_columns(&table);
    place(jl_simd_best(), &config, &pod, &columns);
    assert_true(actual.wire[0] == 0 && actual.wire[1] == 0 && actual.wire[2] == 0);
    config.spread = JOULIE_SPREAD_RANK;
    place(jl_simd_best(), &config, &pod, &columns);
    assert_true(actual.wire[0] == 10 && actual.wire[1] == 5 && actual.wire[2] == 0);
}

/* ---- misuse ---- */

struct request {
    struct joulie_place_config config;
    struct joulie_work work;
    struct joulie_place_columns nodes;
    struct joulie_place_columns_out out;
    int64_t now_ms;
};

static struct request good_request(void)
{
    struct request request = { .config = JOULIE_INIT(struct joulie_place_config),
                               .work = work_of(&standard_pod),
                               .nodes = table_columns(&table),
                               .out = answer_columns(&actual),
                               .now_ms = NOW_MS };
    assert_int_equal(joulie_place_config_init(&request.config, JOULIE_PLACE_RULES_UNKNOWN), 0);
    assert_int_equal(request.config.rules, JOULIE_PLACE_RULES_CURRENT);
    return request;
}

static void assert_fails(const struct request *request, int code, const char *where)
{
    static struct answers before;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    memset(&actual, 0x5A, sizeof actual);
    memset(&before, 0x5A, sizeof before);
    size_t failed = 77;
    const int rc = joulie_place_nodes(&request->config, &request->work, &request->nodes,
                                      table.count, request->now_ms, &request->out, &failed, &err);
    assert_int_equal(rc, code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.where, where);
    assert_null(strstr(err.message, where)); /* a program prints "where: message" */
    assert_memory_equal(&actual, &before, sizeof actual);
    assert_int_equal(failed, 77);
}

#define FAILS(member, value, code, where)      \
    do {                                       \
        struct request wrong = good_request(); \
        wrong.member = value;                  \
        assert_fails(&wrong, code, where);     \
    } while (0)

static void a_config_that_cannot_be_has_its_code_and_place(void **state)
{
    (void)state;
    struct joulie_place_config config = JOULIE_INIT(struct joulie_place_config);
    fill_random(13, 10);
    FAILS(config.struct_size, 8, JOULIE_E_ABI, "config");
    FAILS(config.struct_size, 5000, JOULIE_E_ABI, "config");
    FAILS(config.has, 2, JOULIE_E_ABI, "config");
    FAILS(config.reserved, 1, JOULIE_E_ABI, "config");
    FAILS(config.rules, (enum joulie_place_rules)5, JOULIE_E_ENUM, "config.rules");
    FAILS(config.fail_policy, (enum joulie_fail_policy)4, JOULIE_E_ENUM, "config.fail_policy");
    FAILS(config.spread, (enum joulie_spread)3, JOULIE_E_ENUM, "config.spread");
    FAILS(config.score_range, 20, JOULIE_E_RANGE, "config.score_range");
    FAILS(config.is_marginal_scoring, 2, JOULIE_E_RANGE, "config.is_marginal_scoring");
    FAILS(config.staleness_ms, -1, JOULIE_E_RANGE, "config.staleness_ms");
    FAILS(config.max_age_ms, INT64_MAX, JOULIE_E_RANGE, "config.max_age_ms");
    FAILS(config.stale_grace_ms, -1, JOULIE_E_RANGE, "config.stale_grace_ms");
    FAILS(now_ms, INT64_MAX, JOULIE_E_RANGE, "now_ms");
    FAILS(config.staleness_ms, LONGEST_MS + 1, JOULIE_E_RANGE, "config.staleness_ms");
    FAILS(config.max_age_ms, LONGEST_MS + 1, JOULIE_E_RANGE, "config.max_age_ms");
    FAILS(config.stale_grace_ms, LONGEST_MS + 1, JOULIE_E_RANGE, "config.stale_grace_ms");
    struct request longest = good_request();
    longest.config.staleness_ms = LONGEST_MS;
    longest.config.max_age_ms = LONGEST_MS;
    longest.config.stale_grace_ms = LONGEST_MS;
    assert_int_equal(joulie_place_nodes(&longest.config, &longest.work, &longest.nodes, 3, NOW_MS,
                                        &longest.out, NULL, NULL),
                     0);
    longest.config.staleness_ms = longest.config.max_age_ms = longest.config.stale_grace_ms = 0;
    assert_int_equal(joulie_place_nodes(&longest.config, &longest.work, &longest.nodes, 3, NOW_MS,
                                        &longest.out, NULL, NULL),
                     0);

    struct request request = good_request();
    request.config.heartbeat_ms = INT64_MIN; /* without its bit nobody looks */
    assert_int_equal(joulie_place_nodes(&request.config, &request.work, &request.nodes, 3, NOW_MS,
                                        &request.out, NULL, NULL),
                     0);
    request.config.has = JOULIE_PLACE_CONFIG_HAS_HEARTBEAT;
    assert_fails(&request, JOULIE_E_RANGE, "config.heartbeat_ms");
    request = good_request();
    request.work.gpu_util = 1.5; /* nor here */
    assert_int_equal(joulie_place_nodes(&request.config, &request.work, &request.nodes, 3, NOW_MS,
                                        &request.out, NULL, NULL),
                     0);
    request.work.has |= JOULIE_WORK_HAS_GPU_UTIL;
    assert_fails(&request, JOULIE_E_RANGE, "work.gpu_util");

    config.struct_size = 8;
    assert_int_equal(joulie_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT), JOULIE_E_ABI);
    config.struct_size = sizeof config;
    assert_int_equal(joulie_place_config_init(&config, (enum joulie_place_rules)5), JOULIE_E_ENUM);
}

/* The bounds of the scoring profile are those of the struct. */
static void a_weight_out_of_its_bounds_is_named(void **state)
{
    (void)state;
    fill_random(13, 10);
    FAILS(config.headroom_weight, 10.5, JOULIE_E_RANGE, "config.headroom_weight");
    FAILS(config.cooling_weight, -0.1, JOULIE_E_RANGE, "config.cooling_weight");
    FAILS(config.pressure_weight, NAN, JOULIE_E_RANGE, "config.pressure_weight");
    FAILS(config.eco_points, 101, JOULIE_E_RANGE, "config.eco_points");
    FAILS(config.trend_max_points, 101, JOULIE_E_RANGE, "config.trend_max_points");
    FAILS(config.steady_w_per_point, 0, JOULIE_E_RANGE, "config.steady_w_per_point");
    FAILS(config.burst_w_per_point, 0, JOULIE_E_RANGE, "config.burst_w_per_point");
    FAILS(config.burst_w_per_min, -1, JOULIE_E_RANGE, "config.burst_w_per_min");
    FAILS(config.unknown_score, 26, JOULIE_E_RANGE, "config.unknown_score");
    FAILS(config.cpu_cap_points, 101, JOULIE_E_RANGE, "config.cpu_cap_points");
    FAILS(config.gpu_cap_points, INFINITY, JOULIE_E_RANGE, "config.gpu_cap_points");
    FAILS(config.cap_points_max, -1, JOULIE_E_RANGE, "config.cap_points_max");
    FAILS(config.max_projected_pct, 1001, JOULIE_E_RANGE, "config.max_projected_pct");
    FAILS(config.cpu_util_coeff, 11, JOULIE_E_RANGE, "config.cpu_util_coeff");
    FAILS(config.gpu_util_coeff_standard, 11, JOULIE_E_RANGE, "config.gpu_util_coeff_standard");
    FAILS(config.gpu_util_coeff_performance, 11, JOULIE_E_RANGE,
          "config.gpu_util_coeff_performance");
    FAILS(config.time_w_per_core, 1001, JOULIE_E_RANGE, "config.time_w_per_core");
    FAILS(config.idle_weight, 1.5, JOULIE_E_RANGE, "config.idle_weight");
    FAILS(config.psu_weight, 10.5, JOULIE_E_RANGE, "config.psu_weight");
    FAILS(config.psu_weight, -0.5, JOULIE_E_RANGE, "config.psu_weight");
}

static void work_and_columns_that_cannot_be_have_their_code_and_place(void **state)
{
    (void)state;
    fill_random(13, 10);
    FAILS(work.struct_size, 0, JOULIE_E_ABI, "work");
    FAILS(work.has, 16, JOULIE_E_ABI, "work");
    FAILS(work.reserved, 1, JOULIE_E_ABI, "work");
    FAILS(work.gpu_bound, (enum joulie_bound)6, JOULIE_E_ENUM, "work.gpu_bound");
    FAILS(work.cpu_cores, -1, JOULIE_E_RANGE, "work.cpu_cores");
    FAILS(work.memory_bytes, INFINITY, JOULIE_E_RANGE, "work.memory_bytes");
    FAILS(work.gpu_count, NAN, JOULIE_E_RANGE, "work.gpu_count");
    FAILS(work.workload_class, (enum joulie_workload_class)4, JOULIE_E_ENUM, "work.workload_class");
    FAILS(work.gpu_vendor, (enum joulie_gpu_vendor)4, JOULIE_E_ENUM, "work.gpu_vendor");
    FAILS(work.cpu_sensitivity, (enum joulie_level)5, JOULIE_E_ENUM, "work.cpu_sensitivity");
    FAILS(work.gpu_sensitivity, (enum joulie_level)5, JOULIE_E_ENUM, "work.gpu_sensitivity");
    FAILS(nodes.struct_size, 16, JOULIE_E_ABI, "nodes");
    FAILS(out.struct_size, 16, JOULIE_E_ABI, "out");
    FAILS(nodes.has.stride, 12, JOULIE_E_RANGE, "nodes.has");
    FAILS(nodes.label.stride, 6, JOULIE_E_RANGE, "nodes.label");
    FAILS(nodes.gpu_max_w.at, (const double *)(const void *)((const char *)table.has + 4),
          JOULIE_E_RANGE, "nodes.gpu_max_w");
    FAILS(out.term_psu.stride, 12, JOULIE_E_RANGE, "out.term_psu");
    FAILS(out.wire.at, (int32_t *)(void *)((char *)actual.wire + 2), JOULIE_E_RANGE, "out.wire");
    FAILS(out.code.stride, 0, JOULIE_E_RANGE, "out.code");
    FAILS(nodes.work_count.stride, 4, JOULIE_E_RANGE, "nodes.work_count");
    FAILS(out.cost_w.stride, 0, JOULIE_E_RANGE, "out.cost_w");
    FAILS(out.term_idle_gpu.stride, 0, JOULIE_E_RANGE, "out.term_idle_gpu");
}

static void a_caller_of_a_later_release_may_not_set_what_we_do_not_know(void **state)
{
    (void)state;

    struct {
        struct joulie_work work;
        uint64_t later;
    } longer = { work_of(&standard_pod), 0 };
    const struct joulie_place_columns columns = table_columns(&table);
    const struct joulie_place_columns_out out = answer_columns(&actual);
    longer.work.struct_size = sizeof longer;
    fill_random(14, 3);
    assert_int_equal(joulie_place_nodes(NULL, &longer.work, &columns, 3, NOW_MS, &out, NULL, NULL),
                     0);
    longer.later = 1;
    assert_int_equal(joulie_place_nodes(NULL, &longer.work, &columns, 3, NOW_MS, &out, NULL, NULL),
                     JOULIE_E_ABI);
}

static void nothing_wanted_and_no_rows_are_no_errors(void **state)
{
    (void)state;
    const struct joulie_place_columns none = JOULIE_INIT(struct joulie_place_columns);
    const struct joulie_place_columns_out nothing = JOULIE_INIT(struct joulie_place_columns_out);
    const struct joulie_work work = JOULIE_INIT(struct joulie_work);
    const struct joulie_place_columns_out out = answer_columns(&actual);
    assert_int_equal(joulie_place_nodes(NULL, &work, &none, 200, NOW_MS, &nothing, NULL, NULL), 0);
    assert_int_equal(joulie_place_nodes(NULL, &work, &none, 0, NOW_MS, &out, NULL, NULL), 0);
    struct joulie_place_columns_out anywhere = out; /* as an array without elements may stand */
    anywhere.raw.at = (double *)(void *)((char *)out.raw.at + 1);
    assert_int_equal(joulie_place_nodes(NULL, &work, &none, 0, NOW_MS, &anywhere, NULL, NULL), 0);
    assert_int_equal(joulie_place_nodes(NULL, &work, &none, 200, NOW_MS, &out, NULL, NULL), 0);
    for (size_t i = 0; i < 200; i++) { /* unknown, and no fresh candidate */
        assert_int_equal(actual.basis[i], JOULIE_BASIS_MISSING);
        assert_int_equal(actual.score[i], 25);
        assert_int_equal(actual.wire[i], 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_vectors_gives_the_bits_of_the_structs),
        cmocka_unit_test(any_bits_in_columns_give_the_same_answers_with_every_kind_of_vectors),
        cmocka_unit_test(a_column_of_one_value_counts_for_every_row),
        cmocka_unit_test(a_column_that_is_not_given_is_unknown_in_every_row),
        cmocka_unit_test(without_masks_every_given_column_is_known),
        cmocka_unit_test(an_answer_may_take_the_place_of_its_input),
        cmocka_unit_test(the_order_of_rows_does_not_change_their_answers),
        cmocka_unit_test(a_bad_number_is_the_matter_of_its_row),
        cmocka_unit_test(a_bad_choice_time_or_bit_is_the_matter_of_its_row),
        cmocka_unit_test(no_work_goes_where_it_would_pass_the_power_limit),
        cmocka_unit_test(rank_keeps_the_order_of_bad_nodes),
        cmocka_unit_test(a_range_of_100_is_the_score_itself_or_its_rank_in_percent),
        cmocka_unit_test(rank_separates_overloaded_nodes),
        cmocka_unit_test(a_config_that_cannot_be_has_its_code_and_place),
        cmocka_unit_test(a_weight_out_of_its_bounds_is_named),
        cmocka_unit_test(work_and_columns_that_cannot_be_have_their_code_and_place),
        cmocka_unit_test(a_caller_of_a_later_release_may_not_set_what_we_do_not_know),
        cmocka_unit_test(nothing_wanted_and_no_rows_are_no_errors),
        cmocka_unit_test(a_time_of_a_row_is_one_that_a_calendar_shows),
        cmocka_unit_test(without_masks_a_number_may_say_that_there_is_nothing),
        cmocka_unit_test(answers_may_stand_between_other_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
