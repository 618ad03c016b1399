/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The head of /proc/PID/stat and /proc/PID/task/TID/stat. */

#include <stdint.h>

#include "base/text.h"

struct jl_pid_stat {
    int64_t pid;
    struct jl_text
        comm;   /* raw bytes of the text that was parsed, parentheses and blanks included */
    char state; /* R S D Z T … */
};

/* 0, JOULIE_E_PARSE or JOULIE_E_RANGE; out is untouched on failure. */
int jl_pid_stat_parse(struct jl_text text, struct jl_pid_stat *out);
