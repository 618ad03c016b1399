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
#include "cluster/world.h"
#include "schema/encode.h"

#define SEEDS 40
#define ROUNDS 60

static struct jl_cluster_config world_config(void)
{
    struct jl_cluster_config config = queue_config();
    JL_PUT(&config.policy, JL_POLICY_NODE_SELECTOR, node_selector, "joulie.io/managed=true");
    config.rack_capacity_w = 2000;
    config.cluster_capacity_w = 10000;
    return config;
}

static void put_part(struct jl_buffer *out, const char *name, const struct jl_table *table,
                     const void *object)
{
    jl_put_string(out, name);
    if (object != NULL)
        jl_encode(out, table, object);
}

/* Everything about an action but its number. */
static void print_action(struct jl_buffer *out, const struct jl_cluster_action *action)
{
    jl_put_i64(out, (int64_t)action->kind);
    jl_put_char(out, ' ');
    jl_put_string(out, action->node_name);
    jl_put_char(out, ' ');
    jl_put_string(out, action->object_name != NULL ? action->object_name : "-");
    jl_put_char(out, ' ');
    jl_put_string(out, action->label != NULL ? action->label : "-");
    jl_put_char(out, ' ');
    jl_put_string(out, action->profile_since != NULL ? action->profile_since : "-");
    put_part(out, "\n  spec ", &jl_twin_spec_table, action->spec);
    put_part(out, "\n  old spec ", &jl_twin_spec_table, action->old_spec);
    put_part(out, "\n  status ", &jl_twin_status_table, action->status);
    put_part(out, "\n  old status ", &jl_twin_status_table, action->old_status);
    jl_put_string(out, "\n  ");
    jl_put_string(out, action->reason);
    jl_put_char(out, '\n');
}

static void print_actions(struct jl_buffer *out, const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++)
        print_action(out, &actions->items[i]);
}

static void print_scores(struct jl_buffer *out, struct jl_cluster *cluster, int64_t now_ms)
{
    struct jl_pair annotation = { "joulie.io/workload-class", "performance" };
    struct jl_pod pods[2] = { 0 };
    pods[1].meta.annotations = (struct jl_map){ &annotation, 1 };
    for (int i = 0; i < 2; i++) {
        const struct jl_cluster_score *scores = NULL;
        size_t count = 0;
        assert_int_equal(jl_cluster_score_pod(cluster, &pods[i], now_ms, &scores, &count, NULL), 0);
        for (size_t s = 0; s < count; s++) {
            jl_put_string(out, scores[s].node_name);
            jl_put_char(out, ' ');
            jl_put_i64(out, scores[s].score);
            jl_put_char(out, scores[s].is_known ? 'k' : 'u');
            jl_put_string(out, scores[s].rejected != NULL ? scores[s].rejected : "");
            jl_put_char(out, '\n');
        }
    }
}

static size_t line_length(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL ? (size_t)(end - text) : strlen(text);
}

/* Fails with the first line that differs. */
static void assert_same_text(const struct jl_buffer *a, const struct jl_buffer *b, uint64_t seed,
                             int round)
{
    const char *left = a->data != NULL ? a->data : "";
    const char *right = b->data != NULL ? b->data : "";
    const char *left_line = left;
    const char *right_line = right;
    for (; *left != '\0' && *left == *right; left++, right++) {
        if (*left == '\n') {
            left_line = left + 1;
            right_line = right + 1;
        }
    }
    if (*left != *right) {
        print_message("seed %d, round %d:\n", (int)seed, round);
        print_message("%.*s\nfrom scratch:\n", (int)line_length(left_line), left_line);
        print_message("%.*s\n", (int)line_length(right_line), right_line);
        print_message("ALL %s\n----\n%s", a->data, b->data);
        fail();
    }
}

/* What a model that was built just now would answer. */
static void answer_from_scratch(const struct world *world, const struct jl_plan_state *state,
                                uint64_t order_seed, struct jl_buffer *out)
{
    const struct jl_cluster_config config = world_config();
    struct jl_cluster *cluster = new_cluster(&config);
    world_tell(world, cluster, order_seed);
    jl_cluster_set_state(cluster, state);
    const struct actions actions = step(cluster, world->now_ms);
    print_actions(out, &actions);
    print_scores(out, cluster, world->now_ms);
    jl_cluster_free(cluster);
}

static void settle_outcomes(struct world *world, struct jl_cluster *cluster,
                            const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++) {
        const struct jl_cluster_action *action = &actions->items[i];
        const bool is_applied = jl_random_int(&world->random, 0, 4) > 0;
        const bool is_orphan = action->kind == JL_ACTION_WRITE_STATUS && action->old_status == NULL;
        /* the status of a twin whose creation failed cannot be written either */
        const enum jl_action_outcome outcome =
            is_applied && !is_orphan ? JL_ACTION_APPLIED : JL_ACTION_FAILED;
        if (outcome == JL_ACTION_APPLIED)
            world_applied(world, action);
        assert_int_equal(jl_cluster_done(cluster, action->id, outcome, NULL), 0);
    }
}

static void run_sequence(uint64_t seed)
{
    static struct world world;
    const struct jl_cluster_config config = world_config();
    struct jl_cluster *cluster = new_cluster(&config);
    world_start(&world, seed);
    for (int round = 0; round < ROUNDS; round++) {
        struct jl_buffer incremental = { 0 };
        struct jl_buffer scratch = { 0 };
        struct jl_plan_state state;
        for (int64_t i = jl_random_int(&world.random, 1, 8); i > 0; i--)
            world_event(&world, cluster);
        jl_cluster_get_state(cluster, &state);
        const struct actions actions = step(cluster, world.now_ms);
        print_actions(&incremental, &actions);
        print_scores(&incremental, cluster, world.now_ms);
        answer_from_scratch(&world, &state, seed * 1000 + (uint64_t)round, &scratch);
        assert_same_text(&incremental, &scratch, seed, round);
        settle_outcomes(&world, cluster, &actions);
        jl_buffer_clear(&incremental);
        jl_buffer_clear(&scratch);
    }
    jl_cluster_free(cluster);
}

static void the_answers_are_those_of_a_model_built_from_scratch(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_sequence(seed);
}

/* ---- the question ---- */

static void assert_planned(const char *answer, const struct jl_cluster_explanation *node)
{
    char expected[256];
    const char *profile = jl_word_of(&jl_profile_words, (int)node->guard.profile);
    snprintf(expected, sizeof expected, "{\"nodeName\":\"%s\",\"profile\":\"%s\",\"draining\":%s,",
             node->node_name, profile, node->guard.is_draining ? "true" : "false");
    if (strstr(answer, expected) == NULL)
        fail_msg("the model says %s, the question %s", expected, answer);
}

static void assert_same_plan(struct world *world, struct jl_cluster *cluster,
                             const struct jl_plan_state *state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_cluster_demand demand;
    char expected[64];
    char *answer = NULL;
    char *document = world_plan_document(world, state);
    if (joulie_ask("plan", document, strlen(document), NULL, &answer, &err) != 0)
        fail_msg("%s: %s\n%s", err.where, err.message, document);
    jl_cluster_get_demand(cluster, &demand);
    snprintf(expected, sizeof expected, "{\"performanceNodes\":%d,", (int)demand.hp);
    if (strstr(answer, expected) == NULL)
        fail_msg("the model says %s, the question %.40s", expected, answer);
    for (int i = 0; i < WORLD_NODES; i++) {
        static const char *const names[] = { "a", "a-b", "a.b", "c", "d", "e", "f", "g" };
        struct jl_cluster_explanation node;
        if (world->nodes[i].exists && jl_cluster_explain(cluster, names[i], &node, NULL) == 0 &&
            node.is_managed)
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
        struct jl_cluster *cluster = new_cluster(&config);
        world_start(&world, seed);
        for (int round = 0; round < ROUNDS; round++) {
            struct jl_plan_state state;
            for (int64_t i = jl_random_int(&world.random, 1, 8); i > 0; i--)
                world_event(&world, cluster);
            jl_cluster_get_state(cluster, &state);
            const struct actions actions = step(cluster, world.now_ms);
            assert_same_plan(&world, cluster, &state);
            settle_outcomes(&world, cluster, &actions);
        }
        jl_cluster_free(cluster);
    }
}

static void nodes_that_are_gone_leave_nothing_behind(void **unused)
{
    (void)unused;
    static struct world world;
    const struct jl_cluster_config config = world_config();
    struct jl_cluster *cluster = new_cluster(&config);
    world_start(&world, 7);
    for (int i = 0; i < 400; i++)
        world_event(&world, cluster);
    settle(cluster, world.now_ms);
    for (int i = 0; i < WORLD_NODES; i++) {
        static const char *const names[] = { "a", "a-b", "a.b", "c", "d", "e", "f", "g" };
        char hardware[16];
        snprintf(hardware, sizeof hardware, "hw-%d", i);
        take_away(cluster, "Node", names[i]);
        take_away(cluster, "NodeHardware", hardware);
    }
    for (int i = 0; i < WORLD_PODS; i++) {
        char name[16];
        snprintf(name, sizeof name, "pod-%d", i);
        take_away(cluster, "Pod", name);
    }
    for (int i = 0; i < WORLD_PROFILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "w-%d", i);
        take_away(cluster, "WorkloadProfile", name);
    }
    settle(cluster, world.now_ms);
    assert_true(jl_cluster_is_empty(cluster));
    jl_cluster_free(cluster);
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
