/* SPDX-License-Identifier: Apache-2.0 */

#include "root/usage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <joulie/version.h>

#include "base/number.h"

#define MOST_S 86400
#define MS_PER_S 1000

static const char *program = "";

void jd_root_say(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: %s\n", program, line);
}

void jd_root_complain(const struct joulie_error *err)
{
    jd_root_say("%s%s%s", err->where, err->where[0] != '\0' ? ": " : "", err->message);
}

int jd_root_refuse(const char *what, const char *text)
{
    jd_root_say("%s%s; --help has the options", what, text);
    return JD_ROOT_USAGE;
}

int jd_root_read_seconds(const char *name, const char *text, int64_t *out_ms)
{
    uint64_t seconds = 0;
    if (jl_parse_u64(text, strlen(text), &seconds) < 0 || seconds > MOST_S)
        return jd_root_refuse(name, ": 0 to 86400 seconds were expected");
    *out_ms = (int64_t)seconds * MS_PER_S;
    return JD_ROOT_GO_ON;
}

/* A last word that could not be written is a failure too. */
static int end(int written)
{
    return written >= 0 && fflush(stdout) == 0 ? 0 : JD_ROOT_FAILED;
}

static int take(const struct jd_root_usage *usage, int found, void *out)
{
    switch (found) {
    case '?':
        return jd_root_refuse("wrong usage", ""); /* getopt has said what */
    case JD_ROOT_HELP:
        return end(fputs(usage->help, stdout));
    case JD_ROOT_VERSION:
        return end(printf("%s %s\n", program, joulie_version()));
    default:
        return usage->take(found, out);
    }
}

int jd_root_options(int argc, char **argv, const struct jd_root_usage *usage, void *out)
{
    int status = JD_ROOT_GO_ON;
    program = usage->name;
    for (int found = 0; found != -1 && status == JD_ROOT_GO_ON;) {
        found = getopt_long(argc, argv, "", usage->rows, NULL);
        if (found != -1)
            status = take(usage, found, out);
    }
    return status == JD_ROOT_GO_ON && optind < argc ? jd_root_refuse("no such word: ", argv[optind])
                                                    : status;
}
