/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np, POSIX_SPAWN_SETSID */

/* posix_spawn() in the way of these programs. child.c and keeper.c call it. */

#include "runtime/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int add_files(posix_spawn_file_actions_t *files, const struct jd_spawn *how)
{
    int number = how->keeps_input ? 0
                                  : posix_spawn_file_actions_addopen(files, STDIN_FILENO,
                                                                     "/dev/null", O_RDONLY, 0);
    for (size_t i = 0; i < how->file_count && number == 0; i++)
        number = posix_spawn_file_actions_adddup2(files, how->files[i].ours, how->files[i].theirs);
    return number == 0 && how->close_from > 0
               ? posix_spawn_file_actions_addclosefrom_np(files, how->close_from)
               : number;
}

static void set_attributes(posix_spawnattr_t *attributes, bool is_session)
{
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setflags(attributes,
                             (short)((is_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP) |
                                     POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
}

/* The interface of the system takes texts that it does not change as if it did. */
static char *const *texts_of(const char *const *list)
{
    const union {
        const char *const *ours;
        char *const *theirs;
    } texts = { .ours = list };

    return texts.theirs;
}

int jd_spawn(const struct jd_spawn *how, pid_t *out_pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int number = posix_spawn_file_actions_init(&files);
    if (number != 0)
        return number;
    number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        set_attributes(&attributes, how->is_session);
        number = add_files(&files, how);
        if (number == 0)
            number = posix_spawn(out_pid, how->path, &files, &attributes, texts_of(how->arguments),
                                 texts_of(how->environment));
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return number;
}
