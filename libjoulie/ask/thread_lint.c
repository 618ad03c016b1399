/* SPDX-License-Identifier: Apache-2.0 */

/* threads.lint: what is wrong with a thread profile (docs/rules/threads.md#findings). */

#include "ask/ask.h"
#include "base/error.h"
#include "base/sort.h"
#include "threads/lint.h"

#define RECORD listed_finding
#define MEMBERS                                                             \
    ENUM(code, "code", jl_finding_code, jl_finding_words, "What is wrong.") \
    STRING(severity, "severity", "error or warning.")                       \
    INTEGER(line, "line", "Line in a file of TOML, from 1; 0 = not known.") \
    INTEGER(column, "column", "Byte in that line, from 1; 0 = not known.")  \
    STRING(path, "path", "Where in the profile.")                           \
    STRING(message, "message", "The same in words.")
#include "schema/record.h"

#define RECORD threads_lint_out
#define MEMBERS                                                    \
    STRING(id, "id", "Name of the profile.")                       \
    INTEGER(errors, "errors", "Findings that refuse the profile.") \
    INTEGER(warnings, "warnings", "Findings that do not.")         \
    LIST(findings, "findings", listed_finding, "100 of them at most.")
#include "schema/record.h"

static int by_code(const void *a, const void *b, void *user)
{
    (void)user;
    return JL_ORDER(((const struct jl_finding *)a)->code, ((const struct jl_finding *)b)->code);
}

static int put_findings(struct jl_ask *ask, struct jl_findings *findings,
                        struct threads_lint_out *out)
{
    struct listed_finding *items =
        JL_NEW_LIST(ask, out, findings, findings->count, struct listed_finding);
    if (items == NULL || ask->arena->is_failed ||
        jl_sort(findings->items, findings->count, sizeof findings->items[0], by_code, NULL) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < findings->count; i++) {
        const struct jl_finding *finding = &findings->items[i];
        JL_SET(&items[i], code, finding->code);
        JL_SET(&items[i], severity, jl_finding_is_error(finding->code) ? "error" : "warning");
        JL_SET(&items[i], line, 0);
        JL_SET(&items[i], column, 0);
        JL_SET(&items[i], path, finding->path);
        JL_SET(&items[i], message, finding->message);
    }
    JL_SET(out, errors, (int64_t)findings->errors);
    JL_SET(out, warnings, (int64_t)findings->warnings);
    return 0;
}

static int lint_profile(struct jl_ask *ask, struct threads_lint_out *out)
{
    struct jl_raw toml;
    struct jl_raw samples;
    struct jl_findings *findings = JL_NEW(ask->arena, struct jl_findings);
    struct jl_thread_profile *profile = JL_NEW(ask->arena, struct jl_thread_profile);
    if (findings == NULL || profile == NULL)
        return jl_fail_memory(ask->err);
    int rc = jl_decode_member(ask->decode, "toml", &toml);
    if (rc < 0)
        return rc;
    if (toml.text != NULL)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "toml",
                           "this build reads profiles as JSON or YAML");
    rc = jl_decode_member(ask->decode, "samples", &samples);
    if (rc < 0)
        return rc;
    if (samples.text != NULL)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "samples",
                           "this build does not judge samples of threads");
    findings->arena = ask->arena;
    rc = jl_lint_profile(ask->decode, profile, findings);
    if (rc < 0)
        return rc;
    JL_SET_IF(out, id, profile->given.id, profile->id);
    return put_findings(ask, findings, out);
}

static int answer_lint(struct jl_ask *ask, const void *in, void *out)
{
    (void)in;
    return lint_profile(ask, out);
}

const struct jl_question jl_question_threads_lint = {
    .name = "threads.lint",
    .summary = "what is wrong with a thread profile",
    .out = &threads_lint_out_table,
    .flags = JL_TAKES_TEXT,
    .answer = answer_lint,
};
