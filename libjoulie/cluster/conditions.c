/* SPDX-License-Identifier: Apache-2.0 */

/* The conditions of a NodeTwin (docs/rules/objects.md#conditions), beside those of others: a merge
 * patch replaces the whole list. */

#include <joulie/error.h>

#include "cluster/state.h"
#include "schema/copy.h"

#define OURS 4 /* conditions */

/* What is said now. Texts are constants, or those of the power record. */
struct judged {
    const char *type;
    struct jl_judgement is;
    const char *change; /* the reason to write it */
};

static const struct jl_list *stored_of(const struct cluster_node *node)
{
    static const struct jl_list none = { NULL, 0 };
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    return twin != NULL && twin->status.given.conditions ? &twin->status.conditions : &none;
}

static const struct jl_condition *find(const struct jl_list *conditions, const char *type)
{
    for (size_t i = 0; i < conditions->count; i++) {
        const struct jl_condition *condition = JL_ITEM(*conditions, jl_condition, i);
        if (jl_same(condition->type, type))
            return condition;
    }
    return NULL;
}

/* An object of an API server; a machine has none that anybody could wait for. */
static bool has_generation(const struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    return twin != NULL && twin->meta.given.generation;
}

/* ---- Ready, Measured ---- */

static struct jl_judgement ready_of(const struct jl_twin_status *status)
{
    if (status->given.power_headroom_score)
        return (struct jl_judgement){ "True", "Predicted", "The node has scores." };
    return (struct jl_judgement){ "False", "HardwareUnknown",
                                  "Too little is known of the node's hardware for scores." };
}

static struct jl_judgement measured_of(const struct jl_twin_status *status)
{
    static const struct jl_judgement by_source[] = {
        [JOULIE_POWER_SOURCE_UNKNOWN] = { "False", "Unknown", "Nothing says what the node draws." },
        [JOULIE_POWER_SOURCE_KEPLER] = { "True", "Kepler", "The power is measured by Kepler." },
        [JOULIE_POWER_SOURCE_UTILIZATION] = { "False", "Utilization",
                                              "The power is estimated by the utilisation." },
        [JOULIE_POWER_SOURCE_STATIC] = { "False", "Static",
                                         "Nobody reads the power: it is what the caps allow." },
        [JOULIE_POWER_SOURCE_HTTP] = { "True", "Http", "The power is read from an endpoint." },
        [JOULIE_POWER_SOURCE_HTTP_ERROR] = { "False", "HttpError", "The endpoint fails." },
        [JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT] = { "False", "HttpNoEndpoint",
                                                   "There is no endpoint." },
        [JOULIE_POWER_SOURCE_PROMETHEUS] = { "True", "Prometheus",
                                             "The power is measured by Prometheus." },
        [JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA] = { "False", "PrometheusNoData",
                                                     "Prometheus has no data of the node." },
        [JOULIE_POWER_SOURCE_STANDBY] = { "False", "Standby",
                                          "The node is off: it is taken to draw standby power." },
        [JOULIE_POWER_SOURCE_ALLOCATION] = { "False", "Allocation",
                                             "Nobody reads the power: it is estimated by the pods "
                                             "on the node." },
    };
    const enum joulie_power_source source =
        JL_GIVEN_OR(&status->power, source, JOULIE_POWER_SOURCE_UNKNOWN);
    return by_source[(size_t)source < JL_COUNT(by_source) ? source : JOULIE_POWER_SOURCE_UNKNOWN];
}

/* ---- Capped ---- */

/* Of one part; the greatest of both is that of the node. */
enum cap_state {
    CAP_NOT_ASKED,
    CAP_APPLIED,
    CAP_NOT_REPORTED,
    CAP_PENDING,
    CAP_NOT_APPLIED,
    CAP_BLOCKED,
    CAP_FAILED,
    CAP_SILENT,
};

/* All that a part may draw is no cap. */
static bool is_asked(bool has_watts, bool has_pct, double pct)
{
    return has_watts || (has_pct && pct < 100);
}

static enum cap_state cap_state_of(bool is_asked, const char *result)
{
    if (!is_asked)
        return CAP_NOT_ASKED;
    switch ((enum joulie_control_result)jl_word_value(&jl_control_result_words, jl_text(result))) {
    case JOULIE_CONTROL_APPLIED:
        return CAP_APPLIED;
    case JOULIE_CONTROL_BLOCKED:
        return CAP_BLOCKED;
    case JOULIE_CONTROL_ERROR:
        return CAP_FAILED;
    case JOULIE_CONTROL_NONE:
        return CAP_NOT_APPLIED;
    case JOULIE_CONTROL_PENDING:
        return CAP_PENDING;
    case JOULIE_CONTROL_UNKNOWN:
        break;
    }
    return CAP_NOT_REPORTED;
}

static struct jl_judgement capped_of(const struct cluster_node *node)
{
    static const struct jl_judgement by_state[] = {
        [CAP_NOT_ASKED] = { "False", "NoCap", "The spec asks for no cap." },
        [CAP_APPLIED] = { "True", "Applied", "The agent says that the caps are in force." },
        [CAP_NOT_REPORTED] = { "Unknown", "NotReported",
                               "Nobody reports what became of the caps." },
        [CAP_PENDING] = { "False", "Pending", "The agent has yet to write a cap." },
        [CAP_NOT_APPLIED] = { "False", "NotApplied", "The agent holds no such cap." },
        [CAP_BLOCKED] = { "False", "Blocked", "The hardware does not take a cap." },
        [CAP_FAILED] = { "False", "Failed", "The agent failed to write a cap." },
        [CAP_SILENT] = { "Unknown", "AgentSilent", "The agent is not heard any more." },
    };
    const struct jl_twin_spec *spec = jl_cluster_spec_of(node);
    const struct jl_control_status *control = &jl_cluster_twin_of(node)->status.control;
    const struct jl_cpu_intent *cpu = &spec->cpu;
    const struct jl_gpu_power_cap *gpu = &spec->gpu.power_cap;
    const enum cap_state of_cpu = cap_state_of(
        is_asked(cpu->given.cap_w, cpu->given.cap_pct, cpu->cap_pct), control->cpu.result);
    const enum cap_state of_gpu = cap_state_of(
        is_asked(gpu->given.cap_w, gpu->given.cap_pct, gpu->cap_pct), control->gpu.result);
    const enum cap_state worst = of_cpu > of_gpu ? of_cpu : of_gpu;
    return by_state[worst != CAP_NOT_ASKED && node->is_silent ? CAP_SILENT : worst];
}

/* ---- all of them ---- */

/* A node that was never switched off has no condition about it. */
static size_t judge(const struct cluster_node *node, struct judged out[OURS])
{
    size_t count = 0;
    if (has_generation(node)) {
        out[count++] = (struct judged){ JL_CONDITION_READY, ready_of(&node->status),
                                        "condition Ready changed" };
        out[count++] = (struct judged){ JL_CONDITION_MEASURED, measured_of(&node->status),
                                        "condition Measured changed" };
        out[count++] =
            (struct judged){ JL_CONDITION_CAPPED, capped_of(node), "condition Capped changed" };
    }
    if (node->power.record.state != JL_POWER_ON ||
        find(stored_of(node), JL_CONDITION_POWERED_OFF) != NULL)
        out[count++] =
            (struct judged){ JL_CONDITION_POWERED_OFF, jl_power_condition_of(&node->power.record),
                             "condition PoweredOff changed" };
    return count;
}

static bool is_stored(const struct jl_condition *stored, const struct jl_judgement *now)
{
    return stored != NULL && jl_same(stored->status, now->status) &&
           jl_same(stored->reason, now->reason) && jl_same(stored->message, now->message);
}

static bool is_generation_stored(const struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    return !has_generation(node) || (twin->status.given.observed_generation &&
                                     twin->status.observed_generation == twin->meta.generation);
}

const char *jl_cluster_condition_change(const struct cluster_node *node)
{
    struct judged judged[OURS];
    const size_t count = judge(node, judged);
    for (size_t i = 0; i < count; i++) {
        if (!is_stored(find(stored_of(node), judged[i].type), &judged[i].is))
            return judged[i].change;
    }
    return is_generation_stored(node) ? NULL : "another generation of the spec was decided by";
}

static void fill(const struct joulie_cluster *cluster, const struct cluster_node *node,
                 const struct judged *judged, struct jl_condition *out)
{
    const struct jl_condition *stored = find(stored_of(node), judged->type);
    const bool stays = stored != NULL && jl_same(stored->status, judged->is.status) &&
                       stored->last_transition_time != NULL;
    *out = (struct jl_condition){ 0 };
    JL_SET(out, type, judged->type);
    JL_SET(out, status, judged->is.status);
    JL_SET(out, reason, judged->is.reason);
    JL_SET(out, message, judged->is.message);
    JL_SET(out, last_transition_time, stays ? stored->last_transition_time : cluster->step_text);
    if (has_generation(node))
        JL_SET(out, observed_generation, jl_cluster_twin_of(node)->meta.generation);
}

/* Each of ours stays where it stands. */
static int list_conditions(const struct joulie_cluster *cluster, const struct cluster_node *node,
                           struct jl_arena *arena, struct jl_list *out)
{
    const struct jl_list *stored = stored_of(node);
    struct judged judged[OURS];
    const size_t ours = judge(node, judged);
    struct jl_condition *items = JL_NEW_ARRAY(arena, stored->count + ours, struct jl_condition);
    size_t count = stored->count;
    if (items == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < stored->count; i++)
        items[i] = *JL_ITEM(*stored, jl_condition, i);
    for (size_t i = 0; i < ours; i++) {
        size_t at = 0;
        while (at < count && !jl_same(items[at].type, judged[i].type))
            at++;
        if (at == count)
            count++;
        fill(cluster, node, &judged[i], &items[at]);
    }
    *out = (struct jl_list){ items, count };
    return 0;
}

static bool has_others(const struct cluster_node *node)
{
    struct judged judged[OURS];
    const size_t ours = judge(node, judged);
    size_t others = stored_of(node)->count;
    for (size_t i = 0; i < ours; i++)
        others -= find(stored_of(node), judged[i].type) != NULL;
    return others > 0;
}

int jl_cluster_put_conditions(struct joulie_cluster *cluster, const struct cluster_node *node,
                              struct jl_cluster_write *write)
{
    struct jl_arena *arena = &cluster->step_arena;
    struct judged judged[OURS];
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    struct jl_twin_status view = node->status;
    write->status = &node->status;
    if (judge(node, judged) == 0 && stored_of(node)->count == 0)
        return 0;
    JL_SET(&view, conditions, ((struct jl_list){ 0 }));
    if (list_conditions(cluster, node, arena, &view.conditions) < 0)
        return JOULIE_E_NOMEM;
    if (has_generation(node))
        JL_SET(&view, observed_generation, twin->meta.generation);
    struct jl_twin_status *copy = JL_NEW(arena, struct jl_twin_status);
    if (copy == NULL || jl_copy(arena, &jl_twin_status_table, &view, copy) < 0)
        return JOULIE_E_NOMEM;
    write->status = copy;
    if (has_others(node) && jl_cluster_condition_change(node) != NULL)
        write->resource_version = jl_arena_string(arena, twin->meta.resource_version);
    return arena->is_failed ? JOULIE_E_NOMEM : 0;
}
