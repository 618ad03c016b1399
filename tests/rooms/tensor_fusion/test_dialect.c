/* SPDX-License-Identifier: Apache-2.0 */

/* Which dialect an object or a CRD is written in (docs/rules/tensor-fusion.md#detection). */

#include <stdio.h>

#include "support/test.h"
#include "tensor_fusion/dialect.h"

static enum jl_dialect of_object(const char *text)
{
    struct json_object *tree = json_tokener_parse(text);
    assert_non_null(tree);
    const enum jl_dialect dialect = jl_dialect_of(tree);
    json_object_put(tree);
    return dialect;
}

static enum jl_dialect of_block(const char *block)
{
    char text[512];
    snprintf(text, sizeof text, "{\"spec\":{\"autoScalingConfig\":%s}}", block);
    return of_object(text);
}

/* A CRD whose block has these properties. */
static enum jl_dialect of_crd(const char *group, const char *version, const char *properties)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"spec\":{\"group\":\"%s\",\"versions\":[{\"name\":\"v0\"},{\"name\":\"%s\","
             "\"schema\":{\"openAPIV3Schema\":{\"properties\":{\"spec\":{\"properties\":{"
             "\"autoScalingConfig\":{\"properties\":%s}}}}}}}]}}",
             group, version, properties);
    struct json_object *tree = json_tokener_parse(text);
    assert_non_null(tree);
    const enum jl_dialect dialect = jl_dialect_of_crd(tree);
    json_object_put(tree);
    return dialect;
}

static void marks_of_both_a_and_a_later_dialect_are_mixed(void **state)
{
    (void)state;
    assert_int_equal(of_block("{\"autoSetRequests\":{},\"cronScalingRules\":[]}"),
                     JL_DIALECT_MIXED);
    assert_int_equal(of_block("{\"autoSetLimits\":{},\"autoSetResources\":"
                              "{\"historyLength\":\"1d\"}}"),
                     JL_DIALECT_MIXED);
    assert_int_equal(of_block("{\"autoSetReplicas\":{},\"externalScaler\":{}}"), JL_DIALECT_C);
}

static void a_member_that_is_null_or_of_another_type_is_no_mark(void **state)
{
    (void)state;
    assert_int_equal(of_block("{\"autoSetLimits\":null,\"externalScaler\":{}}"), JL_DIALECT_C);
    assert_int_equal(of_block("[\"autoSetLimits\"]"), JL_DIALECT_NEUTRAL);
    assert_int_equal(of_object("{\"spec\":7}"), JL_DIALECT_NEUTRAL);
    assert_int_equal(of_object("[]"), JL_DIALECT_NEUTRAL);
    assert_int_equal(jl_dialect_of(NULL), JL_DIALECT_NEUTRAL);
}

static void a_field_that_only_c_has_judges_an_otherwise_neutral_object(void **state)
{
    (void)state;
    assert_int_equal(of_object("{\"spec\":{\"isolation\":\"hard\"}}"), JL_DIALECT_C);
    assert_int_equal(of_object("{\"spec\":{\"vendor\":\"AMD\",\"autoScalingConfig\":{}}}"),
                     JL_DIALECT_C);
    assert_int_equal(of_object("{\"spec\":{\"resources\":{\"limits\":{\"compute\":\"50\"}}}}"),
                     JL_DIALECT_C);
    assert_int_equal(of_object("{\"spec\":{\"isolation\":\"hard\",\"autoScalingConfig\":"
                               "{\"autoSetReplicas\":{}}}}"),
                     JL_DIALECT_A);
    assert_int_equal(of_object("{\"spec\":{\"qos\":\"low\"}}"), JL_DIALECT_NEUTRAL);
}

static void the_crd_of_a_cluster_reports_its_dialect(void **state)
{
    (void)state;
    assert_int_equal(of_crd("tensor-fusion.ai", "v1",
                            "{\"autoSetLimits\":{},\"autoSetReplicas\":{},\"autoSetRequests\":{}}"),
                     JL_DIALECT_A);
    assert_int_equal(of_crd("tensor-fusion.ai", "v1",
                            "{\"autoSetReplicas\":{},\"autoSetResources\":{\"properties\":"
                            "{\"enable\":{},\"targettflopspercentile\":{}}}}"),
                     JL_DIALECT_B);
    assert_int_equal(of_crd("tensor-fusion.ai", "v1",
                            "{\"cronScalingRules\":{\"items\":{\"properties\":"
                            "{\"desiredReplicas\":{}}}}}"),
                     JL_DIALECT_B);
    assert_int_equal(of_crd("tensor-fusion.ai", "v1",
                            "{\"autoSetResources\":{\"properties\":{\"marginFraction\":{}}},"
                            "\"externalScaler\":{}}"),
                     JL_DIALECT_C);
}

static void a_crd_of_another_group_or_version_reports_nothing(void **state)
{
    (void)state;
    assert_int_equal(of_crd("joulie.io", "v1", "{\"autoSetLimits\":{}}"), JL_DIALECT_NEUTRAL);
    assert_int_equal(of_crd("tensor-fusion.ai", "v2", "{\"autoSetLimits\":{}}"),
                     JL_DIALECT_NEUTRAL);
    assert_int_equal(of_crd("tensor-fusion.ai", "v1", "{}"), JL_DIALECT_NEUTRAL);
    assert_int_equal(jl_dialect_of_crd(NULL), JL_DIALECT_NEUTRAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_of_both_a_and_a_later_dialect_are_mixed),
        cmocka_unit_test(a_member_that_is_null_or_of_another_type_is_no_mark),
        cmocka_unit_test(a_field_that_only_c_has_judges_an_otherwise_neutral_object),
        cmocka_unit_test(the_crd_of_a_cluster_reports_its_dialect),
        cmocka_unit_test(a_crd_of_another_group_or_version_reports_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
