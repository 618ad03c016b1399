/* SPDX-License-Identifier: Apache-2.0 */
/* How documents are read by joulie_ask(): members, whole objects, limits, large inputs. */
#include <string.h>
#include <time.h>

#include "ask/ask_tests.h"
#include "base/limits.h"

#define TWIN_SPEC "{\"nodeName\":\"n1\",\"profile\":\"eco\"}"
#define PLAN "{\"policy\":{\"type\":\"static_partition\"},\"now\":\"2026-01-01T00:00:00Z\","

static void a_member_of_a_map_is_given_once(void **state)
{
    (void)state;
    refuses("selector.match", "{\"selector\":\"a\",\"labels\":{\"a\":\"1\",\"a\":\"2\"}}",
            JOULIE_E_PARSE, "labels.a");
    refuses("selector.match", "{\"selector\":\"a\",\"labels\":{\"a\":\"1\",\"\\u0061\":\"2\"}}",
            JOULIE_E_PARSE, "labels.a");
    refuses("selector.match", "{\"selector\":\"a\",\"labels\":{\"a\":null,\"a\":\"2\"}}",
            JOULIE_E_PARSE, "labels.a");
    refuses("selector.match", "{\"selector\":\"a\",\"labels\":{\"a\":\"1\",\"a\":null}}",
            JOULIE_E_PARSE, "labels.a");
    refuses("plan", PLAN "\"nodes\":[],\"pods\":[],\"state\":{\"nodes\":{\"a\":{},\"a\":{}}}}",
            JOULIE_E_PARSE, "state.nodes.a");
    refuses("quantity", "{\"text\":\"1\",\"te\\u0078t\":\"2\"}", JOULIE_E_PARSE, "text");
    refuses("quantity", "text: '1'\ntext: '2'\n", JOULIE_E_PARSE, "text");
}

static void of_two_members_a_lenient_question_takes_the_last(void **state)
{
    (void)state;
    answers("selector.match",
            "{\"options\":{\"lenient\":true},\"selector\":\"a=2\",\"labels\":{\"a\":\"1\",\"b\":"
            "\"3\",\"a\":\"2\"}}",
            "{\"match\":true}");
    answers("selector.match",
            "{\"options\":{\"lenient\":true},\"selector\":\"!a,b\",\"labels\":{\"a\":\"1\",\"b\":"
            "\"3\",\"a\":null}}",
            "{\"match\":true}");
    answers("selector.match",
            "{\"options\":{\"lenient\":true},\"selector\":\"a\",\"labels\":{\"a\":null,\"a\":"
            "\"2\"}}",
            "{\"match\":true}");
}

static void null_is_absent_everywhere(void **state)
{
    (void)state;
    answers("selector.match",
            "{\"selector\":\"!a\",\"labels\":{\"a\":null},\"fieldSelector\":null,\"kind\":null}",
            "{\"match\":true}");
    char *answer = answer_of("plan", PLAN "\"nodes\":[],\"pods\":[],\"profiles\":null,"
                                          "\"state\":{\"nodes\":{\"a\":null}}}");
    joulie_free(answer);
    refuses("quantity", "{\"text\":null}", JOULIE_E_REQUIRED, "text");
}

static void an_integer_that_no_integer_can_hold_is_out_of_range(void **state)
{
    (void)state;
    refuses("random", "{\"seed\":1e19,\"count\":1}", JOULIE_E_RANGE, "seed");
    refuses("random", "{\"seed\":-1e19,\"count\":1}", JOULIE_E_RANGE, "seed");
    refuses("random", "{\"seed\":10000000000000000000,\"count\":1}", JOULIE_E_RANGE, "seed");
    refuses("random", "{\"seed\":1e400,\"count\":1}", JOULIE_E_RANGE, "seed");
    refuses("random", "{\"seed\":1.5,\"count\":1}", JOULIE_E_TYPE, "seed");
    refuses("random", "{\"seed\":-0.5e-300,\"count\":1}", JOULIE_E_TYPE, "seed");
    refuses("random", "{\"seed\":9223372036854775808,\"count\":1}", JOULIE_E_RANGE, "seed");
    refuses("random", "{\"seed\":9.223372036854775808e18,\"count\":1}", JOULIE_E_RANGE, "seed");
    joulie_free(answer_of("random", "{\"seed\":9.2e18,\"count\":1.0}"));
    joulie_free(answer_of("random", "{\"seed\":-9.223372036854775808e18,\"count\":1}"));
}

static void a_bound_that_excludes_zero_refuses_zero(void **state)
{
    (void)state;
    refuses("physics.thermal",
            "{\"tempC\":20,\"powerW\":100,\"ambientC\":20,\"wattsPerDeltaC\":0,\"tauS\":1,\"dtS\":"
            "1,\"throttleStartC\":80,\"throttleFullC\":90}",
            JOULIE_E_RANGE, "wattsPerDeltaC");
}

static void an_object_may_stand_for_its_part(void **state)
{
    static const char *const specs[] = {
        "{\"kind\":\"NodeTwin\",\"spec\":" TWIN_SPEC "}",
        "{\"k\\u0069nd\":\"NodeTwin\",\"spec\":" TWIN_SPEC "}",
        "{\"metadata\":{\"name\":\"n1\"},\"spec\":" TWIN_SPEC "}",
        "{\"spec\":" TWIN_SPEC "}",
        "{\"s\\u0070ec\":" TWIN_SPEC "}",
        "{\"status\":null,\"spec\":" TWIN_SPEC ",\"apiVersion\":\"joulie.io/v1alpha1\"}",
    };
    char *expected = answer_of("predict", "{\"spec\":" TWIN_SPEC "}");
    (void)state;
    for (size_t i = 0; i < JL_COUNT(specs); i++) {
        struct jl_buffer text = { 0 };
        jl_put_string(&text, "{\"spec\":");
        jl_put_string(&text, specs[i]);
        jl_put_string(&text, "}");
        answers("predict", text.data, expected);
        jl_buffer_clear(&text);
    }
    joulie_free(expected);
}

static void hardware_from_a_list_needs_neither_kind_nor_version(void **state)
{
    const char *bare = "{\"spec\":" TWIN_SPEC ",\"hardware\":{\"cpu\":{\"sockets\":2}}}";
    char *expected = answer_of("predict", bare);
    (void)state;
    answers("predict",
            "{\"spec\":" TWIN_SPEC ",\"hardware\":{\"status\":{\"cpu\":{\"sockets\":2}}}}",
            expected);
    answers("predict",
            "{\"spec\":" TWIN_SPEC ",\"hardware\":{\"metadata\":{\"name\":\"n1\"},\"spec\":"
            "{\"nodeName\":\"n1\"},\"status\":{\"cpu\":{\"sockets\":2}}}}",
            expected);
    joulie_free(expected);
    refuses("predict",
            "{\"spec\":" TWIN_SPEC ",\"hardware\":{\"status\":{\"cpu\":{\"sockets\":"
            "\"2\"}}}}",
            JOULIE_E_TYPE, "hardware.status.cpu.sockets");
}

static void an_object_of_another_kind_is_refused(void **state)
{
    (void)state;
    refuses("predict", "{\"spec\":{\"kind\":\"Pod\",\"spec\":" TWIN_SPEC "}}", JOULIE_E_ENUM,
            "spec.kind");
    refuses("predict", "{\"spec\":{\"apiVersion\":\"joulie.io/v9\",\"spec\":" TWIN_SPEC "}}",
            JOULIE_E_UNSUPPORTED, "spec.apiVersion");
    refuses("demand.class", "{\"pod\":{\"kind\":\"Node\"},\"now\":\"2026-01-01T00:00:00Z\"}",
            JOULIE_E_ENUM, "pod.kind");
    refuses("plan", PLAN "\"nodes\":[],\"pods\":[{},{\"kind\":\"Node\"}]}", JOULIE_E_ENUM,
            "pods[1].kind");
    refuses("plan", PLAN "\"nodes\":[],\"pods\":[{\"apiVersion\":\"v2\"}]}", JOULIE_E_UNSUPPORTED,
            "pods[0].apiVersion");
}

static void a_large_cluster_of_small_nodes_is_no_large_document(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, PLAN "\"pods\":[],\"nodes\":[");
    put_many(&text, 2000, "{\"node\":{\"metadata\":{\"name\":\"n#\"}}}", ",");
    jl_put_string(&text, "]}");
    joulie_free(answer_of("plan", text.data));
    jl_buffer_clear(&text);
}

static void decoded_memory_is_bounded_by_the_text(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, PLAN "\"pods\":[],\"nodes\":[");
    put_many(&text, 200000, "{}", ",");
    jl_put_string(&text, "]}");
    refuses("plan", text.data, JOULIE_E_LIMIT, "nodes");

    jl_buffer_reset(&text);
    jl_put_string(&text, "{\"old\":[],\"new\":[");
    put_many(&text, 30000, "{}", ",");
    jl_put_string(&text, "]}");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_int_equal(joulie_ask("diff", text.data, text.len, NULL, &answer, &err), JOULIE_E_LIMIT);
    assert_int_equal(strncmp(err.where, "new[", 4), 0);

    jl_buffer_reset(&text);
    jl_put_string(&text, "{\"old\":[],\"new\":[");
    put_many(&text, 30000, "{\"metadata\":{\"name\":\"n#\"}}", ",");
    jl_put_string(&text, "]}");
    joulie_free(answer_of("diff", text.data));
    jl_buffer_clear(&text);
}

static void put_padded_object(struct jl_buffer *out, size_t bytes)
{
    static const char head[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"x\":\"";
    static const char tail[] = "\"}}";
    jl_put_string(out, head);
    for (size_t i = sizeof head - 1 + sizeof tail - 1; i < bytes; i++)
        jl_put_char(out, 'a');
    jl_put_string(out, tail);
}

static void an_object_has_at_most_16_mib(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    put_padded_object(&text, JL_LIMIT_OBJECT_BYTES);
    answers("validate", text.data, "{}");
    jl_buffer_reset(&text);
    put_padded_object(&text, JL_LIMIT_OBJECT_BYTES + 1);
    refuses("validate", text.data, JOULIE_E_LIMIT, "");

    jl_buffer_reset(&text);
    jl_put_string(&text, PLAN "\"nodes\":[],\"pods\":[{},");
    put_padded_object(&text, JL_LIMIT_OBJECT_BYTES + 1);
    jl_put_string(&text, "]}");
    refuses("plan", text.data, JOULIE_E_LIMIT, "pods[1]");

    jl_buffer_reset(&text);
    jl_put_string(&text, "{\"old\":{},\"new\":");
    put_padded_object(&text, JL_LIMIT_OBJECT_BYTES + 1);
    jl_put_string(&text, "}");
    refuses("diff", text.data, JOULIE_E_LIMIT, "new");
    jl_buffer_clear(&text);
}

static void put_nested(struct jl_buffer *out, const char *head, size_t depth, const char *tail)
{
    jl_buffer_reset(out);
    jl_put_string(out, head);
    put_many(out, depth, "[", "");
    put_many(out, depth, "]", "");
    jl_put_string(out, tail);
}

static void nesting_of_128_is_read_and_129_is_not(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    put_nested(&text, "{\"old\":{},\"new\":", JL_LIMIT_NESTING - 1, "}");
    joulie_free(answer_of("diff", text.data));
    put_nested(&text, "{\"old\":{},\"new\":", JL_LIMIT_NESTING, "}");
    refuses("diff", text.data, JOULIE_E_LIMIT, "line 1");
    put_nested(&text, "old: {}\nnew: ", JL_LIMIT_NESTING - 1, "\n");
    joulie_free(answer_of("diff", text.data));
    put_nested(&text, "old: {}\nnew: ", JL_LIMIT_NESTING, "\n");
    refuses("diff", text.data, JOULIE_E_LIMIT, "line 2");
    put_nested(&text, "", 1000000, "");
    refuses("diff", text.data, JOULIE_E_TYPE, "");
    put_nested(&text, "- ", 1000000, "");
    refuses("diff", text.data, JOULIE_E_LIMIT, "line 1");
    jl_buffer_clear(&text);
}

static void a_text_may_not_hold_nul_bytes_or_broken_utf8(void **state)
{
    (void)state;
    refuses("quantity", "{\"text\":\"\\u0000\"}", JOULIE_E_PARSE, "text");
    refuses("quantity", "text: \"a\\0b\"", JOULIE_E_PARSE, "text");
    refuses("selector.match", "{\"selector\":\"a\",\"labels\":{\"\\u0000\":\"x\"}}", JOULIE_E_PARSE,
            "labels");
    refuses_bytes("quantity", "{\"text\":\"a\0b\"}", 14, JOULIE_E_PARSE, "line 1");
    refuses_bytes("quantity", "text: a\0b", 9, JOULIE_E_PARSE, "line 1");
    refuses("quantity", "{\"text\":\"\xC3(\"}", JOULIE_E_PARSE, "line 1");
    refuses("quantity", "{\"\xED\xA0\x80\":1}", JOULIE_E_PARSE, "line 1");
    refuses("quantity", "a: b\ntext: \"\xC3(\"", JOULIE_E_PARSE, "line 2");
    refuses("quantity", "\xFFtext: 1", JOULIE_E_PARSE, "line 1");
    refuses("quantity", "text: \"\\ud800\"", JOULIE_E_PARSE, "line 1");
    refuses("diff", "{\"old\":{\"a\":\"\\ud800x\"},\"new\":{}}", JOULIE_E_PARSE, "line 1");
}

/* Whether what happens in between takes seconds, as work that grows with the square of the input
 * does here. */
static void must_be_quick(clock_t since)
{
    assert_true((double)(clock() - since) / CLOCKS_PER_SEC < 10);
}

static void many_members_are_read_in_time_that_grows_with_their_number(void **state)
{
    struct jl_buffer text = { 0 };
    const clock_t start = clock();
    (void)state;
    jl_put_string(&text, "{\"selector\":\"k7\",\"labels\":{");
    put_many(&text, 200000, "\"k#\":\"v\"", ",");
    jl_put_string(&text, "}}");
    answers("selector.match", text.data, "{\"match\":true}");
    must_be_quick(start);

    jl_buffer_reset(&text);
    jl_put_string(&text, PLAN "\"nodes\":[],\"pods\":[],\"state\":{\"nodes\":{");
    put_many(&text, 200000, "\"k#\":{}", ",");
    jl_put_string(&text, "}}}");
    joulie_free(answer_of("plan", text.data));
    must_be_quick(start);
    jl_buffer_clear(&text);
}

static void many_anchors_are_found_in_time_that_grows_with_their_number(void **state)
{
    struct jl_buffer text = { 0 };
    const clock_t start = clock();
    (void)state;
    jl_put_string(&text, "old: [");
    put_many(&text, 100000, "&a# x", ", ");
    jl_put_string(&text, "]\nnew: [");
    put_many(&text, 100000, "*a#", ", ");
    jl_put_string(&text, "]\n");
    joulie_free(answer_of("diff", text.data));
    must_be_quick(start);
    jl_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_of_a_map_is_given_once),
        cmocka_unit_test(of_two_members_a_lenient_question_takes_the_last),
        cmocka_unit_test(null_is_absent_everywhere),
        cmocka_unit_test(an_integer_that_no_integer_can_hold_is_out_of_range),
        cmocka_unit_test(a_bound_that_excludes_zero_refuses_zero),
        cmocka_unit_test(an_object_may_stand_for_its_part),
        cmocka_unit_test(hardware_from_a_list_needs_neither_kind_nor_version),
        cmocka_unit_test(an_object_of_another_kind_is_refused),
        cmocka_unit_test(a_large_cluster_of_small_nodes_is_no_large_document),
        cmocka_unit_test(decoded_memory_is_bounded_by_the_text),
        cmocka_unit_test(an_object_has_at_most_16_mib),
        cmocka_unit_test(nesting_of_128_is_read_and_129_is_not),
        cmocka_unit_test(a_text_may_not_hold_nul_bytes_or_broken_utf8),
        cmocka_unit_test(many_members_are_read_in_time_that_grows_with_their_number),
        cmocka_unit_test(many_anchors_are_found_in_time_that_grows_with_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
