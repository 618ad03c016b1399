/* SPDX-License-Identifier: Apache-2.0 */

/* score: filter and score of a pod over nodes (docs/rules/placement.md#score). */
#include <joulie/error.h>

#include "ask/ask.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "kinds/effective.h"
#include "place/place.h"
#include "place/profile.h"
#include "place/terms.h"
#include "policy/admission.h"
#include "policy/policy.h"
#include "policy/power_record.h"

#define RECORD score_node
#define MEMBERS                                                                                \
    STRING(name, "name", "Name of the node.", REQUIRED)                                        \
    MAP(labels, "labels", "Labels of the node.")                                               \
    OBJECT(twin, "twin", jl_node_twin, "Its NodeTwin.")                                        \
    OBJECT(node, "node", jl_node,                                                              \
           "Its Node: one that is switched off takes no pod, others may have no room for it.") \
    WHOLE(hardware, "hardware", jl_node_hardware, "status",                                    \
          "Its NodeHardware or the status of it.")                                             \
    NUMBER(allocatable_cores, "allocatableCores", "Cores that pods may use, for efficiency.",  \
           NOT_NEGATIVE)                                                                       \
    LIST(pods, "pods", jl_pod, "Pods on it: what it has left, and its load for efficiency.")
#include "schema/record.h"

#define RECORD score_in
#define MEMBERS                                                                                  \
    OBJECT(pod, "pod", jl_pod, "The pod to place.", REQUIRED)                                    \
    LIST(nodes, "nodes", score_node, "Candidate nodes.", REQUIRED)                               \
    OBJECT(profile, "profile", jl_workload_profile, "The WorkloadProfile that matches the pod.") \
    ENUM(rules, "profileName", joulie_place_rules, jl_place_rules_words,                         \
         "Scoring formula; current is the default.")                                             \
    NUMBER(staleness_s, "stalenessS", "Age at which a twin is no longer fresh, s (300).",        \
           NOT_NEGATIVE)                                                                         \
    TIME(heartbeat_ms, "heartbeat", "Last heartbeat of the operator.")                           \
    TIME(now_ms, "now", "Time of the decision.", REQUIRED)                                       \
    OBJECT(scoring, "scoring", jl_scoring_profile,                                               \
           "Scoring profile: weights, thresholds, power limit and spread.")
#include "schema/record.h"

#define RECORD demand_out
#define MEMBERS                                                          \
    NUMBER(cpu_cores, "cpuCores", "CPU cores.")                          \
    NUMBER(memory_bytes, "memoryBytes", "Bytes of memory.")              \
    NUMBER(gpu_count, "gpuCount", "GPUs, a MIG slice as a part of one.") \
    ENUM(gpu_vendor, "gpuVendor", joulie_gpu_vendor, jl_gpu_vendor_words, "Vendor of the GPUs.")
#include "schema/record.h"

#define RECORD node_out
#define MEMBERS                                                                          \
    STRING(node, "node", "Name of the node.")                                            \
    INTEGER(score, "score", "Clamped to 0…100 and truncated.")                           \
    INTEGER(wire, "wire", "What is sent to kube-scheduler.")                             \
    NUMBER(raw, "raw", "Sum of the terms; absent unless fresh.")                         \
    OBJECT(terms, "terms", jl_score_terms, "Signed contributions; absent unless fresh.") \
    ENUM(basis, "basis", joulie_basis, jl_place_basis_words, "What the score rests on.")
#include "schema/record.h"

#define RECORD score_out
#define MEMBERS                                                                                   \
    ENUM(class_, "workloadClass", joulie_workload_class, jl_pod_class_words, "Class of the pod.") \
    OBJECT(demand, "marginalDemand", demand_out, "What the pod asks for.")                        \
    /* names */                                                                                   \
    STRINGS(passed, "passed", "Nodes that the pod may use, in input order.")                      \
    /* name to reason */                                                                          \
    MAP(failed, "failed", "Nodes that it may not use, with the reason.")                          \
    /* name to reasons */                                                                         \
    MAP(unfit, "unfit",                                                                           \
        "Nodes that kube-scheduler would not give it, with the reasons: labels, taints, "         \
        "resources.")                                                                             \
    LIST(scores, "scores", node_out, "Every node, in input order.")
#include "schema/record.h"

#define LONGEST_STALENESS_MS 1e15

static void read_config(const struct score_in *input, struct joulie_place_config *out)
{
    jl_place_config_init(out, JL_GIVEN_OR(input, rules, JOULIE_PLACE_RULES_CURRENT));
    if (input->given.scoring)
        jl_scoring_profile_apply(&input->scoring, out);
    if (input->given.staleness_s)
        out->staleness_ms =
            (int64_t)jl_min(jl_round_half_away(input->staleness_s * 1000), LONGEST_STALENESS_MS);
    out->has = input->given.heartbeat_ms ? JOULIE_PLACE_CONFIG_HAS_HEARTBEAT : 0;
    out->heartbeat_ms = input->heartbeat_ms;
}

/* Two places to name the rules may not differ. */
static int check_rules(struct jl_ask *ask, const struct score_in *input)
{
    if (input->given.scoring && !jl_scoring_profile_is_known(&input->scoring))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "scoring.version", "%s",
                           jl_scoring_profile_unknown);
    if (input->given.rules && input->given.scoring && input->scoring.given.rules &&
        input->scoring.rules != input->rules)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "scoring.profileName",
                           "scoring.profileName and profileName differ");
    return 0;
}

/* The source rules know neither catalog nor labels. */
static void read_hardware(const struct score_node *given, enum joulie_place_rules rules,
                          struct jl_place_node *out)
{
    const struct jl_hardware_status *status =
        given->given.hardware ? &given->hardware.status : NULL;
    const struct jl_node node = { .meta = { .labels = given->labels } };
    struct jl_hardware hardware;
    if (jl_place_is_ours(rules))
        jl_hardware_resolve(status, &node, JL_HARDWARE_CURRENT, &hardware);
    else
        jl_hardware_resolve(status, NULL, JL_HARDWARE_V0_1_0, &hardware);
    jl_place_set_hardware(out, &hardware, rules);
}

/* DaemonSet and mirror pods are on any node, and pods that are over hold nothing. */
static void read_load(const struct score_node *given, struct jl_place_node *out)
{
    struct jl_place_load sum = { .work = 0 };
    for (size_t i = 0; i < given->pods.count; i++) {
        const struct jl_pod *pod = JL_ITEM(given->pods, jl_pod, i);
        struct joulie_work needs;
        if (!jl_pod_is_demand(pod, JL_POLICY_CURRENT))
            continue;
        jl_pod_request(pod, &needs);
        const struct jl_place_load load = jl_place_load_of(&needs);
        jl_place_load_add(&sum, &load, 1);
    }
    jl_place_set_load(out, &sum);
    jl_place_set_allocatable(out, given->allocatable_cores);
}

/* By its Node, else by what its twin says of that. */
static bool is_off(const struct score_node *given)
{
    struct jl_power_record record;
    if (!given->given.node)
        return jl_twin_is_off(&given->twin.status);
    jl_power_record_of(&given->node, &record);
    return record.is_drained;
}

static void read_node(const struct score_node *given, enum joulie_place_rules rules,
                      struct jl_place_node *out)
{
    *out = (struct jl_place_node){ 0 };
    jl_place_set_twin(out, given->given.twin ? &given->twin.status : NULL);
    jl_place_set_label(out, jl_map_get(&given->labels, JL_LABEL_POWER_PROFILE));
    read_hardware(given, rules, out);
    if (rules == JOULIE_PLACE_RULES_EFFICIENCY)
        read_load(given, out);
    if (is_off(given))
        out->closed = JOULIE_REJECT_OFF;
}

static int fail_demand(struct jl_ask *ask, const struct jl_demand_fault *fault)
{
    const char *where = fault->part != NULL
                            ? jl_ask_path(ask, "pod.spec.%s[%zu].resources.%s.%s", fault->list,
                                          fault->index, fault->part, fault->key)
                            : jl_ask_path(ask, "pod.spec.%s.%s", fault->list, fault->key);
    return jl_ask_fail(ask, fault->code, where, "\"%.64s\" is not a quantity of a resource",
                       fault->text != NULL ? fault->text : "");
}

/* Two nodes of one name would make one of the answers unreadable. */
static int check_names(struct jl_ask *ask, const struct jl_list *nodes)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    int rc = 0;
    for (size_t i = 0; i < nodes->count && rc == 0; i++) {
        const char *name = JL_ITEM(*nodes, score_node, i)->name;
        if (name != NULL)
            rc = jl_ask_name_once(ask, &names, name, "nodes[%zu].name", i);
    }
    return rc;
}

static void put_demand(const struct joulie_work *demand, struct score_out *result)
{
    struct demand_out *out = &result->demand;
    result->given.demand = true;
    JL_SET(out, cpu_cores, demand->cpu_cores);
    JL_SET(out, memory_bytes, demand->memory_bytes);
    JL_SET(out, gpu_count, demand->gpu_count);
    JL_SET_IF(out, gpu_vendor, demand->gpu_vendor != JOULIE_GPU_VENDOR_UNKNOWN, demand->gpu_vendor);
}

/* Everything whose size is the number of nodes. */
struct work {
    struct jl_place_node *nodes;
    enum joulie_reject *rejects;
    struct jl_place_score *scores;
    const char **passed;
    struct jl_pair *failed;
    int *wires;
    struct node_out *out;
};

static int make_room(struct jl_ask *ask, size_t count, struct work *out)
{
    out->nodes = JL_NEW_ARRAY(ask->arena, count + 1, struct jl_place_node);
    out->rejects = JL_NEW_ARRAY(ask->arena, count + 1, enum joulie_reject);
    out->scores = JL_NEW_ARRAY(ask->arena, count + 1, struct jl_place_score);
    out->passed = JL_NEW_ARRAY(ask->arena, count + 1, const char *);
    out->failed = JL_NEW_ARRAY(ask->arena, count + 1, struct jl_pair);
    out->wires = JL_NEW_ARRAY(ask->arena, count + 1, int);
    out->out = JL_NEW_ARRAY(ask->arena, count + 1, struct node_out);
    if (out->nodes == NULL || out->rejects == NULL || out->scores == NULL || out->passed == NULL ||
        out->failed == NULL || out->wires == NULL || out->out == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

static void put_node(const struct score_node *node, const struct jl_place_score *score, int wire,
                     enum joulie_place_rules rules, struct node_out *out)
{
    JL_SET(out, node, node->name);
    JL_SET(out, score, score->score);
    JL_SET(out, wire, wire);
    JL_SET(out, basis, score->basis);
    if (score->basis != JOULIE_BASIS_FRESH)
        return;
    JL_SET(out, raw, score->raw);
    out->given.terms = true;
    jl_score_terms_of(score, rules, &out->terms);
}

static void put_nodes(const struct score_in *input, const struct joulie_place_config *config,
                      const struct work *work, struct score_out *result)
{
    size_t passed = 0;
    size_t failed = 0;
    for (size_t i = 0; i < input->nodes.count; i++) {
        const struct score_node *node = JL_ITEM(input->nodes, score_node, i);
        put_node(node, &work->scores[i], work->wires[i], config->rules, &work->out[i]);
        if (work->rejects[i] == JOULIE_REJECT_NONE)
            work->passed[passed++] = node->name;
        else
            work->failed[failed++] =
                (struct jl_pair){ node->name, joulie_place_reject_text((int)work->rejects[i]) };
    }
    JL_SET(result, passed, ((struct jl_list){ work->passed, passed }));
    JL_SET(result, failed, ((struct jl_map){ work->failed, failed }));
    JL_SET(result, scores, ((struct jl_list){ work->out, input->nodes.count }));
}

/* Of the nodes that come with their Node. */
static int put_unfit(struct jl_ask *ask, const struct score_in *input, struct score_out *result)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer reasons = { 0 };
    struct jl_pair *unfit = JL_NEW_ARRAY(ask->arena, input->nodes.count + 1, struct jl_pair);
    size_t count = 0;
    if (unfit == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < input->nodes.count; i++) {
        const struct score_node *node = JL_ITEM(input->nodes, score_node, i);
        jl_buffer_reset(&reasons);
        if (node->given.node)
            jl_put_unfit(&input->pod, &node->node, node->given.pods ? &node->pods : NULL, &reasons);
        if (reasons.len == 0 && jl_buffer_code(&reasons) == 0)
            continue;
        const char *text = jl_arena_copy(ask->arena, reasons.data, reasons.len);
        if (jl_buffer_code(&reasons) < 0 || text == NULL)
            return jl_fail_memory(ask->err);
        unfit[count++] = (struct jl_pair){ node->name, text };
    }
    if (count > 0)
        JL_SET(result, unfit, ((struct jl_map){ unfit, count }));
    return 0;
}

static int answer_score(struct jl_ask *ask, const struct score_in *input, struct score_out *result)
{
    const struct jl_workload_profile *profile = input->given.profile ? &input->profile : NULL;
    struct joulie_place_config config;
    struct joulie_work pod;
    struct jl_demand_fault fault;
    struct work work = { 0 };
    int rc = check_rules(ask, input);
    if (rc < 0)
        return rc;
    read_config(input, &config);
    jl_work_of_pod(&input->pod, profile, config.rules, input->now_ms, &pod, &fault);
    if (fault.count > 0)
        return fail_demand(ask, &fault);
    rc = check_names(ask, &input->nodes);
    if (rc == 0)
        rc = make_room(ask, input->nodes.count, &work);
    if (rc < 0)
        return rc;

    for (size_t i = 0; i < input->nodes.count; i++)
        read_node(JL_ITEM(input->nodes, score_node, i), config.rules, &work.nodes[i]);
    jl_place_all(&config, &pod, work.nodes, input->nodes.count, input->now_ms,
                 (int)ask->options.score_range, work.rejects, work.scores, work.wires);
    JL_SET(result, class_, pod.workload_class);
    put_demand(&pod, result);
    put_nodes(input, &config, &work, result);
    rc = put_unfit(ask, input, result);
    if (rc < 0)
        return rc;
    if (jl_place_is_ours(config.rules))
        jl_ask_check_annotations(ask, "pod.metadata", &input->pod.meta.annotations);
    return 0;
}

JL_QUESTION(score, "score", "Filter and score nodes for a pod");
