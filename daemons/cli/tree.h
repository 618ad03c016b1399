/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* JSON trees of the commands about a cluster. */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/json.h"

struct json_object *jd_item(struct json_object *list, size_t index);
void jd_set_text(struct json_object *tree, const char *key, const char *text);
/* The node that a NodeTwin or NodeHardware speaks for. NULL = nobody. */
const char *jd_node_of(struct json_object *object);
/* The nodes that objects speak for, or are, as the members of an object. */
struct json_object *jd_nodes_of(struct json_object *objects);
const char *jd_tree_text(struct json_object *tree); /* on one line; lives as long as the tree */
