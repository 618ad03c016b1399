/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Saved states of an autoscaler. The first byte chooses what the others are: the text, the bytes
 * inside of a text whose checksum is right, or the choices of a play whose state is saved and then
 * damaged below its checksum. What is refused says why and changes nothing. What is accepted is
 * saved to a text that restores to the same text, and both go on alike, with amounts that can be.
 */

#include <math.h>
#include <string.h>

#include <joulie/autoscale.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/crc32.h"
#include "base/text.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define DAY_MS INT64_C(86400000)
#define LAST_MS INT64_C(4600000000000) /* the last instant of a step */
#define WORKERS 3
#define MOST_STEPS 6
#define MOST_SAMPLES 8
#define MOST_DAMAGES 6

enum { INPUT_TEXT, INPUT_BYTES, INPUT_PLAY, INPUTS };

#define PROFILE(config)                                                                    \
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"metadata\":"   \
    "{\"name\":\"p\"},\"spec\":{\"autoScalingConfig\":{" config "},\"replicas\":2,"        \
    "\"resources\":{\"limits\":{\"tflops\":\"80\",\"vram\":\"24Gi\"},\"requests\":{\"tflo" \
    "ps\":\"40\",\"vram\":\"16Gi\"}}}}"

#define AHEAD "\"prediction\":{\"enable\":true,\"historyDataPeriod\":\"1h\"}"

static const char *const profiles[] = {
    PROFILE("\"autoSetLimits\":{\"enable\":true," AHEAD "},\"autoSetReplicas\":{\"enable\":true},"
            "\"autoSetRequests\":{\"enable\":true," AHEAD "}"),
    PROFILE("\"autoSetLimits\":{\"enable\":true,\"evaluationPeriod\":\"10s\"},"
            "\"autoSetResources\":{\"enable\":true,\"targetResource\":\"all\"},"
            "\"cronScalingRules\":[{\"name\":\"c\",\"enable\":true,\"start\":\"0 9 * * *\",\"end\":"
            "\"0 18 * * *\",\"desiredResources\":{\"requests\":{\"tflops\":\"50\"}}}]"),
};

static const enum joulie_autoscale_model models[] = { JOULIE_AUTOSCALE_CURRENT,
                                                      JOULIE_AUTOSCALE_V2_17_1 };

/* ---- the autoscaler ---- */

static struct joulie_autoscaler *new_scaler(size_t which)
{
    struct joulie_autoscaler_options options = JOULIE_INIT(struct joulie_autoscaler_options);
    struct joulie_autoscaler *scaler = NULL;
    const char *profile = profiles[which / 2 % 2];
    options.model = models[which % 2];
    FUZZ_REQUIRE(joulie_autoscaler_new(&options, &scaler, NULL) == JOULIE_OK);
    FUZZ_REQUIRE(joulie_autoscaler_put_profile(scaler, profile, strlen(profile), NULL) ==
                 JOULIE_OK);
    return scaler;
}

static char *saved(const struct joulie_autoscaler *scaler)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text = NULL;
    FUZZ_REQUIRE(joulie_autoscaler_save(scaler, &text, &err) == JOULIE_OK);
    return text;
}

static void require_same_state(const struct joulie_autoscaler *scaler, const char *text)
{
    char *other = saved(scaler);
    FUZZ_REQUIRE(strcmp(other, text) == 0);
    joulie_free(other);
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static struct joulie_autoscale_output step(struct joulie_autoscaler *scaler, int64_t now_ms)
{
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = joulie_autoscaler_step(scaler, now_ms, NULL, &out, &err);
    FUZZ_REQUIRE(rc == JOULIE_OK || rc == JOULIE_E_LIMIT); /* one worker more than there can be */
    FUZZ_REQUIRE(is_amount(out.request_tflops) && is_amount(out.request_vram_bytes));
    FUZZ_REQUIRE(is_amount(out.limit_tflops) && is_amount(out.limit_vram_bytes));
    FUZZ_REQUIRE(out.replicas_to >= 0 && out.replicas_desired >= 0);
    for (size_t i = 0; i < out.decision_count; i++) {
        struct joulie_autoscale_decision one = JOULIE_INIT(struct joulie_autoscale_decision);
        FUZZ_REQUIRE(joulie_autoscaler_get_decision(scaler, i, &one, NULL) == JOULIE_OK);
        FUZZ_REQUIRE(is_amount(one.after) && one.layer && one.resource && one.reason);
    }
    return out;
}

static void put_one(struct joulie_autoscaler *scaler, int64_t at_ms, double tflops)
{
    static const char *const names[] = { "w-0" };
    static const double vram_bytes = 2147483648.0;
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    samples.workers = names;
    samples.worker_count = 1;
    samples.at_ms = (struct joulie_column_ms){ &at_ms, 0 };
    samples.tflops = (struct joulie_column){ &tflops, 0 };
    samples.vram_bytes = (struct joulie_column){ &vram_bytes, 0 };
    FUZZ_REQUIRE(joulie_autoscaler_put_samples(scaler, &samples, 1, NULL) == JOULIE_OK);
}

/* ---- what is restored ---- */

static void go_on(struct joulie_autoscaler *scaler, struct joulie_autoscaler *other, int64_t now_ms)
{
    const int64_t times_ms[] = { now_ms,          now_ms + 10000,       now_ms + 90000,
                                 now_ms + DAY_MS, now_ms + 40 * DAY_MS, LAST_MS };
    for (size_t i = 0; i < JL_COUNT(times_ms); i++) {
        put_one(scaler, times_ms[i], 79.5);
        put_one(other, times_ms[i], 79.5);
        const struct joulie_autoscale_output one = step(scaler, times_ms[i]);
        const struct joulie_autoscale_output two = step(other, times_ms[i]);
        FUZZ_REQUIRE(memcmp(&one, &two, sizeof one) == 0);
    }
    char *text = saved(scaler);
    require_same_state(other, text);
    joulie_free(text);
}

/* One that restores the text is the same as the one that saved it, now and later. */
static void check_saved(struct joulie_autoscaler *scaler, const char *text, size_t which,
                        int64_t now_ms)
{
    struct joulie_autoscaler *other = new_scaler(which);
    FUZZ_REQUIRE(joulie_autoscaler_restore(other, text, strlen(text), NULL) == JOULIE_OK);
    require_same_state(other, text);
    go_on(scaler, other, now_ms);
    joulie_autoscaler_free(other);
}

static void check_text(const char *text, size_t len, size_t which, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_autoscaler *scaler = new_scaler(which);
    char *before = saved(scaler);
    const int rc = joulie_autoscaler_restore(scaler, text, len, &err);
    if (rc < 0) {
        FUZZ_REQUIRE(rc == err.code && rc != JOULIE_E_INTERNAL && err.message[0] != '\0');
        require_same_state(scaler, before);
    } else {
        char *mine = saved(scaler);
        check_saved(scaler, mine, which, now_ms);
        joulie_free(mine);
    }
    joulie_free(before);
    joulie_autoscaler_free(scaler);
}

/* In the form of a saved state, with the right checksum. */
static void check_bytes(const char *bytes, size_t len, size_t which, int64_t now_ms)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jl_put_string(&text, "{\"version\":1,\"crc32\":");
    jl_put_u64(&text, jl_crc32(bytes, len));
    jl_put_string(&text, ",\"data\":\"");
    jl_put_base64(&text, bytes, len);
    jl_put_string(&text, "\"}");
    FUZZ_REQUIRE(!text.is_failed);
    check_text(text.data, text.len, which, now_ms);
}

/* ---- plays ---- */

static void put_samples(struct dice *dice, struct joulie_autoscaler *scaler, int64_t now_ms)
{
    static const char *const names[WORKERS] = { "w-0", "w-1", "w-2" };
    const size_t count = (size_t)dice_int(dice, 0, MOST_SAMPLES);
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    int32_t worker[MOST_SAMPLES];
    int64_t at_ms[MOST_SAMPLES];
    double tflops[MOST_SAMPLES];
    double vram_bytes[MOST_SAMPLES];
    double throttled[MOST_SAMPLES];
    for (size_t i = 0; i < count; i++) {
        worker[i] = (int32_t)dice_int(dice, 0, WORKERS - 1);
        at_ms[i] = now_ms - 1000 * dice_int(dice, -10, 200);
        tflops[i] = dice_number(dice, 0, 200);
        vram_bytes[i] = dice_number(dice, 0, 1e11);
        throttled[i] = (double)dice_int(dice, 0, 3);
    }
    samples.workers = names;
    samples.worker_count = WORKERS;
    samples.worker = (struct joulie_column_int){ worker, sizeof *worker };
    samples.at_ms = (struct joulie_column_ms){ at_ms, sizeof *at_ms };
    samples.tflops = (struct joulie_column){ tflops, sizeof *tflops };
    samples.vram_bytes = (struct joulie_column){ vram_bytes, sizeof *vram_bytes };
    if (dice_bit(dice))
        samples.throttled_count = (struct joulie_column){ throttled, sizeof *throttled };
    FUZZ_REQUIRE(joulie_autoscaler_put_samples(scaler, &samples, count, NULL) == JOULIE_OK);
}

/* Cuts, changes and repeats; none at all is fine, too. */
static void damage(struct dice *dice, struct jl_buffer *bytes)
{
    for (int64_t left = dice_int(dice, 0, MOST_DAMAGES); left > 0 && bytes->len > 0; left--) {
        const size_t at = (size_t)dice_int(dice, 0, (int64_t)bytes->len - 1);
        const uint64_t bits = dice_bits(dice);
        if (!dice_bit(dice))
            bytes->data[at] = (char)(unsigned char)bits;
        else if (bits % 8 == 0)
            bytes->len = at;
        else if (bytes->len - at >= sizeof bits)
            memcpy(bytes->data + at, &bits, sizeof bits);
    }
}

static void check_play(struct dice *dice, size_t which)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer bytes = { 0 };
    struct joulie_autoscaler *scaler = new_scaler(which);
    int64_t now_ms = NOW_MS;
    for (int64_t left = dice_int(dice, 1, MOST_STEPS); left > 0; left--) {
        put_samples(dice, scaler, now_ms);
        (void)step(scaler, now_ms);
        now_ms += dice_bit(dice) ? 10000 : 60000 * dice_int(dice, 1, 3000);
    }
    char *text = saved(scaler);
    check_saved(scaler, text, which, now_ms);
    const char *data = strstr(text, "\"data\":\"");
    FUZZ_REQUIRE(data != NULL);
    data += strlen("\"data\":\"");
    FUZZ_REQUIRE(jl_parse_base64(data, strcspn(data, "\""), &bytes) == 0);
    damage(dice, &bytes);
    check_bytes(bytes.data, bytes.len, which, now_ms);
    joulie_free(text);
    joulie_autoscaler_free(scaler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const size_t which = data[0] / INPUTS;
    const char *rest = (const char *)data + 1;
    struct dice dice = { data + 1, size - 1 };
    switch (data[0] % INPUTS) {
    case INPUT_TEXT:
        check_text(rest, size - 1, which, NOW_MS);
        break;
    case INPUT_BYTES:
        check_bytes(rest, size - 1, which, NOW_MS);
        break;
    default:
        check_play(&dice, which);
    }
    return 0;
}
