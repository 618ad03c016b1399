/* SPDX-License-Identifier: Apache-2.0 */

/* joulie score: the question score. */

#include "cli.h"
#include "commands.h"

static const struct jd_option options[] = {
    JD_SCORE_RANGE_ROW, JD_REQUIRE_FRESH_ROW, JD_LENIENT_ROW, JD_FORM_ROW, JD_HELP_ROW,
};

const struct jd_command jd_command_score = {
    .name = "score",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Filter and score of nodes for a pod",
    .question = "score",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = jd_run_question,
};
