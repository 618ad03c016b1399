/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of v0.0.x become what v0.1.1 reads (docs/rules/node-agent.md#migration). Called by the
 * question convert.lift. */

#include "kinds/migrate.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sort.h"
#include "kinds/naming.h"
#include "schema/path.h"

#define DRAINING_SUFFIX "-draining"

struct entry { /* of a node */
    struct jl_migrated_node node;
    size_t power;                                 /* its object; with node.has_twin */
    const struct jl_telemetry_profile *telemetry; /* the one with the lowest object name */
};

struct migration {
    const struct jl_old_object *objects;
    struct jl_arena *arena;
    struct joulie_error *err;
    struct jl_index by_node; /* of entries, by node, before they are sorted */
    struct jl_index by_name; /* of twins that have one: the entries */
    struct entry *entries;
    size_t count;
    const struct jl_telemetry_profile *cluster;
};

static int fail(const struct migration *migration, int code, size_t object, const char *group,
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
    return jl_fail(migration->err, code, where, "%s", problem);
}

/* The entry of a node, a new one for a name that is new. NULL = out of memory. */
static struct entry *entry_of(struct migration *migration, const char *node_name)
{
    size_t index;
    if (jl_index_get(&migration->by_node, node_name, &index))
        return &migration->entries[index];
    if (jl_index_set(&migration->by_node, node_name, migration->count) < 0)
        return NULL;
    migration->entries[migration->count].node.node_name = node_name;
    return &migration->entries[migration->count++];
}

/* ---- NodePowerProfile ---- */

/* A node whose name is an object name owns it; any other name belongs to the node that comes first.
 */
static const char *owner_of(const void *user, const char *object_name)
{
    const struct migration *migration = user;
    size_t index;
    if (jl_index_get(&migration->by_node, object_name, &index))
        return object_name;
    return jl_index_get(&migration->by_name, object_name, &index)
               ? migration->entries[index].node.node_name
               : NULL;
}

static void migrate_spec(const struct jl_power_profile_spec *from, struct jl_twin_spec *out)
{
    JL_SET(out, node_name, from->node_name);
    JL_SET_IF(out, profile, from->given.profile, from->profile);
    JL_SET_IF(out, cpu, from->given.cpu, from->cpu);
    JL_SET_IF(out, gpu, from->given.gpu, from->gpu);
    if (!from->given.policy)
        return;
    out->given.policy = true;
    JL_SET_IF(&out->policy, name, from->policy.given.name, from->policy.name);
    if (!jl_ends_with(from->policy.name, DRAINING_SUFFIX))
        return;
    JL_SET(out, profile, JOULIE_PROFILE_ECO);
    JL_SET(&out->scheduling, draining, true);
    out->given.scheduling = true;
}

static int add_power(struct migration *migration, size_t object)
{
    const struct jl_power_profile_spec *spec = &migration->objects[object].power->spec;
    const struct jl_kind *kind = jl_node_twin_table.kind;
    if (jl_text_trim(jl_text(spec->node_name)).len == 0)
        return fail(migration, JOULIE_E_REQUIRED, object, NULL, "the profile names no node");
    struct entry *entry = entry_of(migration, spec->node_name);
    if (entry == NULL)
        return jl_fail_memory(migration->err);
    if (entry->node.has_twin)
        return fail(migration, JOULIE_E_CONFLICT, object, NULL,
                    "another profile names the same node");

    struct jl_node_twin *twin = &entry->node.twin;
    entry->node.has_twin = true;
    entry->power = object;
    JL_PUT(twin, JL_ROOT_API_VERSION, api_version, kind->api_version);
    JL_PUT(twin, JL_ROOT_KIND, kind, kind->kind);
    JL_MARK(twin, JL_ROOT_META);
    JL_MARK(twin, JL_ROOT_SPEC);
    migrate_spec(spec, &twin->spec);
    return 0;
}

/* After all nodes are known and in order, because names depend on those of other nodes. */
static int name_twin(struct migration *migration, size_t index)
{
    struct entry *entry = &migration->entries[index];
    if (!entry->node.has_twin)
        return 0;
    const char *name = jl_object_name(migration->arena, entry->node.node_name, owner_of, migration);
    if (name == NULL)
        return jl_fail_memory(migration->err);
    if (name[0] == '\0')
        return fail(migration, JOULIE_E_PARSE, entry->power, NULL,
                    "no character of the node's name can stand in an object name");
    if (jl_index_set(&migration->by_name, name, index) < 0)
        return jl_fail_memory(migration->err);
    JL_SET(&entry->node.twin.meta, name, name);
    return 0;
}

/* ---- TelemetryProfile ---- */

static bool speaks_before(const struct jl_telemetry_profile *a,
                          const struct jl_telemetry_profile *b)
{
    return b == NULL || jl_compare(a->meta.name, b->meta.name) < 0;
}

static int add_telemetry(struct migration *migration, size_t object)
{
    const struct jl_telemetry_profile *profile = migration->objects[object].telemetry;
    const struct jl_telemetry_target *target = &profile->spec.target;
    if (target->scope == JL_TELEMETRY_SCOPE_CLUSTER) {
        if (speaks_before(profile, migration->cluster))
            migration->cluster = profile;
        return 0;
    }
    if (jl_text_trim(jl_text(target->node_name)).len == 0)
        return fail(migration, JOULIE_E_REQUIRED, object, "target", "the scope node needs a node");
    struct entry *entry = entry_of(migration, target->node_name);
    if (entry == NULL)
        return jl_fail_memory(migration->err);
    if (speaks_before(profile, entry->telemetry))
        entry->telemetry = profile;
    return 0;
}

static const char *if_any(const char *text)
{
    return jl_is_empty(text) ? NULL : text;
}

static void migrate_source(const struct jl_telemetry_source *source,
                           struct joulie_remote_settings *env)
{
    env->cpu_source = jl_word_of(&jl_source_type_words, (int)source->type);
    env->cpu_endpoint =
        if_any(source->type == JOULIE_REMOTE_TYPE_PROMETHEUS ? source->prometheus.endpoint
                                                             : source->http.endpoint);
}

static void migrate_cpu_control(const struct jl_telemetry_control *control,
                                struct joulie_remote_settings *env)
{
    env->cpu_control = jl_word_of(&jl_control_type_words, (int)control->type);
    env->cpu_control_endpoint = if_any(control->http.endpoint);
    env->cpu_control_mode = jl_word_of(&jl_cpu_control_mode_words, (int)control->http.mode);
}

static void migrate_gpu_control(const struct jl_telemetry_control *control,
                                struct joulie_remote_settings *env)
{
    env->gpu_control = jl_word_of(&jl_control_type_words, (int)control->type);
    env->gpu_control_endpoint = if_any(control->http.endpoint);
    env->gpu_control_mode = jl_word_of(&jl_gpu_control_mode_words, (int)control->http.mode);
}

/* Settings have one timeout for the three clients: the longest, so that none is cut short. */
static int migrate_timeout(const struct migration *migration, const struct jl_telemetry_spec *spec,
                           struct joulie_remote_settings *env)
{
    const int64_t given[] = { spec->sources.cpu.http.timeout_s, spec->controls.cpu.http.timeout_s,
                              spec->controls.gpu.http.timeout_s };
    char text[JL_DOUBLE_TEXT];
    int64_t longest = 0;
    for (size_t i = 0; i < JL_COUNT(given); i++)
        longest = given[i] > longest ? given[i] : longest;
    if (longest == 0)
        return 0;
    const char *copy = jl_arena_copy(migration->arena, text, jl_format_i64(longest, text));
    if (copy == NULL)
        return jl_fail_memory(migration->err);
    env->timeout_s = copy;
    return 0;
}

static int migrate_telemetry(const struct migration *migration,
                             const struct jl_telemetry_profile *profile,
                             struct joulie_remote_settings *env)
{
    if (profile == NULL)
        return 0;
    migrate_source(&profile->spec.sources.cpu, env);
    migrate_cpu_control(&profile->spec.controls.cpu, env);
    migrate_gpu_control(&profile->spec.controls.gpu, env);
    return migrate_timeout(migration, &profile->spec, env);
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(((const struct entry *)a)->node.node_name,
                      ((const struct entry *)b)->node.node_name);
}

static int migrate_objects(struct migration *migration, size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = migration->objects[i].power != NULL ? add_power(migration, i)
                                                 : add_telemetry(migration, i);
    if (rc == 0 && jl_sort(migration->entries, migration->count, sizeof *migration->entries,
                           by_name, NULL) < 0)
        rc = jl_fail_memory(migration->err);
    for (size_t i = 0; rc == 0 && i < migration->count; i++) {
        struct entry *entry = &migration->entries[i];
        rc = name_twin(migration, i);
        if (rc == 0)
            rc = migrate_telemetry(migration, entry->telemetry, &entry->node.env);
    }
    return rc;
}

static int finish(const struct migration *migration, struct jl_migration *out)
{
    struct jl_migration found = { .node_count = migration->count };
    found.nodes = JL_NEW_ARRAY(migration->arena, migration->count, struct jl_migrated_node);
    if (found.nodes == NULL)
        return jl_fail_memory(migration->err);
    for (size_t i = 0; i < migration->count; i++)
        found.nodes[i] = migration->entries[i].node;
    const int rc = migrate_telemetry(migration, migration->cluster, &found.cluster);
    if (rc == 0)
        *out = found;
    return rc;
}

int jl_migrate(const struct jl_old_object *objects, size_t count, struct jl_arena *arena,
               struct jl_migration *out, struct joulie_error *err)
{
    struct migration migration = { .objects = objects, .arena = arena, .err = err };
    migration.entries = JL_NEW_ARRAY(arena, count, struct entry);
    int rc = migration.entries != NULL ? migrate_objects(&migration, count) : jl_fail_memory(err);
    if (rc == 0)
        rc = finish(&migration, out);
    jl_index_clear(&migration.by_node);
    jl_index_clear(&migration.by_name);
    return rc;
}
