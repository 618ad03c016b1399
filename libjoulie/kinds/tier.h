/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tiers of pods (docs/rules/threads.md#tiers), the highest first. */

#include "base/words.h"

enum jl_tier {
    JL_TIER_UNKNOWN,
    JL_TIER_CRITICAL,
    JL_TIER_HIGH,
    JL_TIER_NORMAL,
    JL_TIER_LOW,
    JL_TIER_BACKGROUND,
};

#define JL_TIER_COUNT (JL_TIER_BACKGROUND + 1) /* for arrays indexed by it */

extern const struct jl_words jl_tier_words;
