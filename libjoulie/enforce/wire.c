/* SPDX-License-Identifier: Apache-2.0 */

/* Sizes and checks of packets. Both ends call it on everything that they receive. */

#include "enforce/wire.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "node/cap_life.h"

#define REQUEST_HEAD sizeof(struct jl_wire_head)
#define REPLY_HEAD offsetof(struct jl_wire_reply, terms)

_Static_assert(offsetof(struct jl_wire_request, owner) == REQUEST_HEAD, "no hole behind the head");
_Static_assert(sizeof(struct jl_wire_entry) % 8 == 0 && REPLY_HEAD % 8 == 0, "items are aligned");

struct form { /* of the packets of a kind */
    uint32_t item_bytes;
    uint32_t count_min;
    uint32_t count_max;
    uint32_t flags; /* that are known */
};

static const struct form requests[] = {
    [JL_WIRE_HELLO] = { sizeof(struct jl_wire_owner), 1, 1, 0 },
    [JL_WIRE_LIST] = { 0, 0, 0, 0 },
    [JL_WIRE_APPLY] = { sizeof(struct jl_wire_value), 1, JL_WIRE_ITEMS_MAX,
                        JL_WIRE_GROUP | JL_WIRE_MAY_ENABLE | JL_WIRE_GIVE_BACK_MAXIMUM },
    [JL_WIRE_RESTORE] = { sizeof(struct jl_wire_key), 1, JL_WIRE_ITEMS_MAX, 0 },
    [JL_WIRE_ENERGY] = { sizeof(struct jl_wire_key), 1, 1, 0 },
    [JL_WIRE_BEAT] = { 0, 0, 0, 0 },
    [JL_WIRE_LEAVE] = { 0, 0, 0, 0 },
};

static const struct form replies[] = {
    [JL_WIRE_HELLO] = { sizeof(struct jl_wire_terms), 1, 1, 0 },
    [JL_WIRE_LIST] = { sizeof(struct jl_wire_entry), 0, JL_WIRE_ENTRIES_MAX, 0 },
    [JL_WIRE_APPLY] = { sizeof(struct jl_wire_made), 1, JL_WIRE_ITEMS_MAX, 0 },
    [JL_WIRE_RESTORE] = { sizeof(struct jl_wire_given), 1, JL_WIRE_ITEMS_MAX, 0 },
    [JL_WIRE_ENERGY] = { 0, 0, 0, 0 },
    [JL_WIRE_BEAT] = { 0, 0, 0, 0 },
    [JL_WIRE_LEAVE] = { 0, 0, 0, 0 },
};

size_t jl_wire_request_bytes(enum jl_wire_kind kind, uint32_t count)
{
    return REQUEST_HEAD + (size_t)requests[kind].item_bytes * count;
}

size_t jl_wire_reply_bytes(enum jl_wire_kind kind, uint32_t count)
{
    return REPLY_HEAD + (size_t)replies[kind].item_bytes * count;
}

/* ---- texts ---- */

/* It ends within its room, and nothing is hidden behind the end. */
static bool is_ended(const char *text, size_t room)
{
    size_t at = 0;
    while (at < room && text[at] != '\0')
        at++;
    const bool has_end = at < room;
    while (at < room && text[at] == '\0')
        at++;
    return has_end && at == room;
}

/* Keys and owners are words that a person can read. */
static bool is_word(const char *text, size_t room)
{
    for (size_t i = 0; i < room && text[i] != '\0'; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return text[0] != '\0' && is_ended(text, room);
}

bool jl_wire_put(char *out, size_t room, const char *text)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    memset(out, 0, room);
    if (len < room)
        memcpy(out, text != NULL ? text : "", len);
    if (is_word(out, room))
        return true;
    memset(out, 0, room);
    return false;
}

/* ---- checks ---- */

static int fail(struct joulie_error *err, const char *message)
{
    return jl_fail(err, JOULIE_E_PARSE, "packet", "%s", message);
}

static int check_head(const struct jl_wire_head *head, const struct form *forms, size_t len,
                      size_t head_bytes, struct joulie_error *err)
{
    if (len < sizeof head->version || head->version != JL_WIRE_VERSION)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "packet",
                       "it is not of version %d of this protocol", JL_WIRE_VERSION);
    if (len < head_bytes)
        return fail(err, "it is too short");
    if (head->kind < JL_WIRE_HELLO || head->kind > JL_WIRE_LEAVE)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "packet", "kind %u is not known", head->kind);
    const struct form *form = &forms[head->kind];
    if ((head->flags & ~form->flags) != 0)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "packet", "flags %x are not known", head->flags);
    if (head->reserved != 0 || (head->first != 0 && head->kind != JL_WIRE_LIST))
        return fail(err, "what is reserved is not 0");
    if (head->count > form->count_max)
        return fail(err, "it says that it has too many items");
    if (len != head_bytes + (size_t)form->item_bytes * head->count)
        return fail(err, "its length is not that of its items");
    return 0;
}

static bool has_words(const struct jl_wire_request *packet)
{
    for (uint32_t i = 0; i < packet->head.count; i++) {
        bool is_good = true;
        if (packet->head.kind == JL_WIRE_HELLO)
            is_good = is_word(packet->owner.name, sizeof packet->owner.name);
        else if (packet->head.kind == JL_WIRE_APPLY)
            is_good = is_word(packet->values[i].key, sizeof packet->values[i].key);
        else
            is_good = is_word(packet->keys[i].key, sizeof packet->keys[i].key);
        if (!is_good)
            return false;
    }
    return true;
}

int jl_wire_check_request(const struct jl_wire_request *packet, size_t len,
                          struct joulie_error *err)
{
    const int rc = check_head(&packet->head, requests, len, REQUEST_HEAD, err);
    if (rc < 0)
        return rc;
    if (packet->head.count < requests[packet->head.kind].count_min)
        return fail(err, "it has no item");
    return has_words(packet) ? 0 : fail(err, "a key or an owner is not a word with an end");
}

static bool has_good_items(const struct jl_wire_reply *packet)
{
    for (uint32_t i = 0; i < packet->head.count; i++) {
        const struct jl_wire_entry *entry = &packet->entries[i];
        bool is_good = true;
        if (packet->head.kind == JL_WIRE_LIST)
            is_good = is_word(entry->key, sizeof entry->key) &&
                      is_ended(entry->owner, sizeof entry->owner);
        else if (packet->head.kind == JL_WIRE_APPLY)
            is_good = packet->made[i].wrote <= JL_WROTE_UNBOUNDED &&
                      packet->made[i].tried_wrote <= JL_WROTE_UNBOUNDED &&
                      packet->made[i].back_wrote <= JL_WROTE_UNBOUNDED;
        else if (packet->head.kind == JL_WIRE_RESTORE)
            is_good = packet->given[i].wrote <= JL_WROTE_UNBOUNDED;
        if (!is_good)
            return false;
    }
    return true;
}

int jl_wire_check_reply(const struct jl_wire_reply *packet, size_t len, enum jl_wire_kind kind,
                        struct joulie_error *err)
{
    const int rc = check_head(&packet->head, replies, len, REPLY_HEAD, err);
    if (rc < 0)
        return rc;
    if (packet->code == 0 && packet->head.kind != (uint32_t)kind)
        return fail(err, "it answers another question");
    if (!is_ended(packet->message, sizeof packet->message))
        return fail(err, "its message has no end");
    if (packet->code > 0 || (packet->code < 0 && packet->head.count > 0) ||
        (packet->code == 0 && packet->head.count < replies[kind].count_min))
        return fail(err, "its code and its items do not fit");
    return has_good_items(packet) ? 0 : fail(err, "an item has a word that is not known");
}
