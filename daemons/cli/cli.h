/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The program `joulie`: one table of commands, and per command one table of options. Parsing,
 * --help, completion and the man page all read these tables.
 */

#include <stdbool.h>
#include <stddef.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "base/hint.h"
#include "base/text.h"

/* docs/rules/commands.md#exit-status; jd_worse() says which of two wins. */
enum jd_exit {
    JD_EXIT_OK = 0,
    JD_EXIT_BAD = 1,   /* some document was bad, or the output could not be written */
    JD_EXIT_USAGE = 2, /* the command line is wrong */
    JD_EXIT_STALE = 3, /* some data was stale and --require-fresh was given */
};

enum jd_option_id {
    JD_OPTION_HELP,
    JD_OPTION_OUTPUT,
    JD_OPTION_LENIENT,
    JD_OPTION_MODEL,
    JD_OPTION_PHYSICS,
    JD_OPTION_SCORE_RANGE,
    JD_OPTION_REQUIRE_FRESH,
    JD_OPTION_LIST,
    JD_OPTION_DESCRIBE,
    JD_OPTION_LEGACY,
    JD_OPTION_MAN,
    JD_OPTION_INVENTORY,
    JD_OPTION_TRACE,
    JD_OPTION_POLICY,
    JD_OPTION_COMPARE,
    JD_OPTION_PLACEMENT,
    JD_OPTION_HOURS,
    JD_OPTION_SEED,
    JD_OPTION_OUT,
    JD_OPTION_NODES,
    JD_OPTION_LIVE,
    JD_OPTION_EQUAL_WORK,
    JD_OPTION_MODE,
    JD_OPTION_JOBS,
    JD_OPTION_MAX_DURATION,
    JD_OPTION_PERF_RATIO,
    JD_OPTION_GPU_RATIO,
    JD_OPTION_AMD_GPU_RATIO,
    JD_OPTION_MEAN_INTER_ARRIVAL,
    JD_OPTION_PEAK_RATE,
    JD_OPTION_BURST_PROB,
    JD_OPTION_BURST_MIN,
    JD_OPTION_BURST_MAX,
    JD_OPTION_MIN_GPU_REQUEST,
    JD_OPTION_WORK_SCALE,
    JD_OPTION_BASE_SPEED,
    JD_OPTION_WORKLOAD_RECORDS,
    JD_OPTION_NAMESPACE,
    JD_OPTION_ROOT,
    JD_OPTION_STATE_DIR,
    JD_OPTION_SPEC,
    JD_OPTION_YES,
    JD_OPTION_NO_RAMP,
    JD_OPTION_ALL,
    JD_OPTION_NODE_NAME,
    JD_OPTION_NOW,
    JD_OPTION_FILE,
    JD_OPTION_VERBOSE,
    JD_OPTION_TO,
    JD_OPTION_DETECT,
    JD_OPTION_GPU_TFLOPS,
    JD_OPTION_GPU_MODEL,
    JD_OPTION_KUBECONFIG,
    JD_OPTION_CONTEXT,
    JD_OPTION_SERVER,
    JD_OPTION_TOKEN_FILE,
    JD_OPTION_REQUEST_TIMEOUT,
    JD_OPTION_CLOCK,
    JD_OPTION_NO_HEADERS,
    JD_OPTION_SELECTOR,
    JD_OPTION_WATCH,
    JD_OPTION_EXPLAIN,
    JD_OPTION_SORT,
    JD_OPTION_ALL_NAMESPACES,
    JD_OPTION_WORKLOAD,
    JD_OPTION_PROFILE,
    JD_OPTION_SOURCE_PROFILE,
    JD_OPTION_SEEDS,
    JD_OPTION_CARDS,
    JD_OPTION_COUNT,
};

struct jd_option {
    enum jd_option_id id;
    const char *name;         /* without the dashes */
    char letter;              /* 0 = no short form */
    const char *value;        /* name of the value in help; NULL = the option takes none */
    const char *const *words; /* NULL-terminated values to offer, or NULL */
    bool is_closed;           /* no other value than words */
    const char *doc;
};

struct jd_call;

enum jd_files {
    JD_NO_FILES, /* arguments are words or texts */
    JD_FILES,    /* arguments are files, - is standard input */
};

struct jd_command {
    const char *name;      /* "cap resolve" */
    const char *arguments; /* "[FILE]", as in the usage line; NULL = none */
    size_t least;          /* arguments */
    size_t most;
    enum jd_files files;
    const char *summary;  /* one line */
    const char *text;     /* paragraphs for --help and the man page, may be NULL */
    const char *question; /* the question that it asks, or NULL */
    const struct jd_option *options;
    size_t option_count;
    int (*run)(struct jd_call *call); /* an enum jd_exit */
    void (*offer)(size_t index); /* calls jd_offer for what argument `index` may be; NULL = nothing
                                    to offer */
    bool is_raw;                 /* every word is an argument, also --help */
};

#define JD_ITEM_TEXT 32   /* "items[18446744073709551615]" */
#define JD_PLACE_TEXT 288 /* a place of struct joulie_error behind an item */

/* One parsed command line, what has been printed for it, and the document that is answered. */
struct jd_call {
    const struct jd_command *command;
    const char *value[JD_OPTION_COUNT]; /* NULL = not given; "" for an option without value */
    char **arguments;
    size_t argument_count;
    size_t printed;          /* answers and errors on standard output */
    char item[JD_ITEM_TEXT]; /* "items[3]" while it is that one of a list; empty otherwise */
    uint32_t line;           /* of the input, on which the document starts */
};

extern const struct jd_command *const jd_commands[]; /* NULL-terminated, in the order of help */
extern const char *jd_program;                       /* "joulie" or "kubectl joulie" */

/* Rows that many commands share. */
extern const char *const jd_output_words[];
extern const char *const jd_table_output_words[]; /* the same, and table */
extern const char *const jd_model_words[];
extern const char *const jd_physics_words[];
extern const char *const jd_score_range_words[];
#define JD_HELP_ROW                                                                   \
    {                                                                                 \
        .id = JD_OPTION_HELP, .name = "help", .letter = 'h', .doc = "print this help" \
    }
#define JD_OUTPUT_ROW_OF(list, text)                                                               \
    {                                                                                              \
        .id = JD_OPTION_OUTPUT, .name = "output", .letter = 'o', .value = "FORM", .words = (list), \
        .is_closed = true, .doc = (text)                                                           \
    }
#define JD_OUTPUT_ROW(text) JD_OUTPUT_ROW_OF(jd_output_words, text)
#define JD_FORM_ROW \
    JD_OUTPUT_ROW("form of the answers: json (one line each, the default), pretty or yaml")
#define JD_LENIENT_ROW                                          \
    {                                                           \
        .id = JD_OPTION_LENIENT, .name = "lenient",             \
        .doc = "skip members that do not exist, with a warning" \
    }
#define JD_SCORE_RANGE_ROW                                                  \
    {                                                                       \
        .id = JD_OPTION_SCORE_RANGE, .name = "score-range", .value = "N",   \
        .words = jd_score_range_words,                                      \
        .doc = "scores on the wire go from 0 to N: 10 (the default) or 100" \
    }
#define JD_REQUIRE_FRESH_ROW                                    \
    {                                                           \
        .id = JD_OPTION_REQUIRE_FRESH, .name = "require-fresh", \
        .doc = "exit with 3 when a score rests on stale data"   \
    }
#define JD_MODEL_ROW(list)                                                         \
    {                                                                              \
        .id = JD_OPTION_MODEL, .name = "model", .value = "RULES", .words = (list), \
        .doc = "rule set: current (the default) or a version word such as v0.1.1"  \
    }

/* commands.c: the command that the leading words name; *used = number of words. */
const struct jd_command *jd_command_find(char **words, size_t count, size_t *used);
bool jd_command_is_in(const char *name, const char *group);
bool jd_command_is_group(const char *word);         /* the first of two words, as "cap" */
int jd_command_unknown(char **words, size_t count); /* a usage error with a hint */

/* options.c: false = a usage error that has been reported. */
bool jd_parse(struct jd_call *call, char **words, size_t count);
const struct jd_option *jd_option_find(const struct jd_command *command, struct jl_text name);
bool jd_given(const struct jd_call *call, enum jd_option_id id);
/* The number of an option; *out is untouched when it is not given. false = a reported usage error.
 */
bool jd_double(const struct jd_call *call, enum jd_option_id id, double *out);
bool jd_integer(const struct jd_call *call, enum jd_option_id id, int64_t *out);

/* An option whose file the library gets as text, and the first words of where it points then. */
struct jd_text_option {
    const char *where;
    enum jd_option_id id;
};

/* The library names the text that is wrong; a person wants the file. Gives code back. */
int jd_name_file(const struct jd_call *call, const struct jd_text_option *texts, size_t count,
                 int code, struct joulie_error *err);

/* complete.c: one candidate of a completion. */
void jd_offer(const char *word, const char *doc);

/* help.c, man.c */
void jd_print_help(const struct jd_command *command);
void jd_print_overview(const char *group); /* NULL = every command */
void jd_print_man(void);
int jd_usage(const char *format, ...) __attribute__((format(printf, 1, 2))); /* JD_EXIT_USAGE */

/* input.c: a whole file, "-" and NULL = standard input. 0, or JOULIE_E_IO, JOULIE_E_LIMIT,
 * JOULIE_E_NOMEM with err filled. */
int jd_read(const char *file, struct jl_buffer *out, struct joulie_error *err);
/* The same with the limit of one object. */
int jd_read_object(const char *file, struct jl_buffer *out, struct joulie_error *err);

/* output.c; a failed write to standard output is reported at the end, by jd_finish_output. */
void jd_put_answer(struct jd_call *call, const char *json); /* in the form of -o */
void jd_put_error(struct jd_call *call, const struct joulie_error *err);
void jd_put_text(struct jd_call *call, const char *text, size_t len); /* as it is */
void jd_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
int jd_finish_output(int status); /* flushes; a failed write makes it at least JD_EXIT_BAD */
int jd_worse(int a, int b);

/* progress.c: the state of a simulation as one line on a terminal. */
struct joulie_sim;
int jd_simulate(struct joulie_sim *sim,
                struct joulie_error *err); /* to the end; shows how far it is */
/* live.c: the same as a person watches it, paced to take about pace_s until virtual time end_s. */
int jd_simulate_live(struct joulie_sim *sim, double end_s, double pace_s, struct joulie_error *err);

/* outcome.c */
void jd_put_outcome(struct jd_call *call, const struct joulie_sim *sim); /* a table */
bool jd_is_equal_work(
    const struct joulie_sim *sim); /* nothing is left over, and the saving can be stated */

/* question.c: the arguments' documents, one by one, through the command's question. jd_ask() names
 * the item of a list in warnings. */
int jd_run_question(struct jd_call *call);
bool jd_ask_options(const struct jd_call *call,
                    struct joulie_ask_options *out); /* false = reported usage error */
int jd_ask(const struct jd_call *call, const char *question, struct jl_text text,
           const struct joulie_ask_options *options, char **answer, struct joulie_error *err);
int jd_ask_document(struct jd_call *call, const char *question, const char *text, size_t len,
                    const struct joulie_ask_options *options);

/* documents.c: calls take for every document of a file or text, in order; broken ones and an input
 * without documents are reported. The worst exit status of all. A list of objects (kind List, or
 * FooList with items) counts as its items, and may have none. */
typedef int jd_document_fn(struct jd_call *call, const char *text, size_t len, void *user);

struct jd_taker {
    jd_document_fn *take;
    int (*report)(struct jd_call *call, const struct joulie_error *err, void *user);
    void *user;
};

int jd_each_in_text(struct jd_call *call, const struct jl_buffer *input,
                    const struct jd_taker *taker);
/* The place in the input of a place in the document: "items[3].spec.cpu". */
void jd_place(const struct jd_call *call, const char *where, char out[JD_PLACE_TEXT]);
int jd_each_document(struct jd_call *call, const char *file, jd_document_fn *take, void *user);
/* The only document of a file, as JSON on one line; where of errors is "argument N". */
int jd_read_one(const char *file, size_t number, struct jl_buffer *out, struct joulie_error *err);
