/* SPDX-License-Identifier: Apache-2.0 */

/* The command line of joulie-capd and its help. The manual page docs/man/joulie-capd.1 says the
 * same at more length. */

#include <pwd.h>
#include <string.h>

#include "base/number.h"
#include "capd/capd.h"

#define DEFAULT_FLOOR_PCT 30
#define DEFAULT_TAKEOVER_S 10
#define DEFAULT_SILENCE_S 35
#define MS_PER_S 1000

static const char help[] =
    "Usage: joulie-capd [OPTIONS]\n"
    "\n"
    "Writes power limits and frequencies for one client, within bounds, and gives\n"
    "everything back when the client is gone. Descriptor 3 is its socket: connected\n"
    "to the client that started it, or one to listen on as systemd passes it.\n"
    "\n"
    "  --root DIR           the machine (default /)\n"
    "  --state-dir DIR      folder of the journal (default var/lib/joulie below the root)\n"
    "  --listen PATH        make the socket, instead of descriptor 3\n"
    "  --client-user USER   who may connect beside root: a name or a number\n"
    "  --floor-pct PCT      no package limit below this share of its maximum (default 30)\n"
    "  --no-ramp            lower package limits at once, not by 20 % each 5 s\n"
    "  --allow-enable       clients may switch on limits that are switched off\n"
    "  --takeover SECONDS   from a client's end until its caps are given back (default 10)\n"
    "  --silence SECONDS    without a word until a client counts as gone (default 35)\n"
    "  --help               print this\n"
    "  --version            print the version\n"
    "\n"
    "Exit status: 0 the client that started it is gone, and nothing of it is left;\n"
    "1 something could not be opened; 2 wrong usage; 4 the journal cannot be used.\n";

enum choice {
    ROOT = 1,
    STATE_DIR,
    LISTEN,
    CLIENT_USER,
    FLOOR_PCT,
    NO_RAMP,
    ALLOW_ENABLE,
    TAKEOVER,
    SILENCE
};

static const struct option rows[] = {
    { "root", required_argument, NULL, ROOT },
    { "state-dir", required_argument, NULL, STATE_DIR },
    { "listen", required_argument, NULL, LISTEN },
    { "client-user", required_argument, NULL, CLIENT_USER },
    { "floor-pct", required_argument, NULL, FLOOR_PCT },
    { "no-ramp", no_argument, NULL, NO_RAMP },
    { "allow-enable", no_argument, NULL, ALLOW_ENABLE },
    { "takeover", required_argument, NULL, TAKEOVER },
    { "silence", required_argument, NULL, SILENCE },
    JD_ROOT_ROWS,
};

static int read_percent(const char *name, const char *text, uint64_t *out)
{
    return jl_parse_u64(text, strlen(text), out) == 0 && *out <= 100
               ? JD_ROOT_GO_ON
               : jd_root_refuse(name, ": 0 to 100 was expected");
}

/* A number needs no list of users. */
static int read_user(const char *text, uint32_t *out)
{
    uint64_t number = 0;
    if (jl_parse_u64(text, strlen(text), &number) == 0 && number < UINT32_MAX) {
        *out = (uint32_t)number;
        return JD_ROOT_GO_ON;
    }
    const struct passwd *user = getpwnam(text);
    if (user == NULL)
        return jd_root_refuse("no such user: ", text);
    *out = user->pw_uid;
    return JD_ROOT_GO_ON;
}

static int take(int found, void *options)
{
    struct jd_capd_options *out = options;
    switch (found) {
    case ROOT:
        out->root = optarg;
        break;
    case STATE_DIR:
        out->state_dir = optarg;
        break;
    case LISTEN:
        out->listen = optarg;
        break;
    case CLIENT_USER:
        return read_user(optarg, &out->client_uid);
    case FLOOR_PCT:
        return read_percent("--floor-pct", optarg, &out->floor_pct);
    case NO_RAMP:
        out->ramps = false;
        break;
    case ALLOW_ENABLE:
        out->may_enable = true;
        break;
    case TAKEOVER:
        return jd_root_read_seconds("--takeover", optarg, &out->takeover_ms);
    case SILENCE:
        return jd_root_read_seconds("--silence", optarg, &out->silence_ms);
    }
    return JD_ROOT_GO_ON;
}

int jd_capd_options(int argc, char **argv, struct jd_capd_options *out)
{
    static const struct jd_root_usage usage = {
        .name = "joulie-capd",
        .help = help,
        .rows = rows,
        .take = take,
    };
    *out = (struct jd_capd_options){
        .root = "/",
        .floor_pct = DEFAULT_FLOOR_PCT,
        .ramps = true,
        .takeover_ms = DEFAULT_TAKEOVER_S * MS_PER_S,
        .silence_ms = DEFAULT_SILENCE_S * MS_PER_S,
    };
    return jd_root_options(argc, argv, &usage, out);
}
