/* SPDX-License-Identifier: Apache-2.0 */

/* Every allocation of an agent of remote nodes fails once: endpoints, replies, names, a throttle.
 */

#include <string.h>

#include <joulie/remote.h>

#include "oom/life.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static const char body[] = "{\"ts\":\"2026-03-13T12:00:00Z\",\"cpu\":{\"packagePowerWatts\":145}}";
static const char verdict[] = "{\"ok\":false,\"message\":\"locked\"}";
static const char series[] =
    "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
    "{\"metric\":{},\"value\":[1,\"42.5\"]}]}}";
static const char node[] = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                           "status: {capacity: {cpu: \"8\"}}\n";

static void resolve(struct oom_life *life)
{
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_remote_endpoint endpoint = JOULIE_INIT(struct joulie_remote_endpoint);
    settings.cpu_source = "Prometheus";
    settings.cpu_endpoint = "http://p/{node}";
    while (oom_again(life, joulie_remote_resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE,
                                                 &endpoint, NULL)))
        ;
    oom_note(life, endpoint.url != NULL ? endpoint.url : "nothing");
    joulie_free(endpoint.url);
}

static void wire(struct oom_life *life)
{
    static const char profile[] =
        "{\"apiVersion\":\"joulie.io/"
        "v1alpha1\",\"kind\":\"TelemetryProfile\",\"metadata\":{\"name\":"
        "\"p\"},\"spec\":{\"target\":{\"scope\":\"node\",\"nodeSelector\":\"a in "
        "(b)\"},\"sources\":{"
        "\"cpu\":{\"type\":\"http\",\"http\":{\"endpoint\":\"http://h/{node}\"}}}}}";
    static const char labels[] = "{\"labels\":{\"a\":\"b\"}}";
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_remote_endpoint endpoint = JOULIE_INIT(struct joulie_remote_endpoint);
    struct joulie_remote_profiles *profiles = NULL;
    while (oom_again(life, joulie_remote_profiles_new(&profiles, NULL)))
        ;
    while (profiles != NULL &&
           oom_again(life, joulie_remote_profiles_put(profiles, profile, strlen(profile), NULL)))
        ;
    while (profiles != NULL &&
           oom_again(life, joulie_remote_profiles_resolve(
                               profiles, &settings, "n1", labels, strlen(labels),
                               JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL)))
        ;
    oom_note(life, endpoint.url != NULL ? endpoint.url : "nothing");
    joulie_free(endpoint.url);
    while (profiles != NULL && oom_again(life, joulie_remote_profiles_remove(profiles, "p", NULL)))
        ;
    joulie_remote_profiles_free(profiles);
}

static void read_replies(struct oom_life *life)
{
    struct joulie_remote_reply reply = JOULIE_INIT(struct joulie_remote_reply);
    struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
    enum joulie_control_result result = JOULIE_CONTROL_UNKNOWN;
    char *message = NULL;
    double value = 0;
    reply.body = body;
    reply.len = strlen(body);
    reply.http_status = 200;
    reply.power_of = JOULIE_REMOTE_POWER_OF_CPU;
    while (oom_again(life, joulie_remote_read_telemetry(&reply, &sample, NULL)))
        ;
    while (
        oom_again(life, joulie_remote_read_prometheus(200, series, strlen(series), &value, NULL)))
        ;
    while (oom_again(
        life, joulie_remote_read_control(200, verdict, strlen(verdict), &result, &message, NULL)))
        ;
    oom_note(life, sample.power_w == 145 && value == 42.5 ? "read" : "not read");
    oom_note(life, message != NULL ? message : "nothing");
    joulie_free(message);
}

static void describe(struct oom_life *life)
{
    struct joulie_remote_can can = JOULIE_INIT(struct joulie_remote_can);
    char *json = NULL;
    char *name = NULL;
    int64_t shard = 0;
    while (oom_again(life, joulie_remote_hardware(node, strlen(node), &can, NOW_MS, &json, NULL)))
        ;
    while (oom_again(life, joulie_node_object_name("N_1", &name, NULL)))
        ;
    while (oom_again(life, joulie_remote_own_shard(NULL, "pool-1", 2, &shard, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    oom_note(life, name != NULL ? name : "nothing");
    oom_note(life, joulie_remote_shard_of("n1", 2) >= 0 ? "sharded" : "not sharded");
    joulie_free(json);
    joulie_free(name);
}

static void hold_cap(struct oom_life *life)
{
    struct joulie_throttle_sample sample = JOULIE_INIT(struct joulie_throttle_sample);
    struct joulie_throttle *throttle = NULL;
    double pct = joulie_throttle_open_pct(60);
    while (oom_again(life, joulie_throttle_new(NULL, &throttle, NULL)))
        ;
    if (life->is_wrong)
        return;
    sample.has = JOULIE_THROTTLE_HAS_POWER;
    sample.cap_w = 120;
    sample.power_w = 200;
    while (oom_again(life, joulie_throttle_step(throttle, &sample, &pct, NULL)))
        ;
    oom_note(life, pct == 23 && joulie_facility_pue(100, 20) > 1 ? "throttled" : "not throttled");
    joulie_throttle_free(throttle);
}

static void live_once(struct oom_life *life)
{
    resolve(life);
    wire(life);
    read_replies(life);
    describe(life);
    hold_cap(life);
}

int main(void)
{
    return oom_lives("an agent of remote nodes", live_once);
}
