/* SPDX-License-Identifier: Apache-2.0 */

/* Writes the actions of a step (docs/rules/programs.md#writes): node by node, a bounded number at a
 * time, from the node behind the last one served; first those where something other than the status
 * changes. */

#include "operator/apply.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "kube/meta.h"
#include "kubernetes/watch.h"
#include "operator/action.h"
#include "operator/metrics.h"

static enum jd_write write_of(const struct joulie_cluster_action *action)
{
    if (action->change == JOULIE_CHANGE_POWER)
        return JD_WRITE_POWER;
    if (jl_same(action->kind, "Node"))
        return JD_WRITE_LABEL;
    if (action->verb == JOULIE_ACTION_DELETE)
        return JD_WRITE_DELETE;
    return action->subresource[0] ? JD_WRITE_STATUS : JD_WRITE_SPEC;
}

/* ---- the order of what belongs to a node ---- */

/* Towards eco class and label come before the cap, towards performance after it. A new twin has no
 * status before it is there. */
static int rank_of(const struct jd_writing *writing, size_t index)
{
    const bool is_tightened = writing->is_tightened;
    switch (write_of(&writing->apply->actions[index])) {
    case JD_WRITE_POWER:
        return 0;
    case JD_WRITE_LABEL:
        return is_tightened ? 1 : 5;
    case JD_WRITE_STATUS:
        return is_tightened && !writing->is_new ? 2 : 4;
    case JD_WRITE_SPEC:
        return 3;
    case JD_WRITE_DELETE:
    case JD_WRITES:
        break;
    }
    return 6;
}

static void insert(struct jd_writing *writing, size_t index)
{
    const int rank = rank_of(writing, index);
    size_t at = writing->count;
    if (writing->count == JD_NODE_WRITES)
        return;
    for (; at > 0 && rank_of(writing, writing->order[at - 1]) > rank; at--)
        writing->order[at] = writing->order[at - 1];
    writing->order[at] = index;
    writing->count++;
}

/* Behind the last action of the node that this one is of. */
static size_t end_of_node(const struct jd_apply *apply, size_t first)
{
    size_t end = first + 1;
    while (end < apply->count &&
           jl_same(apply->actions[end].node_name, apply->actions[first].node_name))
        end++;
    return end;
}

static int pass_of(const struct jd_apply *apply, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const enum jd_write write = write_of(&apply->actions[i]);
        if (write == JD_WRITE_SPEC || write == JD_WRITE_LABEL || write == JD_WRITE_POWER)
            return 0;
    }
    return 1;
}

static void put_in_order(struct jd_writing *writing, size_t first, size_t end)
{
    const struct jd_apply *apply = writing->apply;
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    if (joulie_cluster_node_by_name(apply->shared->cluster, apply->actions[first].node_name, &node,
                                    NULL) == 0)
        writing->is_tightened = node.profile == JOULIE_PROFILE_ECO;
    for (size_t i = first; i < end; i++)
        writing->is_new |= apply->actions[i].verb == JOULIE_ACTION_CREATE;
    for (size_t i = first; i < end; i++)
        insert(writing, i);
}

/* ---- what came of it ---- */

static bool is_of_node(enum jd_write write)
{
    return write == JD_WRITE_LABEL || write == JD_WRITE_POWER;
}

static void keep_version(char kept[JD_VERSION_BYTES], struct jl_text text)
{
    char version[JD_VERSION_BYTES];
    if (text.len == 0 || text.len >= sizeof version)
        return;
    snprintf(version, sizeof version, "%.*s", (int)text.len, text.ptr);
    if (kept[0] == '\0' || jl_version_is_older(kept, version))
        memcpy(kept, version, sizeof version);
}

static void note_version(struct jd_apply *apply, enum jd_write write,
                         const struct jd_answer *answer)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jd_meta meta;
    if (jd_meta_read((struct jl_text){ answer->body, answer->len }, &arena, &meta) == 0)
        keep_version(is_of_node(write) ? apply->node_version : apply->twin_version, meta.version);
}

static enum joulie_action_outcome outcome_of(const struct joulie_cluster_action *action,
                                             const struct jd_answer *answer)
{
    if (jd_answer_is_good(answer))
        return JOULIE_OUTCOME_APPLIED;
    if (answer->code == 404 && action->verb == JOULIE_ACTION_DELETE)
        return JOULIE_OUTCOME_APPLIED; /* gone already, which is what was wanted */
    return answer->code == 409 ? JOULIE_OUTCOME_CONFLICT : JOULIE_OUTCOME_FAILED;
}

/* Behind a spec that could not be written nothing is, and no cap before what says that it comes. */
static void hold(struct jd_writing *writing)
{
    if (writing->write == JD_WRITE_SPEC)
        writing->is_rest_held = true;
    else if (writing->write == JD_WRITE_LABEL || writing->write == JD_WRITE_STATUS)
        writing->is_spec_held = writing->is_tightened;
}

static bool is_held(const struct jd_writing *writing, enum jd_write write)
{
    if (write == JD_WRITE_POWER)
        return false;
    if (write == JD_WRITE_STATUS && writing->is_new && writing->is_spec_held)
        return true; /* of a twin that is not there */
    return write == JD_WRITE_SPEC ? writing->is_spec_held : writing->is_rest_held;
}

/* A write that was not answered says nothing about the next. */
static void note_refusal(struct jd_apply *apply, enum joulie_action_outcome outcome,
                         const struct jd_answer *answer)
{
    apply->accepted += outcome != JOULIE_OUTCOME_FAILED;
    if (outcome != JOULIE_OUTCOME_FAILED || !jd_answer_is_refusal(answer))
        return;
    apply->refused++;
    snprintf(apply->refusal, sizeof apply->refusal, "every write is refused: %d %.200s",
             answer->code, answer->message);
}

const char *jd_apply_problem(const struct jd_apply *apply)
{
    return apply->is_refused ? apply->refusal : NULL;
}

static void settle(struct jd_apply *apply, struct jd_writing *writing,
                   const struct jd_answer *answer)
{
    const struct jd_shared *shared = apply->shared;
    const struct joulie_cluster_action *action = &apply->actions[writing->index];
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const enum joulie_action_outcome outcome = outcome_of(action, answer);
    jd_count_action(shared->metrics, writing->write, action->verb, jd_outcome_word(outcome));
    note_refusal(apply, outcome, answer);
    if (outcome == JOULIE_OUTCOME_APPLIED) {
        jd_report_written(apply->reporter, action, writing->write);
        note_version(apply, writing->write, answer);
    } else {
        jd_report_failed(apply->reporter, action, writing->write, answer->code, answer->message);
        jd_count_error(shared->metrics,
                       outcome == JOULIE_OUTCOME_CONFLICT ? JD_ERROR_CONFLICT : JD_ERROR_API);
        hold(writing);
    }
    if (joulie_cluster_action_done(shared->cluster, action->id, outcome, &err) < 0)
        jd_log_error(shared->log, "apply", "the model does not take an outcome", &err);
    if (outcome == JOULIE_OUTCOME_APPLIED && writing->write == JD_WRITE_SPEC)
        jd_report_change(apply->reporter, action->node_name, &writing->change, apply->now_ms);
    if (outcome == JOULIE_OUTCOME_APPLIED && writing->write == JD_WRITE_POWER)
        jd_report_power(apply->reporter, action, &writing->power_change, apply->now_ms);
}

static void pump(struct jd_apply *apply);
static void go_on(struct jd_writing *writing);

static void on_done(void *user, const struct jd_answer *answer)
{
    struct jd_writing *writing = user;
    settle(writing->apply, writing, answer);
    go_on(writing);
    pump(writing->apply);
}

/* ---- sending ---- */

static int send(struct jd_writing *writing)
{
    const struct joulie_cluster_action *action = &writing->apply->actions[writing->index];
    const char *body = "";
    if (joulie_cluster_action_body(writing->apply->shared->cluster, action->id, &body, NULL) < 0)
        return JOULIE_E_NOMEM;
    struct jd_kube_call call = jd_action_call(action, body);
    call.resource = is_of_node(writing->write) ? &jd_nodes : &jd_node_twins;
    call.priority = writing->apply->pass == 0 ? JD_PRIORITY_SPEC : JD_PRIORITY_STATUS;
    call.on_done = on_done;
    call.user = writing;
    return jd_kube_start(writing->apply->shared->kube, &call, NULL);
}

static struct jd_writing *free_writing(struct jd_apply *apply)
{
    for (size_t i = 0; i < JD_MOST_WRITES; i++) {
        if (!apply->writings[i].is_busy)
            return &apply->writings[i];
    }
    return NULL;
}

/* The node that had its turn last: the next step begins behind it. */
static void remember(struct jd_apply *apply, const char *node_name)
{
    char *copy = jl_strdup(node_name);
    if (!copy)
        return;
    jl_free(apply->last);
    apply->last = copy;
}

static bool is_wanted(const struct jd_writing *writing, const struct joulie_cluster_action *action,
                      enum jd_write write)
{
    const struct jd_apply *apply = writing->apply;
    if (action->verb == JOULIE_ACTION_UNKNOWN || is_held(writing, write))
        return false;
    return write == JD_WRITE_POWER ? apply->writes_power : apply->writes_rest;
}

/* true = the request is on its way. Memory that runs out costs the turn: the model offers the
 * action again. */
static bool start_write(struct jd_writing *writing)
{
    struct jd_apply *apply = writing->apply;
    const struct jd_shared *shared = apply->shared;
    const struct joulie_cluster_action *action = &apply->actions[writing->index];
    if (shared->values->dry_run) {
        jd_report_would(apply->reporter, action, writing->write, apply->now_ms);
        return false;
    }
    if (writing->write == JD_WRITE_POWER)
        jd_power_change_of(shared->cluster, action->node_name, &writing->power_change);
    if (send(writing) == 0)
        return true;
    jd_count_error(shared->metrics, JD_ERROR_INTERNAL);
    hold(writing);
    return false;
}

/* The next write of the node, if there is one: it is free for another node then. A step that is cut
 * ends between two writes of a node, which does no harm in that order. */
static void go_on(struct jd_writing *writing)
{
    struct jd_apply *apply = writing->apply;
    if (writing->is_busy)
        apply->in_flight--;
    writing->is_busy = false;
    while (!writing->is_busy && !apply->is_cut && writing->next < writing->count) {
        writing->index = writing->order[writing->next++];
        writing->write = write_of(&apply->actions[writing->index]);
        writing->is_busy = is_wanted(writing, &apply->actions[writing->index], writing->write) &&
                           start_write(writing);
    }
    apply->in_flight += writing->is_busy;
}

/* Of the next node, if this is its pass. */
static void take_turn(struct jd_apply *apply)
{
    const size_t first = (apply->start + apply->next) % apply->count;
    const size_t end = end_of_node(apply, first);
    apply->next += end - first;
    if (pass_of(apply, first, end) != apply->pass ||
        jd_coexist_writer(apply->coexist, apply->actions[first].node_name))
        return;
    struct jd_writing *writing = free_writing(apply);
    *writing = (struct jd_writing){ .apply = apply };
    put_in_order(writing, first, end);
    remember(apply, apply->actions[first].node_name);
    /* before the first of its writes: what they change is stored then */
    jd_change_of(apply->shared->cluster, apply->actions[first].node_name, &writing->change);
    go_on(writing);
}

static void give_turns(struct jd_apply *apply)
{
    while (!apply->is_cut && apply->next < apply->count && apply->in_flight < JD_MOST_WRITES)
        take_turn(apply);
}

static void clear_actions(struct jd_apply *apply)
{
    jl_free(apply->actions);
    apply->actions = NULL;
    apply->count = 0;
}

static void pump(struct jd_apply *apply)
{
    give_turns(apply);
    if (apply->in_flight == 0 && apply->pass == 0 && !apply->is_cut) {
        apply->pass = 1;
        apply->next = 0;
        give_turns(apply);
    }
    if (apply->in_flight == 0 && (apply->is_cut || apply->next == apply->count)) {
        clear_actions(apply);
        if (apply->accepted + apply->refused > 0)
            apply->is_refused = apply->accepted == 0;
        jd_report_rest(apply->reporter);
        apply->on_written(apply->user);
    }
}

/* Behind the node that had its turn last: by name, round. */
static size_t first_index(const struct jd_apply *apply)
{
    for (size_t i = 0; apply->last && i < apply->count; i++) {
        if (jl_compare(apply->actions[i].node_name, apply->last) > 0)
            return i;
    }
    return 0;
}

static void count_planned(const struct jd_apply *apply)
{
    double planned[JD_WRITES] = { 0 };
    for (size_t i = 0; i < apply->count; i++)
        planned[write_of(&apply->actions[i])]++;
    jd_set_planned(apply->shared->metrics, planned);
}

/* What does not fit into memory has no turn in this step. */
static void take_actions(struct jd_apply *apply, size_t count)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    apply->actions = jl_calloc(count, sizeof *apply->actions);
    for (size_t i = 0; apply->actions && i < count; i++) {
        apply->actions[i] = JOULIE_INIT(struct joulie_cluster_action);
        if (joulie_cluster_action_at(apply->shared->cluster, i, &apply->actions[i], &err) < 0)
            return;
        apply->count = i + 1;
    }
}

bool jd_apply_start(struct jd_apply *apply, size_t count, int64_t now_ms)
{
    clear_actions(apply);
    /* what was waited for is seen, or never will be: a server may begin its versions again */
    apply->twin_version[0] = apply->node_version[0] = '\0';
    if (count > 0)
        take_actions(apply, count);
    count_planned(apply);
    if (apply->count == 0)
        return false;
    apply->start = first_index(apply);
    apply->next = 0;
    apply->pass = 0;
    apply->is_cut = false;
    apply->accepted = apply->refused = 0;
    apply->now_ms = now_ms;
    pump(apply);
    return true;
}

void jd_apply_cut(struct jd_apply *apply)
{
    apply->is_cut = true;
}

void jd_apply_stop(struct jd_apply *apply)
{
    const bool is_on = apply->count > 0;
    for (size_t i = 0; i < JD_MOST_WRITES; i++) {
        if (apply->writings[i].is_busy)
            jd_kube_cancel(apply->shared->kube, &apply->writings[i]);
        apply->writings[i].is_busy = false;
    }
    apply->in_flight = 0;
    apply->is_cut = true;
    if (is_on)
        pump(apply);
}

void jd_apply_close(struct jd_apply *apply)
{
    clear_actions(apply);
    jl_free(apply->last);
    apply->last = NULL;
}
