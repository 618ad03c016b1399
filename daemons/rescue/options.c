/* SPDX-License-Identifier: Apache-2.0 */

/* The command line of joulie-rescue and its help. The manual page docs/man/joulie-rescue.1 says the
 * same at more length. */

#include "rescue/rescue.h"

#define DEFAULT_WAIT_S 10
#define DEFAULT_TIMEOUT_S 60
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
    "  --prepare          only judge what other boots left, and make the folder and\n"
    "                     the journal of this boot, without which joulie-capd writes\n"
    "                     nothing\n"
    "  --state-dir-may-vanish  prepare on the live machine also a folder that goes\n"
    "                     with a container\n"
    "  --dry-run          only say what would be given back\n"
    "  --help             print this\n"
    "  --version          print the version\n"
    "\n"
    "Exit status: 0 everything is back; 1 something is not, and stays in the journal;\n"
    "2 wrong usage; 3 another process holds the journal; 4 the journal cannot be used\n"
    "(a newer version, another owner, version 0.2, unreadable): nothing was written.\n";

enum choice { ROOT = 1, STATE_DIR, OWNER, WAIT, TIMEOUT, FROM_V1, PREPARE, MAY_VANISH, DRY_RUN };

static const struct option rows[] = {
    { "root", required_argument, NULL, ROOT },
    { "state-dir", required_argument, NULL, STATE_DIR },
    { "owner", required_argument, NULL, OWNER },
    { "wait", required_argument, NULL, WAIT },
    { "timeout", required_argument, NULL, TIMEOUT },
    { "from-v1", no_argument, NULL, FROM_V1 },
    { "prepare", no_argument, NULL, PREPARE },
    { "state-dir-may-vanish", no_argument, NULL, MAY_VANISH },
    { "dry-run", no_argument, NULL, DRY_RUN },
    JD_ROOT_ROWS,
};

static int take(int found, void *options)
{
    struct jd_rescue_options *out = options;
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
        return jd_root_read_seconds("--wait", optarg, &out->wait_ms);
    case TIMEOUT:
        return jd_root_read_seconds("--timeout", optarg, &out->timeout_ms);
    case FROM_V1:
        out->is_from_v1 = true;
        break;
    case PREPARE:
        out->prepares = true;
        break;
    case MAY_VANISH:
        out->may_vanish = true;
        break;
    case DRY_RUN:
        out->is_dry = true;
        break;
    }
    return JD_ROOT_GO_ON;
}

int jd_rescue_options(int argc, char **argv, struct jd_rescue_options *out)
{
    static const struct jd_root_usage usage = {
        .name = "joulie-rescue",
        .help = help,
        .rows = rows,
        .take = take,
    };
    *out = (struct jd_rescue_options){
        .root = "/",
        .wait_ms = DEFAULT_WAIT_S * MS_PER_S,
        .timeout_ms = DEFAULT_TIMEOUT_S * MS_PER_S,
    };
    const int status = jd_root_options(argc, argv, &usage, out);
    return status == JD_ROOT_GO_ON && out->prepares && (out->is_from_v1 || out->is_dry)
               ? jd_root_refuse("--prepare", " is done alone")
               : status;
}
