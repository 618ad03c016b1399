/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/twin.h>

#include "place/place_tests.h"
#include "same/answers.h"
#include "twin/numbers.h"

#define TWINS 4000
#define TABLES 40

static void write_bits(FILE *out, const double *numbers, size_t step, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i * step], sizeof bits);
        fprintf(out, " %016" PRIx64, bits);
    }
}

/* ---- twins ---- */

struct twins {
    double in[JL_TWIN_NUMBERS][TWINS];
    uint64_t has[TWINS];
    double out[JL_TWIN_OUT_NUMBERS][TWINS];
    uint64_t out_has[TWINS];
    int32_t words[JL_TWIN_WORDS + 1][TWINS]; /* the last is the code */
};

static void draw_twins(struct twins *twins, struct jl_random *random)
{
    for (size_t row = 0; row < TWINS; row++) {
        twins->has[row] = JL_TWIN_KNOWN_BITS;
        if (row % 4 > 0)
            twins->has[row] &= jl_random_next(random) | jl_random_next(random);
        for (size_t i = 0; i < JL_TWIN_NUMBERS; i++) {
            const double low = jl_twin_bounds_of[i] == JL_TWIN_ANY ? -20 : 0;
            const double high = jl_twin_bounds_of[i] == JL_TWIN_PERCENT ? 100 : 1000;
            twins->in[i][row] = jl_random_range(random, low, high);
        }
    }
}

static void write_twins(FILE *out, struct twins *twins, enum joulie_cooling cooling)
{
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out to = JOULIE_INIT(struct joulie_twin_columns_out);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    in.cooling_model = cooling;
    in.has = (struct joulie_column_bits){ twins->has, sizeof(uint64_t) };
    to.has = (struct joulie_column_bits_out){ twins->out_has, sizeof(uint64_t) };
    for (size_t i = 0; i < JL_TWIN_NUMBERS; i++)
        (&in.cpu_sockets)[i] = (struct joulie_column){ twins->in[i], sizeof(double) };
    for (size_t i = 0; i < JL_TWIN_OUT_NUMBERS; i++)
        (&to.power_headroom_score)[i] = (struct joulie_column_out){ twins->out[i], sizeof(double) };
    for (size_t i = 0; i <= JL_TWIN_WORDS; i++)
        (&to.power_tier)[i] = (struct joulie_column_int_out){ twins->words[i], sizeof(int32_t) };
    const int rc = joulie_twin_predict_columns(&in, TWINS, &to, NULL, &err);
    if (rc != JOULIE_OK)
        write_error(out, "twins", rc, &err);
    for (size_t row = 0; row < TWINS && rc == JOULIE_OK; row++) {
        fprintf(out, "twins\t%d %zu\t%" PRIx64, (int)cooling, row, twins->out_has[row]);
        write_bits(out, &twins->out[0][row], TWINS, JL_TWIN_OUT_NUMBERS);
        for (size_t i = 0; i <= JL_TWIN_WORDS; i++)
            fprintf(out, " %" PRId32, twins->words[i][row]);
        fputc('\n', out);
    }
}

/* ---- placement ---- */

static void write_placement(FILE *out, int round, struct jl_random *random)
{
    static struct table table;
    static struct answers answers;
    struct joulie_place_config config = JOULIE_INIT(struct joulie_place_config);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct joulie_work pod = random_pod(random);
    const struct joulie_work work = work_of(&pod);
    table.count = (size_t)jl_random_int(random, 1, 100);
    for (size_t i = 0; i < table.count; i++)
        table.nodes[i] = random_node(random);
    table_fill(&table);
    joulie_place_config_init(&config, round % 3 == 0 ? JOULIE_PLACE_RULES_V0_1_0
                                                     : JOULIE_PLACE_RULES_CURRENT);
    config.is_marginal_scoring = 1;
    const struct joulie_place_columns nodes = table_columns(&table);
    const struct joulie_place_columns_out to = answer_columns(&answers);
    const int rc = joulie_place_nodes(&config, &work, &nodes, table.count, NOW_MS, &to, NULL, &err);
    if (rc != JOULIE_OK)
        write_error(out, "place", rc, &err);
    for (size_t i = 0; i < table.count && rc == JOULIE_OK; i++) {
        fprintf(out, "place\t%d %zu\t%d %d %d %d %d", round, i, answers.code[i], answers.reject[i],
                answers.basis[i], answers.score[i], answers.wire[i]);
        write_bits(out, &answers.numbers[0][i], MOST_ROWS, 12);
        fputc('\n', out);
    }
}

void write_column_answers(FILE *out, uint64_t seed)
{
    static const enum joulie_cooling models[] = { JOULIE_COOLING_UNKNOWN, JOULIE_COOLING_TDP_RATIO,
                                                  JOULIE_COOLING_LINEAR, JOULIE_COOLING_FREE,
                                                  JOULIE_COOLING_DX };
    static struct twins twins;
    struct jl_random random = { seed };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        draw_twins(&twins, &random);
        write_twins(out, &twins, models[i]);
    }
    for (int round = 0; round < TABLES; round++)
        write_placement(out, round, &random);
}
