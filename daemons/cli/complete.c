/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What may stand at the end of a command line: `joulie __complete WORD...`, the last word being the
 * one that is typed. One candidate on each line, with a tab before its description, then :0 (files
 * may follow) or :4 (they may not). This is the protocol of kubectl's plugins, so that a link named
 * kubectl_complete-joulie completes there.
 */

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

enum { FILES_MAY_FOLLOW = 0, NO_FILES = 4 };

void jd_offer(const char *word, const char *doc)
{
    jd_print("%s\t%s\n", word, doc);
}

/* The words of command names that may follow `count` words: "cap", then "resolve". */
static void offer_command_words(char **words, size_t count)
{
    const char *last = "";
    size_t last_len = 0;
    for (size_t i = 0; jd_commands[i]; i++) {
        const char *rest = jd_commands[i]->name;
        for (size_t k = 0; rest && k < count; k++) {
            const size_t len = strlen(words[k]);
            rest = strncmp(rest, words[k], len) == 0 && rest[len] == ' ' ? rest + len + 1 : NULL;
        }
        if (!rest || rest[0] == '_')
            continue;
        const size_t len = strcspn(rest, " ");
        if (len == last_len && strncmp(rest, last, len) == 0)
            continue; /* "workload generate" and "workload inspect" share a word, and stand together
                       */
        jd_print("%.*s\t%s\n", (int)len, rest, rest[len] ? "" : jd_commands[i]->summary);
        last = rest;
        last_len = len;
    }
}

static void offer_options(const struct jd_command *command)
{
    for (size_t i = 0; i < command->option_count; i++)
        jd_print("--%s\t%s\n", command->options[i].name, command->options[i].doc);
}

static const struct jd_option *option_of(const struct jd_command *command, const char *word)
{
    if (word[0] != '-')
        return NULL;
    if (word[1] == '-')
        return jd_option_find(command, jl_text(word + 2));
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].letter && word[1] == command->options[i].letter && word[2] == '\0')
            return &command->options[i];
    }
    return NULL;
}

static int offer_values(const struct jd_command *command, const struct jd_option *option)
{
    for (size_t i = 0; option->words && option->words[i]; i++)
        jd_offer(option->words[i], "");
    if (option->id == JD_OPTION_DESCRIBE)
        command->offer(0);
    return option->words || option->id == JD_OPTION_DESCRIBE ? NO_FILES : FILES_MAY_FOLLOW;
}

/* words are those behind the command's name and before the one that is typed. */
static int offer_in_command(const struct jd_command *command, char **words, size_t count,
                            const char *typed)
{
    size_t arguments = 0;
    for (size_t i = 0; i < count; i++) {
        const struct jd_option *option = option_of(command, words[i]);
        if (option && option->value && ++i == count)
            return offer_values(command, option);
        arguments += !option;
    }
    if (typed[0] == '-') {
        offer_options(command);
        return NO_FILES;
    }
    if (command->offer)
        command->offer(arguments);
    return command->files == JD_FILES ? FILES_MAY_FOLLOW : NO_FILES;
}

/* Everything behind __complete is text, so this command reads its words itself. */
static int run(struct jd_call *call)
{
    const size_t count = call->argument_count > 0 ? call->argument_count - 1 : 0;
    const char *typed = call->argument_count > 0 ? call->arguments[count] : "";
    size_t used = 0;
    const struct jd_command *command = jd_command_find(call->arguments, count, &used);
    int files = NO_FILES;
    if (command)
        files = offer_in_command(command, call->arguments + used, count - used, typed);
    else
        offer_command_words(call->arguments, count);
    jd_print(":%d\n", files);
    return JD_EXIT_OK;
}

const struct jd_command jd_command_complete = {
    .name = "__complete",
    .most = SIZE_MAX,
    .summary = "Candidates for the last word",
    .is_raw = true,
    .run = run,
};
