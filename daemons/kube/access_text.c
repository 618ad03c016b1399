/* SPDX-License-Identifier: Apache-2.0 */

/* Files, tokens, base64: what the ways to an access are made of. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/file.h"
#include "runtime/json.h"

#define LIMIT_FILE_BYTES ((size_t)1 << 20)

const char *jd_access_variable(char **environment, const char *name)
{
    const size_t len = strlen(name);
    for (; environment && *environment; environment++) {
        const char *const value = *environment + len + 1;
        if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
            return value[0] != '\0' ? value : NULL;
    }
    return NULL;
}

int jd_access_read_file(const char *path, char **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct joulie_error cause = JOULIE_INIT(struct joulie_error);
    jl_put_string(&text, "");
    int rc = jd_read_file(path, LIMIT_FILE_BYTES, &text, &cause);
    if (rc == 0 && text.len > 0 && strlen(text.data) != text.len)
        rc = jl_fail(&cause, JOULIE_E_PARSE, "", "%s: a NUL byte is no text", path);
    if (rc < 0) {
        jl_fail(err, rc, path, "%s", cause.message);
        if (err)
            err->sys_errno = cause.sys_errno;
        return rc;
    }
    *out = text.len > 0 ? jl_buffer_take(&text) : jl_strdup("");
    return *out ? 0 : jl_fail_memory(err);
}

bool jd_access_is_token(const char *text)
{
    for (; *text; text++) {
        if (*text <= ' ' || *text > '~')
            return false;
    }
    return true;
}

int jd_access_read_token(const char *path, char **out, struct joulie_error *err)
{
    char *text = NULL;
    const int rc = jd_access_read_file(path, &text, err);
    if (rc != 0)
        return rc;
    const struct jl_text token = jl_text_trim(jl_text(text));
    memmove(text, token.ptr, token.len);
    text[token.len] = '\0';
    if (token.len > 0 && jd_access_is_token(text)) {
        *out = text;
        return 0;
    }
    jl_free(text);
    return token.len == 0 ? jl_fail(err, JOULIE_E_REQUIRED, path, "%s: the token is empty", path)
                          : jl_fail(err, JOULIE_E_PARSE, path, "%s: this is no token", path);
}

/* White space is left out: long values are folded. */
int jd_access_decode(const char *text, size_t len, char **out)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer letters = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    for (size_t i = 0; i < len; i++) {
        if (!jl_is_space(text[i]))
            jl_put_char(&letters, text[i]);
    }
    int rc = jl_buffer_code(&letters);
    if (rc == 0)
        rc = jl_parse_base64(letters.data, letters.len, &bytes);
    if (rc != 0)
        return rc;
    if (bytes.len > 0 && strlen(bytes.data) != bytes.len)
        return JOULIE_E_PARSE; /* what we decode is text */
    *out = jl_buffer_take(&bytes);
    return *out ? 0 : JOULIE_E_NOMEM;
}

bool jd_access_is_pem(const char *text)
{
    return strstr(text, "-----BEGIN ") != NULL;
}

int jd_access_add_header(struct jd_access *access, struct jl_buffer *line)
{
    const int rc = JL_GROW(&access->impersonation, &access->impersonation_capacity,
                           access->impersonation_count + 1);
    if (rc != 0 || line->is_failed) {
        jl_buffer_clear(line);
        return JOULIE_E_NOMEM;
    }
    access->impersonation[access->impersonation_count++] = jl_buffer_take(line);
    return 0;
}

static int take_authorization(struct jd_access *access, struct jl_buffer *line)
{
    char *const text = jl_buffer_take(line);
    if (!text)
        return JOULIE_E_NOMEM;
    jl_free(access->authorization);
    access->authorization = text;
    return 0;
}

int jd_access_authorize(struct jd_access *access)
{
    struct jl_buffer line = { 0 };
    jd_put_format(&line, "Authorization: Bearer %s", access->token);
    return take_authorization(access, &line);
}

int jd_access_authorize_basic(struct jd_access *access, const char *user, const char *password)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer plain = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    jd_put_format(&plain, "%s:%s", user, password);
    jl_put_string(&line, "Authorization: Basic ");
    jl_put_base64(&line, plain.data, plain.len);
    return plain.is_failed ? JOULIE_E_NOMEM : take_authorization(access, &line);
}

void jd_access_note_problem(struct jd_access *access, const struct joulie_error *err)
{
    snprintf(access->problem, sizeof access->problem, "%.200s; %s", err->message,
             access->token ? "the last token is still used" : "it is waited for");
}

/* A kubelet writes the file a moment after it starts the program. */
int jd_access_begin_token(struct jd_access *access, struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    const int rc = jd_access_read_token(access->token_file, &access->token, &problem);
    if (rc == 0)
        return 0;
    if (access->is_patient && (rc == JOULIE_E_REQUIRED || problem.sys_errno == ENOENT)) {
        jd_access_note_problem(access, &problem);
        return 0;
    }
    jl_error_export(&problem, err);
    return rc;
}
