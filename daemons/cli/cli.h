/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The program `joulie`: one table of commands, and per command one table of options. Parsing,
 * --help, completion and the man page all read these tables.
 */

#include <stdbool.h>
#include <stddef.h>

#include <joulie/ask.h>
#include <joulie/sim.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hint.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/access.h"
#include "runtime/options.h"

/* docs/rules/commands.md#exit-status; jd_worse() says which of two wins. */
enum jd_exit {
    JD_EXIT_OK = 0,
    JD_EXIT_BAD = 1,   /* some document was bad, or the output could not be written */
    JD_EXIT_USAGE = 2, /* the command line is wrong */
    JD_EXIT_STALE = 3, /* some data was stale and --require-fresh was given */
};

/* What the options of all commands are read into; a command has rows for some. What goes to the
 * library or to a cluster as it is has its member in the struct that is handed over. */
struct jd_values {
    struct jd_access_options access;
    struct joulie_workload_options workload;
    struct joulie_sim_options sim;
    struct joulie_autoscale_sim_options autoscale;
    const char *output;
    bool lenient;
    const char *model;
    const char *physics;
    int64_t score_range;
    bool require_fresh;
    bool list;
    const char *describe;
    bool legacy;
    bool man;
    const char *inventory;
    const char *trace;
    const char *policy;
    const char *scoring;
    const char *power_off;
    const char *profile;
    const char *source_profile;
    const char *compare;
    const char *demand;
    int64_t seed;
    const char *out;
    double live;
    bool equal_work;
    bool baseline_power_off;
    const char *workload_records;
    const char *root;
    const char *state_dir;
    bool state_dir_may_vanish;
    const char *capd_program;
    const char *spec;
    bool yes;
    bool no_ramp;
    bool give_back_maximum;
    bool all;
    const char *node_name;
    const char *now;
    const char *file;
    bool verbose;
    const char *to;
    bool detect;
    double gpu_tflops;
    const char *gpu_model;
    int64_t request_timeout_ms;
    const char *clock;
    bool no_headers;
    const char *selector;
    bool watch;
    bool explain;
    const char *sort;
    bool all_namespaces;
    const char *pairs;
    const char *runs;
    const char *report;
    const char *cache;
    int64_t jobs;
    bool fresh;
    bool force;
    bool dry_run;
    int64_t timeout_ms;
    const char *tids;
    const char *cgroup_procs;
};

/* An option, for jd_given(). */
#define JD_OPTION(member) offsetof(struct jd_values, member)

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
    const struct jd_setting *options;
    size_t option_count;
    int (*run)(struct jd_call *call); /* an enum jd_exit */
    void (*offer)(size_t index); /* calls jd_offer for what argument `index` may be; NULL = nothing
                                    to offer */
};

#define JD_ITEM_TEXT 32   /* "items[18446744073709551615]" */
#define JD_PLACE_TEXT 288 /* a place of struct joulie_error behind an item */
#define JD_MOST_TEXTS 5   /* files that the options of one command name */

/* One parsed command line, what has been printed for it, and the document that is answered. */
struct jd_call {
    const struct jd_command *command;
    struct jd_daemon table; /* of its options */
    struct jd_options options;
    struct jd_values values;
    char **arguments;
    size_t argument_count;
    size_t printed;          /* answers and errors on standard output */
    char item[JD_ITEM_TEXT]; /* "items[3]" while it is that one of a list; empty otherwise */
    uint32_t line;           /* of the input, on which the document starts */
    struct jl_buffer texts[JD_MOST_TEXTS]; /* what jd_read_texts() read */
};

extern const struct jd_command *const jd_commands[]; /* NULL-terminated, in the order of help */
extern const char *jd_program;                       /* "joulie" or "kubectl joulie" */

/* Every command, in the order of help; a longer name comes before a shorter one that begins it. */
/* clang-format off */
#define JD_COMMANDS(_) \
    _(predict) _(classify) _(plan) _(score) _(scoring) _(autoscale) \
    _(cap_plan) _(cap_apply) _(cap_status) _(cap_restore) _(cap_release) _(cap_allow) _(cap_resolve) \
    _(status) _(top) _(why) _(doctor) _(uninstall) \
    _(hardware) _(snapshot) \
    _(threads_match) _(threads_plan) _(threads_lint) _(threads_show) _(threads_list) \
    _(quantity) _(convert) _(validate) _(explain) _(diff) _(crd) \
    _(simulate_autoscale) _(simulate) _(experiment) _(workload_generate) _(workload_inspect) \
    _(threads_train_analyze) _(threads_train_evaluate) \
    _(ask) _(version) _(help) _(completion)
/* clang-format on */
#define JD_DECLARE(name) extern const struct jd_command jd_command_##name;
JD_COMMANDS(JD_DECLARE)
#define JD_ROWS(rows) .options = (rows), .option_count = JL_COUNT(rows)

/* An option that is written into a member of struct jd_values; key 0 = it has no short form. */
#define JD_OPTION_ROW(word, key, bound, shown, text)                            \
    {                                                                           \
        .name = (word), .letter = (key), bound, .value = (shown), .doc = (text) \
    }
#define JD_BOOLEAN_ROW(word, member, text) \
    JD_OPTION_ROW(word, 0, JD_BOOLEAN_AT(jd_values, member), NULL, text)
#define JD_TEXT_ROW(word, member, shown, text) \
    JD_OPTION_ROW(word, 0, JD_TEXT_AT(jd_values, member), shown, text)
#define JD_INTEGER_ROW(word, member, shown, text) \
    JD_OPTION_ROW(word, 0, JD_INTEGER_AT(jd_values, member), shown, text)
#define JD_DOUBLE_ROW(word, member, shown, text) \
    JD_OPTION_ROW(word, 0, JD_DOUBLE_AT(jd_values, member), shown, text)
#define JD_WORD_ROW(word, member, list, shown, text) \
    JD_OPTION_ROW(word, 0, JD_WORD_AT(jd_values, member, list), shown, text)
/* A text for which the words are offered; what it may be is the library's to say. */
#define JD_OFFERED_AT(tag, member, list) JD_TEXT_AT(tag, member), .words = (list)
#define JD_OFFERED_ROW(word, member, list, shown, text) \
    JD_OPTION_ROW(word, 0, JD_OFFERED_AT(jd_values, member, list), shown, text)

/* Rows that many commands share. */
extern const char *const jd_output_words[];
extern const char *const jd_table_output_words[]; /* the same, and table */
extern const char *const jd_model_words[];
extern const char *const jd_physics_words[];
extern const char *const jd_score_range_words[];
#define JD_OUTPUT_ROW_OF(list, text) \
    JD_OPTION_ROW("OUTPUT", 'o', JD_WORD_AT(jd_values, output, list), "FORM", text)
#define JD_OUTPUT_ROW(text) JD_OUTPUT_ROW_OF(jd_output_words, text)
#define JD_FORM_ROW \
    JD_OUTPUT_ROW("form of the answers: json (one line each, the default), pretty or yaml")
#define JD_LENIENT_ROW \
    JD_BOOLEAN_ROW("LENIENT", lenient, "skip members that do not exist, with a warning")
#define JD_SCORE_RANGE_ROW                                                          \
    {                                                                               \
        .name = "SCORE_RANGE", JD_INTEGER_AT(jd_values, score_range), .value = "N", \
        .words = jd_score_range_words,                                              \
        .doc = "scores on the wire go from 0 to N: 10 (the default) or 100"         \
    }
#define JD_REQUIRE_FRESH_ROW \
    JD_BOOLEAN_ROW("REQUIRE_FRESH", require_fresh, "exit with 3 when a score rests on stale data")
#define JD_MODEL_ROW(list)                        \
    JD_OFFERED_ROW("MODEL", model, list, "RULES", \
                   "rule set: current (the default) or a version word such as v0.1.1")

/* commands.c: the command that the leading words name; *used = number of words. */
const struct jd_command *jd_command_find(char **words, size_t count, size_t *used);
bool jd_command_is_in(const char *name, const char *group);
bool jd_command_is_group(const char *word);         /* the first of two words, as "cap" */
int jd_command_unknown(char **words, size_t count); /* a usage error with a hint */

/* options.c: false = a usage error that has been reported. */
bool jd_parse(struct jd_call *call, char **words, size_t count);
struct jd_daemon jd_table_of(const struct jd_command *command);
/* What was given for an option, JD_OPTION(member); NULL = nothing. */
const char *jd_given(const struct jd_call *call, size_t option);

/* An option whose file the library gets as text. */
struct jd_text_option {
    const char *where; /* the first words of where the library points then */
    size_t option;
    size_t text; /* JD_OPTION() of the two members that are set */
    size_t len;
};

/* The library names the text that is wrong; a person wants the file, and its line. Both give code
 * back. */
int jd_place_in_file(const char *file, int code, struct joulie_error *err);
int jd_name_file(const struct jd_call *call, const struct jd_text_option *texts, size_t count,
                 int code, struct joulie_error *err);

/* Only one of them can be standard input; false = a usage error that has been reported. */
bool jd_reads_input_once(const struct jd_call *call, const struct jd_text_option *texts,
                         size_t count);
/* Reads the files of such options, at most JD_MOST_TEXTS, and makes the folder of --out. The
 * members of an option that was not given stay as they are. */
int jd_read_texts(struct jd_call *call, const struct jd_text_option *texts, size_t count,
                  struct joulie_error *err);

/* A number of the library's that counts only with its bit: JD_OPTION(), and that bit. */
struct jd_number_option {
    size_t option;
    uint64_t has;
};

/* The bits of those that were given. */
uint64_t jd_given_bits(const struct jd_call *call, const struct jd_number_option *numbers,
                       size_t count);

/* complete.c: `joulie __complete` with the words behind it, which are all text; JD_EXIT_OK. One
 * candidate of a completion. */
int jd_complete(char **words, size_t count);
void jd_offer(const char *word, const char *doc);

/* help.c: JD_EXIT_OK */
int jd_print_help(const struct jd_command *command);
int jd_print_overview(const char *group); /* NULL = every command */
int jd_usage(const char *format, ...) __attribute__((format(printf, 1, 2))); /* JD_EXIT_USAGE */

/* documents.c: a whole file, "-" and NULL = standard input. 0, or JOULIE_E_IO, JOULIE_E_LIMIT,
 * JOULIE_E_NOMEM with err filled. */
int jd_read(const char *file, struct jl_buffer *out, struct joulie_error *err);
/* The same with the limit of one object. */
int jd_read_object(const char *file, struct jl_buffer *out, struct joulie_error *err);

/* output.c; a failed write to standard output is reported at the end, by jd_finish_output. */
void jd_put_answer(struct jd_call *call, const char *json);             /* in the form of -o */
int jd_put_error(struct jd_call *call, const struct joulie_error *err); /* JD_EXIT_BAD */
int jd_put_no_memory(struct jd_call *call);                             /* the same */
void jd_put_text(struct jd_call *call, const char *text, size_t len);   /* as it is */
void jd_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
int jd_finish_output(int status); /* flushes; a failed write makes it at least JD_EXIT_BAD */
int jd_worse(int a, int b);

/* live.c: a simulation to the end; a terminal shows how far it is. The same as a person watches it,
 * paced to take about pace_s until virtual time end_s. */
struct joulie_sim;
int jd_simulate(struct joulie_sim *sim, struct joulie_error *err);
int jd_simulate_live(struct joulie_sim *sim, double end_s, double pace_s, struct joulie_error *err);

/* question.c: the arguments' documents, one by one, through the command's question. jd_ask() names
 * the item of a list in warnings. */
int jd_run_question(struct jd_call *call);
void jd_ask_options(const struct jd_call *call, struct joulie_ask_options *out);
int jd_ask(const struct jd_call *call, const char *question, struct jl_text text,
           const struct joulie_ask_options *options, char **answer, struct joulie_error *err);
/* About a document that was composed. */
int jd_ask_buffer(const char *question, const struct jl_buffer *document,
                  const struct joulie_ask_options *options, char **answer,
                  struct joulie_error *err);
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
