/* SPDX-License-Identifier: Apache-2.0 */

/* --help, the commands `help` and `version`, and the manual page: all but the version is read from
 * the tables of commands and options. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static bool is_hidden(const struct jd_command *command)
{
    return command->name[0] == '_';
}

static void print_usage_line(const struct jd_command *command)
{
    jd_print("Usage: %s %s [OPTIONS]%s%s\n", jd_program, command->name,
             command->arguments ? " " : "", command->arguments ? command->arguments : "");
}

void jd_print_help(const struct jd_command *command)
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
}

void jd_print_overview(const char *group)
{
    jd_print("Usage: %s COMMAND [OPTIONS] [FILE]\n\n"
             "Decisions about power as commands: JSON or YAML in, JSON out.\n\nCommands:\n",
             jd_program);
    for (size_t i = 0; jd_commands[i]; i++) {
        const char *name = jd_commands[i]->name;
        if (!is_hidden(jd_commands[i]) && (!group || jd_command_is_in(name, group)))
            jd_print("  %-18s %s\n", jd_commands[i]->name, jd_commands[i]->summary);
    }
    jd_print(
        "\n%s COMMAND --help describes one of them.\n"
        "Exit status: 0 all answered, 1 some document was bad, 2 wrong usage, 3 stale data with "
        "--require-fresh.\n",
        jd_program);
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

static void put_roff(const char *text)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer escaped = { 0 };
    jd_put_roff(&escaped, text);
    jd_print("%s", escaped.data ? escaped.data : "");
}

static void put_man_of(const struct jd_command *command)
{
    jd_print(".SS joulie ");
    put_roff(command->name);
    jd_print(" [OPTIONS]");
    if (command->arguments) {
        jd_print(" ");
        put_roff(command->arguments);
    }
    jd_print("\n");
    put_roff(command->summary);
    jd_print(".\n");
    if (command->text) {
        jd_print(".PP\n.nf\n");
        put_roff(command->text);
        jd_print("\n.fi\n");
    }
    const struct jd_daemon table = jd_table_of(command);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer rows = { 0 };
    jd_put_option_man(&rows, &table);
    jd_print("%s", rows.data ? rows.data : "");
}

static void print_man(void)
{
    jd_print(
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
        "out by content. There is one answer per document, in order, one line each.\n",
        joulie_version());
    jd_print(".SH COMMANDS\n");
    for (size_t i = 0; jd_commands[i]; i++) {
        if (!is_hidden(jd_commands[i]))
            put_man_of(jd_commands[i]);
    }
    jd_print(".SH EXIT STATUS\n"
             ".TP\n.B 0\nEvery document was answered.\n"
             ".TP\n.B 1\nSome document was bad: its line is "
             "{\"error\":{\"code\",\"where\",\"message\"}}, the others are\n"
             "answered. Also: the output could not be written.\n"
             ".TP\n.B 2\nThe command line is wrong.\n"
             ".TP\n.B 3\nSome data was stale and \\fB\\-\\-require\\-fresh\\fR was given.\n"
             ".PP\nThe highest of 2, 1, 3 in that order wins.\n");
}

/* ---- the commands ---- */

static int run_help(struct jd_call *call)
{
    size_t used;
    if (call->values.man) {
        print_man();
        return JD_EXIT_OK;
    }
    if (call->argument_count == 0) {
        jd_print_overview(NULL);
        return JD_EXIT_OK;
    }
    const struct jd_command *command =
        jd_command_find(call->arguments, call->argument_count, &used);
    if (!command && call->argument_count == 1 && jd_command_is_group(call->arguments[0])) {
        jd_print_overview(call->arguments[0]);
        return JD_EXIT_OK;
    }
    if (!command || used != call->argument_count)
        return jd_command_unknown(call->arguments, call->argument_count);
    jd_print_help(command);
    return JD_EXIT_OK;
}

static void offer_commands(size_t index)
{
    for (size_t i = 0; index == 0 && jd_commands[i]; i++) {
        if (!is_hidden(jd_commands[i]))
            jd_offer(jd_commands[i]->name, jd_commands[i]->summary);
    }
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("MAN", man, "print the manual page (roff)"),
};

const struct jd_command jd_command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .most = 2,
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
    jl_put_string(&json, "{\"version\":");
    jl_put_json_string(&json, joulie_version(), strlen(joulie_version()));
    jl_put_string(&json, ",\"abi\":\"libjoulie.so.1\",\"features\":[");
    const char *feature;
    for (size_t i = 0; (feature = joulie_feature_at(i)) != NULL; i++) {
        jl_put_string(&json, i > 0 ? "," : "");
        jl_put_json_string(&json, feature, strlen(feature));
    }
    jl_put_string(&json, "],\"build\":");
    jl_put_json_string(&json, JD_BUILD, strlen(JD_BUILD));
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
