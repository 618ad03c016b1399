/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Bodies of the control endpoint, and NodeTwins that were decided: whatever comes, a machine's caps
 * stay in its range, a reply is JSON, and what is refused changes nothing.
 */

#include <string.h>

#include <joulie/object.h>
#include <joulie/sim.h>

#include "fuzz/fuzz.h"
#include "sim/sim.h"

static const char inventory[] =
    "nodes:\n"
    "  - {node_name: c, cpu_cores: 10}\n"
    "  - {node_name: g, cpu_cores: 64, vendor: nvidia, product: NVIDIA L40S, gpu_count: 2}\n";
static const char trace[] = "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":1}\n";

static struct joulie_sim *open_sim(void)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    options.inventory = inventory;
    options.inventory_len = sizeof inventory - 1;
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    options.is_external = 1;
    FUZZ_REQUIRE(joulie_sim_new(&options, &sim, NULL) == 0);
    return sim;
}

static void check_caps(const struct joulie_sim *sim)
{
    for (size_t i = 0; i < sim->controlled.fleet.node_count; i++) {
        const struct jl_sim_node *node = &sim->controlled.fleet.nodes[i];
        const struct jl_physics_profile *profile = &node->machine->family->profile;
        FUZZ_REQUIRE(node->cpu_cap.target >= profile->cap_min_w);
        FUZZ_REQUIRE(node->cpu_cap.target <= profile->cap_max_w);
        FUZZ_REQUIRE(node->throttle_pct >= 0 && node->throttle_pct <= 100);
        FUZZ_REQUIRE(node->freq_limit.target >= profile->min_freq && node->freq_limit.target <= 1);
        if (node->machine->family->gpus > 0)
            FUZZ_REQUIRE(node->gpu_cap.target >= profile->gpu.min_cap_w &&
                         node->gpu_cap.target <= profile->gpu.max_w);
    }
}

static void control(struct joulie_sim *sim, const char *node, const char *text, size_t len)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *reply = NULL;
    char *line = NULL;
    const int rc = joulie_sim_control(sim, node, text, len, &reply, &err);
    FUZZ_REQUIRE((rc == 0) == (reply != NULL));
    FUZZ_REQUIRE(rc == 0 || (rc == err.code && rc != JOULIE_E_INTERNAL && err.message[0] != '\0'));
    if (rc == 0)
        FUZZ_REQUIRE(joulie_format(reply, strlen(reply), JOULIE_FORM_LINE, &line, NULL) == 0);
    check_caps(sim);
    joulie_free(line);
    joulie_free(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct joulie_sim *sim = open_sim();
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    int found = 0;
    control(sim, "c", (const char *)data, size);
    control(sim, "g", (const char *)data, size);
    (void)joulie_sim_put_decision(sim, (const char *)data, size, NULL);
    FUZZ_REQUIRE(joulie_sim_next(sim, 0.5, &event, &found, NULL) == 0 && !found);
    check_caps(sim);
    joulie_sim_free(sim);
    return 0;
}
