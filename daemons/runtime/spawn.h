/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Starting another program: an argument vector, no shell, no search for the file, every signal as
 * at the start of a session. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct jd_spawn_file {
    int ours;
    int theirs; /* the number that it has in the program */
};

struct jd_spawn {
    const char *path;
    const char *const *arguments;   /* NULL-terminated, the name of the program first */
    const char *const *environment; /* NAME=value, NULL-terminated: all of it */
    const struct jd_spawn_file *files;
    size_t file_count;
    bool keeps_input; /* else standard input is from nowhere */
    int close_from;   /* what is open from here on is closed; 0 = what closes on exec only */
    bool is_session;  /* it leads a session of its own, else a process group */
};

/* 0, or an errno: also that of a file that could not be executed. */
int jd_spawn(const struct jd_spawn *how, pid_t *out_pid);
