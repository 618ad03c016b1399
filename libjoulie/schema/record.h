/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A record is one list: its struct, its bits of presence and its table are made here from the same
 * lines. docs/architecture.md, "Tables", shows how one is written. Included once per record, after
 *
 *     #define RECORD room_in
 *     #define MEMBERS                                                                     \
 *         NUMBER(value, "value", "Value before the step.", REQUIRED)                      \
 *         NUMBER(tau_s, "tauS", "Time constant, s.", OVER(0))
 *     #include "schema/record.h"
 *
 * which gives
 *
 *     struct room_in {
 *         union {
 *             uint64_t has;                            bit i: member i of the list is present
 *             struct { bool value : 1; bool tau_s : 1; } given;         the same bits, by name
 *         };
 *         double value;
 *         double tau_s;
 *     };
 *     static const struct jl_table room_in_table = ...;
 *
 * A line is WORD(member, "key", what the word needs, "One sentence.", properties...). Words and
 * properties below mean this only while a record is made. ABOUT, if defined, holds more
 * initialisers of the table.
 *
 * A record of a header includes schema/shared_record.h instead: struct and `extern` table; the .c
 * file that defines RECORD_TABLES before it gets the table too.
 *
 * A record that binds to a struct of a public header defines IS_PUBLIC: no struct is made, and each
 * line names its bit of that struct's `has` with BIT(JOULIE_..._HAS_...).
 *
 * A record that is a second table over the struct of another record, with other words or sentences,
 * defines TABLE_OF, that record's name.
 *
 * A record may hold such a struct, HOLDS(struct joulie_twin_input, readings), and have its numbers
 * among its own members: NUMBER_IN(readings, member, JOULIE_TWIN_HAS_..., "key", "Sentence.").
 *
 * A record may have all members of another one before its own, on the same level of the document:
 * INLINE_RECORD is that one's name, INLINE_AS the member that it becomes, INLINE_MEMBERS its list.
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
/* An int with words. */
#define WORD(member, key, word_table, ...) \
    JL_MEMBER(int, member, JL_TYPE_ENUM, key, .words = &(word_table), .doc = __VA_ARGS__)
#define TIME(member, key, ...) JL_MEMBER(int64_t, member, JL_TYPE_TIME, key, .doc = __VA_ARGS__)
#define OBJECT(member, key, tag, ...) \
    JL_MEMBER(struct tag, member, JL_TYPE_OBJECT, key, .child = &tag##_table, .doc = __VA_ARGS__)
/* An object whose table has not the name of its struct. */
#define OBJECT_BY(member, key, tag, table, ...) \
    JL_MEMBER(struct tag, member, JL_TYPE_OBJECT, key, .child = &(table), .doc = __VA_ARGS__)
/* The whole object, or its part alone. */
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

/* Elements of an array that HOLDS(double, of[N]) declares; the name is that of the bit. */
#define NUMBER_OF(name, place, key, ...) \
    JL_ELEMENT(double, name, place, JL_TYPE_NUMBER, key, .doc = __VA_ARGS__)
#define INTEGER_OF(name, place, key, ...) \
    JL_ELEMENT(int64_t, name, place, JL_TYPE_INTEGER, key, .doc = __VA_ARGS__)

/* Properties of a row (enum jl_row_flag says more). */
#define REQUIRED .is.required = 1
#define NOT_NEGATIVE .is.not_negative = 1
#define AT_LEAST(bound) .is.has_min = 1, .min = (bound)
#define OVER(bound) .is.has_min = 1, .is.exclusive_min = 1, .min = (bound)
#define AT_MOST(bound) .is.has_max = 1, .max = (bound)
#define OR_SECONDS .is.seconds = 1
#define SCALARS .is.scalars = 1
#define PRESERVE .is.preserve = 1
#define AS_INT64 .is.int64 = 1
#define AS_INT32 .is.int32 = 1
#define ARRAY_ONLY .is.array = 1
#define KEEPS_NULL .is.nulls = 1
#define LIST_KEY .is.map_key = 1
#define AS_STRING .is.printed_string = 1
#define ATOMIC .is.atomic = 1
#define LATER .is.later = 1
#define ONLY_IF_OBJECT .is.if_object = 1
#define BETWEEN(low, high) AT_LEAST(low), AT_MOST(high)
#define BIT(of_has) .bit = 1 + __builtin_ctzll(of_has)

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
    JL_ROW(member, type, row_type, name, JL_HAS_AT(has), __VA_ARGS__)
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
    JL_ROW(outer.member, double, JL_TYPE_NUMBER, name, JL_HAS_AT(outer.has), BIT(of_has), \
           .doc = __VA_ARGS__)
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
#undef OBJECT
#undef OBJECT_BY
#undef ONLY_IF_OBJECT
#undef OVER
#undef PRESERVE
#undef QUANTITY
#undef RAW
#undef REQUIRED
#undef SCALARS
#undef OR_SECONDS
#undef STRING
#undef STRINGS
#undef TIME
#undef WHOLE
#undef WORD
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
