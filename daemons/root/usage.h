/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What joulie-capd and joulie-rescue share: their command line, exit statuses, and words on
 * standard error. */

#include <getopt.h>
#include <stdint.h>

#include <joulie/error.h>

/* Exit statuses; 0 = nothing is left to do. */
enum {
    JD_ROOT_FAILED = 1,   /* something could not be opened, given up or given back */
    JD_ROOT_USAGE = 2,    /* wrong usage */
    JD_ROOT_BUSY = 3,     /* another process holds the lock */
    JD_ROOT_REFUSED = 4,  /* the journal cannot be used: nothing was written */
    JD_ROOT_GO_ON = 1000, /* none yet */
};

/* Rows that both have, beside those of a program, which are from 1. */
enum { JD_ROOT_HELP = 1000, JD_ROOT_VERSION };

#define JD_ROOT_ROWS                                       \
    { "help", no_argument, NULL, JD_ROOT_HELP },           \
        { "version", no_argument, NULL, JD_ROOT_VERSION }, \
    {                                                      \
        NULL, 0, NULL, 0                                   \
    }

struct jd_root_usage {
    const char *name;
    const char *help;
    const struct option *rows;
    /* One that was found; its value is in optarg. JD_ROOT_GO_ON or an exit status. */
    int (*take)(int found, void *out);
};

/* JD_ROOT_GO_ON, or the exit status when there is nothing more to do. Names the program in what is
 * said from here on. */
int jd_root_options(int argc, char **argv, const struct jd_root_usage *usage, void *out);
int jd_root_read_seconds(const char *name, const char *text, int64_t *out_ms);
/* The two texts and a hint: JD_ROOT_USAGE. */
int jd_root_refuse(const char *what, const char *text);

void jd_root_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void jd_root_complain(const struct joulie_error *err);
