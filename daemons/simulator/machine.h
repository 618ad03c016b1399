/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The Node and the NodeHardware of each simulated machine
 * (docs/rules/simulator-contract.md#nodes). */

#include "apiserver/api.h"

struct jd_simulator;

/* Both objects, of a machine that is on. */
int jd_machine_put(struct jd_simulator *simulator, size_t index, struct joulie_error *err);
/* Its machine has stopped, boots, or is on again: what the status of the Node says from now on. */
int jd_machine_report_power(struct jd_simulator *simulator, const char *node_name, int64_t now_ms,
                            struct joulie_error *err);
/* A client wrote an object: a Node that is cordoned or tainted gets no pods. */
void jd_machine_take_write(struct jd_simulator *simulator, const struct jd_api_write *write);
