/* SPDX-License-Identifier: Apache-2.0 */

/*
 * TLS of the HTTP server (docs/rules/programs.md#tls): reads certificate, key and CAs, and again
 * when they change; what http_server.c asks for a connection. The library makes the handshakes;
 * clients are judged at their first request, where an answer can say what is wrong.
 */

#include "runtime/http_tls.h"

#include <gnutls/x509.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/clock.h"
#include "runtime/file.h"
#include "runtime/http_tls_parts.h"

#define MOST_FILE_BYTES ((size_t)1 << 20)
#define MOST_CHAIN 16 /* certificates that are sent, or that a client shows */
#define POLL_MS 2000
#define KEY_ID_BYTES 64
#define NAME_BYTES 256
#define FIRST_BYTES_S 1
#define DRAINED_BYTES 16384
#define MS_PER_S 1000

enum { CERTIFICATE, KEY, CLIENT_CA, FILES };

static const char *const settings[FILES] = { "TLS_CERT_FILE", "TLS_KEY_FILE",
                                             "TLS_CLIENT_CA_FILE" };

/* What the files said at a time; freed when nobody uses it any more. */
struct jd_tls_material {
    struct jl_buffer texts[FILES];
    gnutls_pcert_st chain[MOST_CHAIN];
    unsigned count;
    gnutls_privkey_t key;
    gnutls_x509_trust_list_t clients; /* NULL = they need no certificate */
    int64_t expires_s;
    uint64_t number;
    unsigned users; /* connections, and being in force */
};

struct jd_server_tls {
    struct jd_loop *loop;
    struct jd_log *log;
    const char *client_names;
    struct jd_polled_file files[FILES]; /* path NULL = none */
    struct jd_timer timer;
    struct jd_tls_material *material; /* in force */
    bool is_suspect;                  /* files could not be used once: another may still come */
    struct jl_buffer problem;         /* the last that was logged */
    struct jd_tls_facts facts;
};

/* ---- material ---- */

static void release(struct jd_tls_material *material)
{
    if (!material || --material->users > 0)
        return;
    for (unsigned i = 0; i < material->count; i++)
        gnutls_pcert_deinit(&material->chain[i]);
    if (material->key)
        gnutls_privkey_deinit(material->key);
    if (material->clients)
        gnutls_x509_trust_list_deinit(material->clients, 1);
    for (size_t i = 0; i < FILES; i++)
        jl_buffer_clear(&material->texts[i]);
    jl_free(material);
}

static gnutls_datum_t datum_of(struct jl_buffer *text)
{
    return (gnutls_datum_t){ (unsigned char *)text->data, (unsigned)text->len };
}

/* file: of which rc speaks; where is its setting. */
static int fail(const struct jd_server_tls *tls, int file, const char *why,
                struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_PARSE, settings[file], "%s: %s", tls->files[file].path, why);
}

static int read_certificate(const struct jd_server_tls *tls, struct jd_tls_material *out,
                            struct joulie_error *err)
{
    const gnutls_datum_t text = datum_of(&out->texts[CERTIFICATE]);
    gnutls_x509_crt_t first = NULL;
    unsigned count = MOST_CHAIN;
    int rc = gnutls_pcert_list_import_x509_raw(out->chain, &count, &text, GNUTLS_X509_FMT_PEM, 0);
    if (rc < 0)
        return fail(tls, CERTIFICATE, gnutls_strerror(rc), err);
    out->count = count;
    rc = gnutls_pcert_export_x509(&out->chain[0], &first);
    if (rc < 0)
        return fail(tls, CERTIFICATE, gnutls_strerror(rc), err);
    out->expires_s = gnutls_x509_crt_get_expiration_time(first);
    gnutls_x509_crt_deinit(first);
    return 0;
}

static bool is_of(gnutls_pubkey_t a, gnutls_privkey_t key)
{
    unsigned char ids[2][KEY_ID_BYTES];
    size_t sizes[2] = { KEY_ID_BYTES, KEY_ID_BYTES };
    gnutls_pubkey_t b = NULL;
    const bool is_same =
        gnutls_pubkey_init(&b) == 0 && gnutls_pubkey_import_privkey(b, key, 0, 0) == 0 &&
        gnutls_pubkey_get_key_id(a, GNUTLS_KEYID_USE_SHA256, ids[0], &sizes[0]) == 0 &&
        gnutls_pubkey_get_key_id(b, GNUTLS_KEYID_USE_SHA256, ids[1], &sizes[1]) == 0 &&
        sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
    if (b)
        gnutls_pubkey_deinit(b);
    return is_same;
}

static int read_key(const struct jd_server_tls *tls, struct jd_tls_material *out,
                    struct joulie_error *err)
{
    const gnutls_datum_t text = datum_of(&out->texts[KEY]);
    int rc = gnutls_privkey_init(&out->key);
    if (rc == 0)
        rc = gnutls_privkey_import_x509_raw(out->key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (rc < 0)
        return fail(tls, KEY, gnutls_strerror(rc), err);
    return is_of(out->chain[0].pubkey, out->key)
               ? 0
               : jl_fail(err, JOULIE_E_CONFLICT, settings[KEY], "%s: it is not the key of %s",
                         tls->files[KEY].path, tls->files[CERTIFICATE].path);
}

static int read_clients(const struct jd_server_tls *tls, struct jd_tls_material *out,
                        struct joulie_error *err)
{
    const gnutls_datum_t text = datum_of(&out->texts[CLIENT_CA]);
    if (!tls->files[CLIENT_CA].path)
        return 0;
    int rc = gnutls_x509_trust_list_init(&out->clients, 0);
    if (rc == 0)
        rc = gnutls_x509_trust_list_add_trust_mem(out->clients, &text, NULL, GNUTLS_X509_FMT_PEM, 0,
                                                  0);
    if (rc > 0)
        return 0;
    return fail(tls, CLIENT_CA, rc < 0 ? gnutls_strerror(rc) : "it holds no certificate", err);
}

static int read_texts(struct jd_server_tls *tls, struct jd_tls_material *out,
                      struct joulie_error *err)
{
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    for (size_t i = 0; i < FILES; i++) {
        if (!tls->files[i].path)
            continue;
        const int rc = jd_polled_read(&tls->files[i], MOST_FILE_BYTES, &out->texts[i], &why);
        if (rc < 0)
            return jl_fail(err, rc, settings[i], "%s: %s", tls->files[i].path, why.message);
    }
    return 0;
}

static int load(struct jd_server_tls *tls, struct jd_tls_material **out, struct joulie_error *err)
{
    struct jd_tls_material *const material = jl_calloc(1, sizeof *material);
    if (!material)
        return jl_fail_memory(err);
    material->users = 1;
    material->number = tls->material ? tls->material->number + 1 : 1;
    int rc = read_texts(tls, material, err);
    if (rc == 0)
        rc = read_certificate(tls, material, err);
    if (rc == 0)
        rc = read_key(tls, material, err);
    if (rc == 0)
        rc = read_clients(tls, material, err);
    if (rc == 0)
        *out = material;
    else
        release(material);
    return rc;
}

/* ---- files that change ---- */

static bool is_same(const struct jd_tls_material *a, const struct jd_tls_material *b)
{
    for (size_t i = 0; i < FILES; i++) {
        if (!jl_buffer_is_same(&a->texts[i], &b->texts[i]))
            return false;
    }
    return true;
}

static void log_use(const struct jd_server_tls *tls)
{
    const int64_t expires_ms = tls->material->expires_s * MS_PER_S;
    const bool is_over = tls->material->expires_s <= time(NULL);
    char until[JL_TIME_TEXT];
    jl_format_time(expires_ms, until);
    jd_log(tls->log, is_over ? JOULIE_LOG_LEVEL_WARN : JOULIE_LOG_LEVEL_INFO, "tls",
           "the certificate of %s is in force; it %s %s", tls->files[CERTIFICATE].path,
           is_over ? "expired at" : "expires at", until);
}

/* Certificate and key are two files: of a pair that does not fit the other half may be on its way.
 */
static void take_bad(struct jd_server_tls *tls, const struct joulie_error *err)
{
    const bool was_suspect = tls->is_suspect;
    const bool is_known = tls->problem.data && jl_same(tls->problem.data, err->message);
    tls->is_suspect = !was_suspect;
    if (!was_suspect || is_known)
        return;
    tls->facts.failures++;
    jl_buffer_clear(&tls->problem);
    jl_put(&tls->problem, err->message, strlen(err->message) + 1);
    jd_log(tls->log, JOULIE_LOG_LEVEL_ERROR, "tls",
           "%s; the certificate from before stays in force", err->message);
}

static void take_good(struct jd_server_tls *tls, struct jd_tls_material *material)
{
    const bool is_news = !is_same(material, tls->material);
    tls->is_suspect = false;
    jl_buffer_clear(&tls->problem);
    if (!is_news) {
        release(material);
        return;
    }
    release(tls->material);
    tls->material = material;
    tls->facts.reloads++;
    log_use(tls);
}

static void poll_files(void *user)
{
    struct jd_server_tls *const tls = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_tls_material *material = NULL;
    bool may_differ = tls->is_suspect;
    jd_timer_set(tls->loop, &tls->timer, jd_clock_ms() + POLL_MS);
    for (size_t i = 0; i < FILES; i++)
        may_differ |= tls->files[i].path && jd_polled_may_differ(&tls->files[i]);
    if (!may_differ)
        return;
    if (load(tls, &material, &err) < 0)
        take_bad(tls, &err);
    else
        take_good(tls, material);
}

/* ---- opening ---- */

static int check_settings(const struct jd_tls_files *files, struct joulie_error *err)
{
    if (files->certificate && !files->key)
        return jl_fail(err, JOULIE_E_REQUIRED, settings[KEY], "TLS_CERT_FILE needs it");
    if (!files->certificate && (files->key || files->client_ca))
        return jl_fail(err, JOULIE_E_REQUIRED, settings[CERTIFICATE], "%s needs it",
                       settings[files->key ? KEY : CLIENT_CA]);
    if (files->client_names && !files->client_ca)
        return jl_fail(err, JOULIE_E_REQUIRED, settings[CLIENT_CA], "TLS_CLIENT_NAMES needs it");
    return 0;
}

int jd_server_tls_open(struct jd_loop *loop, struct jd_log *log, const struct jd_tls_files *files,
                       struct jd_server_tls **out, struct joulie_error *err)
{
    const int wrong = check_settings(files, err);
    if (wrong < 0 || !files->certificate)
        return wrong;
    struct jd_server_tls *const tls = jl_calloc(1, sizeof *tls);
    if (!tls)
        return jl_fail_memory(err);
    tls->loop = loop;
    tls->log = log;
    tls->client_names = files->client_names;
    tls->files[CERTIFICATE].path = files->certificate;
    tls->files[KEY].path = files->key;
    tls->files[CLIENT_CA].path = files->client_ca;
    tls->timer = (struct jd_timer){ .fire = poll_files, .user = tls };
    int rc = load(tls, &tls->material, err);
    if (rc == 0 && jd_timer_set(loop, &tls->timer, jd_clock_ms() + POLL_MS) < 0)
        rc = jl_fail_memory(err);
    if (rc < 0) {
        jd_server_tls_close(tls);
        return rc;
    }
    log_use(tls);
    *out = tls;
    return 0;
}

void jd_server_tls_close(struct jd_server_tls *tls)
{
    if (!tls)
        return;
    jd_timer_stop(tls->loop, &tls->timer);
    release(tls->material);
    jl_buffer_clear(&tls->problem);
    jl_free(tls);
}

void jd_server_tls_facts(const struct jd_server_tls *tls, struct jd_tls_facts *out)
{
    *out = tls->facts;
    out->expires_s = tls->material->expires_s;
}

/* ---- a connection ---- */

void jd_tls_begin(struct jd_server_tls *tls, gnutls_session_t session, struct jd_tls_peer *peer)
{
    *peer = (struct jd_tls_peer){ .tls = tls, .session = session };
    gnutls_session_set_ptr(session, peer);
    if (tls->material->clients)
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
}

void jd_tls_end(struct jd_tls_peer *peer)
{
    release(peer->material);
    *peer = (struct jd_tls_peer){ .tls = NULL };
}

int jd_tls_retrieve(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
                    const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                    gnutls_pcert_st **out_chain, unsigned *out_count, gnutls_privkey_t *out_key)
{
    struct jd_tls_peer *const peer = gnutls_session_get_ptr(session);
    (void)authorities;
    (void)count;
    (void)algorithms;
    (void)algorithm_count;
    if (!peer->material) {
        peer->material = peer->tls->material;
        peer->material->users++;
    }
    *out_chain = peer->material->chain;
    *out_count = peer->material->count;
    *out_key = peer->material->key;
    return 0;
}

ssize_t jd_tls_send(struct jd_tls_peer *peer, const char *bytes, size_t len)
{
    return gnutls_record_send(peer->session, bytes, len);
}

/* ---- its client ---- */

static const char *problem_of(unsigned status)
{
    if (status & GNUTLS_CERT_SIGNER_NOT_FOUND)
        return "the client's certificate is signed by none of TLS_CLIENT_CA_FILE";
    if (status & GNUTLS_CERT_EXPIRED)
        return "the client's certificate has expired";
    if (status & GNUTLS_CERT_NOT_ACTIVATED)
        return "the client's certificate is not valid yet";
    if (status & GNUTLS_CERT_PURPOSE_MISMATCH)
        return "the client's certificate is not one for clients";
    return "the client's certificate is not valid";
}

static bool is_listed(const char *names, const char *name)
{
    struct jl_text rest = jl_text(names);
    while (rest.len > 0) {
        if (jl_text_is(jl_text_trim(jl_text_cut(&rest, ',')), name))
            return true;
    }
    return false;
}

static bool has_name(gnutls_x509_crt_t certificate, const char *names)
{
    char name[NAME_BYTES];
    size_t size = sizeof name;
    if (gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name,
                                      &size) == 0 &&
        is_listed(names, name))
        return true;
    for (unsigned i = 0;; i++) {
        unsigned type = 0;
        size = sizeof name;
        const int rc =
            gnutls_x509_crt_get_subject_alt_name2(certificate, i, name, &size, &type, NULL);
        if (rc == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            return false;
        if (rc == GNUTLS_SAN_DNSNAME && is_listed(names, name))
            return true;
    }
}

static const char *judge_chain(const struct jd_server_tls *tls, gnutls_x509_crt_t *chain,
                               unsigned count)
{
    char purpose[] = GNUTLS_KP_TLS_WWW_CLIENT;
    gnutls_typed_vdata_st wanted = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)purpose };
    unsigned status = 0;
    if (gnutls_x509_trust_list_verify_crt2(tls->material->clients, chain, count, &wanted, 1, 0,
                                           &status, NULL) < 0)
        return "the client's certificate cannot be verified";
    if (status != 0)
        return problem_of(status);
    return !tls->client_names || has_name(chain[0], tls->client_names)
               ? NULL
               : "the client's certificate has none of the names of TLS_CLIENT_NAMES";
}

static const char *judge_client(const struct jd_tls_peer *peer)
{
    gnutls_x509_crt_t chain[MOST_CHAIN];
    unsigned shown = 0;
    unsigned count = 0;
    const char *problem = NULL;
    const gnutls_datum_t *const certificates = gnutls_certificate_get_peers(peer->session, &shown);
    if (!certificates || shown == 0)
        return "the client shows no certificate";
    for (; count < shown && count < MOST_CHAIN && !problem; count++) {
        if (gnutls_x509_crt_init(&chain[count]) < 0)
            break;
        if (gnutls_x509_crt_import(chain[count], &certificates[count], GNUTLS_X509_FMT_DER) < 0)
            problem = "the client's certificate cannot be read";
    }
    if (!problem)
        problem = count > 0 ? judge_chain(peer->tls, chain, count) : "memory ran out";
    while (count > 0)
        gnutls_x509_crt_deinit(chain[--count]);
    return problem;
}

struct jd_refusal jd_tls_admit(struct jd_tls_peer *peer)
{
    const struct jd_tls_material *const material = peer->tls->material;
    if (!material->clients || peer->admitted == material->number)
        return (struct jd_refusal){ 0 };
    const char *const problem = judge_client(peer);
    if (problem)
        return (struct jd_refusal){ 403, problem };
    peer->admitted = material->number;
    return (struct jd_refusal){ 0 };
}

/* ---- clients that speak no TLS ---- */

void jd_tls_listen(int fd)
{
    const int seconds = FIRST_BYTES_S;
    setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
}

bool jd_tls_refuse_plain(int fd)
{
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"
                                 "Content-Type: text/plain\r\nContent-Length: 28\r\n\r\n"
                                 "this port speaks HTTPS only\n";
    char bytes[DRAINED_BYTES];
    char first = 0;
    if (recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1 || jl_lower(first) < 'a' ||
        jl_lower(first) > 'z')
        return false;
    send(fd, answer, sizeof answer - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
        /* what is unread at the end would take the answer back */
    }
    close(fd);
    return true;
}
