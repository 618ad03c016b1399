/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that embeds the library and writes the machine itself (joulie/host.h without a keeper):
 *
 *   crash_embedder apply|once|loop|restore ROOT STATE_DIR COUNTS [SPEC]
 *
 * apply and once put the spec in force and end, apply as a person; loop goes on once a second, with
 * the spec read anew each time, until SIGTERM, and gives back; restore gives back. The system calls
 * of the host are written to COUNTS. Exit status 1: something failed, or is not in force.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <joulie/host.h>

#define SPEC_BYTES 65536

static volatile sig_atomic_t is_ended;

static void end(int number)
{
    (void)number;
    is_ended = 1;
}

static int64_t clock_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static struct joulie_host_time now(void)
{
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    time.now_ms = clock_us(CLOCK_REALTIME) / 1000;
    time.monotonic_us = clock_us(CLOCK_MONOTONIC);
    time.boottime_us = clock_us(CLOCK_BOOTTIME);
    return time;
}

static int take_spec(struct joulie_host *host, const char *path, struct joulie_error *err)
{
    static char text[SPEC_BYTES];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    const size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    return joulie_host_put_twin(host, text, len, err);
}

static int tick(struct joulie_host *host, const char *spec, struct joulie_error *err)
{
    const struct joulie_host_time time = now();
    const int rc = take_spec(host, spec, err);
    return rc == 0 ? joulie_host_tick(host, &time, NULL, err) : rc;
}

static int judge(struct joulie_host *host, struct joulie_error *err)
{
    struct joulie_node_summary summary = JOULIE_INIT(struct joulie_node_summary);
    const int rc = joulie_host_get_summary(host, &summary, err);
    if (rc < 0)
        return rc;
    snprintf(err->message, sizeof err->message, "%.400s", summary.cpu_message);
    return summary.cpu_result == JOULIE_CONTROL_BLOCKED ||
                   summary.cpu_result == JOULIE_CONTROL_ERROR
               ? -1
               : 0;
}

static int loop(struct joulie_host *host, const char *spec, struct joulie_error *err)
{
    const struct itimerspec each = { .it_interval = { .tv_sec = 1 }, .it_value = { .tv_sec = 1 } };
    struct sigaction on_end;
    memset(&on_end, 0, sizeof on_end);
    on_end.sa_handler = end;
    sigaction(SIGTERM, &on_end, NULL);
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    int rc = timer < 0 || timerfd_settime(timer, 0, &each, NULL) < 0 ? -1 : 0;
    while (rc == 0 && !is_ended) {
        uint64_t count;
        rc = tick(host, spec, err);
        if (!is_ended && read(timer, &count, sizeof count) < 0 && !is_ended)
            rc = -1;
    }
    close(timer);
    return rc == 0 ? joulie_host_restore(host, now().now_ms, NULL, err) : rc;
}

static bool put_counts(struct joulie_host *host, const char *path)
{
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    if (joulie_host_get_counts(host, &counts, NULL) < 0)
        return false;
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    fprintf(file, "calls=%llu writes=%llu syncs=%llu\n", (unsigned long long)counts.calls,
            (unsigned long long)counts.writes, (unsigned long long)counts.syncs);
    return fclose(file) == 0;
}

static int use(struct joulie_host *host, char **words, struct joulie_error *err)
{
    const int rc = joulie_host_claim(host, now().now_ms, err);
    if (rc < 0)
        return rc;
    if (strcmp(words[1], "restore") == 0)
        return joulie_host_restore(host, now().now_ms, NULL, err);
    if (strcmp(words[1], "loop") == 0)
        return loop(host, words[5], err);
    return tick(host, words[5], err) < 0 ? -1 : judge(host, err);
}

int main(int argc, char **argv)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    if (argc < 5 || (argc < 6 && strcmp(argv[1], "restore") != 0))
        return 2;
    options.root = argv[2];
    options.state_dir = argv[3];
    options.owner = strcmp(argv[1], "apply") == 0 ? "local:cap" : NULL;
    options.enforces = 1;
    options.has_backed_twin = 1;
    options.is_one_shot = strcmp(argv[1], "loop") != 0;
    signal(SIGPIPE, SIG_IGN);
    int rc = joulie_host_open(&options, &host, &err);
    if (rc == 0)
        rc = use(host, argv, &err);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    if (host != NULL && !put_counts(host, argv[4]))
        rc = -1;
    joulie_host_free(host);
    return rc < 0 ? 1 : 0;
}
