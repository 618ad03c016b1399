/* SPDX-License-Identifier: Apache-2.0 */

/* External scalers: where the autoscaler may be sent, and what it makes of a reply. */

#include <string.h>

#include "autoscale/external.h"
#include "base/text.h"
#include "support/test.h"

#define INTERVAL_NS INT64_C(30000000000) /* 30 s */

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

static int judge(const char *url, unsigned allow)
{
    struct joulie_error err = { .struct_size = sizeof err };
    const int rc = jl_external_check_url(url, strlen(url), allow, &err);
    assert_true(rc == 0 || err.message[0] != '\0');
    return rc;
}

static void only_public_https_is_asked(void **state)
{
    static const struct {
        const char *url;
        int code;
    } rows[] = {
        { "https://scaler.example.com/v1", 0 },
        { "HTTPS://scaler", 0 },
        { "https://scaler:8443?x=1", 0 },
        { "https://10.0.0.7/", 0 },              /* a service of the cluster */
        { "https://127.0.0.1.example.com/", 0 }, /* a name, not four numbers */
        { "https://[2001:db8::1]:443/", 0 },
        { "http://scaler.example.com/", JOULIE_E_UNSUPPORTED },
        { "https://127.0.0.1/", JOULIE_E_UNSUPPORTED },
        { "https://127.9.9.9:80/", JOULIE_E_UNSUPPORTED },
        { "https://0.0.0.0/", JOULIE_E_UNSUPPORTED },
        { "https://169.254.169.254/latest/meta-data", JOULIE_E_UNSUPPORTED },
        { "https://localhost/", JOULIE_E_UNSUPPORTED },
        { "https://LOCALHOST./", JOULIE_E_UNSUPPORTED },
        { "https://a.localhost", JOULIE_E_UNSUPPORTED },
        { "https://[::1]/", JOULIE_E_UNSUPPORTED },
        { "https://[::]/", JOULIE_E_UNSUPPORTED },
        { "https://[fe80::1]/", JOULIE_E_UNSUPPORTED },
        { "https://[::ffff:127.0.0.1]/", JOULIE_E_UNSUPPORTED },
        { "https://[0:0:0:0:0:ffff:7f00:1]/", JOULIE_E_UNSUPPORTED },
        { "https://[64:ff9b::a9fe:a9fe]/", JOULIE_E_UNSUPPORTED },
        { "https://user:key@scaler/", JOULIE_E_UNSUPPORTED },
        { "https://scaler@127.0.0.1/", JOULIE_E_UNSUPPORTED },
        { "", JOULIE_E_PARSE },
        { "https:", JOULIE_E_PARSE },
        { "https://", JOULIE_E_PARSE },
        { "https:///path", JOULIE_E_PARSE },
        { "https://:443/", JOULIE_E_PARSE },
        { "https://scaler:0/", JOULIE_E_PARSE },
        { "https://scaler:65536/", JOULIE_E_PARSE },
        { "https://scaler:/", JOULIE_E_PARSE },
        { "https://sca ler/", JOULIE_E_PARSE },
        { "https://scaler\\@evil/", JOULIE_E_PARSE },
        { "https://scaler/\r\nX: y", JOULIE_E_PARSE },
        { "https://a..b/", JOULIE_E_PARSE },
        { "https://[::1/", JOULIE_E_PARSE },
        { "https://[1:2:3:4:5:6:7]/", JOULIE_E_PARSE },
        { "https://[1:2:3:4:5:6:7:8:9]/", JOULIE_E_PARSE },
        { "https://[fe80::1%25eth0]/", JOULIE_E_PARSE },
        { "file:///etc/passwd", JOULIE_E_PARSE },
        { "gopher://scaler/", JOULIE_E_PARSE },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        if (judge(rows[i].url, 0) != rows[i].code)
            fail_msg("%s: %d", rows[i].url, judge(rows[i].url, 0));
    }
    assert_int_equal(judge("https://127.0.0.1.5/", 0), 0); /* a name: its address is judged */
    assert_int_equal(judge("http://scaler/", JL_EXTERNAL_ALLOW_HTTP), 0);
    assert_int_equal(judge("https://[::1]/", JL_EXTERNAL_ALLOW_PRIVATE), 0);
    assert_int_equal(judge("http://localhost/", JL_EXTERNAL_ALLOW_PRIVATE), JOULIE_E_UNSUPPORTED);
}

static void a_resolved_address_is_judged_again(void **state)
{
    static const uint8_t metadata[] = { 169, 254, 169, 254 };
    static const uint8_t service[] = { 10, 96, 0, 1 };
    static const uint8_t loopback[16] = { [15] = 1 };
    static const uint8_t compatible[16] = { [12] = 127, [15] = 1 };
    (void)state;
    assert_int_equal(jl_external_check_address(metadata, 4, 0, NULL), JOULIE_E_UNSUPPORTED);
    assert_int_equal(jl_external_check_address(service, 4, 0, NULL), 0);
    assert_int_equal(jl_external_check_address(loopback, 16, 0, NULL), JOULIE_E_UNSUPPORTED);
    assert_int_equal(jl_external_check_address(compatible, 16, 0, NULL), JOULIE_E_UNSUPPORTED);
    assert_int_equal(jl_external_check_address(loopback, 16, JL_EXTERNAL_ALLOW_PRIVATE, NULL), 0);
    assert_int_equal(jl_external_check_address(service, 3, 0, NULL), JOULIE_E_UNSUPPORTED);
}

static void a_secret_of_another_namespace_is_not_read(void **state)
{
    (void)state;
    assert_true(jl_external_may_read_secret("ml", NULL));
    assert_true(jl_external_may_read_secret("ml", ""));
    assert_true(jl_external_may_read_secret("ml", "ml"));
    assert_false(jl_external_may_read_secret("ml", "kube-system"));
}

static void the_request_is_the_protocols(void **state)
{
    const struct jl_external_request request = {
        "w", "ns", { "10", NULL, "4Gi" }, { "20", "5", NULL }
    };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    (void)state;
    jl_external_write(&request, &out);
    assert_string_equal(out.data,
                        "{\"workloadName\":\"w\",\"namespace\":\"ns\",\"currentResources\":"
                        "{\"requests\":{\"tflops\":\"10\",\"compute\":\"0\",\"vram\":\"4Gi\"},"
                        "\"limits\":{\"tflops\":\"20\",\"compute\":\"5\",\"vram\":\"0\"}}}");
}

static struct jl_scale_reply reply_of(int64_t status, const char *text, struct jl_arena *arena)
{
    struct jl_scale_reply reply = { 0 };
    assert_int_equal(jl_external_read(status, text, strlen(text), arena, &reply), 0);
    return reply;
}

static void a_reply_is_read(void **state)
{
    const struct jl_scale_reply reply =
        reply_of(200,
                 "{\"needScaleUp\":true,\"reason\":\"too slow, please!\",\"more\":[1],"
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
    assert_null(reply_of(200, "{}", *state).problem);
}

static void a_percent_of_a_gpu_in_a_reply_is_kept_as_one(void **state)
{
    const struct jl_scale_reply reply = reply_of(
        200,
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
        const struct jl_scale_reply reply = reply_of(200, texts[i], *state);
        if (reply.problem == NULL || reply.needs_up || reply.amounts.of[0].request > 0)
            fail_msg("%s is accepted", texts[i]);
    }
    assert_string_equal(reply_of(503, "{}", *state).problem, "HTTP status 503");
    assert_string_equal(reply_of(302, "{}", *state).problem, "HTTP status 302");
    assert_string_equal(reply_of(0, "timed out", *state).problem, "no answer: timed out");
}

static void a_reply_ends_at_a_mebibyte(void **state)
{
    static char text[JL_EXTERNAL_REPLY_BYTES + 1];
    struct jl_scale_reply reply = { 0 };
    memset(text, ' ', sizeof text);
    memcpy(text, "{}", 2);
    assert_int_equal(jl_external_read(200, text, sizeof text - 1, *state, &reply), 0);
    assert_null(reply.problem);
    assert_int_equal(jl_external_read(200, text, sizeof text, *state, &reply), 0);
    assert_string_equal(reply.problem, "the reply is above 1 MiB");
}

static void failures_are_asked_again_ever_later(void **state)
{
    (void)state;
    assert_int_equal(jl_external_wait_ns(INTERVAL_NS, 0), INTERVAL_NS);
    assert_int_equal(jl_external_wait_ns(INTERVAL_NS, 1), INTERVAL_NS);
    assert_int_equal(jl_external_wait_ns(INTERVAL_NS, 2), 2 * INTERVAL_NS);
    assert_int_equal(jl_external_wait_ns(INTERVAL_NS, 3), 4 * INTERVAL_NS);
    assert_int_equal(jl_external_wait_ns(INTERVAL_NS, 6), 20 * INTERVAL_NS); /* 10 min */
    assert_int_equal(jl_external_wait_ns(INTERVAL_NS, UINT32_MAX), 20 * INTERVAL_NS);
    assert_int_equal(jl_external_wait_ns(40 * INTERVAL_NS, 3), 40 * INTERVAL_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_public_https_is_asked),
        cmocka_unit_test(a_resolved_address_is_judged_again),
        cmocka_unit_test(a_secret_of_another_namespace_is_not_read),
        cmocka_unit_test(the_request_is_the_protocols),
        cmocka_unit_test(a_reply_is_read),
        cmocka_unit_test(a_percent_of_a_gpu_in_a_reply_is_kept_as_one),
        cmocka_unit_test(a_bad_reply_is_a_failure),
        cmocka_unit_test(a_reply_ends_at_a_mebibyte),
        cmocka_unit_test(failures_are_asked_again_ever_later),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
