/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What may stand at the end of a command line: `joulie __complete WORD...`, the last word being the
 * one that is typed. One candidate on each line, with a tab before its description, then :0 (files
 * may follow) or :4 (they may not). This is the protocol of kubectl's plugins, so that a link named
 * kubectl_complete-joulie completes there.
 */

#include <string.h>

#include "cli.h"

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
        const size_t len = rest ? strcspn(rest, " ") : 0;
        if (!rest || (len == last_len && strncmp(rest, last, len) == 0))
            continue; /* "workload generate" and "workload inspect" share a word, and stand together
                       */
        jd_print("%.*s\t%s\n", (int)len, rest, rest[len] ? "" : jd_commands[i]->summary);
        last = rest;
        last_len = len;
    }
}

/* words are those behind the command's name and before the one that is typed. */
static void offer_in_command(const struct jd_command *command, char **words, size_t count,
                             const char *typed)
{
    const struct jd_daemon table = jd_table_of(command);
    const struct jd_setting *row = NULL; /* whose value is typed */
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    size_t arguments = 0;
    for (size_t i = 0; i < count && !row; i++) {
        const struct jd_setting *found = jd_setting_of_word(&table, words[i]);
        const bool takes_value = found && jd_value_name(found);
        arguments += !found;
        i += takes_value;
        if (takes_value && i == count)
            row = found;
    }
    if (row && !row->is_argument)
        jd_put_values(&out, &table, words[count - 1]);
    else if (!row && typed[0] == '-')
        jd_put_flags(&out, &table);
    jd_print("%s", out.data ? out.data : "");
    if (out.len > 0)
        return;
    if (command->offer)
        command->offer(row ? 0 : arguments);
    jd_print(":%d\n", command->files == JD_FILES && !row ? FILES_MAY_FOLLOW : NO_FILES);
}

int jd_complete(char **words, size_t count)
{
    const size_t before = count > 0 ? count - 1 : 0;
    size_t used = 0;
    const struct jd_command *command = jd_command_find(words, before, &used);
    if (command) {
        offer_in_command(command, words + used, before - used, count > 0 ? words[before] : "");
        return JD_EXIT_OK;
    }
    offer_command_words(words, before);
    jd_print(":%d\n", NO_FILES);
    return JD_EXIT_OK;
}

/* ---- completion scripts: they hold no words of their own, the shell asks `joulie __complete` ----
 */

static const char bash_script[] =
    "# bash completion of joulie and joulie-agent: source <(joulie completion bash)\n"
    "_joulie()\n"
    "{\n"
    "    local IFS=$'\\n' words=() lines=() i\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} == '=' && $i -lt $COMP_CWORD ]] || "
    "words+=(\"${COMP_WORDS[i]#=}\")\n"
    "    done\n"
    "    lines=($(\"${COMP_WORDS[0]}\" __complete \"${words[@]}\" 2>/dev/null))\n"
    "    ((${#lines[@]})) || return 0\n"
    "    [[ ${lines[-1]} == ':0' ]] && compopt -o default\n"
    "    unset 'lines[-1]'\n"
    "    COMPREPLY=($(compgen -W \"${lines[*]%%$'\\t'*}\" -- \"${words[-1]}\"))\n"
    "}\n"
    "complete -F _joulie joulie joulie-agent\n";

static const char zsh_script[] =
    "#compdef joulie joulie-agent\n"
    "# zsh completion of joulie: source <(joulie completion zsh), or a file _joulie in $fpath\n"
    "_joulie()\n"
    "{\n"
    "    local -a lines candidates\n"
    "    local line\n"
    "    lines=(\"${(@f)$(\"${words[1]}\" __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
    "    for line in \"${(@)lines[1,-2]}\"; do\n"
    "        candidates+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done\n"
    "    (($#candidates)) && _describe joulie candidates\n"
    "    [[ ${lines[-1]} == ':0' ]] && _files\n"
    "}\n"
    "if [[ $funcstack[1] == _joulie ]]; then _joulie \"$@\"; else compdef _joulie joulie "
    "joulie-agent; fi\n";

static const char fish_script[] =
    "# fish completion of joulie: joulie completion fish | source\n"
    "function __joulie_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l typed (commandline -ct)\n"
    "    set -l lines ($words[1] __complete $words[2..-1] \"$typed\" 2>/dev/null)\n"
    "    test (count $lines) -gt 0; or return\n"
    "    test (count $lines) -gt 1; and printf '%s\\n' $lines[1..-2]\n"
    "    test \"$lines[-1]\" = ':0'; and __fish_complete_path \"$typed\"\n"
    "end\n"
    "complete -c joulie -f -a '(__joulie_complete)'\n"
    "complete -c joulie-agent -f -a '(__joulie_complete)'\n";

static const char *const shells[] = { "bash", "zsh", "fish" };
static const char *const scripts[] = { bash_script, zsh_script, fish_script };

static int run_completion(struct jd_call *call)
{
    for (size_t i = 0; i < JL_COUNT(shells); i++) {
        if (jl_same(call->arguments[0], shells[i])) {
            jd_put_text(call, scripts[i], strlen(scripts[i]));
            return JD_EXIT_OK;
        }
    }
    return jd_usage("\"completion\" needs bash, zsh or fish, not \"%s\"", call->arguments[0]);
}

static void offer(size_t index)
{
    for (size_t i = 0; index == 0 && i < JL_COUNT(shells); i++)
        jd_offer(shells[i], "");
}

const struct jd_command jd_command_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .least = 1,
    .most = 1,
    .summary = "Prints a completion script for a shell",
    .text = "For kubectl, link joulie as kubectl-joulie and as kubectl_complete-joulie.",
    .run = run_completion,
    .offer = offer,
};
