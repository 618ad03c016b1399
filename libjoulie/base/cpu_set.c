/* SPDX-License-Identifier: Apache-2.0 */

/* Sets of CPUs and their lists (docs/rules/threads.md#lists-of-cpus). */

#include "base/cpu_set.h"

#include <string.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "base/number.h"

bool jl_cpu_set_has(const struct jl_cpu_set *set, size_t cpu)
{
    return cpu < JL_LIMIT_CPUS && (set->words[cpu / 64] >> (cpu % 64) & 1) != 0;
}

void jl_cpu_set_add(struct jl_cpu_set *set, size_t cpu)
{
    set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

size_t jl_cpu_set_next(const struct jl_cpu_set *set, size_t cpu)
{
    while (cpu < JL_LIMIT_CPUS) {
        const uint64_t left = set->words[cpu / 64] >> (cpu % 64);
        if (left != 0)
            return cpu + (size_t)__builtin_ctzll(left);
        cpu = (cpu / 64 + 1) * 64;
    }
    return JL_LIMIT_CPUS;
}

size_t jl_cpu_set_count(const struct jl_cpu_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < JL_CPU_SET_WORDS; i++)
        for (uint64_t left = set->words[i]; left != 0; left &= left - 1)
            count++;
    return count;
}

bool jl_cpu_set_is_same(const struct jl_cpu_set *a, const struct jl_cpu_set *b)
{
    return memcmp(a->words, b->words, sizeof a->words) == 0;
}

bool jl_cpu_set_holds(const struct jl_cpu_set *set, const struct jl_cpu_set *part)
{
    for (size_t i = 0; i < JL_CPU_SET_WORDS; i++)
        if ((part->words[i] & ~set->words[i]) != 0)
            return false;
    return true;
}

void jl_cpu_set_unite(struct jl_cpu_set *set, const struct jl_cpu_set *other)
{
    for (size_t i = 0; i < JL_CPU_SET_WORDS; i++)
        set->words[i] |= other->words[i];
}

void jl_cpu_set_remove(struct jl_cpu_set *set, const struct jl_cpu_set *other)
{
    for (size_t i = 0; i < JL_CPU_SET_WORDS; i++)
        set->words[i] &= ~other->words[i];
}

/* ---- lists ---- */

static int take_number(struct jl_text text, uint64_t *out)
{
    const int rc = jl_parse_u64(text.ptr, text.len, out);
    return rc == 0 && *out >= JL_LIMIT_CPUS ? JOULIE_E_RANGE : rc;
}

/* used/size behind the colon of a range: of each `size` CPUs the first `used`. */
static int take_group(struct jl_text text, uint64_t *out_used, uint64_t *out_size)
{
    struct jl_text size = text;
    const struct jl_text used = jl_text_cut(&size, '/');
    int rc = take_number(used, out_used);
    if (rc == 0)
        rc = take_number(size, out_size);
    if (rc == 0 && (*out_size == 0 || *out_used > *out_size))
        rc = JOULIE_E_RANGE;
    return rc;
}

/* a, a-b or a-b:n/m */
static int add_range(struct jl_text text, struct jl_cpu_set *set)
{
    uint64_t first;
    uint64_t used = 1;
    uint64_t size = 1;
    const bool is_range = jl_text_find(text, '-') < text.len;
    int rc = take_number(jl_text_cut(&text, '-'), &first);
    uint64_t last = first;
    if (rc == 0 && is_range) {
        const bool has_group = jl_text_find(text, ':') < text.len;
        rc = take_number(jl_text_cut(&text, ':'), &last);
        if (rc == 0 && has_group)
            rc = take_group(text, &used, &size);
        if (rc == 0 && last < first)
            rc = JOULIE_E_RANGE;
    }
    for (uint64_t cpu = first; rc == 0 && cpu <= last; cpu++)
        if ((cpu - first) % size < used)
            jl_cpu_set_add(set, cpu);
    return rc;
}

int jl_cpu_list_parse(struct jl_text list, struct jl_cpu_set *out)
{
    struct jl_cpu_set set = { 0 };
    int rc = 0;
    if (list.len > 0 && list.ptr[list.len - 1] == '\n')
        list.len--;
    for (bool more = list.len > 0; rc == 0 && more;) {
        more = jl_text_find(list, ',') < list.len;
        rc = add_range(jl_text_cut(&list, ','), &set);
    }
    if (rc == 0)
        *out = set;
    return rc;
}

const char *jl_cpu_list_print(struct jl_arena *arena, const struct jl_cpu_set *set)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    for (size_t cpu = jl_cpu_set_next(set, 0), last; cpu < JL_LIMIT_CPUS;
         cpu = jl_cpu_set_next(set, last + 1)) {
        last = cpu;
        while (jl_cpu_set_has(set, last + 1))
            last++;
        if (text.len > 0)
            jl_put_char(&text, ',');
        jl_put_u64(&text, cpu);
        if (last > cpu) {
            jl_put_char(&text, '-');
            jl_put_u64(&text, last);
        }
    }
    if (text.is_failed)
        return NULL;
    return jl_arena_copy(arena, text.len > 0 ? text.data : "", text.len);
}
