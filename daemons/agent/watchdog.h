/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A tiny child that outlives the agent: when the agent dies without a good-bye and no other agent
 * takes the machine in time, it gives back what the journal holds, and tries again until it is done
 * (docs/rules/enforcement.md#restore). An agent that has hung is killed by it first. It has no
 * threads and no open file but its pipe, standard error and the state folder. Of a release build it
 * has 80 KiB of memory to itself (Private_Dirty).
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <joulie/error.h>

#include "runtime/log.h"

#define JD_HEARTBEAT_MS 3000 /* from word to word of an agent that steps */

struct jd_watchdog {
    const char *root;
    const char *state_dir; /* NULL = var/lib/joulie below the root */
    int64_t timeout_ms;    /* 0 = no child */
    struct jd_log *log;
    pid_t pid; /* 0 = there is none */
    int pipe;  /* words to the child; that it closes says that the agent died */
    int64_t started_ms;
    bool has_claimed;
    bool is_lost; /* it was there and died */
};

/* Forks; to be called before the host is opened, so that the child stays small. 0 or JOULIE_E_IO.
 */
int jd_watchdog_start(struct jd_watchdog *watchdog, struct joulie_error *err);
/* The state folder is there and locked: the child keeps it open from here on. */
void jd_watchdog_claimed(struct jd_watchdog *watchdog);
/* The agent steps: to be said every JD_HEARTBEAT_MS from the claim on. */
void jd_watchdog_beat(const struct jd_watchdog *watchdog);
/* After SIGCHLD: a child that is gone is logged, and replaced if it had lived for a while. */
void jd_watchdog_check(struct jd_watchdog *watchdog);
/* Each interval: one that died at once is replaced, so that this does not happen in a circle. */
void jd_watchdog_renew(struct jd_watchdog *watchdog);
/* The agent ends and nothing of it is left: the child has nothing to do. */
void jd_watchdog_good_bye(struct jd_watchdog *watchdog);
/* The agent ends and something of it is left: the child gives it back, now. */
void jd_watchdog_leave(struct jd_watchdog *watchdog);
