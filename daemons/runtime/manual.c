/* SPDX-License-Identifier: Apache-2.0 */

/* --help, the manual page and completion of a daemon, all from its table of options. */

#include <string.h>

#include "base/text.h"
#include "runtime/json.h"
#include "runtime/options.h"

#define LEFT_COLUMN 30 /* flags with their values, in --help */
#define RIGHT_BORDER 100

/* Rows that every daemon has; those with a letter are rows of commands too. */
static const struct jd_setting common[] = {
    { .name = "CONFIG",
      .type = JD_TEXT,
      .value = "FILE",
      .doc = "read this file instead of the usual one" },
    { .name = "HELP", .letter = 'h', .type = JD_BOOLEAN, .doc = "print this help" },
    { .name = "VERSION", .type = JD_BOOLEAN, .doc = "print the version" },
};

static bool is_shown(const struct jd_setting *setting)
{
    return !setting->is_hidden && setting->type != JD_LATER && setting->type != JD_REFUSED;
}

/* Every option that is offered, those of all programs last. */
static void put_rows(struct jl_buffer *out, const struct jd_daemon *daemon,
                     void (*put_row)(struct jl_buffer *out, const struct jd_daemon *daemon,
                                     const struct jd_setting *setting))
{
    JL_CLEANUP(jd_json_freep) struct json_object *model = jd_default_settings(daemon);
    for (size_t i = 0; i < daemon->setting_count; i++) {
        struct jd_setting row = daemon->settings[i];
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer by_default = { 0 };
        if (!is_shown(&row))
            continue;
        if (jd_put_default(&by_default, &row, model))
            row.by_default = by_default.data;
        put_row(out, daemon, &row);
    }
    for (size_t i = 0; i < JL_COUNT(common); i++) {
        if (common[i].letter || !daemon->is_command)
            put_row(out, daemon, &common[i]);
    }
}

static void put_separator(struct jl_buffer *out)
{
    jl_put_string(out, out->len > 0 ? "; " : "(");
}

static void put_bounds(struct jl_buffer *out, const char *least, const char *most)
{
    if (least && most)
        jd_put_format(out, "from %s to %s", least, most);
    else
        jd_put_format(out, least ? "at least %s" : "at most %s", least ? least : most);
}

/* "(default 1s; from 1s to 1h)": what a person should know beside the doc; nothing of a command,
 * whose rows say it themselves. */
static void put_terms(struct jl_buffer *out, const struct jd_daemon *daemon,
                      const struct jd_setting *setting)
{
    const char *word = NULL;
    if (daemon->is_command)
        return;
    for (size_t i = 0; (word = jd_setting_word(setting, i)); i++)
        jd_put_format(out, "%s%s", i > 0 ? ", " : "(one of ", word);
    if (setting->by_default) {
        put_separator(out);
        jd_put_format(out, "default %s", setting->by_default);
    }
    if (setting->least || setting->most) {
        put_separator(out);
        put_bounds(out, setting->least, setting->most);
    }
    if (setting->places != JD_ANYWHERE) {
        put_separator(out);
        jl_put_string(out, setting->places == JD_IN_FILE ? "not from the environment"
                                                         : "only on the command line");
    }
    if (out->len > 0)
        jl_put_char(out, ')');
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

static void put_help_row(struct jl_buffer *out, const struct jd_daemon *daemon,
                         const struct jd_setting *setting)
{
    const size_t start = out->len;
    const char *value = jd_value_name(setting);
    char flag[JD_FLAG_BYTES];
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer terms = { 0 };
    if (daemon->is_command && setting->letter)
        jd_put_format(out, "  -%c, ", setting->letter);
    else
        jl_put_string(out, daemon->is_command ? "      " : "  ");
    jd_put_format(out, "--%s%s%s", jd_flag_of(setting, flag), value ? " " : "", value ? value : "");
    size_t column = out->len - start;
    if (column + 2 > LEFT_COLUMN) {
        jl_put_char(out, '\n');
        column = 0;
    }
    put_blanks(out, LEFT_COLUMN - column);
    column = LEFT_COLUMN;
    put_wrapped(out, &column, setting->doc);
    put_terms(&terms, daemon, setting);
    put_wrapped(out, &column, terms.data ? terms.data : "");
    jl_put_char(out, '\n');
}

void jd_put_option_help(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    jl_put_string(out, "Options:\n");
    put_rows(out, daemon, put_help_row);
}

void jd_put_help(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    jd_put_format(out, "Usage: %s %s\n\n%s\n\n", daemon->name, daemon->synopsis, daemon->text);
    jd_put_option_help(out, daemon);
    jd_put_format(out,
                  "\nEach option is also an environment variable (--state-dir: STATE_DIR) and a "
                  "line NAME=value of\n/etc/joulie/%s.conf; the command line wins over the "
                  "environment, which wins over the file.\n",
                  daemon->name);
}

/* --- manual page -------------------------------------------------------------------------------*/

void jd_put_roff(struct jl_buffer *out, const char *text)
{
    bool is_line_start = true;
    for (; *text; text++) {
        if (is_line_start && (*text == '.' || *text == '\''))
            jl_put_string(out, "\\&");
        if (*text == '\\')
            jl_put_string(out, "\\e");
        else if (*text == '-')
            jl_put_string(out, "\\-");
        else
            jl_put_char(out, *text);
        is_line_start = *text == '\n';
    }
}

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
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
        jl_put(&line, text, len);
        if (len == 0)
            jl_put_string(out, ".PP");
        else
            jd_put_roff(out, line.is_failed ? "" : line.data);
        jl_put_char(out, '\n');
        text += text[len] ? len + 1 : len;
    }
}

static void put_man_row(struct jl_buffer *out, const struct jd_daemon *daemon,
                        const struct jd_setting *setting)
{
    const char letter[] = { setting->letter, '\0' };
    char flag[JD_FLAG_BYTES];
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer terms = { 0 };
    jl_put_string(out, ".TP\n");
    if (daemon->is_command && setting->letter) {
        put_bold(out, "-", letter);
        jl_put_string(out, ", ");
    }
    put_bold(out, "--", jd_flag_of(setting, flag));
    if (jd_value_name(setting)) {
        jl_put_string(out, " \\fI");
        jd_put_roff(out, jd_value_name(setting));
        jl_put_string(out, "\\fR");
    }
    jl_put_char(out, '\n');
    jd_put_roff(out, setting->doc);
    put_terms(&terms, daemon, setting);
    if (terms.len > 0) {
        jl_put_char(out, ' ');
        jd_put_roff(out, terms.data);
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
    jd_put_format(out,
                  ".\\\" SPDX-License-Identifier: Apache-2.0\n"
                  ".\\\" Made by `%s --man`; do not edit.\n.TH ",
                  daemon->name);
    put_upper(out, daemon->name);
    jd_put_format(out, " 1 \"\" \"libjoulie %s\" \"User Commands\"\n.SH NAME\n", joulie_version());
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
    jl_put_string(out,
                  ".conf\\fR\nLines NAME=value, as systemd's EnvironmentFile= reads them: with "
                  "quotes around the value or\nwithout, no backslash but in single quotes, no "
                  "second line; # and ; begin a comment line. Another\nfile is named with "
                  "\\-\\-config.\n");
    for (size_t i = 0; i < daemon->section_count; i++) {
        jl_put_string(out, ".SH ");
        put_upper(out, daemon->sections[i].title);
        jl_put_char(out, '\n');
        put_paragraphs(out, daemon->sections[i].text);
    }
}

/* --- completion --------------------------------------------------------------------------------*/

static void offer_flag(struct jl_buffer *out, const struct jd_daemon *daemon,
                       const struct jd_setting *setting)
{
    char flag[JD_FLAG_BYTES];
    (void)daemon;
    jd_put_format(out, "--%s\t%s\n", jd_flag_of(setting, flag), setting->doc);
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
        jd_put_format(out, "%s\t\n", word_of_row);
    const bool may_be_file = !row || (row->type == JD_TEXT && !row->words);
    jl_put_string(out, may_be_file ? ":0\n" : ":4\n");
    return true;
}

void jd_put_flags(struct jl_buffer *out, const struct jd_daemon *daemon)
{
    put_rows(out, daemon, offer_flag);
    jl_put_string(out, ":4\n");
}

void jd_put_candidates(struct jl_buffer *out, const struct jd_daemon *daemon, char **words,
                       size_t count)
{
    if (!jd_put_values(out, daemon, count > 1 ? words[count - 2] : ""))
        jd_put_flags(out, daemon);
}
