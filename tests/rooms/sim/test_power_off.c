/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes of whole runs that are switched off and woken: when, which, who waits how long, and that no
 * work and no energy is lost by it. */

#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

#include "sim/power.h"
#include "sim/world.h"

#define EPYC "cpu: AMD EPYC 9654 96-Core Processor, cpu_sockets: 2, cpu_cores: 192, memory_gib: 768"
#define NODES(count) "nodes: [{node_name_prefix: n, replicas: " count ", " EPYC "}]"
#define JOB_OF(id, at, class_, request)                                                  \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'intentClass':'" class_ \
    "','work':{'cpuUnits':192000},'podTemplate':{'requests':{" request "}},"             \
    "'workloadClass':{'cpu':'cpu.compute_bound'},"                                       \
    "'workloadProfile':{'cpuUtilization':1,'memoryIntensity':0,'ioIntensity':0}}\n"
#define WHOLE(id, at) JOB_OF(id, at, "standard", "'cpu':'192'")
#define ALL_ON "{'type':'static_partition','staticHpFrac':1}"

/* The defaults but for the reserve, which is always the same. */
static const struct jl_power_off_config fixed = { .given = { .reserve_window_s = true } };

static enum jl_sim_power_state state_of(const struct jl_sim_fleet *fleet, size_t node)
{
    return fleet->nodes[node].power_state;
}

static size_t asleep(const struct jl_sim_fleet *fleet)
{
    size_t count = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        count += fleet->nodes[i].power_state != JL_NODE_ON;
    return count;
}

static void open_nodes(struct world *world, const char *inventory, const char *trace)
{
    world_open(world, &(struct world_options){
                          .inventory = inventory,
                          .trace = trace,
                          .policy = ALL_ON,
                          .placement = WORLD_LEAST_ALLOCATED,
                          .power_off = &fixed,
                      });
}

/* Five times 192 cores, of which 256 stay free: n-0 to n-2 go after half an hour, in both runs. */
static void what_is_empty_goes_after_half_an_hour(void **state)
{
    struct world world;
    (void)state;
    open_nodes(&world, NODES("5"), WHOLE("j", "20000"));
    const struct jl_sim_fleet *fleets[] = { &world.controlled.fleet, &world.uncontrolled.fleet };
    world_run(&world, 1799);
    assert_int_equal(asleep(fleets[0]) + asleep(fleets[1]), 0);
    world_run(&world, 1800);
    for (size_t run = 0; run < 2; run++) {
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(state_of(fleets[run], i), i < 3 ? JL_NODE_STOPPING : JL_NODE_ON);
    }
    world_run(&world, 1831);
    assert_int_equal(state_of(fleets[0], 2), JL_NODE_OFF);
    world_run(&world, 19000);
    assert_int_equal(asleep(fleets[0]), 3);
    world_close(&world);
}

/* j takes one of the two that are awake: 192 free cores are too few, and n-2, the last of equal
 * ones, boots at once, not with the next step of the minute. */
static void the_reserve_is_filled_when_a_job_comes(void **state)
{
    struct world world;
    (void)state;
    open_nodes(&world, NODES("5"), WHOLE("j", "5000.25"));
    const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 5001);
    assert_true(world_job(&world, fleet, "j")->start_s == 5000.25);
    assert_int_equal(asleep(fleet), 3);
    assert_int_equal(state_of(fleet, 2), JL_NODE_BOOTING);
    assert_true(fleet->nodes[2].power_since_s == 5000.25);
    assert_int_equal(state_of(fleet, 0), JL_NODE_OFF);
    world_finish(&world);
    assert_int_equal(fleet->boots, 1);
    world_close(&world);
}

/* No job has come: nothing stays awake. The one that comes wakes a node for itself and, of the 192
 * cores that it asks for, another one, whose half an hour ends when none has come for long. */
static void the_reserve_follows_what_came(void **state)
{
    static const struct jl_power_off_config defaults;
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = NODES("5"),
                           .trace = WHOLE("j", "5000.25"),
                           .policy = ALL_ON,
                           .placement = WORLD_LEAST_ALLOCATED,
                           .power_off = &defaults,
                       });
    const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 4999);
    assert_int_equal(asleep(fleet), 5);
    world_run(&world, 5000.5);
    assert_int_equal(state_of(fleet, 0), JL_NODE_BOOTING); /* for the job */
    assert_int_equal(state_of(fleet, 3), JL_NODE_OFF);
    assert_int_equal(state_of(fleet, 4), JL_NODE_BOOTING); /* the reserve */
    world_finish(&world);
    assert_true(world_job(&world, fleet, "j")->start_s == 5300.25);
    assert_int_equal(fleet->boots, 2);
    world_close(&world);
}

/* Two find room, the third and the fourth wait for a boot of 300 s, on nodes that are woken for
 * them. */
static void a_job_waits_for_one_boot(void **state)
{
    struct world world;
    (void)state;
    open_nodes(&world, NODES("5"),
               WHOLE("a", "5000.25") WHOLE("b", "5000.25") WHOLE("c", "5000.25")
                   JOB_OF("d", "5100", "standard", "'cpu':'1'"));
    const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 5000.5);
    assert_int_equal(state_of(fleet, 0), JL_NODE_BOOTING); /* for c */
    assert_int_equal(state_of(fleet, 1), JL_NODE_BOOTING); /* the reserve */
    assert_int_equal(state_of(fleet, 2), JL_NODE_BOOTING);
    world_finish(&world);
    assert_true(world_job(&world, fleet, "b")->start_s == 5000.25);
    assert_true(world_job(&world, fleet, "c")->start_s == 5300.25);
    assert_true(world_job(&world, fleet, "d")->start_s == 5300.25); /* room that boots already */
    assert_int_equal(fleet->boots, 3);
    world_close(&world);
}

/* Of four equal nodes n-0 and n-1 are the performance nodes, and those that go first. */
static void performance_pods_wake_performance_nodes(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = NODES("4"),
                           .trace = JOB_OF("p", "5000.25", "performance", "'cpu':'1'")
                               JOB_OF("s", "5000.25", "standard", "'cpu':'1'"),
                           .policy = "{'type':'static_partition','staticHpFrac':0.5}",
                           .power_off = &fixed,
                       });
    const struct jl_sim_fleet *fleet = &world.controlled.fleet;
    struct jl_sim_counts counts;
    world_run(&world, 4999);
    assert_int_equal(state_of(fleet, 0), JL_NODE_OFF);
    assert_int_equal(state_of(fleet, 1), JL_NODE_OFF);
    jl_sim_count(&world.controlled.decisions, &counts);
    assert_int_equal(counts.performance, 2);
    assert_int_equal(counts.eco, 2);
    assert_int_equal(counts.other, 0);
    world_finish(&world);
    assert_true(world_job(&world, fleet, "s")->start_s == 5000.25);
    assert_true(world_job(&world, fleet, "p")->start_s == 5300.25);
    assert_string_equal(world_node_of(fleet, world_job(&world, fleet, "p")), "n-0");
    world_close(&world);
}

/* GPUs of a job that names no vendor are those that there are. */
static void a_job_without_a_vendor_wakes_a_node(void **state)
{
    struct world world;
    (void)state;
#define EIGHT(id) JOB_OF(id, "5000", "standard", "'cpu':'1','gpu':'8'")
    struct jl_power_off_config without = { 0 };
    JL_SET(&without, reserve_gpus, 0);
    JL_SET(&without, reserve_window_s, 0);
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name_prefix: n, replicas: 3, vendor: amd, "
                                        "product: AMD Instinct MI300X, gpu_count: 8, " EPYC "}]",
                           .trace = EIGHT("a") EIGHT("b") EIGHT("c"),
                           .policy = ALL_ON,
                           .placement = WORLD_LEAST_ALLOCATED,
                           .power_off = &without,
                       });
    const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 4999);
    assert_int_equal(asleep(fleet), 1);
    world_finish(&world);
    assert_true(world_job(&world, fleet, "c")->start_s == 5300);
    world_close(&world);
}

/* A job that names no vendor wakes the first machine that has so many, one that does wakes its
 * vendor's. */
static void the_machine_that_a_job_fits_is_woken(void **state)
{
    static const struct {
        const char *request;
        const char *node;
    } rows[] = {
        { "'cpu':'1','gpu':'4'", "a-0" },
        { "'cpu':'1','gpu':'5'", "b-0" },
        { "'cpu':'1','gpu':'8'", "b-0" },
        { "'cpu':'1','amd.com/gpu':'2'", "b-0" },
        { "'cpu':'1','nvidia.com/gpu':'2'", "a-0" },
        { "'cpu':'1'", "c-0" },
    };
    struct jl_power_off_config without = { 0 };
    (void)state;
    JL_SET(&without, reserve_gpus, 0);
    JL_SET(&without, reserve_cores, 0);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct world world;
        char trace[600];
        snprintf(trace, sizeof trace, JOB_OF("j", "5000", "standard", "%s"), rows[i].request);
        world_open(&world,
                   &(struct world_options){
                       .inventory = "nodes: [{node_name_prefix: a, replicas: 1, vendor: nvidia, "
                                    "product: NVIDIA L40S, gpu_count: 4, " EPYC "}, "
                                    "{node_name_prefix: b, replicas: 1, vendor: amd, "
                                    "product: AMD Instinct MI300X, gpu_count: 8, " EPYC "}, "
                                    "{node_name_prefix: c, replicas: 1, " EPYC "}]",
                       .trace = trace,
                       .policy = ALL_ON,
                       .placement = WORLD_LEAST_ALLOCATED,
                       .power_off = &without,
                   });
        const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
        world_run(&world, 4999);
        assert_int_equal(asleep(fleet), 3);
        world_finish(&world);
        assert_string_equal(world_node_of(fleet, world_job(&world, fleet, "j")), rows[i].node);
        assert_true(world_job(&world, fleet, "j")->start_s == 5300);
        assert_int_equal(fleet->boots, 1);
        world_close(&world);
    }
}

/* Not even a node that is about to be switched off is taken from a job. */
static void a_busy_node_stays_on(void **state)
{
    struct world world;
    (void)state;
    open_nodes(&world, NODES("3"), JOB_OF("a", "1799", "standard", "'cpu':'1'"));
    const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 1800); /* on n-0 of equal ones: n-1 is the first that is empty */
    assert_int_equal(state_of(fleet, 0), JL_NODE_ON);
    assert_int_equal(state_of(fleet, 1), JL_NODE_STOPPING);
    assert_int_equal(state_of(fleet, 2), JL_NODE_ON);
    world_close(&world);
}

/* ---- whole runs ---- */

static void run_of(const struct joulie_sim_options *options, struct joulie_sim_outcome *ours,
                   struct joulie_sim_outcome *other)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim *sim = NULL;
    *ours = *other = JOULIE_INIT(struct joulie_sim_outcome);
    if (joulie_sim_new(options, &sim, &err) < 0)
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(joulie_sim_run_until(sim, 1e9, NULL), 0);
    assert_int_equal(joulie_sim_get_outcome(sim, 0, ours, NULL), 0);
    assert_int_equal(joulie_sim_get_outcome(sim, 1, other, NULL), 0);
    joulie_sim_free(sim);
}

static double parts_of(const struct joulie_sim_outcome *outcome)
{
    return outcome->cpu_idle_busy_j + outcome->cpu_idle_empty_j + outcome->cpu_dynamic_j +
           outcome->cpu_off_j + outcome->gpu_idle_busy_j + outcome->gpu_idle_empty_j +
           outcome->gpu_dynamic_j + outcome->gpu_off_j;
}

/* A quiet day: the work is the same, parts of the energy add up, and it is less. */
static void nothing_is_lost(void **state)
{
    static const char inventory[] =
        "nodes: [{node_name_prefix: c, replicas: 6, " EPYC "}, {node_name_prefix: g, replicas: 6, "
        "vendor: nvidia, product: NVIDIA L40S, gpu_count: 8, " EPYC "}]";
    struct joulie_workload_options day = JOULIE_INIT(struct joulie_workload_options);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_outcome ours;
    struct joulie_sim_outcome other;
    struct joulie_sim_outcome plain;
    char *trace = NULL;
    (void)state;
    day.has = JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_LOAD;
    day.mode = "diurnal";
    day.hours = 12;
    day.load = 0.3;
    day.inventory = inventory;
    day.inventory_len = strlen(inventory);
    assert_int_equal(joulie_workload_generate(&day, &trace, NULL), 0);
    options.inventory = inventory;
    options.inventory_len = strlen(inventory);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.placement = "efficiency";
    options.policy = "{\"type\": \"static_partition\", \"staticHpFrac\": 1}";
    options.policy_len = strlen(options.policy);
    options.compare = 1;
    options.power_off = "{}";
    options.power_off_len = 2;
    run_of(&options, &ours, &plain);
    assert_true(ours.off_s > 0 && ours.boots > 0 && plain.off_s == 0 && plain.boots == 0);
    options.baseline_power_off = 1;
    run_of(&options, &ours, &other);
    assert_true(other.off_s > 0 && other.boots > 0);
    const struct joulie_sim_outcome *all[] = { &ours, &other, &plain };
    for (size_t i = 0; i < JL_COUNT(all); i++) {
        assert_int_equal(all[i]->completed, all[i]->jobs);
        assert_true(parts_of(all[i]) == all[i]->window_energy_j);
        assert_true(all[i]->cpu_units == plain.cpu_units);
        assert_true(all[i]->gpu_units == plain.gpu_units);
    }
    assert_true(ours.energy_j < plain.energy_j && other.energy_j < plain.energy_j);
    assert_true(ours.cpu_off_j > 0 && ours.gpu_off_j > 0);
    options.power_off = "{enabled: false}";
    options.power_off_len = strlen(options.power_off);
    run_of(&options, &ours, &other);
    assert_true(ours.off_s == 0 && other.energy_j == plain.energy_j);
    joulie_free(trace);
}

static void refuse(const char *power_off, int32_t is_external, int32_t baseline, int code,
                   const char *where)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim *sim = NULL;
    options.inventory = NODES("1");
    options.inventory_len = strlen(options.inventory);
    options.trace = "";
    options.power_off = power_off;
    options.power_off_len = power_off ? strlen(power_off) : 0;
    options.is_external = is_external;
    options.baseline_power_off = baseline;
    assert_int_equal(joulie_sim_new(&options, &sim, &err), code);
    assert_string_equal(err.where, where);
}

static void settings_are_checked(void **state)
{
    (void)state;
    refuse("{idleS: -1}", 0, 0, JOULIE_E_RANGE, "powerOff: idleS");
    refuse("{idle: 1}", 0, 0, JOULIE_E_UNKNOWN_MEMBER, "powerOff: idle");
    refuse("{mostFailures: 0}", 0, 0, JOULIE_E_RANGE, "powerOff: mostFailures");
    refuse("{}", 1, 0, JOULIE_E_CONFLICT, "powerOff");
    refuse(NULL, 0, 1, JOULIE_E_REQUIRED, "powerOff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_empty_goes_after_half_an_hour),
        cmocka_unit_test(the_reserve_is_filled_when_a_job_comes),
        cmocka_unit_test(the_reserve_follows_what_came),
        cmocka_unit_test(a_job_waits_for_one_boot),
        cmocka_unit_test(performance_pods_wake_performance_nodes),
        cmocka_unit_test(a_job_without_a_vendor_wakes_a_node),
        cmocka_unit_test(the_machine_that_a_job_fits_is_woken),
        cmocka_unit_test(a_busy_node_stays_on),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
