/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every function that fails writes the caller's record as <joulie/error.h> says: not beyond its
 * struct_size, and not at all when that cannot be. A record is optional.
 */

#include <math.h>
#include <string.h>

#include <joulie/joulie.h>

#include "support/test.h"

#define DIRT 0xA5

static const char machines[] = "nodes: [{node_name: n1, cpu_cores: 16, memory_gib: 64}]\n";
static const char trace[] = "{\"type\":\"job\",\"jobId\":\"j\"}\n";
static const char twin[] = "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\","
                           "\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\"}}";

static struct joulie_object *object;
static struct joulie_node *node;
static struct joulie_cluster *cluster;
static struct joulie_sim *sim;
static struct joulie_sim *outside; /* is_external */

static int make_sim(int32_t is_external, struct joulie_sim **out)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    options.inventory = machines;
    options.inventory_len = strlen(machines);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.is_external = is_external;
    return joulie_sim_new(&options, out, NULL);
}

static int set_up(void **state)
{
    (void)state;
    return joulie_object_parse(twin, strlen(twin), NULL, 0, &object, NULL) |
           joulie_node_new(NULL, &node, NULL) | joulie_cluster_new(NULL, 0, &cluster, NULL) |
           make_sim(0, &sim) | make_sim(1, &outside);
}

static int tear_down(void **state)
{
    (void)state;
    joulie_object_free(object);
    joulie_node_free(node);
    joulie_cluster_free(cluster);
    joulie_sim_free(sim);
    joulie_sim_free(outside);
    return 0;
}

/* ---- calls that fail ---- */

static char *text;
static double number;
static size_t count;

static int ask(struct joulie_error *err)
{
    return joulie_ask("no such question", "", 0, NULL, &text, err);
}

static int describe(struct joulie_error *err)
{
    return joulie_ask_describe("no such question", &text, err);
}

static int format(struct joulie_error *err)
{
    return joulie_format("{", 1, JOULIE_FORM_LINE, &text, err);
}

static int split(struct joulie_error *err)
{
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    const char *found;
    uint32_t line;
    splitter.text = "[{]";
    splitter.len = 3;
    return joulie_split(&splitter, &found, &count, &line, err);
}

static int parse(struct joulie_error *err)
{
    struct joulie_object *none;
    return joulie_object_parse("{", 1, NULL, 0, &none, err);
}

static int new_object(struct joulie_error *err)
{
    struct joulie_object *none;
    return joulie_object_new(NULL, "Nothing", &none, err);
}

static int print(struct joulie_error *err)
{
    return joulie_object_print(object, JOULIE_FORM_UNKNOWN, &text, err);
}

static int patch(struct joulie_error *err)
{
    return joulie_object_patch(object, "3", 1, 0, err);
}

static int get(struct joulie_error *err)
{
    return joulie_object_get_number(object, "spec.typo", &number, err);
}

static int set(struct joulie_error *err)
{
    return joulie_object_set_number(object, "spec.typo", 1, err);
}

static int set_to_nan(struct joulie_error *err)
{
    return joulie_object_set_number(object, "spec.cpu.packagePowerCapWatts", NAN, err);
}

static int unset(struct joulie_error *err)
{
    return joulie_object_unset(object, "kind", err);
}

static int view_object(struct joulie_error *err)
{
    struct joulie_v1alpha1_node_hardware view = JOULIE_INIT(struct joulie_v1alpha1_node_hardware);
    return joulie_v1alpha1_get_node_hardware(object, &view, err);
}

static int predict(struct joulie_error *err)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    in.cpu_max_w = -1;
    in.has = JOULIE_TWIN_HAS_CPU_MAX;
    return joulie_twin_predict(&in, &out, err);
}

static int predict_columns(struct joulie_error *err)
{
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    in.cooling_model = JOULIE_COOLING_CUSTOM;
    return joulie_twin_predict_columns(&in, 1, &out, NULL, err);
}

static int place(struct joulie_error *err)
{
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns nodes = JOULIE_INIT(struct joulie_place_columns);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    work.cpu_cores = -1;
    work.has = JOULIE_WORK_HAS_CPU;
    return joulie_place_nodes(NULL, &work, &nodes, 0, 0, &out, NULL, err);
}

static int new_cluster(struct joulie_error *err)
{
    struct joulie_cluster *none;
    return joulie_cluster_new("typo: 1", 7, &none, err);
}

static int upsert(struct joulie_error *err)
{
    return joulie_cluster_put_object(cluster, "{", 1, err);
}

static int step(struct joulie_error *err)
{
    return joulie_cluster_step(cluster, INT64_MAX, &count, err);
}

static int filter(struct joulie_error *err)
{
    return joulie_cluster_filter(cluster, "{", 1, 0, &text, err);
}

static int explain(struct joulie_error *err)
{
    return joulie_cluster_explain(cluster, "nobody", &text, err);
}

static int new_node(struct joulie_error *err)
{
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    struct joulie_node *none;
    options.floor_pct = -1;
    options.has = JOULIE_NODE_HAS_FLOOR;
    return joulie_node_new(&options, &none, err);
}

static int put_twin(struct joulie_error *err)
{
    return joulie_node_put_twin(node, "{", 1, err);
}

static int report(struct joulie_error *err)
{
    return joulie_node_report(node, &text, err);
}

static int open_host(struct joulie_error *err)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host *none;
    options.root = "/nowhere/at/all";
    return joulie_host_open(&options, &none, err);
}

static int new_sim_of_nothing(struct joulie_error *err)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *none;
    return joulie_sim_new(&options, &none, err);
}

static int new_sim_of_another_release(struct joulie_error *err)
{
    struct joulie_sim_options options = { .struct_size = 1 };
    struct joulie_sim *none;
    return joulie_sim_new(&options, &none, err);
}

static int run_to_nan(struct joulie_error *err)
{
    return joulie_sim_run_until(sim, NAN, err);
}

static int run_an_external_one(struct joulie_error *err)
{
    return joulie_sim_run_until(outside, 1, err);
}

static int view_sim(struct joulie_error *err)
{
    struct joulie_sim_view view = { .struct_size = 1 };
    return joulie_sim_get_view(sim, &view, err);
}

static int sim_node(struct joulie_error *err)
{
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    return joulie_sim_node_at(sim, 9, &view, err);
}

static int sim_outcome(struct joulie_error *err)
{
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    return joulie_sim_get_outcome(sim, 1, &outcome, err);
}

static int saving(struct joulie_error *err)
{
    return joulie_sim_saving(sim, &number, err);
}

static int csv(struct joulie_error *err)
{
    return joulie_sim_csv(sim, "typo", &text, err);
}

static int next(struct joulie_error *err)
{
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    int32_t found;
    return joulie_sim_next(sim, 0, &event, &found, err);
}

static int next_of_another_release(struct joulie_error *err)
{
    struct joulie_sim_event event = { .struct_size = 1 };
    int32_t found;
    return joulie_sim_next(outside, 0, &event, &found, err);
}

static int answer(struct joulie_error *err)
{
    return joulie_sim_answer(outside, NULL, NULL, 0, err);
}

static int control_at(struct joulie_error *err)
{
    return joulie_sim_set_control_time(outside, NAN, 0, err);
}

static int go_on(struct joulie_error *err)
{
    return joulie_sim_resume(outside, err);
}

static int sim_objects(struct joulie_error *err)
{
    return joulie_sim_objects(sim, 9, NULL, NULL, err);
}

static int tell_of_nobody(struct joulie_error *err)
{
    return joulie_sim_body(sim, "nobody", "state", &text, err);
}

static int tell_nothing(struct joulie_error *err)
{
    return joulie_sim_body(sim, NULL, "typo", &text, err);
}

static int control(struct joulie_error *err)
{
    return joulie_sim_control(sim, "n1", "{}", 2, &text, err);
}

static int decided(struct joulie_error *err)
{
    return joulie_sim_put_decision(sim, twin, strlen(twin), err);
}

static int generate(struct joulie_error *err)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    options.mode = "typo";
    return joulie_workload_generate(&options, &text, err);
}

static int generate_for_another_release(struct joulie_error *err)
{
    struct joulie_workload_options options = { .struct_size = 1 };
    return joulie_workload_generate(&options, &text, err);
}

static int inspect(struct joulie_error *err)
{
    return joulie_workload_inspect("{\n", 2, 0, &text, err);
}

static int classify_by_rules_of_another_build(struct joulie_error *err)
{
    struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    in.rules = (enum joulie_classify_rules)99;
    return joulie_classify(&in, &out, err);
}

static int resolve_caps_of_nothing(struct joulie_error *err)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    struct joulie_caps_out out = JOULIE_INIT(struct joulie_caps_out);
    intent.device = (enum joulie_cap_device)99;
    return joulie_caps_resolve(&intent, &limits, 0, &out, &count, err);
}

static int trend_of_no_times(struct joulie_error *err)
{
    struct joulie_twin_trend_input in = JOULIE_INIT(struct joulie_twin_trend_input);
    struct joulie_twin_trend_output out = JOULIE_INIT(struct joulie_twin_trend_output);
    return joulie_twin_trend(&in, 3, &out, err);
}

static int slow_down_an_unknown_bound(struct joulie_error *err)
{
    struct joulie_slowdown_input in = JOULIE_INIT(struct joulie_slowdown_input);
    struct joulie_slowdown_output out = JOULIE_INIT(struct joulie_slowdown_output);
    in.cpu_bound = (enum joulie_bound)99;
    return joulie_slowdown_predict(&in, &out, err);
}

#define CALL(function)      \
    {                       \
#function, function \
    }

static const struct {
    const char *name;
    int (*call)(struct joulie_error *err);
} calls[] = {
    CALL(ask),
    CALL(describe),
    CALL(format),
    CALL(split),
    CALL(parse),
    CALL(new_object),
    CALL(print),
    CALL(patch),
    CALL(get),
    CALL(set),
    CALL(set_to_nan),
    CALL(unset),
    CALL(view_object),
    CALL(predict),
    CALL(predict_columns),
    CALL(place),
    CALL(new_cluster),
    CALL(upsert),
    CALL(step),
    CALL(filter),
    CALL(explain),
    CALL(new_node),
    CALL(put_twin),
    CALL(report),
    CALL(open_host),
    CALL(new_sim_of_nothing),
    CALL(new_sim_of_another_release),
    CALL(run_to_nan),
    CALL(run_an_external_one),
    CALL(view_sim),
    CALL(sim_node),
    CALL(sim_outcome),
    CALL(saving),
    CALL(csv),
    CALL(next),
    CALL(next_of_another_release),
    CALL(answer),
    CALL(control_at),
    CALL(go_on),
    CALL(sim_objects),
    CALL(tell_of_nobody),
    CALL(tell_nothing),
    CALL(control),
    CALL(decided),
    CALL(generate),
    CALL(generate_for_another_release),
    CALL(inspect),
    CALL(classify_by_rules_of_another_build),
    CALL(resolve_caps_of_nothing),
    CALL(trend_of_no_times),
    CALL(slow_down_an_unknown_bound),
};

#define CALLS (sizeof calls / sizeof calls[0])

static void every_failure_has_its_code_and_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < CALLS; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const int rc = calls[i].call(&err);
        if (rc >= 0 || err.code != rc || err.message[0] == '\0')
            fail_msg("%s: %d, %d \"%s\"", calls[i].name, rc, err.code, err.message);
        if (calls[i].call(NULL) != rc)
            fail_msg("%s: another code without a record", calls[i].name);
    }
}

/* Bytes of the record behind struct_size that a failure wrote to, up to the last one. */
static size_t written(int (*call)(struct joulie_error *err), size_t struct_size)
{
    struct joulie_error err;
    const unsigned char *bytes = (const unsigned char *)&err;
    size_t end = sizeof err;
    memset(&err, DIRT, sizeof err);
    err.struct_size = struct_size;
    call(&err);
    while (end > sizeof err.struct_size && bytes[end - 1] == DIRT)
        end--;
    assert_int_equal(err.struct_size, struct_size);
    return end;
}

static void a_record_is_not_written_beyond_its_size(void **state)
{
    const size_t older = offsetof(struct joulie_error, message);
    (void)state;
    for (size_t i = 0; i < CALLS; i++) {
        if (written(calls[i].call, older) > older)
            fail_msg("%s writes beyond an older record", calls[i].name);
    }
}

static void a_record_of_impossible_size_is_left_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < CALLS; i++) {
        if (written(calls[i].call, 0) > sizeof(size_t) ||
            written(calls[i].call, SIZE_MAX) > sizeof(size_t))
            fail_msg("%s writes it", calls[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_has_its_code_and_a_sentence),
        cmocka_unit_test(a_record_is_not_written_beyond_its_size),
        cmocka_unit_test(a_record_of_impossible_size_is_left_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
