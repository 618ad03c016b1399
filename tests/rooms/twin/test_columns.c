/* SPDX-License-Identifier: Apache-2.0 */

/* Many nodes at once give the bits of one call each, whatever the layout, the machine's
 * instructions and the numbers. */

#include <float.h>
#include <math.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/random.h"
#include "base/simd.h"
#include "base/text.h"
#include "support/test.h"
#include "twin/columns.h"
#include "twin/columns_check.h"

#define SCENES 3000

static uint64_t next_random(void *state)
{
    return jl_random_next(state);
}

static void every_layout_and_path_gives_the_bits_of_one_call_per_row(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        struct jl_random random = { seed };
        const struct columns_source source = { next_random, &random };
        const char *difference = columns_check(&source);
        if (difference != NULL)
            fail_msg("seed %llu: %s", (unsigned long long)seed, difference);
    }
}

#define ROWS 150

struct nodes {
    double max_w[ROWS];
    double power_w[ROWS];
    double headroom[ROWS];
    double cooling[ROWS];
    uint64_t has[ROWS];
    int32_t code[ROWS];
};

#define STRIDE(type) ((int64_t)sizeof(type))

static struct joulie_twin_columns columns_of(const struct nodes *nodes)
{
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    in.cpu_max_w = (struct joulie_column){ nodes->max_w, STRIDE(double) };
    in.measured_node_power_w = (struct joulie_column){ nodes->power_w, STRIDE(double) };
    return in;
}

static struct joulie_twin_columns_out outputs_of(struct nodes *nodes)
{
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    out.has = (struct joulie_column_bits_out){ nodes->has, STRIDE(uint64_t) };
    out.power_headroom_score = (struct joulie_column_out){ nodes->headroom, STRIDE(double) };
    out.cooling_stress_score = (struct joulie_column_out){ nodes->cooling, STRIDE(double) };
    out.code = (struct joulie_column_int_out){ nodes->code, STRIDE(int32_t) };
    return out;
}

static void fill_nodes(struct nodes *nodes)
{
    memset(nodes, 0, sizeof *nodes);
    for (size_t i = 0; i < ROWS; i++) {
        nodes->max_w[i] = 200;
        nodes->power_w[i] = (double)i;
    }
}

/* A word that no release has is refused in every row, also where a block has no other. */
static void unknown_words_of_every_row_are_refused(void **state)
{
    static int32_t feedback[JL_TWIN_ROWS];
    static struct nodes nodes;
    (void)state;
    for (int part = 0; part < 2; part++) {
        struct joulie_twin_columns in = columns_of(&nodes);
        const struct joulie_twin_columns_out out = outputs_of(&nodes);
        size_t failed = 0;
        fill_nodes(&nodes);
        for (size_t i = 0; i < JL_TWIN_ROWS; i++)
            feedback[i] = JOULIE_CAP_FEEDBACK_NOT_IN_FORCE + 1;
        (&in.cpu_feedback)[part] = (struct joulie_column_int){ feedback, STRIDE(int32_t) };
        assert_int_equal(joulie_twin_predict_columns(&in, JL_TWIN_ROWS, &out, &failed, NULL),
                         JOULIE_OK);
        assert_int_equal(failed, JL_TWIN_ROWS);
        for (size_t i = 0; i < JL_TWIN_ROWS; i++)
            assert_int_equal(nodes.code[i], JOULIE_E_ENUM);
    }
}

/* At 20 °C: headroom (200 - p)/200, stress p/200. */
static void rows_are_nodes(void **state)
{
    (void)state;
    struct nodes nodes;
    fill_nodes(&nodes);
    const struct joulie_twin_columns in = columns_of(&nodes);
    const struct joulie_twin_columns_out out = outputs_of(&nodes);
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_OK);
    for (size_t i = 0; i < ROWS; i++) {
        assert_near(nodes.headroom[i], 100 - (double)i / 2, 1e-9);
        assert_near(nodes.cooling[i], (double)i / 2, 1e-9);
    }
}

static void a_bad_row_does_not_disturb_the_others(void **state)
{
    (void)state;
    struct nodes nodes;
    size_t failed = 0;
    fill_nodes(&nodes);
    nodes.power_w[70] = (double)NAN;
    nodes.power_w[71] = -1;
    nodes.max_w[72] = 1e308; /* its budget leaves the range of a double */
    const struct joulie_twin_columns in = columns_of(&nodes);
    const struct joulie_twin_columns_out out = outputs_of(&nodes);
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, &failed, NULL), JOULIE_OK);
    assert_int_equal(failed, 3);
    for (size_t i = 0; i < ROWS; i++) {
        const bool is_bad = i >= 70 && i <= 72;
        assert_int_equal(nodes.code[i], is_bad ? JOULIE_E_RANGE : JOULIE_OK);
        assert_true(is_bad == (nodes.has[i] == 0));
        if (is_bad)
            assert_near(nodes.headroom[i], 0, 0);
        else
            assert_near(nodes.headroom[i], 100 - (double)i / 2, 1e-9);
    }
}

/* pandas marks what is missing by NaN; without its bit nobody looks at it. */
static void a_number_without_its_bit_may_be_nan(void **state)
{
    (void)state;
    struct nodes nodes;
    uint64_t bits[ROWS];
    fill_nodes(&nodes);
    for (size_t i = 0; i < ROWS; i++) {
        bits[i] = JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER;
        if (i % 3 == 0) {
            bits[i] = JOULIE_TWIN_HAS_CPU_MAX;
            nodes.power_w[i] = (double)NAN;
        }
    }
    struct joulie_twin_columns in = columns_of(&nodes);
    const struct joulie_twin_columns_out out = outputs_of(&nodes);
    size_t failed = 1;
    in.has = (struct joulie_column_bits){ bits, STRIDE(uint64_t) };
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, &failed, NULL), JOULIE_OK);
    assert_int_equal(failed, 0);
    for (size_t i = 1; i < ROWS; i += 3)
        assert_near(nodes.headroom[i], 100 - (double)i / 2, 1e-9);
}

#define EDGE_ROW 5

/* What one call says of a known node whose number `number` is `value`. */
static int code_of_one(size_t number, double value)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    in.has = JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER | UINT64_C(1) << number;
    in.cpu_max_w = 200;
    in.measured_node_power_w = 100;
    (&in.cpu_sockets)[number] = value;
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    return joulie_twin_predict(&in, &out, NULL);
}

/* The same of row EDGE_ROW; the others do not know the number, or know 1. */
static int code_of_row(enum jl_twin_path path, size_t number, double value, bool is_known_by_all)
{
    struct nodes nodes;
    double numbers[ROWS];
    uint64_t bits[ROWS];
    fill_nodes(&nodes);
    struct joulie_twin_columns in = columns_of(&nodes);
    const struct joulie_twin_columns_out out = outputs_of(&nodes);
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = 1;
        bits[i] = JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER;
        bits[i] |= is_known_by_all || i == EDGE_ROW ? UINT64_C(1) << number : 0;
    }
    numbers[EDGE_ROW] = value;
    in.has = (struct joulie_column_bits){ bits, STRIDE(uint64_t) };
    (&in.cpu_sockets)[number] = (struct joulie_column){ numbers, STRIDE(double) };
    assert_int_equal(jl_twin_columns_with(path, &in, ROWS, &out, NULL, NULL), JOULIE_OK);
    for (size_t i = 0; i < ROWS; i++) {
        if (i != EDGE_ROW)
            assert_int_equal(nodes.code[i], JOULIE_OK);
    }
    return nodes.code[EDGE_ROW];
}

static void every_kernel_keeps_the_bounds_of_every_number(void **state)
{
    static const double values[] = {
        -DBL_MAX,
        -1,
        -DBL_TRUE_MIN,
        -0.0,
        0,
        DBL_TRUE_MIN,
        100,
        100.00000000000001,
        DBL_MAX,
        (double)NAN,
        -(double)NAN,
        (double)INFINITY,
        (double)-INFINITY,
    };
    (void)state;
    for (int path = JL_TWIN_PATH_1; path <= JL_TWIN_PATH_8; path++) {
        for (size_t i = 0; i < JL_TWIN_NUMBERS * JL_COUNT(values); i++) {
            const size_t number = i / JL_COUNT(values);
            const double value = values[i % JL_COUNT(values)];
            if (!jl_twin_has_path((enum jl_twin_path)path))
                continue;
            const int expected = code_of_one(number, value);
            for (int is_known_by_all = 0; is_known_by_all <= 1; is_known_by_all++) {
                if (code_of_row((enum jl_twin_path)path, number, value, is_known_by_all != 0) !=
                    expected)
                    fail_msg("path %d, number %zu, value %a", path, number, value);
            }
        }
    }
}

struct node {
    double max_w;
    double power_w;
    double headroom;
    int32_t code;
    int32_t other;
};

static void an_array_of_structs_is_columns_too(void **state)
{
    (void)state;
    struct node nodes[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        nodes[i] = (struct node){ .max_w = 200, .power_w = (double)i, .other = 7 };
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    in.cpu_max_w = (struct joulie_column){ &nodes[0].max_w, STRIDE(struct node) };
    in.measured_node_power_w = (struct joulie_column){ &nodes[0].power_w, STRIDE(struct node) };
    out.power_headroom_score =
        (struct joulie_column_out){ &nodes[0].headroom, STRIDE(struct node) };
    out.code = (struct joulie_column_int_out){ &nodes[0].code, STRIDE(struct node) };
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_OK);
    for (size_t i = 0; i < ROWS; i++) {
        assert_near(nodes[i].headroom, 100 - (double)i / 2, 1e-9);
        assert_int_equal(nodes[i].other, 7);
    }
}

static void no_rows_and_no_columns_are_no_failure(void **state)
{
    (void)state;
    struct nodes nodes;
    size_t failed = 9;
    fill_nodes(&nodes);
    struct joulie_twin_columns in = columns_of(&nodes);
    struct joulie_twin_columns_out out = outputs_of(&nodes);
    nodes.headroom[0] = 7;
    assert_int_equal(joulie_twin_predict_columns(&in, 0, &out, &failed, NULL), JOULIE_OK);
    assert_int_equal(failed, 0);
    assert_near(nodes.headroom[0], 7, 0);

    in = JOULIE_INIT(struct joulie_twin_columns);
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, &failed, NULL), JOULIE_OK);
    assert_int_equal(failed, 0);
    assert_int_equal(nodes.has[ROWS - 1], 0); /* nothing is known of them */
    out = JOULIE_INIT(struct joulie_twin_columns_out);
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, &failed, NULL), JOULIE_OK);
}

static void misuse_is_refused_before_anything_is_written(void **state)
{
    (void)state;
    struct nodes nodes;
    fill_nodes(&nodes);
    nodes.headroom[0] = 7;
    const struct joulie_twin_columns good = columns_of(&nodes);
    const struct joulie_twin_columns_out good_out = outputs_of(&nodes);
    struct joulie_twin_columns in = good;
    struct joulie_twin_columns_out out = good_out;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);

    in.cpu_max_w.stride = 12;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, &err), JOULIE_E_RANGE);
    assert_true(err.message[0] != '\0');
    in = good;
    in.cpu_max_w.at = (const double *)(const void *)((const char *)nodes.max_w + 4);
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_RANGE);
    in = good;
    out.power_headroom_score.stride = 0;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_RANGE);
    out = good_out;
    out.code.stride = 2;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_RANGE);
    out = good_out;
    in.rules = (enum joulie_twin_rules)9;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_ENUM);
    in = good;
    in.cooling_model = (enum joulie_cooling) - 3;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_ENUM);
    in.cooling_model = JOULIE_COOLING_CUSTOM;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_REQUIRED);
    in = good;
    in.struct_size--;
    assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_twin_predict_columns(NULL, ROWS, &out, NULL, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_twin_predict_columns(&good, ROWS, NULL, NULL, NULL), JOULIE_E_ABI);
    out.struct_size = 8;
    assert_int_equal(joulie_twin_predict_columns(&good, ROWS, &out, NULL, NULL), JOULIE_E_ABI);
    assert_near(nodes.headroom[0], 7, 0);
}

struct newer_columns {
    struct joulie_twin_columns in;
    struct joulie_column later;
};

/* Any one column that is not aligned is enough. */
static void each_column_has_to_be_aligned(void **state)
{
    static uint64_t has[4];
    static int32_t feedback[8];
    static double power_w[4];
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
        in.rules = JOULIE_TWIN_RULES_CURRENT;
        in.cooling_model = JOULIE_COOLING_LINEAR;
        in.has = (struct joulie_column_bits){ has, i == 1 ? 12 : 8 };
        in.cpu_feedback = (struct joulie_column_int){ feedback, i == 2 ? 6 : 4 };
        in.gpu_feedback = (struct joulie_column_int){ feedback, i == 3 ? 6 : 4 };
        in.measured_node_power_w = (struct joulie_column){ power_w, i == 4 ? 12 : 8 };
        assert_int_equal(joulie_twin_predict_columns(&in, 2, &out, NULL, NULL),
                         i == 0 ? JOULIE_OK : JOULIE_E_RANGE);
    }
}

/* The paths of this machine, each of which the other tests try. */
static void a_machine_has_the_paths_of_its_instructions(void **state)
{
    const enum jl_simd best = jl_simd_best();
    (void)state;
    assert_true(jl_twin_has_path(JL_TWIN_PATH_BEST));
    assert_true(jl_twin_has_path(JL_TWIN_PATH_1));
    assert_int_equal(jl_twin_has_path(JL_TWIN_PATH_4),
                     best == JL_SIMD_AVX2 || best == JL_SIMD_AVX512);
    assert_int_equal(jl_twin_has_path(JL_TWIN_PATH_8), best == JL_SIMD_AVX512);
}

static void a_newer_caller_may_not_give_new_columns(void **state)
{
    (void)state;
    struct nodes nodes;
    fill_nodes(&nodes);
    struct newer_columns newer = { .in = columns_of(&nodes) };
    const struct joulie_twin_columns_out out = outputs_of(&nodes);
    newer.in.struct_size = sizeof newer;
    assert_int_equal(joulie_twin_predict_columns(&newer.in, ROWS, &out, NULL, NULL), JOULIE_OK);
    newer.later.at = nodes.max_w;
    assert_int_equal(joulie_twin_predict_columns(&newer.in, ROWS, &out, NULL, NULL), JOULIE_E_ABI);
}

/* Scores lie in their ranges, and more power never means more headroom or less stress. */
static void scores_are_bounded_and_monotone_in_power(void **state)
{
    (void)state;
    struct nodes nodes;
    struct jl_random random = { 20261122 };
    for (int i = 0; i < 200; i++) {
        double outside_c = jl_random_range(&random, -30, 60);
        fill_nodes(&nodes);
        const double step_w = jl_random_range(&random, 0.01, 100);
        for (size_t row = 0; row < ROWS; row++)
            nodes.power_w[row] = step_w * (double)row;
        struct joulie_twin_columns in = columns_of(&nodes);
        const struct joulie_twin_columns_out out = outputs_of(&nodes);
        in.outside_temp_c = (struct joulie_column){ &outside_c, 0 };
        assert_int_equal(joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL), JOULIE_OK);
        for (size_t row = 0; row < ROWS; row++) {
            assert_true(nodes.headroom[row] <= 100);
            assert_true(nodes.cooling[row] >= 0 && nodes.cooling[row] <= 100);
            assert_true(row == 0 || nodes.headroom[row] <= nodes.headroom[row - 1]);
            assert_true(row == 0 || nodes.cooling[row] >= nodes.cooling[row - 1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_and_path_gives_the_bits_of_one_call_per_row),
        cmocka_unit_test(unknown_words_of_every_row_are_refused),
        cmocka_unit_test(rows_are_nodes),
        cmocka_unit_test(a_bad_row_does_not_disturb_the_others),
        cmocka_unit_test(a_number_without_its_bit_may_be_nan),
        cmocka_unit_test(every_kernel_keeps_the_bounds_of_every_number),
        cmocka_unit_test(an_array_of_structs_is_columns_too),
        cmocka_unit_test(no_rows_and_no_columns_are_no_failure),
        cmocka_unit_test(misuse_is_refused_before_anything_is_written),
        cmocka_unit_test(each_column_has_to_be_aligned),
        cmocka_unit_test(a_machine_has_the_paths_of_its_instructions),
        cmocka_unit_test(a_newer_caller_may_not_give_new_columns),
        cmocka_unit_test(scores_are_bounded_and_monotone_in_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
