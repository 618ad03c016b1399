/* SPDX-License-Identifier: Apache-2.0 */

/* The first node of each family that no pod uses, beside a look at every node. */

#include <string.h>

#include "base/random.h"
#include "sim/vacant.h"
#include "support/test.h"

#define ROUNDS 4000

/* Names of the families mix, and one has more nodes than a word has bits. */
static const char text[] = "nodes:\n"
                           "- {node_name_prefix: m, replicas: 150, cpu_cores: 8}\n"
                           "- {node_name_prefix: m1, replicas: 64, cpu_cores: 16}\n"
                           "- {node_name_prefix: a, replicas: 1, cpu_cores: 4}\n"
                           "- {node_name_prefix: z, replicas: 65, cpu_cores: 8}\n";

#define NODES (150 + 64 + 1 + 65)
#define FAMILIES 4

struct fixture {
    struct jl_inventory inventory;
    struct jl_sim_vacant vacant;
    bool is_vacant[NODES];
};

static void open_fixture(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    memset(fixture->is_vacant, true, sizeof fixture->is_vacant);
    assert_int_equal(
        jl_inventory_read(text, strlen(text), 0, JL_PHYSICS_CURRENT, &fixture->inventory, NULL), 0);
    assert_int_equal(fixture->inventory.count, NODES);
    assert_int_equal(jl_sim_vacant_init(&fixture->vacant, &fixture->inventory), 0);
}

static void close_fixture(struct fixture *fixture)
{
    jl_sim_vacant_clear(&fixture->vacant);
    jl_inventory_clear(&fixture->inventory);
}

static void set(struct fixture *fixture, size_t node, bool is_vacant)
{
    jl_sim_vacant_set(&fixture->vacant, node, is_vacant);
    fixture->is_vacant[node] = is_vacant;
}

/* NODES = it has none. */
static size_t first_of(const struct fixture *fixture, const struct jl_sim_family *family)
{
    size_t node = 0;
    while (node < NODES &&
           !(fixture->is_vacant[node] && fixture->inventory.machines[node].family == family))
        node++;
    return node;
}

static void assert_firsts(struct fixture *fixture)
{
    size_t found = 0;
    const size_t count = jl_sim_vacant_firsts(&fixture->vacant);
    for (size_t i = 0; i < FAMILIES; i++) {
        const size_t first = first_of(fixture, &fixture->inventory.families[i]);
        if (first == NODES)
            continue;
        assert_in_range(found, 0, count - 1);
        assert_int_equal(fixture->vacant.firsts[found++], first);
    }
    assert_int_equal(found, count);
}

/* Each of the others once. */
static void assert_others(const struct fixture *fixture)
{
    bool is_other[NODES] = { false };
    for (size_t i = 0; i < fixture->vacant.other_count; i++) {
        assert_false(is_other[fixture->vacant.others[i]]);
        is_other[fixture->vacant.others[i]] = true;
    }
    for (size_t i = 0; i < NODES; i++)
        assert_int_equal(is_other[i], !fixture->is_vacant[i]);
}

static void the_first_of_each_family_is_that_of_a_look_at_all(void **state)
{
    struct fixture fixture;
    struct jl_random random = { 7 };
    (void)state;
    open_fixture(&fixture);
    assert_firsts(&fixture);
    for (int i = 0; i < ROUNDS; i++) {
        const bool is_filling = i / 1000 % 2 == 0;
        set(&fixture, (size_t)jl_random_int(&random, 0, NODES - 1),
            jl_random_int(&random, 0, 9) < (is_filling ? 1 : 8));
        assert_firsts(&fixture);
        assert_others(&fixture);
    }
    close_fixture(&fixture);
}

static void a_family_without_one_is_left_out(void **state)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture);
    for (size_t i = 0; i < NODES; i++)
        set(&fixture, i, false);
    assert_int_equal(jl_sim_vacant_firsts(&fixture.vacant), 0);
    assert_others(&fixture);
    for (size_t i = NODES; i-- > 0;) {
        set(&fixture, i, true);
        assert_firsts(&fixture);
    }
    assert_int_equal(fixture.vacant.other_count, 0);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_each_family_is_that_of_a_look_at_all),
        cmocka_unit_test(a_family_without_one_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
