/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Files below a root folder. No component of a path is followed through a symbolic link, nothing
 * but regular files is read, and no more of them than a limit: a hostile tree can be refused, not
 * obeyed.
 */

#include <stdbool.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "host/facts.h"
#include "host/os.h"

#define JL_TEXT_FILE_MAX ((size_t)1 << 20) /* bytes of a file that holds no number */

struct jl_root {
    struct jl_os os;
    int fd; /* a folder; belongs to the root */
};

/* 0 or JOULIE_E_IO with err->where = path. */
int jl_root_open(struct jl_os os, const char *path, struct jl_root *out, struct joulie_error *err);
void jl_root_close(struct jl_root *root);

/* Open descriptors, to be closed with jl_fd_close(); negative errno. ELOOP: a link stands in the
 * way; a path that is no regular file (or no folder) gives EISDIR, ENOTDIR or ENXIO, and is not
 * opened: a device node may do something when it is. EINVAL: "." or ".." in the path. An empty path
 * is the root itself. */
int jl_root_file(const struct jl_root *root, const char *path, unsigned flags);
int jl_root_folder(const struct jl_root *root, const char *path);
/* The same, making the folders that are missing. */
int jl_root_make_folder(const struct jl_root *root, const char *path);

/* What stands at a path, links not followed: 0 or negative errno. */
int jl_root_stat(const struct jl_root *root, const char *path, struct jl_os_file *out);

/* A whole small file, with its last LF; NUL-terminated. 0, JOULIE_E_UNSUPPORTED (not there),
 * JOULIE_E_LIMIT, JOULIE_E_PARSE (a NUL byte or no UTF-8), JOULIE_E_IO with *sys_errno,
 * JOULIE_E_NOMEM. */
int jl_root_text(const struct jl_root *root, const char *path, size_t limit, struct jl_arena *arena,
                 struct jl_text *out, int *sys_errno);
struct jl_fact jl_root_number(const struct jl_root *root, const char *path);

/* All bytes of an open file behind those of out, which holds at most limit then. 0, JOULIE_E_LIMIT,
 * JOULIE_E_NOMEM, JOULIE_E_IO with *sys_errno. */
int jl_fd_bytes(const struct jl_os *os, int fd, size_t limit, struct jl_buffer *out,
                int *sys_errno);

/* Closes what is open, and leaves -1. */
void jl_fd_close(const struct jl_os *os, int *fd);

/* The number that an open file holds now (JOULIE_E_IO with ENODATA: it is empty; a negative errno
 * instead of a descriptor is why there is none), and a new one into it. The text ends with LF. A
 * regular file of a recorded tree is cut to the new length. fd_write gives 0 or a negative errno
 * (EIO for a short write). */
struct jl_fact jl_fd_number(const struct jl_os *os, int fd);
int jl_fd_write_number(const struct jl_os *os, int fd, uint64_t value);

/* The names in a folder in byte order, "." and ".." left out; any bytes may be in them. At most
 * JL_FOLDER_MAX. 0, negative errno, -E2BIG, -ENOMEM. */
#define JL_FOLDER_MAX 65536
int jl_root_list(const struct jl_root *root, const char *path, struct jl_arena *arena,
                 const char ***out_names, size_t *out_count);

/* A text for a person with its control characters and bytes that are no UTF-8 as \xNN. NULL when
 * memory ran out. */
char *jl_root_printable(struct jl_arena *arena, const char *text);
bool jl_root_is_printable(const char *text);
/* "Permission denied" for EACCES; never NULL, in English whatever the locale. */
const char *jl_root_errno_text(int number);
/* JOULIE_E_IO with the text of a failed call's errno behind what ("" = alone), and the number. */
int jl_root_fail(struct joulie_error *err, const char *where, const char *what, int number);
