/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rows of perfetto's tables as CSV (docs/rules/threads-training.md#tables). */

#include <stdbool.h>

#include "base/text.h"
#include "threads/replay.h"

#define JL_TABLE_COLUMNS 32 /* later ones are not read */

struct jl_table_head { /* which member each column is, enum of capture_table.c */
    unsigned char members[JL_TABLE_COLUMNS];
    size_t count;
    bool is_wakes; /* else slices of CPUs */
};

/* Whether the line names the columns of one of the tables. */
bool jl_table_read_head(struct jl_text line, struct jl_table_head *out);
/* The events of a row, 0 to 2; -1: it is no row. */
int jl_table_read_row(const struct jl_table_head *head, struct jl_text line,
                      struct jl_event out[2]);
