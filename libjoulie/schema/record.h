/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A record is one list: its struct, its bits of presence and its table are made here from the same
 * lines. Included once for each record, behind its definition. A whole file that has one:
 *
 *     #include "schema/decode.h"
 *     #include "schema/encode.h"
 *
 *     #define RECORD step_in
 *     #define MEMBERS                                                                 \
 *         NUMBER(value, "value", "Value before the step.", REQUIRED)                  \
 *         NUMBER(tau_s, "tauS", "Time constant, s; default 10.", OVER(0))             \
 *         STRINGS(names, "names", "Who asks.")
 *     #include "schema/record.h"
 *
 *     int step(struct jl_decode *decode, struct jl_buffer *out)
 *     {
 *         struct step_in in;
 *         const int rc = jl_decode_document(decode, &step_in_table, &in);
 *         if (rc < 0)
 *             return rc;                     decode->err says what, where and in which line
 *         JL_SET(&in, value, in.value / JL_GIVEN_OR(&in, tau_s, 10));
 *         jl_encode(out, &step_in_table, &in);
 *         return 0;
 *     }
 *
 * The record is this, its table also what `--describe` and errors speak of:
 *
 *     struct step_in {
 *         union {
 *             uint64_t has;                                       bit i: member i is present
 *             struct { bool value : 1, tau_s : 1, names : 1; } given;   the same, by name
 *         };
 *         double value;                                           0 where it is not present
 *         double tau_s;
 *         struct jl_list names;
 *     };
 *     static const struct jl_table step_in_table = { ... };
 *
 * A line is WORD(member, "key", what the word needs, "One sentence with the unit.", properties).
 * Words and properties mean this only while a record is made:
 *
 *     STRING  const char *           NUMBER  double               INTEGER  int64_t
 *     BOOLEAN  bool                  TIME  int64_t, ms since 1970, from RFC 3339 text
 *     ENUM  enum TAG of WORDS        WORD  an int of WORDS (base/words.h)
 *     QUANTITY  const char *, the text of a Kubernetes quantity
 *     RANGE  struct jl_range, an integer or [least, most]
 *     INTEGER_OR  int64_t, an integer or one of WORDS, by its value     WORD_LIST  STRINGS of WORDS
 *     OBJECT  struct TAG, a record   OBJECT_BY  struct TAG by another TABLE than its own
 *     WHOLE  an OBJECT that a document may give by its member PART alone
 *     LIST  struct jl_list of TAG    STRINGS, NUMBERS  struct jl_list of const char *, double
 *     MAP  struct jl_map, text to text      DICT  struct jl_dict, text to TAG
 *     RAW  struct jl_raw, any JSON as its text
 *
 *     REQUIRED                       an error without it
 *     ALWAYS                         REQUIRED, bounds and words hold with JL_UNCHECKED too
 *     AT_LEAST(a) OVER(a) AT_MOST(a) BETWEEN(a, b)     bounds; they are part of a CRD
 *     NOT_NEGATIVE                   a bound that is not
 *     DEFAULT(a)                     what its absence means; of a STRING only DEFAULT(0), ""
 *     AS_INT32 AS_INT64 AS_STRING OR_SECONDS SCALARS ARRAY_ONLY ANY_MEMBERS KEEPS_NULL LIST_KEY
 *     ONLY_IF_OBJECT ATOMIC LATER    struct jl_row_flags (schema/row.h), in small letters
 *
 * What else may be defined beside RECORD and MEMBERS:
 *
 *     ABOUT          more initialisers of the table: .flags = JL_OPEN, .kind = ..., .doc = "..."
 *     IS_PUBLIC      the record is a struct of a public header and only the table is made. A line
 *                    names its bit of that struct's `has`, BIT(JOULIE_..._HAS_...); without one a
 *                    text or an enum is absent as NULL or 0.
 *     TABLE_OF       name of a record: this one is a second table over its struct
 *     INLINE_RECORD  name of a record whose members come first, on the same level of the document:
 *                    INLINE_AS is the member that it becomes, INLINE_MEMBERS its list
 *
 * and in MEMBERS, for what has no line of its own:
 *
 *     HOLDS(type, name)       a member that no document has
 *     NUMBER_IN(outer, member, JOULIE_..._HAS_..., "key", "...")    a number of the public struct
 *                             that HOLDS(struct joulie_..., outer) put there, with its bit
 *     NUMBER_OF, INTEGER_OF(bit, of[i], "key", "...")    an element of the array of[n] that
 *                             HOLDS(double, of[n]) put there
 *
 * A record of a header includes schema/shared_record.h instead: struct, and table as `extern`; the
 * .c file that defines RECORD_TABLES before it gets the table.
 */

#include "schema/row.h"

#ifndef JL_RECORD_TOOLS
#define JL_RECORD_TOOLS
#define JL_PASTE_NOW(a, b, c) a##b##c
#define JL_PASTE(a, b, c) JL_PASTE_NOW(a, b, c)
#define JL_NAME_NOW(a) #a
#define JL_NAME(a) JL_NAME_NOW(a)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bit 0 of has is the first of given");
#endif

/* clang-format off */

/* Kinds of members: C type, type of the row. */
#define STRING(member, key, ...) \
    JL_MEMBER(const char *, member, JL_TYPE_STRING, key, .doc = __VA_ARGS__)
#define NUMBER(member, key, ...) JL_MEMBER(double, member, JL_TYPE_NUMBER, key, .doc = __VA_ARGS__)
#define INTEGER(member, key, ...) \
    JL_MEMBER(int64_t, member, JL_TYPE_INTEGER, key, .doc = __VA_ARGS__)
#define BOOLEAN(member, key, ...) JL_MEMBER(bool, member, JL_TYPE_BOOL, key, .doc = __VA_ARGS__)
#define ENUM(member, key, tag, word_table, ...) \
    JL_MEMBER(enum tag, member, JL_TYPE_ENUM, key, .words = &(word_table), .doc = __VA_ARGS__)
#define WORD(member, key, word_table, ...) \
    JL_MEMBER(int, member, JL_TYPE_ENUM, key, .words = &(word_table), .doc = __VA_ARGS__)
#define TIME(member, key, ...) JL_MEMBER(int64_t, member, JL_TYPE_TIME, key, .doc = __VA_ARGS__)
#define OBJECT(member, key, tag, ...) \
    JL_MEMBER(struct tag, member, JL_TYPE_OBJECT, key, .child = &tag##_table, .doc = __VA_ARGS__)
#define OBJECT_BY(member, key, tag, table, ...) \
    JL_MEMBER(struct tag, member, JL_TYPE_OBJECT, key, .child = &(table), .doc = __VA_ARGS__)
#define WHOLE(member, key, tag, part_key, ...)                                                 \
    JL_MEMBER(struct tag, member, JL_TYPE_WHOLE, key, .child = &tag##_table, .part = part_key, \
              .doc = __VA_ARGS__)
#define LIST(member, key, tag, ...) \
    JL_MEMBER(struct jl_list, member, JL_TYPE_LIST, key, .child = &tag##_table, .doc = __VA_ARGS__)
#define STRINGS(member, key, ...) \
    JL_MEMBER(struct jl_list, member, JL_TYPE_STRINGS, key, .doc = __VA_ARGS__)
#define NUMBERS(member, key, ...) \
    JL_MEMBER(struct jl_list, member, JL_TYPE_NUMBERS, key, .doc = __VA_ARGS__)
#define MAP(member, key, ...) JL_MEMBER(struct jl_map, member, JL_TYPE_MAP, key, .doc = __VA_ARGS__)
#define DICT(member, key, tag, ...) \
    JL_MEMBER(struct jl_dict, member, JL_TYPE_DICT, key, .child = &tag##_table, .doc = __VA_ARGS__)
#define RAW(member, key, ...) JL_MEMBER(struct jl_raw, member, JL_TYPE_RAW, key, .doc = __VA_ARGS__)
#define QUANTITY(member, key, ...) \
    JL_MEMBER(const char *, member, JL_TYPE_QUANTITY, key, .doc = __VA_ARGS__)

#define RANGE(member, key, ...) \
    JL_MEMBER(struct jl_range, member, JL_TYPE_RANGE, key, .doc = __VA_ARGS__)
#define INTEGER_OR(member, key, word_table, ...) \
    JL_MEMBER(int64_t, member, JL_TYPE_INTEGER, key, .words = &(word_table), .doc = __VA_ARGS__)
#define WORD_LIST(member, key, word_table, ...) \
    JL_MEMBER(struct jl_list, member, JL_TYPE_STRINGS, key, .words = &(word_table), \
              .doc = __VA_ARGS__)

#define NUMBER_OF(name, place, key, ...) \
    JL_ELEMENT(double, name, place, JL_TYPE_NUMBER, key, .doc = __VA_ARGS__)
#define INTEGER_OF(name, place, key, ...) \
    JL_ELEMENT(int64_t, name, place, JL_TYPE_INTEGER, key, .doc = __VA_ARGS__)

/* Properties of a row. */
#define REQUIRED .is.required = 1
#define ALWAYS .is.always = 1
#define NOT_NEGATIVE .is.not_negative = 1
#define AT_LEAST(bound) .is.has_min = 1, .min = (bound)
#define OVER(bound) .is.has_min = 1, .is.exclusive_min = 1, .min = (bound)
#define AT_MOST(bound) .is.has_max = 1, .max = (bound)
#define DEFAULT(value) .is.has_usual = 1, .usual = (value)
#define BETWEEN(low, high) AT_LEAST(low), AT_MOST(high)
#define AS_INT32 .is.as_int32 = 1
#define AS_INT64 .is.as_int64 = 1
#define AS_STRING .is.as_string = 1
#define OR_SECONDS .is.or_seconds = 1
#define SCALARS .is.scalars = 1
#define ARRAY_ONLY .is.array_only = 1
#define ANY_MEMBERS .is.any_members = 1
#define KEEPS_NULL .is.keeps_null = 1
#define LIST_KEY .is.list_key = 1
#define ONLY_IF_OBJECT .is.only_if_object = 1
#define ATOMIC .is.atomic = 1
#define LATER .is.later = 1
#define BIT(of_has) \
    .has_at = (uint16_t)offsetof(struct JL_STRUCT, has), .bit = 1 + __builtin_ctzll(of_has)

#ifdef TABLE_OF
#define JL_STRUCT TABLE_OF
#else
#define JL_STRUCT RECORD
#endif

#if !defined(IS_PUBLIC) && !defined(TABLE_OF)
struct RECORD {
    union {
        uint64_t has;
#define JL_MEMBER(type, member, ...) bool member : 1;
#define JL_ELEMENT(type, name, ...) bool name : 1;
#define NUMBER_IN(...) bool : 1;
#define HOLDS(c_type, member)

        struct {
            MEMBERS
        } given;

#undef JL_MEMBER
#undef JL_ELEMENT
#undef NUMBER_IN
#undef HOLDS
    };
#ifdef INLINE_RECORD
    struct INLINE_RECORD INLINE_AS;
#endif
#define JL_MEMBER(type, member, ...) __typeof__(type) member;
#define JL_ELEMENT(...)
#define NUMBER_IN(...)
#define HOLDS(c_type, member) c_type member;
    MEMBERS
#undef JL_MEMBER
#undef JL_ELEMENT
#undef NUMBER_IN
#undef HOLDS
};
#endif

#ifndef TABLE_OF
/* Index of each row, JL_INDEX(record, member), and how many have their bit in another struct. */
enum {

#define HOLDS(c_type, member)
#define JL_MEMBER(type, member, ...) JL_PASTE(RECORD, _row_, member),
#define JL_ELEMENT(type, name, ...) JL_PASTE(RECORD, _row_, name),
#define NUMBER_IN(outer, member, ...) JL_PASTE(RECORD, _row_, member),
    MEMBERS
#undef JL_MEMBER
#undef JL_ELEMENT
#undef NUMBER_IN
    JL_PASTE(RECORD, _rows, _in_all),
#define JL_MEMBER(...)
#define JL_ELEMENT(...)
#define NUMBER_IN(...) +1
    JL_PASTE(RECORD, _rows, _foreign) = 0 MEMBERS
#undef JL_MEMBER
#undef JL_ELEMENT
#undef NUMBER_IN
#undef HOLDS
};
#endif

#define JL_TABLE_NAME JL_PASTE(RECORD, _table, )
#define JL_ROWS_NAME JL_PASTE(RECORD, _rows, )

#ifdef RECORD_IS_SHARED
extern const struct jl_table JL_TABLE_NAME;
#endif

#if !defined(RECORD_IS_SHARED) || defined(RECORD_TABLES)
#define JL_ROW(place, c_type, row_type, name, ...) \
    { .key = JL_KEY(name), .type = (row_type), .offset = JL_OFFSET(place, c_type), __VA_ARGS__ },
#define JL_OFFSET(place, c_type) \
    (uint32_t)(offsetof(struct JL_STRUCT, place) + \
               _Generic(((struct JL_STRUCT *)0)->place, c_type : 0))
#define JL_HAS_AT(place) .has_at = (uint16_t)offsetof(struct JL_STRUCT, place)

static const struct jl_row JL_ROWS_NAME[] = {
#ifdef INLINE_RECORD
#define JL_MEMBER(type, member, row_type, name, ...)                         \
    JL_ROW(INLINE_AS.member, type, row_type, name, JL_HAS_AT(INLINE_AS.has), \
           .bit = 1 + JL_PASTE(INLINE_RECORD, _row_, member), __VA_ARGS__)
    INLINE_MEMBERS
#undef JL_MEMBER
#endif
#ifdef IS_PUBLIC
#define JL_MEMBER(type, member, row_type, name, ...) \
    JL_ROW(member, type, row_type, name, __VA_ARGS__)
#elif defined(TABLE_OF)
#define JL_MEMBER(type, member, row_type, name, ...) \
    [JL_PASTE(TABLE_OF, _row_, member)] = JL_ROW(member, type, row_type, name, __VA_ARGS__)
#define JL_ELEMENT(type, member, place, row_type, name, ...) \
    [JL_PASTE(TABLE_OF, _row_, member)] = JL_ROW(place, type, row_type, name, __VA_ARGS__)
#else
#define JL_ELEMENT(type, member, place, row_type, name, ...) \
    JL_ROW(place, type, row_type, name, JL_HAS_AT(has),      \
           .bit = 1 + JL_PASTE(RECORD, _row_, member), __VA_ARGS__)
#define JL_MEMBER(type, member, row_type, name, ...)     \
    JL_ROW(member, type, row_type, name, JL_HAS_AT(has), \
           .bit = 1 + JL_PASTE(RECORD, _row_, member), __VA_ARGS__)
#endif
#define NUMBER_IN(outer, member, of_has, name, ...)                                \
    JL_ROW(outer.member, double, JL_TYPE_NUMBER, name, JL_HAS_AT(outer.has),       \
           .bit = 1 + __builtin_ctzll(of_has), .doc = __VA_ARGS__)
#define HOLDS(c_type, member)
    MEMBERS
#undef JL_MEMBER
#undef JL_ELEMENT
#undef NUMBER_IN
#undef HOLDS
};

#ifdef TABLE_OF
#define JL_RECORD_IS_BOUND false
#elif defined(IS_PUBLIC) || defined(INLINE_RECORD)
#define JL_RECORD_IS_BOUND true
#else
#define JL_RECORD_IS_BOUND (JL_PASTE(RECORD, _rows, _foreign) > 0)
#endif

#ifndef RECORD_IS_SHARED
static
#endif
const struct jl_table JL_TABLE_NAME = {
    .name = JL_NAME(JL_STRUCT),
    .rows = JL_ROWS_NAME,
    .count = JL_ROW_COUNT(JL_ROWS_NAME),
    .size = sizeof(struct JL_STRUCT),
    .is_bound = JL_RECORD_IS_BOUND,
#ifdef ABOUT
    ABOUT
#endif
};
#undef JL_RECORD_IS_BOUND
#undef JL_HAS_AT
#undef JL_OFFSET
#undef JL_ROW
#endif

#undef ALWAYS
#undef ARRAY_ONLY
#undef AS_INT32
#undef AS_INT64
#undef AS_STRING
#undef ATOMIC
#undef AT_LEAST
#undef AT_MOST
#undef BETWEEN
#undef BIT
#undef BOOLEAN
#undef DEFAULT
#undef DICT
#undef ENUM
#undef INTEGER
#undef KEEPS_NULL
#undef LATER
#undef LIST
#undef LIST_KEY
#undef MAP
#undef NOT_NEGATIVE
#undef NUMBER
#undef NUMBERS
#undef NUMBER_OF
#undef INTEGER_OF
#undef INTEGER_OR
#undef OBJECT
#undef OBJECT_BY
#undef ONLY_IF_OBJECT
#undef OVER
#undef ANY_MEMBERS
#undef QUANTITY
#undef RANGE
#undef RAW
#undef REQUIRED
#undef SCALARS
#undef OR_SECONDS
#undef STRING
#undef STRINGS
#undef TIME
#undef WHOLE
#undef WORD
#undef WORD_LIST
#undef JL_TABLE_NAME
#undef JL_ROWS_NAME
#undef RECORD
#undef MEMBERS
#undef ABOUT
#undef IS_PUBLIC
#undef TABLE_OF
#undef JL_STRUCT
#undef INLINE_RECORD
#undef INLINE_AS
#undef INLINE_MEMBERS
/* clang-format on */
