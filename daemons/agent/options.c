/* SPDX-License-Identifier: Apache-2.0 */

/* The options of joulie-agent. */

#include "agent/options.h"

#include "base/error.h"
#include "base/text.h"
#include "runtime/keeper.h"
#include "runtime/log.h"

static const char *const controllers[] = { "proportional", "legacy", NULL };
static const char *const modes[] = { "daemonset", "pool", NULL };

/* The library reads these (agent/endpoints.c). */
#define TELEMETRY(setting_name, member, kind, what)                                         \
    {                                                                                       \
        .name = "TELEMETRY_" setting_name, JD_TEXT_AT(jd_agent_values, telemetry_##member), \
        .value = kind, .doc = what                                                          \
    }

/* ROOT, SPEC, STATUS, ONCE, ENFORCE, SERVER and CONTEXT are names that scripts use for themselves.
 */
static const struct jd_setting settings[] = {
    { .name = "ROOT",
      JD_TEXT_AT(jd_agent_values, root),
      .places = JD_IN_FILE,
      .value = "DIR",
      .by_default = "/",
      .doc = "the machine: the live one, or a folder with a recorded or simulated one" },
    { .name = "SPEC",
      JD_TEXT_AT(jd_agent_values, spec),
      .places = JD_IN_FILE,
      .value = "FILE",
      .doc = "the NodeTwin, YAML or JSON, read again whenever it changes" },
    { .name = "STATUS",
      JD_TEXT_AT(jd_agent_values, status),
      .places = JD_IN_FILE,
      .value = "FILE",
      .doc = "replaced by a NodeTwin with status.controlStatus, - for standard output" },
    { .name = "STATE_DIR",
      JD_TEXT_AT(jd_agent_values, state_dir),
      .value = "DIR",
      .doc = "folder of the journal instead of var/lib/joulie below the root" },
    { .name = "STATE_DIR_MAY_VANISH",
      JD_BOOLEAN_AT(jd_agent_values, state_dir_may_vanish),
      .doc = "enforce on the live machine also where that folder goes with a container" },
    { .name = "NODE_NAME",
      JD_TEXT_AT(jd_agent_values, node_name),
      .value = "NAME",
      .doc = "name of this node instead of spec.nodeName; a spec of another node is refused" },
    { .name = "ENFORCE",
      JD_BOOLEAN_AT(jd_agent_values, enforce),
      .places = JD_IN_FILE,
      .doc = "write limits; the default for a root other than /" },
    { .name = "OBSERVE",
      JD_BOOLEAN_AT(jd_agent_values, observe),
      .places = JD_FLAG_ONLY,
      .doc = "write nothing but the status; the default for the live machine" },
    { .name = "SIMULATE_ONLY",
      JD_BOOLEAN_AT(jd_agent_values, simulate_only),
      .doc = "the same as --observe" },
    { .name = "ONCE",
      JD_BOOLEAN_AT(jd_agent_values, once),
      .places = JD_FLAG_ONLY,
      .doc = "one step; its caps stay, joulie cap restore gives them back" },
    { .name = "RESTORE_ON_EXIT",
      JD_BOOLEAN_AT(jd_agent_values, restore_on_exit),
      .value = "BOOL",
      .by_default = "true",
      .doc = "give back every cap on SIGTERM and SIGINT" },
    { .name = "CONTROL_INTERVAL",
      JD_DURATION_AT(jd_agent_values, control_interval_ms),
      .by_default = "1s",
      .least = "1s",
      .most = "1h",
      .doc = "time from step to step" },
    { .name = "WATCHDOG_TIMEOUT",
      JD_DURATION_AT(jd_agent_values, watchdog_timeout_ms),
      .by_default = "10s",
      .least = "0s",
      .most = "1h",
      .doc = "when the agent was killed, the joulie-capd that it started gives the caps back after "
             "this time, in whole seconds, unless another agent took over" },
    { .name = "CAPD_SOCKET",
      JD_TEXT_AT(jd_agent_values, capd_socket),
      .value = "PATH",
      .doc = "socket of the joulie-capd that writes limits for the agent, and watches it; "
             "/run/joulie/capd.sock when it is there, the root is / and no STATE_DIR is named" },
    { .name = "CAPD_PROGRAM",
      JD_TEXT_AT(jd_agent_values, capd_program),
      .value = "FILE",
      .doc = "the joulie-capd that is started where there is no such socket; the one beside this "
             "program" },
    { .name = "RUN_AS",
      JD_TEXT_AT(jd_agent_values, run_as),
      .value = "USER",
      .doc = "who an agent becomes that root starts, before the network is there: a name, or "
             "UID:GID; with a socket joulie if there is such a user, else it stays root" },
    { .name = "CAP_FLOOR_PCT",
      JD_PERCENT_AT(jd_agent_values, cap_floor_pct),
      .by_default = "30",
      .doc = "lowest cap of a package in percent of its maximum" },
    { .name = "RAPL_ENABLE",
      JD_BOOLEAN_AT(jd_agent_values, rapl_enable),
      .doc = "switch on a package limit that is switched off" },
    { .name = "GIVE_BACK_MAXIMUM",
      JD_BOOLEAN_AT(jd_agent_values, give_back_maximum),
      .doc =
          "give back the maximum of its zone instead of a package limit that is found below it" },
    { .name = "SPEC_READ_TIMEOUT",
      JD_DURATION_AT(jd_agent_values, spec_read_timeout_ms),
      .by_default = "5m",
      .least = "0s",
      .most = "24h",
      .doc = "how long the last good spec is believed when it cannot be read any more" },
    { .name = "TWIN_STALENESS_THRESHOLD",
      JD_DURATION_AT(jd_agent_values, twin_staleness_ms),
      .by_default = "5m",
      .least = "0s",
      .doc = "age of a fresh twin or heartbeat; the age of a file is not judged" },
    { .name = "TWIN_MAX_AGE",
      JD_DURATION_AT(jd_agent_values, twin_max_age_ms),
      .by_default = "1h",
      .least = "0s",
      .doc = "age of a fresh twin while its operator beats; the age of a file is not judged" },
    { .name = "DVFS_CONTROLLER",
      JD_WORD_AT(jd_agent_values, dvfs_controller, controllers),
      .by_default = "proportional",
      .doc = "how frequencies follow a cap where no power limit can be written" },
    { .name = "DVFS_EMA_ALPHA",
      JD_DOUBLE_AT(jd_agent_values, dvfs_ema_alpha),
      .by_default = "0.3",
      .least = "0",
      .most = "1",
      .doc = "legacy controller: weight of a new sample" },
    { .name = "DVFS_HIGH_MARGIN_W",
      JD_DOUBLE_AT(jd_agent_values, dvfs_high_margin_w),
      .by_default = "10",
      .least = "0",
      .most = "1000000",
      .doc = "legacy controller: watts above the cap that throttle" },
    { .name = "DVFS_LOW_MARGIN_W",
      JD_DOUBLE_AT(jd_agent_values, dvfs_low_margin_w),
      .by_default = "15",
      .least = "0",
      .most = "1000000",
      .doc = "legacy controller: watts below the cap that release" },
    { .name = "DVFS_STEP_PCT",
      JD_PERCENT_AT(jd_agent_values, dvfs_step_pct),
      .by_default = "10",
      .doc = "legacy controller: percentage points of a step" },
    { .name = "DVFS_COOLDOWN",
      JD_DURATION_AT(jd_agent_values, dvfs_cooldown_ms),
      .by_default = "20s",
      .least = "0s",
      .most = "1h",
      .doc = "legacy controller: shortest time between steps" },
    { .name = "DVFS_TRIP_COUNT",
      JD_INTEGER_AT(jd_agent_values, dvfs_trip_count),
      .by_default = "2",
      .least = "1",
      .most = "1000",
      .doc = "legacy controller: samples in a row that a step needs" },
    { .name = "DVFS_MIN_FREQ_KHZ",
      JD_INTEGER_AT(jd_agent_values, dvfs_min_freq_khz),
      .by_default = "1500000",
      .least = "1",
      .most = "100000000",
      .doc = "lowest frequency of a throttled CPU" },
    JD_LOG_SETTINGS(jd_agent_values),
    { .name = "COUNTS_FILE",
      JD_TEXT_AT(jd_agent_values, counts_file),
      .places = JD_FLAG_ONLY,
      .value = "FILE",
      .doc = "system calls of the whole run, for tests",
      .is_hidden = true },
    { .name = "AGENT_MODE",
      JD_WORD_AT(jd_agent_values, agent_mode, modes),
      .by_default = "daemonset",
      .doc = "in a cluster: daemonset drives the node that it runs on, pool many nodes over HTTP" },
    JD_KUBE_SETTINGS(jd_agent_values),
    { .name = "NAMESPACE",
      JD_TEXT_AT(jd_agent_values, name_space),
      .value = "NAME",
      .by_default = "joulie-system",
      .doc = "namespace of the operator's heartbeat Lease" },
    JD_CLOCK_SETTINGS(jd_agent_values),
    { .name = "RECONCILE_INTERVAL",
      JD_DURATION_AT(jd_agent_values, reconcile_interval_ms),
      .by_default = "20s",
      .least = "1s",
      .most = "1h",
      .doc = "in a cluster: time from step to step of a node that is driven over HTTP" },
    { .name = "METRICS_ADDR",
      JD_TEXT_AT(jd_agent_values, metrics_addr),
      .value = "ADDRESS",
      .by_default = "127.0.0.1:8080",
      .doc = "in a cluster: where /metrics, /livez and /readyz are served" },
    { .name = "POOL_NODE_SELECTOR",
      JD_TEXT_AT(jd_agent_values, pool_selector),
      .value = "SELECTOR",
      .by_default = "joulie.io/managed=true",
      .doc = "labels of the nodes of a pool; blank = all nodes" },
    { .name = "POOL_SHARDS",
      JD_INTEGER_AT(jd_agent_values, pool_shards),
      .by_default = "1",
      .least = "1",
      .most = "10000",
      .doc = "processes of the pool" },
    { .name = "POOL_SHARD_ID",
      JD_TEXT_AT(jd_agent_values, pool_shard_id),
      .value = "NUMBER",
      .doc = "number of this process, from 0; else the number at the end of POD_NAME, else 0" },
    { .name = "POD_NAME",
      JD_TEXT_AT(jd_agent_values, pod_name),
      .value = "NAME",
      .doc = "name of the pod of this process" },
    TELEMETRY("CPU_SOURCE", cpu_source, "WORD",
              "where CPU power is read: host, http, prometheus or none"),
    TELEMETRY("CPU_HTTP_ENDPOINT", cpu_endpoint, "URL",
              "URL of the readings; {node} stands for the node's name"),
    TELEMETRY("CPU_CONTROL", cpu_control, "WORD", "where CPU caps go: host, http or none"),
    TELEMETRY("CPU_CONTROL_HTTP_ENDPOINT", cpu_control_endpoint, "URL",
              "URL that takes CPU caps; {node} stands for the node's name"),
    TELEMETRY("CPU_CONTROL_MODE", cpu_control_mode, "WORD",
              "how CPU caps over http are put in force: auto, rapl or dvfs"),
    TELEMETRY("GPU_CONTROL", gpu_control, "WORD", "where GPU caps go: host, http or none"),
    TELEMETRY("GPU_CONTROL_HTTP_ENDPOINT", gpu_control_endpoint, "URL",
              "URL that takes GPU caps; {node} stands for the node's name"),
    TELEMETRY("GPU_CONTROL_MODE", gpu_control_mode, "WORD",
              "how GPU caps over http are put in force: auto, powercap or clocks"),
    TELEMETRY("HTTP_TIMEOUT_SECONDS", timeout, "SECONDS",
              "timeout of a request for readings or a cap, in whole seconds; 2 by default"),
    { .name = "HARDWARE_CATALOG_PATH", .type = JD_LATER },
};

static const struct jd_section sections[] = {
    { "the spec",
      "A file that is gone, broken, larger than 16 MiB or no regular file keeps the last good spec "
      "for\nSPEC_READ_TIMEOUT and is logged once. Until the first one was read, caps that are in "
      "force stay,\nfor the same time at most." },
    { "the status",
      "Replaced as a whole and only when something changed, so that a reader never sees half of "
      "it.\nWithout the option nothing is reported beside the log, except with --once, which then "
      "prints to\nstandard output." },
    { "signals",
      "SIGTERM, SIGINT and SIGHUP give every cap back (RESTORE_ON_EXIT), write a last status and "
      "end\nthe agent. A second signal does not break that off. When the agent is killed, "
      "joulie-capd gives\nthe caps back after WATCHDOG_TIMEOUT; the next agent that is started "
      "before takes them over." },
    { "in a cluster",
      "With AGENT_MODE, --server, --kubeconfig or --context, or in a pod with NODE_NAME, and "
      "without "
      "--spec,\nthe spec is the NodeTwin of the node in the API server, and what came of it goes "
      "to "
      "its\nstatus.controlStatus, when a word or a watt figure (by 2 %) has changed. The facts "
      "about "
      "the\nnode are published as its NodeHardware, unless that one is somebody else's. daemonset "
      "drives the\nmachine below ROOT, or with TELEMETRY_CPU_CONTROL=http or none the node of that "
      "name over HTTP;\npool drives every node of its shard over HTTP and never touches the "
      "machine "
      "that it runs on.\nCaps over HTTP are enforced unless --observe is said: whoever names the "
      "endpoint has asked for\nthem. A node that leaves the selection or the shard gets its caps "
      "back first." },
    { "exit status",
      "0: done. 1: another agent has the machine, or something could not be opened, written or "
      "given\nback; the log says what. 2: an option is wrong." },
};

const struct jd_daemon jd_agent_daemon = {
    .name = JD_COMPONENT,
    .summary = "keeps the power caps of a machine",
    .synopsis = "[--root DIR] {--spec FILE [--status FILE] [--once] | --agent-mode MODE} "
                "[--enforce|--observe] [OPTIONS]",
    .text = "Reads what is desired of a machine from a NodeTwin in a file or of an API server,\n"
            "keeps its power limits so, and says there what came of it. Every limit is noted in a\n"
            "journal before it is touched, read back after it was written, and given back at the\n"
            "end.",
    .settings = settings,
    .setting_count = JL_COUNT(settings),
    .sections = sections,
    .section_count = JL_COUNT(sections),
};

static bool is_said(const struct jd_options *options, const char *name)
{
    return jd_source_of(options, name) != JD_BY_DEFAULT;
}

/* A person's own KUBECONFIG of the environment does not make a cluster of a command. */
static bool is_named(const struct jd_options *options, const char *name)
{
    const enum jd_source source = jd_source_of(options, name);
    return source == JD_COMMAND_LINE || source == JD_FILE;
}

static bool is_in_cluster(const struct jd_options *options, const struct jd_agent_values *values,
                          char **environment)
{
    bool is_pod = false;
    for (; environment && *environment; environment++)
        is_pod |= jl_starts_with(*environment, "KUBERNETES_SERVICE_HOST=");
    return is_said(options, "AGENT_MODE") || is_named(options, "SERVER") ||
           is_named(options, "KUBECONFIG") || is_named(options, "CONTEXT") ||
           (is_pod && !jl_is_empty(values->node_name));
}

int jd_agent_place(const struct jd_options *options, const struct jd_agent_values *values,
                   char **environment, enum jd_agent_place *out, struct joulie_error *err)
{
    const bool is_pool = jl_same(values->agent_mode, "pool");
    *out = JD_WITH_FILES;
    if (values->spec || !is_in_cluster(options, values, environment))
        return 0;
    if (values->once || values->status)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "%s: needs --spec FILE, not a cluster",
                       values->once ? "--once" : "--status");
    if (!is_pool && jl_is_empty(values->node_name))
        return jl_fail(err, JOULIE_E_REQUIRED, "", "NODE_NAME: needed with AGENT_MODE=daemonset");
    const bool is_host =
        !is_pool && (jl_is_empty(values->telemetry_cpu_control) ||
                     jl_same_nocase(jl_text(values->telemetry_cpu_control), "host"));
    *out = is_host ? JD_WITH_HOST : JD_WITH_REMOTE;
    return 0;
}

const char *jd_agent_socket(const struct jd_agent_values *values)
{
    return values->capd_socket ? values->capd_socket
                               : jd_keeper_socket(values->root, values->state_dir);
}

void jd_agent_each_useless(const struct jd_options *options,
                           void (*found)(void *user, const char *name), void *user)
{
    bool is_of_cluster = false;
    for (size_t i = 0; i < JL_COUNT(settings); i++) {
        is_of_cluster |= jl_same(settings[i].name, "AGENT_MODE");
        if (is_of_cluster && settings[i].type != JD_LATER && is_said(options, settings[i].name))
            found(user, settings[i].name);
    }
}

int jd_agent_mode(const struct jd_options *options, const struct jd_agent_values *values,
                  bool is_live, enum jd_agent_place place, bool *out_enforces,
                  struct joulie_error *err)
{
    for (enum jd_source source = JD_COMMAND_LINE; source > JD_BY_DEFAULT; source--) {
        const bool is_enforce_said = jd_source_of(options, "ENFORCE") == source;
        const bool enforces = is_enforce_said && values->enforce;
        const bool observes =
            (is_enforce_said && !values->enforce) ||
            (jd_source_of(options, "OBSERVE") == source && values->observe) ||
            (jd_source_of(options, "SIMULATE_ONLY") == source && values->simulate_only);
        if (enforces && observes)
            return jl_fail(err, JOULIE_E_CONFLICT, "",
                           "to enforce and to observe are both asked "
                           "for");
        if (enforces && !values->spec && place == JD_WITH_FILES)
            return jl_fail(err, JOULIE_E_REQUIRED, "", "--enforce: needs --spec FILE");
        if (enforces || observes) {
            *out_enforces = enforces;
            return 0;
        }
    }
    *out_enforces =
        place == JD_WITH_REMOTE || (!is_live && (values->spec || place == JD_WITH_HOST));
    return 0;
}
