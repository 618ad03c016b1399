/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What came to an object of C after its conversion from A or B: defaults of the API server, zeros
 * of Go writers, and fields that were set since (docs/rules/conversion.md#fields-of-c-alone).
 */

#include "tensor_fusion/convert_store.h"

/* Empty values, and the defaults of an API server. */
static bool is_default(const char *key, struct json_object *value)
{
    return jl_convert_is_nothing(value) ||
           (jl_same(key, "isolation") && jl_same(json_object_get_string(value), "soft"));
}

/* Whether a member of the spec that C has was not there before. */
static bool is_later(const struct jl_store *store, struct json_object *present, const char *key)
{
    return store->dialect != JL_DIALECT_C && !jl_dialect_has_field(store->dialect, key) &&
           json_object_object_get_ex(present, key, NULL) &&
           !json_object_object_get_ex(jl_fusion_member(store->tree, "spec"), key, NULL);
}

bool jl_store_has_later(const struct jl_store *store, struct json_object *present)
{
    for (const char *const *key = jl_fusion_c_fields; *key; key++) {
        if (is_later(store, present, *key) && !is_default(*key, jl_fusion_member(present, *key)))
            return true;
    }
    return false;
}

void jl_store_drop_defaults(const struct jl_store *store, struct json_object *restored)
{
    for (const char *const *key = jl_fusion_c_fields; *key; key++) {
        if (is_later(store, restored, *key) && is_default(*key, jl_fusion_member(restored, *key)))
            json_object_object_del(restored, *key);
    }
}

void jl_store_settle_percents(struct jl_conversion *c, const struct jl_store *store,
                              struct json_object *restored, enum jl_dialect to)
{
    struct json_object *resources = jl_convert_object(c, restored, "spec", "resources");
    if (store->dialect == JL_DIALECT_C || to == JL_DIALECT_C || !jl_has_percents(resources) ||
        jl_fusion_member(jl_fusion_member(store->tree, "spec"), "resources"))
        return;
    struct json_object *settled = jl_convert_resources(c, resources, "spec.resources", to);
    if (settled)
        jl_convert_put(c, restored, "resources", settled);
}
