/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/ask_tests.h"

#include <string.h>

char *answer_of(const char *question, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    if (joulie_ask(question, text, strlen(text), NULL, &answer, &err) != 0)
        fail_msg("%s: %s: %s\n%.300s", question, err.where, err.message, text);
    return answer;
}

void answers(const char *question, const char *text, const char *expected)
{
    char *answer = answer_of(question, text);
    assert_string_equal(answer, expected);
    joulie_free(answer);
}

void refuses_bytes(const char *question, const char *text, size_t len, int code, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    const int rc = joulie_ask(question, text, len, NULL, &answer, &err);
    if (rc != code || strcmp(err.where, where) != 0)
        fail_msg("%s at \"%s\" (%s), expected %s at \"%s\"", joulie_code_word(rc), err.where,
                 err.message, joulie_code_word(code), where);
    assert_int_equal(err.code, code);
    assert_true(err.message[0] != '\0');
    assert_null(answer);
}

void refuses(const char *question, const char *text, int code, const char *where)
{
    refuses_bytes(question, text, strlen(text), code, where);
}

void put_many(struct jl_buffer *out, size_t count, const char *text, const char *separator)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            jl_put_string(out, separator);
        for (const char *c = text; *c != '\0'; c++) {
            if (*c == '#')
                jl_put_i64(out, (int64_t)i);
            else
                jl_put_char(out, *c);
        }
    }
}
