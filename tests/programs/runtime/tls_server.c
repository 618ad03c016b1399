/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tls_server.h"

#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

extern char **environ;

static void start(struct tls_server *server)
{
    char python[] = "python3";
    char script[] = "tests/programs/runtime/tls_peer.py";
    char *const arguments[] = { python, script, server->directory, NULL };
    posix_spawn_file_actions_t actions;
    char text[32] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    assert_int_equal(posix_spawnp(&server->pid, python, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    server->port = (int)strtol(text, NULL, 10);
    assert_true(server->port > 0);
}

void tls_server_open(struct tls_server *server)
{
    snprintf(server->directory, sizeof server->directory, "/tmp/test_tls_XXXXXX");
    assert_non_null(mkdtemp(server->directory));
    start(server);
}

char *tls_server_read(const struct tls_server *server, const char *name)
{
    char path[128];
    char *const text = calloc(1, 8192);
    snprintf(path, sizeof path, "%s/%s", server->directory, name);
    FILE *const file = fopen(path, "r");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, 8191, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

void tls_server_close(struct tls_server *server)
{
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    DIR *const directory = opendir(server->directory);
    assert_non_null(directory);
    for (const struct dirent *entry = NULL; (entry = readdir(directory));)
        unlinkat(dirfd(directory), entry->d_name, 0); /* not "." and ".." */
    closedir(directory);
    assert_int_equal(rmdir(server->directory), 0);
}
