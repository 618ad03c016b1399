/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What http_tls.c does for http_server.c, once for each connection. */

#include <gnutls/abstract.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/http_admit.h"
#include "runtime/http_tls.h"

/* TLS 1.2 and 1.3, without exchanges that a stolen key would open later. */
#define JD_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA"

struct jd_tls_material;

struct jd_tls_peer { /* zeroed: not begun */
    struct jd_server_tls *tls;
    gnutls_session_t session;
    struct jd_tls_material *material; /* what the handshake was made with */
    uint64_t admitted;                /* number of the material that the client was held against */
};

/* Before the handshake of a session of the library; peer stays where it is until its end. */
void jd_tls_begin(struct jd_server_tls *tls, gnutls_session_t session, struct jd_tls_peer *peer);
void jd_tls_end(struct jd_tls_peer *peer);
/* Whether the client shows what is wanted of it. */
struct jd_refusal jd_tls_admit(struct jd_tls_peer *peer);
ssize_t jd_tls_send(struct jd_tls_peer *peer, const char *bytes, size_t len);
/* What a handshake is made with. */
gnutls_certificate_retrieve_function2 jd_tls_retrieve;

/* A listening socket whose connections come with their first bytes. */
void jd_tls_listen(int fd);
/* One that begins with a word of HTTP gets an answer that says what the port speaks, and is closed:
 * true. */
bool jd_tls_refuse_plain(int fd);
