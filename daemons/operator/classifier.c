/* SPDX-License-Identifier: Apache-2.0 */

/* Rounds of the classifier (docs/rules/programs.md#classifier): a window of measurements, query by
 * query; a decision of the model; its reads and writes. operator.c opens and begins it. */

#include "operator/classifier.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/feed.h"
#include "operator/action.h"
#include "operator/metrics.h"
#include "operator/reading.h"
#include "runtime/file.h"
#include "runtime/json.h"

#define REPLY_LIMIT ((size_t)64 << 20)
#define CA_LIMIT ((size_t)1 << 20)
#define MOST_PASSES 2 /* the second with the owners that the first asked for */
#define MS_PER_S 1000.0

static JD_FAMILY(rounds, JD_COUNTER, "joulie_operator_classifier_windows_total",
                 "Windows of measurements that were asked for, by result.", "result");
static JD_FAMILY(workloads, JD_GAUGE, "joulie_operator_classifier_workloads",
                 "Workloads with pods that count: all, those with a profile of enough confidence, "
                 "and those that somebody else wrote a profile of.",
                 "state");
static JD_FAMILY(profiles, JD_GAUGE, "joulie_operator_classifier_profiles",
                 "WorkloadProfiles that an operator wrote.");
static JD_FAMILY(writes, JD_COUNTER, "joulie_operator_classifier_actions_total",
                 "Reads of owners and writes of WorkloadProfiles, and what became of them.", "verb",
                 "outcome");
static JD_FAMILY(failing, JD_GAUGE, "joulie_operator_classifier_failing",
                 "1: the last window of measurements could not be had.");

int jd_classifier_check(struct jd_operator_values *values, struct joulie_error *err)
{
    if (jl_is_empty(values->prometheus))
        values->classifier = false;
    if (values->classifier && !jl_starts_with(values->prometheus, "http://") &&
        !jl_starts_with(values->prometheus, "https://"))
        return jl_fail(err, JOULIE_E_PARSE, "PROMETHEUS_ADDRESS",
                       "\"%.64s\" is no http or https URL", values->prometheus);
    return 0;
}

/* ---- the state, as doctor shows it ---- */

static void put_state(const struct jd_classifier *classifier, char out[256])
{
    if (!classifier->is_on)
        out[0] = '\0';
    else if (classifier->problem[0])
        snprintf(out, 256, "failing: %.200s", classifier->problem);
    else if (classifier->is_refused)
        snprintf(out, 256, "failing: %.200s", classifier->refusal);
    else
        snprintf(out, 256, "on");
}

/* On the Lease that everybody can read, and only when it changes. */
static void announce(struct jd_classifier *classifier)
{
    char state[256];
    put_state(classifier, state);
    jd_announce(&classifier->state, state);
}

/* ---- the end of a round ---- */

static void end_round(struct jd_classifier *classifier)
{
    const struct jd_shared *shared = classifier->shared;
    if (classifier->accepted + classifier->refused > 0)
        classifier->is_refused = classifier->accepted == 0;
    if (!classifier->is_refused && classifier->is_write_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, "classifier", "profiles can be written again");
    classifier->is_write_bad &= classifier->is_refused;
    classifier->phase = JD_CLASSIFIER_IDLE;
    announce(classifier);
    jd_clock_release(shared->clock);
    classifier->on_done(classifier->user);
}

/* ---- reads and writes ---- */

static const struct jd_resource *resource_of(const char *kind)
{
    static const struct jd_resource *const resources[] = {
        &jd_workload_profiles, &jd_pods,        &jd_replica_sets, &jd_deployments,
        &jd_stateful_sets,     &jd_daemon_sets, &jd_jobs,         &jd_cron_jobs,
    };
    for (size_t i = 0; i < JL_COUNT(resources); i++) {
        if (jl_same(kind, resources[i]->kind))
            return resources[i];
    }
    return NULL;
}

static enum joulie_action_outcome outcome_of(const struct joulie_cluster_action *action,
                                             const struct jd_answer *answer)
{
    if (jd_answer_is_good(answer))
        return JOULIE_OUTCOME_APPLIED;
    /* that a kind is not there says nothing of its objects */
    if (answer->code == 404 && answer->has_object_name && action->verb != JOULIE_ACTION_CREATE)
        return JOULIE_OUTCOME_GONE;
    return answer->code == 409 ? JOULIE_OUTCOME_CONFLICT : JOULIE_OUTCOME_FAILED;
}

static void report_failure(struct jd_classifier *classifier,
                           const struct joulie_cluster_action *action,
                           const struct jd_answer *answer)
{
    const struct jd_shared *shared = classifier->shared;
    jd_count_error(shared->metrics, JD_ERROR_API);
    if (!classifier->is_write_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "classifier", "%s %s %s/%s: %d %s",
               jd_verb_word(action->verb), action->kind, action->name_space, action->name,
               answer->code, answer->message);
    classifier->is_write_bad = true;
}

static void go_on(struct jd_profile_write *write);
static void pump(struct jd_classifier *classifier);

static void on_done(void *user, const struct jd_answer *answer)
{
    struct jd_profile_write *write = user;
    struct jd_classifier *classifier = write->classifier;
    const struct jd_shared *shared = classifier->shared;
    const struct joulie_cluster_action *action = &write->action;
    const enum joulie_action_outcome outcome = outcome_of(action, answer);
    const bool is_read = action->verb == JOULIE_ACTION_READ;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    jd_metric_add(shared->metrics, &writes,
                  JD_LABELS(jd_verb_word(action->verb), jd_outcome_word(outcome)), 1);
    classifier->has_read |= is_read;
    if (outcome == JOULIE_OUTCOME_FAILED) {
        report_failure(classifier, action, answer);
        if (!is_read && jd_answer_is_refusal(answer)) {
            classifier->refused++;
            snprintf(classifier->refusal, sizeof classifier->refusal,
                     "every write of a WorkloadProfile is refused: %d %.150s", answer->code,
                     answer->message);
        }
        write->next = write->end;
    } else if (!is_read) {
        classifier->accepted++;
    }
    if (outcome == JOULIE_OUTCOME_CONFLICT)
        write->next = write->end;
    if (joulie_cluster_workload_action_done(shared->cluster, action->id, outcome,
                                            outcome == JOULIE_OUTCOME_APPLIED ? answer->body : NULL,
                                            answer->len, &err) < 0)
        jd_log_error(shared->log, "classifier", "the model does not take an answer", &err);
    go_on(write);
    pump(classifier);
}

static bool send(struct jd_profile_write *write)
{
    const struct jd_shared *shared = write->classifier->shared;
    const struct joulie_cluster_action *action = &write->action;
    const char *body = "";
    if (joulie_cluster_workload_action_body(shared->cluster, action->id, &body, NULL) < 0)
        return false;
    struct jd_kube_call call = jd_action_call(action, body);
    call.resource = resource_of(action->kind);
    call.priority = JD_PRIORITY_READ; /* behind all that nodes need */
    call.on_done = on_done;
    call.user = write;
    return call.resource && jd_kube_start(shared->kube, &call, NULL) == 0;
}

/* The next action of the object; those that --dry-run leaves out are logged. */
static void go_on(struct jd_profile_write *write)
{
    struct jd_classifier *classifier = write->classifier;
    const struct jd_shared *shared = classifier->shared;
    if (write->is_busy)
        classifier->in_flight--;
    write->is_busy = false;
    while (!write->is_busy && write->next < write->end) {
        write->action = JOULIE_INIT(struct joulie_cluster_action);
        if (joulie_cluster_workload_action_at(shared->cluster, write->next++, &write->action,
                                              NULL) < 0)
            return;
        if (shared->values->dry_run && write->action.verb != JOULIE_ACTION_READ)
            jd_log(shared->log, JOULIE_LOG_LEVEL_DEBUG, "classifier", "would %s %s/%s: %s",
                   jd_verb_word(write->action.verb), write->action.name_space, write->action.name,
                   write->action.reason);
        else
            write->is_busy = send(write);
    }
    classifier->in_flight += write->is_busy;
}

static struct jd_profile_write *free_write(struct jd_classifier *classifier)
{
    for (size_t i = 0; i < JD_CLASSIFIER_WRITES; i++) {
        if (!classifier->writes[i].is_busy)
            return &classifier->writes[i];
    }
    return NULL;
}

/* Behind the last action of the object that this one is of. */
static size_t end_of_object(const struct jd_classifier *classifier, size_t first)
{
    struct joulie_cluster *cluster = classifier->shared->cluster;
    struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
    struct joulie_cluster_action other = JOULIE_INIT(struct joulie_cluster_action);
    size_t end = first + 1;
    joulie_cluster_workload_action_at(cluster, first, &action, NULL);
    while (joulie_cluster_workload_action_at(cluster, end, &other, NULL) == 0 &&
           jl_same(other.kind, action.kind) && jl_same(other.name, action.name) &&
           jl_same(other.name_space, action.name_space))
        end++;
    return end;
}

static bool decide(struct jd_classifier *classifier);

static void pump(struct jd_classifier *classifier)
{
    for (;;) {
        while (classifier->next < classifier->found.actions &&
               classifier->in_flight < JD_CLASSIFIER_WRITES) {
            struct jd_profile_write *write = free_write(classifier);
            const size_t end = end_of_object(classifier, classifier->next);
            *write = (struct jd_profile_write){ .classifier = classifier,
                                                .next = classifier->next,
                                                .end = end };
            classifier->next = end;
            go_on(write);
        }
        if (classifier->in_flight > 0)
            return;
        if (!classifier->has_read || classifier->passes >= MOST_PASSES || !decide(classifier))
            break;
    }
    end_round(classifier);
}

static bool decide(struct jd_classifier *classifier)
{
    const struct jd_shared *shared = classifier->shared;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    classifier->passes++;
    classifier->has_read = false;
    classifier->next = 0;
    classifier->found = JOULIE_INIT(struct joulie_cluster_workloads);
    if (joulie_cluster_workloads_decide(shared->cluster, jd_policy_now_ms(shared->clock),
                                        &classifier->found, &err) == 0)
        return true;
    jd_count_error(shared->metrics, JD_ERROR_INTERNAL);
    jd_log_error(shared->log, "classifier", "nothing could be decided", &err);
    return false;
}

static void begin_writing(struct jd_classifier *classifier)
{
    classifier->phase = JD_CLASSIFIER_WRITING;
    classifier->passes = 0;
    classifier->accepted = classifier->refused = 0;
    if (decide(classifier))
        pump(classifier);
    else
        end_round(classifier);
}

/* ---- the window ---- */

static void end_window(struct jd_classifier *classifier, const char *word, const char *problem)
{
    const struct jd_shared *shared = classifier->shared;
    jd_metric_add(shared->metrics, &rounds, JD_LABELS(problem ? "failed" : "good"), 1);
    if (problem) {
        jd_count_error(shared->metrics, JD_ERROR_CLASSIFIER);
        snprintf(classifier->problem, sizeof classifier->problem, "%s: %s", word, problem);
    } else {
        classifier->problem[0] = '\0';
        classifier->has_window = true;
        classifier->window_ms = jd_policy_now_ms(shared->clock);
    }
    if (problem && !classifier->is_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "classifier",
               "%s: the query %s; profiles are kept as they are",
               jd_access_shown(classifier->access), classifier->problem);
    else if (!problem && classifier->is_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, "classifier", "%s answers again",
               jd_access_shown(classifier->access));
    classifier->is_bad = problem != NULL;
    begin_writing(classifier);
}

static void ask(struct jd_classifier *classifier);

/* One that fails ends the window: the next would wait as long. */
static void on_reply(void *user, const struct jd_reply *reply)
{
    struct jd_classifier *classifier = user;
    struct joulie_cluster *cluster = classifier->shared->cluster;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *word = "";
    const char *query = NULL;
    classifier->transfer = NULL;
    joulie_cluster_workloads_query(cluster, classifier->query, &word, &query, NULL);
    if (reply->end != JD_HTTP_WHOLE)
        end_window(classifier, word, jd_reply_problem(reply));
    else if (joulie_cluster_workloads_reply(cluster, classifier->query, reply->status, reply->body,
                                            reply->len, &err) < 0)
        end_window(classifier, word, err.message);
    else if (++classifier->query < classifier->queries)
        ask(classifier);
    else
        end_window(classifier, "", NULL);
}

static int read_ca(struct jd_classifier *classifier, struct joulie_error *err)
{
    const char *path = classifier->shared->values->prometheus_ca_file;
    const struct jd_tls *tls = jd_access_tls(classifier->access);
    classifier->tls = tls ? *tls : (struct jd_tls){ 0 };
    if (jl_is_empty(path))
        return 0;
    jl_buffer_reset(&classifier->ca);
    const int rc = jd_read_file(path, CA_LIMIT, &classifier->ca, err);
    classifier->tls.ca = classifier->ca.data;
    return rc;
}

static void ask(struct jd_classifier *classifier)
{
    const struct jd_shared *shared = classifier->shared;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *word = "";
    const char *query = "";
    const char *problem = NULL;
    int rc =
        joulie_cluster_workloads_query(shared->cluster, classifier->query, &word, &query, &err);
    const char *const *headers = jd_access_headers(classifier->access, jd_clock_ms(), &problem);
    if (rc == 0)
        jd_put_query(&url, jd_access_server(classifier->access), query, shared->clock);
    const struct jd_http_request request = {
        .url = url.data,
        .headers = headers,
        .tls = &classifier->tls,
        .timeout_ms = shared->values->classify_timeout_ms,
        .limit_bytes = REPLY_LIMIT,
        .on_done = on_reply,
        .user = classifier,
    };
    if (rc == 0 && url.is_failed)
        rc = jl_fail_memory(&err);
    if (rc == 0)
        rc = jd_http_start(shared->http, &request, &classifier->transfer, &err);
    if (rc < 0)
        end_window(classifier, word, err.message);
}

static void begin_window(struct jd_classifier *classifier)
{
    const struct jd_shared *shared = classifier->shared;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    classifier->query = 0;
    int rc = joulie_cluster_workloads_begin(shared->cluster, jd_policy_now_ms(shared->clock),
                                            &classifier->queries, &err);
    if (rc == 0 && classifier->queries == 0) {
        begin_writing(classifier);
        return;
    }
    if (rc == 0)
        rc = read_ca(classifier, &err);
    classifier->phase = JD_CLASSIFIER_ASKING;
    if (rc < 0)
        end_window(classifier, "ca", err.message);
    else
        ask(classifier);
}

static void fire(void *user, int64_t now_ms)
{
    struct jd_classifier *classifier = user;
    const struct jd_shared *shared = classifier->shared;
    (void)now_ms;
    jd_alarm_repeat(shared->clock, &classifier->alarm, shared->values->classify_interval_ms);
    if (classifier->phase != JD_CLASSIFIER_IDLE || !classifier->may_run(classifier->user))
        return;
    if (!classifier->is_on) {
        announce(classifier);
        return;
    }
    jd_clock_hold(shared->clock);
    begin_window(classifier);
}

/* ---- its life ---- */

int jd_classifier_open(struct jd_classifier *classifier, char **environment,
                       struct joulie_error *err)
{
    const struct jd_operator_values *values = classifier->shared->values;
    const struct jd_access_options options = {
        .server = values->prometheus,
        .token_file = values->prometheus_token_file,
        .is_plain_allowed = values->api.is_plain_allowed,
        .environment = environment,
    };
    classifier->is_on = values->classifier;
    classifier->alarm = (struct jd_alarm){ .fire = fire, .user = classifier };
    if (!classifier->is_on)
        return 0;
    struct joulie_error cause = JOULIE_INIT(struct joulie_error);
    const int rc = jd_access_open(&options, &classifier->access, &cause);
    return rc < 0
               ? jl_fail(err, rc, "PROMETHEUS_ADDRESS", "PROMETHEUS_ADDRESS: %.400s", cause.message)
               : 0;
}

void jd_classifier_begin(struct jd_classifier *classifier, int64_t now_ms)
{
    jd_alarm_set(classifier->shared->clock, &classifier->alarm, now_ms);
}

void jd_classifier_stop(struct jd_classifier *classifier)
{
    const struct jd_shared *shared = classifier->shared;
    if (!shared)
        return;
    jd_http_cancel(classifier->transfer);
    classifier->transfer = NULL;
    for (size_t i = 0; i < JD_CLASSIFIER_WRITES; i++) {
        if (classifier->writes[i].is_busy)
            jd_kube_cancel(shared->kube, &classifier->writes[i]);
        classifier->writes[i].is_busy = false;
    }
    classifier->in_flight = 0;
    if (classifier->phase != JD_CLASSIFIER_IDLE)
        jd_clock_release(shared->clock);
    classifier->phase = JD_CLASSIFIER_IDLE;
}

void jd_classifier_close(struct jd_classifier *classifier)
{
    jd_classifier_stop(classifier);
    if (classifier->access)
        jd_access_close(classifier->access);
    jl_buffer_clear(&classifier->ca);
    *classifier = (struct jd_classifier){ 0 };
}

const char *jd_classifier_problem(const struct jd_classifier *classifier)
{
    return classifier->is_refused ? classifier->refusal : NULL;
}

void jd_classifier_measure(const struct jd_classifier *classifier)
{
    struct jd_metrics *metrics = classifier->shared->metrics;
    const struct joulie_cluster_workloads *found = &classifier->found;
    if (!classifier->is_on)
        return;
    jd_metric_set(metrics, &workloads, JD_LABELS("all"), (double)found->workloads);
    jd_metric_set(metrics, &workloads, JD_LABELS("reliable"), (double)found->reliable);
    jd_metric_set(metrics, &workloads, JD_LABELS("foreign"), (double)found->foreign);
    jd_metric_set(metrics, &profiles, JD_NO_LABELS, (double)found->profiles);
    jd_metric_set(metrics, &failing, JD_NO_LABELS, classifier->problem[0] != '\0');
    if (classifier->has_window)
        jd_metric_set(
            metrics, &jd_data_age, JD_LABELS(JD_COMPONENT, "classifier"),
            (double)(jd_policy_now_ms(classifier->shared->clock) - classifier->window_ms) /
                MS_PER_S);
}
