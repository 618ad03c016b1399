/* SPDX-License-Identifier: Apache-2.0 */

/* What happens in the world: choices, events, and what comes of the model's actions. */

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/time.h"
#include "cluster/state.h"
#include "cluster/world.h"
#include "schema/decode.h"
#include "schema/encode.h"

#define HOUR (60 * MINUTE)

/* ---- choices ---- */

static uint8_t next_byte(struct world *world)
{
    return world->byte_at < world->byte_count ? world->bytes[world->byte_at++] : 0;
}

int world_pick(struct world *world, int low, int high)
{
    if (world->bytes == NULL)
        return (int)jl_random_int(&world->random, low, high);
    const int range = high - low + 1;
    int value = 0;
    for (int room = 1; room < range; room *= 256)
        value = value * 256 + next_byte(world);
    return low + value % range;
}

static int pick(struct world *world, int low, int high)
{
    return world_pick(world, low, high);
}

void world_start(struct world *world, enum jl_policy_type policy, uint64_t seed)
{
    memset(world, 0, sizeof *world);
    world->facility = JOULIE_INIT(struct joulie_cluster_facility);
    for (int i = 0; i < WORLD_ZONES; i++)
        world->zones[i] = JOULIE_INIT(struct joulie_cluster_facility);
    world->policy = policy;
    world->random.state = seed;
    world->now_ms = NOW_MS;
}

void world_start_bytes(struct world *world, const uint8_t *bytes, size_t count)
{
    world_start(world, JL_POLICY_QUEUE, 0);
    world->bytes = bytes;
    world->byte_count = count;
}

/* ---- stored twins ---- */

/* The slot of an object name, a free one when there is no such object. */
static struct world_twin *slot_of(struct world *world, const char *name)
{
    struct world_twin *empty = NULL;
    for (int i = 0; i < WORLD_TWINS; i++) {
        struct world_twin *twin = &world->twins[i];
        if (strcmp(twin->name, name) == 0)
            return twin;
        if (twin->name[0] == '\0' && empty == NULL)
            empty = twin;
    }
    assert_non_null(empty);
    return empty;
}

static void read_twin(const struct world_twin *slot, struct jl_arena *arena,
                      struct jl_node_twin *out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = {
        .arena = arena, .text = slot->text, .len = strlen(slot->text), .err = &err
    };
    *out = (struct jl_node_twin){ 0 };
    if (slot->text[0] != '\0' && jl_decode_document(&decode, &jl_node_twin_table, out) != 0)
        fail_msg("%s: %s: %s", slot->text, err.where, err.message);
}

static void store_twin(struct world_twin *slot, const char *name, struct jl_node_twin *twin)
{
    struct jl_buffer text = { 0 };
    JL_PUT(twin, JL_ROOT_API_VERSION, api_version, "joulie.io/v1alpha1");
    JL_PUT(twin, JL_ROOT_KIND, kind, "NodeTwin");
    JL_SET(&twin->meta, name, name);
    JL_MARK(twin, JL_ROOT_META);
    jl_encode(&text, &jl_node_twin_table, twin);
    assert_false(text.is_failed);
    assert_true(text.len < WORLD_TEXT);
    memcpy(slot->text, text.data, text.len + 1);
    if (name != slot->name)
        snprintf(slot->name, sizeof slot->name, "%s", name);
    snprintf(slot->node, sizeof slot->node, "%s", twin->spec.node_name);
    jl_buffer_clear(&text);
}

/* ---- what was written ---- */

/* A merge patch leaves the annotations that it does not name. */
static void annotate(struct jl_arena *arena, struct jl_meta *meta, const char *key,
                     const char *value)
{
    if (value == NULL)
        return;
    assert_int_equal(jl_cluster_copy_map(arena, &meta->annotations, key, value, &meta->annotations),
                     0);
    meta->given.annotations = true;
}

static void write_spec(struct world *world, const struct jl_cluster_write *action)
{
    struct jl_arena arena = { 0 };
    struct jl_node_twin twin;
    struct world_twin *slot = slot_of(world, action->object_name);
    read_twin(slot, &arena, &twin);
    const struct jl_twin_policy old = twin.spec.policy;
    JL_PUT(&twin, JL_ROOT_SPEC, spec, *action->spec);
    if (old.given.reschedulable_pressure) /* a merge patch leaves what it does not name */
        JL_SET(&twin.spec.policy, reschedulable_pressure, old.reschedulable_pressure);
    annotate(&arena, &twin.meta, JL_ANNOTATION_PROFILE_SINCE, action->profile_since);
    annotate(&arena, &twin.meta, JL_ANNOTATION_CAP_LOWERED, action->cap_lowered);
    store_twin(slot, action->object_name, &twin);
    jl_arena_clear(&arena);
}

/* The status of a twin that is not there cannot be written. */
static void write_status(struct world *world, const struct jl_cluster_write *action)
{
    struct jl_arena arena = { 0 };
    struct jl_node_twin twin;
    struct world_twin *slot = slot_of(world, action->object_name);
    if (slot->text[0] == '\0')
        return;
    read_twin(slot, &arena, &twin);
    const struct jl_control_status control = twin.status.control;
    const bool has_control = twin.status.given.control;
    JL_PUT(&twin, JL_ROOT_STATUS, status, *action->status);
    if (has_control)
        JL_SET(&twin.status, control, control);
    store_twin(slot, action->object_name, &twin);
    jl_arena_clear(&arena);
}

static void write_label(struct world *world, const struct jl_cluster_write *action)
{
    int i = 0;
    while (strcmp(world_names[i], action->node_name) != 0)
        i++;
    world->nodes[i].label = action->label == NULL ? 0 : strcmp(action->label, "eco") == 0 ? 2 : 1;
}

static void write_action(struct world *world, const struct jl_cluster_write *action)
{
    switch (action->change) {
    case JOULIE_CHANGE_SPEC:
        write_spec(world, action);
        break;
    case JOULIE_CHANGE_STATUS:
        write_status(world, action);
        break;
    case JOULIE_CHANGE_LABEL:
        write_label(world, action);
        break;
    case JOULIE_CHANGE_RELEASE:
        slot_of(world, action->object_name)->text[0] = '\0';
        break;
    case JOULIE_CHANGE_POWER: /* the world has no settings for it */
    case JOULIE_CHANGE_UNKNOWN:
        fail();
    }
}

void world_settle(struct world *world, struct joulie_cluster *cluster,
                  const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++) {
        const struct jl_cluster_write *action = &actions->items[i];
        const int choice = pick(world, 0, 7);
        if (choice == 0)
            continue; /* nobody says what came of it */
        if (choice == 1)
            world_event(world, cluster);
        const enum joulie_action_outcome outcome = choice == 2   ? JOULIE_OUTCOME_FAILED
                                                   : choice == 3 ? JOULIE_OUTCOME_CONFLICT
                                                                 : JOULIE_OUTCOME_APPLIED;
        if (outcome == JOULIE_OUTCOME_APPLIED)
            write_action(world, action);
        assert_int_equal(joulie_cluster_action_done(cluster, action->id, outcome, NULL), 0);
    }
}

/* ---- events ---- */

/* Then most nodes have GPUs that are known, as their pods ask for some. */
static bool reads_work(const struct world *world)
{
    return world->policy == JL_POLICY_EFFICIENCY;
}

static void change_node(struct world *world, struct joulie_cluster *cluster, int i)
{
    struct world_node *node = &world->nodes[i];
    if (node->exists && pick(world, 0, 5) == 0) {
        node->exists = false;
        node->sample_count = 0;
    } else {
        node->exists = true;
        node->is_managed = pick(world, 0, 6) > 0;
        node->is_reserved = pick(world, 0, 7) == 1;
        node->is_cordoned = pick(world, 0, 7) == 1;
        node->is_paused = pick(world, 0, 7) == 1;
        node->rack = pick(world, 0, 2);
        node->zone = pick(world, 0, WORLD_ZONES);
        node->has_gpus = (pick(world, 0, 3) == 1) != reads_work(world);
        if (pick(world, 0, 7) == 1)
            node->label = pick(world, 0, 3);
    }
    world_tell_node(world, cluster, i);
}

static void change_hardware(struct world *world, struct joulie_cluster *cluster, int i)
{
    struct world_hardware *hardware = &world->hardware[i];
    hardware->variant = pick(world, 0, 3);
    hardware->node = pick(world, 0, 3) > 0 ? i : pick(world, 0, WORLD_NODES - 1);
    hardware->has_known_gpus = (pick(world, 0, 3) == 1) != reads_work(world);
    world_tell_hardware(world, cluster, i);
}

static void change_pod(struct world *world, struct joulie_cluster *cluster, int i)
{
    struct world_pod *pod = &world->pods[i];
    pod->exists = pick(world, 0, 4) > 0;
    pod->node = pick(world, -1, WORLD_NODES);
    pod->class_ = pick(world, 0, 3);
    pod->phase = pod->node < 0 ? 0 : pick(world, 0, 2);
    pod->owner = pick(world, 0, WORLD_OWNERS * WORLD_SETS);
    pod->movable = pick(world, 0, 2);
    pod->started_ms = pick(world, 0, 1) * (world->now_ms - pick(world, -3, 3) * SECOND);
    if (reads_work(world)) {
        pod->gpus = pick(world, 0, 3);
        if (pod->node < 0 && pick(world, 0, 7) > 0) /* work that waits lifts every cap */
            pod->node = pick(world, 0, WORLD_NODES - 1);
        pod->owner = 1 + pick(world, 0, WORLD_SETS - 1);
        pod->created_ms = pick(world, 0, 2) * (world->now_ms - pick(world, -2, 8) * SECOND) / 2;
    }
    world_tell_pod(world, cluster, i);
}

static void change_profile(struct world *world, struct joulie_cluster *cluster, int i)
{
    struct world_profile *profile = &world->profiles[i];
    profile->exists = pick(world, 0, 3) > 0;
    profile->is_performance = pick(world, 0, 1) == 1;
    profile->is_sure = pick(world, 0, 4) > 0;
    profile->reference = pick(world, 0, WORLD_REFERENCES * WORLD_SETS - 1);
    profile->intensity = pick(world, 0, 2);
    profile->movable = pick(world, 0, 2);
    profile->updated_ms = world->now_ms - 24 * HOUR + pick(world, -10, 20) * MINUTE;
    if (reads_work(world)) {
        profile->reference = i / 2; /* each set has one, so that most work is known */
        profile->bound = pick(world, 0, 15) > 0 ? pick(world, 1, 3) : pick(world, 0, 4);
        profile->util_pct = pick(world, 0, 15) > 0 ? 10 * pick(world, 3, 10) : -1;
        profile->is_performance = pick(world, 0, 5) == 1;
        profile->exists = pick(world, 0, 9) > 0;
        profile->is_sure = pick(world, 0, 9) > 0;
        if (pick(world, 0, 5) > 0)
            profile->updated_ms = world->now_ms;
    }
    world_tell_profile(world, cluster, i);
}

/* Most readings of a node are the same: one that stays as it is takes a shorter way. */
static double some_power_w(struct world *world, int i)
{
    return pick(world, 0, 5) > 0 ? 100.0 * (i + 1) : pick(world, 50, 900);
}

/* Readings mostly come as they are taken, some late, some from a clock that is ahead. */
static void take_sample(struct world *world, struct joulie_cluster *cluster, int i)
{
    static const int64_t late_ms[] = { 0, 0, 0, 30 * SECOND, 6 * MINUTE, -MINUTE, -9 * MINUTE };
    struct world_node *node = &world->nodes[i];
    if (!node->exists || node->sample_count == WORLD_SAMPLES)
        return;
    struct joulie_cluster_sample *sample = &node->samples[node->sample_count++];
    *sample = (struct joulie_cluster_sample){ .struct_size = sizeof(struct joulie_cluster_sample),
                                              .at_ms = world->now_ms - late_ms[pick(world, 0, 6)] };
    if (pick(world, 0, 4) > 0) {
        sample->has |= JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
        sample->node_power_w = some_power_w(world, i);
        sample->source = JOULIE_POWER_SOURCE_HTTP;
    }
    if (pick(world, 0, 5) == 1) {
        sample->has |= JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL;
        sample->cpu_util_pct = (double)pick(world, 0, 100);
    }
    assert_int_equal(joulie_cluster_put_sample(cluster, world_names[i], sample, NULL), 0);
}

void world_read_all(struct world *world, struct joulie_cluster *cluster)
{
    double power_w[WORLD_NODES];
    size_t count = 0;
    for (int i = 0; i < WORLD_NODES; i++) {
        if (world->nodes[i].exists && world->nodes[i].sample_count == WORLD_SAMPLES)
            return;
    }
    for (int i = 0; i < WORLD_NODES; i++) {
        struct world_node *node = &world->nodes[i];
        if (!node->exists)
            continue;
        power_w[count] = pick(world, 0, 19) > 0 ? 100.0 * (i + 1) : pick(world, 50, 900);
        node->samples[node->sample_count++] = (struct joulie_cluster_sample){
            .struct_size = sizeof *node->samples,
            .has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER,
            .at_ms = world->now_ms,
            .node_power_w = power_w[count++],
            .source = JOULIE_POWER_SOURCE_HTTP,
        };
    }
    assert_int_equal(jl_cluster_sample_all(cluster, world->now_ms, power_w, count, NULL), 0);
}

static void change_zone(struct world *world, struct joulie_cluster *cluster, int i)
{
    struct joulie_cluster_facility *zone = &world->zones[i];
    zone->has = 0;
    if (pick(world, 0, 2) > 0) {
        zone->has |= JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
        zone->outside_temp_c = (double)pick(world, -10, 45);
    }
    if (pick(world, 0, 2) == 1) {
        zone->has |= JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
        zone->it_power_w = (double)pick(world, 0, 900);
    }
    world_tell_zone(world, cluster, i);
}

static void change_facility(struct world *world, struct joulie_cluster *cluster)
{
    const int zone = pick(world, 0, 3);
    if (zone < WORLD_ZONES) {
        change_zone(world, cluster, zone);
        return;
    }
    world->facility.has = 0;
    if (pick(world, 0, 2) > 0) {
        world->facility.has |= JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP;
        world->facility.outside_temp_c = (double)pick(world, -10, 45);
    }
    if (pick(world, 0, 2) > 0) {
        world->facility.has |= JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
        world->facility.it_power_w = (double)pick(world, 0, 9000);
    }
    assert_int_equal(joulie_cluster_put_facility(cluster, &world->facility, NULL), 0);
}

/* Somebody else writes a twin: under the name of any node, about any node. */
static void write_foreign_twin(struct world *world, int i)
{
    static const char *const policies[] = { "queue-aware-v1", "static-partition-v1", "by-hand" };
    char now[JL_TIME_TEXT];
    struct jl_pair marks[] = { { JL_ANNOTATION_PROFILE_SINCE, "2026-03-13T11:59:00Z" },
                               { JL_ANNOTATION_CAP_LOWERED, now } };
    struct world_twin *slot = slot_of(world, world_names[i]);
    struct jl_node_twin twin = { 0 };
    struct jl_twin_spec *spec = &twin.spec;
    jl_format_time(world->now_ms, now);
    JL_MARK(&twin, JL_ROOT_SPEC);
    JL_SET(spec, node_name, world_names[pick(world, 0, WORLD_NODES)]);
    JL_SET(spec, profile, pick(world, 0, 1) == 1 ? JOULIE_PROFILE_ECO : JOULIE_PROFILE_PERFORMANCE);
    JL_SET(&spec->policy, name, policies[pick(world, 0, 2)]);
    if (pick(world, 0, 3) == 1)
        JL_SET(&spec->policy, reschedulable_pressure, JOULIE_LEVEL_HIGH);
    spec->given.policy = true;
    JL_SET(&spec->scheduling, draining, pick(world, 0, 2) == 1);
    spec->given.scheduling = true;
    if (pick(world, 0, 1) == 1)
        JL_SET(&twin.meta, annotations, ((struct jl_map){ marks, reads_work(world) ? 2 : 1 }));
    if (reads_work(world)) {
        spec->given.gpu = true;
        spec->gpu.given.power_cap = true;
        JL_SET(&spec->gpu.power_cap, scope, JL_CAP_SCOPE_PER_GPU);
        JL_SET(&spec->gpu.power_cap, cap_pct, 10 * pick(world, 3, 10));
    }
    store_twin(slot, world_names[i], &twin);
}

static void report_control(struct world *world, struct world_twin *slot)
{
    static const char *const results[] = { "applied", "pending", "blocked", "error", "none" };
    struct jl_arena arena = { 0 };
    struct jl_node_twin twin;
    read_twin(slot, &arena, &twin);
    struct jl_control_status *control = &twin.status.control;
    JL_MARK(&twin, JL_ROOT_STATUS);
    twin.status.given.control = true;
    control->given.cpu = true;
    JL_SET(&control->cpu, result, results[pick(world, 0, 4)]);
    store_twin(slot, slot->name, &twin);
    jl_arena_clear(&arena);
}

/* The agent reports, or somebody else writes or deletes the twin. */
static void change_twin(struct world *world, struct joulie_cluster *cluster, int i)
{
    const int choice = reads_work(world) ? pick(world, 0, 3) : pick(world, 0, 11);
    struct world_twin *slot =
        choice == 0 ? slot_of(world, world_names[i % WORLD_NODES]) : &world->twins[i];
    if (choice == 0)
        write_foreign_twin(world, i % WORLD_NODES);
    else if (slot->text[0] == '\0')
        return;
    else if (choice <= 2)
        slot->text[0] = '\0';
    else
        report_control(world, slot);
    world_tell_twin(world, cluster, (int)(slot - world->twins));
}

/* ---- what changes nothing ---- */

static void refused(int rc, int code, const struct joulie_error *err)
{
    if (rc != code || err->code != code || err->where[0] == '\0' || err->message[0] == '\0')
        fail_msg("expected %d, got %d at '%s': %s", code, rc, err->where, err->message);
}

static void give_bad_reading(struct world *world, struct joulie_cluster *cluster,
                             struct joulie_error *err)
{
    static const double bad_w[] = { -1, -DBL_MAX, 2 * DBL_MAX };
    static const int64_t bad_ms[] = { INT64_MIN, INT64_MAX, INT64_MAX - 1 };
    struct joulie_cluster_sample sample = { .struct_size = sizeof sample, .at_ms = world->now_ms };
    const int i = pick(world, 0, WORLD_NODES);
    const int bad = pick(world, 0, 2);
    if (pick(world, 0, 1) == 1)
        sample.at_ms = bad_ms[bad];
    else
        sample.has |= JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.node_power_w = bad_w[bad];
    const bool exists = i < WORLD_NODES && world->nodes[i].exists;
    refused(joulie_cluster_put_sample(cluster, world_names[i], &sample, err),
            exists ? JOULIE_E_RANGE : JOULIE_E_NOT_FOUND, err);
}

static void give_bad_object(struct world *world, struct joulie_cluster *cluster,
                            struct joulie_error *err)
{
    switch (pick(world, 0, 4)) {
    case 0:
        refused(jl_cluster_put_node(cluster, &(struct jl_node){ 0 }, err), JOULIE_E_REQUIRED, err);
        break;
    case 1:
        refused(jl_cluster_put_pod(cluster, &(struct jl_pod){ 0 }, err), JOULIE_E_REQUIRED, err);
        break;
    case 2:
        refused(jl_cluster_put_twin(cluster, &(struct jl_node_twin){ .meta.name = "a" }, err),
                JOULIE_E_REQUIRED, err);
        break;
    case 3:
        refused(jl_cluster_put_hardware(cluster, &(struct jl_node_hardware){ .meta.name = "hw-0" },
                                        err),
                JOULIE_E_REQUIRED, err);
        break;
    default:
        refused(jl_cluster_put_profile(cluster, &(struct jl_workload_profile){ 0 }, err),
                JOULIE_E_REQUIRED, err);
        break;
    }
}

static void give_nonsense(struct world *world, struct joulie_cluster *cluster)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    const struct jl_cluster_write *actions;
    size_t count;
    switch (pick(world, 0, 5)) {
    case 0:
        facility.has |= JOULIE_CLUSTER_FACILITY_HAS_IT_POWER;
        facility.it_power_w = -1.0;
        refused(joulie_cluster_put_facility(cluster, &facility, &err), JOULIE_E_RANGE, &err);
        break;
    case 1:
        refused(joulie_cluster_action_done(cluster, UINT64_MAX, JOULIE_OUTCOME_APPLIED, &err),
                JOULIE_E_RANGE, &err);
        break;
    case 2:
        refused(joulie_cluster_remove(cluster, "Lamp", NULL, "a", &err), JOULIE_E_UNSUPPORTED,
                &err);
        break;
    case 3:
        refused(jl_cluster_step(cluster, INT64_MAX, &actions, &count, &err), JOULIE_E_RANGE, &err);
        break;
    case 4:
        give_bad_object(world, cluster, &err);
        break;
    default:
        give_bad_reading(world, cluster, &err);
        break;
    }
}

/* Questions in between change nothing. */
static void ask(struct world *world, struct joulie_cluster *cluster)
{
    const struct jl_cluster_score *scores = NULL;
    size_t count = 0;
    const struct jl_pod pod = { 0 };
    const int i = pick(world, 0, WORLD_NODES - 1);
    struct jl_cluster_reasons node;
    assert_int_equal(jl_cluster_score_pod(cluster, &pod, world->now_ms, &scores, &count, NULL), 0);
    for (size_t s = 0; s < count; s++) {
        assert_in_range(scores[s].score, 0, 100);
        assert_in_range(scores[s].wire, 0, 10);
    }
    const int rc = jl_cluster_reasons_of(cluster, world_names[i], &node, NULL);
    assert_int_equal(rc, world->nodes[i].exists ? 0 : JOULIE_E_NOT_FOUND);
}

/* ---- one after the other ---- */

/* Mostly some seconds pass; sometimes hours, and sometimes the clock is set back. */
static void pass_time(struct world *world)
{
    static const int64_t jumps_ms[] = { HOUR, 25 * HOUR, -7 * MINUTE, -3 * HOUR };
    if (pick(world, 0, 63) == 1)
        world->now_ms += jumps_ms[pick(world, 0, 3)];
    else
        world->now_ms += pick(world, 0, reads_work(world) ? 15 : 90) * SECOND;
}

void world_event(struct world *world, struct joulie_cluster *cluster)
{
    switch (pick(world, 0, 11)) {
    case 0:
        change_node(world, cluster, pick(world, 0, WORLD_NODES - 1));
        break;
    case 1:
        change_hardware(world, cluster, pick(world, 0, WORLD_HARDWARE - 1));
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
        change_twin(world, cluster, pick(world, 0, WORLD_TWINS - 1));
        break;
    case 9:
        give_nonsense(world, cluster);
        break;
    case 10:
        ask(world, cluster);
        break;
    default:
        world->heartbeat_ms = world->now_ms;
        joulie_cluster_heartbeat(cluster, world->now_ms);
        break;
    }
    pass_time(world);
}

void world_end(struct world *world, struct joulie_cluster *cluster)
{
    for (int i = 0; i < WORLD_NODES; i++) {
        world->nodes[i] = (struct world_node){ 0 };
        world_tell_node(world, cluster, i);
    }
    for (int i = 0; i < WORLD_HARDWARE; i++) {
        world->hardware[i] = (struct world_hardware){ 0 };
        world_tell_hardware(world, cluster, i);
    }
    for (int i = 0; i < WORLD_PODS; i++) {
        world->pods[i] = (struct world_pod){ 0 };
        world_tell_pod(world, cluster, i);
    }
    for (int i = 0; i < WORLD_PROFILES; i++) {
        world->profiles[i] = (struct world_profile){ 0 };
        world_tell_profile(world, cluster, i);
    }
    for (int i = 0; i < WORLD_ZONES; i++) {
        world->zones[i] = JOULIE_INIT(struct joulie_cluster_facility);
        world_tell_zone(world, cluster, i);
    }
}

void world_end_twins(struct world *world, struct joulie_cluster *cluster)
{
    for (int i = 0; i < WORLD_TWINS; i++) {
        world->twins[i].text[0] = '\0';
        world_tell_twin(world, cluster, i);
    }
}
