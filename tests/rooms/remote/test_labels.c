/* SPDX-License-Identifier: Apache-2.0 */

/* A node that nobody can look into, and errors of calls that worked
 * (docs/rules/node-agent.md#hardware-from-labels).
 */

#include <string.h>

#include <joulie/node.h>

#include "remote/labels.h"
#include "support/test.h"

static void without_cores_there_are_none_per_socket(void **state)
{
    static const struct jl_pair pairs[] = { { "joulie.io/hw.cpu-sockets", "2" } };
    struct jl_node node = { .has = 0 };
    const struct joulie_remote_can can = { .cpu_control = true };
    struct jl_node_hardware hardware;
    struct jl_arena arena = { 0 };
    (void)state;
    JL_SET(&node.meta, name, "n1");
    JL_SET(&node.meta, labels, ((struct jl_map){ pairs, 1 }));
    JL_MARK(&node, JL_ROOT_META);
    assert_int_equal(jl_remote_hardware(&node, &can, 0, &arena, &hardware), 0);
    assert_int_equal(hardware.status.cpu.sockets, 2);
    assert_false(hardware.status.cpu.given.total_cores);
    assert_false(hardware.status.cpu.given.cores_per_socket);
    jl_arena_clear(&arena);
}

/* A product that the catalog lacks is reported; one that nobody named is not. */
static void a_gpu_of_an_unknown_product_is_warned_about(void **state)
{
    static const struct {
        struct jl_pair label;
        bool is_known, is_warned;
    } rows[] = {
        { { "nvidia.com/gpu.product", "Acme-X1" }, false, true },
        { { "nvidia.com/gpu.product", "NVIDIA L40S" }, true, false },
        { { "zone", "a" }, false, false },
    };
    static const struct jl_pair gpus[] = { { "nvidia.com/gpu", "2" } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_remote_can can = { .gpu_control = true };
        struct jl_node node = { .has = 0 };
        struct jl_node_hardware hardware;
        struct jl_arena arena = { 0 };
        JL_SET(&node.meta, name, "n1");
        JL_SET(&node.meta, labels, ((struct jl_map){ &rows[i].label, 1 }));
        JL_MARK(&node, JL_ROOT_META);
        JL_SET(&node.status, allocatable, ((struct jl_map){ gpus, 1 }));
        node.given.status = true;
        assert_int_equal(jl_remote_hardware(&node, &can, 0, &arena, &hardware), 0);
        const struct jl_hw_gpu *gpu = &hardware.status.gpu;
        assert_int_equal(gpu->count, 2);
        assert_int_equal(gpu->given.model, rows[i].is_known);
        assert_int_equal(gpu->warnings.count, rows[i].is_warned ? 1 : 0);
        if (rows[i].is_warned)
            assert_string_equal(JL_STRING_ITEM(gpu->warnings, 0), "gpu model not recognized");
        jl_arena_clear(&arena);
    }
}

static void a_call_that_works_leaves_the_error_alone(void **state)
{
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_node *node = NULL;
    char *json = NULL;
    size_t count = 0;
    (void)state;
    assert_int_equal(joulie_node_new(&options, &node, NULL), 0);
    err.code = 77;
    strcpy(err.message, "of somebody else");
    assert_int_equal(joulie_node_put_twin(node, NULL, 0, &err), 0);
    assert_int_equal(joulie_node_step(node, 1, &count, &err), 0);
    assert_int_equal(joulie_node_report(node, &json, &err), 0);
    assert_int_equal(err.code, 77);
    assert_string_equal(err.message, "of somebody else");
    joulie_free(json);
    joulie_node_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_cores_there_are_none_per_socket),
        cmocka_unit_test(a_gpu_of_an_unknown_product_is_warned_about),
        cmocka_unit_test(a_call_that_works_leaves_the_error_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
