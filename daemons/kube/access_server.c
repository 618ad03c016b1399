/* SPDX-License-Identifier: Apache-2.0 */

/* The URL of the server of an access, and what may be sent to it
 * (docs/rules/clients.md#plain-http). */

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kube/access_parts.h"
#include "runtime/address.h"

#define PLAIN "http://"

static bool has_tls_settings(const struct jd_access *access)
{
    return access->ca || access->ca_file || access->pair.certificate || access->server_name ||
           access->tls.is_unverified;
}

int jd_access_complete_server(struct jd_access *access, struct joulie_error *err)
{
    struct jl_buffer url = { 0 };
    const bool has_scheme = strstr(access->server, "://") != NULL;
    if (!has_scheme)
        jl_put_string(&url, has_tls_settings(access) ? "https://" : PLAIN);
    jl_put_string(&url, access->server);
    while (url.len > 0 && !url.is_failed && url.data[url.len - 1] == '/')
        url.data[--url.len] = '\0';
    jl_free(access->server);
    access->server = jl_buffer_take(&url);
    access->shown = access->server ? jd_shown_url(access->server) : NULL;
    if (!access->shown)
        return jl_fail_memory(err);
    access->has_tls = jl_starts_with(access->server, "https://");
    return access->has_tls || jl_starts_with(access->server, PLAIN)
               ? 0
               : jl_fail(err, JOULIE_E_PARSE, "", "the server \"%.200s\" is no http or https URL",
                         access->shown);
}

/* Behind a user and a password, which are credentials like others. */
static struct jl_text host_of(const char *server, bool *out_has_user)
{
    const char *const start = server + sizeof PLAIN - 1;
    struct jl_text host = { start, strcspn(start, "/?#") };
    const size_t at = jl_text_find(host, '@');
    *out_has_user = at < host.len;
    if (*out_has_user)
        host = (struct jl_text){ host.ptr + at + 1, host.len - at - 1 };
    return jd_host_of(host);
}

int jd_access_check_plain(const struct jd_access *access, struct joulie_error *err)
{
    bool has_user = false;
    if (access->has_tls)
        return 0;
    const struct jl_text host = host_of(access->server, &has_user);
    const bool has_secret = access->authorization || access->token_file || access->plugin;
    if ((!has_secret && !has_user) || (jd_host_is_loopback(host) && !access->proxy))
        return 0;
    return jl_fail(err, JOULIE_E_CONFLICT, "",
                   "a token or a password would go to " PLAIN "%.*s in the clear: use https://, or "
                   "say --insecure-plain-http",
                   host.len < 200 ? (int)host.len : 200, host.ptr);
}
