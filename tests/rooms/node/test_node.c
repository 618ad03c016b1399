/* SPDX-License-Identifier: Apache-2.0 */

/* What an agent does with a spec, and what it says about it (docs/rules/node-agent.md). */

#include <string.h>

#include "node/node.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define MINUTE INT64_C(60000)
#define PARTS 4

struct agent {
    struct jl_arena arena;
    struct jl_node_config config;
    struct jl_twin_spec spec;
    struct jl_part parts[PARTS];
    struct jl_node_input in;
    struct jl_node_memory memory;
    struct jl_part_want wants[PARTS];
    struct jl_part_reading readings[PARTS];
    size_t order[PARTS];
    size_t writes;
    struct jl_control_status status;
};

static struct jl_part package(int64_t index, double max_w, double current_w)
{
    return (struct jl_part){ .kind = JOULIE_NODE_KIND_PACKAGE,
                             .index = index,
                             .limits = { .max_w = max_w },
                             .is_controllable = true,
                             .has_current = true,
                             .current_w = current_w };
}

static struct jl_part gpu(const char *id, double min_w, double max_w, double current_w)
{
    return (struct jl_part){ .kind = JOULIE_NODE_KIND_GPU,
                             .id = id,
                             .limits = { .min_w = min_w, .max_w = max_w },
                             .is_controllable = true,
                             .has_current = true,
                             .current_w = current_w };
}

static void ask_cpu_pct(struct agent *agent, double pct)
{
    JL_SET(&agent->spec.cpu, cap_pct, pct);
    agent->spec.given.cpu = true;
}

static void ask_gpu_pct(struct agent *agent, double pct)
{
    JL_SET(&agent->spec.gpu.power_cap, cap_pct, pct);
    agent->spec.given.gpu = true;
}

/* An enforcing agent with a fresh spec of nothing and no parts. */
static struct agent new_agent(void)
{
    struct agent agent = { .in = { .last_updated = "2026-03-13T12:00:00Z", .now_ms = NOW_MS } };
    jl_node_defaults(&agent.config);
    agent.config.mode = JL_NODE_ENFORCE;
    agent.config.gpu_backend = "host-nvidia";
    return agent;
}

static void add(struct agent *agent, struct jl_part part)
{
    agent->parts[agent->in.part_count++] = part;
}

static void step(struct agent *agent)
{
    agent->in.parts = agent->parts;
    if (agent->in.spec == NULL && agent->in.last_updated != NULL)
        agent->in.spec = &agent->spec;
    agent->writes =
        jl_node_step(&agent->config, &agent->in, &agent->memory, agent->wants, agent->order);
}

/* Every write is taken and reads back as wanted. */
static void obey(struct agent *agent)
{
    for (size_t i = 0; i < agent->in.part_count; i++) {
        const struct jl_part_want *want = &agent->wants[i];
        const bool is_written = want->write != JL_WRITE_NOTHING;
        agent->readings[i] = (struct jl_part_reading){
            .outcome = is_written ? JOULIE_NODE_OUTCOME_WRITTEN : JOULIE_NODE_OUTCOME_NONE,
            .has_limit = true,
            .limit_w = is_written ? want->target_w : agent->parts[i].current_w,
        };
    }
}

static void report(struct agent *agent)
{
    assert_int_equal(jl_node_report(&agent->config, &agent->in, agent->wants, agent->readings,
                                    &agent->arena, &agent->status),
                     0);
}

static void free_agent(struct agent *agent)
{
    jl_arena_clear(&agent->arena);
}

static void a_percent_is_one_of_each_package_of_its_own_maximum(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 270));
    add(&agent, package(1, 225, 225));
    ask_cpu_pct(&agent, 60);
    step(&agent);
    assert_int_equal(agent.writes, 2);
    assert_near(agent.wants[0].target_w, 162, 0);
    assert_near(agent.wants[1].target_w, 135, 0);
    free_agent(&agent);
}

static void gpus_are_limited_each_within_its_own_range(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, gpu("g0", 200, 350, 350));
    add(&agent, gpu("g1", 350, 700, 700));
    add(&agent, gpu("g2", 150, 0, 300));
    ask_gpu_pct(&agent, 60);
    step(&agent);
    obey(&agent);
    report(&agent);
    assert_near(agent.wants[0].target_w, 210, 1e-9);
    assert_near(agent.wants[1].target_w, 420, 1e-9);
    assert_int_equal(agent.wants[2].write,
                     JL_WRITE_NOTHING); /* a percent of nothing blocks that device only */
    assert_string_equal(agent.status.gpu.result, "blocked");
    assert_string_equal(agent.status.gpu.message, "no max");
    free_agent(&agent);
}

static void a_limit_that_is_there_already_is_not_written_again(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 162.1)); /* within an eighth of a watt */
    ask_cpu_pct(&agent, 60);
    step(&agent);
    obey(&agent);
    report(&agent);
    assert_int_equal(agent.writes, 0);
    assert_string_equal(agent.status.cpu.result, "applied");
    assert_string_equal(agent.status.cpu.backend, "rapl");
    free_agent(&agent);
}

static void limits_are_lowered_before_others_are_raised(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 300, 100)); /* to be raised */
    add(&agent, package(1, 300, 300)); /* to be lowered */
    add(&agent, package(2, 300, 0));
    agent.parts[2].has_current = false; /* nobody knows: it may be a raise */
    add(&agent, package(3, 300, 290));
    ask_cpu_pct(&agent, 60);
    step(&agent);
    assert_int_equal(agent.writes, 4);
    assert_int_equal(agent.order[0], 1);
    assert_int_equal(agent.order[1], 3);
    assert_int_equal(agent.order[2], 0);
    assert_int_equal(agent.order[3], 2);
    free_agent(&agent);
}

static void the_sum_of_limits_never_passes_the_larger_of_before_and_after(void **state)
{
    (void)state;
    static const double currents[][PARTS] = {
        { 100, 300, 250, 90 }, { 300, 300, 300, 300 }, { 90, 90, 90, 90 }, { 180, 10, 299, 181 }
    };
    for (size_t c = 0; c < sizeof currents / sizeof currents[0]; c++) {
        struct agent agent = new_agent();
        double before = 0;
        double after = 0;
        for (int64_t i = 0; i < PARTS; i++) {
            add(&agent, package(i, 300, currents[c][i]));
            before += currents[c][i];
            after += 180;
        }
        ask_cpu_pct(&agent, 60);
        step(&agent);
        double sum = before;
        for (size_t i = 0; i < agent.writes; i++) {
            const size_t part = agent.order[i];
            sum += agent.wants[part].target_w - agent.parts[part].current_w;
            assert_true(sum <= (before > after ? before : after) + 1e-9);
        }
        free_agent(&agent);
    }
}

static void what_was_there_comes_back_when_the_spec_goes_away(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 162));
    add(&agent, package(1, 270, 200)); /* somebody else's: never touched */
    agent.parts[0].is_ours = true;
    agent.parts[0].original_w = 250;
    agent.in.last_updated = NULL;
    step(&agent);
    assert_int_equal(agent.writes, 1);
    assert_int_equal(agent.wants[0].write, JL_WRITE_ORIGINAL);
    assert_near(agent.wants[0].target_w, 250, 0);
    obey(&agent);
    report(&agent);
    assert_string_equal(agent.status.cpu.backend, "none");
    assert_string_equal(agent.status.cpu.result, "none");
    assert_string_equal(agent.status.cpu.message, "no NodeTwin selected");
    assert_string_equal(agent.status.gpu.result, "none"); /* both parts, always */
    free_agent(&agent);
}

static void a_cap_without_intent_is_given_back_first(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 162));
    agent.parts[0].is_ours = true;
    agent.parts[0].original_w = 270;
    step(&agent);
    obey(&agent);
    report(&agent);
    assert_int_equal(agent.writes, 1);
    assert_near(agent.wants[0].target_w, 270, 0);
    assert_string_equal(agent.status.cpu.message, "no CPU cap intent");
    free_agent(&agent);
}

static void a_stale_spec_is_believed_for_the_read_timeout(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 162));
    agent.parts[0].is_ours = true;
    agent.parts[0].original_w = 270;
    ask_cpu_pct(&agent, 60);

    static const struct {
        int64_t after_ms;
        enum jl_write write;
    } rows[] = {
        { 5 * MINUTE, JL_WRITE_NOTHING },        /* fresh: exactly five minutes */
        { 5 * MINUTE + 1000, JL_WRITE_NOTHING }, /* stale since now */
        { 10 * MINUTE + 1000, JL_WRITE_NOTHING },
        { 10 * MINUTE + 2000, JL_WRITE_ORIGINAL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agent.in.now_ms = NOW_MS + rows[i].after_ms;
        step(&agent);
        assert_int_equal(agent.wants[0].write, rows[i].write);
    }
    obey(&agent);
    report(&agent);
    assert_string_equal(agent.status.cpu.result, "none");

    agent.in.last_updated = "2026-03-13T12:10:00Z"; /* the operator is back */
    step(&agent);
    assert_int_equal(agent.wants[0].reason, JL_REASON_CAP);
    free_agent(&agent);
}

static void a_beating_operator_keeps_an_old_spec_alive(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 162));
    ask_cpu_pct(&agent, 60);
    agent.config.freshness.has_heartbeat = true;
    for (int64_t minute = 0; minute <= 60; minute += 4) {
        agent.config.freshness.heartbeat_ms = NOW_MS + minute * MINUTE;
        agent.in.now_ms = NOW_MS + minute * MINUTE;
        step(&agent);
        assert_int_equal(agent.wants[0].reason, JL_REASON_CAP);
    }
    free_agent(&agent);
}

static void an_observing_agent_writes_nothing_and_claims_nothing(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    jl_node_defaults(&agent.config); /* observing is the default */
    add(&agent, package(0, 270, 270));
    ask_cpu_pct(&agent, 60);
    ask_gpu_pct(&agent, 60);
    step(&agent);
    report(&agent);
    assert_int_equal(agent.writes, 0);
    assert_string_equal(agent.status.cpu.backend, "none");
    assert_string_equal(agent.status.cpu.result, "none");
    assert_string_equal(agent.status.cpu.message, "simulate-only mode");
    assert_string_equal(agent.status.gpu.message, "simulate-only mode");
    free_agent(&agent);
}

static void a_cap_is_applied_only_when_it_reads_back(void **state)
{
    (void)state;

    static const struct {
        struct jl_part_reading reading;
        const char *result;
    } rows[] = {
        { { .outcome = JOULIE_NODE_OUTCOME_WRITTEN, .has_limit = true, .limit_w = 162 },
          "applied" },
        { { .outcome = JOULIE_NODE_OUTCOME_WRITTEN, .has_limit = true, .limit_w = 162.125 },
          "applied" },
        { { .outcome = JOULIE_NODE_OUTCOME_WRITTEN,
            .has_limit = true,
            .limit_w = 162,
            .is_unseen = true },
          "pending" },
        { { .outcome = JOULIE_NODE_OUTCOME_WRITTEN }, "pending" },
        { { .outcome = JOULIE_NODE_OUTCOME_WRITTEN, .has_limit = true, .limit_w = 270 },
          "blocked" }, /* a BIOS lock */
        { { .outcome = JOULIE_NODE_OUTCOME_REFUSED }, "blocked" },
        { { .outcome = JOULIE_NODE_OUTCOME_FAILED }, "error" },
        { { .outcome = JOULIE_NODE_OUTCOME_NONE }, "error" }, /* the applier stopped before it */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agent agent = new_agent();
        add(&agent, package(0, 270, 270));
        ask_cpu_pct(&agent, 60);
        step(&agent);
        agent.readings[0] = rows[i].reading;
        report(&agent);
        assert_string_equal(agent.status.cpu.result, rows[i].result);
        assert_string_equal(agent.status.cpu.updated_at, "2026-03-13T12:00:00Z");
        free_agent(&agent);
    }
}

static void the_worst_part_speaks_and_every_part_is_observed(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 270));
    add(&agent, package(1, 225, 225));
    ask_cpu_pct(&agent, 60);
    step(&agent);
    obey(&agent);
    agent.readings[1] =
        (struct jl_part_reading){ .outcome = JOULIE_NODE_OUTCOME_FAILED, .message = "write: EIO" };
    report(&agent);
    assert_string_equal(agent.status.cpu.result, "error");
    assert_string_equal(agent.status.cpu.message, "write: EIO");
    assert_string_equal(
        agent.status.cpu.observed.text,
        "{\"packages\":[{\"index\":0,\"capWatts\":162,\"limitWatts\":162,\"result\":\"applied\"},"
        "{\"index\":1,\"capWatts\":135,\"result\":\"error\"}]}");
    free_agent(&agent);
}

static void a_gpu_cap_without_gpus_is_blocked(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 270));
    ask_gpu_pct(&agent, 60);
    step(&agent);
    obey(&agent);
    report(&agent);
    assert_string_equal(agent.status.gpu.backend, "none");
    assert_string_equal(agent.status.gpu.result, "blocked");
    assert_string_equal(agent.status.gpu.message, "no GPU devices discovered");
    free_agent(&agent);
}

static void a_package_that_takes_no_limits_says_so(void **state)
{
    (void)state;
    struct agent agent = new_agent();
    add(&agent, package(0, 270, 270));
    agent.parts[0].is_controllable = false;
    ask_cpu_pct(&agent, 60);
    step(&agent);
    report(&agent);
    assert_int_equal(agent.writes, 0);
    assert_string_equal(agent.status.cpu.backend, "none");
    assert_string_equal(agent.status.cpu.result, "blocked");
    free_agent(&agent);
}

static void a_remote_backend_takes_the_watts_of_the_node(void **state)
{
    (void)state;
    const struct jl_hardware hardware = {
        .sockets = 2, .cpu_min_w = 320, .cpu_max_w = 360, .cpu_max_source = JL_FACT_CATALOG
    };
    struct agent agent = new_agent();
    add(&agent, jl_node_remote_cpu(&hardware));
    ask_cpu_pct(&agent, 60);
    step(&agent);
    assert_int_equal(agent.writes, 1);
    assert_near(agent.wants[0].target_w, 432, 0); /* docs/rules/node-agent.md#step: the example */
    free_agent(&agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percent_is_one_of_each_package_of_its_own_maximum),
        cmocka_unit_test(gpus_are_limited_each_within_its_own_range),
        cmocka_unit_test(a_limit_that_is_there_already_is_not_written_again),
        cmocka_unit_test(limits_are_lowered_before_others_are_raised),
        cmocka_unit_test(the_sum_of_limits_never_passes_the_larger_of_before_and_after),
        cmocka_unit_test(what_was_there_comes_back_when_the_spec_goes_away),
        cmocka_unit_test(a_cap_without_intent_is_given_back_first),
        cmocka_unit_test(a_stale_spec_is_believed_for_the_read_timeout),
        cmocka_unit_test(a_beating_operator_keeps_an_old_spec_alive),
        cmocka_unit_test(an_observing_agent_writes_nothing_and_claims_nothing),
        cmocka_unit_test(a_cap_is_applied_only_when_it_reads_back),
        cmocka_unit_test(the_worst_part_speaks_and_every_part_is_observed),
        cmocka_unit_test(a_gpu_cap_without_gpus_is_blocked),
        cmocka_unit_test(a_package_that_takes_no_limits_says_so),
        cmocka_unit_test(a_remote_backend_takes_the_watts_of_the_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
