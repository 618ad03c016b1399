/* SPDX-License-Identifier: Apache-2.0 */
/* Label and field selectors, and the grammars of names (docs/rules/kubernetes-values.md). */
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "kubernetes/names.h"
#include "kubernetes/selector.h"
#include "support/test.h"

static const struct jl_pair pairs[] = {
    { "k", "v" },
    { "empty", "" },
    { "n", "5" },
    { "in", "x" },
    { "joulie.io/power-profile", "eco" },
};
static const struct jl_map labels = { pairs, sizeof pairs / sizeof pairs[0] };

/* Of exactly its length, so that reading behind its end is an error. */
static char *exact(const char *text)
{
    char *copy = malloc(strlen(text) + (*text == '\0'));
    assert_non_null(copy);
    return memcpy(copy, text, strlen(text));
}

static int code_of(const char *text)
{
    struct jl_arena arena = { 0 };
    const struct jl_selector *selector = NULL;
    char *copy = exact(text);
    const int rc = jl_parse_selector(&arena, copy, strlen(text), &selector);
    jl_arena_clear(&arena);
    free(copy);
    return rc;
}

static void assert_match(const char *text, bool expected)
{
    struct jl_arena arena = { 0 };
    const struct jl_selector *selector = NULL;
    if (jl_parse_selector(&arena, text, strlen(text), &selector) != 0)
        fail_msg("%s is refused", text);
    if (jl_selector_matches(selector, &labels) != expected)
        fail_msg("%s must be %d", text, expected);
    jl_arena_clear(&arena);
}

static void a_selector_tests_labels_as_kubernetes_does(void **state)
{
    static const char *const yes[] = { "",
                                       "  ",
                                       "k",
                                       "k=v",
                                       "k==v",
                                       "k = v",
                                       "!x",
                                       "! x",
                                       "k!=w",
                                       "x!=v",
                                       "k in (v,w)",
                                       "k notin (w)",
                                       "x notin (v)",
                                       "k=v,n",
                                       "empty=",
                                       "empty==,k",
                                       "n>4",
                                       "n<6",
                                       "n > 4, n < 6",
                                       "k in (v)",
                                       "in=x",
                                       "in in (x)",
                                       "x notin (,)",
                                       "empty in (,a)",
                                       "empty in (a,)",
                                       "joulie.io/power-profile=eco",
                                       "k\tin\n(v)" };
    static const char *const no[] = { "x",     "!k",         "k=w",      "x=v",
                                      "k!=v",  "k in (a,b)", "x in (v)", "k notin (v)",
                                      "k=v,x", "n>5",        "n<5",      "x>1",
                                      "k>1",   "empty=a",    "k=",       "empty>0" };
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_match(yes[i], true);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_match(no[i], false);
}

static void a_selector_outside_the_grammar_is_refused(void **state)
{
    static const char *const wrong[] = {
        "k in a", "k=(",  "=v",         "k in (a",   "k!",      "a/b/c=d", "!",
        "k=v,,x", "k=v,", ",k",         "k in ()",   "k v",     "!k=v",    "k===v",
        "k>a",    "k>",   "k>1.5",      "k>-1",      "k=-a",    "k=a b",   "-k",
        "k=a/b",  "K_/a", "k in (a b)", "k in (a))", "k notin", "k ~ v",   "k=\xC3\xA9",
        "k>=5",   "k=>5", "k in ((a))", "A.b/c=d",
    };
    char name[65];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (code_of(wrong[i]) != JOULIE_E_PARSE)
            fail_msg("%s is accepted", wrong[i]);
    }
    memset(name, 'a', sizeof name);
    name[63] = '\0';
    assert_int_equal(code_of(name), 0);
    name[63] = 'a';
    name[64] = '\0';
    assert_int_equal(code_of(name), JOULIE_E_PARSE);
}

static void a_selector_keeps_to_the_limit_of_its_arena(void **state)
{
    struct jl_arena arena = { .limit = 64 };
    const struct jl_selector *selector = NULL;
    (void)state;
    assert_int_equal(jl_parse_selector(&arena, "k in (a,b,c,d,e)", 16, &selector), JOULIE_E_LIMIT);
    assert_null(selector);
    jl_arena_clear(&arena);
}

static int fields_code(const char *kind, const char *text, bool *out)
{
    static const struct jl_pair values[] = { { "metadata.name", "a,b" },
                                             { "spec.nodeName", "n1" } };
    static const struct jl_map fields = { values, 2 };
    struct jl_arena arena = { 0 };
    const struct jl_field_selector *selector = NULL;
    char *copy = exact(text);
    const int rc = jl_parse_field_selector(&arena, kind, copy, strlen(text), &selector);
    if (rc == 0)
        *out = jl_field_selector_matches(selector, &fields);
    jl_arena_clear(&arena);
    free(copy);
    return rc;
}

static void a_field_selector_knows_the_fields_of_its_kind(void **state)
{
    bool matches = false;
    (void)state;
    assert_int_equal(fields_code("Pod", "spec.nodeName=n1,metadata.name==a\\,b", &matches), 0);
    assert_true(matches);
    assert_int_equal(fields_code("Pod", "spec.nodeName!=n1", &matches), 0);
    assert_false(matches);
    assert_int_equal(fields_code("Pod", "status.phase=", &matches), 0); /* absent reads as empty */
    assert_true(matches);
    assert_int_equal(fields_code("NodeTwin", "spec.nodeName=n1", &matches), JOULIE_E_UNSUPPORTED);
    assert_int_equal(fields_code(NULL, "metadata.namespace=d", &matches), 0);
    assert_false(matches);
    matches = false; /* a comma with a backslash is of the value, and the next one is not */
    assert_int_equal(fields_code("Pod", "metadata.name!=a\\,", &matches), 0);
    assert_true(matches);
    assert_int_equal(fields_code("Pod", "metadata.name!=a\\,,spec.nodeName!=n1", &matches), 0);
    assert_false(matches);
    assert_int_equal(fields_code("Pod", "status.phase==", &matches), 0);
    assert_true(matches);
    assert_int_equal(fields_code("Pod", "status.phase!=", &matches), 0);
    assert_false(matches);
    assert_int_equal(fields_code("Pod", "metadata.name in (a)", &matches), JOULIE_E_PARSE);
    assert_int_equal(fields_code("Pod", "metadata.name=a=b", &matches), JOULIE_E_PARSE);
    assert_int_equal(fields_code("Pod", "metadata.name=a\\", &matches), JOULIE_E_PARSE);
    assert_int_equal(fields_code("Pod", "", &matches), 0);
    assert_true(matches);
}

static void names_follow_their_grammars(void **state)
{
    (void)state;
    assert_true(jl_is_label_value(jl_text("")) && jl_is_label_value(jl_text("a.b_c-D")));
    assert_false(jl_is_label_value(jl_text("a b")) || jl_is_label_value(jl_text("-a")) ||
                 jl_is_label_value(jl_text("a-")) || jl_is_label_value(jl_text("a/b")) ||
                 jl_is_label_value(jl_text("\xC3\xA9")));
    assert_true(jl_is_label_key(jl_text("joulie.io/power-profile")) &&
                jl_is_label_key(jl_text("A_b.c")));
    assert_false(jl_is_label_key(jl_text("joulie.io/")) || jl_is_label_key(jl_text("/a")) ||
                 jl_is_label_key(jl_text("Joulie.io/a")) || jl_is_label_key(jl_text("a/b/c")) ||
                 jl_is_label_key(jl_text("joulie.io/power profile")) ||
                 jl_is_label_key(jl_text("")));
    assert_true(jl_is_annotation_key(jl_text("Joulie.io/a")));
    assert_true(jl_is_dns_label(jl_text("kube-system")));
    assert_false(jl_is_dns_label(jl_text("a.b")) || jl_is_dns_label(jl_text("A")) ||
                 jl_is_dns_label(jl_text("a-")));
    assert_true(jl_is_dns_subdomain(jl_text("node-1.rack.example")));
    assert_false(jl_is_dns_subdomain(jl_text("a..b")) || jl_is_dns_subdomain(jl_text("a.")) ||
                 jl_is_dns_subdomain(jl_text("")) || jl_is_dns_subdomain(jl_text("a_b")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selector_tests_labels_as_kubernetes_does),
        cmocka_unit_test(a_selector_outside_the_grammar_is_refused),
        cmocka_unit_test(a_selector_keeps_to_the_limit_of_its_arena),
        cmocka_unit_test(a_field_selector_knows_the_fields_of_its_kind),
        cmocka_unit_test(names_follow_their_grammars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
