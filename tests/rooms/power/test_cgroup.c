/* SPDX-License-Identifier: Apache-2.0 */

/* Weights and paths of control groups (docs/rules/energy.md#control-groups). */

#include <string.h>

#include <joulie/error.h>

#include "power/cgroup.h"
#include "support/test.h"

#define UID "12345678-abcd-ef01-2345-6789abcdef01"

static int pod_code(const char *uid)
{
    struct jl_arena arena = { 0 };
    const char *path;
    const int rc = jl_cgroup_pod_path(&arena, JL_CGROUP_SYSTEMD, JL_QOS_BURSTABLE, uid, &path);
    jl_arena_clear(&arena);
    return rc;
}

static int container_code(enum jl_cgroup_driver driver, const char *container)
{
    struct jl_arena arena = { 0 };
    const char *path;
    const int rc = jl_cgroup_container_path(&arena, driver, "pod", container, &path);
    jl_arena_clear(&arena);
    return rc;
}

static void weights_are_those_of_kubelet(void **state)
{
    static const int64_t rows[][2] = { { 0, 1 },     { 100, 4 },   { 250, 10 },   { 500, 20 },
                                       { 1000, 39 }, { 2000, 79 }, { 4000, 157 }, { 64000, 2500 } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(jl_cpu_weight(rows[i][0]), rows[i][1]);
}

static void no_request_weighs_more_than_the_kernel_takes(void **state)
{
    (void)state;
    assert_int_equal(jl_cpu_weight(256000), JL_CPU_WEIGHT_MAX);
    assert_int_equal(jl_cpu_weight(256001), JL_CPU_WEIGHT_MAX);
    assert_int_equal(jl_cpu_weight(INT64_MAX), JL_CPU_WEIGHT_MAX);
    assert_int_equal(jl_cpu_weight(-1), 1);
    for (int64_t m = 0; m < 300000; m += 97)
        assert_true(jl_cpu_weight(m) <= jl_cpu_weight(m + 97));
}

static void only_the_two_lowest_tiers_write(void **state)
{
    (void)state;
    assert_null(jl_tier_write(JL_TIER_CRITICAL, 39, true).file);
    assert_null(jl_tier_write(JL_TIER_HIGH, 39, true).file);
    assert_null(jl_tier_write(JL_TIER_NORMAL, 39, true).file);
    assert_null(jl_tier_write(JL_TIER_UNKNOWN, 39, true).file);
    assert_string_equal(jl_tier_write(JL_TIER_LOW, 39, true).file, "cpu.weight");
    assert_int_equal(jl_tier_write(JL_TIER_LOW, 39, true).value, 19);
    assert_int_equal(jl_tier_write(JL_TIER_LOW, 0, true).value, 1); /* reads 0 while idle is 1 */
    assert_string_equal(jl_tier_write(JL_TIER_BACKGROUND, 39, true).file, "cpu.idle");
    assert_string_equal(jl_tier_write(JL_TIER_BACKGROUND, 39, false).file, "cpu.weight");
}

static void the_qos_class_is_a_folder_of_its_own(void **state)
{
    struct jl_arena arena = { 0 };
    const char *path = NULL;
    (void)state;
    assert_int_equal(jl_cgroup_pod_path(&arena, JL_CGROUP_SYSTEMD, JL_QOS_GUARANTEED, UID, &path),
                     0);
    assert_string_equal(path,
                        "kubepods.slice/kubepods-pod12345678_abcd_ef01_2345_6789abcdef01.slice");
    assert_int_equal(jl_cgroup_pod_path(&arena, JL_CGROUP_CGROUPFS, JL_QOS_BEST_EFFORT, UID, &path),
                     0);
    assert_string_equal(path, "kubepods/besteffort/pod" UID);
    jl_arena_clear(&arena);
}

static void the_runtime_of_a_container_has_two_spellings(void **state)
{
    struct jl_arena arena = { 0 };
    const char *path = NULL;
    (void)state;
    assert_int_equal(
        jl_cgroup_container_path(&arena, JL_CGROUP_SYSTEMD, "pod", "cri-o://abc", &path), 0);
    assert_string_equal(path, "pod/crio-abc.scope");
    assert_int_equal(
        jl_cgroup_container_path(&arena, JL_CGROUP_CGROUPFS, "pod", "other://abc", &path), 0);
    assert_string_equal(path, "pod/abc");
    jl_arena_clear(&arena);
}

/* Both come from the API server, and a path is made of them. */
static void an_id_never_leaves_its_place_in_the_tree(void **state)
{
    static const char *const bad[] = { "",    ".",    "..",   "a/b",   "../a", "a.b",
                                       "a b", "a\nb", "\x01", "a\x7f", "ä",    "a:b" };
    static const char prefix[] = "docker://";
    char container[64];
    (void)state;
    memcpy(container, prefix, sizeof prefix);
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        assert_int_equal(pod_code(bad[i]), JOULIE_E_PARSE);
        memcpy(container + strlen(prefix), bad[i], strlen(bad[i]) + 1);
        assert_int_equal(container_code(JL_CGROUP_SYSTEMD, container), JOULIE_E_PARSE);
        assert_int_equal(container_code(JL_CGROUP_CGROUPFS, container), JOULIE_E_PARSE);
    }
    assert_int_equal(container_code(JL_CGROUP_SYSTEMD, "abc"), JOULIE_E_PARSE);
    assert_int_equal(container_code(JL_CGROUP_SYSTEMD, "docker:abc"), JOULIE_E_PARSE);
    assert_int_equal(container_code(JL_CGROUP_SYSTEMD, "docker://"), JOULIE_E_PARSE);
    assert_int_equal(container_code(JL_CGROUP_SYSTEMD, "rkt://abc"), JOULIE_E_ENUM);
}

static void an_id_that_no_file_name_can_hold_is_too_long(void **state)
{
    static char uid[4096];
    (void)state;
    memset(uid, 'a', sizeof uid - 1);
    assert_int_equal(pod_code(uid), JOULIE_E_LIMIT);
    uid[200] = '\0';
    assert_int_equal(pod_code(uid), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_kubelet),
        cmocka_unit_test(no_request_weighs_more_than_the_kernel_takes),
        cmocka_unit_test(only_the_two_lowest_tiers_write),
        cmocka_unit_test(the_qos_class_is_a_folder_of_its_own),
        cmocka_unit_test(the_runtime_of_a_container_has_two_spellings),
        cmocka_unit_test(an_id_never_leaves_its_place_in_the_tree),
        cmocka_unit_test(an_id_that_no_file_name_can_hold_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
