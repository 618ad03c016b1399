/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which API server, and as whom: a kubeconfig, the service account of a pod, or a
 * plain URL (docs/rules/clients.md#which-api-server). Nothing falls back to an anonymous request by
 * itself.
 */

#include <stdbool.h>

#include <joulie/error.h>

#include "kube/plugin.h"
#include "runtime/http_client.h"

struct jd_access_options { /* as options of a program; NULL = not given */
    const char *kubeconfig;
    const char *context;
    const char *server; /* a URL: without kubeconfig nothing else is needed */
    const char *token_file;
    const char *name_space; /* over the context's */
    bool is_plain_allowed;  /* a token may go over plain HTTP to another machine */
    char **environment; /* KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST, …; plugins get all of it */
    struct jd_loop *loop; /* in which plugins run; NULL = they are refused */
    bool is_patient;      /* a token file that is empty or not there yet is waited for */
};

struct jd_access; /* opaque: certificates, token and where it comes from */

/*
 * In this order: server, kubeconfig, $KUBECONFIG, the pod's service account, ~/.kube/config.
 * JOULIE_E_REQUIRED: there is none of them. JOULIE_E_UNSUPPORTED: auth-provider, or a plugin that
 * is not run. JOULIE_E_CONFLICT: two things that exclude each other, among them a token and plain
 * HTTP to another machine. where = the file and the place in it. A plugin is not run yet.
 */
int jd_access_open(const struct jd_access_options *options, struct jd_access **out,
                   struct joulie_error *err);
void jd_access_close(struct jd_access *access);

const char *jd_access_server(const struct jd_access *access);       /* without a slash at its end */
const char *jd_access_shown(const struct jd_access *access);        /* the same without its user */
const char *jd_access_namespace(const struct jd_access *access);    /* "default" when nobody says */
const char *jd_access_proxy(const struct jd_access *access);        /* NULL = none */
const struct jd_tls *jd_access_tls(const struct jd_access *access); /* NULL = plain HTTP */
/* What a log should say once, at the start; "" = nothing. jd_kube_open() says it. */
const char *jd_access_note(const struct jd_access *access);
/* Whether a request may be sent; starts what fetches the identity where it is missing. *out_why,
 * where it is not there, is valid until the next call. */
enum jd_identity jd_access_identity(struct jd_access *access, int64_t now_ms, const char **out_why);
/* Who hears, from the loop, that JD_IDENTITY_COMING is over. */
void jd_access_hear(struct jd_access *access, void (*changed)(void *user), void *user);
/* Runs the loop until the identity is there, for programs that do nothing else before. 0 or
 * JOULIE_E_REQUIRED. */
int jd_access_await(struct jd_access *access, struct joulie_error *err);
/*
 * The header lines of identity (Authorization, Impersonate-*), NULL-terminated, for one request
 * that begins now: files of token, CA and client certificate are read again when they were read
 * 50 s ago. Valid until the next call. What cannot be read any more stays the last good one;
 * *out_problem (may be NULL) says so.
 */
const char *const *jd_access_headers(struct jd_access *access, int64_t now_ms,
                                     const char **out_problem);
/* After a 401 of a request that began at started_ms. true = there is a newer token or certificate:
 * once more. */
bool jd_access_refused(struct jd_access *access, int64_t started_ms, int64_t now_ms);
/* After a failed verification: the CA file is read again, at most once a minute. true = changed. */
bool jd_access_distrusted(struct jd_access *access, int64_t now_ms);
/* After a client certificate and a key that do not fit together: they are read again, at most once
 * a second, or those before them are shown; a plugin is asked for others. true = these are others:
 * once more. */
bool jd_access_unidentified(struct jd_access *access, int64_t now_ms);
