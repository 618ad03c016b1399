/* SPDX-License-Identifier: Apache-2.0 */

/* Which gang gives way when nothing goes on (docs/rules/simulation.md#stuck-runs). */

#include "sim/world.h"

#define MEMBER(id, gang, at, cpu)                                                                  \
    "{'type':'job','jobId':'" id "','workloadId':'" gang "','gang':true,'submitTimeOffsetSec':" at \
    ",'work':{'cpuUnits':" cpu "},'podTemplate':{'requests':{'cpu':'" cpu "'}}}\n"

/* The first gang holds the only node and waits for a second one; the other holds nothing and fits
 * as soon as it is gone. */
static void the_gang_that_holds_room_gives_way(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu_cores: 16, memory_gib: 64}]",
                           .trace = MEMBER("a-0", "a", "0", "16") MEMBER("a-1", "a", "0", "16")
                               MEMBER("b-0", "b", "1", "8") MEMBER("b-1", "b", "1", "8"),
                           .policy = "{'staticHpFrac':1}",
                       });
    world_finish(&world);
    const struct jl_sim_fleet *runs[] = { &world.controlled.fleet, &world.uncontrolled.fleet };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(world_job(&world, runs[i], "a-0")->state, JL_JOB_FAILED);
        assert_int_equal(world_job(&world, runs[i], "a-1")->state, JL_JOB_FAILED);
        assert_int_equal(world_job(&world, runs[i], "b-0")->state, JL_JOB_COMPLETED);
        assert_int_equal(world_job(&world, runs[i], "b-1")->state, JL_JOB_COMPLETED);
    }
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_gang_that_holds_room_gives_way) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
