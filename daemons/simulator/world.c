/* SPDX-License-Identifier: Apache-2.0 */

/* How the simulated world goes on: its events become objects of the API, questions to the extender
 * and steps of the participants. */

#include <json-c/json.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/json.h"
#include "simulator/simulator.h"

#define MS_PER_S 1000.0
#define TICK_MS 20    /* of a time that goes with the wall clock */
#define TURN_MS 20    /* that are used at most without a turn of the loop */
#define LEAVE_MS 2000 /* for participants that do not know of the end yet */
#define LEAVE_TICK_MS 20
#define TEN_YEARS_S 315576000.0

/*
 * Time goes on in turns of the loop: a turn takes events until one has to be waited for (a question
 * to the extender, a step of the participants), the wall clock sets a limit, or TURN_MS are used
 * up. Then the loop serves everybody else. is_waiting ends with the answer, which makes the next
 * turn.
 */
static void turn_now(struct jd_simulator *simulator)
{
    jd_timer_set(&simulator->edges.loop, &simulator->turn, jd_clock_ms());
}

static void stop(struct jd_simulator *simulator, const char *what, const struct joulie_error *err)
{
    jd_log_error(&simulator->edges.log, "world", what, err);
    simulator->is_broken = true;
    jd_loop_stop(&simulator->edges.loop);
}

static bool has_ended(const struct jd_simulator *simulator)
{
    return simulator->is_broken || (simulator->is_finished && !simulator->is_kept);
}

int64_t jd_world_now_ms(void *user)
{
    const struct jd_simulator *simulator = user;
    return joulie_sim_instant_ms(simulator->now_s);
}

bool jd_world_is_lockstep(const struct jd_simulator *simulator)
{
    return jd_clock_server_is_used(&simulator->clock);
}

/* ---- control ---- */

static double virtual_s(int64_t instant_ms)
{
    return (double)(instant_ms - joulie_sim_instant_ms(0)) / MS_PER_S;
}

/* The next time at which somebody steps. One that is due since a time that is over steps at the
 * present millisecond, as if it had been known. */
static void plan_control(struct jd_simulator *simulator)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int64_t now_ms = jd_world_now_ms(simulator);
    const int64_t due_ms = jd_clock_server_due(&simulator->clock);
    double at_s = due_ms == JD_NO_TIME ? -1 : virtual_s(due_ms > now_ms ? due_ms : now_ms);
    if (!jd_world_is_lockstep(simulator) && simulator->is_filter_stale)
        at_s = simulator->now_s; /* nobody says when: what was written counts at once */
    if (at_s > TEN_YEARS_S)
        at_s = -1;
    if (joulie_sim_set_control_time(simulator->sim, at_s, simulator->is_filter_stale, &err) < 0)
        stop(simulator, "time cannot go on", &err);
    simulator->is_filter_stale = false;
}

static void on_stepped(void *user)
{
    struct jd_simulator *simulator = user;
    simulator->is_waiting = false;
    plan_control(simulator);
    turn_now(simulator);
}

static const char *version(void *user)
{
    const struct jd_simulator *simulator = user;
    jd_api_bookmark(simulator->api);
    return jd_api_version(simulator->api);
}

static void on_late(void *user, const char *who)
{
    struct jd_simulator *simulator = user;
    jd_metric_add(simulator->edges.metrics, &jd_late_steps_family, JD_LABELS(who), 1);
    jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_WARN, "clock",
           "%s has not done its step in %lld ms; time goes on without it", who,
           (long long)simulator->values.step_deadline_ms);
}

static void on_new(void *user, const char *who)
{
    struct jd_simulator *simulator = user;
    const char *missing = jd_clock_server_missing(&simulator->clock);
    if (missing)
        jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "clock",
               "%s is there; %s is still missing", who, missing);
    else
        jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "clock", "%s is there", who);
}

static void on_participants(void *user)
{
    struct jd_simulator *simulator = user;
    if (simulator->began_ms > 0 && !simulator->is_waiting && !has_ended(simulator))
        plan_control(simulator);
    turn_now(simulator);
}

/* ---- writes of clients ---- */

struct change { /* what a write of a twin or a node did to what decisions rest on */
    bool is_spec;
    bool is_filter; /* what the extender's filter says may be another thing now */
};

static bool differs(struct json_object *old, struct json_object *new, const char *path)
{
    return !json_object_equal(jd_json_at(old, path), jd_json_at(new, path));
}

/* Of an object that came or went everything counts as changed. */
static struct change change_of(const struct jd_api_write *write)
{
    struct change change = { true, true };
    if (!write->old_text || !write->new_text)
        return change;
    JL_CLEANUP(jd_json_freep)
    struct json_object *old = jd_json_parse(write->old_text, strlen(write->old_text));
    JL_CLEANUP(jd_json_freep)
    struct json_object *new = jd_json_parse(write->new_text, strlen(write->new_text));
    change.is_spec = differs(old, new, "spec");
    change.is_filter = change.is_spec || differs(old, new, "status.schedulableClass") ||
                       differs(old, new, "metadata.labels");
    return change;
}

/* A NodeTwin's new spec, for the summary and the table of decisions. */
static void decide(struct jd_simulator *simulator, const struct jd_api_write *write)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_sim_put_decision(simulator->sim, write->new_text, strlen(write->new_text), &err) < 0)
        jd_log_error(&simulator->edges.log, "world", write->name, &err);
}

void jd_world_on_write(void *user, const struct jd_api_write *write)
{
    struct jd_simulator *simulator = user;
    const bool is_twin = jl_same(write->resource, "nodetwins");
    if (!is_twin && !jl_same(write->resource, "nodes"))
        return;
    const struct change change = change_of(write);
    simulator->is_filter_stale |= change.is_filter;
    jd_clock_server_stir(&simulator->clock);
    jd_machine_take_write(simulator, write);
    if (is_twin && write->new_text && jl_is_empty(write->subresource) && change.is_spec)
        decide(simulator, write);
    if (!jd_world_is_lockstep(simulator) && change.is_filter)
        plan_control(simulator);
}

/* ---- machines ---- */

/* It is news to those who step when pods come and go: they wait for machines, too. */
static int change_node(struct jd_simulator *simulator, const struct joulie_sim_event *event,
                       struct joulie_error *err)
{
    const int64_t now_ms =
        jd_world_is_lockstep(simulator) ? jd_world_now_ms(simulator) : jd_clock_wall_ms();
    const int rc = jd_machine_report_power(simulator, event->node, now_ms, err);
    if (jd_clock_server_pods_changed(&simulator->clock, jd_world_now_ms(simulator)))
        plan_control(simulator);
    return rc;
}

/* ---- pods ---- */

static int bind_pod(struct jd_simulator *simulator, const struct joulie_sim_event *event,
                    struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer patch = { 0 };
    jl_put_string(&patch, "{\"spec\":{");
    jd_json_put_text(&patch, "nodeName", event->node);
    jl_put_string(&patch, "},\"status\":{\"phase\":\"Running\"}}");
    if (patch.is_failed)
        return jl_fail_memory(err);
    const int rc = jd_api_merge(simulator->api, "pods", event->name_space, event->name, patch.data,
                                patch.len, err);
    /* Somebody deleted it; its job runs on as the trace says. */
    return rc == JOULIE_E_REQUIRED
               ? jd_api_put(simulator->api, event->text, strlen(event->text), err)
               : rc;
}

/* As the pod comes and when it is bound, so that it stays young. */
static int put_profile(struct jd_simulator *simulator, const struct joulie_sim_event *event,
                       struct joulie_error *err)
{
    if (!simulator->values.workload_profiles)
        return 0;
    return jd_api_put(simulator->api, event->profile, strlen(event->profile), err);
}

static void delete_pod(struct jd_simulator *simulator, const struct joulie_sim_event *event)
{
    jd_api_delete(simulator->api, "pods", event->name_space, event->name);
    if (simulator->values.workload_profiles)
        jd_api_delete(simulator->api, "workloadprofiles", event->name_space, event->name);
}

static int put_pod(struct jd_simulator *simulator, const struct joulie_sim_event *event,
                   struct joulie_error *err)
{
    const int rc = put_profile(simulator, event, err);
    if (rc < 0)
        return rc;
    return event->is_first ? jd_api_put(simulator->api, event->text, strlen(event->text), err)
                           : bind_pod(simulator, event, err);
}

/* A pod that is bound is no news to those who step when pods come and go: nothing waits less or has
 * more room by it. */
static int change_pod(struct jd_simulator *simulator, const struct joulie_sim_event *event,
                      struct joulie_error *err)
{
    int rc = 0;
    jd_measure_pod(simulator->edges.metrics, event);
    if (event->is_removed)
        delete_pod(simulator, event);
    else
        rc = put_pod(simulator, event, err);
    if ((event->is_first || event->is_removed) &&
        jd_clock_server_pods_changed(&simulator->clock, jd_world_now_ms(simulator)))
        plan_control(simulator);
    return rc;
}

static void on_extender_call(void *user, const char *verb, const char *result)
{
    struct jd_simulator *simulator = user;
    jd_metric_add(simulator->edges.metrics, &jd_extender_family, JD_LABELS(verb, result), 1);
}

static void on_placed(void *user, const uint8_t *passed, const int32_t *wire, size_t count)
{
    struct jd_simulator *simulator = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    simulator->is_waiting = false;
    if (joulie_sim_answer(simulator->sim, passed, wire, count, &err) < 0)
        stop(simulator, "a pod cannot be placed", &err);
    turn_now(simulator);
}

/* ---- the end ---- */

static void on_leave(void *user)
{
    struct jd_simulator *simulator = user;
    const bool is_over = jd_clock_ms() >= simulator->began_ms;
    if (is_over || jd_clock_server_all_know(&simulator->clock))
        jd_loop_stop(&simulator->edges.loop);
    else
        jd_timer_set(&simulator->edges.loop, &simulator->leave, jd_clock_ms() + LEAVE_TICK_MS);
}

/* The machines stay, and time goes on with the wall clock, for people with kubectl. */
static void keep(struct jd_simulator *simulator)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_sim_resume(simulator->sim, &err) < 0) {
        stop(simulator, "time cannot go on", &err);
        return;
    }
    simulator->is_kept = true;
    simulator->kept_s = simulator->now_s;
    simulator->kept_ms = jd_clock_ms();
    plan_control(simulator);
    turn_now(simulator);
}

/* The report first: with --keep the energy of the time behind the end is not in it. */
static void finish(struct jd_simulator *simulator)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    simulator->is_finished = true;
    jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "world",
           "the simulation has ended after %.0f s", simulator->now_s);
    if (simulator->values.out && jd_write_report(simulator, &err) < 0)
        stop(simulator, "the tables are not written", &err);
    if (simulator->values.keep) {
        keep(simulator);
        return;
    }
    jd_clock_server_end(&simulator->clock, jd_world_now_ms(simulator));
    if (!simulator->values.exit_at_end)
        return;
    simulator->began_ms = jd_clock_ms() + LEAVE_MS;
    simulator->leave = (struct jd_timer){ .fire = on_leave, .user = simulator };
    jd_timer_set(&simulator->edges.loop, &simulator->leave, jd_clock_ms() + LEAVE_TICK_MS);
}

/* ---- events ---- */

/* false = it has to be waited for, or cannot go on. */
static bool take_event(struct jd_simulator *simulator, const struct joulie_sim_event *event)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int rc = 0;
    simulator->now_s = event->time_s;
    switch (event->kind) {
    case JOULIE_SIM_EVENT_POD:
        rc = change_pod(simulator, event, &err);
        break;
    case JOULIE_SIM_EVENT_NODE:
        rc = change_node(simulator, event, &err);
        break;
    case JOULIE_SIM_EVENT_PLACE:
        simulator->is_waiting = true;
        rc = jd_placement_ask(&simulator->placement, event);
        break;
    case JOULIE_SIM_EVENT_CONTROL:
        simulator->is_waiting = true;
        jd_clock_server_begin(&simulator->clock, jd_world_now_ms(simulator));
        break;
    case JOULIE_SIM_EVENT_UNKNOWN:
        break;
    }
    if (rc < 0)
        stop(simulator, "the world cannot go on", &err);
    return rc >= 0 && !simulator->is_waiting;
}

/* Virtual time may go as far as this now; < 0 = without a limit. */
static double limit_s(const struct jd_simulator *simulator)
{
    double speedup = simulator->values.speedup;
    if (simulator->is_kept)
        return simulator->kept_s + (double)(jd_clock_ms() - simulator->kept_ms) / MS_PER_S;
    if (speedup <= 0 && jd_world_is_lockstep(simulator))
        return -1;
    if (speedup <= 0)
        speedup = 1;
    return (double)(jd_clock_ms() - simulator->began_ms) / MS_PER_S * speedup;
}

static void rest(struct jd_simulator *simulator)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    if (joulie_sim_get_view(simulator->sim, &view, NULL) == 0) {
        simulator->now_s = view.time_s;
        if (view.is_finished) {
            finish(simulator);
            return;
        }
    }
    jd_timer_set(&simulator->edges.loop, &simulator->turn, jd_clock_ms() + TICK_MS);
}

static void go(struct jd_simulator *simulator)
{
    const int64_t until_ms = jd_clock_ms() + TURN_MS;
    const double until_s = limit_s(simulator);
    while (jd_clock_ms() <= until_ms) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
        int32_t found = 0;
        if (joulie_sim_next(simulator->sim, until_s, &event, &found, &err) < 0) {
            stop(simulator, "the simulation cannot go on", &err);
            return;
        }
        if (!found) {
            rest(simulator);
            return;
        }
        if (!take_event(simulator, &event))
            return;
    }
    turn_now(simulator);
}

/* Virtual time 0 is the instant at which the last awaited participant has come. */
static bool may_begin(struct jd_simulator *simulator)
{
    struct jd_api_counts counts;
    if (simulator->began_ms > 0)
        return true;
    if (jd_clock_server_missing(&simulator->clock))
        return false;
    jd_api_counts(simulator->api, &counts);
    simulator->calls_before = counts.calls;
    simulator->began_ms = jd_clock_ms();
    jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "world", "time begins");
    simulator->is_filter_stale = true;
    plan_control(simulator);
    return true;
}

static void on_turn(void *user)
{
    struct jd_simulator *simulator = user;
    if (!simulator->is_waiting && !has_ended(simulator) && may_begin(simulator))
        go(simulator);
}

/* ---- life ---- */

int jd_world_open(struct jd_simulator *simulator, struct joulie_error *err)
{
    const struct jd_simulator_values *values = &simulator->values;
    int rc = 0;
    for (size_t i = 0; i < simulator->node_count && rc == 0; i++)
        rc = jd_machine_put(simulator, i, err);
    simulator->clock = (struct jd_clock_server){
        .loop = &simulator->edges.loop,
        .deadline_ms = values->step_deadline_ms,
        .version = version,
        .on_new = on_new,
        .on_late = on_late,
        .on_change = on_participants,
        .on_done = on_stepped,
        .user = simulator,
    };
    simulator->placement = (struct jd_placement){
        .url = jl_is_empty(values->extender_url) ? NULL : values->extender_url,
        .timeout_ms = values->extender_timeout_ms,
        .is_ignorable = values->is_extender_ignorable,
        .has_scores =
            jl_same(values->placement, "joulie") || jl_same(values->placement, "efficiency"),
        .loop = &simulator->edges.loop,
        .http = simulator->edges.http,
        .log = &simulator->edges.log,
        .on_call = on_extender_call,
        .on_answer = on_placed,
        .user = simulator,
    };
    simulator->turn = (struct jd_timer){ .fire = on_turn, .user = simulator };
    if (rc == 0 && jd_clock_server_init(&simulator->clock, values->participants) < 0)
        rc = jl_fail_memory(err);
    if (rc == 0 && jd_clock_server_missing(&simulator->clock))
        jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "world",
               "time stands still until %s are there", values->participants);
    if (rc == 0)
        turn_now(simulator);
    return rc;
}

void jd_world_close(struct jd_simulator *simulator)
{
    jd_placement_clear(&simulator->placement);
    jd_clock_server_clear(&simulator->clock);
    if (simulator->turn.fire)
        jd_timer_stop(&simulator->edges.loop, &simulator->turn);
    if (simulator->leave.fire)
        jd_timer_stop(&simulator->edges.loop, &simulator->leave);
}
