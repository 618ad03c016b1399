/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Cron schedules, a start and an end with a LF between them: what is accepted has bits inside of
 * its fields, last <= now < next, a last one is the next one of the minute before it, and a window
 * is open exactly when it started after it ended.
 */

#include <string.h>

#include "cron/cron.h"
#include "fuzz/fuzz.h"

#define NOW_S INT64_C(1773403200) /* 2026-03-13T12:00:00Z */
#define YEARS_S INT64_C(157766400)

static void check_bits(const struct jl_cron *cron)
{
    FUZZ_REQUIRE(cron->minutes >> 60 == 0 && cron->hours >> 24 == 0);
    FUZZ_REQUIRE((cron->days & 1) == 0 && cron->months >> 13 == 0 && (cron->months & 1) == 0);
    FUZZ_REQUIRE(cron->weekdays >> 7 == 0);
    FUZZ_REQUIRE(memchr(cron->zone, '\0', sizeof cron->zone) != NULL);
    FUZZ_REQUIRE(strstr(cron->zone, "..") == NULL && cron->zone[0] != '/');
}

static void check_times(const struct jl_cron *cron)
{
    int64_t last_s = 0;
    int64_t again_s = 0;
    int64_t next_s = 0;
    if (jl_cron_last(cron, NULL, NOW_S, NOW_S - YEARS_S, &last_s)) {
        FUZZ_REQUIRE(last_s <= NOW_S && last_s >= NOW_S - YEARS_S && last_s % 60 == 0);
        FUZZ_REQUIRE(jl_cron_next(cron, NULL, last_s - 60, NOW_S, &again_s) && again_s == last_s);
    }
    if (jl_cron_next(cron, NULL, NOW_S, NOW_S + YEARS_S, &next_s))
        FUZZ_REQUIRE(next_s > NOW_S && next_s <= NOW_S + YEARS_S && next_s % 60 == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *line = size > 0 ? memchr(text, '\n', size) : NULL;
    const size_t start_len = line != NULL ? (size_t)(line - text) : size;
    const char *end_text = line != NULL ? line + 1 : text;
    const size_t end_len = line != NULL ? size - start_len - 1 : size;
    struct jl_cron start;
    struct jl_cron end;
    struct jl_cron_window window;
    if (jl_cron_parse_v2_17_1(text, start_len, &start, NULL) == 0) {
        check_bits(&start);
        check_times(&start);
    }
    if (jl_cron_parse(text, start_len, &start, NULL) != 0 ||
        jl_cron_parse(end_text, end_len, &end, NULL) != 0)
        return 0;
    check_bits(&start);
    check_times(&start);
    FUZZ_REQUIRE(jl_cron_is_same_text(text, start_len, text, start_len));
    FUZZ_REQUIRE(jl_cron_window(&start, NULL, &end, NULL, NOW_S, &window) == 0);
    FUZZ_REQUIRE(window.has_start != window.never_starts && window.has_end != window.never_ends);
    FUZZ_REQUIRE(
        window.is_active ==
        (window.has_start && (!window.has_end || window.last_start_s > window.last_end_s)));
    (void)jl_cron_is_active_v2_17_1(&start, NULL, &end, NULL, NOW_S);
    return 0;
}
