/* SPDX-License-Identifier: Apache-2.0 */
/* cap.resolve: the limit of each CPU package and GPU that a NodeTwin asks for (cli.md §2,
 * joulie-node-agent.md §6.2, §8.3). */
#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "caps/caps.h"

struct package_in {
    uint64_t has;
    double min_w;
    double max_w;
    double power_unit_w;
};

enum { PACKAGE_IN_MIN, PACKAGE_IN_MAX, PACKAGE_IN_UNIT };

struct gpu_in {
    uint64_t has;
    const char *uuid;
    double min_w;
    double max_w;
    double default_w;
};

enum { GPU_IN_UUID, GPU_IN_MIN, GPU_IN_MAX, GPU_IN_DEFAULT };

struct cap_host {
    uint64_t has;
    struct jl_list packages; /* struct package_in */
    struct jl_list gpus;     /* struct gpu_in */
};

enum { HOST_PACKAGES, HOST_GPUS };

struct cap_in {
    uint64_t has;
    struct jl_node_twin twin;
    struct cap_host host;
    double floor_pct;
};

enum { IN_SPEC, IN_HOST, IN_FLOOR };

/* A package or a GPU; each kind has its own table. */
struct cap_part {
    uint64_t has;
    int64_t index;
    const char *uuid;
    double requested_w;
    double cap_w;
    int64_t power_limit_uw;
    enum joulie_cap_clamp clamp;
    enum joulie_control_result result;
    const char *message;
};

enum {
    PACKAGE_INDEX,
    PACKAGE_REQUESTED,
    PACKAGE_CAP,
    PACKAGE_LIMIT,
    PACKAGE_CLAMP,
    PACKAGE_RESULT,
    PACKAGE_MESSAGE,
};

enum { GPU_UUID, GPU_REQUESTED, GPU_CAP, GPU_CLAMP, GPU_RESULT, GPU_MESSAGE };

struct cap_out {
    uint64_t has;
    struct jl_list packages; /* struct cap_part */
    struct jl_list gpus;     /* struct cap_part */
};

enum { OUT_PACKAGES, OUT_GPUS };

#define DOC_REQUESTED "Watts asked for."
#define DOC_CAP "Watts to set; absent when blocked."
#define DOC_CLAMP "Bound that changed the request."
#define DOC_RESULT "applied (resolved) or blocked."
#define DOC_MESSAGE "Why it is blocked."

static const struct jl_row package_in_rows[] = {
    [PACKAGE_IN_MIN] = JL_NUMBER(package_in, min_w, "minW", .flags = JL_NOT_NEGATIVE,
                                 .doc = "Lowest limit, W; absent or 0 = unknown."),
    [PACKAGE_IN_MAX] = JL_NUMBER(package_in, max_w, "maxW", .flags = JL_NOT_NEGATIVE,
                                 .doc = "Highest limit, W; absent or 0 = unknown."),
    [PACKAGE_IN_UNIT] = JL_NUMBER(package_in, power_unit_w, "powerUnitW", .flags = JL_NOT_NEGATIVE,
                                  .doc = "Smallest step of the limit, W."),
};
static const struct jl_table package_in_table = JL_TABLE(package_in, package_in_rows);

static const struct jl_row gpu_in_rows[] = {
    [GPU_IN_UUID] = JL_STRING(gpu_in, uuid, "uuid", .doc = "Name of the device, copied."),
    [GPU_IN_MIN] = JL_NUMBER(gpu_in, min_w, "minW", .flags = JL_NOT_NEGATIVE,
                             .doc = "Lowest limit, W; absent or 0 = unknown."),
    [GPU_IN_MAX] = JL_NUMBER(gpu_in, max_w, "maxW", .flags = JL_NOT_NEGATIVE,
                             .doc = "Highest limit, W; absent or 0 = unknown."),
    [GPU_IN_DEFAULT] = JL_NUMBER(gpu_in, default_w, "defaultW", .flags = JL_NOT_NEGATIVE,
                                 .doc = "Limit after power-on, W; not used here."),
};
static const struct jl_table gpu_in_table = JL_TABLE(gpu_in, gpu_in_rows);

static const struct jl_row host_rows[] = {
    [HOST_PACKAGES] =
        JL_LIST(cap_host, packages, "packages", &package_in_table, .doc = "CPU packages."),
    [HOST_GPUS] = JL_LIST(cap_host, gpus, "gpus", &gpu_in_table, .doc = "GPUs."),
};
static const struct jl_table host_table = JL_TABLE(cap_host, host_rows);

static const struct jl_row in_rows[] = {
    [IN_SPEC] = JL_WHOLE(cap_in, twin, "spec", &jl_node_twin_table, "spec", .flags = JL_REQUIRED,
                         .doc = "A NodeTwin or its spec."),
    [IN_HOST] = JL_OBJECT(cap_in, host, "host", &host_table, .flags = JL_REQUIRED,
                          .doc = "What the machine can do."),
    [IN_FLOOR] =
        JL_NUMBER(cap_in, floor_pct, "floorPct", .flags = JL_HAS_MIN | JL_HAS_MAX, .max = 100,
                  .doc = "Lowest package cap in percent of its maximum (30); 0 disables."),
};
static const struct jl_table in_table = JL_TABLE(cap_in, in_rows);

static const struct jl_row package_rows[] = {
    [PACKAGE_INDEX] = JL_INTEGER(cap_part, index, "index", .doc = "Place in the input, from 0."),
    [PACKAGE_REQUESTED] = JL_NUMBER(cap_part, requested_w, "requestedW", .doc = DOC_REQUESTED),
    [PACKAGE_CAP] = JL_NUMBER(cap_part, cap_w, "capW", .doc = DOC_CAP),
    [PACKAGE_LIMIT] = JL_INTEGER(cap_part, power_limit_uw, "powerLimitUw",
                                 .doc = "Microwatts to write, a multiple of the unit."),
    [PACKAGE_CLAMP] = JL_ENUM(cap_part, clamp, "clamp", &jl_cap_clamp_words, .doc = DOC_CLAMP),
    [PACKAGE_RESULT] =
        JL_ENUM(cap_part, result, "result", &jl_control_result_words, .doc = DOC_RESULT),
    [PACKAGE_MESSAGE] = JL_STRING(cap_part, message, "message", .doc = DOC_MESSAGE),
};
static const struct jl_table package_table = JL_TABLE(cap_part, package_rows);

static const struct jl_row gpu_rows[] = {
    [GPU_UUID] = JL_STRING(cap_part, uuid, "uuid", .doc = "Name of the device."),
    [GPU_REQUESTED] = JL_NUMBER(cap_part, requested_w, "requestedW", .doc = DOC_REQUESTED),
    [GPU_CAP] = JL_NUMBER(cap_part, cap_w, "capW", .doc = DOC_CAP),
    [GPU_CLAMP] = JL_ENUM(cap_part, clamp, "clamp", &jl_cap_clamp_words, .doc = DOC_CLAMP),
    [GPU_RESULT] = JL_ENUM(cap_part, result, "result", &jl_control_result_words, .doc = DOC_RESULT),
    [GPU_MESSAGE] = JL_STRING(cap_part, message, "message", .doc = DOC_MESSAGE),
};
static const struct jl_table gpu_table = JL_TABLE(cap_part, gpu_rows);

static const struct jl_row out_rows[] = {
    [OUT_PACKAGES] = JL_LIST(cap_out, packages, "packages", &package_table,
                             .doc = "CPU packages in input order."),
    [OUT_GPUS] = JL_LIST(cap_out, gpus, "gpus", &gpu_table, .doc = "GPUs in input order."),
};
static const struct jl_table out_table = JL_TABLE(cap_out, out_rows);

/* Room for the limits, caps and answers of one kind of device. */
struct work {
    struct jl_cap_limits *limits;
    struct jl_cap *caps;
    struct cap_part *parts;
};

static int make_room(struct jl_ask *ask, size_t count, struct work *out)
{
    *out = (struct work){ 0 };
    if (count == 0)
        return 0;
    out->limits = JL_NEW_ARRAY(ask->arena, count, struct jl_cap_limits);
    out->caps = JL_NEW_ARRAY(ask->arena, count, struct jl_cap);
    out->parts = JL_NEW_ARRAY(ask->arena, count, struct cap_part);
    if (out->limits == NULL || out->caps == NULL || out->parts == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

static int put_message(struct jl_ask *ask, const struct jl_cap *cap, struct cap_part *part)
{
    part->result = JOULIE_CONTROL_BLOCKED;
    part->message = jl_cap_message(cap, ask->arena);
    return part->message != NULL ? 0 : jl_fail_memory(ask->err);
}

static int put_package(struct jl_ask *ask, const struct jl_cap *cap, size_t index,
                       struct cap_part *part)
{
    JL_PUT(part, PACKAGE_INDEX, index, (int64_t)index);
    JL_PUT(part, PACKAGE_RESULT, result, JOULIE_CONTROL_APPLIED);
    if (cap->has_requested)
        JL_PUT(part, PACKAGE_REQUESTED, requested_w, cap->requested_w);
    if (cap->block != JOULIE_CAP_BLOCK_NONE) {
        JL_MARK(part, PACKAGE_MESSAGE);
        return put_message(ask, cap, part);
    }
    JL_PUT(part, PACKAGE_CAP, cap_w, cap->cap_w);
    JL_PUT(part, PACKAGE_LIMIT, power_limit_uw, (int64_t)cap->power_limit_uw);
    if (cap->clamp != JOULIE_CAP_CLAMP_NONE)
        JL_PUT(part, PACKAGE_CLAMP, clamp, cap->clamp);
    return 0;
}

static int put_gpu(struct jl_ask *ask, const struct jl_cap *cap, const struct gpu_in *gpu,
                   struct cap_part *part)
{
    if (JL_HAS(gpu, GPU_IN_UUID))
        JL_PUT(part, GPU_UUID, uuid, gpu->uuid);
    JL_PUT(part, GPU_RESULT, result, JOULIE_CONTROL_APPLIED);
    if (cap->has_requested)
        JL_PUT(part, GPU_REQUESTED, requested_w, cap->requested_w);
    if (cap->block != JOULIE_CAP_BLOCK_NONE) {
        JL_MARK(part, GPU_MESSAGE);
        return put_message(ask, cap, part);
    }
    JL_PUT(part, GPU_CAP, cap_w, cap->cap_w);
    if (cap->clamp != JOULIE_CAP_CLAMP_NONE)
        JL_PUT(part, GPU_CLAMP, clamp, cap->clamp);
    return 0;
}

static int answer_packages(struct jl_ask *ask, const struct cap_in *input,
                           enum joulie_caps_rules rules, struct cap_out *result)
{
    const struct jl_list *packages = &input->host.packages;
    struct joulie_caps_intent intent = jl_cap_intent_cpu(&input->twin.spec);
    intent.rules = rules;
    intent.has |= JL_HAS(input, IN_FLOOR) ? JOULIE_CAPS_HAS_FLOOR : 0;
    intent.floor_pct = input->floor_pct;
    struct work work;
    int rc = make_room(ask, packages->count, &work);
    for (size_t i = 0; rc == 0 && i < packages->count; i++) {
        const struct package_in *package = JL_ITEM(*packages, package_in, i);
        work.limits[i] =
            (struct jl_cap_limits){ package->min_w, package->max_w, package->power_unit_w };
    }
    if (rc == 0)
        jl_caps_resolve(&intent, work.limits, packages->count, work.caps);
    for (size_t i = 0; rc == 0 && i < packages->count; i++)
        rc = put_package(ask, &work.caps[i], i, &work.parts[i]);
    JL_PUT(result, OUT_PACKAGES, packages, ((struct jl_list){ work.parts, packages->count }));
    return rc;
}

static int answer_gpus(struct jl_ask *ask, const struct cap_in *input, enum joulie_caps_rules rules,
                       struct cap_out *result)
{
    const struct jl_list *gpus = &input->host.gpus;
    struct joulie_caps_intent intent = jl_cap_intent_gpu(&input->twin.spec);
    intent.rules = rules;
    struct work work;
    int rc = make_room(ask, gpus->count, &work);
    for (size_t i = 0; rc == 0 && i < gpus->count; i++) {
        const struct gpu_in *gpu = JL_ITEM(*gpus, gpu_in, i);
        work.limits[i] = (struct jl_cap_limits){ .min_w = gpu->min_w, .max_w = gpu->max_w };
    }
    if (rc == 0)
        jl_caps_resolve(&intent, work.limits, gpus->count, work.caps);
    for (size_t i = 0; rc == 0 && i < gpus->count; i++)
        rc = put_gpu(ask, &work.caps[i], JL_ITEM(*gpus, gpu_in, i), &work.parts[i]);
    JL_PUT(result, OUT_GPUS, gpus, ((struct jl_list){ work.parts, gpus->count }));
    return rc;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const enum joulie_caps_rules rules =
        jl_is_current(ask) ? JOULIE_CAPS_RULES_CURRENT : JOULIE_CAPS_RULES_V0_1_1;
    const int rc = answer_packages(ask, in, rules, out);
    return rc < 0 ? rc : answer_gpus(ask, in, rules, out);
}

static const char *const models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_cap_resolve = {
    .name = "cap.resolve",
    .summary = "Turn a node's cap intent into the limit of each CPU package and GPU",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .flags = JL_SOURCE_UNCHECKED,
    .answer = answer,
};
