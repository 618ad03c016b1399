/* SPDX-License-Identifier: Apache-2.0 */

/* Callers who compiled another release of struct joulie_twin_input and struct joulie_twin_output.
 */

#include <string.h>

#include <joulie/twin.h>

#include "support/test.h"

static struct joulie_twin_input node(void)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    in.has = JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER;
    in.cpu_max_w = 200;
    in.measured_node_power_w = 50;
    return in;
}

struct larger_input {
    struct joulie_twin_input in;
    double later;
};

struct larger_output {
    struct joulie_twin_output out;
    double later;
};

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 8, sizeof(struct joulie_twin_input) - 1, 4097, SIZE_MAX };
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct joulie_twin_input in = node();
        in.struct_size = sizes[i];
        assert_int_equal(joulie_twin_predict(&in, &out, NULL), JOULIE_E_ABI);
    }
    const struct joulie_twin_input in = node();
    out.struct_size = 16;
    assert_int_equal(joulie_twin_predict(&in, &out, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_twin_predict(NULL, &out, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_twin_predict(&in, NULL, NULL), JOULIE_E_ABI);
}

static void a_newer_caller_may_leave_the_new_fields_alone(void **state)
{
    (void)state;
    struct larger_input in = { .in = node() };
    struct larger_output out = { .later = 7 };
    in.in.struct_size = sizeof in;
    out.out.struct_size = sizeof out;
    assert_int_equal(joulie_twin_predict(&in.in, &out.out, NULL), JOULIE_OK);
    assert_near(out.out.power_headroom_score, 75, 1e-9);
    assert_int_equal(out.out.struct_size, sizeof out);
    assert_near(out.later, 0, 0); /* a tail that we do not know is zeroed */
}

static void a_newer_caller_may_not_set_the_new_fields(void **state)
{
    (void)state;
    struct larger_input in = { .in = node(), .later = 1 };
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    in.in.struct_size = sizeof in;
    assert_int_equal(joulie_twin_predict(&in.in, &out, NULL), JOULIE_E_ABI);

    struct joulie_twin_input bits = node();
    bits.has |= UINT64_C(1) << 63;
    assert_int_equal(joulie_twin_predict(&bits, &out, NULL), JOULIE_E_ABI);
}

static void the_output_stays_untouched_on_failure(void **state)
{
    (void)state;
    struct joulie_twin_input in = node();
    struct joulie_twin_output out;
    struct joulie_twin_output before;
    memset(&out, 0x5a, sizeof out);
    out.struct_size = sizeof out;
    before = out;
    in.measured_node_power_w = -1;
    assert_int_equal(joulie_twin_predict(&in, &out, NULL), JOULIE_E_RANGE);
    assert_memory_equal(&out, &before, sizeof out);
}

static void a_short_error_record_is_filled_as_far_as_it_goes(void **state)
{
    (void)state;
    struct joulie_error err;
    memset(&err, 0x5a, sizeof err);
    err.struct_size = offsetof(struct joulie_error, where);
    struct joulie_twin_input in = node();
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    in.measured_node_power_w = -1;
    assert_int_equal(joulie_twin_predict(&in, &out, &err), JOULIE_E_RANGE);
    assert_int_equal(err.code, JOULIE_E_RANGE);
    assert_int_equal(err.where[0], 0x5a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(a_newer_caller_may_leave_the_new_fields_alone),
        cmocka_unit_test(a_newer_caller_may_not_set_the_new_fields),
        cmocka_unit_test(the_output_stays_untouched_on_failure),
        cmocka_unit_test(a_short_error_record_is_filled_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
