/* SPDX-License-Identifier: Apache-2.0 */

/* What files and folders below a root hold. */

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "host/root.h"

#define CHUNK_BYTES 8192 /* on the stack; attributes of sysfs have 4096 at most */

struct open_file {
    const struct jl_os *os;
    int fd;
};

static void close_file(struct open_file *file)
{
    jl_fd_close(file->os, &file->fd);
}

/* ---- numbers ---- */

static struct jl_fact failed(int number)
{
    return (struct jl_fact){ .code = number == -ENOENT ? JOULIE_E_UNSUPPORTED : JOULIE_E_IO,
                             .sys_errno = number == -ENOENT ? 0 : -number };
}

struct jl_fact jl_fd_number(const struct jl_os *os, int fd)
{
    char text[JL_LIMIT_NUMBER_FILE_BYTES + 1]; /* one more tells that it is too long */
    struct jl_fact fact = { 0 };
    if (fd < 0)
        return failed(fd);
    const int64_t got = os->pread(os->user, fd, text, sizeof text, 0);
    if (got <= 0) /* an empty file: a recorded tree cannot show ENODATA otherwise */
        return failed(got < 0 ? (int)got : -ENODATA);
    fact.code = jl_parse_number_file(text, (size_t)got, &fact.value);
    return fact;
}

struct jl_fact jl_root_number(const struct jl_root *root, const char *path)
{
    JL_CLEANUP(close_file)
    struct open_file file = { &root->os, jl_root_file(root, path, JL_OS_READ) };
    return jl_fd_number(&root->os, file.fd);
}

/* A recorded file that is longer would keep its tail, which would be read as part of the number. It
 * is cut before the write, so that a crash in between leaves a number. The kernel's own files say
 * that they have a page, or nothing. */
static int cut(const struct jl_os *os, int fd, size_t len)
{
    struct jl_os_file file;
    const int rc = os->fstat(os->user, fd, &file);
    if (rc < 0 || file.size_bytes <= len || file.size_bytes > JL_LIMIT_NUMBER_FILE_BYTES)
        return rc;
    return os->truncate(os->user, fd, len);
}

int jl_fd_write_number(const struct jl_os *os, int fd, uint64_t value)
{
    char text[JL_DOUBLE_TEXT];
    size_t len = jl_format_u64(value, text);
    text[len++] = '\n';
    const int rc = cut(os, fd, len);
    const int64_t got = os->pwrite(os->user, fd, text, len, 0);
    if (got < 0)
        return (int)got;
    return (size_t)got == len ? rc : -EIO;
}

/* ---- texts ---- */

int jl_fd_bytes(const struct jl_os *os, int fd, size_t limit, struct jl_buffer *out, int *sys_errno)
{
    char chunk[CHUNK_BYTES];
    for (;;) {
        const int64_t got = os->pread(os->user, fd, chunk, sizeof chunk, out->len);
        if (got < 0) {
            *sys_errno = (int)-got;
            return JOULIE_E_IO;
        }
        if (got == 0)
            return jl_buffer_code(out);
        if ((size_t)got > limit - out->len)
            return JOULIE_E_LIMIT;
        jl_put(out, chunk, (size_t)got);
        if (out->is_failed)
            return JOULIE_E_NOMEM;
    }
}

int jl_root_text(const struct jl_root *root, const char *path, size_t limit, struct jl_arena *arena,
                 struct jl_text *out, int *sys_errno)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    JL_CLEANUP(close_file)
    struct open_file file = { &root->os, jl_root_file(root, path, JL_OS_READ) };
    *sys_errno = 0;
    if (file.fd < 0) {
        const struct jl_fact why = failed(file.fd);
        *sys_errno = why.sys_errno;
        return why.code;
    }
    const int rc = jl_fd_bytes(&root->os, file.fd, limit, &bytes, sys_errno);
    if (rc < 0)
        return rc;
    if (jl_text_find((struct jl_text){ bytes.data, bytes.len }, '\0') < bytes.len ||
        !jl_utf8_valid(bytes.data, bytes.len))
        return JOULIE_E_PARSE;
    const char *copy = jl_arena_copy(arena, bytes.data, bytes.len);
    if (copy == NULL)
        return jl_arena_code(arena);
    *out = (struct jl_text){ copy, bytes.len };
    return 0;
}

/* ---- folders ---- */

static int compare_names(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(*(const char *const *)a, *(const char *const *)b);
}

/* All names with a NUL after each, as the kernel gives them. */
static int read_names(const struct open_file *folder, struct jl_buffer *out, size_t *out_count)
{
    char *names = jl_calloc(JL_OS_LIST_BYTES, 1);
    int64_t got = names != NULL ? 1 : -ENOMEM;
    size_t count = 0;
    while (got > 0 && count <= JL_FOLDER_MAX + 2) { /* "." and ".." are among them */
        got = folder->os->list(folder->os->user, folder->fd, names, JL_OS_LIST_BYTES);
        for (int64_t i = 0; i < got; i++)
            count += names[i] == '\0';
        if (got > 0)
            jl_put(out, names, (size_t)got);
        if (out->is_failed)
            got = -ENOMEM;
    }
    jl_free(names);
    *out_count = count;
    return got < 0 ? (int)got : 0;
}

/* The names of the buffer as texts of the arena, without "." and "..". */
static int take_names(const struct jl_buffer *from, size_t most, struct jl_arena *arena,
                      const char ***out_names, size_t *out_count)
{
    char *bytes = jl_arena_copy(arena, from->data, from->len);
    const char **names = JL_NEW_ARRAY(arena, most, const char *);
    size_t count = 0;
    if (bytes == NULL || names == NULL)
        return -ENOMEM;
    for (const char *at = bytes; at < bytes + from->len && count < most; at += strlen(at) + 1) {
        if (strcmp(at, ".") != 0 && strcmp(at, "..") != 0)
            names[count++] = at;
    }
    if (count > JL_FOLDER_MAX)
        return -E2BIG;
    if (jl_sort(names, count, sizeof *names, compare_names, NULL) < 0)
        return -ENOMEM;
    *out_names = names;
    *out_count = count;
    return 0;
}

int jl_root_list(const struct jl_root *root, const char *path, struct jl_arena *arena,
                 const char ***out_names, size_t *out_count)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    JL_CLEANUP(close_file)
    struct open_file folder = { &root->os, jl_root_folder(root, path) };
    size_t most = 0;
    if (folder.fd < 0)
        return folder.fd;
    const int rc = read_names(&folder, &bytes, &most);
    return rc < 0 ? rc : take_names(&bytes, most, arena, out_names, out_count);
}
