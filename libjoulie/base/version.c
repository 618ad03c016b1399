/* SPDX-License-Identifier: Apache-2.0 */

/* The version and the features of this build, for programs that ask at run time. */

#include <joulie/version.h>

#include "base/text.h"

#define TEXT_OF(number) #number
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

static const char *const features[] = {
    "ask",  "autoscale",    "caps",      "classify",      "cluster",    "host",
    "node", "object",       "place",     "remote",        "sim",        "tensor_fusion",
    "twin", "twin.columns", "twin.rack", "twin.slowdown", "twin.trend", "twin.zone",
};

const char *joulie_version(void)
{
    return DOTTED(JOULIE_VERSION_MAJOR, JOULIE_VERSION_MINOR, JOULIE_VERSION_PATCH)
        JOULIE_VERSION_SUFFIX;
}

int joulie_has_feature(const char *name)
{
    for (size_t i = 0; i < JL_COUNT(features); i++) {
        if (jl_same(features[i], name))
            return 1;
    }
    return 0;
}

const char *joulie_feature_at(size_t index)
{
    return index < JL_COUNT(features) ? features[index] : NULL;
}
