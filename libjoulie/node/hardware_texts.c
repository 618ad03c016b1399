/* SPDX-License-Identifier: Apache-2.0 */

/* Warnings of a NodeHardware: gathered while its parts are looked at, with a bound, and made into
 * lists at the end. */

#include <string.h>

#include "base/number.h"
#include "node/hardware.h"

void jl_hardware_put_text(struct jl_hardware_texts *texts, const char *text)
{
    if (texts->count < JL_HARDWARE_TEXTS)
        texts->items[texts->count++] = text;
    else
        texts->items[JL_HARDWARE_TEXTS - 1] = "more warnings are left out";
}

void jl_hardware_put(struct jl_hardware_build *build, struct jl_hardware_texts *texts,
                     const char *const *parts, size_t count)
{
    const char *text = jl_arena_join(build->arena, parts, count);
    build->is_out |= text == NULL;
    if (text != NULL)
        jl_hardware_put_text(texts, text);
}

struct jl_list jl_hardware_list(struct jl_hardware_build *build,
                                const struct jl_hardware_texts *texts)
{
    const char **items = JL_NEW_ARRAY(build->arena, texts->count, const char *);
    build->is_out |= items == NULL;
    if (items == NULL)
        return (struct jl_list){ .count = 0 };
    memcpy(items, texts->items, texts->count * sizeof *items);
    return (struct jl_list){ items, texts->count };
}
