/* SPDX-License-Identifier: Apache-2.0 */

/* What a remote node is made of, what is desired of it, and what its telemetry is worth. */

#include <string.h>

#include "agent/metrics.h"
#include "agent/remote_parts.h"
#include "runtime/json.h"

/* The most that the backends can be asked for, as far as the hardware is known. */
static void find_maxima(struct jd_remote *remote)
{
    struct joulie_node_part part = JOULIE_INIT(struct joulie_node_part);
    remote->cpu.max = (struct jd_watts){ 0 };
    remote->gpu.max = (struct jd_watts){ 0 };
    for (size_t i = 0; joulie_node_part_at(remote->node, i, &part, NULL) == JOULIE_OK; i++) {
        const struct jd_watts max = { (part.has & JOULIE_NODE_PART_HAS_MAX) != 0, part.max_w };
        if (part.kind == JOULIE_NODE_KIND_GPU)
            remote->gpu.max = max;
        else
            remote->cpu.max = max;
    }
}

int jd_remote_take_hardware(void *driven, const char *text, size_t len, struct joulie_error *err)
{
    struct jd_remote *remote = driven;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer none = { 0 };
    if (!text) {
        jl_put_string(&none, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                             "\"metadata\":{\"name\":\"n\"},\"spec\":{");
        jd_json_put_text(&none, "nodeName", remote->name);
        jl_put_string(&none, "}}");
    }
    const int rc = none.is_failed ? JOULIE_E_NOMEM
                                  : joulie_node_put_hardware(remote->node, text ? text : none.data,
                                                             text ? len : none.len, err);
    if (rc == 0)
        find_maxima(remote);
    return rc;
}

static bool is_wired(const struct joulie_remote_endpoint *endpoint)
{
    return endpoint->url != NULL;
}

/* The NodeHardware that the labels give. */
char *jd_remote_hardware(void *driven, const char *facts, int64_t now_ms)
{
    const struct jd_endpoints *endpoints = &((const struct jd_remote *)driven)->endpoints;
    const struct joulie_remote_can can = {
        .struct_size = sizeof can,
        .cpu_control = is_wired(&endpoints->cpu_control),
        .cpu_telemetry = is_wired(&endpoints->cpu_source),
        .gpu_control = is_wired(&endpoints->gpu_control),
    };
    char *json = NULL;
    return facts && joulie_remote_hardware(facts, strlen(facts), &can, now_ms, &json, NULL) == 0
               ? json
               : NULL;
}

/* What an agent said of this part: a cap of an agent is in force. */
static bool is_inherited(struct json_object *twin, const char *result_path)
{
    const char *result = jd_json_text(twin, result_path);
    return jl_same(result, "applied") || jl_same(result, "pending");
}

int jd_remote_take_twin(void *driven, const char *text, size_t len, struct joulie_error *err)
{
    struct jd_remote *remote = driven;
    const int rc = joulie_node_put_twin(remote->node, text, len, err);
    if (rc < 0)
        return rc;
    JL_CLEANUP(jd_json_freep) struct json_object *twin = text ? jd_json_parse(text, len) : NULL;
    double watts = 0;
    remote->twin_pct = (struct jd_watts){ 0 };
    if (!jd_json_number(twin, "spec.cpu.packagePowerCapWatts", &watts))
        remote->twin_pct.is_known =
            jd_json_number(twin, "spec.cpu.packagePowerCapPctOfMax", &remote->twin_pct.w);
    if (!remote->cpu.is_known)
        remote->cpu.is_inherited = is_inherited(twin, "status.controlStatus.cpu.result");
    if (!remote->gpu.is_known)
        remote->gpu.is_inherited = is_inherited(twin, "status.controlStatus.gpu.result");
    if (!remote->throttle.is_ours &&
        jl_same(jd_json_text(twin, "status.controlStatus.cpu.backend"), "dvfs"))
        remote->throttle.is_ours = remote->cpu.is_inherited;
    return 0;
}

/* Once for each thing that is wrong. */
void jd_remote_log_sample(struct jd_remote *remote, const struct jd_sample *sample)
{
    struct jd_log *log = remote->shared->log;
    if (sample->problem && sample->problem != remote->logged_problem)
        jd_log(log, JOULIE_LOG_LEVEL_WARN, "telemetry", "%s: %s", remote->name, sample->problem);
    else if (!sample->problem && remote->logged_problem)
        jd_log(log, JOULIE_LOG_LEVEL_INFO, "telemetry", "%s: the readings are good again",
               remote->name);
    remote->logged_problem = sample->problem;
    jd_metrics_sample(remote->shared->metrics, remote->name, sample);
}
