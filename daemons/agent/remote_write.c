/* SPDX-License-Identifier: Apache-2.0 */

/* The writes of a step, one request after the other, and what the backend answered. */

#include <string.h>

#include "agent/remote_parts.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/json.h"

#define MESSAGE_BYTES 256 /* of a backend that are kept */
#define NOT_TOUCHED (-1)  /* throttlePct of a request that is about watts */

/* ---- before the step ---- */

/* What was there before us: the limit of the first reading, unless an agent before this one put it
 * there; then the hardware's maximum. */
static void recall_original(struct jd_remote_part *part)
{
    if (part->is_known || !part->limit.is_known)
        return;
    part->is_known = true;
    if (!part->is_inherited || part->has_original)
        return;
    part->has_original = true;
    part->original_w = part->max.is_known ? part->max.w : part->limit.w;
}

struct joulie_node_reading jd_remote_reading(const struct jd_remote_part *part, bool has_limit)
{
    return (struct joulie_node_reading){
        .struct_size = sizeof(struct joulie_node_reading),
        .has = (has_limit ? JOULIE_NODE_READING_HAS_LIMIT : 0) |
               (part->has_original ? JOULIE_NODE_READING_HAS_ORIGINAL : 0),
        .kind = part->kind,
        .id = "remote",
        .limit_w = part->limit.w,
        .original_w = part->original_w,
    };
}

static void start_part(struct jd_remote *remote, struct jd_remote_part *part,
                       const struct jd_watts *limit)
{
    const bool is_read = remote->endpoints.cpu_source.type == JOULIE_REMOTE_TYPE_HTTP;
    part->is_written = false;
    part->is_pending = false;
    part->outcome = JOULIE_NODE_OUTCOME_NONE;
    jl_free(part->message);
    part->message = NULL;
    if (!is_read || remote->sample.quality == JD_FRESH)
        part->limit = *limit; /* one that nobody reads is written each time */
    recall_original(part);
    const struct joulie_node_reading reading = jd_remote_reading(part, part->limit.is_known);
    joulie_node_put_reading(remote->node, &reading,
                            NULL); /* a node without GPUs has no such part */
}

void jd_remote_decide(struct jd_remote *remote)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_throttle *throttle = &remote->throttle;
    start_part(remote, &remote->cpu, &remote->sample.cpu_limit);
    start_part(remote, &remote->gpu, &remote->sample.gpu_limit);
    throttle->is_used = false;
    throttle->has_failed = false;
    if (remote->sample.has_throttle)
        throttle->pct = remote->sample.throttle_pct;
    remote->write_index = 0;
    remote->write_count = 0;
    remote->restored = 0;
    remote->asked = JD_ASK_NOTHING;
    remote->is_concluding = false;
    remote->has_failed =
        joulie_node_step(remote->node, remote->now_ms, &remote->write_count, &err) < 0;
    if (remote->has_failed && !remote->has_logged_failure)
        jd_log_error(remote->shared->log, "node", remote->name, &err);
    remote->has_logged_failure = remote->has_failed;
}

/* ---- which request ---- */

static void end_write(struct jd_remote *remote, struct jd_remote_part *part,
                      enum joulie_node_outcome outcome, const char *message)
{
    part->outcome = outcome;
    jl_free(part->message);
    part->message = jl_strdup(message);
    remote->asked = JD_ASK_NOTHING;
    remote->write_index++;
}

/* The throttle that a cap of so many watts, of all packages together, asks for now
 * (docs/rules/frequencies.md). */
static void find_throttle(struct jd_remote *remote, double cap_w)
{
    struct jd_throttle *throttle = &remote->throttle;
    const struct jd_watts *power = &remote->sample.cpu;
    const struct joulie_throttle_sample sample = {
        .struct_size = sizeof sample,
        .has = power->is_known ? JOULIE_THROTTLE_HAS_POWER : 0,
        .at_ms = remote->now_ms,
        .cap_w = cap_w,
        .power_w = power->w,
        .in_force_pct = throttle->pct,
    };
    throttle->cap_w = cap_w;
    throttle->wanted_pct = throttle->pct;
    joulie_throttle_step(throttle->controller, &sample, &throttle->wanted_pct, NULL);
}

/* A cap by frequencies: only a throttle that is new is sent. */
static bool ask_throttle(struct jd_remote *remote)
{
    struct jd_throttle *throttle = &remote->throttle;
    find_throttle(remote, remote->cpu.target_w);
    throttle->is_used = true;
    if (throttle->wanted_pct == throttle->pct) {
        end_write(remote, &remote->cpu, JOULIE_NODE_OUTCOME_WRITTEN, NULL);
        return false;
    }
    remote->asked = JD_ASK_THROTTLE;
    return true;
}

/* Before the first cap: what it replaces. */
static void keep_original(struct jd_remote *remote, struct jd_remote_part *part)
{
    part->is_new = !part->has_original;
    if (part->has_original)
        return;
    part->has_original = part->limit.is_known || part->max.is_known;
    part->original_w = part->limit.is_known ? part->limit.w : part->max.w;
    if (!part->has_original)
        jd_log(remote->shared->log, JOULIE_LOG_LEVEL_WARN, "node",
               "%s: neither the limit of its %s nor their maximum is known: a cap cannot be given "
               "back",
               remote->name, part->kind == JOULIE_NODE_KIND_GPU ? "GPUs" : "CPUs");
}

/* The write that is next; false = it needs no request. */
static bool begin_write(struct jd_remote *remote)
{
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    if (joulie_node_write_at(remote->node, remote->write_index, &write, NULL) < 0) {
        remote->write_index++;
        return false;
    }
    struct jd_remote_part *part = write.kind == JOULIE_NODE_KIND_GPU ? &remote->gpu : &remote->cpu;
    part->is_written = true;
    part->is_restore = write.is_restore != 0;
    part->target_w = write.limit_w;
    if (part->endpoint->type != JOULIE_REMOTE_TYPE_HTTP) {
        end_write(remote, part, JOULIE_NODE_OUTCOME_REFUSED,
                  part == &remote->gpu ? "TELEMETRY_GPU_CONTROL is none"
                                       : "TELEMETRY_CPU_CONTROL is none");
        return false;
    }
    if (part == &remote->cpu && part->endpoint->mode == JOULIE_REMOTE_MODE_DVFS &&
        !part->is_restore)
        return ask_throttle(remote);
    if (!part->is_restore)
        keep_original(remote, part);
    else
        part->is_new = false;
    remote->asked = part == &remote->gpu ? JD_ASK_GPU : JD_ASK_CPU;
    return true;
}

/* A percentage that could not become watts; what the library says of the rest stands. */
static bool wants_open_throttle(struct jd_remote *remote)
{
    struct joulie_node_summary summary = JOULIE_INIT(struct joulie_node_summary);
    if (!remote->twin_pct.is_known || remote->cpu.max.is_known ||
        remote->cpu.endpoint->type != JOULIE_REMOTE_TYPE_HTTP ||
        remote->cpu.endpoint->mode == JOULIE_REMOTE_MODE_RAPL ||
        joulie_node_get_summary(remote->node, &summary, NULL) < 0 ||
        summary.cpu_result != JOULIE_CONTROL_BLOCKED)
        return false;
    remote->throttle.wanted_pct = joulie_throttle_open_pct(remote->twin_pct.w);
    return true;
}

/* After the writes: a throttle that nothing asks for any more is given back. */
static bool next_throttle(struct jd_remote *remote)
{
    struct jd_throttle *throttle = &remote->throttle;
    if (remote->is_concluding || remote->has_failed ||
        remote->cpu.endpoint->type != JOULIE_REMOTE_TYPE_HTTP)
        return false;
    remote->is_concluding = true;
    if (throttle->is_used)
        return false;
    if (wants_open_throttle(remote))
        throttle->is_used = true;
    else if (throttle->is_ours)
        throttle->wanted_pct = 0;
    else
        return false;
    if (throttle->wanted_pct == throttle->pct)
        return false;
    remote->asked = JD_ASK_THROTTLE;
    return true;
}

bool jd_remote_next_request(struct jd_remote *remote)
{
    if (remote->asked != JD_ASK_NOTHING)
        return true; /* what a reply has led to */
    while (!remote->has_failed && remote->write_index < remote->write_count) {
        if (begin_write(remote))
            return true;
    }
    return next_throttle(remote);
}

void jd_remote_put_request(const struct jd_remote *remote, struct jl_buffer *out)
{
    jl_put_char(out, '{');
    jd_json_put_text(out, "node", remote->name);
    switch (remote->asked) {
    case JD_ASK_CPU:
        jd_json_put_text(out, "action", "rapl.set_power_cap_watts");
        jd_json_put_number(out, "capWatts", remote->cpu.target_w);
        jd_json_put_number(out, "throttlePct", NOT_TOUCHED);
        break;
    case JD_ASK_GPU:
        jd_json_put_text(out, "action", "gpu.set_power_cap_watts");
        jd_json_put_number(out, "capWattsPerGpu", remote->gpu.target_w);
        break;
    case JD_ASK_THROTTLE:
        jd_json_put_text(out, "action", "dvfs.set_throttle_pct");
        jd_json_put_number(out, "capWatts", remote->cpu.is_written ? remote->cpu.target_w : 0);
        jd_json_put_number(out, "throttlePct", remote->throttle.wanted_pct);
        break;
    case JD_ASK_NOTHING:
        break;
    }
    jd_json_put_time(out, "ts", jd_clock_stamp_ms(remote->shared->clock, remote->now_ms));
    jl_put_char(out, '}');
}

/* ---- what came back ---- */

struct verdict {
    bool is_taken;   /* applied, or pending */
    bool is_pending; /* the backend itself says so */
    bool is_blocked;
    bool is_answer; /* else nobody knows whether it came to anything */
    char message[MESSAGE_BYTES];
};

static void keep_message(struct verdict *verdict, const char *text)
{
    const size_t len = jl_utf8_cut(text, strlen(text), MESSAGE_BYTES - 1);
    memcpy(verdict->message, text, len);
    verdict->message[len] = '\0';
}

/* docs/rules/endpoints.md#replies */
static struct verdict judge(const struct jd_reply *reply)
{
    struct verdict verdict = { .is_answer = reply->end == JD_HTTP_WHOLE };
    enum joulie_control_result result = JOULIE_CONTROL_ERROR;
    JL_CLEANUP(jl_freep) char *message = NULL;
    (void)joulie_remote_read_control(reply->status, reply->body, verdict.is_answer ? reply->len : 0,
                                     &result, &message, NULL);
    verdict.is_pending = result == JOULIE_CONTROL_PENDING;
    verdict.is_taken = verdict.is_pending || result == JOULIE_CONTROL_APPLIED;
    verdict.is_blocked = result == JOULIE_CONTROL_BLOCKED;
    if (!jl_is_empty(message))
        keep_message(&verdict, message);
    else if (reply->message[0])
        keep_message(&verdict, reply->message);
    else
        keep_message(&verdict, "the backend does not say what became of it");
    return verdict;
}

static enum joulie_node_outcome outcome_of(const struct verdict *verdict)
{
    if (verdict->is_taken)
        return JOULIE_NODE_OUTCOME_WRITTEN;
    return verdict->is_blocked ? JOULIE_NODE_OUTCOME_REFUSED : JOULIE_NODE_OUTCOME_FAILED;
}

static void take_throttle(struct jd_remote *remote, const struct verdict *verdict)
{
    struct jd_throttle *throttle = &remote->throttle;
    throttle->has_failed = !verdict->is_taken;
    if (verdict->is_taken) {
        throttle->pct = throttle->wanted_pct;
        throttle->is_ours = throttle->pct > 0;
        remote->has_written = true;
    }
    if (!remote->is_concluding) {
        end_write(remote, &remote->cpu, outcome_of(verdict),
                  verdict->is_taken ? NULL : verdict->message);
        return;
    }
    jl_free(remote->cpu.message);
    remote->cpu.message = jl_strdup(verdict->is_taken ? NULL : verdict->message);
    remote->asked = JD_ASK_NOTHING;
}

static void take_limit(struct jd_remote *remote, struct jd_remote_part *part,
                       const struct verdict *verdict)
{
    if (!verdict->is_taken && part->is_new && verdict->is_answer)
        part->has_original = false;
    const bool can_throttle =
        part == &remote->cpu && part->endpoint->mode == JOULIE_REMOTE_MODE_AUTO;
    if (!verdict->is_taken && can_throttle && !part->is_restore) {
        remote->asked = JD_ASK_NOTHING;
        ask_throttle(remote);
        return;
    }
    if (verdict->is_taken) {
        part->is_pending = verdict->is_pending;
        part->has_original = part->has_original && !part->is_restore;
        remote->restored += part->is_restore;
        part->limit = (struct jd_watts){ true, part->target_w };
        remote->has_written = true;
    }
    end_write(remote, part, outcome_of(verdict), verdict->is_taken ? NULL : verdict->message);
}

void jd_remote_take_reply(struct jd_remote *remote, const struct jd_reply *reply)
{
    const struct verdict verdict = judge(reply);
    switch (remote->asked) {
    case JD_ASK_CPU:
        take_limit(remote, &remote->cpu, &verdict);
        break;
    case JD_ASK_GPU:
        take_limit(remote, &remote->gpu, &verdict);
        break;
    case JD_ASK_THROTTLE:
        take_throttle(remote, &verdict);
        break;
    case JD_ASK_NOTHING:
        break;
    }
}
