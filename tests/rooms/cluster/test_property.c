/* SPDX-License-Identifier: Apache-2.0 */

/*
 * After any sequence of events, steps and outcomes the model answers as one that was just built
 * from the stored objects, in whatever order they came; and it decides what the question `plan`
 * answers.
 */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "cluster/state.h"
#include "cluster/twice.h"

#define SEEDS 80
#define ROUNDS 60

static void run_sequence(uint64_t seed)
{
    static struct world world;
    const struct jl_cluster_config config = world_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    world_start(&world, seed);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = world_pick(&world, 1, 8); i > 0; i--)
            world_event(&world, cluster);
        const struct actions actions = step_twice(&world, cluster, seed * 1000 + (uint64_t)round);
        world_settle(&world, cluster, &actions);
    }
    joulie_cluster_free(cluster);
}

static void the_answers_are_those_of_a_model_built_from_scratch(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_sequence(seed);
}

/* ---- the question ---- */

static void assert_planned(const char *answer, const struct jl_cluster_reasons *node)
{
    char expected[256];
    const char *profile = jl_word_of(&jl_profile_words, (int)node->guard.profile);
    snprintf(expected, sizeof expected, "{\"nodeName\":\"%s\",\"profile\":\"%s\",\"draining\":%s,",
             node->node_name, profile, node->guard.is_draining ? "true" : "false");
    if (strstr(answer, expected) == NULL)
        fail_msg("the model says %s, the question %s", expected, answer);
}

static void assert_same_plan(struct world *world, struct joulie_cluster *cluster,
                             const struct jl_plan_state *state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char expected[64];
    char *answer = NULL;
    char *document = world_plan_document(world, state);
    if (joulie_ask("plan", document, strlen(document), NULL, &answer, &err) != 0)
        fail_msg("%s: %s\n%s", err.where, err.message, document);
    snprintf(expected, sizeof expected, "{\"performanceNodes\":%d,",
             (int)totals(cluster).performance_nodes);
    if (strstr(answer, expected) == NULL)
        fail_msg("the model says %s, the question %.40s", expected, answer);
    for (int i = 0; i < WORLD_NODES; i++) {
        struct jl_cluster_reasons node;
        if (world->nodes[i].exists &&
            jl_cluster_reasons_of(cluster, world_names[i], &node, NULL) == 0 && node.is_managed)
            assert_planned(answer, &node);
    }
    joulie_free(answer);
    joulie_free(document);
}

static void the_model_decides_what_the_question_plan_answers(void **unused)
{
    (void)unused;
    static struct world world;
    const struct jl_cluster_config config = world_config();
    for (uint64_t seed = 101; seed <= 110; seed++) {
        struct joulie_cluster *cluster = new_cluster(&config);
        world_start(&world, seed);
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = world_pick(&world, 1, 8); i > 0; i--)
                world_event(&world, cluster);
            const struct jl_plan_state state = cluster->plan.state;
            const struct actions actions = step(cluster, world.now_ms);
            assert_same_plan(&world, cluster, &state);
            world_settle(&world, cluster, &actions);
        }
        joulie_cluster_free(cluster);
    }
}

static void nodes_that_are_gone_leave_nothing_behind(void **unused)
{
    (void)unused;
    static struct world world;
    const struct jl_cluster_config config = world_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    world_start(&world, 7);
    for (int i = 0; i < 400; i++)
        world_event(&world, cluster);
    settle(cluster, world.now_ms);
    world_end(&world, cluster);
    settle(cluster, world.now_ms);
    world_end_twins(&world, cluster);
    assert_true(is_empty_model(cluster));
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answers_are_those_of_a_model_built_from_scratch),
        cmocka_unit_test(the_model_decides_what_the_question_plan_answers),
        cmocka_unit_test(nodes_that_are_gone_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
