/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/remote.h>: replies, endpoints, throttles, shards and names, as an agent calls them. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <joulie/remote.h>

#include "base/text.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static struct joulie_remote_sample read_body(const char *body, int32_t status)
{
    const struct joulie_remote_reply reply = {
        .struct_size = sizeof reply,
        .has = JOULIE_REMOTE_REPLY_HAS_AGE,
        .body = body,
        .len = strlen(body),
        .now_ms = NOW_MS,
        .max_age_ms = 60000,
        .http_status = status,
        .power_of = JOULIE_REMOTE_POWER_OF_CPU,
    };
    struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
    assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, NULL), JOULIE_OK);
    return sample;
}

static void a_reading_has_power_limits_and_age(void **state)
{
    (void)state;
    const struct joulie_remote_sample sample =
        read_body("{\"packagePowerWatts\":300,\"ts\":\"2026-03-13T11:59:50Z\",\"cpu\":{"
                  "\"packagePowerWatts\":145,\"utilization\":0.5,\"capWatts\":200},\"gpu\":{"
                  "\"present\":true,\"powerWattsTotal\":155,\"capWattsPerGpuTarget\":210}}",
                  200);
    assert_int_equal(sample.result, JOULIE_REMOTE_RESULT_SAMPLE);
    assert_int_equal(sample.has & JOULIE_REMOTE_SAMPLE_HAS_THROTTLE, 0);
    assert_near(sample.power_w, 145, 0);
    assert_near(sample.age_s, 10, 0);
    assert_near(sample.cpu_util_pct, 50, 0);
    assert_near(sample.cpu_limit_w, 200, 0);
    assert_near(sample.gpu_power_w, 155, 0);
    assert_near(sample.gpu_limit_w, 210, 0);
}

static void only_a_good_status_has_a_reading(void **state)
{
    static const int32_t good[] = { 200, 201, 299 };
    static const int32_t bad[] = { -1, 0, 100, 199, 300, 404, 500 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(good); i++)
        assert_int_equal(read_body("{\"cpu\":{\"packagePowerWatts\":1}}", good[i]).result,
                         JOULIE_REMOTE_RESULT_SAMPLE);
    for (size_t i = 0; i < JL_COUNT(bad); i++)
        assert_int_equal(read_body("{\"cpu\":{\"packagePowerWatts\":1}}", bad[i]).result,
                         JOULIE_REMOTE_RESULT_ERROR);
}

/* Watts are numbers up to 1e300, shares of a processor from 0 to 1, a throttle up to 100 %. */
static void what_a_reply_says_beyond_its_bounds_is_not_known(void **state)
{
    static const struct {
        const char *body;
        uint64_t has;
    } rows[] = {
        { "{\"cpu\":{\"packagePowerWatts\":1},\"gpu\":{\"powerWattsTotal\":1e300}}",
          JOULIE_REMOTE_SAMPLE_HAS_GPU_POWER },
        { "{\"cpu\":{\"packagePowerWatts\":1},\"gpu\":{\"powerWattsTotal\":1.005e300}}", 0 },
        { "{\"cpu\":{\"packagePowerWatts\":1},\"gpu\":{\"powerWattsTotal\":-0.001}}", 0 },
        { "{\"cpu\":{\"packagePowerWatts\":1,\"utilization\":1}}",
          JOULIE_REMOTE_SAMPLE_HAS_CPU_UTIL },
        { "{\"cpu\":{\"packagePowerWatts\":1,\"utilization\":1.001}}", 0 },
        { "{\"cpu\":{\"packagePowerWatts\":1,\"throttlePct\":100}}",
          JOULIE_REMOTE_SAMPLE_HAS_THROTTLE },
        { "{\"cpu\":{\"packagePowerWatts\":1,\"throttlePct\":100.1}}", 0 },
    };

    const uint64_t asked = JOULIE_REMOTE_SAMPLE_HAS_GPU_POWER | JOULIE_REMOTE_SAMPLE_HAS_CPU_UTIL |
                           JOULIE_REMOTE_SAMPLE_HAS_THROTTLE;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(read_body(rows[i].body, 200).has & asked, rows[i].has);
}

static const struct joulie_remote_reply plain_reply = {
    .struct_size = sizeof(struct joulie_remote_reply),
    .body = "{\"packagePowerWatts\":7,\"ts\":\"2026-03-13T12:00:00Z\"}",
    .len = 51,
    .now_ms = NOW_MS,
    .http_status = 200,
    .power_of = JOULIE_REMOTE_POWER_OF_CPU,
};

/* 0 W of CPUs are a measurement, of a node they are none; what holds the GPUs too is not of CPUs.
 */
static void the_power_is_of_what_was_asked_for(void **state)
{
    static const struct {
        const char *body;
        double cpu_w, node_w; /* below 0 = no sample */
    } rows[] = {
        { "{\"packagePowerWatts\":5,\"cpu\":{\"packagePowerWatts\":0}}", 0, 5 },
        { "{\"packagePowerWatts\":0,\"cpu\":{\"packagePowerWatts\":3}}", 3, 3 },
        { "{\"packagePowerWatts\":0}", 0, -1 },
        { "{\"cpu\":{\"packagePowerWatts\":0}}", 0, -1 },
        { "{\"packagePowerWatts\":-1,\"cpu\":{\"packagePowerWatts\":-1}}", -1, -1 },
        { "{\"packagePowerWatts\":5,\"cpu\":{\"packagePowerWatts\":-1}}", 5, 5 },
        { "{\"packagePowerWatts\":5,\"gpu\":{\"present\":true}}", -1, 5 },
        { "{\"packagePowerWatts\":5,\"gpu\":{\"present\":false}}", 5, 5 },
        { "{\"ts\":\"2026-03-13T12:00:00Z\"}", -1, -1 },
    };

    (void)state;
    for (size_t i = 0; i < 2 * JL_COUNT(rows); i++) {
        struct joulie_remote_reply reply = plain_reply;
        struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
        const double power_w = i % 2 ? rows[i / 2].node_w : rows[i / 2].cpu_w;
        reply.body = rows[i / 2].body;
        reply.len = strlen(reply.body);
        reply.power_of = i % 2 ? JOULIE_REMOTE_POWER_OF_NODE : JOULIE_REMOTE_POWER_OF_CPU;
        assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, NULL), JOULIE_OK);
        if ((sample.result == JOULIE_REMOTE_RESULT_SAMPLE) != (power_w >= 0))
            fail_msg("row %zu: %d", i, (int)sample.result);
        if (power_w >= 0)
            assert_near(sample.power_w, power_w, 0);
    }
}

static void an_age_has_bounds(void **state)
{
    static const struct {
        const char *ts;
        int64_t max_age_ms;
        enum joulie_remote_result result;
    } rows[] = {
        { "2026-03-13T11:59:00Z", 60000, JOULIE_REMOTE_RESULT_SAMPLE },
        { "2026-03-13T11:58:59.999Z", 60000, JOULIE_REMOTE_RESULT_STALE },
        { "2026-03-13T12:00:00Z", 0, JOULIE_REMOTE_RESULT_SAMPLE },
        { "2026-03-13T12:00:05.000Z", 0, JOULIE_REMOTE_RESULT_SAMPLE },
        { "2026-03-13T12:00:05.001Z", 0, JOULIE_REMOTE_RESULT_AHEAD },
        { "", 0, JOULIE_REMOTE_RESULT_ERROR },
    };

    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_remote_sample sample = JOULIE_INIT(struct joulie_remote_sample);
    struct joulie_remote_reply reply = plain_reply;
    (void)state;
    assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, NULL), JOULIE_OK);
    assert_int_equal(sample.has, JOULIE_REMOTE_SAMPLE_HAS_POWER); /* without a time no age */
    assert_int_equal(sample.result, JOULIE_REMOTE_RESULT_SAMPLE);
    reply.has = JOULIE_REMOTE_REPLY_HAS_AGE;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        char body[100];
        snprintf(body, sizeof body, "{\"packagePowerWatts\":7,\"ts\":\"%s\"}", rows[i].ts);
        reply.body = body;
        reply.len = strlen(body);
        reply.max_age_ms = rows[i].max_age_ms;
        assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, NULL), JOULIE_OK);
        assert_int_equal(sample.result, rows[i].result);
    }
    reply.max_age_ms = -1;
    assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "max_age_ms");
    reply.power_of = JOULIE_REMOTE_POWER_OF_NODE + 1;
    assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, &err), JOULIE_E_ENUM);
    reply.power_of = JOULIE_REMOTE_POWER_OF_CPU - 1;
    assert_int_equal(joulie_remote_read_telemetry(&reply, &sample, &err), JOULIE_E_ENUM);
}

static void replies_that_say_nothing_have_no_numbers(void **state)
{
    (void)state;
    assert_int_equal(read_body("{\"packagePowerWatts\":\"42\"}", 200).result,
                     JOULIE_REMOTE_RESULT_NO_SAMPLE);
    assert_int_equal(read_body("{}", 502).result, JOULIE_REMOTE_RESULT_ERROR);
    assert_int_equal(read_body("[]", 200).result, JOULIE_REMOTE_RESULT_ERROR);
    const struct joulie_remote_sample old =
        read_body("{\"packagePowerWatts\":42,\"ts\":\"2026-03-13T11:00:00Z\"}", 200);
    assert_int_equal(old.result, JOULIE_REMOTE_RESULT_STALE);
    assert_int_equal(old.has, 0);
    const struct joulie_remote_sample ahead =
        read_body("{\"packagePowerWatts\":42,\"ts\":\"2026-03-13T12:00:06Z\"}", 200);
    assert_int_equal(ahead.result, JOULIE_REMOTE_RESULT_AHEAD);
    assert_near(ahead.age_s, 0, 0);
    const struct joulie_remote_sample little =
        read_body("{\"cpu\":{\"packagePowerWatts\":42},\"ts\":\"2026-03-13T12:00:05Z\"}", 200);
    assert_int_equal(little.result, JOULIE_REMOTE_RESULT_SAMPLE);
    assert_near(little.age_s, 0, 0);
}

static void a_control_reply_says_what_became_of_a_cap(void **state)
{
    static const struct {
        int32_t status;
        const char *body;
        enum joulie_control_result result;
        const char *message;
    } rows[] = {
        { 200, "{\"ok\":true}", JOULIE_CONTROL_APPLIED, NULL },
        { 200, "{\"ok\":true,\"result\":\"pending\"}", JOULIE_CONTROL_PENDING, NULL },
        { 200, "{\"result\":\"blocked\",\"message\":\"locked\"}", JOULIE_CONTROL_BLOCKED,
          "locked" },
        { 500, "{\"ok\":true,\"message\":\"down\"}", JOULIE_CONTROL_ERROR, "down" },
        { 200, "{\"result\":7,\"message\":\"seven\"}", JOULIE_CONTROL_ERROR, "seven" },
        { 200, "{\"ok\":false,\"message\":7}", JOULIE_CONTROL_ERROR, NULL },
        { 200, "", JOULIE_CONTROL_ERROR, NULL },
        { 299, "{\"ok\":true}", JOULIE_CONTROL_APPLIED, NULL },
        { 300, "{\"ok\":true}", JOULIE_CONTROL_ERROR, NULL },
        { 199, "{\"ok\":true}", JOULIE_CONTROL_ERROR, NULL },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        enum joulie_control_result result = JOULIE_CONTROL_UNKNOWN;
        char *message = NULL;
        assert_int_equal(joulie_remote_read_control(rows[i].status, rows[i].body,
                                                    strlen(rows[i].body), &result, &message, NULL),
                         JOULIE_OK);
        assert_int_equal(result, rows[i].result);
        if (rows[i].message == NULL)
            assert_null(message);
        else
            assert_string_equal(message, rows[i].message);
        joulie_free(message);
    }
}

static void prometheus_has_a_number_or_a_reason(void **state)
{
    static const char good[] = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\","
                               "\"result\":[{\"metric\":{},\"value\":[1,\"42.5\"]}]}}";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    double value = -1;
    (void)state;
    assert_int_equal(joulie_remote_read_prometheus(200, good, strlen(good), &value, &err),
                     JOULIE_OK);
    assert_near(value, 42.5, 0);
    assert_int_equal(joulie_remote_read_prometheus(500, good, strlen(good), &value, &err),
                     JOULIE_E_PARSE);
    assert_string_equal(err.message, "the HTTP status is not 2xx");
    assert_near(value, 42.5, 0);
}

static int resolve(const struct joulie_remote_settings *settings, const char *name,
                   enum joulie_remote_role role, struct joulie_remote_endpoint *out,
                   struct joulie_error *err)
{
    *out = (struct joulie_remote_endpoint)JOULIE_INIT(struct joulie_remote_endpoint);
    return joulie_remote_resolve(settings, name, role, out, err);
}

static void settings_become_endpoints(void **state)
{
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_remote_endpoint endpoint;
    settings.cpu_source = " Prometheus ";
    settings.cpu_endpoint = "http://p:9090";
    settings.cpu_control = "http";
    settings.cpu_control_endpoint = "http://c/{node}";
    settings.cpu_control_mode = "dvfs";
    settings.timeout_s = "7";
    (void)state;
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL),
                     JOULIE_OK);
    assert_int_equal(endpoint.type, JOULIE_REMOTE_TYPE_PROMETHEUS);
    assert_string_equal(endpoint.url,
                        "http://p:9090/api/v1/query?query=sum%28rate%28kepler_node_cpu_joules_"
                        "total%7Bzone%3D%22package%22%2Cnode_name%3D%22n1%22%7D%5B1m%5D%29%29");
    joulie_free(endpoint.url);
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_CONTROL, &endpoint, NULL),
                     JOULIE_OK);
    assert_string_equal(endpoint.url, "http://c/n1");
    assert_int_equal(endpoint.mode, JOULIE_REMOTE_MODE_DVFS);
    assert_int_equal(endpoint.timeout_ms, 7000);
    joulie_free(endpoint.url);
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_GPU_CONTROL, &endpoint, NULL),
                     JOULIE_OK);
    assert_int_equal(endpoint.type, JOULIE_REMOTE_TYPE_HOST);
    assert_int_equal(endpoint.mode, JOULIE_REMOTE_MODE_UNKNOWN);
    assert_null(endpoint.url);
    settings.cpu_source = "http";
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL),
                     JOULIE_OK);
    assert_int_equal(endpoint.mode, JOULIE_REMOTE_MODE_UNKNOWN);
    joulie_free(endpoint.url);
}

static void a_timeout_is_whole_seconds_above_0(void **state)
{
    static const struct {
        const char *text;
        int code;
        int64_t ms;
    } rows[] = {
        { "", JOULIE_OK, 2000 },
        { "1", JOULIE_OK, 1000 },
        { "2147483647", JOULIE_OK, INT64_C(2147483647000) },
        { "2147483648", JOULIE_E_RANGE, 0 },
        { "0", JOULIE_E_RANGE, 0 },
        { "-1", JOULIE_E_RANGE, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
        struct joulie_remote_endpoint endpoint;
        settings.cpu_source = "http";
        settings.cpu_endpoint = "http://c";
        settings.timeout_s = rows[i].text;
        assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL),
                         rows[i].code);
        if (rows[i].code == JOULIE_OK)
            assert_int_equal(endpoint.timeout_ms, rows[i].ms);
        joulie_free(endpoint.url);
    }
}

/* Of the name letters, digits, '-', '.', '_' and '~'; of the endpoint all that is seen. */
static void a_url_has_bytes_that_it_may_have(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 256; byte++) {
        struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
        struct joulie_remote_endpoint endpoint;
        const char name[] = { 'n', (char)byte, '1', '\0' };
        const char url[] = { 'h', 't', 't', 'p', ':', '/', '/', (char)byte, 'c', '\0' };
        const bool is_word = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                             (byte >= 'A' && byte <= 'Z') || strchr("-._~", (int)byte) != NULL;
        settings.cpu_source = "http";
        settings.cpu_endpoint = "http://c/{node}";
        if ((resolve(&settings, name, JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL) ==
             JOULIE_OK) != is_word)
            fail_msg("byte %u of a name", byte);
        joulie_free(endpoint.url);
        settings.cpu_endpoint = url;
        if ((resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_SOURCE, &endpoint, NULL) ==
             JOULIE_OK) != (byte > ' ' && byte != 0x7F))
            fail_msg("byte %u of an endpoint", byte);
        joulie_free(endpoint.url);
    }
}

static void settings_that_cannot_be_meant_are_refused(void **state)
{
    struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_remote_endpoint endpoint;
    (void)state;
    settings.cpu_control = "ipmi";
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_CONTROL, &endpoint, &err),
                     JOULIE_E_ENUM);
    assert_string_equal(err.where, "env.TELEMETRY_CPU_CONTROL");
    settings.cpu_control = "http";
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_CONTROL, &endpoint, &err),
                     JOULIE_E_REQUIRED);
    settings.cpu_control_endpoint = "http://c/{node}";
    assert_int_equal(resolve(&settings, "n/../m", JOULIE_REMOTE_ROLE_CPU_CONTROL, &endpoint, &err),
                     JOULIE_E_PARSE);
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_UNKNOWN, &endpoint, &err),
                     JOULIE_E_ENUM);
    settings.struct_size = 8;
    assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_CONTROL, &endpoint, &err),
                     JOULIE_E_ABI);
}

/* 8 KiB, with the node's name put in, wherever it stands. */
static void an_endpoint_may_be_as_long_as_its_bound(void **state)
{
    static const struct {
        const char *text; /* "*" = as many letters as it takes */
        size_t len;
        int code;
    } rows[] = {
        { "http://c/*", 8192, JOULIE_OK },
        { "http://c/*", 8193, JOULIE_E_LIMIT },
        { "http://c/{node}*", 8192, JOULIE_OK },
        { "http://c/{node}*", 8193, JOULIE_E_LIMIT },
        { "http://c/*{node}", 8192, JOULIE_OK },
        { "http://c/*{node}", 8193, JOULIE_E_LIMIT },
        { "http://c/{node}*{node}", 8192, JOULIE_OK },
        { "http://c/{node}*{node}", 8193, JOULIE_E_LIMIT },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_remote_settings settings = JOULIE_INIT(struct joulie_remote_settings);
        struct joulie_remote_endpoint endpoint;
        char url[8300];
        size_t names = 0;
        size_t used = 0;
        for (const char *at = rows[i].text; (at = strstr(at, "{node}")) != NULL; at++)
            names++;
        const size_t letters = rows[i].len + 1 + names * strlen("{node}") - strlen(rows[i].text) -
                               names * strlen("n1");
        for (const char *c = rows[i].text; *c != '\0'; c++) {
            const size_t count = *c == '*' ? letters : 1;
            memset(url + used, *c == '*' ? 'a' : *c, count);
            used += count;
        }
        url[used] = '\0';
        settings.cpu_control = "http";
        settings.cpu_control_endpoint = url;
        assert_int_equal(resolve(&settings, "n1", JOULIE_REMOTE_ROLE_CPU_CONTROL, &endpoint, NULL),
                         rows[i].code);
        if (rows[i].code == JOULIE_OK)
            assert_int_equal(strlen(endpoint.url), rows[i].len);
        joulie_free(endpoint.url);
    }
}

static double throttle_at(struct joulie_throttle *throttle, int64_t at_ms, double cap_w,
                          double power_w, double in_force_pct)
{
    const struct joulie_throttle_sample sample = {
        .struct_size = sizeof sample,
        .has = JOULIE_THROTTLE_HAS_POWER,
        .at_ms = at_ms,
        .cap_w = cap_w,
        .power_w = power_w,
        .in_force_pct = in_force_pct,
    };
    double pct = -1;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_OK);
    return pct;
}

/* docs/rules/frequencies.md#proportional: 0.774597, 0.692820, hold, 0.727461 of the maximum */
static void a_throttle_follows_the_power(void **state)
{
    struct joulie_throttle *throttle = NULL;
    (void)state;
    assert_int_equal(joulie_throttle_new(NULL, &throttle, NULL), JOULIE_OK);
    assert_near(throttle_at(throttle, 0, 120, 200, 0), 23, 0);
    assert_near(throttle_at(throttle, 1000, 120, 150, 23), 31, 0);
    assert_near(throttle_at(throttle, 2000, 120, 118.5, 31), 31, 0);
    assert_near(throttle_at(throttle, 3000, 120, 100, 31), 27, 0);
    /* another cap goes on from the throttle in force: sqrt(100 / 200) of 50 % */
    assert_near(throttle_at(throttle, 4000, 100, 200, 50), 65, 0);
    /* the share is never below 0.01, whatever is in force */
    assert_near(throttle_at(throttle, 5000, 90, 200, 100), 99, 0);
    joulie_throttle_free(throttle);
}

static void the_controller_of_v0_1_1_moves_in_steps(void **state)
{
    struct joulie_throttle_options options = JOULIE_INIT(struct joulie_throttle_options);
    struct joulie_throttle *throttle = NULL;
    (void)state;
    options.is_legacy = 1;
    assert_int_equal(joulie_throttle_new(&options, &throttle, NULL), JOULIE_OK);
    assert_near(throttle_at(throttle, 0, 120, 200, 0), 0, 0);
    assert_near(throttle_at(throttle, 20000, 120, 200, 0), 10, 0);
    assert_near(throttle_at(throttle, 30000, 120, 200, 10), 10, 0); /* it cools down */
    joulie_throttle_free(throttle);
}

static void a_throttle_refuses_numbers_that_are_none(void **state)
{
    struct joulie_throttle_options options = JOULIE_INIT(struct joulie_throttle_options);
    struct joulie_throttle_sample sample = JOULIE_INIT(struct joulie_throttle_sample);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_throttle *throttle = NULL;
    double pct = -1;
    (void)state;
    options.has = JOULIE_THROTTLE_HAS_TRIP_COUNT;
    assert_int_equal(joulie_throttle_new(&options, &throttle, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "DVFS_TRIP_COUNT");
    assert_int_equal(joulie_throttle_new(NULL, &throttle, NULL), JOULIE_OK);
    sample.cap_w = -1;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "cap_w");
    sample.cap_w = 100;
    sample.in_force_pct = NAN;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "in_force_pct");
    sample.in_force_pct = 100.1;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_E_RANGE);
    sample.in_force_pct = -0.1;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_E_RANGE);
    assert_near(pct, -1, 0);
    sample.in_force_pct = 100;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_OK);
    joulie_throttle_free(throttle);
    assert_near(joulie_throttle_open_pct(62.5), 38, 0);
}

/* Each number by itself, with a value that the controller works with. */
static void a_throttle_takes_every_option_and_no_others(void **state)
{
    const struct joulie_throttle_options good = {
        .struct_size = sizeof good,
        .ema_alpha = 1,
        .high_margin_w = 1,
        .low_margin_w = 1,
        .step_pct = 1,
        .cooldown_ms = 1,
        .trip_count = 1,
    };
    struct joulie_throttle *throttle = NULL;
    (void)state;
    for (uint64_t bit = 1; bit < 64; bit <<= 1) {
        struct joulie_throttle_options options = good;
        options.has = bit;
        assert_int_equal(joulie_throttle_new(&options, &throttle, NULL),
                         bit <= JOULIE_THROTTLE_HAS_TRIP_COUNT ? JOULIE_OK : JOULIE_E_ABI);
        joulie_throttle_free(throttle);
    }
    for (int i = 0; i < 4; i++) {
        static const int64_t counts[] = { INT64_C(2147483648), -1, 0, INT64_C(4294967297) };
        struct joulie_throttle_options options = good;
        options.has = JOULIE_THROTTLE_HAS_TRIP_COUNT;
        options.trip_count = counts[i];
        assert_int_equal(joulie_throttle_new(&options, &throttle, NULL), JOULIE_E_RANGE);
    }
    struct joulie_throttle_options options = good;
    options.has = JOULIE_THROTTLE_HAS_TRIP_COUNT;
    options.trip_count = INT32_MAX;
    assert_int_equal(joulie_throttle_new(&options, &throttle, NULL), JOULIE_OK);
    joulie_throttle_free(throttle);
    options.has = JOULIE_THROTTLE_HAS_TRIP_COUNT << 1;
    assert_int_equal(joulie_throttle_new(&options, &throttle, NULL), JOULIE_E_ABI);
    options = good;
    options.reserved = 1;
    assert_int_equal(joulie_throttle_new(&options, &throttle, NULL), JOULIE_E_ABI);
    options = good;
    options.struct_size = 8;
    assert_int_equal(joulie_throttle_new(&options, &throttle, NULL), JOULIE_E_ABI);
}

static void a_sample_of_a_later_release_is_refused(void **state)
{
    struct joulie_throttle_sample sample = JOULIE_INIT(struct joulie_throttle_sample);
    struct joulie_throttle *throttle = NULL;
    double pct = -1;
    (void)state;
    assert_int_equal(joulie_throttle_new(NULL, &throttle, NULL), JOULIE_OK);
    sample.has = JOULIE_THROTTLE_HAS_POWER << 1;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_E_ABI);
    sample.has = 0;
    sample.struct_size = 8;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_E_ABI);
    sample.struct_size = sizeof sample;
    assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, NULL), JOULIE_OK);
    joulie_throttle_free(throttle);
}

static void a_node_has_a_shard_and_an_object_name(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int64_t shard = -1;
    char *name = NULL;
    (void)state;
    assert_int_equal(joulie_remote_own_shard("", "joulie-agent-pool-3", 5, &shard, NULL),
                     JOULIE_OK);
    assert_int_equal(shard, 3);
    assert_int_equal(joulie_remote_own_shard("x", NULL, 5, &shard, &err), JOULIE_E_PARSE);
    assert_string_equal(err.where, "poolShardId");
    assert_int_equal(joulie_remote_own_shard(NULL, "pool-7", 5, &shard, &err), JOULIE_E_RANGE);
    assert_int_equal(joulie_remote_shard_of("kwok-node-0", 2), 1);
    assert_int_equal(joulie_remote_shard_of("kwok-node-0", 1), 0);
    assert_int_equal(joulie_node_object_name("n1", &name, NULL), JOULIE_OK);
    assert_string_equal(name, "n1");
    joulie_free(name);
    assert_int_equal(joulie_node_object_name("...", &name, &err), JOULIE_E_PARSE);
}

static void a_facility_has_a_pue_with_it_power_only(void **state)
{
    (void)state;
    assert_near(joulie_facility_pue(100, 20), 1.2, 1e-12);
    assert_true(isnan(joulie_facility_pue(0, 20)));
}

#define NODE "apiVersion: v1\nkind: Node\n"

static void labels_describe_a_node(void **state)
{
    static const char node[] =
        NODE "metadata: {name: n1, labels: {joulie.io/hw.cpu-sockets: \"2\"}}\n"
             "status: {capacity: {cpu: \"8\"}}\n";
    struct joulie_remote_can can = JOULIE_INIT(struct joulie_remote_can);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    (void)state;
    can.cpu_control = 1;
    assert_int_equal(joulie_remote_hardware(node, strlen(node), &can, NOW_MS, &json, &err),
                     JOULIE_OK);
    assert_non_null(strstr(json, "\"sockets\":2"));
    assert_non_null(strstr(json, "\"updatedAt\":\"2026-03-13T12:00:00Z\""));
    joulie_free(json);
    assert_int_equal(joulie_remote_hardware(NODE, strlen(NODE), &can, NOW_MS, &json, &err),
                     JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "metadata.name");
}

/* docs/rules/node-agent.md#hardware-from-labels: whatever is known is said, and nothing else. */
static void hardware_from_labels_says_what_is_known(void **state)
{
    static const struct {
        const char *labels, *status;
        int can_cpu, can_gpu; /* control; telemetry is the other way round */
        const char *says[12];
    } rows[] = {
        { "feature.node.kubernetes.io/cpu-vendor: amd, feature.node.kubernetes.io/cpu-model.name: "
          "AMD EPYC 9534 64-Core Processor, feature.node.kubernetes.io/cpu-sockets: '2', "
          "nvidia.com/gpu.product: NVIDIA-L40S",
          "capacity: {cpu: '128'}, allocatable: {nvidia.com/gpu: '4'}",
          1,
          0,
          { "\"rawModel\":\"AMD EPYC 9534 64-Core Processor\"", "\"vendor\":\"AuthenticAMD\"",
            "\"sockets\":2", "\"totalCores\":128", "\"coresPerSocket\":64",
            "\"exactness\":{\"cpu\":\"exact\",\"gpu\":\"exact\"}",
            "\"hardwareCatalogKey\":{\"cpu\":\"AMD_EPYC_9534\",\"gpu\":\"NVIDIA_L40S\"}",
            "\"overall\":\"exact\"", "\"vendor\":\"nvidia\",\"count\":4",
            "\"cpuControl\":true,\"gpuControl\":false,\"cpuTelemetry\":false,"
            "\"gpuTelemetry\":true" } },
        { "feature.node.kubernetes.io/cpu-model.name: Abacus",
          "capacity: {cpu: '8'}, allocatable: {nvidia.com/gpu: '1'}",
          0,
          1,
          { "\"rawModel\":\"Abacus\"", "\"warnings\":[\"cpu model not recognized\"]",
            "\"exactness\":{\"cpu\":\"proxy\",\"gpu\":\"generic\"}", "\"overall\":\"heuristic\"",
            "\"totalCores\":8", "\"present\":true",
            "\"cpuControl\":false,\"gpuControl\":true,\"cpuTelemetry\":true,"
            "\"gpuTelemetry\":false" } },
        { "nvidia.com/gpu.product: Abacus",
          "capacity: {cpu: '8'}, allocatable: {nvidia.com/gpu: '1'}",
          0,
          1,
          { "\"rawModel\":\"Abacus\"", "\"warnings\":[\"gpu model not recognized\"]",
            "\"exactness\":{\"cpu\":\"generic\",\"gpu\":\"proxy\"}",
            "\"overall\":\"heuristic\"" } },
        { "feature.node.kubernetes.io/cpu-model.name: AMD EPYC 9534 64-Core Processor",
          "allocatable: {nvidia.com/gpu: '1'}",
          0,
          0,
          { "\"overall\":\"heuristic\"", "\"vendor\":\"AuthenticAMD\"",
            "\"exactness\":{\"cpu\":\"exact\",\"gpu\":\"generic\"}" } },
        { "feature.node.kubernetes.io/cpu-model.name: AMD EPYC 9534 64-Core Processor",
          "capacity: {cpu: '128'}",
          0,
          1,
          { "\"overall\":\"exact\"", "\"present\":false,\"vendor\":\"none\"",
            "\"gpuControl\":false,\"cpuTelemetry\":true,\"gpuTelemetry\":false" } },
        { "zone: a",
          "capacity: {cpu: '8'}",
          0,
          0,
          { "\"overall\":\"unavailable\"", "\"totalCores\":8",
            "\"exactness\":{\"cpu\":\"generic\",\"gpu\":\"generic\"}" } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_remote_can can = {
            .struct_size = sizeof can,
            .cpu_control = rows[i].can_cpu,
            .cpu_telemetry = !rows[i].can_cpu,
            .gpu_control = rows[i].can_gpu,
            .gpu_telemetry = !rows[i].can_gpu,
        };
        char node[800];
        char *json = NULL;
        snprintf(node, sizeof node, NODE "metadata: {name: n1, labels: {%s}}\nstatus: {%s}\n",
                 rows[i].labels, rows[i].status);
        assert_int_equal(joulie_remote_hardware(node, strlen(node), &can, NOW_MS, &json, NULL),
                         JOULIE_OK);
        for (size_t k = 0; k < JL_COUNT(rows[i].says) && rows[i].says[k]; k++) {
            if (!strstr(json, rows[i].says[k]))
                fail_msg("row %zu: no %s in %s", i, rows[i].says[k], json);
        }
        joulie_free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_has_power_limits_and_age),
        cmocka_unit_test(only_a_good_status_has_a_reading),
        cmocka_unit_test(what_a_reply_says_beyond_its_bounds_is_not_known),
        cmocka_unit_test(the_power_is_of_what_was_asked_for),
        cmocka_unit_test(an_age_has_bounds),
        cmocka_unit_test(replies_that_say_nothing_have_no_numbers),
        cmocka_unit_test(a_control_reply_says_what_became_of_a_cap),
        cmocka_unit_test(prometheus_has_a_number_or_a_reason),
        cmocka_unit_test(settings_become_endpoints),
        cmocka_unit_test(a_timeout_is_whole_seconds_above_0),
        cmocka_unit_test(a_url_has_bytes_that_it_may_have),
        cmocka_unit_test(settings_that_cannot_be_meant_are_refused),
        cmocka_unit_test(an_endpoint_may_be_as_long_as_its_bound),
        cmocka_unit_test(a_throttle_follows_the_power),
        cmocka_unit_test(the_controller_of_v0_1_1_moves_in_steps),
        cmocka_unit_test(a_throttle_refuses_numbers_that_are_none),
        cmocka_unit_test(a_throttle_takes_every_option_and_no_others),
        cmocka_unit_test(a_sample_of_a_later_release_is_refused),
        cmocka_unit_test(a_node_has_a_shard_and_an_object_name),
        cmocka_unit_test(a_facility_has_a_pue_with_it_power_only),
        cmocka_unit_test(labels_describe_a_node),
        cmocka_unit_test(hardware_from_labels_says_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
