/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* memmem */

/* Other writers of a spec (docs/rules/programs.md#another-writer). The operator asks for each twin
 * that comes in, `joulie doctor` for all of them. */

#include "kube/managers.h"

#include <json-c/json.h>
#include <string.h>

#include "base/text.h"
#include "runtime/json.h"

#define ADOPT "joulie.io/adopt"

/* The last two are of the server: what it does not know the writer of. */
static bool is_ours(struct jl_text manager)
{
    static const char *const names[] = { "joulie-operator", "joulie-agent", "before-first-apply",
                                         "ancient-changes" };
    static const char kubectl[] = "kubectl";
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        if (jl_text_is(manager, names[i]))
            return true;
    }
    return manager.len >= sizeof kubectl - 1 &&
           memcmp(manager.ptr, kubectl, sizeof kubectl - 1) == 0;
}

bool jd_names_foreign_manager(const char *text, size_t len)
{
    static const char key[] = "\"manager\":";
    const char *end = text + len;
    const char *at = memmem(text, len, key, sizeof key - 1);
    for (; at; at = memmem(at, (size_t)(end - at), key, sizeof key - 1)) {
        at += sizeof key - 1;
        struct jl_text rest = { at, (size_t)(end - at) };
        jl_text_cut(&rest, '"');
        if (!is_ours(jl_text_cut(&rest, '"')))
            return true;
    }
    return false;
}

static bool owns_spec(struct json_object *entry)
{
    struct json_object *spec = jd_json_at(entry, "fieldsV1.f:spec");
    return jd_json_word(entry, "subresource")[0] == '\0' &&
           json_object_is_type(spec, json_type_object) && json_object_object_length(spec) > 0;
}

const char *jd_foreign_manager(struct json_object *twin)
{
    struct json_object *entries = jd_json_at(twin, "metadata.managedFields");
    if (jl_same(jd_json_label(twin, "metadata.annotations", ADOPT), "true"))
        return NULL;
    for (size_t i = 0; i < jd_json_count(entries); i++) {
        struct json_object *entry = json_object_array_get_idx(entries, i);
        const char *manager = jd_json_word(entry, "manager");
        if (!is_ours(jl_text(manager)) && owns_spec(entry))
            return manager;
    }
    return NULL;
}
