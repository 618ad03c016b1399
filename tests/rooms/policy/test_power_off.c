/* SPDX-License-Identifier: Apache-2.0 */

/* Switching nodes off: defaults, the order of the nodes, the reserve of each vendor and pods that
 * wait (docs/rules/policy.md#power_off_v1). */

#include "policy/power_off.h"
#include "policy/room.h"
#include "support/test.h"

#define CORES 192
#define HOUR_MS INT64_C(3600000)

static void what_is_not_set_is_as_the_page_says(void **state)
{
    struct jl_power_off_config config = { .has = 0 };
    (void)state;
    jl_power_off_defaults(&config);
    assert_true(config.enabled);
    assert_near(config.idle_s, 1800, 0);
    assert_near(config.up_s, 1800, 0);
    assert_near(config.reserve_gpus, 16, 0);
    assert_near(config.reserve_cores, 256, 0);
    assert_near(config.reserve_window_s, 900, 0);
    assert_near(config.standby_w, 50, 0);
    assert_near(config.stop_timeout_s, 600, 0);
    assert_near(config.boot_timeout_s, 1200, 0);
    assert_near((double)config.most_failures, 3, 0);
}

/* Watts for the work of a machine, which has 8 GPUs or 192 cores, all at full load. */
static struct jl_room room_of(double gpus, double cores, double watts, double speed)
{
    return (struct jl_room){
        .row = { .cpu_idle_w = watts, .cpu_speed = speed, .gpu_speed = speed },
        .offer = { .millicores = (int64_t)(cores * 1000), .micro_gpus = (int64_t)(gpus * 1e6) },
        .vendor = JOULIE_GPU_VENDOR_INTEL,
        .has_cores = true,
    };
}

/* The most watts for the work first; an unknown speed is 1, and what does no work is the last. */
static void machines_go_by_the_watts_of_their_work(void **state)
{
    static const struct {
        double gpus, cores, watts, speed;
    } rows[][2] = {
        /* in order */
        { { 0, CORES, 1003, 1 }, { 8, CORES, 1000, 1 } },
        { { 8, CORES, 1000, 1 }, { 0, CORES, 997, 1 } },
        { { 0, CORES, 1003, 0 }, { 8, CORES, 1000, 0 } },
        { { 8, CORES, 1000, 0 }, { 0, CORES, 997, 0 } },
        { { 0, CORES, 1003, 0 }, { 8, CORES, 1000, 1 } },
        { { 8, CORES, 1000, 0 }, { 0, CORES, 997, 1 } },
        { { 4, CORES, 1000, 1 }, { 8, CORES, 1000, 1 } },
        { { 8, CORES, 1000, 1 }, { 8, CORES, 1000, 2 } },
        { { 0, CORES / 2, 1000, 1 }, { 0, CORES, 1000, 1 } },
        { { 0, CORES, 1, 1 }, { 0, 0, 1000, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < 2 * JL_COUNT(rows); i++) {
        struct jl_room rooms[2];
        size_t order[2] = { 7, 7 };
        for (size_t k = 0; k < 2; k++)
            rooms[(k + i) % 2] = room_of(rows[i / 2][k].gpus, rows[i / 2][k].cores,
                                         rows[i / 2][k].watts, rows[i / 2][k].speed);
        assert_int_equal(jl_power_order(rooms, 2, order), 0);
        if (order[0] != i % 2 || order[1] != 1 - i % 2)
            fail_msg("row %zu", i);
    }
}

/* Nodes that are on and have been empty for long; a reserve of the GPUs of two of them. */
static void the_reserve_is_of_the_gpus_of_a_vendor(void **state)
{
    struct jl_power_off_config config = { .has = 0 };
    struct jl_power_node nodes[4] = { { .state = JL_POWER_ON },
                                      { .state = JL_POWER_ON },
                                      { .state = JL_POWER_ON },
                                      { .state = JL_POWER_ON } };
    struct jl_room rooms[4];
    struct jl_power_choice choices[4];
    size_t order[4];
    size_t off = 0;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        rooms[i] = room_of(8, CORES, 1000, 1);
    rooms[3].vendor = JOULIE_GPU_VENDOR_NVIDIA;
    jl_power_off_defaults(&config);
    config.reserve_window_s = 0;
    assert_int_equal(jl_power_order(rooms, 4, order), 0);
    jl_power_decide(&(struct jl_power_input){ .config = &config,
                                              .nodes = nodes,
                                              .rooms = rooms,
                                              .order = order,
                                              .count = 4,
                                              .now_ms = HOUR_MS },
                    choices);
    for (size_t i = 0; i < 3; i++)
        off += choices[i].action == JL_POWER_SWITCH_OFF;
    assert_int_equal(off, 1);
    assert_int_equal(choices[3].action, JL_POWER_NOTHING);
}

/* A performance pod has no room on an eco node that boots; another pod has. */
static void a_pod_waits_for_a_node_that_takes_it(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct jl_power_off_config config = { .has = 0 };
        const struct jl_power_node nodes[2] = { { .state = JL_POWER_BOOTING, .is_eco = true },
                                                { .state = JL_POWER_OFF } };
        struct jl_room rooms[2] = { room_of(0, CORES, 1000, 1), room_of(0, CORES, 1000, 1) };
        const struct jl_pod pod = { .has = 0 };
        const struct jl_node node = { .has = 0 };
        struct jl_waiting_pod waiting = { .pod = &pod, .load = { .millicores = 1000 } };
        struct jl_power_choice choices[2];
        size_t order[2];
        (void)state;
        rooms[0].node = rooms[1].node = &node;
        waiting.needs.workload_class =
            i == 0 ? JOULIE_WORKLOAD_PERFORMANCE : JOULIE_WORKLOAD_STANDARD;
        jl_power_off_defaults(&config);
        config.reserve_cores = config.reserve_gpus = 0;
        assert_int_equal(jl_power_order(rooms, 2, order), 0);
        jl_power_decide(&(struct jl_power_input){ .config = &config,
                                                  .nodes = nodes,
                                                  .rooms = rooms,
                                                  .order = order,
                                                  .count = 2,
                                                  .waiting = &waiting,
                                                  .waiting_count = 1 },
                        choices);
        assert_int_equal(choices[0].action, JL_POWER_NOTHING);
        assert_int_equal(choices[1].action, i == 0 ? JL_POWER_WAKE : JL_POWER_NOTHING);
        if (i == 0)
            assert_int_equal(choices[1].reason, JL_POWER_PODS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_set_is_as_the_page_says),
        cmocka_unit_test(machines_go_by_the_watts_of_their_work),
        cmocka_unit_test(the_reserve_is_of_the_gpus_of_a_vendor),
        cmocka_unit_test(a_pod_waits_for_a_node_that_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
