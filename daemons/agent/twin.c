/* SPDX-License-Identifier: Apache-2.0 */

/* What the agent takes from a NodeTwin that it reads, and the NodeTwin that it writes beside it:
 * the report of a step.
 */

#include "agent/twin.h"

#include <json-c/json.h>
#include <string.h>

#include <joulie/object.h>
#include <joulie/remote.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/json.h"

void jd_twin_words_clear(struct jd_twin_words *words)
{
    jl_free(words->node_name);
    jl_free(words->profile);
    *words = (struct jd_twin_words){ 0 };
}

static bool copy_member(struct json_object *spec, const char *key, char **out)
{
    struct json_object *member = json_object_object_get(spec, key);
    if (!json_object_is_type(member, json_type_string))
        return true;
    *out = jl_strdup(json_object_get_string(member));
    return *out != NULL;
}

int jd_twin_read(const char *text, size_t len, struct jd_twin_words *out, struct joulie_error *err)
{
    struct jd_twin_words words = { 0 };
    char *line = NULL;
    int rc = joulie_format(text, len, JOULIE_FORM_LINE, &line, err);
    if (rc < 0)
        return rc;
    struct json_object *root = jd_json_parse(line, strlen(line));
    joulie_free(line);
    struct json_object *spec = NULL;
    if (!json_object_is_type(root, json_type_object))
        rc = jl_fail(err, JOULIE_E_TYPE, "", "is no NodeTwin");
    else if (!json_object_object_get_ex(root, "spec", &spec))
        spec = root;
    if (json_object_is_type(spec, json_type_object) &&
        (!copy_member(spec, "nodeName", &words.node_name) ||
         !copy_member(spec, "profile", &words.profile)))
        rc = jl_fail_memory(err);
    json_object_put(root);
    if (rc < 0)
        jd_twin_words_clear(&words);
    else
        *out = words;
    return rc;
}

int jd_twin_put(struct jl_buffer *out, const char *node_name, const char *profile,
                const char *report, struct joulie_error *err)
{
    char *name = NULL; /* a node name that has no object name stands for itself */
    const int rc = joulie_node_object_name(node_name, &name, err);
    jl_put_string(out,
                  "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{");
    jd_json_put_text(out, "name", rc == JOULIE_OK ? name : node_name);
    joulie_free(name);
    jl_put_string(out, "},\"spec\":{");
    jd_json_put_text(out, "nodeName", node_name);
    if (profile)
        jd_json_put_text(out, "profile", profile);
    jl_put_string(out, "},\"status\":{\"controlStatus\":");
    jl_put_string(out, report);
    jl_put_string(out, "}}\n");
    return rc == JOULIE_E_NOMEM || out->is_failed ? jl_fail_memory(err) : 0;
}
