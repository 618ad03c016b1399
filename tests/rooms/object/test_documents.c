/* SPDX-License-Identifier: Apache-2.0 */

/* Documents in and out: nothing is lost, and what is wrong is reported with its place. */

#include <json-c/json.h>
#include <stdio.h>

#include "base/buffer.h"
#include "object/objects.h"

#define FOREIGN_HEAD HEAD ",\"metadata\":{\"name\":\"n1\"}"

static const char *const vector_files[] = {
    "tests/vectors/joulie-control-2.1-validate-NodePowerProfile.json",
    "tests/vectors/joulie-control-2.2-validate-TelemetryProfile.json",
    "tests/vectors/joulie-control-2.3-validate-NodeHardware.json",
    "tests/vectors/joulie-control-2.4-validate-NodeTwin.json",
    "tests/vectors/joulie-control-2.5-validate-WorkloadProfile.json",
};

typedef void case_fn(const char *text, struct json_object *document, struct json_object *error);

static size_t for_each_case(case_fn *visit)
{
    size_t count = 0;
    for (size_t i = 0; i < JL_COUNT(vector_files); i++) {
        struct json_object *file = json_object_from_file(vector_files[i]);
        struct json_object *cases = json_object_object_get(file, "cases");
        assert_non_null(cases);
        for (size_t k = 0; k < json_object_array_length(cases); k++) {
            struct json_object *test = json_object_array_get_idx(cases, k);
            struct json_object *in = json_object_object_get(test, "in");
            visit(json_object_to_json_string_ext(in, JSON_C_TO_STRING_PLAIN), in,
                  json_object_object_get(test, "error"));
            count++;
        }
        json_object_put(file);
    }
    return count;
}

static void assert_outcome(const char *text, int code, const struct joulie_error *err,
                           struct json_object *expected)
{
    if (!expected) {
        if (code != JOULIE_OK)
            fail_msg("%s\n%s: %s", text, err->where, err->message);
        return;
    }
    const char *word = json_object_get_string(json_object_object_get(expected, "code"));
    const char *where = json_object_get_string(json_object_object_get(expected, "where"));
    if (strcmp(joulie_code_word(code), word) != 0 || (where && strcmp(err->where, where) != 0))
        fail_msg("%s\n%s at %s, not %s at %s", text, joulie_code_word(code), err->where, word,
                 where ? where : "?");
}

static void parse_and_validate(const char *text, struct json_object *document,
                               struct json_object *expected)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    (void)document;
    int rc = joulie_object_parse(text, strlen(text), NULL, 0, &object, &err);
    assert_outcome(text, rc, &err, expected);
    joulie_object_free(object);

    object = NULL;
    rc = joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, &err);
    if (rc == JOULIE_OK)
        rc = joulie_object_validate(object, &err);
    assert_outcome(text, rc, &err, expected);
    joulie_object_free(object);
}

static void each_vector_of_validate_has_its_code_and_its_place(void **state)
{
    (void)state;
    assert_true(for_each_case(parse_and_validate) >= 544);
}

static void print_and_compare(const char *text, struct json_object *document,
                              struct json_object *expected)
{
    struct joulie_object *object = NULL;
    (void)expected;
    if (joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, NULL) != 0)
        return; /* of no kind */
    for (int form = JOULIE_FORM_LINE; form <= JOULIE_FORM_YAML; form++) {
        struct joulie_object *again = NULL;
        char *printed = NULL;
        char *line = line_of(object);
        assert_int_equal(joulie_object_print(object, form, &printed, NULL), JOULIE_OK);
        assert_int_equal(joulie_object_parse(printed, strlen(printed), NULL, JOULIE_OBJECT_LENIENT,
                                             &again, NULL),
                         JOULIE_OK);
        assert_line(again, line);
        joulie_object_free(again);
        joulie_free(printed);
        if (form == JOULIE_FORM_LINE) {
            struct json_object *tree = json_tokener_parse(line);
            if (!json_object_equal(tree, document))
                fail_msg("%s\nbecame\n%s", text, line);
            json_object_put(tree);
        }
        joulie_free(line);
    }
    joulie_object_free(object);
}

static void each_vector_comes_back_in_every_form(void **state)
{
    (void)state;
    assert_true(for_each_case(print_and_compare) >= 544);
}

static void foreign_members_and_the_digits_of_numbers_stay(void **state)
{
    static const char text[] =
        "{" FOREIGN_HEAD ",\"spec\":{\"nodeName\":\"n1\",\"profile\":\"turbo\",\"cpu\":"
        "{\"packagePowerCapPctOfMax\":60.0,\"new\":[1.10,-0,-0.0,1E3,1e-400,{\"b\":1,\"a\":null}]},"
        "\"more\":{}},\"status\":{\"predictedPsuStressScore\":0.30000000000000004,\"big\":"
        "[9223372036854775807,-9223372036854775808,18446744073709551615,18446744073709551616,"
        "123456789012345678901234567890]},\"extra\":{\"z\":\"\xC3\xA9\",\"a\":true}}";
    struct joulie_object *object = object_of(text, JOULIE_OBJECT_LENIENT);
    struct joulie_object *copy = NULL;
    (void)state;
    assert_line(object, text);
    assert_int_equal(joulie_object_copy(object, &copy, NULL), JOULIE_OK);
    joulie_object_free(object);
    assert_line(copy, text);
    joulie_object_free(copy);
}

static void members_are_printed_in_the_order_of_the_kind(void **state)
{
    struct joulie_object *object = object_of(
        "{\"zz\":1,\"status\":{\"lastUpdated\":\"x\",\"foreign\":2,\"schedulableClass\":\"eco\"},"
        "\"spec\":{\"profile\":\"eco\",\"nodeName\":\"n\"},\"kind\":\"NodeTwin\","
        "\"metadata\":{\"revision\":3,\"labels\":{\"b\":\"1\",\"a\":\"2\"},\"name\":\"n\"},"
        "\"apiVersion\":\"joulie.io/v1alpha1\"}",
        JOULIE_OBJECT_LENIENT);
    (void)state;
    assert_line(object,
                "{" HEAD ",\"metadata\":{\"name\":\"n\",\"labels\":{\"b\":\"1\",\"a\":\"2\"},"
                "\"revision\":3},\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\"},"
                "\"status\":{\"schedulableClass\":\"eco\",\"lastUpdated\":\"x\",\"foreign\":2},"
                "\"zz\":1}");
    joulie_object_free(object);
}

static void items_of_lists_have_the_order_of_their_rows(void **state)
{
    struct joulie_object *object =
        object_of("{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                  "\"metadata\":{\"name\":\"h\"},\"spec\":{\"nodeName\":\"h\"},\"status\":{\"cpu\":"
                  "{\"packages\":[{\"maxWatts\":270,\"index\":1},{\"index\":0}]}}}",
                  0);
    (void)state;
    assert_line(object, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                        "\"metadata\":{\"name\":\"h\"},\"spec\":{\"nodeName\":\"h\"},\"status\":"
                        "{\"cpu\":{\"packages\":[{\"index\":1,\"maxWatts\":270},{\"index\":0}]}}}");
    joulie_object_free(object);
}

static void a_problem_of_yaml_has_its_line(void **state)
{
    static const char text[] = "apiVersion: joulie.io/v1alpha1\n"
                               "kind: NodeTwin\n"
                               "metadata: {name: n}\n"
                               "spec:\n"
                               "  nodeName: n\n"
                               "  profile: eco\n"
                               "  cpu:\n"
                               "    packagePowerCapPctOfMax: 130\n";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    double pct = 0;
    (void)state;
    assert_int_equal(joulie_object_parse(text, strlen(text), NULL, 0, &object, &err),
                     JOULIE_E_RANGE);
    assert_string_equal(err.where, "spec.cpu.packagePowerCapPctOfMax");
    assert_string_equal(err.message, "130 is above 100");
    assert_int_equal(err.line, 8);
    assert_null(object);

    object = object_of(text, JOULIE_OBJECT_LENIENT);
    assert_int_equal(joulie_object_get_number(object, err.where, &pct, NULL), 1);
    assert_near(pct, 130, 0);
    assert_int_equal(joulie_object_validate(object, &err), JOULIE_E_RANGE);
    assert_int_equal(err.line, 0);
    assert_string_equal(err.where, "spec.cpu.packagePowerCapPctOfMax");
    joulie_object_free(object);
}

static void an_item_of_a_core_list_gets_its_kind(void **state)
{
    static const char pod[] = "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"}}";
    static const char hardware[] = "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"nodeName\":\"h\"}}";
    struct joulie_object *object = NULL;
    (void)state;
    assert_int_equal(joulie_object_parse(pod, strlen(pod), "Pod", 0, &object, NULL), JOULIE_OK);
    assert_string_equal(joulie_object_api_version(object), "v1");
    assert_string_equal(joulie_object_kind(object), "Pod");
    assert_string_equal(joulie_object_name(object), "p");
    assert_string_equal(joulie_object_namespace(object), "d");
    assert_line(object, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
                        "\"namespace\":\"d\"}}");
    joulie_object_free(object);

    assert_int_equal(joulie_object_parse(hardware, strlen(hardware), "nhw", 0, &object, NULL),
                     JOULIE_OK);
    assert_string_equal(joulie_object_kind(object), "NodeHardware");
    assert_null(joulie_object_namespace(object));
    joulie_object_free(object);
}

struct refusal {
    const char *text;
    const char *kind;
    uint32_t flags;
    int code;
    const char *where;
};

static void what_is_no_object_of_a_kind_is_refused_even_leniently(void **state)
{
    static const struct refusal refusals[] = {
        { "", NULL, 1, JOULIE_E_PARSE, NULL },
        { "{", NULL, 1, JOULIE_E_PARSE, NULL },
        { "{" HEAD "} x", NULL, 1, JOULIE_E_PARSE, NULL },
        { "[]", NULL, 1, JOULIE_E_TYPE, "" },
        { "[]", "pod", 1, JOULIE_E_TYPE, "" },
        { "null", "pod", 1, JOULIE_E_TYPE, "" },
        { "{}", NULL, 1, JOULIE_E_REQUIRED, "apiVersion" },
        { "{\"apiVersion\":\"v1\"}", NULL, 1, JOULIE_E_REQUIRED, "kind" },
        { "{\"apiVersion\":\"v1\",\"kind\":7}", NULL, 1, JOULIE_E_TYPE, "kind" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Secret\"}", NULL, 1, JOULIE_E_UNSUPPORTED, "kind" },
        { "{\"apiVersion\":\"v9\",\"kind\":\"Pod\"}", NULL, 1, JOULIE_E_UNSUPPORTED, "apiVersion" },
        { "{\"apiVersion\":\"v9\",\"kind\":\"Pod\"}", "Pod", 1, JOULIE_E_UNSUPPORTED,
          "apiVersion" },
        { "{" HEAD "}", "Pod", 1, JOULIE_E_ENUM, "kind" },
        { "{" HEAD "}", "Pod", 0, JOULIE_E_ENUM, "kind" },
        { "{" HEAD "}", "Secret", 1, JOULIE_E_UNSUPPORTED, "kind" },
        { "{" HEAD "}", NULL, 2, JOULIE_E_UNSUPPORTED, "flags" },
        { "{" HEAD ",\"spec\":{\"cpu\":{\"packagePowerCapWatts\":1e999}}}", NULL, 1, JOULIE_E_RANGE,
          "spec.cpu.packagePowerCapWatts" },
        { "{" HEAD ",\"spec\":{\"profile\":\"eco\",\"profile\":\"eco\"}}", NULL, 0, JOULIE_E_PARSE,
          "spec.profile" },
        { "{" HEAD ",\"metadata\":{\"a\":1,\"a\":1}}", NULL, 0, JOULIE_E_PARSE, "metadata.a" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(refusals); i++) {
        const struct refusal *refusal = &refusals[i];
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_object *object = NULL;
        const int rc = joulie_object_parse(refusal->text, strlen(refusal->text), refusal->kind,
                                           refusal->flags, &object, &err);
        if (rc != refusal->code || object || err.code != rc ||
            (refusal->where && strcmp(err.where, refusal->where) != 0))
            fail_msg("%s: %d at %s: %s", refusal->text, rc, err.where, err.message);
    }
    assert_int_equal(joulie_object_parse(NULL, 0, NULL, 0, NULL, NULL), JOULIE_E_PARSE);
}

static void of_a_member_given_twice_the_last_one_counts_when_lenient(void **state)
{
    struct joulie_object *object =
        object_of("{" HEAD ",\"spec\":{\"profile\":\"eco\",\"profile\":\"performance\"}}", 1);
    (void)state;
    assert_line(object, "{" HEAD ",\"spec\":{\"profile\":\"performance\"}}");
    joulie_object_free(object);
}

static void put_times(struct jl_buffer *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        jl_put_string(out, text);
}

static int outcome_of(const struct jl_buffer *text, uint32_t flags)
{
    struct joulie_object *object = NULL;
    const int rc = joulie_object_parse(text->data, text->len, NULL, flags, &object, NULL);
    joulie_object_free(object);
    return rc;
}

static void nesting_ends_at_its_limit(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    for (size_t inner = 127; inner <= 128; inner++) { /* and the object around them */
        jl_buffer_reset(&text);
        jl_put_string(&text, "{" HEAD ",\"extra\":");
        put_times(&text, "[", inner);
        put_times(&text, "]", inner);
        jl_put_char(&text, '}');
        assert_int_equal(outcome_of(&text, JOULIE_OBJECT_LENIENT),
                         inner == 127 ? JOULIE_OK : JOULIE_E_LIMIT);
    }
    jl_buffer_clear(&text);
}

static void documents_end_at_their_limit(void **state)
{
    const size_t most = (size_t)16 << 20;
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, "{" HEAD ",\"extra\":\"");
    while (text.len < most - 2)
        jl_put_char(&text, 'x');
    jl_put_string(&text, "\"}");
    assert_int_equal(text.len, most);
    assert_int_equal(outcome_of(&text, JOULIE_OBJECT_LENIENT), JOULIE_OK);
    text.data[text.len - 1] = ' ';
    jl_put_char(&text, '}');
    assert_int_equal(outcome_of(&text, JOULIE_OBJECT_LENIENT), JOULIE_E_LIMIT);
    jl_buffer_clear(&text);
}

static void a_list_of_many_devices_is_read_and_printed(void **state)
{
    static const char device[] = "{\"id\":\"GPU-%05zu\",\"maxWatts\":700}";
    struct jl_buffer text = { 0 };
    char *printed;
    size_t count = 0;
    (void)state;
    jl_put_string(&text, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                         "\"metadata\":{\"name\":\"h\"},\"spec\":{\"nodeName\":\"h\"},"
                         "\"status\":{\"gpu\":{\"devices\":[");
    for (size_t i = 0; i < 20000; i++) {
        char item[64];
        snprintf(item, sizeof item, device, i);
        jl_put_string(&text, i > 0 ? "," : "");
        jl_put_string(&text, item);
    }
    jl_put_string(&text, "]}}}");
    struct joulie_object *object = object_of(text.data, 0);
    assert_int_equal(joulie_object_count(object, "status.gpu.devices", &count, NULL), 1);
    assert_int_equal(count, 20000);
    printed = line_of(object);
    assert_string_equal(printed, text.data);
    joulie_free(printed);
    joulie_object_free(object);
    jl_buffer_clear(&text);
}

static void a_new_object_is_filled_and_valid(void **state)
{
    struct joulie_object *object = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)state;
    assert_int_equal(joulie_object_new(JOULIE_V1ALPHA1_API_VERSION, JOULIE_V1ALPHA1_KIND_NODE_TWIN,
                                       &object, NULL),
                     JOULIE_OK);
    assert_line(object, "{" HEAD "}");
    assert_null(joulie_object_name(object));
    assert_int_equal(joulie_object_set_text(object, "metadata.name", "n", NULL), JOULIE_OK);
    assert_int_equal(joulie_object_set_text(object, "spec.profile", "eco", NULL), JOULIE_OK);
    assert_int_equal(joulie_object_validate(object, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "spec.nodeName");
    assert_int_equal(joulie_object_set_text(object, "spec.nodeName", "n", NULL), JOULIE_OK);
    assert_int_equal(joulie_object_validate(object, &err), JOULIE_OK);
    assert_string_equal(joulie_object_name(object), "n");
    joulie_object_free(object);

    assert_int_equal(joulie_object_new(NULL, "pods", &object, NULL), JOULIE_OK);
    assert_string_equal(joulie_object_api_version(object), "v1");
    joulie_object_free(object);
    object = NULL;
    assert_int_equal(joulie_object_new("v2", "Pod", &object, &err), JOULIE_E_UNSUPPORTED);
    assert_string_equal(err.where, "apiVersion");
    assert_int_equal(joulie_object_new(NULL, NULL, &object, &err), JOULIE_E_UNSUPPORTED);
    assert_null(object);
    joulie_object_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vector_of_validate_has_its_code_and_its_place),
        cmocka_unit_test(each_vector_comes_back_in_every_form),
        cmocka_unit_test(foreign_members_and_the_digits_of_numbers_stay),
        cmocka_unit_test(members_are_printed_in_the_order_of_the_kind),
        cmocka_unit_test(items_of_lists_have_the_order_of_their_rows),
        cmocka_unit_test(a_problem_of_yaml_has_its_line),
        cmocka_unit_test(an_item_of_a_core_list_gets_its_kind),
        cmocka_unit_test(what_is_no_object_of_a_kind_is_refused_even_leniently),
        cmocka_unit_test(of_a_member_given_twice_the_last_one_counts_when_lenient),
        cmocka_unit_test(nesting_ends_at_its_limit),
        cmocka_unit_test(documents_end_at_their_limit),
        cmocka_unit_test(a_list_of_many_devices_is_read_and_printed),
        cmocka_unit_test(a_new_object_is_filled_and_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
