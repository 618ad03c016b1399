/* SPDX-License-Identifier: Apache-2.0 */

/* joulie classify: the question classify. */

#include "cli.h"
#include "commands.h"

static const struct jd_option options[] = {
    JD_LENIENT_ROW,
    JD_FORM_ROW,
    JD_HELP_ROW,
};

const struct jd_command jd_command_classify = {
    .name = "classify",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Workload profile of a pod from hints and metrics",
    .question = "classify",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = jd_run_question,
};
