/* SPDX-License-Identifier: Apache-2.0 */

/* The manual page, made from the same tables as --help: docs/man/joulie.1 is this output. */

#include <stdio.h>

#include "cli.h"

static void put_roff(const char *text)
{
    struct jl_buffer escaped = { 0 };
    jd_put_roff(&escaped, text);
    jd_print("%s", escaped.data ? escaped.data : "");
    jl_buffer_clear(&escaped);
}

static void put_command(const struct jd_command *command)
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
    struct jl_buffer rows = { 0 };
    jd_put_option_man(&rows, &table);
    jd_print("%s", rows.data ? rows.data : "");
    jl_buffer_clear(&rows);
}

void jd_print_man(void)
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
        if (jd_commands[i]->name[0] != '_')
            put_command(jd_commands[i]);
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
