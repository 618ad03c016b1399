/* SPDX-License-Identifier: Apache-2.0 */

/* Requests of kube-scheduler with 5,000 names, from text to text. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/cluster.h>

#include "base/buffer.h"
#include "bench/bench.h"

#define NODES 5000
#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

struct extender {
    struct joulie_cluster *cluster;
    struct jl_buffer body;
    enum joulie_extender_verb verb;
};

static void check(int rc, const struct joulie_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench: %s: %s\n", err->where, err->message);
    exit(1);
}

static void put_objects(struct extender *extender, int i)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char text[1024];
    int len = snprintf(text, sizeof text,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":"
                       "\"node-%04d.example\"}}",
                       i);
    check(joulie_cluster_put_object(extender->cluster, text, (size_t)len, &err), &err);
    len = snprintf(text, sizeof text,
                   "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{"
                   "\"name\":\"node-%04d.example\"},\"spec\":{\"nodeName\":\"node-%04d.example\","
                   "\"profile\":\"eco\"},\"status\":{\"schedulableClass\":\"%s\","
                   "\"predictedPowerHeadroomScore\":%d,\"predictedCoolingStressScore\":%d,"
                   "\"powerMeasurement\":{\"source\":\"http\",\"measuredNodePowerW\":%d,"
                   "\"nodeCappedPowerW\":720},\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
                   i, i, i % 3 == 0 ? "eco" : "performance", i % 101, i % 97, 100 + i % 600);
    check(joulie_cluster_put_object(extender->cluster, text, (size_t)len, &err), &err);
}

/* The names as a scheduler sends them: in no order that we know. */
static void put_body(struct extender *extender)
{
    char text[64];
    jl_put_string(&extender->body,
                  "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"annotations\":{"
                  "\"joulie.io/workload-class\":\"performance\"}},\"spec\":{\"containers\":[{"
                  "\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\",\"memory\":\"4Gi\"}}}]"
                  "}},\"Nodes\":null,\"NodeNames\":[");
    for (int i = 0; i < NODES; i++) {
        snprintf(text, sizeof text, "%s\"node-%04d.example\"", i > 0 ? "," : "", i * 1999 % NODES);
        jl_put_string(&extender->body, text);
    }
    jl_put_string(&extender->body, "]}");
}

static uint64_t run_request(void *state)
{
    const struct extender *extender = state;
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *reply = NULL;
    options.now_ms = NOW_MS;
    options.verb = extender->verb;
    options.is_filled = 1;
    check(joulie_cluster_extend(extender->cluster, extender->body.data, extender->body.len,
                                &options, &reply, NULL, &err),
          &err);
    const uint64_t sum = bench_mix(0, reply, strlen(reply));
    joulie_free(reply);
    return sum;
}

int bench_extend(const struct bench_options *options)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct extender extender = { .verb = JOULIE_EXTENDER_FILTER };
    check(joulie_cluster_new(NULL, 0, &extender.cluster, &err), &err);
    for (int i = 0; i < NODES; i++)
        put_objects(&extender, i);
    put_body(&extender);
    const struct bench_figure filter = {
        "extend.filter.5000", "us", 1e3, 1, &extender, { "ours", run_request }, { NULL, NULL },
    };
    int failed = bench_measure(&filter, options);
    extender.verb = JOULIE_EXTENDER_PRIORITIZE;
    const struct bench_figure prioritize = {
        "extend.prioritize.5000", "us", 1e3, 1, &extender, { "ours", run_request }, { NULL, NULL },
    };
    failed |= bench_measure(&prioritize, options);
    joulie_cluster_free(extender.cluster);
    jl_buffer_clear(&extender.body);
    return failed;
}
