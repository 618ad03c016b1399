/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Prints the CustomResourceDefinition of a kind from its table
 * (docs/rules/documents.md#definitions).
 */

#include "schema/crd.h"

#include <string.h>

#include "schema/explain.h"
#include "schema/list_keys.h"

/* Texts from the tables are written in double quotes, so that no word is taken for a YAML boolean
 * or null. */
static void put_quoted(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}

static void put_indent(struct jl_buffer *out, int indent)
{
    for (int i = 0; i < indent; i++)
        jl_put_char(out, ' ');
}

/* "key:" on a line of its own. */
static void put_key(struct jl_buffer *out, int indent, const char *key)
{
    put_indent(out, indent);
    jl_put_string(out, key);
    jl_put_string(out, ":\n");
}

static void put_plain(struct jl_buffer *out, int indent, const char *key, const char *value)
{
    put_indent(out, indent);
    jl_put_string(out, key);
    jl_put_string(out, ": ");
    jl_put_string(out, value);
    jl_put_char(out, '\n');
}

static void put_text(struct jl_buffer *out, int indent, const char *key, const char *value)
{
    put_indent(out, indent);
    jl_put_string(out, key);
    jl_put_string(out, ": ");
    put_quoted(out, value);
    jl_put_char(out, '\n');
}

static void put_number(struct jl_buffer *out, int indent, const char *key, double value)
{
    put_indent(out, indent);
    jl_put_string(out, key);
    jl_put_string(out, ": ");
    jl_put_double(out, value);
    jl_put_char(out, '\n');
}

static void put_item(struct jl_buffer *out, int indent, const char *text)
{
    put_indent(out, indent);
    jl_put_string(out, "- ");
    put_quoted(out, text);
    jl_put_char(out, '\n');
}

/* The keys of rows that are required, or tell items apart, as a list below a key; nothing when
 * there are none. */
static void put_keys(struct jl_buffer *out, int indent, const char *key,
                     const struct jl_table *table, bool are_list_keys)
{
    bool is_first = true;
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row_flags is = table->rows[i].is;
        if (is.later || !(are_list_keys ? is.list_key : is.required))
            continue;
        if (is_first)
            put_key(out, indent, key);
        is_first = false;
        put_item(out, indent, table->rows[i].key);
    }
}

static void put_row(struct jl_buffer *out, int indent, const struct jl_row *row);

static void put_object(struct jl_buffer *out, int indent, const struct jl_table *table)
{
    if (table->count > 0)
        put_key(out, indent, "properties");
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].is.later)
            continue;
        put_key(out, indent + 2, table->rows[i].key);
        put_row(out, indent + 4, &table->rows[i]);
    }
    put_keys(out, indent, "required", table, false);
    if (table->flags & JL_ATOMIC_MAP)
        put_plain(out, indent, "x-kubernetes-map-type", "atomic");
}

static void put_atomic(struct jl_buffer *out, int indent, const struct jl_row *row)
{
    if (row->is.atomic)
        put_plain(out, indent, "x-kubernetes-list-type", "atomic");
}

static void put_list(struct jl_buffer *out, int indent, const struct jl_row *row)
{
    put_key(out, indent, "items");
    if (row->type != JL_TYPE_LIST) {
        put_plain(out, indent + 2, "type", row->type == JL_TYPE_STRINGS ? "string" : "number");
        put_atomic(out, indent, row);
        return;
    }
    put_plain(out, indent + 2, "type", "object");
    put_object(out, indent + 2, row->child);
    if (jl_has_list_keys(row->child)) {
        put_plain(out, indent, "x-kubernetes-list-type", "map");
        put_keys(out, indent, "x-kubernetes-list-map-keys", row->child, true);
    }
    put_atomic(out, indent, row);
}

static void put_bounds(struct jl_buffer *out, int indent, const struct jl_row *row)
{
    if (row->is.has_min)
        put_number(out, indent, "minimum", row->min);
    if (row->is.exclusive_min)
        put_plain(out, indent, "exclusiveMinimum", "true");
    if (row->is.has_max)
        put_number(out, indent, "maximum", row->max);
}

static void put_words(struct jl_buffer *out, int indent, const struct jl_words *words)
{
    put_key(out, indent, "enum");
    for (size_t i = 0; i < words->count; i++)
        put_item(out, indent, words->items[i].word);
}

/* Kubernetes' own pattern, which the API server holds against strings only: it takes exponents with
 * fractions, that the quantity parser refuses. */
#define QUANTITY_PATTERN                                       \
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|" \
    "[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"

static void put_quantity(struct jl_buffer *out, int indent)
{
    put_key(out, indent, "anyOf");
    put_plain(out, indent, "- type", "integer");
    put_plain(out, indent, "- type", "string");
    put_text(out, indent, "pattern", QUANTITY_PATTERN);
    put_plain(out, indent, "x-kubernetes-int-or-string", "true");
}

static void put_row(struct jl_buffer *out, int indent, const struct jl_row *row)
{
    if (row->doc)
        put_text(out, indent, "description", row->doc);
    if (row->type == JL_TYPE_QUANTITY) {
        put_quantity(out, indent);
        return;
    }
    put_plain(out, indent, "type", jl_schema_type(row));
    if (row->is.as_int64)
        put_plain(out, indent, "format", "int64");
    if (row->is.as_int32 && row->type == JL_TYPE_INTEGER)
        put_plain(out, indent, "format", "int32");
    if (row->words)
        put_words(out, indent, row->words);
    put_bounds(out, indent, row);
    if (row->type == JL_TYPE_OBJECT)
        put_object(out, indent, row->child);
    else if (row->type == JL_TYPE_LIST || row->type == JL_TYPE_STRINGS ||
             row->type == JL_TYPE_NUMBERS)
        put_list(out, indent, row);
    if (row->is.any_members)
        put_plain(out, indent, "x-kubernetes-preserve-unknown-fields", "true");
}

/* The API server knows metadata itself and refuses a schema that says more than its type. */
static void put_root(struct jl_buffer *out, int indent, const struct jl_table *table)
{
    put_key(out, indent, "openAPIV3Schema");
    if (table->doc)
        put_text(out, indent + 2, "description", table->doc);
    put_plain(out, indent + 2, "type", "object");
    put_key(out, indent + 2, "properties");
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        put_key(out, indent + 4, row->key);
        if (jl_same(row->key, "metadata"))
            put_plain(out, indent + 6, "type", "object");
        else
            put_row(out, indent + 6, row);
    }
    put_keys(out, indent + 2, "required", table, false);
}

static void put_columns(struct jl_buffer *out, int indent, const struct jl_kind *kind)
{
    if (kind->column_count == 0)
        return;
    put_key(out, indent, "additionalPrinterColumns");
    for (size_t i = 0; i < kind->column_count; i++) {
        put_text(out, indent, "- name", kind->columns[i].name);
        put_plain(out, indent + 2, "type", kind->columns[i].type);
        put_text(out, indent + 2, "jsonPath", kind->columns[i].path);
    }
}

static struct jl_text group_of(const struct jl_kind *kind)
{
    return (struct jl_text){ kind->api_version, strcspn(kind->api_version, "/") };
}

static void put_names(struct jl_buffer *out, int indent, const struct jl_kind *kind)
{
    put_key(out, indent, "names");
    put_plain(out, indent + 2, "kind", kind->kind);
    put_indent(out, indent + 2);
    jl_put_string(out, "listKind: ");
    jl_put_string(out, kind->kind);
    jl_put_string(out, "List\n");
    put_plain(out, indent + 2, "plural", kind->plural);
    put_plain(out, indent + 2, "singular", kind->singular);
    if (!kind->short_name)
        return;
    put_key(out, indent + 2, "shortNames");
    put_item(out, indent + 2, kind->short_name);
}

void jl_crd_write(struct jl_buffer *out, const struct jl_table *table)
{
    const struct jl_kind *kind = table->kind;
    const struct jl_text group = group_of(kind);

    jl_put_string(out, "---\n"
                       "# SPDX-License-Identifier: Apache-2.0\n"
                       "# Printed by joulie crd from the tables in libjoulie/kinds: change those.\n"
                       "apiVersion: apiextensions.k8s.io/v1\n"
                       "kind: CustomResourceDefinition\n"
                       "metadata:\n"
                       "  name: ");
    jl_put_string(out, kind->plural);
    jl_put_char(out, '.');
    jl_put(out, group.ptr, group.len);
    jl_put_string(out, "\nspec:\n  group: ");
    jl_put(out, group.ptr, group.len);
    jl_put_char(out, '\n');
    put_names(out, 2, kind);
    put_plain(out, 2, "scope", kind->scope);
    put_key(out, 2, "versions");
    put_plain(out, 2, "- name", group.ptr + group.len + 1);
    put_plain(out, 4, "served", "true");
    put_plain(out, 4, "storage", "true");
    if (kind->has_status) {
        put_key(out, 4, "subresources");
        put_plain(out, 6, "status", "{}");
    }
    put_columns(out, 4, kind);
    put_key(out, 4, "schema");
    put_root(out, 6, table);
}

void jl_crd_file_name(struct jl_buffer *out, const struct jl_table *table)
{
    const struct jl_text group = group_of(table->kind);
    jl_put(out, group.ptr, group.len);
    jl_put_char(out, '_');
    jl_put_string(out, table->kind->plural);
    jl_put_string(out, ".yaml");
}
