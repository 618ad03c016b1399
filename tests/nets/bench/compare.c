/* SPDX-License-Identifier: Apache-2.0 */

/* Our side of compare.py: `bench_compare FOLDER` reads twins.json and columns.bin. One line of
 * standard input names a figure, one line of output answers with nanoseconds and a CRC-32 of the
 * results. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <joulie/twin.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/crc32.h"
#include "kinds/node_twin.h"
#include "schema/decode.h"
#include "schema/encode.h"

enum { SOCKETS, CORES, CPU_MAX, CPU_PCT, GPUS, GPU_MAX, GPU_PCT, POWER, OUTSIDE, RACK, COLUMNS };

enum { HEADROOM, COOLING, PSU, OUTPUTS };

#define RECORD twin_list
#define MEMBERS LIST(items, "items", jl_node_twin, "The objects.")
#include "schema/record.h"

struct work {
    char *text;
    size_t len;
    struct jl_arena arena;
    struct twin_list list;
    struct jl_buffer printed;
    struct jl_buffer checked; /* what the checksum is made of */

    double *columns; /* COLUMNS of them, one after the other */
    size_t rows;
    struct joulie_twin_input *inputs; /* the same, a struct for each node */
    uint64_t *has;
    double *results; /* OUTPUTS in each row */
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_compare: %s\n", what);
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static char *read_file(const char *folder, const char *name, size_t *out_len)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail(path);
    const long size = ftell(file);
    rewind(file);
    char *bytes = size > 0 ? malloc((size_t)size + 1) : NULL;
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        fail(path);
    fclose(file);
    bytes[size] = '\0';
    *out_len = (size_t)size;
    return bytes;
}

static int64_t decode(struct work *work, uint32_t *sum)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jl_arena_reset(&work->arena);
    const int64_t start = now_ns();
    struct jl_decode request = {
        .arena = &work->arena, .text = work->text, .len = work->len, .err = &err
    };
    if (jl_decode_document(&request, &twin_list_table, &work->list) != 0)
        fail(err.message);
    const int64_t took = now_ns() - start;

    jl_buffer_reset(&work->checked);
    for (size_t i = 0; i < work->list.items.count; i++) {
        const struct jl_node_twin *twin = JL_ITEM(work->list.items, jl_node_twin, i);
        const double numbers[] = { twin->spec.cpu.cap_pct, twin->status.power.measured_node_power_w,
                                   twin->status.power_headroom_score };
        jl_put_string(&work->checked, twin->spec.node_name);
        jl_put(&work->checked, (const char *)numbers, sizeof numbers);
    }
    *sum = jl_crc32(work->checked.data, work->checked.len);
    return took;
}

static int64_t encode(struct work *work, uint32_t *sum)
{
    if (work->list.items.count == 0)
        decode(work, sum);
    const int64_t start = now_ns();
    jl_buffer_reset(&work->printed);
    for (size_t i = 0; i < work->list.items.count; i++) {
        jl_encode(&work->printed, &jl_node_twin_table, JL_ITEM(work->list.items, jl_node_twin, i));
        jl_put_char(&work->printed, '\n');
    }
    const int64_t took = now_ns() - start;
    *sum = jl_crc32(work->printed.data, work->printed.len);
    return took;
}

static uint32_t sum_of_results(const struct work *work)
{
    return jl_crc32(work->results, work->rows * OUTPUTS * sizeof *work->results);
}

static int64_t predict(struct work *work, uint32_t *sum)
{
    const int64_t start = now_ns();
    for (size_t i = 0; i < work->rows; i++) {
        struct joulie_twin_output output = JOULIE_INIT(struct joulie_twin_output);
        if (joulie_twin_predict(&work->inputs[i], &output, NULL) != 0)
            fail("a node cannot be predicted");
        double *results = work->results + OUTPUTS * i;
        results[HEADROOM] = output.power_headroom_score;
        results[COOLING] = output.cooling_stress_score;
        results[PSU] = output.psu_stress_score;
    }
    const int64_t took = now_ns() - start;
    *sum = sum_of_results(work);
    return took;
}

static struct joulie_column column_of(const struct work *work, size_t index)
{
    return (struct joulie_column){ work->columns + index * work->rows, sizeof(double) };
}

static struct joulie_column_out result_of(const struct work *work, size_t index)
{
    return (struct joulie_column_out){ work->results + index, OUTPUTS * sizeof(double) };
}

static int64_t columns(struct work *work, uint32_t *sum)
{
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    in.has = (struct joulie_column_bits){ work->has, sizeof *work->has };
    in.cpu_sockets = column_of(work, SOCKETS);
    in.cpu_cores = column_of(work, CORES);
    in.cpu_max_w = column_of(work, CPU_MAX);
    in.cpu_cap_pct = column_of(work, CPU_PCT);
    in.gpu_count = column_of(work, GPUS);
    in.gpu_max_w = column_of(work, GPU_MAX);
    in.gpu_cap_pct = column_of(work, GPU_PCT);
    in.measured_node_power_w = column_of(work, POWER);
    in.outside_temp_c = column_of(work, OUTSIDE);
    in.rack_total_power_w = column_of(work, RACK);
    out.power_headroom_score = result_of(work, HEADROOM);
    out.cooling_stress_score = result_of(work, COOLING);
    out.psu_stress_score = result_of(work, PSU);

    size_t failed = 0;
    const int64_t start = now_ns();
    const int rc = joulie_twin_predict_columns(&in, work->rows, &out, &failed, NULL);
    const int64_t took = now_ns() - start;
    if (rc != 0 || failed != 0)
        fail("the columns cannot be predicted");
    *sum = sum_of_results(work);
    return took;
}

static void fill_input(const struct work *work, size_t i, struct joulie_twin_input *out)
{
    const double *at = work->columns + i;
    *out = (struct joulie_twin_input){
        .struct_size = sizeof *out,
        .has = work->has[i],
        .cpu_sockets = at[SOCKETS * work->rows],
        .cpu_cores = at[CORES * work->rows],
        .cpu_max_w = at[CPU_MAX * work->rows],
        .cpu_cap_pct = at[CPU_PCT * work->rows],
        .gpu_count = at[GPUS * work->rows],
        .gpu_max_w = at[GPU_MAX * work->rows],
        .gpu_cap_pct = at[GPU_PCT * work->rows],
        .measured_node_power_w = at[POWER * work->rows],
        .outside_temp_c = at[OUTSIDE * work->rows],
        .rack_total_power_w = at[RACK * work->rows],
    };
}

static void read_columns(struct work *work, const char *folder)
{
    size_t len;
    work->columns = (double *)(void *)read_file(folder, "columns.bin", &len);
    work->rows = len / sizeof(double) / COLUMNS;
    work->has = calloc(work->rows, sizeof *work->has);
    work->inputs = calloc(work->rows, sizeof *work->inputs);
    work->results = calloc(work->rows * OUTPUTS, sizeof *work->results);
    if (!work->has || !work->inputs || !work->results)
        fail("out of memory");
    for (size_t i = 0; i < work->rows; i++) {
        work->has[i] = JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_CORES |
                       JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_CPU_CAP_PCT |
                       JOULIE_TWIN_HAS_NODE_POWER | JOULIE_TWIN_HAS_OUTSIDE_TEMP |
                       JOULIE_TWIN_HAS_RACK_POWER;
        if (work->columns[GPUS * work->rows + i] > 0)
            work->has[i] |=
                JOULIE_TWIN_HAS_GPU_COUNT | JOULIE_TWIN_HAS_GPU_MAX | JOULIE_TWIN_HAS_GPU_CAP_PCT;
        fill_input(work, i, &work->inputs[i]);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int64_t (*run)(struct work *work, uint32_t *sum);
    } figures[] = {
        { "decode", decode }, { "encode", encode }, { "predict", predict }, { "columns", columns }
    };
    static struct work work;
    char line[64];
    if (argc != 2)
        fail("usage: bench_compare FOLDER");
    work.text = read_file(argv[1], "twins.json", &work.len);
    read_columns(&work, argv[1]);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        size_t i = 0;
        while (i < JL_COUNT(figures) && strcmp(figures[i].name, line) != 0)
            i++;
        if (i == JL_COUNT(figures))
            fail(line);
        uint32_t sum = 0;
        const int64_t took = figures[i].run(&work, &sum);
        printf("%lld %08x\n", (long long)took, sum);
        fflush(stdout);
    }
    return 0;
}
