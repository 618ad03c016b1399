/* SPDX-License-Identifier: Apache-2.0 */

/* Certificates of an access that are files (docs/rules/clients.md#credentials): what replaced them
 * is used without a restart. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"

#define DISTRUST_MS 60000
#define UNIDENTIFIED_MS 1000

/* A PEM file that is read well, else a problem that is kept for the log. */
static bool read_pem(struct jd_access *access, const char *path, char **out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    int rc = jd_access_read_file(path, &text, &err);
    if (rc == 0 && !jd_access_is_pem(text))
        rc = jl_fail(&err, JOULIE_E_PARSE, path, "%s: there is no PEM in it", path);
    if (rc == 0) {
        *out = text;
        return true;
    }
    jl_free(text);
    snprintf(access->file_problem, sizeof access->file_problem,
             "%.200s; the last one is still used", err.message);
    return false;
}

static bool replace(char **text, char *newer)
{
    const bool is_other = !jl_same(*text, newer);
    jl_free(is_other ? *text : newer);
    if (is_other)
        *text = newer;
    return is_other;
}

/* true = it is another one. */
static bool read_ca(struct jd_access *access)
{
    char *ca = NULL;
    if (!access->ca_file || !read_pem(access, access->ca_file, &ca))
        return false;
    const bool is_other = replace(&access->ca, ca);
    access->tls.ca = access->ca;
    return is_other;
}

void jd_access_show(struct jd_access *access, struct jd_pair *pair)
{
    const struct jd_pair before = access->pair;
    access->pair = *pair;
    *pair = before;
    access->tls.certificate = access->pair.certificate;
    access->tls.key = access->pair.key;
}

/* Both or neither. Two files are not replaced in one moment: the pair before is kept, for when the
 * new one does not fit together. true = it is another one. */
static bool read_pair(struct jd_access *access)
{
    struct jd_pair pair = { 0 };
    const struct jd_pair *const now = &access->pair;
    if ((!access->certificate_file && !access->key_file) ||
        (access->certificate_file &&
         !read_pem(access, access->certificate_file, &pair.certificate)) ||
        (access->key_file && !read_pem(access, access->key_file, &pair.key))) {
        jd_pair_clear(&pair);
        return false;
    }
    if (!pair.certificate)
        pair.certificate = jl_strdup(now->certificate);
    if (!pair.key)
        pair.key = jl_strdup(now->key);
    const bool is_other =
        pair.certificate && pair.key &&
        !(jl_same(pair.certificate, now->certificate) && jl_same(pair.key, now->key));
    if (is_other) {
        jd_access_show(access, &pair);
        jd_pair_clear(&access->pair_before);
        access->pair_before = pair;
    } else {
        jd_pair_clear(&pair);
    }
    return is_other;
}

void jd_pair_clear(struct jd_pair *pair)
{
    jl_free(pair->certificate);
    jl_free(pair->key);
    *pair = (struct jd_pair){ 0 };
}

bool jd_access_read_certificates(struct jd_access *access)
{
    access->file_problem[0] = '\0';
    const bool is_ca_other = read_ca(access);
    return read_pair(access) || is_ca_other;
}

bool jd_access_distrusted(struct jd_access *access, int64_t now_ms)
{
    if (!access->ca_file ||
        (access->was_distrusted && now_ms - access->distrusted_ms < DISTRUST_MS))
        return false;
    access->was_distrusted = true;
    access->distrusted_ms = now_ms;
    access->file_problem[0] = '\0';
    return read_ca(access);
}

bool jd_access_unidentified(struct jd_access *access, int64_t now_ms)
{
    if (access->plugin)
        return jd_plugin_refused(access->plugin, now_ms, now_ms);
    if (access->was_unidentified && now_ms - access->unidentified_ms < UNIDENTIFIED_MS)
        return false;
    access->was_unidentified = true;
    access->unidentified_ms = now_ms;
    access->file_problem[0] = '\0';
    if (read_pair(access))
        return true;
    if (!access->pair_before.certificate)
        return false;
    jd_access_show(access, &access->pair_before);
    return true;
}
