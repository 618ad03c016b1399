/* SPDX-License-Identifier: Apache-2.0 */

/* joulie cap plan: what a spec would write on a machine, without writing. */

#include "cli.h"
#include "host.h"

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_options host_options = jd_host_options(call);
    struct joulie_host *host = NULL;
    char *json = NULL;
    host_options.is_one_shot = 1; /* as joulie cap apply would do it */
    if (!call->values.spec)
        return jd_usage("\"cap plan\" needs --spec FILE");
    int rc = joulie_host_open(&host_options, &host, &err);
    if (rc == 0)
        rc = jd_take_spec(call, host, &err);
    if (rc == 0)
        rc = joulie_host_plan(host, jd_now_ms(), &json, &err);
    if (rc == 0)
        jd_put_answer(call, json);
    const bool is_disabled = rc == JOULIE_E_CONFLICT && jl_same(err.where, "etc/joulie/disable");
    const int status = is_disabled ? jd_fail_disabled(call, &err)
                       : rc < 0    ? jd_fail_answer(call, &err)
                                   : jd_judge_caps(host);
    joulie_free(json);
    joulie_host_free(host);
    return status;
}

static const struct jd_setting options[] = {
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
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
