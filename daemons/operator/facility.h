/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the building says, by Prometheus (docs/rules/programs.md#facility). Off unless it is asked
 * for; then silent about values that never came. */

#include "operator/groups.h"

enum jd_facility_name { JD_OUTSIDE_TEMP, JD_IT_POWER, JD_COOLING_POWER, JD_FACILITY_VALUES };

struct jd_facility_part {
    struct jd_facility *facility;
    enum jd_facility_name name;
    const char *query;
    struct jd_transfer *transfer;
    bool is_bad; /* as it was logged */
    bool has_value;
    double value;
    int64_t at_ms; /* steady time of its last good poll */
};

struct jd_facility { /* zeroed = off */
    const struct jd_shared *shared;
    struct jd_facility_part parts[JD_FACILITY_VALUES];
    struct jd_groups groups[JD_GROUPS];
    struct jd_announcement state; /* set before it opens */
    struct jd_alarm alarm;
    bool is_on;
};

void jd_facility_open(struct jd_facility *facility, const struct jd_shared *shared);
void jd_facility_begin(struct jd_facility *facility, int64_t now_ms); /* the first poll */
void jd_facility_close(struct jd_facility *facility);
/* Hands what is still held over to the model, and says in the Lease what is not measured. */
void jd_facility_report(struct jd_facility *facility);
void jd_facility_measure(const struct jd_facility *facility); /* before /metrics */
