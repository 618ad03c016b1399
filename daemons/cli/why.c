/* SPDX-License-Identifier: Apache-2.0 */

/* Why a pod is where it is, or why it waits: each node, passed or failed, and the terms of its
 * score, as the scheduler's extender has them now (docs/rules/commands.md#why). */

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cluster.h"
#include "overview.h"
#include "ranking.h"

/* ---- fetching ---- */

static int add_pod(struct jd_cluster *cluster, const char *name, struct json_object *doc)
{
    const char *name_space = jd_access_namespace(cluster->access);
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    struct json_object *pod = jd_cluster_get(cluster, &jd_pods, name_space, name, &got);
    char what[320];
    int status = JD_EXIT_OK;
    snprintf(what, sizeof what, "pod %s/%s", name_space, name);
    if (pod)
        json_object_object_add(doc, "pod", pod);
    else
        status = jd_cluster_fail(cluster, &got, what);
    return status;
}

/* Pod, nodes, pods on them, twins, hardware and profiles as the API has them. */
static int collect(const struct jd_call *call, struct jd_cluster *cluster, struct json_object *doc)
{
    const struct jd_collection parts[] = {
        { "nodes", { .resource = &jd_nodes, .labels = call->values.selector } },
        { "pods",
          { .resource = &jd_pods,
            .fields = "status.phase!=Succeeded,status.phase!=Failed",
            .is_text = true } },
        { "twins", { .resource = &jd_node_twins } },
        { "hardware", { .resource = &jd_node_hardwares, .is_optional = true } },
        { "profiles",
          { .resource = &jd_workload_profiles,
            .name_space = jd_access_namespace(cluster->access),
            .is_optional = true } },
    };

    int status = add_pod(cluster, call->arguments[0], doc);
    if (status == JD_EXIT_OK)
        status = jd_cluster_add(cluster, parts, JL_COUNT(parts), doc);
    return status;
}

/* ---- the question ---- */

/* Hangs every object below the candidate that it speaks for. */
static void hang(struct json_object *by_name, struct json_object *objects, const char *key)
{
    for (size_t i = 0; i < jd_json_count(objects); i++) {
        struct json_object *object = jd_item(objects, i);
        const char *name = jd_node_of(object);
        struct json_object *candidate = NULL;
        if (name && json_object_object_get_ex(by_name, name, &candidate))
            json_object_object_add(candidate, key, json_object_get(object));
    }
}

/* Every pod below the node that it is on; a node without any has an empty list. */
static void hang_pods(struct json_object *by_name, struct json_object *candidates,
                      struct json_object *pods)
{
    for (size_t i = 0; i < jd_json_count(candidates); i++)
        json_object_object_add(jd_item(candidates, i), "pods", json_object_new_array());
    for (size_t i = 0; i < jd_json_count(pods); i++) {
        JL_CLEANUP(jd_json_freep) struct json_object *pod = jd_cluster_tree(jd_item(pods, i));
        const char *name = jd_json_text(pod, "spec.nodeName");
        struct json_object *candidate = NULL;
        if (name && json_object_object_get_ex(by_name, name, &candidate))
            json_object_array_add(jd_json_at(candidate, "pods"), json_object_get(jd_item(pods, i)));
    }
}

/* [{"name","node","labels","pods","twin","hardware"}], in the order of the nodes. */
static struct json_object *candidates(struct json_object *objects)
{
    struct json_object *out = json_object_new_array();
    JL_CLEANUP(jd_json_freep) struct json_object *by_name = json_object_new_object();
    struct json_object *nodes = jd_json_at(objects, "nodes");
    for (size_t i = 0; i < jd_json_count(nodes); i++) {
        struct json_object *labels = jd_json_at(jd_item(nodes, i), "metadata.labels");
        const char *name = jd_json_text(jd_item(nodes, i), "metadata.name");
        struct json_object *candidate = name ? json_object_new_object() : NULL;
        if (!candidate)
            continue;
        jd_set_text(candidate, "name", name);
        json_object_object_add(candidate, "node", json_object_get(jd_item(nodes, i)));
        if (labels)
            json_object_object_add(candidate, "labels", json_object_get(labels));
        json_object_array_add(out, candidate);
        json_object_object_add(by_name, name, json_object_get(candidate));
    }
    hang(by_name, jd_json_at(objects, "twins"), "twin");
    hang(by_name, jd_json_at(objects, "hardware"), "hardware");
    hang_pods(by_name, out, jd_json_at(objects, "pods"));
    return out;
}

/* The WorkloadProfile that the library finds for the pod. */
static int add_profile(struct jd_cluster *cluster, struct json_object *objects,
                       struct json_object *doc)
{
    JL_CLEANUP(jd_json_freep) struct json_object *question = json_object_new_object();
    struct json_object *profiles = jd_json_at(objects, "profiles");
    json_object_object_add(question, "pod", json_object_get(jd_json_at(objects, "pod")));
    json_object_object_add(question, "profiles", json_object_get(profiles));
    jd_set_text(question, "now", jd_json_text(doc, "now"));
    JL_CLEANUP(jd_json_freep)
    struct json_object *found = jd_cluster_ask(cluster, "demand.class", question, NULL);
    const char *name = jd_json_text(found, "profile");
    for (size_t i = 0; name && i < jd_json_count(profiles); i++) {
        struct json_object *profile = jd_item(profiles, i);
        if (jl_same(name, jd_json_text(profile, "metadata.name")))
            json_object_object_add(doc, "profile", json_object_get(profile));
    }
    return found ? JD_EXIT_OK : JD_EXIT_BAD;
}

/* By the profile of --scoring, with what it changes; before is the answer without it. */
static struct json_object *score_by_profile(struct jd_cluster *cluster, const char *profile,
                                            struct json_object *doc, struct json_object *before)
{
    json_object_object_add(doc, "scoring", jd_json_parse(profile, strlen(profile)));
    struct json_object *const after = jd_cluster_ask(cluster, "score", doc, NULL);
    if (after)
        json_object_object_add(after, "ranking", jd_ranking(before, after));
    json_object_put(before);
    return after;
}

/* profile: NULL = the default one. NULL: it was reported why. */
static struct json_object *score(struct jd_cluster *cluster, struct json_object *objects,
                                 const char *profile)
{
    JL_CLEANUP(jd_json_freep) struct json_object *doc = json_object_new_object();
    json_object_object_add(doc, "pod", json_object_get(jd_json_at(objects, "pod")));
    json_object_object_add(doc, "nodes", candidates(objects));
    int status = jd_cluster_add_time(cluster, NULL, doc);
    if (status == JD_EXIT_OK)
        status = add_profile(cluster, objects, doc);
    struct json_object *const answer =
        status == JD_EXIT_OK ? jd_cluster_ask(cluster, "score", doc, NULL) : NULL;
    return answer && profile ? score_by_profile(cluster, profile, doc, answer) : answer;
}

/* ---- what nobody here looks at ---- */

static bool is_asked(struct json_object *object, const char *path)
{
    return jd_json_count(jd_json_at(object, path)) > 0;
}

static bool any_has(struct json_object *items, const char *path)
{
    for (size_t i = 0; i < jd_json_count(items); i++) {
        if (jd_json_at(jd_item(items, i), path))
            return true;
    }
    return false;
}

static bool has_host_port(struct json_object *pod)
{
    struct json_object *containers = jd_json_at(pod, "spec.containers");
    for (size_t i = 0; i < jd_json_count(containers); i++) {
        if (any_has(jd_json_at(jd_item(containers, i), "ports"), "hostPort"))
            return true;
    }
    return false;
}

/* What kube-scheduler goes by and the question score does not, as far as the pod has it: then a
 * node that passes here may be none that it gets. */
static void add_unexamined(struct json_object *pod, struct json_object *answer)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    struct json_object *affinity = jd_json_at(pod, "spec.affinity");
    struct json_object *volumes = jd_json_at(pod, "spec.volumes");
    struct json_object *names = json_object_new_array();

    const struct {
        bool is_there;
        const char *name;
    } parts[] = {
        { is_asked(jd_json_at(affinity, "podAffinity"), required), "pod affinity" },
        { is_asked(jd_json_at(affinity, "podAntiAffinity"), required), "pod anti-affinity" },
        { is_asked(pod, "spec.topologySpreadConstraints"), "topology spread" },
        { any_has(volumes, "persistentVolumeClaim") || any_has(volumes, "ephemeral"), "volumes" },
        { is_asked(pod, "spec.resourceClaims"), "resource claims" },
        { is_asked(pod, "spec.schedulingGates"), "scheduling gates" },
        { has_host_port(pod), "host ports" },
    };

    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        if (parts[i].is_there)
            json_object_array_add(names, json_object_new_string(parts[i].name));
    }
    if (jd_json_count(names) > 0)
        json_object_object_add(answer, "notExamined", names);
    else
        json_object_put(names);
}

/* ---- for a person ---- */

#define LARGEST_FIXED 1e15 /* jl_format_fixed() */

/* +29.2, -3.0: what it adds to the score. */
static void add_term(struct jd_table *table, struct json_object *score, const char *path)
{
    struct json_object *found = jd_json_at(score, path);
    const double value = json_object_get_double(found);
    char number[JL_DOUBLE_TEXT];
    if (!found) {
        jd_table_add(table, NULL);
        return;
    }
    if (value > -LARGEST_FIXED && value < LARGEST_FIXED)
        jl_format_fixed(value, 1, number);
    else
        jl_format_double(value, number);
    jd_table_addf(table, "%s%s", value >= 0 ? "+" : "", number);
}

#define TERM_HEADS                                                                           \
    "NODE", "FILTER", "SCORE", "BASIS", "HEADROOM", "COOLING", "TREND", "BONUS", "PRESSURE", \
        "SENSITIVITY", "PSU"
static const char *const heads[] = { TERM_HEADS, "REASON" };
static const char *const wide_heads[] = { TERM_HEADS, "RAW", "WIRE", "MARGINAL", "REASON" };

/* What the extender says of a node, and what kube-scheduler would. */
struct verdict {
    const char *failed;
    const char *unfit;
};

static struct verdict verdict_of(struct json_object *answer, const char *node)
{
    struct json_object *failed = NULL;
    struct json_object *unfit = NULL;
    json_object_object_get_ex(jd_json_at(answer, "failed"), node, &failed);
    json_object_object_get_ex(jd_json_at(answer, "unfit"), node, &unfit);
    return (struct verdict){ failed ? json_object_get_string(failed) : NULL,
                             unfit ? json_object_get_string(unfit) : NULL };
}

static void add_reason(struct jd_table *table, const struct verdict *verdict)
{
    if (verdict->failed && verdict->unfit)
        jd_table_addf(table, "%s; %s", verdict->failed, verdict->unfit);
    else
        jd_table_add(table, verdict->failed ? verdict->failed : verdict->unfit);
}

static void add_row(struct jd_table *table, struct json_object *score,
                    const struct verdict *verdict, bool is_wide)
{
    static const char *const terms[] = { "terms.headroom", "terms.cooling",
                                         "terms.trend",    "terms.profileBonus",
                                         "terms.pressure", "terms.sensitivity",
                                         "terms.psu" };
    jd_add_text(table, score, "node");
    jd_table_add(table, verdict->failed ? "failed" : verdict->unfit ? "unfit" : "passed");
    jd_add_number(table, score, "score", "");
    jd_add_text(table, score, "basis");
    for (size_t i = 0; i < JL_COUNT(terms); i++)
        add_term(table, score, terms[i]);
    if (is_wide) {
        add_term(table, score, "raw");
        jd_add_number(table, score, "wire", "");
        jd_add_number(table, score, "terms.marginalW", "W");
    }
    add_reason(table, verdict);
}

static void put_unexamined(struct json_object *names, struct jl_buffer *out)
{
    for (size_t i = 0; i < jd_json_count(names); i++) {
        jl_put_string(out, i == 0 ? "\nNot looked at, though the pod asks for it: " : ", ");
        jl_put_string(out, json_object_get_string(jd_item(names, i)));
    }
    if (jd_json_count(names) > 0)
        jl_put_char(out, '\n');
}

static void put_table(const struct jd_call *call, struct json_object *answer, struct jl_buffer *out)
{
    const bool is_wide = jl_same(call->values.output, "wide");
    struct json_object *scores = jd_json_at(answer, "scores");
    struct jd_table table;
    jd_table_init(&table, is_wide ? wide_heads : heads,
                  is_wide ? JL_COUNT(wide_heads) : JL_COUNT(heads));
    for (size_t i = 0; i < jd_json_count(scores); i++) {
        struct json_object *score = jd_item(scores, i);
        const struct verdict verdict = verdict_of(answer, jd_json_text(score, "node"));
        add_row(&table, score, &verdict, is_wide);
    }
    jd_table_end(&table, !call->values.no_headers, out);
    put_unexamined(jd_json_at(answer, "notExamined"), out);
}

static void put_head(struct json_object *pod, struct json_object *answer, struct jl_buffer *out)
{
    const char *node = jd_json_text(pod, "spec.nodeName");
    const char *phase = jd_json_text(pod, "status.phase");
    jl_put_string(out, "Pod ");
    jd_put_plain(out, jd_json_text(pod, "metadata.namespace"));
    jl_put_char(out, '/');
    jd_put_plain(out, jd_json_text(pod, "metadata.name"));
    jd_put_format(out, ": %s%s", jd_json_text(answer, "workloadClass"),
                  jl_is_empty(node) ? ", waits for a node" : ", on node ");
    jd_put_plain(out, node);
    if (!jl_is_empty(phase)) {
        jl_put_string(out, " (");
        jd_put_plain(out, phase);
        jl_put_char(out, ')');
    }
    jl_put_string(out, "\n\n");
}

/* The nodes that may take it. */
static void put_names(struct json_object *answer, struct jl_buffer *out)
{
    struct json_object *passed = jd_json_at(answer, "passed");
    for (size_t i = 0; i < jd_json_count(passed); i++) {
        const char *name = json_object_get_string(jd_item(passed, i));
        if (verdict_of(answer, name).unfit)
            continue;
        jl_put_string(out, "node/");
        jd_put_plain(out, name);
        jl_put_char(out, '\n');
    }
}

/* Whether a score rests on data that nobody stands behind. */
static bool is_stale(struct json_object *answer)
{
    struct json_object *scores = jd_json_at(answer, "scores");
    for (size_t i = 0; i < jd_json_count(scores); i++) {
        if (jl_same(jd_json_text(jd_item(scores, i), "basis"), "stale"))
            return true;
    }
    return false;
}

static void put_tables(const struct jd_call *call, struct json_object *answer, void *pod,
                       struct jl_buffer *out)
{
    struct json_object *const ranking = jd_json_at(answer, "ranking");
    put_head(pod, answer, out);
    put_table(call, answer, out);
    if (ranking) {
        jl_put_char(out, '\n');
        jd_put_ranking(ranking, !call->values.no_headers, out);
    }
}

static int show(struct jd_call *call, struct jd_cluster *cluster)
{
    JL_CLEANUP(jd_json_freep) struct json_object *objects = json_object_new_object();
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *profile = NULL;
    if (call->values.scoring && jd_scoring_read(call->values.scoring, &profile, &err) < 0)
        return jd_cluster_report(cluster, "%s%s%s", err.where, err.where[0] ? ": " : "",
                                 err.message);
    int status = collect(call, cluster, objects);
    if (status != JD_EXIT_OK)
        return status;
    JL_CLEANUP(jd_json_freep) struct json_object *answer = score(cluster, objects, profile);
    const struct jd_view view = { put_names, put_tables, jd_json_at(objects, "pod") };
    if (!answer)
        return JD_EXIT_BAD;
    add_unexamined(jd_json_at(objects, "pod"), answer);
    status = jd_cluster_show(call, cluster, answer, &view);
    if (call->values.require_fresh && is_stale(answer))
        status = jd_worse(status, JD_EXIT_STALE);
    return status;
}

static int run(struct jd_call *call)
{
    return jd_on_cluster(call, show);
}

static const struct jd_setting options[] = {
    JD_NAMESPACE_ROW("of the pod; that of the context by default"),
    JD_SELECTOR_ROW("labels of the nodes to show"),
    JD_TEXT_ROW("SCORING", scoring, "FILE",
                "score by this scoring profile, and show what it changes"),
    JD_REQUIRE_FRESH_ROW,
    JD_CLUSTER_ROWS,
};

const struct jd_command jd_command_why = {
    .name = "why",
    .arguments = "POD",
    .least = 1,
    .most = 1,
    .summary = "Why a pod is where it is, or why it waits",
    .text =
        "Every node: whether the extender lets the pod pass, whether kube-scheduler would put "
        "it there by labels, taints\nand what it asks for beside the pods that are there (unfit), "
        "and the terms of its score. What kube-scheduler goes\nby and nobody here looks at is "
        "named. -o json is the answer of the question score, with notExamined.",
    .question = "score",
    JD_ROWS(options),
    .run = run,
};
