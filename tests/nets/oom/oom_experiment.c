/* SPDX-License-Identifier: Apache-2.0 */

/* An experiment in which every allocation fails once: generated and recorded traces. */

#include <string.h>

#include <joulie/experiment.h>

#include "life.h"

static const char text[] =
    "seeds: [1]\n"
    "baselines: [kube]\n"
    "policies: [{name: p, policy: {type: static_partition, staticHpFrac: 1}}]\n"
    "scenarios:\n"
    "- name: s\n"
    "  loads: [0.1]\n"
    "  inventory: {nodes: [{node_name: n, cpu: AMD EPYC 9654, cpu_cores: 192}]}\n"
    "  workload: {hours: 0.2, gpuRatio: 0, maxDurationS: 60, burstMin: 1, burstMax: 1}\n"
    "- name: t\n"
    "  inventoryFile: inventory\n"
    "  traceFile: trace\n";

static int find_file(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    (void)user;
    *out_bytes = strcmp(name, "trace") == 0
                     ? "{\"type\":\"job\",\"jobId\":\"j\",\"work\":{\"cpuUnits\":160},"
                       "\"podTemplate\":{\"requests\":{\"cpu\":\"16\"}}}\n"
                     : "nodes: [{node_name: m, cpu_cores: 16}]\n";
    *out_len = strlen(*out_bytes);
    return 0;
}

static void answer(struct oom_life *life, const struct joulie_experiment *experiment,
                   const char *table)
{
    char *out = NULL;
    while (oom_again(life, table ? joulie_experiment_csv(experiment, table, &out, NULL)
                                 : joulie_experiment_report(experiment, &out, NULL)))
        ;
    oom_note(life, out);
    joulie_free(out);
}

static void live(struct oom_life *life)
{
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    struct joulie_experiment *experiment = NULL;
    options.text = text;
    options.len = strlen(text);
    options.find_file = find_file;
    while (oom_again(life, joulie_experiment_new(&options, &experiment, NULL)))
        ;
    for (size_t i = 0; i < joulie_experiment_runs(experiment); i++) {
        struct joulie_experiment_run run = JOULIE_INIT(struct joulie_experiment_run);
        char *result = NULL;
        while (oom_again(life, joulie_experiment_run_at(experiment, i, &run, NULL)))
            ;
        oom_note(life, run.key);
        while (oom_again(life, joulie_experiment_simulate(experiment, i, &result, NULL)))
            ;
        while (oom_again(life,
                         joulie_experiment_put_result(experiment, i, result, strlen(result), NULL)))
            ;
        joulie_free(result);
    }
    answer(life, experiment, NULL);
    answer(life, experiment, "rows");
    answer(life, experiment, "pairs");
    answer(life, experiment, "runs");
    joulie_experiment_free(experiment);
}

int main(void)
{
    return oom_lives("an experiment's", live);
}
