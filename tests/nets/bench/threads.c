/* SPDX-License-Identifier: Apache-2.0 */

/* Training of thread profiles beside the same written down plainly: a trace by sscanf() line by
 * line, and k-means point by point with every distance computed when it is needed. */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/elementary.h"
#include "base/number.h"
#include "base/random.h"
#include "bench/bench.h"
#include "threads/analysis.h"
#include "threads/capture.h"

#define EVENTS 400000
#define CPUS 16
#define THREADS 400
#define FIRST_TID 1000
#define POINTS 1000
#define AXES 8
#define MOST 8
#define PIECE ((size_t)64 << 10) /* bytes that a program would read at a time */

/* ---- a trace ---- */

struct recording {
    struct jl_buffer text;
};

/* Every CPU goes from idle to a thread and back. */
static void record(struct recording *recording)
{
    struct jl_random random = { 1 };
    uint64_t us = 1000000;
    uint32_t running[CPUS] = { 0 };
    jl_put_string(&recording->text, "# tracer: nop\n#\n");
    for (size_t i = 0; i < EVENTS; i++) {
        const uint32_t cpu = (uint32_t)jl_random_int(&random, 0, CPUS - 1);
        const uint32_t group = (uint32_t)jl_random_int(&random, 0, THREADS / CPUS - 1);
        const uint32_t thread = FIRST_TID + cpu + CPUS * group;
        const uint32_t now = running[cpu];
        char line[256];
        us += (uint64_t)jl_random_int(&random, 1, 9);
        int len = snprintf(line, sizeof line,
                           "%16s-%-7u [%03u] %s %5llu.%06llu: ", now ? "worker" : "<idle>", now,
                           cpu, now ? "d..2." : "d.h2.", (unsigned long long)(us / 1000000),
                           (unsigned long long)(us % 1000000));
        char *body = line + len;
        const size_t room = sizeof line - (size_t)len;
        if (i % 3 == 0)
            len +=
                snprintf(body, room, "sched_waking: comm=worker pid=%u prio=120 target_cpu=%03u\n",
                         thread, cpu);
        else
            len +=
                snprintf(body, room,
                         "sched_switch: prev_comm=%s prev_pid=%u prev_prio=120 prev_state=%s ==> "
                         "next_comm=%s next_pid=%u next_prio=120\n",
                         now ? "worker" : "swapper/3", now, now ? "S" : "R",
                         now ? "swapper/3" : "worker", now ? 0 : thread);
        if (i % 3 != 0)
            running[cpu] = now ? 0 : thread;
        jl_put(&recording->text, line, (size_t)len);
    }
}

static uint64_t mix_thread(uint64_t sum, uint32_t tid, double run_us, double rate)
{
    sum = bench_mix_number(sum, tid);
    sum = bench_mix_number(sum, run_us);
    return bench_mix_number(sum, floor(rate));
}

static uint64_t read_ours(void *state)
{
    const struct recording *recording = state;
    struct jl_arena arena = { 0 };
    struct jl_thread_analysis analysis = { .has = 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_thread_trace *capture = NULL;
    uint64_t sum = 0;
    int rc = joulie_thread_trace_new(&capture, &err);
    for (size_t at = 0; rc == 0 && at < recording->text.len; at += PIECE) {
        const size_t left = recording->text.len - at;
        rc = joulie_thread_trace_feed(capture, recording->text.data + at,
                                      left < PIECE ? left : PIECE, &err);
    }
    if (rc == 0)
        rc = jl_capture_end(capture, &arena, 1, &analysis, &err);
    if (rc != 0) {
        fprintf(stderr, "bench: %s\n", err.message);
        exit(1);
    }
    for (size_t i = 0; i < analysis.threads.count; i++) {
        const struct jl_thread_features *thread = JL_ITEM(analysis.threads, jl_thread_features, i);
        sum = mix_thread(sum, (uint32_t)thread->tid, thread->run_us, thread->rate);
    }
    joulie_thread_trace_free(capture);
    jl_arena_clear(&arena);
    return sum;
}

struct plain_thread {
    int64_t since_ns, run_ns;
    uint64_t sleeps;
    int is_seen, is_running;
};

struct plain_trace {
    struct plain_thread threads[FIRST_TID + THREADS + CPUS];
    int64_t first_ns, last_ns;
};

static void take_plain_line(struct plain_trace *trace, const char *line)
{
    unsigned cpu, prev, next;
    unsigned long long s, us;
    char comm[32], flags[16], state[8];
    if (sscanf(line, " %31s [%u] %15s %llu.%llu:", comm, &cpu, flags, &s, &us) != 5)
        return;
    const int64_t ns = (int64_t)(s * 1000000 + us) * 1000;
    if (trace->first_ns == 0)
        trace->first_ns = ns;
    trace->last_ns = ns;
    const char *body = strstr(line, ": sched_");
    if (sscanf(body,
               ": sched_switch: prev_comm=%31s prev_pid=%u prev_prio=%*d prev_state=%7s ==> "
               "next_comm=%31s next_pid=%u",
               comm, &prev, state, comm, &next) == 5) {
        trace->threads[prev].run_ns += ns - trace->threads[prev].since_ns;
        trace->threads[prev].sleeps += state[0] != 'R';
        trace->threads[prev].is_running = 0;
        trace->threads[next].is_seen = 1;
        trace->threads[next].is_running = 1;
        trace->threads[next].since_ns = ns;
    } else if (sscanf(body, ": sched_waking: comm=%31s pid=%u", comm, &next) == 2) {
        trace->threads[next].is_seen = 1;
    }
}

/* Only CPU time and sleeps, which is less than ours does. */
static uint64_t read_plain(void *state)
{
    const struct recording *recording = state;
    struct plain_trace *trace = calloc(1, sizeof *trace);
    char line[512];
    uint64_t sum = 0;
    for (const char *at = recording->text.data; trace && *at;) {
        const char *end = strchr(at, '\n');
        memcpy(line, at, (size_t)(end - at));
        line[end - at] = 0;
        at = end + 1;
        take_plain_line(trace, line);
    }
    for (uint32_t tid = FIRST_TID; trace && tid < FIRST_TID + THREADS + CPUS; tid++) {
        struct plain_thread *thread = &trace->threads[tid];
        const double trace_s = (double)(trace->last_ns - trace->first_ns) / 1e9;
        if (thread->is_running)
            thread->run_ns += trace->last_ns - thread->since_ns;
        if (thread->is_seen)
            sum = mix_thread(sum, tid, (double)thread->run_ns / 1000,
                             (double)thread->sleeps / trace_s);
    }
    free(trace);
    return sum;
}

/* ---- clusters ---- */

struct crowd {
    struct jl_thread_features features[POINTS];
    double points[POINTS][AXES];
    double distances[POINTS][POINTS];
};

/* A few kinds of threads, each with its spread. */
static void gather(struct crowd *crowd)
{
    struct jl_random random = { 7 };
    for (size_t i = 0; i < POINTS; i++) {
        struct jl_thread_features *of = &crowd->features[i];
        const double kind = (double)(i % 5);
        JL_SET(of, tid, (int64_t)i + 1);
        JL_SET(of, comm, "worker");
        JL_SET(of, util, 0.05 + 0.15 * kind + jl_random_range(&random, 0, 0.1));
        JL_SET(of, rate, 30 * jl_exp(kind + jl_random_range(&random, 0, 1)));
        JL_SET(of, p50, 20 * jl_exp(2 * (4 - kind) + jl_random_range(&random, 0, 1)));
        JL_SET(of, p99, of->p50 * jl_random_range(&random, 1, 5));
        JL_SET(of, io, 0.2 * kind * jl_random_unit(&random));
        JL_SET(of, relay, jl_random_unit(&random));
        JL_SET(of, out, of->rate * jl_random_unit(&random));
        JL_SET(of, irq, jl_random_unit(&random));
        crowd->points[i][0] = jl_min(1, jl_log(1 + of->p50) / 0x1.26bb1bbb55516p+1 / 6);
        crowd->points[i][1] = jl_min(1, jl_log(1 + of->p99) / 0x1.26bb1bbb55516p+1 / 6);
        crowd->points[i][2] = jl_min(1, jl_log(1 + of->rate) / 0x1.26bb1bbb55516p+1 / 5);
        crowd->points[i][3] = of->util;
        crowd->points[i][4] = of->io;
        crowd->points[i][5] = of->relay;
        crowd->points[i][6] = jl_min(1, jl_log(1 + of->out) / 0x1.26bb1bbb55516p+1 / 5);
        crowd->points[i][7] = of->irq;
    }
}

static uint64_t cluster_ours(void *state)
{
    const struct crowd *crowd = state;
    struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_thread_features *copy = JL_NEW_ARRAY(&arena, POINTS, struct jl_thread_features);
    struct jl_thread_analysis analysis = { .threads = { copy, POINTS } };
    memcpy(copy, crowd->features, sizeof crowd->features);
    if (jl_thread_analyze(&arena, JL_ANALYSIS_SEED, &analysis, &err) != 0)
        exit(1);
    const uint64_t sum =
        bench_mix_number(bench_mix_number(0, (double)analysis.k), analysis.inertia);
    jl_arena_clear(&arena);
    return sum;
}

static double plain_distance(const double *a, const double *b)
{
    static const double weights[AXES] = { 2, 1, 2, 2, 1, 1, 0.5, 0.5 };
    double sum = 0;
    for (size_t axis = 0; axis < AXES; axis++)
        sum += weights[axis] * ((a[axis] - b[axis]) * (a[axis] - b[axis]));
    return sum;
}

struct plain_clusters {
    double centres[MOST][AXES];
    int of[POINTS];
    double inertia;
};

static void seed_plain(const struct crowd *crowd, struct jl_random *random, int k,
                       struct plain_clusters *out)
{
    double nearest[POINTS];
    size_t chosen = (size_t)floor(jl_random_unit(random) * POINTS);
    for (int c = 0; c < k; c++) {
        double sum = 0, running = 0;
        memcpy(out->centres[c], crowd->points[chosen], sizeof out->centres[c]);
        for (size_t i = 0; i < POINTS; i++) {
            const double away = plain_distance(crowd->points[i], out->centres[c]);
            nearest[i] = c == 0 || away < nearest[i] ? away : nearest[i];
            sum += nearest[i];
        }
        if (c + 1 == k)
            break;
        const double until = jl_random_unit(random) * sum;
        for (chosen = 0; chosen < POINTS && (running += nearest[chosen]) <= until;)
            chosen++;
    }
}

static void settle_plain(const struct crowd *crowd, int k, struct plain_clusters *out)
{
    for (int round = 0; round < 100; round++) {
        double sums[MOST][AXES] = { { 0 } };
        int sizes[MOST] = { 0 }, changes = 0;
        out->inertia = 0;
        for (size_t i = 0; i < POINTS; i++) {
            int best = 0;
            double least = DBL_MAX;
            for (int c = 0; c < k; c++) {
                const double away = plain_distance(crowd->points[i], out->centres[c]);
                best = away < least ? c : best;
                least = away < least ? away : least;
            }
            changes += round == 0 || out->of[i] != best;
            out->of[i] = best;
            out->inertia += least;
            sizes[best]++;
            for (size_t axis = 0; axis < AXES; axis++)
                sums[best][axis] += crowd->points[i][axis];
        }
        if (changes == 0)
            return;
        for (int c = 0; c < k; c++) {
            for (size_t axis = 0; axis < AXES; axis++)
                out->centres[c][axis] = sums[c][axis] / sizes[c];
        }
    }
}

static double plain_silhouette(const struct crowd *crowd, const struct plain_clusters *found, int k)
{
    double total = 0;
    for (size_t i = 0; i < POINTS; i++) {
        double sums[MOST] = { 0 }, outside = DBL_MAX;
        int sizes[MOST] = { 0 };
        for (size_t j = 0; j < POINTS; j++) {
            sums[found->of[j]] += crowd->distances[i][j];
            sizes[found->of[j]]++;
        }
        const int own = found->of[i];
        if (sizes[own] == 1)
            continue;
        for (int c = 0; c < k; c++) {
            if (c != own && sums[c] / sizes[c] < outside)
                outside = sums[c] / sizes[c];
        }
        const double inside = sums[own] / (sizes[own] - 1);
        total += (outside - inside) / (inside > outside ? inside : outside);
    }
    return total;
}

/* The usual way: a matrix of distances, each centre compared with each point in every round. */
static uint64_t cluster_plain(void *state)
{
    struct crowd *crowd = state;
    double best_silhouette = -DBL_MAX, best_inertia = 0;
    int best_k = 0;
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < POINTS; j++)
            crowd->distances[i][j] = sqrt(plain_distance(crowd->points[i], crowd->points[j]));
    }
    for (int k = 2; k <= MOST; k++) {
        struct jl_random random = { JL_ANALYSIS_SEED + (uint64_t)k };
        struct plain_clusters best = { .inertia = DBL_MAX };
        for (int restart = 0; restart < 8; restart++) {
            struct plain_clusters found;
            seed_plain(crowd, &random, k, &found);
            settle_plain(crowd, k, &found);
            if (found.inertia < best.inertia - 1e-12)
                best = found;
        }
        const double silhouette = plain_silhouette(crowd, &best, k);
        if (silhouette > best_silhouette) {
            best_silhouette = silhouette;
            best_inertia = best.inertia;
            best_k = k;
        }
    }
    return bench_mix_number(bench_mix_number(0, best_k), best_inertia);
}

int bench_threads(const struct bench_options *options)
{
    static struct recording recording;
    struct crowd *crowd = calloc(1, sizeof *crowd);
    const struct bench_figure reading = {
        .name = "threads.trace",
        .unit = "ns",
        .unit_ns = 1,
        .operations = EVENTS,
        .state = &recording,
        .ours = { "one event of a trace", read_ours },
        .baseline = { "sscanf, CPU time and sleeps only", read_plain },
    };
    const struct bench_figure clustering = {
        .name = "threads.cluster.1000",
        .unit = "ms",
        .unit_ns = 1e6,
        .operations = 1,
        .state = crowd,
        .ours = { "1000 threads", cluster_ours },
        .baseline = { "point by point", cluster_plain },
    };
    if (crowd == NULL)
        return 1;
    gather(crowd);
    if (bench_is_asked(&reading, options))
        record(&recording);
    const int rc = bench_measure(&reading, options) | bench_measure(&clustering, options);
    jl_buffer_clear(&recording.text);
    free(crowd);
    return rc;
}
