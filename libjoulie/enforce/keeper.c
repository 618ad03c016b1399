/* SPDX-License-Identifier: Apache-2.0 */

/* What is done for a packet, and giving back. joulie-capd calls it. */

#include "enforce/keeper.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "enforce/give_back.h"
#include "enforce/keep.h"
#include "host/boot_id.h"

/* ---- the machine ---- */

/* The files of a key as they are now, read. */
static int look_up(struct jl_keeper *keeper, const char *key, struct jl_control_file *out)
{
    *out = jl_control_file_new(JL_CONTROL_LONG);
    const int rc = jl_control_file_find(&keeper->root, key, &keeper->memory, out);
    if (rc == 0)
        jl_control_file_read(&keeper->root, out, true);
    return rc;
}

static int open_journal(const struct jl_keeper *keeper, bool is_writer,
                        struct jl_journal_file **out, struct joulie_error *err)
{
    const struct jl_journal_setup setup = {
        .os = keeper->root.os,
        .folder_fd = keeper->state_fd,
        .folder = keeper->state_name,
        .boot_id = keeper->boot_id,
        .is_writer = is_writer,
        .machine = &keeper->root,
        .pid = keeper->holder_pid > 0 ? keeper->holder_pid : jl_os_pid(),
        .uid = jl_os_uid(),
    };
    struct jl_journal_file *file = NULL;
    int rc = jl_journal_open_own(&setup, &file, err);
    if (rc == 0)
        rc = jl_journal_check_made(file, err);
    if (rc < 0)
        jl_journal_close(file);
    else
        *out = file;
    return rc;
}

int jl_keeper_claim(struct jl_keeper *keeper, struct joulie_error *err)
{
    return keeper->journal != NULL ? 0 : open_journal(keeper, true, &keeper->journal, err);
}

static bool read_lock(const struct jl_keeper *keeper, struct jl_os_file *out)
{
    const struct jl_os *os = &keeper->root.os;
    return os->stat(os->user, keeper->state_fd, JL_JOURNAL_LOCK, out) == 0;
}

void jl_keeper_release(struct jl_keeper *keeper)
{
    if (keeper->journal != NULL)
        keeper->has_lock = read_lock(keeper, &keeper->lock);
    jl_journal_close(keeper->journal);
    keeper->journal = NULL;
}

/* Who takes the lock writes its number into it; who only holds it for a while does not. Who writes
 * the machine with another state folder has nothing of ours: it is waited for. */
int jl_keeper_reclaim(struct jl_keeper *keeper, struct joulie_error *err)
{
    struct jl_os_file now;
    keeper->is_taken_over =
        keeper->journal == NULL && keeper->has_lock && read_lock(keeper, &now) &&
        (now.inode != keeper->lock.inode || now.mtime_ns != keeper->lock.mtime_ns);
    if (keeper->is_taken_over)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "another process took over");
    int rc = jl_keeper_claim(keeper, err);
    if (rc == JOULIE_E_CONFLICT && err->sys_errno == EBUSY)
        rc = JOULIE_E_IO;
    if (rc < 0 && rc != JOULIE_E_CONFLICT && keeper->has_lock)
        keeper->has_lock = read_lock(keeper, &keeper->lock); /* the number in it may be ours */
    return rc;
}

struct jl_keeper jl_keeper_new(void)
{
    return (struct jl_keeper){
        .root = { .fd = -1 },
        .state_fd = -1,
        .file = jl_control_file_new(JL_CONTROL_LONG),
    };
}

int jl_keeper_open(struct jl_keeper *keeper, const char *root, const char *state_dir,
                   struct joulie_error *err)
{
    struct jl_os_file boot_id;
    const int rc = jl_root_open(jl_os_linux(NULL), root, &keeper->root, err);
    if (rc < 0)
        return rc;
    keeper->boot_id = jl_root_boot_id(&keeper->root, &keeper->texts);
    if (keeper->boot_id == NULL && jl_root_stat(&keeper->root, JL_BOOT_ID_PATH, &boot_id) == 0)
        return jl_fail(err, JOULIE_E_IO, JL_BOOT_ID_PATH, "this boot's journal has another name");
    keeper->state_name = state_dir != NULL ? state_dir : JL_STATE_FOLDER;
    keeper->state_fd = jl_journal_open_folder(&keeper->root, state_dir);
    return keeper->state_fd >= 0 ? 0 : jl_root_fail(err, keeper->state_name, "", -keeper->state_fd);
}

void jl_keeper_close(struct jl_keeper *keeper)
{
    jl_control_file_close(&keeper->root, &keeper->file);
    jl_keeper_release(keeper);
    jl_fd_close(&keeper->root.os, &keeper->state_fd);
    jl_root_close(&keeper->root);
    jl_arena_clear(&keeper->memory);
    jl_arena_clear(&keeper->texts);
}

/* ---- giving back ---- */

struct giving {
    struct jl_keeper *keeper;
    bool keeps_local;
    const struct jl_wire_request *asked; /* the keys; NULL = all that are open, and it is said */
    struct jl_wire_given *given;         /* what came of each of them */
};

/* The place of a key that is asked for; SIZE_MAX = it is not. */
static size_t place_of(const struct jl_wire_request *asked, const char *key)
{
    for (size_t i = 0; i < asked->head.count; i++) {
        if (jl_same(asked->keys[i].key, key))
            return i;
    }
    return SIZE_MAX;
}

static struct jl_control_file *find(void *user, const char *key)
{
    struct jl_keeper *keeper = ((struct giving *)user)->keeper;
    jl_control_file_close(&keeper->root, &keeper->file);
    return look_up(keeper, key, &keeper->file) == 0 ? &keeper->file : NULL;
}

static bool keeps(void *user, const struct jl_journal_entry *entry)
{
    const struct giving *giving = user;
    if (giving->asked != NULL)
        return place_of(giving->asked, entry->key) == SIZE_MAX;
    return giving->keeps_local && entry->owner != NULL && jl_starts_with(entry->owner, "local:");
}

static void tell(void *user, const struct jl_gift *gift)
{
    const struct giving *giving = user;
    if (giving->asked != NULL)
        giving->given[place_of(giving->asked, gift->entry->key)] = (struct jl_wire_given){
            .value = gift->file != NULL ? gift->value : gift->entry->value,
            .before = gift->before.value,
            .read_back = gift->result.read_back,
            .wrote = gift->wrote,
            .has = (gift->file != NULL ? JL_WIRE_GIVEN_FOUND : 0) |
                   (gift->is_tried ? JL_WIRE_GIVEN_TRIED : 0) |
                   (gift->is_back ? JL_WIRE_GIVEN_BACK : 0) |
                   (gift->file != NULL && gift->before.code == 0 ? JL_WIRE_GIVEN_BEFORE : 0) |
                   (gift->result.is_taken ? JL_WIRE_GIVEN_TAKEN : 0),
        };
    else if (gift->is_back && gift->is_tried && giving->keeper->gave != NULL)
        giving->keeper->gave(gift->entry->key, gift->value);
}

static struct jl_give_back how_of(struct giving *giving)
{
    return (struct jl_give_back){
        .root = &giving->keeper->root,
        .journal = giving->keeper->journal,
        .memory = &giving->keeper->memory,
        .user = giving,
        .find = find,
        .keeps = keeps,
        .tell = tell,
    };
}

size_t jl_keeper_give_back(struct jl_keeper *keeper, bool keeps_local, int64_t wall_ms,
                           struct joulie_error *err)
{
    struct giving giving = { .keeper = keeper, .keeps_local = keeps_local };
    const struct jl_give_back how = how_of(&giving);
    jl_arena_reset(&keeper->memory);
    return jl_give_back(&how, jl_journal_now(keeper->journal), wall_ms, err);
}

/* ---- replies ---- */

static struct jl_keeper_answer reply_with(struct jl_wire_reply *reply, uint32_t kind,
                                          uint32_t count)
{
    reply->head = (struct jl_wire_head){ .version = JL_WIRE_VERSION, .kind = kind, .count = count };
    return (struct jl_keeper_answer){ .bytes = jl_wire_reply_bytes((enum jl_wire_kind)kind, count),
                                      .fd = -1 };
}

static void put_error(struct jl_wire_reply *reply, const struct joulie_error *err)
{
    struct jl_buffer text = { .data = reply->message,
                              .capacity = sizeof reply->message,
                              .is_fixed = true };
    reply->code = err->code;
    jl_put_string(&text, err->where);
    jl_put_string(&text, err->where[0] != '\0' ? ": " : "");
    jl_put(&text, err->message,
           jl_utf8_cut(err->message, strlen(err->message),
                       sizeof reply->message - 1 - (text.is_failed ? 0 : text.len)));
}

static struct jl_keeper_answer fail(uint32_t kind, const struct joulie_error *err,
                                    struct jl_wire_reply *reply)
{
    const struct jl_keeper_answer answer = reply_with(reply, kind, 0);
    put_error(reply, err);
    return answer;
}

static struct jl_keeper_answer fail_memory(uint32_t kind, struct jl_wire_reply *reply)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)jl_fail_memory(&err);
    return fail(kind, &err, reply);
}

struct jl_keeper_answer jl_keeper_refuse(uint32_t kind, const struct joulie_error *err,
                                         struct jl_wire_reply *reply)
{
    memset(reply, 0, offsetof(struct jl_wire_reply, terms));
    struct jl_keeper_answer answer = fail(JL_WIRE_LIST, err, reply); /* its items have no fewest */
    reply->head.kind = kind;
    answer.ends = true;
    return answer;
}

/* ---- requests ---- */

static struct jl_keeper_answer
hello(struct jl_keeper *keeper, const struct jl_wire_request *request, struct jl_wire_reply *reply)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (jl_keeper_claim(keeper, &err) < 0)
        return fail(JL_WIRE_HELLO, &err, reply); /* it may say it again */
    memcpy(keeper->owner, request->owner.name, sizeof keeper->owner);
    keeper->has_client = true;
    keeper->leaves = false;
    reply->terms = (struct jl_wire_terms){
        .floor_pct = keeper->bounds.floor_pct,
        .flags =
            (keeper->bounds.ramps ? JL_WIRE_RAMPS : 0) | (keeper->may_enable ? JL_WIRE_ENABLES : 0),
        .pid = (uint32_t)jl_os_pid(),
    };
    return reply_with(reply, JL_WIRE_HELLO, 1);
}

static struct jl_wire_open open_of(const struct jl_journal_entry *entry)
{
    return (struct jl_wire_open){
        .value = entry->value,
        .written = entry->written,
        .since_ms = entry->since_ms,
        .unit = entry->unit,
        .has = JL_WIRE_OPEN | (entry->has_written ? JL_WIRE_OPEN_WRITTEN : 0) |
               (entry->has_enabled ? JL_WIRE_OPEN_HAS_ENABLED : 0) |
               (entry->enabled ? JL_WIRE_OPEN_ENABLED : 0),
    };
}

static void put_entry(const struct jl_journal_entry *entry, struct jl_wire_entry *out)
{
    *out = (struct jl_wire_entry){ .open = open_of(entry) };
    (void)jl_wire_put(out->owner, sizeof out->owner, entry->owner);
    if (!jl_wire_put(out->key, sizeof out->key, entry->key))
        (void)jl_wire_put(out->key, sizeof out->key, "?"); /* of another program: too long */
}

/* Who only asks needs no claim, and takes none. */
static struct jl_keeper_answer list(struct jl_keeper *keeper, uint32_t first,
                                    struct jl_wire_reply *reply)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_journal_file *file = keeper->journal;
    if (file == NULL && open_journal(keeper, false, &file, &err) < 0)
        return fail(JL_WIRE_LIST, &err, reply);
    const struct jl_journal *now = jl_journal_now(file);
    uint32_t count = 0;
    for (size_t i = first; i < now->open_count && count < JL_WIRE_ENTRIES_MAX; i++)
        put_entry(&now->open[i], &reply->entries[count++]);
    const struct jl_keeper_answer answer = reply_with(reply, JL_WIRE_LIST, count);
    reply->head.first = first;
    reply->total = (uint32_t)now->open_count;
    if (file != keeper->journal)
        jl_journal_close(file);
    return answer;
}

/* Items whose control is there, can be read and has bounds; the others are lost, failed or
 * unbounded already. */
struct writing {
    struct jl_control_file *files;
    struct jl_keep_item *items;
    struct jl_wire_made **made; /* of each item */
    size_t count;
};

static void prepare(struct jl_keeper *keeper, const struct jl_wire_value *asked,
                    struct jl_keeper_time now, struct jl_wire_made *made, struct writing *writing)
{
    struct jl_control_file *file = &writing->files[writing->count];
    const int rc = look_up(keeper, asked->key, file);
    *made = (struct jl_wire_made){
        .value = asked->value,
        .wrote = rc == 0 && !file->is_lost ? JL_WROTE_FAILED : JL_WROTE_LOST,
    };
    if (rc == 0 && file->now.code == 0) {
        const struct jl_journal_entry *entry = jl_journal_find(keeper->journal, asked->key);
        struct jl_keep_item *item = &writing->items[writing->count];
        *item = (struct jl_keep_item){ .file = file, .value = asked->value };
        if (jl_bounds_keep(&keeper->bounds, file, entry != NULL, entry != NULL ? entry->value : 0,
                           now.monotonic_ms, &item->value)) {
            writing->made[writing->count++] = made;
            return;
        }
        made->wrote = JL_WROTE_UNBOUNDED;
    }
    jl_control_file_close(&keeper->root, file);
}

/* What items have no room for when their group is over. */
static void note_made(void *user, const struct jl_keep_item *item)
{
    const struct writing *writing = user;
    struct jl_wire_made *made = writing->made[item->file - writing->files];
    if (!item->is_way_back) {
        made->has |= JL_WIRE_MADE_TRIED;
        made->tried_wrote = item->wrote;
        return;
    }
    made->has |= JL_WIRE_MADE_WENT_BACK | (item->has_before ? JL_WIRE_MADE_BACK_BEFORE : 0) |
                 (item->result.is_taken ? JL_WIRE_MADE_BACK_TAKEN : 0);
    made->back_before = item->before;
    made->back_read_back = item->result.read_back;
    made->back_wrote = item->wrote;
}

static void put_made(const struct jl_journal_file *journal, const struct writing *writing)
{
    for (size_t i = 0; i < writing->count; i++) {
        const struct jl_keep_item *item = &writing->items[i];
        const struct jl_journal_entry *entry = jl_journal_find(journal, item->file->key);
        struct jl_wire_made *made = writing->made[i];
        made->value = item->value;
        made->before = item->before;
        made->read_back = item->result.read_back;
        made->open = entry != NULL ? open_of(entry) : (struct jl_wire_open){ 0 };
        made->wrote = item->wrote;
        made->has |= (item->has_before ? JL_WIRE_MADE_BEFORE : 0) |
                     (item->result.is_taken ? JL_WIRE_MADE_TAKEN : 0) |
                     (item->is_switched ? JL_WIRE_MADE_SWITCHED : 0);
    }
}

static int write_items(struct jl_keeper *keeper, const struct jl_wire_head *head,
                       struct writing *writing, int64_t wall_ms, struct joulie_error *err)
{
    const bool is_group = (head->flags & JL_WIRE_GROUP) != 0;
    const struct jl_keep keep = {
        .root = &keeper->root,
        .journal = keeper->journal,
        .memory = &keeper->memory,
        .owner = keeper->owner,
        .may_enable = keeper->may_enable && (head->flags & JL_WIRE_MAY_ENABLE) != 0,
        .gives_back_maximum = (head->flags & JL_WIRE_GIVE_BACK_MAXIMUM) != 0,
        .user = writing,
        .made = note_made,
    };
    if (writing->count == head->count || !is_group)
        return jl_keep_write(&keep, writing->items, writing->count, is_group, wall_ms, err);
    for (size_t i = 0; i < writing->count; i++) /* a part of the group is not there */
        writing->items[i].wrote = JL_WROTE_REVERTED;
    return 0;
}

static struct jl_keeper_answer apply(struct jl_keeper *keeper,
                                     const struct jl_wire_request *request,
                                     struct jl_keeper_time now, struct jl_wire_reply *reply)
{
    const uint32_t count = request->head.count;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct writing writing = {
        .files = JL_NEW_ARRAY(&keeper->memory, count, struct jl_control_file),
        .items = JL_NEW_ARRAY(&keeper->memory, count, struct jl_keep_item),
        .made = JL_NEW_ARRAY(&keeper->memory, count, struct jl_wire_made *),
    };
    if (writing.files == NULL || writing.items == NULL || writing.made == NULL)
        return fail_memory(JL_WIRE_APPLY, reply);
    for (uint32_t i = 0; i < count; i++)
        prepare(keeper, &request->values[i], now, &reply->made[i], &writing);
    const int rc = write_items(keeper, &request->head, &writing, now.wall_ms, &err);
    put_made(keeper->journal, &writing);
    for (size_t i = 0; i < writing.count; i++)
        jl_control_file_close(&keeper->root, &writing.files[i]);
    err.where[0] = '\0'; /* the message is for a report */
    return rc < 0 ? fail(JL_WIRE_APPLY, &err, reply) : reply_with(reply, JL_WIRE_APPLY, count);
}

/* Those of the keys that are open; one that is not needs nothing. */
static struct jl_keeper_answer restore(struct jl_keeper *keeper,
                                       const struct jl_wire_request *request,
                                       struct jl_keeper_time now, struct jl_wire_reply *reply)
{
    const uint32_t count = request->head.count;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct giving giving = { .keeper = keeper, .asked = request, .given = reply->given };
    const struct jl_give_back how = how_of(&giving);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_open = jl_journal_find(keeper->journal, request->keys[i].key) != NULL;
        reply->given[i] = (struct jl_wire_given){ .has = is_open ? 0 : JL_WIRE_GIVEN_BACK };
    }
    const size_t left = jl_give_back(&how, jl_journal_now(keeper->journal), now.wall_ms, &err);
    if (err.code == JOULIE_E_NOMEM)
        return fail(JL_WIRE_RESTORE, &err, reply);
    const struct jl_keeper_answer answer = reply_with(reply, JL_WIRE_RESTORE, count);
    err.where[0] = '\0';
    if (err.code < 0)
        put_error(reply, &err);
    reply->code = 0; /* what the journal did not take is open, and counted */
    reply->total = (uint32_t)left;
    return answer;
}

static struct jl_keeper_answer energy(struct jl_keeper *keeper, const char *name,
                                      struct jl_wire_reply *reply)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *path = NULL;
    const int rc = jl_control_energy_find(&keeper->root, name, &keeper->memory, &path);
    const int fd = rc == 0 ? jl_root_file(&keeper->root, path, JL_OS_READ) : -1;
    if (rc < 0)
        (void)jl_fail(&err, rc, name, "this machine has no such zone now");
    else if (fd < 0)
        (void)jl_root_fail(&err, path, "", -fd);
    if (fd < 0)
        return fail(JL_WIRE_ENERGY, &err, reply);
    struct jl_keeper_answer answer = reply_with(reply, JL_WIRE_ENERGY, 0);
    answer.fd = fd;
    return answer;
}

static struct jl_keeper_answer answer_known(struct jl_keeper *keeper,
                                            const struct jl_wire_request *request,
                                            struct jl_keeper_time now, struct jl_wire_reply *reply)
{
    switch (request->head.kind) {
    case JL_WIRE_HELLO:
        return hello(keeper, request, reply);
    case JL_WIRE_LIST:
        return list(keeper, request->head.first, reply);
    case JL_WIRE_APPLY:
        return apply(keeper, request, now, reply);
    case JL_WIRE_RESTORE:
        return restore(keeper, request, now, reply);
    case JL_WIRE_ENERGY:
        return energy(keeper, request->keys[0].key, reply);
    case JL_WIRE_LEAVE:
        keeper->leaves = true;
        return reply_with(reply, JL_WIRE_LEAVE, 0);
    default: /* a beat */
        return (struct jl_keeper_answer){ .fd = -1 };
    }
}

struct jl_keeper_answer jl_keeper_answer(struct jl_keeper *keeper,
                                         const struct jl_wire_request *request, size_t len,
                                         struct jl_keeper_time now, struct jl_wire_reply *reply)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    uint32_t kind = 0;
    if (len >= offsetof(struct jl_wire_head, flags))
        kind = request->head.kind;
    if (jl_wire_check_request(request, len, &err) < 0)
        return jl_keeper_refuse(kind, &err, reply);
    const bool is_open = kind == JL_WIRE_HELLO || kind == JL_WIRE_LIST || kind == JL_WIRE_ENERGY;
    if (!keeper->has_client && !is_open) {
        (void)jl_fail(&err, JOULIE_E_CONFLICT, "packet", "a client says hello first");
        return jl_keeper_refuse(kind, &err, reply);
    }
    memset(reply, 0, offsetof(struct jl_wire_reply, terms));
    jl_arena_reset(&keeper->memory);
    return answer_known(keeper, request, now, reply);
}
