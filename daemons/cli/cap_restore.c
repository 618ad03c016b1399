/* SPDX-License-Identifier: Apache-2.0 */

/* joulie cap restore: gives back what the journal holds, and closes it. */

#include "cli.h"
#include "host.h"

int jd_restore(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    char *json = NULL;
    const int rc = joulie_host_restore(host, jd_now_ms(), &json, err);
    if (json)
        jd_put_answer(call, json);
    else if (rc < 0)
        jd_put_error(call, err);
    joulie_free(json);
    return rc < 0 ? JD_EXIT_BAD : JD_EXIT_OK;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    if (!jd_may_write(call))
        return JD_EXIT_USAGE;
    struct joulie_host_options host_options = jd_host_options(call);
    host_options.enforces = 1;
    int rc = joulie_host_open(&host_options, &host, &err);
    if (rc == 0)
        rc = jd_claim(host, &err);
    const int status = rc < 0 ? jd_fail_answer(call, &err) : jd_restore(call, host, &err);
    joulie_host_free(host);
    return status;
}

static const struct jd_setting options[] = {
    JD_ROOT_ROW, JD_STATE_DIR_ROW, JD_YES_ROW, JD_VERBOSE_ROW, JD_FORM_ROW,
};

const struct jd_command jd_command_cap_restore = {
    .name = "cap restore",
    .summary = "Gives back every limit that the journal of a machine holds",
    .text = "Each value is verified by reading. What cannot be given back is in failed, stays in "
            "the journal, and makes\n"
            "the exit status 1. While an agent holds the machine nothing is done: joulie cap "
            "release --all stops it.",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
