/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Strategic merge patches of built-in kinds (docs/rules/apiserver.md#writes): kubectl apply, taint,
 * cordon and patch send nothing else for them. Lists that are merged are recognised by their names,
 * which is enough for nodes, pods, namespaces and what is common to all; every other list is
 * replaced.
 */

#include <string.h>

#include "apiserver/parts.h"
#include "base/error.h"

struct merged_list {
    const char *name;
    const char *key; /* "" = of plain values */
};

static const struct merged_list merged_lists[] = {
    { "addresses", "type" },
    { "conditions", "type" },
    { "containers", "name" },
    { "env", "name" },
    { "ephemeralContainers", "name" },
    { "finalizers", "" },
    { "hostAliases", "ip" },
    { "hostIPs", "ip" },
    { "imagePullSecrets", "name" },
    { "initContainers", "name" },
    { "ownerReferences", "uid" },
    { "podCIDRs", "" },
    { "podIPs", "ip" },
    { "ports", "containerPort" },
    { "resourceClaims", "name" },
    { "schedulingGates", "name" },
    { "topologySpreadConstraints", "topologyKey" },
    { "volumeDevices", "devicePath" },
    { "volumeMounts", "mountPath" },
    { "volumes", "name" },
};

static const char order_prefix[] = "$setElementOrder/";
static const char delete_prefix[] = "$deleteFromPrimitiveList/";

static const struct merged_list *merged_list(const char *name)
{
    for (size_t i = 0; i < JL_COUNT(merged_lists); i++) {
        if (jl_same(merged_lists[i].name, name))
            return &merged_lists[i];
    }
    return NULL;
}

static bool is_list(struct json_object *tree)
{
    return json_object_is_type(tree, json_type_array);
}

static struct json_object *key_of(struct json_object *item, const char *key)
{
    struct json_object *value = NULL;
    if (key[0] == '\0')
        return item;
    if (jd_tree_is_object(item))
        json_object_object_get_ex(item, key, &value);
    return value;
}

/* Place of the item with a key; the length when there is none. */
static size_t find_item(struct json_object *list, const char *key, struct json_object *wanted)
{
    size_t at = 0;
    while (at < jd_json_count(list) &&
           !json_object_equal(key_of(json_object_array_get_idx(list, at), key), wanted))
        at++;
    return at;
}

static bool is_directive(struct json_object *item, const char *word)
{
    struct json_object *value = NULL;
    return jd_tree_is_object(item) && json_object_object_get_ex(item, "$patch", &value) &&
           json_object_is_type(value, json_type_string) &&
           jl_same(json_object_get_string(value), word);
}

static bool has_replace(struct json_object *list)
{
    for (size_t i = 0; i < jd_json_count(list); i++) {
        if (is_directive(json_object_array_get_idx(list, i), "replace"))
            return true;
    }
    return false;
}

/* A value that had no counterpart, without its directives. */
static int fresh_value(struct json_object *value, struct json_object **out,
                       struct joulie_error *err)
{
    if (!jd_tree_is_object(value)) {
        *out = json_object_get(value);
        return 0;
    }
    *out = json_object_new_object();
    return *out ? jd_strategic_merge(*out, value, err) : jl_fail_memory(err);
}

static int merge_item(struct json_object *list, struct json_object *item, const char *key,
                      struct joulie_error *err)
{
    struct json_object *wanted = key_of(item, key);
    struct json_object *fresh;
    if (!wanted)
        return jl_fail(err, JOULIE_E_REQUIRED, "", "map: %s does not contain declared merge key",
                       key);
    const size_t at = find_item(list, key, wanted);
    const bool is_there = at < jd_json_count(list);
    if (is_directive(item, "delete")) {
        if (is_there)
            json_object_array_del_idx(list, at, 1);
        return 0;
    }
    if (is_there)
        return key[0] ? jd_strategic_merge(json_object_array_get_idx(list, at), item, err) : 0;
    const int rc = fresh_value(item, &fresh, err);
    if (rc == 0)
        json_object_array_add(list, fresh);
    return rc;
}

static int merge_list(struct json_object *list, struct json_object *patch, const char *key,
                      struct joulie_error *err)
{
    if (jd_json_count(list) + jd_json_count(patch) > JD_API_MOST_ITEMS)
        return jl_fail(err, JOULIE_E_LIMIT, "", "lists of more than %d items are not merged",
                       JD_API_MOST_ITEMS);
    if (has_replace(patch))
        json_object_array_del_idx(list, 0, jd_json_count(list));
    int rc = 0;
    for (size_t i = 0; i < jd_json_count(patch) && rc == 0; i++) {
        struct json_object *item = json_object_array_get_idx(patch, i);
        if (!is_directive(item, "replace"))
            rc = merge_item(list, item, key, err);
    }
    return rc;
}

/* Items that the order names come in that order, behind them the others. */
static void set_order(struct json_object *target, const char *name, struct json_object *order)
{
    const struct merged_list *merged = merged_list(name);
    struct json_object *list = jd_json_at(target, name);
    if (!merged || !is_list(list) || jd_json_count(list) > JD_API_MOST_ITEMS || !is_list(order) ||
        jd_json_count(order) > JD_API_MOST_ITEMS)
        return;
    struct json_object *sorted = json_object_new_array();
    for (size_t i = 0; i < jd_json_count(order); i++) {
        struct json_object *wanted = key_of(json_object_array_get_idx(order, i), merged->key);
        const size_t at = find_item(list, merged->key, wanted);
        if (at < jd_json_count(list)) {
            json_object_array_add(sorted, json_object_get(json_object_array_get_idx(list, at)));
            json_object_array_del_idx(list, at, 1);
        }
    }
    for (size_t i = 0; i < jd_json_count(list); i++)
        json_object_array_add(sorted, json_object_get(json_object_array_get_idx(list, i)));
    json_object_object_add(target, name, sorted);
}

static void delete_values(struct json_object *target, const char *name, struct json_object *values)
{
    struct json_object *list = jd_json_at(target, name);
    for (size_t i = 0; i < jd_json_count(values); i++) {
        const size_t at = find_item(list, "", json_object_array_get_idx(values, i));
        if (at < jd_json_count(list))
            json_object_array_del_idx(list, at, 1);
    }
}

/* Members that are not in the list go. */
static void retain_keys(struct json_object *target, struct json_object *keys)
{
    JL_CLEANUP(jd_json_freep) struct json_object *kept = json_object_new_object();
    for (size_t i = 0; kept && i < jd_json_count(keys); i++) {
        const char *key = json_object_get_string(json_object_array_get_idx(keys, i));
        struct json_object *value;
        if (key && json_object_object_get_ex(target, key, &value))
            json_object_object_add(kept, key, json_object_get(value));
    }
    json_object_object_foreach(target, old_key, old_value)
    {
        (void)old_value;
        if (!kept || !json_object_object_get_ex(kept, old_key, NULL))
            json_object_object_del(target, old_key);
    }
}

static void clear_members(struct json_object *target)
{
    json_object_object_foreach(target, key, value)
    {
        (void)value;
        json_object_object_del(target, key);
    }
}

static int merge_member(struct json_object *target, const char *key, struct json_object *value,
                        struct joulie_error *err)
{
    struct json_object *old = NULL;
    struct json_object *fresh;
    json_object_object_get_ex(target, key, &old);
    if (!value) {
        json_object_object_del(target, key);
        return 0;
    }
    if (jd_tree_is_object(value) && jd_tree_is_object(old))
        return jd_strategic_merge(old, value, err);
    const struct merged_list *merged = is_list(value) ? merged_list(key) : NULL;
    if (merged && !is_list(old)) {
        old = json_object_new_array();
        json_object_object_add(target, key, old);
    }
    if (merged)
        return merge_list(old, value, merged->key, err);
    const int rc = fresh_value(value, &fresh, err);
    if (rc == 0)
        json_object_object_add(target, key, fresh);
    return rc;
}

int jd_strategic_merge(struct json_object *target, struct json_object *patch,
                       struct joulie_error *err)
{
    struct json_object *keys = NULL;
    int rc = 0;
    if (is_directive(patch, "replace") || is_directive(patch, "delete"))
        clear_members(target);
    if (json_object_object_get_ex(patch, "$retainKeys", &keys))
        retain_keys(target, keys);
    json_object_object_foreach(patch, key, value)
    {
        if (jl_starts_with(key, delete_prefix))
            delete_values(target, key + strlen(delete_prefix), value);
        else if (key[0] != '$')
            rc = merge_member(target, key, value, err);
        if (rc < 0)
            return rc;
    }
    json_object_object_foreach(patch, order_key, order)
    {
        if (jl_starts_with(order_key, order_prefix))
            set_order(target, order_key + strlen(order_prefix), order);
    }
    return 0;
}
