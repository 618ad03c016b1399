/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Grammars of names, keys and label values. Called by the readers of selectors, by validation and
 * by the name of an Event. Implements docs/rules/kubernetes-values.md#names.
 */

#include "kubernetes/names.h"

#define LONGEST_LABEL 63
#define LONGEST_SUBDOMAIN 253

static bool is_lower_alphanumeric(char c)
{
    return jl_is_digit(c) || (c >= 'a' && c <= 'z');
}

static bool is_alphanumeric(char c)
{
    return is_lower_alphanumeric(jl_lower(c));
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])?, or the same with upper case */
static bool is_dns_word(struct jl_text text, bool is_any_case)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = is_any_case ? jl_lower(text.ptr[i]) : text.ptr[i];
        const bool is_end = i == 0 || i + 1 == text.len;
        if (!is_lower_alphanumeric(c) && (is_end || c != '-'))
            return false;
    }
    return text.len > 0;
}

static bool is_subdomain(struct jl_text text, bool is_any_case)
{
    if (text.len > LONGEST_SUBDOMAIN)
        return false;
    size_t from = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '.')
            continue;
        if (!is_dns_word((struct jl_text){ text.ptr + from, i - from }, is_any_case))
            return false;
        from = i + 1;
    }
    return true;
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9], at most 63 bytes */
static bool is_qualified_name(struct jl_text text)
{
    if (text.len == 0 || text.len > LONGEST_LABEL)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool is_end = i == 0 || i + 1 == text.len;
        if (!is_alphanumeric(c) && (is_end || (c != '-' && c != '_' && c != '.')))
            return false;
    }
    return true;
}

static bool is_key(struct jl_text text, bool is_any_case)
{
    const size_t prefix = jl_text_find(text, '/');
    if (prefix == text.len)
        return is_qualified_name(text);
    return is_subdomain((struct jl_text){ text.ptr, prefix }, is_any_case) &&
           is_qualified_name((struct jl_text){ text.ptr + prefix + 1, text.len - prefix - 1 });
}

bool jl_is_dns_label(struct jl_text text)
{
    return text.len <= LONGEST_LABEL && is_dns_word(text, false);
}

bool jl_is_dns_subdomain(struct jl_text text)
{
    return is_subdomain(text, false);
}

bool jl_is_label_key(struct jl_text text)
{
    return is_key(text, false);
}

bool jl_is_annotation_key(struct jl_text text)
{
    return is_key(text, true);
}

bool jl_is_label_value(struct jl_text text)
{
    return text.len == 0 || is_qualified_name(text);
}
