/* SPDX-License-Identifier: Apache-2.0 */

/* What a person reads for each reason why a cap is not as it should be. Used by enforce/ for
 * reports and plans. */

#include "base/text.h"
#include "node/cap_life.h"

static const char *explain(enum jl_cap_reason reason)
{
    switch (reason) {
    case JL_CAP_REASON_LOCKED:
        return "the firmware does not let the limit change";
    case JL_CAP_REASON_REFUSED:
        return "the limit does not stay as written";
    case JL_CAP_REASON_NOT_ENFORCED:
        return "the limit is switched off and holds nothing (enabled is 0)";
    case JL_CAP_REASON_INEFFECTIVE:
        return "more power is drawn than the limit allows";
    case JL_CAP_REASON_LIMITED_BY_OTHER:
        return "another limit is lower";
    case JL_CAP_REASON_RAMPING:
        return "on the way to the cap";
    case JL_CAP_REASON_DRIFTED:
        return "somebody else raised the limit; it is written again";
    case JL_CAP_REASON_CONTESTED:
        return "another manager keeps changing the limit; left to it for 10 minutes";
    case JL_CAP_REASON_NO_BACKEND:
        return "neither a power limit nor a frequency can be set here";
    case JL_CAP_REASON_NO_PERMISSION:
        return "no permission to write the limit";
    case JL_CAP_REASON_MASKED:
        return "the powercap tree is empty, as container runtimes mask it";
    case JL_CAP_REASON_MODEL_UNKNOWN:
        return "the CPU model is unknown to this kernel's RAPL driver";
    case JL_CAP_REASON_DEVICE_LOST:
        return "the zone is gone";
    case JL_CAP_REASON_STUCK:
        return "the energy counter stands still";
    case JL_CAP_REASON_BELOW_FLOOR:
        return "raised to the lowest cap that keeps the package usable";
    case JL_CAP_REASON_ABOVE_CEILING:
        return "lowered to the maximum of the package";
    case JL_CAP_REASON_UNBOUNDED:
        return "neither a maximum of the zone nor a limit that was found is known: no cap is safe";
    case JL_CAP_REASON_NONE:
        break;
    }
    return "write failed";
}

const char *jl_reason_text(struct jl_arena *arena, const char *name, enum jl_cap_reason reason)
{
    const char *word = jl_word_of(&jl_cap_reason_words, (int)reason);
    return JL_JOIN(arena, word != NULL ? word : "", word != NULL ? ": " : "",
                   name != NULL ? name : "", name != NULL ? ": " : "", explain(reason));
}
