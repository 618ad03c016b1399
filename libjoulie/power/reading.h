/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers of GPU tools that mean something else than they seem. Rules:
 * docs/rules/energy.md#gpu-readings. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The blank of a percent, watt, MHz or °C metric of DCGM; also a number that is not finite. */
bool jl_dcgm_is_missing(double value);

#define JL_THROTTLE_POWER_CAP UINT64_C(0x4) /* under load it proves that a cap works */
#define JL_THROTTLE_WORDS 9

/* The words of NVML's throttle bits, in bit order; bits without a word are left out. Returns their
 * number. */
size_t jl_throttle_words(uint64_t bits, const char *out[JL_THROTTLE_WORDS]);
