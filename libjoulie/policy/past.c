/* SPDX-License-Identifier: Apache-2.0 */

/* What a node was before this decision, as its NodeTwin remembers it. */

#include <string.h>

#include "base/time.h"
#include "policy/policy.h"

void jl_past_of_twin(const struct jl_node_twin *twin, struct jl_node_past *out)
{
    *out = (struct jl_node_past){ 0 };
    if (twin == NULL)
        return;
    out->profile = twin->spec.profile;
    out->is_draining = twin->spec.scheduling.draining;
    const char *since = jl_annotation(&twin->meta, JL_ANNOTATION_PROFILE_SINCE);
    out->has_since = since != NULL && jl_parse_time(since, strlen(since), &out->since_ms) == 0;
}

void jl_past_after(const struct jl_node_past *past, enum joulie_profile profile, bool is_draining,
                   int64_t now_ms, struct jl_node_past *out)
{
    *out = *past;
    if (past->profile == profile && past->is_draining == is_draining)
        return;
    *out = (struct jl_node_past){
        .profile = profile, .is_draining = is_draining, .has_since = true, .since_ms = now_ms
    };
}
