/* SPDX-License-Identifier: Apache-2.0 */

/* Findings about thread profiles: their words, and how they are kept
 * (docs/rules/threads.md#findings).
 */

#include "threads/findings.h"

#include <stdarg.h>

#include "base/error.h"

const struct jl_words jl_finding_words = JL_WORDS({
    { JL_E_SYNTAX, "E_SYNTAX" },
    { JL_E_UTF8, "E_UTF8" },
    { JL_E_DUP_KEY, "E_DUP_KEY" },
    { JL_E_VERSION, "E_VERSION" },
    { JL_E_MISSING, "E_MISSING" },
    { JL_E_TYPE, "E_TYPE" },
    { JL_E_RANGE, "E_RANGE" },
    { JL_E_ENUM, "E_ENUM" },
    { JL_E_UNKNOWN_KEY, "E_UNKNOWN_KEY" },
    { JL_E_GLOB, "E_GLOB" },
    { JL_E_REGEX, "E_REGEX" },
    { JL_E_IMAGE, "E_IMAGE" },
    { JL_E_LIMIT, "E_LIMIT" },
    { JL_E_CONFLICT, "E_CONFLICT" },
    { JL_W_SHADOWED, "W_SHADOWED" },
    { JL_W_APPROX, "W_APPROX" },
    { JL_W_SHAPE, "W_SHAPE" },
});

bool jl_finding_is_error(enum jl_finding_code code)
{
    return code < JL_W_SHADOWED;
}

struct code_pair {
    enum jl_finding_code finding;
    int error;
};

static const struct code_pair codes[] = {
    { JL_E_SYNTAX, JOULIE_E_PARSE },
    { JL_E_UTF8, JOULIE_E_PARSE },
    { JL_E_DUP_KEY, JOULIE_E_PARSE },
    { JL_E_VERSION, JOULIE_E_UNSUPPORTED },
    { JL_E_MISSING, JOULIE_E_REQUIRED },
    { JL_E_TYPE, JOULIE_E_TYPE },
    { JL_E_RANGE, JOULIE_E_RANGE },
    { JL_E_ENUM, JOULIE_E_ENUM },
    { JL_E_UNKNOWN_KEY, JOULIE_E_UNKNOWN_MEMBER },
    { JL_E_GLOB, JOULIE_E_PARSE },
    { JL_E_REGEX, JOULIE_E_PARSE },
    { JL_E_IMAGE, JOULIE_E_PARSE },
    { JL_E_LIMIT, JOULIE_E_LIMIT },
    { JL_E_CONFLICT, JOULIE_E_CONFLICT },
};

int jl_finding_error(enum jl_finding_code code)
{
    for (size_t i = 0; i < JL_COUNT(codes); i++)
        if (codes[i].finding == code)
            return codes[i].error;
    return JOULIE_E_INTERNAL;
}

enum jl_finding_code jl_finding_of(const struct joulie_error *err)
{
    if (err->code == JOULIE_E_PARSE)
        return jl_same(err->message, JL_GIVEN_TWICE) ? JL_E_DUP_KEY : JL_E_UTF8;
    for (size_t i = 0; i < JL_COUNT(codes); i++)
        if (codes[i].error == err->code)
            return codes[i].finding;
    return JL_E_LIMIT;
}

void jl_keep_finding(struct jl_findings *findings, enum jl_finding_code code, const char *path,
                     const char *message)
{
    if (jl_finding_is_error(code))
        findings->errors++;
    else
        findings->warnings++;
    if (findings->count == JL_FINDINGS_MAX)
        return;
    findings->items[findings->count++] =
        (struct jl_finding){ code, jl_arena_string(findings->arena, path),
                             jl_arena_string(findings->arena, message) };
}

void jl_find(struct jl_findings *findings, enum jl_finding_code code, const struct jl_path *at,
             const char *format, ...)
{
    struct joulie_error text = { .struct_size = sizeof text };
    char path[JL_PATH_TEXT];
    va_list arguments;
    jl_path_print(at, path);
    va_start(arguments, format);
    jl_fail_list(&text, 0, "", format, arguments);
    va_end(arguments);
    jl_keep_finding(findings, code, path, text.message);
}
