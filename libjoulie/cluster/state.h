/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The state of a model, private to this room: what was handed in (struct store), the orders over
 * the nodes, the plan, the rows of placement and the writes of the last step. What becomes due when
 * something changes stands in one table, in due.c.
 */

#include <math.h>

#include "base/stamp.h"
#include "base/time.h"
#include "cluster/agents.h"
#include "cluster/due.h"
#include "cluster/model.h"
#include "cluster/name_table.h"
#include "cluster/workloads.h"
#include "kinds/effective.h"
#include "place/place.h"
#include "twin/twin.h"

struct cluster_node;
struct cluster_pod;
struct cluster_subject;

/* ---- stored objects ---- */

enum object_kind { OBJECT_HARDWARE, OBJECT_TWIN };

union node_value {
    struct jl_node_hardware hardware;
    struct jl_node_twin twin;
};

/* A NodeHardware or a NodeTwin. */
struct node_object {
    char *name;
    struct cluster_node *node;
    struct node_object *next; /* of the same node and kind, by name */
    bool has_node_name;       /* it is called as its node */
    struct jl_arena arena;
    char updated[JL_TIME_TEXT]; /* lastUpdated of a status that was put where the old one stood */
    union node_value value;     /* only the bytes of its kind are there */
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

/* What a pod object does not hold of work, or only as text. */
struct work_facts {
    struct joulie_work needs;
    enum joulie_level intensity;
    bool has_started;
    int64_t started_ms;
};

struct cluster_pod {
    char *key; /* namespace/name; NULL of a further part */
    struct cluster_pod
        *part; /* the next part of work over several nodes, owned by the one before */
    struct jl_arena arena;
    struct jl_pod value;
    struct pod_link links[JL_MATCH_TARGETS];
    size_t link_count;
    bool is_work;
    struct work_facts work;    /* of work */
    struct cluster_node *node; /* NULL = not bound */
    enum jl_agent_pod agent;   /* of it */
    struct jl_place_load held; /* of it */
    struct cluster_pod *prev;  /* of the same node, or of those that are on none */
    struct cluster_pod *next;
    bool is_listed; /* it stands in one of these lists */
    bool is_seen;   /* by a step, since it stands there; of a pod that is bound to no node */
    /* what was counted, valid unless is_dirty */
    bool is_dirty; /* a profile speaks for it, whose gate depends on the time of the step */
    struct cluster_pod *dirty_prev;
    struct cluster_pod *dirty_next;
    bool is_counted;  /* as demand */
    bool has_profile; /* counted in the node's profile_pods */
    struct jl_demand demand;
    enum jl_blocker_why why;
    struct jl_metered_window *usage; /* of that window; NULL = nothing was ever measured */
    uint64_t usage_window;
};

/* ---- nodes ---- */

struct pod_load { /* of the pods of a node, or of those that are bound to none */
    int64_t pods[JL_DEMAND_CLASSES];
    double weight;
    int64_t blockers;
    int64_t profile_pods; /* pods whose profile passed the gate */
};

/* The nodes that share a supply: those that name one rack, or those that name none. The members
 * stand in cluster->order.members from first on, in name order, while the order is fresh. */
struct cluster_rack {
    char *name;        /* NULL = of the nodes that name none */
    size_t nodes;      /* that name it */
    double capacity_w; /* of its supply; above 0 but of nodes that name none */
    double measured_w; /* 0 = nobody measures it */
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
    struct joulie_cluster_facility readings;
};

enum node_scope {
    SCOPE_OUT,  /* not selected: released */
    SCOPE_KEPT, /* reserved or cordoned: keeps its spec, status goes on */
    SCOPE_MANAGED,
};

/* A reading of a node as it is kept; at_ms INT64_MIN = there is none. */
struct reading {
    int64_t at_ms;
    uint64_t has; /* JOULIE_CLUSTER_SAMPLE_HAS_* */
    double node_power_w;
    double cpu_util_pct;
    double gpu_util_pct;
    enum joulie_power_source source; /* UNKNOWN: not given */
};

/* What was to be run for the record of a node. */
struct node_command {
    enum joulie_power_command kind;
    enum jl_power_progress progress;
    uint64_t id;
    bool was_ready; /* the node, when the command was given */
};

struct node_power {
    struct jl_power_record record; /* as stored; its texts are the Node's */
    struct jl_power_report report;
    struct jl_power_record next; /* decided by the last step, with has_next */
    bool has_next;
    bool is_given_up; /* the autoscaler may take it: next says why */
    bool is_own;      /* this model wrote the record of own_since_ms */
    bool was_used;    /* work was on the node since the last step */
    int64_t own_since_ms;
    int64_t seen_ms;  /* the first step with the node; NEVER = none yet */
    int64_t empty_ms; /* since when no work is on it; NEVER = some is */
    struct node_command command;
};

/* Of its objects, in the model's time. */
struct node_stamps {
    struct jl_stamp updated; /* of the twin */
    struct jl_stamp since;
    struct jl_stamp lowered;
    struct jl_stamp power; /* of the record */
    struct jl_stamp lease;
    struct jl_stamp control[2]; /* updatedAt of the reports about CPU and GPU */
};

/*
 * A node, made when anything names it and freed when nothing does. Members are ordered by how often
 * a step reads them: the first lines of each node are all that most of them need.
 */
struct cluster_node {
    char *name;
    uint32_t due; /* DUE_* of this node */
    enum node_scope scope;
    enum joulie_profile stored_label; /* UNKNOWN: none, or a word that is no profile */
    bool is_known;                    /* there is a Node object */
    bool is_labelled;                 /* it has the power-profile label */
    bool is_paused;                   /* by its annotation: spec and label stay as they are */
    bool is_machine;                  /* put without Kubernetes: has no label of ours */
    bool is_unmanaged;                /* of a machine: out of scope */
    bool is_as_put;                   /* of a machine: nothing changed it since it was put */
    bool is_in_the_way;               /* its twin has the name of another node, see writes.c */
    bool has_wanted;
    bool is_spec_stored; /* the stored spec is the wanted one; valid without DUE_SPEC */
    bool has_status;
    bool has_share;
    bool has_updated;
    bool is_steady;      /* predicted with a trend from samples of equal power: more of them change
                            nothing */
    bool is_held;        /* class and label stay as stored until the looser cap is in force */
    bool is_by_pods;     /* predicted from the pods on it: nobody reads its power */
    bool is_riding;      /* it takes repeats of its reading later, see readings.c */
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
    size_t index;   /* in order.all; as member, managed and row valid while the order is */
    size_t member;  /* in order.members, of a known node */
    size_t managed; /* in plan.managed, of a managed node */
    size_t row;     /* in rows.nodes; that of a known node is also its place in known */
    struct cluster_node *next_unlinked; /* freed by the next step: actions still name it */
    struct node_object *twins;          /* the first one counts */

    /* readings */
    struct reading reading;          /* the newest */
    struct reading earlier;          /* counts while the newest is of a clock that is ahead */
    uint64_t repeats_taken;          /* of cluster->repeats, while it rides */
    struct jl_power_sample *samples; /* by arrival, no older than the trend's window */
    size_t sample_count;
    size_t sample_capacity;

    /* from the Node and its hardware */
    struct jl_hardware hardware;
    struct jl_density density;
    double allocatable_gpus;
    struct jl_gpu_limit work_limit;      /* by the work on its GPUs; valid without DUE_LIMIT */
    struct jl_gpu_limit limit;           /* of the last decision */
    double gpu_idle_w;                   /* of a machine; 0 = unknown */
    struct joulie_cluster_machine *put;  /* the last that was put, without texts; NULL = none */
    enum joulie_profile machine_profile; /* what it runs as while there is no twin */
    bool is_machine_draining;
    enum jl_exclusion exclusion;
    enum joulie_node_label place_label;
    enum joulie_reject closed; /* its cordon or reservation, in scope or not */

    /* of its agent */
    bool has_lease;
    bool is_silent;    /* as the last step found */
    int64_t silent_ms; /* after this nobody hears of it */

    struct node_stamps stamps;

    struct jl_twin_spec wanted;
    struct jl_twin_status status; /* as predicted; without lastUpdated and controlStatus */
    struct jl_arena advice_arena;

    struct jl_arena arena; /* of value */
    struct jl_node value;
    struct node_object *hardware_objects; /* the first one counts */
    struct cluster_pod *pods;
    struct jl_place_load held; /* by them */
    struct node_power power;
};

#define NEVER_MS INT64_MIN

/* Whether a wait is over that began then; NEVER_MS = none did. A time that lies ahead is that of a
 * clock that went back. */
static inline bool jl_cluster_is_over(int64_t since_ms, int64_t now_ms, int64_t wait_ms)
{
    return since_ms == NEVER_MS || now_ms < since_ms || now_ms - since_ms >= wait_ms;
}

/* ---- the model ---- */

/* What was handed in, by name. Each index owns its items; pods and profiles have keys of their
 * namespace and name, subjects of namespace, kind and name. */
struct store {
    struct jl_index nodes;    /* struct cluster_node * */
    struct jl_index hardware; /* struct node_object * */
    struct jl_index twins;    /* struct node_object * */
    struct jl_index pods;     /* struct cluster_pod * */
    struct jl_index profiles; /* struct cluster_profile * */
    struct jl_index subjects; /* struct cluster_subject * */
    struct jl_index racks;    /* struct cluster_rack *, by label */
    struct jl_index zones;    /* struct cluster_zone *, by label */
};

/* Orders over the nodes. All arrays are in one arena and are made again when DUE_ORDER is set;
 * until then their places stand in the nodes. */
struct order {
    struct jl_arena arena;
    struct cluster_node **all; /* by name */
    size_t count;
    int64_t *wake_ms; /* as all: from when on a step visits the node, WAKE_NOW = the next one */
    struct cluster_node **visits; /* of this step; room for all of them */
    struct cluster_node **known;  /* by name */
    size_t known_count;
    struct cluster_node **members; /* by rack, then by name */
    double *shares;                /* as members, W; 0 = unknown */
    double *ridden_w; /* as known: what a node shows that rides; JL_NO_RIDER of any other */
};

#define JL_NO_RIDER ((double)NAN) /* equals no power */

/* The last times at which every node was read; nodes that ride have taken some of them. */
struct repeats {
    int64_t at_ms[64]; /* by number, around */
    uint64_t count;
};

struct demand {
    int64_t pods[JL_DEMAND_CLASSES];
    double weighted;
    int64_t hp; /* performance nodes of the policy, before the guard */
};

/* What the policy reads and what it chose. */
struct plan {
    struct cluster_node **managed; /* by density */
    size_t count;
    struct jl_plan_node *nodes; /* as managed, kept up to date */
    uint32_t family_count;
    struct jl_plan_choice *choices; /* of this step */
    struct jl_plan_choice *decided; /* what was made of them; a reason of none = to be decided */
    void *scratch;
    struct jl_plan_state state;
    int64_t told_ms; /* its timer by the wall, as it was saved last */
    struct demand demand; /* as the last step counted it */
};

/* Of power_off_v1. */
struct power {
    int64_t recorded; /* nodes with a record */
    int64_t asleep;   /* those that stop or are off */
    int64_t held;     /* that the autoscaler has to keep */
    int64_t given_up; /* by the last step */
    bool is_decided;  /* the last step decided something */
    uint64_t next_id;
};

struct ledger_part {
    double watts;
    int64_t entries;
};

/* The nodes as placement sees them: first the known ones in name order, behind them those without a
 * Node object. */
struct rows {
    struct jl_place_node *nodes;
    struct cluster_node **owners; /* as nodes; so are ledger and is_part_due */
    struct ledger_part *ledger;   /* zeros without the setting */
    bool *is_part_due;
    bool is_ledger_due;         /* one of the parts is */
    struct jl_name_table names; /* row of each name; built when a request names nodes */
};

/* What the last step offered. Ids go up through the life of a model. */
struct writes {
    struct jl_cluster_write *items; /* by node name */
    size_t count;
    size_t capacity;
    struct jl_index new_names; /* object names that this step gives away -> struct cluster_node * */
    uint64_t first_id;
    uint64_t next_id;
    struct jl_arena bodies; /* texts that were asked for since the step */
};

struct joulie_cluster {
    struct jl_cluster_config config;
    struct jl_arena config_arena;
    const struct jl_selector *selector;
    struct joulie_place_config place_config; /* with what the heartbeat adds */
    struct jl_scoring_profile first_scoring; /* of the settings */
    bool wants_ledger;                       /* the same */
    int64_t twin_heartbeat_ms;
    int64_t control_period_ms; /* 0 = nothing waits for agents */
    struct jl_agent_rule agents;
    int64_t agents_due_ms; /* after this one of them may be silent */
    struct jl_wall wall;
    struct jl_stamp heartbeat;

    struct store store;
    struct cluster_rack rackless;
    struct joulie_cluster_facility facility;
    struct pod_load unbound;
    struct cluster_pod *unbound_pods;
    struct pod_load on_managed; /* of the pods on all managed nodes */
    struct cluster_pod *dirty_pods;
    struct cluster_node *unlinked;

    uint32_t due; /* DUE_* of the model */
    struct order order;
    struct repeats repeats;
    struct plan plan;
    struct rows rows;
    struct power power;
    int64_t gate_ms;      /* when the profiles' gate was last checked; INT64_MIN = never */
    int64_t next_gate_ms; /* when time alone closes the next one */
    int64_t step_ms;      /* the last step; INT64_MIN = none */
    bool has_resumed;     /* from what another one stored */
    int64_t resumed_ms;   /* until when that one was at work; NEVER = nobody knows */
    char step_text[JL_TIME_TEXT];
    struct jl_arena step_arena; /* what the writes and predictions of a step hold */
    struct writes writes;
    struct jl_arena answer_arena; /* of the last score or explanation */
    struct classifier classifier;
};

#define SCRATCH_BYTES ((size_t)512) /* first block of an arena for one key */

/* ---- index of pointers (index.c) ---- */

/* The item in slot i of an index, NULL = none; for walks over everything, in no order. */
void *jl_cluster_slot(const struct jl_index *index, size_t i);
void *jl_cluster_find(const struct jl_index *index, const char *name);
int jl_cluster_insert(struct jl_index *index, const char *name, void *item);
/* The item of that name, else a new one of size bytes, zeroed but for the name that it begins with;
 * NULL = out of memory. */
void *jl_cluster_find_or_make(struct jl_index *index, const char *name, size_t size);
/* One that owns nothing but its name. */
void jl_cluster_item_free(void *item);
/* "a/b" or "a/b/c" in the arena; NULL = out of memory. A NULL part reads as "". */
const char *jl_cluster_key(struct jl_arena *arena, const char *a, const char *b, struct jl_text c);

/* jl_cluster_find_or_make() and jl_cluster_find() of an item with a namespace; *out NULL = there is
 * none. 0 or JOULIE_E_NOMEM. */
void *jl_cluster_find_or_make_in(struct jl_index *index, const char *name_space, const char *name,
                                 size_t size);
int jl_cluster_find_in(const struct jl_index *index, const char *name_space, const char *name,
                       void **out);

/* Labels or annotations with one changed; value NULL takes it away. Texts are borrowed. */
int jl_cluster_copy_map(struct jl_arena *arena, const struct jl_map *from, const char *key,
                        const char *value, struct jl_map *out);
/* A deep copy of an object in an arena of its own. */
int jl_cluster_copy(const struct jl_table *table, const void *from, struct jl_arena *out_arena,
                    void *out);

/* The NodeTwin that counts; NULL = none. */
static inline const struct jl_node_twin *jl_cluster_twin_of(const struct cluster_node *node)
{
    return node->twins != NULL ? &node->twins->value.twin : NULL;
}

/* The spec that a prediction is about: as decided, else (and while the node is paused) as stored;
 * NULL = none, but the rack counts the node. */
static inline const struct jl_twin_spec *jl_cluster_spec_of(const struct cluster_node *node)
{
    if (node->scope == SCOPE_MANAGED && node->has_wanted && !node->is_paused)
        return &node->wanted;
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    return twin != NULL ? &twin->spec : NULL;
}

/* Of its object, if it has one: its own text where it can, as an object may go before a write. */
static inline const char *jl_cluster_twin_name(const struct cluster_node *node)
{
    if (node->twins == NULL)
        return NULL;
    return node->twins->has_node_name ? node->name : node->twins->name;
}

static inline const struct jl_hardware_status *
jl_cluster_hardware_of(const struct cluster_node *node)
{
    return node->hardware_objects != NULL ? &node->hardware_objects->value.hardware.status : NULL;
}

/* Without workloads and slices there is nothing to advise: an empty list, for which the racks need
 * not be summed. */
static inline bool jl_cluster_gives_advice(const struct cluster_node *node)
{
    return node->load.profile_pods > 0 || node->hardware.is_gpu_slicing_supported;
}

/* ---- nodes.c ---- */

/* Made when missing; NULL = no memory. */
struct cluster_node *jl_cluster_node_of(struct joulie_cluster *cluster, const char *name);
/* Frees it when nothing is left of it. */
void jl_cluster_node_release(struct joulie_cluster *cluster, struct cluster_node *node);
void jl_cluster_node_free(void *item);
/* Frees what was released while writes of a step could name it. */
void jl_cluster_free_unlinked(struct cluster_node **unlinked);
int jl_cluster_store_node(struct joulie_cluster *cluster, struct cluster_node *node,
                          const struct jl_node *value);
/* Its Node object went away. */
int jl_cluster_node_forget(struct joulie_cluster *cluster, struct cluster_node *node);
int jl_cluster_set_label(struct joulie_cluster *cluster, struct cluster_node *node,
                         const char *label);
/* Node, hardware or machine are stored. The texts of node->hardware must still be alive: they are
 * compared with the new ones. */
int jl_cluster_node_facts_changed(struct joulie_cluster *cluster, struct cluster_node *node);
void jl_cluster_node_twin_changed(struct joulie_cluster *cluster, struct cluster_node *node);
/* Of the twin only lastUpdated and the PSU stress have changed. */
void jl_cluster_node_twin_renewed(struct joulie_cluster *cluster, struct cluster_node *node);

/* ---- agents.c ---- */

struct jl_decode;

/* A Lease that is no agent's changes nothing. 0 or a code of the decoder, JOULIE_E_NOMEM. */
int jl_cluster_put_lease(struct joulie_cluster *cluster, struct jl_decode *decode,
                         struct joulie_error *err);
/* A pod was bound, changed, or goes: the next step asks whose agents are alive, if it is one's. */
void jl_cluster_agent_moved(struct joulie_cluster *cluster, const struct cluster_pod *pod);
/* Whose agents are silent now; the order is fresh. */
void jl_cluster_check_agents(struct joulie_cluster *cluster, int64_t now_ms);

/* ---- hold.c ---- */

/* Whether class and label of a node that was decided stay as they are stored. */
bool jl_cluster_is_held(const struct joulie_cluster *cluster, const struct cluster_node *node,
                        int64_t now_ms);
/* Its twin was stored: when its agent reported. */
void jl_cluster_see_reports(struct joulie_cluster *cluster, struct cluster_node *node);

/* ---- machines.c ---- */

int jl_cluster_remove_machine(struct joulie_cluster *cluster, const char *name);
/* 0, or JOULIE_E_RANGE for a flag that is neither 0 nor 1. */
int jl_cluster_check_flag(int32_t flag, const char *name, struct joulie_error *err);
/* A label or an annotation, unless the value is empty. */
void jl_cluster_add_pair(struct jl_pair *pairs, size_t *count, const char *key, const char *value);

/* ---- objects.c: joined by spec.nodeName ---- */

int jl_cluster_store_twin(struct joulie_cluster *cluster, const struct jl_node_twin *twin);
/* A status that differs from the stored one in numbers and times alone; but for the agent's part.
 * False: it does not, and nothing is done. */
bool jl_cluster_update_status(struct joulie_cluster *cluster, struct node_object *object,
                              const struct jl_twin_status *status);
int jl_cluster_remove_object(struct joulie_cluster *cluster, enum object_kind kind,
                             const char *name);
void jl_cluster_object_free(void *item);

/* ---- racks.c and facility.c ---- */

int jl_cluster_join_rack(struct joulie_cluster *cluster, struct cluster_node *node,
                         const char *label);
void jl_cluster_leave_rack(struct joulie_cluster *cluster, struct cluster_node *node);
/* 0 W = nobody measures it any more. 0 or JOULIE_E_NOMEM. */
int jl_cluster_measure_rack(struct joulie_cluster *cluster, const char *name, double power_w);
/* The sums of the racks that changed, and the stress of their supplies. */
void jl_cluster_sum_racks(struct joulie_cluster *cluster);
/* The zones that the settings name, with the temperature that is assumed there. */
int jl_cluster_open_zones(struct joulie_cluster *cluster);
int jl_cluster_join_zone(struct joulie_cluster *cluster, struct cluster_node *node,
                         const char *label);
void jl_cluster_leave_zone(struct joulie_cluster *cluster, struct cluster_node *node);
/* Outside temperature where the node stands. */
double jl_cluster_outside_c(const struct joulie_cluster_facility *facility,
                            const struct cluster_node *node, bool *out_is_known);

/* ---- pods: subjects.c, loads.c, pods.c, profiles.c ---- */

/* Made when missing; NULL = no memory. */
struct cluster_subject *jl_cluster_subject_of(struct jl_index *subjects, const char *key);
/* Frees it when nothing is left of it. */
void jl_cluster_release_subject(struct jl_index *subjects, struct cluster_subject *subject);
int jl_cluster_link_pod(struct jl_index *subjects, struct cluster_pod *pod);
void jl_cluster_unlink_pod(struct jl_index *subjects, struct cluster_pod *pod);
/* Of a pod that is in no store; *out is NULL where no profile matches. */
int jl_cluster_match(const struct joulie_cluster *cluster, const struct jl_pod *pod,
                     const struct jl_workload_profile **out);
/* The same of a pod that is linked. */
const struct jl_workload_profile *jl_cluster_pod_profile(const struct joulie_cluster *cluster,
                                                         const struct cluster_pod *pod);
/* The first profile of a subject, unless it is below the least confidence of the settings. */
const struct jl_workload_profile *jl_cluster_profile_of(const struct joulie_cluster *cluster,
                                                        const struct cluster_subject *subject);

void jl_cluster_count_pod(struct joulie_cluster *cluster, struct cluster_pod *pod, int64_t now_ms);
void jl_cluster_uncount_pod(struct joulie_cluster *cluster, struct cluster_pod *pod);
/* It is counted again by the next step; out of that list. */
void jl_cluster_pod_dirty(struct joulie_cluster *cluster, struct cluster_pod *pod);
void jl_cluster_pod_clean(struct joulie_cluster *cluster, struct cluster_pod *pod);
void jl_cluster_count_pods(struct joulie_cluster *cluster, int64_t now_ms);
/* Its pods count as demand of managed nodes, or no longer. */
void jl_cluster_load_moved(struct pod_load *on_managed, const struct cluster_node *node,
                           enum node_scope before);

/* Work: a pod whose facts are not all in its object, in count parts; names NULL = they wait. */
int jl_cluster_store_work(struct joulie_cluster *cluster, const struct jl_pod *pod,
                          const struct work_facts *work, const char *const *node_names,
                          size_t count, struct joulie_error *err);
int jl_cluster_remove_pod(struct joulie_cluster *cluster, const char *name_space, const char *name);
void jl_cluster_pod_free(void *item);
int jl_cluster_remove_profile(struct joulie_cluster *cluster, const char *name_space,
                              const char *name);
void jl_cluster_profile_free(void *item);
void jl_cluster_check_gates(struct joulie_cluster *cluster, int64_t now_ms);

/* What a piece of work holds of a node (ledger.c); nothing unless the scoring goes by it. */
struct jl_place_load jl_cluster_load_of(const struct joulie_cluster *cluster,
                                        const struct cluster_pod *pod);
void jl_cluster_hold(struct cluster_node *node, const struct jl_place_load *load, int sign);

/* ---- rows.c and ledger.c: for both the order has to be fresh ---- */

/* A node that nothing is known of. */
extern const struct jl_place_node jl_unknown_row;

void jl_cluster_read_row_hardware(const struct joulie_cluster *cluster,
                                  const struct cluster_node *node, struct jl_place_node *out);
void jl_cluster_set_row(struct joulie_cluster *cluster, struct cluster_node *node, size_t row);
void jl_cluster_set_row_facts(struct joulie_cluster *cluster, const struct cluster_node *node);
void jl_cluster_set_row_twin(struct joulie_cluster *cluster, const struct cluster_node *node);
/* A node as room for pods. */
void jl_cluster_room_of(const struct joulie_cluster *cluster, const struct cluster_node *node,
                        struct jl_room *out);
/* Before rows are looked up by name. 0 or JOULIE_E_NOMEM. */
int jl_cluster_open_names(struct joulie_cluster *cluster);
const struct jl_place_node *jl_cluster_row_of(const struct rows *rows, struct jl_text name);
void jl_cluster_refresh_ledger(struct joulie_cluster *cluster);
/* Of a node, now; needs no order. */
struct ledger_part jl_cluster_ledger_of(const struct joulie_cluster *cluster,
                                        const struct cluster_node *node);
/* What the pods on a node add to its idle watts (docs/rules/twin.md#node-power). */
struct jl_place_watts jl_cluster_allocation_of(const struct joulie_cluster *cluster,
                                               const struct cluster_node *node);
struct ledger_part jl_cluster_ledger_total(struct joulie_cluster *cluster);
/* The row with the work that is not in its readings yet: the row itself, or a copy in room. The
 * ledger has to be fresh. */
const struct jl_place_node *jl_cluster_loaded_row(const struct joulie_cluster *cluster,
                                                  const struct jl_place_node *row,
                                                  struct jl_place_node *room);

/* ---- readings.c ---- */

/* Like those below 0 or JOULIE_E_NOMEM. No event follows by itself. */
int jl_cluster_take_reading(struct cluster_node *node, const struct reading *reading);
/* Before a node's first reading, of that time: the samples that its stored trend stands for. 0 or
 * JOULIE_E_NOMEM. */
int jl_cluster_recall_trend(const struct joulie_cluster *cluster, struct cluster_node *node,
                            int64_t at_ms);
/* Before anything is read of a node's readings. */
int jl_cluster_catch_up(struct joulie_cluster *cluster, struct cluster_node *node);
/* After a prediction: whether the node rides from now on. */
void jl_cluster_set_rider(struct joulie_cluster *cluster, struct cluster_node *node);
/* It rides no longer, and is predicted again. */
int jl_cluster_alight(struct joulie_cluster *cluster, struct cluster_node *node);
/* Nobody rides on repeats that have ended. */
int jl_cluster_check_riders(struct joulie_cluster *cluster, int64_t now_ms);
/* Around a reading of every node; in between those that do not show what they rode on take it. */
int jl_cluster_open_repeat(struct joulie_cluster *cluster);
void jl_cluster_close_repeat(struct joulie_cluster *cluster, int64_t at_ms);

/* ---- order.c and the step ---- */

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

void jl_cluster_free_order(struct joulie_cluster *cluster);
int jl_cluster_refresh_order(struct joulie_cluster *cluster);
/* limits.c: the GPU caps of a policy that reads work; 0 or JOULIE_E_NOMEM */
int jl_cluster_limit_gpus(struct joulie_cluster *cluster, const struct jl_waiting_pod *waiting,
                          size_t count, int64_t now_ms);

/* What the policy reads of pods. */
static inline enum jl_policy_reads jl_cluster_reads(const struct joulie_cluster *cluster)
{
    return jl_policy_of(cluster->config.policy.type)->reads;
}

/* decide.c: demand, plan, guard, caps */
int jl_cluster_decide(struct joulie_cluster *cluster, int64_t now_ms);
/* It waits for a node, and the policy decides by such work. */
bool jl_cluster_awaits(const struct joulie_cluster *cluster, const struct cluster_pod *pod);
void jl_cluster_want(struct joulie_cluster *cluster, struct cluster_node *node,
                     const struct jl_guard_output *guard);
bool jl_cluster_same_spec(const struct jl_twin_spec *a, const struct jl_twin_spec *b);
/* The pods on no node that are awaited, in queue order, in the step's arena. */
int jl_cluster_read_waiting(struct joulie_cluster *cluster, int64_t now_ms,
                            bool (*is_awaited)(const struct joulie_cluster *cluster,
                                               const struct cluster_pod *pod),
                            const struct jl_waiting_pod **out, size_t *out_count);

/* ---- power_off_v1: power_facts.c, power.c, power_commands.c, power_writes.c ---- */

/* What the Node says of it was stored anew. */
void jl_cluster_read_power(struct joulie_cluster *cluster, struct cluster_node *node);
/* The next record of each node, and the commands of those that are stored. */
int jl_cluster_decide_power(struct joulie_cluster *cluster, int64_t now_ms);
/* Work that waits while nodes are off. */
bool jl_cluster_wakes_for(const struct joulie_cluster *cluster, const struct cluster_pod *pod);
struct jl_power_case jl_cluster_power_case(const struct joulie_cluster *cluster,
                                           const struct cluster_node *node, int64_t now_ms);
/* What the last step decided. */
enum jl_power_action jl_cluster_power_action(const struct node_power *power);
/* conditions.c: why the conditions of the twin and its generation are worth a write, of a node with
 * a status; NULL = they are as stored. */
const char *jl_cluster_condition_change(const struct cluster_node *node);
/* The status as it is written, with its conditions and those of others; node->status unless there
 * are any. 0 or JOULIE_E_NOMEM. */
int jl_cluster_put_conditions(struct joulie_cluster *cluster, const struct cluster_node *node,
                              struct jl_cluster_write *write);
#define JL_WRITTEN_ANNOTATIONS (JL_POWER_ANNOTATIONS + JL_HOLD_ANNOTATIONS)

/* The annotations that a write changes; their number. Those of a hold only where it is another one:
 * what somebody else says is not touched. */
size_t jl_cluster_power_annotations(const struct jl_power_write *write,
                                    struct jl_pair out[JL_WRITTEN_ANNOTATIONS]);
/* What a record makes of the Node itself. */
int jl_cluster_set_power(struct joulie_cluster *cluster, struct cluster_node *node,
                         const struct jl_power_write *write);
/* Taints but ours, that live as long as the arena. */
int jl_cluster_copy_taints(struct jl_arena *arena, const struct jl_list *taints,
                           struct jl_list *out);
/* The commands that records ask for now; one that was given stays while its record does. */
void jl_cluster_give_command(struct joulie_cluster *cluster, struct cluster_node *node,
                             int64_t now_ms);

/* predict.c: twins and sums of racks */
int jl_cluster_predict(struct joulie_cluster *cluster, int64_t now_ms, struct joulie_error *err);
/* What needs the racks' sums: advice, and the reason to write the status. */
int jl_cluster_finish_node(struct joulie_cluster *cluster, struct cluster_node *node);
/* The prediction with all its members. */
const struct jl_twin_status *jl_cluster_status_of(struct cluster_node *node);
/* status_change.c: why the status is worth a write, the PSU stress apart; NULL = what is stored is
 * close enough. */
const char *jl_cluster_status_change(const struct jl_cluster_config *config,
                                     const struct jl_twin_status *stored,
                                     const struct jl_twin_status *next);
const char *jl_cluster_psu_change(const struct jl_cluster_config *config,
                                  const struct cluster_node *node);
/* writes.c */
int jl_cluster_collect_writes(struct joulie_cluster *cluster, int64_t now_ms);
/* outcomes.c: a write of the last step; NULL = there is none, err is filled */
const struct jl_cluster_write *jl_cluster_write_of(const struct writes *writes, uint64_t id,
                                                   struct joulie_error *err);
/* Writes of the last step about a machine that was forgotten. */
void jl_cluster_void_writes(struct writes *writes, const char *node_name);
