/* SPDX-License-Identifier: Apache-2.0 */

/* The words that options take, and the command line of a command, read by the engine of
 * runtime/options.h. Options and arguments may be mixed; "--" ends the options. */

#include "base/error.h"
#include "cli.h"
#include "runtime/file.h"

const char *jd_program = "joulie"; /* "kubectl joulie" as a plugin */

const char *const jd_output_words[] = { "json", "pretty", "yaml", NULL };
const char *const jd_table_output_words[] = { "json", "pretty", "yaml", "table", NULL };
const char *const jd_model_words[] = { "current", "v0.1.1", "v0.1.0", NULL };
const char *const jd_physics_words[] = { "current", "v0.1.1", NULL };
const char *const jd_score_range_words[] = { "10", "100", NULL };

struct jd_daemon jd_table_of(const struct jd_command *command)
{
    return (struct jd_daemon){ .name = command->name,
                               .is_command = true,
                               .settings = command->options,
                               .setting_count = command->option_count };
}

const char *jd_given(const struct jd_call *call, size_t option)
{
    return jd_options_given(&call->options, option);
}

int jd_place_in_file(const char *file, int code, struct joulie_error *err)
{
    return err->line > 0
               ? jl_fail(err, code, err->where, "%s:%u: %s", file, err->line, err->message)
               : jl_fail(err, code, err->where, "%s: %s", file, err->message);
}

int jd_name_file(const struct jd_call *call, const struct jd_text_option *texts, size_t count,
                 int code, struct joulie_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *file = jd_given(call, texts[i].option);
        if (file && jl_starts_with(err->where, texts[i].where))
            return jd_place_in_file(file, code, err);
    }
    return code;
}

bool jd_reads_input_once(const struct jd_call *call, const struct jd_text_option *texts,
                         size_t count)
{
    size_t inputs = 0;
    for (size_t i = 0; i < count; i++)
        inputs += jl_same(jd_given(call, texts[i].option), "-");
    if (inputs > 1)
        jd_usage("only one of the files can be standard input");
    return inputs <= 1;
}

int jd_read_texts(struct jd_call *call, const struct jd_text_option *texts, size_t count,
                  struct joulie_error *err)
{
    char *values = (char *)&call->values;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *file = jd_given(call, texts[i].option);
        struct jl_buffer *text = &call->texts[i];
        if (!file)
            continue;
        rc = jd_read(file, text, err);
        jl_put_string(text, ""); /* an empty file is not an absent one */
        if (rc == 0 && text->is_failed)
            rc = jl_fail_memory(err);
        *(const char **)(values + texts[i].text) = text->data;
        *(size_t *)(values + texts[i].len) = text->len;
    }
    return rc == 0 && call->values.out ? jd_make_folder(call->values.out, err) : rc;
}

uint64_t jd_given_bits(const struct jd_call *call, const struct jd_number_option *numbers,
                       size_t count)
{
    uint64_t has = 0;
    for (size_t i = 0; i < count; i++)
        has |= jd_given(call, numbers[i].option) ? numbers[i].has : 0;
    return has;
}

static bool check_count(const struct jd_call *call)
{
    const struct jd_command *command = call->command;
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
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jd_sources sources = { .words = words, .word_count = count };
    call->arguments = words;
    call->table = jd_table_of(call->command);
    if (jd_options_read(&call->table, &sources, &call->options, &call->values, &err) < 0) {
        jd_usage("\"%s\": %s", call->command->name, err.message);
        return false;
    }
    call->argument_count = call->options.argument_count;
    return call->options.asked == JD_ASKED_HELP || check_count(call);
}
