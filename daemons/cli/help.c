/* SPDX-License-Identifier: Apache-2.0 */

/* --help, the commands `help` and `version`, and the manual page: all but the version is read from
 * the tables of commands and options. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "runtime/json.h"

static void print_usage_line(const struct jd_command *command)
{
    jd_print("Usage: %s %s [OPTIONS]%s%s\n", jd_program, command->name,
             command->arguments ? " " : "", command->arguments ? command->arguments : "");
}

int jd_print_help(const struct jd_command *command)
{
    print_usage_line(command);
    jd_print("\n%s.\n", command->summary);
    if (command->text)
        jd_print("\n%s\n", command->text);
    if (command->files == JD_FILES)
        jd_print("\nA file that is missing or - is standard input.\n");
    const struct jd_daemon table = jd_table_of(command);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer rows = { 0 };
    jd_put_option_help(&rows, &table);
    jd_print("\n%s", rows.data ? rows.data : "");
    if (command->question)
        jd_print("\nIts members: %s ask --describe %s\n", jd_program, command->question);
    return JD_EXIT_OK;
}

int jd_print_overview(const char *group)
{
    jd_print("Usage: %s COMMAND [OPTIONS] [FILE]\n\n"
             "Decisions about power as commands: JSON or YAML in, JSON out.\n\nCommands:\n",
             jd_program);
    for (size_t i = 0; jd_commands[i]; i++) {
        if (!group || jd_command_is_in(jd_commands[i]->name, group))
            jd_print("  %-22s %s\n", jd_commands[i]->name, jd_commands[i]->summary);
    }
    jd_print(
        "\n%s COMMAND --help describes one of them.\n"
        "Exit status: 0 all answered, 1 some document was bad, 2 wrong usage, 3 stale data with "
        "--require-fresh.\n",
        jd_program);
    return JD_EXIT_OK;
}

int jd_usage(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: ", jd_program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nUsage: %s COMMAND [OPTIONS] [FILE]; %s --help lists the commands.\n",
            jd_program, jd_program);
    return JD_EXIT_USAGE;
}

/* ---- the manual page: docs/man/joulie.1 is this output ---- */

static void put_man_of(struct jl_buffer *out, const struct jd_command *command)
{
    const struct jd_daemon table = jd_table_of(command);
    jl_put_string(out, ".SS joulie ");
    jd_put_roff(out, command->name);
    jl_put_string(out, " [OPTIONS]");
    if (command->arguments) {
        jl_put_char(out, ' ');
        jd_put_roff(out, command->arguments);
    }
    jl_put_char(out, '\n');
    jd_put_roff(out, command->summary);
    jl_put_string(out, ".\n");
    if (command->text) {
        jl_put_string(out, ".PP\n.nf\n");
        jd_put_roff(out, command->text);
        jl_put_string(out, "\n.fi\n");
    }
    jd_put_option_man(out, &table);
}

static int print_man(void)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    jd_put_format(
        &out,
        ".\\\" SPDX-License-Identifier: Apache-2.0\n"
        ".\\\" Made by `joulie help --man`; do not edit.\n"
        ".TH JOULIE 1 \"\" \"libjoulie %s\" \"User Commands\"\n"
        ".SH NAME\njoulie \\- decisions about power as commands\n"
        ".SH SYNOPSIS\n.B joulie\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR]\n"
        ".SH DESCRIPTION\n"
        "The decision commands ask the pure functions of libjoulie: JSON or YAML in, JSON out,\n"
        "no cluster, no root, no clock. A file that is missing or \\- is standard input. The "
        "input is\n"
        "a JSON object, an array (each element is one document), JSON lines or YAML documents, "
        "found\n"
        "out by content. There is one answer per document, in order, one line each.\n"
        ".SH COMMANDS\n",
        joulie_version());
    for (size_t i = 0; jd_commands[i]; i++)
        put_man_of(&out, jd_commands[i]);
    jl_put_string(&out,
                  ".SH EXIT STATUS\n"
                  ".TP\n.B 0\nEvery document was answered.\n"
                  ".TP\n.B 1\nSome document was bad: its line is "
                  "{\"error\":{\"code\",\"where\",\"message\"}}, the others are\n"
                  "answered. Also: the output could not be written.\n"
                  ".TP\n.B 2\nThe command line is wrong.\n"
                  ".TP\n.B 3\nSome data was stale and \\fB\\-\\-require\\-fresh\\fR was given.\n"
                  ".PP\nThe highest of 2, 1, 3 in that order wins.\n");
    jd_print("%s", out.data ? out.data : "");
    return JD_EXIT_OK;
}

/* ---- the commands ---- */

static int run_help(struct jd_call *call)
{
    char **words = call->arguments;
    const size_t count = call->argument_count;
    size_t used;
    if (call->values.man)
        return print_man();
    if (count == 0)
        return jd_print_overview(NULL);
    const struct jd_command *command = jd_command_find(words, count, &used);
    if (!command && count == 1 && jd_command_is_group(words[0]))
        return jd_print_overview(words[0]);
    return command && used == count ? jd_print_help(command) : jd_command_unknown(words, count);
}

static void offer_commands(size_t index)
{
    for (size_t i = 0; index == 0 && jd_commands[i]; i++)
        jd_offer(jd_commands[i]->name, jd_commands[i]->summary);
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("MAN", man, "print the manual page (roff)"),
};

const struct jd_command jd_command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .most = 3,
    .summary = "Describes a command",
    JD_ROWS(options),
    .run = run_help,
    .offer = offer_commands,
};

static int run_version(struct jd_call *call)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer json = { 0 };
    if (!call->values.output) {
        jd_print("joulie %s\n", joulie_version());
        return JD_EXIT_OK;
    }
    jl_put_char(&json, '{');
    jd_json_put_text(&json, "version", joulie_version());
    jl_put_string(&json, ",\"abi\":\"libjoulie.so.1\",\"features\":[");
    const char *feature;
    for (size_t i = 0; (feature = joulie_feature_at(i)) != NULL; i++) {
        jd_json_next(&json);
        jl_put_json_string(&json, feature, strlen(feature));
    }
    jl_put_char(&json, ']');
    jd_json_put_text(&json, "build", JD_BUILD);
    jl_put_char(&json, '}');
    if (!json.is_failed)
        jd_put_answer(call, json.data);
    return JD_EXIT_OK;
}

static const struct jd_setting version_rows[] = {
    JD_OUTPUT_ROW("version, ABI, features and build as json, pretty or yaml"),
};

const struct jd_command jd_command_version = {
    .name = "version",
    .summary = "Version of the library that is loaded",
    JD_ROWS(version_rows),
    .run = run_version,
};
