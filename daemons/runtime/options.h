/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The options of a program as one table: of a daemon, or of a command of `joulie`. A row's name is
 * its environment name (CONTROL_INTERVAL) and its key in /etc/joulie/<program>.conf; in lower case
 * with dashes it is its flag
 * (--control-interval). The command line wins over the environment, the environment over the file.
 * --help, the manual page and completion are made from the same rows. Nothing is skipped silently:
 * a flag or key that no row has, and a value that its row does not take, stop the start
 * (docs/rules/programs.md#options).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>
#include <joulie/words.h>

#include "base/arena.h"
#include "base/buffer.h"

/* How a program ends (docs/rules/programs.md#end); JD_GO_ON = it does not yet. */
enum { JD_GO_ON = -1, JD_DONE = 0, JD_BROKEN = 1, JD_USAGE = 2 };

enum jd_type {
    JD_TEXT = 1, /* const char * */
    JD_WORD,     /* const char *, one of the row's words */
    JD_DURATION, /* int64_t, milliseconds; Go's grammar */
    JD_INTEGER,  /* int64_t */
    JD_DOUBLE,   /* double */
    JD_PERCENT,  /* double, 0 to 100 */
    JD_BOOLEAN,  /* bool; a row without `value` takes none on the command line: it says true */
    JD_LIST,     /* const char *, parts between commas */
    JD_JSON,     /* const char *, one JSON value */
    JD_LATER,    /* known, and without effect in this program yet: one that is set is a warning */
    JD_REFUSED,  /* known, and one that is set stops the start: its doc says why */
};

enum jd_source { JD_BY_DEFAULT = 0, JD_FILE, JD_ENVIRONMENT, JD_COMMAND_LINE };

/* Where a row may be set beside the command line. A name that scripts use for themselves (ROOT,
 * STATUS) is not read from the environment. */
enum jd_places { JD_ANYWHERE = 0, JD_IN_FILE, JD_FLAG_ONLY };

struct jd_setting {
    const char *name;
    char letter; /* of its short form (-o); 0 = none */
    enum jd_type type;
    enum jd_places places;
    size_t offset;     /* of the member; the macros below check its C type */
    bool is_unbound;   /* it has no member: only its path wants it */
    const char *path;  /* of the model's settings ("policy.type"); NULL = it is none of them */
    const char *value; /* name of the value in help; NULL = that of the type */
    /* NULL-terminated; of JD_WORD, NULL = those of the vocabulary; of JD_TEXT those to offer */
    const char *const *words;
    enum joulie_vocabulary vocabulary;
    /* read like any other value; NULL = that of the model at its path, else NULL, 0 or false */
    const char *by_default;
    const char *least; /* bounds, both included, as they would be given; NULL = none */
    const char *most;
    const char *doc;
    bool is_hidden;   /* from help, the manual page and completion */
    bool is_argument; /* of a command: its value is what an argument may be */
    bool takes_empty; /* JD_TEXT: set but empty is a value; else it reads as not set */
};

#define JD_AT(tag, member, c_type)                                                               \
    (offsetof(struct tag, member) +                                                              \
     0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((struct tag *)0)->member), c_type) \
                         ? 1                                                                     \
                         : -1]))
#define JD_TEXT_AT(tag, member) .type = JD_TEXT, .offset = JD_AT(tag, member, const char *)
#define JD_WORD_AT(tag, member, list) \
    .type = JD_WORD, .offset = JD_AT(tag, member, const char *), .words = (list)
#define JD_DURATION_AT(tag, member) .type = JD_DURATION, .offset = JD_AT(tag, member, int64_t)
#define JD_INTEGER_AT(tag, member) .type = JD_INTEGER, .offset = JD_AT(tag, member, int64_t)
#define JD_DOUBLE_AT(tag, member) .type = JD_DOUBLE, .offset = JD_AT(tag, member, double)
#define JD_PERCENT_AT(tag, member) .type = JD_PERCENT, .offset = JD_AT(tag, member, double)
#define JD_BOOLEAN_AT(tag, member) .type = JD_BOOLEAN, .offset = JD_AT(tag, member, bool)
/* A setting of the model and of nothing else in the program; durations become seconds there. */
#define JD_MODEL_SETTING(kind, where) .type = (kind), .is_unbound = true, .path = (where)

/* Rows that several programs have: members log_level, log_format; clock_url. */
#define JD_LOG_SETTINGS(tag)                                                                     \
    { .name = "LOG_LEVEL",                                                                       \
      JD_WORD_AT(tag, log_level, jd_log_levels),                                                 \
      .by_default = "info",                                                                      \
      .doc = "what is logged to standard error" },                                               \
    {                                                                                            \
        .name = "LOG_FORMAT", JD_WORD_AT(tag, log_format, jd_log_formats), .by_default = "text", \
        .doc = "a line level=… component=… msg=…, or JSON"                                 \
    }
#define JD_CLOCK_SETTINGS(tag)                                                               \
    { .name = "CLOCK_URL",                                                                   \
      JD_TEXT_AT(tag, clock_url),                                                            \
      .value = "URL",                                                                        \
      .doc = "a simulator whose virtual time is kept; also --clock" },                       \
    {                                                                                        \
        .name = "CLOCK", JD_TEXT_AT(tag, clock_url), .places = JD_FLAG_ONLY, .value = "URL", \
        .doc = "the same as --clock-url"                                                     \
    }
/* Hosts of a local port (jd_server_options.is_local): member allowed_hosts. */
#define JD_HOSTS_SETTING(tag, who)                                                           \
    {                                                                                        \
        .name = "ALLOWED_HOSTS", JD_TEXT_AT(tag, allowed_hosts), .value = "NAMES",           \
        .doc = "names by which " who ", with commas, beside localhost and the addresses of " \
               "this machine; * = all"                                                       \
    }

/* Settings of the model that operator and scheduler have alike. */
#define JD_TWIN_SETTINGS                                                                     \
    { .name = "POWER_PROFILE_LABEL",                                                         \
      JD_MODEL_SETTING(JD_TEXT, "powerProfileLabel"),                                        \
      .value = "KEY",                                                                        \
      .doc = "node label that carries the profile" },                                        \
        { .name = "CLASSIFY_MIN_CONFIDENCE",                                                 \
          JD_MODEL_SETTING(JD_DOUBLE, "classifier.minConfidence"),                           \
          .least = "0.5",                                                                    \
          .most = "1",                                                                       \
          .doc = "least confidence of a WorkloadProfile that counts" },                      \
    {                                                                                        \
        .name = "TWIN_MAX_AGE", JD_MODEL_SETTING(JD_DURATION, "twinMaxAgeS"), .least = "0s", \
        .doc = "age of a fresh twin while the operator beats"                                \
    }

struct jd_section { /* of the manual page, behind the options */
    const char *title;
    const char *text; /* lines; an empty one ends a paragraph */
};

/* A program with options: a daemon, or a command of `joulie`, whose words may be arguments and
 * whose options have no other source. */
struct jd_daemon {
    const char *name; /* joulie-agent */
    bool is_command;
    const char *summary;  /* behind the name in the manual page */
    const char *synopsis; /* of the usual options, for the usage line */
    const char *text;     /* paragraphs for --help and the manual page */
    const struct jd_setting *settings;
    size_t setting_count;
    const struct jd_section *sections;
    size_t section_count;
};

/* Where values come from. */
struct jd_sources {
    char **words; /* of the command line, without the program's name; arguments move in it */
    size_t word_count;
    char **environment; /* NAME=value, NULL-terminated */
    const char *file;   /* when --config names none; one that is not there is empty */
};

enum jd_asked { JD_ASKED_NOTHING = 0, JD_ASKED_HELP, JD_ASKED_VERSION, JD_ASKED_MAN };

struct jd_options { /* zeroed at the start; one row of each array per row of the table */
    const struct jd_daemon *daemon;
    const char **given;     /* the text that counts, trimmed; NULL = none */
    enum jd_source *source; /* where it came from */
    const char *file;       /* that was read; NULL = none */
    enum jd_asked asked;
    size_t argument_count; /* of a command; they are the first of the words then */
    struct jl_arena arena;
};

/*
 * Reads every source into `values`, the struct that the rows' macros name. Texts live as long as
 * options. 0, or a code with err->message = what a person reads behind the program's name:
 * CONTROL_INTERVAL: "1x" is not a duration.
 */
int jd_options_read(const struct jd_daemon *daemon, const struct jd_sources *sources,
                    struct jd_options *options, void *values, struct joulie_error *err);
void jd_options_clear(struct jd_options *options);

/* The same from a program's own command line, environment and /etc/joulie/<program>.conf. Prints
 * help, version, manual page, completion or the error. JD_GO_ON, or the exit status. */
int jd_options_main(const struct jd_daemon *daemon, int argc, char **argv,
                    struct jd_options *options, void *values);

/* Sets a row for the program itself, whatever the sources say: a text that the row takes. */
void jd_options_force(struct jd_options *options, const char *name, const char *text);

/* Names the option that something could not be opened by: err of a code below 0. Returns rc. */
int jd_options_blame(const char *name, int rc, struct joulie_error *err);

/* The rows with a path as one object of settings: {"policy":{"type":…},"twinStalenessS":…}. What is
 * neither given nor has a default is left out. */
void jd_options_put_settings(const struct jd_options *options, struct jl_buffer *out);
/* err->where is a path of such settings: the name of its option takes its place. Returns rc. */
int jd_options_blame_path(const struct jd_options *options, int rc, struct joulie_error *err);

/* The text of the option whose member lies there; NULL = it was not given and has no default. */
const char *jd_options_given(const struct jd_options *options, size_t offset);
enum jd_source jd_source_of(const struct jd_options *options, const char *name);
/* NAME=value, NAME=value (environment), …: what is in force. */
void jd_options_put(const struct jd_options *options, struct jl_buffer *out);
/* Calls report for each JD_LATER row that is set; its doc says why it has no effect, NULL = not
 * yet.
 */
void jd_options_each_later(const struct jd_options *options,
                           void (*report)(void *user, const struct jd_setting *setting),
                           void *user);
/* The value of a row of JD_TEXT or JD_WORD in values; NULL = it has none, or there is no such row.
 */
const char *jd_option_text(const struct jd_options *options, const void *values, const char *name);

/* The row of a flag, of a letter; setting_count = there is none. */
size_t jd_index_of_flag(const struct jd_daemon *daemon, struct jl_text flag);
size_t jd_index_of_letter(const struct jd_daemon *daemon, char letter);
/* The row that --name or -x is; NULL = there is none. */
const struct jd_setting *jd_setting_of_word(const struct jd_daemon *daemon, const char *word);
/* A row's flag: its name in lower case with dashes. */
#define JD_FLAG_BYTES 64
const char *jd_flag_of(const struct jd_setting *setting, char out[JD_FLAG_BYTES]);
/* Word number i of a row; NULL = there is none any more. */
const char *jd_setting_word(const struct jd_setting *setting, size_t i);
/* Name of a row's value in help; NULL = it takes none. */
const char *jd_value_name(const struct jd_setting *setting);

/* manual.c */
void jd_put_option_help(struct jl_buffer *out, const struct jd_daemon *daemon); /* its rows */
void jd_put_option_man(struct jl_buffer *out, const struct jd_daemon *daemon);
void jd_put_help(struct jl_buffer *out, const struct jd_daemon *daemon);
void jd_put_man(struct jl_buffer *out, const struct jd_daemon *daemon);
/* Text with what roff would take for its own escaped: backslashes, dashes, and a point or quote at
 * the start of a line. */
void jd_put_roff(struct jl_buffer *out, const char *text);
/* The protocol of `joulie __complete`: the words behind an option; false = it takes no value, or is
 * none. The options. What may stand at the end of a daemon's command line. */
bool jd_put_values(struct jl_buffer *out, const struct jd_daemon *daemon, const char *word);
void jd_put_flags(struct jl_buffer *out, const struct jd_daemon *daemon);
void jd_put_candidates(struct jl_buffer *out, const struct jd_daemon *daemon, char **words,
                       size_t count);

/* setting.c: one value. 0 or a code with err->message without the place. */
int jd_setting_read(const struct jd_setting *setting, const char *text, void *values,
                    struct joulie_error *err);
struct json_object;
/* The settings of a model of which nothing is given; NULL = no row has a path, or memory ran out.
 */
struct json_object *jd_default_settings(const struct jd_daemon *daemon);
/* The default of a row as it would be given; false = it has none. */
bool jd_put_default(struct jl_buffer *out, const struct jd_setting *setting,
                    struct json_object *model);
/* The value of a row as JSON; text is one that jd_setting_read() took. */
void jd_setting_put_json(const struct jd_setting *setting, const char *text, struct jl_buffer *out);
