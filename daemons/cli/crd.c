/* SPDX-License-Identifier: Apache-2.0 */

/* joulie crd: the CustomResourceDefinitions, as crds/ has them. */

#include <string.h>

#include <joulie/object.h>

#include "cli.h"

/* A manifest is YAML; -o json and -o pretty give the same as JSON. */
static void put_manifest(struct jd_call *call, const char *yaml)
{
    const char *form = call->values.output;
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (form && !jl_same(form, "yaml") &&
        joulie_format(yaml, strlen(yaml), JOULIE_FORM_LINE, &json, NULL) == JOULIE_OK) {
        jd_put_answer(call, json);
    } else {
        jd_put_text(call, yaml, strlen(yaml)); /* begins with --- itself */
    }
}

/* The one of the argument, else all of them. */
static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *kind = call->argument_count > 0 ? call->arguments[0] : NULL;
    int rc = JOULIE_OK;
    for (size_t i = 0; rc == JOULIE_OK && (!kind || i == 0); i++) {
        JL_CLEANUP(jl_freep) char *yaml = NULL;
        rc = joulie_crd(kind, i, call->values.legacy, &yaml, &err);
        if (rc == JOULIE_OK)
            put_manifest(call, yaml);
    }
    if (rc == JOULIE_OK || rc == JOULIE_E_NOT_FOUND) /* behind the last one */
        return JD_EXIT_OK;
    return jd_put_error(call, &err);
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("LEGACY", legacy, "the kinds before NodeTwin instead of those of today"),
    JD_OUTPUT_ROW("form of the manifests: yaml (the default), json or pretty"),
};

const struct jd_command jd_command_crd = {
    .name = "crd",
    .arguments = "[KIND]",
    .most = 1,
    .summary = "Prints the CRD manifests",
    .question = "crd",
    JD_ROWS(options),
    .run = run,
};
