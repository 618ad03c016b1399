/* SPDX-License-Identifier: Apache-2.0 */

/* joulie workload inspect: what a trace holds. */

#include <joulie/sim.h>

#include "base/error.h"
#include "cli.h"

static int inspect(struct jd_call *call, struct jl_buffer *trace, struct joulie_error *err)
{
    const char *file = call->argument_count > 0 ? call->arguments[0] : "-";
    char *json = NULL;
    int rc = jd_read(file, trace, err);
    if (rc < 0)
        return rc;
    rc = joulie_workload_inspect(trace->data ? trace->data : "", trace->len, call->values.lenient,
                                 &json, err);
    if (rc < 0 && err->line > 0)
        return jd_place_in_file(file, rc, err);
    if (rc == 0)
        jd_put_answer(call, json);
    joulie_free(json);
    return rc;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer trace = { 0 };
    const int rc = inspect(call, &trace, &err);
    jl_buffer_clear(&trace);
    return rc < 0 ? jd_put_error(call, &err) : JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("LENIENT", lenient, "skip bad lines and count them"),
    JD_FORM_ROW,
};

const struct jd_command jd_command_workload_inspect = {
    .name = "workload inspect",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Counts, classes, work and span of a trace",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
