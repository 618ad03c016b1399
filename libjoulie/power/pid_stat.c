/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The head of /proc/PID/stat. Called by the question `reading`. Implements
 * docs/rules/energy.md#threads.
 */

#include "power/pid_stat.h"

#include <joulie/error.h>

#include "base/number.h"

static bool is_letter(char c)
{
    const char lower = jl_lower(c);
    return lower >= 'a' && lower <= 'z';
}

/* "42 (comm) S 1 …": a thread's name may hold parentheses, so the last one closes it. */
int jl_pid_stat_parse(struct jl_text text, struct jl_pid_stat *out)
{
    const size_t open = jl_text_find(text, '(');
    size_t close = text.len;
    while (close > 0 && text.ptr[close - 1] != ')')
        close--;
    if (close <= open || open < 2 || text.ptr[open - 1] != ' ')
        return JOULIE_E_PARSE;

    struct jl_pid_stat stat = { .comm = { text.ptr + open + 1, close - open - 2 } };
    const struct jl_text tail = { text.ptr + close, text.len - close };
    const bool has_state = tail.len >= 2 && tail.ptr[0] == ' ' && is_letter(tail.ptr[1]);
    if (!has_state || (tail.len > 2 && !jl_is_space(tail.ptr[2])))
        return JOULIE_E_PARSE;
    stat.state = tail.ptr[1];
    const int rc = jl_parse_i64(text.ptr, open - 1, &stat.pid);
    if (rc < 0 || stat.pid < 0)
        return rc < 0 ? rc : JOULIE_E_PARSE;
    *out = stat;
    return 0;
}
