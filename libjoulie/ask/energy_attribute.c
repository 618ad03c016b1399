/* SPDX-License-Identifier: Apache-2.0 */

/* energy.attribute: a package's energy among the pods that used it (linux-power.md §10). */

#include "ask/ask.h"
#include "base/error.h"
#include "power/attribute.h"

enum attribute_mode { MODE_UNKNOWN, MODE_DYNAMIC, MODE_FULL };

static const struct jl_word mode_items[] = { { MODE_DYNAMIC, "dynamic" }, { MODE_FULL, "full" } };
static const struct jl_words mode_words = JL_WORDS(mode_items);

struct attribute_pod {
    uint64_t has;
    const char *name;
    double cpu_s;
};

enum { POD_NAME, POD_CPU };

static const struct jl_row pod_rows[] = {
    [POD_NAME] =
        JL_STRING(attribute_pod, name, "name", .flags = JL_REQUIRED, .doc = "Name of the pod."),
    [POD_CPU] = JL_NUMBER(attribute_pod, cpu_s, "cpuS", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                          .doc = "CPU time that it used in the window, s."),
};
static const struct jl_table pod_table = JL_TABLE(attribute_pod, pod_rows);

struct attribute_in {
    uint64_t has;
    double package_j;
    double idle_j;
    struct jl_list pods;
    enum attribute_mode mode;
};

enum { IN_PACKAGE, IN_IDLE, IN_PODS, IN_MODE };

static const struct jl_row in_rows[] = {
    [IN_PACKAGE] =
        JL_NUMBER(attribute_in, package_j, "packageJ", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                  .doc = "Energy of the package in the window, J."),
    [IN_IDLE] = JL_NUMBER(attribute_in, idle_j, "idleJ", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                          .doc = "Energy that it would have taken idle, J."),
    [IN_PODS] = JL_LIST(attribute_in, pods, "pods", &pod_table, .flags = JL_REQUIRED,
                        .doc = "Everything that used CPU time."),
    [IN_MODE] = JL_ENUM(attribute_in, mode, "mode", &mode_words,
                        .doc = "full divides the idle energy too; default dynamic."),
};
static const struct jl_table in_table = JL_TABLE(attribute_in, in_rows);

struct attribute_share {
    uint64_t has;
    const char *name;
    double dynamic_j;
    double idle_j;
    double total_j;
};

enum { SHARE_NAME, SHARE_DYNAMIC, SHARE_IDLE, SHARE_TOTAL };

static const struct jl_row share_rows[] = {
    [SHARE_NAME] = JL_STRING(attribute_share, name, "name", .doc = "Name of the pod."),
    [SHARE_DYNAMIC] = JL_NUMBER(attribute_share, dynamic_j, "dynamicJ",
                                .doc = "Its part of the energy above idle, J."),
    [SHARE_IDLE] = JL_NUMBER(attribute_share, idle_j, "idleJ",
                             .doc = "Its part of the idle energy, J; with full."),
    [SHARE_TOTAL] = JL_NUMBER(attribute_share, total_j, "totalJ", .doc = "Sum of the two, J."),
};
static const struct jl_table share_table = JL_TABLE(attribute_share, share_rows);

struct attribute_out {
    uint64_t has;
    struct jl_list pods;
};

enum { OUT_PODS };

static const struct jl_row out_rows[] = {
    [OUT_PODS] =
        JL_LIST(attribute_out, pods, "pods", &share_table, .doc = "The pods, in input order."),
};
static const struct jl_table out_table = JL_TABLE(attribute_out, out_rows);

static struct attribute_share share_of(const char *name, const struct jl_energy_share *energy,
                                       bool is_full)
{
    struct attribute_share share = { 0 };
    JL_PUT(&share, SHARE_NAME, name, name);
    JL_PUT(&share, SHARE_DYNAMIC, dynamic_j, energy->dynamic_j);
    if (is_full)
        JL_PUT(&share, SHARE_IDLE, idle_j, energy->idle_j);
    JL_PUT(&share, SHARE_TOTAL, total_j, energy->total_j);
    return share;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct attribute_in *in = input;
    struct attribute_out *out = output;
    const size_t count = in->pods.count;
    const struct jl_energy_window window = { in->package_j, in->idle_j, in->mode == MODE_FULL };
    double *cpu_s = JL_NEW_ARRAY(ask->arena, count, double);
    struct jl_energy_share *energy = JL_NEW_ARRAY(ask->arena, count, struct jl_energy_share);
    struct attribute_share *shares = JL_NEW_ARRAY(ask->arena, count, struct attribute_share);
    if (cpu_s == NULL || energy == NULL || shares == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++)
        cpu_s[i] = JL_ITEM(in->pods, attribute_pod, i)->cpu_s;
    if (jl_energy_attribute(&window, cpu_s, count, energy) < 0)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "pods", "the CPU times do not add up to a number");
    for (size_t i = 0; i < count; i++)
        shares[i] = share_of(JL_ITEM(in->pods, attribute_pod, i)->name, &energy[i], window.is_full);
    JL_PUT(out, OUT_PODS, pods, ((struct jl_list){ shares, count }));
    return 0;
}

const struct jl_question jl_question_energy_attribute = {
    .name = "energy.attribute",
    .summary = "a package's energy among the pods that used it",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
