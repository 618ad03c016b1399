/* SPDX-License-Identifier: Apache-2.0 */

/* JSON trees of the commands about a cluster: items, nodes, text. */

#include "tree.h"

#include "base/text.h"

struct json_object *jd_item(struct json_object *list, size_t index)
{
    return index < jd_json_count(list) ? json_object_array_get_idx(list, index) : NULL;
}

void jd_set_text(struct json_object *tree, const char *key, const char *text)
{
    json_object_object_add(tree, key, json_object_new_string(text));
}

const char *jd_node_of(struct json_object *object)
{
    const char *name = jd_json_text(object, "spec.nodeName");
    return jl_is_empty(name) ? jd_json_text(object, "metadata.name") : name;
}

struct json_object *jd_nodes_of(struct json_object *objects)
{
    struct json_object *names = json_object_new_object();
    for (size_t i = 0; i < jd_json_count(objects); i++) {
        const char *name = jd_node_of(jd_item(objects, i));
        if (name)
            json_object_object_add(names, name, NULL);
    }
    return names;
}

const char *jd_tree_text(struct json_object *tree)
{
    return json_object_to_json_string_ext(tree,
                                          JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}
