/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What switches the machine of a node off and on (docs/rules/programs.md#actuator). Who decides it
 * is the model; who has been switched is known when the node says so. An actuator is a small table
 * of functions, so that another way than a command is one more file.
 */

#include "runtime/log.h"
#include "runtime/loop.h"

enum jd_switch { JD_SWITCH_OFF, JD_SWITCH_ON };

enum jd_switch_end {
    JD_SWITCH_DONE = 1,
    JD_SWITCH_FAILED,      /* it says so */
    JD_SWITCH_SIGNALLED,   /* it was ended by somebody else */
    JD_SWITCH_TIMED_OUT,   /* it was ended because its time was over */
    JD_SWITCH_NOT_STARTED, /* nothing was done */
    JD_SWITCH_ENDS
};

extern const char *const jd_switch_words[];     /* by enum jd_switch: off, on */
extern const char *const jd_switch_end_words[]; /* by enum jd_switch_end: done, failed, … */

struct jd_switched { /* what came of one */
    const char *node_name;
    enum jd_switch what;
    enum jd_switch_end end;
    uint64_t id; /* that it was started with */
    const char *message;
    int64_t took_ms;
};

struct jd_actuator;

struct jd_actuator_kind {
    /* JOULIE_E_LIMIT: so many are under way, or one for this node is; ask again when one is done.
     * What cannot be started is reported like what fails: from the loop. */
    int (*start)(struct jd_actuator *actuator, const char *node_name, enum jd_switch what,
                 uint64_t id);
    bool (*is_busy)(const struct jd_actuator *actuator, const char *node_name);
    size_t (*count)(const struct jd_actuator *actuator); /* that are under way */
    /* Starts nothing any more, and what is under way has until at_ms (CLOCK_MONOTONIC). */
    void (*end)(struct jd_actuator *actuator, int64_t at_ms);
    /* Ends what is under way without a report, and frees it. */
    void (*close)(struct jd_actuator *actuator);
};

struct jd_actuator {
    const struct jd_actuator_kind *kind;
    void (*on_done)(void *user, const struct jd_switched *switched); /* from the loop */
    void *user;
};

/* The one that runs `PATH off|on NODE`, without a shell, with PATH, HOME, LANG, LC_ALL and TZ of
 * the environment and what `names` has of it, separated by commas. */
struct jd_command_options {
    struct jd_loop *loop;
    struct jd_log *log;
    const char *path;
    const char *names; /* NULL = none */
    char **environment;
    int64_t timeout_ms;
    size_t at_once;
    void (*on_done)(void *user, const struct jd_switched *switched);
    void *user;
};

int jd_command_open(const struct jd_command_options *options, struct jd_actuator **out,
                    struct joulie_error *err);
