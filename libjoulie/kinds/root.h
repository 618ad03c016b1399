/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The first rows of every root object, in the order of the JL_ROOT_* bits. Private to this room. */

#include "kinds/meta.h"

#define JL_API_VERSION "joulie.io/v1alpha1"

#define JL_ROOT_ROWS(type, row_flags)                                                        \
    [JL_ROOT_API_VERSION] = JL_STRING(type, api_version, "apiVersion", .flags = (row_flags), \
                                      .doc = "Version of the schema of this object."),       \
    [JL_ROOT_KIND] =                                                                         \
        JL_STRING(type, kind, "kind", .flags = (row_flags), .doc = "Kind of this object."),  \
    [JL_ROOT_META] = JL_OBJECT(type, meta, "metadata", &jl_meta_table, .flags = (row_flags), \
                               .doc = "Standard object metadata.")
