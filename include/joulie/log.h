/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_LOG_H
#define JOULIE_LOG_H
#pragma once

/**
 * @file
 * What the library reports while it works: lines for a log, handed to a function of the program.
 * The library itself prints nothing and keeps no log.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** How much a message matters. */
enum joulie_log_level {
    JOULIE_LOG_LEVEL_UNKNOWN = 0,
    JOULIE_LOG_LEVEL_DEBUG = 1,
    JOULIE_LOG_LEVEL_INFO = 2, /**< a cap came, went, was taken over or given back */
    JOULIE_LOG_LEVEL_WARN = 3,
    JOULIE_LOG_LEVEL_ERROR = 4
};

/**
 * Takes one finished line.
 *
 * @param user       as it was given beside the function
 * @param component  the part that reports: "host", "journal", "rapl" or "dvfs"; a constant
 * @param message    borrowed for the call, without a line break at its end
 */
typedef void joulie_log_fn(void *user, enum joulie_log_level level, const char *component,
                           const char *message);

#ifdef __cplusplus
}
#endif

#endif
