/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* --wake-all: the operator ends when every node that was switched off is back, or its time is over
 * (docs/rules/programs.md#wake-all). */

#include "operator/shared.h"

struct jd_wake { /* zeroed at the start; all but limit are set before it begins */
    const struct jd_shared *shared;
    void (*on_end)(void *user, bool is_good);
    void *user;
    struct jd_alarm limit;
};

void jd_wake_begin(struct jd_wake *wake, int64_t now_ms);
/* Behind a step that was carried out: whether it is over. */
void jd_wake_check(struct jd_wake *wake);
