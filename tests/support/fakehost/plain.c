/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model as ordinary files, for machines without FUSE: every 20 ms what was written is taken in,
 * and what the kernel would answer is written over it. Nothing can be refused or vanish here; a
 * value that the kernel would not take is put back.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "faces.h"

#define TICK_NS (20 * 1000 * 1000)
#define NO_FAULTS "faults are not available without FUSE\n"

struct served { /* one live file */
    struct fk_node *node;
    int fd;
    struct fk_bytes last; /* as we left it */
};

struct plain {
    struct fk_serve *serve;
    struct served *files;
    size_t count;
    size_t capacity;
};

static int complain(struct plain *plain, const char *path)
{
    snprintf(plain->serve->why, sizeof plain->serve->why, "%s/%s: %s", plain->serve->folder, path,
             strerror(errno));
    return -1;
}

static bool is_fault(const struct fk_node *node)
{
    return node->live == FK_CONTROL && strcmp(node->name, "fault") == 0;
}

/* What a reader finds; an answer that is an error is an empty file. */
static void answer(struct fk *fk, struct fk_node *node, struct jl_buffer *out)
{
    jl_buffer_reset(out);
    jl_put(out, "", 0);
    if (is_fault(node))
        jl_put_string(out, NO_FAULTS);
    else if (fk_live_read(fk, node, out) < 0)
        jl_buffer_reset(out);
}

static int put(struct served *file, const struct jl_buffer *text)
{
    const char *data = text->data ? text->data : "";
    if (pwrite(file->fd, data, text->len, 0) != (ssize_t)text->len ||
        ftruncate(file->fd, (off_t)text->len) < 0)
        return -1;
    fk_bytes_set(&file->last, data, text->len);
    return 0;
}

static int make_file(struct plain *plain, int root_fd, struct fk_node *node)
{
    const char *path = fk_path(plain->serve->fk, node);
    struct served file = { .node = node };
    struct jl_buffer text = { 0 };
    file.fd = openat(root_fd, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file.fd < 0)
        return complain(plain, path);
    answer(plain->serve->fk, node, &text);
    int rc = put(&file, &text);
    jl_buffer_clear(&text);
    if (rc == 0)
        rc = fchmod(file.fd, node->mode);
    if (rc < 0)
        return complain(plain, fk_path(plain->serve->fk, node));
    if (node->live == FK_ORDINARY || (node->live == FK_FIXED && !(node->mode & 0222))) {
        close(file.fd);
        free(file.last.data);
        return 0;
    }
    plain->files = fk_grow(plain->files, &plain->capacity, plain->count + 1, sizeof *plain->files);
    plain->files[plain->count++] = file;
    return 0;
}

static int make_tree(struct plain *plain, int root_fd, struct fk_node *folder)
{
    struct fk *fk = plain->serve->fk;
    for (size_t i = 0; i < folder->names.count; i++) {
        struct fk_node *node = folder->names.items[i].node;
        const char *path = fk_path(fk, node);
        int rc = 0;
        if (node->kind == FK_FOLDER)
            rc = mkdirat(root_fd, path, 0755) < 0 ? complain(plain, path)
                                                  : make_tree(plain, root_fd, node);
        else if (node->kind == FK_LINK)
            rc = symlinkat(node->target, root_fd, path) < 0 ? complain(plain, path) : 0;
        else if (node->kind == FK_FILE)
            rc = make_file(plain, root_fd, node);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* What somebody wrote since we looked; an empty file is one that is being written. */
static void take_in(struct plain *plain, struct served *file)
{
    struct fk *fk = plain->serve->fk;
    char text[4096];
    const ssize_t len = pread(file->fd, text, sizeof text, 0);
    if (len <= 0 || !(file->node->mode & 0222))
        return;
    if ((size_t)len == file->last.len && memcmp(text, file->last.data, (size_t)len) == 0)
        return;
    if (is_fault(file->node)) {
        fputs("joulie-fakehost: " NO_FAULTS, stderr);
        return;
    }
    /* As other processes see it: what the tree says is locked stays as it is. */
    const int fd = fk_vfs_open(fk, fk->root, fk_path(fk, file->node), JL_OS_WRITE_ONLY, 0);
    if (fd < 0)
        return;
    /* A line that was written over a longer one leaves the end of that behind itself. */
    const char *line_end = memchr(text, '\n', (size_t)len);
    const size_t line_len = line_end ? (size_t)(line_end - text) + 1 : (size_t)len;
    (void)fk_vfs_pwrite(fk, fd, text, line_len, 0);
    (void)fk_vfs_close(fk, fd);
}

static void serve_file(struct plain *plain, struct served *file, struct jl_buffer *text)
{
    take_in(plain, file);
    answer(plain->serve->fk, file->node, text);
    char now[4096];
    const ssize_t len = pread(file->fd, now, sizeof now, 0);
    if (len >= 0 && (size_t)len == text->len && memcmp(now, text->data, text->len) == 0) {
        (void)fk_bytes_set(&file->last, now, (size_t)len); /* what was written and taken */
        return;
    }
    (void)put(file, text);
}

static volatile sig_atomic_t is_over;

static void end(int signal_number)
{
    (void)signal_number;
    is_over = 1;
}

static void loop(struct plain *plain)
{
    const struct sigaction action = { .sa_handler = end };
    const struct timespec tick = { 0, TICK_NS };
    struct jl_buffer text = { 0 };
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    while (!is_over) {
        fk_catch_up(plain->serve);
        for (size_t i = 0; i < plain->count; i++)
            serve_file(plain, &plain->files[i], &text);
        nanosleep(&tick, NULL);
    }
    jl_buffer_clear(&text);
}

int fk_serve_plain(struct fk_serve *serve)
{
    struct plain plain = { .serve = serve };
    const int root_fd = open(serve->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = root_fd < 0 ? complain(&plain, "") : make_tree(&plain, root_fd, serve->fk->root);
    if (root_fd >= 0)
        close(root_fd);
    if (rc == 0) {
        fk_say_ready(serve, "plain files");
        loop(&plain);
    }
    for (size_t i = 0; i < plain.count; i++) {
        close(plain.files[i].fd);
        free(plain.files[i].last.data);
    }
    free(plain.files);
    return rc;
}
