/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files that a program writes, and what the system says of those that cannot be used. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include <joulie/error.h>

struct jl_buffer;

/* errno into err as "WHAT: text"; returns JOULIE_E_IO. */
int jd_fail_system(const char *what, struct joulie_error *err);

/* For JL_CLEANUP(); a descriptor below 0 is none. */
void jd_closep(const int *fd);

/* Appends a file, or what is left of a descriptor, whose name is for messages. JOULIE_E_IO,
 * JOULIE_E_LIMIT above so many bytes, or JOULIE_E_NOMEM. */
int jd_read_file(const char *path, size_t most_bytes, struct jl_buffer *out,
                 struct joulie_error *err);
int jd_read_descriptor(int fd, const char *name, size_t most_bytes, struct jl_buffer *out,
                       struct joulie_error *err);

/* A file that is read again when it changes; path is set, the rest zeroed at the start. */
struct jd_polled_file {
    const char *path;
    struct stat facts; /* which file was read */
    bool is_settled;   /* a change since then shows in the facts */
};

/* Whether it may say something else than when it was read; true also while it cannot be found. */
bool jd_polled_may_differ(const struct jd_polled_file *file);
/* Appends the whole of it; only a regular file, so that it never waits. Errors as of
 * jd_read_file(), without the path. */
int jd_polled_read(struct jd_polled_file *file, size_t most_bytes, struct jl_buffer *out,
                   struct joulie_error *err);

/* What is wrong in a file: "FILE:LINE: member: message". */
void jd_put_place(struct jl_buffer *out, const char *path, const struct joulie_error *err);

/* Fine when it is there and can be written to. */
int jd_make_folder(const char *folder, struct joulie_error *err);

/* Replaces a file as a whole, by way of PATH.partial; what is no regular file is written to. */
int jd_write_bytes(const char *path, const char *bytes, size_t len, struct joulie_error *err);
/* The same of a file in a folder. */
int jd_write_file(const char *folder, const char *name, const char *bytes, size_t len,
                  struct joulie_error *err);
int jd_append_file(const char *folder, const char *name, const char *bytes, size_t len,
                   struct joulie_error *err);
