/* SPDX-License-Identifier: Apache-2.0 */

/* The program's name, and words that options of several commands take. */

#include "cli.h"

const char *jd_program = "joulie"; /* "kubectl joulie" as a plugin */

const char *const jd_output_words[] = { "json", "pretty", "yaml", NULL };
const char *const jd_table_output_words[] = { "json", "pretty", "yaml", "table", NULL };
const char *const jd_model_words[] = { "current", "v0.1.1", "v0.1.0", NULL };
const char *const jd_physics_words[] = { "current", "v0.1.1", NULL };
const char *const jd_score_range_words[] = { "10", "100", NULL };
