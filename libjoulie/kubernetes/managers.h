/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who else writes what is ours (docs/rules/programs.md#another-writer). Pure. */

#include <stdbool.h>

#include "base/text.h"

#define JL_ADOPT_ANNOTATION "joulie.io/adopt" /* true: we may take over what others wrote */

/* A manager of fields that no program of ours is, and neither kubectl nor the server itself. */
bool jl_is_foreign_manager(struct jl_text manager);

struct jl_manager { /* an entry of metadata.managedFields */
    struct jl_text name;
    bool is_subresource; /* of status: whoever writes it, it is not the spec */
    bool owns_spec;      /* one field of it at least */
};

/* Whether an object with such an entry is left alone; with adopt no object is. */
bool jl_is_foreign_writer(const struct jl_manager *manager, bool may_adopt);
