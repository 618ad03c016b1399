/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of v0.0.x become what v0.1.1 reads (docs/rules/node-agent.md#migration). Called by the
 * question convert.lift. */

#include "node/lift.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sort.h"
#include "kinds/naming.h"
#include "schema/path.h"

#define DRAINING_SUFFIX "-draining"

struct entry { /* of a node */
    struct jl_lifted_node node;
    size_t power;                                 /* its object; with node.has_twin */
    const struct jl_telemetry_profile *telemetry; /* the one with the lowest object name */
};

struct lift {
    const struct jl_lift_object *objects;
    struct jl_arena *arena;
    struct joulie_error *err;
    struct jl_index places; /* of entries, by node, before they are sorted */
    struct jl_index names;  /* of twins that have one: the entries */
    struct entry *entries;
    size_t count;
    const struct jl_telemetry_profile *cluster;
};

static int fail(const struct lift *lift, int code, size_t object, const char *group,
                const char *problem)
{
    const struct jl_path list_at = { .key = jl_text("objects") };
    const struct jl_path item_at = { .up = &list_at, .index = object };
    const struct jl_path spec_at = { .up = &item_at, .key = jl_text("spec") };
    const struct jl_path group_at = { .up = &spec_at, .key = jl_text(group) };
    const struct jl_path at = { .up = group != NULL ? &group_at : &spec_at,
                                .key = jl_text("nodeName") };
    char where[JL_PATH_TEXT];
    jl_path_print(&at, where);
    return jl_fail(lift->err, code, where, "%s", problem);
}

/* The entry of a node, a new one for a name that is new. NULL = out of memory. */
static struct entry *entry_of(struct lift *lift, const char *node_name)
{
    size_t place;
    if (jl_index_get(&lift->places, node_name, &place))
        return &lift->entries[place];
    if (jl_index_set(&lift->places, node_name, lift->count) < 0)
        return NULL;
    lift->entries[lift->count].node.node_name = node_name;
    return &lift->entries[lift->count++];
}

/* ---- NodePowerProfile ---- */

/* A node whose name is an object name owns it; other names go to who comes first. */
static const char *owner_of(const void *user, const char *object_name)
{
    const struct lift *lift = user;
    size_t place;
    if (jl_index_get(&lift->places, object_name, &place))
        return object_name;
    return jl_index_get(&lift->names, object_name, &place) ? lift->entries[place].node.node_name
                                                           : NULL;
}

static void lift_spec(const struct jl_power_profile_spec *from, struct jl_twin_spec *out)
{
    JL_SET(out, node_name, from->node_name);
    if (from->given.profile)
        JL_SET(out, profile, from->profile);
    if (from->given.cpu)
        JL_SET(out, cpu, from->cpu);
    if (from->given.gpu)
        JL_SET(out, gpu, from->gpu);
    if (!from->given.policy)
        return;
    out->given.policy = true;
    if (from->policy.given.name)
        JL_SET(&out->policy, name, from->policy.name);
    if (!jl_ends_with(from->policy.name, DRAINING_SUFFIX))
        return;
    JL_SET(out, profile, JOULIE_PROFILE_ECO);
    JL_SET(&out->scheduling, draining, true);
    out->given.scheduling = true;
}

static int add_power(struct lift *lift, size_t object)
{
    const struct jl_power_profile_spec *spec = &lift->objects[object].power->spec;
    const struct jl_kind *kind = jl_node_twin_table.kind;
    if (jl_text_trim(jl_text(spec->node_name)).len == 0)
        return fail(lift, JOULIE_E_REQUIRED, object, NULL, "the profile names no node");
    struct entry *entry = entry_of(lift, spec->node_name);
    if (entry == NULL)
        return jl_fail_memory(lift->err);
    if (entry->node.has_twin)
        return fail(lift, JOULIE_E_CONFLICT, object, NULL, "another profile names the same node");

    struct jl_node_twin *twin = &entry->node.twin;
    entry->node.has_twin = true;
    entry->power = object;
    JL_PUT(twin, JL_ROOT_API_VERSION, api_version, kind->api_version);
    JL_PUT(twin, JL_ROOT_KIND, kind, kind->kind);
    JL_MARK(twin, JL_ROOT_META);
    JL_MARK(twin, JL_ROOT_SPEC);
    lift_spec(spec, &twin->spec);
    return 0;
}

/* After all nodes are known and in order, because names depend on those of other nodes. */
static int name_twin(struct lift *lift, size_t place)
{
    struct entry *entry = &lift->entries[place];
    if (!entry->node.has_twin)
        return 0;
    const char *name = jl_object_name(lift->arena, entry->node.node_name, owner_of, lift);
    if (name == NULL)
        return jl_fail_memory(lift->err);
    if (name[0] == '\0')
        return fail(lift, JOULIE_E_PARSE, entry->power, NULL,
                    "no character of the node's name can stand in an object name");
    if (jl_index_set(&lift->names, name, place) < 0)
        return jl_fail_memory(lift->err);
    JL_SET(&entry->node.twin.meta, name, name);
    return 0;
}

/* ---- TelemetryProfile ---- */

static bool speaks_before(const struct jl_telemetry_profile *a,
                          const struct jl_telemetry_profile *b)
{
    return b == NULL || jl_compare(a->meta.name, b->meta.name) < 0;
}

static int add_telemetry(struct lift *lift, size_t object)
{
    const struct jl_telemetry_profile *profile = lift->objects[object].telemetry;
    const struct jl_telemetry_target *target = &profile->spec.target;
    if (target->scope == JL_TELEMETRY_SCOPE_CLUSTER) {
        if (speaks_before(profile, lift->cluster))
            lift->cluster = profile;
        return 0;
    }
    if (jl_text_trim(jl_text(target->node_name)).len == 0)
        return fail(lift, JOULIE_E_REQUIRED, object, "target", "the scope node needs a node");
    struct entry *entry = entry_of(lift, target->node_name);
    if (entry == NULL)
        return jl_fail_memory(lift->err);
    if (speaks_before(profile, entry->telemetry))
        entry->telemetry = profile;
    return 0;
}

static void put(struct jl_wiring_env *env, int bit, const char **member, const char *text)
{
    if (jl_is_empty(text))
        return;
    *member = text;
    JL_MARK(env, bit);
}

static void lift_source(const struct jl_telemetry_source *source, struct jl_wiring_env *env)
{
    const char *type = jl_word_of(&jl_source_type_words, (int)source->type);
    put(env, JL_WIRING_CPU_SOURCE, &env->cpu_source, type);
    put(env, JL_WIRING_CPU_ENDPOINT, &env->cpu_endpoint,
        source->type == JL_TELEMETRY_PROMETHEUS ? source->prometheus.endpoint
                                                : source->http.endpoint);
}

static void lift_cpu_control(const struct jl_telemetry_control *control, struct jl_wiring_env *env)
{
    put(env, JL_WIRING_CPU_CONTROL, &env->cpu_control,
        jl_word_of(&jl_control_type_words, (int)control->type));
    put(env, JL_WIRING_CPU_CONTROL_ENDPOINT, &env->cpu_control_endpoint, control->http.endpoint);
    put(env, JL_WIRING_CPU_CONTROL_MODE, &env->cpu_control_mode,
        jl_word_of(&jl_cpu_control_mode_words, (int)control->http.mode));
}

static void lift_gpu_control(const struct jl_telemetry_control *control, struct jl_wiring_env *env)
{
    put(env, JL_WIRING_GPU_CONTROL, &env->gpu_control,
        jl_word_of(&jl_control_type_words, (int)control->type));
    put(env, JL_WIRING_GPU_CONTROL_ENDPOINT, &env->gpu_control_endpoint, control->http.endpoint);
    put(env, JL_WIRING_GPU_CONTROL_MODE, &env->gpu_control_mode,
        jl_word_of(&jl_gpu_control_mode_words, (int)control->http.mode));
}

/* Settings have one timeout for the three clients: the longest, so that none is cut short. */
static int lift_timeout(const struct lift *lift, const struct jl_telemetry_spec *spec,
                        struct jl_wiring_env *env)
{
    const int64_t given[] = { spec->sources.cpu.http.timeout_s, spec->controls.cpu.http.timeout_s,
                              spec->controls.gpu.http.timeout_s };
    char text[JL_DOUBLE_TEXT];
    int64_t longest = 0;
    for (size_t i = 0; i < JL_COUNT(given); i++)
        longest = given[i] > longest ? given[i] : longest;
    if (longest == 0)
        return 0;
    const char *copy = jl_arena_copy(lift->arena, text, jl_format_i64(longest, text));
    if (copy == NULL)
        return jl_fail_memory(lift->err);
    put(env, JL_WIRING_TIMEOUT, &env->timeout_s, copy);
    return 0;
}

static int lift_telemetry(const struct lift *lift, const struct jl_telemetry_profile *profile,
                          struct jl_wiring_env *env)
{
    if (profile == NULL)
        return 0;
    lift_source(&profile->spec.sources.cpu, env);
    lift_cpu_control(&profile->spec.controls.cpu, env);
    lift_gpu_control(&profile->spec.controls.gpu, env);
    return lift_timeout(lift, &profile->spec, env);
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(((const struct entry *)a)->node.node_name,
                      ((const struct entry *)b)->node.node_name);
}

static int lift_objects(struct lift *lift, size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = lift->objects[i].power != NULL ? add_power(lift, i) : add_telemetry(lift, i);
    if (rc == 0 && jl_sort(lift->entries, lift->count, sizeof *lift->entries, by_name, NULL) < 0)
        rc = jl_fail_memory(lift->err);
    for (size_t i = 0; rc == 0 && i < lift->count; i++) {
        struct entry *entry = &lift->entries[i];
        rc = name_twin(lift, i);
        if (rc == 0)
            rc = lift_telemetry(lift, entry->telemetry, &entry->node.env);
    }
    return rc;
}

static int finish(const struct lift *lift, struct jl_lift *out)
{
    struct jl_lift lifted = { .node_count = lift->count };
    lifted.nodes = JL_NEW_ARRAY(lift->arena, lift->count, struct jl_lifted_node);
    if (lifted.nodes == NULL)
        return jl_fail_memory(lift->err);
    for (size_t i = 0; i < lift->count; i++)
        lifted.nodes[i] = lift->entries[i].node;
    const int rc = lift_telemetry(lift, lift->cluster, &lifted.cluster);
    if (rc == 0)
        *out = lifted;
    return rc;
}

int jl_lift(const struct jl_lift_object *objects, size_t count, struct jl_arena *arena,
            struct jl_lift *out, struct joulie_error *err)
{
    struct lift lift = { .objects = objects, .arena = arena, .err = err };
    lift.entries = JL_NEW_ARRAY(arena, count, struct entry);
    int rc = lift.entries != NULL ? lift_objects(&lift, count) : jl_fail_memory(err);
    if (rc == 0)
        rc = finish(&lift, out);
    jl_index_clear(&lift.places);
    jl_index_clear(&lift.names);
    return rc;
}
