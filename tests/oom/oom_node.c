/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of an agent's life fails once: this program is the allocator. The call that
 * failed says "out of memory", is made again, and the reports are those of a life without a
 * failure; then everything is released.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/node.h>

#include "oom/allocator.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)
#define ANSWER_BYTES 16384

static const char hardware[] =
    "apiVersion: joulie.io/v1alpha1\n"
    "kind: NodeHardware\n"
    "metadata: {name: a}\n"
    "spec: {nodeName: a}\n"
    "status:\n"
    "  cpu: {packages: [{index: 0, maxWatts: 270}, {index: 1, maxWatts: 225}]}\n"
    "  gpu: {devices: [{id: GPU-0, minWatts: 200, maxWatts: 350}]}\n";
static const char twin[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"a\"},"
    "\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapPctOfMax\":60},"
    "\"gpu\":{\"powerCap\":{\"capPctOfMax\":60}}},\"status\":{\"lastUpdated\":"
    "\"2026-03-13T12:00:00Z\"}}";

struct life {
    struct joulie_node *node;
    size_t retries;
    bool is_wrong;
    char answers[ANSWER_BYTES];
    size_t used;
};

/* Whether the call has to be made again; anything but success and out of memory is wrong. */
static bool again(struct life *life, int code)
{
    if (code == JOULIE_OK)
        return false;
    if (code != JOULIE_E_NOMEM || !oom_has_failed || life->retries > 0) {
        life->is_wrong = true;
        return false;
    }
    oom_fail_in = -1;
    life->retries++;
    return true;
}

static void note(struct life *life, const char *text)
{
    const size_t len = strlen(text);
    if (life->used + len + 2 > sizeof life->answers)
        abort();
    memcpy(life->answers + life->used, text, len);
    life->used += len;
    life->answers[life->used++] = '\n';
    life->answers[life->used] = '\0';
}

static void add_gpu(struct life *life)
{
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    part.kind = JOULIE_NODE_GPU;
    part.id = "GPU-1";
    part.has = JOULIE_PART_HAS_MAX;
    part.max_w = 700;
    part.is_controllable = 1;
    while (again(life, joulie_node_part(life->node, &part, NULL)))
        ;
}

static void apply(struct life *life, const struct joulie_node_write *write)
{
    struct joulie_node_reading reading = JOULIE_INIT(struct joulie_node_reading);
    reading.has = JOULIE_READING_HAS_LIMIT | (write->is_restore ? 0 : JOULIE_READING_HAS_ORIGINAL);
    reading.kind = write->kind;
    reading.index = write->index;
    reading.id = write->id;
    reading.limit_w = write->limit_w;
    reading.original_w = 300;
    reading.outcome = JOULIE_NODE_WRITTEN;
    reading.message = "as the driver says";
    while (again(life, joulie_node_reading(life->node, &reading, NULL)))
        ;
}

static void step(struct life *life, int64_t now_ms)
{
    char *json = NULL;
    size_t count = 0;
    while (again(life, joulie_node_step(life->node, now_ms, &count, NULL)))
        ;
    for (size_t i = 0; i < count && !life->is_wrong; i++) {
        struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
        while (again(life, joulie_node_write_at(life->node, i, &write, NULL)))
            ;
        apply(life, &write);
    }
    while (again(life, joulie_node_report(life->node, &json, NULL)))
        ;
    note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void live_once(struct life *life)
{
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    options.enforces = 1;
    options.cpu_backend = "rapl";
    options.gpu_backend = "host-nvidia";
    memset(life, 0, sizeof *life);
    while (again(life, joulie_node_new(&options, &life->node, NULL)))
        ;
    if (life->is_wrong)
        return;
    while (again(life, joulie_node_hardware(life->node, hardware, strlen(hardware), NULL)))
        ;
    while (again(life, joulie_node_twin(life->node, twin, strlen(twin), NULL)))
        ;
    step(life, NOW_MS);
    add_gpu(life);
    step(life, NOW_MS + MINUTE_MS);
    while (again(life, joulie_node_twin(life->node, NULL, 0, NULL)))
        ;
    step(life, NOW_MS + 2 * MINUTE_MS);
    joulie_node_free(life->node);
}

int main(void)
{
    static struct life clean;
    static struct life life;
    long failures = 0;
    long wrong = 0;
    live_once(&clean);
    for (long n = 0;; n++) {
        const long before = oom_live_blocks;
        oom_has_failed = false;
        oom_fail_in = n;
        live_once(&life);
        oom_fail_in = -1;
        if (!oom_has_failed)
            break;
        failures++;
        const bool is_wrong =
            life.is_wrong || strcmp(life.answers, clean.answers) != 0 || oom_live_blocks != before;
        if (is_wrong)
            printf("FAIL allocation %ld: %s\n", n,
                   life.is_wrong               ? "a wrong code"
                   : oom_live_blocks != before ? "not released"
                                               : "other answers");
        wrong += is_wrong;
    }
    printf("oom: an agent's life, %ld failed allocations, %ld wrong\n", failures, wrong);
    return clean.is_wrong || wrong > 0 || failures == 0;
}
