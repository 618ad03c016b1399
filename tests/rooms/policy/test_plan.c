/* SPDX-License-Identifier: Apache-2.0 */

/* Plans over flat arrays and over documents: docs/rules/policy.md and the question `plan`. */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "policy/policy.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define SECOND INT64_C(1000)
#define NODES 5

static struct jl_policy_config config_of(enum jl_policy_type type)
{
    struct jl_policy_config config = { 0 };
    JL_SET(&config, type, type);
    jl_policy_defaults(&config, JL_POLICY_CURRENT);
    return config;
}

struct plan {
    struct jl_policy_config config;
    struct jl_plan_node nodes[NODES];
    struct jl_plan_input in;
    struct jl_plan_state state;
    struct jl_plan_choice choices[NODES];
};

/* Five nodes of one family that are performance now, and a queue policy with a floor of one. */
static struct plan new_plan(void)
{
    struct plan plan = { .config = config_of(JL_POLICY_QUEUE) };
    plan.config.queue_hp_min = 1;
    plan.config.queue_perf_per_hp_node = 1;
    plan.config.queue_scale_down_delay_s = 0;
    for (size_t i = 0; i < NODES; i++)
        plan.nodes[i] = (struct jl_plan_node){ .current = JOULIE_PROFILE_PERFORMANCE };
    plan.in =
        (struct jl_plan_input){ .demand = 1, .count = NODES, .family_count = 1, .now_ms = NOW_MS };
    plan.state = (struct jl_plan_state){ .is_set = true, .hp = NODES };
    return plan;
}

static int64_t run(struct plan *plan)
{
    unsigned char scratch[NODES + 1];
    plan->in.config = &plan->config;
    plan->in.nodes = plan->nodes;
    assert_true(jl_plan_scratch_size(&plan->in) <= sizeof scratch);
    return jl_plan_nodes(&plan->in, &plan->state, plan->choices, scratch);
}

static bool is_performance(const struct plan *plan, size_t i)
{
    return plan->choices[i].profile == JOULIE_PROFILE_PERFORMANCE;
}

static void every_default_is_that_of_the_operator(void **state)
{
    (void)state;
    struct jl_policy_config config = { 0 };
    jl_policy_defaults(&config, JL_POLICY_CURRENT);
    assert_int_equal(config.type, JL_POLICY_STATIC);
    assert_near(config.static_hp_frac, 0.5, 0);
    assert_near(config.queue_hp_base_frac, 0, 0);
    assert_int_equal(config.queue_hp_min, 0);
    assert_int_equal(config.queue_hp_max, 1000000);
    assert_int_equal(config.queue_perf_per_hp_node, 10);
    assert_near(config.cpu_performance_pct, 100, 0);
    assert_near(config.cpu_eco_pct, 60, 0);
    assert_near(config.gpu_performance_pct, 100, 0);
    assert_near(config.gpu_eco_pct, 60, 0);
    assert_near(config.performance_cap_w, 5000, 0);
    assert_near(config.eco_cap_w, 120, 0);
    assert_near(config.reconcile_interval_s, 60, 0);
    assert_int_equal(config.drain_caps, JOULIE_PROFILE_PERFORMANCE);
    assert_string_equal(config.node_selector, "");
    assert_string_equal(config.reserved_label_key, "joulie.io/reserved");
    assert_string_equal(config.power_profile_label, "joulie.io/power-profile");
    assert_near(config.queue_scale_down_delay_s, 300, 0);
    assert_near(config.min_profile_dwell_s, 120, 0);

    struct jl_policy_config source = { 0 };
    jl_policy_defaults(&source, JL_POLICY_V0_1_1);
    assert_near(source.queue_hp_base_frac, 0.6, 0);
    assert_int_equal(source.queue_hp_min, 1);
}

static void what_is_given_is_no_default(void **state)
{
    (void)state;
    struct jl_policy_config config = { .power_profile_label = "x" };
    JL_SET(&config, gpu_eco_pct, 0);
    JL_SET(&config, queue_hp_max, -1);
    jl_policy_defaults(&config, JL_POLICY_CURRENT);
    assert_near(config.gpu_eco_pct, 0, 0);
    assert_int_equal(config.queue_hp_max, -1);
    assert_string_equal(config.power_profile_label, "x");
    assert_near(config.gpu_performance_pct, 100, 0);
}

static void a_performance_node_with_blockers_is_taken_before_a_denser_one(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.nodes[3].has_blocker = true;
    assert_int_equal(run(&plan), 1);
    for (size_t i = 0; i < NODES; i++)
        assert_int_equal(is_performance(&plan, i), i == 3);
    assert_int_equal(plan.choices[3].reason, JL_PLAN_WORKING);
}

static void an_eco_node_with_blockers_becomes_performance(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.nodes[3].has_blocker = true;
    plan.nodes[3].current = JOULIE_PROFILE_ECO;
    assert_int_equal(run(&plan), 1);
    assert_true(is_performance(&plan, 3));
}

/* Two nodes have work: the floor of three takes the densest of the others. */
static void a_floor_counts_nodes_and_no_families(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.config.queue_hp_min = 3;
    plan.in.family_count = 2;
    plan.nodes[1].family = 1;
    plan.nodes[3].has_blocker = true;
    plan.nodes[4].has_blocker = true;
    assert_int_equal(run(&plan), 3);
    for (size_t i = 0; i < NODES; i++)
        assert_int_equal(is_performance(&plan, i), i == 0 || i > 2);
    assert_int_equal(plan.choices[0].reason, JL_PLAN_RANK);
}

/* Of those that nothing needs the densest stay, until the delay is over. */
static void nodes_that_nothing_needs_are_kept_for_the_delay(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.config.queue_hp_min = 0;
    plan.config.queue_scale_down_delay_s = 300;
    plan.state.hp = 3;
    plan.nodes[0].current = JOULIE_PROFILE_ECO;
    plan.nodes[4].has_blocker = true;
    assert_int_equal(run(&plan), 3);
    assert_int_equal(plan.choices[1].reason, JL_PLAN_KEPT);
    assert_int_equal(plan.choices[2].reason, JL_PLAN_KEPT);
    assert_false(is_performance(&plan, 0)); /* it is none now */
    assert_false(is_performance(&plan, 3));
    plan.in.now_ms += 300 * SECOND - 1;
    assert_int_equal(run(&plan), 3);
    plan.in.now_ms += 1;
    assert_int_equal(run(&plan), 1);
    assert_true(is_performance(&plan, 4));
}

static void dwell_ends_on_the_second(void **state)
{
    (void)state;
    for (int64_t age_s = 119; age_s <= 120; age_s++) {
        struct plan plan = new_plan();
        plan.nodes[2].has_since = true;
        plan.nodes[2].since_ms = NOW_MS - age_s * SECOND;
        assert_int_equal(run(&plan), 1); /* hp does not count it */
        assert_int_equal(is_performance(&plan, 2), age_s < 120);
    }
}

static void a_first_call_has_no_hysteresis(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.config.queue_scale_down_delay_s = 300;
    plan.nodes[2].has_since = true;
    plan.nodes[2].since_ms = NOW_MS;
    plan.nodes[3].has_blocker = true;
    plan.state.is_set = false;
    assert_int_equal(run(&plan), 1);
    for (size_t i = 0; i < NODES; i++)
        assert_int_equal(is_performance(&plan, i), i == 3);
}

static void other_policies_and_the_source_have_no_hysteresis(void **state)
{
    (void)state;
    struct plan source = new_plan();
    source.config.queue_scale_down_delay_s = 300;
    source.in.rules = JL_POLICY_V0_1_1;
    source.in.demand = 1;
    assert_int_equal(run(&source), 1);

    struct plan fixed = new_plan();
    fixed.config.type = JL_POLICY_STATIC;
    fixed.config.static_hp_frac = 0.2;
    fixed.nodes[4].has_blocker = true;
    assert_int_equal(run(&fixed), 1);
    assert_true(is_performance(&fixed, 0));
}

static void hp_of_the_state_is_limited_to_the_nodes_there_are(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.config.queue_scale_down_delay_s = 300;
    plan.state.hp = 50; /* of a larger cluster */
    plan.config.queue_hp_min = 4;
    assert_int_equal(run(&plan), NODES);
    plan.in.now_ms += 300 * SECOND;
    assert_int_equal(run(&plan), 4);
}

static void the_swap_goes_on_before_1970(void **state)
{
    (void)state;
    struct plan plan = new_plan();
    plan.config.type = JL_POLICY_SWAP;
    plan.in.now_ms = -1; /* the last phase before 0: number -1, which is odd */
    assert_int_equal(run(&plan), NODES - 1);
    assert_false(is_performance(&plan, 1));
    plan.in.now_ms = -60 * SECOND - 1;
    run(&plan);
    assert_false(is_performance(&plan, 0));
}

static void a_plan_of_no_nodes_is_empty(void **state)
{
    (void)state;

    static const enum jl_policy_type types[] = { JL_POLICY_STATIC, JL_POLICY_QUEUE,
                                                 JL_POLICY_SWAP };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct plan plan = new_plan();
        plan.config.type = types[i];
        plan.in.count = 0;
        plan.in.family_count = 0;
        assert_int_equal(run(&plan), 0);
    }
}

/* ---- documents ---- */

#define NODE(name)                                       \
    "{\"node\":{\"metadata\":{\"name\":\"" name          \
    "\"},\"status\":{\"allocatable\":{\"cpu\":\"8\"}}}," \
    "\"hardware\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\"}}}"
#define POD                                                                   \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeSelector\":{\"joulie.io/" \
    "power-profile\":\"performance\"},\"containers\":[{\"resources\":"        \
    "{\"requests\":{\"cpu\":\"5\"}}}]}}"

static char *ask_plan(const char *pods, const char *state, const char *now)
{
    char text[4096];
    char *answer = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int len =
        snprintf(text, sizeof text,
                 "{\"policy\":{\"type\":\"queue_aware_v1\",\"queueHpBaseFrac\":0,\"queueHpMin\":0,"
                 "\"queuePerfPerHpNode\":1},\"nodes\":[" NODE("a") "," NODE("b") "," NODE(
                     "c") "],"
                          "\"pods\":[%s]%s%s,\"now\":\"%s\"}",
                 pods, state != NULL ? ",\"state\":" : "", state != NULL ? state : "", now);
    assert_true(len > 0 && (size_t)len < sizeof text);
    if (joulie_ask("plan", text, (size_t)len, NULL, &answer, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
    return answer;
}

/* The member state is the last one. */
static void take_state(const char *answer, char *out, size_t size)
{
    const char *state = strstr(answer, "\"state\":{\"performanceNodes\"");
    assert_non_null(state);
    state += strlen("\"state\":");
    assert_true(strlen(state) < size);
    memcpy(out, state, strlen(state) - 1);
    out[strlen(state) - 1] = '\0';
}

static void assert_hp(const char *answer, int hp)
{
    char expected[64];
    snprintf(expected, sizeof expected, "{\"performanceNodes\":%d,", hp);
    assert_non_null(strstr(answer, expected));
}

static void the_state_of_one_answer_gives_the_next_its_hysteresis(void **unused)
{
    (void)unused;

    static const struct {
        const char *pods;
        const char *now;
        int hp;
    } calls[] = {
        { POD "," POD, "2026-03-13T12:00:00Z", 2 },
        { "", "2026-03-13T12:01:00Z", 2 },
        { "", "2026-03-13T12:05:59Z", 2 },
        { "", "2026-03-13T12:06:00Z", 0 },
        { POD "," POD "," POD, "2026-03-13T12:06:01Z", 3 },
    };

    char state[2048] = "";
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char *answer = ask_plan(calls[i].pods, i > 0 ? state : NULL, calls[i].now);
        assert_hp(answer, calls[i].hp);
        take_state(answer, state, sizeof state);
        joulie_free(answer);
    }
}

static void the_state_remembers_when_a_node_changed(void **unused)
{
    (void)unused;
    char state[2048];
    char *answer = ask_plan("", NULL, "2026-03-13T12:00:00Z");
    take_state(answer, state, sizeof state);
    joulie_free(answer);
    answer = ask_plan("", state, "2026-03-13T12:10:00Z");
    assert_non_null(
        strstr(answer, "\"a\":{\"profile\":\"eco\",\"draining\":false,\"sinceMs\":1773403200000}"));
    joulie_free(answer);
}

static void questions_that_skip_checks_still_need_what_they_compute_with(void **unused)
{
    (void)unused;

    static const struct {
        const char *text;
        int code;
        const char *where;
    } rows[] = {
        { "{\"options\":{\"model\":\"v0.1.1\"},\"policy\":{},\"nodes\":[],\"pods\":[]}",
          JOULIE_E_REQUIRED, "now" },
        { "{\"options\":{\"model\":\"v0.1.1\"},\"policy\":{\"type\":\"greedy\"},\"nodes\":[],"
          "\"pods\":[],"
          "\"now\":\"2026-03-13T12:00:00Z\"}",
          JOULIE_E_ENUM, "policy.type" },
        { "{\"policy\":{\"type\":\"power_budget_v1\"},\"nodes\":[],\"pods\":[],\"now\":\"2026-03-"
          "13T12:00:00Z\"}",
          JOULIE_E_UNSUPPORTED, "policy.type" },
        { "{\"policy\":{\"nodeSelector\":\"a "
          "in\"},\"nodes\":[],\"pods\":[],\"now\":\"2026-03-13T12:00:00Z\"}",
          JOULIE_E_PARSE, "policy.nodeSelector" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *answer = NULL;
        assert_int_equal(
            joulie_ask("plan", rows[i].text, strlen(rows[i].text), NULL, &answer, &err),
            rows[i].code);
        assert_string_equal(err.where, rows[i].where);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_is_that_of_the_operator),
        cmocka_unit_test(what_is_given_is_no_default),
        cmocka_unit_test(a_performance_node_with_blockers_is_taken_before_a_denser_one),
        cmocka_unit_test(an_eco_node_with_blockers_becomes_performance),
        cmocka_unit_test(a_floor_counts_nodes_and_no_families),
        cmocka_unit_test(nodes_that_nothing_needs_are_kept_for_the_delay),
        cmocka_unit_test(dwell_ends_on_the_second),
        cmocka_unit_test(a_first_call_has_no_hysteresis),
        cmocka_unit_test(other_policies_and_the_source_have_no_hysteresis),
        cmocka_unit_test(hp_of_the_state_is_limited_to_the_nodes_there_are),
        cmocka_unit_test(the_swap_goes_on_before_1970),
        cmocka_unit_test(a_plan_of_no_nodes_is_empty),
        cmocka_unit_test(the_state_of_one_answer_gives_the_next_its_hysteresis),
        cmocka_unit_test(the_state_remembers_when_a_node_changed),
        cmocka_unit_test(questions_that_skip_checks_still_need_what_they_compute_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
