/* SPDX-License-Identifier: Apache-2.0 */

/* The words of reasons (docs/rules/autoscaling.md#reasons). */

#include "autoscale/reason.h"

#define WORD(name, word) { JL_REASON_##name, word },

/* clang-format off */
static const struct jl_word reason_words[] = { JL_REASONS(WORD) };
/* clang-format on */
const struct jl_words jl_scale_reason_words = JL_WORDS(reason_words);
