/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes that are switched off and on: watts and seconds of each state, who may run there, and what
 * a controller hears of it. */

#include <stdio.h>
#include <string.h>

#include "sim/power.h"
#include "sim/world.h"

#define COMPUTE                                    \
    "'workloadClass':{'cpu':'cpu.compute_bound'}," \
    "'workloadProfile':{'cpuUtilization':1,'memoryIntensity':0,'ioIntensity':0}"

#define JOB(id, at, units)                                                                  \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'work':{'cpuUnits':" units \
    "},'podTemplate':{'requests':{'cpu':'16'}}," COMPUTE "}\n"

#define TWO "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]"
#define ALL_ON "{'type':'static_partition','staticHpFrac':1}"

static void open_two(struct world *world, const char *trace)
{
    world_open(world, &(struct world_options){
                          .inventory = TWO,
                          .trace = trace,
                          .policy = ALL_ON,
                          .placement = WORLD_LEAST_ALLOCATED,
                      });
}

static enum jl_sim_power_state state_of(const struct world *world, size_t node)
{
    return world->uncontrolled.fleet.nodes[node].power_state;
}

/*
 * A generic node, 80 W idle: switched off at 100 s it draws 80 W for 30 s, 50 W until 1000 s, and
 * 1.3 · 80 = 104 W for 300 s of booting.
 */
static void each_state_has_its_watts_and_seconds(void **state)
{
    struct world world;
    struct jl_sim_energy energy = { .cpu_j = { 0 } };
    (void)state;
    open_two(&world, JOB("j", "5000", "1600"));
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    const struct jl_sim_node *node = &fleet->nodes[1];
    world_run(&world, 100);
    assert_true(jl_sim_node_power_off(fleet, 1));
    world_run(&world, 129);
    assert_int_equal(state_of(&world, 1), JL_NODE_STOPPING);
    assert_true(node->cpu.power_w == 80);
    world_run(&world, 130);
    assert_int_equal(state_of(&world, 1), JL_NODE_OFF);
    assert_true(node->cpu.power_w == 50);
    world_run(&world, 1000);
    assert_true(jl_sim_node_power_on(fleet, 1));
    world_run(&world, 1299);
    assert_int_equal(state_of(&world, 1), JL_NODE_BOOTING);
    assert_true(node->cpu.power_w == 104);
    assert_int_equal(fleet->boots, 0);
    world_run(&world, 1400);
    assert_int_equal(state_of(&world, 1), JL_NODE_ON);
    assert_int_equal(fleet->boots, 1);
    jl_sim_add_energy(&energy, node, 1400);
    assert_true(energy.cpu_j[JL_ENERGY_OFF] == 30 * 80 + 870 * 50 + 300 * 104);
    assert_true(energy.cpu_j[JL_ENERGY_IDLE_EMPTY] == (100 + 100) * 80);
    assert_true(energy.cpu_j[JL_ENERGY_IDLE_BUSY] == 0 && energy.cpu_j[JL_ENERGY_DYNAMIC] == 0);
    world_finish(&world);
    world_close(&world);
}

/* Of a machine of one's own, with GPUs: 4 · 35 W idle of an L40S, while it stops and boots. */
static void an_inventory_says_what_a_machine_takes(void **state)
{
    struct world world;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu_cores: 16, vendor: nvidia, "
                                        "product: NVIDIA L40S, gpu_count: 4, standby_w: 12.5, "
                                        "boot_s: 60, stop_s: 5}]",
                           .trace = JOB("j", "5000", "1600"),
                           .policy = ALL_ON,
                       });
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    const struct jl_sim_node *node = &fleet->nodes[0];
    const double idle_w = 4 * node->machine->family->profile.gpu.idle_w;
    world_run(&world, 0);
    assert_true(jl_sim_node_power_off(fleet, 0));
    world_run(&world, 4);
    assert_true(node->cpu.power_w == 80 && node->gpu.power_w == idle_w);
    world_run(&world, 6);
    assert_true(node->cpu.power_w == 12.5 && node->gpu.power_w == 0);
    assert_true(jl_sim_supply_power_w(&fleet->supplies[0]) == 12.5);
    assert_true(jl_sim_node_power_on(fleet, 0));
    world_run(&world, 65);
    assert_true(node->cpu.power_w == 104 && node->gpu.power_w == idle_w);
    world_run(&world, 66);
    assert_true(node->cpu.power_w == 80 && node->gpu.power_w == idle_w);
    world_close(&world);
}

/*
 * n-1 is off when a and b come, each of a whole node; b is tried at once, waits, and starts when
 * n-1 is on, not when a ends. So does c, of the same shape, behind it.
 */
static void nothing_runs_where_it_is_not_on(void **state)
{
    struct world world;
    (void)state;
    open_two(&world, JOB("a", "100", "160000") JOB("b", "100", "1600") JOB("c", "150", "1600"));
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 10);
    assert_true(jl_sim_node_power_off(fleet, 1));
    world_run(&world, 20);
    assert_false(jl_sim_node_power_off(fleet, 1)); /* it stops already */
    world_run(&world, 200);
    assert_int_equal(world.uncontrolled.queue.count, 2);
    assert_false(jl_sim_node_power_off(fleet, 0)); /* a runs on it */
    assert_false(jl_sim_node_power_on(fleet, 0));
    assert_true(jl_sim_node_power_on(fleet, 1));
    assert_false(jl_sim_node_power_on(fleet, 1)); /* it boots already */
    assert_false(jl_sim_node_power_off(fleet, 1));
    world_run(&world, 499);
    assert_int_equal(world.uncontrolled.queue.count, 2);
    world_finish(&world);
    const struct jl_sim_job *b = world_job(&world, fleet, "b");
    const struct jl_sim_job *c = world_job(&world, fleet, "c");
    assert_string_equal(world_node_of(fleet, b), "n-1");
    assert_true(b->start_s == 500 && b->end_s == 600 && c->start_s == 600);
    world_close(&world);
}

/* Asked for while it stops, it stops first and then boots: 30 s and 300 s from 0 on. */
static void a_node_that_stops_is_not_held_back(void **state)
{
    struct world world;
    (void)state;
    open_two(&world, JOB("j", "5000", "1600"));
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 0);
    assert_true(jl_sim_node_power_off(fleet, 0));
    world_run(&world, 10);
    assert_true(jl_sim_node_power_on(fleet, 0));
    assert_false(jl_sim_node_power_on(fleet, 0));
    world_run(&world, 31);
    assert_int_equal(state_of(&world, 0), JL_NODE_BOOTING);
    world_run(&world, 329);
    assert_int_equal(state_of(&world, 0), JL_NODE_BOOTING);
    world_run(&world, 331);
    assert_int_equal(state_of(&world, 0), JL_NODE_ON);
    assert_true(jl_sim_node_power_off(fleet, 0)); /* and it may be switched off again */
    world_close(&world);
}

/* Jobs wait an hour for a node that nobody switches on, then they have no place. */
static void a_queue_without_a_node_ends(void **state)
{
    struct world world;
    (void)state;
    open_two(&world, JOB("j", "100", "1600"));
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 0);
    assert_true(jl_sim_node_power_off(fleet, 0) && jl_sim_node_power_off(fleet, 1));
    world_finish(&world);
    assert_int_equal(fleet->unplaced, 1);
    assert_true(fleet->now_s == 3700);
    world_close(&world);
}

/*
 * A run ends at 1100 s while n-1 stops, which it began at 1090 s: over 2000 s it stops until 1120 s
 * and is off for 880 s, as if the run had gone on. n-0 idles for 900 s.
 */
static void the_same_time_goes_on_through_the_states(void **state)
{
    struct world world;
    struct jl_sim_energy energy;
    (void)state;
    open_two(&world, JOB("j", "100", "16000"));
    struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    world_run(&world, 1090);
    assert_true(jl_sim_node_power_off(fleet, 1));
    world_finish(&world);
    assert_true(fleet->now_s == 1100);
    jl_sim_energy_of(fleet, 2000, &energy);
    assert_true(energy.cpu_j[JL_ENERGY_OFF] == 30 * 80 + 880 * 50);
    assert_true(energy.cpu_j[JL_ENERGY_IDLE_EMPTY] == (1090 + 100 + 900) * 80);
    assert_true(jl_sim_node_power_on(fleet, 1));
    jl_sim_energy_of(fleet, 2000, &energy); /* 30 s, 300 s, and 580 s idle */
    assert_true(energy.cpu_j[JL_ENERGY_OFF] == 30 * 80 + 300 * 104);
    assert_true(energy.cpu_j[JL_ENERGY_IDLE_EMPTY] == (1090 + 100 + 900 + 580) * 80);
    world_close(&world);
}

/* ---- a controller that switches ---- */

struct switcher {
    struct jl_sim_fleet *fleet;
    double due_s[3];
    size_t step;
    enum jl_sim_power_state heard[4];
    double heard_s[4];
    size_t heard_count;
};

static double switcher_due_s(const void *self)
{
    const struct switcher *switcher = self;
    return switcher->step < 2 ? switcher->due_s[switcher->step] : JL_NEVER;
}

static int switcher_step(void *self, struct joulie_error *err)
{
    struct switcher *switcher = self;
    (void)err;
    if (switcher_due_s(self) > switcher->fleet->now_s)
        return 0;
    if (switcher->step++ == 0)
        assert_true(jl_sim_node_power_off(switcher->fleet, 1));
    else
        assert_true(jl_sim_node_power_on(switcher->fleet, 1));
    return 0;
}

static int switcher_heard(void *self, size_t node, struct joulie_error *err)
{
    struct switcher *switcher = self;
    (void)err;
    assert_int_equal(node, 1);
    assert_true(switcher->heard_count < 4);
    switcher->heard[switcher->heard_count] = switcher->fleet->nodes[node].power_state;
    switcher->heard_s[switcher->heard_count++] = switcher->fleet->now_s;
    return 0;
}

/* Off at 50 s, on again at 60 s, while it stops: off never, booting at 80 s, on at 380 s. */
static void a_controller_switches_and_hears_of_it(void **state)
{
    static const struct jl_sim_controller_ops ops = {
        .due_s = switcher_due_s,
        .step = switcher_step,
        .node_changed = switcher_heard,
    };
    struct world world;
    (void)state;
    open_two(&world, JOB("a", "70", "160000") JOB("b", "70", "1600"));
    struct switcher switcher = { .fleet = &world.uncontrolled.fleet, .due_s = { 50, 60 } };
    world.uncontrolled.controller = (struct jl_sim_controller){ &ops, &switcher };
    world_finish(&world);
    assert_int_equal(switcher.heard_count, 2);
    assert_int_equal(switcher.heard[0], JL_NODE_BOOTING);
    assert_int_equal(switcher.heard[1], JL_NODE_ON);
    assert_true(switcher.heard_s[0] == 80 && switcher.heard_s[1] == 380);
    assert_true(world_job(&world, switcher.fleet, "b")->start_s == 380);
    world_close(&world);
}

/* ---- from outside ---- */

static void control(struct joulie_sim *sim, const char *action, const char *result,
                    const char *message)
{
    char body[64];
    char *reply = NULL;
    snprintf(body, sizeof body, "{\"action\":\"node.power_%s\"}", action);
    assert_int_equal(joulie_sim_control(sim, "n-1", body, strlen(body), &reply, NULL), 0);
    if (!strstr(reply, result) || !strstr(reply, message))
        fail_msg("%s: %s", action, reply);
    joulie_free(reply);
}

static void assert_node_event(const struct joulie_sim_event *event, int32_t found, double time_s)
{
    assert_int_equal(found, 1);
    assert_int_equal(event->kind, JOULIE_SIM_EVENT_NODE);
    assert_string_equal(event->node, "n-1");
    assert_true(event->time_s == time_s);
}

static void it_is_an_action_of_the_contract(void **state)
{
    static const char trace[] = "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":5000}\n";
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim *sim = NULL;
    int32_t found = 0;
    char *text = NULL;
    (void)state;
    options.inventory = TWO;
    options.inventory_len = strlen(TWO);
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    options.is_external = 1;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_next(sim, 10, &event, &found, NULL), 0);
    control(sim, "on", "\"applied\"", "it is on, or will be");
    control(sim, "off", "\"applied\"", "it stops");
    control(sim, "off", "\"blocked\"", "it is not on");
    assert_int_equal(joulie_sim_next(sim, 100, &event, &found, NULL), 0);
    assert_node_event(&event, found, 40);
    assert_int_equal(joulie_sim_next(sim, 100, &event, &found, NULL), 0);
    assert_int_equal(found, 0);
    assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
    assert_int_equal(view.nodes_off, 1);
    assert_true(view.cpu_power_w == 130);
    assert_int_equal(joulie_sim_node_by_name(sim, "n-1", &node, NULL), 0);
    assert_string_equal(node.power_state, "off");
    assert_int_equal(joulie_sim_node_by_name(sim, "n-0", &node, NULL), 0);
    assert_string_equal(node.power_state, "on");
    assert_int_equal(joulie_sim_body(sim, "n-1", "state", &text, NULL), 0);
    assert_non_null(strstr(text, "\"powerState\":\"off\""));
    joulie_free(text);
    control(sim, "on", "\"applied\"", "it boots");
    assert_int_equal(joulie_sim_next(sim, 1000, &event, &found, NULL), 0);
    assert_node_event(&event, found, 400);
    assert_int_equal(joulie_sim_node_by_name(sim, "n-1", &node, NULL), 0);
    assert_string_equal(node.power_state, "on");
    assert_int_equal(joulie_sim_next(sim, 1000, &event, &found, NULL), 0);
    assert_int_equal(found, 0);
    assert_int_equal(joulie_sim_get_outcome(sim, 0, &outcome, NULL), 0);
    assert_int_equal(outcome.boots, 1);
    assert_true(outcome.cpu_off_j == 30 * 80 + 60 * 50 + 300 * 104);
    assert_true(outcome.off_s == 30 + 60 + 300);
    assert_int_equal(joulie_sim_summary(sim, &text, NULL), 0);
    assert_non_null(strstr(text, "\"boots\":{\"controlled\":1},\"offS\":{\"controlled\":390}"));
    joulie_free(text);
    joulie_sim_free(sim);
}

/* Everything up to until_s; every pod may go everywhere. Where the pod went. */
static const char *play(struct joulie_sim *sim, double until_s, char node[16])
{
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    int32_t found = 0;
    node[0] = '\0';
    while (joulie_sim_next(sim, until_s, &event, &found, NULL) == 0 && found) {
        if (event.kind == JOULIE_SIM_EVENT_PLACE)
            assert_int_equal(joulie_sim_answer(sim, NULL, NULL, event.candidate_count, NULL), 0);
        if (event.kind == JOULIE_SIM_EVENT_POD && event.node[0] && !event.is_removed)
            snprintf(node, 16, "%s", event.node);
    }
    return node;
}

static void cordon(struct joulie_sim *sim, const char *node, int32_t is_cordoned)
{
    assert_int_equal(joulie_sim_cordon(sim, node, is_cordoned, NULL), 0);
    assert_int_equal(joulie_sim_cordon(sim, node, is_cordoned, NULL), 0);
}

/* One pod at 10 s, one at 5000 s, on two nodes of which none, then one, may have them. */
static void nothing_new_runs_on_a_node_that_is_cordoned(void **state)
{
    static const char trace[] = "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":10}\n"
                                "{\"type\":\"job\",\"jobId\":\"b\",\"submitTimeOffsetSec\":5000}\n";
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    char node[16];
    (void)state;
    options.inventory = TWO;
    options.inventory_len = strlen(TWO);
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    options.placement = "least-allocated";
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_cordon(sim, "n-0", 1, NULL), JOULIE_E_CONFLICT);
    joulie_sim_free(sim);
    options.is_external = 1;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_cordon(sim, "n-2", 1, NULL), JOULIE_E_NOT_FOUND);
    cordon(sim, "n-0", 1);
    cordon(sim, "n-1", 1);
    assert_string_equal(play(sim, 20, node), "");
    cordon(sim, "n-1", 0);
    assert_int_equal(joulie_sim_set_control_time(sim, 20, 0, NULL), 0);
    assert_string_equal(play(sim, 30, node), "n-1");
    control(sim, "off", "\"blocked\"", "pods run on it");
    play(sim, 4000, node);
    control(sim, "off", "\"applied\"", "it stops"); /* cordoned, off, and uncordoned while it is */
    cordon(sim, "n-1", 1);
    play(sim, 4500, node);
    cordon(sim, "n-1", 0);
    assert_string_equal(play(sim, 5100, node), "");
    control(sim, "on", "\"applied\"", "it boots");
    assert_string_equal(play(sim, 5500, node), "n-1");
    joulie_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_has_its_watts_and_seconds),
        cmocka_unit_test(an_inventory_says_what_a_machine_takes),
        cmocka_unit_test(nothing_runs_where_it_is_not_on),
        cmocka_unit_test(a_node_that_stops_is_not_held_back),
        cmocka_unit_test(a_queue_without_a_node_ends),
        cmocka_unit_test(the_same_time_goes_on_through_the_states),
        cmocka_unit_test(a_controller_switches_and_hears_of_it),
        cmocka_unit_test(it_is_an_action_of_the_contract),
        cmocka_unit_test(nothing_new_runs_on_a_node_that_is_cordoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
