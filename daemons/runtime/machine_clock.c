/* SPDX-License-Identifier: Apache-2.0 */

/* The three clocks of the machine: monotonic, since its boot, on the wall. Everything in runtime
 * that waits reads the first. */

#include "runtime/machine_clock.h"

#include <time.h>

#define US_PER_S 1000000
#define NS_PER_US 1000
#define US_PER_MS 1000

/* These clocks always exist, so their reading cannot fail. */
static int64_t read_us(clockid_t clock)
{
    struct timespec now = { 0 };
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / NS_PER_US;
}

struct joulie_host_time jd_clock_now(void)
{
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    time.now_ms = jd_clock_wall_ms();
    time.monotonic_us = read_us(CLOCK_MONOTONIC);
    time.boottime_us = read_us(CLOCK_BOOTTIME);
    return time;
}

int64_t jd_clock_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / US_PER_MS;
}

int64_t jd_clock_boot_ms(void)
{
    return read_us(CLOCK_BOOTTIME) / US_PER_MS;
}

int64_t jd_clock_wall_ms(void)
{
    return read_us(CLOCK_REALTIME) / US_PER_MS;
}
