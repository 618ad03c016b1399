/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Requests to the API server: one token bucket for the process, priorities inside it, retries as
 * docs/rules/clients.md#retries says, errors as Status objects or plain text. Every answer that the
 * caller sees is final.
 */

#include <joulie/error.h>

#include "kube/access.h"
#include "runtime/log.h"
#include "runtime/metrics.h"

struct jd_kube;

/* Until when writes may be sent, as jd_clock_boot_ms() counts: a machine that slept is late, too.
 */
struct jd_fence {
    int64_t until_ms;
};

struct jd_kube_options {
    struct jd_access *access; /* lives as long */
    const char *component;    /* joulie-operator: field manager and user agent */
    double qps;               /* KUBE_CLIENT_QPS 50; 0 = no limit */
    double burst;             /* KUBE_CLIENT_BURST 100 */
    uint64_t seed;            /* of the jitter */
    /* NULL, or how long a wait really takes that should take wait_ms: tests do not wait. */
    int64_t (*wait)(void *user, int64_t wait_ms);
    void *user; /* of wait */
    struct jd_log *log;
    struct jd_metrics *metrics; /* joulie_kube_requests_total{component,verb,resource,code}; may be
                                   NULL */
};

int jd_kube_open(struct jd_loop *loop, struct jd_http *http, const struct jd_kube_options *options,
                 struct jd_kube **out, struct joulie_error *err);
void jd_kube_close(struct jd_kube *kube); /* answers that are due are not given any more */

/* The order in which waiting calls get the tokens of the bucket. */
enum jd_priority {
    JD_PRIORITY_LEASE,
    JD_PRIORITY_SPEC,
    JD_PRIORITY_STATUS,
    JD_PRIORITY_LABEL,
    JD_PRIORITY_READ,
    JD_PRIORITY_EVENT
};

enum jd_patch { JD_PATCH_NONE, JD_PATCH_MERGE, JD_PATCH_JSON, JD_PATCH_APPLY };

struct jd_resource {     /* a kind as the API names it; constants */
    const char *group;   /* "" = core */
    const char *version; /* v1alpha1 */
    const char *plural;
    const char *kind;
    bool is_namespaced;
};

extern const struct jd_resource jd_nodes, jd_pods, jd_events, jd_leases, jd_node_twins,
    jd_node_hardwares, jd_workload_profiles, jd_telemetry_profiles, jd_crds, jd_access_reviews, jd_deployments,
    jd_daemon_sets, jd_replica_sets, jd_stateful_sets, jd_jobs, jd_cron_jobs;

/* The operator's heartbeat (docs/rules/programs.md#heartbeat), and what it says of its classifier
 * and its plan there. */
#define JD_HEARTBEAT_LEASE "joulie-heartbeat"
#define JD_ANNOTATION_CLASSIFIER "joulie.io/classifier"
#define JD_ANNOTATION_FACILITY "joulie.io/facility"
#define JD_ANNOTATION_PLAN "joulie.io/plan"

/* What became of a call. */
struct jd_answer {
    int code;             /* HTTP; 0 = none came: unreachable, timed out, too long */
    const char *reason;   /* of a Status: "Conflict", "AlreadyExists", … "" = none said */
    const char *message;  /* for a person: the Status's, or what went wrong */
    bool has_object_name; /* details.name: the object is missing, not its kind */
    const char *body;     /* borrowed for the callback */
    size_t len;
    double retry_after_s; /* what the server asks to wait; < 0 = nothing */
};

bool jd_answer_is_good(const struct jd_answer *answer); /* 2xx */
/* Of a write: 401, 403 or 404, which no later try changes as long as nobody does something. */
bool jd_answer_is_refusal(const struct jd_answer *answer);

struct jd_kube_call {   /* borrowed for jd_kube_start() */
    const char *method; /* GET POST PUT PATCH DELETE */
    const struct jd_resource *resource;
    const char *name_space;  /* NULL = cluster-scoped, or all namespaces */
    const char *name;        /* NULL = the collection */
    const char *subresource; /* NULL or "" = none */
    const char *query;       /* "labelSelector=a%3Db", already encoded; NULL = none */
    enum jd_patch patch;
    const char *body;
    size_t len;
    enum jd_priority priority;
    bool is_exempt;        /* from the bucket: lease renewals */
    bool is_unfenced;      /* a write that the fence does not hold back */
    int64_t deadline_ms;   /* of the whole with its retries; 0 = 30 s */
    int64_t most_attempts; /* 0 = 11, 1 = the first answer is final (after a refreshed token) */
    size_t limit_bytes;    /* of the answer; 0 = 16 MiB */
    void (*on_done)(void *user, const struct jd_answer *answer);
    void *user;
};

/* 0 or JOULIE_E_NOMEM. The callback comes from the loop. A write that is answered 504, or 0 after
 * it was sent, may have been done: read again. Writes carry fieldManager=component, apply also
 * force=true. */
int jd_kube_start(struct jd_kube *kube, const struct jd_kube_call *call, struct joulie_error *err);
void jd_kube_cancel(struct jd_kube *kube, const void *user); /* all calls of a user; no callback */
/* From here on writes are behind a fence, which lives as long; without one they are always sent. */
void jd_kube_set_fence(struct jd_kube *kube, const struct jd_fence *fence);
/* Ends the writes behind the fence, those under way too; their callbacks come from the loop. */
void jd_kube_end_writes(struct jd_kube *kube);
size_t jd_kube_waiting(const struct jd_kube *kube);    /* calls without their answer yet */
uint64_t jd_kube_requests(const struct jd_kube *kube); /* sent, retries and watches too */

struct jl_buffer;
/* "/apis/joulie.io/v1alpha1/nodetwins/n1/status". */
void jd_put_path(struct jl_buffer *out, const struct jd_resource *resource, const char *name_space,
                 const char *name, const char *subresource);
void jd_put_api_version(struct jl_buffer *out, const struct jd_resource *resource); /* "apps/v1" */
