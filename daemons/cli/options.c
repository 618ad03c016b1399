/* SPDX-License-Identifier: Apache-2.0 */

/* Command lines, read by the command's table of options. Options and arguments may be mixed; "--"
 * ends the options. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli.h"

bool jd_given(const struct jd_call *call, enum jd_option_id id)
{
    return call->value[id] != NULL;
}

static const struct jd_option *row_of(const struct jd_call *call, enum jd_option_id id)
{
    const struct jd_option *row = call->command->options;
    while (row->id != id)
        row++;
    return row;
}

bool jd_double(const struct jd_call *call, enum jd_option_id id, double *out)
{
    const char *text = call->value[id];
    if (text && jl_parse_double(text, strlen(text), out) != 0) {
        jd_usage("--%s is a number, not \"%s\"", row_of(call, id)->name, text);
        return false;
    }
    return true;
}

int jd_name_file(const struct jd_call *call, const struct jd_text_option *texts, size_t count,
                 int code, struct joulie_error *err)
{
    char where[sizeof err->where];
    memcpy(where, err->where, sizeof where);
    for (size_t i = 0; i < count; i++) {
        const char *file = call->value[texts[i].id];
        if (file && jl_starts_with(where, texts[i].where))
            return err->line > 0
                       ? jl_fail(err, code, where, "%s:%u: %s", file, err->line, err->message)
                       : jl_fail(err, code, where, "%s: %s", file, err->message);
    }
    return code;
}

bool jd_integer(const struct jd_call *call, enum jd_option_id id, int64_t *out)
{
    const char *text = call->value[id];
    if (text && jl_parse_i64(text, strlen(text), out) != 0) {
        jd_usage("--%s is a whole number, not \"%s\"", row_of(call, id)->name, text);
        return false;
    }
    return true;
}

const struct jd_option *jd_option_find(const struct jd_command *command, struct jl_text name)
{
    for (size_t i = 0; i < command->option_count; i++) {
        if (jl_text_is(name, command->options[i].name))
            return &command->options[i];
    }
    return NULL;
}

static const struct jd_option *find_letter(const struct jd_command *command, char letter)
{
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].letter == letter)
            return &command->options[i];
    }
    return NULL;
}

static bool unknown_option(const struct jd_command *command, const char *word)
{
    for (size_t i = 0; word[1] == '-' && i < command->option_count; i++) {
        if (jl_is_slip(word + 2, command->options[i].name)) {
            jd_usage("\"%s\" has no option %s; did you mean --%s?", command->name, word,
                     command->options[i].name);
            return false;
        }
    }
    jd_usage("\"%s\" has no option %s", command->name, word);
    return false;
}

static bool take(struct jd_call *call, const struct jd_option *option, const char *value)
{
    bool is_listed = !option->is_closed;
    for (size_t i = 0; !is_listed && option->words[i]; i++)
        is_listed = jl_same(value, option->words[i]);
    if (!is_listed) {
        struct jl_buffer list = { 0 };
        for (size_t i = 0; option->words[i]; i++) {
            jl_put_string(&list, i > 0 ? ", " : "");
            jl_put_string(&list, option->words[i]);
        }
        jd_usage("--%s is one of %s, not \"%s\"", option->name, list.data ? list.data : "its words",
                 value);
        jl_buffer_clear(&list);
        return false;
    }
    call->value[option->id] = value;
    return true;
}

/* --name, --name=value, --name value, -n, -nvalue, -n value; *i moves over a value of its own word.
 */
static bool parse_option(struct jd_call *call, char **words, size_t count, size_t *i)
{
    const char *word = words[*i];
    const struct jd_option *option;
    const char *value = NULL;
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        const struct jl_text name = { word + 2,
                                      equals ? (size_t)(equals - word) - 2 : strlen(word + 2) };
        option = jd_option_find(call->command, name);
        value = equals ? equals + 1 : NULL;
    } else {
        option = find_letter(call->command, word[1]);
        value = word[2] ? word + 2 : NULL;
    }
    if (!option || (option->value == NULL && value && word[1] != '-'))
        return unknown_option(call->command, word);
    if (!option->value && value) {
        jd_usage("--%s takes no value", option->name);
        return false;
    }
    if (option->value && !value) {
        if (*i + 1 >= count) {
            jd_usage("--%s needs a value: %s", option->name, option->value);
            return false;
        }
        value = words[++*i];
    }
    return take(call, option, value ? value : "");
}

static bool check_count(const struct jd_call *call)
{
    const struct jd_command *command = call->command;
    if (jd_given(call, JD_OPTION_HELP))
        return true;
    if (call->argument_count > command->most)
        jd_usage("\"%s\" does not take the argument \"%s\"", command->name,
                 call->arguments[command->most]);
    else if (call->argument_count < command->least)
        jd_usage("\"%s\" needs %s", command->name, command->arguments);
    else
        return true;
    return false;
}

bool jd_parse(struct jd_call *call, char **words, size_t count)
{
    bool is_behind_options = call->command->is_raw;
    call->arguments = words; /* arguments move to the front, over words that have been read */
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        const bool is_negative_number = word[0] == '-' && (jl_is_digit(word[1]) || word[1] == '.');
        if (!is_behind_options && jl_same(word, "--")) {
            is_behind_options = true;
        } else if (is_behind_options || word[0] != '-' || word[1] == '\0' || is_negative_number) {
            call->arguments[call->argument_count++] = words[i];
        } else if (!parse_option(call, words, count, &i)) {
            return false;
        }
    }
    return check_count(call);
}
