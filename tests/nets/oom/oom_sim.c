/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of a simulation fails once: this program is the allocator. The call that failed
 * says "out of memory"; a life without a failure gives the same bytes as before; everything is
 * released.
 */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/sim.h>

#include "oom/allocator.h"

static const char inventory[] =
    "nodes:\n"
    "  - {node_name_prefix: h, replicas: 2, vendor: nvidia, product: NVIDIA L40S, cpu: AMD EPYC "
    "9534, cpu_cores: 64, gpu_count: 4}\n"
    "  - {node_name: c, cpu: AMD EPYC 9654, cpu_cores: 16}\n";
static const char policy[] = "type: queue_aware_v1\nqueuePerfPerHpNode: 2\n";

static const char twin[] = "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\","
                           "\"metadata\":{\"name\":\"c\"},\"spec\":{\"nodeName\":\"c\","
                           "\"profile\":\"eco\"}}";

/* One who steps every 10 minutes, looks at a node, and caps it. */
static int step_outside(struct joulie_sim *sim, double now_s)
{
    static const char body[] = "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":200}";
    static const char *const bodies[] = { "jobs", "nodes", "energy" };
    struct joulie_sim_pod_view pod = JOULIE_INIT(struct joulie_sim_pod_view);
    char *text = NULL;
    int rc = joulie_sim_body(sim, "h-0", "telemetry", &text, NULL);
    joulie_free(text);
    if (rc == 0)
        rc = joulie_sim_body(sim, "h-0", "state", &text, NULL);
    if (rc == 0)
        joulie_free(text);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies && rc == 0; i++) {
        rc = joulie_sim_body(sim, NULL, bodies[i], &text, NULL);
        if (rc == 0)
            joulie_free(text);
    }
    if (rc == 0)
        rc = joulie_sim_control(sim, "c", body, sizeof body - 1, &text, NULL);
    if (rc == 0)
        joulie_free(text);
    if (rc == 0)
        rc = joulie_sim_cordon(sim, "c", 0, NULL);
    if (rc == 0)
        (void)joulie_sim_pod_at(sim, 0, 0, &pod, NULL); /* perhaps none runs there */
    if (rc == 0)
        rc = joulie_sim_put_decision(sim, twin, sizeof twin - 1, NULL);
    return rc == 0 ? joulie_sim_set_control_time(sim, now_s + 600, 1, NULL) : rc;
}

/* The same simulation with everybody outside, who lets every pod go everywhere. */
static int live_outside(const struct joulie_sim_options *inside, char **decisions)
{
    struct joulie_sim_options options = *inside;
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    struct joulie_sim *sim = NULL;
    char *node = NULL;
    char *hardware = NULL;
    static const unsigned char passed[] = { 1, 1, 1 }; /* three nodes at most */
    static const int32_t scores[] = { 0, 0, 0 };
    int found = 1;
    options.is_external = 1;
    options.power_off = NULL;
    options.baseline_power_off = 0;
    int rc = joulie_sim_new(&options, &sim, NULL);
    if (rc == 0)
        rc = joulie_sim_objects(sim, 0, &node, &hardware, NULL);
    joulie_free(node);
    joulie_free(hardware);
    if (rc == 0)
        rc = joulie_sim_set_control_time(sim, 0, 1, NULL);
    while (rc == 0 && found) {
        rc = joulie_sim_next(sim, -1, &event, &found, NULL);
        if (rc == 0 && found && event.kind == JOULIE_SIM_EVENT_PLACE)
            rc = joulie_sim_answer(sim, passed, scores, event.candidate_count, NULL);
        else if (rc == 0 && found && event.kind == JOULIE_SIM_EVENT_CONTROL)
            rc = step_outside(sim, event.time_s);
    }
    if (rc == 0)
        rc = joulie_sim_resume(sim, NULL);
    if (rc == 0)
        rc = joulie_sim_csv(sim, "decisions", decisions, NULL);
    joulie_sim_free(sim);
    return rc;
}

/* Where it stands; only the models need memory. */
static int look(const struct joulie_sim *sim)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_spread spread = JOULIE_INIT(struct joulie_sim_spread);
    char *models = NULL;
    double pct = 0;
    int rc = joulie_sim_models(sim, &models, NULL);
    joulie_free(models);
    if (rc == 0)
        rc = joulie_sim_get_view(sim, &view, NULL);
    if (rc == 0)
        rc = joulie_sim_node_at(sim, 0, &node, NULL);
    if (rc == 0)
        rc = joulie_sim_node_by_name(sim, node.name, &node, NULL);
    if (rc == 0)
        rc = joulie_sim_get_outcome(sim, 0, &outcome, NULL);
    if (rc == 0)
        rc = joulie_sim_get_spread(sim, 0, JOULIE_SIM_MEASURE_SLOWDOWN, JOULIE_SIM_GROUP_ALL,
                                   &spread, NULL);
    if (rc == 0)
        rc = joulie_sim_saving(sim, &pct, NULL);
    return rc == JOULIE_E_CONFLICT ? 0 : rc; /* jobs are left over */
}

/* From nothing to the texts of a short simulation of a short trace. */
static int live_once(char **answer, char **jobs, char **decisions)
{
    struct joulie_workload_options workload = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    char *trace = NULL;
    workload.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS;
    workload.jobs = 6;
    workload.hours = 1;
    int rc = joulie_workload_generate(&workload, &trace, NULL);
    if (rc == 0) {
        options.inventory = inventory;
        options.inventory_len = strlen(inventory);
        options.trace = trace;
        options.trace_len = strlen(trace);
        options.policy = policy;
        options.policy_len = strlen(policy);
        options.hours = 1.2;
        options.power_off = "{idleS: 60, upS: 60, reserveCores: 0, reserveGpus: 0}";
        options.power_off_len = strlen(options.power_off);
        options.baseline_power_off = 1;
        options.compare = 1;
        options.keeps_hours = 1;
        rc = joulie_sim_new(&options, &sim, NULL);
    }
    if (rc == 0)
        rc = joulie_sim_run_until(sim, (double)INFINITY, NULL);
    if (rc == 0)
        rc = look(sim);
    if (rc == 0)
        rc = joulie_sim_summary(sim, answer, NULL);
    if (rc == 0)
        rc = joulie_sim_csv(sim, "jobs", jobs, NULL);
    joulie_sim_free(sim);
    if (rc == 0)
        rc = live_outside(&options, decisions);
    joulie_free(trace);
    return rc;
}

int main(void)
{
    char *expected = NULL;
    char *expected_jobs = NULL;
    char *expected_decisions = NULL;
    long wrong = 0;
    long n = 0;
    const long before = oom_live_blocks; /* what libraries keep */
    if (live_once(&expected, &expected_jobs, &expected_decisions) != 0) {
        printf("the simulation fails without any failure\n");
        return 1;
    }
    const long kept = oom_live_blocks;
    do {
        char *answer = NULL;
        char *jobs = NULL;
        char *decisions = NULL;
        oom_has_failed = false;
        oom_fail_in = n;
        const int rc = live_once(&answer, &jobs, &decisions);
        oom_fail_in = -1;
        const bool is_same = rc == 0 && strcmp(answer, expected) == 0 &&
                             strcmp(jobs, expected_jobs) == 0 &&
                             strcmp(decisions, expected_decisions) == 0;
        if (!is_same && !(oom_has_failed && rc == JOULIE_E_NOMEM)) {
            printf("allocation %ld: code %d\n", n, rc);
            wrong++;
        }
        joulie_free(answer);
        joulie_free(jobs);
        joulie_free(decisions);
        if (oom_live_blocks != kept) {
            printf("allocation %ld: %ld blocks are left\n", n, oom_live_blocks - kept);
            return 1;
        }
        n++;
    } while (oom_has_failed);
    joulie_free(expected);
    joulie_free(expected_jobs);
    joulie_free(expected_decisions);
    const bool is_kept = oom_live_blocks != before; /* printf() allocates */
    printf("sim: %ld allocations failed once, %ld wrong\n", n - 1, wrong);
    return wrong > 0 || is_kept;
}
