/* SPDX-License-Identifier: Apache-2.0 */

/* Addresses that a server binds: HOST:PORT as text, and the socket behind it. */

#include "runtime/http_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/file.h"

#define MOST_PORT 65535
#define HOST_BYTES 64

struct endpoint {
    char host[HOST_BYTES]; /* "" = every address */
    uint16_t port;
};

static int fail_socket(int fd, const char *address, struct joulie_error *err)
{
    const int number = errno;
    if (fd >= 0)
        close(fd);
    errno = number;
    return jd_fail_system(address, err);
}

static bool read_endpoint(const char *address, struct endpoint *out)
{
    const char *colon = strrchr(address, ':');
    uint64_t port = 0;
    if (!colon || jl_parse_u64(colon + 1, strlen(colon + 1), &port) < 0 || port > MOST_PORT)
        return false;
    struct jl_text host = { address, (size_t)(colon - address) };
    const bool has_brackets = host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    if (has_brackets)
        host = (struct jl_text){ host.ptr + 1, host.len - 2 };
    if (jl_text_is(host, "localhost"))
        host = jl_text("127.0.0.1");
    if (host.len >= sizeof out->host || (!has_brackets && jl_text_find(host, ':') < host.len))
        return false;
    memcpy(out->host, host.ptr, host.len);
    out->host[host.len] = '\0';
    out->port = (uint16_t)port;
    return true;
}

/* The address to bind; family AF_UNSPEC = no address. */
static struct sockaddr_storage address_of(const struct endpoint *endpoint, socklen_t *out_len)
{
    struct sockaddr_storage storage = { .ss_family = AF_UNSPEC };
    struct sockaddr_in *v4 = (struct sockaddr_in *)&storage;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&storage;
    if (inet_pton(AF_INET, endpoint->host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(endpoint->port);
        *out_len = sizeof *v4;
        return storage;
    }
    const char *host = endpoint->host[0] ? endpoint->host : "::";
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(endpoint->port);
        *out_len = sizeof *v6;
    }
    return storage;
}

static int bind_to(const struct endpoint *endpoint)
{
    socklen_t len = 0;
    struct sockaddr_storage storage = address_of(endpoint, &len);
    const int fd =
        socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    const int on = 1;
    const int off = 0;
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (storage.ss_family == AF_INET6 && !endpoint->host[0])
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, (const struct sockaddr *)&storage, len) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    const int number = errno;
    close(fd);
    errno = number;
    return -1;
}

static bool read_port(int fd, int *out)
{
    struct sockaddr_storage bound;
    socklen_t len = sizeof bound;
    if (getsockname(fd, (struct sockaddr *)&bound, &len) != 0)
        return false;
    *out = ntohs(bound.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&bound)->sin6_port
                                             : ((const struct sockaddr_in *)&bound)->sin_port);
    return true;
}

static void write_url(const struct endpoint *endpoint, struct jd_listening *out)
{
    const bool is_any = !endpoint->host[0] || jl_same(endpoint->host, "0.0.0.0");
    const bool is_any6 = jl_same(endpoint->host, "::");
    const char *host = is_any ? "127.0.0.1" : is_any6 ? "::1" : endpoint->host;
    const bool has_colon = strchr(host, ':') != NULL;
    out->is_public = is_any || is_any6;
    snprintf(out->url, JD_URL_BYTES, "http%s://%s%s%s:%d", out->is_https ? "s" : "",
             has_colon ? "[" : "", host, has_colon ? "]" : "", out->port);
}

int jd_listen(const char *address, struct jd_listening *out, struct joulie_error *err)
{
    struct endpoint endpoint;
    socklen_t len = 0;
    if (!read_endpoint(address, &endpoint) || address_of(&endpoint, &len).ss_family == AF_UNSPEC)
        return jl_fail(err, JOULIE_E_PARSE, "", "\"%.64s\" is no address such as 127.0.0.1:8080",
                       address);
    int fd = bind_to(&endpoint);
    if (fd < 0 && !endpoint.host[0] && errno == EAFNOSUPPORT) { /* a kernel without IPv6 */
        memcpy(endpoint.host, "0.0.0.0", sizeof "0.0.0.0");
        fd = bind_to(&endpoint);
    }
    if (fd < 0 || !read_port(fd, &out->port))
        return fail_socket(fd, address, err);
    write_url(&endpoint, out);
    return fd;
}
