/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of an agent's life fails once: this program is the allocator. The call that
 * failed says "out of memory", is made again, and the reports are those of a life without a
 * failure; then everything is released.
 */

#include <string.h>

#include <joulie/node.h>

#include "oom/life.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE_MS INT64_C(60000)

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

static struct joulie_node *node; /* of the life that is lived */

static void add_gpu(struct oom_life *life)
{
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    part.kind = JOULIE_NODE_KIND_GPU;
    part.id = "GPU-1";
    part.has = JOULIE_NODE_PART_HAS_MAX;
    part.max_w = 700;
    part.is_controllable = 1;
    while (oom_again(life, joulie_node_put_part(node, &part, NULL)))
        ;
}

static void apply(struct oom_life *life, const struct joulie_node_write *write)
{
    struct joulie_node_reading reading = JOULIE_INIT(struct joulie_node_reading);
    reading.has =
        JOULIE_NODE_READING_HAS_LIMIT | (write->is_restore ? 0 : JOULIE_NODE_READING_HAS_ORIGINAL);
    reading.kind = write->kind;
    reading.index = write->index;
    reading.id = write->id;
    reading.limit_w = write->limit_w;
    reading.original_w = 300;
    reading.outcome = JOULIE_NODE_OUTCOME_WRITTEN;
    reading.message = "as the driver says";
    while (oom_again(life, joulie_node_put_reading(node, &reading, NULL)))
        ;
}

static void step(struct oom_life *life, int64_t now_ms)
{
    struct joulie_node_summary summary = JOULIE_INIT(struct joulie_node_summary);
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    char *json = NULL;
    size_t count = 0;
    while (oom_again(life, joulie_node_step(node, now_ms, &count, NULL)))
        ;
    for (size_t i = 0; i < count && !life->is_wrong; i++) {
        struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
        while (oom_again(life, joulie_node_write_at(node, i, &write, NULL)))
            ;
        apply(life, &write);
    }
    while (oom_again(life, joulie_node_part_at(node, 0, &part, NULL)))
        ;
    while (oom_again(life, joulie_node_get_summary(node, &summary, NULL)))
        ;
    oom_note(life, summary.cpu_message != NULL ? summary.cpu_message : "nothing");
    while (oom_again(life, joulie_node_report(node, &json, NULL)))
        ;
    oom_note(life, json != NULL ? json : "nothing");
    joulie_free(json);
}

static void live_once(struct oom_life *life)
{
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    options.enforces = 1;
    options.cpu_backend = "rapl";
    options.gpu_backend = "host-nvidia";
    node = NULL;
    while (oom_again(life, joulie_node_new(&options, &node, NULL)))
        ;
    if (life->is_wrong)
        return;
    while (oom_again(life, joulie_node_put_hardware(node, hardware, strlen(hardware), NULL)))
        ;
    while (oom_again(life, joulie_node_put_twin(node, twin, strlen(twin), NULL)))
        ;
    joulie_node_set_wall(node, NOW_MS, NOW_MS);
    joulie_node_heartbeat(node, NOW_MS);
    step(life, NOW_MS);
    add_gpu(life);
    step(life, NOW_MS + MINUTE_MS);
    while (oom_again(life, joulie_node_put_twin(node, NULL, 0, NULL)))
        ;
    step(life, NOW_MS + 2 * MINUTE_MS);
    joulie_node_free(node);
}

int main(void)
{
    return oom_lives("an agent's", live_once);
}
