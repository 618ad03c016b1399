/* SPDX-License-Identifier: Apache-2.0 */

/*
 * energy.delta, energy.attribute and power.balance: joules of a counter, whose they are, and watts
 * moved between nodes (docs/rules/energy.md).
 */

#include "power/energy.h"

#include "ask/ask.h"
#include "base/error.h"
#include "power/balance.h"

/*
 * energy.delta: from two readings of an energy counter to joules and watts
 * (docs/rules/energy.md#deltas).
 */

#define COUNT NOT_NEGATIVE

#define RECORD energy_delta_in
#define MEMBERS                                                                                   \
    INTEGER(last_uj, "lastUj", "Reading before, microjoules; absent: this is the first.", COUNT)  \
    INTEGER(now_uj, "nowUj", "Reading now, microjoules.", COUNT)                                  \
    INTEGER(range_uj, "rangeUj", "Where the counter wraps, microjoules; absent or 0 = unknown.",  \
            COUNT)                                                                                \
    NUMBER(seconds, "seconds", "Monotonic time between the readings, s.")                         \
    NUMBER(tdp_w, "tdpW",                                                                         \
           "TDP of the zone, W: more than three times as much is a reset counter; absent or 0 = " \
           "unknown (2000 W).",                                                                   \
           COUNT)                                                                                 \
    NUMBER(max_w, "maxW",                                                                         \
           "Most that the zone draws, W: a gap in which it could wrap is dropped; absent or 0 = " \
           "not judged.",                                                                         \
           COUNT)                                                                                 \
    NUMBER(sleep_s, "boottimeMinusMonotonicChangedS",                                             \
           "Seconds that the machine slept in between; up to 1 s is none.")                       \
    INTEGER(last_count, "lastCount", "Perf counter before, instead of lastUj.", COUNT)            \
    INTEGER(now_count, "nowCount", "Perf counter now, instead of nowUj.", COUNT)                  \
    NUMBER(scale_j, "scaleJ", "Joules of one perf count.", COUNT)
#include "schema/record.h"

#define RECORD energy_delta_out
#define MEMBERS                                                                                \
    INTEGER(delta_uj, "deltaUj", "Energy between the readings, microjoules; absent: unknown.") \
    NUMBER(watts, "watts", "Mean power, W; absent: unknown.")                                  \
    STRING(dropped, "dropped", "Why two readings give no energy: range, reset, gap or suspend.")
#include "schema/record.h"

static uint64_t reading(const struct energy_delta_in *in, bool is_count, int64_t count,
                        int64_t energy_uj)
{
    return is_count ? jl_energy_of_count_uj((uint64_t)count, in->scale_j) : (uint64_t)energy_uj;
}

static int answer_energy_delta(struct jl_ask *ask, const struct energy_delta_in *in,
                               struct energy_delta_out *out)
{
    const bool is_count = in->given.now_count;
    const struct jl_energy_step step = {
        .has_last = is_count ? in->given.last_count : in->given.last_uj,
        .last_uj = reading(in, is_count, in->last_count, in->last_uj),
        .now_uj = reading(in, is_count, in->now_count, in->now_uj),
        .range_uj = (uint64_t)in->range_uj,
        .seconds = in->seconds,
        .tdp_w = in->tdp_w,
        .max_w = in->max_w,
        .sleep_s = in->sleep_s,
    };
    if (!is_count && !in->given.now_uj)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "nowUj", "nowUj or nowCount is required");
    if (is_count && !in->given.scale_j)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "scaleJ", "nowCount needs scaleJ");
    const struct jl_energy_delta delta = jl_energy_delta(&step);
    const char *dropped = jl_energy_drop_word(delta.drop);
    if (delta.drop == JL_ENERGY_KEPT) {
        JL_SET(out, delta_uj, (int64_t)delta.delta_uj);
        JL_SET(out, watts, delta.watts);
    }
    JL_SET_IF(out, dropped, dropped != NULL, dropped);
    return 0;
}

JL_QUESTION(energy_delta, "energy.delta",
            "Energy and power between two readings of a counter that wraps");

/*
 * energy.attribute: a package's energy among the pods that used it
 * (docs/rules/energy.md#attribution).
 */

enum attribute_mode { MODE_UNKNOWN, MODE_DYNAMIC, MODE_FULL };

static const struct jl_words mode_words =
    JL_WORDS({ { MODE_DYNAMIC, "dynamic" }, { MODE_FULL, "full" } });

#define RECORD attribute_pod
#define MEMBERS                                        \
    STRING(name, "name", "Name of the pod.", REQUIRED) \
    NUMBER(cpu_s, "cpuS", "CPU time that it used in the window, s.", REQUIRED, NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD energy_attribute_in
#define MEMBERS                                                                                 \
    NUMBER(package_j, "packageJ", "Energy of the package in the window, J.", REQUIRED,          \
           NOT_NEGATIVE)                                                                        \
    NUMBER(idle_j, "idleJ", "Energy that it would have taken idle, J.", REQUIRED, NOT_NEGATIVE) \
    LIST(pods, "pods", attribute_pod, "Everything that used CPU time.", REQUIRED)               \
    ENUM(mode, "mode", attribute_mode, mode_words,                                              \
         "full divides the idle energy too; default dynamic.")
#include "schema/record.h"

#define RECORD attribute_share
#define MEMBERS                                                            \
    STRING(name, "name", "Name of the pod.")                               \
    NUMBER(dynamic_j, "dynamicJ", "Its part of the energy above idle, J.") \
    NUMBER(idle_j, "idleJ", "Its part of the idle energy, J; with full.")  \
    NUMBER(total_j, "totalJ", "Sum of the two, J.")
#include "schema/record.h"

#define RECORD energy_attribute_out
#define MEMBERS LIST(pods, "pods", attribute_share, "The pods, in input order.")
#include "schema/record.h"

static struct attribute_share share_of(const char *name, const struct jl_energy_share *energy,
                                       bool is_full)
{
    struct attribute_share share = { 0 };
    JL_SET(&share, name, name);
    JL_SET(&share, dynamic_j, energy->dynamic_j);
    JL_SET_IF(&share, idle_j, is_full, energy->idle_j);
    JL_SET(&share, total_j, energy->total_j);
    return share;
}

static int answer_energy_attribute(struct jl_ask *ask, const struct energy_attribute_in *in,
                                   struct energy_attribute_out *out)
{
    const size_t count = in->pods.count;
    const struct jl_energy_window window = { in->package_j, in->idle_j, in->mode == MODE_FULL };
    double *cpu_s = JL_NEW_ARRAY(ask->arena, count, double);
    struct jl_energy_share *energy = JL_NEW_ARRAY(ask->arena, count, struct jl_energy_share);
    struct attribute_share *shares = JL_NEW_LIST(ask, out, pods, count, struct attribute_share);
    if (cpu_s == NULL || energy == NULL || shares == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++)
        cpu_s[i] = JL_ITEM(in->pods, attribute_pod, i)->cpu_s;
    if (jl_energy_attribute(&window, cpu_s, count, energy) < 0)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "pods", "the CPU times do not add up to a number");
    for (size_t i = 0; i < count; i++)
        shares[i] = share_of(JL_ITEM(in->pods, attribute_pod, i)->name, &energy[i], window.is_full);
    return 0;
}

JL_QUESTION(energy_attribute, "energy.attribute", "a package's energy among the pods that used it");

/* power.balance: one round of moving watts between nodes (docs/rules/energy.md#balance). */

#define RECORD balance_node
#define MEMBERS                                                                         \
    STRING(name, "name", "Name of the node.", REQUIRED)                                 \
    NUMBER(cap_w, "capW", "Its cap, W.", REQUIRED, NOT_NEGATIVE)                        \
    NUMBER(used_w, "usedW", "What it uses, W; absent: it keeps its cap.", NOT_NEGATIVE) \
    BOOLEAN(new_job, "newJob", "Whether a job started a moment ago.")
#include "schema/record.h"

#define PERCENT BETWEEN(0, 100)

#define RECORD power_balance_in
#define MEMBERS                                                                            \
    NUMBER(budget_w, "budgetW", "Watts of all nodes together.", REQUIRED, NOT_NEGATIVE)    \
    NUMBER(min_w, "minW", "Lowest cap of a node, W.", REQUIRED, NOT_NEGATIVE)              \
    NUMBER(max_w, "maxW", "Highest cap of a node, W.", REQUIRED, NOT_NEGATIVE)             \
    NUMBER(decrease_pct, "decreaseRatePct",                                                \
           "Most that a cap falls in a round, percent of max - min; default 50.", PERCENT) \
    NUMBER(increase_pct, "increaseRatePct",                                                \
           "Most that a cap rises in a round, percent of max - min; default 20.", PERCENT) \
    NUMBER(lower_pct, "lowerThresholdPct",                                                 \
           "Use below this percent of the cap lowers it; default 90.", PERCENT)            \
    NUMBER(upper_pct, "upperThresholdPct",                                                 \
           "Use above this percent of the cap raises it; default 95.", PERCENT)            \
    LIST(nodes, "nodes", balance_node, "Nodes under the budget.", REQUIRED)
#include "schema/record.h"

#define RECORD balance_cap
#define MEMBERS                               \
    STRING(name, "name", "Name of the node.") \
    NUMBER(cap_w, "capW", "Its cap for the next round, W.")
#include "schema/record.h"

#define RECORD power_balance_out
#define MEMBERS LIST(nodes, "nodes", balance_cap, "The nodes, in input order.")
#include "schema/record.h"

static struct jl_balance balance_of(const struct power_balance_in *in)
{
    struct jl_balance balance = { .budget_w = in->budget_w,
                                  .min_w = in->min_w,
                                  .max_w = in->max_w };
    jl_balance_defaults(&balance);
    balance.decrease_pct = JL_GIVEN_OR(in, decrease_pct, balance.decrease_pct);
    balance.increase_pct = JL_GIVEN_OR(in, increase_pct, balance.increase_pct);
    balance.lower_pct = JL_GIVEN_OR(in, lower_pct, balance.lower_pct);
    balance.upper_pct = JL_GIVEN_OR(in, upper_pct, balance.upper_pct);
    return balance;
}

static int check(struct jl_ask *ask, const struct power_balance_in *in)
{
    if (in->max_w < in->min_w)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "maxW", "the highest cap is below the lowest");
    const struct jl_balance balance = balance_of(in);
    if (balance.upper_pct < balance.lower_pct)
        return jl_ask_fail(ask, JOULIE_E_RANGE,
                           in->given.upper_pct ? "upperThresholdPct" : "lowerThresholdPct",
                           "the upper threshold is below the lower");
    return 0;
}

static int answer_power_balance(struct jl_ask *ask, const struct power_balance_in *in,
                                struct power_balance_out *out)
{
    const size_t count = in->nodes.count;
    const struct jl_balance balance = balance_of(in);
    struct jl_balance_node *nodes = JL_NEW_ARRAY(ask->arena, count, struct jl_balance_node);
    struct balance_cap *caps = JL_NEW_LIST(ask, out, nodes, count, struct balance_cap);
    double *caps_w = JL_NEW_ARRAY(ask->arena, count, double);
    const int rc = check(ask, in);
    if (rc < 0)
        return rc;
    if (nodes == NULL || caps == NULL || caps_w == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct balance_node *node = JL_ITEM(in->nodes, balance_node, i);
        nodes[i] = (struct jl_balance_node){
            .cap_w = node->cap_w,
            .has_used = node->given.used_w,
            .used_w = node->used_w,
            .has_new_job = node->new_job,
        };
    }
    if (jl_balance_round(&balance, nodes, count, caps_w) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        JL_SET(&caps[i], name, JL_ITEM(in->nodes, balance_node, i)->name);
        JL_SET(&caps[i], cap_w, caps_w[i]);
    }
    return 0;
}

JL_QUESTION(power_balance, "power.balance",
            "one round of moving watts between nodes under a budget");
