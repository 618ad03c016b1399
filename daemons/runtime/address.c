/* SPDX-License-Identifier: Apache-2.0 */

/* IP addresses and hosts as text and as bytes. */

#include "runtime/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define LOOPBACK_NET 127 /* the first byte of 127.0.0.0/8 */
#define LOCALHOST "localhost"

static const uint8_t mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static void put_v4(const struct in_addr *address, uint8_t out[JD_ADDRESS_BYTES])
{
    memcpy(out, mapped, sizeof mapped);
    memcpy(out + sizeof mapped, address, sizeof *address);
}

void jd_address_of(const struct sockaddr_storage *socket, uint8_t out[JD_ADDRESS_BYTES])
{
    memset(out, 0, JD_ADDRESS_BYTES);
    if (socket->ss_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, socket, sizeof v6);
        memcpy(out, &v6.sin6_addr, JD_ADDRESS_BYTES);
    } else if (socket->ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, socket, sizeof v4);
        put_v4(&v4.sin_addr, out);
    }
}

bool jd_address_read(struct jl_text host, uint8_t out[JD_ADDRESS_BYTES])
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr v4;
    const bool has_brackets = host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    if (has_brackets)
        host = (struct jl_text){ host.ptr + 1, host.len - 2 };
    if (host.len == 0 || host.len >= sizeof text)
        return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    if (!has_brackets && inet_pton(AF_INET, text, &v4) == 1) {
        put_v4(&v4, out);
        return true;
    }
    struct in6_addr v6;
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return false;
    memcpy(out, &v6, JD_ADDRESS_BYTES);
    return true;
}

static bool is_below_localhost(struct jl_text host)
{
    const size_t len = sizeof "." LOCALHOST - 1;
    return host.len > len &&
           jl_same_nocase((struct jl_text){ host.ptr + host.len - len, len }, "." LOCALHOST);
}

bool jd_host_is_loopback(struct jl_text host)
{
    static const uint8_t one[JD_ADDRESS_BYTES] = { [JD_ADDRESS_BYTES - 1] = 1 };
    uint8_t address[JD_ADDRESS_BYTES];
    if (jl_same_nocase(host, LOCALHOST) || is_below_localhost(host))
        return true;
    if (!jd_address_read(host, address))
        return false;
    return memcmp(address, one, sizeof one) == 0 ||
           (memcmp(address, mapped, sizeof mapped) == 0 && address[sizeof mapped] == LOOPBACK_NET);
}

struct jl_text jd_host_of(struct jl_text authority)
{
    const size_t colon = jl_text_find(authority, ':');
    struct jl_text rest = authority;
    if (authority.len > 0 && authority.ptr[0] == '[') {
        const size_t end = jl_text_find(authority, ']');
        return (struct jl_text){ authority.ptr, end < authority.len ? end + 1 : end };
    }
    jl_text_cut(&rest, ':');
    const bool is_v6 = jl_text_find(rest, ':') < rest.len;
    return is_v6 ? authority : (struct jl_text){ authority.ptr, colon };
}
