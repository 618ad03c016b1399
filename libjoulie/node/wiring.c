/* SPDX-License-Identifier: Apache-2.0 */

/* Settings and TelemetryProfiles become the sources and controls of a node
 * (docs/rules/endpoints.md#settings). */

#include "node/wiring.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "node/endpoint.h"
#include "schema/path.h"

#define DEFAULT_TIMEOUT_S 2
#define TIMEOUT_MAX_S INT32_MAX

static const struct jl_row env_rows[] = {
    [JL_WIRING_CPU_SOURCE] =
        JL_STRING(jl_wiring_env, cpu_source, "TELEMETRY_CPU_SOURCE",
                  .doc = "Where CPU power is read: host, http, prometheus or none."),
    [JL_WIRING_CPU_ENDPOINT] =
        JL_STRING(jl_wiring_env, cpu_endpoint, "TELEMETRY_CPU_HTTP_ENDPOINT",
                  .doc = "URL of the readings; {node} stands for the node's name."),
    [JL_WIRING_CPU_CONTROL] = JL_STRING(jl_wiring_env, cpu_control, "TELEMETRY_CPU_CONTROL",
                                        .doc = "Where CPU caps go: host, http or none."),
    [JL_WIRING_CPU_CONTROL_ENDPOINT] =
        JL_STRING(jl_wiring_env, cpu_control_endpoint, "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT",
                  .doc = "URL that takes CPU caps; {node} stands for the node's name."),
    [JL_WIRING_CPU_CONTROL_MODE] =
        JL_STRING(jl_wiring_env, cpu_control_mode, "TELEMETRY_CPU_CONTROL_MODE",
                  .doc = "How an http backend puts them in force: auto, rapl or dvfs."),
    [JL_WIRING_GPU_CONTROL] = JL_STRING(jl_wiring_env, gpu_control, "TELEMETRY_GPU_CONTROL",
                                        .doc = "Where GPU caps go: host, http or none."),
    [JL_WIRING_GPU_CONTROL_ENDPOINT] =
        JL_STRING(jl_wiring_env, gpu_control_endpoint, "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT",
                  .doc = "URL that takes GPU caps; {node} stands for the node's name."),
    [JL_WIRING_GPU_CONTROL_MODE] =
        JL_STRING(jl_wiring_env, gpu_control_mode, "TELEMETRY_GPU_CONTROL_MODE",
                  .doc = "How an http backend puts them in force: auto, powercap or clocks."),
    [JL_WIRING_TIMEOUT] =
        JL_STRING(jl_wiring_env, timeout_s, "TELEMETRY_HTTP_TIMEOUT_SECONDS",
                  .doc = "Timeout of every request, in whole seconds; default 2."),
};
const struct jl_table jl_wiring_env_table =
    JL_TABLE(jl_wiring_env, env_rows, .doc = "Settings of an agent.");

#define NO_BIT (-1)

struct part {
    int type; /* bits of the variables */
    int endpoint;
    int mode;
    const struct jl_words *types;
    const struct jl_words *modes;
    const char *group; /* in spec of a profile */
    const char *key;
};

static const struct part cpu_source = {
    .type = JL_WIRING_CPU_SOURCE,
    .endpoint = JL_WIRING_CPU_ENDPOINT,
    .mode = NO_BIT,
    .types = &jl_source_type_words,
    .group = "sources",
    .key = "cpu",
};
static const struct part cpu_control = {
    .type = JL_WIRING_CPU_CONTROL,
    .endpoint = JL_WIRING_CPU_CONTROL_ENDPOINT,
    .mode = JL_WIRING_CPU_CONTROL_MODE,
    .types = &jl_control_type_words,
    .modes = &jl_cpu_control_mode_words,
    .group = "controls",
    .key = "cpu",
};
static const struct part gpu_control = {
    .type = JL_WIRING_GPU_CONTROL,
    .endpoint = JL_WIRING_GPU_CONTROL_ENDPOINT,
    .mode = JL_WIRING_GPU_CONTROL_MODE,
    .types = &jl_control_type_words,
    .modes = &jl_gpu_control_mode_words,
    .group = "controls",
    .key = "gpu",
};

struct resolver {
    const struct jl_wiring_input *in;
    struct jl_arena *arena;
    struct joulie_error *err;
    size_t profile;    /* that speaks for the node; profile_count = none */
    bool has_timeout;  /* from the environment: it wins over those of the profile */
    int64_t timeout_s; /* with has_timeout */
};

/* A part before the node's name is put in. Places are those of its members. */
struct setting {
    enum jl_telemetry_type type;
    struct jl_text endpoint;
    struct jl_text query;
    const char *mode;
    int64_t timeout_s;
    const struct jl_path *endpoint_at;
    const struct jl_path *query_at;
};

/* ---- failures ---- */

static int fail(const struct resolver *resolver, int code, const struct jl_path *at,
                const char *problem)
{
    char where[JL_PATH_TEXT];
    jl_path_print(at, where);
    return jl_fail(resolver->err, code, where, "%s", problem);
}

static int fail_variable(const struct resolver *resolver, int code, int bit, const char *problem)
{
    const struct jl_path env_at = { .key = jl_text("env") };
    const struct jl_path at = { .up = &env_at, .key = jl_text(env_rows[bit].key) };
    return fail(resolver, code, &at, problem);
}

/* ---- one part ---- */

static int put_text(const struct resolver *resolver, struct jl_text text, const struct jl_path *at,
                    const char **out)
{
    const int rc = jl_endpoint_expand(text, resolver->in->node_name, resolver->arena, out);
    if (rc == JOULIE_E_LIMIT)
        return fail(resolver, rc, at, "the text with the node's name in it is too long");
    return rc < 0 ? jl_fail_memory(resolver->err) : 0;
}

static int put_remote(const struct resolver *resolver, const struct setting *setting,
                      struct jl_wire *out)
{
    if (setting->endpoint.len == 0)
        return fail(resolver, JOULIE_E_REQUIRED, setting->endpoint_at,
                    "a remote backend needs an endpoint");
    if (!resolver->in->is_source && !jl_is_url(setting->endpoint))
        return fail(resolver, JOULIE_E_PARSE, setting->endpoint_at,
                    "a URL has no blanks and no control characters");
    int rc = put_text(resolver, setting->endpoint, setting->endpoint_at, &out->endpoint);
    if (rc == 0 && setting->query.len > 0)
        rc = put_text(resolver, setting->query, setting->query_at, &out->query);
    out->timeout_s = resolver->has_timeout ? resolver->timeout_s : setting->timeout_s;
    if (out->timeout_s <= 0)
        out->timeout_s = DEFAULT_TIMEOUT_S;
    return rc;
}

static int put_setting(const struct resolver *resolver, const struct setting *setting,
                       struct jl_wire *out)
{
    const bool is_remote =
        setting->type == JL_TELEMETRY_HTTP || setting->type == JL_TELEMETRY_PROMETHEUS;
    *out = (struct jl_wire){ .type = setting->type };
    if (setting->type == JL_TELEMETRY_HTTP)
        out->mode = setting->mode;
    return is_remote ? put_remote(resolver, setting, out) : 0;
}

/* ---- from the environment ---- */

static struct jl_text variable(const struct resolver *resolver, int bit)
{
    const struct jl_wiring_env *env = resolver->in->env;
    const char *text = NULL;
    if (bit != NO_BIT && JL_HAS(env, bit))
        memcpy(&text, (const char *)env + env_rows[bit].offset, sizeof text);
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

static int resolve_variables(const struct resolver *resolver, const struct part *part,
                             struct jl_text type, struct jl_wire *out)
{
    const struct jl_path env_at = { .key = jl_text("env") };
    const struct jl_path at = { .up = &env_at, .key = jl_text(env_rows[part->endpoint].key) };
    struct setting setting = { .endpoint = variable(resolver, part->endpoint), .endpoint_at = &at };
    const char *word = lower_case(resolver, type);
    if (word == NULL)
        return jl_fail_memory(resolver->err);
    setting.type = (enum jl_telemetry_type)jl_word_value(part->types, jl_text(word));
    if (resolver->in->is_source) {
        const bool is_http = setting.type == JL_TELEMETRY_HTTP && setting.endpoint.len > 0;
        setting.type = is_http ? JL_TELEMETRY_HTTP : JL_TELEMETRY_HOST;
    } else if (setting.type == JL_TELEMETRY_UNKNOWN) {
        return fail_variable(resolver, JOULIE_E_ENUM, part->type, "there is no such backend");
    }
    const int rc = read_mode(resolver, part, &setting.mode);
    return rc == 0 ? put_setting(resolver, &setting, out) : rc;
}

static int read_timeout(struct resolver *resolver)
{
    const struct jl_text text = variable(resolver, JL_WIRING_TIMEOUT);
    int64_t seconds = 0;
    if (text.len == 0)
        return 0;
    const int rc = jl_parse_i64(text.ptr, text.len, &seconds);
    const bool is_good = rc == 0 && seconds > 0 && seconds <= TIMEOUT_MAX_S;
    if (!is_good && !resolver->in->is_source)
        return fail_variable(resolver, rc < 0 ? rc : JOULIE_E_RANGE, JL_WIRING_TIMEOUT,
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
    if (source->type != JL_TELEMETRY_PROMETHEUS)
        return;
    out->endpoint = jl_text_trim(jl_text(source->prometheus.endpoint));
    out->query = jl_text_trim(jl_text(source->prometheus.query));
}

static void read_control(const struct part *part, const struct jl_telemetry_control *control,
                         struct setting *out)
{
    if (!control->given.type)
        return;
    out->type = control->type;
    out->endpoint = jl_text_trim(jl_text(control->http.endpoint));
    out->timeout_s = control->http.timeout_s;
    if (control->http.given.mode)
        out->mode = jl_word_of(part->modes, (int)control->http.mode);
}

static int resolve_profile(const struct resolver *resolver, const struct part *part,
                           struct jl_wire *out)
{
    const struct jl_telemetry_spec *spec = &resolver->in->profiles[resolver->profile].spec;
    const struct jl_path list_at = { .key = jl_text("profiles") };
    const struct jl_path item_at = { .up = &list_at, .index = resolver->profile };
    const struct jl_path spec_at = { .up = &item_at, .key = jl_text("spec") };
    const struct jl_path group_at = { .up = &spec_at, .key = jl_text(part->group) };
    const struct jl_path part_at = { .up = &group_at, .key = jl_text(part->key) };
    struct setting setting = { .type = JL_TELEMETRY_HOST };
    if (part == &cpu_source)
        read_source(&spec->sources.cpu, &setting);
    else if (part == &cpu_control)
        read_control(part, &spec->controls.cpu, &setting);
    else
        read_control(part, &spec->controls.gpu, &setting);

    if (setting.type == JL_TELEMETRY_UNKNOWN) {
        const struct jl_path type_at = { .up = &part_at, .key = jl_text("type") };
        return fail(resolver, JOULIE_E_ENUM, &type_at, "there is no such backend");
    }
    const char *kind = setting.type == JL_TELEMETRY_PROMETHEUS ? "prometheus" : "http";
    const struct jl_path kind_at = { .up = &part_at, .key = jl_text(kind) };
    const struct jl_path endpoint_at = { .up = &kind_at, .key = jl_text("endpoint") };
    const struct jl_path query_at = { .up = &kind_at, .key = jl_text("query") };
    setting.endpoint_at = &endpoint_at;
    setting.query_at = &query_at;
    return put_setting(resolver, &setting, out);
}

size_t jl_wiring_profile(const struct jl_telemetry_profile *profiles, size_t count,
                         const char *node_name)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const struct jl_telemetry_target *target = &profiles[i].spec.target;
        const bool is_meant = node_name == NULL ? target->scope == JL_TELEMETRY_SCOPE_CLUSTER
                                                : target->scope == JL_TELEMETRY_SCOPE_NODE &&
                                                      jl_same(target->node_name, node_name);
        if (is_meant &&
            (best == count || jl_compare(profiles[i].meta.name, profiles[best].meta.name) < 0))
            best = i;
    }
    return best;
}

/* ---- all of it ---- */

static size_t find_profile(const struct jl_wiring_input *in)
{
    if (in->is_source)
        return in->profile_count;
    const size_t own = jl_wiring_profile(in->profiles, in->profile_count, in->node_name);
    return own < in->profile_count ? own : jl_wiring_profile(in->profiles, in->profile_count, NULL);
}

static int resolve_part(const struct resolver *resolver, const struct part *part,
                        struct jl_wire *out)
{
    const struct jl_text type = variable(resolver, part->type);
    if (type.len > 0)
        return resolve_variables(resolver, part, type, out);
    if (resolver->profile < resolver->in->profile_count)
        return resolve_profile(resolver, part, out);
    *out = (struct jl_wire){ .type = JL_TELEMETRY_HOST };
    return 0;
}

int jl_wiring_resolve(const struct jl_wiring_input *in, struct jl_arena *arena,
                      struct jl_wiring *out, struct joulie_error *err)
{
    struct resolver resolver = {
        .in = in, .arena = arena, .err = err, .profile = find_profile(in)
    };
    struct jl_wiring wiring;
    if (!in->is_source && !jl_is_url_word(in->node_name))
        return jl_fail(err, JOULIE_E_PARSE, "node",
                       "a name with such characters cannot stand in a URL");
    int rc = read_timeout(&resolver);
    if (rc == 0)
        rc = resolve_part(&resolver, &cpu_source, &wiring.cpu_source);
    if (rc == 0)
        rc = resolve_part(&resolver, &cpu_control, &wiring.cpu_control);
    if (rc == 0)
        rc = resolve_part(&resolver, &gpu_control, &wiring.gpu_control);
    if (rc == 0)
        *out = wiring;
    return rc;
}
