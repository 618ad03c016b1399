/* SPDX-License-Identifier: Apache-2.0 */

/* Opening the journal of this boot, the writer's lock, and reading
 * (docs/rules/enforcement.md#journal). Other boots are in journal_others.c, appending is in
 * journal_write.c. */

#include "enforce/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/number.h"
#include "enforce/journal_parts.h"

#define BOOT_ID_BYTES 64 /* a UUID has 36 */
#define OTHERS_WRITE 022u

int jl_journal_fail(struct joulie_error *err, const char *where, const char *what, int64_t code)
{
    return code == -ENOMEM ? jl_fail_memory(err) : jl_root_fail(err, where, what, (int)-code);
}

/* ---- the lock ---- */

static int fail_locked(struct jl_journal_file *file, int fd, struct joulie_error *err)
{
    const struct jl_fact pid = jl_fd_number(&file->root.os, fd);
    if (pid.code < 0)
        return jl_fail(err, JOULIE_E_CONFLICT, JL_JOURNAL_LOCK, "another process holds the lock");
    return jl_fail(err, JOULIE_E_CONFLICT, JL_JOURNAL_LOCK, "process %llu holds the lock",
                   (unsigned long long)pid.value);
}

/* A disk that became read-only must not keep a cap from being given back: the lock can be had all
 * the same where its file is there. */
static int open_lock(struct jl_journal_file *file)
{
    int fd = jl_root_file(&file->root, JL_JOURNAL_LOCK, JL_OS_WRITE | JL_OS_CREATE);
    if (fd != -EROFS)
        return fd;
    file->is_read_only = true;
    fd = jl_root_file(&file->root, JL_JOURNAL_LOCK, JL_OS_READ);
    return fd == -ENOENT ? -EROFS : fd;
}

/* The lock belongs to the open file and goes with the process, however it ends. */
static int take_lock(struct jl_journal_file *file, int64_t pid, struct joulie_error *err)
{
    const struct jl_os *os = &file->root.os;
    const int fd = open_lock(file);
    if (fd < 0)
        return jl_journal_fail(err, JL_JOURNAL_LOCK, "cannot open", fd);
    file->lock_fd = fd;
    const int rc = os->lock(os->user, fd);
    if (rc == -EWOULDBLOCK)
        return fail_locked(file, fd, err);
    if (rc < 0)
        return jl_journal_fail(err, JL_JOURNAL_LOCK, "cannot lock", rc);
    (void)jl_fd_write_number(os, fd, (uint64_t)pid); /* only a message misses it */
    return 0;
}

/* ---- reading ---- */

/* Whoever may write a baseline decides what is written to the hardware. A reader believes root. */
int jl_journal_check_owner(const struct jl_journal_file *file, const char *path,
                           const struct jl_os_file *found, struct joulie_error *err)
{
    const bool is_ours = found->uid == file->uid || (found->uid == 0 && !file->is_writer);
    if (is_ours && (found->mode & OTHERS_WRITE) == 0)
        return 0;
    const int rc = jl_fail(err, JOULIE_E_IO, path,
                           "user %u owns it, its mode is 0%o: it must belong to user %u and nobody "
                           "else may write it",
                           found->uid, found->mode, file->uid);
    jl_error_set_errno(err, EPERM);
    return rc;
}

static int check_folder(const struct jl_journal_file *file, struct joulie_error *err)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found;
    const int rc = os->fstat(os->user, file->root.fd, &found);
    return rc < 0 ? jl_journal_fail(err, file->folder, "cannot read", rc)
                  : jl_journal_check_owner(file, file->folder, &found, err);
}

int jl_journal_get(const struct jl_journal_file *file, const char *name, int fd,
                   struct jl_buffer *out, struct jl_os_file *found, struct joulie_error *err)
{
    const struct jl_os *os = &file->root.os;
    int sys_errno = 0;
    int rc = os->fstat(os->user, fd, found);
    if (rc < 0)
        return jl_journal_fail(err, name, "cannot read", rc);
    rc = jl_journal_check_owner(file, name, found, err);
    if (rc < 0)
        return rc;
    rc = jl_fd_bytes(&file->root.os, fd, JL_LIMIT_JOURNAL_BYTES, out, &sys_errno);
    if (rc == JOULIE_E_LIMIT)
        return jl_fail(err, rc, name, "the journal is larger than %zu MiB",
                       JL_LIMIT_JOURNAL_BYTES >> 20);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_journal_fail(err, name, "cannot read", -sys_errno) : 0;
}

static int fail_text(const char *name, int rc, const char *message, struct joulie_error *err)
{
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (rc == JOULIE_E_LIMIT)
        message = "too many open keys";
    return jl_fail(err, rc, name, "%s", message);
}

/* The journal of this boot from an open file. */
static int read_own(struct jl_journal_file *file, int fd, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_journal_state *state = &file->states[file->current];
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    struct jl_os_file found;
    int rc = jl_journal_get(file, file->name, fd, &text, &found, err);
    if (rc < 0)
        return rc;
    rc = jl_journal_read(&state->arena, text.data, text.len, &state->journal, &why);
    if (rc < 0)
        return fail_text(file->name, rc, why.message, err);
    file->must_replace = text.len > 0 && !state->journal.has_head;
    file->inode = found.inode;
    file->size_bytes = text.len;
    file->is_torn = text.len > 0 && text.data[text.len - 1] != '\n';
    return 0;
}

/* Only a writer keeps the file open; for a reader the text that it read is enough. */
static int open_own(struct jl_journal_file *file, struct joulie_error *err)
{
    const bool writes = file->is_writer && !file->is_read_only;
    const unsigned flags = writes ? JL_OS_WRITE | JL_OS_APPEND : JL_OS_READ;
    const int fd = jl_root_file(&file->root, file->name, flags);
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return jl_journal_fail(err, file->name, "cannot open", fd);
    const int rc = read_own(file, fd, err);
    if (rc == 0 && writes)
        file->fd = fd;
    else
        file->root.os.close(file->root.os.user, fd);
    return rc;
}

/* ---- open and close ---- */

int jl_journal_open_folder(const struct jl_root *root, const char *state_dir)
{
    return state_dir != NULL ? jl_os_open_folder(state_dir) : jl_root_folder(root, JL_STATE_FOLDER);
}

static bool is_name(struct jl_text id)
{
    for (size_t i = 0; i < id.len; i++) {
        const char c = jl_lower(id.ptr[i]);
        if (!jl_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '_')
            return false;
    }
    return id.len > 0 && id.len <= BOOT_ID_BYTES;
}

/* The boot id becomes a part of a file name, and comes from the machine: anything else than
 * letters, digits, '-' and '_' is not used. */
static void set_name(struct jl_journal_file *file, const char *boot_id)
{
    struct jl_text id = jl_text_trim(jl_text(boot_id));
    if (!is_name(id))
        id = jl_text("unknown");
    memcpy(file->name, JL_JOURNAL_PREFIX, sizeof JL_JOURNAL_PREFIX - 1);
    memcpy(file->name + sizeof JL_JOURNAL_PREFIX - 1, id.ptr, id.len);
}

int jl_journal_fail_v1(const char *name, struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_UNSUPPORTED, name,
                   "version 0.2 left caps here: joulie-rescue --from-v1 gives them back");
}

static int start(const struct jl_journal_setup *setup, struct jl_journal_file *file,
                 struct joulie_error *err)
{
    file->root = (struct jl_root){ setup->os, setup->folder_fd };
    file->folder = setup->folder != NULL ? setup->folder : "";
    file->uid = setup->uid;
    file->is_writer = setup->is_writer;
    file->lock_fd = -1;
    file->fd = -1;
    for (size_t i = 0; i < JL_MACHINE_FOLDERS; i++)
        file->machine_fds[i] = -1;
    set_name(file, setup->boot_id);
    int rc = check_folder(file, err);
    if (rc == 0 && file->is_writer)
        rc = take_lock(file, setup->pid, err);
    if (rc == 0 && file->is_writer && setup->machine != NULL)
        rc = jl_machine_lock(setup->machine, file->machine_fds, err);
    return rc == 0 ? open_own(file, err) : rc;
}

int jl_journal_open_own(const struct jl_journal_setup *setup, struct jl_journal_file **out,
                        struct joulie_error *err)
{
    struct jl_journal_file *file = jl_calloc(1, sizeof *file);
    if (file == NULL)
        return jl_fail_memory(err);
    const int rc = start(setup, file, err);
    if (rc < 0)
        jl_journal_close(file);
    else
        *out = file;
    return rc;
}

/* Since it was made only version 0.2 itself can have left something, in this boot. */
int jl_journal_check_made(const struct jl_journal_file *file, struct joulie_error *err)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found;
    char v1[sizeof JL_JOURNAL_PREFIX_V1 + BOOT_ID_BYTES] = JL_JOURNAL_PREFIX_V1;
    const char *id = file->name + sizeof JL_JOURNAL_PREFIX - 1;
    memcpy(v1 + sizeof JL_JOURNAL_PREFIX_V1 - 1, id, strlen(id) + 1);
    if (os->stat(os->user, file->root.fd, v1, &found) == 0 && found.size_bytes > 0)
        return jl_journal_fail_v1(v1, err);
    return file->inode != 0 ? 0
                            : jl_fail(err, JOULIE_E_NOT_FOUND, file->name,
                                      "nobody has judged in this boot what is left of others: "
                                      "joulie-rescue --prepare does, and makes this journal");
}

void jl_journal_close(struct jl_journal_file *file)
{
    if (file == NULL)
        return;
    jl_fd_close(&file->root.os, &file->fd);
    jl_fd_close(&file->root.os, &file->lock_fd);
    for (size_t i = 0; i < JL_MACHINE_FOLDERS; i++)
        jl_fd_close(&file->root.os, &file->machine_fds[i]);
    jl_arena_clear(&file->states[0].arena);
    jl_arena_clear(&file->states[1].arena);
    jl_arena_clear(&file->others.arena);
    jl_free(file);
}

const struct jl_journal *jl_journal_now(const struct jl_journal_file *file)
{
    return &file->states[file->current].journal;
}

const struct jl_journal_entry *jl_journal_find(const struct jl_journal_file *file, const char *key)
{
    return jl_journal_entry_of(jl_journal_now(file), key);
}
