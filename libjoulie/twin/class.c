/* SPDX-License-Identifier: Apache-2.0 */
#include "twin/twin.h"

enum jl_node_class jl_twin_class(enum jl_profile profile, bool is_draining)
{
    if (is_draining)
        return JL_CLASS_DRAINING;
    switch (profile) {
    case JL_PROFILE_ECO:
        return JL_CLASS_ECO;
    case JL_PROFILE_PERFORMANCE:
        return JL_CLASS_PERFORMANCE;
    case JL_PROFILE_UNKNOWN:
        break;
    }
    return JL_CLASS_WORD_UNKNOWN;
}
