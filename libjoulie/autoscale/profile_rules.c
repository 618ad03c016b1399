/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Amounts, cron rules and the external scaler of an autoscaling config
 * (docs/rules/autoscaling-triggers.md#cron-rules). They are read as the profile writes them: no
 * dialect writes them otherwise.
 */

#include "autoscale/profile_parts.h"
#include "base/error.h"
#include "base/number.h"
#include "base/time.h"
#include "catalog/fusion_gpus.h"
#include "kinds/tensor_fusion.h"
#include "kubernetes/quantity.h"
#include "schema/tree.h"

#define PERCENT 100

/* ---- amounts ---- */

/* A quantity as text: a bare number is one too. NULL: another type. */
static const char *quantity_text(struct jl_scale_reader *reader, struct json_object *value)
{
    const enum json_type type = json_object_get_type(value);
    if (type != json_type_string && type != json_type_int && type != json_type_double)
        return NULL;
    return jl_scale_copy(reader, json_object_get_string(value));
}

static bool parse_amount(struct jl_scale_reader *reader, struct json_object *value,
                         const char *where, double *out, const char **out_text)
{
    struct jl_quantity quantity;
    const char *text = quantity_text(reader, value);
    if (text == NULL || jl_parse_quantity(text, jl_text(text).len, &quantity) < 0 ||
        quantity.nano < 0) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where, "not an amount");
        return false;
    }
    *out = jl_quantity_to_double(&quantity);
    *out_text = text;
    return true;
}

struct leaf {
    const char *side; /* "requests" or "limits" */
    const char *key;  /* "tflops" or "vram" */
    enum jl_usage usage;
    bool is_limit;
};

static const struct leaf leaves[] = {
    { "requests", "tflops", JL_USAGE_TFLOPS, false },
    { "requests", "vram", JL_USAGE_VRAM, false },
    { "limits", "tflops", JL_USAGE_TFLOPS, true },
    { "limits", "vram", JL_USAGE_VRAM, true },
};

static void set_amount(struct jl_amounts *amounts, const struct leaf *leaf, double value)
{
    struct jl_amount_pair *pair = &amounts->of[leaf->usage];
    if (leaf->is_limit)
        pair->limit = value;
    else
        pair->request = value;
}

/* FP16 TFLOPS of one GPU: as the caller gives it, else of the profile's model, of a family the
 * smallest. 0 = not known. */
static void find_gpu(const struct jl_scale_reader *reader, struct jl_autoscale_config *out)
{
    struct jl_fusion_match match;
    out->is_gpu_family = false;
    out->gpu_tflops = reader->source->gpu_tflops;
    if (out->gpu_tflops > 0 ||
        !jl_fusion_gpu_find(reader->gpu_model, 0, JL_FUSION_GPUS_CURRENT, &match))
        return;
    out->gpu_tflops = match.gpu.fp16_tflops;
    out->is_gpu_family = match.is_family;
}

static double gpu_tflops(struct jl_scale_reader *reader)
{
    find_gpu(reader, reader->out);
    if (reader->out->is_gpu_family)
        jl_scale_report(reader, JL_REASON_AMBIGUOUS_GPU_MODEL, jl_scale_gpu_path(reader),
                        "several GPUs have this name; the smallest TFLOPS are taken");
    return reader->out->gpu_tflops;
}

/* A percent of one GPU instead of TFLOPS. */
static bool read_percent(struct jl_scale_reader *reader, struct json_object *side,
                         const struct leaf *leaf, const char *path, struct jl_amounts *out)
{
    struct json_object *value = jl_fusion_member(side, "compute");
    const char *text = NULL;
    double percent = 0;
    if (leaf->usage != JL_USAGE_TFLOPS || value == NULL)
        return true;
    const char *where = JL_SCALE_JOIN(reader, path, ".", leaf->side, ".compute");
    if (!parse_amount(reader, value, where, &percent, &text))
        return false;
    if (!(percent > 0))
        return true;
    const double capacity = gpu_tflops(reader);
    if (!(capacity > 0)) {
        jl_scale_report(reader, JL_REASON_NEEDS_GPU_MODEL, where,
                        "a percent of a GPU whose TFLOPS nobody said");
        return false;
    }
    set_amount(out, leaf, percent * capacity / PERCENT);
    return true;
}

static bool read_leaf(struct jl_scale_reader *reader, struct json_object *resources,
                      const struct leaf *leaf, const char *path, struct jl_amounts *out)
{
    struct json_object *side = jl_fusion_member(resources, leaf->side);
    struct json_object *value = jl_fusion_member(side, leaf->key);
    const char *text = NULL;
    double amount = 0;
    if (value != NULL &&
        !parse_amount(reader, value, JL_SCALE_JOIN(reader, path, ".", leaf->side, ".", leaf->key),
                      &amount, &text))
        return false;
    if (!(amount > 0)) /* zero means unset */
        return read_percent(reader, side, leaf, path, out);
    set_amount(out, leaf, amount);
    if (jl_amount_note(reader->texts, reader->arena, leaf->usage, leaf->is_limit, amount, text) < 0)
        reader->code = jl_fail_memory(reader->err);
    return true;
}

bool jl_scale_amounts(struct jl_scale_reader *reader, struct json_object *resources,
                      const char *path, struct jl_amounts *out)
{
    bool is_good = true;
    for (size_t i = 0; i < JL_COUNT(leaves); i++)
        is_good = read_leaf(reader, resources, &leaves[i], path, out) && is_good;
    return is_good;
}

/* ---- cron ---- */

/* A text of a rule; NULL = absent or empty. */
static const char *rule_text(struct json_object *rule, const char *key)
{
    struct json_object *value = jl_fusion_member(rule, key);
    if (json_object_get_type(value) != json_type_string)
        return NULL;
    const char *text = json_object_get_string(value);
    return jl_is_empty(text) ? NULL : text;
}

static bool read_schedule(struct jl_scale_reader *reader, const char *text, const char *where,
                          struct jl_cron *out, const struct jl_time_zone **out_zone)
{
    const struct jl_zone_finder *zones = reader->source->zones;
    const size_t len = jl_text(text).len;
    struct joulie_error err = { .struct_size = sizeof err };
    int rc = reader->out->model == JL_AUTOSCALE_V2_17_1
                 ? jl_cron_parse_v2_17_1(text, len, out, &err)
                 : jl_cron_parse(text, len, out, &err);
    if (rc < 0) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, where, jl_scale_copy(reader, err.message));
        return false;
    }
    *out_zone = NULL;
    if (out->zone[0] == '\0')
        return true;
    rc = zones != NULL ? zones->find_zone(zones->user, out->zone, out_zone) : JOULIE_E_PARSE;
    if (rc == 0)
        return true;
    if (rc == JOULIE_E_NOMEM)
        reader->code = jl_fail_memory(reader->err);
    jl_scale_report(reader, JL_REASON_INVALID_FIELD, where,
                    "the time zone cannot be found or read");
    return false;
}

/* What the kind's table refuses of a rule is reported, and the rule does not count. */
static bool check_rule(struct jl_scale_reader *reader, struct json_object *rule, const char *path)
{
    struct jl_raw text;
    struct jl_fusion_cron_rule decoded;
    struct joulie_error err = { .struct_size = sizeof err };
    if (jl_tree_print(rule, reader->arena, &text) < 0) {
        reader->code = jl_fail_memory(reader->err);
        return false;
    }
    struct jl_decode decode = {
        .arena = reader->arena, .text = text.text, .len = text.len, .err = &err
    };
    const int rc = jl_decode_document(&decode, &jl_fusion_cron_rule_table, &decoded);
    if (rc == JOULIE_E_NOMEM)
        reader->code = jl_fail_memory(reader->err);
    if (rc >= 0)
        return true;
    jl_scale_report(reader, JL_REASON_INVALID_FIELD,
                    JL_SCALE_JOIN(reader, path, err.where[0] != '\0' ? "." : "", err.where),
                    jl_scale_copy(reader, err.message));
    return false;
}

static bool read_rule(struct jl_scale_reader *reader, struct json_object *rule, const char *path,
                      struct jl_cron_rule *out)
{
    if (!check_rule(reader, rule, path))
        return false;
    const char *start = rule_text(rule, "start");
    const char *end = rule_text(rule, "end");
    *out = (struct jl_cron_rule){
        .where_start = JL_SCALE_JOIN(reader, path, ".start"),
        .where_end = JL_SCALE_JOIN(reader, path, ".end"),
    };
    if (!read_schedule(reader, start, out->where_start, &out->start, &out->start_zone) ||
        !read_schedule(reader, end, out->where_end, &out->end, &out->end_zone))
        return false;
    if (jl_cron_is_same_text(start, jl_text(start).len, end, jl_text(end).len)) {
        jl_scale_report(reader, JL_REASON_INVALID_FIELD, out->where_end,
                        "the rule ends when it starts");
        return false;
    }
    return jl_scale_amounts(reader, jl_fusion_member(rule, "desiredResources"),
                            JL_SCALE_JOIN(reader, path, ".desiredResources"), &out->desired);
}

static bool has_other_type(struct json_object *rule, const char *key, enum json_type type)
{
    struct json_object *value = jl_fusion_member(rule, key);
    return value != NULL && json_object_get_type(value) != type;
}

/* A rule that is disabled or lacks a text is skipped; one that has it in another type is
 * not: a person meant it to count. */
static bool is_skipped(struct json_object *rule)
{
    static const char *const texts[] = { "name", "start", "end" };
    struct json_object *enable = jl_fusion_member(rule, "enable");
    bool is_complete = true;
    if (has_other_type(rule, "enable", json_type_boolean))
        return false;
    if (enable == NULL || !json_object_get_boolean(enable))
        return true;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        if (has_other_type(rule, texts[i], json_type_string))
            return false;
        is_complete = is_complete && rule_text(rule, texts[i]) != NULL;
    }
    return !is_complete;
}

static void read_rule_list(struct jl_scale_reader *reader, struct json_object *list,
                           const char *path)
{
    const size_t count = json_object_array_length(list);
    struct jl_cron_rule *rules = JL_NEW_ARRAY(reader->arena, count + 1, struct jl_cron_rule);
    size_t good = 0;
    if (rules == NULL) {
        reader->code = jl_fail_memory(reader->err);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct json_object *rule = json_object_array_get_idx(list, i);
        char number[JL_DOUBLE_TEXT];
        jl_format_u64(i, number);
        if (is_skipped(rule))
            continue;
        if (read_rule(reader, rule, JL_SCALE_JOIN(reader, path, "[", number, "]"), &rules[good]))
            good++;
        else if (reader->out->model == JL_AUTOSCALE_V2_17_1)
            reader->out->percentile.is_on = false; /* one bad rule stops the workload */
    }
    reader->out->rules = rules;
    reader->out->rule_count = good;
}

void jl_scale_read_rules(struct jl_scale_reader *reader)
{
    for (size_t i = 0; i < JL_SCALE_BLOCKS; i++) {
        const struct jl_scale_block *block = &reader->blocks[i];
        struct json_object *list = jl_fusion_member(block->own, "cronScalingRules");
        if (json_object_get_type(list) != json_type_array)
            continue;
        const char *path = JL_SCALE_JOIN(reader, block->path, ".cronScalingRules");
        reader->out->where_rules = path;
        read_rule_list(reader, list, path);
        return;
    }
}

/* ---- external ---- */

static void use_own(struct jl_scale_reader *reader)
{
    for (size_t i = 0; i < JL_SCALE_BLOCKS; i++)
        reader->blocks[i].members = reader->blocks[i].own;
}

/* Reads the blocks as they were written: call it after the layers. */
void jl_scale_read_external(struct jl_scale_reader *reader)
{
    static const char layer[] = "externalScaler";
    struct jl_external_layer *out = &reader->out->external;
    use_own(reader);
    out->is_on = jl_scale_bool(reader, &(struct jl_scale_key){ layer, NULL, "enable" });
    if (!out->is_on)
        return;
    find_gpu(reader, reader->out);
    jl_scale_read_fields(reader, layer, NULL);
}
