/* SPDX-License-Identifier: Apache-2.0 */

/* The words of joulie/words.h, from the tables that everything else reads. */

#include <joulie/twin.h>
#include <joulie/words.h>

#include "kinds/node_twin.h"
#include "kinds/tensor_fusion.h"
#include "kinds/workload_profile.h"
#include "place/place.h"
#include "policy/policy.h"
#include "policy/power_off.h"
#include "twin/twin.h"

/* What is "io" on a CPU and "none" on a GPU are words of one enum. */
static const struct jl_words *const tables[][2] = {
    [JOULIE_VOCABULARY_PROFILE] = { &jl_profile_words },
    [JOULIE_VOCABULARY_NODE_CLASS] = { &jl_node_class_words },
    [JOULIE_VOCABULARY_WORKLOAD_CLASS] = { &jl_pod_class_words },
    [JOULIE_VOCABULARY_LEVEL] = { &jl_level_none_words },
    [JOULIE_VOCABULARY_BOUND] = { &jl_cpu_bound_words, &jl_gpu_bound_words },
    [JOULIE_VOCABULARY_GPU_VENDOR] = { &jl_gpu_vendor_words },
    [JOULIE_VOCABULARY_POWER_SOURCE] = { &jl_power_source_words },
    [JOULIE_VOCABULARY_CONTROL_RESULT] = { &jl_control_result_words },
    [JOULIE_VOCABULARY_SLICING] = { &jl_slicing_mode_words },
    [JOULIE_VOCABULARY_NODE_STATE] = { &jl_node_state_words },
    [JOULIE_VOCABULARY_FAIL_POLICY] = { &jl_fail_policy_words },
    [JOULIE_VOCABULARY_COOLING] = { &jl_cooling_words },
    [JOULIE_VOCABULARY_CAP_STATE] = { &jl_cap_state_words },
    [JOULIE_VOCABULARY_POWER_TIER] = { &jl_power_tier_words },
    [JOULIE_VOCABULARY_TENSOR_FUSION_QOS] = { &jl_fusion_qos_words },
    [JOULIE_VOCABULARY_TENSOR_FUSION_ISOLATION] = { &jl_fusion_isolation_words },
    [JOULIE_VOCABULARY_TENSOR_FUSION_TARGET] = { &jl_fusion_target_words },
    [JOULIE_VOCABULARY_POLICY] = { &jl_policy_words },
    [JOULIE_VOCABULARY_POWER_STATE] = { &jl_power_state_words },
    [JOULIE_VOCABULARY_POWER_ACTION] = { &jl_power_action_words },
};

static bool is_known(enum joulie_vocabulary vocabulary)
{
    return vocabulary > JOULIE_VOCABULARY_UNKNOWN && (size_t)vocabulary < JL_COUNT(tables);
}

const char *joulie_word(enum joulie_vocabulary vocabulary, int value)
{
    const char *word = NULL;
    for (size_t i = 0; is_known(vocabulary) && i < 2 && !word && tables[vocabulary][i]; i++)
        word = jl_word_of(tables[vocabulary][i], value);
    return word;
}

int joulie_word_value(enum joulie_vocabulary vocabulary, const char *word)
{
    int value = 0;
    for (size_t i = 0; is_known(vocabulary) && i < 2 && value == 0 && tables[vocabulary][i]; i++)
        value = word ? jl_word_value(tables[vocabulary][i], jl_text(word)) : 0;
    return value;
}
