/* SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "cli.h"

const char *jd_program = "joulie";

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int run(struct jd_call *call, char **words, size_t count)
{
    static char version[] = "version";
    size_t used;
    if (count == 0)
        return jd_usage("no command was given");
    if (jl_same(words[0], "--help") || jl_same(words[0], "-h")) {
        jd_print_overview();
        return JD_EXIT_OK;
    }
    if (jl_same(words[0], "--version"))
        words[0] = version;

    call->command = jd_command_find(words, count, &used);
    if (!call->command) {
        const char *hint = jd_command_hint(words, count);
        return hint ? jd_usage("there is no command \"%s\"; did you mean \"%s\"?", words[0], hint)
                    : jd_usage("there is no command \"%s\"", words[0]);
    }
    if (!jd_parse(call, words + used, count - used))
        return JD_EXIT_USAGE;
    if (jd_given(call, JD_OPTION_HELP)) {
        jd_print_help(call->command);
        return JD_EXIT_OK;
    }
    return call->command->run(call);
}

int main(int argc, char **argv)
{
    static char complete[] = "__complete";
    struct jd_call call = { 0 };
    const char *name = argc > 0 ? base_name(argv[0]) : "joulie";
    if (jl_same(name, "kubectl-joulie"))
        jd_program = "kubectl joulie";
    if (jl_same(name, "kubectl_complete-joulie"))
        argv[0] = complete;
    else
        argv++, argc--;
    return jd_finish_output(run(&call, argv, argc > 0 ? (size_t)argc : 0));
}
