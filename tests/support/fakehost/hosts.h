/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The trees of tests/support/fixtures/hosts.py on the fake kernel, for unit tests. */

#include <stdio.h>

#include "fakehost/model.h"
#include "host/root.h"
#include "support/test.h"

static inline struct fk *fk_load_host(const char *name)
{
    char tree[1024];
    char why[512];
    snprintf(tree, sizeof tree, "%s/%s", FK_TREES, name);
    struct fk *fk = fk_load(tree, why, sizeof why);
    if (!fk)
        fail_msg("%s", why);
    return fk;
}

/* jl_root_close() gives the descriptor back. */
static inline struct jl_root fk_root(struct fk *fk)
{
    return (struct jl_root){ .os = fk_os(fk), .fd = fk_open_folder(fk, "") };
}
