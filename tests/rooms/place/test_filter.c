/* SPDX-License-Identifier: Apache-2.0 */
#include "place/place.h"
#include "support/test.h"

/* Where performance pods may not run (docs/rules/placement.md#filter). */

#define MINUTE_MS (INT64_C(60) * 1000)
#define NOW_MS (INT64_C(1000) * MINUTE_MS)

static const struct joulie_work performance_pod = { .workload_class = JOULIE_WORKLOAD_PERFORMANCE };

static struct jl_place_node node_of(enum joulie_node_class class_, int64_t age_minutes,
                                    enum joulie_node_label label)
{
    struct jl_place_node node = { .label = label };
    JL_MARK(&node, JL_PLACE_TWIN);
    JL_PUT(&node, JL_PLACE_CLASS, class_, class_);
    JL_PUT(&node, JL_PLACE_UPDATED, updated_ms, NOW_MS - age_minutes * MINUTE_MS);
    return node;
}

static enum joulie_reject filter(struct jl_place_node node, enum joulie_fail_policy policy)
{
    struct joulie_place_config config;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    config.fail_policy = policy;
    return jl_place_filter(&config, &performance_pod, &node, NOW_MS);
}

static enum joulie_reject filter_default(struct jl_place_node node)
{
    return filter(node, JOULIE_FAIL_LAST_KNOWN);
}

static void a_performance_pod_never_passes_a_fresh_eco_or_draining_node(void **state)
{
    (void)state;
    assert_int_equal(filter_default(node_of(JOULIE_NODE_CLASS_ECO, 0, JOULIE_NODE_LABEL_OTHER)),
                     JOULIE_REJECT_CLASS);
    assert_int_equal(
        filter_default(node_of(JOULIE_NODE_CLASS_DRAINING, 0, JOULIE_NODE_LABEL_OTHER)),
        JOULIE_REJECT_CLASS);
}

static void only_performance_pods_are_filtered(void **state)
{
    (void)state;

    static const enum joulie_workload_class classes[] = { JOULIE_WORKLOAD_STANDARD,
                                                          JOULIE_WORKLOAD_OTHER };
    struct joulie_place_config config;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    config.fail_policy = JOULIE_FAIL_CLOSED;
    const struct jl_place_node node = node_of(JOULIE_NODE_CLASS_ECO, 0, JOULIE_NODE_LABEL_ECO);
    for (size_t i = 0; i < JL_COUNT(classes); i++) {
        const struct joulie_work pod = { .workload_class = classes[i] };
        assert_int_equal(jl_place_filter(&config, &pod, &node, NOW_MS), JOULIE_REJECT_NONE);
    }
}

static void a_fresh_class_overrides_the_label(void **state)
{
    (void)state;
    assert_int_equal(
        filter_default(node_of(JOULIE_NODE_CLASS_PERFORMANCE, 5, JOULIE_NODE_LABEL_ECO)),
        JOULIE_REJECT_NONE);
    assert_int_equal(
        filter_default(node_of(JOULIE_NODE_CLASS_WORD_UNKNOWN, 5, JOULIE_NODE_LABEL_ECO)),
        JOULIE_REJECT_NONE);
}

static void a_stale_eco_class_rejects_for_a_while_then_the_label_decides(void **state)
{
    (void)state;
    assert_int_equal(filter_default(node_of(JOULIE_NODE_CLASS_ECO, 30, JOULIE_NODE_LABEL_OTHER)),
                     JOULIE_REJECT_CLASS);
    assert_int_equal(filter_default(node_of(JOULIE_NODE_CLASS_ECO, 31, JOULIE_NODE_LABEL_OTHER)),
                     JOULIE_REJECT_NONE);
    assert_int_equal(filter_default(node_of(JOULIE_NODE_CLASS_ECO, 31, JOULIE_NODE_LABEL_ECO)),
                     JOULIE_REJECT_LABEL);
    assert_int_equal(
        filter_default(node_of(JOULIE_NODE_CLASS_PERFORMANCE, 6, JOULIE_NODE_LABEL_ECO)),
        JOULIE_REJECT_LABEL);
}

static void a_twin_without_class_or_time_leaves_the_label(void **state)
{
    (void)state;
    struct jl_place_node node = node_of(JOULIE_NODE_CLASS_UNKNOWN, 0, JOULIE_NODE_LABEL_ECO);
    JL_UNMARK(&node, JL_PLACE_CLASS);
    assert_int_equal(filter_default(node), JOULIE_REJECT_LABEL);
    node = node_of(JOULIE_NODE_CLASS_ECO, 0, JOULIE_NODE_LABEL_OTHER);
    JL_UNMARK(&node, JL_PLACE_UPDATED);
    assert_int_equal(filter_default(node), JOULIE_REJECT_NONE);
}

static void a_node_without_data_passes_unless_failing_closed(void **state)
{
    (void)state;
    const struct jl_place_node nothing = { 0 };
    assert_int_equal(filter(nothing, JOULIE_FAIL_LAST_KNOWN), JOULIE_REJECT_NONE);
    assert_int_equal(filter(nothing, JOULIE_FAIL_OPEN), JOULIE_REJECT_NONE);
    assert_int_equal(filter(nothing, JOULIE_FAIL_CLOSED), JOULIE_REJECT_NO_DATA);
    assert_int_equal(
        filter(node_of(JOULIE_NODE_CLASS_ECO, 120, JOULIE_NODE_LABEL_UNKNOWN), JOULIE_FAIL_CLOSED),
        JOULIE_REJECT_NO_DATA);
    assert_int_equal(
        filter(node_of(JOULIE_NODE_CLASS_ECO, 120, JOULIE_NODE_LABEL_OTHER), JOULIE_FAIL_CLOSED),
        JOULIE_REJECT_NONE);
}

static void reasons_are_the_published_texts(void **state)
{
    (void)state;
    assert_null(joulie_place_reject_text(JOULIE_REJECT_NONE));
    assert_string_equal(joulie_place_reject_text(JOULIE_REJECT_CLASS),
                        "joulie: performance pod rejected from eco/draining node");
    assert_string_equal(joulie_place_reject_text(JOULIE_REJECT_LABEL),
                        "joulie: performance pod rejected from eco node (label fallback)");
    assert_string_equal(joulie_place_reject_text(JOULIE_REJECT_NO_DATA),
                        "joulie: no data for node");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_performance_pod_never_passes_a_fresh_eco_or_draining_node),
        cmocka_unit_test(only_performance_pods_are_filtered),
        cmocka_unit_test(a_fresh_class_overrides_the_label),
        cmocka_unit_test(a_stale_eco_class_rejects_for_a_while_then_the_label_decides),
        cmocka_unit_test(a_twin_without_class_or_time_leaves_the_label),
        cmocka_unit_test(a_node_without_data_passes_unless_failing_closed),
        cmocka_unit_test(reasons_are_the_published_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
