/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The scoring profile in force (docs/rules/extender.md#scoring-profile): one of the words, or a
 * file that is read again when it changes. */

#include <joulie/cluster.h>

#include "base/buffer.h"
#include "runtime/file.h"
#include "runtime/log.h"
#include "runtime/loop.h"

struct jd_scoring { /* zeroed at the start */
    struct jd_loop *loop;
    struct jd_log *log;
    struct joulie_cluster *cluster;
    const char *name;           /* as SCORING_PROFILE has it */
    struct jd_polled_file file; /* path NULL = it is a word */
    struct jl_buffer text;      /* that was tried last */
    struct jl_buffer problem;   /* that was logged last */
    char rules[32];             /* profileName */
    char digest[17];            /* of all settings: equal ones decide the same */
    uint64_t reloads;
    uint64_t failures;
    struct jd_timer timer;
};

/* Into the model, which has to be empty; loop, log and cluster are set. Errors are about name. */
int jd_scoring_open(struct jd_scoring *scoring, const char *name, struct joulie_error *err);
bool jd_scoring_is_by_pods(const struct jd_scoring *scoring);
void jd_scoring_close(struct jd_scoring *scoring);
