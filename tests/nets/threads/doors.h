/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOLD_BYTES 262144

/* What one user of the library got to hear. */
struct told {
    char text[TOLD_BYTES];
    size_t used;
    bool is_wrong; /* a call failed that may not, or the text does not fit */
};

/* Goes once through every door, with handles of its own. Two users hear the same. */
void doors_use(struct told *told, const char *host_root);
