/* SPDX-License-Identifier: Apache-2.0 */

/* The question status: a cluster at one look (docs/rules/questions.md#status). */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "cluster/overview.h"
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

#define OFF(name, state)                                                                       \
    "{\"metadata\":{\"name\":\"" name "\",\"annotations\":{\"joulie.io/power-state\":\"" state \
    "\",\"joulie.io/power-since\":\"2026-03-13T11:00:00Z\"}}}"

static char *ask_of(const char *nodes)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer text = { 0 };
    char *answer = NULL;
    jl_put_string(&text, "{\"now\":\"2026-03-13T12:00:00Z\",\"twins\":[" TWINS "],\"nodes\":[");
    jl_put_string(&text, nodes);
    jl_put_string(&text, "]}");
    if (joulie_ask("status", text.data, text.len, NULL, &answer, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
    jl_buffer_clear(&text);
    return answer;
}

/* Neither unknown, nor stale, nor in a mean: gpu-h100-0 is the only one that is on. */
static void a_node_that_is_switched_off_is_called_so(void **state)
{
    char *answer = ask_of(OFF("cpu-0", "off") "," OFF("new-node", "booting"));
    (void)state;
    has(answer,
        "\"nodes\":3,\"eco\":1,\"performance\":1,\"draining\":0,\"unknown\":0,\"stale\":0,");
    has(answer, "\"avgCoolingStressScore\":64.4,");
    has(answer, "\"avgPowerHeadroomScore\":72.5,\"runningPods\":0,\"off\":2}");
    has(row(answer, "new-node"), "\"stale\":false,\"powerState\":\"booting\"");
    joulie_free(answer);
}

/* It may work, and may not: what is known of it counts, and its age. */
static void a_node_that_is_left_alone_counts_as_what_it_says(void **state)
{
    char *answer = ask_of(OFF("cpu-0", "left-alone"));
    (void)state;
    has(answer, "\"unknown\":1,\"stale\":2,\"avgCoolingStressScore\":49.95,");
    has(answer, "\"runningPods\":0,\"leftAlone\":1}");
    has(row(answer, "cpu-0"), "\"stale\":true,\"powerState\":\"left-alone\"");
    joulie_free(answer);
}

/* A record that cannot be read is none. */
static void a_state_that_is_none_of_the_words_says_nothing(void **state)
{
    char *answer = ask_of(OFF("cpu-0", "asleep"));
    (void)state;
    has_not(answer, "powerState");
    has_not(answer, "\"off\"");
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

static struct jl_overview overview_of(struct jl_arena *arena, struct jl_node_twin *twins,
                                      size_t count, struct jl_node *node)
{
    const struct jl_list nodes = { node, 1 };
    const struct jl_list all = { twins, count };
    const struct jl_list pods = { NULL, 0 };
    const struct jl_overview_input input = { .nodes = &nodes, .twins = &all, .pods = &pods };
    struct jl_overview overview;
    assert_int_equal(jl_overview_make(&input, arena, &overview), 0);
    return overview;
}

/* The node that its spec names, else its own name; without either it has no row. */
static void a_twin_is_called_after_its_node_or_itself(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_node node = { 0 };
    struct jl_node_twin twins[] = {
        { .meta.name = "own", .spec.node_name = "node" },
        { .meta.name = "only-own" },
        { .spec.node_name = "only-node" },
        { .meta.name = NULL },
    };
    (void)state;
    const struct jl_overview overview = overview_of(&arena, twins, JL_COUNT(twins), &node);
    assert_int_equal(overview.count, 3);
    assert_string_equal(overview.nodes[0].node_name, "node");
    assert_string_equal(overview.nodes[1].node_name, "only-node");
    assert_string_equal(overview.nodes[2].node_name, "only-own");
    assert_int_equal(overview.summary.nodes, 3);
    jl_arena_clear(&arena);
}

/* The first by name of equals; 0 is none. Without any value there is no mean. */
static void the_peak_is_above_0_and_the_first_of_equals(void **state)
{
    static const struct {
        double cooling[3]; /* of a, b, c; below 0: not known */
        const char *peak;  /* NULL = none */
        double mean;       /* below 0: none */
    } rows[] = {
        { { 40, 60, 60 }, "b", 160.0 / 3 }, { { 60, 60, 40 }, "a", 160.0 / 3 },
        { { 0, 0, 0 }, NULL, 0 },           { { -1, -1, -1 }, NULL, -1 },
        { { -1, 0, 50 }, "c", 25 },
    };

    static const char *const names[] = { "a", "b", "c" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_arena arena = { 0 };
        struct jl_node node = { 0 };
        struct jl_node_twin twins[3] = { 0 };
        for (size_t k = 0; k < 3; k++) {
            struct jl_twin_status *status = &twins[k].status;
            twins[k].meta.name = names[k];
            JL_SET_IF(status, cooling_stress_score, rows[i].cooling[k] >= 0, rows[i].cooling[k]);
            JL_SET_IF(status, psu_stress_score, rows[i].cooling[k] >= 0, rows[i].cooling[k]);
            JL_SET_IF(status, power_headroom_score, rows[i].cooling[k] >= 0, rows[i].cooling[k]);
        }
        const struct jl_overview overview = overview_of(&arena, twins, 3, &node);
        const struct jl_overview_summary *summary = &overview.summary;
        assert_int_equal(summary->given.peak_cooling_node, rows[i].peak != NULL);
        assert_int_equal(summary->given.peak_cooling_stress_score, rows[i].peak != NULL);
        if (rows[i].peak != NULL)
            assert_string_equal(summary->peak_cooling_node, rows[i].peak);
        assert_int_equal(summary->given.avg_cooling_stress_score, rows[i].mean >= 0);
        assert_int_equal(summary->given.avg_psu_stress_score, rows[i].mean >= 0);
        assert_int_equal(summary->given.avg_power_headroom_score, rows[i].mean >= 0);
        if (rows[i].mean >= 0)
            assert_near(summary->avg_cooling_stress_score, rows[i].mean, 1e-9);
        jl_arena_clear(&arena);
    }
}

/* A node that offers nothing of a kind has no share of it. */
static void a_node_that_offers_nothing_has_no_shares(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_node node = { .meta.name = "a" };
    struct jl_node_twin twins[] = { { .meta.name = "a", .spec.given.scheduling = true } };
    (void)state;
    const struct jl_overview overview = overview_of(&arena, twins, 1, &node);
    const struct jl_overview_node *row = overview.nodes;
    assert_false(row->given.cpu_request_pct || row->given.memory_request_pct ||
                 row->given.gpu_request_pct || row->given.gpu_cap_pct);
    assert_true(row->given.is_draining);
    assert_false(row->is_draining);
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_counted_and_averaged_over_those_that_have_a_value),
        cmocka_unit_test(pods_that_have_ended_hold_nothing),
        cmocka_unit_test(a_node_without_gpus_has_no_gpu_numbers),
        cmocka_unit_test(what_nobody_knows_is_absent_and_never_zero),
        cmocka_unit_test(a_heartbeat_keeps_old_twins_fresh),
        cmocka_unit_test(a_node_that_is_switched_off_is_called_so),
        cmocka_unit_test(a_node_that_is_left_alone_counts_as_what_it_says),
        cmocka_unit_test(a_state_that_is_none_of_the_words_says_nothing),
        cmocka_unit_test(without_a_time_nothing_is_called_stale),
        cmocka_unit_test(rows_come_by_name),
        cmocka_unit_test(a_twin_is_called_after_its_node_or_itself),
        cmocka_unit_test(the_peak_is_above_0_and_the_first_of_equals),
        cmocka_unit_test(a_node_that_offers_nothing_has_no_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
