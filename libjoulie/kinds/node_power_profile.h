/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodePowerProfile (docs/rules/objects.md#legacy-kinds): the desired state of v0.0.x, read only. */

#include "kinds/node_twin.h"

extern const struct jl_kind jl_node_power_profile_kind;

#ifdef JL_NODE_POWER_PROFILE_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_power_profile_policy
#define MEMBERS STRING(name, "name", "Name of the policy that chose the profile.")
#include "schema/shared_record.h"

#define RECORD jl_power_profile_spec
#define MEMBERS                                                                              \
    STRING(node_name, "nodeName",                                                            \
           "Name of the node; readers match on this, never on the object name.", REQUIRED)   \
    ENUM(profile, "profile", joulie_profile, jl_profile_words, "Desired state of the node.", \
         REQUIRED)                                                                           \
    OBJECT(cpu, "cpu", jl_cpu_intent, "Intended caps of the CPU packages.")                  \
    OBJECT(gpu, "gpu", jl_gpu_intent, "Intended caps of the GPUs.")                          \
    OBJECT(policy, "policy", jl_power_profile_policy, "Where the desired state came from.")
#include "schema/shared_record.h"

/* root bits: JL_ROOT_*; there is no status */
#define RECORD jl_node_power_profile
#define MEMBERS       \
    JL_ROOT_MEMBERS() \
    OBJECT(spec, "spec", jl_power_profile_spec, "Desired state of the node.")
#define ABOUT                            \
    .kind = &jl_node_power_profile_kind, \
    .doc = "Desired power state of one node before NodeTwin replaced it."
#include "schema/shared_record.h"

#undef RECORD_TABLES
