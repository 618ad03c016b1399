/* SPDX-License-Identifier: Apache-2.0 */

/* How many items an array has, without reading them: 64 bytes of brackets, quotes and commas at a
 * time. */

#include "schema/json_scan.h"

/* Brackets and quotes of the next 64 bytes, a bit each. */
struct marks {
    uint64_t opening;
    uint64_t closing;
    uint64_t quote;
    bool has_backslash;
};

#define BLOCK 64

#ifdef __SSE2__
static inline uint64_t marks_of(const __m128i bytes[4], char c)
{
    uint64_t found = 0;
    for (int i = 0; i < 4; i++) {
        const __m128i same = _mm_cmpeq_epi8(bytes[i], _mm_set1_epi8(c));
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(same) << (16 * i);
    }
    return found;
}

static inline void load(const char *text, __m128i bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
}

static inline struct marks read_marks(const char *text)
{
    __m128i bytes[4];
    __m128i folded[4]; /* [ and { differ in one bit, ] and } in the same */
    __m128i escapes = _mm_setzero_si128();
    load(text, bytes);
    for (int i = 0; i < 4; i++) {
        folded[i] = _mm_or_si128(bytes[i], _mm_set1_epi8('[' ^ '{'));
        escapes = _mm_or_si128(escapes, _mm_cmpeq_epi8(bytes[i], _mm_set1_epi8('\\')));
    }
    return (struct marks){ marks_of(folded, '{'), marks_of(folded, '}'), marks_of(bytes, '"'),
                           _mm_movemask_epi8(escapes) != 0 };
}

static inline uint64_t read_commas(const char *text)
{
    __m128i bytes[4];
    load(text, bytes);
    return marks_of(bytes, ',');
}
#else
static inline struct marks read_marks(const char *text)
{
    struct marks marks = { 0 };
    for (int i = 0; i < BLOCK; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        const char c = text[i];
        marks.opening |= (c | 0x20) == '{' ? bit : 0;
        marks.closing |= (c | 0x20) == '}' ? bit : 0;
        marks.quote |= c == '"' ? bit : 0;
        marks.has_backslash = marks.has_backslash || c == '\\';
    }
    return marks;
}

static inline uint64_t read_commas(const char *text)
{
    uint64_t commas = 0;
    for (int i = 0; i < BLOCK; i++)
        commas |= (uint64_t)(text[i] == ',') << i;
    return commas;
}
#endif

/* Bits set from each quote up to the next one. */
static inline uint64_t between(uint64_t quotes)
{
    for (int shift = 1; shift < BLOCK; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

static inline int count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int)(bits * JL_EVERY_BYTE >> 56);
}

/* Counting the commas of one object or array. */
struct counting {
    size_t commas;
    size_t depth; /* open brackets, that of the value itself among them; 0 = done */
    bool is_in_string;
};

static void count_byte(struct counting *counting, const char *text, size_t len, size_t *at)
{
    const char c = text[(*at)++];
    if (counting->is_in_string) {
        *at += c == '\\' && *at < len;
        counting->is_in_string = c != '"';
        return;
    }
    counting->is_in_string = c == '"';
    counting->commas += c == ',' && counting->depth == 1;
    counting->depth += c == '{' || c == '[';
    counting->depth -= c == '}' || c == ']';
}

/* A block whose brackets may come back to the value's own depth. */
static void count_marks(struct counting *counting, const struct marks *marks, uint64_t commas)
{
    uint64_t left = marks->opening | marks->closing | commas;
    for (; left != 0 && counting->depth > 0; left &= left - 1) {
        const uint64_t bit = left & (0 - left);
        counting->commas += (commas & bit) != 0 && counting->depth == 1;
        counting->depth += (marks->opening & bit) != 0;
        counting->depth -= (marks->closing & bit) != 0;
    }
}

/* False when an escape makes the block too hard for marks; nothing is counted then. */
static inline bool count_block(struct counting *counting, const char *text)
{
    struct marks marks = read_marks(text);
    if (marks.has_backslash)
        return false;
    const uint64_t strings = between(marks.quote) ^ (counting->is_in_string ? ~UINT64_C(0) : 0);
    counting->is_in_string = strings >> (BLOCK - 1) != 0;
    marks.opening &= ~strings;
    marks.closing &= ~strings;
    const size_t closing = (size_t)count_bits(marks.closing);
    if (closing + 1 >= counting->depth)
        count_marks(counting, &marks, read_commas(text) & ~strings);
    else
        counting->depth += (size_t)count_bits(marks.opening) - closing;
    return true;
}

size_t jl_json_room(const struct jl_json *json, size_t smallest)
{
    const char *text = json->text + json->pos;
    const size_t len = json->len - json->pos;
    struct counting counting = { .depth = 1 };
    size_t at = 1;
    while (at < len && jl_json_is_space(text[at]))
        at++;
    if (at < len && text[at] == (text[0] == '[' ? ']' : '}'))
        return 0; /* a bracket of the other kind is a fault that the reader takes for an item */
    while (at < len && counting.depth > 0) {
        if (len - at >= BLOCK && count_block(&counting, text + at)) {
            at += BLOCK;
            continue;
        }
        const size_t end = len - at < BLOCK ? len : at + BLOCK;
        while (at < end && counting.depth > 0)
            count_byte(&counting, text, len, &at);
    }
    const size_t most = len / (smallest + 1) + 1;
    return counting.commas < most ? counting.commas + 1 : most;
}
