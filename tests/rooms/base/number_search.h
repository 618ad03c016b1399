/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How doubles were printed before number_shortest.c: digit by digit, with exact integers. */

#include "base/number.h"

size_t search_double(double value, char out[JL_DOUBLE_TEXT]);
