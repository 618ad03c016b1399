/* SPDX-License-Identifier: Apache-2.0 */

/* A scheduler over <joulie/cluster.h>: toy_scheduler PODS. Four machines, and a line per pod in a
 * file: name, class, cores. The library says where a pod may run and how well it would fit there;
 * the scheduler counts cores, and takes the best. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/cluster.h>

#define NODES 4
#define CORES 192                     /* of each machine */
#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z; a real one reads its clock */

static const char settings[] = "{\"policy\":{\"type\":\"static_partition\",\"staticHpFrac\":0.5}}";
static const char *const machines[NODES] = { "n1", "n2", "n3", "n4" };
static struct joulie_error err = { .struct_size = sizeof err };
static struct joulie_cluster *cluster;
static double used[NODES]; /* cores */

static void need(int code)
{
    if (code != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        exit(1);
    }
}

static void add_machines(void)
{
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    machine.cpu_model = "AMD EPYC 9654 96-Core Processor"; /* the catalog knows its watts */
    machine.cpu_sockets = 2;
    machine.cpu_cores = CORES;
    machine.has = JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS | JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES;
    for (size_t i = 0; i < NODES; i++) {
        machine.name = machines[i];
        need(joulie_cluster_put_machine(cluster, &machine, &err));
    }
}

/* Reads the meters, decides, and takes for done what was decided. The heartbeat keeps predictions
 * that nothing changes from growing old. */
static void step(void)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    size_t count = 0;
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS;
    for (size_t i = 0; i < NODES; i++) {
        sample.node_power_w = 120 + 3 * used[i]; /* idle, and 3 W per busy core */
        need(joulie_cluster_put_sample(cluster, machines[i], &sample, &err));
    }
    joulie_cluster_heartbeat(cluster, NOW_MS);
    need(joulie_cluster_step(cluster, NOW_MS, &count, &err));
    for (size_t i = 0; i < count; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        need(joulie_cluster_action_at(cluster, i, &action, &err));
        if (action.change == JOULIE_CHANGE_SPEC) /* caps would be set here */
            need(joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, &err));
    }
    need(joulie_cluster_statuses_done(cluster, &err));
}

static void place(const char *name, const struct joulie_work *needs)
{
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    int32_t reject[NODES], score[NODES];
    int best = -1;
    out.reject = (struct joulie_column_int_out){ reject, sizeof reject[0] };
    out.score = (struct joulie_column_int_out){ score, sizeof score[0] };
    need(joulie_cluster_place(cluster, needs, NOW_MS, NULL, &out, NODES, NULL, &err));
    for (int i = 0; i < NODES; i++) { /* rows are in the order of the names */
        if (reject[i] == JOULIE_REJECT_NONE && used[i] + needs->cpu_cores <= CORES &&
            (best < 0 || score[i] > score[best]))
            best = i;
    }
    work.needs = needs;
    if (best >= 0) {
        work.node_names = &machines[best];
        work.node_count = 1;
        used[best] += needs->cpu_cores;
        printf("%-8s %s, score %d\n", name, machines[best], (int)score[best]);
    } else {
        printf("%-8s waits\n", name);
    }
    need(joulie_cluster_put_work(cluster, "toy", name, &work, &err));
}

int main(int argc, char **argv)
{
    char line[128], name[32], word[32];
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    FILE *pods = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (pods == NULL)
        return 2;
    need(joulie_cluster_new(settings, strlen(settings), &cluster, &err));
    add_machines();
    needs.has = JOULIE_WORK_HAS_CPU;
    while (fgets(line, sizeof line, pods) != NULL) {
        if (sscanf(line, "%31s %31s %lf", name, word, &needs.cpu_cores) != 3)
            continue; /* a remark */
        needs.workload_class =
            (enum joulie_workload_class)joulie_word_value(JOULIE_VOCABULARY_WORKLOAD_CLASS, word);
        step();
        place(name, &needs);
    }
    fclose(pods);
    joulie_cluster_free(cluster);
    return 0;
}
