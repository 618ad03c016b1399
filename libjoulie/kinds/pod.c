/* SPDX-License-Identifier: Apache-2.0 */
#define JL_POD_TABLES
#include "kinds/pod.h"

/* The members of a core Pod that decisions read
 * (docs/rules/objects.md#core-objects). */

const struct jl_kind jl_pod_kind = {
    .api_version = "v1",
    .kind = "Pod",
    .plural = "pods",
    .singular = "pod",
    .short_name = "po",
    .scope = "Namespaced",
    .has_status = true,
    .is_core = true,
};
