/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Appending and replacing, so that a crash after any system call leaves a journal that says what
 * the caller was promised. A record counts when its call returned 0; what a failed call left in the
 * file is cut off, or the file is replaced before the next record.
 */

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "enforce/journal_parts.h"

#define NEW_FILE (JL_OS_WRITE | JL_OS_APPEND | JL_OS_CREATE | JL_OS_EXCLUSIVE)

/* The state that does not count now; it becomes the current one by publish() after the disk has it.
 */
static struct jl_journal_state *next_state(struct jl_journal_file *file)
{
    struct jl_journal_state *next = &file->states[!file->current];
    jl_arena_reset(&next->arena);
    next->journal = (struct jl_journal){ 0 };
    return next;
}

static void publish(struct jl_journal_file *file)
{
    file->current = !file->current;
}

static int fail_state(struct joulie_error *err, const char *name, int code)
{
    if (code == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (code == JOULIE_E_LIMIT)
        return jl_fail(err, code, name, "too many open keys");
    return jl_fail(err, JOULIE_E_PARSE, name, "a record cannot be read back");
}

/* 0 or a negative errno. */
static int write_all(const struct jl_os *os, int fd, const struct jl_buffer *text)
{
    if (text->len == 0)
        return 0;
    const int64_t got = os->append(os->user, fd, text->data, text->len);
    if (got < 0)
        return (int)got;
    return (size_t)got == text->len ? 0 : -EIO;
}

/* From now on this descriptor is the journal. Its entry in the folder is not synced yet. */
static void adopt(struct jl_journal_file *file, int fd)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found = { 0 }; /* inode 0: it will look replaced, which is always safe */
    (void)os->fstat(os->user, fd, &found);
    jl_fd_close(os, &file->fd);
    file->fd = fd;
    file->inode = found.inode;
    file->is_torn = false;
    file->is_entry_synced = false;
}

static int sync_entry(struct jl_journal_file *file)
{
    const struct jl_os *os = &file->root.os;
    const int rc = file->is_entry_synced ? 0 : os->sync(os->user, file->root.fd);
    if (rc == 0)
        file->is_entry_synced = true;
    return rc;
}

/* ---- replacing ---- */

/* A synced file under the temporary name: its descriptor, or a negative errno. */
static int make_replacement(struct jl_journal_file *file, const char *name,
                            const struct jl_buffer *text)
{
    const struct jl_os *os = &file->root.os;
    int fd = jl_root_file(&file->root, name, NEW_FILE);
    if (fd == -EEXIST) { /* of an attempt that failed */
        os->unlink(os->user, file->root.fd, name);
        fd = jl_root_file(&file->root, name, NEW_FILE);
    }
    if (fd < 0)
        return fd;
    int rc = write_all(os, fd, text);
    if (rc == 0)
        rc = os->sync(os->user, fd);
    if (rc == 0)
        rc = os->rename(os->user, file->root.fd, name, file->root.fd, file->name);
    if (rc == 0)
        return fd;
    os->close(os->user, fd);
    os->unlink(os->user, file->root.fd, name);
    return rc;
}

static int replace(struct jl_journal_file *file, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    char name[sizeof file->name + sizeof JL_JOURNAL_UNFINISHED];
    struct jl_journal_state *next = next_state(file);
    jl_journal_put_open(&text, jl_journal_now(file));
    if (jl_buffer_code(&text) < 0)
        return jl_fail_memory(err);
    int rc = jl_journal_read(&next->arena, text.data, text.len, &next->journal, NULL);
    if (rc < 0)
        return fail_state(err, file->name, rc);

    const size_t len = strlen(file->name);
    memcpy(name, file->name, len);
    memcpy(name + len, JL_JOURNAL_UNFINISHED, sizeof JL_JOURNAL_UNFINISHED);
    const int fd = make_replacement(file, name, &text);
    if (fd < 0)
        return jl_journal_fail(err, file->name, "cannot replace", fd);
    adopt(file, fd);
    publish(file);
    file->size_bytes = text.len;
    file->replaced_bytes = text.len;
    file->must_replace = false;
    rc = sync_entry(file);
    return rc < 0 ? jl_journal_fail(err, file->name, "cannot sync the folder", rc) : 0;
}

static bool is_due(const struct jl_journal_file *file)
{
    if (jl_journal_now(file)->open_count == 0)
        return file->size_bytes > JL_JOURNAL_HEAD_BYTES;
    return file->size_bytes > JL_JOURNAL_REPLACE_BYTES &&
           file->size_bytes / 2 > file->replaced_bytes;
}

static int fail_reader(const struct jl_journal_file *file, struct joulie_error *err)
{
    return jl_journal_fail(err, file->name, "opened to read", -EBADF);
}

int jl_journal_compact(struct jl_journal_file *file, struct joulie_error *err)
{
    if (!file->is_writer)
        return fail_reader(file, err);
    return is_due(file) ? replace(file, err) : 0;
}

/* ---- appending ---- */

/* Whether the name no longer leads to our file: someone removed or replaced it. */
static bool is_lost(const struct jl_journal_file *file)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found;
    const int rc = os->stat(os->user, file->root.fd, file->name, &found);
    return rc == -ENOENT || (rc == 0 && found.inode != file->inode);
}

static int create(struct jl_journal_file *file, struct joulie_error *err)
{
    const int fd = jl_root_file(&file->root, file->name, NEW_FILE);
    if (fd < 0)
        return jl_journal_fail(err, file->name, "cannot create", fd);
    adopt(file, fd);
    return 0;
}

/* An empty one, for which a full disk has room: it takes its first line with its first record. */
int jl_journal_make(struct jl_journal_file *file, struct joulie_error *err)
{
    int rc = file->inode != 0 ? 0 : create(file, err);
    if (rc < 0 || file->fd < 0)
        return rc;
    rc = sync_entry(file);
    return rc < 0 ? jl_journal_fail(err, file->name, "cannot sync the folder", rc) : 0;
}

/* The disk may have become writable since. */
static int try_again(struct jl_journal_file *file)
{
    const int fd = jl_root_file(&file->root, file->name, JL_OS_WRITE | JL_OS_APPEND);
    if (fd < 0 && fd != -ENOENT)
        return fd;
    file->fd = fd == -ENOENT ? -1 : fd;
    file->is_read_only = false;
    return 0;
}

/* A file that holds what counts and can take more. */
static int make_ready(struct jl_journal_file *file, bool is_synced, struct joulie_error *err)
{
    if (!file->is_writer)
        return fail_reader(file, err);
    const int rc = file->is_read_only ? try_again(file) : 0;
    if (rc < 0)
        return jl_journal_fail(err, file->name, "cannot open", rc);
    if (file->fd >= 0 && is_synced && is_lost(file))
        file->must_replace = true;
    if (file->must_replace || file->size_bytes > JL_LIMIT_JOURNAL_BYTES / 2)
        return replace(file, err);
    return file->fd >= 0 ? 0 : create(file, err);
}

static void put_records(struct jl_buffer *out, const struct jl_journal_record *records,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jl_journal_put(out, &records[i]);
        if (records[i].op == JL_JOURNAL_BASELINE)
            jl_journal_put(out, &records[i]);
    }
}

/* What counts after the text from start on, as any later reader will see it. */
static int make_next(struct jl_journal_file *file, const struct jl_buffer *text, size_t start,
                     struct joulie_error *err)
{
    struct jl_journal_state *next = next_state(file);
    int rc = jl_journal_copy(&next->arena, jl_journal_now(file), &next->journal);
    if (rc == 0 && text->len > start)
        rc = jl_journal_read_on(&next->arena, text->data + start, text->len - start, &next->journal,
                                NULL);
    if (rc == 0 && next->journal.skipped > jl_journal_now(file)->skipped)
        rc = JOULIE_E_PARSE;
    return rc < 0 ? fail_state(err, file->name, rc) : 0;
}

/* The kernel may forget pages that it could not write: after a failed fsync the file is suspect. */
static int fail_append(struct jl_journal_file *file, const char *what, int code, bool is_suspect,
                       struct joulie_error *err)
{
    const struct jl_os *os = &file->root.os;
    if (os->truncate(os->user, file->fd, file->size_bytes) < 0 || is_suspect)
        file->must_replace = true;
    return jl_journal_fail(err, file->name, what, code);
}

static int write_out(struct jl_journal_file *file, const struct jl_buffer *text, bool is_synced,
                     struct joulie_error *err)
{
    const struct jl_os *os = &file->root.os;
    int rc = write_all(os, file->fd, text);
    if (rc < 0)
        return fail_append(file, "cannot write", rc, false, err);
    rc = is_synced ? os->sync(os->user, file->fd) : 0;
    if (rc < 0)
        return fail_append(file, "cannot sync", rc, true, err);
    rc = is_synced ? sync_entry(file) : 0;
    if (rc < 0)
        return fail_append(file, "cannot sync the folder", rc, true, err);
    file->size_bytes += text->len;
    file->is_torn = false;
    return 0;
}

/* What counts changes only after everything is on the disk; a failure leaves the file as it was, or
 * marked for replacement. */
int jl_journal_append(struct jl_journal_file *file, const struct jl_journal_record *records,
                      size_t count, bool is_synced, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = make_ready(file, is_synced, err);
    if (rc < 0)
        return rc;
    /* Not LF alone: a torn line that lacks nothing else would count from now on. */
    if (file->is_torn)
        jl_put_string(&text, "#\n");
    const size_t start = text.len;
    if (file->size_bytes == 0)
        jl_journal_put_head(&text);
    put_records(&text, records, count);
    if (jl_buffer_code(&text) < 0)
        return jl_fail_memory(err);
    rc = make_next(file, &text, start, err);
    if (rc == 0)
        rc = write_out(file, &text, is_synced, err);
    if (rc == 0)
        publish(file);
    return rc;
}
