/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One figure = one job done by the library and, where there is one, by a baseline in the same
 * process. Runs are interleaved and both sides return a checksum over their results, which must be
 * equal: a figure cannot get fast by not doing its job.
 */

#include <stddef.h>
#include <stdint.h>

struct bench_side {
    const char *name;
    uint64_t (*run)(void *state); /* one run over all operations; returns the checksum */
};

struct bench_figure {
    const char *name;  /* "decode.nodetwin" */
    const char *unit;  /* of one operation: "ns", "us", "ms" */
    double unit_ns;    /* nanoseconds in one unit */
    size_t operations; /* per run */
    void *state;
    struct bench_side ours;
    struct bench_side baseline; /* run NULL = none */
};

struct bench_options {
    int is_json;
    int is_cpu; /* time of the processor, which other programs do not stretch */
    int runs;
    const char *only; /* prefix of names, NULL = all */
};

/* Whether options->only lets it run: for a figure that is costly to prepare. */
int bench_is_asked(const struct bench_figure *figure, const struct bench_options *options);

/* Measures and prints one figure. Returns 0, or 1 when the checksums differ. */
int bench_measure(const struct bench_figure *figure, const struct bench_options *options);
/* The same with something that happens before each run and is not timed. */
int bench_measure_prepared(const struct bench_figure *figure, void (*prepare)(void *state),
                           const struct bench_options *options);

uint64_t bench_mix(uint64_t sum, const void *bytes, size_t len);
uint64_t bench_mix_number(uint64_t sum, double value);

int bench_autoscale(const struct bench_options *options);
int bench_autoscale_engine(const struct bench_options *options);
int bench_codec(const struct bench_options *options);
int bench_decisions(const struct bench_options *options);
int bench_extend(const struct bench_options *options);
int bench_beat(const struct bench_options *options);
int bench_cluster(const struct bench_options *options);
int bench_twin(const struct bench_options *options);
int bench_threads(const struct bench_options *options);
int bench_simulation(const struct bench_options *options);
