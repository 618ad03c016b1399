/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Where a profile may send the caller of an external scaler: schemes, hosts and addresses
 * (docs/rules/autoscaling.md#external-scaler).
 */

#include <string.h>

#include "autoscale/external.h"
#include "base/error.h"
#include "base/text.h"

#define V4_BYTES 4
#define V6_BYTES 16
#define V6_GROUPS 8
#define MOST_URL_BYTES 2048

static int refuse(struct joulie_error *err, const char *why)
{
    return jl_fail(err, JOULIE_E_UNSUPPORTED, "", "%s", why);
}

static int bad(struct joulie_error *err, const char *why)
{
    return jl_fail(err, JOULIE_E_PARSE, "", "%s", why);
}

/* ---- addresses ---- */

static bool is_private_v4(const uint8_t *address)
{
    return address[0] == 0 ||                                  /* unspecified: this host */
           address[0] == 127 ||                                /* loopback */
           (address[0] == 169 && address[1] == 254) ||         /* link-local, metadata services */
           memcmp(address, "\xFF\xFF\xFF\xFF", V4_BYTES) == 0; /* this link */
}

/* Prefixes after which an IPv4 address stands that the packet goes to in the end. */
static const struct {
    uint8_t bytes[12];
} v4_prefixes[] = {
    { { 0 } },                                        /* compatible; :: and ::1 too */
    { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF } }, /* mapped */
    { { 0, 0x64, 0xFF, 0x9B } },                      /* NAT64 */
};

static bool is_private_v6(const uint8_t *address)
{
    if (address[0] == 0xFE && (address[1] & 0xC0) == 0x80)
        return true;
    for (size_t i = 0; i < JL_COUNT(v4_prefixes); i++) {
        if (memcmp(address, v4_prefixes[i].bytes, sizeof v4_prefixes[i].bytes) == 0 &&
            is_private_v4(address + V6_BYTES - V4_BYTES))
            return true;
    }
    return false;
}

int jl_external_check_address(const uint8_t *address, size_t len, unsigned allow,
                              struct joulie_error *err)
{
    if (len != V4_BYTES && len != V6_BYTES)
        return refuse(err, "this is no address of IPv4 or IPv6");
    if ((allow & JL_EXTERNAL_ALLOW_PRIVATE) != 0)
        return 0;
    if (len == V4_BYTES ? is_private_v4(address) : is_private_v6(address))
        return refuse(err, "the address is loopback, link-local or unspecified");
    return 0;
}

/* ---- literals ---- */

/* Four decimal numbers; the other spellings are left to the resolver, whose address is judged. */
static bool read_v4(struct jl_text text, uint8_t out[V4_BYTES])
{
    for (size_t i = 0; i < V4_BYTES; i++) {
        const struct jl_text part = i < V4_BYTES - 1 ? jl_text_cut(&text, '.') : text;
        unsigned value = 0;
        for (size_t k = 0; k < part.len; k++) {
            if (k > 2 || !jl_is_digit(part.ptr[k]))
                return false;
            value = value * 10 + (unsigned)(part.ptr[k] - '0');
        }
        if (part.len == 0 || value > UINT8_MAX)
            return false;
        out[i] = (uint8_t)value;
    }
    return true;
}

static int hex_digit(char c)
{
    if (jl_is_digit(c))
        return c - '0';
    c = jl_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Groups of hex digits between colons, the last two as IPv4 if they are; their number, or -1. */
static int read_groups(struct jl_text text, uint16_t groups[V6_GROUPS])
{
    int count = 0;
    while (text.len > 0) {
        const size_t len = jl_text_find(text, ':');
        const struct jl_text part = { text.ptr, len };
        uint8_t v4[V4_BYTES];
        if (len == text.len && count <= V6_GROUPS - 2 && read_v4(part, v4)) {
            groups[count++] = (uint16_t)(v4[0] << 8 | v4[1]);
            groups[count++] = (uint16_t)(v4[2] << 8 | v4[3]);
            return count;
        }
        unsigned value = 0;
        for (size_t i = 0; i < len; i++) {
            const int digit = hex_digit(part.ptr[i]);
            if (digit < 0 || i > 3)
                return -1;
            value = value << 4 | (unsigned)digit;
        }
        if (len == 0 || count == V6_GROUPS)
            return -1;
        groups[count++] = (uint16_t)value;
        if (len == text.len)
            return count;
        text = (struct jl_text){ text.ptr + len + 1, text.len - len - 1 };
        if (text.len == 0) /* a single colon at the end */
            return -1;
    }
    return count;
}

static size_t find_gap(struct jl_text text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == ':' && text.ptr[i + 1] == ':')
            return i;
    }
    return text.len;
}

static bool read_v6(struct jl_text text, uint8_t out[V6_BYTES])
{
    uint16_t head[V6_GROUPS] = { 0 };
    uint16_t tail[V6_GROUPS] = { 0 };
    const size_t gap = find_gap(text);
    const bool has_gap = gap < text.len;
    const int heads = read_groups((struct jl_text){ text.ptr, gap }, head);
    const int tails =
        has_gap ? read_groups((struct jl_text){ text.ptr + gap + 2, text.len - gap - 2 }, tail) : 0;
    if (heads < 0 || tails < 0 || (has_gap ? heads + tails >= V6_GROUPS : heads != V6_GROUPS))
        return false;
    for (int i = 0; i < tails; i++)
        head[V6_GROUPS - tails + i] = tail[i];
    for (int i = 0; i < V6_GROUPS; i++) {
        out[2 * i] = (uint8_t)(head[i] >> 8);
        out[2 * i + 1] = (uint8_t)head[i];
    }
    return true;
}

/* ---- URLs ---- */

static int check_scheme(struct jl_text *rest, unsigned allow, struct joulie_error *err)
{
    const struct jl_text scheme = { rest->ptr, jl_text_find(*rest, ':') };
    const bool is_https = jl_same_nocase(scheme, "https");
    if (!is_https && !jl_same_nocase(scheme, "http"))
        return bad(err, "the URL does not begin with https://");
    if (!is_https && (allow & JL_EXTERNAL_ALLOW_HTTP) == 0)
        return refuse(err, "only https is allowed");
    if (rest->len < scheme.len + 3 || memcmp(rest->ptr + scheme.len, "://", 3) != 0)
        return bad(err, "the URL has no host");
    *rest = (struct jl_text){ rest->ptr + scheme.len + 3, rest->len - scheme.len - 3 };
    return 0;
}

static bool is_port(struct jl_text text)
{
    unsigned port = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (i > 4 || !jl_is_digit(text.ptr[i]))
            return false;
        port = port * 10 + (unsigned)(text.ptr[i] - '0');
    }
    return text.len > 0 && port > 0 && port <= UINT16_MAX;
}

/* Letters, digits, - and . in parts between dots; one dot at the end is allowed. */
static bool is_name(struct jl_text host)
{
    for (size_t i = 0; i < host.len; i++) {
        const char c = jl_lower(host.ptr[i]);
        const bool is_dot = c == '.';
        if (is_dot ? i == 0 || host.ptr[i - 1] == '.'
                   : !jl_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '_')
            return false;
    }
    return host.len > 0;
}

/* localhost and names below it, also with the dot of the root. */
static bool is_localhost(struct jl_text host)
{
    static const char word[] = "localhost";
    const size_t len = sizeof word - 1;
    if (host.len > 0 && host.ptr[host.len - 1] == '.')
        host.len--;
    if (host.len < len || (host.len > len && host.ptr[host.len - len - 1] != '.'))
        return false;
    return jl_same_nocase((struct jl_text){ host.ptr + host.len - len, len }, word);
}

static int check_host(struct jl_text host, unsigned allow, struct joulie_error *err)
{
    uint8_t address[V6_BYTES];
    if (host.len > 1 && host.ptr[0] == '[') {
        if (host.ptr[host.len - 1] != ']' ||
            !read_v6((struct jl_text){ host.ptr + 1, host.len - 2 }, address))
            return bad(err, "the host of the URL is no address of IPv6");
        return jl_external_check_address(address, V6_BYTES, allow, err);
    }
    if (read_v4(host, address))
        return jl_external_check_address(address, V4_BYTES, allow, err);
    if (!is_name(host))
        return bad(err, "the host of the URL is no name");
    if (is_localhost(host) && (allow & JL_EXTERNAL_ALLOW_PRIVATE) == 0)
        return refuse(err, "the host of the URL is this host");
    return 0;
}

int jl_external_check_url(const char *url, size_t len, unsigned allow, struct joulie_error *err)
{
    struct jl_text rest = { url, len };
    if (len == 0 || len > MOST_URL_BYTES)
        return bad(err, len == 0 ? "there is no URL" : "the URL is above 2048 bytes");
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)url[i];
        if (c <= ' ' || c >= 0x7F || c == '\\')
            return bad(err, "the URL has a character that must be escaped");
    }
    const int rc = check_scheme(&rest, allow, err);
    if (rc < 0)
        return rc;
    size_t end = 0;
    while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?' && rest.ptr[end] != '#')
        end++;
    struct jl_text host = { rest.ptr, end };
    if (jl_text_find(host, '@') < host.len)
        return refuse(err, "the URL has a user; a key belongs into a secret");
    const size_t bracket = host.len > 0 && host.ptr[0] == '[' ? jl_text_find(host, ']') : 0;
    const size_t colon =
        bracket + jl_text_find((struct jl_text){ host.ptr + bracket, host.len - bracket }, ':');
    if (colon < host.len &&
        !is_port((struct jl_text){ host.ptr + colon + 1, host.len - colon - 1 }))
        return bad(err, "the port of the URL is no number from 1 to 65535");
    host.len = colon < host.len ? colon : host.len;
    return check_host(host, allow, err);
}
