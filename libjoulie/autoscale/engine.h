/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The autoscaler of one workload: samples in, decisions out. Rules:
 * docs/rules/autoscaling.md#step; of v2.17.1: docs/rules/autoscaling-source.md.
 *
 * The handle holds what has to be remembered between steps and nothing else: the profile, the
 * workers and the present amounts come with each step. Memory for histograms and series is taken
 * when a layer that is on first needs it; a step without prediction allocates nothing after that.
 */

#include "autoscale/config.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "schema/decode.h"

struct jl_scale_engine;

/* NULL when memory ran out. */
struct jl_scale_engine *jl_scale_engine_new(void);
void jl_scale_engine_free(struct jl_scale_engine *scaler);

enum jl_scale_layer {
    JL_LAYER_REQUESTS = 1,
    JL_LAYER_LIMITS,
    JL_LAYER_PERCENTILE, /* v2.17.1 */
    JL_LAYER_CRON,
    JL_LAYER_EXTERNAL,
};

extern const struct jl_words jl_scale_layer_words;

/* A ready worker. */
struct jl_scale_worker {
    const char *name;
    int64_t created_ns;
    bool has_created;  /* else the time of its first sample */
    bool is_dedicated; /* owns its GPU: never changed, and its usage counts for nothing */
};

/* Numbers of a sample; usage comes first, by enum jl_usage, counters come last. */
enum jl_sample_number {
    JL_SAMPLE_TFLOPS,
    JL_SAMPLE_VRAM,
    JL_SAMPLE_LIMIT,
    JL_SAMPLE_THROTTLE,
    JL_SAMPLE_OOM,
};

#define JL_SAMPLE_COUNTERS JL_SAMPLE_THROTTLE /* the first of them */
#define JL_SAMPLE_NUMBERS 5

struct jl_scale_sample {
    const char *worker;
    int64_t at_ns;

    union {
        struct {
            double tflops;
            double vram_bytes;
            double tflops_limit;   /* absent: the present limit of the step */
            double throttle_count; /* grows while the worker is throttled */
            double oom_count;      /* grows when it is killed for the memory of its GPU */
        };

        double number[JL_SAMPLE_NUMBERS];
    };

    union {
        struct {
            bool has_tflops, has_vram, has_limit, has_throttle, has_oom;
        };

        bool has[JL_SAMPLE_NUMBERS];
    };
};

/* A reply of an external scaler. */
struct jl_scale_reply {
    bool needs_up;
    bool needs_down;
    const char *reason;                /* NULL = none */
    struct jl_amounts amounts;         /* 0 = not in the reply */
    struct jl_amount_pair compute_pct; /* of one GPU, in place of TFLOPS; 0 = neither */
    const char *problem;               /* not NULL: the call failed or the reply is bad, and why */
};

struct jl_scale_step {
    int64_t now_ns;
    struct jl_amounts current; /* 0 = unset */
    int64_t replicas;          /* present; 0 = the number of workers, at least 1 */
    const struct jl_scale_worker *workers;
    size_t worker_count;
    bool has_workers;                      /* false: those that samples name */
    const struct jl_scale_sample *samples; /* in any order */
    size_t sample_count;
    struct jl_amount_bounds gpu;         /* capacity of one GPU */
    struct jl_amount_bounds max_allowed; /* per worker */
    int64_t min_replicas;                /* client pods of a dynamic count; 0 = unknown */
    int64_t max_replicas;                /* 0 = no bound */
    const struct jl_scale_reply *reply;  /* NULL = none */
};

enum jl_scale_field {
    JL_FIELD_REQUEST = 1, /* of decision.usage */
    JL_FIELD_LIMIT,
};

struct jl_scale_decision {
    enum jl_scale_layer layer;
    enum jl_usage usage;
    enum jl_scale_field field; /* what from and to are */
    bool is_kept;              /* from = to, and the text of the amount stays as it is */
    double from;
    double to;
    enum jl_scale_reason reason;
};

/* "tflops", "vram"; of cron and external the amount, "requests.tflops". */
const char *jl_scale_resource_of(const struct jl_scale_decision *decision);

struct jl_replicas_decision {
    int64_t from;
    int64_t desired; /* before cool-down */
    int64_t to;
    double ratio;
    bool has_ratio;
    enum jl_scale_reason reason;
};

#define JL_SCALE_DECISIONS                                                 \
    16 /* requests, limits and percentile 2 each, cron and external 4 each \
        */

struct jl_scale_result {
    struct jl_scale_decision decisions[JL_SCALE_DECISIONS];
    size_t decision_count;
    struct jl_amounts amounts; /* the recommendation, complete */
    bool has_replicas;
    struct jl_replicas_decision replicas;
    const struct jl_scale_condition *conditions; /* in the arena of the step */
    size_t condition_count;
    size_t dropped;      /* samples that were not taken */
    int64_t next_due_ns; /* when a layer is evaluated next; INT64_MAX = never */
    bool is_untouched;   /* the clock went back: samples and reply were not read */
};

/* Times of a step and of its samples are within this of the Unix epoch: the years 1824 to 2115. */
#define JL_SCALE_MOST_NS INT64_C(4600000000000000000)

/*
 * Takes the samples and evaluates what is due. 0, JOULIE_E_RANGE (now is too far away),
 * JOULIE_E_NOMEM or JOULIE_E_LIMIT (more than JL_AUTOSCALE_MOST_WORKERS workers). No sample was
 * taken and nothing evaluated when it fails: the step may be tried again.
 */
int jl_scale_engine_step(struct jl_scale_engine *scaler, const struct jl_autoscale_config *config,
                         const struct jl_scale_step *step, struct jl_arena *arena,
                         struct jl_scale_result *out, struct joulie_error *err);

#define JL_AUTOSCALE_MOST_WORKERS 8192 /* twice as many with predictions pass the bytes below */
#define JL_AUTOSCALE_MOST_RECENT 32768 /* samples of the last minutes, of all workers */
#define JL_AUTOSCALE_LONGEST_NAME 253  /* bytes of a worker's name: those of a pod */
#define JL_AUTOSCALE_STATE_BYTES ((size_t)4 << 20)

/*
 * Everything that is remembered, as bytes that restore the handle bit by bit, on any machine.
 * 0 or JOULIE_E_NOMEM. At the bounds above it stays below JL_AUTOSCALE_STATE_BYTES as JSON unless
 * the workers have very long names.
 */
struct jl_buffer;
int jl_scale_engine_save(const struct jl_scale_engine *scaler, struct jl_buffer *out);

/*
 * Puts the handle into the saved state; it is unchanged on failure. JOULIE_E_PARSE (damaged),
 * JOULIE_E_UNSUPPORTED (saved by a version to come) or JOULIE_E_NOMEM; err says why, its where is
 * empty.
 */
int jl_scale_engine_restore(struct jl_scale_engine *scaler, const void *bytes, size_t len,
                            struct joulie_error *err);

/* ---- the state as JSON (docs/rules/autoscaling.md#state) ---- */

/* {"version":1,"crc32":N,"data":"…"} with the bytes of jl_scale_engine_save() in base64, so that no
 * tool on the way changes a number. 0, JOULIE_E_LIMIT (above JL_AUTOSCALE_STATE_BYTES) or
 * JOULIE_E_NOMEM. */
int jl_autoscale_state_put(const struct jl_scale_engine *scaler, struct jl_buffer *out,
                           struct joulie_error *err);

/*
 * The state that stands at a raw place of a document; at is its path. Without success the
 * autoscaler is as before: JOULIE_E_PARSE, JOULIE_E_UNSUPPORTED, JOULIE_E_LIMIT, JOULIE_E_NOMEM or
 * what the decoder says.
 */
int jl_autoscale_state_get(struct jl_decode *decode, const struct jl_raw *raw,
                           const struct jl_path *at, struct jl_scale_engine *scaler);
