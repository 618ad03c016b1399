/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The handle of <joulie/autoscale.h>: life, profile and pool, workers, samples and the external
 * reply, all kept until the next step (autoscaler_step.c).
 */

#include "autoscale/autoscaler.h"

#include <string.h>

#include "autoscale/external.h"
#include "autoscale/profile.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "kinds/tensor_fusion.h"
#include "schema/document.h"

#define SAMPLE_BITS (JOULIE_AUTOSCALE_SAMPLE_HAS_OOM_COUNT * 2 - 1)

/* ---- life ---- */

int joulie_autoscaler_new(const struct joulie_autoscaler_options *options,
                          struct joulie_autoscaler **out, struct joulie_error *err)
{
    struct joulie_autoscaler_options ours = JOULIE_INIT(struct joulie_autoscaler_options);
    if (options != NULL && (JL_SIZED_READ(&ours, options) < 0 || ours.reserved != 0))
        return jl_fail_abi(err, "");
    if ((unsigned)ours.model > JOULIE_AUTOSCALE_V2_17_1)
        return jl_fail(err, JOULIE_E_ENUM, "model", "not a rule set of this build");
    if (!(ours.gpu_tflops >= 0) || !jl_is_finite(ours.gpu_tflops))
        return jl_fail(err, JOULIE_E_RANGE, "gpu_tflops", "negative or not finite");
    struct joulie_autoscaler *scaler = jl_calloc(1, sizeof *scaler);
    struct jl_scale_engine *engine = jl_scale_engine_new();
    if (scaler == NULL || engine == NULL) {
        jl_free(scaler);
        jl_scale_engine_free(engine);
        return jl_fail_memory(err);
    }
    scaler->engine = engine;
    scaler->model =
        ours.model == JOULIE_AUTOSCALE_V2_17_1 ? JL_AUTOSCALE_V2_17_1 : JL_AUTOSCALE_CURRENT;
    scaler->find_zone = ours.find_zone;
    scaler->user = ours.user;
    scaler->gpu_tflops = ours.gpu_tflops;
    *out = scaler;
    return JOULIE_OK;
}

void joulie_autoscaler_free(struct joulie_autoscaler *scaler)
{
    if (scaler == NULL)
        return;
    jl_scale_engine_free(scaler->engine);
    json_object_put(scaler->profile);
    json_object_put(scaler->pool);
    for (size_t i = 0; i < scaler->worker_count; i++)
        jl_free((char *)(uintptr_t)scaler->workers[i].name);
    jl_free(scaler->workers);
    jl_free(scaler->samples);
    jl_arena_clear(&scaler->config_arena);
    jl_arena_clear(&scaler->waiting_arena);
    jl_arena_clear(&scaler->step_arena);
    jl_arena_clear(&scaler->used_arena);
    jl_free(scaler);
}

/* ---- profile and pool ---- */

/* The caller's zones, parsed into the arena of a config. */
struct zones {
    const struct joulie_autoscaler *scaler;
    struct jl_arena *arena;
};

static int find_zone(void *user, const char *name, const struct jl_time_zone **out)
{
    const struct zones *zones = user;
    const void *bytes = NULL;
    size_t len = 0;
    struct jl_time_zone *zone = NULL;
    if (jl_same(name, "UTC")) {
        *out = NULL;
        return 0;
    }
    if (zones->scaler->find_zone == NULL ||
        zones->scaler->find_zone(zones->scaler->user, name, &bytes, &len) != 0)
        return JOULIE_E_PARSE;
    const int rc = jl_zone_parse(bytes, len, zones->arena, &zone, NULL);
    *out = zone;
    return rc;
}

/* Reads the config of a profile and a pool and puts both in force; takes the references over. */
static int use(struct joulie_autoscaler *scaler, struct json_object *profile,
               struct json_object *pool, struct joulie_error *err)
{
    struct jl_arena arena = { 0 };
    struct jl_autoscale_config config = { .model = scaler->model };
    struct jl_amount_texts texts = { 0 };
    struct zones zones = { scaler, &arena };
    const struct jl_zone_finder finder = { find_zone, &zones };
    const struct jl_autoscale_source source = {
        .profile = profile,
        .profile_path = "",
        .pool = pool,
        .pool_path = "pool",
        .gpu_tflops = scaler->gpu_tflops,
        .zones = &finder,
    };
    const int rc = profile == NULL ? 0
                                   : jl_autoscale_config_read(&source, scaler->model, &arena,
                                                              &config, &texts, err);
    if (rc < 0) {
        jl_arena_clear(&arena);
        json_object_put(profile);
        json_object_put(pool);
        return rc;
    }
    json_object_put(scaler->profile);
    json_object_put(scaler->pool);
    jl_arena_clear(&scaler->config_arena);
    scaler->profile = profile;
    scaler->pool = pool;
    scaler->config_arena = arena;
    scaler->config = config;
    scaler->result = (struct jl_scale_result){ 0 };
    return 0;
}

/* Reads a document, an object of the table (NULL: of its kind). */
static int read_tree(const char *text, size_t len, const struct jl_table *table,
                     struct json_object **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    int rc = jl_document_read(&document, text, len, err);
    if (rc < 0)
        return rc;
    arena.limit = document.len * JL_LIMIT_DECODED_FACTOR + JL_LIMIT_DECODED_EXTRA;
    struct jl_decode decode = jl_document_decode(&document, &arena, err);
    const struct jl_raw raw = { .text = document.text, .len = document.len };
    rc = jl_check_json(&decode);
    return rc < 0 ? rc : jl_autoscale_object_read(&decode, &raw, NULL, table, out);
}

int joulie_autoscaler_put_profile(struct joulie_autoscaler *scaler, const char *text, size_t len,
                                  struct joulie_error *err)
{
    struct json_object *profile = NULL;
    const int rc = read_tree(text, len, NULL, &profile, err);
    return rc < 0 ? rc : use(scaler, profile, json_object_get(scaler->pool), err);
}

int joulie_autoscaler_put_pool(struct joulie_autoscaler *scaler, const char *text, size_t len,
                               struct joulie_error *err)
{
    struct json_object *pool = NULL;
    const int rc =
        text == NULL ? 0 : read_tree(text, len, &jl_fusion_autoscaling_table, &pool, err);
    return rc < 0 ? rc : use(scaler, json_object_get(scaler->profile), pool, err);
}

/* ---- workers ---- */

static struct jl_scale_worker *find_worker(struct joulie_autoscaler *scaler, const char *name)
{
    for (size_t i = 0; i < scaler->worker_count; i++) {
        if (jl_same(scaler->workers[i].name, name))
            return &scaler->workers[i];
    }
    return NULL;
}

static int add_worker(struct joulie_autoscaler *scaler, const char *name,
                      struct jl_scale_worker **out, struct joulie_error *err)
{
    void *items = scaler->workers;
    if (scaler->worker_count == JL_AUTOSCALE_MOST_WORKERS)
        return jl_fail(err, JOULIE_E_LIMIT, "workers", "more than %d workers",
                       JL_AUTOSCALE_MOST_WORKERS);
    const int rc =
        jl_grow(&items, &scaler->worker_room, scaler->worker_count + 1, sizeof *scaler->workers);
    scaler->workers = items;
    char *copy = rc == 0 ? jl_strdup(name) : NULL;
    if (copy == NULL)
        return jl_fail_memory(err);
    *out = &scaler->workers[scaler->worker_count++];
    **out = (struct jl_scale_worker){ .name = copy };
    return 0;
}

int joulie_autoscaler_put_worker(struct joulie_autoscaler *scaler,
                                 const struct joulie_autoscale_worker *worker,
                                 struct joulie_error *err)
{
    struct joulie_autoscale_worker ours;
    if (JL_SIZED_READ(&ours, worker) < 0 || ours.reserved != 0 ||
        (ours.has & ~JOULIE_AUTOSCALE_WORKER_HAS_CREATED) != 0)
        return jl_fail_abi(err, "");
    const bool has_created = (ours.has & JOULIE_AUTOSCALE_WORKER_HAS_CREATED) != 0;
    if (has_created &&
        (ours.created_ms > JL_AUTOSCALER_MOST_MS || ours.created_ms < -JL_AUTOSCALER_MOST_MS))
        return jl_fail(err, JOULIE_E_RANGE, "created_ms", "outside the years 1824 to 2115");
    if ((unsigned)ours.is_dedicated > 1)
        return jl_fail(err, JOULIE_E_RANGE, "is_dedicated", "neither 0 nor 1");
    if (jl_is_empty(ours.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "name", "a worker needs a name");
    if (strlen(ours.name) > JL_AUTOSCALE_LONGEST_NAME)
        return jl_fail(err, JOULIE_E_RANGE, "name", "longer than the 253 bytes of a pod's name");
    struct jl_scale_worker *known = find_worker(scaler, ours.name);
    if (known == NULL) {
        const int rc = add_worker(scaler, ours.name, &known, err);
        if (rc < 0)
            return rc;
    }
    known->has_created = has_created;
    known->created_ns = has_created ? ours.created_ms * JL_NS_PER_MS : 0;
    known->is_dedicated = ours.is_dedicated == 1;
    scaler->has_workers = true;
    return JOULIE_OK;
}

void joulie_autoscaler_remove_worker(struct joulie_autoscaler *scaler, const char *name)
{
    struct jl_scale_worker *worker = find_worker(scaler, name);
    if (worker == NULL)
        return;
    jl_free((char *)(uintptr_t)worker->name);
    scaler->worker_count--;
    const size_t behind = scaler->worker_count - (size_t)(worker - scaler->workers);
    memmove(worker, worker + 1, behind * sizeof *worker);
}

/* ---- samples ---- */

static const void *row_at(const void *first, int64_t stride, size_t row)
{
    return (const char *)first + stride * (int64_t)row;
}

/* The bits of a row, whether there are columns for them or not. */
static uint64_t bits_at(const struct joulie_autoscale_samples *in, size_t row)
{
    return in->has.at != NULL ? *(const uint64_t *)row_at(in->has.at, in->has.stride, row)
                              : SAMPLE_BITS;
}

static int fail_row(size_t row, const char *what, struct joulie_error *err)
{
    char where[JL_DOUBLE_TEXT + 8] = "samples[";
    const size_t len = strlen(where);
    const size_t digits = jl_format_u64(row, where + len);
    where[len + digits] = ']';
    where[len + digits + 1] = '\0';
    return jl_fail(err, JOULIE_E_RANGE, where, "%s", what);
}

static int read_row(const struct joulie_autoscale_samples *in, const char *const *names, size_t row,
                    struct jl_scale_sample *out, struct joulie_error *err)
{
    /* in the order of enum jl_sample_number and of JOULIE_AUTOSCALE_SAMPLE_HAS_* */
    const struct joulie_column *const columns[JL_SAMPLE_NUMBERS] = {
        &in->tflops, &in->vram_bytes, &in->tflops_limit, &in->throttled_count, &in->oom_count,
    };
    const int32_t worker =
        in->worker.at != NULL ? *(const int32_t *)row_at(in->worker.at, in->worker.stride, row) : 0;
    if (worker < 0 || (size_t)worker >= in->worker_count)
        return fail_row(row, "there is no such worker", err);
    if (in->at_ms.at == NULL)
        return fail_row(row, "nobody says when it was measured", err);
    const int64_t at_ms = *(const int64_t *)row_at(in->at_ms.at, in->at_ms.stride, row);
    if (at_ms > JL_AUTOSCALER_MOST_MS || at_ms < -JL_AUTOSCALER_MOST_MS)
        return fail_row(row, "outside the years 1824 to 2115", err);
    *out = (struct jl_scale_sample){ .worker = names[worker], .at_ns = at_ms * JL_NS_PER_MS };
    for (size_t i = 0; i < JL_COUNT(columns); i++) {
        out->has[i] = columns[i]->at != NULL && (bits_at(in, row) >> i & 1) != 0;
        if (columns[i]->at != NULL)
            out->number[i] = *(const double *)row_at(columns[i]->at, columns[i]->stride, row);
    }
    return 0;
}

static const char **copy_names(struct joulie_autoscaler *scaler,
                               const struct joulie_autoscale_samples *in)
{
    const char **names = JL_NEW_ARRAY(&scaler->waiting_arena, in->worker_count + 1, const char *);
    for (size_t i = 0; names != NULL && i < in->worker_count; i++) {
        names[i] = jl_arena_string(&scaler->waiting_arena, in->workers[i]);
        if (names[i] == NULL)
            return NULL;
    }
    return names;
}

int joulie_autoscaler_put_samples(struct joulie_autoscaler *scaler,
                                  const struct joulie_autoscale_samples *samples, size_t count,
                                  struct joulie_error *err)
{
    struct joulie_autoscale_samples in;
    if (JL_SIZED_READ(&in, samples) < 0)
        return jl_fail_abi(err, "");
    if (count > JL_AUTOSCALER_MOST_SAMPLES - scaler->sample_count)
        return jl_fail(err, JOULIE_E_LIMIT, "samples", "more than 1048576 samples wait");
    if (count == 0)
        return JOULIE_OK;
    for (size_t i = 0; i < in.worker_count; i++) {
        if (jl_is_empty(in.workers[i]))
            return jl_fail(err, JOULIE_E_REQUIRED, "workers", "a worker needs a name");
        if (strlen(in.workers[i]) > JL_AUTOSCALE_LONGEST_NAME)
            return jl_fail(err, JOULIE_E_RANGE, "workers",
                           "a name is longer than the 253 bytes of a pod's name");
    }
    void *items = scaler->samples;
    int rc = jl_grow(&items, &scaler->sample_room, scaler->sample_count + count,
                     sizeof *scaler->samples);
    scaler->samples = items;
    const char **names = rc == 0 ? copy_names(scaler, &in) : NULL;
    if (names == NULL)
        return jl_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if ((bits_at(&in, i) & ~SAMPLE_BITS) != 0)
            return jl_fail_abi(err, "");
        rc = read_row(&in, names, i, &scaler->samples[scaler->sample_count + i], err);
        if (rc < 0)
            return rc;
    }
    scaler->sample_count += count;
    return JOULIE_OK;
}

int joulie_autoscaler_put_external(struct joulie_autoscaler *scaler, const char *text, size_t len,
                                   struct joulie_error *err)
{
    struct jl_scale_reply reply = { 0 };
    scaler->has_reply = false;
    if (text == NULL)
        return JOULIE_OK;
    /* The reply's texts point into what was read. */
    const char *copy = jl_arena_copy(&scaler->waiting_arena, text, len);
    if (copy == NULL || jl_external_read(copy, len, &scaler->waiting_arena, &reply) < 0)
        return jl_fail_memory(err);
    scaler->reply = reply;
    scaler->has_reply = true;
    return JOULIE_OK;
}
