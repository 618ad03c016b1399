/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The clocks of the machine. */

#include <stdint.h>

#include <joulie/host.h>

struct joulie_host_time jd_clock_now(void); /* the three of them as a tick wants them */
int64_t jd_clock_ms(void);                  /* CLOCK_MONOTONIC */
int64_t jd_clock_boot_ms(void);             /* CLOCK_BOOTTIME: also while the machine sleeps */
int64_t jd_clock_wall_ms(void);             /* milliseconds since 1970 */
