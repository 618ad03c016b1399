/* SPDX-License-Identifier: Apache-2.0 */

/* What a step came to: the result of each part and status.controlStatus of a NodeTwin
 * (docs/rules/node-agent.md#results, #report). */

#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "caps/state.h"
#include "node/handle.h"
#include "schema/encode.h"

#define READING_BITS (JOULIE_NODE_READING_HAS_LIMIT | JOULIE_NODE_READING_HAS_ORIGINAL)

_Static_assert(sizeof(enum joulie_node_outcome) == 4, "enums of public structs have four bytes");

/* ---- results ---- */

static enum joulie_control_result result_of_cap(const struct jl_part_want *want,
                                                const struct jl_part_reading *reading)
{
    switch (reading->outcome) {
    case JOULIE_NODE_OUTCOME_FAILED:
        return JOULIE_CONTROL_ERROR;
    case JOULIE_NODE_OUTCOME_REFUSED:
        return JOULIE_CONTROL_BLOCKED;
    case JOULIE_NODE_OUTCOME_NONE:
        if (want->write != JL_WRITE_NOTHING)
            return JOULIE_CONTROL_ERROR;
        break;
    case JOULIE_NODE_OUTCOME_WRITTEN:
        break;
    }
    if (!reading->has_limit) /* nobody has seen it in force */
        return JOULIE_CONTROL_PENDING;
    const double gap_w = reading->limit_w - want->target_w;
    if (gap_w > want->tolerance_w || gap_w < -want->tolerance_w)
        return JOULIE_CONTROL_BLOCKED; /* written and gone: locked by the firmware, or somebody
                                          else's */
    return reading->is_unseen ? JOULIE_CONTROL_PENDING : JOULIE_CONTROL_APPLIED;
}

/* Two sources: the control's own state where there is one, else what reads back. */
enum joulie_control_result jl_node_result(const struct jl_part_want *want,
                                          const struct jl_part_reading *reading)
{
    if (reading->has_result)
        return reading->result;
    switch (want->reason) {
    case JL_REASON_CAP:
        return result_of_cap(want, reading);
    case JL_REASON_BLOCKED:
    case JL_REASON_NO_CONTROL:
        return JOULIE_CONTROL_BLOCKED;
    case JL_REASON_NO_SPEC:
    case JL_REASON_STALE_SPEC:
    case JL_REASON_OBSERVING:
    case JL_REASON_NO_INTENT:
        break;
    }
    /* no cap is asked for; one of ours that could not be given back is no clean state */
    const bool is_stuck =
        want->write == JL_WRITE_ORIGINAL && (reading->outcome == JOULIE_NODE_OUTCOME_FAILED ||
                                             reading->outcome == JOULIE_NODE_OUTCOME_REFUSED);
    return is_stuck ? JOULIE_CONTROL_ERROR : JOULIE_CONTROL_NONE;
}

/* ---- the report ---- */

struct report {
    const struct jl_node_config *config;
    const struct jl_node_input *in;
    const struct jl_part_want *wants;
    const struct jl_part_reading *readings;
    struct jl_arena *arena;
    const char *updated_at;
};

static const char *result_word(enum joulie_control_result result)
{
    const char *word = jl_word_of(&jl_control_result_words, (int)result);
    return word != NULL ? word : "none";
}

/* Why nothing was asked of this kind of part. */
static const char *idle_message(enum jl_node_reason reason, enum joulie_node_kind kind)
{
    switch (reason) {
    case JL_REASON_NO_SPEC:
        return "no NodeTwin selected";
    case JL_REASON_STALE_SPEC:
        return "NodeTwin is stale";
    case JL_REASON_OBSERVING:
        return "simulate-only mode";
    case JL_REASON_NO_INTENT:
        return kind == JOULIE_NODE_KIND_PACKAGE ? "no CPU cap intent" : "no GPU cap intent";
    case JL_REASON_NO_CONTROL:
        return kind == JOULIE_NODE_KIND_PACKAGE ? "CPU power cannot be limited here"
                                                : "GPU power cannot be limited here";
    case JL_REASON_CAP:
    case JL_REASON_BLOCKED:
        break;
    }
    return "";
}

static const char *cap_message(const struct report *report, const struct jl_part_want *want,
                               const struct jl_part_reading *reading, enum joulie_node_kind kind)
{
    if (reading->message != NULL)
        return reading->message;
    switch (jl_node_result(want, reading)) {
    case JOULIE_CONTROL_APPLIED:
        return kind == JOULIE_NODE_KIND_PACKAGE ? "CPU power cap applied" : "GPU power cap applied";
    case JOULIE_CONTROL_PENDING:
        return "written, effect not seen yet";
    case JOULIE_CONTROL_BLOCKED:
        if (want->reason == JL_REASON_BLOCKED)
            return jl_cap_message(&want->cap, report->arena);
        return want->reason == JL_REASON_CAP ? "limit does not stay as written"
                                             : idle_message(want->reason, kind);
    case JOULIE_CONTROL_ERROR:
        return want->write == JL_WRITE_ORIGINAL ? "the original limit could not be given back"
                                                : "write failed";
    case JOULIE_CONTROL_NONE:
    case JOULIE_CONTROL_UNKNOWN:
        break;
    }
    return idle_message(want->reason, kind);
}

static void put_watts(struct jl_buffer *out, const char *key, double watts)
{
    jl_put_string(out, key);
    jl_put_double(out, watts);
}

static void put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}

static void put_observed(const struct report *report, size_t i, struct jl_buffer *out)
{
    const struct jl_part *part = &report->in->parts[i];
    const struct jl_part_want *want = &report->wants[i];
    const struct jl_part_reading *reading = &report->readings[i];
    if (part->kind == JOULIE_NODE_KIND_PACKAGE) {
        jl_put_string(out, "{\"index\":");
        jl_put_i64(out, part->index);
    } else {
        jl_put_string(out, "{\"id\":");
        put_text(out, part->id != NULL ? part->id : "");
    }
    if (want->reason == JL_REASON_CAP)
        put_watts(out, ",\"capWatts\":", want->target_w);
    if (reading->has_limit)
        put_watts(out, ",\"limitWatts\":", reading->limit_w);
    if (reading->has_watts)
        put_watts(out, ",\"watts\":", reading->watts);
    jl_put_string(out, ",\"result\":");
    put_text(out, result_word(jl_node_result(want, reading)));
    jl_put_char(out, '}');
}

static void put_cpu(const struct jl_node_observed *cpu, struct jl_buffer *out)
{
    if (cpu->has_throttle)
        put_watts(out, ",\"throttlePct\":", cpu->throttle_pct);
    if (cpu->limiter != NULL) {
        jl_put_string(out, ",\"limiter\":");
        put_text(out, cpu->limiter);
    }
}

/* The object `observed` of one kind of part: {"packages":[…]} or {"devices":[…]}. */
static int observe(const struct report *report, enum joulie_node_kind kind, struct jl_raw *out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    size_t count = 0;
    jl_put_char(&text, '{');
    if (kind == JOULIE_NODE_KIND_PACKAGE && report->in->cpu != NULL && report->in->cpu->has_watts) {
        put_watts(&text, "\"watts\":", report->in->cpu->watts);
        jl_put_char(&text, ',');
    }
    jl_put_string(&text, kind == JOULIE_NODE_KIND_PACKAGE ? "\"packages\":[" : "\"devices\":[");
    for (size_t i = 0; i < report->in->part_count; i++) {
        if (report->in->parts[i].kind != kind)
            continue;
        jl_put_string(&text, count++ > 0 ? "," : "");
        put_observed(report, i, &text);
    }
    jl_put_char(&text, ']');
    if (kind == JOULIE_NODE_KIND_PACKAGE && report->in->cpu != NULL)
        put_cpu(report->in->cpu, &text);
    jl_put_char(&text, '}');
    if (text.is_failed)
        return JOULIE_E_NOMEM;
    const char *copy = jl_arena_copy(report->arena, text.data, text.len);
    *out = (struct jl_raw){ .text = copy, .len = text.len };
    return copy != NULL ? 0 : jl_arena_code(report->arena);
}

/* The part whose result is the worst speaks for its kind; the first of equals. SIZE_MAX = there is
 * none. */
static size_t speaker_of(const struct report *report, enum joulie_node_kind kind)
{
    size_t speaker = SIZE_MAX;

    enum joulie_control_result results[2] = {
        JOULIE_CONTROL_NONE
    }; /* the worst so far, this one */

    for (size_t i = 0; i < report->in->part_count; i++) {
        if (report->in->parts[i].kind != kind)
            continue;
        results[1] = jl_node_result(&report->wants[i], &report->readings[i]);
        const enum joulie_control_result worst = jl_cap_worst(results, JL_COUNT(results));
        if (speaker == SIZE_MAX || worst != results[0])
            speaker = i;
        results[0] = worst;
    }
    return speaker;
}

static void put_part(struct jl_control_part *out, const char *backend,
                     enum joulie_control_result result, const char *message, const char *updated_at)
{
    JL_SET(out, backend, backend);
    JL_SET(out, result, result_word(result));
    JL_SET(out, message, message);
    JL_SET(out, updated_at, updated_at);
}

/* A kind of which the node has no part: blocked when a cap is asked for, else none. */
static void report_missing(const struct report *report, enum joulie_node_kind kind,
                           struct jl_control_part *out)
{
    const struct jl_twin_spec *spec = report->in->spec;
    struct joulie_caps_intent intent = { 0 };
    enum jl_node_reason reason = JL_REASON_NO_INTENT;
    if (report->config->mode == JL_NODE_OBSERVE)
        reason = JL_REASON_OBSERVING;
    else if (spec == NULL)
        reason = JL_REASON_NO_SPEC;
    else
        intent =
            kind == JOULIE_NODE_KIND_PACKAGE ? jl_cap_intent_cpu(spec) : jl_cap_intent_gpu(spec);
    if (intent.has == 0)
        put_part(out, "none", JOULIE_CONTROL_NONE, idle_message(reason, kind), report->updated_at);
    else
        put_part(out, "none", JOULIE_CONTROL_BLOCKED,
                 kind == JOULIE_NODE_KIND_PACKAGE ? "no CPU package discovered"
                                                  : "no GPU devices discovered",
                 report->updated_at);
}

/* One part speaks for its kind, the first of the worst; the others are in `observed`. */
static int report_kind(const struct report *report, enum joulie_node_kind kind,
                       struct jl_control_part *out)
{
    const size_t speaker = speaker_of(report, kind);
    if (speaker == SIZE_MAX) {
        report_missing(report, kind, out);
        return 0;
    }
    const struct jl_part_want *want = &report->wants[speaker];
    const struct jl_part_reading *reading = &report->readings[speaker];
    const enum joulie_control_result result = jl_node_result(want, reading);
    const char *message = cap_message(report, want, reading, kind);
    const char *backend = kind == JOULIE_NODE_KIND_PACKAGE ? report->config->cpu_backend
                                                           : report->config->gpu_backend;
    const bool is_idle = result == JOULIE_CONTROL_NONE || want->reason == JL_REASON_NO_CONTROL;
    if (message == NULL)
        return JOULIE_E_NOMEM;
    put_part(out, is_idle ? "none" : backend, result, message, report->updated_at);
    const int rc = observe(report, kind, &out->observed);
    if (rc == 0)
        out->given.observed = true;
    return rc;
}

int jl_node_report(const struct jl_node_config *config, const struct jl_node_input *in,
                   const struct jl_part_want *wants, const struct jl_part_reading *readings,
                   struct jl_arena *arena, struct jl_control_status *out)
{
    char text[JL_TIME_TEXT];
    const size_t len = jl_format_time(jl_wall_at(&in->wall, in->now_ms), text);
    const struct report report = { config,   in,    wants,
                                   readings, arena, jl_arena_copy(arena, text, len) };
    struct jl_control_status status = { 0 };
    if (report.updated_at == NULL)
        return jl_arena_code(arena);
    int rc = report_kind(&report, JOULIE_NODE_KIND_PACKAGE, &status.cpu);
    if (in->cpu != NULL && in->cpu->is_baseline_doubted)
        JL_SET(&status.cpu, baseline, "doubted");
    if (rc == 0)
        rc = report_kind(&report, JOULIE_NODE_KIND_GPU, &status.gpu);
    if (rc < 0)
        return rc;
    status.given.cpu = true;
    status.given.gpu = true;
    *out = status;
    return 0;
}

/* ---- joulie_node_put_reading() ---- */

static int check_outcome(enum joulie_node_outcome outcome, struct joulie_error *err)
{
    switch (outcome) {
    case JOULIE_NODE_OUTCOME_NONE:
    case JOULIE_NODE_OUTCOME_WRITTEN:
    case JOULIE_NODE_OUTCOME_REFUSED:
    case JOULIE_NODE_OUTCOME_FAILED:
        return 0;
    default:
        break;
    }
    return jl_fail(err, JOULIE_E_ENUM, "outcome", "there is no such outcome");
}

static int check_watts(bool is_set, double watts, const char *where, struct joulie_error *err)
{
    if (!is_set || (jl_is_finite(watts) && watts >= 0))
        return 0;
    return jl_fail(err, JOULIE_E_RANGE, where, "watts that are not negative were expected");
}

static int find_part(const struct joulie_node *node, const struct joulie_node_reading *reading,
                     size_t *out, struct joulie_error *err)
{
    const int rc = jl_node_check_kind(reading->kind, err);
    if (rc < 0)
        return rc;
    *out = jl_parts_find(&node->parts, reading->kind, reading->index, reading->id);
    if (*out < node->parts.count)
        return 0;
    return jl_fail(err, JOULIE_E_NOT_FOUND,
                   reading->kind == JOULIE_NODE_KIND_PACKAGE ? "index" : "id",
                   "the node has no such part");
}

static int read_reading(struct joulie_node *node, const struct joulie_node_reading *theirs,
                        size_t *out_part, struct joulie_node_reading *ours,
                        struct joulie_error *err)
{
    if (JL_SIZED_READ(ours, theirs) < 0 || (ours->has & ~READING_BITS) != 0 || ours->reserved != 0)
        return jl_fail_abi(err, "");
    int rc = find_part(node, ours, out_part, err);
    if (rc == 0)
        rc = check_watts((ours->has & JOULIE_NODE_READING_HAS_LIMIT) != 0, ours->limit_w, "limit_w",
                         err);
    if (rc == 0)
        rc = check_watts((ours->has & JOULIE_NODE_READING_HAS_ORIGINAL) != 0, ours->original_w,
                         "original_w", err);
    return rc == 0 ? jl_check_text(ours->message, "message", err) : rc;
}

/* It is the reading of the report of the last step and the limit in force of the next one. */
int joulie_node_put_reading(struct joulie_node *node, const struct joulie_node_reading *reading,
                            struct joulie_error *err)
{
    struct joulie_node_reading ours;
    size_t index = 0;
    int rc = read_reading(node, reading, &index, &ours, err);
    if (rc == 0)
        rc = check_outcome(ours.outcome, err);
    if (rc < 0)
        return rc;
    const char *message = jl_arena_string(&node->messages, ours.message);
    if (ours.message != NULL && message == NULL)
        return node->messages.is_over_limit
                   ? jl_fail(err, JOULIE_E_LIMIT, "message", "too many messages in one step")
                   : jl_fail_memory(err);
    const bool has_limit = (ours.has & JOULIE_NODE_READING_HAS_LIMIT) != 0;
    node->parts.readings[index] = (struct jl_part_reading){ .outcome = ours.outcome,
                                                            .has_limit = has_limit,
                                                            .limit_w = ours.limit_w,
                                                            .is_unseen = ours.is_unseen != 0,
                                                            .message = message };
    struct jl_part *part = &node->parts.items[index];
    part->has_current = has_limit;
    part->current_w = ours.limit_w;
    part->is_ours = (ours.has & JOULIE_NODE_READING_HAS_ORIGINAL) != 0;
    part->original_w = ours.original_w;
    return 0;
}

/* ---- joulie_node_report(), joulie_node_get_summary() ---- */

static enum joulie_control_result result_of(const struct jl_control_part *part)
{
    return (enum joulie_control_result)jl_word_value(&jl_control_result_words,
                                                     jl_text(part->result));
}

struct joulie_node_summary jl_node_summary(const struct jl_control_status *status)
{
    return (struct joulie_node_summary){
        .struct_size = sizeof(struct joulie_node_summary),
        .cpu_message = status->cpu.message,
        .gpu_message = status->gpu.message,
        .cpu_result = result_of(&status->cpu),
        .gpu_result = result_of(&status->gpu),
    };
}

static int refuse_without_step(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_CONFLICT, "",
                   "there was no step since the parts or the twin changed");
}

int joulie_node_get_summary(struct joulie_node *node, struct joulie_node_summary *out,
                            struct joulie_error *err)
{
    struct jl_control_status status = { 0 };
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (!node->has_step)
        return refuse_without_step(err);
    jl_arena_reset(&node->summary);
    if (jl_node_report(&node->config, &node->last, node->parts.wants, node->parts.readings,
                       &node->summary, &status) < 0)
        return jl_fail_memory(err);
    const struct joulie_node_summary ours = jl_node_summary(&status);
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}

int joulie_node_report(struct joulie_node *node, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    struct jl_control_status status = { 0 };
    if (!node->has_step)
        return refuse_without_step(err);
    if (jl_node_report(&node->config, &node->last, node->parts.wants, node->parts.readings, &arena,
                       &status) < 0)
        return jl_fail_memory(err); /* the arena has no limit */
    jl_encode(&buffer, &jl_control_status_table, &status);
    return jl_hand_out(&buffer, json, err);
}
