/* SPDX-License-Identifier: Apache-2.0 */

/* Which managers of fields are somebody else (docs/rules/programs.md#another-writer). Called by
 * daemons/kube for the operator and joulie doctor. */

#include "kubernetes/managers.h"

#include <string.h>

#define KUBECTL "kubectl"

/* The last two are of the server: what it does not know the writer of. */
static const char *const ours[] = { "joulie-operator", "joulie-agent", "before-first-apply",
                                    "ancient-changes" };

bool jl_is_foreign_manager(struct jl_text manager)
{
    const size_t len = sizeof KUBECTL - 1;
    for (size_t i = 0; i < JL_COUNT(ours); i++) {
        if (jl_text_is(manager, ours[i]))
            return false;
    }
    return manager.len < len || memcmp(manager.ptr, KUBECTL, len) != 0;
}

bool jl_is_foreign_writer(const struct jl_manager *manager, bool may_adopt)
{
    return !may_adopt && manager->owns_spec && !manager->is_subresource &&
           jl_is_foreign_manager(manager->name);
}
