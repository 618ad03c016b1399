/* SPDX-License-Identifier: Apache-2.0 */

/* The question status: a cluster at one look (docs/rules/questions.md#status). */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "support/test.h"

#define TWIN(name, spec, status)                                                                  \
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"" name \
    "\"},\"spec\":{\"nodeName\":\"" name "\"," spec "}" status "}"
#define NODE(name, allocatable) \
    "{\"metadata\":{\"name\":\"" name "\"},\"status\":{\"allocatable\":{" allocatable "}}}"
#define POD(name, node, phase, requests)                                                       \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\"},\"spec\":{\"nodeName\":\"" node \
    "\",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{" requests                \
    "}}}]},\"status\":{\"phase\":\"" phase "\"}}"

/* A cluster of four classes, with the loads made of one pod each. */
#define SCORES(class_, headroom, cooling, cap)                                                   \
    ",\"status\":{\"schedulableClass\":\"" class_ "\",\"predictedPowerHeadroomScore\":" headroom \
    ",\"predictedCoolingStressScore\":" cooling                                                  \
    ",\"predictedPsuStressScore\":12,\"effectiveCapState\":{\"cpuPct\":" cap ",\"gpuPct\":" cap  \
    "}"
#define POWER ",\"powerMeasurement\":{\"measuredNodePowerW\":210,\"nodeCappedPowerW\":432}"
#define UPDATED(time) ",\"lastUpdated\":\"" time "\"}"
#define NEW_TWIN TWIN("new-node", "\"profile\":\"performance\"", "")
#define GPU_TWIN                                      \
    TWIN("gpu-h100-0", "\"profile\":\"performance\"", \
         SCORES("performance", "72.5", "64.4", "100") UPDATED("2026-03-13T11:59:00Z"))
#define CPU_TWIN                                                             \
    TWIN("cpu-0", "\"profile\":\"eco\",\"scheduling\":{\"draining\":false}", \
         SCORES("eco", "41.67", "35.5", "60") POWER UPDATED("2026-03-13T11:50:00Z"))
#define TWINS NEW_TWIN "," GPU_TWIN "," CPU_TWIN
#define CPU_NODE NODE("cpu-0", "\"cpu\":\"8\",\"memory\":\"8Gi\"")
#define GPU_NODE NODE("gpu-h100-0", "\"cpu\":\"16\",\"memory\":\"16Gi\",\"nvidia.com/gpu\":\"4\"")
#define NEW_NODE NODE("new-node", "\"cpu\":\"8\"")
#define NODES CPU_NODE "," GPU_NODE "," NEW_NODE
#define POD_A POD("a", "cpu-0", "Running", "\"cpu\":\"4\",\"memory\":\"2Gi\"")
#define POD_B POD("b", "gpu-h100-0", "Pending", "\"cpu\":\"2\",\"nvidia.com/gpu\":\"3\"")
#define POD_C POD("c", "cpu-0", "Succeeded", "\"cpu\":\"4\"")
#define POD_E POD("e", "elsewhere", "Running", "\"cpu\":\"1\"")
#define PODS POD_A "," POD_B "," POD_C "," POD_E

static char *ask(const char *rest)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer text = { 0 };
    char *answer = NULL;
    jl_put_string(&text, "{\"twins\":[" TWINS "],\"nodes\":[" NODES "],\"pods\":[" PODS "]");
    jl_put_string(&text, rest);
    jl_put_string(&text, "}");
    if (joulie_ask("status", text.data, text.len, NULL, &answer, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
    jl_buffer_clear(&text);
    return answer;
}

static void has(const char *answer, const char *part)
{
    if (!strstr(answer, part))
        fail_msg("%s is not in %s", part, answer);
}

static void has_not(const char *answer, const char *part)
{
    if (strstr(answer, part))
        fail_msg("%s is in %s", part, answer);
}

/* The object of one node. */
static char *row(char *answer, const char *name)
{
    char start[64];
    snprintf(start, sizeof start, "{\"nodeName\":\"%s\"", name);
    char *found = strstr(answer, start);
    assert_non_null(found);
    *strchr(found, '}') = '\0';
    return found;
}

static void nodes_are_counted_and_averaged_over_those_that_have_a_value(void **state)
{
    char *answer = ask(",\"now\":\"2026-03-13T12:00:00Z\"");
    (void)state;
    has(answer, "\"nodes\":3,\"eco\":1,\"performance\":1,\"draining\":0,\"unknown\":1");
    has(answer, "\"avgCoolingStressScore\":49.95,"); /* (64.4 + 35.5) / 2: new-node has none */
    has(answer, "\"peakCoolingStressScore\":64.4,\"peakCoolingNode\":\"gpu-h100-0\"");
    has(answer, "\"avgPsuStressScore\":12,\"avgPowerHeadroomScore\":57.085,\"runningPods\":2");
    joulie_free(answer);
}

static void pods_that_have_ended_hold_nothing(void **state)
{
    char *answer = ask("");
    (void)state;
    const char *node = row(answer, "cpu-0");
    has(node, "\"cpuRequestPct\":50,\"memoryRequestPct\":25,\"pods\":1");
    has(node, "\"measuredNodePowerW\":210,\"nodeCappedPowerW\":432");
    joulie_free(answer);
}

static void a_node_without_gpus_has_no_gpu_numbers(void **state)
{
    char *answer = ask("");
    (void)state;
    has_not(row(answer, "cpu-0"), "gpu");
    joulie_free(answer);
    answer = ask("");
    has(row(answer, "gpu-h100-0"),
        "\"gpuRequestPct\":75,\"pods\":1,\"cpuCapPct\":100,\"gpuCapPct\":100");
    joulie_free(answer);
}

static void what_nobody_knows_is_absent_and_never_zero(void **state)
{
    char *answer = ask(",\"now\":\"2026-03-13T12:00:00Z\"");
    (void)state;
    const char *node = row(answer, "new-node");
    has(node, "\"class\":\"unknown\",\"profile\":\"performance\",\"draining\":false");
    has(node, "\"stale\":true");
    has_not(node, "Score");
    has_not(node, "CapPct");
    has_not(node, "ageS");
    joulie_free(answer);
}

static void a_heartbeat_keeps_old_twins_fresh(void **state)
{
    char *answer = ask(",\"now\":\"2026-03-13T12:00:00Z\"");
    (void)state;
    has(answer, "\"stale\":2,"); /* cpu-0 is 10 minutes old, new-node has no time */
    joulie_free(answer);
    answer = ask(",\"now\":\"2026-03-13T12:00:00Z\",\"heartbeat\":\"2026-03-13T11:59:30Z\"");
    has(answer, "\"stale\":1,");
    has(row(answer, "cpu-0"), "\"ageS\":600,\"stale\":false");
    joulie_free(answer);
}

static void without_a_time_nothing_is_called_stale(void **state)
{
    char *answer = ask("");
    (void)state;
    has(answer, "\"stale\":0,");
    has_not(answer, "ageS");
    has_not(answer, "\"stale\":true");
    joulie_free(answer);
}

static void rows_come_by_name(void **state)
{
    char *answer = ask("");
    (void)state;
    const char *first = strstr(answer, "\"cpu-0\"");
    const char *second = strstr(answer, "{\"nodeName\":\"gpu-h100-0\"");
    const char *third = strstr(answer, "\"new-node\"");
    assert_true(first && second && third && first < second && second < third);
    joulie_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_counted_and_averaged_over_those_that_have_a_value),
        cmocka_unit_test(pods_that_have_ended_hold_nothing),
        cmocka_unit_test(a_node_without_gpus_has_no_gpu_numbers),
        cmocka_unit_test(what_nobody_knows_is_absent_and_never_zero),
        cmocka_unit_test(a_heartbeat_keeps_old_twins_fresh),
        cmocka_unit_test(without_a_time_nothing_is_called_stale),
        cmocka_unit_test(rows_come_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
