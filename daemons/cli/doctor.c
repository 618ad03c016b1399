/* SPDX-License-Identifier: Apache-2.0 */

/* What is wrong with an installation, and what to do about it (docs/rules/commands.md#doctor). */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/time.h"
#include "cluster.h"
#include "deployment.h"
#include "kube/managers.h"
#include "overview.h"
#include "rights.h"

#define HEARTBEAT_MOST_MS INT64_C(300000) /* docs/rules/extender.md#freshness */
#define MS_PER_S 1000
#define MANAGED "joulie.io/managed=true"
#define OLDEST_MINOR 20 /* the oldest server that the rules were tried with */
#define INSTALL_CRDS "joulie crd | kubectl apply -f -"

struct doctor {
    const struct jd_call *call;
    struct jd_cluster *cluster;
    struct json_object *checks;
    struct json_object *objects; /* by plural, as far as they could be listed */
    bool has_failed;
    bool knows_agents; /* their Leases could be listed */
    bool has_crds;
};

static const char *const results[] = { "ok", "warn", "fail" };

enum result { OK, WARN, FAIL };

static void report(struct doctor *doctor, const char *name, enum result result, const char *fix,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

static void report(struct doctor *doctor, const char *name, enum result result, const char *fix,
                   const char *format, ...)
{
    struct json_object *check = json_object_new_object();
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    message[jl_utf8_keep(message, strlen(message))] = '\0';
    jd_set_text(check, "name", name);
    jd_set_text(check, "result", results[result]);
    jd_set_text(check, "message", message);
    if (fix)
        jd_set_text(check, "fix", fix);
    json_object_array_add(doctor->checks, check);
    doctor->has_failed |= result == FAIL;
}

static const char *why(const struct jd_got *got)
{
    if (got->code == 404 && !got->reason[0])
        return "this cluster does not have the kind";
    return got->message[0] ? got->message : "the answer is not what was asked for";
}

/* ---- the server ---- */

static bool check_server(struct doctor *doctor)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    const struct jd_kube_call call = { .method = "GET", .resource = &jd_nodes, .query = "limit=1" };
    const char *server = jd_access_shown(doctor->cluster->access);
    jd_cluster_call(doctor->cluster, &call, &got);
    const int code = got.code;
    if (code == 0)
        report(doctor, "server", FAIL, "check the address, the network and the certificate",
               "%s does not answer: %s", server, why(&got));
    else if (code == 401)
        report(doctor, "server", FAIL,
               "renew the token or the certificate of the kubeconfig's user",
               "%s does not know who asks", server);
    else
        report(doctor, "server", OK, NULL, "%s answers", server);
    return code != 0 && code != 401;
}

/* Minor versions of clouds look like "27+". */
static void check_version(struct doctor *doctor)
{
    JL_CLEANUP(jd_json_freep)
    struct json_object *version = jd_cluster_page(doctor->cluster, "/version");
    const char *text = jd_json_text(version, "gitVersion");
    const long long major = json_object_get_int64(jd_json_at(version, "major"));
    const long long minor = json_object_get_int64(jd_json_at(version, "minor"));
    if (!text)
        report(doctor, "version", WARN, NULL, "the server does not show its version");
    else if (major == 1 && minor < OLDEST_MINOR)
        report(doctor, "version", WARN, NULL, "Kubernetes %s is older than 1.%d", text,
               OLDEST_MINOR);
    else
        report(doctor, "version", OK, NULL, "Kubernetes %s", text);
}

/* ---- rights ---- */

static const char *operator_namespace(const struct doctor *doctor)
{
    const char *given = doctor->call->values.access.name_space;
    return given ? given : JD_OPERATOR_NAMESPACE;
}

static void check_rights(struct doctor *doctor)
{
    const struct jd_right needed[] = {
        { &jd_nodes, "list", NULL },
        { &jd_pods, "list", NULL },
        { &jd_node_twins, "list", NULL },
        { &jd_node_hardwares, "list", NULL },
        { &jd_workload_profiles, "list", NULL },
        { &jd_leases, "get", operator_namespace(doctor) },
        { &jd_leases, "list", operator_namespace(doctor) },
    };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer missing = { 0 };
    const bool is_known = jd_missing_rights(doctor->cluster, needed, JL_COUNT(needed), &missing);
    if (missing.len > 0)
        report(doctor, "rights", FAIL, "bind a role to this user that allows it",
               "this user may not: %s", missing.data);
    else if (!is_known)
        report(doctor, "rights", WARN, NULL, "the server does not say what this user may do");
    else
        report(doctor, "rights", OK, NULL, "this user may read what the commands need");
}

/* ---- kinds ---- */

static bool has_version(struct json_object *crd, const char *wanted)
{
    struct json_object *versions = jd_json_at(crd, "spec.versions");
    for (size_t i = 0; i < jd_json_count(versions); i++) {
        struct json_object *version = jd_item(versions, i);
        if (jl_same(jd_json_text(version, "name"), wanted))
            return json_object_get_boolean(jd_json_at(version, "served")) &&
                   jd_json_at(version, "subresources.status") != NULL;
    }
    return false;
}

static void check_crd(struct doctor *doctor, const struct jd_resource *resource)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    char name[96];
    snprintf(name, sizeof name, "%s.%s", resource->plural, resource->group);
    JL_CLEANUP(jd_json_freep)
    struct json_object *crd = jd_cluster_get(doctor->cluster, &jd_crds, NULL, name, &got);
    if (got.code == 404) {
        report(doctor, "crd", FAIL, INSTALL_CRDS, "%s is not installed", name);
        doctor->has_crds = false;
    } else if (!crd) {
        report(doctor, "crd", WARN, NULL, "%s cannot be read: %s", name, why(&got));
    } else if (!has_version(crd, resource->version)) {
        report(doctor, "crd", FAIL, INSTALL_CRDS, "%s does not serve %s with a status subresource",
               name, resource->version);
    } else {
        report(doctor, "crd", OK, NULL, "%s is installed", name);
    }
}

/* ---- daemons ---- */

static void report_heartbeat(struct doctor *doctor, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int64_t beat_ms;
    int64_t now_ms;
    if (jl_parse_time(text, strlen(text), &beat_ms) != 0) {
        report(doctor, "operator", FAIL, NULL, "the heartbeat \"%s\" is no time", text);
        return;
    }
    if (jd_cluster_now(doctor->cluster, &now_ms, &err) < 0) {
        report(doctor, "operator", WARN, NULL, "%s", err.message);
        return;
    }
    const bool is_old = now_ms - beat_ms > HEARTBEAT_MOST_MS;
    report(doctor, "operator", is_old ? FAIL : OK,
           is_old ? "look at the log of joulie-operator: without it agents give caps back" : NULL,
           "its last heartbeat was %lld s ago", (long long)((now_ms - beat_ms) / MS_PER_S));
}

/* What the operator's Lease says of it; without an annotation it is off. */
static void report_classifier(struct doctor *doctor, struct json_object *lease)
{
    const char *said = jd_json_label(lease, "metadata.annotations", JD_ANNOTATION_CLASSIFIER);
    if (!said)
        report(doctor, "classifier", OK, NULL,
               "off: joulie-operator has no PROMETHEUS_ADDRESS, annotations of pods count alone");
    else if (jl_starts_with(said, "failing"))
        report(doctor, "classifier", WARN,
               "look at PROMETHEUS_ADDRESS of joulie-operator and at that server; profiles are "
               "kept meanwhile",
               "%s", said);
    else
        report(doctor, "classifier", OK, NULL, "%s", said);
}

/* The same of racks and zones; nothing where it asks for neither. */
static void report_facility(struct doctor *doctor, struct json_object *lease)
{
    const char *said = jd_json_label(lease, "metadata.annotations", JD_ANNOTATION_FACILITY);
    if (!said)
        return;
    if (jl_same(said, "on"))
        report(doctor, "facility", OK, NULL, "racks and zones that it asks for are measured");
    else
        report(doctor, "facility", WARN,
               "look at FACILITY_RACK_POWER_METRIC and FACILITY_ZONE_AMBIENT_METRIC of "
               "joulie-operator, and at the labels of nodes: what is not measured is estimated",
               "%s", said);
}

static void check_operator(struct doctor *doctor)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    const char *name_space = operator_namespace(doctor);
    JL_CLEANUP(jd_json_freep)
    struct json_object *lease =
        jd_cluster_get(doctor->cluster, &jd_leases, name_space, JD_HEARTBEAT_LEASE, &got);
    const char *text = jd_json_word(lease, "spec.renewTime");
    if (text[0]) {
        report_heartbeat(doctor, text);
        report_classifier(doctor, lease);
        report_facility(doctor, lease);
    } else if (got.code == 404) {
        report(doctor, "operator", FAIL, "deploy joulie-operator, or name its namespace with -n",
               "there is no heartbeat: Lease " JD_HEARTBEAT_LEASE " in %s", name_space);
    } else {
        report(doctor, "operator", WARN, NULL, "its heartbeat cannot be read: %s", why(&got));
    }
}

static bool is_running(struct json_object *deployment)
{
    return json_object_get_int64(jd_json_at(deployment, "status.readyReplicas")) > 0;
}

/* Joulie's own operator and ours have the same name, and write the same objects. */
static void check_deployments(struct doctor *doctor)
{
    const struct jd_selection selection = { .resource = &jd_deployments };
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    struct json_object *items = jd_cluster_list(doctor->cluster, &selection, &got);
    const char *idle = NULL;
    if (items)
        json_object_object_add(doctor->objects, jd_deployments.plural, items);
    size_t operators = 0;
    for (size_t i = 0; i < jd_json_count(items); i++) {
        struct json_object *item = jd_item(items, i);
        struct json_object *replicas = jd_json_at(item, "spec.replicas"); /* 1 by default */
        const char *name = jd_json_text(item, "metadata.name");
        if (!name || !strstr(name, "joulie-"))
            continue;
        operators += strstr(name, "joulie-operator") && is_running(item);
        if (!is_running(item) && (!replicas || json_object_get_int64(replicas) > 0))
            idle = idle ? idle : name;
    }
    if (!items)
        report(doctor, "deployments", WARN, NULL, "they cannot be listed: %s", why(&got));
    else if (operators > 1)
        report(doctor, "deployments", FAIL, "scale all but one of them to 0",
               "%zu operators run, and would write the same objects", operators);
    else if (idle)
        report(doctor, "deployments", FAIL, "kubectl describe deployment reports why",
               "no pod of %s is ready", idle);
    else
        report(doctor, "deployments", OK, NULL, "nobody else writes the same objects");
}

/* ---- objects ---- */

/* Lists once for all checks. false = it was reported that it cannot. */
static bool list(struct doctor *doctor, const char *name, const struct jd_selection *selection)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    struct json_object *items = jd_cluster_list(doctor->cluster, selection, &got);
    if (items)
        json_object_object_add(doctor->objects, name, items);
    else
        report(doctor, name, FAIL, NULL, "they cannot be listed: %s", why(&got));
    return items != NULL;
}

static void check_managed(struct doctor *doctor)
{
    const char *given = doctor->call->values.selector;
    const char *labels = given ? given : MANAGED;
    const struct jd_selection selection = { .resource = &jd_nodes, .labels = labels };
    if (!list(doctor, "nodes", &selection))
        return;
    const size_t count = jd_json_count(jd_json_at(doctor->objects, "nodes"));
    if (count == 0)
        report(doctor, "nodes", FAIL, "kubectl label node NAME " MANAGED, "no node has %s", labels);
    else
        report(doctor, "nodes", OK, NULL, "%zu are managed", count);
}

/* How many managed nodes lack a label; *out_example: one of them. */
static size_t count_without(struct json_object *nodes, const char *label, const char **out_example)
{
    size_t missing = 0;
    *out_example = "";
    for (size_t i = jd_json_count(nodes); i-- > 0;) {
        struct json_object *node = jd_item(nodes, i);
        const char *name = jd_json_text(node, "metadata.name");
        if (json_object_object_get_ex(jd_json_at(node, "metadata.labels"), label, NULL))
            continue;
        *out_example = name ? name : "";
        missing++;
    }
    return missing;
}

/* Racks and cooling zones are what labels say; where only some nodes have one the sums of the
 * others are short of it. */
static void check_labels(struct doctor *doctor)
{
    static const struct {
        const char *label;
        const char *loss;
    } rows[] = {
        { "joulie.io/rack",
          "the stress of its supply is not known, nor is it in the sum of its rack" },
        { "joulie.io/cooling-zone", "it is judged by the temperature of the whole site" },
    };
    struct json_object *nodes = jd_json_at(doctor->objects, "nodes");
    const size_t count = jd_json_count(nodes);
    for (size_t i = 0; i < JL_COUNT(rows) && count > 0; i++) {
        const char *example;
        const size_t missing = count_without(nodes, rows[i].label, &example);
        if (missing == 0)
            report(doctor, "labels", OK, NULL, "every managed node has %s", rows[i].label);
        else if (missing == count)
            report(doctor, "labels", OK, NULL, "no managed node has %s, so none is judged by it",
                   rows[i].label);
        else
            report(doctor, "labels", WARN, "kubectl label node NAME with where it stands",
                   "%zu of %zu managed nodes have no %s, such as %s: %s", missing, count,
                   rows[i].label, example, rows[i].loss);
    }
}

/* Every managed node has an object of this kind. */
static void check_every_node(struct doctor *doctor, const struct jd_resource *resource,
                             const char *fix)
{
    const struct jd_selection selection = { .resource = resource };
    struct json_object *nodes = jd_json_at(doctor->objects, "nodes");
    const char *example = NULL;
    size_t missing = 0;
    if (!list(doctor, resource->plural, &selection))
        return;
    JL_CLEANUP(jd_json_freep)
    struct json_object *names = jd_nodes_of(jd_json_at(doctor->objects, resource->plural));
    for (size_t i = 0; i < jd_json_count(nodes); i++) {
        const char *name = jd_json_text(jd_item(nodes, i), "metadata.name");
        if (!name || json_object_object_get_ex(names, name, NULL))
            continue;
        example = example ? example : name;
        missing++;
    }
    if (missing > 0)
        report(doctor, resource->plural, FAIL, fix,
               "%zu of %zu managed nodes have none, such as %s", missing, jd_json_count(nodes),
               example);
    else
        report(doctor, resource->plural, OK, NULL, "every managed node has one");
}

/* What the library makes of the twins, NULL = nothing; complaints go to `reported`, a line each. */
static struct json_object *make_overview(struct doctor *doctor, struct json_object *twins,
                                         struct jl_buffer *reported, size_t *out_left_out)
{
    JL_CLEANUP(jd_json_freep) struct json_object *doc = json_object_new_object();
    struct json_object *overview = NULL;
    json_object_object_add(doc, "twins", json_object_get(twins));
    if (jd_json_at(doctor->objects, "nodes"))
        json_object_object_add(doc, "nodes", json_object_get(jd_json_at(doctor->objects, "nodes")));
    doctor->cluster->reported = reported;
    if (jd_cluster_add_time(doctor->cluster, operator_namespace(doctor), doc) == JD_EXIT_OK) {
        jl_buffer_reset(reported); /* a heartbeat that cannot be read has its own check */
        jd_cluster_add_agents(doctor->cluster, operator_namespace(doctor), doc);
        doctor->knows_agents = reported->len == 0;
        jl_buffer_reset(reported);
        overview = jd_cluster_ask(doctor->cluster, "status", doc, out_left_out);
    }
    doctor->cluster->reported = NULL;
    return overview;
}

/* Nodes that are switched off are no fault; those that could not be switched want a person. */
static void check_power(struct doctor *doctor, struct json_object *overview)
{
    struct json_object *nodes = jd_json_at(overview, "nodes");
    const long long off = json_object_get_int64(jd_json_at(overview, "summary.off"));
    const char *example = NULL;
    size_t left_alone = 0;
    for (size_t i = 0; i < jd_json_count(nodes); i++) {
        struct json_object *node = jd_item(nodes, i);
        if (!jl_same(jd_json_text(node, "powerState"), "left-alone"))
            continue;
        example = example ? example : jd_json_text(node, "nodeName");
        left_alone++;
    }
    if (left_alone > 0)
        report(doctor, "power", WARN,
               "see to it, then take its annotations joulie.io/power-... away",
               "%zu of %zu nodes are left alone, as switching them failed too often, such as %s",
               left_alone, jd_json_count(nodes), example ? example : "");
    else if (off > 0)
        report(doctor, "power", OK, NULL, "%lld of %zu nodes are switched off", off,
               jd_json_count(nodes));
}

static void check_agents(struct doctor *doctor, struct json_object *overview)
{
    struct json_object *nodes = jd_json_at(overview, "nodes");
    const long long silent = json_object_get_int64(jd_json_at(overview, "summary.agentSilent"));
    const char *example = "";
    for (size_t i = jd_json_count(nodes); i-- > 0;) {
        if (json_object_get_boolean(jd_json_at(jd_item(nodes, i), "agentSilent")))
            example = jd_json_text(jd_item(nodes, i), "nodeName");
    }
    if (!doctor->knows_agents)
        report(doctor, "agents", WARN, NULL, "their pods or Leases cannot be read");
    else if (silent > 0)
        report(doctor, "agents", FAIL,
               "look at joulie-agent there; joulie cap status on the node shows its limits",
               "%lld are gone, such as that of %s: no cap of theirs is in force", silent, example);
    else
        report(doctor, "agents", OK, NULL, "none is gone, by their pods and Leases");
}

static void check_freshness(struct doctor *doctor, struct json_object *twins)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer reported = { 0 };
    size_t left_out = 0;
    JL_CLEANUP(jd_json_freep)
    struct json_object *overview = make_overview(doctor, twins, &reported, &left_out);
    if (reported.len > 0)
        reported.data[strcspn(reported.data, "\n")] = '\0';
    const char *first = reported.len > 0 ? reported.data : "";
    if (!overview) {
        report(doctor, "freshness", FAIL, NULL, "the state of the nodes cannot be read: %s", first);
        return;
    }
    const long long nodes = json_object_get_int64(jd_json_at(overview, "summary.nodes"));
    const long long stale = json_object_get_int64(jd_json_at(overview, "summary.stale"));
    if (left_out > 0)
        report(doctor, "objects", WARN, "joulie validate reports all that is wrong with an object",
               "%zu of the NodeTwins cannot be used; %s", left_out, first);
    check_power(doctor, overview);
    if (stale > 0)
        report(doctor, "freshness", WARN,
               "the operator does not reach them: look at its log and its metrics",
               "the status of %lld of %lld nodes is stale", stale, nodes);
    else
        report(doctor, "freshness", OK, NULL, "the status of %lld nodes is fresh", nodes);
    check_agents(doctor, overview);
}

struct feedback { /* what the agents report of their caps */
    size_t bad;
    size_t silent;
    size_t doubted;
    const char *doubted_node; /* the first of them */
    struct jl_buffer example; /* the first bad one */
};

static void add_part(struct feedback *feedback, struct json_object *twin, const char *part)
{
    char path[64];
    snprintf(path, sizeof path, "status.controlStatus.%s", part);
    struct json_object *control = jd_json_at(twin, path);
    const char *result = jd_json_text(control, "result");
    const char *message = jd_json_text(control, "message");
    if (!jl_same(result, "blocked") && !jl_same(result, "error"))
        return;
    if (feedback->bad++ > 0)
        return;
    const char *const texts[] = { jd_node_of(twin), " ", part, ", ", result, ": ", message };
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        jl_put_string(&feedback->example, texts[i] ? texts[i] : "");
}

static void check_feedback(struct doctor *doctor, struct json_object *twins)
{
    struct feedback feedback = { 0 };
    for (size_t i = 0; i < jd_json_count(twins); i++) {
        struct json_object *twin = jd_item(twins, i);
        feedback.silent += !jd_json_at(twin, "status.controlStatus");
        if (jl_same(jd_json_text(twin, "status.controlStatus.cpu.baseline"), "doubted") &&
            feedback.doubted++ == 0)
            feedback.doubted_node = jd_node_of(twin);
        add_part(&feedback, twin, "cpu");
        add_part(&feedback, twin, "gpu");
    }
    if (feedback.bad > 0)
        report(doctor, "caps", FAIL, "joulie cap status on the node says more",
               "%zu of the caps are not in force, such as %s", feedback.bad,
               feedback.example.data ? feedback.example.data : "");
    else if (feedback.silent > 0)
        report(doctor, "caps", WARN, "deploy joulie-agent there, or look at its log",
               "%zu of %zu twins carry no report of an agent", feedback.silent,
               jd_json_count(twins));
    else
        report(doctor, "caps", OK, NULL, "no agent reports a cap that is not in force");
    if (feedback.doubted > 0)
        report(
            doctor, "baselines", WARN,
            "joulie cap status on the node shows both; if the firmware did not set it, restore, "
            "and start the agent with --give-back-maximum",
            "on %zu of %zu nodes, such as %s, a limit was found below the maximum of its zone: it "
            "may be a cap whose journal was lost",
            feedback.doubted, jd_json_count(twins), feedback.doubted_node);
    else
        report(doctor, "baselines", OK, NULL, "no agent doubts what it found");
    jl_buffer_clear(&feedback.example);
}

/* ---- what goes together ---- */

#define EFFICIENCY_POLICY "efficiency-v1"

/* Whose spec somebody else writes is left alone by the operator. */
static void check_writers(struct doctor *doctor, struct json_object *twins)
{
    const char *example = "";
    const char *who = "";
    size_t count = 0;
    for (size_t i = jd_json_count(twins); i-- > 0;) {
        const char *manager = jd_foreign_manager(jd_item(twins, i));
        if (!manager)
            continue;
        count++;
        who = manager;
        example = jd_json_word(jd_item(twins, i), "metadata.name");
    }
    if (count > 0)
        report(doctor, "writers", FAIL,
               "make it stop and give its fields back, or kubectl annotate nodetwin NAME "
               "joulie.io/adopt=true",
               "%zu of %zu NodeTwins are written by somebody else, such as %s by %s: their nodes "
               "are left alone",
               count, jd_json_count(twins), example, who);
    else
        report(doctor, "writers", OK, NULL, "nobody else writes a NodeTwin");
}

static bool is_efficiency(struct json_object *twins)
{
    for (size_t i = 0; i < jd_json_count(twins); i++) {
        if (jl_same(jd_json_text(jd_item(twins, i), "spec.policy.name"), EFFICIENCY_POLICY))
            return true;
    }
    return false;
}

static struct json_object *find_extender(struct json_object *deployments)
{
    for (size_t i = 0; i < jd_json_count(deployments); i++) {
        struct json_object *item = jd_item(deployments, i);
        const char *name = jd_json_text(item, "metadata.name");
        if (name && strstr(name, "joulie-scheduler"))
            return item;
    }
    return NULL;
}

/* Most of what efficiency_v1 saves comes from where pods are placed. */
static void check_scoring(struct doctor *doctor, struct json_object *twins)
{
    static const char policy[] = "the policy is " EFFICIENCY_POLICY;
    struct json_object *extender =
        find_extender(jd_json_at(doctor->objects, jd_deployments.plural));
    const char *unknown = NULL;
    if (!is_efficiency(twins))
        return;
    const char *profile =
        jd_deployment_option(extender, "--scoring-profile", "SCORING_PROFILE", &unknown);
    if (!extender)
        unknown = "no Deployment joulie-scheduler is seen";
    else if (profile && strchr(profile, '/'))
        unknown = "SCORING_PROFILE is a file of its pod";
    if (unknown)
        report(doctor, "scoring", WARN, NULL,
               "%s; whether the extender scores by efficiency is not known: %s", policy, unknown);
    else if (!jl_same(profile, "efficiency"))
        report(doctor, "scoring", WARN, "set SCORING_PROFILE=efficiency of joulie-scheduler",
               "%s, but the extender scores by %s", policy, profile ? profile : "current");
    else
        report(doctor, "scoring", OK, NULL, "%s, and the extender scores by efficiency", policy);
}

/* ---- all of it ---- */

static void examine(struct doctor *doctor)
{
    if (!check_server(doctor))
        return;
    check_version(doctor);
    check_rights(doctor);
    doctor->has_crds = true;
    check_crd(doctor, &jd_node_twins);
    check_crd(doctor, &jd_node_hardwares);
    check_crd(doctor, &jd_workload_profiles);
    check_operator(doctor);
    check_deployments(doctor);
    check_managed(doctor);
    check_labels(doctor);
    if (!doctor->has_crds)
        return;
    check_every_node(doctor, &jd_node_hardwares, "deploy joulie-agent there, or look at its log");
    check_every_node(doctor, &jd_node_twins, "look at the log of joulie-operator");
    struct json_object *twins = jd_json_at(doctor->objects, jd_node_twins.plural);
    if (!twins)
        return;
    check_writers(doctor, twins);
    check_freshness(doctor, twins);
    check_feedback(doctor, twins);
    check_scoring(doctor, twins);
}

static void put_table(const struct jd_call *call, struct json_object *answer, void *user,
                      struct jl_buffer *out)
{
    struct json_object *checks = jd_json_at(answer, "checks");
    static const char *const heads[] = { "CHECK", "RESULT", "MESSAGE" };
    struct jd_table table;
    (void)user;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < jd_json_count(checks); i++) {
        struct json_object *check = jd_item(checks, i);
        jd_add_text(&table, check, "name");
        jd_add_text(&table, check, "result");
        jd_add_text(&table, check, "message");
        if (!jd_json_text(check, "fix"))
            continue;
        jd_table_add(&table, "");
        jd_table_add(&table, "");
        jd_table_addf(&table, "→ %s", jd_json_text(check, "fix"));
    }
    jd_table_end(&table, !call->values.no_headers, out);
}

/* The checks that did not pass. */
static void put_names(struct json_object *answer, struct jl_buffer *out)
{
    struct json_object *checks = jd_json_at(answer, "checks");
    for (size_t i = 0; i < jd_json_count(checks); i++) {
        if (jl_same(jd_json_text(jd_item(checks, i), "result"), results[OK]))
            continue;
        jd_put_format(out, "%s\n", jd_json_text(jd_item(checks, i), "name"));
    }
}

static int diagnose(struct jd_call *call, struct jd_cluster *cluster)
{
    static const struct jd_view view = { put_names, put_table, NULL };
    JL_CLEANUP(jd_json_freep) struct json_object *answer = json_object_new_object();
    JL_CLEANUP(jd_json_freep) struct json_object *objects = json_object_new_object();
    struct doctor doctor = {
        .call = call,
        .cluster = cluster,
        .checks = json_object_new_array(),
        .objects = objects,
    };
    json_object_object_add(answer, "checks", doctor.checks);
    examine(&doctor);
    const int status = jd_cluster_show(call, cluster, answer, &view);
    return doctor.has_failed ? JD_EXIT_BAD : status;
}

static int run(struct jd_call *call)
{
    return jd_on_cluster(call, diagnose);
}

static const struct jd_setting options[] = {
    JD_OPERATOR_ROW,
    JD_SELECTOR_ROW("labels of the nodes that are managed; " MANAGED " by default"),
    JD_CLUSTER_ROWS,
};

const struct jd_command jd_command_doctor = {
    .name = "doctor",
    .summary = "What is wrong with an installation, and what to do about it",
    .text = "Checks the server, the rights of this user, the kinds, the operator, the nodes and "
            "what their agents report.\nExit status 1 when a check fails.",
    JD_ROWS(options),
    .run = run,
};
