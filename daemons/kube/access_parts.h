/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of kube/access.h share. */

#include "base/buffer.h"
#include "kube/access.h"
#include "kube/plugin.h"

struct jd_spot;

struct jd_pair { /* of a client; PEM */
    char *certificate;
    char *key;
};

struct jd_access {
    struct jd_loop *loop;
    bool is_patient; /* as in the options */
    /* Who is asked. */
    char *server; /* with its scheme */
    char *shown;  /* server without its user */
    char *name_space;
    char *proxy;
    /* Which certificates; PEM. */
    struct jd_tls tls;
    bool has_tls; /* the server's scheme is https */
    char *ca;
    char *ca_file; /* NULL = it was given as text, or is the system's */
    bool was_distrusted;
    int64_t distrusted_ms;  /* when the CA file was read again */
    struct jd_pair pair;    /* that is shown */
    char *certificate_file; /* NULL = as ca_file */
    char *key_file;
    struct jd_pair pair_before; /* that was shown before it */
    bool was_unidentified;
    int64_t unidentified_ms; /* when the pair was read again because of it */
    bool has_files_ms;
    int64_t files_ms; /* when CA and pair were read */
    char file_problem[256];
    char *server_name;
    /* As whom. */
    char *token;
    char *token_file;
    bool was_read;
    int64_t read_ms;          /* the token file, the last time that it worked */
    int64_t changed_ms;       /* the token was another one then */
    int64_t tried_ms;         /* to read one that is waited for */
    struct jd_plugin *plugin; /* NULL = none */
    char *authorization;      /* a header line, NULL = none */
    char **impersonation;     /* header lines */
    size_t impersonation_count;
    size_t impersonation_capacity;
    const char **headers; /* what jd_access_headers() returned */
    char problem[256];
    char note[256]; /* said at the start */
};

void jd_pair_clear(struct jd_pair *pair);
/* Shows another pair from now on; *pair becomes the one before. */
void jd_access_show(struct jd_access *access, struct jd_pair *pair);
/* Files that changed take the place of what was read of them; true = one did. */
bool jd_access_read_certificates(struct jd_access *access);

/* A non-empty variable, else NULL. */
const char *jd_access_variable(char **environment, const char *name);

/* A file of at most 1 MiB without a NUL byte, in *out, to be freed with jl_free(). JOULIE_E_IO,
 * JOULIE_E_LIMIT, JOULIE_E_PARSE or JOULIE_E_NOMEM; err->sys_errno says that the file is missing.
 */
int jd_access_read_file(const char *path, char **out, struct joulie_error *err);
/* The same for a token: without white space around it, one line. JOULIE_E_REQUIRED: it is empty. */
int jd_access_read_token(const char *path, char **out, struct joulie_error *err);
/* The same of access->token_file, which a patient program waits for: 0 without a token. */
int jd_access_begin_token(struct jd_access *access, struct joulie_error *err);
/* Why the token file cannot be read, for jd_access_headers(). */
void jd_access_note_problem(struct jd_access *access, const struct joulie_error *err);
/* Makes *out NUL-terminated text of standard base64. JOULIE_E_PARSE or JOULIE_E_NOMEM. */
int jd_access_decode(const char *text, size_t len, char **out);
/* Takes over line, which is a header. */
int jd_access_add_header(struct jd_access *access, struct jl_buffer *line);
/* From token, or the two of basic authentication. */
int jd_access_authorize(struct jd_access *access);
int jd_access_authorize_basic(struct jd_access *access, const char *user, const char *password);
/* The exec plugin of a user, if it has one, for a cluster that was taken already. */
int jd_access_take_exec(struct jd_access *access, const struct jd_spot *user,
                        const struct jd_spot *cluster, char **environment,
                        struct joulie_error *err);
bool jd_access_is_pem(const char *text);
bool jd_access_is_token(const char *text); /* visible ASCII: nothing else survives in a header */

/* The server as a URL with its scheme. */
int jd_access_complete_server(struct jd_access *access, struct joulie_error *err);
/* JOULIE_E_CONFLICT: what proves who we are would be readable on its way. */
int jd_access_check_plain(const struct jd_access *access, struct joulie_error *err);

/* files: one, which has to exist, when is_explicit; else a list with colons. */
int jd_access_read_kubeconfig(struct jd_access *access, const struct jd_access_options *options,
                              const char *files, bool is_explicit, struct joulie_error *err);
/* directory: /var/run/secrets/kubernetes.io/serviceaccount. */
int jd_access_read_pod(struct jd_access *access, char **environment, const char *directory,
                       struct joulie_error *err);
