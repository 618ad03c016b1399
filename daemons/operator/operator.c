/* SPDX-License-Identifier: Apache-2.0 */

/*
 * joulie-operator: decides which nodes of a cluster run at full power. Observe, step, act, report,
 * once in each interval (docs/rules/programs.md#operator-step): opens the parts, moves the step
 * from phase to phase as they report, and closes them. The only file that sees the whole; each part
 * says what is new by callback. The model is <joulie/cluster.h>; it is the only store of objects.
 */

#include "base/error.h"
#include "base/text.h"
#include "kube/election.h"
#include "kube/feed.h"
#include "operator/apply.h"
#include "operator/classifier.h"
#include "operator/coexist.h"
#include "operator/facility.h"
#include "operator/heartbeat.h"
#include "operator/memory.h"
#include "operator/metrics.h"
#include "operator/options.h"
#include "operator/power.h"
#include "operator/profiles.h"
#include "operator/telemetry.h"
#include "operator/wake.h"
#include "runtime/daemon.h"
#include "runtime/json.h"

#define END_MS 5000         /* for what is under way at the end */
#define SEEING_MS 5000      /* a cache that does not follow costs a repeated write, not a step */
#define LEAST_STEP_MS 15000 /* for /livez: a write of a step may be waited for 30 s */
#define MS_PER_S 1000.0
#define DECIDING "deciding"
#define STANDING_BY "standing by"

enum { NODES, PODS, TWINS, HARDWARE, LEASES, PROFILES, WIRING, SOURCES };

static const struct jd_feed_source sources[SOURCES] = {
    [NODES] = { &jd_nodes, "Node", .missing = "nodes were not listed yet" },
    /* what is finished is no demand and blocks nothing */
    [PODS] = { &jd_pods, "Pod", .field_selector = "status.phase!=Succeeded,status.phase!=Failed",
               .missing = "pods were not listed yet" },
    [TWINS] = { &jd_node_twins, "NodeTwin", .missing = "nodetwins were not listed yet" },
    [HARDWARE] = { &jd_node_hardwares, "NodeHardware",
                   .missing = "nodehardwares were not listed yet" },
    /* those of the agents; others are not looked at */
    [LEASES] = { &jd_leases, "Lease", .missing = "leases were not listed yet", .is_optional = true,
                 .is_namespaced = true },
    [PROFILES] = { &jd_workload_profiles, "WorkloadProfile",
                   .missing = "workloadprofiles were not listed yet", .is_optional = true },
    [WIRING] = { &jd_telemetry_profiles, .missing = "telemetryprofiles were not listed yet",
                 .is_optional = true },
};

/* What a step waits for. */
enum phase {
    IDLE,
    WAITING, /* for the caches, and whether another operator runs */
    READING, /* the power of the nodes */
    SEEING,  /* until the caches have what the step before wrote */
    WRITING
};

struct step {
    enum phase phase;
    struct jd_alarm alarm;
    struct jd_alarm early;   /* before it, for work that waits */
    struct jd_timer timeout; /* of SEEING */
    int64_t began_ms;        /* CLOCK_MONOTONIC */
    bool is_due_again;       /* its time came while the step before was at work */
    bool has_logged_waiting;
    bool is_decided;       /* the last one, and it might be written */
    int logged_code;       /* of a step that failed; 0 = none */
    struct jd_steps steps; /* time in which one waits for the caches is not counted */
};

struct jd_operator {
    struct jd_edges edges;
    struct jd_operator_values values;
    struct jd_check checks[4];
    struct jd_connection api;
    struct jd_recorder *recorder;
    struct joulie_cluster *cluster;
    struct jd_notes notes;
    struct jd_shared shared;
    struct jd_reporter reporter;
    struct jd_feed feed;
    struct jd_profiles profiles;
    struct jd_telemetry telemetry;
    struct jd_facility facility;
    struct jd_classifier classifier;
    struct jd_coexist coexist;
    struct jd_fence fence;
    struct jd_election election; /* not open: this one writes without asking */
    struct jd_heartbeat heartbeat;
    struct jd_memory memory;
    struct jd_apply apply;
    struct jd_power power;
    struct jd_wake wake; /* of --wake-all */
    struct step step;
    struct jd_timer timeout; /* of the end */
    bool is_ending;
    bool is_releasing; /* the Lease, the last of all */
    int status;        /* that the program ends with */
};

extern char **environ;

/* ---- the step ---- */

static bool is_leading(const struct jd_operator *op)
{
    return !op->election.is_open || jd_election_leads(&op->election);
}

/* Nothing is under way any more: another one may begin. */
static void end_run(struct jd_operator *op)
{
    if (op->is_releasing)
        return;
    op->is_releasing = jd_election_release(&op->election);
    if (!op->is_releasing)
        jd_loop_stop(&op->edges.loop);
}

static void stop_if_ended(struct jd_operator *op)
{
    if (op->is_ending && op->step.phase == IDLE && op->apply.in_flight == 0 &&
        !op->heartbeat.lease.is_in_flight && !op->memory.plan.is_busy &&
        jd_power_busy(&op->power) == 0)
        end_run(op);
}

static bool is_ready(const struct jd_operator *op)
{
    return !jd_feed_problem(&op->feed) && op->coexist.is_known;
}

static bool is_seen(const struct jd_operator *op)
{
    return jd_feed_has_seen(&op->feed, TWINS, op->apply.twin_version) &&
           jd_feed_has_seen(&op->feed, NODES, op->apply.node_version);
}

static void log_step(struct jd_operator *op, int rc, const struct joulie_error *err)
{
    if (rc < 0)
        jd_count_error(op->edges.metrics, JD_ERROR_INTERNAL);
    if (rc < 0 && rc != op->step.logged_code)
        jd_log_error(&op->edges.log, "step", "nothing could be decided", err);
    else if (rc == 0 && op->step.logged_code != 0)
        jd_log(&op->edges.log, JOULIE_LOG_LEVEL_INFO, "step", "steps work again");
    op->step.logged_code = rc;
}

/* Work that waits does not wait for the interval. */
static void plan_early(struct jd_operator *op)
{
    struct jd_alarm *early = &op->step.early;
    const int64_t at_ms =
        joulie_cluster_early_step_ms(op->cluster, jd_policy_now_ms(op->edges.clock));
    if (at_ms < INT64_MAX && op->step.alarm.is_set && is_leading(op) &&
        (!early->is_set || at_ms < early->due_ms))
        jd_alarm_set(op->edges.clock, early, at_ms);
}

/* What the step listed is run, or it was the last one. */
static void follow(struct jd_operator *op)
{
    jd_power_run(&op->power);
    if (op->values.wake_all && op->step.is_decided && jd_power_busy(&op->power) == 0 &&
        !op->is_ending)
        jd_wake_check(&op->wake);
}

/* true = another step is due at once. */
static bool finish(struct jd_operator *op)
{
    struct step *step = &op->step;
    const bool is_again = step->is_due_again && !op->is_ending;
    step->phase = IDLE;
    step->is_due_again = false;
    jd_steps_ended(&step->steps);
    jd_metric_observe(op->edges.metrics, &jd_step_seconds, JD_NO_LABELS,
                      (double)(jd_clock_ms() - step->began_ms) / MS_PER_S);
    follow(op);
    stop_if_ended(op);
    plan_early(op);
    if (!is_again)
        jd_clock_release(op->edges.clock);
    return is_again;
}

static bool may_beat(void *user);

static void say_profiles(struct jd_operator *op, bool is_step)
{
    if (may_beat(op) && !op->values.wake_all)
        jd_profiles_say(&op->profiles, is_step);
}

/* Decides, and begins to write; true = writes are under way. */
static bool decide(struct jd_operator *op)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int64_t now_ms = jd_policy_now_ms(op->edges.clock);
    size_t count = 0;
    op->step.phase = WRITING;
    op->step.is_decided = false;
    if (!is_leading(op))
        return false;
    jd_facility_report(&op->facility);
    const char *news = jd_coexist_news(&op->coexist);
    if (news)
        jd_report_foreign(&op->reporter, news, now_ms);
    jd_feed_set_wall(&op->feed);
    jd_coexist_report(&op->coexist, jd_report_writer, &op->reporter);
    jd_report_rest_of_writers(&op->reporter);
    const int rc = joulie_cluster_step(op->cluster, now_ms, &count, &err);
    log_step(op, rc, &err);
    jd_metric_add(op->edges.metrics, &jd_steps, JD_NO_LABELS, rc == 0);
    const bool may_write =
        rc == 0 && !op->is_ending && (op->values.dry_run || !jd_coexist_problem(&op->coexist));
    op->step.is_decided = may_write;
    if (rc == 0)
        jd_power_advise(&op->power, now_ms);
    if (may_write && !op->values.wake_all)
        jd_memory_keep(&op->memory);
    say_profiles(op, true);
    return may_write && jd_apply_start(&op->apply, count, now_ms);
}

/* Until the caches have what was written; true = they do not yet, and it is waited for. */
static bool see(struct jd_operator *op)
{
    op->step.phase = SEEING;
    return !is_seen(op) &&
           jd_timer_set(&op->edges.loop, &op->step.timeout, jd_clock_ms() + SEEING_MS) == 0;
}

/* Before the first beat of its own, which would pass for that of the operator before. */
static void recall(struct jd_operator *op)
{
    if (!is_leading(op))
        return;
    jd_feed_set_wall(&op->feed);
    jd_memory_recall(&op->memory, jd_policy_now_ms(op->edges.clock));
}

/* The phases from where the step is, as far as nothing has to be waited for. */
static void go_on(struct jd_operator *op)
{
    struct step *step = &op->step;
    while (step->phase == WAITING && is_ready(op)) {
        step->began_ms = jd_clock_ms();
        step->phase = READING;
        jd_steps_ended(&step->steps);
        recall(op);
        jd_heartbeat_check(&op->heartbeat);
        if (jd_telemetry_start(&op->telemetry) || see(op) || decide(op) || !finish(op))
            return;
        step->phase = WAITING;
    }
    if (step->phase != WAITING || step->has_logged_waiting)
        return;
    step->has_logged_waiting = true;
    if (jd_feed_problem(&op->feed))
        jd_log(&op->edges.log, JOULIE_LOG_LEVEL_INFO, "step", "waiting: %s",
               jd_feed_problem(&op->feed));
}

static void begin(struct jd_operator *op)
{
    op->step.phase = WAITING;
    go_on(op);
}

static void decide_and_go_on(struct jd_operator *op)
{
    jd_timer_stop(&op->edges.loop, &op->step.timeout);
    if (!decide(op) && finish(op))
        begin(op);
}

static void on_read(void *user)
{
    struct jd_operator *op = user;
    if (op->step.phase == READING && !see(op))
        decide_and_go_on(op);
}

static void on_not_seen(void *user)
{
    struct jd_operator *op = user;
    if (op->step.phase == SEEING)
        decide_and_go_on(op);
}

/* From the loop, or from within jd_apply_start() when no request was needed. */
static void on_written(void *user)
{
    struct jd_operator *op = user;
    if (finish(op))
        begin(op);
}

/* Something that a phase may wait for has changed. */
static void on_news(void *user)
{
    struct jd_operator *op = user;
    say_profiles(op, false);
    if (op->is_ending)
        stop_if_ended(op);
    else if (op->step.phase == WAITING)
        go_on(op);
    else if (op->step.phase == SEEING && is_seen(op))
        decide_and_go_on(op);
    else if (op->step.phase == IDLE)
        plan_early(op);
}

/* A step that is at work, or due by the interval, decides the same. On the wall clock an alarm
 * comes a little late; in lockstep it may have been set before the time of the news was known. */
static void on_early(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    const struct jd_clock *clock = op->edges.clock;
    const int64_t at_ms = jd_clock_is_simulated(clock) ? now_ms : op->step.early.due_ms;
    if (op->is_ending || op->step.phase != IDLE || !is_leading(op) ||
        op->step.alarm.due_ms <= now_ms)
        return;
    if (joulie_cluster_early_step_ms(op->cluster, at_ms) > at_ms) {
        plan_early(op);
        return;
    }
    jd_clock_hold(op->edges.clock);
    begin(op);
}

/* An interval that ends before the step of the one before: the rest of that step is left to the
 * next, which has newer readings. */
static void on_interval(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    struct step *step = &op->step;
    (void)now_ms;
    jd_alarm_repeat(op->edges.clock, &step->alarm, op->values.reconcile_interval_ms);
    if (op->is_ending || !is_leading(op))
        return;
    if (step->phase == IDLE) {
        jd_clock_hold(op->edges.clock);
        begin(op);
        return;
    }
    jd_metric_add(op->edges.metrics, &jd_skipped_steps, JD_NO_LABELS, 1);
    if (step->phase == WRITING) {
        step->is_due_again = true;
        jd_apply_cut(&op->apply);
    }
}

/* In lockstep an operator that was started anew decides when the one before it would have: at
 * multiples of the interval, and early by what its caches hold. Elsewhere it decides at once. */
static void on_started(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    const int64_t interval_ms = op->values.reconcile_interval_ms;
    const int64_t over_ms = jd_clock_is_simulated(op->edges.clock) ? now_ms % interval_ms : 0;
    jd_steps_begin(&op->step.steps, interval_ms > LEAST_STEP_MS ? interval_ms : LEAST_STEP_MS);
    jd_facility_begin(&op->facility, now_ms);
    if (!op->values.wake_all)
        jd_classifier_begin(&op->classifier, now_ms);
    if (op->values.wake_all)
        jd_wake_begin(&op->wake, now_ms);
    else if (!op->values.dry_run)
        jd_heartbeat_begin(&op->heartbeat, now_ms);
    jd_alarm_set(op->edges.clock, &op->step.alarm,
                 over_ms > 0 ? now_ms + interval_ms - over_ms : now_ms);
    plan_early(op);
}

/* ---- what the parts ask and report ---- */

static void see_beat(struct jd_operator *op, struct json_object *lease)
{
    jd_announce_see(&op->classifier.state, lease);
    jd_announce_see(&op->facility.state, lease);
    jd_memory_see(&op->memory, lease);
}

static void check_beat(struct jd_operator *op, const char *text, size_t len)
{
    JL_CLEANUP(jd_json_freep) struct json_object *lease = jd_announce_lease(text, len);
    if (lease)
        see_beat(op, lease);
}

static int on_object(void *user, size_t source, const char *text, size_t len,
                     struct joulie_error *err)
{
    struct jd_operator *op = user;
    if (source == WIRING)
        return jd_profiles_put(&op->profiles, text, len, err);
    if (source == TWINS)
        jd_coexist_check(&op->coexist, text, len);
    if (source == LEASES) {
        jd_election_check_object(&op->election, text, len);
        check_beat(op, text, len);
    }
    return 0;
}

static void on_gone(void *user, size_t source, const char *name)
{
    struct jd_operator *op = user;
    if (source == TWINS)
        jd_coexist_forget(&op->coexist, name);
    if (source == LEASES && jl_same(name, op->values.lease_name))
        jd_election_heard(&op->election, NULL);
    if (source == LEASES && jl_same(name, JD_HEARTBEAT_LEASE))
        see_beat(op, NULL);
    if (source == WIRING)
        jd_profiles_remove(&op->profiles, name);
    if (source != NODES)
        return;
    jd_notes_forget(&op->notes, name);
    jd_metrics_forget(op->edges.metrics, "node", name);
}

/* The profiles that it writes are those of the whole cluster: never of a list that is not whole. */
static bool may_classify(void *user)
{
    struct jd_operator *op = user;
    if (!is_ready(op) || !is_leading(op) || jd_coexist_problem(&op->coexist) || op->is_ending)
        return false;
    jd_feed_set_wall(&op->feed);
    return true;
}

/* An operator that does not decide does not say that twins are fresh. */
static bool may_beat(void *user)
{
    const struct jd_operator *op = user;
    return is_ready(op) && op->memory.is_recalled && is_leading(op) &&
           !jd_coexist_problem(&op->coexist) && !op->values.dry_run && !op->is_ending;
}

static bool has_reached(void *user, const char *version)
{
    return jd_feed_has_reached(&((struct jd_operator *)user)->feed, version);
}

static const char *caches_problem(void *user)
{
    return jd_feed_problem(&((struct jd_operator *)user)->feed);
}

static const char *foreign_problem(void *user)
{
    return jd_coexist_problem(&((struct jd_operator *)user)->coexist)
               ? "another operator is at work"
               : NULL;
}

static const char *lease_problem(void *user)
{
    return jd_election_problem(&((struct jd_operator *)user)->election);
}

/* While it leads: of who stands by nobody knows. */
static const char *writes_problem(void *user)
{
    const struct jd_operator *op = user;
    const char *beat = op->heartbeat.lease.problem;
    if (!is_leading(op))
        return NULL;
    const char *apply = jd_apply_problem(&op->apply);
    return beat[0] ? beat : apply ? apply : jd_classifier_problem(&op->classifier);
}

static void measure(void *user)
{
    struct jd_operator *op = user;
    struct jd_metrics *metrics = op->edges.metrics;
    jd_metrics_clear(metrics, &jd_data_age); /* what is not in use any more has no age */
    jd_measure_nodes(metrics, op->cluster, jd_node_metrics_of(op->values.node_metrics));
    jd_measure_demand(metrics, op->cluster);
    jd_telemetry_measure(&op->telemetry);
    jd_feed_measure(&op->feed);
    jd_facility_measure(&op->facility);
    jd_classifier_measure(&op->classifier);
    jd_metric_set(metrics, &jd_queue_depth, JD_NO_LABELS, (double)jd_kube_waiting(op->api.kube));
    jd_metric_set(metrics, &jd_dry_run, JD_NO_LABELS, op->values.dry_run);
    jd_metric_set(metrics, &jd_blocked, JD_NO_LABELS, jd_coexist_problem(&op->coexist) != NULL);
    jd_metric_set(metrics, &jd_foreign_nodes, JD_NO_LABELS, (double)jd_coexist_count(&op->coexist));
}

/* ---- nodes that are switched ---- */

static bool may_run(void *user)
{
    const struct jd_operator *op = user;
    return !op->is_ending && is_leading(op) && !jd_coexist_problem(&op->coexist);
}

/* ---- the election ---- */

/* One that leads from now on decides at once. One that does not leaves what it was about; the
 * commands that it started go on to their end. */
static void on_leader(void *user, bool is_leader)
{
    struct jd_operator *op = user;
    struct step *step = &op->step;
    op->edges.doing = is_leader ? DECIDING : STANDING_BY;
    if (is_leader && step->alarm.is_set) {
        jd_steps_ended(&step->steps);
        jd_alarm_set(op->edges.clock, &step->alarm, jd_policy_now_ms(op->edges.clock));
    }
    if (is_leader)
        return;
    jd_heartbeat_stop(&op->heartbeat);
    jd_classifier_stop(&op->classifier);
    op->memory.is_recalled = false;
    step->is_due_again = false;
    if (step->phase == WRITING)
        jd_apply_stop(&op->apply);
    if (step->phase == WAITING) {
        step->phase = IDLE;
        jd_clock_release(op->edges.clock);
    }
    stop_if_ended(op);
}

static void on_released(void *user)
{
    struct jd_operator *op = user;
    jd_loop_stop(&op->edges.loop);
}

/* ---- the end ---- */

static void on_end_timeout(void *user)
{
    struct jd_operator *op = user;
    if (op->apply.in_flight > 0)
        jd_log(&op->edges.log, JOULIE_LOG_LEVEL_WARN, "loop",
               "%zu writes have no answer yet; they are left", op->apply.in_flight);
    jd_loop_stop(&op->edges.loop);
}

static void limit_end(struct jd_operator *op)
{
    op->is_ending = true;
    op->timeout = (struct jd_timer){ .fire = on_end_timeout, .user = op };
    jd_timer_set(&op->edges.loop, &op->timeout, jd_clock_ms() + END_MS);
}

static void on_woken(void *user, bool is_good)
{
    struct jd_operator *op = user;
    op->status = is_good ? JD_DONE : JD_BROKEN;
    limit_end(op);
    end_run(op);
}

static void on_clock_end(void *user)
{
    struct jd_operator *op = user;
    jd_log(&op->edges.log, JOULIE_LOG_LEVEL_INFO, "clock", "the simulation has ended");
    jd_loop_stop(&op->edges.loop);
}

static void on_signal(void *user, int number)
{
    struct jd_operator *op = user;
    if (op->is_ending) {
        jd_loop_stop(&op->edges.loop);
        return;
    }
    jd_daemon_log_end(&op->edges, number);
    limit_end(op);
    jd_apply_cut(&op->apply);
    jd_classifier_stop(&op->classifier);
    jd_power_end(&op->power, jd_clock_ms() + END_MS);
    if (op->step.phase != WRITING)
        op->step.phase = IDLE;
    stop_if_ended(op);
}

/* ---- opening ---- */

static struct jl_lease_times lease_times(const struct jd_operator_values *values)
{
    return (struct jl_lease_times){ .duration_s = values->lease_duration_ms / 1000,
                                    .deadline_s = (double)values->lease_deadline_ms / MS_PER_S,
                                    .period_s = (double)values->lease_period_ms / MS_PER_S };
}

static int check_options(struct jd_operator *op, struct joulie_error *err)
{
    if (op->values.facility && jl_is_empty(op->values.facility_prometheus))
        return jl_fail(err, JOULIE_E_REQUIRED, "FACILITY_PROMETHEUS_ADDRESS",
                       "ENABLE_FACILITY_METRICS needs it");
    const struct jl_lease_times times = lease_times(&op->values);
    int rc = jd_telemetry_check(&op->values, err);
    if (rc == 0)
        rc = jd_power_check(&op->values, err);
    if (rc == 0)
        rc = jd_classifier_check(&op->values, err);
    if (rc == 0)
        rc = jd_election_check(&times, err);
    if (op->values.wake_all)
        jd_options_force(&op->edges.options, "POWER_OFF", "false");
    return rc == 0 ? jd_daemon_open_model(&op->edges, &op->cluster, err) : rc;
}

static int configure(struct jd_operator *op, int argc, char **argv)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int status =
        jd_daemon_configure(&op->edges, &jd_operator_daemon, argc, argv, &op->values);
    if (status != JD_GO_ON)
        return status;
    if (check_options(op, &err) < 0)
        return jd_daemon_refuse(&op->edges, &err);
    op->values.is_power_source_said =
        jd_source_of(&op->edges.options, "OPERATOR_NODE_POWER_SOURCE") != JD_BY_DEFAULT;
    if (op->values.dry_run || (!jl_is_empty(op->values.clock_url) &&
                               jd_source_of(&op->edges.options, "LEADER_ELECT") == JD_BY_DEFAULT))
        op->values.leader_elect = false;
    jd_daemon_log_options(&op->edges, op->values.dry_run ? "deciding without writing" : DECIDING);
    if (op->values.leader_elect)
        op->edges.doing = STANDING_BY;
    return JD_GO_ON;
}

static int open_edges(struct jd_operator *op, struct joulie_error *err)
{
    const char *pod = op->values.pod_name;
    const char *identity = jl_is_empty(pod) ? JD_COMPONENT : pod;
    const struct jd_daemon_signals signals = { .on_signal = on_signal, .user = op };
    const struct jd_daemon_clock clock = {
        .url = op->values.clock_url,
        .order = JD_ORDER_OPERATOR,
        .wants_pods = true,
        .has_reached = has_reached,
        .on_end = on_clock_end,
        .user = op,
    };
    int rc = jd_daemon_open(&op->edges, &signals, err);
    if (rc == 0)
        rc = jd_connect(&op->edges, &op->values.api, &op->api, err);
    if (rc == 0)
        rc = jd_daemon_open_clock(&op->edges, &clock, err);
    if (rc == 0)
        rc = jd_recorder_open(op->api.kube, "joulie.io/operator", identity, &op->recorder, err);
    op->shared = (struct jd_shared){
        .values = &op->values,
        .loop = &op->edges.loop,
        .http = op->edges.http,
        .clock = op->edges.clock,
        .log = &op->edges.log,
        .metrics = op->edges.metrics,
        .kube = op->api.kube,
        .recorder = op->recorder,
        .cluster = op->cluster,
        .notes = &op->notes,
        .identity = identity,
    };
    return rc;
}

/* What waits for the API server, or for a simulator's clock, is alive. */
static const char *steps_problem(void *user)
{
    const struct jd_operator *op = user;
    const bool is_due = op->step.alarm.is_set && op->step.phase != WAITING && !op->is_ending &&
                        is_leading(op) && !jd_clock_is_simulated(op->edges.clock);
    return is_due ? jd_steps_problem(&op->step.steps) : NULL;
}

static int open_health(struct jd_operator *op, struct joulie_error *err)
{
    op->checks[0] = (struct jd_check){ "caches", caches_problem, op };
    op->checks[1] = (struct jd_check){ "other-operators", foreign_problem, op };
    op->checks[2] = (struct jd_check){ "lease", lease_problem, op };
    op->checks[3] = (struct jd_check){ "writes", writes_problem, op };
    const struct jd_daemon_health health = {
        .address = op->values.metrics_addr,
        .checks = op->checks,
        .check_count = JL_COUNT(op->checks),
        .live = { "steps", steps_problem, op },
        .refresh = measure,
        .user = op,
    };
    return jd_daemon_open_health(&op->edges, &health, err);
}

/* What acts: reports, writes, commands, the heartbeat. */
static int open_actors(struct jd_operator *op, struct joulie_error *err)
{
    op->reporter = (struct jd_reporter){ .shared = &op->shared };
    op->apply = (struct jd_apply){
        .shared = &op->shared,
        .coexist = &op->coexist,
        .reporter = &op->reporter,
        .on_written = on_written,
        .user = op,
        .writes_rest = !op->values.wake_all,
    };
    op->power = (struct jd_power){
        .shared = &op->shared,
        .reporter = &op->reporter,
        .may_run = may_run,
        .on_done = on_news,
        .user = op,
    };
    op->wake = (struct jd_wake){ .shared = &op->shared, .on_end = on_woken, .user = op };
    op->heartbeat = (struct jd_heartbeat){
        .shared = &op->shared,
        .may_beat = may_beat,
        .on_done = on_news,
        .user = op,
    };
    op->memory.plan = (struct jd_announcement){
        .shared = &op->shared,
        .key = JD_ANNOTATION_PLAN,
        .on_done = on_news,
        .user = op,
    };
    op->classifier = (struct jd_classifier){
        .shared = &op->shared,
        .state = { .shared = &op->shared, .key = JD_ANNOTATION_CLASSIFIER },
        .may_run = may_classify,
        .on_done = on_news,
        .user = op,
    };
    const int rc = jd_power_open(&op->power, environ, err);
    op->apply.writes_power = op->power.actuator || op->values.power_off_by_autoscaler;
    return rc == 0 ? jd_classifier_open(&op->classifier, environ, err) : rc;
}

/* Before anything can be written. */
static int open_election(struct jd_operator *op, struct joulie_error *err)
{
    const char *name_space = op->values.lease_namespace;
    const struct jd_election_options options = {
        .kube = op->api.kube,
        .fence = &op->fence,
        .log = &op->edges.log,
        .metrics = op->edges.metrics,
        .component = JD_COMPONENT,
        .name_space = jl_is_empty(name_space) ? op->values.name_space : name_space,
        .name = op->values.lease_name,
        .times = lease_times(&op->values),
        .on_change = on_leader,
        .on_over = on_released,
        .user = op,
    };
    if (!op->values.leader_elect)
        return 0;
    jd_kube_set_fence(op->api.kube, &op->fence);
    return jd_election_open(&op->election, &options, err);
}

/* What observes: readings, the building, other operators, the caches. */
static int open_observers(struct jd_operator *op, struct joulie_error *err)
{
    const struct jd_feed_options feed = {
        .kube = op->api.kube,
        .clock = op->edges.clock,
        .cluster = op->cluster,
        .sources = sources,
        .count = SOURCES,
        .name_space = op->values.name_space,
        .component = JD_COMPONENT,
        .on_object = on_object,
        .on_gone = on_gone,
        .on_moved = on_news,
        .user = op,
    };
    jd_telemetry_open(&op->telemetry, &op->shared, &op->profiles, on_read, op);
    op->facility.state =
        (struct jd_announcement){ .shared = &op->shared, .key = JD_ANNOTATION_FACILITY };
    if (op->values.facility)
        jd_facility_open(&op->facility, &op->shared);
    op->profiles.shared = &op->shared;
    int rc = jd_profiles_open(&op->profiles, err);
    if (rc == 0)
        rc = jd_coexist_open(&op->coexist, &op->shared, on_news, op, err);
    return rc == 0 ? jd_feed_open(&op->feed, &feed, err) : rc;
}

static int open_operator(struct jd_operator *op)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    op->step.alarm = (struct jd_alarm){ .fire = on_interval, .user = op };
    op->step.early = (struct jd_alarm){ .fire = on_early, .user = op };
    op->step.timeout = (struct jd_timer){ .fire = on_not_seen, .user = op };
    int rc = open_edges(op, &err);
    if (rc == 0)
        rc = open_health(op, &err);
    if (rc == 0)
        rc = open_election(op, &err);
    if (rc == 0)
        rc = open_actors(op, &err);
    if (rc == 0)
        rc = open_observers(op, &err);
    if (rc < 0)
        return jd_daemon_failed(&op->edges, rc, &err);
    jd_clock_when_started(op->edges.clock, on_started, op);
    return JD_GO_ON;
}

static void close_operator(struct jd_operator *op)
{
    if (op->edges.has_loop)
        jd_timer_stop(&op->edges.loop, &op->step.timeout);
    jd_election_close(&op->election);
    jd_coexist_close(&op->coexist);
    jd_telemetry_close(&op->telemetry);
    jd_facility_close(&op->facility);
    jd_classifier_close(&op->classifier);
    jd_feed_close(&op->feed);
    jd_profiles_close(&op->profiles);
    jd_apply_close(&op->apply);
    jd_power_close(&op->power);
    jd_daemon_close_health(&op->edges);
    jd_recorder_close(op->recorder);
    jd_daemon_close_clock(&op->edges);
    jd_disconnect(&op->api);
    jd_daemon_close(&op->edges);
    jd_notes_clear(&op->notes);
    joulie_cluster_free(op->cluster);
}

int main(int argc, char **argv)
{
    static struct jd_operator op;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = configure(&op, argc, argv);
    if (status == JD_GO_ON)
        status = open_operator(&op);
    if (status == JD_GO_ON)
        status = jd_daemon_run(&op.edges);
    if (status == JD_DONE)
        status = op.status;
    close_operator(&op);
    return status;
}
