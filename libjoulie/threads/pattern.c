/* SPDX-License-Identifier: Apache-2.0 */

/* How patterns of thread names relate (docs/rules/threads.md#findings). */

#include "threads/pattern.h"

#include <string.h>

struct jl_text jl_pattern_literal(struct jl_text glob)
{
    for (size_t i = 0; i < glob.len; i++)
        if (jl_text_find(jl_text("*?[\\"), glob.ptr[i]) < 4)
            return (struct jl_text){ glob.ptr, i };
    return glob;
}

bool jl_match_has_predicate(const struct jl_thread_match *match)
{
    return match->comm.count + match->prefix.count + match->comm_regex.count +
                   match->exclude_comm.count + match->cmdline.count + match->exe.count +
                   match->role.count >
               0 ||
           match->given.container || match->given.cgroup || match->given.main_thread ||
           match->given.gpu_user;
}

/* Whether a thread needs no more than its name: comm or prefix alone, with nothing that takes one
 * out again. */
static bool is_by_name(const struct jl_thread_match *match)
{
    return (match->comm.count > 0) != (match->prefix.count > 0) &&
           match->comm_regex.count + match->exclude_comm.count + match->cmdline.count +
                   match->exe.count + match->role.count ==
               0 &&
           !match->given.container && !match->given.cgroup && !match->given.main_thread &&
           !match->given.gpu_user && match->max_threads == 0 && match->min_threads <= 1;
}

static bool begins_with(struct jl_text text, struct jl_text prefix)
{
    return text.len >= prefix.len && memcmp(text.ptr, prefix.ptr, prefix.len) == 0;
}

static bool covers(struct jl_text wide, bool wide_is_prefix, struct jl_text pattern, bool is_prefix)
{
    const struct jl_text start = is_prefix ? pattern : jl_pattern_literal(pattern);
    const struct jl_text wide_start = wide_is_prefix ? wide : jl_pattern_literal(wide);
    const bool takes_rest =
        wide_is_prefix || (wide_start.len + 1 == wide.len && wide.ptr[wide_start.len] == '*');
    if (takes_rest)
        return begins_with(start, wide_start);
    return !is_prefix && wide.len == pattern.len && memcmp(wide.ptr, pattern.ptr, wide.len) == 0;
}

bool jl_match_covers(const struct jl_thread_match *match, struct jl_text pattern, bool is_prefix)
{
    const bool by_prefix = match->prefix.count > 0;
    const struct jl_list *list = by_prefix ? &match->prefix : &match->comm;
    for (size_t i = 0; is_by_name(match) && i < list->count; i++) {
        const char *wide = JL_STRING_ITEM(*list, i);
        if (wide != NULL && covers(jl_text(wide), by_prefix, pattern, is_prefix))
            return true;
    }
    return false;
}
