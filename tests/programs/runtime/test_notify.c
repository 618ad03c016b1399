/* SPDX-License-Identifier: Apache-2.0 */
/* What a service manager is told (docs/rules/programs.md#service-manager): over a socket of a path
 * and an abstract one, in the order of a life, and no sign of life of a program whose steps stand
 * still. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/daemon.h"
#include "runtime/notify.h"
#include "support/test.h"

struct manager {
    int fd;
    char name[64];
    char heard[4096]; /* datagrams, a line | between them */
};

static void put_number(const char *name, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    setenv(name, text, 1);
}

static void listen_at(struct manager *manager, bool is_abstract)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(manager->name, sizeof manager->name, "%sjoulie-test-%d", is_abstract ? "@" : "/tmp/",
             (int)getpid());
    const size_t len = strlen(manager->name);
    memcpy(address.sun_path, manager->name, len);
    if (is_abstract)
        address.sun_path[0] = '\0';
    else
        unlink(manager->name);
    manager->heard[0] = '\0';
    manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(manager->fd >= 0);
    assert_int_equal(bind(manager->fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
                     0);
    setenv("NOTIFY_SOCKET", manager->name, 1);
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

/* Everything that was said since, datagrams with | between them. */
static const char *heard(struct manager *manager)
{
    size_t len = 0;
    for (;;) {
        const ssize_t got = recv(manager->fd, manager->heard + len, 256, 0);
        if (got < 0)
            break;
        len += (size_t)got;
        assert_true(len + 258 < sizeof manager->heard);
        manager->heard[len++] = '|';
    }
    manager->heard[len > 0 ? len - 1 : 0] = '\0';
    return manager->heard;
}

static void leave(struct manager *manager)
{
    close(manager->fd);
    if (manager->name[0] == '/')
        unlink(manager->name);
}

static void tell_a_life(bool is_abstract)
{
    struct manager manager;
    struct jd_notify notify = { 0 };
    listen_at(&manager, is_abstract);
    setenv("WATCHDOG_USEC", "3000000", 1);
    assert_int_equal(jd_notify_open(&notify, NULL), 0);
    assert_int_equal(jd_notify_period_ms(&notify), 1000);
    jd_notify_ready(&notify, "waiting");
    jd_notify_ready(&notify, "waiting");
    jd_notify_alive(&notify);
    jd_notify_ready(&notify, "deciding");
    jd_notify_stopping(&notify);
    assert_string_equal(heard(&manager), "READY=1\nSTATUS=waiting|WATCHDOG=1|STATUS=deciding|"
                                         "STOPPING=1\nSTATUS=ending");
    jd_notify_close(&notify);
    leave(&manager);
}

static void a_life_is_told_over_a_path(void **state)
{
    (void)state;
    tell_a_life(false);
}

static void a_life_is_told_over_an_abstract_socket(void **state)
{
    (void)state;
    tell_a_life(true);
}

static void children_find_nothing_in_the_environment(void **state)
{
    struct manager manager;
    struct jd_notify notify = { 0 };
    (void)state;
    listen_at(&manager, true);
    setenv("WATCHDOG_USEC", "3000000", 1);
    put_number("WATCHDOG_PID", getpid());
    assert_int_equal(jd_notify_open(&notify, NULL), 0);
    assert_null(getenv("NOTIFY_SOCKET"));
    assert_null(getenv("WATCHDOG_USEC"));
    assert_null(getenv("WATCHDOG_PID"));
    assert_int_equal(notify.watchdog_ms, 3000);
    jd_notify_close(&notify);
    leave(&manager);
}

static void a_watchdog_of_another_process_is_none(void **state)
{
    struct manager manager;
    struct jd_notify notify = { 0 };
    (void)state;
    listen_at(&manager, true);
    setenv("WATCHDOG_USEC", "3000000", 1);
    put_number("WATCHDOG_PID", getpid() + 1);
    assert_int_equal(jd_notify_open(&notify, NULL), 0);
    jd_notify_alive(&notify);
    assert_string_equal(heard(&manager), "");
    jd_notify_close(&notify);
    leave(&manager);
}

static void without_a_socket_nothing_is_done(void **state)
{
    struct jd_notify notify = { 0 };
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    assert_int_equal(jd_notify_open(&notify, NULL), 0);
    jd_notify_ready(&notify, "deciding");
    jd_notify_alive(&notify);
    jd_notify_stopping(&notify);
    assert_int_equal(jd_notify_period_ms(&notify), 0);
    assert_false(notify.is_ready);
    jd_notify_close(&notify);
}

static void what_is_no_socket_is_an_error(void **state)
{
    static const char *const names[] = { "relative", "/", "@", "vsock:2:1234" };
    char name[256];
    (void)state;
    for (size_t i = 0; i <= sizeof names / sizeof names[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jd_notify notify = { 0 };
        memset(name, 'x', sizeof name - 1);
        name[0] = '/';
        name[sizeof name - 1] = '\0'; /* longer than an address */
        setenv("NOTIFY_SOCKET", i < sizeof names / sizeof names[0] ? names[i] : name, 1);
        assert_int_equal(jd_notify_open(&notify, &err), JOULIE_E_PARSE);
        assert_string_equal(err.where, "NOTIFY_SOCKET");
        jd_notify_ready(&notify, "deciding");
        jd_notify_close(&notify);
    }
}

/* The manager may be restarted in between. */
static void what_was_not_taken_is_said_again(void **state)
{
    struct manager manager;
    struct jd_notify notify = { 0 };
    (void)state;
    listen_at(&manager, false);
    assert_int_equal(jd_notify_open(&notify, NULL), 0);
    leave(&manager);
    jd_notify_ready(&notify, "deciding");
    assert_false(notify.is_ready);
    listen_at(&manager, false);
    jd_notify_ready(&notify, "deciding");
    assert_string_equal(heard(&manager), "READY=1\nSTATUS=deciding");
    jd_notify_close(&notify);
    leave(&manager);
}

/* ---- a whole loop ---- */

struct life {
    struct jd_edges edges;
    struct jd_timer end;
    const char *problem;
    int signal;
};

static const char *ask_problem(void *user)
{
    return ((struct life *)user)->problem;
}

static void on_end(void *user)
{
    jd_loop_stop(&((struct life *)user)->edges.loop);
}

static void on_signal(void *user, int signal)
{
    struct life *life = user;
    life->signal = signal;
    jd_daemon_log_end(&life->edges, signal);
    jd_loop_stop(&life->edges.loop);
}

static void open_life(struct life *life)
{
    static const struct jd_daemon daemon = { .name = "test" };
    const struct jd_daemon_signals signals = { .on_signal = on_signal, .user = life };
    life->edges.daemon = &daemon;
    life->edges.log = jd_log_new(STDERR_FILENO, "error", "text");
    life->edges.doing = "testing";
    assert_int_equal(jd_daemon_open_loop(&life->edges, &signals, NULL), 0);
    life->end = (struct jd_timer){ .fire = on_end, .user = life };
}

static void run_life(struct life *life, int64_t ms)
{
    jd_timer_set(&life->edges.loop, &life->end, jd_clock_ms() + ms);
    assert_int_equal(jd_daemon_run(&life->edges), JD_DONE);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

static void a_loop_says_that_it_is_ready_alive_and_ending(void **state)
{
    struct manager manager;
    struct life life = { 0 };
    (void)state;
    listen_at(&manager, true);
    setenv("WATCHDOG_USEC", "40000", 1);
    open_life(&life);
    assert_string_equal(heard(&manager), "");
    run_life(&life, 200);
    const char *said = heard(&manager);
    assert_true(strncmp(said, "WATCHDOG=1|READY=1\nSTATUS=testing|WATCHDOG=1", 43) == 0);
    assert_true(count_of(said, "WATCHDOG=1") >= 3);
    raise(SIGTERM);
    life.edges.loop.is_stopped = false;
    run_life(&life, 60000);
    assert_int_equal(life.signal, SIGTERM);
    assert_non_null(strstr(heard(&manager), "STOPPING=1"));
    jd_daemon_close(&life.edges);
    leave(&manager);
}

static void steps_that_stand_still_are_no_sign_of_life(void **state)
{
    struct manager manager;
    struct life life = { 0 };
    (void)state;
    listen_at(&manager, true);
    setenv("WATCHDOG_USEC", "20000", 1);
    open_life(&life);
    life.edges.health.most_beat_ms = 1;
    life.edges.health.beat_ms = jd_clock_ms() - 1000;
    run_life(&life, 100);
    assert_string_equal(heard(&manager), "READY=1\nSTATUS=testing");
    jd_daemon_close(&life.edges);
    leave(&manager);
}

static void a_program_that_is_not_ready_says_why(void **state)
{
    struct manager manager;
    struct life life = { .problem = "nodes were not listed yet" };
    const struct jd_check check = { "caches", ask_problem, &life };
    (void)state;
    listen_at(&manager, true);
    open_life(&life);
    life.edges.health.ready = &check;
    life.edges.health.ready_count = 1;
    run_life(&life, 20);
    assert_string_equal(heard(&manager), "READY=1\nSTATUS=nodes were not listed yet");
    jd_daemon_close(&life.edges);
    leave(&manager);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_life_is_told_over_a_path),
        cmocka_unit_test(a_life_is_told_over_an_abstract_socket),
        cmocka_unit_test(children_find_nothing_in_the_environment),
        cmocka_unit_test(a_watchdog_of_another_process_is_none),
        cmocka_unit_test(without_a_socket_nothing_is_done),
        cmocka_unit_test(what_is_no_socket_is_an_error),
        cmocka_unit_test(what_was_not_taken_is_said_again),
        cmocka_unit_test(a_loop_says_that_it_is_ready_alive_and_ending),
        cmocka_unit_test(steps_that_stand_still_are_no_sign_of_life),
        cmocka_unit_test(a_program_that_is_not_ready_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
