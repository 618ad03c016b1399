/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Every system call that touches a host or a state directory goes through this table, so that a
 * test can put a simulated kernel in its place and count the calls. Each
 * returns what the call returns, or a negative errno. Paths are relative to dir_fd and are never
 * followed through a symbolic link in their last component.
 */

#include <stddef.h>
#include <stdint.h>

struct jl_os_file { /* of stat */

    enum { JL_OS_FILE, JL_OS_FOLDER, JL_OS_LINK, JL_OS_OTHER } kind;

    uint32_t mode; /* permission bits */
    uint32_t uid;  /* of its owner */
    uint64_t size_bytes;
    uint64_t device; /* of its file system */
    uint64_t inode;  /* with size and mtime: whether it is still the same file */
    int64_t mtime_ns;
};

enum jl_os_flags {
    JL_OS_READ = 0,
    JL_OS_WRITE = 1, /* read and write */
    JL_OS_WRITE_ONLY = 2,
    JL_OS_FOLDER_FD = 4, /* only a folder */
    JL_OS_CREATE = 8,    /* mode 0600 (folders: mkdir makes 0700) */
    JL_OS_EXCLUSIVE = 16,
    JL_OS_APPEND = 32,
};

#define JL_OS_LIST_BYTES 8192 /* some 250 names */

struct jl_os {
    void *user;
    int (*open)(void *user, int dir_fd, const char *name,
                unsigned flags); /* no links, no blocking */
    int (*close)(void *user, int fd);
    int64_t (*pread)(void *user, int fd, void *bytes, size_t len, uint64_t offset);
    int64_t (*pwrite)(void *user, int fd, const void *bytes, size_t len, uint64_t offset);
    int64_t (*append)(void *user, int fd, const void *bytes, size_t len); /* write() */
    int (*stat)(void *user, int dir_fd, const char *name, struct jl_os_file *out);
    int (*fstat)(void *user, int fd, struct jl_os_file *out);
    /* The names in a folder from where the last call ended, NUL after each, "." and ".." among
     * them; bytes filled, 0 = end. size is at least JL_OS_LIST_BYTES. */
    int64_t (*list)(void *user, int fd, char *names, size_t size);
    int (*truncate)(void *user, int fd, uint64_t size);
    int (*sync)(void *user, int fd); /* fsync */
    int (*rename)(void *user, int dir_fd, const char *from, int to_fd, const char *to);
    int (*unlink)(void *user, int dir_fd, const char *name);
    int (*mkdir)(void *user, int dir_fd, const char *name);
    int (*lock)(void *user, int fd); /* flock exclusive, at once; -EWOULDBLOCK when it is taken */
};

/* The kernel's own calls. Its user is a struct jl_os_counts, or NULL. */
struct jl_os_counts {
    uint64_t calls;  /* of the table, each one system call */
    uint64_t writes; /* pwrite and append */
    uint64_t syncs;
};

struct jl_os jl_os_linux(struct jl_os_counts *counts);

/* Opens a folder by a path of the caller's (links are followed: whoever names it may mean it). */
int jl_os_open_folder(const char *path);

/* What a link in a folder holds, with a NUL: its length, or a negative errno. */
int jl_os_read_link(int dir_fd, const char *name, char *out, size_t size);

int64_t jl_os_pid(void);  /* of this process */
uint32_t jl_os_uid(void); /* the effective one */
