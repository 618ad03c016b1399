/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What all objects share. metadata has the members that we read; others are skipped. */

#include "schema/row.h"

/* Bits of every root object, whose struct begins with has, api_version and kind. */
enum { JL_ROOT_API_VERSION, JL_ROOT_KIND, JL_ROOT_META, JL_ROOT_SPEC, JL_ROOT_STATUS };

/* The first members of every root object, with properties of all three. */
#define JL_ROOT_MEMBERS(...)                                                                \
    STRING(api_version, "apiVersion", "Version of the schema of this object.", __VA_ARGS__) \
    STRING(kind, "kind", "Kind of this object.", __VA_ARGS__)                               \
    OBJECT(meta, "metadata", jl_meta, "Standard object metadata.", __VA_ARGS__)

struct jl_owner {
    uint64_t has;
    const char *kind;
    const char *name;
    const char *uid;
    bool is_controller;
};

enum {
    JL_OWNER_KIND,
    JL_OWNER_NAME,
    JL_OWNER_UID,
    JL_OWNER_CONTROLLER,
};

struct jl_meta {
    uint64_t has;
    const char *name;
    const char *name_space;
    const char *uid;
    const char *resource_version;
    const char *creation_timestamp;
    const char *deletion_timestamp;
    struct jl_map labels;
    struct jl_map annotations;
    struct jl_list owners; /* struct jl_owner */
};

enum {
    JL_META_NAME,
    JL_META_NAMESPACE,
    JL_META_UID,
    JL_META_RESOURCE_VERSION,
    JL_META_CREATION_TIMESTAMP,
    JL_META_DELETION_TIMESTAMP,
    JL_META_LABELS,
    JL_META_ANNOTATIONS,
    JL_META_OWNERS,
};

extern const struct jl_table jl_meta_table;

const char *jl_label(const struct jl_meta *meta, const char *key);      /* NULL = absent */
const char *jl_annotation(const struct jl_meta *meta, const char *key); /* NULL = absent */
