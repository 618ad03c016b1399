/* SPDX-License-Identifier: Apache-2.0 */

/* What list.c and watch.c share of a reflector: the version that is kept, what is wrong, what is
 * counted. They report each end by go(), and reflector.c alone decides what is next. */

#include "kube/follow.h"

#include <string.h>

#include "kube/client_parts.h"
#include "runtime/clock.h"

#define SAFETY_S 1800.0 /* docs/rules/clients.md#watches */
#define SAFETY_JITTER 0.1

static const struct jd_family failures_family = {
    .name = "joulie_kube_watch_failures_total",
    .help = "What a cache that follows the API server met: versions that had expired, broken "
            "streams, frames that were too long, objects that were not taken.",
    .type = JD_COUNTER,
    .labels = { "component", "resource", "reason" },
};

static const char *version_of(const struct jd_reflector *r)
{
    return r->version.len > 0 ? r->version.data : "";
}

struct jl_watch_state jd_follow_state(const struct jd_reflector *r)
{
    return (struct jl_watch_state){ .version = version_of(r), .is_unavailable = r->is_unavailable };
}

bool jd_follow_set_version(struct jd_reflector *r, const char *version)
{
    struct jl_buffer copy = { 0 };
    if (strlen(version) < r->version.capacity) {
        jl_buffer_reset(&r->version);
        jl_put_string(&r->version, version);
        return true;
    }
    jl_put_string(&copy, version);
    if (copy.is_failed) {
        jl_buffer_clear(&copy);
        return false;
    }
    jl_buffer_clear(&r->version);
    r->version = copy;
    return true;
}

void jd_follow_put_selectors(struct jd_reflector *r, struct jl_buffer *query)
{
    jd_put_parameter(query, "labelSelector", r->label_selector);
    jd_put_parameter(query, "fieldSelector", r->field_selector);
}

void jd_follow_count(struct jd_reflector *r, const char *reason)
{
    if (r->metrics)
        jd_metric_add(r->metrics, &failures_family,
                      JD_LABELS(jd_kube_component(r->kube), r->options.resource->plural, reason),
                      1);
}

void jd_follow_problem(struct jd_reflector *r, int code, const char *message)
{
    const bool is_reported = r->problem.len > 0 && r->problem_code == code;
    jl_buffer_reset(&r->problem);
    jl_put_string(&r->problem, r->options.resource->plural);
    jl_put_string(&r->problem, ": ");
    if (code > 0) {
        jl_put_i64(&r->problem, code);
        jl_put_char(&r->problem, ' ');
    }
    jl_put_string(&r->problem, message);
    r->problem_code = code;
    if (r->problem.is_failed)
        jl_buffer_clear(&r->problem);
    else if (!is_reported)
        jd_log(r->log, JOULIE_LOG_LEVEL_WARN, "kube", "%s", r->problem.data);
}

void jd_follow_heard(struct jd_reflector *r)
{
    r->heard_ms = jd_clock_ms();
    if (r->problem.len == 0)
        return;
    jl_buffer_reset(&r->problem);
    jd_log(r->log, JOULIE_LOG_LEVEL_INFO, "kube", "%s: followed again",
           r->options.resource->plural);
}

void jd_follow_set_safety(struct jd_reflector *r)
{
    const double spread = 1 + SAFETY_JITTER * (2 * jd_kube_chance(r->kube) - 1);
    jd_timer_set(r->loop, &r->safety, jd_clock_ms() + jd_kube_wait_ms(r->kube, SAFETY_S * spread));
}
