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
#include "schema/copy.h"

#define MS_PER_S 1000
#define DEFAULT_TWIN_HEARTBEAT_MS (INT64_C(30) * 60 * 1000) /* TWIN_HEARTBEAT_INTERVAL */
#define DEFAULT_DEADBAND 2.0 /* STATUS_DEADBAND_SCORE, STATUS_DEADBAND_PCT */

/* A duration of the settings in milliseconds, or else that. */
#define MS_OR(config, member, otherwise) \
    ((config)->given.member ? (int64_t)((config)->member * MS_PER_S) : (otherwise))

/* A key that no label can have would fail every write of it. */
static int check_label_key(const char *key, const char *where, struct joulie_error *err)
{
    return jl_is_label_key(jl_text(key)) ? 0
                                         : jl_fail(err, JOULIE_E_PARSE, where, "not a label key");
}

static void fill_defaults(struct jl_cluster_config *config)
{
    config->rack_capacity_w = JL_GIVEN_OR(config, rack_capacity_w, JL_RACK_CAPACITY_W);
    config->deadband_score = JL_GIVEN_OR(config, deadband_score, DEFAULT_DEADBAND);
    config->deadband_pct = JL_GIVEN_OR(config, deadband_pct, DEFAULT_DEADBAND);
    config->policy.power_profile_label = config->power_profile_label;
    jl_policy_defaults(&config->policy);
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
    const struct jl_text text = jl_text(policy->node_selector);
    rc = jl_parse_selector(&cluster->config_arena, text.ptr, text.len, &cluster->selector);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_fail(err, rc, "policy.nodeSelector", "not a label selector") : 0;
}

static void fill_place(const struct jl_cluster_config *config, struct joulie_place_config *out)
{
    jl_place_config_init(out, JL_GIVEN_OR(config, scoring_profile, JOULIE_PLACE_RULES_CURRENT));
    out->fail_policy = JL_GIVEN_OR(config, fail_policy, out->fail_policy);
    out->is_marginal_scoring = JL_GIVEN_OR(config, is_marginal_scoring, out->is_marginal_scoring);
    out->cpu_util_coeff = JL_GIVEN_OR(config, cpu_util_coeff, out->cpu_util_coeff);
    out->gpu_util_coeff_standard =
        JL_GIVEN_OR(config, gpu_util_coeff_standard, out->gpu_util_coeff_standard);
    out->gpu_util_coeff_performance =
        JL_GIVEN_OR(config, gpu_util_coeff_performance, out->gpu_util_coeff_performance);
    out->stale_grace_ms = MS_OR(config, stale_grace_s, out->stale_grace_ms);
    out->staleness_ms = MS_OR(config, staleness_s, JL_TWIN_STALENESS_MS);
    out->max_age_ms = MS_OR(config, max_age_s, JL_TWIN_MAX_AGE_MS);
    if (config->given.scoring)
        jl_scoring_profile_apply(&config->scoring, out);
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
    cluster->twin_heartbeat_ms = MS_OR(config, heartbeat_s, DEFAULT_TWIN_HEARTBEAT_MS);
    cluster->config.has_ledger =
        config->has_ledger && cluster->place_config.rules == JOULIE_PLACE_RULES_CURRENT;
    cluster->gate_ms = INT64_MIN;
    cluster->next_gate_ms = INT64_MAX;
    cluster->step_ms = INT64_MIN;
    cluster->writes.first_id = 1;
    cluster->writes.next_id = 1;
    cluster->due = DUE_ORDER | DUE_NAMES;
    cluster->rackless.capacity_w = cluster->config.rack_capacity_w;
    cluster->rackless.is_due = true;
    *out = cluster;
    return 0;
}

static int make(const char *text, size_t len, struct joulie_cluster **out, struct joulie_error *err)
{
    static const char no_settings[] = "{}";
    JL_CLEANUP(jl_cluster_document_close) struct cluster_document document = { 0 };
    int rc = jl_cluster_document_open(&document, text != NULL ? text : no_settings,
                                      text != NULL ? len : strlen(no_settings), 0, err);
    const struct jl_cluster_config *config =
        rc == 0 ? jl_cluster_document_read(&document, &jl_cluster_config_table, &rc) : NULL;
    return config != NULL ? jl_cluster_make(config, out, err) : rc;
}

int joulie_cluster_new(const char *settings, size_t len, struct joulie_cluster **out,
                       struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_error_return(&full, make(settings, len, out, &full), err);
}
