/* SPDX-License-Identifier: Apache-2.0 */

/* One writer of a machine, whatever state folder it has: the folders of what is written are locked
 * (docs/rules/enforcement.md#machine-lock). Called by journal_file.c. */

#include <errno.h>
#include <sys/sysmacros.h>

#include "base/error.h"
#include "base/number.h"
#include "enforce/journal_parts.h"
#include "host/parts.h"

#define LOCKS_PATH "proc/locks"
#define LOCKS_BYTES ((size_t)256 << 10)

/* The first is always there on a live machine; the second alone may be mounted in a container. */
static const char *const folders[] = { JL_CPU_PATH, JL_POWERCAP_PATH };

_Static_assert(JL_COUNT(folders) == JL_MACHINE_FOLDERS, "each has a descriptor");

/* ---- who holds it ---- */

static unsigned read_hex(struct jl_text digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < digits.len; i++)
        value = value * 16 + (unsigned)jl_hex_digit(digits.ptr[i]);
    return value;
}

static bool is_of(struct jl_text word, const struct jl_os_file *file)
{
    const unsigned first = read_hex(jl_text_cut(&word, ':'));
    const unsigned second = read_hex(jl_text_cut(&word, ':'));
    uint64_t inode = 0;
    return jl_parse_u64(word.ptr, word.len, &inode) == 0 && inode == file->inode &&
           makedev(first, second) == file->device;
}

/* "1: FLOCK  ADVISORY  WRITE 4711 00:16:3562 0 EOF": the number of a process stands before the
 * device, of two hexadecimal numbers, and the inode of what it locked. 0 = the line is of another
 * file. */
static uint64_t holder_in(struct jl_text line, const struct jl_os_file *file)
{
    struct jl_text before = { 0 };
    uint64_t number = 0;
    for (struct jl_text word = { 0 }; line.len > 0; before = word) {
        word = jl_text_cut(&line, ' ');
        if (is_of(word, file))
            return jl_parse_u64(before.ptr, before.len, &number) == 0 ? number : 0;
    }
    return 0;
}

/* 0 = not known: it may be in a namespace of process numbers that is not seen from here. */
static uint64_t holder_of(const struct jl_root *root, int fd)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    struct jl_os_file found;
    struct jl_text rest = { 0 };
    uint64_t holder = 0;
    int sys_errno = 0;
    if (root->os.fstat(root->os.user, fd, &found) < 0 ||
        jl_root_text(root, LOCKS_PATH, LOCKS_BYTES, &memory, &rest, &sys_errno) < 0)
        return 0;
    while (holder == 0 && rest.len > 0)
        holder = holder_in(jl_text_cut(&rest, '\n'), &found);
    return holder;
}

static int fail_held(const struct jl_root *root, int fd, const char *folder,
                     struct joulie_error *err)
{
    const uint64_t holder = holder_of(root, fd);
    if (holder > 0)
        (void)jl_fail(err, JOULIE_E_CONFLICT, folder,
                      "process %llu writes this machine, with another state folder",
                      (unsigned long long)holder);
    else
        (void)jl_fail(err, JOULIE_E_CONFLICT, folder,
                      "another process writes this machine, with another state folder");
    jl_error_set_errno(err, EBUSY);
    return JOULIE_E_CONFLICT;
}

/* ---- the lock ---- */

/* What cannot be found there cannot be written there either. */
static int lock_one(const struct jl_root *root, const char *folder, int *out_fd,
                    struct joulie_error *err)
{
    const int fd = jl_root_folder(root, folder);
    if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
        return 0;
    if (fd < 0)
        return jl_root_fail(err, folder, "cannot open", -fd);
    *out_fd = fd;
    const int rc = root->os.lock(root->os.user, fd);
    if (rc == -EWOULDBLOCK)
        return fail_held(root, fd, folder, err);
    return rc < 0 ? jl_root_fail(err, folder, "cannot lock", -rc) : 0;
}

int jl_machine_lock(const struct jl_root *root, int fds[JL_MACHINE_FOLDERS],
                    struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < JL_MACHINE_FOLDERS; i++)
        rc = lock_one(root, folders[i], &fds[i], err);
    return rc;
}
