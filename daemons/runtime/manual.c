/* SPDX-License-Identifier: Apache-2.0 */

/* --help, the manual page and completion of a daemon, all from its table of options. */

#include <string.h>

#include "base/text.h"
#include "runtime/options.h"
#include "runtime/roff.h"

#define LEFT_COLUMN 30 /* flags with their values, in --help */
#define RIGHT_BORDER 100

/* Rows that every daemon has. */
static const struct {
    const char *flag;
    char letter;
    bool is_of_commands; /* too */
    const char *value;
    const char *doc;
} common[] = {
    { "config", 0, false, "FILE", "read this file instead of the usual one" },
    { "help", 'h', true, NULL, "print this help" },
    { "version", 0, false, NULL, "print the version" },
};

/* A line of help or of the manual page. */
struct row {
    const char *flag;
    char letter;
    const char *value;
    const char *doc;
    const char *terms; /* NULL = none */
    bool has_letters;  /* the table has short forms */
};

static bool is_shown(const struct jd_setting *setting)
{
    return !setting->is_hidden && setting->type != JD_LATER && setting->type != JD_REFUSED;
}

static void put_separator(struct jl_buffer *out, size_t start)
{
    jl_put_string(out, out->len > start ? "; " : "");
}

static void put_bounds(struct jl_buffer *out, const char *least, const char *most)
{
    const char *before = most ? "from " : "at least ";
    jl_put_string(out, least ? before : "at most ");
    jl_put_string(out, least ? least : "");
    jl_put_string(out, least && most ? " to " : "");
    jl_put_string(out, most ? most : "");
}

/* "default 1s, from 1s to 1h": what a person should know beside the doc; "" = nothing. */
static void put_terms(struct jl_buffer *out, const struct jd_setting *setting)
{
    const size_t start = out->len;
    const char *by_default = setting->by_default;
    const char *word = NULL;
    for (size_t i = 0; (word = jd_setting_word(setting, i)); i++) {
        jl_put_string(out, i > 0 ? ", " : "one of ");
        jl_put_string(out, word);
    }
    if (by_default) {
        put_separator(out, start);
        jl_put_string(out, "default ");
        jl_put_string(out, by_default);
    }
    if (setting->least || setting->most) {
        put_separator(out, start);
        put_bounds(out, setting->least, setting->most);
    }
    if (setting->places != JD_ANYWHERE) {
        put_separator(out, start);
        jl_put_string(out, setting->places == JD_IN_FILE ? "not from the environment"
                                                         : "only on the command line");
    }
}

/* --- help --------------------------------------------------------------------------------------*/

static void put_blanks(struct jl_buffer *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        jl_put_char(out, ' ');
}

/* Words up to the right border, each next line below the first; *column is where out stands. */
static void put_wrapped(struct jl_buffer *out, size_t *column, const char *text)
{
    while (*text) {
        const size_t len = strcspn(text, " ");
        if (*column > LEFT_COLUMN && *column + 1 + len > RIGHT_BORDER) {
            jl_put_char(out, '\n');
            put_blanks(out, LEFT_COLUMN);
            *column = LEFT_COLUMN;
        } else if (*column > LEFT_COLUMN) {
            jl_put_char(out, ' ');
            ++*column;
        }
        jl_put(out, text, len);
        *column += len;
        text += len + strspn(text + len, " ");
    }
}

static void put_help_row(struct jl_buffer *out, const struct row *row)
{
    const char short_form[] = { '-', row->letter, ',', ' ', '\0' };
    const size_t start = out->len;
    struct jl_buffer in_brackets = { 0 };
    jl_put_string(out, "  ");
    if (row->has_letters)
        jl_put_string(out, row->letter ? short_form : "    ");
    jl_put_string(out, "--");
    jl_put_string(out, row->flag);
    jl_put_string(out, row->value ? " " : "");
    jl_put_string(out, row->value ? row->value : "");
    size_t column = out->len - start;
    if (column + 2 > LEFT_COLUMN) {
        jl_put_char(out, '\n');
        column = 0;
    }
    put_blanks(out, LEFT_COLUMN - column);
    column = LEFT_COLUMN;
    put_wrapped(out, &column, row->doc);
    if (!jl_is_empty(row->terms)) {
        jl_put_char(&in_brackets, '(');
        jl_put_string(&in_brackets, row->terms);
        jl_put_char(&in_brackets, ')');
        put_wrapped(out, &column, in_brackets.data ? in_brackets.data : "");
        jl_buffer_clear(&in_brackets);
    }
    jl_put_char(out, '\n');
}

/* Every option that is offered, those of all programs last. A command's rows say their terms
 * themselves. */
static void put_rows(struct jl_buffer *out, const struct jd_daemon *daemon,
                     void (*put_row)(struct jl_buffer *out, const struct row *row))
{
    for (size_t i = 0; i < daemon->setting_count; i++) {
        const struct jd_setting *setting = &daemon->settings[i];
        char flag[JD_FLAG_BYTES];
        struct jl_buffer terms = { 0 };
        if (!is_shown(setting))
            continue;
        if (!daemon->is_command)
            put_terms(&terms, setting);
        const struct row row = { jd_flag_of(setting, flag),
                                 setting->letter,
                                 jd_value_name(setting),
                                 setting->doc,
                                 terms.data,
                                 daemon->is_command };
        put_row(out, &row);
        jl_buffer_clear(&terms);
    }
    for (size_t i = 0; i < JL_COUNT(common); i++) {
        const struct row row = { common[i].flag,
                                 daemon->is_command ? common[i].letter : 0,
                                 common[i].value,
                                 common[i].doc,
                                 NULL,
                                 daemon->is_command };
        if (common[i].is_of_commands || !daemon->is_command)
            put_row(out, &row);
    }
}

void jd_put_option_help(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    jl_put_string(out, "Options:\n");
    put_rows(out, daemon, put_help_row);
}

void jd_put_help(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    jl_put_string(out, "Usage: ");
    jl_put_string(out, daemon->name);
    jl_put_char(out, ' ');
    jl_put_string(out, daemon->synopsis);
    jl_put_string(out, "\n\n");
    jl_put_string(out, daemon->text);
    jl_put_string(out, "\n\n");
    jd_put_option_help(out, daemon);
    jl_put_string(out,
                  "\nEach option is also an environment variable (--state-dir: STATE_DIR) and a "
                  "line NAME=value of\n/etc/joulie/");
    jl_put_string(out, daemon->name);
    jl_put_string(out, ".conf; the command line wins over the environment, which wins over the "
                       "file.\n");
}

/* --- manual page -------------------------------------------------------------------------------*/

static void put_upper(struct jl_buffer *out, const char *text)
{
    for (; *text; text++)
        jl_put_char(out, *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text);
}

static void put_bold(struct jl_buffer *out, const char *before, const char *text)
{
    jl_put_string(out, "\\fB");
    jd_put_roff(out, before);
    jd_put_roff(out, text);
    jl_put_string(out, "\\fR");
}

/* Lines; an empty one begins a paragraph. */
static void put_paragraphs(struct jl_buffer *out, const char *text)
{
    while (*text) {
        const size_t len = strcspn(text, "\n");
        struct jl_buffer line = { 0 };
        jl_put(&line, text, len);
        if (len == 0)
            jl_put_string(out, ".PP");
        else
            jd_put_roff(out, line.is_failed ? "" : line.data);
        jl_put_char(out, '\n');
        jl_buffer_clear(&line);
        text += text[len] ? len + 1 : len;
    }
}

static void put_man_row(struct jl_buffer *out, const struct row *row)
{
    const char letter[] = { row->letter, '\0' };
    jl_put_string(out, ".TP\n");
    if (row->letter) {
        put_bold(out, "-", letter);
        jl_put_string(out, ", ");
    }
    put_bold(out, "--", row->flag);
    if (row->value) {
        jl_put_string(out, " \\fI");
        jd_put_roff(out, row->value);
        jl_put_string(out, "\\fR");
    }
    jl_put_char(out, '\n');
    jd_put_roff(out, row->doc);
    if (!jl_is_empty(row->terms)) {
        jl_put_string(out, " (");
        jd_put_roff(out, row->terms);
        jl_put_char(out, ')');
    }
    jl_put_string(out, ".\n");
}

void jd_put_option_man(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    put_rows(out, daemon, put_man_row);
}

static void put_later(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    bool is_first = true;
    for (size_t i = 0; i < daemon->setting_count; i++) {
        if (daemon->settings[i].type != JD_LATER)
            continue;
        jl_put_string(out, is_first ? ".PP\nKnown and without effect yet; one that is set is "
                                      "logged at the start:\n"
                                    : ",\n");
        put_bold(out, "", daemon->settings[i].name);
        is_first = false;
    }
    jl_put_string(out, is_first ? "" : ".\n");
}

static void put_man_head(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    jl_put_string(out, ".\\\" SPDX-License-Identifier: Apache-2.0\n.\\\" Made by `");
    jl_put_string(out, daemon->name);
    jl_put_string(out, " --man`; do not edit.\n.TH ");
    put_upper(out, daemon->name);
    jl_put_string(out, " 1 \"\" \"libjoulie ");
    jl_put_string(out, joulie_version());
    jl_put_string(out, "\" \"User Commands\"\n.SH NAME\n");
    jd_put_roff(out, daemon->name);
    jl_put_string(out, " \\- ");
    jd_put_roff(out, daemon->summary);
    jl_put_string(out, "\n.SH SYNOPSIS\n");
    put_bold(out, "", daemon->name);
    jl_put_char(out, ' ');
    jd_put_roff(out, daemon->synopsis);
    jl_put_string(out, "\n.SH DESCRIPTION\n");
    put_paragraphs(out, daemon->text);
}

void jd_put_man(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    put_man_head(out, daemon);
    jl_put_string(out, ".SH OPTIONS\n");
    jd_put_option_man(out, daemon);
    jl_put_string(out,
                  ".SH ENVIRONMENT AND FILES\n"
                  "The name of an option in upper case with underscores is its environment "
                  "variable and its key in the\nfile. A variable that is empty counts as not set; "
                  "the command line wins over the environment,\nwhich wins over the file. A "
                  "duration is written as in Go: 300ms, 1m30s. Unknown flags and keys,\nand values "
                  "that cannot be read, stop the start.\n");
    put_later(out, daemon);
    jl_put_string(out, ".TP\n\\fI/etc/joulie/");
    jd_put_roff(out, daemon->name);
    jl_put_string(out, ".conf\\fR\nLines NAME=value, with quotes or without; # begins a comment "
                       "line.\n");
    for (size_t i = 0; i < daemon->section_count; i++) {
        jl_put_string(out, ".SH ");
        put_upper(out, daemon->sections[i].title);
        jl_put_char(out, '\n');
        put_paragraphs(out, daemon->sections[i].text);
    }
}

/* --- completion --------------------------------------------------------------------------------*/

static void offer(struct jl_buffer *out, const char *before, const char *word, const char *doc)
{
    jl_put_string(out, before);
    jl_put_string(out, word);
    jl_put_char(out, '\t');
    jl_put_string(out, doc);
    jl_put_char(out, '\n');
}

static const struct jd_setting *row_before(const struct jd_daemon *daemon, const char *word)
{
    const struct jd_setting *setting = jd_setting_of_word(daemon, word);
    return setting && is_shown(setting) && jd_value_name(setting) ? setting : NULL;
}

bool jd_put_values(struct jl_buffer *out, const struct jd_daemon *daemon, const char *word)
{
    const struct jd_setting *row = row_before(daemon, word);
    if (!row && (daemon->is_command || !jl_same(word, "--config")))
        return false;
    const char *word_of_row = NULL;
    for (size_t i = 0; row && (word_of_row = jd_setting_word(row, i)); i++)
        offer(out, "", word_of_row, "");
    const bool may_be_file = !row || (row->type == JD_TEXT && !row->words);
    jl_put_string(out, may_be_file ? ":0\n" : ":4\n");
    return true;
}

void jd_put_flags(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    char flag[JD_FLAG_BYTES];
    for (size_t i = 0; i < daemon->setting_count; i++) {
        if (is_shown(&daemon->settings[i]))
            offer(out, "--", jd_flag_of(&daemon->settings[i], flag), daemon->settings[i].doc);
    }
    for (size_t i = 0; i < JL_COUNT(common); i++) {
        if (common[i].is_of_commands || !daemon->is_command)
            offer(out, "--", common[i].flag, common[i].doc);
    }
    jl_put_string(out, ":4\n");
}

void jd_put_candidates(struct jl_buffer *out, const struct jd_daemon *daemon, char **words,
                       size_t count)
{
    if (!jd_put_values(out, daemon, count > 1 ? words[count - 2] : ""))
        jd_put_flags(out, daemon);
}
