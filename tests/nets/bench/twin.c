/* SPDX-License-Identifier: Apache-2.0 */

/* The twin of one node, and of many: columns beside one call per row, and beside the bare formulas.
 */

#include <stdlib.h>
#include <string.h>

#include <joulie/twin.h>

#include "base/random.h"
#include "bench/bench.h"

#define NODES 5000
#define ROUNDS 16
#define NUMBERS 14 /* of the output */
#define WORDS 12   /* enums of the output */

struct inputs {
    double sockets; /* the same for all */
    double cores[NODES];
    double max_w[NODES];
    double cap_pct[NODES];
    double power_w[NODES];
    double outside_c[NODES];
    double rack_w[NODES];
    double gpu_count[NODES];
    double gpu_max_w[NODES];
    double gpu_cap_pct[NODES];
    uint64_t has[NODES];
};

struct outputs {
    double numbers[NUMBERS][NODES];
    int32_t words[WORDS][NODES];
    uint64_t has[NODES];
    int32_t code[NODES];
};

struct twins {
    struct inputs in;
    struct joulie_twin_input rows[NODES]; /* the same */
    struct outputs out;
};

static void make_node(struct jl_random *random, struct inputs *in, size_t i)
{
    in->has[i] = JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_CORES | JOULIE_TWIN_HAS_CPU_MAX |
                 JOULIE_TWIN_HAS_CPU_CAP_PCT | JOULIE_TWIN_HAS_NODE_POWER |
                 JOULIE_TWIN_HAS_OUTSIDE_TEMP | JOULIE_TWIN_HAS_RACK_POWER;
    in->cores[i] = (double)jl_random_int(random, 16, 384);
    in->max_w[i] = jl_random_range(random, 150, 500);
    in->cap_pct[i] = jl_random_range(random, 40, 100);
    in->power_w[i] = jl_random_range(random, 50, 1000);
    in->outside_c[i] = jl_random_range(random, -5, 40);
    in->rack_w[i] = jl_random_range(random, 1000, 50000);
    if (jl_random_unit(random) < 0.5)
        return;
    in->has[i] |= JOULIE_TWIN_HAS_GPU_COUNT | JOULIE_TWIN_HAS_GPU_MAX | JOULIE_TWIN_HAS_GPU_CAP_PCT;
    in->gpu_count[i] = (double)jl_random_int(random, 1, 8);
    in->gpu_max_w[i] = jl_random_range(random, 300, 750);
    in->gpu_cap_pct[i] = in->cap_pct[i];
}

static struct joulie_twin_input row_of(const struct inputs *in, size_t i)
{
    struct joulie_twin_input row = JOULIE_INIT(struct joulie_twin_input);
    row.has = in->has[i];
    row.cpu_sockets = in->sockets;
    row.cpu_cores = in->cores[i];
    row.cpu_max_w = in->max_w[i];
    row.cpu_cap_pct = in->cap_pct[i];
    row.measured_node_power_w = in->power_w[i];
    row.outside_temp_c = in->outside_c[i];
    row.rack_total_power_w = in->rack_w[i];
    row.gpu_count = in->gpu_count[i];
    row.gpu_max_w = in->gpu_max_w[i];
    row.gpu_cap_pct = in->gpu_cap_pct[i];
    return row;
}

#define COLUMN(values) ((struct joulie_column){ values, sizeof(double) })

static struct joulie_twin_columns columns_of(const struct inputs *in)
{
    struct joulie_twin_columns columns = JOULIE_INIT(struct joulie_twin_columns);
    columns.has = (struct joulie_column_bits){ in->has, sizeof *in->has };
    columns.cpu_sockets = (struct joulie_column){ &in->sockets, 0 };
    columns.cpu_cores = COLUMN(in->cores);
    columns.cpu_max_w = COLUMN(in->max_w);
    columns.cpu_cap_pct = COLUMN(in->cap_pct);
    columns.measured_node_power_w = COLUMN(in->power_w);
    columns.outside_temp_c = COLUMN(in->outside_c);
    columns.rack_total_power_w = COLUMN(in->rack_w);
    columns.gpu_count = COLUMN(in->gpu_count);
    columns.gpu_max_w = COLUMN(in->gpu_max_w);
    columns.gpu_cap_pct = COLUMN(in->gpu_cap_pct);
    return columns;
}

static struct joulie_twin_columns_out outputs_of(struct outputs *out, size_t numbers, size_t words)
{
    struct joulie_twin_columns_out columns = JOULIE_INIT(struct joulie_twin_columns_out);
    struct joulie_column_out *number = &columns.power_headroom_score;
    struct joulie_column_int_out *word = &columns.power_tier;
    columns.has = (struct joulie_column_bits_out){ out->has, sizeof *out->has };
    columns.code = (struct joulie_column_int_out){ out->code, sizeof *out->code };
    for (size_t i = 0; i < numbers; i++)
        number[i] = (struct joulie_column_out){ out->numbers[i], sizeof(double) };
    for (size_t i = 0; i < words; i++)
        word[i] = (struct joulie_column_int_out){ out->words[i], sizeof(int32_t) };
    return columns;
}

/* One multiplication for a number: cheaper than what it sums up. */
static uint64_t mix(uint64_t sum, uint64_t bits)
{
    return (sum ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t mix_number(uint64_t sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(sum, bits);
}

static uint64_t mix_outputs(const struct outputs *out, size_t numbers, size_t words)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < NODES; row++) {
        for (size_t i = 0; i < numbers; i++)
            sum = mix_number(sum, out->numbers[i][row]);
        for (size_t i = 0; i < words; i++)
            sum = mix(sum, (uint64_t)out->words[i][row]);
    }
    return sum;
}

/* ---- One node ---- */

static uint64_t scalar_ours(void *state)
{
    const struct twins *twins = state;
    struct joulie_twin_output output = JOULIE_INIT(struct joulie_twin_output);
    uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < NODES; i++) {
            if (joulie_twin_predict(&twins->rows[i], &output, NULL) != 0)
                exit(1);
            sum = mix_number(sum, output.power_headroom_score);
            sum = mix_number(sum, output.cooling_stress_score);
            sum = mix_number(sum, output.psu_stress_score);
        }
    }
    return sum;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

struct scores {
    double headroom;
    double cooling;
    double psu;
};

/* The three formulas alone: no checks, no provenance, no unknowns (docs/rules/twin.md).
 */
static struct scores formulas(double sockets, double max_w, double cap_pct, double gpu_count,
                              double gpu_max_w, double gpu_cap_pct, double power_w,
                              double outside_c, double rack_w)
{
    const double cpu_tdp_w = max_w * sockets;
    const double gpu_tdp_w = gpu_max_w * gpu_count;
    const double capped_w = cpu_tdp_w * cap_pct / 100 + gpu_tdp_w * gpu_cap_pct / 100;
    const double headroom = (capped_w - power_w) / capped_w * 100;
    double efficiency = 1 - (outside_c - 20) * 0.02;
    efficiency = efficiency < 0.5 ? 0.5 : efficiency;
    const double load = power_w / (cpu_tdp_w + gpu_tdp_w);
    return (struct scores){ headroom > 100 ? 100 : headroom,
                            clamp(load * (1 / efficiency) * 100, 0, 100),
                            clamp(rack_w / 50000 * 100, 0, 100) };
}

static uint64_t scalar_formulas(void *state)
{
    const struct twins *twins = state;
    uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < NODES; i++) {
            const struct joulie_twin_input *in = &twins->rows[i];
            const struct scores scores =
                formulas(in->cpu_sockets, in->cpu_max_w, in->cpu_cap_pct, in->gpu_count,
                         in->gpu_max_w, in->gpu_cap_pct, in->measured_node_power_w,
                         in->outside_temp_c, in->rack_total_power_w);
            sum = mix_number(sum, scores.headroom);
            sum = mix_number(sum, scores.cooling);
            sum = mix_number(sum, scores.psu);
        }
    }
    return sum;
}

/* ---- Many; the checksum is taken once, since it takes longer than the job ---- */

static uint64_t run_columns(struct twins *twins, size_t numbers, size_t words)
{
    const struct joulie_twin_columns in = columns_of(&twins->in);
    const struct joulie_twin_columns_out out = outputs_of(&twins->out, numbers, words);
    for (int round = 0; round < ROUNDS; round++) {
        if (joulie_twin_predict_columns(&in, NODES, &out, NULL, NULL) != 0)
            exit(1);
    }
    return mix_outputs(&twins->out, numbers, words);
}

static uint64_t run_calls(struct twins *twins, size_t numbers, size_t words)
{
    struct joulie_twin_output output = JOULIE_INIT(struct joulie_twin_output);
    struct outputs *out = &twins->out;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t row = 0; row < NODES; row++) {
            out->code[row] = joulie_twin_predict(&twins->rows[row], &output, NULL);
            out->has[row] = output.has;
            for (size_t i = 0; i < numbers; i++)
                out->numbers[i][row] = (&output.power_headroom_score)[i];
            for (size_t i = 0; i < words; i++)
                out->words[i][row] = ((const int32_t *)(const void *)&output.power_tier)[i];
        }
    }
    return mix_outputs(out, numbers, words);
}

static uint64_t scores_columns(void *state)
{
    return run_columns(state, 3, 0);
}

static uint64_t scores_calls(void *state)
{
    return run_calls(state, 3, 0);
}

static uint64_t all_columns(void *state)
{
    return run_columns(state, NUMBERS, WORDS);
}

static uint64_t all_calls(void *state)
{
    return run_calls(state, NUMBERS, WORDS);
}

static uint64_t scores_formulas(void *state)
{
    struct twins *twins = state;
    const struct inputs *in = &twins->in;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < NODES; i++) {
            const struct scores scores = formulas(
                in->sockets, in->max_w[i], in->cap_pct[i], in->gpu_count[i], in->gpu_max_w[i],
                in->gpu_cap_pct[i], in->power_w[i], in->outside_c[i], in->rack_w[i]);
            twins->out.numbers[0][i] = scores.headroom;
            twins->out.numbers[1][i] = scores.cooling;
            twins->out.numbers[2][i] = scores.psu;
        }
        __asm__ volatile("" ::: "memory"); /* each round is one */
    }
    return mix_outputs(&twins->out, 3, 0);
}

int bench_twin(const struct bench_options *options)
{
    static struct twins twins;
    struct jl_random random = { .state = 2 };
    twins.in.sockets = 2;
    for (size_t i = 0; i < NODES; i++) {
        make_node(&random, &twins.in, i);
        twins.rows[i] = row_of(&twins.in, i);
    }

    const size_t operations = (size_t)NODES * ROUNDS;
    const struct bench_figure figures[] = {
        { "twin.scalar",
          "ns",
          1,
          operations,
          &twins,
          { "ours", scalar_ours },
          { "the formulas alone", scalar_formulas } },
        { "twin.columns",
          "ns",
          1,
          operations,
          &twins,
          { "scores", scores_columns },
          { "one call per row", scores_calls } },
        { "twin.columns.formulas",
          "ns",
          1,
          operations,
          &twins,
          { "scores", scores_columns },
          { "the formulas alone", scores_formulas } },
        { "twin.columns.all",
          "ns",
          1,
          operations,
          &twins,
          { "every number and provenance", all_columns },
          { "one call per row", all_calls } },
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        failed |= bench_measure(&figures[i], options);
    return failed;
}
