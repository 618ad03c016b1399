/* SPDX-License-Identifier: Apache-2.0 */

/* Members read and set by path. */

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "kinds/kinds.h"
#include "object/objects.h"
#include "schema/row.h"

static const char twin[] =
    "{" HEAD ",\"metadata\":{\"name\":\"n\",\"labels\":{\"a.b/c\":\"x\",\"q\\\"\\\\\":\"y\"},"
    "\"revision\":7,\"finalizers\":[\"f\"]},\"spec\":{\"nodeName\":\"n\",\"profile\":\"turbo\","
    "\"cpu\":{\"packagePowerCapPctOfMax\":130.5,\"packagePowerCapWatts\":null},\"gpu\":5},"
    "\"status\":{\"gpuSlicingRecommendation\":{\"slicesPerGPU\":7.0,\"totalSlices\":1.5},"
    "\"controlStatus\":{\"cpu\":{\"observed\":{\"w\":3.5,\"n\":[1,\"t\",true]}}},"
    "\"rescheduleRecommendations\":[{\"reason\":\"r\"},null]},\"new\":1}";

/* Reads by every getter; *out gets what was found. */
static int read_as(const struct joulie_object *object, char getter, const char *path, char out[64],
                   struct joulie_error *err)
{
    double number = -1;
    int64_t integer = -1;
    int32_t flag = -1;
    size_t count = 99;
    const char *text = "-";
    int rc = 0;
    switch (getter) {
    case 'n':
        rc = joulie_object_get_number(object, path, &number, err);
        snprintf(out, 64, "%g", number);
        break;
    case 'i':
        rc = joulie_object_get_integer(object, path, &integer, err);
        snprintf(out, 64, "%lld", (long long)integer);
        break;
    case 'b':
        rc = joulie_object_get_bool(object, path, &flag, err);
        snprintf(out, 64, "%d", (int)flag);
        break;
    case 't':
        rc = joulie_object_get_text(object, path, &text, err);
        snprintf(out, 64, "%s", text);
        break;
    default:
        rc = joulie_object_count(object, path, &count, err);
        snprintf(out, 64, "%zu", count);
        break;
    }
    return rc;
}

struct reading {
    char getter;
    const char *path;
    int rc;
    const char *found; /* 1: the value, 0: what the output was before, a code: where */
};

static void getters_find_what_is_there_and_report_what_is_not(void **state)
{
    static const struct reading readings[] = {
        { 'n', "spec.cpu.packagePowerCapPctOfMax", 1, "130.5" },
        { 'n', "[\"spec\"][\"cpu\"].packagePowerCapPctOfMax", 1, "130.5" },
        { 'n', "spec.cpu.packagePowerCapWatts", 0, "-1" },
        { 'n', "spec.gpu.powerCap.capWattsPerGpu", JOULIE_E_TYPE, "spec.gpu" },
        { 'n', "status.predictedPsuStressScore", 0, "-1" },
        { 'n', "status.gpuSlicingRecommendation.slicesPerGPU", 1, "7" },
        { 'i', "status.gpuSlicingRecommendation.slicesPerGPU", 1, "7" },
        { 'i', "status.gpuSlicingRecommendation.totalSlices", JOULIE_E_TYPE,
          "status.gpuSlicingRecommendation.totalSlices" },
        { 'i', "spec.cpu.packagePowerCapPctOfMax", JOULIE_E_TYPE,
          "spec.cpu.packagePowerCapPctOfMax" },
        { 't', "spec.profile", 1, "turbo" },
        { 't', "spec.cpu", JOULIE_E_TYPE, "spec.cpu" },
        { 'n', "spec.profile", JOULIE_E_TYPE, "spec.profile" },
        { 'b', "spec.scheduling.draining", 0, "-1" },
        { 'b', "spec.nodeName", JOULIE_E_TYPE, "spec.nodeName" },
        { 't', "metadata.labels[\"a.b/c\"]", 1, "x" },
        { 't', "metadata.labels.a.b/c", 1, "x" },
        { 't', "metadata.labels[\"q\\\"\\\\\"]", 1, "y" },
        { 't', "metadata.labels.a", 0, "-" },
        { 'i', "metadata.revision", 1, "7" },
        { 't', "metadata.finalizers[0]", 1, "f" },
        { 't', "metadata.finalizers[1]", 0, "-" },
        { 't', "metadata.managedFields[3].manager", 0, "-" },
        { 'n', "metadata.revision.deeper", JOULIE_E_TYPE, "metadata.revision" },
        { 'n', "status.controlStatus.cpu.observed.w", 1, "3.5" },
        { 't', "status.controlStatus.cpu.observed.n[1]", 1, "t" },
        { 'b', "status.controlStatus.cpu.observed.n[2]", 1, "1" },
        { 't', "status.controlStatus.cpu.observed.w", JOULIE_E_TYPE,
          "status.controlStatus.cpu.observed.w" },
        { 'c', "status.controlStatus.cpu.observed.n", 1, "3" },
        { 'c', "status.controlStatus.cpu.observed", 1, "2" },
        { 'c', "status.rescheduleRecommendations", 1, "2" },
        { 'c', "metadata.labels", 1, "2" },
        { 'c', "", 1, "6" },
        { 'c', "spec.gpu", JOULIE_E_TYPE, "spec.gpu" },
        { 'c', "spec.nodeName", JOULIE_E_TYPE, "spec.nodeName" },
        { 'c', "status.powerMeasurement", 0, "99" },
        { 't', "status.rescheduleRecommendations[0].reason", 1, "r" },
        { 't', "status.rescheduleRecommendations[1].reason", 0, "-" },
        { 't', "status.rescheduleRecommendations[9].reason", 0, "-" },
        { 't', "status.rescheduleRecommendations.reason", JOULIE_E_UNKNOWN_MEMBER,
          "status.rescheduleRecommendations.reason" },
        { 't', "status.rescheduleRecommendations[0].reason.x", JOULIE_E_UNKNOWN_MEMBER,
          "status.rescheduleRecommendations[0].reason.x" },
        { 'n', "new", JOULIE_E_UNKNOWN_MEMBER, "new" },
        { 'n', "spec.new.deeper", JOULIE_E_UNKNOWN_MEMBER, "spec.new" },
        { 'n', "spec[0]", JOULIE_E_UNKNOWN_MEMBER, "spec[0]" },
        { 't', "metadata.labels[0]", JOULIE_E_UNKNOWN_MEMBER, "metadata.labels[0]" },
        { 't', "", JOULIE_E_TYPE, "" },
        { 't', ".spec", JOULIE_E_PARSE, ".spec" },
        { 't', "spec.", JOULIE_E_PARSE, "spec." },
        { 't', "spec..cpu", JOULIE_E_PARSE, "spec..cpu" },
        { 't', "[\"spec\"]nodeName", JOULIE_E_PARSE, "[\"spec\"]nodeName" },
        { 't', "metadata.labels[\"a", JOULIE_E_PARSE, "metadata.labels[\"a" },
        { 't', "metadata.labels[\"a\\", JOULIE_E_PARSE, "metadata.labels[\"a\\" },
        { 't', "metadata.labels[\"a\"", JOULIE_E_PARSE, "metadata.labels[\"a\"" },
        { 't', "metadata.finalizers[", JOULIE_E_PARSE, "metadata.finalizers[" },
        { 't', "metadata.finalizers[]", JOULIE_E_PARSE, "metadata.finalizers[]" },
        { 't', "metadata.finalizers[-1]", JOULIE_E_PARSE, "metadata.finalizers[-1]" },
        { 't', "metadata.finalizers[0", JOULIE_E_PARSE, "metadata.finalizers[0" },
        { 't', "metadata.finalizers[99999999999999999999]", JOULIE_E_PARSE,
          "metadata.finalizers[99999999999999999999]" },
        { 't', "metadata.finalizers[18446744073709551615]", JOULIE_E_PARSE,
          "metadata.finalizers[18446744073709551615]" },
        { 't', "metadata.finalizers[18446744073709551614]", 0, "-" },
    };
    struct joulie_object *object = object_of(twin, JOULIE_OBJECT_LENIENT);
    char *before = line_of(object);
    (void)state;
    for (size_t i = 0; i < JL_COUNT(readings); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char found[64];
        const int rc = read_as(object, readings[i].getter, readings[i].path, found, &err);
        if (rc != readings[i].rc || strcmp(rc < 0 ? err.where : found, readings[i].found) != 0)
            fail_msg("%c %s: %d, %s at %s", readings[i].getter, readings[i].path, rc, found,
                     err.where);
    }
    assert_line(object, before);
    joulie_free(before);
    joulie_object_free(object);
}

static void integers_of_64_bits_are_exact(void **state)
{
    static const char *const bytes[] = {
        "9223372036854775807", "9223372036854775808", "1e18", "1e19", "18446744073709551616", "-0"
    };
    static const int64_t expected[] = { INT64_MAX, -1, 1000000000000000000, -1, -1, 0 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(bytes); i++) {
        char text[256];
        int64_t value = -1;
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"status\":"
                 "{\"memory\":{\"totalBytes\":%s}}}",
                 bytes[i]);
        struct joulie_object *object = object_of(text, JOULIE_OBJECT_LENIENT);
        const int rc = joulie_object_get_integer(object, "status.memory.totalBytes", &value, NULL);
        assert_int_equal(rc, expected[i] == -1 ? JOULIE_E_RANGE : 1);
        assert_true(value == expected[i]);
        joulie_object_free(object);
    }
}

static void quantities_are_texts_however_they_are_written(void **state)
{
    struct joulie_object *object =
        object_of("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},"
                  "\"status\":{\"capacity\":{\"cpu\":8,\"memory\":\"1Gi\",\"x\":0.50,\"y\":true}}}",
                  0);
    static const char *const expected[][2] = {
        { "cpu", "8" }, { "memory", "1Gi" }, { "x", "0.50" }, { "y", "true" }
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(expected); i++) {
        char path[64];
        const char *text = NULL;
        snprintf(path, sizeof path, "status.capacity.%s", expected[i][0]);
        assert_int_equal(joulie_object_get_text(object, path, &text, NULL), 1);
        assert_string_equal(text, expected[i][1]);
    }
    joulie_object_free(object);
}

static void a_path_ends_at_its_limit(void **state)
{
    struct joulie_object *object = object_of(twin, JOULIE_OBJECT_LENIENT);
    struct jl_buffer path = { 0 };
    size_t count;
    (void)state;
    jl_put_string(&path, "metadata.");
    while (path.len < 1024)
        jl_put_char(&path, 'x');
    assert_int_equal(joulie_object_count(object, path.data, &count, NULL), 0);
    jl_put_char(&path, 'x');
    assert_int_equal(joulie_object_count(object, path.data, &count, NULL), JOULIE_E_LIMIT);

    jl_buffer_reset(&path);
    jl_put_string(&path, "metadata.x");
    for (int i = 2; i < 128; i++)
        jl_put_string(&path, "[0]");
    assert_int_equal(joulie_object_count(object, path.data, &count, NULL), 0);
    jl_put_string(&path, "[0]");
    assert_int_equal(joulie_object_count(object, path.data, &count, NULL), JOULIE_E_LIMIT);
    jl_buffer_clear(&path);
    joulie_object_free(object);
}

struct set_case {
    char setter; /* n i b t, u = unset */
    const char *path;
    const char *value;
    int code;
    const char *expected; /* the spec and status that are printed, or where */
};

static int set_as(struct joulie_object *object, const struct set_case *set,
                  struct joulie_error *err)
{
    switch (set->setter) {
    case 'n':
        return joulie_object_set_number(object, set->path, strtod(set->value, NULL), err);
    case 'i':
        return joulie_object_set_integer(object, set->path, strtoll(set->value, NULL, 10), err);
    case 'b':
        return joulie_object_set_bool(object, set->path, set->value[0] == '1', err);
    case 't':
        return joulie_object_set_text(object, set->path, set->value, err);
    default:
        return joulie_object_unset(object, set->path, err);
    }
}

static void setters_set_or_change_nothing(void **state)
{
#define BASE "{" HEAD ",\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"cpu\":5,\"gpu\":"
#define GPU BASE "{\"powerCap\":{\"capPctOfMax\":60.0}}}"
    static const char before[] = GPU ",\"status\":{\"rescheduleRecommendations\":[{}]},\"new\":1}";
    static const struct set_case sets[] = {
        { 'n', "spec.gpu.powerCap.capPctOfMax", "70.25", 0,
          BASE "{\"powerCap\":{\"capPctOfMax\":70.25}}},"
               "\"status\":{\"rescheduleRecommendations\":[{}]},\"new\":1}" },
        { 'i', "spec.gpu.powerCap.capWattsPerGpu", "300", 0,
          BASE "{\"powerCap\":{\"capWattsPerGpu\":300,\"capPctOfMax\":60.0}}},"
               "\"status\":{\"rescheduleRecommendations\":[{}]},\"new\":1}" },
        { 'b', "spec.scheduling.draining", "1", 0,
          GPU ",\"status\":{\"rescheduleRecommendations\":[{}]},\"new\":1}" },
        { 't', "status.rescheduleRecommendations[1].workloadRef.name", "w", 0,
          GPU ",\"status\":{\"rescheduleRecommendations\":[{},{\"workloadRef\":{\"name\":\"w\"}}]},"
              "\"new\":1}" },
        { 't', "metadata.labels[\"joulie.io/x\"]", "\"\xC3\xA9", 0,
          "{" HEAD ",\"metadata\":{\"labels\":{\"a\":\"b\",\"joulie.io/x\":\"\\\"\xC3\xA9\"}},"
          "\"spec\":{\"cpu\":5,\"gpu\":{\"powerCap\":{\"capPctOfMax\":60.0}}},"
          "\"status\":{\"rescheduleRecommendations\":[{}]},\"new\":1}" },
        { 'u', "new", NULL, 0, GPU ",\"status\":{\"rescheduleRecommendations\":[{}]}}" },
        { 'u', "status.rescheduleRecommendations[0]", NULL, 0,
          GPU ",\"status\":{\"rescheduleRecommendations\":[]},\"new\":1}" },
        { 'u', "status.rescheduleRecommendations[5]", NULL, 0, before },
        { 'u', "status.powerMeasurement.cpuTdpW", NULL, 0, before },
        { 'u', "spec.gpu.powerCap.capPctOfMax", NULL, 0,
          BASE "{\"powerCap\":{}}},\"status\":{\"rescheduleRecommendations\":[{}]},\"new\":1}" },

        { 'n', "spec.gpu.powerCap.capPctOfMax", "100.5", JOULIE_E_RANGE, NULL },
        { 'n', "spec.gpu.powerCap.capPctOfMax", "0", JOULIE_E_RANGE, NULL },
        { 'n', "spec.gpu.powerCap.capPctOfMax", "nan", JOULIE_E_RANGE, NULL },
        { 'n', "spec.gpu.powerCap.capPctOfMax", "inf", JOULIE_E_RANGE, NULL },
        { 'i', "spec.gpu.powerCap.capWattsPerGpu", "0", JOULIE_E_RANGE, NULL },
        { 'n', "status.gpuSlicingRecommendation.totalSlices", "1.5", JOULIE_E_TYPE, NULL },
        { 'n', "status.gpuSlicingRecommendation.totalSlices", "1e300", JOULIE_E_RANGE, NULL },
        { 't', "spec.profile", "turbo", JOULIE_E_ENUM, NULL },
        { 't', "spec.profile", NULL, JOULIE_E_REQUIRED, NULL },
        { 't', "spec.profile", "\xFF", JOULIE_E_PARSE, NULL },
        { 't', "metadata.labels.x", "\xC3", JOULIE_E_PARSE, NULL },
        { 'n', "spec.profile", "1", JOULIE_E_TYPE, NULL },
        { 'b', "spec.profile", "1", JOULIE_E_TYPE, NULL },
        { 't', "spec.scheduling.draining", "true", JOULIE_E_TYPE, NULL },
        { 't', "spec.scheduling", "x", JOULIE_E_TYPE, NULL },
        { 't', "", "x", JOULIE_E_TYPE, NULL },
        { 'n', "spec.cpu.packagePowerCapWatts", "100", JOULIE_E_TYPE, "spec.cpu" },
        { 't', "status.rescheduleRecommendations[2].reason", "r", JOULIE_E_RANGE,
          "status.rescheduleRecommendations[2]" },
        { 't', "status.rescheduleRecommendations[2].workloadRef.name", "r", JOULIE_E_RANGE,
          "status.rescheduleRecommendations[2]" },
        { 't', "spec.new", "x", JOULIE_E_UNKNOWN_MEMBER, NULL },
        { 't', "metadata.generateName", "x", JOULIE_E_UNSUPPORTED, NULL },
        { 't', "status.controlStatus.cpu.observed", "x", JOULIE_E_UNSUPPORTED, NULL },
        { 'n', "status.controlStatus.cpu.observed.w", "1", JOULIE_E_UNSUPPORTED, NULL },
        { 't', "kind", "NodeTwin", JOULIE_E_UNSUPPORTED, NULL },
        { 't', "apiVersion", "x", JOULIE_E_UNSUPPORTED, NULL },
        { 'u', "[\"kind\"]", NULL, JOULIE_E_UNSUPPORTED, NULL },
        { 'u', "", NULL, JOULIE_E_UNSUPPORTED, NULL },
        { 'u', "spec.cpu.packagePowerCapWatts", NULL, JOULIE_E_TYPE, "spec.cpu" },
        { 'u', "spec[", NULL, JOULIE_E_PARSE, NULL },
        { 't', "metadata.labels[\"\xB1\"]", "x", JOULIE_E_PARSE, "" },
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(sets); i++) {
        const struct set_case *set = &sets[i];
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_object *object = object_of(before, JOULIE_OBJECT_LENIENT);
        const int rc = set_as(object, set, &err);
        if (rc != set->code)
            fail_msg("%c %s: %d at %s: %s", set->setter, set->path, rc, err.where, err.message);
        if (rc < 0) {
            assert_string_equal(err.where, set->expected ? set->expected : set->path);
            assert_int_equal(err.line, 0);
            assert_line(object, before);
        } else if (set->setter == 'b') {
            int32_t flag = -1;
            assert_int_equal(joulie_object_get_bool(object, set->path, &flag, NULL), 1);
            assert_int_equal(flag, 1);
        } else {
            assert_line(object, set->expected);
        }
        joulie_object_free(object);
    }
}

/* What a row takes, made from the row: a good value first. */
static void set_row(struct joulie_object *object, const struct jl_row *row, const char *path)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    double number = 0;
    const char *text = NULL;
    const double good = row->is.has_min ? row->min + 1 : 7;
    if (row->words) {
        for (size_t i = 0; i < row->words->count; i++) {
            const char *word = row->words->items[i].word;
            assert_int_equal(joulie_object_set_text(object, path, word, NULL), JOULIE_OK);
            assert_int_equal(joulie_object_get_text(object, path, &text, NULL), 1);
            assert_string_equal(text, word);
        }
        assert_int_equal(joulie_object_set_text(object, path, "no such word", &err), JOULIE_E_ENUM);
    } else if (row->type == JL_TYPE_STRING) {
        assert_int_equal(joulie_object_set_text(object, path, "text", NULL), JOULIE_OK);
        assert_int_equal(joulie_object_get_text(object, path, &text, NULL), 1);
        assert_string_equal(text, "text");
        assert_int_equal(joulie_object_set_bool(object, path, 1, &err), JOULIE_E_TYPE);
    } else if (row->type == JL_TYPE_BOOL) {
        int32_t flag = -1;
        assert_int_equal(joulie_object_set_bool(object, path, 0, NULL), JOULIE_OK);
        assert_int_equal(joulie_object_get_bool(object, path, &flag, NULL), 1);
        assert_int_equal(flag, 0);
        assert_int_equal(joulie_object_set_number(object, path, 1, &err), JOULIE_E_TYPE);
    } else {
        assert_true(row->type == JL_TYPE_NUMBER || row->type == JL_TYPE_INTEGER);
        assert_int_equal(joulie_object_set_number(object, path, good, NULL), JOULIE_OK);
        assert_int_equal(joulie_object_get_number(object, path, &number, NULL), 1);
        assert_near(number, good, 0);
        if (row->is.has_max)
            assert_int_equal(joulie_object_set_number(object, path, row->max + 1, NULL),
                             JOULIE_E_RANGE);
        if (row->is.has_min)
            assert_int_equal(joulie_object_set_number(object, path, row->min - 1, NULL),
                             JOULIE_E_RANGE);
        assert_int_equal(joulie_object_set_text(object, path, "1", &err), JOULIE_E_TYPE);
        assert_int_equal(joulie_object_get_number(object, path, &number, NULL), 1);
        assert_near(number, good, 0);
    }
    assert_string_equal(err.where, path);
}

static size_t set_table(struct joulie_object *object, const struct jl_table *table,
                        const char *prefix)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        char path[512];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", row->key);
        if (!*prefix && i <= 1)
            continue; /* apiVersion, kind */
        if (row->type == JL_TYPE_OBJECT) {
            count += set_table(object, row->child, path);
        } else if (row->type == JL_TYPE_LIST) {
            strcat(path, "[0]");
            count += set_table(object, row->child, path);
        } else if (row->type == JL_TYPE_STRINGS || row->type == JL_TYPE_MAP) {
            const char *text = NULL;
            strcat(path, row->type == JL_TYPE_MAP ? "[\"a.b/c\"]" : "[0]");
            assert_int_equal(joulie_object_set_text(object, path, "x", NULL), JOULIE_OK);
            assert_int_equal(joulie_object_get_text(object, path, &text, NULL), 1);
            assert_string_equal(text, "x");
            count++;
        } else if (row->type != JL_TYPE_RAW) {
            set_row(object, row, path);
            count++;
        }
    }
    return count;
}

static void every_member_of_every_kind_can_be_set_and_read(void **state)
{
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_object *object = NULL;
        struct joulie_object *again = NULL;
        if (jl_kinds[i]->kind->is_foreign) /* tests/fusion: their texts have grammars */
            continue;
        assert_int_equal(joulie_object_new(NULL, jl_kinds[i]->kind->kind, &object, NULL), 0);
        count += set_table(object, jl_kinds[i], "");
        if (joulie_object_validate(object, &err) != JOULIE_OK)
            fail_msg("%s %s: %s", jl_kinds[i]->kind->kind, err.where, err.message);
        char *text = line_of(object);
        again = object_of(text, 0);
        assert_line(again, text);
        joulie_free(text);
        joulie_object_free(again);
        joulie_object_free(object);
    }
    assert_true(count > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(getters_find_what_is_there_and_report_what_is_not),
        cmocka_unit_test(integers_of_64_bits_are_exact),
        cmocka_unit_test(quantities_are_texts_however_they_are_written),
        cmocka_unit_test(a_path_ends_at_its_limit),
        cmocka_unit_test(setters_set_or_change_nothing),
        cmocka_unit_test(every_member_of_every_kind_can_be_set_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
