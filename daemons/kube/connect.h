/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A daemon's connection to its API server: the options that say which, and the client over them. */

#include "kube/client.h"
#include "runtime/daemon.h"
#include "runtime/options.h"

struct jd_kube_values { /* a program's values have it as the member api */
    const char *server;
    const char *kubeconfig;
    const char *context;
    const char *token_file;
    bool is_plain_allowed;
    double qps;
    double burst;
};

/* The rows of it. SERVER and CONTEXT are names that scripts use for themselves. */
#define JD_KUBE_SETTINGS(tag)                                                                  \
    { .name = "SERVER",                                                                        \
      JD_TEXT_AT(tag, api.server),                                                             \
      .places = JD_IN_FILE,                                                                    \
      .value = "URL",                                                                          \
      .doc = "the API server; without it a kubeconfig or the account of the pod says which" }, \
        { .name = "KUBECONFIG",                                                                \
          JD_TEXT_AT(tag, api.kubeconfig),                                                     \
          .value = "FILE",                                                                     \
          .doc = "file that says which API server, and as whom" },                             \
        { .name = "CONTEXT",                                                                   \
          JD_TEXT_AT(tag, api.context),                                                        \
          .places = JD_IN_FILE,                                                                \
          .value = "NAME",                                                                     \
          .doc = "context of the kubeconfig instead of its current one" },                     \
        { .name = "TOKEN_FILE",                                                                \
          JD_TEXT_AT(tag, api.token_file),                                                     \
          .value = "FILE",                                                                     \
          .doc = "file with the bearer token, read again now and then" },                      \
        { .name = "INSECURE_PLAIN_HTTP",                                                       \
          JD_BOOLEAN_AT(tag, api.is_plain_allowed),                                            \
          .doc = "send token or password also over plain HTTP to another machine, where "      \
                 "everybody on the way reads it" },                                            \
        { .name = "KUBE_CLIENT_QPS",                                                           \
          JD_DOUBLE_AT(tag, api.qps),                                                          \
          .by_default = "50",                                                                  \
          .least = "0",                                                                        \
          .most = "100000",                                                                    \
          .doc = "requests per second to the API server; 0 = no limit" },                      \
    {                                                                                          \
        .name = "KUBE_CLIENT_BURST", JD_DOUBLE_AT(tag, api.burst), .by_default = "100",        \
        .least = "1", .most = "100000", .doc = "requests that may go at once"                  \
    }

struct jd_connection { /* zeroed at the start */
    struct jd_access *access;
    struct jd_kube *kube;
};

/* Over the loop and the HTTP client of the daemon, whose name is the component. */
int jd_connect(struct jd_edges *edges, const struct jd_kube_values *values,
               struct jd_connection *out, struct joulie_error *err);
void jd_disconnect(struct jd_connection *connection);
