/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

#include "schema/decode.h"

/* The caller frees it. */
static char *quoted(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *p = copy; *p; p++) {
        if (*p == '\'')
            *p = '"';
    }
    return copy;
}

static void must(int rc, const struct joulie_error *err)
{
    if (rc < 0)
        fail_msg("%d at '%s': %s", rc, err->where, err->message);
}

static void read_policy(const char *text, struct jl_arena *arena, struct jl_policy_config *out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    *out = (struct jl_policy_config){ .has = 0 };
    if (text) {
        char *json = quoted(text);
        const size_t len = strlen(json);
        struct jl_decode decode = { .arena = arena, .text = json, .len = len, .err = &err };
        must(jl_decode_document(&decode, &jl_policy_config_table, out), &err);
        free(json); /* texts are copied to the arena */
    }
    jl_policy_defaults(out, JL_POLICY_CURRENT);
}

void world_open(struct world *world, const struct world_options *options)
{
    static const char *const words[] = {
        [WORLD_JOULIE] = "joulie",
        [WORLD_LEAST_ALLOCATED] = "least-allocated",
        [WORLD_KUBE] = "kube",
        [WORLD_MOST_ALLOCATED] = "most-allocated",
        [WORLD_EFFICIENCY] = "efficiency",
        [WORLD_COST] = "efficiency-cost",
    };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_arena arena = { 0 };
    struct jl_policy_config policy;
    char *trace = quoted(options->trace);
    struct jl_sim_settings settings = {
        .physics = options->physics,
        .limit_s = options->hours > 0 ? options->hours * 3600 : JL_NEVER,
    };
    struct jl_scoring_profile scoring = { 0 };
    assert_true(jl_sim_ranking_of(words[options->placement], &settings.ranking));
    if (options->power_off) {
        settings.switches_off = true;
        settings.power_off = *options->power_off;
        jl_power_off_defaults(&settings.power_off);
    }
    struct jl_sim_settings plain = settings;
    if (settings.ranking.extender != JOULIE_PLACE_RULES_UNKNOWN)
        JL_SET(&scoring, rules, settings.ranking.extender);
    assert_true(jl_sim_ranking_of(
        words[options->baseline ? options->baseline : WORLD_LEAST_ALLOCATED], &plain.ranking));
    memset(world, 0, sizeof *world);
    read_policy(options->policy, &arena, &policy);
    must(jl_inventory_read(options->inventory, strlen(options->inventory), 0, options->physics,
                           &world->inventory, &err),
         &err);
    must(jl_trace_read(trace, strlen(trace), false, &world->trace, &err), &err);
    must(jl_sim_workload_init(&world->trace, &world->inventory, &world->workload), &err);
    must(jl_sim_run_init(&world->controlled, &world->inventory, &world->workload, &settings, &err),
         &err);
    must(jl_sim_control_new(&world->controlled.fleet, &world->controlled.decisions, &policy,
                            &scoring, &world->controlled.controller, &err),
         &err);
    must(jl_sim_run_init(&world->uncontrolled, &world->inventory, &world->workload, &plain, &err),
         &err);
    jl_arena_clear(&arena);
    free(trace);
}

void world_run(struct world *world, double until_s)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    must(jl_sim_run_until(&world->controlled, until_s, &err), &err);
    must(jl_sim_run_until(&world->uncontrolled, until_s, &err), &err);
}

void world_finish(struct world *world)
{
    world_run(world, JL_NEVER);
    assert_true(world->controlled.is_finished);
    assert_true(world->uncontrolled.is_finished);
}

void world_close(struct world *world)
{
    jl_sim_run_clear(&world->controlled);
    jl_sim_run_clear(&world->uncontrolled);
    jl_sim_workload_clear(&world->workload);
    jl_trace_clear(&world->trace);
    jl_inventory_clear(&world->inventory);
}

const struct jl_sim_job *world_job(const struct world *world, const struct jl_sim_fleet *fleet,
                                   const char *id)
{
    for (size_t i = 0; i < world->workload.count; i++) {
        if (strcmp(world->workload.tasks[i].job->job_id, id) == 0)
            return &fleet->jobs[i];
    }
    fail_msg("there is no job %s", id);
    return NULL;
}

const char *world_node_of(const struct jl_sim_fleet *fleet, const struct jl_sim_job *job)
{
    assert_true(job->has_started);
    return fleet->nodes[job->node].machine->name;
}

struct jl_sim_pair world_pair(const struct world *world)
{
    return (struct jl_sim_pair){
        .controlled = &world->controlled.fleet,
        .uncontrolled = &world->uncontrolled.fleet,
        .controlled_hours = &world->controlled.hours,
        .uncontrolled_hours = &world->uncontrolled.hours,
        .decisions = &world->controlled.decisions,
        .seed = 1,
    };
}
