/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* PR_SET_CHILD_SUBREAPER */

/* Runs of other programs: what they are given, how they end, and what is left of them: nothing
 * (docs/rules/programs.md#commands). */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/child.h"
#include "runtime/machine_clock.h"
#include "support/test.h"

#define LONG_MS 60000
#define OF_LIBC 0x180000000ULL /* signals 32 and 33, which programs do not see */

struct story {
    struct jd_loop loop;
    struct jd_child child;
    struct jd_child_options options;
    struct jd_child_result result;
    char output[JD_CHILD_OUTPUT_BYTES + 1];
    int ends;
    int runs; /* that are still to be started */
    struct jd_timer timer;
};

static const char *const no_environment[] = { NULL };

static void on_done(void *user, const struct jd_child_result *result)
{
    struct story *story = user;
    story->ends++;
    story->result = *result;
    memcpy(story->output, result->output, result->len);
    story->output[result->len] = '\0';
    assert_false(jd_child_runs(&story->child));
    if (story->runs-- > 0)
        assert_int_equal(jd_child_start(&story->child, &story->loop, &story->options, NULL), 0);
    else
        jd_loop_stop(&story->loop);
}

static void open_story(struct story *story, const char *const *arguments)
{
    memset(story, 0, sizeof *story);
    story->options = (struct jd_child_options){
        .path = arguments[0],
        .arguments = arguments,
        .environment = no_environment,
        .timeout_ms = LONG_MS,
        .grace_ms = LONG_MS,
        .on_done = on_done,
        .user = story,
    };
    assert_int_equal(jd_loop_open(&story->loop, 0, NULL, 0, NULL), 0);
}

static void run(struct story *story)
{
    assert_int_equal(jd_child_start(&story->child, &story->loop, &story->options, NULL), 0);
    assert_true(jd_child_runs(&story->child));
    assert_int_equal(jd_loop_run(&story->loop, NULL), 0);
    jd_loop_close(&story->loop);
}

static void run_text(struct story *story, const char *script)
{
    const char *const arguments[] = { "/bin/sh", "-c", script, NULL };
    open_story(story, arguments);
    run(story);
}

static void assert_end(const struct story *story, enum jd_child_end end, int number)
{
    assert_int_equal(story->result.end, end);
    assert_int_equal(story->result.number, number);
    assert_int_equal(story->ends, 1);
}

/* ---- what a program is given ---- */

static void status_and_both_outputs_are_reported(void **state)
{
    struct story story;
    (void)state;
    run_text(&story, "echo out; echo err >&2; exit 3");
    assert_end(&story, JD_CHILD_EXITED, 3);
    assert_string_equal(story.output, "out\nerr\n");
    assert_int_equal(story.result.dropped, 0);
}

static void arguments_are_not_read_by_a_shell(void **state)
{
    const char *const arguments[] = { "/usr/bin/printf", "%s|", "a  b; $HOME", "*", "", NULL };
    struct story story;
    (void)state;
    open_story(&story, arguments);
    run(&story);
    assert_end(&story, JD_CHILD_EXITED, 0);
    assert_string_equal(story.output, "a  b; $HOME|*||");
}

static void the_environment_is_the_one_that_was_given(void **state)
{
    static const char *const environment[] = { "A=1", "B=two words", NULL };
    const char *const arguments[] = { "/usr/bin/env", NULL };
    struct story story;
    (void)state;
    open_story(&story, arguments);
    story.options.environment = environment;
    run(&story);
    assert_string_equal(story.output, "A=1\nB=two words\n");
}

/* The one above 2 is that of the folder which ls reads. */
static void no_descriptor_is_inherited(void **state)
{
    const char *const arguments[] = { "/bin/ls", "/proc/self/fd", NULL };
    struct story story;
    (void)state;
    const int kept = open("/dev/null", O_RDONLY);
    open_story(&story, arguments);
    run(&story);
    assert_string_equal(story.output, "0\n1\n2\n3\n");
    run_text(&story, "readlink /proc/self/fd/0");
    assert_string_equal(story.output, "/dev/null\n");
    close(kept);
}

static void no_signal_is_blocked_or_ignored(void **state)
{
    const char *const arguments[] = { "/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status",
                                      NULL };
    static const int held[] = { SIGTERM };
    struct story story;
    (void)state;
    jd_signals_hold(held, 1);
    signal(SIGPIPE, SIG_IGN);
    open_story(&story, arguments);
    run(&story);
    unsigned long long blocked = 1;
    unsigned long long ignored = 1;
    assert_int_equal(sscanf(story.output, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & ~OF_LIBC, 0);
    signal(SIGPIPE, SIG_DFL);
}

static void it_leads_a_group_of_its_own(void **state)
{
    struct story story;
    (void)state;
    run_text(&story, "read -r pid name state parent group rest </proc/self/stat;"
                     "test $pid = $group && echo leads");
    assert_string_equal(story.output, "leads\n");
}

/* ---- how it ends ---- */

static void a_signal_that_ends_it_is_named(void **state)
{
    struct story story;
    (void)state;
    run_text(&story, "kill -HUP $$");
    assert_end(&story, JD_CHILD_SIGNALLED, SIGHUP);
}

static void its_end_is_heard_of_where_such_ends_were_ignored(void **state)
{
    struct story story;
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    run_text(&story, "exit 4");
    assert_end(&story, JD_CHILD_EXITED, 4);
}

static void run_late(struct story *story, const char *script, int64_t grace_ms)
{
    const char *const arguments[] = { "/bin/sh", "-c", script, NULL };
    open_story(story, arguments);
    story->options.timeout_ms = 200;
    story->options.grace_ms = grace_ms;
    run(story);
}

static void one_that_takes_too_long_is_asked_to_end(void **state)
{
    struct story story;
    (void)state;
    run_late(&story, "exec sleep 60", LONG_MS);
    assert_end(&story, JD_CHILD_TIMED_OUT, SIGTERM);
    run_late(&story, "trap 'echo bye; exit 0' TERM; sleep 60 & wait", LONG_MS);
    assert_end(&story, JD_CHILD_TIMED_OUT, 0);
    assert_string_equal(story.output, "bye\n");
}

static void one_that_does_not_end_is_killed_with_its_group(void **state)
{
    struct story story;
    int status = 0;
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    run_late(&story, "trap '' TERM; sleep 60 & echo $!; wait; sleep 60", 100);
    assert_end(&story, JD_CHILD_TIMED_OUT, SIGKILL);
    const pid_t left = (pid_t)strtol(story.output, NULL, 10);
    assert_true(left > 1);
    assert_int_equal(waitpid(left, &status, 0), left);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void what_it_leaves_behind_is_killed(void **state)
{
    struct story story;
    int status = 0;
    (void)state;
    const int64_t before_ms = jd_clock_ms();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    run_text(&story, "sleep 60 & echo $!; exit 0");
    assert_end(&story, JD_CHILD_EXITED, 0);
    const pid_t left = (pid_t)strtol(story.output, NULL, 10);
    assert_int_equal(waitpid(left, &status, 0), left);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_true(jd_clock_ms() - before_ms < 30000);
}

static void a_limit_ends_it_before_its_time(void **state)
{
    const char *const arguments[] = { "/bin/sleep", "60", NULL };
    struct story story;
    (void)state;
    open_story(&story, arguments);
    assert_int_equal(jd_child_start(&story.child, &story.loop, &story.options, NULL), 0);
    jd_child_limit(&story.child, jd_clock_ms() + 50);
    jd_child_limit(&story.child, jd_clock_ms() + 2 * LONG_MS); /* gives it no more time */
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    jd_loop_close(&story.loop);
    assert_end(&story, JD_CHILD_TIMED_OUT, SIGTERM);
}

static void it_is_started_again_from_its_end(void **state)
{
    const char *const arguments[] = { "/bin/sh", "-c", "echo again", NULL };
    struct story story;
    (void)state;
    open_story(&story, arguments);
    story.runs = 2;
    run(&story);
    assert_int_equal(story.ends, 3);
    assert_string_equal(story.output, "again\n");
}

static void stop(void *user)
{
    struct story *story = user;
    jd_loop_stop(&story->loop);
}

static void one_that_is_closed_is_killed_without_a_word(void **state)
{
    const char *const arguments[] = { "/bin/sh", "-c", "trap '' TERM; sleep 60; sleep 60", NULL };
    struct story story;
    (void)state;
    open_story(&story, arguments);
    assert_int_equal(jd_child_start(&story.child, &story.loop, &story.options, NULL), 0);
    const pid_t pid = story.child.pid;
    jd_child_close(&story.child);
    assert_false(jd_child_runs(&story.child));
    jd_child_close(&story.child);
    story.timer = (struct jd_timer){ .fire = stop, .user = &story };
    jd_timer_set(&story.loop, &story.timer, jd_clock_ms() + 50);
    assert_int_equal(jd_loop_run(&story.loop, NULL), 0);
    jd_loop_close(&story.loop);
    assert_int_equal(story.ends, 0);
    waitpid(pid, NULL, 0); /* if it was not waited for at once */
    assert_int_equal(kill(pid, 0), -1);
}

/* ---- output ---- */

static void the_last_of_much_output_is_kept(void **state)
{
    struct story story;
    (void)state;
    run_text(&story, "head -c 100000 /dev/zero | tr '\\0' x; echo end");
    assert_end(&story, JD_CHILD_EXITED, 0);
    assert_int_equal(story.result.len, JD_CHILD_OUTPUT_BYTES);
    assert_int_equal(story.result.dropped, 100004 - JD_CHILD_OUTPUT_BYTES);
    assert_string_equal(story.output + JD_CHILD_OUTPUT_BYTES - 5, "xend\n");
}

/* Timers have their turn, and the end does not wait for a pipe that never ends. */
static void one_that_writes_for_ever_is_ended_in_time(void **state)
{
    struct story story;
    (void)state;
    run_late(&story, "exec yes", 100);
    assert_end(&story, JD_CHILD_TIMED_OUT, SIGTERM);
    assert_true(story.result.dropped > 0);
}

static void closed_output_is_no_end(void **state)
{
    struct story story;
    (void)state;
    run_text(&story, "exec >/dev/null 2>&1; sleep 0.2; exit 5");
    assert_end(&story, JD_CHILD_EXITED, 5);
    assert_string_equal(story.output, "");
}

/* ---- what cannot be started ---- */

static void assert_refused(const char *path, int code, int number)
{
    const char *const arguments[] = { path, NULL };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct story story;
    assert_int_equal(jd_child_check(path, &err), code);
    assert_int_equal(err.sys_errno, number);
    if (number == 0)
        return;
    open_story(&story, arguments);
    assert_int_equal(jd_child_start(&story.child, &story.loop, &story.options, &err), JOULIE_E_IO);
    assert_int_equal(err.sys_errno, number);
    assert_string_equal(err.where, path);
    assert_false(jd_child_runs(&story.child));
    jd_loop_close(&story.loop);
}

static void make_file(char *path, mode_t mode, const char *text)
{
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void what_cannot_be_run_is_refused_with_its_reason(void **state)
{
    char plain[] = "/tmp/joulie-child-XXXXXX";
    char odd[] = "/tmp/joulie-child-XXXXXX";
    const char *const arguments[] = { odd, NULL };
    struct story story;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)state;
    make_file(plain, 0644, "#!/bin/sh\n");
    make_file(odd, 0755, "no program\n");
    assert_refused("/nonexistent/program", JOULIE_E_IO, ENOENT);
    assert_refused(plain, JOULIE_E_IO, EACCES);
    assert_refused("bin/sh", JOULIE_E_RANGE, 0);
    assert_refused("/tmp", JOULIE_E_RANGE, 0);
    assert_int_equal(jd_child_check(odd, NULL), 0);
    open_story(&story, arguments);
    assert_int_equal(jd_child_start(&story.child, &story.loop, &story.options, &err), JOULIE_E_IO);
    assert_int_equal(err.sys_errno, ENOEXEC);
    jd_loop_close(&story.loop);
    unlink(plain);
    unlink(odd);
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void no_descriptor_is_left(void **state)
{
    struct story story;
    (void)state;
    const size_t before = count_descriptors();
    run_text(&story, "exit 0");
    run_late(&story, "exec sleep 60", LONG_MS);
    assert_refused("/nonexistent/program", JOULIE_E_IO, ENOENT);
    assert_int_equal(count_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_and_both_outputs_are_reported),
        cmocka_unit_test(arguments_are_not_read_by_a_shell),
        cmocka_unit_test(the_environment_is_the_one_that_was_given),
        cmocka_unit_test(no_descriptor_is_inherited),
        cmocka_unit_test(no_signal_is_blocked_or_ignored),
        cmocka_unit_test(it_leads_a_group_of_its_own),
        cmocka_unit_test(a_signal_that_ends_it_is_named),
        cmocka_unit_test(its_end_is_heard_of_where_such_ends_were_ignored),
        cmocka_unit_test(one_that_takes_too_long_is_asked_to_end),
        cmocka_unit_test(one_that_does_not_end_is_killed_with_its_group),
        cmocka_unit_test(what_it_leaves_behind_is_killed),
        cmocka_unit_test(a_limit_ends_it_before_its_time),
        cmocka_unit_test(it_is_started_again_from_its_end),
        cmocka_unit_test(one_that_is_closed_is_killed_without_a_word),
        cmocka_unit_test(the_last_of_much_output_is_kept),
        cmocka_unit_test(one_that_writes_for_ever_is_ended_in_time),
        cmocka_unit_test(closed_output_is_no_end),
        cmocka_unit_test(what_cannot_be_run_is_refused_with_its_reason),
        cmocka_unit_test(no_descriptor_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
