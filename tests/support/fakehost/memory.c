/* SPDX-License-Identifier: Apache-2.0 */

/* Folders and files of the simulated kernel. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

static void *checked(void *memory)
{
    if (memory)
        return memory;
    fputs("fakehost: out of memory\n", stderr);
    exit(1);
}

void *fk_alloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

char *fk_copy(const char *text, size_t len)
{
    char *copy = fk_alloc(len + 1, 1);
    memcpy(copy, text, len);
    return copy;
}

void *fk_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;
    size_t more = *capacity ? *capacity * 2 : 8;
    if (more < needed)
        more = needed;
    items = checked(realloc(items, more * size));
    memset((char *)items + *capacity * size, 0, (more - *capacity) * size);
    *capacity = more;
    return items;
}

void fk_bytes_resize(struct fk_bytes *bytes, size_t len)
{
    bytes->data = fk_grow(bytes->data, &bytes->capacity, len + 1, 1);
    if (len > bytes->len)
        memset(bytes->data + bytes->len, 0, len - bytes->len);
    bytes->len = len;
    bytes->data[len] = '\0';
}

void fk_bytes_set(struct fk_bytes *bytes, const char *data, size_t len)
{
    fk_bytes_resize(bytes, len);
    if (len > 0)
        memcpy(bytes->data, data, len);
}

void fk_bytes_put(struct fk_bytes *bytes, size_t offset, const char *data, size_t len)
{
    if (len == 0)
        return;
    if (offset + len > bytes->len)
        fk_bytes_resize(bytes, offset + len);
    memcpy(bytes->data + offset, data, len);
}
