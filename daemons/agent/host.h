/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The machine below ROOT: its caps are the library's (joulie/host.h), its steps are logged and
 * counted here. With files, files.c steps it; in a cluster it is a backend of the core.
 */

#include <joulie/host.h>

#include "agent/backend.h"
#include "agent/shared.h"
#include "agent/writer.h"
#include "runtime/health.h"

struct jd_host {
    const struct jd_agent_shared *shared;
    struct joulie_host *host;
    struct jd_writer writer; /* to enforce */
    bool has_news;           /* the report of the last step is another one */
    bool is_settled;         /* nothing is on its way any more */
    bool is_disabled;        /* as it was logged */
    bool is_over;            /* everything is to be given back for good */
    bool is_held;            /* and could not all be given back */
    int failed;              /* code of a step that was logged; 0 = the last one worked */
    uint64_t restores;       /* that were counted */
    struct jd_steps steps;
};

/* The machine is opened, and who will write it is known; nothing of it is ours yet. */
int jd_host_open(struct jd_host *host, const struct jd_agent_shared *shared, bool is_live,
                 bool has_cluster, struct joulie_error *err);
/* To enforce, takes the machine over from whoever had it: last of all that a start can fail at,
 * because with the claim the joulie-capd of an agent that died leaves its caps to this one. */
int jd_host_claim(struct jd_host *host, struct joulie_error *err);
/* One step, which is logged: 0 or its code. */
int jd_host_step(struct jd_host *host, int64_t now_ms);
/* Gives everything back, and nothing is desired any more: 0 or a code. */
int jd_host_give_back(struct jd_host *host);
/* The same at the end of the process, again and again for a few seconds: 0 or a code. */
int jd_host_give_back_at_end(struct jd_host *host);
/* True = a limit of ours is still open in the journal, and not by wish: joulie-capd gives it back.
 */
bool jd_host_close(struct jd_host *host);

extern const struct jd_backend jd_host_backend; /* its maker is the struct jd_host */
