/* SPDX-License-Identifier: Apache-2.0 */

/* The options of joulie-scheduler. docs/rules/extender.md. */

#include "scheduler/options.h"

#include "base/error.h"
#include "base/text.h"
#include "runtime/log.h"

static const char *const score_ranges[] = { "10", "100", NULL };
const char *const jd_scoring_words[] = { "current", "v0.1.1", "legacy", "efficiency", NULL };

static const struct jd_setting settings[] = {
    { .name = "EXTENDER_ADDR",
      JD_TEXT_AT(jd_scheduler_values, extender_addr),
      .value = "ADDRESS",
      .by_default = "127.0.0.1:9876",
      .doc = "where /filter and /prioritize are served; :9876 = every address" },
    JD_HOSTS_SETTING(jd_scheduler_values, "a port on a loopback address answers"),
    JD_TLS_SETTINGS(jd_scheduler_values, "EXTENDER_ADDR"),
    { .name = "METRICS_ADDR",
      JD_TEXT_AT(jd_scheduler_values, metrics_addr),
      .value = "ADDRESS",
      .by_default = "127.0.0.1:9877",
      .doc = "where /metrics, /livez and /readyz are served" },
    JD_KUBE_SETTINGS(jd_scheduler_values),
    { .name = "NAMESPACE",
      JD_TEXT_AT(jd_scheduler_values, name_space),
      .value = "NAME",
      .by_default = "joulie-system",
      .doc = "namespace of the operator's heartbeat Lease" },
    JD_CLOCK_SETTINGS(jd_scheduler_values),
    { .name = "STEP_INTERVAL",
      JD_DURATION_AT(jd_scheduler_values, step_interval_ms),
      .by_default = "1m",
      .least = "1s",
      .most = "1h",
      .doc =
          "with a simulator's clock: at each multiple of this time the simulation waits until the "
          "caches are up to date; the interval of the operator" },
    { .name = "TWIN_STALENESS_THRESHOLD",
      JD_DURATION_AT(jd_scheduler_values, staleness_ms),
      .path = "twinStalenessS",
      .least = "0s",
      .doc = "age of a fresh twin or heartbeat, and of caches that are ready" },
    JD_TWIN_SETTINGS,
    { .name = "FILTER_STALE_GRACE",
      JD_MODEL_SETTING(JD_DURATION, "filterStaleGraceS"),
      .least = "0s",
      .doc = "age up to which a stale twin of an eco or draining node still keeps performance pods "
             "away" },
    { .name = "FAIL_POLICY",
      JD_MODEL_SETTING(JD_WORD, "failPolicy"),
      .vocabulary = JOULIE_VOCABULARY_FAIL_POLICY,
      .doc = "what happens to performance pods where nothing is known of a node: they pass, or "
             "(closed) not; before the caches were filled everything passes (open), or the answer "
             "is an error" },
    { .name = "SCORE_RANGE",
      JD_WORD_AT(jd_scheduler_values, score_range, score_ranges),
      .by_default = "10",
      .doc = "highest score that is sent; kube-scheduler counts on 10" },
    { .name = "SHORT_REPLIES",
      JD_BOOLEAN_AT(jd_scheduler_values, short_replies),
      .doc = "leave out what changes no decision of kube-scheduler: rejections where other nodes "
             "pass, points that all nodes have. Not with another extender after this one that "
             "filters, nor for a reader of scores" },
    { .name = "SCORING_PROFILE",
      JD_TEXT_AT(jd_scheduler_values, scoring_profile),
      .value = "WORD|FILE",
      .words = jd_scoring_words,
      .by_default = "current",
      .doc =
          "the scoring formula, current, v0.1.1, legacy or efficiency: what the pod costs on each "
          "node in watts, which goes with the operator's policy of that name and watches Pods, "
          "too. Or a file with a scoring profile, JSON or YAML, that is read again when it "
          "changes" },
    { .name = "COST_TIME_W_PER_CORE",
      JD_MODEL_SETTING(JD_DOUBLE, "scoring.timeWPerCore"),
      .least = "0",
      .most = "1000",
      .doc = "efficiency: W that time on a core is worth besides its energy, so that slower nodes "
             "cost more; a GPU is worth ten cores" },
    { .name = "MARGINAL_CPU_UTIL_COEFF",
      JD_MODEL_SETTING(JD_DOUBLE, "marginalCpuUtilCoeff"),
      .least = "0",
      .most = "10",
      .doc = "part of a CPU's power that a busy pod adds" },
    { .name = "MARGINAL_GPU_UTIL_COEFF_STANDARD",
      JD_MODEL_SETTING(JD_DOUBLE, "marginalGpuUtilCoeffStandard"),
      .least = "0",
      .most = "10",
      .doc = "the same of a GPU, for standard pods" },
    { .name = "MARGINAL_GPU_UTIL_COEFF_PERFORMANCE",
      JD_MODEL_SETTING(JD_DOUBLE, "marginalGpuUtilCoeffPerformance"),
      .least = "0",
      .most = "10",
      .doc = "the same of a GPU, for performance pods" },
    { .name = "ENABLE_MARGINAL_POWER_SCORING",
      JD_MODEL_SETTING(JD_BOOLEAN, "enableMarginalPowerScoring"),
      .value = "BOOL",
      .doc = "whether the legacy formula counts what the pod adds" },
    { .name = "DEBUG_SCORING",
      JD_BOOLEAN_AT(jd_scheduler_values, debug_scoring),
      .doc =
          "serve /debug/scoring, which shows the power of every node to anyone who can connect" },
    { .name = "MAX_BODY_BYTES",
      JD_INTEGER_AT(jd_scheduler_values, max_body_bytes),
      .by_default = "67108864",
      .least = "1024",
      .most = "1073741824",
      .doc = "longest request; a longer one is answered 413" },
    { .name = "MAX_CONNECTIONS",
      JD_INTEGER_AT(jd_scheduler_values, max_connections),
      .by_default = "4096",
      .least = "16",
      .most = "65536",
      .doc = "connections at a time" },
    { .name = "REQUEST_TIMEOUT",
      JD_DURATION_AT(jd_scheduler_values, request_timeout_ms),
      .by_default = "10s",
      .least = "100ms",
      .most = "10m",
      .doc = "how long a request may take to arrive" },
    { .name = "SHUTDOWN_TIMEOUT",
      JD_DURATION_AT(jd_scheduler_values, shutdown_timeout_ms),
      .by_default = "5s",
      .least = "0s",
      .most = "10m",
      .doc = "how long requests that are on their way are waited for at the end" },
    JD_LOG_SETTINGS(jd_scheduler_values),
    { .name = "CACHE_TTL", .type = JD_LATER, .doc = "the caches are fed by watches" },
    { .name = "ENABLE_EVICTION_HISTORY", .type = JD_LATER },
    { .name = "EVICTION_HISTORY_TTL", .type = JD_LATER },
    { .name = "MARGINAL_IDLE_GPU_WASTE_WATTS", .type = JD_LATER },
    { .name = "MARGINAL_REF_NODE_POWER_W", .type = JD_LATER },
    { .name = "MARGINAL_REF_RACK_CAPACITY_W", .type = JD_LATER },
    { .name = "ENABLE_FACILITY_METRICS", .type = JD_LATER },
};

static const struct jd_section sections[] = {
    { "requests",
      "POST /filter and POST /prioritize take the ExtenderArgs of kube-scheduler's extender "
      "protocol "
      "v1\nand answer from memory; no request waits for the API server. Every rejection stands in\n"
      "FailedAndUnresolvableNodes. 400: the body is no ExtenderArgs; 405: no POST; 413: longer "
      "than\n"
      "MAX_BODY_BYTES; 415: no application/json.\n"
      "\n"
      "In the entry of KubeSchedulerConfiguration: filterVerb filter, prioritizeVerb prioritize, "
      "weight 1\n(with the profile efficiency 2 beside the scoring strategy MostAllocated, 5 "
      "beside the default "
      "one),\nnodeCacheCapable true, ignorable true, httpTimeout 500ms." },
    { "data",
      "NodeTwins, NodeHardwares, Nodes, WorkloadProfiles, with the profile efficiency Pods, and "
      "the Lease joulie-heartbeat are watched. "
      "When\nthe API server does not answer any more, the last data goes on to be used by its age; "
      "after\nTWIN_STALENESS_THRESHOLD without a word of it /readyz fails." },
    { "access", "get, list and watch of nodetwins, nodehardwares and workloadprofiles (joulie.io), "
                "of nodes and, with the profile efficiency, pods, and "
                "of\nleases (coordination.k8s.io) in NAMESPACE. Nothing is written." },
    { "not yet",
      "The watts of pods that were placed since the last twin are not counted: pods of a burst see "
      "the\nsame headroom. The history of evictions is not read." },
    { "signals",
      "SIGTERM and SIGINT: no new connection is taken, requests that are there are answered, then "
      "the\nprogram ends." },
    { "exit status", "0: ended by a signal, or by the end of the simulation. 1: something could "
                     "not be opened; the "
                     "log\nsays what. 2: an option is wrong." },
};

const struct jd_daemon jd_scheduler_daemon = {
    .name = JD_COMPONENT,
    .summary = "answers kube-scheduler which nodes fit a pod",
    .synopsis = "[--server URL|--kubeconfig FILE] [OPTIONS]",
    .text = "An extender of kube-scheduler: keeps performance pods away from eco nodes, and gives\n"
            "each node a score by its power headroom, its cooling and what the pod would add.",
    .settings = settings,
    .setting_count = JL_COUNT(settings),
    .sections = sections,
    .section_count = JL_COUNT(sections),
};
