/* SPDX-License-Identifier: Apache-2.0 */

/* joulie crd: the CustomResourceDefinitions, as crds/ has them. */

#include <json-c/json.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "cli.h"
#include "commands.h"
#include "runtime/json.h"

/* A manifest is YAML; -o json and -o pretty give the same as JSON. */
static void put_manifest(struct jd_call *call, const char *yaml)
{
    const char *form = call->value[JD_OPTION_OUTPUT];
    char *json = NULL;
    if (form && !jl_same(form, "yaml") &&
        joulie_format(yaml, strlen(yaml), JOULIE_FORM_LINE, &json, NULL) == JOULIE_OK) {
        jd_put_answer(call, json);
    } else {
        jd_put_text(call, yaml, strlen(yaml)); /* begins with --- itself */
    }
    joulie_free(json);
}

static void put_manifests(struct jd_call *call, const char *answer)
{
    struct json_object *root = jd_json_parse(answer, strlen(answer));
    struct json_object *list = json_object_object_get(root, "manifests");
    for (size_t i = 0; list && i < json_object_array_length(list); i++) {
        struct json_object *manifest = json_object_array_get_idx(list, i);
        const char *yaml = json_object_get_string(json_object_object_get(manifest, "yaml"));
        put_manifest(call, yaml ? yaml : "");
    }
    json_object_put(root);
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    char *answer = NULL;
    jl_put_string(&document,
                  jd_given(call, JD_OPTION_LEGACY) ? "{\"legacy\":true" : "{\"legacy\":false");
    if (call->argument_count > 0) {
        jl_put_string(&document, ",\"kind\":");
        jl_put_json_string(&document, call->arguments[0], strlen(call->arguments[0]));
    }
    jl_put_char(&document, '}');
    const int rc = document.is_failed
                       ? jl_fail_memory(&err)
                       : joulie_ask("crd", document.data, document.len, NULL, &answer, &err);
    if (rc == JOULIE_OK)
        put_manifests(call, answer);
    else
        jd_put_error(call, &err);
    joulie_free(answer);
    jl_buffer_clear(&document);
    return rc == JOULIE_OK ? JD_EXIT_OK : JD_EXIT_BAD;
}

static const struct jd_option options[] = {
    { .id = JD_OPTION_LEGACY,
      .name = "legacy",
      .doc = "the kinds before NodeTwin instead of those of today" },
    JD_OUTPUT_ROW("form of the manifests: yaml (the default), json or pretty"),
    JD_HELP_ROW,
};

const struct jd_command jd_command_crd = {
    .name = "crd",
    .arguments = "[KIND]",
    .most = 1,
    .summary = "Prints the CRD manifests",
    .question = "crd",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
