/* SPDX-License-Identifier: Apache-2.0 */

/* Cron rules and external replies in the engine (docs/rules/autoscaling.md#merge). */

#include <string.h>

#include "autoscale/engine.h"
#include "base/buffer.h"
#include "support/test.h"

#define START_NS (INT64_C(1773403200) * JL_NS_PER_S) /* 2026-03-13T12:00:00Z */

struct play {
    struct jl_autoscale_config config;
    struct jl_scale_worker worker;
    struct jl_scale_step step;
};

/* One worker of an hour, no layer. */
static void begin(struct play *play)
{
    memset(play, 0, sizeof *play);
    jl_autoscale_config_init(&play->config, JL_AUTOSCALE_CURRENT);
    play->config.original = (struct jl_amounts){ .of = { { 10, 20 }, { 4e9, 8e9 } } };
    play->worker = (struct jl_scale_worker){
        .name = "w-0",
        .created_ns = START_NS - INT64_C(3600) * JL_NS_PER_S,
        .has_created = true,
    };
    play->step = (struct jl_scale_step){
        .now_ns = START_NS,
        .current = play->config.original,
        .workers = &play->worker,
        .worker_count = 1,
        .has_workers = true,
    };
}

static void step(struct jl_scale_engine *scaler, struct play *play, struct jl_arena *arena,
                 struct jl_scale_result *out)
{
    assert_int_equal(jl_scale_engine_step(scaler, &play->config, &play->step, arena, out, NULL), 0);
}

/* A day's rule; the config points to it. */
static void take_rule(struct play *play, struct jl_cron_rule *rule)
{
    rule->where_start = "s";
    rule->where_end = "e";
    assert_int_equal(jl_cron_parse("0 9 * * *", 9, &rule->start, NULL), 0);
    assert_int_equal(jl_cron_parse("0 18 * * *", 10, &rule->end, NULL), 0);
    play->config.rules = rule;
    play->config.rule_count = 1;
}

static void a_cron_rule_lowers_nothing_that_a_layer_owns(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    struct jl_cron_rule rule = { .desired = { .of = { { 5, 10 }, { 2e9, 4e9 } } } };
    begin(&play);
    play.config.limits.is_on = true;
    play.config.limits.targets = JL_TARGETS(JL_USAGE_VRAM);
    take_rule(&play, &rule);
    for (size_t i = 0; i < 5; i++) { /* the layer is due at every second one, without samples */
        step(scaler, &play, &arena, &result);
        assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 5, 0);
        assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 10, 0);
        assert_near(result.amounts.of[JL_USAGE_VRAM].request, 2e9, 0);
        assert_near(result.amounts.of[JL_USAGE_VRAM].limit, 8e9, 0);
        play.step.current = result.amounts;
        play.step.now_ns += 5 * JL_NS_PER_S;
    }
    play.config.limits.is_on = false;
    play.config.requests.is_on = true; /* limits follow its requests */
    play.config.requests.targets = JL_TARGETS(JL_USAGE_VRAM);
    play.step.current = (struct jl_amounts){ .of = { { 10, 20 }, { 4e9, 8e9 } } };
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 10, 0);
    assert_near(result.amounts.of[JL_USAGE_VRAM].request, 4e9, 0);
    assert_near(result.amounts.of[JL_USAGE_VRAM].limit, 8e9, 0);
    rule.desired.of[JL_USAGE_VRAM] = (struct jl_amount_pair){ 6e9, 9e9 };
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_VRAM].request, 6e9, 0);
    assert_near(result.amounts.of[JL_USAGE_VRAM].limit, 9e9, 0);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

static void the_end_of_a_cron_rule_gives_the_original_amounts_back(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    struct jl_cron_rule rule = { .desired = { .of = { { 30, 40 }, { 0, 0 } } } };
    begin(&play);
    play.config.original = play.step.current;
    take_rule(&play, &rule);
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 2);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 30, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 40, 0);
    play.step.current = result.amounts;
    play.step.now_ns += INT64_C(6) * 3600 * JL_NS_PER_S;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decisions[0].reason, JL_REASON_CRON_INACTIVE);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 10, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

/* What a rule asked for before counts as done, and nothing else does. */
static void the_source_follows_a_rule_that_changes_while_it_is_active(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    struct jl_cron_rule rule = { .desired = { .of = { { 30, 40 }, { 4e9, 8e9 } } } };
    begin(&play);
    jl_autoscale_config_init(&play.config, JL_AUTOSCALE_V2_17_1);
    play.config.original = play.step.current;
    play.config.percentile.is_on = true;
    take_rule(&play, &rule);
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 30, 0);
    play.step.current = result.amounts;
    play.step.now_ns += JL_NS_PER_S;
    rule.desired.of[JL_USAGE_TFLOPS] = (struct jl_amount_pair){ 50, 60 };
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 50, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 60, 0);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

/* spec.resources says nothing, and no layer finds amounts of its own. */
static void the_end_of_a_cron_rule_gives_amounts_back_that_no_profile_says(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_engine *other = jl_scale_engine_new();
    struct jl_buffer saved = { 0 };
    struct jl_scale_result result;
    struct jl_cron_rule rule = { .desired = { .of = { { 100, 200 }, { 0, 0 } } } };
    begin(&play);
    play.config.original = (struct jl_amounts){ 0 };
    take_rule(&play, &rule);
    for (size_t i = 0; i < 3; i++) { /* what was before the rule is noted once */
        step(scaler, &play, &arena, &result);
        assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 200, 0);
        play.step.current = result.amounts;
        play.step.now_ns += INT64_C(3600) * JL_NS_PER_S;
    }
    assert_int_equal(jl_scale_engine_save(scaler, &saved), 0);
    assert_int_equal(jl_scale_engine_restore(other, saved.data, saved.len, NULL), 0);
    play.step.now_ns += INT64_C(6) * 3600 * JL_NS_PER_S;
    step(other, &play, &arena, &result);
    assert_int_equal(result.decision_count, 2);
    assert_int_equal(result.decisions[0].reason, JL_REASON_CRON_INACTIVE);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 10, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
    jl_buffer_clear(&saved);
    jl_scale_engine_free(scaler);
    jl_scale_engine_free(other);
    jl_arena_clear(&arena);
}

static void the_end_of_a_cron_rule_leaves_alone_what_a_layer_found_without_a_profile(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    struct jl_cron_rule rule = { .desired = { .of = { { 0, 0 }, { 2e9, 9e9 } } } };
    begin(&play);
    play.config.original = (struct jl_amounts){ 0 };
    play.config.limits.is_on = true;
    play.config.limits.targets = JL_TARGETS(JL_USAGE_VRAM);
    take_rule(&play, &rule);
    step(scaler, &play, &arena, &result);
    play.step.current = result.amounts;
    play.step.now_ns += INT64_C(9) * 3600 * JL_NS_PER_S;
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_VRAM].request, 4e9, 0);
    assert_near(result.amounts.of[JL_USAGE_VRAM].limit, 9e9, 0);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

static void a_reply_counts_only_where_the_profile_has_an_external_scaler(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    const struct jl_scale_reply reply = { .needs_up = true,
                                          .amounts = { .of = { { 15, 25 }, { 0, 0 } } } };
    begin(&play);
    play.step.reply = &reply;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 10, 0);
    assert_int_equal(result.conditions[0].reason, JL_REASON_EXTERNAL_SCALER_FAILED);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

static void a_reply_may_say_a_percent_of_a_gpu_instead_of_tflops(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    const struct jl_scale_reply reply = { .needs_up = true, .compute_pct = { 10, 50 } };
    begin(&play);
    play.config.external.is_on = true;
    play.step.reply = &reply;
    step(scaler, &play, &arena, &result);
    assert_int_equal(result.decision_count, 0);
    assert_int_equal(result.conditions[0].reason, JL_REASON_NEEDS_GPU_MODEL);
    play.config.gpu_tflops = 312;
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 31.2, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 156, 0);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

static void an_external_reply_moves_amounts_only_the_way_it_says(void **state)
{
    (void)state;
    struct play play;
    struct jl_arena arena = { 0 };
    struct jl_scale_engine *scaler = jl_scale_engine_new();
    struct jl_scale_result result;
    const struct jl_scale_reply reply = { .needs_up = true,
                                          .amounts = { .of = { { 15, 5 }, { 1e9, 9e9 } } } };
    begin(&play);
    play.config.external.is_on = true;
    play.step.reply = &reply;
    step(scaler, &play, &arena, &result);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].request, 15, 0);
    assert_near(result.amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
    assert_near(result.amounts.of[JL_USAGE_VRAM].request, 4e9, 0);
    assert_near(result.amounts.of[JL_USAGE_VRAM].limit, 9e9, 0);
    assert_int_equal(result.conditions[0].reason, JL_REASON_EXTERNAL_SCALER);
    jl_scale_engine_free(scaler);
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cron_rule_lowers_nothing_that_a_layer_owns),
        cmocka_unit_test(the_end_of_a_cron_rule_gives_the_original_amounts_back),
        cmocka_unit_test(the_end_of_a_cron_rule_gives_amounts_back_that_no_profile_says),
        cmocka_unit_test(the_end_of_a_cron_rule_leaves_alone_what_a_layer_found_without_a_profile),
        cmocka_unit_test(a_reply_counts_only_where_the_profile_has_an_external_scaler),
        cmocka_unit_test(a_reply_may_say_a_percent_of_a_gpu_instead_of_tflops),
        cmocka_unit_test(an_external_reply_moves_amounts_only_the_way_it_says),
        cmocka_unit_test(the_source_follows_a_rule_that_changes_while_it_is_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
