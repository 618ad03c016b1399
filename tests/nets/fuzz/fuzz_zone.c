/* SPDX-License-Identifier: Apache-2.0 */

/*
 * TZif files: whatever is accepted has offsets within bounds, spans hold their instant and touch
 * each other, and a schedule in that zone never fires after now.
 */

#include <string.h>

#include "cron/cron.h"
#include "cron/zone.h"
#include "fuzz/fuzz.h"

#define SPANS 64 /* followed from each instant */
#define YEARS_S INT64_C(157766400)

static void check_span(const struct jl_time_zone *zone, int64_t at_s)
{
    for (int i = 0; i < SPANS; i++) {
        const struct jl_zone_span span = jl_zone_span(zone, at_s);
        FUZZ_REQUIRE(span.from_s <= at_s && span.until_s >= at_s);
        FUZZ_REQUIRE(span.offset_s >= JL_ZONE_LEAST_OFFSET_S);
        FUZZ_REQUIRE(span.offset_s <= JL_ZONE_MOST_OFFSET_S);
        FUZZ_REQUIRE(jl_zone_offset_s(zone, at_s) == span.offset_s);
        if (span.until_s == INT64_MAX)
            return;
        FUZZ_REQUIRE(span.until_s > at_s);
        FUZZ_REQUIRE(jl_zone_span(zone, span.until_s - 1).until_s == span.until_s);
        at_s = span.until_s;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t instants[] = { INT64_MIN,           -(INT64_C(1) << 40), 0,
                                        INT64_C(1773403200), INT64_C(1) << 50,    INT64_MAX };
    static const char text[] = "30 2 * * 0";
    struct jl_arena arena = { .limit = 16 * size + 65536 };
    struct jl_time_zone *zone = NULL;
    if (jl_zone_parse(data, size, &arena, &zone, NULL) == 0) {
        struct jl_cron cron;
        int64_t last_s = 0;
        for (size_t i = 0; i < sizeof instants / sizeof instants[0]; i++)
            check_span(zone, instants[i]);
        FUZZ_REQUIRE(jl_cron_parse(text, sizeof text - 1, &cron, NULL) == 0);
        if (jl_cron_last(&cron, zone, instants[3], instants[3] - YEARS_S, &last_s)) {
            const int64_t local_s = last_s + jl_zone_offset_s(zone, last_s);
            FUZZ_REQUIRE(last_s <= instants[3] && last_s >= instants[3] - YEARS_S);
            FUZZ_REQUIRE((local_s % 86400 + 86400) % 86400 / 60 == 150);
        }
    }
    jl_arena_clear(&arena);
    return 0;
}
