/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The profile that counts for a Pod: annotations, profile, pool and quota one over the other, then
 * class of service (docs/rules/tensor-fusion.md#precedence). Called by the question
 * profile.resolve.
 */

#include "tensor_fusion/resolve.h"

#include <string.h>

#include "base/error.h"
#include "catalog/fusion_gpus.h"
#include "kubernetes/quantity.h"
#include "kubernetes/selector.h"
#include "schema/path.h"

#define BYTES_PER_GB 1e9
#define OWN_PREFIX "joulie.io/" /* annotations with which a Pod speaks of power itself */

enum { FROM_ANNOTATIONS, FROM_PROFILE, FROM_RULE, FROM_POOL, SOURCES };

struct resolving {
    const struct jl_profile_input *in;
    struct jl_arena *arena;
    struct joulie_error *err;
    struct jl_fusion_annotations annotations;
    struct jl_admission_warnings warnings;
    /* In falling precedence, each may be NULL. */
    const struct jl_fusion_spec *sources[SOURCES];
    struct jl_overlay overlay;
};

static const char *path_of(struct resolving *r, const char *annotation)
{
    return jl_fusion_annotation_path(r->arena, r->in->domain, annotation);
}

static int warn(struct resolving *r, const char *reason, const char *annotation,
                const char *message)
{
    const char *where = path_of(r, annotation);
    if (where == NULL || jl_admission_warn(&r->warnings, reason, where, message) < 0)
        return jl_fail_memory(r->err);
    return 0;
}

static int refuse(struct resolving *r, int code, const char *annotation, const char *message)
{
    const char *where = path_of(r, annotation);
    if (where == NULL)
        return jl_fail_memory(r->err);
    return jl_fail(r->err, code, where, "%s", message);
}

static int find_rule(struct resolving *r)
{
    for (size_t i = 0; i < r->in->rule_count; i++) {
        const struct jl_pool_rule *rule = &r->in->rules[i];
        const struct jl_path rules = { NULL, jl_text("poolRules"), 0 };
        const struct jl_path item = { &rules, { 0 }, i };
        const struct jl_path at = { &item, jl_text("selector"), 0 };
        const struct jl_selector *selector = NULL;
        char where[JL_PATH_TEXT];
        const char *text = rule->selector != NULL ? rule->selector : "";
        const int rc = jl_parse_selector(r->arena, text, strlen(text), &selector);
        if (rc == JOULIE_E_PARSE) {
            jl_path_print(&at, where);
            return jl_fail(r->err, rc, where, "not a label selector");
        }
        if (rc < 0)
            return jl_fail_memory(r->err);
        if (!jl_selector_matches(selector, r->in->labels))
            continue;
        r->sources[FROM_RULE] = rule->spec; /* the first that matches */
        return 0;
    }
    return 0;
}

/* B has keys of its own in the layer that it shares with C. */
static bool is_dialect_b(const struct jl_fusion_autoscaling *scaling)
{
    return scaling->resources.has >>
               JL_INDEX(jl_fusion_auto_resources, b_target_tflops_percentile) !=
           0;
}

/* Whether the first source that has any of its layers uses autoSetResources, and B's keys. */
static bool has_resources_layer(const struct resolving *r, bool *out_is_b)
{
    for (size_t i = FROM_PROFILE; i < SOURCES; i++) {
        if (r->sources[i] == NULL)
            continue;
        const struct jl_fusion_autoscaling *scaling = &r->sources[i]->autoscaling;
        if (scaling->given.limits || scaling->given.requests)
            return false;
        if (!scaling->given.resources)
            continue;
        *out_is_b = is_dialect_b(scaling);
        return true;
    }
    return false;
}

/* What C calls compute is tflops in A and B. */
static const char *target_in(const char *target, bool is_c)
{
    if (jl_same(target, is_c ? "tflops" : "compute"))
        return is_c ? "compute" : "tflops";
    return target;
}

/* autoscale and its target speak of both layers, in the words of the profile's dialect. */
static void put_autoscale(struct resolving *r)
{
    struct jl_fusion_annotations *from = &r->annotations;
    struct jl_fusion_autoscaling *scaling = &from->spec.autoscaling;
    bool is_b = false;
    const bool is_one = has_resources_layer(r, &is_b);
    if (from->is_autoscaled && is_one) {
        JL_SET(&scaling->resources, enable, true);
    } else if (from->is_autoscaled) {
        JL_SET(&scaling->limits, enable, true);
        JL_SET(&scaling->requests, enable, true);
    }
    if (from->target == NULL)
        return;
    const char *target = target_in(from->target, is_one && !is_b);
    if (is_one) {
        JL_SET(&scaling->resources, target_resource, target);
    } else {
        JL_SET(&scaling->limits, target_resource, target);
        JL_SET(&scaling->requests, target_resource, target);
    }
}

static const char *amount_text(struct resolving *r, const struct jl_quantity *quantity)
{
    char text[JL_QUANTITY_TEXT];
    const size_t len = jl_format_quantity(quantity, text);
    return jl_arena_copy(r->arena, text, len);
}

/* The GPU model that counts: the first source that names one; an annotation may name none. */
static const char *gpu_model_of(const struct resolving *r)
{
    if (r->annotations.spec.given.gpu_model)
        return r->annotations.spec.gpu_model;
    for (size_t i = FROM_PROFILE; i < SOURCES; i++) {
        if (r->sources[i] != NULL && !jl_is_empty(r->sources[i]->gpu_model))
            return r->sources[i]->gpu_model;
    }
    return NULL;
}

static int find_capacity(struct resolving *r, double *out_tflops, double *out_vram_bytes)
{
    struct jl_fusion_match match;
    *out_tflops = r->in->gpu_tflops;
    *out_vram_bytes = r->in->gpu_vram_bytes;
    if (*out_tflops > 0 && *out_vram_bytes > 0)
        return 0;
    const char *model = gpu_model_of(r);
    const double measured_gb = *out_vram_bytes / BYTES_PER_GB;
    if (!jl_fusion_gpu_find(model, measured_gb, JL_FUSION_GPUS_CURRENT, &match) ||
        !(match.least_vram_gb > 0))
        return refuse(r, JOULIE_E_UNSUPPORTED, "dedicated-gpu",
                      "the capacity of this GPU model is not known");
    if (!(*out_tflops > 0))
        *out_tflops = match.gpu.fp16_tflops;
    *out_vram_bytes = match.least_vram_gb * BYTES_PER_GB;
    if (!jl_fusion_match_is_ambiguous(&match))
        return 0;
    return warn(r, "AmbiguousGpuModel", "dedicated-gpu",
                "the model is a family; the smallest capacity of its members counts");
}

/* dedicated-gpu: requests and limits are the whole GPU. */
static int put_dedicated(struct resolving *r)
{
    struct jl_fusion_resources *resources = &r->annotations.spec.resources;
    struct jl_quantity tflops;
    struct jl_quantity vram;
    double capacity_tflops = 0;
    double capacity_bytes = 0;
    if (!r->annotations.is_dedicated)
        return 0;
    const int rc = find_capacity(r, &capacity_tflops, &capacity_bytes);
    if (rc < 0)
        return rc;
    if (jl_quantity_of_tflops(capacity_tflops, &tflops) < 0 ||
        jl_quantity_of_vram(capacity_bytes, &vram) < 0)
        return refuse(r, JOULIE_E_UNSUPPORTED, "dedicated-gpu",
                      "the capacity of the GPU is out of range");
    struct jl_fusion_amounts whole = { 0 };
    JL_SET(&whole, tflops, amount_text(r, &tflops));
    JL_SET(&whole, vram, amount_text(r, &vram));
    if (whole.tflops == NULL || whole.vram == NULL)
        return jl_fail_memory(r->err);
    resources->requests = whole;
    resources->limits = whole;
    return 0;
}

/* partition-id counts only where the isolation that wins is partitioned. */
static int put_partition(struct resolving *r)
{
    if (r->annotations.partition == NULL)
        return 0;
    for (size_t i = 0; i < SOURCES; i++) {
        if (r->sources[i] == NULL || !r->sources[i]->given.isolation)
            continue;
        if (r->sources[i]->isolation != JOULIE_TENSOR_FUSION_ISOLATION_PARTITIONED)
            break;
        JL_SET(&r->annotations.spec, partition_template_id, r->annotations.partition);
        return 0;
    }
    return warn(r, "InvalidField", "partition-id", "only a partitioned GPU has a partition");
}

static void take(struct resolving *r, const struct jl_fusion_spec *spec,
                 enum jl_profile_source source)
{
    if (spec != NULL)
        jl_overlay_take(&r->overlay, spec, source);
}

static bool is_same_amount(const char *a, const char *b)
{
    struct jl_quantity left;
    struct jl_quantity right;
    if (jl_is_empty(a) || jl_is_empty(b) || jl_parse_quantity(a, strlen(a), &left) < 0 ||
        jl_parse_quantity(b, strlen(b), &right) < 0)
        return false;
    return left.nano != 0 && jl_quantity_compare(&left, &right) == 0;
}

/* An absent request is its limit. */
static void put_requests(struct resolving *r)
{
    const struct jl_fusion_resources *now = &r->overlay.spec.resources;
    struct jl_fusion_spec builtin = { 0 };
    builtin.resources.requests = now->limits;
    take(r, &builtin, JL_PROFILE_SOURCE_BUILTIN);
}

static bool is_above(const char *request, const char *limit)
{
    struct jl_quantity left;
    struct jl_quantity right;
    return !jl_is_empty(request) && !jl_is_empty(limit) &&
           jl_parse_quantity(request, strlen(request), &left) == 0 &&
           jl_parse_quantity(limit, strlen(limit), &right) == 0 && right.nano != 0 &&
           jl_quantity_compare(&left, &right) > 0;
}

/* Each may have come from another source, so none of them is to be left out. */
static int check_amounts(struct resolving *r)
{
    const struct jl_fusion_resources *now = &r->overlay.spec.resources;
    int rc = 0;
    if (is_above(now->requests.tflops, now->limits.tflops))
        rc = warn(r, "InvalidField", "tflops-limit", "the limit is below the request");
    if (rc == 0 && is_above(now->requests.vram, now->limits.vram))
        rc = warn(r, "InvalidField", "vram-limit", "the limit is below the request");
    if (rc == 0 && is_above(now->requests.compute, now->limits.compute))
        rc = warn(r, "InvalidField", "compute-percent-limit", "the limit is below the request");
    return rc;
}

/* A gang waits for all its members, so there have to be as many. */
static int check_gang(struct resolving *r)
{
    const struct jl_fusion_spec *spec = &r->overlay.spec;
    if (!spec->given.replicas || spec->gang.min_members <= spec->replicas)
        return 0;
    return warn(r, "InvalidField", "gang-min-members",
                "the gang has more members than there are replicas");
}

/* high when nothing may burst; zero or absent amounts are not equal. */
static void put_equal_qos(struct resolving *r)
{
    const struct jl_fusion_resources *resources = &r->overlay.spec.resources;
    struct jl_fusion_spec builtin = { 0 };
    if (!is_same_amount(resources->requests.tflops, resources->limits.tflops) ||
        !is_same_amount(resources->requests.vram, resources->limits.vram))
        return;
    JL_SET(&builtin, qos, JOULIE_TENSOR_FUSION_QOS_HIGH);
    take(r, &builtin, JL_PROFILE_SOURCE_BUILTIN);
}

/* The pool's class comes behind the rule of equal amounts, which needs all other fields first. */
static void take_pool(struct resolving *r)
{
    struct jl_fusion_spec qos = { 0 };
    struct jl_fusion_spec pool = { 0 };
    struct jl_fusion_spec name = { 0 };
    if (r->in->pool_spec != NULL) {
        pool = *r->in->pool_spec;
        qos.qos = pool.qos;
        qos.has = pool.has & UINT64_C(1) << JL_INDEX(jl_fusion_spec, qos);
        pool.given.qos = false;
    }
    if (r->in->pool != NULL)
        JL_SET(&name, pool_name, r->in->pool);
    take(r, &pool, JL_PROFILE_SOURCE_POOL);
    take(r, &name, JL_PROFILE_SOURCE_POOL);
    take(r, r->in->quota, JL_PROFILE_SOURCE_QUOTA);
    put_requests(r);
    put_equal_qos(r);
    take(r, &qos, JL_PROFILE_SOURCE_POOL);
}

/* Whether a field of dialect C alone is there: the isolation then has its default. */
static bool is_dialect_c(const struct jl_fusion_spec *spec)
{
    return spec->has >> JL_INDEX(jl_fusion_spec, sidecar_worker) != 0 ||
           (spec->autoscaling.given.resources && !is_dialect_b(&spec->autoscaling));
}

static void take_builtin(struct resolving *r)
{
    struct jl_fusion_spec builtin = { 0 };
    JL_SET(&builtin, gpu_count, 1);
    JL_SET(&builtin, is_local_gpu, false);
    JL_SET(&builtin, qos, JOULIE_TENSOR_FUSION_QOS_MEDIUM);
    if (is_dialect_c(&r->overlay.spec))
        JL_SET(&builtin, isolation, JOULIE_TENSOR_FUSION_ISOLATION_SOFT);
    take(r, &builtin, JL_PROFILE_SOURCE_BUILTIN);
}

/* Workers on the Pod's own GPU have no Pods of their own. */
static int check_template(struct resolving *r)
{
    const struct jl_fusion_spec *spec = &r->overlay.spec;
    if (!r->annotations.spec.given.worker_pod_template ||
        (!spec->is_local_gpu && !spec->sidecar_worker))
        return 0;
    return refuse(r, JOULIE_E_CONFLICT, "worker-pod-template",
                  "a local GPU and a sidecar have no worker Pods");
}

/* low and medium have no priority class of their own. */
static const char *priority_class_of(const struct jl_profile_input *in,
                                     enum joulie_tensor_fusion_qos qos)
{
    if (!jl_is_empty(in->priority_class))
        return NULL;
    if (qos == JOULIE_TENSOR_FUSION_QOS_CRITICAL)
        return "tensor-fusion-critical";
    return qos == JOULIE_TENSOR_FUSION_QOS_HIGH ? "tensor-fusion-high" : NULL;
}

/* A Pod that already has an annotation of ours keeps that one. */
static const char *joulie_class_of(const struct jl_profile_input *in,
                                   enum joulie_tensor_fusion_qos qos)
{
    for (size_t i = 0; i < in->annotations->count; i++) {
        if (jl_starts_with(in->annotations->items[i].key, OWN_PREFIX))
            return NULL;
    }
    return qos == JOULIE_TENSOR_FUSION_QOS_CRITICAL || qos == JOULIE_TENSOR_FUSION_QOS_HIGH
               ? "performance"
               : "standard";
}

static int is_enabled(struct resolving *r, bool *out)
{
    const char *key = JL_JOIN(r->arena, r->in->domain, "/enabled");
    if (key == NULL)
        return jl_fail_memory(r->err);
    *out = jl_same(jl_map_get(r->in->labels, key), "true");
    return 0;
}

static int read_annotations(struct resolving *r)
{
    int rc = jl_fusion_annotations(r->in->annotations, r->in->domain, &r->warnings, &r->annotations,
                                   r->err);
    if (rc == 0 && r->annotations.profile != NULL && r->in->profile == NULL)
        rc = jl_fail(r->err, JOULIE_E_REQUIRED, "profile", "the Pod's WorkloadProfile is missing");
    if (rc == 0)
        rc = find_rule(r);
    if (rc == 0)
        rc = put_dedicated(r);
    if (rc == 0)
        rc = put_partition(r);
    return rc;
}

int jl_profile_resolve(const struct jl_profile_input *in, struct jl_arena *arena,
                       struct jl_resolved_profile *out, struct joulie_error *err)
{
    struct resolving r = {
        .in = in,
        .arena = arena,
        .err = err,
        .warnings = { .arena = arena },
        .sources = { &r.annotations.spec, in->profile, NULL, in->pool_spec },
    };
    struct jl_resolved_profile result = { 0 };
    int rc = read_annotations(&r);
    if (rc < 0)
        return rc;
    put_autoscale(&r);
    for (int i = 0; i < FROM_POOL; i++)
        take(&r, r.sources[i], (enum jl_profile_source)(JL_PROFILE_SOURCE_ANNOTATION + i));
    take_pool(&r);
    take_builtin(&r);
    rc = check_template(&r);
    if (rc == 0)
        rc = check_amounts(&r);
    if (rc == 0)
        rc = check_gang(&r);
    if (rc == 0)
        rc = is_enabled(&r, &result.is_enabled);
    if (rc < 0)
        return rc;
    if (jl_overlay_sources(&r.overlay, arena, &result.sources) < 0)
        return jl_fail_memory(err);
    result.spec = r.overlay.spec;
    result.warnings = r.warnings.items;
    result.priority_class = priority_class_of(in, result.spec.qos);
    result.joulie_class = joulie_class_of(in, result.spec.qos);
    *out = result;
    return 0;
}
