/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Every allocation of a life fails once: the call that failed says "out of memory", is made again,
 * and the answers are those of a life without a failure; then everything is released.
 */

#include <stdbool.h>
#include <stddef.h>

#define OOM_ANSWER_BYTES 65536

struct oom_life {
    size_t retries;
    bool is_wrong;
    char answers[OOM_ANSWER_BYTES];
    size_t used;
};

/* Whether the call has to be made again; anything but success and out of memory is wrong. */
bool oom_again(struct oom_life *life, int code);
void oom_note(struct oom_life *life, const char *text); /* one line of the answers */

typedef void oom_live_fn(struct oom_life *life); /* from nothing to nothing */

/* Lives once for each allocation; the exit status of the program. */
int oom_lives(const char *whose, oom_live_fn *live);
