/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One run of another program from the event loop: an argument vector, no shell, no search for the
 * file, no descriptor of this process but the end of a pipe that takes its output. It leads a
 * process group of its own, which ends with it (docs/rules/programs.md#commands).
 */

#include <sys/types.h>

#include "runtime/loop.h"

#define JD_CHILD_OUTPUT_BYTES 4096 /* that are kept: the last ones */

enum jd_child_end {
    JD_CHILD_EXITED = 1, /* with a status */
    JD_CHILD_SIGNALLED,  /* by a signal that did not come from here */
    JD_CHILD_TIMED_OUT,  /* it was ended because its time was over, whatever it said then */
};

struct jd_child_result {
    enum jd_child_end end;
    int number;         /* exit status, or the signal */
    const char *output; /* what was kept of it, not terminated */
    size_t len;
    uint64_t dropped; /* bytes of output before those */
};

struct jd_child_options {
    const char *path;               /* absolute */
    const char *const *arguments;   /* NULL-terminated, the name of the program first */
    const char *const *environment; /* NAME=value, NULL-terminated: all of it */
    int64_t timeout_ms;             /* until SIGTERM */
    int64_t grace_ms;               /* from there to SIGKILL of the group */
    /* Standard error is this process's and no part of the output. */
    bool is_error_shown;
    /* Where the last bytes of the output are kept, JD_CHILD_OUTPUT_BYTES or more, as long as it
     * runs; NULL = in the child. */
    char *output;
    size_t output_bytes;
    /* It has ended, and was taken note of: it may be started again from within. From the loop. */
    void (*on_done)(void *user, const struct jd_child_result *result);
    void *user;
};

struct jd_child { /* zeroed at the start; stays where it is while it runs */
    struct jd_loop *loop;
    void (*on_done)(void *user, const struct jd_child_result *result);
    void *user;
    pid_t pid; /* and its group; 0 = none runs */
    int64_t grace_ms;
    bool is_ended; /* SIGTERM was sent */
    struct jd_watch exit;
    struct jd_watch reading; /* fd -1 = the output has ended */
    struct jd_timer timer;
    size_t len;
    uint64_t dropped;
    char *output;
    size_t output_bytes;
    char own_output[JD_CHILD_OUTPUT_BYTES];
};

/* Whether a path can be run: absolute, a regular file, executable for this process, and a kernel
 * that reports the end of a process by a descriptor. 0, JOULIE_E_RANGE, or JOULIE_E_IO. */
int jd_child_check(const char *path, struct joulie_error *err);

/* JOULIE_E_IO when it could not be started, err->sys_errno says why; on_done is not called then. */
int jd_child_start(struct jd_child *child, struct jd_loop *loop,
                   const struct jd_child_options *options, struct joulie_error *err);
bool jd_child_runs(const struct jd_child *child);
/* Its time ends at at_ms (CLOCK_MONOTONIC) if it would not end before. */
void jd_child_limit(struct jd_child *child, int64_t at_ms);
/* Kills the group if it runs; on_done is not called. */
void jd_child_close(struct jd_child *child);
