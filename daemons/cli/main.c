/* SPDX-License-Identifier: Apache-2.0 */

/* The program joulie: finds the command, has its line read, runs it. */

#include <string.h>

#include "cli.h"
#include "runtime/loop.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_help(const char *word)
{
    return jl_same(word, "--help") || jl_same(word, "-h");
}

static int run(struct jd_call *call, char **words, size_t count)
{
    static char version[] = "version";
    size_t used;
    if (count == 0)
        return jd_usage("no command was given");
    if (is_help(words[0]))
        return jd_print_overview(NULL);
    if (jl_same(words[0], "--version"))
        words[0] = version;
    if (jl_same(words[0], "__complete"))
        return jd_complete(words + 1, count - 1);

    call->command = jd_command_find(words, count, &used);
    if (!call->command && count > 1 && is_help(words[1]) && jd_command_is_group(words[0]))
        return jd_print_overview(words[0]);
    if (!call->command)
        return jd_command_unknown(words, count);
    if (!jd_parse(call, words + used, count - used))
        return JD_EXIT_USAGE;
    return call->options.asked == JD_ASKED_HELP ? jd_print_help(call->command)
                                                : call->command->run(call);
}

int main(int argc, char **argv)
{
    static char complete[] = "__complete";
    struct jd_call call = { 0 };
    if (!jd_hold_standard_files())
        return JD_EXIT_BAD;
    const char *name = argc > 0 ? base_name(argv[0]) : "joulie";
    if (jl_same(name, "kubectl-joulie"))
        jd_program = "kubectl joulie";
    if (jl_same(name, "kubectl_complete-joulie"))
        argv[0] = complete;
    else
        argv++, argc--;
    const int status = jd_finish_output(run(&call, argv, argc > 0 ? (size_t)argc : 0));
    for (size_t i = 0; i < JD_MOST_TEXTS; i++)
        jl_buffer_clear(&call.texts[i]);
    jd_options_clear(&call.options);
    return status;
}
