/* SPDX-License-Identifier: Apache-2.0 */

/* Experiments: what a file expands to, which texts are refused and where, keys, results that were
 * kept, and pairs and notes worked out by hand from results that are set here. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "sim/experiment.h"
#include "support/test.h"

#define MACHINES                                                                \
    "[{node_name_prefix: a, replicas: 1, cpu: AMD EPYC 9965, cpu_cores: 384}, " \
    "{node_name_prefix: b, replicas: 1, cpu: AMD EPYC 9654, cpu_cores: 192}]"
#define SCENARIO                                                                     \
    "{name: s, inventory: {nodes: " MACHINES "}, workload: {hours: 1, gpuRatio: 0, " \
    "burstMin: 1, burstMax: 2, maxDurationS: 600, baseSpeed: 1}}"
#define PLAIN "seeds: 2\nscenarios: [" SCENARIO "]\nloads: [0.2]\n"

/* ---- helpers ---- */

static int open_text(const char *text, struct joulie_experiment **out, struct joulie_error *err)
{
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    options.text = text;
    options.len = strlen(text);
    return joulie_experiment_new(&options, out, err);
}

static struct joulie_experiment *opened(const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_experiment *experiment = NULL;
    if (open_text(text, &experiment, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return experiment;
}

static struct jl_experiment_result *result_at(struct joulie_experiment *experiment, size_t index)
{
    experiment->runs[index].has_result = true;
    return &experiment->runs[index].result;
}

/* A run of 1000 s and 100 MJ with everything equal but what a test changes. */
static void set_equal(struct joulie_experiment *experiment)
{
    for (size_t i = 0; i < experiment->run_count; i++)
        *result_at(experiment, i) = (struct jl_experiment_result){
            .outcome = { .struct_size = sizeof(struct joulie_sim_outcome),
                         .has = JOULIE_SIM_OUTCOME_HAS_MAKESPAN,
                         .jobs = 10,
                         .completed = 10,
                         .cpu_units = 500,
                         .energy_j = 1e8,
                         .time_s = 1000,
                         .power_w = 2000,
                         .makespan_s = 1000 },
            .wait = { .jobs = 10, .p99 = 100 },
            .job_time = { .jobs = 10, .mean = 300 },
            .slowdown = { .jobs = 10, .p95 = 1 },
        };
}

static struct jl_experiment_row row_of(const struct joulie_experiment *experiment, size_t subject)
{
    double room[2 * JL_EXPERIMENT_ESTIMATES];
    struct jl_experiment_row row;
    const struct jl_experiment_cell *cell = &experiment->cells[0];
    jl_experiment_row_of(experiment, cell, subject, jl_experiment_best(experiment, cell), room,
                         &row);
    return row;
}

static bool has_note(const struct jl_experiment_row *row, const char *text)
{
    for (size_t i = 0; i < row->note_count; i++) {
        if (strcmp(row->notes[i], text) == 0)
            return true;
    }
    return false;
}

/* Two baselines and a policy, two seeds: run = seed · 3 + subject. */
#define TWO_BASELINES                                      \
    PLAIN "baselines: [kube, most-allocated]\npolicies: [" \
          "{name: ours, policy: {type: static_partition, staticHpFrac: 1}}]\n"
#define KUBE 0
#define MOST 1
#define OURS 2
#define SUBJECTS 3

/* ---- expansion ---- */

/* 2 scenarios × 2 speeds × loads (2, and 1 of its own) × 3 seeds × (3 baselines + 1 policy). */
static void a_file_becomes_every_combination_once(void **state)
{
    struct joulie_experiment *experiment =
        opened("seeds: [7, 3, 5]\nloads: [0.2, 0.4]\nspeeds: [catalog, equal]\n"
               "policies: [{name: p, placement: least-allocated}]\n"
               "scenarios: [" SCENARIO ", {name: t, loads: [0.1], nodes: 4, inventory: "
               "{nodes: " MACHINES "}, workload: {hours: 1, gpuRatio: 0}}]\n");
    struct joulie_experiment_run run = JOULIE_INIT(struct joulie_experiment_run);
    (void)state;
    assert_int_equal(joulie_experiment_runs(experiment), (2 * 2 + 2 * 1) * 3 * 4);
    assert_int_equal(joulie_experiment_run_at(experiment, 0, &run, NULL), JOULIE_OK);
    assert_string_equal(run.scenario, "s");
    assert_string_equal(run.speeds, "catalog");
    assert_string_equal(run.policy, "least-allocated");
    assert_true(run.is_baseline && !run.has_result && run.load == 0.2 && run.seed == 7);
    assert_int_equal(run.has, JOULIE_EXPERIMENT_RUN_HAS_LOAD);
    for (size_t i = 11; i < 13; i++) { /* the last run of a cell, and the first of the next */
        assert_int_equal(joulie_experiment_run_at(experiment, i, &run, NULL), JOULIE_OK);
        assert_near(run.load, i == 11 ? 0.2 : 0.4, 0);
        assert_string_equal(run.policy, i == 11 ? "p" : "least-allocated");
    }
    assert_int_equal(joulie_experiment_run_at(experiment, 71, &run, NULL), JOULIE_OK);
    assert_string_equal(run.scenario, "t");
    assert_string_equal(run.speeds, "equal");
    assert_string_equal(run.policy, "p");
    assert_string_equal(run.placement, "least-allocated");
    assert_true(!run.is_baseline && run.load == 0.1 && run.seed == 5);
    assert_int_equal(joulie_experiment_run_at(experiment, 72, &run, NULL), JOULIE_E_RANGE);
    joulie_experiment_free(experiment);
}

static void keys_are_of_what_a_run_depends_on(void **state)
{
    static const char *const others[] = {
        /* another seed, load, machine, option, placement, policy, word for speeds, physics */
        "seeds: [3]\nscenarios: [" SCENARIO "]\nloads: [0.2]\n",
        "seeds: 1\nscenarios: [" SCENARIO "]\nloads: [0.3]\n",
        "seeds: 1\nscenarios: [{name: s, nodes: 3, inventory: {nodes: " MACHINES
        "}, workload: {hours: 1, gpuRatio: 0, burstMin: 1, burstMax: 2, maxDurationS: 600, "
        "baseSpeed: 1}}]\nloads: [0.2]\n",
        "seeds: 1\nscenarios: [{name: s, inventory: {nodes: " MACHINES
        "}, workload: {hours: 2, gpuRatio: 0, burstMin: 1, burstMax: 2, maxDurationS: 600, "
        "baseSpeed: 1}}]\nloads: [0.2]\n",
        PLAIN "baselines: [kube]\n",
        PLAIN "speeds: [equal]\n",
        PLAIN "physics: v0.1.1\n",
    };
    struct joulie_experiment *one = opened(PLAIN);
    struct joulie_experiment *renamed =
        opened("name: other\nseeds: 2\nscenarios: [{name: other, inventory: {nodes: " MACHINES
               "}, workload: {hours: 1, gpuRatio: 0, burstMin: 1, burstMax: 2, maxDurationS: 600, "
               "baseSpeed: 1}}]\nloads: [0.2]\n");
    (void)state;
    assert_string_equal(one->runs[0].key, renamed->runs[0].key);
    joulie_experiment_free(renamed);
    for (size_t i = 0; i < one->run_count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(one->runs[i].key, one->runs[j].key);
    }
    for (size_t i = 0; i < JL_COUNT(others); i++) {
        struct joulie_experiment *other = opened(others[i]);
        assert_string_not_equal(one->runs[0].key, other->runs[0].key);
        joulie_experiment_free(other);
    }
    joulie_experiment_free(one);
}

static void a_build_is_a_part_of_every_key(void **state)
{
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    struct joulie_experiment *one = opened(PLAIN);
    struct joulie_experiment *other = NULL;
    (void)state;
    options.text = PLAIN;
    options.len = strlen(PLAIN);
    options.build = "other";
    assert_int_equal(joulie_experiment_new(&options, &other, NULL), JOULIE_OK);
    assert_string_not_equal(one->runs[0].key, other->runs[0].key);
    joulie_experiment_free(one);
    joulie_experiment_free(other);
}

/* ---- what is refused ---- */

/* At an offset in s: a job of so many cores and units of work. */
#define TRACE_JOB(id, at_s, cores, units)                                                 \
    "{\"type\":\"job\",\"schemaVersion\":\"v1\",\"jobId\":\"" id                          \
    "\",\"submitTimeOffsetSec\":" at_s ",\"podTemplate\":{\"requests\":{\"cpu\":\"" cores \
    "\"}},\"work\":{\"cpuUnits\":" units "}}\n"

/* The files beside an experiment. */
static int find_file(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    static const char *const files[][2] = {
        { "bad.yaml", "nodes: [{cpu_cores: 4}]" },
        { "one.jsonl", "{\"type\":\"job\",\"schemaVersion\":\"v1\",\"jobId\":\"a\"}\n" },
        { "half.jsonl", TRACE_JOB("a", "0", "192", "300000") },
        { "exact.jsonl", TRACE_JOB("a", "0", "192", "691200") },
        { "hour.jsonl",
          TRACE_JOB("a", "0", "192", "1000000") TRACE_JOB("b", "10", "192", "900000") },
        { "week.jsonl",
          TRACE_JOB("a", "0", "192", "300000") TRACE_JOB("b", "608500", "1", "2000") },
        { "large.jsonl", TRACE_JOB("a", "0", "192", "300000") TRACE_JOB("b", "10", "999", "1") },
        { "bad.jsonl", "{\"type\":\"job\",\"schemaVersion\":\"v1\"}\n" },
    };

    (void)user;
    for (size_t i = 0; i < JL_COUNT(files); i++) {
        if (strcmp(name, files[i][0]) == 0) {
            *out_bytes = files[i][1];
            *out_len = strlen(files[i][1]);
            return 0;
        }
    }
    return -1;
}

static void what_is_wrong_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        int code;
        const char *where;
        unsigned line;
    } rows[] = {
        { "", JOULIE_E_PARSE, "line 1", 0 },
        { "seeds: 2\n", JOULIE_E_REQUIRED, "scenarios", 0 },
        { "scenarios: [" SCENARIO "]\n", JOULIE_E_REQUIRED, "seeds", 0 },
        { "seeds: 2\nscenarios: []\n", JOULIE_E_REQUIRED, "scenarios", 2 },
        { PLAIN "more: 1\n", JOULIE_E_UNKNOWN_MEMBER, "more", 4 },
        { PLAIN "policies: [{name: p, policy: {tipe: x}}]\n", JOULIE_E_UNKNOWN_MEMBER,
          "policies[0].policy.tipe", 4 },
        { PLAIN "policies: [{name: p, policy: {type: none}}]\n", JOULIE_E_ENUM,
          "policies[0].policy.type", 4 },
        { PLAIN "policies: [{name: p, placement: none}]\n", JOULIE_E_UNSUPPORTED,
          "policies[0].placement", 4 },
        { PLAIN "policies: [{name: p, placementBase: joulie}]\n", JOULIE_E_UNSUPPORTED,
          "policies[0].placementBase", 4 },
        { PLAIN "policies: [{name: p, extenderWeight: 101}]\n", JOULIE_E_RANGE,
          "policies[0].extenderWeight", 4 },
        { PLAIN "policies: [{name: p, scoring: {none: 1}}]\n", JOULIE_E_UNKNOWN_MEMBER,
          "policies[0].scoring.none", 4 },
        { PLAIN "policies: [{name: p, powerOff: {none: 1}}]\n", JOULIE_E_UNKNOWN_MEMBER,
          "policies[0].powerOff.none", 4 },
        { PLAIN "policies: [{name: p, powerOff: {idleS: -1}}]\n", JOULIE_E_RANGE,
          "policies[0].powerOff.idleS", 4 },
        { PLAIN "policies: [{name: p}, {name: p}]\n", JOULIE_E_CONFLICT, "policies[1].name", 4 },
        { PLAIN "policies: [{name: kube}]\n", JOULIE_E_CONFLICT, "policies[0].name", 4 },
        { PLAIN "policies: [{name: ''}]\n", JOULIE_E_REQUIRED, "policies[0].name", 4 },
        { PLAIN "baselines: [joulie]\n", JOULIE_E_UNSUPPORTED, "baselines[0]", 4 },
        { PLAIN "baselines: [kube, kube]\n", JOULIE_E_CONFLICT, "baselines[1]", 4 },
        { PLAIN "baselines: []\n", JOULIE_E_REQUIRED, "baselines", 4 },
        { PLAIN "speeds: [fast]\n", JOULIE_E_UNSUPPORTED, "speeds[0]", 4 },
        { PLAIN "physics: v9\n", JOULIE_E_UNSUPPORTED, "physics", 4 },
        { "seeds: 0\nscenarios: [" SCENARIO "]\n", JOULIE_E_RANGE, "seeds", 1 },
        { "seeds: 10001\nscenarios: [" SCENARIO "]\n", JOULIE_E_RANGE, "seeds", 1 },
        { "seeds: many\nscenarios: [" SCENARIO "]\n", JOULIE_E_TYPE, "seeds", 1 },
        { "seeds: []\nscenarios: [" SCENARIO "]\n", JOULIE_E_REQUIRED, "seeds", 1 },
        { "seeds: [1, x]\nscenarios: [" SCENARIO "]\n", JOULIE_E_TYPE, "seeds[1]", 1 },
        { "seeds: [1, -1]\nscenarios: [" SCENARIO "]\n", JOULIE_E_RANGE, "seeds[1]", 1 },
        { "seeds: [4, 4]\nscenarios: [" SCENARIO "]\n", JOULIE_E_CONFLICT, "seeds[1]", 1 },
        { "seeds: 1\nloads: [0.2, 0]\nscenarios: [" SCENARIO "]\n", JOULIE_E_RANGE, "loads[1]", 2 },
        { "seeds: 1\nloads: [2.1]\nscenarios: [" SCENARIO "]\n", JOULIE_E_RANGE, "loads[0]", 2 },
        { "seeds: 1\nloads: [0.2, 0.2]\nscenarios: [" SCENARIO "]\n", JOULIE_E_CONFLICT, "loads[1]",
          2 },
        { "seeds: 1\nscenarios:\n- " SCENARIO "\n- " SCENARIO "\n", JOULIE_E_CONFLICT,
          "scenarios[1].name", 4 },
        { "seeds: 1\nscenarios:\n- name: s\n", JOULIE_E_REQUIRED, "scenarios[0].inventory", 3 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventoryFile: x\n  inventory: {nodes: []}\n",
          JOULIE_E_CONFLICT, "scenarios[0].inventory", 5 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventoryFile: x\n", JOULIE_E_NOT_FOUND,
          "scenarios[0].inventoryFile", 4 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventoryFile: bad.yaml\n", JOULIE_E_REQUIRED,
          "scenarios[0].inventoryFile: nodes[0].node_name_prefix", 4 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventory:\n    nodes:\n    - {node_name_prefix: a}\n"
          "    - {node_name_prefix: b, cpu_cores: 0}\n",
          JOULIE_E_RANGE, "scenarios[0].inventory.nodes[1].cpu_cores", 7 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventory: {nodes: " MACHINES "}\n  workload:\n"
          "    gpuRatio: 2\n",
          JOULIE_E_RANGE, "scenarios[0].workload: gpu-ratio", 6 },
        { "seeds: 1\nloads: [1]\nscenarios:\n- name: s\n  inventory: {nodes: " MACHINES "}\n"
          "  workload: {peakRatePerMin: 3}\n",
          JOULIE_E_CONFLICT, "scenarios[0].workload: load", 6 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventory: {nodes: " MACHINES "}\n"
          "  traceFile: t\n  workload: {}\n",
          JOULIE_E_CONFLICT, "scenarios[0].traceFile", 5 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventory: {nodes: " MACHINES "}\n"
          "  traceFile: one.jsonl\n  loads: [1]\n",
          JOULIE_E_CONFLICT, "scenarios[0].traceFile", 5 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventory: {nodes: " MACHINES "}\n"
          "  traceFile: none\n",
          JOULIE_E_NOT_FOUND, "scenarios[0].traceFile", 5 },
        { "seeds: 1\nscenarios:\n- name: s\n  inventory: {nodes: " MACHINES "}\n"
          "  traceFile: bad.jsonl\n",
          JOULIE_E_REQUIRED, "scenarios[0].traceFile: line 1: jobId", 5 },
        { "seeds: 1\nscenarios:\n- name: s\n  nodes: 0\n  inventory: {nodes: " MACHINES "}\n",
          JOULIE_E_RANGE, "scenarios[0].nodes", 4 },
        { PLAIN "policies: [{name: p, extenderWeight: 0}]\n", JOULIE_E_RANGE,
          "policies[0].extenderWeight", 4 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_experiment *experiment = NULL;
        options.text = rows[i].text;
        options.len = strlen(rows[i].text);
        options.find_file = find_file;
        const int rc = joulie_experiment_new(&options, &experiment, &err);
        if (rc != rows[i].code || strcmp(err.where, rows[i].where) != 0 ||
            (rows[i].line > 0 && err.line != rows[i].line))
            fail_msg("%zu: %d at %s, line %u: %s", i, rc, err.where, err.line, err.message);
        assert_null(experiment);
    }
}

/* The ends of what a file may say, and how many runs it is then. */
static void what_lies_on_a_bound_is_taken(void **state)
{
    static const struct {
        const char *text;
        size_t runs;
        uint64_t last_seed;
        bool has_load;
    } rows[] = {
        { "seeds: 10000\nbaselines: [kube]\nscenarios: [" SCENARIO "]\n", 10000, 10000, false },
        { "seeds: 3\nbaselines: [kube]\nscenarios: [" SCENARIO "]\n", 3, 3, false },
        { "seeds: [4, 0]\nbaselines: [kube]\nscenarios: [" SCENARIO "]\n", 2, 0, false },
        { "seeds: 1\nbaselines: [kube]\nscenarios: [" SCENARIO "]\nloads: [0.01, 2]\n", 2, 1,
          true },
        { "seeds: 1\nbaselines: [kube]\nscenarios: [" SCENARIO "]\nloads: []\n", 1, 1, false },
        { "seeds: 1\nbaselines: [kube]\nspeeds: [equal, catalog]\nscenarios: [{name: s, nodes: 2, "
          "inventory: {nodes: " MACHINES "}}]\n",
          2, 1, false },
        { "seeds: 1\nbaselines: [kube]\nscenarios: [{name: s, nodes: 1, inventory: {nodes: "
          "[{node_name_prefix: a, cpu_cores: 4}]}}]\n",
          1, 1, false },
        { "seeds: 1\nbaselines: [kube]\npolicies: [{name: p, extenderWeight: 1}, {name: q, "
          "extenderWeight: 100}]\nscenarios: [" SCENARIO "]\n",
          3, 1, false },
        /* a recorded trace has no seed, so the first stands for all of them */
        { "seeds: [8, 9]\nbaselines: [kube, least-allocated]\nscenarios: [{name: s, inventory: "
          "{nodes: " MACHINES "}, traceFile: one.jsonl}]\n",
          2, 8, false },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
        struct joulie_experiment_run run = JOULIE_INIT(struct joulie_experiment_run);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_experiment *experiment = NULL;
        options.text = rows[i].text;
        options.len = strlen(rows[i].text);
        options.find_file = find_file;
        if (joulie_experiment_new(&options, &experiment, &err) != 0)
            fail_msg("%zu: %s: %s", i, err.where, err.message);
        assert_int_equal(joulie_experiment_runs(experiment), rows[i].runs);
        assert_int_equal(joulie_experiment_run_at(experiment, rows[i].runs - 1, &run, NULL),
                         JOULIE_OK);
        assert_int_equal(run.seed, rows[i].last_seed);
        assert_int_equal((run.has & JOULIE_EXPERIMENT_RUN_HAS_LOAD) != 0, rows[i].has_load);
        joulie_experiment_free(experiment);
    }
}

/* 10,000 seeds with 101 loads are 1,010,000 runs, 1 % too many. */
static void an_experiment_has_a_million_runs_at_most(void **state)
{
    char text[2048];
    int len = snprintf(text, sizeof text,
                       "seeds: 10000\nbaselines: [kube]\nscenarios: [" SCENARIO "]\nloads: [1");
    struct joulie_experiment *experiment = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)state;
    for (int i = 1; i <= 100; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, ",0.%03d", i);
    snprintf(text + len, sizeof text - (size_t)len, "]\n");
    assert_int_equal(open_text(text, &experiment, &err), JOULIE_E_LIMIT);
    assert_string_equal(err.where, "scenarios");
}

static void records_of_another_release_are_refused(void **state)
{
    struct joulie_experiment_options options = { .struct_size = 8 };
    struct joulie_experiment_run run = { .struct_size = 8 };
    struct joulie_experiment *experiment = NULL;
    (void)state;
    assert_int_equal(joulie_experiment_new(&options, &experiment, NULL), JOULIE_E_ABI);
    experiment = opened(PLAIN);
    assert_int_equal(joulie_experiment_run_at(experiment, 0, &run, NULL), JOULIE_E_ABI);
    joulie_experiment_free(experiment);
}

/* ---- results ---- */

/* Only the run of the policy that asks for it: one of the two machines, of an hour and a half. */
static void a_policy_may_switch_nodes_off(void **state)
{
    struct joulie_experiment *experiment =
        opened("seeds: 1\nscenarios: [" SCENARIO "]\nloads: [0.05]\nbaselines: [kube]\npolicies:\n"
               "- {name: on, placement: kube}\n"
               "- {name: off, placement: kube, powerOff: {idleS: 60, upS: 60, reserveCores: 0}}\n");
    (void)state;
    assert_int_equal(experiment->run_count, 3);
    assert_string_not_equal(experiment->runs[1].key, experiment->runs[2].key);
    for (size_t i = 0; i < experiment->run_count; i++) {
        char *text = NULL;
        const bool is_off = strcmp(experiment->runs[i].subject->name, "off") == 0;
        assert_int_equal(joulie_experiment_simulate(experiment, i, &text, NULL), JOULIE_OK);
        assert_int_equal(joulie_experiment_put_result(experiment, i, text, strlen(text), NULL),
                         JOULIE_OK);
        assert_true((experiment->runs[i].result.outcome.cpu_off_j > 0) == is_off);
        joulie_free(text);
    }
    joulie_experiment_free(experiment);
}

static void a_result_is_taken_whole_or_not_at_all(void **state)
{
    struct joulie_experiment *experiment = opened(PLAIN);
    char *text = NULL;
    char *again = NULL;
    char *report = NULL;
    (void)state;
    assert_int_equal(joulie_experiment_simulate(experiment, 1, &text, NULL), JOULIE_OK);
    assert_int_equal(joulie_experiment_simulate(experiment, 1, &again, NULL), JOULIE_OK);
    assert_string_equal(text, again);
    const size_t len = strlen(text);
    assert_int_equal(joulie_experiment_put_result(experiment, 0, text, len, NULL),
                     JOULIE_E_CONFLICT);
    for (size_t cut = 0; cut < len; cut += 7)
        assert_int_equal(joulie_experiment_put_result(experiment, 1, text, cut, NULL),
                         JOULIE_E_PARSE);
    char *energy = strstr(text, "\"energyJ\":") + strlen("\"energyJ\":");
    const char first = *energy;
    *energy = first == '9' ? '8' : '9';
    assert_int_equal(joulie_experiment_put_result(experiment, 1, text, len, NULL), JOULIE_E_PARSE);
    assert_false(experiment->runs[1].has_result);
    *energy = first;
    assert_int_equal(joulie_experiment_put_result(experiment, 1, text, len, NULL), JOULIE_OK);
    assert_true(experiment->runs[1].has_result);
    assert_int_equal(experiment->runs[1].result.outcome.completed,
                     experiment->runs[1].result.outcome.jobs);
    assert_int_equal(joulie_experiment_report(experiment, &report, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_experiment_csv(experiment, "rows", &report, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_experiment_csv(experiment, "none", &report, NULL),
                     JOULIE_E_UNSUPPORTED);
    assert_int_equal(joulie_experiment_put_result(experiment, 6, text, len, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_experiment_simulate(experiment, 6, &report, NULL), JOULIE_E_RANGE);
    assert_null(report);
    joulie_free(text);
    joulie_free(again);
    joulie_experiment_free(experiment);
}

/* FNV-1a of 64 bits, as sixteen hexadecimal digits. */
static void hash_of(const char *text, size_t len, char out[17])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    snprintf(out, 17, "%08x%08x", (unsigned)(hash >> 32), (unsigned)hash);
}

/* {"run":…,"result":…,"check":…}: the key is the hash of what was run, check that of the result. */
static void a_result_carries_its_key_and_its_hash(void **state)
{
    struct joulie_experiment *experiment = opened(PLAIN);
    char hash[17];
    char *text = NULL;
    (void)state;
    assert_int_equal(joulie_experiment_simulate(experiment, 0, &text, NULL), JOULIE_OK);
    const char *run = text + strlen("{\"run\":");
    const char *result = strstr(text, ",\"result\":");
    const char *check = strstr(text, ",\"check\":\"");
    assert_non_null(result);
    assert_non_null(check);
    assert_int_equal(strncmp(run, "{\"format\":2,", 12), 0);
    hash_of(run, (size_t)(result - run), hash);
    assert_string_equal(experiment->runs[0].key, hash);
    result += strlen(",\"result\":");
    hash_of(result, (size_t)(check - result), hash);
    assert_int_equal(strncmp(check + strlen(",\"check\":\""), hash, 16), 0);
    /* of the other seed the run has as long a text, and is another one */
    const size_t other = experiment->subject_count;
    assert_int_equal(experiment->runs[other].seed, 2);
    assert_int_equal(joulie_experiment_put_result(experiment, other, text, strlen(text), NULL),
                     JOULIE_E_CONFLICT);
    joulie_free(text);
    joulie_experiment_free(experiment);
}

/* The policy of this word has no rule; the place begins with the scenario. */
static void a_run_that_fails_names_its_scenario(void **state)
{
    struct joulie_experiment *experiment =
        opened(PLAIN "policies: [{name: p, policy: {type: power_budget_v1}}]\n");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    (void)state;
    assert_int_equal(joulie_experiment_simulate(experiment, 3, &text, &err), JOULIE_E_UNSUPPORTED);
    assert_int_equal(strncmp(err.where, "s: ", 3), 0);
    assert_null(text);
    joulie_experiment_free(experiment);
}

static void expect_spread(const struct joulie_sim *sim, enum joulie_sim_measure measure,
                          const struct joulie_sim_spread *got)
{
    struct joulie_sim_spread spread = JOULIE_INIT(struct joulie_sim_spread);
    assert_int_equal(joulie_sim_get_spread(sim, 0, measure, JOULIE_SIM_GROUP_ALL, &spread, NULL),
                     JOULIE_OK);
    assert_true(spread.jobs > 0);
    assert_int_equal(got->jobs, spread.jobs);
    assert_near(got->mean, spread.mean, 0);
    assert_near(got->p50, spread.p50, 0);
    assert_near(got->p95, spread.p95, 0);
    assert_near(got->p99, spread.p99, 0);
    assert_near(got->max, spread.max, 0);
}

/* What a run of an experiment keeps is what a simulation of the same trace says. */
static void a_result_is_what_the_simulation_says(void **state)
{
    struct joulie_experiment *experiment =
        opened("seeds: [5]\nscenarios: [" SCENARIO "]\nloads: [0.4]\npolicies: [{name: p, policy: "
               "{type: queue_aware_v1}}]\n");
    const struct jl_experiment_scenario *scenario = &experiment->scenarios[0];
    const double load = 0.4;
    const struct joulie_workload_options workload = jl_experiment_workload(scenario, &load, 5);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim *sim = NULL;
    char *trace = NULL;
    char *text = NULL;
    (void)state;
    assert_int_equal(joulie_workload_generate(&workload, &trace, NULL), JOULIE_OK);
    options.inventory = scenario->inventory;
    options.inventory_len = scenario->inventory_len;
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.policy = "{\"type\":\"queue_aware_v1\"}";
    options.policy_len = strlen(options.policy);
    options.placement = "joulie";
    options.seed = 5;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), JOULIE_OK);
    assert_int_equal(joulie_sim_run_until(sim, (double)INFINITY, NULL), JOULIE_OK);
    assert_int_equal(joulie_sim_get_outcome(sim, 0, &outcome, NULL), JOULIE_OK);
    assert_int_equal(joulie_sim_get_view(sim, &view, NULL), JOULIE_OK);
    assert_int_equal(joulie_experiment_simulate(experiment, 3, &text, NULL), JOULIE_OK);
    assert_int_equal(joulie_experiment_put_result(experiment, 3, text, strlen(text), NULL),
                     JOULIE_OK);
    const struct jl_experiment_result *got = &experiment->runs[3].result;
    assert_true(outcome.jobs > 0 && view.transitions > 0);
    assert_int_equal(got->outcome.jobs, outcome.jobs);
    assert_near(got->outcome.energy_j, outcome.energy_j, 0);
    assert_near(got->outcome.makespan_s, outcome.makespan_s, 0);
    assert_int_equal(got->transitions, view.transitions);
    expect_spread(sim, JOULIE_SIM_MEASURE_WAIT, &got->wait);
    expect_spread(sim, JOULIE_SIM_MEASURE_JOB_TIME, &got->job_time);
    expect_spread(sim, JOULIE_SIM_MEASURE_SLOWDOWN, &got->slowdown);
    joulie_free(text);
    joulie_free(trace);
    joulie_sim_free(sim);
    joulie_experiment_free(experiment);
}

#define LONG_MACHINES(cpu) "{nodes: [{node_name_prefix: a, replicas: 1, " cpu "cpu_cores: 192}]}"

/* One run of one baseline of a trace on one machine. */
static struct joulie_experiment *long_run(const char *trace, const char *physics,
                                          const char *machines)
{
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    struct joulie_experiment *experiment = NULL;
    char *result = NULL;
    char text[1024];
    snprintf(text, sizeof text,
             "seeds: 1\nphysics: %s\nbaselines: [kube]\nscenarios: [{name: s, inventory: %s, "
             "traceFile: %s}]\n",
             physics, machines, trace);
    options.text = text;
    options.len = strlen(text);
    options.find_file = find_file;
    assert_int_equal(joulie_experiment_new(&options, &experiment, NULL), JOULIE_OK);
    assert_int_equal(joulie_experiment_simulate(experiment, 0, &result, NULL), JOULIE_OK);
    assert_int_equal(joulie_experiment_put_result(experiment, 0, result, strlen(result), NULL),
                     JOULIE_OK);
    joulie_free(result);
    return experiment;
}

/* Of each hour that the run comes to, the last of which may be a part, and of 168 at most. */
static void a_result_has_the_power_of_each_hour(void **state)
{
    static const struct {
        const char *trace;
        size_t hours;
    } rows[] = {
        { "half.jsonl", 1 }, { "exact.jsonl", 1 }, { "hour.jsonl", 3 }, { "week.jsonl", 168 }
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_experiment *experiment =
            long_run(rows[i].trace, "current", LONG_MACHINES("cpu: AMD EPYC 9654, "));
        const struct jl_experiment_result *got = &experiment->runs[0].result;
        const double *hourly_w = got->hourly_w.items;
        double energy_j = 0;
        assert_int_equal(got->outcome.completed, got->outcome.jobs);
        assert_int_equal(got->hourly_w.count, rows[i].hours);
        for (size_t hour = 0; hour < rows[i].hours; hour++) {
            const double left_s = got->outcome.time_s - 3600 * (double)hour;
            energy_j += hourly_w[hour] * (left_s < 3600 ? left_s : 3600);
            assert_true(hourly_w[hour] > 0);
        }
        if (rows[i].hours < 168)
            assert_near(energy_j, got->outcome.energy_j, 1e-9 * energy_j);
        else /* the work goes on for as much as two hours more */
            assert_true(energy_j < got->outcome.energy_j && got->outcome.time_s > 169 * 3600.0);
        joulie_experiment_free(experiment);
    }
}

/* Of a baseline that did all of its work on machines with measured curves, by our own physics. A
 * job waits a minute more than the longest wait of its kind did. */
static void a_bound_is_of_a_baseline_that_is_done(void **state)
{
    static const struct {
        const char *trace;
        const char *physics;
        const char *machines;
        bool has_bound;
    } rows[] = {
        { "hour.jsonl", "current", LONG_MACHINES("cpu: AMD EPYC 9654, "), true },
        { "hour.jsonl", "current", LONG_MACHINES(""), false },
        { "hour.jsonl", "v0.1.1", LONG_MACHINES("cpu: AMD EPYC 9654, "), false },
        { "large.jsonl", "current", LONG_MACHINES("cpu: AMD EPYC 9654, "), false },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_experiment *experiment =
            long_run(rows[i].trace, rows[i].physics, rows[i].machines);
        const struct jl_experiment_result *got = &experiment->runs[0].result;
        if (got->given.bound != rows[i].has_bound)
            fail_msg("row %zu", i);
        if (rows[i].has_bound) {
            assert_true(got->wait.max > 1000); /* the second job waits for the first */
            assert_near(got->bound.cpu_wait_s, got->wait.max + 60, 0);
            assert_near(got->bound.gpu_wait_s, 60, 0); /* there is none */
            assert_near(got->bound.end_s, got->outcome.time_s, 0);
        }
        joulie_experiment_free(experiment);
    }
}

/* ---- comparison ---- */

/*
 * Seed 1: ours ends at 1000 s with 90 MJ and draws 2 kW then; kube at 1500 s with 100 MJ. Over
 * 1500 s ours takes 90 + 1 = 91 MJ: 9 % less. Seed 2: both end at 1000 s, 95 and 100 MJ: 5 %.
 * Mean 7 %, deviation √8, half width 12.706204736 · √(8/2) = 25.412409472.
 */
static void a_pair_is_charged_for_the_same_time(void **state)
{
    struct joulie_experiment *experiment = opened(TWO_BASELINES);
    struct jl_experiment_pair pair;
    (void)state;
    set_equal(experiment);
    result_at(experiment, MOST)->outcome.energy_j = 2e8;
    result_at(experiment, KUBE)->outcome.time_s = 1500;
    result_at(experiment, OURS)->outcome.energy_j = 9e7;
    result_at(experiment, SUBJECTS + OURS)->outcome.energy_j = 9.5e7;
    jl_experiment_pair_of(experiment, &experiment->cells[0], 0, OURS, KUBE, &pair);
    assert_near(pair.window_s, 1500, 0);
    assert_near(pair.energy_kwh, 91 / 3.6, 1e-12);
    assert_near(pair.against_kwh, 100 / 3.6, 1e-12);
    assert_near(pair.saved_pct, 9, 1e-12);
    const struct jl_experiment_row row = row_of(experiment, OURS);
    assert_int_equal(row.against, KUBE);
    assert_near(row.estimates[JL_EXPERIMENT_SAVED].mean, 7, 1e-12);
    assert_near(row.estimates[JL_EXPERIMENT_SAVED].half_width, 25.412409472, 1e-9);
    assert_near(row.estimates[JL_EXPERIMENT_ENERGY].mean, (91 + 95) / 3.6 / 2, 1e-12);
    assert_int_equal(row.note_count, 0);
    experiment->physics = "v0.1.1"; /* each up to its own end */
    jl_experiment_pair_of(experiment, &experiment->cells[0], 0, OURS, KUBE, &pair);
    assert_near(pair.saved_pct, 10, 1e-12);
    joulie_experiment_free(experiment);
}

/* Over the seeds, and over the time of all baselines: kube takes 100 + 100 MJ and for 1000 s more
 * 2 MJ; most-allocated 101.9 + 100, so that it is the better one only by the same time. */
static void the_best_baseline_takes_least_over_the_same_time(void **state)
{
    struct joulie_experiment *experiment = opened(TWO_BASELINES);
    const struct jl_experiment_cell *cell = &experiment->cells[0];
    (void)state;
    set_equal(experiment);
    assert_int_equal(jl_experiment_best(experiment, cell), KUBE); /* the first of equals */
    result_at(experiment, MOST)->outcome.energy_j = 1.019e8;
    assert_int_equal(jl_experiment_best(experiment, cell), KUBE);
    result_at(experiment, MOST)->outcome.time_s = 2000;
    assert_int_equal(jl_experiment_best(experiment, cell), MOST);
    result_at(experiment, OURS)->outcome.energy_j = 1; /* a policy is no baseline */
    assert_int_equal(jl_experiment_best(experiment, cell), MOST);
    /* kube goes on with 2 kW: to 2000 s it takes 102 MJ, and to 1000 s 100; most-allocated 101 */
    set_equal(experiment);
    result_at(experiment, MOST)->outcome.energy_j = 1.01e8;
    result_at(experiment, MOST)->outcome.power_w = 0;
    result_at(experiment, OURS)->outcome.time_s = 2000;
    assert_int_equal(jl_experiment_best(experiment, cell), KUBE);
    result_at(experiment, MOST)->outcome.time_s = 2000;
    assert_int_equal(jl_experiment_best(experiment, cell), MOST);
    joulie_experiment_free(experiment);
}

/* What one of the two does not have, or what nothing can be a share of, is unknown. */
static void a_pair_has_what_both_have(void **state)
{
    struct joulie_experiment *experiment = opened(TWO_BASELINES);
    const struct jl_experiment_cell *cell = &experiment->cells[0];
    struct jl_experiment_pair pair;
    (void)state;
    set_equal(experiment);
    result_at(experiment, KUBE)->wait.jobs = 0;
    result_at(experiment, KUBE)->job_time.jobs = 0;
    result_at(experiment, KUBE)->slowdown.jobs = 0; /* of the policy alone */
    jl_experiment_pair_of(experiment, cell, 0, OURS, KUBE, &pair);
    assert_true(isnan(pair.against_wait_p99_s) && isnan(pair.job_time_pct));
    assert_near(pair.wait_p99_s, 100, 0);
    assert_near(pair.slowdown_p95, 1, 0);
    jl_experiment_pair_of(experiment, cell, 0, KUBE, OURS, &pair);
    assert_true(isnan(pair.wait_p99_s) && isnan(pair.job_time_pct) && isnan(pair.slowdown_p95));
    assert_near(pair.against_wait_p99_s, 100, 0);
    result_at(experiment, MOST)->job_time.mean = 0;
    jl_experiment_pair_of(experiment, cell, 0, OURS, MOST, &pair);
    assert_true(isnan(pair.job_time_pct));
    result_at(experiment, MOST)->job_time.mean = 240; /* 300 is a quarter more */
    jl_experiment_pair_of(experiment, cell, 0, OURS, MOST, &pair);
    assert_near(pair.job_time_pct, 25, 1e-12);
    /* slowed is what takes more than 1.0005 times as long as it could */
    result_at(experiment, OURS)->slowdown.max = 1.0005;
    jl_experiment_pair_of(experiment, cell, 0, OURS, MOST, &pair);
    assert_false(pair.is_slowed);
    result_at(experiment, OURS)->slowdown.max = 1.00051;
    jl_experiment_pair_of(experiment, cell, 0, OURS, MOST, &pair);
    assert_true(pair.is_slowed);
    result_at(experiment, OURS)->slowdown.max = 1;
    /* a wait that is not known of the baseline is none that is shorter */
    const struct jl_experiment_row row = row_of(experiment, OURS);
    assert_true(row.has[JL_EXPERIMENT_WAIT] && !row.has[JL_EXPERIMENT_AGAINST_WAIT]);
    assert_false(has_note(&row, "makes work wait longer"));
    joulie_experiment_free(experiment);
}

static void what_a_policy_costs_is_said_in_words(void **state)
{
    struct joulie_experiment *experiment = opened(TWO_BASELINES);
    struct jl_experiment_row row;
    (void)state;
    set_equal(experiment);
    row = row_of(experiment, OURS);
    assert_int_equal(row.note_count, 0);
    for (size_t seed = 0; seed < 2; seed++) {
        struct jl_experiment_result *ours = result_at(experiment, seed * SUBJECTS + OURS);
        ours->outcome.energy_j = 1.05e8;
        ours->wait.p99 = 160; /* the bounds themselves are allowed */
        ours->outcome.makespan_s = 1020;
        ours->job_time.mean = 309;
        ours->slowdown.p95 = 1.10;
    }
    row = row_of(experiment, OURS);
    assert_int_equal(row.note_count, 1);
    assert_true(has_note(&row, "costs energy")); /* −5 ± 0 */
    for (size_t seed = 0; seed < 2; seed++) {
        struct jl_experiment_result *ours = result_at(experiment, seed * SUBJECTS + OURS);
        ours->wait.p99 = seed == 0 ? 150 : 170.5; /* means count: 160.25 */
        ours->outcome.makespan_s = 1020.1;        /* 2.01 % */
        ours->job_time.mean = 309.03;             /* 3.01 % */
        ours->slowdown.p95 = 1.1001;
    }
    row = row_of(experiment, OURS);
    assert_true(has_note(&row, "makes work wait longer"));
    assert_true(has_note(&row, "makespan more than 2 % longer"));
    assert_true(has_note(&row, "jobs more than 3 % longer"));
    assert_true(has_note(&row, "runs more than 10 % slower (P95)"));
    for (size_t seed = 0; seed < 2; seed++) { /* machines were off: one boot more is allowed */
        struct jl_experiment_result *ours = result_at(experiment, seed * SUBJECTS + OURS);
        ours->outcome.cpu_off_j = 1;
        ours->wait.p99 = seed == 0 ? 450 : 470;
    }
    row = row_of(experiment, OURS);
    assert_false(has_note(&row, "makes work wait longer"));
    result_at(experiment, OURS)->wait.p99 = 450.5;
    row = row_of(experiment, OURS);
    assert_true(has_note(&row, "makes work wait longer"));
    result_at(experiment, OURS)->outcome.energy_j = 1e8; /* −2.5 ± 31.8: nobody knows */
    row = row_of(experiment, OURS);
    assert_false(has_note(&row, "costs energy"));
    joulie_experiment_free(experiment);
}

static void unequal_work_has_no_saving(void **state)
{
    static const char left_over[] = "a run ended before every job had";
    static const char other_work[] = "the runs delivered different CPU work (by more than 1 %)";
    struct joulie_experiment *experiment = opened(TWO_BASELINES);
    struct jl_experiment_row row;
    (void)state;
    set_equal(experiment);
    result_at(experiment, SUBJECTS + OURS)->outcome.completed = 9; /* of one seed is enough */
    row = row_of(experiment, OURS);
    assert_false(row.has[JL_EXPERIMENT_SAVED]);
    assert_true(row.has[JL_EXPERIMENT_ENERGY]);
    assert_true(has_note(&row, left_over));
    set_equal(experiment);
    result_at(experiment, OURS)->outcome.cpu_units = 494;
    row = row_of(experiment, OURS);
    assert_true(has_note(&row, other_work));
    assert_false(has_note(&row, left_over));
    result_at(experiment, SUBJECTS + OURS)->outcome.completed = 9; /* the first reason stands */
    row = row_of(experiment, OURS);
    assert_true(has_note(&row, other_work));
    set_equal(experiment);
    result_at(experiment, OURS)->outcome.has = 0;
    result_at(experiment, OURS)->slowdown.jobs = 0;
    result_at(experiment, OURS)->job_time.jobs = 0;
    result_at(experiment, OURS)->wait.jobs = 0;
    row = row_of(experiment, OURS);
    assert_false(row.has[JL_EXPERIMENT_MAKESPAN] || row.has[JL_EXPERIMENT_SLOWDOWN] ||
                 row.has[JL_EXPERIMENT_JOB_TIME] || row.has[JL_EXPERIMENT_WAIT]);
    joulie_experiment_free(experiment);
}

/* ---- answer ---- */

/* One seed, so no interval. kube takes 80 kWh; ours 100, waits 200 s longer and takes a tenth more
 * time for a job; of ours the makespan is not known. The bound of kube is 0 J of 0 J above idle. */
static void an_answer_has_a_row_for_each_policy(void **state)
{
    static const char rows[] =
        "scenario,speeds,load,policy,placement,baseline,against,seeds,energy_kwh,energy_kwh_half,"
        "saved_pct,saved_pct_half,makespan_pct,makespan_pct_half,job_time_pct,job_time_pct_half,"
        "wait_p99_s,wait_p99_s_half,against_wait_p99_s,against_wait_p99_s_half,slowdown_p95,"
        "slowdown_p95_half,bound_pct,bound_pct_half,bound_slowed_pct,bound_slowed_pct_half,"
        "asleep_pct,asleep_pct_half,asleep_slowed_pct,asleep_slowed_pct_half,share_pct,share_of,"
        "notes\n"
        "s,catalog,0.2,kube,kube,true,kube,1,80,,0,,0,,0,,100,,100,,1,,0,,0,,100,,100,,,,\"\"\n"
        "s,catalog,0.2,ours,most-allocated,false,kube,1,100,,-25,,,,10,,300,,100,,1,,0,,0,,100,,"
        "100,,,,\"makes work wait longer; jobs more than 3 % longer\"\n";
    static const char pairs[] =
        "scenario,speeds,load,policy,placement,baseline,against,seed,window_s,energy_kwh,"
        "against_energy_kwh,saved_pct,makespan_pct,job_time_pct,wait_p99_s,against_wait_p99_s,"
        "slowdown_p95,bound_pct,bound_slowed_pct,asleep_pct,asleep_slowed_pct,why_not\n"
        "s,catalog,0.2,ours,most-allocated,false,kube,7,1000,100,80,-25,,10,300,100,1,0,0,100,100,"
        "\n";
#define BOUNDS                                                                  \
    "\"boundPct\":{\"mean\":0},\"boundSlowedPct\":{\"mean\":0},\"asleepPct\":{" \
    "\"mean\":100},\"asleepSlowedPct\":{\"mean\":100},"
    static const char *const row_texts[] = {
        "\"physics\":\"current\",\"intervalPct\":95,\"rows\":["
        "{\"scenario\":\"s\",\"speeds\":\"catalog\",\"load\":0.2,\"policy\":\"kube\","
        "\"placement\":\"kube\",\"isBaseline\":true,\"against\":\"kube\",\"seeds\":1,"
        "\"energyKwh\":{\"mean\":80},\"savedPct\":{\"mean\":0},\"makespanPct\":{\"mean\":0},"
        "\"jobTimePct\":{\"mean\":0},\"waitP99S\":{\"mean\":100},\"againstWaitP99S\":{\"mean\":"
        "100},\"slowdownP95\":{\"mean\":1}," BOUNDS,
        "\"notes\":[]},{\"scenario\":\"s\",\"speeds\":\"catalog\",\"load\":0.2,\"policy\":"
        "\"ours\",\"placement\":\"most-allocated\",\"isBaseline\":false,\"against\":\"kube\","
        "\"seeds\":1,\"energyKwh\":{\"mean\":100},\"savedPct\":{\"mean\":-25},\"jobTimePct\":{"
        "\"mean\":10},\"waitP99S\":{\"mean\":300},\"againstWaitP99S\":{\"mean\":100},"
        "\"slowdownP95\":{\"mean\":1}," BOUNDS,
        "\"notes\":[\"makes work wait longer\",\"jobs more than 3 % longer\"]}]}",
    };
    static const char runs_header[] =
        "scenario,speeds,load,policy,placement,baseline,seed,key,outcome.jobs,outcome.completed,"
        "outcome.failed,outcome.unplaced,outcome.cpuUnits,outcome.gpuUnits,outcome.energyJ,"
        "outcome.timeS,outcome.powerW,outcome.makespanS,outcome.cpuIdleBusyJ,"
        "outcome.cpuIdleEmptyJ,outcome.cpuDynamicJ,outcome.cpuOffJ,outcome.gpuIdleBusyJ,"
        "outcome.gpuIdleEmptyJ,outcome.gpuDynamicJ,outcome.gpuOffJ,outcome.peakPowerW,"
        "outcome.boots,waitS.jobs,waitS.mean,waitS.p50,waitS.p95,waitS.p99,waitS.max,"
        "jobTimeS.jobs,jobTimeS.mean,jobTimeS.p50,jobTimeS.p95,jobTimeS.p99,jobTimeS.max,"
        "slowdown.jobs,slowdown.mean,slowdown.p50,slowdown.p95,slowdown.p99,slowdown.max,"
        "transitions,bound.endS,bound.cpuWaitS,bound.gpuWaitS,bound.cpuDynamicJ,"
        "bound.cpuAsleepJ,bound.gpuDynamicJ,bound.gpuDynamicSlowedJ,bound.asleepJ,"
        "bound.asleepSlowedJ,bound.pricedJ,bound.pricedSlowedJ,bound.pricedAsleepJ,"
        "bound.pricedAsleepSlowedJ\ns,catalog,0.2,kube,kube,true,7,";
    char line[256];
    struct joulie_experiment *experiment =
        opened("name: e\nseeds: [7]\nscenarios: [" SCENARIO "]\nloads: [0.2]\nbaselines: [kube]\n"
               "policies: [{name: ours, placement: most-allocated}]\n");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    (void)state;
    assert_int_equal(joulie_experiment_report(experiment, &text, &err), JOULIE_E_CONFLICT);
    assert_string_equal(err.message, "2 of 2 runs have no result yet");
    set_equal(experiment);
    for (size_t i = 0; i < 2; i++)
        result_at(experiment, i)->outcome.energy_j = 2.88e8;
    struct jl_experiment_result *ours = result_at(experiment, 1);
    ours->outcome.has = 0;
    ours->outcome.energy_j = 3.6e8;
    ours->wait.p99 = 300;
    ours->job_time.mean = 330;
    ours->transitions = 4;
    for (size_t i = 0; i < 2; i++) { /* as results are read: with every member that is needed */
        struct jl_experiment_result *result = result_at(experiment, i);
        result->has = UINT64_MAX;
    }
    assert_int_equal(joulie_experiment_csv(experiment, "rows", &text, NULL), JOULIE_OK);
    assert_string_equal(text, rows);
    joulie_free(text);
    assert_int_equal(joulie_experiment_csv(experiment, "pairs", &text, NULL), JOULIE_OK);
    assert_string_equal(text, pairs);
    joulie_free(text);
    assert_int_equal(joulie_experiment_report(experiment, &text, NULL), JOULIE_OK);
    assert_int_equal(strncmp(text, "{\"name\":\"e\",\"version\":\"", 23), 0);
    const char *after = text;
    for (size_t i = 0; i < JL_COUNT(row_texts); i++) { /* in this order */
        after = strstr(after, row_texts[i]);
        if (after == NULL)
            fail_msg("%s is not in its place in %s", row_texts[i], text);
    }
    joulie_free(text);
    assert_int_equal(joulie_experiment_csv(experiment, "runs", &text, NULL), JOULIE_OK);
    assert_int_equal(strncmp(text, runs_header, strlen(runs_header)), 0);
    snprintf(
        line, sizeof line, "\ns,catalog,0.2,ours,most-allocated,false,7,%s%s\n",
        experiment->runs[1].key,
        ",10,10,0,0,500,0,360000000,1000,2000,,0,0,0,0,0,0,0,0,0,0,"  /* outcome */
        "10,0,0,0,300,0,10,330,0,0,0,0,10,0,0,1,0,0,4,,,,,,,,,,,,,"); /* spreads, transitions */
    assert_non_null(strstr(text, line));
    joulie_free(text);
    experiment->runs[0].has_result = false;
    assert_int_equal(joulie_experiment_report(experiment, &text, &err), JOULIE_E_CONFLICT);
    assert_string_equal(err.message, "1 of 2 runs have no result yet");
    joulie_experiment_free(experiment);
}

/*
 * What pictures need, of two seeds. kube takes 100 MJ on both traces, ours 75 MJ on the first; on
 * the second it leaves a job over. Its hours: 100 and 200 W in the first run; 300 W in the second,
 * which ended in its first hour and draws 500 W then. A kWh is 3.6 MJ, and each part CPUs and GPUs.
 */
static void a_row_has_means_over_its_seeds_for_pictures(void **state)
{
    static const char expected[] =
        "\"savedPcts\":[25,null],\"energyParts\":{\"dynamicKwh\":5,\"idleBusyKwh\":50,"
        "\"idleEmptyKwh\":500,\"offKwh\":5000},\"hourlyW\":[200,350],\"waitS\":{\"mean\":3,"
        "\"p50\":30,\"p95\":300,\"p99\":90,\"max\":3000},\"traces\":[\"one\",\"two\"],";
    double hours_w[2][2] = { { 100, 200 }, { 300, 0 } };
    struct joulie_experiment *experiment = opened(TWO_BASELINES);
    char *text = NULL;
    (void)state;
    set_equal(experiment);
    for (size_t i = 0; i < experiment->run_count; i++)
        result_at(experiment, i)->trace = "";
    for (size_t seed = 0; seed < 2; seed++) { /* a kWh of the first CPUs, 2, 3 and 4 in turn */
        const double cpu_j = 3.6e6 * (double)(1 + 2 * seed);
        const double gpu_j = 3.6e6 * (double)(2 + 2 * seed);
        const double time_s = (double)(2 + 2 * seed);
        struct jl_experiment_result *ours = result_at(experiment, seed * SUBJECTS + OURS);
        ours->outcome.cpu_dynamic_j = cpu_j;
        ours->outcome.gpu_dynamic_j = gpu_j;
        ours->outcome.cpu_idle_busy_j = cpu_j * 10;
        ours->outcome.gpu_idle_busy_j = gpu_j * 10;
        ours->outcome.cpu_idle_empty_j = cpu_j * 100;
        ours->outcome.gpu_idle_empty_j = gpu_j * 100;
        ours->outcome.cpu_off_j = cpu_j * 1000;
        ours->outcome.gpu_off_j = gpu_j * 1000;
        ours->outcome.power_w = 500;
        ours->wait.mean = time_s;
        ours->wait.p50 = time_s * 10;
        ours->wait.p95 = time_s * 100;
        ours->wait.p99 = time_s * 30;
        ours->wait.max = time_s * 1000;
        ours->trace = seed == 0 ? "one" : "two";
        ours->hourly_w = (struct jl_list){ .items = hours_w[seed], .count = 2 - seed };
    }
    result_at(experiment, OURS)->outcome.energy_j = 7.5e7;
    result_at(experiment, SUBJECTS + OURS)->outcome.completed = 9;
    assert_int_equal(joulie_experiment_report(experiment, &text, NULL), JOULIE_OK);
    const char *ours = strstr(text, "\"policy\":\"ours\"");
    assert_non_null(ours);
    if (strstr(ours, expected) == NULL)
        fail_msg("%s is not in %s", expected, ours);
    joulie_free(text);
    joulie_experiment_free(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_every_combination_once),
        cmocka_unit_test(keys_are_of_what_a_run_depends_on),
        cmocka_unit_test(a_build_is_a_part_of_every_key),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
        cmocka_unit_test(what_lies_on_a_bound_is_taken),
        cmocka_unit_test(an_experiment_has_a_million_runs_at_most),
        cmocka_unit_test(records_of_another_release_are_refused),
        cmocka_unit_test(a_policy_may_switch_nodes_off),
        cmocka_unit_test(a_result_is_taken_whole_or_not_at_all),
        cmocka_unit_test(a_result_carries_its_key_and_its_hash),
        cmocka_unit_test(a_run_that_fails_names_its_scenario),
        cmocka_unit_test(a_result_has_the_power_of_each_hour),
        cmocka_unit_test(a_bound_is_of_a_baseline_that_is_done),
        cmocka_unit_test(a_result_is_what_the_simulation_says),
        cmocka_unit_test(a_pair_is_charged_for_the_same_time),
        cmocka_unit_test(the_best_baseline_takes_least_over_the_same_time),
        cmocka_unit_test(a_pair_has_what_both_have),
        cmocka_unit_test(what_a_policy_costs_is_said_in_words),
        cmocka_unit_test(an_answer_has_a_row_for_each_policy),
        cmocka_unit_test(unequal_work_has_no_saving),
        cmocka_unit_test(a_row_has_means_over_its_seeds_for_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
