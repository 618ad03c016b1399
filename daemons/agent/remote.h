/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A node that is driven over HTTP (docs/rules/endpoints.md): read its telemetry, ask the
 * library what to write, post the caps one after the other, read back, report. It never touches the
 * machine that it runs on.
 *
 * What was there before our first cap is remembered in memory only. A process that finds a cap of
 * an agent before it (the NodeTwin's controlStatus says so) goes on with it, and gives back to the
 * maximum of the hardware.
 */

#include <json-c/json.h>

#include "agent/sample.h"
#include "runtime/http_client.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

struct jd_remote;

struct jd_remote_options {
    const struct jd_agent_values *values; /* lives as long, like the others */
    const char *node_name;                /* copied */
    bool enforces;
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_log *log;
    struct jd_metrics *metrics;
};

/* 0, JOULIE_E_NOMEM, or JOULIE_E_PARSE: a name that cannot stand in a URL. */
int jd_remote_new(const struct jd_remote_options *options, struct jd_remote **out,
                  struct joulie_error *err);
void jd_remote_free(struct jd_remote *remote); /* a step on its way ends without a word */

/* A NodeHardware; text NULL = there is none: one package of unknown size. */
int jd_remote_hardware(struct jd_remote *remote, const char *text, size_t len,
                       struct joulie_error *err);
/* A NodeTwin; text NULL = there is none (any more). */
int jd_remote_twin(struct jd_remote *remote, const char *text, size_t len,
                   struct joulie_error *err);

bool jd_remote_is_busy(const struct jd_remote *remote);
/* A limit or a throttle of ours is in force, as far as we know. */
bool jd_remote_holds(const struct jd_remote *remote);
/* One step. done comes from the loop, once; the report is there then, or NULL: see the log. */
void jd_remote_step(struct jd_remote *remote, int64_t now_ms, const int64_t *heartbeat_ms,
                    void (*done)(void *user), void *user);
/* The process ends: the step on its way and the next one are short, and what is given back needs no
 * reading. */
void jd_remote_shorten(struct jd_remote *remote);
/* status.controlStatus of the last step; belongs to the remote. */
struct json_object *jd_remote_report(const struct jd_remote *remote);
