/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers of the buckets of docs/rules/autoscaling-statistics.md#histograms, for histogram.c only.
 * A value v is scaled to s = 0.05 * v / f + 1, so that s = 1.05^b where bucket b starts. A cell is
 * 1/32 of a doubling of s; no cell has the starts of two buckets in it.
 */

#include "autoscale/histogram.h"

#define JL_HISTOGRAM_CELL_BITS 5                          /* 32 cells in a doubling */
#define JL_HISTOGRAM_CELLS (13 << JL_HISTOGRAM_CELL_BITS) /* the last bucket starts below 2^13 */

extern const double jl_histogram_starts[2][JL_HISTOGRAM_BUCKETS]; /* of enum jl_usage; nearest */
extern const uint8_t jl_histogram_cells[JL_HISTOGRAM_CELLS];      /* bucket that a cell begins in */
