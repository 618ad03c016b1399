/* SPDX-License-Identifier: Apache-2.0 */

/* Replies of Prometheus instant queries (docs/rules/twin.md#prometheus-replies). */

#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "twin/twin.h"

static struct jl_prometheus_value read_reply(const char *body, int64_t http_status,
                                             enum joulie_twin_rules rules)
{
    struct jl_arena arena = { 0 };
    struct jl_prometheus_value value;
    assert_int_equal(jl_prometheus_value(body, strlen(body), http_status, rules, &arena, &value),
                     0);
    jl_arena_clear(&arena);
    return value;
}

static struct jl_prometheus_value read_value(const char *value, enum joulie_twin_rules rules)
{
    char body[256];
    snprintf(body, sizeof body, "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":%s}]}}",
             value);
    return read_reply(body, 200, rules);
}

static void the_first_series_gives_the_value(void **state)
{
    (void)state;
    static const char reply[] = " {\"status\" : \"success\", \"data\": {\"resultType\":\"vector\", "
                                "\"result\": [ {\"metric\":{\"a\":\"b\"},"
                                "\"value\":[1234567890.781, \"42.5\"]}, "
                                "{\"metric\":{},\"value\":[1,\"9\"]}]}, \"warnings\":[\"w\"]}\n";
    const struct jl_prometheus_value value = read_reply(reply, 200, JOULIE_TWIN_RULES_CURRENT);
    assert_true(value.is_ok && value.has_value);
    assert_near(value.value, 42.5, 0);
}

static void numbers_are_read_as_prometheus_writes_them(void **state)
{
    (void)state;

    static const struct {
        const char *value;
        double number;
    } rows[] = {
        { "[1,\"1e+06\"]", 1e6 }, { "[1,\"-3\"]", -3 },       { "[1,\"+4e2\"]", 400 },
        { "[1,\"0\"]", 0 },       { "[1,\"4\\u0032\"]", 42 }, { "[1,\"5\",7]", 5 },
        { "[1,\"5\",\"7\"]", 5 }, { "[\"7\",\"5\"]", 5 }
    }; /* what stands behind the value is nothing to us */

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_prometheus_value value =
            read_value(rows[i].value, JOULIE_TWIN_RULES_CURRENT);
        assert_true(value.is_ok && value.has_value);
        assert_near(value.value, rows[i].number, 0);
    }
}

static void replies_without_a_value_are_errors(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "",
        "<html>",
        "null",
        "[]",
        "{}",
        "{\"status\":\"error\",\"error\":\"x\"}",
        "{\"status\":\"error\",\"data\":{\"result\":[{\"value\":[1,\"42\"]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[\"42\",1]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"+\"]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"++1\"]}]}}",
        "{\"status\":\"success\"}",
        "{\"status\":\"error\",\"data\":{\"result\":[{\"value\":[1,\"2\"]}]}}",
        "{\"status\":\"success\",\"data\":null}",
        "{\"status\":\"success\",\"data\":{\"result\":[]}}",
        "{\"status\":\"success\",\"data\":{\"result\":null}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"values\":[[1,\"2\"]]}]}}",
        "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1234567890,\"1\"]}"
        "}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,42.5]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"\"]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"4 2\"]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"1e999\"]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"\\u0000\"]}]}}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"42\"]}]}",
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"42\"]}]}} x",
    };
    for (size_t i = 0; i < JL_COUNT(bodies); i++) {
        const struct jl_prometheus_value current =
            read_reply(bodies[i], 200, JOULIE_TWIN_RULES_CURRENT);
        const struct jl_prometheus_value source =
            read_reply(bodies[i], 200, JOULIE_TWIN_RULES_V0_1_1);
        assert_false(current.is_ok || current.has_value || source.is_ok || source.has_value);
        assert_true(strlen(current.message) > 0);
    }
}

static void values_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    static const char *const values[] = { "[1,\"NaN\"]", "[1,\"+Inf\"]", "[1,\"-Inf\"]",
                                          "[1,\"inf\"]" };
    for (size_t i = 0; i < JL_COUNT(values); i++) {
        assert_false(read_value(values[i], JOULIE_TWIN_RULES_CURRENT).is_ok);
        const struct jl_prometheus_value source = read_value(values[i], JOULIE_TWIN_RULES_V0_1_1);
        assert_true(source.is_ok);
        assert_false(source.has_value); /* no JSON number can say it */
    }
}

static void the_http_status_counts_in_current(void **state)
{
    (void)state;
    static const char body[] =
        "{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,\"42.5\"]}]}}";
    assert_true(read_reply(body, 204, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_true(read_reply(body, 200, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_true(read_reply(body, 299, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_false(read_reply(body, 300, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_false(read_reply(body, 199, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_false(read_reply(body, 502, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_false(read_reply(body, 304, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_false(read_reply(body, 0, JOULIE_TWIN_RULES_CURRENT).is_ok);
    assert_true(read_reply(body, 502, JOULIE_TWIN_RULES_V0_1_1).is_ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_series_gives_the_value),
        cmocka_unit_test(numbers_are_read_as_prometheus_writes_them),
        cmocka_unit_test(replies_without_a_value_are_errors),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(the_http_status_counts_in_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
