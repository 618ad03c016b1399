/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/host.h>: a machine below a folder, "/" or a recorded one: host [ROOT]. Only reads. */

#include <inttypes.h>
#include <stdio.h>

#include <joulie/host.h>

int main(int argc, char **argv)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    struct joulie_host_tick_result tick = JOULIE_INIT(struct joulie_host_tick_result);
    struct joulie_host_zone zone = JOULIE_INIT(struct joulie_host_zone);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;

    options.root = argc > 1 ? argv[1] : "/";
    if (joulie_host_open(&options, &host, &err) != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", options.root, err.message);
        return 1;
    }
    time.now_ms = INT64_C(1773403200000); /* a program reads its clocks here, once a second */
    if (joulie_host_tick(host, &time, &tick, &err) != JOULIE_OK) {
        fprintf(stderr, "%s\n", err.message);
        joulie_host_free(host);
        return 1;
    }
    printf("%u writes\n", (unsigned)tick.writes);
    for (size_t i = 0; joulie_host_zone_at(host, i, &zone, NULL) == JOULIE_OK; i++) {
        printf("%s:", zone.name);
        if (zone.has & JOULIE_HOST_ZONE_HAS_LIMIT)
            printf(" limit %.1f W", zone.limit_w);
        if (zone.has & JOULIE_HOST_ZONE_HAS_ENERGY)
            printf(" energy %" PRIu64 " J", zone.energy_j);
        printf("\n");
    }
    joulie_host_free(host);
    return 0;
}
