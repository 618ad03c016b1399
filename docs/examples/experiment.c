/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/experiment.h>: a policy and kube-scheduler alone on the same traces. */

#include <stdio.h>
#include <string.h>

#include <joulie/experiment.h>

static const char text[] =
    "seeds: 2\n"
    "loads: [0.2]\n"
    "baselines: [kube, most-allocated]\n"
    "policies: [{name: all-performance, policy: {staticHpFrac: 1}}]\n"
    "scenarios:\n"
    "- name: two\n"
    "  inventory: {nodes: [{node_name_prefix: n, replicas: 2, cpu: AMD EPYC 9654, cpu_cores: "
    "192}]}\n"
    "  workload: {hours: 1, gpuRatio: 0, maxDurationS: 600, burstMin: 1, burstMax: 2}\n";

/* Runs could be simulated by threads or processes, and results kept. */
static int run_all(struct joulie_experiment *experiment, struct joulie_error *err)
{
    int rc = JOULIE_OK;
    for (size_t i = 0; i < joulie_experiment_runs(experiment) && rc == JOULIE_OK; i++) {
        char *result = NULL;
        rc = joulie_experiment_simulate(experiment, i, &result, err);
        if (rc == JOULIE_OK)
            rc = joulie_experiment_put_result(experiment, i, result, strlen(result), err);
        joulie_free(result);
    }
    return rc;
}

int main(void)
{
    struct joulie_experiment_options options = JOULIE_INIT(struct joulie_experiment_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_experiment *experiment = NULL;
    char *rows = NULL;

    options.text = text;
    options.len = strlen(text);
    int rc = joulie_experiment_new(&options, &experiment, &err);
    if (rc == JOULIE_OK)
        rc = run_all(experiment, &err);
    if (rc == JOULIE_OK)
        rc = joulie_experiment_csv(experiment, "rows", &rows, &err);
    if (rc == JOULIE_OK)
        printf("%zu runs, %.45s...\n", joulie_experiment_runs(experiment), rows);
    else
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    joulie_free(rows);
    joulie_experiment_free(experiment);
    return rc != JOULIE_OK;
}
