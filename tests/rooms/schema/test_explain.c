/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "support/test.h"

static void answers(const char *question, const char *text, const char *expected)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    if (joulie_ask(question, text, strlen(text), NULL, &answer, &err) != JOULIE_OK)
        fail_msg("%s: %s at %s", text, err.message, err.where);
    assert_string_equal(answer, expected);
    joulie_free(answer);
}

/* The start of an answer that goes on with the fields of its members. */
static void begins(const char *question, const char *text, const char *expected)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_int_equal(joulie_ask(question, text, strlen(text), NULL, &answer, &err), JOULIE_OK);
    assert_memory_equal(answer, expected, strlen(expected));
    joulie_free(answer);
}

static void refuses(const char *question, const char *text, int code, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_int_equal(joulie_ask(question, text, strlen(text), NULL, &answer, &err), code);
    assert_string_equal(err.where, where);
}

static void a_field_is_described_by_its_row(void **state)
{
    (void)state;
    answers("explain", "{\"kind\":\"nt\",\"path\":\"spec.gpu.powerCap.capPctOfMax\"}",
            "{\"type\":\"number\",\"minimum\":0,\"exclusiveMinimum\":true,\"maximum\":100,"
            "\"required\":false,"
            "\"description\":\"Power cap of each GPU, in percent of the GPU's maximum.\"}");
    answers("explain", "{\"kind\":\"wp\",\"path\":\"status.gpu.bound\"}",
            "{\"type\":\"string\",\"enum\":[\"compute\",\"memory\",\"mixed\",\"none\"],"
            "\"required\":false,"
            "\"description\":\"What limits the workload on the GPU.\"}");
}

static void lists_and_their_items_are_fields_of_their_own(void **state)
{
    (void)state;
    begins("explain", "{\"kind\":\"nhw\",\"path\":\"status.gpu.devices\"}",
           "{\"type\":\"array\",\"required\":false,\"description\":\"The GPUs one by one.\","
           "\"fields\":[{\"name\":\"id\",\"type\":\"string\",\"required\":true,");
    begins("explain", "{\"kind\":\"nhw\",\"path\":\"status.gpu.devices[]\"}",
           "{\"type\":\"object\",\"required\":false,\"description\":\"The GPUs one by one.\","
           "\"fields\":[{\"name\":\"id\",\"type\":\"string\",\"required\":true,");
    answers("explain", "{\"kind\":\"nhw\",\"path\":\"status.gpu.slicing.modes[]\"}",
            "{\"type\":\"string\",\"required\":false,\"description\":\"Ways to divide them.\"}");
    answers("explain", "{\"kind\":\"nhw\",\"path\":\"status.gpu.devices[].id\"}",
            "{\"type\":\"string\",\"required\":true,"
            "\"description\":\"UUID of the GPU, else its PCI address; never its index.\"}");
}

static void a_path_that_leads_nowhere_is_refused(void **state)
{
    static const char *const paths[] = {
        "",
        ".",
        "spec.",
        "spec..cpu",
        "spec.foo",
        "spec.nodeName.x",
        "[]",
        "spec[]",
        "spec.cpu[].x",
        "status.controlStatus.cpu.observed.watts",
    };
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[160];
        snprintf(text, sizeof text, "{\"kind\":\"nodetwin\",\"path\":\"%s\"}", paths[i]);
        refuses("explain", text, JOULIE_E_UNKNOWN_MEMBER, "path");
    }
    refuses("explain", "{\"kind\":\"nhw\",\"path\":\"status.gpu.devices.id\"}",
            JOULIE_E_UNKNOWN_MEMBER, "path");
}

static void kinds_that_are_not_ours_are_unsupported(void **state)
{
    (void)state;
    refuses("explain", "{\"kind\":\"powerpolicy\"}", JOULIE_E_UNSUPPORTED, "kind");
    refuses("explain", "{\"kind\":\"pod\"}", JOULIE_E_UNSUPPORTED, "kind");
    refuses("explain", "{}", JOULIE_E_REQUIRED, "kind");
    refuses("crd", "{\"kind\":\"node\"}", JOULIE_E_UNSUPPORTED, "kind");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_described_by_its_row),
        cmocka_unit_test(lists_and_their_items_are_fields_of_their_own),
        cmocka_unit_test(a_path_that_leads_nowhere_is_refused),
        cmocka_unit_test(kinds_that_are_not_ours_are_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
