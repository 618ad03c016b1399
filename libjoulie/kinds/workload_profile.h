/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* WorkloadProfile (joulie-control.md §2.5): what the classifier found out about a workload. */

#include "kinds/meta.h"
#include "kinds/node_twin.h"

enum jl_criticality { JL_CRITICALITY_UNKNOWN, JL_CRITICALITY_PERFORMANCE, JL_CRITICALITY_STANDARD };

extern const struct jl_words jl_criticality_words;
extern const struct jl_words jl_cpu_bound_words; /* compute memory io mixed */
extern const struct jl_words jl_gpu_bound_words; /* compute memory mixed none */

struct jl_profile_criticality {
    uint64_t has;
    enum jl_criticality class_;
};

enum { JL_CRITICALITY_CLASS };

struct jl_profile_migratability {
    uint64_t has;
    bool reschedulable;
};

enum { JL_MIGRATABILITY_RESCHEDULABLE };

struct jl_profile_part { /* status.cpu, status.gpu */
    uint64_t has;
    enum joulie_level intensity;
    enum joulie_bound bound;
    double avg_utilization_pct;
    enum joulie_level cap_sensitivity;
};

enum { JL_PART_INTENSITY, JL_PART_BOUND, JL_PART_UTILIZATION, JL_PART_SENSITIVITY };

struct jl_profile_spec {
    uint64_t has;
    const char *node_name;
    struct jl_workload_ref workload_ref;
};

enum { JL_PROFILE_SPEC_NODE_NAME, JL_PROFILE_SPEC_REF };

struct jl_profile_status {
    uint64_t has;
    struct jl_profile_criticality criticality;
    struct jl_profile_migratability migratability;
    struct jl_profile_part cpu;
    struct jl_profile_part gpu;
    bool reschedule_recommended;
    const char *reschedule_reason;
    const char *classification_reason;
    double confidence;
    const char *last_updated;
};

enum {
    JL_PROFILE_STATUS_CRITICALITY,
    JL_PROFILE_STATUS_MIGRATABILITY,
    JL_PROFILE_STATUS_CPU,
    JL_PROFILE_STATUS_GPU,
    JL_PROFILE_STATUS_RESCHEDULE_RECOMMENDED,
    JL_PROFILE_STATUS_RESCHEDULE_REASON,
    JL_PROFILE_STATUS_REASON,
    JL_PROFILE_STATUS_CONFIDENCE,
    JL_PROFILE_STATUS_LAST_UPDATED,
};

struct jl_workload_profile { /* bits: JL_ROOT_* */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_profile_spec spec;
    struct jl_profile_status status;
};

extern const struct jl_table jl_profile_migratability_table;
extern const struct jl_table jl_profile_cpu_table;
extern const struct jl_table jl_profile_gpu_table;
extern const struct jl_table jl_profile_status_table;
extern const struct jl_table jl_workload_profile_table;
