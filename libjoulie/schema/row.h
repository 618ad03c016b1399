/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A table lists the members of a struct: their keys in a document, what they may be, one sentence
 * each, and where they stand. Decoder, encoder, validation, CRD, explain and describe walk tables;
 * nothing about a member is written twice. schema/record.h makes the struct and its table of one
 * list.
 *
 * The struct begins with `uint64_t has`: bit i tells that the member of row i is present. A table
 * over a struct of a public header is bound: its rows name their bits themselves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "base/words.h"

enum jl_type {
    JL_TYPE_STRING,  /* const char * */
    JL_TYPE_NUMBER,  /* double; integers and floats accepted */
    JL_TYPE_INTEGER, /* int64_t; 1.0 and 1e3 accepted, 1.5 is a type error; with words also these */
    JL_TYPE_BOOL,    /* bool */
    JL_TYPE_ENUM,    /* an enum of four bytes with a word table */
    JL_TYPE_TIME,    /* int64_t ms from RFC 3339 text; with or_seconds also a number of seconds */
    JL_TYPE_OBJECT,  /* a struct by value, described by child */
    JL_TYPE_WHOLE,   /* as OBJECT; the document gives the whole object or just one part of it */
    JL_TYPE_LIST,    /* struct jl_list of child structs */
    JL_TYPE_STRINGS, /* struct jl_list of const char *; with words each is one of them */
    JL_TYPE_NUMBERS, /* struct jl_list of double */
    JL_TYPE_MAP,     /* struct jl_map: string to string */
    JL_TYPE_DICT,    /* struct jl_dict: string to child struct */
    JL_TYPE_RAW,     /* struct jl_raw: any JSON value, kept as its text */
    JL_TYPE_QUANTITY, /* const char *: text of a Kubernetes quantity, from a string or a number */
    JL_TYPE_RANGE,    /* struct jl_range: an integer or [least, most] */
};

/* What is true of a member; each has a word in schema/record.h. */
struct jl_row_flags {
    bool required : 1;
    bool always : 1;         /* checked with JL_UNCHECKED too */
    bool not_negative : 1;   /* below 0 is a range error; no part of a CRD */
    bool has_min : 1;        /* not below min */
    bool exclusive_min : 1;  /* nor min itself */
    bool has_max : 1;        /* not above max */
    bool as_int32 : 1;       /* an integer, or a list of them; format int32 in the CRD */
    bool as_int64 : 1;       /* format int64 in the CRD */
    bool as_string : 1;      /* a number that an answer prints as a string */
    bool or_seconds : 1;     /* a TIME may be a number of seconds */
    bool scalars : 1;        /* values of a MAP may be numbers and booleans, by their text */
    bool array_only : 1;     /* a RAW must be an array */
    bool any_members : 1;    /* a RAW must be an object; unknown members stay, also in the CRD */
    bool keeps_null : 1;     /* a RAW may be null, which is absent elsewhere */
    bool only_if_object : 1; /* an OBJECT of another type is absent, not an error */
    bool list_key : 1;       /* tells items of the list apart that this struct is an item of */
    bool atomic : 1;         /* x-kubernetes-list-type: atomic */
    bool later : 1;          /* of a later schema than the one that the CRD prints */
    bool has_usual : 1;      /* absent means `usual`, of a string ""; jl_use_defaults() heeds it */
};

struct jl_table;

struct jl_list {
    void *items; /* count structs of the child's size, or strings, or doubles */
    size_t count;
};

struct jl_dict {
    const char **keys; /* document order */
    void *items;       /* count structs of the child's size */
    size_t count;
};

struct jl_raw {
    const char *text; /* JSON text of the value, inside the document that was decoded */
    size_t len;
    size_t offset; /* of text in that document, for error places */
};

struct jl_range {
    int64_t least;
    int64_t most;
    bool is_pair; /* written as [least, most] */
};

/* Members that no row has but whose keys begin with the table's prefix, by key (bytes). */
struct jl_extra {
    struct jl_extra *next;
    struct jl_text key;
    struct jl_raw value;
};

struct jl_row {
    const char *key;
    const char *quoted; /* "key": with its quotes and colon, as it stands in a document */
    uint16_t has_at;    /* of the `has` that holds its bit, in a bound table */
    uint8_t bit;        /* 1 + its bit there; 0 = it has none: absent as NULL or 0, if at all */
    uint8_t quoted_len; /* bytes */
    enum jl_type type;
    struct jl_row_flags is;
    uint32_t offset;
    const struct jl_table *child; /* OBJECT, WHOLE, LIST, DICT */
    const char *part;             /* WHOLE: key of the child's row that may stand alone ("spec") */
    const struct jl_words *words; /* ENUM */
    double min;                   /* with has_min */
    double max;                   /* with has_max */
    double usual;                 /* with has_usual: a number, bool, enum or integer of words */
    const char *doc;              /* one sentence; unit in the text */
};

enum jl_table_flag {
    JL_OPEN = 1 << 0,       /* other members are ignored silently (core objects, metadata) */
    JL_ATOMIC_MAP = 1 << 1, /* x-kubernetes-map-type: atomic */
};

struct jl_column {
    const char *name;
    const char *path; /* ".spec.nodeName" */
    const char *type;
};

/* An API server that is given columns adds none by itself. */
#define JL_AGE_COLUMN                                \
    {                                                \
        "Age", ".metadata.creationTimestamp", "date" \
    }

struct jl_kind {             /* what makes a table the root of an API object */
    const char *api_version; /* "joulie.io/v1alpha1" */
    const char *kind;
    const char *plural;
    const char *singular;
    const char *short_name; /* NULL = it has none */
    const char *scope;      /* "Cluster" or "Namespaced" */
    bool has_status;        /* status subresource */
    bool is_legacy;         /* only printed by `joulie crd --legacy` */
    bool is_core;           /* Pod, Node: no CRD of ours */
    bool is_foreign;        /* of another project: found and printed only under plural.group */
    bool is_partial;        /* the table lists what we read of it: no CRD of ours */
    const struct jl_column *columns;
    size_t column_count;
};

struct jl_table {
    const char *name; /* of the struct, for messages and describe */
    const struct jl_row *rows;
    uint32_t count; /* at most 64 */
    uint32_t flags;
    size_t size;                /* of the struct */
    bool is_bound;              /* the struct has no bit i for row i: each row names its bit */
    const struct jl_kind *kind; /* NULL unless it is the root of an API object */
    const char *doc;
    const char *extra_prefix; /* keys that are kept without a row; NULL = none */
    size_t extras_at;         /* with extra_prefix: offset of a struct jl_extra * */
};

/* Rows of a table; does not compile when there are more rows than has bits. */
#define JL_ROW_COUNT(row_array) \
    (uint32_t)(JL_COUNT(row_array) + 0 * sizeof(char[JL_COUNT(row_array) <= 64 ? 1 : -1]))

/* The key of a row: a literal without anything that JSON escapes. */
#define JL_KEY(name) \
    (name), .quoted = "\"" name "\":", .quoted_len = (uint8_t)(sizeof(name) - 1 + JL_KEY_FRAME)
#define JL_KEY_FRAME 3 /* bytes around a key: two quotes and the colon */

/* Bit i of a struct's `has`, for rows that are told apart by number. */
#define JL_HAS(object, bit) ((((object)->has) >> (bit)) & UINT64_C(1))
#define JL_MARK(object, bit) ((object)->has |= UINT64_C(1) << (bit))
#define JL_UNMARK(object, bit) ((object)->has &= ~(UINT64_C(1) << (bit)))
#define JL_PUT(object, bit, member, value) ((object)->member = (value), (void)JL_MARK(object, bit))

/* A member and its bit; the bit says whether the value counts. */
#define JL_SET(object, member, value) \
    ((object)->member = (value), (void)((object)->given.member = true))
#define JL_SET_IF(object, member, is_there, value) \
    ((object)->member = (value), (void)((object)->given.member = (is_there)))
/* The member of another record with its bit: both are 0 where it has none. */
#define JL_TAKE(object, member, from, other) \
    JL_SET_IF(object, member, (from)->given.other, (from)->other)
/* What a document gives, or else that. */
#define JL_GIVEN_OR(object, member, otherwise) \
    ((object)->given.member ? (object)->member : (otherwise))
/* Index of a member's row. */
#define JL_INDEX(record, member) record##_row_##member

/* Item i of a struct jl_list, typed. */
#define JL_ITEM(list, tag, i) (&((struct tag *)(list).items)[i])
#define JL_STRING_ITEM(list, i) (((const char **)(list).items)[i])
#define JL_NUMBER_ITEM(list, i) (((double *)(list).items)[i])
