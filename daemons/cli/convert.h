/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The two things that `joulie convert` does. */

#include "cli.h"

/* convert_migrate.c: --to v0.1.1. An enum jd_exit. */
int jd_convert_migrate(struct jd_call *call, const char *file);

/* convert_dialect.c: --to A, B or C, or --detect. An enum jd_exit. */
int jd_convert_dialect(struct jd_call *call, const char *file);
