/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The file that says what is desired. One stat per poll; it is read when it is another file or has
 * another size or time. What cannot be used leaves the last good spec in force.
 */

#include <stdbool.h>

#include <joulie/host.h>

#include "base/buffer.h"
#include "runtime/file.h"
#include "runtime/log.h"

struct jd_spec_words { /* NULL = not there */
    char *node_name;
    char *profile;
};

struct jd_spec {
    struct jd_polled_file file; /* path NULL = nothing is desired, ever */
    const char *node_name;      /* that the spec must name; NULL = any */
    struct jd_log *log;
    struct jd_spec_words words; /* of the last good spec */
    struct jl_buffer text;      /* of the last good spec */
    bool is_bad;                /* the last poll found nothing that can be used */
    struct jl_buffer problem;   /* that was logged last */
};

/* Polls it, and hands a new spec over to the host, or says to it that there is none to be read.
 * true = a new spec is in force. */
bool jd_spec_poll(struct jd_spec *spec, struct joulie_host *host);
void jd_spec_clear(struct jd_spec *spec);
