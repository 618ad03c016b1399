/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Giving up what only root may (docs/rules/programs.md#privileges): for a program that has opened
 * what it needs, or has another process for it.
 */

#include <stdbool.h>
#include <sys/types.h>

#include <joulie/error.h>

#define JD_USER "joulie"

struct jd_user {
    bool is_other; /* false: nobody else, and the rest is 0 */
    uid_t uid;
    gid_t gid;
    char name[64]; /* as it was asked for */
};

/* Whom RUN_AS means: a name, a number that is a user, or UID:GID. user NULL: JD_USER where root
 * runs on this machine (is_live) and there is one, else nobody else; "root" or the own name stays
 * who it is. 0, JOULIE_E_ENUM: there is no such user, or JOULIE_E_IO: only root becomes another. */
int jd_find_user(const char *user, bool is_live, struct jd_user *out, struct joulie_error *err);

/* Becomes this one for good, and has no capability and no way to one from here on. 0 or
 * JOULIE_E_IO. */
int jd_drop_privileges(const struct jd_user *user, struct joulie_error *err);
