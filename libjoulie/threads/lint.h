/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reading a profile for all that is wrong with it. Rules: docs/rules/threads.md#findings. */

#include "threads/findings.h"

/*
 * Reads the profile that decode->text is and finds what is wrong with it; profile is what could be
 * read of it. 0, or a code with decode->err when the text is no JSON object or memory ran out.
 */
int jl_lint_profile(struct jl_decode *decode, struct jl_thread_profile *profile,
                    struct jl_findings *findings);
