/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clusters: each byte is a choice of what happens next. Afterwards the model decides as one that
 * was just built from what is stored; its writes come to an end; and when everything is gone,
 * nothing is left of it.
 */

#include "cluster/twice.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);

/* A check of tests/rooms/cluster that fails here must abort, as no test runs. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
    return setenv("CMOCKA_TEST_ABORT", "1", 1);
}

static void happen(struct world *world, struct joulie_cluster *cluster)
{
    while (world->byte_at < world->byte_count) {
        if (world_pick(world, 0, 7) > 0) {
            world_event(world, cluster);
            continue;
        }
        const struct actions actions = step(cluster, world->now_ms);
        world_settle(world, cluster, &actions);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    const struct jl_cluster_config config = world_config(JL_POLICY_QUEUE);
    struct joulie_cluster *cluster = new_cluster(&config);
    world_start_bytes(&world, data, size);
    happen(&world, cluster);
    step_twice(&world, cluster, size);
    settle(cluster, world.now_ms);
    world_end(&world, cluster);
    settle(cluster, world.now_ms);
    world_end_twins(&world, cluster);
    FUZZ_REQUIRE(is_empty_model(cluster));
    joulie_cluster_free(cluster);
    return 0;
}
