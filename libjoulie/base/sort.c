/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A stable merge sort with short runs sorted by insertion. The library uses no other sort, so that
 * ties come out in one order on every machine.
 */

#include "base/sort.h"

#include <string.h>

#include <joulie/error.h>

#include "base/memory.h"

#define RUN_ITEMS 8 /* shorter runs are sorted by insertion */

struct sorting {
    char *items;
    char *scratch;
    size_t size;
    jl_compare_fn *compare;
    void *user;
};

/* Sorts items [low, high) in place; scratch holds the item that is being inserted. */
static void insertion_sort(const struct sorting *sorting, size_t low, size_t high)
{
    const size_t size = sorting->size;
    for (size_t i = low + 1; i < high; i++) {
        char *item = sorting->items + i * size;
        size_t to = i;
        while (to > low &&
               sorting->compare(sorting->items + (to - 1) * size, item, sorting->user) > 0)
            to--;
        if (to == i)
            continue;
        char *place = sorting->items + to * size;
        memcpy(sorting->scratch, item, size);
        memmove(place + size, place, (i - to) * size);
        memcpy(place, sorting->scratch, size);
    }
}

/* Merges the sorted halves [low, middle) and [middle, high); the left half waits in scratch. */
static void merge(const struct sorting *sorting, size_t low, size_t middle, size_t high)
{
    const size_t size = sorting->size;
    char *to = sorting->items + low * size;
    const char *right = sorting->items + middle * size;
    const char *const right_end = sorting->items + high * size;
    const char *left = sorting->scratch;
    const char *const left_end = sorting->scratch + (middle - low) * size;
    if (sorting->compare(right - size, right, sorting->user) <= 0)
        return;
    memcpy(sorting->scratch, to, (middle - low) * size);
    while (left < left_end && right < right_end) {
        const char **from = sorting->compare(left, right, sorting->user) <= 0 ? &left : &right;
        memcpy(to, *from, size);
        *from += size;
        to += size;
    }
    memcpy(to, left, (size_t)(left_end - left));
}

void jl_sort_with(void *items, size_t count, size_t size, jl_compare_fn *compare, void *user,
                  void *scratch)
{
    const struct sorting sorting = { items, scratch, size, compare, user };
    for (size_t low = 0; low < count; low += RUN_ITEMS)
        insertion_sort(&sorting, low, count - low < RUN_ITEMS ? count : low + RUN_ITEMS);
    for (size_t run = RUN_ITEMS; run < count; run *= 2) {
        for (size_t low = 0; count - low > run; low += 2 * run) {
            merge(&sorting, low, low + run, count - low < 2 * run ? count : low + 2 * run);
            if (count - low <= 2 * run)
                break;
        }
    }
}

int jl_sort(void *items, size_t count, size_t size, jl_compare_fn *compare, void *user)
{
    if (count < 2)
        return 0;
    void *scratch = jl_calloc(count, size);
    if (scratch == NULL)
        return JOULIE_E_NOMEM;
    jl_sort_with(items, count, size, compare, user, scratch);
    jl_free(scratch);
    return 0;
}
