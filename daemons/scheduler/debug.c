/* SPDX-License-Identifier: Apache-2.0 */

/* Every term of every score (docs/rules/extender.md#debugging), for extender.c. */

#include <string.h>

#include "base/text.h"
#include "scheduler/scheduler.h"

static const char *pod_of(const struct jd_call *call, size_t *out_len)
{
    const char *pod = NULL;
    *out_len = 0;
    if (jl_same(jd_call_method(call), "POST"))
        return jd_call_body(call, out_len);
    pod = jd_call_query(call, "pod");
    *out_len = pod ? strlen(pod) : 0;
    return pod;
}

void jd_debug_scoring(struct jd_scheduler *scheduler, struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    size_t len = 0;
    jd_call_route(call, "/debug/scoring");
    if (!jl_same(jd_call_method(call), "GET") && !jl_same(jd_call_method(call), "POST")) {
        jd_call_put_header(call, "Allow", "GET, HEAD, POST");
        jd_call_text(call, 405, "method not allowed\n");
        return;
    }
    const char *const pod = pod_of(call, &len);
    const int rc = joulie_cluster_scoring(scheduler->cluster, len > 0 ? pod : NULL, len,
                                          jd_policy_now_ms(scheduler->edges.clock), &json, &err);
    if (rc == 0)
        jd_call_reply(call, 200, "application/json", json, strlen(json));
    else
        jd_extender_refuse(call, rc, &err);
    joulie_free(json);
}
