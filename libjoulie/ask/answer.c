/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the answers of all subjects share: which rule set was asked for, and how an answer fails.
 * The files of the subjects call it; it knows no question.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/effective.h"

bool jl_is_model(const struct jl_ask *ask, const char *word)
{
    return jl_same(ask->options.model ? ask->options.model : "current", word);
}

bool jl_is_current(const struct jl_ask *ask)
{
    return jl_is_model(ask, "current");
}

int jl_ask_fail(struct jl_ask *ask, int code, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jl_fail_list(ask->err, code, where, format, arguments);
    va_end(arguments);
    return code;
}

int jl_ask_require(struct jl_ask *ask, const struct jl_table *table, const void *in, uint64_t rows)
{
    uint64_t has;
    memcpy(&has, in, sizeof has); /* every input begins with it */
    const uint64_t missing = rows & ~has;
    if (missing == 0)
        return 0;
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, table->rows[__builtin_ctzll(missing)].key,
                       "the member is required");
}

__attribute__((format(printf, 2, 0))) static const char *
path_of(struct jl_ask *ask, const char *format, va_list arguments)
{
    char text[JL_PATH_TEXT];
    const int len = vsnprintf(text, sizeof text, format, arguments);
    const char *path = len < 0 ? NULL : jl_arena_string(ask->arena, text);
    return path != NULL ? path : "";
}

const char *jl_ask_path(struct jl_ask *ask, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *path = path_of(ask, format, arguments);
    va_end(arguments);
    return path;
}

int jl_ask_name_once(struct jl_ask *ask, struct jl_index *names, const char *name,
                     const char *path_format, ...)
{
    size_t first = 0;
    va_list arguments;
    if (!jl_index_get(names, name, &first))
        return jl_index_set(names, name, 0) < 0 ? jl_fail_memory(ask->err) : 0;
    va_start(arguments, path_format);
    const char *where = path_of(ask, path_format, arguments);
    va_end(arguments);
    return jl_ask_fail(ask, JOULIE_E_CONFLICT, where, "node \"%.64s\" is given twice", name);
}

int jl_ask_profiles(struct jl_ask *ask, const struct jl_list *list,
                    const struct jl_workload_profile *const **out)
{
    const struct jl_workload_profile **profiles =
        JL_NEW_ARRAY(ask->arena, list->count, const struct jl_workload_profile *);
    if (profiles == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < list->count; i++)
        profiles[i] = JL_ITEM(*list, jl_workload_profile, i);
    *out = profiles;
    return 0;
}

void jl_ask_check_annotations(const struct jl_ask *ask, const char *where,
                              const struct jl_map *annotations)
{
    const char *key;
    struct jl_text word;
    for (size_t at = 0; ask->on_warning && (key = jl_annotation_unread(annotations, &at, &word));) {
        char place[160];
        char message[160];
        snprintf(place, sizeof place, "%s%sannotations[\"%s\"]", where, where[0] ? "." : "", key);
        snprintf(message, sizeof message, "\"%.*s\" is no word that it can have; it is ignored",
                 (int)jl_utf8_cut(word.ptr, word.len, 64), word.ptr);
        ask->on_warning(ask->user, place, message);
    }
}
