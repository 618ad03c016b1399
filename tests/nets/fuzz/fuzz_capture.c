/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Traces of a scheduler, of every format: what is read has features within their bounds, and the
 * same in pieces; what is refused says why.
 */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "threads/capture.h"

struct reading {
    int rc;
    struct jl_arena arena;
    struct jl_thread_analysis analysis;
    struct joulie_error err;
};

static struct reading read_pieces(const char *text, size_t len, size_t piece)
{
    struct reading reading = { .err = JOULIE_INIT(struct joulie_error) };
    struct joulie_thread_trace *capture = NULL;
    FUZZ_REQUIRE(joulie_thread_trace_new(&capture, &reading.err) == 0);
    for (size_t at = 0; reading.rc == 0 && at < len; at += piece)
        reading.rc = joulie_thread_trace_feed(capture, text + at,
                                              len - at < piece ? len - at : piece, &reading.err);
    if (reading.rc == 0)
        reading.rc = jl_capture_end(capture, &reading.arena, 42, &reading.analysis, &reading.err);
    joulie_thread_trace_free(capture);
    return reading;
}

static int is_share(double value)
{
    return value >= 0 && value <= 1;
}

static void check(const struct reading *reading)
{
    const struct jl_thread_analysis *analysis = &reading->analysis;
    size_t clustered = analysis->sporadic.count;
    size_t own = 0;
    if (reading->rc < 0) {
        FUZZ_REQUIRE(reading->rc == reading->err.code && reading->rc != JOULIE_E_INTERNAL);
        FUZZ_REQUIRE(reading->err.message[0] != '\0' && reading->err.where[0] != '\0');
        return;
    }
    FUZZ_REQUIRE(analysis->trace_us > 0 && analysis->coverage >= JL_CAPTURE_LEAST_COVERAGE);
    FUZZ_REQUIRE(analysis->coverage <= 1);
    for (size_t i = 0; i < analysis->threads.count; i++) {
        const struct jl_thread_features *of = JL_ITEM(analysis->threads, jl_thread_features, i);
        FUZZ_REQUIRE(of->tid > 0 && jl_utf8_valid(of->comm, strlen(of->comm)));
        FUZZ_REQUIRE(isfinite(of->util) && of->util >= 0 && isfinite(of->rate) && of->rate >= 0);
        FUZZ_REQUIRE(isfinite(of->out) && of->out >= 0 && of->p50 <= of->p99);
        FUZZ_REQUIRE(of->lat50 <= of->lat99 && is_share(of->io) && is_share(of->relay));
        FUZZ_REQUIRE(is_share(of->irq) && is_share(of->invol));
        own += !of->is_foreign;
    }
    for (size_t i = 0; i < analysis->clusters.count; i++)
        clustered += JL_ITEM(analysis->clusters, jl_thread_cluster, i)->tids.count;
    FUZZ_REQUIRE(clustered == own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct reading whole = read_pieces(text, size, size + 1);
    check(&whole);
    struct reading pieces = read_pieces(text, size, 1 + size % 7);
    FUZZ_REQUIRE(whole.rc == pieces.rc);
    FUZZ_REQUIRE(whole.analysis.threads.count == pieces.analysis.threads.count);
    FUZZ_REQUIRE(whole.analysis.switches == pieces.analysis.switches);
    jl_arena_clear(&whole.arena);
    jl_arena_clear(&pieces.arena);
    return 0;
}
