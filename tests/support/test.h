/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What every test includes instead of cmocka.h, which must come after four other headers. */

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/* clang-format on */

/* cmocka 1.1.5 narrows to float; this one compares doubles. */
#define assert_near(actual, expected, tolerance)                                                \
    do {                                                                                        \
        const double near_actual_ = (actual);                                                   \
        const double near_expected_ = (expected);                                               \
        const double near_gap_ = near_actual_ > near_expected_ ? near_actual_ - near_expected_  \
                                                               : near_expected_ - near_actual_; \
        if (!(near_gap_ <= (tolerance)))                                                        \
            fail_msg("%s is %.17g, expected %.17g", #actual, near_actual_, near_expected_);     \
    } while (0)
