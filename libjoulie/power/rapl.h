/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the RAPL driver makes of the numbers that are written to it. Rules:
 * docs/rules/rapl.md#limits, #time-windows and #energy-counters. */

#include <stdbool.h>
#include <stdint.h>

#define JL_RAPL_UNIT_UW UINT64_C(125000)          /* 1/8 W: all server parts */
#define JL_RAPL_LIMIT_MAX_UW UINT64_C(4095875000) /* largest that a 15-bit field holds at 1/8 W */

/* The 15-bit field and what reads back of it; wraps silently, as the register does. unit_uw > 0. */
uint64_t jl_rapl_raw(uint64_t limit_uw, uint64_t unit_uw);
uint64_t jl_rapl_read_back_uw(uint64_t limit_uw, uint64_t unit_uw);
/* 0 <= requested - read < unit. */
bool jl_rapl_agrees(uint64_t requested_uw, uint64_t read_uw, uint64_t unit_uw);

uint32_t jl_rapl_window_code(uint64_t window_us); /* F << 5 | Y */
uint64_t jl_rapl_window_us(uint32_t code);

uint64_t jl_rapl_energy_unit_nj(uint32_t esu);
uint64_t jl_rapl_energy_range_uj(uint64_t unit_nj);
/* Infinite where no power flows. */
double jl_rapl_wrap_s(uint64_t range_uj, double watts);
