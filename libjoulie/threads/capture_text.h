/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One line of ftrace or of perf script (docs/rules/threads-training.md#text-lines). */

#include <stdbool.h>

#include "base/text.h"
#include "threads/replay.h"

enum jl_capture_format {
    JL_CAPTURE_UNKNOWN,
    JL_CAPTURE_FTRACE,
    JL_CAPTURE_PERF,
    JL_CAPTURE_PERFETTO, /* tables in CSV */
    JL_CAPTURE_CHROME,   /* JSON that holds the text of ftrace */
};

/* Fills *out; an event of another kind is JL_EVENT_NONE. JL_CAPTURE_UNKNOWN: it is no line of
 * either. */
enum jl_capture_format jl_capture_line(struct jl_text line, struct jl_event *out);
