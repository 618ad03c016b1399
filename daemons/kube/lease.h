/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A Lease that says that somebody is there: renewed by a patch, created where it is missing. It is
 * no election. */

#include <stdbool.h>
#include <stdint.h>

#include "kube/client.h"
#include "runtime/clock.h"
#include "runtime/log.h"

struct jd_lease { /* the first nine are set before it is renewed */
    struct jd_kube *kube;
    struct jd_clock *clock;
    struct jd_log *log;
    const char *component; /* of the log */
    const char *name_space;
    const char *name;
    const char *holder;
    int64_t duration_s; /* for so long a renewal counts; 0 = the Lease does not say */
    void (*on_done)(void *user, bool is_good); /* a renewal has ended; NULL = nobody asks */
    void *user;
    int64_t renewed_ms; /* by the wall, of the renewal that is under way, or of the last one */
    bool is_in_flight;
    bool is_bad; /* as it was logged */
};

/* One at a time; while one is in flight nothing happens. */
void jd_lease_renew(struct jd_lease *lease);
