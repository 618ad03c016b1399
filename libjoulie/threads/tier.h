/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The tier of a pod: how its threads rank against those of other pods. Rules:
 * docs/rules/threads.md#tiers. */

#include <joulie/error.h>

#include "kinds/pod.h"
#include "power/cgroup.h"

struct jl_tier_config {
    int64_t critical_min; /* priority from which a pod is critical, and so on */
    int64_t high_min;
    int64_t normal_min;
    int64_t low_min;
    enum jl_tier system; /* of the priorities that users cannot give */
};

void jl_tier_defaults(struct jl_tier_config *out);
/* 0, or JOULIE_E_RANGE: the thresholds do not fall. */
int jl_tier_check(const struct jl_tier_config *config);

/* What the status says, or else what Kubernetes makes of requests and limits. */
enum jl_qos_class jl_pod_qos(const struct jl_pod *pod);
enum jl_tier jl_pod_tier(const struct jl_pod *pod, const struct jl_tier_config *config);
