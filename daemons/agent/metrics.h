/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The metrics of the agent. */

#include <json-c/json.h>

#include <joulie/host.h>

#include "runtime/metrics.h"

struct jd_sample;

/* A reading over HTTP. */
void jd_metrics_sample(struct jd_metrics *metrics, const char *node,
                       const struct jd_sample *sample);
/* status.controlStatus of a step: backends, limits, results. */
void jd_metrics_report(struct jd_metrics *metrics, const char *node, struct json_object *report);
/* Limits that were given back, and why; NULL = as the report says. */
void jd_metrics_restored(struct jd_metrics *metrics, const char *node, const char *why,
                         struct json_object *report, uint64_t count);
/* A step that failed. */
void jd_metrics_error(struct jd_metrics *metrics, const char *node);
/* Energy and power of a machine's zones, as of its last tick. */
void jd_metrics_zones(struct jd_metrics *metrics, const char *node, struct joulie_host *host);
/* How its frequencies are controlled, as of its last tick. */
void jd_metrics_dvfs(struct jd_metrics *metrics, const char *node, struct joulie_host *host);
/* Frequencies of its CPUs, read now: for somebody who asks for the page. */
void jd_metrics_policies(struct jd_metrics *metrics, const char *node, struct joulie_host *host);
/* The CPU cap that a twin asks for, in watts; either may be NULL. */
void jd_metrics_policy(struct jd_metrics *metrics, const char *node, struct json_object *twin,
                       struct json_object *hardware);
