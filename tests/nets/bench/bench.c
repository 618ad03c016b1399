/* SPDX-License-Identifier: Apache-2.0 */

/* bench [--json] [--cpu] [--runs N] [--only PREFIX]: ratios against a baseline, side by side in one
 * process. */

#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_RUNS 99

static double now_ns(const struct bench_options *options)
{
    struct timespec time;
    clock_gettime(options->is_cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

uint64_t bench_mix(uint64_t sum, const void *bytes, size_t len)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    return sum;
}

uint64_t bench_mix_number(uint64_t sum, double value)
{
    return bench_mix(sum, &value, sizeof value);
}

static double timed(const struct bench_side *side, void *state, const struct bench_options *options,
                    uint64_t *sum)
{
    const double start = now_ns(options);
    *sum = side->run(state);
    return now_ns(options) - start;
}

static void print(const struct bench_figure *figure, const struct bench_options *options,
                  double ours, double baseline)
{
    const int has_baseline = figure->baseline.run != NULL;
    if (options->is_json) {
        printf("{\"name\":\"%s\",\"unit\":\"%s\",\"ours\":%.6g", figure->name, figure->unit, ours);
        if (has_baseline)
            printf(",\"baseline\":{\"name\":\"%s\",\"value\":%.6g},\"ratio\":%.4g",
                   figure->baseline.name, baseline, baseline / ours);
        printf(",\"runs\":%d}\n", options->runs);
        return;
    }
    printf("%-22s %10.4g %-3s", figure->name, ours, figure->unit);
    if (has_baseline)
        printf("   %-28s %10.4g %-3s  %6.2fx", figure->baseline.name, baseline, figure->unit,
               baseline / ours);
    printf("\n");
}

int bench_is_asked(const struct bench_figure *figure, const struct bench_options *options)
{
    return options->only == NULL ||
           strncmp(figure->name, options->only, strlen(options->only)) == 0;
}

int bench_measure_prepared(const struct bench_figure *figure, void (*prepare)(void *state),
                           const struct bench_options *options)
{
    double ours[MAX_RUNS];
    double baseline[MAX_RUNS];
    uint64_t our_sum = 0;
    uint64_t baseline_sum = 0;
    if (!bench_is_asked(figure, options))
        return 0;

    for (int i = 0; i < options->runs; i++) {
        if (prepare)
            prepare(figure->state);
        ours[i] = timed(&figure->ours, figure->state, options, &our_sum);
        if (!figure->baseline.run)
            continue;
        baseline[i] = timed(&figure->baseline, figure->state, options, &baseline_sum);
        if (our_sum != baseline_sum) {
            fprintf(stderr, "%s: the checksums differ\n", figure->name);
            return 1;
        }
    }
    const double per_operation = (double)figure->operations * figure->unit_ns;
    print(figure, options, median(ours, options->runs) / per_operation,
          figure->baseline.run ? median(baseline, options->runs) / per_operation : 0);
    fflush(stdout);
    return 0;
}

int bench_measure(const struct bench_figure *figure, const struct bench_options *options)
{
    return bench_measure_prepared(figure, NULL, options);
}

int main(int argc, char **argv)
{
    struct bench_options options = { .runs = 9 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            options.is_json = 1;
        } else if (strcmp(argv[i], "--cpu") == 0) {
            options.is_cpu = 1;
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            options.runs = (int)strtol(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            options.only = argv[++i];
        } else {
            fprintf(stderr, "usage: bench [--json] [--cpu] [--runs N] [--only PREFIX]\n");
            return 2;
        }
    }
    if (options.runs < 1 || options.runs > MAX_RUNS) {
        fprintf(stderr, "bench: --runs is 1 to %d\n", MAX_RUNS);
        return 2;
    }
    return bench_codec(&options) | bench_twin(&options) | bench_decisions(&options) |
           bench_beat(&options) | bench_cluster(&options) | bench_extend(&options) |
           bench_simulation(&options) | bench_threads(&options) | bench_autoscale(&options) |
           bench_autoscale_engine(&options);
}
