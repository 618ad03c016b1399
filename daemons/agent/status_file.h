/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The file that says what came of the spec: replaced as a whole, so that nobody reads half. */

#include <stdbool.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "runtime/log.h"

struct jd_status_file {
    char *path;       /* with links followed; NULL = nowhere */
    bool is_standard; /* to standard output instead, a line each time */
    bool is_failed;   /* the last write failed and was logged */
    struct jd_log *log;
};

/* 0 or a code: only a regular file is replaced, never a device. A file that is not there yet is
 * fine; NULL = nowhere, "-" = standard output. */
int jd_status_file_open(struct jd_status_file *status, const char *path, struct joulie_error *err);
/* true = it is there. A failure is logged once, until a write works again. */
bool jd_status_file_write(struct jd_status_file *status, const struct jl_buffer *text);
void jd_status_file_close(struct jd_status_file *status);
