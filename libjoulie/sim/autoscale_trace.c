/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads a recording of usage, CSV or samples as JSON lines, as a demand. Called by
 * autoscale_compare.c.
 */

#include "sim/autoscale_trace.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "kubernetes/quantity.h"
#include "schema/decode.h"
#include "sim/trace.h"

#define MS_PER_S 1000
#define STEP_MS (JL_LOAD_STEP_NS / 1000000)
#define HOLDS_STEPS 30       /* five minutes without a sample: the worker has gone */
#define AT_LIMIT_SHARE 0.98  /* as the replicas layer judges */
#define LARGEST_AMOUNT 1e14  /* TFLOPS or bytes, as the percentiles are clamped */
#define MOST_INSTANT_S 253e9 /* a number of seconds that is an instant (RFC 3339) */

#define RECORD line_sample
#define MEMBERS                                                                    \
    STRING(worker, "worker", "Name of the worker.", REQUIRED)                      \
    TIME(at_ms, "t", "When, RFC 3339 or seconds.", REQUIRED, OR_SECONDS)           \
    NUMBER(tflops, "tflops", "Usage, TFLOPS.", REQUIRED, NOT_NEGATIVE)             \
    QUANTITY(vram, "vram", "Usage, bytes as a quantity.", REQUIRED)                \
    NUMBER(limit, "tflopsLimit", "Limit that was in force, TFLOPS.", NOT_NEGATIVE) \
    NUMBER(throttled, "throttledCount", "Counter of throttling.", NOT_NEGATIVE)    \
    NUMBER(oom, "oomCount", "Counter of kills for the memory of its GPU.", NOT_NEGATIVE)
#include "schema/record.h"

enum {
    SAMPLE_WORKER = JL_INDEX(line_sample, worker),
    SAMPLE_T = JL_INDEX(line_sample, at_ms),
    SAMPLE_TFLOPS = JL_INDEX(line_sample, tflops),
    SAMPLE_VRAM = JL_INDEX(line_sample, vram),
    SAMPLE_LIMIT = JL_INDEX(line_sample, limit),
    SAMPLE_THROTTLED = JL_INDEX(line_sample, throttled),
    SAMPLE_OOM = JL_INDEX(line_sample, oom),
};

/* Columns of a CSV file, by the names in its first line. */
static const char *const column_names[] = {
    [SAMPLE_WORKER] = "worker", [SAMPLE_T] = "t",         [SAMPLE_TFLOPS] = "tflops",
    [SAMPLE_VRAM] = "vram",     [SAMPLE_LIMIT] = "limit", [SAMPLE_THROTTLED] = "throttled",
    [SAMPLE_OOM] = "oom",
};
#define COLUMNS JL_COUNT(column_names)
#define NEEDED_COLUMNS SAMPLE_LIMIT /* those before it */

struct kept {
    size_t worker; /* in the order of their first samples */
    int64_t at_ms;
    double tflops;
    double vram_bytes;
    double throttled;
    double oom;
    bool has_throttled, has_oom;
};

struct reader {
    struct jl_arena *scratch;   /* of one line */
    struct jl_arena names_room; /* of the names */
    struct jl_index names;
    size_t columns[COLUMNS]; /* what each field of the file is */
    size_t column_count;
    struct kept *kept;
    size_t count;
    size_t capacity;
    size_t censored;
};

/* ---- lines ---- */

static int fail(struct joulie_error *err, int code, int column, const char *message)
{
    return jl_fail(err, code, column < 0 ? "" : column_names[column], "%s", message);
}

/* A line that ends with a comma has an empty field behind it. */
static bool next_field(struct jl_text *line, bool *is_more, struct jl_text *out)
{
    if (!*is_more)
        return false;
    *is_more = jl_text_find(*line, ',') < line->len;
    *out = jl_text_trim(jl_text_cut(line, ','));
    return true;
}

static int read_head(struct reader *reader, struct jl_text line, struct joulie_error *err)
{
    struct jl_text name;
    bool is_more = true;
    uint64_t seen = 0;
    while (next_field(&line, &is_more, &name)) {
        size_t column = 0;
        while (column < COLUMNS && !jl_text_is(name, column_names[column]))
            column++;
        if (column == COLUMNS)
            return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "",
                           "there is no column \"%.*s\"; there are t, worker, tflops, vram, limit, "
                           "throttled and oom",
                           (int)(name.len < 64 ? name.len : 64), name.ptr);
        if (seen >> column & 1)
            return fail(err, JOULIE_E_CONFLICT, (int)column, "the column is there twice");
        seen |= UINT64_C(1) << column;
        reader->columns[reader->column_count++] = column;
    }
    for (size_t column = 0; column < NEEDED_COLUMNS; column++) {
        if (!(seen >> column & 1))
            return fail(err, JOULIE_E_REQUIRED, (int)column,
                        "the first line does not name this column");
    }
    return 0;
}

static int read_number(struct jl_text field, int column, double *out, struct joulie_error *err)
{
    const int rc = jl_parse_double(field.ptr, field.len, out);
    if (rc < 0)
        return fail(err, rc, column, "not a number");
    return *out < 0 ? fail(err, JOULIE_E_RANGE, column, "below 0") : 0;
}

static int read_instant(struct jl_text field, int64_t *out, struct joulie_error *err)
{
    double seconds = 0;
    if (jl_parse_time(field.ptr, field.len, out) == 0)
        return 0;
    if (jl_parse_double(field.ptr, field.len, &seconds) < 0)
        return fail(err, JOULIE_E_PARSE, SAMPLE_T, "neither RFC 3339 nor seconds");
    if (!(seconds >= 0 && seconds <= MOST_INSTANT_S))
        return fail(err, JOULIE_E_RANGE, SAMPLE_T, "not an instant");
    *out = (int64_t)jl_round_half_away(seconds * MS_PER_S);
    return 0;
}

static int read_field(struct reader *reader, size_t column, struct jl_text field,
                      struct line_sample *out, struct joulie_error *err)
{
    const bool is_optional = column >= NEEDED_COLUMNS;
    if (field.len == 0)
        return is_optional ? 0 : fail(err, JOULIE_E_REQUIRED, (int)column, "the field is empty");
    out->has |= UINT64_C(1) << column;
    switch (column) {
    case SAMPLE_WORKER:
        out->worker = jl_arena_copy(reader->scratch, field.ptr, field.len);
        return out->worker ? 0 : jl_fail_memory(err);
    case SAMPLE_VRAM:
        out->vram = jl_arena_copy(reader->scratch, field.ptr, field.len);
        return out->vram ? 0 : jl_fail_memory(err);
    case SAMPLE_T:
        return read_instant(field, &out->at_ms, err);
    case SAMPLE_TFLOPS:
        return read_number(field, SAMPLE_TFLOPS, &out->tflops, err);
    case SAMPLE_LIMIT:
        return read_number(field, SAMPLE_LIMIT, &out->limit, err);
    case SAMPLE_THROTTLED:
        return read_number(field, SAMPLE_THROTTLED, &out->throttled, err);
    default:
        return read_number(field, SAMPLE_OOM, &out->oom, err);
    }
}

static int read_fields(struct reader *reader, struct jl_text line, struct line_sample *out,
                       struct joulie_error *err)
{
    struct jl_text field;
    bool is_more = true;
    size_t count = 0;
    int rc = 0;
    if (jl_text_find(line, '"') < line.len)
        return fail(err, JOULIE_E_PARSE, -1, "quoted fields are not read");
    while (rc == 0 && next_field(&line, &is_more, &field)) {
        if (count == reader->column_count)
            return fail(err, JOULIE_E_PARSE, -1, "more fields than the first line names");
        rc = read_field(reader, reader->columns[count++], field, out, err);
    }
    if (rc == 0 && count < reader->column_count)
        return fail(err, JOULIE_E_PARSE, -1, "fewer fields than the first line names");
    return rc;
}

/* ---- samples ---- */

static int worker_of(struct reader *reader, const char *name, size_t *out, struct joulie_error *err)
{
    if (jl_is_empty(name))
        return fail(err, JOULIE_E_REQUIRED, SAMPLE_WORKER, "the worker has no name");
    if (jl_index_get(&reader->names, name, out))
        return 0;
    if (reader->names.count == JL_LOAD_MOST_WORKERS)
        return fail(err, JOULIE_E_LIMIT, SAMPLE_WORKER, "more than 4096 workers");
    const char *mine = jl_arena_string(&reader->names_room, name);
    *out = reader->names.count;
    if (!mine || jl_index_set(&reader->names, mine, *out) < 0)
        return jl_fail_memory(err);
    return 0;
}

static int keep(struct reader *reader, const struct line_sample *sample, struct joulie_error *err)
{
    struct jl_quantity vram;
    struct kept kept = { .at_ms = sample->at_ms,
                         .tflops = sample->tflops,
                         .throttled = sample->throttled,
                         .oom = sample->oom,
                         .has_throttled = sample->given.throttled,
                         .has_oom = sample->given.oom };
    int rc = worker_of(reader, sample->worker, &kept.worker, err);
    if (rc < 0)
        return rc;
    rc = jl_parse_quantity(sample->vram, strlen(sample->vram), &vram);
    if (rc == 0)
        kept.vram_bytes = jl_quantity_to_double(&vram);
    if (rc < 0)
        return fail(err, rc, SAMPLE_VRAM, "not a quantity");
    if (vram.nano < 0 || kept.vram_bytes > LARGEST_AMOUNT)
        return fail(err, JOULIE_E_RANGE, SAMPLE_VRAM, "not a size of memory");
    if (kept.tflops > LARGEST_AMOUNT)
        return fail(err, JOULIE_E_RANGE, SAMPLE_TFLOPS, "above 1e14");
    reader->censored += sample->given.limit && sample->limit > 0 &&
                        sample->tflops >= AT_LIMIT_SHARE * sample->limit;
    if (JL_GROW(&reader->kept, &reader->capacity, reader->count + 1) < 0)
        return jl_fail_memory(err);
    reader->kept[reader->count++] = kept;
    return 0;
}

static int read_line(struct reader *reader, struct jl_text line, bool is_json,
                     struct joulie_error *err)
{
    struct line_sample sample = { .has = 0 };
    int rc;
    jl_arena_reset(reader->scratch);
    if (line.len > JL_LIMIT_TRACE_LINE_BYTES)
        return fail(err, JOULIE_E_LIMIT, -1, "the line is longer than 1 MiB");
    if (is_json) {
        struct jl_decode decode = {
            .arena = reader->scratch, .text = line.ptr, .len = line.len, .err = err
        };
        rc = jl_decode_document(&decode, &line_sample_table, &sample);
    } else if (reader->column_count == 0) {
        return read_head(reader, line, err);
    } else {
        rc = read_fields(reader, line, &sample, err);
    }
    return rc < 0 ? rc : keep(reader, &sample, err);
}

static int read_lines(struct reader *reader, struct jl_text text, struct joulie_error *err)
{
    const struct jl_text body = jl_text_trim(text);
    const bool is_json = body.len > 0 && body.ptr[0] == '{';
    for (size_t number = 1; text.len > 0; number++) {
        const struct jl_text line = jl_text_trim(jl_text_cut(&text, '\n'));
        const int rc = line.len == 0 ? 0 : read_line(reader, line, is_json, err);
        if (rc < 0) {
            jl_trace_place_error(err, number);
            return rc;
        }
    }
    if (reader->count == 0)
        return jl_fail(err, JOULIE_E_REQUIRED, "", "there is no sample");
    return 0;
}

/* ---- the load ---- */

static int compare_kept(const void *a, const void *b, void *user)
{
    const struct kept *left = a;
    const struct kept *right = b;
    (void)user;
    const int order = JL_ORDER(left->worker, right->worker);
    return order != 0 ? order : JL_ORDER(left->at_ms, right->at_ms);
}

static size_t step_of(const struct kept *sample, int64_t start_ms)
{
    return (size_t)((sample->at_ms - start_ms) / STEP_MS);
}

/* Throttled, or killed for its memory: it would have used more than it did. */
static bool is_cut_off(const struct kept *sample, const struct kept *next)
{
    const bool is_throttled =
        sample->has_throttled && next->has_throttled && next->throttled > sample->throttled;
    const bool is_killed = sample->has_oom && next->has_oom && next->oom > sample->oom;
    return is_throttled || is_killed;
}

/* From the sample's step to the next one of the worker. */
static void put_sample(struct jl_load *load, const struct kept *sample, const struct kept *next,
                       int64_t start_ms, double *held_tflops, double *held_vram)
{
    const size_t step = step_of(sample, start_ms);
    const bool is_same_worker = next && next->worker == sample->worker;
    const size_t until = is_same_worker ? step_of(next, start_ms) : load->count;
    *held_tflops = jl_max(*held_tflops, sample->tflops);
    *held_vram = jl_max(*held_vram, sample->vram_bytes);
    if (until == step && is_same_worker) /* another one in the same step: the largest counts */
        return;
    for (size_t i = step; i < until && i < step + HOLDS_STEPS; i++) {
        const bool is_first = i == step;
        load->tflops[i] += is_first ? *held_tflops : sample->tflops;
        load->vram_bytes[i] =
            jl_max(load->vram_bytes[i], is_first ? *held_vram : sample->vram_bytes);
    }
    *held_tflops = 0;
    *held_vram = 0;
}

/* Samples per worker in time, spread over the steps that they hold for. */
static int build(struct reader *reader, struct jl_arena *arena, struct jl_load *out,
                 struct joulie_error *err)
{
    int64_t start_ms = INT64_MAX;
    int64_t end_ms = INT64_MIN;
    if (jl_sort(reader->kept, reader->count, sizeof *reader->kept, compare_kept, NULL) < 0)
        return jl_fail_memory(err);
    for (size_t i = 0; i < reader->count; i++) {
        start_ms = reader->kept[i].at_ms < start_ms ? reader->kept[i].at_ms : start_ms;
        end_ms = reader->kept[i].at_ms > end_ms ? reader->kept[i].at_ms : end_ms;
    }
    const int64_t steps = (end_ms - start_ms) / STEP_MS + 1;
    if ((double)steps * JL_LOAD_STEP_S > JL_LOAD_MOST_HOURS * 3600)
        return jl_fail(err, JOULIE_E_LIMIT, "", "the recording is longer than 768 hours");
    struct jl_load load = { .count = (size_t)steps,
                            .tflops = JL_NEW_ARRAY(arena, (size_t)steps, double),
                            .vram_bytes = JL_NEW_ARRAY(arena, (size_t)steps, double),
                            .shared_bytes = JL_NEW_ARRAY(arena, (size_t)steps, double) };
    if (!load.tflops || !load.vram_bytes || !load.shared_bytes)
        return jl_fail_memory(err);
    double held_tflops = 0;
    double held_vram = 0;
    for (size_t i = 0; i < reader->count; i++) {
        const struct kept *sample = &reader->kept[i];
        const struct kept *next = i + 1 < reader->count ? sample + 1 : NULL;
        put_sample(&load, sample, next, start_ms, &held_tflops, &held_vram);
        reader->censored += next && next->worker == sample->worker && is_cut_off(sample, next);
    }
    *out = load;
    return 0;
}

int jl_load_read(const char *text, size_t len, struct jl_arena *arena, struct jl_load *out,
                 struct jl_load_trace *out_trace, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    struct reader reader = { .scratch = &scratch };
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    int rc = read_lines(&reader, (struct jl_text){ text, len }, &detail);
    if (rc == 0)
        rc = build(&reader, arena, out, &detail);
    if (rc == 0)
        *out_trace = (struct jl_load_trace){ reader.count, reader.names.count, reader.censored };
    else
        jl_error_export(&detail, err);
    jl_index_clear(&reader.names);
    jl_arena_clear(&reader.names_room);
    jl_free(reader.kept);
    return rc;
}
