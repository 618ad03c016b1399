/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the building says, by Prometheus (docs/rules/programs.md#facility). Off unless it is asked
 * for; then silent about values that never came. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/clock.h"
#include "runtime/http_client.h"

struct jd_operator;

enum jd_facility_name { JD_OUTSIDE_TEMP, JD_IT_POWER, JD_COOLING_POWER, JD_FACILITY_VALUES };

struct jd_facility_part {
    struct jd_operator *op;
    enum jd_facility_name name;
    struct jd_transfer *transfer;
    bool is_bad; /* as it was logged */
    bool has_value;
    double value;
    int64_t at_ms; /* policy time of its last good poll */
};

struct jd_facility {
    struct jd_facility_part parts[JD_FACILITY_VALUES];
    struct jd_alarm alarm;
};

int jd_facility_open(struct jd_operator *op, struct joulie_error *err);
void jd_facility_begin(struct jd_operator *op, int64_t now_ms); /* the first poll */
void jd_facility_close(struct jd_operator *op);
/* Hands over what is still held. */
void jd_facility_report(struct jd_operator *op, int64_t now_ms);
void jd_facility_measure(struct jd_operator *op);
