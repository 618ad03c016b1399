/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_NODE_H
#define JOULIE_NODE_H
#pragma once

/**
 * @file
 * What a node's agent decides: from the node's parts and its NodeTwin to the limits that have to be
 * written, in order; then from what was read back to the report.
 *
 * The handle has no clock, no file and no driver. An agent (or a site's own cap tool) reads the
 * limits in force, calls joulie_node_step(), makes the writes one after the other as they are
 * numbered, hands over what reads back, and stores the report as the NodeTwin's
 * status.controlStatus. Writes that lower a limit come first, so that the sum of the limits never
 * passes the larger of before and after. A spec that is gone, or stale for too long, gives
 * back the limits from before the first write. Rules: docs/rules/node-agent.md.
 *
 * @code{.c}
 * joulie_node_new(&options, &node, &err);
 * joulie_node_put_hardware(node, hardware_text, hardware_len, &err);
 * joulie_node_put_twin(node, twin_text, twin_len, &err); // again whenever it changes
 * joulie_node_put_reading(node, &reading, &err);         // of every package and GPU
 * joulie_node_step(node, now_ms, &count, &err);
 * for (size_t i = 0; i < count; i++) {
 *     struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
 *     joulie_node_write_at(node, i, &write, &err);
 *     joulie_node_put_reading(node, apply_and_read(&write), &err);
 * }
 * joulie_node_report(node, &json, &err); // status.controlStatus
 * joulie_free(json);
 * joulie_node_free(node);
 * @endcode
 *
 * Everything that is handed over is copied.
 */

#include <joulie/error.h>
#include <joulie/v1alpha1.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an agent knows of its node; opaque. It belongs to one thread at a time. */
struct joulie_node;

/** Bits of joulie_node_options::has. */
#define JOULIE_NODE_HAS_FLOOR (1ULL << 0)
#define JOULIE_NODE_HAS_SPEC_READ_TIMEOUT (1ULL << 1)
#define JOULIE_NODE_HAS_STALENESS (1ULL << 2)
#define JOULIE_NODE_HAS_MAX_AGE (1ULL << 3)

/** How the agent is set up; start with JOULIE_INIT(struct joulie_node_options). Texts are borrowed
 * for joulie_node_new(). */
struct joulie_node_options {
    size_t struct_size;           /**< as the caller compiled it */
    uint64_t has;                 /**< JOULIE_NODE_HAS_* of the numbers that are set */
    double floor_pct;             /**< lowest cap of a package, percent of its maximum; default 30,
                                     0 = none */
    int64_t spec_read_timeout_ms; /**< how long a stale spec stays in force; default 5 min */
    int64_t staleness_ms;         /**< age of a fresh twin or heartbeat; default 5 min */
    int64_t max_age_ms;      /**< age of a fresh twin while the heartbeat is fresh; default 1 h */
    const char *cpu_backend; /**< for the report: "rapl" (NULL), "dvfs" or "hsmp" */
    const char *gpu_backend; /**< "none" (NULL), "host-nvidia", "host-amd", "host-intel",
                                "http" */
    int32_t enforces;        /**< 0: nothing is written and nothing is claimed */
    int32_t is_remote_cpu;   /**< 1: the CPUs are limited by a remote backend, which takes the
                                watts of the node's packages together */
    int32_t is_remote_gpu;   /**< 1: the GPUs are limited by a remote backend, which takes the
                                watts of one GPU for all of them */
    uint32_t reserved;       /**< must be 0 */
};

/**
 * Makes an agent's handle: no parts, no twin.
 *
 * @param options  borrowed for the call; NULL = every default
 * @param out      to be freed with joulie_node_free(); written only on success
 * @param err      details on failure, may be NULL; `where` is the name of a field
 * @retval JOULIE_OK out is set
 * @retval JOULIE_E_RANGE floor_pct is not within 0 to 100, or a time is negative
 * @retval JOULIE_E_PARSE a text is not UTF-8
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out; everything was released
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_node_new(const struct joulie_node_options *options, struct joulie_node **out,
                               struct joulie_error *err);

/** Frees a handle and everything that it handed out but not joulie_free()'s texts. NULL does
 * nothing. @threads any @since 0.1 */
JOULIE_API void joulie_node_free(struct joulie_node *node);

/**
 * Replaces the parts by those of a NodeHardware: every item of status.cpu.packages and
 * status.gpu.devices, or with is_remote_cpu one package 0 called "remote" for all the CPUs, and
 * with is_remote_gpu one GPU called "remote" for all the GPUs, if there are any.
 *
 * A part that says `controllable: false` or `locked: true` takes no limits; one that says nothing
 * is tried, and its reading decides. What was read of a part that is still there stays known.
 * Members that the library does not know are skipped.
 *
 * @param text  JSON or YAML, borrowed for the call
 * @retval JOULIE_OK the parts are replaced; what the last step decided is forgotten
 * @retval JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED also for a document of another kind or version
 * @retval JOULIE_E_CONFLICT two packages with one index or two devices with one id
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_REQUIRED, JOULIE_E_RANGE, JOULIE_E_LIMIT as
 * validation finds, or more than 1024 parts; nothing was changed
 * @retval JOULIE_E_NOMEM memory ran out; nothing was changed
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_put_hardware(struct joulie_node *node, const char *text, size_t len,
                                        struct joulie_error *err);

/** What has a limit. */
enum joulie_node_kind {
    JOULIE_NODE_KIND_UNKNOWN = 0,
    JOULIE_NODE_KIND_PACKAGE = 1, /**< a CPU package, known by its index */
    JOULIE_NODE_KIND_GPU = 2      /**< a GPU, known by its id */
};

/** Bits of joulie_node_part::has. */
#define JOULIE_NODE_PART_HAS_MIN (1ULL << 0)
#define JOULIE_NODE_PART_HAS_MAX (1ULL << 1)
#define JOULIE_NODE_PART_HAS_POWER_UNIT (1ULL << 2)

/** One package or GPU; start with JOULIE_INIT(struct joulie_node_part). */
struct joulie_node_part {
    size_t struct_size;         /**< as the caller compiled it */
    uint64_t has;               /**< JOULIE_NODE_PART_HAS_* of the watts that are known */
    int64_t index;              /**< of a package */
    const char *id;             /**< of a GPU: UUID, else PCI address. Borrowed for the call */
    double min_w;               /**< lowest limit of it */
    double max_w;               /**< highest limit; unknown: a percent of it is blocked */
    double power_unit_w;        /**< smallest step of a package's limit */
    enum joulie_node_kind kind; /**< what it is */
    int32_t is_controllable;    /**< 0: it takes no limits, and reports say so */
};

/**
 * Adds one package or GPU, or replaces what is known of the one with this index or id; for callers
 * without a NodeHardware. What was read of it stays known.
 *
 * @retval JOULIE_OK the part counts from the next step on; what the last step decided is forgotten
 * @retval JOULIE_E_ENUM there is no such kind
 * @retval JOULIE_E_REQUIRED a GPU without an id
 * @retval JOULIE_E_PARSE the id is not UTF-8
 * @retval JOULIE_E_RANGE index or min_w is negative, another of the watts is not above 0, or one is
 * not finite
 * @retval JOULIE_E_LIMIT there are 1024 parts already
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out; nothing was changed
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_put_part(struct joulie_node *node, const struct joulie_node_part *part,
                                    struct joulie_error *err);

/**
 * Part number index, in the order of the documents: what is known of it. Watts are those of the
 * part: of all packages together with a remote backend.
 *
 * @param out  id lives until the parts change
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_RANGE there is no such part
 * @retval JOULIE_E_ABI struct_size is impossible
 * @threads the node's
 * @since 0.3
 */
JOULIE_API int joulie_node_part_at(const struct joulie_node *node, size_t index,
                                   struct joulie_node_part *out, struct joulie_error *err);

/**
 * Replaces the NodeTwin: what is desired, and when the operator last wrote its status. The caller
 * finds the twin of the node, by spec.nodeName. Members that the library does not know are
 * skipped.
 *
 * @param text  a NodeTwin, JSON or YAML, borrowed for the call; NULL = there is none any more
 * @param len   bytes of text
 * @retval JOULIE_OK the twin counts from the next step on; what the last step decided is forgotten
 * @retval JOULIE_E_REQUIRED the twin has no spec, or a member that it needs is missing
 * @retval JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED also for a document of another kind or version
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_LIMIT as validation finds; the
 * twin before stays
 * @retval JOULIE_E_NOMEM memory ran out; the twin before stays
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_put_twin(struct joulie_node *node, const char *text, size_t len,
                                    struct joulie_error *err);

/** Says what the wall clock shows at a time of the program. A program whose now_ms follows a clock
 * that nobody sets (CLOCK_MONOTONIC from any start, within the years 0 to 9999) says so before
 * each step: the twin's lastUpdated, the heartbeat and the report are in wall time, and ages go on
 * when the wall is set (docs/rules/programs.md#time). Without it both times are one. A time outside
 * the years 0 to 9999 is not taken. @threads the node's @since 0.3 */
JOULIE_API void joulie_node_set_wall(struct joulie_node *node, int64_t now_ms, int64_t wall_ms);

/** Sets the time of the operator's last heartbeat: while that is fresh, a twin stays fresh for
 * max_age_ms (docs/rules/twin.md#freshness). A time outside the years 0 to 9999 is not taken.
 * @threads the node's @since 0.1 */
JOULIE_API void joulie_node_heartbeat(struct joulie_node *node, int64_t at_ms);

/** What came of a write. */
enum joulie_node_outcome {
    JOULIE_NODE_OUTCOME_NONE = 0, /**< nothing was tried */
    JOULIE_NODE_OUTCOME_WRITTEN = 1,
    JOULIE_NODE_OUTCOME_REFUSED = 2, /**< the hardware or the backend does not take it */
    JOULIE_NODE_OUTCOME_FAILED = 3   /**< anything else */
};

/** Bits of joulie_node_reading::has. */
#define JOULIE_NODE_READING_HAS_LIMIT (1ULL << 0)
#define JOULIE_NODE_READING_HAS_ORIGINAL (1ULL << 1)

/** What was read of one part; start with JOULIE_INIT(struct joulie_node_reading). */
struct joulie_node_reading {
    size_t struct_size;               /**< as the caller compiled it */
    uint64_t has;                     /**< JOULIE_NODE_READING_HAS_* of the watts that are set */
    int64_t index;                    /**< of a package */
    const char *id;                   /**< of a GPU; borrowed for the call */
    double limit_w;                   /**< limit in force; 0 is a limit */
    double original_w;                /**< limit before the caller's first write, which its journal
                                         keeps until it is given back; without the bit the limit is
                                         not ours and is only ever replaced by a cap */
    const char *message;              /**< of the backend, for the report; NULL = none. Borrowed for
                                         the call */
    enum joulie_node_kind kind;       /**< what it is */
    enum joulie_node_outcome outcome; /**< of the write since the last step */
    int32_t is_unseen; /**< 1: written, but its effect on power is still to be waited for */
    uint32_t reserved; /**< must be 0 */
};

/**
 * Replaces what was read of one part: before a step the limit that is in force, after its writes
 * what came of them. A part without a reading has no known limit; it is written after those that
 * are lowered.
 *
 * @retval JOULIE_OK the limit counts from the next step on, the outcome in reports of the last one
 * @retval JOULIE_E_NOT_FOUND there is no such part
 * @retval JOULIE_E_ENUM there is no such kind or outcome
 * @retval JOULIE_E_PARSE the message is not UTF-8
 * @retval JOULIE_E_RANGE watts are negative or not finite
 * @retval JOULIE_E_LIMIT messages of more than 1 MiB since the last step
 * @retval JOULIE_E_ABI struct_size is impossible, or reserved or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out; nothing was changed
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_put_reading(struct joulie_node *node,
                                       const struct joulie_node_reading *reading,
                                       struct joulie_error *err);

/**
 * Decides which limits have to be written. A limit that reads as it should is left alone.
 *
 * A twin that is not fresh stays in force for spec_read_timeout_ms from the first step that finds
 * it so. Outcomes of the step before are forgotten.
 *
 * @param now_ms     milliseconds since 1970; may go back
 * @param out_count  number of writes; written only on success
 * @retval JOULIE_OK the writes can be taken, until the next step
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_step(struct joulie_node *node, int64_t now_ms, size_t *out_count,
                                struct joulie_error *err);

/** One limit to be written; start with JOULIE_INIT(struct joulie_node_write). */
struct joulie_node_write {
    size_t struct_size;         /**< as the caller compiled it */
    int64_t index;              /**< of a package; 0 of a GPU */
    const char *id;             /**< of a GPU, "remote" of remote backends, else ""; lives until
                                   the parts change */
    double limit_w;             /**< that should read back: of the part, of all packages with a
                                   remote backend */
    uint64_t power_limit_uw;    /**< limit_w in microwatts, in steps that the part takes (GPUs:
                                   whole milliwatts) */
    enum joulie_node_kind kind; /**< what it is */
    int32_t is_restore; /**< 1: gives back the original, which the journal may then forget */
};

/**
 * Write number index of the last step; to be made in the order of the numbers.
 *
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_RANGE there is no such write, or the parts or the twin changed since the step
 * @retval JOULIE_E_ABI struct_size is impossible
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_write_at(struct joulie_node *node, size_t index,
                                    struct joulie_node_write *out, struct joulie_error *err);

/**
 * The last step and what came of it as NodeTwin status.controlStatus: `{"cpu": {"backend",
 * "result", "message", "updatedAt", "observed"?}, "gpu": {…}}`, both members always, updatedAt the
 * time of the step. result is that of the worst part: `error`, `blocked`, `pending`, `applied`,
 * else `none`. A cap is applied only when it reads back; one that was to be written and has no
 * reading is an error.
 *
 * @param json  to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_CONFLICT there was no step since the parts or the twin changed
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the node's
 * @since 0.1
 */
JOULIE_API int joulie_node_report(struct joulie_node *node, char **json, struct joulie_error *err);

/** What became of the caps of a node, without the readings; start with JOULIE_INIT(struct
 * joulie_node_summary). */
struct joulie_node_summary {
    size_t struct_size;                    /**< as the caller compiled it */
    const char *cpu_message;               /**< of the worst package, never NULL; lives until the
                                              node is used again */
    const char *gpu_message;               /**< of the worst GPU */
    enum joulie_control_result cpu_result; /**< of the worst package */
    enum joulie_control_result gpu_result; /**< of the worst GPU */
};

/**
 * The last step and what came of it, in short: results and messages of joulie_node_report().
 *
 * @param out  filled only on success
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_CONFLICT there was no step since the parts or the twin changed
 * @retval JOULIE_E_ABI struct_size is impossible
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the node's
 * @since 0.3
 */
JOULIE_API int joulie_node_get_summary(struct joulie_node *node, struct joulie_node_summary *out,
                                       struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
