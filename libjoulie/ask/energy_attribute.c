/* SPDX-License-Identifier: Apache-2.0 */

/*
 * energy.attribute: a package's energy among the pods that used it
 * (docs/rules/energy.md#attribution).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "power/attribute.h"

enum attribute_mode { MODE_UNKNOWN, MODE_DYNAMIC, MODE_FULL };

static const struct jl_word mode_items[] = { { MODE_DYNAMIC, "dynamic" }, { MODE_FULL, "full" } };
static const struct jl_words mode_words = JL_WORDS(mode_items);

#define RECORD attribute_pod
#define MEMBERS                                        \
    STRING(name, "name", "Name of the pod.", REQUIRED) \
    NUMBER(cpu_s, "cpuS", "CPU time that it used in the window, s.", REQUIRED, NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD attribute_in
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

#define RECORD attribute_out
#define MEMBERS LIST(pods, "pods", attribute_share, "The pods, in input order.")
#include "schema/record.h"

static struct attribute_share share_of(const char *name, const struct jl_energy_share *energy,
                                       bool is_full)
{
    struct attribute_share share = { 0 };
    JL_SET(&share, name, name);
    JL_SET(&share, dynamic_j, energy->dynamic_j);
    if (is_full)
        JL_SET(&share, idle_j, energy->idle_j);
    JL_SET(&share, total_j, energy->total_j);
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
    JL_SET(out, pods, ((struct jl_list){ shares, count }));
    return 0;
}

const struct jl_question jl_question_energy_attribute = {
    .name = "energy.attribute",
    .summary = "a package's energy among the pods that used it",
    .in = &attribute_in_table,
    .out = &attribute_out_table,
    .answer = answer,
};
