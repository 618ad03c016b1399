/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether a folder that must be there as long as the machine outlives the program, or goes with a
 * container (docs/rules/enforcement.md#state-folder). */

#include <stdbool.h>

#include <joulie/error.h>

struct jl_state_place {            /* what is known of the folder */
    const char *file_system;       /* its kind: tmpfs, overlay, ext4 …; NULL = not known */
    const char *mounted;           /* the folder of that file system which is mounted there */
    bool is_in_own_namespace;      /* of process numbers, other than the machine's */
    bool is_other_for_the_machine; /* process 1 of the machine has another folder by this name */
};

/* What it goes with a container as, for a person ("a tmpfs"); NULL = it does not. Pure. */
const char *jl_vanishes_as(const struct jl_state_place *place);

/* Asks it of an open folder: 0, also where that cannot be found out, or JOULIE_E_CONFLICT with
 * name in the message; JOULIE_E_NOMEM. To be asked before a live machine is written to. */
int jl_check_state_place(int fd, const char *name, struct joulie_error *err);
