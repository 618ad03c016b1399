/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A program that says who we are (docs/rules/clients.md#exec-plugins): when it is run, how long
 * what it gave is used, and what its answer means. access_exec.c reads what to run from a
 * kubeconfig.
 */

#include <stdbool.h>
#include <stdint.h>

#include <joulie/error.h>

struct jd_loop;
struct jd_plugin;

enum jd_identity {
    JD_IDENTITY_THERE = 1,
    JD_IDENTITY_COMING, /* it is being fetched */
    JD_IDENTITY_MISSING /* it cannot be had now; a later question may try again */
};

struct jd_credential {       /* NULL = there is none of it */
    const char *token;       /* may stand in a header */
    const char *certificate; /* PEM, and its key: both or neither */
    const char *key;
};

struct jd_plugin_options { /* copied */
    struct jd_loop *loop;
    const char *place; /* "FILE: users[0].user.exec.command", which begins each message */
    const char *api_version;
    const char *path;               /* absolute */
    const char *const *arguments;   /* NULL-terminated, the name of the program first */
    const char *const *environment; /* NULL-terminated: all of it */
    /* A credential came, which is borrowed. 0 or JOULIE_E_NOMEM. From the loop. */
    int (*take)(void *user, const struct jd_credential *credential);
    void *user;
};

int jd_plugin_open(const struct jd_plugin_options *options, struct jd_plugin **out,
                   struct joulie_error *err);
void jd_plugin_close(struct jd_plugin *plugin); /* ends a run; NULL does nothing */
/* From the loop, when a run has ended, whichever way. */
void jd_plugin_hear(struct jd_plugin *plugin, void (*changed)(void *user), void *user);
/* Whether what it gave may be used; starts a run when one is due. *out_why: the reason when it may
 * not, until the next call. */
enum jd_identity jd_plugin_identity(struct jd_plugin *plugin, int64_t now_ms, const char **out_why);
/* After a 401 of a request that began at started_ms: what it had is not used any more. true = there
 * is something newer, or it is coming. */
bool jd_plugin_refused(struct jd_plugin *plugin, int64_t started_ms, int64_t now_ms);
/* Why the last run gave nothing; NULL = it gave something. */
const char *jd_plugin_problem(const struct jd_plugin *plugin);
