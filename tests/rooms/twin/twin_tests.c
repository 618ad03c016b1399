/* SPDX-License-Identifier: Apache-2.0 */
#include "twin/twin_tests.h"

void twinning_begin(struct twinning *t, enum joulie_twin_rules rules)
{
    *t = (struct twinning){ 0 };
    t->err = JOULIE_INIT(struct joulie_error);
    t->readings = JOULIE_INIT(struct joulie_twin_input);
    t->readings.rules = rules;

    JL_SET(&t->facts.cpu, sockets, 2);
    JL_SET(&t->facts.cpu, total_cores, 64);
    JL_SET(&t->facts.cpu.cap_range, max_w, 350);
    t->facts.cpu.given.cap_range = true;
    t->facts.given.cpu = true;

    JL_SET(&t->spec, node_name, "n1");
    JL_SET(&t->spec, profile, JOULIE_PROFILE_ECO);
    JL_SET(&t->spec.cpu, cap_pct, 60);
    t->spec.given.cpu = true;

    t->in = (struct jl_twin_case){
        .readings = &t->readings,
        .hardware = &t->hardware,
        .spec = &t->spec,
        .control = &t->control,
        .previous = &t->previous,
        .has_profiles = true,
        .profiles = t->profile_list,
    };
}

void twinning_end(struct twinning *t)
{
    jl_arena_clear(&t->arena);
}

void measure(struct twinning *t, double power_w)
{
    t->readings.has |= JOULIE_TWIN_HAS_NODE_POWER;
    t->readings.measured_node_power_w = power_w;
}

void add_gpus(struct twinning *t, int64_t count, double max_w, bool is_slicing_supported)
{
    JL_SET(&t->facts.gpu, present, true);
    JL_SET(&t->facts.gpu, count, count);
    JL_SET(&t->facts.gpu.cap_range, max_w, max_w);
    t->facts.gpu.given.cap_range = true;
    JL_SET(&t->facts.gpu.slicing, supported, is_slicing_supported);
    t->facts.gpu.given.slicing = true;
    t->facts.given.gpu = true;
}

void report_cpu(struct twinning *t, const char *result)
{
    JL_SET(&t->control.cpu, result, result);
    t->control.given.cpu = true;
}

struct jl_workload_profile *add_profile(struct twinning *t, const char *name_space,
                                        const char *name, enum jl_criticality criticality,
                                        bool reschedulable)
{
    assert_true(t->in.profile_count < TWINNING_PROFILES);
    struct jl_workload_profile *profile = &t->profiles[t->in.profile_count];
    t->profile_list[t->in.profile_count++] = profile;
    JL_SET(&profile->meta, name_space, name_space);
    JL_SET(&profile->spec.workload_ref, kind, "Deployment");
    JL_SET(&profile->spec.workload_ref, name, name);
    profile->spec.given.workload_ref = true;
    if (criticality != JL_CRITICALITY_UNKNOWN)
        JL_SET(&profile->status.criticality, class_, criticality);
    JL_SET(&profile->status.migratability, reschedulable, reschedulable);
    return profile;
}

int compose(struct twinning *t)
{
    jl_hardware_resolve(&t->facts, NULL, jl_twin_hardware_rules(t->readings.rules), &t->hardware);
    return jl_twin_compose(&t->in, &t->arena, &t->status, &t->provenance, &t->err);
}

void composed(struct twinning *t)
{
    if (compose(t) != 0)
        fail_msg("%s: %s", t->err.where, t->err.message);
}
