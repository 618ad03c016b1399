/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/world.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/time.h"
#include "schema/decode.h"
#include "schema/encode.h"

static const char *const names[WORLD_NODES + 1] = { "a", "a-b", "a.b", "c",      "d",
                                                    "e", "f",   "g",   "nowhere" };
static const char *const labels[] = { NULL, "performance", "eco" };
static const char *const classes[] = { NULL, "performance", "standard", "batch" };
static const char *const phases[] = { "Pending", "Running", "Succeeded" };
static const char *const truths[] = { NULL, "true", "false" };
static const char *const levels[] = { NULL, "high", "low" };
static const char *const cpus[] = { "", "AMD_EPYC_9654", "AMD_EPYC_9965", "AMD_EPYC_9534" };

static int pick(struct world *world, int low, int high)
{
    return (int)jl_random_int(&world->random, low, high);
}

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
    if (node->label > 0)
        snprintf(more + used, sizeof more - used, ",'joulie.io/power-profile':'%s'",
                 labels[node->label]);
    snprintf(out, WORLD_TEXT,
             "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'x':'y'%s}},"
             "'spec':{'unschedulable':%s},'status':{'capacity':{'cpu':'64'},'allocatable':{'cpu':'"
             "64'%s}}}",
             names[i], more, node->is_cordoned ? "true" : "false",
             node->has_gpus ? ",'nvidia.com/gpu':'4'" : "");
}

static void hardware_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_node *node = &world->nodes[i];
    snprintf(
        out, WORLD_TEXT,
        "{'apiVersion':'joulie.io/"
        "v1alpha1','kind':'NodeHardware','metadata':{'name':'hw-%d'},'spec':{'nodeName':'%s'"
        "},'status':{'cpu':{'model':'%s','sockets':2,'totalCores':64}%s}}",
        i, names[i], cpus[node->hardware],
        node->has_known_gpus
            ? ",'gpu':{'present':true,'count':4,'model':'NVIDIA_L40S','slicing':{'supported':true}}"
            : "");
}

static void pod_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_pod *pod = &world->pods[i];
    char annotations[256] = "";
    char owner[256] = "";
    char place[64] = "";
    if (pod->class_ > 0 || pod->movable > 0)
        snprintf(annotations, sizeof annotations,
                 ",'annotations':{'joulie.io/workload-class':'%s','joulie.io/reschedulable':'%s'}",
                 pod->class_ > 0 ? classes[pod->class_] : "",
                 pod->movable > 0 ? truths[pod->movable] : "");
    if (pod->owner > 0)
        snprintf(owner, sizeof owner,
                 ",'ownerReferences':[{'kind':'StatefulSet','name':'set-%d','uid':'u','controller':"
                 "true}]",
                 pod->owner - 1);
    if (pod->node >= 0)
        snprintf(place, sizeof place, ",'nodeName':'%s'", names[pod->node]);
    snprintf(
        out, WORLD_TEXT,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'pod-%d','namespace':'default'%s%s},"
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'4'}}}]%s},'status':{'"
        "phase':'%s'}}",
        i, annotations, owner, place, phases[pod->phase]);
}

static void profile_text(const struct world *world, int i, char out[WORLD_TEXT])
{
    const struct world_profile *profile = &world->profiles[i];
    char updated[JL_TIME_TEXT];
    char more[256] = "";
    size_t used = 0;
    jl_format_time(profile->updated_ms, updated);
    if (profile->intensity > 0)
        used = (size_t)snprintf(more, sizeof more, ",'gpu':{'intensity':'%s'}",
                                levels[profile->intensity]);
    if (profile->movable > 0)
        snprintf(more + used, sizeof more - used, ",'migratability':{'reschedulable':%s}",
                 truths[profile->movable]);
    snprintf(out, WORLD_TEXT,
             "{'apiVersion':'joulie.io/"
             "v1alpha1','kind':'WorkloadProfile','metadata':{'name':'w-%d','namespace':'default'},"
             "'spec':{'workloadRef':{'kind':'StatefulSet','name':'set-%d'}},'status':{'criticality'"
             ":{'class':'%s'},"
             "'confidence':0.9,'lastUpdated':'%s'%s}}",
             i, i / 2, profile->is_performance ? "performance" : "standard", updated, more);
}

/* ---- telling ---- */

static void tell_node(const struct world *world, struct jl_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    node_text(world, i, text);
    put(cluster, "%s", text);
}

static void tell_hardware(const struct world *world, struct jl_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    hardware_text(world, i, text);
    put(cluster, "%s", text);
}

static void tell_pod(const struct world *world, struct jl_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    pod_text(world, i, text);
    put(cluster, "%s", text);
}

static void tell_profile(const struct world *world, struct jl_cluster *cluster, int i)
{
    char text[WORLD_TEXT];
    profile_text(world, i, text);
    put(cluster, "%s", text);
}

static void tell_one(const struct world *world, struct jl_cluster *cluster, int what)
{
    if (what < WORLD_NODES) {
        if (world->nodes[what].exists)
            tell_node(world, cluster, what);
    } else if ((what -= WORLD_NODES) < WORLD_NODES) {
        if (world->nodes[what].hardware > 0)
            tell_hardware(world, cluster, what);
    } else if ((what -= WORLD_NODES) < WORLD_NODES) {
        if (world->nodes[what].twin[0] != '\0')
            put(cluster, "%s", world->nodes[what].twin);
    } else if ((what -= WORLD_NODES) < WORLD_PODS) {
        if (world->pods[what].exists)
            tell_pod(world, cluster, what);
    } else if (world->profiles[what - WORLD_PODS].exists) {
        tell_profile(world, cluster, what - WORLD_PODS);
    }
}

void world_tell(const struct world *world, struct jl_cluster *cluster, uint64_t order_seed)
{
    int order[3 * WORLD_NODES + WORLD_PODS + WORLD_PROFILES];
    const int count = (int)(sizeof order / sizeof order[0]);
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
            assert_int_equal(jl_cluster_sample(cluster, names[i], &node->samples[s], NULL), 0);
    }
    assert_int_equal(jl_cluster_facility(cluster, &world->facility, NULL), 0);
    if (world->heartbeat_ms > 0)
        jl_cluster_heartbeat(cluster, world->heartbeat_ms);
}

/* ---- events ---- */

static void change_node(struct world *world, struct jl_cluster *cluster, int i)
{
    struct world_node *node = &world->nodes[i];
    if (node->exists && pick(world, 0, 5) == 0) {
        node->exists = false;
        node->sample_count = 0;
        take_away(cluster, "Node", names[i]);
        return;
    }
    node->exists = true;
    node->is_managed = pick(world, 0, 6) > 0;
    node->is_reserved = pick(world, 0, 7) == 0;
    node->is_cordoned = pick(world, 0, 7) == 0;
    node->rack = pick(world, 0, 2);
    node->has_gpus = pick(world, 0, 3) == 0;
    tell_node(world, cluster, i);
}

static void change_hardware(struct world *world, struct jl_cluster *cluster, int i)
{
    char name[16];
    snprintf(name, sizeof name, "hw-%d", i);
    world->nodes[i].hardware = pick(world, 0, 3);
    world->nodes[i].has_known_gpus = pick(world, 0, 3) == 0;
    if (world->nodes[i].hardware > 0)
        tell_hardware(world, cluster, i);
    else
        take_away(cluster, "NodeHardware", name);
}

static void change_pod(struct world *world, struct jl_cluster *cluster, int i)
{
    char name[16];
    struct world_pod *pod = &world->pods[i];
    snprintf(name, sizeof name, "pod-%d", i);
    pod->exists = pick(world, 0, 4) > 0;
    pod->node = pick(world, -1, WORLD_NODES);
    pod->class_ = pick(world, 0, 3);
    pod->phase = pod->node < 0 ? 0 : pick(world, 0, 2);
    pod->owner = pick(world, 0, WORLD_PROFILES / 2);
    pod->movable = pick(world, 0, 2);
    if (pod->exists)
        tell_pod(world, cluster, i);
    else
        take_away(cluster, "Pod", name);
}

static void change_profile(struct world *world, struct jl_cluster *cluster, int i)
{
    char name[16];
    struct world_profile *profile = &world->profiles[i];
    snprintf(name, sizeof name, "w-%d", i);
    profile->exists = pick(world, 0, 3) > 0;
    profile->is_performance = pick(world, 0, 1) == 1;
    profile->intensity = pick(world, 0, 2);
    profile->movable = pick(world, 0, 2);
    profile->updated_ms = world->now_ms - INT64_C(24) * 60 * MINUTE + pick(world, -10, 20) * MINUTE;
    if (profile->exists)
        tell_profile(world, cluster, i);
    else
        take_away(cluster, "WorkloadProfile", name);
}

static void take_sample(struct world *world, struct jl_cluster *cluster, int i)
{
    struct world_node *node = &world->nodes[i];
    if (!node->exists || node->sample_count == WORLD_SAMPLES)
        return;
    struct jl_cluster_sample *sample = &node->samples[node->sample_count++];
    *sample = (struct jl_cluster_sample){ .at_ms = world->now_ms };
    if (pick(world, 0, 4) > 0) {
        JL_PUT(sample, JL_SAMPLE_POWER, node_power_w, (double)pick(world, 50, 900));
        JL_PUT(sample, JL_SAMPLE_SOURCE, source, JL_SOURCE_HTTP);
    }
    if (pick(world, 0, 1) == 1)
        JL_PUT(sample, JL_SAMPLE_CPU_UTIL, cpu_util_pct, (double)pick(world, 0, 100));
    assert_int_equal(jl_cluster_sample(cluster, names[i], sample, NULL), 0);
}

static void change_facility(struct world *world, struct jl_cluster *cluster)
{
    world->facility.has = 0;
    if (pick(world, 0, 2) > 0)
        JL_PUT(&world->facility, JL_FACILITY_OUTSIDE_TEMP, outside_temp_c,
               (double)pick(world, -10, 45));
    if (pick(world, 0, 2) > 0)
        JL_PUT(&world->facility, JL_FACILITY_IT_POWER, it_power_w, (double)pick(world, 0, 9000));
    assert_int_equal(jl_cluster_facility(cluster, &world->facility, NULL), 0);
}

/* ---- what was written ---- */

static void decode_twin(struct jl_arena *arena, const char *text, struct jl_node_twin *out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = { .arena = arena, .text = text, .len = strlen(text), .err = &err };
    if (jl_decode_document(&decode, &jl_node_twin_table, out) != 0)
        fail_msg("%s: %s: %s", text, err.where, err.message);
}

static void store_twin(struct world_node *node, const struct jl_node_twin *twin)
{
    struct jl_buffer text = { 0 };
    jl_encode(&text, &jl_node_twin_table, twin);
    assert_false(text.is_failed);
    assert_true(text.len < WORLD_TEXT);
    memcpy(node->twin, text.data, text.len + 1);
    jl_buffer_clear(&text);
}

static void write_spec(struct world_node *node, const struct jl_cluster_action *action)
{
    struct jl_arena arena = { 0 };
    struct jl_node_twin twin = { 0 };
    struct jl_pair since = { JL_ANNOTATION_PROFILE_SINCE, action->profile_since };
    if (node->twin[0] != '\0')
        decode_twin(&arena, node->twin, &twin);
    JL_PUT(&twin, JL_ROOT_API_VERSION, api_version, "joulie.io/v1alpha1");
    JL_PUT(&twin, JL_ROOT_KIND, kind, "NodeTwin");
    JL_MARK(&twin, JL_ROOT_META);
    JL_PUT(&twin.meta, JL_META_NAME, name, action->object_name);
    JL_PUT(&twin, JL_ROOT_SPEC, spec, *action->spec);
    if (action->profile_since != NULL)
        JL_PUT(&twin.meta, JL_META_ANNOTATIONS, annotations, ((struct jl_map){ &since, 1 }));
    snprintf(node->twin_name, sizeof node->twin_name, "%s", action->object_name);
    store_twin(node, &twin);
    jl_arena_clear(&arena);
}

static void write_status(struct world_node *node, const struct jl_cluster_action *action)
{
    struct jl_arena arena = { 0 };
    struct jl_node_twin twin = { 0 };
    if (node->twin[0] == '\0')
        return;
    decode_twin(&arena, node->twin, &twin);
    const struct jl_control_status control = twin.status.control;
    const bool has_control = JL_HAS(&twin.status, JL_TWIN_STATUS_CONTROL);
    JL_PUT(&twin, JL_ROOT_STATUS, status, *action->status);
    if (has_control)
        JL_PUT(&twin.status, JL_TWIN_STATUS_CONTROL, control, control);
    store_twin(node, &twin);
    jl_arena_clear(&arena);
}

void world_applied(struct world *world, const struct jl_cluster_action *action)
{
    int i = 0;
    while (strcmp(names[i], action->node_name) != 0)
        i++;
    struct world_node *node = &world->nodes[i];
    switch (action->kind) {
    case JL_ACTION_WRITE_SPEC:
        write_spec(node, action);
        break;
    case JL_ACTION_WRITE_STATUS:
        write_status(node, action);
        break;
    case JL_ACTION_LABEL_NODE:
        node->label = action->label == NULL ? 0 : strcmp(action->label, "eco") == 0 ? 2 : 1;
        break;
    case JL_ACTION_DELETE_TWIN:
        node->twin[0] = '\0';
        break;
    case JL_ACTION_UNKNOWN:
        fail();
    }
}

/* The agent reports, or somebody else deletes the twin. */
static void change_twin(struct world *world, struct jl_cluster *cluster, int i)
{
    static const char *const results[] = { "applied", "pending", "blocked", "error", "none" };
    struct world_node *node = &world->nodes[i];
    struct jl_arena arena = { 0 };
    struct jl_node_twin twin = { 0 };
    if (node->twin[0] == '\0')
        return;
    if (pick(world, 0, 5) == 0) {
        node->twin[0] = '\0';
        take_away(cluster, "NodeTwin", node->twin_name);
        return;
    }
    decode_twin(&arena, node->twin, &twin);
    struct jl_control_status *control = &twin.status.control;
    JL_MARK(&twin, JL_ROOT_STATUS);
    JL_MARK(&twin.status, JL_TWIN_STATUS_CONTROL);
    JL_MARK(control, JL_CONTROL_STATUS_CPU);
    JL_PUT(&control->cpu, JL_CONTROL_RESULT, result, results[pick(world, 0, 4)]);
    store_twin(node, &twin);
    jl_arena_clear(&arena);
    put(cluster, "%s", node->twin);
}

void world_event(struct world *world, struct jl_cluster *cluster)
{
    switch (pick(world, 0, 9)) {
    case 0:
        change_node(world, cluster, pick(world, 0, WORLD_NODES - 1));
        break;
    case 1:
        change_hardware(world, cluster, pick(world, 0, WORLD_NODES - 1));
        break;
    case 2:
    case 3:
        change_pod(world, cluster, pick(world, 0, WORLD_PODS - 1));
        break;
    case 4:
        change_profile(world, cluster, pick(world, 0, WORLD_PROFILES - 1));
        break;
    case 5:
    case 6:
        take_sample(world, cluster, pick(world, 0, WORLD_NODES - 1));
        break;
    case 7:
        change_facility(world, cluster);
        break;
    case 8:
        change_twin(world, cluster, pick(world, 0, WORLD_NODES - 1));
        break;
    default:
        world->heartbeat_ms = world->now_ms;
        jl_cluster_heartbeat(cluster, world->now_ms);
        break;
    }
    world->now_ms += pick(world, 0, 90) * SECOND;
}

void world_start(struct world *world, uint64_t seed)
{
    memset(world, 0, sizeof *world);
    world->random.state = seed;
    world->now_ms = NOW_MS;
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

char *world_plan_document(const struct world *world, const struct jl_plan_state *state)
{
    struct jl_buffer out = { 0 };
    char text[WORLD_TEXT];
    jl_put_string(
        &out, "{\"policy\":{\"type\":\"queue_aware_v1\",\"queueHpBaseFrac\":0,\"queueHpMin\":0,"
              "\"queuePerfPerHpNode\":1,\"nodeSelector\":\"joulie.io/managed=true\"},\"nodes\":[");
    for (int i = 0, count = 0; i < WORLD_NODES; i++) {
        if (!world->nodes[i].exists)
            continue;
        node_text(world, i, text);
        jl_put_string(&out, count++ > 0 ? ",{\"node\":" : "{\"node\":");
        put_quoted(&out, text);
        if (world->nodes[i].hardware > 0) {
            hardware_text(world, i, text);
            jl_put_string(&out, ",\"hardware\":");
            put_quoted(&out, text);
        }
        if (world->nodes[i].twin[0] != '\0') {
            jl_put_string(&out, ",\"twin\":");
            jl_put_string(&out, world->nodes[i].twin);
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
