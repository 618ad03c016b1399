/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The annotations of a Pod that set fields of its profile
 * (docs/rules/tensor-fusion.md#annotations). resolve.c puts them before all other sources.
 */

#define JL_ADMISSION_TABLES
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
    const char *domain;
    struct jl_arena *arena;
    struct jl_fusion_annotations *out;
    struct joulie_error *err;
    int code; /* of a failure that is no warning */
};

struct annotation;

/* False: the text is not accepted, and nothing is set. */
typedef bool read_fn(struct reader *reader, const struct annotation *annotation, const char *text);

struct annotation {
    const char *name;
    const char *expected; /* for the warning */
    read_fn *read;
    const struct jl_table *table; /* of the record that the member is in; NULL = it has no bit */
    size_t offset; /* in struct jl_fusion_annotations: of the record, or the member */
    unsigned row;  /* of the member in its record */
};

/* The member that an annotation sets, marked as present. */
static void *member_of(struct reader *reader, const struct annotation *annotation)
{
    void *at = (char *)reader->out + annotation->offset;
    if (annotation->table == NULL)
        return at;
    *(uint64_t *)at |= UINT64_C(1) << annotation->row;
    return (char *)at + annotation->table->rows[annotation->row].offset;
}

static bool put_text(struct reader *reader, const struct annotation *annotation, const char *text)
{
    *(const char **)member_of(reader, annotation) = text;
    return true;
}

static bool read_name(struct reader *reader, const struct annotation *annotation, const char *text)
{
    return text[0] != '\0' && put_text(reader, annotation, text);
}

static bool read_bool(struct reader *reader, const struct annotation *annotation, const char *text)
{
    const bool is_true = jl_same(text, "true");
    if (!is_true && !jl_same(text, "false"))
        return false;
    *(bool *)member_of(reader, annotation) = is_true;
    return true;
}

/* What can only be switched on. */
static bool read_true(struct reader *reader, const struct annotation *annotation, const char *text)
{
    return jl_same(text, "true") && read_bool(reader, annotation, text);
}

static bool read_gpu_count(struct reader *reader, const struct annotation *annotation,
                           const char *text)
{
    int64_t count = 0;
    if (jl_parse_i64(text, strlen(text), &count) < 0 || count < 1 || count > MOST_GPUS)
        return false;
    *(int64_t *)member_of(reader, annotation) = count;
    return true;
}

/* "0, 2": the GPUs to use, which also counts them. */
static bool read_gpu_indices(struct reader *reader, const struct annotation *annotation,
                             const char *text)
{
    struct jl_text rest = jl_text(text);
    size_t count = 0;
    double *indices = JL_NEW_ARRAY(reader->arena, MOST_GPUS, double);
    if (indices == NULL) {
        reader->code = jl_fail_memory(reader->err);
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
    *(struct jl_list *)member_of(reader, annotation) = (struct jl_list){ indices, count };
    JL_SET(&reader->out->spec, gpu_count, (int64_t)count);
    return true;
}

/* A sidecar is on the GPU server itself. */
static bool read_sidecar(struct reader *reader, const struct annotation *annotation,
                         const char *text)
{
    if (!read_true(reader, annotation, text))
        return false;
    JL_SET(&reader->out->spec, is_local_gpu, true);
    return true;
}

static bool read_isolation(struct reader *reader, const struct annotation *annotation,
                           const char *text)
{
    const int isolation = jl_word_value(&jl_fusion_isolation_words, jl_text(text));
    if (isolation != 0)
        *(int *)member_of(reader, annotation) = isolation;
    return isolation != 0;
}

/* A PodTemplateSpec in YAML or JSON becomes JSON. */
static bool read_template(struct reader *reader, const struct annotation *annotation,
                          const char *text)
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
        reader->code = jl_fail_memory(reader->err);
        return true;
    }
    if (is_object)
        *(struct jl_raw *)member_of(reader, annotation) = raw;
    return is_object;
}

static bool read_target(struct reader *reader, const struct annotation *annotation,
                        const char *text)
{
    static const char *const targets[] = { "tflops", "compute", "vram", "all" };
    for (size_t i = 0; i < JL_COUNT(targets); i++) {
        if (jl_same(text, targets[i]))
            return put_text(reader, annotation, targets[i]);
    }
    return false;
}

static bool read_gang(struct reader *reader, const struct annotation *annotation, const char *text)
{
    if (!jl_same(text, "true"))
        return false;
    *(enum jl_fusion_gang_mode *)member_of(reader, annotation) = JL_FUSION_GANG_MODE_STRICT;
    return true;
}

static bool is_gang(const struct reader *reader)
{
    return reader->out->spec.gang.given.mode;
}

static bool read_gang_members(struct reader *reader, const struct annotation *annotation,
                              const char *text)
{
    int64_t members = 0;
    if (jl_parse_i64(text, strlen(text), &members) < 0 || members < 0 || members == 1 ||
        members > INT32_MAX || !is_gang(reader))
        return false;
    *(int64_t *)member_of(reader, annotation) = members;
    return true;
}

static bool read_gang_timeout(struct reader *reader, const struct annotation *annotation,
                              const char *text)
{
    int64_t ns = 0;
    return jl_parse_duration(text, strlen(text), &ns) == 0 && ns >= 0 && is_gang(reader) &&
           put_text(reader, annotation, text);
}

/* Zero means unset. */
static bool read_amount(struct reader *reader, const struct annotation *annotation,
                        const char *text)
{
    struct jl_quantity quantity;
    const bool is_percent = annotation->row == JL_INDEX(jl_fusion_amounts, compute);
    if (jl_parse_quantity(text, strlen(text), &quantity) < 0 || quantity.nano < 0 ||
        (is_percent && quantity.nano > (jl_i128)MOST_COMPUTE_PCT * NANO))
        return false;
    return quantity.nano == 0 || put_text(reader, annotation, text);
}

/* A class of service that is none is an error: nobody may get another one than was meant. */
static bool read_qos(struct reader *reader, const struct annotation *annotation, const char *text)
{
    const int qos = jl_word_value(&jl_fusion_qos_words, jl_text(text));
    if (qos != JOULIE_TENSOR_FUSION_QOS_UNKNOWN) {
        *(int *)member_of(reader, annotation) = qos;
        return true;
    }
    const char *where = jl_fusion_annotation_path(reader->arena, reader->domain, annotation->name);
    reader->code = where == NULL ? jl_fail_memory(reader->err)
                                 : jl_fail(reader->err, JOULIE_E_ENUM, where,
                                           "\"%.64s\" is not low, medium, high or critical", text);
    return true;
}

#define OWN(member) NULL, offsetof(struct jl_fusion_annotations, member), 0
#define IN(record, path, member) \
    &record##_table, offsetof(struct jl_fusion_annotations, path), JL_INDEX(record, member)
#define SPEC(member) IN(jl_fusion_spec, spec, member)
#define GANG(member) IN(jl_fusion_gang, spec.gang, member)
#define LAYER(layer) IN(jl_fusion_auto_##layer, spec.autoscaling.layer, enable)
#define REQUEST(amount) IN(jl_fusion_amounts, spec.resources.requests, amount)
#define LIMIT(amount) IN(jl_fusion_amounts, spec.resources.limits, amount)

/* In the order in which they count: a later one overwrites what an earlier one set. */
static const struct annotation annotations[] = {
    { "client-profile", "a name", read_name, OWN(profile) }, /* before v1.36.0 */
    { "workload-profile", "a name", read_name, OWN(profile) },
    { "gpu-count", "an integer from 1 to 128", read_gpu_count, SPEC(gpu_count) },
    { "gpu-indices", "integers with commas between", read_gpu_indices, SPEC(gpu_indices) },
    { "gpu-model", "a model", put_text, SPEC(gpu_model) },
    { "vendor", "a vendor", put_text, SPEC(vendor) },
    { "gpupool", "a name", read_name, SPEC(pool_name) },
    { "is-local-gpu", "true or false", read_bool, SPEC(is_local_gpu) },
    { "sidecar-worker", "true", read_sidecar, SPEC(sidecar_worker) },
    { "compute-isolation", "shared, soft, hard or partitioned", read_isolation,
      SPEC(isolation) }, /* v1.48.0 */
    { "isolation", "shared, soft, hard or partitioned", read_isolation, SPEC(isolation) },
    { "partition-id", "a partition template", read_name, OWN(partition) },
    { "worker-pod-template", "a PodTemplateSpec", read_template, SPEC(worker_pod_template) },
    { "auto-limits", "true", read_true, LAYER(limits) },
    { "auto-requests", "true", read_true, LAYER(requests) },
    { "auto-replicas", "true", read_true, LAYER(replicas) },
    { "auto-resources", "true", read_true, OWN(is_autoscaled) },
    { "autoscale", "true", read_true, OWN(is_autoscaled) },
    { "auto-scale-target-resource", "tflops, compute, vram or all", read_target, OWN(target) },
    { "autoscale-target", "tflops, compute, vram or all", read_target, OWN(target) },
    { "gang-enabled", "true", read_gang, GANG(mode) },
    { "gang-min-members", "0 or an integer from 2 on, with gang-enabled", read_gang_members,
      GANG(min_members) },
    { "gang-timeout", "a duration, with gang-enabled", read_gang_timeout, GANG(timeout) },
    { "dedicated-gpu", "true", read_true, OWN(is_dedicated) },
    /* a side's tflops come before its compute, which they beat */
    { "tflops-request", "an amount", read_amount, REQUEST(tflops) },
    { "tflops-limit", "an amount", read_amount, LIMIT(tflops) },
    { "vram-request", "an amount", read_amount, REQUEST(vram) },
    { "vram-limit", "an amount", read_amount, LIMIT(vram) },
    { "compute-percent-request", "an amount", read_amount, REQUEST(compute) },
    { "compute-percent-limit", "an amount", read_amount, LIMIT(compute) },
    { "qos", "", read_qos, SPEC(qos) },
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
    JL_SET(warning, reason, reason);
    JL_SET(warning, where, where);
    JL_SET(warning, message, message);
    return 0;
}

const char *jl_fusion_annotation_path(struct jl_arena *arena, const char *domain, const char *name)
{
    return JL_JOIN(arena, "pod.annotations.", domain, "/", name);
}

static int warn_invalid(struct jl_admission_warnings *warnings, const char *domain,
                        const char *name, const char *expected)
{
    const char *where = jl_fusion_annotation_path(warnings->arena, domain, name);
    const char *message =
        JL_JOIN(warnings->arena, "it is not ", expected, "; the next source counts");
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

int jl_fusion_annotations(const struct jl_map *map, const char *domain,
                          struct jl_admission_warnings *warnings, struct jl_fusion_annotations *out,
                          struct joulie_error *err)
{
    struct reader reader = { .domain = domain, .arena = warnings->arena, .out = out, .err = err };
    *out = (struct jl_fusion_annotations){ 0 };
    for (size_t i = 0; i < JL_COUNT(annotations) && reader.code == 0; i++) {
        const struct annotation *annotation = &annotations[i];
        const char *text = value_of(map, domain, annotation->name);
        if (text != NULL && !annotation->read(&reader, annotation, text) &&
            warn_invalid(warnings, domain, annotation->name, annotation->expected) < 0)
            reader.code = jl_fail_memory(err);
    }
    return reader.code;
}
