/* SPDX-License-Identifier: Apache-2.0 */

/* The public door of a simulation that somebody else controls. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "kubernetes/names.h"
#include "schema/decode.h"
#include "schema/document.h"
#include "schema/encode.h"
#include "sim/contract.h"
#include "sim/outside.h"
#include "sim/pod.h"
#include "sim/sim.h"

#define MOST_WIRE 100
#define EVENT_SIZE_0_1 (offsetof(struct joulie_sim_event, is_sample) + sizeof(int32_t))

_Static_assert(sizeof(struct joulie_sim_event) == EVENT_SIZE_0_1, "no tail padding");
_Static_assert(sizeof(enum joulie_sim_event_kind) == 4, "enums of public structs have four bytes");

int64_t joulie_sim_instant_ms(double time_s)
{
    const double most_s = 1e12; /* inside an int64_t, also as milliseconds */
    return time_s == time_s ? jl_sim_instant_ms(jl_clamp(time_s, -most_s, most_s)) : 0;
}

static int fail_not_external(struct joulie_error *err)
{
    return jl_refuse(err, JOULIE_E_CONFLICT, "", "the simulation has an operator of its own");
}

/* ---- events ---- */

static int put_pod(struct joulie_sim *sim, const struct jl_trace_job *job, const char *node)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_sim_pod state = { node, node ? "Running" : "Pending" };
    struct jl_pod pod;
    if (jl_sim_pod_object(job, &state, &arena, &pod) < 0)
        return JOULIE_E_NOMEM;
    jl_encode(&sim->text, &jl_pod_table, &pod);
    return jl_buffer_code(&sim->text);
}

static int fill_pod(struct joulie_sim *sim, const struct jl_sim_news *news,
                    struct joulie_sim_event *out)
{
    const struct jl_sim_run *run = &sim->controlled;
    const struct jl_trace_job *job = run->workload->tasks[news->job].job;
    out->kind = JOULIE_SIM_EVENT_POD;
    out->name_space = job->name_space;
    out->name = job->job_id;
    out->is_first = news->kind == JL_NEWS_CAME;
    out->is_removed = news->kind == JL_NEWS_GONE;
    if (news->kind == JL_NEWS_GONE)
        return 0;
    if (news->kind == JL_NEWS_BOUND)
        out->node = run->nodes[run->jobs[news->job].node].machine->name;
    return put_pod(sim, job, news->kind == JL_NEWS_BOUND ? out->node : NULL);
}

static int fill_question(struct joulie_sim *sim, struct joulie_sim_event *out)
{
    const struct jl_sim_run *run = &sim->controlled;
    struct jl_sim_question *question = &run->outside->question;
    const struct jl_trace_job *job =
        question->is_sample ? &jl_sim_any_performance_job : run->workload->tasks[question->job].job;
    question->state = JL_QUESTION_ASKED;
    out->kind = JOULIE_SIM_EVENT_PLACE;
    out->name_space = job->name_space;
    out->name = job->job_id;
    out->candidates = question->candidates;
    out->candidate_count = question->count;
    out->is_sample = question->is_sample;
    return put_pod(sim, job, NULL);
}

/* 1: out is filled, 0: there is nothing to tell, or JOULIE_E_NOMEM. */
static int take_event(struct joulie_sim *sim, struct joulie_sim_event *out)
{
    struct jl_sim_outside *outside = sim->controlled.outside;
    struct jl_sim_news news;
    int rc = 0;
    *out = (struct joulie_sim_event){
        .struct_size = sizeof *out,
        .time_s = sim->controlled.now_s,
        .name_space = "",
        .name = "",
        .node = "",
    };
    jl_buffer_reset(&sim->text);
    if (jl_sim_outside_take(outside, &news)) {
        if (news.kind == JL_NEWS_CONTROL)
            out->kind = JOULIE_SIM_EVENT_CONTROL;
        else
            rc = fill_pod(sim, &news, out);
    } else if (outside->question.state == JL_QUESTION_WANTED) {
        rc = fill_question(sim, out);
    } else {
        return 0;
    }
    out->text = sim->text.len > 0 ? sim->text.data : "";
    return rc < 0 ? rc : 1;
}

static int next_event(struct joulie_sim *sim, double until_s, struct joulie_sim_event *out,
                      struct joulie_error *err)
{
    struct jl_sim_run *run = &sim->controlled;
    int found = take_event(sim, out);
    while (found == 0) {
        const int rc = jl_sim_run_until(run, until_s, err);
        if (rc == 0 && sim->is_compared)
            return jl_sim_run_until(&sim->uncontrolled, run->is_finished ? until_s : run->now_s,
                                    err);
        if (rc <= 0)
            return rc;
        found = take_event(sim, out);
    }
    return found < 0 ? jl_fail_memory(err) : found;
}

int joulie_sim_next(struct joulie_sim *sim, double until_s, struct joulie_sim_event *out,
                    int32_t *out_found, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    const struct jl_sim_outside *outside = sim->controlled.outside;
    struct joulie_sim_event event;
    if (jl_sized_check(out, EVENT_SIZE_0_1) < 0)
        return jl_refuse(err, JOULIE_E_ABI, "", "struct joulie_sim_event of another release");
    if (!outside)
        return fail_not_external(err);
    if (until_s != until_s)
        return jl_refuse(err, JOULIE_E_RANGE, "until", "not a time");
    if (outside->question.state == JL_QUESTION_ASKED)
        return jl_refuse(err, JOULIE_E_CONFLICT, "", "the last event has no answer yet");
    const int found = next_event(sim, until_s < 0 ? JL_NEVER : until_s, &event, &detail);
    if (found < 0) {
        jl_error_export(&detail, err);
        return found;
    }
    if (found > 0)
        jl_sized_write(out, &event, sizeof event);
    *out_found = found;
    return JOULIE_OK;
}

int joulie_sim_answer(struct joulie_sim *sim, const uint8_t *passed, const int32_t *wire,
                      size_t count, struct joulie_error *err)
{
    struct jl_sim_outside *outside = sim->controlled.outside;
    if (!outside || outside->question.state != JL_QUESTION_ASKED)
        return jl_refuse(err, JOULIE_E_CONFLICT, "", "nothing was asked");
    if (count != outside->question.count)
        return jl_refuse(err, JOULIE_E_RANGE, "count", "%zu candidates were asked about",
                         outside->question.count);
    for (size_t i = 0; wire && i < count; i++) {
        if (wire[i] < 0 || wire[i] > MOST_WIRE)
            return jl_refuse(err, JOULIE_E_RANGE, "wire", "a score is from 0 to 100");
    }
    jl_sim_outside_answer(outside, passed, wire);
    return JOULIE_OK;
}

int joulie_sim_go_on(struct joulie_sim *sim, struct joulie_error *err)
{
    struct jl_sim_run *run = &sim->controlled;
    if (!run->outside)
        return fail_not_external(err);
    if (!run->is_finished)
        return jl_refuse(err, JOULIE_E_CONFLICT, "", "the simulation is not over");
    run->goes_on = true;
    run->is_finished = false;
    run->settings.limit_s = JL_SIM_LONGEST_S;
    return JOULIE_OK;
}

int joulie_sim_control_at(struct joulie_sim *sim, double at_s, int32_t admits_changed,
                          struct joulie_error *err)
{
    struct jl_sim_run *run = &sim->controlled;
    if (!run->outside)
        return fail_not_external(err);
    if (at_s != at_s)
        return jl_refuse(err, JOULIE_E_RANGE, "at", "not a time");
    run->operator_s = at_s < 0 ? JL_NEVER : at_s;
    run->outside->is_stale |= admits_changed != 0;
    return JOULIE_OK;
}

/* ---- machines ---- */

static int find_machine(const struct joulie_sim *sim, const char *name, size_t *out,
                        struct joulie_error *err)
{
    *out = jl_sim_machine_index(&sim->inventory, name);
    if (!jl_same(sim->inventory.machines[*out].name, name))
        return jl_refuse(err, JOULIE_E_REQUIRED, "node", "there is no node \"%.253s\"", name);
    return 0;
}

static int encode_machine(const struct joulie_sim *sim, size_t index, struct jl_buffer *node,
                          struct jl_buffer *hardware)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_sim_machine *machine = &sim->inventory.machines[index];
    struct jl_node node_object;
    struct jl_node_hardware hardware_object;
    char now[JL_TIME_TEXT];
    jl_format_time(jl_sim_instant_ms(0), now);
    if (jl_sim_node_object(machine, &arena, &node_object) < 0 ||
        jl_sim_hardware_object(machine, now, &arena, &hardware_object) < 0)
        return JOULIE_E_NOMEM;
    jl_encode(node, &jl_node_table, &node_object);
    jl_encode(hardware, &jl_node_hardware_table, &hardware_object);
    return node->is_failed || hardware->is_failed ? JOULIE_E_NOMEM : 0;
}

int joulie_sim_objects(const struct joulie_sim *sim, size_t index, char **node, char **hardware,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer node_text = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer hardware_text = { 0 };
    if (index >= sim->inventory.count)
        return jl_refuse(err, JOULIE_E_RANGE, "index", "there are %zu nodes", sim->inventory.count);
    if (encode_machine(sim, index, &node_text, &hardware_text) < 0)
        return jl_refuse_memory(err);
    if (node)
        *node = jl_buffer_take(&node_text);
    if (hardware)
        *hardware = jl_buffer_take(&hardware_text);
    return JOULIE_OK;
}

static int tell_all(const struct joulie_sim *sim, const char *what, char **json,
                    struct joulie_error *err)
{
    static const struct {
        const char *what;
        int (*put)(struct jl_buffer *out, const struct jl_sim_run *run);
    } bodies[] = {
        { "jobs", jl_sim_put_debug_jobs },
        { "nodes", jl_sim_put_debug_nodes },
        { "energy", jl_sim_put_debug_energy },
    };
    struct jl_buffer buffer = { 0 };
    for (size_t i = 0; i < JL_COUNT(bodies); i++) {
        if (jl_same(what, bodies[i].what))
            return jl_sim_hand_out(&buffer, bodies[i].put(&buffer, &sim->controlled), json, err);
    }
    return jl_refuse(err, JOULIE_E_ENUM, "what", "there is no such body");
}

int joulie_sim_tell(const struct joulie_sim *sim, const char *node_name, const char *what,
                    char **json, struct joulie_error *err)
{
    const struct jl_sim_run *run = &sim->controlled;
    struct jl_buffer buffer = { 0 };
    size_t index;
    if (!node_name)
        return tell_all(sim, what, json, err);
    const int rc = find_machine(sim, node_name, &index, err);
    if (rc < 0)
        return rc;
    if (jl_same(what, "telemetry"))
        return jl_sim_hand_out(&buffer, jl_sim_put_telemetry(&buffer, run, index), json, err);
    if (jl_same(what, "state"))
        return jl_sim_hand_out(&buffer, jl_sim_put_state(&buffer, run, index), json, err);
    return jl_refuse(err, JOULIE_E_ENUM, "what", "there is no such body");
}

int joulie_sim_control(struct joulie_sim *sim, const char *node_name, const char *text, size_t len,
                       char **reply, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct jl_sim_control_body body;
    size_t index;
    if (!sim->controlled.outside)
        return fail_not_external(err);
    int rc = find_machine(sim, node_name, &index, &detail);
    if (rc == 0)
        rc = jl_sim_read_control(text, len, &arena, &body, &detail);
    if (rc < 0) {
        jl_error_export(&detail, err);
        return rc;
    }
    rc = jl_sim_do_control(&buffer, &sim->controlled, index, &body);
    return jl_sim_hand_out(&buffer, rc, reply, err);
}

/* ---- decisions ---- */

static int read_twin(const char *text, size_t len, struct jl_arena *arena,
                     struct jl_document *document, struct jl_node_twin *out,
                     struct joulie_error *err)
{
    int rc = jl_document_read(document, text, len, err);
    struct jl_decode decode = { .arena = arena,
                                .text = document->text,
                                .len = document->len,
                                .lines = document->lines,
                                .flags = JL_LENIENT,
                                .err = err };
    if (rc == 0)
        rc = jl_decode_document(&decode, &jl_node_twin_table, out);
    if (rc == 0 && (!JL_HAS(out, JL_ROOT_SPEC) || !out->spec.given.node_name))
        rc = jl_fail(err, JOULIE_E_REQUIRED, "spec.nodeName", "the twin names no node");
    return rc;
}

int joulie_sim_decided(struct joulie_sim *sim, const char *twin, size_t len,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    struct jl_sim_run *run = &sim->controlled;
    struct jl_node_twin object;
    size_t index;
    if (!run->outside)
        return fail_not_external(err);
    int rc = read_twin(twin, len, &arena, &document, &object, &detail);
    if (rc == 0)
        rc = find_machine(sim, object.spec.node_name, &index, &detail);
    if (rc == 0 && jl_sim_decide(&run->decisions, run->now_s, index, &object.spec) < 0)
        rc = jl_fail_memory(&detail);
    if (rc < 0)
        jl_error_export(&detail, err);
    return rc;
}
