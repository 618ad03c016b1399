/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/world.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/time.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

const char *const world_names[WORLD_NODES + 1] = { "a", "a-b", "a.b", "c",      "d",
                                                   "e", "f",   "g",   "nowhere" };
static const char *const labels[] = { NULL, "performance", "eco", "turbo" };
static const char *const classes[] = { NULL, "performance", "standard", "batch" };
static const char *const phases[] = { "Pending", "Running", "Succeeded" };
static const char *const truths[] = { NULL, "true", "false" };
static const char *const levels[] = { NULL, "high", "low" };
static const char *const cpus[] = { "", "AMD_EPYC_9654", "AMD_EPYC_9965", "AMD_EPYC_9534" };
static const char *const bounds[] = { NULL, "compute", "mixed", "memory", "none" };
static const char *const spaces[] = { "default", "other" };

/* What owns a pod and what a profile is about: a kind, and the rest of the name after the set's. */
struct owner_form {
    const char *kind;
    const char *rest;
};

static const struct owner_form owner_forms[WORLD_OWNERS] = { { "StatefulSet", "" },
                                                             { "ReplicaSet", "-5d9" },
                                                             { "Job", "-2900" } };
static const struct owner_form reference_forms[WORLD_REFERENCES] = {
    { "StatefulSet", "" }, { "Deployment", "" }, { "CronJob", "" }, { "Job", "-2900" }
};

/* ---- objects as text ---- */

static void node_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_node *node = &world->nodes[i];
    char more[512] = "";
    size_t used = 0;
    if (node->is_managed)
        used += (size_t)snprintf(more + used, sizeof more - used, ",'joulie.io/managed':'true'");
    if (node->is_reserved)
        used += (size_t)snprintf(more + used, sizeof more - used, ",'joulie.io/reserved':'true'");
    if (node->rack > 0)
        used += (size_t)snprintf(more + used, sizeof more - used, ",'joulie.io/rack':'r%d'",
                                 node->rack);
    if (node->zone > 0)
        used += (size_t)snprintf(more + used, sizeof more - used, ",'joulie.io/cooling-zone':'z%d'",
                                 node->zone);
    if (node->label > 0)
        snprintf(more + used, sizeof more - used, ",'joulie.io/power-profile':'%s'",
                 labels[node->label]);
    snprintf(out, WORLD_TEXT,
             "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'x':'y'%s}%s},"
             "'spec':{'unschedulable':%s},'status':{'capacity':{'cpu':'64'},'allocatable':{'cpu':'"
             "64'%s}}}",
             world_names[i], more,
             node->is_paused ? ",'annotations':{'joulie.io/paused':'true'}" : "",
             node->is_cordoned ? "true" : "false", node->has_gpus ? ",'nvidia.com/gpu':'4'" : "");
}

static void hardware_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_hardware *hardware = &world->hardware[i];
    snprintf(
        out, WORLD_TEXT,
        "{'apiVersion':'joulie.io/"
        "v1alpha1','kind':'NodeHardware','metadata':{'name':'hw-%d'},'spec':{'nodeName':'%s'"
        "},'status':{'cpu':{'model':'%s','sockets':2,'totalCores':64}%s}}",
        i, world_names[hardware->node], cpus[hardware->variant],
        hardware->has_known_gpus
            ? ",'gpu':{'present':true,'count':4,'model':'NVIDIA_L40S','slicing':{'supported':true}}"
            : "");
}

static void pod_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_pod *pod = &world->pods[i];
    char annotations[256] = "";
    char owner[256] = "";
    char place[64] = "";
    char started[64] = "";
    char created[64] = "";
    char gpus[32] = "";
    if (pod->class_ > 0 || pod->movable > 0)
        snprintf(annotations, sizeof annotations,
                 ",'annotations':{'joulie.io/workload-class':'%s','joulie.io/reschedulable':'%s'}",
                 pod->class_ > 0 ? classes[pod->class_] : "",
                 pod->movable > 0 ? truths[pod->movable] : "");
    if (pod->owner > 0) {
        const struct owner_form *form = &owner_forms[(pod->owner - 1) / WORLD_SETS];
        snprintf(owner, sizeof owner,
                 ",'ownerReferences':[{'kind':'%s','name':'set-%d%s','uid':'u','controller':true}]",
                 form->kind, (pod->owner - 1) % WORLD_SETS, form->rest);
    }
    if (pod->node >= 0)
        snprintf(place, sizeof place, ",'nodeName':'%s'", world_names[pod->node]);
    if (pod->started_ms != 0) {
        char time[JL_TIME_TEXT];
        jl_format_time(pod->started_ms, time);
        snprintf(started, sizeof started, ",'startTime':'%s'", time);
    }
    if (pod->created_ms != 0) {
        char time[JL_TIME_TEXT];
        jl_format_time(pod->created_ms, time);
        snprintf(created, sizeof created, ",'creationTimestamp':'%s'", time);
    }
    if (pod->gpus > 0)
        snprintf(gpus, sizeof gpus, ",'nvidia.com/gpu':'%d'", pod->gpus);
    snprintf(
        out, WORLD_TEXT,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'pod-%d','namespace':'%s'%s%s%s},"
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'4'%s}}}]%s},'status':{'"
        "phase':'%s'%s}}",
        i / 2, spaces[i % 2], annotations, owner, created, gpus, place, phases[pod->phase],
        started);
}

static void profile_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_profile *profile = &world->profiles[i];
    char updated[JL_TIME_TEXT];
    char more[256] = "";
    char gpu[128] = "";
    size_t used = 0;
    jl_format_time(profile->updated_ms, updated);
    if (profile->intensity > 0)
        used += (size_t)snprintf(gpu + used, sizeof gpu - used, ",'intensity':'%s'",
                                 levels[profile->intensity]);
    if (profile->bound > 0)
        used += (size_t)snprintf(gpu + used, sizeof gpu - used, ",'bound':'%s'",
                                 bounds[profile->bound]);
    if (profile->bound > 0 && profile->util_pct >= 0)
        used += (size_t)snprintf(gpu + used, sizeof gpu - used, ",'avgUtilizationPct':%d",
                                 profile->util_pct);
    used = used > 0 ? (size_t)snprintf(more, sizeof more, ",'gpu':{%s}", gpu + 1) : 0;
    if (profile->movable > 0)
        snprintf(more + used, sizeof more - used, ",'migratability':{'reschedulable':%s}",
                 truths[profile->movable]);
    const struct owner_form *form = &reference_forms[profile->reference / WORLD_SETS];
    snprintf(out, WORLD_TEXT,
             "{'apiVersion':'joulie.io/"
             "v1alpha1','kind':'WorkloadProfile','metadata':{'name':'w-%d','namespace':'%s'},"
             "'spec':{'workloadRef':{'kind':'%s','name':'set-%d%s'}},'status':{'criticality'"
             ":{'class':'%s'},"
             "'confidence':%s,'lastUpdated':'%s'%s}}",
             i / 2, spaces[i % 2], form->kind, profile->reference % WORLD_SETS, form->rest,
             profile->is_performance ? "performance" : "standard", profile->is_sure ? "0.9" : "0.2",
             updated, more);
}

/* ---- inputs of the model ---- */

static void put_or_take(struct joulie_cluster *cluster, bool exists, const char *text,
                        const char *kind, const char *name_space, const char *name)
{
    if (exists)
        put(cluster, "%s", text);
    else
        assert_int_equal(joulie_cluster_remove(cluster, kind, name_space, name, NULL), 0);
}

void world_tell_node(const struct world *world, struct joulie_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    node_text(world, i, text);
    put_or_take(cluster, world->nodes[i].exists, text, "Node", NULL, world_names[i]);
}

void world_tell_hardware(const struct world *world, struct joulie_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    char name[16];
    snprintf(name, sizeof name, "hw-%d", i);
    hardware_text(world, i, text);
    put_or_take(cluster, world->hardware[i].variant > 0, text, "NodeHardware", NULL, name);
}

void world_tell_twin(const struct world *world, struct joulie_cluster *cluster, int i)
{
    const struct world_twin *twin = &world->twins[i];
    put_or_take(cluster, twin->text[0] != '\0', twin->text, "NodeTwin", NULL, twin->name);
}

void world_tell_pod(const struct world *world, struct joulie_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    char name[16];
    snprintf(name, sizeof name, "pod-%d", i / 2);
    pod_text(world, i, text);
    put_or_take(cluster, world->pods[i].exists, text, "Pod", spaces[i % 2], name);
}

void world_tell_profile(const struct world *world, struct joulie_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    char name[16];
    snprintf(name, sizeof name, "w-%d", i / 2);
    profile_text(world, i, text);
    put_or_take(cluster, world->profiles[i].exists, text, "WorkloadProfile", spaces[i % 2], name);
}

void world_tell_zone(const struct world *world, struct joulie_cluster *cluster, int i)
{
    char name[16];
    snprintf(name, sizeof name, "z%d", i + 1);
    assert_int_equal(joulie_cluster_put_zone(cluster, name, &world->zones[i], NULL), 0);
}

static void tell_one(const struct world *world, struct joulie_cluster *cluster, int what)
{
    if (what < WORLD_NODES)
        world_tell_node(world, cluster, what);
    else if ((what -= WORLD_NODES) < WORLD_HARDWARE)
        world_tell_hardware(world, cluster, what);
    else if ((what -= WORLD_HARDWARE) < WORLD_TWINS)
        world_tell_twin(world, cluster, what);
    else if ((what -= WORLD_TWINS) < WORLD_PODS)
        world_tell_pod(world, cluster, what);
    else if ((what -= WORLD_PODS) < WORLD_PROFILES)
        world_tell_profile(world, cluster, what);
    else
        world_tell_zone(world, cluster, what - WORLD_PROFILES);
}

void world_tell(const struct world *world, struct joulie_cluster *cluster, uint64_t order_seed)
{
    int order[WORLD_NODES + WORLD_HARDWARE + WORLD_TWINS + WORLD_PODS + WORLD_PROFILES +
              WORLD_ZONES];
    const int count = COUNT(order);
    struct jl_random random = { order_seed };
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)jl_random_int(&random, 0, i);
        const int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < count; i++)
        tell_one(world, cluster, order[i]);
    for (int i = WORLD_NODES - 1; i >= 0; i--) {
        const struct world_node *node = &world->nodes[i];
        for (size_t s = 0; s < node->sample_count && node->exists; s++)
            assert_int_equal(
                joulie_cluster_put_sample(cluster, world_names[i], &node->samples[s], NULL), 0);
    }
    assert_int_equal(joulie_cluster_put_facility(cluster, &world->facility, NULL), 0);
    if (world->heartbeat_ms > 0)
        joulie_cluster_heartbeat(cluster, world->heartbeat_ms);
}

/* ---- the question ---- */

static void put_quoted(struct jl_buffer *out, const char *text)
{
    for (; *text != '\0'; text++)
        jl_put_char(out, *text == '\'' ? '"' : *text);
}

static void put_state(struct jl_buffer *out, const struct jl_plan_state *state)
{
    if (!state->is_set)
        return;
    jl_put_string(out, ",\"state\":{\"performanceNodes\":");
    jl_put_i64(out, state->hp);
    if (state->is_timing) {
        jl_put_string(out, ",\"scaleDownSinceMs\":");
        jl_put_i64(out, state->timer_ms);
    }
    jl_put_char(out, '}');
}

/* Of several objects that name a node the lowest name speaks. */
static int hardware_of(const struct world *world, int node)
{
    for (int i = 0; i < WORLD_HARDWARE; i++) {
        if (world->hardware[i].variant > 0 && world->hardware[i].node == node)
            return i;
    }
    return -1;
}

static const struct world_twin *twin_of(const struct world *world, const char *node)
{
    const struct world_twin *first = NULL;
    for (int i = 0; i < WORLD_TWINS; i++) {
        const struct world_twin *twin = &world->twins[i];
        if (twin->text[0] != '\0' && strcmp(twin->node, node) == 0 &&
            (first == NULL || strcmp(twin->name, first->name) < 0))
            first = twin;
    }
    return first;
}

char *world_plan_document(const struct world *world, const struct jl_plan_state *state)
{
    struct jl_buffer out = { 0 };
    char text[WORLD_TEXT];
    jl_put_string(&out, "{\"policy\":{\"type\":\"");
    jl_put_string(&out, jl_policy_of(world->policy)->word);
    jl_put_string(
        &out, "\",\"queueHpBaseFrac\":0,\"queueHpMin\":0,"
              "\"queuePerfPerHpNode\":1,\"nodeSelector\":\"joulie.io/managed=true\"},\"nodes\":[");
    for (int i = 0, count = 0; i < WORLD_NODES; i++) {
        if (!world->nodes[i].exists)
            continue;
        node_text(world, i, text);
        jl_put_string(&out, count++ > 0 ? ",{\"node\":" : "{\"node\":");
        put_quoted(&out, text);
        const int hardware = hardware_of(world, i);
        const struct world_twin *twin = twin_of(world, world_names[i]);
        if (hardware >= 0) {
            hardware_text(world, hardware, text);
            jl_put_string(&out, ",\"hardware\":");
            put_quoted(&out, text);
        }
        if (twin != NULL) {
            jl_put_string(&out, ",\"twin\":");
            jl_put_string(&out, twin->text);
        }
        jl_put_char(&out, '}');
    }
    jl_put_string(&out, "],\"pods\":[");
    for (int i = 0, count = 0; i < WORLD_PODS; i++) {
        if (!world->pods[i].exists)
            continue;
        pod_text(world, i, text);
        jl_put_string(&out, count++ > 0 ? "," : "");
        put_quoted(&out, text);
    }
    jl_put_string(&out, "],\"profiles\":[");
    for (int i = 0, count = 0; i < WORLD_PROFILES; i++) {
        if (!world->profiles[i].exists)
            continue;
        profile_text(world, i, text);
        jl_put_string(&out, count++ > 0 ? "," : "");
        put_quoted(&out, text);
    }
    jl_put_char(&out, ']');
    put_state(&out, state);
    jl_format_time(world->now_ms, text);
    jl_put_string(&out, ",\"now\":\"");
    jl_put_string(&out, text);
    jl_put_string(&out, "\"}");
    return jl_buffer_take(&out);
}
