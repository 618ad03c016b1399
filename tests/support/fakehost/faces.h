/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The two ways in which other programs meet the fake kernel. */

#include "parts.h"

struct fk_serve {
    struct fk *fk;
    const char *folder;
    double time_scale; /* seconds of the model per second */
    int64_t start_us;  /* CLOCK_MONOTONIC of time 0 */
    char why[256];     /* after a failure */
};

/* Each serves until SIGTERM or SIGINT: 0; -1 = it could not begin, see why. Prints "ready FOLDER"
 * when others may use it. */
int fk_serve_fuse(struct fk_serve *serve);
int fk_serve_plain(struct fk_serve *serve);

int64_t fk_clock_us(void);
void fk_catch_up(struct fk_serve *serve); /* the model's time to now */
void fk_say_ready(const struct fk_serve *serve, const char *how);
