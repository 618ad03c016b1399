/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * TLS of the HTTP server (docs/rules/programs.md#tls): certificate and key from files that are read
 * again when they change, and, where wanted, certificates of clients. A connection keeps what it
 * began with; what cannot be used is logged, and what was there before stays in force.
 */

#include <joulie/error.h>

#include "runtime/log.h"
#include "runtime/loop.h"

/* PEM files, as the settings name them; borrowed as long as they are used. */
struct jd_tls_files {
    const char *certificate;  /* the server's, then those that signed it; NULL = no TLS */
    const char *key;          /* of the certificate */
    const char *client_ca;    /* that sign clients' certificates; NULL = clients need none */
    const char *client_names; /* that those may have, between commas; NULL = any */
};

struct jd_server_tls;

/* Reads the files; *out is NULL where no certificate is named. JOULIE_E_IO, _LIMIT, _PARSE,
 * _CONFLICT (the key is of another certificate) or _REQUIRED, where a setting that another one
 * needs is missing; where names the setting. */
int jd_server_tls_open(struct jd_loop *loop, struct jd_log *log, const struct jd_tls_files *files,
                       struct jd_server_tls **out, struct joulie_error *err);
/* After the server that uses it. */
void jd_server_tls_close(struct jd_server_tls *tls);

struct jd_tls_facts {
    int64_t expires_s; /* of the certificate in force, seconds since 1970 */
    uint64_t reloads;  /* since the start */
    uint64_t failures; /* files that changed and could not be used */
};

void jd_server_tls_facts(const struct jd_server_tls *tls, struct jd_tls_facts *out);

/* Three rows of settings: member tls, a struct jd_tls_files. */
#define JD_TLS_SETTINGS(tag, where)                                                                \
    { .name = "TLS_CERT_FILE",                                                                     \
      JD_TEXT_AT(tag, tls.certificate),                                                            \
      .value = "FILE",                                                                             \
      .doc = "PEM file with the certificate of " where " and those that signed it: HTTPS instead " \
             "of HTTP there. Certificate, key and CAs are read again when they change" },          \
        { .name = "TLS_KEY_FILE",                                                                  \
          JD_TEXT_AT(tag, tls.key),                                                                \
          .value = "FILE",                                                                         \
          .doc = "PEM file with the key of the certificate" },                                     \
        { .name = "TLS_CLIENT_CA_FILE",                                                            \
          JD_TEXT_AT(tag, tls.client_ca),                                                          \
          .value = "FILE",                                                                         \
          .doc =                                                                                   \
              "PEM file with CAs: a client has to show a certificate that one of them signed" },   \
    {                                                                                              \
        .name = "TLS_CLIENT_NAMES", JD_TEXT_AT(tag, tls.client_names), .value = "NAMES",           \
        .doc = "common names or DNS names, between commas, of which a client's certificate has "   \
               "to have one"                                                                       \
    }
