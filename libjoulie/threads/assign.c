/* SPDX-License-Identifier: Apache-2.0 */

/* From threads to groups, in the order of the profile (docs/rules/threads.md#groups). Called by the
 * plan of a workload. */

#define JL_THREAD_TABLES
#include "threads/assign.h"

#include <string.h>

#include <joulie/error.h>

#include "base/glob.h"
#include "base/sort.h"
#include "threads/ere.h"

#define TITLE_BYTES 512 /* of a process, that are looked at */

const struct jl_words jl_sched_policy_words = JL_WORDS({
    { JL_SCHED_NORMAL, "normal" },
    { JL_SCHED_BATCH, "batch" },
    { JL_SCHED_IDLE, "idle" },
    { JL_SCHED_FIFO, "fifo" },
    { JL_SCHED_RR, "rr" },
    { JL_SCHED_DEADLINE, "deadline" },
});

bool jl_is_real_time(const struct jl_thread *thread)
{
    return thread->policy >= JL_SCHED_FIFO;
}

/* ---- predicates ---- */

struct matcher {
    const struct jl_thread_match *match;
    const struct jl_ere **expressions; /* of comm_regex */
};

static int prepare(struct jl_arena *arena, const struct jl_thread_match *match, struct matcher *out)
{
    *out = (struct matcher){ .match = match };
    out->expressions = JL_NEW_ARRAY(arena, match->comm_regex.count, const struct jl_ere *);
    if (out->expressions == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < match->comm_regex.count; i++) {
        const int rc = jl_ere_compile(arena, jl_text(JL_STRING_ITEM(match->comm_regex, i)),
                                      &out->expressions[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool any_glob(const struct jl_list *globs, struct jl_text text)
{
    for (size_t i = 0; i < globs->count; i++)
        if (jl_glob_match(jl_text(JL_STRING_ITEM(*globs, i)), text))
            return true;
    return false;
}

/* A predicate of a text that may be unknown: unknown never matches. */
static bool globs_hold(const struct jl_list *globs, const char *text)
{
    return globs->count == 0 || (text != NULL && any_glob(globs, jl_text(text)));
}

static bool glob_holds(const char *glob, const char *text)
{
    return text != NULL && jl_glob_match(jl_text(glob), jl_text(text));
}

static bool any_prefix(const struct jl_list *prefixes, const char *text)
{
    for (size_t i = 0; i < prefixes->count; i++)
        if (jl_starts_with(text, JL_STRING_ITEM(*prefixes, i)))
            return true;
    return false;
}

static bool any_expression(const struct matcher *matcher, const char *text)
{
    for (size_t i = 0; i < matcher->match->comm_regex.count; i++)
        if (jl_ere_finds(matcher->expressions[i], jl_text(text)))
            return true;
    return false;
}

static bool name_holds(const struct matcher *matcher, const char *comm)
{
    const struct jl_thread_match *match = matcher->match;
    return (match->comm.count == 0 || any_glob(&match->comm, jl_text(comm))) &&
           (match->prefix.count == 0 || any_prefix(&match->prefix, comm)) &&
           (match->comm_regex.count == 0 || any_expression(matcher, comm)) &&
           !any_glob(&match->exclude_comm, jl_text(comm));
}

static bool title_holds(const struct jl_list *globs, const char *cmdline)
{
    struct jl_text title = jl_text(cmdline);
    if (globs->count == 0)
        return true;
    if (title.len > TITLE_BYTES)
        title.len = TITLE_BYTES;
    return cmdline != NULL && any_glob(globs, title);
}

static bool role_holds(const struct jl_list *roles, enum jl_thread_role role)
{
    for (size_t i = 0; i < roles->count; i++)
        if (jl_word_value(&jl_thread_role_words, jl_text(JL_STRING_ITEM(*roles, i))) == (int)role)
            return true;
    return roles->count == 0;
}

static bool holds(const struct matcher *matcher, const struct jl_thread *thread, int64_t first_tid)
{
    const struct jl_thread_match *match = matcher->match;
    const int64_t tgid = JL_GIVEN_OR(thread, tgid, first_tid);
    if (!name_holds(matcher, thread->comm) || !title_holds(&match->cmdline, thread->cmdline) ||
        !globs_hold(&match->exe, thread->exe) || !role_holds(&match->role, thread->role))
        return false;
    if (match->given.main_thread && match->main_thread != (thread->tid == tgid))
        return false;
    if (match->given.gpu_user && !(thread->given.gpu_user && match->gpu_user == thread->gpu_user))
        return false;
    if (match->given.container && !glob_holds(match->container, thread->container))
        return false;
    return !match->given.cgroup ||
           glob_holds(match->cgroup, thread->given.cgroup ? thread->cgroup : "");
}

/* ---- the best threads ---- */

struct rank {
    size_t index;
    int64_t tid;
    double merit;
};

static int by_merit(const void *a, const void *b, void *user)
{
    const struct rank *x = a;
    const struct rank *y = b;
    (void)user;
    return x->merit != y->merit ? JL_ORDER(y->merit, x->merit) : JL_ORDER(x->tid, y->tid);
}

/* What is not known is the least. */
static double merit_of(const struct jl_thread *thread, enum jl_thread_rank by)
{
    if (by == JL_RANK_CPU_TIME)
        return JL_GIVEN_OR(thread, cpu_time_s, -1);
    return by == JL_RANK_WAKE_RATE ? JL_GIVEN_OR(thread, rate, -1) : 0;
}

/* ---- groups ---- */

#define OUT_OF_GROUPS (SIZE_MAX - 1) /* while groups are filled: overflow went to _rest */

/* Room for one group's candidates. */
struct room {
    struct rank *ranks;
    struct rank *scratch;
};

static void fill_group(const struct jl_thread_match *match, size_t group, size_t count,
                       struct room *room, size_t *groups)
{
    size_t kept = count;
    if (count < (size_t)match->min_threads)
        return;
    if (match->max_threads > 0 && count > (size_t)match->max_threads) {
        kept = (size_t)match->max_threads;
        jl_sort_with(room->ranks, count, sizeof *room->ranks, by_merit, NULL, room->scratch);
    }
    for (size_t i = 0; i < count; i++) {
        if (i < kept)
            groups[room->ranks[i].index] = group;
        else if (match->overflow == JL_OVERFLOW_NORMAL)
            groups[room->ranks[i].index] = OUT_OF_GROUPS;
    }
}

static size_t list_candidates(const struct matcher *matcher, const struct jl_list *threads,
                              const size_t *groups, struct rank *out)
{
    const int64_t first_tid = threads->count > 0 ? JL_ITEM(*threads, jl_thread, 0)->tid : 0;
    size_t count = 0;
    for (size_t i = 0; i < threads->count; i++) {
        const struct jl_thread *thread = JL_ITEM(*threads, jl_thread, i);
        if (groups[i] == JL_NO_GROUP && !jl_is_real_time(thread) &&
            holds(matcher, thread, first_tid))
            out[count++] =
                (struct rank){ i, thread->tid, merit_of(thread, matcher->match->rank_by) };
    }
    return count;
}

int jl_assign_threads(struct jl_arena *arena, const struct jl_thread_profile *profile,
                      const struct jl_list *threads, size_t *groups)
{
    struct room room = { JL_NEW_ARRAY(arena, threads->count, struct rank),
                         JL_NEW_ARRAY(arena, threads->count, struct rank) };
    if (room.ranks == NULL || room.scratch == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < threads->count; i++)
        groups[i] = JL_NO_GROUP;
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct jl_thread_match *match = &JL_ITEM(profile->groups, jl_thread_group, g)->match;
        struct matcher matcher;
        const int rc = prepare(arena, match, &matcher);
        if (rc < 0)
            return rc;
        const size_t count = list_candidates(&matcher, threads, groups, room.ranks);
        fill_group(match, g, count, &room, groups);
    }
    for (size_t i = 0; i < threads->count; i++)
        if (groups[i] == OUT_OF_GROUPS)
            groups[i] = JL_NO_GROUP;
    return 0;
}
