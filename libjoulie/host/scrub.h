/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What of a file's text may leave the machine. */

#include "base/buffer.h"

enum jl_scrub {
    JL_SCRUB_TEXT,    /* as it is, when it is short and harmless */
    JL_SCRUB_ENERGY,  /* a number of microjoules, down to whole joules */
    JL_SCRUB_CPUINFO, /* lines of a list */
    JL_SCRUB_MEMINFO, /* the line of the total */
    JL_SCRUB_BOOT_ID, /* JL_SNAPSHOT_BOOT_ID in its place */
};

/* NULL and what may leave, or why nothing may. Memory failures are the buffer's. */
const char *jl_scrub(enum jl_scrub scrub, struct jl_text text, struct jl_buffer *out);
