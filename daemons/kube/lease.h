/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A Lease that says that somebody is there: renewed by a patch, created where it is missing. It is
 * no election (kube/election.h). */

#include <stdbool.h>
#include <stdint.h>

#include "kube/client.h"
#include "kubernetes/lease.h"
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
    /* Why it cannot be renewed, when it is no passing trouble: refused, or there is no such
     * namespace; "" = it can, as far as is known. */
    char problem[256];
};

/* One at a time; while one is in flight nothing happens. */
void jd_lease_renew(struct jd_lease *lease);
/* Ends a renewal that is in flight, without a word. */
void jd_lease_cancel(struct jd_lease *lease);

/* The Lease of a name as a new object, and the patch of the one that is there: of that version, or
 * of any when it is NULL. Of the spec, texts that are NULL and a duration of 0 are left out, and
 * transitions without acquired. */
struct jl_buffer;
void jd_put_new_lease(struct jl_buffer *out, const char *name_space, const char *name,
                      const struct jl_lease_spec *spec);
void jd_put_lease_patch(struct jl_buffer *out, const char *version,
                        const struct jl_lease_spec *spec);
