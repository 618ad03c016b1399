/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Quantities: the canonical form of what is accepted means the same value, and is its own canonical
 * form unless it lost the format: 62.5Ki prints as 64000, which by itself is 64k.
 */

#include <string.h>

#include <joulie/error.h>

#include "base/time.h"
#include "fuzz/fuzz.h"
#include "kubernetes/quantity.h"

static void quantities(const char *text, size_t size)
{
    struct jl_quantity quantity;
    struct jl_quantity back;
    char canonical[JL_QUANTITY_TEXT];
    char again[JL_QUANTITY_TEXT];
    if (jl_parse_quantity(text, size, &quantity) != 0)
        return;
    const size_t len = jl_format_quantity(&quantity, canonical);
    FUZZ_REQUIRE(len > 0 && len < sizeof canonical && strlen(canonical) == len);
    FUZZ_REQUIRE(jl_parse_quantity(canonical, len, &back) == 0);
    FUZZ_REQUIRE(back.nano == quantity.nano);
    jl_format_quantity(&back, again);
    FUZZ_REQUIRE(back.format != quantity.format || strcmp(canonical, again) == 0);
}

static void durations(const char *text, size_t size)
{
    int64_t ns;
    int64_t back;
    char printed[JL_TIME_TEXT];
    if (jl_parse_duration(text, size, &ns) != 0)
        return;
    const size_t len = jl_format_duration(ns, printed);
    FUZZ_REQUIRE(jl_parse_duration(printed, len, &back) == 0 && back == ns);
}

static void times(const char *text, size_t size)
{
    int64_t ms;
    int64_t back;
    char printed[JL_TIME_TEXT];
    if (jl_parse_time(text, size, &ms) != 0)
        return;
    const size_t len = jl_format_time(ms, printed);
    const int64_t part = ms % 1000 < 0 ? ms % 1000 + 1000 : ms % 1000;
    FUZZ_REQUIRE(jl_parse_time(printed, len, &back) == 0 && back == ms - part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quantities((const char *)data, size);
    durations((const char *)data, size);
    times((const char *)data, size);
    return 0;
}
