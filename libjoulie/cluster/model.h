/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A cluster model fed with typed objects: for rooms above, such as the simulator, and for tests.
 * What needs no types of ours they call through <joulie/cluster.h>, whose functions stand in the
 * file of their rule. Pure: time is an argument, the caller writes and reports what came of it.
 *
 * The model copies what it keeps (members whose `has` bit is set); nothing given to it needs to
 * live longer than the call. It is incremental: an event touches only what depends on it (due.h),
 * and after any sequence of events the answers equal those of a model built from scratch.
 */

#include <joulie/cluster.h>
#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/node.h"
#include "kinds/node_hardware.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/workload_profile.h"
#include "place/place.h"
#include "policy/policy.h"

#ifdef JL_MODEL_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_rack_setting
#define MEMBERS \
    NUMBER(capacity_w, "capacityW", "What the supply of this rack can give, W.", OVER(0))
#include "schema/shared_record.h"

#define RECORD jl_zone_setting
#define MEMBERS                       \
    /* while nothing is read there */ \
    NUMBER(outside_temp_c, "outsideTempC", "Temperature while none is read in this zone, °C.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* Fill with jl_cluster_defaults() and change what differs; texts are copied by jl_cluster_make().
 */
struct jl_cluster_config {
    struct jl_policy_config policy; /* of `plan`; nodeSelector, caps, hysteresis, … */
    double rack_capacity_w;         /* default 50000 */
    double cluster_capacity_w;      /* 0 = unknown */
    struct jl_dict racks;           /* label -> struct jl_rack_setting */
    struct jl_dict zones;           /* label -> struct jl_zone_setting */
    bool has_ledger;                /* only of the current rules */
    int64_t staleness_ms;           /* docs/rules/reconcile.md#freshness */
    int64_t max_age_ms;
    int64_t twin_heartbeat_ms;        /* TWIN_HEARTBEAT_INTERVAL, default 30 min */
    double deadband_score;            /* points, default 2 */
    double deadband_pct;              /* percent of nodeTdpW, default 2 */
    struct joulie_place_config place; /* its freshness is that of above */
};

/* A write that the last step offers, with what is to be written. */
struct jl_cluster_write {
    uint64_t id; /* for joulie_cluster_action_done(); unique in this model */
    enum joulie_change change;
    bool is_void; /* its machine was forgotten since: what becomes of it is remembered nowhere */
    const char *node_name;
    const char *object_name;             /* of the NodeTwin */
    const char *label;                   /* LABEL: performance, eco, or NULL */
    const struct jl_twin_spec *spec;     /* SPEC: the whole wanted spec */
    const struct jl_twin_spec *old_spec; /* SPEC: what is stored; NULL = to be created */
    const char *profile_since;           /* SPEC: RFC 3339, when profile or draining changes */
    const struct jl_twin_status *status; /* STATUS: the whole new one (no controlStatus) */
    const struct jl_twin_status
        *old_status; /* STATUS: what is stored, for the patch; may be NULL */
    const char *reason;
};

void jl_cluster_defaults(struct jl_cluster_config *config);

/* JOULIE_E_PARSE at policy.nodeSelector, JOULIE_E_UNSUPPORTED at policy.type, JOULIE_E_NOMEM. */
int jl_cluster_make(const struct jl_cluster_config *config, struct joulie_cluster **out,
                    struct joulie_error *err);

/* Upsert by (kind, namespace, name); hardware and twin are joined to nodes by spec.nodeName. */
int jl_cluster_put_node(struct joulie_cluster *cluster, const struct jl_node *node,
                        struct joulie_error *err);
int jl_cluster_put_hardware(struct joulie_cluster *cluster, const struct jl_node_hardware *hardware,
                            struct joulie_error *err);
int jl_cluster_put_twin(struct joulie_cluster *cluster, const struct jl_node_twin *twin,
                        struct joulie_error *err);
int jl_cluster_put_pod(struct joulie_cluster *cluster, const struct jl_pod *pod,
                       struct joulie_error *err);
int jl_cluster_put_profile(struct joulie_cluster *cluster,
                           const struct jl_workload_profile *profile, struct joulie_error *err);

/* One sample for each known node, in name order; JOULIE_E_REQUIRED when their numbers differ. */
int jl_cluster_sample_all(struct joulie_cluster *cluster,
                          const struct joulie_cluster_sample *samples, size_t count,
                          struct joulie_error *err);

/* JOULIE_E_RANGE: now_ms is no instant. Decides; the writes are the smallest set that brings the
 * stored objects to the decision. They live until the next step. */
int jl_cluster_step(struct joulie_cluster *cluster, int64_t now_ms,
                    const struct jl_cluster_write **out_writes, size_t *out_count,
                    struct joulie_error *err);
/* What hysteresis carries from step to step: to be stored by a caller that restarts. */
void jl_cluster_get_state(const struct joulie_cluster *cluster, struct jl_plan_state *out);
void jl_cluster_set_state(struct joulie_cluster *cluster, const struct jl_plan_state *state);

/* The last decision about a node, for a person; valid until the next call. */
struct jl_cluster_blocker {
    const char *name_space;
    const char *name;
    enum jl_blocker_why why;
};

struct jl_cluster_reasons {
    const char *node_name;
    enum jl_exclusion exclusion;
    bool is_managed; /* in scope: what follows is of the last step */
    bool is_paused;  /* what is wanted is not written */
    enum jl_plan_reason reason;
    struct jl_guard_output guard;
    double density;
    const struct jl_twin_spec *wanted;         /* NULL = none was decided */
    const struct jl_twin_status *status;       /* as predicted, without lastUpdated; NULL = none */
    const struct jl_cluster_blocker *blockers; /* by namespace, name */
    size_t blocker_count;
    const char *rack; /* NULL = none */
    double rack_power_w;
};

/* JOULIE_E_REQUIRED: there is no such Node. */
int jl_cluster_reasons_of(struct joulie_cluster *cluster, const char *node_name,
                          struct jl_cluster_reasons *out, struct joulie_error *err);

/* Nothing is stored and nothing remembered about any node or pod. */
bool jl_cluster_is_empty(const struct joulie_cluster *cluster);

/* Placement over the cached state, by docs/rules/placement.md: fills one entry per known node in
 * name order. */
struct jl_cluster_score {
    const char *node_name;
    const char *rejected; /* reason text, NULL = passes */
    int score;            /* 0..100 */
    int wire;             /* 0..10 */
    bool is_known;        /* fresh twin with a headroom */
    double raw;           /* only of a known one, as the next */
    double headroom;      /* with the pod on the node */
};

int jl_cluster_score_pod(struct joulie_cluster *cluster, const struct jl_pod *pod, int64_t now_ms,
                         const struct jl_cluster_score **out, size_t *out_count,
                         struct joulie_error *err);
