/* SPDX-License-Identifier: Apache-2.0 */

/* What pods of a simulation used (docs/rules/simulation.md#use-of-a-pod), against the meters of
 * their machines. */

#include <stdbool.h>
#include <string.h>

#include <joulie/sim.h>

#include "support/test.h"

/* c has the base profile; a GPU of g draws 35 W when it is idle, 350 W at most. */
#define INVENTORY                                                                           \
    "nodes:\n"                                                                              \
    "  - {node_name: c, cpu_cores: 10}\n"                                                   \
    "  - {node_name: g, cpu_cores: 64, cpu: AMD EPYC 9534, cpu_relative_speed: 1, vendor: " \
    "nvidia, product: NVIDIA L40S, gpu_relative_speed: 1, gpu_count: 4}\n"
#define GPU_IDLE_W 35.0

#define JOB(id, submit, cores, gpus, more)                                                     \
    "{\"type\":\"job\",\"jobId\":\"" id "\",\"submitTimeOffsetSec\":" submit                   \
    ",\"podTemplate\":{\"requests\":{\"cpu\":\"" cores "\",\"memory\":\"8Gi\"" gpus "}}," more \
    "}\n"
#define TWO_GPUS ",\"nvidia.com/gpu\":\"2\""

/* Half of c, memory bound; starts at 10 s. */
#define MEMORY_BOUND                                                               \
    JOB("m", "10", "5", "",                                                        \
        "\"work\":{\"cpuUnits\":1e6},\"workloadProfile\":{\"cpuUtilization\":0.6," \
        "\"memoryIntensity\":0.8,\"ioIntensity\":0}")
/* On g: long GPU work, whose CPU part ends long before. */
#define TRAINING                                                              \
    JOB("t", "0", "16", TWO_GPUS,                                             \
        "\"work\":{\"cpuUnits\":1600,\"gpuUnits\":1e6},\"workloadProfile\":{" \
        "\"cpuUtilization\":0.5,\"gpuUtilization\":0.9,\"memoryIntensity\":0.4}")
#define OTHER                                                                \
    JOB("o", "20", "32", TWO_GPUS,                                           \
        "\"work\":{\"cpuUnits\":1e6,\"gpuUnits\":1e6},\"workloadProfile\":{" \
        "\"cpuUtilization\":0.8,\"gpuUtilization\":0.3,\"memoryIntensity\":0.7}")
/* One of two that have to be there together; the other one fits nowhere. */
#define HALF_A_GANG                                                                          \
    JOB("h", "0", "4", "", "\"workloadId\":\"w\",\"gang\":true,\"work\":{\"cpuUnits\":1e6}") \
    JOB("i", "0", "60", "", "\"workloadId\":\"w\",\"gang\":true,\"work\":{\"cpuUnits\":1e6}")

enum { C, G };

static struct joulie_sim *open_sim(const char *trace, int is_external)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    options.inventory = INVENTORY;
    options.inventory_len = strlen(INVENTORY);
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.is_external = is_external;
    if (joulie_sim_new(&options, &sim, &err) < 0)
        fail_msg("%s: %s", err.where, err.message);
    return sim;
}

/* Every pod goes where it has room, those without GPUs to c. */
static void go(struct joulie_sim *sim, double until_s)
{
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    int found = 1;
    while (found) {
        assert_int_equal(joulie_sim_next(sim, until_s, &event, &found, NULL), 0);
        if (!found || event.kind != JOULIE_SIM_EVENT_PLACE)
            continue;
        const bool wants_gpus = strstr(event.text, "nvidia.com/gpu") != NULL;
        unsigned char passed[2] = { 0, 0 };
        for (size_t i = 0; i < event.candidate_count; i++)
            passed[i] = wants_gpus || strcmp(event.candidates[i], "c") == 0;
        assert_int_equal(joulie_sim_answer(sim, passed, NULL, event.candidate_count, NULL), 0);
    }
}

static struct joulie_sim_pod_view pod_at(const struct joulie_sim *sim, size_t node, size_t index)
{
    struct joulie_sim_pod_view pod = JOULIE_INIT(struct joulie_sim_pod_view);
    assert_int_equal(joulie_sim_pod_at(sim, node, index, &pod, NULL), 0);
    return pod;
}

static struct joulie_sim_outcome outcome_of(const struct joulie_sim *sim)
{
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    assert_int_equal(joulie_sim_get_outcome(sim, 0, &outcome, NULL), 0);
    return outcome;
}

static void cap(struct joulie_sim *sim, const char *node, const char *body)
{
    char *reply = NULL;
    assert_int_equal(joulie_sim_control(sim, node, body, strlen(body), &reply, NULL), 0);
    assert_non_null(strstr(reply, "\"applied\""));
    joulie_free(reply);
}

static void processor_time_is_cores_times_utilisation_since_the_start(void **state)
{
    struct joulie_sim *sim = open_sim(MEMORY_BOUND, 1);
    (void)state;
    go(sim, 110);
    const struct joulie_sim_pod_view pod = pod_at(sim, C, 0);
    assert_string_equal(pod.name, "m");
    assert_string_equal(pod.name_space, "default");
    assert_string_equal(pod.container, "job");
    assert_near(pod.cpu_s, 5 * 0.6 * 100, 1e-9);
    assert_near(pod.memory_bytes, 0.8 * 8 * 1024 * 1024 * 1024, 1);
    assert_int_equal(pod.gpus, 0);
    /* 0.10 + 0.45 · 0.8 of what it adds is the memory's */
    assert_near(pod.dram_energy_j / (pod.dram_energy_j + pod.package_energy_j), 0.46, 1e-12);
    joulie_sim_free(sim);
}

static void a_slower_processor_is_as_busy_and_takes_less_energy(void **state)
{
    struct joulie_sim *sim = open_sim(MEMORY_BOUND, 1);
    (void)state;
    go(sim, 110);
    const struct joulie_sim_pod_view before = pod_at(sim, C, 0);
    cap(sim, "c", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":120}");
    go(sim, 150); /* the cap is there by now */
    const struct joulie_sim_pod_view middle = pod_at(sim, C, 0);
    go(sim, 250);
    const struct joulie_sim_pod_view after = pod_at(sim, C, 0);
    assert_near(after.cpu_s - middle.cpu_s, 300, 1e-9);
    assert_near(after.package_energy_j + after.dram_energy_j - middle.package_energy_j -
                    middle.dram_energy_j,
                (120 - 80) * 100, 1e-6); /* above the 80 W of an idle machine */
    assert_true(before.package_energy_j + before.dram_energy_j > 100 * (120 - 80));
    joulie_sim_free(sim);
}

/* What the machines drew above idle is what their pods are charged, at any time and through caps
 * that come and go. A GPU with work is charged whole. */
static void pods_are_charged_what_their_machines_drew(void **state)
{
    struct joulie_sim *sim = open_sim(MEMORY_BOUND TRAINING OTHER, 1);
    double last[128] = { 0 }; /* by the letter that is a pod's name */
    (void)state;
    for (int at_s = 1; at_s <= 400; at_s += 7) {
        if (at_s == 99)
            cap(sim, "g", "{\"action\":\"gpu.set_power_cap_watts\",\"capWattsPerGpu\":200}");
        if (at_s == 197)
            cap(sim, "g", "{\"action\":\"rapl.set_power_cap_watts\",\"capWatts\":250}");
        go(sim, at_s);
        const struct joulie_sim_outcome outcome = outcome_of(sim);
        const double others_s = at_s > 20 ? at_s - 20 : 0;
        double cpu_j = 0;
        double gpu_j = 0;
        for (size_t node = C; node <= G; node++) {
            struct joulie_sim_pod_view pod = JOULIE_INIT(struct joulie_sim_pod_view);
            for (size_t i = 0; joulie_sim_pod_at(sim, node, i, &pod, NULL) == 0; i++) {
                cpu_j += pod.package_energy_j + pod.dram_energy_j;
                gpu_j += pod.gpu_energy_j;
                assert_true(pod.cpu_s >= last[(int)pod.name[0]]);
                last[(int)pod.name[0]] = pod.cpu_s;
            }
        }
        assert_near(cpu_j, outcome.cpu_dynamic_j, 0.1);
        assert_near(gpu_j, outcome.gpu_dynamic_j + GPU_IDLE_W * 2 * (at_s + others_s), 0.1);
    }
    joulie_sim_free(sim);
}

/* The meters of the machines say what the outcome of the run says. */
static void machines_count_what_they_drew(void **state)
{
    struct joulie_sim *sim = open_sim(MEMORY_BOUND TRAINING OTHER, 1);
    double sum_j = 0;
    (void)state;
    go(sim, 300);
    for (size_t i = C; i <= G; i++) {
        struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
        assert_int_equal(joulie_sim_node_at(sim, i, &node, NULL), 0);
        sum_j += node.cpu_energy_j + node.gpu_energy_j;
        if (i == C)
            assert_near(node.gpu_energy_j, 0, 0);
    }
    assert_near(sum_j, outcome_of(sim).energy_j, 1e-3);
    joulie_sim_free(sim);
}

static void gpus_are_numbered_and_as_busy_as_their_jobs_say(void **state)
{
    struct joulie_sim *sim = open_sim(MEMORY_BOUND TRAINING OTHER, 1);
    (void)state;
    go(sim, 30);
    const struct joulie_sim_pod_view training = pod_at(sim, G, 0);
    const struct joulie_sim_pod_view other = pod_at(sim, G, 1);
    assert_string_equal(training.name, "t");
    assert_int_equal(training.first_gpu, 0);
    assert_int_equal(other.first_gpu, 2);
    assert_int_equal(other.gpus, 2);
    assert_near(training.gpu_util, 0.9, 1e-12);
    assert_near(training.gpu_mem_util, 0.4, 1e-12);
    assert_near(other.gpu_mem_util, 0.3, 1e-12); /* no more than the device works */
    joulie_sim_free(sim);
}

static void work_that_is_done_takes_no_more(void **state)
{
    struct joulie_sim *sim = open_sim(TRAINING, 1);
    (void)state;
    go(sim, 300);
    const struct joulie_sim_pod_view before = pod_at(sim, G, 0);
    go(sim, 400);
    const struct joulie_sim_pod_view after = pod_at(sim, G, 0);
    assert_true(before.cpu_s > 0);
    assert_near(after.cpu_s, before.cpu_s, 0);
    assert_near(after.package_energy_j, before.package_energy_j, 0);
    assert_true(after.gpu_energy_j > before.gpu_energy_j);
    joulie_sim_free(sim);
}

static void a_pod_that_waits_for_its_gang_uses_nothing(void **state)
{
    struct joulie_sim *sim = open_sim(HALF_A_GANG, 1);
    (void)state;
    go(sim, 60);
    const struct joulie_sim_pod_view pod = pod_at(sim, C, 0);
    assert_string_equal(pod.name, "h");
    assert_near(pod.cpu_s, 0, 0);
    assert_near(pod.package_energy_j, 0, 0);
    joulie_sim_free(sim);
}

static void what_is_not_there_is_an_error(void **state)
{
    struct joulie_sim_pod_view pod = JOULIE_INIT(struct joulie_sim_pod_view);
    struct joulie_sim *sim = open_sim(MEMORY_BOUND, 1);
    (void)state;
    assert_int_equal(joulie_sim_pod_at(sim, C, 0, &pod, NULL), JOULIE_E_RANGE); /* not yet */
    go(sim, 11);
    assert_int_equal(joulie_sim_pod_at(sim, C, 1, &pod, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_pod_at(sim, G + 1, 0, &pod, NULL), JOULIE_E_RANGE);
    pod.struct_size = 0;
    assert_int_equal(joulie_sim_pod_at(sim, C, 0, &pod, NULL), JOULIE_E_ABI);
    joulie_sim_free(sim);
    sim = open_sim(MEMORY_BOUND, 0);
    pod.struct_size = sizeof pod;
    assert_int_equal(joulie_sim_pod_at(sim, C, 0, &pod, NULL), JOULIE_E_CONFLICT);
    joulie_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processor_time_is_cores_times_utilisation_since_the_start),
        cmocka_unit_test(a_slower_processor_is_as_busy_and_takes_less_energy),
        cmocka_unit_test(pods_are_charged_what_their_machines_drew),
        cmocka_unit_test(machines_count_what_they_drew),
        cmocka_unit_test(gpus_are_numbered_and_as_busy_as_their_jobs_say),
        cmocka_unit_test(work_that_is_done_takes_no_more),
        cmocka_unit_test(a_pod_that_waits_for_its_gang_uses_nothing),
        cmocka_unit_test(what_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
