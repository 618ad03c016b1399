/* SPDX-License-Identifier: Apache-2.0 */

/*
 * explain: reference of a kind or one of its fields, from the tables
 * (docs/rules/documents.md#reference).
 */

#include "schema/explain.h"

#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/kinds.h"

#define RECORD explain_in
#define MEMBERS                                                                             \
    STRING(kind, "kind",                                                                    \
           "Lower-case kind, plural or short name, one of another project with its group; " \
           "without path, a path may follow behind a dot.",                                 \
           REQUIRED)                                                                        \
    STRING(path, "path", "Field, such as status.gpu.devices[].id.")
#include "schema/record.h"

#define RECORD column
#define MEMBERS                                     \
    STRING(name, "name", "Heading.")                \
    STRING(path, "path", "JSON path of the value.") \
    STRING(type, "type", "How the value is printed.")
#include "schema/record.h"

/* A member of what is explained. */
#define RECORD field
#define MEMBERS                                                                             \
    STRING(name, "name", "Key of the member.")                                              \
    STRING(type, "type", "Type in the schema.")                                             \
    BOOLEAN(required, "required", "Whether the object that holds the member must have it.") \
    STRING(description, "description", "What the member means.")
#include "schema/record.h"

/* The first members are about a field, those from plural on about a kind, fields about both. */
#define RECORD explain_out
#define MEMBERS                                                                                    \
    STRING(type, "type", "Type in the schema.")                                                    \
    STRINGS(words, "enum", "Words that the field may hold.")                                       \
    NUMBER(minimum, "minimum", "Lower bound.")                                                     \
    BOOLEAN(exclusive_minimum, "exclusiveMinimum", "True when the lower bound itself is refused.") \
    NUMBER(maximum, "maximum", "Upper bound.")                                                     \
    BOOLEAN(required, "required", "Whether the object that holds the field must have it.")         \
    BOOLEAN(preserve_unknown, "preserveUnknown", "True when any member is kept.")                  \
    STRING(description, "description", "What the field means.")                                    \
    STRING(plural, "plural", "Plural name.")                                                       \
    STRING(singular, "singular", "Singular name.")                                                 \
    STRINGS(short_names, "shortNames", "Short names.")                                             \
    STRING(scope, "scope", "Cluster or Namespaced.")                                               \
    LIST(columns, "columns", column, "Columns of kubectl get.")                                    \
    LIST(fields, "fields", field,                                                                  \
         "Members of the kind, or of the object or item that the field holds.")
#include "schema/record.h"

static int list_words(struct jl_ask *ask, const struct jl_words *words, struct jl_list *out)
{
    const char **items = JL_NEW_ARRAY(ask->arena, words->count, const char *);
    if (!items)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < words->count; i++)
        items[i] = words->items[i].word;
    *out = (struct jl_list){ .items = items, .count = words->count };
    return 0;
}

/* One line for each member of a table. */
static int list_fields(struct jl_ask *ask, const struct jl_table *table, struct explain_out *out)
{
    struct field *fields = JL_NEW_ARRAY(ask->arena, table->count, struct field);
    if (!fields)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        JL_SET(&fields[i], name, row->key);
        JL_SET(&fields[i], type, jl_schema_type(row));
        JL_SET(&fields[i], required, row->is.required);
        JL_SET(&fields[i], description, row->doc);
    }
    JL_SET(out, fields, ((struct jl_list){ .items = fields, .count = table->count }));
    return 0;
}

static int explain_field(struct jl_ask *ask, const struct jl_field *field, struct explain_out *out)
{
    const struct jl_row *row = field->row;
    JL_SET(out, type, field->type);
    JL_SET_IF(out, description, row->doc != NULL, row->doc);
    JL_SET(out, required, !field->is_item && row->is.required);
    const int rc = row->child ? list_fields(ask, row->child, out) : 0;
    if (rc < 0 || field->is_item)
        return rc;
    JL_SET_IF(out, minimum, row->is.has_min, row->min);
    JL_SET_IF(out, exclusive_minimum, row->is.exclusive_min, true);
    JL_SET_IF(out, maximum, row->is.has_max, row->max);
    JL_SET_IF(out, preserve_unknown, row->is.any_members, true);
    if (!row->words)
        return 0;
    out->given.words = true;
    return list_words(ask, row->words, &out->words);
}

static int explain_kind(struct jl_ask *ask, const struct jl_table *table, struct explain_out *out)
{
    const struct jl_kind *kind = table->kind;
    const char **short_names = JL_NEW(ask->arena, const char *);
    struct column *columns = JL_NEW_ARRAY(ask->arena, kind->column_count, struct column);
    if (!short_names || !columns)
        return jl_fail_memory(ask->err);
    *short_names = kind->short_name;
    const size_t short_name_count = kind->short_name ? 1 : 0;
    for (size_t i = 0; i < kind->column_count; i++) {
        JL_SET(&columns[i], name, kind->columns[i].name);
        JL_SET(&columns[i], path, kind->columns[i].path);
        JL_SET(&columns[i], type, kind->columns[i].type);
    }
    JL_SET(out, plural, kind->plural);
    JL_SET(out, singular, kind->singular);
    JL_SET(out, short_names, ((struct jl_list){ .items = short_names, .count = short_name_count }));
    JL_SET(out, scope, kind->scope);
    JL_SET(out, columns, ((struct jl_list){ .items = columns, .count = kind->column_count }));
    return list_fields(ask, table, out);
}

/* text is "KIND[.PATH]", word the KIND: perhaps a kind of another project without its group. */
static int fail_unknown(struct jl_ask *ask, const char *text, const char *word)
{
    const bool has_version = jl_text_find(jl_text(text), '/') < strlen(text);
    for (size_t i = 0; i < jl_kind_count && !has_version; i++) {
        const struct jl_kind *kind = jl_kinds[i]->kind;
        if (kind->is_foreign && (jl_same_nocase(jl_text(word), kind->singular) ||
                                 jl_same_nocase(jl_text(word), kind->plural)))
            return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind",
                               "%s is a kind of another project, whose group belongs behind it: "
                               "%s.%.*s",
                               kind->kind, kind->singular, (int)strcspn(kind->api_version, "/"),
                               kind->api_version);
    }
    if (has_version)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind",
                           "\"%.64s\": a kind is written KIND or KIND.GROUP, without a version",
                           text);
    return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind \"%.64s\"", word);
}

/*
 * The kind of "KIND[.PATH]" and where its path stands. The longest name counts: a group has dots,
 * and kinds of other projects can have a name of ours in front of it.
 */
static int find_kind(struct jl_ask *ask, const char *text, const struct jl_table **out,
                     const char **out_path)
{
    char *name = jl_arena_copy(ask->arena, text, strlen(text));
    if (!name)
        return jl_fail_memory(ask->err);
    for (char *point = NULL;; *point = '\0') {
        const struct jl_table *table = jl_kind_by_word(name);
        if (table) {
            *out = table;
            *out_path = point ? text + (point - name) + 1 : NULL;
            return 0;
        }
        point = strrchr(name, '.');
        if (!point)
            return fail_unknown(ask, text, name);
    }
}

/* Core kinds have their own reference: of them the tables list only what we read. */
static int answer_explain(struct jl_ask *ask, const struct explain_in *in, struct explain_out *out)
{
    const struct jl_table *table = NULL;
    const char *path = NULL;
    struct jl_field field;
    const int rc = find_kind(ask, in->kind, &table, &path);
    if (rc < 0)
        return rc;
    if (table->kind->is_core || (path && in->given.path))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind \"%.64s\"",
                           in->kind);
    path = JL_GIVEN_OR(in, path, path);
    if (!path)
        return explain_kind(ask, table, out);
    if (!jl_field_find(table, path, &field))
        return jl_ask_fail(ask, JOULIE_E_UNKNOWN_MEMBER, "path", "%s has no field \"%.128s\"",
                           table->kind->kind, path);
    return explain_field(ask, &field, out);
}

JL_QUESTION(explain, "explain", "reference of a kind or of one of its fields");
