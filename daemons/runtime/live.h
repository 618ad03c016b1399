/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* Whether a root is the machine that this program runs on, by whatever name. Opens nothing. */
bool jd_is_live(const char *root);
