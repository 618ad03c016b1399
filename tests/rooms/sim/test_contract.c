/* SPDX-License-Identifier: Apache-2.0 */

/* What a simulated machine reports and takes (docs/rules/simulator-contract.md), and the API of a
 * simulation that is controlled from outside. */

#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

#include "support/test.h"

/* The base profile on c: 80 W idle, 420 W at most, 3.2 GHz at most, 1.2 GHz at least. */
#define INVENTORY                                                                           \
    "nodes:\n"                                                                              \
    "  - {node_name: c, cpu_cores: 10}\n"                                                   \
    "  - {node_name: g, cpu_cores: 64, cpu: AMD EPYC 9534, cpu_relative_speed: 1, vendor: " \
    "nvidia, product: NVIDIA L40S, gpu_count: 4}\n"

/* All of c's cores at full utilisation, compute bound, for 1000 s. */
#define TRACE                                                                                     \
    "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":10,\"podTemplate\":{\"requests\":" \
    "{\"cpu\":\"10\",\"memory\":\"1Gi\"}},\"work\":{\"cpuUnits\":10000},\"workloadClass\":{"      \
    "\"cpu\":\"cpu.compute_bound\"},\"workloadProfile\":{\"cpuUtilization\":1,"                   \
    "\"memoryIntensity\":0,\"ioIntensity\":0}}\n"

static struct joulie_sim *open_sim(const char *trace, int is_external)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    options.inventory = INVENTORY;
    options.inventory_len = strlen(INVENTORY);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.is_external = is_external;
    if (joulie_sim_new(&options, &sim, &err) < 0)
        fail_msg("%s: %s", err.where, err.message);
    return sim;
}

/* Lets it go on, every pod to node c or to none. */
static void go(struct joulie_sim *sim, double until_s, bool passes)
{
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    int found = 1;
    while (found) {
        assert_int_equal(joulie_sim_next(sim, until_s, &event, &found, NULL), 0);
        if (!found || event.kind != JOULIE_SIM_EVENT_PLACE)
            continue;
        unsigned char passed[2] = { 0, 0 };
        for (size_t i = 0; i < event.candidate_count; i++)
            passed[i] = passes && strcmp(event.candidates[i], "c") == 0;
        assert_int_equal(joulie_sim_answer(sim, passed, NULL, event.candidate_count, NULL), 0);
    }
}

static json_object *body_of(const struct joulie_sim *sim, const char *node, const char *what)
{
    char *text = NULL;
    assert_int_equal(joulie_sim_body(sim, node, what, &text, NULL), 0);
    json_object *object = json_tokener_parse(text);
    assert_non_null(object);
    joulie_free(text);
    return object;
}

static json_object *at(json_object *object, const char *path)
{
    json_object *found = NULL;
    if (json_pointer_get(object, path, &found) != 0)
        fail_msg("%s is missing in %s", path, json_object_to_json_string(object));
    return found;
}

static double number(json_object *object, const char *path)
{
    return json_object_get_double(at(object, path));
}

static json_object *control(struct joulie_sim *sim, const char *node, const char *body)
{
    char *text = NULL;
    assert_int_equal(joulie_sim_control(sim, node, body, strlen(body), &text, NULL), 0);
    json_object *object = json_tokener_parse(text);
    assert_non_null(object);
    joulie_free(text);
    return object;
}

static void must_reply(struct joulie_sim *sim, const char *node, const char *body,
                       const char *result, const char *message)
{
    json_object *reply = control(sim, node, body);
    assert_string_equal(json_object_get_string(at(reply, "/result")), result);
    assert_int_equal(json_object_get_boolean(at(reply, "/ok")), strcmp(result, "applied") == 0);
    assert_string_equal(json_object_get_string(at(reply, "/node")), node);
    if (message)
        assert_string_equal(json_object_get_string(at(reply, "/message")), message);
    json_object_put(reply);
}

/* ---- telemetry ---- */

static void telemetry_is_the_power_now(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    (void)state;
    json_object *idle = body_of(sim, "c", "telemetry"); /* before time starts, too */
    assert_near(number(idle, "/packagePowerWatts"), 80, 1e-9);
    assert_string_equal(json_object_get_string(at(idle, "/ts")), "2026-01-01T00:00:00.000000Z");
    json_object_put(idle);
    go(sim, 500, true);
    json_object *busy = body_of(sim, "c", "telemetry");
    assert_near(number(busy, "/packagePowerWatts"), 420, 1e-9); /* utilisation 1, frequency 1 */
    assert_near(number(busy, "/instantPackagePowerWatts"), 420, 1e-9);
    assert_near(number(busy, "/cpu/utilization"), 1, 1e-9);
    assert_near(number(busy, "/cpu/temperatureC"), 24 + 420 / 8.0, 0.1); /* ambient + W / 8 W/°C */
    assert_string_equal(json_object_get_string(at(busy, "/cpu/workClass")), "cpu.compute_bound");
    assert_near(number(busy, "/cpu/capWatts"), 5000, 1e-9);
    assert_false(json_object_get_boolean(at(busy, "/gpu/present")));
    assert_near(number(busy, "/pods/running"), 1, 0);
    assert_near(number(busy, "/pods/byIntentClass/standard"), 1, 0);
    json_object_put(busy);
    json_object *gpu = body_of(sim, "g", "telemetry");
    assert_near(number(gpu, "/gpu/count"), 4, 0);
    assert_near(number(gpu, "/gpu/powerWattsTotal"), 4 * 35, 1e-9); /* an L40S idles at 35 W */
    assert_near(number(gpu, "/gpu/capWattsPerGpuTarget"), 350, 1e-9);
    assert_string_equal(json_object_get_string(at(gpu, "/hardwareModel/cpuModel")),
                        "AMD_EPYC_9534");
    json_object_put(gpu);
    joulie_sim_free(sim);
}

static void who_is_not_there_says_nothing(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    char *text = NULL;
    (void)state;
    assert_int_equal(joulie_sim_body(sim, "x", "telemetry", &text, NULL), JOULIE_E_NOT_FOUND);
    assert_int_equal(joulie_sim_body(sim, "c", "mood", &text, NULL), JOULIE_E_ENUM);
    assert_int_equal(joulie_sim_body(sim, NULL, "telemetry", &text, NULL), JOULIE_E_ENUM);
    assert_int_equal(joulie_sim_control(sim, "x", "{}", 2, &text, NULL), JOULIE_E_NOT_FOUND);
    assert_int_equal(joulie_sim_control(sim, "c", "{", 1, &text, NULL), JOULIE_E_PARSE);
    assert_int_equal(joulie_sim_control(sim, "c", "[]", 2, &text, NULL), JOULIE_E_TYPE);
    assert_int_equal(joulie_sim_control(sim, "c", "{\"capWatts\":\"9\"}", 16, &text, NULL),
                     JOULIE_E_TYPE);
    assert_null(text);
    joulie_sim_free(sim);
}

/* ---- control ---- */

static void actions_that_do_not_work_say_why(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    (void)state;
    must_reply(sim, "c", "{\"action\":\"gpu.set_power_cap_watts\",\"capWattsPerGpu\":200}",
               "blocked", "gpu not present on node model");
    must_reply(sim, "g", "{\"action\":\"gpu.set_power_cap_watts\",\"capWattsPerGpu\":0}", "error",
               "capWattsPerGpu must be > 0");
    must_reply(sim, "g", "{\"action\":\"gpu.set_power_cap_watts\"}", "error",
               "capWattsPerGpu must be > 0");
    must_reply(sim, "c", "{\"action\":\"fan.stop\"}", "error", "unsupported action");
    must_reply(sim, "c", "{}", "error", "unsupported action");
    must_reply(sim, "c", "{\"action\":\"rapl.set_power_cap_watts\"}", "error",
               "capWatts is missing");
    joulie_sim_free(sim);
}

/* Utilisation 1, cap 220 W: frequency .5183; the cap is reached with its lag. */
static void a_cap_holds_from_now_on_and_is_given_back(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    (void)state;
    go(sim, 100, true);
    must_reply(sim, "c",
               "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":220,\"node\":\"c\"}",
               "applied", NULL);
    json_object *now = body_of(sim, "c", "telemetry");
    assert_near(number(now, "/cpu/targetCapWatts"), 220, 0);
    assert_near(number(now, "/cpu/capWatts"), 5000, 0);
    json_object_put(now);
    go(sim, 200, true);
    json_object *later = body_of(sim, "c", "state");
    assert_near(number(later, "/state/capWatts"), 220, 0);
    assert_near(number(later, "/state/freqScale"), 0.5183, 1e-4);
    assert_string_equal(json_object_get_string(at(later, "/state/lastAction")),
                        "rapl.set_power_cap_watts");
    assert_string_equal(json_object_get_string(at(later, "/state/lastUpdate")),
                        "2026-01-01T00:01:40.000000Z");
    json_object_put(later);
    later = body_of(sim, "c", "telemetry");
    assert_near(number(later, "/packagePowerWatts"), 220, 1e-9);
    json_object_put(later);
    must_reply(sim, "c", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":1}", "applied",
               NULL);
    later = body_of(sim, "c", "telemetry");
    assert_near(number(later, "/cpu/targetCapWatts"), 80, 0); /* raplCapMinW */
    json_object_put(later);
    must_reply(sim, "c", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":0}", "applied",
               NULL);
    go(sim, 300, true);
    later = body_of(sim, "c", "telemetry");
    assert_near(number(later, "/packagePowerWatts"), 420, 1e-9);
    assert_near(number(later, "/cpu/capWatts"), 5000, 0);
    json_object_put(later);
    joulie_sim_free(sim);
}

/* A view of a machine has the numbers of its telemetry, and what came of the last control. */
static void a_view_is_what_telemetry_says(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    struct joulie_sim_view whole = JOULIE_INIT(struct joulie_sim_view);
    (void)state;
    assert_int_equal(joulie_sim_node_by_name(sim, "nobody", &view, NULL), JOULIE_E_NOT_FOUND);
    go(sim, 10, true);
    assert_int_equal(joulie_sim_node_by_name(sim, "c", &view, NULL), 0);
    assert_null(view.last_action);
    must_reply(sim, "c", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":220}", "applied",
               NULL);
    must_reply(sim, "c", "{\"action\":\"dvfs.set_throttle_pct\",\"throttlePct\":40}", "applied",
               NULL);
    go(sim, 200, true);
    json_object *now = body_of(sim, "c", "telemetry");
    assert_int_equal(joulie_sim_node_by_name(sim, "c", &view, NULL), 0);
    assert_string_equal(view.name, "c");
    assert_near(view.cpu_target_cap_w, 220, 0);
    assert_near(view.cpu_cap_w, number(now, "/cpu/raplCapWatts"), 0);
    assert_near(view.throttle_pct, 40, 0);
    assert_near(view.freq_scale, number(now, "/cpu/freqScale"), 0);
    assert_near(view.cpu_util, 1, 0);
    assert_string_equal(view.last_action, "dvfs.set_throttle_pct");
    assert_string_equal(view.last_result, "applied");
    json_object_put(now);
    must_reply(sim, "c", "{\"action\":\"fan.stop\"}", "error", "unsupported action");
    assert_int_equal(joulie_sim_node_by_name(sim, "c", &view, NULL), 0);
    assert_string_equal(view.last_action, "");
    assert_string_equal(view.last_result, "error");
    now = body_of(sim, NULL, "energy");
    assert_int_equal(joulie_sim_get_view(sim, &whole, NULL), 0);
    assert_near(whole.mean_cpu_util, number(now, "/clusterCpuUtil"), 0);
    assert_near(whole.mean_gpu_util, number(now, "/clusterGpuUtil"), 0);
    assert_true(whole.mean_cpu_util > 0);
    json_object_put(now);
    joulie_sim_free(sim);
}

/* CPUs and GPUs together, in telemetry and in the reply to a control; a machine without GPUs has
 * none of their members. */
static void a_machine_with_gpus_says_all_of_them(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    (void)state;
    go(sim, 20, true); /* the job is on c: g idles */
    assert_int_equal(joulie_sim_node_by_name(sim, "g", &view, NULL), 0);
    assert_true(view.cpu_power_w > 0 && view.gpu_power_w > 0);
    const double power_w = view.cpu_power_w + view.gpu_power_w;
    json_object *now = body_of(sim, "g", "telemetry");
    assert_near(number(now, "/packagePowerWatts"), power_w, 1e-9);
    assert_near(number(now, "/instantPackagePowerWatts"), power_w, 1e-9);
    assert_string_equal(json_object_get_string(at(now, "/gpu/vendor")), "nvidia");
    assert_string_equal(json_object_get_string(at(now, "/gpu/product")), "NVIDIA L40S");
    assert_near(number(now, "/gpu/perfMultiplier"), 1, 0);
    assert_near(number(now, "/pods/running"), 0, 0);
    json_object_put(now);
    now = body_of(sim, "g", "state");
    assert_int_equal(json_object_array_length(at(now, "/gpu/devices")), 4);
    assert_near(number(now, "/gpu/devices/3/powerWatts"), view.gpu_power_w / 4, 1e-9);
    assert_near(number(now, "/state/gpuCapWattsPerGpuTarget"), 350, 0);
    json_object_put(now);
    json_object *reply =
        control(sim, "g", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":1}");
    assert_string_equal(json_object_get_string(at(reply, "/message")), "cap is set");
    assert_near(number(reply, "/simulatedPackagePowerWatts"), power_w, 1e-9);
    json_object_put(reply);
    must_reply(sim, "g", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":0}", "applied",
               "cap is given back");

    now = body_of(sim, "c", "state");
    assert_null(json_object_object_get(now, "gpu"));
    assert_null(json_object_object_get(at(now, "/state"), "gpuCapWattsPerGpuTarget"));
    assert_null(json_object_object_get(at(now, "/state"), "gpuCapWattsPerGpuApplied"));
    json_object_put(now);
    now = body_of(sim, "c", "telemetry");
    assert_near(number(now, "/pods/running"), 1, 0);
    assert_near(number(now, "/pods/byIntentClass/standard"), 1, 0);
    assert_near(number(now, "/pods/byIntentClass/performance"), 0, 0);
    json_object_put(now);
    joulie_sim_free(sim);
}

/* A time of 0 is a time, one below it none. */
static void a_step_may_be_at_once(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    int found = 1;
    (void)state;
    assert_int_equal(joulie_sim_next(sim, 0, &event, &found, NULL), 0);
    assert_int_equal(found, 0);
    assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
    assert_near(view.time_s, 0, 0);
    assert_int_equal(joulie_sim_set_control_time(sim, 0, 0, NULL), 0);
    assert_int_equal(joulie_sim_next(sim, 5, &event, &found, NULL), 0);
    assert_int_equal(found, 1);
    assert_int_equal(event.kind, JOULIE_SIM_EVENT_CONTROL);
    assert_string_equal(event.text, "");
    assert_string_equal(event.profile, "");
    assert_int_equal(joulie_sim_set_control_time(sim, -1, 0, NULL), 0);
    assert_int_equal(joulie_sim_next(sim, 5, &event, &found, NULL), 0);
    assert_int_equal(found, 0);
    joulie_sim_free(sim);
}

/* Utilisation 1, frequency .6: 250.602 W, .375 (the least): 170.453 W. M of a compute-bound job
 * without memory and io is .6492 at f .6, so its speed is base·.6492 with base 1: 10 cores do
 * 10·(1 − 1·(1 − .6492)) = 6.492 units/s. */
static void a_throttle_slows_and_saves(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    (void)state;
    go(sim, 10, true);
    must_reply(sim, "c", "{\"action\":\"dvfs.set_throttle_pct\",\"capWatts\":0,\"throttlePct\":40}",
               "applied", NULL);
    go(sim, 100, true);
    json_object *now = body_of(sim, "c", "telemetry");
    assert_near(number(now, "/packagePowerWatts"), 250.602, 1e-3);
    assert_near(number(now, "/cpu/freqScale"), 0.6, 1e-9);
    assert_near(number(now, "/cpu/throttlePct"), 40, 0);
    json_object_put(now);
    json_object *before = body_of(sim, NULL, "jobs");
    go(sim, 200, true);
    json_object *after = body_of(sim, NULL, "jobs");
    assert_near(number(before, "/jobs/0/cpuUnitsRemaining") -
                    number(after, "/jobs/0/cpuUnitsRemaining"),
                649.2, 0.05);
    json_object_put(before);
    json_object_put(after);
    must_reply(sim, "c", "{\"action\":\"dvfs.set_throttle_pct\",\"throttlePct\":60}", "applied",
               NULL);
    go(sim, 250, true);
    now = body_of(sim, "c", "telemetry");
    assert_near(number(now, "/cpu/throttlePct"), 60, 0);
    json_object_put(now);
    must_reply(sim, "c", "{\"action\":\"dvfs.set_throttle_pct\",\"throttlePct\":250}", "applied",
               NULL);
    go(sim, 300, true);
    now = body_of(sim, "c", "telemetry");
    assert_near(number(now, "/packagePowerWatts"), 170.453, 1e-3);
    json_object_put(now);
    joulie_sim_free(sim);
}

/* Every pod goes where there is room. */
static void go_anywhere(struct joulie_sim *sim, double until_s)
{
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    int found = 1;
    while (found) {
        assert_int_equal(joulie_sim_next(sim, until_s, &event, &found, NULL), 0);
        if (found && event.kind == JOULIE_SIM_EVENT_PLACE)
            assert_int_equal(joulie_sim_answer(sim, NULL, NULL, event.candidate_count, NULL), 0);
    }
}

#define GPU_JOB(id, gpus, util)                                                          \
    "{\"type\":\"job\",\"jobId\":\"" id "\",\"submitTimeOffsetSec\":0,\"podTemplate\":{" \
    "\"requests\":{\"cpu\":\"1\",\"nvidia.com/gpu\":\"" gpus "\"}},\"work\":{"           \
    "\"gpuUnits\":4000},\"workloadClass\":{\"gpu\":\"gpu.compute_bound\"},"              \
    "\"workloadProfile\":{\"gpuUtilization\":" util ",\"memoryIntensity\":0.3,"          \
    "\"cpuFeedIntensityGpu\":0.45}}\n"

/*
 * Each device by the job on it. Under 245 W an L40S at full utilisation, 324.24 W by nature, does
 * 0.7688 of its work; two at u 0.5 draw 183.29 W and lose nothing, the fourth idles at 35 W. The
 * CPUs of the machine have the curve of two EPYC 9654 by TDP.
 */
static void devices_do_what_their_jobs_do(void **state)
{
    static const double watts[] = { 245, 183.29, 183.29, 35 };
    static const double speeds[] = { 0.7688, 1, 1 };
    struct joulie_sim *sim = open_sim(GPU_JOB("a", "1", "1") GPU_JOB("b", "2", "0.5"), 1);
    (void)state;
    go_anywhere(sim, 1);
    must_reply(sim, "g", "{\"action\":\"gpu.set_power_cap_watts\",\"capWattsPerGpu\":245}",
               "applied", NULL);
    go_anywhere(sim, 60);
    json_object *body = body_of(sim, "g", "state");
    for (int i = 0; i < 4; i++) {
        char path[64];
        json_object *speed = NULL;
        snprintf(path, sizeof path, "/gpu/devices/%d/powerWatts", i);
        assert_near(number(body, path), watts[i], 0.01);
        snprintf(path, sizeof path, "/gpu/devices/%d/perfMultiplier", i);
        if (i < 3)
            assert_near(number(body, path), speeds[i], 1e-4);
        else
            assert_int_not_equal(json_pointer_get(body, path, &speed), 0);
    }
    json_object_put(body);
    body = body_of(sim, "g", "telemetry");
    assert_near(number(body, "/gpu/powerWattsTotal"), 245 + 2 * 183.29 + 35, 0.02);
    assert_near(number(body, "/gpu/perfMultiplier"), 2.7688 / 3, 1e-4);
    assert_string_equal(json_object_get_string(at(body, "/hardwareModel/cpuCurveSource")),
                        "AMD_EPYC_9654");
    assert_string_equal(json_object_get_string(at(body, "/hardwareModel/cpuProxyFrom")),
                        "AMD_EPYC_9654");
    json_object_put(body);
    joulie_sim_free(sim);
}

/* ---- the public functions ---- */

/* Without a cap that is exceeded there is no overshoot, but the other counts. */
static void a_summary_counts_decisions_also_when_there_are_none(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    char *text = NULL;
    (void)state;
    go(sim, 100, true);
    assert_int_equal(joulie_sim_summary(sim, &text, NULL), 0);
    assert_non_null(strstr(text, "\"transitions\":0,\"decisions\":0"));
    assert_null(strstr(text, "capOvershootPctP99"));
    assert_non_null(strstr(text, "\"waitS\":{\"controlled\":{\"all\":{\"jobs\":1"));
    assert_non_null(strstr(text, "\"meanWaitS\":{\"controlled\":0}"));
    assert_null(strstr(text, "uncontrolled")); /* there is one run */
    joulie_free(text);
    joulie_sim_free(sim);
}

static void a_decision_names_its_node(void **state)
{
    static const char *const texts[] = {
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"c\"}}",
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"c\"},"
        "\"spec\":{\"profile\":\"eco\"}}",
    };
    struct joulie_sim *sim = open_sim(TRACE, 1);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(joulie_sim_put_decision(sim, texts[i], strlen(texts[i]), &err),
                         JOULIE_E_REQUIRED);
        assert_string_equal(err.where, "spec.nodeName");
    }
    joulie_sim_free(sim);
}

static void a_question_has_to_be_answered(void **state)
{
    struct joulie_sim *sim = open_sim(TRACE, 1);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    const int32_t good[2] = { 0, 10 };
    const int32_t bad[2] = { 0, 101 };
    int found = 0;
    (void)state;
    assert_int_equal(joulie_sim_answer(sim, NULL, NULL, 0, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_next(sim, -1, &event, &found, NULL), 0);
    assert_int_equal(event.kind, JOULIE_SIM_EVENT_POD);
    assert_true(found && event.is_first && !event.is_removed && event.time_s == 10);
    assert_string_equal(event.name, "a");
    assert_int_equal(joulie_sim_next(sim, -1, &event, &found, NULL), 0);
    assert_int_equal(event.kind, JOULIE_SIM_EVENT_PLACE);
    assert_int_equal(event.candidate_count, 2);
    assert_int_equal(joulie_sim_next(sim, -1, &event, &found, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_answer(sim, NULL, good, 1, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_answer(sim, NULL, bad, 2, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_answer(sim, NULL, good, 2, NULL), 0);
    assert_int_equal(joulie_sim_next(sim, -1, &event, &found, NULL), 0);
    assert_string_equal(event.node, "g"); /* 10 times its score is more than c's free room */
    assert_int_equal(joulie_sim_next(sim, -1, &event, &found, NULL), 0);
    assert_true(event.is_removed && event.time_s == 1010);
    assert_string_equal(event.text, "");
    assert_int_equal(joulie_sim_next(sim, -1, &event, &found, NULL), 0);
    assert_false(found);
    joulie_sim_free(sim);
}

#define POD(id, class_)                                                                       \
    "{\"type\":\"job\",\"jobId\":\"" id "\",\"namespace\":\"lab\",\"submitTimeOffsetSec\":5," \
    "\"intentClass\":\"" class_                                                               \
    "\",\"podTemplate\":{\"requests\":{\"cpu\":\"2\"}},\"work\":{\"cpuUnits\":20}}\n"

static void next_event(struct joulie_sim *sim, struct joulie_sim_event *out)
{
    int found = 0;
    assert_int_equal(joulie_sim_next(sim, -1, out, &found, NULL), 0);
    assert_int_equal(found, 1);
}

static void assert_pod(const struct joulie_sim_event *event, const char *node, const char *phase)
{
    json_object *pod = json_tokener_parse(event->text);
    assert_string_equal(event->node, node);
    assert_string_equal(json_object_get_string(at(pod, "/metadata/name")), event->name);
    assert_string_equal(json_object_get_string(at(pod, "/status/phase")), phase);
    if (node[0] != '\0')
        assert_string_equal(json_object_get_string(at(pod, "/spec/nodeName")), node);
    else
        assert_null(strstr(event->text, "nodeName"));
    assert_int_equal(strstr(event->text, "nodeAffinity") != NULL,
                     strcmp(event->workload_class, "performance") == 0);
    assert_int_equal(strstr(event->text, "joulie.io/workload-class") != NULL,
                     strcmp(event->workload_class, "performance") == 0);
    json_object_put(pod);
}

/* It comes, is asked about, is bound where somebody lets it pass, and goes; each of them says all
 * that is known by then. Each question is answered for itself. */
static void a_pod_lives_by_its_events(void **state)
{
    static const struct {
        const char *trace;
        const char *class_;
        const char *node; /* that lets it pass */
    } rows[] = {
        { POD("x", "performance"), "performance", "c" },
        { POD("x", "standard"), "standard", "g" },
        { POD("x", "standard"), "standard", "c" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_sim *sim = open_sim(rows[i].trace, 1);
        struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
        next_event(sim, &event);
        assert_int_equal(event.kind, JOULIE_SIM_EVENT_POD);
        assert_true(event.is_first && !event.is_removed);
        assert_string_equal(event.name_space, "lab");
        assert_string_equal(event.workload_class, rows[i].class_);
        assert_pod(&event, "", "Pending");
        assert_non_null(strstr(event.profile, "\"kind\":\"WorkloadProfile\""));

        next_event(sim, &event);
        assert_int_equal(event.kind, JOULIE_SIM_EVENT_PLACE);
        assert_false(event.is_sample || event.is_first || event.is_removed);
        assert_string_equal(event.name_space, "lab");
        assert_string_equal(event.workload_class, rows[i].class_);
        assert_pod(&event, "", "Pending");
        assert_string_equal(event.profile, "");
        assert_int_equal(event.candidate_count, 2);
        unsigned char passed[2];
        for (size_t k = 0; k < 2; k++)
            passed[k] = strcmp(event.candidates[k], rows[i].node) == 0;
        assert_int_equal(joulie_sim_answer(sim, passed, NULL, 2, NULL), 0);

        next_event(sim, &event);
        assert_int_equal(event.kind, JOULIE_SIM_EVENT_POD);
        assert_false(event.is_first || event.is_removed);
        assert_true(event.time_s == 5);
        assert_pod(&event, rows[i].node, "Running");
        assert_non_null(strstr(event.profile, "\"kind\":\"WorkloadProfile\""));

        next_event(sim, &event);
        assert_true(event.is_removed && !event.is_first && event.time_s > 5);
        assert_string_equal(event.name, "x");
        assert_string_equal(event.node, rows[i].node);
        assert_string_equal(event.text, "");
        assert_string_equal(event.profile, "");
        joulie_sim_free(sim);
    }
}

static void pods_of_a_node_are_counted_by_class(void **state)
{
    struct joulie_sim *sim =
        open_sim(POD("a", "performance") POD("b", "standard") POD("d", "performance"), 1);
    (void)state;
    go(sim, 6, true);
    json_object *busy = body_of(sim, "c", "telemetry");
    assert_near(number(busy, "/pods/running"), 3, 0);
    assert_near(number(busy, "/pods/byIntentClass/performance"), 2, 0);
    assert_near(number(busy, "/pods/byIntentClass/standard"), 1, 0);
    json_object_put(busy);
    json_object *idle = body_of(sim, "g", "telemetry");
    assert_near(number(idle, "/pods/running"), 0, 0);
    assert_near(number(idle, "/pods/byIntentClass/performance"), 0, 0);
    assert_near(number(idle, "/pods/byIntentClass/standard"), 0, 0);
    json_object_put(idle);
    joulie_sim_free(sim);
}

/* A pod that nobody lets pass waits; with the operator's next word it is asked about again. */
static void a_pod_waits_until_somebody_admits_it(void **state)
{
    static const char performance[] =
        "{\"type\":\"job\",\"jobId\":\"p\",\"submitTimeOffsetSec\":0,\"intentClass\":"
        "\"performance\","
        "\"podTemplate\":{\"requests\":{\"cpu\":\"2\"}},\"work\":{\"cpuUnits\":20}}\n";
    struct joulie_sim *sim = open_sim(performance, 1);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    int found = 0;
    (void)state;
    assert_int_equal(joulie_sim_set_control_time(sim, 30, 0, NULL), 0);
    go(sim, 29, false);
    assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
    assert_int_equal(view.queued, 1);
    assert_int_equal(joulie_sim_next(sim, 100, &event, &found, NULL), 0);
    assert_int_equal(event.kind, JOULIE_SIM_EVENT_CONTROL);
    assert_true(event.time_s == 30);
    assert_int_equal(joulie_sim_set_control_time(sim, -1, 1, NULL), 0);
    assert_int_equal(joulie_sim_next(sim, 100, &event, &found, NULL), 0);
    assert_true(event.kind == JOULIE_SIM_EVENT_PLACE && event.is_sample);
    assert_int_equal(joulie_sim_answer(sim, NULL, NULL, event.candidate_count, NULL), 0);
    assert_int_equal(joulie_sim_next(sim, 100, &event, &found, NULL), 0);
    assert_true(event.kind == JOULIE_SIM_EVENT_PLACE && !event.is_sample && event.time_s == 30);
    joulie_sim_free(sim);
}

static void only_an_external_simulation_is_controlled_from_outside(void **state)
{
    struct joulie_sim *inside = open_sim(TRACE, 0);
    struct joulie_sim *outside = open_sim(TRACE, 1);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    char *reply = NULL;
    int found = 0;
    (void)state;
    assert_int_equal(joulie_sim_next(inside, 1, &event, &found, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_set_control_time(inside, 1, 0, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_control(inside, "c", "{}", 2, &reply, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_put_decision(inside, "{}", 2, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_run_until(outside, 1, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_sim_next(outside, NAN, &event, &found, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_set_control_time(outside, NAN, 0, NULL), JOULIE_E_RANGE);
    event.struct_size = 3;
    assert_int_equal(joulie_sim_next(outside, 1, &event, &found, NULL), JOULIE_E_ABI);
    joulie_sim_free(inside);
    joulie_sim_free(outside);
}

static void quote(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            *text = '"';
    }
}

static void decisions_are_rows(void **state)
{
    static const char twin[] =
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"c\"},"
        "\"spec\":{\"nodeName\":\"c\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapPctOfMax\":60},"
        "\"scheduling\":{\"draining\":true},\"news\":1}}";
    static const char nobody[] = "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\","
                                 "\"metadata\":{\"name\":\"x\"},\"spec\":{\"nodeName\":\"x\"}}";
    struct joulie_sim *sim = open_sim(TRACE, 1);
    char *csv = NULL;
    (void)state;
    go(sim, 5, true);
    assert_int_equal(joulie_sim_put_decision(sim, twin, strlen(twin), NULL), 0);
    assert_int_equal(joulie_sim_put_decision(sim, nobody, strlen(nobody), NULL), JOULIE_E_REQUIRED);
    assert_int_equal(joulie_sim_csv(sim, "decisions", &csv, NULL), 0);
    assert_string_equal(csv,
                        "time_s,node,profile,draining,cpu_cap_pct,cpu_cap_w,gpu_cap_pct,gpu_cap_w\n"
                        "5,c,eco,true,60,,,\n");
    joulie_free(csv);
    joulie_sim_free(sim);
}

/* A transition is another profile, or that draining begins or ends, after the start of the run. */
static void a_transition_is_a_change_of_profile_or_draining(void **state)
{
    static const struct {
        double time_s;
        const char *spec;
        const char *counts;
    } rows[] = {
        { 0, "'profile':'performance'", "'transitions':0,'decisions':1" },
        { 1, "'profile':'performance'", "'transitions':0,'decisions':2" },
        { 2, "'profile':'performance','scheduling':{'draining':true}",
          "'transitions':1,'decisions':3" },
        { 3, "'profile':'performance','scheduling':{'draining':true}",
          "'transitions':1,'decisions':4" },
        { 4, "'profile':'eco','scheduling':{'draining':true}", "'transitions':2,'decisions':5" },
        { 5, "'profile':'eco','scheduling':{'draining':false}", "'transitions':3,'decisions':6" },
        { 6, "'profile':'eco'", "'transitions':3,'decisions':7" },
        { 7, "'profile':'performance'", "'transitions':4,'decisions':8" },
    };

    static const char twin[] =
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'c'},"
        "'spec':{'nodeName':'c',%s}}";

    struct joulie_sim *sim = open_sim(TRACE, 1);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        char counts[60];
        char *json = NULL;
        snprintf(text, sizeof text, twin, rows[i].spec);
        snprintf(counts, sizeof counts, "%s", rows[i].counts);
        quote(text);
        quote(counts);
        go(sim, rows[i].time_s, true);
        assert_int_equal(joulie_sim_put_decision(sim, text, strlen(text), NULL), 0);
        assert_int_equal(joulie_sim_summary(sim, &json, NULL), 0);
        assert_non_null(strstr(json, counts));
        joulie_free(json);
    }
    joulie_sim_free(sim);
}

/* Ten units take ten seconds; the GPU work has no GPU to run on, and does not progress from then.
 */
static void a_stalled_job_says_since_when(void **state)
{
    static const char trace[] =
        "{\"type\":\"job\",\"jobId\":\"s\",\"submitTimeOffsetSec\":0,\"podTemplate\":{"
        "\"requests\":{\"cpu\":\"1\"}},\"work\":{\"cpuUnits\":10,\"gpuUnits\":10}}\n";
    (void)state;
    struct joulie_sim *sim = open_sim(trace, 0);
    assert_int_equal(joulie_sim_run_until(sim, 5, NULL), 0);
    json_object *body = body_of(sim, NULL, "jobs");
    assert_near(json_object_get_double(at(body, "/jobs/0/stalledForSec")), 0, 0);
    assert_string_equal(json_object_get_string(at(body, "/jobs/0/lastProgressAt")),
                        "2026-01-01T00:00:05.000000Z");
    json_object_put(body);
    assert_int_equal(joulie_sim_run_until(sim, 60, NULL), 0);
    body = body_of(sim, NULL, "jobs");
    assert_near(json_object_get_double(at(body, "/jobs/0/stalledForSec")), 50, 1e-9);
    assert_string_equal(json_object_get_string(at(body, "/jobs/0/lastProgressAt")),
                        "2026-01-01T00:00:10.000000Z");
    assert_false(json_object_get_boolean(at(body, "/jobs/0/completed")));
    json_object_put(body);
    joulie_sim_free(sim);
}

static void virtual_time_is_an_instant(void **state)
{
    (void)state;
    assert_int_equal(joulie_sim_instant_ms(0), INT64_C(1767225600000));
    assert_int_equal(joulie_sim_instant_ms(0.001), INT64_C(1767225600001));
    assert_int_equal(joulie_sim_instant_ms(NAN), 0);
    /* 10^12 s before and after the start, and no further */
    assert_int_equal(joulie_sim_instant_ms(INFINITY), INT64_C(1001767225600000));
    assert_int_equal(joulie_sim_instant_ms(-1.001e12), INT64_C(-998232774400000));
}

/* An EPYC 9534 has the curve of another model; lowest cap and cap law of an L40S are the source's.
 * Idle power and speeds are derived from what was read somewhere, and c has no entry. */
static void models_say_what_is_assumed(void **state)
{
    static const char *const of_g[] = { "cpu.curve", "gpu.minBoardPowerW", "gpu.capLaw" };
    struct joulie_sim *sim = open_sim(TRACE, 0);
    char *text = NULL;
    (void)state;
    assert_int_equal(joulie_sim_models(sim, &text, NULL), 0);
    json_object *models = json_tokener_parse(text);
    joulie_free(text);
    assert_int_equal(json_object_array_length(at(models, "/0/assumed")), 0);
    assert_int_equal(json_object_array_length(at(models, "/1/assumed")), 3);
    assert_string_equal(json_object_get_string(at(models, "/1/curve")), "AMD_EPYC_9654");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(
            json_object_get_string(json_object_array_get_idx(at(models, "/1/assumed"), i)),
            of_g[i]);
    assert_near(number(models, "/1/model/relativeSpeed"), 1, 0); /* of the entry */
    assert_near(number(models, "/1/model/gpu/relativeSpeed"), 0.37, 0);
    json_object_put(models);
    joulie_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(telemetry_is_the_power_now),
        cmocka_unit_test(who_is_not_there_says_nothing),
        cmocka_unit_test(actions_that_do_not_work_say_why),
        cmocka_unit_test(a_cap_holds_from_now_on_and_is_given_back),
        cmocka_unit_test(a_view_is_what_telemetry_says),
        cmocka_unit_test(a_machine_with_gpus_says_all_of_them),
        cmocka_unit_test(a_step_may_be_at_once),
        cmocka_unit_test(a_throttle_slows_and_saves),
        cmocka_unit_test(devices_do_what_their_jobs_do),
        cmocka_unit_test(a_summary_counts_decisions_also_when_there_are_none),
        cmocka_unit_test(a_decision_names_its_node),
        cmocka_unit_test(a_question_has_to_be_answered),
        cmocka_unit_test(a_pod_lives_by_its_events),
        cmocka_unit_test(pods_of_a_node_are_counted_by_class),
        cmocka_unit_test(a_pod_waits_until_somebody_admits_it),
        cmocka_unit_test(only_an_external_simulation_is_controlled_from_outside),
        cmocka_unit_test(decisions_are_rows),
        cmocka_unit_test(a_transition_is_a_change_of_profile_or_draining),
        cmocka_unit_test(a_stalled_job_says_since_when),
        cmocka_unit_test(models_say_what_is_assumed),
        cmocka_unit_test(virtual_time_is_an_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
