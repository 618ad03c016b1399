/* SPDX-License-Identifier: Apache-2.0 */

/* Columns of any layout and content: every path gives the bits of one call per row, and writes
 * nothing else. */

#include <string.h>

#include "base/random.h"
#include "fuzz/fuzz.h"
#include "twin/columns_check.h"

struct bytes {
    const uint8_t *at;
    size_t left;
    struct jl_random random; /* goes on where the bytes end */
};

/* A choice or a number takes eight bytes; short inputs describe large scenes. */
static uint64_t next(void *state)
{
    struct bytes *bytes = state;
    uint64_t value = 0;
    if (bytes->left < sizeof value)
        return jl_random_next(&bytes->random);
    memcpy(&value, bytes->at, sizeof value);
    bytes->at += sizeof value;
    bytes->left -= sizeof value;
    bytes->random.state ^= value * UINT64_C(0x9e3779b97f4a7c15);
    return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = { data, size, { 1 } };
    const struct columns_source source = { next, &bytes };
    const char *difference = columns_check(&source);
    if (difference != NULL)
        fprintf(stderr, "%s differ\n", difference);
    FUZZ_REQUIRE(difference == NULL);
    return 0;
}
