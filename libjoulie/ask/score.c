/* SPDX-License-Identifier: Apache-2.0 */
/* score: filter and score of a pod over nodes (cli.md §2, joulie-scheduler.md §3.4-§7). */
#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "kinds/effective.h"
#include "place/place.h"
#include "place/profile.h"
#include "place/terms.h"

struct score_node {
    uint64_t has;
    const char *name;
    struct jl_map labels;
    struct jl_node_twin twin;
    struct jl_node_hardware hardware;
};

enum { NODE_NAME, NODE_LABELS, NODE_TWIN, NODE_HARDWARE };

struct score_in {
    uint64_t has;
    struct jl_pod pod;
    struct jl_list nodes; /* struct score_node */
    struct jl_workload_profile profile;
    enum joulie_place_rules rules;
    double staleness_s;
    int64_t heartbeat_ms;
    int64_t now_ms;
    struct jl_scoring_profile scoring;
};

enum { IN_POD, IN_NODES, IN_PROFILE, IN_RULES, IN_STALENESS, IN_HEARTBEAT, IN_NOW, IN_SCORING };

struct demand_out {
    uint64_t has;
    double cpu_cores;
    double memory_bytes;
    double gpu_count;
    enum joulie_gpu_vendor gpu_vendor;
};

enum { DEMAND_CPU, DEMAND_MEMORY, DEMAND_GPUS, DEMAND_VENDOR };

struct node_out {
    uint64_t has;
    const char *node;
    int64_t score;
    int64_t wire;
    double raw;
    struct jl_score_terms terms;
    enum joulie_basis basis;
};

enum { SCORE_NODE, SCORE_SCORE, SCORE_WIRE, SCORE_RAW, SCORE_TERMS, SCORE_BASIS };

struct score_out {
    uint64_t has;
    enum joulie_workload_class class_;
    struct demand_out demand;
    struct jl_list passed; /* names */
    struct jl_map failed;  /* name to reason */
    struct jl_list scores; /* struct node_out */
};

enum { OUT_CLASS, OUT_DEMAND, OUT_PASSED, OUT_FAILED, OUT_SCORES };

static const struct jl_row node_rows[] = {
    [NODE_NAME] =
        JL_STRING(score_node, name, "name", .flags = JL_REQUIRED, .doc = "Name of the node."),
    [NODE_LABELS] = JL_MAP(score_node, labels, "labels", .doc = "Labels of the node."),
    [NODE_TWIN] = JL_OBJECT(score_node, twin, "twin", &jl_node_twin_table, .doc = "Its NodeTwin."),
    [NODE_HARDWARE] = JL_WHOLE(score_node, hardware, "hardware", &jl_node_hardware_table, "status",
                               .doc = "Its NodeHardware or the status of it."),
};
static const struct jl_table node_table = JL_TABLE(score_node, node_rows);

static const struct jl_row in_rows[] = {
    [IN_POD] = JL_OBJECT(score_in, pod, "pod", &jl_pod_table, .flags = JL_REQUIRED,
                         .doc = "The pod to place."),
    [IN_NODES] = JL_LIST(score_in, nodes, "nodes", &node_table, .flags = JL_REQUIRED,
                         .doc = "Candidate nodes."),
    [IN_PROFILE] = JL_OBJECT(score_in, profile, "profile", &jl_workload_profile_table,
                             .doc = "The WorkloadProfile that matches the pod."),
    [IN_RULES] = JL_ENUM(score_in, rules, "profileName", &jl_place_rules_words,
                         .doc = "Scoring formula; current is the default."),
    [IN_STALENESS] = JL_NUMBER(score_in, staleness_s, "stalenessS", .flags = JL_NOT_NEGATIVE,
                               .doc = "Age at which a twin is no longer fresh, s (300)."),
    [IN_HEARTBEAT] =
        JL_TIME(score_in, heartbeat_ms, "heartbeat", .doc = "Last heartbeat of the operator."),
    [IN_NOW] =
        JL_TIME(score_in, now_ms, "now", .flags = JL_REQUIRED, .doc = "Time of the decision."),
    [IN_SCORING] =
        JL_OBJECT(score_in, scoring, "scoring", &jl_scoring_profile_table,
                  .doc = "Scoring profile: weights, thresholds, power limit and spread."),
};
static const struct jl_table in_table = JL_TABLE(score_in, in_rows);

static const struct jl_row demand_rows[] = {
    [DEMAND_CPU] = JL_NUMBER(demand_out, cpu_cores, "cpuCores", .doc = "CPU cores."),
    [DEMAND_MEMORY] = JL_NUMBER(demand_out, memory_bytes, "memoryBytes", .doc = "Bytes of memory."),
    [DEMAND_GPUS] =
        JL_NUMBER(demand_out, gpu_count, "gpuCount", .doc = "GPUs, a MIG slice as a part of one."),
    [DEMAND_VENDOR] = JL_ENUM(demand_out, gpu_vendor, "gpuVendor", &jl_gpu_vendor_words,
                              .doc = "Vendor of the GPUs."),
};
static const struct jl_table demand_table = JL_TABLE(demand_out, demand_rows);

static const struct jl_row score_rows[] = {
    [SCORE_NODE] = JL_STRING(node_out, node, "node", .doc = "Name of the node."),
    [SCORE_SCORE] = JL_INTEGER(node_out, score, "score", .doc = "Clamped to 0…100 and truncated."),
    [SCORE_WIRE] = JL_INTEGER(node_out, wire, "wire", .doc = "What is sent to kube-scheduler."),
    [SCORE_RAW] = JL_NUMBER(node_out, raw, "raw", .doc = "Sum of the terms; absent unless fresh."),
    [SCORE_TERMS] = JL_OBJECT(node_out, terms, "terms", &jl_score_terms_table,
                              .doc = "Signed contributions; absent unless fresh."),
    [SCORE_BASIS] =
        JL_ENUM(node_out, basis, "basis", &jl_place_basis_words, .doc = "What the score rests on."),
};
static const struct jl_table score_table = JL_TABLE(node_out, score_rows);

static const struct jl_row out_rows[] = {
    [OUT_CLASS] = JL_ENUM(score_out, class_, "workloadClass", &jl_pod_class_words,
                          .doc = "Class of the pod."),
    [OUT_DEMAND] = JL_OBJECT(score_out, demand, "marginalDemand", &demand_table,
                             .doc = "What the pod asks for."),
    [OUT_PASSED] = JL_STRINGS(score_out, passed, "passed",
                              .doc = "Nodes that the pod may use, in input order."),
    [OUT_FAILED] =
        JL_MAP(score_out, failed, "failed", .doc = "Nodes that it may not use, with the reason."),
    [OUT_SCORES] =
        JL_LIST(score_out, scores, "scores", &score_table, .doc = "Every node, in input order."),
};
static const struct jl_table out_table = JL_TABLE(score_out, out_rows);

#define LONGEST_STALENESS_MS 1e15

static void read_config(const struct score_in *input, struct jl_place_config *out)
{
    jl_place_config_init(out, JL_HAS(input, IN_RULES) ? input->rules : JOULIE_PLACE_RULES_CURRENT);
    if (JL_HAS(input, IN_SCORING))
        jl_scoring_profile_apply(&input->scoring, out);
    if (JL_HAS(input, IN_STALENESS))
        out->freshness.staleness_ms =
            (int64_t)jl_min(jl_round_half_away(input->staleness_s * 1000), LONGEST_STALENESS_MS);
    out->freshness.has_heartbeat = JL_HAS(input, IN_HEARTBEAT);
    out->freshness.heartbeat_ms = input->heartbeat_ms;
}

/* Two places to name the rules may not differ. */
static int check_rules(struct jl_ask *ask, const struct score_in *input)
{
    if (JL_HAS(input, IN_SCORING) && !jl_scoring_profile_is_known(&input->scoring))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "scoring.version", "%s",
                           jl_scoring_profile_unknown);
    if (JL_HAS(input, IN_RULES) && JL_HAS(input, IN_SCORING) &&
        JL_HAS(&input->scoring, JL_SCORING_RULES) && input->scoring.rules != input->rules)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "scoring.profileName",
                           "scoring.profileName and profileName differ");
    return 0;
}

/* The source rules know neither catalog nor labels (joulie-scheduler.md §3.3). */
static void read_hardware(const struct score_node *given, enum joulie_place_rules rules,
                          struct jl_place_node *out)
{
    const struct jl_hardware_status *status =
        JL_HAS(given, NODE_HARDWARE) ? &given->hardware.status : NULL;
    const struct jl_node node = { .meta = { .labels = given->labels } };
    struct jl_hardware hardware;
    if (rules == JOULIE_PLACE_RULES_CURRENT)
        jl_hardware_resolve(status, &node, JL_HARDWARE_CURRENT, &hardware);
    else
        jl_hardware_resolve(status, NULL, JL_HARDWARE_V0_1_0, &hardware);
    jl_place_set_hardware(out, &hardware, rules);
}

static void read_node(const struct score_node *given, enum joulie_place_rules rules,
                      struct jl_place_node *out)
{
    *out = (struct jl_place_node){ 0 };
    jl_place_set_twin(out, JL_HAS(given, NODE_TWIN) ? &given->twin.status : NULL);
    jl_place_set_label(out, jl_map_get(&given->labels, JL_LABEL_POWER_PROFILE));
    read_hardware(given, rules, out);
}

static int fail_demand(struct jl_ask *ask, const struct jl_demand_fault *fault)
{
    const struct jl_path pod = { .key = jl_text("pod") };
    const struct jl_path spec = { .up = &pod, .key = jl_text("spec") };
    const struct jl_path list = { .up = &spec, .key = jl_text(fault->list) };
    const struct jl_path item = { .up = &list, .index = fault->index };
    const struct jl_path resources = { .up = &item, .key = jl_text("resources") };
    const struct jl_path part = { .up = &resources, .key = jl_text(fault->part) };
    const struct jl_path key = { .up = fault->part != NULL ? &part : &list,
                                 .key = jl_text(fault->key) };
    return jl_decode_fail(ask->decode, fault->code, &key, SIZE_MAX,
                          "\"%.64s\" is not a quantity of a resource",
                          fault->text != NULL ? fault->text : "");
}

/* Two nodes of one name would make one of the answers unreadable. */
static int check_names(struct jl_ask *ask, const struct jl_list *nodes)
{
    JL_CLEANUP(jl_index_clear) struct jl_index names = { 0 };
    const struct jl_path list = { .key = jl_text("nodes") };
    int rc = 0;
    for (size_t i = 0; i < nodes->count && rc == 0; i++) {
        const char *name = JL_ITEM(*nodes, score_node, i)->name;
        const struct jl_path item = { .up = &list, .index = i };
        const struct jl_path at = { .up = &item, .key = jl_text("name") };
        if (name != NULL)
            rc = jl_ask_name_once(ask, &names, name, &at);
    }
    return rc;
}

static void put_demand(const struct jl_pod_demand *demand, struct score_out *result)
{
    struct demand_out *out = &result->demand;
    JL_MARK(result, OUT_DEMAND);
    JL_PUT(out, DEMAND_CPU, cpu_cores, demand->cpu_cores);
    JL_PUT(out, DEMAND_MEMORY, memory_bytes, demand->memory_bytes);
    JL_PUT(out, DEMAND_GPUS, gpu_count, demand->gpu_count);
    if (demand->gpu_vendor != JOULIE_GPU_VENDOR_UNKNOWN)
        JL_PUT(out, DEMAND_VENDOR, gpu_vendor, demand->gpu_vendor);
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
        out->failed == NULL || out->out == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

static void put_node(const struct score_node *node, const struct jl_place_score *score, int wire,
                     enum joulie_place_rules rules, struct node_out *out)
{
    JL_PUT(out, SCORE_NODE, node, node->name);
    JL_PUT(out, SCORE_SCORE, score, score->score);
    JL_PUT(out, SCORE_WIRE, wire, wire);
    JL_PUT(out, SCORE_BASIS, basis, score->basis);
    if (score->basis != JOULIE_BASIS_FRESH)
        return;
    JL_PUT(out, SCORE_RAW, raw, score->raw);
    JL_MARK(out, SCORE_TERMS);
    jl_score_terms_of(score, rules, &out->terms);
}

static void put_nodes(const struct score_in *input, const struct jl_place_config *config,
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
                (struct jl_pair){ node->name, joulie_place_reject_text(work->rejects[i]) };
    }
    JL_PUT(result, OUT_PASSED, passed, ((struct jl_list){ work->passed, passed }));
    JL_PUT(result, OUT_FAILED, failed, ((struct jl_map){ work->failed, failed }));
    JL_PUT(result, OUT_SCORES, scores, ((struct jl_list){ work->out, input->nodes.count }));
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct score_in *input = in;
    struct score_out *result = out;
    const struct jl_workload_profile *profile = JL_HAS(input, IN_PROFILE) ? &input->profile : NULL;
    struct jl_place_config config;
    struct jl_pod_view pod;
    struct jl_demand_fault fault;
    struct work work = { 0 };
    int rc = check_rules(ask, input);
    if (rc < 0)
        return rc;
    read_config(input, &config);
    jl_pod_view_init(&input->pod, profile, config.rules, input->now_ms, &pod, &fault);
    if (fault.count > 0)
        return fail_demand(ask, &fault);
    rc = check_names(ask, &input->nodes);
    if (rc == 0)
        rc = make_room(ask, input->nodes.count, &work);
    if (rc < 0)
        return rc;

    for (size_t i = 0; i < input->nodes.count; i++)
        read_node(JL_ITEM(input->nodes, score_node, i), config.rules, &work.nodes[i]);
    jl_place_all(&config, &pod, work.nodes, input->nodes.count, input->now_ms, work.rejects,
                 work.scores);
    jl_place_wires(&config, work.rejects, work.scores, input->nodes.count,
                   (int)ask->options.score_range, work.wires);
    JL_PUT(result, OUT_CLASS, class_, pod.class_);
    put_demand(&pod.demand, result);
    put_nodes(input, &config, &work, result);
    return 0;
}

const struct jl_question jl_question_score = {
    .name = "score",
    .summary = "Filter and score nodes for a pod",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
