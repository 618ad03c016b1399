/* SPDX-License-Identifier: Apache-2.0 */

/* The header lines of a request that say where it ends and whom it asks: anything in them that
 * another reader on the way could take for something else is refused (RFC 9112, 3.2, 5.1, 6.3).
 * The library's strict mode sees to a missing Host, white space in the request line, and the sizes
 * of chunks. */

#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "runtime/http_admit.h"
#include "runtime/http_server_parts.h"

#define NAME_MARKS "!#$%&'*+-.^_`|~" /* of a token, beside letters and digits */

struct lines { /* what has been seen of a header */
    unsigned lengths;
    unsigned encodings;
    unsigned hosts;
    const char *length;
    const char *encoding;
    const char *host;
    const char *problem;
};

static bool is_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const char low = jl_lower(text[i]);
        if ((low < 'a' || low > 'z') && !jl_is_digit(low) &&
            (low == '\0' || !strchr(NAME_MARKS, low)))
            return false;
    }
    return len > 0;
}

/* A line that goes on in the next one holds its end of line here. */
static bool is_value(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == '\x7f')
            return false;
    }
    return true;
}

static enum MHD_Result see_line(void *user, enum MHD_ValueKind kind, const char *name,
                                size_t name_len, const char *value, size_t len)
{
    struct lines *lines = user;
    const struct jl_text text = { name, name_len };
    (void)kind;
    if (!is_name(name, name_len))
        lines->problem = "a header has no name of a header";
    else if (!is_value(value ? value : "", len))
        lines->problem = "a header holds a control character";
    if (jl_same_nocase(text, "Content-Length")) {
        lines->lengths++;
        lines->length = value;
    } else if (jl_same_nocase(text, "Transfer-Encoding")) {
        lines->encodings++;
        lines->encoding = value;
    } else if (jl_same_nocase(text, "Host")) {
        lines->hosts++;
        lines->host = value;
    }
    return MHD_YES;
}

static struct jd_refusal malformed(const char *reason)
{
    return (struct jd_refusal){ MHD_HTTP_BAD_REQUEST, reason };
}

static struct jd_refusal judge_length(const struct jd_exchange *exchange, const char *length)
{
    uint64_t bytes = 0;
    const int rc = jl_parse_u64(length, strlen(length), &bytes);
    if (rc == JOULIE_E_PARSE)
        return malformed("the Content-Length is no number");
    if (rc < 0 || bytes / JD_THROWN_AWAY > exchange->server->options.most_body)
        return (struct jd_refusal){ MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large" };
    return (struct jd_refusal){ 0 };
}

struct jd_refusal jd_admit_framing(const struct jd_exchange *exchange, const char *version)
{
    struct lines lines = { 0 };
    const char *const authority = exchange->target.authority;
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, see_line, &lines);
    if (lines.problem)
        return malformed(lines.problem);
    if (lines.hosts > 1)
        return malformed("there are two Hosts");
    if (authority && lines.host && !jl_same_nocase(jl_text(lines.host), authority))
        return malformed("its target and its Host are two hosts");
    if (lines.lengths + lines.encodings > 1)
        return malformed("its body has two lengths");
    if (lines.encoding && jl_same(version, MHD_HTTP_VERSION_1_0))
        return malformed("HTTP/1.0 has no Transfer-Encoding");
    if (lines.encoding && !jl_same_nocase(jl_text(lines.encoding), "chunked"))
        return malformed("the only Transfer-Encoding is chunked");
    return lines.length ? judge_length(exchange, lines.length) : (struct jd_refusal){ 0 };
}
