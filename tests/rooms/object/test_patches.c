/* SPDX-License-Identifier: Apache-2.0 */

/* Objects compared and patched. */

#include "base/text.h"
#include "object/objects.h"

#define TWIN \
    "{" HEAD ",\"metadata\":{\"name\":\"n\"},\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\""

static void assert_diff(const char *before, const char *after, const char *expected)
{
    struct joulie_object *old = object_of(before, JOULIE_OBJECT_LENIENT);
    struct joulie_object *young = object_of(after, JOULIE_OBJECT_LENIENT);
    char *patch = NULL;
    assert_int_equal(joulie_object_diff(old, young, &patch, NULL), JOULIE_OK);
    assert_string_equal(patch, expected);
    assert_line(old, before);

    assert_int_equal(joulie_object_patch(old, patch, strlen(patch), JOULIE_OBJECT_LENIENT, NULL),
                     JOULIE_OK);
    joulie_free(patch);
    assert_int_equal(joulie_object_diff(old, young, &patch, NULL), JOULIE_OK);
    assert_string_equal(patch, "{}");
    joulie_free(patch);
    joulie_object_free(old);
    joulie_object_free(young);
}

static void a_difference_is_the_smallest_merge_patch(void **state)
{
    (void)state;
    assert_diff(TWIN "}}", TWIN "}}", "{}");
    assert_diff(TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60}}}",
                TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60.0}}}", "{}");
    assert_diff(TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60}}}",
                TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":70.50}}}",
                "{\"spec\":{\"cpu\":{\"packagePowerCapPctOfMax\":70.50}}}");
    assert_diff(TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60}},\"extra\":1}",
                TWIN "},\"status\":{\"schedulableClass\":\"eco\"}}",
                "{\"spec\":{\"cpu\":null},\"status\":{\"schedulableClass\":\"eco\"},"
                "\"extra\":null}");
}

struct change {
    const char *patch;
    uint32_t flags;
    int code;
    const char *expected; /* what is printed, or where the problem is */
};

static void a_patch_is_applied_or_nothing_is(void **state)
{
    static const char before[] = TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60.0}},\"x\":[1.0,2]}";
    static const struct change changes[] = {
        { "{}", 1, JOULIE_OK, before },
        { "{\"x\":null}", 0, JOULIE_OK, TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60.0}}}" },
        { "x: null\nspec: {cpu: {packagePowerCapPctOfMax: 0x2A}}\n", 0, JOULIE_OK,
          TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":42}}}" },
        { "[{\"op\":\"remove\",\"path\":\"/x\"},{\"op\":\"replace\",\"path\":"
          "\"/spec/cpu/packagePowerCapPctOfMax\",\"value\":55.50}]",
          0, JOULIE_OK, TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":55.50}}}" },
        { "[{\"op\":\"copy\",\"from\":\"/x\",\"path\":\"/y\"}]", 1, JOULIE_OK,
          TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":60.0}},\"x\":[1.0,2],\"y\":[1.0,2]}" },
        { "{\"spec\":{\"cpu\":{\"packagePowerCapPctOfMax\":101}}}", 1, JOULIE_OK,
          TWIN ",\"cpu\":{\"packagePowerCapPctOfMax\":101}},\"x\":[1.0,2]}" },
        { "{}", 0, JOULIE_E_UNKNOWN_MEMBER, "x" },
        { "{\"x\":null,\"spec\":{\"cpu\":{\"packagePowerCapPctOfMax\":101}}}", 0, JOULIE_E_RANGE,
          "spec.cpu.packagePowerCapPctOfMax" },
        { "{\"x\":null,\"spec\":{\"nodeName\":null}}", 0, JOULIE_E_REQUIRED, "spec.nodeName" },
        { "{\"x\":null,\"spec\":{\"profile\":\"\"}}", 0, JOULIE_E_ENUM, "spec.profile" },
        { "{\"x\":null,\"spec\":[]}", 0, JOULIE_E_TYPE, "spec" },
        { "{\"kind\":\"Pod\"}", 1, JOULIE_E_UNSUPPORTED, NULL },
        { "{\"kind\":null}", 1, JOULIE_E_UNSUPPORTED, NULL },
        { "{\"apiVersion\":5}", 1, JOULIE_E_UNSUPPORTED, NULL },
        { "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]", 1, JOULIE_E_UNSUPPORTED, NULL },
        { "[{\"op\":\"remove\",\"path\":\"\"}]", 1, JOULIE_E_UNSUPPORTED, NULL },
        { "[{\"op\":\"remove\",\"path\":\"/x\"},{\"op\":\"test\",\"path\":\"/spec/nodeName\","
          "\"value\":\"m\"}]",
          1, JOULIE_E_CONFLICT, "patch[1]" },
        { "[{\"op\":\"remove\",\"path\":\"x\"}]", 1, JOULIE_E_PARSE, "patch[0].path" },
        { "[{\"op\":\"remove\"}]", 1, JOULIE_E_REQUIRED, "patch[0].path" },
        { "[{\"op\":\"eat\",\"path\":\"/x\"}]", 1, JOULIE_E_ENUM, "patch[0].op" },
        { "[5]", 1, JOULIE_E_TYPE, NULL },
        { "7", 1, JOULIE_E_TYPE, "patch" },
        { "{", 1, JOULIE_E_PARSE, NULL },
        { "{\"x\":1,\"x\":2}", 1, JOULIE_E_PARSE, "x" },
        { "{}", 8, JOULIE_E_UNSUPPORTED, "flags" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(changes); i++) {
        const struct change *change = &changes[i];
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_object *object = object_of(before, JOULIE_OBJECT_LENIENT);
        const int rc =
            joulie_object_patch(object, change->patch, strlen(change->patch), change->flags, &err);
        if (rc != change->code)
            fail_msg("%s: %d at %s: %s", change->patch, rc, err.where, err.message);
        if (rc < 0 && change->expected)
            assert_string_equal(err.where, change->expected);
        assert_line(object, rc < 0 ? before : change->expected);
        joulie_object_free(object);
    }
}

static void a_patched_object_shares_nothing_with_the_one_it_was_copied_from(void **state)
{
    struct joulie_object *object = object_of(TWIN "}}", 0);
    struct joulie_object *copy = NULL;
    (void)state;
    assert_int_equal(joulie_object_copy(object, &copy, NULL), JOULIE_OK);
    assert_int_equal(joulie_object_patch(copy, "{\"status\":{}}", 13, 0, NULL), JOULIE_OK);
    assert_int_equal(joulie_object_set_text(copy, "spec.profile", "performance", NULL), JOULIE_OK);
    assert_line(object, TWIN "}}");
    joulie_object_free(object);
    joulie_object_free(copy);
}

/* Documents of any shape: no kind, JSON alone. */
static void a_document_of_any_shape_is_patched(void **state)
{
    static const struct {
        const char *target;
        const char *patch;
        uint32_t flags;
        int code;
        const char *expected;
    } cases[] = {
        { "{\"a\":1.50,\"b\":{}}", "{\"b\":null,\"c\":2}", 0, JOULIE_OK, "{\"a\":1.50,\"c\":2}" },
        { "[1]", "[{\"op\":\"add\",\"path\":\"/-\",\"value\":2}]", 0, JOULIE_OK, "[1,2]" },
        { "{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":2}]", 0, JOULIE_E_CONFLICT,
          "patch[0]" },
        { "{}", "{\"a\":{\"b\":1,\"b\":2}}", 0, JOULIE_E_PARSE, "a.b" },
        { "{}", "{\"a\":{\"b\":1,\"b\":2}}", JOULIE_OBJECT_LENIENT, JOULIE_OK,
          "{\"a\":{\"b\":2}}" },
        { "{}", "3", 0, JOULIE_E_TYPE, "patch" },
        { "{}", "{'a':1}", 0, JOULIE_E_PARSE, "" },
        { "{}", "{} {}", 0, JOULIE_E_PARSE, "line 1" },
        { "a: 1", "{}", 0, JOULIE_E_PARSE, "" },
        { "{}", "{}", 8, JOULIE_E_UNSUPPORTED, "flags" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *out = NULL;
        const int rc = joulie_patch(cases[i].target, strlen(cases[i].target), cases[i].patch,
                                    strlen(cases[i].patch), cases[i].flags, &out, &err);
        assert_int_equal(rc, cases[i].code);
        assert_string_equal(rc < 0 ? err.where : out, cases[i].expected);
        joulie_free(out);
    }
    char *out = NULL;
    assert_int_equal(joulie_patch(NULL, 0, "{}", 2, 0, &out, NULL), JOULIE_E_PARSE);
}

static void each_of_our_kinds_has_a_definition(void **state)
{
    size_t count[2] = { 0, 0 };
    char *yaml = NULL;
    (void)state;
    for (int is_legacy = 0; is_legacy < 2; is_legacy++) {
        while (joulie_crd(NULL, count[is_legacy], is_legacy, &yaml, NULL) == JOULIE_OK) {
            assert_int_equal(strncmp(yaml, "---\n", 4), 0);
            joulie_free(yaml);
            count[is_legacy]++;
        }
        assert_int_equal(joulie_crd(NULL, count[is_legacy], is_legacy, &yaml, NULL),
                         JOULIE_E_NOT_FOUND);
    }
    assert_true(count[0] >= 3 && count[1] >= 1);
    assert_int_equal(joulie_crd("nodetwins", 0, 0, &yaml, NULL), JOULIE_OK);
    assert_non_null(strstr(yaml, "name: nodetwins.joulie.io"));
    joulie_free(yaml);
    assert_int_equal(joulie_crd("pod", 0, 0, &yaml, NULL), JOULIE_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_is_the_smallest_merge_patch),
        cmocka_unit_test(a_patch_is_applied_or_nothing_is),
        cmocka_unit_test(a_document_of_any_shape_is_patched),
        cmocka_unit_test(each_of_our_kinds_has_a_definition),
        cmocka_unit_test(a_patched_object_shares_nothing_with_the_one_it_was_copied_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
