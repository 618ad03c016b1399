/* SPDX-License-Identifier: Apache-2.0 */

/* Defaults and bounds of every field, as docs/rules/autoscaling.md#configuration and
 * docs/rules/autoscaling-source.md#configuration have them. */

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "autoscale/profile.h"
#include "support/test.h"

#define S INT64_C(1000000000)
#define MIN (60 * S)
#define H (60 * MIN)

struct duration {
    enum jl_autoscale_model model;
    const char *layer;
    const char *part; /* "" or the member that the key is in */
    const char *key;
    size_t offset;
    int64_t by_default;
    int64_t least;
    int64_t most;
};

#define AT(member) offsetof(struct jl_autoscale_config, member)
#define OURS JL_AUTOSCALE_CURRENT
#define SOURCE JL_AUTOSCALE_V2_17_1

/* clang-format off */
static const struct duration durations[] = {
    { OURS, "autoSetLimits", "", "evaluationPeriod", AT(limits.period_ns), 10 * S, S, H },
    { OURS, "autoSetLimits", "prediction", "historyDataPeriod", AT(limits.prediction.history_ns), 24 * H, S, 720 * H },
    { OURS, "autoSetLimits", "prediction", "predictionPeriod", AT(limits.prediction.period_ns), MIN, S, 720 * H },
    { OURS, "autoSetReplicas", "", "evaluationPeriod", AT(replicas.period_ns), 30 * S, 10 * S, H },
    { OURS, "autoSetReplicas", "", "scaleUpCoolDownTime", AT(replicas.config.up_cool_down_ns), MIN, 0, 720 * H },
    { OURS, "autoSetReplicas", "", "scaleDownCoolDownTime", AT(replicas.config.down_cool_down_ns), 5 * MIN, 0, 720 * H },
    { OURS, "autoSetRequests", "", "evaluationPeriod", AT(requests.period_ns), 30 * MIN, MIN, 24 * H },
    { OURS, "autoSetRequests", "", "aggregationPeriod", AT(requests.aggregation_ns), 168 * H, H, 720 * H },
    { OURS, "autoSetRequests", "prediction", "historyDataPeriod", AT(requests.prediction.history_ns), 168 * H, S, 720 * H },
    { OURS, "autoSetRequests", "prediction", "predictionPeriod", AT(requests.prediction.period_ns), H, S, 720 * H },
    { SOURCE, "autoSetResources", "", "historyDataPeriod", AT(percentile.history_ns), 2 * H, S, 720 * H },
    { SOURCE, "autoSetResources", "", "initialDelayPeriod", AT(percentile.config.initial_delay_ns), 30 * MIN, 0, 720 * H },
    { SOURCE, "autoSetResources", "", "interval", AT(percentile.interval_ns), 30 * S, S, 24 * H },
    { OURS, "externalScaler", "", "initialDelayPeriod", AT(external.initial_delay_ns), 30 * MIN, 0, 720 * H },
    { OURS, "externalScaler", "", "interval", AT(external.interval_ns), 30 * S, 0, 720 * H },
};

/* clang-format on */

/* The member after a profile that gives the field this many nanoseconds, or nothing below 0. */
static int64_t member_of(const struct duration *field, int64_t ns, bool *out_is_capped)
{
    char text[640];
    char value[96] = "\"unused\":1";
    struct jl_arena arena = { 0 };
    struct jl_autoscale_config config;
    struct jl_amount_texts texts = { 0 };
    int64_t member = 0;
    const bool is_inside = field->part[0] != '\0';
    if (ns >= 0)
        (void)snprintf(value, sizeof value, "\"%s\":\"%lldns\"", field->key, (long long)ns);
    (void)snprintf(text, sizeof text,
                   "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"spec\":{"
                   "\"autoScalingConfig\":{\"%s\":{\"enable\":true%s%s%s%s%s}}}}",
                   field->layer, is_inside ? ",\"" : "", field->part,
                   is_inside ? "\":{\"enable\":true," : ",", value, is_inside ? "}" : "");
    struct json_object *profile = json_tokener_parse(text);
    const struct jl_autoscale_source source = { .profile = profile, .profile_path = "" };
    assert_non_null(profile);
    assert_int_equal(jl_autoscale_config_read(&source, field->model, &arena, &config, &texts, NULL),
                     0);
    memcpy(&member, (const char *)&config + field->offset, sizeof member);
    *out_is_capped = false;
    for (size_t i = 0; i < config.condition_count; i++)
        *out_is_capped |= config.conditions[i].reason == JL_REASON_CAPPED;
    jl_arena_clear(&arena);
    json_object_put(profile);
    return member;
}

static void an_absent_duration_has_its_default(void **state)
{
    bool is_capped;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(durations); i++) {
        assert_true(member_of(&durations[i], -1, &is_capped) == durations[i].by_default);
        assert_false(is_capped);
    }
}

static void a_duration_beyond_its_bounds_is_the_nearest_one_and_that_is_reported(void **state)
{
    bool is_capped;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(durations); i++) {
        const struct duration *field = &durations[i];
        assert_true(member_of(field, field->most, &is_capped) == field->most);
        assert_false(is_capped);
        assert_true(member_of(field, field->most + 1, &is_capped) == field->most);
        assert_true(is_capped);
        assert_true(member_of(field, field->least, &is_capped) == field->least);
        assert_false(is_capped);
        if (field->least == 0)
            continue;
        assert_true(member_of(field, field->least - 1, &is_capped) == field->least);
        assert_true(is_capped);
    }
}

static void the_other_fields_have_the_defaults_of_the_page(void **state)
{
    struct jl_autoscale_config c;
    (void)state;
    jl_autoscale_config_init(&c, JL_AUTOSCALE_CURRENT);
    assert_near(c.limits.buffer[JL_USAGE_TFLOPS], 0.2, 0);
    assert_near(c.limits.buffer[JL_USAGE_VRAM], 0.15, 0);
    assert_near(c.limits.ignored, 0.05, 0);
    assert_near(c.limits.max_ratio, 5, 0);
    assert_near(c.limits.step, 2, 0);
    assert_near(c.replicas.config.up.amount, 0.3, 0);
    assert_near(c.replicas.config.down.amount, 0.1, 0);
    assert_false(c.replicas.config.up.is_pods || c.replicas.config.down.is_pods);
    assert_near(c.replicas.config.target_frac, 0.95, 0);
    assert_int_equal(c.replicas.config.min, 1);
    assert_int_equal(c.replicas.config.max, INT32_MAX);
    assert_near(c.requests.percentile, 0.9, 0);
    assert_near(c.requests.multiplier, 1.1, 0);
    assert_int_equal(c.limits.targets, 3);
    assert_int_equal(c.requests.targets, 3);
    assert_int_equal(c.percentile.targets, 0);
    assert_int_equal(c.gpu_count, 1);
    assert_int_equal(c.spec_replicas, -1);
    assert_false(c.limits.is_on || c.replicas.is_on || c.requests.is_on || c.percentile.is_on ||
                 c.external.is_on);
}

static void the_source_has_the_defaults_of_its_code(void **state)
{
    struct jl_autoscale_config c;
    (void)state;
    jl_autoscale_config_init(&c, JL_AUTOSCALE_V2_17_1);
    const struct jl_estimate *tflops = &c.percentile.fractions[JL_USAGE_TFLOPS];
    const struct jl_estimate *vram = &c.percentile.fractions[JL_USAGE_VRAM];
    assert_near(tflops->lower, 0.5, 0);
    assert_near(tflops->target, 0.95, 0);
    assert_near(tflops->upper, 0.99, 0);
    assert_near(vram->lower, 0.5, 0);
    assert_near(vram->target, 0.98, 0);
    assert_near(vram->upper, 0.99, 0);
    assert_near(c.percentile.config.margin_frac, 0.15, 0);
    assert_near(c.percentile.config.update_threshold_frac, 0.1, 0);
    assert_near(c.percentile.config.min_ratio[JL_USAGE_TFLOPS], 0.1, 0);
    assert_near(c.percentile.config.max_ratio[JL_USAGE_TFLOPS], 10, 0);
    assert_near(c.percentile.config.min_ratio[JL_USAGE_VRAM], 0.2, 0);
    assert_near(c.percentile.config.max_ratio[JL_USAGE_VRAM], 5, 0);
}

/* Fields of C that A cannot say, a bad schedule, a rule without a name and an odd amount: each is
 * reported, and each report takes memory. */
static const char many_reports[] =
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"metadata\":{"
    "\"annotations\":{\"joulie.io/autoscale-min-replicas\":\"x\"}},\"spec\":{\"qos\":\"low\","
    "\"autoScalingConfig\":{\"autoSetLimits\":{\"enable\":true,\"evaluationPeriod\":\"1x\"},"
    "\"autoSetReplicas\":{\"enable\":true},\"autoSetResources\":{\"enable\":true,"
    "\"targetResource\":\"all\",\"interval\":\"2h\",\"marginFraction\":\"0.2\"},"
    "\"cronScalingRules\":[{\"enable\":true,\"name\":\"a\",\"start\":\"0 0 * *\",\"end\":\"x\"},"
    "{\"enable\":true,\"name\":5,\"start\":\"0 0 * * *\",\"end\":\"0 1 * * *\"}]},\"resources\":{"
    "\"requests\":{\"tflops\":\"ten\"},\"limits\":{\"tflops\":\"20\"}}}}";

static void memory_that_runs_out_fails_the_call_and_says_so(void **state)
{
    (void)state;
    struct json_object *profile = json_tokener_parse(many_reports);
    const struct jl_autoscale_source source = { .profile = profile, .profile_path = "profile" };
    size_t reported = 0;
    for (int model = JL_AUTOSCALE_CURRENT; model <= JL_AUTOSCALE_V2_17_1; model++) {
        int rc = -1;
        for (size_t limit = 16; rc < 0; limit += 16) {
            struct jl_arena arena = { .limit = limit };
            struct jl_autoscale_config config;
            struct jl_amount_texts texts = { 0 };
            struct joulie_error err = { .struct_size = sizeof err };
            rc = jl_autoscale_config_read(&source, (enum jl_autoscale_model)model, &arena, &config,
                                          &texts, &err);
            if (rc < 0 && (err.code != rc || err.message[0] == '\0'))
                fail_msg("%zu bytes: code %d, but \"%s\" with code %d", limit, rc, err.message,
                         err.code);
            if (rc == 0 && arena.is_over_limit)
                fail_msg("%zu bytes: what did not fit is left out of the answer", limit);
            reported = rc == 0 ? config.condition_count : 0;
            jl_arena_clear(&arena);
        }
        assert_true(reported >= 4);
    }
    json_object_put(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_absent_duration_has_its_default),
        cmocka_unit_test(a_duration_beyond_its_bounds_is_the_nearest_one_and_that_is_reported),
        cmocka_unit_test(the_other_fields_have_the_defaults_of_the_page),
        cmocka_unit_test(the_source_has_the_defaults_of_its_code),
        cmocka_unit_test(memory_that_runs_out_fails_the_call_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
