/* SPDX-License-Identifier: Apache-2.0 */

/* JSON text into structs by their tables, in one pass (docs/rules/documents.md#json). */

#include "schema/decode.h"

#include <string.h>

#include "base/hint.h"
#include "base/limits.h"
#include "schema/json_scan.h"
#include "schema/presence.h"
#include "schema/read_values.h"

/* Root objects start with the same members: has, api_version, kind. */
struct root {
    uint64_t has;
    const char *api_version;
    const char *kind;
};

/* An API object of the kind that its place asks for, within the limit of one object. */
static int check_root(struct jl_walk *walk, const struct jl_path *at, size_t start,
                      const struct jl_table *table, const struct root *root)
{
    const struct jl_path kind_at = { .up = at, .key = jl_text("kind") };
    const struct jl_path version_at = { .up = at, .key = jl_text("apiVersion") };
    if (walk->json.pos - start > JL_LIMIT_OBJECT_BYTES)
        return jl_walk_fail(walk, JOULIE_E_LIMIT, at, start, "the object is larger than 16 MiB");
    if (root->kind && !jl_same(root->kind, table->kind->kind))
        return jl_decode_fail(walk->decode, JOULIE_E_ENUM, &kind_at, SIZE_MAX,
                              "a %s was expected, this is a %.64s", table->kind->kind, root->kind);
    if (root->api_version && !jl_same(root->api_version, table->kind->api_version))
        return jl_decode_fail(walk->decode, JOULIE_E_UNSUPPORTED, &version_at, SIZE_MAX,
                              "this build reads %s %s", table->kind->kind,
                              table->kind->api_version);
    return 0;
}

/* A key as text: the reader's own bytes, or in the arena when they have escapes. */
static int read_key_text(struct jl_walk *walk, const struct jl_path *owner,
                         const struct jl_json_string *key, struct jl_text *out)
{
    int code = 0;
    *out = key->raw;
    if (!key->has_escapes)
        return 0;
    out->ptr = jl_json_value(key, walk->decode->arena, &out->len, &code);
    return out->ptr ? 0 : jl_walk_fail(walk, code, owner, walk->json.pos, "the key cannot be read");
}

/* Documents mostly keep the order of the table: the search starts after the last hit. */
static const struct jl_row *row_of(const struct jl_table *table, struct jl_text key, size_t hint)
{
    for (size_t n = 0; n < table->count; n++, hint++) {
        const struct jl_row *row = &table->rows[hint < table->count ? hint : hint - table->count];
        if (row->quoted_len == key.len + JL_KEY_FRAME && jl_same_bytes(row->key, key.ptr, key.len))
            return row;
    }
    return NULL;
}

/* Whether a member tells that its object is whole: the part alone has no such member. */
static bool is_of_whole(const struct jl_row *row, const struct jl_table *part, struct jl_text key)
{
    return (jl_text_is(key, "kind") || jl_text_is(key, "metadata") || jl_text_is(key, row->part)) &&
           !row_of(part, key, 0);
}

/* Whether the object at the reader is a whole API object. */
static int is_whole(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                    const struct jl_table *part, bool *out)
{
    struct jl_walk copy = *walk; /* what is wrong in there is reported when it is read */
    struct jl_json_string key;
    struct jl_text text;
    bool more = false;
    *out = false;
    int rc = jl_json_peek(&copy.json) == JL_JSON_OBJECT ? jl_json_open(&copy.json) : JOULIE_E_TYPE;
    for (bool is_first = true; rc == 0; is_first = false) {
        rc = jl_json_member(&copy.json, is_first, &key, &more);
        if (rc < 0 || !more)
            return 0;
        rc = read_key_text(&copy, at, &key, &text);
        if (rc < 0)
            return rc;
        *out = is_of_whole(row, part, text);
        if (*out)
            return 0;
        rc = jl_json_skip(&copy.json);
    }
    return 0;
}

static int decode_checked(struct jl_walk *walk, const struct jl_path *at,
                          const struct jl_table *table, bool needs_kind, void *out);

static int read_whole(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                      void *out)
{
    const struct jl_row *part = row_of(row->child, jl_text(row->part), 0);
    bool whole;
    const int rc = is_whole(walk, at, row, part->child, &whole);
    if (rc < 0)
        return rc;
    if (whole)
        return decode_checked(walk, at, row->child, false, out);
    struct root *root = out;
    root->has |= UINT64_C(1) << (part - row->child->rows);
    return jl_walk_object(walk, at, part->child, (char *)out + part->offset);
}

static int read_value(struct jl_walk *walk, const struct jl_path *at, const struct jl_row *row,
                      void *member)
{
    switch (row->type) {
    case JL_TYPE_STRING:
        return jl_read_string(walk, at, member);
    case JL_TYPE_NUMBER:
        return jl_read_double(walk, at, row, member);
    case JL_TYPE_INTEGER:
        return jl_read_integer(walk, at, row, member);
    case JL_TYPE_BOOL:
        return jl_read_bool(walk, at, member);
    case JL_TYPE_ENUM:
        return jl_read_enum(walk, at, row, member);
    case JL_TYPE_TIME:
        return jl_read_time(walk, at, row, member);
    case JL_TYPE_OBJECT:
        return jl_walk_object(walk, at, row->child, member);
    case JL_TYPE_WHOLE:
        return read_whole(walk, at, row, member);
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        return jl_read_list(walk, at, row, member);
    case JL_TYPE_MAP:
        return jl_read_map(walk, at, row, member);
    case JL_TYPE_DICT:
        return jl_read_dict(walk, at, row, member);
    case JL_TYPE_RAW:
        return jl_read_raw(walk, at, row, member);
    case JL_TYPE_QUANTITY:
        return jl_read_quantity(walk, at, row, member);
    case JL_TYPE_RANGE:
        return jl_read_range(walk, at, row, member);
    }
    return JOULIE_E_INTERNAL;
}

/* Keeps a member that the table has no row for. */
static int keep_extra(struct jl_walk *walk, const struct jl_path *at, struct jl_extra **place)
{
    const struct jl_row any = { .type = JL_TYPE_RAW };
    int order = -1;
    if (jl_json_peek(&walk->json) == JL_JSON_NULL)
        return jl_walk_skip(walk, at);
    while (*place && (order = jl_compare_text((*place)->key, at->key)) < 0)
        place = &(*place)->next;
    if (*place && order == 0)
        return jl_walk_fail_twice(walk, at, walk->json.pos);
    struct jl_extra *extra = JL_NEW(walk->decode->arena, struct jl_extra);
    const char *key = jl_arena_copy(walk->decode->arena, at->key.ptr, at->key.len);
    if (!extra || !key)
        return jl_walk_fail_arena(walk, at);
    *extra = (struct jl_extra){ .next = *place, .key = { key, at->key.len } };
    *place = extra;
    return jl_read_raw(walk, at, &any, &extra->value);
}

static int fail_unknown(struct jl_walk *walk, const struct jl_path *at,
                        const struct jl_table *table)
{
    char key[JL_PATH_TEXT];
    const struct jl_path last = { .key = at->key };
    jl_path_print(&last, key);
    for (size_t i = 0; i < table->count; i++)
        if (jl_is_slip(key, table->rows[i].key))
            return jl_decode_fail(
                walk->decode, JOULIE_E_UNKNOWN_MEMBER, at, walk->base + walk->json.pos,
                "there is no such member; did you mean \"%s\"?", table->rows[i].key);
    return jl_walk_fail(walk, JOULIE_E_UNKNOWN_MEMBER, at, walk->json.pos,
                        "there is no such member");
}

static bool has_prefix(struct jl_text key, const char *prefix)
{
    const size_t len = strlen(prefix);
    return key.len >= len && memcmp(key.ptr, prefix, len) == 0;
}

static int unknown_member(struct jl_walk *walk, const struct jl_path *at,
                          const struct jl_path *owner, const struct jl_table *table, void *out)
{
    if (table->extra_prefix && has_prefix(at->key, table->extra_prefix))
        return keep_extra(walk, at, (struct jl_extra **)((char *)out + table->extras_at));

    struct jl_decode *decode = walk->decode;
    const bool is_expected =
        (table->flags & JL_OPEN) != 0 ||
        (!owner && decode->ignored_member && jl_text_is(at->key, decode->ignored_member));
    if (!is_expected && !(decode->flags & JL_LENIENT))
        return fail_unknown(walk, at, table);
    if (!is_expected) {
        decode->unknown_members++;
        if (decode->on_unknown) {
            char where[JL_PATH_TEXT];
            jl_path_print(at, where);
            decode->on_unknown(decode->user, where);
        }
    }
    return jl_walk_skip(walk, at);
}

/* How far a decode of one object has come. */
struct progress {
    const struct jl_path *at;
    const struct jl_table *table;
    void *out;
    uint64_t seen;    /* rows that the document gave, nulls too */
    uint64_t refused; /* rows whose value was a problem that was reported */
    size_t next;      /* row that should come now; the table's count after the last */
};

/*
 * The common spellings of the commonest members, without a path for errors. False = the reader
 * stands where it stood, but for white space, and the value is read in full.
 */
static inline bool read_quickly(struct jl_walk *walk, const struct jl_row *row, void *member)
{
    struct jl_json *json = &walk->json;
    jl_json_space(json);
    if (row->type == JL_TYPE_NUMBER) {
        const size_t start = json->pos;
        struct jl_json_decimal decimal;
        if (!jl_is_bounded(row) && jl_json_short_number(json, &decimal) &&
            decimal.digits <= JL_EXACT_DIGITS) {
            *(double *)member = jl_decimal_value(&decimal);
            return true;
        }
        json->pos = start;
    } else if (row->type == JL_TYPE_STRING) {
        const size_t start = json->pos;
        struct jl_text text;
        if (jl_json_plain(json, &text) && text.len < walk->piece_len) {
            *(const char **)member = jl_walk_keep(walk, text);
            return true;
        }
        json->pos = start;
    }
    return false;
}

static int fail_twice(struct jl_walk *walk, const struct jl_path *at)
{
    const struct jl_json start = walk->json;
    const int rc = jl_walk_fail_twice(walk, at, start.pos);
    return jl_walk_goes_on(walk, &start, rc) ? 0 : rc;
}

static int decode_row(struct jl_walk *walk, struct progress *progress, const struct jl_row *row,
                      struct jl_text key)
{
    const size_t index = (size_t)(row - progress->table->rows);
    const uint64_t seen = UINT64_C(1) << index;
    uint64_t bit = seen;
    uint64_t *has = jl_presence(progress->table, row, progress->out, &bit);
    void *member = (char *)progress->out + row->offset;
    progress->next = index + 1;
    if (!(progress->seen & seen) && read_quickly(walk, row, member)) {
        progress->seen |= seen;
        *has |= bit;
        return 0;
    }

    const struct jl_path at = { .up = progress->at, .key = key };
    if (progress->seen & seen) {
        if (!(walk->decode->flags & JL_LENIENT))
            return fail_twice(walk, &at);
        *has &= ~bit;
        if (row->type == JL_TYPE_OBJECT || row->type == JL_TYPE_WHOLE)
            memset(member, 0, row->child->size);
        else if (bit == 0 && row->type == JL_TYPE_STRING)
            *(const char **)member = NULL; /* absent without a bit */
    }
    progress->seen |= seen;
    const enum jl_json_kind kind = jl_json_peek_here(&walk->json);
    if ((kind == JL_JSON_NULL && !row->is.keeps_null) ||
        (kind != JL_JSON_OBJECT && row->is.only_if_object))
        return jl_walk_skip(walk, &at);

    const struct jl_json start = walk->json;
    const int rc = read_value(walk, &at, row, member);
    if (rc == 0)
        *has |= bit;
    if (rc == 0 || !jl_walk_goes_on(walk, &start, rc))
        return rc;
    progress->refused |= seen;
    return 0;
}

/*
 * The row whose key stands at the reader, spelled as the encoder spells it, if it is one of the
 * next two of the table. The reader moves behind its colon.
 */
static inline const struct jl_row *take_expected_key(struct jl_json *json,
                                                     const struct progress *progress)
{
    const size_t left = json->len - json->pos;
    for (size_t i = progress->next; i < progress->table->count && i < progress->next + 2; i++) {
        const struct jl_row *row = &progress->table->rows[i];
        if (left >= row->quoted_len &&
            jl_same_bytes(json->text + json->pos, row->quoted, row->quoted_len)) {
            json->pos += row->quoted_len;
            return row;
        }
    }
    return NULL;
}

static int decode_member(struct jl_walk *walk, struct progress *progress,
                         const struct jl_json_string *key)
{
    struct jl_path at = { .up = progress->at };
    const int rc = read_key_text(walk, progress->at, key, &at.key);
    if (rc < 0)
        return rc;
    const struct jl_row *row = row_of(progress->table, at.key, progress->next);
    if (row)
        return decode_row(walk, progress, row, at.key);
    const struct jl_json start = walk->json;
    const int unknown = unknown_member(walk, &at, progress->at, progress->table, progress->out);
    return unknown < 0 && jl_walk_goes_on(walk, &start, unknown) ? 0 : unknown;
}

static int check_required(struct jl_walk *walk, const struct jl_path *at,
                          const struct jl_table *table, uint64_t refused, const void *out)
{
    for (uint64_t left = jl_all_rows(table) & ~jl_rows_present(table, out) & ~refused; left != 0;
         left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        if (!row->is.required || !jl_is_checked(walk, row))
            continue;
        const struct jl_path member_at = { .up = at, .key = jl_text(row->key) };
        const int rc =
            jl_walk_fail(walk, JOULIE_E_REQUIRED, &member_at,
                         walk->json.pos > 0 ? walk->json.pos - 1 : 0, "the member is required");
        if (!jl_walk_reports(walk, rc))
            return rc;
    }
    return 0;
}

static int decode_members(struct jl_walk *walk, const struct jl_path *at,
                          const struct jl_table *table, void *out, uint64_t *out_refused)
{
    int rc = jl_json_open(&walk->json);
    if (rc < 0)
        return jl_walk_fail_json(walk, at, rc);

    struct progress progress = { .at = at, .table = table, .out = out };
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string key;
        bool more;
        rc = jl_json_next(&walk->json, is_first, '}', &more);
        if (rc < 0)
            return jl_walk_fail_json(walk, at, rc);
        *out_refused = progress.refused;
        if (!more)
            return 0;
        jl_json_space(&walk->json);
        const struct jl_row *row = take_expected_key(&walk->json, &progress);
        if (row) {
            const struct jl_text text = { row->key, row->quoted_len - JL_KEY_FRAME };
            rc = decode_row(walk, &progress, row, text);
        } else {
            rc = jl_json_key(&walk->json, &key);
            if (rc < 0)
                return jl_walk_fail_json(walk, at, rc);
            rc = decode_member(walk, &progress, &key);
        }
        if (rc < 0)
            return rc;
    }
}

/*
 * needs_kind false: the place tells the kind, so apiVersion, kind and metadata may be left out
 * together.
 */
static int decode_checked(struct jl_walk *walk, const struct jl_path *at,
                          const struct jl_table *table, bool needs_kind, void *out)
{
    if (jl_json_peek(&walk->json) != JL_JSON_OBJECT)
        return jl_walk_fail_type(walk, at, "an object");
    const size_t start = walk->json.pos;
    const struct root *root = table->kind ? out : NULL;
    uint64_t refused = 0;
    int rc = decode_members(walk, at, table, out, &refused);
    if (rc == 0 && root)
        rc = check_root(walk, at, start, table, root);
    if (rc < 0 || (!needs_kind && !root->kind))
        return rc;
    return check_required(walk, at, table, refused, out);
}

int jl_walk_object(struct jl_walk *walk, const struct jl_path *at, const struct jl_table *table,
                   void *out)
{
    return decode_checked(walk, at, table, true, out);
}

static struct jl_walk walk_over(struct jl_decode *decode, const char *text, size_t len, size_t base)
{
    return (struct jl_walk){ .decode = decode, .json = { .text = text, .len = len }, .base = base };
}

int jl_decode_document(struct jl_decode *decode, const struct jl_table *table, void *out)
{
    memset(out, 0, table->size);
    return jl_decode_into(decode, table, out);
}

int jl_decode_into(struct jl_decode *decode, const struct jl_table *table, void *out)
{
    struct jl_walk walk = walk_over(decode, decode->text, decode->len, 0);
    int rc = jl_walk_object(&walk, NULL, table, out);
    if (rc == 0) {
        rc = jl_json_finish(&walk.json);
        if (rc < 0)
            return jl_walk_fail_json(&walk, NULL, rc);
    }
    return rc;
}

int jl_decode_raw(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                  const struct jl_table *table, void *out)
{
    struct jl_walk walk = walk_over(decode, raw->text, raw->len, raw->offset);
    memset(out, 0, table->size);
    return jl_walk_object(&walk, at, table, out);
}

/* Skips one top-level member; *out is its value when it is the wanted one. */
static int take_member(struct jl_walk *walk, const struct jl_json_string *name, const char *wanted,
                       bool *is_seen, struct jl_raw *out)
{
    struct jl_path at = { 0 };
    int rc = read_key_text(walk, NULL, name, &at.key);
    if (rc < 0)
        return rc;
    const bool is_wanted = jl_text_is(at.key, wanted);
    const bool is_null = jl_json_peek(&walk->json) == JL_JSON_NULL;
    const size_t start = walk->json.pos;
    if (is_wanted && *is_seen && !(walk->decode->flags & JL_LENIENT))
        return jl_walk_fail_twice(walk, &at, start);
    rc = jl_walk_skip(walk, &at);
    if (rc < 0 || !is_wanted)
        return rc;
    *is_seen = true;
    *out = (struct jl_raw){ 0 };
    if (!is_null)
        *out = (struct jl_raw){ walk->json.text + start, walk->json.pos - start, start };
    return 0;
}

int jl_decode_member(struct jl_decode *decode, const char *key, struct jl_raw *out)
{
    struct jl_walk walk = walk_over(decode, decode->text, decode->len, 0);
    bool is_seen = false;
    walk.json.is_range_free = true;
    *out = (struct jl_raw){ 0 };
    if (jl_json_peek(&walk.json) != JL_JSON_OBJECT)
        return jl_walk_fail_type(&walk, NULL, "an object");
    int rc = jl_json_open(&walk.json);
    if (rc < 0)
        return jl_walk_fail_json(&walk, NULL, rc);
    for (bool is_first = true;; is_first = false) {
        struct jl_json_string name;
        bool more;
        rc = jl_json_member(&walk.json, is_first, &name, &more);
        if (rc < 0)
            return jl_walk_fail_json(&walk, NULL, rc);
        if (!more)
            return 0;
        rc = take_member(&walk, &name, key, &is_seen, out);
        if (rc < 0)
            return rc;
    }
}

int jl_check_json(struct jl_decode *decode)
{
    struct jl_walk walk = walk_over(decode, decode->text, decode->len, 0);
    int rc = jl_walk_skip(&walk, NULL);
    if (rc == 0) {
        rc = jl_json_finish(&walk.json);
        if (rc < 0)
            return jl_walk_fail_json(&walk, NULL, rc);
    }
    return rc;
}

/* The member by which the kind of an object is known. */
#define RECORD kind_head
#define ABOUT .flags = JL_OPEN
#define MEMBERS STRING(kind, "kind", "Kind of the object.", REQUIRED)
#include "schema/record.h"

int jl_decode_kind(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                   const char **out)
{
    struct kind_head head;
    const int rc = jl_decode_raw(decode, raw, at, &kind_head_table, &head);
    *out = rc == 0 ? head.kind : NULL;
    return rc;
}
