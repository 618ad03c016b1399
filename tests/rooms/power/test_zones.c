/* SPDX-License-Identifier: Apache-2.0 */

/* Which powercap zone is what (docs/rules/rapl.md#zones). */

#include <joulie/error.h>

#include "base/random.h"
#include "base/text.h"
#include "power/zones.h"
#include "support/test.h"

#define TOP SIZE_MAX
#define ROOM 64

struct machine {
    struct jl_zone zones[ROOM];
    struct jl_zone_constraint constraints[ROOM][3];
    size_t count;
    struct jl_zone_view views[ROOM];
    size_t order[ROOM];
    size_t packages;
};

static size_t add_of(struct machine *machine, const char *type, const char *name, size_t parent)
{
    machine->zones[machine->count] =
        (struct jl_zone){ .control_type = type, .name = name, .parent = parent };
    return machine->count++;
}

static size_t add(struct machine *machine, const char *name, size_t parent)
{
    return add_of(machine, "intel-rapl", name, parent);
}

static void constrain(struct machine *machine, size_t index, const char *first, const char *second,
                      uint64_t limit_uw)
{
    struct jl_zone_constraint *constraints = machine->constraints[index];
    constraints[0] =
        (struct jl_zone_constraint){ .name = first, .limit_uw = { .value = limit_uw } };
    constraints[1] = (struct jl_zone_constraint){ .number = 1,
                                                  .name = second,
                                                  .limit_uw = { .value = limit_uw } };
    machine->zones[index].constraints = constraints;
    machine->zones[index].constraint_count = second != NULL ? 2 : 1;
}

static size_t add_package(struct machine *machine, const char *name)
{
    const size_t index = add(machine, name, TOP);
    constrain(machine, index, "long_term", "short_term", 205000000);
    return index;
}

static void view(struct machine *machine)
{
    machine->packages =
        jl_zones_view(machine->zones, machine->count, machine->views, machine->order);
}

static const char *name_at(const struct machine *machine, size_t index)
{
    return machine->zones[machine->order[index]].name;
}

static enum jl_zone_role role_of_name(const char *name)
{
    struct machine machine = { 0 };
    add(&machine, name, TOP);
    view(&machine);
    assert_int_equal(machine.packages, machine.views[0].role == JL_ZONE_PACKAGE);
    return machine.views[0].role;
}

/* v0.1.1: memory limits and the platform's were written, and energy was counted twice. */
static void only_packages_are_counted_and_controlled(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t first = add_package(&machine, "package-0");
    const size_t dram = add(&machine, "dram", first);
    constrain(&machine, dram, "long_term", NULL, 41250000);
    const size_t psys = add_package(&machine, "psys");
    const size_t second = add_package(&machine, "package-1");
    view(&machine);
    assert_int_equal(machine.packages, 2);
    assert_int_equal(machine.order[0], first);
    assert_int_equal(machine.order[1], second);
    assert_true(machine.views[first].is_controllable && machine.views[second].is_controllable);
    assert_int_equal(machine.views[dram].role, JL_ZONE_DRAM);
    assert_int_equal(machine.views[dram].package, 0);
    assert_false(machine.views[dram].is_controllable);
    assert_int_equal(machine.views[psys].role, JL_ZONE_PSYS);
    assert_false(machine.views[psys].is_controllable);
}

static void order_follows_names_and_not_numbers_of_folders(void **state)
{
    static const char *const names[] = { "package-10", "package-1", "package-9", "package-0" };
    static const char *const sorted[] = { "package-0", "package-1", "package-9", "package-10" };
    struct machine machine = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(names); i++)
        add_package(&machine, names[i]);
    view(&machine);
    assert_int_equal(machine.packages, 4);
    for (size_t i = 0; i < JL_COUNT(sorted); i++)
        assert_string_equal(name_at(&machine, i), sorted[i]);
}

static void dies_are_packages_of_one_socket(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    add_package(&machine, "package-1-die-0");
    const size_t die = add_package(&machine, "package-0-die-1");
    add_package(&machine, "package-0-die-0");
    const size_t dram = add(&machine, "dram", die);
    view(&machine);
    assert_int_equal(machine.packages, 3);
    assert_string_equal(name_at(&machine, 0), "package-0-die-0");
    assert_string_equal(name_at(&machine, 1), "package-0-die-1");
    assert_string_equal(name_at(&machine, 2), "package-1-die-0");
    assert_int_equal(jl_zones_sockets(machine.views, machine.order, machine.packages), 2);
    assert_true(machine.views[die].has_die);
    assert_int_equal(machine.views[die].die, 1);
    assert_int_equal(machine.views[dram].role, JL_ZONE_DRAM);
    assert_int_equal(machine.views[dram].die, 1);
}

static void a_name_that_the_kernel_does_not_print_is_ignored(void **state)
{
    static const char *const names[] = {
        "package-",
        "package-0x",
        "package-4294967296",
        "package-00",
        "package-0-",
        "package-0-die-",
        "package-0-die-x",
        "package-0-die-01",
        "package--1",
        "package-+1",
        "package-0-die-0-die-0",
        "Package-0",
        "package",
        "xpackage-0",
        "package-0 ",
        "package-0-die-4294967296",
        "psys-",
        "psys-x",
        "psysx",
        "",
        "long",
        "dram-0",
        "package-99999999999999999999",
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(names); i++)
        assert_int_equal(role_of_name(names[i]), JL_ZONE_IGNORED);
    assert_int_equal(role_of_name(NULL), JL_ZONE_IGNORED);
    assert_int_equal(role_of_name("package-4294967295"), JL_ZONE_PACKAGE);
    assert_int_equal(role_of_name("package-0-die-4294967295"), JL_ZONE_PACKAGE);
    assert_int_equal(role_of_name("psys"), JL_ZONE_PSYS);
    assert_int_equal(role_of_name("psys-1"), JL_ZONE_PSYS);
}

/* One counter, two pairs of limits. */
static void a_twin_behind_mmio_is_counted_once(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    /* before the other: nothing depends on the order of the zones */
    const size_t twin = add_of(&machine, "intel-rapl-mmio", "package-0", TOP);
    constrain(&machine, twin, "long_term", "short_term", 45000000);
    const size_t memory = add_of(&machine, "intel-rapl-mmio", "dram", twin);
    const size_t package = add_package(&machine, "package-0");
    const size_t third = add_of(&machine, "intel-rapl-mmio", "package-0", TOP);
    view(&machine);
    assert_int_equal(machine.packages, 1);
    assert_int_equal(machine.order[0], package);
    assert_int_equal(machine.views[twin].role, JL_ZONE_MMIO_TWIN);
    assert_int_equal(machine.views[twin].twin, package);
    assert_int_equal(machine.views[twin].long_term, 0);
    assert_false(machine.views[twin].is_controllable);
    assert_int_equal(machine.views[package].twin, twin);
    assert_true(machine.views[package].is_controllable);
    assert_int_equal(machine.views[memory].role, JL_ZONE_DUPLICATE);
    assert_int_equal(machine.views[third].role, JL_ZONE_DUPLICATE);
}

static void a_package_that_is_only_behind_mmio_is_counted_and_never_written(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t package = add_of(&machine, "intel-rapl-mmio", "package-0", TOP);
    constrain(&machine, package, "long_term", NULL, 45000000);
    view(&machine);
    assert_int_equal(machine.packages, 1);
    assert_int_equal(machine.views[package].role, JL_ZONE_PACKAGE);
    assert_false(machine.views[package].is_controllable);
}

/* No constraints at all; `core` is the counter of one CPU. */
static void amd_is_measured_and_not_controlled(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t package = add(&machine, "package-0", TOP);
    const size_t core = add(&machine, "core", package);
    view(&machine);
    assert_int_equal(machine.packages, 1);
    assert_false(machine.views[package].is_controllable);
    assert_int_equal(machine.views[package].long_term, SIZE_MAX);
    assert_int_equal(machine.views[core].role, JL_ZONE_CORE);
}

/* Old kernels show such limits for AMD. */
static void a_limit_that_reads_nothing_is_no_control(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t zero = add_package(&machine, "package-0");
    const size_t failed = add_package(&machine, "package-1");
    const size_t unread = add_package(&machine, "package-2");
    machine.constraints[zero][0].limit_uw.value = 0;
    machine.constraints[failed][0].limit_uw.code = JOULIE_E_IO;
    machine.constraints[unread][0].limit_uw.code = JOULIE_E_UNSUPPORTED;
    view(&machine);
    assert_false(machine.views[zero].is_controllable);
    assert_false(machine.views[failed].is_controllable);
    assert_true(machine.views[unread].is_controllable);
}

static void constraints_are_known_by_name(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t swapped = add_package(&machine, "package-0");
    constrain(&machine, swapped, "short_term", "long_term", 205000000);
    const size_t nameless = add_package(&machine, "package-1");
    constrain(&machine, nameless, NULL, "short_term", 205000000);
    const size_t peak = add_package(&machine, "package-2");
    constrain(&machine, peak, "peak_power", NULL, 205000000);
    view(&machine);
    assert_int_equal(machine.views[swapped].long_term, 1);
    assert_int_equal(machine.views[swapped].short_term, 0);
    assert_true(machine.views[swapped].is_controllable);
    assert_int_equal(machine.views[nameless].long_term, SIZE_MAX);
    assert_false(machine.views[nameless].is_controllable);
    assert_false(machine.views[peak].is_controllable);
}

static void a_second_zone_of_one_name_is_not_counted_again(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t first = add_package(&machine, "package-0");
    const size_t again = add_package(&machine, "package-0");
    const size_t dram = add(&machine, "dram", first);
    const size_t dram_again = add(&machine, "dram", first);
    const size_t dram_of_again = add(&machine, "dram", again);
    view(&machine);
    assert_int_equal(machine.packages, 1);
    assert_int_equal(machine.order[0], first);
    assert_int_equal(machine.views[again].role, JL_ZONE_DUPLICATE);
    assert_false(machine.views[again].is_controllable);
    assert_int_equal(machine.views[dram].role, JL_ZONE_DRAM);
    assert_int_equal(machine.views[dram_again].role, JL_ZONE_DUPLICATE);
    assert_int_equal(machine.views[dram_of_again].role, JL_ZONE_DUPLICATE);
}

/* powercap/powercap#3: a platform zone above the packages. */
static void packages_below_psys_are_packages(void **state)
{
    struct machine machine = { 0 };
    (void)state;
    const size_t psys = add(&machine, "psys", TOP);
    const size_t package = add(&machine, "package-0", psys);
    const size_t uncore = add(&machine, "uncore", package);
    const size_t stray = add(&machine, "dram", psys);
    view(&machine);
    assert_int_equal(machine.packages, 1);
    assert_int_equal(machine.views[package].role, JL_ZONE_PACKAGE);
    assert_int_equal(machine.views[uncore].role, JL_ZONE_UNCORE);
    assert_int_equal(machine.views[stray].role, JL_ZONE_IGNORED);
}

static void other_control_types_are_left_alone(void **state)
{
    static const char *const types[] = { "dtpm", "arm-scmi", "amd-rapl", "intel-rapl-", "", NULL };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(types); i++) {
        struct machine machine = { 0 };
        const size_t package = add_of(&machine, types[i], "package-0", TOP);
        constrain(&machine, package, "long_term", NULL, 45000000);
        const size_t dram = add(&machine, "dram", package);
        view(&machine);
        assert_int_equal(machine.packages, 0);
        assert_int_equal(machine.views[package].role, JL_ZONE_IGNORED);
        assert_int_equal(machine.views[dram].role, JL_ZONE_IGNORED);
    }
}

static void a_machine_without_zones_has_no_packages(void **state)
{
    (void)state;
    assert_int_equal(jl_zones_view(NULL, 0, NULL, NULL), 0);
    assert_int_equal(jl_zones_sockets(NULL, NULL, 0), 0);
}

/* Any heap of zones: every package once, sorted, twins point at each other. */
static void any_tree_gives_a_sorted_set_of_packages(void **state)
{
    static const char *const names[] = { "package-0", "package-1", "package-0-die-1",
                                         "dram",      "psys",      "package-1-die-0",
                                         "core",      NULL,        "uncore",
                                         "package-" };
    static const char *const types[] = { "intel-rapl", "intel-rapl-mmio", "dtpm" };
    struct jl_random random = { 21 };
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct machine machine = { 0 };
        const int64_t count = jl_random_int(&random, 0, ROOM);
        for (int64_t i = 0; i < count; i++) {
            const size_t index =
                add_of(&machine, types[jl_random_int(&random, 0, 2)],
                       names[jl_random_int(&random, 0, JL_COUNT(names) - 1)],
                       jl_random_int(&random, 0, 1) ? TOP : (size_t)jl_random_int(&random, 0, 99));
            constrain(&machine, index, jl_random_int(&random, 0, 1) ? "long_term" : NULL, NULL, 1);
        }
        view(&machine);
        size_t roles = 0;
        for (size_t i = 0; i < machine.count; i++) {
            const struct jl_zone_view *view = &machine.views[i];
            roles += view->role == JL_ZONE_PACKAGE;
            assert_true(!view->is_controllable || view->role == JL_ZONE_PACKAGE);
            if (view->twin != SIZE_MAX)
                assert_int_equal(machine.views[view->twin].twin, i);
        }
        assert_int_equal(machine.packages, roles);
        for (size_t i = 1; i < machine.packages; i++) {
            const struct jl_zone_view *a = &machine.views[machine.order[i - 1]];
            const struct jl_zone_view *b = &machine.views[machine.order[i]];
            assert_true(a->package < b->package ||
                        (a->package == b->package && a->has_die <= b->has_die &&
                         (!a->has_die || a->die < b->die)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_packages_are_counted_and_controlled),
        cmocka_unit_test(order_follows_names_and_not_numbers_of_folders),
        cmocka_unit_test(dies_are_packages_of_one_socket),
        cmocka_unit_test(a_name_that_the_kernel_does_not_print_is_ignored),
        cmocka_unit_test(a_twin_behind_mmio_is_counted_once),
        cmocka_unit_test(a_package_that_is_only_behind_mmio_is_counted_and_never_written),
        cmocka_unit_test(amd_is_measured_and_not_controlled),
        cmocka_unit_test(a_limit_that_reads_nothing_is_no_control),
        cmocka_unit_test(constraints_are_known_by_name),
        cmocka_unit_test(a_second_zone_of_one_name_is_not_counted_again),
        cmocka_unit_test(packages_below_psys_are_packages),
        cmocka_unit_test(other_control_types_are_left_alone),
        cmocka_unit_test(a_machine_without_zones_has_no_packages),
        cmocka_unit_test(any_tree_gives_a_sorted_set_of_packages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
