/* SPDX-License-Identifier: Apache-2.0 */

/* The life of a model: made of settings, whose defaults stand here, and its end. */

#define JL_MODEL_TABLES
#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "kubernetes/names.h"
#include "kubernetes/selector.h"
#include "schema/copy.h"
#include "schema/document.h"
#include "schema/encode.h"

#define MS_PER_S 1000
#define DEFAULT_TWIN_HEARTBEAT_S 1800.0 /* docs/rules/reconcile.md#status-writes */
#define DEFAULT_DEADBAND 2.0            /* points of a score, percent of a power */
#define DEFAULT_RECLASSIFY_S 900.0
#define DEFAULT_GRACE_S 600.0

/* A key that no label can have would fail every write of it. */
static int check_label_key(const char *key, const char *where, struct joulie_error *err)
{
    return jl_is_label_key(jl_text(key)) ? 0
                                         : jl_fail(err, JOULIE_E_PARSE, where, "not a label key");
}

/* Absent it stays away from the settings: nodes that are off are woken. */
static void fill_power_off(struct jl_cluster_config *config)
{
    struct jl_power_off_config *power_off = &config->power_off;
    jl_power_off_defaults(power_off);
    power_off->enabled = power_off->enabled && config->given.power_off;
    power_off->has = (UINT64_C(1) << jl_power_off_config_table.count) - 1;
}

static void fill_agents(struct jl_cluster_config *config)
{
    struct jl_agents_config *agents = &config->agents;
    JL_SET(agents, selector, JL_GIVEN_OR(agents, selector, JL_AGENT_SELECTOR));
    JL_SET(agents, name_space, JL_GIVEN_OR(agents, name_space, JL_AGENT_NAMESPACE));
    JL_SET(agents, control_period_s, JL_GIVEN_OR(agents, control_period_s, 0));
    config->given.agents = true;
}

#define FILL_CLASSIFIER(member, value) \
    JL_SET(&config->classifier, member, JL_GIVEN_OR(&config->classifier, member, value))

static void fill_classifier(struct jl_cluster_config *config)
{
    FILL_CLASSIFIER(min_confidence, JL_CLASSIFY_MIN_CONFIDENCE);
    FILL_CLASSIFIER(hysteresis_pct, JL_CLASSIFY_HYSTERESIS_PCT);
    FILL_CLASSIFIER(window_s, JL_CLASSIFY_WINDOW_S);
    FILL_CLASSIFIER(reclassify_s, DEFAULT_RECLASSIFY_S);
    FILL_CLASSIFIER(hold_s, (double)JL_PROFILE_MAX_AGE_MS / MS_PER_S);
    FILL_CLASSIFIER(grace_s, DEFAULT_GRACE_S);
    FILL_CLASSIFIER(derive_class, false);
    FILL_CLASSIFIER(use_sim_texts, false);
    FILL_CLASSIFIER(has_kepler, true);
    config->given.classifier = true;
}

#define FILL(member, value) JL_SET(config, member, JL_GIVEN_OR(config, member, value))

/* Every number and word that is not given gets its default, and is given from here on. Without a
 * default are the supply of the cluster, racks, zones and the details of scoring. */
static void fill_defaults(struct jl_cluster_config *config)
{
    struct joulie_place_config place;
    FILL(scoring_profile, JOULIE_PLACE_RULES_CURRENT);
    jl_place_config_init(&place, config->scoring_profile);
    FILL(rack_capacity_w, JL_RACK_CAPACITY_W);
    FILL(staleness_s, (double)place.staleness_ms / MS_PER_S);
    FILL(max_age_s, (double)place.max_age_ms / MS_PER_S);
    FILL(heartbeat_s, DEFAULT_TWIN_HEARTBEAT_S);
    FILL(deadband_score, DEFAULT_DEADBAND);
    FILL(deadband_pct, DEFAULT_DEADBAND);
    FILL(power_profile_label, JL_LABEL_POWER_PROFILE);
    FILL(stale_grace_s, (double)place.stale_grace_ms / MS_PER_S);
    FILL(fail_policy, place.fail_policy);
    FILL(cpu_util_coeff, place.cpu_util_coeff);
    FILL(gpu_util_coeff_standard, place.gpu_util_coeff_standard);
    FILL(gpu_util_coeff_performance, place.gpu_util_coeff_performance);
    FILL(is_marginal_scoring, place.is_marginal_scoring != 0);
    FILL(has_ledger, false);
    fill_power_off(config);
    fill_agents(config);
    fill_classifier(config);
    config->policy.power_profile_label = config->power_profile_label;
    jl_policy_defaults(&config->policy, JL_POLICY_CURRENT);
    config->policy.has = (UINT64_C(1) << jl_policy_config_table.count) - 1;
    config->given.policy = true;
}

static int read_selector(struct joulie_cluster *cluster, const char *text, const char *where,
                         const struct jl_selector **out, struct joulie_error *err)
{
    const struct jl_text selector = jl_text(text);
    const int rc = jl_parse_selector(&cluster->config_arena, selector.ptr, selector.len, out);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_fail(err, rc, where, "not a label selector") : 0;
}

/* Settings into the model; policies and scoring profiles that this build does not have are
 * refused. */
static int take_config(struct joulie_cluster *cluster, const struct jl_cluster_config *config,
                       struct joulie_error *err)
{
    if (!jl_scoring_profile_is_known(&config->scoring))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "scoring.version", "%s",
                       jl_scoring_profile_unknown);
    if (jl_copy(&cluster->config_arena, &jl_cluster_config_table, config, &cluster->config) < 0)
        return jl_fail_memory(err);
    fill_defaults(&cluster->config);
    const struct jl_policy_config *policy = &cluster->config.policy;
    const char *missing = jl_policy_missing(policy->type);
    if (missing != NULL)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "policy.type", "%s", missing);
    int rc = check_label_key(policy->power_profile_label, "powerProfileLabel", err);
    if (rc == 0)
        rc = check_label_key(policy->reserved_label_key, "policy.reservedLabelKey", err);
    if (rc < 0)
        return rc;
    cluster->agents.name_space = cluster->config.agents.name_space;
    rc = read_selector(cluster, policy->node_selector, "policy.nodeSelector", &cluster->selector,
                       err);
    return rc == 0 ? read_selector(cluster, cluster->config.agents.selector, "agents.selector",
                                   &cluster->agents.selector, err)
                   : rc;
}

static int64_t ms_of(double seconds)
{
    return (int64_t)(seconds * MS_PER_S);
}

/* What the profile leaves out is as the members above it say. */
static void fill_place(const struct jl_cluster_config *config, struct joulie_place_config *out)
{
    struct jl_scoring_profile profile = config->scoring;
    jl_place_config_init(out, JL_GIVEN_OR(&profile, rules, config->scoring_profile));
    out->fail_policy = config->fail_policy;
    out->is_marginal_scoring = config->is_marginal_scoring;
    out->cpu_util_coeff = config->cpu_util_coeff;
    out->gpu_util_coeff_standard = config->gpu_util_coeff_standard;
    out->gpu_util_coeff_performance = config->gpu_util_coeff_performance;
    out->stale_grace_ms = ms_of(config->stale_grace_s);
    out->staleness_ms = ms_of(config->staleness_s);
    out->max_age_ms = ms_of(config->max_age_s);
    profile.given.rules = false;
    jl_scoring_profile_apply(&profile, out);
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
    fill_place(&cluster->config, &cluster->place_config);
    cluster->twin_heartbeat_ms = ms_of(cluster->config.heartbeat_s);
    cluster->control_period_ms = ms_of(cluster->config.agents.control_period_s);
    cluster->wants_ledger = config->has_ledger;
    cluster->config.has_ledger =
        cluster->wants_ledger && cluster->place_config.rules == JOULIE_PLACE_RULES_CURRENT;
    cluster->first_scoring = cluster->config.scoring;
    cluster->gate_ms = INT64_MIN;
    cluster->next_gate_ms = INT64_MAX;
    cluster->step_ms = INT64_MIN;
    cluster->resumed_ms = NEVER_MS;
    cluster->agents_due_ms = INT64_MAX;
    cluster->writes.first_id = 1;
    cluster->writes.next_id = 1;
    cluster->power.next_id = 1;
    cluster->classifier.next_id = 1;
    cluster->due = DUE_ORDER | DUE_NAMES;
    cluster->rackless.capacity_w = cluster->config.rack_capacity_w;
    cluster->rackless.is_due = true;
    *out = cluster;
    return 0;
}

int joulie_cluster_new(const char *settings, size_t len, struct joulie_cluster **out,
                       struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_cluster_config config = { .has = 0 };
    const int rc = settings == NULL ? 0
                                    : jl_document_record(settings, len, 0, &jl_cluster_config_table,
                                                         &arena, &config, err);
    return rc < 0 ? rc : jl_cluster_make(&config, out, err);
}

int joulie_cluster_settings(const struct joulie_cluster *cluster, char **json,
                            struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jl_encode(&text, &jl_cluster_config_table, &cluster->config);
    return jl_hand_out(&text, json, err);
}

/* ---- another scoring profile ---- */

static bool is_empty(const struct joulie_cluster *cluster)
{
    const struct store *store = &cluster->store;
    return store->nodes.count + store->pods.count + store->twins.count + store->hardware.count == 0;
}

static int check_rules(const struct joulie_cluster *cluster, const struct joulie_place_config *next,
                       struct joulie_error *err)
{
    return next->rules == cluster->place_config.rules || is_empty(cluster)
               ? 0
               : jl_fail(err, JOULIE_E_CONFLICT, "profileName",
                         "the rules of a model that holds objects stay %s",
                         jl_word_of(&jl_place_rules_words, (int)cluster->place_config.rules));
}

static void take_scoring(struct joulie_cluster *cluster, const struct joulie_place_config *next)
{
    const struct joulie_place_config before = cluster->place_config;
    jl_scoring_profile_of(next, &cluster->config.scoring);
    cluster->config.given.scoring = true;
    cluster->place_config = *next;
    cluster->place_config.has = before.has;
    cluster->place_config.heartbeat_ms = before.heartbeat_ms;
    cluster->config.has_ledger = cluster->wants_ledger && next->rules == JOULIE_PLACE_RULES_CURRENT;
    for (size_t i = 0; i < cluster->order.count; i++)
        cluster->rows.is_part_due[i] = true;
    cluster->rows.is_ledger_due = true;
}

int joulie_cluster_set_scoring(struct joulie_cluster *cluster, const char *profile, size_t len,
                               struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_cluster_config config = cluster->config;
    struct joulie_place_config next;
    config.scoring = (struct jl_scoring_profile){ .has = 0 };
    int rc = profile == NULL ? 0
                             : jl_document_record(profile, len, 0, &jl_scoring_profile_table,
                                                  &arena, &config.scoring, err);
    if (rc == 0 && !jl_scoring_profile_is_known(&config.scoring))
        rc = jl_fail(err, JOULIE_E_UNSUPPORTED, "version", "%s", jl_scoring_profile_unknown);
    if (rc < 0)
        return rc;
    jl_scoring_profile_fill(&config.scoring, &cluster->first_scoring);
    fill_place(&config, &next);
    rc = check_rules(cluster, &next, err);
    if (rc == 0)
        take_scoring(cluster, &next);
    return rc;
}

/* ---- the end ---- */

static void free_all(struct jl_index *index, void (*release)(void *item))
{
    for (size_t i = 0; i < index->capacity; i++) {
        void *item = jl_cluster_slot(index, i);
        if (item != NULL)
            release(item);
    }
    jl_index_clear(index);
}

void joulie_cluster_free(struct joulie_cluster *cluster)
{
    if (cluster == NULL)
        return;
    free_all(&cluster->store.nodes, jl_cluster_node_free);
    free_all(&cluster->store.hardware, jl_cluster_object_free);
    free_all(&cluster->store.twins, jl_cluster_object_free);
    free_all(&cluster->store.pods, jl_cluster_pod_free);
    free_all(&cluster->store.profiles, jl_cluster_profile_free);
    free_all(&cluster->store.subjects, jl_cluster_item_free);
    free_all(&cluster->store.racks, jl_cluster_item_free);
    free_all(&cluster->store.zones, jl_cluster_item_free);
    jl_cluster_free_unlinked(&cluster->unlinked);
    free_all(&cluster->classifier.owners, jl_cluster_owner_free);
    free_all(&cluster->classifier.workloads, jl_cluster_item_free);
    jl_free(cluster->classifier.actions);
    jl_arena_clear(&cluster->classifier.arena);
    jl_index_clear(&cluster->writes.new_names);
    jl_cluster_free_order(cluster);
    jl_free(cluster->writes.items);
    jl_arena_clear(&cluster->config_arena);
    jl_arena_clear(&cluster->writes.bodies);
    jl_arena_clear(&cluster->step_arena);
    jl_arena_clear(&cluster->answer_arena);
    jl_free(cluster);
}
