/* SPDX-License-Identifier: Apache-2.0 */

/* Questions over documents that are composed as trees: objects that cannot be read are left out
 * and named. The commands about a cluster ask through it. */

#include "tree.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#define MOST_BAD 1000 /* objects that are left out before it is given up */

/* ---- reading ---- */

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

/* ---- asking ---- */

static void report(struct json_object *object, const char *rest, const char *message,
                   jd_left_out_fn *left_out, void *user)
{
    const char *kind = jd_json_text(object, "kind");
    const char *space = jd_json_text(object, "metadata.namespace");
    const char *name = jd_json_text(object, "metadata.name");
    char what[400];
    char why[sizeof((struct joulie_error *)0)->where + sizeof((struct joulie_error *)0)->message];
    snprintf(what, sizeof what, "%s \"%s%s%s\"", kind ? kind : "item", space ? space : "",
             space ? "/" : "", name ? name : "");
    snprintf(why, sizeof why, "%s%s%s", rest, *rest ? ": " : "", message);
    left_out(user, what, why);
}

/* Splits "nodes[12].twin.spec" into the list, the index and what is behind it. */
static struct json_object *find_list(struct json_object *doc, const char *where, size_t *out_index,
                                     const char **out_rest)
{
    const char *open = strchr(where, '[');
    const char *shut = open ? strchr(open, ']') : NULL;
    char key[32];
    uint64_t index;
    if (!shut || jl_parse_u64(open + 1, (size_t)(shut - open) - 1, &index) != 0)
        return NULL;
    snprintf(key, sizeof key, "%.*s", (int)(open - where), where);
    struct json_object *list = jd_json_at(doc, key);
    *out_index = (size_t)index;
    *out_rest = shut + 1 + (shut[1] == '.');
    return jd_item(list, *out_index) ? list : NULL;
}

/* An item that is an object of the API goes; of one that holds such objects, the one that is bad.
 * false = the place is in none of them. */
static bool leave_out(struct json_object *doc, const struct joulie_error *err,
                      jd_left_out_fn *left_out, void *user)
{
    size_t index = 0;
    const char *rest = "";
    struct json_object *list = find_list(doc, err->where, &index, &rest);
    struct json_object *item = jd_item(list, index);
    char member[32];
    snprintf(member, sizeof member, "%.*s", (int)strcspn(rest, "."), rest);
    struct json_object *held = jd_json_at(item, member);
    if (!item)
        return false;
    if (!jd_json_text(item, "kind") && jd_json_text(held, "kind")) {
        report(held, rest + strlen(member) + (rest[strlen(member)] == '.'), err->message, left_out,
               user);
        json_object_object_del(item, member);
    } else {
        report(item, rest, err->message, left_out, user);
        json_object_array_del_idx(list, index, 1);
    }
    return true;
}

int jd_tree_ask(const char *question, struct json_object *doc, jd_left_out_fn *left_out, void *user,
                char **answer, struct joulie_error *err)
{
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    options.is_lenient = 1; /* objects of a newer version have more members */
    int rc = JOULIE_E_LIMIT;
    for (int bad = 0; bad < MOST_BAD; bad++) {
        const char *text = jd_tree_text(doc);
        rc = text ? joulie_ask(question, text, strlen(text), &options, answer, err)
                  : jl_fail_memory(err);
        if (rc == 0 || rc == JOULIE_E_NOMEM || !leave_out(doc, err, left_out, user))
            return rc;
    }
    return rc;
}
