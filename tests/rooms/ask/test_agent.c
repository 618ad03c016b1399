/* SPDX-License-Identifier: Apache-2.0 */

/* Questions about an agent's settings and readings: what they refuse, and where. */

#include <string.h>

#include "ask/ask_tests.h"
#include "base/text.h"

#define PROFILE(name, spec)                                                 \
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"TelemetryProfile\"," \
    "\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"target\":{\"scope\":" \
    "\"node\",\"nodeName\":\"n1\"}," spec "}}"
#define POWER(name, node)                                                   \
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodePowerProfile\"," \
    "\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"nodeName\":\"" node   \
    "\",\"profile\":\"eco\"}}"
#define HOSTS "\"cpuControl\":{\"type\":\"host\"},\"gpuControl\":{\"type\":\"host\"}}"
#define MEGABYTE ((size_t)1 << 20)

/* {"node":"n1","env":{…}} */
static const char *env_of(struct jl_buffer *out, const char *members)
{
    jl_buffer_reset(out);
    jl_put_string(out, "{\"node\":\"n1\",\"env\":{");
    jl_put_string(out, members);
    jl_put_string(out, "}}");
    return out->data;
}

/* ---- agent.wiring ---- */

static void a_setting_that_nobody_knows_stops_the_start(void **state)
{
    static const struct {
        const char *env;
        int code;
        const char *where;
    } rows[] = {
        { "\"TELEMETRY_CPU_SOURCE\":\"ipmi\"", JOULIE_E_ENUM, "env.TELEMETRY_CPU_SOURCE" },
        { "\"TELEMETRY_CPU_CONTROL\":\"prometheus\"", JOULIE_E_ENUM, "env.TELEMETRY_CPU_CONTROL" },
        { "\"TELEMETRY_GPU_CONTROL\":\"http,\"", JOULIE_E_ENUM, "env.TELEMETRY_GPU_CONTROL" },
        { "\"TELEMETRY_CPU_SORCE\":\"http\"", JOULIE_E_UNKNOWN_MEMBER, "env.TELEMETRY_CPU_SORCE" },
        { "\"TELEMETRY_CPU_CONTROL\":\"http\",\"TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT\":\"http://t\","
          "\"TELEMETRY_CPU_CONTROL_MODE\":\"clocks\"",
          JOULIE_E_ENUM, "env.TELEMETRY_CPU_CONTROL_MODE" },
        { "\"TELEMETRY_CPU_SOURCE\":\"http\"", JOULIE_E_REQUIRED,
          "env.TELEMETRY_CPU_HTTP_ENDPOINT" },
        { "\"TELEMETRY_GPU_CONTROL\":\"http\",\"TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT\":\"  \"",
          JOULIE_E_REQUIRED, "env.TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT" },
        { "\"TELEMETRY_CPU_SOURCE\":\"http\",\"TELEMETRY_CPU_HTTP_ENDPOINT\":\"http://t\\r\\nX: "
          "y\"",
          JOULIE_E_PARSE, "env.TELEMETRY_CPU_HTTP_ENDPOINT" },
        { "\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"5s\"", JOULIE_E_PARSE,
          "env.TELEMETRY_HTTP_TIMEOUT_SECONDS" },
        { "\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"0\"", JOULIE_E_RANGE,
          "env.TELEMETRY_HTTP_TIMEOUT_SECONDS" },
        { "\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"-3\"", JOULIE_E_RANGE,
          "env.TELEMETRY_HTTP_TIMEOUT_SECONDS" },
        { "\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"99999999999999999999\"", JOULIE_E_RANGE,
          "env.TELEMETRY_HTTP_TIMEOUT_SECONDS" },
    };

    struct jl_buffer text = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        refuses("agent.wiring", env_of(&text, rows[i].env), rows[i].code, rows[i].where);
    jl_buffer_clear(&text);
}

static void the_source_makes_hosts_of_the_same_settings(void **state)
{
    (void)state;
    answers(
        "agent.wiring",
        "{\"options\":{\"model\":\"v0.1.1\"},\"node\":\"n/1\",\"env\":{\"TELEMETRY_CPU_SOURCE\":"
        "\"ipmi\",\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"5s\"}}",
        "{\"cpuSource\":{\"type\":\"host\"}," HOSTS);
}

static void a_blank_setting_is_not_set(void **state)
{
    (void)state;
    answers("agent.wiring",
            "{\"node\":\"n1\",\"env\":{\"TELEMETRY_CPU_SOURCE\":\" \\t\","
            "\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"\"}}",
            "{\"cpuSource\":{\"type\":\"host\"}," HOSTS);
    answers("agent.wiring", "{\"node\":\"n1\"}", "{\"cpuSource\":{\"type\":\"host\"}," HOSTS);
}

static void a_setting_of_one_part_leaves_the_others_to_the_profile(void **state)
{
    (void)state;
    answers("agent.wiring",
            "{\"node\":\"n1\",\"env\":{\"TELEMETRY_CPU_SOURCE\":\"host\","
            "\"TELEMETRY_HTTP_TIMEOUT_SECONDS\":\"7\"},\"profiles\":[" PROFILE(
                "p", "\"controls\":{\"cpu\":{\"type\":\"http\",\"http\":{\"endpoint\":\"http://c\","
                     "\"timeoutSeconds\":9}},\"gpu\":{\"type\":\"none\"}}") "]}",
            "{\"cpuSource\":{\"type\":\"host\"},\"cpuControl\":{\"type\":\"http\",\"endpoint\":"
            "\"http://c\",\"timeoutS\":7},\"gpuControl\":{\"type\":\"none\"}}");
}

static void a_profile_may_read_prometheus(void **state)
{
    (void)state;
    answers("agent.wiring",
            "{\"node\":\"n1\",\"profiles\":[" PROFILE(
                "p", "\"sources\":{\"cpu\":{\"type\":\"prometheus\",\"prometheus\":{\"endpoint\":"
                     "\"http://p\",\"query\":\"power{instance=\\\"{node}\\\"}\"}}}") "]}",
            "{\"cpuSource\":{\"type\":\"prometheus\",\"endpoint\":\"http://p\",\"timeoutS\":2,"
            "\"query\":\"power{instance=\\\"n1\\\"}\"}," HOSTS);
}

static void a_profile_that_cannot_work_is_named_by_its_place(void **state)
{
    (void)state;
    refuses("agent.wiring",
            "{\"node\":\"n1\",\"profiles\":[" PROFILE("z", "\"sources\":{}") "," PROFILE(
                "a", "\"controls\":{\"gpu\":{\"type\":\"http\"}"
                     "}") "]}",
            JOULIE_E_REQUIRED, "profiles[1].spec.controls.gpu.http.endpoint");
    refuses("agent.wiring",
            "{\"node\":\"n1\",\"profiles\":[" PROFILE(
                "a", "\"sources\":{\"cpu\":{\"type\":\"ipmi\"}}") "]}",
            JOULIE_E_ENUM, "profiles[0].spec.sources.cpu.type");
}

static void a_nodes_name_cannot_change_an_endpoint(void **state)
{
    (void)state;
    refuses("agent.wiring", "{\"node\":\"n1/../n2\"}", JOULIE_E_PARSE, "node");
    refuses("agent.wiring", "{\"node\":\"n1?x=1\"}", JOULIE_E_PARSE, "node");
    refuses("agent.wiring", "{\"node\":\"n1\\r\\n\"}", JOULIE_E_PARSE, "node");
    refuses("agent.wiring", "{\"node\":\"n1%2f\"}", JOULIE_E_PARSE, "node");
    joulie_free(answer_of("agent.wiring", "{\"node\":\"ip-10-0-0-1.ec2.internal\"}"));
}

static void an_endpoint_grows_only_up_to_its_limit(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, "{\"node\":\"");
    put_many(&text, 100, "n", "");
    jl_put_string(&text, "\",\"env\":{\"TELEMETRY_CPU_SOURCE\":\"http\","
                         "\"TELEMETRY_CPU_HTTP_ENDPOINT\":\"");
    put_many(&text, 100000, "{node}", "");
    jl_put_string(&text, "\"}}");
    refuses("agent.wiring", text.data, JOULIE_E_LIMIT, "env.TELEMETRY_CPU_HTTP_ENDPOINT");
    jl_buffer_clear(&text);
}

/* ---- shard.owner ---- */

static void a_shard_that_the_pool_does_not_have_is_named(void **state)
{
    (void)state;
    refuses("shard.owner", "{\"name\":\"n\",\"shards\":0}", JOULIE_E_RANGE, "shards");
    refuses("shard.owner", "{\"name\":\"n\",\"shards\":5,\"poolShardId\":\"x\"}", JOULIE_E_PARSE,
            "poolShardId");
    refuses("shard.owner", "{\"name\":\"n\",\"shards\":5,\"poolShardId\":\"5\"}", JOULIE_E_RANGE,
            "poolShardId");
    refuses("shard.owner", "{\"name\":\"n\",\"shards\":5,\"podName\":\"p-7\"}", JOULIE_E_RANGE,
            "podName");
}

/* ---- telemetry.power ---- */

static void a_reply_is_a_sample_only_when_it_says_a_number(void **state)
{
    static const char *const none[] = {
        "{}",
        "{\\\"packagePowerWatts\\\":null}",
        "{\\\"packagePowerWatts\\\":true}",
        "{\\\"packagePowerWatts\\\":-5}",
        "{\\\"packagePowerWatts\\\":[5]}",
        "{\\\"cpu\\\":5}",
        "{\\\"cpu\\\":[{\\\"packagePowerWatts\\\":5}]}",
        "{\\\"cpu\\\":{\\\"packagePowerWatts\\\":\\\"5\\\"}}",
        "{\\\"packagePowerWatts\\\":900,\\\"gpu\\\":{\\\"present\\\":true}}",
    };
    static const char *const broken[] = {
        "",
        "null",
        "[]",
        "5",
        "{\\\"packagePowerWatts\\\":NaN}",
        "{\\\"packagePowerWatts\\\":1e400}",
        "{}{}",
        "{\\\"packagePowerWatts\\\":5",
        "{\\\"packagePowerWatts\\\":Infinity}",
    };

    struct jl_buffer text = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(none) + JL_COUNT(broken); i++) {
        const bool is_none = i < JL_COUNT(none);
        jl_buffer_reset(&text);
        jl_put_string(&text, "{\"for\":\"cpu\",\"body\":\"");
        jl_put_string(&text, is_none ? none[i] : broken[i - JL_COUNT(none)]);
        jl_put_string(&text, "\"}");
        answers("telemetry.power", text.data,
                is_none ? "{\"result\":\"no-sample\"}" : "{\"result\":\"error\"}");
    }
    jl_buffer_clear(&text);
}

static void a_reading_of_0_watts_is_a_sample_of_the_cpu(void **state)
{
    (void)state;
    answers("telemetry.power", "{\"for\":\"cpu\",\"body\":\"{\\\"packagePowerWatts\\\":0}\"}",
            "{\"result\":\"sample\",\"watts\":0}");
    answers(
        "telemetry.power",
        "{\"for\":\"cpu\",\"body\":\"{\\\"packagePowerWatts\\\":1,\\\"packagePowerWatts\\\":2}\"}",
        "{\"result\":\"sample\",\"watts\":2}");
    refuses("telemetry.power", "{\"for\":\"gpu\",\"body\":\"{}\"}", JOULIE_E_ENUM, "for");
}

static void a_megabyte_of_reply_is_read_once(void **state)
{
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, "{\"for\":\"cpu\",\"body\":\"");
    put_many(&text, MEGABYTE, "[", "");
    jl_put_string(&text, "\"}");
    answers("telemetry.power", text.data, "{\"result\":\"error\"}");
    jl_buffer_reset(&text);
    jl_put_string(&text, "{\"for\":\"cpu\",\"body\":\"{\\\"packagePowerWatts\\\":7");
    put_many(&text, MEGABYTE / 16, ",\\\"member#\\\":1", "");
    jl_put_string(&text, "}\"}");
    answers("telemetry.power", text.data, "{\"result\":\"sample\",\"watts\":7}");
    jl_buffer_clear(&text);
}

#define AT_NOON(body)                                                                \
    "{\"for\":\"cpu\",\"now\":\"2026-03-13T12:00:00Z\",\"mostAgeS\":60,\"body\":\"{" \
    "\\\"packagePowerWatts\\\":5," body "}\"}"

static void a_reply_counts_only_as_long_as_it_is_young(void **state)
{
    (void)state;
    answers("telemetry.power", AT_NOON("\\\"ts\\\":\\\"2026-03-13T11:59:00Z\\\""),
            "{\"result\":\"sample\",\"watts\":5,\"ageS\":60}");
    answers("telemetry.power", AT_NOON("\\\"ts\\\":\\\"2026-03-13T11:58:59.999Z\\\""),
            "{\"result\":\"stale\"}");
    answers("telemetry.power", AT_NOON("\\\"a\\\":1"), /* it does not say */
            "{\"result\":\"sample\",\"watts\":5,\"ageS\":0}");
    answers("telemetry.power",
            AT_NOON("\\\"ts\\\":\\\"2026-03-13T12:00:05Z\\\""), /* clocks differ */
            "{\"result\":\"sample\",\"watts\":5,\"ageS\":0}");
    answers("telemetry.power", AT_NOON("\\\"ts\\\":\\\"2026-03-13T12:00:05.001Z\\\""),
            "{\"result\":\"ahead\",\"watts\":5,\"ageS\":0}");
    refuses("telemetry.power", "{\"for\":\"cpu\",\"now\":\"2026-03-13T12:00:00Z\",\"body\":\"{}\"}",
            JOULIE_E_REQUIRED, "mostAgeS");
}

static void a_time_stamp_that_is_none_is_no_time(void **state)
{
    static const char *const bodies[] = { AT_NOON("\\\"ts\\\":\\\"yesterday\\\""),
                                          AT_NOON("\\\"ts\\\":1773403200"),
                                          AT_NOON("\\\"ts\\\":null"),
                                          AT_NOON("\\\"ts\\\":\\\"\\\"") };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(bodies); i++)
        answers("telemetry.power", bodies[i], "{\"result\":\"error\"}");
}

#define SAYING(body) "{\"for\":\"cpu\",\"body\":\"{" body "}\"}"

static void what_a_reply_says_beside_power_is_within_bounds_or_absent(void **state)
{
    (void)state;
    answers("telemetry.power",
            SAYING("\\\"cpu\\\":{\\\"utilization\\\":0.5,\\\"capWatts\\\":400,"
                   "\\\"targetCapWatts\\\":300,\\\"throttlePct\\\":0},\\\"gpu\\\":{"
                   "\\\"utilization\\\":1,\\\"avgPowerWattsTotal\\\":70,"
                   "\\\"capWattsPerGpuApplied\\\":250}"),
            "{\"result\":\"no-sample\",\"cpuUtilPct\":50,\"gpuUtilPct\":100,\"gpuWatts\":70,"
            "\"cpuLimitWatts\":300,\"gpuLimitWattsPerGpu\":250,\"throttlePct\":0}");
    answers("telemetry.power",
            SAYING("\\\"cpu\\\":{\\\"utilization\\\":1.1,\\\"capWatts\\\":-1,"
                   "\\\"throttlePct\\\":101},\\\"gpu\\\":{\\\"utilization\\\":-0.1,"
                   "\\\"powerWattsTotal\\\":\\\"70\\\"}"),
            "{\"result\":\"no-sample\"}");
}

/* ---- node.facts ---- */

static void facts_of_labels_are_those_of_the_source_only(void **state)
{
    (void)state;
    refuses("node.facts", "{\"options\":{\"model\":\"v0.0.5\"},\"node\":{}}", JOULIE_E_UNSUPPORTED,
            "options.model");
    answers("node.facts",
            "{\"options\":{\"model\":\"v0.1.1\"},\"node\":{\"metadata\":{\"labels\":{"
            "\"feature.node.kubernetes.io/cpu-sockets\":\"9223372036854775807\","
            "\"joulie.io/gpu.product\":\" \"}},\"status\":{\"capacity\":{\"cpu\":\"-4\"},"
            "\"allocatable\":{\"nvidia.com/gpu\":\"many\"}}}}",
            "{\"cpu\":{\"vendor\":\"\",\"rawModel\":\"\",\"model\":\"\",\"sockets\":"
            "9007199254740992,\"totalCores\":0,\"coresPerSocket\":0},\"gpu\":{\"count\":0,"
            "\"rawModel\":\"\",\"model\":\"\"},\"exactness\":{\"cpu\":\"generic\",\"gpu\":"
            "\"generic\"},\"quality\":\"unavailable\",\"warnings\":[]}");
}

/* ---- reading ---- */

/* A fact that is not there is absent, not 0. */
static void hardware_of_labels_has_no_fact_that_was_not_found(void **state)
{
    (void)state;
    answers("node.hardware",
            "{\"node\":{\"metadata\":{\"name\":\"N.1\",\"labels\":{\"joulie.io/hw.cpu-model\":"
            "\"AMD EPYC 9654\",\"joulie.io/hw.cpu-sockets\":\"2\"}},\"status\":{\"capacity\":{"
            "\"cpu\":\"383500m\"}}},\"now\":\"2026-03-13T12:00:00Z\",\"cpuControl\":true}",
            "{\"hardware\":{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
            "\"metadata\":{\"name\":\"n-1\"},\"spec\":{\"nodeName\":\"N.1\"},\"status\":{"
            "\"cpu\":{\"rawModel\":\"AMD EPYC 9654\",\"model\":\"AMD_EPYC_9654\",\"vendor\":"
            "\"AuthenticAMD\",\"sockets\":2,\"totalCores\":384,\"coresPerSocket\":192,"
            "\"controlAvailable\":true,\"telemetryAvailable\":false,\"logicalCpus\":384},"
            "\"gpu\":{\"present\":false,\"vendor\":\"none\",\"count\":0},\"inventoryResolution\":"
            "{\"hardwareCatalogKey\":{\"cpu\":\"AMD_EPYC_9654\"},\"exactness\":{\"cpu\":\"exact\","
            "\"gpu\":\"generic\"}},\"capabilities\":{\"cpuControl\":true,\"gpuControl\":false,"
            "\"cpuTelemetry\":false,\"gpuTelemetry\":false},\"quality\":{\"overall\":\"exact\"},"
            "\"updatedAt\":\"2026-03-13T12:00:00Z\"}}}");
    refuses("node.hardware", "{\"node\":{},\"now\":\"2026-03-13T12:00:00Z\"}", JOULIE_E_REQUIRED,
            "node.metadata.name");
}

/* s = 1 · sqrt(432/600); 100 (1 - s) to whole percent. With a throttle at the start. */
static void a_controller_goes_on_from_a_throttle(void **state)
{
    (void)state;
    answers("dvfs.run",
            "{\"controller\":\"legacy\",\"capW\":120,\"throttlePct\":30,\"samples\":[{\"t\":0,"
            "\"w\":100}]}",
            "{\"upperW\":130,\"lowerW\":105,\"steps\":[{\"ema\":100,\"above\":0,\"below\":1,"
            "\"throttlePct\":30,\"action\":\"hold\"}]}");
    answers("dvfs.run",
            "{\"controller\":\"proportional\",\"capW\":120,\"throttlePct\":25,\"samples\":[{}]}",
            "{\"steps\":[{\"throttlePct\":25,\"s\":0.75,\"action\":\"hold\"}]}");
}

/* 60 % of 400 W for every GPU, one value for all of them. */
static void a_remote_backend_of_gpus_takes_the_watts_of_one(void **state)
{
    (void)state;
    answers("cap.remote",
            "{\"hardware\":{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
            "\"metadata\":{\"name\":\"n1\"},\"spec\":{\"nodeName\":\"n1\"},\"status\":{\"gpu\":{"
            "\"count\":4,\"capRangePerGpu\":{\"minWatts\":200,\"maxWatts\":400}}}},\"spec\":{"
            "\"nodeName\":\"n1\",\"profile\":\"eco\",\"gpu\":{\"powerCap\":{\"capPctOfMax\":60}}},"
            "\"now\":\"2026-03-13T12:00:00Z\"}",
            "{\"gpuRequest\":{\"node\":\"n1\",\"action\":\"gpu.set_power_cap_watts\","
            "\"capWattsPerGpu\":240,\"ts\":\"2026-03-13T12:00:00Z\"}}");
}

static void a_reading_needs_what_its_kind_reads(void **state)
{
    (void)state;
    refuses("reading", "{\"kind\":\"number\"}", JOULIE_E_REQUIRED, "text");
    refuses("reading", "{\"kind\":\"dcgm\",\"text\":\"5\"}", JOULIE_E_REQUIRED, "value");
    refuses("reading", "{\"kind\":\"smart\",\"text\":\"5\"}", JOULIE_E_ENUM, "kind");
    refuses("reading", "{\"kind\":\"nvmlThrottle\",\"value\":1.5}", JOULIE_E_TYPE, "value");
    refuses("reading", "{\"kind\":\"nvmlThrottle\",\"value\":-4}", JOULIE_E_RANGE, "value");
    refuses("reading", "{\"kind\":\"nvmlThrottle\",\"value\":1e300}", JOULIE_E_RANGE, "value");
    refuses("reading", "{\"kind\":\"dcgm\",\"value\":1e400}", JOULIE_E_RANGE, "value");
}

static void a_number_that_no_answer_can_hold_is_out_of_range(void **state)
{
    (void)state;
    refuses("reading", "{\"kind\":\"cpu.stat\",\"text\":\"usage_usec 18446744073709551615\\n\"}",
            JOULIE_E_RANGE, "text");
    refuses("reading", "{\"kind\":\"cpu.max\",\"text\":\"50000 0\\n\"}", JOULIE_E_RANGE, "text");
    refuses("reading", "{\"kind\":\"prometheus\",\"text\":\"1e400\"}", JOULIE_E_RANGE, "text");
    refuses("reading", "{\"kind\":\"number\",\"text\":\"5\\n\\n\"}", JOULIE_E_PARSE, "text");
    refuses("reading", "{\"kind\":\"number\",\"text\":\"5\\u0001\"}", JOULIE_E_PARSE, "text");
}

static void infinities_of_prometheus_are_missing_in_any_spelling(void **state)
{
    static const char *const texts[] = { "NaN", "nan", "+Inf", "-Inf", "inf", "Infinity" };
    struct jl_buffer text = { 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        jl_buffer_reset(&text);
        jl_put_string(&text, "{\"kind\":\"prometheus\",\"text\":\"");
        jl_put_string(&text, texts[i]);
        jl_put_string(&text, "\"}");
        answers("reading", text.data, "{\"missing\":true}");
    }
    jl_buffer_clear(&text);
    answers("reading", "{\"kind\":\"prometheus\",\"text\":\"+5\"}",
            "{\"missing\":false,\"value\":5}");
    refuses("reading", "{\"kind\":\"prometheus\",\"text\":\" 5\"}", JOULIE_E_PARSE, "text");
    refuses("reading", "{\"kind\":\"prometheus\",\"text\":\"++5\"}", JOULIE_E_PARSE, "text");
}

/* ---- interval, energy.attribute, power.balance, cgroup ---- */

static void a_wait_needs_what_its_kind_counts(void **state)
{
    (void)state;
    refuses("interval", "{\"kind\":\"queue\"}", JOULIE_E_REQUIRED, "failures");
    refuses("interval", "{\"kind\":\"lease-renew\",\"elapsedS\":1,\"retryPeriodS\":2}",
            JOULIE_E_REQUIRED, "renewDeadlineS");
    refuses("interval", "{\"kind\":\"queue\",\"failures\":-1}", JOULIE_E_RANGE, "failures");
    refuses("interval", "{\"kind\":\"retry-after\",\"retryAfterS\":1,\"u\":1.5}", JOULIE_E_RANGE,
            "u");
    refuses("interval", "{\"kind\":\"lease-acquire\",\"retryPeriodS\":0,\"u\":0}", JOULIE_E_RANGE,
            "retryPeriodS");
    refuses("interval", "{\"kind\":\"lease-acquire\",\"retryPeriodS\":1.5e308,\"u\":1}",
            JOULIE_E_RANGE, "retryPeriodS");
    refuses("interval", "{\"kind\":\"never\"}", JOULIE_E_ENUM, "kind");
}

static void energy_and_watts_below_0_are_refused(void **state)
{
    (void)state;
    refuses("energy.attribute",
            "{\"packageJ\":1,\"idleJ\":0,\"pods\":[{\"name\":\"a\",\"cpuS\":-1}]}", JOULIE_E_RANGE,
            "pods[0].cpuS");
    refuses("energy.attribute",
            "{\"packageJ\":1,\"idleJ\":0,\"pods\":[{\"name\":\"a\",\"cpuS\":1e308},{\"name\":\"b\","
            "\"cpuS\":1e308}]}",
            JOULIE_E_RANGE, "pods");
    refuses("energy.attribute", "{\"packageJ\":1,\"idleJ\":0,\"pods\":[],\"mode\":\"half\"}",
            JOULIE_E_ENUM, "mode");
    refuses("power.balance", "{\"budgetW\":1,\"minW\":200,\"maxW\":100,\"nodes\":[]}",
            JOULIE_E_RANGE, "maxW");
    refuses("power.balance",
            "{\"budgetW\":1,\"minW\":0,\"maxW\":100,\"upperThresholdPct\":80,\"nodes\":[]}",
            JOULIE_E_RANGE, "upperThresholdPct");
    refuses("power.balance", "{\"budgetW\":1,\"minW\":0,\"maxW\":100,\"nodes\":[{\"name\":\"a\"}]}",
            JOULIE_E_REQUIRED, "nodes[0].capW");
}

static void a_control_group_needs_all_that_names_it(void **state)
{
    (void)state;
    refuses("cgroup", "{}", JOULIE_E_REQUIRED, "");
    refuses("cgroup", "{\"currentWeight\":5}", JOULIE_E_REQUIRED, "");
    refuses("cgroup", "{\"milliCpu\":-1}", JOULIE_E_RANGE, "milliCpu");
    refuses("cgroup", "{\"tier\":\"low\"}", JOULIE_E_REQUIRED, "currentWeight");
    refuses("cgroup", "{\"tier\":\"background\"}", JOULIE_E_REQUIRED, "idleSupported");
    refuses("cgroup", "{\"tier\":\"low\",\"currentWeight\":10001}", JOULIE_E_RANGE,
            "currentWeight");
    refuses("cgroup", "{\"driver\":\"systemd\",\"podUid\":\"a\"}", JOULIE_E_REQUIRED, "qosClass");
    refuses("cgroup", "{\"podUid\":\"a\"}", JOULIE_E_REQUIRED, "driver");
    refuses("cgroup",
            "{\"driver\":\"cgroupfs\",\"qosClass\":\"Guaranteed\",\"podUid\":\"../../etc\"}",
            JOULIE_E_PARSE, "podUid");
    refuses("cgroup",
            "{\"driver\":\"systemd\",\"qosClass\":\"Guaranteed\",\"podUid\":\"a\",\"containerId\":"
            "\"rkt://b\"}",
            JOULIE_E_ENUM, "containerId");
    refuses("cgroup", "{\"driver\":\"openrc\"}", JOULIE_E_ENUM, "driver");
    refuses("cgroup", "{\"tier\":\"lowest\"}", JOULIE_E_ENUM, "tier");
}

/* ---- convert.lift ---- */

static void an_object_that_cannot_be_migrated_is_named_by_its_place(void **state)
{
    (void)state;
    refuses("convert.lift", "{\"objects\":{}}", JOULIE_E_TYPE, "objects");
    refuses("convert.lift", "{\"objects\":[5]}", JOULIE_E_TYPE, "objects[0]");
    refuses("convert.lift", "{\"objects\":[{}]}", JOULIE_E_REQUIRED, "objects[0].kind");
    refuses("convert.lift", "{\"objects\":[{\"kind\":\"Pod\"}]}", JOULIE_E_ENUM, "objects[0].kind");
    refuses(
        "convert.lift",
        "{\"objects\":[" POWER(
            "a",
            "n1") ",{\"apiVersion\":\"joulie.io/v2\",\"kind\":"
                  "\"NodePowerProfile\",\"metadata\":{},\"spec\":{\"nodeName\":\"n\",\"profile\":"
                  "\"eco\"}}]}",
        JOULIE_E_UNSUPPORTED, "objects[1].apiVersion");
    refuses("convert.lift", "{\"objects\":[" POWER("a", "n1") "," POWER("b", "n1") "]}",
            JOULIE_E_CONFLICT, "objects[1].spec.nodeName");
    refuses("convert.lift", "{\"objects\":[" POWER("a", " ") "]}", JOULIE_E_REQUIRED,
            "objects[0].spec.nodeName");
    refuses("convert.lift", "{\"objects\":[" POWER("a", "...") "]}", JOULIE_E_PARSE,
            "objects[0].spec.nodeName");
    refuses("convert.lift",
            "{\"objects\":[{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"TelemetryProfile\","
            "\"metadata\":{\"name\":\"t\"},\"spec\":{\"target\":{\"scope\":\"node\"}}}]}",
            JOULIE_E_REQUIRED, "objects[0].spec.target.nodeName");
    answers("convert.lift", "{\"objects\":[]}", "{\"nodes\":[]}");
}

static void two_nodes_never_get_one_object_name(void **state)
{
    char *one = answer_of("convert.lift", "{\"objects\":[" POWER("a", "n.b") "," POWER(
                                              "b", "n-b") "," POWER("c", "n_b") "]}");
    char *other = answer_of("convert.lift", "{\"objects\":[" POWER("c", "n_b") "," POWER(
                                                "a", "n.b") "," POWER("b", "n-b") "]}");
    (void)state;
    assert_string_equal(one, other);
    const char *name = "\"metadata\":{\"name\":\"n-b\"}";
    const char *first = strstr(one, name);
    assert_non_null(first);
    assert_null(strstr(first + 1, name));
    joulie_free(one);
    joulie_free(other);
    one = answer_of("convert.lift", "{\"objects\":[" POWER("a", "n.b") "," POWER("c", "n_b") "]}");
    first = strstr(one, name);
    assert_non_null(first);
    assert_null(strstr(first + 1, name));
    joulie_free(one);
}

static void of_several_profiles_of_a_node_the_lowest_name_speaks(void **state)
{
    (void)state;
    answers("convert.lift",
            "{\"objects\":[" PROFILE("b", "\"sources\":{\"cpu\":{\"type\":\"host\"}}") "," PROFILE(
                "a", "\"sources\":{\"cpu\":{\"type\":\"none\"}}") "]}",
            "{\"nodes\":[{\"nodeName\":\"n1\",\"agentEnv\":{\"TELEMETRY_CPU_SOURCE\":\"none\"}}]}");
}

/* What is migrated is what an agent of today reads. */
static void migrated_settings_configure_an_agent_as_the_profile_did(void **state)
{
    static const char profile[] = PROFILE(
        "p", "\"sources\":{\"cpu\":{\"type\":\"http\",\"http\":{\"endpoint\":\"http://t/{node}\","
             "\"timeoutSeconds\":3}}},\"controls\":{\"cpu\":{\"type\":\"http\",\"http\":{"
             "\"endpoint\":\"http://c/{node}\",\"timeoutSeconds\":3,\"mode\":\"dvfs\"}},\"gpu\":{"
             "\"type\":\"none\"}}");
    static const char env_key[] = "\"agentEnv\":";
    struct jl_buffer text = { 0 };
    (void)state;
    jl_put_string(&text, "{\"objects\":[");
    jl_put_string(&text, profile);
    jl_put_string(&text, "]}");
    char *migrated = answer_of("convert.lift", text.data);
    const char *env = strstr(migrated, env_key);
    assert_non_null(env);

    jl_buffer_reset(&text);
    jl_put_string(&text, "{\"node\":\"n1\",\"profiles\":[");
    jl_put_string(&text, profile);
    jl_put_string(&text, "]}");
    char *expected = answer_of("agent.wiring", text.data);
    jl_buffer_reset(&text);
    jl_put_string(&text, "{\"node\":\"n1\",\"env\":");
    jl_put(&text, env + sizeof env_key - 1, strlen(env) - (sizeof env_key - 1) - strlen("}]}"));
    jl_put_string(&text, "}");
    answers("agent.wiring", text.data, expected);
    joulie_free(expected);
    joulie_free(migrated);
    jl_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_that_nobody_knows_stops_the_start),
        cmocka_unit_test(the_source_makes_hosts_of_the_same_settings),
        cmocka_unit_test(a_blank_setting_is_not_set),
        cmocka_unit_test(a_setting_of_one_part_leaves_the_others_to_the_profile),
        cmocka_unit_test(a_profile_may_read_prometheus),
        cmocka_unit_test(a_profile_that_cannot_work_is_named_by_its_place),
        cmocka_unit_test(a_nodes_name_cannot_change_an_endpoint),
        cmocka_unit_test(an_endpoint_grows_only_up_to_its_limit),
        cmocka_unit_test(a_shard_that_the_pool_does_not_have_is_named),
        cmocka_unit_test(a_reply_is_a_sample_only_when_it_says_a_number),
        cmocka_unit_test(a_reading_of_0_watts_is_a_sample_of_the_cpu),
        cmocka_unit_test(a_megabyte_of_reply_is_read_once),
        cmocka_unit_test(a_reply_counts_only_as_long_as_it_is_young),
        cmocka_unit_test(a_time_stamp_that_is_none_is_no_time),
        cmocka_unit_test(what_a_reply_says_beside_power_is_within_bounds_or_absent),
        cmocka_unit_test(facts_of_labels_are_those_of_the_source_only),
        cmocka_unit_test(hardware_of_labels_has_no_fact_that_was_not_found),
        cmocka_unit_test(a_controller_goes_on_from_a_throttle),
        cmocka_unit_test(a_remote_backend_of_gpus_takes_the_watts_of_one),
        cmocka_unit_test(a_reading_needs_what_its_kind_reads),
        cmocka_unit_test(a_number_that_no_answer_can_hold_is_out_of_range),
        cmocka_unit_test(infinities_of_prometheus_are_missing_in_any_spelling),
        cmocka_unit_test(a_wait_needs_what_its_kind_counts),
        cmocka_unit_test(energy_and_watts_below_0_are_refused),
        cmocka_unit_test(a_control_group_needs_all_that_names_it),
        cmocka_unit_test(an_object_that_cannot_be_migrated_is_named_by_its_place),
        cmocka_unit_test(two_nodes_never_get_one_object_name),
        cmocka_unit_test(of_several_profiles_of_a_node_the_lowest_name_speaks),
        cmocka_unit_test(migrated_settings_configure_an_agent_as_the_profile_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
