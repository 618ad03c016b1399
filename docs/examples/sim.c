/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/sim.h>: a trace of jobs on simulated machines, with control and without. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

static const char machines[] = "nodes: [{node_name: n1, cpu_cores: 16, memory_gib: 64}]\n";
/* 16,000 units on 16 cores: 1000 s at 420 W; the machine idles at 80 W for 100 s before. */
static const char trace[] =
    "{\"type\":\"job\",\"jobId\":\"j\",\"submitTimeOffsetSec\":100,\"work\":{\"cpuUnits\":16000},"
    "\"podTemplate\":{\"requests\":{\"cpu\":\"16\",\"memory\":\"1Gi\"}},"
    "\"workloadClass\":{\"cpu\":\"cpu.compute_bound\"},\"workloadProfile\":"
    "{\"cpuUtilization\":1,\"memoryIntensity\":0,\"ioIntensity\":0}}\n";

int main(void)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim *sim = NULL;

    options.inventory = machines;
    options.inventory_len = strlen(machines);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.compare = 1;
    int rc = joulie_sim_new(&options, &sim, &err);
    if (rc == JOULIE_OK)
        rc = joulie_sim_run_until(sim, HUGE_VAL, &err);
    for (int i = 0; i < 2 && rc == JOULIE_OK; i++) {
        rc = joulie_sim_get_outcome(sim, i, &outcome, &err);
        printf("%s: %d of %d jobs, %.1f kJ, makespan %.0f s\n",
               i == 0 ? "controlled" : "uncontrolled", (int)outcome.completed, (int)outcome.jobs,
               outcome.energy_j / 1000, outcome.makespan_s);
    }
    if (rc != JOULIE_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    joulie_sim_free(sim);
    return rc != JOULIE_OK;
}
