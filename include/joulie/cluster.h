/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_CLUSTER_H
#define JOULIE_CLUSTER_H
#pragma once

/**
 * @file
 * A cluster in memory: fed with objects and readings, it decides what has to be written.
 *
 * The model has no clock, no thread and no connection. A program watches its cluster (or invents
 * one), hands every object and every reading to the model, calls joulie_cluster_step() now and
 * then, and applies the actions: small merge patches of NodeTwins and one node label. A step
 * without anything new has no actions.
 *
 * Objects may come in any order and as often as they like; the answers depend only on what is
 * stored at the end. Everything that is handed over is copied. Rules: joulie-control.md §4 and §9.
 *
 *     struct joulie_cluster *cluster;
 *     size_t count;
 *     joulie_cluster_new("{\"policy\": {\"type\": \"queue_aware_v1\"}}", 41, &cluster, &err);
 *     joulie_cluster_upsert(cluster, node_text, node_len, &err);       // for every object, again
 * whenever it changes joulie_cluster_step(cluster, now_ms, &count, &err); for (size_t i = 0; i <
 * count; i++) { struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
 *         joulie_cluster_action_at(cluster, i, &action, &err);
 *         joulie_cluster_action_done(cluster, action.id, apply(&action), &err);
 *     }
 *     joulie_cluster_free(cluster);
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A cluster model; opaque. It belongs to one thread at a time. */
struct joulie_cluster;

/**
 * Makes an empty model.
 *
 * Settings are one JSON or YAML object, every member optional: `policy` (the member of the question
 * `plan`), `rackCapacityW` (50000), `clusterCapacityW`, `twinStalenessS` (300), `twinMaxAgeS`
 * (3600), `twinHeartbeatS` (1800), `statusDeadbandScore` (2), `statusDeadbandPct` (2),
 * `powerProfileLabel` ("joulie.io/power-profile"); for placement (joulie-scheduler.md §3.5, §5.2,
 * §9) `filterStaleGraceS` (1800), `failPolicy` (`last-known`, `open`, `closed`), `scoringProfile`
 * (`current`, `v0.1.1`, `legacy`), `marginalCpuUtilCoeff` (0.7), `marginalGpuUtilCoeffStandard`
 * (0.65), `marginalGpuUtilCoeffPerformance` (0.85), `enableMarginalPowerScoring` (true; of
 * `legacy`).
 *
 * @param settings  borrowed for the call; NULL = every default
 * @param len       bytes of settings
 * @param out       the model, to be freed with joulie_cluster_free(); written only on success
 * @param err       details on failure, may be NULL; `where` is a path in the settings
 * @retval JOULIE_OK out is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_ENUM, JOULIE_E_RANGE,
 * JOULIE_E_LIMIT the settings are not what is described above; JOULIE_E_PARSE also for a
 * policy.nodeSelector that is no selector, and a label key that is none
 * @retval JOULIE_E_UNSUPPORTED this build does not have the policy
 * @retval JOULIE_E_NOMEM memory ran out; everything was released
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_cluster_new(const char *settings, size_t len, struct joulie_cluster **out,
                                  struct joulie_error *err);

/** Frees a model and everything that it handed out but not joulie_free()'s texts. NULL does
 * nothing. @threads any @since 0.1 */
JOULIE_API void joulie_cluster_free(struct joulie_cluster *cluster);

/**
 * Stores one object: a Node, NodeHardware, NodeTwin, Pod or WorkloadProfile, as JSON or YAML with
 * apiVersion and kind.
 *
 * An object of the same kind, namespace and name is replaced. NodeHardware and NodeTwin belong to
 * the node of their spec.nodeName, whatever they are called. Members that the library does not know
 * are skipped, as objects of a real cluster have many.
 *
 * @param text  borrowed for the call
 * @retval JOULIE_OK the object is stored
 * @retval JOULIE_E_UNSUPPORTED the kind is none of the five
 * @retval JOULIE_E_REQUIRED the object has no name, or no spec.nodeName where it needs one
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_ENUM, JOULIE_E_RANGE, JOULIE_E_LIMIT as
 * validation finds; nothing was stored
 * @retval JOULIE_E_NOMEM memory ran out; to be stored again
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_upsert(struct joulie_cluster *cluster, const char *text, size_t len,
                                     struct joulie_error *err);

/**
 * Forgets an object. One that is not there is no error.
 *
 * A node that is gone takes its readings with it; its NodeTwin is deleted by an action of the next
 * step.
 *
 * @param kind        "Node", "NodeHardware", "NodeTwin", "Pod" or "WorkloadProfile"
 * @param name_space  of pods and profiles, else ignored; NULL = ""
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED (another kind) or JOULIE_E_NOMEM
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_remove(struct joulie_cluster *cluster, const char *kind,
                                     const char *name_space, const char *name,
                                     struct joulie_error *err);

/** Bits of joulie_cluster_sample::has. */
#define JOULIE_SAMPLE_HAS_NODE_POWER (UINT64_C(1) << 0)
#define JOULIE_SAMPLE_HAS_CPU_UTIL (UINT64_C(1) << 1)
#define JOULIE_SAMPLE_HAS_GPU_UTIL (UINT64_C(1) << 2)

/** One look at a node; start with JOULIE_INIT(struct joulie_cluster_sample). */
struct joulie_cluster_sample {
    size_t struct_size;  /**< as the caller compiled it */
    uint64_t has;        /**< JOULIE_SAMPLE_HAS_* of the numbers that are set */
    int64_t at_ms;       /**< when it was taken, milliseconds since 1970 */
    double node_power_w; /**< measured at the node; 0 is a measurement */
    double cpu_util_pct; /**< 0..100 */
    double gpu_util_pct; /**< 0..100, mean over the GPUs */
    const char *source;  /**< word of NodeTwin status.powerMeasurement.source; NULL = not said.
                            Borrowed for the call */
};

/**
 * Reports one look at a node. A read that failed is not reported: the node falls back to its
 * utilisation or its caps as soon as the last sample is older than `twinStalenessS`. The newest
 * sample counts as a whole: one without power says that there was none.
 *
 * @retval JOULIE_OK the reading counts from the next step on
 * @retval JOULIE_E_REQUIRED there is no Node of this name
 * @retval JOULIE_E_RANGE a number is negative or not finite, or at_ms is outside the years 0 to
 * 9999
 * @retval JOULIE_E_ENUM source is no word of the list
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_sample(struct joulie_cluster *cluster, const char *node_name,
                                     const struct joulie_cluster_sample *sample,
                                     struct joulie_error *err);

/** Bits of joulie_cluster_facility::has. */
#define JOULIE_FACILITY_HAS_OUTSIDE_TEMP (UINT64_C(1) << 0)
#define JOULIE_FACILITY_HAS_IT_POWER (UINT64_C(1) << 1)
#define JOULIE_FACILITY_HAS_COOLING_POWER (UINT64_C(1) << 2)

/** What the building says; start with JOULIE_INIT(struct joulie_cluster_facility). */
struct joulie_cluster_facility {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has; /**< JOULIE_FACILITY_HAS_* of the numbers that are set; the others are unknown */
    double outside_temp_c;  /**< 0 °C and below are temperatures */
    double it_power_w;      /**< of the whole cluster */
    double cooling_power_w; /**< kept for reports; no rule rests on it yet */
};

/**
 * Replaces what is known of the facility. How long a value is held after its last good poll is the
 * caller's decision.
 *
 * @retval JOULIE_OK the values count from the next step on
 * @retval JOULIE_E_RANGE a number is not finite, or a power is negative
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_facility(struct joulie_cluster *cluster,
                                       const struct joulie_cluster_facility *facility,
                                       struct joulie_error *err);

/** Tells when the operator last beat: while it does, twins stay fresh for `twinMaxAgeS`. A time
 * outside the years 0 to 9999 is not taken. @threads the model's @since 0.1 */
JOULIE_API void joulie_cluster_heartbeat(struct joulie_cluster *cluster, int64_t at_ms);

/**
 * Decides: demand, plan, guard, caps, predictions, advice. Afterwards joulie_cluster_action_at()
 * hands out the smallest set of writes that brings what is stored to what was decided, by node
 * name.
 *
 * Numbers of a node that cannot be used keep that node without a status; they do not stop the step.
 *
 * @param now_ms     milliseconds since 1970; may go back
 * @param out_count  number of actions; written only on success
 * @retval JOULIE_OK the actions can be taken, until the next step
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_NOMEM memory ran out; the next step starts over
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_step(struct joulie_cluster *cluster, int64_t now_ms,
                                   size_t *out_count, struct joulie_error *err);

/** What to do with the object of an action. */
enum joulie_action_verb {
    JOULIE_ACTION_UNKNOWN = 0,
    JOULIE_ACTION_CREATE = 1, /**< POST; body is the object */
    JOULIE_ACTION_PATCH = 2,  /**< PATCH; body is a JSON merge patch */
    JOULIE_ACTION_DELETE = 3  /**< DELETE; no body */
};

/** One write; start with JOULIE_INIT(struct joulie_cluster_action). Texts live until the next step.
 */
struct joulie_cluster_action {
    size_t struct_size;      /**< as the caller compiled it */
    uint64_t id;             /**< for joulie_cluster_action_done() */
    const char *api_version; /**< "joulie.io/v1alpha1", or "v1" of a Node */
    const char *kind;        /**< "NodeTwin" or "Node" */
    const char *plural;      /**< "nodetwins" or "nodes" */
    const char *name;        /**< of the object */
    const char *subresource; /**< "status", or "" for the object itself */
    const char *node_name;   /**< the node that it is about */
    const char *body;        /**< JSON; "" with DELETE */
    const char *reason;      /**< for a person */
    enum joulie_action_verb verb;
    uint32_t reserved; /**< 0 */
};

/**
 * Action number index of the last step. A patch names only members that the operator owns and that
 * change; a member that has to go is null. The status never names controlStatus, which is the
 * agent's.
 *
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_RANGE there is no such action
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_action_at(struct joulie_cluster *cluster, size_t index,
                                        struct joulie_cluster_action *out,
                                        struct joulie_error *err);

/** What became of an action. */
enum joulie_action_outcome {
    JOULIE_OUTCOME_UNKNOWN = 0,
    JOULIE_OUTCOME_APPLIED =
        1, /**< stored: the model takes it for granted until the object comes in again */
    JOULIE_OUTCOME_CONFLICT = 2, /**< somebody else was faster: offered again */
    JOULIE_OUTCOME_FAILED = 3    /**< anything else: offered again */
};

/**
 * Says what became of an action of the last step. An action that nobody reports is offered again as
 * well. No outcome keeps other actions from being applied.
 *
 * @param outcome  enum joulie_action_outcome
 * @retval JOULIE_OK
 * @retval JOULIE_E_RANGE the id is not one of the last step
 * @retval JOULIE_E_ENUM there is no such outcome
 * @retval JOULIE_E_NOMEM memory ran out; the action is offered again
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_action_done(struct joulie_cluster *cluster, uint64_t id, int outcome,
                                          struct joulie_error *err);

/**
 * Which nodes a pod may use: `{"passed": [name], "failed": {name: reason}}` over every Node in name
 * order (joulie-scheduler.md §3.5, §4).
 *
 * @param pod   a Pod, JSON or YAML; borrowed for the call
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the text is no Pod
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_filter(struct joulie_cluster *cluster, const char *pod, size_t len,
                                     int64_t now_ms, char **json, struct joulie_error *err);

/**
 * How well a pod fits each node: `{"scores": [{"node","score","wire","known","raw"?,"headroom"?}]}`
 * over every Node in name order; score 0..100, wire 0..10, known false = there is no fresh twin to
 * rest on; else raw is the sum of the terms and headroom what is left with the pod on the node
 * (joulie-scheduler.md §5-§7, §13).
 *
 * @param pod   a Pod, JSON or YAML; borrowed for the call
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the text is no Pod
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_score(struct joulie_cluster *cluster, const char *pod, size_t len,
                                    int64_t now_ms, char **json, struct joulie_error *err);

/** Verbs of joulie_cluster_extend(). */
enum joulie_extender_verb {
    JOULIE_EXTENDER_UNKNOWN = 0,
    JOULIE_EXTENDER_FILTER = 1,
    JOULIE_EXTENDER_PRIORITIZE = 2
};

/** What a caller knows of its request; start with JOULIE_INIT(struct joulie_extender_options). */
struct joulie_extender_options {
    size_t struct_size;
    int64_t now_ms;
    enum joulie_extender_verb verb;
    int32_t score_range; /**< 10 or 100; 0 = 10 */
    int32_t is_filled;   /**< 0: the caches were never filled: failPolicy decides */
    int32_t reserved;    /**< must be 0 */
};

/** Bits of joulie_extender_result::invalid_annotations. */
#define JOULIE_INVALID_WORKLOAD_CLASS (UINT64_C(1) << 0)
#define JOULIE_INVALID_CPU_SENSITIVITY (UINT64_C(1) << 1)
#define JOULIE_INVALID_GPU_SENSITIVITY (UINT64_C(1) << 2)

/** What became of a request, for metrics; start with JOULIE_INIT(struct joulie_extender_result). */
struct joulie_extender_result {
    size_t struct_size;
    const char *workload_class; /**< "performance", "standard" or "other"; a constant */
    int64_t nodes;              /**< in the request */
    int64_t rejected_eco;
    int64_t rejected_draining;
    int64_t rejected_label;
    int64_t rejected_no_data;
    int64_t bad_quantities;       /**< of the pod: they count as 0 */
    uint64_t invalid_annotations; /**< JOULIE_INVALID_* of the pod's: they say no word of theirs */
    const char *pod;              /**< the pod, inside the body; not NUL-terminated */
    int64_t pod_len;
};

/**
 * Answers one request of kube-scheduler's extender protocol v1 (joulie-scheduler.md §2,
 * kubernetes.md §15): ExtenderArgs in, ExtenderFilterResult or HostPriorityList out. Keys are read
 * in any case and written as the protocol names them; every rejection stands in
 * FailedAndUnresolvableNodes; full Node objects go back byte for byte.
 *
 * Nodes that the model does not know are unknown, not unfit: the fail policy and the labels of the
 * request decide. Members of `settings` that it uses: `filterStaleGraceS`, `failPolicy`,
 * `scoringProfile` and the coefficients behind it. With `is_filled` 0 the fail policy `open` lets
 * every node pass, the others set `Error`; every score is then that of an unknown node.
 *
 * Over all nodes of the model the answers are those of joulie_cluster_filter() and
 * joulie_cluster_score(): pressure and trend are always those of every fresh twin, an unknown
 * node's score rests on the nodes of the request. At most 100,000 nodes.
 *
 * @param body   ExtenderArgs, JSON; borrowed for the call
 * @param reply  to be freed with joulie_free(); written only on success
 * @param out    may be NULL
 * @retval JOULIE_OK reply is set; an answer with a non-empty `Error` is one too
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the body is no ExtenderArgs: status 400
 * @retval JOULIE_E_ENUM there is no such verb; JOULIE_E_RANGE another number is not one of the
 * above
 * @retval JOULIE_E_ABI struct_size is impossible, or reserved is not 0
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_extend(struct joulie_cluster *cluster, const char *body, size_t len,
                                     const struct joulie_extender_options *options, char **reply,
                                     struct joulie_extender_result *out, struct joulie_error *err);

/**
 * How scores come about, for a person: `{"coefficients","scoringProfile","workloadClass"?,
 * "perfPressure","clusterTrendWPerMin","nodes":[…]}` over every Node in name order
 * (joulie-scheduler.md §8). A node has `nodeName` and what is known of `schedulableClass`,
 * `headroom`, `coolingStress`, `measuredPowerW`, `cappedPowerW`, `nodeTdpW`, `powerTrendWPerMin`,
 * `baseScore`, `cpuTotalCores`, `cpuMaxWattsTotal`, `gpuCount`, `gpuMaxWattsPerGPU`, `hasGpu`,
 * `stale`; with a pod also `rejected`, `score`, `wire`, `basis` and, of a fresh one, `raw`,
 * `projectedHeadroom` and its `terms`, whose sum without `marginalW` is raw.
 *
 * @param pod   a Pod, JSON or YAML; borrowed for the call; NULL = none
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the text is no Pod
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_scoring(struct joulie_cluster *cluster, const char *pod, size_t len,
                                      int64_t now_ms, char **json, struct joulie_error *err);

/**
 * Why a node is what it is, by the last step:
 * `{"nodeName","scope","paused"?,"profile"?,"draining"?,"state"?,"reasons","density", "blockers":
 * [{"namespace","name","why"}],"spec"?,"status"?,"rack"?,"rackPowerW"?}`. scope is `managed`, or
 * what takes the node out of the plan: `unschedulable`, `reserved`, `selector`. paused: the Node is
 * annotated joulie.io/paused: "true"; what is wanted of it is decided but not written, only its
 * status is.
 *
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_REQUIRED there is no such Node
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_explain(struct joulie_cluster *cluster, const char *node_name,
                                      char **json, struct joulie_error *err);

/** Bits of joulie_cluster_node::has. */
#define JOULIE_NODE_VIEW_HAS_CPU_DENSITY (UINT64_C(1) << 0)
#define JOULIE_NODE_VIEW_HAS_GPU_DENSITY (UINT64_C(1) << 1)
#define JOULIE_NODE_VIEW_HAS_HEADROOM (UINT64_C(1) << 2)
#define JOULIE_NODE_VIEW_HAS_COOLING (UINT64_C(1) << 3)
#define JOULIE_NODE_VIEW_HAS_PSU (UINT64_C(1) << 4)

/** One node as numbers and words, for metrics; start with JOULIE_INIT(struct joulie_cluster_node).
 * Texts live until the model is changed. */
struct joulie_cluster_node {
    size_t struct_size;
    uint64_t has; /**< JOULIE_NODE_VIEW_HAS_* */
    const char *name;
    const char *uid;       /**< of the Node object; "" = it has none */
    const char *scope;     /**< as joulie_cluster_explain() says it */
    const char *profile;   /**< decided by the last step, "" = none */
    const char *label;     /**< profile label as stored, "" = none that is a profile */
    const char *state;     /**< decided: "ActivePerformance", …; "" = none */
    const char *old_state; /**< of the NodeTwin as stored; "" = there is none */
    double cpu_density;    /**< joulie-control.md §4.5 */
    double gpu_density;
    double cpu_density_normalized; /**< W12; with JOULIE_NODE_VIEW_HAS_CPU_DENSITY */
    double headroom_score;         /**< as predicted by the last step */
    double cooling_stress_score;
    double psu_stress_score;
    int32_t is_paused;
    int32_t is_draining; /**< decided */
};

/**
 * Node number index of all Node objects, by name.
 *
 * @param out  caller's storage, written only on success
 * @retval JOULIE_OK      out is filled
 * @retval JOULIE_E_RANGE there are not so many nodes
 * @retval JOULIE_E_ABI   struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_node_at(struct joulie_cluster *cluster, size_t index,
                                      struct joulie_cluster_node *out, struct joulie_error *err);

/** The same of one node; JOULIE_E_REQUIRED: there is no Node of this name. @threads the model's
 * @since 0.1 */
JOULIE_API int joulie_cluster_node_by_name(struct joulie_cluster *cluster, const char *node_name,
                                           struct joulie_cluster_node *out,
                                           struct joulie_error *err);

/** What the last step counted; start with JOULIE_INIT(struct joulie_cluster_totals). */
struct joulie_cluster_totals {
    size_t struct_size;
    int64_t pods_performance; /**< P1's classes of the pods that P7 counts */
    int64_t pods_eco;
    int64_t pods_general;
    int64_t pods_unknown;
    double weighted_demand;    /**< P2 */
    int64_t performance_nodes; /**< of the policy, before the guard */
};

/** Fills out. JOULIE_E_ABI: struct_size is impossible. @threads the model's @since 0.1 */
JOULIE_API int joulie_cluster_totals(struct joulie_cluster *cluster,
                                     struct joulie_cluster_totals *out, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
