/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The annotations of a Pod that set fields of its profile
 * (docs/rules/tensor-fusion.md#annotations). resolve.c puts them before all other sources.
 */

#include "tensor_fusion/annotations.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/time.h"
#include "kubernetes/quantity.h"
#include "schema/yaml_to_json.h"

#define MOST_GPUS 128         /* of one worker */
#define MOST_COMPUTE_PCT 100  /* of one GPU */
#define MOST_INDEX 2147483647 /* of a GPU */
#define NANO INT64_C(1000000000)

struct reader {
    struct jl_arena *arena;
    struct jl_fusion_annotations *out;
    bool is_gang; /* gang-enabled, which is read first */
    int code;     /* of a failure that is no warning */
};

/* False: the text is not accepted. */
typedef bool read_fn(struct reader *reader, const char *text);

struct annotation {
    const char *name;
    const char *expected; /* for the warning */
    read_fn *read;
};

struct amount {
    const char *name;
    bool is_limit;
    unsigned bit;
};

/* Those of one amount; a side's tflops come before its compute, which they beat. */
static const struct amount amounts[] = {
    { "tflops-request", false, JL_INDEX(jl_fusion_amounts, tflops) },
    { "tflops-limit", true, JL_INDEX(jl_fusion_amounts, tflops) },
    { "vram-request", false, JL_INDEX(jl_fusion_amounts, vram) },
    { "vram-limit", true, JL_INDEX(jl_fusion_amounts, vram) },
    { "compute-percent-request", false, JL_INDEX(jl_fusion_amounts, compute) },
    { "compute-percent-limit", true, JL_INDEX(jl_fusion_amounts, compute) },
};

static bool read_profile(struct reader *reader, const char *text)
{
    if (text[0] == '\0')
        return false;
    reader->out->profile = text;
    return true;
}

static bool read_gpu_count(struct reader *reader, const char *text)
{
    struct jl_fusion_spec *spec = &reader->out->spec;
    int64_t count = 0;
    if (jl_parse_i64(text, strlen(text), &count) < 0 || count < 1 || count > MOST_GPUS)
        return false;
    JL_SET(spec, gpu_count, count);
    return true;
}

/* "0, 2": the GPUs to use, which also counts them. */
static bool read_gpu_indices(struct reader *reader, const char *text)
{
    struct jl_fusion_spec *spec = &reader->out->spec;
    struct jl_text rest = jl_text(text);
    size_t count = 0;
    double *indices = JL_NEW_ARRAY(reader->arena, MOST_GPUS, double);
    if (indices == NULL) {
        reader->code = jl_arena_code(reader->arena);
        return true;
    }
    for (bool is_last = false; !is_last; count++) {
        is_last = jl_text_find(rest, ',') == rest.len;
        const struct jl_text token = jl_text_trim(jl_text_cut(&rest, ','));
        uint64_t index = 0;
        if (count == MOST_GPUS || jl_parse_u64(token.ptr, token.len, &index) < 0 ||
            index > MOST_INDEX)
            return false;
        indices[count] = (double)index;
    }
    JL_SET(spec, gpu_indices, ((struct jl_list){ indices, count }));
    JL_SET(spec, gpu_count, (int64_t)count);
    return true;
}

static bool read_gpu_model(struct reader *reader, const char *text)
{
    JL_SET(&reader->out->spec, gpu_model, text);
    return true;
}

static bool read_vendor(struct reader *reader, const char *text)
{
    JL_SET(&reader->out->spec, vendor, text);
    return true;
}

static bool read_pool(struct reader *reader, const char *text)
{
    if (text[0] == '\0')
        return false;
    JL_SET(&reader->out->spec, pool_name, text);
    return true;
}

static bool read_is_local_gpu(struct reader *reader, const char *text)
{
    if (!jl_same(text, "true") && !jl_same(text, "false"))
        return false;
    JL_SET(&reader->out->spec, is_local_gpu, jl_same(text, "true"));
    return true;
}

static bool read_sidecar(struct reader *reader, const char *text)
{
    struct jl_fusion_spec *spec = &reader->out->spec;
    if (!jl_same(text, "true"))
        return false;
    JL_SET(spec, sidecar_worker, true);
    JL_SET(spec, is_local_gpu, true);
    return true;
}

static bool read_isolation(struct reader *reader, const char *text)
{
    const int isolation = jl_word_value(&jl_fusion_isolation_words, jl_text(text));
    if (isolation == 0)
        return false;
    JL_SET(&reader->out->spec, isolation, (enum joulie_tensor_fusion_isolation)isolation);
    return true;
}

static bool read_partition(struct reader *reader, const char *text)
{
    if (text[0] == '\0')
        return false;
    reader->out->partition = text;
    return true;
}

/* A PodTemplateSpec in YAML or JSON becomes JSON. */
static bool read_template(struct reader *reader, const char *text)
{
    struct jl_buffer json = { 0 };
    struct jl_line_map lines = { 0 };
    struct jl_raw raw = { 0 };
    const int rc = jl_yaml_to_json(text, strlen(text), &json, &lines, NULL);
    const bool is_object = rc == 0 && json.len > 0 && json.data[0] == '{';
    if (is_object) {
        raw.text = jl_arena_copy(reader->arena, json.data, json.len);
        raw.len = json.len;
    }
    jl_buffer_clear(&json);
    jl_line_map_clear(&lines);
    if (rc == JOULIE_E_NOMEM || (is_object && raw.text == NULL)) {
        reader->code = JOULIE_E_NOMEM;
        return true;
    }
    if (is_object)
        JL_SET(&reader->out->spec, worker_pod_template, raw);
    return is_object;
}

static bool read_auto_limits(struct reader *reader, const char *text)
{
    struct jl_fusion_autoscaling *scaling = &reader->out->spec.autoscaling;
    if (!jl_same(text, "true"))
        return false;
    JL_SET(&scaling->limits, enable, true);
    return true;
}

static bool read_auto_requests(struct reader *reader, const char *text)
{
    struct jl_fusion_autoscaling *scaling = &reader->out->spec.autoscaling;
    if (!jl_same(text, "true"))
        return false;
    JL_SET(&scaling->requests, enable, true);
    return true;
}

static bool read_auto_replicas(struct reader *reader, const char *text)
{
    struct jl_fusion_autoscaling *scaling = &reader->out->spec.autoscaling;
    if (!jl_same(text, "true"))
        return false;
    JL_SET(&scaling->replicas, enable, true);
    return true;
}

static bool read_autoscale(struct reader *reader, const char *text)
{
    const bool is_true = jl_same(text, "true");
    reader->out->is_autoscaled |= is_true;
    return is_true;
}

static bool read_target(struct reader *reader, const char *text)
{
    static const char *const targets[] = { "tflops", "compute", "vram", "all" };
    for (size_t i = 0; i < JL_COUNT(targets); i++) {
        if (!jl_same(text, targets[i]))
            continue;
        reader->out->target = targets[i];
        return true;
    }
    return false;
}

static bool read_gang(struct reader *reader, const char *text)
{
    reader->is_gang = jl_same(text, "true");
    if (reader->is_gang)
        JL_SET(&reader->out->spec.gang, mode, JL_FUSION_GANG_MODE_STRICT);
    return reader->is_gang;
}

static bool read_gang_members(struct reader *reader, const char *text)
{
    int64_t members = 0;
    if (jl_parse_i64(text, strlen(text), &members) < 0 || members < 0 || members == 1 ||
        members > INT32_MAX)
        return false;
    if (reader->is_gang)
        JL_SET(&reader->out->spec.gang, min_members, members);
    return reader->is_gang;
}

static bool read_gang_timeout(struct reader *reader, const char *text)
{
    int64_t ns = 0;
    if (jl_parse_duration(text, strlen(text), &ns) < 0 || ns < 0)
        return false;
    if (reader->is_gang)
        JL_SET(&reader->out->spec.gang, timeout, text);
    return reader->is_gang;
}

static bool read_dedicated(struct reader *reader, const char *text)
{
    reader->out->is_dedicated = jl_same(text, "true");
    return reader->out->is_dedicated;
}

/* In the order in which they count: a later one overwrites what an earlier one set. */
static const struct annotation annotations[] = {
    { "client-profile", "a name", read_profile }, /* before v1.36.0 */
    { "workload-profile", "a name", read_profile },
    { "gpu-count", "an integer from 1 to 128", read_gpu_count },
    { "gpu-indices", "integers with commas between", read_gpu_indices },
    { "gpu-model", "a model", read_gpu_model },
    { "vendor", "a vendor", read_vendor },
    { "gpupool", "a name", read_pool },
    { "is-local-gpu", "true or false", read_is_local_gpu },
    { "sidecar-worker", "true", read_sidecar },
    { "compute-isolation", "shared, soft, hard or partitioned", read_isolation }, /* v1.48.0 */
    { "isolation", "shared, soft, hard or partitioned", read_isolation },
    { "partition-id", "a partition template", read_partition },
    { "worker-pod-template", "a PodTemplateSpec", read_template },
    { "auto-limits", "true", read_auto_limits },
    { "auto-requests", "true", read_auto_requests },
    { "auto-replicas", "true", read_auto_replicas },
    { "auto-resources", "true", read_autoscale },
    { "autoscale", "true", read_autoscale },
    { "auto-scale-target-resource", "tflops, compute, vram or all", read_target },
    { "autoscale-target", "tflops, compute, vram or all", read_target },
    { "gang-enabled", "true", read_gang },
    { "gang-min-members", "0 or an integer from 2 on, with gang-enabled", read_gang_members },
    { "gang-timeout", "a duration, with gang-enabled", read_gang_timeout },
    { "dedicated-gpu", "true", read_dedicated },
};

int jl_admission_warn(struct jl_admission_warnings *warnings, const char *reason, const char *where,
                      const char *message)
{
    struct jl_list *items = &warnings->items;
    if (items->count == warnings->capacity) {
        const size_t capacity = 2 * warnings->capacity + 4;
        struct jl_admission_warning *room =
            JL_NEW_ARRAY(warnings->arena, capacity, struct jl_admission_warning);
        if (room == NULL)
            return jl_arena_code(warnings->arena);
        if (items->count > 0)
            memcpy(room, items->items, items->count * sizeof *room);
        items->items = room;
        warnings->capacity = capacity;
    }
    struct jl_admission_warning *warning = JL_ITEM(*items, jl_admission_warning, items->count++);
    JL_PUT(warning, JL_ADMISSION_REASON, reason, reason);
    JL_PUT(warning, JL_ADMISSION_WHERE, where, where);
    JL_PUT(warning, JL_ADMISSION_MESSAGE, message, message);
    return 0;
}

const char *jl_fusion_annotation_path(struct jl_arena *arena, const char *domain, const char *name)
{
    const char *const parts[] = { "pod.annotations.", domain, "/", name };
    return jl_arena_join(arena, parts, JL_COUNT(parts));
}

static int warn_invalid(struct jl_admission_warnings *warnings, const char *domain,
                        const char *name, const char *expected)
{
    const char *const parts[] = { "it is not ", expected, "; the next source counts" };
    const char *where = jl_fusion_annotation_path(warnings->arena, domain, name);
    const char *message = jl_arena_join(warnings->arena, parts, JL_COUNT(parts));
    if (where == NULL || message == NULL)
        return jl_arena_code(warnings->arena);
    return jl_admission_warn(warnings, "InvalidField", where, message);
}

/* The value of DOMAIN/NAME, or NULL. */
static const char *value_of(const struct jl_map *map, const char *domain, const char *name)
{
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[i].key;
        const size_t len = strlen(domain);
        if (jl_starts_with(key, domain) && key[len] == '/' && jl_same(key + len + 1, name))
            return map->items[i].value;
    }
    return NULL;
}

static bool is_amount(const char *text, unsigned bit)
{
    struct jl_quantity quantity;
    if (jl_parse_quantity(text, strlen(text), &quantity) < 0 || quantity.nano < 0)
        return false;
    return bit != JL_INDEX(jl_fusion_amounts, compute) ||
           quantity.nano <= (jl_i128)MOST_COMPUTE_PCT * NANO;
}

static bool is_zero_amount(const char *text)
{
    struct jl_quantity quantity;
    return jl_parse_quantity(text, strlen(text), &quantity) == 0 && quantity.nano == 0;
}

static void put_amount(struct jl_fusion_spec *spec, const struct amount *amount, const char *text)
{
    struct jl_fusion_amounts *side =
        amount->is_limit ? &spec->resources.limits : &spec->resources.requests;
    if (amount->bit == JL_INDEX(jl_fusion_amounts, tflops))
        side->tflops = text;
    else if (amount->bit == JL_INDEX(jl_fusion_amounts, vram))
        side->vram = text;
    else
        side->compute = text;
    JL_MARK(side, amount->bit);
}

static int read_amounts(const struct jl_map *map, const char *domain,
                        struct jl_admission_warnings *warnings, struct jl_fusion_spec *spec)
{
    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(amounts) && rc == 0; i++) {
        const char *text = value_of(map, domain, amounts[i].name);
        if (text == NULL || is_zero_amount(text)) /* zero means unset */
            continue;
        if (is_amount(text, amounts[i].bit))
            put_amount(spec, &amounts[i], text);
        else
            rc = warn_invalid(warnings, domain, amounts[i].name, "an amount");
    }
    return rc;
}

static int read_qos(const struct jl_map *map, const char *domain, struct jl_arena *arena,
                    struct jl_fusion_spec *spec, struct joulie_error *err)
{
    const char *text = value_of(map, domain, "qos");
    if (text == NULL)
        return 0;
    const int qos = jl_word_value(&jl_fusion_qos_words, jl_text(text));
    if (qos == JOULIE_TENSOR_FUSION_QOS_UNKNOWN) {
        const char *where = jl_fusion_annotation_path(arena, domain, "qos");
        if (where == NULL)
            return jl_fail_memory(err);
        return jl_fail(err, JOULIE_E_ENUM, where, "\"%.64s\" is not low, medium, high or critical",
                       text);
    }
    JL_SET(spec, qos, (enum joulie_tensor_fusion_qos)qos);
    return 0;
}

int jl_fusion_annotations(const struct jl_map *map, const char *domain,
                          struct jl_admission_warnings *warnings, struct jl_fusion_annotations *out,
                          struct joulie_error *err)
{
    struct reader reader = { .arena = warnings->arena, .out = out };
    *out = (struct jl_fusion_annotations){ 0 };
    for (size_t i = 0; i < JL_COUNT(annotations); i++) {
        const struct annotation *annotation = &annotations[i];
        const char *text = value_of(map, domain, annotation->name);
        if (text == NULL)
            continue;
        if (!annotation->read(&reader, text))
            reader.code = warn_invalid(warnings, domain, annotation->name, annotation->expected);
        if (reader.code < 0)
            return jl_fail_memory(err);
    }
    if (read_amounts(map, domain, warnings, &out->spec) < 0)
        return jl_fail_memory(err);
    return read_qos(map, domain, warnings->arena, &out->spec, err);
}
