/* SPDX-License-Identifier: Apache-2.0 */

/* explain: reference of a kind or one of its fields, from the schema tables (cli.md §3). */

#include "schema/explain.h"

#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/kinds.h"

struct explain_in {
    uint64_t has;
    const char *kind;
    const char *path;
};

enum { IN_KIND, IN_PATH };

static const struct jl_row in_rows[] = {
    [IN_KIND] =
        JL_STRING(explain_in, kind, "kind", .flags = JL_REQUIRED,
                  .doc = "Lower-case kind, plural or short name, one of another project with its "
                         "group; without path, a path may follow behind a dot."),
    [IN_PATH] =
        JL_STRING(explain_in, path, "path", .doc = "Field, such as status.gpu.devices[].id."),
};
static const struct jl_table in_table = JL_TABLE(explain_in, in_rows);

struct column {
    uint64_t has;
    const char *name;
    const char *path;
    const char *type;
};

enum { COLUMN_NAME, COLUMN_PATH, COLUMN_TYPE };

static const struct jl_row column_rows[] = {
    [COLUMN_NAME] = JL_STRING(column, name, "name", .doc = "Heading."),
    [COLUMN_PATH] = JL_STRING(column, path, "path", .doc = "JSON path of the value."),
    [COLUMN_TYPE] = JL_STRING(column, type, "type", .doc = "How the value is printed."),
};
static const struct jl_table column_table = JL_TABLE(column, column_rows);

struct explain_out { /* the first rows for a field, the others for a kind */
    uint64_t has;
    const char *type;
    struct jl_list words;
    double minimum;
    bool exclusive_minimum;
    double maximum;
    bool required;
    bool preserve_unknown;
    const char *description;
    const char *plural;
    const char *singular;
    struct jl_list short_names;
    const char *scope;
    struct jl_list columns;
};

enum {
    OUT_TYPE,
    OUT_ENUM,
    OUT_MINIMUM,
    OUT_EXCLUSIVE_MINIMUM,
    OUT_MAXIMUM,
    OUT_REQUIRED,
    OUT_PRESERVE_UNKNOWN,
    OUT_DESCRIPTION,
    OUT_PLURAL,
    OUT_SINGULAR,
    OUT_SHORT_NAMES,
    OUT_SCOPE,
    OUT_COLUMNS,
};

static const struct jl_row out_rows[] = {
    [OUT_TYPE] = JL_STRING(explain_out, type, "type", .doc = "Type in the schema."),
    [OUT_ENUM] = JL_STRINGS(explain_out, words, "enum", .doc = "Words that the field may hold."),
    [OUT_MINIMUM] = JL_NUMBER(explain_out, minimum, "minimum", .doc = "Lower bound."),
    [OUT_EXCLUSIVE_MINIMUM] = JL_BOOLEAN(explain_out, exclusive_minimum, "exclusiveMinimum",
                                         .doc = "True when the lower bound itself is refused."),
    [OUT_MAXIMUM] = JL_NUMBER(explain_out, maximum, "maximum", .doc = "Upper bound."),
    [OUT_REQUIRED] = JL_BOOLEAN(explain_out, required, "required",
                                .doc = "Whether the object that holds the field must have it."),
    [OUT_PRESERVE_UNKNOWN] = JL_BOOLEAN(explain_out, preserve_unknown, "preserveUnknown",
                                        .doc = "True when any member is kept."),
    [OUT_DESCRIPTION] =
        JL_STRING(explain_out, description, "description", .doc = "What the field means."),
    [OUT_PLURAL] = JL_STRING(explain_out, plural, "plural", .doc = "Plural name."),
    [OUT_SINGULAR] = JL_STRING(explain_out, singular, "singular", .doc = "Singular name."),
    [OUT_SHORT_NAMES] = JL_STRINGS(explain_out, short_names, "shortNames", .doc = "Short names."),
    [OUT_SCOPE] = JL_STRING(explain_out, scope, "scope", .doc = "Cluster or Namespaced."),
    [OUT_COLUMNS] =
        JL_LIST(explain_out, columns, "columns", &column_table, .doc = "Columns of kubectl get."),
};
static const struct jl_table out_table = JL_TABLE(explain_out, out_rows);

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

static int explain_field(struct jl_ask *ask, const struct jl_field *field, struct explain_out *out)
{
    const struct jl_row *row = field->row;
    JL_PUT(out, OUT_TYPE, type, field->type);
    if (row->doc)
        JL_PUT(out, OUT_DESCRIPTION, description, row->doc);
    JL_PUT(out, OUT_REQUIRED, required, !field->is_item && (row->flags & JL_REQUIRED) != 0);
    if (field->is_item)
        return 0;
    if (row->flags & JL_HAS_MIN)
        JL_PUT(out, OUT_MINIMUM, minimum, row->min);
    if (row->flags & JL_EXCLUSIVE_MIN)
        JL_PUT(out, OUT_EXCLUSIVE_MINIMUM, exclusive_minimum, true);
    if (row->flags & JL_HAS_MAX)
        JL_PUT(out, OUT_MAXIMUM, maximum, row->max);
    if (row->flags & JL_PRESERVE)
        JL_PUT(out, OUT_PRESERVE_UNKNOWN, preserve_unknown, true);
    if (!row->words)
        return 0;
    JL_MARK(out, OUT_ENUM);
    return list_words(ask, row->words, &out->words);
}

static int explain_kind(struct jl_ask *ask, const struct jl_kind *kind, struct explain_out *out)
{
    const char **short_names = JL_NEW(ask->arena, const char *);
    struct column *columns = JL_NEW_ARRAY(ask->arena, kind->column_count, struct column);
    if (!short_names || !columns)
        return jl_fail_memory(ask->err);
    *short_names = kind->short_name;
    const size_t short_name_count = kind->short_name ? 1 : 0;
    for (size_t i = 0; i < kind->column_count; i++) {
        JL_PUT(&columns[i], COLUMN_NAME, name, kind->columns[i].name);
        JL_PUT(&columns[i], COLUMN_PATH, path, kind->columns[i].path);
        JL_PUT(&columns[i], COLUMN_TYPE, type, kind->columns[i].type);
    }
    JL_PUT(out, OUT_PLURAL, plural, kind->plural);
    JL_PUT(out, OUT_SINGULAR, singular, kind->singular);
    JL_PUT(out, OUT_SHORT_NAMES, short_names,
           ((struct jl_list){ .items = short_names, .count = short_name_count }));
    JL_PUT(out, OUT_SCOPE, scope, kind->scope);
    JL_PUT(out, OUT_COLUMNS, columns,
           ((struct jl_list){ .items = columns, .count = kind->column_count }));
    return 0;
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
static int answer(struct jl_ask *ask, const void *in_struct, void *out)
{
    const struct explain_in *in = in_struct;
    const struct jl_table *table = NULL;
    const char *path = NULL;
    struct jl_field field;
    const int rc = find_kind(ask, in->kind, &table, &path);
    if (rc < 0)
        return rc;
    if (table->kind->is_core || (path && JL_HAS(in, IN_PATH)))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind \"%.64s\"",
                           in->kind);
    if (JL_HAS(in, IN_PATH))
        path = in->path;
    if (!path)
        return explain_kind(ask, table->kind, out);
    if (!jl_field_find(table, path, &field))
        return jl_ask_fail(ask, JOULIE_E_UNKNOWN_MEMBER, "path", "%s has no field \"%.128s\"",
                           table->kind->kind, path);
    return explain_field(ask, &field, out);
}

const struct jl_question jl_question_explain = {
    .name = "explain",
    .summary = "reference of a kind or of one of its fields",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
