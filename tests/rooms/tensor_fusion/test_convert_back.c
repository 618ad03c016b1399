/* SPDX-License-Identifier: Apache-2.0 */

/* What comes back when an operator or an API server has written to the object in between
 * (docs/rules/conversion.md#annotation). */

#include <stdlib.h>
#include <string.h>

#include "convert_tests.h"
#include "random_objects.h"
#include "schema/tree.h"
#include "support/test.h"

#define OBJECTS 800 /* of each dialect */

#define FULL_A                                                          \
    "{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,"       \
    "\"scaleUpStep\":\"200%\"},\"autoSetReplicas\":{\"enable\":true}}," \
    "\"resources\":{\"requests\":{\"tflops\":\"10\",\"vram\":\"1Gi\"}," \
    "\"limits\":{\"tflops\":\"20\",\"vram\":\"1Gi\"}}}"
#define FULL_B                                                            \
    "{\"autoScalingConfig\":{\"autoSetResources\":{\"enable\":true,"      \
    "\"targettflopspercentile\":\"0.9\",\"confidenceInterval\":\"24h\"}," \
    "\"autoSetReplicas\":{\"enable\":true}}}"

static void add(struct json_object *object, const char *path, const char *key, const char *value)
{
    json_object_object_add(value_at(object, path), key, json_tokener_parse(value));
}

static bool is_annotated(struct json_object *object)
{
    struct json_object *stored = annotation_of(object);
    json_object_put(stored);
    return stored != NULL;
}

/* The object went to C, got a member there, and comes back. */
static void edit_and_return(const char *spec, enum jl_dialect home, const char *path,
                            const char *key, const char *value, struct conversion *out)
{
    struct json_object *object = object_of(spec);
    struct json_object *c = converted(object, JL_DIALECT_C);
    assert_true(is_annotated(c));
    add(c, path, key, value);
    convert(c, home, 0, out);
    json_object_put(c);
    json_object_put(object);
}

static void assert_unchanged(const char *spec, enum jl_dialect home, const char *path,
                             const char *key, const char *value)
{
    struct conversion back;
    struct json_object *object = object_of(spec);
    edit_and_return(spec, home, path, key, value, &back);
    assert_int_equal(back.rc, 0);
    assert_null(back.made.warnings);
    if (!jl_tree_equal(back.made.object, object))
        fail_msg("%s=%s: %s", key, value, text_of(back.made.object));
    clear(&back);
    json_object_put(object);
}

static void a_percent_of_zero_that_an_operator_wrote_does_not_come_back(void **state)
{
    (void)state;
    assert_unchanged(FULL_A, JL_DIALECT_A, "spec.resources.requests", "compute", "\"0\"");
    assert_unchanged(FULL_A, JL_DIALECT_A, "spec.resources.limits", "compute", "0");
}

static void what_says_nothing_does_not_come_back(void **state)
{
    static const char *const members[][2] = {
        { "isolation", "\"soft\"" }, { "sidecarWorker", "false" }, { "vendor", "\"\"" },
        { "gangScheduling", "{}" },  { "gpuIndices", "[]" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(members); i++)
        assert_unchanged(FULL_A, JL_DIALECT_A, "spec", members[i][0], members[i][1]);
    assert_unchanged(FULL_A, JL_DIALECT_A, "spec.autoScalingConfig", "externalScaler",
                     "{\"enable\":false}");
    assert_unchanged(FULL_B, JL_DIALECT_B, "spec", "isolation", "\"soft\"");
    assert_unchanged(FULL_B, JL_DIALECT_B, "spec", "gangScheduling", "{\"minMembers\":0}");
    assert_unchanged(FULL_B, JL_DIALECT_B, "spec", "vendor", "\"\"");
    assert_unchanged(FULL_B, JL_DIALECT_B, "spec.autoScalingConfig", "externalScaler",
                     "{\"enable\":false,\"apiKeySecretRef\":{}}");
}

static void a_later_field_of_c_alone_leaves_b_with_a_warning(void **state)
{
    static const char *const members[][2] = {
        { "isolation", "\"hard\"" },
        { "vendor", "\"NVIDIA\"" },
        { "gpuIndices", "[0]" },
        { "gangScheduling", "{\"minMembers\":2}" },
        { "partitionTemplateId", "\"t\"" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(members); i++) {
        struct conversion back;
        edit_and_return(FULL_B, JL_DIALECT_B, "spec", members[i][0], members[i][1], &back);
        assert_int_equal(back.rc, 0);
        assert_true(back.made.warnings != NULL);
        assert_null(jl_fusion_member(value_at(back.made.object, "spec"), members[i][0]));
        clear(&back);
    }
}

/* Releases of B have it, from v1.47.0 on. */
static void a_later_sidecar_stays_in_b(void **state)
{
    struct conversion back;
    (void)state;
    edit_and_return(FULL_B, JL_DIALECT_B, "spec", "sidecarWorker", "true", &back);
    assert_int_equal(back.rc, 0);
    assert_null(back.made.warnings);
    assert_true(json_object_get_boolean(value_at(back.made.object, "spec.sidecarWorker")));
    assert_non_null(value_at(back.made.object, "spec.autoScalingConfig.autoSetReplicas"));
    clear(&back);
}

static void a_later_percent_becomes_tflops(void **state)
{
    struct conversion back;
    struct json_object *object = object_of(FULL_A);
    struct json_object *c = converted(object, JL_DIALECT_C);
    (void)state;
    add(c, "spec.resources.limits", "tflops", "\"0\"");
    add(c, "spec.resources.limits", "compute", "\"50\"");
    convert(c, JL_DIALECT_A, 100, &back);
    assert_int_equal(back.rc, 0);
    assert_string_equal(text_of(value_at(back.made.object, "spec.resources.limits")),
                        "{\"tflops\":\"50\",\"vram\":\"1Gi\"}");
    clear(&back);
    json_object_put(c);
    json_object_put(object);
}

/* The annotation for a template of so many bytes; whether its size is reported. */
static size_t annotate(size_t bytes, bool *out_is_reported)
{
    struct conversion made;
    struct json_object *object =
        object_of("{\"autoScalingConfig\":{\"externalScaler\":{}},\"workerPodTemplate\":{}}");
    char *text = calloc(bytes + 1, 1);
    assert_non_null(text);
    memset(text, 'x', bytes);
    json_object_object_add(value_at(object, "spec.workerPodTemplate"), "t",
                           json_object_new_string(text));
    convert(object, JL_DIALECT_A, 0, &made);
    assert_int_equal(made.rc, 0);
    *out_is_reported =
        has_warning(&made, "NotRepresentable", "metadata.annotations." JL_CONVERT_ANNOTATION);
    struct json_object *stored =
        jl_fusion_member(value_at(made.made.object, "metadata.annotations"), JL_CONVERT_ANNOTATION);
    const size_t len = (size_t)json_object_get_string_len(stored);
    free(text);
    clear(&made);
    json_object_put(object);
    return len + strlen(JL_CONVERT_ANNOTATION);
}

/* An API server refuses an object whose annotations are larger than 256 KiB together. */
static void an_annotation_that_no_server_takes_is_reported(void **state)
{
    bool is_reported;
    (void)state;
    const size_t around = annotate(1000, &is_reported) - 1000;
    assert_false(is_reported);
    assert_int_equal(annotate(256 * 1024 - around, &is_reported), 256 * 1024);
    assert_false(is_reported);
    annotate(256 * 1024 - around + 1, &is_reported);
    assert_true(is_reported);
}

static void add_absent(struct json_object *object, const char *key, const char *value)
{
    if (object && !json_object_object_get_ex(object, key, NULL))
        json_object_object_add(object, key, json_tokener_parse(value));
}

/* What writers of C put into an object by themselves. */
static void write_as_an_operator(struct json_object *c)
{
    add_absent(value_at(c, "spec"), "isolation", "\"soft\"");
    add_absent(value_at(c, "spec"), "gangScheduling", "{}");
    add_absent(value_at(c, "spec"), "vendor", "\"\"");
    add_absent(value_at(c, "spec.resources.requests"), "compute", "\"0\"");
    add_absent(value_at(c, "spec.resources.limits"), "compute", "\"0\"");
    add_absent(value_at(c, "spec.autoScalingConfig"), "externalScaler", "{\"enable\":false}");
}

static void any_object_comes_back_through_a_writer_of_c(void **state)
{
    static const enum jl_dialect homes[] = { JL_DIALECT_A, JL_DIALECT_B };
    struct jl_random random = { .state = 11 };
    (void)state;
    for (int i = 0; i < 2 * OBJECTS; i++) {
        struct json_object *object = random_object(&random, homes[i % 2]);
        struct json_object *c = converted(object, JL_DIALECT_C);
        struct json_object *copy = NULL;
        json_object_deep_copy(c, &copy, NULL);
        write_as_an_operator(copy);
        struct json_object *back = is_annotated(c) ? converted(copy, homes[i % 2]) : NULL;
        if (back && !jl_tree_equal(back, object))
            fail_msg("\n%s\nbecame\n%s\nand came back as\n%s", text_of(object), text_of(copy),
                     text_of(back));
        json_object_put(back);
        json_object_put(copy);
        json_object_put(c);
        json_object_put(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percent_of_zero_that_an_operator_wrote_does_not_come_back),
        cmocka_unit_test(what_says_nothing_does_not_come_back),
        cmocka_unit_test(a_later_field_of_c_alone_leaves_b_with_a_warning),
        cmocka_unit_test(a_later_sidecar_stays_in_b),
        cmocka_unit_test(a_later_percent_becomes_tflops),
        cmocka_unit_test(an_annotation_that_no_server_takes_is_reported),
        cmocka_unit_test(any_object_comes_back_through_a_writer_of_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
