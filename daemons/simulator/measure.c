/* SPDX-License-Identifier: Apache-2.0 */

/* What is counted (docs/rules/simulator-contract.md#metrics), and the building around the machines,
 * for metrics, queries and the time series. */

#include "simulator/measure.h"

#include <stdio.h>

#define SECONDS_PER_HOUR 3600

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

#define NODE_GAUGE(symbol, text, what)                            \
    static const struct jd_family symbol = {                      \
        "joulie_sim_node_" text, what, JD_GAUGE, { "node" }, NULL \
    }
NODE_GAUGE(target_family, "cap_watts", "Cap of the CPUs that is aimed at.");
NODE_GAUGE(cap_family, "rapl_cap_watts", "Cap of the CPUs in force.");
NODE_GAUGE(throttle_family, "throttle_pct", "Throttle of the frequency.");
NODE_GAUGE(power_family, "power_watts", "Power of CPUs and GPUs.");
NODE_GAUGE(running_family, "running_pods", "Pods that run.");
NODE_GAUGE(util_family, "cpu_util", "Utilisation of the CPUs.");
NODE_GAUGE(freq_family, "freq_scale", "Frequency, of the most.");

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

void jd_measure_pod(struct jd_metrics *metrics, const struct joulie_sim_event *event)
{
    if (event->is_first)
        jd_metric_add(metrics, &submitted_family, JD_LABELS(event->workload_class), 1);
    if (event->is_removed)
        jd_metric_add(metrics, &completed_family, JD_LABELS(event->workload_class, event->node), 1);
}

/* ---- before it is read ---- */

/* The load is IT power over the design power of all machines, at most 1. */
void jd_facility_now(const struct joulie_sim_view *view, const struct jd_simulator_values *values,
                     struct jd_facility *out)
{
    const double it_w = view->cpu_power_w + view->gpu_power_w;
    const double ambient_c =
        joulie_facility_ambient_c(values->ambient_c, values->ambient_amplitude_c,
                                  values->ambient_period_h * SECONDS_PER_HOUR, view->time_s);
    const double load =
        view->design_it_w > 0 && it_w < view->design_it_w ? it_w / view->design_it_w : 1;
    const double pue = joulie_facility_simulated_pue(ambient_c, load);
    *out = (struct jd_facility){ ambient_c, it_w, pue, it_w * (pue - 1) };
}

static void measure_node(struct jd_metrics *metrics, const struct joulie_sim_node_view *node)
{
    const struct {
        const struct jd_family *family;
        double value;
    } gauges[] = {
        { &target_family, node->cpu_target_cap_w },
        { &cap_family, node->cpu_cap_w },
        { &throttle_family, node->throttle_pct },
        { &power_family, node->cpu_power_w + node->gpu_power_w },
        { &running_family, (double)node->jobs },
        { &util_family, node->cpu_util },
        { &freq_family, node->freq_scale },
    };

    for (size_t i = 0; i < JL_COUNT(gauges); i++)
        jd_metric_set(metrics, gauges[i].family, JD_LABELS(node->name), gauges[i].value);
}

/* Gauges are read from the simulation when somebody asks, so that they cost nothing before. */
void jd_measure_all(struct jd_metrics *metrics, const struct joulie_sim *sim,
                    const struct jd_simulator_values *values)
{
    struct joulie_sim_view whole = JOULIE_INIT(struct joulie_sim_view);
    struct jd_facility facility;
    joulie_sim_get_view(sim, &whole, NULL);
    jd_metric_set(metrics, &time_family, JD_NO_LABELS, whole.time_s);
    for (size_t i = 0; i < (size_t)whole.nodes; i++) {
        struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
        if (joulie_sim_node_at(sim, i, &node, NULL) == 0)
            measure_node(metrics, &node);
    }
    jd_facility_now(&whole, values, &facility);
    jd_metric_set(metrics, &ambient_family, JD_NO_LABELS, facility.ambient_c);
    jd_metric_set(metrics, &pue_family, JD_NO_LABELS, facility.pue);
    jd_metric_set(metrics, &it_family, JD_NO_LABELS, facility.it_power_w);
    jd_metric_set(metrics, &cooling_family, JD_NO_LABELS, facility.cooling_power_w);
}
