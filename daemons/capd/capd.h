/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * joulie-capd: the only part of libjoulie that needs to be root. It writes for one client what is
 * within bounds, keeps the journal, and gives everything back when the client is gone
 * (docs/rules/enforcement.md#capd). It reads no configuration, knows no network and links nothing
 * but libc and single functions of the library.
 */

#include "enforce/keeper.h"
#include "root/usage.h"

struct jd_capd_options {
    const char *root;
    const char *state_dir; /* NULL = below the root */
    const char *listen;    /* path of a socket that is made; NULL = descriptor 3 is one */
    uint32_t client_uid;   /* who may connect, beside root and who runs this */
    uint64_t floor_pct;
    bool ramps;
    bool may_enable;
    int64_t takeover_ms; /* from a client's end until its writes are given back */
    int64_t silence_ms;  /* from its last packet until it counts as gone */
};

/* options.c: JD_ROOT_GO_ON, or the exit status when there is nothing more to do. */
int jd_capd_options(int argc, char **argv, struct jd_capd_options *out);

/* sandbox.c: gives up what is not needed any more; false: it did not work, errno says why. */
bool jd_capd_enter_sandbox(void);

/* ---- serve.c: until nothing is left to do; the exit status ---- */

/* The last word to who connected. */
void jd_capd_refuse(int socket_fd, const struct joulie_error *err);
int jd_capd_serve(struct jl_keeper *keeper, const struct jd_capd_options *options, int socket_fd);
