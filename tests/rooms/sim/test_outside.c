/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A simulation that somebody else controls: operator, extender and agents stand outside and go
 * through the public interfaces only. Nothing may come out differently.
 */

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/cluster.h>
#include <joulie/node.h>
#include <joulie/sim.h>

#include "schema/diff.h"
#include "sim/control.h"
#include "support/test.h"

#define MIXED                                                                                      \
    "nodes:\n"                                                                                     \
    "  - {node_name_prefix: h100, replicas: 3, vendor: nvidia, product: NVIDIA H100 NVL, cpu: "    \
    "AMD EPYC 9654, cpu_cores: 192, memory_gib: 1536, gpu_count: 8}\n"                             \
    "  - {node_name_prefix: w7900, replicas: 2, vendor: amd, product: AMD Radeon PRO W7900, cpu: " \
    "AMD EPYC 9534, cpu_cores: 128, memory_gib: 770, gpu_count: 4}\n"                              \
    "  - {node_name_prefix: intel, replicas: 3, cpu: 'INTEL(R) XEON(R) GOLD 6530', cpu_cores: "    \
    "64, memory_gib: 256}\n"                                                                       \
    "  - {node_name_prefix: big, replicas: 3, cpu: AMD EPYC 9965, cpu_cores: 384, memory_gib: "    \
    "1536}\n"

#define QUEUE_POLICY                                                                              \
    "{\"type\":\"queue_aware_v1\",\"queueHpBaseFrac\":0,\"queueHpMin\":0,\"queuePerfPerHpNode\":" \
    "2}"

#define MOST_NODES 16
#define OPERATOR_S 60

/* ---- somebody outside ---- */

struct machine {
    const char *name; /* of the Node's text */
    json_object *node;
    json_object *twin; /* NULL = there is none */
    struct joulie_node *agent;
    double original_w; /* before the agent's first write; < 0 = it never wrote */
    double gpu_original_w;
    double next_s; /* of the agent */
    bool is_twin_new;
};

struct outside {
    struct joulie_sim *sim;
    struct joulie_cluster *cluster;
    struct machine machines[MOST_NODES];
    size_t count;
    double operator_s;
    int64_t heartbeat_ms;
    size_t questions;
    size_t samples;
    bool has_no_extender;
};

static void must(int rc, const struct joulie_error *err)
{
    if (rc < 0)
        fail_msg("%d at '%s': %s", rc, err->where, err->message);
}

static json_object *parsed(const char *text)
{
    json_object *object = json_tokener_parse(text);
    assert_non_null(object);
    return object;
}

static json_object *member(json_object *object, const char *key)
{
    json_object *value = NULL;
    json_object_object_get_ex(object, key, &value);
    return value;
}

static struct machine *machine_of(struct outside *outside, const char *name)
{
    for (size_t i = 0; i < outside->count; i++) {
        if (strcmp(outside->machines[i].name, name) == 0)
            return &outside->machines[i];
    }
    fail_msg("there is no node %s", name);
    return NULL;
}

static json_object *telemetry_of(struct outside *outside, const char *name)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    must(joulie_sim_body(outside->sim, name, "telemetry", &text, &err), &err);
    json_object *object = parsed(text);
    joulie_free(text);
    return object;
}

static void upsert(struct outside *outside, json_object *object)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *text = json_object_to_json_string(object);
    must(joulie_cluster_put_object(outside->cluster, text, strlen(text), &err), &err);
}

/* ---- operator ---- */

static void sample(struct outside *outside, const struct machine *machine, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_sample out = JOULIE_INIT(struct joulie_cluster_sample);
    json_object *telemetry = telemetry_of(outside, machine->name);
    json_object *gpu = member(telemetry, "gpu");
    out.at_ms = now_ms;
    out.source = JOULIE_POWER_SOURCE_HTTP;
    out.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER | JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL;
    out.node_power_w = json_object_get_double(member(telemetry, "packagePowerWatts"));
    out.cpu_util_pct =
        100 * json_object_get_double(member(member(telemetry, "cpu"), "utilization"));
    if (json_object_get_boolean(member(gpu, "present"))) {
        out.has |= JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL;
        out.gpu_util_pct = 100 * json_object_get_double(member(gpu, "utilization"));
    }
    must(joulie_cluster_put_sample(outside->cluster, machine->name, &out, &err), &err);
    json_object_put(telemetry);
}

static void patch(json_object **object, const char *text)
{
    json_object *by = parsed(text);
    json_object *result = NULL;
    assert_int_equal(jl_merge_patch(*object, by, &result), 0);
    json_object_put(*object);
    json_object_put(by);
    *object = result;
}

static void apply(struct outside *outside, const struct joulie_cluster_action *action)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct machine *machine = machine_of(outside, action->node_name);
    const char *body = "";
    must(joulie_cluster_action_body(outside->cluster, action->id, &body, &err), &err);
    if (strcmp(action->kind, "Node") == 0) {
        patch(&machine->node, body);
        upsert(outside, machine->node);
        return;
    }
    assert_string_equal(action->kind, "NodeTwin");
    assert_int_not_equal(action->verb, JOULIE_ACTION_DELETE);
    if (action->verb == JOULIE_ACTION_CREATE)
        machine->twin = parsed(body);
    else
        patch(&machine->twin, body);
    machine->is_twin_new = true;
    upsert(outside, machine->twin);
    if (action->subresource[0] == '\0') {
        const char *text = json_object_to_json_string(machine->twin);
        must(joulie_sim_put_decision(outside->sim, text, strlen(text), &err), &err);
    }
}

static void step_operator(struct outside *outside, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    size_t count = 0;
    for (size_t i = 0; i < outside->count; i++)
        sample(outside, &outside->machines[i], now_ms);
    outside->heartbeat_ms = now_ms;
    joulie_cluster_heartbeat(outside->cluster, now_ms);
    must(joulie_cluster_step(outside->cluster, now_ms, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        must(joulie_cluster_action_at(outside->cluster, i, &action, &err), &err);
        apply(outside, &action);
        must(joulie_cluster_action_done(outside->cluster, action.id, JOULIE_OUTCOME_APPLIED, &err),
             &err);
    }
}

/* ---- extender ---- */

static bool has_passed(json_object *filter, const char *name)
{
    json_object *passed = member(filter, "passed");
    for (size_t i = 0; i < json_object_array_length(passed); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(passed, i)), name) == 0)
            return true;
    }
    return false;
}

static int32_t wire_of(json_object *scores, const char *name)
{
    json_object *list = member(scores, "scores");
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        json_object *score = json_object_array_get_idx(list, i);
        if (strcmp(json_object_get_string(member(score, "node")), name) == 0)
            return json_object_get_int(member(score, "wire"));
    }
    return 0;
}

static void answer(struct outside *outside, const struct joulie_sim_event *event)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int64_t now_ms = joulie_sim_instant_ms(event->time_s);
    const size_t len = strlen(event->text);
    char *filter_text = NULL;
    char *score_text = NULL;
    unsigned char passed[MOST_NODES];
    int32_t wire[MOST_NODES];
    outside->questions++;
    outside->samples += event->is_sample != 0;
    if (outside->has_no_extender) {
        must(joulie_sim_answer(outside->sim, NULL, NULL, event->candidate_count, &err), &err);
        return;
    }
    must(joulie_cluster_filter(outside->cluster, event->text, len, now_ms, &filter_text, &err),
         &err);
    must(joulie_cluster_score(outside->cluster, event->text, len, now_ms, &score_text, &err), &err);
    json_object *filter = parsed(filter_text);
    json_object *scores = parsed(score_text);
    assert_true(event->candidate_count > 0 && event->candidate_count <= outside->count);
    for (size_t i = 0; i < event->candidate_count; i++) {
        assert_true(i == 0 || strcmp(event->candidates[i - 1], event->candidates[i]) != 0);
        passed[i] = has_passed(filter, event->candidates[i]);
        wire[i] = wire_of(scores, event->candidates[i]);
    }
    must(joulie_sim_answer(outside->sim, passed, wire, event->candidate_count, &err), &err);
    json_object_put(filter);
    json_object_put(scores);
    joulie_free(filter_text);
    joulie_free(score_text);
}

/* ---- agents ---- */

static void tell_reading(const struct machine *machine, const struct joulie_node_write *write,
                         double limit_w, double original_w)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_node_reading reading = JOULIE_INIT(struct joulie_node_reading);
    reading.kind = write->kind;
    reading.index = write->index;
    reading.id = write->id;
    reading.has = JOULIE_NODE_READING_HAS_LIMIT;
    reading.limit_w = limit_w;
    if (original_w >= 0) {
        reading.has |= JOULIE_NODE_READING_HAS_ORIGINAL;
        reading.original_w = original_w;
    }
    must(joulie_node_put_reading(machine->agent, &reading, &err), &err);
}

static void read_limits(struct outside *outside, struct machine *machine, double *out_cpu_w,
                        double *out_gpu_w)
{
    const struct joulie_node_write cpu = { .kind = JOULIE_NODE_KIND_PACKAGE, .id = "remote" };
    json_object *telemetry = telemetry_of(outside, machine->name);
    json_object *gpu = member(telemetry, "gpu");
    *out_cpu_w = json_object_get_double(member(member(telemetry, "cpu"), "targetCapWatts"));
    *out_gpu_w = json_object_get_double(member(gpu, "capWattsPerGpuTarget"));
    tell_reading(machine, &cpu, *out_cpu_w, machine->original_w);
    for (int i = 0; i < json_object_get_int(member(gpu, "count")); i++) {
        char id[64];
        snprintf(id, sizeof id, "GPU-%s-%d", machine->name, i);
        const struct joulie_node_write device = { .kind = JOULIE_NODE_KIND_GPU, .id = id };
        tell_reading(machine, &device, *out_gpu_w, machine->gpu_original_w);
    }
    json_object_put(telemetry);
}

static void step_agent(struct outside *outside, struct machine *machine, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    size_t count = 0;
    double cpu_w;
    double gpu_w;
    if (!machine->twin)
        return;
    const char *twin = json_object_to_json_string(machine->twin);
    joulie_node_heartbeat(machine->agent, outside->heartbeat_ms);
    if (machine->is_twin_new)
        must(joulie_node_put_twin(machine->agent, twin, strlen(twin), &err), &err);
    machine->is_twin_new = false;
    read_limits(outside, machine, &cpu_w, &gpu_w);
    must(joulie_node_step(machine->agent, now_ms, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
        must(joulie_node_write_at(machine->agent, i, &write, &err), &err);
        const bool is_cpu = write.kind == JOULIE_NODE_KIND_PACKAGE;
        double *original_w = is_cpu ? &machine->original_w : &machine->gpu_original_w;
        char body[160];
        char *reply = NULL;
        snprintf(body, sizeof body, "{\"node\":\"%s\",\"action\":\"%s\",\"%s\":%.17g}",
                 machine->name, is_cpu ? "rapl.set_power_cap_watts" : "gpu.set_power_cap_watts",
                 is_cpu ? "capWatts" : "capWattsPerGpu", write.limit_w);
        must(joulie_sim_control(outside->sim, machine->name, body, strlen(body), &reply, &err),
             &err);
        assert_non_null(strstr(reply, "\"result\":\"applied\""));
        joulie_free(reply);
        if (write.is_restore)
            *original_w = -1;
        else if (*original_w < 0)
            *original_w = is_cpu ? cpu_w : gpu_w;
    }
}

/* ---- the loop ---- */

static double early_s(const struct outside *outside, double time_s)
{
    const int64_t early_ms =
        joulie_cluster_early_step_ms(outside->cluster, joulie_sim_instant_ms(time_s));
    return early_ms < INT64_MAX ? (double)(early_ms - joulie_sim_instant_ms(0)) / 1000
                                : outside->operator_s;
}

static void plan(struct outside *outside, double time_s, bool admits_changed)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    double next_s = fmin(outside->operator_s, early_s(outside, time_s));
    for (size_t i = 0; i < outside->count; i++)
        next_s = fmin(next_s, outside->machines[i].next_s);
    must(joulie_sim_set_control_time(outside->sim, next_s, admits_changed, &err), &err);
}

static void control(struct outside *outside, double time_s)
{
    const int64_t now_ms = joulie_sim_instant_ms(time_s);
    const bool is_regular = outside->operator_s <= time_s;
    const bool is_operator = is_regular || early_s(outside, time_s) <= time_s;
    if (is_operator)
        step_operator(outside, now_ms);
    if (is_regular)
        outside->operator_s += OPERATOR_S;
    for (size_t i = 0; i < outside->count; i++) {
        struct machine *machine = &outside->machines[i];
        if (machine->next_s <= time_s) {
            step_agent(outside, machine, now_ms);
            machine->next_s = jl_sim_agent_time(i, outside->count, time_s + 0.001);
        }
    }
    plan(outside, time_s, is_operator);
}

static void hear(struct outside *outside, const struct joulie_sim_event *event)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (event->is_removed) {
        assert_true(event->node[0] != '\0'); /* on which it ran */
        must(joulie_cluster_remove(outside->cluster, "Pod", event->name_space, event->name, &err),
             &err);
        return;
    }
    must(joulie_cluster_put_object(outside->cluster, event->text, strlen(event->text), &err), &err);
    json_object *pod = parsed(event->text);
    const char *node = json_object_get_string(member(member(pod, "spec"), "nodeName"));
    assert_string_equal(event->node, node ? node : "");
    assert_int_equal(event->is_first, node == NULL);
    json_object_put(pod);
}

static void open_machine(struct outside *outside, size_t index)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    struct machine *machine = &outside->machines[index];
    char *node = NULL;
    char *hardware = NULL;
    options.enforces = 1;
    options.is_remote_cpu = 1;
    options.gpu_backend = "http";
    must(joulie_sim_objects(outside->sim, index, &node, &hardware, &err), &err);
    must(joulie_cluster_put_object(outside->cluster, node, strlen(node), &err), &err);
    must(joulie_cluster_put_object(outside->cluster, hardware, strlen(hardware), &err), &err);
    must(joulie_node_new(&options, &machine->agent, &err), &err);
    must(joulie_node_put_hardware(machine->agent, hardware, strlen(hardware), &err), &err);
    machine->node = parsed(node);
    machine->name =
        strdup(json_object_get_string(member(member(machine->node, "metadata"), "name")));
    machine->original_w = -1;
    machine->gpu_original_w = -1;
    machine->next_s = jl_sim_agent_time(index, outside->count, 0);
    joulie_free(node);
    joulie_free(hardware);
}

static void outside_open(struct outside *outside, const struct joulie_sim_options *options,
                         const char *policy)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options mine = *options;
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    char settings[512];
    *outside = (struct outside){ .count = 0 };
    mine.is_external = 1;
    mine.policy = NULL;
    snprintf(settings, sizeof settings, "{\"policy\":%s}", policy);
    must(joulie_sim_new(&mine, &outside->sim, &err), &err);
    must(joulie_cluster_new(settings, strlen(settings), &outside->cluster, &err), &err);
    assert_int_equal(joulie_sim_get_view(outside->sim, &view, NULL), 0);
    outside->count = (size_t)view.nodes;
    assert_true(outside->count <= MOST_NODES);
    for (size_t i = 0; i < outside->count; i++)
        open_machine(outside, i);
}

static void outside_run(struct outside *outside)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    double last_s = 0;
    int32_t found = 0;
    must(joulie_sim_set_control_time(outside->sim, 0, 1, &err), &err);
    for (;;) {
        must(joulie_sim_next(outside->sim, -1, &event, &found, &err), &err);
        if (!found)
            return;
        assert_true(event.time_s >= last_s);
        last_s = event.time_s;
        if (event.kind == JOULIE_SIM_EVENT_POD) {
            hear(outside, &event);
            plan(outside, event.time_s, false);
        } else if (event.kind == JOULIE_SIM_EVENT_PLACE)
            answer(outside, &event);
        else
            control(outside, event.time_s);
    }
}

static void outside_close(struct outside *outside)
{
    for (size_t i = 0; i < outside->count; i++) {
        struct machine *machine = &outside->machines[i];
        json_object_put(machine->node);
        json_object_put(machine->twin);
        joulie_node_free(machine->agent);
        free((void *)(uintptr_t)machine->name);
    }
    joulie_cluster_free(outside->cluster);
    joulie_sim_free(outside->sim);
}

/* ---- the same comes out ---- */

static char *make_trace(int64_t jobs, double hours, uint64_t seed)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    char *trace = NULL;
    options.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_SEED |
                  JOULIE_WORKLOAD_HAS_GPU_RATIO | JOULIE_WORKLOAD_HAS_AMD_RATIO |
                  JOULIE_WORKLOAD_HAS_MAX_DURATION;
    options.jobs = jobs;
    options.hours = hours;
    options.seed = seed;
    options.gpu_ratio = 0.5;
    options.amd_ratio = 0.2;
    options.max_duration_s = 3600;
    must(joulie_workload_generate(&options, &trace, &err), &err);
    return trace;
}

static struct joulie_sim_options options_of(const char *inventory, const char *trace,
                                            const char *policy, const char *placement)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    options.inventory = inventory;
    options.inventory_len = strlen(inventory);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.policy = policy;
    options.policy_len = strlen(policy);
    options.placement = placement;
    options.compare = 1;
    options.keeps_hours = 1;
    options.seed = 7;
    return options;
}

static char *table_of(const struct joulie_sim *sim, const char *table)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    must(strcmp(table, "summary") == 0 ? joulie_sim_summary(sim, &text, &err)
                                       : joulie_sim_csv(sim, table, &text, &err),
         &err);
    return text;
}

/* The first line that differs, for a person. */
static void must_be_same(const char *table, char *inside, char *outside)
{
    char *inside_next = inside;
    char *outside_next = outside;
    char *left;
    char *right;
    do {
        left = strsep(&inside_next, "\n");
        right = strsep(&outside_next, "\n");
        if (!left != !right || (left && strcmp(left, right) != 0))
            fail_msg("%s: inside %s, outside %s", table, left ? left : "(end)",
                     right ? right : "(end)");
    } while (left);
}

static void compare(const struct joulie_sim *inside, const struct joulie_sim *outside)
{
    static const char *const tables[] = { "decisions", "jobs", "nodes", "summary" };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char *left = table_of(inside, tables[i]);
        char *right = table_of(outside, tables[i]);
        must_be_same(tables[i], left, right);
        joulie_free(left);
        joulie_free(right);
    }
}

/* The decisions that were compared. */
static int64_t run_both(const struct joulie_sim_options *options, const char *policy,
                        struct outside *outside)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim *inside = NULL;
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    must(joulie_sim_new(options, &inside, &err), &err);
    must(joulie_sim_run_until(inside, (double)INFINITY, &err), &err);
    outside_open(outside, options, policy);
    outside_run(outside);
    assert_int_equal(joulie_sim_get_view(outside->sim, &view, NULL), 0);
    assert_true(view.is_finished);
    compare(inside, outside->sim);
    joulie_sim_free(inside);
    return view.decisions;
}

static void who_controls_makes_no_difference(void **state)
{
    static const char *const placements[] = { "joulie", "least-allocated" };
    int64_t decisions = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct outside outside;
        char *trace = make_trace(120, 4, seed);
        const struct joulie_sim_options options =
            options_of(MIXED, trace, QUEUE_POLICY, placements[seed % 3 == 0]);
        decisions += run_both(&options, QUEUE_POLICY, &outside);
        assert_true(outside.questions > outside.samples && outside.samples > 0);
        outside_close(&outside);
        joulie_free(trace);
    }
    printf("%lld decisions compared\n", (long long)decisions);
    assert_true(decisions > 100); /* it was worth comparing */
}

static void after_the_end_time_goes_on_when_it_is_asked_to(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    struct joulie_sim_view before = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim_view after = JOULIE_INIT(struct joulie_sim_view);
    struct outside outside;
    int32_t found = 1;
    char *trace = make_trace(10, 1, 7);
    const struct joulie_sim_options options = options_of(MIXED, trace, QUEUE_POLICY, "joulie");
    (void)state;
    outside_open(&outside, &options, QUEUE_POLICY);
    assert_int_equal(joulie_sim_resume(outside.sim, &err), JOULIE_E_CONFLICT); /* not over */
    outside_run(&outside);
    joulie_sim_get_view(outside.sim, &before, NULL);
    must(joulie_sim_resume(outside.sim, &err), &err);
    const double step_s = before.time_s + 30;
    must(joulie_sim_set_control_time(outside.sim, step_s, 0, &err), &err);
    must(joulie_sim_next(outside.sim, step_s + 60, &event, &found, &err), &err);
    assert_int_equal(found, 1);
    assert_int_equal(event.kind, JOULIE_SIM_EVENT_CONTROL);
    assert_near(event.time_s, step_s, 1e-9);
    must(joulie_sim_set_control_time(outside.sim, -1, 0, &err), &err);
    must(joulie_sim_next(outside.sim, step_s + 60, &event, &found, &err), &err);
    assert_int_equal(found, 0);
    joulie_sim_get_view(outside.sim, &after, NULL);
    assert_near(after.time_s, step_s + 60, 1e-9);
    assert_true(after.energy_j > before.energy_j); /* idle is not nothing */
    assert_int_equal(after.completed, before.completed);
    outside_close(&outside);
    joulie_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_controls_makes_no_difference),
        cmocka_unit_test(after_the_end_time_goes_on_when_it_is_asked_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
