/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/hardware.h"
#include "support/objects.h"
#include "support/test.h"

/* Rules: docs/rules/catalog.md#hardware-of-a-node. */

struct fixture {
    struct jl_arena arena;
    struct jl_hardware hardware;
};

static int begin(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){ 0 };
    *state = &fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    jl_arena_clear(&f->arena);
    return 0;
}

static const struct jl_hardware *resolve(struct fixture *f, const char *status,
                                         enum jl_hardware_rules rules)
{
    struct jl_hardware_status hardware = { 0 };
    read_object(&f->arena, &jl_hardware_status_table, status, &hardware);
    jl_hardware_resolve(&hardware, NULL, rules, &f->hardware);
    return &f->hardware;
}

static const struct jl_hardware *resolve_node(struct fixture *f, const char *text)
{
    struct jl_node node = { 0 };
    read_object(&f->arena, &jl_node_table, text, &node);
    jl_hardware_resolve(NULL, &node, JL_HARDWARE_CURRENT, &f->hardware);
    return &f->hardware;
}

static double cpu_tdp_w(const struct jl_hardware *h)
{
    return h->cpu_max_w * h->sockets;
}

static double gpu_tdp_w(const struct jl_hardware *h)
{
    return h->gpu_present ? h->gpu_max_w * h->gpu_count : 0;
}

static void reported_ranges_win_over_the_catalog(void **state)
{
    const struct jl_hardware *h =
        resolve(*state,
                "{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192,"
                "\"capRange\":{\"maxWattsPerSocket\":350,\"minWattsPerSocket\":90}},"
                "\"gpu\":{\"model\":\"NVIDIA_H100_SXM\",\"count\":8,\"present\":true,"
                "\"capRangePerGpu\":{\"maxWatts\":650,\"minWatts\":300}}}",
                JL_HARDWARE_CURRENT);
    assert_near(h->cpu_max_w, 350, 0);
    assert_near(h->cpu_min_w, 90, 0);
    assert_int_equal(h->cpu_max_source, JL_FACT_HARDWARE);
    assert_near(cpu_tdp_w(h), 700, 0);
    assert_near(gpu_tdp_w(h), 5200, 0);
    assert_int_equal(h->gpu_max_source, JL_FACT_HARDWARE);
    assert_string_equal(h->gpu_vendor, "nvidia");
}

static void a_known_model_fills_the_ranges_from_the_catalog(void **state)
{
    const struct jl_hardware *h = resolve(*state,
                                          "{\"cpu\":{\"rawModel\":\"AMD EPYC 9654\",\"sockets\":2},"
                                          "\"gpu\":{\"rawModel\":\"NVIDIA L40S\",\"count\":2}}",
                                          JL_HARDWARE_CURRENT);
    assert_near(h->cpu_max_w, 360, 0);
    assert_near(h->cpu_min_w, 320, 0);
    assert_int_equal(h->cpu_max_source, JL_FACT_CATALOG);
    assert_near(h->gpu_max_w, 350, 0);
    assert_near(h->gpu_min_w, 200, 0);
    assert_int_equal(h->gpu_max_source, JL_FACT_CATALOG);
    assert_true(h->gpu_present);
}

/* v0.1.1 counts no CPU power on a node whose sockets are unknown */
static void a_known_cpu_has_at_least_one_socket_in_current(void **state)
{
    const char *status = "{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"totalCores\":192}}";
    assert_near(cpu_tdp_w(resolve(*state, status, JL_HARDWARE_CURRENT)), 360, 0);
    assert_near(cpu_tdp_w(resolve(*state, status, JL_HARDWARE_V0_1_1)), 0, 0);
}

static void an_unknown_cpu_counts_five_watts_per_core(void **state)
{
    const struct jl_hardware *h =
        resolve(*state, "{\"cpu\":{\"rawModel\":\"Mystery\",\"sockets\":2,\"totalCores\":33}}",
                JL_HARDWARE_V0_1_1);
    assert_near(h->cpu_max_w, 80, 0); /* 5 W x (33 div 2) */
    assert_int_equal(h->cpu_max_source, JL_FACT_CORES);
    assert_near(cpu_tdp_w(resolve(*state, "{\"cpu\":{\"totalCores\":8}}", JL_HARDWARE_V0_1_1)), 40,
                0);
}

/* the planner of v0.1.1 asks otherwise than its twin */
static void the_planner_of_v0_1_1_asks_with_the_raw_text_alone(void **state)
{
    const char *keyed = "{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2},"
                        "\"gpu\":{\"model\":\"NVIDIA_L40S\",\"count\":2}}";
    const char *both = "{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"rawModel\":\"AMD EPYC 9655\"}}";
    assert_null(resolve(*state, keyed, JL_HARDWARE_PLAN_V0_1_1)->cpu_model);
    assert_null(resolve(*state, keyed, JL_HARDWARE_PLAN_V0_1_1)->gpu_model);
    assert_non_null(resolve(*state, keyed, JL_HARDWARE_V0_1_1)->cpu_model);
    assert_string_equal(resolve(*state, both, JL_HARDWARE_PLAN_V0_1_1)->cpu_model->key,
                        "AMD_EPYC_9655");
    assert_string_equal(resolve(*state, both, JL_HARDWARE_CURRENT)->cpu_model->key,
                        "AMD_EPYC_9654");
}

static void v0_1_0_knows_no_catalog(void **state)
{
    const struct jl_hardware *h =
        resolve(*state, "{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192}}",
                JL_HARDWARE_V0_1_0);
    assert_null(h->cpu_model);
    assert_near(h->cpu_max_w, 0, 0);
}

static void gpu_present_is_what_is_written_else_whether_any_is_counted(void **state)
{
    const char *counted = "{\"gpu\":{\"count\":8,\"capRangePerGpu\":{\"maxWatts\":700}}}";
    const char *denied = "{\"gpu\":{\"present\":false,\"count\":8,\"model\":\"NVIDIA_H100_SXM\"}}";
    assert_true(resolve(*state, counted, JL_HARDWARE_CURRENT)->gpu_present);
    assert_false(resolve(*state, counted, JL_HARDWARE_V0_1_1)->gpu_present);
    assert_false(resolve(*state, denied, JL_HARDWARE_CURRENT)->gpu_present);
    assert_near(gpu_tdp_w(resolve(*state, denied, JL_HARDWARE_CURRENT)), 0, 0);
    assert_true(
        resolve(*state, denied, JL_HARDWARE_V0_1_1)->gpu_present); /* a catalog hit sets it */
}

static void nothing_known_stays_unknown(void **state)
{
    const struct jl_hardware *h = resolve(*state, "{}", JL_HARDWARE_CURRENT);
    assert_true(h->is_known);
    assert_near(h->sockets, 0, 0);
    assert_near(cpu_tdp_w(h), 0, 0);
    assert_int_equal(h->cpu_max_source, JL_FACT_UNKNOWN);
    assert_false(h->gpu_present);

    struct fixture *f = *state;
    jl_hardware_resolve(NULL, NULL, JL_HARDWARE_CURRENT, &f->hardware);
    assert_false(f->hardware.is_known);
}

static void without_a_record_the_labels_of_the_node_speak(void **state)
{
    const struct jl_hardware *h = resolve_node(
        *state, "{\"metadata\":{\"name\":\"n\",\"labels\":{"
                "\"joulie.io/hw.cpu-model\":\"\",\"feature.node.kubernetes.io/"
                "cpu-model.name\":\"AMD EPYC 9655\","
                "\"joulie.io/hw.cpu-sockets\":\"2\",\"nvidia.com/gpu.product\":\"NVIDIA-H100-NVL\","
                "\"joulie.io/hw.gpu-count\":\"0\"}},"
                "\"status\":{\"capacity\":{\"cpu\":\"191500m\"},\"allocatable\":{\"nvidia.com/"
                "gpu\":\"4\"}}}");
    assert_true(h->is_known);
    assert_string_equal(h->cpu_model->key, "AMD_EPYC_9655");
    assert_near(h->sockets, 2, 0);
    assert_near(h->total_cores, 192, 0);
    assert_near(cpu_tdp_w(h), 800, 0);
    assert_near(h->gpu_count, 4, 0);
    assert_near(gpu_tdp_w(h), 1600, 0);
}

/* the usual product labels, and the setting GPU_PRODUCT_LABEL_KEYS */
static void the_setting_names_the_labels_of_the_gpu_product(void **state)
{
    struct fixture *f = *state;
    const char *strings[] = { "acme.example/gpu", "amd.com/gpu.family" };
    const struct jl_list keys = { strings, JL_COUNT(strings) };
    const struct jl_list no_keys = { 0 };
    struct jl_node node = { 0 };
    read_object(&f->arena, &jl_node_table,
                "{\"metadata\":{\"labels\":{\"joulie.io/gpu.product\":\"\","
                "\"nvidia.com/gpu.product\":\"L40S\",\"amd.com/gpu.family\":\"W7900\"}}}",
                &node);
    assert_string_equal(jl_gpu_product(&node, NULL), "L40S");
    assert_string_equal(jl_gpu_product(&node, &no_keys), "L40S");
    assert_string_equal(jl_gpu_product(&node, &keys), "W7900");
    jl_hardware_resolve_by(NULL, &node, &keys, JL_HARDWARE_CURRENT, &f->hardware);
    assert_string_equal(f->hardware.gpu_model->key, "AMD_RADEON_PRO_W7900");
}

static void a_node_without_hints_is_not_known(void **state)
{
    assert_false(
        resolve_node(*state,
                     "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"cpu\":\"8\"}}}")
            ->is_known);
}

static void allocatable_gpus_are_counted_by_resource_name(void **state)
{
    struct fixture *f = *state;
    struct jl_node node = { 0 };
    read_object(
        &f->arena, &jl_node_table,
        "{\"status\":{\"allocatable\":{\"cpu\":\"8\",\"NVIDIA.com/GPU\":\"1\",\"amd.com/"
        "gpu\":\"2\","
        "\"gpu.intel.com/i915\":\"1\",\"vendor.example/gpu\":\"3\",\"nvidia.com/mig-1g.5gb\":\"7\","
        "\"nvidia.com/gpu.shared\":\"4\",\"bad.example/gpu\":\"many\",\"gpu\":\"9\"}}}",
        &node);
    assert_near(jl_node_allocatable_gpus(&node), 7, 0);
}

/* The 9655 of the source is measured, ours is the 9654 by TDP; an H100 SXM goes to 350 and 200 W.
 */
static void version_words_have_the_entries_of_the_source(void **state)
{
    static const char status[] =
        "{\"cpu\":{\"rawModel\":\"AMD EPYC 9655\"},\"gpu\":{\"present\":true,"
        "\"count\":1,\"rawModel\":\"H100 SXM\"}}";

    static const enum jl_hardware_rules rules[] = { JL_HARDWARE_CURRENT, JL_HARDWARE_V0_1_1,
                                                    JL_HARDWARE_PLAN_V0_1_1 };

    for (size_t i = 0; i < JL_COUNT(rules); i++) {
        const struct jl_hardware *h = resolve(*state, status, rules[i]);
        assert_string_equal(h->cpu_model->provenance, i == 0 ? "assumed" : "exact+official");
        assert_near(h->gpu_min_w, i == 0 ? 200 : 350, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reported_ranges_win_over_the_catalog, begin, end),
        cmocka_unit_test_setup_teardown(a_known_model_fills_the_ranges_from_the_catalog, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_known_cpu_has_at_least_one_socket_in_current, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_cpu_counts_five_watts_per_core, begin, end),
        cmocka_unit_test_setup_teardown(the_planner_of_v0_1_1_asks_with_the_raw_text_alone, begin,
                                        end),
        cmocka_unit_test_setup_teardown(v0_1_0_knows_no_catalog, begin, end),
        cmocka_unit_test_setup_teardown(gpu_present_is_what_is_written_else_whether_any_is_counted,
                                        begin, end),
        cmocka_unit_test_setup_teardown(nothing_known_stays_unknown, begin, end),
        cmocka_unit_test_setup_teardown(without_a_record_the_labels_of_the_node_speak, begin, end),
        cmocka_unit_test_setup_teardown(the_setting_names_the_labels_of_the_gpu_product, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_node_without_hints_is_not_known, begin, end),
        cmocka_unit_test_setup_teardown(allocatable_gpus_are_counted_by_resource_name, begin, end),
        cmocka_unit_test_setup_teardown(version_words_have_the_entries_of_the_source, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
