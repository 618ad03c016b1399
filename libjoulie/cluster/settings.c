/* SPDX-License-Identifier: Apache-2.0 */

/* The settings of a model: read from a document, with their defaults, into a new model. */

#define JL_MODEL_TABLES
#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "kubernetes/names.h"
#include "kubernetes/selector.h"
#include "place/profile.h"
#include "schema/copy.h"

#define MS_PER_S 1000
#define LONGEST_S 1e12 /* keeps milliseconds inside an int64_t */
#define DEFAULT_TWIN_HEARTBEAT_MS (INT64_C(30) * 60 * 1000) /* TWIN_HEARTBEAT_INTERVAL */
#define DEFAULT_DEADBAND 2.0 /* STATUS_DEADBAND_SCORE, STATUS_DEADBAND_PCT */

void jl_cluster_defaults(struct jl_cluster_config *config)
{
    *config = (struct jl_cluster_config){
        .rack_capacity_w = JL_RACK_CAPACITY_W,
        .staleness_ms = JL_TWIN_STALENESS_MS,
        .max_age_ms = JL_TWIN_MAX_AGE_MS,
        .twin_heartbeat_ms = DEFAULT_TWIN_HEARTBEAT_MS,
        .deadband_score = DEFAULT_DEADBAND,
        .deadband_pct = DEFAULT_DEADBAND,
    };
    jl_policy_defaults(&config->policy);
    jl_place_config_init(&config->place, JOULIE_PLACE_RULES_CURRENT);
}

/* A key that no label can have would fail every write of it. */
static int check_label_key(const char *key, const char *where, struct joulie_error *err)
{
    return jl_is_label_key(jl_text(key)) ? 0
                                         : jl_fail(err, JOULIE_E_PARSE, where, "not a label key");
}

static int copy_dict(struct jl_arena *arena, const struct jl_dict *from, size_t size,
                     struct jl_dict *out)
{
    const char **keys = JL_NEW_ARRAY(arena, from->count, const char *);
    void *items = jl_arena_array(arena, from->count, size);
    if (keys == NULL || items == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < from->count; i++) {
        keys[i] = jl_arena_string(arena, from->keys[i]);
        if (keys[i] == NULL)
            return JOULIE_E_NOMEM;
    }
    if (from->count > 0)
        memcpy(items, from->items, from->count * size);
    *out = (struct jl_dict){ .keys = keys, .items = items, .count = from->count };
    return 0;
}

/* Every text of the settings into the model; policies that this build does not have are refused. */
static int take_config(struct joulie_cluster *cluster, const struct jl_cluster_config *config,
                       struct joulie_error *err)
{
    struct jl_policy_config policy = config->policy;
    jl_policy_defaults(&policy);
    const char *missing = jl_policy_missing(policy.type);
    if (missing != NULL)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "policy.type", "%s", missing);
    const uint64_t given = policy.has;
    policy.has |= (UINT64_C(1) << jl_policy_config_table.count) - 1;
    cluster->config = *config;
    int rc =
        jl_copy(&cluster->config_arena, &jl_policy_config_table, &policy, &cluster->config.policy);
    if (rc < 0)
        return jl_fail_memory(err);
    if (copy_dict(&cluster->config_arena, &config->racks, sizeof(struct jl_rack_setting),
                  &cluster->config.racks) < 0 ||
        copy_dict(&cluster->config_arena, &config->zones, sizeof(struct jl_zone_setting),
                  &cluster->config.zones) < 0)
        return jl_fail_memory(err);
    cluster->config.policy.has = given;
    cluster->config.policy.power_profile_label =
        jl_arena_string(&cluster->config_arena, policy.power_profile_label);
    if (cluster->config.policy.power_profile_label == NULL)
        return jl_fail_memory(err);
    rc = check_label_key(policy.power_profile_label, "powerProfileLabel", err);
    if (rc == 0)
        rc = check_label_key(policy.reserved_label_key, "policy.reservedLabelKey", err);
    if (rc < 0)
        return rc;
    const struct jl_text text = jl_text(cluster->config.policy.node_selector);
    rc = jl_parse_selector(&cluster->config_arena, text.ptr, text.len, &cluster->selector);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_fail(err, rc, "policy.nodeSelector", "not a label selector") : 0;
}

int jl_cluster_make(const struct jl_cluster_config *config, struct joulie_cluster **out,
                    struct joulie_error *err)
{
    struct joulie_cluster *cluster = jl_calloc(1, sizeof *cluster);
    if (cluster == NULL)
        return jl_fail_memory(err);
    const int rc = take_config(cluster, config, err);
    if (rc < 0) {
        joulie_cluster_free(cluster);
        return rc;
    }
    if (jl_cluster_open_zones(cluster) < 0) {
        joulie_cluster_free(cluster);
        return jl_fail_memory(err);
    }
    cluster->place_config = config->place;
    cluster->config.has_ledger =
        config->has_ledger && config->place.rules == JOULIE_PLACE_RULES_CURRENT;
    cluster->place_config.staleness_ms = config->staleness_ms;
    cluster->place_config.max_age_ms = config->max_age_ms;
    cluster->gate_ms = INT64_MIN;
    cluster->next_gate_ms = INT64_MAX;
    cluster->step_ms = INT64_MIN;
    cluster->writes.first_id = 1;
    cluster->writes.next_id = 1;
    cluster->due = DUE_ORDER | DUE_NAMES;
    cluster->rackless.capacity_w = config->rack_capacity_w;
    cluster->rackless.is_due = true;
    *out = cluster;
    return 0;
}

/* ---- as a document ---- */

#define POSITIVE OVER(0)
#define DURATION AT_LEAST(0), AT_MOST(LONGEST_S)

#define RECORD settings
#define MEMBERS                                                                                    \
    OBJECT(policy, "policy", jl_policy_config, "Settings of the power policy.")                    \
    NUMBER(rack_capacity_w, "rackCapacityW", "What the supply of a rack can give, W.", POSITIVE)   \
    NUMBER(cluster_capacity_w, "clusterCapacityW", "What the supply of the cluster can give, W.",  \
           POSITIVE)                                                                               \
    DICT(racks, "racks", jl_rack_setting, "Racks that differ from rackCapacityW, by their label.") \
    DICT(zones, "zones", jl_zone_setting, "Cooling zones, by their label.")                        \
    NUMBER(staleness_s, "twinStalenessS", "Age of a fresh twin or heartbeat, s.", DURATION)        \
    NUMBER(max_age_s, "twinMaxAgeS", "Age of a fresh twin while the operator beats, s.", DURATION) \
    NUMBER(heartbeat_s, "twinHeartbeatS",                                                          \
           "After this long a twin is written although nothing changed, s.", DURATION)             \
    NUMBER(deadband_score, "statusDeadbandScore",                                                  \
           "Smallest move of a score that is written, points.", NOT_NEGATIVE)                      \
    NUMBER(deadband_pct, "statusDeadbandPct",                                                      \
           "Smallest move of a power that is written, percent of the node's TDP.", NOT_NEGATIVE)   \
    STRING(power_profile_label, "powerProfileLabel", "Node label that carries the profile.")       \
    NUMBER(stale_grace_s, "filterStaleGraceS",                                                     \
           "Age up to which a stale eco or draining twin still rejects, s.", DURATION)             \
    ENUM(fail_policy, "failPolicy", joulie_fail_policy, jl_fail_policy_words,                      \
         "What happens to performance pods where nothing is known of a node.")                     \
    ENUM(scoring_profile, "scoringProfile", joulie_place_rules, jl_place_rules_words,              \
         "The scoring formula.")                                                                   \
    NUMBER(cpu_util_coeff, "marginalCpuUtilCoeff", "Part of a CPU's power that a busy pod adds.",  \
           NOT_NEGATIVE)                                                                           \
    NUMBER(gpu_util_coeff_standard, "marginalGpuUtilCoeffStandard",                                \
           "The same of a GPU, for standard pods.", NOT_NEGATIVE)                                  \
    NUMBER(gpu_util_coeff_performance, "marginalGpuUtilCoeffPerformance",                          \
           "The same of a GPU, for performance pods.", NOT_NEGATIVE)                               \
    BOOLEAN(is_marginal_scoring, "enableMarginalPowerScoring",                                     \
            "Whether the legacy formula looks at what the pod adds.")                              \
    BOOLEAN(has_ledger, "ledger", "Whether pods that are not in the readings yet count.")          \
    OBJECT(scoring, "scoring", jl_scoring_profile,                                                 \
           "The scoring formula in detail; wins over the members above.")
#include "schema/record.h"

static int64_t ms_or(const struct settings *settings, unsigned bit, double seconds,
                     int64_t otherwise)
{
    return JL_HAS(settings, bit) ? (int64_t)(seconds * MS_PER_S) : otherwise;
}

static double number_or(const struct settings *settings, unsigned bit, double value,
                        double otherwise)
{
    return JL_HAS(settings, bit) ? value : otherwise;
}

static void fill_place(const struct settings *settings, struct joulie_place_config *out)
{
    if (settings->given.scoring_profile)
        jl_place_config_init(out, settings->scoring_profile);
    if (settings->given.fail_policy)
        out->fail_policy = settings->fail_policy;
    if (settings->given.is_marginal_scoring)
        out->is_marginal_scoring = settings->is_marginal_scoring;
    out->stale_grace_ms = ms_or(settings, JL_INDEX(settings, stale_grace_s),
                                settings->stale_grace_s, out->stale_grace_ms);
    out->cpu_util_coeff = number_or(settings, JL_INDEX(settings, cpu_util_coeff),
                                    settings->cpu_util_coeff, out->cpu_util_coeff);
    out->gpu_util_coeff_standard =
        number_or(settings, JL_INDEX(settings, gpu_util_coeff_standard),
                  settings->gpu_util_coeff_standard, out->gpu_util_coeff_standard);
    out->gpu_util_coeff_performance =
        number_or(settings, JL_INDEX(settings, gpu_util_coeff_performance),
                  settings->gpu_util_coeff_performance, out->gpu_util_coeff_performance);
    if (settings->given.scoring)
        jl_scoring_profile_apply(&settings->scoring, out);
}

static void fill_config(const struct settings *settings, struct jl_cluster_config *out)
{
    jl_cluster_defaults(out);
    fill_place(settings, &out->place);
    if (settings->given.policy)
        out->policy = settings->policy;
    out->policy.power_profile_label = settings->power_profile_label;
    out->rack_capacity_w = number_or(settings, JL_INDEX(settings, rack_capacity_w),
                                     settings->rack_capacity_w, out->rack_capacity_w);
    out->cluster_capacity_w = number_or(settings, JL_INDEX(settings, cluster_capacity_w),
                                        settings->cluster_capacity_w, out->cluster_capacity_w);
    out->racks = settings->racks;
    out->zones = settings->zones;
    out->has_ledger = settings->has_ledger;
    out->deadband_score = number_or(settings, JL_INDEX(settings, deadband_score),
                                    settings->deadband_score, out->deadband_score);
    out->deadband_pct = number_or(settings, JL_INDEX(settings, deadband_pct),
                                  settings->deadband_pct, out->deadband_pct);
    out->staleness_ms =
        ms_or(settings, JL_INDEX(settings, staleness_s), settings->staleness_s, out->staleness_ms);
    out->max_age_ms =
        ms_or(settings, JL_INDEX(settings, max_age_s), settings->max_age_s, out->max_age_ms);
    out->twin_heartbeat_ms = ms_or(settings, JL_INDEX(settings, heartbeat_s), settings->heartbeat_s,
                                   out->twin_heartbeat_ms);
}

static int make(const char *text, size_t len, struct joulie_cluster **out, struct joulie_error *err)
{
    static const char no_settings[] = "{}";
    JL_CLEANUP(jl_cluster_document_close) struct cluster_document document = { 0 };
    int rc = jl_cluster_document_open(&document, text != NULL ? text : no_settings,
                                      text != NULL ? len : strlen(no_settings), 0, err);
    const struct settings *settings =
        rc == 0 ? jl_cluster_document_read(&document, &settings_table, &rc) : NULL;
    if (settings == NULL)
        return rc;
    if (!jl_scoring_profile_is_known(&settings->scoring))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "scoring.version", "%s",
                       jl_scoring_profile_unknown);
    struct jl_cluster_config config;
    fill_config(settings, &config);
    return jl_cluster_make(&config, out, err);
}

int joulie_cluster_new(const char *settings, size_t len, struct joulie_cluster **out,
                       struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_error_return(&full, make(settings, len, out, &full), err);
}
