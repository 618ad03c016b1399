/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of a cluster's life fails once: this program is the allocator. The call that
 * failed says "out of memory", is made again, and the answers at the end are those of a life
 * without a failure; then everything is released.
 */

#include <stdio.h>
#include <string.h>

#include <joulie/cluster.h>

#include "oom/allocator.h"
#include "oom/life.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)

static const char *const objects[] = {
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"labels\":{\"joulie.io/"
    "rack\":\"r\"}},\"status\":"
    "{\"capacity\":{\"cpu\":\"64\"}}}",
    "apiVersion: v1\nkind: Node\nmetadata: {name: b.c, labels: {joulie.io/rack: r}}\n",
    "{\"apiVersion\":\"joulie.io/"
    "v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":"
    "\"a\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2}}}",
    "{\"apiVersion\":\"joulie.io/"
    "v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"b\"},\"spec\":{\"nodeName\":"
    "\"b.c\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2}}}",
    "{\"apiVersion\":\"joulie.io/"
    "v1alpha1\",\"kind\":\"WorkloadProfile\",\"metadata\":{\"name\":\"w\",\"namespace\":\"d\"},"
    "\"spec\":{\"workloadRef\":{\"kind\":\"StatefulSet\",\"name\":\"s\"}},\"status\":{"
    "\"criticality\":{\"class\":"
    "\"performance\"},\"migratability\":{\"reschedulable\":true},\"confidence\":0.9,"
    "\"lastUpdated\":"
    "\"2026-03-13T11:00:00Z\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\","
    "\"ownerReferences\":[{\"kind\":"
    "\"StatefulSet\",\"name\":\"s\",\"controller\":true}]},\"spec\":{\"nodeName\":\"b.c\"},"
    "\"status\":{\"phase\":"
    "\"Running\"}}",
};
#define OBJECTS (sizeof objects / sizeof objects[0])

static struct joulie_cluster *cluster; /* of the life that is lived */

static void step(struct oom_life *life, int64_t now_ms)
{
    size_t count = 0;
    while (oom_again(life, joulie_cluster_step(cluster, now_ms, &count, NULL)))
        ;
    for (size_t i = 0; i < count && !life->is_wrong; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        while (oom_again(life, joulie_cluster_action_at(cluster, i, &action, NULL)))
            ;
        oom_note(life, action.name);
        const char *body = "";
        while (oom_again(life, joulie_cluster_action_body(cluster, action.id, &body, NULL)))
            ;
        oom_note(life, body);
        while (oom_again(
            life, joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, NULL)))
            ;
    }
    while (oom_again(life, joulie_cluster_statuses_done(cluster, NULL)))
        ;
}

static void explain(struct oom_life *life, const char *node)
{
    char *json = NULL;
    char *settings = NULL;
    char *labels = NULL;
    while (oom_again(life, joulie_cluster_explain(cluster, node, &json, NULL)))
        ;
    while (oom_again(life, joulie_cluster_node_labels(cluster, node, &labels, NULL)))
        ;
    oom_note(life, labels != NULL ? labels : "nothing");
    joulie_free(labels);
    while (oom_again(life, joulie_cluster_settings(cluster, &settings, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    oom_note(life, settings != NULL ? settings : "nothing");
    joulie_free(json);
    joulie_free(settings);
}

static void go_on(struct oom_life *life)
{
    static const char plan[] =
        "{\"version\":1,\"policy\":\"queue_aware_v1\",\"performanceNodes\":1,"
        "\"fewerSince\":\"2026-03-13T11:59:00Z\"}";
    static const char settings[] = "{\"policy\":{\"type\":\"queue_aware_v1\"}}";
    struct joulie_cluster *next = NULL;
    char *json = NULL;
    while (oom_again(life, joulie_cluster_new(settings, strlen(settings), &next, NULL)))
        ;
    while (next != NULL &&
           oom_again(life, joulie_cluster_restore(next, plan, strlen(plan), NOW_MS, NULL)))
        ;
    while (next != NULL && oom_again(life, joulie_cluster_save(next, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
    joulie_cluster_free(next);
}

static void score(struct oom_life *life)
{
    char *json = NULL;
    static const char profile[] = "version: 1\necoPoints: 12\nspread: rank\n";
    const char *pod = objects[OBJECTS - 1];
    while (oom_again(life, joulie_cluster_set_scoring(cluster, profile, strlen(profile), NULL)))
        ;
    while (oom_again(life, joulie_cluster_score(cluster, pod, strlen(pod), NOW_MS, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void extend(struct oom_life *life, enum joulie_extender_verb verb)
{
    static const char body[] =
        "{\"Pod\":{\"metadata\":{\"name\":\"p\"}},\"NodeNames\":[\"a\",\"b\\u002ec\",\"x\"]}";
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    char *reply = NULL;
    options.now_ms = NOW_MS;
    options.verb = verb;
    options.is_filled = 1;
    while (oom_again(
        life, joulie_cluster_extend(cluster, body, strlen(body), &options, &reply, &result, NULL)))
        ;
    oom_note(life, reply != NULL ? reply : "nothing");
    joulie_free(reply);
}

static void filter(struct oom_life *life)
{
    const char *pod = objects[OBJECTS - 1];
    char *json = NULL;
    while (oom_again(life, joulie_cluster_filter(cluster, pod, strlen(pod), NOW_MS, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

/* What the cluster is given of the building, and what it reports of itself. */
static void look(struct oom_life *life)
{
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    facility.outside_temp_c = 31;
    while (oom_again(life, joulie_cluster_put_facility(cluster, &facility, NULL)))
        ;
    joulie_cluster_set_wall(cluster, NOW_MS, NOW_MS);
    joulie_cluster_heartbeat(cluster, NOW_MS);
    oom_note(life, joulie_cluster_early_step_ms(cluster, NOW_MS) < NOW_MS ? "past" : "to come");
    while (oom_again(life, joulie_cluster_node_at(cluster, 0, &node, NULL)))
        ;
    oom_note(life, node.name != NULL ? node.name : "no name");
    while (oom_again(life, joulie_cluster_node_by_name(cluster, "b.c", &node, NULL)))
        ;
    while (oom_again(life, joulie_cluster_get_totals(cluster, &totals, NULL)))
        ;
    oom_note(life, totals.pods_performance == 1 ? "one pod needs power" : "another number");
}

static void show_scoring(struct oom_life *life)
{
    const char *pod = objects[OBJECTS - 1];
    char *json = NULL;
    while (oom_again(life, joulie_cluster_scoring(cluster, pod, strlen(pod), NOW_MS, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void measure(struct oom_life *life, double watts)
{
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS;
    sample.node_power_w = watts;
    while (oom_again(life, joulie_cluster_put_sample(cluster, "a", &sample, NULL)))
        ;
}

static void upsert_all(struct oom_life *life)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        while (oom_again(life,
                         joulie_cluster_put_object(cluster, objects[i], strlen(objects[i]), NULL)))
            ;
    }
}

static void take_away(struct oom_life *life, const char *kind, const char *name)
{
    while (oom_again(life, joulie_cluster_remove(cluster, kind, "d", name, NULL)))
        ;
}

static void live_once(struct oom_life *life)
{
    static const char settings[] =
        "policy: {type: queue_aware_v1, queueHpBaseFrac: 0, nodeSelector: '!gone'}\n";
    cluster = NULL;
    while (oom_again(life, joulie_cluster_new(settings, strlen(settings), &cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    upsert_all(life);
    step(life, NOW_MS);
    measure(life, 400);
    look(life);
    upsert_all(life);
    step(life, NOW_MS + MINUTE_MS);
    score(life);
    filter(life);
    extend(life, JOULIE_EXTENDER_FILTER);
    extend(life, JOULIE_EXTENDER_PRIORITIZE);
    show_scoring(life);
    explain(life, "a");
    explain(life, "b.c");
    go_on(life);
    take_away(life, "Pod", "p");
    take_away(life, "WorkloadProfile", "w");
    take_away(life, "Node", "a");
    take_away(life, "NodeHardware", "a");
    step(life, NOW_MS + 2 * MINUTE_MS);
    step(life, NOW_MS + 3 * MINUTE_MS);
    joulie_cluster_free(cluster);
}

/* ---- without texts: machines and work of any scheduler ---- */

static void put_machine(struct oom_life *life, const char *name)
{
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    machine.has = JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS | JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES;
    machine.name = name;
    machine.cpu_model = "AMD EPYC 9654";
    machine.rack = "r";
    machine.cooling_zone = "z";
    machine.cpu_sockets = 2;
    machine.cpu_cores = 384;
    while (oom_again(life, joulie_cluster_put_machine(cluster, &machine, NULL)))
        ;
}

static void put_work(struct oom_life *life, const char *name, const char *node_name)
{
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    needs.has = JOULIE_WORK_HAS_CPU;
    needs.cpu_cores = 8;
    needs.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    work.needs = &needs;
    const char *const node_names[] = { node_name, node_name };
    work.node_names = node_name != NULL ? node_names : NULL; /* else it waits for two */
    work.node_count = 2;
    while (oom_again(life, joulie_cluster_put_work(cluster, "g", name, &work, NULL)))
        ;
}

static void place(struct oom_life *life)
{
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    const char *names[2] = { NULL, NULL };
    size_t count = 0;
    while (
        oom_again(life, joulie_cluster_place(cluster, &work, NOW_MS, names, &out, 2, &count, NULL)))
        ;
    for (size_t i = 0; i < count && i < 2; i++)
        oom_note(life, names[i]);
}

static void live_without_texts(struct oom_life *life)
{
    struct joulie_cluster_facility zone = JOULIE_INIT(struct joulie_cluster_facility);
    cluster = NULL;
    while (oom_again(life, joulie_cluster_new(NULL, 0, &cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    put_machine(life, "m1");
    put_machine(life, "m2");
    put_work(life, "runs", "m1");
    put_work(life, "waits", NULL);
    zone.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    zone.outside_temp_c = 30;
    while (oom_again(life, joulie_cluster_put_zone(cluster, "z", &zone, NULL)))
        ;
    zone.has = JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
    zone.it_power_w = 900;
    while (oom_again(life, joulie_cluster_put_rack(cluster, "r", &zone, NULL)))
        ;
    step(life, NOW_MS);
    place(life);
    joulie_cluster_free(cluster);
}

/* ---- caps by work ---- */

#define PODS 20

static void upsert(struct oom_life *life, const char *text)
{
    while (oom_again(life, joulie_cluster_put_object(cluster, text, strlen(text), NULL)))
        ;
}

static void put_gpu_pod(struct oom_life *life, int i, const char *node)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"namespace\":"
             "\"d\"},\"spec\":{%s\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
             "\"nvidia.com/gpu\":\"1\"}}}]}}",
             i, node);
    upsert(life, text);
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\",\"metadata\":{"
             "\"name\":\"p%d\",\"namespace\":\"d\"},\"spec\":{\"workloadRef\":{\"kind\":\"Pod\","
             "\"name\":\"p%d\"}},\"status\":{\"confidence\":0.9,\"lastUpdated\":"
             "\"2026-03-13T11:00:00Z\",\"gpu\":{\"bound\":\"memory\",\"avgUtilizationPct\":%d}}}",
             i, i, 90 - i);
    upsert(life, text);
}

/* More work on a node than is sorted in place. */
static void live_with_gpu_caps(struct oom_life *life)
{
    static const char settings[] = "policy: {type: efficiency_v1}\n";
    cluster = NULL;
    while (oom_again(life, joulie_cluster_new(settings, strlen(settings), &cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    upsert(life, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"g\"},"
                 "\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"32\"}}}");
    upsert(life,
           "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{"
           "\"name\":\"g\"},\"spec\":{\"nodeName\":\"g\"},\"status\":{\"gpu\":{\"present\":true,"
           "\"count\":32,\"model\":\"NVIDIA_H100_SXM\"}}}");
    for (int i = 0; i < PODS; i++)
        put_gpu_pod(life, i, "\"nodeName\":\"g\",");
    step(life, NOW_MS);
    explain(life, "g");
    put_gpu_pod(life, PODS, "");
    step(life, NOW_MS + MINUTE_MS);
    explain(life, "g");
    joulie_cluster_free(cluster);
}

/* ---- profiles of workloads ---- */

static void answer_queries(struct oom_life *life, size_t count)
{
    static const char reply[] =
        "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":{"
        "\"namespace\":\"d\",\"pod\":\"w-1-a\"},\"value\":[1,\"1.5\"]}]}}";
    for (size_t i = 0; i < count && !life->is_wrong; i++) {
        const char *word = "";
        const char *query = "";
        while (oom_again(life, joulie_cluster_workloads_query(cluster, i, &word, &query, NULL)))
            ;
        oom_note(life, query);
        while (oom_again(
            life, joulie_cluster_workloads_reply(cluster, i, 200, reply, strlen(reply), NULL)))
            ;
    }
}

static void note_workloads(struct oom_life *life, const char *owner)
{
    struct joulie_cluster_workloads found = JOULIE_INIT(struct joulie_cluster_workloads);
    while (oom_again(life, joulie_cluster_workloads_decide(cluster, NOW_MS, &found, NULL)))
        ;
    for (size_t i = 0; i < found.actions && !life->is_wrong; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        const char *body = "";
        while (oom_again(life, joulie_cluster_workload_action_at(cluster, i, &action, NULL)))
            ;
        joulie_cluster_workload_action_body(cluster, action.id, &body, NULL);
        oom_note(life, action.name);
        oom_note(life, body);
        const bool is_read = action.verb == JOULIE_ACTION_READ;
        while (oom_again(life, joulie_cluster_workload_action_done(
                                   cluster, action.id,
                                   is_read ? JOULIE_OUTCOME_APPLIED : JOULIE_OUTCOME_FAILED,
                                   is_read ? owner : NULL, is_read ? strlen(owner) : 0, NULL)))
            ;
    }
}

static void live_classified(struct oom_life *life)
{
    static const char pod[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"w-1-a\",\"namespace\":"
        "\"d\",\"labels\":{\"pod-template-hash\":\"1\"},\"ownerReferences\":[{\"apiVersion\":"
        "\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"w-1\",\"uid\":\"r\",\"controller\":true}]},"
        "\"spec\":{\"nodeName\":\"a\",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
        "{\"cpu\":\"2\"}}}]},\"status\":{\"phase\":\"Running\"}}";
    static const char owner[] =
        "{\"metadata\":{\"name\":\"w-1\",\"uid\":\"r\",\"ownerReferences\":[{\"kind\":"
        "\"Deployment\",\"name\":\"w\",\"uid\":\"d\",\"controller\":true}]}}";
    size_t count = 0;
    cluster = NULL;
    while (oom_again(life, joulie_cluster_new(NULL, 0, &cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    upsert(life,
           "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"labels\":{"
           "\"joulie.io/managed\":\"true\"}}}");
    upsert(life, pod);
    while (oom_again(life, joulie_cluster_workloads_begin(cluster, NOW_MS, &count, NULL)))
        ;
    answer_queries(life, count);
    note_workloads(life, owner);
    note_workloads(life, owner);
    joulie_cluster_free(cluster);
}

/* ---- a node that is switched off and woken ---- */

static void put_switched(struct oom_life *life, const char *meta, const char *spec,
                         const char *ready)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\","
             "\"resourceVersion\":\"1\"%s},\"spec\":{\"taints\":[{\"key\":\"x\",\"effect\":"
             "\"NoSchedule\"}%s},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":"
             "\"%s\"}],\"nodeInfo\":{\"bootID\":\"one\"}}}",
             meta, spec, ready);
    upsert(life, text);
}

static void run_command(struct oom_life *life, enum joulie_power_command kind)
{
    struct joulie_cluster_command command = JOULIE_INIT(struct joulie_cluster_command);
    while (oom_again(life, joulie_cluster_command_at(cluster, 0, &command, NULL)))
        ;
    oom_note(life, command.node_name != NULL ? command.node_name : "no node");
    if (!life->is_wrong)
        life->is_wrong = command.command != kind ||
                         joulie_cluster_command_done(cluster, command.id, JOULIE_OUTCOME_APPLIED,
                                                     NULL) != JOULIE_OK;
}

static void live_switched(struct oom_life *life)
{
    static const char settings[] =
        "powerOff: {idleS: 0, upS: 0, reserveCores: 0, reserveGpus: 0, standbyWatts: 0}\n";
    static const char meta[] =
        ",\"annotations\":{\"joulie.io/power-state\":\"stopping\",\"joulie.io/power-since\":"
        "\"2026-03-13T12:00:00Z\",\"joulie.io/power-boot-id\":\"one\"}";
    static const char drained[] = ",{\"key\":\"joulie.io/powered-off\",\"effect\":\"NoSchedule\"}],"
                                  "\"unschedulable\":true";
    cluster = NULL;
    while (oom_again(life, joulie_cluster_new(settings, strlen(settings), &cluster, NULL)))
        ;
    if (life->is_wrong)
        return;
    put_switched(life, "", "]", "True");
    upsert(life, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{"
                 "\"name\":\"a\"},\"spec\":{\"nodeName\":\"a\"},\"status\":{\"cpu\":{\"model\":"
                 "\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192}}}");
    step(life, NOW_MS);
    step(life, NOW_MS + MINUTE_MS);
    run_command(life, JOULIE_POWER_COMMAND_SWITCH_OFF);
    put_switched(life, meta, drained, "Unknown");
    step(life, NOW_MS + 2 * MINUTE_MS);
    explain(life, "a");
    put_gpu_pod(life, 0, "");
    upsert(life, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"q\"},\"spec\":{"
                 "\"tolerations\":[{\"operator\":\"Exists\"}]}}");
    step(life, NOW_MS + 3 * MINUTE_MS);
    run_command(life, JOULIE_POWER_COMMAND_POWER_ON);
    joulie_cluster_free(cluster);
}

int main(void)
{
    int status = oom_lives("a cluster's", live_once);
    status |= oom_lives("a cluster without texts'", live_without_texts);
    status |= oom_lives("a cluster with GPU caps'", live_with_gpu_caps);
    status |= oom_lives("a cluster with a node that is off, its", live_switched);
    status |= oom_lives("a cluster's with profiles of workloads", live_classified);
    return status;
}
