/* SPDX-License-Identifier: Apache-2.0 */
#include "twin/columns_check.h"

#include <math.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/text.h"
#include "twin/columns.h"

#define MAX_ROWS 200
#define CELLS (MAX_ROWS * 3) /* of a column with the widest stride */
#define FILL 0x5a

/* Where the rows of a column lie in its cells: row r at first + r * step. */
struct layout {
    bool is_there;
    int64_t first;
    int64_t step; /* cells; 0 = one value for all rows */
};

struct inputs {
    double numbers[JL_TWIN_NUMBERS][CELLS];
    uint64_t has[CELLS];
    int32_t feedback[2][CELLS];
};

struct outputs {
    double numbers[JL_TWIN_OUT_NUMBERS][CELLS];
    uint64_t has[CELLS];
    int32_t words[JL_TWIN_WORDS + 1][CELLS]; /* the last is the code */
};

struct scene {
    const struct columns_source *source;
    size_t rows;
    bool is_usual;
    struct joulie_twin_columns in; /* over inputs */
    struct joulie_twin_columns_out out;
    struct layout numbers[JL_TWIN_NUMBERS];
    struct layout has;
    struct layout feedback[2];
    struct layout out_numbers[JL_TWIN_OUT_NUMBERS];
    struct layout out_words[JL_TWIN_WORDS + 1];
    struct layout out_has;
    int shared; /* this output number lies where an input number does; -1 = none */
    size_t shared_input;
    struct inputs template;
    struct inputs inputs;
    struct outputs outputs;
    struct outputs expected;
    struct inputs expected_inputs;
};

static uint64_t next(const struct scene *scene)
{
    return scene->source->next(scene->source->state);
}

static size_t choose(const struct scene *scene, size_t count)
{
    return (size_t)(next(scene) % count);
}

static double between(const struct scene *scene, double low, double high)
{
    return low + (high - low) * ((double)(next(scene) >> 11) * 0x1p-53);
}

static double any_number(const struct scene *scene, size_t number)
{
    static const double edges[] = {
        0,
        -0.0,
        5e-324,
        1e-310,
        1e-300,
        1e-160,
        1,
        100,
        100.00000000000001,
        1e160,
        1.7e308,
        -1,
        -1e308,
        (double)NAN,
        -(double)NAN,
        (double)INFINITY,
        (double)-INFINITY,
    };
    if (choose(scene, 200) == 0)
        return edges[choose(scene, JL_COUNT(edges))];
    if (jl_twin_bounds_of[number] == JL_TWIN_PERCENT)
        return between(scene, 1, 100);
    return jl_twin_bounds_of[number] == JL_TWIN_ANY ? between(scene, -20, 120)
                                                    : between(scene, 0, 1000);
}

static struct layout any_layout(const struct scene *scene, bool is_output)
{
    static const int64_t steps[] = { 1, 1, 1, 1, 2, 3, -1, -3, 0 };
    struct layout layout = { .is_there = true, .step = steps[choose(scene, JL_COUNT(steps))] };
    if (is_output && layout.step == 0)
        layout.step = 1;
    if (layout.step < 0)
        layout.first = -layout.step * (int64_t)(MAX_ROWS - 1);
    return layout;
}

static size_t cell(const struct layout *layout, size_t row)
{
    return (size_t)(layout->first + layout->step * (int64_t)row);
}

static uint64_t any_bits(const struct scene *scene, int mood)
{
    uint64_t bits = JL_TWIN_KNOWN_BITS;
    if (mood == 1)
        bits &= next(scene) | next(scene);
    else if (mood == 2 && choose(scene, 2) == 0)
        bits &=
            ~(JOULIE_TWIN_HAS_GPU_COUNT | JOULIE_TWIN_HAS_GPU_MAX | JOULIE_TWIN_HAS_GPU_CAP_PCT);
    else if (mood == 3)
        bits &= ~(JOULIE_TWIN_HAS_NODE_POWER & next(scene));
    if (choose(scene, 2000) == 0)
        bits |= UINT64_C(1) << (JL_TWIN_NUMBERS + choose(scene, 64 - JL_TWIN_NUMBERS));
    return bits;
}

/* Kernels are compiled once more without these, and without feedback. */
#define RARE JL_TWIN_BITS(RARE)

static void make_numbers(struct scene *scene)
{
    const size_t missing = choose(scene, 3); /* none, some, most columns */
    scene->is_usual = choose(scene, 2) == 0;
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++) {
        scene->numbers[i] = any_layout(scene, false);
        scene->numbers[i].is_there =
            choose(scene, 4) >= missing && !(scene->is_usual && (RARE >> i & 1) != 0);
        for (size_t row = 0; row < scene->rows; row++)
            scene->template.numbers[i][cell(&scene->numbers[i], row)] = any_number(scene, i);
    }
}

static void make_choices(struct scene *scene)
{
    static const enum joulie_cooling models[] = { JOULIE_COOLING_UNKNOWN,   JOULIE_COOLING_UNKNOWN,
                                                  JOULIE_COOLING_TDP_RATIO, JOULIE_COOLING_LINEAR,
                                                  JOULIE_COOLING_FREE,      JOULIE_COOLING_DX };

    const int mood = (int)choose(scene, 4);
    scene->has = any_layout(scene, false);
    scene->has.is_there = choose(scene, 4) > 0;
    for (size_t row = 0; row < scene->rows; row++)
        scene->template.has[cell(&scene->has, row)] = any_bits(scene, mood);
    for (size_t part = 0; part < 2; part++) {
        scene->feedback[part] = any_layout(scene, false);
        scene->feedback[part].is_there = choose(scene, 4) == 0 && !scene->is_usual;
        for (size_t row = 0; row < scene->rows; row++)
            scene->template.feedback[part][cell(&scene->feedback[part], row)] =
                choose(scene, 1000) == 0 ? -7 : (int32_t)choose(scene, 4);
    }
    scene->in.cooling_model = models[choose(scene, JL_COUNT(models))];
    scene->in.rules =
        choose(scene, 8) > 0 ? JOULIE_TWIN_RULES_CURRENT : (enum joulie_twin_rules)choose(scene, 4);
}

static void make_outputs(struct scene *scene)
{
    const bool is_lean = choose(scene, 3) == 0;
    const bool has_words = is_lean ? choose(scene, 4) == 0 : choose(scene, 4) > 0;
    const size_t extra = choose(scene, JL_TWIN_OUT_NUMBERS); /* beside the three scores */
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++) {
        scene->out_numbers[i] = any_layout(scene, true);
        scene->out_numbers[i].is_there = is_lean ? i < 3 || i == extra : choose(scene, 4) > 0;
    }
    for (size_t i = 0; i <= JL_TWIN_WORDS; i++) {
        scene->out_words[i] = any_layout(scene, true);
        scene->out_words[i].is_there =
            i == JL_TWIN_WORDS || (has_words && (is_lean || choose(scene, 4) > 0));
    }
    scene->out_has = any_layout(scene, true);
    scene->out_has.is_there = choose(scene, 4) > 0;
    scene->shared = -1;
    if (choose(scene, 3) > 0)
        return;
    const size_t output = choose(scene, JL_TWIN_OUT_NUMBERS);
    const size_t input = choose(scene, JL_TWIN_NUMBERS);
    if (!scene->numbers[input].is_there || scene->numbers[input].step == 0)
        return;
    scene->shared = (int)output;
    scene->shared_input = input;
    scene->out_numbers[output] = scene->numbers[input];
}

static void point_columns(struct scene *scene)
{
    struct joulie_column *in = &scene->in.cpu_sockets;
    struct joulie_column_out *out = &scene->out.power_headroom_score;
    struct joulie_column_int_out *words = &scene->out.power_tier;
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++) {
        const struct layout *layout = &scene->numbers[i];
        if (layout->is_there)
            in[i] = (struct joulie_column){ &scene->inputs.numbers[i][layout->first],
                                            layout->step * (int64_t)sizeof(double) };
    }
    if (scene->has.is_there)
        scene->in.has = (struct joulie_column_bits){ &scene->inputs.has[scene->has.first],
                                                     scene->has.step * (int64_t)sizeof(uint64_t) };
    for (size_t part = 0; part < 2; part++) {
        const struct layout *layout = &scene->feedback[part];
        if (layout->is_there)
            (&scene->in.cpu_feedback)[part] =
                (struct joulie_column_int){ &scene->inputs.feedback[part][layout->first],
                                            layout->step * (int64_t)sizeof(int32_t) };
    }
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++) {
        const struct layout *layout = &scene->out_numbers[i];
        double *cells = scene->shared == (int)i ? scene->inputs.numbers[scene->shared_input]
                                                : scene->outputs.numbers[i];
        if (layout->is_there)
            out[i] = (struct joulie_column_out){ &cells[layout->first],
                                                 layout->step * (int64_t)sizeof(double) };
    }
    for (size_t i = 0; i <= JL_TWIN_WORDS; i++) {
        const struct layout *layout = &scene->out_words[i];
        if (layout->is_there)
            words[i] = (struct joulie_column_int_out){ &scene->outputs.words[i][layout->first],
                                                       layout->step * (int64_t)sizeof(int32_t) };
    }
    if (scene->out_has.is_there)
        scene->out.has =
            (struct joulie_column_bits_out){ &scene->outputs.has[scene->out_has.first],
                                             scene->out_has.step * (int64_t)sizeof(uint64_t) };
}

static struct joulie_twin_input row_of(const struct scene *scene, size_t row)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    double *numbers = &in.cpu_sockets;
    in.has = scene->has.is_there ? scene->template.has[cell(&scene->has, row)] : UINT64_MAX >> 1;
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++) {
        if (scene->numbers[i].is_there)
            numbers[i] = scene->template.numbers[i][cell(&scene->numbers[i], row)];
        else
            in.has &= ~(UINT64_C(1) << i);
    }
    if (!scene->has.is_there)
        in.has &= JL_TWIN_KNOWN_BITS;
    in.rules = scene->in.rules;
    in.cooling_model = scene->in.cooling_model;
    if (scene->feedback[0].is_there)
        in.cpu_feedback =
            (enum joulie_cap_feedback)scene->template.feedback[0][cell(&scene->feedback[0], row)];
    if (scene->feedback[1].is_there)
        in.gpu_feedback =
            (enum joulie_cap_feedback)scene->template.feedback[1][cell(&scene->feedback[1], row)];
    return in;
}

/* Returns whether the row can be predicted. */
static bool expect_row(struct scene *scene, size_t row)
{
    const struct joulie_twin_input in = row_of(scene, row);
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    const int code = joulie_twin_predict(&in, &out, NULL);
    const double *numbers = &out.power_headroom_score;
    int32_t words[JL_TWIN_WORDS + 1];
    memcpy(words, &out.power_tier, JL_TWIN_WORDS * sizeof *words);
    words[JL_TWIN_WORDS] = code;
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++) {
        double *cells = scene->shared == (int)i
                            ? scene->expected_inputs.numbers[scene->shared_input]
                            : scene->expected.numbers[i];
        if (scene->out_numbers[i].is_there)
            cells[cell(&scene->out_numbers[i], row)] = numbers[i];
    }
    for (size_t i = 0; i <= JL_TWIN_WORDS; i++) {
        if (scene->out_words[i].is_there)
            scene->expected.words[i][cell(&scene->out_words[i], row)] = words[i];
    }
    if (scene->out_has.is_there)
        scene->expected.has[cell(&scene->out_has, row)] = out.has;
    return code == JOULIE_OK;
}

const char *columns_check(const struct columns_source *source)
{
    static struct scene scene; /* too large for a stack */
    size_t failed = 0;
    memset(&scene, 0, sizeof scene);
    scene.source = source;
    scene.in = JOULIE_INIT(struct joulie_twin_columns);
    scene.out = JOULIE_INIT(struct joulie_twin_columns_out);
    scene.rows = choose(&scene, MAX_ROWS + 1);
    make_numbers(&scene);
    make_choices(&scene);
    make_outputs(&scene);
    point_columns(&scene);

    memset(&scene.expected, FILL, sizeof scene.expected);
    scene.expected_inputs = scene.template;
    for (size_t row = 0; row < scene.rows; row++)
        failed += !expect_row(&scene, row);

    for (int path = JL_TWIN_PATH_BEST; path <= JL_TWIN_PATH_8; path++) {
        size_t found = SIZE_MAX;
        if (!jl_twin_has_path((enum jl_twin_path)path))
            continue;
        scene.inputs = scene.template;
        memset(&scene.outputs, FILL, sizeof scene.outputs);
        if (jl_twin_columns_with((enum jl_twin_path)path, &scene.in, scene.rows, &scene.out, &found,
                                 NULL) != JOULIE_OK)
            return "the call failed";
        if (found != failed)
            return "the number of failed rows";
        if (memcmp(&scene.outputs, &scene.expected, sizeof scene.outputs) != 0)
            return "the outputs";
        if (memcmp(&scene.inputs, &scene.expected_inputs, sizeof scene.inputs) != 0)
            return "the inputs";
    }
    return NULL;
}
