/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The log of a daemon: one line per event on one descriptor, each by one write, so that lines of
 * several processes do not mix. A reader that does not read costs lines, never time: what does not
 * fit into the pipe is counted and reported later.
 */

#include <stdint.h>

#include <joulie/error.h>
#include <joulie/log.h>

enum jd_log_format { JD_LOG_TEXT = 0, JD_LOG_JSON };

struct jd_log {
    int fd;
    enum joulie_log_level least;
    enum jd_log_format format;
    uint64_t lost; /* lines that could not be written */
};

extern const char *const jd_log_levels[];  /* words of the option LOG_LEVEL */
extern const char *const jd_log_formats[]; /* of LOG_FORMAT */
struct jd_log jd_log_new(int fd, const char *level, const char *format);

/* level=info component=rapl msg="…", or the same as a JSON object. */
void jd_log_line(struct jd_log *log, enum joulie_log_level level, const char *component,
                 const char *message);
void jd_log(struct jd_log *log, enum joulie_log_level level, const char *component,
            const char *format, ...) __attribute__((format(printf, 4, 5)));
/* An error line: what did not work, where, and why. */
void jd_log_error(struct jd_log *log, const char *component, const char *what,
                  const struct joulie_error *err);
/* A joulie_log_fn whose user is a struct jd_log. */
void jd_log_of_host(void *user, enum joulie_log_level level, const char *component,
                    const char *message);
