/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Flat views of objects, such as those of joulie/v1alpha1.h: a table of paths each. */

#include <joulie/words.h>

#include "object/object.h"

enum jl_view_type {
    JL_VIEW_TEXT,     /* const char * */
    JL_VIEW_NUMBER,   /* double */
    JL_VIEW_INTEGER,  /* int64_t */
    JL_VIEW_BOOL,     /* int32_t */
    JL_VIEW_WORD,     /* an enum with a vocabulary */
    JL_VIEW_TIME,     /* int64_t ms of RFC 3339; another text is absent */
    JL_VIEW_QUANTITY, /* double of a quantity; another text is absent */
};

struct jl_view_row {
    const char *path;
    uint64_t bit;
    uint32_t offset;
    enum jl_view_type type;
    enum joulie_vocabulary vocabulary; /* WORD */
};

struct jl_view { /* of a struct that begins with its size and has */
    const char *api_version;
    const char *kind;
    const char *other_kind; /* of the same version, whose objects are taken too, or NULL */
    const struct jl_view_row *rows;
    size_t count;
};

#define JL_VIEW(version, kind_name, other_name, row_array)                         \
    {                                                                              \
        .api_version = (version), .kind = (kind_name), .other_kind = (other_name), \
        .rows = (row_array), .count = JL_COUNT(row_array)                          \
    }

#define ROW(tag, member, c_type, row_type, row_bit, row_path)                       \
    {                                                                               \
        .path = (row_path), .bit = (row_bit), .offset = JL_AT(tag, member, c_type), \
        .type = (row_type)                                                          \
    }
#define TEXT(tag, member, bit, path) ROW(tag, member, const char *, JL_VIEW_TEXT, bit, path)
#define NUMBER(tag, member, bit, path) ROW(tag, member, double, JL_VIEW_NUMBER, bit, path)
#define INTEGER(tag, member, bit, path) ROW(tag, member, int64_t, JL_VIEW_INTEGER, bit, path)
#define TIME(tag, member, bit, path) ROW(tag, member, int64_t, JL_VIEW_TIME, bit, path)
#define BOOL(tag, member, bit, path) ROW(tag, member, int32_t, JL_VIEW_BOOL, bit, path)
#define QUANTITY(tag, member, bit, path) ROW(tag, member, double, JL_VIEW_QUANTITY, bit, path)
#define WORD(tag, member, row_bit, row_path, words)                              \
    {                                                                            \
        .path = (row_path), .bit = (row_bit), .offset = JL_AT_ENUM(tag, member), \
        .type = JL_VIEW_WORD, .vocabulary = (words)                              \
    }

/*
 * Fills ours, a zeroed struct of this release, and publishes it to the caller's. A code of
 * joulie_v1alpha1_get_node_twin_spec().
 */
int jl_view_read(const struct joulie_object *object, const struct jl_view *view, void *ours,
                 size_t ours_size, void *out, struct joulie_error *err);
