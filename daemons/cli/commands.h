/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One struct per command, each in the file of its name. */

#include "cli.h"

extern const struct jd_command jd_command_ask;
extern const struct jd_command jd_command_autoscale;
extern const struct jd_command jd_command_cap_allow;
extern const struct jd_command jd_command_cap_apply;
extern const struct jd_command jd_command_cap_plan;
extern const struct jd_command jd_command_cap_release;
extern const struct jd_command jd_command_cap_resolve;
extern const struct jd_command jd_command_cap_restore;
extern const struct jd_command jd_command_cap_status;
extern const struct jd_command jd_command_classify;
extern const struct jd_command jd_command_complete;
extern const struct jd_command jd_command_completion;
extern const struct jd_command jd_command_convert;
extern const struct jd_command jd_command_crd;
extern const struct jd_command jd_command_diff;
extern const struct jd_command jd_command_doctor;
extern const struct jd_command jd_command_explain;
extern const struct jd_command jd_command_hardware;
extern const struct jd_command jd_command_help;
extern const struct jd_command jd_command_plan;
extern const struct jd_command jd_command_predict;
extern const struct jd_command jd_command_quantity;
extern const struct jd_command jd_command_score;
extern const struct jd_command jd_command_simulate;
extern const struct jd_command jd_command_simulate_autoscale;
extern const struct jd_command jd_command_snapshot;
extern const struct jd_command jd_command_status;
extern const struct jd_command jd_command_top;
extern const struct jd_command jd_command_validate;
extern const struct jd_command jd_command_version;
extern const struct jd_command jd_command_why;
extern const struct jd_command jd_command_workload_generate;
extern const struct jd_command jd_command_workload_inspect;
