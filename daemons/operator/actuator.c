/* SPDX-License-Identifier: Apache-2.0 */

/* The actuator that runs a command (docs/rules/programs.md#actuator): a bounded number at once, one
 * per node, each as runtime/child.h runs a program. Opened by operator.c, used by power.c. */

#include "operator/actuator.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/child.h"
#include "runtime/machine_clock.h"

#define COMPONENT "actuator"
#define GRACE_MS 1000
#define MOST_LINES 16 /* of output that are logged: the last ones */
#define MESSAGE_BYTES 256
#define DEFAULT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const char *const jd_switch_words[] = { [JD_SWITCH_OFF] = "off", [JD_SWITCH_ON] = "on" };
const char *const jd_switch_end_words[] = {
    [JD_SWITCH_DONE] = "done",
    [JD_SWITCH_FAILED] = "failed",
    [JD_SWITCH_SIGNALLED] = "signal",
    [JD_SWITCH_TIMED_OUT] = "timeout",
    [JD_SWITCH_NOT_STARTED] = "not-started",
};

struct command;

struct run {
    struct command *command;
    struct jd_child child;
    struct jd_timer late; /* to report what could not be started */
    char *node_name;      /* NULL = this one is free */
    enum jd_switch what;
    uint64_t id;
    int64_t began_ms;
    char message[MESSAGE_BYTES];
};

struct command {
    struct jd_actuator base; /* first */
    struct jd_loop *loop;
    struct jd_log *log;
    char *path;
    const char **environment; /* NULL-terminated, each of its own memory */
    size_t variables;
    int64_t timeout_ms;
    bool is_ending;
    size_t at_once;
    struct run *runs;
};

static struct command *command_of(struct jd_actuator *actuator)
{
    return (struct command *)actuator;
}

static const struct command *const_command_of(const struct jd_actuator *actuator)
{
    return (const struct command *)actuator;
}

/* ---- the environment ---- */

static bool is_of(const char *variable, const char *name, size_t len)
{
    return len > 0 && strncmp(variable, name, len) == 0 && variable[len] == '=';
}

static bool is_in(const char *variable, const char *names)
{
    struct jl_text rest = jl_text(names);
    while (rest.len > 0) {
        const struct jl_text name = jl_text_trim(jl_text_cut(&rest, ','));
        if (is_of(variable, name.ptr, name.len))
            return true;
    }
    return false;
}

/* The array has room for it and the end. */
static int add_variable(struct command *command, const char *variable)
{
    const char *copy = jl_strdup(variable);
    if (!copy)
        return JOULIE_E_NOMEM;
    command->environment[command->variables++] = copy;
    return 0;
}

static int fill_environment(struct command *command, const struct jd_command_options *options)
{
    size_t count = 0;
    while (options->environment[count])
        count++;
    command->environment = jl_calloc(count + 2, sizeof *command->environment);
    int rc = command->environment ? 0 : JOULIE_E_NOMEM;
    bool has_path = false;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *variable = options->environment[i];
        has_path |= is_in(variable, "PATH");
        if (is_in(variable, "PATH,HOME,LANG,LC_ALL,TZ") || is_in(variable, options->names))
            rc = add_variable(command, variable);
    }
    return rc == 0 && !has_path ? add_variable(command, DEFAULT_PATH) : rc;
}

/* ---- what came of it ---- */

static void log_line(struct command *command, const struct run *run, struct jl_text line)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jl_put_string(&text, "node ");
    jl_put_string(&text, run->node_name);
    jl_put_string(&text, ", ");
    jl_put_string(&text, jd_switch_words[run->what]);
    jl_put_string(&text, ": ");
    jl_put(&text, line.ptr, line.len);
    if (!text.is_failed)
        jd_log_line(command->log, JOULIE_LOG_LEVEL_WARN, COMPONENT, text.data);
}

/* Behind a break, so that the line is whole, as long as there are more than so many lines. */
static struct jl_text last_lines(struct jl_text text)
{
    size_t lines = 0;
    while (text.len > 0 && text.ptr[text.len - 1] == '\n')
        text.len--;
    for (size_t i = text.len; i-- > 0;) {
        if (text.ptr[i] == '\n' && ++lines == MOST_LINES)
            return (struct jl_text){ text.ptr + i + 1, text.len - i - 1 };
    }
    return text;
}

static void log_output(struct command *command, const struct run *run,
                       const struct jd_child_result *result)
{
    struct jl_text rest = last_lines((struct jl_text){ result->output, result->len });
    while (rest.len > 0) {
        const struct jl_text line = jl_text_trim(jl_text_cut(&rest, '\n'));
        if (line.len > 0)
            log_line(command, run, line);
    }
}

static void report(struct run *run, enum jd_switch_end end)
{
    struct command *command = run->command;
    char *node_name = run->node_name;
    const struct jd_switched switched = {
        .node_name = node_name,
        .what = run->what,
        .end = end,
        .id = run->id,
        .message = run->message,
        .took_ms = jd_clock_ms() - run->began_ms,
    };
    run->node_name = NULL; /* free from here on: the report may start another one */
    command->base.on_done(command->base.user, &switched);
    jl_free(node_name);
}

static enum jd_switch_end put_end(struct run *run, const struct jd_child_result *result)
{
    switch (result->end) {
    case JD_CHILD_TIMED_OUT:
        snprintf(run->message, sizeof run->message, "no end within its time");
        return JD_SWITCH_TIMED_OUT;
    case JD_CHILD_SIGNALLED:
        snprintf(run->message, sizeof run->message, "ended by signal %d", result->number);
        return JD_SWITCH_SIGNALLED;
    case JD_CHILD_EXITED:
        break;
    }
    snprintf(run->message, sizeof run->message, "exit status %d", result->number);
    return result->number == 0 ? JD_SWITCH_DONE : JD_SWITCH_FAILED;
}

static void on_child_done(void *user, const struct jd_child_result *result)
{
    struct run *run = user;
    const enum jd_switch_end end = put_end(run, result);
    if (end != JD_SWITCH_DONE)
        log_output(run->command, run, result);
    report(run, end);
}

static void on_late(void *user)
{
    report(user, JD_SWITCH_NOT_STARTED);
}

/* ---- starting ---- */

static bool is_busy(const struct jd_actuator *actuator, const char *node_name)
{
    const struct command *command = const_command_of(actuator);
    for (size_t i = 0; i < command->at_once; i++) {
        if (command->runs[i].node_name && jl_same(command->runs[i].node_name, node_name))
            return true;
    }
    return false;
}

static struct run *free_run(struct command *command)
{
    for (size_t i = 0; i < command->at_once; i++) {
        if (!command->runs[i].node_name)
            return &command->runs[i];
    }
    return NULL;
}

static int start_child(struct run *run, struct joulie_error *err)
{
    const struct command *command = run->command;
    const char *const arguments[] = { command->path, jd_switch_words[run->what], run->node_name,
                                      NULL };
    const struct jd_child_options options = {
        .path = command->path,
        .arguments = arguments,
        .environment = command->environment,
        .timeout_ms = command->timeout_ms,
        .grace_ms = GRACE_MS,
        .on_done = on_child_done,
        .user = run,
    };
    return jd_child_start(&run->child, command->loop, &options, err);
}

static int start(struct jd_actuator *actuator, const char *node_name, enum jd_switch what,
                 uint64_t id)
{
    struct command *command = command_of(actuator);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct run *run = free_run(command);
    if (!run || command->is_ending || is_busy(actuator, node_name))
        return JOULIE_E_LIMIT;
    char *copy = jl_strdup(node_name);
    if (!copy)
        return JOULIE_E_NOMEM;
    *run = (struct run){ .command = command,
                         .node_name = copy,
                         .what = what,
                         .id = id,
                         .began_ms = jd_clock_ms(),
                         .late = { .fire = on_late, .user = run } };
    if (start_child(run, &err) == 0)
        return 0;
    snprintf(run->message, sizeof run->message, "%.200s", err.message);
    if (jd_timer_set(command->loop, &run->late, 0) == 0)
        return 0;
    jl_free(run->node_name);
    run->node_name = NULL;
    return JOULIE_E_NOMEM;
}

static size_t count(const struct jd_actuator *actuator)
{
    const struct command *command = const_command_of(actuator);
    size_t busy = 0;
    for (size_t i = 0; i < command->at_once; i++)
        busy += command->runs[i].node_name != NULL;
    return busy;
}

/* ---- the end ---- */

static void end(struct jd_actuator *actuator, int64_t at_ms)
{
    struct command *command = command_of(actuator);
    command->is_ending = true;
    for (size_t i = 0; i < command->at_once; i++)
        jd_child_limit(&command->runs[i].child, at_ms - GRACE_MS);
}

static void close_command(struct jd_actuator *actuator)
{
    struct command *command = command_of(actuator);
    for (size_t i = 0; command->runs && i < command->at_once; i++) {
        jd_child_close(&command->runs[i].child);
        if (command->runs[i].node_name)
            jd_timer_stop(command->loop, &command->runs[i].late);
        jl_free(command->runs[i].node_name);
    }
    for (size_t i = 0; i < command->variables; i++)
        jl_free((void *)(uintptr_t)command->environment[i]);
    jl_free(command->environment);
    jl_free(command->runs);
    jl_free(command->path);
    jl_free(command);
}

static const struct jd_actuator_kind kind = {
    .start = start, .is_busy = is_busy, .count = count, .end = end, .close = close_command
};

int jd_command_open(const struct jd_command_options *options, struct jd_actuator **out,
                    struct joulie_error *err)
{
    int rc = jd_child_check(options->path, err);
    if (rc < 0)
        return rc;
    struct command *command = jl_calloc(1, sizeof *command);
    if (!command)
        return jl_fail_memory(err);
    *command = (struct command){
        .base = { .kind = &kind, .on_done = options->on_done, .user = options->user },
        .loop = options->loop,
        .log = options->log,
        .path = jl_strdup(options->path),
        .timeout_ms = options->timeout_ms,
        .at_once = options->at_once,
        .runs = jl_calloc(options->at_once, sizeof *command->runs),
    };
    rc = command->path && command->runs ? fill_environment(command, options) : JOULIE_E_NOMEM;
    if (rc == 0) {
        *out = &command->base;
        return 0;
    }
    close_command(&command->base);
    return jl_fail_memory(err);
}
