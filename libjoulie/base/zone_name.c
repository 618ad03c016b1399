/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whether a text can be a name of the tz database. Called by the parser of cron rules and by the
 * reader of zone files.
 */

#include "base/zone_name.h"

#include "base/text.h"

static bool is_word(char c)
{
    return (jl_lower(c) >= 'a' && jl_lower(c) <= 'z') || jl_is_digit(c) || c == '_' || c == '+' ||
           c == '-';
}

bool jl_is_zone_name(const char *name, size_t len)
{
    bool is_part = false; /* at least one character since the last slash */
    for (size_t i = 0; i < len && len <= JL_ZONE_NAME_BYTES; i++) {
        const bool is_slash = name[i] == '/';
        if (!(is_slash ? is_part : is_word(name[i])))
            return false;
        is_part = !is_slash;
    }
    return is_part;
}
