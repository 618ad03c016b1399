/* SPDX-License-Identifier: Apache-2.0 */

/* The rows and sums of `joulie status` (docs/cluster-commands.md). */

#include "cluster/overview.h"

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/time.h"
#include "catalog/hardware.h"
#include "kubernetes/quantity.h"
#include "place/place.h"
#include "policy/power_record.h"

#define PERCENT 100.0
#define MS_PER_S 1000.0

struct held { /* by the pods of one node */
    struct joulie_work sum;
    int64_t pods;
};

struct work {
    const struct jl_overview_input *input;
    struct jl_index nodes;  /* by name, into input->nodes */
    struct held *held;      /* by node */
    struct jl_index agents; /* by node name, into input->agents */
    struct jl_index ready;  /* by node name, enum jl_agent_pod of the agent's pods */
};

/* ---- pods ---- */

static bool is_finished(const struct jl_pod *pod)
{
    return jl_same(pod->status.phase, "Succeeded") || jl_same(pod->status.phase, "Failed");
}

static void add_pod(struct work *work, const struct jl_pod *pod)
{
    struct joulie_work own;
    size_t index;
    if (jl_is_empty(pod->spec.node_name) || is_finished(pod) ||
        !jl_index_get(&work->nodes, pod->spec.node_name, &index))
        return;
    jl_pod_request(pod, &own);
    work->held[index].sum.cpu_cores += own.cpu_cores;
    work->held[index].sum.memory_bytes += own.memory_bytes;
    work->held[index].sum.gpu_count += own.gpu_count;
    work->held[index].pods++;
}

/* ---- one node ---- */

static double allocatable(const struct jl_node *node, const char *key)
{
    const char *text = jl_map_get(&node->status.allocatable, key);
    struct jl_quantity quantity;
    if (!text || jl_parse_quantity(text, strlen(text), &quantity) != 0)
        return 0;
    return jl_quantity_to_double(&quantity);
}

static void put_power(const struct jl_node *node, struct jl_overview_node *out)
{
    struct jl_power_record record;
    jl_power_record_of(node, &record);
    JL_SET_IF(out, power_state, jl_power_is_recorded(&record), record.state);
}

/* Nobody expects news of it, and what is known of it says nothing of now. */
static bool is_off(const struct jl_overview_node *node)
{
    return node->given.power_state && node->power_state != JL_POWER_LEFT;
}

static void put_node(const struct jl_node *node, const struct held *held,
                     const struct jl_effective_caps *caps, struct jl_overview_node *out)
{
    const double cpu = allocatable(node, "cpu");
    const double memory = allocatable(node, "memory");
    const double gpus = jl_node_allocatable_gpus(node);
    if (cpu > 0)
        JL_SET(out, cpu_request_pct, PERCENT * held->sum.cpu_cores / cpu);
    if (memory > 0)
        JL_SET(out, memory_request_pct, PERCENT * held->sum.memory_bytes / memory);
    if (gpus > 0)
        JL_SET(out, gpu_request_pct, PERCENT * held->sum.gpu_count / gpus);
    if (gpus > 0 && caps->given.gpu_pct)
        JL_SET(out, gpu_cap_pct, caps->gpu_pct);
    out->pods = held->pods;
    put_power(node, out);
}

static void put_scores(const struct jl_twin_status *status, struct jl_overview_node *out)
{
    if (status->given.power_headroom_score)
        JL_SET(out, headroom_score, jl_max(0, status->power_headroom_score));
    JL_TAKE(out, cooling_stress_score, status, cooling_stress_score);
    JL_TAKE(out, psu_stress_score, status, psu_stress_score);
    JL_TAKE(out, cpu_cap_pct, &status->effective_caps, cpu_pct);
    JL_TAKE(out, measured_node_power_w, &status->power, measured_node_power_w);
    JL_TAKE(out, node_capped_power_w, &status->power, node_capped_power_w);
}

static void put_age(const struct work *work, const struct jl_twin_status *status,
                    struct jl_overview_node *out)
{
    const struct jl_overview_input *input = work->input;
    const char *text = status->last_updated ? status->last_updated : "";
    int64_t updated_ms;
    if (!input->has_now)
        return;
    if (jl_parse_time(text, strlen(text), &updated_ms) == 0)
        JL_SET(out, age_s, (double)(input->now_ms - updated_ms) / MS_PER_S);
    JL_SET(out, is_stale,
           !jl_twin_is_fresh(status->last_updated, &input->freshness, input->now_ms));
}

/* False: nothing is known of its agent. */
static bool judge_agent(const struct work *work, const char *node_name, bool *out_is_silent)
{
    const struct jl_overview_input *input = work->input;
    size_t found;
    if (!input->has_now)
        return false;
    if (jl_index_get(&work->ready, node_name, &found)) {
        *out_is_silent = found != JL_AGENT_POD_READY;
        return true;
    }
    if (!jl_index_get(&work->agents, node_name, &found))
        return false;
    const struct jl_overview_agent *agent = JL_ITEM(*input->agents, jl_overview_agent, found);
    *out_is_silent = input->now_ms > jl_agent_silent_ms(agent->renewed_ms, agent->duration_s);
    return true;
}

/* No cap of an agent that is gone is in force. */
static void put_agent(const struct work *work, struct jl_overview_node *out)
{
    bool is_silent = false;
    if (!judge_agent(work, out->node_name, &is_silent))
        return;
    JL_SET(out, is_silent, is_silent);
    if (is_silent && out->given.cpu_cap_pct)
        out->cpu_cap_pct = PERCENT;
    if (is_silent && out->given.gpu_cap_pct)
        out->gpu_cap_pct = PERCENT;
}

static void put_twin(const struct work *work, const struct jl_node_twin *twin,
                     struct jl_overview_node *out)
{
    const struct jl_twin_spec *spec = &twin->spec;
    size_t index;
    JL_SET(out, node_name, spec->node_name ? spec->node_name : twin->meta.name);
    JL_SET(out, schedulable_class, twin->status.schedulable_class);
    if (out->schedulable_class == JOULIE_NODE_CLASS_UNKNOWN)
        out->schedulable_class = JOULIE_NODE_CLASS_WORD_UNKNOWN;
    if (spec->profile != JOULIE_PROFILE_UNKNOWN)
        JL_SET(out, profile, spec->profile);
    JL_SET(out, is_draining, spec->given.scheduling && spec->scheduling.draining);
    out->given.pods = true;
    put_scores(&twin->status, out);
    put_age(work, &twin->status, out);
    if (jl_index_get(&work->nodes, out->node_name, &index))
        put_node(JL_ITEM(*work->input->nodes, jl_node, index), &work->held[index],
                 &twin->status.effective_caps, out);
    put_agent(work, out);
    if (is_off(out) && out->given.is_stale)
        out->is_stale = false;
    if (is_off(out) && out->given.is_silent)
        out->is_silent = false;
}

/* ---- sums ---- */

static void count_class(const struct jl_overview_node *node, struct jl_overview_summary *summary)
{
    switch (node->schedulable_class) {
    case JOULIE_NODE_CLASS_ECO:
        summary->eco++;
        break;
    case JOULIE_NODE_CLASS_PERFORMANCE:
        summary->performance++;
        break;
    case JOULIE_NODE_CLASS_DRAINING:
        summary->draining++;
        break;
    case JOULIE_NODE_CLASS_UNKNOWN:
    case JOULIE_NODE_CLASS_WORD_UNKNOWN:
        summary->unknown += !is_off(node);
        break;
    }
}

struct mean {
    double sum;
    double count;
};

static void add_to(struct mean *mean, bool is_known, double value)
{
    mean->sum += is_known ? value : 0;
    mean->count += is_known;
}

static void count_power(const struct jl_overview_node *node, struct jl_overview_summary *summary)
{
    if (is_off(node))
        JL_SET(summary, off, summary->off + 1);
    else if (node->given.power_state)
        JL_SET(summary, left_alone, summary->left_alone + 1);
}

static void put_peak(const struct jl_overview_node *node, struct jl_overview_summary *summary)
{
    if (!node->given.cooling_stress_score ||
        !(node->cooling_stress_score > summary->peak_cooling_stress_score))
        return;
    JL_SET(summary, peak_cooling_stress_score, node->cooling_stress_score);
    JL_SET(summary, peak_cooling_node, node->node_name);
}

static void summarise(struct jl_overview *overview)
{
    struct jl_overview_summary *summary = &overview->summary;
    struct mean cooling = { 0 };
    struct mean psu = { 0 };
    struct mean headroom = { 0 };
    JL_SET(summary, nodes, (int64_t)overview->count);
    JL_SET(summary, eco, 0);
    JL_SET(summary, performance, 0);
    JL_SET(summary, draining, 0);
    JL_SET(summary, unknown, 0);
    JL_SET(summary, stale, 0);
    JL_SET(summary, running_pods, 0);
    for (size_t i = 0; i < overview->count; i++) {
        const struct jl_overview_node *node = &overview->nodes[i];
        count_class(node, summary);
        count_power(node, summary);
        summary->stale += node->is_stale;
        summary->running_pods += node->pods;
        if (is_off(node))
            continue;
        put_peak(node, summary);
        add_to(&cooling, node->given.cooling_stress_score, node->cooling_stress_score);
        add_to(&psu, node->given.psu_stress_score, node->psu_stress_score);
        add_to(&headroom, node->given.headroom_score, node->headroom_score);
        summary->silent += node->is_silent;
    }
    if (cooling.count > 0)
        JL_SET(summary, avg_cooling_stress_score, cooling.sum / cooling.count);
    if (psu.count > 0)
        JL_SET(summary, avg_psu_stress_score, psu.sum / psu.count);
    if (headroom.count > 0)
        JL_SET(summary, avg_power_headroom_score, headroom.sum / headroom.count);
}

static int by_name(const void *a, const void *b, void *user)
{
    const struct jl_overview_node *left = a;
    const struct jl_overview_node *right = b;
    (void)user;
    return jl_compare(left->node_name, right->node_name);
}

/* Of several, as while one follows another, one that is ready is enough. */
static int note_agent(struct work *work, const struct jl_pod *pod)
{
    const enum jl_agent_pod found =
        is_finished(pod) ? JL_AGENT_POD_NONE : jl_agent_pod_of(&work->input->rule, pod);
    size_t before;
    if (found == JL_AGENT_POD_NONE ||
        (jl_index_get(&work->ready, pod->spec.node_name, &before) && before == JL_AGENT_POD_READY))
        return 0;
    return jl_index_set(&work->ready, pod->spec.node_name, found);
}

static int fill(struct work *work, struct jl_arena *arena, struct jl_overview *out)
{
    const struct jl_overview_input *input = work->input;
    work->held = JL_NEW_ARRAY(arena, input->nodes->count, struct held);
    out->nodes = JL_NEW_ARRAY(arena, input->twins->count, struct jl_overview_node);
    if (!work->held || !out->nodes)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < input->nodes->count; i++) {
        const char *name = JL_ITEM(*input->nodes, jl_node, i)->meta.name;
        if (name && jl_index_set(&work->nodes, name, i) < 0)
            return JOULIE_E_NOMEM;
    }
    for (size_t i = 0; input->agents && i < input->agents->count; i++) {
        const char *name = JL_ITEM(*input->agents, jl_overview_agent, i)->node_name;
        if (jl_index_set(&work->agents, name, i) < 0)
            return JOULIE_E_NOMEM;
    }
    for (size_t i = 0; i < input->pods->count; i++) {
        const struct jl_pod *pod = JL_ITEM(*input->pods, jl_pod, i);
        add_pod(work, pod);
        if (note_agent(work, pod) < 0)
            return JOULIE_E_NOMEM;
    }
    for (size_t i = 0; i < input->twins->count; i++) {
        const struct jl_node_twin *twin = JL_ITEM(*input->twins, jl_node_twin, i);
        if (twin->spec.node_name || twin->meta.name)
            put_twin(work, twin, &out->nodes[out->count++]);
    }
    return jl_sort(out->nodes, out->count, sizeof *out->nodes, by_name, NULL);
}

int jl_overview_make(const struct jl_overview_input *input, struct jl_arena *arena,
                     struct jl_overview *out)
{
    struct work work = { .input = input };
    *out = (struct jl_overview){ .count = 0 };
    const int rc = fill(&work, arena, out);
    const bool knows_agents =
        work.ready.count > 0 || (input->agents != NULL && input->agents->count > 0);
    jl_index_clear(&work.nodes);
    jl_index_clear(&work.agents);
    jl_index_clear(&work.ready);
    if (rc == 0)
        summarise(out);
    /* without one nobody knows */
    JL_SET_IF(&out->summary, silent, input->has_now && knows_agents, out->summary.silent);
    return rc;
}
