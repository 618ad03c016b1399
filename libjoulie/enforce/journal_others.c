/* SPDX-License-Identifier: Apache-2.0 */

/* Journals of other boots and of version 0.2 (docs/rules/enforcement.md#other-boots): read with the
 * one of this boot, and put away. joulie-capd links none of it: joulie-rescue judges them before it
 * starts. */

#include <errno.h>
#include <fcntl.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sort.h"
#include "enforce/journal_parts.h"

#define OLD "old"
#define OLD_NAMES 1000 /* of one boot */

/* A journal may come twice by its name: a boot that was resumed after another one ran. */
static int free_old_name(struct jl_journal_file *file, int old_fd, const char *name,
                         struct jl_buffer *out)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found;
    int rc = 0;
    for (int64_t i = 0; rc == 0 && i < OLD_NAMES; i++) {
        jl_buffer_reset(out);
        jl_put_string(out, name);
        if (i > 0) {
            jl_put_char(out, '.');
            jl_put_i64(out, i);
        }
        if (out->is_failed)
            return -ENOMEM;
        rc = os->stat(os->user, old_fd, out->data, &found);
    }
    return rc == -ENOENT ? 0 : rc < 0 ? rc : -EEXIST;
}

/* The new entry is on the disk before the old one goes. */
static int move_to(struct jl_journal_file *file, int old_fd, const char *name)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer to = { 0 };
    const struct jl_os *os = &file->root.os;
    int rc = free_old_name(file, old_fd, name, &to);
    if (rc == 0)
        rc = os->rename(os->user, file->root.fd, name, old_fd, to.data);
    if (rc == 0)
        rc = os->sync(os->user, old_fd);
    return rc < 0 ? rc : os->sync(os->user, file->root.fd);
}

static int put_away(struct jl_journal_file *file, const char *name)
{
    const struct jl_os *os = &file->root.os;
    const int old_fd = jl_root_make_folder(&file->root, OLD);
    if (old_fd < 0)
        return old_fd;
    const int rc = move_to(file, old_fd, name);
    os->close(os->user, old_fd);
    return rc;
}

static int read_other(struct jl_journal_file *file, const char *name, struct jl_journal *out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const int fd = jl_root_file(&file->root, name, JL_OS_READ);
    if (fd < 0)
        return JOULIE_E_IO;
    struct jl_os_file found;
    const int rc = jl_journal_get(file, name, fd, &text, &found, NULL);
    file->root.os.close(file->root.os.user, fd);
    return rc < 0 ? rc : jl_journal_read(&file->others.arena, text.data, text.len, out, NULL);
}

/* What cannot be read is left alone: it must not keep this boot from its own journal. */
static int offer(struct jl_journal_file *file, struct jl_journal_other *other)
{
    struct jl_journal journal = { 0 };
    int rc = read_other(file, other->name, &journal);
    if (rc == 0 && journal.open_count > 0)
        rc = jl_journal_join(&file->others.arena, &journal, &file->others.journal);
    other->is_read = rc == 0;
    if (rc == 0 && journal.open_count == 0 && file->is_writer)
        (void)put_away(file, other->name); /* the next start tries again */
    return rc == JOULIE_E_NOMEM ? rc : 0;
}

static int compare_newest_first(const void *a, const void *b, void *user)
{
    const struct jl_journal_other *first = a;
    const struct jl_journal_other *second = b;
    (void)user;
    return JL_ORDER(second->mtime_ns, first->mtime_ns);
}

/* Takes the names that are journals of other boots. */
static int sift(struct jl_journal_file *file, const char *const *names, size_t count)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found;
    file->other_files = JL_NEW_ARRAY(&file->others.arena, count, struct jl_journal_other);
    if (file->other_files == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!jl_starts_with(names[i], JL_JOURNAL_PREFIX) || jl_same(names[i], file->name))
            continue;
        if (jl_ends_with(names[i], JL_JOURNAL_UNFINISHED)) {
            if (file->is_writer)
                os->unlink(os->user, file->root.fd, names[i]);
        } else if (os->stat(os->user, file->root.fd, names[i], &found) == 0 &&
                   found.kind == JL_OS_FILE) {
            file->other_files[file->other_count++] =
                (struct jl_journal_other){ .name = names[i], .mtime_ns = found.mtime_ns };
        }
    }
    return 0;
}

bool jl_journal_is_v1(const char *name)
{
    return jl_starts_with(name, JL_JOURNAL_PREFIX_V1) && !jl_ends_with(name, JL_JOURNAL_UNFINISHED);
}

/* A journal of version 0.2 with something in it; that version emptied it when nothing was left. */
static const char *find_v1(const struct jl_journal_file *file, const char *const *names,
                           size_t count)
{
    const struct jl_os *os = &file->root.os;
    struct jl_os_file found;
    for (size_t i = 0; i < count; i++) {
        if (jl_journal_is_v1(names[i]) &&
            (os->stat(os->user, file->root.fd, names[i], &found) < 0 || found.size_bytes > 0))
            return names[i];
    }
    return NULL;
}

static int open_others(struct jl_journal_file *file, bool may_have_v1, struct joulie_error *err)
{
    const char **names = NULL;
    size_t count = 0;
    int rc = jl_root_list(&file->root, "", &file->others.arena, &names, &count);
    if (rc == 0)
        rc = sift(file, names, count);
    if (rc == 0 && !may_have_v1) {
        const char *older = find_v1(file, names, count);
        if (older != NULL)
            return jl_journal_fail_v1(older, err);
    }
    if (rc < 0)
        return jl_journal_fail(err, "", "cannot list the state folder", rc);
    rc = jl_sort(file->other_files, file->other_count, sizeof *file->other_files,
                 compare_newest_first, NULL);
    for (size_t i = 0; rc == 0 && i < file->other_count; i++)
        rc = offer(file, &file->other_files[i]);
    return rc < 0 ? jl_fail_memory(err) : 0;
}

int jl_journal_put_others_away(struct jl_journal_file *file, struct joulie_error *err)
{
    if (!file->is_writer)
        return jl_journal_fail(err, OLD, "opened to read", -EBADF);
    for (size_t i = 0; i < file->other_count; i++) {
        if (!file->other_files[i].is_read)
            continue;
        const int rc = put_away(file, file->other_files[i].name);
        if (rc < 0 && rc != -ENOENT)
            return jl_journal_fail(err, file->other_files[i].name, "cannot move to old", rc);
    }
    jl_arena_clear(&file->others.arena);
    file->others = (struct jl_journal_state){ 0 };
    file->other_count = 0;
    return 0;
}

const struct jl_journal *jl_journal_others(const struct jl_journal_file *file)
{
    return &file->others.journal;
}

int jl_journal_open(const struct jl_journal_setup *setup, struct jl_journal_file **out,
                    struct joulie_error *err)
{
    struct jl_journal_file *file = NULL;
    int rc = jl_journal_open_own(setup, &file, err);
    if (rc == 0)
        rc = open_others(file, setup->may_have_v1, err);
    if (rc < 0)
        jl_journal_close(file);
    else
        *out = file;
    return rc;
}

int jl_journal_make_folder(const struct jl_root *root, const char *state_dir)
{
    const struct jl_os *os = &root->os;
    if (state_dir == NULL)
        return jl_root_make_folder(root, JL_STATE_FOLDER);
    const int fd = jl_os_open_folder(state_dir);
    if (fd != -ENOENT)
        return fd;
    const int rc = os->mkdir(os->user, AT_FDCWD, state_dir);
    return rc < 0 && rc != -EEXIST ? rc : jl_os_open_folder(state_dir);
}
