/* SPDX-License-Identifier: Apache-2.0 */
/* joulie_ask() itself: questions, options, the order of checks, lines and error records. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask_tests.h"
#include "base/text.h"

#define QUANTITY "{\"text\":\"1\"}"
#define QUANTITY_ANSWER                                                                  \
    "{\"text\":\"1\",\"canonical\":\"1\",\"value\":\"1\",\"milli\":\"1000\",\"format\":" \
    "\"DecimalSI\"}"

static int ask_with(const void *options, struct joulie_error *err)
{
    char *answer = NULL;
    const int rc = joulie_ask("quantity", QUANTITY, strlen(QUANTITY), options, &answer, err);
    assert_true((rc == 0) == (answer != NULL));
    joulie_free(answer);
    return rc;
}

static void an_unknown_question_is_unsupported(void **state)
{
    (void)state;
    refuses("", "{}", JOULIE_E_UNSUPPORTED, "question");
    refuses("Predict", "{}", JOULIE_E_UNSUPPORTED, "question");
    refuses_bytes(NULL, "{}", 2, JOULIE_E_UNSUPPORTED, "question");
}

/* Asks with options of the caller's and reports how it failed. */
static struct joulie_error failure_of(const char *question, const char *text,
                                      const struct joulie_ask_options *options)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_true(joulie_ask(question, text, strlen(text), options, &answer, &err) < 0);
    assert_null(answer);
    return err;
}

static void a_slip_in_a_name_gets_the_name_that_was_meant(void **state)
{
    (void)state;
    struct joulie_error err = failure_of("predikt", "", NULL);
    assert_string_equal(err.message,
                        "this build has no question \"predikt\"; did you mean \"predict\"?");
    err = failure_of("cap.resovle", "", NULL);
    assert_non_null(strstr(err.message, "did you mean \"cap.resolve\"?"));
    err = failure_of("weather", "", NULL);
    assert_string_equal(err.message, "this build has no question \"weather\"");
}

/* A document may be long in coming: what is wrong without it is found before it is looked at. */
static void what_the_caller_says_is_checked_before_the_document(void **state)
{
    (void)state;
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    options.model = "v9";
    struct joulie_error err = failure_of("predict", "{\"broken", &options);
    assert_int_equal(err.code, JOULIE_E_UNSUPPORTED);
    assert_string_equal(err.where, "options.model");
    assert_string_equal(err.message,
                        "predict has no rule set \"v9\", it has current, v0.1.1, v0.1.0");
    assert_int_equal(err.line, 0);
}

static void assert_line(const char *question, const char *text, const char *where, uint32_t line)
{
    const struct joulie_error err = failure_of(question, text, NULL);
    assert_string_equal(err.where, where);
    assert_int_equal(err.line, line);
}

/* Also where the mistake is found after the reader has gone on. */
static void errors_stand_in_the_line_of_what_is_wrong(void **state)
{
    (void)state;
#define TWIN "apiVersion: joulie.io/v1alpha1\nkind: NodeTwin\n"
#define HARDWARE                                                                \
    "apiVersion: joulie.io/v1alpha1\nkind: NodeHardware\nmetadata: {name: a}\n" \
    "spec: {nodeName: a}\nstatus:\n  gpu:\n    devices:\n"
    assert_line("validate", TWIN "spec:\n  nodeName: a\n  profile: ecoo\n", "spec.profile", 5);
    assert_line("validate", "metadata: {name: a}\napiVersion: joulie.io/v2\nkind: NodeTwin\n",
                "apiVersion", 2);
    assert_line("validate", "metadata: {}\napiVersion: joulie.io/v1alpha1\n\nkind: NodeTwinn\n",
                "kind", 4);
    assert_line("validate", HARDWARE "    - id: a\n    - id: b\n    - id: a\n",
                "status.gpu.devices[2]", 10);
    assert_line("validate",
                "apiVersion: tensor-fusion.ai/v1\nkind: WorkloadProfile\nmetadata: {name: a}\n"
                "spec:\n  resources:\n    limits:\n      tflops: 1\n      vram: 1Gi\n"
                "    requests: {tflops: 2, vram: 1Gi}\n",
                "spec.resources.limits.tflops", 7);
    assert_line("predict",
                "{\n\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\"},\n\"hardware\":"
                "\n{\"kind\":\"NodeTwin\"}}",
                "hardware.kind", 4);
    assert_line("selector.match", "{\"selector\":\"a in\",\n\"labels\":{}}", "selector", 1);
}

static void a_flow_mapping_is_yaml(void **state)
{
    (void)state;
    answers("quantity", "{text: '1'}", QUANTITY_ANSWER);
    answers("quantity", " { text: '1' ,\n }\n", QUANTITY_ANSWER);
    refuses("quantity", "{", JOULIE_E_PARSE, "line 1");
    refuses("quantity", "{text: 1", JOULIE_E_PARSE, "line 2");
    refuses("quantity", "{\"text\": 1,}", JOULIE_E_PARSE, "line 1");
}

/* A kind's members and an object's are listed with what each is. */
static void explain_lists_members(void **state)
{
    (void)state;
    char *answer = answer_of("explain", "{\"kind\":\"nt\"}");
    assert_non_null(strstr(answer, "\"fields\":[{\"name\":\"apiVersion\",\"type\":\"string\""));
    assert_non_null(strstr(answer, "{\"name\":\"spec\",\"type\":\"object\",\"required\":false,"
                                   "\"description\":\"Desired state of the node, written by the "
                                   "operator.\"}"));
    joulie_free(answer);
    answer = answer_of("explain", "{\"kind\":\"nhw.status.gpu.devices[]\"}");
    assert_non_null(strstr(answer, "{\"name\":\"id\",\"type\":\"string\",\"required\":true,"));
    joulie_free(answer);
    answer = answer_of("explain", "{\"kind\":\"nt.spec.profile\"}");
    assert_null(strstr(answer, "fields"));
    joulie_free(answer);
}

static void a_document_of_nothing_is_no_document(void **state)
{
    (void)state;
    refuses("quantity", "", JOULIE_E_PARSE, "line 1");
    refuses("quantity", " \n# nothing\n", JOULIE_E_PARSE, "line 3");
    refuses_bytes("quantity", NULL, 0, JOULIE_E_PARSE, "line 1");
    refuses_bytes("quantity", NULL, 7, JOULIE_E_PARSE, "line 1");
}

static void a_byte_order_mark_is_not_part_of_the_document(void **state)
{
    (void)state;
    answers("quantity", "\xEF\xBB\xBF" QUANTITY, QUANTITY_ANSWER);
    answers("quantity", "\xEF\xBB\xBFtext: '1'\n", QUANTITY_ANSWER);
    answers("selector.match",
            "\xEF\xBB\xBF{\"selector\":\"!a\",\"labels\":{\"\\ud83d\\ude00\":\"b\"}}",
            "{\"match\":true}");
}

static void options_are_found_however_their_name_is_spelled(void **state)
{
    (void)state;
    refuses("quantity", "{\"text\":\"1\",\"options\":{\"model\":\"v9\"}}", JOULIE_E_UNSUPPORTED,
            "options.model");
    refuses("quantity", "{\"text\":\"1\",\"opti\\u006fns\":{\"model\":\"v9\"}}",
            JOULIE_E_UNSUPPORTED, "options.model");
    refuses("quantity", "text: '1'\noptions: {model: v9}\n", JOULIE_E_UNSUPPORTED, "options.model");
}

static void options_are_given_once(void **state)
{
    (void)state;
    refuses("quantity", "{\"options\":{\"model\":\"v9\"},\"text\":\"1\",\"options\":{}}",
            JOULIE_E_PARSE, "options");
    refuses("quantity", "{\"options\":null,\"text\":\"1\",\"options\":{}}", JOULIE_E_PARSE,
            "options");
}

static void absent_options_have_their_defaults(void **state)
{
    (void)state;
    answers("quantity", "{\"options\":null,\"text\":\"1\"}", QUANTITY_ANSWER);
    answers("quantity", "{\"options\":{},\"text\":\"1\"}", QUANTITY_ANSWER);
    answers("quantity",
            "{\"options\":{\"model\":null,\"lenient\":null,\"scoreRange\":null,\"physics\":null},"
            "\"text\":\"1\"}",
            QUANTITY_ANSWER);
}

static void options_are_checked_like_any_input(void **state)
{
    (void)state;
    refuses("quantity", "{\"options\":5}", JOULIE_E_TYPE, "options");
    refuses("quantity", "{\"options\":[]}", JOULIE_E_TYPE, "options");
    refuses("quantity", "{\"options\":{\"lenient\":1}}", JOULIE_E_TYPE, "options.lenient");
    refuses("quantity", "{\"options\":{\"scoreRange\":11}}", JOULIE_E_RANGE, "options.scoreRange");
    refuses("quantity", "{\"options\":{\"model\":\"\"}}", JOULIE_E_UNSUPPORTED, "options.model");
    refuses("quantity", "{\"options\":{\"physics\":\"x\"}}", JOULIE_E_UNSUPPORTED,
            "options.physics");
    refuses("quantity", "{\"options\":{\"nope\":1}}", JOULIE_E_UNSUPPORTED, "options.nope");
    refuses("quantity", "{\"options\":{\"model\":\"v9\",\"model\":\"current\"}}", JOULIE_E_PARSE,
            "options.model");
}

static void options_of_another_release_are_read_by_their_size(void **state)
{
    struct {
        struct joulie_ask_options options;
        uint64_t newer[4];
    } grown = { .options = { .struct_size = sizeof grown } };

    (void)state;
    assert_int_equal(ask_with(&grown, NULL), 0);
    grown.newer[3] = 1;
    assert_int_equal(ask_with(&grown, NULL), JOULIE_E_ABI);

    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    assert_int_equal(ask_with(&options, NULL), 0);
    static const size_t impossible[] = { 0, 1, sizeof(options) - 1, 4097, SIZE_MAX };
    for (size_t i = 0; i < JL_COUNT(impossible); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        options = (struct joulie_ask_options){ .struct_size = impossible[i] };
        assert_int_equal(ask_with(&options, &err), JOULIE_E_ABI);
        assert_int_equal(err.code, JOULIE_E_ABI);
        assert_string_equal(err.where, "options");
    }
}

static void an_error_record_of_impossible_size_is_left_alone(void **state)
{
    static const size_t impossible[] = { 0, 4097, SIZE_MAX };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(impossible); i++) {
        struct joulie_error err = { .struct_size = impossible[i], .code = 7 };
        char *answer = NULL;
        assert_int_equal(joulie_ask("nope", "", 0, NULL, &answer, &err), JOULIE_E_UNSUPPORTED);
        assert_int_equal(err.code, 7);
        assert_int_equal(joulie_ask_describe("nope", &answer, &err), JOULIE_E_UNSUPPORTED);
        assert_int_equal(err.code, 7);
    }
}

static void a_caller_may_do_without_an_error_record(void **state)
{
    char *answer = NULL;
    (void)state;
    assert_int_equal(joulie_ask("quantity", "{", 1, NULL, &answer, NULL), JOULIE_E_PARSE);
    assert_int_equal(joulie_ask("nope", "{", 1, NULL, &answer, NULL), JOULIE_E_UNSUPPORTED);
    assert_int_equal(joulie_ask_describe(NULL, &answer, NULL), JOULIE_E_UNSUPPORTED);
    assert_null(answer);
}

static void messages_are_utf8_whatever_was_asked(void **state)
{
    char word[400] = "{\"kind\":\"a";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    (void)state;
    for (size_t i = 0; i < 60; i++)
        strcat(word, "\xC3\xA9");
    strcat(word, "\"}");
    assert_int_equal(joulie_ask("name.object", word, strlen(word), NULL, &answer, &err),
                     JOULIE_E_ENUM);
    assert_true(jl_utf8_valid(err.message, strlen(err.message)));
    assert_non_null(strstr(err.message, "NodeTwin"));

    assert_int_equal(joulie_ask("caf\xE9", "{}", 2, NULL, &answer, &err), JOULIE_E_UNSUPPORTED);
    assert_true(jl_utf8_valid(err.message, strlen(err.message)));
    assert_non_null(strstr(err.message, "caf"));
}

struct warnings {
    size_t count;
    char where[64];
};

static void note_warning(void *user, const char *where, const char *message)
{
    struct warnings *warnings = user;
    assert_non_null(message);
    warnings->count++;
    strncpy(warnings->where, where, sizeof warnings->where - 1);
}

static void a_lenient_question_reports_what_it_skips(void **state)
{
    struct warnings warnings = { 0 };
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    const char *text = "{\"text\":\"1\",\"nope\":{\"a\":1}}";
    char *answer = NULL;
    (void)state;
    options.is_lenient = 1;
    options.on_warning = note_warning;
    options.user = &warnings;
    assert_int_equal(joulie_ask("quantity", text, strlen(text), &options, &answer, NULL), 0);
    assert_string_equal(answer, QUANTITY_ANSWER);
    assert_int_equal(warnings.count, 1);
    assert_string_equal(warnings.where, "nope");
    joulie_free(answer);
}

/* Calls take(name) with every question that this build lists. */
static void for_each_question(void (*take)(const char *name))
{
    char *list = NULL;
    assert_int_equal(joulie_ask_list(&list, NULL), 0);
    struct json_object *questions = json_tokener_parse(list);
    assert_true(json_object_array_length(questions) > 30);
    for (size_t i = 0; i < json_object_array_length(questions); i++) {
        struct json_object *question = json_object_array_get_idx(questions, i);
        take(json_object_get_string(json_object_object_get(question, "name")));
    }
    json_object_put(questions);
    joulie_free(list);
}

static void ask_nonsense(const char *name)
{
    static const char *const documents[] = {
        "",
        "{}",
        "[]",
        "null",
        "7",
        "\"x\"",
        "{",
        "{\"\":",
        "{\"a\":1e999}",
        "{\"\\u0000\":1}",
        "a: [b",
        "{\"options\":{\"model\":\"no\"}}",
        "- a\n- b",
        "\xFF",
        "{\"\xC3\":1}",
        "\"\\ud800\"",
        "%",
        "!!x y",
    };
    for (size_t i = 0; i < JL_COUNT(documents); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *answer = NULL;
        const int rc = joulie_ask(name, documents[i], strlen(documents[i]), NULL, &answer, &err);
        if (rc != 0 && (rc != err.code || err.message[0] == '\0' || answer != NULL))
            fail_msg("%s: %d (%d) for %s", name, rc, err.code, documents[i]);
        if (rc != 0 && strcmp(joulie_code_word(rc), "internal") == 0)
            fail_msg("%s: %s for %s", name, err.message, documents[i]);
        joulie_free(answer);
    }
}

static void every_question_says_what_is_wrong_with_nonsense(void **state)
{
    (void)state;
    for_each_question(ask_nonsense);
}

static void describe(const char *name)
{
    char *description = NULL;
    assert_int_equal(joulie_ask_describe(name, &description, NULL), 0);
    struct json_object *tree = json_tokener_parse(description);
    assert_string_equal(json_object_get_string(json_object_object_get(tree, "name")), name);
    assert_non_null(json_object_object_get(tree, "input"));
    json_object_put(tree);
    joulie_free(description);
}

static void every_question_can_be_described(void **state)
{
    (void)state;
    for_each_question(describe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_question_is_unsupported),
        cmocka_unit_test(a_slip_in_a_name_gets_the_name_that_was_meant),
        cmocka_unit_test(what_the_caller_says_is_checked_before_the_document),
        cmocka_unit_test(errors_stand_in_the_line_of_what_is_wrong),
        cmocka_unit_test(a_flow_mapping_is_yaml),
        cmocka_unit_test(explain_lists_members),
        cmocka_unit_test(a_document_of_nothing_is_no_document),
        cmocka_unit_test(a_byte_order_mark_is_not_part_of_the_document),
        cmocka_unit_test(options_are_found_however_their_name_is_spelled),
        cmocka_unit_test(options_are_given_once),
        cmocka_unit_test(absent_options_have_their_defaults),
        cmocka_unit_test(options_are_checked_like_any_input),
        cmocka_unit_test(options_of_another_release_are_read_by_their_size),
        cmocka_unit_test(an_error_record_of_impossible_size_is_left_alone),
        cmocka_unit_test(a_caller_may_do_without_an_error_record),
        cmocka_unit_test(messages_are_utf8_whatever_was_asked),
        cmocka_unit_test(a_lenient_question_reports_what_it_skips),
        cmocka_unit_test(every_question_says_what_is_wrong_with_nonsense),
        cmocka_unit_test(every_question_can_be_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
