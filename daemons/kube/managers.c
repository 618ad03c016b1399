/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* memmem */

/* Other writers of a spec in the JSON of an object; the rule is libjoulie/kubernetes/managers.c.
 * The operator asks for each twin that comes in, `joulie doctor` for all of them. */

#include "kube/managers.h"

#include <json-c/json.h>
#include <string.h>

#include "kubernetes/managers.h"
#include "runtime/json.h"

bool jd_names_foreign_manager(const char *text, size_t len)
{
    static const char key[] = "\"manager\":";
    const char *end = text + len;
    const char *at = memmem(text, len, key, sizeof key - 1);
    for (; at; at = memmem(at, (size_t)(end - at), key, sizeof key - 1)) {
        at += sizeof key - 1;
        struct jl_text rest = { at, (size_t)(end - at) };
        jl_text_cut(&rest, '"');
        if (jl_is_foreign_manager(jl_text_cut(&rest, '"')))
            return true;
    }
    return false;
}

static bool owns_spec(struct json_object *entry)
{
    struct json_object *spec = jd_json_at(entry, "fieldsV1.f:spec");
    return json_object_is_type(spec, json_type_object) && json_object_object_length(spec) > 0;
}

const char *jd_foreign_manager(struct json_object *twin)
{
    struct json_object *entries = jd_json_at(twin, "metadata.managedFields");
    const bool may_adopt =
        jl_same(jd_json_label(twin, "metadata.annotations", JL_ADOPT_ANNOTATION), "true");
    for (size_t i = 0; i < jd_json_count(entries); i++) {
        struct json_object *entry = json_object_array_get_idx(entries, i);
        const char *name = jd_json_word(entry, "manager");
        const struct jl_manager manager = {
            .name = jl_text(name),
            .is_subresource = jd_json_word(entry, "subresource")[0] != '\0',
            .owns_spec = owns_spec(entry),
        };
        if (jl_is_foreign_writer(&manager, may_adopt))
            return name;
    }
    return NULL;
}
