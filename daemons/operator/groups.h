/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Power of racks and temperature of cooling zones, by one query each of Prometheus whose series
 * name the rack or the zone in a label (docs/rules/programs.md#racks-and-zones). Polled with the
 * facility, and held as its values are. */

#include "base/map.h"
#include "operator/announce.h"

enum jd_groups_kind { JD_RACKS, JD_ZONES, JD_GROUPS };

struct jd_groups { /* of one kind; a query of NULL or "" = they are not asked for */
    const struct jd_shared *shared;
    enum jd_groups_kind kind;
    const char *query;
    const char *label; /* of the series */
    struct jd_transfer *transfer;
    const char *problem;      /* of the last reply, a constant; NULL = none */
    bool is_answered;         /* there was a reply */
    uint64_t round;           /* of replies */
    struct jl_index measured; /* struct group *, by name */
};

void jd_groups_open(struct jd_groups *groups, enum jd_groups_kind kind,
                    const struct jd_shared *shared);
void jd_groups_close(struct jd_groups *groups);
void jd_groups_poll(struct jd_groups *groups);
/* Hands what is still held over to the model, and takes back what is not. */
void jd_groups_report(struct jd_groups *groups);
void jd_groups_measure(const struct jd_groups *groups); /* before /metrics */
/* What is wrong with them, for a person: which of those that nodes name have no measurement, and
 * why; appends nothing where all is well. */
void jd_groups_put_problem(const struct jd_groups *groups, struct jl_buffer *out);
