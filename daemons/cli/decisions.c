/* SPDX-License-Identifier: Apache-2.0 */

/* The commands that are a question: predict, classify, plan, score, autoscale and cap resolve,
 * whose documents question.c asks about, and explain, quantity, diff and crd, whose question is
 * made of their arguments. */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "cli.h"
#include "tree.h"

static const char *const autoscale_models[] = { "current", "v2.17.1", NULL };

static const struct jd_setting modelled[] = {
    JD_MODEL_ROW(jd_model_words),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};
static const struct jd_setting scored[] = {
    JD_SCORE_RANGE_ROW,
    JD_REQUIRE_FRESH_ROW,
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};
static const struct jd_setting autoscaled[] = {
    JD_MODEL_ROW(autoscale_models),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};
static const struct jd_setting plain[] = {
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

static const struct jd_setting formed[] = {
    JD_FORM_ROW,
};

/* Initialiser of a command that is the question of its name. */
#define DECISION(words, asked, rows, text)                                                       \
    {                                                                                            \
        .name = (words), .arguments = "[FILE]", .most = 1, .files = JD_FILES, .summary = (text), \
        .question = (asked), JD_ROWS(rows), .run = jd_run_question                               \
    }

const struct jd_command jd_command_predict = DECISION(
    "predict", "predict", modelled, "Digital twin of a node: headroom, cooling stress, PSU stress");
const struct jd_command jd_command_classify =
    DECISION("classify", "classify", plain, "Workload profile of a pod from hints and metrics");
const struct jd_command jd_command_plan =
    DECISION("plan", "plan", modelled, "Power profile of every node of a cluster");
const struct jd_command jd_command_score =
    DECISION("score", "score", scored, "Filter and score of nodes for a pod");
const struct jd_command jd_command_autoscale = DECISION(
    "autoscale", "autoscale", autoscaled, "One evaluation of a TensorFusion workload's autoscaler");
const struct jd_command jd_command_cap_resolve = DECISION(
    "cap resolve", "cap.resolve", modelled, "Watts of a cap on the packages and GPUs of a host");

/* ---- explain: the fields of a kind, from its table ---- */

static int run_explain(struct jd_call *call)
{
    const char *text = call->arguments[0];
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
    jl_put_char(&document, '{');
    jd_json_put_text(&document, "kind", text); /* the question finds the path in it */
    jl_put_char(&document, '}');
    return document.is_failed ? jd_put_no_memory(call)
                              : jd_ask_document(call, "explain", document.data, document.len, NULL);
}

const struct jd_command jd_command_explain = {
    .name = "explain",
    .arguments = "KIND[.PATH]",
    .least = 1,
    .most = 1,
    .summary = "Reference of a kind or of one of its fields",
    .text =
        "KIND is a kind in lower case or its short name, one of another project with its group; "
        "PATH is a path such as spec.cpu, with [] for list items.",
    .question = "explain",
    JD_ROWS(formed),
    .run = run_explain,
};

/* ---- quantity: Kubernetes quantities from arguments or lines ---- */

/* unit and number say where the text stands: there is no document to point into. */
static int ask_quantity(struct jd_call *call, struct jl_text text, const char *unit, size_t number)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
    JL_CLEANUP(jl_freep) char *answer = NULL;
    char where[32];
    jl_put_string(&document, "{\"text\":");
    jl_put_json_string(&document, text.ptr, text.len);
    jl_put_char(&document, '}');
    const int rc = jd_ask_buffer("quantity", &document, NULL, &answer, &err);
    snprintf(where, sizeof where, "%s %zu", unit, number);
    if (rc == JOULIE_OK)
        jd_put_answer(call, answer);
    else
        jl_fail(&err, rc, where, "%s", err.message);
    return rc == JOULIE_OK ? JD_EXIT_OK : jd_put_error(call, &err);
}

static struct jl_text behind_mark(struct jl_text text)
{
    static const struct jl_text mark = { "\xEF\xBB\xBF", 3 }; /* byte order mark, in UTF-8 */
    if (text.len < mark.len || memcmp(text.ptr, mark.ptr, mark.len) != 0)
        return text;
    return (struct jl_text){ text.ptr + mark.len, text.len - mark.len };
}

/* One text per line; empty lines are skipped, but one has to be there. */
static int ask_lines(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer input = { 0 };
    int status = JD_EXIT_OK;
    size_t count = 0;
    int rc = jd_read(NULL, &input, &err);
    struct jl_text rest = behind_mark((struct jl_text){ input.data, rc < 0 ? 0 : input.len });
    for (size_t line = 1; rest.len > 0; line++) {
        const struct jl_text text = jl_text_trim(jl_text_cut(&rest, '\n'));
        if (text.len == 0)
            continue;
        status = jd_worse(status, ask_quantity(call, text, "line", line));
        count++;
    }
    if (rc == 0 && count == 0)
        rc = jl_fail(&err, JOULIE_E_PARSE, "", "there is no quantity in the input");
    return rc == 0 ? status : jd_put_error(call, &err);
}

static int run_quantity(struct jd_call *call)
{
    int status = JD_EXIT_OK;
    if (call->argument_count == 0)
        return ask_lines(call);
    for (size_t i = 0; i < call->argument_count; i++)
        status =
            jd_worse(status, ask_quantity(call, jl_text(call->arguments[i]), "argument", i + 1));
    return status;
}

const struct jd_command jd_command_quantity = {
    .name = "quantity",
    .arguments = "[TEXT...]",
    .most = SIZE_MAX,
    .summary = "Kubernetes quantities, exact: canonical text, value, thousandths",
    .question = "quantity",
    JD_ROWS(formed),
    .run = run_quantity,
};

/* ---- diff: the merge patch from one object to another ---- */

/* Of {"patch":…,"removed":…,"changed":…} the patch, which is what kubectl patch takes. */
static int put_patch(struct jd_call *call, const char *answer, struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep) struct json_object *root = NULL;
    const int rc = jd_json_read(answer, strlen(answer), &root, err);
    if (rc == 0)
        jd_put_answer(call, jd_tree_text(jd_json_at(root, "patch")));
    return rc;
}

static int ask_diff(struct jd_call *call, struct jl_buffer *document, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *answer = NULL;
    jl_put_string(document, "{\"old\":");
    int rc = jd_read_one(call->arguments[0], 1, document, err);
    jl_put_string(document, ",\"new\":");
    if (rc == 0)
        rc = jd_read_one(call->arguments[1], 2, document, err);
    jl_put_char(document, '}');
    if (rc == 0)
        rc = jd_ask_buffer("diff", document, NULL, &answer, err);
    if (rc == 0)
        rc = put_patch(call, answer, err);
    return rc;
}

static int run_diff(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer document = { 0 };
    const int rc = ask_diff(call, &document, &err);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

const struct jd_command jd_command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .least = 2,
    .most = 2,
    .files = JD_FILES,
    .summary = "Merge patch that makes NEW of OLD",
    .question = "diff",
    JD_ROWS(formed),
    .run = run_diff,
};

/* ---- crd: the CustomResourceDefinitions, as crds/ has them ---- */

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
static int run_crd(struct jd_call *call)
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

static const struct jd_setting manifest_rows[] = {
    JD_BOOLEAN_ROW("LEGACY", legacy, "the kinds before NodeTwin instead of those of today"),
    JD_OUTPUT_ROW("form of the manifests: yaml (the default), json or pretty"),
};

const struct jd_command jd_command_crd = {
    .name = "crd",
    .arguments = "[KIND]",
    .most = 1,
    .summary = "Prints the CRD manifests",
    .question = "crd",
    JD_ROWS(manifest_rows),
    .run = run_crd,
};
