/* SPDX-License-Identifier: Apache-2.0 */

/* joulie cap resolve: the question cap.resolve. */

#include "cli.h"
#include "commands.h"

static const struct jd_option options[] = {
    JD_MODEL_ROW(jd_model_words),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
    JD_HELP_ROW,
};

const struct jd_command jd_command_cap_resolve = {
    .name = "cap resolve",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Watts of a cap on the packages and GPUs of a host",
    .question = "cap.resolve",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = jd_run_question,
};
