/* SPDX-License-Identifier: Apache-2.0 */

/* What a policy reads of one node: whether it takes part, what it can compute, its hardware family
 * and what it was before (docs/rules/policy.md). */

#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "kubernetes/selector.h"
#include "policy/policy.h"

/* ---- which take part ---- */

const struct jl_words jl_exclusion_words = JL_WORDS({
    { JL_EXCLUDED_UNSCHEDULABLE, "unschedulable" },
    { JL_EXCLUDED_RESERVED, "reserved" },
    { JL_EXCLUDED_SELECTOR, "selector" },
});

enum jl_exclusion jl_node_exclusion(const struct jl_node *node, const char *reserved_label_key,
                                    const struct jl_selector *selector)
{
    if (node->spec.unschedulable)
        return JL_EXCLUDED_UNSCHEDULABLE;
    if (jl_same(jl_label(&node->meta, reserved_label_key), "true"))
        return JL_EXCLUDED_RESERVED;
    if (selector != NULL && !jl_selector_matches(selector, &node->meta.labels))
        return JL_EXCLUDED_SELECTOR;
    return JL_EXCLUDED_NOT;
}

/* ---- what they can compute ---- */

/* The catalog's density, or a stand-in for entries that have none. */
static double cpu_density(const struct jl_cpu_model *model)
{
    return model->compute_density > 0 ? model->compute_density : model->boost_ghz * model->tdp_w;
}

static double gpu_density(const struct jl_gpu_model *model)
{
    return model->compute_density > 0 ? model->compute_density : model->max_board_w;
}

static double first_positive(double a, double b)
{
    if (a > 0)
        return a;
    return b > 0 ? b : 1;
}

void jl_density_of(const struct jl_hardware *hardware, struct jl_density *out)
{
    *out = (struct jl_density){ 0 };
    if (hardware->cpu_model != NULL) {
        const double density = cpu_density(hardware->cpu_model);
        out->cpu = density * first_positive(hardware->total_cores, hardware->sockets);
        out->cpu_normalized = density * jl_max(hardware->sockets, 1);
    }
    if (hardware->gpu_model != NULL)
        out->gpu = gpu_density(hardware->gpu_model) * jl_max(hardware->gpu_count, 1);
    out->total = out->cpu + out->gpu;
}

static int denser_first(const void *a, const void *b, void *user)
{
    const struct jl_density_rank *left = a;
    const struct jl_density_rank *right = b;
    (void)user;
    const int order = JL_ORDER(right->total, left->total);
    return order != 0 ? order : jl_compare(left->name, right->name);
}

int jl_density_sort(struct jl_density_rank *ranks, size_t count)
{
    return jl_sort(ranks, count, sizeof *ranks, denser_first, NULL);
}

/* ---- their family ---- */

static const char *first_text(const char *a, const char *b, const char *c)
{
    if (!jl_is_empty(a))
        return a;
    return !jl_is_empty(b) ? b : c;
}

/* The catalog's key stands for every spelling of one model. */
const char *jl_family_name(struct jl_arena *arena, const struct jl_hardware *hardware,
                           const char *node_name, enum jl_policy_rules rules)
{
    const bool is_one = rules == JL_POLICY_CURRENT;
    const char *parts[2] = { is_one ? "unknown" : "unknown:", is_one ? "" : node_name };
    if (hardware->is_known && hardware->gpu_count > 0) {
        parts[0] = "gpu:";
        parts[1] = first_text(hardware->gpu_model != NULL ? hardware->gpu_model->key : NULL,
                              hardware->gpu_name, "unknown-gpu");
    } else if (hardware->is_known) {
        parts[0] = "cpu:";
        parts[1] = first_text(hardware->cpu_model != NULL ? hardware->cpu_model->key : NULL,
                              hardware->cpu_name, "unknown-cpu");
    }
    return jl_arena_join(arena, parts, JL_COUNT(parts));
}

/* ---- what they were ---- */

static bool read_instant(const struct jl_node_twin *twin, const char *annotation, int64_t *out_ms)
{
    const char *text = jl_annotation(&twin->meta, annotation);
    return text != NULL && jl_parse_time(text, strlen(text), out_ms) == 0;
}

void jl_past_of_twin(const struct jl_node_twin *twin, struct jl_node_past *out)
{
    *out = (struct jl_node_past){ .limit.pct = JL_NO_CAP_PCT };
    if (twin == NULL)
        return;
    const struct jl_gpu_power_cap *cap = &twin->spec.gpu.power_cap;
    out->profile = twin->spec.profile;
    out->is_draining = twin->spec.scheduling.draining;
    out->has_since = read_instant(twin, JL_ANNOTATION_PROFILE_SINCE, &out->since_ms);
    out->limit.pct = JL_GIVEN_OR(cap, cap_pct, JL_NO_CAP_PCT);
    out->limit.has_lowered = read_instant(twin, JL_ANNOTATION_CAP_LOWERED, &out->limit.lowered_ms);
}

void jl_past_after(const struct jl_node_past *past, enum joulie_profile profile, bool is_draining,
                   int64_t now_ms, struct jl_node_past *out)
{
    *out = *past;
    if (past->profile == profile && past->is_draining == is_draining)
        return;
    *out = (struct jl_node_past){ .profile = profile,
                                  .is_draining = is_draining,
                                  .has_since = true,
                                  .since_ms = now_ms,
                                  .limit = past->limit };
}

bool jl_limit_after(const struct jl_limit_past *past, double pct, int64_t now_ms,
                    struct jl_limit_past *out)
{
    const bool is_lowered = pct < past->pct;
    *out = *past;
    out->pct = pct;
    if (is_lowered) {
        out->has_lowered = true;
        out->lowered_ms = now_ms;
    }
    return is_lowered;
}
