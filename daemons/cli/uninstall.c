/* SPDX-License-Identifier: Apache-2.0 */

/* Takes out of a cluster what Joulie wrote there (docs/rules/commands.md#uninstall): the operator
 * ends, agents give caps back and are waited for, then labels, twins and Leases go. */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/time.h"
#include "cluster.h"
#include "rights.h"
#include "runtime/clock.h"

#define COMPONENT_LABEL "app.kubernetes.io/name=joulie,app.kubernetes.io/component="
#define OPERATOR "joulie-operator"
#define AGENT "joulie-agent"
#define AGENT_LEASE AGENT "-"
#define PROFILE_LABEL "joulie.io/power-profile"
#define POWER_STATE "joulie.io/power-state" /* docs/rules/policy.md#power-records */
#define SCALE_DOWN "cluster-autoscaler.kubernetes.io/scale-down-disabled"
#define HOLD "joulie.io/scale-down-disabled" /* that it is ours */
#define OURS "joulie.io/managed-by=" AGENT
#define CLASSIFIED "app.kubernetes.io/managed-by=" OPERATOR /* profiles that it wrote */
#define POLL_NS (500 * 1000 * 1000)
#define ALIVE_MS 120000 /* two heartbeats of an operator */
#define STANDBY_MS 5000 /* two tries of one that stands by: LEASE_RETRY_PERIOD */

struct uninstall {
    const struct jd_call *call;
    struct jd_cluster *cluster;
    const char *name_space;    /* of operator and agents */
    bool is_real;              /* --yes; else it is only said */
    struct json_object *steps; /* what was said, for -o json and yaml; else NULL */
    bool had_operator;         /* a Deployment of it was there */
};

/* ---- calls ---- */

/* A write that may find nothing there. */
static int send(struct uninstall *run, const struct jd_kube_call *call, const char *what)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    if (!run->is_real)
        return JD_EXIT_OK;
    if (jd_cluster_call(run->cluster, call, &got) < 0)
        return jd_cluster_report(run->cluster, "error: out of memory");
    if ((got.code >= 200 && got.code < 300) || got.code == 404)
        return JD_EXIT_OK;
    return jd_cluster_fail(run->cluster, &got, what);
}

static int delete_one(struct uninstall *run, const struct jd_resource *resource,
                      const char *name_space, const char *name)
{
    const struct jd_kube_call call = {
        .method = "DELETE",
        .resource = resource,
        .name_space = name_space,
        .name = name,
        .query = "propagationPolicy=Background",
    };
    return send(run, &call, name);
}

static int patch_one(struct uninstall *run, const struct jd_resource *resource, const char *name,
                     const char *body)
{
    const struct jd_kube_call call = {
        .method = "PATCH",
        .resource = resource,
        .name = name,
        .patch = JD_PATCH_MERGE,
        .body = body,
        .len = strlen(body),
    };
    return send(run, &call, name);
}

/* NULL: it was reported. A kind that is not installed has no objects. */
static struct json_object *list(struct uninstall *run, const struct jd_resource *resource,
                                const char *name_space, const char *labels)
{
    const struct jd_selection selection = {
        .resource = resource,
        .name_space = name_space,
        .labels = labels,
        .is_optional = true,
    };
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    struct json_object *items = jd_cluster_list(run->cluster, &selection, &got);
    if (!items)
        jd_cluster_fail(run->cluster, &got, resource->plural);
    return items;
}

static const char *name_of(struct json_object *object)
{
    return jd_json_word(object, "metadata.name");
}

/* A step that is done, or would be: a line, or an item of the answer. */
static void say(struct uninstall *run, const char *step, size_t count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void say(struct uninstall *run, const char *step, size_t count, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!run->steps) {
        jd_print("%s\n", text);
        return;
    }
    struct json_object *item = json_object_new_object();
    jd_set_text(item, "step", step);
    json_object_object_add(item, "count", json_object_new_int64((int64_t)count));
    jd_set_text(item, "message", text);
    json_object_array_add(run->steps, item);
}

static void rest(void)
{
    const struct timespec pause = { .tv_nsec = POLL_NS };
    nanosleep(&pause, NULL);
}

static const char *mood(const struct uninstall *run, const char *real, const char *would)
{
    return run->is_real ? real : would;
}

/* ---- programs ---- */

static int wait_for_pods(struct uninstall *run, const char *component)
{
    const int64_t end_ms = jd_clock_ms() + run->call->values.timeout_ms;
    char labels[128];
    snprintf(labels, sizeof labels, "%s%s", COMPONENT_LABEL, component);
    for (;;) {
        JL_CLEANUP(jd_json_freep)
        struct json_object *pods = list(run, &jd_pods, run->name_space, labels);
        if (!pods)
            return JD_EXIT_BAD;
        if (jd_json_count(pods) == 0)
            return JD_EXIT_OK;
        if (jd_clock_ms() >= end_ms)
            return jd_cluster_report(run->cluster, "error: pod %s has not ended",
                                     name_of(jd_item(pods, 0)));
        rest();
    }
}

/* Deletes a Deployment or a DaemonSet, and waits for its pods. */
static int end_program(struct uninstall *run, const struct jd_resource *resource, const char *name,
                       const char *component, bool *out_was_there)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    JL_CLEANUP(jd_json_freep)
    struct json_object *found = jd_cluster_get(run->cluster, resource, run->name_space, name, &got);
    *out_was_there = found != NULL;
    if (!found && got.code != 404)
        return jd_cluster_fail(run->cluster, &got, name);
    if (!found)
        return JD_EXIT_OK;
    say(run, resource->plural, 1, "%s %s %s", resource->kind, name,
        mood(run, "is deleted", "would be deleted"));
    const int status = delete_one(run, resource, run->name_space, name);
    return status == JD_EXIT_OK && run->is_real ? wait_for_pods(run, component) : status;
}

/* ---- other operators ---- */

/* Who leads, and when it last said so; false = nobody does. */
static bool read_leader(struct uninstall *run, char out_renewed[64], char out_holder[256])
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    JL_CLEANUP(jd_json_freep)
    struct json_object *lease =
        jd_cluster_get(run->cluster, &jd_leases, run->name_space, OPERATOR, &got);
    const char *holder = jd_json_text(lease, "spec.holderIdentity");
    const char *renewed = jd_json_text(lease, "spec.renewTime");
    snprintf(out_holder, 256, "%s", holder ? holder : "");
    snprintf(out_renewed, 64, "%s", renewed ? renewed : "");
    return out_holder[0] != '\0' && out_renewed[0] != '\0';
}

/* The pods of the Deployment are gone: who renews the Lease now stood by somewhere else. */
static int refuse_standby(struct uninstall *run)
{
    char first[64] = "";
    char renewed[64];
    char holder[256];
    const int64_t end_ms = jd_clock_ms() + STANDBY_MS;
    if (!run->had_operator || !run->is_real || run->call->values.force)
        return JD_EXIT_OK;
    read_leader(run, first, holder);
    while (jd_clock_ms() < end_ms) {
        rest();
        if (!read_leader(run, renewed, holder) || jl_same(renewed, first))
            continue;
        return jd_cluster_report(run->cluster,
                                 "error: another operator, %s, leads now and would write again: "
                                 "stop it, and try again after two minutes",
                                 holder);
    }
    return JD_EXIT_OK;
}

/* One that is no Deployment would write again what is removed here. */
static int refuse_other_operator(struct uninstall *run)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    char text[64];
    int64_t beat_ms = 0, now_ms = 0;
    if (run->had_operator || !jd_cluster_heartbeat(run->cluster, run->name_space, text, &got) ||
        jl_parse_time(text, strlen(text), &beat_ms) < 0)
        return JD_EXIT_OK;
    if (jd_cluster_now(run->cluster, &now_ms, &err) < 0)
        return jd_cluster_report(run->cluster, "error: %s: %s", err.where, err.message);
    if (now_ms - beat_ms >= ALIVE_MS || run->call->values.force)
        return JD_EXIT_OK;
    return jd_cluster_report(run->cluster,
                             "error: an operator that is no Deployment of %s renewed its heartbeat "
                             "%" PRId64 " s ago: stop it, and try again after two minutes",
                             run->name_space, (now_ms - beat_ms) / 1000);
}

static int refuse_switched_off(struct uninstall *run, struct json_object *nodes)
{
    size_t count = 0;
    const char *example = "";
    for (size_t i = 0; i < jd_json_count(nodes); i++) {
        if (!jd_json_label(jd_item(nodes, i), "metadata.annotations", POWER_STATE))
            continue;
        count++;
        example = name_of(jd_item(nodes, i));
    }
    if (count == 0)
        return JD_EXIT_OK;
    return jd_cluster_report(run->cluster,
                             "error: %zu nodes are switched off or left alone, such as %s: "
                             "joulie-operator --wake-all brings them back",
                             count, example);
}

/* ---- caps ---- */

/* Without caps in its spec an agent gives back, and says so. */
static int clear_caps(struct uninstall *run, struct json_object *twins)
{
    size_t count = 0;
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < jd_json_count(twins) && status == JD_EXIT_OK; i++) {
        struct json_object *twin = jd_item(twins, i);
        if (!jd_json_at(twin, "spec.cpu") && !jd_json_at(twin, "spec.gpu"))
            continue;
        count++;
        status =
            patch_one(run, &jd_node_twins, name_of(twin), "{\"spec\":{\"cpu\":null,\"gpu\":null}}");
    }
    if (status == JD_EXIT_OK)
        say(run, "caps", count, "caps of %zu nodes %s", count,
            mood(run, "are taken back", "would be given back"));
    return status;
}

/* An agent that said of a part what it did says of it that there is no cap. */
static bool holds_part(struct json_object *twin, const char *path)
{
    const char *result = jd_json_text(twin, path);
    return result && !jl_same(result, "none");
}

static bool holds_cap(struct json_object *twin)
{
    return holds_part(twin, "status.controlStatus.cpu.result") ||
           holds_part(twin, "status.controlStatus.gpu.result");
}

/* How many twins show a cap that is held, and one of their nodes. */
static size_t count_held(struct json_object *twins, const char **out_example)
{
    size_t held = 0;
    for (size_t i = 0; i < jd_json_count(twins); i++) {
        if (!holds_cap(jd_item(twins, i)))
            continue;
        held++;
        *out_example = jd_node_of(jd_item(twins, i));
    }
    return held;
}

static int report_held(struct uninstall *run, size_t held, const char *example)
{
    if (!run->call->values.force)
        return jd_cluster_report(
            run->cluster,
            "error: %zu nodes have not given back, such as %s: look at joulie-agent there; joulie "
            "cap restore gives back on the node, and --force goes on without them",
            held, example);
    jd_cluster_report(run->cluster, "warning: %zu nodes have not given back, such as %s", held,
                      example);
    return JD_EXIT_OK;
}

static int wait_for_caps(struct uninstall *run)
{
    const int64_t end_ms = jd_clock_ms() + run->call->values.timeout_ms;
    for (;;) {
        JL_CLEANUP(jd_json_freep)
        struct json_object *twins = list(run, &jd_node_twins, NULL, NULL);
        const char *example = NULL;
        const size_t held = count_held(twins, &example);
        if (!twins || held == 0)
            return twins ? JD_EXIT_OK : JD_EXIT_BAD;
        if (jd_clock_ms() >= end_ms)
            return report_held(run, held, example ? example : "");
        rest();
    }
}

/* ---- what stays behind ---- */

/* What the autoscaler was told, unless somebody changed it since. */
static int let_nodes_go(struct uninstall *run, struct json_object *nodes)
{
    size_t count = 0;
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < jd_json_count(nodes) && status == JD_EXIT_OK; i++) {
        struct json_object *node = jd_item(nodes, i);
        const char *told = jd_json_label(node, "metadata.annotations", SCALE_DOWN);
        if (!jd_json_label(node, "metadata.annotations", HOLD))
            continue;
        count++;
        status = patch_one(run, &jd_nodes, name_of(node),
                           jl_same(told, "true") ? "{\"metadata\":{\"annotations\":{\"" HOLD
                                                   "\":null,\"" SCALE_DOWN "\":null}}}"
                                                 : "{\"metadata\":{\"annotations\":{\"" HOLD
                                                   "\":null}}}");
    }
    if (status == JD_EXIT_OK && count > 0)
        say(run, "annotations", count, "annotation " SCALE_DOWN " of %zu nodes %s", count,
            mood(run, "is removed", "would be removed"));
    return status;
}

static int clean_nodes(struct uninstall *run, struct json_object *nodes)
{
    size_t count = 0;
    int status = JD_EXIT_OK;
    for (size_t i = 0; i < jd_json_count(nodes) && status == JD_EXIT_OK; i++) {
        if (!jd_json_label(jd_item(nodes, i), "metadata.labels", PROFILE_LABEL))
            continue;
        count++;
        status = patch_one(run, &jd_nodes, name_of(jd_item(nodes, i)),
                           "{\"metadata\":{\"labels\":{\"" PROFILE_LABEL "\":null}}}");
    }
    if (status == JD_EXIT_OK)
        say(run, "labels", count, "label " PROFILE_LABEL " of %zu nodes %s", count,
            mood(run, "is removed", "would be removed"));
    return status;
}

static bool is_any(const char *name)
{
    (void)name;
    return true;
}

static bool is_our_lease(const char *name)
{
    return jl_same(name, JD_HEARTBEAT_LEASE) || jl_same(name, OPERATOR) ||
           jl_starts_with(name, AGENT_LEASE);
}

static int delete_all(struct uninstall *run, const struct jd_resource *resource,
                      const char *name_space, const char *labels, bool (*is_ours)(const char *name))
{
    JL_CLEANUP(jd_json_freep)
    struct json_object *items = list(run, resource, name_space, labels);
    size_t count = 0;
    int status = items ? JD_EXIT_OK : JD_EXIT_BAD;
    for (size_t i = 0; i < jd_json_count(items) && status == JD_EXIT_OK; i++) {
        const char *name = name_of(jd_item(items, i));
        const char *own = jd_json_text(jd_item(items, i), "metadata.namespace");
        if (!is_ours(name))
            continue;
        count++;
        status = delete_one(run, resource, own, name);
    }
    if (status == JD_EXIT_OK)
        say(run, resource->plural, count, "%zu %s %s", count, resource->plural,
            mood(run, "are deleted", "would be deleted"));
    return status;
}

/* ---- all of it ---- */

/* Until no agent holds a cap, and none that could take one again is there. */
static int give_back(struct uninstall *run)
{
    bool was_there = false;
    JL_CLEANUP(jd_json_freep) struct json_object *twins = list(run, &jd_node_twins, NULL, NULL);
    int status = twins ? clear_caps(run, twins) : JD_EXIT_BAD;
    if (status == JD_EXIT_OK && run->is_real)
        status = wait_for_caps(run);
    if (status == JD_EXIT_OK)
        status = end_program(run, &jd_daemon_sets, AGENT, "agent", &was_there);
    return status;
}

static int clean(struct uninstall *run, struct json_object *nodes)
{
    int status = clean_nodes(run, nodes);
    if (status == JD_EXIT_OK)
        status = let_nodes_go(run, nodes);
    if (status == JD_EXIT_OK)
        status = delete_all(run, &jd_node_twins, NULL, NULL, is_any);
    if (status == JD_EXIT_OK)
        status = delete_all(run, &jd_node_hardwares, NULL, OURS, is_any);
    if (status == JD_EXIT_OK)
        status = delete_all(run, &jd_workload_profiles, NULL, CLASSIFIED, is_any);
    if (status == JD_EXIT_OK)
        status = delete_all(run, &jd_leases, run->name_space, NULL, is_our_lease);
    return status;
}

/* Before anything is changed: one that is refused half-way leaves caps without an operator. */
static int refuse_without_rights(struct uninstall *run)
{
    const char *own = run->name_space;
    const struct jd_right needed[] = {
        { &jd_nodes, "list", NULL },
        { &jd_nodes, "patch", NULL },
        { &jd_node_twins, "list", NULL },
        { &jd_node_twins, "patch", NULL },
        { &jd_node_twins, "delete", NULL },
        { &jd_node_hardwares, "list", NULL },
        { &jd_node_hardwares, "delete", NULL },
        { &jd_workload_profiles, "list", NULL },
        { &jd_workload_profiles, "delete", NULL },
        { &jd_deployments, "get", own },
        { &jd_deployments, "delete", own },
        { &jd_daemon_sets, "get", own },
        { &jd_daemon_sets, "delete", own },
        { &jd_pods, "list", own },
        { &jd_leases, "get", own },
        { &jd_leases, "list", own },
        { &jd_leases, "delete", own },
    };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer missing = { 0 };
    jd_missing_rights(run->cluster, needed, JL_COUNT(needed), &missing);
    if (missing.len == 0)
        return JD_EXIT_OK;
    jd_cluster_report(run->cluster, "%s: this user may not: %s%s", mood(run, "error", "warning"),
                      missing.data, mood(run, "; nothing was changed", ""));
    return run->is_real ? JD_EXIT_BAD : JD_EXIT_OK;
}

static int take_out(struct uninstall *run)
{
    int status = refuse_without_rights(run);
    if (status != JD_EXIT_OK)
        return status;
    JL_CLEANUP(jd_json_freep) struct json_object *nodes = list(run, &jd_nodes, NULL, NULL);
    status = nodes ? refuse_switched_off(run, nodes) : JD_EXIT_BAD;
    if (status == JD_EXIT_OK)
        status = end_program(run, &jd_deployments, OPERATOR, "operator", &run->had_operator);
    if (status == JD_EXIT_OK)
        status = refuse_other_operator(run);
    if (status == JD_EXIT_OK)
        status = refuse_standby(run);
    if (status == JD_EXIT_OK)
        status = give_back(run);
    if (status == JD_EXIT_OK)
        status = clean(run, nodes);
    return status;
}

/* For programs: what was done, also where it ended early. */
static int show_steps(struct uninstall *run, struct jd_call *call, int status)
{
    static const struct jd_view view = { .put_names = NULL };
    JL_CLEANUP(jd_json_freep) struct json_object *answer = json_object_new_object();
    json_object_object_add(answer, "isDryRun", json_object_new_boolean(!run->is_real));
    json_object_object_add(answer, "isWhole", json_object_new_boolean(status == JD_EXIT_OK));
    json_object_object_add(answer, "steps", run->steps);
    run->steps = NULL;
    return jd_worse(status, jd_cluster_show(call, run->cluster, answer, &view));
}

static int uninstall(struct jd_call *call, struct jd_cluster *cluster)
{
    const char *given = call->values.access.name_space;
    struct uninstall run = {
        .call = call,
        .cluster = cluster,
        .name_space = given ? given : JD_OPERATOR_NAMESPACE,
        .is_real = call->values.yes,
        .steps = jd_is_for_programs(call) ? json_object_new_array() : NULL,
    };
    const int status = take_out(&run);
    if (run.steps)
        return show_steps(&run, call, status);
    if (status == JD_EXIT_OK)
        jd_print("%s", run.is_real
                           ? "The manifests or the chart take the rest: kubectl delete -k, helm "
                             "uninstall.\n"
                           : "Nothing was changed: --yes does it.\n");
    return status;
}

static int run(struct jd_call *call)
{
    if (call->values.yes && call->values.dry_run)
        return jd_usage("--yes and --dry-run exclude each other");
    return jd_on_cluster(call, uninstall);
}

static const char *const output_words[] = { "table", "json", "yaml", NULL };

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("YES", yes, "do it; else it is only said"),
    JD_BOOLEAN_ROW("DRY_RUN", dry_run, "only say what would be done, as without --yes"),
    JD_OUTPUT_ROW_OF(output_words, "form of the answer: table (the default), json or yaml"),
    { .name = "TIMEOUT",
      JD_DURATION_AT(jd_values, timeout_ms),
      .by_default = "5m",
      .least = "0s",
      .doc = "how long a program, and then the caps, are waited for; 5m by default" },
    JD_BOOLEAN_ROW("FORCE", force,
                   "go on where caps are not given back in time, or an operator seems to run"),
    JD_OPERATOR_ROW,
    JD_CONNECTION_ROWS,
};

const struct jd_command jd_command_uninstall = {
    .name = "uninstall",
    .summary = "Take out of a cluster what Joulie wrote there",
    .text = "Ends the Deployment joulie-operator, takes the caps out of all NodeTwins and waits "
            "until the agents\nhave given them back, ends the DaemonSet joulie-agent, and removes "
            "the labels and annotations of nodes, NodeTwins,\nNodeHardwares of agents, "
            "WorkloadProfiles of the operator, and Leases. "
            "Nodes that are "
            "switched off have to be woken before.\nWithout --yes nothing is changed.",
    JD_ROWS(options),
    .run = run,
};
