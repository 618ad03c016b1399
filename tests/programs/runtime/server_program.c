/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP server to be treated badly by test_server.py: NAME=NUMBER arguments set its limits, its
 * first line of output is its URL, SIGTERM drains it.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/health.h"
#include "runtime/http_server.h"

#define PIECE_BYTES 65536
#define DRAIN_MS 3000

struct program {
    struct jd_loop loop;
    struct jd_server *server;
    struct jd_health health;
    struct jd_steps steps;
    struct jd_log log;
    unsigned gone;
    unsigned answers;
    double seconds;
    bool is_ready;
};

/* A call that is answered later. */
struct later {
    struct jd_timer timer;
    struct program *program;
    struct jd_exchange *exchange;
    int64_t every_ms;
    int left; /* pieces; -1 = a whole answer */
};

static const struct jd_family requests_total = {
    .name = "test_requests_total",
    .help = "Answers, a \"quoted\" \\ text.",
    .type = JD_COUNTER,
    .labels = { "route", "code" },
};

static const struct jd_family seconds = {
    .name = "test_request_seconds",
    .help = "Time to the answer.",
    .type = JD_HISTOGRAM,
    .labels = { "route" },
    .buckets = jd_seconds_buckets,
};

static const struct jd_family power = {
    .name = "test_power_watts",
    .help = "A gauge.",
    .type = JD_GAUGE,
};

static const char *number_of(const struct jd_exchange *exchange, const char *name,
                             const char *otherwise)
{
    const char *text = jd_exchange_query(exchange, name);
    return text ? text : otherwise;
}

static void on_gone(void *user, struct jd_exchange *exchange)
{
    struct later *later = user;
    (void)exchange;
    later->program->gone++;
    jd_timer_stop(&later->program->loop, &later->timer);
    free(later);
}

static void go_on_later(void *user)
{
    struct later *later = user;
    struct jd_exchange *exchange = later->exchange;
    if (later->left < 0) {
        jd_exchange_text(exchange, 200, "late\n");
    } else if (later->left == 0) {
        jd_stream_end(exchange);
    } else {
        later->left--;
        if (jd_stream_put(exchange, "piece\n", 6)) /* else on_gone() is called */
            jd_timer_set(&later->program->loop, &later->timer, jd_clock_ms() + later->every_ms);
        return;
    }
    free(later);
}

static void answer_later(struct program *program, struct jd_exchange *exchange, int pieces)
{
    struct later *later = calloc(1, sizeof *later);
    const int64_t ms = atoll(number_of(exchange, "ms", "1"));
    *later = (struct later){ .timer = { .fire = go_on_later, .user = later },
                             .program = program,
                             .exchange = exchange,
                             .every_ms = ms,
                             .left = pieces };
    jd_exchange_on_gone(exchange, on_gone, later);
    if (pieces >= 0)
        jd_exchange_stream(exchange, 200, "text/plain");
    jd_timer_set(&program->loop, &later->timer, jd_clock_ms() + ms);
}

static unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void reply_state(struct program *program, struct jd_exchange *exchange)
{
    struct jd_server_counts counts;
    char text[512];
    jd_server_counts(program->server, &counts);
    const int len = snprintf(
        text, sizeof text,
        "{\"connections\":%llu,\"requests\":%llu,\"refused\":%llu,\"cut\":%llu,"
        "\"tooLarge\":%llu,\"open\":%llu,\"gone\":%u,\"answers\":%u,\"files\":%u,\"tasks\":%u}",
        (unsigned long long)counts.connections, (unsigned long long)counts.requests,
        (unsigned long long)counts.refused, (unsigned long long)counts.cut,
        (unsigned long long)counts.too_large, (unsigned long long)counts.open, program->gone,
        program->answers, count_entries("/proc/self/fd"), count_entries("/proc/self/task") - 2);
    jd_exchange_reply(exchange, 200, "application/json", text, (size_t)len);
}

/* As many bytes as the query says, in a whole answer or in a stream that is never ended. */
static void reply_many(struct jd_exchange *exchange, bool in_pieces)
{
    const size_t bytes = strtoull(number_of(exchange, "bytes", "0"), NULL, 10);
    char *data = malloc(bytes + 1);
    memset(data, 'x', bytes);
    if (!in_pieces) {
        jd_exchange_reply(exchange, 200, "text/plain", data, bytes);
    } else {
        jd_exchange_stream(exchange, 200, "text/plain");
        for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
            const size_t left = bytes - at;
            if (!jd_stream_put(exchange, data + at, left < PIECE_BYTES ? left : PIECE_BYTES))
                break;
        }
    }
    free(data);
}

/* Each segment on a line, then name=… */
static void reply_parts(struct jd_exchange *exchange)
{
    struct jl_buffer text = { 0 };
    for (size_t i = 0; i < jd_exchange_segments(exchange); i++) {
        const char *segment = jd_exchange_segment(exchange, i);
        jl_put_string(&text, segment);
        jl_put_char(&text, '\n');
    }
    jl_put_string(&text, "name=");
    jl_put_string(&text, number_of(exchange, "name", "(absent)"));
    jl_put_string(&text, "\npath=");
    jl_put_string(&text, jd_exchange_path(exchange));
    jl_put_string(&text, "\nmethod=");
    jl_put_string(&text, jd_exchange_method(exchange));
    jd_exchange_put_header(exchange, "X-Parts", "1");
    jd_exchange_reply(exchange, 200, "text/plain", text.data, text.len);
    jl_buffer_clear(&text);
}

static void cut_in_the_middle(struct jd_exchange *exchange)
{
    jd_exchange_stream(exchange, 200, "text/plain");
    jd_stream_put(exchange, "begun", 5);
    jd_exchange_abort(exchange);
}

static void handle(void *user, struct jd_exchange *exchange)
{
    struct program *program = user;
    const char *part = jd_exchange_segment(exchange, 0);
    size_t len = 0;
    const char *body = jd_exchange_body(exchange, &len);
    part = part ? part : "";
    jd_health_beat(&program->health);
    if (jd_health_handle(&program->health, exchange))
        return;
    jd_exchange_route(exchange, jl_same(part, "echo") ? "/echo" : "other");
    if (jl_same(part, "echo"))
        jd_exchange_reply(exchange, 200, "application/octet-stream", body, len);
    else if (jl_same(part, "later"))
        answer_later(program, exchange, -1);
    else if (jl_same(part, "stream"))
        answer_later(program, exchange, atoi(number_of(exchange, "pieces", "3")));
    else if (jl_same(part, "many"))
        reply_many(exchange, false);
    else if (jl_same(part, "flood"))
        reply_many(exchange, true);
    else if (jl_same(part, "parts"))
        reply_parts(exchange);
    else if (jl_same(part, "cut"))
        cut_in_the_middle(exchange);
    else if (jl_same(part, "abort"))
        jd_exchange_abort(exchange);
    else if (jl_same(part, "state"))
        reply_state(program, exchange);
    else
        jd_exchange_text(exchange, 404, "not found\n");
}

static void on_answer(void *user, const struct jd_exchange *exchange, int status, double took)
{
    struct program *program = user;
    char code[16];
    const char *route = jd_exchange_routed(exchange);
    snprintf(code, sizeof code, "%d", status);
    program->answers++;
    jd_metric_add(program->health.metrics, &requests_total, JD_LABELS(route ? route : "", code), 1);
    jd_metric_observe(program->health.metrics, &seconds, JD_LABELS(route ? route : ""), took);
}

static void stop(void *user)
{
    jd_loop_stop(user);
}

static void on_signal(void *user, int signal)
{
    struct program *program = user;
    if (signal == SIGUSR1)
        program->is_ready = true;
    else
        jd_server_drain(program->server, DRAIN_MS, stop, &program->loop);
}

static const char *ask_ready(void *user)
{
    return ((const struct program *)user)->is_ready ? NULL : "waits for SIGUSR1";
}

static const char *ask_steps(void *user)
{
    return jd_steps_problem(user);
}

static void set_option(struct jd_server_options *options, const char *argument)
{
    const char *value = strchr(argument, '=') + 1;
    if (jl_starts_with(argument, "body="))
        options->most_body = strtoull(value, NULL, 10);
    else if (jl_starts_with(argument, "request="))
        options->request_ms = atoll(value);
    else if (jl_starts_with(argument, "idle="))
        options->idle_ms = atoll(value);
    else if (jl_starts_with(argument, "connections="))
        options->most_connections = (unsigned)atoi(value);
    else if (jl_starts_with(argument, "waiting="))
        options->most_waiting = strtoull(value, NULL, 10);
    else if (jl_starts_with(argument, "address="))
        options->address = value;
}

int main(int argc, char **argv)
{
    static const int held[] = { SIGTERM, SIGUSR1 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct program program = { 0 };
    const struct jd_check checks[] = { { "first", ask_ready, &program } };
    struct jd_server_options options = {
        .address = "127.0.0.1:0", .handle = handle, .on_answer = on_answer, .user = &program
    };
    bool is_logging = false;
    for (int i = 1; i < argc; i++) {
        set_option(&options, argv[i]);
        is_logging = is_logging || jl_same(argv[i], "log=1");
        if (jl_starts_with(argv[i], "steps=")) /* none ever ends */
            jd_steps_begin(&program.steps, atoll(argv[i] + strlen("steps=")));
    }
    program.loop.user = &program;
    program.loop.on_signal = on_signal;
    program.log = jd_log_new(STDERR_FILENO, "info", "text");
    program.health = (struct jd_health){ .ready = checks,
                                         .ready_count = 1,
                                         .metrics = jd_metrics_new(),
                                         .log = is_logging ? &program.log : NULL };
    if (program.steps.interval_ms > 0)
        program.health.live = (struct jd_check){ "steps", ask_steps, &program.steps };
    jd_metric_set(program.health.metrics, &power, JD_NO_LABELS, 12.5);
    jd_signals_hold(held, 2);
    if (jd_loop_open(&program.loop, 0, held, 2, &err) < 0 ||
        jd_server_open(&program.loop, &options, &program.server, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return EXIT_FAILURE;
    }
    printf("%s\n", jd_server_url(program.server));
    fflush(stdout);
    const int rc = jd_loop_run(&program.loop, &err);
    jd_server_close(program.server);
    jd_metrics_free(program.health.metrics);
    jd_loop_close(&program.loop);
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
