/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_AUTOSCALE_H
#define JOULIE_AUTOSCALE_H
#pragma once

/**
 * @file
 * The autoscaler of a TensorFusion workload: usage of its workers in, requests, limits and replicas
 * out.
 *
 * One handle per workload. It remembers what the layers need between steps (histograms, the last
 * minutes of samples, cool-downs) and nothing else: no clock, no file, no network. The caller
 * fetches the samples and applies the answer; the question "autoscale" of <joulie/ask.h> is one
 * such step over JSON, with the same numbers to the last bit. Rules: docs/rules/autoscaling.md, of
 * JOULIE_AUTOSCALE_V2_17_1 docs/rules/autoscaling-source.md.
 *
 * Texts in structs that the handle fills are words of closed sets or sentences; they live until the
 * next step, put_profile, put_pool, restore or free.
 */

#include <joulie/column.h>
#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The autoscaler of one workload. */
struct joulie_autoscaler;

/** Which rules answer. */
enum joulie_autoscale_model {
    JOULIE_AUTOSCALE_UNKNOWN = 0, /**< the same as CURRENT */
    JOULIE_AUTOSCALE_CURRENT = 1, /**< with every decision of this library */
    JOULIE_AUTOSCALE_V2_17_1 = 2  /**< TensorFusion v2.17.1 exactly, for comparison */
};

/**
 * Finds a time zone that a cron rule names, such as "Europe/Rome".
 *
 * @param user      as in the options
 * @param name      name in the tz database, never "UTC"
 * @param out_bytes the content of its TZif file, which stays valid until the next call of this
 *                  function, or put_profile returns
 * @param out_len   its length
 * @return 0, or anything else when there is no such zone: then the rule does not count
 */
typedef int joulie_zone_fn(void *user, const char *name, const void **out_bytes, size_t *out_len);

/** How to begin; start with JOULIE_INIT(struct joulie_autoscaler_options). */
struct joulie_autoscaler_options {
    size_t struct_size;        /**< as the caller compiled it */
    joulie_zone_fn *find_zone; /**< NULL: only cron rules without a zone count */
    void *user;                /**< first argument of find_zone */
    double gpu_tflops; /**< FP16 TFLOPS of one GPU, for amounts in percent of a GPU; 0: unknown */
    enum joulie_autoscale_model model;
    uint32_t reserved; /**< 0 */
};

/**
 * A new autoscaler without a profile.
 *
 * @param options  borrowed for the call, but find_zone and user are kept; NULL: all defaults
 * @param out      the handle, to be released with joulie_autoscaler_free()
 * @param err      details on failure, may be NULL
 * @retval JOULIE_OK       *out is set
 * @retval JOULIE_E_ENUM   a model that this build does not know
 * @retval JOULIE_E_RANGE  gpu_tflops is negative or not finite
 * @retval JOULIE_E_ABI    struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads any
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_new(const struct joulie_autoscaler_options *options,
                                     struct joulie_autoscaler **out, struct joulie_error *err);

/**
 * Releases it with everything that it handed out.
 *
 * @param scaler  NULL does nothing
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API void joulie_autoscaler_free(struct joulie_autoscaler *scaler);

/**
 * Takes a WorkloadProfile or TensorFusionWorkload of any dialect; the one before is replaced, what
 * was learnt stays. A field that cannot be read is a condition of the steps, and its default
 * counts.
 *
 * @param text  JSON or YAML, borrowed for the call
 * @param len   its length in bytes
 * @param err   details on failure, may be NULL
 * @retval JOULIE_OK  the profile is in force; after any other code the one before still is
 * @retval JOULIE_E_PARSE JOULIE_E_TYPE JOULIE_E_UNKNOWN_MEMBER JOULIE_E_REQUIRED JOULIE_E_ENUM
 *         JOULIE_E_RANGE JOULIE_E_LIMIT  not such an object
 * @retval JOULIE_E_UNSUPPORTED  another version, or a percent of a GPU whose TFLOPS are unknown
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_put_profile(struct joulie_autoscaler *scaler, const char *text,
                                             size_t len, struct joulie_error *err);

/**
 * Takes the autoScalingConfig of the workload's pool, which counts where the profile is silent.
 *
 * @param text  JSON or YAML of the block alone, borrowed for the call; NULL: none any more
 * @param len   its length in bytes
 * @param err   details on failure, may be NULL
 * @return the codes of joulie_autoscaler_put_profile()
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_put_pool(struct joulie_autoscaler *scaler, const char *text,
                                          size_t len, struct joulie_error *err);

/** Bits of joulie_autoscale_worker::has. */
#define JOULIE_AUTOSCALE_WORKER_HAS_CREATED (1ULL << 0)

/** A ready worker; start with JOULIE_INIT(struct joulie_autoscale_worker). */
struct joulie_autoscale_worker {
    size_t struct_size;   /**< as the caller compiled it */
    uint64_t has;         /**< JOULIE_AUTOSCALE_WORKER_HAS_* of the members that are set */
    const char *name;     /**< required */
    int64_t created_ms;   /**< milliseconds since 1970; unknown: its first sample */
    int32_t is_dedicated; /**< 1: it has its GPU alone and is never changed; else 0 */
    uint32_t reserved;    /**< 0 */
};

/**
 * Adds a ready worker, or replaces the one of that name. As long as no worker was put, those that
 * samples name are the workers.
 *
 * @param worker  borrowed for the call
 * @param err     details on failure, may be NULL
 * @retval JOULIE_OK       it is in the list
 * @retval JOULIE_E_REQUIRED the name is NULL or empty
 * @retval JOULIE_E_RANGE  a time or flag is out of range, or the name has more than 253 bytes
 * @retval JOULIE_E_LIMIT  there would be more than 8192
 * @retval JOULIE_E_ABI    struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_put_worker(struct joulie_autoscaler *scaler,
                                            const struct joulie_autoscale_worker *worker,
                                            struct joulie_error *err);

/**
 * Takes a worker out of the list; one that is not there is fine.
 *
 * @param name  its name
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API void joulie_autoscaler_remove_worker(struct joulie_autoscaler *scaler, const char *name);

/** Bits of joulie_autoscale_samples::has, per row. */
#define JOULIE_AUTOSCALE_SAMPLE_HAS_TFLOPS (1ULL << 0)
#define JOULIE_AUTOSCALE_SAMPLE_HAS_VRAM (1ULL << 1)
#define JOULIE_AUTOSCALE_SAMPLE_HAS_TFLOPS_LIMIT (1ULL << 2)
#define JOULIE_AUTOSCALE_SAMPLE_HAS_THROTTLED_COUNT (1ULL << 3)
#define JOULIE_AUTOSCALE_SAMPLE_HAS_OOM_COUNT (1ULL << 4)

/** What workers used, one row per sample; start with JOULIE_INIT(struct joulie_autoscale_samples).
 */
struct joulie_autoscale_samples {
    size_t struct_size;                   /**< as the caller compiled it */
    struct joulie_column_bits has;        /**< JOULIE_AUTOSCALE_SAMPLE_HAS_* per row */
    const char *const *workers;           /**< names that column worker counts in */
    size_t worker_count;                  /**< of workers */
    struct joulie_column_int worker;      /**< index of the row's worker */
    struct joulie_column_ms at_ms;        /**< when it was measured */
    struct joulie_column tflops;          /**< FP16 TFLOPS of its hottest GPU */
    struct joulie_column vram_bytes;      /**< allocated on that GPU */
    struct joulie_column tflops_limit;    /**< its limit then; unknown: that of the next step */
    struct joulie_column throttled_count; /**< a counter that grows while it is throttled: one per
                                               worker, the largest of its rows at one time */
    struct joulie_column oom_count; /**< a counter that grows when it is killed for the memory of
                                         its GPU, one per worker like throttled_count; goes on when
                                         the worker starts again */
};

/**
 * Keeps samples for the next step, in any order. There, what is negative, not finite, not after the
 * worker's last sample or more than 5 s ahead is dropped and counted, and reported as a condition
 * unless it only comes again. Of rows of one worker at one time the largest of each member counts.
 * A counter that is negative or not finite is unknown; its row counts.
 *
 * @param samples  borrowed for the call
 * @param count    rows; 0 is allowed
 * @param err      details on failure, may be NULL; where is the row
 * @retval JOULIE_OK       they wait for the step; after any other code none of them does
 * @retval JOULIE_E_REQUIRED a name is NULL or empty
 * @retval JOULIE_E_RANGE  a worker's index or a time is out of range, or a name has more than 253
 *                         bytes
 * @retval JOULIE_E_LIMIT  more than 1048576 samples would wait
 * @retval JOULIE_E_ABI    struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_put_samples(struct joulie_autoscaler *scaler,
                                             const struct joulie_autoscale_samples *samples,
                                             size_t count, struct joulie_error *err);

/**
 * Keeps the reply of an external scaler for the next step. A reply that cannot be read, or that
 * comes without an externalScaler that the profile enables, is a condition of that step
 * (ExternalScalerFailed), not a failure of this call.
 *
 * @param text  JSON, borrowed for the call; NULL: there is none, and a reply that waited is dropped
 * @param len   its length in bytes
 * @param err   details on failure, may be NULL
 * @retval JOULIE_OK       it waits for the step
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_put_external(struct joulie_autoscaler *scaler, const char *text,
                                              size_t len, struct joulie_error *err);

/** Bits of joulie_autoscale_input::has. */
#define JOULIE_AUTOSCALE_HAS_REQUEST_TFLOPS (1ULL << 0)
#define JOULIE_AUTOSCALE_HAS_REQUEST_VRAM (1ULL << 1)
#define JOULIE_AUTOSCALE_HAS_LIMIT_TFLOPS (1ULL << 2)
#define JOULIE_AUTOSCALE_HAS_LIMIT_VRAM (1ULL << 3)
#define JOULIE_AUTOSCALE_HAS_GPU_TFLOPS (1ULL << 4)
#define JOULIE_AUTOSCALE_HAS_GPU_VRAM (1ULL << 5)
#define JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS (1ULL << 6)
#define JOULIE_AUTOSCALE_HAS_ALLOWED_VRAM (1ULL << 7)
#define JOULIE_AUTOSCALE_HAS_REPLICAS (1ULL << 8)
#define JOULIE_AUTOSCALE_HAS_MIN_REPLICAS (1ULL << 9)
#define JOULIE_AUTOSCALE_HAS_MAX_REPLICAS (1ULL << 10)

/** The present state; start with JOULIE_INIT(struct joulie_autoscale_input). Amounts are per GPU.
 */
struct joulie_autoscale_input {
    size_t struct_size;        /**< as the caller compiled it */
    uint64_t has;              /**< JOULIE_AUTOSCALE_HAS_* of the numbers that are set */
    double request_tflops;     /**< present amounts; unknown or 0: those of the profile */
    double request_vram_bytes; /**< unknown or 0: that of the profile */
    double limit_tflops;
    double limit_vram_bytes;
    double gpu_tflops; /**< capacity of one GPU; unknown: no cap */
    double gpu_vram_bytes;
    double allowed_tflops; /**< what a worker's request may grow to; unknown: anything */
    double allowed_vram_bytes;
    int64_t replicas;     /**< workers now; unknown: the number of workers, at least 1 */
    int64_t min_replicas; /**< client pods, when the profile names no number of replicas */
    int64_t max_replicas; /**< what pool and quota allow, at least 1 */
};

/** Bits of joulie_autoscale_output::has. */
#define JOULIE_AUTOSCALE_OUT_REPLICAS (1ULL << 0) /**< their layer was evaluated */
#define JOULIE_AUTOSCALE_OUT_RATIO (1ULL << 1)
#define JOULIE_AUTOSCALE_OUT_NEXT_DUE (1ULL << 2)

/** The recommendation; start with JOULIE_INIT(struct joulie_autoscale_output). */
struct joulie_autoscale_output {
    size_t struct_size;    /**< as the caller compiled it */
    uint64_t has;          /**< JOULIE_AUTOSCALE_OUT_* of the members that mean something */
    double request_tflops; /**< the amounts, also where nothing changed; 0: unset */
    double request_vram_bytes;
    double limit_tflops;
    double limit_vram_bytes;
    int64_t replicas_from;       /**< OUT_REPLICAS: workers before */
    int64_t replicas_desired;    /**< without cool-downs */
    int64_t replicas_to;         /**< with them */
    double replicas_ratio;       /**< OUT_RATIO: mean use of the limit over its target */
    const char *replicas_reason; /**< OUT_REPLICAS: a word of docs/rules/autoscaling.md#reasons */
    int64_t next_due_ms;         /**< OUT_NEXT_DUE: before then no layer is evaluated */
    uint64_t decision_count;     /**< for joulie_autoscaler_get_decision() */
    uint64_t condition_count;    /**< for joulie_autoscaler_get_condition() */
    uint64_t dropped_samples;
};

/**
 * Takes the samples that wait, evaluates every layer that is due, and merges their proposals. The
 * caller applies the answer and gives what became of it in the next step's input.
 *
 * @param now_ms  milliseconds since 1970. Before the last step's: nothing is evaluated, a condition
 *                says so (ClockWentBack), and what waits goes on waiting
 * @param in      borrowed for the call; NULL: nothing is known
 * @param out     caller's storage, written only on success
 * @param err     details on failure, may be NULL
 * @retval JOULIE_OK         out is filled
 * @retval JOULIE_E_CONFLICT there is no profile yet
 * @retval JOULIE_E_RANGE    a number is negative or not finite, or now_ms is outside 1824 to 2115
 * @retval JOULIE_E_LIMIT    there would be more than 8192 workers
 * @retval JOULIE_E_ABI      a struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM    memory ran out; the samples still wait
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_step(struct joulie_autoscaler *scaler, int64_t now_ms,
                                      const struct joulie_autoscale_input *in,
                                      struct joulie_autoscale_output *out,
                                      struct joulie_error *err);

/** One layer's answer for one resource; start with JOULIE_INIT(struct joulie_autoscale_decision).
 */
struct joulie_autoscale_decision {
    size_t struct_size;   /**< as the caller compiled it */
    const char *layer;    /**< "requests", "limits", "percentile", "cron" or "external" */
    const char *resource; /**< "tflops" or "vram"; of cron and external "requests.tflops", … */
    double before;        /**< TFLOPS or bytes before */
    double after;         /**< afterwards; equal to before when it was kept */
    const char *reason; /**< the step that ended it, a word of docs/rules/autoscaling.md#reasons */
};

/**
 * A decision of the last step.
 *
 * @param index  below decision_count
 * @param out    caller's storage
 * @param err    details on failure, may be NULL
 * @retval JOULIE_OK       out is filled
 * @retval JOULIE_E_RANGE  there is no such decision
 * @retval JOULIE_E_ABI    struct_size is impossible
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_get_decision(const struct joulie_autoscaler *scaler, size_t index,
                                              struct joulie_autoscale_decision *out,
                                              struct joulie_error *err);

/** Something that the user of the profile should know; start with JOULIE_INIT(struct
 * joulie_autoscale_condition). */
struct joulie_autoscale_condition {
    size_t struct_size;  /**< as the caller compiled it */
    const char *reason;  /**< a word of docs/rules/autoscaling.md#reasons, such as "InvalidField" */
    const char *where;   /**< path in the profile, or what of the step it is about */
    const char *message; /**< a sentence for a person */
};

/**
 * A condition of the last step.
 *
 * @param index  below condition_count
 * @param out    caller's storage
 * @param err    details on failure, may be NULL
 * @retval JOULIE_OK       out is filled
 * @retval JOULIE_E_RANGE  there is no such condition
 * @retval JOULIE_E_ABI    struct_size is impossible
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_get_condition(const struct joulie_autoscaler *scaler, size_t index,
                                               struct joulie_autoscale_condition *out,
                                               struct joulie_error *err);

/**
 * What it has learnt, as opaque JSON of at most 4 MiB: the state that the question "autoscale" of
 * <joulie/ask.h> gives and takes. Profile, list of workers and what waits for a step are not in it.
 *
 * @param out  the text, to be freed with joulie_free()
 * @param err  details on failure, may be NULL
 * @retval JOULIE_OK       *out is set
 * @retval JOULIE_E_LIMIT  it would have more than 4 MiB
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_save(const struct joulie_autoscaler *scaler, char **out,
                                      struct joulie_error *err);

/**
 * Goes on where another one was saved: the same steps give the same answers, to the last bit.
 *
 * @param text  of joulie_autoscaler_save(), on any machine; borrowed for the call
 * @param len   its length in bytes
 * @param err   details on failure, may be NULL
 * @retval JOULIE_OK  restored; after any other code everything is as before
 * @retval JOULIE_E_PARSE JOULIE_E_TYPE JOULIE_E_UNKNOWN_MEMBER JOULIE_E_REQUIRED JOULIE_E_RANGE
 *         JOULIE_E_LIMIT  no such text, or a damaged one
 * @retval JOULIE_E_UNSUPPORTED  saved by a release to come
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the handle's
 * @since 0.2
 */
JOULIE_API int joulie_autoscaler_restore(struct joulie_autoscaler *scaler, const char *text,
                                         size_t len, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
