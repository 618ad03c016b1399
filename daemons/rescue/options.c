/* SPDX-License-Identifier: Apache-2.0 */

/* The command line of joulie-rescue and its help. The manual page docs/man/joulie-rescue.1 says the
 * same at more length. */

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <joulie/version.h>

#include "base/number.h"
#include "rescue/rescue.h"

#define DEFAULT_WAIT_S 10
#define DEFAULT_TIMEOUT_S 60
#define MOST_S 86400
#define MS_PER_S 1000

static const char help[] =
    "Usage: joulie-rescue [OPTIONS]\n"
    "\n"
    "Gives back the power limits and frequencies that the journal of a machine holds,\n"
    "and says KEY VALUE RESULT for each. For when the agent is gone.\n"
    "\n"
    "  --root DIR         the machine (default /)\n"
    "  --state-dir DIR    folder of the journal (default var/lib/joulie below the root)\n"
    "  --owner NAME       only what NAME holds: api, the agent; local:cap, the command\n"
    "  --wait SECONDS     how long another process may hold the journal (default 10)\n"
    "  --timeout SECONDS  how long to try (default 60)\n"
    "  --from-v1          give back what version 0.2 left, and remove its journal\n"
    "  --dry-run          only say what would be given back\n"
    "  --help             print this\n"
    "  --version          print the version\n"
    "\n"
    "Exit status: 0 everything is back; 1 something is not, and stays in the journal;\n"
    "2 wrong usage; 3 another process holds the journal; 4 the journal cannot be used\n"
    "(a newer version, another owner, version 0.2, unreadable): nothing was written.\n";

enum choice { ROOT = 1, STATE_DIR, OWNER, WAIT, TIMEOUT, FROM_V1, DRY_RUN, HELP, VERSION };

static const struct option rows[] = {
    { "root", required_argument, NULL, ROOT },
    { "state-dir", required_argument, NULL, STATE_DIR },
    { "owner", required_argument, NULL, OWNER },
    { "wait", required_argument, NULL, WAIT },
    { "timeout", required_argument, NULL, TIMEOUT },
    { "from-v1", no_argument, NULL, FROM_V1 },
    { "dry-run", no_argument, NULL, DRY_RUN },
    { "help", no_argument, NULL, HELP },
    { "version", no_argument, NULL, VERSION },
    { NULL, 0, NULL, 0 },
};

static int refuse(const char *what, const char *text)
{
    fprintf(stderr, "joulie-rescue: %s%s; --help has the options\n", what, text);
    return JD_RESCUE_USAGE;
}

static int read_seconds(const char *name, const char *text, int64_t *out_ms)
{
    uint64_t seconds = 0;
    if (jl_parse_u64(text, strlen(text), &seconds) < 0 || seconds > MOST_S)
        return refuse(name, ": 0 to 86400 seconds were expected");
    *out_ms = (int64_t)seconds * MS_PER_S;
    return JD_RESCUE_GO_ON;
}

/* A last word that could not be written is a failure too. */
static int print(const char *text)
{
    return fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? 0 : JD_RESCUE_LEFT;
}

static int take(int found, struct jd_rescue_options *out)
{
    switch (found) {
    case ROOT:
        out->root = optarg;
        break;
    case STATE_DIR:
        out->state_dir = optarg;
        break;
    case OWNER:
        out->owner = optarg;
        break;
    case WAIT:
        return read_seconds("--wait", optarg, &out->wait_ms);
    case TIMEOUT:
        return read_seconds("--timeout", optarg, &out->timeout_ms);
    case FROM_V1:
        out->is_from_v1 = true;
        break;
    case DRY_RUN:
        out->is_dry = true;
        break;
    case HELP:
        return print(help);
    case VERSION: {
        char line[64];
        snprintf(line, sizeof line, "joulie-rescue %s\n", joulie_version());
        return print(line);
    }
    default:
        return refuse("wrong usage", ""); /* getopt has said what */
    }
    return JD_RESCUE_GO_ON;
}

int jd_rescue_options(int argc, char **argv, struct jd_rescue_options *out)
{
    int status = JD_RESCUE_GO_ON;
    *out = (struct jd_rescue_options){
        .root = "/",
        .wait_ms = DEFAULT_WAIT_S * MS_PER_S,
        .timeout_ms = DEFAULT_TIMEOUT_S * MS_PER_S,
    };
    for (int found = 0; found != -1 && status == JD_RESCUE_GO_ON;) {
        found = getopt_long(argc, argv, "", rows, NULL);
        if (found != -1)
            status = take(found, out);
    }
    if (status == JD_RESCUE_GO_ON && optind < argc)
        return refuse("no such word: ", argv[optind]);
    return status;
}
