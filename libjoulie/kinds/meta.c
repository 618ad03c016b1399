/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/meta.h"

static const struct jl_row owner_rows[] = {
    [JL_OWNER_KIND] = JL_STRING(jl_owner, kind, "kind", .doc = "Kind of the owner."),
    [JL_OWNER_NAME] = JL_STRING(jl_owner, name, "name", .doc = "Name of the owner."),
    [JL_OWNER_UID] = JL_STRING(jl_owner, uid, "uid", .doc = "UID of the owner."),
    [JL_OWNER_CONTROLLER] = JL_BOOLEAN(jl_owner, is_controller, "controller",
                                       .doc = "True for the owner that manages the object."),
};

static const struct jl_table owner_table = JL_TABLE(jl_owner, owner_rows, .flags = JL_OPEN);

static const struct jl_row meta_rows[] = {
    [JL_META_NAME] = JL_STRING(jl_meta, name, "name", .doc = "Name of the object."),
    [JL_META_NAMESPACE] = JL_STRING(jl_meta, name_space, "namespace",
                                    .doc = "Namespace; absent on cluster-scoped objects."),
    [JL_META_UID] = JL_STRING(jl_meta, uid, "uid", .doc = "Identity of the object over time."),
    [JL_META_RESOURCE_VERSION] = JL_STRING(jl_meta, resource_version, "resourceVersion",
                                           .doc = "Opaque version of the stored object."),
    [JL_META_CREATION_TIMESTAMP] = JL_STRING(jl_meta, creation_timestamp, "creationTimestamp",
                                             .doc = "When the object was created, RFC 3339."),
    [JL_META_DELETION_TIMESTAMP] =
        JL_STRING(jl_meta, deletion_timestamp, "deletionTimestamp",
                  .doc = "When the object will be gone, RFC 3339; present while it is deleted."),
    [JL_META_LABELS] = JL_MAP(jl_meta, labels, "labels", .doc = "Labels."),
    [JL_META_ANNOTATIONS] = JL_MAP(jl_meta, annotations, "annotations", .doc = "Annotations."),
    [JL_META_OWNERS] = JL_LIST(jl_meta, owners, "ownerReferences", &owner_table,
                               .doc = "Objects that this one depends on."),
};

const struct jl_table jl_meta_table =
    JL_TABLE(jl_meta, meta_rows, .flags = JL_OPEN, .doc = "Standard object metadata.");

const char *jl_label(const struct jl_meta *meta, const char *key)
{
    return JL_HAS(meta, JL_META_LABELS) ? jl_map_get(&meta->labels, key) : NULL;
}

const char *jl_annotation(const struct jl_meta *meta, const char *key)
{
    return JL_HAS(meta, JL_META_ANNOTATIONS) ? jl_map_get(&meta->annotations, key) : NULL;
}
