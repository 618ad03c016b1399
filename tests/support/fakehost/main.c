/* SPDX-License-Identifier: Apache-2.0 */
/* joulie-fakehost: a host that is not one, as a folder for other programs. */

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "faces.h"

enum { EXIT_USAGE = 2 };

static const char help[] =
    "Usage: joulie-fakehost [OPTIONS] TREE FOLDER\n"
    "\n"
    "Serves a tree of a host (tests/support/fixtures/hosts.py) in FOLDER as a kernel would: energy "
    "counters\n"
    "advance, power limits are floored and take effect, frequencies are clamped. Prints \"ready "
    "FOLDER\"\n"
    "when it can be used and ends on SIGTERM or SIGINT.\n"
    "\n"
    "      --fuse            mount it; the default where /dev/fuse can be used\n"
    "      --plain           ordinary files, looked at every 20 ms: nothing can be refused or "
    "vanish\n"
    "      --time-scale X    seconds of the host per second (1)\n"
    "      --delay-ms N      until a new power limit is in force (200)\n"
    "      --lag-ms N        time constant of the power (100)\n"
    "      --demand-w LIST   watts that each package wants, one for all or one each\n"
    "      --fault LINE      a line for FOLDER/fake/fault; may be repeated; not with --plain\n"
    "  -h, --help            this text\n"
    "\n"
    "FOLDER/fake/ has demand_w, idle_w, tdp_w, delay_ms, lag_ms (write), power_w, limit_w, writes "
    "(read),\n"
    "time_s (write +SECONDS to jump ahead) and fault, one line each:\n"
    "  open|read|write|stat|list|sync|truncate|rename|unlink|mkdir|lock PATTERN ERRNO [COUNT]\n"
    "  ignore PATTERN [COUNT]      a write returns success and changes nothing\n"
    "  short PATTERN BYTES [COUNT] a write to an ordinary file takes only so many bytes\n"
    "  readonly PATTERN            whatever would change something: EROFS\n"
    "  round PATTERN UNIT_UW       another power unit\n"
    "  drift PATTERN VALUE READS   another program writes VALUE after so many reads\n"
    "  space BYTES | space all     ordinary files may grow by so much in all\n"
    "  vanish ZONE                 sys/devices/virtual/powercap/intel-rapl/intel-rapl:1 goes\n"
    "  return ZONE NAME [enabled]  and comes back as NAME\n"
    "  clear\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 it could not serve, 2 wrong usage.\n";

struct options {
    bool is_fuse;
    bool is_plain;
    double time_scale;
    const char *tree;
    const char *folder;
};

int64_t fk_clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void fk_catch_up(struct fk_serve *serve)
{
    const int64_t now_us = fk_clock_us();
    fk_advance_us(serve->fk, (int64_t)((double)(now_us - serve->start_us) * serve->time_scale));
    serve->start_us = now_us;
}

void fk_say_ready(const struct fk_serve *serve, const char *how)
{
    fprintf(stderr, "joulie-fakehost: %s with %s\n", serve->folder, how);
    printf("ready %s\n", serve->folder);
    fflush(stdout);
}

static int wrong(const char *what)
{
    fprintf(stderr, "joulie-fakehost: %s; see --help\n", what);
    return EXIT_USAGE;
}

static int fail(const char *what)
{
    fprintf(stderr, "joulie-fakehost: %s\n", what);
    return EXIT_FAILURE;
}

/* ---- options ---- */

enum { FUSE = 1, PLAIN, TIME_SCALE, DELAY, LAG, DEMAND, FAULT };

static const struct option names[] = {
    { "fuse", no_argument, NULL, FUSE },
    { "plain", no_argument, NULL, PLAIN },
    { "time-scale", required_argument, NULL, TIME_SCALE },
    { "delay-ms", required_argument, NULL, DELAY },
    { "lag-ms", required_argument, NULL, LAG },
    { "demand-w", required_argument, NULL, DEMAND },
    { "fault", required_argument, NULL, FAULT },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static int parse(int count, char **arguments, struct options *out)
{
    *out = (struct options){ .time_scale = 1 };
    for (int c; (c = getopt_long(count, arguments, "h", names, NULL)) != -1;) {
        out->is_fuse |= c == FUSE;
        out->is_plain |= c == PLAIN;
        if (c == 'h') {
            fputs(help, stdout);
            exit(EXIT_SUCCESS);
        }
        if (c == '?')
            return EXIT_USAGE;
        if (c == TIME_SCALE && (jl_parse_double(optarg, strlen(optarg), &out->time_scale) != 0 ||
                                out->time_scale <= 0 || out->time_scale > 1e6))
            return wrong("--time-scale is a number above 0, at most 1000000");
    }
    if (count - optind != 2)
        return wrong("there must be a TREE and a FOLDER");
    if (out->is_fuse && out->is_plain)
        return wrong("--fuse and --plain exclude each other");
    out->tree = arguments[optind];
    out->folder = arguments[optind + 1];
    return 0;
}

/* The options that are control files too, once the tree is there. */
static int apply(int count, char **arguments, const struct options *options, struct fk *fk)
{
    static const char *const files[] = {
        [DELAY] = "fake/delay_ms",
        [LAG] = "fake/lag_ms",
        [DEMAND] = "fake/demand_w",
    };
    optind = 1;
    for (int c; (c = getopt_long(count, arguments, "h", names, NULL)) != -1;) {
        if (c == FAULT && options->is_plain)
            return wrong("faults are not available with --plain");
        if (c == FAULT && fk_fault(fk, optarg) < 0)
            return wrong(fk_message(fk));
        if ((c == DELAY || c == LAG || c == DEMAND) && fk_write_text(fk, files[c], optarg) < 0) {
            fprintf(stderr, "joulie-fakehost: %s does not take \"%s\"\n", files[c], optarg);
            return EXIT_USAGE;
        }
    }
    return 0;
}

/* ---- the folder ---- */

/* A mount whose program was killed is still there and answers nothing; root may take it away. */
static DIR *open_left_over(const char *folder)
{
    DIR *found = opendir(folder);
    if (!found && errno == ENOTCONN && umount2(folder, MNT_DETACH) == 0)
        found = opendir(folder);
    return found;
}

static int check_folder(const char *folder)
{
    if (mkdir(folder, 0755) == 0)
        return 0;
    char text[512];
    DIR *found = errno == EEXIST ? open_left_over(folder) : NULL;
    if (!found) {
        const char *hint = errno == EPERM ? " (left over; fusermount3 -u unmounts it)" : "";
        snprintf(text, sizeof text, "%s: %s%s", folder, strerror(errno), hint);
        return fail(text);
    }
    size_t count = 0;
    while (readdir(found))
        count++;
    closedir(found);
    if (count <= 2)
        return 0;
    snprintf(text, sizeof text, "%s: the folder is not empty", folder);
    return fail(text);
}

static int serve(const struct options *options, struct fk *fk)
{
    struct fk_serve serve = { .fk = fk,
                              .folder = options->folder,
                              .time_scale = options->time_scale,
                              .start_us = fk_clock_us() };
    if (!options->is_plain) {
#ifdef FK_HAVE_FUSE
        if (fk_serve_fuse(&serve) == 0)
            return EXIT_SUCCESS;
#else
        snprintf(serve.why, sizeof serve.why, "this program was built without libfuse3");
#endif
        if (options->is_fuse)
            return fail(serve.why);
        fprintf(stderr, "joulie-fakehost: %s; plain files then, without faults\n", serve.why);
    }
    return fk_serve_plain(&serve) == 0 ? EXIT_SUCCESS : fail(serve.why);
}

int main(int count, char **arguments)
{
    struct options options;
    char why[512];
    int rc = parse(count, arguments, &options);
    if (rc != 0)
        return rc;
    struct fk *fk = fk_load(options.tree, why, sizeof why);
    if (!fk)
        return fail(why);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    fk_set_epoch(fk, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    rc = apply(count, arguments, &options, fk);
    if (rc == 0)
        rc = check_folder(options.folder);
    if (rc == 0)
        rc = serve(&options, fk);
    fk_free(fk);
    return rc;
}
