/* SPDX-License-Identifier: Apache-2.0 */

/* Completion scripts. They hold no words of their own: the shell asks `joulie __complete`. */

#include <string.h>

#include "cli.h"

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

static int run(struct jd_call *call)
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
    .run = run,
    .offer = offer,
};
