/* SPDX-License-Identifier: Apache-2.0 */
#include "oom/life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/error.h>

#include "oom/allocator.h"

bool oom_again(struct oom_life *life, int code)
{
    if (code == JOULIE_OK)
        return false;
    if (code != JOULIE_E_NOMEM || !oom_has_failed || life->retries > 0) {
        life->is_wrong = true;
        return false;
    }
    oom_fail_in = -1;
    life->retries++;
    return true;
}

void oom_note(struct oom_life *life, const char *text)
{
    const size_t len = strlen(text);
    if (life->used + len + 2 > sizeof life->answers)
        abort();
    memcpy(life->answers + life->used, text, len);
    life->used += len;
    life->answers[life->used++] = '\n';
    life->answers[life->used] = '\0';
}

static void live_once(struct oom_life *life, oom_live_fn *live)
{
    memset(life, 0, sizeof *life);
    live(life);
}

int oom_lives(const char *whose, oom_live_fn *live)
{
    static struct oom_life clean;
    static struct oom_life life;
    long failures = 0;
    long wrong = 0;
    live_once(&clean, live);
    for (long n = 0;; n++) {
        const long before = oom_live_blocks;
        oom_has_failed = false;
        oom_fail_in = n;
        live_once(&life, live);
        oom_fail_in = -1;
        if (!oom_has_failed)
            break;
        failures++;
        const bool is_wrong =
            life.is_wrong || strcmp(life.answers, clean.answers) != 0 || oom_live_blocks != before;
        if (is_wrong)
            printf("FAIL allocation %ld: %s\n", n,
                   life.is_wrong               ? "a wrong code"
                   : oom_live_blocks != before ? "not released"
                                               : "other answers");
        wrong += is_wrong;
    }
    printf("oom: %s life, %ld failed allocations, %ld wrong\n", whose, failures, wrong);
    return clean.is_wrong || wrong > 0 || failures == 0;
}
