/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Thread profiles, schema version 1: which threads of a program form a group, and how each group is
 * treated. No kind of Kubernetes: a document of its own. Rules:
 * docs/rules/threads.md#profiles.
 */

#include <stddef.h>

#include "kinds/tier.h"
#include "schema/row.h"

enum jl_treatment {
    JL_TREATMENT_UNKNOWN,
    JL_TREATMENT_EXCLUSIVE, /* cores of their own */
    JL_TREATMENT_LATENCY,   /* wake at once */
    JL_TREATMENT_YIELD,     /* after the others */
    JL_TREATMENT_NORMAL,    /* as they are */
};

/* What a thread does, by how it runs. */
enum jl_thread_role {
    JL_THREAD_UNKNOWN,
    JL_THREAD_SYNC_COMPUTE,
    JL_THREAD_LATENCY_CRITICAL,
    JL_THREAD_IO_WAKE_CHAIN,
    JL_THREAD_SPORADIC,
};

enum jl_image_and_exe { JL_ANY_OF_UNKNOWN, JL_ANY_OF, JL_ALL_OF };

enum jl_thread_rank {
    JL_RANK_UNKNOWN,
    JL_RANK_CPU_TIME,
    JL_RANK_WAKE_RATE,
    JL_RANK_TID,
};

enum jl_thread_overflow { JL_OVERFLOW_UNKNOWN, JL_OVERFLOW_NEXT, JL_OVERFLOW_NORMAL };

enum jl_thread_smt { JL_SMT_UNKNOWN, JL_SMT_ISOLATE, JL_SMT_SHARE };

enum jl_thread_pin { JL_PIN_UNKNOWN, JL_PIN_GROUP, JL_PIN_PER_THREAD };

enum jl_yield_policy { JL_YIELD_UNKNOWN, JL_YIELD_BATCH, JL_YIELD_IDLE };

enum jl_thread_numa { JL_NUMA_UNKNOWN, JL_NUMA_ANY, JL_NUMA_LOCAL };

enum jl_direction { JL_DIRECTION_UNKNOWN, JL_DIRECTION_LOWER, JL_DIRECTION_HIGHER };

enum jl_program_kind {
    JL_PROGRAM_UNKNOWN,
    JL_PROGRAM_OLTP_DB,
    JL_PROGRAM_KV_CACHE,
    JL_PROGRAM_JVM_SERVICE,
    JL_PROGRAM_PROXY,
    JL_PROGRAM_ML_TRAINING,
    JL_PROGRAM_ML_INFERENCE,
    JL_PROGRAM_LLM_INFERENCE,
    JL_PROGRAM_MEDIA_TRANSCODE,
    JL_PROGRAM_CONSENSUS_STORE,
    JL_PROGRAM_BATCH,
    JL_PROGRAM_GENERIC,
};

#define JL_CORES_AUTO (-1) /* as many as there are busy threads */

extern const struct jl_words jl_treatment_words;
extern const struct jl_words jl_thread_role_words;
extern const struct jl_words jl_image_and_exe_words;
extern const struct jl_words jl_thread_rank_words;
extern const struct jl_words jl_thread_overflow_words;
extern const struct jl_words jl_thread_smt_words;
extern const struct jl_words jl_thread_pin_words;
extern const struct jl_words jl_yield_policy_words;
extern const struct jl_words jl_thread_numa_words;
extern const struct jl_words jl_direction_words;
extern const struct jl_words jl_program_kind_words;
extern const struct jl_words jl_cores_words;

#ifdef JL_THREAD_PROFILE_TABLES
#define RECORD_TABLES
#endif

/* Keys that begin with x_ are anybody's: they are kept and mean nothing. */
#define OWN_KEYS HOLDS(struct jl_extra *, extras)
#define WITH_OWN_KEYS(record) .extra_prefix = "x_", .extras_at = offsetof(struct record, extras)

#define RECORD jl_fingerprint
#define MEMBERS                                                                                   \
    OWN_KEYS                                                                                      \
    STRINGS(images, "images", "Patterns of images, any of which may match.")                      \
    STRINGS(exe, "exe", "Globs of the file names of its programs, any of which may match.")       \
    MAP(labels, "labels", "Labels of the pod that must all be equal.")                            \
    STRINGS(annotation_ids, "annotation_ids", "Other ids by which an annotation may ask for it.") \
    INTEGER(priority, "priority", "The larger one wins a tie.", BETWEEN(-1000, 1000), DEFAULT(0)) \
    ENUM(match, "match", jl_image_and_exe, jl_image_and_exe_words,                                \
         "Whether images or exe is enough (any), or both must match (all).", DEFAULT(JL_ANY_OF))  \
    BOOLEAN(annotation_only, "annotation_only", "Only an annotation selects it.", DEFAULT(0))
#define ABOUT WITH_OWN_KEYS(jl_fingerprint)
#include "schema/shared_record.h"

#define RECORD jl_machine_shape
#define MEMBERS                                                                    \
    OWN_KEYS                                                                       \
    RANGE(logical_cpus, "logical_cpus", "CPUs that are online.", AT_LEAST(1))      \
    RANGE(physical_cores, "physical_cores", "Cores that are online.", AT_LEAST(1)) \
    RANGE(sockets, "sockets", "Sockets.", AT_LEAST(1))                             \
    RANGE(numa_nodes, "numa_nodes", "NUMA nodes.", AT_LEAST(1))                    \
    RANGE(llcs, "llcs", "Last-level caches.", AT_LEAST(1))                         \
    RANGE(smt, "smt", "Threads per core.", BETWEEN(1, 8))                          \
    STRING(arch, "arch", "Architecture, as uname -m has it.")                      \
    STRING(cpu_vendor, "cpu_vendor", "Vendor, as /proc/cpuinfo has it.")           \
    STRING(cpu_model, "cpu_model", "Glob of the model name of /proc/cpuinfo.")     \
    BOOLEAN(hybrid, "hybrid", "Whether its cores are of more than one kind.")
#define ABOUT WITH_OWN_KEYS(jl_machine_shape)
#include "schema/shared_record.h"

#define RECORD jl_thread_metric
#define MEMBERS                                                                                 \
    OWN_KEYS                                                                                    \
    STRING(name, "name", "Name of the metric.", REQUIRED)                                       \
    ENUM(direction, "direction", jl_direction, jl_direction_words, "What is better.", REQUIRED) \
    STRING(unit, "unit", "Its unit.")
#define ABOUT WITH_OWN_KEYS(jl_thread_metric)
#include "schema/shared_record.h"

#define RECORD jl_thread_traits
#define MEMBERS                                                                                    \
    OWN_KEYS                                                                                       \
    ENUM(kind, "kind", jl_program_kind, jl_program_kind_words, "What kind of program it is.",      \
         DEFAULT(JL_PROGRAM_GENERIC))                                                              \
    BOOLEAN(latency_sensitive, "latency_sensitive", "Somebody waits for its answers.", DEFAULT(0)) \
    BOOLEAN(throughput_sensitive, "throughput_sensitive", "What counts is how much it does.",      \
            DEFAULT(0))                                                                            \
    BOOLEAN(gpu_fed, "gpu_fed", "It feeds a GPU.", DEFAULT(0))                                     \
    BOOLEAN(spin_wait, "spin_wait", "Its threads wait busily: never two of them on one core.",     \
            DEFAULT(0))                                                                            \
    BOOLEAN(self_affinity, "self_affinity", "Its own affinity may be overwritten.", DEFAULT(0))    \
    ENUM(numa, "numa", jl_thread_numa, jl_thread_numa_words, "Where its memory should be.",        \
         DEFAULT(JL_NUMA_ANY))                                                                     \
    ENUM(min_tier, "min_tier", jl_tier, jl_tier_words,                                             \
         "Lowest tier of a pod that gets cores of its own.", DEFAULT(JL_TIER_HIGH))                \
    OBJECT(metric, "metric", jl_thread_metric, "What training improves.")
#define ABOUT WITH_OWN_KEYS(jl_thread_traits)
#include "schema/shared_record.h"

#define RECORD jl_thread_match
#define MEMBERS                                                                          \
    OWN_KEYS                                                                             \
    STRINGS(comm, "comm", "Globs of the name of the thread.")                            \
    STRINGS(prefix, "prefix", "What its name begins with.")                              \
    STRINGS(comm_regex, "comm_regex", "Extended regular expressions found in its name.") \
    STRINGS(exclude_comm, "exclude_comm", "Globs of names that are left out.")           \
    STRINGS(cmdline, "cmdline", "Globs of the title of its process.")                    \
    STRINGS(exe, "exe", "Globs of the file name of its program.")                        \
    STRING(container, "container", "Glob of the container in its pod.")                  \
    STRING(cgroup, "cgroup", "Glob of the path below the container's control group.")    \
    BOOLEAN(main_thread, "main_thread", "Whether it is the first of its process.")       \
    BOOLEAN(gpu_user, "gpu_user", "Whether its process has a GPU open.")                 \
    WORD_LIST(role, "role", jl_thread_role_words, "What it does.")                       \
    INTEGER(max_threads, "max_threads", "At most that many, the best ones; 0 = all.",    \
            NOT_NEGATIVE, DEFAULT(0))                                                    \
    ENUM(rank_by, "rank_by", jl_thread_rank, jl_thread_rank_words,                       \
         "Which are the best for max_threads.", DEFAULT(JL_RANK_CPU_TIME))               \
    ENUM(overflow, "overflow", jl_thread_overflow, jl_thread_overflow_words,             \
         "Whether the others go on to later groups.", DEFAULT(JL_OVERFLOW_NEXT))         \
    INTEGER(min_threads, "min_threads", "Fewer threads make no group.", NOT_NEGATIVE, DEFAULT(0))
#define ABOUT WITH_OWN_KEYS(jl_thread_match)
#include "schema/shared_record.h"

#define RECORD jl_exclusive
#define MEMBERS                                                                               \
    OWN_KEYS                                                                                  \
    INTEGER_OR(cores, "cores", jl_cores_words, "Cores wanted, or auto: by busy threads.",     \
               AT_LEAST(1), DEFAULT(JL_CORES_AUTO))                                           \
    INTEGER(min_cores, "min_cores", "Fewer are not worth it.", AT_LEAST(1), DEFAULT(1))       \
    INTEGER(max_cores, "max_cores", "Not more; 0 = the budget.", NOT_NEGATIVE, DEFAULT(0))    \
    ENUM(smt, "smt", jl_thread_smt, jl_thread_smt_words, "Whether siblings stay idle.",       \
         DEFAULT(JL_SMT_ISOLATE))                                                             \
    ENUM(pin, "pin", jl_thread_pin, jl_thread_pin_words, "Whether each thread has one core.", \
         DEFAULT(JL_PIN_GROUP))                                                               \
    BOOLEAN(preempt, "preempt", "Whether they evict others.", DEFAULT(1))                     \
    INTEGER(slice_us, "slice_us", "Time slice, µs.", BETWEEN(500, 100000), DEFAULT(5000))     \
    INTEGER(nice, "nice", "Nice value.", BETWEEN(-20, 0), DEFAULT(-5))
#define ABOUT WITH_OWN_KEYS(jl_exclusive)
#include "schema/shared_record.h"

#define RECORD jl_latency
#define MEMBERS                                                                                \
    OWN_KEYS                                                                                   \
    INTEGER(slice_us, "slice_us", "Time slice under scx_layered, µs.", BETWEEN(500, 100000),   \
            DEFAULT(3000))                                                                     \
    INTEGER(eevdf_slice_us, "eevdf_slice_us", "Time slice of the kernel's own scheduler, µs.", \
            BETWEEN(100, 100000), DEFAULT(1000))                                               \
    BOOLEAN(preempt, "preempt", "Whether they evict others.", DEFAULT(1))                      \
    INTEGER(nice, "nice", "Nice value.", BETWEEN(-20, 0), DEFAULT(-5))                         \
    INTEGER(uclamp_min, "uclamp_min", "Least utilization that clocks are chosen for.",         \
            BETWEEN(0, 1024), DEFAULT(0))                                                      \
    BOOLEAN(spread, "spread", "One thread per core.", DEFAULT(0))
#define ABOUT WITH_OWN_KEYS(jl_latency)
#include "schema/shared_record.h"

#define RECORD jl_yield
#define MEMBERS                                                                              \
    OWN_KEYS                                                                                 \
    ENUM(policy, "policy", jl_yield_policy, jl_yield_policy_words, "Scheduling policy.",     \
         DEFAULT(JL_YIELD_BATCH))                                                            \
    INTEGER(nice, "nice", "Nice value.", BETWEEN(0, 19), DEFAULT(10))                        \
    INTEGER(slice_us, "slice_us", "Time slice under scx_layered, µs.", BETWEEN(500, 100000), \
            DEFAULT(5000))                                                                   \
    INTEGER(uclamp_max, "uclamp_max", "Most utilization that clocks are chosen for.",        \
            BETWEEN(0, 1024), DEFAULT(1024))                                                 \
    INTEGER(max_cpus, "max_cpus", "CPUs at most; 0 = all.", NOT_NEGATIVE, DEFAULT(0))
#define ABOUT WITH_OWN_KEYS(jl_yield)
#include "schema/shared_record.h"

#define RECORD jl_thread_group
#define MEMBERS                                                                                    \
    OWN_KEYS                                                                                       \
    STRING(name, "name", "Name of the group.", REQUIRED)                                           \
    ENUM(treatment, "treatment", jl_treatment, jl_treatment_words, "How its threads are treated.", \
         REQUIRED)                                                                                 \
    OBJECT(match, "match", jl_thread_match, "Which threads: all of these must hold.", REQUIRED)    \
    OBJECT(exclusive, "exclusive", jl_exclusive, "Details of treatment exclusive.")                \
    OBJECT(latency, "latency", jl_latency, "Details of treatment latency.")                        \
    OBJECT(yield, "yield", jl_yield, "Details of treatment yield.")
#define ABOUT WITH_OWN_KEYS(jl_thread_group)
#include "schema/shared_record.h"

#define RECORD jl_provenance
#define MEMBERS                                                              \
    OWN_KEYS                                                                 \
    STRING(tool, "tool", "Program that wrote the profile.")                  \
    STRING(tool_version, "tool_version", "Its version.")                     \
    STRING(kernel, "kernel", "Kernel that it was trained on.")               \
    STRING(captured_at, "captured_at", "When, RFC 3339.")                    \
    NUMBER(trace_seconds, "trace_seconds", "Length of the trace, s.")        \
    NUMBER(coverage, "coverage", "Share of its switches that fit together.") \
    INTEGER(seed, "seed", "Seed of the clustering.")                         \
    INTEGER(pairs, "pairs", "Pairs of runs that were compared.")             \
    NUMBER(gain, "gain", "Gain that was measured, as a share.")              \
    NUMBER(p_value, "p_value", "Chance of it without an effect.")            \
    STRING(baseline, "baseline", "What it was compared with.")
#define ABOUT WITH_OWN_KEYS(jl_provenance)
#include "schema/shared_record.h"

#define RECORD jl_thread_profile
#define MEMBERS                                                                                    \
    OWN_KEYS                                                                                       \
    INTEGER(schema_version, "schema_version", "Version of the schema: 1.", REQUIRED,               \
            BETWEEN(1, 1))                                                                         \
    STRING(id, "id", "Name of the profile.", REQUIRED)                                             \
    INTEGER(revision, "revision", "The higher one wins a tie.", NOT_NEGATIVE, DEFAULT(0))          \
    STRING(description, "description", "What it is about.", DEFAULT(0))                            \
    BOOLEAN(enabled, "enabled", "false: the built-in profile of this id is not used.", DEFAULT(1)) \
    OBJECT(fingerprint, "fingerprint", jl_fingerprint, "What it is recognised by.", REQUIRED)      \
    OBJECT(machine_shape, "machine_shape", jl_machine_shape, "Machines that it is for.")           \
    OBJECT(traits, "traits", jl_thread_traits, "What kind of program it is for.")                  \
    LIST(groups, "thread_groups", jl_thread_group, "Groups, in the order of matching.", REQUIRED)  \
    OBJECT(provenance, "provenance", jl_provenance, "Where it comes from; never interpreted.")
#define ABOUT WITH_OWN_KEYS(jl_thread_profile), .doc = "How the threads of a program are treated."
#include "schema/shared_record.h"

#undef WITH_OWN_KEYS
#undef OWN_KEYS
#undef RECORD_TABLES
