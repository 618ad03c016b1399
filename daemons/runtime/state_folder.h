/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether the folder with the journal outlives the program
 * (docs/rules/enforcement.md#state-folder).
 */

#include <joulie/error.h>

/*
 * root: of the machine; state_dir NULL = the usual one below it. Asked before a live machine is
 * written to. JOULIE_E_CONFLICT: the folder goes when a container goes, and with it what the limits
 * were; the message says of which kind it is. 0 also where that cannot be found out.
 */
int jd_check_state_folder(const char *root, const char *state_dir, struct joulie_error *err);
