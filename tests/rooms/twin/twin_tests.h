/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A node and its objects, for tests of what is composed from them. */

#include "support/test.h"
#include "twin/twin.h"

#define TWINNING_PROFILES 6

struct twinning {
    struct jl_arena arena;
    struct joulie_twin_input readings;
    struct jl_hardware_status facts;
    struct jl_twin_spec spec;
    struct jl_control_status control;
    struct jl_effective_caps previous;
    struct jl_workload_profile profiles[TWINNING_PROFILES];
    const struct jl_workload_profile *profile_list[TWINNING_PROFILES];
    struct jl_twin_case in; /* points to the members above */

    struct jl_hardware hardware;
    struct jl_twin_status status;
    struct jl_twin_provenance provenance;
    struct joulie_error err;
};

/* 64 cores, 2 x 350 W, no GPU, node n1, profile eco, CPU at 60 %. */
void twinning_begin(struct twinning *t, enum joulie_twin_rules rules);
void twinning_end(struct twinning *t);

void measure(struct twinning *t, double power_w);
void add_gpus(struct twinning *t, int64_t count, double max_w, bool is_slicing_supported);
void report_cpu(struct twinning *t, const char *result);
struct jl_workload_profile *add_profile(struct twinning *t, const char *name_space,
                                        const char *name, enum jl_criticality criticality,
                                        bool reschedulable);

/* Resolves the hardware and composes; the code is returned, the result is in status and provenance.
 */
int compose(struct twinning *t);
void composed(struct twinning *t); /* the same, and it must succeed */
