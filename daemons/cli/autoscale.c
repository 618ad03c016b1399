/* SPDX-License-Identifier: Apache-2.0 */

/* joulie autoscale: the question autoscale. */

#include "cli.h"
#include "commands.h"

static const char *const models[] = { "current", "v2.17.1", NULL };

static const struct jd_option options[] = {
    JD_MODEL_ROW(models),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
    JD_HELP_ROW,
};

const struct jd_command jd_command_autoscale = {
    .name = "autoscale",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "One evaluation of a TensorFusion workload's autoscaler",
    .question = "autoscale",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = jd_run_question,
};
