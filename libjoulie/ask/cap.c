/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cap.resolve: the limit of each CPU package and GPU that a NodeTwin asks for
 * (docs/rules/caps.md#resolution).
 */
#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "caps/caps.h"

#define RECORD package_in
#define MEMBERS                                                                     \
    NUMBER(min_w, "minW", "Lowest limit, W; absent or 0 = unknown.", NOT_NEGATIVE)  \
    NUMBER(max_w, "maxW", "Highest limit, W; absent or 0 = unknown.", NOT_NEGATIVE) \
    NUMBER(power_unit_w, "powerUnitW", "Smallest step of the limit, W.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD gpu_in
#define MEMBERS                                                                     \
    STRING(uuid, "uuid", "Name of the device, copied.")                             \
    NUMBER(min_w, "minW", "Lowest limit, W; absent or 0 = unknown.", NOT_NEGATIVE)  \
    NUMBER(max_w, "maxW", "Highest limit, W; absent or 0 = unknown.", NOT_NEGATIVE) \
    NUMBER(default_w, "defaultW", "Limit after power-on, W; not used here.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD cap_host
#define MEMBERS                                             \
    LIST(packages, "packages", package_in, "CPU packages.") \
    LIST(gpus, "gpus", gpu_in, "GPUs.")
#include "schema/record.h"

#define RECORD cap_resolve_in
#define MEMBERS                                                                    \
    WHOLE(twin, "spec", jl_node_twin, "spec", "A NodeTwin or its spec.", REQUIRED) \
    OBJECT(host, "host", cap_host, "What the machine can do.", REQUIRED)           \
    NUMBER(floor_pct, "floorPct",                                                  \
           "Lowest package cap in percent of its maximum (30); 0 disables.", BETWEEN(0, 100))
#include "schema/record.h"

#define RECORD cap_package
#define MEMBERS                                                                                   \
    INTEGER(index, "index", "Place in the input, from 0.")                                        \
    NUMBER(requested_w, "requestedW", "Watts asked for.")                                         \
    NUMBER(cap_w, "capW", "Watts to set; absent when blocked.")                                   \
    INTEGER(power_limit_uw, "powerLimitUw", "Microwatts to write, a multiple of the unit.")       \
    ENUM(clamp, "clamp", joulie_cap_clamp, jl_cap_clamp_words, "Bound that changed the request.") \
    ENUM(result, "result", joulie_control_result, jl_control_result_words,                        \
         "applied (resolved) or blocked.")                                                        \
    STRING(message, "message", "Why it is blocked.")
#include "schema/record.h"

#define RECORD cap_gpu
#define MEMBERS                                                                                   \
    STRING(uuid, "uuid", "Name of the device.")                                                   \
    NUMBER(requested_w, "requestedW", "Watts asked for.")                                         \
    NUMBER(cap_w, "capW", "Watts to set; absent when blocked.")                                   \
    ENUM(clamp, "clamp", joulie_cap_clamp, jl_cap_clamp_words, "Bound that changed the request.") \
    ENUM(result, "result", joulie_control_result, jl_control_result_words,                        \
         "applied (resolved) or blocked.")                                                        \
    STRING(message, "message", "Why it is blocked.")
#include "schema/record.h"

#define RECORD cap_resolve_out
#define MEMBERS                                                             \
    LIST(packages, "packages", cap_package, "CPU packages in input order.") \
    LIST(gpus, "gpus", cap_gpu, "GPUs in input order.")
#include "schema/record.h"

/* Room for the limits, caps and answers of one kind of device. */
struct work {
    struct jl_cap_limits *limits;
    struct jl_cap *caps;
};

static int make_room(struct jl_ask *ask, size_t count, struct work *out)
{
    out->limits = JL_NEW_ARRAY(ask->arena, count, struct jl_cap_limits);
    out->caps = JL_NEW_ARRAY(ask->arena, count, struct jl_cap);
    if (out->limits == NULL || out->caps == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

static int put_package(struct jl_ask *ask, const struct jl_cap *cap, size_t index,
                       struct cap_package *part)
{
    JL_SET(part, index, (int64_t)index);
    JL_SET(part, result, JOULIE_CONTROL_APPLIED);
    JL_SET_IF(part, requested_w, cap->has_requested, cap->requested_w);
    if (cap->block != JOULIE_CAP_BLOCK_NONE) {
        part->result = JOULIE_CONTROL_BLOCKED;
        JL_SET(part, message, jl_cap_message(cap, ask->arena));
        return part->message != NULL ? 0 : jl_fail_memory(ask->err);
    }
    JL_SET(part, cap_w, cap->cap_w);
    JL_SET(part, power_limit_uw, (int64_t)cap->power_limit_uw);
    JL_SET_IF(part, clamp, cap->clamp != JOULIE_CAP_CLAMP_NONE, cap->clamp);
    return 0;
}

static int put_gpu(struct jl_ask *ask, const struct jl_cap *cap, const struct gpu_in *gpu,
                   struct cap_gpu *part)
{
    JL_SET_IF(part, uuid, gpu->given.uuid, gpu->uuid);
    JL_SET(part, result, JOULIE_CONTROL_APPLIED);
    JL_SET_IF(part, requested_w, cap->has_requested, cap->requested_w);
    if (cap->block != JOULIE_CAP_BLOCK_NONE) {
        part->result = JOULIE_CONTROL_BLOCKED;
        JL_SET(part, message, jl_cap_message(cap, ask->arena));
        return part->message != NULL ? 0 : jl_fail_memory(ask->err);
    }
    JL_SET(part, cap_w, cap->cap_w);
    JL_SET_IF(part, clamp, cap->clamp != JOULIE_CAP_CLAMP_NONE, cap->clamp);
    return 0;
}

static int answer_packages(struct jl_ask *ask, const struct cap_resolve_in *input,
                           enum joulie_caps_rules rules, struct cap_resolve_out *result)
{
    const struct jl_list *packages = &input->host.packages;
    struct joulie_caps_intent intent = jl_cap_intent_cpu(&input->twin.spec);
    intent.rules = rules;
    intent.has |= input->given.floor_pct ? JOULIE_CAPS_HAS_FLOOR : 0;
    intent.floor_pct = input->floor_pct;
    struct work work;
    struct cap_package *parts =
        JL_NEW_LIST(ask, result, packages, packages->count, struct cap_package);
    int rc = parts == NULL ? jl_fail_memory(ask->err) : make_room(ask, packages->count, &work);
    for (size_t i = 0; rc == 0 && i < packages->count; i++) {
        const struct package_in *package = JL_ITEM(*packages, package_in, i);
        work.limits[i] =
            (struct jl_cap_limits){ package->min_w, package->max_w, package->power_unit_w };
    }
    if (rc == 0)
        jl_caps_resolve(&intent, work.limits, packages->count, work.caps);
    for (size_t i = 0; rc == 0 && i < packages->count; i++)
        rc = put_package(ask, &work.caps[i], i, &parts[i]);
    return rc;
}

static int answer_gpus(struct jl_ask *ask, const struct cap_resolve_in *input,
                       enum joulie_caps_rules rules, struct cap_resolve_out *result)
{
    const struct jl_list *gpus = &input->host.gpus;
    struct joulie_caps_intent intent = jl_cap_intent_gpu(&input->twin.spec);
    intent.rules = rules;
    struct work work;
    struct cap_gpu *parts = JL_NEW_LIST(ask, result, gpus, gpus->count, struct cap_gpu);
    int rc = parts == NULL ? jl_fail_memory(ask->err) : make_room(ask, gpus->count, &work);
    for (size_t i = 0; rc == 0 && i < gpus->count; i++) {
        const struct gpu_in *gpu = JL_ITEM(*gpus, gpu_in, i);
        work.limits[i] = (struct jl_cap_limits){ .min_w = gpu->min_w, .max_w = gpu->max_w };
    }
    if (rc == 0)
        jl_caps_resolve(&intent, work.limits, gpus->count, work.caps);
    for (size_t i = 0; rc == 0 && i < gpus->count; i++)
        rc = put_gpu(ask, &work.caps[i], JL_ITEM(*gpus, gpu_in, i), &parts[i]);
    return rc;
}

static int answer_cap_resolve(struct jl_ask *ask, const struct cap_resolve_in *in,
                              struct cap_resolve_out *out)
{
    const enum joulie_caps_rules rules =
        jl_is_current(ask) ? JOULIE_CAPS_RULES_CURRENT : JOULIE_CAPS_RULES_V0_1_1;
    const int rc = answer_packages(ask, in, rules, out);
    return rc < 0 ? rc : answer_gpus(ask, in, rules, out);
}

JL_QUESTION(cap_resolve, "cap.resolve",
            "Turn a node's cap intent into the limit of each CPU package and GPU",
            JL_MODELS("current", "v0.1.1"), .flags = JL_SOURCE_UNCHECKED);
