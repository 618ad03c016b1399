/* SPDX-License-Identifier: Apache-2.0 */

/* joulie cap allow: caps may be set again after joulie cap release. */

#include <stdio.h>

#include "cli.h"
#include "host.h"

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    if (!jd_may_write(call))
        return JD_EXIT_USAGE;
    const struct joulie_host_options host_options = jd_host_options(call);
    int rc = joulie_host_open(&host_options, &host, &err);
    if (rc == 0)
        rc = joulie_host_set_disabled(host, 0, &err);
    if (rc == 0)
        jd_put_answer(call, "{\"disabled\":false}");
    joulie_host_free(host);
    return rc < 0 ? jd_fail_answer(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
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
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
