/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/api_calls.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <joulie/joulie.h>

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define ROWS 32

static const char twin[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"n1\"},"
    "\"spec\":{\"nodeName\":\"n1\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapPctOfMax\":60}},"
    "\"status\":{\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}";
static const char hardware[] =
    "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: n1}\n"
    "spec: {nodeName: n1}\nstatus: {cpu: {model: AMD_EPYC_9654, sockets: 2}}\n";
static const char pod[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d}\n"
                          "spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}\n";

static void add(struct transcript *transcript, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct transcript *transcript, const char *format, ...)
{
    va_list arguments;
    const size_t room = sizeof transcript->text - transcript->used;
    va_start(arguments, format);
    const int len = vsnprintf(transcript->text + transcript->used, room, format, arguments);
    va_end(arguments);
    if (len < 0 || (size_t)len >= room)
        transcript->is_wrong = true;
    else
        transcript->used += (size_t)len;
}

static bool succeeds(struct transcript *transcript, int code, const struct joulie_error *err)
{
    if (code >= 0)
        return true;
    add(transcript, "%s at %s: %s\n", joulie_code_word(code), err->where, err->message);
    transcript->is_wrong = true;
    return false;
}

static void take(struct transcript *transcript, int code, char *text,
                 const struct joulie_error *err)
{
    if (succeeds(transcript, code, err))
        add(transcript, "%s\n", text);
    joulie_free(text);
}

static void ask(struct transcript *transcript)
{
    static const char *const questions[][2] = {
        { "quantity", "text: 1536Mi" },
        { "predict", "hardware: {cpu: {sockets: 2, capRange: {maxWattsPerSocket: 350}}}\n"
                     "spec: {nodeName: n1, profile: eco, cpu: {packagePowerCapPctOfMax: 60}}\n"
                     "measuredNodePowerW: 310.5\n" },
        { "validate", twin },
    };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int rc;
    char *text = NULL;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const char *document = questions[i][1];
        text = NULL;
        rc = joulie_ask(questions[i][0], document, strlen(document), NULL, &text, &err);
        take(transcript, rc, text, &err);
    }
    text = NULL;
    rc = joulie_ask_list(&text, &err);
    take(transcript, rc, text, &err);
    text = NULL;
    rc = joulie_ask_describe("plan", &text, &err);
    take(transcript, rc, text, &err);
    text = NULL;
    rc = joulie_layout(&text, &err);
    if (succeeds(transcript, rc, &err))
        add(transcript, "layout of %zu bytes\n", strlen(text));
    joulie_free(text);
}

static void words(struct transcript *transcript)
{
    for (int vocabulary = 1; joulie_word(vocabulary, 1); vocabulary++) {
        for (int value = 1; joulie_word(vocabulary, value); value++)
            add(transcript, "%s %d ", joulie_word(vocabulary, value),
                joulie_word_value(vocabulary, joulie_word(vocabulary, value)));
    }
    add(transcript, "%s %d\n", joulie_version(), joulie_has_feature("twin"));
}

static void object(struct transcript *transcript)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    struct joulie_object *one = NULL;
    struct joulie_object *other = NULL;
    int rc;
    char *text = NULL;
    if (!succeeds(transcript, joulie_object_parse(twin, strlen(twin), NULL, 0, &one, &err), &err))
        return;
    succeeds(transcript, joulie_object_copy(one, &other, &err), &err);
    succeeds(transcript,
             joulie_object_set_number(other, "spec.cpu.packagePowerCapPctOfMax", 45.5, &err), &err);
    succeeds(transcript, joulie_v1alpha1_get_node_twin_spec(other, &spec, &err), &err);
    add(transcript, "%s %a\n", spec.node_name, spec.cpu_cap_pct);
    rc = joulie_object_diff(one, other, &text, &err);
    take(transcript, rc, text, &err);
    text = NULL;
    rc = joulie_object_print(other, JOULIE_FORM_YAML, &text, &err);
    take(transcript, rc, text, &err);
    joulie_object_free(other);
    joulie_object_free(one);
}

/* The inputs belong to all threads, the outputs to one. */
static void columns(struct transcript *transcript)
{
    static const double sockets = 2;
    static const double max_w = 360;
    static const double power_w[4] = { 100, 310.25, 500, 719.9 };
    static const int64_t updated_ms = NOW_MS;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    double headroom[4] = { 0 };
    int32_t score[4] = { 0 };

    in.cpu_sockets.at = &sockets;
    in.cpu_max_w.at = &max_w;
    in.measured_node_power_w = (struct joulie_column){ power_w, sizeof power_w[0] };
    out.power_headroom_score = (struct joulie_column_out){ headroom, sizeof headroom[0] };
    succeeds(transcript, joulie_twin_predict_columns(&in, 4, &out, NULL, &err), &err);

    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns nodes = JOULIE_INIT(struct joulie_place_columns);
    struct joulie_place_columns_out scores = JOULIE_INIT(struct joulie_place_columns_out);
    work.cpu_cores = 4;
    work.has = JOULIE_WORK_HAS_CPU;
    nodes.headroom_score = (struct joulie_column){ headroom, sizeof headroom[0] };
    nodes.updated_ms.at = &updated_ms;
    scores.score = (struct joulie_column_int_out){ score, sizeof score[0] };
    succeeds(transcript, joulie_place_nodes(NULL, &work, &nodes, 4, NOW_MS, &scores, NULL, &err),
             &err);
    for (size_t i = 0; i < 4; i++)
        add(transcript, "%a %d\n", headroom[i], (int)score[i]);
}

static void cluster(struct transcript *transcript)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    struct joulie_cluster *model = NULL;
    char name[16];
    int rc;
    char *text = NULL;
    size_t count = 0;
    if (!succeeds(transcript, joulie_cluster_new(NULL, 0, &model, &err), &err))
        return;
    machine.cpu_model = "AMD EPYC 9654 96-Core Processor";
    machine.name = name;
    machine.cpu_sockets = 2;
    machine.has = JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS;
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS;
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "m%d", i);
        sample.node_power_w = 200 + 10 * i;
        succeeds(transcript, joulie_cluster_put_machine(model, &machine, &err), &err);
        succeeds(transcript, joulie_cluster_put_sample(model, name, &sample, &err), &err);
    }
    succeeds(transcript, joulie_cluster_put_object(model, pod, strlen(pod), &err), &err);
    succeeds(transcript, joulie_cluster_step(model, NOW_MS, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        succeeds(transcript, joulie_cluster_action_at(model, i, &action, &err), &err);
        const char *body = "";
        succeeds(transcript, joulie_cluster_action_body(model, action.id, &body, &err), &err);
        add(transcript, "%s %s\n", action.name, body);
        succeeds(transcript,
                 joulie_cluster_action_done(model, action.id, JOULIE_OUTCOME_APPLIED, &err), &err);
    }
    rc = joulie_cluster_score(model, pod, strlen(pod), NOW_MS, &text, &err);
    take(transcript, rc, text, &err);
    joulie_cluster_free(model);
}

static void node(struct transcript *transcript)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    struct joulie_node *agent = NULL;
    int rc;
    char *text = NULL;
    size_t count = 0;
    options.enforces = 1;
    if (!succeeds(transcript, joulie_node_new(&options, &agent, &err), &err))
        return;
    succeeds(transcript, joulie_node_put_hardware(agent, hardware, strlen(hardware), &err), &err);
    succeeds(transcript, joulie_node_put_twin(agent, twin, strlen(twin), &err), &err);
    succeeds(transcript, joulie_node_step(agent, NOW_MS, &count, &err), &err);
    rc = joulie_node_report(agent, &text, &err);
    take(transcript, rc, text, &err);
    joulie_node_free(agent);
}

static void sim(struct transcript *transcript)
{
    static const char machines[] = "nodes: [{node_name: n1, cpu_cores: 16, memory_gib: 64}]\n";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_workload_options workload = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_sim *run = NULL;
    char *trace = NULL;
    int rc;
    char *text = NULL;
    workload.jobs = 3;
    workload.max_duration_s = 60;
    workload.gpu_ratio = 0;
    workload.has =
        JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_MAX_DURATION | JOULIE_WORKLOAD_HAS_GPU_RATIO;
    if (!succeeds(transcript, joulie_workload_generate(&workload, &trace, &err), &err))
        return;
    options.inventory = machines;
    options.inventory_len = strlen(machines);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.hours = 0.25;
    if (succeeds(transcript, joulie_sim_new(&options, &run, &err), &err)) {
        succeeds(transcript, joulie_sim_run_until(run, HUGE_VAL, &err), &err);
        rc = joulie_sim_summary(run, &text, &err);
        take(transcript, rc, text, &err);
    }
    joulie_sim_free(run);
    joulie_free(trace);
}

static void host(struct transcript *transcript, const char *root)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    struct joulie_host *machine = NULL;
    int rc;
    char *text = NULL;
    options.root = root;
    if (!succeeds(transcript, joulie_host_open(&options, &machine, &err), &err))
        return;
    rc = joulie_host_hardware(machine, "n1", NOW_MS, &text, &err);
    take(transcript, rc, text, &err);
    text = NULL;
    time.now_ms = NOW_MS;
    succeeds(transcript, joulie_host_tick(machine, &time, NULL, &err), &err);
    rc = joulie_host_report(machine, &text, &err);
    take(transcript, rc, text, &err);
    joulie_host_free(machine);
}

void api_calls_run(struct transcript *transcript, const char *host_root)
{
    ask(transcript);
    words(transcript);
    object(transcript);
    columns(transcript);
    cluster(transcript);
    node(transcript);
    sim(transcript);
    host(transcript, host_root);
}
