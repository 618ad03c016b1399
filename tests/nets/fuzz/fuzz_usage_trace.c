/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Recordings of usage, CSV or lines of JSON: a load has amounts that can be and as many steps as it
 * lasts; a refusal names the line; ends of lines as on Windows and empty lines change nothing. What
 * is read can be played, and what is refused is refused there for the same reason.
 */

#include <math.h>
#include <string.h>

#include <joulie/object.h>
#include <joulie/sim.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "fuzz/fuzz.h"
#include "sim/autoscale_trace.h"

#define MOST_PLAYED_STEPS 30 /* five minutes */

struct reading {
    int rc;
    struct jl_arena arena;
    struct jl_load load;
    struct jl_load_trace trace;
    struct joulie_error err;
};

static struct reading read_load(const char *text, size_t len)
{
    struct reading reading = { .err = JOULIE_INIT(struct joulie_error) };
    reading.rc =
        jl_load_read(text, len, &reading.arena, &reading.load, &reading.trace, &reading.err);
    return reading;
}

static size_t lines_of(const char *text, size_t len)
{
    size_t count = 1;
    for (size_t i = 0; i < len; i++)
        count += text[i] == '\n';
    return count;
}

static void check_reading(const struct reading *reading, const char *text, size_t len)
{
    const struct jl_load *load = &reading->load;
    const struct joulie_error *err = &reading->err;
    if (reading->rc < 0) {
        FUZZ_REQUIRE(reading->rc == err->code && reading->rc != JOULIE_E_INTERNAL);
        FUZZ_REQUIRE(err->message[0] != '\0' && err->line <= lines_of(text, len));
        FUZZ_REQUIRE((err->line > 0) == jl_starts_with(err->where, "line "));
        return;
    }
    FUZZ_REQUIRE(load->count > 0 &&
                 (double)load->count * JL_LOAD_STEP_S <= JL_LOAD_MOST_HOURS * 3600);
    FUZZ_REQUIRE(reading->trace.workers > 0 && reading->trace.workers <= JL_LOAD_MOST_WORKERS);
    FUZZ_REQUIRE(reading->trace.samples >= reading->trace.workers);
    FUZZ_REQUIRE(reading->trace.samples <= lines_of(text, len));
    for (size_t i = 0; i < load->count; i++) {
        FUZZ_REQUIRE(isfinite(load->tflops[i]) && load->tflops[i] >= 0);
        FUZZ_REQUIRE(isfinite(load->vram_bytes[i]) && load->vram_bytes[i] >= 0);
        FUZZ_REQUIRE(load->shared_bytes[i] == 0);
    }
}

static void require_same(const struct reading *a, const struct reading *b)
{
    FUZZ_REQUIRE(a->rc == b->rc);
    if (a->rc < 0)
        return;
    FUZZ_REQUIRE(a->load.count == b->load.count && a->trace.samples == b->trace.samples);
    FUZZ_REQUIRE(a->trace.workers == b->trace.workers && a->trace.censored == b->trace.censored);
    FUZZ_REQUIRE(memcmp(a->load.tflops, b->load.tflops, a->load.count * sizeof(double)) == 0);
    FUZZ_REQUIRE(memcmp(a->load.vram_bytes, b->load.vram_bytes, a->load.count * sizeof(double)) ==
                 0);
}

static void check_line_ends(const struct reading *reading, const char *text, size_t len)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer other = { 0 };
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n')
            jl_put_string(&other, " \r\n\r");
        jl_put_char(&other, text[i]);
    }
    FUZZ_REQUIRE(!other.is_failed);
    struct reading again = read_load(other.data, other.len);
    require_same(reading, &again);
    jl_arena_clear(&again.arena);
}

static void play(const struct reading *reading, const char *text, size_t len)
{
    struct joulie_autoscale_sim_options options = JOULIE_INIT(struct joulie_autoscale_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    options.trace = text;
    options.trace_len = len;
    options.keeps_series = 1;
    const int rc = joulie_simulate_autoscale(&options, &json, &err);
    FUZZ_REQUIRE(rc == reading->rc);
    if (rc < 0) {
        FUZZ_REQUIRE(rc == err.code && err.line == reading->err.line);
        FUZZ_REQUIRE(strcmp(err.message, reading->err.message) == 0);
        FUZZ_REQUIRE(jl_starts_with(err.where, "trace"));
        return;
    }
    char *line = NULL;
    FUZZ_REQUIRE(joulie_format(json, strlen(json), JOULIE_FORM_LINE, &line, &err) == 0);
    FUZZ_REQUIRE(strstr(line, ":null") == NULL); /* every number is one */
    joulie_free(line);
    joulie_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct reading reading = read_load(text, size);
    check_reading(&reading, text, size);
    check_line_ends(&reading, text, size);
    if (reading.rc < 0 || reading.load.count <= MOST_PLAYED_STEPS)
        play(&reading, text, size);
    jl_arena_clear(&reading.arena);
    return 0;
}
