/* SPDX-License-Identifier: Apache-2.0 */

/* Drawn days of four nodes that power_off_v1 switches off (docs/rules/policy.md#power-records),
 * with machines that take their time, commands that fail, pods that come at any moment and models
 * that are started anew: no machine is switched off under a pod, and all of them come back. */

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/time.h"
#include "cluster/api.h"

#define SECOND INT64_C(1000)
#define NODES 4
#define PODS 6
#define LIVES 60
#define STEPS 700
#define BEAT (10 * SECOND)
#define STOP_BEATS 6 /* shorter than stopTimeoutS, as it has to be */
#define BOOT_BEATS 8

struct machine {
    char name[16];
    bool is_up;
    int beats; /* until what was commanded has happened; 0 = nothing was */
    bool goes_up;
    int boot;
    int64_t ready_ms; /* since when the condition is what it is */
    /* the record, as the API server has it */
    enum joulie_power_state state;
    int64_t since_ms;
    int64_t failures;
    int noted_boot;
    bool is_open; /* as a scheduler saw it a beat ago */
};

struct life {
    struct jl_random random;
    struct joulie_cluster *cluster;
    struct machine machines[NODES];
    int pods[PODS]; /* node + 1; 0 = none, -1 = waits */
    int64_t now_ms;
    int commands; /* that were run */
    bool is_kind; /* nothing fails any more */
};

static bool happens(struct life *life, int percent)
{
    return jl_random_range(&life->random, 0, 100) < percent;
}

static struct joulie_cluster *new_model(bool is_on)
{
    return make(is_on ? "{\"powerOff\":{\"idleS\":60,\"upS\":60,\"reserveCores\":0,\"reserveGpus\":"
                        "0,\"stopTimeoutS\":120,\"bootTimeoutS\":240,\"mostFailures\":1000}}"
                      : "{}");
}

static void tell_node(struct life *life, int i)
{
    const struct machine *machine = &life->machines[i];
    const bool is_on = machine->state == JOULIE_POWER_STATE_ON;
    char record[512] = "";
    char since[JL_TIME_TEXT];
    char ready[JL_TIME_TEXT];
    char text[1536];
    jl_format_time(machine->since_ms, since);
    jl_format_time(machine->ready_ms, ready);
    if (!is_on)
        snprintf(record, sizeof record,
                 "\"joulie.io/power-state\":\"%s\",\"joulie.io/power-since\":\"%s\","
                 "\"joulie.io/power-boot-id\":\"%d\",",
                 joulie_word(JOULIE_VOCABULARY_POWER_STATE, (int)machine->state), since,
                 machine->noted_boot);
    snprintf(
        text, sizeof text,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\","
        "\"annotations\":{%s\"joulie.io/power-failures\":\"%d\"}},\"spec\":{%s},\"status\":{"
        "\"allocatable\":{\"cpu\":\"8\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\","
        "\"lastTransitionTime\":\"%s\"}],\"nodeInfo\":{\"bootID\":\"%d\"}}}",
        machine->name, record, (int)machine->failures,
        is_on ? ""
              : "\"unschedulable\":true,\"taints\":[{\"key\":\"joulie.io/powered-off\","
                "\"effect\":\"NoSchedule\"}]",
        machine->is_up ? "True" : "Unknown", ready, machine->boot);
    upsert(life->cluster, text);
}

static void tell_pod(struct life *life, int i)
{
    char name[16];
    char text[512];
    snprintf(name, sizeof name, "p%d", i);
    if (life->pods[i] == 0) {
        assert_int_equal(joulie_cluster_remove(life->cluster, "Pod", "d", name, NULL), JOULIE_OK);
        return;
    }
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
             "\"d\"},\"spec\":{%s%s%s\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
             "\"cpu\":\"4\"}}}]},\"status\":{\"phase\":\"%s\"}}",
             name, life->pods[i] > 0 ? "\"nodeName\":\"" : "",
             life->pods[i] > 0 ? life->machines[life->pods[i] - 1].name : "",
             life->pods[i] > 0 ? "\"," : "", life->pods[i] > 0 ? "Running" : "Pending");
    upsert(life->cluster, text);
}

static void tell_all(struct life *life, bool is_on)
{
    life->cluster = new_model(is_on);
    for (int i = 0; i < NODES; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{"
                 "\"name\":\"%s\"},\"spec\":{\"nodeName\":\"%s\"},\"status\":{\"cpu\":{\"model\":"
                 "\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192}}}",
                 life->machines[i].name, life->machines[i].name);
        upsert(life->cluster, text);
        tell_node(life, i);
    }
    for (int i = 0; i < PODS; i++)
        tell_pod(life, i);
}

static int pods_on(const struct life *life, int node)
{
    int count = 0;
    for (int i = 0; i < PODS; i++)
        count += life->pods[i] == node + 1;
    return count;
}

static int machine_of(const struct life *life, const char *name)
{
    int i = 0;
    while (strcmp(life->machines[i].name, name) != 0)
        i++;
    return i;
}

/* ---- what happens ---- */

static void move_machine(struct life *life, int i)
{
    struct machine *machine = &life->machines[i];
    if (machine->beats == 0 || --machine->beats > 0)
        return;
    if (machine->is_up == machine->goes_up)
        return;
    machine->is_up = machine->goes_up;
    machine->boot += machine->is_up;
    machine->ready_ms = life->now_ms;
    assert_true(machine->is_up || pods_on(life, i) == 0);
    tell_node(life, i);
}

/* A scheduler places what waits on nodes that were on and not drained a beat ago: some pods are on
 * their way when the drain comes. */
static void schedule(struct life *life, int pod)
{
    for (int i = 0; i < NODES && life->pods[pod] < 0; i++) {
        const struct machine *machine = &life->machines[i];
        if (machine->is_open && pods_on(life, i) < 2)
            life->pods[pod] = i + 1;
    }
    if (life->pods[pod] > 0)
        tell_pod(life, pod);
}

static void move_pods(struct life *life)
{
    for (int i = 0; i < PODS; i++) {
        if (life->pods[i] < 0) {
            schedule(life, i);
        } else if (happens(life, life->pods[i] == 0 ? 2 : 4)) {
            life->pods[i] = life->pods[i] == 0 ? -1 : 0;
            tell_pod(life, i);
        }
    }
}

/* ---- the program ---- */

static void take_actions(struct life *life)
{
    const size_t count = step(life->cluster, life->now_ms);
    for (size_t k = 0; k < count; k++) {
        const struct joulie_cluster_action action = action_at(life->cluster, k);
        const int i = machine_of(life, action.node_name);
        const bool is_power = action.change == JOULIE_CHANGE_POWER;
        if (is_power && !life->is_kind && happens(life, 20)) {
            assert_int_equal(
                joulie_cluster_action_done(life->cluster, action.id, JOULIE_OUTCOME_CONFLICT, NULL),
                JOULIE_OK);
            continue;
        }
        assert_int_equal(
            joulie_cluster_action_done(life->cluster, action.id, JOULIE_OUTCOME_APPLIED, NULL),
            JOULIE_OK);
        if (!is_power)
            continue;
        struct machine *machine = &life->machines[i];
        const struct joulie_cluster_node node = node_of(life->cluster, action.node_name);
        if (node.power_state == JOULIE_POWER_STATE_STOPPING &&
            machine->state == JOULIE_POWER_STATE_ON)
            machine->noted_boot = machine->boot;
        machine->state = node.power_state;
        machine->failures = node.power_failures;
        if (node.power_state != JOULIE_POWER_STATE_ON)
            machine->since_ms = node.power_since_ms;
    }
}

static void run_commands(struct life *life)
{
    struct joulie_cluster_command command = JOULIE_INIT(struct joulie_cluster_command);
    while (joulie_cluster_command_at(life->cluster, 0, &command, NULL) == JOULIE_OK) {
        const int i = machine_of(life, command.node_name);
        struct machine *machine = &life->machines[i];
        const bool goes_up = command.command == JOULIE_POWER_COMMAND_POWER_ON;
        const bool has_failed = !life->is_kind && happens(life, 15);
        if (!goes_up) {
            assert_int_equal(machine->state, JOULIE_POWER_STATE_STOPPING);
            assert_int_equal(pods_on(life, i), 0);
        }
        /* what is up already hears nothing of power-on, and stops if it was stopping */
        if (!has_failed && machine->is_up != goes_up) {
            machine->goes_up = goes_up;
            machine->beats = goes_up ? BOOT_BEATS : STOP_BEATS;
        }
        life->commands++;
        assert_int_equal(joulie_cluster_command_done(
                             life->cluster, command.id,
                             has_failed ? JOULIE_OUTCOME_FAILED : JOULIE_OUTCOME_APPLIED, NULL),
                         JOULIE_OK);
    }
}

static void beat(struct life *life)
{
    life->now_ms += BEAT;
    for (int i = 0; i < NODES; i++) {
        struct machine *machine = &life->machines[i];
        move_machine(life, i);
        machine->is_open = machine->is_up && machine->state == JOULIE_POWER_STATE_ON;
    }
    take_actions(life);
    run_commands(life);
}

static void restart(struct life *life, bool is_on)
{
    joulie_cluster_free(life->cluster);
    tell_all(life, is_on);
}

static int count_on(const struct life *life)
{
    int count = 0;
    for (int i = 0; i < NODES; i++)
        count += life->machines[i].is_up && life->machines[i].state == JOULIE_POWER_STATE_ON;
    return count;
}

static int live(uint64_t seed)
{
    struct life life = { .now_ms = NOW_MS };
    life.random.state = seed;
    for (int i = 0; i < NODES; i++) {
        struct machine *machine = &life.machines[i];
        snprintf(machine->name, sizeof machine->name, "n%d", i);
        machine->is_up = true;
        machine->state = JOULIE_POWER_STATE_ON;
        machine->ready_ms = NOW_MS - 3600 * SECOND;
    }
    tell_all(&life, true);
    for (int i = 0; i < STEPS; i++) {
        move_pods(&life);
        beat(&life);
        if (happens(&life, 3))
            restart(&life, true);
    }
    /* what waits gets its node, without any failure: two pods fit on each */
    life.is_kind = true;
    for (int i = 0; i < 200; i++) {
        for (int pod = 0; pod < PODS; pod++) {
            if (life.pods[pod] < 0)
                schedule(&life, pod);
        }
        beat(&life);
    }
    for (int i = 0; i < PODS; i++)
        assert_true(life.pods[i] >= 0);
    /* and without the policy all of them are on */
    restart(&life, false);
    for (int i = 0; i < 200; i++)
        beat(&life);
    assert_int_equal(count_on(&life), NODES);
    joulie_cluster_free(life.cluster);
    return life.commands;
}

static void no_machine_is_switched_off_under_a_pod_and_all_come_back(void **state)
{
    int commands = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= LIVES; seed++)
        commands += live(seed);
    assert_true(commands > LIVES * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_machine_is_switched_off_under_a_pod_and_all_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
