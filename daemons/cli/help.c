/* SPDX-License-Identifier: Apache-2.0 */

/* --help, and the command `help`: everything is read from the tables of commands and options. */

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
    struct jl_buffer rows = { 0 };
    jd_put_option_help(&rows, &table);
    jd_print("\n%s", rows.data ? rows.data : "");
    jl_buffer_clear(&rows);
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

static int run_help(struct jd_call *call)
{
    size_t used;
    if (call->values.man) {
        jd_print_man();
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
