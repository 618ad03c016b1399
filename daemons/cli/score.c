/* SPDX-License-Identifier: Apache-2.0 */

#include "cli.h"
#include "commands.h"

static const struct jd_option options[] = {
    { .id = JD_OPTION_SCORE_RANGE,
      .name = "score-range",
      .value = "N",
      .words = jd_score_range_words,
      .doc = "scores on the wire go from 0 to N: 10 (the default) or 100" },
    { .id = JD_OPTION_REQUIRE_FRESH,
      .name = "require-fresh",
      .doc = "exit with 3 when a score rests on stale data" },
    JD_LENIENT_ROW,
    JD_FORM_ROW,
    JD_HELP_ROW,
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
