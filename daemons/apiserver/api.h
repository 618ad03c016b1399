/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The embedded API server (docs/rules/apiserver.md): one store, one event ring, kubectl and our
 * daemons as its clients. Plain HTTP on loopback, for demos, tests and notebooks.
 *
 * A resource is named by its plural: nodes, pods, namespaces, events, configmaps, leases,
 * deployments, customresourcedefinitions, nodetwins, nodehardwares, workloadprofiles,
 * nodepowerprofiles, telemetryprofiles. Texts are one JSON document with apiVersion and kind.
 * name_space is NULL or "" for objects of the cluster.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "runtime/http_server.h"
#include "runtime/loop.h"

struct jd_api;

/* What is made to fail, by chance but the same for one seed and one order of requests.
 * Probabilities from 0 to 1. Never /faults, health, or what options.other answers. */
struct jd_api_faults {
    uint64_t seed;
    double cut_streams; /* per event of a watch: the connection ends in the middle of its frame */
    double gone;        /* per page behind the first, watch that opens, and event of a watch: 410 */
    double too_many;    /* per request: 429 with Retry-After: 1 */
    double internal;    /* per request: 500 */
    double slow_bytes;  /* per answer: it goes out in single bytes */
    uint64_t limit;     /* of all together; 0 = none */
};

enum jd_api_fault {
    JD_FAULT_CUT_STREAMS,
    JD_FAULT_GONE,
    JD_FAULT_TOO_MANY,
    JD_FAULT_INTERNAL,
    JD_FAULT_SLOW_BYTES,
    JD_FAULT_COUNT
};

/* A write by a client that was done; texts are borrowed for the call. */
struct jd_api_write {
    const char *verb; /* create, update, patch, delete */
    const char *resource;
    const char *subresource; /* "", status, binding, eviction */
    const char *name_space;  /* "" = of the cluster */
    const char *name;
    const char *old_text; /* NULL = it was created */
    const char *new_text; /* NULL = it is deleted */
    const char *client;   /* User-Agent before its "/" */
};

struct jd_api_options {
    const char *address; /* NULL = 127.0.0.1:18001 */
    const char *hosts;   /* that are answered beside those of this machine; NULL = none */
    size_t ring_events;  /* that a watch may lag behind; 0 = 65536 */
    int64_t bookmark_ms; /* wall time between bookmarks of a quiet watch; 0 = 60 s */
    /* Policy time in ms since 1970, for creationTimestamp; NULL = the wall clock. */
    int64_t (*now_ms)(void *user);
    /* After each write by a client, when its answer is given; may call the functions below, but
     * jd_api_close(). Not for writes that change nothing, and not for jd_api_put() and its like.
     * NULL = nobody asks. */
    void (*on_write)(void *user, const struct jd_api_write *write);
    /* Paths that the API does not have, before its 404: false = not mine. NULL = none. */
    bool (*other)(void *user, struct jd_exchange *exchange);
    void *user;
    struct jd_api_faults faults;
};

/* JOULIE_E_PARSE: no address; JOULIE_E_IO: it cannot be bound; JOULIE_E_NOMEM. The namespaces
 * default, joulie-system, kube-system, kube-public and kube-node-lease exist, and our CRDs. */
int jd_api_open(struct jd_loop *loop, const struct jd_api_options *options, struct jd_api **out,
                struct joulie_error *err);
void jd_api_close(struct jd_api *api);
const char *jd_api_url(const struct jd_api *api); /* "http://127.0.0.1:18001" */
/* A kubeconfig with the context joulie. */
void jd_api_put_kubeconfig(const struct jd_api *api, struct jl_buffer *out);

/* ---- the simulator's own reads and writes: no validation, no faults, no on_write ---- */

/*
 * Creates the object or replaces an older one, its status too; metadata.resourceVersion
 * of the text does not count, uid, creationTimestamp and generation are those of the older one or
 * made. 1 = changed, 0 = equal to what is there, else JOULIE_E_PARSE, JOULIE_E_UNSUPPORTED (no such
 * kind), JOULIE_E_REQUIRED (no name) or JOULIE_E_NOMEM.
 */
int jd_api_put(struct jd_api *api, const char *text, size_t len, struct joulie_error *err);
/* A merge patch of the whole object, its status too: what the text does not name stays as clients
 * left it. 1, 0, the codes above, or JOULIE_E_REQUIRED when there is no such object. */
int jd_api_merge(struct jd_api *api, const char *resource, const char *name_space, const char *name,
                 const char *patch, size_t len, struct joulie_error *err);
bool jd_api_delete(struct jd_api *api, const char *resource, const char *name_space,
                   const char *name); /* false = there is none */
/* By namespace and name, until visit returns false; visit must not write. */
void jd_api_each(const struct jd_api *api, const char *resource,
                 bool (*visit)(void *user, const char *name_space, const char *name,
                               const char *text, size_t len),
                 void *user);
/* resourceVersion of the last write; lives until the next one. */
const char *jd_api_version(const struct jd_api *api);
/* Each watch that asked for bookmarks and has not sent this version yet gets one now, behind its
 * events: clients of lockstep reach a version without waiting. */
void jd_api_bookmark(struct jd_api *api);

/* ---- counting ---- */

struct jd_api_counts {
    uint64_t calls;   /* requests for objects, lists, discovery; not watches, health, /faults */
    uint64_t watches; /* that were opened */
    uint64_t open_watches;
    uint64_t events; /* sent to watches */
    uint64_t bookmarks;
    uint64_t expired; /* cursors that fell out of the ring, tokens of lists too */
    uint64_t faults[JD_FAULT_COUNT];
};

void jd_api_counts(const struct jd_api *api, struct jd_api_counts *out);
/* Requests by client (User-Agent before its "/"), verb (get, list, watch, create, update, patch,
 * delete, deletecollection), resource ("" = discovery) and code. Clients beyond the 64th count as
 * "other". */
void jd_api_each_count(const struct jd_api *api,
                       void (*visit)(void *user, const char *client, const char *verb,
                                     const char *resource, int code, uint64_t count),
                       void *user);
void jd_api_set_faults(struct jd_api *api, const struct jd_api_faults *faults);
