/* SPDX-License-Identifier: Apache-2.0 */

/* Findings about thread profiles in JSON: all at once, and what the built-in ones are. */

#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "schema/decode.h"
#include "support/test.h"
#include "threads/findings.h"
#include "threads/profiles.h"

static char *lint(const char *profile)
{
    char *answer = NULL;
    assert_int_equal(joulie_ask("threads.lint", profile, strlen(profile), NULL, &answer, NULL), 0);
    return answer;
}

static void assert_findings(const char *profile, const char *const *parts)
{
    char *answer = lint(profile);
    for (size_t i = 0; parts[i] != NULL; i++)
        if (strstr(answer, parts[i]) == NULL)
            fail_msg("%s is not in %s", parts[i], answer);
    joulie_free(answer);
}

#define PROFILE(more, group)                                                               \
    "{\"schema_version\":1,\"id\":\"a\"," more "\"fingerprint\":{\"images\":[\"mysql\"]}," \
    "\"thread_groups\":[{\"name\":\"g\"," group "}]}"
#define GROUP "\"treatment\":\"latency\",\"match\":{\"comm\":[\"x*\"]}"

static void a_good_profile_has_none(void **state)
{
    (void)state;
    assert_findings(PROFILE("", GROUP),
                    (const char *const[]){ "\"errors\":0", "\"findings\":[]", NULL });
}

static void all_problems_are_told_at_once(void **state)
{
    (void)state;
    assert_findings(
        PROFILE("\"revision\":\"1\",\"enabled\":3,\"colour\":1,\"descriptoin\":\"\",",
                "\"treatment\":\"pin\",\"match\":{\"comm\":[\"a[b\",5,\"aaaaaaaaaaaaaaaa*\"],"
                "\"role\":[\"busy\",\"sporadic\"],\"max_threads\":-1}"),
        (const char *const[]){
            "\"errors\":10",
            "\"path\":\"revision\"",
            "\"path\":\"enabled\"",
            "\"path\":\"colour\"",
            "did you mean \\\"description\\\"?",
            "\"path\":\"thread_groups[0].treatment\"",
            "\"path\":\"thread_groups[0].match.comm[0]\"",
            "\"path\":\"thread_groups[0].match.comm[1]\"",
            "\"path\":\"thread_groups[0].match.comm[2]\"",
            "\"path\":\"thread_groups[0].match.role[0]\"",
            "\"path\":\"thread_groups[0].match.max_threads\"",
            NULL,
        });
}

static void members_given_twice_are_found_and_the_rest_is_read(void **state)
{
    (void)state;
    assert_findings(PROFILE("\"revision\":1,\"revision\":2,\"enabled\":4,", GROUP),
                    (const char *const[]){ "\"errors\":2", "E_DUP_KEY", "E_TYPE", NULL });
}

static void limits_hold(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, "{\"schema_version\":1,\"id\":\"a\",\"description\":\"");
    for (int i = 0; i < 513; i++)
        jl_put_char(&text, 'd');
    jl_put_string(&text, "\",\"fingerprint\":{\"labels\":{");
    for (int i = 0; i < 65; i++) {
        jl_put_string(&text, i > 0 ? ",\"k" : "\"k");
        jl_put_i64(&text, i);
        jl_put_string(&text, "\":\"v\"");
    }
    jl_put_string(&text, "}},\"x_deep\":[[[[[1]]]]],\"x_fine\":[[[[1]]]],\"thread_groups\":"
                         "[{\"name\":\"g\"," GROUP "}]}");
    assert_findings(text.data, (const char *const[]){ "\"errors\":3", "\"path\":\"description\"",
                                                      "\"path\":\"fingerprint.labels\"",
                                                      "\"path\":\"x_deep\"", NULL });
    jl_buffer_clear(&text);
}

static void a_hundred_findings_are_kept_and_all_are_counted(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text,
                  "{\"schema_version\":1,\"id\":\"a\",\"fingerprint\":{\"images\":[\"a\"]},");
    for (int i = 0; i < 150; i++) {
        jl_put_string(&text, "\"y_");
        jl_put_i64(&text, i);
        jl_put_string(&text, "\":1,");
    }
    jl_put_string(&text, "\"thread_groups\":[{\"name\":\"g\"," GROUP "}]}");
    char *answer = lint(text.data);
    size_t listed = 0;
    for (const char *at = answer; (at = strstr(at, "E_UNKNOWN_KEY")) != NULL; at++)
        listed++;
    assert_int_equal(listed, 100);
    assert_non_null(strstr(answer, "\"errors\":150"));
    joulie_free(answer);
    jl_buffer_clear(&text);
}

static void the_built_in_profiles_have_no_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_builtin_profile_count; i++) {
        char *answer = lint(jl_builtin_profiles[i]);
        if (strstr(answer, "\"errors\":0") == NULL || strstr(answer, "W_SHADOWED") != NULL)
            fail_msg("%s", answer);
        joulie_free(answer);
    }
}

static void a_profile_of_an_input_is_refused_with_its_place(void **state)
{
    static const char input[] = "{\"id\":\"a\",\"profiles\":[" PROFILE("", GROUP) "," PROFILE(
        "", "\"treatment\":\"yield\",\"latency\":{},\"match\":{\"comm\":[\"x\"]}") "]}";
    struct joulie_error err = { .struct_size = sizeof err };
    char *answer = NULL;
    (void)state;
    assert_int_equal(joulie_ask("threads.show", input, strlen(input), NULL, &answer, &err),
                     JOULIE_E_CONFLICT);
    assert_string_equal(err.where, "profiles[1].thread_groups[0].latency");
}

static void keys_of_others_are_kept_and_null_is_none(void **state)
{
    static const char input[] =
        "{\"id\":\"a\",\"options\":{\"output\":\"toml\"},\"profiles\":[" PROFILE(
            "\"x_b\":{\"k\":[1,\"t\"]},\"x_none\":null,\"x_a\":true,", GROUP) "]}";
    char *answer = NULL;
    (void)state;
    assert_int_equal(joulie_ask("threads.show", input, strlen(input), NULL, &answer, NULL), 0);
    assert_non_null(strstr(answer, "\\nx_a = true\\nx_b = { k = [1, \\\"t\\\"] }\\n\\n["));
    assert_null(strstr(answer, "x_none"));
    joulie_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_profile_has_none),
        cmocka_unit_test(all_problems_are_told_at_once),
        cmocka_unit_test(members_given_twice_are_found_and_the_rest_is_read),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_hundred_findings_are_kept_and_all_are_counted),
        cmocka_unit_test(the_built_in_profiles_have_no_errors),
        cmocka_unit_test(a_profile_of_an_input_is_refused_with_its_place),
        cmocka_unit_test(keys_of_others_are_kept_and_null_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
