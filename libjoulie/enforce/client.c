/* SPDX-License-Identifier: Apache-2.0 */

/* The client's end of the packets (wire.h). claim.c, write.c, restore.c and observe.c call it for a
 * host with a keeper. */

#include "enforce/client.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Room for keys that are opened and closed before the list is read anew: nothing of it is freed
 * singly. */
#define FREE_BYTES 524288

/* ---- the connection ---- */

void jl_client_connect(struct jl_client *client, jl_exchange_fn *exchange, void *user)
{
    client->exchange = exchange;
    client->exchange_user = user;
    client->is_lost = false;
}

void jl_client_clear(struct jl_client *client)
{
    jl_arena_clear(&client->open_memory);
}

bool jl_client_is_there(const struct jl_client *client)
{
    return client->exchange != NULL && !client->is_lost;
}

static struct jl_wire_head *begin(struct jl_client *client, enum jl_wire_kind kind, uint32_t count)
{
    client->request.head =
        (struct jl_wire_head){ .version = JL_WIRE_VERSION, .kind = kind, .count = count };
    return &client->request.head;
}

/* The other end's words are the caller's from here on. */
static int take_code(const struct jl_wire_reply *reply, struct joulie_error *err)
{
    return reply->code < 0 ? jl_fail(err, reply->code, "", "%s", reply->message) : 0;
}

/* What was begun. A reply that cannot be believed ends the connection as one that does not come. */
static int ask(struct jl_client *client, int *out_fd, struct joulie_error *err)
{
    const enum jl_wire_kind kind = (enum jl_wire_kind)client->request.head.kind;
    struct jl_packet packet = {
        .request = &client->request,
        .request_bytes = jl_wire_request_bytes(kind, client->request.head.count),
        .reply = kind != JL_WIRE_BEAT ? &client->reply : NULL,
        .takes_fd = out_fd != NULL,
        .fd = -1,
    };
    struct joulie_error fault = JOULIE_INIT(struct joulie_error);
    if (!jl_client_is_there(client))
        return jl_fail(err, JOULIE_E_IO, "keeper", "there is no connection");
    int rc = client->exchange(client->exchange_user, &packet, &fault);
    if (rc == 0 && packet.reply != NULL &&
        jl_wire_check_reply(packet.reply, packet.reply_bytes, kind, &fault) < 0)
        rc = jl_fail(&fault, JOULIE_E_IO, "keeper", "its reply: %s", fault.message);
    if (rc < 0) {
        client->is_lost = true;
        client->fault = fault;
    }
    if (out_fd != NULL)
        *out_fd = packet.fd;
    if (rc < 0)
        return jl_error_return(&fault, rc, err);
    return packet.reply != NULL ? take_code(packet.reply, err) : 0;
}

/* ---- small requests ---- */

int jl_client_hello(struct jl_client *client, const char *owner, struct joulie_error *err)
{
    begin(client, JL_WIRE_HELLO, 1);
    if (!jl_wire_put(client->request.owner.name, sizeof client->request.owner.name, owner))
        return jl_fail(err, JOULIE_E_ENUM, "owner", "a word of printable ASCII was expected");
    const int rc = ask(client, NULL, err);
    if (rc == 0)
        client->terms = client->reply.terms;
    return rc;
}

int jl_client_beat(struct jl_client *client, struct joulie_error *err)
{
    begin(client, JL_WIRE_BEAT, 0);
    return ask(client, NULL, err);
}

int jl_client_leave(struct jl_client *client, struct joulie_error *err)
{
    begin(client, JL_WIRE_LEAVE, 0);
    return ask(client, NULL, err);
}

int jl_client_energy(struct jl_client *client, const char *zone, int *out_fd,
                     struct joulie_error *err)
{
    *out_fd = -1;
    begin(client, JL_WIRE_ENERGY, 1);
    if (!jl_wire_put(client->request.keys[0].key, JL_WIRE_KEY_BYTES, zone))
        return jl_fail(err, JOULIE_E_LIMIT, zone, "the name of the zone has no room");
    const int rc = ask(client, out_fd, err);
    if (rc == 0 && *out_fd < 0)
        return jl_fail(err, JOULIE_E_IO, zone, "no descriptor came with the reply");
    return rc;
}

/* ---- what is open ---- */

/* What the other end's journal has of a key. */
static int take_open(struct jl_arena *arena, struct jl_journal *out, const char *key,
                     const char *owner, const struct jl_wire_open *open)
{
    struct jl_journal_record record = {
        .op = JL_JOURNAL_BASELINE,
        .key = key,
        .value = open->value,
        .unit = (enum jl_journal_unit)open->unit,
        .has_enabled = (open->has & JL_WIRE_OPEN_HAS_ENABLED) != 0,
        .enabled = (open->has & JL_WIRE_OPEN_ENABLED) != 0,
        .owner = owner[0] != '\0' ? owner : NULL,
        .at_ms = open->since_ms,
    };
    int rc = (open->has & JL_WIRE_OPEN) != 0 ? jl_journal_take(arena, out, &record) : 0;
    if (rc < 0 || (open->has & JL_WIRE_OPEN_WRITTEN) == 0)
        return rc;
    record.op = JL_JOURNAL_WRITE;
    record.baseline = open->value;
    record.value = open->written;
    return jl_journal_take(arena, out, &record);
}

/* Page by page; a page that is empty ends it whatever was said of how many there are. */
int jl_client_list(struct jl_client *client, struct joulie_error *err)
{
    struct jl_arena memory = { 0 };
    struct jl_journal open = { 0 };
    uint32_t first = 0;
    int rc = 0;
    do {
        begin(client, JL_WIRE_LIST, 0)->first = first;
        rc = ask(client, NULL, err);
        for (uint32_t i = 0; rc == 0 && i < client->reply.head.count; i++) {
            const struct jl_wire_entry *entry = &client->reply.entries[i];
            rc = take_open(&memory, &open, entry->key, entry->owner, &entry->open);
        }
        first += client->reply.head.count;
    } while (rc == 0 && client->reply.head.count > 0 && first < client->reply.total);
    if (rc < 0) {
        jl_arena_clear(&memory);
        return rc == JOULIE_E_NOMEM ? jl_fail_memory(err) : rc;
    }
    jl_arena_clear(&client->open_memory);
    client->open_memory = memory;
    client->open_memory.limit = 2 * memory.used + FREE_BYTES;
    client->open = open;
    client->has_open = true;
    return 0;
}

/* ---- writing ---- */

static void take_number(struct jl_control_file *file, enum jl_wrote wrote, bool is_taken,
                        uint64_t value, uint64_t read_back)
{
    if (!is_taken || wrote == JL_WROTE_FAILED)
        return;
    file->now = (struct jl_fact){ .value = read_back };
    if (wrote == JL_WROTE_VERIFIED && jl_is_limit_kind(file->kind))
        (void)jl_control_file_floors(file, value, read_back);
}

/* One that nobody tried, because another part of its group failed, says nothing. */
static void take_made(const struct jl_keep *keep, const struct jl_wire_made *made,
                      struct jl_keep_item *item)
{
    item->value = made->value;
    item->wrote = (enum jl_wrote)made->wrote;
    item->has_before = (made->has & JL_WIRE_MADE_BEFORE) != 0;
    item->before = made->before;
    item->result = (struct jl_write_result){ .is_taken = (made->has & JL_WIRE_MADE_TAKEN) != 0,
                                             .read_back = made->read_back };
    item->is_switched = (made->has & JL_WIRE_MADE_SWITCHED) != 0;
    take_number(item->file, item->wrote, item->result.is_taken, item->value, made->read_back);
    if (item->is_switched)
        (void)jl_control_file_read(keep->root, item->file, false);
    struct jl_keep_item told = *item;
    if ((made->has & JL_WIRE_MADE_TRIED) != 0)
        told.wrote = (enum jl_wrote)made->tried_wrote;
    if (told.wrote != JL_WROTE_REVERTED)
        keep->made(keep->user, &told);
}

static void take_way_back(const struct jl_keep *keep, const struct jl_wire_made *made,
                          const struct jl_keep_item *item)
{
    if ((made->has & JL_WIRE_MADE_WENT_BACK) == 0)
        return;
    const struct jl_keep_item back = {
        .file = item->file,
        .value = item->before,
        .wrote = (enum jl_wrote)made->back_wrote,
        .has_before = (made->has & JL_WIRE_MADE_BACK_BEFORE) != 0,
        .before = made->back_before,
        .result = { .is_taken = (made->has & JL_WIRE_MADE_BACK_TAKEN) != 0,
                    .read_back = made->back_read_back },
        .is_way_back = true,
    };
    take_number(item->file, back.wrote, back.result.is_taken, back.value, made->back_read_back);
    keep->made(keep->user, &back);
}

/* The reply says what the journal there has of each key: everything is listed only when there is no
 * room for it. */
static void take_journal(struct jl_client *client, const struct jl_keep *keep,
                         const struct jl_keep_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (take_open(&client->open_memory, &client->open, items[i].file->key, keep->owner,
                      &client->reply.made[i].open) == 0)
            continue;
        (void)jl_client_list(client, NULL); /* one that breaks is found by who asks next */
        return;
    }
}

/* As many as a packet holds, or the whole of a group. */
static int write_some(struct jl_client *client, const struct jl_keep *keep,
                      struct jl_keep_item *items, uint32_t count, bool is_group,
                      struct joulie_error *err)
{
    begin(client, JL_WIRE_APPLY, count)->flags =
        (is_group ? JL_WIRE_GROUP : 0) | (keep->may_enable ? JL_WIRE_MAY_ENABLE : 0) |
        (keep->gives_back_maximum ? JL_WIRE_GIVE_BACK_MAXIMUM : 0);
    for (uint32_t i = 0; i < count; i++) {
        if (!jl_wire_put(client->request.values[i].key, JL_WIRE_KEY_BYTES, items[i].file->key))
            return jl_fail(err, JOULIE_E_LIMIT, items[i].file->key, "the key has no room");
        client->request.values[i].value = items[i].value;
    }
    const int rc = ask(client, NULL, err);
    if (rc < 0)
        return rc;
    if (client->reply.head.count != count)
        return jl_fail(err, JOULIE_E_IO, "keeper", "its reply has another number of items");
    for (uint32_t i = 0; i < count; i++)
        take_made(keep, &client->reply.made[i], &items[i]);
    for (uint32_t i = count; i-- > 0;)
        take_way_back(keep, &client->reply.made[i], &items[i]);
    take_journal(client, keep, items, count);
    return 0;
}

int jl_client_write(struct jl_client *client, const struct jl_keep *keep,
                    struct jl_keep_item *items, size_t count, bool is_group,
                    struct joulie_error *err)
{
    int rc = count > JL_WIRE_ITEMS_MAX && is_group
                 ? jl_fail(err, JOULIE_E_LIMIT, "keeper", "the group is too large for a packet")
                 : 0;
    size_t done = 0;
    while (rc == 0 && done < count) {
        const size_t some =
            count - done < JL_WIRE_ITEMS_MAX ? count - done : (size_t)JL_WIRE_ITEMS_MAX;
        rc = write_some(client, keep, &items[done], (uint32_t)some, is_group, err);
        done += rc == 0 ? some : 0;
    }
    for (size_t i = done; i < count; i++) {
        items[i].has_before = items[i].file->now.code == 0;
        items[i].before = items[i].file->now.value;
        items[i].wrote = is_group && i > done ? JL_WROTE_REVERTED : JL_WROTE_FAILED;
        if (items[i].wrote == JL_WROTE_FAILED)
            keep->made(keep->user, &items[i]);
    }
    return rc;
}

/* ---- giving back ---- */

static void take_given(const struct jl_give_back *how, const struct jl_wire_given *given,
                       struct jl_gift *gift)
{
    if ((given->has & JL_WIRE_GIVEN_FOUND) == 0 && (given->has & JL_WIRE_GIVEN_BACK) == 0) {
        gift->is_tried = true; /* it went while it was asked for */
        gift->is_back = false;
        gift->wrote = JL_WROTE_LOST;
    } else if ((given->has & JL_WIRE_GIVEN_TRIED) != 0) {
        gift->is_tried = true;
        gift->is_back = (given->has & JL_WIRE_GIVEN_BACK) != 0;
        gift->value = given->value;
        gift->wrote = (enum jl_wrote)given->wrote;
        gift->result =
            (struct jl_write_result){ .is_taken = (given->has & JL_WIRE_GIVEN_TAKEN) != 0,
                                      .read_back = given->read_back };
        take_number(gift->file, gift->wrote, gift->result.is_taken, gift->value, given->read_back);
    } else {
        gift->is_back = (given->has & JL_WIRE_GIVEN_BACK) != 0;
    }
    how->tell(how->user, gift);
}

static void take_restored(struct jl_client *client, const char *key)
{
    const struct jl_journal_record record = { .op = JL_JOURNAL_RESTORED, .key = key };
    (void)jl_journal_take(&client->open_memory, &client->open, &record); /* needs no memory */
}

/* How many of them are not back. */
static size_t give_some(struct jl_client *client, const struct jl_give_back *how,
                        struct jl_gift *gifts, uint32_t count, struct joulie_error *err)
{
    begin(client, JL_WIRE_RESTORE, count);
    bool has_room = true;
    for (uint32_t i = 0; i < count; i++)
        has_room &=
            jl_wire_put(client->request.keys[i].key, JL_WIRE_KEY_BYTES, gifts[i].entry->key);
    int rc = has_room ? ask(client, NULL, err)
                      : jl_fail(err, JOULIE_E_LIMIT, "keeper", "a key has no room");
    if (rc == 0 && client->reply.head.count != count)
        rc = jl_fail(err, JOULIE_E_IO, "keeper", "its reply has another number of items");
    for (uint32_t i = 0; i < count && rc < 0; i++) {
        gifts[i].is_back = false; /* not tried */
        how->tell(how->user, &gifts[i]);
    }
    if (rc < 0)
        return count;
    const size_t left = client->reply.total;
    const bool has_failed = client->reply.message[0] != '\0';
    if (has_failed)
        (void)jl_fail(err, JOULIE_E_IO, "", "%s", client->reply.message);
    for (uint32_t i = 0; i < count; i++) {
        take_given(how, &client->reply.given[i], &gifts[i]);
        if (gifts[i].is_back)
            take_restored(client, gifts[i].entry->key);
    }
    if (has_failed)
        (void)jl_client_list(client, NULL); /* the journal may not have taken it */
    return left;
}

size_t jl_client_give_back(struct jl_client *client, const struct jl_give_back *how,
                           struct joulie_error *err)
{
    struct jl_journal entries = { 0 }; /* a copy: what is back is taken out of the list */
    struct jl_gift *gifts = JL_NEW_ARRAY(how->memory, client->open.open_count + 1, struct jl_gift);
    size_t due = 0;
    size_t failed = 0;
    if (gifts == NULL || jl_journal_copy(how->memory, &client->open, &entries) < 0) {
        (void)jl_fail_memory(err);
        return client->open.open_count;
    }
    for (size_t i = 0; i < entries.open_count; i++) {
        const struct jl_journal_entry *entry = &entries.open[i];
        if (how->keeps != NULL && how->keeps(how->user, entry))
            continue;
        struct jl_gift gift = { .entry = entry, .file = how->find(how->user, entry->key) };
        if (jl_gift_is_due(how, &gift) || gift.is_back) {
            gifts[due++] = gift;
            continue;
        }
        failed++;
        how->tell(how->user, &gift);
    }
    for (size_t done = 0; done < due;) {
        const size_t some = due - done < JL_WIRE_ITEMS_MAX ? due - done : (size_t)JL_WIRE_ITEMS_MAX;
        failed += give_some(client, how, &gifts[done], (uint32_t)some, err);
        done += some;
    }
    return failed;
}
