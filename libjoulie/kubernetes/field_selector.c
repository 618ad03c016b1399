/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Selectors of fields: parsed once, matched against the fields of each object. Implements
 * docs/rules/kubernetes-values.md#field-selectors.
 */

#include <joulie/error.h>

#include "base/text.h"
#include "kubernetes/selector.h"

struct term {
    struct term *next;
    const char *field;
    const char *value;
    bool is_negated;
};

struct jl_field_selector {
    struct term *terms;
};

struct selectable {
    const char *kind; /* NULL = every kind */
    const char *field;
};

static const struct selectable selectables[] = {
    { NULL, "metadata.name" },
    { NULL, "metadata.namespace" },
    { "Event", "involvedObject.apiVersion" },
    { "Event", "involvedObject.fieldPath" },
    { "Event", "involvedObject.kind" },
    { "Event", "involvedObject.name" },
    { "Event", "involvedObject.namespace" },
    { "Event", "involvedObject.resourceVersion" },
    { "Event", "involvedObject.uid" },
    { "Event", "reason" },
    { "Event", "regarding.apiVersion" },
    { "Event", "regarding.fieldPath" },
    { "Event", "regarding.kind" },
    { "Event", "regarding.name" },
    { "Event", "regarding.namespace" },
    { "Event", "regarding.resourceVersion" },
    { "Event", "regarding.uid" },
    { "Event", "reportingComponent" },
    { "Event", "reportingController" },
    { "Event", "type" },
    { "Namespace", "status.phase" },
    { "Node", "spec.unschedulable" },
    { "Pod", "spec.hostNetwork" },
    { "Pod", "spec.nodeName" },
    { "Pod", "spec.restartPolicy" },
    { "Pod", "spec.schedulerName" },
    { "Pod", "spec.serviceAccountName" },
    { "Pod", "status.nominatedNodeName" },
    { "Pod", "status.phase" },
    { "Pod", "status.podIP" },
};

static bool is_selectable(const char *kind, const char *field)
{
    for (size_t i = 0; i < JL_COUNT(selectables); i++) {
        const struct selectable *item = &selectables[i];
        if ((item->kind == NULL || jl_same(item->kind, kind)) && jl_same(item->field, field))
            return true;
    }
    return false;
}

/* Cuts the text before the next comma that has no backslash, and moves on behind it. */
static struct jl_text take_term(struct jl_text *left)
{
    struct jl_text term = { left->ptr, 0 };
    while (term.len < left->len && term.ptr[term.len] != ',')
        term.len += term.ptr[term.len] == '\\' && term.len + 1 < left->len ? 2 : 1;
    const size_t taken = term.len < left->len ? term.len + 1 : term.len;
    left->ptr += taken;
    left->len -= taken;
    return term;
}

/* Splits at the first operator. */
static bool split(struct jl_text term, struct jl_text *out_field, struct jl_text *out_value,
                  bool *out_is_negated)
{
    for (size_t i = 0; i < term.len; i++) {
        const bool has_equal = i + 1 < term.len && term.ptr[i + 1] == '=';
        const bool is_negated = term.ptr[i] == '!' && has_equal;
        if (!is_negated && term.ptr[i] != '=')
            continue;
        const size_t behind = i + (has_equal ? 2 : 1);
        *out_field = (struct jl_text){ term.ptr, i };
        *out_value = (struct jl_text){ term.ptr + behind, term.len - behind };
        *out_is_negated = is_negated;
        return true;
    }
    return false;
}

static int unescape(struct jl_arena *arena, struct jl_text text, const char **out)
{
    char *plain = jl_arena_copy(arena, text.ptr, text.len);
    size_t len = 0;
    if (plain == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ',' || c == '=')
            return JOULIE_E_PARSE;
        if (c == '\\') {
            c = ++i < text.len ? text.ptr[i] : '\0';
            if (c != '\\' && c != ',' && c != '=')
                return JOULIE_E_PARSE;
        }
        plain[len++] = c;
    }
    plain[len] = '\0';
    *out = plain;
    return 0;
}

static int read_term(struct jl_arena *arena, struct jl_text text, struct term *out)
{
    struct jl_text field = { NULL, 0 };
    struct jl_text value = { NULL, 0 };
    if (!split(text, &field, &value, &out->is_negated))
        return JOULIE_E_PARSE;
    out->field = jl_arena_copy(arena, field.ptr, field.len);
    if (out->field == NULL)
        return jl_arena_code(arena);
    return unescape(arena, value, &out->value);
}

int jl_parse_field_selector(struct jl_arena *arena, const char *kind, const char *text, size_t len,
                            const struct jl_field_selector **out)
{
    struct jl_field_selector *selector = JL_NEW(arena, struct jl_field_selector);
    struct jl_text left = { text, len };
    if (selector == NULL)
        return jl_arena_code(arena);
    for (struct term **next = &selector->terms; left.len > 0;) {
        const struct jl_text term = take_term(&left);
        if (term.len == 0)
            continue;
        *next = JL_NEW(arena, struct term);
        if (*next == NULL)
            return jl_arena_code(arena);
        const int rc = read_term(arena, term, *next);
        if (rc < 0)
            return rc;
        next = &(*next)->next;
    }
    for (const struct term *term = selector->terms; term != NULL; term = term->next) {
        if (!is_selectable(kind, term->field))
            return JOULIE_E_UNSUPPORTED;
    }
    *out = selector;
    return 0;
}

bool jl_field_selector_matches(const struct jl_field_selector *selector,
                               const struct jl_map *fields)
{
    for (const struct term *term = selector->terms; term != NULL; term = term->next) {
        const char *value = jl_map_get(fields, term->field);
        const bool is_equal =
            jl_same(value != NULL ? value : "", term->value); /* an absent field reads as "" */
        if (is_equal == term->is_negated)
            return false;
    }
    return true;
}
