/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A program that links allocator.c has its malloc family, those of json-c and libyaml included:
 * it counts live blocks, overwrites freed ones, and fails one allocation of the test's choice.
 */

#include <stdbool.h>

extern long oom_fail_in;     /* allocations until the one that fails; negative = none fails */
extern bool oom_has_failed;  /* set when it did; the test clears it */
extern long oom_live_blocks; /* handed out and not freed */
/* Only allocations that the program's own code asks for fail: libraries that do not survive it
 * themselves (libcurl 7.88 divides by zero) say nothing about us. */
extern bool oom_is_own_only;
