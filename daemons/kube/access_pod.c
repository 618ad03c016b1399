/* SPDX-License-Identifier: Apache-2.0 */

/* The service account of a pod (docs/rules/clients.md#in-a-pod), for access.c. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/json.h"

#define PATH_BYTES 4096

static char *url_of(const char *host, const char *port)
{
    struct jl_buffer url = { 0 };
    const bool is_six = strchr(host, ':') != NULL && host[0] != '[';
    jd_put_format(&url, "https://%s%s%s:%s", is_six ? "[" : "", host, is_six ? "]" : "", port);
    return jl_buffer_take(&url);
}

/* Without a CA the system's are trusted, which is worth a word. */
static int read_ca(struct jd_access *access, const char *path, struct joulie_error *err)
{
    struct joulie_error problem = JOULIE_INIT(struct joulie_error);
    const int rc = jd_access_read_file(path, &access->ca, &problem);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    access->ca_file = jl_strdup(path);
    if (!access->ca_file)
        return jl_fail_memory(err);
    if (rc == 0 && !jd_access_is_pem(access->ca))
        return jl_fail(err, JOULIE_E_PARSE, path, "%s: there is no PEM in it", path);
    if (rc != 0)
        snprintf(access->note, sizeof access->note, "%.180s; the CAs of the system are trusted",
                 problem.message);
    return 0;
}

int jd_access_read_pod(struct jd_access *access, char **environment, const char *directory,
                       struct joulie_error *err)
{
    char path[PATH_BYTES];
    const char *const host = jd_access_variable(environment, "KUBERNETES_SERVICE_HOST");
    const char *const port = jd_access_variable(environment, "KUBERNETES_SERVICE_PORT");
    if (!host || !port)
        return jl_fail(err, JOULIE_E_REQUIRED, "", "not in a cluster");
    snprintf(path, sizeof path, "%s/token", directory);
    int rc = jd_access_read_token(path, &access->token, err);
    if (rc != 0)
        return rc;
    access->token_file = jl_strdup(path);
    access->server = url_of(host, port);
    if (!access->token_file || !access->server)
        return jl_fail_memory(err);
    snprintf(path, sizeof path, "%s/ca.crt", directory);
    rc = read_ca(access, path, err);
    if (rc != 0)
        return rc;
    snprintf(path, sizeof path, "%s/namespace", directory);
    /* absent: the default one */
    return jd_access_read_token(path, &access->name_space, NULL) == JOULIE_E_NOMEM
               ? jl_fail_memory(err)
               : 0;
}
