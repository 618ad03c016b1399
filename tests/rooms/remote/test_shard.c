/* SPDX-License-Identifier: Apache-2.0 */

/* Which process of a pool drives a node (docs/rules/node-agent.md#shards). */

#include <joulie/error.h>

#include "base/number.h"
#include "base/text.h"
#include "remote/shard.h"
#include "support/test.h"

static int id_code(const char *set, const char *pod_name, int64_t shards)
{
    struct jl_shard_id id;
    return jl_shard_id(set, pod_name, shards, &id);
}

static int64_t id_of(const char *set, const char *pod_name, int64_t shards)
{
    struct jl_shard_id id;
    assert_int_equal(jl_shard_id(set, pod_name, shards, &id), 0);
    return id.id;
}

static void nodes_are_spread_evenly(void **state)
{
    static const int expected[] = { 102, 99, 94, 102, 103 };
    int found[5] = { 0 };
    (void)state;
    for (int64_t i = 0; i < 500; i++) {
        char name[16 + JL_DOUBLE_TEXT] = "kwok-node-";
        jl_format_i64(i, name + 10);
        found[jl_shard_of(name, 5)]++;
    }
    for (size_t i = 0; i < JL_COUNT(expected); i++)
        assert_int_equal(found[i], expected[i]);
}

static void one_process_drives_everything(void **state)
{
    (void)state;
    assert_true(jl_shard_owns("node-a", 1, 0));
    assert_true(jl_shard_owns("node-a", 0, 7));
    assert_int_equal(jl_shard_of("", 1), 0);
}

static void each_node_has_exactly_one_process(void **state)
{
    (void)state;
    for (int64_t shards = 2; shards < 40; shards++) {
        int owners = 0;
        for (int64_t id = 0; id < shards; id++)
            owners += jl_shard_owns("node-b", shards, id);
        assert_int_equal(owners, 1);
    }
    assert_int_equal(jl_shard_of("node-b", INT64_MAX), 96712486);
}

static void the_setting_wins_over_the_pods_name(void **state)
{
    (void)state;
    assert_int_equal(id_of("1", "joulie-agent-pool-3", 5), 1);
    assert_int_equal(id_of(" 2 ", NULL, 5), 2);
    assert_int_equal(id_of(" ", "joulie-agent-pool-3", 5), 3);
    assert_int_equal(id_of(NULL, "joulie-agent-pool-3", 5), 3);
    assert_int_equal(id_of(NULL, "joulie-agent-pool-x", 5), 0);
    assert_int_equal(id_of(NULL, "3", 5), 0);
    assert_int_equal(id_of(NULL, "pool-", 5), 0);
    assert_int_equal(id_of(NULL, "pool-99999999999999999999", 5), 0);
    assert_int_equal(id_of(NULL, NULL, 5), 0);
}

static void a_setting_that_is_no_shard_stops_the_start(void **state)
{
    (void)state;
    assert_int_equal(id_code("one", "pool-3", 5), JOULIE_E_PARSE);
    assert_int_equal(id_code("1.0", NULL, 5), JOULIE_E_PARSE);
    assert_int_equal(id_code("99999999999999999999", NULL, 5), JOULIE_E_RANGE);
    assert_int_equal(id_code("5", NULL, 5), JOULIE_E_RANGE);
    assert_int_equal(id_code("-1", NULL, 5), JOULIE_E_RANGE);
    assert_int_equal(id_code(NULL, "pool-5", 5), JOULIE_E_RANGE);
    assert_int_equal(id_code(NULL, "pool-1", 1), JOULIE_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_spread_evenly),
        cmocka_unit_test(one_process_drives_everything),
        cmocka_unit_test(each_node_has_exactly_one_process),
        cmocka_unit_test(the_setting_wins_over_the_pods_name),
        cmocka_unit_test(a_setting_that_is_no_shard_stops_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
