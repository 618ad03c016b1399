/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * joulie-rescue: gives back what the journal of a machine holds, with nothing but the journal, the
 * kernel's files and libc (docs/rules/enforcement.md#rescue). The rules are the library's
 * (enforce/give_back.h); what is here waits, tries again and says what came of it.
 */

#include "base/arena.h"
#include "enforce/give_back.h"
#include "root/usage.h"

struct jd_rescue_options {
    const char *root;
    const char *state_dir; /* NULL = below the root */
    const char *owner;     /* only what it holds; NULL = everybody's */
    int64_t wait_ms;       /* for the lock */
    int64_t timeout_ms;    /* for everything to be back */
    bool is_from_v1;
    bool prepares;   /* for joulie-capd: what is open in this boot is left alone */
    bool may_vanish; /* a state folder that goes with a container */
    bool is_dry;
};

/* options.c: JD_ROOT_GO_ON, or the exit status when there is nothing more to do. */
int jd_rescue_options(int argc, char **argv, struct jd_rescue_options *out);

struct jd_rescue {
    struct jd_rescue_options options;
    struct jl_root root;
    int state_fd;          /* -1 = there is no state folder */
    struct jl_arena texts; /* of the run */
    const char *boot_id;
    struct jl_journal_file *journal;
    struct jl_arena memory;  /* of one attempt */
    struct jl_arena control; /* of the control at hand */
    struct jl_control_file file;
    bool is_last; /* attempt: what is not back is said */
};

/* rescue.c: one attempt. How many controls are not back. */
size_t jd_rescue_attempt(struct jd_rescue *rescue, int64_t now_ms);
/* What other boots left, and the journal of this one: once, the exit status. */
int jd_rescue_prepare(struct jd_rescue *rescue);
struct jl_give_back jd_rescue_how(struct jd_rescue *rescue, struct jl_journal_file *journal);

/* from_v1.c: the same for what version 0.2 left, whose journals are removed. SIZE_MAX: the folder
 * cannot be read. */
size_t jd_rescue_from_v1(struct jd_rescue *rescue, int64_t now_ms);
