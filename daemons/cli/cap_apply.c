/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* group_member */

/* A cap put in force once and left there: the journal stays open, and joulie cap restore gives it
 * back. */

#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <joulie/words.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "host.h"
#include "runtime/clock.h"
#include "runtime/json.h"
#include "runtime/keeper.h"
#include "runtime/live.h"
#include "runtime/state_folder.h"

#define MODE_BITS 07777
#define TICK_MS INT64_C(1000)
/* A ramp takes at most 5 steps of 5 s; what did not settle by now is reported as it is. */
#define LONGEST_US (INT64_C(90) * 1000000)

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* Without SA_RESTART, so that the pause between two ticks ends. */
static void catch_signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    for (size_t i = 0; i < JL_COUNT(numbers); i++)
        sigaction(numbers[i], &action, NULL);
}

static void draw(struct joulie_host *host, int64_t spent_us)
{
    struct joulie_node_summary summary = JOULIE_INIT(struct joulie_node_summary);
    char line[160];
    if (joulie_host_get_summary(host, &summary, NULL) < 0)
        return;
    snprintf(line, sizeof line, "%lld s  %s  %.120s", (long long)(spent_us / 1000000),
             joulie_word(JOULIE_VOCABULARY_CONTROL_RESULT, (int)summary.cpu_result),
             summary.cpu_message);
    line[jl_utf8_keep(line, strlen(line))] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
}

/* Ticks once a second until nothing is on its way any more. */
static int settle(struct joulie_host *host, bool waits, struct joulie_host_tick_result *tick,
                  struct joulie_error *err)
{
    const bool is_watched = waits && isatty(STDERR_FILENO);
    struct joulie_host_time time = jd_clock_now();
    const int64_t start_us = time.monotonic_us;
    int rc = joulie_host_tick(host, &time, tick, err);
    while (rc == 0 && waits && !tick->is_settled && !is_interrupted &&
           time.monotonic_us - start_us < LONGEST_US) {
        if (is_watched)
            draw(host, time.monotonic_us - start_us);
        jd_pause_ms(TICK_MS);
        time = jd_clock_now();
        if (!is_interrupted)
            rc = joulie_host_tick(host, &time, tick, err);
    }
    if (is_watched)
        fprintf(stderr, "\r\033[K");
    return rc;
}

static int put_outcome(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    const int rc = joulie_host_outcome(host, &json, err);
    if (rc < 0)
        return jd_put_error(call, err);
    jd_put_answer(call, json);
    return jd_judge_caps(host);
}

/* Without a capability root, too, writes only what its user may. */
static bool may_write(const struct stat *file)
{
    const mode_t bit = file->st_uid == geteuid()    ? S_IWUSR
                       : group_member(file->st_gid) ? S_IWGRP
                                                    : S_IWOTH;
    return (file->st_mode & bit) != 0;
}

static int fail_owner(const struct joulie_host_write *write, const struct stat *file, bool is_live,
                      struct joulie_error *err)
{
    const struct passwd *owner = getpwuid(file->st_uid);
    return jl_fail(err, JOULIE_E_IO, write->file,
                   "belongs to user %u (%s, mode %04o), and joulie-capd would write it as user %u "
                   "without a capability: run this as the owner%s",
                   file->st_uid, owner ? owner->pw_name : "no name", file->st_mode & MODE_BITS,
                   geteuid(), is_live ? "" : ", or give the folder to this user (chown -R)");
}

/* Before a joulie-capd is started, which would find that out after it made its journal. What cannot
 * be planned is for the tick to tell. */
static int check_files(const struct jd_call *call, struct joulie_host *host,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    struct joulie_host_write write = JOULIE_INIT(struct joulie_host_write);
    int rc = 0;
    if (jd_keeper_socket(jd_root(call), call->values.state_dir) ||
        joulie_host_plan(host, jd_now_ms(), &json, NULL) < 0)
        return 0;
    for (size_t i = 0; rc == 0 && joulie_host_write_at(host, i, &write, NULL) == 0; i++) {
        char path[PATH_MAX];
        struct stat file;
        snprintf(path, sizeof path, "%s/%s", jd_root(call), write.file);
        if (stat(path, &file) == 0 && !may_write(&file))
            rc = fail_owner(&write, &file, jd_is_live(jd_root(call)), err);
    }
    return rc;
}

static int apply(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    struct joulie_host_tick_result tick = JOULIE_INIT(struct joulie_host_tick_result);
    const bool waits = jd_is_live(jd_root(call));
    if (waits)
        catch_signals();
    int rc = jd_take_spec(call, host, err);
    if (rc == 0)
        rc = check_files(call, host, err);
    if (rc == 0)
        rc = jd_claim(call, host, err);
    if (rc == 0)
        rc = settle(host, waits, &tick, err);
    if (rc < 0)
        return jd_put_error(call, err);
    if (tick.is_disabled)
        return jd_fail_disabled(call, err);
    if (is_interrupted) {
        fprintf(stderr, "%s: interrupted: everything is given back\n", jd_program);
        return jd_worse(JD_EXIT_BAD, jd_restore(call, host, err));
    }
    return put_outcome(call, host, err);
}

static int run(struct jd_call *call)
{
    if (!call->values.spec)
        return jd_usage("\"cap apply\" needs --spec FILE");
    if (!jd_may_write(call))
        return JD_EXIT_USAGE;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_options host_options = jd_host_options(call);
    if (jd_is_live(jd_root(call)) && !call->values.state_dir_may_vanish &&
        !jd_keeper_socket(jd_root(call), call->values.state_dir) &&
        jd_check_state_folder(jd_root(call), call->values.state_dir, &err) < 0)
        return jd_put_error(call, &err);
    host_options.owner = "local:cap";
    host_options.gives_back_maximum = call->values.give_back_maximum;
    host_options.ramps = jd_ramps(call);
    return jd_on_kept_host(call, host_options, apply);
}

static const struct jd_setting options[] = {
    JD_SPEC_ROW,
    JD_ROOT_ROW,
    JD_STATE_DIR_ROW,
    JD_BOOLEAN_ROW("STATE_DIR_MAY_VANISH", state_dir_may_vanish,
                   "also where that folder goes with a container"),
    JD_CAPD_PROGRAM_ROW,
    JD_YES_ROW,
    JD_BOOLEAN_ROW("NO_RAMP", no_ramp,
                   "lower limits at once, not by 20 % of the maximum every 5 s"),
    JD_BOOLEAN_ROW("GIVE_BACK_MAXIMUM", give_back_maximum,
                   "give back the maximum of its zone instead of a package limit that is found "
                   "below it"),
    JD_VERBOSE_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_cap_apply = {
    .name = "cap apply",
    .summary = "Puts a cap in force on a machine, and leaves it there",
    .text = "Before the first write to a control its value goes to the journal, from which joulie "
            "cap restore gives it\n"
            "back; every write is read back. Prints what came of it; exit status 1 when something "
            "is blocked or failed.\n"
            "On the live machine limits come down in steps; interrupted meanwhile it gives "
            "everything back.",
    JD_ROWS(options),
    .run = run,
};
