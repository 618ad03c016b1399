/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* WorkloadProfiles that a model writes (docs/rules/classification.md#profiles-of-a-cluster): what
 * is kept of the owners of pods, of their workloads, and of the last decision. state.h includes
 * it. */

#include <joulie/cluster.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/stamp.h"
#include "classify/metered.h"
#include "kinds/effective.h"

struct cluster_pod;
struct cluster_profile;

/* What may be known of a ReplicaSet or a Job: its own controller. */
struct cluster_owner {
    char *key;      /* namespace/kind/name */
    uint64_t round; /* the last in which a pod named it */

    enum { OWNER_UNREAD, OWNER_UNREADABLE, OWNER_READ } state;

    int64_t asked_ms; /* last; NEVER_MS = not yet */
    uint64_t asked_round;
    struct jl_arena arena; /* of what was read */
    const char *uid;
    struct jl_owner parent; /* kind NULL = it has none */
};

struct cluster_workload {
    char *key;      /* namespace/kind/name */
    uint64_t round; /* the last in which it had pods */
    int64_t measured_ms;
    bool is_whole; /* that measurement lacked nothing, and what it says is stored */
    bool is_whole_when_stored;
    uint64_t hints;          /* hash of what its pods said then */
    struct jl_stamp updated; /* of the stored profile */
    int64_t gone_ms;         /* since when it has no pods */
    int64_t asked_ms;        /* when its owner was looked for last */
    bool is_gone;            /* and was not found */
};

/* A pod that counts, with the workload that it belongs to. */
struct member {
    struct cluster_pod *pod;
    const char *key; /* of the workload */
    const char *kind;
    const char *name;
    const char *api_version;
    const char *uid; /* of the owner; NULL = not known */
};

struct workload_action {
    uint64_t id;
    enum joulie_action_verb verb;
    enum joulie_change change;
    const char *api_version;
    const char *kind;
    const char *plural;
    const char *name_space;
    const char *name;
    const char *body; /* "" = none */
    const char *reason;
    const char *owner;    /* READ: key of the owner that is to be known better, or NULL */
    const char *workload; /* key of the one that a profile is about, or has no pods; or NULL */
};

struct classifier {
    struct jl_index owners;    /* struct cluster_owner * */
    struct jl_index workloads; /* struct cluster_workload * */
    uint64_t round;            /* of decisions */
    uint64_t window;           /* of measurements */
    uint32_t asked;            /* bits of the queries of the window */
    uint32_t answered;
    struct jl_arena arena;  /* of the last decision */
    struct member *members; /* by workload, then by pod */
    size_t member_count;
    bool has_unread; /* pods whose owner has to be read first */
    struct workload_action *actions;
    size_t count;
    size_t capacity;
    size_t reads;
    uint64_t next_id;
};

struct jl_decode;

void jl_cluster_owner_free(void *item);

/* workload_owners.c: the pods that count, by workload, into classifier.members. Owners that have to
 * be read first are offered, if is_asking. 0 or JOULIE_E_NOMEM. */
int jl_cluster_group_pods(struct joulie_cluster *cluster, int64_t now_ms, bool is_asking);
/* workload_actions.c: the API of a kind that owns pods; false = another kind. */
bool jl_cluster_kind_of_owner(const char *kind, const char **out_api_version,
                              const char **out_plural);
/* To read an object; nothing when enough of them are offered. 0 or JOULIE_E_NOMEM. */
int jl_cluster_offer_read(struct joulie_cluster *cluster, const struct workload_action *what);
/* The profile of the members; status NULL = only what stands beside it. stored NULL = a new one. */
int jl_cluster_offer_profile(struct joulie_cluster *cluster, const struct member *owner,
                             const struct jl_workload_profile *stored, const char *name,
                             const struct jl_profile_status *status, const char *reason);
int jl_cluster_offer_removal(struct joulie_cluster *cluster,
                             const struct jl_workload_profile *profile);
/* Written by an operator of ours. */
bool jl_cluster_is_own_profile(const struct jl_workload_profile *profile);
