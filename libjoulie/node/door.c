/* SPDX-License-Identifier: Apache-2.0 */

/* The public door: an agent's life, its readings, its steps and its report. */

#include "node/door.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "schema/encode.h"

#define MESSAGE_BYTES ((size_t)1 << 20) /* kept between two steps */

/* Sizes of the first release: later members come behind these. */
#define OPTIONS_SIZE_0_1 (offsetof(struct joulie_node_options, is_remote_cpu) + sizeof(int32_t))
#define READING_SIZE_0_1 (offsetof(struct joulie_node_reading, reserved) + sizeof(uint32_t))
#define WRITE_SIZE_0_1 (offsetof(struct joulie_node_write, is_restore) + sizeof(int32_t))
#define OPTIONS_BITS                                                                         \
    (JOULIE_NODE_HAS_FLOOR | JOULIE_NODE_HAS_SPEC_READ_TIMEOUT | JOULIE_NODE_HAS_STALENESS | \
     JOULIE_NODE_HAS_MAX_AGE)
#define READING_BITS (JOULIE_READING_HAS_LIMIT | JOULIE_READING_HAS_ORIGINAL)

_Static_assert(sizeof(struct joulie_node_options) ==
                   offsetof(struct joulie_node_options, reserved) + sizeof(uint32_t),
               "no tail padding");
_Static_assert(sizeof(struct joulie_node_reading) == READING_SIZE_0_1, "no tail padding");
_Static_assert(sizeof(struct joulie_node_write) == WRITE_SIZE_0_1, "no tail padding");
_Static_assert(sizeof(enum joulie_node_outcome) == 4, "enums of public structs have four bytes");

/* ---- what the files of the door share ---- */

int jl_door_return(int code, const struct joulie_error *full, struct joulie_error *err)
{
    if (code < 0)
        jl_error_export(full, err);
    return code;
}

int jl_door_fail_abi(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_ABI, "",
                   "struct_size is impossible, or a field of a newer release is set");
}

int jl_door_check_text(const char *text, const char *where, struct joulie_error *err)
{
    if (text == NULL || jl_utf8_valid(text, strlen(text)))
        return 0;
    return jl_fail(err, JOULIE_E_PARSE, where, "the text is not UTF-8");
}

int jl_door_kind(enum joulie_node_kind kind, enum jl_node_kind *out, struct joulie_error *err)
{
    switch (kind) {
    case JOULIE_NODE_KIND_PACKAGE:
        *out = JL_NODE_CPU;
        return 0;
    case JOULIE_NODE_KIND_GPU:
        *out = JL_NODE_GPU;
        return 0;
    case JOULIE_NODE_KIND_UNKNOWN:
    default:
        break;
    }
    return jl_fail(err, JOULIE_E_ENUM, "kind", "there is no such kind of part");
}

/* ---- options ---- */

static int take_time(bool is_set, int64_t ms, const char *where, int64_t *out,
                     struct joulie_error *err)
{
    if (!is_set)
        return 0;
    if (ms < 0)
        return jl_fail(err, JOULIE_E_RANGE, where, "a time is not negative");
    *out = ms;
    return 0;
}

static int take_times(const struct joulie_node_options *options, struct jl_node_config *out,
                      struct joulie_error *err)
{
    const struct {
        uint64_t bit;
        int64_t ms;
        const char *where;
        int64_t *out;
    } times[] = {
        { JOULIE_NODE_HAS_SPEC_READ_TIMEOUT, options->spec_read_timeout_ms, "spec_read_timeout_ms",
          &out->spec_read_timeout_ms },
        { JOULIE_NODE_HAS_STALENESS, options->staleness_ms, "staleness_ms",
          &out->freshness.staleness_ms },
        { JOULIE_NODE_HAS_MAX_AGE, options->max_age_ms, "max_age_ms", &out->freshness.max_age_ms },
    };

    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(times) && rc == 0; i++)
        rc = take_time((options->has & times[i].bit) != 0, times[i].ms, times[i].where,
                       times[i].out, err);
    return rc;
}

/* NULL leaves the default. */
static int take_text(struct jl_arena *texts, const char *text, const char *where, const char **out,
                     struct joulie_error *err)
{
    const int rc = jl_door_check_text(text, where, err);
    if (rc < 0 || text == NULL)
        return rc;
    *out = jl_arena_string(texts, text);
    return *out != NULL ? 0 : jl_fail_memory(err);
}

static int set_up(struct joulie_node *node, const struct joulie_node_options *theirs,
                  struct joulie_error *err)
{
    struct joulie_node_options ours = { .struct_size = sizeof ours };
    struct jl_node_config *config = &node->config;
    jl_node_defaults(config);
    if (theirs != NULL && (jl_sized_check(theirs, OPTIONS_SIZE_0_1) < 0 ||
                           jl_sized_read(&ours, sizeof ours, theirs) < 0 ||
                           (ours.has & ~OPTIONS_BITS) != 0 || ours.reserved != 0))
        return jl_door_fail_abi(err);
    node->is_remote_gpu = ours.is_remote_gpu != 0;
    node->is_remote_cpu = ours.is_remote_cpu != 0;
    config->mode = ours.enforces != 0 ? JL_NODE_ENFORCE : JL_NODE_OBSERVE;
    if (ours.has & JOULIE_NODE_HAS_FLOOR) {
        if (!(ours.floor_pct >= 0 && ours.floor_pct <= 100))
            return jl_fail(err, JOULIE_E_RANGE, "floor_pct", "0 to 100 was expected");
        config->floor_pct = ours.floor_pct;
    }
    int rc = take_times(&ours, config, err);
    if (rc == 0)
        rc = take_text(&node->texts, ours.cpu_backend, "cpu_backend", &config->cpu_backend, err);
    if (rc == 0)
        rc = take_text(&node->texts, ours.gpu_backend, "gpu_backend", &config->gpu_backend, err);
    return rc;
}

int joulie_node_new(const struct joulie_node_options *options, struct joulie_node **out,
                    struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct joulie_node *node = jl_calloc(1, sizeof *node);
    if (node == NULL)
        return jl_door_return(jl_fail_memory(&full), &full, err);
    node->messages.limit = MESSAGE_BYTES;
    const int rc = set_up(node, options, &full);
    if (rc < 0)
        joulie_node_free(node);
    else
        *out = node;
    return jl_door_return(rc, &full, err);
}

void joulie_node_free(struct joulie_node *node)
{
    if (node == NULL)
        return;
    jl_door_clear_parts(&node->parts);
    jl_door_clear_twin(&node->twin);
    jl_arena_clear(&node->messages);
    jl_arena_clear(&node->texts);
    jl_free(node);
}

void joulie_node_heartbeat(struct joulie_node *node, int64_t at_ms)
{
    if (!jl_is_instant(at_ms))
        return;
    node->config.freshness.has_heartbeat = true;
    node->config.freshness.heartbeat_ms = at_ms;
}

/* ---- readings ---- */

static int outcome_of(enum joulie_node_outcome outcome, enum jl_node_outcome *out,
                      struct joulie_error *err)
{
    switch (outcome) {
    case JOULIE_NODE_OUTCOME_UNKNOWN:
        *out = JL_OUTCOME_NOT_TRIED;
        return 0;
    case JOULIE_NODE_OUTCOME_WRITTEN:
        *out = JL_OUTCOME_WRITTEN;
        return 0;
    case JOULIE_NODE_OUTCOME_REFUSED:
        *out = JL_OUTCOME_REFUSED;
        return 0;
    case JOULIE_NODE_OUTCOME_FAILED:
        *out = JL_OUTCOME_ERROR;
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
    enum jl_node_kind kind;
    const int rc = jl_door_kind(reading->kind, &kind, err);
    if (rc < 0)
        return rc;
    *out = jl_door_find(&node->parts, kind, reading->index, reading->id);
    if (*out < node->parts.count)
        return 0;
    return jl_fail(err, JOULIE_E_REQUIRED, kind == JL_NODE_CPU ? "index" : "id",
                   "the node has no such part");
}

static int read_reading(struct joulie_node *node, const struct joulie_node_reading *theirs,
                        size_t *out_part, struct joulie_node_reading *ours,
                        struct joulie_error *err)
{
    if (jl_sized_check(theirs, READING_SIZE_0_1) < 0 ||
        jl_sized_read(ours, sizeof *ours, theirs) < 0 || (ours->has & ~READING_BITS) != 0 ||
        ours->reserved != 0)
        return jl_door_fail_abi(err);
    int rc = find_part(node, ours, out_part, err);
    if (rc == 0)
        rc =
            check_watts((ours->has & JOULIE_READING_HAS_LIMIT) != 0, ours->limit_w, "limit_w", err);
    if (rc == 0)
        rc = check_watts((ours->has & JOULIE_READING_HAS_ORIGINAL) != 0, ours->original_w,
                         "original_w", err);
    return rc == 0 ? jl_door_check_text(ours->message, "message", err) : rc;
}

static int take_reading(struct joulie_node *node, const struct joulie_node_reading *theirs,
                        struct joulie_error *err)
{
    struct joulie_node_reading ours;
    struct jl_node_reading reading = { .limit_w = 0 };
    size_t place = 0;
    int rc = read_reading(node, theirs, &place, &ours, err);
    if (rc == 0)
        rc = outcome_of(ours.outcome, &reading.outcome, err);
    if (rc < 0)
        return rc;
    reading.message = jl_arena_string(&node->messages, ours.message);
    if (ours.message != NULL && reading.message == NULL)
        return node->messages.is_over_limit
                   ? jl_fail(err, JOULIE_E_LIMIT, "message", "too many messages in one step")
                   : jl_fail_memory(err);
    reading.has_limit = (ours.has & JOULIE_READING_HAS_LIMIT) != 0;
    reading.limit_w = ours.limit_w;
    reading.is_unseen = ours.is_unseen != 0;
    node->parts.readings[place] = reading;
    struct jl_node_part *part = &node->parts.parts[place];
    part->has_current = reading.has_limit;
    part->current_w = ours.limit_w;
    part->is_ours = (ours.has & JOULIE_READING_HAS_ORIGINAL) != 0;
    part->original_w = ours.original_w;
    return 0;
}

int joulie_node_put_reading(struct joulie_node *node, const struct joulie_node_reading *reading,
                            struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(take_reading(node, reading, &full), &full, err);
}

/* ---- steps ---- */

/* What was read before a step is what the report of it starts from. */
static void start_readings(struct joulie_node *node)
{
    jl_arena_reset(&node->messages);
    for (size_t i = 0; i < node->parts.count; i++) {
        const struct jl_node_part *part = &node->parts.parts[i];
        node->parts.readings[i] =
            (struct jl_node_reading){ .has_limit = part->has_current, .limit_w = part->current_w };
    }
}

int joulie_node_step(struct joulie_node *node, int64_t now_ms, size_t *out_count,
                     struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    const struct jl_door_parts *parts = &node->parts;
    if (!jl_is_instant(now_ms))
        return jl_door_return(
            jl_fail(&full, JOULIE_E_RANGE, "now_ms", "a time within the years 0 to 9999"), &full,
            err);
    start_readings(node);
    node->last = (struct jl_node_input){ .spec = node->twin.spec,
                                         .last_updated = node->twin.last_updated,
                                         .parts = parts->parts,
                                         .part_count = parts->count,
                                         .now_ms = now_ms };
    node->write_count =
        jl_node_step(&node->config, &node->last, &node->memory, parts->wants, parts->order);
    node->has_step = true;
    *out_count = node->write_count;
    return JOULIE_OK;
}

static int write_at(const struct joulie_node *node, size_t index, struct joulie_node_write *theirs,
                    struct joulie_error *err)
{
    if (jl_sized_check(theirs, WRITE_SIZE_0_1) < 0)
        return jl_door_fail_abi(err);
    if (index >= node->write_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "the last step had fewer writes");
    const size_t place = node->parts.order[index];
    const struct jl_node_part *part = &node->parts.parts[place];
    const struct jl_node_want *want = &node->parts.wants[place];
    const struct joulie_node_write ours = {
        .index = part->index,
        .id = part->id != NULL ? part->id : "",
        .limit_w = want->target_w,
        .power_limit_uw = jl_cap_power_limit_uw(want->target_w, 0), /* it is in steps already */
        .kind = part->kind == JL_NODE_CPU ? JOULIE_NODE_KIND_PACKAGE : JOULIE_NODE_KIND_GPU,
        .is_restore = want->write == JL_WRITE_ORIGINAL,
    };
    jl_sized_write(theirs, &ours, sizeof ours);
    return 0;
}

int joulie_node_write_at(struct joulie_node *node, size_t index, struct joulie_node_write *out,
                         struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(write_at(node, index, out, &full), &full, err);
}

static int report(const struct joulie_node *node, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    struct jl_control_status status = { 0 };
    if (!node->has_step)
        return jl_fail(err, JOULIE_E_CONFLICT, "",
                       "there was no step since the parts or the twin changed");
    if (jl_node_report(&node->config, &node->last, node->parts.wants, node->parts.readings, &arena,
                       &status) < 0)
        return jl_fail_memory(err); /* the arena has no limit */
    jl_encode(&buffer, &jl_control_status_table, &status);
    char *text = jl_buffer_take(&buffer);
    if (text == NULL)
        return jl_fail_memory(err);
    *json = text;
    return 0;
}

int joulie_node_report(struct joulie_node *node, char **json, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(report(node, json, &full), &full, err);
}
