/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Near misses of the names that a person types. */

#include <stdbool.h>

/* Whether `typed` is `word` with a slip of the finger. */
bool jl_is_slip(const char *typed, const char *word);
