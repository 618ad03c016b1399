/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/node.h>: what an agent has to write, in which order, and what it then reports. */

#include <stdio.h>
#include <string.h>

#include <joulie/node.h>

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static const char twin[] =
    "apiVersion: joulie.io/v1alpha1\nkind: NodeTwin\nmetadata: {name: n1}\n"
    "spec: {nodeName: n1, profile: eco, cpu: {packagePowerCapPctOfMax: 60}}\n"
    "status: {lastUpdated: \"2026-03-13T12:00:00Z\"}\n";

int main(void)
{
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    struct joulie_node_part package = JOULIE_INIT(struct joulie_node_part);
    struct joulie_node_reading reading = JOULIE_INIT(struct joulie_node_reading);
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    struct joulie_node *node = NULL;
    size_t count = 0;
    char *json = NULL;

    options.enforces = 1;
    package.kind = reading.kind = JOULIE_NODE_KIND_PACKAGE;
    package.max_w = 270;
    package.has = JOULIE_NODE_PART_HAS_MAX;
    package.is_controllable = 1;
    reading.limit_w = 270;
    reading.has = JOULIE_NODE_READING_HAS_LIMIT;
    if (joulie_node_new(&options, &node, NULL) != JOULIE_OK)
        return 1;
    joulie_node_put_part(node, &package, NULL);
    joulie_node_put_twin(node, twin, strlen(twin), NULL);
    joulie_node_put_reading(node, &reading, NULL);
    joulie_node_step(node, NOW_MS, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        joulie_node_write_at(node, i, &write, NULL);
        printf("package %d: %.3f W\n", (int)write.index, write.limit_w);
        reading.limit_w = write.limit_w; /* a driver would write it here, and read it back */
        reading.outcome = JOULIE_NODE_OUTCOME_WRITTEN;
        joulie_node_put_reading(node, &reading, NULL);
    }
    if (joulie_node_report(node, &json, NULL) == JOULIE_OK)
        puts(json);
    joulie_free(json);
    joulie_node_free(node);
    return json == NULL;
}
