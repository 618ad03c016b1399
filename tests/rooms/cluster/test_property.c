/* SPDX-License-Identifier: Apache-2.0 */

/*
 * After any sequence of events, steps and outcomes the model answers as one that was just built
 * from the stored objects, in whatever order they came; and it decides what the question `plan`
 * answers.
 */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "cluster/state.h"
#include "cluster/twice.h"
#include "schema/encode.h"

#define SEEDS 80
#define ROUNDS 60

static int seen_limits[JL_LIMIT_DWELL + 1]; /* by reason */

static void run_sequence(enum jl_policy_type policy, uint64_t seed)
{
    static struct world world;
    const struct jl_cluster_config config = world_config(policy);
    struct joulie_cluster *cluster = new_cluster(&config);
    world_start(&world, policy, seed);
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
        run_sequence(JL_POLICY_QUEUE, seed);
}

static void the_same_holds_where_caps_follow_work(void **state)
{
    (void)state;
    for (uint64_t seed = 1001; seed <= 1000 + SEEDS; seed++)
        run_sequence(JL_POLICY_EFFICIENCY, seed);
}

/* What was stored when an action was offered; it has to be the same until the next step. */
static void print_old(struct jl_buffer *out, const struct actions *actions)
{
    jl_put_char(out, '[');
    for (size_t i = 0; i < actions->count; i++) {
        if (actions->items[i].old_status != NULL)
            jl_encode(out, &jl_twin_status_table, actions->items[i].old_status);
    }
}

static void settle_beat(struct world *world, struct joulie_cluster *cluster,
                        const struct actions *actions)
{
    struct jl_buffer before = { 0 };
    struct jl_buffer after = { 0 };
    print_old(&before, actions);
    world_settle(world, cluster, actions);
    print_old(&after, actions);
    assert_string_equal(after.data, before.data);
    jl_buffer_clear(&before);
    jl_buffer_clear(&after);
}

/* Beats of a minute, sometimes of seconds or after a pause, over nodes that mostly go on as they
 * are: what they ride past has to count as if they had taken it. */
static void run_beats(enum jl_policy_type policy, uint64_t seed, size_t *riders)
{
    static struct world world;
    static const int64_t pauses_s[] = { 1, 5, 299, 301, 400, 7200, -30, -900 };
    const struct jl_cluster_config config = world_config(policy);
    struct joulie_cluster *cluster = new_cluster(&config);
    world_start(&world, policy, seed);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const bool is_regular = world_pick(&world, 0, 7) > 0;
        world.now_ms += 1000 * (is_regular ? 60 : pauses_s[world_pick(&world, 0, 7)]);
        if (world_pick(&world, 0, 15) > 0)
            world_read_all(&world, cluster);
        if (round < 10 || world_pick(&world, 0, 3) == 0)
            world_event(&world, cluster);
        const struct actions actions = step_twice(&world, cluster, seed * 1000 + (uint64_t)round);
        for (size_t i = 0; i < cluster->order.known_count; i++)
            *riders += cluster->order.known[i]->is_riding;
        settle_beat(&world, cluster, &actions);
    }
    joulie_cluster_free(cluster);
}

static void nodes_that_repeat_their_reading_answer_as_if_they_took_it(void **state)
{
    size_t riders = 0;
    (void)state;
    for (uint64_t seed = 2001; seed <= 2000 + SEEDS; seed++)
        run_beats(seed % 2 == 0 ? JL_POLICY_QUEUE : JL_POLICY_EFFICIENCY, seed, &riders);
    assert_in_range(riders, 20 * SEEDS, UINT64_MAX);
}

/* ---- the question ---- */

/* What the question says of how the node's GPU cap comes about, and of the cap itself. */
static void assert_same_limit(const char *planned, const struct jl_gpu_limit *limit)
{
    struct jl_buffer expected = { 0 };
    struct jl_limit_report report;
    const char *end = strstr(planned + 1, "{\"nodeName\":");
    const char *found = strstr(planned, "\"capPctOfMax\":");
    if (limit->reason == JL_LIMIT_NO_REASON) {
        found = strstr(planned, "\"gpuLimit\":");
        assert_true(found == NULL || (end != NULL && found > end));
        return;
    }
    jl_limit_report_of(limit, &report);
    jl_put_string(&expected, "\"capPctOfMax\":");
    jl_put_double(&expected, limit->pct);
    jl_put_string(&expected, "}},\"gpuLimit\":");
    jl_encode(&expected, &jl_limit_report_table, &report);
    if (found == NULL || strncmp(found, expected.data, expected.len) != 0)
        fail_msg("the model says %s, the question %.300s", expected.data, planned);
    seen_limits[limit->reason]++;
    jl_buffer_clear(&expected);
}

static void assert_planned(const char *answer, const struct jl_cluster_reasons *node)
{
    char expected[256];
    const char *profile = jl_word_of(&jl_profile_words, (int)node->guard.profile);
    snprintf(expected, sizeof expected, "{\"nodeName\":\"%s\",\"profile\":\"%s\",\"draining\":%s,",
             node->node_name, profile, node->guard.is_draining ? "true" : "false");
    const char *planned = strstr(answer, expected);
    if (planned == NULL)
        fail_msg("the model says %s, the question %s", expected, answer);
    assert_same_limit(planned, &node->limit);
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

static void compare_plans(enum jl_policy_type policy, uint64_t first_seed, uint64_t seeds)
{
    static struct world world;
    const struct jl_cluster_config config = world_config(policy);
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        struct joulie_cluster *cluster = new_cluster(&config);
        world_start(&world, policy, seed);
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

static void the_model_decides_what_the_question_plan_answers(void **unused)
{
    (void)unused;
    compare_plans(JL_POLICY_QUEUE, 101, 10);
}

/* Every reason for a cap comes up on the way. */
static void the_model_caps_gpus_as_the_question_plan_does(void **unused)
{
    (void)unused;
    memset(seen_limits, 0, sizeof seen_limits);
    compare_plans(JL_POLICY_EFFICIENCY, 1101, 50);
    for (enum jl_limit_reason reason = JL_LIMIT_IDLE; reason <= JL_LIMIT_DWELL; reason++) {
        if (seen_limits[reason] < 5)
            fail_msg("%s: %d times", jl_limit_text(reason), seen_limits[reason]);
    }
}

static void nodes_that_are_gone_leave_nothing_behind(void **unused)
{
    (void)unused;
    static struct world world;
    const struct jl_cluster_config config = world_config(JL_POLICY_QUEUE);
    struct joulie_cluster *cluster = new_cluster(&config);
    world_start(&world, JL_POLICY_QUEUE, 7);
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
        cmocka_unit_test(the_same_holds_where_caps_follow_work),
        cmocka_unit_test(nodes_that_repeat_their_reading_answer_as_if_they_took_it),
        cmocka_unit_test(the_model_decides_what_the_question_plan_answers),
        cmocka_unit_test(the_model_caps_gpus_as_the_question_plan_does),
        cmocka_unit_test(nodes_that_are_gone_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
