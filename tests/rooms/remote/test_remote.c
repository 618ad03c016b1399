/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/remote.h>: replies, endpoints, throttles, shards and names, as an agent calls them. */

#include <math.h>
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
    assert_null(endpoint.url);
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
    static const double wrong_pct[] = { NAN, -0.1, 100.1 };
    for (size_t i = 0; i < JL_COUNT(wrong_pct); i++) {
        sample.in_force_pct = wrong_pct[i];
        assert_int_equal(joulie_throttle_step(throttle, &sample, &pct, &err), JOULIE_E_RANGE);
        assert_string_equal(err.where, "in_force_pct");
    }
    assert_near(pct, -1, 0);
    joulie_throttle_free(throttle);
    assert_near(joulie_throttle_open_pct(62.5), 38, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_has_power_limits_and_age),
        cmocka_unit_test(only_a_good_status_has_a_reading),
        cmocka_unit_test(what_a_reply_says_beyond_its_bounds_is_not_known),
        cmocka_unit_test(replies_that_say_nothing_have_no_numbers),
        cmocka_unit_test(a_control_reply_says_what_became_of_a_cap),
        cmocka_unit_test(prometheus_has_a_number_or_a_reason),
        cmocka_unit_test(settings_become_endpoints),
        cmocka_unit_test(settings_that_cannot_be_meant_are_refused),
        cmocka_unit_test(a_throttle_follows_the_power),
        cmocka_unit_test(the_controller_of_v0_1_1_moves_in_steps),
        cmocka_unit_test(a_throttle_refuses_numbers_that_are_none),
        cmocka_unit_test(a_node_has_a_shard_and_an_object_name),
        cmocka_unit_test(a_facility_has_a_pue_with_it_power_only),
        cmocka_unit_test(labels_describe_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
