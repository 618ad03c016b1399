/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Host names to addresses in the daemon's loop, by c-ares: /etc/hosts, then the servers of
 * /etc/resolv.conf, both read anew for each question. libcurl's own resolver would start a thread.
 */

#include <joulie/error.h>

#include "runtime/loop.h"

struct jd_names;

/* One question; the caller's storage, zeroed at the start. */
struct jd_lookup {
    /* Once; it may come from within jd_names_ask(). addresses: "10.0.0.1,[fd00::1]", NULL when
     * there are none, then problem says why. Both borrowed for the call. */
    void (*done)(void *user, const char *addresses, const char *problem);
    void *user;
    struct jd_lookup *next;
};

int jd_names_open(struct jd_loop *loop, struct jd_names **out, struct joulie_error *err);
/* For tests: "127.0.0.1:5300" instead of those of /etc/resolv.conf; lives as long. */
void jd_names_set_servers(struct jd_names *names, const char *servers);
void jd_names_close(struct jd_names *names); /* answers that are due are not given any more */
/* An answer is kept for its TTL, at most 30 s; equal questions at one time are asked once. */
void jd_names_ask(struct jd_names *names, const char *name, struct jd_lookup *lookup);
void jd_names_forget(struct jd_names *names, struct jd_lookup *lookup);
