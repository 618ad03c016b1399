/* SPDX-License-Identifier: Apache-2.0 */

/* A request of http_client.c as libcurl's options: URL, headers, identity, sockets that notice
 * dead peers. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/http_client_parts.h"
#include "runtime/json.h"

#define KEEPALIVE_S 30 /* docs/rules/clients.md#http-requests */
#define KEEPALIVE_INTERVAL_S 10
#define PEER_GONE_MS 60000
/* Allocated for each request. A reply that does not fit costs two system calls more; of the usual
 * 16 KiB the C library would tidy up its heap. */
#define PLAIN_BUFFER_BYTES 2048L
#define PATH_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"

/* The parts of a URL that we need, each to be freed with curl_free(). */
struct endpoint {
    CURLU *url;
    char *scheme;
    char *host; /* an IPv6 address in brackets */
    char *port; /* only where an address has to be found out */
};

static void endpoint_clear(struct endpoint *endpoint)
{
    curl_free(endpoint->scheme);
    curl_free(endpoint->host);
    curl_free(endpoint->port);
    *endpoint = (struct endpoint){ 0 };
}

/* What stands before an @ may be a password. */
static int fail_url(struct joulie_error *err, const char *what, const char *text, const char *why)
{
    const char *const at = strrchr(text, '@');
    return jl_fail(err, JOULIE_E_PARSE, "", "%s \"%s%.200s\": %s", what, at ? "..." : "",
                   at ? at : text, why);
}

static bool is_ascii(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text > 0x7e)
            return false;
    }
    return true;
}

/* what: of text, for a person. */
static int set_part(CURLU *url, CURLUPart part, const char *what, const char *text,
                    struct joulie_error *err)
{
    const CURLUcode rc = curl_url_set(url, part, text, CURLU_NON_SUPPORT_SCHEME);
    if (rc == CURLUE_OUT_OF_MEMORY)
        return jl_fail_memory(err);
    return rc == CURLUE_OK ? 0 : fail_url(err, what, text, curl_url_strerror(rc));
}

/* out->url is given. schemes: NULL-terminated. */
static int read_endpoint(const char *what, const char *text, const char *const *schemes,
                         struct endpoint *out, struct joulie_error *err)
{
    const int rc = set_part(out->url, CURLUPART_URL, what, text, err);
    if (rc != 0)
        return rc;
    if (curl_url_get(out->url, CURLUPART_SCHEME, &out->scheme, 0) != CURLUE_OK ||
        curl_url_get(out->url, CURLUPART_HOST, &out->host, 0) != CURLUE_OK)
        return fail_url(err, what, text, "no host");
    size_t i = 0;
    while (schemes[i] && !jl_same(schemes[i], out->scheme))
        i++;
    if (!schemes[i])
        return fail_url(err, what, text, "this scheme is not supported");
    return is_ascii(out->host) ? 0 : fail_url(err, what, text, "a host name has to be ASCII");
}

static int read_port(struct endpoint *endpoint)
{
    if (endpoint->port)
        return 0;
    const char *by_default = jl_same(endpoint->scheme, "https")          ? "443"
                             : jl_starts_with(endpoint->scheme, "socks") ? "1080"
                                                                         : "80";
    if (curl_url_get(endpoint->url, CURLUPART_PORT, &endpoint->port, 0) == CURLUE_NO_PORT &&
        curl_url_set(endpoint->url, CURLUPART_PORT, by_default, 0) == CURLUE_OK)
        curl_url_get(endpoint->url, CURLUPART_PORT, &endpoint->port, 0);
    return endpoint->port ? 0 : JOULIE_E_NOMEM;
}

/* libcurl knows these without asking anybody: localhost and below it are the loopback addresses. */
static bool needs_lookup(const char *host)
{
    struct in_addr address;
    return host[0] != '[' && inet_pton(AF_INET, host, &address) != 1 &&
           !jl_same_nocase(jl_text(host), "localhost") && !jl_ends_with(host, ".localhost");
}

static int want_lookup(struct jd_transfer *transfer, struct endpoint *endpoint)
{
    if (!needs_lookup(endpoint->host))
        return 0;
    if (read_port(endpoint) != 0)
        return JOULIE_E_NOMEM;
    transfer->host = jl_strdup(endpoint->host);
    transfer->port = jl_strdup(endpoint->port);
    return transfer->host && transfer->port ? 0 : JOULIE_E_NOMEM;
}

static int append(struct curl_slist **list, const char *text)
{
    struct curl_slist *const longer = text ? curl_slist_append(*list, text) : NULL;
    if (!longer)
        return JOULIE_E_NOMEM;
    *list = longer;
    return 0;
}

/* Takes the buffer's text. */
static int append_buffer(struct curl_slist **list, struct jl_buffer *text)
{
    const int rc = jl_buffer_code(text) == 0 ? append(list, text->data) : JOULIE_E_NOMEM;
    jl_buffer_clear(text);
    return rc;
}

int jd_http_set_address(struct jd_transfer *transfer, const char *addresses)
{
    struct jl_buffer line = { 0 };
    /* "+": may be forgotten again */
    jd_put_format(&line, "+%s:%s:%s", transfer->host, transfer->port, addresses);
    if (append_buffer(&transfer->resolve, &line) != 0)
        return JOULIE_E_NOMEM;
    const CURLcode rc = curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, transfer->resolve);
    return rc == CURLE_OK ? 0 : JOULIE_E_NOMEM;
}

/* A peer that is gone is noticed, also by a stream that only reads. */
static int on_socket(void *user, curl_socket_t fd, curlsocktype purpose)
{
    const int on = 1;
    const int idle_s = KEEPALIVE_S;
    const int interval_s = KEEPALIVE_INTERVAL_S;
    const unsigned gone_ms = PEER_GONE_MS;
    (void)user;
    (void)purpose;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone_ms, sizeof gone_ms);
    return CURL_SOCKOPT_OK;
}

/* Called before libcurl resolves a host that it does not have: it would start a thread. */
static int on_resolve(void *state, void *reserved, void *user)
{
    const struct jd_transfer *const transfer = user;
    (void)state;
    (void)reserved;
    return transfer->host != NULL;
}

/* Called before each sending. libcurl sends once more when a connection that was used before ends
 * without an answer; whether a write was done is then for the caller to find out. */
static int on_send(void *user, char *address, char *own_address, int port, int own_port)
{
    struct jd_transfer *const transfer = user;
    (void)address;
    (void)own_address;
    (void)port;
    (void)own_port;
    const bool is_again = transfer->was_sent;
    transfer->was_sent = true;
    transfer->is_withheld = transfer->may_send && !transfer->may_send(transfer->user);
    return transfer->is_withheld || (is_again && transfer->is_write) ? CURL_PREREQFUNC_ABORT
                                                                     : CURL_PREREQFUNC_OK;
}

/* Several options of one handle: the first failure stays. */
#define SET(option, value)                                                    \
    do {                                                                      \
        if (rc == CURLE_OK)                                                   \
            rc = curl_easy_setopt(transfer->easy, CURLOPT_##option, (value)); \
    } while (0)

static CURLcode set_constants(struct jd_transfer *transfer)
{
    CURLcode rc = CURLE_OK;
    SET(CURLU, transfer->url);
    SET(PROTOCOLS_STR, "http,https");
    SET(NOPROXY, ""); /* neither this nor PROXY comes from the environment */
    SET(PROXY, "");
    SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(HTTP09_ALLOWED, 0L);
    SET(FOLLOWLOCATION, 0L);
    SET(NOSIGNAL, 1L);
    SET(SUPPRESS_CONNECT_HEADERS, 1L);
    SET(ERRORBUFFER, transfer->error);
    SET(PRIVATE, transfer);
    SET(SOCKOPTFUNCTION, on_socket);
    SET(PREREQFUNCTION, on_send);
    SET(PREREQDATA, transfer);
    SET(RESOLVER_START_FUNCTION, on_resolve);
    SET(RESOLVER_START_DATA, transfer);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    return rc;
}

int jd_http_make_handle(struct jd_transfer *transfer)
{
    transfer->easy = curl_easy_init();
    transfer->url = curl_url();
    return transfer->easy && transfer->url && set_constants(transfer) == CURLE_OK ? 0
                                                                                  : JOULIE_E_NOMEM;
}

static CURLcode set_method(struct jd_transfer *transfer, const struct jd_http_request *request)
{
    const char *const method = request->method ? request->method : "GET";
    CURLcode rc = CURLE_OK;
    transfer->is_write = !jl_same(method, "GET") && !jl_same(method, "HEAD");
    if (request->body || transfer->is_write) {
        SET(POST, 1L); /* Content-Length: 0 without a body */
        SET(POSTFIELDSIZE_LARGE, (curl_off_t)(request->body ? request->len : 0));
        SET(COPYPOSTFIELDS, request->body ? request->body : "");
    }
    if (jl_same(method, "HEAD"))
        SET(NOBODY, 1L);
    else
        SET(CUSTOMREQUEST, method);
    return rc;
}

/* NUL-terminated PEM; libcurl copies it, because a CA may be replaced while a request runs. */
static struct curl_blob blob(const char *pem)
{
    return (struct curl_blob){ .data = (void *)(uintptr_t)pem,
                               .len = strlen(pem),
                               .flags = CURL_BLOB_COPY };
}

static CURLcode set_tls(struct jd_transfer *transfer, const struct jd_tls *tls)
{
    CURLcode rc = CURLE_OK;
    if (!tls)
        return rc;
    SET(SSL_VERIFYPEER, tls->is_unverified ? 0L : 1L);
    SET(SSL_VERIFYHOST, tls->is_unverified ? 0L : 2L);
    if (tls->ca) {
        struct curl_blob ca = blob(tls->ca);
        SET(CAINFO_BLOB, &ca);
        SET(CAPATH, NULL); /* nobody else is trusted */
    }
    if (tls->certificate) {
        struct curl_blob certificate = blob(tls->certificate);
        SET(SSLCERT_BLOB, &certificate);
        SET(SSLCERTTYPE, "PEM");
    }
    if (tls->key) {
        struct curl_blob key = blob(tls->key);
        SET(SSLKEY_BLOB, &key);
        SET(SSLKEYTYPE, "PEM");
    }
    return rc;
}

static bool is_header(const char *line)
{
    if (!strchr(line, ':') || line[0] == ':')
        return false;
    for (; *line; line++) {
        const unsigned char c = (unsigned char)*line;
        if (c == 0x7f || (c < 0x20 && c != '\t'))
            return false;
    }
    return true;
}

/* A value of a header is not shown: it may be a secret. */
static int set_headers(struct jd_transfer *transfer, const struct jd_http_request *request,
                       struct joulie_error *err)
{
    bool has_type = false;
    if (append(&transfer->headers, transfer->http->user_agent->data) != 0)
        return jl_fail_memory(err);
    for (size_t i = 0; request->headers && request->headers[i]; i++) {
        const char *const line = request->headers[i];
        const int name_len = (int)jl_text_find(jl_text(line), ':');
        if (!is_header(line))
            return jl_fail(err, JOULIE_E_PARSE, "", "the header \"%.*s\" cannot be sent",
                           name_len < 64 ? name_len : 64, line);
        if (jl_same_nocase((struct jl_text){ line, (size_t)name_len }, "content-type"))
            has_type = true;
        if (append(&transfer->headers, line) != 0)
            return jl_fail_memory(err);
    }
    if (append(&transfer->headers, "Expect:") != 0 ||
        (!has_type && append(&transfer->headers, "Content-Type:") != 0))
        return jl_fail_memory(err);
    return 0;
}

/* The connection goes to the URL's host, everything else to the name that is verified. */
static int set_server_name(struct jd_transfer *transfer, struct endpoint *endpoint,
                           const char *name)
{
    struct jl_buffer line = { 0 };
    char *port = NULL; /* NULL = the scheme's */
    if (read_port(endpoint) != 0)
        return JOULIE_E_NOMEM;
    curl_url_get(endpoint->url, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT);
    jd_put_format(&line, "Host: %s%s%s", endpoint->host, port ? ":" : "", port ? port : "");
    curl_free(port);
    int rc = append_buffer(&transfer->headers, &line);
    if (rc != 0)
        return rc;
    jd_put_format(&line, "%s:%s:%s:%s", name, endpoint->port, endpoint->host, endpoint->port);
    rc = append_buffer(&transfer->connect_to, &line);
    return rc == 0 && curl_url_set(endpoint->url, CURLUPART_HOST, name, 0) != CURLUE_OK
               ? JOULIE_E_PARSE
               : rc;
}

/* Behind scheme, host and port, if that is a path in which nothing is to be decoded, resolved or
 * refused; NULL = it is more. */
static const char *plain_path(const char *url)
{
    const char *path = strstr(url, "://");
    path = path ? path + strcspn(path + 3, "/?#") + 3 : "";
    const bool is_plain = *path == '/' && path[strspn(path, PATH_BYTES)] == '\0';
    return is_plain && !strstr(path, "/.") ? path : NULL;
}

static int parse_url(struct jd_transfer *transfer, const struct jd_http_request *request,
                     struct joulie_error *err)
{
    static const char *const schemes[] = { "http", "https", NULL };
    const char *const name = request->tls ? request->tls->server_name : NULL;
    JL_CLEANUP(endpoint_clear) struct endpoint endpoint = { .url = transfer->url };
    int rc = read_endpoint("URL", request->url, schemes, &endpoint, err);
    if (rc == 0 && !request->proxy && want_lookup(transfer, &endpoint) != 0)
        rc = jl_fail_memory(err);
    if (rc != 0)
        return rc;
    if (name && !jl_same(name, endpoint.host) && jl_same(endpoint.scheme, "https"))
        rc = set_server_name(transfer, &endpoint, name);
    return rc == 0 ? 0 : jl_fail(err, rc, "", "the server name \"%.200s\" cannot be used", name);
}

/* A plain request mostly goes where the last one of its handle went, and only the path is new. */
static int set_url(struct jd_transfer *transfer, const struct jd_http_request *request,
                   struct joulie_error *err)
{
    const char *const path = transfer->is_plain ? plain_path(request->url) : NULL;
    const size_t origin_len = path ? (size_t)(path - request->url) : 0;
    if (path && transfer->origin &&
        jl_text_is((struct jl_text){ request->url, origin_len }, transfer->origin))
        return set_part(transfer->url, CURLUPART_PATH, "path", path, err);
    jl_free(transfer->origin);
    transfer->origin = NULL;
    const int rc = parse_url(transfer, request, err);
    if (rc == 0 && path && !transfer->host)
        transfer->origin = jl_strdup(request->url);
    if (transfer->origin)
        transfer->origin[origin_len] = '\0';
    return rc;
}

/* The names are looked up by the proxy, also by a SOCKS proxy; only its own by us. */
static int set_proxy(struct jd_transfer *transfer, const struct jd_http_request *request,
                     struct joulie_error *err)
{
    static const char *const schemes[] = { "http", "https", "socks5", "socks5h", NULL };
    JL_CLEANUP(endpoint_clear) struct endpoint endpoint = { .url = curl_url() };
    CURLU *const parsed = endpoint.url;
    char *url = NULL;
    int rc = parsed ? read_endpoint("proxy", request->proxy, schemes, &endpoint, err)
                    : jl_fail_memory(err);
    if (rc == 0 && want_lookup(transfer, &endpoint) != 0)
        rc = jl_fail_memory(err);
    if (rc == 0 && jl_same(endpoint.scheme, "socks5"))
        curl_url_set(parsed, CURLUPART_SCHEME, "socks5h", CURLU_NON_SUPPORT_SCHEME);
    if (rc == 0 && (curl_url_get(parsed, CURLUPART_URL, &url, 0) != CURLUE_OK ||
                    curl_easy_setopt(transfer->easy, CURLOPT_PROXY, url) != CURLE_OK))
        rc = jl_fail_memory(err);
    curl_free(url);
    curl_url_cleanup(parsed);
    return rc;
}

/* What a handle that served before does not have yet. */
static CURLcode set_rest(struct jd_transfer *transfer, const struct jd_http_request *request)
{
    CURLcode rc = set_method(transfer, request);
    if (rc == CURLE_OK)
        rc = set_tls(transfer, request->tls);
    SET(FRESH_CONNECT, request->is_own_connection ? 1L : 0L);
    SET(FORBID_REUSE, request->is_own_connection ? 1L : 0L);
    SET(HTTPHEADER, transfer->headers);
    SET(CONNECT_TO, transfer->connect_to);
    return rc;
}

static CURLcode set_plain(struct jd_transfer *transfer)
{
    CURLcode rc = CURLE_OK;
    SET(BUFFERSIZE, PLAIN_BUFFER_BYTES);
    SET(HTTPHEADER, transfer->http->plain_headers);
    return rc;
}

int jd_http_set_up(struct jd_transfer *transfer, const struct jd_http_request *request,
                   struct joulie_error *err)
{
    int rc = transfer->is_plain ? 0 : set_headers(transfer, request, err);
    if (rc == 0)
        rc = set_url(transfer, request, err);
    if (rc == 0 && request->proxy)
        rc = set_proxy(transfer, request, err);
    if (rc != 0)
        return rc;
    CURLcode code =
        curl_easy_setopt(transfer->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)transfer->connect_ms);
    if (code == CURLE_OK)
        code = transfer->is_plain ? set_plain(transfer) : set_rest(transfer, request);
    if (code == CURLE_OK)
        return 0;
    return code == CURLE_OUT_OF_MEMORY
               ? jl_fail_memory(err)
               : jl_fail(err, JOULIE_E_PARSE, "", "%s", curl_easy_strerror(code));
}
