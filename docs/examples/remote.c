/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/remote.h>: a node over HTTP. What its endpoint says, and the throttle that keeps a cap
 * where it has no power limit. */

#include <stdio.h>
#include <string.h>

#include <joulie/remote.h>

static const char *const replies[] = {
    /* of GET endpoint.url, one each second */
    "{\"cpu\":{\"packagePowerWatts\":200}}",
    "{\"cpu\":{\"packagePowerWatts\":150}}",
    "{\"cpu\":{}}",
};

int main(void)
{
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_remote_endpoint endpoint = JOULIE_INIT(struct joulie_remote_endpoint);
    struct joulie_remote_reply reply = JOULIE_INIT(struct joulie_remote_reply);
    struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
    struct joulie_throttle_sample interval = JOULIE_INIT(struct joulie_throttle_sample);
    struct joulie_throttle *throttle = NULL;
    double pct = 0;

    settings.cpu_source = "http";
    settings.cpu_endpoint = "http://pool.example/telemetry/{node}";
    if (joulie_remote_resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL) !=
            JOULIE_OK ||
        joulie_throttle_new(NULL, &throttle, NULL) != JOULIE_OK)
        return 1;
    printf("%s\n", endpoint.url);
    reply.http_status = 200;
    reply.power_of = JOULIE_REMOTE_POWER_OF_CPU;
    interval.cap_w = 120;
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        reply.body = replies[i];
        reply.len = strlen(replies[i]);
        joulie_remote_read_telemetry(&reply, &sample, NULL);
        interval.has = sample.has & JOULIE_REMOTE_SAMPLE_HAS_POWER ? JOULIE_THROTTLE_HAS_POWER : 0;
        interval.power_w = sample.power_w;
        interval.at_ms += 1000;
        interval.in_force_pct = pct;
        joulie_throttle_step(throttle, &interval, &pct, NULL);
        if (interval.has)
            printf("%.0f W of %.0f W: throttle %.0f %%\n", sample.power_w, interval.cap_w, pct);
        else
            printf("no reading: throttle stays at %.0f %%\n", pct);
    }
    joulie_throttle_free(throttle);
    joulie_free(endpoint.url);
    return 0;
}
