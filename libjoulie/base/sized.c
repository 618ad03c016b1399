/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Structs of callers that were compiled against another release: shorter, longer, or as ours.
 * Every exported function that takes a struct begins here.
 */

#include "base/sized.h"

#include <string.h>

#include <joulie/error.h>

static size_t size_of(const void *sized)
{
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

int jl_sized_check(const void *theirs, size_t first_size)
{
    if (theirs == NULL)
        return JOULIE_E_ABI;
    const size_t size = size_of(theirs);
    return size < first_size || size > JL_SIZED_MAX ? JOULIE_E_ABI : 0;
}

int jl_sized_read(void *ours, size_t ours_size, const void *theirs)
{
    const size_t size = size_of(theirs);
    const size_t shared = size < ours_size ? size : ours_size;
    for (size_t i = shared; i < size; i++) {
        if (((const unsigned char *)theirs)[i] != 0)
            return JOULIE_E_ABI;
    }
    memcpy(ours, theirs, shared);
    memset((char *)ours + shared, 0, ours_size - shared);
    memcpy(ours, &ours_size, sizeof ours_size);
    return 0;
}

void jl_sized_write(void *theirs, const void *ours, size_t ours_size)
{
    const size_t size = size_of(theirs);
    const size_t shared = size < ours_size ? size : ours_size;
    memcpy((char *)theirs + sizeof size, (const char *)ours + sizeof size, shared - sizeof size);
    memset((char *)theirs + shared, 0, size - shared);
}
