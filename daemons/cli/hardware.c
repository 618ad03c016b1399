/* SPDX-License-Identifier: Apache-2.0 */

/* joulie hardware: NodeHardware of this machine or of a recorded one. */

#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli.h"
#include "host.h"

/* --now, else what the clock says. */
static bool time_of(const struct jd_call *call, int64_t *out_ms)
{
    const char *text = call->values.now;
    *out_ms = jd_now_ms();
    if (text && jl_parse_time(text, strlen(text), out_ms) != 0) {
        jd_usage("--now is a time such as 2026-03-13T12:00:00Z, not \"%s\"", text);
        return false;
    }
    return true;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct joulie_host_options host_options = jd_host_options(call);
    struct joulie_host *host = NULL;
    char *json = NULL;
    char own_name[256] = "";
    const char *name = call->values.node_name;
    int64_t now_ms;
    if (!time_of(call, &now_ms))
        return JD_EXIT_USAGE;
    if (!name && gethostname(own_name, sizeof own_name - 1) == 0)
        name = own_name;

    int rc = joulie_host_open(&host_options, &host, &err);
    if (rc == 0)
        rc = joulie_host_hardware(host, name, now_ms, &json, &err);
    if (rc == 0)
        jd_put_answer(call, json);
    joulie_free(json);
    joulie_host_free(host);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_ROOT_ROW,
    JD_TEXT_ROW("NODE_NAME", node_name, "NAME", "spec.nodeName; this machine's name by default"),
    JD_TEXT_ROW("NOW", now, "TIME", "status.updatedAt, RFC 3339; the clock by default"),
    JD_VERBOSE_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_hardware = {
    .name = "hardware",
    .summary = "What a machine is made of, as a NodeHardware",
    .text = "Reads /sys and /proc below the root. What cannot be read is absent, and a warning in "
            "the answer says why.",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
