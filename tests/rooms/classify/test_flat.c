/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include <joulie/classify.h>

#include "base/words.h"
#include "classify/classify.h"
#include "support/test.h"

/* joulie_classify(): every vector of the classifier through the public struct, and its edges. */

static char reason[JOULIE_CLASSIFY_REASON_BYTES];

static struct joulie_classify_output output(void)
{
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    out.reason = reason;
    out.reason_size = sizeof reason;
    return out;
}

/* ---- from a vector to the struct ---- */

static const struct {
    const char *key;
    size_t offset;
    uint64_t bit;
} numbers[] = {

#define NUMBER(key, member, bit)                                                       \
    {                                                                                  \
        key, offsetof(struct joulie_classify_input, member), JOULIE_CLASSIFY_HAS_##bit \
    }
    NUMBER("cpuUtilPct", cpu_util_pct, CPU_UTIL),
    NUMBER("gpuUtilPct", gpu_util_pct, GPU_UTIL),
    NUMBER("memPressurePct", mem_pressure_pct, MEM_PRESSURE),
    NUMBER("gpuMemUtilPct", gpu_mem_util_pct, GPU_MEM_UTIL),
    NUMBER("cpuEnergyJ", cpu_energy_j, CPU_ENERGY),
    NUMBER("dramEnergyJ", dram_energy_j, DRAM_ENERGY),
    NUMBER("gpuEnergyJ", gpu_energy_j, GPU_ENERGY),
    NUMBER("windowS", window_s, WINDOW),
    NUMBER("coverage", coverage_frac, COVERAGE),
    NUMBER("usageCores", usage_cores, USAGE_CORES),
    NUMBER("requestCores", request_cores, REQUEST_CORES),
    NUMBER("limitCores", limit_cores, LIMIT_CORES),
    NUMBER("nodeCores", node_cores, NODE_CORES),
    NUMBER("workingSetBytes", working_set_bytes, WORKING_SET),
    NUMBER("limitBytes", limit_bytes, LIMIT_BYTES),
    NUMBER("keplerPackageW", kepler_package_w, KEPLER_PACKAGE),
    NUMBER("keplerDramW", kepler_dram_w, KEPLER_DRAM),
    NUMBER("keplerGpuW", kepler_gpu_w, KEPLER_GPU),
    NUMBER("gpuMaxWatts", gpu_max_w, GPU_MAX),
    NUMBER("gpuCount", gpu_count, GPU_COUNT),
    NUMBER("cpuBoundRatio", cpu_bound_ratio, CPU_BOUND_RATIO),
    NUMBER("memBoundRatio", mem_bound_ratio, MEM_BOUND_RATIO),
};

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *found = NULL;
    if (object)
        json_object_object_get_ex(object, key, &found);
    return found;
}

static const char *text_of(struct json_object *object, const char *key)
{
    return json_object_get_string(member(object, key));
}

static int word(const struct jl_words *words, struct json_object *object, const char *key)
{
    return jl_word_value(words, jl_text(text_of(object, key)));
}

static bool read_metrics(struct json_object *metrics, struct joulie_classify_input *out)
{
    if (!metrics)
        return true;
    out->has |= JOULIE_CLASSIFY_HAS_METRICS;
    json_object_object_foreach(metrics, key, value)
    {
        bool is_read = false;
        for (size_t i = 0; i < JL_COUNT(numbers); i++) {
            if (strcmp(key, numbers[i].key) != 0)
                continue;
            const double number = json_object_get_double(value);
            memcpy((char *)out + numbers[i].offset, &number, sizeof number);
            out->has |= numbers[i].bit;
            is_read = true;
        }
        if (strcmp(key, "keplerUsed") == 0) {
            out->kepler_used = json_object_get_boolean(value);
            out->has |= JOULIE_CLASSIFY_HAS_KEPLER_USED;
            is_read = true;
        } else if (strcmp(key, "gpuDominant") == 0) {
            out->gpu_dominant = json_object_get_boolean(value);
            out->has |= JOULIE_CLASSIFY_HAS_GPU_DOMINANT;
            is_read = true;
        }
        if (!is_read)
            return false; /* what only a document can say */
    }
    return true;
}

static void read_previous(struct json_object *previous, struct joulie_classify_input *out)
{
    struct json_object *cpu = member(previous, "cpu");
    struct json_object *gpu = member(previous, "gpu");
    if (!member(previous, "confidence"))
        return;
    out->has |= JOULIE_CLASSIFY_HAS_PREVIOUS;
    out->previous_confidence = json_object_get_double(member(previous, "confidence"));
    out->previous_cpu_intensity = (enum joulie_level)word(&jl_level_words, cpu, "intensity");
    out->previous_cpu_bound = (enum joulie_bound)word(&jl_cpu_bound_words, cpu, "bound");
    out->previous_cpu_sensitivity = (enum joulie_level)word(&jl_level_words, cpu, "capSensitivity");
    out->previous_gpu_intensity = (enum joulie_level)word(&jl_level_none_words, gpu, "intensity");
    out->previous_gpu_bound = (enum joulie_bound)word(&jl_gpu_bound_words, gpu, "bound");
    out->previous_gpu_sensitivity =
        (enum joulie_level)word(&jl_level_none_words, gpu, "capSensitivity");
}

static void read_config(struct json_object *in, struct json_object *config,
                        struct joulie_classify_input *out)
{
    const char *rules = text_of(config, "rules");
    const char *model = text_of(member(in, "options"), "model");
    if (model)
        rules = model;
    out->rules = rules && strcmp(rules, "v0.1.0") == 0 ? JOULIE_CLASSIFY_RULES_V0_1_0
                                                       : JOULIE_CLASSIFY_RULES_CURRENT;
    out->derive_class = json_object_get_boolean(member(config, "deriveClass"));
    out->use_sim_texts = json_object_get_boolean(member(config, "simAnnotationFallback"));
    if (member(config, "minConfidence")) {
        out->has |= JOULIE_CLASSIFY_HAS_MIN_CONFIDENCE;
        out->min_confidence = json_object_get_double(member(config, "minConfidence"));
    }
    if (member(config, "hysteresisPct")) {
        out->has |= JOULIE_CLASSIFY_HAS_HYSTERESIS;
        out->hysteresis_pct = json_object_get_double(member(config, "hysteresisPct"));
    }
}

static bool read_input(struct json_object *in, struct joulie_classify_input *out)
{
    struct json_object *annotations = member(in, "annotations");
    *out = JOULIE_INIT(struct joulie_classify_input);
    out->workload_class = text_of(annotations, "joulie.io/workload-class");
    out->reschedulable = text_of(annotations, "joulie.io/reschedulable");
    out->cpu_sensitivity = text_of(annotations, "joulie.io/cpu-sensitivity");
    out->gpu_sensitivity = text_of(annotations, "joulie.io/gpu-sensitivity");
    out->sim_cpu_util_pct = text_of(annotations, "sim.joulie.io/cpu-util-pct");
    out->sim_gpu_util_pct = text_of(annotations, "sim.joulie.io/gpu-util-pct");
    out->sim_mem_pressure_pct = text_of(annotations, "sim.joulie.io/memory-pressure-pct");
    read_config(in, member(in, "config"), out);
    read_previous(member(in, "previous"), out);
    return read_metrics(member(in, "metrics"), out);
}

/* ---- from the struct to what a vector expects ---- */

static void assert_word(struct json_object *part, const char *key, const struct jl_words *words,
                        int actual)
{
    const char *expected = text_of(part, key);
    if (expected)
        assert_string_equal(jl_word_of(words, actual), expected);
}

static void assert_number(struct json_object *part, const char *key, bool is_known, double actual)
{
    struct json_object *expected = member(part, key);
    if (!expected)
        return;
    assert_true(is_known);
    assert_near(actual, json_object_get_double(expected), 1e-9);
}

static void assert_answer(struct json_object *expected, const struct joulie_classify_output *out)
{
    struct json_object *cpu = member(expected, "cpu");
    struct json_object *gpu = member(expected, "gpu");
    const char *class_ = text_of(member(expected, "criticality"), "class");
    const char *why = text_of(expected, "classificationReason");
    if (why)
        assert_string_equal(reason, why);
    assert_int_equal(out->reason_len, strlen(reason));
    if (class_) {
        const int value = jl_word_value(&jl_criticality_words, jl_text(class_));
        assert_int_equal(out->workload_class, value != 0 ? value : JOULIE_WORKLOAD_OTHER);
    }
    assert_word(cpu, "intensity", &jl_level_words, (int)out->cpu_intensity);
    assert_word(cpu, "bound", &jl_cpu_bound_words, (int)out->cpu_bound);
    assert_word(cpu, "capSensitivity", &jl_level_words, (int)out->cpu_sensitivity);
    assert_word(gpu, "intensity", &jl_level_none_words, (int)out->gpu_intensity);
    assert_word(gpu, "bound", &jl_gpu_bound_words, (int)out->gpu_bound);
    assert_word(gpu, "capSensitivity", &jl_level_none_words, (int)out->gpu_sensitivity);
    assert_number(cpu, "avgUtilizationPct", (out->has & JOULIE_CLASSIFY_OUT_CPU_UTIL) != 0,
                  out->cpu_util_pct);
    assert_number(gpu, "avgUtilizationPct", (out->has & JOULIE_CLASSIFY_OUT_GPU_UTIL) != 0,
                  out->gpu_util_pct);
    assert_number(expected, "confidence", true, out->confidence);
    if (member(expected, "reliable"))
        assert_int_equal((out->flags & JOULIE_CLASSIFY_RELIABLE) != 0,
                         json_object_get_boolean(member(expected, "reliable")));
    struct json_object *migratable = NULL;
    if (json_object_object_get_ex(expected, "migratability", &migratable)) {
        const bool has = (out->has & JOULIE_CLASSIFY_OUT_RESCHEDULABLE) != 0;
        assert_int_equal(has, migratable != NULL);
        if (has)
            assert_int_equal(out->reschedulable,
                             json_object_get_boolean(member(migratable, "reschedulable")));
    }
}

struct tally {
    size_t answers;
    size_t errors;
    size_t documents; /* faults that only a document can have */
};

static void run_case(struct json_object *test, struct tally *tally)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_classify_output out = output();
    struct joulie_classify_input in;
    struct json_object *failure = member(test, "error");
    const char *code = text_of(failure, "code");
    if (strcmp(text_of(test, "question"), "classify") != 0)
        return;
    if (code && strcmp(code, "range") != 0) {
        tally->documents++;
        return;
    }
    if (!read_input(member(test, "in"), &in)) {
        tally->documents++;
        return;
    }
    const int rc = joulie_classify(&in, &out, &err);
    if (failure) {
        assert_int_equal(rc, JOULIE_E_RANGE);
        if (text_of(failure, "where"))
            assert_string_equal(err.where, text_of(failure, "where"));
        tally->errors++;
        return;
    }
    if (rc != 0)
        fail_msg("%s: %s: %s", text_of(test, "id"), err.where, err.message);
    assert_answer(member(test, "out"), &out);
    tally->answers++;
}

static void every_vector_of_the_classifier_passes(void **state)
{
    (void)state;

    static const char *const files[] = {
        "joulie-classifier-6-raw-series.json",
        "joulie-classifier-6-rule-functions.json",
        "joulie-classifier-6-rules-current.json",
        "joulie-classifier-6-rules-v0.1.0.json",
        "joulie-classifier-6-sim-annotations.json",
        "joulie-classifier-6-table-K.json",
        "libjoulie-classify.json",
    };
    struct tally tally = { 0 };
    for (size_t i = 0; i < JL_COUNT(files); i++) {
        char path[200] = "tests/vectors/";
        memcpy(path + strlen(path), files[i], strlen(files[i]) + 1);
        struct json_object *document = json_object_from_file(path);
        struct json_object *cases = member(document, "cases");
        assert_non_null(cases);
        for (size_t c = 0; c < json_object_array_length(cases); c++)
            run_case(json_object_array_get_idx(cases, c), &tally);
        json_object_put(document);
    }
    print_message("%zu answers, %zu errors, %zu that only documents have\n", tally.answers,
                  tally.errors, tally.documents);
    assert_true(tally.answers >= 100);
}

/* ---- edges ---- */

static struct joulie_classify_input busy(void)
{
    struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
    in.has = JOULIE_CLASSIFY_HAS_CPU_UTIL | JOULIE_CLASSIFY_HAS_MEM_PRESSURE;
    in.cpu_util_pct = 85;
    in.mem_pressure_pct = 20;
    return in;
}

static void a_reason_that_does_not_fit_writes_nothing(void **state)
{
    (void)state;
    static const char whole[] = "cpu-intensity=high (util 85%\xE2\x89\xA5"
                                "75%); cpu-bound=compute, cap-sensitivity=high (util 85%>70%)";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct joulie_classify_input in = busy();
    char room[sizeof whole] = "untouched";
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    out.reason = room;
    out.reason_size = sizeof whole - 1;
    const struct joulie_classify_output before = out;
    assert_int_equal(joulie_classify(&in, &out, &err), JOULIE_E_LIMIT);
    assert_string_equal(err.where, "reason");
    assert_string_equal(room, "untouched");
    assert_memory_equal(&out, &before, sizeof out);
    out.reason_size = sizeof whole;
    assert_int_equal(joulie_classify(&in, &out, &err), 0);
    assert_string_equal(room, whole);
    assert_int_equal(out.reason_len, sizeof whole - 1);
    assert_ptr_equal(out.reason, room);
    assert_int_equal(out.reason_size, sizeof whole);
}

static void without_room_there_is_no_reason(void **state)
{
    (void)state;
    const struct joulie_classify_input in = busy();
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    assert_int_equal(joulie_classify(&in, &out, NULL), 0);
    assert_int_equal(out.reason_len, 0);
    assert_int_equal(out.cpu_bound, JOULIE_BOUND_COMPUTE);
    assert_int_equal(out.gpu_intensity, JOULIE_LEVEL_NONE);
}

static void the_longest_reason_fits_its_constant(void **state)
{
    (void)state;
    char strange[600];
    memset(strange, '\x01', sizeof strange - 1); /* six bytes each when escaped */
    strange[sizeof strange - 1] = '\0';
    struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
    in.has = (JOULIE_CLASSIFY_HAS_METRICS - 1) | JOULIE_CLASSIFY_HAS_PREVIOUS;
    in.has &= ~(JOULIE_CLASSIFY_HAS_KEPLER_USED | JOULIE_CLASSIFY_HAS_GPU_DOMINANT);
    in.workload_class = strange;
    in.cpu_sensitivity = "medium";
    in.gpu_sensitivity = "medium";
    in.rules = JOULIE_CLASSIFY_RULES_CURRENT;
    in.cpu_util_pct = 70.0000001;
    in.gpu_util_pct = 69.9999999;
    in.mem_pressure_pct = 49.9999999;
    in.cpu_bound_ratio = 9e14;
    in.mem_bound_ratio = 9e14;
    in.cpu_energy_j = 1;
    in.dram_energy_j = 1;
    in.previous_confidence = 0.9;
    in.previous_cpu_intensity = JOULIE_LEVEL_HIGH;
    in.previous_cpu_bound = JOULIE_BOUND_MIXED;
    in.previous_cpu_sensitivity = JOULIE_LEVEL_MEDIUM;
    in.previous_gpu_intensity = JOULIE_LEVEL_HIGH;
    in.previous_gpu_bound = JOULIE_BOUND_COMPUTE;
    in.previous_gpu_sensitivity = JOULIE_LEVEL_HIGH;
    struct joulie_classify_output out = output();
    assert_int_equal(joulie_classify(&in, &out, NULL), 0);
    assert_true(out.reason_len > 500 && out.reason_len < sizeof reason);
    assert_true((out.flags & JOULIE_CLASSIFY_IGNORED_CLASS) != 0);
}

static void assert_fails(const struct joulie_classify_input *in, int expected, const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_classify_output out = output();
    const struct joulie_classify_output before = out;
    memcpy(reason, "untouched", sizeof "untouched");
    assert_int_equal(joulie_classify(in, &out, &err), expected);
    assert_int_equal(err.code, expected);
    assert_string_equal(err.where, where);
    assert_memory_equal(&out, &before, sizeof out);
    assert_string_equal(reason, "untouched");
}

#define FAILS(member, value, expected, where)        \
    do {                                             \
        struct joulie_classify_input wrong = busy(); \
        wrong.member = value;                        \
        assert_fails(&wrong, expected, where);       \
    } while (0)

static void misuse_has_its_code_and_its_place(void **state)
{
    (void)state;
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    const struct joulie_classify_input in = busy();
    FAILS(struct_size, 8, JOULIE_E_ABI, "");
    FAILS(struct_size, 5000, JOULIE_E_ABI, "");
    FAILS(has, UINT64_C(1) << 28, JOULIE_E_ABI, "");
    FAILS(reserved, 1, JOULIE_E_ABI, "");
    FAILS(rules, (enum joulie_classify_rules)3, JOULIE_E_ENUM, "config.rules");
    FAILS(derive_class, 2, JOULIE_E_RANGE, "config.deriveClass");
    FAILS(use_sim_texts, 2, JOULIE_E_RANGE, "config.simAnnotationFallback");
    FAILS(derive_class, -1, JOULIE_E_RANGE, "config.deriveClass");
    FAILS(use_sim_texts, -1, JOULIE_E_RANGE, "config.simAnnotationFallback");
    FAILS(previous_cpu_bound, (enum joulie_bound)6, JOULIE_E_ENUM, "previous.cpu");
    FAILS(previous_cpu_intensity, (enum joulie_level)5, JOULIE_E_ENUM, "previous.cpu");
    FAILS(previous_cpu_sensitivity, (enum joulie_level)5, JOULIE_E_ENUM, "previous.cpu");
    FAILS(previous_gpu_intensity, (enum joulie_level)5, JOULIE_E_ENUM, "previous.gpu");
    FAILS(previous_gpu_bound, (enum joulie_bound)6, JOULIE_E_ENUM, "previous.gpu");
    FAILS(previous_gpu_sensitivity, (enum joulie_level)5, JOULIE_E_ENUM, "previous.gpu");
    FAILS(cpu_util_pct, NAN, JOULIE_E_RANGE, "metrics.cpuUtilPct");
    FAILS(cpu_util_pct, -1, JOULIE_E_RANGE, "metrics.cpuUtilPct");
    FAILS(mem_pressure_pct, 1e15, JOULIE_E_RANGE, "metrics.memPressurePct");
    struct joulie_classify_input most = busy();
    most.mem_pressure_pct = nextafter(1e15, 0); /* a reason still prints it */
    assert_int_equal(joulie_classify(&most, &out, NULL), JOULIE_OK);
    out.struct_size = 8;
    assert_int_equal(joulie_classify(&in, &out, NULL), JOULIE_E_ABI);
    assert_int_equal(joulie_classify(NULL, &out, NULL), JOULIE_E_ABI);
}

static void numbers_without_their_bit_are_not_looked_at(void **state)
{
    (void)state;
    struct joulie_classify_input in = busy();
    struct joulie_classify_output out = output();
    in.gpu_util_pct = NAN;
    in.hysteresis_pct = -5;
    in.min_confidence = INFINITY;
    in.previous_confidence = NAN;
    in.kepler_used = 7;
    assert_int_equal(joulie_classify(&in, &out, NULL), 0);
    assert_true((out.flags & JOULIE_CLASSIFY_RELIABLE) != 0);
    in.has = 0;
    assert_int_equal(joulie_classify(&in, &out, NULL), 0);
    assert_string_equal(reason, "hints only (no metrics available)");
    assert_true((out.flags & JOULIE_CLASSIFY_HINTS_ONLY) != 0);
}

/* What a later release has appended is zero when it is not used. */
static void a_caller_of_a_later_release_says_nothing_that_is_not_known(void **state)
{
    struct {
        struct joulie_classify_input known;
        uint64_t later;
    } in = { busy(), 0 };
    struct joulie_classify_output out = output();
    (void)state;
    in.known.struct_size = sizeof in;
    assert_int_equal(joulie_classify(&in.known, &out, NULL), 0);
    in.later = 1;
    assert_int_equal(joulie_classify(&in.known, &out, NULL), JOULIE_E_ABI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_of_the_classifier_passes),
        cmocka_unit_test(a_reason_that_does_not_fit_writes_nothing),
        cmocka_unit_test(without_room_there_is_no_reason),
        cmocka_unit_test(the_longest_reason_fits_its_constant),
        cmocka_unit_test(misuse_has_its_code_and_its_place),
        cmocka_unit_test(numbers_without_their_bit_are_not_looked_at),
        cmocka_unit_test(a_caller_of_a_later_release_says_nothing_that_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
