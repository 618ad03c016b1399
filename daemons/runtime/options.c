/* SPDX-License-Identifier: Apache-2.0 */

/* The sources of options: defaults, a daemon's file, the environment, the command line. */

#include "runtime/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hint.h"
#include "base/text.h"
#include "runtime/file.h"
#include "runtime/json.h"
#include "runtime/url.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)

extern char **environ;

static size_t index_of(const struct jd_daemon *daemon, struct jl_text name)
{
    size_t i = 0;
    while (i < daemon->setting_count && !jl_text_is(name, daemon->settings[i].name))
        i++;
    return i;
}

enum jd_source jd_source_of(const struct jd_options *options, const char *name)
{
    const size_t i = index_of(options->daemon, jl_text(name));
    return i < options->daemon->setting_count ? options->source[i] : JD_BY_DEFAULT;
}

void jd_options_force(struct jd_options *options, const char *name, const char *text)
{
    const size_t i = index_of(options->daemon, jl_text(name));
    if (i == options->daemon->setting_count)
        return;
    options->given[i] = text;
    options->source[i] = JD_COMMAND_LINE;
}

/* One value from a place that a person finds again. */
static int take(struct jd_options *options, void *values, size_t i, enum jd_source source,
                struct jl_text text, const char *place, struct joulie_error *err)
{
    const struct jl_text trimmed = options->daemon->is_command ? text : jl_text_trim(text);
    const char *copy = jl_arena_copy(&options->arena, trimmed.ptr, trimmed.len);
    if (!copy)
        return jl_fail_memory(err);
    if (!jl_utf8_valid(copy, trimmed.len))
        return jl_fail(err, JOULIE_E_PARSE, "", "%s: not UTF-8", place);
    const int rc = jd_setting_read(&options->daemon->settings[i], copy, values, err);
    if (rc < 0)
        return jl_fail(err, rc, "", "%s: %s", place, err->message);
    options->given[i] = copy;
    options->source[i] = source;
    return 0;
}

static int take_defaults(struct jd_options *options, void *values, struct joulie_error *err)
{
    JL_CLEANUP(jd_json_freep)
    struct json_object *model = jd_default_settings(options->daemon);
    int rc = 0;
    for (size_t i = 0; i < options->daemon->setting_count && rc == 0; i++) {
        const struct jd_setting *setting = &options->daemon->settings[i];
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
        if (setting->path && !model)
            rc = jl_fail_memory(err);
        else if (jd_put_default(&text, setting, model))
            rc = text.is_failed ? jl_fail_memory(err)
                                : take(options, values, i, JD_BY_DEFAULT,
                                       (struct jl_text){ text.data, text.len }, setting->name, err);
    }
    return rc;
}

/* --- /etc/joulie/<program>.conf: NAME=value, # ; and blank lines
 * --------------------------------*/

/* The quotes around a value go. What systemd's EnvironmentFile= would read as something else is
 * refused: a quote without its other end, and a backslash but between single quotes. */
static bool take_quotes(struct jl_text *text)
{
    const char quote = text->len > 0 ? text->ptr[0] : '\0';
    const bool is_quoted = quote == '"' || quote == '\'';
    if (is_quoted) {
        *text = (struct jl_text){ text->ptr + 1, text->len - 1 };
        if (jl_text_find(*text, quote) + 1 != text->len)
            return false;
        text->len--;
    }
    return quote == '\'' || jl_text_find(*text, '\\') == text->len;
}

static int take_line(struct jd_options *options, void *values, struct jl_text line, size_t number,
                     struct joulie_error *err)
{
    char place[256];
    line = jl_text_trim(line);
    if (line.len == 0 || line.ptr[0] == '#' || line.ptr[0] == ';')
        return 0;
    const size_t equals = jl_text_find(line, '=');
    const struct jl_text name = jl_text_trim((struct jl_text){ line.ptr, equals });
    const int name_len = name.len > 40 ? 40 : (int)name.len;
    snprintf(place, sizeof place, "%s:%zu: %.*s", options->file, number, name_len, name.ptr);
    if (equals == line.len)
        return jl_fail(err, JOULIE_E_PARSE, "", "%s: is not NAME=value", place);
    const size_t i = index_of(options->daemon, name);
    if (i == options->daemon->setting_count)
        return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "", "%s: there is no such option", place);
    if (options->daemon->settings[i].places == JD_FLAG_ONLY)
        return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "", "%s: only on the command line", place);
    struct jl_text value =
        jl_text_trim((struct jl_text){ line.ptr + equals + 1, line.len - equals - 1 });
    if (!take_quotes(&value))
        return jl_fail(err, JOULIE_E_PARSE, "", "%s: a quote or backslash that is not plain",
                       place);
    return value.len > 0 || options->daemon->settings[i].takes_empty
               ? take(options, values, i, JD_FILE, value, place, err)
               : 0;
}

static int take_lines(struct jd_options *options, void *values, struct jl_text text,
                      struct joulie_error *err)
{
    int rc = 0;
    for (size_t number = 1; rc == 0 && text.len > 0; number++)
        rc = take_line(options, values, jl_text_cut(&text, '\n'), number, err);
    return rc;
}

/* A file that somebody named has to be there; the usual one may be missing. */
static int take_file(struct jd_options *options, void *values, const char *file, bool is_named,
                     struct joulie_error *err)
{
    struct stat facts;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (stat(file, &facts) != 0)
        return errno == ENOENT && !is_named ? 0 : jd_fail_system(file, err);
    if (!S_ISREG(facts.st_mode))
        return jl_fail(err, JOULIE_E_IO, "", "%s: is not a regular file", file);
    const int rc = jd_read_file(file, FILE_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    options->file = jl_arena_string(&options->arena, file);
    return options->file ? take_lines(options, values, (struct jl_text){ text.data, text.len }, err)
                         : jl_fail_memory(err);
}

/* --- environment and command line --------------------------------------------------------------*/

static int take_environment(struct jd_options *options, void *values, char **environment,
                            struct joulie_error *err)
{
    for (char **line = environment; line && *line; line++) {
        struct jl_text value = jl_text(*line);
        const struct jl_text name = jl_text_cut(&value, '=');
        const size_t i = index_of(options->daemon, name);
        if (i == options->daemon->setting_count ||
            (jl_text_trim(value).len == 0 && !options->daemon->settings[i].takes_empty) ||
            options->daemon->settings[i].places != JD_ANYWHERE)
            continue;
        const int rc =
            take(options, values, i, JD_ENVIRONMENT, value, options->daemon->settings[i].name, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int unknown_word(const struct jd_daemon *daemon, const char *word, struct joulie_error *err)
{
    char flag[JD_FLAG_BYTES];
    char typed[JD_FLAG_BYTES];
    const int len = (int)strcspn(word, "=");
    snprintf(typed, sizeof typed, "%.*s", len, word);
    if (!jl_starts_with(word, "--") && !daemon->is_command)
        return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "", "%s: there is no such argument", word);
    for (size_t i = 0; i < daemon->setting_count; i++) {
        const struct jd_setting *setting = &daemon->settings[i];
        if (jl_starts_with(word, "--") && setting->type != JD_LATER && !setting->is_hidden &&
            jl_is_slip(typed + 2, jd_flag_of(setting, flag)))
            return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "",
                           "%s: there is no such option; did you mean --%s?", typed, flag);
    }
    return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "", "%s: there is no such option", typed);
}

/* A flag and its value, which may be the next word. */
struct jd_flag {
    size_t index; /* of its row; setting_count = it is --config */
    struct jl_text value;
    char place[JD_FLAG_BYTES + 2];
};

/* -x, -xVALUE, -x VALUE. */
static int read_letter(const struct jd_daemon *daemon, const char *word, struct jd_flag *out,
                       const char **out_value, struct joulie_error *err)
{
    out->index = word[1] ? jd_index_of_letter(daemon, word[1]) : daemon->setting_count;
    if (out->index == daemon->setting_count ||
        (word[2] && !jd_value_name(&daemon->settings[out->index])))
        return unknown_word(daemon, word, err);
    snprintf(out->place, sizeof out->place, "-%c", word[1]);
    *out_value = word[2] ? word + 2 : NULL;
    return 0;
}

/* --name, --name=VALUE, --name VALUE. */
static int read_name(const struct jd_daemon *daemon, const char *word, struct jd_flag *out,
                     const char **out_value, struct joulie_error *err)
{
    struct jl_text value = jl_text(word + 2);
    const struct jl_text name = jl_text_cut(&value, '=');
    const bool has_value = name.len < strlen(word + 2);
    out->index = jd_index_of_flag(daemon, name);
    const bool is_row = out->index < daemon->setting_count;
    if (name.len == 0 || (!is_row && (daemon->is_command || !jl_text_is(name, "config"))))
        return unknown_word(daemon, word, err);
    snprintf(out->place, sizeof out->place, "--%.*s", (int)name.len, name.ptr);
    *out_value = has_value ? value.ptr : NULL;
    return 0;
}

static int read_flag(const struct jd_daemon *daemon, const struct jd_sources *sources, size_t *i,
                     struct jd_flag *out, struct joulie_error *err)
{
    const char *word = sources->words[*i];
    const char *value = NULL;
    const int rc = jl_starts_with(word, "--") ? read_name(daemon, word, out, &value, err)
                   : word[0] == '-'           ? read_letter(daemon, word, out, &value, err)
                                              : unknown_word(daemon, word, err);
    if (rc < 0)
        return rc;
    const struct jd_setting *row =
        out->index < daemon->setting_count ? &daemon->settings[out->index] : NULL;
    const char *name = row ? jd_value_name(row) : "FILE";
    if (!name && value && daemon->is_command)
        return jl_fail(err, JOULIE_E_UNKNOWN_MEMBER, "", "%s takes no value", out->place);
    if (!value)
        value = !name ? "true" : ++*i < sources->word_count ? sources->words[*i] : NULL;
    const bool takes_empty = daemon->is_command || (row && row->takes_empty);
    if (!value || (jl_text_trim(jl_text(value)).len == 0 && !takes_empty))
        return jl_fail(err, JOULIE_E_REQUIRED, "", "%s: needs a value: %s", out->place,
                       name ? name : "BOOL");
    out->value = jl_text(value);
    return 0;
}

static enum jd_asked asked_by(const struct jd_daemon *daemon, const char *word)
{
    if (jl_same(word, "--help") || jl_same(word, "-h"))
        return JD_ASKED_HELP;
    if (daemon->is_command)
        return JD_ASKED_NOTHING;
    if (jl_same(word, "--version"))
        return JD_ASKED_VERSION;
    return jl_same(word, "--man") ? JD_ASKED_MAN : JD_ASKED_NOTHING;
}

/* A word that is no option: of a command, and a number below 0 too. */
static bool is_argument(const struct jd_daemon *daemon, const char *word)
{
    const bool is_negative = word[0] == '-' && (jl_is_digit(word[1]) || word[1] == '.');
    return daemon->is_command && (word[0] != '-' || word[1] == '\0' || is_negative);
}

/* Walks over the command line: first (values NULL) for what is asked and the file, later for the
 * values. Arguments move to the front, over words that have been read. */
static int walk_words(struct jd_options *options, const struct jd_sources *sources, void *values,
                      struct jl_text *out_file, struct joulie_error *err)
{
    const struct jd_daemon *daemon = options->daemon;
    bool is_behind_options = false;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sources->word_count; i++) {
        struct jd_flag flag;
        char *word = sources->words[i];
        if (daemon->is_command && !is_behind_options && jl_same(word, "--")) {
            is_behind_options = true;
            continue;
        }
        if (is_behind_options || is_argument(daemon, word)) {
            if (values)
                sources->words[options->argument_count++] = word;
            continue;
        }
        options->asked = asked_by(daemon, word);
        if (options->asked != JD_ASKED_NOTHING)
            return 0;
        rc = read_flag(daemon, sources, &i, &flag, err);
        if (rc < 0)
            return rc;
        if (flag.index == daemon->setting_count)
            *out_file = flag.value;
        else if (values)
            rc = take(options, values, flag.index, JD_COMMAND_LINE, flag.value, flag.place, err);
    }
    return rc;
}

int jd_options_read(const struct jd_daemon *daemon, const struct jd_sources *sources,
                    struct jd_options *options, void *values, struct joulie_error *err)
{
    struct jl_text named = { 0 };
    options->daemon = daemon;
    options->given = JL_NEW_ARRAY(&options->arena, daemon->setting_count + 1, const char *);
    options->source = JL_NEW_ARRAY(&options->arena, daemon->setting_count + 1, enum jd_source);
    if (!options->given || !options->source)
        return jl_fail_memory(err);
    int rc = walk_words(options, sources, NULL, &named, err);
    if (rc < 0 || options->asked != JD_ASKED_NOTHING)
        return rc;
    rc = take_defaults(options, values, err);
    if (rc == 0 && (named.ptr || sources->file)) /* a command has none */
        rc = take_file(options, values, named.ptr ? named.ptr : sources->file, named.ptr != NULL,
                       err);
    if (rc == 0)
        rc = take_environment(options, values, sources->environment, err);
    return rc == 0 ? walk_words(options, sources, values, &named, err) : rc;
}

void jd_options_clear(struct jd_options *options)
{
    jl_arena_clear(&options->arena);
    *options = (struct jd_options){ 0 };
}

/* --- reporting
 * ------------------------------------------------------------------------------------*/

static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if (*text <= ' ' || *text == '"' || *text == ',' || *text == '\\')
            return false;
    }
    return true;
}

/* Without the user part of URLs. */
static void put_shown(struct jl_buffer *out, const struct jd_setting *setting, const char *text)
{
    const bool is_url = jl_same(setting->value, "URL");
    JL_CLEANUP(jl_freep) char *shown = is_url ? jd_shown_url(text) : jl_strdup(text);
    if (!shown) {
        out->is_failed = true;
        return;
    }
    jd_hide_users(shown);
    if (is_plain(shown))
        jl_put_string(out, shown);
    else
        jl_put_json_string(out, shown, strlen(shown));
}

void jd_options_put(const struct jd_options *options, struct jl_buffer *out)
{
    static const char *const sources[] = { "", " (file)", " (environment)", " (command line)" };
    bool is_first = true;
    for (size_t i = 0; i < options->daemon->setting_count; i++) {
        const struct jd_setting *setting = &options->daemon->settings[i];
        const char *text = options->given[i];
        if (!text || setting->type == JD_LATER)
            continue;
        jd_put_format(out, "%s%s=", is_first ? "" : ", ", setting->name);
        put_shown(out, setting, text);
        jl_put_string(out, sources[options->source[i]]);
        is_first = false;
    }
}

void jd_options_each_later(const struct jd_options *options,
                           void (*report)(void *user, const struct jd_setting *setting), void *user)
{
    for (size_t i = 0; i < options->daemon->setting_count; i++) {
        if (options->daemon->settings[i].type == JD_LATER && options->given[i])
            report(user, &options->daemon->settings[i]);
    }
}

const char *jd_options_given(const struct jd_options *options, size_t offset)
{
    for (size_t i = 0; i < options->daemon->setting_count; i++) {
        if (options->daemon->settings[i].offset == offset && options->given[i])
            return options->given[i];
    }
    return NULL;
}

const char *jd_option_text(const struct jd_options *options, const void *values, const char *name)
{
    const size_t i = index_of(options->daemon, jl_text(name));
    const struct jd_setting *setting = &options->daemon->settings[i];
    if (i == options->daemon->setting_count ||
        (setting->type != JD_TEXT && setting->type != JD_WORD))
        return NULL;
    return *(const char *const *)(const void *)((const char *)values + setting->offset);
}

/* --- the settings of a model -------------------------------------------------------------------*/

/* The group of a row's path, with its point: "policy."; empty = it has none. */
static struct jl_text group_of(const struct jd_setting *setting)
{
    const char *dot = setting->path ? strchr(setting->path, '.') : NULL;
    return (struct jl_text){ setting->path, dot ? (size_t)(dot + 1 - setting->path) : 0 };
}

static bool is_of(const struct jd_options *options, size_t i, struct jl_text group)
{
    const struct jd_setting *setting = &options->daemon->settings[i];
    return setting->path && options->given[i] && jl_compare_text(group_of(setting), group) == 0;
}

/* Members of one level: those of a group, or those without one. */
static void put_members(const struct jd_options *options, struct jl_text group,
                        struct jl_buffer *out)
{
    for (size_t i = 0; i < options->daemon->setting_count; i++) {
        const struct jd_setting *setting = &options->daemon->settings[i];
        if (!is_of(options, i, group))
            continue;
        jd_json_put_key(out, setting->path + group.len);
        jd_setting_put_json(setting, options->given[i], out);
    }
}

static bool is_first_of(const struct jd_options *options, size_t row, struct jl_text group)
{
    for (size_t i = 0; i < row; i++) {
        if (is_of(options, i, group))
            return false;
    }
    return true;
}

void jd_options_put_settings(const struct jd_options *options, struct jl_buffer *out)
{
    jl_put_char(out, '{');
    for (size_t i = 0; i < options->daemon->setting_count; i++) {
        const struct jl_text group = group_of(&options->daemon->settings[i]);
        if (group.len == 0 || !is_of(options, i, group) || !is_first_of(options, i, group))
            continue;
        jd_json_next(out);
        jl_put_char(out, '"');
        jl_put(out, group.ptr, group.len - 1);
        jl_put_string(out, "\":{");
        put_members(options, group, out);
        jl_put_char(out, '}');
    }
    put_members(options, (struct jl_text){ "", 0 }, out);
    jl_put_char(out, '}');
}

int jd_options_blame_path(const struct jd_options *options, int rc, struct joulie_error *err)
{
    const struct joulie_error inner = *err;
    for (size_t i = 0; rc < 0 && i < options->daemon->setting_count; i++) {
        const char *path = options->daemon->settings[i].path;
        if (!path || !jl_starts_with(inner.where, path))
            continue;
        const char *rest = inner.where + strlen(path);
        if (*rest != '\0' && *rest != '.' && *rest != '[')
            continue;
        rest += *rest == '.';
        return jl_fail(err, rc, options->daemon->settings[i].name, "%s%s%s", rest,
                       *rest ? ": " : "", inner.message);
    }
    return rc;
}

/* --- a program's main() ------------------------------------------------------------------------*/

static int print(const struct jd_daemon *daemon, struct jl_buffer *text)
{
    errno = ENOMEM;
    const bool is_good = !text->is_failed &&
                         fwrite(text->data, 1, text->len, stdout) == text->len &&
                         fflush(stdout) == 0;
    jl_buffer_clear(text);
    if (!is_good)
        fprintf(stderr, "%s: standard output: %s\n", daemon->name, strerror(errno));
    return is_good ? JD_DONE : JD_BROKEN;
}

static int answer(const struct jd_daemon *daemon, enum jd_asked asked)
{
    struct jl_buffer text = { 0 };
    if (asked == JD_ASKED_HELP)
        jd_put_help(&text, daemon);
    else if (asked == JD_ASKED_MAN)
        jd_put_man(&text, daemon);
    else {
        jd_put_format(&text, "%s %s\n", daemon->name, joulie_version());
    }
    return print(daemon, &text);
}

int jd_options_blame(const char *name, int rc, struct joulie_error *err)
{
    const struct joulie_error inner = *err;
    return rc < 0 ? jl_fail(err, rc, name, "%s%s%s", inner.where, inner.where[0] ? ": " : "",
                            inner.message)
                  : rc;
}

int jd_options_main(const struct jd_daemon *daemon, int argc, char **argv,
                    struct jd_options *options, void *values)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char file[128];
    snprintf(file, sizeof file, "/etc/joulie/%s.conf", daemon->name);
    const struct jd_sources sources = {
        .words = argv + (argc > 0),
        .word_count = argc > 0 ? (size_t)argc - 1 : 0,
        .environment = environ,
        .file = file,
    };
    if (sources.word_count > 0 && jl_same(sources.words[0], "__complete")) {
        struct jl_buffer text = { 0 };
        jd_put_candidates(&text, daemon, sources.words + 1, sources.word_count - 1);
        return print(daemon, &text);
    }
    if (jd_options_read(daemon, &sources, options, values, &err) < 0) {
        jd_hide_users(err.message);
        fprintf(stderr, "%s: %s\nUsage: %s %s; %s --help says more.\n", daemon->name, err.message,
                daemon->name, daemon->synopsis, daemon->name);
        return JD_USAGE;
    }
    return options->asked != JD_ASKED_NOTHING ? answer(daemon, options->asked) : JD_GO_ON;
}
