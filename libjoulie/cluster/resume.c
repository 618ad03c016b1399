/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a model that takes over goes on from, beside what stands in the objects: the number of
 * performance nodes, and since when fewer would do (docs/rules/policy.md#restarts). The operator
 * keeps the text where the next one finds it, and hands it over before its first step.
 */

#include <joulie/error.h>

#include "base/error.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "schema/document.h"
#include "schema/encode.h"

#define FORM_VERSION 1
#define CLOSE_MS 1000 /* stamps are in whole seconds: one that is as near is told again */

#define RECORD saved_plan
#define MEMBERS                                                                                   \
    INTEGER(version, "version", "Version of this form.", REQUIRED)                                \
    ENUM(policy, "policy", jl_policy_type, jl_policy_words, "Which it is the plan of.", REQUIRED) \
    INTEGER(hp, "performanceNodes", "Nodes at full power, those too that nothing needs.",         \
            REQUIRED, NOT_NEGATIVE)                                                               \
    TIME(fewer_ms, "fewerSince", "Since when fewer would do; absent: they would not.")
#include "schema/record.h"

/* The wall may be set, or slewed, while the timer runs. */
static int64_t told_ms(struct joulie_cluster *cluster)
{
    struct plan *plan = &cluster->plan;
    const int64_t wall_ms = jl_wall_at(&cluster->wall, plan->state.timer_ms);
    const int64_t gap_ms = wall_ms - plan->told_ms;
    if (gap_ms < -CLOSE_MS || gap_ms > CLOSE_MS)
        plan->told_ms = wall_ms;
    return plan->told_ms;
}

int joulie_cluster_save(struct joulie_cluster *cluster, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jl_plan_state *state = &cluster->plan.state;
    struct saved_plan saved = { 0 };
    if (!state->is_set || jl_cluster_reads(cluster) != JL_READS_QUEUE) {
        *json = NULL;
        return JOULIE_OK;
    }
    JL_SET(&saved, version, FORM_VERSION);
    JL_SET(&saved, policy, cluster->config.policy.type);
    JL_SET(&saved, hp, state->hp);
    if (state->is_timing)
        JL_SET(&saved, fewer_ms, told_ms(cluster));
    jl_encode(&text, &saved_plan_table, &saved);
    return jl_hand_out(&text, json, err);
}

/* Of a form to come only the version is known to be there. */
static int read_plan(const struct joulie_cluster *cluster, const char *text, size_t len,
                     struct saved_plan *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error why = JOULIE_INIT(struct joulie_error);
    const int rc = jl_document_record(text, len, JL_LENIENT, &saved_plan_table, &arena, out, &why);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    if (out->given.version && out->version != FORM_VERSION)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "version", "this build reads version %d",
                       FORM_VERSION);
    if (rc < 0)
        return jl_fail(err, rc, why.where, "%s", why.message);
    if (out->policy != cluster->config.policy.type)
        return jl_fail(err, JOULIE_E_CONFLICT, "policy", "it is the plan of another policy");
    return 0;
}

/* The one before was at work then: what it saw last is of that time. */
static bool was_at_work(const struct joulie_cluster *cluster, int64_t now_ms)
{
    const bool has_beat = (cluster->place_config.has & JOULIE_PLACE_CONFIG_HAS_HEARTBEAT) != 0;
    const int64_t age_ms = now_ms - cluster->heartbeat.at_ms;
    return has_beat && age_ms >= 0 && age_ms <= cluster->place_config.staleness_ms;
}

int joulie_cluster_restore(struct joulie_cluster *cluster, const char *text, size_t len,
                           int64_t now_ms, struct joulie_error *err)
{
    struct saved_plan saved = { 0 };
    struct jl_stamp stamp = { .is_set = false };
    int rc = jl_cluster_check_now(now_ms, err);
    if (rc == 0 && text != NULL)
        rc = read_plan(cluster, text, len, &saved, err);
    if (rc < 0)
        return rc;
    const bool is_near = was_at_work(cluster, now_ms);
    cluster->has_resumed = true;
    cluster->resumed_ms = is_near ? cluster->heartbeat.at_ms : NEVER_MS;
    cluster->plan.state = (struct jl_plan_state){ .is_set = false };
    if (text == NULL)
        return JOULIE_OK;
    jl_stamp_see(&stamp, saved.fewer_ms, &cluster->wall);
    cluster->plan.told_ms = saved.fewer_ms;
    cluster->plan.state = (struct jl_plan_state){
        .is_set = true,
        .is_timing = saved.given.fewer_ms,
        .hp = saved.hp,
        .timer_ms = is_near && stamp.at_ms <= now_ms ? stamp.at_ms : now_ms,
    };
    return JOULIE_OK;
}
