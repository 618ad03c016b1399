/* SPDX-License-Identifier: Apache-2.0 */

/* The reader of a profile that goes on after each problem (docs/rules/threads.md#findings). Called
 * by the question threads.lint. */

#include "threads/lint.h"

#define PROFILE_BYTES 65536

static void keep_problem(void *user, const struct joulie_error *problem)
{
    jl_keep_finding(user, jl_finding_of(problem), problem->where, problem->message);
}

#define RECORD version_head
#define ABOUT .flags = JL_OPEN
#define MEMBERS RAW(version, "schema_version", "Version of the schema.")
#include "schema/record.h"

int jl_lint_profile(struct jl_decode *decode, struct jl_thread_profile *profile,
                    struct jl_findings *findings)
{
    const struct jl_path version_at = { .key = jl_text("schema_version") };
    struct version_head head;
    *profile = (struct jl_thread_profile){ 0 };
    if (decode->len > PROFILE_BYTES) {
        jl_find(findings, JL_E_LIMIT, NULL, "a profile has %d bytes at most", PROFILE_BYTES);
        return 0;
    }
    int rc = jl_decode_document(decode, &version_head_table, &head);
    if (rc < 0)
        return rc;
    const struct jl_text version = { head.version.text, head.version.len };
    if (!head.given.version || !jl_text_is(version, "1")) {
        jl_find(findings, JL_E_VERSION, &version_at, "this build reads schema_version 1 only");
        return 0;
    }
    decode->on_problem = keep_problem;
    decode->problem_user = findings;
    rc = jl_decode_document(decode, &jl_thread_profile_table, profile);
    decode->on_problem = NULL;
    if (rc == 0)
        jl_check_profile(profile, NULL, findings);
    return rc;
}
