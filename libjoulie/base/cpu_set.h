/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sets of CPUs, and the kernel's lists of them such as "0-3,8". Rules:
 * docs/rules/threads.md#lists-of-cpus. */

#include "base/arena.h"
#include "base/limits.h"
#include "base/text.h"

#define JL_CPU_SET_WORDS (JL_LIMIT_CPUS / 64)

struct jl_cpu_set {
    uint64_t words[JL_CPU_SET_WORDS]; /* bit i % 64 of word i / 64: CPU i */
};

/* One line feed at the end is allowed. 0, JOULIE_E_PARSE, or JOULIE_E_RANGE for a range that goes
 * backwards, a group that cannot be and a CPU from JL_LIMIT_CPUS on; out is untouched on failure.
 */
int jl_cpu_list_parse(struct jl_text list, struct jl_cpu_set *out);
/* Ascending, ranges from two CPUs on; NULL = see jl_arena_code(). */
const char *jl_cpu_list_print(struct jl_arena *arena, const struct jl_cpu_set *set);

bool jl_cpu_set_has(const struct jl_cpu_set *set, size_t cpu);
void jl_cpu_set_add(struct jl_cpu_set *set, size_t cpu); /* below JL_LIMIT_CPUS */
/* The first CPU at or after that one; JL_LIMIT_CPUS = none. */
size_t jl_cpu_set_next(const struct jl_cpu_set *set, size_t cpu);
size_t jl_cpu_set_count(const struct jl_cpu_set *set);
bool jl_cpu_set_is_same(const struct jl_cpu_set *a, const struct jl_cpu_set *b);
bool jl_cpu_set_holds(const struct jl_cpu_set *set, const struct jl_cpu_set *part);
void jl_cpu_set_unite(struct jl_cpu_set *set, const struct jl_cpu_set *other);
void jl_cpu_set_remove(struct jl_cpu_set *set, const struct jl_cpu_set *other);

#define JL_EACH_CPU(cpu, set)                                                   \
    for (size_t cpu = jl_cpu_set_next((set), 0); (cpu) < (size_t)JL_LIMIT_CPUS; \
         (cpu) = jl_cpu_set_next((set), (cpu) + 1))
