/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the CRDs of TensorFusion do not check: members of the object's own dialect, amounts, gangs
 * (docs/rules/tensor-fusion.md#validation). Called after the decoder has read an object.
 */

#include "tensor_fusion/validate.h"

#include "kubernetes/quantity.h"
#include "schema/tree.h"
#include "tensor_fusion/validate_parts.h"

/* Rows of the records. */
#define SPEC(member) JL_INDEX(jl_fusion_spec, member)
#define SCALING(member) JL_INDEX(jl_fusion_autoscaling, member)
#define RESOURCES(member) JL_INDEX(jl_fusion_auto_resources, member)
#define AMOUNTS(member) JL_INDEX(jl_fusion_amounts, member)
#define GANG(member) JL_INDEX(jl_fusion_gang, member)
#define BIT(row) (UINT64_C(1) << (row))

bool jl_fusion_is_kind(const struct jl_table *table)
{
    return table == &jl_fusion_profile_table || table == &jl_fusion_workload_table;
}

/* As the decoder does with a member that no table has. */
static void skip_member(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit)
{
    const struct jl_path at = { .up = &place->at, .key = jl_text(place->table->rows[bit].key) };
    char where[JL_PATH_TEXT];
    decode->unknown_members++;
    if (!decode->on_unknown)
        return;
    jl_path_print(&at, where);
    decode->on_unknown(decode->user, where);
}

/* Members that a dialect does not have: its API server would drop them without a word. */
static int refuse_members(struct jl_decode *decode, const struct jl_fusion_place *place,
                          uint64_t foreign, const char *dialect)
{
    for (uint64_t left = *(const uint64_t *)place->object & foreign; left != 0; left &= left - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(left);
        if (!(decode->flags & JL_LENIENT))
            return jl_fusion_fail(decode, place, bit, JOULIE_E_UNKNOWN_MEMBER,
                                  "dialect %s has no such member", dialect);
        skip_member(decode, place, bit);
    }
    return 0;
}

/* Bits first to last. */
#define BITS(first, last) ((BIT(last) - BIT(first)) | BIT(last))

/* Some of the members that C added came with releases of B already. */
#define SPEC_ONLY_IN_C                                                                  \
    (BIT(SPEC(isolation)) | BIT(SPEC(partition_template_id)) | BIT(SPEC(gpu_indices)) | \
     BIT(SPEC(vendor)) | BIT(SPEC(gang)))
#define SPEC_NOT_IN_A BITS(SPEC(sidecar_worker), SPEC(gang))

static int check_dialect_a(struct jl_decode *decode, const struct jl_fusion_place *spec)
{
    const struct jl_fusion_place resources = jl_fusion_inside(spec, SPEC(resources));
    int rc = refuse_members(decode, spec, SPEC_NOT_IN_A, "A");
    for (unsigned side = 0; side < resources.table->count && rc == 0; side++) {
        const struct jl_fusion_place amounts = jl_fusion_inside(&resources, side);
        rc = refuse_members(decode, &amounts, BIT(AMOUNTS(compute)), "A");
    }
    return rc;
}

#define RESOURCES_ONLY_IN_C BITS(RESOURCES(target_compute_percentile), RESOURCES(interval))

/* The blocks in which B and C differ. */
struct scaling {
    struct jl_fusion_place block;
    struct jl_fusion_place resources;
};

static void find_scaling(const struct jl_fusion_place *spec, struct scaling *out)
{
    out->block = jl_fusion_inside(spec, SPEC(autoscaling));
    out->resources = jl_fusion_inside(&out->block, SCALING(resources));
}

static enum joulie_tensor_fusion_target target_of(const struct scaling *scaling)
{
    return jl_dialect_target(jl_fusion_text_at(&scaling->resources, RESOURCES(target_resource)));
}

static int check_dialect_b(struct jl_decode *decode, const struct jl_fusion_place *spec)
{
    struct scaling scaling;
    find_scaling(spec, &scaling);
    int rc = refuse_members(decode, spec, SPEC_ONLY_IN_C, "B");
    if (rc == 0)
        rc = refuse_members(decode, &scaling.block, BIT(SCALING(external)), "B");
    if (rc == 0)
        rc = refuse_members(decode, &scaling.resources, RESOURCES_ONLY_IN_C, "B");
    if (rc == 0 && target_of(&scaling) == JOULIE_TENSOR_FUSION_TARGET_COMPUTE)
        jl_fusion_warn(decode, &scaling.resources, RESOURCES(target_resource),
                       "operators of dialect B know no such word; theirs is tflops");
    return rc;
}

static bool has_any(const struct jl_fusion_place *place, uint64_t bits)
{
    return (*(const uint64_t *)place->object & bits) != 0;
}

/* The amount of a row, whose text the decoder has read already; absent is 0, which is unset. */
static struct jl_quantity amount_at(const struct jl_fusion_place *amounts, unsigned bit)
{
    struct jl_quantity quantity = { 0, JL_QUANTITY_DECIMAL_SI };
    const struct jl_text text = jl_fusion_text_at(amounts, bit);
    if (text.len > 0)
        (void)jl_parse_quantity(text.ptr, text.len, &quantity);
    return quantity;
}

static bool is_set(const struct jl_fusion_place *amounts, unsigned bit)
{
    return amount_at(amounts, bit).nano != 0;
}

/* A percent of a GPU exists in C alone; zero is what Go's writers leave there. */
static bool has_percent(const struct jl_fusion_place *spec)
{
    const struct jl_fusion_place resources = jl_fusion_inside(spec, SPEC(resources));
    for (unsigned side = 0; side < resources.table->count; side++) {
        const struct jl_fusion_place amounts = jl_fusion_inside(&resources, side);
        if (is_set(&amounts, AMOUNTS(compute)))
            return true;
    }
    return false;
}

/* A block of B that could be one of C too is taken for one of C, with a doubt. */
static bool is_surely_c(const struct jl_fusion_place *spec, const struct scaling *scaling)
{
    return has_any(spec, SPEC_ONLY_IN_C) || has_percent(spec) ||
           has_any(&scaling->block, BIT(SCALING(external))) ||
           has_any(&scaling->resources, RESOURCES_ONLY_IN_C);
}

static int check_replicas(struct jl_decode *decode, const struct scaling *scaling, bool is_surely)
{
    const struct jl_fusion_autoscaling *block = scaling->block.object;
    if (is_surely)
        return refuse_members(decode, &scaling->block, BIT(SCALING(replicas)), "C");
    if (block->replicas.has != 0)
        jl_fusion_warn(decode, &scaling->block, SCALING(replicas),
                       "clusters of dialect C drop it without a word");
    return 0;
}

/* An operator of C that reads the word tflops scales nothing. */
static int check_target(struct jl_decode *decode, const struct scaling *scaling, bool is_surely)
{
    if (target_of(scaling) != JOULIE_TENSOR_FUSION_TARGET_TFLOPS)
        return 0;
    if (is_surely)
        return jl_fusion_fail(decode, &scaling->resources, RESOURCES(target_resource),
                              JOULIE_E_ENUM,
                              "an operator of dialect C scales nothing with this word: one of "
                              "compute, vram, all was expected");
    jl_fusion_warn(decode, &scaling->resources, RESOURCES(target_resource),
                   "an operator of dialect C scales nothing with this word");
    return 0;
}

static int check_dialect_c(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_fusion_spec *spec = place->object;
    struct scaling scaling;
    find_scaling(place, &scaling);
    const bool is_surely = is_surely_c(place, &scaling);
    if (spec->given.gpu_count &&
        (spec->gpu_count < JL_LEAST_GPU_COUNT || spec->gpu_count > JL_MOST_GPU_COUNT))
        return jl_fusion_fail(decode, place, SPEC(gpu_count), JOULIE_E_RANGE,
                              "%lld is not within %d and %d", (long long)spec->gpu_count,
                              JL_LEAST_GPU_COUNT, JL_MOST_GPU_COUNT);
    const int rc = check_replicas(decode, &scaling, is_surely);
    return rc < 0 ? rc : check_target(decode, &scaling, is_surely);
}

static void warn_mixed(struct jl_decode *decode)
{
    if (decode->on_warning)
        decode->on_warning(decode->warning_user, "MixedDialect", "spec.autoScalingConfig",
                           "no cluster reads members of dialect A and of a later one together");
}

static int check_members(struct jl_decode *decode, const struct jl_fusion_place *spec,
                         enum jl_dialect dialect)
{
    switch (dialect) {
    case JL_DIALECT_A:
        return check_dialect_a(decode, spec);
    case JL_DIALECT_B:
        return check_dialect_b(decode, spec);
    case JL_DIALECT_C:
        return check_dialect_c(decode, spec);
    case JL_DIALECT_MIXED:
        warn_mixed(decode);
        return 0;
    case JL_DIALECT_NEUTRAL:
        return 0;
    }
    return JOULIE_E_INTERNAL;
}

/* tflops and compute are one amount in two units. */
static int check_side(struct jl_decode *decode, const struct jl_fusion_place *amounts)
{
    if (!is_set(amounts, AMOUNTS(tflops)) || !is_set(amounts, AMOUNTS(compute)))
        return 0;
    return jl_fusion_fail(decode, amounts, AMOUNTS(compute), JOULIE_E_CONFLICT,
                          "tflops and compute exclude each other");
}

/* A limit that is set is not below its request. */
static int check_resources(struct jl_decode *decode, const struct jl_fusion_place *resources)
{
    const struct jl_fusion_place limits =
        jl_fusion_inside(resources, JL_INDEX(jl_fusion_resources, limits));
    const struct jl_fusion_place requests =
        jl_fusion_inside(resources, JL_INDEX(jl_fusion_resources, requests));
    int rc = check_side(decode, &limits);
    if (rc == 0)
        rc = check_side(decode, &requests);
    for (unsigned bit = 0; bit < limits.table->count && rc == 0; bit++) {
        const struct jl_quantity limit = amount_at(&limits, bit);
        if (limit.nano != 0 && limit.nano < amount_at(&requests, bit).nano)
            rc = jl_fusion_fail(decode, &limits, bit, JOULIE_E_CONFLICT,
                                "the limit is below the request");
    }
    return rc;
}

static int check_cron_resources(struct jl_decode *decode, const struct jl_fusion_place *rules)
{
    int rc = 0;
    for (size_t i = 0; i < jl_fusion_count(rules) && rc == 0; i++) {
        const struct jl_fusion_place rule = jl_fusion_item(rules, i);
        const struct jl_fusion_place resources =
            jl_fusion_inside(&rule, JL_INDEX(jl_fusion_cron_rule, desired_resources));
        rc = check_resources(decode, &resources);
    }
    return rc;
}

/* The two rules that the CRD of C states; an absent minMembers is 0. */
static int check_gang(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_fusion_spec *spec = place->object;
    const int64_t members = spec->gang.min_members;
    const struct jl_fusion_place gang = jl_fusion_inside(place, SPEC(gang));
    if (members == 1)
        return jl_fusion_fail(decode, &gang, GANG(min_members), JOULIE_E_RANGE,
                              "a gang has 0 members or at least 2");
    if (members != 0 && spec->given.replicas && members > spec->replicas)
        return jl_fusion_fail(decode, &gang, GANG(min_members), JOULIE_E_CONFLICT,
                              "%lld is above replicas, which is %lld", (long long)members,
                              (long long)spec->replicas);
    return jl_fusion_check_texts(decode, &gang);
}

static int find_dialect(struct jl_decode *decode, enum jl_dialect *out)
{
    JL_CLEANUP(jl_tree_clear) struct json_object *tree = NULL;
    const struct jl_path at = { .key = jl_text("spec") };
    struct jl_raw raw;
    int rc = jl_decode_member(decode, "spec", &raw);
    if (rc == 0 && raw.text)
        rc = jl_tree_from_raw(decode, &raw, &at, &tree);
    if (rc == 0)
        *out = jl_dialect_of_spec(tree);
    return rc;
}

static int check_autoscaling(struct jl_decode *decode, const struct jl_fusion_place *spec)
{
    const struct jl_fusion_place block = jl_fusion_inside(spec, SPEC(autoscaling));
    const struct jl_fusion_place resources = jl_fusion_inside(&block, SCALING(resources));
    const struct jl_fusion_place rules = jl_fusion_inside(&block, SCALING(cron_rules));
    int rc = jl_fusion_check_texts(decode, &block);
    if (rc == 0)
        rc = jl_fusion_check_order(decode, &resources);
    if (rc == 0)
        rc = jl_fusion_check_schedules(decode, &rules);
    return rc < 0 ? rc : check_cron_resources(decode, &rules);
}

int jl_fusion_check(struct jl_decode *decode, const void *object)
{
    const struct jl_fusion_profile *profile = object; /* a workload begins the same */
    const struct jl_fusion_place spec = { { .key = jl_text("spec") },
                                          &jl_fusion_spec_table,
                                          &profile->spec };
    const struct jl_fusion_place resources = jl_fusion_inside(&spec, SPEC(resources));
    const struct jl_fusion_place affinity = jl_fusion_inside(&spec, SPEC(node_affinity));
    enum jl_dialect dialect = JL_DIALECT_NEUTRAL;
    int rc = find_dialect(decode, &dialect);
    if (rc == 0)
        rc = check_members(decode, &spec, dialect);
    if (rc == 0)
        rc = check_resources(decode, &resources);
    if (rc == 0)
        rc = check_gang(decode, &spec);
    if (rc == 0)
        rc = jl_fusion_check_affinity(decode, &affinity);
    return rc < 0 ? rc : check_autoscaling(decode, &spec);
}
