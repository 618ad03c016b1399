/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_REMOTE_H
#define JOULIE_REMOTE_H
#pragma once

/**
 * @file
 * Nodes that are driven over HTTP: where their power is read and where caps go, what a reply is
 * worth, which throttle a cap asks for, and which process of a pool drives which node. Rules:
 * docs/rules/endpoints.md, docs/rules/frequencies.md and docs/rules/node-agent.md.
 *
 * The library makes no request. A daemon resolves its settings once, reads each reply with the
 * function of its kind, and hands the result to a struct joulie_node (joulie/node.h) or a struct
 * joulie_cluster (joulie/cluster.h):
 *
 * @code{.c}
 * joulie_remote_resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, &err);
 * get(endpoint.url, endpoint.timeout_ms, &reply.http_status, &reply.body, &reply.len);
 * joulie_remote_read_telemetry(&reply, &sample, &err);
 * if (sample.has & JOULIE_REMOTE_SAMPLE_HAS_POWER)
 *     use(sample.power_w);
 * @endcode
 */

#include <joulie/error.h>
#include <joulie/v1alpha1.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an endpoint is for. */
enum joulie_remote_role {
    JOULIE_REMOTE_ROLE_UNKNOWN = 0,
    JOULIE_REMOTE_ROLE_CPU_SOURCE = 1,  /**< power of the CPUs is read there */
    JOULIE_REMOTE_ROLE_CPU_CONTROL = 2, /**< caps of the CPUs go there */
    JOULIE_REMOTE_ROLE_GPU_CONTROL = 3  /**< caps of the GPUs go there */
};

/** What is behind an endpoint. */
enum joulie_remote_type {
    JOULIE_REMOTE_TYPE_UNKNOWN = 0,
    JOULIE_REMOTE_TYPE_NONE = 1,      /**< nothing is read, nothing is written */
    JOULIE_REMOTE_TYPE_HOST = 2,      /**< the machine itself */
    JOULIE_REMOTE_TYPE_HTTP = 3,      /**< an endpoint of docs/rules/endpoints.md */
    JOULIE_REMOTE_TYPE_PROMETHEUS = 4 /**< sources only: an instant query */
};

/** How an HTTP control puts caps in force. */
enum joulie_remote_mode {
    JOULIE_REMOTE_MODE_UNKNOWN = 0,
    JOULIE_REMOTE_MODE_AUTO = 1,     /**< a power limit; frequencies where that fails */
    JOULIE_REMOTE_MODE_RAPL = 2,     /**< a power limit, never frequencies */
    JOULIE_REMOTE_MODE_DVFS = 3,     /**< frequencies, never a power limit */
    JOULIE_REMOTE_MODE_POWERCAP = 4, /**< GPUs: a power limit */
    JOULIE_REMOTE_MODE_CLOCKS = 5    /**< GPUs: clocks */
};

/** The settings TELEMETRY_* of an agent as texts; start with JOULIE_INIT(struct
 * joulie_remote_settings). NULL or blank = not set. */
struct joulie_remote_settings {
    size_t struct_size;               /**< as the caller compiled it */
    const char *cpu_source;           /**< TELEMETRY_CPU_SOURCE */
    const char *cpu_endpoint;         /**< TELEMETRY_CPU_HTTP_ENDPOINT */
    const char *cpu_control;          /**< TELEMETRY_CPU_CONTROL */
    const char *cpu_control_endpoint; /**< TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT */
    const char *cpu_control_mode;     /**< TELEMETRY_CPU_CONTROL_MODE */
    const char *gpu_control;          /**< TELEMETRY_GPU_CONTROL */
    const char *gpu_control_endpoint; /**< TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT */
    const char *gpu_control_mode;     /**< TELEMETRY_GPU_CONTROL_MODE */
    const char *timeout_s;            /**< TELEMETRY_HTTP_TIMEOUT_SECONDS */
};

/** One endpoint of a node; start with JOULIE_INIT(struct joulie_remote_endpoint). */
struct joulie_remote_endpoint {
    size_t struct_size; /**< as the caller compiled it */
    char *url;          /**< with the node's name in it, of Prometheus with the query; NULL for host
                           and none. The caller's, to be freed with joulie_free(): a second
                           joulie_remote_resolve() into this struct does not free it */
    int64_t timeout_ms; /**< of one request; 0 for host and none */
    enum joulie_remote_type type; /**< what is behind it */
    enum joulie_remote_mode mode; /**< of HTTP controls, else JOULIE_REMOTE_MODE_UNKNOWN */
};

/**
 * Where a node's power is read, or where its caps go. Rules:
 * docs/rules/endpoints.md#settings.
 *
 * @param settings   borrowed for the call
 * @param node_name  stands for `{node}` in endpoints
 * @param out        filled only on success; then out->url is the caller's
 * @param err        details on failure, may be NULL; `where` is "env.VARIABLE", or "node"
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_ENUM a setting is a word that is not known, or role is not one of them
 * @retval JOULIE_E_REQUIRED http or prometheus without an endpoint
 * @retval JOULIE_E_PARSE node_name cannot stand in a URL, or an endpoint is no URL
 * @retval JOULIE_E_RANGE, JOULIE_E_LIMIT the timeout is out of its bounds, or the URL becomes too
 * long
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_resolve(const struct joulie_remote_settings *settings,
                                     const char *node_name, enum joulie_remote_role role,
                                     struct joulie_remote_endpoint *out, struct joulie_error *err);

/** The TelemetryProfiles of a cluster; opaque. It belongs to one thread at a time. */
struct joulie_remote_profiles;

/**
 * A handle without a profile.
 *
 * @retval JOULIE_OK *out is to be freed with joulie_remote_profiles_free()
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_profiles_new(struct joulie_remote_profiles **out,
                                          struct joulie_error *err);

/** @param profiles may be NULL @threads the handle's @since 0.3 */
JOULIE_API void joulie_remote_profiles_free(struct joulie_remote_profiles *profiles);

/**
 * Takes a TelemetryProfile, new or changed, after it was checked as a whole. Rules:
 * docs/rules/endpoints.md#telemetryprofiles.
 *
 * @param text  JSON or YAML, borrowed for the call
 * @param err   `where` is the member that is wrong, such as "spec.controls.cpu.http.endpoint"
 * @retval JOULIE_OK it counts from now on; after any other code the one before of its name does
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_ENUM, JOULIE_E_REQUIRED, JOULIE_E_RANGE,
 *         JOULIE_E_LIMIT it is no good profile
 * @retval JOULIE_E_CONFLICT its target contradicts itself
 * @retval JOULIE_E_UNSUPPORTED an endpoint names a user
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads the handle's
 * @since 0.3
 */
JOULIE_API int joulie_remote_profiles_put(struct joulie_remote_profiles *profiles, const char *text,
                                          size_t len, struct joulie_error *err);

/** Forgets one. @retval JOULIE_E_NOT_FOUND there is none of that name @threads the handle's
 * @since 0.3 */
JOULIE_API int joulie_remote_profiles_remove(struct joulie_remote_profiles *profiles,
                                             const char *name, struct joulie_error *err);

/**
 * joulie_remote_resolve() beside TelemetryProfiles: what the settings do not say, the profile says
 * that names the node, else one that selects its labels, else one of the cluster; of several the
 * one with the lowest name.
 *
 * @param meta  an object with the member `labels`, such as the metadata of its Node, JSON, borrowed
 *              for the call; NULL = unknown: no selector matches
 * @retval JOULIE_OK out is filled, as by joulie_remote_resolve()
 * @retval others those of joulie_remote_resolve(), and of the text of the labels
 * @threads the handle's
 * @since 0.3
 */
JOULIE_API int joulie_remote_profiles_resolve(const struct joulie_remote_profiles *profiles,
                                              const struct joulie_remote_settings *settings,
                                              const char *node_name, const char *meta,
                                              size_t meta_len, enum joulie_remote_role role,
                                              struct joulie_remote_endpoint *out,
                                              struct joulie_error *err);

/** Whose power is wanted of a reply. */
enum joulie_remote_power {
    JOULIE_REMOTE_POWER_UNKNOWN = 0,
    JOULIE_REMOTE_POWER_OF_CPU = 1, /**< what a cap of the CPUs is compared with */
    JOULIE_REMOTE_POWER_OF_NODE = 2 /**< CPUs and GPUs */
};

/** Bit of joulie_remote_reply::has: now_ms and max_age_ms are set. */
#define JOULIE_REMOTE_REPLY_HAS_AGE (1ULL << 0)

/** A reply of a telemetry endpoint; start with JOULIE_INIT(struct joulie_remote_reply). */
struct joulie_remote_reply {
    size_t struct_size;                /**< as the caller compiled it */
    uint64_t has;                      /**< JOULIE_REMOTE_REPLY_HAS_AGE or 0 */
    const char *body;                  /**< borrowed for the call; need not end with a NUL */
    size_t len;                        /**< bytes of body */
    int64_t now_ms;                    /**< milliseconds since 1970 */
    int64_t max_age_ms;                /**< an older reading is stale; 0 or more */
    int32_t http_status;               /**< 200 to 299 is success */
    enum joulie_remote_power power_of; /**< which power is wanted */
};

/** What a reading is worth. */
enum joulie_remote_result {
    JOULIE_REMOTE_RESULT_UNKNOWN = 0,
    JOULIE_REMOTE_RESULT_SAMPLE = 1,    /**< the wanted power is there */
    JOULIE_REMOTE_RESULT_NO_SAMPLE = 2, /**< a good reply without the wanted power */
    JOULIE_REMOTE_RESULT_ERROR =
        3, /**< a bad status, no JSON object, or an unreadable time stamp */
    JOULIE_REMOTE_RESULT_STALE = 4, /**< older than max_age_ms: nothing in it counts */
    JOULIE_REMOTE_RESULT_AHEAD = 5 /**< of a time more than 5 s after now_ms, by a clock that is set
                               wrong; the sample is filled, and the caller decides whether it
                               counts */
};

/** Bits of joulie_remote_sample::has. */
#define JOULIE_REMOTE_SAMPLE_HAS_POWER (1ULL << 0)
#define JOULIE_REMOTE_SAMPLE_HAS_AGE (1ULL << 1)
#define JOULIE_REMOTE_SAMPLE_HAS_CPU_UTIL (1ULL << 2)
#define JOULIE_REMOTE_SAMPLE_HAS_GPU_UTIL (1ULL << 3)
#define JOULIE_REMOTE_SAMPLE_HAS_GPU_POWER (1ULL << 4)
#define JOULIE_REMOTE_SAMPLE_HAS_CPU_LIMIT (1ULL << 5)
#define JOULIE_REMOTE_SAMPLE_HAS_GPU_LIMIT (1ULL << 6)
#define JOULIE_REMOTE_SAMPLE_HAS_THROTTLE (1ULL << 7)

/** What a reply says; start with JOULIE_INIT(struct joulie_remote_sample). */
struct joulie_remote_sample {
    size_t struct_size;  /**< as the caller compiled it */
    uint64_t has;        /**< JOULIE_REMOTE_SAMPLE_HAS_* of the numbers that are known */
    double power_w;      /**< the wanted power */
    double age_s;        /**< 0 when the reply does not say, or says a later time */
    double cpu_util_pct; /**< 0 to 100 */
    double gpu_util_pct; /**< 0 to 100 */
    double gpu_power_w;  /**< of all GPUs */
    double cpu_limit_w;  /**< of all CPUs: that the backend is to keep, else the one in
                            force */
    double gpu_limit_w;  /**< of each GPU: that the backend is to keep, else the one in force */
    double throttle_pct; /**< in force, 0 to 100 */
    enum joulie_remote_result result; /**< what the reading is worth */
    uint32_t reserved;                /**< 0 */
};

/**
 * Reads the reply of a telemetry endpoint. A reply that is none is an answer too: see result.
 * Rules: docs/rules/endpoints.md#telemetry.
 *
 * @param reply  borrowed for the call
 * @param out    filled only on success
 * @retval JOULIE_OK out is filled
 * @retval JOULIE_E_ENUM there is no such power
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999, or max_age_ms is negative
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_read_telemetry(const struct joulie_remote_reply *reply,
                                            struct joulie_remote_sample *out,
                                            struct joulie_error *err);

/**
 * The number in Prometheus' reply to an instant query: the first series' value.
 *
 * @param body  borrowed for the call; need not end with a NUL
 * @param out   a finite number; written only on success
 * @param err   may be NULL; message says why there is no value
 * @retval JOULIE_OK out is set
 * @retval JOULIE_E_PARSE the reply is an error, or has no value, or one that is not finite
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_read_prometheus(int32_t http_status, const char *body, size_t len,
                                             double *out, struct joulie_error *err);

/**
 * What became of a cap that was posted: what the body says, else what its status says. Rules:
 * docs/rules/endpoints.md#replies.
 *
 * @param body         borrowed for the call; need not end with a NUL
 * @param out_result   applied, pending, blocked, error or none
 * @param out_message  the body's `message`, NULL when it has none; to be freed with joulie_free();
 *                     may be NULL
 * @retval JOULIE_OK the outputs are set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_read_control(int32_t http_status, const char *body, size_t len,
                                          enum joulie_control_result *out_result,
                                          char **out_message, struct joulie_error *err);

/** What the backends of a node can do; start with JOULIE_INIT(struct joulie_remote_can). */
struct joulie_remote_can {
    size_t struct_size;    /**< as the caller compiled it */
    int32_t cpu_control;   /**< 1: CPU power can be capped */
    int32_t cpu_telemetry; /**< 1: CPU power can be read */
    int32_t gpu_control;   /**< 1: GPU power can be capped */
    int32_t gpu_telemetry; /**< 1: GPU power can be read */
};

/**
 * The NodeHardware of a node whose machine cannot be read, from labels and capacity of its Node.
 * Rules: docs/rules/node-agent.md#hardware-from-labels.
 *
 * @param node    a Node, JSON or YAML, borrowed for the call
 * @param can     borrowed for the call
 * @param now_ms  for status.updatedAt, milliseconds since 1970
 * @param json    the object; to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK json is set
 * @retval JOULIE_E_REQUIRED the Node has no name
 * @retval JOULIE_E_PARSE, JOULIE_E_TYPE, JOULIE_E_ENUM, JOULIE_E_UNSUPPORTED, JOULIE_E_LIMIT the
 * document is no Node
 * @retval JOULIE_E_RANGE now_ms is outside the years 0 to 9999
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_hardware(const char *node, size_t len,
                                      const struct joulie_remote_can *can, int64_t now_ms,
                                      char **json, struct joulie_error *err);

/**
 * The shard of this process of a pool: pool_shard_id, else the number behind the last '-' of
 * pod_name, else 0. Rules: docs/rules/node-agent.md#shards.
 *
 * @param pool_shard_id  POOL_SHARD_ID; NULL or blank = not set
 * @param pod_name       POD_NAME; may be NULL
 * @param shards         processes of the pool, 1 or more
 * @param out_shard      0 to shards - 1; written only on success
 * @param err            may be NULL; `where` is "poolShardId" or "podName"
 * @retval JOULIE_OK out_shard is set
 * @retval JOULIE_E_PARSE pool_shard_id is no whole number
 * @retval JOULIE_E_RANGE the pool has no such shard
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_remote_own_shard(const char *pool_shard_id, const char *pod_name,
                                       int64_t shards, int64_t *out_shard,
                                       struct joulie_error *err);

/** The shard that drives a node: 0 to shards - 1, 0 where shards is 1 or less. @threads any @since
 * 0.3 */
JOULIE_API int64_t joulie_remote_shard_of(const char *node_name, int64_t shards);

/**
 * The name of the NodeTwin and the NodeHardware of a node: its own name where that can be an object
 * name, else one that is made of it.
 *
 * @param node_name  borrowed for the call
 * @param out        to be freed with joulie_free(); written only on success
 * @retval JOULIE_OK out is set
 * @retval JOULIE_E_PARSE no character of the node's name can stand in an object name
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_node_object_name(const char *node_name, char **out, struct joulie_error *err);

/** Power usage effectiveness of a facility from measured powers: 1 and the share of cooling. NAN
 * without IT power. @threads any @since 0.3 */
JOULIE_API double joulie_facility_pue(double it_power_w, double cooling_power_w);

/** A controller of frequencies that keeps a cap by a throttle in percent; opaque. It belongs to one
 * thread at a time. */
struct joulie_throttle;

/** Bits of joulie_throttle_options::has. */
#define JOULIE_THROTTLE_HAS_EMA_ALPHA (1ULL << 0)
#define JOULIE_THROTTLE_HAS_HIGH_MARGIN (1ULL << 1)
#define JOULIE_THROTTLE_HAS_LOW_MARGIN (1ULL << 2)
#define JOULIE_THROTTLE_HAS_STEP (1ULL << 3)
#define JOULIE_THROTTLE_HAS_COOLDOWN (1ULL << 4)
#define JOULIE_THROTTLE_HAS_TRIP_COUNT (1ULL << 5)

/** How a throttle is controlled; start with JOULIE_INIT(struct joulie_throttle_options). Defaults
 * and bounds: docs/rules/frequencies.md#legacy. */
struct joulie_throttle_options {
    size_t struct_size;   /**< as the caller compiled it */
    uint64_t has;         /**< JOULIE_THROTTLE_HAS_* of the numbers that are set */
    double ema_alpha;     /**< legacy: weight of the newest sample */
    double high_margin_w; /**< legacy: power above the cap that is borne */
    double low_margin_w;  /**< legacy: power below the cap that is not used */
    double step_pct;      /**< legacy: points of one action */
    int64_t cooldown_ms;  /**< legacy: rest after an action */
    int64_t trip_count;   /**< legacy: samples in a row that call for an action */
    int32_t is_legacy;    /**< 1: the controller of v0.1.1, else `proportional` */
    uint32_t reserved;    /**< must be 0 */
};

/** Bit of joulie_throttle_sample::has: power_w is known. */
#define JOULIE_THROTTLE_HAS_POWER (1ULL << 0)

/** One control interval; start with JOULIE_INIT(struct joulie_throttle_sample). */
struct joulie_throttle_sample {
    size_t struct_size;  /**< as the caller compiled it */
    uint64_t has;        /**< JOULIE_THROTTLE_HAS_POWER or 0 */
    int64_t at_ms;       /**< any clock that does not go back */
    double cap_w;        /**< of all packages together, as the power is; 0 = unknown */
    double power_w;      /**< mean of the interval */
    double in_force_pct; /**< the throttle in force: a new cap goes on from it */
};

/**
 * Makes a controller.
 *
 * @param options  borrowed for the call; NULL = every default
 * @param out      to be freed with joulie_throttle_free(); written only on success
 * @retval JOULIE_OK out is set
 * @retval JOULIE_E_RANGE a number is out of its bounds; `where` is its environment name
 * @retval JOULIE_E_ABI struct_size is impossible, or reserved or a newer field is set
 * @retval JOULIE_E_NOMEM memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_throttle_new(const struct joulie_throttle_options *options,
                                   struct joulie_throttle **out, struct joulie_error *err);

/** Frees a controller; NULL does nothing. @threads any @since 0.3 */
JOULIE_API void joulie_throttle_free(struct joulie_throttle *throttle);

/**
 * The throttle of the next interval: 0 is none, 100 the lowest frequency. A cap that is not the one
 * before starts anew from in_force_pct. Rules: docs/rules/frequencies.md#proportional.
 *
 * @param out_pct  0 to 100; written only on success
 * @retval JOULIE_OK out_pct is set
 * @retval JOULIE_E_RANGE cap_w or power_w is negative or not finite, or in_force_pct is not 0 to
 * 100
 * @retval JOULIE_E_ABI struct_size is impossible, or a newer field is set
 * @threads the throttle's
 * @since 0.3
 */
JOULIE_API int joulie_throttle_step(struct joulie_throttle *throttle,
                                    const struct joulie_throttle_sample *sample, double *out_pct,
                                    struct joulie_error *err);

/** The throttle of a cap in percent of an unknown maximum, without a reading of power: 100 -
 * cap_pct in whole points, 0 to 100 (docs/rules/frequencies.md#percentages). @threads any @since
 * 0.3 */
JOULIE_API double joulie_throttle_open_pct(double cap_pct);

#ifdef __cplusplus
}
#endif

#endif
