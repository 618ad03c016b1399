/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the boot id below a root. Called by joulie-rescue; a scan of a whole host reads it too, and
 * warns. */

#include "host/boot_id.h"

#include <string.h>

#define BOOT_ID_BYTES 64 /* a UUID has 36 */

bool jl_is_boot_id(const char *text)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    for (size_t i = 0; i < len; i++) {
        const char c = jl_lower(text[i]);
        if (!jl_is_digit(c) && !(c >= 'a' && c <= 'f') && c != '-')
            return false;
    }
    return len > 0 && len <= BOOT_ID_BYTES;
}

const char *jl_root_boot_id(const struct jl_root *root, struct jl_arena *arena)
{
    struct jl_text text = { 0 };
    int sys_errno = 0;
    if (jl_root_text(root, JL_BOOT_ID_PATH, 2 * BOOT_ID_BYTES, arena, &text, &sys_errno) < 0)
        return NULL;
    text = jl_text_trim(text);
    const char *id = jl_arena_copy(arena, text.ptr, text.len);
    return jl_is_boot_id(id) ? id : NULL;
}
