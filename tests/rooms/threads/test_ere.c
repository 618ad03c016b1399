/* SPDX-License-Identifier: Apache-2.0 */

/* Our regular expressions find what regexec() of libc finds, in bytes that have no locale. */

#include <regex.h>
#include <string.h>

#include <joulie/error.h>

#include "base/random.h"
#include "support/test.h"
#include "threads/ere.h"

static int compile(const char *pattern)
{
    struct jl_arena arena = { 0 };
    const struct jl_ere *ere = NULL;
    const int rc = jl_ere_compile(&arena, jl_text(pattern), &ere);
    jl_arena_clear(&arena);
    return rc;
}

static bool finds(const char *pattern, const char *text)
{
    struct jl_arena arena = { 0 };
    const struct jl_ere *ere = NULL;
    assert_int_equal(jl_ere_compile(&arena, jl_text(pattern), &ere), 0);
    const bool found = jl_ere_finds(ere, jl_text(text));
    jl_arena_clear(&arena);
    return found;
}

static bool libc_finds(const char *pattern, const char *text, bool *is_pattern)
{
    regex_t regex;
    *is_pattern = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
    if (!*is_pattern)
        return false;
    const bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static void expressions_mean_what_libc_says(void **state)
{
    static const char *const patterns[] = {
        "",
        "a",
        "^a",
        "a$",
        "^$",
        "a.c",
        "a*b",
        "(ab)*c",
        "a+b",
        "ab?c",
        "^(a|b)+$",
        "a|bc|",
        "[a-c]x",
        "[^a-c]x",
        "[]a]b",
        "[^]a]b",
        "[a-]b",
        "[[:digit:]]+",
        "[[:alpha:]_]b",
        "a{2}",
        "a{2,}b",
        "^a{1,3}$",
        "(ab){2,3}c",
        "a{0}b",
        "(a|b){0,2}c$",
        "\\.",
        "\\[x",
        "(a*)*b",
        "((a)|(b))*c",
        "^(a|ab)(c|bcd)$",
        "x(^a|b$)",
        "[[:space:]]",
        "[[:punct:]]",
    };
    static const char *const texts[] = {
        "",    "a",   "b",  "ab",   "abc", "ac", "aab", "aaab", "bc",   "cx",    "dx",
        "]b",  "bb",  "-b", "12",   "a1",  "_b", "aa",  "aaa",  "aaaa", "ababc", "abababc",
        "bac", "a.c", "[x", "abcd", "xb",  "xa", "a b", "a-b",  "\t",
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(patterns); i++) {
        for (size_t k = 0; k < JL_COUNT(texts); k++) {
            bool is_pattern;
            const bool expected = libc_finds(patterns[i], texts[k], &is_pattern);
            assert_true(is_pattern);
            if (finds(patterns[i], texts[k]) != expected)
                fail_msg("\"%s\" in \"%s\"", patterns[i], texts[k]);
        }
    }
}

static size_t below(struct jl_random *random, size_t count)
{
    return (size_t)jl_random_int(random, 0, (int64_t)count - 1);
}

static void drawn_expressions_agree_with_libc(void **state)
{
    static const char *const pieces[] = { "a", "b", ".", "[ab]", "[^b]", "(a|b)", "(ab)",
                                          "^", "$", "*", "+",    "?",    "{2}",   "{0,2}",
                                          "|", "(", ")", "c",    "{1,}" };
    struct jl_random random = { 7 };
    size_t compared = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char pattern[64] = "";
        char text[8] = "";
        const size_t length = below(&random, 6) + 1;
        for (size_t i = 0; i < length; i++)
            strcat(pattern, pieces[below(&random, JL_COUNT(pieces))]);
        const size_t bytes = below(&random, 6);
        for (size_t i = 0; i < bytes; i++)
            text[i] = (char)('a' + (int)below(&random, 3));
        bool is_pattern;
        const bool expected = libc_finds(pattern, text, &is_pattern);
        if (!is_pattern || compile(pattern) < 0)
            continue; /* libc takes some that POSIX leaves open, such as "*a" */
        compared++;
        if (finds(pattern, text) != expected)
            fail_msg("\"%s\" in \"%s\"", pattern, text);
    }
    assert_true(compared > 2000);
}

static void what_is_no_expression_is_refused(void **state)
{
    static const char *const bad[] = { "(",          ")",      "a)",  "[",    "[a",
                                       "[[:nope:]]", "*a",     "a|*", "a{",   "a{x}",
                                       "a{2,1}",     "a{256}", "\\",  "[b-a]" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(bad); i++)
        if (compile(bad[i]) != JOULIE_E_PARSE)
            fail_msg("\"%s\" is taken", bad[i]);
    assert_int_equal(compile("((a{99}){99}){99}"), JOULIE_E_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_mean_what_libc_says),
        cmocka_unit_test(drawn_expressions_agree_with_libc),
        cmocka_unit_test(what_is_no_expression_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
