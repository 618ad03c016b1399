/* SPDX-License-Identifier: Apache-2.0 */

/* The step: desired state and readings become limits to be written, in order
 * (docs/rules/node-agent.md#step). Called by joulie_node_step() and by enforce/tick.c. */

#include <string.h>

#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "node/handle.h"

#define CPU_TOLERANCE_W 0.125 /* the usual power unit, for packages whose own is not known */
#define GPU_TOLERANCE_W 0.5   /* drivers that round to whole watts */
#define UW_PER_W 1e6
#define MW_PER_W 1e3

void jl_node_defaults(struct jl_node_config *config)
{
    *config = (struct jl_node_config){
        .mode = JL_NODE_OBSERVE,
        .floor_pct = JL_CAP_FLOOR_PCT,
        .spec_read_timeout_ms = JL_SPEC_READ_TIMEOUT_MS,
        .freshness = { .staleness_ms = JL_TWIN_STALENESS_MS, .max_age_ms = JL_TWIN_MAX_AGE_MS },
        .cpu_backend = "rapl",
        .gpu_backend = "none",
    };
}

/* The catalog tells the maximum of a package; its lowest TDP is no lower bound of a limit, and
 * watts that were guessed from a number of cores are good for a prediction only. */
struct jl_part jl_node_remote_cpu(const struct jl_hardware *hardware)
{
    const bool is_told = hardware->cpu_max_source == JL_FACT_HARDWARE;
    const bool is_known = is_told || hardware->cpu_max_source == JL_FACT_CATALOG;
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_PACKAGE,
        .id = "remote",
        .limits = { .min_w = is_told ? hardware->cpu_min_w : 0,
                    .max_w = is_known ? hardware->cpu_max_w : 0 },
        .packages = hardware->sockets,
        .is_controllable = true,
    };
}

struct jl_part jl_node_remote_gpu(const struct jl_hardware *hardware)
{
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_GPU,
        .id = "remote",
        .limits = { .min_w = hardware->gpu_min_w, .max_w = hardware->gpu_max_w },
        .is_controllable = true,
    };
}

static double packages_of(const struct jl_part *part)
{
    return part->packages > 0 ? part->packages : 1;
}

/* Two limits that the hardware cannot tell apart are equal; else a cap would be written in every
 * step. */
static double tolerance_of(const struct jl_part *part)
{
    if (part->kind == JOULIE_NODE_KIND_GPU)
        return GPU_TOLERANCE_W;
    const double unit_w =
        part->limits.power_unit_w > 0 ? part->limits.power_unit_w : CPU_TOLERANCE_W;
    return unit_w * packages_of(part);
}

static bool is_close(double a, double b, double tolerance)
{
    return a - b <= tolerance && b - a <= tolerance;
}

static bool is_fresh(const struct jl_node_config *config, const struct jl_node_input *in,
                     struct jl_node_memory *memory)
{
    struct jl_freshness rule = config->freshness;
    int64_t updated_ms = 0;
    if (rule.has_heartbeat) {
        jl_stamp_see(&memory->heartbeat, rule.heartbeat_ms, &in->wall);
        rule.heartbeat_ms = memory->heartbeat.at_ms;
    }
    if (in->last_updated == NULL ||
        jl_parse_time(in->last_updated, strlen(in->last_updated), &updated_ms) < 0)
        return false;
    jl_stamp_see(&memory->updated, updated_ms, &in->wall);
    return memory->updated.at_ms >= jl_fresh_from_ms(&rule, in->now_ms);
}

/* docs/rules/node-agent.md#staleness: a spec that nobody stands behind any more is believed for a
 * while. */
static bool is_given_up(const struct jl_node_config *config, const struct jl_node_input *in,
                        struct jl_node_memory *memory)
{
    const bool is_good = is_fresh(config, in, memory) || in->is_vouched;
    if (in->spec == NULL || (is_good && !in->is_unread)) {
        memory->is_stale = false;
        return false;
    }
    if (!memory->is_stale || in->now_ms < memory->stale_since_ms) /* it may go back */
        memory->stale_since_ms = in->now_ms;
    memory->is_stale = true;
    return in->now_ms - memory->stale_since_ms > config->spec_read_timeout_ms;
}

/* Watts of the part as the hardware takes them, in its steps. */
static double limit_w(const struct jl_part *part, const struct jl_cap *cap)
{
    if (part->kind == JOULIE_NODE_KIND_GPU)
        return (double)jl_cap_power_limit_mw(cap->cap_w) / MW_PER_W;
    return (double)cap->power_limit_uw / UW_PER_W * packages_of(part);
}

/* Only what we changed is given back; a limit that somebody else set is theirs. */
static void want_original(const struct jl_part *part, enum jl_node_reason reason,
                          struct jl_part_want *out)
{
    *out = (struct jl_part_want){ .reason = reason,
                                  .cap = out->cap,
                                  .tolerance_w = tolerance_of(part) };
    if (!part->is_ours)
        return;
    out->write = JL_WRITE_ORIGINAL;
    out->target_w = part->original_w;
}

/* A request that cannot be resolved is as none: what was there before is safer than a cap of
 * another request. */
static void want_cap(const struct jl_node_config *config, const struct jl_part *part,
                     const struct joulie_caps_intent *intent, struct jl_part_want *out)
{
    *out = (struct jl_part_want){ 0 };
    out->cap = jl_cap_resolve(intent, &part->limits,
                              part->kind == JOULIE_NODE_KIND_PACKAGE ? config->floor_pct : 0);
    if (out->cap.block == JOULIE_CAP_BLOCK_NO_INTENT) {
        want_original(part, JL_REASON_NO_INTENT, out);
    } else if (out->cap.block != JOULIE_CAP_BLOCK_NONE) {
        want_original(part, JL_REASON_BLOCKED, out);
    } else if (!part->is_controllable) {
        out->reason = JL_REASON_NO_CONTROL;
    } else {
        out->reason = JL_REASON_CAP;
        out->tolerance_w = tolerance_of(part);
        out->target_w = limit_w(part, &out->cap);
        const bool is_there =
            part->has_current && is_close(part->current_w, out->target_w, out->tolerance_w);
        out->write = is_there ? JL_WRITE_NOTHING : JL_WRITE_CAP;
    }
}

/* A limit that cannot be compared may be a raise: it waits until the others are lower. */
static bool is_lowering(const struct jl_part *part, const struct jl_part_want *want)
{
    return part->has_current && want->target_w < part->current_w;
}

/* Two passes over a list that is short: lowering, then everything else, each in the order of parts.
 */
static size_t put_in_order(const struct jl_node_input *in, const struct jl_part_want *wants,
                           size_t *order)
{
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < in->part_count; i++) {
            if (wants[i].write != JL_WRITE_NOTHING &&
                is_lowering(&in->parts[i], &wants[i]) == (pass == 0))
                order[count++] = i;
        }
    }
    return count;
}

size_t jl_node_step(const struct jl_node_config *config, const struct jl_node_input *in,
                    struct jl_node_memory *memory, struct jl_part_want *wants, size_t *order)
{
    const bool is_stale = is_given_up(config, in, memory);
    const struct jl_twin_spec *spec = in->spec;
    for (size_t i = 0; i < in->part_count; i++) {
        const struct jl_part *part = &in->parts[i];
        wants[i] = (struct jl_part_want){ .reason = JL_REASON_OBSERVING };
        if (config->mode == JL_NODE_OBSERVE)
            continue;
        if (spec == NULL || is_stale) {
            want_original(part, spec == NULL ? JL_REASON_NO_SPEC : JL_REASON_STALE_SPEC, &wants[i]);
            continue;
        }
        const struct joulie_caps_intent intent = part->kind == JOULIE_NODE_KIND_PACKAGE
                                                     ? jl_cap_intent_cpu(spec)
                                                     : jl_cap_intent_gpu(spec);
        want_cap(config, part, &intent, &wants[i]);
    }
    return put_in_order(in, wants, order);
}

/* ---- joulie_node_step() ---- */

/* What was read before a step is what the report of it starts from. */
static void start_readings(struct joulie_node *node)
{
    jl_arena_reset(&node->messages);
    for (size_t i = 0; i < node->parts.count; i++) {
        const struct jl_part *part = &node->parts.items[i];
        node->parts.readings[i] =
            (struct jl_part_reading){ .has_limit = part->has_current, .limit_w = part->current_w };
    }
}

int joulie_node_step(struct joulie_node *node, int64_t now_ms, size_t *out_count,
                     struct joulie_error *err)
{
    const struct jl_parts *parts = &node->parts;
    if (!jl_is_instant(now_ms))
        return jl_fail(err, JOULIE_E_RANGE, "now_ms", "a time within the years 0 to 9999");
    start_readings(node);
    node->last = (struct jl_node_input){ .spec = node->twin.spec,
                                         .last_updated = node->twin.last_updated,
                                         .parts = parts->items,
                                         .part_count = parts->count,
                                         .now_ms = now_ms,
                                         .wall = node->wall };
    node->last.wall.wall_ms = jl_wall_at(&node->wall, now_ms);
    node->last.wall.now_ms = now_ms;
    node->write_count =
        jl_node_step(&node->config, &node->last, &node->memory, parts->wants, parts->order);
    node->has_step = true;
    *out_count = node->write_count;
    return JOULIE_OK;
}

int joulie_node_write_at(struct joulie_node *node, size_t index, struct joulie_node_write *out,
                         struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (index >= node->write_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "the last step had fewer writes");
    const size_t at = node->parts.order[index];
    const struct jl_part *part = &node->parts.items[at];
    const struct jl_part_want *want = &node->parts.wants[at];
    const struct joulie_node_write ours = {
        .index = part->index,
        .id = part->id != NULL ? part->id : "",
        .limit_w = want->target_w,
        .power_limit_uw = jl_cap_power_limit_uw(want->target_w, 0), /* it is in steps already */
        .kind = part->kind,
        .is_restore = want->write == JL_WRITE_ORIGINAL,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}
