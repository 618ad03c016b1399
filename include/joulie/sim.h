/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_SIM_H
#define JOULIE_SIM_H
#pragma once

/**
 * @file
 * A simulated cluster: machines with real power curves, a trace of jobs, and the library's own
 * operator, extender and agents on virtual time. Beside it runs the same trace on the same machines
 * without any of them, so that a saving is measured and not believed.
 *
 * Nothing here reads a clock, a file or the environment: equal inputs give equal bytes on every
 * machine. Times in seconds are virtual, from 0 at 2026-01-01T00:00:00Z. Rules:
 * docs/rules/simulation.md, docs/rules/physics.md and docs/rules/workloads.md.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A simulation; opaque. */
struct joulie_sim;

/** What to simulate; start with JOULIE_INIT(struct joulie_sim_options). Texts are borrowed for
 * joulie_sim_new(). */
struct joulie_sim_options {
    size_t struct_size;
    const char *inventory; /**< the machines, YAML or JSON (`nodes: [...]`) */
    size_t inventory_len;  /**< bytes */
    const char *trace;     /**< the jobs, one JSON object per line */
    size_t trace_len;      /**< bytes */
    const char *policy;    /**< the member `policy` of `plan`, YAML or JSON; NULL = defaults */
    size_t policy_len;     /**< bytes */
    const char *placement; /**< of the controlled run: "joulie" (NULL), or "least-allocated", "kube"
                              or "most-allocated" without the extender's scores; "efficiency":
                              most-allocated and twice the extender's profile of that name;
                              "efficiency-cost": the order of its costs, not of an external
                              simulation. @since 0.3 other words than the first two */
    const char *physics;   /**< "current" (NULL) or "v0.1.1" */
    uint64_t seed;         /**< copied to the summary; a run itself draws no random number */
    double hours;          /**< end after so many virtual hours; 0 = when all jobs have ended, at
                              the latest after ten years */
    int32_t compare;       /**< 1: also the uncontrolled run */
    int32_t is_lenient;    /**< 1: bad lines of the trace are skipped and counted */
    int32_t keeps_hours;   /**< 1: keep the hours that joulie_sim_csv("nodes") prints */
    int32_t is_external;   /**< 1: operator, extender and agents are programs of their own:
                              joulie_sim_next(). policy is not used then */
    int64_t nodes; /**< scale the inventory to so many nodes, keeping the mix; 0 = as it says */
    const char *baseline; /**< of the uncontrolled run: "least-allocated" (NULL), "kube" or
                             "most-allocated". @since 0.3 */
    double it_limit_w; /**< IT power that the plant can cool or feed: time above it is counted; 0 =
                          unknown. @since 0.3 */
    double rack_limit_w; /**< the same of each rack, the machines of one label joulie.io/rack.
                            @since 0.3 */
    const char *placement_base; /**< instead of the placement's: "least-allocated", "kube" or
                                   "most-allocated"; NULL = as the word says. @since 0.3 */
    int64_t extender_weight;    /**< of the extender's number beside it, up to 100; 0 = as the
                                   placement's word says. @since 0.3 */
    const char *scoring; /**< the extender's scoring profile, YAML or JSON; NULL = defaults. Not of
                            an external simulation. @since 0.3 */
    size_t scoring_len;  /**< bytes. @since 0.3 */
    const char *speeds;  /**< "catalog" (NULL): CPUs and GPUs are as fast as the inventory, else the
                            catalog, says; "equal": all are equally fast. @since 0.3 */
    const char *power_off; /**< settings of power_off_v1, YAML or JSON: nodes of the controlled run,
                              or of the only one, are switched off and woken; NULL = they stay on.
                              Not of an external simulation. @since 0.3 */
    size_t power_off_len;  /**< bytes. @since 0.3 */
    int32_t baseline_power_off; /**< 1: also those of the uncontrolled run beside it. @since 0.3 */
    int32_t is_uncontrolled; /**< 1: the only run is the uncontrolled one, placed by baseline: not
                                with compare, and not external. @since 0.3 */
};

/**
 * Reads the inputs and sets both runs to virtual time 0.
 *
 * @param options  borrowed for the call
 * @param out      the simulation, to be freed with joulie_sim_free(); written only on success
 * @param err      where begins with "inventory", "trace" or "policy"; line is that of the text
 * @retval JOULIE_OK            out is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_REQUIRED, JOULIE_E_ENUM,
 * JOULIE_E_RANGE, JOULIE_E_CONFLICT, JOULIE_E_LIMIT  a text is not what its format asks for
 * @retval JOULIE_E_UNSUPPORTED a policy, placement, physics set or word of speeds that this build
 *                              does not have
 * @retval JOULIE_E_NOMEM       memory ran out; everything was released
 * @retval JOULIE_E_ABI         struct_size is impossible, or a newer field is set
 * @threads any; one simulation belongs to one thread at a time
 * @since 0.1
 */
JOULIE_API int joulie_sim_new(const struct joulie_sim_options *options, struct joulie_sim **out,
                              struct joulie_error *err);

/** Frees a simulation. NULL does nothing. @threads any @since 0.1 */
JOULIE_API void joulie_sim_free(struct joulie_sim *sim);

/**
 * Lets both runs go on up to a virtual time, in seconds since the start. How often and how far this
 * is called changes no result. A run that has ended stays at its end.
 *
 * @param until_s  virtual seconds; not a number is JOULIE_E_RANGE, infinity means to the end
 * @retval JOULIE_OK both runs are there
 * @retval JOULIE_E_RANGE until_s is not a number
 * @retval JOULIE_E_CONFLICT the simulation is external: joulie_sim_next() lets its time go on
 * @retval JOULIE_E_NOMEM memory ran out; the simulation can only be freed
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_run_until(struct joulie_sim *sim, double until_s,
                                    struct joulie_error *err);

/** What an external simulation reports or asks. */
enum joulie_sim_event_kind {
    JOULIE_SIM_EVENT_UNKNOWN = 0,
    JOULIE_SIM_EVENT_POD = 1,     /**< a pod came, was bound, or has gone: text, node, is_removed */
    JOULIE_SIM_EVENT_PLACE = 2,   /**< where may this pod go? To be answered with
                                     joulie_sim_answer() */
    JOULIE_SIM_EVENT_CONTROL = 3, /**< it is the time of joulie_sim_set_control_time(): participants
                                     that step steps now */
    JOULIE_SIM_EVENT_NODE = 4 /**< a machine that was switched has stopped, or is on again: node;
                                 its state is that of joulie_sim_node_by_name(). @since 0.3 */
};

/** One event; start with JOULIE_INIT(struct joulie_sim_event). Texts live until the next call. */
struct joulie_sim_event {
    size_t struct_size;
    double time_s;          /**< virtual */
    const char *name_space; /**< of the pod */
    const char *name;       /**< of the pod */
    const char *text;       /**< the Pod as it is now, JSON with apiVersion and kind; "" when it has
                               gone */
    const char *node;       /**< that it was bound to now, or ran on until it went; "" = none */
    const char *const *candidates; /**< PLACE: nodes that have room, by name */
    size_t candidate_count;
    enum joulie_sim_event_kind kind;
    int32_t is_removed; /**< POD: 1: it has ended, and the object goes */
    int32_t is_first;   /**< POD: 1: it has just been submitted */
    int32_t is_sample;  /**< PLACE: 1: no pod of the trace: which nodes admit performance pods?
                           No score is needed */
    const char *workload_class; /**< of the pod: "performance" or "standard" */
    const char *profile; /**< POD: the WorkloadProfile about it, JSON, as a classifier that errs
                            in nothing would write it now; "" when it has gone */
};

/**
 * The next thing that an external simulation (options.is_external) reports, at a virtual time
 * up to until_s. Nothing more happens in it until an event that has to be answered was.
 *
 * Between two events the simulation goes on as far as until_s. It stops at the time of
 * joulie_sim_set_control_time() after jobs have ended and arrived, and before pods are placed:
 * there the operator, then the extender, then the agents step, and the caps that they set
 * (joulie_sim_control()) hold from that time on.
 *
 * @param until_s    virtual time, or a negative number: no limit
 * @param out        filled when there is an event
 * @param out_found  1: there is one; 0: the time until_s is reached, or the simulation has ended
 * @retval JOULIE_OK out_found is set
 * @retval JOULIE_E_CONFLICT the last event has no answer yet, or the simulation is not external
 * @retval JOULIE_E_RANGE until_s is not a number
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out; the simulation can only be freed
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_next(struct joulie_sim *sim, double until_s, struct joulie_sim_event *out,
                               int32_t *out_found, struct joulie_error *err);

/**
 * Answers JOULIE_SIM_EVENT_PLACE. The pod goes to the node with the highest total of free room and
 * 10 times wire, or waits when none passed (docs/rules/simulation.md#placement).
 *
 * @param passed  one per candidate: whether the extender's filter let it pass; NULL = all of them
 * @param wire    one per candidate: 0 to 100, what the extender's prioritize says (0 to 10 by its
 *                default range); NULL = nothing
 * @param count   must be candidate_count
 * @retval JOULIE_OK, JOULIE_E_CONFLICT (nothing was asked), JOULIE_E_RANGE (another count, or a
 * wire outside 0 to 100), JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_answer(struct joulie_sim *sim, const uint8_t *passed, const int32_t *wire,
                                 size_t count, struct joulie_error *err);

/**
 * Sets the time of the next step of operator, extender or agents, at which an external simulation
 * stops; a negative number: there is none. A time that has passed is now.
 *
 * @param admits_changed  1: what the extender's filter says may have changed since the last step:
 *                        it is asked again before pods are placed (JOULIE_SIM_EVENT_PLACE with
 *                        is_sample)
 * @retval JOULIE_OK, JOULIE_E_CONFLICT (not external), JOULIE_E_RANGE (no number)
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_set_control_time(struct joulie_sim *sim, double at_s,
                                           int32_t admits_changed, struct joulie_error *err);

/**
 * Lets time go on in an external simulation that has ended: the machines stay, without jobs, and
 * joulie_sim_next() stops at the times of joulie_sim_set_control_time() as before. A summary that
 * is asked for later counts the energy of that time, too.
 *
 * @retval JOULIE_OK time can go on; JOULIE_E_CONFLICT the simulation is not external, or not over
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_resume(struct joulie_sim *sim, struct joulie_error *err);

/** The instant (milliseconds since 1970) of a virtual time. Virtual time 0 is
 * 2026-01-01T00:00:00Z. @threads any @since 0.1 */
JOULIE_API int64_t joulie_sim_instant_ms(double time_s);

/**
 * The objects of a machine, as an API server would hold them: Node and NodeHardware as JSON.
 *
 * @param index     0 to nodes - 1, in name order
 * @param node      to be freed with joulie_free(); NULL = not wanted
 * @param hardware  to be freed with joulie_free(); NULL = not wanted
 * @retval JOULIE_OK, JOULIE_E_RANGE (no such machine), JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_objects(const struct joulie_sim *sim, size_t index, char **node,
                                  char **hardware, struct joulie_error *err);

/**
 * The present state of a machine, as JSON: the bodies of the HTTP contract
 * (docs/rules/simulator-contract.md#telemetry).
 *
 * @param node_name  NULL: all machines, what is then "jobs", "nodes" or "energy"
 * @param what  "telemetry" or "state"
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK, JOULIE_E_NOT_FOUND (no such machine), JOULIE_E_ENUM (no such body),
 * JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_body(const struct joulie_sim *sim, const char *node_name,
                               const char *what, char **json, struct joulie_error *err);

/**
 * Sets a cap of a machine of an external simulation, as the control endpoint does: `{"action":
 * "rapl.set_power_cap_watts"|"dvfs.set_throttle_pct"|"gpu.set_power_cap_watts"|"node.power_off"|
 * "node.power_on", "capWatts"?, "throttlePct"?, "capWattsPerGpu"?}`. It holds from the present
 * virtual time on, with the hardware's lag.
 *
 * @param text   the body, borrowed for the call
 * @param reply  `{"ok", "result", "node", "message", "state", "simulatedPackagePowerWatts"}`, to
 *               be freed with joulie_free(); also for an action that does not work (`blocked`,
 *               `error`)
 * @retval JOULIE_OK reply is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE the body is no such object
 * @retval JOULIE_E_NOT_FOUND there is no such machine
 * @retval JOULIE_E_CONFLICT the simulation is not external
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_control(struct joulie_sim *sim, const char *node_name, const char *text,
                                  size_t len, char **reply, struct joulie_error *err);

/**
 * Lets no new pod onto a machine of an external simulation, or lets them again, as a scheduler does
 * with a node that is cordoned. What runs there stays.
 *
 * @param is_cordoned  0: pods may go there
 * @retval JOULIE_OK, JOULIE_E_NOT_FOUND (no such machine), JOULIE_E_CONFLICT (not external)
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_cordon(struct joulie_sim *sim, const char *node_name, int32_t is_cordoned,
                                 struct joulie_error *err);

/**
 * Puts what the operator of an external simulation decided: a NodeTwin whose spec was written now.
 * It counts in the summary, and is a row of joulie_sim_csv("decisions"); nothing else comes of it.
 *
 * @param twin  NodeTwin as JSON or YAML, borrowed for the call; members that the library does not
 *              know are skipped
 * @retval JOULIE_OK
 * @retval JOULIE_E_REQUIRED there is no spec.nodeName
 * @retval JOULIE_E_NOT_FOUND there is no such machine
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_ENUM, JOULIE_E_RANGE, JOULIE_E_UNSUPPORTED,
 * JOULIE_E_LIMIT it is no NodeTwin
 * @retval JOULIE_E_CONFLICT the simulation is not external
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_put_decision(struct joulie_sim *sim, const char *twin, size_t len,
                                       struct joulie_error *err);

/** State of a simulation at its present virtual time, for a live display. Start with
 * JOULIE_INIT(struct joulie_sim_view). */
struct joulie_sim_view {
    size_t struct_size;
    double time_s;       /**< virtual */
    int32_t is_finished; /**< 1: both runs have ended */
    int32_t has_uncontrolled;
    int64_t nodes;
    int64_t nodes_performance; /**< by the last decision; the four add up to nodes */
    int64_t nodes_eco;
    int64_t nodes_draining;
    int64_t nodes_undecided;
    int64_t nodes_busy; /**< with at least one job */
    int64_t jobs;       /**< in the trace */
    int64_t submitted;
    int64_t queued;
    int64_t running;
    int64_t completed;
    int64_t failed;   /**< stalled */
    int64_t unplaced; /**< no node will ever take them */
    int64_t cores;
    int64_t gpus;
    double cores_requested; /**< by the running jobs */
    int64_t gpus_requested;
    double cpu_power_w; /**< of all nodes */
    double gpu_power_w;
    double energy_j;     /**< IT energy since the start */
    int64_t transitions; /**< changes of a node's profile or draining after the first step */
    int64_t decisions;   /**< NodeTwin specs written */
    double uncontrolled_time_s;
    double uncontrolled_power_w;
    double uncontrolled_energy_j;
    int64_t uncontrolled_queued;
    int64_t uncontrolled_running;
    int64_t uncontrolled_completed;
    double design_it_w;   /**< all CPUs and GPUs at their most: power / design_it_w is the load */
    double mean_cpu_util; /**< 0 to 1, plain mean over all nodes */
    double mean_gpu_util; /**< 0 to 1, plain mean over all nodes; those without GPUs count as 0 */
    int64_t nodes_off;    /**< off, stopping or booting */
};

/**
 * Fills a view. Reading changes nothing in the simulation.
 *
 * @param out  caller's storage, written only on success; struct_size must be set
 * @param err  details on failure, may be NULL
 * @retval JOULIE_OK, or JOULIE_E_ABI for an impossible struct_size
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_get_view(const struct joulie_sim *sim, struct joulie_sim_view *out,
                                   struct joulie_error *err);

/** One machine at the present virtual time. Start with JOULIE_INIT(struct joulie_sim_node_view). */
struct joulie_sim_node_view {
    size_t struct_size;
    const char *name; /**< lives as long as the simulation */
    const char
        *state;   /**< "performance", "eco" or "draining" by the last decision; NULL = none yet */
    int64_t jobs; /**< that run on it */
    int64_t cores;
    int64_t gpus;
    double cores_requested;
    int64_t gpus_requested;
    double cpu_power_w;
    double gpu_power_w;
    double uncontrolled_power_w; /**< CPU and GPUs of the same machine in the other run */
    double cpu_util;             /**< 0 to 1 */
    double freq_scale;           /**< frequency of the CPUs over the largest */
    double throttle_pct;         /**< of the frequency, in force, 0 to 100 */
    double cpu_target_cap_w;     /**< cap of the CPUs that was asked for */
    double cpu_cap_w;            /**< cap of the CPUs in force, within the range of RAPL */
    const char *last_action;     /**< the last joulie_sim_control(); "" = one that there is not,
                                    NULL = none yet */
    const char *last_result;     /**< what came of it: "applied", "blocked", "error" */
    const char *power_state;     /**< "on", "stopping", "off" or "booting" */
    double cpu_energy_j;         /**< since the start. @since 0.3 */
    double gpu_energy_j;         /**< since the start. @since 0.3 */
};

/**
 * Fills the view of one machine of the controlled run. Reading changes nothing in the simulation.
 *
 * @param index  from 0, machines in the order of their names (bytes)
 * @param out    caller's storage, written only on success; struct_size must be set
 * @param err    details on failure, may be NULL
 * @retval JOULIE_OK, JOULIE_E_RANGE (no such machine), or JOULIE_E_ABI for an impossible
 * struct_size
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_node_at(const struct joulie_sim *sim, size_t index,
                                  struct joulie_sim_node_view *out, struct joulie_error *err);

/**
 * The view of the machine of a name.
 *
 * @retval JOULIE_OK, JOULIE_E_NOT_FOUND (no such machine), JOULIE_E_ABI
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_node_by_name(const struct joulie_sim *sim, const char *name,
                                       struct joulie_sim_node_view *out, struct joulie_error *err);

/** One pod that runs on a machine of an external simulation, and what it has used of it since it
 * started there (docs/rules/simulation.md#use-of-a-pod). Start with JOULIE_INIT(struct
 * joulie_sim_pod_view). @since 0.3 */
struct joulie_sim_pod_view {
    size_t struct_size;
    const char *name_space;  /**< lives as long as the simulation, as the next two */
    const char *name;        /**< of the pod */
    const char *container;   /**< of its one container */
    double cpu_s;            /**< processor time: seconds of one core */
    double memory_bytes;     /**< that it works with now */
    double package_energy_j; /**< what it added to its node's, without the idle power */
    double dram_energy_j;    /**< part of what the CPUs drew that is the memory's */
    double gpu_energy_j;     /**< of its GPUs while they had work of it */
    double gpu_util;         /**< of each of its GPUs now, 0 to 1 */
    double gpu_mem_util;     /**< the same of their memory */
    int64_t first_gpu;       /**< number of its first GPU on the machine */
    int64_t gpus;
};

/**
 * Fills the view of one pod. Reading changes nothing in the simulation.
 *
 * @param node   index of the machine, as for joulie_sim_node_at()
 * @param index  from 0 to jobs of the machine, in the order in which they came
 * @param out    caller's storage, written only on success; struct_size must be set
 * @retval JOULIE_OK, JOULIE_E_RANGE (no such machine, or it has fewer pods), JOULIE_E_CONFLICT (the
 * simulation is not external), or JOULIE_E_ABI for an impossible struct_size
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_pod_at(const struct joulie_sim *sim, size_t node, size_t index,
                                 struct joulie_sim_pod_view *out, struct joulie_error *err);

/** Outside temperature of a simulated day, in degrees Celsius: a sine around base_c. period_s of 0
 * and below is a day (docs/rules/cooling.md#outside-temperature-of-a-simulation). @threads any
 * @since 0.3 */
JOULIE_API double joulie_facility_ambient_c(double base_c, double amplitude_c, double period_s,
                                            double elapsed_s);

/** PUE of the simulated plant at an outside temperature and a load, IT power relative to the
 * design, 0 to 1 (docs/rules/cooling.md#facility-pue). @threads any @since 0.3 */
JOULIE_API double joulie_facility_simulated_pue(double outside_c, double load);

/** Bits of joulie_sim_outcome::has. */
#define JOULIE_SIM_OUTCOME_HAS_MAKESPAN (1ULL << 0)
#define JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT (1ULL << 1)
#define JOULIE_SIM_OUTCOME_HAS_OVER_LIMIT (1ULL << 2)
#define JOULIE_SIM_OUTCOME_HAS_PEAK_RACK_POWER (1ULL << 3)
#define JOULIE_SIM_OUTCOME_HAS_RACK_OVER_LIMIT (1ULL << 4)

/** What one run came to so far. Start with JOULIE_INIT(struct joulie_sim_outcome). */
struct joulie_sim_outcome {
    size_t struct_size;
    uint64_t has; /**< JOULIE_SIM_OUTCOME_HAS_*; without its bit a number is unknown */
    int64_t jobs; /**< in the trace */
    int64_t completed;
    int64_t failed;
    int64_t unplaced;
    double cpu_units; /**< work done */
    double gpu_units;
    double energy_j;         /**< IT energy */
    double makespan_s;       /**< last end - first submit; unknown before a job has ended */
    double mean_wait_s;      /**< of the jobs that started; unknown before one has */
    double time_s;           /**< of this run: its end when it has ended */
    double power_w;          /**< IT power now; its machines go on with it when it has ended */
    double window_s;         /**< the later time of both runs */
    double window_energy_j;  /**< IT energy up to window_s: exactly the sum of the eight parts */
    double cpu_idle_busy_j;  /**< idle power of machines with a job */
    double cpu_idle_empty_j; /**< idle power of machines without any */
    double cpu_dynamic_j;    /**< what is above idle power */
    double cpu_off_j;        /**< machines that are off, stopping or booting */
    double gpu_idle_busy_j;
    double gpu_idle_empty_j;
    double gpu_dynamic_j;
    double gpu_off_j;
    double peak_power_w;      /**< highest IT power of this run that lasted */
    double over_limit_s;      /**< time above it_limit_w, with its bit */
    double peak_rack_power_w; /**< the same of the rack with the highest; with racks */
    double rack_over_limit_s; /**< time above rack_limit_w, summed over racks; with its bit */
    int64_t boots;            /**< of machines that had been off */
    double off_s; /**< machine-seconds stopping, off or booting, up to time_s. @since 0.3 */
};

/**
 * Fills the outcome of one run.
 *
 * @param is_uncontrolled  0: the controlled run, 1: the other
 * @param out              caller's storage, written only on success; struct_size must be set
 * @param err              details on failure, may be NULL
 * @retval JOULIE_OK, JOULIE_E_RANGE (there is no uncontrolled run), or JOULIE_E_ABI
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_get_outcome(const struct joulie_sim *sim, int32_t is_uncontrolled,
                                      struct joulie_sim_outcome *out, struct joulie_error *err);

/** What is measured of jobs. */
enum joulie_sim_measure {
    JOULIE_SIM_MEASURE_UNKNOWN = 0,
    JOULIE_SIM_MEASURE_WAIT = 1,     /**< s, submission to start, of the jobs that started */
    JOULIE_SIM_MEASURE_JOB_TIME = 2, /**< s, submission to end, of the completed jobs */
    JOULIE_SIM_MEASURE_SLOWDOWN = 3  /**< run time over the run time at the machine's full speed, of
                                        the completed jobs */
};

/** Whose jobs. */
enum joulie_sim_group {
    JOULIE_SIM_GROUP_UNKNOWN = 0,
    JOULIE_SIM_GROUP_ALL = 1,
    JOULIE_SIM_GROUP_PERFORMANCE = 2,
    JOULIE_SIM_GROUP_STANDARD = 3,
    JOULIE_SIM_GROUP_CPU = 4, /**< jobs that ask for no GPU */
    JOULIE_SIM_GROUP_GPU = 5
};

/** A measure over the jobs of a group. Start with JOULIE_INIT(struct joulie_sim_spread). */
struct joulie_sim_spread {
    size_t struct_size;
    int64_t jobs; /**< measured; 0: the other members are unknown */
    double mean;
    double p50; /**< nearest rank: the smallest that at least half of the jobs do not exceed */
    double p95;
    double p99;
    double max;
};

/**
 * Fills the spread of a measure over a group of jobs, up to the present time
 * (docs/rules/simulation.md#times-of-jobs).
 *
 * @param is_uncontrolled  0: the controlled run, 1: the other
 * @param out              caller's storage, written only on success; struct_size must be set
 * @retval JOULIE_OK       out is filled, perhaps with jobs 0
 * @retval JOULIE_E_RANGE  there is no uncontrolled run
 * @retval JOULIE_E_ENUM   there is no such measure or group
 * @retval JOULIE_E_ABI, JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.3
 */
JOULIE_API int joulie_sim_get_spread(const struct joulie_sim *sim, int32_t is_uncontrolled,
                                     enum joulie_sim_measure measure, enum joulie_sim_group group,
                                     struct joulie_sim_spread *out, struct joulie_error *err);

/**
 * Energy that control saved, in percent of the uncontrolled run's; negative when it cost some.
 * Both are counted up to the later end of the two, machines idle in the run that ended first; with
 * the physics v0.1.1 each up to its own end (docs/rules/simulation.md#saving).
 *
 * @param out_pct  written only on success
 * @param err      may be NULL; message says why there is none
 * @retval JOULIE_OK           out_pct is filled
 * @retval JOULIE_E_CONFLICT   the runs cannot be compared: unequal work, jobs left over, or only
 *                             one of them
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_saving(const struct joulie_sim *sim, double *out_pct,
                                 struct joulie_error *err);

/**
 * The summary as one JSON object: nodes, podsSubmitted, podsCompleted, workUnitsDone, itEnergyKwh,
 * savedPct or savedPctReason, makespanS, meanWaitS, transitions, capOvershootPctP99, decisions,
 * seed, simulatedS, windowS, energyJ, families, peakPowerW, waitS, jobTimeS, slowdown and, where
 * they apply, overLimitS, peakRackPowerW, rackOverLimitS. Of the present time when the simulation
 * has not ended.
 *
 * @param json  to be freed with joulie_free()
 * @retval JOULIE_OK or JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_summary(const struct joulie_sim *sim, char **json,
                                  struct joulie_error *err);

/**
 * A table as CSV with a header line: "nodes" (one row per run, node and hour; needs keeps_hours),
 * "jobs" (one row per job, both runs side by side), "families" (one row per run and entry of the
 * inventory: energy in parts) or "decisions" (one row per NodeTwin spec that was written, by time
 * and node).
 *
 * @param csv  to be freed with joulie_free()
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED (no such table) or JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_csv(const struct joulie_sim *sim, const char *table, char **csv,
                              struct joulie_error *err);

/**
 * The hardware model that each entry of the inventory came to, as a JSON array in the order of the
 * inventory: {"cpu","gpu"?, "nodes","curve"?,"assumed"?,"model"}: curve is the family whose
 * measured power curve is used, by TDP where it is another one; assumed lists the figures that the
 * catalog only assumes ("cpu.curve", "gpu.capLaw", ...), without physics "v0.1.1"; model has the
 * keys of the question physics.profile.
 *
 * @param json  to be freed with joulie_free()
 * @retval JOULIE_OK or JOULIE_E_NOMEM
 * @threads the simulation's
 * @since 0.1
 */
JOULIE_API int joulie_sim_models(const struct joulie_sim *sim, char **json,
                                 struct joulie_error *err);

/** Bits of joulie_workload_options::has; what has no bit has its default. */
#define JOULIE_WORKLOAD_HAS_JOBS (1ULL << 0)
#define JOULIE_WORKLOAD_HAS_HOURS (1ULL << 1)
#define JOULIE_WORKLOAD_HAS_SEED (1ULL << 2)
#define JOULIE_WORKLOAD_HAS_MAX_DURATION (1ULL << 3)
#define JOULIE_WORKLOAD_HAS_PERF_RATIO (1ULL << 4)
#define JOULIE_WORKLOAD_HAS_GPU_RATIO (1ULL << 5)
#define JOULIE_WORKLOAD_HAS_AMD_RATIO (1ULL << 6)
#define JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL (1ULL << 7)
#define JOULIE_WORKLOAD_HAS_PEAK_RATE (1ULL << 8)
#define JOULIE_WORKLOAD_HAS_BURST_PROB (1ULL << 9)
#define JOULIE_WORKLOAD_HAS_BURST_MIN (1ULL << 10)
#define JOULIE_WORKLOAD_HAS_BURST_MAX (1ULL << 11)
#define JOULIE_WORKLOAD_HAS_MIN_GPUS (1ULL << 12)
#define JOULIE_WORKLOAD_HAS_WORK_SCALE (1ULL << 13)
#define JOULIE_WORKLOAD_HAS_BASE_SPEED (1ULL << 14)
#define JOULIE_WORKLOAD_HAS_RECORDS (1ULL << 15)
#define JOULIE_WORKLOAD_HAS_TRAINING_PERF_RATIO (1ULL << 16)
#define JOULIE_WORKLOAD_HAS_NODES (1ULL << 17)
#define JOULIE_WORKLOAD_HAS_LOAD (1ULL << 18)

/** What trace to make; start with JOULIE_INIT(struct joulie_workload_options). */
struct joulie_workload_options {
    size_t struct_size;
    uint64_t has;           /**< JOULIE_WORKLOAD_HAS_* */
    const char *mode;       /**< "default" (NULL): families; "diurnal": the rate follows the day */
    const char *name_space; /**< of the pods; NULL = "default" */
    int64_t jobs;           /**< job records; default mode 50, diurnal: no limit */
    double hours;           /**< default mode: spread the jobs over so many; diurnal 48 */
    uint64_t seed;          /**< 1 */
    double max_duration_s;  /**< longest duration of a job; no limit */
    double perf_ratio;      /**< 0.30: performance jobs, before the boost of compute-bound ones */
    double gpu_ratio;       /**< 0.80 */
    double amd_ratio;       /**< 0: share of the GPU jobs that ask for amd.com/gpu */
    double mean_inter_arrival_s; /**< 5, default mode without hours */
    double peak_rate_per_min;    /**< 80, diurnal */
    double burst_prob;           /**< 0.10, diurnal */
    int64_t burst_min;           /**< 20, diurnal */
    int64_t burst_max;           /**< 80, diurnal */
    int64_t min_gpus;            /**< 0, diurnal: fewest GPUs of a GPU job */
    double work_scale;           /**< 1, diurnal */
    double base_speed;           /**< 2 units per core and second, diurnal */
    int32_t has_records;         /**< 1: also records of type workload */
    uint32_t reserved;           /**< must be 0 */
    double training_perf_ratio;  /**< 1, diurnal: performance jobs among those of training.
                                    @since 0.3 */
    const char *inventory;       /**< diurnal: machines that the jobs are for, YAML or JSON; NULL =
                                    unknown. Without amd_ratio jobs then ask for AMD GPUs by the share
                                    of those that take jobs of their size. @since 0.3 */
    size_t inventory_len;        /**< bytes */
    int64_t nodes; /**< scale the inventory to so many nodes; 0 = as it says. @since 0.3 */
    double load; /**< instead of peak_rate_per_min: mean allocation of the scarcest resource of the
                    inventory, 0 to 2. @since 0.3 */
};

/**
 * Makes a trace, as JSON lines.
 *
 * @param trace  to be freed with joulie_free()
 * @param err    where is the option's name, or begins with "inventory: "; line is that of the text
 * @retval JOULIE_OK, JOULIE_E_RANGE, JOULIE_E_REQUIRED, JOULIE_E_CONFLICT, JOULIE_E_UNSUPPORTED
 * (mode), JOULIE_E_NOMEM, JOULIE_E_ABI
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_ENUM, JOULIE_E_LIMIT
 * the inventory is not what its format asks for
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_workload_generate(const struct joulie_workload_options *options, char **trace,
                                        struct joulie_error *err);

/**
 * What a trace holds, as one JSON object: counts, classes, work and span.
 *
 * @param is_lenient  1: bad lines are skipped and counted
 * @param json        to be freed with joulie_free()
 * @retval JOULIE_OK, the codes of a bad line as joulie_sim_new(), JOULIE_E_NOMEM
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_workload_inspect(const char *trace, size_t len, int32_t is_lenient,
                                       char **json, struct joulie_error *err);

/** Bits of joulie_autoscale_sim_options::has; what has no bit has its default. */
#define JOULIE_AUTOSCALE_SIM_HAS_HOURS (1ULL << 0)
#define JOULIE_AUTOSCALE_SIM_HAS_SEED (1ULL << 1)
#define JOULIE_AUTOSCALE_SIM_HAS_SEEDS (1ULL << 2)
#define JOULIE_AUTOSCALE_SIM_HAS_CARDS (1ULL << 3)
#define JOULIE_AUTOSCALE_SIM_HAS_CARD_TFLOPS (1ULL << 4)
#define JOULIE_AUTOSCALE_SIM_HAS_CARD_VRAM (1ULL << 5)
#define JOULIE_AUTOSCALE_SIM_HAS_START_DELAY (1ULL << 6)

/** How to compare autoscalers; start with JOULIE_INIT(struct joulie_autoscale_sim_options). Texts
 * are borrowed for the call. */
struct joulie_autoscale_sim_options {
    size_t struct_size;
    uint64_t has;         /**< JOULIE_AUTOSCALE_SIM_HAS_* */
    const char *workload; /**< "bursty" (NULL), "diurnal", "ramp" or "step"; not with a trace */
    const char *trace;    /**< recorded usage, or NULL: CSV with the columns t, worker, tflops, vram
                               and perhaps limit, throttled, oom; or JSON lines with worker, t,
                               tflops, vram and perhaps tflopsLimit, throttledCount, oomCount */
    size_t trace_len;     /**< bytes */
    const char *profile;  /**< WorkloadProfile or TensorFusionWorkload, JSON or YAML; NULL = one
                               with every layer on and the defaults of each */
    size_t profile_len;   /**< bytes */
    const char *source_profile; /**< for v2.17.1; NULL = what profile converts to, and without
                                     profile the defaults that the source ships */
    size_t source_profile_len;  /**< bytes */
    double hours;               /**< 24: of generated demand; a trace lasts as long as it does */
    uint64_t seed;              /**< 1: the first; the others follow it */
    int64_t seeds;              /**< 10; a trace is played once */
    int64_t cards;              /**< 8: GPUs that the workers can be put on */
    double card_tflops;         /**< 312 */
    double card_vram_bytes;     /**< 80 GiB */
    double start_delay_s;       /**< 60: from the start of a worker until it serves, at least 10 */
    int32_t keeps_series;       /**< 1: also the course of every run */
    uint32_t reserved;          /**< must be 0 */
};

/**
 * Plays the same demand against three ways to size a workload on shared GPUs: amounts and replicas
 * as the profile says (`static`), the source's algorithm (`v2.17.1`) and ours (`current`).
 *
 * The loop is closed: a worker uses what it is asked for up to its limit, a worker whose memory
 * goes beyond its limit is killed and starts again, a new worker serves after the start delay, and
 * what one autoscaler sees follows from its own decisions. Per run: the demand that was not served,
 * kills, amounts allocated, cost, changes; over the seeds: means and differences between the ways
 * on the same demand, with 95 % intervals of Student's t.
 *
 * Pure: equal options give equal bytes on every machine.
 *
 * @param json  one object, to be freed with joulie_free(): workload, hours, world, runs, means,
 *              differences, conditions, series
 * @param err   where is the option's name, or begins with "trace" ("trace line 7: vram"),
 *              "profile" or "sourceProfile"; line is that of the text
 * @retval JOULIE_OK            json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_REQUIRED, JOULIE_E_ENUM,
 * JOULIE_E_RANGE, JOULIE_E_CONFLICT, JOULIE_E_LIMIT  a text or a number is not what it should be
 * @retval JOULIE_E_UNSUPPORTED a workload that this build does not have, or more than one GPU per
 *                              worker
 * @retval JOULIE_E_NOMEM       memory ran out; everything was released
 * @retval JOULIE_E_ABI         struct_size is impossible, or a newer field is set
 * @threads any
 * @since 0.2
 */
JOULIE_API int joulie_simulate_autoscale(const struct joulie_autoscale_sim_options *options,
                                         char **json, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
