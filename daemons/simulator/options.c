/* SPDX-License-Identifier: Apache-2.0 */

/* The options of joulie-simulator, one row each: flag, environment name, key of the file, help. */

#include "simulator/options.h"

#include "base/text.h"
#include "runtime/log.h"

static const char *const placements[] = { "joulie", "efficiency",     "least-allocated",
                                          "kube",   "most-allocated", NULL };
static const char *const baselines[] = { "least-allocated", "kube", "most-allocated", NULL };
static const char *const physics_sets[] = { "current", "v0.1.1", NULL };
static const char *const runs[] = { "none", "uncontrolled", NULL };

#define FAULT(setting_name, member, what)                                                        \
    {                                                                                            \
        .name = setting_name, JD_DOUBLE_AT(jd_simulator_values, member), .value = "PROBABILITY", \
        .by_default = "0", .least = "0", .most = "1", .doc = what                                \
    }

#define SAME_AS(other, setting_name, member, what)                                             \
    {                                                                                          \
        .name = setting_name, JD_TEXT_AT(jd_simulator_values, member), .places = JD_FLAG_ONLY, \
        .value = what, .doc = "the same as " other                                             \
    }

/* Settings of the source have its names; flags of our own have no environment name. JD_LATER: read
 * and logged as without effect, so that a deployment of the source starts. */
static const struct jd_setting settings[] = {
    { .name = "SIM_INVENTORY_PATH",
      JD_TEXT_AT(jd_simulator_values, inventory),
      .value = "FILE",
      .doc = "the machines, YAML or JSON, as joulie simulate reads them" },
    SAME_AS("--sim-inventory-path", "INVENTORY", inventory, "FILE"),
    { .name = "SIM_WORKLOAD_TRACE_PATH",
      JD_TEXT_AT(jd_simulator_values, trace),
      .value = "PATH",
      .doc = "the jobs, one JSON object per line: a file, or a folder whose *.jsonl are read in "
             "the order of their names; none = no jobs" },
    SAME_AS("--sim-workload-trace-path", "TRACE", trace, "PATH"),
    { .name = "NODES",
      JD_INTEGER_AT(jd_simulator_values, nodes),
      .places = JD_FLAG_ONLY,
      .by_default = "0",
      .least = "0",
      .most = "1000000",
      .doc = "scale the inventory to so many nodes, keeping the mix; 0 = as it says" },
    { .name = "HOURS",
      JD_DOUBLE_AT(jd_simulator_values, hours),
      .places = JD_FLAG_ONLY,
      .by_default = "0",
      .least = "0",
      .most = "87660",
      .doc = "end after so many virtual hours; 0 = when all jobs have ended" },
    { .name = "SEED",
      JD_INTEGER_AT(jd_simulator_values, seed),
      .places = JD_FLAG_ONLY,
      .by_default = "0",
      .least = "0",
      .doc = "copied to the summary; a run draws no random number" },
    { .name = "PLACEMENT",
      JD_WORD_AT(jd_simulator_values, placement, placements),
      .places = JD_FLAG_ONLY,
      .by_default = "joulie",
      .doc = "joulie and efficiency ask the extender where pods may go and where they go best, "
             "beside LeastAllocated with weight 1, beside kube-scheduler's default with weight 5; "
             "least-allocated, kube and most-allocated only where they may, and rank nodes as "
             "kube-scheduler" },
    { .name = "PHYSICS",
      JD_WORD_AT(jd_simulator_values, physics, physics_sets),
      .places = JD_FLAG_ONLY,
      .by_default = "current",
      .doc = "physics set" },
    { .name = "COMPARE",
      JD_WORD_AT(jd_simulator_values, compare, runs),
      .places = JD_FLAG_ONLY,
      .by_default = "none",
      .doc = "beside it: the same without control, for the summary" },
    { .name = "BASELINE",
      JD_WORD_AT(jd_simulator_values, baseline, baselines),
      .places = JD_FLAG_ONLY,
      .by_default = "least-allocated",
      .doc = "scoring of the run without control" },
    { .name = "WORKLOAD_PROFILES",
      JD_BOOLEAN_AT(jd_simulator_values, workload_profiles),
      .places = JD_FLAG_ONLY,
      .doc = "write a WorkloadProfile for each pod, as joulie simulate does for policies that read "
             "work; without a classifier" },
    { .name = "LENIENT",
      JD_BOOLEAN_AT(jd_simulator_values, lenient),
      .places = JD_FLAG_ONLY,
      .doc = "skip bad lines of the trace" },
    { .name = "SIM_EXPORTERS",
      JD_BOOLEAN_AT(jd_simulator_values, exporters),
      .value = "BOOL",
      .by_default = "true",
      .doc = "serve what exporters on the machines say of the pods: /metrics/cadvisor, "
             "/metrics/kepler, /metrics/kepler-0.9, /metrics/dcgm" },
    { .name = "SIM_ADDR",
      JD_TEXT_AT(jd_simulator_values, sim_addr),
      .value = "ADDRESS",
      .by_default = "127.0.0.1:18080",
      .doc = "where telemetry, control, clock and metrics are served" },
    { .name = "SIM_API_ADDR",
      JD_TEXT_AT(jd_simulator_values, api_addr),
      .value = "ADDRESS",
      .by_default = "127.0.0.1:18001",
      .doc = "where the embedded Kubernetes API is served, plain HTTP" },
    SAME_AS("--sim-api-addr", "API_ADDR", api_addr, "ADDRESS"),
    JD_HOSTS_SETTING(jd_simulator_values, "both ports answer"),
    { .name = "KUBECONFIG_OUT",
      JD_TEXT_AT(jd_simulator_values, kubeconfig_out),
      .places = JD_FLAG_ONLY,
      .value = "FILE",
      .doc = "write a kubeconfig for the embedded API there (context joulie), when it is served" },
    { .name = "PARTICIPANTS",
      JD_TEXT_AT(jd_simulator_values, participants),
      .places = JD_FLAG_ONLY,
      .value = "NAMES",
      .doc = "participants of the clock, with commas, that must be there before time starts" },
    { .name = "SIM_STEP_DEADLINE",
      JD_DURATION_AT(jd_simulator_values, step_deadline_ms),
      .by_default = "5s",
      .least = "1ms",
      .most = "1h",
      .doc = "how long a participant's step is waited for" },
    { .name = "SPEEDUP",
      JD_DOUBLE_AT(jd_simulator_values, speedup),
      .places = JD_FLAG_ONLY,
      .by_default = "0",
      .least = "0",
      .most = "1000000",
      .doc = "virtual seconds per second; 0 = as fast as the participants of the clock are, 1 "
             "without any" },
    { .name = "EXTENDER_URL",
      JD_TEXT_AT(jd_simulator_values, extender_url),
      .value = "URL",
      .doc = "the scheduler extender, without the verb; none = every node that has room passes" },
    SAME_AS("--extender-url", "EXTENDER", extender_url, "URL"),
    { .name = "EXTENDER_TIMEOUT",
      JD_DURATION_AT(jd_simulator_values, extender_timeout_ms),
      .by_default = "500ms",
      .least = "1ms",
      .most = "1h",
      .doc = "httpTimeout of the extender" },
    { .name = "EXTENDER_IGNORABLE",
      JD_BOOLEAN_AT(jd_simulator_values, is_extender_ignorable),
      .value = "BOOL",
      .by_default = "true",
      .doc = "a filter call that fails is skipped; else it is made again after a second" },
    { .name = "KEEP",
      JD_BOOLEAN_AT(jd_simulator_values, keep),
      .places = JD_FLAG_ONLY,
      .doc = "when every job has ended, let time go on with the wall clock; else the clock ends, "
             "and the daemons with it" },
    { .name = "EXIT_AT_END",
      JD_BOOLEAN_AT(jd_simulator_values, exit_at_end),
      .places = JD_FLAG_ONLY,
      .doc = "end when the simulation does, and not at a signal only" },
    { .name = "OUT",
      JD_TEXT_AT(jd_simulator_values, out),
      .places = JD_FLAG_ONLY,
      .value = "DIR",
      .doc = "write summary.json, jobs.csv, nodes.csv, families.csv and decisions.csv there at the "
             "end" },
    { .name = "SIM_DEBUG_PERSIST_DIR",
      JD_TEXT_AT(jd_simulator_values, debug_dir),
      .value = "DIR",
      .doc = "keep nodes.json, jobs.json, events.json, energy.json, events.ndjson and "
             "timeseries.csv there; none = nothing is kept" },
    { .name = "SIM_DEBUG_SNAPSHOT_INTERVAL",
      JD_DURATION_AT(jd_simulator_values, debug_interval_ms),
      .by_default = "5s",
      .least = "100ms",
      .most = "1h",
      .doc = "how often these files are written" },
    { .name = "SIM_DEBUG_EVENT_LIMIT",
      JD_INTEGER_AT(jd_simulator_values, debug_event_limit),
      .by_default = "200",
      .least = "0",
      .most = "100000",
      .doc = "events that /debug/events shows" },
    { .name = "SIM_EVENT_BUFFER",
      JD_INTEGER_AT(jd_simulator_values, event_buffer),
      .by_default = "300",
      .least = "1",
      .most = "100000",
      .doc = "events that are remembered" },
    { .name = "SIM_FACILITY_AMBIENT_TEMP_C",
      JD_DOUBLE_AT(jd_simulator_values, ambient_c),
      .by_default = "20",
      .least = "-100",
      .most = "100",
      .doc = "mean outside temperature, degrees Celsius" },
    { .name = "SIM_FACILITY_TEMP_AMPLITUDE_C",
      JD_DOUBLE_AT(jd_simulator_values, ambient_amplitude_c),
      .by_default = "5",
      .least = "0",
      .most = "100",
      .doc = "its swing" },
    { .name = "SIM_FACILITY_TEMP_PERIOD_H",
      JD_DOUBLE_AT(jd_simulator_values, ambient_period_h),
      .by_default = "24",
      .doc = "its period in virtual hours; 0 and below: a day" },
    { .name = "FAULT_SEED",
      JD_INTEGER_AT(jd_simulator_values, fault_seed),
      .by_default = "1",
      .least = "0",
      .doc = "of the chances of the faults below, which are made in the embedded API" },
    FAULT("FAULT_CUT_STREAMS", fault_cut_streams, "a watch is cut in the middle of an event"),
    FAULT("FAULT_GONE", fault_gone, "410 for a page of a list or in a watch"),
    FAULT("FAULT_TOO_MANY", fault_too_many, "429 with Retry-After"),
    FAULT("FAULT_INTERNAL", fault_internal, "500"),
    FAULT("FAULT_SLOW_BYTES", fault_slow_bytes, "an answer goes out in single bytes"),
    { .name = "FAULT_LIMIT",
      JD_INTEGER_AT(jd_simulator_values, fault_limit),
      .by_default = "0",
      .least = "0",
      .doc = "most faults in all; 0 = no limit" },
    { .name = "API_RING_EVENTS",
      JD_INTEGER_AT(jd_simulator_values, api_ring_events),
      .places = JD_FLAG_ONLY,
      .by_default = "65536",
      .least = "256",
      .most = "1000000",
      .doc = "changes of the embedded API that a watch may lag behind, for tests",
      .is_hidden = true },
    JD_LOG_SETTINGS(jd_simulator_values),
    { .name = "SIM_HARDWARE_CATALOG_PATH", .type = JD_LATER },
    { .name = "SIM_NODE_CLASS_CONFIG", .type = JD_LATER },
    { .name = "SIM_NODE_SELECTOR", .type = JD_LATER },
    { .name = "SIM_BASE_SPEED_PER_CORE", .type = JD_LATER },
};

static const struct jd_section sections[] = {
    { "time",
      "Virtual time starts at 2026-01-01T00:00:00Z. Participants ask GET /clock?who=NAME for "
      "their\nnext step, with after=TIME of the last one and due=TIME (or every=SECONDS) of the "
      "next, and\nget an answer when it is their turn: those that are due together go by order=N. "
      "Time stands\nstill until each of them has asked again, at most SIM_STEP_DEADLINE. Without "
      "participants time\ngoes with the wall clock, SPEEDUP times as fast." },
    { "exit status",
      "0: done. 1: something could not be opened or written; the log says what. 2: an option or a "
      "file\nof the simulation is wrong." },
};

const struct jd_daemon jd_simulator_daemon = {
    .name = "joulie-simulator",
    .summary = "a simulated cluster behind real interfaces",
    .synopsis = "--inventory FILE [--trace PATH] [--participants NAMES] [OPTIONS]",
    .text = "Simulates the machines of an inventory and the jobs of a trace, and serves what a "
            "cluster\nserves: a Kubernetes API with nodes and pods, telemetry and control of each "
            "machine, and the\nclock that operator, scheduler extender and agents step by.",
    .settings = settings,
    .setting_count = JL_COUNT(settings),
    .sections = sections,
    .section_count = JL_COUNT(sections),
};
