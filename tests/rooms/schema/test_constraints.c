/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "kinds/kinds.h"
#include "schema/decode.h"
#include "support/test.h"

/*
 * One bad document per constraint, made from the tables: every row of every kind of ours is reached
 * once, with a value of the wrong type, outside each bound, of a foreign word, or left out when it
 * is required.
 */

#define MAX_DEPTH 8
#define OMIT NULL

/* Rows from the root to the member in question, and what is written in its place. */
struct chain {
    const struct jl_row *rows[MAX_DEPTH];
    size_t depth;
    const char *value; /* JSON text, or OMIT */
    const char *extra; /* key of a member that the deepest object gets besides, or NULL */
};

static void put_object(struct jl_buffer *out, const struct jl_table *table,
                       const struct chain *chain, size_t level, const struct jl_table *root);

static void put_good(struct jl_buffer *out, const struct jl_row *row, const struct jl_table *root)
{
    static const struct chain nowhere = { .value = "0" };
    if (row->type == JL_TYPE_OBJECT)
        put_object(out, row->child, &nowhere, MAX_DEPTH, root);
    else if (row->type == JL_TYPE_ENUM)
        jl_put_json_string(out, row->words->items[0].word, strlen(row->words->items[0].word));
    else if (row->type == JL_TYPE_INTEGER || row->type == JL_TYPE_QUANTITY)
        jl_put_string(out, "7");
    else if (row->type == JL_TYPE_LIST)
        jl_put_string(out, "[]");
    else
        jl_put_string(out, "\"text\"");
}

static void put_on_chain(struct jl_buffer *out, const struct chain *chain, size_t level,
                         const struct jl_table *root)
{
    const struct jl_row *row = chain->rows[level];
    if (level + 1 == chain->depth && !chain->extra) {
        jl_put_string(out, chain->value);
        return;
    }
    if (row->type == JL_TYPE_LIST)
        jl_put_char(out, '[');
    put_object(out, row->child, chain, level + 1, root);
    if (row->type == JL_TYPE_LIST)
        jl_put_char(out, ']');
}

static void put_object(struct jl_buffer *out, const struct jl_table *table,
                       const struct chain *chain, size_t level, const struct jl_table *root)
{
    bool is_first = true;
    jl_put_char(out, '{');
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        const bool is_head = table == root && i < 2; /* apiVersion, kind: validate needs them */
        const bool is_on_chain = level < chain->depth && chain->rows[level] == row;
        const bool is_omitted =
            is_on_chain && level + 1 == chain->depth && chain->value == OMIT && !chain->extra;
        if (is_omitted || (!is_head && !is_on_chain && !row->is.required))
            continue;
        if (!is_first)
            jl_put_char(out, ',');
        is_first = false;
        jl_put_json_string(out, row->key, strlen(row->key));
        jl_put_char(out, ':');
        if (is_on_chain)
            put_on_chain(out, chain, level, root);
        else if (is_head)
            jl_put_json_string(out, i == 0 ? root->kind->api_version : root->kind->kind,
                               strlen(i == 0 ? root->kind->api_version : root->kind->kind));
        else
            put_good(out, row, root);
    }
    if (chain->extra && level == chain->depth) {
        jl_put_string(out, is_first ? "\"" : ",\"");
        jl_put_string(out, chain->extra);
        jl_put_string(out, "\":1");
    }
    jl_put_char(out, '}');
}

/* "status.cpu.packages[0].index", with the items that put_on_chain writes. */
static void put_path(struct jl_buffer *out, const struct chain *chain)
{
    for (size_t i = 0; i < chain->depth; i++) {
        if (i > 0)
            jl_put_char(out, '.');
        jl_put_string(out, chain->rows[i]->key);
        if (chain->rows[i]->type == JL_TYPE_LIST && (i + 1 < chain->depth || chain->extra))
            jl_put_string(out, "[0]");
    }
    if (chain->extra) {
        if (chain->depth > 0)
            jl_put_char(out, '.');
        jl_put_string(out, chain->extra);
    }
}

struct verdict {
    int code;
    const char *where_suffix; /* after the path of the chain */
};

static size_t documents;

/*
 * What the table alone says. For the kinds of another project, where `validate` also judges texts
 * and relations between members: tests/fusion.
 */
static int decode_alone(const struct jl_table *root, const struct jl_buffer *text, char **answer,
                        struct joulie_error *err)
{
    struct jl_arena arena = { 0 };
    struct jl_decode decode = { .arena = &arena, .text = text->data, .len = text->len, .err = err };
    void *object = jl_arena_alloc(&arena, root->size);
    const int rc = jl_decode_document(&decode, root, object);
    struct jl_buffer out = { 0 };
    jl_put_string(&out, "{}");
    *answer = rc == JOULIE_OK ? jl_buffer_take(&out) : NULL;
    jl_buffer_clear(&out);
    jl_arena_clear(&arena);
    return rc;
}

static void check(const struct jl_table *root, const struct chain *chain, struct verdict expected)
{
    struct jl_buffer text = { 0 };
    struct jl_buffer where = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;

    put_object(&text, root, chain, 0, root);
    put_path(&where, chain);
    jl_put_string(&where, expected.where_suffix ? expected.where_suffix : "");
    const int rc = root->kind->is_foreign
                       ? decode_alone(root, &text, &answer, &err)
                       : joulie_ask("validate", text.data, text.len, NULL, &answer, &err);
    if (rc != expected.code)
        fail_msg("%s: %s instead of %s", text.data, joulie_code_word(rc),
                 joulie_code_word(expected.code));
    if (rc == JOULIE_OK)
        assert_string_equal(answer, "{}");
    else if (strcmp(err.where, where.data) != 0)
        fail_msg("%s: at %s instead of %s", text.data, err.where, where.data);
    documents++;
    joulie_free(answer);
    jl_buffer_clear(&text);
    jl_buffer_clear(&where);
}

static void check_value(const struct jl_table *root, struct chain chain, const char *value,
                        int code)
{
    chain.value = value;
    check(root, &chain, (struct verdict){ .code = code });
}

static void check_number(const struct jl_table *root, struct chain chain, double value, int code)
{
    struct jl_buffer text = { 0 };
    jl_put_double(&text, value);
    check_value(root, chain, text.data, code);
    jl_buffer_clear(&text);
}

static const char *value_of_another_type(const struct jl_row *row)
{
    switch (row->type) {
    case JL_TYPE_NUMBER:
    case JL_TYPE_INTEGER:
    case JL_TYPE_BOOL:
        return "\"12\"";
    case JL_TYPE_QUANTITY:
    case JL_TYPE_RANGE:
        return "true";
    case JL_TYPE_STRING:
    case JL_TYPE_ENUM:
    case JL_TYPE_TIME:
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
    case JL_TYPE_MAP:
    case JL_TYPE_DICT:
    case JL_TYPE_RAW:
        break;
    }
    return "5";
}

static void check_bounds(const struct jl_table *root, const struct chain *chain,
                         const struct jl_row *row)
{
    if (row->is.has_min) {
        const bool is_exclusive = row->is.exclusive_min;
        check_number(root, *chain, row->min - 1, JOULIE_E_RANGE);
        check_number(root, *chain, row->min, is_exclusive ? JOULIE_E_RANGE : JOULIE_OK);
    }
    if (row->is.has_max) {
        check_number(root, *chain, row->max + 1, JOULIE_E_RANGE);
        check_number(root, *chain, row->max, JOULIE_OK);
    }
}

static void check_words(const struct jl_table *root, const struct chain *chain,
                        const struct jl_row *row)
{
    check_value(root, *chain, "\"bogus\"", JOULIE_E_ENUM);
    check_value(root, *chain, "\"\"", JOULIE_E_ENUM);
    for (size_t i = 0; i < row->words->count; i++) {
        struct jl_buffer text = { 0 };
        jl_put_json_string(&text, row->words->items[i].word, strlen(row->words->items[i].word));
        check_value(root, *chain, text.data, JOULIE_OK);
        jl_buffer_clear(&text);
    }
}

static void check_strings(const struct jl_table *root, struct chain chain)
{
    chain.value = "[\"a\",5]";
    check(root, &chain, (struct verdict){ .code = JOULIE_E_TYPE, .where_suffix = "[1]" });
}

static void check_row(const struct jl_table *root, const struct chain *chain)
{
    const struct jl_row *row = chain->rows[chain->depth - 1];
    const bool is_root_head = chain->depth == 1 && row - root->rows < 2;
    check_value(root, *chain, value_of_another_type(row), JOULIE_E_TYPE);
    if (!is_root_head) { /* of any kind; without them nobody knows which kind it is */
        const int code = row->is.required ? JOULIE_E_REQUIRED : JOULIE_OK;
        check_value(root, *chain, OMIT, code);
        check_value(root, *chain, "null", code);
    }
    if (row->type == JL_TYPE_INTEGER) {
        check_value(root, *chain, "1.5", JOULIE_E_TYPE);
        check_value(root, *chain, "1.0", JOULIE_OK);
        check_value(root, *chain, "9223372036854775808", JOULIE_E_RANGE);
    }
    check_bounds(root, chain, row);
    if (row->words)
        check_words(root, chain, row);
    if (row->type == JL_TYPE_STRINGS)
        check_strings(root, *chain);
    if (row->is.any_members)
        check_value(root, *chain, "{\"any\":{\"thing\":[null,1]}}", JOULIE_OK);
}

static void check_table(const struct jl_table *root, const struct jl_table *table,
                        struct chain *chain)
{
    chain->extra = "noSuchMember";
    if (!(table->flags & JL_OPEN))
        check(root, chain, (struct verdict){ .code = JOULIE_E_UNKNOWN_MEMBER });
    chain->extra = NULL;

    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        if (table->flags & JL_OPEN) /* metadata: tests/rooms/decode */
            continue;
        assert_true(chain->depth < MAX_DEPTH);
        chain->rows[chain->depth++] = row;
        check_row(root, chain);
        if (row->child)
            check_table(root, row->child, chain);
        chain->depth--;
    }
}

static void a_document_that_breaks_one_constraint_is_refused_with_its_code_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        struct chain chain = { .depth = 0 };
        if (!jl_kinds[i]->kind->is_core)
            check_table(jl_kinds[i], jl_kinds[i], &chain);
    }
    assert_true(documents > 2000); /* the walk reached the leaves */
}

static void refuses(const char *text, int code, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    assert_int_equal(joulie_ask("validate", text, strlen(text), NULL, &answer, &err), code);
    assert_string_equal(err.where, where);
}

static void a_document_needs_a_version_and_a_kind_that_we_have(void **state)
{
    (void)state;
    refuses("{\"kind\":\"NodeTwin\"}", JOULIE_E_REQUIRED, "apiVersion");
    refuses("{\"apiVersion\":\"joulie.io/v1alpha1\"}", JOULIE_E_REQUIRED, "kind");
    refuses("{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":null}", JOULIE_E_REQUIRED, "kind");
    refuses("{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":5}", JOULIE_E_TYPE, "kind");
    refuses("{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"PowerPolicy\"}",
            JOULIE_E_UNSUPPORTED, "kind");
    refuses("{\"apiVersion\":\"joulie.io/v1\",\"kind\":\"NodeTwin\"}", JOULIE_E_UNSUPPORTED,
            "apiVersion");
    refuses("[]", JOULIE_E_TYPE, "");
}

/* x-kubernetes-list-type: map of NodeHardware; the API server refuses a second item with
 * the same key. */
static void an_item_of_a_keyed_list_comes_once(void **state)
{
#define HARDWARE(status)                                                  \
    "{\"apiVersion\":\"joulie.io/"                                        \
    "v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"x\"}," \
    "\"spec\":{\"nodeName\":\"n\"},\"status\":" status "}"
    (void)state;
    refuses(HARDWARE("{\"cpu\":{\"packages\":[{\"index\":0},{\"index\":1},{\"index\":0.0}]}}"),
            JOULIE_E_CONFLICT, "status.cpu.packages[2]");
    refuses(HARDWARE("{\"gpu\":{\"devices\":[{\"id\":\"GPU-0\"},{\"id\":\"GPU-0\"}]}}"),
            JOULIE_E_CONFLICT, "status.gpu.devices[1]");
#undef HARDWARE
}

static void a_core_object_may_have_members_that_we_do_not_read(void **state)
{
    static const char pod[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"x\":1},"
        "\"spec\":{\"dnsPolicy\":\"Default\",\"containers\":[{\"name\":\"c\",\"image\":\"i\","
        "\"resources\":{\"requests\":{\"cpu\":2,\"memory\":\"1Gi\"}}}]},\"status\":{\"qosClass\":"
        "\"x\"}}";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    (void)state;
    assert_int_equal(joulie_ask("validate", pod, strlen(pod), NULL, &answer, &err), JOULIE_OK);
    assert_string_equal(answer, "{}");
    joulie_free(answer);
    refuses("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"nodeName\":5}}", JOULIE_E_TYPE,
            "spec.nodeName");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_that_breaks_one_constraint_is_refused_with_its_code_and_place),
        cmocka_unit_test(a_document_needs_a_version_and_a_kind_that_we_have),
        cmocka_unit_test(an_item_of_a_keyed_list_comes_once),
        cmocka_unit_test(a_core_object_may_have_members_that_we_do_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
