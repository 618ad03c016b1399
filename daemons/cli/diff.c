/* SPDX-License-Identifier: Apache-2.0 */

/* joulie diff: the merge patch from one object to another. */

#include <string.h>

#include "base/error.h"
#include "cli.h"
#include "tree.h"

/* Of {"patch":…,"removed":…,"changed":…} the patch, which is what kubectl patch takes. */
static int put_patch(struct jd_call *call, const char *answer, struct joulie_error *err)
{
    struct json_object *root = NULL;
    const int rc = jd_json_read(answer, strlen(answer), &root, err);
    if (rc == 0)
        jd_put_answer(call, jd_tree_text(jd_json_at(root, "patch")));
    json_object_put(root);
    return rc;
}

static int ask(struct jd_call *call, struct jl_buffer *document, struct joulie_error *err)
{
    char *answer = NULL;
    jl_put_string(document, "{\"old\":");
    int rc = jd_read_one(call->arguments[0], 1, document, err);
    if (rc < 0)
        return rc;
    jl_put_string(document, ",\"new\":");
    rc = jd_read_one(call->arguments[1], 2, document, err);
    if (rc < 0)
        return rc;
    jl_put_char(document, '}');
    rc = document->is_failed
             ? jl_fail_memory(err)
             : joulie_ask("diff", document->data, document->len, NULL, &answer, err);
    if (rc == JOULIE_OK)
        rc = put_patch(call, answer, err);
    joulie_free(answer);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer document = { 0 };
    const int rc = ask(call, &document, &err);
    jl_buffer_clear(&document);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_FORM_ROW,
};

const struct jd_command jd_command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .least = 2,
    .most = 2,
    .files = JD_FILES,
    .summary = "Merge patch that makes NEW of OLD",
    .question = "diff",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
