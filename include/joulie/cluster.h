/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_CLUSTER_H
#define JOULIE_CLUSTER_H
#pragma once

/**
 * @file
 * A cluster in memory: fed with machines, work and readings, it decides which nodes run at full
 * power, which save it, and where work fits best.
 *
 * The model has no clock, no thread and no connection. A program watches its cluster (or invents
 * one), hands everything that changes to the model, calls joulie_cluster_step() now and then, and
 * applies what was decided. A step without anything new has no actions, except that a status is
 * repeated every `twinHeartbeatS`.
 *
 * A prediction that nothing changes is not made again, and placement trusts what it finds for
 * `twinStalenessS`, five minutes. So a program that runs calls joulie_cluster_heartbeat() before
 * every step: while the program beats, what was predicted stays good for `twinMaxAgeS`. Without it
 * the machines of a quiet cluster are unknown after five minutes, and all of them score alike.
 *
 * Facts may come in any order and as often as they like; the answers depend only on what is stored
 * at the end. Everything that is handed over is copied. Rules: docs/rules/policy.md,
 * docs/rules/reconcile.md and docs/rules/placement.md.
 *
 * Two ways in, which may be mixed:
 *
 * - Any scheduler (batch system, process manager, service of your own) puts flat structs:
 *   joulie_cluster_put_machine(), joulie_cluster_put_work(); asks joulie_cluster_place(); and reads
 *   what was decided node by node: joulie_cluster_node_by_name(). No text is parsed or printed, and
 *   nothing of Kubernetes is needed.
 * - A Kubernetes operator or extender hands over object texts: joulie_cluster_put_object(); gets
 * merge patches: joulie_cluster_action_at(); and answers requests: joulie_cluster_extend().
 *
 * @code{.c}
 * // Filled by the program: struct joulie_cluster_machine machine, struct joulie_cluster_work work,
 * // struct joulie_cluster_sample sample, struct joulie_work needs. Room for answers: const char *
 * // names[capacity], struct joulie_place_columns_out columns.
 * struct joulie_cluster *cluster = NULL;
 * size_t count = 0;
 * joulie_cluster_new(NULL, 0, &cluster, &err);
 * joulie_cluster_put_machine(cluster, &machine, &err); // every machine, again when it changes
 * joulie_cluster_put_work(cluster, "user", "job-1", &work, &err);
 * joulie_cluster_put_sample(cluster, "m1", &sample, &err); // the newest power reading
 *
 * joulie_cluster_heartbeat(cluster, now_ms);
 * joulie_cluster_step(cluster, now_ms, &count, &err);
 * for (size_t i = 0; i < count; i++) {
 *     struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
 *     struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
 *     int is_done = 0;
 *     joulie_cluster_action_at(cluster, i, &action, &err);
 *     if (action.change == JOULIE_CHANGE_STATUS) // acknowledged below, all at once
 *         continue;
 *     if (action.change == JOULIE_CHANGE_RELEASE) // of a node that may be gone already
 *         is_done = give_power_caps_back(action.node_name); // functions of the program: 1 = done
 *     else if (joulie_cluster_node_by_name(cluster, action.node_name, &node, &err) == JOULIE_OK)
 *         is_done = set_power_caps(node.name, &node);
 *     joulie_cluster_action_done(cluster, action.id,
 *                                is_done ? JOULIE_OUTCOME_APPLIED : JOULIE_OUTCOME_FAILED,
 *                                &err); // what failed is offered again by the next step
 * }
 * joulie_cluster_statuses_done(cluster, &err);
 * joulie_cluster_place(cluster, &needs, now_ms, names, &columns, capacity, &count, &err);
 * joulie_cluster_free(cluster);
 * @endcode
 *
 * Costs
 * -----
 *
 * Times are those of one core of 2023. Those in brackets are figures of `./dev bench`, of 5,000 or
 * 10,000 machines; docs/benchmarks.md has what it prints.
 *
 * - put_machine, put_work, put_object and remove take 1 to 5 µs, whatever the size of the cluster;
 * text is parsed first. A machine that is put again as it is takes 0.3 µs, a sample 0.2 µs.
 * - put_facility and put_zone look at every machine when a value changes that predictions rest on.
 * - The first step of a model takes 1 to 2 µs per machine (cluster.plan.10000). A later one takes 5
 *   ns per machine, and 0.5 µs more for each that reports a new power (cluster.pod.10000,
 *   cluster.reading.10000, cluster.step.5000).
 * - With `powerOff` a step takes 0.2 µs per machine more, and 40 ns per machine for each piece of
 *   work that waits and has room; of what has room nowhere only the first of a kind.
 * - place, filter, score and extend take 20 to 40 ns per machine (cluster.place.5000), and what
 *   their text takes. place allocates nothing.
 * - node_by_name, node_at, action_at and action_done take 0.1 to 2 µs, statuses_done as much for
 *   each status. action_body takes 3 to 8 µs, for it works out and prints a patch.
 * - A beat of 5,000 machines (each put again, a sample of each, heartbeat, step, every action read,
 *   statuses_done) takes less than 15 ms (cluster.beat.5000), with the body of every action less
 *   than 50 ms (cluster.beat_bodies.5000).
 * - After a machine came, went, or changed its hardware, rack or scope, the next call that needs
 * the machines in order sorts them again, 0.4 µs each; the step after that looks at every machine.
 * - A machine takes about 4.5 KB, a piece of work 1 KB, an empty model 7 KB.
 *
 * Models share nothing: a thousand of them in one process are a thousand times one.
 */

#include <joulie/error.h>
#include <joulie/place.h>
#include <joulie/twin.h>
#include <joulie/words.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A cluster model; opaque. It belongs to one thread at a time. */
struct joulie_cluster;

/**
 * Makes an empty model.
 *
 * Settings are one JSON or YAML object, every member optional: `policy` (the member of the question
 * `plan`; its `type` is `static_partition`, `queue_aware_v1` or `rule_swap_v1`, and
 * `power_budget_v1` is a word that this build has no policy for), `powerOff` (the member of the
 * question `policy.power-off`; absent: no node is switched off, see joulie_cluster_command_at()),
 * `rackCapacityW` (50000), `racks`
 * ({name: {`capacityW`}}, of racks that differ), `clusterCapacityW`, `zones` ({name:
 * {`outsideTempC`}}, of cooling zones while nothing is read there), `twinStalenessS` (300),
 * `twinMaxAgeS` (3600), `twinHeartbeatS` (1800), `statusDeadbandScore` (2), `statusDeadbandPct`
 * (2), `powerProfileLabel`
 * ("joulie.io/power-profile"); for placement `filterStaleGraceS` (1800), `failPolicy`
 * (`last-known`, `open`, `closed`), `scoringProfile`
 * (`current`, `v0.1.1`, `legacy`), `marginalCpuUtilCoeff` (0.7), `marginalGpuUtilCoeffStandard`
 * (0.65), `marginalGpuUtilCoeffPerformance` (0.85), `enableMarginalPowerScoring` (true; of
 * `legacy`), `ledger` (false; only of `current`): see joulie_cluster_place();
 * `classifier` ({`minConfidence`, `hysteresisPct`, `windowS`, `reclassifyS`, `holdS`, `graceS`,
 * `deriveClass`, `simAnnotationFallback`, `kepler`, `namespaces`}: see
 * joulie_cluster_workloads_begin()), `scoring` (the member `profile` of the question `score`):
 * weights, limits and spread, which win over the members before.
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

/**
 * The settings of a model as one line of JSON: what joulie_cluster_new() takes, with every default
 * that holds. A model of these settings decides the same. `clusterCapacityW`, `racks`, `zones` and
 * `scoring` are there when they were given; they have no default. `scoring` is whole after
 * joulie_cluster_set_scoring().
 *
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_settings(const struct joulie_cluster *cluster, char **json,
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
 * @retval JOULIE_E_UNSUPPORTED the kind is none of the five, or the apiVersion is another
 * @retval JOULIE_E_REQUIRED the object has no name, or no spec.nodeName where it needs one
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_ENUM, JOULIE_E_RANGE, JOULIE_E_LIMIT as
 * validation finds; nothing was stored
 * @retval JOULIE_E_NOMEM memory ran out; to be stored again
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_put_object(struct joulie_cluster *cluster, const char *text,
                                         size_t len, struct joulie_error *err);

/**
 * Forgets something. What is not there is no error.
 *
 * A node that is gone takes its readings with it; its NodeTwin is deleted by an action of the next
 * step (JOULIE_CHANGE_RELEASE). "machine" forgets all of it at once: node, hardware, readings and
 * what was decided, without an action: to give back the caps of a machine that lives on is then the
 * caller's. A machine that is to be left alone is better put again with is_unmanaged, and released
 * by the next step.
 *
 * @param kind        "machine" or "work"; of objects "Node", "NodeHardware", "NodeTwin", "Pod" or
 *                    "WorkloadProfile". A Pod is a piece of work and the other way round
 * @param name_space  group of work, namespace of pods and profiles, else ignored; NULL = ""
 * @retval JOULIE_OK, JOULIE_E_UNSUPPORTED (another kind) or JOULIE_E_NOMEM
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_remove(struct joulie_cluster *cluster, const char *kind,
                                     const char *name_space, const char *name,
                                     struct joulie_error *err);

/** Bits of joulie_cluster_machine::has. */
#define JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS (1ULL << 0)
#define JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES (1ULL << 1)
#define JOULIE_CLUSTER_MACHINE_HAS_CPU_MAX (1ULL << 2)
#define JOULIE_CLUSTER_MACHINE_HAS_CPU_MIN (1ULL << 3)
#define JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT (1ULL << 4)
#define JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX (1ULL << 5)
#define JOULIE_CLUSTER_MACHINE_HAS_GPU_MIN (1ULL << 6)
#define JOULIE_CLUSTER_MACHINE_HAS_GPU_IDLE (1ULL << 7)
#define JOULIE_CLUSTER_MACHINE_HAS_BOOTED (1ULL << 8)
#define JOULIE_CLUSTER_MACHINE_HAS_POWER_SINCE (1ULL << 9)

/**
 * A machine that work runs on; start with JOULIE_INIT(struct joulie_cluster_machine).
 *
 * What has no bit, or is NULL, is looked up in the catalog by the models. A CPU model that is not
 * found there, or is not said, counts as 5 W per core: put cpu_max_w where
 * that is far off. What is then still missing is unknown. Which of them it was stands in
 * joulie_cluster_node::cpu_tdp_source.
 *
 * Texts are borrowed for the call, UTF-8, and at most 253 bytes long.
 */
struct joulie_cluster_machine {
    size_t struct_size;       /**< as the caller compiled it */
    uint64_t has;             /**< JOULIE_CLUSTER_MACHINE_HAS_* of the numbers that are set */
    const char *name;         /**< required, unique */
    const char *cpu_model;    /**< as the system says it, "AMD EPYC 9654 96-Core Processor" */
    const char *gpu_model;    /**< as the system says it; all GPUs of a machine are of one model */
    const char *rack;         /**< whose supply it shares; NULL = none */
    const char *cooling_zone; /**< of joulie_cluster_put_zone(); NULL = none */

    double cpu_sockets; /**< whole, from 1 on; unknown: 1 */
    double cpu_cores;   /**< logical CPUs of the machine, whole */
    double cpu_max_w;   /**< W per socket, highest cap */
    double cpu_min_w;   /**< W per socket, lowest cap */
    double gpu_count;   /**< whole; 0 or unknown: no GPUs */
    double gpu_max_w;   /**< W per GPU, highest cap */
    double gpu_min_w;   /**< W per GPU, lowest cap */
    double gpu_idle_w;  /**< W per GPU; counts where the catalog does not know the model */

    enum joulie_profile profile; /**< what it runs as now, for a model that decided nothing about it
                                    yet; UNKNOWN: it is not known */
    int32_t is_draining;         /**< with profile: it waits for work that needs power */
    int32_t is_unmanaged;        /**< 1: nothing is decided about it, but its rack counts it */
    int32_t is_reserved;         /**< 1: keeps what it has, for a user of its own */
    int32_t is_unschedulable;    /**< 1: keeps what it has, as nothing new may run there.
                                    joulie_cluster_place() rejects both */
    int32_t is_paused;           /**< 1: it is decided about, but nothing is to be changed on it */

    /* of switching machines off, since 0.3: see joulie_cluster_command_at() */
    int64_t booted_ms;                   /**< when it last booted, ms since 1970 */
    int64_t power_since_ms;              /**< with power_state: since when, ms since 1970 */
    enum joulie_power_state power_state; /**< as another model left it. UNKNOWN: as this one has it;
                                            else it counts when the machine is new to the model, or
                                            another one than was put before */
    enum joulie_readiness readiness;     /**< whether it answers now */
    int32_t power_failures;              /**< with power_state: in a row */
    uint32_t reserved;                   /**< must be 0 */
};

/**
 * Stores a machine, or replaces all that was put about it; readings and decisions stay.
 *
 * A machine is in scope whatever policy.nodeSelector says, and no label actions are made for it.
 *
 * @param machine  borrowed for the call
 * @retval JOULIE_OK the machine is stored
 * @retval JOULIE_E_REQUIRED it has no name, or a power_state other than ON without since when
 * @retval JOULIE_E_RANGE a number is negative, not finite or, where it counts, not whole; a flag is
 * neither 0 nor 1; a time is outside the years 0 to 9999. `where` is the member; nothing was stored
 * @retval JOULIE_E_LIMIT a text has more than 253 bytes
 * @retval JOULIE_E_PARSE a text is not UTF-8
 * @retval JOULIE_E_ENUM there is no such profile, power_state or readiness
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out; to be stored again
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_put_machine(struct joulie_cluster *cluster,
                                          const struct joulie_cluster_machine *machine,
                                          struct joulie_error *err);

/** Bit of joulie_cluster_work::has. */
#define JOULIE_CLUSTER_WORK_HAS_STARTED (1ULL << 0)

/** Whether work may be moved to another machine. */
enum joulie_movable {
    JOULIE_MOVABLE_UNKNOWN = 0,
    JOULIE_MOVABLE_YES = 1,
    JOULIE_MOVABLE_NO = 2 /**< keeps an eco machine from saving while it runs there */
};

/**
 * A job, task, process or pod; start with JOULIE_INIT(struct joulie_cluster_work).
 *
 * Work over k nodes is one object: what holds of it holds on each of them. It counts as k pieces of
 * work with the same needs would: k times as demand, on every node for its blockers and its ledger.
 */
struct joulie_cluster_work {
    size_t struct_size;              /**< as the caller compiled it */
    uint64_t has;                    /**< JOULIE_CLUSTER_WORK_HAS_* */
    const char *const *node_names;   /**< node_count names: where it runs; NULL = it waits. Borrowed
                                        for the call, as needs */
    const struct joulie_work *needs; /**< what it asks for on each node; NULL = standard work */
    int64_t started_ms;              /**< since when it draws power there, ms since 1970; unknown:
                                        not yet */
    uint32_t node_count;             /**< nodes that it runs on or waits for, at most 100,000; 0
                                        reads as 1, and with node_names is an error */
    enum joulie_level intensity;     /**< how much waiting performance work weighs: HIGH 1.5, LOW
                                        0.5, else 1 */
    enum joulie_movable movable;
    int32_t is_finished; /**< 1: it draws nothing any more */
    int32_t is_pinned;   /**< 1: belongs to its machine (a daemon): no demand, never in the way */
    uint32_t reserved;   /**< must be 0 */
};

/**
 * Stores a piece of work, or replaces what was put about it.
 *
 * Work that runs on a machine that was not put yet is kept for when it comes.
 *
 * @param group  whose it is: a user, a queue, a namespace; NULL = "". UTF-8, at most 253 bytes, as
 *               name and each of node_names
 * @param name   unique in its group
 * @param work   borrowed for the call
 * @retval JOULIE_OK the work is stored
 * @retval JOULIE_E_REQUIRED it has no name, or one of its nodes has none
 * @retval JOULIE_E_RANGE a number is negative or not finite, started_ms is outside the years 0 to
 * 9999, a flag is neither 0 nor 1, node_count is out of its bounds; nothing was stored
 * @retval JOULIE_E_LIMIT a text has more than 253 bytes
 * @retval JOULIE_E_PARSE a text is not UTF-8
 * @retval JOULIE_E_ENUM a choice that this build does not know
 * @retval JOULIE_E_ABI a struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out; to be stored again
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_put_work(struct joulie_cluster *cluster, const char *group,
                                       const char *name, const struct joulie_cluster_work *work,
                                       struct joulie_error *err);

/** Bits of joulie_cluster_sample::has. */
#define JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER (1ULL << 0)
#define JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL (1ULL << 1)
#define JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL (1ULL << 2)

/** One reading of a node; start with JOULIE_INIT(struct joulie_cluster_sample). */
struct joulie_cluster_sample {
    size_t struct_size;              /**< as the caller compiled it */
    uint64_t has;                    /**< JOULIE_CLUSTER_SAMPLE_HAS_* of the numbers that are set */
    int64_t at_ms;                   /**< when it was taken, milliseconds since 1970 */
    double node_power_w;             /**< measured at the node; 0 is a measurement */
    double cpu_util_pct;             /**< 0..100; more counts as 100 */
    double gpu_util_pct;             /**< 0..100, mean over the GPUs; more counts as 100 */
    enum joulie_power_source source; /**< where node_power_w comes from; UNKNOWN = not given */
    uint32_t reserved;               /**< must be 0 */
};

/**
 * Puts one reading of a node. A read that failed is not put: the node falls back to its
 * utilisation or its caps as soon as the last sample is older than `twinStalenessS`. The newest
 * sample counts as a whole: one without power says that there was none.
 *
 * A sample whose time is more than 5 s ahead of a step's does not count in it, as power or in the
 * trend: the one before it does, and those that come after it. Of two of them, the second hides the
 * usable one before both until another comes. Clocks of a fleet differ, and one that is set wrong
 * must not stop the readings of its node.
 *
 * @retval JOULIE_OK the reading counts from the next step on
 * @retval JOULIE_E_NOT_FOUND there is no Node of this name
 * @retval JOULIE_E_RANGE a number is negative or not finite, or at_ms is outside the years 0 to
 * 9999; `where` is the member
 * @retval JOULIE_E_ENUM there is no such source
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_put_sample(struct joulie_cluster *cluster, const char *node_name,
                                         const struct joulie_cluster_sample *sample,
                                         struct joulie_error *err);

/** Bits of joulie_cluster_facility::has. */
#define JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP (1ULL << 0)
#define JOULIE_CLUSTER_FACILITY_HAS_IT_POWER (1ULL << 1)
#define JOULIE_CLUSTER_FACILITY_HAS_COOLING_POWER (1ULL << 2)

/** Readings of the building; start with JOULIE_INIT(struct joulie_cluster_facility). */
struct joulie_cluster_facility {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t has; /**< JOULIE_CLUSTER_FACILITY_HAS_* of the numbers that are set; the others are
                     unknown */
    double outside_temp_c;  /**< 0 °C and below are temperatures */
    double it_power_w;      /**< of the whole cluster, or of the rack */
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
JOULIE_API int joulie_cluster_put_facility(struct joulie_cluster *cluster,
                                           const struct joulie_cluster_facility *facility,
                                           struct joulie_error *err);

/**
 * Replaces what is known of one cooling zone: what is known here wins, for the machines of the
 * zone, over the cluster's; what is not known here is the setting `zones`, else the cluster's.
 *
 * Of a zone only the outside temperature counts so far; the powers are kept for reports.
 *
 * @param zone_name  as machines name it (label joulie.io/cooling-zone); UTF-8, at most 253 bytes
 * @param facility   has 0 = nothing is known here any more
 * @retval JOULIE_OK the values count from the next step on, also for machines that come later
 * @retval JOULIE_E_REQUIRED the zone has no name
 * @retval JOULIE_E_RANGE a number is not finite, or a power is negative
 * @retval JOULIE_E_LIMIT the name has more than 253 bytes
 * @retval JOULIE_E_PARSE the name is not UTF-8
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_put_zone(struct joulie_cluster *cluster, const char *zone_name,
                                       const struct joulie_cluster_facility *facility,
                                       struct joulie_error *err);

/**
 * Replaces what is measured of one rack: its IT power wins over the sum of its machines, which
 * lacks what else hangs on its supply. It is an input of the PSU stress of every machine in it.
 *
 * @param rack_name  as machines name it (label joulie.io/rack); UTF-8, at most 253 bytes
 * @param facility   without JOULIE_CLUSTER_FACILITY_HAS_IT_POWER, or with 0 W, nothing is measured
 *                   there any more, and the sum counts; the temperature and the cooling power of a
 *                   rack have no effect
 * @retval JOULIE_OK the power counts from the next step on, also for machines that come later
 * @retval JOULIE_E_REQUIRED the rack has no name
 * @retval JOULIE_E_RANGE a number is not finite, or a power is negative
 * @retval JOULIE_E_LIMIT the name has more than 253 bytes
 * @retval JOULIE_E_PARSE the name is not UTF-8
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_put_rack(struct joulie_cluster *cluster, const char *rack_name,
                                       const struct joulie_cluster_facility *facility,
                                       struct joulie_error *err);

/**
 * Sets the last heartbeat: when the program that keeps the model's facts up to date, an operator or
 * this program itself, was last alive.
 *
 * A status is stored again only when it changes by more than the deadband, or after
 * `twinHeartbeatS` (30 min). Placement takes one that is older than `twinStalenessS` (5 min) for
 * unknown (JOULIE_BASIS_STALE), unless the last beat is younger than that: then it is good for
 * `twinMaxAgeS` (1 h). So beat before every step; a program that only mirrors the objects of an
 * operator passes on when that operator last renewed its lease.
 *
 * @param at_ms  milliseconds since 1970; a time outside the years 0 to 9999 is not taken
 * @threads the model's
 * @since 0.1
 */
JOULIE_API void joulie_cluster_heartbeat(struct joulie_cluster *cluster, int64_t at_ms);

/**
 * Says what the wall clock shows at a time of the program.
 *
 * A program whose now_ms follows a clock that nobody sets (CLOCK_MONOTONIC from any start within
 * the years 0 to 9999) says so before each call that takes a time, and before objects are put: the
 * stamps of objects, Leases and heartbeats are in wall time and those of samples in the program's,
 * stamps are written in wall time, and ages, dwell times and timeouts go on when the wall is set.
 * An age that cannot be, of a stamp that lies ahead or that is older than the one before it was
 * seen, counts from when it came (docs/rules/programs.md#time). Without it both times are one, as
 * in a simulation.
 *
 * @param now_ms   in the time of joulie_cluster_step()
 * @param wall_ms  milliseconds since 1970; times outside the years 0 to 9999 are not taken
 * @threads the model's
 * @since 0.3
 */
JOULIE_API void joulie_cluster_set_wall(struct joulie_cluster *cluster, int64_t now_ms,
                                        int64_t wall_ms);

/**
 * The labels of a node's Node object, as joulie_remote_profiles_resolve() takes them:
 * {"labels":{…}}.
 *
 * @param json  to be freed with joulie_free()
 * @retval JOULIE_OK *json is set
 * @retval JOULIE_E_NOT_FOUND there is no such node
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_node_labels(const struct joulie_cluster *cluster,
                                          const char *node_name, char **json,
                                          struct joulie_error *err);

/**
 * What a model that takes over has to know of the decisions before it, beside what stands in the
 * objects: of `queue_aware_v1` the number of performance nodes, and since when fewer would do
 * (docs/rules/policy.md#restarts). Keep it after each step in which it is another text, where it
 * outlives the program: it changes with the decisions, and not by time alone.
 *
 * @param json  one line of JSON, to be freed with joulie_free(); NULL = there is nothing to keep:
 *              nothing was decided yet, or the policy remembers nothing
 * @retval JOULIE_OK *json is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_save(struct joulie_cluster *cluster, char **json,
                                   struct joulie_error *err);

/**
 * Goes on from what was saved, so that the next step decides as that of the model before it would
 * have. Call it behind the objects and joulie_cluster_heartbeat() with the last beat of the program
 * before. Where that is older than `twinStalenessS`, or unknown, nobody knows that fewer nodes were
 * enough in all the time since: then that time begins anew. From then on the trend of a node that
 * was never read goes on from its stored status.
 *
 * @param text    of joulie_cluster_save(), borrowed for the call; NULL = nothing is remembered, as
 *                in a new model
 * @param now_ms  in the time of joulie_cluster_step()
 * @param err     may be NULL; says why the text does not count
 * @retval JOULIE_OK restored; after any other code everything is as before
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_ENUM, JOULIE_E_REQUIRED, JOULIE_E_RANGE,
 *         JOULIE_E_LIMIT it is no such text
 * @retval JOULIE_E_UNSUPPORTED it was saved by a release to come
 * @retval JOULIE_E_CONFLICT it was saved under another policy
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_restore(struct joulie_cluster *cluster, const char *text, size_t len,
                                      int64_t now_ms, struct joulie_error *err);

/**
 * When a program that steps at an interval should step before it: work came that needs a node at
 * full power, or room for such work has come free, since the last step. Asked after every change
 * that was handed over, it keeps such work from waiting for the interval. Early steps are at
 * multiples of 5 s since 1970: a burst of changes makes one, and a program that was started anew
 * steps when the one before it would have. Of the policies only `queue_aware_v1` decides by work
 * that waits. With `powerOff` also: work came while machines were off, or one that was switched
 * off or woken has stopped, come back or had its command.
 *
 * @param now_ms  milliseconds since 1970
 * @return now_ms or at most 5 s later; INT64_MAX: the interval is soon enough, or now_ms is outside
 *     the years 0 to 9999
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int64_t joulie_cluster_early_step_ms(const struct joulie_cluster *cluster,
                                                int64_t now_ms);

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
    JOULIE_ACTION_DELETE = 3, /**< DELETE; no body */
    JOULIE_ACTION_READ = 4    /**< GET, see joulie_cluster_workloads_decide(). @since 0.3 */
};

/** What an action changes, for a program that needs no body. */
enum joulie_change {
    JOULIE_CHANGE_UNKNOWN = 0,
    JOULIE_CHANGE_SPEC = 1, /**< profile, caps or draining of the node: to be set on the machine */
    JOULIE_CHANGE_STATUS = 2,  /**< predictions: once applied, placement rests on them */
    JOULIE_CHANGE_LABEL = 3,   /**< label of a Node object; never of a machine that was put */
    JOULIE_CHANGE_RELEASE = 4, /**< the node left the scope: what was decided goes, and the caps
                                 on the machine are to be given back. The model may not know the
                                 node any more (joulie_cluster_node_by_name()) */
    JOULIE_CHANGE_POWER = 5    /**< what is remembered of switching the node off, with its drain
                                  (docs/rules/policy.md#power-records). A program without an actuator
                                  leaves it alone. @since 0.3 */
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
    const char *reason;      /**< for a person */
    enum joulie_action_verb verb;
    enum joulie_change change;
    const char *name_space; /**< of the object; NULL: it has none. @since 0.3 */
};

/**
 * Action number index of the last step. A patch (joulie_cluster_action_body()) names only members
 * that the operator owns and that change; a member that has to go is null. The status never names
 * controlStatus, which is the agent's.
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

/**
 * The body of a request for an action of the last step, by its id: JSON, "" with DELETE. It is made
 * by this call, which programs without an API server need not pay for.
 *
 * @param out_body  lives until the next step; written only on success
 * @retval JOULIE_OK out_body is set
 * @retval JOULIE_E_RANGE the id is not one of the last step
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_action_body(struct joulie_cluster *cluster, uint64_t id,
                                          const char **out_body, struct joulie_error *err);

/** What became of an action. */
enum joulie_action_outcome {
    JOULIE_OUTCOME_UNKNOWN = 0,
    JOULIE_OUTCOME_APPLIED = 1,  /**< stored: it counts as stored until the object is put again */
    JOULIE_OUTCOME_CONFLICT = 2, /**< the object changed meanwhile: offered again */
    JOULIE_OUTCOME_FAILED = 3,   /**< anything else: offered again */
    JOULIE_OUTCOME_GONE = 4 /**< there is no such object; of joulie_cluster_workload_action_done()
                               only. @since 0.3 */
};

/**
 * Reports what became of an action of the last step. An action that is not reported is offered
 * again as well. No outcome keeps other actions from being applied. Of a machine that was removed
 * meanwhile nothing is remembered.
 *
 * A program without an API server reports APPLIED when the change is made on the machine (at once
 * for STATUS): the model is then the only memory of it, and placement sees the new predictions.
 *
 * @param outcome  what became of it
 * @retval JOULIE_OK
 * @retval JOULIE_E_RANGE the id is not one of the last step
 * @retval JOULIE_E_ENUM there is no such outcome
 * @retval JOULIE_E_NOMEM memory ran out; the action is offered again
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_action_done(struct joulie_cluster *cluster, uint64_t id,
                                          enum joulie_action_outcome outcome,
                                          struct joulie_error *err);

/** What a machine's power actuator has to do. @since 0.3 */
enum joulie_power_command {
    JOULIE_POWER_COMMAND_NONE = 0,
    JOULIE_POWER_COMMAND_SWITCH_OFF = 1,
    JOULIE_POWER_COMMAND_POWER_ON = 2
};

/** One command; start with JOULIE_INIT(struct joulie_cluster_command). Texts live until the model
 * is changed. @since 0.3 */
struct joulie_cluster_command {
    size_t struct_size;    /**< as the caller compiled it */
    uint64_t id;           /**< for joulie_cluster_command_done() */
    const char *node_name; /**< the node that it is for */
    const char *reason;    /**< why: a word of docs/rules/policy.md#power_off_v1 */
    enum joulie_power_command command;
    uint32_t reserved; /**< 0 */
};

/**
 * Command number index of those that are to be run now, by node name.
 *
 * A node is switched off in parts. A step offers the action JOULIE_CHANGE_POWER: it drains the node
 * and notes that it stops. Once that is stored, the first step 5 s later that finds no work on the
 * node lists its command SWITCH_OFF: it is drained and still empty, run it now. A command is listed
 * until it is reported, or until it must not be run any more, as work came. The node is off when
 * the command was done and its status says that it is not ready; a node that says nothing of that
 * is off when the command was done. POWER_ON is listed as soon as the note that the node is woken
 * was stored, so ask again after the actions were reported. It is listed again, under another id,
 * when the node goes down only after it was done.
 *
 * Commands outlive steps, and programs: one that was started anew gets them again. So a command has
 * to do no harm on a machine that is already where it brings it. Its id is that of one try: after a
 * failure or a time-out the model offers another note, and then a command of another id. Of two ids
 * for one node the later counts, and the earlier has to end before.
 *
 * Without the setting `powerOff` nodes that were switched off are woken. Rules:
 * docs/rules/policy.md#power_off_v1 and the section behind it.
 *
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_RANGE there are not so many commands
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_command_at(struct joulie_cluster *cluster, size_t index,
                                         struct joulie_cluster_command *out,
                                         struct joulie_error *err);

/**
 * Reports what became of a command.
 *
 * @param outcome  JOULIE_OUTCOME_APPLIED: it was run without an error; that it did what it should
 *                 is seen by the node. JOULIE_OUTCOME_FAILED: it was not, which counts as a failure
 *                 in the next step
 * @retval JOULIE_OK
 * @retval JOULIE_E_NOT_FOUND there is no such command any more, which does no harm
 * @retval JOULIE_E_ENUM another outcome
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_command_done(struct joulie_cluster *cluster, uint64_t id,
                                           enum joulie_action_outcome outcome,
                                           struct joulie_error *err);

/**
 * Takes every action of the last step that changes a status for applied, in one call: for programs
 * that keep no objects, where the model is the only memory of predictions.
 *
 * @retval JOULIE_OK placement rests on the new predictions
 * @retval JOULIE_E_NOMEM memory ran out; what was not taken is offered again
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_statuses_done(struct joulie_cluster *cluster,
                                            struct joulie_error *err);

/**
 * Begins a window of measurements for the WorkloadProfiles of the cluster.
 *
 * A program that classifies work calls, at an interval: begin; query and reply for every query;
 * decide; and applies the actions. Between begin and decide objects may come and go. Where no
 * workload is due there are no queries, and decide only looks after what is stored. Rules:
 * docs/rules/classification.md#profiles-of-a-cluster; settings: the member `classifier` of
 * joulie_cluster_new().
 *
 * @param now_ms       milliseconds since 1970, as of joulie_cluster_step()
 * @param out_queries  number of queries; written only on success
 * @retval JOULIE_OK the window has begun; what an earlier one said is forgotten
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workloads_begin(struct joulie_cluster *cluster, int64_t now_ms,
                                              size_t *out_queries, struct joulie_error *err);

/**
 * Query number index of the window: an instant query of Prometheus for all pods at once.
 *
 * @param out_word   what it is about, for a person; constant
 * @param out_query  PromQL; lives until the next begin or decide
 * @retval JOULIE_OK both are set
 * @retval JOULIE_E_RANGE the window has no such query
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workloads_query(struct joulie_cluster *cluster, size_t index,
                                              const char **out_word, const char **out_query,
                                              struct joulie_error *err);

/**
 * What Prometheus answered to a query of the window. Without an answer to each of them there is no
 * window: what is stored is then kept, see docs/rules/classification.md#what-is-written.
 *
 * @param body  borrowed for the call
 * @retval JOULIE_OK the series were taken; an empty vector is an answer
 * @retval JOULIE_E_PARSE it is no answer, and err says why
 * @retval JOULIE_E_RANGE the window has no such query
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workloads_reply(struct joulie_cluster *cluster, size_t index,
                                              int32_t http_status, const char *body, size_t len,
                                              struct joulie_error *err);

/** What a decision found; start with JOULIE_INIT(struct joulie_cluster_workloads). @since 0.3 */
struct joulie_cluster_workloads {
    size_t struct_size; /**< as the caller compiled it */
    uint64_t actions;   /**< for joulie_cluster_workload_action_at() */
    uint64_t workloads; /**< that have pods which count */
    uint64_t measured;  /**< of these: due, and classified by a whole window */
    uint64_t reliable;  /**< of these: with a stored profile of enough confidence */
    uint64_t foreign;   /**< of these: somebody else wrote a profile, which is left alone */
    uint64_t profiles;  /**< stored profiles of ours */
};

/**
 * Decides what is written of workloads: the smallest set of actions that brings the stored profiles
 * to what is known now.
 *
 * Actions of one object stand behind each other and are to be done in that order; what follows one
 * that failed is left out. READ asks for an owner of pods, of which the model needs the metadata;
 * after reads were answered, decide may be called again for the same window.
 *
 * @param out  written only on success
 * @retval JOULIE_OK the actions can be taken, until the next begin or decide
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out; nothing is offered
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workloads_decide(struct joulie_cluster *cluster, int64_t now_ms,
                                               struct joulie_cluster_workloads *out,
                                               struct joulie_error *err);

/**
 * Action number index of the last decision about workloads: as joulie_cluster_action_at(), of
 * objects with a namespace.
 *
 * @retval JOULIE_OK out is filled; its texts live until the next begin or decide
 * @retval JOULIE_E_RANGE there is no such action
 * @retval JOULIE_E_ABI struct_size is impossible
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workload_action_at(struct joulie_cluster *cluster, size_t index,
                                                 struct joulie_cluster_action *out,
                                                 struct joulie_error *err);

/**
 * The body of a request for such an action, by its id: JSON (of DELETE its options), "" = none.
 *
 * @param out_body  lives until the next begin or decide; written only on success
 * @retval JOULIE_OK out_body is set
 * @retval JOULIE_E_RANGE the id is not one of the last decision
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workload_action_body(struct joulie_cluster *cluster, uint64_t id,
                                                   const char **out_body, struct joulie_error *err);

/**
 * Reports what became of such an action. What is not reported is offered again.
 *
 * @param outcome  what became of it; a read without an answer is FAILED, which removes nothing
 * @param object   the object as the server answered it, JSON; NULL = none
 * @param len      bytes of object
 * @retval JOULIE_OK
 * @retval JOULIE_E_RANGE the id is not one of the last decision
 * @retval JOULIE_E_ENUM there is no such outcome
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT object is none
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_workload_action_done(struct joulie_cluster *cluster, uint64_t id,
                                                   enum joulie_action_outcome outcome,
                                                   const char *object, size_t len,
                                                   struct joulie_error *err);

/**
 * Which nodes a pod may use: `{"passed": [name], "failed": {name: reason}}` over every Node in name
 * order (docs/rules/placement.md).
 *
 * @param pod   a Pod, JSON or YAML; borrowed for the call
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the text is no Pod
 * @retval JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED it is one of another kind, or of another apiVersion
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999 (`where` is now), or a number of the
 * Pod is outside the range of a double
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
 * (docs/rules/placement.md).
 *
 * @param pod   a Pod, JSON or YAML; borrowed for the call
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the text is no Pod
 * @retval JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED it is one of another kind, or of another apiVersion
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999 (`where` is now), or a number of the
 * Pod is outside the range of a double
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_score(struct joulie_cluster *cluster, const char *pod, size_t len,
                                    int64_t now_ms, char **json, struct joulie_error *err);

/**
 * Where work may run and how well it fits each node: filter and scores as columns, a row per node
 * in the order of joulie_cluster_node_at() (by name). The rules, and the meaning of each column,
 * are those of joulie_place_nodes(); what is known of the nodes is the model's.
 *
 * With the setting `ledger` the work that runs on a node without being in its readings yet counts
 * as if it drew what it will (docs/rules/reconcile.md#ledger): everything unfinished that started
 * after the node was last predicted, or did not start yet. A burst then does not pile up on the
 * node that looked best before it. joulie_cluster_score() and joulie_cluster_extend() count alike;
 * what was predicted stays as it is, and so do the version rule sets.
 *
 * A machine that is_unschedulable or is_reserved (of Node objects: spec.unschedulable, the label of
 * policy.reservedLabelKey) is rejected, whatever else is known of it, since 0.2. Filter, score and
 * extend leave that to kube-scheduler, which knows what tolerates a cordon. A program that places
 * the work that a machine is reserved for ignores JOULIE_REJECT_RESERVED.
 *
 * Allocates nothing, unless a machine came, went or changed its hardware since the last call.
 *
 * @param work       borrowed for the call
 * @param now_ms     milliseconds since 1970
 * @param names      room for capacity names, which live until the model is changed; NULL = not
 *                   wanted
 * @param out        columns with room for capacity rows; NULL = only names or the count are wanted
 * @param capacity   rows that there is room for
 * @param out_count  number of nodes; may be NULL
 * @retval JOULIE_OK       every node has its answers
 * @retval JOULIE_E_LIMIT  there are more nodes than capacity (not when names and out are NULL)
 * @retval JOULIE_E_RANGE  a number of work is out of its bounds, now_ms is outside the years 0 to
 *                         9999, an output has stride 0 or is not aligned for its type
 * @retval JOULIE_E_ENUM   a choice that this build does not know
 * @retval JOULIE_E_ABI    a struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_place(struct joulie_cluster *cluster, const struct joulie_work *work,
                                    int64_t now_ms, const char **names,
                                    const struct joulie_place_columns_out *out, size_t capacity,
                                    size_t *out_count, struct joulie_error *err);

/** Verbs of joulie_cluster_extend(). */
enum joulie_extender_verb {
    JOULIE_EXTENDER_UNKNOWN = 0,
    JOULIE_EXTENDER_FILTER = 1,
    JOULIE_EXTENDER_PRIORITIZE = 2
};

/** Options of a request; start with JOULIE_INIT(struct joulie_extender_options). */
struct joulie_extender_options {
    size_t struct_size;
    int64_t now_ms;
    enum joulie_extender_verb verb;
    int32_t score_range; /**< 10 or 100; 0 = 10 */
    int32_t is_filled;   /**< 0: the caches were never filled: failPolicy decides */
    int32_t is_short;    /**< 1: what changes no decision of kube-scheduler is left out */
};

/** Bits of joulie_extender_result::invalid_annotations. */
#define JOULIE_INVALID_WORKLOAD_CLASS (1ULL << 0)
#define JOULIE_INVALID_CPU_SENSITIVITY (1ULL << 1)
#define JOULIE_INVALID_GPU_SENSITIVITY (1ULL << 2)

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
    uint64_t invalid_annotations; /**< JOULIE_INVALID_* of the pod's: not a word of their list */
    const char *pod;              /**< the pod, inside the body; not NUL-terminated */
    int64_t pod_len;
    int64_t rejected_power; /**< only with a limit of the projected power */
    int64_t rejected_off;   /**< switched off. @since 0.3 */
};

/**
 * Answers one request of kube-scheduler's extender protocol v1: ExtenderArgs in,
 * ExtenderFilterResult or HostPriorityList out. Keys are read in any case and written as the
 * protocol names them; every rejection stands in FailedAndUnresolvableNodes; full Node objects go
 * back byte for byte.
 *
 * Nodes that the model does not know are unknown, not unfit: the fail policy and the labels of the
 * request decide. Members of `settings` that it uses: `filterStaleGraceS`, `failPolicy`,
 * `scoringProfile` and the coefficients behind it. With `is_filled` 0 the fail policy `open` lets
 * every node pass, the others set `Error`; every score is then that of an unknown node.
 *
 * With `is_short` 1 scores are the points above the lowest of the request, nodes without any are
 * not named, and rejections only where no node passed (docs/rules/extender.md#short-replies).
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
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_extend(struct joulie_cluster *cluster, const char *body, size_t len,
                                     const struct joulie_extender_options *options, char **reply,
                                     struct joulie_extender_result *out, struct joulie_error *err);

/**
 * Scores go by another scoring profile from now on: the document of `joulie_cluster_new()`'s
 * `scoring`. What it leaves out is as the settings of the model say, not as the profile before it.
 * The rule set (`profileName`) can be another one only while the model holds no object, because
 * what is kept of objects depends on it.
 *
 * @param profile  JSON or YAML; borrowed for the call; NULL = that of the settings again
 * @retval JOULIE_OK  the profile is in force
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_ENUM, JOULIE_E_RANGE,
 * JOULIE_E_LIMIT the text is no profile; nothing changed
 * @retval JOULIE_E_UNSUPPORTED  it is of another version
 * @retval JOULIE_E_CONFLICT  it names another rule set, and the model holds objects
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the model's
 * @since 0.3
 */
JOULIE_API int joulie_cluster_set_scoring(struct joulie_cluster *cluster, const char *profile,
                                          size_t len, struct joulie_error *err);

/**
 * How scores come about, for a person:
 * `{"coefficients","scoringProfile","scoring","workloadClass"?,
 * "perfPressure","clusterTrendWPerMin","nodes":[…]}` over every Node in name order.
 * A node has `nodeName` and what is known of `schedulableClass`,
 * `headroom`, `coolingStress`, `measuredPowerW`, `cappedPowerW`, `nodeTdpW`, `powerTrendWPerMin`,
 * `baseScore`, `cpuTotalCores`, `cpuMaxWattsTotal`, `gpuCount`, `gpuMaxWattsPerGPU`, `hasGpu`,
 * `stale`; with a pod also `rejected`, `score`, `wire`, `basis` and, of a fresh one, `raw`,
 * `projectedHeadroom` and its `terms`, whose sum without `marginalW` is raw.
 *
 * @param pod   a Pod, JSON or YAML; borrowed for the call; NULL = none
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_LIMIT the text is no Pod
 * @retval JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED it is one of another kind, or of another apiVersion
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999 (`where` is now), or a number of the
 * Pod is outside the range of a double
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_scoring(struct joulie_cluster *cluster, const char *pod, size_t len,
                                      int64_t now_ms, char **json, struct joulie_error *err);

/**
 * Why a node is what it is, by the last step:
 * `{"nodeName","scope","paused"?,"profile"?,"draining"?,"state"?,"reasons","density", "blockers":
 * [{"namespace","name","why"}],"power"?,"spec"?,"status"?,"rack"?,"rackPowerW"?}`. scope is
 * `managed`, or what takes the node out of the plan: `unschedulable`, `reserved`, `selector`
 * (docs/rules/reconcile.md#scope). paused: the Node is
 * annotated joulie.io/paused: "true"; its spec is decided but not written, only its status is
 * written.
 *
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_NOT_FOUND there is no such Node
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_explain(struct joulie_cluster *cluster, const char *node_name,
                                      char **json, struct joulie_error *err);

/** Bits of joulie_cluster_node::has. */
#define JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY (1ULL << 0)
#define JOULIE_CLUSTER_NODE_HAS_GPU_DENSITY (1ULL << 1)
#define JOULIE_CLUSTER_NODE_HAS_HEADROOM (1ULL << 2)
#define JOULIE_CLUSTER_NODE_HAS_COOLING (1ULL << 3)
#define JOULIE_CLUSTER_NODE_HAS_PSU (1ULL << 4)
#define JOULIE_CLUSTER_NODE_HAS_CPU_CAP_PCT (1ULL << 5)
#define JOULIE_CLUSTER_NODE_HAS_CPU_CAP_W (1ULL << 6)
#define JOULIE_CLUSTER_NODE_HAS_GPU_CAP_PCT (1ULL << 7)
#define JOULIE_CLUSTER_NODE_HAS_GPU_CAP_W (1ULL << 8)
#define JOULIE_CLUSTER_NODE_HAS_NODE_POWER (1ULL << 9)
#define JOULIE_CLUSTER_NODE_HAS_NODE_CAPPED (1ULL << 10)
#define JOULIE_CLUSTER_NODE_HAS_NODE_TDP (1ULL << 11)
#define JOULIE_CLUSTER_NODE_HAS_TREND (1ULL << 12)
#define JOULIE_CLUSTER_NODE_HAS_RACK_POWER (1ULL << 13)
#define JOULIE_CLUSTER_NODE_HAS_POWER_SINCE (1ULL << 14)

/** Where the highest watts of a node's CPUs or GPUs come from. @since 0.2 */
enum joulie_tdp_source {
    JOULIE_TDP_SOURCE_UNKNOWN = 0, /**< they are not known */
    JOULIE_TDP_SOURCE_GIVEN = 1,   /**< put, or read of the hardware */
    JOULIE_TDP_SOURCE_CATALOG = 2, /**< those of the model */
    JOULIE_TDP_SOURCE_CORES = 3    /**< assumed: 5 W per core */
};

/** One node as numbers and words, as the last step decided it; start with
 * JOULIE_INIT(struct joulie_cluster_node). Texts live until the model is changed. */
struct joulie_cluster_node {
    size_t struct_size;
    uint64_t has; /**< JOULIE_CLUSTER_NODE_HAS_* */
    const char *name;
    const char *uid;       /**< of the Node object; "" = it has none */
    const char *scope;     /**< as joulie_cluster_explain() says it */
    const char *label;     /**< profile label as stored, "" = none that is a profile */
    const char *old_state; /**< of the NodeTwin as stored; "" = there is none */
    double cpu_density;    /**< docs/rules/policy.md#density */
    double gpu_density;
    double cpu_density_normalized; /**< with JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY */
    double headroom_score;         /**< as predicted by the last step */
    double cooling_stress_score;
    double psu_stress_score;
    int32_t is_paused;
    int32_t is_draining; /**< decided */

    double cpu_cap_pct; /**< decided, percent of the highest cap; no cap bit: leave the CPU alone */
    double cpu_cap_w;   /**< decided, W per package; wins over percent */
    double
        gpu_cap_pct;  /**< decided, percent of the highest cap; no cap bit: leave the GPUs alone */
    double gpu_cap_w; /**< decided, W per GPU; wins over percent */
    double node_power_w;  /**< measured, or estimated from utilisation */
    double node_capped_w; /**< what the caps allow */
    double node_tdp_w;
    double power_trend_w_per_min;
    double rack_power_w; /**< of its rack */
    double ledger_w;     /**< of work that is not in the readings yet; see joulie_cluster_place() */
    enum joulie_profile profile;       /**< decided by the last step; UNKNOWN: nothing was */
    enum joulie_node_state state;      /**< decided; UNKNOWN: nothing was */
    enum joulie_node_class node_class; /**< predicted for placement */
    enum joulie_power_tier power_tier; /**< what node_power_w and the scores rest on */
    enum joulie_tdp_source cpu_tdp_source;
    enum joulie_tdp_source gpu_tdp_source;

    /* of power_off_v1, since 0.3 */
    int64_t power_since_ms;   /**< of a state other than ON */
    int64_t power_failures;   /**< in a row */
    const char *power_reason; /**< why, of the action if there is one, else of the state: a word of
                                 docs/rules/policy.md#power_off_v1, or what cannot be read; "" =
                                 none */
    enum joulie_power_state power_state;   /**< as stored; UNKNOWN: it cannot be read */
    enum joulie_power_action power_action; /**< decided by the last step, applied or not */

    const char *rack;         /**< whose supply it shares; "" = none is known. @since 0.3 */
    const char *cooling_zone; /**< where it stands; "" = none is known. @since 0.3 */
};

/**
 * Node number index of all nodes, by name.
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

/**
 * The node of a name, as joulie_cluster_node_at() has it.
 *
 * @param out  caller's storage, written only on success
 * @retval JOULIE_OK         out is filled
 * @retval JOULIE_E_NOT_FOUND there is no node of this name
 * @retval JOULIE_E_ABI      struct_size is impossible
 * @retval JOULIE_E_NOMEM    memory ran out
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_node_by_name(struct joulie_cluster *cluster, const char *node_name,
                                           struct joulie_cluster_node *out,
                                           struct joulie_error *err);

/** What the last step counted; start with JOULIE_INIT(struct joulie_cluster_totals). */
struct joulie_cluster_totals {
    size_t struct_size;
    int64_t pods_performance; /**< classes of the pods that count as demand */
    int64_t pods_eco;
    int64_t pods_general;
    int64_t pods_unknown;
    double weighted_demand;    /**< docs/rules/policy.md#weight */
    int64_t performance_nodes; /**< of the policy, before the guard */
    int64_t ledger_entries;    /**< work that is not in the readings yet; now, without a step */
    double ledger_w;           /**< what it will draw */
};

/**
 * What the last step counted.
 *
 * @param out  caller's storage, written only on success
 * @retval JOULIE_OK    out is filled
 * @retval JOULIE_E_ABI struct_size is impossible
 * @threads the model's
 * @since 0.1
 */
JOULIE_API int joulie_cluster_get_totals(struct joulie_cluster *cluster,
                                         struct joulie_cluster_totals *out,
                                         struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
