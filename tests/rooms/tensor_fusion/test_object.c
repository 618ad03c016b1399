/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of TensorFusion as documents: round trips, and joulie/tensor_fusion_v1.h against the
 * tables. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <joulie/tensor_fusion_v1.h>
#include <joulie/v1alpha1.h>

#include "base/buffer.h"
#include "kinds/tensor_fusion.h"
#include "support/test.h"

#define FIXTURES "tests/support/fixtures/tensor-fusion/"

static char *file_text(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    const size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(len > 0 && len < sizeof text - 1);
    text[len] = '\0';
    return text;
}

static struct joulie_object *object_of(const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    if (joulie_object_parse(text, strlen(text), NULL, 0, &object, &err) != JOULIE_OK)
        fail_msg("%s line %u: %s", err.where, (unsigned)err.line, err.message);
    return object;
}

static struct joulie_object *fixture(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, FIXTURES "%s.yaml", name);
    return object_of(file_text(path));
}

static char *print(const struct joulie_object *object, enum joulie_form form)
{
    char *text = NULL;
    assert_int_equal(joulie_object_print(object, form, &text, NULL), JOULIE_OK);
    return text;
}

static void a_document_of_any_dialect_survives_a_round_trip(void **state)
{
    static const char *const names[] = { "a", "b", "c", "neutral", "mixed", "go-written" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        struct joulie_object *object = fixture(names[i]);
        char *line = print(object, JOULIE_FORM_LINE);
        char *yaml = print(object, JOULIE_FORM_YAML);
        struct joulie_object *of_line = object_of(line);
        struct joulie_object *of_yaml = object_of(yaml);
        char *second = print(of_line, JOULIE_FORM_LINE);
        char *third = print(of_yaml, JOULIE_FORM_LINE);
        assert_string_equal(second, line);
        assert_string_equal(third, line);
        joulie_free(second);
        joulie_free(third);
        joulie_free(line);
        joulie_free(yaml);
        joulie_object_free(of_line);
        joulie_object_free(of_yaml);
        joulie_object_free(object);
    }
}

static void a_quantity_keeps_its_text_and_is_written_as_a_string(void **state)
{
    static const char wanted[] =
        "\"resources\":{\"limits\":{\"tflops\":\"149.7\",\"vram\":\"1536e7\"},"
        "\"requests\":{\"tflops\":\"38.71\",\"vram\":\"12.5Gi\"}}";
    static const char integers[] = "\"resources\":{\"limits\":{\"tflops\":\"2\",\"vram\":\"8Gi\"},"
                                   "\"requests\":{\"tflops\":\"500m\",\"vram\":\"4294967296\"}}";
    struct joulie_object *object = fixture("a");
    struct joulie_object *neutral = fixture("neutral");
    char *line = print(object, JOULIE_FORM_LINE);
    char *other = print(neutral, JOULIE_FORM_LINE);
    (void)state;
    if (!strstr(line, wanted) || !strstr(other, integers))
        fail_msg("%s\n%s", line, other);
    joulie_free(line);
    joulie_free(other);
    joulie_object_free(object);
    joulie_object_free(neutral);
}

static void members_that_no_table_has_are_kept(void **state)
{
    static const char text[] =
        "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","
        "\"spec\":{\"qos\":\"low\",\"x\":{\"y\":[1.50]}},\"z\":null}";
    struct joulie_object *object = NULL;
    (void)state;
    assert_int_equal(
        joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, NULL), 0);
    char *line = print(object, JOULIE_FORM_LINE);
    assert_string_equal(line, text);
    joulie_free(line);
    joulie_object_free(object);
}

static void the_view_reads_any_dialect(void **state)
{
    struct joulie_tensor_fusion_v1_profile view =
        JOULIE_INIT(struct joulie_tensor_fusion_v1_profile);
    struct joulie_object *a = fixture("a");
    struct joulie_object *c = fixture("c");
    (void)state;
    assert_int_equal(joulie_tensor_fusion_v1_get_profile(a, &view, NULL), JOULIE_OK);
    assert_string_equal(view.limit_tflops_text, "149.7");
    assert_near(view.limit_tflops, 149.7, 1e-12);
    assert_near(view.request_vram_bytes, 12.5 * 1024 * 1024 * 1024, 0);
    assert_int_equal(view.qos, JOULIE_TENSOR_FUSION_QOS_HIGH);
    assert_int_equal(view.limits_target, JOULIE_TENSOR_FUSION_TARGET_ALL);
    assert_true(view.limits_enabled && view.replicas_enabled && !view.requests_enabled);
    assert_true(view.has & JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REQUESTS_ENABLED);
    assert_false(view.has & JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_REPLICAS);
    assert_false(view.has & JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_RESOURCES_ENABLED);

    assert_int_equal(joulie_tensor_fusion_v1_get_profile(c, &view, NULL), JOULIE_OK);
    assert_int_equal(view.isolation, JOULIE_TENSOR_FUSION_ISOLATION_SOFT);
    assert_int_equal(view.resources_target, JOULIE_TENSOR_FUSION_TARGET_COMPUTE);
    assert_int_equal(view.gang_min_members, 2);
    assert_int_equal(view.gpu_count, 2);
    assert_near(view.request_compute_pct, 40, 0);
    assert_string_equal(view.vendor, "NVIDIA");
    assert_true(view.external_enabled);
    joulie_object_free(a);
    joulie_object_free(c);
}

static void the_two_kinds_of_one_name_are_not_taken_for_each_other(void **state)
{
    struct joulie_tensor_fusion_v1_profile view =
        JOULIE_INIT(struct joulie_tensor_fusion_v1_profile);
    struct joulie_v1alpha1_workload_profile ours =
        JOULIE_INIT(struct joulie_v1alpha1_workload_profile);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *theirs = fixture("a");
    struct joulie_object *object = NULL;
    (void)state;
    assert_int_equal(joulie_object_new(NULL, "WorkloadProfile", &object, NULL), JOULIE_OK);
    assert_int_equal(joulie_tensor_fusion_v1_get_profile(object, &view, &err),
                     JOULIE_E_UNSUPPORTED);
    assert_string_equal(err.where, "kind");
    assert_int_equal(joulie_v1alpha1_get_workload_profile(theirs, &ours, &err),
                     JOULIE_E_UNSUPPORTED);
    joulie_object_free(object);
    joulie_object_free(theirs);
}

static void a_quantity_that_cannot_be_read_has_only_its_text(void **state)
{
    static const char text[] =
        "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"spec\":"
        "{\"resources\":{\"limits\":{\"tflops\":\"4gi\",\"vram\":16}}}}";
    struct joulie_tensor_fusion_v1_profile view =
        JOULIE_INIT(struct joulie_tensor_fusion_v1_profile);
    struct joulie_object *object = NULL;
    (void)state;
    assert_int_equal(
        joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, NULL), 0);
    assert_int_equal(joulie_tensor_fusion_v1_get_profile(object, &view, NULL), JOULIE_OK);
    assert_string_equal(view.limit_tflops_text, "4gi");
    assert_false(view.has & JOULIE_TENSOR_FUSION_V1_PROFILE_HAS_LIMIT_TFLOPS);
    assert_string_equal(view.limit_vram_text, "16");
    assert_near(view.limit_vram_bytes, 16, 0);
    joulie_object_free(object);
}

/* evaluationPeriod becomes EVALUATION_PERIOD, minVRAMResourcesRatio MIN_VRAM_RESOURCES_RATIO. */
static void put_name(struct jl_buffer *out, const char *path)
{
    for (const char *c = path; *c != '\0'; c++) {
        const bool is_unit = c > path + 1 && strncmp(c - 1, "TFlops", 6) == 0;
        const bool is_after_lower = c > path && islower((unsigned char)c[-1]);
        const bool is_before_lower = islower((unsigned char)c[1]);
        const bool is_after_upper = c > path && isupper((unsigned char)c[-1]) && !is_unit;
        if (isupper((unsigned char)*c) && (is_after_lower || (is_after_upper && is_before_lower)))
            jl_put_char(out, '_');
        jl_put_char(out, *c == '.' ? '_' : (char)toupper((unsigned char)*c));
    }
}

static void check_paths(const char *header, const struct jl_table *table, const char *prefix)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        struct jl_buffer name = { 0 };
        char path[256];
        char short_path[256];
        char value[300];
        snprintf(path, sizeof path, "%s.%s", prefix, row->key);
        const char *scaling = strstr(path, "autoScalingConfig.");
        snprintf(short_path, sizeof short_path, "%.*s%s",
                 scaling ? (int)(scaling - path) : (int)strlen(path), path,
                 scaling ? scaling + strlen("autoScalingConfig.") : "");
        jl_put_string(&name, "#define JOULIE_TENSOR_FUSION_V1_");
        put_name(&name, short_path);
        jl_put_char(&name, ' ');
        const char *found = strstr(header, name.data);
        snprintf(value, sizeof value, "\"%s\"\n", path);
        if (!found || strncmp(found + name.len + strspn(found + name.len, " \\\n"), value,
                              strlen(value)) != 0)
            fail_msg("the header has no %s%s", name.data, value);
        jl_buffer_clear(&name);
        if (row->type == JL_TYPE_OBJECT)
            check_paths(header, row->child, path);
    }
}

static void the_paths_of_the_header_are_those_of_the_tables(void **state)
{
    const char *header = file_text("include/joulie/tensor_fusion_v1.h");
    (void)state;
    check_paths(header, &jl_fusion_spec_table, "spec");
    check_paths(header, jl_fusion_workload_table.rows[JL_ROOT_STATUS].child, "status");
}

static void the_words_of_the_header_are_those_of_the_documents(void **state)
{
    static const char *const qos[] = { "low", "medium", "high", "critical" };
    static const char *const isolation[] = { "shared", "soft", "hard", "partitioned" };
    static const char *const target[] = { "all", "tflops", "vram", "compute" };
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_string_equal(joulie_word(JOULIE_VOCABULARY_TENSOR_FUSION_QOS, i + 1), qos[i]);
        assert_string_equal(joulie_word(JOULIE_VOCABULARY_TENSOR_FUSION_ISOLATION, i + 1),
                            isolation[i]);
        assert_string_equal(joulie_word(JOULIE_VOCABULARY_TENSOR_FUSION_TARGET, i + 1), target[i]);
    }
    assert_null(joulie_word(JOULIE_VOCABULARY_TENSOR_FUSION_QOS, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_of_any_dialect_survives_a_round_trip),
        cmocka_unit_test(a_quantity_keeps_its_text_and_is_written_as_a_string),
        cmocka_unit_test(members_that_no_table_has_are_kept),
        cmocka_unit_test(the_view_reads_any_dialect),
        cmocka_unit_test(the_two_kinds_of_one_name_are_not_taken_for_each_other),
        cmocka_unit_test(a_quantity_that_cannot_be_read_has_only_its_text),
        cmocka_unit_test(the_paths_of_the_header_are_those_of_the_tables),
        cmocka_unit_test(the_words_of_the_header_are_those_of_the_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
