/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* joulie-agent --restore: gives back what an agent left that is gone, and ends
 * (docs/rules/enforcement.md#restore). Its unit and its package run it. */

#include <stdbool.h>

bool jd_is_restore(int argc, char **argv);
int jd_restore_main(int argc, char **argv); /* the exit status */
