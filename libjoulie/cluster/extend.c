/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_cluster_extend(): one request of kube-scheduler's extender protocol in, one answer out.
 * Filter and scores are those of docs/rules/placement.md; the text is read by extender_read.c. */

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/candidates.h"
#include "cluster/extender.h"
#include "cluster/state.h"

struct call {
    struct joulie_cluster *cluster;
    struct joulie_extender_options options;
    struct jl_arena arena;
    struct jl_decode decode;
    struct jl_extender_request request;
    struct jl_buffer reply;
    struct joulie_extender_result result;
};

static void clear(struct call *call)
{
    jl_extender_clear(&call->request);
    jl_buffer_clear(&call->reply);
    jl_arena_clear(&call->arena);
}

/* ---- answers ---- */

/* Names and objects go back as they came, escapes included. */
static void put_text(struct jl_buffer *out, struct jl_text text)
{
    jl_put(out, text.ptr, text.len);
}

static bool has_passed(const struct jl_candidate *candidate)
{
    return candidate->point.reject == JOULIE_REJECT_NONE;
}

/* How many passed. */
static size_t put_passed(struct call *call)
{
    const struct jl_extender_request *request = &call->request;
    const bool is_names = request->form == JL_FORM_NAMES;
    struct jl_buffer *out = &call->reply;
    size_t passed = 0;
    jl_put_string(out, is_names ? "{\"NodeNames\":[" : "{\"Nodes\":{\"metadata\":{},\"items\":[");
    for (size_t i = 0; i < request->count; i++) {
        const struct jl_candidate *candidate = &request->candidates[i];
        if (!has_passed(candidate))
            continue;
        if (passed++ > 0)
            jl_put_char(out, ',');
        if (is_names)
            put_text(out, candidate->name);
        else
            put_text(out, candidate->object);
    }
    jl_put_string(out, is_names ? "]" : "]}");
    return passed;
}

/* Preemption cannot make a node fit, so nothing stands in FailedNodes. */
static void put_failed(struct call *call)
{
    const struct jl_extender_request *request = &call->request;
    struct jl_buffer *out = &call->reply;
    bool is_first = true;
    for (size_t i = 0; i < request->count; i++) {
        const struct jl_candidate *candidate = &request->candidates[i];
        if (has_passed(candidate))
            continue;
        jl_put_string(out, is_first ? ",\"FailedAndUnresolvableNodes\":{" : ",");
        is_first = false;
        put_text(out, candidate->name);
        jl_put_char(out, ':');
        jl_cluster_put_text(out, joulie_place_reject_text((int)candidate->point.reject));
    }
    jl_put_string(out, is_first ? "}" : "}}");
}

static void put_error(struct call *call, const char *message)
{
    jl_put_string(&call->reply, "{\"Error\":");
    jl_cluster_put_text(&call->reply, message);
    jl_put_char(&call->reply, '}');
}

static int lowest_wire(const struct jl_extender_request *request)
{
    int lowest = request->count > 0 ? request->candidates[0].wire : 0;
    for (size_t i = 1; i < request->count; i++) {
        if (request->candidates[i].wire < lowest)
            lowest = request->candidates[i].wire;
    }
    return lowest;
}

/* kube-scheduler adds points to its own; what all nodes have decides nothing, and one without any
 * needs no name (docs/rules/extender.md#short-replies). */
static void put_scores(struct call *call)
{
    const struct jl_extender_request *request = &call->request;
    const bool is_short = call->options.is_short != 0;
    const int base = is_short ? lowest_wire(request) : 0;
    struct jl_buffer *out = &call->reply;
    bool is_first = true;
    jl_put_char(out, '[');
    for (size_t i = 0; i < request->count; i++) {
        const int points = request->candidates[i].wire - base;
        if (is_short && points == 0)
            continue;
        jl_put_string(out, is_first ? "{\"Host\":" : ",{\"Host\":");
        is_first = false;
        put_text(out, request->candidates[i].name);
        jl_put_string(out, ",\"Score\":");
        jl_put_i64(out, points);
        jl_put_char(out, '}');
    }
    jl_put_char(out, ']');
}

/* ---- decisions ---- */

static void count_rejection(const struct jl_candidate *candidate,
                            struct joulie_extender_result *out)
{
    switch (candidate->point.reject) {
    case JOULIE_REJECT_CLASS:
        if (candidate->node->class_ == JOULIE_NODE_CLASS_DRAINING)
            out->rejected_draining++;
        else
            out->rejected_eco++;
        break;
    case JOULIE_REJECT_LABEL:
        out->rejected_label++;
        break;
    case JOULIE_REJECT_NO_DATA:
        out->rejected_no_data++;
        break;
    case JOULIE_REJECT_POWER:
        out->rejected_power++;
        break;
    case JOULIE_REJECT_OFF:
        out->rejected_off++;
        break;
    case JOULIE_REJECT_CORDON: /* kube-scheduler's own */
    case JOULIE_REJECT_RESERVED:
    case JOULIE_REJECT_NONE:
        break;
    }
}

static void filter(struct call *call, const struct joulie_work *pod)
{
    const enum joulie_fail_policy policy = call->cluster->place_config.fail_policy;
    struct jl_extender_request *request = &call->request;
    if (request->form == JL_FORM_NEITHER) {
        put_error(call, "joulie: the request has neither Nodes nor NodeNames");
        return;
    }
    if (!call->options.is_filled && policy != JOULIE_FAIL_OPEN) {
        put_error(call, "joulie: no data of the cluster has arrived yet");
        return;
    }
    if (call->options.is_filled)
        jl_cluster_filter_candidates(call->cluster, pod, call->options.now_ms, request->candidates,
                                     request->count);
    for (size_t i = 0; i < request->count; i++)
        count_rejection(&request->candidates[i], &call->result);
    const size_t passed = put_passed(call);
    if (call->options.is_short && passed > 0)
        jl_put_char(&call->reply, '}');
    else
        put_failed(call);
}

static void prioritize(struct call *call, const struct joulie_work *pod)
{
    const int range = call->options.score_range == 100 ? 100 : 10;
    jl_cluster_score_candidates(call->cluster, pod, call->options.now_ms, range,
                                call->request.candidates, call->request.count);
    put_scores(call);
}

static int read_pod(struct call *call, struct jl_pod **out)
{
    const struct jl_path at = { .key = jl_text("Pod") };
    if (call->request.pod.text == NULL)
        return jl_decode_fail(&call->decode, JOULIE_E_TYPE, &at, SIZE_MAX,
                              "the request has no pod");
    *out = JL_NEW(&call->arena, struct jl_pod);
    if (*out == NULL)
        return jl_fail_memory(call->decode.err);
    return jl_decode_raw(&call->decode, &call->request.pod, &at, &jl_pod_table, *out);
}

/* Without data nothing that is half there counts: every node is unknown. */
static int read_request(struct call *call, const char *body, size_t len, struct joulie_error *err)
{
    call->decode = (struct jl_decode){
        .arena = &call->arena, .text = body, .len = len, .flags = JL_LENIENT, .err = err
    };
    if (len > JL_LIMIT_DOCUMENT_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, "", "the request is larger than 1 GiB");
    call->arena.limit = len * JL_LIMIT_DECODED_FACTOR + JL_LIMIT_DECODED_EXTRA;
    if (jl_cluster_refresh_order(call->cluster) < 0 || jl_cluster_open_names(call->cluster) < 0)
        return jl_fail_memory(err);
    return jl_extender_read(&call->decode, call->options.is_filled ? call->cluster : NULL,
                            call->cluster->config.policy.power_profile_label, &call->request);
}

static uint64_t invalid_annotations(const struct jl_pod *pod)
{
    struct jl_invalid_annotations invalid;
    jl_pod_invalid_annotations(pod, &invalid);
    return (invalid.class_ ? JOULIE_INVALID_WORKLOAD_CLASS : 0) |
           (invalid.cpu_sensitivity ? JOULIE_INVALID_CPU_SENSITIVITY : 0) |
           (invalid.gpu_sensitivity ? JOULIE_INVALID_GPU_SENSITIVITY : 0);
}

static int answer(struct call *call, const char *body, size_t len, struct joulie_error *err)
{
    struct jl_demand_fault fault = { 0 };
    struct joulie_work view;
    struct jl_pod *pod = NULL;
    int rc = read_request(call, body, len, err);
    if (rc == 0)
        rc = read_pod(call, &pod);
    if (rc == 0)
        rc = jl_cluster_work_of_pod(call->cluster, pod, call->options.now_ms, &view, &fault, err);
    if (rc < 0)
        return rc;
    call->result.workload_class = jl_word_of(&jl_pod_class_words, (int)view.workload_class);
    call->result.nodes = (int64_t)call->request.count;
    call->result.invalid_annotations = invalid_annotations(pod);
    call->result.bad_quantities = (int64_t)fault.count;
    call->result.pod = call->request.pod.text;
    call->result.pod_len = (int64_t)call->request.pod.len;
    if (call->options.verb == JOULIE_EXTENDER_FILTER)
        filter(call, &view);
    else
        prioritize(call, &view);
    return call->reply.is_failed ? jl_fail_memory(err) : 0;
}

/* ---- the call ---- */

static int check_options(const struct joulie_extender_options *options, struct joulie_error *err)
{
    if (options->verb != JOULIE_EXTENDER_FILTER && options->verb != JOULIE_EXTENDER_PRIORITIZE)
        return jl_fail(err, JOULIE_E_ENUM, "verb", "there is no such verb");
    if (options->score_range != 0 && options->score_range != 10 && options->score_range != 100)
        return jl_fail(err, JOULIE_E_RANGE, "score_range", "is neither 10 nor 100");
    return jl_cluster_check_now(options->now_ms, err);
}

static int extend(struct call *call, const char *body, size_t len,
                  const struct joulie_extender_options *options, char **reply,
                  struct joulie_extender_result *out, struct joulie_error *err)
{
    call->result = JOULIE_INIT(struct joulie_extender_result);
    if (JL_SIZED_READ(&call->options, options) < 0 ||
        (out != NULL && jl_sized_check(out, sizeof *out) < 0))
        return jl_fail_abi(err, "");
    int rc = check_options(&call->options, err);
    if (rc == 0)
        rc = answer(call, body, len, err);
    if (rc < 0)
        return rc;
    rc = jl_hand_out(&call->reply, reply, err);
    if (rc == 0 && out != NULL)
        jl_sized_write(out, &call->result, sizeof call->result);
    return rc;
}

int joulie_cluster_extend(struct joulie_cluster *cluster, const char *body, size_t len,
                          const struct joulie_extender_options *options, char **reply,
                          struct joulie_extender_result *out, struct joulie_error *err)
{
    struct call call = { .cluster = cluster };
    const int rc = extend(&call, body, len, options, reply, out, err);
    clear(&call);
    return rc;
}
