/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <joulie/host.h>

#include "runtime/log.h"

/* Gives back everything that the journal holds, and logs what came of it. 0 or a code of
 * joulie_host_restore(). */
int jd_restore(struct joulie_host *host, struct jd_log *log, const char *component);

/* Logs the caps that are in force although nobody here put them: those of an agent that is gone. */
void jd_report_caps(struct joulie_host *host, struct jd_log *log);
