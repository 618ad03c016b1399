/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads a file of the tz database (TZif, RFC 9636) from bytes that the caller brings, and finds
 * the offset from UTC at an instant. Cron windows follow local clocks with it.
 */

#include "cron/zone.h"

#include <string.h>

#include "base/error.h"
#include "cron/zone_rule.h"

#define HEADER_BYTES 44
#define VERSION_AT 4 /* bytes from the start of a header */
#define COUNTS_AT 20
#define TYPE_BYTES 6   /* of a local time type: offset, is saving, index of its name */
#define MOST_TYPES 256 /* a transition names its type in one byte */
#define NEWEST_VERSION '4'

struct jl_time_zone {
    size_t count;        /* of transitions */
    const int64_t *at_s; /* ascending */
    const uint8_t *type; /* from then on */
    int32_t offset_s[MOST_TYPES];
    bool has_rule; /* from the last transition on */
    struct jl_zone_rule rule;
};

/* One data block: where its parts stand. */
struct block {
    size_t times; /* transitions */
    size_t types;
    size_t name_bytes;
    size_t time_bytes; /* of one transition: 4 or 8 */
    const uint8_t *at_s;
    const uint8_t *type;
    const uint8_t *locals;
    const uint8_t *names;
};

struct reader {
    const uint8_t *bytes;
    size_t len;
    struct joulie_error *err;
};

static int refuse(const struct reader *reader, const char *why)
{
    return jl_fail(reader->err, JOULIE_E_PARSE, "", "%s", why);
}

static uint64_t big_endian(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

static const uint8_t *take(struct reader *reader, size_t count)
{
    const uint8_t *taken = reader->bytes;
    reader->bytes += count;
    reader->len -= count;
    return taken;
}

/* ---- headers and blocks ---- */

static int read_header(struct reader *reader, uint8_t *out_version, struct block *out,
                       size_t time_bytes)
{
    if (reader->len < HEADER_BYTES || memcmp(reader->bytes, "TZif", 4) != 0)
        return refuse(reader, "this is no TZif file");
    const uint8_t *header = take(reader, HEADER_BYTES);
    const uint8_t version = header[VERSION_AT];
    if (version > NEWEST_VERSION)
        return jl_fail(reader->err, JOULIE_E_UNSUPPORTED, "", "TZif version %u is not known",
                       (unsigned)version);
    if (version != 0 && version < '2')
        return refuse(reader, "its version is none of TZif");

    uint64_t
        counts[6]; /* UTC marks, standard marks, leap seconds, transitions, types, name bytes */
    for (size_t i = 0; i < 6; i++)
        counts[i] = big_endian(header + COUNTS_AT + 4 * i, 4);
    if (counts[2] != 0)
        return jl_fail(reader->err, JOULIE_E_UNSUPPORTED, "", "its times count leap seconds");
    const uint64_t needed =
        counts[3] * (time_bytes + 1) + counts[4] * TYPE_BYTES + counts[5] + counts[1] + counts[0];
    if (counts[4] < 1 || counts[4] > MOST_TYPES || counts[5] < 1 ||
        (counts[0] != 0 && counts[0] != counts[4]) || (counts[1] != 0 && counts[1] != counts[4]))
        return refuse(reader, "the counts of its header do not fit together");
    if (needed > reader->len)
        return refuse(reader, "it is shorter than its header says");

    *out_version = version;
    *out = (struct block){ .times = (size_t)counts[3],
                           .types = (size_t)counts[4],
                           .name_bytes = (size_t)counts[5],
                           .time_bytes = time_bytes };
    out->at_s = take(reader, out->times * time_bytes);
    out->type = take(reader, out->times);
    out->locals = take(reader, out->types * TYPE_BYTES);
    out->names = take(reader, out->name_bytes);
    take(reader, (size_t)(counts[1] + counts[0]));
    return 0;
}

static int read_types(const struct reader *reader, const struct block *block,
                      struct jl_time_zone *zone)
{
    if (block->names[block->name_bytes - 1] != '\0')
        return refuse(reader, "the last name of its times does not end");
    for (size_t i = 0; i < block->types; i++) {
        const uint8_t *local = block->locals + i * TYPE_BYTES;
        const int64_t offset_s = (int32_t)(uint32_t)big_endian(local, 4);
        if (offset_s < JL_ZONE_LEAST_OFFSET_S || offset_s > JL_ZONE_MOST_OFFSET_S)
            return refuse(reader, "an offset is more than a day");
        if (local[4] > 1 || local[5] >= block->name_bytes)
            return refuse(reader, "a kind of local time is damaged");
        zone->offset_s[i] = (int32_t)offset_s;
    }
    return 0;
}

static int read_transitions(const struct reader *reader, const struct block *block,
                            struct jl_arena *arena, struct jl_time_zone *zone)
{
    int64_t *at_s = JL_NEW_ARRAY(arena, block->times, int64_t);
    uint8_t *type = JL_NEW_ARRAY(arena, block->times, uint8_t);
    if (at_s == NULL || type == NULL)
        return jl_fail(reader->err, jl_arena_code(arena), "", "there is no memory for its times");
    for (size_t i = 0; i < block->times; i++) {
        const uint64_t bits = big_endian(block->at_s + i * block->time_bytes, block->time_bytes);
        at_s[i] = block->time_bytes == 8 ? (int64_t)bits : (int32_t)(uint32_t)bits;
        type[i] = block->type[i];
        if (i > 0 && at_s[i] <= at_s[i - 1])
            return refuse(reader, "its transitions are not in order");
        if (type[i] >= block->types)
            return refuse(reader, "a transition leads to no kind of local time");
    }
    zone->count = block->times;
    zone->at_s = at_s;
    zone->type = type;
    return 0;
}

/* LF, the rule, LF; an empty rule is none. */
static int read_footer(struct reader *reader, struct jl_time_zone *zone)
{
    if (reader->len == 0 || *take(reader, 1) != '\n')
        return refuse(reader, "it has no footer");
    const struct jl_text rest = { (const char *)reader->bytes, reader->len };
    const struct jl_text rule = { rest.ptr, jl_text_find(rest, '\n') };
    const char *why = "";
    if (rule.len == rest.len)
        return refuse(reader, "its footer does not end");
    if (rule.len == 0)
        return 0;
    if (jl_zone_rule_parse(rule, &zone->rule, &why) < 0)
        return refuse(reader, why);
    zone->has_rule = true;
    return 0;
}

int jl_zone_parse(const void *bytes, size_t len, struct jl_arena *arena, struct jl_time_zone **out,
                  struct joulie_error *err)
{
    struct reader reader = { bytes, len, err };
    struct block block;
    uint8_t version = 0;
    uint8_t second = 0;
    int rc = read_header(&reader, &version, &block, 4);
    if (rc == 0 && version != 0) /* the same again with 64-bit times */
        rc = read_header(&reader, &second, &block, 8);
    if (rc < 0)
        return rc;
    if (version != 0 && second != version)
        return refuse(&reader, "its two headers have different versions");
    struct jl_time_zone *zone = JL_NEW(arena, struct jl_time_zone);
    if (zone == NULL)
        return jl_fail(err, jl_arena_code(arena), "", "there is no memory for it");
    rc = read_types(&reader, &block, zone);
    if (rc == 0)
        rc = read_transitions(&reader, &block, arena, zone);
    if (rc == 0 && version != 0)
        rc = read_footer(&reader, zone);
    if (rc < 0)
        return rc;
    *out = zone;
    return 0;
}

/* ---- look-up ---- */

/* The number of transitions at or before the instant. */
static size_t passed(const struct jl_time_zone *zone, int64_t utc_s)
{
    size_t low = 0;
    size_t high = zone->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (zone->at_s[middle] <= utc_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct jl_zone_span jl_zone_span(const struct jl_time_zone *zone, int64_t utc_s)
{
    struct jl_zone_span span = { INT64_MIN, INT64_MAX, 0 };
    if (zone == NULL)
        return span;
    const size_t at = passed(zone, utc_s);
    if (at > 0)
        span.from_s = zone->at_s[at - 1];
    if (at < zone->count)
        span.until_s = zone->at_s[at];
    if (at == zone->count && zone->has_rule) {
        const int64_t last_s = span.from_s;
        span = jl_zone_rule_span(&zone->rule, utc_s);
        span.from_s = span.from_s > last_s ? span.from_s : last_s;
        return span;
    }
    /* before the first transition the first kind holds (RFC 9636, section 3.2) */
    span.offset_s = zone->offset_s[at > 0 ? zone->type[at - 1] : 0];
    return span;
}

int32_t jl_zone_offset_s(const struct jl_time_zone *zone, int64_t utc_s)
{
    return jl_zone_span(zone, utc_s).offset_s;
}
