/* SPDX-License-Identifier: Apache-2.0 */

/* The commands that are a question and nothing else: predict, classify, plan, score, autoscale and
 * cap resolve. question.c asks it for each document. */

#include "cli.h"

static const char *const autoscale_models[] = { "current", "v2.17.1", NULL };

static const struct jd_setting modelled[] = {
    JD_MODEL_ROW(jd_model_words),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};
static const struct jd_setting scored[] = {
    JD_SCORE_RANGE_ROW,
    JD_REQUIRE_FRESH_ROW,
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};
static const struct jd_setting autoscaled[] = {
    JD_MODEL_ROW(autoscale_models),
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};
static const struct jd_setting plain[] = {
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

/* Initialiser of a command that is the question of its name. */
#define DECISION(words, asked, rows, text)                                                       \
    {                                                                                            \
        .name = (words), .arguments = "[FILE]", .most = 1, .files = JD_FILES, .summary = (text), \
        .question = (asked), .options = (rows), .option_count = JL_COUNT(rows),                  \
        .run = jd_run_question                                                                   \
    }

const struct jd_command jd_command_predict = DECISION(
    "predict", "predict", modelled, "Digital twin of a node: headroom, cooling stress, PSU stress");
const struct jd_command jd_command_classify =
    DECISION("classify", "classify", plain, "Workload profile of a pod from hints and metrics");
const struct jd_command jd_command_plan =
    DECISION("plan", "plan", modelled, "Power profile of every node of a cluster");
const struct jd_command jd_command_score =
    DECISION("score", "score", scored, "Filter and score of nodes for a pod");
const struct jd_command jd_command_autoscale = DECISION(
    "autoscale", "autoscale", autoscaled, "One evaluation of a TensorFusion workload's autoscaler");
const struct jd_command jd_command_cap_resolve = DECISION(
    "cap resolve", "cap.resolve", modelled, "Watts of a cap on the packages and GPUs of a host");
