/* SPDX-License-Identifier: Apache-2.0 */

/* Lives of nodes that power_off_v1 switches off (docs/rules/policy.md#power-records): drained,
 * commanded, confirmed by their status, woken; and what must not happen on the way. */

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "cluster/api.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define IDLE "'powerOff':{'reserveCores':0,'reserveGpus':0}"
#define HOUR_AGO "2026-03-13T11:00:00Z"

/* ---- objects ---- */

/* Formats with ' for ". */
static void put(struct joulie_cluster *cluster, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void quote(char *text)
{
    for (; *text != '\0'; text++)
        *text = *text == '\'' ? '"' : *text;
}

static void put(struct joulie_cluster *cluster, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    quote(text);
    upsert(cluster, text);
}

static struct joulie_cluster *make_with(const char *settings)
{
    char text[512];
    snprintf(text, sizeof text, "{%s}", settings);
    quote(text);
    return make(text);
}

struct node {
    const char *name;
    const char *meta;  /* further members of metadata, each with a comma before */
    const char *spec;  /* members */
    const char *ready; /* status of the condition; NULL = it has none */
    const char *since; /* of it */
    const char *boot;  /* NULL = it says none */
};

static void put_node(struct joulie_cluster *cluster, const struct node *node)
{
    char ready[256] = "";
    char boot[128] = "";
    if (node->ready != NULL)
        snprintf(ready, sizeof ready,
                 ",'conditions':[{'type':'MemoryPressure','status':'False'},{'type':'Ready',"
                 "'status':'%s','lastTransitionTime':'%s'}]",
                 node->ready, node->since);
    if (node->boot != NULL)
        snprintf(boot, sizeof boot, ",'nodeInfo':{'bootID':'%s'}", node->boot);
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','resourceVersion':'7'%s},"
        "'spec':{%s},'status':{'allocatable':{'cpu':'192'}%s%s}}",
        node->name, node->meta != NULL ? node->meta : "", node->spec != NULL ? node->spec : "",
        ready, boot);
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeHardware','metadata':{'name':'%s'},'spec':{"
        "'nodeName':'%s'},'status':{'cpu':{'model':'AMD_EPYC_9654','sockets':2,"
        "'totalCores':192}}}",
        node->name, node->name);
}

static const struct node up = { .name = "a", .ready = "True", .since = HOUR_AGO, .boot = "one" };

static void put_pod(struct joulie_cluster *cluster, const char *name, const char *node, int cores)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'d'},'spec':{%s%s%s"
        "'containers':[{'name':'c','resources':{'requests':{'cpu':'%d'}}}]},"
        "'status':{'phase':'%s'}}",
        name, node != NULL ? "'nodeName':'" : "", node != NULL ? node : "",
        node != NULL ? "'," : "", cores, node != NULL ? "Running" : "Pending");
}

static void remove_pod(struct joulie_cluster *cluster, const char *name)
{
    assert_int_equal(joulie_cluster_remove(cluster, "Pod", "d", name, NULL), JOULIE_OK);
}

/* What a record says of a node, as further members of metadata. */
#define RECORD(state, since, more)                                                                 \
    ",'annotations':{'joulie.io/power-state':'" state "','joulie.io/power-since':'" since "'" more \
    "}"
#define DRAINED                                                               \
    "'unschedulable':true,'taints':[{'key':'joulie.io/powered-off','effect':" \
    "'NoSchedule'}]"

/* ---- steps ---- */

/* The power action about a node; change UNKNOWN = the last step has none. */
static struct joulie_cluster_action power_action(struct joulie_cluster *cluster, size_t count,
                                                 const char *node, const char **out_body)
{
    const struct joulie_cluster_action none = JOULIE_INIT(struct joulie_cluster_action);
    for (size_t i = 0; i < count; i++) {
        const struct joulie_cluster_action action = action_at(cluster, i);
        if (action.change != JOULIE_CHANGE_POWER || strcmp(action.node_name, node) != 0)
            continue;
        if (out_body != NULL)
            *out_body = body_at(cluster, i);
        return action;
    }
    return none;
}

/* Steps, applies all, and returns what the step decided about the node's power. */
static enum joulie_power_action advance(struct joulie_cluster *cluster, int64_t now_ms,
                                        const char *node)
{
    const size_t count = step(cluster, now_ms);
    const enum joulie_power_action action = node_of(cluster, node).power_action;
    apply_all(cluster, count);
    return action;
}

static enum joulie_power_state state_of(struct joulie_cluster *cluster, const char *node)
{
    return node_of(cluster, node).power_state;
}

/* The only command that is listed; NONE = there is none. */
static struct joulie_cluster_command command_of(struct joulie_cluster *cluster)
{
    struct joulie_cluster_command command = JOULIE_INIT(struct joulie_cluster_command);
    struct joulie_cluster_command next = JOULIE_INIT(struct joulie_cluster_command);
    if (joulie_cluster_command_at(cluster, 0, &command, NULL) != JOULIE_OK)
        return next;
    assert_int_equal(joulie_cluster_command_at(cluster, 1, &next, NULL), JOULIE_E_RANGE);
    return command;
}

static void finish(struct joulie_cluster *cluster, enum joulie_power_command kind,
                   enum joulie_action_outcome outcome)
{
    const struct joulie_cluster_command command = command_of(cluster);
    assert_int_equal(command.command, kind);
    assert_int_equal(joulie_cluster_command_done(cluster, command.id, outcome, NULL), JOULIE_OK);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
}

/* A node that was seen idle for long enough, at NOW_MS; its first step was 30 minutes before. */
static struct joulie_cluster *make_idle(const char *settings)
{
    struct joulie_cluster *cluster = make_with(settings);
    put_node(cluster, &up);
    settle(cluster, NOW_MS - 30 * MINUTE);
    return cluster;
}

/* The node as it stands in the API server after the model's last patch, with another status. */
static void report(struct joulie_cluster *cluster, const char *state, const char *since,
                   const char *ready, const char *ready_since, const char *boot)
{
    char meta[512];
    snprintf(meta, sizeof meta,
             RECORD("%s", "%s", ",'joulie.io/power-reason':'idle','joulie.io/power-boot-id':'one'"),
             state, since);
    const struct node node = { .name = "a",
                               .meta = meta,
                               .spec = DRAINED,
                               .ready = ready,
                               .since = ready_since,
                               .boot = boot };
    put_node(cluster, &node);
}

static struct joulie_cluster *make_stopping(void)
{
    struct joulie_cluster *cluster = make_idle(IDLE);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_SWITCH_OFF);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_STOPPING);
    return cluster;
}

static struct joulie_cluster *make_off(void)
{
    struct joulie_cluster *cluster = make_stopping();
    advance(cluster, NOW_MS + 5 * SECOND, "a");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "Unknown", "2026-03-13T12:01:00Z", "one");
    advance(cluster, NOW_MS + MINUTE, "a");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_OFF);
    return cluster;
}

/* ---- off and on again ---- */

static void a_node_that_nothing_needs_is_drained_first(void **state)
{
    struct joulie_cluster *cluster = make_idle(IDLE);
    const char *body = NULL;
    const size_t count = step(cluster, NOW_MS);
    const struct joulie_cluster_action action = power_action(cluster, count, "a", &body);
    char expected[] =
        "{'metadata':{'resourceVersion':'7','annotations':{'joulie.io/power-state':'stopping',"
        "'joulie.io/power-since':'2026-03-13T12:00:00Z','joulie.io/power-reason':'idle',"
        "'joulie.io/power-failures':null,'joulie.io/power-boot-id':'one'}},'spec':{"
        "'unschedulable':true,'taints':[{'key':'joulie.io/powered-off','effect':'NoSchedule'}]}}";
    (void)state;
    quote(expected);
    assert_int_equal(action.change, JOULIE_CHANGE_POWER);
    assert_int_equal(action.verb, JOULIE_ACTION_PATCH);
    assert_string_equal(action.kind, "Node");
    assert_string_equal(action.plural, "nodes");
    assert_string_equal(action.api_version, "v1");
    assert_string_equal(action.name, "a");
    assert_string_equal(action.subresource, "");
    assert_string_equal(action.reason,
                        "nothing runs on the node, and there is room enough without it");
    assert_string_equal(body, expected);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    apply_all(cluster, count);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    joulie_cluster_free(cluster);
}

static void the_command_waits_until_the_drained_node_was_seen_empty(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    assert_int_equal(advance(cluster, NOW_MS + 4 * SECOND, "a"), JOULIE_POWER_ACTION_NONE);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    assert_int_equal(advance(cluster, NOW_MS + 5 * SECOND, "a"), JOULIE_POWER_ACTION_NONE);
    const struct joulie_cluster_command command = command_of(cluster);
    assert_int_equal(command.command, JOULIE_POWER_COMMAND_SWITCH_OFF);
    assert_string_equal(command.node_name, "a");
    assert_string_equal(command.reason, "idle");
    advance(cluster, NOW_MS + MINUTE, "a"); /* it stays the same command */
    assert_int_equal(command_of(cluster).id, command.id);
    joulie_cluster_free(cluster);
}

static void a_node_is_off_when_its_command_was_done_and_it_is_not_ready(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "False", "2026-03-13T12:00:04Z", "one");
    advance(cluster, NOW_MS + 5 * SECOND, "a"); /* it fell by itself: nothing was done yet */
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_STOPPING);
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "True", HOUR_AGO, "one");
    advance(cluster, NOW_MS + 10 * SECOND, "a");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    advance(cluster, NOW_MS + 15 * SECOND, "a"); /* it stops, and is still ready */
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_STOPPING);
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "Unknown", "2026-03-13T12:01:00Z", "one");
    advance(cluster, NOW_MS + MINUTE, "a");
    const struct joulie_cluster_node node = node_of(cluster, "a");
    assert_int_equal(node.power_state, JOULIE_POWER_STATE_OFF);
    assert_true((node.has & JOULIE_CLUSTER_NODE_HAS_POWER_SINCE) != 0);
    assert_int_equal(node.power_since_ms, NOW_MS + MINUTE);
    assert_string_equal(node.power_reason, "idle");
    joulie_cluster_free(cluster);
}

static void a_pod_that_waits_wakes_the_node_at_once(void **state)
{
    struct joulie_cluster *cluster = make_off();
    const int64_t now_ms = NOW_MS + 10 * MINUTE;
    (void)state;
    assert_int_equal(advance(cluster, now_ms, "a"), JOULIE_POWER_ACTION_NONE);
    assert_int_equal(joulie_cluster_early_step_ms(cluster, now_ms + SECOND), INT64_MAX);
    put_pod(cluster, "p", NULL, 4);
    assert_int_equal(joulie_cluster_early_step_ms(cluster, now_ms + SECOND), now_ms + 5 * SECOND);
    assert_int_equal(advance(cluster, now_ms + 5 * SECOND, "a"), JOULIE_POWER_ACTION_WAKE);
    const struct joulie_cluster_command command = command_of(cluster); /* without another step */
    assert_int_equal(command.command, JOULIE_POWER_COMMAND_POWER_ON);
    assert_string_equal(command.reason, "pods");
    assert_int_equal(joulie_cluster_early_step_ms(cluster, now_ms + 6 * SECOND), INT64_MAX);
    joulie_cluster_free(cluster);
}

static void a_node_is_on_again_after_another_boot(void **state)
{
    struct joulie_cluster *cluster = make_off();
    const char *body = NULL;
    char expected[] =
        "{'metadata':{'resourceVersion':'7','annotations':{'joulie.io/power-state':null,"
        "'joulie.io/power-since':null,'joulie.io/power-reason':null,'joulie.io/power-failures':"
        "null,'joulie.io/power-boot-id':null}},'spec':{'unschedulable':null,'taints':[]}}";
    (void)state;
    quote(expected);
    put_pod(cluster, "p", NULL, 4);
    advance(cluster, NOW_MS + 2 * MINUTE, "a");
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_APPLIED);
    advance(cluster, NOW_MS + 3 * MINUTE, "a");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_BOOTING);
    /* its clock is an hour behind: the boot tells it */
    report(cluster, "booting", "2026-03-13T12:02:00Z", "True", HOUR_AGO, "two");
    assert_int_equal(joulie_cluster_early_step_ms(cluster, NOW_MS + 4 * MINUTE),
                     NOW_MS + 4 * MINUTE);
    size_t count = step(cluster, NOW_MS + 4 * MINUTE);
    assert_int_equal(power_action(cluster, count, "a", &body).change, JOULIE_CHANGE_POWER);
    assert_string_equal(body, expected);
    apply_all(cluster, count);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_ON);
    count = step(cluster, NOW_MS + 5 * MINUTE); /* nothing is left */
    assert_int_equal(power_action(cluster, count, "a", NULL).change, JOULIE_CHANGE_UNKNOWN);
    assert_string_equal(node_of(cluster, "a").scope, "managed");
    joulie_cluster_free(cluster);
}

static void without_a_boot_id_the_time_of_its_readiness_counts(void **state)
{
    const struct {
        const char *since;
        enum joulie_power_state state;
    } cases[] = {
        { "2026-03-13T12:00:00Z", JOULIE_POWER_STATE_BOOTING }, /* not after it was woken */
        { "2026-03-13T12:00:01Z", JOULIE_POWER_STATE_ON },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct joulie_cluster *cluster = make_with(IDLE);
        const struct node node = { .name = "a",
                                   .meta = RECORD("booting", "2026-03-13T12:00:00Z", ""),
                                   .spec = DRAINED,
                                   .ready = "True",
                                   .since = cases[i].since };
        put_node(cluster, &node);
        advance(cluster, NOW_MS + MINUTE, "a");
        assert_int_equal(state_of(cluster, "a"), cases[i].state);
        joulie_cluster_free(cluster);
    }
}

static void a_node_that_comes_back_by_itself_is_on(void **state)
{
    struct joulie_cluster *cluster = make_off();
    (void)state;
    report(cluster, "off", "2026-03-13T12:01:00Z", "True", "2026-03-13T12:03:00Z", "two");
    advance(cluster, NOW_MS + 3 * MINUTE, "a");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_ON);
    joulie_cluster_free(cluster);
}

/* ---- pods that come meanwhile ---- */

static void a_pod_bound_before_the_command_keeps_the_node_on(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    const char *body = NULL;
    (void)state;
    put_pod(cluster, "p", "a", 4); /* it was on its way when the node was drained */
    const size_t count = step(cluster, NOW_MS + MINUTE);
    const struct joulie_cluster_action action = power_action(cluster, count, "a", &body);
    assert_string_equal(action.reason, "the node is needed and stays on");
    assert_non_null(strstr(body, "\"joulie.io/power-state\":null"));
    assert_non_null(strstr(body, "\"unschedulable\":null"));
    assert_int_equal(node_of(cluster, "a").power_action, JOULIE_POWER_ACTION_WAKE);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    apply_all(cluster, count);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_ON);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    joulie_cluster_free(cluster);
}

static void a_pod_withdraws_a_command_that_is_listed(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    advance(cluster, NOW_MS + MINUTE, "a");
    const struct joulie_cluster_command command = command_of(cluster);
    assert_int_equal(command.command, JOULIE_POWER_COMMAND_SWITCH_OFF);
    put_pod(cluster, "p", "a", 4); /* before any step */
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    /* it may have been started already: the node is woken, not only let go */
    assert_int_equal(advance(cluster, NOW_MS + 2 * MINUTE, "a"), JOULIE_POWER_ACTION_WAKE);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_BOOTING);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_POWER_ON);
    assert_true(command_of(cluster).id != command.id);
    assert_int_equal(joulie_cluster_command_done(cluster, command.id, JOULIE_OUTCOME_APPLIED, NULL),
                     JOULIE_E_NOT_FOUND);
    joulie_cluster_free(cluster);
}

static void daemons_keep_no_node_on(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    (void)state;
    put_node(cluster, &up);
    put(cluster, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'agent','namespace':'d',"
                 "'ownerReferences':[{'kind':'DaemonSet','name':'agent','uid':'1','controller':"
                 "true}]},'spec':{'nodeName':'a','containers':[{'name':'c'}]},'status':{'phase':"
                 "'Running'}}");
    settle(cluster, NOW_MS - 30 * MINUTE);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_SWITCH_OFF);
    joulie_cluster_free(cluster);
}

static void a_node_is_empty_since_the_last_pod_left(void **state)
{
    struct joulie_cluster *cluster = make_idle(IDLE);
    (void)state;
    put_pod(cluster, "p", "a", 4); /* comes and goes between two steps */
    remove_pod(cluster, "p");
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_NONE);
    assert_int_equal(advance(cluster, NOW_MS + 30 * MINUTE - SECOND, "a"),
                     JOULIE_POWER_ACTION_NONE);
    assert_int_equal(advance(cluster, NOW_MS + 30 * MINUTE, "a"), JOULIE_POWER_ACTION_SWITCH_OFF);
    joulie_cluster_free(cluster);
}

static void a_node_that_just_came_up_stays(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    struct node node = up;
    (void)state;
    node.since = "2026-03-13T11:31:00Z";
    put_node(cluster, &node);
    settle(cluster, NOW_MS - 30 * MINUTE);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_NONE);
    assert_int_equal(advance(cluster, NOW_MS + MINUTE, "a"), JOULIE_POWER_ACTION_SWITCH_OFF);
    joulie_cluster_free(cluster);
}

/* ---- woken while it stopped ---- */

static struct joulie_cluster *make_woken(void)
{
    struct joulie_cluster *cluster = make_stopping();
    advance(cluster, NOW_MS + 5 * SECOND, "a");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    put_pod(cluster, "p", NULL, 4);
    assert_int_equal(advance(cluster, NOW_MS + MINUTE, "a"), JOULIE_POWER_ACTION_WAKE);
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_APPLIED);
    return cluster;
}

static void one_that_is_ready_once_more_before_it_goes_down_is_not_back(void **state)
{
    struct joulie_cluster *cluster = make_woken();
    (void)state;
    report(cluster, "booting", "2026-03-13T12:01:00Z", "True", HOUR_AGO, "one");
    advance(cluster, NOW_MS + 2 * MINUTE, "a");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_BOOTING);
    /* it goes down after it was told to go on, and is told again */
    report(cluster, "booting", "2026-03-13T12:01:00Z", "False", "2026-03-13T12:02:30Z", "one");
    advance(cluster, NOW_MS + 3 * MINUTE, "a");
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_APPLIED);
    report(cluster, "booting", "2026-03-13T12:01:00Z", "True", "2026-03-13T12:07:00Z", "two");
    advance(cluster, NOW_MS + 7 * MINUTE, "a");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_ON);
    joulie_cluster_free(cluster);
}

static void one_that_never_went_down_is_back_when_the_stop_is_over(void **state)
{
    struct joulie_cluster *cluster = make_woken();
    (void)state;
    advance(cluster, NOW_MS + 11 * MINUTE - SECOND, "a"); /* woken at 12:01, stopTimeoutS 600 */
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_BOOTING);
    advance(cluster, NOW_MS + 11 * MINUTE, "a");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_ON);
    joulie_cluster_free(cluster);
}

/* ---- failures ---- */

static void a_failed_command_is_a_failure(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    advance(cluster, NOW_MS + MINUTE, "a");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_FAILED);
    assert_int_equal(advance(cluster, NOW_MS + 2 * MINUTE, "a"), JOULIE_POWER_ACTION_WAKE);
    struct joulie_cluster_node node = node_of(cluster, "a");
    assert_int_equal(node.power_state, JOULIE_POWER_STATE_BOOTING);
    assert_int_equal(node.power_failures, 1);
    assert_string_equal(node.power_reason, "command-failed");
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_FAILED);
    advance(cluster, NOW_MS + 3 * MINUTE, "a");
    assert_int_equal(node_of(cluster, "a").power_failures, 2);
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_FAILED);
    assert_int_equal(advance(cluster, NOW_MS + 4 * MINUTE, "a"), JOULIE_POWER_ACTION_GIVE_UP);
    node = node_of(cluster, "a");
    assert_int_equal(node.power_state, JOULIE_POWER_STATE_LEFT_ALONE);
    assert_int_equal(node.power_failures, 3);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    joulie_cluster_free(cluster);
}

static void failures_stay_with_a_node_that_never_went_off(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    advance(cluster, NOW_MS + MINUTE, "a");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_FAILED);
    advance(cluster, NOW_MS + 2 * MINUTE, "a");
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_APPLIED);
    advance(cluster, NOW_MS + 12 * MINUTE, "a"); /* ready all the time */
    const struct joulie_cluster_node node = node_of(cluster, "a");
    assert_int_equal(node.power_state, JOULIE_POWER_STATE_ON);
    assert_int_equal(node.power_failures, 1);
    joulie_cluster_free(cluster);
}

static void a_node_left_alone_takes_pods_again_when_it_works(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    const struct node node = { .name = "a",
                               .meta = RECORD("left-alone", "2026-03-13T10:00:00Z",
                                              ",'joulie.io/power-failures':'3'"),
                               .spec = DRAINED,
                               .ready = "True",
                               .since = HOUR_AGO,
                               .boot = "two" };
    const char *body = NULL;
    (void)state;
    put_node(cluster, &node);
    size_t count = step(cluster, NOW_MS);
    assert_int_equal(power_action(cluster, count, "a", &body).change, JOULIE_CHANGE_POWER);
    assert_non_null(strstr(body, "\"joulie.io/power-state\":\"left-alone\""));
    assert_non_null(strstr(body, "\"joulie.io/power-since\":\"2026-03-13T10:00:00Z\""));
    assert_non_null(strstr(body, "\"unschedulable\":null"));
    apply_all(cluster, count);
    settle(cluster, NOW_MS + MINUTE);
    count = step(cluster, NOW_MS + 60 * MINUTE); /* idle for an hour, and not switched off */
    assert_int_equal(power_action(cluster, count, "a", NULL).change, JOULIE_CHANGE_UNKNOWN);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_LEFT_ALONE);
    joulie_cluster_free(cluster);
}

/* ---- whose node it is ---- */

static void what_others_keep_is_never_switched_off(void **state)
{
    const struct node nodes[] = {
        { .name = "a", .ready = "True", .since = HOUR_AGO, .spec = "'unschedulable':true" },
        { .name = "a",
          .ready = "True",
          .since = HOUR_AGO,
          .meta = ",'labels':{'joulie.io/reserved':'true'}" },
        { .name = "a",
          .ready = "True",
          .since = HOUR_AGO,
          .meta = ",'annotations':{'joulie.io/paused':'true'}" },
        { .name = "a", .ready = "True", .since = HOUR_AGO, .meta = ",'labels':{'tier':'front'}" },
        { .name = "a", .ready = "False", .since = HOUR_AGO },
    };

    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct joulie_cluster *cluster =
            make_with(IDLE ",'policy':{'nodeSelector':'tier notin (front)'}");
        put_node(cluster, &nodes[i]);
        settle(cluster, NOW_MS - 60 * MINUTE);
        const size_t count = step(cluster, NOW_MS);
        assert_int_equal(power_action(cluster, count, "a", NULL).change, JOULIE_CHANGE_UNKNOWN);
        assert_int_equal(node_of(cluster, "a").power_action, JOULIE_POWER_ACTION_NONE);
        joulie_cluster_free(cluster);
    }
}

static void a_record_that_cannot_be_read_is_left_as_it_is(void **state)
{
    const char *const metas[] = {
        RECORD("sleeping", "2026-03-13T11:00:00Z", ""),
        RECORD("on", "2026-03-13T11:00:00Z", ""),
        RECORD("off", "yesterday", ""),
        ",'annotations':{'joulie.io/power-state':'off'}",
        RECORD("off", "2026-03-13T11:00:00Z", ",'joulie.io/power-failures':'-1'"),
        RECORD("off", "2026-03-13T11:00:00Z", ",'joulie.io/power-failures':'many'"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof metas / sizeof metas[0]; i++) {
        struct joulie_cluster *cluster = make_with(IDLE);
        struct node node = up;
        node.meta = metas[i];
        put_node(cluster, &node);
        settle(cluster, NOW_MS - 60 * MINUTE);
        put_pod(cluster, "p", NULL, 4);
        const size_t count = step(cluster, NOW_MS);
        const struct joulie_cluster_node view = node_of(cluster, "a");
        assert_int_equal(power_action(cluster, count, "a", NULL).change, JOULIE_CHANGE_UNKNOWN);
        assert_int_equal(view.power_state, JOULIE_POWER_STATE_UNKNOWN);
        assert_non_null(strstr(view.power_reason, "the annotation joulie.io/power-"));
        assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
        joulie_cluster_free(cluster);
    }
}

static void taints_of_others_stay(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    struct node node = up;
    const char *body = NULL;
    char expected[] = "'taints':[{'key':'gpu','value':'yes','effect':'NoSchedule'},{'key':'old',"
                      "'effect':'NoExecute','timeAdded':'2026-03-01T00:00:00Z'},{'key':"
                      "'joulie.io/powered-off','effect':'NoSchedule'}]";
    (void)state;
    quote(expected);
    node.spec = "'taints':[{'key':'gpu','value':'yes','effect':'NoSchedule'},{'key':'old',"
                "'effect':'NoExecute','timeAdded':'2026-03-01T00:00:00Z'}]";
    put_node(cluster, &node);
    settle(cluster, NOW_MS - 30 * MINUTE);
    const size_t count = step(cluster, NOW_MS);
    assert_int_equal(power_action(cluster, count, "a", &body).change, JOULIE_CHANGE_POWER);
    assert_non_null(strstr(body, expected));
    joulie_cluster_free(cluster);
}

static void uncordoning_wakes_a_node(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    const struct node node = { .name = "a",
                               .meta = RECORD("off", "2026-03-13T11:00:00Z", ""),
                               .spec = "'taints':[{'key':'joulie.io/powered-off','effect':"
                                       "'NoSchedule'}]",
                               .ready = "Unknown",
                               .since = HOUR_AGO };
    (void)state;
    put_node(cluster, &node);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_WAKE);
    assert_string_equal(node_of(cluster, "a").power_reason, "uncordoned");
    joulie_cluster_free(cluster);
}

static void a_node_that_leaves_the_scope_is_woken(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    struct node node = { .name = "a",
                         .meta = ",'labels':{'joulie.io/reserved':'true'}" RECORD(
                             "off", "2026-03-13T11:00:00Z", ""),
                         .spec = DRAINED,
                         .ready = "Unknown",
                         .since = HOUR_AGO };
    (void)state;
    put_node(cluster, &node);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_WAKE);
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_POWER_ON);
    joulie_cluster_free(cluster);
}

/* ---- restarts and settings ---- */

static void a_new_model_gives_the_command_again(void **state)
{
    const struct {
        const char *meta;
        enum joulie_power_command command;
    } cases[] = {
        { RECORD("stopping", "2026-03-13T11:59:00Z", ",'joulie.io/power-boot-id':'one'"),
          JOULIE_POWER_COMMAND_SWITCH_OFF },
        { RECORD("booting", "2026-03-13T11:59:00Z", ",'joulie.io/power-boot-id':'one'"),
          JOULIE_POWER_COMMAND_POWER_ON },
        { RECORD("off", "2026-03-13T11:59:00Z", ",'joulie.io/power-boot-id':'one'"),
          JOULIE_POWER_COMMAND_NONE },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct joulie_cluster *cluster = make_with(IDLE);
        const struct node node = { .name = "a",
                                   .meta = cases[i].meta,
                                   .spec = DRAINED,
                                   .ready = "Unknown",
                                   .since = HOUR_AGO,
                                   .boot = "one" };
        put_node(cluster, &node);
        assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_NONE);
        assert_int_equal(command_of(cluster).command, cases[i].command);
        joulie_cluster_free(cluster);
    }
}

/* Whoever wrote the record may have run its command: the node is told to come back. */
static void a_new_model_does_not_just_let_a_stopping_node_go(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    struct node node = up;
    (void)state;
    node.meta = RECORD("stopping", "2026-03-13T11:59:00Z", ",'joulie.io/power-boot-id':'one'");
    node.spec = DRAINED;
    put_node(cluster, &node);
    put_pod(cluster, "p", "a", 4);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_WAKE);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_BOOTING);
    joulie_cluster_free(cluster);
}

static void without_settings_nodes_that_are_off_are_woken(void **state)
{
    const char *const settings[] = { "", "'powerOff':{'enabled':false}" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct joulie_cluster *cluster = make_with(settings[i]);
        put_node(cluster, &up);
        settle(cluster, NOW_MS - 60 * MINUTE);
        assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_NONE);
        report(cluster, "off", "2026-03-13T12:00:00Z", "Unknown", HOUR_AGO, "one");
        assert_int_equal(advance(cluster, NOW_MS + MINUTE, "a"), JOULIE_POWER_ACTION_WAKE);
        assert_string_equal(node_of(cluster, "a").power_reason, "disabled");
        assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_POWER_ON);
        joulie_cluster_free(cluster);
    }
}

static void settings_have_their_defaults(void **state)
{
    struct joulie_cluster *cluster = make_with("'powerOff':{'idleS':60}");
    char *json = NULL;
    (void)state;
    assert_int_equal(joulie_cluster_settings(cluster, &json, NULL), JOULIE_OK);
    assert_non_null(strstr(
        json, "\"powerOff\":{\"enabled\":true,\"byAutoscaler\":false,\"idleS\":60,\"upS\":1800,"
              "\"reserveGpus\":16,\"reserveCores\":256,\"reserveWindowS\":900,"
              "\"standbyWatts\":50,"
              "\"stopTimeoutS\":600,\"bootTimeoutS\":1200,\"mostFailures\":3}"));
    joulie_free(json);
    joulie_cluster_free(cluster);
    cluster = make_with("");
    assert_int_equal(joulie_cluster_settings(cluster, &json, NULL), JOULIE_OK);
    assert_null(strstr(json, "powerOff"));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

/* ---- advice ---- */

/* 192 cores stay: one of two idle nodes may go. */
static void a_decision_that_nobody_carries_out_is_made_again(void **state)
{
    struct joulie_cluster *cluster =
        make_with("'powerOff':{'reserveCores':192,'reserveWindowS':0}");
    struct node other = up;
    (void)state;
    other.name = "b";
    put_node(cluster, &up);
    put_node(cluster, &other);
    settle(cluster, NOW_MS - 30 * MINUTE);
    for (int i = 0; i < 3; i++) {
        const size_t count = step(cluster, NOW_MS + i * MINUTE);
        assert_int_equal(power_action(cluster, count, "a", NULL).change, JOULIE_CHANGE_POWER);
        assert_int_equal(power_action(cluster, count, "b", NULL).change, JOULIE_CHANGE_UNKNOWN);
        const struct joulie_cluster_node node = node_of(cluster, "a");
        assert_int_equal(node.power_state, JOULIE_POWER_STATE_ON);
        assert_int_equal(node.power_action, JOULIE_POWER_ACTION_SWITCH_OFF);
        assert_string_equal(node.power_reason, "idle");
        assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    }
    put_pod(cluster, "p", "a", 1);
    (void)step(cluster, NOW_MS + 5 * MINUTE);
    assert_int_equal(node_of(cluster, "a").power_action, JOULIE_POWER_ACTION_NONE);
    assert_string_equal(node_of(cluster, "a").power_reason, "");
    joulie_cluster_free(cluster);
}

static void a_node_that_is_not_ready_is_no_reserve(void **state)
{
    struct joulie_cluster *cluster =
        make_with("'powerOff':{'reserveCores':192,'reserveWindowS':0}");
    struct node other = up;
    (void)state;
    other.name = "b";
    other.ready = "Unknown";
    put_node(cluster, &up);
    put_node(cluster, &other);
    settle(cluster, NOW_MS - 30 * MINUTE);
    assert_int_equal(advance(cluster, NOW_MS, "a"), JOULIE_POWER_ACTION_NONE);
    joulie_cluster_free(cluster);
}

/* Two idle nodes of 192 cores beside a busy one: as many cores stay as the pods of the window ask
 * for, which are bound or wait, until they are older. */
static void a_reserve_is_no_larger_than_what_came(void **state)
{
    static const struct {
        const char *created; /* NULL = nobody says */
        int cores;
        size_t off;
    } rows[] = {
        { "2026-03-13T11:50:00Z", 190, 1 }, { "2026-03-13T11:50:00Z", 2, 2 },
        { "2026-03-13T11:45:00Z", 190, 1 }, { "2026-03-13T11:44:59Z", 190, 2 },
        { "2026-03-13T12:10:00Z", 190, 1 }, { NULL, 190, 1 },
    };

    static const char *const names[] = { "a", "b", "c" };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make_with("'powerOff':{}");
        char created[64] = "";
        size_t off = 0;
        for (size_t k = 0; k < 3; k++) {
            struct node node = up;
            node.name = names[k];
            put_node(cluster, &node);
        }
        if (rows[i].created != NULL)
            snprintf(created, sizeof created, ",'creationTimestamp':'%s'", rows[i].created);
        put(cluster,
            "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'d'%s},'spec':{"
            "'nodeName':'c','containers':[{'name':'c','resources':{'requests':{'cpu':'%d'}}}]},"
            "'status':{'phase':'Running'}}",
            created, rows[i].cores);
        settle(cluster, NOW_MS - 30 * MINUTE);
        const size_t count = step(cluster, NOW_MS);
        for (size_t k = 0; k < 3; k++)
            off += power_action(cluster, count, names[k], NULL).change == JOULIE_CHANGE_POWER;
        if (off != rows[i].off)
            fail_msg("row %zu: %zu", i, off);
        joulie_cluster_free(cluster);
    }
}

/* ---- told to an autoscaler ---- */

#define HELD                                                               \
    ",'annotations':{'cluster-autoscaler.kubernetes.io/scale-down-"        \
    "disabled':'%s','joulie.io/scale-down-disabled':'true'},'labels':{'s'" \
    ":'%s'}"
#define BY_AUTOSCALER \
    "'policy':{'nodeSelector':'s=in'},'powerOff':{'reserveCores':0,'byAutoscaler':true%s}"

static struct joulie_cluster *make_by_autoscaler(const char *more)
{
    char text[256];
    snprintf(text, sizeof text, BY_AUTOSCALER, more);
    return make_with(text);
}

static void put_held(struct joulie_cluster *cluster, const char *name, const char *value,
                     const char *scope, const char *ready)
{
    char meta[512];
    snprintf(meta, sizeof meta, HELD, value, scope);
    const struct node node = { name, meta, NULL, ready, HOUR_AGO, "one" };
    put_node(cluster, &node);
}

static const char *told(struct joulie_cluster *cluster, int64_t now_ms, const char *node)
{
    const char *body = "";
    const size_t count = step(cluster, now_ms);
    power_action(cluster, count, node, &body);
    apply_all(cluster, count);
    return body;
}

static void an_autoscaler_is_told_which_nodes_to_keep(void **state)
{
    const struct node node = { "a", ",'labels':{'s':'in'}", NULL, "True", HOUR_AGO, "one" };
    struct joulie_cluster *cluster = make_by_autoscaler("");
    (void)state;
    put_node(cluster, &node);
    assert_non_null(strstr(told(cluster, NOW_MS, "a"),
                           "\"cluster-autoscaler.kubernetes.io/scale-down-disabled\":\"true\","
                           "\"joulie.io/scale-down-disabled\":\"true\""));
    assert_string_equal(told(cluster, NOW_MS + 29 * MINUTE, "a"), "");
    assert_non_null(strstr(told(cluster, NOW_MS + 31 * MINUTE, "a"),
                           "\"cluster-autoscaler.kubernetes.io/scale-down-disabled\":null,"
                           "\"joulie.io/scale-down-disabled\":null"));
    assert_int_equal(node_of(cluster, "a").power_action, JOULIE_POWER_ACTION_SWITCH_OFF);
    assert_string_equal(node_of(cluster, "a").power_reason, "idle");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_ON);
    assert_string_equal(told(cluster, NOW_MS + 40 * MINUTE, "a"),
                        ""); /* and nothing else follows */
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_NONE);
    put_pod(cluster, "p", "a", 1);
    assert_non_null(strstr(told(cluster, NOW_MS + 41 * MINUTE, "a"), "-disabled\":\"true\""));
    joulie_cluster_free(cluster);
}

static void what_an_autoscaler_was_told_by_others_stays(void **state)
{
    struct joulie_cluster *cluster = make_by_autoscaler("");
    (void)state;
    put_held(cluster, "changed", "false", "in", "True");
    put_held(cluster, "out", "true", "out", "True");
    put_held(cluster, "broken", "true", "in", "False");
    put_held(cluster, "ours", "true", "in", "True");
    assert_string_equal(told(cluster, NOW_MS, "changed"), "");
    joulie_cluster_free(cluster);
    cluster = make_by_autoscaler("");
    put_held(cluster, "out", "true", "out", "True");
    assert_non_null(strstr(told(cluster, NOW_MS, "out"), "-disabled\":null"));
    joulie_cluster_free(cluster);
    cluster = make_by_autoscaler("");
    put_held(cluster, "broken", "true", "in", "False");
    assert_non_null(strstr(told(cluster, NOW_MS, "broken"), "-disabled\":null"));
    joulie_cluster_free(cluster);
    cluster = make_by_autoscaler(",'enabled':false");
    put_held(cluster, "ours", "true", "in", "True");
    assert_non_null(strstr(told(cluster, NOW_MS, "ours"), "-disabled\":null"));
    assert_string_equal(told(cluster, NOW_MS + MINUTE, "ours"), "");
    joulie_cluster_free(cluster);
}

static void a_record_is_left_alone_where_an_autoscaler_is_told(void **state)
{
    const struct node node = { "a",      ",'labels':{'s':'in'}" RECORD("off", HOUR_AGO, ""),
                               DRAINED,  "False",
                               HOUR_AGO, "one" };
    struct joulie_cluster *cluster = make_by_autoscaler("");
    (void)state;
    put_node(cluster, &node);
    put_pod(cluster, "p", NULL, 1);
    assert_string_equal(told(cluster, NOW_MS, "a"), "");
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_OFF);
    joulie_cluster_free(cluster);
}

static void an_explanation_says_why(void **state)
{
    struct joulie_cluster *cluster = make_idle(IDLE);
    char *json = NULL;
    char expected[] =
        "'power':{'state':'on','action':'switch-off','reason':'idle','text':'nothing runs on the "
        "node, and there is room enough without it'}";
    char off[] = "'power':{'state':'off','since':'2026-03-13T12:01:00Z','reason':'idle'}";
    (void)state;
    quote(expected);
    quote(off);
    (void)step(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_explain(cluster, "a", &json, NULL), JOULIE_OK);
    assert_non_null(strstr(json, expected));
    joulie_free(json);
    joulie_cluster_free(cluster);
    cluster = make_off();
    assert_int_equal(joulie_cluster_explain(cluster, "a", &json, NULL), JOULIE_OK);
    assert_non_null(strstr(json, off));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

/* ---- what an off node does to the rest ---- */

static void an_off_node_takes_no_pods_and_looks_no_better(void **state)
{
    struct joulie_cluster *cluster = make_off();
    static const char pod[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                              "\"p\",\"namespace\":\"d\"}}";
    int32_t reject = 0;
    int32_t score = -1;
    int32_t wire = -1;
    struct joulie_place_columns_out columns = JOULIE_INIT(struct joulie_place_columns_out);
    const struct joulie_work work = JOULIE_INIT(struct joulie_work);
    char *json = NULL;
    (void)state;
    columns.reject = (struct joulie_column_int_out){ &reject, sizeof reject };
    columns.score = (struct joulie_column_int_out){ &score, sizeof score };
    columns.wire = (struct joulie_column_int_out){ &wire, sizeof wire };
    joulie_cluster_heartbeat(cluster, NOW_MS + 2 * MINUTE);
    assert_int_equal(
        joulie_cluster_place(cluster, &work, NOW_MS + 2 * MINUTE, NULL, &columns, 1, NULL, NULL),
        JOULIE_OK);
    assert_int_equal(reject, JOULIE_REJECT_OFF);
    assert_int_equal(score, 0);
    assert_int_equal(wire, 0);
    assert_int_equal(
        joulie_cluster_filter(cluster, pod, sizeof pod - 1, NOW_MS + 2 * MINUTE, &json, NULL),
        JOULIE_OK);
    assert_string_equal(json, "{\"passed\":[],\"failed\":{\"a\":\"joulie: the node is switched off "
                              "to save power\"}}");
    joulie_free(json);
    assert_int_equal(
        joulie_cluster_score(cluster, pod, sizeof pod - 1, NOW_MS + 2 * MINUTE, &json, NULL),
        JOULIE_OK);
    assert_non_null(strstr(json, "\"node\":\"a\",\"score\":0,\"wire\":0"));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

static void the_extender_counts_off_nodes_apart(void **state)
{
    static const char body[] = "{\"Pod\":{\"metadata\":{\"name\":\"p\"}},\"NodeNames\":[\"a\"]}";
    struct joulie_cluster *cluster = make_off();
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    char *reply = NULL;
    (void)state;
    options.verb = JOULIE_EXTENDER_FILTER;
    options.now_ms = NOW_MS + 2 * MINUTE;
    options.is_filled = 1;
    assert_int_equal(
        joulie_cluster_extend(cluster, body, sizeof body - 1, &options, &reply, &result, NULL),
        JOULIE_OK);
    assert_int_equal(result.rejected_off, 1);
    assert_non_null(strstr(reply, "\"a\":\"joulie: the node is switched off to save power\""));
    joulie_free(reply);
    joulie_cluster_free(cluster);
}

/* Half of two nodes is one, with both on and with one off; the off one keeps its twin. */
static void an_off_node_still_counts_for_the_policy(void **state)
{
    struct joulie_cluster *cluster = make_with(
        "'powerOff':{'reserveCores':192,'reserveWindowS':0},'policy':{'staticHpFrac':0.5}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    struct node other = up;
    (void)state;
    other.name = "b";
    put_node(cluster, &up);
    put_node(cluster, &other);
    settle(cluster, NOW_MS - 30 * MINUTE);
    const enum joulie_node_class before = node_of(cluster, "a").node_class;
    assert_int_equal(before, JOULIE_NODE_CLASS_PERFORMANCE);
    advance(cluster, NOW_MS, "a");
    advance(cluster, NOW_MS + 5 * SECOND, "a");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "Unknown", "2026-03-13T12:01:00Z", "one");
    settle(cluster, NOW_MS + MINUTE);
    assert_int_equal(state_of(cluster, "a"), JOULIE_POWER_STATE_OFF);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.performance_nodes, 1);
    assert_int_equal(node_of(cluster, "a").node_class, before);
    assert_string_equal(node_of(cluster, "a").scope, "managed");
    joulie_cluster_free(cluster);
}

/* A performance pod has no room on an eco node, but a policy that follows the queue makes a
 * performance node of the one that was woken for it. */
static void the_queue_wakes_an_eco_node(void **state)
{
    const struct {
        const char *policy;
        enum joulie_power_action action;
    } cases[] = {
        { "queue_aware_v1", JOULIE_POWER_ACTION_WAKE },
        { "static_partition", JOULIE_POWER_ACTION_NONE },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char settings[256];
        snprintf(settings, sizeof settings, IDLE ",'policy':{'type':'%s','staticHpFrac':0}",
                 cases[i].policy);
        struct joulie_cluster *cluster = make_with(settings);
        report(cluster, "off", "2026-03-13T11:00:00Z", "Unknown", HOUR_AGO, "one");
        settle(cluster, NOW_MS);
        put(cluster, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'d',"
                     "'annotations':{'joulie.io/workload-class':'performance'}},'spec':{"
                     "'containers':[{'name':'c','resources':{'requests':{'cpu':'4'}}}]},'status':{"
                     "'phase':'Pending'}}");
        assert_int_equal(advance(cluster, NOW_MS + MINUTE, "a"), cases[i].action);
        joulie_cluster_free(cluster);
    }
}

/* ---- what its twin says ---- */

/* The body of the status action about a node; NULL = there is none. */
static const char *status_body(struct joulie_cluster *cluster, size_t count, const char *node)
{
    for (size_t i = 0; i < count; i++) {
        const struct joulie_cluster_action action = action_at(cluster, i);
        if (action.change == JOULIE_CHANGE_STATUS && strcmp(action.node_name, node) == 0)
            return body_at(cluster, i);
    }
    return NULL;
}

static void assert_says(struct joulie_cluster *cluster, int64_t now_ms, const char *expected)
{
    char text[512];
    const size_t count = step(cluster, now_ms);
    const char *body = status_body(cluster, count, "a");
    snprintf(text, sizeof text, "%s", expected);
    quote(text);
    assert_non_null(body);
    if (strstr(body, text) == NULL)
        fail_msg("%s has no %s", body, text);
    apply_all(cluster, count);
}

static void its_twin_has_a_condition(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    assert_says(cluster, NOW_MS + 5 * SECOND,
                "'conditions':[{'type':'PoweredOff','status':'False','reason':'Stopping','message':"
                "'The node is drained and about to be switched off.','lastTransitionTime':"
                "'2026-03-13T12:00:05Z'}]");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "Unknown", "2026-03-13T12:01:00Z", "one");
    advance(cluster, NOW_MS + MINUTE, "a");
    assert_says(cluster, NOW_MS + 2 * MINUTE,
                "'conditions':[{'type':'PoweredOff','status':'True','reason':'Off','message':"
                "'The node is switched off, as nothing needs it.','lastTransitionTime':"
                "'2026-03-13T12:02:00Z'}]");
    assert_null(status_body(cluster, step(cluster, NOW_MS + 3 * MINUTE), "a")); /* no news */
    put_pod(cluster, "p", NULL, 4);
    advance(cluster, NOW_MS + 4 * MINUTE, "a");
    assert_says(cluster, NOW_MS + 5 * MINUTE, "'status':'False','reason':'Booting'");
    report(cluster, "booting", "2026-03-13T12:04:00Z", "True", "2026-03-13T12:06:00Z", "two");
    advance(cluster, NOW_MS + 6 * MINUTE, "a");
    /* the status stays False: since then nothing was off */
    assert_says(cluster, NOW_MS + 7 * MINUTE,
                "'status':'False','reason':'On','message':'The node is on.','lastTransitionTime':"
                "'2026-03-13T12:05:00Z'}]");
    joulie_cluster_free(cluster);
}

static void a_node_that_was_never_off_has_none(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    (void)state;
    put_node(cluster, &up);
    const size_t count = step(cluster, NOW_MS);
    assert_null(strstr(status_body(cluster, count, "a"), "conditions"));
    joulie_cluster_free(cluster);
}

/* In the twin of a node that is off there may be conditions of others. */
static void conditions_of_others_stay(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    const char *body = NULL;
    size_t count = 0;
    char version[] = "{'metadata':{'resourceVersion':'41'},'status':{";
    char expected[] =
        "'conditions':[{'type':'Audited','status':'True','observedGeneration':3},{'type':"
        "'PoweredOff','status':'True','reason':'Off','message':'The node is switched off, as "
        "nothing needs it.','lastTransitionTime':'2026-03-13T11:30:00Z'}]}}";
    (void)state;
    quote(version);
    quote(expected);
    report(cluster, "off", "2026-03-13T11:00:00Z", "Unknown", HOUR_AGO, "one");
    put(cluster,
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'a',"
        "'resourceVersion':'41'},'spec':{'nodeName':'a','profile':'performance'},'status':{"
        "'conditions':[{'type':'Audited','status':'True','observedGeneration':3},{'type':"
        "'PoweredOff','status':'True','reason':'Elsewhere','lastTransitionTime':"
        "'2026-03-13T11:30:00Z'}]}}");
    count = step(cluster, NOW_MS);
    body = status_body(cluster, count, "a");
    assert_non_null(body);
    assert_ptr_equal(strstr(body, version), body);
    assert_non_null(strstr(body, expected));
    apply_all(cluster, count);
    /* another status leaves all of them out, and needs no version */
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    facility.has = JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
    facility.outside_temp_c = 45;
    assert_int_equal(joulie_cluster_put_facility(cluster, &facility, NULL), JOULIE_OK);
    count = step(cluster, NOW_MS + MINUTE);
    body = status_body(cluster, count, "a");
    assert_non_null(body);
    assert_null(strstr(body, "conditions"));
    assert_null(strstr(body, "resourceVersion"));
    joulie_cluster_free(cluster);
}

static void without_a_record_conditions_of_others_stay_too(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    (void)state;
    put_node(cluster, &up);
    put(cluster, "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeTwin','metadata':{'name':'a'},"
                 "'spec':{'nodeName':'a','profile':'performance'},'status':{'conditions':[{'type':"
                 "'Audited','status':'True'}]}}");
    const size_t count = step(cluster, NOW_MS);
    assert_null(strstr(status_body(cluster, count, "a"), "conditions"));
    apply_all(cluster, count);
    const size_t later = step(cluster, NOW_MS + 31 * MINUTE); /* the heartbeat of the twin */
    assert_null(strstr(status_body(cluster, later, "a"), "conditions"));
    joulie_cluster_free(cluster);
}

/* An idle node of two 9654 draws more, and readings of before it went off count no longer. */
static void an_off_node_draws_its_standby_watts(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    (void)state;
    measure(cluster, "a", NOW_MS, 180);
    advance(cluster, NOW_MS + 5 * SECOND, "a");
    struct joulie_cluster_node node = node_of(cluster, "a");
    assert_near(node.node_power_w, 180, 0);
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    report(cluster, "stopping", "2026-03-13T12:00:00Z", "Unknown", "2026-03-13T12:01:00Z", "one");
    advance(cluster, NOW_MS + MINUTE, "a");
    advance(cluster, NOW_MS + 2 * MINUTE, "a");
    node = node_of(cluster, "a");
    assert_true((node.has & JOULIE_CLUSTER_NODE_HAS_NODE_POWER) != 0);
    assert_near(node.node_power_w, 50, 0);
    assert_int_equal(node.power_tier, JOULIE_POWER_TIER_STANDBY);
    assert_true((node.has & JOULIE_CLUSTER_NODE_HAS_TREND) == 0);
    measure(cluster, "a", NOW_MS + 3 * MINUTE, 31); /* by its BMC */
    advance(cluster, NOW_MS + 3 * MINUTE, "a");
    node = node_of(cluster, "a");
    assert_near(node.node_power_w, 31, 0);
    assert_int_equal(node.power_tier, JOULIE_POWER_TIER_MEASURED);
    advance(cluster, NOW_MS + 9 * MINUTE, "a"); /* that grew old */
    assert_near(node_of(cluster, "a").node_power_w, 50, 0);
    joulie_cluster_free(cluster);
}

/* ---- machines without Kubernetes ---- */

static struct joulie_cluster_machine machine_of(enum joulie_readiness readiness, int64_t booted_ms)
{
    struct joulie_cluster_machine machine = cpu_machine("m");
    machine.readiness = readiness;
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_BOOTED;
    machine.booted_ms = booted_ms;
    return machine;
}

static void a_machine_goes_the_same_way(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    struct joulie_cluster_machine machine =
        machine_of(JOULIE_READINESS_READY, NOW_MS - 60 * MINUTE);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    (void)state;
    put_machine(cluster, &machine);
    settle(cluster, NOW_MS - 30 * MINUTE);
    assert_int_equal(advance(cluster, NOW_MS, "m"), JOULIE_POWER_ACTION_SWITCH_OFF);
    put_machine(cluster, &machine); /* the model remembers */
    machine.is_unschedulable = 1;   /* the caller drained it, and says so */
    put_machine(cluster, &machine);
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_STOPPING);
    assert_string_equal(node_of(cluster, "m").scope, "managed");
    advance(cluster, NOW_MS + MINUTE, "m");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    machine.readiness = JOULIE_READINESS_NOT_READY;
    put_machine(cluster, &machine);
    advance(cluster, NOW_MS + 2 * MINUTE, "m");
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_OFF);

    assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, NULL), JOULIE_OK);
    assert_int_equal(advance(cluster, NOW_MS + 3 * MINUTE, "m"), JOULIE_POWER_ACTION_WAKE);
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_APPLIED);
    machine = machine_of(JOULIE_READINESS_READY, NOW_MS + 5 * MINUTE);
    put_machine(cluster, &machine);
    advance(cluster, NOW_MS + 6 * MINUTE, "m");
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_ON);
    put_machine(cluster, &machine);
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_ON);
    joulie_cluster_free(cluster);
}

static void where_nobody_says_the_command_alone_confirms(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    (void)state;
    put_named(cluster, "m");
    settle(cluster, NOW_MS - 30 * MINUTE);
    advance(cluster, NOW_MS, "m");
    advance(cluster, NOW_MS + 5 * SECOND, "m");
    finish(cluster, JOULIE_POWER_COMMAND_SWITCH_OFF, JOULIE_OUTCOME_APPLIED);
    advance(cluster, NOW_MS + MINUTE, "m");
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_OFF);
    const struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    assert_int_equal(joulie_cluster_put_work(cluster, "g", "w", &work, NULL), JOULIE_OK);
    advance(cluster, NOW_MS + 2 * MINUTE, "m");
    advance(cluster, NOW_MS + 3 * MINUTE, "m");
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_BOOTING);
    finish(cluster, JOULIE_POWER_COMMAND_POWER_ON, JOULIE_OUTCOME_APPLIED);
    advance(cluster, NOW_MS + 4 * MINUTE, "m");
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_ON);
    joulie_cluster_free(cluster);
}

static void a_new_model_takes_over_what_the_caller_remembers(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    struct joulie_cluster_machine machine =
        machine_of(JOULIE_READINESS_NOT_READY, NOW_MS - 60 * MINUTE);
    (void)state;
    machine.power_state = JOULIE_POWER_STATE_BOOTING;
    machine.power_failures = 2;
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_POWER_SINCE;
    machine.power_since_ms = NOW_MS - 10 * MINUTE;
    put_machine(cluster, &machine);
    struct joulie_cluster_node node = node_of(cluster, "m");
    assert_int_equal(node.power_state, JOULIE_POWER_STATE_BOOTING);
    assert_int_equal(node.power_since_ms, NOW_MS - 10 * MINUTE);
    assert_int_equal(node.power_failures, 2);
    advance(cluster, NOW_MS, "m");
    assert_int_equal(command_of(cluster).command, JOULIE_POWER_COMMAND_POWER_ON);
    advance(cluster, NOW_MS + 11 * MINUTE, "m"); /* 21 minutes: the third failure */
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_LEFT_ALONE);
    put_machine(cluster, &machine); /* as before: the model knows better */
    assert_int_equal(state_of(cluster, "m"), JOULIE_POWER_STATE_LEFT_ALONE);
    machine.power_state = JOULIE_POWER_STATE_ON; /* somebody repaired it */
    machine.power_failures = 0;
    put_machine(cluster, &machine);
    node = node_of(cluster, "m");
    assert_int_equal(node.power_state, JOULIE_POWER_STATE_ON);
    assert_int_equal(node.power_failures, 0);
    joulie_cluster_free(cluster);
}

static void bad_records_of_machines_are_refused(void **state)
{
    struct joulie_cluster *cluster = make_with(IDLE);
    const struct joulie_cluster_machine good =
        machine_of(JOULIE_READINESS_READY, NOW_MS - 60 * MINUTE);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_machine machine = good;
    (void)state;
    machine.power_state = (enum joulie_power_state)6;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_ENUM);
    assert_string_equal(err.where, "power_state");
    machine = good;
    machine.readiness = (enum joulie_readiness)3;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_ENUM);
    assert_string_equal(err.where, "readiness");
    machine = good;
    machine.power_failures = -1;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "power_failures");
    machine = good;
    machine.power_state = JOULIE_POWER_STATE_OFF;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "power_since_ms");
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_POWER_SINCE;
    machine.power_since_ms = INT64_MAX;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "power_since_ms");
    machine = good;
    machine.booted_ms = INT64_MIN;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "booted_ms");
    machine = good;
    machine.reserved = 1;
    assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

static void commands_refuse_what_is_none(void **state)
{
    struct joulie_cluster *cluster = make_stopping();
    struct joulie_cluster_command command = JOULIE_INIT(struct joulie_cluster_command);
    (void)state;
    advance(cluster, NOW_MS + MINUTE, "a");
    const uint64_t id = command_of(cluster).id;
    assert_int_equal(joulie_cluster_command_done(cluster, id, JOULIE_OUTCOME_CONFLICT, NULL),
                     JOULIE_E_ENUM);
    assert_int_equal(joulie_cluster_command_done(cluster, id + 1, JOULIE_OUTCOME_APPLIED, NULL),
                     JOULIE_E_NOT_FOUND);
    command.struct_size = 1;
    assert_int_equal(joulie_cluster_command_at(cluster, 0, &command, NULL), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_nothing_needs_is_drained_first),
        cmocka_unit_test(the_command_waits_until_the_drained_node_was_seen_empty),
        cmocka_unit_test(a_node_is_off_when_its_command_was_done_and_it_is_not_ready),
        cmocka_unit_test(a_pod_that_waits_wakes_the_node_at_once),
        cmocka_unit_test(a_node_is_on_again_after_another_boot),
        cmocka_unit_test(without_a_boot_id_the_time_of_its_readiness_counts),
        cmocka_unit_test(a_node_that_comes_back_by_itself_is_on),
        cmocka_unit_test(a_pod_bound_before_the_command_keeps_the_node_on),
        cmocka_unit_test(a_pod_withdraws_a_command_that_is_listed),
        cmocka_unit_test(daemons_keep_no_node_on),
        cmocka_unit_test(a_node_is_empty_since_the_last_pod_left),
        cmocka_unit_test(a_node_that_just_came_up_stays),
        cmocka_unit_test(one_that_is_ready_once_more_before_it_goes_down_is_not_back),
        cmocka_unit_test(one_that_never_went_down_is_back_when_the_stop_is_over),
        cmocka_unit_test(a_failed_command_is_a_failure),
        cmocka_unit_test(failures_stay_with_a_node_that_never_went_off),
        cmocka_unit_test(a_node_left_alone_takes_pods_again_when_it_works),
        cmocka_unit_test(what_others_keep_is_never_switched_off),
        cmocka_unit_test(a_record_that_cannot_be_read_is_left_as_it_is),
        cmocka_unit_test(taints_of_others_stay),
        cmocka_unit_test(uncordoning_wakes_a_node),
        cmocka_unit_test(a_node_that_leaves_the_scope_is_woken),
        cmocka_unit_test(a_new_model_gives_the_command_again),
        cmocka_unit_test(a_new_model_does_not_just_let_a_stopping_node_go),
        cmocka_unit_test(without_settings_nodes_that_are_off_are_woken),
        cmocka_unit_test(settings_have_their_defaults),
        cmocka_unit_test(a_decision_that_nobody_carries_out_is_made_again),
        cmocka_unit_test(a_node_that_is_not_ready_is_no_reserve),
        cmocka_unit_test(a_reserve_is_no_larger_than_what_came),
        cmocka_unit_test(an_autoscaler_is_told_which_nodes_to_keep),
        cmocka_unit_test(what_an_autoscaler_was_told_by_others_stays),
        cmocka_unit_test(a_record_is_left_alone_where_an_autoscaler_is_told),
        cmocka_unit_test(an_explanation_says_why),
        cmocka_unit_test(an_off_node_takes_no_pods_and_looks_no_better),
        cmocka_unit_test(the_extender_counts_off_nodes_apart),
        cmocka_unit_test(an_off_node_still_counts_for_the_policy),
        cmocka_unit_test(the_queue_wakes_an_eco_node),
        cmocka_unit_test(its_twin_has_a_condition),
        cmocka_unit_test(a_node_that_was_never_off_has_none),
        cmocka_unit_test(conditions_of_others_stay),
        cmocka_unit_test(without_a_record_conditions_of_others_stay_too),
        cmocka_unit_test(an_off_node_draws_its_standby_watts),
        cmocka_unit_test(a_machine_goes_the_same_way),
        cmocka_unit_test(where_nobody_says_the_command_alone_confirms),
        cmocka_unit_test(a_new_model_takes_over_what_the_caller_remembers),
        cmocka_unit_test(bad_records_of_machines_are_refused),
        cmocka_unit_test(commands_refuse_what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
