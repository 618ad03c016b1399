/* SPDX-License-Identifier: Apache-2.0 */

/* One step of a node over HTTP as a sequence of requests: read, decide, write, read again,
 * conclude. The core calls this by the table at the end. */

#include "agent/remote.h"

#include "agent/remote_parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/clock.h"

#define STEP_MS 10000 /* of a whole step */
#define READ_MS 4000  /* of its first part: the rest is for the caps */
#define LAST_STEP_MS 3000
#define TRY_MS 2000 /* of a source that is to take over: the old one is still to be read */
#define REPLY_BYTES ((size_t)1 << 20)

/* ---- life ---- */

static int make_node(struct jd_remote *remote, struct joulie_error *err)
{
    const struct jd_agent_values *values = remote->shared->values;
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    options.has = JOULIE_NODE_HAS_FLOOR | JOULIE_NODE_HAS_SPEC_READ_TIMEOUT |
                  JOULIE_NODE_HAS_STALENESS | JOULIE_NODE_HAS_MAX_AGE;
    options.floor_pct = values->cap_floor_pct;
    options.spec_read_timeout_ms = values->spec_read_timeout_ms;
    options.staleness_ms = values->twin_staleness_ms;
    options.max_age_ms = values->twin_max_age_ms;
    options.gpu_backend = "http";
    options.enforces = remote->shared->enforces;
    options.is_remote_cpu = 1;
    options.is_remote_gpu = 1;
    return joulie_node_new(&options, &remote->node, err);
}

static int open_throttle(const struct jd_agent_values *values, struct joulie_throttle **out,
                         struct joulie_error *err)
{
    const struct joulie_throttle_options options = {
        .struct_size = sizeof options,
        .has = JOULIE_THROTTLE_HAS_EMA_ALPHA | JOULIE_THROTTLE_HAS_HIGH_MARGIN |
               JOULIE_THROTTLE_HAS_LOW_MARGIN | JOULIE_THROTTLE_HAS_STEP |
               JOULIE_THROTTLE_HAS_COOLDOWN | JOULIE_THROTTLE_HAS_TRIP_COUNT,
        .ema_alpha = values->dvfs_ema_alpha,
        .high_margin_w = values->dvfs_high_margin_w,
        .low_margin_w = values->dvfs_low_margin_w,
        .step_pct = values->dvfs_step_pct,
        .cooldown_ms = values->dvfs_cooldown_ms,
        .trip_count = values->dvfs_trip_count,
        .is_legacy = jl_same(values->dvfs_controller, "legacy"),
    };
    return joulie_throttle_new(&options, out, err);
}

static void release(void *driven)
{
    struct jd_remote *remote = driven;
    if (!remote)
        return;
    jd_http_cancel(remote->transfer);
    jd_timer_stop(remote->shared->loop, &remote->deadline);
    json_object_put(remote->report);
    jl_free(remote->cpu.message);
    jl_free(remote->gpu.message);
    joulie_throttle_free(remote->throttle.controller);
    joulie_node_free(remote->node);
    jd_endpoints_clear(&remote->endpoints);
    jd_endpoints_clear(&remote->wanted);
    jl_free(remote->name);
    jl_free(remote);
}

static int drive(void *maker, const char *node_name, void **out_driven, struct joulie_error *err)
{
    struct jd_remote *remote = jl_calloc(1, sizeof *remote);
    if (!remote)
        return jl_fail_memory(err);
    remote->shared = maker;
    remote->cpu = (struct jd_remote_part){ .kind = JOULIE_NODE_KIND_PACKAGE,
                                           .endpoint = &remote->endpoints.cpu_control,
                                           .word = "cpu" };
    remote->gpu = (struct jd_remote_part){ .kind = JOULIE_NODE_KIND_GPU,
                                           .endpoint = &remote->endpoints.gpu_control,
                                           .word = "gpu" };
    remote->name = jl_strdup(node_name);
    int rc = remote->name ? 0 : jl_fail_memory(err);
    if (rc == 0)
        rc = open_throttle(remote->shared->values, &remote->throttle.controller, err);
    if (rc == 0)
        rc = make_node(remote, err);
    if (rc == 0)
        rc = jd_remote_take_hardware(remote, NULL, 0, err);
    /* always set: each step has a place for it, also when memory has run out */
    if (rc == 0 && jd_timer_set(remote->shared->loop, &remote->deadline, JD_NEVER_MS) < 0)
        rc = jl_fail_memory(err);
    if (rc < 0) {
        release(remote);
        return rc;
    }
    *out_driven = remote;
    return 0;
}

static bool holds(const void *driven)
{
    const struct jd_remote *remote = driven;
    return remote->cpu.has_original || remote->gpu.has_original || remote->throttle.is_ours;
}

static struct json_object *report(void *driven, bool is_wanted)
{
    (void)is_wanted;
    return json_object_get(((struct jd_remote *)driven)->report);
}

static void give_back(void *driven)
{
    jd_remote_take_twin(driven, NULL, 0, NULL);
}

/* ---- requests ---- */

static void on_reply(void *user, const struct jd_reply *reply);

static const char *const json_headers[] = { "Content-Type: application/json", NULL };

static int64_t timeout_of(const struct jd_remote *remote,
                          const struct joulie_remote_endpoint *endpoint, bool is_read)
{
    const int64_t most_ms = remote->phase == JD_REMOTE_TRYING ? TRY_MS : READ_MS;
    return is_read && endpoint->timeout_ms > most_ms ? most_ms : endpoint->timeout_ms;
}

/* false = it will not be answered: it could not even begin, or the step is late. */
static bool start(struct jd_remote *remote, const struct joulie_remote_endpoint *endpoint,
                  const struct jl_buffer *body)
{
    const struct jd_http_request request = {
        .method = body ? "POST" : "GET",
        .url = endpoint->url,
        .headers = body ? json_headers : NULL,
        .body = body ? body->data : NULL,
        .len = body ? body->len : 0,
        .timeout_ms = timeout_of(remote, endpoint, !body),
        .limit_bytes = REPLY_BYTES,
        .on_done = on_reply,
        .user = remote,
    };
    if (remote->is_late || (body && body->is_failed))
        return false;
    return jd_http_start(remote->shared->http, &request, &remote->transfer, NULL) == 0;
}

static const struct jd_reply no_reply = { .end = JD_HTTP_TIMED_OUT,
                                          .message = "the step took too long",
                                          .content_type = "",
                                          .warning = "",
                                          .body = "",
                                          .retry_after_s = -1 };

/* ---- one step: read, decide, write, check, conclude ---- */

static void next(struct jd_remote *remote);

static bool reads_power(const struct jd_remote *remote)
{
    return remote->endpoints.cpu_source.type == JOULIE_REMOTE_TYPE_HTTP ||
           remote->endpoints.cpu_source.type == JOULIE_REMOTE_TYPE_PROMETHEUS;
}

static void take_sample(struct jd_remote *remote, const struct jd_reply *reply)
{
    struct jd_sample sample;
    jd_sample_read(reply, remote->endpoints.cpu_source.type, remote->now_ms,
                   remote->shared->values->reconcile_interval_ms, &sample);
    jd_remote_log_sample(remote, &sample);
    if (remote->phase == JD_REMOTE_CHECKING && sample.quality != JD_FRESH)
        return; /* what the backend answered stands */
    remote->sample = sample;
    remote->is_checked = remote->phase == JD_REMOTE_CHECKING;
}

/* Asks for a reading; without an answer to wait for the next phase begins at once. */
static bool read_power(struct jd_remote *remote)
{
    if (!reads_power(remote) || remote->is_short) {
        remote->sample = (struct jd_sample){ .quality = JD_MISSING };
        return false;
    }
    if (start(remote, &remote->endpoints.cpu_source, NULL))
        return true;
    take_sample(remote, &no_reply);
    return false;
}

static bool post(struct jd_remote *remote)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    jd_remote_put_request(remote, &body);
    const bool is_started = start(
        remote, remote->asked == JD_ASK_GPU ? remote->gpu.endpoint : remote->cpu.endpoint, &body);
    if (!is_started)
        jd_remote_take_reply(remote, &no_reply);
    return is_started;
}

/* Goes on until something has to be waited for. */
static void next(struct jd_remote *remote)
{
    for (;;) {
        switch (remote->phase) {
        case JD_REMOTE_TRYING: /* it is the source now, and has been read */
        case JD_REMOTE_READING:
            remote->phase = JD_REMOTE_WRITING;
            jd_remote_decide(remote);
            break;
        case JD_REMOTE_WRITING:
            if (jd_remote_next_request(remote)) {
                if (post(remote))
                    return;
                break;
            }
            remote->phase = JD_REMOTE_CHECKING;
            if (remote->has_written && !remote->is_short &&
                remote->endpoints.cpu_source.type == JOULIE_REMOTE_TYPE_HTTP && read_power(remote))
                return;
            break;
        case JD_REMOTE_CHECKING:
            jd_timer_set(remote->shared->loop, &remote->deadline, JD_NEVER_MS);
            jd_remote_conclude(remote);
            if (remote->is_moving)
                jd_remote_end_move(remote);
            remote->phase = JD_REMOTE_IDLE;
            remote->done(remote->done_user, remote->report != NULL); /* it may be gone now */
            return;
        case JD_REMOTE_IDLE:
            return;
        }
    }
}

static void read_old_source(struct jd_remote *remote)
{
    remote->phase = JD_REMOTE_READING;
    if (!read_power(remote))
        next(remote);
}

static void on_reply(void *user, const struct jd_reply *reply)
{
    struct jd_remote *remote = user;
    remote->transfer = NULL;
    if (remote->phase == JD_REMOTE_TRYING && !jd_remote_try(remote, reply)) {
        read_old_source(remote);
        return;
    }
    if (remote->phase == JD_REMOTE_WRITING)
        jd_remote_take_reply(remote, reply);
    else
        take_sample(remote, reply);
    next(remote);
}

static void on_deadline(void *user)
{
    struct jd_remote *remote = user;
    jd_http_cancel(remote->transfer);
    remote->is_late = true;
    on_reply(remote, &no_reply);
}

/* The first request, or the first phase without one, begins in the loop. */
static void on_start(void *user)
{
    struct jd_remote *remote = user;
    remote->deadline.fire = on_deadline;
    jd_timer_set(remote->shared->loop, &remote->deadline,
                 jd_clock_ms() + (remote->is_short ? LAST_STEP_MS : STEP_MS));
    const struct joulie_remote_endpoint *source =
        remote->is_short ? NULL : jd_remote_new_source(remote);
    remote->phase = JD_REMOTE_TRYING;
    if (source && start(remote, source, NULL))
        return;
    if (source)
        (void)jd_remote_try(remote, &no_reply);
    read_old_source(remote);
}

/* What is given back at the end needs no reading. */
static void shorten(void *driven)
{
    struct jd_remote *remote = driven;
    remote->is_short = true;
    if (remote->phase != JD_REMOTE_IDLE && remote->deadline.fire == on_deadline)
        jd_timer_set(remote->shared->loop, &remote->deadline, jd_clock_ms() + LAST_STEP_MS);
}

static void step(void *driven, int64_t now_ms, const int64_t *heartbeat_ms,
                 void (*done)(void *user, bool is_good), void *user)
{
    struct jd_remote *remote = driven;
    struct jd_clock *clock = remote->shared->clock;
    if (!jd_clock_is_simulated(clock))
        joulie_node_set_wall(remote->node, now_ms, jd_clock_stamp_ms(clock, now_ms));
    if (heartbeat_ms)
        joulie_node_heartbeat(remote->node, *heartbeat_ms);
    remote->phase = JD_REMOTE_READING;
    remote->is_moving = jd_remote_is_moving(remote);
    remote->now_ms = now_ms;
    remote->done = done;
    remote->done_user = user;
    remote->is_late = false;
    remote->is_checked = false;
    remote->has_written = false;
    remote->deadline.fire = on_start;
    remote->deadline.user = remote;
    jd_timer_set(remote->shared->loop, &remote->deadline, jd_clock_ms());
}

const struct jd_backend jd_remote_backend = {
    .drive = drive,
    .free = release,
    .wire = jd_remote_wire,
    .is_moving = jd_remote_is_moving,
    .has_moved = jd_remote_has_moved,
    .take_hardware = jd_remote_take_hardware,
    .take_twin = jd_remote_take_twin,
    .give_back = give_back,
    .shorten = shorten,
    .step = step,
    .report = report,
    .hardware = jd_remote_hardware,
    .holds = holds,
};
