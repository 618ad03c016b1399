/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TRANSCRIPT_BYTES 262144

/* All answers that one user of the library got, as text. */
struct transcript {
    char text[TRANSCRIPT_BYTES];
    size_t used;
    bool is_wrong; /* a call failed that may not, or the text does not fit */
};

/* Calls each part of the public API once, with handles of its own, and appends every answer. Two
 * calls append the same text. */
void api_calls_run(struct transcript *transcript, const char *host_root);
