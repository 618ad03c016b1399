/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The small parsers, one chosen by the first byte: numbers, selectors, times, names, files of the
 * kernel, replies of endpoints. What is accepted is within its bounds and means the same when it is
 * printed; what is refused leaves the output alone.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "autoscale/external.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/text.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "catalog/hardware.h"
#include "classify/rules.h"
#include "fuzz/fuzz.h"
#include "kubernetes/names.h"
#include "kubernetes/selector.h"
#include "power/cgroup.h"
#include "power/reading.h"
#include "remote/endpoint.h"
#include "remote/replies.h"
#include "remote/shard.h"
#include "tensor_fusion/price.h"
#include "tensor_fusion/ratio.h"

#define UNTOUCHED 0x5A

typedef void parser_fn(const char *text, size_t len);

static bool is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7E)
            return false;
    }
    return true;
}

/* NUL-terminated, without NUL inside; NULL = it has one. */
static char *copied(struct jl_arena *arena, const char *text, size_t len)
{
    return len > 0 && memchr(text, '\0', len) ? NULL : jl_arena_copy(arena, text, len);
}

/* ---- numbers: libc reads the same, where the grammar is a part of its own ---- */

static void numbers(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *string = copied(&arena, text, len);
    double value = UNTOUCHED;
    bool is_integer = false;
    const size_t scanned = jl_scan_number(text, len, &is_integer);
    FUZZ_REQUIRE(scanned <= len);
    const int rc = jl_parse_double(text, len, &value);
    FUZZ_REQUIRE(rc == 0 || value == UNTOUCHED);
    FUZZ_REQUIRE((rc == JOULIE_E_PARSE) == (scanned < len || len == 0));
    if (rc == 0)
        FUZZ_REQUIRE(string && value == strtod(string, NULL));

    int64_t whole = UNTOUCHED;
    if (jl_parse_i64(text, len, &whole) == 0) {
        errno = 0;
        FUZZ_REQUIRE(string && strtoll(string, NULL, 10) == whole && errno == 0);
    } else {
        FUZZ_REQUIRE(whole == UNTOUCHED);
    }
    uint64_t natural = UNTOUCHED;
    uint64_t of_file = UNTOUCHED;
    const int rc_natural = jl_parse_u64(text, len, &natural);
    const int rc_file = jl_parse_number_file(text, len, &of_file);
    if (rc_natural == 0)
        FUZZ_REQUIRE(string && strtoull(string, NULL, 10) == natural);
    FUZZ_REQUIRE(rc_natural == 0 || natural == UNTOUCHED);
    FUZZ_REQUIRE(rc_file == 0 || of_file == UNTOUCHED);
    if (rc_natural == 0 && rc_file == 0)
        FUZZ_REQUIRE(natural == of_file);
}

/* ---- selectors: equal answers, and no labels match what asks for one ---- */

static void selectors(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_pair pairs[] = { { "a", "b" }, { "x.y/z", "" }, { "n", "10" } };
    const struct jl_map maps[] = { { pairs, 3 }, { pairs, 1 }, { NULL, 0 } };
    const struct jl_selector *selector = NULL;
    const struct jl_field_selector *fields = NULL;
    int rc = jl_parse_selector(&arena, text, len, &selector);
    FUZZ_REQUIRE(rc == 0 || rc == JOULIE_E_PARSE || rc == JOULIE_E_LIMIT);
    for (size_t i = 0; i < JL_COUNT(maps) && rc == 0; i++)
        FUZZ_REQUIRE(jl_selector_matches(selector, &maps[i]) ==
                     jl_selector_matches(selector, &maps[i]));
    FUZZ_REQUIRE(rc != 0 || len > 0 || jl_selector_matches(selector, &maps[2]));
    rc = jl_parse_field_selector(&arena, "Pod", text, len, &fields);
    FUZZ_REQUIRE(rc == 0 || rc == JOULIE_E_PARSE || rc == JOULIE_E_UNSUPPORTED ||
                 rc == JOULIE_E_LIMIT);
    for (size_t i = 0; i < JL_COUNT(maps) && rc == 0; i++)
        (void)jl_field_selector_matches(fields, &maps[i]);
}

/* ---- times ---- */

static void times(const char *text, size_t len)
{
    int64_t us = UNTOUCHED;
    int64_t ms = 0;
    int64_t ns = UNTOUCHED;
    int digits = 0;
    char printed[JL_TIME_TEXT];
    if (jl_parse_time_us(text, len, &us, &digits) == 0) {
        FUZZ_REQUIRE(jl_parse_time(text, len, &ms) == 0 && digits >= 0);
        FUZZ_REQUIRE(ms == (us - (us % 1000 + 1000) % 1000) / 1000);
    } else {
        FUZZ_REQUIRE(us == UNTOUCHED && jl_parse_time(text, len, &ms) < 0);
    }
    int64_t micro = UNTOUCHED;
    if (jl_parse_micro_time(text, len, &micro) == 0)
        FUZZ_REQUIRE(jl_parse_time_us(text, len, &us, &digits) == 0 && us == micro);
    if (jl_parse_profile_duration(text, len, &ns) == 0) {
        int64_t back = 0;
        FUZZ_REQUIRE(jl_parse_duration(printed, jl_format_duration(ns, printed), &back) == 0);
        FUZZ_REQUIRE(back == ns);
    } else {
        FUZZ_REQUIRE(ns == UNTOUCHED);
    }
}

/* ---- names ---- */

static void names(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_text name = { text, len };
    const bool has_point = len > 0 && memchr(text, '.', len);
    const char *string = copied(&arena, text, len);
    FUZZ_REQUIRE(!jl_is_dns_label(name) || (len <= 63 && !has_point && jl_is_dns_subdomain(name)));
    FUZZ_REQUIRE(!jl_is_dns_subdomain(name) || (len <= 253 && is_ascii(text, len)));
    FUZZ_REQUIRE(!jl_is_label_key(name) || jl_is_annotation_key(name));
    FUZZ_REQUIRE(!jl_is_label_value(name) || (len <= 63 && is_ascii(text, len)));
    if (!string)
        return;
    char normal[256];
    const size_t full = jl_catalog_normal(string, normal, sizeof normal);
    FUZZ_REQUIRE(full <= len &&
                 strlen(normal) == (full < sizeof normal ? full : sizeof normal - 1));
    FUZZ_REQUIRE(full > 0 || (!jl_catalog_cpu(string) && !jl_catalog_gpu(string)));
    const double whole = jl_whole_quantity(string);
    FUZZ_REQUIRE(whole >= 0 && whole == floor(whole));
    struct jl_shard_id shard;
    if (jl_shard_id(NULL, string, 7, &shard) == 0)
        FUZZ_REQUIRE(shard.id >= 0 && shard.id < 7);
    if (jl_shard_id(string, NULL, 7, &shard) == 0)
        FUZZ_REQUIRE(shard.id >= 0 && shard.id < 7);
}

/* ---- endpoints: a name that is put in cannot become anything else ---- */

static void endpoints(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *out = NULL;
    const int rc = jl_endpoint_expand((struct jl_text){ text, len }, "gpu-0.example", &arena, &out);
    FUZZ_REQUIRE(rc == 0 || rc == JOULIE_E_LIMIT);
    if (rc == 0 && copied(&arena, text, len))
        FUZZ_REQUIRE(!strstr(out, "{node}"));
    const char *string = copied(&arena, text, len);
    if (string && jl_is_url_word(string))
        FUZZ_REQUIRE(is_ascii(text, len) && !strpbrk(string, "/:?#@%& "));
}

/* ---- files of the kernel ---- */

static bool is_pressure(const struct jl_pressure *pressure)
{
    return pressure->avg10_pct >= 0 && pressure->avg60_pct >= 0 && pressure->avg300_pct >= 0;
}

static void kernel(const char *text, size_t len)
{
    const struct jl_text file = { text, len };
    struct jl_pid_stat stat;
    struct jl_psi psi;
    struct jl_cpu_stat cpu;
    struct jl_cpu_max most;
    if (jl_pid_stat_parse(file, &stat) == 0) {
        FUZZ_REQUIRE(stat.pid >= 0 && stat.comm.ptr >= text);
        FUZZ_REQUIRE(stat.comm.ptr + stat.comm.len <= text + len && stat.state > ' ');
    }
    if (jl_psi_parse(file, &psi) == 0)
        FUZZ_REQUIRE(is_pressure(&psi.some) && is_pressure(&psi.full));
    if (jl_cpu_stat_parse(file, &cpu) == 0)
        FUZZ_REQUIRE(cpu.has >> JL_CPU_STAT_COUNT == 0);
    if (jl_cpu_max_parse(file, &most) == 0)
        FUZZ_REQUIRE(most.period_us > 0);
}

/* ---- paths of control groups stay below their root ---- */

static void groups(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *string = copied(&arena, text, len);
    const char *pod = NULL;
    const char *path = NULL;
    for (int i = JL_CGROUP_SYSTEMD; string && i <= JL_CGROUP_CGROUPFS; i++) {
        const enum jl_cgroup_driver driver = (enum jl_cgroup_driver)i;
        if (jl_cgroup_pod_path(&arena, driver, JL_QOS_BURSTABLE, string, &pod) == 0)
            FUZZ_REQUIRE(pod[0] != '/' && !strstr(pod, "..") && strlen(pod) > len);
        if (jl_cgroup_container_path(&arena, driver, "kubepods/pod1", string, &path) == 0)
            FUZZ_REQUIRE(strncmp(path, "kubepods/pod1/", 14) == 0 && !strstr(path, "/.."));
    }
}

/* ---- replies: a sample is a number that can be ---- */

static void replies(const char *text, size_t len)
{
    for (int i = 0; i < 4; i++) {
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        const bool is_source = i & 2;
        const struct joulie_remote_reply reply = {
            .struct_size = sizeof reply,
            .has = JOULIE_REMOTE_REPLY_HAS_AGE,
            .body = text,
            .len = len,
            .http_status = 200,
            .power_of = i & 1 ? JOULIE_REMOTE_POWER_OF_CPU : JOULIE_REMOTE_POWER_OF_NODE,
            .now_ms = INT64_C(1773403200000),
            .max_age_ms = 60000,
        };
        struct joulie_remote_sample sample;
        FUZZ_REQUIRE(jl_remote_read(&reply, is_source, &arena, &sample) == 0);
        FUZZ_REQUIRE(sample.result != JOULIE_REMOTE_RESULT_UNKNOWN);
        if (sample.result != JOULIE_REMOTE_RESULT_SAMPLE)
            continue;
        FUZZ_REQUIRE(isfinite(sample.power_w) && (is_source || sample.power_w >= 0));
        FUZZ_REQUIRE(sample.age_s >= 0 && sample.age_s <= 60);
    }
}

/* ---- annotations ---- */

static void annotations(const char *text, size_t len)
{
    static const char *const keys[] = { "joulie.io/workload-class", "joulie.io/reschedulable",
                                        "joulie.io/cpu-sensitivity", "sim.joulie.io/cpu-util-pct",
                                        "joulie.io/sim-cpu-util-pct" };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *string = copied(&arena, text, len);
    for (size_t i = 0; i < JL_COUNT(keys) && string; i++) {
        const struct jl_pair pair = { keys[i], string };
        const struct jl_map map = { &pair, 1 };
        struct jl_hints hints;
        struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
        struct joulie_classify_input window;
        jl_classify_put_annotations(&map, &in);
        jl_hints_read(&in, &hints);
        FUZZ_REQUIRE(hints.reschedulable >= -1 && hints.reschedulable <= 1);
        if (jl_metrics_from_annotations(&in, &window))
            FUZZ_REQUIRE(isfinite(window.cpu_util_pct));
    }
}

/* ---- external scalers: amounts that can be, or a reason ---- */

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static void scaler_replies(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_scale_reply reply = { 0 };
    FUZZ_REQUIRE(jl_external_read(text, len, &arena, &reply) == 0);
    FUZZ_REQUIRE(!reply.problem || reply.problem[0]);
    for (size_t i = 0; i < JL_USAGES && !reply.problem; i++) {
        FUZZ_REQUIRE(is_amount(reply.amounts.of[i].request));
        FUZZ_REQUIRE(is_amount(reply.amounts.of[i].limit));
    }
}

/* ---- ratios and prices of profiles ---- */

static void shares(const char *text, size_t len)
{
    struct jl_ratio ratio;
    double price = UNTOUCHED;
    if (jl_parse_ratio(text, len, &ratio) == 0)
        FUZZ_REQUIRE(isfinite(ratio.value) && len > 0 &&
                     ratio.is_percent == (memchr(text, '%', len) != NULL));
    if (jl_parse_price(text, len, &price) == 0)
        FUZZ_REQUIRE(is_amount(price));
    else
        FUZZ_REQUIRE(price == UNTOUCHED);
}

static parser_fn *const parsers[] = {
    numbers, selectors, times,       names,          endpoints, kernel,
    groups,  replies,   annotations, scaler_replies, shares,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    parsers[data[0] % JL_COUNT(parsers)]((const char *)data + 1, size - 1);
    return 0;
}
