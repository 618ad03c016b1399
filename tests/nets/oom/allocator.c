/* SPDX-License-Identifier: Apache-2.0 */
#include "oom/allocator.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FREED 0xdd

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *memory);

extern const char __executable_start[]; /* of the linker */
extern const char etext[];

long oom_fail_in = -1;
bool oom_is_own_only;
bool oom_has_failed;
long oom_live_blocks;

static bool must_fail(const char *caller)
{
    const bool is_own = caller >= __executable_start && caller < etext;
    if (oom_fail_in < 0 || (oom_is_own_only && !is_own) || oom_fail_in-- > 0)
        return false;
    oom_has_failed = true;
    return true;
}

/* Libraries are to find them too, although we hide what we define. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
    void *memory = must_fail(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
    oom_live_blocks += memory != NULL;
    return memory;
}

void *calloc(size_t count, size_t size)
{
    void *memory = must_fail(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
    oom_live_blocks += memory != NULL;
    return memory;
}

void *realloc(void *old, size_t size)
{
    if (must_fail(__builtin_return_address(0)))
        return NULL;
    void *memory = __libc_realloc(old, size);
    oom_live_blocks += memory != NULL && old == NULL;
    return memory;
}

void free(void *memory)
{
    oom_live_blocks -= memory != NULL;
    if (memory != NULL)
        memset(memory, FREED, malloc_usable_size(memory));
    __libc_free(memory);
}

#pragma GCC visibility pop
