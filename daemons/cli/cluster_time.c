/* SPDX-License-Identifier: Apache-2.0 */

/* What time it is in a cluster, when its operator last gave a sign of life, and questions that need
 * both. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/time.h"
#include "cluster.h"
#include "runtime/clock.h"

int jd_cluster_now(struct jd_cluster *cluster, int64_t *out_ms, struct joulie_error *err)
{
    struct jl_buffer url = { 0 };
    char problem[256];
    *out_ms = jd_clock_wall_ms();
    if (!cluster->clock_url)
        return 0;
    jl_put_string(&url, cluster->clock_url);
    jl_put_string(&url, "/clock");
    if (jl_buffer_code(&url) < 0)
        return jl_fail_memory(err);
    struct json_object *tree = jd_cluster_fetch(cluster, url.data, false, problem);
    const char *now = jd_json_text(tree, "now");
    int rc = 0;
    if (!now || jl_parse_time(now, strlen(now), out_ms) != 0)
        rc = jl_fail(err, JOULIE_E_IO, "--clock", "%s does not have the time: %s", url.data,
                     tree ? "the answer has no \"now\"" : problem);
    json_object_put(tree);
    jl_buffer_clear(&url);
    return rc;
}

bool jd_cluster_heartbeat(struct jd_cluster *cluster, const char *name_space, char out[64],
                          struct jd_got *got)
{
    struct json_object *lease = jd_cluster_get(
        cluster, &jd_leases, name_space ? name_space : JD_OPERATOR_NAMESPACE, JD_HEARTBEAT, got);
    const char *time = jd_json_text(lease, "spec.renewTime");
    snprintf(out, 64, "%s", time ? time : "");
    json_object_put(lease);
    return out[0] != '\0';
}

int jd_cluster_add_time(struct jd_cluster *cluster, const char *name_space, struct json_object *doc)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_got got = { .code = 0 };
    char text[JL_TIME_TEXT > 64 ? JL_TIME_TEXT : 64];
    int64_t now_ms;
    if (jd_cluster_now(cluster, &now_ms, &err) < 0)
        return jd_cluster_report(cluster, "error: %s: %s", err.where, err.message);
    jl_format_time(now_ms, text);
    jd_set_text(doc, "now", text);
    const bool is_there = jd_cluster_heartbeat(cluster, name_space, text, &got);
    if (is_there && jl_parse_time(text, strlen(text), &now_ms) == 0)
        jd_set_text(doc, "heartbeat", text);
    else if (got.code != 404)
        jd_cluster_report(cluster, "warning: the operator's heartbeat cannot be read: %s",
                          got.message[0] ? got.message : "its renewTime is no time");
    jd_got_clear(&got);
    return JD_EXIT_OK;
}

struct complaints {
    struct jd_cluster *cluster;
    size_t count;
};

static void report_left_out(void *user, const char *what, const char *why)
{
    struct complaints *complaints = user;
    complaints->count++;
    jd_cluster_report(complaints->cluster, "warning: %s is left out: %s", what, why);
}

int jd_cluster_ask(struct jd_cluster *cluster, const char *question, struct json_object *doc,
                   char **answer, size_t *out_left_out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct complaints complaints = { cluster, 0 };
    const int rc = jd_tree_ask(question, doc, report_left_out, &complaints, answer, &err);
    if (out_left_out)
        *out_left_out = complaints.count;
    return rc == 0 ? JD_EXIT_OK
                   : jd_cluster_report(cluster, "error: %s: %s", err.where, err.message);
}
