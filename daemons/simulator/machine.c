/* SPDX-License-Identifier: Apache-2.0 */

/* The objects of the simulated machines in the API (docs/rules/simulator-contract.md#nodes): what a
 * kubelet says of its node as the machine stops and boots, and what a scheduler minds of what
 * clients write into it. Called by world.c. */

#include "simulator/machine.h"

#include <json-c/json.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/json.h"
#include "simulator/simulator.h"

/* So that no agent replaces it with its own reading of the labels. */
#define HARDWARE_PATCH "{\"metadata\":{\"labels\":{\"joulie.io/managed-by\":\"joulie-simulator\"}}}"
#define NODE_INFO                                                                                  \
    "\"kubeletVersion\":\"v1.31.0-joulie-simulator\",\"operatingSystem\":\"linux\",\"architecture" \
    "\":\"amd64\","

/* ---- what a kubelet says ---- */

/* As random as that of a kernel looks: another one with each boot of each machine. */
static void put_boot_id(struct jl_buffer *out, const char *node_name, int64_t booted_ms)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer seed = { 0 };
    jd_put_format(&seed, "%s %lld", node_name, (long long)booted_ms);
    const unsigned long long high = jl_hash(seed.data ? seed.data : "", seed.len);
    jl_put_string(&seed, " boot");
    const unsigned long long low = jl_hash(seed.data ? seed.data : "", seed.len);
    out->is_failed |= seed.is_failed;
    jd_put_format(out, "\"%08llx-%04llx-%04llx-%04llx-%012llx\"", high >> 32, high >> 16 & 0xffff,
                  high & 0xffff, low >> 48, low & 0xffffffffffffULL);
}

static void put_ready(struct jl_buffer *out, const char *status, const char *reason,
                      const char *message, int64_t now_ms)
{
    jl_put_string(out, "\"conditions\":[{\"type\":\"Ready\"");
    jd_json_put_text(out, "status", status);
    jd_json_put_text(out, "reason", reason);
    jd_json_put_text(out, "message", message);
    jd_json_put_time(out, "lastHeartbeatTime", now_ms);
    jd_json_put_time(out, "lastTransitionTime", now_ms);
    jl_put_string(out, "}]");
}

static void put_on(struct jl_buffer *out, const char *node_name, int64_t now_ms)
{
    jl_put_string(out, "{\"status\":{");
    put_ready(out, "True", "KubeletReady", "simulated", now_ms);
    jl_put_string(out, ",\"nodeInfo\":{" NODE_INFO "\"bootID\":");
    put_boot_id(out, node_name, now_ms);
    jl_put_string(out, "}}}");
}

/* As the node controller writes it when nothing comes from a node any more. */
static void put_off(struct jl_buffer *out, int64_t now_ms)
{
    jl_put_string(out, "{\"status\":{");
    put_ready(out, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", now_ms);
    jl_put_string(out, "}}");
}

static int merge_node(struct jd_simulator *simulator, const char *name, struct jl_buffer *patch,
                      struct joulie_error *err)
{
    if (patch->is_failed)
        return jl_fail_memory(err);
    return jd_api_merge(simulator->api, "nodes", NULL, name, patch->data, patch->len, err);
}

/* A Node that somebody deleted stays away: its machine goes on without it. */
int jd_machine_report_power(struct jd_simulator *simulator, const char *node_name, int64_t now_ms,
                            struct joulie_error *err)
{
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer patch = { 0 };
    int rc = joulie_sim_node_by_name(simulator->sim, node_name, &view, err);
    if (rc < 0)
        return rc;
    if (jl_same(view.power_state, "on"))
        put_on(&patch, node_name, now_ms);
    else
        put_off(&patch, now_ms);
    rc = merge_node(simulator, node_name, &patch, err);
    return rc == JOULIE_E_REQUIRED ? 0 : rc;
}

int jd_machine_put(struct jd_simulator *simulator, size_t index, struct joulie_error *err)
{
    struct joulie_sim_node_view view = JOULIE_INIT(struct joulie_sim_node_view);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer patch = { 0 };
    JL_CLEANUP(jl_freep) char *node = NULL;
    JL_CLEANUP(jl_freep) char *hardware = NULL;
    int rc = joulie_sim_objects(simulator->sim, index, &node, &hardware, err);
    if (rc == 0)
        rc = joulie_sim_node_at(simulator->sim, index, &view, NULL);
    if (rc == 0)
        rc = jd_api_put(simulator->api, node, strlen(node), err);
    if (rc < 0)
        return rc;
    put_on(&patch, view.name, joulie_sim_instant_ms(0));
    rc = merge_node(simulator, view.name, &patch, err);
    if (rc >= 0)
        rc = jd_api_put(simulator->api, hardware, strlen(hardware), err);
    if (rc >= 0)
        rc = jd_api_merge(simulator->api, "nodehardwares", NULL, view.name, HARDWARE_PATCH,
                          sizeof HARDWARE_PATCH - 1, err);
    return rc < 0 ? rc : 0;
}

/* ---- what a scheduler minds ---- */

static bool keeps_pods_away(const char *effect)
{
    return jl_same(effect, "NoSchedule") || jl_same(effect, "NoExecute");
}

/* The pods of a trace tolerate nothing. */
static bool is_closed(struct json_object *node)
{
    struct json_object *taints = jd_json_at(node, "spec.taints");
    if (json_object_get_boolean(jd_json_at(node, "spec.unschedulable")))
        return true;
    for (size_t i = 0; i < jd_json_count(taints); i++) {
        if (keeps_pods_away(jd_json_text(json_object_array_get_idx(taints, i), "effect")))
            return true;
    }
    return false;
}

void jd_machine_take_write(struct jd_simulator *simulator, const struct jd_api_write *write)
{
    if (!write->new_text || !jl_same(write->resource, "nodes"))
        return;
    JL_CLEANUP(jd_json_freep)
    struct json_object *node = jd_json_parse(write->new_text, strlen(write->new_text));
    /* a Node of a client's own has no machine */
    (void)joulie_sim_cordon(simulator->sim, write->name, is_closed(node), NULL);
}
