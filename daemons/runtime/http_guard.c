/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whom a local port answers. Each browser on the machine reaches it, and with it each page that the
 * browser shows: by a name of the page's own that it lets point here (DNS rebinding), which the
 * Host tells, or by sending blindly across origins, which Origin and Sec-Fetch-Site tell. Programs
 * send neither of the two.
 */

#include <string.h>

#include "base/text.h"
#include "runtime/address.h"
#include "runtime/http_admit.h"
#include "runtime/http_server_parts.h"

/* An address of this machine, by which the peer may reach it: never a name of somebody else. */
static bool is_own_address(const struct jd_peer *peer, struct jl_text host)
{
    struct sockaddr_storage bound = { .ss_family = AF_UNSPEC };
    socklen_t len = sizeof bound;
    uint8_t own[JD_ADDRESS_BYTES];
    uint8_t asked[JD_ADDRESS_BYTES];
    if (!jd_address_read(host, asked) ||
        getsockname(peer->fd, (struct sockaddr *)&bound, &len) != 0)
        return false;
    jd_address_of(&bound, own);
    return memcmp(own, asked, sizeof own) == 0;
}

static bool is_same_name(struct jl_text a, struct jl_text b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && jl_lower(a.ptr[i]) == jl_lower(b.ptr[i]))
        i++;
    return i == a.len && i == b.len;
}

static bool is_listed(const char *names, struct jl_text host)
{
    struct jl_text rest = jl_text(names);
    while (rest.len > 0) {
        if (is_same_name(jl_text_trim(jl_text_cut(&rest, ',')), host))
            return true;
    }
    return false;
}

static bool is_allowed(const struct jd_exchange *exchange, struct jl_text authority)
{
    const struct jl_text host = jd_host_of(authority);
    return host.len > 0 && (jd_host_is_loopback(host) || is_own_address(exchange->peer, host) ||
                            is_listed(exchange->server->options.hosts, host));
}

static const char *header_of(const struct jd_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

/* "null" is what a page without a place says. */
static bool is_origin_allowed(const struct jd_exchange *exchange, const char *origin)
{
    const char *const host = strstr(origin, "://");
    return host && is_allowed(exchange, jl_text(host + strlen("://")));
}

struct jd_refusal jd_admit_origin(const struct jd_exchange *exchange)
{
    const struct jd_server_options *const options = &exchange->server->options;
    const char *const host =
        exchange->target.authority ? exchange->target.authority : header_of(exchange, "Host");
    const char *const origin = header_of(exchange, "Origin");
    const char *const site = header_of(exchange, "Sec-Fetch-Site");
    if (!options->is_local || jl_same(options->hosts, "*"))
        return (struct jd_refusal){ 0 };
    if (!is_allowed(exchange, jl_text(host)))
        return (struct jd_refusal){ MHD_HTTP_MISDIRECTED_REQUEST,
                                    "its Host is none of this server's; ALLOWED_HOSTS adds names" };
    if (origin ? !is_origin_allowed(exchange, origin) : jl_same(site, "cross-site"))
        return (struct jd_refusal){ MHD_HTTP_FORBIDDEN,
                                    "it comes from a page of another host; ALLOWED_HOSTS adds "
                                    "names" };
    return (struct jd_refusal){ 0 };
}
