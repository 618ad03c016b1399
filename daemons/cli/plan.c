/* SPDX-License-Identifier: Apache-2.0 */

/* joulie plan: the question plan. */

#include "cli.h"
#include "commands.h"

static const struct jd_option options[] = {
    JD_MODEL_ROW(jd_model_words),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
    JD_HELP_ROW,
};

const struct jd_command jd_command_plan = {
    .name = "plan",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Power profile of every node of a cluster",
    .question = "plan",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = jd_run_question,
};
