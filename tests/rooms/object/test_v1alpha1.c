/* SPDX-License-Identifier: Apache-2.0 */

/* The constants, words and flat views of joulie/v1alpha1.h against the tables of the kinds. */

#include <stdio.h>

#include <joulie/twin.h>

#include "base/buffer.h"
#include "base/words.h"
#include "kinds/kinds.h"
#include "object/objects.h"
#include "schema/row.h"

#define HEADER "include/joulie/v1alpha1.h"
#define PREFIX "JOULIE_V1ALPHA1_"

/* maxBoostMHz becomes MAX_BOOST_MHZ, status.estimatedPUE STATUS_ESTIMATED_PUE. */
static void put_name(struct jl_buffer *out, const char *path)
{
    for (const char *c = path; *c != '\0'; c++) {
        const bool is_upper = *c >= 'A' && *c <= 'Z';
        const bool is_after_lower = c > path && c[-1] >= 'a' && c[-1] <= 'z';
        const bool is_before_lower = c[1] >= 'a' && c[1] <= 'z';
        const bool is_after_upper = c > path && c[-1] >= 'A' && c[-1] <= 'Z';
        if (is_upper && (is_after_lower || (is_after_upper && is_before_lower)) &&
            !(c > path && strncmp(c - 1, "MHz", 3) == 0))
            jl_put_char(out, '_');
        jl_put_char(out, *c == '.' ? '_' : (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c));
    }
}

/* NAME "path" lines, as the header should have them. */
static void put_paths(struct jl_buffer *out, const struct jl_table *table, const char *kind,
                      const char *prefix)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        char path[256];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", row->key);
        if (!*prefix && strcmp(row->key, "spec") != 0 && strcmp(row->key, "status") != 0)
            continue;
        if (*prefix) {
            jl_put_string(out, PREFIX);
            put_name(out, kind);
            jl_put_char(out, '_');
            put_name(out, path);
            jl_put_string(out, " \"");
            jl_put_string(out, path);
            jl_put_string(out, "\"\n");
        }
        if (row->type == JL_TYPE_OBJECT)
            put_paths(out, row->child, kind, path);
    }
}

static char *header_text(void)
{
    static char text[1 << 17];
    FILE *file = fopen(HEADER, "rb");
    assert_non_null(file);
    const size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(len > 0 && len < sizeof text - 1);
    text[len] = '\0';
    return text;
}

/* Lines as above of every constant of the header that is a path of the kind. */
static void put_constants(struct jl_buffer *out, const char *kind)
{
    char prefix[128];
    struct jl_buffer name = { 0 };
    put_name(&name, kind);
    snprintf(prefix, sizeof prefix, "#define " PREFIX "%s_", name.data);
    jl_buffer_clear(&name);
    for (char *at = strstr(header_text(), prefix); at; at = strstr(at + 1, prefix)) {
        const char *start = at + strlen("#define ");
        const char *end = strpbrk(start, " (");
        const char *value = end + strspn(end, " \\\n");
        if (*value != '"')
            continue; /* a bit */
        jl_put(out, start, (size_t)(end - start));
        jl_put_char(out, ' ');
        jl_put(out, value, strcspn(value, "\n"));
        jl_put_char(out, '\n');
    }
}

static void the_paths_of_the_header_are_those_of_the_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *kind = jl_kinds[i]->kind;
        struct jl_buffer expected = { 0 };
        struct jl_buffer found = { 0 };
        if (kind->is_core || kind->is_legacy || strcmp(kind->api_version, "joulie.io/v1alpha1"))
            continue;
        put_paths(&expected, jl_kinds[i], kind->kind, "");
        put_constants(&found, kind->kind);
        assert_string_equal(found.data, expected.data);
        jl_buffer_clear(&expected);
        jl_buffer_clear(&found);
    }
}

static void the_kinds_of_the_header_are_those_of_the_tables(void **state)
{
    static const char *const names[] = { JOULIE_V1ALPHA1_KIND_NODE_TWIN,
                                         JOULIE_V1ALPHA1_KIND_NODE_HARDWARE,
                                         JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE,
                                         JOULIE_V1ALPHA1_KIND_NODE_POWER_PROFILE,
                                         JOULIE_V1ALPHA1_KIND_TELEMETRY_PROFILE };
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++)
        count += strcmp(jl_kinds[i]->kind->api_version, JOULIE_V1ALPHA1_API_VERSION) == 0;
    assert_int_equal(count, JL_COUNT(names));
    for (size_t i = 0; i < JL_COUNT(names); i++)
        assert_non_null(jl_kind_find(JOULIE_V1ALPHA1_API_VERSION, names[i]));
}

/* the words of docs/rules/objects.md */
static void words_and_values_agree_and_have_no_gaps(void **state)
{
    static const char *const words[][11] = {
        [JOULIE_VOCABULARY_PROFILE] = { "performance", "eco" },
        [JOULIE_VOCABULARY_NODE_CLASS] = { "eco", "performance", "draining", "unknown" },
        [JOULIE_VOCABULARY_WORKLOAD_CLASS] = { "performance", "standard", "other" },
        [JOULIE_VOCABULARY_LEVEL] = { "high", "medium", "low", "none" },
        [JOULIE_VOCABULARY_BOUND] = { "compute", "memory", "io", "mixed", "none" },
        [JOULIE_VOCABULARY_GPU_VENDOR] = { "nvidia", "amd", "intel" },
        [JOULIE_VOCABULARY_POWER_SOURCE] = { "kepler", "utilization", "static", "http",
                                             "http-error", "http-no-endpoint", "prometheus",
                                             "prometheus-no-data", "standby", "allocation" },
        [JOULIE_VOCABULARY_CONTROL_RESULT] = { "applied", "blocked", "error", "none", "pending" },
        [JOULIE_VOCABULARY_SLICING] = { "mig", "time-slicing", "none" },
        [JOULIE_VOCABULARY_NODE_STATE] = { "ActivePerformance", "DrainingPerformance", "ActiveEco",
                                           "Unknown" },
        [JOULIE_VOCABULARY_FAIL_POLICY] = { "last-known", "open", "closed" },
        [JOULIE_VOCABULARY_COOLING] = { "tdp-ratio", "linear", "crah", "aisle", "dlc", "immersion",
                                        "free", "dx" },
        [JOULIE_VOCABULARY_CAP_STATE] = { "requested", "not-in-force", "none" },
        [JOULIE_VOCABULARY_POWER_TIER] = { "measured", "utilization", "cap-estimate", "standby",
                                           "allocation" },
        [JOULIE_VOCABULARY_TENSOR_FUSION_QOS] = { "low", "medium", "high", "critical" },
        [JOULIE_VOCABULARY_TENSOR_FUSION_ISOLATION] = { "shared", "soft", "hard", "partitioned" },
        [JOULIE_VOCABULARY_TENSOR_FUSION_TARGET] = { "all", "tflops", "vram", "compute" },
        [JOULIE_VOCABULARY_POLICY] = { "static_partition", "queue_aware_v1", "rule_swap_v1",
                                       "efficiency_v1" },
        [JOULIE_VOCABULARY_POWER_STATE] = { "on", "stopping", "off", "booting", "left-alone" },
        [JOULIE_VOCABULARY_POWER_ACTION] = { "switch-off", "wake", "give-up" },
    };
    (void)state;
    for (int list = 1; list < (int)JL_COUNT(words); list++) {
        int value = 1;
        for (; words[list][value - 1]; value++) {
            const char *word = joulie_word(list, value);
            assert_non_null(word);
            assert_string_equal(word, words[list][value - 1]);
            assert_int_equal(joulie_word_value(list, word), value);
        }
        assert_null(joulie_word(list, value));
        assert_null(joulie_word(list, 0));
        assert_null(joulie_word(list, -1));
        assert_int_equal(joulie_word_value(list, "no such word"), 0);
        assert_int_equal(joulie_word_value(list, ""), 0);
        assert_int_equal(joulie_word_value(list, NULL), 0);
    }
    assert_int_equal(joulie_word_value(JOULIE_VOCABULARY_PROFILE, "Eco"), 0);
    assert_null(joulie_word(0, 1));
    assert_null(joulie_word(-1, 1));
    assert_null(joulie_word((int)JL_COUNT(words), 1));
    assert_int_equal(joulie_word_value((int)JL_COUNT(words), "eco"), 0);
}

#define ALL(last_bit) ((last_bit) | ((last_bit)-1))

static void a_full_spec_of_a_twin_is_read_at_once(void **state)
{
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    struct joulie_object *object = object_of(
        "{" HEAD ",\"metadata\":{\"name\":\"t\"},\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\","
        "\"cpu\":{\"packagePowerCapWatts\":180.5,\"packagePowerCapPctOfMax\":60},\"gpu\":"
        "{\"powerCap\":{\"scope\":\"perGpu\",\"capWattsPerGpu\":300,\"capPctOfMax\":70}},"
        "\"policy\":{\"name\":\"q\",\"reschedulablePressure\":\"low\"},"
        "\"scheduling\":{\"draining\":true}}}",
        0);
    (void)state;
    assert_int_equal(joulie_v1alpha1_get_node_twin_spec(object, &spec, NULL), JOULIE_OK);
    assert_true(spec.has == ALL(JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_IS_DRAINING));
    assert_string_equal(spec.node_name, "n");
    assert_string_equal(spec.policy_name, "q");
    assert_string_equal(spec.gpu_cap_scope, "perGpu");
    assert_near(spec.cpu_cap_w, 180.5, 0);
    assert_near(spec.cpu_cap_pct, 60, 0);
    assert_near(spec.gpu_cap_w, 300, 0);
    assert_near(spec.gpu_cap_pct, 70, 0);
    assert_int_equal(spec.profile, JOULIE_PROFILE_ECO);
    assert_int_equal(spec.reschedulable_pressure, JOULIE_LEVEL_LOW);
    assert_int_equal(spec.is_draining, 1);
    joulie_object_free(object);
}

static void a_status_says_what_is_unknown(void **state)
{
    struct joulie_v1alpha1_node_twin_status status =
        JOULIE_INIT(struct joulie_v1alpha1_node_twin_status);
    struct joulie_object *object = object_of(
        "{" HEAD ",\"metadata\":{\"name\":\"t\"},\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\"},"
        "\"status\":{\"schedulableClass\":\"turbo\",\"powerMeasurement\":{\"source\":\"http\","
        "\"measuredNodePowerW\":0},\"predictedPowerHeadroomScore\":-3.5,\"estimatedPUE\":1.25,"
        "\"controlStatus\":{\"cpu\":{\"result\":\"applied\",\"updatedAt\":\"2026-03-13T12:00:00Z\","
        "\"message\":\"m\"},\"gpu\":{\"result\":\"on fire\",\"updatedAt\":\"yesterday\"}},"
        "\"gpuSlicingRecommendation\":{\"mode\":\"mig\",\"totalSlices\":56},"
        "\"lastUpdated\":\"2026-03-13T12:00:01.5Z\"}}",
        JOULIE_OBJECT_LENIENT);
    (void)state;
    assert_int_equal(joulie_v1alpha1_get_node_twin_status(object, &status, NULL), JOULIE_OK);
    assert_true(status.has == (JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SCHEDULABLE_CLASS |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_SOURCE |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_MEASURED_NODE_POWER_W |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_POWER_HEADROOM_SCORE |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_ESTIMATED_PUE |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_RESULT |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_UPDATED_MS |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_CPU_CONTROL_MESSAGE |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_GPU_CONTROL_RESULT |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_SLICING_MODE |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_TOTAL_SLICES |
                               JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HAS_LAST_UPDATED_MS));
    assert_int_equal(status.schedulable_class, JOULIE_NODE_CLASS_UNKNOWN);
    assert_int_equal(status.power_source, JOULIE_POWER_SOURCE_HTTP);
    assert_near(status.measured_node_power_w, 0, 0);
    assert_near(status.power_headroom_score, -3.5, 0);
    assert_near(status.estimated_pue, 1.25, 0);
    assert_int_equal(status.cpu_control_result, JOULIE_CONTROL_APPLIED);
    assert_true(status.cpu_control_updated_ms == INT64_C(1773403200000));
    assert_string_equal(status.cpu_control_message, "m");
    assert_null(status.gpu_control_message);
    assert_int_equal(status.gpu_control_result, JOULIE_CONTROL_UNKNOWN);
    assert_true(status.gpu_control_updated_ms == 0);
    assert_int_equal(status.slicing_mode, JOULIE_SLICING_MIG);
    assert_int_equal(status.total_slices, 56);
    assert_true(status.last_updated_ms == INT64_C(1773403201500));
    joulie_object_free(object);
}

static void facts_of_a_node_are_read_at_once(void **state)
{
    struct joulie_v1alpha1_node_hardware hardware =
        JOULIE_INIT(struct joulie_v1alpha1_node_hardware);
    struct joulie_object *object = object_of(
        "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":"
        "{\"name\":\"h\"},\"spec\":{\"nodeName\":\"h\"},\"status\":{\"cpu\":{\"model\":\"m\","
        "\"sockets\":2,\"capRange\":{\"maxWattsPerSocket\":400},\"landmarks\":{\"maxBoostMHz\":"
        "3700},\"controlAvailable\":false},\"gpu\":{\"present\":true,\"count\":8,"
        "\"capRangePerGpu\":{\"minWatts\":200}},\"memory\":{\"totalBytes\":1649267441664},"
        "\"capabilities\":{\"gpuTelemetry\":true},\"quality\":{\"overall\":\"exact\"},"
        "\"inventoryResolution\":{\"exactness\":{\"cpu\":\"proxy\"}},"
        "\"updatedAt\":\"1970-01-01T00:00:01Z\"}}",
        0);
    (void)state;
    assert_int_equal(joulie_v1alpha1_get_node_hardware(object, &hardware, NULL), JOULIE_OK);
    assert_string_equal(hardware.node_name, "h");
    assert_string_equal(hardware.cpu_model, "m");
    assert_int_equal(hardware.cpu_sockets, 2);
    assert_near(hardware.cpu_max_cap_w, 400, 0);
    assert_near(hardware.cpu_max_boost_mhz, 3700, 0);
    assert_true(hardware.has & JOULIE_V1ALPHA1_NODE_HARDWARE_HAS_CPU_CAN_CONTROL);
    assert_int_equal(hardware.cpu_can_control, 0);
    assert_int_equal(hardware.has_gpus, 1);
    assert_int_equal(hardware.gpu_count, 8);
    assert_near(hardware.gpu_min_cap_w, 200, 0);
    assert_true(hardware.memory_bytes == INT64_C(1649267441664));
    assert_int_equal(hardware.node_can_read_gpu, 1);
    assert_string_equal(hardware.quality, "exact");
    assert_string_equal(hardware.cpu_exactness, "proxy");
    assert_true(hardware.updated_ms == 1000);
    assert_int_equal(__builtin_popcountll(hardware.has), 14);
    joulie_object_free(object);
}

static void a_profile_of_work_is_read_at_once(void **state)
{
    struct joulie_v1alpha1_workload_profile profile =
        JOULIE_INIT(struct joulie_v1alpha1_workload_profile);
    struct joulie_object *object = object_of(
        "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\",\"metadata\":"
        "{\"name\":\"w\"},\"spec\":{\"nodeName\":\"n\",\"workloadRef\":{\"kind\":\"Deployment\","
        "\"namespace\":\"d\",\"name\":\"web\"}},\"status\":{\"criticality\":{\"class\":"
        "\"standard\"},\"migratability\":{\"reschedulable\":true},\"cpu\":{\"intensity\":\"high\","
        "\"bound\":\"io\",\"avgUtilizationPct\":80.5,\"capSensitivity\":\"medium\"},\"gpu\":"
        "{\"intensity\":\"none\",\"bound\":\"none\",\"avgUtilizationPct\":0,"
        "\"capSensitivity\":\"none\"},\"rescheduleRecommended\":false,\"rescheduleReason\":\"r\","
        "\"classificationReason\":\"c\",\"confidence\":0.75,"
        "\"lastUpdated\":\"1970-01-01T00:00:00Z\"}}",
        0);
    (void)state;
    assert_int_equal(joulie_v1alpha1_get_workload_profile(object, &profile, NULL), JOULIE_OK);
    assert_true(profile.has == ALL(JOULIE_V1ALPHA1_WORKLOAD_PROFILE_HAS_SHOULD_RESCHEDULE));
    assert_string_equal(profile.node_name, "n");
    assert_string_equal(profile.workload_kind, "Deployment");
    assert_string_equal(profile.workload_namespace, "d");
    assert_string_equal(profile.workload_name, "web");
    assert_int_equal(profile.criticality, JOULIE_WORKLOAD_STANDARD);
    assert_int_equal(profile.is_reschedulable, 1);
    assert_int_equal(profile.cpu_intensity, JOULIE_LEVEL_HIGH);
    assert_int_equal(profile.cpu_bound, JOULIE_BOUND_IO);
    assert_near(profile.cpu_utilization_pct, 80.5, 0);
    assert_int_equal(profile.cpu_cap_sensitivity, JOULIE_LEVEL_MEDIUM);
    assert_int_equal(profile.gpu_intensity, JOULIE_LEVEL_NONE);
    assert_int_equal(profile.gpu_bound, JOULIE_BOUND_NONE);
    assert_int_equal(profile.gpu_cap_sensitivity, JOULIE_LEVEL_NONE);
    assert_int_equal(profile.should_reschedule, 0);
    assert_near(profile.confidence_frac, 0.75, 0);
    assert_true(profile.last_updated_ms == 0);
    joulie_object_free(object);
}

typedef int view_fn(const struct joulie_object *object, void *out, struct joulie_error *err);

static int get_spec(const struct joulie_object *object, void *out, struct joulie_error *err)
{
    return joulie_v1alpha1_get_node_twin_spec(object, out, err);
}

static int get_status(const struct joulie_object *object, void *out, struct joulie_error *err)
{
    return joulie_v1alpha1_get_node_twin_status(object, out, err);
}

static int get_hardware(const struct joulie_object *object, void *out, struct joulie_error *err)
{
    return joulie_v1alpha1_get_node_hardware(object, out, err);
}

static int get_profile(const struct joulie_object *object, void *out, struct joulie_error *err)
{
    return joulie_v1alpha1_get_workload_profile(object, out, err);
}

/* Gives a member a value that a view can take; false: no view can. */
static bool set_any(struct joulie_object *object, const struct jl_row *row, const char *path)
{
    int rc = JOULIE_OK;
    if (row->words)
        rc = joulie_object_set_text(object, path, row->words->items[0].word, NULL);
    else if (row->type == JL_TYPE_STRING)
        rc = joulie_object_set_text(object, path, "1970-01-01T00:00:07Z", NULL);
    else if (row->type == JL_TYPE_BOOL)
        rc = joulie_object_set_bool(object, path, 1, NULL);
    else if (row->type == JL_TYPE_NUMBER || row->type == JL_TYPE_INTEGER)
        rc = joulie_object_set_number(object, path, 7, NULL);
    else
        return false;
    assert_int_equal(rc, JOULIE_OK);
    return true;
}

static size_t count_views(const struct jl_table *table, struct joulie_object *object,
                          const char *prefix, view_fn *view, uint64_t *seen)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        char path[256];
        uint64_t out[64] = { sizeof out };
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", row->key);
        if (row->type == JL_TYPE_OBJECT) {
            count += count_views(row->child, object, path, view, seen);
            continue;
        }
        if (!set_any(object, row, path))
            continue;
        assert_int_equal(view(object, out, NULL), JOULIE_OK);
        const uint64_t fresh = out[1] & ~*seen;
        if (__builtin_popcountll(fresh) > 1)
            fail_msg("%s sets more than one bit", path);
        *seen |= fresh;
        count += fresh != 0;
    }
    return count;
}

static struct joulie_object *start(const char *kind)
{
    struct joulie_object *object = NULL;
    assert_int_equal(joulie_object_new(NULL, kind, &object, NULL), JOULIE_OK);
    return object;
}

static size_t members_in_view(const char *kind, const char *part, view_fn *view)
{
    const struct jl_table *table = jl_kind_find(JOULIE_V1ALPHA1_API_VERSION, kind);
    struct joulie_object *object = start(kind);
    uint64_t seen = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].key, part) == 0)
            count = count_views(table->rows[i].child, object, part, view, &seen);
    }
    joulie_object_free(object);
    return count;
}

/* Where a member of a document is in a view: number, integer, bool, text or time. */
struct pair {
    const char *path;
    char type;
    size_t offset;
};

static const struct pair node_twin_status_pairs[] = {
    { "status.powerMeasurement.measuredNodePowerW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, measured_node_power_w) },
    { "status.powerMeasurement.cpuCappedPowerW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, cpu_capped_power_w) },
    { "status.powerMeasurement.gpuCappedPowerW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, gpu_capped_power_w) },
    { "status.powerMeasurement.nodeCappedPowerW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, node_capped_power_w) },
    { "status.powerMeasurement.cpuTdpW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, cpu_tdp_w) },
    { "status.powerMeasurement.gpuTdpW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, gpu_tdp_w) },
    { "status.powerMeasurement.nodeTdpW", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, node_tdp_w) },
    { "status.powerMeasurement.powerTrendWPerMin", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, power_trend_w_per_min) },
    { "status.predictedPowerHeadroomScore", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, power_headroom_score) },
    { "status.predictedCoolingStressScore", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, cooling_stress_score) },
    { "status.predictedPsuStressScore", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, psu_stress_score) },
    { "status.effectiveCapState.cpuPct", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, cpu_effective_pct) },
    { "status.effectiveCapState.gpuPct", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, gpu_effective_pct) },
    { "status.hardwareDensityScore", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, hardware_density_score) },
    { "status.estimatedPUE", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, estimated_pue) },
    { "status.gpuSlicingRecommendation.estimatedUtilizationGain", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, slicing_gain_pct) },
    { "status.gpuSlicingRecommendation.confidence", 'n',
      offsetof(struct joulie_v1alpha1_node_twin_status, slicing_confidence_frac) },
    { "status.gpuSlicingRecommendation.slicesPerGPU", 'i',
      offsetof(struct joulie_v1alpha1_node_twin_status, slices_per_gpu) },
    { "status.gpuSlicingRecommendation.totalSlices", 'i',
      offsetof(struct joulie_v1alpha1_node_twin_status, total_slices) },
    { "status.lastUpdated", 'm',
      offsetof(struct joulie_v1alpha1_node_twin_status, last_updated_ms) },
    { "status.controlStatus.cpu.updatedAt", 'm',
      offsetof(struct joulie_v1alpha1_node_twin_status, cpu_control_updated_ms) },
    { "status.controlStatus.gpu.updatedAt", 'm',
      offsetof(struct joulie_v1alpha1_node_twin_status, gpu_control_updated_ms) },
    { "status.gpuSlicingRecommendation.sliceType", 't',
      offsetof(struct joulie_v1alpha1_node_twin_status, slice_type) },
    { "status.gpuSlicingRecommendation.reason", 't',
      offsetof(struct joulie_v1alpha1_node_twin_status, slicing_reason) },
    { "status.controlStatus.cpu.backend", 't',
      offsetof(struct joulie_v1alpha1_node_twin_status, cpu_control_backend) },
    { "status.controlStatus.cpu.message", 't',
      offsetof(struct joulie_v1alpha1_node_twin_status, cpu_control_message) },
    { "status.controlStatus.gpu.backend", 't',
      offsetof(struct joulie_v1alpha1_node_twin_status, gpu_control_backend) },
    { "status.controlStatus.gpu.message", 't',
      offsetof(struct joulie_v1alpha1_node_twin_status, gpu_control_message) },
};
static const struct pair node_hardware_pairs[] = {
    { "spec.nodeName", 't', offsetof(struct joulie_v1alpha1_node_hardware, node_name) },
    { "status.cpu.rawModel", 't', offsetof(struct joulie_v1alpha1_node_hardware, cpu_raw_model) },
    { "status.cpu.model", 't', offsetof(struct joulie_v1alpha1_node_hardware, cpu_model) },
    { "status.cpu.vendor", 't', offsetof(struct joulie_v1alpha1_node_hardware, cpu_vendor) },
    { "status.cpu.driverFamily", 't',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_driver_family) },
    { "status.cpu.capRange.type", 't',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_cap_range_type) },
    { "status.gpu.rawModel", 't', offsetof(struct joulie_v1alpha1_node_hardware, gpu_raw_model) },
    { "status.gpu.model", 't', offsetof(struct joulie_v1alpha1_node_hardware, gpu_model) },
    { "status.gpu.vendor", 't', offsetof(struct joulie_v1alpha1_node_hardware, gpu_vendor) },
    { "status.network.linkClass", 't', offsetof(struct joulie_v1alpha1_node_hardware, link_class) },
    { "status.inventoryResolution.hardwareCatalogKey.cpu", 't',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_catalog_key) },
    { "status.inventoryResolution.hardwareCatalogKey.gpu", 't',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_catalog_key) },
    { "status.inventoryResolution.exactness.cpu", 't',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_exactness) },
    { "status.inventoryResolution.exactness.gpu", 't',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_exactness) },
    { "status.quality.overall", 't', offsetof(struct joulie_v1alpha1_node_hardware, quality) },
    { "status.cpu.capRange.minWattsPerSocket", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_min_cap_w) },
    { "status.cpu.capRange.maxWattsPerSocket", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_max_cap_w) },
    { "status.cpu.landmarks.minFreqMHz", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_min_freq_mhz) },
    { "status.cpu.landmarks.nominalFreqMHz", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_nominal_freq_mhz) },
    { "status.cpu.landmarks.maxBoostMHz", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_max_boost_mhz) },
    { "status.cpu.landmarks.lowestNonlinearFreqMHz", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_lowest_nonlinear_freq_mhz) },
    { "status.gpu.capRangePerGpu.minWatts", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_min_cap_w) },
    { "status.gpu.capRangePerGpu.maxWatts", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_max_cap_w) },
    { "status.gpu.capRangePerGpu.defaultWatts", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_default_cap_w) },
    { "status.gpu.currentCapWatts", 'n',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_current_cap_w) },
    { "status.cpu.sockets", 'i', offsetof(struct joulie_v1alpha1_node_hardware, cpu_sockets) },
    { "status.cpu.totalCores", 'i',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_total_cores) },
    { "status.cpu.coresPerSocket", 'i',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_cores_per_socket) },
    { "status.cpu.logicalCpus", 'i',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_logical_cpus) },
    { "status.cpu.physicalCores", 'i',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_physical_cores) },
    { "status.gpu.count", 'i', offsetof(struct joulie_v1alpha1_node_hardware, gpu_count) },
    { "status.memory.totalBytes", 'i',
      offsetof(struct joulie_v1alpha1_node_hardware, memory_bytes) },
    { "status.updatedAt", 'm', offsetof(struct joulie_v1alpha1_node_hardware, updated_ms) },
    { "status.gpu.present", 'b', offsetof(struct joulie_v1alpha1_node_hardware, has_gpus) },
    { "status.gpu.slicing.supported", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_can_slice) },
    { "status.cpu.controlAvailable", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_can_control) },
    { "status.cpu.telemetryAvailable", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, cpu_can_read) },
    { "status.gpu.controlAvailable", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_can_control) },
    { "status.gpu.telemetryAvailable", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, gpu_can_read) },
    { "status.capabilities.cpuControl", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, node_can_control_cpu) },
    { "status.capabilities.gpuControl", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, node_can_control_gpu) },
    { "status.capabilities.cpuTelemetry", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, node_can_read_cpu) },
    { "status.capabilities.gpuTelemetry", 'b',
      offsetof(struct joulie_v1alpha1_node_hardware, node_can_read_gpu) },
};

/* A value that no other member has. */
static void set_pair(struct joulie_object *object, const struct pair *pair, size_t i)
{
    char text[32];
    snprintf(text, sizeof text, pair->type == 'm' ? "1970-01-01T00:00:%02zuZ" : "text %zu", i);
    if (pair->type == 'n')
        assert_int_equal(joulie_object_set_number(object, pair->path, (double)i + 0.5, NULL), 0);
    else if (pair->type == 'i')
        assert_int_equal(joulie_object_set_integer(object, pair->path, (int64_t)i, NULL), 0);
    else if (pair->type == 'b')
        assert_int_equal(joulie_object_set_bool(object, pair->path, 1, NULL), 0);
    else
        assert_int_equal(joulie_object_set_text(object, pair->path, text, NULL), 0);
}

static bool is_pair_read(const void *out, const struct pair *pair, size_t i)
{
    const char *member = (const char *)out + pair->offset;
    char text[32];
    double number;
    int64_t integer;
    int32_t flag;
    const char *found;
    memcpy(&number, member, sizeof number);
    memcpy(&integer, member, sizeof integer);
    memcpy(&flag, member, sizeof flag);
    memcpy(&found, member, sizeof found);
    snprintf(text, sizeof text, "text %zu", i);
    switch (pair->type) {
    case 'n':
        return number > (double)i + 0.4 && number < (double)i + 0.6;
    case 'i':
        return integer == (int64_t)i;
    case 'm':
        return integer == (int64_t)i * 1000;
    case 'b':
        return flag == 1;
    default:
        return found && strcmp(found, text) == 0;
    }
}

static void check_pairs(const char *kind, const struct pair *pairs, size_t count, view_fn *view)
{
    struct joulie_object *object = start(kind);
    uint64_t out[64] = { sizeof out };
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(view(object, out, NULL), JOULIE_OK);
        if (pairs[i].type == 'b' && is_pair_read(out, &pairs[i], i))
            fail_msg("%s is read from elsewhere", pairs[i].path);
        set_pair(object, &pairs[i], i);
        assert_int_equal(view(object, out, NULL), JOULIE_OK);
        if (!is_pair_read(out, &pairs[i], i))
            fail_msg("%s is not where it should be", pairs[i].path);
    }
    joulie_object_free(object);
}

static void each_value_is_in_the_member_of_its_name(void **state)
{
    (void)state;
    check_pairs("NodeTwin", node_twin_status_pairs, JL_COUNT(node_twin_status_pairs), get_status);
    check_pairs("NodeHardware", node_hardware_pairs, JL_COUNT(node_hardware_pairs), get_hardware);
}

static void every_single_value_of_a_kind_is_in_its_view(void **state)
{
    (void)state;
    assert_int_equal(members_in_view("NodeTwin", "spec", get_spec), 10);
    assert_int_equal(members_in_view("NodeTwin", "status", get_status), 33);
    assert_int_equal(members_in_view("NodeHardware", "spec", get_hardware), 1);
    assert_int_equal(members_in_view("NodeHardware", "status", get_hardware), 42);
    assert_int_equal(members_in_view("WorkloadProfile", "spec", get_profile), 4);
    assert_int_equal(members_in_view("WorkloadProfile", "status", get_profile), 15);
}

static void a_view_of_another_kind_or_a_wrong_size_is_refused(void **state)
{
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *pod = start("Pod");
    struct joulie_object *twin = object_of(
        "{" HEAD ",\"spec\":{\"nodeName\":\"n\",\"policy\":{\"name\":[]}}}", JOULIE_OBJECT_LENIENT);
    (void)state;
    spec.cpu_cap_w = 5;
    assert_int_equal(joulie_v1alpha1_get_node_twin_spec(pod, &spec, &err), JOULIE_E_UNSUPPORTED);
    assert_string_equal(err.where, "kind");
    assert_int_equal(joulie_v1alpha1_get_node_twin_spec(twin, &spec, &err), JOULIE_E_TYPE);
    assert_string_equal(err.where, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_NAME);
    assert_null(spec.node_name);
    assert_near(spec.cpu_cap_w, 5, 0);
    assert_int_equal(joulie_object_unset(twin, JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY, NULL), 0);
    spec.struct_size = sizeof spec - 1;
    assert_int_equal(joulie_v1alpha1_get_node_twin_spec(twin, &spec, &err), JOULIE_E_ABI);
    spec.struct_size = 5000;
    assert_int_equal(joulie_v1alpha1_get_node_twin_spec(twin, &spec, &err), JOULIE_E_ABI);

    uint64_t larger[64]; /* of a later release: its tail is unknown to us */
    memset(larger, 0xAA, sizeof larger);
    larger[0] = sizeof larger;
    assert_int_equal(get_spec(twin, larger, &err), JOULIE_OK);
    assert_true(larger[1] == JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_NODE_NAME);
    assert_true(larger[0] == sizeof larger && larger[63] == 0);
    joulie_object_free(pod);
    joulie_object_free(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paths_of_the_header_are_those_of_the_tables),
        cmocka_unit_test(the_kinds_of_the_header_are_those_of_the_tables),
        cmocka_unit_test(words_and_values_agree_and_have_no_gaps),
        cmocka_unit_test(a_full_spec_of_a_twin_is_read_at_once),
        cmocka_unit_test(a_status_says_what_is_unknown),
        cmocka_unit_test(facts_of_a_node_are_read_at_once),
        cmocka_unit_test(a_profile_of_work_is_read_at_once),
        cmocka_unit_test(each_value_is_in_the_member_of_its_name),
        cmocka_unit_test(every_single_value_of_a_kind_is_in_its_view),
        cmocka_unit_test(a_view_of_another_kind_or_a_wrong_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
