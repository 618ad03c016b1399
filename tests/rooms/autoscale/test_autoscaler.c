/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/autoscale.h>: the handle gives what the question gives, and refuses what it must. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/autoscale.h>
#include <joulie/version.h>

#include "autoscale/autoscaler.h"
#include "base/text.h"
#include "support/test.h"

#define SPEC(block)                                                                           \
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"metadata\":"      \
    "{\"name\":\"p\"},\"spec\":{\"autoScalingConfig\":" block ",\"resources\":{\"requests\":" \
    "{\"tflops\":\"10\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"20\",\"vram\":\"4Gi\"}}}}"

static const char both[] = SPEC("{\"autoSetLimits\":{\"enable\":true,\"targetResource\":"
                                "\"tflops\"},\"autoSetReplicas\":{\"enable\":true}}");

static struct joulie_autoscaler *with_profile(const char *profile)
{
    struct joulie_autoscaler *scaler = NULL;
    assert_int_equal(joulie_autoscaler_new(NULL, &scaler, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_put_profile(scaler, profile, strlen(profile), NULL),
                     JOULIE_OK);
    return scaler;
}

/* The samples of the vectors tensor-fusion-12.3-autoscale.json, with now at an hour after the
 * workers' creation. */
#define NOW_MS INT64_C(1773403200000)

static int put_example(struct joulie_autoscaler *scaler)
{
    static const char *const names[] = { "w-0", "w-1" };
    static const int32_t worker[] = { 0, 1, 0, 1, 0, 1 };
    static const int64_t at_ms[] = { NOW_MS - 20000, NOW_MS - 20000, NOW_MS - 10000,
                                     NOW_MS - 10000, NOW_MS,         NOW_MS };
    static const double tflops[] = { 19.2, 19.4, 19.6, 19.6, 20, 20 };
    static const double vram_bytes[] = { 2147483648.0 };
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    for (size_t i = 0; i < 2; i++) {
        struct joulie_autoscale_worker one = JOULIE_INIT(struct joulie_autoscale_worker);
        one.has = JOULIE_AUTOSCALE_WORKER_HAS_CREATED;
        one.name = names[i];
        one.created_ms = NOW_MS - 3600000;
        assert_int_equal(joulie_autoscaler_put_worker(scaler, &one, NULL), JOULIE_OK);
    }
    samples.workers = names;
    samples.worker_count = 2;
    samples.worker = (struct joulie_column_int){ worker, sizeof *worker };
    samples.at_ms = (struct joulie_column_ms){ at_ms, sizeof *at_ms };
    samples.tflops = (struct joulie_column){ tflops, sizeof *tflops };
    samples.vram_bytes = (struct joulie_column){ vram_bytes, 0 };
    return joulie_autoscaler_put_samples(scaler, &samples, 6, NULL);
}

/* Without a sample no layer decides: what comes out is what went in, and the profile's where
 * nothing, or 0, went in. */
static void amounts_of_a_step_stand_before_those_of_the_profile(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_input in = JOULIE_INIT(struct joulie_autoscale_input);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    in.has = JOULIE_AUTOSCALE_HAS_REQUEST_TFLOPS | JOULIE_AUTOSCALE_HAS_REQUEST_VRAM |
             JOULIE_AUTOSCALE_HAS_LIMIT_VRAM;
    in.request_tflops = 12;
    in.limit_vram_bytes = 5368709120.0;
    in.limit_tflops = 99; /* has no bit */
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_OK);
    assert_near(out.request_tflops, 12, 0);
    assert_near(out.request_vram_bytes, 4294967296.0, 0);
    assert_near(out.limit_tflops, 20, 0);
    assert_near(out.limit_vram_bytes, 5368709120.0, 0);
    joulie_autoscaler_free(scaler);
}

static void the_handle_answers_as_the_specification_says(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_decision decision = JOULIE_INIT(struct joulie_autoscale_decision);
    assert_int_equal(put_example(scaler), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(out.decision_count, 1);
    assert_int_equal(out.condition_count, 0);
    assert_near(out.limit_tflops, 40, 0);
    assert_near(out.request_tflops, 10, 0);
    assert_near(out.limit_vram_bytes, 4294967296.0, 0);
    assert_int_equal(out.replicas_to, 2);
    assert_string_equal(out.replicas_reason, "LimitsFirst");
    assert_near(out.replicas_ratio, 1.0333333333333334, 1e-12);
    assert_int_equal(out.next_due_ms, NOW_MS + 10000);
    assert_int_equal(joulie_autoscaler_get_decision(scaler, 0, &decision, NULL), JOULIE_OK);
    assert_string_equal(decision.layer, "limits");
    assert_string_equal(decision.resource, "tflops");
    assert_string_equal(decision.reason, "ScaledUp");
    assert_int_equal(joulie_autoscaler_get_decision(scaler, 1, &decision, NULL), JOULIE_E_RANGE);
    joulie_autoscaler_free(scaler);
}

static void a_saved_handle_goes_on_elsewhere(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscaler *other = with_profile(both);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    char *saved = NULL;
    char *again = NULL;
    assert_int_equal(put_example(scaler), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_save(scaler, &saved, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_restore(other, saved, strlen(saved), NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_save(other, &again, NULL), JOULIE_OK);
    assert_string_equal(saved, again);
    assert_non_null(strstr(saved, "\"version\":1,"));
    assert_int_equal(joulie_autoscaler_step(other, NOW_MS - 1, NULL, &out, NULL), JOULIE_OK);
    struct joulie_autoscale_condition condition = JOULIE_INIT(struct joulie_autoscale_condition);
    assert_int_equal(joulie_autoscaler_get_condition(other, 0, &condition, NULL), JOULIE_OK);
    assert_string_equal(condition.reason, "ClockWentBack");
    saved[strlen(saved) - 4] ^= 1;
    assert_int_equal(joulie_autoscaler_restore(other, saved, strlen(saved), NULL), JOULIE_E_PARSE);
    joulie_free(saved);
    joulie_free(again);
    joulie_autoscaler_free(scaler);
    joulie_autoscaler_free(other);
}

/* Its checksum is that of its bytes, but no handle has saved them. */
static void bytes_that_were_never_saved_are_refused(void **state)
{
    static const char zeros[] = "{\"version\":1,\"crc32\":4282505490,\"data\":\"AAAA\"}";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_autoscaler *scaler = with_profile(both);
    (void)state;
    assert_int_equal(joulie_autoscaler_restore(scaler, zeros, strlen(zeros), &err), JOULIE_E_PARSE);
    assert_string_equal(err.where, "data");
    joulie_autoscaler_free(scaler);
}

static void a_bad_field_is_a_condition_with_its_path(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler =
        with_profile(SPEC("{\"autoSetLimits\":{\"enable\":true,\"evaluationPeriod\":\"10\"}}"));
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_condition condition = JOULIE_INIT(struct joulie_autoscale_condition);
    assert_int_equal(put_example(scaler), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_get_condition(scaler, 0, &condition, NULL), JOULIE_OK);
    assert_string_equal(condition.reason, "InvalidField");
    assert_string_equal(condition.where, "spec.autoScalingConfig.autoSetLimits.evaluationPeriod");
    joulie_autoscaler_free(scaler);
}

static void the_pool_counts_where_the_profile_says_nothing(void **state)
{
    (void)state;
    static const char pool[] = "{\"autoSetLimits\":{\"enable\":true,\"targetResource\":\"vram\","
                               "\"scaleUpStep\":\"x\"}}";
    struct joulie_autoscaler *scaler =
        with_profile(SPEC("{\"autoSetLimits\":{\"targetResource\":\"tflops\"}}"));
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_condition condition = JOULIE_INIT(struct joulie_autoscale_condition);
    assert_int_equal(joulie_autoscaler_put_pool(scaler, pool, strlen(pool), NULL), JOULIE_OK);
    assert_int_equal(put_example(scaler), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(out.decision_count, 1);
    assert_near(out.limit_tflops, 40, 0);
    assert_int_equal(joulie_autoscaler_get_condition(scaler, 0, &condition, NULL), JOULIE_OK);
    assert_string_equal(condition.where, "pool.autoSetLimits.scaleUpStep");
    assert_int_equal(joulie_autoscaler_put_pool(scaler, NULL, 0, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS + 60000, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(out.decision_count, 0);
    joulie_autoscaler_free(scaler);
}

static void an_external_reply_is_used_once(void **state)
{
    (void)state;
    static const char reply[] =
        "{\"needScaleUp\":true,\"reason\":\"queue is long\",\"recommendedResources\":{\"requests\":"
        "{\"tflops\":\"15\",\"vram\":\"1Gi\"},\"limits\":{\"tflops\":\"25\",\"vram\":\"4Gi\"}}}";
    struct joulie_autoscaler *scaler = with_profile(SPEC("{\"externalScaler\":{\"enable\":true}}"));
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_condition condition = JOULIE_INIT(struct joulie_autoscale_condition);
    assert_int_equal(joulie_autoscaler_put_external(scaler, reply, strlen(reply), NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_near(out.request_tflops, 15, 0);
    assert_near(out.limit_tflops, 25, 0);
    assert_near(out.request_vram_bytes, 4294967296.0, 0);
    assert_int_equal(joulie_autoscaler_get_condition(scaler, 0, &condition, NULL), JOULIE_OK);
    assert_string_equal(condition.message, "queue is long");
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS + 1, NULL, &out, NULL), JOULIE_OK);
    assert_near(out.request_tflops, 10, 0);
    assert_int_equal(joulie_autoscaler_put_external(scaler, "{]", 2, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS + 2, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_get_condition(scaler, 0, &condition, NULL), JOULIE_OK);
    assert_string_equal(condition.reason, "ExternalScalerFailed");
    joulie_autoscaler_free(scaler);
}

static int no_zone(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    (void)out_bytes;
    (void)out_len;
    assert_string_equal(name, "Europe/Rome");
    ++*(int *)user;
    return 1;
}

static void zones_are_asked_for_by_name(void **state)
{
    (void)state;
    static const char profile[] =
        SPEC("{\"cronScalingRules\":[{\"enable\":true,\"name\":\"a\",\"start\":"
             "\"TZ=Europe/Rome 0 9 * * *\",\"end\":\"TZ=UTC 0 18 * * *\",\"desiredResources\":"
             "{\"requests\":{\"tflops\":\"30\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"30\","
             "\"vram\":\"4Gi\"}}}]}");
    struct joulie_autoscaler_options options = JOULIE_INIT(struct joulie_autoscaler_options);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_condition condition = JOULIE_INIT(struct joulie_autoscale_condition);
    struct joulie_autoscaler *scaler = NULL;
    int asked = 0;
    options.find_zone = no_zone;
    options.user = &asked;
    assert_int_equal(joulie_autoscaler_new(&options, &scaler, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_put_profile(scaler, profile, strlen(profile), NULL),
                     JOULIE_OK);
    assert_int_equal(asked, 1);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(out.condition_count, 1);
    assert_int_equal(out.decision_count, 0);
    assert_int_equal(joulie_autoscaler_get_condition(scaler, 0, &condition, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_get_condition(scaler, 1, &condition, NULL), JOULIE_E_RANGE);
    joulie_autoscaler_free(scaler);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = NULL;
    struct joulie_autoscaler_options options = JOULIE_INIT(struct joulie_autoscaler_options);
    struct joulie_autoscale_input in = JOULIE_INIT(struct joulie_autoscale_input);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    options.gpu_tflops = NAN;
    assert_int_equal(joulie_autoscaler_new(&options, &scaler, NULL), JOULIE_E_RANGE);
    options.gpu_tflops = 0;
    options.model = (enum joulie_autoscale_model)9;
    assert_int_equal(joulie_autoscaler_new(&options, &scaler, NULL), JOULIE_E_ENUM);
    options.struct_size = 1;
    assert_int_equal(joulie_autoscaler_new(&options, &scaler, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_autoscaler_new(NULL, &scaler, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_E_CONFLICT);
    assert_int_equal(joulie_autoscaler_put_profile(scaler, "{}", 2, NULL), JOULIE_E_REQUIRED);
    joulie_autoscaler_free(scaler);
    scaler = with_profile(both);
    assert_int_equal(joulie_autoscaler_put_profile(scaler, "{}", 2, NULL), JOULIE_E_REQUIRED);
    assert_int_equal(joulie_autoscaler_step(scaler, INT64_MAX, NULL, &out, NULL), JOULIE_E_RANGE);
    in.has = JOULIE_AUTOSCALE_HAS_GPU_TFLOPS;
    in.gpu_tflops = -1;
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_E_RANGE);
    in.has = UINT64_C(1) << 63;
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_E_ABI);
    worker.name = "w";
    worker.is_dedicated = 2;
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_E_RANGE);
    joulie_autoscaler_remove_worker(scaler, "w");
    joulie_autoscaler_free(scaler);
    joulie_autoscaler_free(NULL);
}

static void the_workers_behind_one_that_is_removed_move_up(void **state)
{
    (void)state;
    static const char *const names[] = { "a", "b", "c", "d" };
    struct joulie_autoscaler *scaler = with_profile(both);
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
        worker.name = names[i];
        assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_OK);
    }
    joulie_autoscaler_remove_worker(scaler, "b");
    assert_int_equal(scaler->worker_count, 3);
    assert_string_equal(scaler->workers[0].name, "a");
    assert_string_equal(scaler->workers[1].name, "c");
    assert_string_equal(scaler->workers[2].name, "d");
    joulie_autoscaler_free(scaler);
}

/* A row may say one number alone. */
static void each_bit_of_a_row_is_of_its_own_column(void **state)
{
    (void)state;
    static const char *const names[] = { "w" };
    static const int64_t at_ms = NOW_MS;
    static const double one = 1;
    static const uint64_t bits[JL_SAMPLE_NUMBERS] = {
        JOULIE_AUTOSCALE_SAMPLE_HAS_TFLOPS,       JOULIE_AUTOSCALE_SAMPLE_HAS_VRAM,
        JOULIE_AUTOSCALE_SAMPLE_HAS_TFLOPS_LIMIT, JOULIE_AUTOSCALE_SAMPLE_HAS_THROTTLED_COUNT,
        JOULIE_AUTOSCALE_SAMPLE_HAS_OOM_COUNT,
    };
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    samples.workers = names;
    samples.worker_count = 1;
    samples.has = (struct joulie_column_bits){ bits, sizeof *bits };
    samples.at_ms = (struct joulie_column_ms){ &at_ms, 0 };
    samples.tflops = samples.vram_bytes = samples.tflops_limit = samples.throttled_count =
        samples.oom_count = (struct joulie_column){ &one, 0 };
    assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, JL_SAMPLE_NUMBERS, NULL),
                     JOULIE_OK);
    for (size_t i = 0; i < JL_SAMPLE_NUMBERS; i++) {
        for (size_t k = 0; k < JL_SAMPLE_NUMBERS; k++)
            assert_int_equal(scaler->samples[i].has[k], i == k);
    }
    joulie_autoscaler_free(scaler);
}

/* No sample, no ratio. */
static void replicas_without_samples_have_no_ratio(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    worker.has = JOULIE_AUTOSCALE_WORKER_HAS_CREATED;
    worker.name = "w";
    worker.created_ms = NOW_MS - 3600000;
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_true((out.has & JOULIE_AUTOSCALE_OUT_REPLICAS) != 0);
    assert_true((out.has & JOULIE_AUTOSCALE_OUT_RATIO) == 0);
    joulie_autoscaler_free(scaler);
}

/* Half a MiB of annotations, which take more room as members than as text. */
static void a_profile_may_have_many_annotations(void **state)
{
    (void)state;
    static const char head[] = "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":"
                               "\"WorkloadProfile\",\"metadata\":{\"name\":\"p\","
                               "\"annotations\":{";
    static const char tail[] = "\"z\":\"\"}},\"spec\":{}}";
    const size_t most = 540000;
    struct joulie_autoscaler *scaler = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = malloc(most + sizeof head + sizeof tail);
    assert_non_null(text);
    memcpy(text, head, sizeof head);
    size_t len = strlen(head);
    for (unsigned i = 0; len < most; i++)
        len += (size_t)snprintf(text + len, 16, "\"%x\":\"\",", i);
    memcpy(text + len, tail, sizeof tail);
    assert_int_equal(joulie_autoscaler_new(NULL, &scaler, NULL), JOULIE_OK);
    if (joulie_autoscaler_put_profile(scaler, text, strlen(text), &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
    free(text);
    joulie_autoscaler_free(scaler);
}

/* Nanoseconds of a step and of its samples fit: 4.6e18 either way of 1970. */
static void a_step_lies_between_1824_and_2115(void **state)
{
    static const struct {
        int64_t now_ms;
        int code;
    } rows[] = { { INT64_C(4600000000000), JOULIE_OK },
                 { INT64_C(4600000000001), JOULIE_E_RANGE },
                 { INT64_C(-4600000000000), JOULIE_OK },
                 { INT64_C(-4600000000001), JOULIE_E_RANGE } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_autoscaler *scaler = with_profile(both);
        struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
        assert_int_equal(joulie_autoscaler_step(scaler, rows[i].now_ms, NULL, &out, NULL),
                         rows[i].code);
        joulie_autoscaler_free(scaler);
    }
}

/* At its bounds and just beyond them: numbers of replicas, times of workers and samples. */
static void a_state_with_another_checksum_is_refused(void **state)
{
    (void)state;
    static const char key[] = "\"crc32\":";
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *saved = NULL;
    assert_int_equal(joulie_autoscaler_save(scaler, &saved, NULL), JOULIE_OK);
    char *digit = strstr(saved, key);
    assert_non_null(digit);
    digit += strlen(key);
    *digit = *digit == '1' ? '2' : '1';
    assert_int_equal(joulie_autoscaler_restore(scaler, saved, strlen(saved), &err), JOULIE_E_PARSE);
    assert_string_equal(err.where, "data");
    joulie_free(saved);
    joulie_autoscaler_free(scaler);
}

/* With the blanks behind its brace. */
static void a_state_has_at_most_4_mib(void **state)
{
    (void)state;
    const size_t most = (size_t)4 << 20;
    struct joulie_autoscaler *scaler = with_profile(both);
    char *saved = NULL;
    char *wide = malloc(most + 1);
    assert_non_null(wide);
    assert_int_equal(joulie_autoscaler_save(scaler, &saved, NULL), JOULIE_OK);
    const size_t behind = strlen(saved) - 1;
    for (size_t len = most; len <= most + 1; len++) {
        memset(wide, ' ', len);
        wide[0] = '{';
        memcpy(wide + len - behind, saved + 1, behind);
        assert_int_equal(joulie_autoscaler_restore(scaler, wide, len, NULL),
                         len == most ? JOULIE_OK : JOULIE_E_LIMIT);
    }
    free(wide);
    joulie_free(saved);
    joulie_autoscaler_free(scaler);
}

static void counts_of_a_step_have_bounds(void **state)
{
#define AT(member) offsetof(struct joulie_autoscale_input, member)

    static const struct {
        const char *where;
        uint64_t bit;
        size_t offset;
        int64_t value;
        int code;
    } rows[] = {
        { "replicas", JOULIE_AUTOSCALE_HAS_REPLICAS, AT(replicas), -1, JOULIE_E_RANGE },
        { "replicas", JOULIE_AUTOSCALE_HAS_REPLICAS, AT(replicas), 0, JOULIE_OK },
        { "replicas", JOULIE_AUTOSCALE_HAS_REPLICAS, AT(replicas), INT32_MAX, JOULIE_OK },
        { "replicas", JOULIE_AUTOSCALE_HAS_REPLICAS, AT(replicas), INT64_C(2147483648),
          JOULIE_E_RANGE },
        { "min_replicas", JOULIE_AUTOSCALE_HAS_MIN_REPLICAS, AT(min_replicas), -1, JOULIE_E_RANGE },
        { "min_replicas", JOULIE_AUTOSCALE_HAS_MIN_REPLICAS, AT(min_replicas), 0, JOULIE_OK },
        { "max_replicas", JOULIE_AUTOSCALE_HAS_MAX_REPLICAS, AT(max_replicas), -1, JOULIE_E_RANGE },
        { "max_replicas", JOULIE_AUTOSCALE_HAS_MAX_REPLICAS, AT(max_replicas), 0, JOULIE_E_RANGE },
        { "max_replicas", JOULIE_AUTOSCALE_HAS_MAX_REPLICAS, AT(max_replicas), 1, JOULIE_OK },
        { "max_replicas", JOULIE_AUTOSCALE_HAS_MAX_REPLICAS, AT(max_replicas), INT64_MAX,
          JOULIE_OK },
        { "max_replicas", 0, AT(max_replicas), -1, JOULIE_OK }, /* has no bit */
    };

#undef AT
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_autoscaler *scaler = with_profile(both);
        struct joulie_autoscale_input in = JOULIE_INIT(struct joulie_autoscale_input);
        struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        in.has = rows[i].bit;
        *(int64_t *)(void *)((char *)&in + rows[i].offset) = rows[i].value;
        const int rc = joulie_autoscaler_step(scaler, NOW_MS, &in, &out, &err);
        if (rc != rows[i].code)
            fail_msg("row %zu: %d", i, rc);
        assert_string_equal(err.where, rc == JOULIE_OK ? "" : rows[i].where);
        joulie_autoscaler_free(scaler);
    }
}

/* A bit of a release to come is refused, the last one that is known is not. */
static void bits_that_are_not_known_are_refused(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_input in = JOULIE_INIT(struct joulie_autoscale_input);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    in.max_replicas = 1;
    in.has = JOULIE_AUTOSCALE_HAS_MAX_REPLICAS;
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_OK);
    in.has = JOULIE_AUTOSCALE_HAS_MAX_REPLICAS * 2;
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_E_ABI);
    worker.name = "w";
    worker.has = JOULIE_AUTOSCALE_WORKER_HAS_CREATED * 2;
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_E_ABI);
    worker.has = 0;
    worker.reserved = 1;
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_E_ABI);
    worker.reserved = 0;
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_OK);
    joulie_autoscaler_free(scaler);
}

static void workers_and_samples_lie_between_1824_and_2115(void **state)
{
    static const struct {
        int64_t at_ms;
        int code;
    } rows[] = { { INT64_C(4600000000000), JOULIE_OK },
                 { INT64_C(4600000000001), JOULIE_E_RANGE },
                 { INT64_C(-4600000000000), JOULIE_OK },
                 { INT64_C(-4600000000001), JOULIE_E_RANGE } };

    static const char *const names[] = { "w" };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_autoscaler *scaler = with_profile(both);
        struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
        struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
        worker.has = JOULIE_AUTOSCALE_WORKER_HAS_CREATED;
        worker.name = "w";
        worker.created_ms = rows[i].at_ms;
        worker.is_dedicated = 1;
        assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), rows[i].code);
        samples.workers = names;
        samples.worker_count = 1;
        samples.at_ms = (struct joulie_column_ms){ &rows[i].at_ms, 0 };
        assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, 1, NULL), rows[i].code);
        joulie_autoscaler_free(scaler);
    }
}

/* Requests grow to what is allowed of each, 0 included; what has no bit bounds nothing. */
static void each_allowance_is_of_its_own_resource(void **state)
{
    static const char reply[] =
        "{\"needScaleUp\":true,\"recommendedResources\":{\"requests\":{\"tflops\":\"15\","
        "\"vram\":\"6Gi\"},\"limits\":{\"tflops\":\"25\",\"vram\":\"8Gi\"}}}";

    static const struct {
        uint64_t has;
        double tflops, gib;
    } rows[] = {
        { 0, 15, 6 },
        { JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS, 10, 6 },
        { JOULIE_AUTOSCALE_HAS_ALLOWED_VRAM, 15, 4 },
        { JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS | JOULIE_AUTOSCALE_HAS_ALLOWED_VRAM, 10, 4 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_autoscaler *scaler =
            with_profile(SPEC("{\"externalScaler\":{\"enable\":true}}"));
        struct joulie_autoscale_input in = JOULIE_INIT(struct joulie_autoscale_input);
        struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
        in.has = rows[i].has;
        assert_int_equal(joulie_autoscaler_put_external(scaler, reply, strlen(reply), NULL),
                         JOULIE_OK);
        assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_OK);
        assert_near(out.request_tflops, rows[i].tflops, 0);
        assert_near(out.request_vram_bytes, rows[i].gib * 1073741824, 0);
        joulie_autoscaler_free(scaler);
    }
}

static void what_waits_survives_a_clock_that_goes_back(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS + 1, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(put_example(scaler), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_int_equal(out.condition_count, 1);
    assert_int_equal(out.dropped_samples, 0);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS + 2, NULL, &out, NULL), JOULIE_OK);
    assert_near(out.limit_tflops, 40, 0); /* as if the samples had come just now */
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
    assert_true((out.has & JOULIE_AUTOSCALE_OUT_NEXT_DUE) != 0);
    assert_int_equal(out.next_due_ms, NOW_MS + 10000);
    joulie_autoscaler_free(scaler);
}

static void an_allowance_of_nothing_is_known(void **state)
{
    (void)state;
    static const char reply[] =
        "{\"needScaleUp\":true,\"recommendedResources\":{\"requests\":{\"tflops\":\"15\"},"
        "\"limits\":{\"tflops\":\"25\"}}}";
    struct joulie_autoscaler *scaler = with_profile(SPEC("{\"externalScaler\":{\"enable\":true}}"));
    struct joulie_autoscale_input in = JOULIE_INIT(struct joulie_autoscale_input);
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    in.has = JOULIE_AUTOSCALE_HAS_ALLOWED_TFLOPS;
    assert_int_equal(joulie_autoscaler_put_external(scaler, reply, strlen(reply), NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, &in, &out, NULL), JOULIE_OK);
    assert_near(out.request_tflops, 10, 0);

    in.allowed_tflops = 100; /* room for what was recommended */
    assert_int_equal(joulie_autoscaler_put_external(scaler, reply, strlen(reply), NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS + 60000, &in, &out, NULL), JOULIE_OK);
    assert_near(out.request_tflops, 15, 0);
    joulie_autoscaler_free(scaler);
}

static void a_name_longer_than_a_pods_is_refused(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    char name[255] = "";
    memset(name, 'x', sizeof name - 1);
    const char *const names[] = { name };
    const int64_t at_ms = NOW_MS;
    worker.name = name;
    samples.workers = names;
    samples.worker_count = 1;
    samples.at_ms = (struct joulie_column_ms){ &at_ms, 0 };
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, 1, NULL), JOULIE_E_RANGE);
    name[253] = '\0';
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_OK);
    assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, 1, NULL), JOULIE_OK);
    joulie_autoscaler_free(scaler);
}

/* What JOULIE_INIT() leaves of a worker, and a name that says nothing. */
static void a_worker_without_a_name_is_refused(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *names[] = { NULL };
    const int64_t at_ms = NOW_MS;
    samples.workers = names;
    samples.worker_count = 1;
    samples.at_ms = (struct joulie_column_ms){ &at_ms, 0 };
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "name");
    assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, 1, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "workers");
    worker.name = names[0] = "";
    assert_int_equal(joulie_autoscaler_put_worker(scaler, &worker, NULL), JOULIE_E_REQUIRED);
    assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, 1, NULL), JOULIE_E_REQUIRED);
    joulie_autoscaler_free(scaler);
}

/* One hour east of UTC, always: the smallest TZif there is. */
static int one_hour_east(void *user, const char *name, const void **out_bytes, size_t *out_len)
{
    static const unsigned char file[44 + 6 + 4] = {
        'T',        'Z', 'i', 'f', [39] = 1, [43] = 4, [46] = 3600 >> 8, [47] = 3600 & 0xFF,
        [50] = 'C', 'E', 'T',
    };
    (void)user;
    (void)name;
    *out_bytes = file;
    *out_len = sizeof file;
    return 0;
}

/* Noon in London is 13:00 in Rome. */
static void a_rule_holds_at_the_time_of_its_zone(void **state)
{
    static const char *const starts[] = { "TZ=Europe/Rome 59 12 * * *",
                                          "TZ=Europe/Rome 1 13 * * *" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(starts); i++) {
        struct joulie_autoscaler_options options = JOULIE_INIT(struct joulie_autoscaler_options);
        struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
        struct joulie_autoscaler *scaler = NULL;
        char profile[1024];
        snprintf(profile, sizeof profile,
                 SPEC("{\"cronScalingRules\":[{\"enable\":true,\"name\":\"a\",\"start\":\"%s\","
                      "\"end\":\"TZ=Europe/Rome 0 14 * * *\",\"desiredResources\":{\"requests\":{"
                      "\"tflops\":\"30\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"30\","
                      "\"vram\":\"4Gi\"}}}]}"),
                 starts[i]);
        options.find_zone = one_hour_east;
        assert_int_equal(joulie_autoscaler_new(&options, &scaler, NULL), JOULIE_OK);
        assert_int_equal(joulie_autoscaler_put_profile(scaler, profile, strlen(profile), NULL),
                         JOULIE_OK);
        assert_int_equal(joulie_autoscaler_step(scaler, NOW_MS, NULL, &out, NULL), JOULIE_OK);
        assert_int_equal(out.condition_count, 0);
        assert_near(out.request_tflops, i == 0 ? 30 : 10, 0);
        joulie_autoscaler_free(scaler);
    }
}

static void a_bad_row_of_samples_is_named(void **state)
{
    (void)state;
    struct joulie_autoscaler *scaler = with_profile(both);
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *const names[] = { "w" };
    int32_t worker[12] = { 0 };
    const int64_t at_ms = NOW_MS;
    worker[11] = 1;
    samples.workers = names;
    samples.worker_count = 1;
    samples.worker = (struct joulie_column_int){ worker, sizeof *worker };
    samples.at_ms = (struct joulie_column_ms){ &at_ms, 0 };
    assert_int_equal(joulie_autoscaler_put_samples(scaler, &samples, 12, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "samples[11]");
    joulie_autoscaler_free(scaler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_handle_answers_as_the_specification_says),
        cmocka_unit_test(amounts_of_a_step_stand_before_those_of_the_profile),
        cmocka_unit_test(a_saved_handle_goes_on_elsewhere),
        cmocka_unit_test(bytes_that_were_never_saved_are_refused),
        cmocka_unit_test(a_bad_field_is_a_condition_with_its_path),
        cmocka_unit_test(the_pool_counts_where_the_profile_says_nothing),
        cmocka_unit_test(an_external_reply_is_used_once),
        cmocka_unit_test(zones_are_asked_for_by_name),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_step_lies_between_1824_and_2115),
        cmocka_unit_test(counts_of_a_step_have_bounds),
        cmocka_unit_test(bits_that_are_not_known_are_refused),
        cmocka_unit_test(workers_and_samples_lie_between_1824_and_2115),
        cmocka_unit_test(each_allowance_is_of_its_own_resource),
        cmocka_unit_test(what_waits_survives_a_clock_that_goes_back),
        cmocka_unit_test(an_allowance_of_nothing_is_known),
        cmocka_unit_test(a_name_longer_than_a_pods_is_refused),
        cmocka_unit_test(a_worker_without_a_name_is_refused),
        cmocka_unit_test(a_rule_holds_at_the_time_of_its_zone),
        cmocka_unit_test(a_bad_row_of_samples_is_named),
        cmocka_unit_test(a_state_with_another_checksum_is_refused),
        cmocka_unit_test(a_state_has_at_most_4_mib),
        cmocka_unit_test(the_workers_behind_one_that_is_removed_move_up),
        cmocka_unit_test(each_bit_of_a_row_is_of_its_own_column),
        cmocka_unit_test(replicas_without_samples_have_no_ratio),
        cmocka_unit_test(a_profile_may_have_many_annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
