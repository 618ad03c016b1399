/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What joulie-scheduler counts (docs/rules/extender.md#counting). */

#include <joulie/cluster.h>

#include "base/buffer.h"
#include "runtime/metrics.h"

struct jd_scheduler;

extern const struct jd_family jd_bad_requests; /* code */

enum { JD_POD_CLASSES = 3 };

/* Of requests that were answered. */
struct jd_recent {
    struct jl_buffer pods[JD_POD_CLASSES]; /* the last one of each class that was prioritized:
                                              scores of nodes are about it */
    uint64_t logged_annotations;           /* JOULIE_INVALID_* */
};

/* After an answer. */
void jd_metrics_of(struct jd_scheduler *scheduler, enum joulie_extender_verb verb,
                   const struct joulie_extender_result *result);
/* One answered request of a class; a constant of joulie_extender_result. */
void jd_metrics_took(struct jd_scheduler *scheduler, enum joulie_extender_verb verb,
                     const char *workload_class, double seconds);
/* Before /metrics is read; user is the scheduler. */
void jd_metrics_refresh(void *user);
void jd_metrics_clear_recent(struct jd_recent *recent);
