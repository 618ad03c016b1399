/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Columns of any layout and content, predicted by every path and compared with one call per row. */

#include <stddef.h>
#include <stdint.h>

struct columns_source {
    uint64_t (*next)(void *state); /* choices and numbers */
    void *state;
};

/* NULL, or what differs. */
const char *columns_check(const struct columns_source *source);
