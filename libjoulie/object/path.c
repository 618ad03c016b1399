/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A path as text to its steps, each checked against the table of the kind. Called by get.c and
 * set.c. Implements docs/rules/kubernetes-objects.md#paths.
 */

#include "object/path.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "schema/explain.h"

/* A path that is being read, and what the table has where it has come to. */
struct reader {
    struct jl_location *location;
    struct joulie_error *err;
    const struct jl_table *table; /* of the object at hand; NULL: none */
    bool takes_foreign;
    size_t pos;  /* in the path */
    size_t used; /* bytes of location->keys */
};

int jl_location_fail(const struct jl_location *location, size_t steps, struct joulie_error *err,
                     int code, const char *message)
{
    char where[JL_LIMIT_PATH_BYTES + 1];
    const size_t len = steps > 0 ? location->steps[steps - 1].end : 0;
    memcpy(where, location->path, len);
    where[len] = '\0';
    return jl_fail(err, code, where, "%s", message);
}

static int fail_grammar(const struct reader *reader, const char *message)
{
    return jl_fail(reader->err, JOULIE_E_PARSE, reader->location->path, "%s", message);
}

static bool is_in_map(const struct jl_location *location)
{
    return location->kind == JL_LOCATION_MEMBER && location->row->type == JL_TYPE_MAP;
}

/* A key as it stands, up to the next step; all that is left of the path when it is of a map. */
static int read_plain_key(struct reader *reader)
{
    const char *text = reader->location->path + reader->pos;
    const size_t len = is_in_map(reader->location) ? strlen(text) : strcspn(text, ".[");
    if (len == 0)
        return fail_grammar(reader, "a key was expected");
    memcpy(reader->location->keys + reader->used, text, len);
    reader->used += len;
    reader->pos += len;
    return 0;
}

/* "a.b/c"], behind the bracket. */
static int read_quoted_key(struct reader *reader)
{
    const char *path = reader->location->path;
    size_t pos = reader->pos + 1;
    for (; path[pos] != '"'; pos++) {
        if (path[pos] == '\\' && (path[pos + 1] == '"' || path[pos + 1] == '\\'))
            pos++;
        if (path[pos] == '\0')
            return fail_grammar(reader, "a quote is missing");
        reader->location->keys[reader->used++] = path[pos];
    }
    if (path[pos + 1] != ']')
        return fail_grammar(reader, "a bracket is missing");
    reader->pos = pos + 2;
    return 0;
}

/* 12], behind the bracket. */
static int read_index(struct reader *reader, size_t *out)
{
    const char *text = reader->location->path + reader->pos;
    const size_t len = strcspn(text, "]");
    uint64_t index;
    if (text[len] == '\0')
        return fail_grammar(reader, "a bracket is missing");
    if (len == 0 || !jl_is_digit(text[0]) || jl_parse_u64(text, len, &index) < 0 ||
        index >= SIZE_MAX)
        return fail_grammar(reader, "an index or a key in quotes was expected");
    reader->pos += len + 1;
    *out = (size_t)index;
    return 0;
}

static int read_step(struct reader *reader)
{
    struct jl_location *location = reader->location;
    struct jl_step step = { .key = location->keys + reader->used };
    const char c = location->path[reader->pos];
    int rc;
    if (location->count == JL_LIMIT_NESTING)
        return jl_location_fail(location, location->count, reader->err, JOULIE_E_LIMIT,
                                "the path is nested too deep");
    if (c == '[' && location->path[reader->pos + 1] == '"') {
        reader->pos++;
        rc = read_quoted_key(reader);
    } else if (c == '[') {
        reader->pos++;
        step.key = NULL;
        rc = read_index(reader, &step.index);
    } else {
        if (location->count > 0 && c != '.')
            return fail_grammar(reader, "a dot or a bracket was expected");
        reader->pos += location->count > 0;
        rc = read_plain_key(reader);
    }
    if (rc < 0)
        return rc;
    if (step.key)
        location->keys[reader->used++] = '\0';
    step.end = reader->pos;
    location->steps[location->count++] = step;
    return 0;
}

static int enter(struct reader *reader, enum jl_location_kind kind, const struct jl_row *row,
                 const struct jl_table *table)
{
    reader->location->kind = kind;
    reader->location->row = row;
    reader->table = table;
    return 0;
}

static int enter_unknown(struct reader *reader)
{
    if (reader->takes_foreign)
        return enter(reader, JL_LOCATION_FREE, NULL, NULL);
    return jl_location_fail(reader->location, reader->location->count, reader->err,
                            JOULIE_E_UNKNOWN_MEMBER, "there is no such member");
}

static int enter_member(struct reader *reader, const char *key)
{
    const struct jl_row *row = key ? jl_row_find(reader->table, jl_text(key)) : NULL;
    if (row)
        return enter(reader, JL_LOCATION_MEMBER, row,
                     row->type == JL_TYPE_OBJECT ? row->child : NULL);
    if (key && (reader->table->flags & JL_OPEN))
        return enter(reader, JL_LOCATION_FREE, NULL, NULL);
    return enter_unknown(reader);
}

/* What the table has behind the step that was read last. */
static int follow(struct reader *reader)
{
    struct jl_location *location = reader->location;
    const char *key = location->steps[location->count - 1].key;
    if (location->kind == JL_LOCATION_FREE)
        return 0;
    if (reader->table)
        return enter_member(reader, key);
    if (location->kind != JL_LOCATION_MEMBER)
        return enter_unknown(reader);
    const struct jl_row *row = location->row;
    if (row->type == JL_TYPE_RAW)
        return enter(reader, JL_LOCATION_FREE, NULL, NULL);
    if (row->type == JL_TYPE_MAP && key)
        return enter(reader, JL_LOCATION_VALUE, row, NULL);
    if (row->type == JL_TYPE_LIST && !key)
        return enter(reader, JL_LOCATION_ITEM, row, row->child);
    if ((row->type == JL_TYPE_STRINGS || row->type == JL_TYPE_NUMBERS) && !key)
        return enter(reader, JL_LOCATION_VALUE, row, NULL);
    return enter_unknown(reader);
}

int jl_location_find(const struct jl_table *table, const char *path, bool takes_foreign,
                     struct jl_location *out, struct joulie_error *err)
{
    struct reader reader = {
        .location = out, .err = err, .table = table, .takes_foreign = takes_foreign
    };
    out->path = path ? path : "";
    out->kind = JL_LOCATION_ROOT;
    out->row = NULL;
    out->count = 0;
    const size_t len = strlen(out->path);
    if (!jl_utf8_valid(out->path, len)) /* a setter would make keys of it */
        return jl_fail(err, JOULIE_E_PARSE, "", "the path is not UTF-8");
    if (len > JL_LIMIT_PATH_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, out->path, "the path is longer than %d bytes",
                       JL_LIMIT_PATH_BYTES);
    while (out->path[reader.pos] != '\0') {
        int rc = read_step(&reader);
        if (rc == 0)
            rc = follow(&reader);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static unsigned holds_by_row(const struct jl_row *row)
{
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_ENUM:
    case JL_TYPE_TIME:
    case JL_TYPE_QUANTITY:
        return JL_HOLDS_TEXT;
    case JL_TYPE_NUMBER:
        return JL_HOLDS_NUMBER;
    case JL_TYPE_INTEGER:
        return JL_HOLDS_NUMBER | JL_HOLDS_INTEGER;
    case JL_TYPE_BOOL:
        return JL_HOLDS_BOOL;
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        return JL_HOLDS_LIST;
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
    case JL_TYPE_MAP:
    case JL_TYPE_DICT:
        return JL_HOLDS_OBJECT;
    case JL_TYPE_RAW:
    case JL_TYPE_RANGE:
        break;
    }
    return JL_HOLDS_ANYTHING;
}

unsigned jl_location_holds(const struct jl_location *location)
{
    switch (location->kind) {
    case JL_LOCATION_ROOT:
    case JL_LOCATION_ITEM:
        return JL_HOLDS_OBJECT;
    case JL_LOCATION_MEMBER:
        return holds_by_row(location->row);
    case JL_LOCATION_VALUE:
        return location->row->type == JL_TYPE_NUMBERS ? JL_HOLDS_NUMBER : JL_HOLDS_TEXT;
    case JL_LOCATION_FREE:
        break;
    }
    return JL_HOLDS_ANYTHING;
}

bool jl_location_is_fixed(const struct jl_location *location)
{
    return location->count == 1 && location->steps[0].key &&
           (jl_same(location->steps[0].key, "apiVersion") ||
            jl_same(location->steps[0].key, "kind"));
}
