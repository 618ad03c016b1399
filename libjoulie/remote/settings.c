/* SPDX-License-Identifier: Apache-2.0 */

/* Settings and TelemetryProfiles become the sources and controls of a node
 * (docs/rules/endpoints.md#settings). Called by agents, and by the question agent.wiring. */

#include "remote/settings.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "kubernetes/selector.h"
#include "remote/endpoint.h"
#include "schema/path.h"

#define DEFAULT_TIMEOUT_S 2
#define TIMEOUT_MAX_S INT32_MAX

#define ROW(member) JL_INDEX(joulie_remote_settings, member)
#define NO_ROW (-1)

struct part {
    int type; /* rows of joulie_remote_settings_table */
    int endpoint;
    int mode;
    const struct jl_words *types;
    const struct jl_words *modes;
    const char *group; /* in spec of a profile */
    const char *key;
};

static const struct part parts[JL_REMOTE_ROLES] = {
    [JOULIE_REMOTE_ROLE_CPU_SOURCE] = {
        .type = ROW(cpu_source),
        .endpoint = ROW(cpu_endpoint),
        .mode = NO_ROW,
        .types = &jl_source_type_words,
        .group = "sources",
        .key = "cpu",
    },
    [JOULIE_REMOTE_ROLE_CPU_CONTROL] = {
        .type = ROW(cpu_control),
        .endpoint = ROW(cpu_control_endpoint),
        .mode = ROW(cpu_control_mode),
        .types = &jl_control_type_words,
        .modes = &jl_cpu_control_mode_words,
        .group = "controls",
        .key = "cpu",
    },
    [JOULIE_REMOTE_ROLE_GPU_CONTROL] = {
        .type = ROW(gpu_control),
        .endpoint = ROW(gpu_control_endpoint),
        .mode = ROW(gpu_control_mode),
        .types = &jl_control_type_words,
        .modes = &jl_gpu_control_mode_words,
        .group = "controls",
        .key = "gpu",
    },
};

struct resolver {
    const struct jl_remote_input *in;
    struct jl_arena *arena;
    struct joulie_error *err;
    size_t profile;    /* that speaks for the node; profile_count = none */
    bool has_timeout;  /* from the environment: it wins over those of the profile */
    int64_t timeout_s; /* with has_timeout */
};

/* A part before the node's name is put in. */
struct setting {
    const struct part *part;
    bool is_of_profile; /* else of the environment */
    enum joulie_remote_type type;
    struct jl_text endpoint;
    struct jl_text query;
    const char *mode;
    int64_t timeout_s;
};

/* ---- failures ---- */

static int fail(const struct resolver *resolver, int code, const struct jl_path *at,
                const char *problem)
{
    char where[JL_PATH_TEXT];
    jl_path_print(at, where);
    return jl_fail(resolver->err, code, where, "%s", problem);
}

static int fail_variable(const struct resolver *resolver, int code, int row, const char *problem)
{
    const struct jl_path env_at = { .key = jl_text("env") };
    const struct jl_path at = { .up = &env_at,
                                .key = jl_text(joulie_remote_settings_table.rows[row].key) };
    return fail(resolver, code, &at, problem);
}

/* Names the variable, or the member of the profile, wherever it is among those that were given. */
static int fail_setting(const struct resolver *resolver, const struct setting *setting, int code,
                        const char *member, const char *problem)
{
    const struct part *part = setting->part;
    const bool is_type = jl_same(member, "type");
    if (!setting->is_of_profile)
        return fail_variable(resolver, code, is_type ? part->type : part->endpoint, problem);
    const char *kind = setting->type == JOULIE_REMOTE_TYPE_PROMETHEUS ? "prometheus" : "http";
    const struct jl_path list_at = { .key = jl_text("profiles") };
    const struct jl_path item_at = { .up = &list_at, .index = resolver->profile };
    const struct jl_path spec_at = { .up = resolver->in->is_chosen ? NULL : &item_at,
                                     .key = jl_text("spec") };
    const struct jl_path group_at = { .up = &spec_at, .key = jl_text(part->group) };
    const struct jl_path part_at = { .up = &group_at, .key = jl_text(part->key) };
    const struct jl_path kind_at = { .up = &part_at, .key = jl_text(kind) };
    const struct jl_path at = { .up = is_type ? &part_at : &kind_at, .key = jl_text(member) };
    return fail(resolver, code, &at, problem);
}

/* ---- one part ---- */

static int put_text(const struct resolver *resolver, const struct setting *setting,
                    struct jl_text text, const char *member, const char **out)
{
    const int rc = jl_endpoint_expand(text, resolver->in->node_name, resolver->arena, out);
    if (rc == JOULIE_E_LIMIT)
        return fail_setting(resolver, setting, rc, member,
                            "the text with the node's name in it is too long");
    return rc < 0 ? jl_fail_memory(resolver->err) : 0;
}

/* What the endpoint of an HTTP backend needs, and its timeout: the environment's, else its own,
 * else the default. */
static int put_remote(const struct resolver *resolver, const struct setting *setting,
                      struct jl_endpoint *out)
{
    if (setting->endpoint.len == 0)
        return fail_setting(resolver, setting, JOULIE_E_REQUIRED, "endpoint",
                            "a remote backend needs an endpoint");
    if (!resolver->in->is_source && !jl_is_url(setting->endpoint))
        return fail_setting(resolver, setting, JOULIE_E_PARSE, "endpoint",
                            "a URL has no blanks and no control characters");
    int rc = put_text(resolver, setting, setting->endpoint, "endpoint", &out->endpoint);
    if (rc == 0 && setting->query.len > 0)
        rc = put_text(resolver, setting, setting->query, "query", &out->query);
    out->timeout_s = resolver->has_timeout ? resolver->timeout_s : setting->timeout_s;
    if (out->timeout_s <= 0)
        out->timeout_s = DEFAULT_TIMEOUT_S;
    return rc;
}

static int put_setting(const struct resolver *resolver, const struct setting *setting,
                       struct jl_endpoint *out)
{
    *out = (struct jl_endpoint){ .type = setting->type };
    if (setting->type == JOULIE_REMOTE_TYPE_HTTP)
        out->mode = setting->mode;
    return setting->type == JOULIE_REMOTE_TYPE_HTTP ||
                   setting->type == JOULIE_REMOTE_TYPE_PROMETHEUS
               ? put_remote(resolver, setting, out)
               : 0;
}

/* ---- from the environment ---- */

static struct jl_text variable(const struct resolver *resolver, int row)
{
    const char *text = NULL;
    if (row != NO_ROW)
        memcpy(&text,
               (const char *)resolver->in->env + joulie_remote_settings_table.rows[row].offset,
               sizeof text);
    return jl_text_trim(jl_text(text));
}

/* NULL = out of memory. */
static const char *lower_case(const struct resolver *resolver, struct jl_text text)
{
    char *copy = jl_arena_copy(resolver->arena, text.ptr, text.len);
    for (size_t i = 0; copy != NULL && i < text.len; i++)
        copy[i] = jl_lower(copy[i]);
    return copy;
}

static int read_mode(const struct resolver *resolver, const struct part *part, const char **out)
{
    const struct jl_text text = variable(resolver, part->mode);
    if (text.len == 0)
        return 0;
    *out = lower_case(resolver, text);
    if (*out == NULL)
        return jl_fail_memory(resolver->err);
    if (!resolver->in->is_source && jl_word_value(part->modes, jl_text(*out)) == 0)
        return fail_variable(resolver, JOULIE_E_ENUM, part->mode, "there is no such mode");
    return 0;
}

/* A part that the environment names is the environment's alone: a profile adds nothing to it. */
static int resolve_variables(const struct resolver *resolver, const struct part *part,
                             struct jl_text type, struct jl_endpoint *out)
{
    struct setting setting = { .part = part, .endpoint = variable(resolver, part->endpoint) };
    const char *word = lower_case(resolver, type);
    if (word == NULL)
        return jl_fail_memory(resolver->err);
    setting.type = (enum joulie_remote_type)jl_word_value(part->types, jl_text(word));
    if (resolver->in->is_source) {
        const bool is_http = setting.type == JOULIE_REMOTE_TYPE_HTTP && setting.endpoint.len > 0;
        setting.type = is_http ? JOULIE_REMOTE_TYPE_HTTP : JOULIE_REMOTE_TYPE_HOST;
    } else if (setting.type == JOULIE_REMOTE_TYPE_UNKNOWN) {
        return fail_setting(resolver, &setting, JOULIE_E_ENUM, "type", "there is no such backend");
    }
    const int rc = read_mode(resolver, part, &setting.mode);
    return rc == 0 ? put_setting(resolver, &setting, out) : rc;
}

static int read_timeout(struct resolver *resolver)
{
    const struct jl_text text = variable(resolver, ROW(timeout_s));
    int64_t seconds = 0;
    if (text.len == 0)
        return 0;
    const int rc = jl_parse_i64(text.ptr, text.len, &seconds);
    const bool is_good = rc == 0 && seconds > 0 && seconds <= TIMEOUT_MAX_S;
    if (!is_good && !resolver->in->is_source)
        return fail_variable(resolver, rc < 0 ? rc : JOULIE_E_RANGE, ROW(timeout_s),
                             "a timeout is a whole number of seconds above 0");
    resolver->has_timeout = is_good;
    resolver->timeout_s = seconds;
    return 0;
}

/* ---- from a profile ---- */

static void read_source(const struct jl_telemetry_source *source, struct setting *out)
{
    if (!source->given.type)
        return;
    out->type = source->type;
    out->endpoint = jl_text_trim(jl_text(source->http.endpoint));
    out->timeout_s = source->http.timeout_s;
    if (source->type != JOULIE_REMOTE_TYPE_PROMETHEUS)
        return;
    out->endpoint = jl_text_trim(jl_text(source->prometheus.endpoint));
    out->query = jl_text_trim(jl_text(source->prometheus.query));
}

static void read_control(const struct jl_telemetry_control *control, struct setting *out)
{
    if (!control->given.type)
        return;
    out->type = control->type;
    out->endpoint = jl_text_trim(jl_text(control->http.endpoint));
    out->timeout_s = control->http.timeout_s;
    if (control->http.given.mode)
        out->mode = jl_word_of(out->part->modes, (int)control->http.mode);
}

static int resolve_profile(const struct resolver *resolver, const struct part *part,
                           struct jl_endpoint *out)
{
    const struct jl_telemetry_spec *spec = &resolver->in->profiles[resolver->profile].spec;
    struct setting setting = { .part = part,
                               .is_of_profile = true,
                               .type = JOULIE_REMOTE_TYPE_HOST };
    if (part == &parts[JOULIE_REMOTE_ROLE_CPU_SOURCE])
        read_source(&spec->sources.cpu, &setting);
    else if (part == &parts[JOULIE_REMOTE_ROLE_CPU_CONTROL])
        read_control(&spec->controls.cpu, &setting);
    else
        read_control(&spec->controls.gpu, &setting);
    return setting.type == JOULIE_REMOTE_TYPE_UNKNOWN
               ? fail_setting(resolver, &setting, JOULIE_E_ENUM, "type", "there is no such backend")
               : put_setting(resolver, &setting, out);
}

/* ---- all of it ---- */

int jl_profile_reaches(const struct jl_telemetry_profile *profile, const char *node_name,
                       const struct jl_map *labels, struct jl_arena *arena,
                       enum jl_profile_reach *out)
{
    const struct jl_telemetry_target *target = &profile->spec.target;
    const struct jl_text text = jl_text_trim(jl_text(target->node_selector));
    const struct jl_selector *selector = NULL;
    *out = JL_REACH_NONE;
    if (target->scope == JL_TELEMETRY_SCOPE_CLUSTER)
        *out = JL_REACH_CLUSTER;
    if (target->scope != JL_TELEMETRY_SCOPE_NODE)
        return 0;
    if (!jl_is_empty(target->node_name)) {
        *out = jl_same(target->node_name, node_name) ? JL_REACH_NAME : JL_REACH_NONE;
        return 0;
    }
    if (text.len == 0 || labels == NULL)
        return 0;
    const int rc = jl_parse_selector(arena, text.ptr, text.len, &selector);
    if (rc == 0 && jl_selector_matches(selector, labels))
        *out = JL_REACH_LABELS;
    return rc;
}

/* Which profile speaks for the node: the nearest, of several the one with the lowest object name,
 * so that the answer does not depend on the order of a list. One whose selector is none reaches
 * nobody. */
static int find_profile(const struct jl_remote_input *in, struct jl_arena *arena, size_t *out)
{
    enum jl_profile_reach nearest = JL_REACH_NONE;
    *out = in->is_chosen ? 0 : in->profile_count;
    for (size_t i = 0; i < in->profile_count && !in->is_source && !in->is_chosen; i++) {
        enum jl_profile_reach reach = JL_REACH_NONE;
        const int rc =
            jl_profile_reaches(&in->profiles[i], in->node_name, in->labels, arena, &reach);
        if (rc == JOULIE_E_NOMEM)
            return rc;
        if (reach == JL_REACH_NONE || reach < nearest ||
            (reach == nearest &&
             jl_compare(in->profiles[i].meta.name, in->profiles[*out].meta.name) > 0))
            continue;
        nearest = reach;
        *out = i;
    }
    return 0;
}

static int resolve_part(const struct resolver *resolver, const struct part *part,
                        struct jl_endpoint *out)
{
    const struct jl_text type = variable(resolver, part->type);
    if (type.len > 0)
        return resolve_variables(resolver, part, type, out);
    if (resolver->profile < resolver->in->profile_count)
        return resolve_profile(resolver, part, out);
    *out = (struct jl_endpoint){ .type = JOULIE_REMOTE_TYPE_HOST };
    return 0;
}

int jl_remote_resolve(const struct jl_remote_input *in, struct jl_arena *arena,
                      struct jl_endpoint out[JL_REMOTE_ROLES], struct joulie_error *err)
{
    struct resolver resolver = { .in = in, .arena = arena, .err = err };
    struct jl_endpoint endpoints[JL_REMOTE_ROLES] = { 0 };
    if (!in->is_source && !jl_is_url_word(in->node_name))
        return jl_fail(err, JOULIE_E_PARSE, "node",
                       "a name with such characters cannot stand in a URL");
    if (find_profile(in, arena, &resolver.profile) < 0)
        return jl_fail_memory(err);
    int rc = read_timeout(&resolver);
    for (size_t role = JOULIE_REMOTE_ROLE_CPU_SOURCE; rc == 0 && role < JL_REMOTE_ROLES; role++)
        rc = resolve_part(&resolver, &parts[role], &endpoints[role]);
    if (rc == 0)
        memcpy(out, endpoints, sizeof endpoints);
    return rc;
}

/* ---- joulie_remote_resolve() ---- */

#define MS_PER_S 1000
#define QUERY_PATH "/api/v1/query?query="
/* What Kepler measures of the CPUs of a node: docs/rules/endpoints.md#prometheus. */
#define QUERY_BEFORE "sum(rate(kepler_node_cpu_joules_total{zone=\"package\",node_name=\""
#define QUERY_BEHIND "\"}[1m]))"

_Static_assert(sizeof(struct joulie_remote_endpoint) ==
                   offsetof(struct joulie_remote_endpoint, mode) + 4,
               "no tail padding");

/* Everything but letters, digits, '-', '.', '_' and '~' as %XX. */
static void put_escaped(struct jl_buffer *out, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (jl_is_url_byte(*text)) {
            jl_put_char(out, *text);
            continue;
        }
        jl_put_char(out, '%');
        jl_put_char(out, digits[byte >> 4]);
        jl_put_char(out, digits[byte & 15]);
    }
}

/* NULL = memory ran out. */
static char *url_of(const struct jl_endpoint *endpoint, const char *node_name)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer url = { 0 };
    jl_put_string(&url, endpoint->endpoint);
    if (endpoint->type == JOULIE_REMOTE_TYPE_PROMETHEUS) {
        jl_put_string(&url, QUERY_PATH);
        if (endpoint->query != NULL) {
            put_escaped(&url, endpoint->query);
        } else {
            put_escaped(&url, QUERY_BEFORE);
            put_escaped(&url, node_name);
            put_escaped(&url, QUERY_BEHIND);
        }
    }
    return jl_buffer_take(&url);
}

int jl_remote_give(const struct jl_remote_input *in, struct jl_arena *arena,
                   enum joulie_remote_role role, struct joulie_remote_endpoint *out,
                   struct joulie_error *err)
{
    struct jl_endpoint endpoints[JL_REMOTE_ROLES];
    if (role < JOULIE_REMOTE_ROLE_CPU_SOURCE || role > JOULIE_REMOTE_ROLE_GPU_CONTROL)
        return jl_fail(err, JOULIE_E_ENUM, "role", "there is no such endpoint");
    const int rc = jl_remote_resolve(in, arena, endpoints, err);
    if (rc < 0)
        return rc;

    const struct jl_endpoint *found = &endpoints[role];
    struct joulie_remote_endpoint ours = {
        .url = found->endpoint != NULL ? url_of(found, in->node_name) : NULL,
        .timeout_ms = found->timeout_s * MS_PER_S,
        .type = found->type,
    };
    if (found->endpoint != NULL && ours.url == NULL)
        return jl_fail_memory(err);
    if (found->type == JOULIE_REMOTE_TYPE_HTTP && parts[role].modes != NULL)
        ours.mode =
            found->mode == NULL
                ? JOULIE_REMOTE_MODE_AUTO
                : (enum joulie_remote_mode)jl_word_value(parts[role].modes, jl_text(found->mode));
    jl_sized_write(out, &ours, sizeof ours);
    return JOULIE_OK;
}

int joulie_remote_resolve(const struct joulie_remote_settings *settings, const char *node_name,
                          enum joulie_remote_role role, struct joulie_remote_endpoint *out,
                          struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_remote_settings env;
    if (JL_SIZED_READ(&env, settings) < 0 || jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const struct jl_remote_input in = { .node_name = node_name, .env = &env };
    return jl_remote_give(&in, &arena, role, out, err);
}
