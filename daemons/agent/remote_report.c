/* SPDX-License-Identifier: Apache-2.0 */

/* What came of a step: the library's report, with what only the backend knows. */

#include <string.h>

#include "agent/metrics.h"
#include "agent/remote_parts.h"
#include "runtime/json.h"

#define CLOSE_W 0.125 /* a usual power unit: nearer readings are equal for the library too */
#define MOVING "caps are given back, as another control takes over"
#define MOST_UNSEEN 3 /* steps that a backend may take to show what it has taken */

static bool is_seen(const struct jd_remote_part *part)
{
    const double gap_w = part->limit.w - part->target_w;
    return part->limit.is_known && gap_w <= CLOSE_W && gap_w >= -CLOSE_W;
}

/* A write that was taken and does not read back is on its way for some steps, then it is blocked:
 * only then the library gets the limit that reads. */
static bool is_shown(struct jd_remote *remote, struct jd_remote_part *part,
                     const struct jd_watts *limit)
{
    const bool is_read = remote->is_checked && limit->is_known;
    if (is_read)
        part->limit = *limit;
    part->unseen = is_read && !is_seen(part) ? part->unseen + 1 : 0;
    const bool is_awaited = part->unseen > 0 && part->unseen < MOST_UNSEEN;
    return part->limit.is_known && !part->is_pending && !is_awaited;
}

/* A throttle has no limit. */
static void put_reading(struct jd_remote *remote, struct jd_remote_part *part,
                        const struct jd_watts *limit)
{
    const bool is_throttled = part == &remote->cpu && remote->throttle.is_used;
    const bool is_written = part->outcome == JOULIE_NODE_OUTCOME_WRITTEN;
    const bool has_limit =
        !is_throttled && (is_written ? is_shown(remote, part, limit) : part->limit.is_known);
    struct joulie_node_reading reading = jd_remote_reading(part, has_limit);
    reading.outcome = part->outcome;
    reading.message = part->message;
    joulie_node_put_reading(remote->node, &reading, NULL);
}

static void set_text(struct json_object *object, const char *key, const char *text)
{
    if (object)
        json_object_object_add(object, key, json_object_new_string(text));
}

/* A throttle has no limit that reads back: what it is for is seen in the power. */
static void put_throttle(struct jd_remote *remote, struct json_object *cpu)
{
    const struct jd_throttle *throttle = &remote->throttle;
    const struct jd_watts *power = &remote->sample.cpu;
    const bool is_open = !remote->cpu.is_written;
    const bool is_kept = is_open || (power->is_known && power->w <= throttle->cap_w);
    struct json_object *observed = json_object_object_get(cpu, "observed");
    struct json_object *package =
        json_object_array_get_idx(json_object_object_get(observed, "packages"), 0);
    const char *result = throttle->has_failed ? "error" : is_kept ? "applied" : "pending";
    set_text(cpu, "backend", "dvfs");
    set_text(cpu, "result", result);
    set_text(package, "result", result);
    if (!throttle->has_failed)
        set_text(cpu, "message", "the CPUs are throttled");
    else if (remote->cpu.message)
        set_text(cpu, "message", remote->cpu.message);
    if (observed)
        json_object_object_add(observed, "throttlePct", jd_json_double(throttle->pct));
}

static void put_power(const struct jd_remote *remote, struct json_object *cpu)
{
    struct json_object *observed = json_object_object_get(cpu, "observed");
    if (observed && remote->sample.cpu.is_known)
        json_object_object_add(observed, "watts", jd_json_double(remote->sample.cpu.w));
}

static struct json_object *read_report(struct jd_remote *remote)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (remote->has_failed)
        return NULL;
    if (joulie_node_report(remote->node, &json, &err) < 0) {
        if (err.code !=
            JOULIE_E_CONFLICT) /* the twin was replaced meanwhile: the next step reports */
            jd_log_error(remote->shared->log, "node", remote->name, &err);
        return NULL;
    }
    return jd_json_parse(json, strlen(json));
}

void jd_remote_conclude(struct jd_remote *remote)
{
    put_reading(remote, &remote->cpu, &remote->sample.cpu_limit);
    put_reading(remote, &remote->gpu, &remote->sample.gpu_limit);
    struct json_object *report = read_report(remote);
    struct json_object *cpu = json_object_object_get(report, "cpu");
    struct json_object *gpu = json_object_object_get(report, "gpu");
    if (remote->throttle.is_used)
        put_throttle(remote, cpu);
    else if (remote->cpu.endpoint->type != JOULIE_REMOTE_TYPE_HTTP)
        set_text(cpu, "backend", "none");
    if (remote->gpu.endpoint->type != JOULIE_REMOTE_TYPE_HTTP)
        set_text(gpu, "backend", "none");
    if (remote->is_moving) {
        set_text(cpu, "message", MOVING);
        set_text(gpu, "message", MOVING);
    }
    put_power(remote, cpu);
    json_object_put(remote->report);
    remote->report = report;
    jd_metrics_restored(remote->shared->metrics, remote->name, NULL, report, remote->restored);
}
