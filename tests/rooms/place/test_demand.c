/* SPDX-License-Identifier: Apache-2.0 */
#include "place/place.h"
#include "support/objects.h"

/* What a pod asks for, and the watts that it adds (docs/rules/placement.md#pod-demand). */

static struct joulie_work demand_with(const char *spec, enum joulie_place_rules rules,
                                      struct jl_demand_fault *fault)
{
    struct jl_arena arena = { 0 };
    struct jl_pod pod = { 0 };
    struct joulie_work demand = { .workload_class = JOULIE_WORKLOAD_STANDARD };
    char text[1024] = "{\"spec\":{\"containers\":[";
    strncat(text, spec, sizeof text - strlen(text) - 1);
    strncat(text, "}}", sizeof text - strlen(text) - 1);
    read_object(&arena, &jl_pod_table, text, &pod);
    jl_work_read_demand(&pod, rules, &demand, fault);
    jl_arena_clear(&arena); /* texts of fault are gone with it; its counts and codes are not */
    return demand;
}

static struct joulie_work demand_of(const char *spec)
{
    struct jl_demand_fault fault;
    const struct joulie_work demand = demand_with(spec, JOULIE_PLACE_RULES_CURRENT, &fault);
    assert_int_equal(fault.count, 0);
    return demand;
}

#define REQUESTS(quantities) "{\"resources\":{\"requests\":{" quantities "}}}"
#define SIDECAR(quantities) \
    "{\"restartPolicy\":\"Always\",\"resources\":{\"requests\":{" quantities "}}}"

static void sidecars_run_beside_and_init_containers_before(void **state)
{
    (void)state;
    const struct joulie_work demand = demand_of(
        REQUESTS("\"cpu\":\"1\"") "," REQUESTS("\"cpu\":\"2\"") "],\"initContainers\":[" SIDECAR(
            "\"cpu\":\"0.5\"") "," REQUESTS("\"cpu\":\"3\"") "],\"overhead\":{\"cpu\":\"0.25\"}");
    assert_near(demand.cpu_cores, 3.75, 1e-12);
}

static void a_sidecar_declared_later_does_not_run_beside_an_init_container(void **state)
{
    (void)state;
    const struct joulie_work demand =
        demand_of(REQUESTS("\"cpu\":\"1\"") "],\"initContainers\":[" REQUESTS(
            "\"cpu\":\"3\"") "," SIDECAR("\"cpu\":\"0.5\"") "]");
    assert_near(demand.cpu_cores, 3, 1e-12);
}

static void every_resource_takes_its_own_highest_phase(void **state)
{
    (void)state;
    const struct joulie_work demand =
        demand_of(REQUESTS("\"cpu\":\"4\",\"memory\":\"1Gi\"") "],\"initContainers\":[" REQUESTS(
            "\"cpu\":\"1\",\"memory\":\"8Gi\",\"amd.com/gpu\":\"2\"") "]");
    assert_near(demand.cpu_cores, 4, 0);
    assert_near(demand.memory_bytes, 8.0 * 1073741824, 0);
    assert_near(demand.gpu_count, 2, 0);
    assert_int_equal(demand.gpu_vendor, JOULIE_GPU_VENDOR_AMD);
}

static void a_limit_stands_in_for_a_missing_or_zero_request(void **state)
{
    (void)state;
    const struct joulie_work demand =
        demand_of("{\"resources\":{\"requests\":{\"cpu\":0,\"memory\":\"1.5Gi\"},\"limits\":{"
                  "\"cpu\":3,\"nvidia.com/gpu\":1}}}]");
    assert_near(demand.cpu_cores, 3, 0);
    assert_near(demand.memory_bytes, 1610612736, 0);
    assert_near(demand.gpu_count, 1, 0);
    assert_int_equal(demand.gpu_vendor, JOULIE_GPU_VENDOR_NVIDIA);
}

static void mig_slices_are_sevenths_of_a_gpu(void **state)
{
    (void)state;
    assert_near(demand_of(REQUESTS("\"nvidia.com/mig-3g.40gb\":\"2\"") "]").gpu_count, 6.0 / 7,
                1e-12);
    assert_near(demand_of(REQUESTS("\"nvidia.com/mig-1g.10gb.me\":\"1\"") "]").gpu_count, 1.0 / 7,
                1e-12);
    assert_near(demand_of(REQUESTS("\"nvidia.com/mig-g.5gb\":\"1\",\"nvidia.com/mig-1g\":\"1\","
                                   "\"nvidia.com/gpu.shared\":\"1\"") "]")
                    .gpu_count,
                0, 0);
}

static void a_bad_quantity_is_reported_and_counts_as_nothing(void **state)
{
    (void)state;
    struct jl_demand_fault fault;
    const char *spec =
        REQUESTS("\"cpu\":\"2\"") "," REQUESTS("\"cpu\":\"-1\",\"memory\":\"1Xi\"") "]";
    const struct joulie_work demand = demand_with(spec, JOULIE_PLACE_RULES_CURRENT, &fault);
    assert_near(demand.cpu_cores, 2, 0);
    assert_near(demand.memory_bytes, 0, 0);
    assert_int_equal(fault.count, 2);
    assert_int_equal(fault.code, JOULIE_E_RANGE);
    assert_int_equal(fault.index, 1);
    assert_string_equal(fault.list, "containers");
    assert_string_equal(fault.part, "requests");
}

static void a_bad_overhead_has_no_container(void **state)
{
    (void)state;
    struct jl_demand_fault fault;
    demand_with("],\"overhead\":{\"cpu\":\"x\",\"other\":\"y\"}", JOULIE_PLACE_RULES_CURRENT,
                &fault);
    assert_int_equal(fault.count, 1);
    assert_int_equal(fault.code, JOULIE_E_PARSE);
    assert_string_equal(fault.list, "overhead");
    assert_null(fault.part);
}

static void what_is_no_demand_is_not_read(void **state)
{
    (void)state;
    assert_near(demand_of(REQUESTS("\"cpu\":\"1\",\"ephemeral-storage\":\"1Xi\"") "]").cpu_cores, 1,
                0);
}

static void the_source_reads_a_small_grammar(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        double cores;
        double bytes;
    } rows[] = {
        { "500m", 0.5, 0 },
        { "1.5", 1.5, 1.5 },
        { "007", 7, 7 },
        { "1.5Gi", 0.25, 1610612736 },
        { "64K", 0.25, 64000 },
        { "64k", 0.25, 0 },
        { "1e1", 0.25, 0 },
        { "-1", 0.25, 0 },
        { "1.", 0.25, 0 },
        { ".5", 0.25, 0 },
        { "", 0.25, 0 },
        { "1Pi", 0.25, 0 },
        { "3Ki", 0.25, 3072 },
        { "3Mi", 0.25, 3145728 },
        { "3Gi", 0.25, 0xC0000000 },
        { "3Ti", 0.25, 3 * 0x1p40 },
        { "3K", 0.25, 3000 },
        { "3M", 0.25, 3e6 },
        { "3G", 0.25, 3e9 },
        { "3T", 0.25, 3e12 },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        char spec[160] = "{\"resources\":{\"requests\":{\"cpu\":\"";
        strncat(spec, rows[i].text, 8);
        strncat(spec, "\",\"memory\":\"", 20);
        strncat(spec, rows[i].text, 8);
        strncat(spec, "\"}}}]", 8);
        const struct joulie_work demand = demand_with(spec, JOULIE_PLACE_RULES_V0_1_1, NULL);
        assert_near(demand.cpu_cores, rows[i].cores, 0);
        assert_near(demand.memory_bytes, rows[i].bytes, 0);
    }
}

static void the_source_ignores_init_cpu_overhead_and_slices(void **state)
{
    (void)state;
    const struct joulie_work demand = demand_with(
        REQUESTS("\"cpu\":\"1\",\"nvidia.com/mig-1g.5gb\":\"1\"") "],\"initContainers\":[" REQUESTS(
            "\"cpu\":\"16\",\"nvidia.com/gpu\":\"1500m\",\"amd.com/gpu\":\"4\"") "],\"overhead\":{"
                                                                                 "\"cpu\":\"1\"}",
        JOULIE_PLACE_RULES_V0_1_1, NULL);
    assert_near(demand.cpu_cores, 1, 0);
    assert_near(demand.gpu_count, 1, 0); /* the first key with a whole device */
    assert_int_equal(demand.gpu_vendor, JOULIE_GPU_VENDOR_NVIDIA);
}

static void class_and_profile_are_read_per_member(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_pod pod = { 0 };
    struct jl_workload_profile profile = { 0 };
    struct joulie_work view;
    const int64_t now_ms = INT64_C(1773403200000); /* 2026-03-13T12:00:00Z */
    read_object(
        &arena, &jl_pod_table,
        "{\"metadata\":{\"annotations\":{\"joulie.io/workload-class\":\"batch\","
        "\"joulie.io/cpu-sensitivity\":\"low\",\"joulie.io/gpu-sensitivity\":\"extreme\"}}}",
        &pod);
    read_object(&arena, &jl_workload_profile_table,
                "{\"status\":{\"criticality\":{\"class\":\"performance\"},\"cpu\":{"
                "\"capSensitivity\":\"high\"},"
                "\"gpu\":{\"capSensitivity\":\"medium\"},\"confidence\":0.7,\"lastUpdated\":\"2026-"
                "03-13T11:00:00Z\"}}",
                &profile);
    jl_work_of_pod(&pod, &profile, JOULIE_PLACE_RULES_CURRENT, now_ms, &view, NULL);
    assert_int_equal(view.workload_class, JOULIE_WORKLOAD_PERFORMANCE);
    assert_int_equal(view.cpu_sensitivity, JOULIE_LEVEL_LOW);
    assert_int_equal(view.gpu_sensitivity, JOULIE_LEVEL_MEDIUM);
    jl_work_of_pod(&pod, NULL, JOULIE_PLACE_RULES_CURRENT, now_ms, &view, NULL);
    assert_int_equal(view.workload_class, JOULIE_WORKLOAD_OTHER);
    assert_int_equal(view.gpu_sensitivity, JOULIE_LEVEL_UNKNOWN);
    jl_work_of_pod(&pod, &profile, JOULIE_PLACE_RULES_V0_1_1, now_ms, &view, NULL);
    assert_int_equal(view.workload_class, JOULIE_WORKLOAD_OTHER);
    assert_int_equal(view.cpu_sensitivity, JOULIE_LEVEL_UNKNOWN);
    jl_arena_clear(&arena);
}

/* A wish in whole millicores is held as it is: 2.007 cores are no 2008 of them. */
static void what_is_held_is_rounded_up_to_a_millicore(void **state)
{
    (void)state;
    struct joulie_work needs = { .cpu_cores = 0 };
    for (int millicores = 0; millicores < 5000; millicores++) {
        needs.cpu_cores = millicores / 1000.0;
        assert_int_equal(jl_place_load_of(&needs).millicores, millicores);
    }
    needs = (struct joulie_work){ .cpu_cores = 0.2501, .gpu_count = 1 / 7.0 };
    assert_int_equal(jl_place_load_of(&needs).millicores, 251);
    assert_int_equal(jl_place_load_of(&needs).micro_gpus, 142857);
    needs = (struct joulie_work){ .cpu_cores = 1e18, .gpu_count = 1e18 };
    assert_int_equal(jl_place_load_of(&needs).millicores, INT64_C(1000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sidecars_run_beside_and_init_containers_before),
        cmocka_unit_test(a_sidecar_declared_later_does_not_run_beside_an_init_container),
        cmocka_unit_test(every_resource_takes_its_own_highest_phase),
        cmocka_unit_test(a_limit_stands_in_for_a_missing_or_zero_request),
        cmocka_unit_test(mig_slices_are_sevenths_of_a_gpu),
        cmocka_unit_test(a_bad_quantity_is_reported_and_counts_as_nothing),
        cmocka_unit_test(a_bad_overhead_has_no_container),
        cmocka_unit_test(what_is_no_demand_is_not_read),
        cmocka_unit_test(the_source_reads_a_small_grammar),
        cmocka_unit_test(the_source_ignores_init_cpu_overhead_and_slices),
        cmocka_unit_test(class_and_profile_are_read_per_member),
        cmocka_unit_test(what_is_held_is_rounded_up_to_a_millicore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
