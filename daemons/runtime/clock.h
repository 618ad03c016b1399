/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <joulie/host.h>

/* The three clocks as a tick wants them. */
struct joulie_host_time jd_clock_now(void);
int64_t jd_clock_ms(void); /* CLOCK_MONOTONIC */
