/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/caps.h>: 60 % for two packages of different size, then the way down to the lower limit
 * in steps that a power supply can follow. Nothing is written. */

#include <stdio.h>

#include <joulie/caps.h>

#define PACKAGES 2

static const double max_w[PACKAGES] = { 270, 225 };

int main(void)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    struct joulie_caps_out out = JOULIE_INIT(struct joulie_caps_out);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int32_t block[PACKAGES];
    int32_t clamp[PACKAGES];
    double limit_uw[PACKAGES];
    double now_w = 270;

    intent.device = JOULIE_CAP_DEVICE_PACKAGE;
    intent.cap_pct = 60;
    intent.has = JOULIE_CAPS_HAS_CAP_PCT;
    limits.max_w = (struct joulie_column){ max_w, sizeof max_w[0] };
    out.block = (struct joulie_column_int_out){ block, sizeof block[0] };
    out.clamp = (struct joulie_column_int_out){ clamp, sizeof clamp[0] };
    out.limit_uw = (struct joulie_column_out){ limit_uw, sizeof limit_uw[0] };
    for (; intent.cap_pct > 0;
         intent.cap_pct -= 59) { /* 60 %, then 1 %, which the floor of 30 % raises */
        if (joulie_caps_resolve(&intent, &limits, PACKAGES, &out, NULL, &err) != JOULIE_OK) {
            fprintf(stderr, "%s: %s\n", err.where, err.message);
            return 1;
        }
        for (size_t i = 0; i < PACKAGES; i++) {
            if (block[i] == JOULIE_CAP_BLOCK_NONE)
                printf("package %d at %.0f %%: %.0f uW%s\n", (int)i, intent.cap_pct, limit_uw[i],
                       clamp[i] == JOULIE_CAP_CLAMP_FLOOR ? ", the floor" : "");
        }
    }
    while (now_w > 81) { /* every 5 s */
        now_w = joulie_caps_next_w(270, now_w, 81);
        printf("next %.0f W\n", now_w);
    }
    return 0;
}
