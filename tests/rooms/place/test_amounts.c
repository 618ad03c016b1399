/* SPDX-License-Identifier: Apache-2.0 */

/* What all nodes together say, and what a pod asks for when it asks for none
 * (docs/rules/placement.md). */

#include "place/place.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000)

static double pressure(double headroom)
{
    struct joulie_place_config config;
    struct jl_place_aggregate cluster;
    struct jl_place_node node = { .class_ = JOULIE_NODE_CLASS_PERFORMANCE,
                                  .updated_ms = NOW_MS,
                                  .headroom = headroom,
                                  .capped_w = 500 };
    node.has = UINT64_C(1) << JL_PLACE_TWIN | UINT64_C(1) << JL_PLACE_CLASS |
               UINT64_C(1) << JL_PLACE_UPDATED | UINT64_C(1) << JL_PLACE_HEADROOM |
               UINT64_C(1) << JL_PLACE_CAPPED;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    jl_place_aggregate_nodes(&config, &node, 1, NOW_MS, &cluster);
    return cluster.perf_pressure;
}

static void the_pressure_of_a_node_is_what_its_headroom_lacks(void **state)
{
    (void)state;
    assert_near(pressure(100), 0, 0);
    assert_near(pressure(40), 60, 0);
    assert_near(pressure(0.5), 99.5, 0);
    assert_near(pressure(0), 100, 0);
    assert_near(pressure(-30), 100, 0); /* above its caps: no more than full */
}

static void none_of_a_vendors_gpus_says_nothing_of_the_vendor(void **state)
{
    static const struct jl_pair requests[] = { { "amd.com/gpu", "1" }, { "nvidia.com/gpu", "0" } };
    struct jl_container container = { .has = 0 };
    struct jl_pod pod = { .has = 0 };
    struct joulie_work demand = { .workload_class = JOULIE_WORKLOAD_STANDARD };
    (void)state;
    JL_SET(&container.resources, requests, ((struct jl_map){ requests, JL_COUNT(requests) }));
    container.given.resources = true;
    JL_SET(&pod.spec, containers, ((struct jl_list){ &container, 1 }));
    JL_MARK(&pod, JL_ROOT_SPEC);
    jl_work_read_demand(&pod, JOULIE_PLACE_RULES_CURRENT, &demand, NULL);
    assert_near(demand.gpu_count, 1, 0);
    assert_int_equal(demand.gpu_vendor, JOULIE_GPU_VENDOR_AMD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_of_a_vendors_gpus_says_nothing_of_the_vendor),
        cmocka_unit_test(the_pressure_of_a_node_is_what_its_headroom_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
