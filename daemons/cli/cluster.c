/* SPDX-License-Identifier: Apache-2.0 */

/* The connection of a command to an API server: one call after the other, each waited for in a
 * loop of its own, lists in pages; what time it is there, and when its operator last gave a sign of
 * life. */

#include "cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "runtime/clock.h"
#include "table.h"

#define AGENT_LEASE "joulie-agent-" /* and the object name of its node */
#define AGENT_PODS "app.kubernetes.io/name=joulie,app.kubernetes.io/component=agent"
#define FETCH_TIMEOUT_MS 5000
/* A person waits: a server that is not there is reported after 3 s, not when the time is over. */
#define MOST_ATTEMPTS 3
#define MOST_BAD 1000 /* objects that are left out before it is given up */
#define LIMIT_BYTES ((size_t)256 * 1024 * 1024) /* of a page: 500 large pods */

extern char **environ;

const char *const jd_cluster_output_words[] = { "table", "wide", "json", "yaml", "name", NULL };

bool jd_is_for_programs(const struct jd_call *call)
{
    const char *form = call->values.output;
    return jl_same(form, "json") || jl_same(form, "yaml");
}

/* ---- opening ---- */

static int open_edges(const struct jd_call *call, struct jd_cluster *cluster,
                      struct joulie_error *err)
{
    struct jd_access_options options = call->values.access;
    options.environment = environ;
    options.loop = &cluster->loop;
    int rc = jd_loop_open(&cluster->loop, 0, NULL, 0, err);
    if (rc == 0)
        rc = jd_http_open(&cluster->loop, "kubectl-joulie", &cluster->http, err);
    if (rc == 0)
        rc = jd_access_open(&options, &cluster->access, err);
    if (rc == 0)
        rc = jd_access_await(cluster->access, err);
    const struct jd_kube_options kube = {
        .access = cluster->access,
        .component = "kubectl-joulie",
        .log = &cluster->log,
    };
    return rc == 0 ? jd_kube_open(&cluster->loop, cluster->http, &kube, &cluster->kube, err) : rc;
}

static void close_edges(struct jd_cluster *cluster)
{
    jd_kube_close(cluster->kube);
    jd_access_close(cluster->access);
    jd_http_close(cluster->http);
    jd_loop_close(&cluster->loop);
}

int jd_on_cluster(struct jd_call *call, jd_cluster_fn *use)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_cluster cluster = {
        .log = jd_log_new(STDERR_FILENO, "warn", "text"),
        .timeout_ms = call->values.request_timeout_ms,
        .clock_url = call->values.clock,
    };
    int status;
    if (open_edges(call, &cluster, &err) == 0)
        status = use(call, &cluster);
    else
        status = jd_cluster_report(&cluster, "error: %s%s%s", err.where, err.where[0] ? ": " : "",
                                   err.message);
    close_edges(&cluster);
    return status;
}

int jd_cluster_report(struct jd_cluster *cluster, const char *format, ...)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    jd_hide_users(text);
    text[jl_utf8_keep(text, strlen(text))] = '\0';
    jd_put_plain(&line, text);
    jl_put_char(&line, '\n');
    if (cluster->reported && line.data)
        jl_put(cluster->reported, line.data, line.len);
    else
        fputs(line.data ? line.data : "error: out of memory\n", stderr);
    return JD_EXIT_BAD;
}

int jd_cluster_put(struct jd_call *call, struct jd_cluster *cluster, const struct jl_buffer *text)
{
    if (text->is_failed)
        return jd_cluster_report(cluster, "error: out of memory");
    if (text->len > 0)
        jd_put_text(call, text->data, text->len);
    return JD_EXIT_OK;
}

int jd_cluster_show(struct jd_call *call, struct jd_cluster *cluster, struct json_object *answer,
                    const struct jd_view *view)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    if (jd_is_for_programs(call))
        jd_put_answer(call, jd_tree_text(answer));
    else if (jl_same(call->values.output, "name"))
        view->put_names(answer, &out);
    else
        view->put_tables(call, answer, view->user, &out);
    return jd_cluster_put(call, cluster, &out);
}

/* ---- one call ---- */

struct wait {
    struct jd_cluster *cluster;
    struct jd_got *got;
    bool is_done;
};

void jd_got_clear(struct jd_got *got)
{
    jl_buffer_clear(&got->body);
    *got = (struct jd_got){ .code = 0 };
}

static void end_wait(struct wait *wait, int code, const char *message, struct jl_text body)
{
    wait->got->code = code;
    snprintf(wait->got->message, sizeof wait->got->message, "%s", message);
    jl_put(&wait->got->body, body.ptr, body.len);
    wait->is_done = true;
    jd_loop_stop(&wait->cluster->loop);
}

/* rc: of the start of what is waited for. */
static int wait_for(struct wait *wait, int rc, struct joulie_error *err)
{
    wait->cluster->loop.is_stopped = false;
    return rc == 0 ? jd_loop_run(&wait->cluster->loop, err) : rc;
}

void jd_got_take(struct jd_got *got, const struct jd_answer *answer)
{
    got->code = answer->code;
    snprintf(got->reason, sizeof got->reason, "%s", answer->reason);
    snprintf(got->message, sizeof got->message, "%s", answer->message);
}

static void take_answer(void *user, const struct jd_answer *answer)
{
    struct wait *wait = user;
    jd_got_take(wait->got, answer);
    end_wait(wait, answer->code, answer->message, (struct jl_text){ answer->body, answer->len });
}

int jd_cluster_start(struct jd_cluster *cluster, const struct jd_kube_call *call)
{
    struct jd_kube_call mine = *call;
    mine.deadline_ms = cluster->timeout_ms;
    mine.most_attempts = MOST_ATTEMPTS;
    mine.limit_bytes = LIMIT_BYTES;
    mine.priority = JD_PRIORITY_READ;
    return jd_kube_start(cluster->kube, &mine, NULL);
}

void jd_cluster_wait(struct jd_cluster *cluster)
{
    cluster->loop.is_stopped = false;
    (void)jd_loop_run(&cluster->loop, NULL); /* a call that did not end has no code */
}

int jd_cluster_call(struct jd_cluster *cluster, const struct jd_kube_call *call, struct jd_got *out)
{
    struct wait wait = { cluster, out, false };
    struct jd_kube_call mine = *call;
    jd_got_clear(out);
    mine.on_done = take_answer;
    mine.user = &wait;
    const int rc = wait_for(&wait, jd_cluster_start(cluster, &mine), NULL);
    if (!wait.is_done)
        jd_kube_cancel(cluster->kube, &wait);
    return rc == 0 ? jl_buffer_code(&out->body) : rc;
}

struct json_object *jd_cluster_get(struct jd_cluster *cluster, const struct jd_resource *resource,
                                   const char *name_space, const char *name, struct jd_got *got)
{
    const struct jd_kube_call call = {
        .method = "GET",
        .resource = resource,
        .name_space = name_space,
        .name = name,
    };
    if (jd_cluster_call(cluster, &call, got) < 0 || got->code != 200)
        return NULL;
    return jd_json_parse(got->body.data, got->body.len);
}

int jd_cluster_fail(struct jd_cluster *cluster, const struct jd_got *got, const char *what)
{
    const char *message = got->message[0] ? got->message : "the answer is not what was asked for";
    if (got->code == 0)
        return jd_cluster_report(cluster, "error: %s: %s: %s", what,
                                 jd_access_shown(cluster->access), message);
    if (got->code == 404 && !got->reason[0]) /* no Status: the path itself is unknown */
        return jd_cluster_report(
            cluster,
            "error: %s: this cluster does not have the kind; for Joulie's own, "
            "\"joulie crd | kubectl apply -f -\" installs them",
            what);
    if (got->reason[0])
        return jd_cluster_report(cluster, "Error from server (%s): %s: %s", got->reason, what,
                                 message);
    return jd_cluster_report(cluster, "Error from server (%d): %s: %s", got->code, what, message);
}

/* ---- other pages ---- */

static void take_reply(void *user, const struct jd_reply *reply)
{
    end_wait(user, reply->status, reply->message, (struct jl_text){ reply->body, reply->len });
}

/* GET of any URL as a tree; with the identity of the user when it goes to the API server. NULL:
 * got->message says why. */
static struct json_object *fetch(struct jd_cluster *cluster, const char *url, bool is_api,
                                 struct jd_got *got)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct wait wait = { cluster, got, false };
    struct jd_transfer *transfer = NULL;
    struct jd_access *access = cluster->access;
    const struct jd_http_request request = {
        .url = url,
        .headers = is_api ? jd_access_headers(access, jd_clock_ms(), NULL) : NULL,
        .proxy = is_api ? jd_access_proxy(access) : NULL,
        .tls = is_api ? jd_access_tls(access) : NULL,
        .timeout_ms =
            cluster->timeout_ms < FETCH_TIMEOUT_MS ? cluster->timeout_ms : FETCH_TIMEOUT_MS,
        .on_done = take_reply,
        .user = &wait,
    };
    snprintf(got->message, sizeof got->message, "it was interrupted");
    if (wait_for(&wait, jd_http_start(cluster->http, &request, &transfer, &err), &err) < 0)
        snprintf(got->message, sizeof got->message, "%s", err.message);
    if (transfer && !wait.is_done)
        jd_http_cancel(transfer);
    struct json_object *tree =
        got->code == 200 ? jd_json_parse(got->body.data, got->body.len) : NULL;
    if (!tree && got->code > 0)
        snprintf(got->message, sizeof got->message, "the answer is %d, %s", got->code,
                 got->code == 200 ? "but no JSON" : "not 200");
    return tree;
}

struct json_object *jd_cluster_page(struct jd_cluster *cluster, const char *path)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    jd_put_format(&url, "%s%s", jd_access_server(cluster->access), path);
    return jl_buffer_code(&url) == 0 ? fetch(cluster, url.data, true, &got) : NULL;
}

/* ---- the time there, and questions that need it ---- */

int jd_cluster_now(struct jd_cluster *cluster, int64_t *out_ms, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    *out_ms = jd_clock_wall_ms();
    if (!cluster->clock_url)
        return 0;
    jd_put_format(&url, "%s/clock", cluster->clock_url);
    if (jl_buffer_code(&url) < 0)
        return jl_fail_memory(err);
    JL_CLEANUP(jd_json_freep) struct json_object *tree = fetch(cluster, url.data, false, &got);
    const char *now = jd_json_text(tree, "now");
    if (now && jl_parse_time(now, strlen(now), out_ms) == 0)
        return 0;
    JL_CLEANUP(jl_freep) char *shown = jd_shown_url(cluster->clock_url);
    return jl_fail(err, JOULIE_E_IO, "--clock", "%s/clock does not have the time: %s",
                   shown ? shown : "", tree ? "the answer has no \"now\"" : got.message);
}

bool jd_cluster_heartbeat(struct jd_cluster *cluster, const char *name_space, char out[64],
                          struct jd_got *got)
{
    struct json_object *lease =
        jd_cluster_get(cluster, &jd_leases, name_space ? name_space : JD_OPERATOR_NAMESPACE,
                       JD_HEARTBEAT_LEASE, got);
    const char *time = jd_json_text(lease, "spec.renewTime");
    snprintf(out, 64, "%s", time ? time : "");
    json_object_put(lease);
    return out[0] != '\0';
}

/* A Lease of an agent as the question status takes it; NULL = it is none. */
static struct json_object *agent_of(struct json_object *lease)
{
    static const char *const members[] = { "renewTime", "leaseDurationSeconds" };
    const char *name = jd_json_text(lease, "metadata.name");
    const char *holder = jd_json_text(lease, "spec.holderIdentity");
    struct json_object *agent = json_object_new_object();
    if (holder)
        jd_set_text(agent, "nodeName", holder);
    for (size_t i = 0; i < JL_COUNT(members); i++) {
        char path[64];
        snprintf(path, sizeof path, "spec.%s", members[i]);
        struct json_object *found = jd_json_at(lease, path);
        if (found)
            json_object_object_add(agent, members[i], json_object_get(found));
    }
    if (name && jl_starts_with(name, AGENT_LEASE) && json_object_object_length(agent) == 3)
        return agent;
    json_object_put(agent);
    return NULL;
}

/* Unless all pods are there. */
static void add_agent_pods(struct jd_cluster *cluster, const char *name_space,
                           struct json_object *doc)
{
    const struct jd_selection selection = { .resource = &jd_pods,
                                            .name_space = name_space,
                                            .labels = AGENT_PODS };
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    if (jd_json_at(doc, "pods"))
        return;
    struct json_object *pods = jd_cluster_list(cluster, &selection, &got);
    if (pods)
        json_object_object_add(doc, "pods", pods);
    else
        jd_cluster_report(cluster, "warning: the pods of agents are not known: %s", got.message);
}

void jd_cluster_add_agents(struct jd_cluster *cluster, const char *given_name_space,
                           struct json_object *doc)
{
    const char *name_space = given_name_space ? given_name_space : JD_OPERATOR_NAMESPACE;
    const struct jd_selection selection = { .resource = &jd_leases, .name_space = name_space };
    add_agent_pods(cluster, name_space, doc);
    jd_set_text(doc, "agentNamespace", name_space);
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    JL_CLEANUP(jd_json_freep)
    struct json_object *leases = jd_cluster_list(cluster, &selection, &got);
    struct json_object *agents = json_object_new_array();
    for (size_t i = 0; i < jd_json_count(leases); i++) {
        struct json_object *agent = agent_of(jd_item(leases, i));
        if (agent)
            json_object_array_add(agents, agent);
    }
    json_object_object_add(doc, "agents", agents);
    if (!leases && got.code != 404)
        jd_cluster_report(cluster, "warning: it is not known which agents are alive: %s",
                          got.message);
}

int jd_cluster_add_time(struct jd_cluster *cluster, const char *name_space, struct json_object *doc)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    char text[JL_TIME_TEXT > 64 ? JL_TIME_TEXT : 64];
    int64_t now_ms;
    if (jd_cluster_now(cluster, &now_ms, &err) < 0)
        return jd_cluster_report(cluster, "error: %s: %s", err.where, err.message);
    jl_format_time(now_ms, text);
    jd_set_text(doc, "now", text);
    const bool is_there = jd_cluster_heartbeat(cluster, name_space, text, &got);
    if (is_there && jl_parse_time(text, strlen(text), &now_ms) == 0)
        jd_set_text(doc, "heartbeat", text);
    else if (got.code != 404)
        jd_cluster_report(cluster, "warning: the operator's heartbeat cannot be read: %s",
                          got.message[0] ? got.message : "its renewTime is no time");
    return JD_EXIT_OK;
}

static void report_left_out(struct jd_cluster *cluster, struct json_object *object,
                            const char *rest, const char *message)
{
    const char *kind = jd_json_text(object, "kind");
    const char *space = jd_json_text(object, "metadata.namespace");
    const char *name = jd_json_text(object, "metadata.name");
    jd_cluster_report(cluster, "warning: %s \"%s%s%s\" is left out: %s%s%s", kind ? kind : "item",
                      space ? space : "", space ? "/" : "", name ? name : "", rest,
                      *rest ? ": " : "", message);
}

/* Splits "nodes[12].twin.spec" into the list, the index and what is behind it. */
static struct json_object *find_list(struct json_object *doc, const char *where, size_t *out_index,
                                     const char **out_rest)
{
    const char *open = strchr(where, '[');
    const char *shut = open ? strchr(open, ']') : NULL;
    char key[32];
    uint64_t index;
    if (!shut || jl_parse_u64(open + 1, (size_t)(shut - open) - 1, &index) != 0)
        return NULL;
    snprintf(key, sizeof key, "%.*s", (int)(open - where), where);
    struct json_object *list = jd_json_at(doc, key);
    *out_index = (size_t)index;
    *out_rest = shut + 1 + (shut[1] == '.');
    return jd_item(list, *out_index) ? list : NULL;
}

/* An item that is an object of the API goes; of one that holds such objects, the one that is bad.
 * false = the place is in none of them. */
static bool leave_out(struct jd_cluster *cluster, struct json_object *doc, const char *where,
                      const char *message)
{
    size_t index = 0;
    const char *rest = "";
    struct json_object *list = find_list(doc, where, &index, &rest);
    JL_CLEANUP(jd_json_freep) struct json_object *item = jd_cluster_tree(jd_item(list, index));
    char member[32];
    snprintf(member, sizeof member, "%.*s", (int)strcspn(rest, "."), rest);
    struct json_object *held = jd_json_at(item, member);
    if (!item)
        return false;
    if (jd_json_text(item, "kind")) {
        report_left_out(cluster, item, rest, message);
        json_object_array_del_idx(list, index, 1);
        return true;
    }
    if (jd_json_text(held, "kind")) {
        report_left_out(cluster, held, rest + strlen(member) + (rest[strlen(member)] == '.'),
                        message);
        json_object_object_del(item, member);
        return true;
    }
    if (strchr(member, '[') && leave_out(cluster, item, rest, message))
        return true;
    report_left_out(cluster, item, rest, message);
    json_object_array_del_idx(list, index, 1);
    return true;
}

struct json_object *jd_cluster_ask(struct jd_cluster *cluster, const char *question,
                                   struct json_object *doc, size_t *out_left_out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    struct json_object *answer = NULL;
    options.is_lenient = 1; /* objects of a newer version have more members */
    for (size_t bad = 0; bad < MOST_BAD; bad++) {
        JL_CLEANUP(jl_freep) char *json = NULL;
        const char *text = jd_tree_text(doc);
        int rc = text ? joulie_ask(question, text, strlen(text), &options, &json, &err)
                      : jl_fail_memory(&err);
        if (rc == 0)
            rc = jd_json_read(json, strlen(json), &answer, &err);
        if (out_left_out)
            *out_left_out = bad;
        if (rc == 0 || rc == JOULIE_E_NOMEM || !leave_out(cluster, doc, err.where, err.message))
            break;
    }
    if (!answer)
        jd_cluster_report(cluster, "error: %s: %s", err.where, err.message);
    return answer;
}
