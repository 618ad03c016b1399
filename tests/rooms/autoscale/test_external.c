/* SPDX-License-Identifier: Apache-2.0 */

/* External scalers: what the autoscaler makes of a reply. */

#include <string.h>

#include "autoscale/external.h"
#include "base/text.h"
#include "support/test.h"

static int set_up(void **state)
{
    static struct jl_arena arena;
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    jl_arena_clear(*state);
    return 0;
}

static struct jl_scale_reply reply_of(const char *text, struct jl_arena *arena)
{
    struct jl_scale_reply reply = { 0 };
    assert_int_equal(jl_external_read(text, strlen(text), arena, &reply), 0);
    return reply;
}

static void a_reply_is_read(void **state)
{
    const struct jl_scale_reply reply =
        reply_of("{\"needScaleUp\":true,\"reason\":\"too slow, please!\",\"more\":[1],"
                 "\"recommendedResources\":{\"requests\":{\"tflops\":\"12.5\",\"vram\":\"1Gi\"},"
                 "\"limits\":{\"tflops\":20,\"compute\":\"0\"}}}",
                 *state);
    assert_null(reply.problem);
    assert_true(reply.needs_up && !reply.needs_down);
    assert_string_equal(reply.reason, "too slow, please!");
    assert_near(reply.amounts.of[JL_USAGE_TFLOPS].request, 12.5, 0);
    assert_near(reply.amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
    assert_near(reply.amounts.of[JL_USAGE_VRAM].request, 1073741824, 0);
    assert_near(reply.amounts.of[JL_USAGE_VRAM].limit, 0, 0);
    assert_null(reply_of("{}", *state).problem);
}

static void a_percent_of_a_gpu_in_a_reply_is_kept_as_one(void **state)
{
    const struct jl_scale_reply reply = reply_of(
        "{\"needScaleUp\":true,\"recommendedResources\":{\"requests\":{\"compute\":\"25\"},"
        "\"limits\":{\"tflops\":\"20\",\"compute\":\"50\"}}}",
        *state);
    assert_null(reply.problem);
    assert_near(reply.compute_pct.request, 25, 0);
    assert_near(reply.amounts.of[JL_USAGE_TFLOPS].request, 0, 0);
    assert_near(reply.amounts.of[JL_USAGE_TFLOPS].limit, 20, 0);
}

static void a_bad_reply_is_a_failure(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{\"needScaleUp\":\"yes\"}",
        "{\"needScaleUp\":true",
        "{\"recommendedResources\":{\"requests\":{\"tflops\":\"-1\"}}}",
        "{\"recommendedResources\":{\"limits\":{\"vram\":\"4GB\"}}}",
        "{\"recommendedResources\":{\"limits\":{\"compute\":\"1e1.5\"}}}",
        "{\"recommendedResources\":{\"limits\":{\"vram\":\"\"}}}",
        "{\"needScaleUp\":true,\"recommendedResources\":{\"requests\":{\"compute\":\"101\"}}}",
        "{\"needScaleUp\":true,\"recommendedResources\":{\"limits\":{\"compute\":\"1e3\"}}}",
    };
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        const struct jl_scale_reply reply = reply_of(texts[i], *state);
        if (reply.problem == NULL || reply.needs_up || reply.amounts.of[0].request > 0)
            fail_msg("%s is accepted", texts[i]);
    }
}

static void a_reply_ends_at_a_mebibyte(void **state)
{
    static char text[JL_EXTERNAL_REPLY_BYTES + 1];
    struct jl_scale_reply reply = { 0 };
    memset(text, ' ', sizeof text);
    memcpy(text, "{}", 2);
    assert_int_equal(jl_external_read(text, sizeof text - 1, *state, &reply), 0);
    assert_null(reply.problem);
    assert_int_equal(jl_external_read(text, sizeof text, *state, &reply), 0);
    assert_string_equal(reply.problem, "the reply is above 1 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_is_read),
        cmocka_unit_test(a_percent_of_a_gpu_in_a_reply_is_kept_as_one),
        cmocka_unit_test(a_bad_reply_is_a_failure),
        cmocka_unit_test(a_reply_ends_at_a_mebibyte),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
