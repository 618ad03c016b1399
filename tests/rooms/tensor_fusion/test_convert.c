/* SPDX-License-Identifier: Apache-2.0 */

/* Conversion between the dialects of TensorFusion, rule by rule (docs/rules/conversion.md). */

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "convert_tests.h"
#include "support/test.h"

/* The paths of what was lost, in order, with a blank behind each. */
static void assert_lost(const char *spec, enum jl_dialect to, const char *wanted)
{
    struct jl_buffer found = { 0 };
    struct conversion conversion;
    struct json_object *object = object_of(spec);
    convert(object, to, GPU_TFLOPS, &conversion);
    assert_int_equal(conversion.rc, 0);
    for (const struct jl_convert_warning *at = conversion.made.warnings; at; at = at->next) {
        assert_string_equal(at->reason, "NotRepresentable");
        assert_true(jl_starts_with(at->path, "spec."));
        jl_put_string(&found, at->path + strlen("spec."));
        jl_put_string(&found, " ");
    }
    assert_string_equal(found.data ? found.data : "", wanted);
    jl_buffer_clear(&found);
    clear(&conversion);
    json_object_put(object);
}

static void each_field_that_a_dialect_lacks_is_reported_by_its_path(void **state)
{
    (void)state;
    assert_lost("{\"autoScalingConfig\":{\"autoSetResources\":{\"confidenceInterval\":\"24h\","
                "\"historyResolution\":\"1m\"},\"autoSetReplicas\":{\"enable\":true},"
                "\"cronScalingRules\":[{\"name\":\"a\"},{\"desiredReplicas\":3}]}}",
                JL_DIALECT_C,
                "autoScalingConfig.autoSetResources.confidenceInterval "
                "autoScalingConfig.autoSetResources.historyResolution "
                "autoScalingConfig.autoSetReplicas "
                "autoScalingConfig.cronScalingRules[1].desiredReplicas ");
    assert_lost("{\"vendor\":\"AMD\",\"autoScalingConfig\":{\"autoSetResources\":{"
                "\"lowerBoundComputePercentile\":\"0.5\",\"minVRAMResourcesRatio\":\"0.2\","
                "\"initialDelayPeriod\":\"30m\"},\"externalScaler\":{\"enable\":true}}}",
                JL_DIALECT_A,
                "vendor autoScalingConfig.autoSetResources.lowerBoundComputePercentile "
                "autoScalingConfig.autoSetResources.minVRAMResourcesRatio "
                "autoScalingConfig.autoSetResources.initialDelayPeriod "
                "autoScalingConfig.externalScaler ");
    assert_lost("{\"autoScalingConfig\":{\"autoSetResources\":{\"updateThreshold\":\"0.1\","
                "\"marginFraction\":\"0.2\"}}}",
                JL_DIALECT_B, "autoScalingConfig.autoSetResources.updateThreshold ");
    assert_lost("{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":false,"
                "\"ignoredDeltaRange\":\"5%\"},\"autoSetReplicas\":{}}}",
                JL_DIALECT_C, "autoScalingConfig.autoSetLimits.ignoredDeltaRange ");
}

#define SMALL_A                                                   \
    "{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true," \
    "\"extraTFlopsBufferRatio\":\"20%\",\"scaleUpStep\":\"200%\"}}}"

/* What an operator may write where the conversion to C wrote something else. */
static struct json_object *edited(const char *old_text, const char *new_text)
{
    struct json_object *a = object_of(SMALL_A);
    struct json_object *c = converted(a, JL_DIALECT_C);
    char text[4096];
    const char *printed = text_of(jl_fusion_member(c, "spec"));
    const char *at = strstr(printed, old_text);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - printed), printed, new_text,
             at + strlen(old_text));
    json_object_object_add(c, "spec", json_tokener_parse(text));
    json_object_put(a);
    return c;
}

static void fields_that_mean_the_same_do_not_spoil_the_annotation(void **state)
{
    static const char *const texts[][2] = {
        { "\"marginFraction\":\"0.2\"", "\"marginFraction\":\"20%\"" },
        { "\"marginFraction\":\"0.2\"",
          "\"marginFraction\":\"0.200\",\"minVRAMResourcesRatio\":\"\"" },
        { "\"targetResource\":\"all\"", "\"targetResource\":\"\"" },
        { "{\"autoScalingConfig\"", "{\"isolation\":\"soft\",\"autoScalingConfig\"" },
        { "{\"autoScalingConfig\"", "{\"gpuCount\":0,\"autoScalingConfig\"" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct json_object *c = edited(texts[i][0], texts[i][1]);
        struct json_object *a = converted(c, JL_DIALECT_A);
        struct json_object *block = value_at(a, "spec.autoScalingConfig.autoSetLimits");
        assert_string_equal(json_object_get_string(jl_fusion_member(block, "scaleUpStep")), "200%");
        assert_null(annotation_of(a));
        assert_null(value_at(a, "spec.isolation"));
        json_object_put(a);
        json_object_put(c);
    }
}

static void an_annotation_that_does_not_fit_is_dropped_with_a_warning(void **state)
{
    static const char *const texts[][2] = {
        { "\"marginFraction\":\"0.2\"", "\"marginFraction\":\"0.3\"" },
        { "\"enable\":true,", "" },
        { "{\"autoScalingConfig\"", "{\"isolation\":\"hard\",\"autoScalingConfig\"" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct json_object *c = edited(texts[i][0], texts[i][1]);
        struct conversion conversion;
        convert(c, JL_DIALECT_A, 0, &conversion);
        assert_int_equal(conversion.rc, 0);
        assert_true(has_warning(&conversion, "StaleAnnotation",
                                "metadata.annotations." JL_CONVERT_ANNOTATION));
        assert_null(
            value_at(conversion.made.object, "spec.autoScalingConfig.autoSetLimits.scaleUpStep"));
        clear(&conversion);
        json_object_put(c);
    }
}

static void an_annotation_that_is_no_block_is_stale(void **state)
{
    static const char *const texts[] = { "",
                                         "{",
                                         "[]",
                                         "{\"dialect\":\"mixed\"}",
                                         "{\"dialect\":\"C\",\"spec\":[]}",
                                         "{\"dialect\":\"C\"}{}" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct json_object *object = object_of(SMALL_A);
        struct json_object *annotations = json_object_new_object();
        struct conversion conversion;
        json_object_object_add(annotations, JL_CONVERT_ANNOTATION,
                               json_object_new_string(texts[i]));
        json_object_object_add(jl_fusion_member(object, "metadata"), "annotations", annotations);
        convert(object, JL_DIALECT_C, 0, &conversion);
        assert_int_equal(conversion.rc, 0);
        assert_true(has_warning(&conversion, "StaleAnnotation", NULL));
        clear(&conversion);
        json_object_put(object);
    }
}

static void a_percent_of_an_unknown_gpu_needs_its_model(void **state)
{
    struct conversion conversion;
    struct json_object *object = object_of("{\"resources\":{\"limits\":{\"compute\":\"50\"}}}");
    (void)state;
    convert(object, JL_DIALECT_B, 0, &conversion);
    assert_int_equal(conversion.rc, JOULIE_E_UNSUPPORTED);
    assert_string_equal(conversion.err.where, "spec.resources.limits.compute");
    assert_true(jl_starts_with(conversion.err.message, "NeedsGpuModel"));
    clear(&conversion);
    json_object_put(object);
}

static void the_model_of_the_object_gives_the_capacity(void **state)
{
    struct conversion conversion;
    struct json_object *object =
        object_of("{\"gpuModel\":\"A100\",\"resources\":{\"requests\":{\"compute\":50},"
                  "\"limits\":{\"compute\":\"100\",\"vram\":\"4Gi\"}}}");
    (void)state;
    convert(object, JL_DIALECT_A, 0, &conversion);
    assert_int_equal(conversion.rc, 0);
    assert_true(has_warning(&conversion, "AmbiguousGpuModel", "spec.gpuModel"));
    assert_string_equal(
        text_of(value_at(conversion.made.object, "spec.resources")),
        "{\"requests\":{\"tflops\":\"156\"},\"limits\":{\"vram\":\"4Gi\",\"tflops\":\"312\"}}");
    clear(&conversion);
    json_object_put(object);
}

static void a_value_that_cannot_be_read_is_left_out_with_a_warning(void **state)
{
    struct conversion conversion;
    struct json_object *object = object_of(
        "{\"autoScalingConfig\":{\"autoSetRequests\":{\"enable\":true,\"aggregationPeriod\":"
        "\"soon\",\"percentileForAutoRequests\":\"1000\"}}}");
    (void)state;
    convert(object, JL_DIALECT_C, 0, &conversion);
    assert_int_equal(conversion.rc, 0);
    assert_true(has_warning(&conversion, "InvalidField",
                            "spec.autoScalingConfig.autoSetRequests.aggregationPeriod"));
    assert_true(has_warning(&conversion, "InvalidField",
                            "spec.autoScalingConfig.autoSetRequests.percentileForAutoRequests"));
    assert_string_equal(text_of(value_at(conversion.made.object, "spec.autoScalingConfig")),
                        "{\"autoSetResources\":{\"enable\":true,\"targetResource\":\"all\"}}");
    clear(&conversion);
    json_object_put(object);
}

static void a_member_of_another_type_is_reported_by_its_path(void **state)
{
    static const char *const cases[][2] = {
        { "{\"autoScalingConfig\":{\"autoSetLimits\":7}}", "spec.autoScalingConfig.autoSetLimits" },
        { "{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":\"yes\"}}}",
          "spec.autoScalingConfig.autoSetLimits.enable" },
        { "{\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,"
          "\"ignoredDeltaRange\":0.1}}}",
          "spec.autoScalingConfig.autoSetLimits.ignoredDeltaRange" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        struct conversion conversion;
        struct json_object *object = object_of(cases[i][0]);
        convert(object, JL_DIALECT_C, 0, &conversion);
        assert_int_equal(conversion.rc, JOULIE_E_TYPE);
        assert_string_equal(conversion.err.where, cases[i][1]);
        clear(&conversion);
        json_object_put(object);
    }
}

static void a_conversion_without_loss_leaves_no_annotation(void **state)
{
    struct json_object *object =
        object_of("{\"autoScalingConfig\":{\"autoSetResources\":{\"enable\":true,"
                  "\"targettflopspercentile\":\"0.9\",\"historyLength\":\"24h\"}}}");
    struct json_object *c = converted(object, JL_DIALECT_C);
    (void)state;
    assert_null(annotation_of(c));
    assert_null(value_at(c, "metadata.annotations"));
    json_object_put(c);
    json_object_put(object);
}

static void other_objects_are_refused(void **state)
{
    static const struct {
        const char *text;
        const char *where;
        int code;
    } cases[] = {
        { "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\"}", "apiVersion",
          JOULIE_E_ENUM },
        { "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"GPUPool\"}", "kind", JOULIE_E_ENUM },
        { "{\"apiVersion\":\"tensor-fusion.ai/v2\",\"kind\":\"WorkloadProfile\"}", "apiVersion",
          JOULIE_E_UNSUPPORTED },
        { "{\"kind\":\"WorkloadProfile\"}", "apiVersion", JOULIE_E_REQUIRED },
        { "{\"apiVersion\":1,\"kind\":\"WorkloadProfile\"}", "apiVersion", JOULIE_E_TYPE },
        { "[]", "", JOULIE_E_TYPE },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(cases); i++) {
        struct conversion conversion;
        struct json_object *object = json_tokener_parse(cases[i].text);
        convert(object, JL_DIALECT_A, 0, &conversion);
        assert_int_equal(conversion.rc, cases[i].code);
        assert_string_equal(conversion.err.where, cases[i].where);
        clear(&conversion);
        json_object_put(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_that_a_dialect_lacks_is_reported_by_its_path),
        cmocka_unit_test(fields_that_mean_the_same_do_not_spoil_the_annotation),
        cmocka_unit_test(an_annotation_that_does_not_fit_is_dropped_with_a_warning),
        cmocka_unit_test(an_annotation_that_is_no_block_is_stale),
        cmocka_unit_test(a_percent_of_an_unknown_gpu_needs_its_model),
        cmocka_unit_test(the_model_of_the_object_gives_the_capacity),
        cmocka_unit_test(a_value_that_cannot_be_read_is_left_out_with_a_warning),
        cmocka_unit_test(a_member_of_another_type_is_reported_by_its_path),
        cmocka_unit_test(a_conversion_without_loss_leaves_no_annotation),
        cmocka_unit_test(other_objects_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
