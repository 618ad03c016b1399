/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A program that links allocator.c has its malloc family, those of json-c and libyaml included:
 * it counts live blocks, and fails one allocation of the test's choice.
 */

#include <stdbool.h>

extern long oom_fail_in;     /* allocations until the one that fails; negative = none fails */
extern bool oom_has_failed;  /* set when it did; the test clears it */
extern long oom_live_blocks; /* handed out and not freed */
