/* SPDX-License-Identifier: Apache-2.0 */

/* The commands over caps that are one call of joulie/host.h: cap plan, cap restore and cap allow.
 */

#include "cli.h"
#include "host.h"

/* ---- cap plan: what a spec would write, without writing ---- */

static int plan(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    int rc = jd_take_spec(call, host, err);
    if (rc == 0)
        rc = joulie_host_plan(host, jd_now_ms(), &json, err);
    if (rc == 0)
        jd_put_answer(call, json);
    if (rc == JOULIE_E_CONFLICT && jl_same(err->where, "etc/joulie/disable"))
        return jd_fail_disabled(call, err);
    return rc < 0 ? jd_put_error(call, err) : jd_judge_caps(host);
}

static int run_plan(struct jd_call *call)
{
    if (!call->values.spec)
        return jd_usage("\"cap plan\" needs --spec FILE");
    return jd_on_host(call, jd_host_options(call), plan);
}

static const struct jd_setting plan_rows[] = {
    JD_SPEC_ROW, JD_ROOT_ROW, JD_STATE_DIR_ROW, JD_VERBOSE_ROW, JD_FORM_ROW,
};

const struct jd_command jd_command_cap_plan = {
    .name = "cap plan",
    .summary = "What a cap would write to a machine",
    .text =
        "Reads the machine and writes nothing. Each package has what was asked for, what it "
        "would get, and why\n"
        "not; writes are in the order in which they would be made. Exit status 1 when something "
        "would be blocked,\nas of joulie cap apply.",
    JD_ROWS(plan_rows),
    .run = run_plan,
};

/* ---- cap restore: gives back what the journal holds, and closes it ---- */

int jd_restore(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    const int rc = joulie_host_restore(host, jd_now_ms(), &json, err);
    if (json)
        jd_put_answer(call, json);
    else if (rc < 0)
        jd_put_error(call, err);
    return rc < 0 ? JD_EXIT_BAD : JD_EXIT_OK;
}

static int restore(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    return jd_claim(call, host, err) < 0 ? jd_put_error(call, err) : jd_restore(call, host, err);
}

static int run_restore(struct jd_call *call)
{
    return jd_may_write(call) ? jd_on_kept_host(call, jd_host_options(call), restore)
                              : JD_EXIT_USAGE;
}

static const struct jd_setting restore_rows[] = {
    JD_ROOT_ROW, JD_STATE_DIR_ROW, JD_CAPD_PROGRAM_ROW, JD_YES_ROW, JD_VERBOSE_ROW, JD_FORM_ROW,
};

const struct jd_command jd_command_cap_restore = {
    .name = "cap restore",
    .summary = "Gives back every limit that the journal of a machine holds",
    .text = "Each value is verified by reading. What cannot be given back is in failed, stays in "
            "the journal, and makes\n"
            "the exit status 1. While an agent holds the machine nothing is done: joulie cap "
            "release --all stops it.",
    JD_ROWS(restore_rows),
    .run = run_restore,
};

/* ---- cap allow: caps may be set again after cap release ---- */

static int allow(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    if (joulie_host_set_disabled(host, 0, err) < 0)
        return jd_put_error(call, err);
    jd_put_answer(call, "{\"disabled\":false}");
    return JD_EXIT_OK;
}

static int run_allow(struct jd_call *call)
{
    return jd_may_write(call) ? jd_on_host(call, jd_host_options(call), allow) : JD_EXIT_USAGE;
}

static const struct jd_setting allow_rows[] = {
    JD_ROOT_ROW,
    JD_YES_ROW,
    JD_VERBOSE_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_cap_allow = {
    .name = "cap allow",
    .summary = "Allows caps again after cap release",
    .text = "Removes etc/joulie/disable below the root. An agent that runs there caps again what "
            "its spec asks for.",
    JD_ROWS(allow_rows),
    .run = run_allow,
};
