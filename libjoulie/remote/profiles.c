/* SPDX-License-Identifier: Apache-2.0 */

/* The TelemetryProfiles of a cluster as they come and go, and what they wire a node to
 * (docs/rules/endpoints.md#telemetryprofiles). Agents and the operator have one handle each. */

#include <string.h>

#include <joulie/remote.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "kubernetes/selector.h"
#include "remote/settings.h"
#include "schema/document.h"

#define ANY_NODE "node" /* to try a profile with */
#define TARGET "spec.target"

struct joulie_remote_profiles { /* both arrays by object name */
    struct jl_telemetry_profile *values;
    size_t value_capacity;
    struct jl_arena *arenas; /* what each of them points at */
    size_t arena_capacity;
    size_t count;
};

int joulie_remote_profiles_new(struct joulie_remote_profiles **out, struct joulie_error *err)
{
    struct joulie_remote_profiles *profiles = jl_calloc(1, sizeof *profiles);
    if (profiles == NULL)
        return jl_fail_memory(err);
    *out = profiles;
    return JOULIE_OK;
}

void joulie_remote_profiles_free(struct joulie_remote_profiles *profiles)
{
    if (profiles == NULL)
        return;
    for (size_t i = 0; i < profiles->count; i++)
        jl_arena_clear(&profiles->arenas[i]);
    jl_free(profiles->arenas);
    jl_free(profiles->values);
    jl_free(profiles);
}

/* ---- whether it is good ---- */

static int check_target(const struct jl_telemetry_target *target, struct jl_arena *arena,
                        struct joulie_error *err)
{
    const bool has_name = !jl_is_empty(target->node_name);
    const struct jl_text selector = jl_text_trim(jl_text(target->node_selector));
    const struct jl_selector *parsed = NULL;
    if (target->scope == JL_TELEMETRY_SCOPE_UNKNOWN)
        return jl_fail(err, JOULIE_E_REQUIRED, TARGET ".scope", "node or cluster");
    if (target->scope == JL_TELEMETRY_SCOPE_CLUSTER)
        return has_name || selector.len > 0
                   ? jl_fail(err, JOULIE_E_CONFLICT, TARGET, "the scope cluster selects no node")
                   : 0;
    if (has_name == (selector.len > 0))
        return jl_fail(err, has_name ? JOULIE_E_CONFLICT : JOULIE_E_REQUIRED, TARGET ".nodeName",
                       "the scope node needs either a name or a selector");
    if (has_name)
        return 0;
    const int rc = jl_parse_selector(arena, selector.ptr, selector.len, &parsed);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_fail(err, rc, TARGET ".nodeSelector", "not a label selector") : 0;
}

/* Of scheme://user@host/path. */
static bool has_user(const char *endpoint)
{
    const char *at = endpoint;
    while (at[0] != '\0' && strncmp(at, "://", 3) != 0)
        at++;
    at += at[0] != '\0' ? 3 : 0;
    while (at[0] != '\0' && at[0] != '/' && at[0] != '?' && at[0] != '#' && at[0] != '@')
        at++;
    return at[0] == '@';
}

static int check_secret(const char *endpoint, const char *where, struct joulie_error *err)
{
    return endpoint != NULL && has_user(endpoint)
               ? jl_fail(err, JOULIE_E_UNSUPPORTED, where,
                         "an object that many can read holds no user and no password")
               : 0;
}

static int check_secrets(const struct jl_telemetry_spec *spec, struct joulie_error *err)
{
    const struct {
        const char *endpoint;
        const char *where;
    } parts[] = {
        { spec->sources.cpu.http.endpoint, "spec.sources.cpu.http.endpoint" },
        { spec->sources.cpu.prometheus.endpoint, "spec.sources.cpu.prometheus.endpoint" },
        { spec->controls.cpu.http.endpoint, "spec.controls.cpu.http.endpoint" },
        { spec->controls.gpu.http.endpoint, "spec.controls.gpu.http.endpoint" },
    };

    for (size_t i = 0; i < JL_COUNT(parts); i++) {
        const int rc = check_secret(parts[i].endpoint, parts[i].where, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check(const struct jl_telemetry_profile *profile, struct jl_arena *arena,
                 struct joulie_error *err)
{
    static const struct joulie_remote_settings none = { .struct_size = sizeof none };
    const struct jl_remote_input in = { .node_name = ANY_NODE,
                                        .env = &none,
                                        .profiles = profile,
                                        .profile_count = 1,
                                        .is_chosen = true };
    struct jl_endpoint endpoints[JL_REMOTE_ROLES];
    int rc = jl_is_empty(profile->meta.name)
                 ? jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "an object has a name")
                 : check_target(&profile->spec.target, arena, err);
    if (rc == 0)
        rc = check_secrets(&profile->spec, err);
    return rc == 0 ? jl_remote_resolve(&in, arena, endpoints, err) : rc;
}

/* ---- as they come and go ---- */

/* Where it is, or would be. */
static size_t index_of(const struct joulie_remote_profiles *profiles, const char *name)
{
    size_t low = 0;
    size_t high = profiles->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jl_compare(profiles->values[middle].meta.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_there(const struct joulie_remote_profiles *profiles, size_t at, const char *name)
{
    return at < profiles->count && jl_same(profiles->values[at].meta.name, name);
}

static int make_room(struct joulie_remote_profiles *profiles, size_t at)
{
    const size_t behind = profiles->count - at;
    if (JL_GROW(&profiles->values, &profiles->value_capacity, profiles->count + 1) < 0 ||
        JL_GROW(&profiles->arenas, &profiles->arena_capacity, profiles->count + 1) < 0)
        return JOULIE_E_NOMEM;
    memmove(profiles->values + at + 1, profiles->values + at, behind * sizeof *profiles->values);
    memmove(profiles->arenas + at + 1, profiles->arenas + at, behind * sizeof *profiles->arenas);
    profiles->count++;
    return 0;
}

static int take(struct joulie_remote_profiles *profiles, const struct jl_telemetry_profile *value,
                const struct jl_arena *arena, struct joulie_error *err)
{
    const size_t at = index_of(profiles, value->meta.name);
    if (is_there(profiles, at, value->meta.name))
        jl_arena_clear(&profiles->arenas[at]);
    else if (make_room(profiles, at) < 0)
        return jl_fail_memory(err);
    profiles->values[at] = *value;
    profiles->arenas[at] = *arena;
    return 0;
}

int joulie_remote_profiles_put(struct joulie_remote_profiles *profiles, const char *text,
                               size_t len, struct joulie_error *err)
{
    struct jl_arena arena = { 0 };
    struct jl_telemetry_profile value;
    int rc =
        jl_document_record(text, len, JL_LENIENT, &jl_telemetry_profile_table, &arena, &value, err);
    if (rc == 0)
        rc = check(&value, &arena, err);
    if (rc == 0)
        rc = take(profiles, &value, &arena, err);
    if (rc < 0)
        jl_arena_clear(&arena);
    return rc;
}

int joulie_remote_profiles_remove(struct joulie_remote_profiles *profiles, const char *name,
                                  struct joulie_error *err)
{
    const size_t at = index_of(profiles, name);
    if (!is_there(profiles, at, name))
        return jl_fail(err, JOULIE_E_NOT_FOUND, "name", "there is no such profile");
    jl_arena_clear(&profiles->arenas[at]);
    profiles->count--;
    memmove(profiles->values + at, profiles->values + at + 1,
            (profiles->count - at) * sizeof *profiles->values);
    memmove(profiles->arenas + at, profiles->arenas + at + 1,
            (profiles->count - at) * sizeof *profiles->arenas);
    return JOULIE_OK;
}

/* ---- what they wire a node to ---- */

#define RECORD node_labels
#define MEMBERS MAP(labels, "labels", "Of the node.")
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

int joulie_remote_profiles_resolve(const struct joulie_remote_profiles *profiles,
                                   const struct joulie_remote_settings *settings,
                                   const char *node_name, const char *meta, size_t meta_len,
                                   enum joulie_remote_role role, struct joulie_remote_endpoint *out,
                                   struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_remote_settings env;
    struct node_labels node = { 0 };
    if (JL_SIZED_READ(&env, settings) < 0 || jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const int rc =
        meta != NULL ? jl_document_record(meta, meta_len, 0, &node_labels_table, &arena, &node, err)
                     : 0;
    if (rc < 0)
        return rc;
    const struct jl_remote_input in = {
        .node_name = node_name,
        .env = &env,
        .labels = meta != NULL ? &node.labels : NULL,
        .profiles = profiles->values,
        .profile_count = profiles->count,
    };
    return jl_remote_give(&in, &arena, role, out, err);
}
