/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A process that starts joulie-capd for one that may not do so any more (RUN_AS,
 * docs/rules/programs.md#privileges): root without a capability, a network or a configuration. It
 * starts that one program with those words whenever it is asked to, and ends with who asks.
 */

#include "runtime/keeper.h"

struct jd_starter { /* zeroed at the start */
    bool is_open;
    pid_t pid; /* 0 = it is gone */
    int fd;    /* that it is asked over */
};

/* Before anything is given up. how stays where it is. 0 or JOULIE_E_IO. */
int jd_starter_open(struct jd_starter *starter, const struct jd_keeper_start *how,
                    struct joulie_error *err);
/* As jd_keeper_start(), by the other process; JOULIE_E_IO also when that is gone, with pid 0. */
int jd_starter_start(struct jd_starter *starter, int *out_fd, struct joulie_error *err);
/* It ends when the last joulie-capd that it started has, and after 10 s at the latest; waits: so
 * long. */
void jd_starter_close(const struct jd_starter *starter, bool waits);
