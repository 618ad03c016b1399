/* SPDX-License-Identifier: Apache-2.0 */

/* What training makes of recordings (docs/rules/threads-training.md): a trace is read piece by
 * piece, whatever its size. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <joulie/threads.h>

#include "base/error.h"
#include "base/number.h"
#include "cli.h"
#include "runtime/file.h"
#include "runtime/json.h"

#define PIECE_BYTES ((size_t)256 << 10)
#define MOST_LIST_BYTES ((size_t)1 << 20)
#define DEFAULT_SEED 42

/* ---- which threads are the workload ---- */

/* A number, or the first and the last of a range. */
static int add_range(struct joulie_thread_trace *trace, struct jl_text text,
                     struct joulie_error *err)
{
    uint64_t last = 0;
    struct jl_text rest = text;
    const struct jl_text first_text = jl_text_cut(&rest, '-');
    uint64_t first = 0;
    int rc = jl_parse_u64(first_text.ptr, first_text.len, &first);
    last = first;
    if (rc == 0 && first_text.len < text.len)
        rc = jl_parse_u64(rest.ptr, rest.len, &last);
    if (rc < 0 || last > INT32_MAX || first > last)
        return jl_fail(err, JOULIE_E_RANGE, "tids", "\"%.*s\" is no id of a thread",
                       text.len < 64 ? (int)text.len : 64, text.ptr);
    for (uint64_t tid = first; rc == 0 && tid <= last; tid++)
        rc = joulie_thread_trace_add_thread(trace, (uint32_t)tid, err);
    return rc;
}

static int add_threads(struct joulie_thread_trace *trace, struct jl_text list, char separator,
                       struct joulie_error *err)
{
    int rc = 0;
    while (rc == 0 && list.len > 0) {
        const struct jl_text item = jl_text_trim(jl_text_cut(&list, separator));
        if (item.len > 0)
            rc = add_range(trace, item, err);
    }
    return rc;
}

static int add_named_threads(const struct jd_call *call, struct joulie_thread_trace *trace,
                             struct joulie_error *err)
{
    const char *file = call->values.cgroup_procs;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer list = { 0 };
    int rc = add_threads(trace, jl_text(call->values.tids), ',', err);
    if (rc < 0 || !file)
        return rc;
    rc = jd_read_file(file, MOST_LIST_BYTES, &list, err);
    if (rc == 0)
        rc = add_threads(trace, (struct jl_text){ list.data, list.len }, '\n', err);
    return rc < 0 ? jd_place_in_file(file, rc, err) : 0;
}

/* ---- the trace ---- */

/* The library prints the answer, and a quote inside a string is escaped, so this is the member. */
static bool is_lossy(const char *answer)
{
    return strstr(answer, "\"lossy\":true") != NULL;
}

/* An input of the question is JSON that begins with one of its members. */
static bool is_question(struct jl_text text)
{
    static const char *const keys[] = { "\"features\"", "\"trace\"", "\"tids\"", "\"seed\"",
                                        "\"options\"" };
    text = jl_text_trim(text);
    if (text.len == 0 || text.ptr[0] != '{')
        return false;
    text = jl_text_trim((struct jl_text){ text.ptr + 1, text.len - 1 });
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        const size_t len = strlen(keys[i]);
        if (text.len >= len && memcmp(text.ptr, keys[i], len) == 0)
            return true;
    }
    return false;
}

struct source {
    const char *name;
    int fd;
    char *piece;
    size_t len; /* of the piece; 0 = it is at its end */
};

static int read_piece(struct source *source, struct joulie_error *err)
{
    ssize_t got;
    do {
        got = read(source->fd, source->piece, PIECE_BYTES);
    } while (got < 0 && errno == EINTR);
    source->len = got > 0 ? (size_t)got : 0;
    return got < 0 ? jd_fail_system(source->name, err) : 0;
}

static int ask(struct jd_call *call, struct source *source, struct joulie_error *err)
{
    struct joulie_ask_options options;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = 0;
    jd_ask_options(call, &options);
    while (rc == 0 && source->len > 0) {
        jl_put(&text, source->piece, source->len);
        rc = text.is_failed ? jl_fail_memory(err) : read_piece(source, err);
    }
    return rc < 0 ? jd_put_error(call, err)
                  : jd_ask_document(call, "threads.train.analyze", text.data, text.len, &options);
}

static int analyze(struct jd_call *call, struct source *source, struct joulie_thread_trace *trace,
                   struct joulie_error *err)
{
    const uint64_t seed =
        jd_given(call, JD_OPTION(seed)) ? (uint64_t)call->values.seed : DEFAULT_SEED;
    JL_CLEANUP(jl_freep) char *json = NULL;
    int rc = add_named_threads(call, trace, err);
    while (rc == 0 && source->len > 0) {
        rc = joulie_thread_trace_feed(trace, source->piece, source->len, err);
        if (rc == 0)
            rc = read_piece(source, err);
    }
    if (rc == 0)
        rc = joulie_thread_trace_analyze(trace, seed, &json, err);
    if (rc < 0)
        return jd_put_error(call, err);
    if (is_lossy(json))
        fprintf(stderr, "%s: warning: trace: some events are missing in it: see coverage\n",
                jd_program);
    jd_put_answer(call, json);
    return JD_EXIT_OK;
}

static int run_source(struct jd_call *call, struct source *source)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_thread_trace *trace = NULL;
    int rc = read_piece(source, &err);
    if (rc == 0 && is_question((struct jl_text){ source->piece, source->len }))
        return ask(call, source, &err);
    if (rc == 0)
        rc = joulie_thread_trace_new(&trace, &err);
    const int status = rc < 0 ? jd_put_error(call, &err) : analyze(call, source, trace, &err);
    joulie_thread_trace_free(trace);
    return status;
}

static int run_analyze(struct jd_call *call)
{
    const char *file = call->argument_count > 0 ? call->arguments[0] : "-";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *piece = jl_calloc(1, PIECE_BYTES);
    struct source source = { .name = file, .fd = STDIN_FILENO, .piece = piece };
    JL_CLEANUP(jd_closep) int opened = -1;
    if (!piece)
        return jd_put_no_memory(call);
    if (!jl_same(file, "-")) {
        opened = open(file, O_RDONLY | O_CLOEXEC);
        source.fd = opened;
        if (opened < 0) {
            jd_fail_system(file, &err);
            return jd_put_error(call, &err);
        }
    }
    return run_source(call, &source);
}

static const struct jd_setting options_of_analyze[] = {
    JD_TEXT_ROW("TIDS", tids, "LIST",
                "threads of the workload, such as 812,815-830; without it, all threads"),
    JD_TEXT_ROW("CGROUP_PROCS", cgroup_procs, "FILE",
                "the same from a file, one id on each line, such as a copy of cgroup.threads; with "
                "cgroup.procs the main threads and what they fork"),
    JD_INTEGER_ROW("SEED", seed, "S", "of the search for clusters (42)"),
    JD_FORM_ROW,
};

const struct jd_command jd_command_threads_train_analyze = {
    .name = "threads train analyze",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "What the threads of a workload do, from a trace of the scheduler",
    .text = "FILE is the text of ftrace or of perf script, tables of perfetto as CSV, or Chrome's "
            "JSON; or an input of the question threads.train.analyze. It is read piece by piece: a "
            "trace of gigabytes takes no more memory than a short one.\n"
            "The answer has the features of each thread, the role that follows from them, and "
            "clusters of threads that behave alike. A trace in which events are missing is refused "
            "with its coverage.",
    .question = "threads.train.analyze",
    JD_ROWS(options_of_analyze),
    .run = run_analyze,
};

/* ---- threads train evaluate ---- */

static const struct jd_setting options_of_evaluate[] = {
    JD_LENIENT_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_threads_train_evaluate = {
    .name = "threads train evaluate",
    .arguments = "[FILE]",
    .most = 1,
    .files = JD_FILES,
    .summary = "Whether a change of a profile helped, from pairs of runs",
    .text = "An exact test of Wilcoxon over the pairs, and the effect of Hodges and Lehmann: keep, "
            "or reject with what speaks against the change.",
    .question = "threads.train.evaluate",
    JD_ROWS(options_of_evaluate),
    .run = jd_run_question,
};
