/* SPDX-License-Identifier: Apache-2.0 */

/* Which objects a list or watch is about (docs/rules/apiserver.md#reads). */

#include <string.h>

#include <joulie/error.h>

#include "apiserver/parts.h"

static bool read_labels(struct jd_request *request, struct jd_filter *out, struct jl_arena *arena)
{
    const char *text = jd_exchange_query(request->exchange, "labelSelector");
    if (jl_is_empty(text))
        return true;
    const int rc = jl_parse_selector(arena, text, strlen(text), &out->labels);
    out->has_selector = true;
    if (rc == JOULIE_E_PARSE)
        jd_fail(request, 400, "BadRequest", "unable to parse requirement: labelSelector \"%s\"",
                text);
    else if (rc < 0)
        jd_fail_memory(request);
    return rc == 0;
}

static bool read_fields(struct jd_request *request, struct jd_filter *out, struct jl_arena *arena)
{
    const char *text = jd_exchange_query(request->exchange, "fieldSelector");
    if (jl_is_empty(text))
        return true;
    const int rc =
        jl_parse_field_selector(arena, request->kind->kind, text, strlen(text), &out->fields);
    out->has_selector = true;
    if (rc == JOULIE_E_PARSE)
        jd_fail(request, 400, "BadRequest", "invalid selector: '%s'; can't understand it", text);
    else if (rc == JOULIE_E_UNSUPPORTED)
        jd_fail(request, 400, "BadRequest", "field label not supported: %.*s",
                (int)strcspn(text, "=!"), text);
    else if (rc < 0)
        jd_fail_memory(request);
    return rc == 0;
}

bool jd_filter_read(struct jd_request *request, struct jd_filter *out, struct jl_arena *arena)
{
    *out = (struct jd_filter){ 0 };
    if (request->name_space) {
        out->name_space = jl_arena_string(arena, request->name_space);
        if (!out->name_space)
            return jd_fail_memory(request);
    }
    return read_labels(request, out, arena) && read_fields(request, out, arena);
}

bool jd_filter_matches(const struct jd_filter *filter, const struct jd_object *object)
{
    if (filter->name_space && !jl_same(filter->name_space, object->name_space))
        return false;
    if (filter->labels && !jl_selector_matches(filter->labels, &object->labels))
        return false;
    return !filter->fields || jl_field_selector_matches(filter->fields, &object->fields);
}
