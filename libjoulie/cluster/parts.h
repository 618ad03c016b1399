/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of the model, private to this room. Who depends on whom is told by the dirty flags. */

#include "base/time.h"
#include "cluster/model.h"
#include "cluster/name_table.h"
#include "kinds/effective.h"
#include "kinds/freshness.h"
#include "place/place.h"
#include "twin/twin.h"

struct cluster_node;
struct cluster_pod;
struct cluster_subject;

/* ---- stored objects ---- */

struct hardware_object {
    char *name;
    struct cluster_node *node;
    struct hardware_object *next; /* of the same node, by name */
    struct jl_arena arena;
    struct jl_node_hardware value;
};

struct twin_object {
    char *name;
    struct cluster_node *node;
    struct twin_object *next; /* of the same node, by name */
    struct jl_arena arena;
    struct jl_node_twin value;
};

struct cluster_profile {
    char *key;                       /* namespace/name */
    struct cluster_subject *subject; /* NULL = it matches nothing */
    struct cluster_profile *next;    /* of the same subject, by name */
    bool is_usable;                  /* confident and young enough at cluster->gate_ms */
    struct jl_arena arena;
    struct jl_workload_profile value;
};

/* What a workloadRef may name: joins the profiles that name it with the pods that would match them.
 */
struct cluster_subject {
    char *key; /* namespace/kind/name */
    struct cluster_profile *profiles;
    struct pod_link *pods;
};

struct pod_link {
    struct cluster_pod *pod;
    struct cluster_subject *subject;
    struct pod_link *prev;
    struct pod_link *next;
};

struct cluster_pod {
    char *key; /* namespace/name */
    struct jl_arena arena;
    struct jl_pod value;
    struct pod_link links[JL_MATCH_TARGETS];
    size_t link_count;
    bool is_work;
    struct jl_cluster_work work; /* of work */
    struct cluster_node *node;   /* NULL = not bound */
    struct cluster_pod *prev;    /* of the same node */
    struct cluster_pod *next;
    /* what was counted, valid unless is_dirty */
    bool is_dirty; /* a profile speaks for it, whose gate depends on the time of the step */
    struct cluster_pod *dirty_prev;
    struct cluster_pod *dirty_next;
    bool is_counted;  /* as demand */
    bool has_profile; /* counted in the node's profile_pods */
    struct jl_demand demand;
    enum jl_blocker_why why;
};

/* ---- nodes ---- */

struct pod_load { /* of the pods of a node, or of those that are bound to none */
    int64_t pods[JL_DEMAND_CLASSES];
    double weight;
    int64_t blockers;
    int64_t profile_pods; /* pods whose profile passed the gate */
};

/* The nodes that share a supply: those that name one rack, or those that name none. The members
 * stand in cluster->members from first on, in name order, while the order is fresh. */
struct cluster_rack {
    char *name;        /* NULL = of the nodes that name none */
    size_t nodes;      /* that name it */
    double capacity_w; /* of its supply */
    size_t first;
    size_t count;
    bool is_due;    /* a share or a member changed since the sums were made */
    double power_w; /* of the last step; 0 = unknown */
    bool has_psu;
    double psu_stress; /* of every member: the status gets it when somebody looks at it */
};

/* A cooling zone: readings of its own, which win over those of the whole cluster. */
struct cluster_zone {
    char *name;
    size_t nodes;     /* that name it */
    bool has_assumed; /* the settings give a temperature, for when none is read */
    double assumed_c;
    struct jl_cluster_facility readings;
};

struct ledger_part {
    double watts;
    int64_t entries;
};

enum node_scope {
    SCOPE_OUT,  /* not selected: released */
    SCOPE_KEPT, /* reserved or cordoned: keeps its spec, status goes on */
    SCOPE_MANAGED,
};

/* Ordered by how often a step looks at it: the first lines of each node are all that most of them
 * need. */
struct cluster_node {
    char *name;
    enum node_scope scope;
    enum joulie_profile stored_label; /* UNKNOWN: none, or a word of nobody's */
    bool is_known;                    /* there is a Node object */
    bool is_labelled;                 /* it has the power-profile label */
    bool is_paused;                   /* by its annotation: spec and label stay as they are */
    bool is_machine;                  /* put without Kubernetes: has no label of ours */
    bool is_unmanaged;                /* of a machine: out of scope */
    bool is_in_the_way;               /* its twin has the name of another node, see actions.c */
    bool has_wanted;
    bool is_wanted_stale; /* hardware or labels changed since the caps were resolved */
    bool is_spec_stored;  /* the stored spec is the wanted one; valid unless is_spec_check_due */
    bool is_spec_check_due;
    bool is_prediction_due;
    bool is_advice_due;
    bool is_compare_due;
    bool has_status;
    bool has_share;
    bool has_updated;
    bool is_steady;      /* predicted with a trend from samples of equal power: more of them change
                            nothing */
    int64_t updated_ms;  /* lastUpdated of the stored twin */
    int64_t due_ms;      /* when time alone changes the prediction */
    int64_t computed_ms; /* time of the prediction */
    bool has_stored_psu;
    double stored_psu_stress;
    const char *base_reason;   /* to write the status, the PSU stress apart */
    const char *status_reason; /* to write the status; NULL = what is stored is close enough */
    struct jl_node_past past;  /* of the stored twin */
    struct jl_guard_output guard;
    enum jl_plan_reason reason;
    struct pod_load load;
    double share_w;            /* of the rack */
    struct cluster_rack *rack; /* never NULL */
    struct cluster_zone *zone; /* NULL = none */
    size_t at;                 /* in cluster->all, as the next ones while the order is fresh */
    size_t member;             /* in cluster->members */
    size_t managed;            /* in cluster->managed, if it is managed */
    struct cluster_node *grave_next; /* released in this step: its texts are in the actions */
    struct twin_object *twins;       /* the first one speaks */

    /* readings */
    struct jl_cluster_sample reading; /* the newest; at_ms INT64_MIN = none */
    struct jl_cluster_sample earlier; /* counts while the newest is of a clock that is ahead */
    struct jl_power_sample *samples;  /* by arrival, no older than the trend's window */
    size_t sample_count;
    size_t sample_capacity;

    /* from the Node and its hardware */
    struct jl_hardware hardware;
    struct jl_density density;
    double allocatable_gpus;
    double gpu_idle_w;                   /* of a machine; 0 = unknown */
    enum joulie_profile machine_profile; /* what it runs as while there is no twin */
    bool is_machine_draining;
    enum jl_exclusion exclusion;
    enum joulie_node_label place_label;
    enum joulie_reject closed; /* its cordon or reservation, in scope or not */
    size_t place; /* in cluster->place, of a known node in cluster->known too, while the order is
                     fresh */

    struct jl_twin_spec wanted;
    struct jl_twin_status status; /* as predicted; without lastUpdated and controlStatus */
    struct jl_arena advice_arena;

    struct jl_arena arena; /* of value */
    struct jl_node value;
    struct hardware_object *hardware_objects; /* the first one speaks */
    struct cluster_pod *pods;
};

struct jl_cluster {
    struct jl_cluster_config config;
    struct jl_arena config_arena;
    const struct jl_selector *selector;
    struct jl_place_config place_config;

    struct jl_index nodes;    /* name -> struct cluster_node * */
    struct jl_index hardware; /* object name -> struct hardware_object * */
    struct jl_index twins;    /* object name -> struct twin_object * */
    struct jl_index pods;     /* namespace/name -> struct cluster_pod * */
    struct jl_index profiles; /* namespace/name -> struct cluster_profile * */
    struct jl_index subjects; /* namespace/kind/name -> struct cluster_subject * */
    struct jl_index racks;    /* label -> struct cluster_rack * */

    struct jl_index zones; /* label -> struct cluster_zone * */

    struct cluster_rack rackless;
    struct pod_load unbound;
    struct pod_load on_managed; /* of the pods on all managed nodes */
    struct cluster_pod *dirty_pods;
    struct cluster_node *graves;

    /* orders over the nodes, rebuilt when is_order_stale */
    bool is_order_stale;
    struct jl_arena order_arena; /* of the arrays, which have no more to say while it is stale */
    bool is_naming_stale;        /* who is in whose way has to be looked at again */
    struct cluster_node **all;   /* by name */
    size_t all_count;
    int64_t *wake_ms; /* as all: from when on a step has to look at the node, WAKE_NOW = the next
                         one */
    struct cluster_node **due;   /* room for all of them */
    struct cluster_node **known; /* by name */
    size_t known_count;
    struct cluster_node **members; /* by rack, then by name */
    double *shares;                /* as members, W; 0 = unknown */
    struct cluster_node **managed; /* by density */
    size_t managed_count;
    struct jl_plan_node *plan_nodes; /* as managed, kept up to date */
    uint32_t family_count;
    struct jl_plan_choice *choices; /* of this step */
    struct jl_plan_choice *decided; /* what was made of them; a reason of none = to be decided */
    void *plan_scratch;
    struct jl_place_node *place;  /* as known; behind them the nodes without a Node object */
    struct cluster_node **placed; /* as place, as the next ones */
    struct ledger_part *ledger;   /* zeros without the setting */
    bool *is_part_due;
    bool is_ledger_due;               /* one of the parts is */
    struct jl_name_table place_names; /* of all; built when somebody asks by name */

    struct jl_cluster_facility facility;
    struct jl_plan_state state;
    struct jl_cluster_demand demand;
    int64_t gate_ms;      /* when the profiles' gate was last looked at; INT64_MIN = never */
    int64_t next_gate_ms; /* when time alone closes the next one */
    int64_t step_ms;      /* the last step; INT64_MIN = none */
    char step_text[JL_TIME_TEXT];

    /* the last step */
    struct jl_arena step_arena;
    struct jl_cluster_action *actions;
    size_t action_count;
    size_t action_capacity;
    struct jl_index new_names; /* object names that this step gives away -> struct cluster_node * */
    uint64_t first_id;
    uint64_t next_id;
    struct jl_arena answer_arena; /* of the last score or explanation */
};

#define SCRATCH_BYTES ((size_t)512) /* first block of an arena for one key */

/* ---- index of pointers (index.c) ---- */

/* The item in slot i of an index, NULL = none; for walks over everything, in no order. */
void *jl_cluster_slot(const struct jl_index *index, size_t i);
void *jl_cluster_find(const struct jl_index *index, const char *name);
int jl_cluster_insert(struct jl_index *index, const char *name, void *item);
/* "a/b" or "a/b/c" in the arena; NULL = out of memory. A NULL part reads as "". */
const char *jl_cluster_key(struct jl_arena *arena, const char *a, const char *b, struct jl_text c);

/* A deep copy of an object in an arena of its own. */
int jl_cluster_copy(const struct jl_table *table, const void *from, struct jl_arena *out_arena,
                    void *out);

/* ---- nodes (nodes.c) ---- */

struct cluster_node *jl_cluster_node_of(struct jl_cluster *cluster,
                                        const char *name); /* made when missing; NULL = no memory */
void jl_cluster_node_release(struct jl_cluster *cluster,
                             struct cluster_node *node); /* frees it when nothing is left of it */
void jl_cluster_node_free(struct cluster_node *node);
void jl_cluster_bury(struct jl_cluster *cluster); /* frees the released nodes */
/* The next step has to look at the node. */
void jl_cluster_wake(struct jl_cluster *cluster, const struct cluster_node *node);
void jl_cluster_wake_all(struct jl_cluster *cluster);
/* The plan's view of a managed node follows its twin and its pods. */
void jl_cluster_plan_changed(struct jl_cluster *cluster, struct cluster_node *node);
int jl_cluster_node_facts_changed(struct jl_cluster *cluster, struct cluster_node *node);
void jl_cluster_node_twin_changed(struct jl_cluster *cluster, struct cluster_node *node);
int jl_cluster_node_forget(struct jl_cluster *cluster,
                           struct cluster_node *node); /* its Node object went away */
int jl_cluster_set_label(struct jl_cluster *cluster, struct cluster_node *node, const char *label);
const struct jl_node_twin *jl_cluster_twin_of(const struct cluster_node *node); /* NULL = none */

/* Its pods count as demand of managed nodes, or no longer. */
void jl_cluster_load_moved(struct jl_cluster *cluster, const struct cluster_node *node,
                           enum node_scope before);

/* ---- the ledger (ledger.c) ---- */

/* Pods, twin, hardware or a profile of the node changed. */
void jl_cluster_ledger_changed(struct jl_cluster *cluster, struct cluster_node *node);
/* The order has to be fresh. */
void jl_cluster_refresh_ledger(struct jl_cluster *cluster);
struct ledger_part jl_cluster_ledger_of(const struct jl_cluster *cluster,
                                        const struct cluster_node *node);

/* ---- racks and cooling zones (places.c) ---- */

/* Those that the settings name, with what they say of them. */
int jl_cluster_open_places(struct jl_cluster *cluster);
int jl_cluster_join_places(struct jl_cluster *cluster, struct cluster_node *node);
void jl_cluster_leave_places(struct jl_cluster *cluster, struct cluster_node *node);
/* The sums of the racks that changed, and the PSU stress that follows from them. */
void jl_cluster_sum_racks(struct jl_cluster *cluster);
void jl_cluster_rack_free(struct cluster_rack *rack);
/* What is known of the building where the node stands. */
void jl_cluster_facility_of(const struct jl_cluster *cluster, const struct cluster_node *node,
                            struct jl_cluster_facility *out);
void jl_cluster_zone_free(struct cluster_zone *zone);

/* ---- objects joined by spec.nodeName (objects.c) ---- */

int jl_cluster_store_twin(struct jl_cluster *cluster, const struct jl_node_twin *twin);
int jl_cluster_remove_twin(struct jl_cluster *cluster, const char *name);
int jl_cluster_remove_hardware(struct jl_cluster *cluster, const char *name);
void jl_cluster_twin_free(struct twin_object *object);
void jl_cluster_hardware_free(struct hardware_object *object);

/* ---- pods and profiles (pods.c, profiles.c) ---- */

void jl_cluster_pod_dirty(struct jl_cluster *cluster, struct cluster_pod *pod);
int jl_cluster_remove_pod(struct jl_cluster *cluster, const char *name_space, const char *name);
void jl_cluster_pod_free(struct cluster_pod *pod);
void jl_cluster_count_pods(struct jl_cluster *cluster,
                           int64_t now_ms); /* brings every dirty pod up to date */

int jl_cluster_remove_profile(struct jl_cluster *cluster, const char *name_space, const char *name);
void jl_cluster_profile_free(struct cluster_profile *profile);
int jl_cluster_link_pod(struct jl_cluster *cluster, struct cluster_pod *pod); /* to its subjects */
void jl_cluster_unlink_pod(struct jl_cluster *cluster, struct cluster_pod *pod);
const struct jl_workload_profile *jl_cluster_match(const struct jl_cluster *cluster,
                                                   const struct jl_pod *pod);
void jl_cluster_check_gates(struct jl_cluster *cluster, int64_t now_ms);

/* ---- the step ---- */

/* A large cluster does not fit the caches of one core: a pass asks for the memory of nodes this far
 * ahead. */
#define AHEAD 4

#define WAKE_NOW INT64_MIN
#define WAKE_NEVER INT64_MAX

static inline void jl_cluster_prefetch(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)from + i);
}

/* The first bytes of the nodes to come, and what is stored of them. */
static inline void jl_cluster_look_ahead(struct cluster_node *const *nodes, size_t count, size_t i,
                                         size_t bytes)
{
    if (i + 2 * AHEAD < count)
        jl_cluster_prefetch(nodes[i + 2 * AHEAD], bytes);
    if (i + AHEAD < count && nodes[i + AHEAD]->twins != NULL)
        jl_cluster_prefetch(&nodes[i + AHEAD]->twins->value.status, sizeof(struct jl_twin_status));
}

void jl_cluster_free_order(struct jl_cluster *cluster);
int jl_cluster_refresh_order(struct jl_cluster *cluster); /* order.c */
void jl_cluster_place_hardware(const struct jl_cluster *cluster, const struct cluster_node *node,
                               struct jl_place_node *out); /* order.c */
void jl_cluster_decide(struct jl_cluster *cluster,
                       int64_t now_ms); /* decide.c: demand, plan, guard, caps */
int jl_cluster_predict(struct jl_cluster *cluster, int64_t now_ms,
                       struct joulie_error *err); /* predict.c: twins, racks, advice */
/* Why the status is worth a write, the PSU stress apart; NULL = what is stored is close enough
 * (status_change.c). */
const char *jl_cluster_status_change(const struct jl_cluster_config *config,
                                     const struct jl_twin_status *stored,
                                     const struct jl_twin_status *next);
const char *jl_cluster_psu_change(const struct jl_cluster_config *config,
                                  const struct cluster_node *node);
/* The prediction with everything in its place. */
const struct jl_twin_status *jl_cluster_status_of(struct cluster_node *node);
/* The nodes that have to be looked at now, by name, in cluster->due. */
size_t jl_cluster_find_due(struct jl_cluster *cluster, int64_t now_ms);
int jl_cluster_collect(struct jl_cluster *cluster, int64_t now_ms); /* actions.c */
/* Actions of the last step about a machine that was forgotten. */
void jl_cluster_void_actions(struct jl_cluster *cluster, const char *node_name);
void jl_cluster_want(struct jl_cluster *cluster, struct cluster_node *node,
                     const struct jl_guard_output *guard);
/* Without workloads and slices there is nothing to advise: an empty list, which needs no look
 * at the racks. */
bool jl_cluster_gives_advice(const struct cluster_node *node);
int jl_cluster_finish_node(struct jl_cluster *cluster,
                           struct cluster_node *node); /* what needs the racks' sums */
bool jl_cluster_same_spec(const struct jl_twin_spec *a, const struct jl_twin_spec *b);
