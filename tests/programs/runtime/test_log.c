/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a daemon's log. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/log.h"
#include "support/test.h"

struct pipe_ends {
    int reads;
    int writes;
};

static struct pipe_ends make_pipe(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    return (struct pipe_ends){ ends[0], ends[1] };
}

static void close_pipe(const struct pipe_ends *ends)
{
    close(ends->reads);
    close(ends->writes);
}

static void assert_read(int fd, const char *expected)
{
    char text[8192];
    const ssize_t got = read(fd, text, sizeof text - 1);
    assert_true(got > 0);
    text[got] = '\0';
    assert_string_equal(text, expected);
}

static void a_line_has_level_component_and_a_quoted_message(void **state)
{
    const struct pipe_ends ends = make_pipe();
    struct jd_log log = jd_log_new(ends.writes, "info", "text");
    (void)state;
    jd_log(&log, JOULIE_LOG_LEVEL_INFO, "rapl", "package-%d: %s", 0, "a \"b\"\n\x1b[2J \xff");
    assert_read(ends.reads, "level=info component=rapl msg=\"package-0: a \\\"b\\\"\\n\\u001b[2J "
                            "\"\n");
    close_pipe(&ends);
}

static void a_line_is_json_when_asked_for(void **state)
{
    const struct pipe_ends ends = make_pipe();
    struct jd_log log = jd_log_new(ends.writes, "debug", "json");
    (void)state;
    jd_log_of_host(&log, JOULIE_LOG_LEVEL_ERROR, "journal", "full");
    assert_read(ends.reads, "{\"level\":\"error\",\"component\":\"journal\",\"msg\":\"full\"}\n");
    close_pipe(&ends);
}

static void what_is_below_the_level_is_not_said(void **state)
{
    const struct pipe_ends ends = make_pipe();
    struct jd_log log = jd_log_new(ends.writes, "warn", "text");
    (void)state;
    jd_log_line(&log, JOULIE_LOG_LEVEL_INFO, "host", "no");
    jd_log_line(&log, JOULIE_LOG_LEVEL_WARN, "host", "yes");
    assert_read(ends.reads, "level=warn component=host msg=\"yes\"\n");
    close_pipe(&ends);
}

static void a_reader_that_does_not_read_never_stops_the_daemon(void **state)
{
    const struct pipe_ends ends = make_pipe();
    struct jd_log log = jd_log_new(ends.writes, "info", "text");
    static char text[1 << 20];
    (void)state;
    for (int i = 0; i < 100000; i++)
        jd_log_line(&log, JOULIE_LOG_LEVEL_INFO, "host", "the same again");
    assert_true(log.lost > 0);
    fcntl(ends.reads, F_SETFL, O_NONBLOCK);
    while (read(ends.reads, text, sizeof text) > 0)
        ;
    const uint64_t lost = log.lost;
    jd_log_line(&log, JOULIE_LOG_LEVEL_INFO, "host", "back");
    const ssize_t got = read(ends.reads, text, sizeof text - 1);
    assert_true(got > 0);
    text[got] = '\0';
    char expected[160];
    snprintf(expected, sizeof expected,
             "level=warn component=log msg=\"%llu lines before this one were lost\"\n"
             "level=info component=host msg=\"back\"\n",
             (unsigned long long)lost);
    assert_string_equal(text, expected);
    close_pipe(&ends);
}

static void a_very_long_message_is_cut_to_what_a_pipe_takes_at_once(void **state)
{
    const struct pipe_ends ends = make_pipe();
    struct jd_log log = jd_log_new(ends.writes, "info", "text");
    static char text[20000];
    (void)state;
    memset(text, 'a', sizeof text - 1);
    jd_log_line(&log, JOULIE_LOG_LEVEL_INFO, "host", text);
    const ssize_t got = read(ends.reads, text, sizeof text);
    assert_true(got > 3000 && got <= 4096);
    assert_int_equal(text[got - 1], '\n');
    close_pipe(&ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_level_component_and_a_quoted_message),
        cmocka_unit_test(a_line_is_json_when_asked_for),
        cmocka_unit_test(what_is_below_the_level_is_not_said),
        cmocka_unit_test(a_reader_that_does_not_read_never_stops_the_daemon),
        cmocka_unit_test(a_very_long_message_is_cut_to_what_a_pipe_takes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
