/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kubernetes Events (events.k8s.io/v1, docs/rules/clients.md#events): series, a bounded queue, at
 * the lowest priority. Nothing ever waits for them. */

#include "kube/client.h"

struct jd_recorder;

struct jd_event { /* borrowed for the call */
    bool is_warning;
    const char *reason; /* CapApplied */
    const char *action; /* ApplyCap */
    const char *note;   /* at most 1024 bytes are sent */
    const char *kind;   /* of what it is about, and its apiVersion, name, namespace, uid */
    const char *api_version;
    const char *name;
    const char *name_space; /* NULL = cluster-scoped */
    const char *uid;        /* NULL = unknown */
};

/* controller: joulie.io/operator; instance: joulie-operator-HOST. */
int jd_recorder_open(struct jd_kube *kube, const char *controller, const char *instance,
                     struct jd_recorder **out, struct joulie_error *err);
void jd_recorder_close(struct jd_recorder *recorder); /* before jd_kube_close() */
void jd_recorder_put(struct jd_recorder *recorder, const struct jd_event *event, int64_t now_ms);
uint64_t jd_recorder_dropped(const struct jd_recorder *recorder);
