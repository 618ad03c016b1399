/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Steps and placement of the cluster model:
 *
 * - cluster.step.5000: every node reports a new power and 1 % of them change class; the figure is
 *   the readings and pods handed over, the step, and its outcomes taken back.
 * - cluster.fill.10000: 10,000 nodes, their hardware, 100,000 pods and a reading of each node into
 *   an empty model: what comes before the next one.
 * - cluster.plan.10000: the first step of a model that was filled so: everything is decided and
 *   every write offered.
 * - cluster.pod.10000, cluster.reading.10000: one pod, one reading handed over, and the step after
 *   it.
 * - cluster.place.5000: filter and score of every node for one piece of work, into columns.
 *
 * Checksums are over everything that was decided. Before the plan is timed, a step after a pod and
 * a reading came is compared with the first step of a model that knew them; before the placement,
 * its columns with the scores of the same pod as an object.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/bench.h"
#include "cluster/model.h"

#define START_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define STEP_MS INT64_C(60000)
#define NAME_BYTES 32
#define RACK_NODES 40

static void check(int rc, const struct joulie_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench: %s: %s\n", err->where, err->message);
    exit(1);
}

/* ---- objects ---- */

struct fleet {
    struct joulie_cluster *cluster;
    char (*names)[NAME_BYTES];
    size_t count;
    int64_t now_ms;
};

static void new_model(struct fleet *fleet)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_cluster_config config = { 0 };
    check(jl_cluster_make(&config, &fleet->cluster, &err), &err);
}

static void name_nodes(struct fleet *fleet, size_t count)
{
    fleet->count = count;
    fleet->names = calloc(count, sizeof *fleet->names);
    if (fleet->names == NULL)
        exit(1);
    for (size_t i = 0; i < count; i++)
        snprintf(fleet->names[i], NAME_BYTES, "node-%05zu", i);
}

static void put_node(struct fleet *fleet, size_t i, const char *rack)
{
    const struct jl_pair labels[] = { { "joulie.io/managed", "true" }, { "joulie.io/rack", rack } };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_node node = { 0 };
    struct jl_node_hardware hardware = { 0 };
    const char *name = fleet->names[i];
    JL_MARK(&node, JL_ROOT_META);
    JL_SET(&node.meta, name, name);
    JL_SET(&node.meta, labels, ((struct jl_map){ labels, 2 }));
    check(jl_cluster_put_node(fleet->cluster, &node, &err), &err);

    struct jl_hw_cpu *cpu = &hardware.status.cpu;
    JL_MARK(&hardware, JL_ROOT_META);
    JL_MARK(&hardware, JL_ROOT_SPEC);
    JL_MARK(&hardware, JL_ROOT_STATUS);
    JL_SET(&hardware.meta, name, name);
    JL_SET(&hardware.spec, node_name, name);
    hardware.status.given.cpu = true;
    JL_SET(cpu, raw_model, "AMD EPYC 9654 96-Core Processor");
    JL_SET(cpu, sockets, 2);
    JL_SET(cpu, total_cores, 192);
    cpu->given.cap_range = true;
    JL_SET(&cpu->cap_range, max_w, 360);
    check(jl_cluster_put_hardware(fleet->cluster, &hardware, &err), &err);
}

static void put_pod(struct fleet *fleet, const char *name, size_t node, const char *class_word)
{
    const struct jl_pair class_ = { "joulie.io/workload-class", class_word };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_pod pod = { 0 };
    JL_MARK(&pod, JL_ROOT_META);
    JL_MARK(&pod, JL_ROOT_SPEC);
    JL_MARK(&pod, JL_ROOT_STATUS);
    JL_SET(&pod.meta, name, name);
    JL_SET(&pod.meta, name_space, "d");
    JL_SET(&pod.meta, annotations, ((struct jl_map){ &class_, 1 }));
    JL_SET(&pod.spec, node_name, fleet->names[node]);
    JL_SET(&pod.status, phase, "Running");
    check(jl_cluster_put_pod(fleet->cluster, &pod, &err), &err);
}

static void measure(struct fleet *fleet, size_t i, double watts)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_sample sample = { .struct_size = sizeof sample, .at_ms = fleet->now_ms };
    sample.has |= JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.node_power_w = watts;
    sample.source = JOULIE_POWER_SOURCE_HTTP;
    check(joulie_cluster_put_sample(fleet->cluster, fleet->names[i], &sample, &err), &err);
}

struct decided {
    const struct jl_cluster_write *items;
    size_t count;
};

static struct decided decide(struct fleet *fleet)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct decided out = { 0 };
    check(jl_cluster_step(fleet->cluster, fleet->now_ms, &out.items, &out.count, &err), &err);
    return out;
}

static void take_back(struct fleet *fleet, const struct decided *decided)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    for (size_t i = 0; i < decided->count; i++)
        check(joulie_cluster_action_done(fleet->cluster, decided->items[i].id,
                                         JOULIE_OUTCOME_APPLIED, &err),
              &err);
}

static uint64_t sum_of(const struct decided *decided)
{
    uint64_t sum = decided->count;
    for (size_t i = 0; i < decided->count; i++) {
        const struct jl_cluster_write *action = &decided->items[i];
        sum = bench_mix(sum, &action->change, sizeof action->change);
        sum = bench_mix(sum, action->node_name, strlen(action->node_name));
        if (action->spec != NULL)
            sum = bench_mix_number(sum, action->spec->cpu.cap_pct);
        if (action->status != NULL)
            sum = bench_mix_number(sum, action->status->power_headroom_score);
    }
    return sum;
}

/* ---- cluster.step.5000 ---- */

#define NODES 5000
#define CHANGED 50

struct stepper {
    struct fleet fleet;
    struct jl_random random;
    int round;
    char pods[CHANGED][NAME_BYTES];
    size_t writes;
};

/* Performance pods come and go on nodes that are planned eco: those nodes start or stop draining.
 */
static void move_pods(struct stepper *stepper)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    for (size_t i = 0; i < CHANGED; i++) {
        if (stepper->round % 2 == 1)
            check(joulie_cluster_remove(stepper->fleet.cluster, "Pod", "d", stepper->pods[i], &err),
                  &err);
        else
            put_pod(&stepper->fleet, stepper->pods[i], NODES - 1 - i, "performance");
    }
}

static void step(struct stepper *stepper)
{
    struct fleet *fleet = &stepper->fleet;
    fleet->now_ms += STEP_MS;
    stepper->round++;
    move_pods(stepper);
    for (size_t i = 0; i < NODES; i++)
        measure(fleet, i, jl_random_range(&stepper->random, 300, 303));
    joulie_cluster_heartbeat(fleet->cluster, fleet->now_ms);
    const struct decided decided = decide(fleet);
    stepper->writes = decided.count;
    take_back(fleet, &decided);
}

static uint64_t run_step(void *state)
{
    struct stepper *stepper = state;
    step(stepper);
    return stepper->writes;
}

static int bench_step(const struct bench_options *options)
{
    static struct stepper stepper = { .random = { .state = 3 }, .fleet = { .now_ms = START_MS } };
    struct fleet *fleet = &stepper.fleet;
    name_nodes(fleet, NODES);
    new_model(fleet);
    for (size_t i = 0; i < NODES; i++)
        put_node(fleet, i, "r1");
    for (size_t i = 0; i < CHANGED; i++)
        snprintf(stepper.pods[i], NAME_BYTES, "pod-%zu", i);
    for (int i = 0; i < 3; i++) /* the first steps write everything */
        step(&stepper);
    if (stepper.writes < CHANGED || stepper.writes > 10 * CHANGED) {
        fprintf(stderr, "bench: %zu writes in a step, about %d were meant\n", stepper.writes,
                2 * CHANGED);
        return 1;
    }
    const struct bench_figure figure = {
        "cluster.step.5000", "ms", 1e6, 1, &stepper, { "ours", run_step }, { NULL, NULL },
    };
    const int failed = bench_measure(&figure, options);
    joulie_cluster_free(fleet->cluster);
    free(fleet->names);
    return failed;
}

/* ---- 10,000 nodes, 100,000 pods ---- */

#define MANY_NODES 10000
#define MANY_PODS 100000

struct planner {
    struct fleet fleet;
    uint64_t sum;  /* of the last step */
    int has_model; /* filled, not stepped */
    size_t turn;
};

static void fill(struct planner *planner)
{
    struct fleet *fleet = &planner->fleet;
    char text[NAME_BYTES];
    new_model(fleet);
    for (size_t i = 0; i < MANY_NODES; i++) {
        snprintf(text, sizeof text, "rack-%zu", i / RACK_NODES);
        put_node(fleet, i, text);
    }
    for (size_t i = 0; i < MANY_PODS; i++) {
        snprintf(text, sizeof text, "pod-%06zu", i);
        put_pod(fleet, text, i % MANY_NODES, i % 7 == 0 ? "performance" : "standard");
    }
    for (size_t i = 0; i < MANY_NODES; i++)
        measure(fleet, i, 300 + (double)(i % 97));
    joulie_cluster_heartbeat(fleet->cluster, fleet->now_ms);
}

static void drop(struct planner *planner)
{
    joulie_cluster_free(planner->fleet.cluster);
    planner->fleet.cluster = NULL;
}

static uint64_t run_fill(void *state)
{
    struct planner *planner = state;
    drop(planner);
    fill(planner);
    return 0;
}

static uint64_t run_plan(void *state)
{
    struct planner *planner = state;
    const struct decided decided = decide(&planner->fleet);
    return sum_of(&decided);
}

static void prepare_plan(void *state)
{
    (void)run_fill(state);
}

/* One pod of the class that keeps an eco node from saving, put and taken away in turns. */
static uint64_t run_pod(void *state)
{
    struct planner *planner = state;
    struct fleet *fleet = &planner->fleet;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (planner->turn++ % 2 == 0)
        put_pod(fleet, "one-more", MANY_NODES - 1 - (planner->turn / 2 * 71) % MANY_NODES,
                "performance");
    else
        check(joulie_cluster_remove(fleet->cluster, "Pod", "d", "one-more", &err), &err);
    const struct decided decided = decide(fleet);
    return sum_of(&decided);
}

static uint64_t run_reading(void *state)
{
    struct planner *planner = state;
    struct fleet *fleet = &planner->fleet;
    planner->turn++;
    measure(fleet, (planner->turn * 71) % MANY_NODES, planner->turn % 2 == 0 ? 300 : 500);
    const struct decided decided = decide(fleet);
    return sum_of(&decided);
}

static void settle(struct fleet *fleet)
{
    struct decided decided;
    do {
        decided = decide(fleet);
        take_back(fleet, &decided);
    } while (decided.count > 0);
}

static int bench_plan(const struct bench_options *options)
{
    static struct planner planner = { .fleet = { .now_ms = START_MS } };
    const struct bench_figure plan = {
        "cluster.plan.10000", "ms", 1e6, 1, &planner, { "ours", run_plan }, { NULL, NULL },
    };
    const struct bench_figure figures[] = {
        { "cluster.fill.10000", "ms", 1e6, 1, &planner, { "ours", run_fill }, { NULL, NULL } },
        { "cluster.pod.10000", "us", 1e3, 1, &planner, { "ours", run_pod }, { NULL, NULL } },
        { "cluster.reading.10000",
          "us",
          1e3,
          1,
          &planner,
          { "ours", run_reading },
          { NULL, NULL } },
    };
    name_nodes(&planner.fleet, MANY_NODES);
    int failed =
        bench_measure_prepared(&plan, prepare_plan, options) | bench_measure(&figures[0], options);
    if (planner.fleet.cluster == NULL)
        fill(&planner);
    settle(&planner.fleet);
    failed |= bench_measure(&figures[1], options);
    settle(&planner.fleet);
    failed |= bench_measure(&figures[2], options);
    drop(&planner);
    free(planner.fleet.names);
    return failed;
}

/* ---- cluster.place.5000 ---- */

struct placer {
    struct fleet fleet;
    int32_t *reject;
    int32_t *score;
    double *raw;
};

static uint64_t mix_answers(const struct placer *placer)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < NODES; i++) {
        sum = sum * 31 + (uint64_t)placer->reject[i] * 7 + (uint64_t)placer->score[i];
        sum = bench_mix_number(sum, placer->raw[i]);
    }
    return sum;
}

static struct joulie_work some_work(void)
{
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    work.has = JOULIE_WORK_HAS_CPU | JOULIE_WORK_HAS_MEMORY;
    work.cpu_cores = 2;
    work.memory_bytes = 4294967296.0;
    work.workload_class = JOULIE_WORKLOAD_STANDARD;
    return work;
}

static void place(const struct placer *placer)
{
    const struct joulie_work work = some_work();
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    size_t count = 0;
    out.reject = (struct joulie_column_int_out){ placer->reject, sizeof *placer->reject };
    out.score = (struct joulie_column_int_out){ placer->score, sizeof *placer->score };
    out.raw = (struct joulie_column_out){ placer->raw, sizeof *placer->raw };
    check(joulie_cluster_place(placer->fleet.cluster, &work, placer->fleet.now_ms, NULL, &out,
                               NODES, &count, &err),
          &err);
}

static uint64_t run_place(void *state)
{
    const struct placer *placer = state;
    place(placer);
    return (uint64_t)placer->score[NODES / 2];
}

/* The same of the pod as an object, for the checksum. */
static int is_place_right(const struct placer *placer)
{
    const struct jl_pair requests[] = { { "cpu", "2" }, { "memory", "4Gi" } };
    struct jl_container container = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_pod pod = { 0 };
    const struct jl_cluster_score *scores = NULL;
    size_t count = 0;
    uint64_t sum = 0;
    JL_SET(&container.resources, requests, ((struct jl_map){ requests, 2 }));
    container.given.resources = true;
    JL_SET(&pod.spec, containers, ((struct jl_list){ &container, 1 }));
    check(jl_cluster_score_pod(placer->fleet.cluster, &pod, placer->fleet.now_ms, &scores, &count,
                               &err),
          &err);
    place(placer);
    for (size_t i = 0; i < count; i++) {
        sum = sum * 31 + (uint64_t)(scores[i].rejected != NULL) * 7 + (uint64_t)scores[i].score;
        sum = bench_mix_number(sum, scores[i].raw);
    }
    return count == NODES && sum == mix_answers(placer);
}

static int bench_place(const struct bench_options *options)
{
    struct placer placer = { .fleet = { .now_ms = START_MS } };
    placer.reject = calloc(NODES, sizeof *placer.reject);
    placer.score = calloc(NODES, sizeof *placer.score);
    placer.raw = calloc(NODES, sizeof *placer.raw);
    if (placer.reject == NULL || placer.score == NULL || placer.raw == NULL)
        exit(1);
    name_nodes(&placer.fleet, NODES);
    new_model(&placer.fleet);
    for (size_t i = 0; i < NODES; i++) {
        put_node(&placer.fleet, i, "r1");
        measure(&placer.fleet, i, 100 + (double)(i % 600));
    }
    settle(&placer.fleet);
    int failed = !is_place_right(&placer);
    if (failed)
        fprintf(stderr, "bench: cluster.place: columns and objects differ\n");
    const struct bench_figure figure = {
        "cluster.place.5000", "us", 1e3, 1, &placer, { "ours", run_place }, { NULL, NULL },
    };
    failed |= bench_measure(&figure, options);
    joulie_cluster_free(placer.fleet.cluster);
    free(placer.fleet.names);
    free(placer.reject);
    free(placer.score);
    free(placer.raw);
    return failed;
}

/* ---- incremental = from scratch ---- */

/* What a model decides after a pod or reading came is what one decides that knew it all along. */
static int is_plan_right(struct planner *planner)
{
    struct fleet *fleet = &planner->fleet;
    uint64_t sums[2];
    for (int is_late = 0; is_late < 2; is_late++) {
        drop(planner);
        fill(planner);
        if (is_late)
            (void)decide(fleet);
        put_pod(fleet, "one-more", MANY_NODES - 1, "performance");
        measure(fleet, 17, 555);
        const struct decided decided = decide(fleet);
        sums[is_late] = sum_of(&decided);
    }
    return sums[0] == sums[1];
}

static int bench_checks(void)
{
    static struct planner planner = { .fleet = { .now_ms = START_MS } };
    name_nodes(&planner.fleet, MANY_NODES);
    const int is_right = is_plan_right(&planner);
    if (!is_right)
        fprintf(stderr, "bench: cluster.plan: incremental and from scratch differ\n");
    drop(&planner);
    free(planner.fleet.names);
    return !is_right;
}

static int is_wanted(const struct bench_options *options, const char *name)
{
    const size_t len = options->only != NULL ? strlen(options->only) : 0;
    const size_t name_len = strlen(name);
    return strncmp(name, options->only != NULL ? options->only : "",
                   len < name_len ? len : name_len) == 0;
}

int bench_cluster(const struct bench_options *options)
{
    int failed = 0;
    if (is_wanted(options, "cluster.step"))
        failed |= bench_step(options);
    if (is_wanted(options, "cluster.plan") || is_wanted(options, "cluster.fill") ||
        is_wanted(options, "cluster.pod") || is_wanted(options, "cluster.reading"))
        failed |= bench_checks() | bench_plan(options);
    if (is_wanted(options, "cluster.place"))
        failed |= bench_place(options);
    return failed;
}
