/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/fleet.h"
#include "support/objects.h"

/* What no document can express. */

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static struct jl_policy_config config_of(enum jl_policy_type type)
{
    struct jl_policy_config config = { 0 };
    JL_SET(&config, type, type);
    jl_policy_defaults(&config, JL_POLICY_CURRENT);
    return config;
}

/* The label-based guard remembers draining in POWER_PROFILE_LABEL. */
static void the_source_guard_reads_the_configured_label(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_node node = { 0 };
    struct jl_pod pod = { 0 };
    struct jl_fleet_output plan;
    struct jl_policy_config config = config_of(JL_POLICY_STATIC);
    config.static_hp_frac = 1;
    config.power_profile_label = "acme.example/profile";
    read_object(&arena, &jl_node_table,
                "{\"metadata\":{\"name\":\"n\",\"labels\":"
                "{\"acme.example/profile\":\"draining-performance\"}}}",
                &node);
    read_object(
        &arena, &jl_pod_table,
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"nodeSelector\":"
        "{\"joulie.io/power-profile\":\"performance\"}},\"status\":{\"phase\":\"Running\"}}",
        &pod);
    const struct jl_fleet_node nodes[] = { { .node = &node } };
    const struct jl_fleet_input in = {
        .config = &config,
        .rules = JL_POLICY_V0_0_2,
        .nodes = nodes,
        .node_count = 1,
        .pods = &pod,
        .pod_count = 1,
        .now_ms = NOW_MS,
    };
    assert_int_equal(jl_fleet_plan(&arena, &in, &plan), 0);
    assert_int_equal(plan.assignments[0].guard.state, JOULIE_NODE_STATE_DRAINING_PERFORMANCE);
    assert_string_equal(plan.assignments[0].guard.policy_name, "rule-swap-v1-draining");
    jl_arena_clear(&arena);
}

static void pods_that_cannot_be_counted_keep_the_node_as_it_is(void **state)
{
    (void)state;
    struct jl_guard_input in = {
        .plan = JOULIE_PROFILE_ECO,
        .blockers = -1,
        .current_profile = JOULIE_PROFILE_ECO,
        .is_current_draining = true,
        .drain_caps = JOULIE_PROFILE_PERFORMANCE,
    };
    struct jl_guard_output out;
    jl_guard(&in, JL_POLICY_CURRENT, &out);
    assert_true(out.is_draining);
    assert_int_equal(out.caps, JOULIE_PROFILE_PERFORMANCE);

    in.current_profile = JOULIE_PROFILE_UNKNOWN; /* nothing was decided yet: the harmless one */
    jl_guard(&in, JL_POLICY_CURRENT, &out);
    assert_int_equal(out.profile, JOULIE_PROFILE_PERFORMANCE);
    assert_false(out.is_draining);

    jl_guard(&in, JL_POLICY_V0_1_1, &out); /* fails open */
    assert_int_equal(out.profile, JOULIE_PROFILE_ECO);
}

static void demand_that_cannot_be_counted_leaves_the_base_fraction(void **state)
{
    (void)state;
    struct jl_policy_config config = config_of(JL_POLICY_QUEUE);
    config.queue_hp_base_frac = 0.6;
    config.queue_hp_min = 9;
    struct jl_policy_count count = {
        .config = &config, .rules = JL_POLICY_V0_1_1, .nodes = 10, .families = 1, .demand = -1
    };
    assert_int_equal(jl_policy_hp(&count), 6); /* as static: no hpMin */
    count.demand = 0;
    assert_int_equal(jl_policy_hp(&count), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_source_guard_reads_the_configured_label),
        cmocka_unit_test(pods_that_cannot_be_counted_keep_the_node_as_it_is),
        cmocka_unit_test(demand_that_cannot_be_counted_leaves_the_base_fraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
