/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Walks through JSON text without keeping it: members of an object, items of an array, values as
 * they stand. For what the machinery needs of an object (its name, its version) and no more;
 * whether the text is JSON in every detail is for the reader of the whole text.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

struct jd_scan {
    const char *at;
    const char *end;
    bool is_inside; /* past the first member or item */
    bool is_broken; /* it is no JSON, or nested deeper than JL_LIMIT_NESTING */
};

/* Before the first member (open '{') or item (open '[') of the value. */
struct jd_scan jd_scan_open(struct jl_text value, char open);
/* The next member, its key without quotes; false = there is none, or is_broken. */
bool jd_scan_member(struct jd_scan *scan, struct jl_text *key, struct jl_text *value);
bool jd_scan_item(struct jd_scan *scan, struct jl_text *value);
/* Nothing but blanks is left behind the object or array, and nothing in it was broken. */
bool jd_scan_is_whole(const struct jd_scan *scan);

/* The text of a string value, into it or of the arena when it has escapes; another value gives an
 * empty text. 0, JOULIE_E_PARSE (no UTF-8, a broken escape) or JOULIE_E_NOMEM. */
int jd_scan_text(struct jl_text value, struct jl_arena *arena, struct jl_text *out);
