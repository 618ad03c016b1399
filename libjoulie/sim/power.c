/* SPDX-License-Identifier: Apache-2.0 */

/* States of a node's power (docs/rules/simulation.md#node-states). Called by run.c when one ends,
 * by node.c for the watts, by controllers. */

#include "sim/power.h"

#include "base/words.h"

#define BOOT_FACTOR 1.3 /* on idle CPUs: an assumption */

const struct jl_words jl_sim_power_words = JL_WORDS({
    { JL_NODE_ON, "on" },
    { JL_NODE_STOPPING, "stopping" },
    { JL_NODE_OFF, "off" },
    { JL_NODE_BOOTING, "booting" },
});

/* A node without pods that it could take is one that placement passes over; one that is off and
 * cordoned lacks them twice. */
static void close_room(struct jl_sim_fleet *fleet, size_t index)
{
    jl_sim_add_free_pods(fleet, index, -JL_SIM_PODS_PER_NODE);
}

static void open_room(struct jl_sim_fleet *fleet, size_t index)
{
    jl_sim_add_free_pods(fleet, index, JL_SIM_PODS_PER_NODE);
}

void jl_sim_node_cordon(struct jl_sim_fleet *fleet, size_t index, bool is_cordoned)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    if (node->is_cordoned == is_cordoned)
        return;
    node->is_cordoned = is_cordoned;
    if (is_cordoned) {
        close_room(fleet, index);
    } else {
        open_room(fleet, index);
        jl_sim_room_freed(fleet, index);
    }
}

double jl_sim_node_off_s(const struct jl_sim_node *node, double at_s)
{
    return node->off_s + (node->power_state == JL_NODE_ON ? 0 : at_s - node->power_since_s);
}

static void enter(struct jl_sim_node *node, enum jl_sim_power_state state, double now_s,
                  double until_s)
{
    node->off_s = jl_sim_node_off_s(node, now_s);
    node->power_state = state;
    node->power_since_s = now_s;
    node->power_until_s = until_s;
}

static void boot(struct jl_sim_node *node, double now_s)
{
    enter(node, JL_NODE_BOOTING, now_s, now_s + node->machine->family->boot_s);
    node->is_wanted = false;
}

bool jl_sim_node_power_off(struct jl_sim_fleet *fleet, size_t index)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    if (node->power_state != JL_NODE_ON || node->job_count > 0)
        return false;
    enter(node, JL_NODE_STOPPING, fleet->now_s, fleet->now_s + node->machine->family->stop_s);
    close_room(fleet, index);
    jl_sim_touch(fleet, index);
    return true;
}

bool jl_sim_node_power_on(struct jl_sim_fleet *fleet, size_t index)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    if (node->power_state == JL_NODE_STOPPING && !node->is_wanted) {
        node->is_wanted = true;
        return true;
    }
    if (node->power_state != JL_NODE_OFF)
        return false;
    boot(node, fleet->now_s);
    jl_sim_touch(fleet, index);
    return true;
}

/* Off or booting after stopping, on after booting. */
static void end_state(struct jl_sim_node *node)
{
    const double now_s = node->power_until_s;
    const bool has_stopped = node->power_state == JL_NODE_STOPPING;
    if (has_stopped && node->is_wanted) {
        boot(node, now_s);
        return;
    }
    enter(node, has_stopped ? JL_NODE_OFF : JL_NODE_ON, now_s, JL_NEVER);
}

bool jl_sim_node_power_step(struct jl_sim_fleet *fleet, size_t index)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    if (node->power_until_s > fleet->now_s)
        return false;
    end_state(node);
    jl_sim_touch(fleet, index);
    fleet->last_change_s = fleet->now_s;
    if (node->power_state == JL_NODE_ON) {
        fleet->boots++;
        open_room(fleet, index);
        jl_sim_room_freed(fleet, index);
    }
    return true;
}

struct jl_sim_watts jl_sim_off_watts(const struct jl_sim_node *node)
{
    if (node->power_state == JL_NODE_OFF)
        return (struct jl_sim_watts){ node->machine->family->standby_w, 0 };
    const double factor = node->power_state == JL_NODE_BOOTING ? BOOT_FACTOR : 1;
    return (struct jl_sim_watts){ factor * node->cpu.idle_w, node->gpu.idle_w };
}

void jl_sim_node_foresee(struct jl_sim_node *node, double at_s)
{
    while (node->power_until_s <= at_s) {
        const double now_s = node->power_until_s;
        end_state(node);
        const bool is_on = node->power_state == JL_NODE_ON;
        const struct jl_sim_watts idle = { node->cpu.idle_w, node->gpu.idle_w };
        const struct jl_sim_watts watts = is_on ? idle : jl_sim_off_watts(node);
        const enum jl_energy_part base = is_on ? JL_ENERGY_IDLE_EMPTY : JL_ENERGY_OFF;
        jl_sim_meter_set(&node->cpu, watts.cpu_w, base, now_s);
        jl_sim_meter_set(&node->gpu, watts.gpu_w, base, now_s);
    }
}
