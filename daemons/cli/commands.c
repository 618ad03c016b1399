/* SPDX-License-Identifier: Apache-2.0 */

/* The table of commands, and finding one by its words. A command is a struct in a file here with a
 * table of options, and one word of JD_COMMANDS. */

#include <string.h>

#include "cli.h"

#define POINTER(name) &jd_command_##name,
const struct jd_command *const jd_commands[] = { JD_COMMANDS(POINTER) NULL };

/* Number of words that the command's name takes from the line, 0 = another command. */
static size_t match(const struct jd_command *command, char **words, size_t count)
{
    const char *rest = command->name;
    for (size_t i = 0; i < count; i++) {
        const size_t len = strlen(words[i]);
        if (len == 0 || strncmp(rest, words[i], len) != 0)
            return 0;
        if (rest[len] == '\0')
            return i + 1;
        if (rest[len] != ' ')
            return 0;
        rest += len + 1;
    }
    return 0;
}

const struct jd_command *jd_command_find(char **words, size_t count, size_t *used)
{
    for (size_t i = 0; jd_commands[i]; i++) {
        *used = match(jd_commands[i], words, count);
        if (*used > 0)
            return jd_commands[i];
    }
    return NULL;
}

bool jd_command_is_in(const char *name, const char *group)
{
    const size_t len = strlen(group);
    return len > 0 && strncmp(name, group, len) == 0 && name[len] == ' ';
}

bool jd_command_is_group(const char *word)
{
    for (size_t i = 0; jd_commands[i]; i++) {
        if (jd_command_is_in(jd_commands[i]->name, word))
            return true;
    }
    return false;
}

static const char *hint_of(char **words, size_t count)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    const char *hint = NULL;
    for (size_t i = 0; i < count && i < 3; i++) { /* names have up to three words */
        if (i > 0)
            jl_put_char(&line, ' ');
        jl_put_string(&line, words[i]);
        const char *found = NULL; /* more words say more */
        for (size_t k = 0; line.data && !found && jd_commands[k]; k++) {
            const char *name = jd_commands[k]->name;
            if (jl_is_slip(line.data, name))
                found = name;
        }
        hint = found ? found : hint;
    }
    return hint;
}

int jd_command_unknown(char **words, size_t count)
{
    const bool is_group = jd_command_is_group(words[0]);
    const char *second = is_group && count > 1 && words[1][0] != '-' ? words[1] : NULL;
    const char *hint = hint_of(words, count);
    if (is_group && !second)
        return jd_usage("\"%s\" needs one more word, such as \"%s\"; %s help %s lists them",
                        words[0], hint, jd_program, words[0]);
    return jd_usage(hint ? "there is no command \"%s%s%s\"; did you mean \"%s\"?"
                         : "there is no command \"%s%s%s\"",
                    words[0], second ? " " : "", second ? second : "", hint);
}
