/* SPDX-License-Identifier: Apache-2.0 */

/* An option of a program as its Deployment gives it: arguments, environment, or out of sight. Used
 * by doctor.c. */

#include "deployment.h"

#include <json-c/json.h>
#include <string.h>

#include "base/text.h"
#include "runtime/json.h"
#include "tree.h"

static const char *word_at(struct json_object *words, size_t i)
{
    struct json_object *word =
        i < jd_json_count(words) ? json_object_array_get_idx(words, i) : NULL;
    return json_object_is_type(word, json_type_string) ? json_object_get_string(word) : NULL;
}

/* --flag VALUE or --flag=VALUE. */
static const char *of_words(struct json_object *words, const char *flag)
{
    const size_t len = strlen(flag);
    for (size_t i = 0; i < jd_json_count(words); i++) {
        const char *word = word_at(words, i);
        if (!word || !jl_starts_with(word, flag))
            continue;
        if (word[len] == '=')
            return word + len + 1;
        if (word[len] == '\0')
            return word_at(words, i + 1);
    }
    return NULL;
}

static bool has_flag(struct json_object *container, const char *flag)
{
    return of_words(jd_json_at(container, "args"), flag) ||
           of_words(jd_json_at(container, "command"), flag);
}

static const char *of_variables(struct json_object *container, const char *variable,
                                const char **why_unknown)
{
    struct json_object *list = jd_json_at(container, "env");
    for (size_t i = 0; i < jd_json_count(list); i++) {
        struct json_object *one = json_object_array_get_idx(list, i);
        if (!jl_same(jd_json_text(one, "name"), variable))
            continue;
        if (jd_json_at(one, "valueFrom"))
            *why_unknown = "its variable comes from another object";
        return jd_json_text(one, "value");
    }
    return NULL;
}

static const char *of_container(struct json_object *container, const char *flag,
                                const char *variable, const char **why_unknown)
{
    const char *found = of_words(jd_json_at(container, "args"), flag);
    if (!found)
        found = of_words(jd_json_at(container, "command"), flag);
    if (!found)
        found = of_variables(container, variable, why_unknown);
    if (!found && jd_json_count(jd_json_at(container, "envFrom")) > 0)
        *why_unknown = "its environment comes from another object";
    if (!found && has_flag(container, "--config"))
        *why_unknown = "its options are in a file";
    return found;
}

const char *jd_deployment_option(struct json_object *deployment, const char *flag,
                                 const char *variable, const char **why_unknown)
{
    struct json_object *containers = jd_json_at(deployment, "spec.template.spec.containers");
    const char *found = NULL;
    *why_unknown = NULL;
    for (size_t i = 0; i < jd_json_count(containers) && !found; i++)
        found = of_container(json_object_array_get_idx(containers, i), flag, variable, why_unknown);
    if (found)
        *why_unknown = NULL;
    return found;
}
