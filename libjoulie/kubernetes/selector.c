/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Selectors of labels: a small parser, and the match of each requirement. Called by cluster/,
 * tensor_fusion/ and the question `plan`. Implements
 * docs/rules/kubernetes-values.md#label-selectors.
 */

#include "kubernetes/selector.h"

#include <joulie/error.h>

#include "base/number.h"
#include "kubernetes/names.h"

enum test {
    TEST_EXISTS,
    TEST_ABSENT,
    TEST_IN,     /* also = and == */
    TEST_NOT_IN, /* also != */
    TEST_ABOVE,
    TEST_BELOW,
};

struct value {
    struct value *next;
    struct jl_text text;
};

struct requirement {
    struct requirement *next;
    const char *key;
    enum test test;
    struct value *values;
    int64_t bound; /* TEST_ABOVE, TEST_BELOW */
};

struct jl_selector {
    struct requirement *requirements;
};

enum token {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_COMMA,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_NOT,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_ABOVE,
    TOKEN_BELOW,
};

struct parser {
    struct jl_arena *arena;
    struct jl_text left;
    enum token token; /* the current one */
    struct jl_text word;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_special(char c)
{
    return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

static enum token special_token(char c, bool has_equal)
{
    switch (c) {
    case '!':
        return has_equal ? TOKEN_NOT_EQUAL : TOKEN_NOT;
    case '(':
        return TOKEN_OPEN;
    case ')':
        return TOKEN_CLOSE;
    case ',':
        return TOKEN_COMMA;
    case '>':
        return TOKEN_ABOVE;
    case '<':
        return TOKEN_BELOW;
    default:
        return TOKEN_EQUAL;
    }
}

static void advance(struct parser *parser)
{
    struct jl_text *left = &parser->left;
    size_t len = 0;
    while (left->len > 0 && is_blank(left->ptr[0])) {
        left->ptr++;
        left->len--;
    }
    if (left->len == 0) {
        parser->token = TOKEN_END;
    } else if (is_special(left->ptr[0])) {
        const char c = left->ptr[0];
        const bool has_equal = (c == '=' || c == '!') && left->len > 1 && left->ptr[1] == '=';
        parser->token = special_token(c, has_equal);
        len = has_equal ? 2 : 1;
    } else {
        parser->token = TOKEN_WORD;
        while (len < left->len && !is_special(left->ptr[len]) && !is_blank(left->ptr[len]))
            len++;
    }
    parser->word = (struct jl_text){ left->ptr, len };
    left->ptr += len;
    left->len -= len;
}

static int add_value(struct parser *parser, struct requirement *requirement, struct jl_text text)
{
    if (!jl_is_label_value(text))
        return JOULIE_E_PARSE;
    struct value *value = JL_NEW(parser->arena, struct value);
    if (value == NULL)
        return jl_arena_code(parser->arena);
    value->text.ptr = jl_arena_copy(parser->arena, text.ptr, text.len);
    value->text.len = text.len;
    if (value->text.ptr == NULL)
        return jl_arena_code(parser->arena);
    value->next = requirement->values;
    requirement->values = value;
    return 0;
}

/* "(a,b)": an item between commas may be empty, but not the whole list. */
static int read_list(struct parser *parser, struct requirement *requirement)
{
    if (parser->token != TOKEN_OPEN)
        return JOULIE_E_PARSE;
    advance(parser);
    if (parser->token == TOKEN_CLOSE)
        return JOULIE_E_PARSE;
    for (;;) {
        struct jl_text text = { parser->word.ptr, 0 };
        if (parser->token == TOKEN_WORD) {
            text = parser->word;
            advance(parser);
        }
        const int rc = add_value(parser, requirement, text);
        if (rc < 0)
            return rc;
        if (parser->token != TOKEN_COMMA && parser->token != TOKEN_CLOSE)
            return JOULIE_E_PARSE;
        const bool is_last = parser->token == TOKEN_CLOSE;
        advance(parser);
        if (is_last)
            return 0;
    }
}

/* The one value behind = and its kin; nothing is the empty value. */
static int read_value(struct parser *parser, struct requirement *requirement)
{
    if (parser->token == TOKEN_END || parser->token == TOKEN_COMMA)
        return add_value(parser, requirement, (struct jl_text){ parser->word.ptr, 0 });
    if (parser->token != TOKEN_WORD)
        return JOULIE_E_PARSE;
    const int rc = add_value(parser, requirement, parser->word);
    advance(parser);
    return rc;
}

static int read_bound(struct parser *parser, struct requirement *requirement)
{
    const struct jl_text word = parser->word;
    const int rc = read_value(parser, requirement);
    if (rc < 0)
        return rc;
    return jl_parse_i64(word.ptr, word.len, &requirement->bound) < 0 ? JOULIE_E_PARSE : 0;
}

static int read_test(struct parser *parser, struct requirement *requirement)
{
    const enum token token = parser->token;
    const struct jl_text word = parser->word;
    advance(parser);
    switch (token) {
    case TOKEN_EQUAL:
        requirement->test = TEST_IN;
        return read_value(parser, requirement);
    case TOKEN_NOT_EQUAL:
        requirement->test = TEST_NOT_IN;
        return read_value(parser, requirement);
    case TOKEN_ABOVE:
        requirement->test = TEST_ABOVE;
        return read_bound(parser, requirement);
    case TOKEN_BELOW:
        requirement->test = TEST_BELOW;
        return read_bound(parser, requirement);
    case TOKEN_WORD:
        requirement->test = TEST_IN;
        if (jl_text_is(word, "notin"))
            requirement->test = TEST_NOT_IN;
        else if (!jl_text_is(word, "in"))
            return JOULIE_E_PARSE;
        return read_list(parser, requirement);
    case TOKEN_END:
    case TOKEN_COMMA:
    case TOKEN_OPEN:
    case TOKEN_CLOSE:
    case TOKEN_NOT:
        break;
    }
    return JOULIE_E_PARSE;
}

static int read_requirement(struct parser *parser, struct requirement *requirement)
{
    const bool is_negated = parser->token == TOKEN_NOT;
    if (is_negated)
        advance(parser);
    if (parser->token != TOKEN_WORD || !jl_is_label_key(parser->word))
        return JOULIE_E_PARSE;
    requirement->key = jl_arena_copy(parser->arena, parser->word.ptr, parser->word.len);
    if (requirement->key == NULL)
        return jl_arena_code(parser->arena);
    advance(parser);
    if (is_negated || parser->token == TOKEN_END || parser->token == TOKEN_COMMA) {
        requirement->test = is_negated ? TEST_ABSENT : TEST_EXISTS;
        return 0;
    }
    return read_test(parser, requirement);
}

static int read_all(struct parser *parser, struct jl_selector *selector)
{
    struct requirement **next = &selector->requirements;
    advance(parser);
    if (parser->token == TOKEN_END)
        return 0;
    for (;;) {
        *next = JL_NEW(parser->arena, struct requirement);
        if (*next == NULL)
            return jl_arena_code(parser->arena);
        const int rc = read_requirement(parser, *next);
        if (rc < 0)
            return rc;
        next = &(*next)->next;
        if (parser->token == TOKEN_END)
            return 0;
        if (parser->token != TOKEN_COMMA)
            return JOULIE_E_PARSE;
        advance(parser);
    }
}

int jl_parse_selector(struct jl_arena *arena, const char *text, size_t len,
                      const struct jl_selector **out)
{
    struct parser parser = { .arena = arena, .left = { text, len } };
    struct jl_selector *selector = JL_NEW(arena, struct jl_selector);
    if (selector == NULL)
        return jl_arena_code(arena);
    const int rc = read_all(&parser, selector);
    if (rc < 0)
        return rc;
    *out = selector;
    return 0;
}

static bool has_value(const struct requirement *requirement, const char *label)
{
    for (const struct value *value = requirement->values; value != NULL; value = value->next) {
        if (jl_text_is(value->text, label))
            return true;
    }
    return false;
}

static bool holds(const struct requirement *requirement, const struct jl_map *labels)
{
    const char *label = jl_map_get(labels, requirement->key);
    int64_t number = 0;
    switch (requirement->test) {
    case TEST_EXISTS:
        return label != NULL;
    case TEST_ABSENT:
        return label == NULL;
    case TEST_IN:
        return label != NULL && has_value(requirement, label);
    case TEST_NOT_IN:
        return label == NULL || !has_value(requirement, label);
    case TEST_ABOVE:
    case TEST_BELOW:
        break;
    }
    if (label == NULL || jl_parse_i64(label, jl_text(label).len, &number) < 0)
        return false;
    return requirement->test == TEST_ABOVE ? number > requirement->bound
                                           : number < requirement->bound;
}

bool jl_selector_matches(const struct jl_selector *selector, const struct jl_map *labels)
{
    for (const struct requirement *i = selector->requirements; i != NULL; i = i->next) {
        if (!holds(i, labels))
            return false;
    }
    return true;
}
