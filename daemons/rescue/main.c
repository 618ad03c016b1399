/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-rescue: options, the machine, the journal (waiting for its lock), attempts until
 * everything is back; or once what joulie-capd needs (--prepare). */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"
#include "host/boot_id.h"
#include "host/state_place.h"
#include "rescue/rescue.h"

#define LOCK_PAUSE_MS 100
#define ATTEMPT_PAUSE_MS 500
#define MS_PER_S 1000
#define NS_PER_MS 1000000

static int64_t clock_ms(clockid_t clock)
{
    struct timespec now = { 0 };
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS;
}

/* False when the end has come. */
static bool pause_before(int64_t end_ms, int64_t pause_ms)
{
    const int64_t left_ms = end_ms - clock_ms(CLOCK_MONOTONIC);
    const int64_t ms = left_ms < pause_ms ? left_ms : pause_ms;
    const struct timespec pause = { .tv_sec = ms / MS_PER_S, .tv_nsec = ms % MS_PER_S * NS_PER_MS };
    if (left_ms <= 0)
        return false;
    nanosleep(&pause, NULL);
    return true;
}

/* ---- the machine and the journal ---- */

static const char *state_name(const struct jd_rescue *rescue)
{
    return rescue->options.state_dir != NULL ? rescue->options.state_dir : JL_STATE_FOLDER;
}

static int open_state(struct jd_rescue *rescue, struct joulie_error *err)
{
    const struct jd_rescue_options *options = &rescue->options;
    rescue->state_fd = options->prepares
                           ? jl_journal_make_folder(&rescue->root, options->state_dir)
                           : jl_journal_open_folder(&rescue->root, options->state_dir);
    if (rescue->state_fd < 0)
        return jl_root_fail(err, state_name(rescue), "", -rescue->state_fd);
    return options->prepares && !options->may_vanish && jl_same(options->root, "/")
               ? jl_check_state_place(rescue->state_fd, state_name(rescue), err)
               : 0;
}

static int open_machine(struct jd_rescue *rescue)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int rc = jl_root_open(jl_os_linux(NULL), rescue->options.root, &rescue->root, &err);
    if (rc == 0) {
        rescue->boot_id = jl_root_boot_id(&rescue->root, &rescue->texts);
        rc = open_state(rescue, &err);
    }
    if (rc == 0)
        return JD_ROOT_GO_ON;
    if (rescue->state_fd == -ENOENT && !rescue->options.prepares)
        return 0; /* nobody ever capped here */
    jd_root_complain(&err);
    return JD_ROOT_REFUSED;
}

/* The process that held it may be about to end. */
static int open_journal(struct jd_rescue *rescue)
{
    const struct jl_journal_setup setup = {
        .os = rescue->root.os,
        .folder_fd = rescue->state_fd,
        .folder = state_name(rescue),
        .boot_id = rescue->boot_id,
        .is_writer = !rescue->options.is_dry,
        .machine = &rescue->root,
        .may_have_v1 = rescue->options.is_from_v1,
        .pid = jl_os_pid(),
        .uid = jl_os_uid(),
    };
    const int64_t end_ms = clock_ms(CLOCK_MONOTONIC) + rescue->options.wait_ms;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int rc = 0;
    do
        rc = jl_journal_open(&setup, &rescue->journal, &err);
    while (rc == JOULIE_E_CONFLICT && pause_before(end_ms, LOCK_PAUSE_MS));
    if (rc == 0)
        return JD_ROOT_GO_ON;
    if (rc != JOULIE_E_CONFLICT || !rescue->options.prepares) /* else joulie-capd says who has it */
        jd_root_complain(&err);
    return rc == JOULIE_E_CONFLICT ? JD_ROOT_BUSY : JD_ROOT_REFUSED;
}

/* ---- attempts ---- */

static int give_back(struct jd_rescue *rescue)
{
    const int64_t end_ms = clock_ms(CLOCK_MONOTONIC) + rescue->options.timeout_ms;
    for (;;) {
        rescue->is_last = rescue->options.is_dry || clock_ms(CLOCK_MONOTONIC) >= end_ms;
        const int64_t now_ms = clock_ms(CLOCK_REALTIME);
        const size_t left = rescue->options.is_from_v1 ? jd_rescue_from_v1(rescue, now_ms)
                                                       : jd_rescue_attempt(rescue, now_ms);
        if (left == 0)
            return 0;
        if (rescue->is_last)
            return JD_ROOT_FAILED;
        (void)pause_before(end_ms, ATTEMPT_PAUSE_MS);
    }
}

static int run(struct jd_rescue *rescue)
{
    int status = open_machine(rescue);
    if (status == JD_ROOT_GO_ON)
        status = open_journal(rescue);
    if (status != JD_ROOT_GO_ON)
        return status;
    return rescue->options.prepares ? jd_rescue_prepare(rescue) : give_back(rescue);
}

static void close_all(struct jd_rescue *rescue)
{
    jl_control_file_close(&rescue->root, &rescue->file);
    jl_journal_close(rescue->journal);
    jl_fd_close(&rescue->root.os, &rescue->state_fd);
    jl_root_close(&rescue->root);
    jl_arena_clear(&rescue->texts);
    jl_arena_clear(&rescue->memory);
    jl_arena_clear(&rescue->control);
}

int main(int argc, char **argv)
{
    struct jd_rescue rescue = {
        .root = { .fd = -1 },
        .state_fd = -1,
        .file = jl_control_file_new(JL_CONTROL_LONG),
    };
    int status = jd_rescue_options(argc, argv, &rescue.options);
    if (status != JD_ROOT_GO_ON)
        return status;
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow must not keep a cap */
    status = run(&rescue);
    close_all(&rescue);
    return status;
}
