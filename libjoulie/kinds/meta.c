/* SPDX-License-Identifier: Apache-2.0 */

/* The tables of metadata, and look-ups of labels and annotations. */

#define JL_META_TABLES
#include "kinds/meta.h"

const char *jl_label(const struct jl_meta *meta, const char *key)
{
    return meta->given.labels ? jl_map_get(&meta->labels, key) : NULL;
}

const char *jl_annotation(const struct jl_meta *meta, const char *key)
{
    return meta->given.annotations ? jl_map_get(&meta->annotations, key) : NULL;
}
