/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the commands about a cluster share: their options, the connection, one call after the other,
 * the time there. */

#include <stdint.h>

#include "cli.h"
#include "kube/client.h"
#include "tree.h"

/* Rows of every command about a cluster. */
#define JD_CLUSTER_ROWS                                                                      \
    JD_OUTPUT_ROW_OF(                                                                        \
        jd_cluster_output_words,                                                             \
        "form of the answer: table (the default), wide (more columns), json, yaml or name"), \
        JD_BOOLEAN_ROW("NO_HEADERS", no_headers, "leave out the heads of tables"),           \
        JD_CONNECTION_ROWS

#define JD_CONNECTION_ROWS                                                                       \
    JD_TEXT_ROW(                                                                                 \
        "KUBECONFIG", access.kubeconfig, "FILE",                                                 \
        "how to reach the cluster; else $KUBECONFIG, a pod's service account, ~/.kube/config"),  \
        JD_TEXT_ROW("CONTEXT", access.context, "NAME",                                           \
                    "context of the kubeconfig; its current-context by default"),                \
        JD_TEXT_ROW("SERVER", access.server, "URL", "API server; no kubeconfig is needed then"), \
        JD_TEXT_ROW("TOKEN_FILE", access.token_file, "FILE", "bearer token"),                    \
        { .name = "INSECURE_PLAIN_HTTP",                                                         \
          JD_BOOLEAN_AT(jd_values, access.is_plain_allowed),                                     \
          .doc = "send token or password also over plain HTTP to another machine" },             \
        { .name = "REQUEST_TIMEOUT",                                                             \
          JD_DURATION_AT(jd_values, request_timeout_ms),                                         \
          .by_default = "10s",                                                                   \
          .least = "1ms",                                                                        \
          .doc = "of one call to the API server; 10s by default" },                              \
        JD_TEXT_ROW("CLOCK", clock, "URL",                                                       \
                    "take the time from a simulator instead of this machine")

extern const char *const jd_cluster_output_words[];
#define JD_SELECTOR_ROW(text) \
    JD_OPTION_ROW("SELECTOR", 'l', JD_TEXT_AT(jd_values, selector), "SELECTOR", text)
#define JD_NAMESPACE_ROW(text) \
    JD_OPTION_ROW("NAMESPACE", 'n', JD_TEXT_AT(jd_values, access.name_space), "NAMESPACE", text)
#define JD_OPERATOR_ROW \
    JD_NAMESPACE_ROW("of the operator, where its heartbeat is; joulie-system by default")
#define JD_ALL_NAMESPACES_ROW                                                            \
    JD_OPTION_ROW("ALL_NAMESPACES", 'A', JD_BOOLEAN_AT(jd_values, all_namespaces), NULL, \
                  "pods of all namespaces; accepted as in kubectl, always so")

struct jd_cluster {
    struct jd_loop loop;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
    struct jd_log log;
    int64_t timeout_ms; /* of one call */
    const char *clock_url;
    struct jl_buffer *reported; /* where problems are reported; NULL = standard error */
};

/* Reaches the cluster for a command that uses it; one that cannot be reached is reported. An enum
 * jd_exit. */
typedef int jd_cluster_fn(struct jd_call *call, struct jd_cluster *cluster);
int jd_on_cluster(struct jd_call *call, jd_cluster_fn *use);

/* How the answer of a question is shown to a person. */
struct jd_view {
    void (*put_names)(struct json_object *answer, struct jl_buffer *out); /* -o name */
    void (*put_tables)(const struct jd_call *call, struct json_object *answer, void *user,
                       struct jl_buffer *out);
    void *user;
};

/* Prints an answer in the form of -o. JD_EXIT_OK, or JD_EXIT_BAD: memory ran out, as reported. */
int jd_cluster_show(struct jd_call *call, struct jd_cluster *cluster, struct json_object *answer,
                    const struct jd_view *view);
/* The same of text for a person. */
int jd_cluster_put(struct jd_call *call, struct jd_cluster *cluster, const struct jl_buffer *text);
/* One line; what a terminal would obey is shown as ?. Returns JD_EXIT_BAD. */
int jd_cluster_report(struct jd_cluster *cluster, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool jd_is_for_programs(const struct jd_call *call); /* -o json or yaml */

/* ---- calls ---- */

/* What came of one call. */
struct jd_got {
    int code; /* HTTP; 0 = no answer */
    char reason[64];
    char message[512];
    struct jl_buffer body;
};

void jd_got_clear(struct jd_got *got);
/* One call, waited for. 0 or JOULIE_E_NOMEM; whether the server liked it stands in out->code. A
 * loop that somebody else stops ends the call: code 0. */
int jd_cluster_call(struct jd_cluster *cluster, const struct jd_kube_call *call,
                    struct jd_got *out);
/* The same without waiting; 0 or JOULIE_E_NOMEM. Calls that go on together are waited for by
 * jd_cluster_wait(), which returns when one of them stops the loop. */
int jd_cluster_start(struct jd_cluster *cluster, const struct jd_kube_call *call);
void jd_cluster_wait(struct jd_cluster *cluster);
void jd_got_take(struct jd_got *got, const struct jd_answer *answer); /* without the body */
/* One object. NULL: `got` says why. */
struct json_object *jd_cluster_get(struct jd_cluster *cluster, const struct jd_resource *resource,
                                   const char *name_space, const char *name, struct jd_got *got);

struct jd_selection {
    const struct jd_resource *resource;
    const char *name_space; /* NULL = all */
    const char *labels;     /* NULL = all; a selector, as fields */
    const char *fields;
    bool is_optional; /* a server without the kind has none of them */
    bool is_text;     /* for a question: texts (jd_cluster_tree()) of what the library reads */
};

struct jd_collection {
    const char *key; /* of the document */
    struct jd_selection selection;
};

#define JD_MOST_COLLECTIONS 8

/* The objects of a collection, in pages, each with its apiVersion and kind. NULL: `got` says why.
 */
struct json_object *jd_cluster_list(struct jd_cluster *cluster,
                                    const struct jd_selection *selection, struct jd_got *got);
/* An item of such a list as a tree: itself, or made of its text. */
struct json_object *jd_cluster_tree(struct json_object *item);
/* Several of them at once, added to a document. JD_EXIT_OK, or it was reported: JD_EXIT_BAD. */
int jd_cluster_add(struct jd_cluster *cluster, const struct jd_collection *collections,
                   size_t count, struct json_object *doc);
/* As kubectl says it: Error from server (NotFound): … JD_EXIT_BAD. */
int jd_cluster_fail(struct jd_cluster *cluster, const struct jd_got *got, const char *what);
/* A JSON answer of the API server ("/version"). NULL = none came. */
struct json_object *jd_cluster_page(struct jd_cluster *cluster, const char *path);

/* ---- time and questions ---- */

/* Now, in milliseconds since 1970: of this machine, or of the simulator that --clock names. 0, or
 * JOULIE_E_IO or JOULIE_E_NOMEM with err filled. */
int jd_cluster_now(struct jd_cluster *cluster, int64_t *out_ms, struct joulie_error *err);
/* The operator's last heartbeat (docs/rules/programs.md#heartbeat); name_space NULL =
 * joulie-system. false = there is none: `got` says why. */
#define JD_OPERATOR_NAMESPACE "joulie-system"
bool jd_cluster_heartbeat(struct jd_cluster *cluster, const char *name_space, char out[64],
                          struct jd_got *got);
/* Both into the document of a question: "now", "heartbeat". JD_EXIT_OK, or it was reported. */
int jd_cluster_add_time(struct jd_cluster *cluster, const char *name_space,
                        struct json_object *doc);
/* And "agents", by their Leases there, and their pods; that they cannot be read is a warning. */
void jd_cluster_add_agents(struct jd_cluster *cluster, const char *name_space,
                           struct json_object *doc);
/* joulie_ask() about a tree. Objects in its lists that the library refuses are taken out of `doc`,
 * and reported: one bad object does not hide the others. out_left_out: how many; may be NULL. NULL
 * = there is no answer, and it was reported. */
struct json_object *jd_cluster_ask(struct jd_cluster *cluster, const char *question,
                                   struct json_object *doc, size_t *out_left_out);
