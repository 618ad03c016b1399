/* SPDX-License-Identifier: Apache-2.0 */

/* What is counted (docs/rules/simulator-contract.md#metrics). */

#include "simulator/measure.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/json.h"
#include "simulator/facility.h"

static const struct jd_family requests_family = { "joulie_sim_requests_total",
                                                  "Requests to the contract.",
                                                  JD_COUNTER,
                                                  { "route", "method", "status" },
                                                  NULL };
static const struct jd_family controls_family = { "joulie_sim_controls_total",
                                                  "Controls that were asked for.",
                                                  JD_COUNTER,
                                                  { "node", "action" },
                                                  NULL };
static const struct jd_family control_actions_family = { "joulie_sim_control_actions_total",
                                                         "What came of them.",
                                                         JD_COUNTER,
                                                         { "node", "action", "result" },
                                                         NULL };
static const struct jd_family duration_family = { "joulie_sim_request_duration_seconds",
                                                  "Time that an answer took.",
                                                  JD_HISTOGRAM,
                                                  { "route", "method" },
                                                  jd_seconds_buckets };
static const struct jd_family submitted_family = {
    "joulie_sim_job_submitted_total", "Pods that were made.", JD_COUNTER, { "class" }, NULL
};
static const struct jd_family completed_family = {
    "joulie_sim_job_completed_total", "Pods that have gone.", JD_COUNTER, { "class", "node" }, NULL
};

const struct jd_family jd_late_steps_family = { "joulie_sim_late_steps_total",
                                                "Steps that were waited for in vain.",
                                                JD_COUNTER,
                                                { "who" },
                                                NULL };
const struct jd_family jd_extender_family = { "joulie_sim_extender_calls_total",
                                              "Calls of the scheduler extender.",
                                              JD_COUNTER,
                                              { "verb", "result" },
                                              NULL };

/* What the telemetry of a node says, by the path of the member. */
#define NODE_GAUGE(text, where, what)                                                           \
    {                                                                                           \
        .family = { "joulie_sim_node_" text, what, JD_GAUGE, { "node" }, NULL }, .path = where, \
    }

static const struct {
    struct jd_family family;
    const char *path;
} node_gauges[] = {
    NODE_GAUGE("cap_watts", "cpu.targetCapWatts", "Cap of the CPUs that is aimed at."),
    NODE_GAUGE("rapl_cap_watts", "cpu.raplCapWatts", "Cap of the CPUs in force."),
    NODE_GAUGE("throttle_pct", "cpu.throttlePct", "Throttle of the frequency."),
    NODE_GAUGE("power_watts", "packagePowerWatts", "Power of CPUs and GPUs."),
    NODE_GAUGE("running_pods", "pods.running", "Pods that run."),
    NODE_GAUGE("cpu_util", "cpu.utilization", "Utilisation of the CPUs."),
    NODE_GAUGE("freq_scale", "cpu.freqScale", "Frequency, of the most."),
};

#define FACILITY_GAUGE(symbol, text, what)                          \
    static const struct jd_family symbol = {                        \
        "joulie_sim_facility_" text, what, JD_GAUGE, { NULL }, NULL \
    }
FACILITY_GAUGE(ambient_family, "ambient_temp_celsius", "Outside temperature.");
FACILITY_GAUGE(pue_family, "pue", "Power usage effectiveness.");
FACILITY_GAUGE(it_family, "it_power_watts", "Power of all machines.");
FACILITY_GAUGE(cooling_family, "cooling_power_watts", "Power of the cooling.");
static const struct jd_family time_family = {
    "joulie_sim_time_seconds", "Virtual time.", JD_GAUGE, { NULL }, NULL
};

/* ---- when it happens ---- */

void jd_measure_answer(struct jd_metrics *metrics, const struct jd_exchange *exchange, int status,
                       double seconds)
{
    const char *route = jd_exchange_routed(exchange);
    char text[16];
    snprintf(text, sizeof text, "%d", status);
    if (!route)
        route = "other";
    jd_metric_add(metrics, &requests_family, JD_LABELS(route, jd_exchange_method(exchange), text),
                  1);
    jd_metric_observe(metrics, &duration_family, JD_LABELS(route, jd_exchange_method(exchange)),
                      seconds);
}

void jd_measure_control(struct jd_metrics *metrics, const char *node, const char *action,
                        const char *result)
{
    jd_metric_add(metrics, &controls_family, JD_LABELS(node, action), 1);
    jd_metric_add(metrics, &control_actions_family, JD_LABELS(node, action, result), 1);
}

/* By the annotation that only performance pods carry. */
static const char *class_of(const char *pod)
{
    return strstr(pod, "\"joulie.io/workload-class\":\"performance\"") ? "performance" : "standard";
}

void jd_measure_pod(struct jd_metrics *metrics, const struct jd_api *api,
                    const struct joulie_sim_event *event)
{
    if (event->is_first)
        jd_metric_add(metrics, &submitted_family, JD_LABELS(class_of(event->text)), 1);
    if (!event->is_removed)
        return;
    size_t len = 0;
    const char *pod = jd_api_get(api, "pods", event->name_space, event->name, &len);
    struct json_object *root = pod ? jd_json_parse(pod, len) : NULL;
    const char *node = jd_json_text(root, "spec.nodeName");
    jd_metric_add(metrics, &completed_family,
                  JD_LABELS(pod ? class_of(pod) : "standard", node ? node : ""), 1);
    jd_json_free(root);
}

/* ---- before it is read ---- */

static void measure_node(struct jd_metrics *metrics, const struct joulie_sim *sim, const char *name)
{
    char *text = NULL;
    if (joulie_sim_body(sim, name, "telemetry", &text, NULL) != 0)
        return;
    struct json_object *root = jd_json_parse(text, strlen(text));
    for (size_t i = 0; i < JL_COUNT(node_gauges); i++) {
        double value = 0;
        jd_json_number(root, node_gauges[i].path, &value);
        jd_metric_set(metrics, &node_gauges[i].family, JD_LABELS(name), value);
    }
    jd_json_free(root);
    joulie_free(text);
}

/* Gauges are read from the simulation when somebody asks, so that they cost nothing before. */
void jd_measure_all(struct jd_metrics *metrics, const struct joulie_sim *sim,
                    const struct jd_simulator_values *values)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_view whole = JOULIE_INIT(struct joulie_sim_view);
    struct jd_facility facility;
    joulie_sim_get_view(sim, &whole, NULL);
    jd_metric_set(metrics, &time_family, JD_NO_LABELS, whole.time_s);
    for (size_t i = 0; i < (size_t)whole.nodes; i++) {
        struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
        if (joulie_sim_node_at(sim, i, &view, NULL) == 0)
            measure_node(metrics, sim, view.name);
    }
    if (jd_facility_now(sim, values, &facility, &err) != 0)
        return;
    jd_metric_set(metrics, &ambient_family, JD_NO_LABELS, facility.ambient_c);
    jd_metric_set(metrics, &pue_family, JD_NO_LABELS, facility.pue);
    jd_metric_set(metrics, &it_family, JD_NO_LABELS, facility.it_power_w);
    jd_metric_set(metrics, &cooling_family, JD_NO_LABELS, facility.cooling_power_w);
}
